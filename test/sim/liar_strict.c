/* What is added to messages that voters go by. Each of these lies draws from a chance of its own,
 * so that lies that were told before it was thought of stay what they are. */
#include <string.h>

#include "base/hash.h"
#include "liar_parts.h"

static uint64_t any_length_ms(struct teller *teller, struct random *random)
{
    const struct timing wan = timing_of(PROFILE_WAN); /* The longest that is believed (Z15a). */
    const uint64_t lengths_ms[] = {0,
                                   1,
                                   teller->sim->timing.lease_ms,
                                   timing_hold_ms(&teller->sim->timing),
                                   teller->sim->timing.stall_ms,
                                   wan.lease_ms,
                                   timing_hold_ms(&wan),
                                   LEASE_MS_MAX};

    return lengths_ms[random_below(random, sizeof lengths_ms / sizeof lengths_ms[0])];
}

/* How long leases and grants last (Z15), and what a voter says of it. */
static void lie_about_lengths(struct teller *teller)
{
    struct message *message = teller->message;
    struct random random;

    random_seed(&random, hash_u64(teller->liar->told, message->number));
    const uint64_t lease_ms = any_length_ms(teller, &random);
    const uint64_t hold_ms = any_length_ms(teller, &random);
    if (message->type == MESSAGE_PING && message->ping.asked.epoch != 0) {
        message->ping.asked.lease_ms = lease_ms == 0 ? 1 : lease_ms;
        message->ping.asked.hold_ms = hold_ms;
    } else if (message->type == MESSAGE_PREPARE) {
        message->carrier.lease_ms = lease_ms;
        message->carrier.hold_ms = lease_ms == 0 ? 0 : hold_ms;
    } else if (message->type == MESSAGE_CLAIM) {
        message->carrier.lease_ms = lease_ms;
        message->carrier.hold_ms = hold_ms;
    } else if (message->type == MESSAGE_VOTE && message->carrier.vote.result == VOTE_GRANTED) {
        message->carrier.vote.wait_ms = hold_ms;
    }
}

/* In the name of a voter that the receiver verifies, with the nonce that its helpers know (R1): it
 * leases. */
static void lie_as_helper(struct teller *teller)
{
    struct message *message = teller->message;
    const struct ping *asked = &teller->to->asked;
    const struct view *view = core_view(teller->to->core);
    const uint32_t position = view_find(view, &asked->subject);
    struct random random;

    random_seed(&random, hash_u64(~teller->liar->told, message->number));
    if (message->type != MESSAGE_PONG || position == VIEW_NONE || random_below(&random, 2) == 0) {
        return;
    }
    const struct member *member = &view->members[position];
    const uint8_t place = voter_lists_find_name(&view->voters, member->name);
    if (place != VOTER_NONE) {
        message->from = member->id;
        message->source = member->address;
        message->ping = *asked;
        message->ping.said = (struct lease_said){
            .promised = view->epoch, .leased = true, .record = view->voters.voters[place].record};
    }
}

/* Z2k: a stranger goes on asking for an epoch above whatever the receiver has promised. */
static void outbid(struct teller *teller)
{
    struct message *message = teller->message;
    const struct voter_state voter = core_voter(teller->to->core, 0);
    struct random random;

    random_seed(&random, hash_u64(~teller->liar->told, message->number));
    if (message->type == MESSAGE_CLAIM && teller->stranger && random_below(&random, 2) == 0) {
        message->carrier.lineage = voter.lineage;
        message->carrier.epoch = voter.promise.epoch + 1;
    }
}

/* Z4d: a stranger proposes a view that has itself alone, as one who begins anew does. */
static void propose_as_outsider(struct teller *teller)
{
    struct message *message = teller->message;
    const struct voter_state voter = core_voter(teller->to->core, 0);
    const struct view *known = teller->known;
    struct view *view = &teller->liar->view;
    struct random random;

    random_seed(&random, hash_u64(teller->liar->told ^ UINT64_C(0x414c4f4e45), message->number));
    if (message->type != MESSAGE_PREPARE || !teller->stranger || known->voters.count == 0 ||
        random_below(&random, 2) == 0) {
        return;
    }
    view_clear(view);
    view->lineage = voter.lineage;
    view->epoch = voter.promise.epoch + 1 + random_below(&random, 3);
    view->version = known->version + 1;
    view->cause = CAUSE_CLAIM;
    view->parent = view_id_of(known);
    view->agreed = known->agreed;
    voter_lists_copy(&view->voters, &known->voters);
    view->member_count = 1;
    memset(&view->members[0], 0, sizeof view->members[0]);
    lie_name_member(&view->members[0], teller->to);
    view->members[0].id = message->from;
    view->members[0].address = message->source;
    view->members[0].age = known->next_age;
    view->members[0].incarnation = MARK + teller->liar->told;
    view->next_age = known->next_age + 1;
    view_seal(view);
    liar_remember(teller->liar, view->hash, true);
    message->carrier = (struct view_carrier){.view = view};
}

/* Z16b: a stranger asks the record itself for its lease, and goes on once it has it. */
static void ask_for_lease_as_outsider(struct teller *teller)
{
    struct message *message = teller->message;
    const struct voter_state voter = core_voter(teller->to->core, 0);
    struct random random;

    random_seed(&random, hash_u64(teller->liar->told ^ UINT64_C(0x4c45415345), message->number));
    if (message->type != MESSAGE_PING || !teller->stranger || id_is_none(&voter.record_id) ||
        random_below(&random, 2) == 0) {
        return;
    }
    const bool had_it = id_equal(&voter.promise.life, &teller->liar->strangers[0]);
    message->from = teller->liar->strangers[0];
    message->ping.subject = voter.record_id;
    message->ping.asked.lineage = voter.lineage;
    message->ping.asked.epoch = voter.promise.epoch + !had_it;
    message->ping.asked.lease_ms = 1; /* See lie_about_lengths. */
}

/* Z16b: in the name of whom a witness has leased to, it is asked for its lease again. */
static void ask_witness_again(struct teller *teller)
{
    struct message *message = teller->message;
    const struct voter_state voter = core_voter(teller->to->core, 0);
    struct random random;

    random_seed(&random, hash_u64(teller->liar->told ^ UINT64_C(0x5749544e), message->number));
    if (message->type != MESSAGE_PING || !teller->forges || !teller->to->only_votes ||
        !id_equal(&voter.promise.life, &message->from) || random_below(&random, 4) == 0) {
        return;
    }
    message->ping.subject = voter.record_id;
    message->ping.asked = (struct lease_asked){
        .lineage = voter.lineage, .epoch = voter.promise.epoch, .lease_ms = 1};
}

/* V4g, V7: who lets in a joiner that has no vote shows it a view in which nobody lives but itself,
 * and with a version that all others drop, mostly. */
static void welcome_to_nowhere(struct teller *teller)
{
    struct message *message = teller->message;
    const struct view *known = teller->known;
    struct view *view = &teller->liar->view;
    struct random random;

    random_seed(&random, hash_u64(teller->liar->told ^ UINT64_C(0x4a4f494e), message->number));
    if (message->type != MESSAGE_VIEW || core_phase(teller->to->core) != PHASE_JOINING ||
        known->voters.count == 0 || random_below(&random, 2) == 0 ||
        sim_may_have_a_vote(teller->sim, host_index(teller->sim, teller->to))) {
        return;
    }
    view_copy(view, known);
    view->parent = view_id_of(known);
    view->cause = CAUSE_CHANGE;
    view->version += random_below(&random, 4) == 0 ? 1 : 2 * LEAP_MAX;
    view->gone_count = 0;
    view->member_count = 2;
    memset(view->members, 0, 2 * sizeof view->members[0]);
    view->members[0].id = id_draw(&random);
    view->members[0].address = lie_nowhere(teller);
    view->members[0].age = known->members[0].age;
    view->members[0].incarnation = MARK + teller->liar->told;
    memcpy(view->members[0].name, "nobody", sizeof "nobody");
    lie_name_member(&view->members[1], teller->to);
    view->members[1].age = view->next_age++;
    view_seal(view);
    liar_remember(teller->liar, view->hash, teller->stranger);
    message->carrier = (struct view_carrier){.view = view};
}

/* How often a record was written (Z14): more often than it was, or less. */
static void lie_about_writes(struct teller *teller)
{
    struct message *message = teller->message;
    const struct voter_state voter = core_voter(teller->to->core, 0);
    const uint64_t all[] = {0, 1, voter.syncs + 1, UINT64_MAX};
    struct random random;

    random_seed(&random, ~hash_u64(teller->liar->told, message->number));
    const uint64_t writes = all[random_below(&random, sizeof all / sizeof all[0])];
    if (message->type == MESSAGE_PING && message->ping.asked.epoch != 0) {
        message->ping.asked.record = voter.record_id;
        message->ping.asked.writes = writes;
    } else if (message->type == MESSAGE_PONG && message->ping.said.promised != 0) {
        message->ping.said.writes = writes;
    } else if (message->type == MESSAGE_VOTE) {
        message->carrier.vote.writes = writes;
    }
}

/* Z6b, Z16b: a question for the lease as the one would put it in whose name it is, to the member or
 * to its record. */
static void ask_for_lease_as_member(struct teller *teller)
{
    struct message *message = teller->message;
    const struct voter_state voter = core_voter(teller->to->core, 0);
    struct random random;

    random_seed(&random, hash_u64(teller->liar->told ^ UINT64_C(0x46454c4c4f57), message->number));
    if (message->type != MESSAGE_PING || !teller->to_limits || voter.promise.epoch == 0) {
        return;
    }
    teller->asks_record = random_below(&random, 2) == 0;
    message->ping.subject = teller->asks_record ? voter.record_id : teller->to->witness.life;
    message->ping.origin = message->from;
    message->ping.asked = (struct lease_asked){.lineage = voter.lineage,
                                               .epoch = voter.promise.epoch,
                                               .lease_ms = 1, /* See lie_about_lengths. */
                                               .record = voter.record_id,
                                               .writes = UINT64_MAX};
}

/* Z1e: with the record of the one in whose name it is. */
static void answer_as_voter(struct teller *teller)
{
    struct message *message = teller->message;
    const struct voter_lists *lists = &teller->known->voters;

    if (message->type != MESSAGE_VOTE || !teller->to_limits || teller->from == NULL) {
        return;
    }
    const uint8_t place = voter_lists_find_name(lists, teller->from->name);
    if (place != VOTER_NONE) {
        message->carrier.vote.record = lists->voters[place].record;
        message->carrier.vote.writes = UINT64_MAX; /* It may have been written more often since. */
    }
}

void lie_under_strict(struct teller *teller)
{
    propose_as_outsider(teller);
    welcome_to_nowhere(teller);
    ask_for_lease_as_outsider(teller);
    ask_witness_again(teller);
    lie_about_lengths(teller);
    if (!teller->stranger) {
        lie_as_helper(teller);
    }
    lie_about_writes(teller);
    ask_for_lease_as_member(teller);
    answer_as_voter(teller);
    outbid(teller);
}
