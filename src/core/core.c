/* The core as a whole: setting it up, one step, and the two lists of who is told of a new view and
 * of the end of a life. What a driver may ask between steps is in query.c. */
#include "core/core.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "core/agreement/accord.h"
#include "core/agreement/campaign.h"
#include "core/agreement/change.h"
#include "core/agreement/change_accept.h"
#include "core/agreement/change_answers.h"
#include "core/agreement/change_commit.h"
#include "core/agreement/change_count.h"
#include "core/agreement/change_propose.h"
#include "core/agreement/claim.h"
#include "core/agreement/electorate.h"
#include "core/agreement/install.h"
#include "core/agreement/news.h"
#include "core/agreement/next_view.h"
#include "core/agreement/promise.h"
#include "core/agreement/spread.h"
#include "core/agreement/successor.h"
#include "core/agreement/voter.h"
#include "core/agreement/voting.h"
#include "core/detection/detector.h"
#include "core/detection/flap.h"
#include "core/detection/follow.h"
#include "core/detection/hearing.h"
#include "core/detection/lease.h"
#include "core/detection/numbers.h"
#include "core/detection/peers.h"
#include "core/detection/removal.h"
#include "core/detection/rounds.h"
#include "core/detection/signs.h"
#include "core/detection/standing.h"
#include "core/detection/verdict.h"
#include "core/detection/watch.h"
#include "core/entry/admit.h"
#include "core/entry/founding.h"
#include "core/entry/join.h"
#include "core/entry/leave.h"
#include "core/entry/lifecycle.h"
#include "core/entry/move.h"
#include "core/entry/tag.h"
#include "core/entry/terms.h"
#include "core/healing/merge.h"
#include "core/healing/probe.h"
#include "core/holding/holding.h"
#include "core/holding/roster.h"
#include "core/model/marks.h"
#include "core/state/announce.h"
#include "core/state/outbox.h"
#include "core/state/refuse.h"

/* --- Setting up --- */

/* Hands out parts of the core's one block. */
struct arena {
    uint8_t *base; /* NULL: only counts */
    size_t used;
};

static void *take(struct arena *arena, size_t bytes)
{
    size_t at = arena->used;

    arena->used += (bytes + 15) & ~(size_t)15;
    return arena->base == NULL ? NULL : arena->base + at;
}

static void take_view(struct arena *arena, struct view *view, uint32_t capacity)
{
    void *storage = take(arena, view_bytes(capacity));

    if (arena->base != NULL) {
        view_init(view, capacity, storage);
        view_clear(view);
    }
}

static void take_rings(struct arena *arena, struct rings *rings, uint32_t capacity)
{
    void *storage = take(arena, rings_bytes(capacity));

    if (arena->base != NULL) {
        rings_init(rings, capacity, storage);
    }
}

static void lay_out(struct arena *arena, struct core *core, uint32_t capacity)
{
    uint32_t joins = capacity < JOIN_QUEUE_MAX ? capacity : JOIN_QUEUE_MAX;

    take_view(arena, &core->view, capacity);
    take_view(arena, &core->former, capacity);
    take_view(arena, &core->change.pending, capacity);
    take_view(arena, &core->voter.accepted, capacity);
    take_view(arena, &core->claim.base, capacity);
    take_view(arena, &core->claim.shown, capacity);
    take_view(arena, &core->campaign.best, capacity);
    take_view(arena, &core->next.building, capacity);
    core->peers = take(arena, capacity * sizeof(struct peer));
    core->peers_former = take(arena, capacity * sizeof(struct peer));
    core->doubts = take(arena, capacity * sizeof(struct peer_doubts));
    core->doubts_former = take(arena, capacity * sizeof(struct peer_doubts));
    take_rings(arena, &core->rings, capacity);
    core->watching.list = take(arena, capacity * sizeof core->watching.list[0]);
    core->removal.accusers = take(arena, capacity * sizeof core->removal.accusers[0]);
    core->answered.members = take(arena, capacity);
    core->claim.answers = take(arena, capacity);
    core->next.joiner_capacity = joins;
    core->next.joiners = take(arena, joins * sizeof(struct member));
    core->next.joiner_tags = take(arena, joins * sizeof(struct tags));
    core->listed.candidate_capacity = roster_capacity(capacity);
    core->listed.candidates = take(arena,
                                   core->listed.candidate_capacity * sizeof(struct candidate));
    core->listed.roles = take(arena, ROLES_MAX * sizeof(struct role));
    core->listed.sums = take(arena, capacity * sizeof(struct listed_sum));
    core->roster.members = take(arena, capacity * sizeof(struct roster_member));
    core->roster.former = take(arena, capacity * sizeof(struct roster_member));
    core->out.capacity = outbox_capacity(capacity);
    core->out.items = take(arena, core->out.capacity * sizeof(struct effect));
    core->out.messages = take(arena, MESSAGES_PER_STEP_MAX * sizeof(struct message));
    core->out.notice_capacity = outbox_notices(capacity);
    core->out.notices = take(arena, core->out.notice_capacity * sizeof(struct notice));
}

size_t core_bytes(uint32_t capacity)
{
    struct core layout; /* What it holds is not looked at. */
    struct arena arena = {0};

    take(&arena, sizeof(struct core));
    lay_out(&arena, &layout, capacity);
    return arena.used;
}

/* All but its table, in which an empty view is looked for, too. */
static struct core_part part_of(const struct view *view)
{
    const uint8_t *start = (const uint8_t *)view->members;

    return (struct core_part){view->members, (size_t)((const uint8_t *)view->index - start)};
}

uint32_t core_unused(const struct core *core, struct core_part out[CORE_PARTS_MAX])
{
    const struct view *const kept[] = {&core->change.pending, &core->voter.accepted,
                                       &core->claim.base, &core->campaign.best};
    uint32_t count = 0;

    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        if (view_is_empty(kept[i])) {
            out[count++] = part_of(kept[i]);
        }
    }
    out[count++] = part_of(&core->former);
    out[count++] = part_of(&core->claim.shown);
    out[count++] = part_of(&core->next.building);
    out[count++] = (struct core_part){core->peers_former, core->capacity * sizeof(struct peer)};
    out[count++] = (struct core_part){core->doubts_former,
                                      core->capacity * sizeof(struct peer_doubts)};
    out[count++] = (struct core_part){core->out.items, core->out.capacity * sizeof(struct effect)};
    out[count++] = (struct core_part){core->out.notices,
                                      core->out.notice_capacity * sizeof(struct notice)};
    return count;
}

static bool hands_over(const struct core *core)
{
    return leave_hands_over(core) || successor_is_awaited(core);
}

/* When something is due by what holds now. */
static uint64_t soonest_ms(const struct core *core)
{
    if (core->life.phase == PHASE_STOPPED) {
        return NEVER_MS;
    }
    uint64_t due_ms = core_is_strict(core)
                          ? earlier(campaign_deadline_ms(core), voter_deadline_ms(core))
                          : NEVER_MS;
    if (core->life.phase == PHASE_JOINING) {
        return earlier(join_deadline_ms(core), earlier(change_deadline_ms(core), due_ms));
    }
    due_ms = earlier(due_ms, earlier(core->rounds.next_ms, core->looking.next_ms));
    due_ms = earlier(due_ms, standing_deadline_ms(core));
    due_ms = earlier(due_ms, holding_deadline_ms(core));
    due_ms = earlier(due_ms, core->removal.verify_ms);
    due_ms = earlier(due_ms, claim_deadline_ms(core));
    due_ms = earlier(due_ms, leave_deadline_ms(core));
    due_ms = earlier(due_ms, move_deadline_ms(core));
    due_ms = earlier(due_ms, merge_deadline_ms(core));
    due_ms = earlier(due_ms, change_deadline_ms(core));
    if (!core->change.on && core_is_coordinator(core) && !hands_over(core) &&
        !core->merge.yielding) {
        due_ms = earlier(due_ms, core->next.due_ms);
    }
    return earlier(due_ms, core_is_coordinator(core) ? core->probe.due_ms : NEVER_MS);
}

struct core *core_init(void *block, const struct core_options *options, uint64_t now_ms)
{
    struct arena arena = {.base = block};
    struct core *core = take(&arena, sizeof *core);

    memset(core, 0, CORE_CLEARED); /* What it points to is written before it is read. */
    lay_out(&arena, core, options->capacity);
    random_seed_wide(&core->random, options->random_seed);
    core->secret = random_u64(&core->random);
    lifecycle_draw_id(core);
    core->life.self.address = options->address;
    core->life.self.incarnation = options->incarnation + 1;
    core->life.self.versions = options->versions;
    bool fits = text_set(core->life.self.name, sizeof core->life.self.name, options->name,
                         text_length(options->name, NAME_BYTES_MAX + 1));
    assert(fits);
    core->life.self.tags = &core->life.tags;
    if (options->tags != NULL) {
        tags_copy(&core->life.tags, options->tags);
    }
    core->terms = (struct terms){.guard = options->guard,
                                 .profile = options->profile,
                                 .watchers = options->watchers,
                                 .heartbeat_ms = options->timing.heartbeat_ms,
                                 .lost_ms = options->timing.lost_ms,
                                 .capacity = options->capacity};
    if (options->voters != NULL) {
        core->terms.voters = *options->voters;
    }
    core->timing = options->timing;
    core->timing.expect_ms = core->timing.heartbeat_ms;
    core->timing.reign_ms = core->timing.lost_ms;
    core->configured.terms = core->terms;
    core->configured.timing = core->timing;
    core->has_seeds = options->has_seeds;
    core->expect = options->expect;
    core->capacity = options->capacity;
    core->gossips = options->dissemination == DISSEMINATION_GOSSIP;
    accord_start(core, &options->agreed, &options->started);
    core->promise.seen = options->epoch_seen;
    core->now_ms = now_ms;
    book_init(&core->book, &options->address);
    flap_start(core);
    signs_reset(core);
    rounds_reset(core);
    detector_reset(core);
    removal_reset(core);
    next_view_reset(core);
    probe_reset(core);
    holding_start(core);
    electorate_start(core);
    voter_start(core, options->record, options->record_damaged);
    core->tagging.on = false; /* Behind CORE_CLEARED. */
    core->life.phase = PHASE_JOINING;
    join_start(core, false);
    core->due_ms = soonest_ms(core);
    return core;
}

/* --- What all modules are told --- */

/* In the order in which watchers hear of it: the phase, who went and who came, the view, the
 * coordinator. Each module settles what referred to the view before. */
void announce_view_installed(struct core *core, const struct installed *before)
{
    /* J2d: no higher than this node can, whatever a view says. */
    core->version =
        versions_common(view_versions(&core->view, VIEW_NONE), core->life.self.versions).high;
    accord_on_view_installed(core);
    lifecycle_on_view_installed(core);
    peers_on_view_installed(core, before);
    watch_on_view_installed(core, before);
    detector_on_view_installed(core, before);
    numbers_on_view_installed(core, before);
    verdict_on_view_installed(core, before);
    follow_on_view_installed(core, before);
    flap_on_view_installed(core, before);
    book_on_view_installed(&core->book, &core->view, before->view);
    install_on_view_installed(core, before);
    news_tell_members(core, before);
    watch_hold_lifelines(core);
    claim_on_view_installed(core);
    electorate_on_view_installed(core, before);
    voter_on_view_installed(core);
    campaign_on_view_installed(core);
    promise_on_view_installed(core, before);
    change_on_view_installed(core);
    change_count_on_view_installed(core, before);
    change_accept_on_view_installed(core);
    next_view_on_view_installed(core, before);
    move_on_view_installed(core);
    merge_on_view_installed(core);
    probe_on_view_installed(core);
    holding_on_view_installed(core, before);
    news_tell_view(core, before);
    standing_on_view_installed(core);
    outbox_store(core);
    detector_announce_view(core, before);
}

/* What is not here outlives a life: the book, flapping names, the epochs seen, what watchers were
 * told last, and the merges that asked us. */
void announce_life_over(struct core *core)
{
    install_reset(core);
    signs_reset(core);
    rounds_reset(core);
    detector_reset(core);
    watch_reset(core);
    lease_reset(core);
    removal_reset(core);
    promise_reset(core);
    change_reset(core);
    change_count_reset(core);
    change_accept_reset(core);
    claim_reset(core);
    campaign_reset(core);
    next_view_reset(core);
    move_reset(core);
    merge_reset(core);
    probe_reset(core);
    holding_reset(core);
    join_on_start_over(core);
}

/* --- One step --- */

/* Z1d: a voter is asked by its name, whatever life it has by now; for a record by its life (Z8c).
 * Returns whether this was for the voter. It is no sign of life. */
static bool asks_the_voter(struct core *core, const struct message *message)
{
    if (!core_is_strict(core) || message->relay) {
        return false;
    }
    if (message->type == MESSAGE_BALLOT && message->carrier.epoch != 0) {
        voting_on_ballot(core, message);
        return true;
    }
    return message->type == MESSAGE_PREPARE && change_asks_voter(core, message);
}

/* R2f: from one fellow member to another. */
static bool is_between_fellows(const struct core *core, const struct message *message)
{
    return core_is_member(core) && view_has(&core->view, &message->to) &&
           view_has(&core->view, &message->from);
}

static void hand_on(struct core *core, const struct message *message)
{
    if (message->handed_on) {
        refuse(core, message, REFUSED_RELAYED_BEFORE);
    } else if (!is_between_fellows(core, message)) {
        refuse(core, message, REFUSED_RELAY_OF_STRANGERS);
    } else {
        REACHED(relayed);
        outbox_hand_on(core, message);
    }
}

/* What holds for every message, asked once (I1, V6). */
static bool passes_gate(struct core *core, const struct message *message)
{
    if (core->life.phase == PHASE_STOPPED) {
        refuse(core, message, REFUSED_STOPPED);
        return false;
    }
    if (id_equal(&message->from, &core->life.self.id)) {
        refuse(core, message, REFUSED_FROM_OURSELVES);
        return false;
    }
    if (!id_is_none(&message->to) && !id_equal(&message->to, &core->life.self.id)) {
        if (message->relay) {
            hand_on(core, message);
        } else if (!asks_the_voter(core, message)) {
            refuse(core, message, REFUSED_FOR_ANOTHER_LIFE);
        }
        return false;
    }
    return true;
}

/* V4j: whoever coordinates makes a view above it; that is this node, too, if its own coordinator
 * has come to believe so. */
static void on_view_not_ours(struct core *core, const struct message *message)
{
    bool believed = core_is_coordinator(core) ||
                    id_equal(&message->from, &core->view.members[0].id);

    if (believed && change_outdo(core, message->carrier.view)) {
        move_on_followed(core);
    }
}

/* L4, Z9e: what its own coordinator, or others under strict, held for long this node cannot follow.
 */
static void end_life_if_disowned(struct core *core)
{
    if (install_is_disowned(core)) {
        REACHED(disowned);
        lifecycle_end_life(core, REASON_LEFT_ALONE);
    }
}

static void on_view(struct core *core, const struct message *message)
{
    switch (install_on_view(core, message)) {
    case SHOWN_SETTLED:
        if (core_is_strict(core)) { /* There may be nobody left whose heartbeats would do it. */
            end_life_if_disowned(core);
        }
        return;
    case SHOWN_REFUSED:
        /* Should both coordinators turn out to be dead, it is still the highest view there is. */
        claim_consider(core, message);
        return;
    case SHOWN_LEFT_OUT:
        lifecycle_end_life(core, REASON_REMOVED);
        return;
    case SHOWN_TO_JOINER:
        if (join_believes(core, message)) {
            install_view(core, message->carrier.view);
        }
        return;
    case SHOWN_GONE:
        join_renew(core);
        return;
    case SHOWN_NOT_OURS:
        on_view_not_ours(core, message);
        return;
    }
}

static void on_prepare(struct core *core, const struct message *message)
{
    if (spread_is_known(core, message)) {
        return;
    }
    if (change_on_prepare(core, message)) {
        claim_drop(core);
        if (message->carrier.view->epoch >= core->campaign.epoch) {
            campaign_drop(core);
        }
        spread_hand_on(core, message, message->carrier.view);
        merge_on_accepted(core, message);
        move_on_accepted(core, message);
    } else if (core->life.phase == PHASE_MEMBER && merge_is_beyond_reach(core, message)) {
        REACHED(merge_beyond_reach);
        lifecycle_end_life(core, REASON_LEFT_ALONE);
    }
}

static void on_commit(struct core *core, const struct message *message)
{
    if (!spread_is_known(core, message) && change_on_commit(core, message)) {
        spread_hand_on(core, message, &core->view);
    }
}

static void on_probe(struct core *core, const struct message *message)
{
    if (probe_on_probe(core, message)) {
        merge_ask(core, message);
    }
}

/* Does the voter name a promise that leaps, or vote in another founding than this member's? */
static bool is_beyond(struct core *core, const struct message *vote)
{
    if (promise_epoch_leaps(core, vote->carrier.vote.promised)) {
        promise_near_epoch(core, vote->carrier.vote.promised);
        refuse(core, vote, REFUSED_EPOCH_LEAPS);
        return true;
    }
    if (core_is_member(core) && vote->carrier.lineage != core->view.lineage) {
        refuse(core, vote, REFUSED_VOTE_OF_OTHER_LINEAGE);
        return true;
    }
    return false;
}

/* Z9f: nobody lives in its view but itself, and those who live have another. */
static bool is_forlorn(const struct core *core)
{
    return core_is_member(core) && hearing_is_alone(core, core->timing.flap_ms);
}

/* A voter's answer, from the network or from this node's own. */
static void on_vote(struct core *core, const struct message *message)
{
    const struct vote_answer *vote = &message->carrier.vote;

    if (!core_is_strict(core) || !electorate_knows(core, message)) {
        refuse(core, message, REFUSED_VOTER_UNKNOWN);
        return;
    }
    if (message->carrier.view != NULL && !install_is_sound(core, message)) {
        end_life_if_disowned(core);
        return;
    }
    if (is_beyond(core, message)) {
        install_saw_leap(core);
        end_life_if_disowned(core);
        return;
    }
    switch (vote->kind) {
    case VOTE_CLAIM:
        if (vote->result == VOTE_REFUSED_FRESH && is_forlorn(core)) {
            lifecycle_end_life(core, REASON_LEFT_ALONE);
            return;
        }
        if (vote->result == VOTE_REFUSED_FRESH && core->life.phase == PHASE_JOINING) {
            join_put_off_founding(core);
        }
        campaign_on_vote(core, message);
        return;
    case VOTE_PREPARE:
        change_on_vote(core, message);
        return;
    case VOTE_FOUNDING:
        founding_on_vote(core, message);
        return;
    case VOTE_HEARTBEAT:
        change_on_disagreement(core, message);
        return;
    }
}

/* What is only for guard strict. Returns whether it was that. */
static bool dispatch_ballots(struct core *core, const struct message *message)
{
    if (message->type == MESSAGE_VOTE) {
        on_vote(core, message);
        return true;
    }
    if (message->type != MESSAGE_BALLOT) {
        return false;
    }
    if (!core_is_strict(core)) {
        refuse(core, message, REFUSED_NO_VOTER);
    } else if (message->carrier.epoch == 0 && message->echo != join_echo(core)) {
        refuse(core, message, REFUSED_RECORD_UNASKED);
    } else {
        voting_on_ballot(core, message);
    }
    return true;
}

/* What a node may hear before it is a member. */
static void dispatch_joining(struct core *core, const struct message *message)
{
    switch (message->type) {
    case MESSAGE_VIEW:
        on_view(core, message);
        return;
    case MESSAGE_PREPARE:
        on_prepare(core, message);
        return;
    case MESSAGE_COMMIT:
        on_commit(core, message);
        return;
    case MESSAGE_JOIN:
        admit_on_join(core, message);
        return;
    case MESSAGE_OFFER:
        join_on_offer(core, message);
        return;
    case MESSAGE_JOIN_REFUSED:
        join_on_refused(core, message);
        return;
    case MESSAGE_PROBE:
        on_probe(core, message);
        return;
    case MESSAGE_PING:
        removal_on_ping(core, message);
        return;
    case MESSAGE_HEARTBEAT:
    case MESSAGE_PULL:
    case MESSAGE_ACK:
    case MESSAGE_NACK:
    case MESSAGE_NOT_FOLLOWING:
    case MESSAGE_CLAIM:
    case MESSAGE_GRANT:
    case MESSAGE_CLAIM_REFUSED:
    case MESSAGE_READY:
    case MESSAGE_LEAVE:
    case MESSAGE_HANDOVER:
    case MESSAGE_PONG:
    case MESSAGE_PING_REQUEST:
    case MESSAGE_MERGE:
    case MESSAGE_MERGE_REFUSED:
    case MESSAGE_HELLO:
    case MESSAGE_BALLOT:
    case MESSAGE_VOTE:
    case MESSAGE_STAND_DOWN:
    case MESSAGE_MOVE:
    case MESSAGE_ROLES_ASK:
    case MESSAGE_ROLES_ENTER:
    case MESSAGE_ROLES_LET_GO:
    case MESSAGE_ROLES_ANSWER:
    case MESSAGE_ROLES_PLACE:
    case MESSAGE_TAGS:
    case MESSAGE_TERMS:
        refuse(core, message, REFUSED_NOT_YET_MEMBER);
        return;
    }
}

/* Z6: a voter says that it leases to this node. */
static void note_lease(struct core *core, const struct message *message, uint32_t sender)
{
    bool to_us = id_equal(&message->heartbeat.view.coordinator, &core->life.self.id);

    if (!message->heartbeat.leased || !to_us || !message->fellow) {
        return;
    }
    uint8_t voter = core->peers[sender].franchise.voter;
    if (voter != VOTER_NONE) {
        lease_on_grant(core, voter, message->heartbeat.promised, message->echo);
    }
}

static void dispatch_heartbeat(struct core *core, const struct message *message, uint32_t sender,
                               bool newer)
{
    if (sender == VIEW_NONE && install_is_as_good_as_commit(core, message)) {
        install_view(core, &core->change.pending);
    } else if (sender == VIEW_NONE) {
        refuse(core, message, REFUSED_HEARTBEAT_OF_STRANGER);
        install_answer_stranger(core, message);
    } else if (!newer) {
        refuse(core, message, REFUSED_HEARTBEAT_OVERTAKEN);
    } else {
        detector_on_heartbeat(core, message, sender);
        note_lease(core, message, sender);
        install_compare(core, message, sender);
        change_compare(core, message, sender);
        claim_compare(core, message, sender);
        end_life_if_disowned(core);
    }
}

/* Of one who is no member nothing is newer (D6). */
static enum number take_number(struct core *core, const struct message *message, uint32_t sender)
{
    enum number number = sender == VIEW_NONE ? NUMBER_OLD : numbers_take(core, message, sender);

    if (number == NUMBER_NEWER || number == NUMBER_ANSWERS) {
        detector_heard(core, message, sender);
        if (message->fellow && !message->relay) {
            voting_on_sign_of_life(core, message);
        }
    }
    return number;
}

static void refuse_as_member(struct core *core, const struct message *message)
{
    refuse(core, message, REFUSED_ALREADY_MEMBER);
}

static void refuse_greeting(struct core *core, const struct message *message)
{
    refuse(core, message, REFUSED_GREETING);
}

static void on_ballot_or_vote(struct core *core, const struct message *message)
{
    (void)dispatch_ballots(core, message);
}

typedef void handler(struct core *core, const struct message *message);

/* Who acts on such a message when this node is a member. NULL: dispatch_member calls it, for it has
 * to know more than the message says. */
static handler *handler_of_member(enum message_type type)
{
    switch (type) {
    case MESSAGE_PULL:
        return install_on_pull;
    case MESSAGE_VIEW:
        return on_view;
    case MESSAGE_PREPARE:
        return on_prepare;
    case MESSAGE_ACK:
        return change_on_ack;
    case MESSAGE_NACK:
        return change_on_nack;
    case MESSAGE_NOT_FOLLOWING:
        return change_on_not_following;
    case MESSAGE_COMMIT:
        return on_commit;
    case MESSAGE_CLAIM:
        return claim_on_claim;
    case MESSAGE_GRANT:
        return claim_on_grant;
    case MESSAGE_CLAIM_REFUSED:
        return claim_on_refused;
    case MESSAGE_JOIN:
        return admit_on_join;
    case MESSAGE_READY:
        return admit_on_ready;
    case MESSAGE_LEAVE:
        return leave_on_leave;
    case MESSAGE_HANDOVER:
        return leave_on_handover;
    case MESSAGE_STAND_DOWN:
        return move_on_stand_down;
    case MESSAGE_MOVE:
        return move_on_move;
    case MESSAGE_PING:
        return removal_on_ping;
    case MESSAGE_PONG:
        return removal_on_pong;
    case MESSAGE_PING_REQUEST:
        return removal_on_ping_request;
    case MESSAGE_PROBE:
        return on_probe;
    case MESSAGE_MERGE:
        return merge_on_merge;
    case MESSAGE_MERGE_REFUSED:
        return merge_on_refused;
    case MESSAGE_OFFER:
    case MESSAGE_JOIN_REFUSED:
        return refuse_as_member;
    case MESSAGE_HELLO:
        return refuse_greeting;
    case MESSAGE_BALLOT:
    case MESSAGE_VOTE:
        return on_ballot_or_vote;
    case MESSAGE_HEARTBEAT:
    case MESSAGE_TAGS:
    case MESSAGE_TERMS:
    case MESSAGE_ROLES_ASK:
    case MESSAGE_ROLES_ENTER:
    case MESSAGE_ROLES_LET_GO:
    case MESSAGE_ROLES_ANSWER:
    case MESSAGE_ROLES_PLACE:
        break;
    }
    return NULL;
}

static void dispatch_member(struct core *core, const struct message *message)
{
    uint32_t sender = view_find(&core->view, &message->from);
    enum number number = take_number(core, message, sender);

    if (number == NUMBER_ANSWERS) {
        return;
    }
    if (number == NUMBER_LEAPS) {
        refuse(core, message, REFUSED_NUMBER_LEAPS);
        return;
    }
    const bool newer = number == NUMBER_NEWER;
    if (message->type == MESSAGE_HEARTBEAT) {
        dispatch_heartbeat(core, message, sender, newer);
        return;
    }
    handler *handle = handler_of_member(message->type);
    if (handle != NULL) {
        handle(core, message);
    } else if (message->type == MESSAGE_TAGS) {
        tag_on_tags(core, message, newer);
    } else if (message->type == MESSAGE_TERMS) {
        terms_on_terms(core, message, newer);
    } else {
        holding_on_message(core, message, sender); /* About a role. */
    }
}

static void on_message(struct core *core, const struct message *message)
{
    assert(message->type > 0 && message->type < MESSAGE_TYPE_COUNT);
    core->counters.received[message->type]++;
    if (!passes_gate(core, message)) {
        return;
    }
    if (core->life.phase == PHASE_JOINING && dispatch_ballots(core, message)) {
        return;
    }
    if (message->type == MESSAGE_PONG && voting_take_proof(core, message)) {
        return;
    }
    if (core->life.phase == PHASE_JOINING) {
        dispatch_joining(core, message);
    } else {
        dispatch_member(core, message);
    }
}

static void dispatch(struct core *core, const struct event *event)
{
    switch (event->type) {
    case EVENT_TICK:
        return;
    case EVENT_MESSAGE:
        on_message(core, event->message);
        return;
    case EVENT_LINK:
        if (core_is_member(core)) {
            detector_on_link(core, &event->link);
        }
        return;
    case EVENT_ADDRESSES:
        join_on_addresses(core, &event->addresses);
        return;
    case EVENT_LEAVE:
        leave_on_command(core);
        return;
    case EVENT_SYNCED:
        voter_on_synced(core, &event->synced);
        founding_on_synced(core);
        return;
    case EVENT_MOVE:
        move_on_command(core, &event->move);
        return;
    case EVENT_WITHDRAWN:
        move_on_withdrawn(core);
        return;
    case EVENT_ROLE:
        holding_on_command(core, event->role);
        return;
    case EVENT_TAGS:
        move_on_tags_command(core, event->tags);
        return;
    case EVENT_TERMS:
        move_on_terms_command(core, event->wish);
        return;
    }
}

/* D4: by how much this node's own loop was late. Only a deadline that has passed can tell. */
static uint64_t lateness_ms(const struct core *core, uint64_t deadline_ms, uint64_t now_ms)
{
    uint64_t due_ms = deadline_ms > core->now_ms ? deadline_ms : core->now_ms;
    uint64_t late_ms = now_ms > due_ms ? now_ms - due_ms : 0;

    return core_is_member(core) && late_ms > core->timing.silent_ms / 2 ? late_ms : 0;
}

/* D4: what this node had under way is void if it slept, and takes longer if it is only slow. */
static void on_late(struct core *core, uint64_t late_ms)
{
    if (detector_on_late(core, late_ms)) {
        claim_drop(core);
        campaign_drop(core);
        change_restart(core);
        promise_pause(core, core->detector.late_until_ms);
    } else {
        change_on_late(core, late_ms);
        claim_on_late(core, late_ms);
        verdict_put_off(core, late_ms);
    }
    outbox_notice_of(core, NOTICE_LATE, &core->life.self)->silent_ms = late_ms;
}

static void judge_evidence(struct core *core)
{
    if (core_is_strict(core)) {
        campaign_on_evidence(core);
    } else {
        claim_on_evidence(core);
    }
    switch (removal_review(core)) {
    case FOUND_DEAD:
        next_view_without_the_dead(core);
        break;
    case FOUND_OTHERS:
        next_view_soon(core);
        break;
    case FOUND_NOBODY:
        break;
    }
    if (install_is_left_alone(core)) {
        REACHED(left_alone);
        lifecycle_end_life(core, REASON_LEFT_ALONE);
    }
}

/* What is due by now, in a fixed order, so that a run can be repeated. */
static void run_due(struct core *core)
{
    if (core_is_member(core)) {
        detector_tick(core);
        if (removal_tick(core)) {
            next_view_soon(core);
        }
        promise_end_pause(core);
    }
    if (core_is_member(core) && verdict_take_evidence(core)) {
        judge_evidence(core);
    }
    claim_tick(core);
    if (core_is_strict(core)) {
        campaign_tick(core);
    }
    merge_tick(core);
    change_tick(core);
    move_tick(core);
    next_view_settle_terms(core);
    if (!hands_over(core)) {
        change_start_next(core);
    }
    leave_tick(core);
    probe_tick(core);
    join_tick(core);
}

/* Under guard strict: what this node's own voter has to say. */
static void take_votes(struct core *core)
{
    struct message vote;

    while (voting_take(core, &vote)) {
        on_vote(core, &vote);
    }
}

static void end_votes(struct core *core)
{
    voting_renew_own(core);
    if (campaign_take_out(core)) {
        if (core_is_member(core)) {
            lifecycle_end_life(core, REASON_REMOVED);
        } else {
            join_renew(core);
        }
    }
    voter_end_step(core);
}

/* Tells watchers, and under guard strict the others, who name a coordinator only once they have
 * heard that it acts (Z9b). */
static void tell(struct core *core)
{
    bool acted = core->standing.told_acting;

    standing_tell(core);
    if (core_is_strict(core) && core->standing.told_acting && !acted) {
        detector_announce_acting(core);
    }
}

struct effects core_step(struct core *core, const struct event *event)
{
    uint64_t installed = core->counters.views_installed;
    enum phase phase = core->life.phase;
    uint64_t handed_epoch = core->campaign.handed_epoch;
    uint64_t late_ms = lateness_ms(core, core->due_ms, event->now_ms);
    bool timer = event->now_ms >= core->due_ms;

    assert(event->now_ms >= core->now_ms);
    core->now_ms = event->now_ms;
    outbox_reset(core);
    change_begin_step(core);
    if (late_ms > 0) {
        on_late(core, late_ms);
    }
    dispatch(core, event);
    if (core->life.phase != PHASE_STOPPED) {
        if (core_is_strict(core)) {
            take_votes(core);
        }
        run_due(core);
        if (core_is_strict(core)) {
            end_votes(core);
        }
    }
    bool moved = core->counters.views_installed != installed || core->life.phase != phase ||
                 core->campaign.handed_epoch != handed_epoch;
    if ((timer || moved || !standing_is_told(core)) && core->life.phase != PHASE_STOPPED) {
        tell(core);
    }
    holding_tick(core);
    core->due_ms = soonest_ms(core);
    core_check(core);
    return (struct effects){.items = core->out.items, .count = core->out.count};
}

/* --- Invariants --- */

static void check_view(const struct core *core)
{
    const struct view *view = &core->view;

    assert(core->position < view->member_count); /* S3 */
    assert(id_equal(&view->members[core->position].id, &core->life.self.id));
    assert(view->members[view->member_count - 1].age < view->next_age);
    assert(view->member_count <= core->capacity && view->gone_count <= GONE_MAX);
    assert(view->epoch <= core->promise.seen);
}

void core_check(const struct core *core)
{
    assert(core_is_member(core) == !view_is_empty(&core->view) ||
           core->life.phase == PHASE_STOPPED);
    assert(core->next.joiner_count <= core->next.joiner_capacity);
    assert(core->book.count <= BOOK_MAX);
    assert(!(core->change.on && core->claim.on));
    assert(!core->change.on || !view_is_empty(&core->change.pending));
    if (core_is_member(core)) {
        check_view(core);
    }
}
