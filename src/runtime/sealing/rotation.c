#include "runtime/sealing/rotation.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/host/replace_file.h"
#include "runtime/sealing/key_file.h"
#include "usage/remedy.h"

/* --- Who holds what --- */

static bool holds(const struct sender *sender, uint16_t fingerprint)
{
    for (uint32_t i = 0; sender != NULL && i < sender->holds_count; i++) {
        if (sender->holds[i] == fingerprint) {
            return true;
        }
    }
    return false;
}

static bool is_self(const struct core *core, const struct node_id *life)
{
    return id_equal(life, &core_self(core)->id);
}

struct key_state rotation_state(const struct seal *seal, const struct core *core, uint32_t index)
{
    const struct view *view = core_view(core);
    const struct seal_use use = seal_use(seal, index);
    struct key_state state = {.fingerprint = seal_ring(seal)->keys[index].fingerprint,
                              .seals = index == 0,
                              .members = view->member_count,
                              .used_ms = use.ms,
                              .by = use.by};

    for (uint32_t i = 0; i < view->member_count; i++) {
        const struct node_id *life = &view->members[i].id;
        state.held += is_self(core, life) || holds(seal_sender(seal, life), state.fingerprint);
    }
    return state;
}

/* --- May it be? --- */

static bool refuse_first(struct complaint *complaint, uint16_t first, const char *name,
                         const char *more)
{
    char text[FINGERPRINT_TEXT_MAX];

    complaint->exit_code = EXIT_CONFIGURATION;
    return complaint_set(complaint,
                         "%s is not held by %s%s: add it to the key files of all nodes, and doyen "
                         "keys reload there, before it seals",
                         fingerprint_text(first, text), name, more);
}

/* Everybody can open what this node seals from now on, also who went a moment ago and may be back
 * the next. */
static bool check_first(const struct seal *seal, const struct core *core,
                        const struct keyring *next, uint64_t since_ms, struct complaint *complaint)
{
    const uint16_t first = next->keys[0].fingerprint;
    const struct view *view = core_view(core);

    if (first == seal_ring(seal)->keys[0].fingerprint) {
        return true;
    }
    for (uint32_t i = 0; i < view->member_count; i++) {
        const struct member *member = &view->members[i];
        if (!is_self(core, &member->id) && !holds(seal_sender(seal, &member->id), first)) {
            return refuse_first(complaint, first, member->name, "");
        }
    }
    for (uint32_t i = 0; i < view->gone_count; i++) {
        const struct gone *gone = &view->gone[i];
        const struct sender *sender = seal_sender(seal, &gone->id);
        if (sender != NULL && sender->heard_ms >= since_ms && !holds(sender, first) &&
            view_find_name(view, gone->name) == VIEW_NONE) {
            return refuse_first(complaint, first, gone->name, ", which went a moment ago");
        }
    }
    return true;
}

/* Nobody seals with a key that this node gives up. */
static bool check_member(const struct seal *seal, const struct node_id *life, const char *name,
                         const struct keyring *next, struct complaint *complaint)
{
    const struct sender *sender = seal_sender(seal, life);
    char text[FINGERPRINT_TEXT_MAX];

    if (sender == NULL) {
        return true; /* It cannot be heard now, either. */
    }
    if (keyring_find(next, sender->name.fingerprint) == KEYRING_MAX) {
        complaint->exit_code = EXIT_CONFIGURATION;
        return complaint_set(complaint,
                             "%s is in use by %s: make another key the first there, with doyen "
                             "keys use",
                             fingerprint_text(sender->name.fingerprint, text), name);
    }
    return true;
}

static bool check_given_up(const struct seal *seal, const struct core *core,
                           const struct keyring *next, struct complaint *complaint)
{
    const struct view *view = core_view(core);

    for (uint32_t i = 0; i < view->member_count; i++) {
        const struct member *member = &view->members[i];
        if (!is_self(core, &member->id) &&
            !check_member(seal, &member->id, member->name, next, complaint)) {
            return false;
        }
    }
    return true;
}

/* A node that is in no view knows of nobody, and its wish would leave them all behind. It takes up
 * a file as it is, for a key that it lacks may be what keeps it out. */
static bool check_is_in(const struct core *core, const struct rotation *rotation,
                        struct complaint *complaint)
{
    if (rotation->kind == ROTATION_RELOAD || !view_is_empty(core_view(core))) {
        return true;
    }
    complaint->exit_code = EXIT_CONFIGURATION;
    return complaint_set(complaint,
                         "this node is in no view, and cannot tell who holds which key: wait until "
                         "it is in, or change the key file, then doyen keys reload");
}

/* --- The file --- */

static bool write_ring(const char *path, const struct keyring *ring, struct complaint *complaint)
{
    char folder[CONFIG_DIR_MAX + 1];
    char name[CONFIG_DIR_MAX + 1];
    char new_name[CONFIG_DIR_MAX + 8];
    char text[KEYRING_MAX * KEY_TEXT_MAX + 1];
    size_t length = 0;

    for (uint32_t i = 0; i < ring->count; i++) {
        key_print(&ring->keys[i], text + length);
        length += KEY_TEXT_MAX;
        text[length - 1] = '\n';
    }
    snprintf(folder, sizeof folder, "%s", path);
    snprintf(name, sizeof name, "%s", path);
    const char *base = basename(name);
    snprintf(new_name, sizeof new_name, "%s.new", base);
    const int dir = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int error = dir < 0 ? errno : replace_file(dir, base, new_name, text, length);

    secret_wipe(text, sizeof text);
    if (dir >= 0) {
        (void)close(dir);
    }
    if (error != 0) {
        complaint->exit_code = EXIT_CONFIGURATION;
        return complaint_set(complaint,
                             "cannot write %.200s: %s: %s and ask again, or change it yourself, "
                             "then doyen keys reload",
                             path, strerror(error), remedy_of_write(error));
    }
    return true;
}

/* --- Changing --- */

/* The file does not have the key. For one that is to be removed that is as it should be: another
 * node that shares the file has removed it there, and `own`, what this node has, follows. */
static bool edit_absent(const struct rotation *rotation, const struct keyring *own,
                        struct complaint *complaint)
{
    const uint32_t at = keyring_find(own, rotation->fingerprint);
    char text[FINGERPRINT_TEXT_MAX];

    (void)fingerprint_text(rotation->fingerprint, text);
    if (rotation->kind == ROTATION_USE) {
        return complaint_set(
            complaint, "%s is not in the key file: add its line, then doyen keys reload", text);
    }
    if (at == KEYRING_MAX) {
        return complaint_set(complaint,
                             "%s is gone already: neither the key file nor this node has it", text);
    }
    return at > 0 ||
           complaint_set(complaint, "%s seals here: doyen keys use another one first", text);
}

/* Makes of what the file has what is wanted; `*changed`: that is something else. */
static bool edit(struct keyring *ring, const struct rotation *rotation, const struct keyring *own,
                 bool *changed, struct complaint *complaint)
{
    const uint32_t at = keyring_find(ring, rotation->fingerprint);
    char text[FINGERPRINT_TEXT_MAX];

    if (rotation->kind == ROTATION_RELOAD) {
        return true;
    }
    complaint->exit_code = EXIT_CONFIGURATION;
    (void)fingerprint_text(rotation->fingerprint, text);
    if (at == KEYRING_MAX) {
        return edit_absent(rotation, own, complaint);
    }
    if (rotation->kind == ROTATION_REMOVE && at == 0) {
        return complaint_set(complaint,
                             ring->count > 1
                                 ? "%s seals: doyen keys use another one first"
                                 : "%s is the only key: add another one to the file of --key, "
                                   "doyen keys reload, and use that first",
                             text);
    }
    const struct key key = ring->keys[at];
    const uint32_t end = rotation->kind == ROTATION_USE ? at : ring->count - 1;
    *changed = true;
    if (rotation->kind == ROTATION_USE) {
        memmove(&ring->keys[1], &ring->keys[0], end * sizeof key);
        ring->keys[0] = key;
    } else {
        memmove(&ring->keys[at], &ring->keys[at + 1], (end - at) * sizeof key);
        ring->count--;
    }
    return true;
}

bool rotation_apply(struct seal *seal, const struct core *core, const char *path,
                    const struct rotation *rotation, struct complaint *complaint)
{
    struct keyring next;
    bool changed = false;

    const bool done = key_file_read(path, &next, complaint) &&
                      check_is_in(core, rotation, complaint) &&
                      edit(&next, rotation, seal_ring(seal), &changed, complaint) &&
                      check_first(seal, core, &next, rotation->since_ms, complaint) &&
                      check_given_up(seal, core, &next, complaint) &&
                      (!changed || write_ring(path, &next, complaint));
    if (done) {
        seal_set_ring(seal, &next);
    }
    keyring_wipe(&next);
    return done;
}
