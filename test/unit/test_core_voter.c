/* What a voter answers to a claim, and what it is bound to then (C2, C5). */
#include <criterion/criterion.h>

#include "rig.h"

/* One who holds that view claims that epoch. */
static void claims(struct rig *rig, char claimant, uint64_t epoch, const struct view *view)
{
    const struct message claim = rig_claim(view, epoch);

    rig_gets(rig, claimant, &claim);
}

static void proposes(struct rig *rig, char coordinator, struct view *view)
{
    rig_gets(rig, coordinator,
             &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = view}});
}

/* --- Both must mean the same list (C2a) --- */

static void shows(struct rig *rig, char member, struct view *view)
{
    rig_gets(rig, member, &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}});
}

/* H92: a claim does not bring it along, so that it is short. */
Test(core_voter, asks_for_the_newer_view_of_the_claimant_and_then_answers)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *newer = rig_next(rig, "+D");
    char text[64];

    rig_kill(rig, 'A');
    claims(rig, 'B', 2, newer);
    cr_assert_not_null(rig_told(rig, MESSAGE_PULL, 'B'));
    cr_assert_null(rig_granted(rig, 'B'));
    shows(rig, 'B', newer);
    cr_assert_str_eq(rig_sees(rig, text), "A B C D");
    claims(rig, 'B', 2, newer);
    cr_assert_not_null(rig_granted(rig, 'B'));
    rig_free(rig);
}

/* H14: the coordinator died between two COMMITs. */
Test(core_voter, installs_what_it_accepted_when_a_claimant_holds_it)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *accepted = rig_next(rig, "+D");
    char text[64];

    proposes(rig, 'A', accepted);
    rig_kill(rig, 'A');
    claims(rig, 'B', 2, accepted);
    cr_assert_not_null(rig_granted(rig, 'B'));
    cr_assert_str_eq(rig_sees(rig, text), "A B C D");
    rig_free(rig);
}

/* C hears A, and B has taken over without C's word: that view does not speak for C. */
Test(core_voter, grants_nothing_to_a_newer_view_that_does_not_speak_for_it)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *usurped = rig_next(rig, "-A");
    char text[64];

    usurped->epoch++;
    view_seal(usurped);
    claims(rig, 'B', 3, usurped);
    shows(rig, 'B', usurped);
    claims(rig, 'B', 3, usurped);
    cr_assert_null(rig_granted(rig, 'B'));
    cr_assert_str_eq(rig_sees(rig, text), "A B C");
    rig_free(rig);
}

Test(core_voter, shows_its_newer_view_instead_of_an_answer)
{
    struct rig *rig = rig_in("A B C D", 'C');

    rig_kill(rig, 'A');
    claims(rig, 'B', 2, rig_view(rig, "A B C"));
    cr_assert_null(rig_granted(rig, 'B'));
    const struct message *shown = rig_told(rig, MESSAGE_VIEW, 'B');
    cr_assert_not_null(shown);
    cr_assert_eq(shown->carrier.view->member_count, 4);
    rig_free(rig);
}

/* --- Granting (C2c) --- */

Test(core_voter, sends_along_what_the_dead_coordinator_had_proposed)
{
    struct rig *rig = rig_in("A B C", 'C');

    proposes(rig, 'A', rig_next(rig, "+D"));
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'));
    rig_kill(rig, 'A');
    claims(rig, 'B', 2, rig_view(rig, "A B C"));
    const struct message *grant = rig_granted(rig, 'B');
    cr_assert_not_null(grant);
    cr_assert_not_null(grant->carrier.view, "D may have been told that it is in");
    cr_assert_eq(grant->carrier.view->member_count, 4);
    rig_free(rig);
}

static void grants(struct rig *rig, char voter, uint64_t epoch)
{
    rig_grants(rig, voter, epoch);
}

/* H1: C has won and proposes; then B, who is older, turns out to live and claims. */
Test(core_voter, gives_up_its_own_proposal)
{
    struct rig *rig = rig_in("A B C D", 'C');
    char text[64];

    rig_kill(rig, 'A');
    rig_kill(rig, 'B');
    grants(rig, 'D', 2);
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'D');
    cr_assert_not_null(prepare);
    struct message ack = {.type = MESSAGE_ACK,
                          .reference = {.view = view_id_of(prepare->carrier.view),
                                        .view_hash = prepare->carrier.view->hash}};

    claims(rig, 'B', 3, rig_view(rig, "A B C D"));
    cr_assert_not_null(rig_granted(rig, 'B'));
    rig_gets(rig, 'D', &ack);
    rig_pass(rig, rig->timing.batch_ms, "B D");
    cr_assert_str_eq(rig_sees(rig, text), "A B C D");
    rig_free(rig);
}

/* H1: C claims, since A is dead and B follows another coordinator; then B claims here after all. */
Test(core_voter, gives_up_its_own_claim)
{
    struct rig *rig = rig_in("A B C D", 'C');
    struct heartbeat says = {.view = view_id_of(core_view(rig->core))};

    rig_kill(rig, 'A');
    says.view.lineage++;
    says.view.coordinator = rig_id(rig, 'X');
    for (uint64_t ms = 0; rig_told(rig, MESSAGE_CLAIM, 'D') == NULL; ms += 100) {
        cr_assert_lt(ms, 2 * rig->timing.fresh_ms);
        rig_pass(rig, 100, "D");
        rig_gets(rig, 'B', &(struct message){.type = MESSAGE_HEARTBEAT, .heartbeat = says});
    }
    claims(rig, 'B', 3, rig_view(rig, "A B C D"));
    cr_assert_not_null(rig_granted(rig, 'B'));
    grants(rig, 'D', 2);
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_free(rig);
}

/* --- Remembering a claim, and forgetting it (C5a, C5b) --- */

Test(core_voter, does_not_grant_by_itself_a_claim_that_is_long_over)
{
    struct rig *rig = rig_in("A B C", 'C');

    claims(rig, 'B', 2, rig_view(rig, "A B C"));
    cr_assert_not_null(rig_refused(rig, 'B'));
    rig_pass(rig, rig->timing.claim_ms, "A B");
    rig_kill(rig, 'A');
    cr_assert_null(rig_granted(rig, 'B'));
    rig_free(rig);
}

/* H43: B was granted the epoch and nothing came of it; A, whose link was at fault, goes on. */
Test(core_voter, forgets_a_promise_of_which_nothing_came)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *next = rig_next(rig, "+D");

    rig_kill(rig, 'A');
    claims(rig, 'B', 2, rig_view(rig, "A B C"));
    cr_assert_not_null(rig_granted(rig, 'B'));
    rig_links(rig, 'A', LINK_OPENED);
    proposes(rig, 'A', next);
    cr_assert_not_null(rig_told(rig, MESSAGE_NACK, 'A'), "bound for T_claim + T_prepare");
    rig_pass(rig, rig->timing.claim_ms + rig->timing.prepare_ms, "A B");
    proposes(rig, 'A', next);
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'));
    rig_free(rig);
}
