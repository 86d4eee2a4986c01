#include "control/facts/links.h"

#include <stdlib.h>

#include "control/text/json.h"

/* --- Who says what --- */

enum hearing links_told_hearing(const void *context, uint32_t observer, uint32_t subject)
{
    const struct facts *facts = context;

    return core_hearing(node_core(facts->node), observer, subject, facts->now_ms);
}

uint32_t links_told_doubts(const void *context, uint32_t observer, uint32_t out[LINKS_DOUBTS_MAX])
{
    const struct facts *facts = context;
    struct told_doubt doubts[SUSPECTS_MAX];
    const uint32_t told = core_told_doubts(node_core(facts->node), observer, facts->now_ms, doubts);
    uint32_t count = 0;

    _Static_assert((int)SUSPECTS_MAX <= (int)LINKS_DOUBTS_MAX, "there is room for all");
    for (uint32_t i = 0; i < told; i++) {
        if (doubts[i].subject != VIEW_NONE) {
            out[count++] = doubts[i].subject;
        }
    }
    return count;
}

struct links links_told(const struct facts *facts, const struct hearing_stability *stability)
{
    return (struct links){.hearing = links_told_hearing,
                          .doubts = links_told_doubts,
                          .context = facts,
                          .stability = stability};
}

static bool is_heard_by(const struct links *links, uint32_t observer, uint32_t subject)
{
    return links->hearing(links->context, observer, subject) == HEARING_YES;
}

static bool is_deaf_to(const struct links *links, uint32_t observer, uint32_t subject)
{
    const enum hearing hearing = links->hearing(links->context, observer, subject);

    return hearing == HEARING_SILENT || hearing == HEARING_SUSPECT;
}

bool links_is_silent(const struct links *links, const struct facts *facts, uint32_t position)
{
    const bool is_self = id_equal(&facts->view->members[position].id, &facts->self->id);
    uint32_t deaf = 0;

    for (uint32_t i = 0; i < facts->view->member_count && !is_self; i++) {
        if (i != position && is_heard_by(links, i, position)) {
            return false;
        }
        deaf += i != position && is_deaf_to(links, i, position);
    }
    return deaf > 0;
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
    if (is_heard_by(links, mute, deaf)) {
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
    return !is_settled(links, facts, a) || !is_settled(links, facts, b) ||
           links_is_silent(links, facts, a) || links_is_silent(links, facts, b);
}

/* Or may the one that is not heard have stopped just now, and this node misses it only next? */
static bool is_alive(const struct links *links, const struct facts *facts, uint32_t mute)
{
    return links->stability == NULL ||
           hearing_outlasts_doubt(links->stability, facts->view->members[mute].age,
                                  facts->peers[mute].heard_ms_ago, facts->now_ms);
}

/* Is it to be shown that the one does not hear the other? Of two that do not hear each other the
 * older is shown. */
static bool is_bad(const struct links *links, const struct facts *facts, uint32_t deaf,
                   uint32_t mute)
{
    return deaf != mute && (deaf < mute || !is_deaf_to(links, mute, deaf)) &&
           is_alive(links, facts, mute) && !is_blameless(links, facts, deaf, mute);
}

static json_t *pair_json(const struct links *links, const struct facts *facts, uint32_t deaf,
                         uint32_t mute)
{
    return is_deaf_to(links, mute, deaf) ? both_ways_json(facts, deaf, mute)
                                         : one_way_json(links, facts, mute, deaf);
}

json_t *links_bad_json(const struct links *links, const struct facts *facts)
{
    json_t *array = json_array();
    bool complete = true;

    for (uint32_t i = 0; i < facts->view->member_count; i++) {
        uint32_t doubts[LINKS_DOUBTS_MAX];
        const uint32_t count = links->doubts(links->context, i, doubts);
        for (uint32_t k = 0; k < count; k++) {
            if (is_bad(links, facts, i, doubts[k])) {
                complete &= json_array_append_new(array, pair_json(links, facts, i, doubts[k])) ==
                            0;
            }
        }
    }
    return json_finished(array, complete);
}

/* --- Beside them --- */

/* Only somebody who is doubted can be silent. */
static json_t *silent_json(const struct links *links, const struct facts *facts)
{
    const uint32_t count = facts->view->member_count;
    bool *doubted = calloc((size_t)count + 1, sizeof *doubted);
    json_t *array = json_array();
    bool complete = doubted != NULL;

    for (uint32_t i = 0; complete && i < count; i++) {
        uint32_t doubts[LINKS_DOUBTS_MAX];
        for (uint32_t k = links->doubts(links->context, i, doubts); k > 0; k--) {
            doubted[doubts[k - 1]] = true;
        }
    }
    for (uint32_t i = 0; complete && i < count; i++) {
        if (doubted[i] && links_is_silent(links, facts, i)) {
            complete = json_array_append_new(array, json_of_word(facts->view->members[i].name)) ==
                       0;
        }
    }
    free(doubted);
    return json_finished(array, complete);
}

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

bool links_put(json_t *object, const struct links *links, const struct facts *facts)
{
    return json_put(object, "silent", silent_json(links, facts)) &&
           json_put(object, "bad", links_bad_json(links, facts)) &&
           json_put(object, "failed", failed_json(facts->view));
}

/* --- A sentence --- */

/* Appends "; LEAD NAME, NAME and NAME": the members that the one at `position` does not hear, or,
 * unless `is_observer`, that do not hear it. */
static void list_sentence(const struct links *links, const struct facts *facts, uint32_t position,
                          bool is_observer, struct text_builder *sentence)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < facts->view->member_count; i++) {
        left += is_observer ? is_deaf_to(links, position, i) : is_deaf_to(links, i, position);
    }
    for (uint32_t i = 0, told = 0; i < facts->view->member_count; i++) {
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
    list_sentence(links, facts, position, false, sentence);
    list_sentence(links, facts, position, true, sentence);
}
