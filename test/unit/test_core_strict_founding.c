/* Nodes under guard strict that begin: an outsider begins anew on the chain (Z4d, Z8d, Z12a), or a
 * founder asks all voters for records (Z8). */
#include <criterion/criterion.h>

#include "core/agreement/candidacy.h"
#include "core/agreement/change_propose.h"
#include "core/agreement/electorate.h"
#include "core/agreement/voter.h"
#include "core/entry/founding.h"
#include "core/entry/join.h"
#include "core/entry/lifecycle.h"
#include "core/model/recovery.h"
#include "rig.h"
#include "voter_bench.h"

/* --- An outsider begins anew --- */

/* S5: it was let in without knowing it, and was removed. */
Test(core_strict, an_outsider_that_was_removed_takes_a_new_id)
{
    struct voter_bench *bench = bench_new();
    const struct gone why = {.reason = GONE_FAILED};
    struct built_view shown = view_of("B C A");
    struct message vote = {.type = MESSAGE_VOTE,
                           .carrier = {.view = &shown.view,
                                       .lineage = BENCH_LINEAGE,
                                       .vote = {.record = record_of('B')}}};

    bench_knows_founders(bench);
    view_name_voters(&shown.view, "A B C");
    shown.view.members[2].id = bench->core->life.self.id;
    view_remove(&shown.view, 2, &why);
    view_seal(&shown.view);
    candidacy_as_outsider(bench->core);
    vote.carrier.epoch = bench->core->candidacy.epoch;
    candidacy_on_vote(bench->core, &vote);
    vote.carrier.vote.record = record_of('C');
    candidacy_on_vote(bench->core, &vote);
    cr_assert_not(bench->core->candidacy.on);
    cr_assert_not(bench->core->change.on);
    cr_assert(candidacy_take_out(bench->core));
    view_built_free(&shown);
    bench_free(bench);
}

/* Z8: it goes by the list of its record, which may be another than that of its options. */
Test(core_strict, who_waits_with_a_record_waits_for_the_voters_of_that)
{
    struct voter_bench *bench = bench_new();
    struct built_view accepted = view_of("A");

    bench->core->life.phase = PHASE_JOINING;
    cr_assert_eq(core_waiting(bench->core, bench->core->now_ms).voters, 0);
    bench_knows_founders(bench);
    bench->core->voter.record.state = VOTE_RECORD_FOUNDED;
    cr_assert_eq(core_waiting(bench->core, bench->core->now_ms).voters, 3);
    view_name_voters(&accepted.view, "A");
    view_seal(&accepted.view);
    view_copy(&bench->core->voter.accepted, &accepted.view);
    cr_assert_eq(core_waiting(bench->core, bench->core->now_ms).voters, 1, "it was recovered");
    bench->core->voter.record.state = VOTE_RECORD_FOUNDING;
    cr_assert_eq(core_waiting(bench->core, bench->core->now_ms).voters, 0);
    view_built_free(&accepted);
    bench_free(bench);
}

/* Its record has accepted a view by which A, B and C vote, as the others may have, or not yet. */
static struct voter_bench *outsider_among(struct built_view *accepted)
{
    struct voter_bench *bench = bench_new();

    bench_knows_founders(bench);
    *accepted = view_of("B C");
    accepted->view.epoch = 1;
    voter_lists_copy(&accepted->view.voters, &bench->core->voter.accepted.voters);
    view_seal(&accepted->view);
    view_copy(&bench->core->voter.accepted, &accepted->view);
    candidacy_as_outsider(bench->core);
    return bench;
}

static void grants_outsider(struct voter_bench *bench, char by, struct view *shown)
{
    const struct message vote = {.type = MESSAGE_VOTE,
                                 .carrier = {.view = shown,
                                             .lineage = BENCH_LINEAGE,
                                             .epoch = bench->core->candidacy.epoch,
                                             .vote = {.record = record_of(by)}}};

    candidacy_on_vote(bench->core, &vote);
}

/* H50, Z12a: B missed how the voters were changed, and with its own voter suffices by the list of
 * now. */
Test(core_strict, an_outsider_goes_by_no_lower_view_than_its_record)
{
    struct built_view accepted;
    struct built_view lower = view_of("B C");
    struct voter_bench *bench = outsider_among(&accepted);

    lower.view.epoch = 0;
    view_name_voters(&lower.view, "A B C D E");
    view_seal(&lower.view);
    grants_outsider(bench, 'B', &lower.view);
    cr_assert(voter_lists_equal(electorate_lists(bench->core), &accepted.view.voters));
    cr_assert_eq(bench->core->voter.record.promise.epoch, bench->core->candidacy.epoch);
    view_built_free(&lower);
    view_built_free(&accepted);
    bench_free(bench);
}

/* H52, Z12a: what no grant shows was perhaps given up, and nobody who grants has leased by it. */
Test(core_strict, an_outsider_wins_by_the_view_of_its_record_when_a_grant_shows_it)
{
    struct built_view accepted;
    struct voter_bench *bench = outsider_among(&accepted);

    grants_outsider(bench, 'B', NULL);
    grants_outsider(bench, 'C', NULL);
    cr_assert(bench->core->candidacy.on);
    grants_outsider(bench, 'C', &accepted.view);
    cr_assert(bench->core->change.on);
    cr_assert_eq(bench->core->change.pending.parent.version, accepted.view.version);
    view_built_free(&accepted);
    bench_free(bench);
}

static const struct effect *prepare_to_stranger(const struct core *core, uint32_t from)
{
    for (uint32_t i = from; i < core->out.count; i++) {
        const struct effect *effect = &core->out.items[i];
        if (effect->type == EFFECT_SEND && effect->message->type == MESSAGE_PREPARE) {
            return effect;
        }
    }
    return NULL;
}

/* H50, Z11i: it is no member, and can show no view; the voter that asks missed a change. */
Test(core_strict, an_outsider_that_proposes_shows_that_to_who_asks)
{
    struct built_view accepted;
    struct voter_bench *bench = outsider_among(&accepted);
    struct core *core = bench->core;
    struct message pull = {
        .type = MESSAGE_PULL, .from = member_of('C').id, .source = member_of('C').address};

    grants_outsider(bench, 'B', &accepted.view);
    grants_outsider(bench, 'C', NULL);
    cr_assert(core->change.on);
    const uint32_t before = core->out.count;
    change_on_pull(core, &pull);
    cr_assert_null(prepare_to_stranger(core, before), "it cannot tell that it asked");
    pull.echo = 4711;
    change_on_pull(core, &pull);
    const struct effect *prepare = prepare_to_stranger(core, before);
    cr_assert_not_null(prepare);
    cr_assert_eq(prepare->echo, 4711);
    cr_assert_eq(prepare->message->carrier.view->hash, core->change.pending.hash);
    view_built_free(&accepted);
    bench_free(bench);
}

/* --- Founding (Z8) --- */

/* The voter of that name, which has asked to be let in, has a record by now: its own. */
static struct message answer_of(struct voter_bench *bench, char voter)
{
    const struct member member = member_of(voter);
    const bool is_self = voter == core_self(bench->core)->name[0];
    const struct message vote = {
        .type = MESSAGE_VOTE,
        .from = is_self ? core_self(bench->core)->id : member.id,
        .source = member.address,
        .echo = 77,
        .carrier = {
            .lineage = bench->core->voter.record.lineage,
            .vote = {.record = record_of(voter), .kind = VOTE_FOUNDING, .result = VOTE_GRANTED}}};

    electorate_learn(bench->core, &member, vote.echo);
    return vote;
}

static void answers(struct voter_bench *bench, char voter)
{
    const struct message vote = answer_of(bench, voter);

    founding_on_vote(bench->core, &vote);
}

static void all_answer(struct voter_bench *bench)
{
    for (char voter = 'A'; voter <= 'C'; voter++) {
        answers(bench, voter);
    }
}

/* By which record they vote, and that they still do. */
static void all_answer_twice(struct voter_bench *bench)
{
    all_answer(bench);
    join_renew(bench->core);
    all_answer(bench);
}

/* H53: it would find itself *founding* when it starts again, and found once more, under the same
 * epoch, with a voter that has lost its record. */
Test(core_strict, a_founder_asks_for_an_epoch_when_founded_is_on_disk)
{
    struct voter_bench *bench = bench_new_named('A');

    (void)voter_begin_founding(bench->core);
    bench_sync(bench);
    all_answer_twice(bench);
    cr_assert_eq(bench_state(bench).status, VOTER_FOUNDED);
    cr_assert(founding_go_on(bench->core));
    cr_assert_not(bench->core->candidacy.on);
    bench_sync(bench);
    founding_on_synced(bench->core);
    cr_assert(bench->core->candidacy.on);
    bench_free(bench);
}

/* H24: or another founder finds its quorum among those who were not asked. */
Test(core_strict, founding_is_not_over_before_all_voters_have_a_record)
{
    struct voter_bench *bench = bench_new_named('A');

    (void)voter_begin_founding(bench->core);
    bench_sync(bench);
    answers(bench, 'A');
    answers(bench, 'B');
    cr_assert_not(founding_needs_another_life(bench->core));
    answers(bench, 'C');
    cr_assert_eq(bench_state(bench).status, VOTER_FOUNDING);
    cr_assert(founding_needs_another_life(bench->core));
    join_renew(bench->core);
    all_answer(bench);
    cr_assert_eq(bench_state(bench).status, VOTER_FOUNDED);
    bench_free(bench);
}

static uint32_t requests_sent(const struct core *core)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < core->out.count; i++) {
        const struct effect *effect = &core->out.items[i];
        count += effect->type == EFFECT_SEND && effect->message->type == MESSAGE_CLAIM;
    }
    return count;
}

/* The founder that asks, when all have answered. */
static struct voter_bench *founder_answered(uint64_t wait_ms, const struct view *promised)
{
    struct voter_bench *bench = bench_new_named('A');
    struct core *core = bench->core;

    (void)voter_begin_founding(core);
    bench_sync(bench);
    core->join.found_ms = core->now_ms + wait_ms;
    if (promised != NULL) {
        view_copy(&core->change.pending, promised);
        core->change.accepted_ms = core->now_ms;
    }
    for (char voter = 'A'; voter <= 'C'; voter++) {
        const struct message vote = answer_of(bench, voter);
        cr_assert_eq(requests_sent(core), 0);
        join_on_record(core, &vote);
    }
    return bench;
}

/* Z8c: or the second round would wait for a third of T_prepare. */
Test(core_strict, a_founder_asks_again_in_the_step_in_which_the_last_one_answers)
{
    struct voter_bench *bench = founder_answered(0, NULL);

    cr_assert_eq(requests_sent(bench->core), 2, "B and C");
    bench_free(bench);
}

/* F2: what puts off founding puts off that, too. */
Test(core_strict, a_founder_that_is_to_wait_does_not_ask_again_before)
{
    struct voter_bench *bench = founder_answered(timing_of(PROFILE_LAN).discover_ms, NULL);

    cr_assert_eq(requests_sent(bench->core), 0);
    cr_assert(founding_needs_another_life(bench->core));
    bench_free(bench);
}

/* S5: the proposal that it has accepted may come about yet, and names this life. */
Test(core_strict, a_founder_that_may_be_let_in_begins_no_other_life)
{
    struct built_view promised = view_of("B C A");
    struct voter_bench *bench = founder_answered(0, &promised.view);

    cr_assert(founding_needs_another_life(bench->core));
    bench_free(bench);
    view_built_free(&promised);
}

/* H53: B got another record since, and may vote elsewhere by it; so may C when B says that. */
Test(core_strict, a_founder_asks_all_again_when_one_names_another_record)
{
    struct voter_bench *bench = bench_new_named('A');

    (void)voter_begin_founding(bench->core);
    bench_sync(bench);
    all_answer(bench);
    join_renew(bench->core);
    answers(bench, 'A');
    answers(bench, 'C');
    bench->core->founding.voters.voters[1].record = record_of('D');
    answers(bench, 'B');
    cr_assert_eq(bench_state(bench).status, VOTER_FOUNDING);
    cr_assert(founding_needs_another_life(bench->core));
    join_renew(bench->core);
    answers(bench, 'B');
    answers(bench, 'C');
    cr_assert_eq(bench_state(bench).status, VOTER_FOUNDING);
    answers(bench, 'A');
    cr_assert_eq(bench_state(bench).status, VOTER_FOUNDED);
    bench_free(bench);
}

/* Of A, as one that heard the JOIN of this life. */
static struct message requests_record(struct rig *rig)
{
    const struct message content = {.type = MESSAGE_CLAIM, .carrier = {.lineage = 99}};
    struct message request = rig_message(rig, 'A', &content);

    request.fellow = false;
    request.echo = join_echo(rig->core);
    return request;
}

/* Of a member, by its coordinator (Z11e). */
static struct message wants_record(struct rig *rig)
{
    const struct message content = {.type = MESSAGE_CLAIM,
                                    .carrier = {.lineage = core_view(rig->core)->lineage}};

    return rig_message(rig, 'A', &content);
}

/* H53: the former life may have made one, voted, and lost it. */
Test(core_strict, a_request_for_a_record_is_for_one_life)
{
    struct rig *rig = rig_strict("A B C", 'B');
    struct message request = wants_record(rig);

    request.to = rig_id(rig, 'D');
    request.number++;
    rig_gets_raw(rig, &request);
    cr_assert_eq(rig->core->voter.record.state, VOTE_RECORD_RETIRED);
    request = wants_record(rig);
    rig_gets_raw(rig, &request);
    cr_assert_eq(rig->core->voter.record.state, VOTE_RECORD_FOUNDED);
    rig_free(rig);
}

/* H48: or one frame would bind this voter for good to a founding that there is not. */
Test(core_strict, a_request_for_a_record_echoes_the_join)
{
    struct rig *rig = rig_strict("A B C", 'B');
    struct message request = requests_record(rig);

    request.echo++;
    rig_ignores_raw(rig, &request, REFUSED_RECORD_UNASKED);
    cr_assert_eq(rig->core->voter.record.state, VOTE_RECORD_RETIRED);
    rig_free(rig);
}

/* Z8i: it is one of those to found with, and has lost its disk, or is new. */
Test(core_strict, a_member_without_a_record_keeps_that_there_is_a_cluster)
{
    struct rig *rig = rig_strict("A B C", 'B');
    struct vote_record record;

    voter_record(rig->core, &record);
    cr_assert_eq(record.state, VOTE_RECORD_RETIRED);
    cr_assert_eq(record.lineage, core_view(rig->core)->lineage);
    cr_assert_not(recovery_may_begin(&record));
    const struct voter_state state = core_voter(rig->core, rig->now_ms);
    cr_assert_eq(state.status, VOTER_NO_RECORD);
    cr_assert(id_is_none(&state.record_id));
    lifecycle_end_life(rig->core, REASON_LEFT_ALONE);
    cr_assert_eq(core_voter(rig->core, rig->now_ms).status, VOTER_RETIRED);
    cr_assert_eq(voter_begin_founding(rig->core), 0);
    rig_free(rig);
}

/* Z8i: it was to found another cluster, which has not come about; its own it goes on with. */
Test(core_strict, a_member_with_a_record_for_another_founding_keeps_that_there_is_a_cluster)
{
    struct rig *rig = rig_strict("A B C", 'B');
    struct vote_record *record = rig_votes(rig);

    record->state = VOTE_RECORD_FOUNDING;
    voter_on_view_installed(rig->core);
    cr_assert_eq(record->state, VOTE_RECORD_FOUNDING);
    record->lineage ^= UINT64_C(1) << 63;
    voter_on_view_installed(rig->core);
    cr_assert_eq(record->state, VOTE_RECORD_RETIRED);
    cr_assert_eq(record->lineage, core_view(rig->core)->lineage);
    cr_assert_eq(rig->core->voter.accepted.hash, core_view(rig->core)->hash);
    rig_free(rig);
}

/* H48, H53: a founder goes on when all have records, and must not be told so by anybody else. */
Test(core_strict, the_answer_of_who_has_a_record_echoes_its_join)
{
    struct voter_bench *bench = bench_new_named('A');
    struct core *core = bench->core;
    const struct member voter = {.id = {{'B'}}, .address = {.family = 4}, .name = "B"};
    struct message vote = {.type = MESSAGE_VOTE,
                           .from = voter.id,
                           .echo = 77,
                           .carrier = {.vote = {.record = record_of('B'), .kind = VOTE_FOUNDING}}};

    cr_assert_not(electorate_was_asked_for_record(core, &vote, "B"));
    electorate_learn(core, &voter, 77);
    cr_assert(electorate_was_asked_for_record(core, &vote, "B"));
    cr_assert_not(electorate_was_asked_for_record(core, &vote, "C"));
    vote.echo = 78;
    cr_assert_not(electorate_was_asked_for_record(core, &vote, "B"));
    vote.echo = 77;
    vote.from.bytes[0] = 'X';
    cr_assert_not(electorate_was_asked_for_record(core, &vote, "B"));
    vote.from = voter.id;
    electorate_learn(core, &voter, 0); /* Heard of otherwise since. */
    vote.echo = 0;
    cr_assert_not(electorate_was_asked_for_record(core, &vote, "B"));
    bench_free(bench);
}

/* Z10b: or a record that another voter has, or nobody, would complete the founders. */
Test(core_strict, a_founder_takes_each_record_for_one_voter)
{
    struct voter_bench *bench = bench_new_named('A');
    const struct voter_lists *founders = &bench->core->founding.voters;

    (void)voter_begin_founding(bench->core);
    bench_sync(bench);
    all_answer_twice(bench);
    cr_assert_eq(bench_state(bench).status, VOTER_FOUNDED);
    cr_assert(voter_lists_equal(&bench->core->voter.accepted.voters, founders));
    cr_assert(view_is_sound_of_founders(&bench->core->voter.accepted));
    for (uint8_t i = 0; i < founders->count; i++) {
        const struct node_id record = record_of((char)('A' + i));
        const struct address address = member_of((char)('A' + i)).address;
        cr_assert(id_equal(&founders->voters[i].record, &record));
        cr_assert(address_equal(&founders->voters[i].address, &address));
    }
    bench_free(bench);
}
