/* Members that do not get the present view (L5): what others do about them, and they themselves. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/detection/rounds.h"
#include "core/detection/watch.h"
#include "core/state/state.h"
#include "rig.h"

/* The peer says for so long that it holds that view, while the peers in `alive` are heard, too. */
static void names(struct rig *rig, char from, const struct view_id *view, uint64_t ms,
                  const char *alive)
{
    const uint64_t end_ms = rig->now_ms + ms;
    const struct message heartbeat = {
        .type = MESSAGE_HEARTBEAT,
        .heartbeat = {.view = *view, .view_hash = view->version},
    };

    for (; rig->now_ms < end_ms; rig_pass(rig, 125, alive)) {
        rig_gets(rig, from, &heartbeat);
    }
    rig_gets(rig, from, &heartbeat);
}

static struct view_id lower_than_held(const struct rig *rig)
{
    struct view_id lower = view_id_of(core_view(rig->core));

    lower.version--;
    return lower;
}

static struct view_id higher_than_held(const struct rig *rig)
{
    struct view_id higher = view_id_of(core_view(rig->core));

    higher.version++;
    return higher;
}

/* C2a: also where the view that it is shown does not arrive. */
Test(core_behind, a_claim_from_a_lower_view_is_refused)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *lower = rig_view(rig, "A B C");

    lower->version--;
    view_seal(lower);
    const struct message claim = rig_claim(lower, lower->epoch + 1);
    rig_gets(rig, 'B', &claim);
    const struct message *refused = rig_refused(rig, 'B');
    cr_assert_not_null(refused);
    cr_assert_eq(refused->carrier.vote.result, VOTE_REFUSED_BEHIND);
    cr_assert_not_null(rig_told(rig, MESSAGE_VIEW, 'B'));
    rig_free(rig);
}

/* Its claim is not won, but goes on: mostly the view comes at once. */
Test(core_behind, who_is_refused_for_a_lower_view_does_not_win)
{
    struct rig *rig = rig_in("A B C D", 'B');

    rig_kill(rig, 'A');
    const struct message *claim = rig_told(rig, MESSAGE_CLAIM, 'C');
    cr_assert_not_null(claim);
    const uint64_t epoch = claim->carrier.epoch;
    const struct message behind = rig_answer(rig, epoch, VOTE_REFUSED_BEHIND);
    rig_gets(rig, 'C', &behind);
    rig_grants(rig, 'D', epoch);
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_pass(rig, rig->timing.claim_ms + rig->timing.batch_ms, "C D");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_free(rig);
}

/* Then it claims with that one, without a pause. */
Test(core_behind, who_is_refused_for_a_lower_view_is_brought_up)
{
    struct rig *rig = rig_in("A B C D", 'B');
    struct view *higher = rig_next(rig, "+E");

    rig_kill(rig, 'A');
    const struct message *claim = rig_told(rig, MESSAGE_CLAIM, 'C');
    cr_assert_not_null(claim);
    const struct message behind = rig_answer(rig, claim->carrier.epoch, VOTE_REFUSED_BEHIND);
    rig_gets(rig, 'C', &behind);
    rig_gets(rig, 'C', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = higher}});
    cr_assert_eq(core_view(rig->core)->member_count, 5);
    cr_assert_not_null(rig_told(rig, MESSAGE_CLAIM, 'E'));
    rig_free(rig);
}

/* U1b: B is heard, and answers nothing. */
static bool waits_for(const char *which, uint64_t ms)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct view_id lower = lower_than_held(rig);

    if (ms > 0) {
        names(rig, *which, &lower, ms, "C");
    }
    rig_joins(rig, 'D');
    rig_pass(rig, rig->timing.batch_ms, "");
    const struct message acks[] = {rig_ack(rig, 'C'), rig_ack(rig, 'D')};
    rig_gets(rig, 'C', &acks[0]);
    rig_gets(rig, 'D', &acks[1]);
    rig_pass(rig, 1, "");
    const bool waits = core_view(rig->core)->member_count == 3;
    rig_free(rig);
    return waits;
}

Test(core_behind, no_change_waits_for_who_is_behind)
{
    cr_assert(waits_for("B", 0));
    cr_assert(waits_for("B", 250), "not for T_fresh yet");
    cr_assert_not(waits_for("B", 1125));
}

/* E4 */
Test(core_behind, who_is_behind_is_no_successor)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct view_id lower = lower_than_held(rig);

    names(rig, 'B', &lower, 1125, "C");
    cr_assert_eq(core_unfit(rig->core, 1), UNFIT_BEHIND);
    cr_assert(core_peer(rig->core, 1, rig->now_ms).behind);
    cr_assert_not(core_peer(rig->core, 2, rig->now_ms).behind);
    cr_assert_eq(core_unfit(rig->core, 2), UNFIT_NOT);
    rig_hears(rig, 'B');
    cr_assert_eq(core_unfit(rig->core, 1), UNFIT_NOT, "it came back");
    rig_free(rig);
}

/* L5b, L3a: it is the coordinator that nobody can follow. */
Test(core_behind, a_coordinator_that_nobody_can_follow_removes_nobody)
{
    struct rig *rigs[] = {rig_in("A B C", 'A'), rig_strict("A B C", 'A')};

    for (size_t i = 0; i < sizeof rigs / sizeof rigs[0]; i++) {
        struct rig *rig = rigs[i];
        const struct view_id lower = lower_than_held(rig);
        const uint64_t end_ms = rig->now_ms + 3 * rig->timing.stall_ms;
        names(rig, 'B', &lower, 500, "C"); /* C is behind a little later. */
        while (rig->now_ms < end_ms) {
            names(rig, 'B', &lower, 0, "");
            names(rig, 'C', &lower, 125, "");
            cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'B'), "%zu", i);
        }
        cr_assert_eq(core_phase(rig->core), PHASE_JOINING, "%zu", i);
        rig_free(rig);
    }
}

static bool is_behind(const struct rig *rig, uint32_t position)
{
    return core_peer(rig->core, position, rig->now_ms).behind;
}

/* L5c: its coordinator says so; others alone may say what they like. */
Test(core_behind, a_member_is_behind_its_coordinator_alone)
{
    struct rig *rig = rig_in("A B C", 'C');
    const struct view_id higher = higher_than_held(rig);

    names(rig, 'B', &higher, 1125, "");
    cr_assert_not(is_behind(rig, 2));
    names(rig, 'A', &higher, 750, "");
    cr_assert_not(is_behind(rig, 2), "not for T_fresh yet");
    names(rig, 'A', &higher, 375, "");
    cr_assert(is_behind(rig, 2));
    cr_assert_not(is_behind(rig, 0) || is_behind(rig, 1));
    rig_hears(rig, 'A');
    cr_assert_not(is_behind(rig, 2), "it names ours");
    rig_free(rig);
}

/* D9d: the coordinator does not hear it, and is to remove it. */
Test(core_behind, who_is_behind_is_named_where_the_coordinator_does_not_hear_it)
{
    static const char all[] = "A B C D E F G H I J K L M";
    uint32_t looked = 0;

    for (uint32_t i = 1; i < 13; i++) {
        struct rig *rig = rig_on_rings(all, 'G');
        const struct view_id lower = lower_than_held(rig);
        const char letter = (char)('A' + i);
        char others[sizeof all];

        memcpy(others, all, sizeof all);
        for (char *at = others; *at != '\0'; at++) {
            *at = *at == letter || *at == 'G' ? ' ' : *at;
        }
        if (!core_is_self(rig->core, i) && watch_is_on(rig->core, i) &&
            !watch_sees(rig->core, 0, i)) {
            names(rig, letter, &lower, rig->timing.fresh_ms + 250, others);
            cr_expect(rounds_is_named(rig->core, i), "%c", letter);
            looked++;
        }
        rig_free(rig);
    }
    cr_assert_gt(looked, 0);
}

/* L5c */
Test(core_behind, who_stays_behind_is_out)
{
    struct rig *rig = rig_in("A B C", 'C');
    const struct view_id higher = higher_than_held(rig);

    names(rig, 'A', &higher, rig->timing.stall_ms * 3 / 2 - 250, "B");
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    names(rig, 'A', &higher, 500, "B");
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    rig_free(rig);
}

/* C1d: A has named a view that B did not get, and dies. Of B, C and D, who are more than half of
 * the view, B may be chosen, unless somebody lives who holds that view. */
static bool claims_after(bool strangers, const char *alive)
{
    struct rig *rig = rig_in("A B C D", 'B');
    const struct view_id higher = higher_than_held(rig);

    names(rig, 'A', &higher, 1125, alive);
    if (strangers) {
        names(rig, 'X', &higher, 125, alive);
    }
    rig_pass(rig, rig->timing.silent_ms, alive);
    for (const char *gone = "CD"; *gone != '\0' && *alive == '\0'; gone++) {
        rig_kill(rig, *gone);
    }
    rig_kill(rig, 'A');
    rig_pass(rig, 500, alive);
    const bool claims = rig->core->candidacy.epoch != 0;
    rig_free(rig);
    return claims;
}

Test(core_behind, who_is_behind_claims_with_a_majority_and_beside_nobody)
{
    cr_assert(claims_after(false, "C D"));
    cr_assert_not(claims_after(true, "C D"));
    cr_assert_not(claims_after(false, ""));
}

/* U3b: under guard strict the question to the voters is no longer than a claim. */
Test(core_behind, a_ballot_goes_as_a_change)
{
    struct rig *rig = rig_strict_among("A B C", 'B', "A B C");

    rig_kill(rig, 'A');
    cr_assert_not_null(rig_told(rig, MESSAGE_CLAIM, 'C'));
    cr_assert(rig_told_briefly(rig, MESSAGE_CLAIM, 'C'));
    rig_free(rig);
}

/* L3b: C and D are fresh, and what they answer does not arrive. */
Test(core_behind, who_gets_no_answers_to_its_claims_is_out)
{
    struct rig *rig = rig_in("A B C D", 'B');
    uint64_t first = 0;
    uint64_t last = 0;

    rig_kill(rig, 'A');
    for (uint64_t ms = 0; core_phase(rig->core) == PHASE_MEMBER; ms += 100) {
        cr_assert_lt(ms, 6 * rig->timing.claim_ms);
        last = rig->core->candidacy.epoch;
        first = first == 0 ? last : first;
        rig_pass(rig, 100, "C D");
        cr_assert(core_phase(rig->core) == PHASE_MEMBER || last > first, "one answer may be lost");
    }
    cr_assert_neq(first, 0);
    rig_free(rig);
}

/* Most of three have answered, and the one whose answer is missing need not. */
Test(core_behind, who_gets_answers_to_its_claims_goes_on)
{
    struct rig *rig = rig_in("A B C D", 'B');

    rig_kill(rig, 'A');
    for (uint64_t ms = 0; ms < 6 * rig->timing.claim_ms; ms += 100) {
        const struct message *claim = rig_told(rig, MESSAGE_CLAIM, 'C');
        if (claim != NULL) {
            const struct message behind = rig_answer(rig, claim->carrier.epoch,
                                                     VOTE_REFUSED_BEHIND);
            rig_gets(rig, 'C', &behind);
        }
        rig_pass(rig, 100, "C D");
    }
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    rig_free(rig);
}

/* For 2 * T_stall D asks to be let in, each second; those in `answering` get what A proposes then.
 */
static void would_let_in_d(struct rig *rig, const char *alive, const char *answering)
{
    for (uint64_t ms = 0; ms < 2 * rig->timing.stall_ms && core_phase(rig->core) == PHASE_MEMBER;
         ms += 20) {
        if (ms % 1000 == 0) {
            rig_joins(rig, 'D');
        }
        rig_pass(rig, 20, alive);
        for (const char *letter = answering; *letter != '\0'; letter++) {
            if (*letter != ' ' && rig_told(rig, MESSAGE_PREPARE, *letter) != NULL) {
                const struct message ack = rig_ack(rig, *letter);
                rig_gets(rig, *letter, &ack);
            }
        }
    }
}

/* L3b: B, C and D are heard, and what brings D in is too long to get to anybody. */
Test(core_behind, a_coordinator_whose_proposals_nobody_answers_is_out)
{
    struct rig *rig = rig_in("A B C", 'A');
    const uint64_t since_ms = rig->now_ms;

    would_let_in_d(rig, "B C", "");
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    cr_assert_geq(rig->now_ms, since_ms + rig->timing.stall_ms);
    rig_free(rig);
}

/* It is D, or no more than half of the others, who cannot be reached. */
Test(core_behind, a_coordinator_whose_proposals_most_answer_goes_on)
{
    struct rig *rig = rig_in("A B C", 'A');

    would_let_in_d(rig, "B C", "B C");
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    rig_free(rig);

    rig = rig_in("A B C", 'A');
    would_let_in_d(rig, "B C", "B");
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    rig_free(rig);

    rig = rig_in("A B C E F", 'A');
    would_let_in_d(rig, "B C E F", "B C");
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    rig_free(rig);
}

/* Nobody can tell on whose side the hole is: the elder stays, whoever comes. */
Test(core_behind, a_coordinator_that_one_member_and_newcomers_do_not_answer_goes_on)
{
    for (int fellows = 0; fellows < 2; fellows++) {
        struct rig *rig = rig_in(fellows == 0 ? "A" : "A B", 'A');

        would_let_in_d(rig, fellows == 0 ? "" : "B", "");
        cr_assert_eq(core_phase(rig->core), PHASE_MEMBER, "%d", fellows);
        rig_free(rig);
    }
}
