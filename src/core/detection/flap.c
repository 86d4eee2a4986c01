#include "core/detection/flap.h"

#include <string.h>

#include "base/text.h"
#include "core/detection/standing.h"

enum { FAILURES_FREE = 2 }; /* the third within T_flap is the first to cost a pause */

static struct flapper *entry_of(struct core *core, const char *name)
{
    struct flap *flap = &core->flap;
    struct flapper *oldest = &flap->names[0];

    for (uint32_t i = 0; i < flap->count; i++) {
        struct flapper *entry = &flap->names[i];
        if (text_equal(entry->name, name)) {
            return entry;
        }
        if (entry->last_ms < oldest->last_ms) {
            oldest = entry;
        }
    }
    struct flapper *entry = flap->count < FLAPPERS_MAX ? &flap->names[flap->count++] : oldest;
    memset(entry, 0, sizeof *entry);
    memcpy(entry->name, name, text_length(name, NAME_BYTES_MAX) + 1);
    return entry;
}

/* The pause is T_lost, doubled with each further failure, up to T_flap. */
static uint64_t pause_ms(const struct core *core, uint32_t failures)
{
    uint64_t pause = core->timing.lost_ms;

    for (uint32_t i = FAILURES_FREE + 1; i < failures && pause < core->timing.flap_ms; i++) {
        pause *= 2;
    }
    return pause < core->timing.flap_ms ? pause : core->timing.flap_ms;
}

static void on_failure(struct core *core, const char *name, bool vain)
{
    struct flapper *entry = entry_of(core, name);

    if (core->now_ms >= entry->last_ms + core->timing.flap_ms) {
        entry->failures = 0;
    }
    entry->failures++;
    entry->last_ms = core->now_ms;
    entry->vain = vain;
    entry->waits = entry->failures > FAILURES_FREE;
}

void flap_note_vain(struct core *core, const char *name)
{
    on_failure(core, name, true);
}

/* The member was only cut off: the same life is back, by a merge. */
static void forgive(struct core *core, const char *name)
{
    for (uint32_t i = 0; i < core->flap.count; i++) {
        struct flapper *entry = &core->flap.names[i];
        if (text_equal(entry->name, name) && entry->failures > 0) {
            entry->failures--;
            entry->waits = false;
        }
    }
}

void flap_on_view_installed(struct core *core, const struct installed *before)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct member *member = &core->view.members[i];
        if (!view_has(before->view, &member->id) &&
            view_find_gone(before->view, &member->id) != NULL) {
            forgive(core, member->name);
        }
    }
    for (uint32_t i = 0; i < before->view->member_count; i++) {
        const struct member *member = &before->view->members[i];
        const struct gone *gone = view_find_gone(&core->view, &member->id);
        if (gone != NULL && (gone->reason == GONE_FAILED || gone->reason == GONE_BEHIND)) {
            on_failure(core, member->name, gone->reason == GONE_BEHIND);
        }
    }
}

void flap_start(struct core *core)
{
    core->flap.count = 0;
}

/* R4b: it may be the voter that a quorum lacks, and nothing tells that it cannot come in. */
static bool is_lacked(const struct core *core, const struct flapper *entry)
{
    return !entry->vain && voter_lists_find_name(&core->view.voters, entry->name) != VOTER_NONE &&
           !standing_is_acting(core, core->now_ms);
}

bool flap_admits(const struct core *core, const char *name)
{
    for (uint32_t i = 0; i < core->flap.count; i++) {
        if (text_equal(core->flap.names[i].name, name)) {
            const struct flapper *entry = &core->flap.names[i];
            return !entry->waits ||
                   core->now_ms >= entry->last_ms + pause_ms(core, entry->failures) ||
                   is_lacked(core, entry);
        }
    }
    return true;
}
