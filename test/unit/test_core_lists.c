/* The voters that views name, as one core goes by them: whose votes and leases count, whom a
 * candidate asks, and which views and founders it takes (Z10 to Z13). */
#include <criterion/criterion.h>

#include "core/agreement/electorate.h"
#include "core/agreement/install.h"
#include "core/agreement/voter.h"
#include "core/detection/lease.h"
#include "rig.h"
#include "voter_bench.h"

/* --- Which views there may be (Z10a) --- */

static bool installs(struct rig *rig, struct view *view)
{
    view_seal(view);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}});
    return core_view(rig->core)->hash == view->hash;
}

Test(core_lists, under_strict_a_view_without_voters_is_unsound)
{
    struct rig *rig = rig_strict("A B C", 'B');
    struct view *none = rig_next(rig, "+D");

    view_name_voters(none, "");
    cr_assert_not(installs(rig, none));
    cr_assert_eq(rig->refused.reason, REFUSED_VIEW_UNSOUND);
    cr_assert(installs(rig, rig_next(rig, "+D")));
    rig_free(rig);
}

Test(core_lists, under_any_other_guard_one_with_voters_is)
{
    static const struct guard guards[] = {
        {.policy = GUARD_NONE}, {GUARD_MAJORITY, 3}, {GUARD_COUNT, 2}};

    for (size_t i = 0; i < sizeof guards / sizeof guards[0]; i++) {
        struct rig *rig = rig_guarded("A B C", 'B', guards[i]);
        struct view *voters = rig_next(rig, "+D");

        view_name_voters(voters, "A B C");
        cr_assert_not(installs(rig, voters), "%zu", i);
        cr_assert_eq(rig->refused.reason, REFUSED_VIEW_UNSOUND);
        rig_free(rig);
    }
}

/* Z10d: or one voice would be a quorum of two. */
Test(core_lists, a_view_that_names_a_record_twice_is_unsound)
{
    struct rig *rig = rig_strict("A B C", 'B');
    struct view *twice = rig_next(rig, "+D");

    twice->voters.voters[1].record = twice->voters.voters[2].record;
    cr_assert_not(installs(rig, twice));
    cr_assert_eq(rig->refused.reason, REFUSED_VIEW_UNSOUND);
    rig_free(rig);
}

/* --- Whose vote it is (Z10b) --- */

/* B asks for an epoch under that view; A, which coordinated, is gone. */
static struct rig *candidate_under(const char *letters, const char *voters)
{
    struct rig *rig = rig_strict_among(letters, 'B', voters);

    rig_kill(rig, 'A');
    for (int i = 0; i < 100 && !rig->core->candidacy.on; i++) {
        rig_pass(rig, rig->timing.batch_ms, "C D");
    }
    cr_assert(rig->core->candidacy.on);
    return rig;
}

static void grants(struct rig *rig, char by, struct view *shown)
{
    struct message vote = rig_vote(rig, by, VOTE_CLAIM, VOTE_GRANTED);

    vote.carrier.view = shown;
    rig_gets(rig, by, &vote);
}

/* Z11i: by C's answer to what it was asked. */
static void learns_who_votes(struct rig *rig, const struct view *shown)
{
    voter_lists_copy(&rig->core->install.shown, &shown->voters);
}

Test(core_lists, a_vote_by_a_record_that_no_list_names_does_not_count)
{
    struct rig *rig = candidate_under("A B C D", "A B C");
    struct message vote = rig_vote(rig, 'C', VOTE_CLAIM, VOTE_GRANTED);

    vote.carrier.vote.record = record_of('X');
    rig_refuses(rig, 'C', &vote, REFUSED_VOTER_UNKNOWN);
    vote.carrier.vote.record = (struct node_id){.bytes = {0}};
    rig_refuses(rig, 'C', &vote, REFUSED_VOTER_UNKNOWN);
    cr_assert_eq(rig->core->candidacy.tally.granted, 0);
    rig_free(rig);
}

/* Or D, a member and no voter, would vote for C. */
Test(core_lists, a_vote_counts_from_the_member_of_that_voters_name)
{
    struct rig *rig = candidate_under("A B C D", "A B C");
    struct message vote = rig_vote(rig, 'C', VOTE_CLAIM, VOTE_GRANTED);

    rig_refuses(rig, 'D', &vote, REFUSED_VOTER_UNKNOWN);
    rig_gets(rig, 'C', &vote);
    cr_assert_eq(rig->core->candidacy.tally.granted, voter_set_of(2));
    rig_free(rig);
}

/* H53: C has lost its record, got another one, and forgotten what it leased. */
Test(core_lists, a_lease_by_another_record_does_not_count)
{
    struct rig *rig = rig_strict("A B C", 'A');
    struct lease_said said = {.promised = core_view(rig->core)->epoch, .leased = true};

    rig_pass(rig, rig->timing.heartbeat_ms, "");
    rig_leases(rig, 'B');
    said.record = record_of('X');
    cr_assert(rig_answers(rig, 'C', &said));
    cr_assert_not(core_is_acting(rig->core, rig->now_ms));
    rig_pass(rig, rig->timing.heartbeat_ms / 4, "B C");
    rig_leases(rig, 'B');
    rig_leases(rig, 'C');
    cr_assert(core_is_acting(rig->core, rig->now_ms));
    rig_free(rig);
}

/* --- Two lists (Z10c) --- */

/* Of the view that is given: those before the bar are left, those behind it are entered. */
static void name_both(struct view *view, const char *before, const char *now)
{
    view_name_voters(view, before);
    const struct voter_lists old = view->voters;
    view_name_voters(view, now);
    for (uint8_t i = 0; i < old.count; i++) {
        uint8_t place = voter_lists_find(&view->voters, &old.voters[i].record);
        if (place == VOTER_NONE) {
            place = view->voters.count++;
            view->voters.voters[place] = old.voters[i];
            view->voters.voters[place].now = false;
        }
        view->voters.voters[place].before = true;
    }
    view->voters.number = 2;
    view_seal(view);
}

Test(core_lists, who_acts_has_leases_of_more_than_half_of_each_list)
{
    struct rig *rig = rig_strict_among("A B C D E", 'A', "A B C");
    struct view *both = rig_next(rig, "");

    name_both(both, "A B C", "A D E");
    install_view(rig->core, both);
    rig_pass(rig, rig->timing.heartbeat_ms, "");
    rig_leases(rig, 'B');
    rig_leases(rig, 'C');
    cr_assert_not(core_is_acting(rig->core, rig->now_ms), "but one of the newer list");
    cr_assert_eq(lease_of_voters(rig->core, rig->now_ms).have, 0);
    rig_leases(rig, 'D');
    cr_assert_not(core_is_acting(rig->core, rig->now_ms));
    rig_leases(rig, 'E');
    cr_assert(core_is_acting(rig->core, rig->now_ms));
    cr_assert_eq(lease_acts_until(rig->core, rig->now_ms), rig_lease(rig, 'E').until_ms);
    rig_free(rig);
}

/* --- Whom a candidate asks (Z12a) --- */

/* C shows a view of which B knew nothing: others vote by now, and D and E are to be asked under the
 * same epoch. */
Test(core_lists, whoever_is_shown_a_higher_view_asks_its_voters_too)
{
    struct rig *rig = candidate_under("A B C D E", "A B C");
    const uint64_t epoch = rig->core->candidacy.epoch;
    struct view *shown = rig_next(rig, "");

    view_name_voters(shown, "C D E");
    view_seal(shown);
    cr_assert_null(rig_told(rig, MESSAGE_CLAIM, 'D'));
    grants(rig, 'C', shown);
    cr_assert_eq(rig->refused.reason, REFUSED_VIEW_VOTERS, "one frame would say who elects");
    cr_assert_eq(rig->core->candidacy.tally.granted, 0);
    cr_assert_not_null(rig_told(rig, MESSAGE_PULL, 'C'));
    learns_who_votes(rig, shown);
    grants(rig, 'C', shown);
    cr_assert(rig->core->candidacy.on);
    const struct message *ballot = rig_told(rig, MESSAGE_CLAIM, 'D');
    cr_assert_not_null(ballot);
    cr_assert_eq(ballot->carrier.epoch, epoch);
    cr_assert_not_null(rig_told(rig, MESSAGE_CLAIM, 'E'));
    grants(rig, 'E', NULL);
    cr_assert(rig->core->change.on, "what C granted before stands");
    cr_assert(voter_lists_equal(&rig->core->change.pending.voters, &shown->voters));
    rig_free(rig);
}

/* Z10c: those of its own view alone are not enough then. */
Test(core_lists, the_voters_of_a_lower_view_do_not_elect)
{
    struct rig *rig = candidate_under("A B C D E F", "B C D");
    struct view *shown = rig_next(rig, "");

    name_both(shown, "B C D", "C E F");
    grants(rig, 'C', shown);
    grants(rig, 'D', NULL);
    cr_assert(rig->core->candidacy.on, "they are a quorum of the older list");
    grants(rig, 'E', NULL);
    cr_assert(rig->core->change.on);
    cr_assert(voter_lists_are_joint(&rig->core->change.pending.voters));
    rig_free(rig);
}

static void votes_for(struct rig *rig, char by)
{
    const struct message vote = rig_vote(rig, by, VOTE_PREPARE, VOTE_GRANTED);

    rig_gets(rig, by, &vote);
}

/* Z10c: to be committed a proposal needs those whom it names itself. */
Test(core_lists, a_proposal_is_committed_by_those_whom_it_names)
{
    struct rig *rig = candidate_under("A B C D E F", "B C D");
    struct view *shown = rig_next(rig, "");

    name_both(shown, "B C D", "C E F");
    grants(rig, 'C', shown);
    grants(rig, 'D', NULL);
    grants(rig, 'E', NULL);
    cr_assert(rig->core->change.on);
    votes_for(rig, 'C');
    votes_for(rig, 'D');
    rig_pass(rig, rig->timing.prepare_ms + rig->timing.batch_ms, "C D E F");
    cr_assert(rig->core->change.on, "of the newer list C alone has accepted it");
    cr_assert_not(core_is_coordinator(rig->core));
    votes_for(rig, 'E');
    rig_pass(rig, rig->timing.prepare_ms + rig->timing.batch_ms, "C D E F");
    cr_assert(core_is_coordinator(rig->core));
    cr_assert(voter_lists_are_joint(&core_view(rig->core)->voters));
    rig_free(rig);
}

/* --- Founders (Z13a) --- */

/* Of X, which founds with A and with B, under the records that the voter of the bench is told. */
static enum vote_result claims_with(struct voter_bench *bench, struct view *founders,
                                    uint64_t epoch)
{
    struct vote_question question = bench_question(VOTE_CLAIM, 'X', epoch);

    question.founders = founders;
    bench->core->now_ms = bench->now_ms;
    return voter_on_claim(bench->core, &question).result;
}

/* Whoever goes on after the founder is lost has to know whom to ask. */
Test(core_lists, a_voter_keeps_the_founders_with_its_first_promise)
{
    struct voter_bench *bench = bench_new();
    struct built_view founders = bench_founders(&bench->core->voter.record.id);
    struct vote_record record;

    cr_assert_eq(claims_with(bench, &founders.view, 1), VOTE_WAITS);
    core_record(bench->core, &record);
    cr_assert_not_null(record.accepted, "what is written holds both");
    cr_assert_eq(record.promise.epoch, 1);
    bench_sync(bench);
    bench_crash(bench);
    cr_assert(view_is_of_founders(&bench->core->voter.accepted));
    cr_assert(voter_lists_equal(electorate_lists(bench->core), &founders.view.voters));
    cr_assert_eq(electorate_own(bench->core, electorate_lists(bench->core)), 0);
    view_built_free(&founders);
    bench_free(bench);
}

Test(core_lists, founders_of_whom_a_voter_is_none_it_does_not_keep)
{
    const struct node_id another = record_of('A');
    struct voter_bench *bench = bench_new();
    struct built_view founders = bench_founders(&another);

    (void)claims_with(bench, &founders.view, 1);
    bench_sync(bench);
    (void)claims_with(bench, &founders.view, 1);
    cr_assert_eq(bench->core->voter.accepted.voters.count, 0);
    view_built_free(&founders);
    bench_free(bench);
}

/* What was accepted since is more than what it was founded with. */
Test(core_lists, founders_replace_no_accepted_view)
{
    struct voter_bench *bench = bench_new();
    struct built_view founders = bench_founders(&bench->core->voter.record.id);

    (void)bench_claims(bench, 'X', 1);
    bench_sync(bench);
    (void)bench_prepares(bench, 'X', 1, 1);
    bench_sync(bench);
    const uint64_t hash = bench->core->voter.accepted.hash;
    (void)claims_with(bench, &founders.view, 1);
    bench_sync(bench);
    (void)claims_with(bench, &founders.view, 1);
    cr_assert_eq(bench->core->voter.accepted.hash, hash);
    view_built_free(&founders);
    bench_free(bench);
}

/* Nor are they of those who have changed on the way. */
Test(core_lists, founders_whose_hash_is_another_are_refused)
{
    struct rig *rig = rig_strict("A B C", 'B');
    struct built_view founders = bench_founders(&(const struct node_id){.bytes = {'A'}});
    struct message ballot = {.type = MESSAGE_CLAIM,
                             .carrier = {.view = &founders.view,
                                         .lineage = core_view(rig->core)->lineage,
                                         .epoch = core_view(rig->core)->epoch + 1}};

    (void)rig_votes(rig);
    founders.view.hash ^= 1;
    rig_refuses(rig, 'C', &ballot, REFUSED_VIEW_UNSOUND);
    view_built_free(&founders);
    rig_free(rig);
}

/* Z11h: of one that is voter no more, whatever it is asked. */
Test(core_lists, a_retired_record_grants_nothing)
{
    struct voter_bench *bench = bench_new();

    bench->core->voter.record.state = VOTE_RECORD_RETIRED;
    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_MUTE);
    cr_assert_eq(bench_asks(bench, 'X', 1), VOTE_MUTE);
    cr_assert_eq(bench_founds(bench, 'B', BENCH_LINEAGE), VOTE_MUTE);
    cr_assert_eq(bench_state(bench).status, VOTER_RETIRED);
    bench_free(bench);
}

/* Z11i: whoever shows other voters than could come next is asked first, and then shows `view`. */
static void shows_instead(struct rig *rig, char from, struct view *first, struct view *view)
{
    struct message shown = {.type = MESSAGE_VIEW, .carrier = {.view = first}};
    const struct rig_sent *pull = NULL;

    rig_gets(rig, from, &shown);
    cr_assert_eq(rig->refused.reason, REFUSED_VIEW_VOTERS);
    for (uint32_t i = 0; i < rig->sent_count; i++) {
        pull = rig->sent[i].message.type == MESSAGE_PULL ? &rig->sent[i] : pull;
    }
    cr_assert_not_null(pull);
    cr_assert_eq(pull->to, from);
    cr_assert_not(pull->fellow);
    shown.carrier.view = view;
    shown = rig_message(rig, from, &shown);
    shown.echo = pull->echo;
    rig_gets_raw(rig, &shown);
}

static void shows_when_asked(struct rig *rig, char from, struct view *view)
{
    shows_instead(rig, from, view, view);
}

/* H75: out of the cluster it is the only one that a member knows who missed the change. */
Test(core_lists, a_retired_one_shows_who_votes_now)
{
    struct rig *rig = rig_strict("A B C D", 'C');
    const struct view *accepted = &rig->core->voter.accepted;

    (void)rig_votes(rig);
    view_copy(&rig->core->voter.accepted, core_view(rig->core));
    struct view *next = rig_next(rig, "-D");
    view_name_voters(next, "A B D");
    view_seal(next);
    shows_when_asked(rig, 'A', next);
    cr_assert_eq(rig->core->voter.record.state, VOTE_RECORD_RETIRED);
    cr_assert_eq(accepted->hash, core_view(rig->core)->hash);
    const struct view_carrier asked = {.lineage = core_view(rig->core)->lineage, .epoch = 7};
    rig_gets(rig, 'B', &(struct message){.type = MESSAGE_CLAIM, .carrier = asked});
    cr_assert_not_null(rig_told(rig, MESSAGE_VIEW, 'B'), "as a member");
    next = rig_next(rig, "-C");
    view_name_voters(next, "A B D");
    view_seal(next);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = next}});
    cr_assert_not(core_is_member(rig->core));

    struct message ballot = rig_message(rig, 'D',
                                        &(struct message){.type = MESSAGE_CLAIM, .carrier = asked});
    ballot.fellow = false;
    ballot.echo = 4711;
    rig_gets_raw(rig, &ballot);
    const struct message *shown = rig_told(rig, MESSAGE_VIEW, 'D');
    cr_assert_not_null(shown);
    cr_assert_eq(shown->carrier.view->hash, accepted->hash);
    rig_free(rig);
}

/* --- Which voters may come next (Z11i) --- */

/* H48: what a liar makes up, in whosever name, would be a quorum that nobody can be, and take the
 * votes of all others away for good (Z11h). */
Test(core_lists, other_voters_than_could_come_next_are_taken_from_who_was_asked)
{
    static const char senders[] = {'A', 'C', 'D'};

    for (size_t i = 0; i < sizeof senders; i++) {
        struct rig *rig = rig_strict_among("A B C D E", 'B', "A B C");
        struct view *next = rig_next(rig, "");

        (void)rig_votes(rig);
        view_copy(&rig->core->voter.accepted, core_view(rig->core));
        view_name_voters(next, "A C");
        next->voters.number += senders[i] == 'C' ? 7 : 0;
        view_seal(next);
        rig_gets(rig, senders[i],
                 &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = next}});
        cr_expect_eq(rig->refused.reason, REFUSED_VIEW_VOTERS, "%c", senders[i]);
        cr_expect_neq(core_view(rig->core)->hash, next->hash, "%c", senders[i]);
        cr_expect_neq(rig->core->voter.record.state, VOTE_RECORD_RETIRED, "%c", senders[i]);
        rig_pass(rig, rig->timing.heartbeat_ms, "A C D E");
        if (senders[i] != 'D') {
            shows_when_asked(rig, senders[i], next);
            cr_expect_eq(rig->core->voter.record.state, VOTE_RECORD_RETIRED, "%c", senders[i]);
        }
        rig_free(rig);
    }
}

/* Z11j: what B accepted may be committed yet, and it asks; what its view names is, and it takes
 * nothing from before, not even from one that still holds that, and says so when asked. */
static void check_older_voters(bool installed)
{
    struct rig *rig = rig_strict_among("A B C D E", 'B', "A C");
    struct view *next = rig_next(rig, "");

    (void)rig_votes(rig);
    view_name_voters(next, "A B C");
    next->voters.number = core_view(rig->core)->voters.number + 2;
    view_seal(next);
    view_copy(&rig->core->voter.accepted, next);
    if (installed) {
        view_copy(&rig->core->view, next);
    }
    struct view *older = rig_next(rig, "");
    view_name_voters(older, "A C");
    older->voters.number = next->voters.number - 2;
    older->version = next->version + 1;
    view_seal(older);
    shows_when_asked(rig, 'A', older);
    cr_expect_eq(rig->core->voter.record.state == VOTE_RECORD_RETIRED, !installed);
    cr_expect_eq(core_view(rig->core)->hash == older->hash, !installed);
    rig_free(rig);
}

Test(core_lists, a_list_that_came_before_is_shown_or_is_over)
{
    check_older_voters(false);
    check_older_voters(true);
}

/* Z11j: nor where it was shown them once by who was asked, before its view named others. */
Test(core_lists, what_was_shown_once_brings_back_no_list_of_before)
{
    struct rig *rig = rig_strict_among("A B C D E", 'B', "A C");
    struct view *older = rig_next(rig, "");
    struct view *next = rig_next(rig, "");

    (void)rig_votes(rig);
    view_name_voters(older, "A C");
    older->version = core_view(rig->core)->version + 3;
    view_seal(older);
    voter_lists_copy(&rig->core->install.shown, &older->voters);
    view_name_voters(next, "A B C");
    next->voters.number = older->voters.number + 2;
    view_seal(next);
    view_copy(&rig->core->voter.accepted, next);
    view_copy(&rig->core->view, next);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_VIEW, .carrier.view = older});
    cr_expect_neq(rig->core->voter.record.state, VOTE_RECORD_RETIRED);
    cr_expect_neq(core_view(rig->core)->hash, older->hash);
    rig_free(rig);
}

/* Z11j: what it was shown when it asked was from before what it accepted since. */
Test(core_lists, what_was_shown_before_it_accepted_has_to_be_shown_again)
{
    struct rig *rig = rig_strict_among("A B C D E", 'B', "A C");
    struct view *made_up = rig_next(rig, "");
    struct view *same = rig_next(rig, "");
    struct view *next = rig_next(rig, "");
    struct view *older = rig_next(rig, "");

    (void)rig_votes(rig);
    view_name_voters(made_up, "A D");
    made_up->voters.number += 7;
    view_seal(made_up);
    view_name_voters(same, "A C");
    view_seal(same);
    shows_instead(rig, 'A', made_up, same);
    cr_assert_eq(core_view(rig->core)->hash, same->hash);
    view_name_voters(next, "A B C");
    next->voters.number = same->voters.number + 2;
    next->version = same->version + 1;
    view_seal(next);
    view_copy(&rig->core->voter.accepted, next);
    view_name_voters(older, "A C");
    older->version = next->version + 1;
    view_seal(older);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_VIEW, .carrier.view = older});
    cr_expect_neq(rig->core->voter.record.state, VOTE_RECORD_RETIRED);
    cr_expect_neq(core_view(rig->core)->hash, older->hash);
    rig_free(rig);
}

/* H85: E missed how C came to D; of those that it knows to vote it hears none any more. */
Test(core_lists, who_names_them_is_asked_where_no_voter_is_heard)
{
    struct rig *rig = rig_strict_among("A B C D E", 'E', "A B C");
    struct view *next = rig_next(rig, "-B");

    rig_pass(rig, rig->timing.fresh_ms + rig->timing.heartbeat_ms, "D");
    view_name_voters(next, "A D E");
    next->voters.number = 2;
    view_seal(next);
    shows_when_asked(rig, 'D', next);
    cr_assert_eq(core_view(rig->core)->hash, next->hash);
    rig_free(rig);
}

/* H50: B goes by what C showed it, so its own view says nothing of those voters. */
Test(core_lists, who_proposes_shows_that_to_a_stranger_that_asks)
{
    struct rig *rig = candidate_under("A B C D E", "A B C");
    struct view *shown = rig_next(rig, "");
    struct message pull = rig_message(rig, 'X', &(struct message){.type = MESSAGE_PULL});

    view_name_voters(shown, "C D E");
    view_seal(shown);
    learns_who_votes(rig, shown);
    grants(rig, 'C', shown);
    grants(rig, 'E', NULL);
    cr_assert(rig->core->change.on);
    rig_gets(rig, 'C', &(struct message){.type = MESSAGE_PULL});
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'C'));
    pull.fellow = false;
    pull.echo = 4711;
    rig_gets_raw(rig, &pull);
    cr_assert_not_null(rig_told(rig, MESSAGE_VIEW, 'X'));
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'X');
    cr_assert_not_null(prepare);
    cr_assert_eq(prepare->carrier.view->hash, rig->core->change.pending.hash);
    for (uint32_t i = 0; i < rig->sent_count; i++) {
        cr_assert_eq(rig->sent[i].echo, 4711);
    }
    rig_free(rig);
}

/* H48: what it accepted is on disk, and the next coordinator builds on that. */
Test(core_lists, a_voter_that_restarts_accepts_no_voters_that_could_not_come_next)
{
    struct voter_bench *bench = bench_new();
    struct built_view built = view_of("B A");
    const struct message prepare = {.type = MESSAGE_PREPARE,
                                    .from = built.view.members[0].id,
                                    .carrier = {.view = &built.view}};

    bench_knows_founders(bench);
    voter_lists_copy(&built.view.voters, &bench->core->voter.accepted.voters);
    view_seal(&built.view);
    cr_assert(install_is_sound(bench->core, &prepare));
    built.view.voters.voters[2].record = record_of('X');
    view_seal(&built.view);
    cr_assert_not(install_is_sound(bench->core, &prepare));
    view_built_free(&built);
    bench_free(bench);
}

/* V6e: a heartbeat says that the named view is lacked; D8c: and it puts off no question. */
Test(core_lists, who_names_a_higher_view_is_told_by_a_heartbeat_that_it_is_lacked)
{
    struct rig *rig = rig_guarded("A B C", 'A', (struct guard){GUARD_MAJORITY, 3});
    struct message heartbeat = {.type = MESSAGE_HEARTBEAT,
                                .heartbeat = {.view = view_id_of(core_view(rig->core))}};

    rig_pass(rig, rig->timing.heartbeat_ms / 4, "B C");
    const uint64_t asked_ms = rig->core->lease.asked_ms;
    const uint32_t told = rig_count(rig, MESSAGE_HEARTBEAT);
    heartbeat.heartbeat.view.version++;
    rig_gets(rig, 'X', &heartbeat);
    cr_assert_not_null(rig_told(rig, MESSAGE_VIEW, 'X'));
    cr_assert_not_null(rig_told(rig, MESSAGE_HEARTBEAT, 'X'));
    cr_assert_gt(rig_count(rig, MESSAGE_HEARTBEAT), told);
    cr_assert_eq(rig->core->lease.asked_ms, asked_ms);
    rig_free(rig);
}
