/* Terms that change at run time (A1), one node at a time. */
#include <criterion/criterion.h>

#include "core/agreement/accord.h"
#include "core/agreement/next_view.h"
#include "core/detection/watch.h"
#include "core/model/limits.h"
#include "core/state/state.h"
#include "rig.h"

static struct message wish(void)
{
    return (struct message){.type = MESSAGE_WISH,
                            .wish = {.kind = WISH_TERMS,
                                     .terms.rules = {.guard = {GUARD_COUNT, 2},
                                                     .profile = PROFILE_LAN,
                                                     .heartbeat_ms = 250,
                                                     .lost_ms = 900,
                                                     .capacity = 4}}};
}

/* A1 */
Test(core_terms, only_the_coordinator_is_to_be_asked)
{
    struct rig *rig = rig_in("A B C", 'B');
    const struct message terms = wish();

    rig_refuses(rig, 'C', &terms, REFUSED_NOT_COORDINATOR);
    rig_free(rig);
}

/* A1 */
Test(core_terms, of_a_stranger_nothing_is_taken)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message terms = wish();

    rig_refuses(rig, 'D', &terms, REFUSED_OF_STRANGER);
    rig_free(rig);
}

/* A4a, V7b: nobody would take a view with such terms, and its coordinator would be alone with it.
 */
Test(core_terms, what_is_unsound_is_not_proposed)
{
    for (int i = 0; i < 5; i++) {
        struct rig *rig = rig_in("A B C", 'A');
        struct view *view = &rig->core->view;
        struct message terms = wish();

        rig_hears(rig, 'B');
        rig_hears(rig, 'C');
        terms.wish.terms.rules.heartbeat_ms = i == 1 ? 0 : terms.wish.terms.rules.heartbeat_ms;
        terms.wish.terms.rules.lost_ms = i == 2 ? 1 : terms.wish.terms.rules.lost_ms;
        terms.wish.terms.rules.guard.count = i == 3 ? 0 : terms.wish.terms.rules.guard.count;
        if (i == 4) {
            view->agreed = (struct agreed){.number = COUNTER_MAX, .room = rig->capacity};
            view->agreed.now = terms.wish.terms.rules;
            view->agreed.now.guard.count = 1;
            terms.wish.terms.number = COUNTER_MAX;
        }
        rig_gets(rig, 'C', &terms);
        cr_assert_eq(rig->core->next.wished, i == 0, "%d", i);
        rig_free(rig);
    }
}

/* A4a: but for the guard all changes under it, too. */
Test(core_terms, under_strict_other_durations_are_taken)
{
    struct rig *rig = rig_strict("A B C", 'A');
    struct message terms = wish();

    terms.wish.terms.rules.guard = (struct guard){.policy = GUARD_STRICT};
    rig_leases(rig, 'B');
    rig_leases(rig, 'C');
    cr_assert(core_is_acting(rig->core, rig->now_ms));
    rig_gets(rig, 'C', &terms);
    cr_assert(rig->core->next.wished);
    rig->core->next.wished = false;
    terms.wish.terms.rules.guard = (struct guard){.policy = GUARD_NONE};
    rig_refuses(rig, 'C', &terms, REFUSED_RULES_UNFIT);
    cr_assert_not(rig->core->next.wished);
    rig_free(rig);
}

/* A1, D6c */
Test(core_terms, what_was_overtaken_is_not_taken)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message terms = wish();
    struct message late = rig_message(rig, 'C', &terms);

    rig_hears(rig, 'C');
    late.number = 1;
    rig_gets_raw(rig, &late);
    cr_assert_eq(rig->refused.reason, REFUSED_OVERTAKEN);
    cr_assert_not_null(rig_told(rig, MESSAGE_PING, 'C'), "somebody may have used up its numbers");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_free(rig);
}

/* A view above that of the rig, with changed terms of the same start. */
static struct view *next_with_terms(struct rig *rig, uint64_t number)
{
    struct view *next = rig_next(rig, "");
    const struct rules started = terms_rules(&rig->core->configured.terms);

    next->agreed = (struct agreed){.number = number,
                                   .origin = rules_hash(&started),
                                   .room = rig->core->configured.terms.capacity,
                                   .now = started};
    next->agreed.now.heartbeat_ms = 1000;
    next->agreed.now.lost_ms = 20000;
    next->agreed.now.lost_ms = rules_timing(&next->agreed.now).lost_ms;
    view_seal(next);
    return next;
}

static void is_shown(struct rig *rig, struct view *view)
{
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}});
}

/* V7g, H94 */
Test(core_terms, a_view_whose_terms_leap_is_dropped)
{
    for (int i = 0; i < 4; i++) {
        struct rig *rig = rig_in("A B C", 'C');
        struct view *next = next_with_terms(rig, AGREED_LEAP_MAX + (i == 1));

        next->agreed.origin += i == 2;
        next->agreed.room -= i == 3;
        view_seal(next);
        is_shown(rig, next);
        cr_assert_eq(core_agreed(rig->core)->number, i == 0 ? AGREED_LEAP_MAX : 0, "%d", i);
        rig_free(rig);
    }
}

static void is_named(struct rig *rig, char from)
{
    struct message heartbeat = {.type = MESSAGE_HEARTBEAT};

    heartbeat.heartbeat.view = view_id_of(core_view(rig->core));
    heartbeat.heartbeat.view_hash = core_view(rig->core)->hash;
    rig_gets(rig, from, &heartbeat);
}

/* A3b, H95: one frame is no reason to wait for an hour. */
Test(core_terms, durations_are_waited_for_when_the_coordinator_has_named_them)
{
    struct rig *rig = rig_in("A B C", 'C');
    const struct timing before = rig->core->timing;
    struct stored stored;

    is_shown(rig, next_with_terms(rig, 1));
    cr_assert_eq(core_agreed(rig->core)->number, 1);
    cr_assert_eq(rig->core->timing.heartbeat_ms, before.heartbeat_ms);
    cr_assert_eq(rig->core->timing.lost_ms, before.lost_ms);
    is_named(rig, 'B');
    cr_assert_eq(rig->core->timing.lost_ms, before.lost_ms, "B does not coordinate");
    core_stored(rig->core, &stored);
    cr_assert_eq(stored.agreed.number, 0);
    is_named(rig, 'A');
    cr_assert_eq(rig->core->timing.heartbeat_ms, 1000);
    core_stored(rig->core, &stored);
    cr_assert_eq(stored.agreed.number, 1);
    rig_free(rig);
}

/* A3b, H95: on rings, too, where this node does not watch the coordinator: others may have been
 * shown the same frame. Only what stays for longer than a coordinator needs to say otherwise
 * counts. */
Test(core_terms, on_rings_terms_are_waited_for_that_have_stayed)
{
    static const char *const others = "N O P C D E F G H I J K L Q R S T A B X Y";
    struct rig *rig = rig_on_rings("M N O P C D E F G H I J K L Q R S T A B X Y W", 'W');
    const uint64_t stall_ms = rig->timing.stall_ms;

    rig_pass(rig, stall_ms, "M N O P C D E F G H I J K L Q R S T A B X Y"); /* The terms before. */
    rig_gets(rig, 'M',
             &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = next_with_terms(rig, 1)}});
    cr_assert_eq(core_agreed(rig->core)->number, 1);
    rig_pass(rig, 3 * rig->timing.heartbeat_ms, others);
    cr_assert_not(watch_is_on(rig->core, 0), "else its own word counts");
    cr_assert_eq(rig->core->proven.number, 0);
    rig_pass(rig, stall_ms / 2, others);
    is_shown(rig, rig_next(rig, "-Y")); /* With the same terms: that begins nothing anew. */
    rig_pass(rig, stall_ms / 2, others);
    cr_assert_eq(rig->core->proven.number, 1);
    rig_free(rig);
}

/* The first member changes places with one that nobody watched for its age. */
static struct view *next_of_another(struct rig *rig)
{
    struct view *next = rig_next(rig, "");
    const struct member first = next->members[0];
    const struct member other = next->members[5];

    next->members[0] = other;
    next->members[0].age = first.age;
    next->members[5] = first;
    next->members[5].age = other.age;
    next->epoch++;
    view_seal(next);
    return next;
}

/* A3b, H95: that a former coordinator was watched, and did not name them, says nothing for them. */
Test(core_terms, on_rings_terms_have_to_stay_under_each_coordinator)
{
    static const char *const others = "N O P C E F G H I J K L Q R S T A B X Y";
    struct rig *rig = rig_on_rings("M N O P C D E F G H I J K L Q R S T A B X Y W", 'W');
    const uint64_t stall_ms = rig->timing.stall_ms;

    rig_gets(rig, 'M',
             &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = next_with_terms(rig, 1)}});
    rig_pass(rig, 3 * rig->timing.heartbeat_ms, others);
    rig_gets(rig, 'M',
             &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = next_of_another(rig)}});
    cr_assert_eq(core_view(rig->core)->epoch, 2);
    rig_pass(rig, stall_ms - rig->timing.heartbeat_ms, others);
    cr_assert_not(watch_is_on(rig->core, 0), "else its own word counts");
    cr_assert_eq(rig->core->proven.number, 0);
    rig_pass(rig, 2 * rig->timing.heartbeat_ms, others);
    cr_assert_eq(rig->core->proven.number, 1);
    rig_free(rig);
}

/* A3b, H95: a view travels slower than a heartbeat, which may name it first and fall silent then.
 */
Test(core_terms, a_view_that_was_named_before_it_came_counts_at_once)
{
    for (int named = 0; named < 2; named++) {
        struct rig *rig = rig_in("A B C", 'C');
        struct message heartbeat = {.type = MESSAGE_HEARTBEAT};

        struct view *next = next_with_terms(rig, 1);
        heartbeat.heartbeat.view = view_id_of(next);
        heartbeat.heartbeat.view_hash = next->hash + (named == 0);
        rig_gets(rig, 'A', &heartbeat);
        is_shown(rig, next);
        cr_assert_eq(rig->core->proven.number, (uint64_t)named);
        rig_free(rig);
    }
}

/* A3c, H94 */
Test(core_terms, who_takes_over_goes_by_the_terms_that_were_heard)
{
    for (int named = 0; named < 2; named++) {
        struct rig *rig = rig_in("A B C", 'B');

        is_shown(rig, next_with_terms(rig, 1));
        if (named == 1) {
            is_named(rig, 'A');
        }
        const struct view *next = next_view_begin(rig->core, &rig->core->view, CAUSE_CLAIM);
        cr_assert_eq(next->agreed.number, (uint64_t)named);
        rig_free(rig);
    }
}

/* A2b: C has said that it holds the view, and may not have heard that this node does. */
Test(core_terms, a_change_is_over_when_all_have_heard_the_coordinator)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct core *core = rig->core;

    rig_hears(rig, 'B');
    rig_hears(rig, 'C');
    core->view.agreed.joint = true;
    cr_assert(accord_is_settled(core));
    core->agreed_ms = core->now_ms + 1;
    cr_assert(!accord_is_settled(core));
    rig_free(rig);
}
