/* How a candidate counts, what the winner builds on, and what follows a defeat (C1, C3 to C5). */
#include <criterion/criterion.h>

#include "rig.h"

/* The epoch of the claim that was just sent to that member, or 0. */
static uint64_t claimed(const struct rig *rig, char voter)
{
    const struct message *claim = rig_told(rig, MESSAGE_CLAIM, voter);

    return claim == NULL ? 0 : claim->carrier.epoch;
}

static void grants(struct rig *rig, char voter, struct view *accepted)
{
    struct message grant = rig_answer(rig, 2, VOTE_GRANTED);

    grant.carrier.view = accepted;
    rig_gets(rig, voter, &grant);
}

static void refuses(struct rig *rig, char voter, enum vote_result reason, uint64_t wait_ms)
{
    struct message refusal = rig_answer(rig, 2, reason);

    refusal.carrier.vote.wait_ms = wait_ms;
    rig_gets(rig, voter, &refusal);
}

/* A is dead, and B has begun to claim epoch 2. */
static struct rig *candidate(const char *letters)
{
    struct rig *rig = rig_in(letters, 'B');

    rig_kill(rig, 'A');
    cr_assert_eq(claimed(rig, 'C'), 2);
    return rig;
}

static bool is_proposed(const struct rig *rig, char member)
{
    return rig_told(rig, MESSAGE_PREPARE, member) != NULL;
}

/* What was just proposed to that member; an empty view for nothing. */
static const struct view *proposed(const struct rig *rig, char member)
{
    static const struct view nothing = {.member_count = 0};
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, member);

    return prepare == NULL ? &nothing : prepare->carrier.view;
}

/* --- Asking (C3c) --- */

/* E's refusal is for so long, and may be over before. */
Test(core_candidate, asks_those_again_who_have_not_granted)
{
    struct rig *rig = candidate("A B C D E");
    const uint64_t wait_ms = rig->timing.prepare_ms / 25;

    grants(rig, 'C', NULL);
    refuses(rig, 'E', VOTE_REFUSED_FRESH, 10 * wait_ms);
    rig_pass(rig, wait_ms - 1, "C D E");
    cr_assert_eq(claimed(rig, 'D'), 0);
    rig_pass(rig, 1, "C D E");
    cr_assert_eq(claimed(rig, 'D'), 2);
    cr_assert_eq(claimed(rig, 'E'), 2);
    cr_assert_eq(rig_count(rig, MESSAGE_CLAIM), 2);
    rig_pass(rig, 2 * wait_ms, "C D E");
    cr_assert_eq(claimed(rig, 'D'), 2);
    cr_assert_eq(rig_count(rig, MESSAGE_CLAIM), 2);
    rig_free(rig);
}

/* --- Being candidate (C1b) --- */

/* H7: it was the link. */
Test(core_candidate, gives_up_when_the_older_one_turns_out_to_live)
{
    struct rig *rig = candidate("A B C");

    rig_links(rig, 'A', LINK_OPENED);
    grants(rig, 'C', NULL);
    rig_pass(rig, rig->timing.claim_ms + rig->timing.batch_ms, "A C");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_free(rig);
}

static void says_that_it_has_handed_over(struct rig *rig, char from, bool handed_over)
{
    const struct view *view = core_view(rig->core);

    rig_gets(rig, from,
             &(struct message){.type = MESSAGE_HEARTBEAT,
                               .heartbeat = {.view = view_id_of(view),
                                             .view_hash = view->hash,
                                             .handed_over = handed_over}});
}

/* C1b, H48: somebody said so in its name once; the others hear it, and would refuse for ever. */
Test(core_candidate, gives_up_when_the_coordinator_says_no_more_that_it_has_handed_over)
{
    struct rig *rig = rig_in("A B C", 'B');

    says_that_it_has_handed_over(rig, 'A', true);
    cr_assert_eq(claimed(rig, 'C'), 2);
    refuses(rig, 'C', VOTE_REFUSED_FRESH, 100);
    says_that_it_has_handed_over(rig, 'A', false);
    rig_pass(rig, 101, "A C");
    cr_assert_eq(claimed(rig, 'C'), 0);
    grants(rig, 'C', NULL);
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_free(rig);
}

/* --- Counting (C3) --- */

Test(core_candidate, does_not_win_over_a_refusal)
{
    struct rig *rig = candidate("A B C D");

    refuses(rig, 'C', VOTE_REFUSED_FRESH, 500);
    grants(rig, 'D', NULL);
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    grants(rig, 'C', NULL);
    cr_assert(is_proposed(rig, 'C'), "its evidence is complete now, too (C5a)");
    rig_free(rig);
}

Test(core_candidate, lets_all_answer_before_it_wins_by_a_majority)
{
    struct rig *rig = candidate("A B C D");

    grants(rig, 'C', NULL);
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0, "D may still object");
    rig_pass(rig, rig->timing.claim_ms, "C D");
    cr_assert(is_proposed(rig, 'C'), "T_claim is over");
    rig_free(rig);
}

/* H47: its loop reads its sockets only after each of these steps. */
Test(core_candidate, waits_again_while_its_own_loop_is_late)
{
    for (int chances = 2; chances <= 5; chances += 3) {
        struct rig *rig = candidate("A B C D");

        rig_pass(rig, rig->timing.claim_ms - 10, "C D");
        rig_sleeps(rig, 110);
        for (int i = 1; i < chances; i++) {
            rig_sleeps(rig, 100 + rig->timing.batch_ms);
        }
        grants(rig, 'C', NULL);
        grants(rig, 'D', NULL);
        cr_assert_eq(is_proposed(rig, 'C'), chances <= 4, "after %d times", chances);
        rig_free(rig);
    }
}

/* D's answer to the proposal of that hash. */
static void follows_the_dead(struct rig *rig, char member, uint64_t lineage, uint64_t hash)
{
    struct message answer = {
        .type = MESSAGE_NOT_FOLLOWING,
        .reference = {.view = view_id_of(core_view(rig->core)), .view_hash = hash}};

    answer.reference.view.lineage = lineage;
    rig_gets(rig, member, &answer);
}

static void acknowledges(struct rig *rig, char member, const struct view_id *id, uint64_t hash)
{
    rig_gets(rig, member,
             &(struct message){.type = MESSAGE_ACK, .reference = {.view = *id, .view_hash = hash}});
}

/* H7: D's answer did not come in time, but it is the answer: it hears A. */
Test(core_candidate, has_lost_when_a_refusal_comes_late)
{
    struct rig *rig = candidate("A B C D");
    char text[64];

    grants(rig, 'C', NULL);
    rig_pass(rig, rig->timing.claim_ms, "C D");
    const struct view *next = proposed(rig, 'C');
    cr_assert_eq(next->member_count, 3);
    const struct view_id id = view_id_of(next);
    uint64_t hash = next->hash;
    follows_the_dead(rig, 'D', core_view(rig->core)->lineage, hash);
    acknowledges(rig, 'C', &id, hash);
    rig_pass(rig, rig->timing.prepare_ms + 2 * rig->timing.batch_ms, "C D");
    cr_assert_str_eq(rig_sees(rig, text), "A B C D");
    rig_free(rig);
}

/* H48: D was shown a view that somebody made up in this candidate's name, and answers that. */
Test(core_candidate, is_not_refused_by_an_answer_to_something_else)
{
    struct rig *rig = candidate("A B C D");
    char text[64];

    grants(rig, 'C', NULL);
    rig_pass(rig, rig->timing.claim_ms, "C D");
    const struct view *next = proposed(rig, 'C');
    const struct view_id id = view_id_of(next);
    uint64_t hash = next->hash;
    follows_the_dead(rig, 'D', core_view(rig->core)->lineage, hash + 1);
    cr_assert_eq(rig->refused.reason, REFUSED_ANOTHER_CLAIM);
    acknowledges(rig, 'C', &id, hash);
    acknowledges(rig, 'D', &id, hash);
    cr_assert_str_eq(rig_sees(rig, text), "B C D");
    rig_free(rig);
}

/* H48: D was told a view of another founding in A's name, and would keep the dead A there for ever.
 * It is not waited for. */
Test(core_candidate, is_not_refused_by_who_believes_another_founding)
{
    struct rig *rig = candidate("A B C D");
    char text[64];

    grants(rig, 'C', NULL);
    rig_pass(rig, rig->timing.claim_ms, "C D");
    const struct view *next = proposed(rig, 'C');
    const struct view_id id = view_id_of(next);
    uint64_t hash = next->hash;
    follows_the_dead(rig, 'D', core_view(rig->core)->lineage + 1, hash);
    acknowledges(rig, 'C', &id, hash);
    cr_assert_str_eq(rig_sees(rig, text), "B C D");
    rig_free(rig);
}

/* --- What the winner builds on (C4) --- */

Test(core_candidate, builds_on_what_came_with_a_grant)
{
    struct rig *rig = candidate("A B C");

    grants(rig, 'C', rig_next(rig, "+D"));
    cr_assert(is_proposed(rig, 'D'));
    cr_assert_eq(proposed(rig, 'D')->member_count, 3);
    rig_free(rig);
}

Test(core_candidate, builds_on_what_it_had_accepted_itself)
{
    struct rig *rig = rig_in("A B C", 'B');

    rig_gets(rig, 'A',
             &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = rig_next(rig, "+D")}});
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'));
    rig_kill(rig, 'A');
    grants(rig, 'C', NULL);
    cr_assert(is_proposed(rig, 'D'));
    rig_free(rig);
}

Test(core_candidate, does_not_build_on_another_lineage)
{
    struct rig *rig = candidate("A B C");
    struct view *strange = rig_next(rig, "+D");

    strange->lineage++;
    view_seal(strange);
    grants(rig, 'C', strange);
    cr_assert_not(is_proposed(rig, 'D'));
    cr_assert_eq(proposed(rig, 'C')->member_count, 2);
    rig_free(rig);
}

/* A proposed to go on alone; then C, who had accepted that, and D die, too. */
Test(core_candidate, does_not_build_on_a_view_without_itself)
{
    struct rig *rig = candidate("A B C D");
    char text[64];

    grants(rig, 'C', rig_next(rig, "-B -C -D"));
    rig_kill(rig, 'C');
    rig_kill(rig, 'D');
    cr_assert_str_eq(rig_sees(rig, text), "B");
    rig_free(rig);
}

/* H2: A had gone deaf before it died, and removed D with its last proposal. */
Test(core_candidate, does_not_build_on_a_view_without_somebody_it_hears)
{
    struct rig *rig = candidate("A B C D");

    grants(rig, 'D', NULL);
    grants(rig, 'C', rig_next(rig, "-D"));
    cr_assert(is_proposed(rig, 'D'));
    rig_free(rig);
}

/* H30: D died with A. C says so, too, or it does not. */
Test(core_candidate, takes_out_who_died_beside_if_that_is_backed)
{
    for (int backed = 0; backed < 2; backed++) {
        struct rig *rig = rig_in("A B C D", 'B');
        struct heartbeat accuses = {.view = view_id_of(core_view(rig->core)),
                                    .view_hash = core_view(rig->core)->hash,
                                    .suspect_count = (uint8_t)backed,
                                    .suspects = {{.age = 4, .verdict = VERDICT_DEAD}}};

        rig_kill(rig, 'D');
        rig_gets(rig, 'C', &(struct message){.type = MESSAGE_HEARTBEAT, .heartbeat = accuses});
        rig_kill(rig, 'A');
        grants(rig, 'C', NULL);
        cr_assert_eq(proposed(rig, 'C')->member_count, backed ? 2 : 3);
        rig_free(rig);
    }
}

Test(core_candidate, names_those_who_granted_as_accusers)
{
    struct rig *rig = candidate("A B C");
    struct node_id dead = rig_id(rig, 'A');

    grants(rig, 'C', NULL);
    const struct gone *gone = view_find_gone(proposed(rig, 'C'), &dead);
    cr_assert_not_null(gone);
    cr_assert_eq(gone->accuser_count, 2);
    cr_assert_eq(gone->accusers[0], 2);
    cr_assert_eq(gone->accusers[1], 3);
    rig_free(rig);
}

static void shows(struct rig *rig, char member, struct view *view)
{
    rig_gets(rig, member, &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}});
}

/* H18: the higher view that came with the grant is from before D came and went. */
Test(core_candidate, gives_no_age_that_its_own_view_gave)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *higher = rig_next(rig, "");

    higher->version += 9;
    view_seal(higher);
    shows(rig, 'A', rig_next(rig, "+D"));
    shows(rig, 'A', rig_next(rig, "-D"));
    cr_assert_eq(core_view(rig->core)->next_age, 5);
    rig_kill(rig, 'A');
    grants(rig, 'C', higher);
    cr_assert_eq(proposed(rig, 'C')->next_age, 5);
    rig_free(rig);
}

/* H18: it leaves D out, whom B hears, and somebody had that age. */
Test(core_candidate, gives_no_age_that_a_view_left_aside_gave)
{
    struct rig *rig = candidate("A B C D");
    struct view *aside = rig_next(rig, "-D");

    aside->next_age = 9;
    view_seal(aside);
    grants(rig, 'D', NULL);
    grants(rig, 'C', aside);
    cr_assert(is_proposed(rig, 'D'));
    cr_assert_eq(proposed(rig, 'D')->next_age, 9);
    rig_free(rig);
}

/* H18: D may have been told that it is in; the voter's higher view does not know of it. */
Test(core_candidate, gives_no_age_that_an_accepted_proposal_gave)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *higher = rig_next(rig, "");

    higher->version += 9;
    view_seal(higher);
    rig_gets(rig, 'A',
             &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = rig_next(rig, "+D")}});
    rig_kill(rig, 'A');
    grants(rig, 'C', higher);
    cr_assert_not(is_proposed(rig, 'D'));
    cr_assert_eq(proposed(rig, 'C')->next_age, 5);
    rig_free(rig);
}

/* --- After a refusal (C5) --- */

Test(core_candidate, asks_again_when_the_time_that_was_named_has_passed)
{
    struct rig *rig = candidate("A B C D");
    const uint64_t wait_ms = rig->timing.prepare_ms / 50;

    grants(rig, 'D', NULL);
    refuses(rig, 'C', VOTE_REFUSED_FRESH, wait_ms);
    rig_pass(rig, wait_ms, "C D");
    cr_assert_eq(claimed(rig, 'C'), 0);
    rig_pass(rig, 1, "C D");
    cr_assert_eq(claimed(rig, 'C'), 2, "the same claim");
    cr_assert_eq(claimed(rig, 'D'), 0, "D has granted");
    rig_free(rig);
}

static void proposes(struct rig *rig, char coordinator, struct view *view)
{
    rig_gets(rig, coordinator,
             &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = view}});
}

/* H43: the claim is over, for A lives; what B promised itself must not hold A up for long. */
Test(core_candidate, forgets_what_it_promised_itself)
{
    struct rig *rig = candidate("A B C");
    struct view *next = rig_next(rig, "+D");

    rig_links(rig, 'A', LINK_OPENED);
    proposes(rig, 'A', next);
    cr_assert_not_null(rig_told(rig, MESSAGE_NACK, 'A'));
    rig_pass(rig, 2 * rig->timing.claim_ms, "A C");
    proposes(rig, 'A', next);
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'));
    rig_free(rig);
}

/* H6: D makes C wait, and C may still win; so B must not get C's grant for that same epoch. */
Test(core_candidate, keeps_its_promise_while_its_claim_is_out)
{
    struct rig *rig = rig_in("A B C D", 'C');

    rig_kill(rig, 'A');
    rig_kill(rig, 'B');
    cr_assert_eq(claimed(rig, 'D'), 2);
    refuses(rig, 'D', VOTE_REFUSED_FRESH, rig->timing.fresh_ms);
    rig_pass(rig, 2 * rig->timing.claim_ms + 1, "D");
    const struct message claim = rig_claim(rig_view(rig, "A B C D"), 2);
    rig_gets(rig, 'B', &claim);
    cr_assert_null(rig_granted(rig, 'B'));
    cr_assert_not_null(rig_refused(rig, 'B'));
    rig_free(rig);
}

/* How long after a defeat it claims again. */
static uint64_t claims_again_after_ms(struct rig *rig, char voter)
{
    uint64_t ms = 0;

    for (char alive[] = {voter, '\0'}; claimed(rig, voter) == 0; ms += 10) {
        cr_assert_leq(ms, 2 * rig->timing.claim_ms + 10);
        rig_pass(rig, 10, alive);
    }
    return ms;
}

/* H1: whatever it learns meanwhile. */
Test(core_candidate, does_not_claim_again_at_once)
{
    for (int won = 0; won < 2; won++) {
        struct rig *rig = candidate("A B C");

        if (won) { /* And its proposal is refused then. */
            grants(rig, 'C', NULL);
            const struct view *next = proposed(rig, 'C');
            rig_gets(rig, 'C',
                     &(struct message){.type = MESSAGE_NACK,
                                       .reference = {.view = view_id_of(next),
                                                     .view_hash = next->hash,
                                                     .promised = 5}});
        } else {
            refuses(rig, 'C', VOTE_REFUSED_EPOCH, 0);
        }
        cr_assert_eq(claimed(rig, 'C'), 0);
        rig_accuses(rig, 'C', 1, VERDICT_DEAD); /* Its evidence changes: it accuses A, too. */
        cr_assert_eq(claimed(rig, 'C'), 0);
        cr_assert_geq(claims_again_after_ms(rig, 'C'), rig->timing.claim_ms / 2);
        cr_assert_gt(claimed(rig, 'C'), won ? 5 : 2);
        rig_free(rig);
    }
}

/* H1: of those who claim at one time, each waits for a time of its own. */
Test(core_candidate, waits_for_a_random_time)
{
    static const char *const clusters[] = {"A B Z", "A C Z", "A D Z", "A E Z"};
    uint64_t first_ms = 0;
    bool differ = false;

    for (int i = 0; i < 4; i++) {
        struct rig *rig = rig_in(clusters[i], clusters[i][2]);

        rig_kill(rig, 'A');
        refuses(rig, 'Z', VOTE_REFUSED_EPOCH, 0);
        uint64_t ms = claims_again_after_ms(rig, 'Z');
        first_ms = i == 0 ? ms : first_ms;
        differ = differ || ms != first_ms;
        rig_free(rig);
    }
    cr_assert(differ, "all of them after %llu ms", (unsigned long long)first_ms);
}
