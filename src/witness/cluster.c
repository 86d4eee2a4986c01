#include "witness/cluster.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "runtime/frames/outgoing.h"
#include "runtime/host/chance.h"
#include "runtime/host/clock.h"
#include "runtime/sockets/answering.h"
#include "words/address_text.h"
#include "words/id_text.h"
#include "words/voter_text.h"

/* A core that was not asked for so long is parked. */
enum { QUIET_MS = 10000 };

/* --- Sending --- */

static void send_note(void *context, const struct address *to, const uint8_t *bytes, size_t length)
{
    struct cluster *cluster = context;

    (void)udp_send(cluster->commons->udp, to, bytes, length);
}

static void transmit(struct cluster *cluster, const struct outgoing *outgoing)
{
    if (outgoing->length <= DATAGRAM_FRAME_BYTES_MAX) { /* U3a */
        const struct bytes datagram = gate_seal_datagram(&cluster->gate, outgoing);
        (void)udp_send(cluster->commons->udp, outgoing->to, datagram.at, datagram.length);
    } else {
        stream_pool_send(&cluster->pool, outgoing);
    }
}

/* Of a question for an epoch, a view or a lease: was it granted? */
static void count_answer(struct cluster *cluster, const struct message *answer)
{
    bool granted;

    if (answer->type == MESSAGE_VOTE) {
        granted = answer->carrier.vote.result == VOTE_GRANTED;
    } else if (answer->type == MESSAGE_PONG) {
        granted = answer->ping.said.leased;
    } else {
        return;
    }
    cluster->counts.granted += granted ? 1 : 0;
    cluster->counts.refused += granted ? 0 : 1;
}

static void write_record(struct cluster *cluster, uint64_t number)
{
    struct vote_record record;

    core_record(cluster->core, &record);
    voter_store_write(cluster->store, number, &record);
}

static void apply(struct cluster *cluster, const struct effect *effect)
{
    switch (effect->type) {
    case EFFECT_SEND: {
        const struct outgoing outgoing = outgoing_encode(cluster->wire, effect, false);
        count_answer(cluster, effect->message);
        transmit(cluster, &outgoing);
        return;
    }
    case EFFECT_SYNC:
        write_record(cluster, effect->number);
        return;
    case EFFECT_REFUSED: /* The core counts them. */
    case EFFECT_NOTICE:  /* What matters of them is told by say_changes. */
        return;
    case EFFECT_LINK_OPEN:
    case EFFECT_LINK_CLOSE:
    case EFFECT_KERNEL_ASK:
    case EFFECT_RESOLVE:
    case EFFECT_STORE:
    case EFFECT_WITHDRAW:
    case EFFECT_ROLE:
        break;
    }
    assert(!"a witness answers, and does nothing else");
}

/* --- What people are told --- */

static void say_promise(struct cluster *cluster, const struct voter_state *now)
{
    char life[ID_TEXT_MAX];

    log_line(cluster->commons->log, LOG_INFO, "epoch", "cluster=%s epoch=%llu granted to life %s",
             cluster->name, (unsigned long long)now->promise.epoch,
             id_text(&now->promise.life, life));
}

static void say_status(struct cluster *cluster, const struct voter_state *now)
{
    char record[ID_TEXT_MAX];
    const char *words = voter_status_text(now->status);
    const bool is_bad = now->status == VOTER_DAMAGED || now->status == VOTER_MUTE ||
                        now->status == VOTER_OLDER;

    log_line(cluster->commons->log, is_bad ? LOG_WARN : LOG_INFO, "record",
             "cluster=%s record=%s: %s", cluster->name, id_text(&now->record_id, record),
             words == NULL ? "none" : words);
}

/* What the last step has changed of what this voter is bound to. */
static void say_changes(struct cluster *cluster)
{
    const struct voter_state now = core_voter(cluster->core, cluster->stepped_ms);
    const struct voter_state *known = &cluster->known;

    if (now.status != known->status || !id_equal(&now.record_id, &known->record_id)) {
        say_status(cluster, &now);
    }
    if (now.promise.epoch != 0 && !ballot_equal(&now.promise, &known->promise)) {
        say_promise(cluster, &now);
    }
    cluster->known = now;
}

/* --- Turning the crank --- */

static void on_timer(uv_timer_t *timer);

static bool is_parked(const struct cluster *cluster)
{
    return cluster->parked.packed != NULL;
}

static void arm_timer(struct cluster *cluster)
{
    const uint64_t quiet_ms = is_parked(cluster) ? NEVER_MS : cluster->woken_ms + QUIET_MS;
    const uint64_t due_ms = cluster->due_ms < quiet_ms ? cluster->due_ms : quiet_ms;

    if (due_ms == NEVER_MS) {
        (void)uv_timer_stop(&cluster->timer);
    } else {
        clock_start_timer(&cluster->timer, on_timer, due_ms);
    }
}

/* It is looked at now, and parked when that has not happened for QUIET_MS. */
static void wake(struct cluster *cluster)
{
    parked_unpack(&cluster->parked, cluster->block);
    cluster->woken_ms = clock_ms();
    arm_timer(cluster);
}

static void step(struct cluster *cluster, struct event event)
{
    assert(!cluster->stepping);
    if (cluster->closing) {
        return;
    }
    wake(cluster);
    cluster->stepping = true;
    cluster->stepped_ms = clock_ms();
    event.now_ms = cluster->stepped_ms;
    const struct effects effects = core_step(cluster->core, &event);
    for (uint32_t i = 0; i < effects.count; i++) {
        apply(cluster, &effects.items[i]);
    }
    cluster->stepping = false;
    cluster->due_ms = core_deadline_ms(cluster->core);
    say_changes(cluster);
    arm_timer(cluster);
}

static void on_timer(uv_timer_t *timer)
{
    struct cluster *cluster = timer->data;
    const uint64_t now_ms = clock_ms();

    if (cluster->due_ms <= now_ms) {
        step(cluster, (struct event){.type = EVENT_TICK});
        return;
    }
    if (now_ms >= cluster->woken_ms + QUIET_MS) {
        parked_pack(&cluster->parked, cluster->block, cluster->block_bytes);
    }
    arm_timer(cluster);
}

static void on_synced(void *context, uint64_t number, bool ok)
{
    struct cluster *cluster = context;

    step(cluster, (struct event){.type = EVENT_SYNCED, .synced = {.number = number, .ok = ok}});
}

/* --- What comes --- */

static bool is_question(const struct message *message)
{
    return message->type == MESSAGE_CLAIM || message->type == MESSAGE_PREPARE ||
           (message->type == MESSAGE_PING && message->ping.asked.epoch > 0);
}

static void take(struct cluster *cluster, struct message *message, const struct address *source)
{
    message->source = *source;
    if (is_question(message)) {
        cluster->counts.asked++;
        cluster->counts.asked_ms = clock_ms();
    }
    step(cluster, (struct event){.type = EVENT_MESSAGE, .message = message});
}

static bool decode(struct cluster *cluster, struct bytes frame, struct message *message)
{
    const enum wire_error error = wire_decode(cluster->wire, frame.at, frame.length, message);

    if (error != WIRE_OK) {
        traffic_count_refused(&cluster->commons->traffic, error);
    }
    return error == WIRE_OK;
}

void cluster_on_datagram(struct cluster *cluster, struct bytes datagram,
                         const struct address *source)
{
    struct message message;
    struct bytes frame;

    wake(cluster);
    if (gate_open_datagram(&cluster->gate, datagram, source, &frame) &&
        decode(cluster, frame, &message)) {
        take(cluster, &message, source);
    }
}

bool cluster_on_stream_frame(void *context, struct bytes frame, const struct address *from)
{
    struct cluster *cluster = context;
    struct message message;

    wake(cluster);
    if (!decode(cluster, frame, &message) || message.type == MESSAGE_HELLO) {
        return false;
    }
    const struct address source = *answering_address(core_view(cluster->core), &message, from);
    take(cluster, &message, &source);
    return true;
}

static void on_turn(void *context)
{
    struct cluster *cluster = context;

    if (!cluster->closing) {
        wake(cluster); /* Its HELLO says who lives here. */
    }
}

struct streams *cluster_streams(struct cluster *cluster)
{
    on_turn(cluster);
    return &cluster->streams;
}

/* --- Opening --- */

static bool open_core(struct cluster *cluster)
{
    const struct config *config = cluster->commons->config;
    struct core_options options = {
        .name = "witness",
        .address = config->listen,
        .guard = {.policy = GUARD_STRICT},
        .has_disk = true,
        .witness = true,
        .profile = config->profile,
        .watchers = (uint8_t)config->watchers,
        .fanout = (uint32_t)config->fanout,
        .timing = config->timing,
        .capacity = config->capacity,
        .versions = wire_versions(),
        .record = voter_store_found(cluster->store),
        .record_damaged = voter_store_is_damaged(cluster->store),
    };

    cluster->block_bytes = (core_witness_bytes(config->capacity) + 7) & ~(size_t)7;
    cluster->block = parked_map(cluster->block_bytes);
    if (cluster->block == NULL || !chance_draw(options.random_seed, sizeof options.random_seed)) {
        return false;
    }
    cluster->core = core_init(cluster->block, &options, clock_ms());
    voter_store_forget(cluster->store);
    return true;
}

static bool open_gate(struct cluster *cluster, const struct keyring *ring)
{
    struct commons *commons = cluster->commons;

    return gate_open(&cluster->gate,
                     &(struct gate_options){.ring = ring,
                                            .wire = cluster->wire,
                                            .core = cluster->core,
                                            .capacity = commons->config->capacity,
                                            .lost_ms = commons->config->timing.lost_ms,
                                            .log = commons->log,
                                            .traffic = &commons->traffic,
                                            .send = send_note,
                                            .context = cluster,
                                            .answers_only = true,
                                            .buffers = commons->buffers});
}

static void open_streams(struct cluster *cluster)
{
    struct commons *commons = cluster->commons;

    cluster->streams = (struct streams){.loop = commons->loop,
                                        .latch = &cluster->latch,
                                        .wire = cluster->wire,
                                        .gate = &cluster->gate,
                                        .core = cluster->core,
                                        .on_turn = on_turn,
                                        .context = cluster,
                                        .log = commons->log,
                                        .traffic = &commons->traffic,
                                        .descriptors_max = commons->descriptors_max,
                                        .inbox = commons->inbox};
}

static void free_memory(void *context)
{
    struct cluster *cluster = context;
    struct latch *latch = cluster->commons->latch;

    chain_remove(&cluster->link);
    gate_close(&cluster->gate);
    wire_free(cluster->wire);
    parked_unmap(cluster->block, cluster->block_bytes, &cluster->parked);
    free(cluster);
    latch_release(latch);
}

static bool open_all(struct cluster *cluster, const struct keyring *ring)
{
    const struct voter_place place = {.dir = cluster->commons->config->state_dir,
                                      .file = cluster->file,
                                      .cluster = cluster->name,
                                      .name = "witness",
                                      .is_witness = true,
                                      .capacity = cluster->commons->config->capacity};

    cluster->store = voter_store_open(cluster->commons->loop, &place, cluster->commons->log,
                                      on_synced, cluster);
    if (cluster->store == NULL) {
        return false; /* It has said why. */
    }
    cluster->wire = wire_new_beside(cluster->name, cluster->commons->wire);
    if (cluster->wire == NULL || !open_core(cluster) || !open_gate(cluster, ring)) {
        log_line(cluster->commons->log, LOG_ERROR, "memory",
                 "cluster=%s: not enough memory, or no random bytes", cluster->name);
        return false;
    }
    wire_set_bases(cluster->wire, NULL, core_accepted(cluster->core));
    cluster->number = wire_cluster(wire_header(cluster->wire));
    open_streams(cluster);
    return true;
}

struct cluster *cluster_open(struct commons *commons, const char *name, const struct keyring *ring)
{
    struct cluster *cluster = calloc(1, sizeof *cluster);

    if (cluster == NULL) {
        log_line(commons->log, LOG_ERROR, "memory", "cluster=%s: not enough memory", name);
        return NULL;
    }
    chain_init(&cluster->link);
    cluster->commons = commons;
    latch_acquire(commons->latch);
    (void)text_set(cluster->name, sizeof cluster->name, name, strlen(name));
    snprintf(cluster->file, sizeof cluster->file, "%s.voter", name);
    cluster->latch = (struct latch){.held = 1, .on_free = free_memory, .context = cluster};
    (void)uv_timer_init(commons->loop, &cluster->timer); /* cannot fail */
    cluster->timer.data = cluster;
    latch_acquire(&cluster->latch);
    stream_pool_open(&cluster->pool, &cluster->streams);
    if (!open_all(cluster, ring)) {
        cluster_close(cluster);
        return NULL;
    }
    cluster->began_ms = clock_ms();
    cluster->stepped_ms = cluster->began_ms;
    say_changes(cluster);
    wake(cluster); /* The first tick is due. */
    return cluster;
}

/* --- Closing --- */

static void on_timer_closed(uv_handle_t *handle)
{
    struct cluster *cluster = handle->data;

    latch_release(&cluster->latch);
}

static void on_store_closed(void *context)
{
    struct cluster *cluster = context;

    latch_release(&cluster->latch);
}

void cluster_close(struct cluster *cluster)
{
    cluster->closing = true;
    stream_pool_close(&cluster->pool);
    if (cluster->store != NULL) {
        latch_acquire(&cluster->latch);
        voter_store_close(cluster->store, on_store_closed, cluster);
    }
    uv_close((uv_handle_t *)&cluster->timer, on_timer_closed);
    latch_release(&cluster->latch);
}

/* --- Keys --- */

const struct keyring *cluster_keys(const struct cluster *cluster)
{
    return seal_ring(cluster->gate.seal);
}

void cluster_set_keys(struct cluster *cluster, const struct keyring *ring)
{
    char first[FINGERPRINT_TEXT_MAX];

    seal_set_ring(cluster->gate.seal, ring);
    log_line(cluster->commons->log, LOG_INFO, "keys", "cluster=%s seals=%s count=%u", cluster->name,
             fingerprint_text(ring->keys[0].fingerprint, first), ring->count);
}
