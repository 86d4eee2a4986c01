#include "liar.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cluster.h"
#include "core/model/lineage.h"
#include "oracle_parts.h"
#include "post.h"
#include "trace.h"

enum {
    STRANGERS = 4,      /* ids that strangers use again and again */
    FORGED_START = 256, /* places, a power of two */
    TWISTS_MAX = 3,
};

/* In the incarnation of one member of each view that is made up, so that it is like no other. */
#define MARK (UINT64_C(1) << 40)

struct forged {
    uint64_t hash; /* 0: free place */
    bool stranger;
};

struct liar {
    struct wire *wire;
    void *storage;
    struct view view; /* the last one that was made up */
    struct node_id strangers[STRANGERS];
    uint64_t told;
    uint64_t told_of[MESSAGE_TYPE_COUNT];
    bool betrayed;    /* one was told in a member's name */
    bool pauses;      /* nobody goes on */
    uint64_t *tokens; /* that were named in the coordinator's name */
    size_t token_count;
    struct forged *forged;
    size_t forged_count;
    size_t forged_places;
    struct going_on {
        struct lies lies;
        struct random random;
        uint64_t end_us;
    } * goings_on;
    uint32_t going_on_count;
};

/* What one lie is made of. */
struct teller {
    struct sim *sim;
    struct liar *liar;
    struct random *random;
    bool stranger;
    struct host *to;
    const struct host *from;  /* NULL: a stranger */
    const struct view *known; /* what the receiver holds, or others; may be empty */
    struct message *message;
};

static struct liar *liar_of(struct sim *sim)
{
    if (sim->liar != NULL) {
        return sim->liar;
    }
    struct liar *liar = calloc(1, sizeof *liar);
    assert(liar != NULL);
    liar->wire = wire_new(SIM_CLUSTER_NAME, sim->options.capacity);
    liar->storage = calloc(1, view_bytes(sim->options.capacity));
    liar->forged = calloc(FORGED_START, sizeof *liar->forged);
    liar->forged_places = FORGED_START;
    assert(liar->wire != NULL && liar->storage != NULL && liar->forged != NULL);
    view_init(&liar->view, sim->options.capacity, liar->storage);
    for (int i = 0; i < STRANGERS; i++) {
        memset(liar->strangers[i].bytes, 0xf0 + i, sizeof liar->strangers[i].bytes);
    }
    sim->liar = liar;
    return liar;
}

void liar_free(struct sim *sim)
{
    if (sim->liar == NULL) {
        return;
    }
    wire_free(sim->liar->wire);
    free(sim->liar->storage);
    free(sim->liar->forged);
    free(sim->liar->tokens);
    free(sim->liar->goings_on);
    free(sim->liar);
}

bool liar_has_lied(const struct sim *sim)
{
    return sim->liar != NULL && sim->liar->told > 0;
}

bool liar_has_betrayed(const struct sim *sim)
{
    return sim->liar != NULL && sim->liar->betrayed;
}

/* --- Views that were made up, by their hashes --- */

static struct forged *forged_place(struct forged *table, size_t places, uint64_t hash)
{
    size_t at = (size_t)hash & (places - 1);

    while (table[at].hash != 0 && table[at].hash != hash) {
        at = (at + 1) & (places - 1);
    }
    return &table[at];
}

static void remember_forged(struct liar *liar, uint64_t hash, bool stranger)
{
    if (2 * liar->forged_count >= liar->forged_places) {
        size_t places = 2 * liar->forged_places;
        struct forged *table = calloc(places, sizeof *table);
        assert(table != NULL);
        for (size_t i = 0; i < liar->forged_places; i++) {
            if (liar->forged[i].hash != 0) {
                *forged_place(table, places, liar->forged[i].hash) = liar->forged[i];
            }
        }
        free(liar->forged);
        liar->forged = table;
        liar->forged_places = places;
    }
    struct forged *place = forged_place(liar->forged, liar->forged_places, hash);
    liar->forged_count += place->hash == 0;
    *place = (struct forged){.hash = hash, .stranger = stranger};
}

bool liar_made(const struct sim *sim, const struct view *view, bool *stranger)
{
    if (sim->liar == NULL || view->hash == 0) {
        return false;
    }
    const struct forged *place = forged_place(sim->liar->forged, sim->liar->forged_places,
                                              view->hash);
    *stranger = place->stranger;
    return place->hash != 0;
}

bool liar_named(const struct sim *sim, uint64_t token)
{
    for (size_t i = 0; sim->liar != NULL && i < sim->liar->token_count; i++) {
        if (sim->liar->tokens[i] == token) {
            return true;
        }
    }
    return false;
}

static void remember_token(struct liar *liar, const struct message *message)
{
    const uint64_t token = message->type == MESSAGE_ROLES_PLACE ? message->role.entry.token : 0;

    if (token == 0) {
        return;
    }
    liar->tokens = realloc(liar->tokens, (liar->token_count + 1) * sizeof *liar->tokens);
    assert(liar->tokens != NULL);
    liar->tokens[liar->token_count++] = token;
}

/* --- Numbers, ids, addresses --- */

static uint64_t draw(struct teller *teller, uint64_t low, uint64_t high)
{
    return random_between(teller->random, low, high);
}

static bool chance(struct teller *teller, uint64_t one_in)
{
    return draw(teller, 1, one_in) == 1;
}

static uint64_t near(struct teller *teller, uint64_t base)
{
    return base + draw(teller, 0, 3);
}

static uint64_t leap(struct teller *teller, uint64_t base)
{
    static const unsigned powers[] = {4, 10, 20, 31, 32, 32, 48, 61};
    uint64_t less = draw(teller, 0, 2);

    switch (draw(teller, 0, 7)) {
    case 0:
    case 1:
        return base + 1 + less;
    case 2:
        return COUNTER_MAX - less;
    case 3:
        return UINT64_MAX - less;
    default:
        return base + (UINT64_C(1) << powers[draw(teller, 0, 7)]) - less;
    }
}

/* Where nobody lives, yet in the cluster's network. */
static struct address nowhere(struct teller *teller)
{
    struct address address = {.family = 4, .bytes = {10, 9, 9, 0}};

    address.bytes[3] = (uint8_t)draw(teller, 1, 4);
    address.port = (uint16_t)draw(teller, 7420, 7423);
    return address;
}

static struct node_id fresh_id(struct teller *teller)
{
    return id_draw(teller->random);
}

static const struct host *any_running(struct teller *teller)
{
    uint32_t count = teller->sim->host_count;
    uint32_t first = (uint32_t)draw(teller, 0, count - 1);

    for (uint32_t i = 0; i < count; i++) {
        const struct host *host = &teller->sim->hosts[(first + i) % count];
        if (host->running) {
            return host;
        }
    }
    return teller->to;
}

/* Of a member, mostly. */
static struct node_id any_id(struct teller *teller)
{
    const struct view *known = teller->known;

    if (known->member_count > 0 && !chance(teller, 4)) {
        return known->members[draw(teller, 0, known->member_count - 1)].id;
    }
    return chance(teller, 2) ? any_running(teller)->witness.life : fresh_id(teller);
}

static struct address any_address(struct teller *teller)
{
    return chance(teller, 4) ? nowhere(teller) : any_running(teller)->address;
}

static struct terms any_terms(struct teller *teller)
{
    const struct sim *sim = teller->sim;
    struct terms terms = {.guard = sim->options.guard,
                          .profile = sim->options.profile,
                          .watchers = sim->options.watchers,
                          .heartbeat_ms = sim->timing.heartbeat_ms,
                          .lost_ms = sim->timing.lost_ms,
                          .capacity = sim->options.capacity,
                          .voters = sim->voters};

    if (guard_is_strict(&terms.guard)) {
        terms.guard.count = sim->options.voters_target;
    }
    terms.heartbeat_ms += chance(teller, 8);
    terms.capacity += chance(teller, 8);
    return terms;
}

static struct view_id known_id(struct teller *teller)
{
    return view_id_of(teller->known);
}

/* Of another founding; or one that was recovered from the known one, by a clock that may be wrong
 * (Z18). */
static uint64_t any_lineage(struct teller *teller)
{
    const uint64_t drawn = random_u64(teller->random);
    const uint64_t at_s = drawn % 4 == 1 ? UINT32_MAX : drawn >> 32;

    return teller->sim->options.successors && drawn % 2 == 1
               ? lineage_of_recovery(teller->known->lineage, at_s, drawn)
               : drawn;
}

static struct view_id any_view_id(struct teller *teller)
{
    struct view_id id = known_id(teller);

    switch (draw(teller, 0, 3)) {
    case 0:
        id.epoch = leap(teller, id.epoch);
        break;
    case 1:
        id.version = leap(teller, id.version);
        break;
    case 2:
        id.lineage = any_lineage(teller);
        break;
    default:
        id.version = near(teller, id.version);
        break;
    }
    id.coordinator = chance(teller, 2) ? id.coordinator : any_id(teller);
    return id;
}

/* --- Views --- */

static void name_member(struct member *member, const struct host *host)
{
    member->id = host->witness.life;
    member->address = host->address;
    memcpy(member->name, host->name, sizeof member->name);
}

static void twist_version(struct teller *teller, struct view *view)
{
    view->version = leap(teller, view->version);
}

static void twist_epoch(struct teller *teller, struct view *view)
{
    view->epoch = leap(teller, view->epoch);
}

static void twist_next_age(struct teller *teller, struct view *view)
{
    view->next_age = leap(teller, view->next_age);
}

static void twist_ages(struct teller *teller, struct view *view)
{
    uint64_t step = leap(teller, 0);

    for (uint32_t i = (uint32_t)draw(teller, 0, view->member_count - 1); i < view->member_count;
         i++) {
        view->members[i].age += step;
    }
}

static void twist_alone(struct teller *teller, struct view *view)
{
    (void)teller;
    view->member_count = 1;
}

static void twist_lack(struct teller *teller, struct view *view)
{
    uint32_t at = (uint32_t)draw(teller, 0, view->member_count - 1);

    if (view->member_count > 1) {
        view->member_count--;
        memmove(&view->members[at], &view->members[at + 1],
                (view->member_count - at) * sizeof view->members[0]);
    }
}

static void twist_invent(struct teller *teller, struct view *view)
{
    uint64_t more = draw(teller, 1, 12);

    for (; more > 0 && view->member_count < view->capacity; more--) {
        struct member *member = &view->members[view->member_count++];
        memset(member, 0, sizeof *member);
        member->id = fresh_id(teller);
        member->address = any_address(teller);
        member->age = view->next_age++;
        snprintf(member->name, sizeof member->name, "nobody%u", view->member_count);
    }
}

static void twist_rename(struct teller *teller, struct view *view)
{
    struct member *member = &view->members[draw(teller, 0, view->member_count - 1)];

    if (chance(teller, 2)) {
        member->id = any_id(teller);
    } else if (chance(teller, 2)) {
        member->address = any_address(teller);
    } else {
        snprintf(member->name, sizeof member->name, "%s", any_running(teller)->name);
    }
}

static void twist_lineage(struct teller *teller, struct view *view)
{
    view->lineage = any_lineage(teller);
}

static void twist_merge(struct teller *teller, struct view *view)
{
    view->cause = CAUSE_MERGE;
    view->merged = chance(teller, 2) ? known_id(teller) : any_view_id(teller);
    view->epoch += draw(teller, 0, 1);
    if (chance(teller, 2)) {
        view->lineage = any_lineage(teller);
    }
}

static void twist_drained(struct teller *teller, struct view *view)
{
    view->members[draw(teller, 0, view->member_count - 1)].drained = true;
}

static uint64_t any_duration(struct teller *teller, uint64_t least, uint64_t most)
{
    switch (draw(teller, 0, 2)) {
    case 0:
        return most;
    case 1:
        return least + draw(teller, 0, 5);
    default:
        return draw(teller, least, most);
    }
}

/* Sound, mostly: what is not is looked at by the tests of the codec. */
static struct rules any_rules(struct teller *teller)
{
    const struct sim *sim = teller->sim;
    struct rules rules = {.guard = {.policy = GUARD_NONE}, .profile = sim->options.profile};
    const bool kept = chance(teller, 4);

    rules.heartbeat_ms = kept
                             ? sim->timing.heartbeat_ms
                             : any_duration(teller, RULES_HEARTBEAT_MS_MIN, RULES_HEARTBEAT_MS_MAX);
    rules.lost_ms = kept ? sim->timing.lost_ms
                         : any_duration(teller, 4 * rules.heartbeat_ms, RULES_LOST_MS_MAX);
    rules.capacity = chance(teller, 2) ? sim->options.capacity
                                       : (uint32_t)draw(teller, 1, sim->options.capacity);
    if (chance(teller, 2)) {
        rules.guard.policy = chance(teller, 2) ? GUARD_COUNT : GUARD_MAJORITY;
        rules.guard.count = (uint32_t)draw(teller, 1, rules.capacity);
    }
    const struct timing timing = rules_timing(&rules);

    rules.lost_ms = timing.lost_ms;
    return rules;
}

static uint64_t any_terms_number(struct teller *teller, uint64_t number)
{
    switch (draw(teller, 0, 3)) {
    case 0:
        return COUNTER_MAX - draw(teller, 0, 3);
    case 1:
        return leap(teller, number);
    default:
        return number + draw(teller, 1, 20);
    }
}

/* A1 to A5: all that a view says of terms that were changed. */
static void twist_terms(struct teller *teller, struct view *view)
{
    struct agreed *agreed = &view->agreed;

    *agreed = (struct agreed){.now = any_rules(teller),
                              .number = any_terms_number(teller, view->agreed.number),
                              .origin = chance(teller, 2) ? view->agreed.origin
                                                          : random_u64(teller->random),
                              .room = teller->sim->options.capacity,
                              .joint = chance(teller, 3)};
    if (agreed->joint) {
        agreed->before = any_rules(teller);
    }
    agreed->room += chance(teller, 8);
}

static void twist_cause(struct teller *teller, struct view *view)
{
    view->cause = (enum view_cause)draw(teller, CAUSE_FOUND, CAUSE_HANDOVER);
    view->parent = any_view_id(teller);
}

static void twist_gone(struct teller *teller, struct view *view)
{
    if (view->gone_count < GONE_MAX) {
        struct gone *gone = &view->gone[view->gone_count++];
        const struct host *host = any_running(teller);
        *gone = (struct gone){.address = host->address, .reason = GONE_FAILED};
        gone->id = chance(teller, 2) ? host->witness.life : any_id(teller);
        gone->age = 1 + leap(teller, view->next_age) / 2;
        memcpy(gone->name, host->name, sizeof gone->name);
    }
}

static struct node_id any_record(struct teller *teller)
{
    const struct voter_lists *lists = &teller->known->voters;

    return lists->count > 0 && !chance(teller, 4)
               ? lists->voters[draw(teller, 0, lists->count - 1)].record
               : any_id(teller);
}

/* Z10, Z11: other voters, other lists, or another record under a name. */
static void twist_voters(struct teller *teller, struct view *view)
{
    struct voter_lists *lists = &view->voters;
    const struct host *host = any_running(teller);

    if (lists->count == 0) {
        lists->number = 1;
        lists->voters[lists->count++] = (struct listed_voter){.now = true};
    }
    struct listed_voter *voter = &lists->voters[draw(teller, 0, lists->count - 1)];
    switch (draw(teller, 0, 4)) {
    case 0:
        voter->record = any_record(teller);
        break;
    case 1:
        memcpy(voter->name, host->name, sizeof voter->name);
        voter->record = any_id(teller);
        break;
    case 2:
        voter->before = !voter->before;
        voter->now = voter->now || !voter->before;
        break;
    case 3:
        lists->count = (uint8_t)draw(teller, 1, lists->count);
        break;
    default:
        lists->number = leap(teller, lists->number) / 2 + 1;
        break;
    }
    for (uint8_t i = 0; i < lists->count; i++) {
        if (lists->voters[i].name[0] == '\0') {
            memcpy(lists->voters[i].name, host->name, sizeof lists->voters[i].name);
        }
        if (id_is_none(&lists->voters[i].record)) {
            lists->voters[i].record = fresh_id(teller);
        }
    }
}

static void twist(struct teller *teller, struct view *view)
{
    static void (*const twists[])(struct teller *, struct view *) = {
        twist_version, twist_epoch, twist_next_age, twist_next_age, twist_ages,
        twist_alone,   twist_lack,  twist_invent,   twist_rename,   twist_lineage,
        twist_merge,   twist_merge, twist_drained,  twist_cause,    twist_gone,
        twist_terms,   twist_terms, twist_voters,   twist_voters};

    twists[draw(teller, 0, sizeof twists / sizeof twists[0] - 1)](teller, view);
}

/* As all members know it, but one version higher. */
static struct view *begin_view(struct teller *teller)
{
    struct view *view = &teller->liar->view;

    view_clear(view);
    if (teller->known->member_count > 0) {
        view_copy(view, teller->known);
    } else {
        view->member_count = 1;
        memset(&view->members[0], 0, sizeof view->members[0]);
        name_member(&view->members[0], teller->to);
        view->members[0].age = 1;
        view->lineage = random_u64(teller->random);
        view->epoch = 1;
        view->next_age = 2;
    }
    view->parent = view_id_of(view);
    memset(&view->merged, 0, sizeof view->merged);
    view->cause = CAUSE_CHANGE;
    view->version++;
    return view;
}

/* The host's member becomes the first, the ages stay in their places. */
static void put_first(struct view *view, const struct host *host)
{
    uint32_t at = 0;

    while (at < view->member_count && !id_equal(&view->members[at].id, &host->witness.life)) {
        at++;
    }
    if (at == view->member_count) {
        at = 0;
        name_member(&view->members[0], host);
    }
    struct member first = view->members[at];
    for (uint32_t i = at; i > 0; i--) {
        uint64_t age = view->members[i].age;
        view->members[i] = view->members[i - 1];
        view->members[i].age = age;
    }
    first.age = view->members[0].age;
    view->members[0] = first;
}

/* Mostly such that it is sound, and always such that it has a form on the wire. */
static struct view *end_view(struct teller *teller, struct view *view)
{
    for (uint32_t i = 0; i < view->member_count; i++) {
        view->members[i].age += view->members[i].age == 0; /* It went beyond 2^64. */
    }
    uint64_t youngest = view->members[view->member_count - 1].age;
    struct member *marked = &view->members[draw(teller, 0, view->member_count - 1)];

    view->next_age = view->next_age > youngest ? view->next_age : youngest + 1;
    marked->incarnation = MARK + teller->liar->told;
    view_seal(view);
    remember_forged(teller->liar, view->hash, teller->stranger);
    return view;
}

static struct view *make_view(struct teller *teller, const struct host *first)
{
    struct view *view = begin_view(teller);

    for (uint64_t left = draw(teller, 1, TWISTS_MAX); left > 0; left--) {
        twist(teller, view);
    }
    if (first != NULL) {
        put_first(view, first);
    }
    return end_view(teller, view);
}

/* Of the liar, or of anybody. */
static const struct host *some_maker(struct teller *teller)
{
    bool own = teller->from != NULL && !chance(teller, 4);

    return own ? teller->from : chance(teller, 2) ? any_running(teller) : NULL;
}

/* --- One function for each kind of lie --- */

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
    teller->message->carrier.view = make_view(teller, teller->to);
}

static void tell_views(struct teller *teller)
{
    begin(teller, MESSAGE_VIEW);
    teller->message->carrier.view = make_view(teller, some_maker(teller));
}

static void tell_proposals(struct teller *teller)
{
    begin(teller, MESSAGE_PREPARE);
    teller->message->carrier.view = make_view(teller, some_maker(teller));
    if (chance(teller, 3)) {
        teller->message->carrier.handover_by = any_id(teller);
    }
    teller->message->carrier.merge = chance(teller, 4) ? leap(teller, 0) : 0;
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
        reference->view = known_id(teller);
        reference->view_hash = teller->known->hash;
        return;
    default:
        reference->view = any_view_id(teller);
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
        teller->message->reference.promised = leap(teller, epoch);
        return;
    }
    struct vote_answer *vote = begin_vote_on_claim(teller);
    vote->result = (enum vote_result)draw(teller, VOTE_REFUSED_EPOCH, VOTE_REFUSED_BEHIND);
    vote->wait_ms = draw(teller, 0, 100000);
    vote->promised = leap(teller, epoch);
}

static void tell_not_following(struct teller *teller)
{
    begin(teller, MESSAGE_NOT_FOLLOWING);
    refer(teller, &teller->message->reference);
    if (chance(teller, 2)) {
        teller->message->reference.view = any_view_id(teller);
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
    carrier->epoch = leap(teller, teller->known->epoch);
}

static void tell_grants(struct teller *teller)
{
    (void)begin_vote_on_claim(teller);
    if (chance(teller, 2)) {
        teller->message->carrier.view = make_view(teller, some_maker(teller));
    }
}

static void tell_joins(struct teller *teller)
{
    struct joiner *joiner = &teller->message->joiner;

    begin(teller, chance(teller, 3) ? MESSAGE_READY : MESSAGE_JOIN);
    joiner->member.id = chance(teller, 4) ? any_id(teller) : teller->message->from;
    joiner->member.address = chance(teller, 2) ? any_address(teller) : teller->message->source;
    joiner->member.incarnation = MARK + teller->liar->told;
    if (chance(teller, 3)) {
        snprintf(joiner->member.name, sizeof joiner->member.name, "%s", any_running(teller)->name);
    } else {
        snprintf(joiner->member.name, sizeof joiner->member.name, "stranger%u",
                 (unsigned)draw(teller, 0, 99));
    }
    joiner->terms = any_terms(teller);
    joiner->may_found = chance(teller, 2);
    joiner->nonce = teller->message->type == MESSAGE_READY ? random_u64(teller->random) : 0;
    joiner->hops = (uint8_t)draw(teller, 0, 1);
    joiner->epoch_seen = leap(teller, teller->known->epoch);
}

static void tell_offers(struct teller *teller)
{
    begin(teller, MESSAGE_OFFER);
    teller->message->offer.nonce = random_u64(teller->random);
    teller->message->offer.lineage = chance(teller, 2) ? teller->known->lineage
                                                       : any_lineage(teller);
}

static void tell_refusals(struct teller *teller)
{
    struct join_refused *refused = &teller->message->join_refused;

    begin(teller, MESSAGE_JOIN_REFUSED);
    refused->reason = (enum join_refusal)draw(teller, JOIN_REFUSED_TERMS, JOIN_REFUSED_FULL);
    refused->terms = any_terms(teller);
    refused->address = any_address(teller);
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
    teller->message->carrier.view = make_view(teller, some_maker(teller));
}

static void tell_stand_downs(struct teller *teller)
{
    begin(teller, MESSAGE_HANDOVER);
    teller->message->carrier.view = make_view(teller, some_maker(teller));
    teller->message->carrier.stays = true;
}

static void tell_pings(struct teller *teller)
{
    const uint64_t kind = draw(teller, 0, 2); /* To the suspect, its answer, or to a helper. */

    begin(teller, kind == 1 ? MESSAGE_PONG : MESSAGE_PING);
    teller->message->ping.nonce = draw(teller, 0, 3);
    teller->message->ping.subject = kind == 0 || chance(teller, 4) ? teller->to->witness.life
                                                                   : any_id(teller);
    teller->message->ping.origin = chance(teller, 2) ? teller->to->witness.life : any_id(teller);
    if (chance(teller,
               2)) { /* Somebody reigns and asks for leases, or a voter says what it gave. */
        teller->message->ping.asked = (struct lease_asked){
            .lineage = known_id(teller).lineage,
            .epoch = chance(teller, 2) ? teller->known->epoch + (teller->known->epoch == 0)
                                       : 1 + leap(teller, teller->known->epoch) / 2,
            .lease_ms = 1};
        teller->message->ping.said = (struct lease_said){
            .promised = 1 + leap(teller, teller->known->epoch) / 2,
            .leased = chance(teller, 2),
            .record = any_record(teller)};
    }
}

static void fill_probe(struct teller *teller, struct probe *probe)
{
    const struct sim *sim = teller->sim;

    probe->view = chance(teller, 2) ? any_view_id(teller) : known_id(teller);
    probe->view_hash = chance(teller, 2) ? teller->known->hash : random_u64(teller->random);
    probe->holders = (uint32_t)draw(teller, 0, 12);
    probe->oldest_age = draw(teller, 0, 12);
    probe->guard_met = chance(teller, 2);
    probe->answer = chance(teller, 2);
    probe->seed_count = (uint8_t)draw(teller, 0, 1);
    probe->seeds[0] = sim->hosts[draw(teller, 0, sim->host_count - 1)].address;
    probe->coordinator = any_address(teller);
    probe->terms = any_terms(teller);
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
        teller->message->merge_refused.merge = leap(teller, 0);
        teller->message->merge_refused.reason = (enum merge_refusal)draw(teller, MERGE_REFUSED_BUSY,
                                                                         MERGE_REFUSED_LEAPS);
        return;
    }
    begin(teller, MESSAGE_MERGE);
    struct view *view = make_view(teller, some_maker(teller));
    teller->message->carrier.view = view;
    teller->message->carrier.merge = leap(teller, 0);
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
    teller->message->wish.move.subject = any_id(teller);
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

    wish->rules = any_rules(teller);
    wish->rules.guard = teller->known->agreed.number != 0 ? teller->known->agreed.now.guard
                        : teller->sim->options.exclusive  ? (struct guard){.policy = GUARD_NONE}
                                                          : teller->sim->options.guard;
    wish->rules.capacity = teller->sim->options.capacity;
    wish->rules.heartbeat_ms = timing->heartbeat_ms * fifths / 5;
    wish->rules.lost_ms = (timing->lost_ms * fifths + 4) / 5;
    wish->number = chance(teller, 2) ? teller->known->agreed.number
                                     : any_terms_number(teller, teller->known->agreed.number);
    wish->forget_failed = chance(teller, 4);
}

static void tell_ballots(struct teller *teller)
{
    struct view_carrier *carrier = &teller->message->carrier;

    begin(teller, MESSAGE_CLAIM);
    carrier->view = chance(teller, 2) ? make_view(teller, some_maker(teller)) : NULL;
    carrier->lineage = chance(teller, 8) ? random_u64(teller->random) : teller->known->lineage;
    carrier->epoch = chance(teller, 8) ? 0 : leap(teller, teller->known->epoch);
    if (chance(teller, 2)) {
        carrier->handover_by = any_id(teller);
        carrier->handover_epoch = near(teller, teller->known->epoch);
    }
}

static void tell_votes(struct teller *teller)
{
    struct view_carrier *carrier = &teller->message->carrier;
    uint64_t epoch = teller->known->epoch;

    begin(teller, MESSAGE_VOTE);
    carrier->view = chance(teller, 2) ? make_view(teller, some_maker(teller)) : NULL;
    carrier->lineage = chance(teller, 8) ? random_u64(teller->random) : teller->known->lineage;
    carrier->epoch = near(teller, epoch);
    carrier->vote.record = any_record(teller);
    carrier->vote.kind = (enum vote_kind)draw(teller, VOTE_CLAIM, VOTE_FOUNDING);
    carrier->vote.result = (enum vote_result)draw(teller, VOTE_GRANTED, VOTE_RESULT_LAST);
    carrier->vote.version = near(teller, teller->known->version);
    carrier->vote.promised = leap(teller, epoch);
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
    teller->message->number = leap(teller, teller->message->number);
}

static void tell_hashes(struct teller *teller)
{
    begin_heartbeat(teller);
    teller->message->heartbeat.view = known_id(teller);
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
        heartbeat->suspects[i].age = chance(teller, 8) ? 1 + leap(teller, age) / 2 : age;
        heartbeat->suspects[i].verdict = (enum verdict)draw(teller, VERDICT_NONE, VERDICT_STALLED);
    }
}

static void tell_heartbeats(struct teller *teller)
{
    begin_heartbeat(teller);
    struct heartbeat *heartbeat = &teller->message->heartbeat;

    heartbeat->view = any_view_id(teller);
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
        return leap(teller, 0) & ROLE_TOKEN_MAX;
    }
    return role_token(epoch, serial & ROLE_SERIAL_MAX);
}

/* Of a client of that host, or of none. */
static struct node_id any_request(struct teller *teller, const struct host *of)
{
    struct own_role own[ROLE_OWN_MAX];
    const uint32_t count = of->running ? core_own_roles(of->core, own) : 0;

    return count == 0 || chance(teller, 8) ? fresh_id(teller)
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
        entry->request = fresh_id(teller);
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
    word->stamp = leap(teller, host_now_ms(teller->sim, teller->to));
    word->count = (uint32_t)draw(teller, 0, ROLE_OWN_MAX);
    word->hash = random_u64(teller->random);
    word->held_ms = draw(teller, 0, 2 * LEASE_MS_MAX);
}

static void tell_kind(struct teller *teller, enum lie_kind kind);

static void tell_anything(struct teller *teller)
{
    tell_kind(teller, (enum lie_kind)draw(teller, 0, LIE_ANYTHING - 1));
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

uint64_t liar_told_of(const struct sim *sim, enum message_type type)
{
    return sim->liar == NULL ? 0 : sim->liar->told_of[type];
}

static void tell_kind(struct teller *teller, enum lie_kind kind)
{
    lies[kind].tell(teller);
}

/* --- Envelope --- */

static void fill_envelope(struct teller *teller)
{
    struct message *message = teller->message;

    memset(message, 0, sizeof *message);
    if (teller->from != NULL) {
        message->from = teller->from->witness.life;
        message->source = chance(teller, 8) ? nowhere(teller) : teller->from->address;
        message->number = 1 + near(teller, teller->from->number);
    } else {
        message->from = chance(teller, 2) ? fresh_id(teller)
                                          : teller->liar->strangers[draw(teller, 0, STRANGERS - 1)];
        message->source = nowhere(teller);
        message->number = leap(teller, 0);
    }
}

/* Those that a core writes into each copy. */
static struct wire_copy copy_of(struct teller *teller, struct node_id *to)
{
    struct wire_copy copy = {.to = to};

    *to = chance(teller, 16) ? any_id(teller) : teller->to->witness.life;
    if (chance(teller, 8)) {
        copy.to = NULL;
    }
    copy.flags |= chance(teller, 4) ? 0U : WIRE_FELLOW;
    copy.flags |= chance(teller, 16) ? WIRE_RELAY : 0U;
    copy.echo = (uint32_t)(teller->to->number + draw(teller, 0, 2)) - 1;
    if (chance(teller, 4)) {
        copy.echo = (uint32_t)random_u64(teller->random);
    }
    return copy;
}

static void post(struct teller *teller, const struct wire_copy *copy, uint64_t delay_us)
{
    size_t length;
    const uint8_t *bytes = wire_encode(teller->liar->wire, teller->message, copy, &length);
    struct packet *packet = network_packet(&teller->sim->network, length);

    memcpy(packet->bytes, bytes, length);
    packet->to = host_index(teller->sim, teller->to);
    packet->from = packet->to;
    packet->source = teller->message->source;
    packet->forged = true;
    post_push(teller->sim, packet, teller->sim->now_us + delay_us);
}

static void send(struct teller *teller)
{
    struct node_id to;
    const struct wire_copy copy = copy_of(teller, &to);

    post(teller, &copy, draw(teller, 80, 400));
}

/* In whose name: of a process that runs, and not of the receiver itself. NULL: there is none. */
static const struct host *pick_liar(struct teller *teller, uint32_t host)
{
    if (host != SIM_ANY) {
        const struct host *liar = &teller->sim->hosts[host];
        return liar->running && liar != teller->to ? liar : NULL;
    }
    for (int tries = 0; tries < 8; tries++) {
        const struct host *liar = any_running(teller);
        if (liar != teller->to) {
            return liar;
        }
    }
    return NULL;
}

static const struct view *pick_known(struct teller *teller)
{
    const struct view *view = core_view(teller->to->core);

    for (int tries = 0; tries < 8 && view_is_empty(view); tries++) {
        view = core_view(any_running(teller)->core);
    }
    return view;
}

/* Under guard strict, one that coordinates: it need not lie to act when it should not. */
static bool must_not_lie(const struct sim *sim, const struct host *host)
{
    const struct view *view = core_view(host->core);

    return sim->options.exclusive && !view_is_empty(view) &&
           id_equal(&view->members[0].id, &host->witness.life);
}

/* Where voters skip a lease on that word: of whoever says that somebody has handed over to it
 * (Z2c); or of whom the receiver takes for its coordinator, so that it says as much (Z7). A slow
 * one reads it later, and who coordinates then nobody knows yet. */
static bool tells_hand_over(const struct teller *teller)
{
    const struct message *message = teller->message;
    const struct view *view = core_view(teller->to->core);
    bool hands_over = message->type == MESSAGE_HANDOVER ||
                      (message->type == MESSAGE_HEARTBEAT && message->heartbeat.handed_over);

    if (message->type == MESSAGE_CLAIM) {
        return message->carrier.handover_epoch != 0;
    }
    if (hands_over && (teller->to->paused || teller->to->turn_us != 0)) {
        return true;
    }
    return hands_over && !view_is_empty(view) && id_equal(&view->members[0].id, &message->from);
}

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

/* How long leases and grants last (Z15), and what a voter says of it. By a chance of its own, so
 * that lies that were told before this one was thought of stay what they are. */
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

/* Z2k: a stranger goes on asking for an epoch above whatever the receiver has promised, likewise.
 */
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

/* Z4d: a stranger proposes a view that has itself alone, as one who begins anew does, likewise. */
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
    name_member(&view->members[0], teller->to);
    view->members[0].id = message->from;
    view->members[0].address = message->source;
    view->members[0].age = known->next_age;
    view->members[0].incarnation = MARK + teller->liar->told;
    view->next_age = known->next_age + 1;
    view_seal(view);
    remember_forged(teller->liar, view->hash, true);
    message->carrier = (struct view_carrier){.view = view};
}

/* How often a record was written (Z14), by a chance of its own, too: more often than it was, or
 * less. */
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

void liar_says(struct sim *sim, uint32_t to, struct message *message)
{
    struct teller teller = {
        .sim = sim, .liar = liar_of(sim), .to = &sim->hosts[to], .message = message};
    const struct wire_copy copy = {
        .to = &teller.to->witness.life, .flags = WIRE_FELLOW, .echo = (uint32_t)teller.to->number};

    if (message_view(message) != NULL) {
        remember_forged(teller.liar, message_view(message)->hash, false);
    }
    remember_token(teller.liar, message);
    trace_note(sim, "somebody says to %s: %s", teller.to->name, message_text(message->type));
    sim->liar->told++;
    sim->liar->betrayed = true;
    sim->oracle.suspended = true;
    post(&teller, &copy, 100);
}

void liar_tell(struct sim *sim, struct random *random, const struct lie *lie)
{
    struct message message;
    struct teller teller = {.sim = sim,
                            .liar = liar_of(sim),
                            .random = random,
                            .stranger = lie->stranger,
                            .to = &sim->hosts[lie->to],
                            .message = &message};

    if (!teller.to->running) {
        return;
    }
    teller.from = lie->stranger ? NULL : pick_liar(&teller, lie->host);
    if (!lie->stranger && (teller.from == NULL || must_not_lie(sim, teller.from))) {
        return;
    }
    teller.known = pick_known(&teller);
    fill_envelope(&teller);
    tell_kind(&teller, lie->kind);
    if (sim->options.exclusive) {
        propose_as_outsider(&teller);
        lie_about_lengths(&teller);
        if (!lie->stranger) {
            lie_as_helper(&teller);
        }
        lie_about_writes(&teller);
        outbid(&teller);
    }
    remember_token(teller.liar, &message);
    trace_note(sim, "%s lies to %s: %s", lie->stranger ? "a stranger" : teller.from->name,
               teller.to->name, message_text(message.type));
    sim->liar->told++;
    sim->liar->told_of[message.type]++;
    if (!lie->stranger) {
        sim->liar->betrayed = true;
        sim->oracle.suspended = true;
        if (tells_hand_over(&teller)) {
            oracle_on_false_release(sim);
        }
    }
    send(&teller);
}

/* --- Lies that go on --- */

static void go_on(struct sim *sim, uint32_t index, uint32_t unused)
{
    struct going_on *going_on = &sim->liar->goings_on[index];
    struct random random = going_on->random;
    struct lies told = going_on->lies;

    (void)unused;
    for (uint32_t host = 0; host < sim->host_count && !sim->liar->pauses; host++) {
        told.lie.to = host;
        if (told.spares_voters && !told.lie.stranger && sim_may_have_a_vote(sim, told.lie.host)) {
            break;
        }
        for (uint32_t i = 0; i < told.each_time && (told.to >> (host % 64) & 1) != 0; i++) {
            liar_tell(sim, &random, &told.lie);
        }
    }
    going_on->random = random;
    if (sim->now_us < going_on->end_us) {
        sim_after(sim, told.gap_ms, go_on, index, 0);
    }
}

void liar_goes_on(struct sim *sim, const struct lies *told)
{
    struct liar *liar = liar_of(sim);
    uint32_t index = liar->going_on_count++;

    liar->goings_on = realloc(liar->goings_on, liar->going_on_count * sizeof *liar->goings_on);
    assert(liar->goings_on != NULL);
    struct going_on *going_on = &liar->goings_on[index];
    going_on->lies = *told;
    going_on->end_us = told->ms == UINT64_MAX ? UINT64_MAX : sim->now_us + told->ms * US_PER_MS;
    random_seed(&going_on->random, told->seed);
    trace_note(sim, "lies begin: %s", lies[told->lie.kind].text);
    go_on(sim, index, 0);
}

void liar_pauses(struct sim *sim, bool pauses)
{
    if (sim->liar != NULL) {
        sim->liar->pauses = pauses;
    }
}

void liar_leaves_history(struct sim *sim)
{
    sim->options.successors = false;
}

void sim_trust(struct sim *sim)
{
    trace_note(sim, "what is said counts again");
    oracle_begin_anew(sim);
}
