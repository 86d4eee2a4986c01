/* The processes of the simulation: what comes to one is handed to its core, and the effects that
 * come out of the core are carried out. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cluster.h"
#include "liar.h"
#include "oracle_parts.h"
#include "post.h"
#include "roles.h"
#include "strain.h"
#include "trace.h"

/* --- Timers, and the effects of a step --- */

void process_release(struct sim *sim, struct pending *pending)
{
    if (pending->type == PENDING_PACKET) {
        network_release(&sim->network, pending->packet);
    } else if (pending->type == PENDING_SYNCED) {
        record_write_free(pending->write);
    }
    queue_release(&sim->queue, pending);
}

void process_drop_waiting(struct sim *sim, struct host *host)
{
    while (host->waiting != NULL) {
        struct pending *next = host->waiting->next;
        process_release(sim, host->waiting);
        host->waiting = next;
    }
    host->waiting_last = NULL;
    host->waiting_packets = 0;
    host->waiting_tick = false;
}

struct pending *process_pending(struct sim *sim, const struct host *host, enum pending_type type)
{
    struct pending *pending = queue_take(&sim->queue);
    pending->type = type;
    pending->host = host_index(sim, host);
    pending->process = host->process;
    return pending;
}

void process_schedule_tick(struct sim *sim, struct host *host, uint64_t at_us)
{
    struct pending *pending = process_pending(sim, host, PENDING_TICK);
    pending->ticket = host->tick_ticket = ++sim->tickets;
    host->tick_at_us = at_us;
    queue_push(&sim->queue, at_us, pending);
}

/* A later deadline leaves the pending tick where it is: it looks again when it is due. */
void process_rearm(struct sim *sim, struct host *host)
{
    uint64_t deadline_ms = core_deadline_ms(host->core);
    if (deadline_ms == NEVER_MS) {
        return;
    }
    uint64_t at_us = clock_reaches_us(&host->clock, sim->now_us, deadline_ms);
    uint64_t late_us = host->late_us == 0 ? TICK_LATE_US : host->late_us;
    if (host->tick_at_us > at_us + late_us) {
        process_schedule_tick(sim, host, at_us + random_below(&sim->random, late_us) + 1);
    }
}

/* For liars, and for the count. */
static void note_sent(struct host *host, const struct effect *effect)
{
    const struct message *message = effect->message;

    host->sent[message->type]++;
    if (!effect->relay || id_equal(&message->from, &host->witness.life)) {
        host->number = message->number; /* Not of what it hands on. */
    }
    if (message->type == MESSAGE_PREPARE && id_equal(&message->from, &host->witness.life)) {
        host->proposal = view_id_of(message->carrier.view);
        host->proposal_hash = message->carrier.view->hash;
    }
    if (message->type == MESSAGE_PING && id_equal(&message->ping.origin, &host->witness.life) &&
        !id_equal(&message->ping.subject, &effect->peer)) {
        host->asked = message->ping;
    }
}

static bool carries_view(const struct message *message)
{
    const struct view *view = message_view(message);

    return view != NULL && !view_is_empty(view);
}

/* Does a member grant a claim (C2c)? Under guard strict the voters do. */
static bool grants_claim(const struct sim *sim, const struct message *message)
{
    return message->type == MESSAGE_VOTE && !sim->options.exclusive &&
           message->carrier.vote.kind == VOTE_CLAIM && message->carrier.vote.result == VOTE_GRANTED;
}

static void on_send(struct sim *sim, struct host *host, const struct effect *effect)
{
    const struct message *message = effect->message;

    note_sent(host, effect);
    if (message != sim->sent && carries_view(message)) { /* Once for all that it goes to. */
        oracle_on_sent_view(sim, host, message->carrier.view);
    } else if (message->type == MESSAGE_ACK) {
        oracle_on_ack(sim, host, &message->reference.view);
    }
    if (message->type == MESSAGE_PING && !effect->relay &&
        id_equal(&message->ping.subject, &effect->peer)) {
        oracle_on_asked(sim, host, &effect->peer);
    } else if (grants_claim(sim, message) && !effect->handed_on) {
        oracle_check_grant(sim, host, &message->to);
    }
    if ((message->type == MESSAGE_HANDOVER && !message->carrier.stays) ||
        core_has_handed_over(host->core)) {
        oracle_on_handed_over(sim, host);
    }
    post_send(sim, host, effect);
    sim->sent = message;
}

/* Is it a life that runs, on a host that is not broken? */
static bool is_sound(const struct sim *sim, const struct node_id *id)
{
    uint32_t index = oracle_host_of(&sim->oracle, id);
    const struct host *host = index == SIM_NOBODY ? NULL : &sim->hosts[index];

    return host != NULL && !host->broken && host->running && id_equal(&host->witness.life, id);
}

static void on_notice(struct sim *sim, struct host *host, const struct notice *notice)
{
    host->notices[notice->type]++;
    if (notice->type == NOTICE_GONE && !host->broken && is_sound(sim, &notice->gone.id)) {
        sim->sound_removals++;
    }
    if (notice->type == NOTICE_PHASE) {
        host->foundings += notice->reason == REASON_FOUNDED;
    } else if (notice->type == NOTICE_CLAIM) {
        host->claims[notice->claim]++;
        host->granted.decided = notice->claim == CLAIM_WON ? notice->epoch : host->granted.decided;
    } else if (notice->type == NOTICE_JOIN_REFUSED) {
        host->refusal = notice->refused;
    }
}

static void begin_write(struct sim *sim, struct host *host, struct record_write *write)
{
    struct pending *pending = process_pending(sim, host, PENDING_SYNCED);
    uint64_t max_us = host->record.sync_us_max == 0 ? SYNC_US_MAX : host->record.sync_us_max;

    pending->write = write;
    queue_push(&sim->queue, sim->now_us + random_between(&sim->random, max_us / 10, max_us),
               pending);
}

/* What it wanted to write counts for what it may forget, also where nothing was written. */
static void on_store(struct sim *sim, struct host *host)
{
    if (!host->has_disk) {
        return;
    }
    struct stored *stored = &host->writes[1 - host->latest];
    const struct stored older = *stored;
    core_stored(host->core, stored);
    host->noted = stored->agreed;
    if (host->disk_fails) {
        *stored = older;
        return;
    }
    host->latest = 1 - host->latest;
    oracle_on_stored(sim, host, stored->epoch_seen);
    host->stored = true;
    host->forgot = host->forgot && stored->agreed.number == 0;
}

static void on_sync(struct sim *sim, struct host *host, uint64_t number)
{
    struct record_write *asked = record_write_new(&host->record, host->core, number,
                                                  sim->options.capacity);

    /* A voter may be the only one that is shown a proposal: the next one may be built on it. */
    if (asked->record.accepted != NULL && !view_is_empty(asked->record.accepted)) {
        oracle_on_sent_view(sim, host, asked->record.accepted);
    }
    struct record_write *write = record_disk_ask(&host->record, asked);

    if (write != NULL) {
        begin_write(sim, host, write);
    }
}

/* Most effects send, and that needs no table to jump by. */
static void on_effect(struct sim *sim, struct host *host, const struct effect *effect)
{
    oracle_on_effect(sim, host, effect);
    if (effect->type == EFFECT_SEND) {
        on_send(sim, host, effect);
        return;
    }
    switch (effect->type) {
    case EFFECT_LINK_OPEN:
        lifeline_open(sim, host, &effect->peer, &effect->address);
        break;
    case EFFECT_LINK_CLOSE:
        lifeline_close(host, &effect->peer);
        break;
    case EFFECT_KERNEL_ASK:
        lifeline_ask_kernel(sim, host, &effect->peer, &effect->address);
        break;
    case EFFECT_RESOLVE:
        queue_push(&sim->queue,
                   sim->now_us + random_below(&sim->random, sim->resolve_ms * US_PER_MS + 1),
                   process_pending(sim, host, PENDING_RESOLVED));
        break;
    case EFFECT_STORE:
        on_store(sim, host);
        break;
    case EFFECT_NOTICE:
        on_notice(sim, host, effect->notice);
        break;
    case EFFECT_SYNC:
        on_sync(sim, host, effect->number);
        break;
    case EFFECT_WITHDRAW:
        queue_push(&sim->queue,
                   sim->now_us +
                       random_below(&sim->random, WITHDRAW_US_MAX) * random_below(&sim->random, 2),
                   process_pending(sim, host, PENDING_WITHDRAWN));
        break;
    case EFFECT_SEND: /* Above. */
    case EFFECT_REFUSED:
        break;
    case EFFECT_ROLE:
        roles_on_news(sim, host, &effect->role);
        break;
    }
}

enum {
    MANY = 128,                /* members, whose traces take pages worth giving back */
    STORM_STEPS_PER_S = 10000, /* of a host, on the average of a run */
};

static void give_back_part(const struct core_part *part)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t from = ((uintptr_t)part->start + page - 1) & ~(page - 1);
    const uintptr_t end = ((uintptr_t)part->start + part->bytes) & ~(page - 1);

    if (from < end) {
        (void)madvise((void *)from, end - from, MADV_DONTNEED);
    }
}

void process_end(struct sim *sim, struct host *host)
{
    oracle_on_life_over(sim, host);
    process_drop_waiting(sim, host);
    lifelines_drop(&host->lifelines);
    record_disk_abandon(&host->record);
    if (sim->options.capacity >= MANY) {
        give_back_part(&(struct core_part){host->core, sim->core_stride});
    }
    host->core = NULL;
    host->running = false;
    host->paused = false;
    host->tick_at_us = UINT64_MAX;
    sim->changed = true;
}

/* A new view of many leaves as much behind as it brought, in as many cores. */
static void give_back(const struct sim *sim, const struct host *host, bool installed)
{
    bool gives = installed && core_view(host->core)->member_count >= MANY;
    struct core_part parts[CORE_PARTS_MAX];

    if (!gives && !sim->options.scribbles) {
        return;
    }
    const uint32_t count = core_unused(host->core, parts);
    for (uint32_t i = 0; i < count; i++) {
        if (sim->options.scribbles) {
            memset(parts[i].start, 0xa5, parts[i].bytes);
        } else {
            give_back_part(&parts[i]);
        }
    }
}

static bool trips(struct host *host, const struct effect *effect)
{
    return host->trip_left > 0 && effect->type == EFFECT_SEND &&
           effect->message->type == host->trip_type && --host->trip_left == 0;
}

/* H49: messages bring forth more of them each time. A host that beats every 25 ms, to twelve, takes
 * a thousand steps a second. */
static void check_storm(struct sim *sim, const struct host *host)
{
    const uint64_t most = (10 + sim->now_us / (1000 * US_PER_MS)) * sim->host_count *
                          STORM_STEPS_PER_S;

    if (sim->steps >= most) {
        oracle_fail(sim, host, "H49: a storm: %" PRIu64 " steps of all hosts", sim->steps);
    }
}

void host_step(struct sim *sim, struct host *host, struct event *event)
{
    const struct node_id life = core_self(host->core)->id;
    const bool large = (sim->options.capacity >= MANY || sim->options.scribbles) &&
                       !host->only_votes;
    const uint64_t installed = large ? core_counters(host->core)->views_installed : 0;

    event->now_ms = host_now_ms(sim, host);
    if (sim->options.exclusive) {
        oracle_before_step(sim, host);
    }
    struct effects effects = core_step(host->core, event);
    sim->steps++;
    check_storm(sim, host);
    if (effects.count > 0) { /* They may be messages in the place of others. */
        post_forget(sim);
    }
    trace_step(sim, host, event, &effects);
    for (uint32_t i = 0; i < effects.count; i++) {
        on_effect(sim, host, &effects.items[i]);
        if (trips(host, &effects.items[i])) {
            trace_note(sim, "%s is killed while it sends", host->name);
            process_end(sim, host);
            lifeline_on_end(sim, host);
            return;
        }
    }
    oracle_after_step(sim, host, &effects);
    if (!host->only_votes) {
        roles_after_step(sim, host);
    }
    if (!id_equal(&life, &core_self(host->core)->id)) {
        lifeline_on_end(sim, host); /* Connections to the former life end with it. */
    }

    if (core_phase(host->core) == PHASE_STOPPED) {
        trace_note(sim, "%s has left and exits", host->name);
        process_end(sim, host);
        lifeline_on_end(sim, host);
        return;
    }
    process_rearm(sim, host);
    if (large) {
        give_back(sim, host, core_counters(host->core)->views_installed != installed);
    }
}

/* --- What comes to a process --- */

/* Of a view that may yet hold: one that is overtaken would push it out. */
static void note_acknowledgement(const struct host *host, struct heard *heard,
                                 const struct message *message, uint64_t now_ms)
{
    struct view_id ours = view_id_of(core_view(host->core));

    if (view_id_compare(&message->reference.view, &ours) <= 0) {
        return;
    }
    for (uint32_t i = 0; i < ACKS_KEPT; i++) {
        if (id_equal(&heard->acks[i].life, &message->from) &&
            view_id_equal(&heard->acks[i].view, &message->reference.view)) {
            return; /* Repeated. */
        }
    }
    heard->acks[heard->ack_count++ % ACKS_KEPT] = (struct acknowledgement){
        .life = message->from, .view = message->reference.view, .ms = now_ms};
}

/* Whose PONG answers a PING of this host about that member itself. */
static bool answers_ping(const struct host *host, const struct message *message)
{
    return message->type == MESSAGE_PONG && message->fellow && !message->relay &&
           view_has(core_view(host->core), &message->from) &&
           id_equal(&message->ping.subject, &message->from) &&
           id_equal(&message->ping.origin, &core_self(host->core)->id);
}

/* D6a: it is no sign of life, and says nothing of whom its sender follows. */
static bool number_leaps(const struct host *host, const struct message *message)
{
    const uint32_t position = view_find(core_view(host->core), &message->from);

    return position != VIEW_NONE &&
           message->number > core_number(host->core, position) + NUMBER_LEAP_MAX;
}

static void note_heard(const struct sim *sim, struct host *host, uint32_t from,
                       const struct message *message)
{
    uint64_t now_ms = host_now_ms(sim, host);
    struct heard *heard = host_heard_at(host, from);
    bool same = id_equal(&heard->life, &message->from);

    if (answers_ping(host, message)) {
        heard->answerer = message->from; /* It had heard our PING, whatever its number (D6d). */
        heard->answered_ms = now_ms;
        heard->answered_other_ms = host_now_ms(sim, &sim->hosts[from]);
    }
    if (message->type == MESSAGE_ACK) {
        note_acknowledgement(host, heard, message, now_ms);
    }
    /* A member's messages are counted from its admission on. */
    if (!same || heard->hash != host->witness.hash) {
        if (!view_has(core_view(host->core), &message->from)) {
            return;
        }
        if (!same) {
            heard->life = message->from;
            heard->number = 0;
            heard->highest = 0;
            heard->highest_ms = 0;
            heard->ms = 0;
            heard->since_ms = 0;
            heard->follows_number = 0;
            memset(&heard->follows, 0, sizeof heard->follows);
        }
        heard->hash = host->witness.hash;
    }
    /* An answer to a PING may let a heartbeat count that was overtaken (D6d). */
    bool overtaken = message->number <= heard->number;
    const bool leaps = number_leaps(host, message);
    if (message->type == MESSAGE_HEARTBEAT && !leaps && message->number > heard->follows_number &&
        (!overtaken ||
         id_equal(&message->heartbeat.view.coordinator, &core_self(host->core)->id))) {
        heard->follows_number = message->number;
        heard->follows = message->heartbeat.view.coordinator;
        if (id_equal(&heard->follows, &core_self(host->core)->id)) {
            heard->doubted = false;
        } else if (heard->doubted) {
            memset(&heard->holder, 0, sizeof heard->holder);
        } else {
            heard->doubted = true; /* It may have been sent before our COMMIT came. */
        }
    }
    if (overtaken) {
        return;
    }
    const bool is_higher = message->number > heard->highest && !leaps;
    heard->number = message->number;
    if (is_higher) {
        heard->highest = message->number;
    }
    if (!message->fellow || message->relay) {
        return;
    }
    if (now_ms - heard->ms > sim->silent_ms || leaps) {
        heard->since_ms = now_ms;
    }
    heard->ms = now_ms;
    if (is_higher) {
        heard->highest_ms = now_ms;
    }
    heard->other_ms = host_now_ms(sim, &sim->hosts[from]);
}

/* The member of that id, or NULL. A view that was just read has no index yet. */
static const struct member *member_of(const struct view *view, const struct node_id *id)
{
    for (uint32_t i = 0; i < view->member_count; i++) {
        if (id_equal(&view->members[i].id, id)) {
            return &view->members[i];
        }
    }
    return NULL;
}

/* C4: must this host build on the view that came with a grant? It may leave aside a merge, one of a
 * maker that it does not follow, and one that leaves out somebody whom it may hear. */
static bool has_to_build_on(const struct host *host, const struct view *shown)
{
    const struct view *own = core_view(host->core);
    const struct member *self = member_of(own, &core_self(host->core)->id);
    const struct member *maker = member_of(own, &shown->members[0].id);

    if (shown->cause == CAUSE_MERGE || self == NULL || maker == NULL || maker->age > self->age) {
        return false;
    }
    for (uint32_t i = 0; i < own->member_count; i++) {
        if (member_of(shown, &own->members[i].id) == NULL) {
            return false;
        }
    }
    return true;
}

static void note_shown(struct host *host, const struct view *view)
{
    if (view == NULL || view->lineage != core_view(host->core)->lineage ||
        member_of(view, &core_self(host->core)->id) == NULL) {
        return;
    }
    const struct view_id id = view_id_of(view);
    if (view_id_compare(&id, &host->shown) > 0) {
        host->shown = id;
    }
}

static void note_granted(struct host *host, const struct message *message)
{
    const struct view_carrier *carrier = &message->carrier;
    struct view_id accepted = view_id_of(carrier->view);
    bool first = host->granted.epoch != carrier->epoch;

    if (carrier->epoch != host->granted.decided && has_to_build_on(host, carrier->view) &&
        view_has(core_view(host->core), &message->from) &&
        (first || view_id_compare(&accepted, &host->granted.accepted) > 0)) {
        host->granted.epoch = carrier->epoch;
        host->granted.accepted = accepted;
    }
}

/* What the oracle needs of it, unless it is forged: then what it says is no evidence of anything.
 */
static void note_packet(struct sim *sim, struct host *host, const struct packet *packet,
                        const struct message *message)
{
    if (id_is_none(&message->to) || id_equal(&message->to, &core_self(host->core)->id)) {
        uint32_t from = message->relay ? oracle_host_of(&sim->oracle, &message->from)
                                       : packet->from;
        if (from != SIM_NOBODY) { /* A lie that an honest member handed on. */
            note_heard(sim, host, from, message);
        }
    }
    if (message->type == MESSAGE_JOIN && message->joiner.hops == 0) {
        host_heard_at(host, packet->from)->asked_ms = host_now_ms(sim, host);
    }
    note_shown(host, message_view(message));
    bool stranger;
    if (grants_claim(sim, message) && message->carrier.view != NULL &&
        !liar_made(sim, message->carrier.view, &stranger) && /* It may be refused (V7a). */
        id_equal(&message->to, &core_self(host->core)->id)) {
        note_granted(host, message);
    }
}

/* A view of more members than the process has room for: its codec drops that. */
static bool is_too_large(const struct host *host, const struct message *message)
{
    const struct view *view = message_view(message);

    return view != NULL && view->member_count > host->capacity;
}

static void on_packet(struct sim *sim, struct host *host, struct packet *packet)
{
    struct message room;
    const struct message *message = post_read(sim, packet, &room);

    if (message == NULL || is_too_large(host, message)) {
        return;
    }
    if (!packet->forged) {
        note_packet(sim, host, packet, message);
    }
    host_step(sim, host, &(struct event){.type = EVENT_MESSAGE, .message = message});
}

static void on_tick(struct sim *sim, struct host *host)
{
    host->tick_at_us = UINT64_MAX;
    if (core_deadline_ms(host->core) > host_now_ms(sim, host)) {
        process_rearm(sim, host); /* It was put off since. */
        return;
    }
    host_step(sim, host, &(struct event){.type = EVENT_TICK});
}

static void on_resolved(struct sim *sim, struct host *host)
{
    struct address addresses[SIM_SEEDS_MAX];
    uint32_t count = sim->resolve_fails ? 0 : host->seed_count;

    for (uint32_t i = 0; i < count; i++) {
        addresses[i] = sim->hosts[host->seeds[i]].address;
    }
    count = strain_answers(sim, addresses, count);
    host_step(
        sim, host,
        &(struct event){
            .type = EVENT_ADDRESSES,
            .addresses = {.source = ADDRESSES_SEEDS, .addresses = addresses, .count = count}});
}

static void keep_record(struct host *host, struct pending *pending)
{
    if (pending->write->disk != host->record.number) {
        return; /* Another disk is in this host by now. */
    }
    record_disk_keep(&host->record, pending->write);
    pending->write = NULL;
}

static void on_synced(struct sim *sim, struct host *host, struct pending *pending)
{
    struct synced_event synced = {.number = pending->write->number, .ok = !host->record.fails};

    if (sim->now_us < host->record.stuck_until_us) {
        struct pending *later = process_pending(sim, host, PENDING_SYNCED);
        later->write = pending->write;
        pending->write = NULL;
        queue_push(&sim->queue, host->record.stuck_until_us, later);
        return;
    }
    if (synced.ok || random_below(&sim->random, 2) == 0) {
        keep_record(host, pending);
    }
    struct record_write *next = record_disk_end(&host->record);
    if (next != NULL) {
        begin_write(sim, host, next);
    }
    host_step(sim, host, &(struct event){.type = EVENT_SYNCED, .synced = synced});
}

static void hand_over(struct sim *sim, struct host *host, struct pending *pending)
{
    if (pending->type == PENDING_PACKET) { /* As most are. */
        on_packet(sim, host, pending->packet);
        return;
    }
    switch (pending->type) {
    case PENDING_TICK:
        if (pending->ticket == host->tick_ticket) {
            on_tick(sim, host);
        }
        break;
    case PENDING_LIFELINE:
    case PENDING_KERNEL:
        lifeline_on_pending(sim, host, pending);
        break;
    case PENDING_RESOLVED:
        on_resolved(sim, host);
        break;
    case PENDING_SYNCED:
        on_synced(sim, host, pending);
        break;
    case PENDING_LEAVE:
        host_step(sim, host, &(struct event){.type = EVENT_LEAVE});
        break;
    case PENDING_WITHDRAWN:
        host_step(sim, host, &(struct event){.type = EVENT_WITHDRAWN});
        break;
    case PENDING_MOVE:
        host_step(sim, host, &(struct event){.type = EVENT_MOVE, .move = pending->move});
        break;
    case PENDING_TAGS: {
        const struct tags tags = sim_tags_of(pending->tags);
        host->wanted_tag = pending->tags; /* It may have overtaken those that a stopped node got. */
        host_step(sim, host, &(struct event){.type = EVENT_TAGS, .tags = &tags});
        break;
    }
    case PENDING_TERMS:
        host_step(sim, host, &(struct event){.type = EVENT_TERMS, .wish = &pending->wish});
        break;
    case PENDING_ROLE:
        roles_on_due(sim, host, pending->ticket);
        break;
    case PENDING_PACKET: /* Above. */
    case PENDING_CALL:
        break;
    }
}

/* Keeps for later what comes to a stopped process; its kernel's buffer is bounded. Returns
 * whether the pending was taken. */
static bool keep_waiting(struct host *host, struct pending *pending)
{
    if (pending->type == PENDING_TICK) {
        host->waiting_tick |= pending->ticket == host->tick_ticket;
        return false;
    }
    if (pending->type == PENDING_PACKET && !strain_has_room(host, pending->packet)) {
        return false;
    }
    pending->next = NULL;
    if (host->waiting == NULL) {
        host->waiting = pending;
    } else {
        host->waiting_last->next = pending;
    }
    host->waiting_last = pending;
    return true;
}

static bool host_is_meant(const struct host *host, const struct pending *pending)
{
    return host->running && host->process == pending->process;
}

/* A pending that belongs to a process that is gone, or came to a host without one. */
static bool is_void(const struct host *host, const struct pending *pending)
{
    if (pending->type == PENDING_PACKET) {
        return !host->up || !host->running;
    }
    return !host_is_meant(host, pending);
}

/* A datagram waits until those before it are read, and sent what came of them. Returns whether it
 * does. */
static bool is_at_work(struct sim *sim, struct host *host, struct pending *pending)
{
    if (sim->datagram_us == 0 || pending->type != PENDING_PACKET) {
        return false;
    }
    if (host->free_us > sim->now_us) {
        queue_push(&sim->queue, host->free_us, pending);
        return true;
    }
    host->free_us = sim->now_us + sim->datagram_us;
    return false;
}

void process_dispatch(struct sim *sim, struct pending *pending)
{
    if (pending->type == PENDING_CALL) {
        pending->call(sim, pending->a, pending->b);
        queue_release(&sim->queue, pending);
        return;
    }

    struct host *host = &sim->hosts[pending->host];
    if (is_void(host, pending)) {
        if (pending->type == PENDING_SYNCED && !host->running && !host->record.fails &&
            pending->process == host->process && host->written_off != host->process &&
            random_below(&sim->random, 2) == 0) {
            keep_record(host, pending); /* It reached the disk, and nobody was told. */
        }
        process_release(sim, pending);
        return;
    }
    if (host->paused) {
        if (!keep_waiting(host, pending)) {
            process_release(sim, pending);
        }
        return;
    }
    if (host->turn_us > 0 && !pending->woken) {
        const uint64_t turn_at_us = (sim->now_us / host->turn_us + 1) * host->turn_us;
        if (pending->type == PENDING_PACKET &&
            !strain_has_room_at(host, pending->packet, turn_at_us)) {
            process_release(sim, pending);
            return;
        }
        pending->woken = true;
        queue_push(&sim->queue, turn_at_us, pending);
        return;
    }
    pending->woken = false;
    if (is_at_work(sim, host, pending)) {
        return;
    }
    host->now_ms = clock_ms(&host->clock, sim->now_us);
    host->now_us = sim->now_us;
    hand_over(sim, host, pending);
    process_release(sim, pending);
}
