#include "control/facts/links.h"

#include <stdlib.h>

#include "control/text/json.h"

bool links_collect(struct links *links, const struct core *core, uint64_t now_ms)
{
    const uint32_t members = core_view(core)->member_count;
    const uint32_t count = members < LINKS_MEMBERS_MAX ? members : LINKS_MEMBERS_MAX;

    if (count > links->capacity) {
        uint8_t *cells = realloc(links->cells, (size_t)count * count);
        if (cells == NULL) {
            return false;
        }
        links->cells = cells;
        links->capacity = count;
    }
    links->count = count;
    links->left_out = members - count;
    for (uint32_t observer = 0; observer < count; observer++) {
        for (uint32_t subject = 0; subject < count; subject++) {
            links->cells[(size_t)observer * count + subject] = (uint8_t)core_hearing(
                core, observer, subject, now_ms);
        }
    }
    return true;
}

void links_deinit(struct links *links)
{
    free(links->cells);
    *links = (struct links){0};
}

enum hearing links_hearing(const struct links *links, uint32_t observer, uint32_t subject)
{
    return (enum hearing)links->cells[(size_t)observer * links->count + subject];
}

static bool is_deaf_to(const struct links *links, uint32_t observer, uint32_t subject)
{
    const enum hearing hearing = links_hearing(links, observer, subject);

    return hearing == HEARING_SILENT || hearing == HEARING_SUSPECT;
}

bool links_is_silent(const struct links *links, uint32_t position, uint32_t self)
{
    uint32_t deaf = 0;

    for (uint32_t i = 0; i < links->count && position != self; i++) {
        if (i != position && links_hearing(links, i, position) == HEARING_YES) {
            return false;
        }
        deaf += i != position && is_deaf_to(links, i, position);
    }
    return deaf > 0;
}

static uint32_t self_position(const struct facts *facts)
{
    return view_find(facts->view, &facts->self->id);
}

/* --- Bad pairs --- */

/* Frees `detail`. */
static json_t *bad_json(const char *from, const char *to, const char *kind,
                        struct text_builder *detail)
{
    json_t *object = json_object();
    bool complete = !detail->failed && json_put(object, "from", json_of_word(from)) &&
                    json_put(object, "to", json_of_word(to)) &&
                    json_put(object, "kind", json_of_word(kind)) &&
                    json_put(object, "detail", json_of_text(detail->bytes, detail->length));

    text_builder_deinit(detail);
    return json_finished(object, complete);
}

/* The link on which `deaf` does not hear `mute`. */
static json_t *one_way_json(const struct links *links, const struct facts *facts, uint32_t mute,
                            uint32_t deaf)
{
    const char *from = facts->view->members[mute].name;
    const char *to = facts->view->members[deaf].name;
    struct text_builder detail = {0};

    text_builder_format(&detail, "messages from %s to %s are lost: %s does not hear %s", from, to,
                        to, from);
    if (links_hearing(links, mute, deaf) == HEARING_YES) {
        text_builder_format(&detail, ", %s hears %s", from, to);
    } else {
        text_builder_add(&detail, "; whether the other way works is not known");
    }
    return bad_json(from, to, "one-way", &detail);
}

static json_t *both_ways_json(const struct facts *facts, uint32_t older, uint32_t younger)
{
    const char *from = facts->view->members[older].name;
    const char *to = facts->view->members[younger].name;
    struct text_builder detail = {0};

    text_builder_format(&detail, "no messages pass between %s and %s: neither hears the other",
                        from, to);
    return bad_json(from, to, "both", &detail);
}

static bool is_settled(const struct links *links, const struct facts *facts, uint32_t position)
{
    return links->stability == NULL ||
           hearing_is_stable(links->stability, facts->view->members[position].age,
                             facts->peers[position].heard_ms_ago, facts->now_ms);
}

/* Is one of the two silent, so that the link between them is not to blame, or can that not be told
 * yet? */
static bool is_blameless(const struct links *links, const struct facts *facts, uint32_t a,
                         uint32_t b)
{
    const uint32_t self = self_position(facts);

    return links_is_silent(links, a, self) || links_is_silent(links, b, self) ||
           !is_settled(links, facts, a) || !is_settled(links, facts, b);
}

json_t *links_bad_json(const struct links *links, const struct facts *facts)
{
    json_t *array = json_array();
    bool complete = true;

    for (uint32_t a = 0; a < links->count; a++) {
        for (uint32_t b = a + 1; b < links->count; b++) {
            const bool a_deaf = is_deaf_to(links, a, b);
            const bool b_deaf = is_deaf_to(links, b, a);
            if ((!a_deaf && !b_deaf) || is_blameless(links, facts, a, b)) {
                continue;
            }
            json_t *pair = a_deaf && b_deaf ? both_ways_json(facts, a, b)
                           : a_deaf         ? one_way_json(links, facts, b, a)
                                            : one_way_json(links, facts, a, b);
            complete &= json_array_append_new(array, pair) == 0;
        }
    }
    return json_finished(array, complete);
}

/* --- The document --- */

static json_t *hears_json(enum hearing hearing)
{
    switch (hearing) {
    case HEARING_UNKNOWN:
        return json_null();
    case HEARING_YES:
        return json_true();
    case HEARING_SILENT:
    case HEARING_SUSPECT:
        return json_false();
    }
    return json_null();
}

static const char *hearing_word(enum hearing hearing)
{
    switch (hearing) {
    case HEARING_UNKNOWN:
        return "unknown";
    case HEARING_YES:
        return "ok";
    case HEARING_SILENT:
        return "silent";
    case HEARING_SUSPECT:
        return "suspect";
    }
    return "unknown";
}

static json_t *state_json(enum hearing hearing)
{
    return json_string(hearing_word(hearing));
}

static json_t *matrix_json(const struct links *links, json_t *(*cell)(enum hearing hearing))
{
    json_t *rows = json_array();
    bool complete = true;

    for (uint32_t observer = 0; observer < links->count; observer++) {
        json_t *row = json_array();
        for (uint32_t subject = 0; subject < links->count; subject++) {
            complete &= json_array_append_new(row, cell(links_hearing(links, observer, subject))) ==
                        0;
        }
        complete &= json_array_append_new(rows, row) == 0;
    }
    return json_finished(rows, complete);
}

/* The names of all members, or of only those that nobody hears. */
static json_t *names_json(const struct links *links, const struct facts *facts, bool silent_only)
{
    const uint32_t self = self_position(facts);
    json_t *array = json_array();
    bool complete = true;

    for (uint32_t i = 0; i < links->count; i++) {
        if (!silent_only || links_is_silent(links, i, self)) {
            complete &= json_array_append_new(array, json_of_word(facts->view->members[i].name)) ==
                        0;
        }
    }
    return json_finished(array, complete);
}

/* The names of failed members, which have no row in the matrix. */
static json_t *failed_json(const struct view *view)
{
    json_t *array = json_array();
    bool complete = true;

    for (uint32_t i = 0; i < view->gone_count; i++) {
        if (view->gone[i].reason == GONE_FAILED) {
            complete &= json_array_append_new(array, json_of_word(view->gone[i].name)) == 0;
        }
    }
    return json_finished(array, complete);
}

json_t *links_json(const struct links *links, const struct facts *facts)
{
    json_t *object = json_object();

    if (json_put(object, "schema", json_integer(1)) &&
        json_put(object, "self", json_of_word(facts->self->name)) &&
        json_put(object, "members", names_json(links, facts, false)) &&
        json_put(object, "left_out", json_of_number(links->left_out)) &&
        json_put(object, "hears", matrix_json(links, hears_json)) &&
        json_put(object, "states", matrix_json(links, state_json)) &&
        json_put(object, "silent", names_json(links, facts, true)) &&
        json_put(object, "bad", links_bad_json(links, facts)) &&
        json_put(object, "failed", failed_json(facts->view))) {
        return object;
    }
    json_decref(object);
    return NULL;
}

/* --- A sentence --- */

/* Appends "; LEAD NAME, NAME and NAME": the members that the one at `position` does not hear, or,
 * unless `is_observer`, that do not hear it. */
static void list_sentence(const struct links *links, const struct facts *facts, uint32_t position,
                          bool is_observer, struct text_builder *sentence)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < links->count; i++) {
        left += is_observer ? is_deaf_to(links, position, i) : is_deaf_to(links, i, position);
    }
    for (uint32_t i = 0, told = 0; i < links->count; i++) {
        if (is_observer ? is_deaf_to(links, position, i) : is_deaf_to(links, i, position)) {
            const char *lead = is_observer ? "; does not hear " : "; not heard by ";
            left--;
            text_builder_add(sentence, told++ == 0 ? lead : left == 0 ? " and " : ", ");
            text_builder_add(sentence, facts->view->members[i].name);
        }
    }
}

void links_sentence(const struct links *links, const struct facts *facts, uint32_t position,
                    struct text_builder *sentence)
{
    if (position < links->count) {
        list_sentence(links, facts, position, false, sentence);
        list_sentence(links, facts, position, true, sentence);
    }
}
