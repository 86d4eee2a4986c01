#include "rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "core/agreement/change_answers.h"
#include "core/agreement/install.h"
#include "core/detection/numbers.h"

#include "core/entry/join.h"

enum {
    BEGIN_MS = 100000,
    HEARTBEATS_MS = 100, /* between two of each living peer, at the most */
};

struct node_id rig_id(const struct rig *rig, char letter)
{
    return letter == rig->self ? core_self(rig->core)->id : member_of(letter).id;
}

/* --- Steps --- */

static bool is_of_peer(const struct effect *effect)
{
    return effect->type == EFFECT_SEND || effect->type == EFFECT_LINK_OPEN ||
           effect->type == EFFECT_KERNEL_ASK;
}

static void note(struct rig *rig, struct effects effects)
{
    rig->refused_count = 0;
    rig->role_count = 0;
    for (uint32_t i = 0; i < effects.count; i++) {
        const struct effect *effect = &effects.items[i];
        cr_assert(!is_of_peer(effect) || !id_equal(&effect->peer, &core_self(rig->core)->id),
                  "effect %d is of the node itself", (int)effect->type); /* V6c */
        if (effect->type == EFFECT_REFUSED) {
            rig->refused_count++;
            rig->refused = effect->refused;
        } else if (effect->type == EFFECT_SEND) {
            cr_assert_lt(rig->sent_count, RIG_SENT_MAX);
            rig->last_number = effect->message->number;
            rig->sent[rig->sent_count++] = (struct rig_sent){.to = (char)effect->address.bytes[3],
                                                             .peer = effect->peer,
                                                             .fellow = effect->fellow,
                                                             .relay = effect->relay,
                                                             .handed_on = effect->handed_on,
                                                             .echo = effect->echo,
                                                             .brief = effect->brief,
                                                             .message = *effect->message};
        } else if (effect->type == EFFECT_ROLE) {
            rig->role = effect->role;
            rig->role_count++;
        } else if (effect->type == EFFECT_NOTICE) {
            rig->noticed[effect->notice->type]++;
            rig->notices[effect->notice->type] = *effect->notice;
        }
        rig->withdraws = rig->withdraws || effect->type == EFFECT_WITHDRAW;
        rig->resolve_count += effect->type == EFFECT_RESOLVE;
        rig->kernel_ask_count += effect->type == EFFECT_KERNEL_ASK;
    }
}

static void step(struct rig *rig, struct event event)
{
    event.now_ms = rig->now_ms;
    note(rig, core_step(rig->core, &event));
    if (rig->withdraws) { /* Nobody goes by its right to act. */
        rig->withdraws = false;
        event.type = EVENT_WITHDRAWN;
        note(rig, core_step(rig->core, &event));
    }
}

struct message rig_message(const struct rig *rig, char from, const struct message *content)
{
    struct message message = *content;

    message.from = rig_id(rig, from);
    message.to = core_self(rig->core)->id;
    message.source = member_of(from).address;
    message.fellow = true;
    message.number = rig->numbers[(unsigned char)from];
    message.echo = (uint32_t)rig->last_number;
    if (message.type == MESSAGE_OFFER || message.type == MESSAGE_JOIN_REFUSED) {
        message.echo = join_echo(rig->core);
    }
    if (message.type == MESSAGE_PING && id_is_none(&message.ping.subject)) {
        message.ping.subject = message.to;
    }
    if (message.type == MESSAGE_ACK && !view_has(core_view(rig->core), &message.from)) {
        message.echo = change_merge_nonce(rig->core); /* M4f */
    }
    return message;
}

void rig_gets_raw(struct rig *rig, const struct message *message)
{
    rig->sent_count = 0;
    step(rig, (struct event){.type = EVENT_MESSAGE, .message = message});
}

static void deliver(struct rig *rig, char from, const struct message *content)
{
    rig->numbers[(unsigned char)from]++;
    struct message message = rig_message(rig, from, content);
    step(rig, (struct event){.type = EVENT_MESSAGE, .message = &message});
}

void rig_gets(struct rig *rig, char from, const struct message *content)
{
    rig->sent_count = 0;
    deliver(rig, from, content);
}

void rig_answers_pull(struct rig *rig, char from, const struct message *content)
{
    uint32_t pull = 0;

    while (pull < rig->sent_count &&
           (rig->sent[pull].to != from || rig->sent[pull].message.type != MESSAGE_PULL ||
            rig->sent[pull].echo == 0)) {
        pull++;
    }
    cr_assert_lt(pull, rig->sent_count, "%c was not asked", from);
    rig->numbers[(unsigned char)from]++;
    struct message message = rig_message(rig, from, content);
    message.fellow = false;
    message.echo = rig->sent[pull].echo;
    rig_gets_raw(rig, &message);
}

static void deliver_heartbeat(struct rig *rig, char from)
{
    const struct view *view = core_view(rig->core);

    deliver(rig, from,
            &(struct message){
                .type = MESSAGE_HEARTBEAT,
                .heartbeat = {.view = view_id_of(view), .view_hash = view->hash},
            });
}

void rig_hears(struct rig *rig, char from)
{
    rig->sent_count = 0;
    deliver_heartbeat(rig, from);
}

static struct view_id asked_about(const struct rig *rig, enum vote_kind kind)
{
    switch (kind) {
    case VOTE_CLAIM:
        return (struct view_id){.epoch = rig->core->candidacy.epoch};
    case VOTE_PREPARE:
        return view_id_of(&rig->core->change.pending);
    case VOTE_HEARTBEAT:
        return view_id_of(core_view(rig->core));
    case VOTE_FOUNDING:
        break;
    }
    return (struct view_id){.epoch = 0};
}

struct message rig_vote(const struct rig *rig, char voter, enum vote_kind kind,
                        enum vote_result result)
{
    const struct view_id about = asked_about(rig, kind);

    return (struct message){.type = MESSAGE_VOTE,
                            .carrier = {.lineage = core_view(rig->core)->lineage,
                                        .epoch = about.epoch,
                                        .vote = {.record = record_of(voter),
                                                 .kind = kind,
                                                 .result = result,
                                                 .version = about.version}}};
}

void rig_is_granted(struct rig *rig, char voter)
{
    const struct message vote = rig_vote(rig, voter, VOTE_CLAIM, VOTE_GRANTED);

    rig_gets(rig, voter, &vote);
}

struct message rig_answer(const struct rig *rig, uint64_t epoch, enum vote_result result)
{
    return (struct message){.type = MESSAGE_VOTE,
                            .carrier = {.lineage = core_view(rig->core)->lineage,
                                        .epoch = epoch,
                                        .vote = {.kind = VOTE_CLAIM, .result = result}}};
}

void rig_grants(struct rig *rig, char member, uint64_t epoch)
{
    const struct message grant = rig_answer(rig, epoch, VOTE_GRANTED);

    rig_gets(rig, member, &grant);
}

struct voter_lease rig_lease(const struct rig *rig, char voter)
{
    const struct node_id record = record_of(voter);

    for (uint32_t i = 0; i < VOTERS_LISTED_MAX; i++) {
        if (id_equal(&rig->core->lease.voters[i].record, &record)) {
            return rig->core->lease.voters[i];
        }
    }
    return (struct voter_lease){.epoch = 0};
}

bool rig_answers(struct rig *rig, char voter, const struct lease_said *said)
{
    const struct node_id id = rig_id(rig, voter);
    const uint32_t position = view_find(core_view(rig->core), &id);

    rig->sent_count = 0;
    if (position == VIEW_NONE || rig->core->peers[position].number.nonce == 0) {
        return false;
    }
    struct message pong = {.type = MESSAGE_PONG,
                           .ping = {.nonce = rig->core->peers[position].number.nonce,
                                    .subject = id,
                                    .origin = core_self(rig->core)->id,
                                    .said = *said}};
    if (id_is_none(&said->record)) {
        pong.ping.said.record = record_of(voter);
    }
    rig_gets(rig, voter, &pong);
    return true;
}

void rig_leases(struct rig *rig, char voter)
{
    (void)rig_answers(
        rig, voter, &(struct lease_said){.promised = core_view(rig->core)->epoch, .leased = true});
}

struct message rig_question(const struct rig *rig, uint64_t epoch)
{
    return (struct message){.type = MESSAGE_PING,
                            .ping = {.nonce = 7,
                                     .subject = core_self(rig->core)->id,
                                     .asked = {.lineage = core_view(rig->core)->lineage,
                                               .epoch = epoch,
                                               .lease_ms = rig->timing.lease_ms,
                                               .hold_ms = timing_hold_ms(&rig->timing)}}};
}

struct lease_said rig_asks(struct rig *rig, char from, uint64_t epoch)
{
    struct message ping = rig_question(rig, epoch);

    ping.ping.origin = rig_id(rig, from);
    rig_gets(rig, from, &ping);
    const struct message *pong = rig_told(rig, MESSAGE_PONG, from);
    cr_assert_not_null(pong);
    cr_assert_eq(pong->ping.nonce, ping.ping.nonce);
    return pong->ping.said;
}

void rig_names(struct rig *rig, char from, const struct suspicion *suspects, uint8_t count)
{
    const struct view *view = core_view(rig->core);
    struct message message = {
        .type = MESSAGE_HEARTBEAT,
        .heartbeat = {.view = view_id_of(view), .view_hash = view->hash, .suspect_count = count}};

    memcpy(message.heartbeat.suspects, suspects, count * sizeof suspects[0]);
    rig_gets(rig, from, &message);
}

void rig_accuses(struct rig *rig, char from, uint64_t age, enum verdict verdict)
{
    rig_names(rig, from, &(struct suspicion){.age = age, .verdict = verdict}, 1);
}

void rig_links(struct rig *rig, char peer, enum link_news news)
{
    rig->sent_count = 0;
    step(rig,
         (struct event){.type = EVENT_LINK, .link = {.peer = rig_id(rig, peer), .news = news}});
}

void rig_kill(struct rig *rig, char peer)
{
    rig_links(rig, peer, LINK_OPENED);
    rig_links(rig, peer, LINK_CLOSED);
    rig_links(rig, peer, LINK_REFUSED);
}

static void learns(struct rig *rig, enum address_source source, const char *letters)
{
    struct address addresses[RIG_CAPACITY];
    uint32_t count = 0;

    for (; *letters != '\0'; letters++) {
        if (*letters != ' ') {
            cr_assert_lt(count, RIG_CAPACITY);
            addresses[count++] = member_of(*letters).address;
        }
    }
    rig->sent_count = 0;
    step(rig, (struct event){.type = EVENT_ADDRESSES, .addresses = {source, addresses, count}});
}

void rig_resolves(struct rig *rig, const char *letters)
{
    learns(rig, ADDRESSES_SEEDS, letters);
}

void rig_remembers(struct rig *rig, const char *letters)
{
    learns(rig, ADDRESSES_REMEMBERED, letters);
}

/* As a driver would: at each deadline, so that the core is never late (D4). */
static void pass(struct rig *rig, uint64_t ms)
{
    uint64_t end_ms = rig->now_ms + ms;

    while (core_deadline_ms(rig->core) <= end_ms) {
        uint64_t due_ms = core_deadline_ms(rig->core);
        rig->now_ms = due_ms > rig->now_ms ? due_ms : rig->now_ms;
        step(rig, (struct event){.type = EVENT_TICK});
    }
    rig->now_ms = end_ms;
}

/* Between two heartbeats of each living peer. */
static uint64_t beats_ms(const struct rig *rig)
{
    return earlier(HEARTBEATS_MS, timing_round_ms(&rig->timing));
}

void rig_pass(struct rig *rig, uint64_t ms, const char *alive)
{
    rig->sent_count = 0;
    do {
        uint64_t part_ms = earlier(ms, beats_ms(rig));
        pass(rig, part_ms);
        ms -= part_ms;
        for (const char *at = alive; *at != '\0'; at++) {
            if (*at != ' ') {
                deliver_heartbeat(rig, *at);
            }
        }
    } while (ms > 0);
}

uint64_t rig_loses(struct rig *rig, char peer, const char *alive)
{
    uint64_t ms = 0;

    while (rig_verdict(rig, peer) != VERDICT_LOST) {
        rig_pass(rig, 1, ++ms % beats_ms(rig) == 0 ? alive : "");
        cr_assert_lt(ms, 2 * rig->timing.lost_ms, "%c is not lost", peer);
    }
    return ms;
}

void rig_sleeps(struct rig *rig, uint64_t ms)
{
    rig->sent_count = 0;
    rig->now_ms += ms;
    step(rig, (struct event){.type = EVENT_TICK});
}

void rig_leaves(struct rig *rig)
{
    rig->sent_count = 0;
    step(rig, (struct event){.type = EVENT_LEAVE});
}

void rig_moves(struct rig *rig, const struct move *move)
{
    rig->sent_count = 0;
    step(rig, (struct event){.type = EVENT_MOVE, .move = *move});
}

void rig_tags(struct rig *rig, const char *tag)
{
    struct tags tags = {.length = (uint16_t)(strlen(tag) + 1)};

    memcpy(tags.text, tag, tags.length);
    rig->sent_count = 0;
    step(rig, (struct event){.type = EVENT_TAGS, .tags = &tags});
}

void rig_wants(struct rig *rig, const struct role_command *command)
{
    rig->sent_count = 0;
    step(rig, (struct event){.type = EVENT_ROLE, .role = command});
}

/* --- What peers say --- */

void rig_joins(struct rig *rig, char joiner)
{
    struct joiner content = {.member = member_of(joiner), .terms = rig->core->terms};

    rig_gets(rig, joiner, &(struct message){.type = MESSAGE_JOIN, .joiner = content});
    const struct message *offer = rig_told(rig, MESSAGE_OFFER, joiner);
    cr_assert_not_null(offer);
    content.nonce = offer->offer.nonce;
    rig_gets(rig, joiner, &(struct message){.type = MESSAGE_READY, .joiner = content});
}

struct message rig_ack(const struct rig *rig, char proposed_to)
{
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, proposed_to);

    cr_assert_not_null(prepare);
    return (struct message){.type = MESSAGE_ACK,
                            .reference = {.view = view_id_of(prepare->carrier.view),
                                          .view_hash = prepare->carrier.view->hash}};
}

struct message rig_claim(const struct view *view, uint64_t epoch)
{
    return (struct message){
        .type = MESSAGE_CLAIM,
        .carrier = {.named = view_reference_of(view), .lineage = view->lineage, .epoch = epoch}};
}

struct probe rig_part(const struct view *view, uint32_t holders)
{
    return (struct probe){.view = view_id_of(view),
                          .view_hash = view->hash,
                          .holders = holders,
                          .oldest_age = view->members[0].age,
                          .guard_met = true,
                          .coordinator = view->members[0].address,
                          .terms = rig_terms()};
}

/* --- Setting up --- */

struct terms rig_terms(void)
{
    struct timing timing = timing_of(PROFILE_LAN);

    return (struct terms){.guard = {.policy = GUARD_NONE},
                          .profile = PROFILE_LAN,
                          .watchers = WATCHERS_MOST,
                          .heartbeat_ms = timing.heartbeat_ms,
                          .lost_ms = timing.lost_ms,
                          .capacity = RIG_CAPACITY};
}

static struct rig *start_with(char self, struct core_options options)
{
    struct rig *rig = calloc(1, sizeof *rig);
    struct member member = member_of(self);

    options.name = member.name;
    options.address = member.address;
    options.profile = PROFILE_LAN;
    options.timing = options.timing.lost_ms != 0 ? options.timing : timing_of(PROFILE_LAN);
    options.watchers = options.watchers != 0 ? options.watchers : WATCHERS_MOST;
    options.fanout = options.fanout != 0 ? options.fanout : FANOUT_DEFAULT;
    options.has_seeds = true;
    options.has_disk = options.guard.policy == GUARD_STRICT;
    memcpy(options.random_seed, (const uint64_t[]){(uint64_t)self, 2, 3, 4},
           sizeof options.random_seed);
    rig->self = self;
    rig->voters = "";
    rig->timing = options.timing;
    rig->now_ms = BEGIN_MS;
    rig->capacity = options.capacity;
    rig->block = malloc(core_bytes(rig->capacity));
    memset(rig->block, 0xa5, core_bytes(rig->capacity)); /* As a driver may hand it over. */
    rig->core = core_init(rig->block, &options, rig->now_ms);
    step(rig, (struct event){.type = EVENT_TICK});
    return rig;
}

struct rig *rig_joining(char self)
{
    return rig_expecting(self, 0);
}

struct rig *rig_expecting(char self, uint32_t expect)
{
    const struct core_options options = {
        .guard = {.policy = GUARD_NONE}, .expect = expect, .capacity = RIG_CAPACITY};

    return start_with(self, options);
}

struct rig *rig_in(const char *letters, char self)
{
    return rig_guarded(letters, self, (struct guard){.policy = GUARD_NONE});
}

/* Lets it into the view of those letters; all others are heard, and their lifelines were opened. */
static struct rig *let_in(struct rig *rig, const char *letters)
{
    struct view *view = rig_view(rig, letters);

    rig_gets(rig, 'Z', &(struct message){.type = MESSAGE_OFFER});
    if (letters[0] == rig->self) { /* Nobody else shows it its own views. */
        step(rig, (struct event){.type = EVENT_TICK});
        install_view(rig->core, view);
        note(rig, (struct effects){.items = rig->core->out.items, .count = rig->core->out.count});
        step(rig, (struct event){.type = EVENT_TICK});
    } else {
        rig_gets(rig, 'Z', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}});
    }
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    for (const char *at = letters; *at != '\0'; at++) {
        if (*at != ' ' && *at != rig->self) {
            const struct node_id id = rig_id(rig, *at);
            numbers_proved(rig->core, view_find(core_view(rig->core), &id));
            rig_hears(rig, *at);
        }
    }
    rig->sent_count = 0;
    return rig;
}

static uint32_t capacity_for(const char *letters)
{
    const uint32_t count = (uint32_t)strlen(letters) / 2 + 1; /* With a space between two. */

    return count > RIG_CAPACITY ? count : RIG_CAPACITY;
}

struct rig *rig_guarded(const char *letters, char self, struct guard guard)
{
    const struct core_options options = {.guard = guard, .capacity = capacity_for(letters)};

    return let_in(start_with(self, options), letters);
}

struct rig *rig_local(const char *letters, char self)
{
    const struct core_options options = {.guard = {.policy = GUARD_NONE},
                                         .timing = timing_of(PROFILE_LOCAL),
                                         .capacity = capacity_for(letters)};

    return let_in(start_with(self, options), letters);
}

struct rig *rig_on_rings(const char *letters, char self)
{
    const struct core_options options = {.guard = {.policy = GUARD_NONE},
                                         .watchers = WATCHERS_DEFAULT,
                                         .capacity = capacity_for(letters) + RIG_CAPACITY};

    return let_in(start_with(self, options), letters);
}

struct rig *rig_with_fanout(const char *letters, char self, struct guard guard, uint32_t fanout)
{
    const struct core_options options = {
        .guard = guard, .fanout = fanout, .capacity = capacity_for(letters) + RIG_CAPACITY};

    return let_in(start_with(self, options), letters);
}

struct rig *rig_strict(const char *letters, char self)
{
    return rig_strict_among(letters, self, letters);
}

struct rig *rig_strict_among(const char *letters, char self, const char *names)
{
    struct voters voters = {.count = 0};

    for (const char *at = names; *at != '\0'; at++) {
        if (*at != ' ') {
            voters.names[voters.count++][0] = *at;
        }
    }
    const struct core_options options = {.guard = {.policy = GUARD_STRICT, .count = voters.count},
                                         .voters = &voters,
                                         .capacity = capacity_for(letters)};
    struct rig *rig = start_with(self, options);
    rig->voters = names;
    return let_in(rig, letters);
}

struct vote_record *rig_votes(struct rig *rig)
{
    struct vote_record *record = &rig->core->voter.record;

    record->id = record_of(rig->self);
    record->lineage = core_view(rig->core)->lineage;
    record->state = VOTE_RECORD_FOUNDED;
    view_clear(&rig->core->voter.accepted); /* As a member it had none (Z8i). */
    return record;
}

void rig_free(struct rig *rig)
{
    for (uint32_t i = 0; i < rig->view_count; i++) {
        view_built_free(&rig->views[i]);
    }
    free(rig->block);
    free(rig);
}

static struct view *keep(struct rig *rig, struct built_view built)
{
    cr_assert_lt(rig->view_count, RIG_VIEWS_MAX);
    rig->views[rig->view_count] = built;
    return &rig->views[rig->view_count++].view;
}

struct view *rig_view(struct rig *rig, const char *letters)
{
    struct view *view = keep(rig, view_of(letters));
    struct node_id usual = member_of(rig->self).id;
    uint32_t position = view_find(view, &usual);

    if (position != VIEW_NONE) {
        view->members[position].id = core_self(rig->core)->id;
    }
    view_name_voters(view, rig->voters);
    view_seal(view);
    cr_assert(view_is_sound(view)); /* This made its index anew, too. */
    return view;
}

struct view *rig_next(struct rig *rig, const char *changes)
{
    static const struct gone failed = {.reason = GONE_FAILED, .verdict = VERDICT_DEAD};
    struct view *view = keep(rig, view_of(""));

    view_copy(view, core_view(rig->core));
    view->parent = view_id_of(view);
    view->cause = CAUSE_CHANGE;
    view->version++;
    for (const char *at = changes; *at != '\0'; at++) {
        if (*at == '+') {
            struct member member = member_of(at[1]);
            view_append(view, &member);
        } else if (*at == '-') {
            struct node_id id = rig_id(rig, at[1]);
            view_remove(view, view_find(view, &id), &failed);
        }
    }
    view_seal(view);
    return view;
}

/* --- Nothing happens --- */

static void copy_state(const struct rig *rig, struct effects effects, uint8_t *to)
{
    size_t counters = (size_t)((const uint8_t *)core_counters(rig->core) - rig->block);
    size_t items = (size_t)((const uint8_t *)effects.items - rig->block);

    memcpy(to, rig->block, core_bytes(rig->capacity));
    memset(to + counters, 0, sizeof(struct core_counters));
    memset(to + items, 0, effects.count * sizeof effects.items[0]);
}

/* A step with as many effects as the next is to have, so that the states after both compare. */
static struct effects prime(struct rig *rig, bool refused)
{
    const struct message own = {.type = MESSAGE_PULL, .from = core_self(rig->core)->id};
    struct event event = {.type = EVENT_TICK, .now_ms = rig->now_ms};

    if (refused) {
        event.type = EVENT_MESSAGE;
        event.message = &own;
    }
    return core_step(rig->core, &event);
}

static void ignores(struct rig *rig, struct event event, bool refused)
{
    size_t size = core_bytes(rig->capacity);
    uint8_t *before = malloc(size);
    uint8_t *after = malloc(size);

    /* Whatever is due has been done, so that the event alone is to blame. */
    pass(rig, 0);
    step(rig, (struct event){.type = EVENT_TICK});
    cr_assert_gt(core_deadline_ms(rig->core), rig->now_ms);
    copy_state(rig, prime(rig, refused), before);

    event.now_ms = rig->now_ms;
    struct effects effects = core_step(rig->core, &event);
    copy_state(rig, effects, after);

    cr_assert_eq(effects.count, refused ? 1 : 0);
    if (refused) {
        cr_assert_eq(effects.items[0].type, EFFECT_REFUSED);
        rig->refused = effects.items[0].refused;
    }
    cr_assert(memcmp(before, after, size) == 0, "something in the core has changed");
    free(before);
    free(after);
}

void rig_ignores_raw(struct rig *rig, const struct message *message, enum refusal reason)
{
    uint64_t refused = core_counters(rig->core)->refused[reason];

    ignores(rig, (struct event){.type = EVENT_MESSAGE, .message = message}, true);
    cr_assert_eq(rig->refused.reason, reason, "refused as %s, not as %s",
                 refusal_name(rig->refused.reason), refusal_name(reason));
    cr_assert_gt(core_counters(rig->core)->refused[reason], refused);
    cr_assert_eq(rig->refused.type, message->type);
    cr_assert_eq(rig->refused.number, message->number);
    cr_assert(id_equal(&rig->refused.from, &message->from));
}

void rig_ignores(struct rig *rig, char from, const struct message *content, enum refusal reason)
{
    struct message message = rig_message(rig, from, content);

    rig_ignores_raw(rig, &message, reason);
}

void rig_syncs(struct rig *rig)
{
    const struct synced_event synced = {.number = rig->core->voter.requested, .ok = true};

    step(rig, (struct event){.type = EVENT_SYNCED, .synced = synced});
}

void rig_refuses(struct rig *rig, char from, const struct message *content, enum refusal reason)
{
    rig->refused = (struct refused_message){.reason = REFUSED_NOT};
    rig_gets(rig, from, content);
    cr_assert_neq(rig->refused.reason, REFUSED_NOT, "not refused");
    cr_assert_eq(rig->refused.reason, reason, "refused as %s, not as %s",
                 refusal_name(rig->refused.reason), refusal_name(reason));
    cr_assert_eq(rig->refused.type, content->type);
}

void rig_ignores_link(struct rig *rig, const struct node_id *peer, enum link_news news)
{
    struct core_counters before = *core_counters(rig->core);

    ignores(rig, (struct event){.type = EVENT_LINK, .link = {.peer = *peer, .news = news}}, false);
    cr_assert(memcmp(&before, core_counters(rig->core), sizeof before) == 0);
}
