/* One function for each kind of lie. */
#include <stdio.h>
#include <string.h>

#include "liar_parts.h"

/* The envelope stays. */
static void begin(struct teller *teller, enum message_type type)
{
    struct message *message = teller->message;
    const struct node_id from = message->from;
    const struct address source = message->source;
    uint64_t number = message->number;

    message_clear(message, type);
    message->from = from;
    message->source = source;
    message->number = number;
}

static void tell_own_views(struct teller *teller)
{
    begin(teller, MESSAGE_VIEW);
    teller->message->carrier.view = lie_make_view(teller, teller->to);
}

static void tell_views(struct teller *teller)
{
    begin(teller, MESSAGE_VIEW);
    teller->message->carrier.view = lie_make_view(teller, lie_some_maker(teller));
}

static void tell_proposals(struct teller *teller)
{
    begin(teller, MESSAGE_PREPARE);
    teller->message->carrier.view = lie_make_view(teller, lie_some_maker(teller));
    if (chance(teller, 3)) {
        teller->message->carrier.handover_by = lie_any_id(teller);
    }
    teller->message->carrier.merge = chance(teller, 4) ? lie_leap(teller, 0) : 0;
}

/* What the receiver has proposed, what it was told to accept, or what there is not. */
static void refer(struct teller *teller, struct view_reference *reference)
{
    switch (draw(teller, 0, 3)) {
    case 0:
        reference->view = teller->to->proposal;
        reference->view_hash = teller->to->proposal_hash;
        return;
    case 1:
        if (!view_is_empty(&teller->liar->view)) {
            reference->view = view_id_of(&teller->liar->view);
            reference->view_hash = teller->liar->view.hash;
        }
        return;
    case 2:
        reference->view = lie_known_id(teller);
        reference->view_hash = teller->known->hash;
        return;
    default:
        reference->view = lie_any_view_id(teller);
        reference->view_hash = random_u64(teller->random);
        return;
    }
}

static void tell_acks(struct teller *teller)
{
    begin(teller, MESSAGE_ACK);
    refer(teller, &teller->message->reference);
}

/* What a member answers to a claim. */
static struct vote_answer *begin_vote_on_claim(struct teller *teller)
{
    begin(teller, MESSAGE_VOTE);
    teller->message->carrier.lineage = teller->known->lineage;
    teller->message->carrier.epoch = near(teller, teller->known->epoch);
    return &teller->message->carrier.vote;
}

static void tell_nacks(struct teller *teller)
{
    uint64_t epoch = teller->known->epoch;

    if (chance(teller, 2)) {
        begin(teller, MESSAGE_NACK);
        refer(teller, &teller->message->reference);
        teller->message->reference.promised = lie_leap(teller, epoch);
        return;
    }
    struct vote_answer *vote = begin_vote_on_claim(teller);
    vote->result = (enum vote_result)draw(teller, VOTE_REFUSED_EPOCH, VOTE_REFUSED_BEHIND);
    vote->wait_ms = draw(teller, 0, 100000);
    vote->promised = lie_leap(teller, epoch);
}

static void tell_not_following(struct teller *teller)
{
    begin(teller, MESSAGE_NOT_FOLLOWING);
    refer(teller, &teller->message->reference);
    if (chance(teller, 2)) {
        teller->message->reference.view = lie_any_view_id(teller);
    }
}

static void tell_commits(struct teller *teller)
{
    begin(teller, MESSAGE_COMMIT);
    refer(teller, &teller->message->reference);
}

static void tell_claims(struct teller *teller)
{
    struct view_carrier *carrier = &teller->message->carrier;

    begin(teller, MESSAGE_CLAIM);
    refer(teller, &carrier->named);
    carrier->lineage = carrier->named.view.lineage;
    carrier->epoch = lie_leap(teller, teller->known->epoch);
}

static void tell_grants(struct teller *teller)
{
    (void)begin_vote_on_claim(teller);
    if (chance(teller, 2)) {
        teller->message->carrier.view = lie_make_view(teller, lie_some_maker(teller));
    }
}

static void tell_joins(struct teller *teller)
{
    struct joiner *joiner = &teller->message->joiner;

    begin(teller, chance(teller, 3) ? MESSAGE_READY : MESSAGE_JOIN);
    joiner->member.id = chance(teller, 4) ? lie_any_id(teller) : teller->message->from;
    joiner->member.address = chance(teller, 2) ? lie_any_address(teller) : teller->message->source;
    joiner->member.incarnation = MARK + teller->liar->told;
    if (chance(teller, 3)) {
        snprintf(joiner->member.name, sizeof joiner->member.name, "%s",
                 lie_any_running(teller)->name);
    } else {
        snprintf(joiner->member.name, sizeof joiner->member.name, "stranger%u",
                 (unsigned)draw(teller, 0, 99));
    }
    joiner->terms = lie_any_terms(teller);
    joiner->may_found = chance(teller, 2);
    joiner->nonce = teller->message->type == MESSAGE_READY ? random_u64(teller->random) : 0;
    joiner->hops = (uint8_t)draw(teller, 0, 1);
    joiner->epoch_seen = lie_leap(teller, teller->known->epoch);
}

static void tell_offers(struct teller *teller)
{
    begin(teller, MESSAGE_OFFER);
    teller->message->offer.nonce = random_u64(teller->random);
    teller->message->offer.lineage = chance(teller, 2) ? teller->known->lineage
                                                       : lie_any_lineage(teller);
}

static void tell_refusals(struct teller *teller)
{
    struct join_refused *refused = &teller->message->join_refused;

    begin(teller, MESSAGE_JOIN_REFUSED);
    refused->reason = (enum join_refusal)draw(teller, JOIN_REFUSED_TERMS, JOIN_REFUSED_FULL);
    refused->terms = lie_any_terms(teller);
    refused->address = lie_any_address(teller);
    refused->limit = (uint32_t)draw(teller, 0, 8);
}

static void begin_wish(struct teller *teller, enum wish_kind kind)
{
    begin(teller, MESSAGE_WISH);
    teller->message->wish.kind = kind;
}

static void tell_leaves(struct teller *teller)
{
    begin_wish(teller, WISH_LEAVE);
}

static void tell_handovers(struct teller *teller)
{
    begin(teller, MESSAGE_HANDOVER);
    teller->message->carrier.view = lie_make_view(teller, lie_some_maker(teller));
}

static void tell_stand_downs(struct teller *teller)
{
    tell_handovers(teller);
    teller->message->carrier.stays = true;
}

static void tell_pings(struct teller *teller)
{
    const uint64_t kind = draw(teller, 0, 2); /* To the suspect, its answer, or to a helper. */

    begin(teller, kind == 1 ? MESSAGE_PONG : MESSAGE_PING);
    teller->message->ping.nonce = draw(teller, 0, 3);
    teller->message->ping.subject = kind == 0 || chance(teller, 4) ? teller->to->witness.life
                                                                   : lie_any_id(teller);
    teller->message->ping.origin = chance(teller, 2) ? teller->to->witness.life
                                                     : lie_any_id(teller);
    if (chance(teller,
               2)) { /* Somebody reigns and asks for leases, or a voter says what it gave. */
        teller->message->ping.asked = (struct lease_asked){
            .lineage = lie_known_id(teller).lineage,
            .epoch = chance(teller, 2) ? teller->known->epoch + (teller->known->epoch == 0)
                                       : 1 + lie_leap(teller, teller->known->epoch) / 2,
            .lease_ms = 1};
        teller->message->ping.said = (struct lease_said){
            .promised = 1 + lie_leap(teller, teller->known->epoch) / 2,
            .leased = chance(teller, 2),
            .record = lie_any_record(teller)};
    }
}

static void fill_probe(struct teller *teller, struct probe *probe)
{
    const struct sim *sim = teller->sim;

    probe->view = chance(teller, 2) ? lie_any_view_id(teller) : lie_known_id(teller);
    probe->view_hash = chance(teller, 2) ? teller->known->hash : random_u64(teller->random);
    probe->holders = (uint32_t)draw(teller, 0, 12);
    probe->oldest_age = draw(teller, 0, 12);
    probe->guard_met = chance(teller, 2);
    probe->answer = chance(teller, 2);
    probe->seed_count = (uint8_t)draw(teller, 0, 1);
    probe->seeds[0] = sim->hosts[draw(teller, 0, sim->host_count - 1)].address;
    probe->coordinator = lie_any_address(teller);
    probe->terms = lie_any_terms(teller);
}

static void tell_probes(struct teller *teller)
{
    begin(teller, MESSAGE_PROBE);
    fill_probe(teller, &teller->message->probe);
}

static void tell_pulls(struct teller *teller)
{
    begin(teller, MESSAGE_PULL);
}

static void tell_merges(struct teller *teller)
{
    if (chance(teller, 3)) {
        begin(teller, MESSAGE_MERGE_REFUSED);
        teller->message->merge_refused.merge = lie_leap(teller, 0);
        teller->message->merge_refused.reason = (enum merge_refusal)draw(teller, MERGE_REFUSED_BUSY,
                                                                         MERGE_REFUSED_LEAPS);
        return;
    }
    begin(teller, MESSAGE_MERGE);
    struct view *view = lie_make_view(teller, lie_some_maker(teller));
    teller->message->carrier.view = view;
    teller->message->carrier.merge = lie_leap(teller, 0);
    fill_probe(teller, &teller->message->carrier.part);
    if (chance(teller, 2)) {
        teller->message->carrier.part.view = view_id_of(view);
        teller->message->carrier.part.view_hash = view->hash;
    }
}

static void tell_moves(struct teller *teller)
{
    begin_wish(teller, WISH_MOVE);
    teller->message->wish.move.kind = (enum move_kind)draw(teller, MOVE_TRANSFER, MOVE_FORGET);
    teller->message->wish.move.subject = lie_any_id(teller);
}

/* Of a member's operator, as any that asks. */
static void tell_tags(struct teller *teller)
{
    begin_wish(teller, WISH_TAGS);
    struct tags *tags = &teller->message->wish.tags;

    tags->length = (uint16_t)snprintf(tags->text, sizeof tags->text, "lie=%u",
                                      (unsigned)draw(teller, 0, 9)) +
                   1;
}

static void tell_terms(struct teller *teller)
{
    begin_wish(teller, WISH_TERMS);
    struct rules_wish *wish = &teller->message->wish.terms;

    /* Such as the swarm's operators want, for it may come about. */
    const struct timing *timing = &teller->sim->timing;
    const uint64_t fifths = draw(teller, 3, 5);

    wish->rules = lie_any_rules(teller);
    wish->rules.guard = teller->known->agreed.number != 0 ? teller->known->agreed.now.guard
                        : teller->sim->options.exclusive  ? (struct guard){.policy = GUARD_NONE}
                                                          : teller->sim->options.guard;
    wish->rules.capacity = teller->sim->options.capacity;
    wish->rules.heartbeat_ms = timing->heartbeat_ms * fifths / 5;
    wish->rules.lost_ms = (timing->lost_ms * fifths + 4) / 5;
    wish->number = chance(teller, 2) ? teller->known->agreed.number
                                     : lie_any_terms_number(teller, teller->known->agreed.number);
    wish->forget_failed = chance(teller, 4);
}

static void tell_ballots(struct teller *teller)
{
    struct view_carrier *carrier = &teller->message->carrier;

    begin(teller, MESSAGE_CLAIM);
    carrier->view = chance(teller, 2) ? lie_make_view(teller, lie_some_maker(teller)) : NULL;
    carrier->lineage = chance(teller, 8) ? random_u64(teller->random) : teller->known->lineage;
    carrier->epoch = chance(teller, 8) ? 0 : lie_leap(teller, teller->known->epoch);
    if (chance(teller, 2)) {
        carrier->handover_by = lie_any_id(teller);
        carrier->handover_epoch = near(teller, teller->known->epoch);
    }
}

static void tell_votes(struct teller *teller)
{
    struct view_carrier *carrier = &teller->message->carrier;
    uint64_t epoch = teller->known->epoch;

    begin(teller, MESSAGE_VOTE);
    carrier->view = chance(teller, 2) ? lie_make_view(teller, lie_some_maker(teller)) : NULL;
    carrier->lineage = chance(teller, 8) ? random_u64(teller->random) : teller->known->lineage;
    carrier->epoch = near(teller, epoch);
    carrier->vote.record = lie_any_record(teller);
    carrier->vote.kind = (enum vote_kind)draw(teller, VOTE_CLAIM, VOTE_FOUNDING);
    carrier->vote.result = (enum vote_result)draw(teller, VOTE_GRANTED, VOTE_RESULT_LAST);
    carrier->vote.version = near(teller, teller->known->version);
    carrier->vote.promised = lie_leap(teller, epoch);
    carrier->vote.wait_ms = draw(teller, 0, 100000);
}

/* As the member itself would say it, or whoever holds the receiver's view. */
static void begin_heartbeat(struct teller *teller)
{
    const struct host *from = teller->from != NULL ? teller->from : teller->to;
    const struct view *view = core_view(from->core);

    begin(teller, MESSAGE_HEARTBEAT);
    teller->message->heartbeat.view = view_id_of(view);
    teller->message->heartbeat.view_hash = view->hash;
}

static void tell_numbers(struct teller *teller)
{
    begin_heartbeat(teller);
    teller->message->number = lie_leap(teller, teller->message->number);
}

static void tell_hashes(struct teller *teller)
{
    begin_heartbeat(teller);
    teller->message->heartbeat.view = lie_known_id(teller);
    teller->message->heartbeat.view_hash = teller->known->hash ^ 1;
}

static void tell_suspicions(struct teller *teller)
{
    begin_heartbeat(teller);
    struct heartbeat *heartbeat = &teller->message->heartbeat;

    heartbeat->late = chance(teller, 8);
    heartbeat->acting = chance(teller, 4);
    heartbeat->suspect_count = (uint8_t)draw(teller, 1, 4);
    for (uint8_t i = 0; i < heartbeat->suspect_count; i++) {
        const struct view *known = teller->known;
        uint64_t age = known->member_count == 0
                           ? 1
                           : known->members[draw(teller, 0, known->member_count - 1)].age;
        heartbeat->suspects[i].age = chance(teller, 8) ? 1 + lie_leap(teller, age) / 2 : age;
        heartbeat->suspects[i].verdict = (enum verdict)draw(teller, VERDICT_NONE, VERDICT_STALLED);
    }
}

static void tell_heartbeats(struct teller *teller)
{
    begin_heartbeat(teller);
    struct heartbeat *heartbeat = &teller->message->heartbeat;

    heartbeat->view = lie_any_view_id(teller);
    heartbeat->acting = chance(teller, 2);
    heartbeat->handed_over = chance(teller, 4);
}

/* Of this epoch, mostly. */
static uint64_t any_token(struct teller *teller)
{
    const uint64_t epoch = teller->known->epoch;
    const uint64_t serial = chance(teller, 2) ? ROLE_SERIAL_MAX - draw(teller, 0, 2)
                                              : draw(teller, 1, UINT64_C(1) << draw(teller, 0, 24));

    if (epoch >= ROLE_EPOCH_MAX || chance(teller, 8)) {
        return lie_leap(teller, 0) & ROLE_TOKEN_MAX;
    }
    return role_token(epoch, serial & ROLE_SERIAL_MAX);
}

/* Of a client of that host, or of none. */
static struct node_id any_request(struct teller *teller, const struct host *of)
{
    struct own_role own[ROLE_OWN_MAX];
    const uint32_t count = of->running ? core_own_roles(of->core, own) : 0;

    return count == 0 || chance(teller, 8) ? lie_fresh_id(teller)
                                           : own[draw(teller, 0, count - 1)].request;
}

/* Where that is no lie that breaks S9: see must_not_lie. */
static void speak_for_coordinator(struct teller *teller)
{
    for (uint32_t i = 0; i < teller->sim->host_count; i++) {
        const struct host *host = &teller->sim->hosts[i];
        if (host->running && !view_is_empty(teller->known) &&
            id_equal(&host->witness.life, &teller->known->members[0].id)) {
            teller->message->from = host->witness.life;
            teller->message->source = host->address;
            teller->message->number = 1 + near(teller, host->number);
        }
    }
}

/* K4: to the coordinator in a member's name, or to a member in the coordinator's. */
static void tell_roles(struct teller *teller)
{
    const struct view *known = teller->known;
    const bool to_coordinator = known->member_count > 0 &&
                                id_equal(&known->members[0].id, &teller->to->witness.life);

    begin(teller, to_coordinator ? MESSAGE_ROLES_LET_GO : MESSAGE_ROLES_PLACE);
    if (!to_coordinator && teller->from != NULL && !teller->sim->options.exclusive) {
        speak_for_coordinator(teller);
    }
    struct role_word *word = &teller->message->role;
    const struct host *of = to_coordinator && teller->from != NULL ? teller->from : teller->to;

    word->epoch = known->epoch;
    word->entry.request = any_request(teller, of);
    word->entry.token = any_token(teller);
    if (to_coordinator) {
        word->flag = chance(teller, 4);
        return;
    }
    word->stamp = host_now_ms(teller->sim, teller->to);
    word->stamp -= word->stamp < 100 ? word->stamp : draw(teller, 0, 100);
    word->order = chance(teller, 2) ? ROLE_KEEP : ROLE_LET_GO;
    word->held_ms = draw(teller, 0, 2 * LEASE_MS_MAX);
}

/* K5: a candidate that the member does not have, or has otherwise. */
static void tell_candidates(struct teller *teller)
{
    struct own_role own[ROLE_OWN_MAX];
    const struct host *of = teller->from;
    const uint32_t count = of != NULL && of->running ? core_own_roles(of->core, own) : 0;

    begin(teller, MESSAGE_ROLES_ENTER);
    struct role_word *word = &teller->message->role;
    struct role_entry *entry = &word->entry;

    word->epoch = teller->known->epoch;
    word->stamp = of == NULL ? 1 : host_now_ms(teller->sim, of);
    if (count > 0 && !chance(teller, 4)) {
        const struct own_role *known = &own[draw(teller, 0, count - 1)];
        entry->request = known->request;
        memcpy(entry->role, known->role, sizeof entry->role);
    } else {
        entry->request = lie_fresh_id(teller);
        snprintf(entry->role, sizeof entry->role, "nothing%u", (unsigned)draw(teller, 0, 3));
    }
    entry->terms.policy = (enum role_policy)draw(teller, ROLE_FIRST, ROLE_EACH);
    entry->terms.holders = (uint32_t)draw(teller, 1, 3);
    entry->priority = (uint32_t)draw(teller, 0, 100);
    entry->number = chance(teller, 2) ? 0 : any_token(teller);
    entry->token = chance(teller, 2) ? 0 : any_token(teller);
}

/* K2c: a question in a member's name, or an answer to one that was never asked. */
static void tell_stamps(struct teller *teller)
{
    const struct view *known = teller->known;
    const bool to_coordinator = known->member_count > 0 &&
                                id_equal(&known->members[0].id, &teller->to->witness.life);

    begin(teller, to_coordinator ? MESSAGE_ROLES_ASK : MESSAGE_ROLES_ANSWER);
    struct role_word *word = &teller->message->role;

    word->epoch = known->epoch;
    word->stamp = lie_leap(teller, host_now_ms(teller->sim, teller->to));
    word->count = (uint32_t)draw(teller, 0, ROLE_OWN_MAX);
    word->hash = random_u64(teller->random);
    word->held_ms = draw(teller, 0, 2 * LEASE_MS_MAX);
}

static void tell_anything(struct teller *teller)
{
    lie_tell_kind(teller, (enum lie_kind)draw(teller, 0, LIE_ANYTHING - 1));
}

#define LIE_ROW(NAME, function, text) {(text), tell_##function},
static const struct {
    const char *text;
    void (*tell)(struct teller *teller);
} lies[] = {LIES(LIE_ROW)};
#undef LIE_ROW

const char *liar_text(enum lie_kind kind)
{
    return lies[kind].text;
}

enum lie_kind liar_kind_of(enum message_type type)
{
    switch (type) {
    case MESSAGE_HEARTBEAT:
        return LIE_HEARTBEATS;
    case MESSAGE_PULL:
        return LIE_PULLS;
    case MESSAGE_VIEW:
        return LIE_VIEWS;
    case MESSAGE_PREPARE:
        return LIE_PROPOSALS;
    case MESSAGE_ACK:
        return LIE_ACKS;
    case MESSAGE_NACK:
        return LIE_NACKS;
    case MESSAGE_NOT_FOLLOWING:
        return LIE_NOT_FOLLOWING;
    case MESSAGE_COMMIT:
        return LIE_COMMITS;
    case MESSAGE_CLAIM:
        return LIE_CLAIMS; /* And ballots, which show the view. */
    case MESSAGE_JOIN:
    case MESSAGE_READY:
        return LIE_JOINS;
    case MESSAGE_OFFER:
        return LIE_OFFERS;
    case MESSAGE_JOIN_REFUSED:
        return LIE_REFUSALS;
    case MESSAGE_WISH:
        return LIE_LEAVES; /* And moves, tags and terms. */
    case MESSAGE_HANDOVER:
        return LIE_HANDOVERS;
    case MESSAGE_PING:
    case MESSAGE_PONG:
        return LIE_PINGS;
    case MESSAGE_PROBE:
        return LIE_PROBES;
    case MESSAGE_HELLO:
        return LIE_KINDS; /* On streams alone. */
    case MESSAGE_MERGE:
    case MESSAGE_MERGE_REFUSED:
        return LIE_MERGES;
    case MESSAGE_VOTE:
        return LIE_VOTES; /* And grants, and epochs that leap. */
    case MESSAGE_ROLES_LET_GO:
    case MESSAGE_ROLES_PLACE:
        return LIE_ROLES;
    case MESSAGE_ROLES_ENTER:
        return LIE_CANDIDATES;
    case MESSAGE_ROLES_ASK:
    case MESSAGE_ROLES_ANSWER:
        return LIE_STAMPS;
    }
    return LIE_KINDS;
}

void lie_tell_kind(struct teller *teller, enum lie_kind kind)
{
    lies[kind].tell(teller);
}
