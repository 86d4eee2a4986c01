/* How a member lets a joiner in, and what stands against that (I2, J1 to J6, J8), step by step.
 * What must not let anybody in is in test_core_change.c. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/detection/removal.h"
#include "core/entry/join.h"
#include "core/state/state.h"
#include "message_content.h"
#include "rig.h"
#include "voter_bench.h"

/* --- Any member is a door (J1) --- */

Test(core_join, a_member_hands_a_join_on_once)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message join = joins(MESSAGE_JOIN, 'D', 0);

    rig_gets(rig, 'D', &join);
    cr_assert_eq(rig->sent_count, 1);
    const struct message *handed_on = rig_told(rig, MESSAGE_JOIN, 'A');
    cr_assert_not_null(handed_on);
    cr_assert_eq(handed_on->joiner.hops, 1);
    cr_assert(id_equal(&handed_on->joiner.member.id, &join.joiner.member.id));

    const uint64_t number = rig->core->out.number;
    join.joiner.hops = 1;
    rig_gets(rig, 'C', &join);
    cr_assert_eq(rig->sent_count, 0, "it would go round for ever");
    cr_assert_eq(rig->core->out.number, number, "nor is one of the step's messages made for it");
    rig_free(rig);
}

/* V6c. H74: the answer would go to this node itself. */
Test(core_join, who_joins_under_our_own_id_is_not_answered)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message join = joins(MESSAGE_JOIN, 'D', 0);

    join.joiner.member.id = rig_id(rig, 'A');
    rig_gets(rig, 'B', &join);
    cr_assert_eq(rig->sent_count, 0);
    rig_free(rig);
}

/* H27: whoever handed it on, and wherever it says it came from. */
Test(core_join, the_offer_goes_to_the_joiners_own_address)
{
    struct rig *rig = rig_in("A B", 'A');
    struct message join = joins(MESSAGE_JOIN, 'D', 0);

    join.joiner.hops = 1;
    rig_gets(rig, 'B', &join);
    cr_assert_eq(rig->sent_count, 1);
    cr_assert_not_null(rig_told(rig, MESSAGE_OFFER, 'D'));
    rig_free(rig);
}

/* F2c: by a member that watches its coordinator and does not hear it. */
Test(core_join, a_joiner_is_held_up_while_nobody_could_let_it_in)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message join = joins(MESSAGE_JOIN, 'D', 0);

    rig_hears(rig, 'A');
    rig_gets(rig, 'D', &join);
    cr_assert_null(rig_told(rig, MESSAGE_OFFER, 'D'), "the coordinator answers that");
    rig_pass(rig, rig->timing.fresh_ms, "C");
    rig_gets(rig, 'D', &join);
    cr_assert_not_null(rig_told(rig, MESSAGE_OFFER, 'D'));
    cr_assert_not_null(rig_told(rig, MESSAGE_JOIN, 'A'), "which may live");
    rig_free(rig);
}

/* --- What stands against a joiner (I2, J2) --- */

static uint64_t nonce_for(struct rig *rig, const struct message *asking)
{
    struct message join = *asking;
    char letter = (char)join.joiner.member.address.bytes[3];

    join.type = MESSAGE_JOIN;
    rig_gets(rig, letter, &join);
    const struct message *offer = rig_told(rig, MESSAGE_OFFER, letter);
    cr_assert_not_null(offer);
    return offer->offer.nonce;
}

/* It is ready as soon as it is offered a place. */
static void is_ready(struct rig *rig, struct message joiner)
{
    char letter = (char)joiner.joiner.member.address.bytes[3];

    joiner.joiner.nonce = nonce_for(rig, &joiner);
    joiner.type = MESSAGE_READY;
    rig->numbers[(unsigned char)letter]++;
    struct message ready = rig_message(rig, letter, &joiner);
    ready.from = joiner.joiner.member.id;
    rig_gets_raw(rig, &ready);
}

/* What is proposed within T_batch; NULL for nothing. */
static const struct view *proposed(struct rig *rig, char to)
{
    rig_pass(rig, rig->timing.batch_ms, "");
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, to);
    return prepare == NULL ? NULL : prepare->carrier.view;
}

/* H33 */
Test(core_join, each_of_the_terms_must_be_equal)
{
    for (int term = 0; term < 6; term++) {
        struct rig *rig = rig_in("A B", 'A');
        struct message join = joins(MESSAGE_JOIN, 'D', 0);
        struct terms *terms = &join.joiner.terms;
        uint64_t nonce = nonce_for(rig, &join);

        terms->guard.policy = term == 0 ? GUARD_COUNT : terms->guard.policy;
        terms->guard.count += term == 1;
        terms->profile = term == 2 ? PROFILE_WAN : terms->profile;
        terms->heartbeat_ms += term == 3;
        terms->lost_ms += term == 4;
        terms->capacity += term == 5;
        if (term == 1) { /* Of the same policy, another number. */
            terms->guard.policy = GUARD_COUNT;
        }
        for (int step = 0; step < 2; step++) {
            rig_gets(rig, 'D', &join);
            cr_assert_eq(rig->sent_count, 1);
            const struct message *refused = rig_told(rig, MESSAGE_JOIN_REFUSED, 'D');
            cr_assert_not_null(refused);
            cr_assert_eq(refused->join_refused.reason, JOIN_REFUSED_TERMS);
            struct terms ours = rig_terms();
            cr_assert(terms_equal(&refused->join_refused.terms, &ours));
            join.type = MESSAGE_READY;
            join.joiner.nonce = nonce;
        }
        cr_assert_null(proposed(rig, 'D'));
        rig_free(rig);
    }
}

static bool is_offered(struct rig *rig, const struct terms *terms)
{
    struct message join = joins(MESSAGE_JOIN, 'D', 0);

    join.joiner.terms = *terms;
    rig_gets(rig, 'D', &join);
    return rig_told(rig, MESSAGE_OFFER, 'D') != NULL;
}

/* Z13b: options are written once, and the voters change. */
Test(core_join, a_joiner_may_name_other_voters_than_the_view)
{
    struct rig *rig = rig_strict("A B C", 'A');
    struct terms terms = rig->core->terms;

    strcpy(terms.voters.names[0], "X");
    cr_assert(is_offered(rig, &terms));
    terms.voters.count = 2;
    cr_assert(is_offered(rig, &terms));
    terms.guard.policy = GUARD_COUNT;
    cr_assert_not(is_offered(rig, &terms), "it acts by another guard");
    rig_free(rig);
}

/* Z13a: two who found with other voters could both find a quorum. */
Test(core_join, who_would_found_with_other_voters_is_no_company)
{
    struct voter_bench *bench = bench_new_named('A');
    struct message join = joins(MESSAGE_JOIN, 'D', 0);

    bench->core->now_ms = bench->now_ms;
    join.joiner.terms = bench->core->terms;
    strcpy(join.joiner.terms.voters.names[2], "D");
    join_meet(bench->core, &join);
    cr_assert_eq(core_waiting(bench->core, bench->now_ms).met, 1, "itself");
    join.joiner.terms = bench->core->terms;
    join_meet(bench->core, &join);
    cr_assert_eq(core_waiting(bench->core, bench->now_ms).met, 2);
    bench_free(bench);
}

/* H22 */
Test(core_join, a_name_in_doubt_is_neither_given_nor_refused)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message join = joins(MESSAGE_JOIN, 'D', 0);

    join.joiner.member.name[0] = 'B';
    rig_gets(rig, 'D', &join);
    const struct message *refused = rig_told(rig, MESSAGE_JOIN_REFUSED, 'D');
    cr_assert_not_null(refused);
    cr_assert_eq(refused->join_refused.reason, JOIN_REFUSED_NAME);
    cr_assert_eq(refused->join_refused.address.bytes[3], 'B');

    rig_pass(rig, rig->timing.fresh_ms, "C"); /* B is silent, and nobody knows why. */
    is_ready(rig, join);
    cr_assert_null(rig_told(rig, MESSAGE_JOIN_REFUSED, 'D'));
    cr_assert_null(proposed(rig, 'D'));
    rig_hears(rig, 'B');
    join.type = MESSAGE_JOIN;
    rig_gets(rig, 'D', &join);
    cr_assert_not_null(rig_told(rig, MESSAGE_JOIN_REFUSED, 'D'));
    rig_free(rig);
}

Test(core_join, of_two_joiners_of_one_name_one_is_let_in)
{
    struct rig *rig = rig_in("A B", 'A');
    struct message other = joins(MESSAGE_JOIN, 'E', 0);
    char text[64];

    other.joiner.member.name[0] = 'D';
    is_ready(rig, joins(MESSAGE_JOIN, 'D', 0));
    is_ready(rig, other);
    const struct view *view = proposed(rig, 'D');
    cr_assert_not_null(view);
    cr_assert_str_eq(view_text(view, text, sizeof text), "A B D");
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'E'));
    rig_free(rig);
}

/* J2c, H59: the member speaks versions 1 to 3, so each of the two gets on with it, and neither with
 * the other. */
Test(core_join, of_two_joiners_who_share_no_version_one_is_let_in)
{
    struct rig *rig = rig_in("A", 'A');
    struct message first = joins(MESSAGE_JOIN, 'D', 0);
    struct message second = joins(MESSAGE_JOIN, 'E', 0);
    char text[64];

    rig->core->view.members[0].versions.high = 2;
    second.joiner.member.versions = (struct versions){.low = 1, .high = 2};
    is_ready(rig, first);
    is_ready(rig, second);
    const struct view *view = proposed(rig, 'D');
    cr_assert_not_null(view);
    cr_assert_str_eq(view_text(view, text, sizeof text), "A D");
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'E'));
    rig_free(rig);
}

/* --- Letting in (J4 to J8) --- */

/* H19: back before anybody noticed that it had gone, perhaps under another name. */
Test(core_join, a_joiner_at_a_members_address_replaces_it)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message back = joins(MESSAGE_JOIN, 'B', 0);
    struct node_id former = member_of('B').id;

    back.joiner.member.id = member_of('X').id;
    back.joiner.member.name[0] = 'N';
    is_ready(rig, back);
    const struct view *view = proposed(rig, 'C');
    cr_assert_not_null(view);
    cr_assert_eq(view->member_count, 3);
    cr_assert_not(view_has(view, &former));
    cr_assert_eq(view_find(view, &back.joiner.member.id), 2);
    const struct gone *gone = view_find_gone(view, &former);
    cr_assert_not_null(gone);
    cr_assert_eq(gone->reason, GONE_REPLACED);
    rig_free(rig);
}

/* H30 */
Test(core_join, what_comes_within_a_batch_goes_into_one_view)
{
    struct rig *rig = rig_in("A B C", 'A');
    char text[64];

    is_ready(rig, joins(MESSAGE_JOIN, 'E', 0));
    rig_pass(rig, rig->timing.batch_ms / 2, "");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    is_ready(rig, joins(MESSAGE_JOIN, 'D', 0));
    rig_accuses(rig, 'C', 2, VERDICT_DEAD);
    rig_kill(rig, 'B');
    rig_gets(rig, 'C', &(struct message){.type = MESSAGE_WISH, .wish = {.kind = WISH_LEAVE}});
    const struct view *view = proposed(rig, 'D');
    cr_assert_not_null(view);
    cr_assert_str_eq(view_text(view, text, sizeof text), "A E D", "in the order of arrival");
    cr_assert_eq(view->version, core_view(rig->core)->version + 1);
    rig_free(rig);
}

/* J5b, H30: and that is proposed at once, but for what comes with it. */
Test(core_join, the_dead_are_waited_with_for_a_moment_only)
{
    struct rig *rig = rig_in("A B C D E", 'A');
    char text[64];

    is_ready(rig, joins(MESSAGE_JOIN, 'F', 0));
    rig_accuses(rig, 'D', 2, VERDICT_DEAD);
    rig_kill(rig, 'B');
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_accuses(rig, 'D', 3, VERDICT_DEAD);
    rig_kill(rig, 'C');
    rig_pass(rig, rig->timing.batch_ms / 16, "");
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'D');
    cr_assert_not_null(prepare);
    cr_assert_str_eq(view_text(prepare->carrier.view, text, sizeof text), "A D E F");
    rig_free(rig);
}

/* J5b, H3 */
Test(core_join, the_dead_are_waited_with_while_more_die)
{
    struct rig *rig = rig_in("A B C D E F G", 'A');
    const uint64_t gap_ms = 10;

    rig->core->timing.batch_ms = 16 * gap_ms;
    for (char letter = 'B'; letter <= 'F'; letter++) {
        rig_accuses(rig, 'G', (uint64_t)(letter - 'A' + 1), VERDICT_DEAD);
        rig_kill(rig, letter);
        cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
        rig_pass(rig, gap_ms - 1, "");
        cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), letter < 'F' ? 0 : 1);
    }
    rig_free(rig);
}

static struct rig *with_a_lost_member(const char *alive)
{
    struct rig *rig = rig_in("A B C D", 'A');
    uint64_t left_ms = rig->timing.lost_ms;

    while (left_ms > 0) {
        const uint64_t part_ms = earlier(left_ms, rig->timing.heartbeat_ms);
        rig_pass(rig, part_ms, alive);
        left_ms -= part_ms;
    }
    return rig;
}

static void accused_by(struct rig *rig, const char *alive)
{
    for (; *alive != '\0'; alive++) {
        if (*alive != ' ') {
            rig_accuses(rig, *alive, 3, VERDICT_LOST);
        }
    }
}

/* J5b: nobody else is on the way out. */
Test(core_join, a_silent_one_goes_at_once_if_nobody_else_is_silent)
{
    struct rig *rig = with_a_lost_member("B D");

    accused_by(rig, "B D");
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'B');
    cr_assert_not_null(prepare);
    cr_assert_eq(prepare->carrier.view->member_count, 3);
    rig_free(rig);
}

/* J5b, H30: but waits for another one who is silent, too. */
Test(core_join, of_two_who_are_silent_the_first_waits)
{
    struct rig *rig = with_a_lost_member("D");
    char text[64];

    accused_by(rig, "D");
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'D'));
    rig_pass(rig, rig->timing.batch_ms, "");
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'D');
    cr_assert_not_null(prepare);
    cr_assert_str_eq(view_text(prepare->carrier.view, text, sizeof text), "A B D");
    rig_free(rig);
}

/* J5b: D finds C lost, too, and with the same heartbeat B dead. */
Test(core_join, who_is_found_dead_in_the_same_step_is_waited_with)
{
    struct rig *rig = with_a_lost_member("B D");
    const struct suspicion both[] = {{.age = 2, .verdict = VERDICT_DEAD},
                                     {.age = 3, .verdict = VERDICT_LOST}};

    rig_kill(rig, 'B');
    rig_names(rig, 'D', both, 2);
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'D'));
    rig_pass(rig, rig->timing.batch_ms / 16, "");
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'D');
    cr_assert_not_null(prepare);
    cr_assert_eq(prepare->carrier.view->member_count, 2);
    rig_free(rig);
}

/* J5b: who leaves goes anyway, and who is confirmed does. */
Test(core_join, who_is_about_to_go_is_no_company)
{
    struct rig *rig = with_a_lost_member("D");
    struct peer_charge *silent = &rig->core->peers[1].charge;
    struct peer_charge *lost = &rig->core->peers[2].charge;

    lost->confirmed = true;
    cr_assert(removal_is_anybody_silent(rig->core));
    silent->leaves = true;
    cr_assert_not(removal_is_anybody_silent(rig->core));
    lost->confirmed = false;
    cr_assert(removal_is_anybody_silent(rig->core));
    rig_free(rig);
}

/* H11, H12: its acknowledgement alone lists it nowhere. */
Test(core_join, a_joiner_is_in_when_the_view_is_committed)
{
    struct rig *rig = rig_in("A B", 'A');

    is_ready(rig, joins(MESSAGE_JOIN, 'D', 0));
    const struct view *view = proposed(rig, 'D');
    cr_assert_not_null(view);
    struct message ack = refers(MESSAGE_ACK, view);
    rig_must_see(rig, "A B");
    rig_gets(rig, 'D', &ack);
    rig_must_see(rig, "A B");
    rig_gets(rig, 'B', &ack);
    rig_must_see(rig, "A B D");
    cr_assert_eq(core_acked(rig->core), 3);
    rig_free(rig);
}

/* J4: another life of D waits behind the one that comes in, and is forgotten; E is not. */
Test(core_join, who_waits_beside_a_former_life_is_in_the_next_view)
{
    struct rig *rig = rig_in("A B", 'A');
    struct message former = joins(MESSAGE_JOIN, 'D', 0);
    char text[64];

    is_ready(rig, joins(MESSAGE_JOIN, 'D', 0));
    const struct view *view = proposed(rig, 'D');
    cr_assert_not_null(view);
    const struct message ack = refers(MESSAGE_ACK, view);
    former.joiner.member.id = member_of('X').id;
    is_ready(rig, former);
    is_ready(rig, joins(MESSAGE_JOIN, 'E', 0));
    rig_gets(rig, 'D', &ack);
    rig_gets(rig, 'B', &ack);
    rig_must_see(rig, "A B D");
    view = proposed(rig, 'E');
    cr_assert_not_null(view);
    cr_assert_str_eq(view_text(view, text, sizeof text), "A B D E");
    rig_free(rig);
}

/* V2, H6: D may hold a proposal that was given up, and must not take the next one for it. */
Test(core_join, a_version_is_used_once)
{
    struct rig *rig = rig_in("A B", 'A');

    is_ready(rig, joins(MESSAGE_JOIN, 'D', 0));
    const struct view *view = proposed(rig, 'D');
    cr_assert_not_null(view);
    uint64_t used = view->version;
    struct message ack = refers(MESSAGE_ACK, view);
    rig_gets(rig, 'B', &ack);
    rig_pass(rig, rig->timing.prepare_ms + rig->timing.batch_ms, "B");
    rig_must_see(rig, "A B");

    is_ready(rig, joins(MESSAGE_JOIN, 'E', 0));
    view = proposed(rig, 'E');
    cr_assert_not_null(view);
    cr_assert_gt(view->version, used);
    rig_free(rig);
}

/* --- Epochs of its earlier lives (J8) --- */

/* H6: epochs do not fall when everybody restarts. */
Test(core_join, a_joiner_of_a_higher_epoch_brings_a_new_one)
{
    struct rig *rig = rig_in("A B", 'A');
    struct message join = joins(MESSAGE_JOIN, 'D', 0);

    join.joiner.epoch_seen = 10;
    is_ready(rig, join);
    const struct view *view = proposed(rig, 'D');
    cr_assert_not_null(view);
    cr_assert_eq(view->epoch, 11);
    rig_free(rig);
}

/* A4b: the capacity became smaller; whoever comes in needs the room of the start all the same. */
Test(core_join, who_is_refused_is_told_the_capacity_to_start_with)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message join = joins(MESSAGE_JOIN, 'D', 0);
    const uint32_t room = join.joiner.terms.capacity + 1;

    rig->core->terms.number = 2;
    rig->core->terms.room = room;
    rig->core->view.agreed = (struct agreed){.number = 2, .room = room};
    rig_gets(rig, 'D', &join);
    const struct message *refused = rig_told(rig, MESSAGE_JOIN_REFUSED, 'D');
    cr_assert_not_null(refused);
    cr_assert_eq(refused->join_refused.terms.capacity, room);
    rig_free(rig);
}
