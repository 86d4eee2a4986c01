/* Which foundings belong together (I3): two that have a seed in common, or one of which has its
 * seed in the other; and nobody else. */
#include <criterion/criterion.h>

#include "rig.h"

/* D leads D and E. A leads another founding of three, and looks for parts. */
static struct message probe_of_a(struct rig *rig)
{
    struct view *view = rig_view(rig, "A B C");

    view->lineage = 99;
    view_seal(view);
    return (struct message){.type = MESSAGE_PROBE,
                            .probe = {.view = view_id_of(view),
                                      .view_hash = view->hash,
                                      .holders = 3,
                                      .oldest_age = 1,
                                      .guard_met = true,
                                      .coordinator = view->members[0].address,
                                      .terms = rig_terms()}};
}

/* Asks back whether A hears it, too. */
static void check_is_related(struct rig *rig, const struct message *probe, bool related)
{
    rig_gets(rig, 'A', probe);
    cr_assert_eq(rig_told(rig, MESSAGE_PROBE, 'A') != NULL, related);
}

/* H23: that cluster may have come to an address that was one of ours. */
Test(core_lineage, a_part_of_another_founding_is_none_of_ours)
{
    struct rig *rig = rig_in("D E", 'D');
    struct message probe = probe_of_a(rig);

    rig_resolves(rig, "D X");
    probe.probe.seeds[0] = member_of('B').address;
    probe.probe.seeds[1] = member_of('A').address;
    probe.probe.seed_count = 2;
    check_is_related(rig, &probe, false);
    rig_free(rig);
}

Test(core_lineage, its_coordinator_is_a_seed_of_ours)
{
    struct rig *rig = rig_in("D E", 'D');
    struct message probe = probe_of_a(rig);

    rig_resolves(rig, "D A");
    rig_gets(rig, 'B', &probe); /* As B says, who follows it. */
    cr_assert_not_null(rig_told(rig, MESSAGE_PROBE, 'A'));
    rig_free(rig);
}

/* B is our seed, and shows the way to A when it is asked itself. */
Test(core_lineage, its_coordinator_is_followed_by_a_seed_of_ours)
{
    struct rig *rig = rig_in("D E", 'D');
    struct message probe = probe_of_a(rig);

    rig_resolves(rig, "D B");
    check_is_related(rig, &probe, false);
    rig_gets(rig, 'B', &probe);
    cr_assert_not_null(rig_told(rig, MESSAGE_PROBE, 'A'));
    check_is_related(rig, &probe, true);
    rig_free(rig);
}

Test(core_lineage, one_of_its_seeds_is_one_of_ours)
{
    struct rig *rig = rig_in("D E", 'D');
    struct message probe = probe_of_a(rig);

    rig_resolves(rig, "D X");
    probe.probe.seeds[0] = member_of('B').address;
    probe.probe.seeds[1] = member_of('X').address;
    probe.probe.seed_count = 2;
    check_is_related(rig, &probe, true);
    rig_free(rig);
}

Test(core_lineage, one_of_its_seeds_is_a_member_of_ours)
{
    struct rig *rig = rig_in("D E", 'D');
    struct message probe = probe_of_a(rig);

    probe.probe.seeds[0] = member_of('E').address;
    probe.probe.seed_count = 1;
    check_is_related(rig, &probe, true);
    rig_free(rig);
}

/* H25: two foundings must be told apart. */
Test(core_lineage, each_founding_draws_its_own)
{
    struct rig *one = rig_joining('C');
    struct rig *other = rig_joining('D');

    rig_resolves(one, "C");
    rig_resolves(other, "D");
    cr_assert_neq(core_view(one->core)->lineage, 0);
    cr_assert_neq(core_view(one->core)->lineage, core_view(other->core)->lineage);
    rig_free(one);
    rig_free(other);
}
