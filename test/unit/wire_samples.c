#include "wire_samples.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct node_id id_of(char letter)
{
    struct node_id id;
    for (unsigned i = 0; i < sizeof id.bytes; i++) {
        id.bytes[i] = (uint8_t)(letter + (int)i);
    }
    return id;
}

static struct address address_4(uint8_t last, uint16_t port)
{
    return (struct address){.bytes = {10, 0, 0, last}, .port = port, .family = 4};
}

static struct address address_6(uint8_t last, uint16_t port)
{
    return (struct address){
        .bytes = {0x20, 0x01, 0x0d, 0xb8, [15] = last}, .port = port, .family = 6};
}

static struct member member_of(char letter, const char *name, uint64_t age)
{
    struct member member;

    memset(&member, 0, sizeof member);
    member.id = id_of(letter);
    member.address = address_4((uint8_t)letter, 7420);
    member.age = age;
    member.incarnation = 1;
    strcpy(member.name, name);
    return member;
}

static struct tags tags_of(const char *text, size_t length)
{
    struct tags tags = {.length = (uint16_t)length};

    memcpy(tags.text, text, length);
    return tags;
}

static struct gone gone_of(char letter, const char *name, uint64_t age)
{
    struct gone gone;

    memset(&gone, 0, sizeof gone);
    gone.id = id_of(letter);
    gone.address = address_4((uint8_t)letter, 7420);
    gone.age = age;
    strcpy(gone.name, name);
    return gone;
}

/* The views' hashes are plain constants: the codec carries them, it does not look at them. */
static void make_alone(struct view *view)
{
    view->lineage = 0x1122334455667788;
    view->epoch = 1;
    view->version = 1;
    view->next_age = 2;
    view->hash = 0xa1a2a3a4a5a6a7a8;
    view->cause = CAUSE_FOUND;
    view->member_count = 1;
    view->members[0] = member_of('A', "athens", 1);
}

static void make_settled(struct view *view)
{
    view->lineage = 0x1122334455667788;
    view->epoch = 3;
    view->version = 300;
    view->next_age = 70001;
    view->hash = 0xb1b2b3b4b5b6b7b8;
    view->cause = CAUSE_CLAIM;
    view->parent = (struct view_id){
        .lineage = view->lineage, .epoch = 1, .version = 299, .coordinator = id_of('A')};
    view->member_count = 3;
    view->members[0] = member_of('B', "byzantium", 2);
    view->members[1] = member_of('C', "cyrene", 200);
    view->members[1].address = address_6(3, 65535);
    view->members[2] = member_of('D', "d", 70000);
    view->members[2].incarnation = UINT64_MAX;
    const struct tags tags = tags_of("rack=7\0zone=\0stadt=K\xc3\xb6ln\0", 25);
    view_set_tags(view, 2, &tags);

    view->gone_count = 2;
    view->gone[0] = gone_of('E', "ephesus", 4);
    view->gone[0].reason = GONE_LEFT;
    view->gone[1] = gone_of('A', "athens", 1);
    view->gone[1].reason = GONE_FAILED;
    view->gone[1].verdict = VERDICT_LOST;
    view->gone[1].silent_ms = 912;
    view->gone[1].accuser_count = 2;
    view->gone[1].accusers[0] = 2;
    view->gone[1].accusers[1] = 200;
}

/* The part of the settled view absorbed that of the founder, who comes back as the youngest. */
static void make_merged(struct view *view, const struct view *settled, const struct view *alone)
{
    view_copy(view, settled);
    view->epoch = 4;
    view->version = 301;
    view->next_age = 70002;
    view->hash = 0xd1d2d3d4d5d6d7d8;
    view->cause = CAUSE_MERGE;
    view->parent = view_id_of(settled);
    view->merged = view_id_of(alone);
    view->member_count = 4;
    view->members[3] = alone->members[0];
    view->members[3].age = 70001;
    view->gone_count = 1;
}

static struct view *view_new(uint32_t capacity, struct view *view, void **storage)
{
    *storage = calloc(1, view_bytes(capacity));
    cr_assert_not_null(*storage);
    view_init(view, capacity, *storage);
    return view;
}

/* A further sample, from byzantium to cyrene, fellows, with all of its body zero. */
static struct message *add(struct samples *samples, enum message_type type, const char *name,
                           const char *about)
{
    cr_assert(samples->count < SAMPLES_MAX);
    struct sample *sample = &samples->items[samples->count++];

    sample->name = name;
    sample->about = about;
    sample->to = id_of('C');
    sample->flags = WIRE_FELLOW;
    sample->message.type = type;
    sample->message.from = id_of('B');
    sample->message.number = 1000 + samples->count;
    return &sample->message;
}

/* The last sample is meant for whoever lives there, by a sender who knows no view with them. */
static void to_anyone(struct samples *samples)
{
    struct sample *sample = &samples->items[samples->count - 1];

    sample->to = (struct node_id){.bytes = {0}};
    sample->flags = 0;
}

static void add_heartbeats(struct samples *samples)
{
    struct message *message;

    message = add(samples, MESSAGE_HEARTBEAT, "heartbeat", "a coordinator that suspects nobody");
    message->heartbeat.view = view_id_of(&samples->settled);
    message->heartbeat.view_hash = samples->settled.hash;
    message->heartbeat.acting = true;

    message = add(samples, MESSAGE_HEARTBEAT, "heartbeat-suspects",
                  "a late member that holds three verdicts");
    message->heartbeat.view = view_id_of(&samples->settled);
    message->heartbeat.view_hash = samples->settled.hash;
    message->heartbeat.late = true;
    message->heartbeat.suspect_count = 3;
    message->heartbeat.suspects[0] = (struct suspicion){.age = 2, .verdict = VERDICT_DEAD};
    message->heartbeat.suspects[1] = (struct suspicion){.age = 200, .verdict = VERDICT_LOST};
    message->heartbeat.suspects[2] = (struct suspicion){.age = 70000, .verdict = VERDICT_STALLED};

    message = add(samples, MESSAGE_HEARTBEAT, "heartbeat-silent",
                  "one member is silent, without a verdict yet");
    message->heartbeat.view = view_id_of(&samples->settled);
    message->heartbeat.view_hash = samples->settled.hash;
    message->heartbeat.suspect_count = 1;
    message->heartbeat.suspects[0] = (struct suspicion){.age = 200, .verdict = VERDICT_NONE};

    message = add(samples, MESSAGE_HEARTBEAT, "heartbeat-relay",
                  "to be handed on to the member it is for");
    message->heartbeat.view = view_id_of(&samples->settled);
    message->heartbeat.view_hash = samples->settled.hash;
    samples->items[samples->count - 1].flags = WIRE_FELLOW | WIRE_RELAY;
}

static void add_carriers(struct samples *samples)
{
    struct message *message;

    message = add(samples, MESSAGE_VIEW, "view", "three members, two gone");
    message->carrier.view = &samples->settled;

    message = add(samples, MESSAGE_VIEW, "view-founder", "one member, nobody gone");
    message->carrier.view = &samples->alone;
    to_anyone(samples);

    message = add(samples, MESSAGE_PREPARE, "prepare", "a proposed view");
    message->carrier.view = &samples->settled;

    message = add(samples, MESSAGE_PREPARE, "prepare-handover",
                  "a view proposed by the successor of one who leaves");
    message->carrier.view = &samples->settled;
    message->carrier.handover_by = id_of('A');

    message = add(samples, MESSAGE_PREPARE, "prepare-merge",
                  "the view of two parts, both named, with the number of the MERGE");
    message->carrier.view = &samples->merged;
    message->carrier.merge = 0xe1e2e3e4e5e6e7e8;

    message = add(samples, MESSAGE_HANDOVER, "handover",
                  "make a view of this one, without its sender");
    message->carrier.view = &samples->alone;
}

static void add_references(struct samples *samples)
{
    static const struct {
        enum message_type type;
        const char *name;
        const char *about;
    } references[] = {
        {MESSAGE_ACK, "ack", "accepted"},
        {MESSAGE_NACK, "nack", "bound to epoch 9"},
        {MESSAGE_COMMIT, "commit", "the view holds"},
        {MESSAGE_NOT_FOLLOWING, "not-following", "another coordinator is followed"},
    };

    for (size_t i = 0; i < sizeof references / sizeof references[0]; i++) {
        struct message *message = add(samples, references[i].type, references[i].name,
                                      references[i].about);
        message->reference.view = view_id_of(&samples->settled);
        message->reference.view_hash = samples->settled.hash;
        message->reference.promised = references[i].type == MESSAGE_NACK ? 9 : 0;
    }
}

static const struct terms sample_terms = {
    .guard = {.policy = GUARD_COUNT, .count = 3},
    .profile = PROFILE_LAN,
    .watchers = WATCHERS_DEFAULT,
    .heartbeat_ms = 250,
    .lost_ms = 900,
    .capacity = 1024,
};

static void add_joining(struct samples *samples)
{
    struct message *message;

    message = add(samples, MESSAGE_JOIN, "join", "straight from a joiner that may found");
    message->joiner.member = member_of('B', "byzantium", 0);
    message->joiner.tags = tags_of("rack=7\0", 7);
    message->joiner.terms = sample_terms;
    message->joiner.may_found = true;
    message->joiner.epoch_seen = 3;
    to_anyone(samples);

    message = add(samples, MESSAGE_JOIN, "join-handed-on", "handed on to the coordinator");
    message->joiner.member = member_of('F', "node6", 0);
    message->joiner.member.address = address_6(6, 7420);
    message->joiner.terms = sample_terms;
    message->joiner.terms.guard = (struct guard){.policy = GUARD_NONE};
    message->joiner.terms.profile = PROFILE_WAN;
    message->joiner.hops = 1;

    message = add(samples, MESSAGE_OFFER, "offer", "come in, and prove that you are there");
    message->offer.nonce = 0xc1c2c3c4c5c6c7c8;

    message = add(samples, MESSAGE_READY, "ready", "the offer's nonce comes back");
    message->joiner.member = member_of('B', "byzantium", 0);
    message->joiner.terms = sample_terms;
    message->joiner.nonce = 0xc1c2c3c4c5c6c7c8;

    message = add(samples, MESSAGE_JOIN_REFUSED, "join-refused-terms",
                  "quotes the cluster's terms");
    message->join_refused.reason = JOIN_REFUSED_TERMS;
    message->join_refused.terms = sample_terms;

    message = add(samples, MESSAGE_JOIN_REFUSED, "join-refused-majority",
                  "quotes a guard with the stated size");
    message->join_refused.reason = JOIN_REFUSED_TERMS;
    message->join_refused.terms = sample_terms;
    message->join_refused.terms.guard = (struct guard){.policy = GUARD_MAJORITY, .count = 5};

    message = add(samples, MESSAGE_JOIN_REFUSED, "join-refused-name", "quotes who has the name");
    message->join_refused.reason = JOIN_REFUSED_NAME;
    message->join_refused.address = address_6(9, 7420);

    message = add(samples, MESSAGE_JOIN_REFUSED, "join-refused-full", "quotes the capacity");
    message->join_refused.reason = JOIN_REFUSED_FULL;
    message->join_refused.limit = 4096;
}

static struct probe settled_part(const struct samples *samples)
{
    return (struct probe){.view = view_id_of(&samples->settled),
                          .view_hash = samples->settled.hash,
                          .holders = 3,
                          .oldest_age = 2,
                          .guard_met = true,
                          .seed_count = 1,
                          .seeds = {address_4('A', 7420)},
                          .coordinator = address_4('B', 7420),
                          .terms = sample_terms};
}

static void add_merging(struct samples *samples)
{
    struct message *message;

    message = add(samples, MESSAGE_PROBE, "probe", "with all that two parts compare");
    message->probe = settled_part(samples);
    to_anyone(samples);

    add(samples, MESSAGE_PROBE, "probe-without-view", "an answer by one who has no view");
    samples->items[samples->count - 1].message.probe.answer = true;
    samples->items[samples->count - 1].message.probe.terms = sample_terms;
    to_anyone(samples);

    message = add(samples, MESSAGE_MERGE, "merge", "take us up");
    message->carrier.view = &samples->settled;
    message->carrier.merge = 0xe1e2e3e4e5e6e7e8;
    message->carrier.part = settled_part(samples);
    samples->items[samples->count - 1].flags = 0;

    message = add(samples, MESSAGE_MERGE_REFUSED, "merge-refused", "a change is under way");
    message->merge_refused.merge = 0xe1e2e3e4e5e6e7e8;
    message->merge_refused.reason = MERGE_REFUSED_BUSY;
    samples->items[samples->count - 1].flags = 0;
    message = add(samples, MESSAGE_MERGE_REFUSED, "merge-refused-name",
                  "the coordinator that asks has the name of a member there");
    message->merge_refused.merge = 9;
    message->merge_refused.reason = MERGE_REFUSED_NAME;
    samples->items[samples->count - 1].flags = 0;
}

static void add_others(struct samples *samples)
{
    struct message *message;

    add(samples, MESSAGE_PULL, "pull", "send me your view");
    message = add(samples, MESSAGE_WISH, "wish-leave", "let me out");
    message->wish.kind = WISH_LEAVE;
    add(samples, MESSAGE_HELLO, "hello", "first on a stream, to one life");
    add(samples, MESSAGE_HELLO, "hello-anyone", "first on a stream, to whoever is there");
    to_anyone(samples);

    message = add(samples, MESSAGE_VOTE, "vote-fresh",
                  "of a member, which heard an older one lately");
    message->carrier.lineage = samples->settled.lineage;
    message->carrier.epoch = 4;
    message->carrier.vote = (struct vote_answer){
        .kind = VOTE_CLAIM, .result = VOTE_REFUSED_FRESH, .promised = 3, .wait_ms = 412};

    message = add(samples, MESSAGE_PING, "ping", "ask the suspect itself");
    message->ping.nonce = 77;
    message->ping.subject = id_of('D');
    message->ping.origin = id_of('A');
    message = add(samples, MESSAGE_PONG, "pong", "the answer, about a third");
    message->ping.nonce = 77;
    message->ping.subject = id_of('D');
    message->ping.origin = id_of('A');
    message = add(samples, MESSAGE_PING, "ping-for-another", "ask a third for me");
    message->ping.nonce = 78;
    message->ping.subject = id_of('D');
    message->ping.origin = id_of('A');
}

/* Later additions come last: a message's number is its place in the list. */
static void add_strict(struct samples *samples)
{
    struct message *message = add(samples, MESSAGE_JOIN_REFUSED, "join-refused-strict",
                                  "quotes the voters");

    message->join_refused.reason = JOIN_REFUSED_TERMS;
    message->join_refused.terms = sample_terms;
    message->join_refused.terms.guard = (struct guard){.policy = GUARD_STRICT};
    message->join_refused.terms.voters = (struct voters){
        .count = 3, .names = {"athens", "byzantium", "cyrene"}};
}

/* What goes between a node and the voters. */
static void add_ballots(struct samples *samples)
{
    struct message *message;

    message = add(samples, MESSAGE_PONG, "pong-lease",
                  "a voter leases to the coordinator that asked, and echoes its question");
    message->echo = 0xf1f2f3f4;
    message->ping.nonce = 79;
    message->ping.subject = message->from;
    message->ping.origin = id_of('C');
    message->ping.said = (struct lease_said){
        .promised = samples->settled.epoch, .leased = true, .record = id_of('S'), .writes = 7};

    message = add(samples, MESSAGE_CLAIM, "claim",
                  "may I have that epoch? it was handed over to me");
    message->carrier.view = &samples->settled;
    message->carrier.lineage = samples->settled.lineage;
    message->carrier.epoch = 8;
    message->carrier.handover_by = message->from;
    message->carrier.handover_epoch = 7;
    message->carrier.lease_ms = 700;
    message->carrier.hold_ms = 1800;
    message = add(samples, MESSAGE_CLAIM, "claim-for-a-record", "make a record of this lineage");
    message->carrier.lineage = 0x1122334455667788;
    message = add(samples, MESSAGE_CLAIM, "claim-named", "for epoch 9, by the name of its view");
    message->carrier.named = view_reference_of(&samples->settled);
    message->carrier.lineage = samples->settled.lineage;
    message->carrier.epoch = 9;
    message->carrier.lease_ms = 700;
    message->carrier.hold_ms = 1800;

    message = add(samples, MESSAGE_VOTE, "vote", "granted, and what was accepted");
    message->carrier.view = &samples->settled;
    message->carrier.lineage = samples->settled.lineage;
    message->carrier.epoch = 8;
    message->carrier.vote = (struct vote_answer){
        .record = id_of('S'), .kind = VOTE_CLAIM, .wait_ms = 1800, .writes = 300};
    message = add(samples, MESSAGE_VOTE, "vote-refused", "another one holds the lease");
    message->carrier.lineage = 0x1122334455667788;
    message->carrier.epoch = 8;
    message->carrier.vote = (struct vote_answer){.record = id_of('S'),
                                                 .kind = VOTE_PREPARE,
                                                 .result = VOTE_REFUSED_LEASE,
                                                 .version = 300,
                                                 .promised = 9,
                                                 .wait_ms = 640};

    message = add(samples, MESSAGE_HEARTBEAT, "heartbeat-handed-over",
                  "a coordinator that acts no more");
    message->heartbeat.view = view_id_of(&samples->settled);
    message->heartbeat.view_hash = samples->settled.hash;
    message->heartbeat.handed_over = true;
}

static void add_leases(struct samples *samples)
{
    struct message *message = add(samples, MESSAGE_PING, "ping-lease",
                                  "a coordinator asks a voter for a lease of 4.2 s");

    message->ping.nonce = 79;
    message->ping.subject = id_of('C');
    message->ping.origin = message->from;
    message->ping.asked = (struct lease_asked){.lineage = samples->settled.lineage,
                                               .epoch = samples->settled.epoch,
                                               .record = id_of('S'),
                                               .writes = 7,
                                               .lease_ms = 4200,
                                               .hold_ms = 16000};
    message = add(samples, MESSAGE_PREPARE, "prepare-lease",
                  "a proposed view, and a lease of 60 s");
    message->carrier.view = &samples->settled;
    message->carrier.lease_ms = LEASE_MS_MAX;
    message->carrier.hold_ms = LEASE_MS_MAX;
    message = add(
        samples, MESSAGE_PONG, "pong-bound",
        "a voter is bound to another epoch, and leases to nobody who asks under that one");
    message->ping.nonce = 79;
    message->ping.subject = message->from;
    message->ping.origin = id_of('C');
    message->ping.said = (struct lease_said){.promised = 9};
}

static void add_asking(struct samples *samples)
{
    struct message *message = add(samples, MESSAGE_HEARTBEAT, "heartbeat-asks",
                                  "a coordinator that acts asks for a lease");

    message->heartbeat.view = view_id_of(&samples->settled);
    message->heartbeat.view_hash = samples->settled.hash;
    message->heartbeat.acting = true;
    message->heartbeat.asks = true;
}

static struct listed_voter voter_of(char letter, const char *name, bool before, bool now)
{
    struct listed_voter voter = {.record = id_of(letter),
                                 .address = address_4((uint8_t)letter, 7420)};

    strcpy(voter.name, name);
    voter.before = before;
    voter.now = now;
    return voter;
}

/* Byzantium has lost its record and gets another one, and athens, of which nobody has heard, is a
 * voter no more. */
static void make_voted(struct view *view)
{
    make_alone(view);
    view->voters = (struct voter_lists){
        .number = 300,
        .count = 4,
        .voters = {voter_of('S', "byzantium", true, false), voter_of('T', "cyrene", true, true),
                   voter_of('U', "athens", true, false), voter_of('V', "byzantium", false, true)},
    };
    view->voters.voters[2].address = (struct address){.family = 0};
    view->voters.voters[3].witness = true;
    view_seal(view);
}

static void make_founders(struct view *view)
{
    view_clear(view);
    view->lineage = 0x1122334455667788;
    view->voters = (struct voter_lists){
        .number = 1,
        .count = 2,
        .voters = {voter_of('S', "athens", false, true), voter_of('T', "cyrene", false, true)},
    };
    view_seal(view);
}

static void add_voters(struct samples *samples)
{
    struct message *message = add(samples, MESSAGE_VIEW, "view-voters",
                                  "the voters are being changed");

    message->carrier.view = &samples->voted;
    message = add(samples, MESSAGE_CLAIM, "claim-founders",
                  "may I have that epoch? with these a cluster is founded");
    message->carrier.view = &samples->founders;
    message->carrier.lineage = samples->founders.lineage;
    message->carrier.epoch = 1;
    message->carrier.lease_ms = 700;
    message->carrier.hold_ms = 1800;

    message = add(samples, MESSAGE_OFFER, "offer-lineage", "come into that history");
    message->offer.nonce = 0xc1c2c3c4c5c6c7c8;
    message->offer.lineage = samples->settled.lineage;
}

static void add_moves(struct samples *samples)
{
    struct message *message = add(samples, MESSAGE_HANDOVER, "handover-stays",
                                  "make a view of this one, in which its sender is younger");

    message->carrier.view = &samples->settled;
    message->carrier.stays = true;
    message = add(samples, MESSAGE_WISH, "wish-transfer", "that member is to coordinate");
    message->wish.kind = WISH_MOVE;
    message->wish.move = (struct move){.kind = MOVE_TRANSFER, .subject = id_of('B')};
    message = add(samples, MESSAGE_WISH, "wish-undrain", "that member is not drained any more");
    message->wish.kind = WISH_MOVE;
    message->wish.move = (struct move){.kind = MOVE_UNDRAIN, .subject = id_of('B')};
    message = add(samples, MESSAGE_VIEW, "view-drained", "its only member is drained");
    message->carrier.view = &samples->drained;
}

static void add_tags(struct samples *samples)
{
    struct message *message = add(samples, MESSAGE_WISH, "wish-tags",
                                  "all that the sender is to have");

    message->wish.kind = WISH_TAGS;
    message->wish.tags = (struct tags){.length = 14, .text = "rack=7\0zone=b\0"};
    message = add(samples, MESSAGE_WISH, "wish-tags-none", "none at all");
    message->wish.kind = WISH_TAGS;
}

static void add_roles(struct samples *samples)
{
    const uint64_t token = role_token(7, 3);
    struct message *message = add(samples, MESSAGE_ROLES_ASK, "roles-ask",
                                  "two candidates, asked about at that time of the sender");

    message->role = (struct role_word){.epoch = 7, .stamp = 123456, .count = 2, .hash = 99};
    message = add(samples, MESSAGE_ROLES_ENTER, "roles-enter", "a candidate that holds the role");
    message->role = (struct role_word){
        .epoch = 7,
        .stamp = 123456,
        .entry = {.request = id_of('R'),
                  .role = "billing-run",
                  .terms = {.policy = ROLE_PRIORITY, .holders = 2, .preempt = true},
                  .priority = 100,
                  .number = role_token(7, 1),
                  .token = token}};
    message = add(samples, MESSAGE_ROLES_LET_GO, "roles-let-go", "the candidate has resigned");
    message->role = (struct role_word){
        .epoch = 7, .flag = true, .entry = {.request = id_of('R'), .token = token}};
    message = add(samples, MESSAGE_ROLES_ANSWER, "roles-answer",
                  "the coordinator has what the member has");
    message->role = (struct role_word){.epoch = 7, .stamp = 123456, .flag = true, .held_ms = 1738};
    message = add(samples, MESSAGE_ROLES_PLACE, "roles-place", "the holder is to let go");
    message->role = (struct role_word){
        .epoch = 7,
        .stamp = 123456,
        .order = ROLE_LET_GO,
        .held_ms = 1738,
        .entry = {.request = id_of('R'), .number = role_token(7, 1), .token = token}};
}

static void add_needs(struct samples *samples)
{
    struct message *message = add(samples, MESSAGE_ROLES_ENTER, "roles-enter-need",
                                  "a new candidate for a role that needs a tag");

    message->role = (struct role_word){
        .epoch = 7,
        .stamp = 123456,
        .entry = {.request = id_of('R'),
                  .role = "billing-run",
                  .terms = {.policy = ROLE_FIRST, .holders = 1, .need = "zone=eu"}}};
}

static void add_handed_on(struct samples *samples)
{
    struct message *message = add(samples, MESSAGE_HEARTBEAT, "heartbeat-handed-on",
                                  "handed on by a relay");

    message->heartbeat.view = view_id_of(&samples->settled);
    message->heartbeat.view_hash = samples->settled.hash;
    samples->items[samples->count - 1].flags = WIRE_FELLOW | WIRE_RELAY | WIRE_HANDED_ON;
}

static void add_preempt_after(struct samples *samples)
{
    struct message *message = add(samples, MESSAGE_ROLES_ENTER, "roles-enter-after",
                                  "a better candidate takes over after 30 s");

    message->role = (struct role_word){.epoch = 7,
                                       .stamp = 123456,
                                       .entry = {.request = id_of('R'),
                                                 .role = "billing-run",
                                                 .terms = {.policy = ROLE_PRIORITY,
                                                           .holders = 1,
                                                           .preempt = true,
                                                           .preempt_after_ms = 30000},
                                                 .priority = 100}};
}

static void add_versions(struct samples *samples)
{
    struct message *message = add(samples, MESSAGE_JOIN, "join-versions",
                                  "of a joiner that speaks versions 2 and 3");
    message->joiner.member = member_of('B', "byzantium", 0);
    message->joiner.member.versions = (struct versions){.low = 1, .high = 2};
    message->joiner.terms = sample_terms;
    message->joiner.nonce = 0xe1e2e3e4e5e6e7e8;

    message = add(samples, MESSAGE_JOIN_REFUSED, "join-refused-versions",
                  "quotes what all members speak");
    message->join_refused.reason = JOIN_REFUSED_VERSIONS;
    message->join_refused.versions = (struct versions){.low = 0, .high = 15};

    message = add(samples, MESSAGE_VIEW, "view-versions",
                  "one member speaks versions 1 to 2, and one is drained and speaks 2 alone");
    message->carrier.view = &samples->speaking;
}

static void make_changed(struct view *view)
{
    make_alone(view);
    view->agreed = (struct agreed){
        .number = 7,
        .origin = 0xa1a2a3a4a5a6a7a8,
        .room = 64,
        .joint = true,
        .now = {{GUARD_MAJORITY, 5}, PROFILE_WAN, 1000, 8000, 16},
        .before = {{GUARD_NONE, 0}, PROFILE_LAN, 250, 900, 64},
    };
    view_seal(view);
}

static void add_terms(struct samples *samples)
{
    struct message *message = add(samples, MESSAGE_WISH, "wish-terms", "what the terms are to be");
    message->wish.kind = WISH_TERMS;
    message->wish.terms = (struct rules_wish){
        .number = 6, .rules = samples->changed.agreed.now, .forget_failed = true};

    message = add(samples, MESSAGE_WISH, "wish-voters",
                  "who is to vote, one by another record, one as a witness");
    message->wish.kind = WISH_TERMS;
    message->wish.terms = (struct rules_wish){
        .voters = {.number = 3,
                   .count = 3,
                   .voters = {{.name = "athens"},
                              {.name = "delphi", .anew = true},
                              {.name = "ephesus", .witness = address_4(23, 7420)}}}};

    message = add(samples, MESSAGE_VIEW, "view-terms", "the terms are being changed");
    message->carrier.view = &samples->changed;

    message = add(samples, MESSAGE_PROBE, "probe-terms", "of a part whose terms were changed");
    message->probe.terms = sample_terms;
    message->probe.terms.number = 7;
    message->probe.terms.origin = 0xa1a2a3a4a5a6a7a8;
    message->probe.terms.room = 64;
    to_anyone(samples);
}

struct samples *samples_new(void)
{
    struct samples *samples = calloc(1, sizeof *samples);

    cr_assert_not_null(samples);
    make_alone(view_new(SAMPLE_CAPACITY, &samples->alone, &samples->alone_storage));
    make_alone(view_new(SAMPLE_CAPACITY, &samples->drained, &samples->drained_storage));
    samples->drained.members[0].drained = true;
    view_seal(&samples->drained);
    make_alone(view_new(SAMPLE_CAPACITY, &samples->speaking, &samples->speaking_storage));
    samples->speaking.members[0].versions.high = 1;
    samples->speaking.members[1] = member_of('B', "byzantium", 2);
    samples->speaking.members[1].drained = true;
    samples->speaking.members[1].versions = (struct versions){.low = 1, .high = 1};
    samples->speaking.member_count = 2;
    samples->speaking.next_age = 3;
    view_seal(&samples->speaking);
    make_changed(view_new(SAMPLE_CAPACITY, &samples->changed, &samples->changed_storage));
    make_voted(view_new(SAMPLE_CAPACITY, &samples->voted, &samples->voted_storage));
    make_founders(view_new(SAMPLE_CAPACITY, &samples->founders, &samples->founders_storage));
    make_settled(view_new(SAMPLE_CAPACITY, &samples->settled, &samples->settled_storage));
    make_merged(view_new(SAMPLE_CAPACITY, &samples->merged, &samples->merged_storage),
                &samples->settled, &samples->alone);
    add_heartbeats(samples);
    add_carriers(samples);
    add_references(samples);
    add_joining(samples);
    add_others(samples);
    add_merging(samples);
    add_strict(samples);
    add_ballots(samples);
    add_moves(samples);
    add_roles(samples);
    add_tags(samples);
    add_needs(samples);
    add_handed_on(samples);
    add_preempt_after(samples);
    add_versions(samples);
    add_terms(samples);
    add_leases(samples);
    add_voters(samples);
    add_asking(samples);
    return samples;
}

void samples_free(struct samples *samples)
{
    free(samples->alone_storage);
    free(samples->drained_storage);
    free(samples->speaking_storage);
    free(samples->changed_storage);
    free(samples->voted_storage);
    free(samples->founders_storage);
    free(samples->settled_storage);
    free(samples->merged_storage);
    free(samples);
}

const struct sample *samples_find(const struct samples *samples, const char *name)
{
    for (uint32_t i = 0; i < samples->count; i++) {
        if (strcmp(samples->items[i].name, name) == 0) {
            return &samples->items[i];
        }
    }
    cr_assert_fail("no sample %s", name);
    return NULL;
}
