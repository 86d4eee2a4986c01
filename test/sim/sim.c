#include "sim.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "trace.h"

#define US_PER_MS UINT64_C(1000)
#define CLUSTER_NAME "doyen"

/* --- Hosts --- */

uint32_t host_index(const struct sim *sim, const struct host *host)
{
    return (uint32_t)(host - sim->hosts);
}

uint64_t host_now_ms(const struct sim *sim, const struct host *host)
{
    return host->clock_ms + sim->now_us / US_PER_MS;
}

static struct host *host_of(struct sim *sim, uint32_t index)
{
    assert(index < sim->host_count);
    return &sim->hosts[index];
}

/* Host n is at 10.0.(n + 1 over 256).(n + 1 mod 256). */
static struct address address_of(uint32_t index)
{
    struct address address = {.port = 7420, .family = 4};
    address.bytes[0] = 10;
    address.bytes[2] = (uint8_t)((index + 1) >> 8);
    address.bytes[3] = (uint8_t)(index + 1);
    return address;
}

struct host *host_at(struct sim *sim, const struct address *address)
{
    uint32_t index = ((uint32_t)address->bytes[2] << 8 | address->bytes[3]) - 1;
    if (index >= sim->host_count || !address_equal(&sim->hosts[index].address, address)) {
        return NULL;
    }
    return &sim->hosts[index];
}

const char *host_letter(uint32_t index, char *text)
{
    if (index < LETTERS) {
        text[0] = (char)('A' + index);
        text[1] = '\0';
    } else {
        snprintf(text, LETTER_BYTES, "N%u", index + 1);
    }
    return text;
}

bool host_is_meant(const struct host *host, const struct pending *pending)
{
    return host->running && host->process == pending->process;
}

static void name_host(struct host *host, uint32_t index)
{
    static const char *const names[] = {"athens", "byzantium", "cyrene", "delphi", "ephesus"};

    if (index < sizeof names / sizeof names[0]) {
        snprintf(host->name, sizeof host->name, "%s", names[index]);
    } else {
        snprintf(host->name, sizeof host->name, "node%u", index + 1);
    }
}

struct quality sim_default_quality(void)
{
    return (struct quality){.latency_us_min = 80, .latency_us_max = 400};
}

static void apply_defaults(struct sim_options *options)
{
    if (options->capacity == 0) {
        options->capacity = 2 * options->host_count;
    }
    if (options->seed_count == 0) {
        options->seed_count = 1;
    }
    if (options->profile == 0) {
        options->profile = PROFILE_LAN;
    }
    if (options->guard.policy == 0) {
        options->guard.policy = GUARD_NONE;
    }
    if (options->trace == NULL && getenv("DOYEN_SIM_TRACE") != NULL) {
        options->trace = stderr;
    }
}

static void init_host(struct sim *sim, uint32_t index)
{
    struct host *host = &sim->hosts[index];

    name_host(host, index);
    host->address = address_of(index);
    host->guard = sim->options.guard;
    host->has_disk = sim->options.disks;
    host->clock_ms = random_between(&sim->random, 1000, 100 * 1000 * 1000);
    host->tick_at_us = UINT64_MAX;
    host->seed_count = sim->options.seed_count;
    for (uint32_t i = 0; i < host->seed_count; i++) {
        host->seeds[i] = i;
    }
    host->heard_ms = calloc(sim->host_count, sizeof *host->heard_ms);
    assert(host->heard_ms != NULL);
}

struct sim *sim_new(const struct sim_options *options)
{
    struct sim *sim = calloc(1, sizeof *sim + options->host_count * sizeof sim->hosts[0]);
    assert(sim != NULL);
    sim->options = *options;
    apply_defaults(&sim->options);
    assert(sim->options.host_count > 0 && sim->options.seed_count <= SIM_SEEDS_MAX);

    sim->host_count = options->host_count;
    sim->timing = timing_of(sim->options.profile);
    sim->resolve_ms = RESOLVE_MS_MAX;
    random_seed(&sim->random, sim->options.seed);
    queue_init(&sim->queue);
    struct quality quality = sim_default_quality();
    network_init(&sim->network, sim->host_count, &quality);
    sim->wire = wire_new(CLUSTER_NAME, sim->options.capacity);
    assert(sim->wire != NULL);
    oracle_init(&sim->oracle);

    sim->text_size = (size_t)sim->options.capacity * LETTER_BYTES + 1;
    for (uint32_t i = 0; i < TEXTS; i++) {
        sim->texts[i] = malloc(sim->text_size);
        assert(sim->texts[i] != NULL);
    }
    for (uint32_t i = 0; i < sim->host_count; i++) {
        init_host(sim, i);
    }
    return sim;
}

static void release(struct sim *sim, struct pending *pending)
{
    if (pending->type == PENDING_PACKET) {
        network_release(&sim->network, pending->packet);
    }
    queue_release(&sim->queue, pending);
}

static void drop_waiting(struct sim *sim, struct host *host)
{
    while (host->waiting != NULL) {
        struct pending *next = host->waiting->next;
        release(sim, host->waiting);
        host->waiting = next;
    }
    host->waiting_last = NULL;
    host->waiting_packets = 0;
    host->waiting_tick = false;
}

void sim_free(struct sim *sim)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        struct host *host = &sim->hosts[i];
        drop_waiting(sim, host);
        lifelines_deinit(&host->lifelines);
        witness_deinit(&host->witness);
        free(host->core);
        free(host->heard_ms);
    }
    while (sim->queue.count > 0) {
        release(sim, queue_pop(&sim->queue));
    }
    queue_deinit(&sim->queue);
    network_deinit(&sim->network);
    oracle_deinit(&sim->oracle);
    wire_free(sim->wire);
    for (uint32_t i = 0; i < TEXTS; i++) {
        free(sim->texts[i]);
    }
    free(sim);
}

/* --- What a process does: timers, and the effects of its steps --- */

static struct pending *pending_for(struct sim *sim, const struct host *host, enum pending_type type)
{
    struct pending *pending = queue_take(&sim->queue);
    pending->type = type;
    pending->host = host_index(sim, host);
    pending->process = host->process;
    return pending;
}

static void schedule_tick(struct sim *sim, struct host *host, uint64_t at_us)
{
    struct pending *pending = pending_for(sim, host, PENDING_TICK);
    pending->ticket = host->tick_ticket = ++sim->tickets;
    host->tick_at_us = at_us;
    queue_push(&sim->queue, at_us, pending);
}

/* A later deadline leaves the pending tick where it is: it looks again when it is due. */
static void rearm(struct sim *sim, struct host *host)
{
    uint64_t deadline_ms = core_deadline_ms(host->core);
    if (deadline_ms == NEVER_MS) {
        return;
    }
    uint64_t at_us = sim->now_us;
    if (deadline_ms > host_now_ms(sim, host)) {
        at_us = (deadline_ms - host->clock_ms) * US_PER_MS;
    }
    if (host->tick_at_us > at_us + TICK_LATE_US) {
        schedule_tick(sim, host, at_us + random_below(&sim->random, TICK_LATE_US) + 1);
    }
}

static bool is_lost(struct sim *sim, uint32_t from, uint32_t to, enum message_type type)
{
    for (uint32_t i = 0; i < sim->loss_count; i++) {
        struct loss *loss = &sim->losses[i];
        if (loss->left > 0 && (loss->from == SIM_ANY || loss->from == from) &&
            (loss->to == SIM_ANY || loss->to == to) &&
            (loss->type == SIM_ANY || loss->type == type)) {
            loss->left--;
            return true;
        }
    }
    return false;
}

/* The packet's reference goes into the queue. */
static void push_packet(struct sim *sim, struct packet *packet, uint64_t at_us)
{
    struct pending *pending = queue_take(&sim->queue);
    pending->type = PENDING_PACKET;
    pending->host = packet->to;
    pending->packet = packet;
    queue_push(&sim->queue, at_us, pending);
}

static void send_datagram(struct sim *sim, struct packet *packet)
{
    struct fate fate = network_fate(&sim->network, &sim->random, packet->from, packet->to);
    for (uint32_t i = 0; i < fate.copies; i++) {
        network_hold(packet);
        push_packet(sim, packet, sim->now_us + fate.delay_us[i]);
    }
    if (network_link(&sim->network, packet->from, packet->to)->quality.replay_ppm == 0) {
        return;
    }
    network_keep(&sim->network, &sim->random, packet);
    struct packet *old = network_replay(&sim->network, &sim->random, packet->from, packet->to);
    if (old != NULL) {
        push_packet(sim, old,
                    sim->now_us +
                        network_latency_us(&sim->network, &sim->random, old->from, old->to));
    }
}

static void send_frame(struct sim *sim, struct packet *packet)
{
    uint64_t at_us = network_stream_us(&sim->network, &sim->random, packet->from, packet->to,
                                       sim->now_us);
    if (at_us != UINT64_MAX) {
        network_hold(packet);
        push_packet(sim, packet, at_us);
    }
}

static bool carries_view(const struct message *message)
{
    switch (message->type) {
    case MESSAGE_VIEW:
    case MESSAGE_PREPARE:
    case MESSAGE_CLAIM:
    case MESSAGE_GRANT:
    case MESSAGE_HANDOVER:
        return message->carrier.view != NULL && !view_is_empty(message->carrier.view);
    case MESSAGE_HEARTBEAT:
    case MESSAGE_PULL:
    case MESSAGE_ACK:
    case MESSAGE_NACK:
    case MESSAGE_NOT_FOLLOWING:
    case MESSAGE_COMMIT:
    case MESSAGE_CLAIM_REFUSED:
    case MESSAGE_JOIN:
    case MESSAGE_OFFER:
    case MESSAGE_READY:
    case MESSAGE_JOIN_REFUSED:
    case MESSAGE_LEAVE:
    case MESSAGE_PING:
    case MESSAGE_PONG:
    case MESSAGE_PING_REQUEST:
    case MESSAGE_PROBE:
    case MESSAGE_HELLO:
    case MESSAGE_TYPE_COUNT:
        return false;
    }
    return false;
}

static void on_send(struct sim *sim, struct host *host, const struct effect *effect)
{
    struct host *to = host_at(sim, &effect->address);
    uint32_t from = host_index(sim, host);
    size_t length;
    const struct node_id *peer = id_is_none(&effect->peer) ? NULL : &effect->peer;
    const uint8_t *bytes = wire_encode(sim->wire, effect->message, peer, effect->fellow, &length);

    host->sent[effect->message->type]++;
    sim->bytes += length;
    if (carries_view(effect->message)) {
        oracle_on_sent_view(sim, host, effect->message->carrier.view);
    }
    if (to == NULL || is_lost(sim, from, host_index(sim, to), effect->message->type)) {
        return;
    }
    struct packet *packet = network_packet(&sim->network, length);
    memcpy(packet->bytes, bytes, length);
    packet->from = from;
    packet->to = host_index(sim, to);
    packet->source = host->address;
    if (length <= DATAGRAM_BYTES_MAX) {
        send_datagram(sim, packet);
    } else {
        send_frame(sim, packet);
    }
    network_release(&sim->network, packet);
}

static void on_notice(struct host *host, const struct notice *notice)
{
    host->notices[notice->type]++;
    if (notice->type == NOTICE_PHASE) {
        host->foundings += notice->reason == REASON_FOUNDED;
    } else if (notice->type == NOTICE_CLAIM) {
        host->claims[notice->claim]++;
    } else if (notice->type == NOTICE_JOIN_REFUSED) {
        host->refusal = notice->refused;
    }
}

static void on_effect(struct sim *sim, struct host *host, const struct effect *effect)
{
    switch (effect->type) {
    case EFFECT_SEND:
        on_send(sim, host, effect);
        break;
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
                   pending_for(sim, host, PENDING_RESOLVED));
        break;
    case EFFECT_STORE:
        if (host->has_disk) {
            core_stored(host->core, &host->disk);
            host->stored = true;
        }
        break;
    case EFFECT_NOTICE:
        on_notice(host, &effect->notice);
        break;
    }
}

static void end_process(struct sim *sim, struct host *host)
{
    drop_waiting(sim, host);
    lifelines_drop(&host->lifelines);
    free(host->core);
    host->core = NULL;
    host->running = false;
    host->paused = false;
    host->tick_at_us = UINT64_MAX;
    sim->changed = true;
}

void host_step(struct sim *sim, struct host *host, struct event *event)
{
    event->now_ms = host_now_ms(sim, host);
    struct effects effects = core_step(host->core, event);
    sim->steps++;
    trace_step(sim, host, event, &effects);
    for (uint32_t i = 0; i < effects.count; i++) {
        on_effect(sim, host, &effects.items[i]);
    }
    oracle_after_step(sim, host, &effects);

    if (core_phase(host->core) == PHASE_STOPPED) {
        trace_note(sim, "%s has left and exits", host->name);
        end_process(sim, host);
        lifeline_on_end(sim, host);
        return;
    }
    rearm(sim, host);
}

/* --- What comes to a process --- */

static void on_packet(struct sim *sim, struct host *host, const struct packet *packet)
{
    struct message message;
    enum wire_error error = wire_decode(sim->wire, packet->bytes, packet->length, &message);
    assert(error == WIRE_OK); /* Our own bytes, and nobody damages them here. */

    message.source = packet->source;
    host->heard_ms[packet->from] = host_now_ms(sim, host);
    host_step(sim, host, &(struct event){.type = EVENT_MESSAGE, .message = &message});
}

static void on_tick(struct sim *sim, struct host *host)
{
    host->tick_at_us = UINT64_MAX;
    if (core_deadline_ms(host->core) > host_now_ms(sim, host)) {
        rearm(sim, host); /* It was put off since. */
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
    host_step(
        sim, host,
        &(struct event){
            .type = EVENT_ADDRESSES,
            .addresses = {.source = ADDRESSES_SEEDS, .addresses = addresses, .count = count}});
}

static void hand_over(struct sim *sim, struct host *host, const struct pending *pending)
{
    switch (pending->type) {
    case PENDING_PACKET:
        on_packet(sim, host, pending->packet);
        break;
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
    case PENDING_LEAVE:
        host_step(sim, host, &(struct event){.type = EVENT_LEAVE});
        break;
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
    if (pending->type == PENDING_PACKET && host->waiting_packets++ >= RECEIVE_BUFFER_MAX) {
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

/* A pending that belongs to a process that is gone, or came to a host without one. */
static bool is_void(const struct host *host, const struct pending *pending)
{
    if (pending->type == PENDING_PACKET) {
        return !host->up || !host->running;
    }
    return !host_is_meant(host, pending);
}

static void dispatch(struct sim *sim, struct pending *pending)
{
    if (pending->type == PENDING_CALL) {
        pending->call(sim, pending->a, pending->b);
        queue_release(&sim->queue, pending);
        return;
    }

    struct host *host = &sim->hosts[pending->host];
    if (is_void(host, pending)) {
        release(sim, pending);
        return;
    }
    if (host->paused) {
        if (!keep_waiting(host, pending)) {
            release(sim, pending);
        }
        return;
    }
    if (host->turn_us > 0 && !pending->woken) {
        pending->woken = true;
        queue_push(&sim->queue, (sim->now_us / host->turn_us + 1) * host->turn_us, pending);
        return;
    }
    pending->woken = false;
    hand_over(sim, host, pending);
    release(sim, pending);
}

/* --- Starting, breaking, mending --- */

void sim_start(struct sim *sim, uint32_t index)
{
    struct host *host = host_of(sim, index);
    assert(!host->running);

    trace_note(sim, "%s starts", host->name);
    host->up = true;
    host->running = true;
    host->paused = false;
    host->process++;
    host->disturbed = host->turn_us > 0;
    for (uint32_t i = 0; i < sim->host_count; i++) {
        host->disturbed |= !network_open_both_ways(&sim->network, index, i);
        host->heard_ms[i] = 0;
    }

    struct core_options options = {
        .name = host->name,
        .address = host->address,
        .guard = host->guard,
        .profile = sim->options.profile,
        .timing = sim->timing,
        .capacity = sim->options.capacity,
        .has_seeds = host->seed_count > 0,
    };
    for (int i = 0; i < 4; i++) {
        options.random_seed[i] = random_u64(&sim->random);
    }
    bool remembers = host->has_disk && host->stored;
    if (remembers) {
        options.incarnation = host->disk.incarnation;
        options.epoch_seen = host->disk.epoch_seen;
    }
    void *block = calloc(1, core_bytes(options.capacity));
    assert(block != NULL);
    host->core = core_init(block, &options, host_now_ms(sim, host));
    assert((void *)host->core == block);

    oracle_on_start(sim, host);
    schedule_tick(sim, host, sim->now_us);
    sim->changed = true;
    if (remembers) {
        struct stored stored = host->disk;
        host_step(sim, host,
                  &(struct event){.type = EVENT_ADDRESSES,
                                  .addresses = {.source = ADDRESSES_REMEMBERED,
                                                .addresses = stored.peers,
                                                .count = stored.peer_count}});
    }
}

void sim_start_in_order(struct sim *sim, uint64_t gap_ms)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        sim_start(sim, i);
        sim_run(sim, gap_ms);
    }
}

void sim_start_together(struct sim *sim)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        sim_start(sim, i);
    }
}

void sim_crash(struct sim *sim, uint32_t index)
{
    struct host *host = host_of(sim, index);
    if (!host->running) {
        return;
    }
    trace_note(sim, "%s is killed", host->name);
    end_process(sim, host);
    lifeline_on_end(sim, host);
}

void sim_wipe(struct sim *sim, uint32_t index)
{
    host_of(sim, index)->stored = false;
}

void sim_vanish(struct sim *sim, uint32_t index)
{
    struct host *host = host_of(sim, index);
    trace_note(sim, "%s vanishes, kernel and all", host->name);
    host->up = false;
    if (host->running) {
        end_process(sim, host);
    }
}

void sim_pause(struct sim *sim, uint32_t index)
{
    struct host *host = host_of(sim, index);
    if (!host->running || host->paused) {
        return;
    }
    trace_note(sim, "%s is stopped", host->name);
    host->paused = true;
    host->disturbed = true;
    sim->changed = true;
}

/* What came meanwhile comes in one burst. Whether the timer or the sockets are looked at first
 * depends on where the loop was stopped. */
void sim_resume(struct sim *sim, uint32_t index)
{
    struct host *host = host_of(sim, index);
    if (!host->running || !host->paused) {
        return;
    }
    trace_note(sim, "%s is continued", host->name);
    host->paused = false;
    sim->changed = true;

    struct pending *waiting = host->waiting;
    bool timer_first = random_below(&sim->random, 2) == 0;
    if (host->waiting_tick && timer_first) {
        schedule_tick(sim, host, sim->now_us);
    }
    while (waiting != NULL) {
        struct pending *next = waiting->next;
        queue_push(&sim->queue, sim->now_us, waiting);
        waiting = next;
    }
    if (host->waiting_tick && !timer_first) {
        schedule_tick(sim, host, sim->now_us);
    }
    host->waiting = NULL;
    host->waiting_last = NULL;
    host->waiting_packets = 0;
    host->waiting_tick = false;
    lifeline_on_resume(sim, host);
}

void sim_slow(struct sim *sim, uint32_t index, uint64_t turn_ms)
{
    struct host *host = host_of(sim, index);
    trace_note(sim, "%s turns every %" PRIu64 " ms", host->name, turn_ms);
    host->turn_us = turn_ms * US_PER_MS;
    host->disturbed = true;
}

void sim_leave(struct sim *sim, uint32_t index)
{
    struct host *host = host_of(sim, index);
    assert(host->running);
    trace_note(sim, "%s is asked to leave", host->name);
    host->disturbed = true;
    queue_push(&sim->queue, sim->now_us, pending_for(sim, host, PENDING_LEAVE));
}

void sim_rename(struct sim *sim, uint32_t index, const char *name)
{
    struct host *host = host_of(sim, index);
    snprintf(host->name, sizeof host->name, "%s", name);
}

void sim_set_seeds(struct sim *sim, uint32_t index, const uint32_t *seeds, uint32_t count)
{
    struct host *host = host_of(sim, index);
    assert(count <= SIM_SEEDS_MAX);
    host->seed_count = count;
    for (uint32_t i = 0; i < count; i++) {
        host->seeds[i] = seeds[i];
    }
}

void sim_set_guard(struct sim *sim, uint32_t index, struct guard guard)
{
    host_of(sim, index)->guard = guard;
}

void sim_set_resolver(struct sim *sim, uint64_t delay_ms, bool fails)
{
    sim->resolve_ms = delay_ms;
    sim->resolve_fails = fails;
}

void sim_cut_one_way(struct sim *sim, uint32_t from, uint32_t to)
{
    trace_note(sim, "cut from %s to %s", sim->hosts[from].name, sim->hosts[to].name);
    network_link(&sim->network, from, to)->cuts++;
    sim->hosts[from].disturbed = true;
    sim->hosts[to].disturbed = true;
}

void sim_mend_one_way(struct sim *sim, uint32_t from, uint32_t to)
{
    struct link *link = network_link(&sim->network, from, to);
    trace_note(sim, "mended from %s to %s", sim->hosts[from].name, sim->hosts[to].name);
    if (link->cuts > 0) {
        link->cuts--;
    }
}

void sim_cut(struct sim *sim, uint32_t a, uint32_t b)
{
    sim_cut_one_way(sim, a, b);
    sim_cut_one_way(sim, b, a);
}

void sim_mend(struct sim *sim, uint32_t a, uint32_t b)
{
    sim_mend_one_way(sim, a, b);
    sim_mend_one_way(sim, b, a);
}

void sim_isolate(struct sim *sim, uint32_t index)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        if (i != index) {
            sim_cut(sim, index, i);
        }
    }
    sim->hosts[index].isolated = true;
    sim->changed = true;
}

void sim_rejoin_network(struct sim *sim, uint32_t index)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        if (i != index) {
            sim_mend(sim, index, i);
        }
    }
    sim->hosts[index].isolated = false;
    sim->changed = true;
}

void sim_heal(struct sim *sim)
{
    struct quality quality = sim_default_quality();

    trace_note(sim, "everything heals");
    network_set_quality(&sim->network, &quality);
    sim->resolve_ms = RESOLVE_MS_MAX;
    sim->resolve_fails = false;
    sim->loss_count = 0;
    for (uint32_t i = 0; i < sim->host_count; i++) {
        for (uint32_t k = 0; k < sim->host_count; k++) {
            network_link(&sim->network, i, k)->cuts = 0;
        }
        sim->hosts[i].isolated = false;
        sim->hosts[i].turn_us = 0;
        sim_resume(sim, i);
    }
    sim->changed = true;
}

void sim_set_quality(struct sim *sim, const struct quality *quality)
{
    /* Above this share a healthy member may well fall silent: the oracle no longer calls it so. */
    const uint32_t healthy_loss_ppm = 50000;

    trace_note(sim, "links lose %u ppm", quality->loss_ppm);
    network_set_quality(&sim->network, quality);
    for (uint32_t i = 0; i < sim->host_count; i++) {
        sim->hosts[i].disturbed |= quality->loss_ppm > healthy_loss_ppm ||
                                   quality->late_us_max / US_PER_MS >
                                       sim->timing.silent_ms - sim->timing.heartbeat_ms;
    }
}

void sim_lose(struct sim *sim, uint32_t from, uint32_t to, uint32_t type, uint32_t count)
{
    assert(sim->loss_count < LOSSES_MAX);
    sim->losses[sim->loss_count++] = (struct loss){
        .from = from, .to = to, .type = type, .left = count};
}

/* --- Time --- */

static void advance(struct sim *sim)
{
    sim->now_us = queue_next_us(&sim->queue);
    dispatch(sim, queue_pop(&sim->queue));
}

static bool has_failed(const struct sim *sim)
{
    return sim->oracle.failure[0] != '\0';
}

void sim_run(struct sim *sim, uint64_t ms)
{
    uint64_t end_us = sim->now_us + ms * US_PER_MS;
    while (queue_next_us(&sim->queue) <= end_us && !has_failed(sim)) {
        advance(sim);
    }
    if (!has_failed(sim)) {
        sim->now_us = end_us;
    }
}

uint64_t sim_now_ms(const struct sim *sim)
{
    return sim->now_us / US_PER_MS;
}

void sim_after(struct sim *sim, uint64_t ms, sim_call *call, uint32_t a, uint32_t b)
{
    struct pending *pending = queue_take(&sim->queue);
    pending->type = PENDING_CALL;
    pending->call = call;
    pending->a = a;
    pending->b = b;
    queue_push(&sim->queue, sim->now_us + ms * US_PER_MS, pending);
}

/* Runs until `holds`, asked whenever something changed and at least every so often, because the
 * right to act can come and go with time alone. */
static bool run_until(struct sim *sim, uint64_t ms,
                      bool (*holds)(struct sim *, uint32_t, const char *), uint32_t host,
                      const char *text)
{
    enum { ASK_US = 10000 };
    uint64_t end_us = sim->now_us + ms * US_PER_MS;
    uint64_t ask_us = sim->now_us;

    while (!has_failed(sim)) {
        if (sim->changed || sim->now_us >= ask_us) {
            sim->changed = false;
            ask_us = sim->now_us + ASK_US;
            if (holds(sim, host, text)) {
                return true;
            }
        }
        if (queue_next_us(&sim->queue) > end_us) {
            sim->now_us = end_us;
            return holds(sim, host, text);
        }
        advance(sim);
    }
    return false;
}

static bool agrees(struct sim *sim, uint32_t host, const char *text)
{
    (void)host;
    (void)text;
    return sim_agrees(sim);
}

static bool has_ended(struct sim *sim, uint32_t host, const char *text)
{
    (void)text;
    return !sim->hosts[host].running;
}

static bool sees(struct sim *sim, uint32_t host, const char *text)
{
    return strcmp(sim_view_text(sim, host), text) == 0;
}

bool sim_converges(struct sim *sim, uint64_t ms)
{
    uint64_t start_us = sim->now_us;
    bool converged = run_until(sim, ms, agrees, SIM_NOBODY, NULL);
    sim->converged_ms = (sim->now_us - start_us) / US_PER_MS;
    return converged;
}

bool sim_ends(struct sim *sim, uint32_t host, uint64_t ms)
{
    return run_until(sim, ms, has_ended, host, NULL);
}

bool sim_sees(struct sim *sim, uint32_t host, const char *text, uint64_t ms)
{
    return run_until(sim, ms, sees, host, text);
}
