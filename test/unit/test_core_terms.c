/* Terms that change at run time (A1), one node at a time. */
#include <criterion/criterion.h>

#include "core/agreement/accord.h"
#include "core/model/limits.h"
#include "core/state/state.h"
#include "rig.h"

static struct message wish(void)
{
    return (struct message){.type = MESSAGE_TERMS,
                            .wish = {.rules = {.guard = {GUARD_COUNT, 2},
                                               .profile = PROFILE_LAN,
                                               .heartbeat_ms = 250,
                                               .lost_ms = 900,
                                               .capacity = 4}}};
}

/* A1a */
Test(core_terms, only_the_coordinator_is_to_be_asked)
{
    struct rig *rig = rig_in("A B C", 'B');
    const struct message terms = wish();

    rig_refuses(rig, 'C', &terms, REFUSED_RULES_ELSEWHERE);
    rig_free(rig);
}

/* A1b */
Test(core_terms, of_a_stranger_nothing_is_taken)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message terms = wish();

    rig_refuses(rig, 'D', &terms, REFUSED_RULES_OF_STRANGER);
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

        for (uint32_t k = 0; k < view->member_count; k++) {
            view->members[k].versions.high = VERSION_OF_TERMS;
        }
        rig_hears(rig, 'B');
        rig_hears(rig, 'C');
        terms.wish.rules.heartbeat_ms = i == 1 ? 0 : terms.wish.rules.heartbeat_ms;
        terms.wish.rules.lost_ms = i == 2 ? 1 : terms.wish.rules.lost_ms;
        terms.wish.rules.guard.count = i == 3 ? 0 : terms.wish.rules.guard.count;
        if (i == 4) {
            view->agreed = (struct agreed){.number = COUNTER_MAX, .room = rig->capacity};
            view->agreed.now = terms.wish.rules;
            view->agreed.now.guard.count = 1;
            terms.wish.number = COUNTER_MAX;
        }
        rig_gets(rig, 'C', &terms);
        cr_assert_eq(rig->core->next.wished, i == 0, "%d", i);
        rig_free(rig);
    }
}

static struct message wish_sparse(void)
{
    const struct timing timing = timing_sparse_of(PROFILE_LAN);
    struct message terms = wish();

    cr_assert(timing_is_sparse(&timing));
    terms.wish.rules.guard = (struct guard){.policy = GUARD_NONE};
    terms.wish.rules.heartbeat_ms = timing.heartbeat_ms;
    terms.wish.rules.lost_ms = timing.lost_ms;
    return terms;
}

/* A4a, D2e: where all watch all, nothing makes up for the heartbeats. */
Test(core_terms, sparse_heartbeats_are_for_rings)
{
    for (int rings = 0; rings <= 1; rings++) {
        struct rig *rig = rings ? rig_on_rings("A B C", 'A') : rig_in("A B C", 'A');
        struct view *view = &rig->core->view;
        const struct message terms = wish_sparse();
        const struct agreed agreed = {.number = 1, .room = rig->capacity, .now = terms.wish.rules};

        for (uint32_t k = 0; k < view->member_count; k++) {
            view->members[k].versions.high = VERSION_OF_TERMS;
        }
        cr_assert_eq(accord_fits(rig->core, &agreed), rings == 1, "no view with them is taken");
        rig_gets(rig, 'C', &terms);
        cr_assert_eq(rig->core->next.wished, rings == 1);
        rig_free(rig);
    }
}

/* A1b */
Test(core_terms, what_was_overtaken_is_not_taken)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message terms = wish();
    struct message late = rig_message(rig, 'C', &terms);

    rig_hears(rig, 'C');
    late.number = 1;
    rig_ignores_raw(rig, &late, REFUSED_RULES_OVERTAKEN);
    rig_free(rig);
}
