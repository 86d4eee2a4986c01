/* How parts of one cluster find each other, and which of two wins (M1, M2, M3a, I3). */
#include <criterion/criterion.h>
#include <string.h>

#include "rig.h"

static struct message probe_of(const struct view *view, uint32_t holders, bool answer)
{
    struct message probe = {.type = MESSAGE_PROBE, .probe = rig_part(view, holders)};

    probe.probe.answer = answer;
    return probe;
}

/* --- Parts find each other (M1, M2) --- */

/* H39 */
Test(core_probe, a_member_shows_the_way_to_its_coordinator)
{
    struct rig *rig = rig_in("A B C", 'B');
    const struct address coordinator = member_of('A').address;
    const struct message probe = probe_of(rig_view(rig, "D E"), 2, false);

    rig_gets(rig, 'D', &probe);
    const struct message *answer = rig_told(rig, MESSAGE_PROBE, 'D');
    cr_assert_not_null(answer);
    cr_assert(answer->probe.answer);
    cr_assert(address_equal(&answer->probe.coordinator, &coordinator));
    rig_free(rig);
}

Test(core_probe, a_coordinator_that_was_named_is_probed)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message answer = probe_of(rig_view(rig, "D E"), 2, true);

    rig_gets(rig, 'E', &answer);
    const struct message *probe = rig_told(rig, MESSAGE_PROBE, 'D');
    cr_assert_not_null(probe);
    cr_assert_not(probe->probe.answer);
    rig_free(rig);
}

/* H33, J2 */
Test(core_probe, a_part_with_other_terms_is_told_of_and_left_alone)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message probe = probe_of(rig_view(rig, "D E"), 2, false);

    probe.probe.terms.capacity++;
    for (uint32_t told = 1; told <= 2; told++) {
        for (int i = 0; i < 3; i++) {
            rig_gets(rig, 'D', &probe);
            cr_assert_eq(rig_count(rig, MESSAGE_PROBE), 0);
        }
        cr_assert_eq(rig->noticed[NOTICE_OTHER_TERMS], told);
        for (uint64_t ms = 0; ms < rig->timing.flap_ms; ms += 1000) {
            rig_pass(rig, 1000, "B C");
        }
    }
    rig_free(rig);
}

/* H37: the one that is to stop acting must know that the other hears it. */
Test(core_probe, the_winner_answers_with_a_probe)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message probe = probe_of(rig_view(rig, "D E"), 2, false);
    const struct message answer = probe_of(rig_view(rig, "D E"), 2, true);

    rig_gets(rig, 'D', &probe);
    const struct message *told = rig_told(rig, MESSAGE_PROBE, 'D');
    cr_assert_not_null(told);
    cr_assert(told->probe.answer);
    rig_gets(rig, 'D', &answer);
    cr_assert_eq(rig->sent_count, 0, "answers are not answered");
    rig_free(rig);
}

Test(core_probe, the_loser_asks_when_it_has_an_answer)
{
    struct rig *rig = rig_in("D E", 'D');
    const struct message probe = probe_of(rig_view(rig, "A B C"), 3, false);
    const struct message answer = probe_of(rig_view(rig, "A B C"), 3, true);

    rig_gets(rig, 'A', &probe);
    cr_assert_eq(rig_count(rig, MESSAGE_MERGE), 0);
    cr_assert_not_null(rig_told(rig, MESSAGE_PROBE, 'A'), "does it hear us?");
    cr_assert_not(core_is_merging(rig->core));
    rig_gets(rig, 'A', &answer);
    cr_assert_not_null(rig_told(rig, MESSAGE_MERGE, 'A'));
    rig_free(rig);
}

/* Three hold the view of A, whose guard is met; its lineage is 7, and 1 is the age of its oldest.
 * Its answer to a PROBE tells whether it wins. */
static bool wins_against(const struct probe *theirs)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message probe = rig_message(rig, 'D',
                                       &(struct message){.type = MESSAGE_PROBE, .probe = *theirs});

    probe.from = theirs->view.coordinator;
    rig_gets_raw(rig, &probe);
    const struct message *told = rig_told(rig, MESSAGE_PROBE, 'D');
    cr_assert_not_null(told);
    bool wins = told->probe.answer;
    rig_free(rig);
    return wins;
}

/* H34, H35: each decides where those before it are equal. */
Test(core_probe, of_two_parts_one_wins)
{
    struct built_view view = view_of("D E F");
    struct probe theirs = rig_part(&view.view, 4);

    cr_assert_not(wins_against(&theirs), "more hold its view");
    theirs.guard_met = false;
    cr_assert(wins_against(&theirs), "its guard is not met");
    theirs.guard_met = true;
    theirs.holders = 2;
    theirs.oldest_age = 0;
    cr_assert(wins_against(&theirs), "fewer hold its view");
    theirs.holders = 3;
    cr_assert_not(wins_against(&theirs), "its oldest is older");
    theirs.oldest_age = 2;
    memset(&theirs.view.coordinator, 0x00, sizeof theirs.view.coordinator);
    theirs.view.coordinator.bytes[0] = 1;
    cr_assert(wins_against(&theirs), "its oldest is younger");
    theirs.oldest_age = 1;
    cr_assert_not(wins_against(&theirs), "its coordinator has the lower id");
    memset(&theirs.view.coordinator, 0xff, sizeof theirs.view.coordinator);
    cr_assert(wins_against(&theirs), "its coordinator has the higher id");

    theirs.seeds[theirs.seed_count++] = member_of('B').address; /* So it is related (I3b). */
    theirs.oldest_age = 9;
    theirs.view.lineage = 6;
    cr_assert_not(wins_against(&theirs), "its lineage is the lower one");
    theirs.oldest_age = 0;
    theirs.view.lineage = 8;
    cr_assert(wins_against(&theirs), "its lineage is the higher one");
    view_built_free(&view);
}

/* H39: for ever, and not the members. */
Test(core_probe, a_coordinator_looks_for_other_parts)
{
    struct rig *rig = rig_in("A B", 'A');
    const struct message probe = probe_of(rig_view(rig, "D E"), 2, true);

    rig_gets(rig, 'E', &probe);
    for (int i = 0; i < 10; i++) {
        rig_pass(rig, 2 * rig->timing.probe_ms, "B");
        cr_assert_not_null(rig_told(rig, MESSAGE_PROBE, 'D'));
        cr_assert_null(rig_told(rig, MESSAGE_PROBE, 'B'));
    }
    rig_free(rig);
}

/* Every second round has the seeds in it, and they are looked up again every sixteenth, for they
 * may have moved. */
Test(core_probe, a_coordinator_asks_its_seeds_and_looks_them_up_again)
{
    struct rig *rig = rig_in("A B", 'A');
    uint32_t resolved = rig->resolve_count;

    rig_resolves(rig, "D");
    for (int rounds = 0; rounds < 2 * 16; rounds += 2) {
        rig_pass(rig, 3 * rig->timing.probe_ms, "B");
        cr_assert_not_null(rig_told(rig, MESSAGE_PROBE, 'D'));
    }
    cr_assert_gt(rig->resolve_count, resolved);
    rig_free(rig);
}

/* H49: however many there may be. */
Test(core_probe, four_are_probed_at_one_time)
{
    struct rig *rig = rig_in("A B", 'A');
    uint32_t probes = 0;

    rig_resolves(rig, "C D E F G H");
    for (uint64_t ms = 0; ms < 4 * rig->timing.probe_ms; ms += 10) {
        rig_pass(rig, 10, "");
        cr_assert_leq(rig_count(rig, MESSAGE_PROBE), 4);
        probes += rig_count(rig, MESSAGE_PROBE);
    }
    cr_assert_geq(probes, 4);
    rig_free(rig);
}

/* --- Is our reign sure? (M3a) --- */

/* H5: B and C may have gone on under D while A slept. With the count of holders from before, A
 * would win, and D, their coordinator by now, would stop. */
Test(core_probe, a_coordinator_that_slept_ignores_a_probe)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message probe = probe_of(rig_view(rig, "D E"), 2, false);

    rig_sleeps(rig, 2 * rig->timing.lost_ms);
    cr_assert_not(core_is_acting(rig->core, rig->now_ms));
    rig_gets(rig, 'D', &probe);
    cr_assert_eq(rig_count(rig, MESSAGE_PROBE), 0);
    rig_pass(rig, 2 * rig->timing.lost_ms, "B C");
    cr_assert(core_is_acting(rig->core, rig->now_ms));
    rig_gets(rig, 'D', &probe);
    cr_assert_not_null(rig_told(rig, MESSAGE_PROBE, 'D'));
    rig_free(rig);
}

/* B said that it follows another. It has moved, or it will come back: that is open for T_fresh. */
Test(core_probe, a_coordinator_whose_member_may_have_moved_ignores_a_probe)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message probe = probe_of(rig_view(rig, "D E"), 2, false);
    struct heartbeat says = {.view = view_id_of(core_view(rig->core))};

    says.view.coordinator = rig_id(rig, 'D');
    says.view.epoch++;
    rig_gets(rig, 'B', &(struct message){.type = MESSAGE_HEARTBEAT, .heartbeat = says});
    rig_gets(rig, 'D', &probe);
    cr_assert_eq(rig_count(rig, MESSAGE_PROBE), 0);
    rig_hears(rig, 'B');
    rig_gets(rig, 'D', &probe);
    cr_assert_not_null(rig_told(rig, MESSAGE_PROBE, 'D'));
    rig_free(rig);
}

/* B took over from A, who has not heard of it. It is not for A to win against B. */
Test(core_probe, a_probe_of_a_member_is_ignored)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct view *view = rig_view(rig, "B C");

    view->epoch = 2;
    view_seal(view);
    const struct message probe = probe_of(view, 2, false);
    rig_gets(rig, 'B', &probe);
    cr_assert_eq(rig_count(rig, MESSAGE_PROBE), 0);
    rig_free(rig);
}

/* --- Which parts belong together (I3) --- */

/* H23: another cluster may have come to an address that was one of ours. */
Test(core_probe, a_part_of_another_founding_that_nobody_here_knows_is_none)
{
    struct rig *rig = rig_in("D E", 'D');
    struct view *view = rig_view(rig, "A B C");

    view->lineage++;
    view_seal(view);
    struct message probe = {.type = MESSAGE_PROBE, .probe = rig_part(view, 3)};
    rig_ignores(rig, 'A', &probe, REFUSED_PART_UNRELATED);
    rig_free(rig);
}
