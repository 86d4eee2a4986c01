#include "core/agreement/electorate.h"

#include "base/hash.h"
#include "core/detection/hearing.h"
#include "core/detection/route.h"
#include "core/state/outbox.h"

enum { SOUGHT_PER_TRY = 4 };

void electorate_start(struct core *core)
{
    core->electorate.own = voters_find(&core->terms.voters, core->life.self.name);
}

void electorate_learn(struct core *core, const struct member *node, uint32_t nonce)
{
    uint8_t voter = voters_find(&core->terms.voters, node->name);

    if (voter != VOTER_NONE) {
        core->electorate.addresses[voter] = node->address;
        core->electorate.lives[voter] = node->id;
        core->electorate.nonces[voter] = nonce;
    }
}

void electorate_learn_from(struct core *core, const struct message *vote)
{
    uint8_t voter = vote->carrier.vote.voter;

    if (voter != core->electorate.own && !vote->relay &&
        !id_equal(&core->electorate.lives[voter], &vote->from)) {
        core->electorate.addresses[voter] = vote->source;
        core->electorate.lives[voter] = vote->from;
        core->electorate.nonces[voter] = 0;
    }
}

/* Who was a member before may have another life by now that has asked to be let in. */
void electorate_on_view_installed(struct core *core, const struct installed *before)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        core->peers[i].franchise.voter = voters_find(&core->terms.voters,
                                                     core->view.members[i].name);
    }
    for (uint8_t voter = 0; voter < core->terms.voters.count; voter++) {
        uint32_t position = view_find_name(&core->view, core->terms.voters.names[voter]);
        if (position != VIEW_NONE && !view_has(before->view, &core->view.members[position].id)) {
            electorate_learn(core, &core->view.members[position], 0);
        }
    }
}

/* Is that life, which is in that view, the voter? */
static bool is_voter_in(const struct core *core, const struct view *view,
                        const struct node_id *life, uint8_t voter)
{
    const uint32_t position = view_find(view, life);

    return position != VIEW_NONE &&
           voters_find(&core->terms.voters, view->members[position].name) == voter;
}

/* Of this life. Whoever makes this node ask for a view learns the nonce of that, so votes have
 * another one. A number of a message, which is what is echoed between members, is never as high. */
static uint32_t nonce_of(const struct core *core, enum message_type question)
{
    const uint64_t purpose = question == MESSAGE_PULL ? 0 : 1;
    const uint64_t hash = hash_u64(hash_u64(core->life.salt, ~core->secret), purpose);

    return (uint32_t)hash_finish(hash) | UINT32_C(0x80000000);
}

/* Z8h: the life that was asked for a record echoes what its own JOIN said. That it was asked, the
 * lineage shows, which nobody knows before (Z8a). */
static bool was_asked_for_record(const struct core *core, const struct message *vote)
{
    const uint8_t voter = vote->carrier.vote.voter;

    return id_equal(&core->electorate.lives[voter], &vote->from) &&
           core->electorate.nonces[voter] != 0 && vote->echo == core->electorate.nonces[voter];
}

bool electorate_knows(const struct core *core, const struct message *vote)
{
    const uint8_t voter = vote->carrier.vote.voter;
    const struct view *proposed = &core->change.pending;
    const uint32_t position = view_find(&core->view, &vote->from);

    if (voter >= core->terms.voters.count) {
        return false;
    }
    if (vote->carrier.vote.kind == VOTE_FOUNDING) {
        return was_asked_for_record(core, vote) || id_equal(&vote->from, &core->life.self.id);
    }
    if (position != VIEW_NONE) {
        return core->peers[position].franchise.voter == voter;
    }
    if (core->change.on && is_voter_in(core, proposed, &vote->from, voter)) {
        return true; /* Its READY has proved where it is. */
    }
    return id_equal(&vote->from, &core->life.self.id) ||
           vote->echo == nonce_of(core, MESSAGE_BALLOT);
}

bool electorate_was_asked(const struct core *core, const struct message *answer)
{
    return answer->echo == nonce_of(core, MESSAGE_PULL) ||
           answer->echo == nonce_of(core, MESSAGE_BALLOT);
}

void electorate_ask_stranger(struct core *core, const struct message *message,
                             const struct node_id *peer, const struct address *address)
{
    if (message != NULL) {
        outbox_answer(core, message, peer, address, nonce_of(core, message->type));
    }
}

void electorate_ask_for_record(struct core *core, const struct message *message, uint8_t voter)
{
    const struct electorate *electorate = &core->electorate;

    if (!id_is_none(&electorate->lives[voter])) {
        outbox_answer(core, message, &electorate->lives[voter], &electorate->addresses[voter],
                      electorate->nonces[voter]);
    }
}

void electorate_ask_one(struct core *core, const struct message *message, uint8_t voter,
                        uint32_t sendings)
{
    const uint32_t position = view_find_name(&core->view, core->terms.voters.names[voter]);
    const struct member *member = position == VIEW_NONE ? NULL : &core->view.members[position];
    const struct address *last = &core->electorate.addresses[voter];
    bool is_fresh = member != NULL && hearing_is_fresh(core, position);

    if (member != NULL && timing_sends_briefly(sendings)) {
        route_send_brief(core, message, position); /* U3c */
    } else if (member != NULL) {
        route_send(core, message, position);
    }
    if (!is_fresh || !id_equal(&member->id, &core->electorate.lives[voter])) {
        electorate_ask_stranger(core, message, NULL, last);
    }
    if (member != NULL && !is_fresh && !address_equal(&member->address, last)) {
        electorate_ask_stranger(core, message, NULL, &member->address);
    }
}

void electorate_ask(struct core *core, const struct message *message, const struct tally *tally,
                    const uint64_t leased_ms[VOTERS_MAX], uint32_t sendings)
{
    for (uint8_t voter = 0; voter < core->terms.voters.count; voter++) {
        if (voter != core->electorate.own && tally->answers[voter] == ANSWER_NONE &&
            core->now_ms >= leased_ms[voter]) {
            electorate_ask_one(core, message, voter, sendings);
        }
    }
}

void electorate_seek(struct core *core, const struct message *message)
{
    struct address targets[SOUGHT_PER_TRY];
    /* Where it is alone with its view, others may live at the addresses that this one names. */
    const bool alone = hearing_is_alone(core, core->timing.flap_ms);
    uint32_t count = book_next(&core->book, alone ? NULL : &core->view,
                               core->electorate.sought++ % 2 == 0, targets, SOUGHT_PER_TRY);

    for (uint32_t i = 0; i < count; i++) {
        electorate_ask_stranger(core, message, NULL, &targets[i]);
    }
}

static uint32_t count_of(const struct core *core, const struct tally *tally, enum answer answer)
{
    uint32_t count = 0;

    for (uint8_t voter = 0; voter < core->terms.voters.count; voter++) {
        count += tally->answers[voter] == answer;
    }
    return count;
}

bool electorate_agrees(const struct core *core, const struct tally *tally)
{
    return quorum_is_majority(count_of(core, tally, ANSWER_YES), core->terms.voters.count);
}

bool electorate_lacks_one(const struct core *core, const struct tally *tally)
{
    return quorum_is_majority(count_of(core, tally, ANSWER_YES) + 1, core->terms.voters.count);
}

bool electorate_may_agree(const struct core *core, const struct tally *tally)
{
    uint32_t refused = count_of(core, tally, ANSWER_NO);

    return quorum_is_majority(core->terms.voters.count - refused, core->terms.voters.count);
}

bool electorate_refuses(const struct core *core, const struct tally *tally)
{
    return count_of(core, tally, ANSWER_NO) > 0;
}

bool electorate_is_unanimous(const struct core *core, const struct tally *tally)
{
    return count_of(core, tally, ANSWER_YES) == core->terms.voters.count;
}
