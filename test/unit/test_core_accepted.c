/* Under guard strict: a voter holds a view that its coordinator never committed, and perhaps never
 * proposed; whoever is elected next would build on it (Z2l). */
#include <criterion/criterion.h>

#include "core/state/state.h"
#include "rig.h"

/* --- The voter --- */

/* B, a voter of A's reign, which has accepted what came in A's name. */
static struct rig *voter_that_accepted(struct view *(*proposal)(struct rig *rig))
{
    struct rig *rig = rig_strict("A B C", 'B');
    struct vote_record *record = rig_votes(rig);

    record->promise = (struct ballot){.epoch = core_view(rig->core)->epoch,
                                      .life = rig_id(rig, 'A')};
    rig_gets(rig, 'A',
             &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = proposal(rig)}});
    cr_assert_not(view_is_empty(&rig->core->voter.accepted));
    return rig;
}

static struct view *one_above(struct rig *rig)
{
    struct view *view = rig_next(rig, "+D");

    view->version += 1000;
    view_seal(view);
    return view;
}

static struct view *another_content(struct rig *rig)
{
    struct view *view = rig_next(rig, "+D");

    view->version = core_view(rig->core)->version;
    view_seal(view);
    return view;
}

static struct view *what_it_holds(struct rig *rig)
{
    struct view *view = rig_view(rig, "A B C");

    cr_assert_eq(view->hash, core_view(rig->core)->hash);
    return view;
}

static const struct message *answers_heartbeat(struct rig *rig, bool acting)
{
    const struct view *view = core_view(rig->core);

    rig_gets(
        rig, 'A',
        &(struct message){
            .type = MESSAGE_HEARTBEAT,
            .heartbeat = {.view = view_id_of(view), .view_hash = view->hash, .acting = acting}});
    return rig_told(rig, MESSAGE_VOTE, 'A');
}

Test(core_accepted, a_voter_disagrees_with_a_coordinator_that_does_not_know_what_it_accepted)
{
    struct rig *rig = voter_that_accepted(one_above);

    rig_pass(rig, rig->timing.lost_ms, "A C");
    const struct message *told = answers_heartbeat(rig, true);
    cr_assert_not_null(told);
    cr_assert_eq(told->carrier.epoch, core_view(rig->core)->epoch);
    cr_assert_eq(told->carrier.vote.kind, VOTE_HEARTBEAT);
    cr_assert_eq(told->carrier.vote.result, VOTE_REFUSED_EPOCH);
    cr_assert_eq(told->carrier.vote.version, core_view(rig->core)->version);
    rig_free(rig);
}

Test(core_accepted, a_voter_disagrees_with_another_content)
{
    struct rig *rig = voter_that_accepted(another_content);

    rig_pass(rig, rig->timing.lost_ms, "A C");
    cr_assert_not_null(answers_heartbeat(rig, true));
    rig_free(rig);
}

Test(core_accepted, a_voter_agrees_with_the_view_that_it_accepted)
{
    struct rig *rig = voter_that_accepted(what_it_holds);

    rig_pass(rig, rig->timing.lost_ms, "A C");
    cr_assert_null(answers_heartbeat(rig, true));
    rig_free(rig);
}

Test(core_accepted, a_voter_lets_a_proposal_be_committed_first)
{
    struct rig *rig = voter_that_accepted(one_above);

    rig_pass(rig, rig->timing.lost_ms - 1, "A C");
    cr_assert_null(answers_heartbeat(rig, true));
    rig_free(rig);
}

/* It waits for voters, and gets another epoch anyway. */
Test(core_accepted, a_voter_does_not_disagree_with_one_that_does_not_act)
{
    struct rig *rig = voter_that_accepted(one_above);

    rig_pass(rig, rig->timing.lost_ms, "A C");
    cr_assert_null(answers_heartbeat(rig, false));
    rig_free(rig);
}

/* What comes from another part, what one says that only follows, and the word of one that has
 * given up its reign. */
Test(core_accepted, a_voter_disagrees_with_nobody_but_its_coordinator)
{
    for (int i = 0; i < 4; i++) {
        struct rig *rig = voter_that_accepted(one_above);
        const struct view *view = core_view(rig->core);
        const char from = i == 1 ? 'C' : 'A';
        const struct message says = {.type = MESSAGE_HEARTBEAT,
                                     .heartbeat = {.view = view_id_of(view),
                                                   .view_hash = view->hash,
                                                   .acting = true,
                                                   .handed_over = i == 2}};
        rig_pass(rig, rig->timing.lost_ms, "A C");
        rig->numbers[(unsigned char)from]++;
        struct message heartbeat = rig_message(rig, from, &says);
        heartbeat.fellow = i != 0;
        rig_gets_raw(rig, &heartbeat);
        cr_assert_eq(rig_count(rig, MESSAGE_VOTE), i == 3 ? 1 : 0, "%d", i);
        rig_free(rig);
    }
}

/* --- The coordinator --- */

static void disagrees(struct rig *rig, uint64_t version)
{
    struct message vote = rig_vote(rig, 'B', VOTE_HEARTBEAT, VOTE_REFUSED_EPOCH);

    vote.carrier.vote.version = version;
    vote.carrier.vote.promised = vote.carrier.epoch;
    rig_gets(rig, 'B', &vote);
}

Test(core_accepted, a_coordinator_asks_for_an_epoch_above_what_a_voter_holds)
{
    struct rig *rig = rig_strict("A B C", 'A');
    const struct view *view = core_view(rig->core);

    disagrees(rig, view->version - 1);
    cr_assert_eq(rig_count(rig, MESSAGE_CLAIM), 0, "that is what it had before");
    disagrees(rig, view->version);
    const struct message *ballot = rig_told(rig, MESSAGE_CLAIM, 'C');
    cr_assert_not_null(ballot);
    cr_assert_eq(ballot->carrier.epoch, view->epoch + 1);
    rig_free(rig);
}

/* What the voter holds may be that proposal. */
Test(core_accepted, a_coordinator_first_commits_what_it_proposes)
{
    struct rig *rig = rig_strict("A B C", 'A');
    const struct view *view = core_view(rig->core);

    rig_moves(rig, &(struct move){.kind = MOVE_DRAIN, .subject = rig_id(rig, 'C')});
    rig_pass(rig, rig->timing.batch_ms, "B C");
    cr_assert(rig->core->change.on);
    disagrees(rig, view->version);
    cr_assert_eq(rig_count(rig, MESSAGE_CLAIM), 0);
    cr_assert(rig->core->change.on);
    cr_assert_eq(rig->core->counting.overtaken, 0);
    rig_free(rig);
}
