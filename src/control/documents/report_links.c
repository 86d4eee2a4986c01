#include "control/documents/report_links.h"

#include <stdlib.h>

#include "control/text/json.h"
#include "control/text/text_builder.h"
#include "words/notice_text.h"

enum {
    CASES_MAX = 64, /* shown; how many there are is said */
    TELLERS_MAX = 8,
    SILENT_NAMES_MAX = 32,
    MS_PER_S = 1000,
};

/* Who doubts a member, this node not counted. */
struct told {
    uint32_t count;
    uint32_t tellers[TELLERS_MAX]; /* the first of them */
    enum verdict verdicts[TELLERS_MAX];
};

static const struct core *core_of(const struct facts *facts)
{
    return node_core(facts->node);
}

static bool is_self(const struct facts *facts, uint32_t position)
{
    return id_equal(&facts->view->members[position].id, &facts->self->id);
}

const char *report_watch_state(const struct facts *facts, uint32_t position,
                               const struct watch_state *watch)
{
    const enum verdict verdict = facts->peers[position].verdict;

    if (!watch->on) {
        return NULL;
    }
    if (verdict != VERDICT_NONE) {
        return verdict_text(verdict);
    }
    if (watch->silent_ms >= core_timing(core_of(facts))->silent_ms) {
        return "silent";
    }
    return watch->questions > 0 ? "asked" : "heard";
}

/* Why two members watch each other, from bits of enum edge: "ring 1", "oldest"; "doubt" for none.
 */
static const char *edge_text(unsigned edge)
{
    static const struct {
        enum edge bit;
        const char *text;
    } texts[] = {{EDGE_RING_1, "ring 1"},
                 {EDGE_RING_2, "ring 2"},
                 {EDGE_OLDEST, "oldest"},
                 {EDGE_GUARD, "guard"}};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if ((edge & (unsigned)texts[i].bit) != 0) {
            return texts[i].text;
        }
    }
    return "doubt";
}

/* A duration, null where there is none. */
static json_t *ms_json(uint64_t ms)
{
    return ms == NEVER_MS ? json_null() : json_of_number(ms);
}

/* --- Whom this node watches --- */

static json_t *watch_json(const struct facts *facts, uint32_t position, uint32_t self,
                          const struct watch_state *watch)
{
    const char *why = edge_text(core_edge(core_of(facts), self, position));
    json_t *object = json_object();

    return json_finished(
        object,
        json_put(object, "name", json_of_word(facts->view->members[position].name)) &&
            json_put(object, "on", json_of_word(why)) &&
            json_put(object, "heard_ms", ms_json(facts->peers[position].heard_ms_ago)) &&
            json_put(object, "state", json_of_word(report_watch_state(facts, position, watch))) &&
            json_put(object, "linked", json_boolean(facts->peers[position].linked)) &&
            json_put(object, "left_ms",
                     watch->left_ms > 0 ? json_of_number(watch->left_ms) : json_null()));
}

static json_t *watches_json(const struct facts *facts, uint32_t self)
{
    json_t *array = json_array();
    bool complete = true;

    for (uint32_t i = 0; i < facts->view->member_count; i++) {
        const struct watch_state watch = core_watch(core_of(facts), i, facts->now_ms);
        if (watch.on) {
            complete &= json_array_append_new(array, watch_json(facts, i, self, &watch)) == 0;
        }
    }
    return json_finished(array, complete);
}

/* --- Cases --- */

static void note(struct told *told, uint32_t teller, enum verdict verdict)
{
    if (told->count < TELLERS_MAX) {
        told->tellers[told->count] = teller;
        told->verdicts[told->count] = verdict;
    }
    told->count++;
}

/* What the others said in their last heartbeats, by the member that they doubt. To be freed. */
static struct told *collect_told(const struct facts *facts)
{
    struct told *told = calloc((size_t)facts->view->member_count + 1, sizeof *told);

    for (uint32_t i = 0; told != NULL && i < facts->view->member_count; i++) {
        struct told_doubt doubts[SUSPECTS_MAX];
        const uint32_t count = is_self(facts, i)
                                   ? 0
                                   : core_told_doubts(core_of(facts), i, facts->now_ms, doubts);
        for (uint32_t k = 0; k < count; k++) {
            if (doubts[k].subject != VIEW_NONE) {
                note(&told[doubts[k].subject], i, doubts[k].verdict);
            }
        }
    }
    return told;
}

static json_t *tellers_json(const struct facts *facts, const struct told *told)
{
    const uint32_t shown = told->count < TELLERS_MAX ? told->count : TELLERS_MAX;
    json_t *array = json_array();
    bool complete = true;

    for (uint32_t i = 0; i < shown; i++) {
        const char *verdict = told->verdicts[i] == VERDICT_NONE ? "silent"
                                                                : verdict_text(told->verdicts[i]);
        json_t *object = json_object();
        object = json_finished(
            object,
            json_put(object, "name", json_of_word(facts->view->members[told->tellers[i]].name)) &&
                json_put(object, "says", json_of_word(verdict)));
        complete &= json_array_append_new(array, object) == 0;
    }
    return json_finished(array, complete);
}

static void add_seconds(struct text_builder *text, uint64_t ms)
{
    text_builder_format(text, "%u.%02u s", (unsigned)(ms / MS_PER_S),
                        (unsigned)(ms % MS_PER_S / 10));
}

static const char *outlook_word(enum outlook outlook)
{
    switch (outlook) {
    case OUTLOOK_NONE:
        return NULL;
    case OUTLOOK_LOST:
        return "lost";
    case OUTLOOK_STALLED:
        return "stalled";
    case OUTLOOK_JUDGE:
        return "judge";
    case OUTLOOK_BACKING:
        return "backing";
    case OUTLOOK_VERIFIED:
        return "verified";
    case OUTLOOK_CONFIRMED:
        return "confirmed";
    }
    return NULL;
}

/* What comes next, and when. */
static void add_outlook(const struct watch_state *watch, struct text_builder *text)
{
    switch (watch->outlook) {
    case OUTLOOK_NONE:
        text_builder_add(text, "; this node concludes nothing of it");
        return;
    case OUTLOOK_LOST:
        text_builder_add(text, "; lost in ");
        add_seconds(text, watch->due_ms);
        text_builder_add(text, " unless it or its host answers");
        return;
    case OUTLOOK_STALLED:
        text_builder_add(text, "; its host answers: stalled in ");
        add_seconds(text, watch->due_ms);
        text_builder_add(text, " unless it does, too");
        return;
    case OUTLOOK_JUDGE:
        text_builder_add(text, "; the coordinator decides");
        return;
    case OUTLOOK_BACKING:
        text_builder_add(text, "; removed once another member says the same, if none hears it");
        return;
    case OUTLOOK_VERIFIED:
        text_builder_add(text, "; asked for the last time: removed in ");
        add_seconds(text, watch->due_ms);
        text_builder_add(text, " unless somebody hears it");
        return;
    case OUTLOOK_CONFIRMED:
        text_builder_add(text, "; removed with the next view");
        return;
    }
}

static void add_tellers(const struct facts *facts, const struct told *told,
                        struct text_builder *text)
{
    const uint32_t shown = told->count < TELLERS_MAX ? told->count : TELLERS_MAX;

    for (uint32_t i = 0; i < shown; i++) {
        text_builder_add(text, i == 0 ? "; doubted by " : i + 1 == told->count ? " and " : ", ");
        text_builder_add(text, facts->view->members[told->tellers[i]].name);
    }
    if (told->count > shown) {
        text_builder_format(text, " and %u more", (unsigned)(told->count - shown));
    }
}

static void add_questions(const struct watch_state *watch, struct text_builder *text)
{
    if (watch->questions > 0) {
        text_builder_format(text, "; asked %u time%s without an answer", (unsigned)watch->questions,
                            watch->questions == 1 ? "" : "s");
    }
}

/* "silent for 0.71 s; doubted by cyrene; asked 3 times without an answer; lost in 0.19 s unless it
 * or its host answers". */
static json_t *case_text(const struct facts *facts, const struct watch_state *watch,
                         const struct told *told)
{
    struct text_builder text = {0};

    if (watch->on) {
        text_builder_add(&text, "silent for ");
        add_seconds(&text, watch->silent_ms);
    } else {
        text_builder_add(&text, "not watched by this node");
    }
    add_tellers(facts, told, &text);
    add_questions(watch, &text);
    add_outlook(watch, &text);
    json_t *sentence = text.failed ? NULL : json_of_text(text.bytes, text.length);
    text_builder_deinit(&text);
    return sentence;
}

static json_t *case_json(const struct facts *facts, uint32_t position,
                         const struct watch_state *watch, const struct told *told)
{
    json_t *object = json_object();

    return json_finished(
        object,
        json_put(object, "about", json_of_word(facts->view->members[position].name)) &&
            json_put(object, "state", json_of_word(report_watch_state(facts, position, watch))) &&
            json_put(object, "silent_ms",
                     watch->on ? json_of_number(watch->silent_ms) : json_null()) &&
            json_put(object, "told_by", tellers_json(facts, told)) &&
            json_put(object, "told_count", json_of_number(told->count)) &&
            json_put(object, "questions", json_of_number(watch->questions)) &&
            json_put(object, "asked_ms", ms_json(watch->asked_ms_ago)) &&
            json_put(object, "kernel_ms", ms_json(watch->kernel_ms_ago)) &&
            json_put(object, "outlook", json_of_word(outlook_word(watch->outlook))) &&
            json_put(object, "due_ms", ms_json(watch->due_ms)) &&
            json_put(object, "text", case_text(facts, watch, told)));
}

static bool put_cases(json_t *object, const struct facts *facts)
{
    struct told *told = collect_told(facts);
    json_t *array = json_array();
    uint64_t count = 0;
    bool complete = told != NULL;

    for (uint32_t i = 0; complete && i < facts->view->member_count; i++) {
        const struct watch_state watch = core_watch(core_of(facts), i, facts->now_ms);
        if (is_self(facts, i) || (watch.outlook == OUTLOOK_NONE && told[i].count == 0)) {
            continue;
        }
        count++;
        if (count <= CASES_MAX) {
            complete = json_array_append_new(array, case_json(facts, i, &watch, &told[i])) == 0;
        }
    }
    free(told);
    complete = json_put(object, "cases", json_finished(array, complete)) && complete;
    return json_put(object, "case_count", json_of_number(count)) && complete;
}

/* --- Roll calls --- */

/* Those that have not been heard since the call began. */
static json_t *unanswered_json(const struct facts *facts, const struct roll_call *call)
{
    json_t *array = json_array();
    bool complete = true;

    for (uint32_t i = 0; i < facts->view->member_count; i++) {
        const uint64_t heard_ms_ago = facts->peers[i].heard_ms_ago;
        if (!is_self(facts, i) && heard_ms_ago > call->began_ms_ago &&
            json_array_size(array) < SILENT_NAMES_MAX) {
            complete &= json_array_append_new(array, json_of_word(facts->view->members[i].name)) ==
                        0;
        }
    }
    return json_finished(array, complete);
}

/* Of this node's running call: {"began_ms", "left_ms", "asked", "answered", "unanswered"}, or null.
 */
static json_t *roll_call_json(const struct facts *facts)
{
    const struct roll_call call = core_roll_call(core_of(facts), facts->now_ms);

    if (!call.on || facts->view->member_count == 0) {
        return json_null();
    }
    json_t *object = json_object();
    return json_finished(
        object, json_put(object, "began_ms", json_of_number(call.began_ms_ago)) &&
                    json_put(object, "left_ms", json_of_number(call.left_ms)) &&
                    json_put(object, "asked", json_of_number(facts->view->member_count - 1)) &&
                    json_put(object, "answered", json_of_number(call.answered)) &&
                    json_put(object, "unanswered", unanswered_json(facts, &call)));
}

/* --- The document --- */

json_t *report_links(const struct facts *facts, const struct links *links)
{
    const uint32_t self = view_find(facts->view, &facts->self->id);
    json_t *object = json_object();

    return json_finished(
        object, json_put(object, "schema", json_integer(1)) &&
                    json_put(object, "self", json_of_word(facts->self->name)) &&
                    json_put(object, "watchers", json_of_number(facts->terms->watchers)) &&
                    json_put(object, "members", json_of_number(facts->view->member_count)) &&
                    json_put(object, "watches",
                             self == VIEW_NONE ? json_array() : watches_json(facts, self)) &&
                    put_cases(object, facts) && links_put(object, links, facts) &&
                    json_put(object, "roll_call", roll_call_json(facts)));
}
