#include "control/documents/health.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "words/notice_text.h"
#include "words/span_text.h"

/* --- The checks --- */

static void add_check(struct health *health, const char *name, bool holds, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void add_check(struct health *health, const char *name, bool holds, const char *format, ...)
{
    va_list arguments;

    assert(health->count < HEALTH_CHECKS_MAX);
    struct health_check *check = &health->checks[health->count++];
    check->name = name;
    check->holds = holds;
    va_start(arguments, format);
    vsnprintf(check->text, sizeof check->text, format, arguments);
    va_end(arguments);
}

/* Do the others hold a view that this node does not get? */
static bool is_behind(const struct facts *facts)
{
    const uint32_t self = view_find(facts->view, &facts->self->id);

    return self != VIEW_NONE && facts->peers[self].behind;
}

static void check_phase(struct health *health, const struct facts *facts)
{
    switch (facts->phase) {
    case PHASE_JOINING:
        add_check(health, "phase", false,
                  "this node is joining; /v1/status says what it waits for");
        return;
    case PHASE_MEMBER:
        add_check(health, "phase", !is_behind(facts), "%s",
                  is_behind(facts)
                      ? "this node does not get the view that the others hold; doyen doctor "
                        "measures whether long messages pass"
                      : "this node is a member");
        return;
    case PHASE_LEAVING:
        add_check(health, "phase", false, "this node is leaving");
        return;
    case PHASE_STOPPED:
        add_check(health, "phase", false, "this node has left");
        return;
    case PHASE_WITNESS:
        add_check(health, "phase", true, "this node only votes");
        return;
    }
}

/* Is any member heard, other than the one at `self`? Whom others watch is not heard here. */
static bool hears_anybody(const struct facts *facts, uint32_t self)
{
    for (uint32_t i = 0; i < facts->view->member_count; i++) {
        if (i != self && !facts->silent[i] && !facts->peers[i].unknown) {
            return true;
        }
    }
    return false;
}

/* A coordinator's view is as good as what it hears. */
static void check_others(struct health *health, const struct facts *facts, uint32_t self)
{
    const uint32_t others = facts->view->member_count - 1;

    if (others == 0) {
        add_check(health, "coordinator", true, "this node coordinates, and is the only member");
    } else if (hears_anybody(facts, self)) {
        add_check(health, "coordinator", true, "this node coordinates");
    } else {
        add_check(health, "coordinator", false,
                  "this node coordinates, but hears none of the %" PRIu32 " other member%s", others,
                  others == 1 ? "" : "s");
    }
}

static void check_coordinator(struct health *health, const struct facts *facts)
{
    if (facts->coordinator == NULL) {
        add_check(health, "coordinator", false, "there is no coordinator to be named");
        return;
    }
    const uint32_t position = view_find(facts->view, &facts->coordinator->id);
    assert(position != VIEW_NONE);
    if (id_equal(&facts->coordinator->id, &facts->self->id)) {
        check_others(health, facts, position);
        return;
    }
    const uint64_t heard_ms = facts->peers[position].heard_ms_ago;
    char span[SPAN_TEXT_MAX];
    const bool holds = !facts->silent[position] && facts->peers[position].verdict == VERDICT_NONE;
    if (facts->peers[position].unknown) {
        add_check(health, "coordinator", holds, "others watch the coordinator %s",
                  facts->coordinator->name);
    } else if (heard_ms == NEVER_MS) {
        add_check(health, "coordinator", holds, "the coordinator %s was not heard yet",
                  facts->coordinator->name);
    } else {
        add_check(health, "coordinator", holds, "the coordinator %s was heard %s ago%s",
                  facts->coordinator->name, span_text(heard_ms, span),
                  holds ? "" : " and not since");
    }
}

static void check_guard(struct health *health, const struct facts *facts)
{
    const bool strict = facts->guard.guard.policy == GUARD_STRICT;
    const bool enough = facts->guard.fresh >= facts->guard.needed; /* G1f: and nobody's word. */

    add_check(health, "guard", facts->guard.met,
              "the guard is %smet: %" PRIu32 " fresh %s%s, %" PRIu32 " needed%s",
              facts->guard.met ? "" : "not ", facts->guard.fresh, strict ? "voter" : "member",
              facts->guard.fresh == 1 ? "" : "s", facts->guard.needed,
              !facts->guard.met && enough ? ", and none of them has said that it acts" : "");
}

struct health health_live(const struct facts *facts)
{
    struct health health = {.word = "alive"};

    add_check(&health, "loop", true, "the loop answers");
    add_check(&health, "phase", facts->phase != PHASE_STOPPED, "the phase is %s",
              phase_text(facts->phase));
    return health;
}

struct health health_ready(const struct facts *facts)
{
    struct health health = {.word = "ready"};

    check_phase(&health, facts);
    if (!view_is_empty(facts->view)) { /* Without a view there is nothing to be stale. */
        check_coordinator(&health, facts);
        check_guard(&health, facts);
    }
    return health;
}

bool health_is_good(const struct health *health)
{
    for (size_t i = 0; i < health->count; i++) {
        if (!health->checks[i].holds) {
            return false;
        }
    }
    return true;
}

/* --- In words --- */

static void write_verdict(const struct health *health, struct text_builder *text)
{
    bool first = true;

    if (health_is_good(health)) {
        text_builder_add(text, "ok\n");
        return;
    }
    for (size_t i = 0; i < health->count; i++) {
        if (!health->checks[i].holds) {
            text_builder_add(text, first ? "not " : "; ");
            text_builder_add(text, first ? health->word : "");
            text_builder_add(text, first ? ": " : "");
            text_builder_add(text, health->checks[i].text);
            first = false;
        }
    }
    text_builder_add(text, "\n");
}

void health_write(const struct health *health, bool verbose, const struct whole *whole,
                  struct text_builder *text)
{
    for (size_t i = 0; verbose && i < health->count; i++) {
        text_builder_format(text, "[%c] %s: %s\n", health->checks[i].holds ? '+' : '-',
                            health->checks[i].name, health->checks[i].text);
    }
    if (verbose && whole != NULL) {
        text_builder_format(text, "[%c] whole: %s\n", whole->severity == WHOLE_GOOD ? '+' : '!',
                            whole->sentence);
        text_builder_format(text, "    next: %s\n", whole->next);
    }
    write_verdict(health, text);
}
