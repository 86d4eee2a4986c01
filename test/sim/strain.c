#include "strain.h"

#include <string.h>

#include "cluster.h"
#include "post.h"

enum {
    POOL_IDLE_MS = 2000, /* as of the runtime's pool of streams */
    BROKEN_FATES = 3,
};

/* Of what comes when its stream has broken. */
enum { FATE_LOST, FATE_LATE };

/* --- Hosts --- */

bool strain_is_crowded(const struct sim *sim, struct host *host)
{
    const uint64_t now_ms = sim->now_us / US_PER_MS;

    if (host->sends_max == 0) {
        return false;
    }
    if (host->sends_ms != now_ms) {
        host->sends_ms = now_ms;
        host->sends = 0;
    }
    return ++host->sends > host->sends_max;
}

static bool is_frame(const struct packet *packet)
{
    return !packet->open && packet->length > DATAGRAM_FRAME_BYTES_MAX;
}

void strain_translate(const struct host *host, struct packet *packet)
{
    if (address_is_none(&host->shown_as) || is_frame(packet)) {
        return;
    }
    packet->source = host->shown_as;
    if (packet->open) {
        network_message(packet)->source = host->shown_as;
    }
}

/* A kernel keeps what a stream brings, and has the sender wait. */
bool strain_has_room(struct host *host, const struct packet *packet)
{
    const uint32_t most = host->buffer_max == 0 ? RECEIVE_BUFFER_MAX : host->buffer_max;

    return (host->buffer_max != 0 && is_frame(packet)) || host->waiting_packets++ < most;
}

bool strain_has_room_at(struct host *host, const struct packet *packet, uint64_t turn_at_us)
{
    if (host->buffer_max == 0 || is_frame(packet)) {
        return true;
    }
    if (host->turn_at_us != turn_at_us) {
        host->turn_at_us = turn_at_us;
        host->turn_waiting = 0;
    }
    return host->turn_waiting++ < host->buffer_max;
}

bool strain_is_short(const struct host *host)
{
    return host->sends_max != 0 || host->buffer_max != 0;
}

uint32_t strain_answers(struct sim *sim, struct address *addresses, uint32_t count)
{
    uint32_t kept = 0;

    if (sim->resolve_ppm == 0) {
        return count;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!network_happens(&sim->random, sim->resolve_ppm)) {
            addresses[kept++] = addresses[i];
        }
    }
    while (kept < SIM_SEEDS_MAX && network_happens(&sim->random, sim->resolve_ppm)) {
        addresses[kept++] = sim->hosts[random_below(&sim->random, sim->node_count)].address;
    }
    return kept;
}

/* --- Links --- */

bool strain_loses(struct sim *sim, const struct packet *datagram)
{
    const struct strain *strain = network_strain(&sim->network, datagram->from, datagram->to);

    return strain != NULL && network_happens(&sim->random, strain->loss_ppm);
}

bool strain_refuses(const struct sim *sim, const struct host *host, const struct host *other)
{
    const struct strain *strain = network_strain(&sim->network, host_index(sim, host),
                                                 host_index(sim, other));

    return strain != NULL && strain->refuses;
}

bool strain_refused_of_late(const struct sim *sim, const struct host *other, uint64_t ms)
{
    for (uint32_t from = 0; from < sim->host_count; from++) {
        const struct strain *strain = network_strain(&sim->network, from, host_index(sim, other));
        if (strain != NULL &&
            (strain->refuses ||
             (strain->refused_us != 0 && sim->now_us < strain->refused_us + ms * US_PER_MS))) {
            return true;
        }
    }
    return false;
}

/* --- Streams --- */

/* Have others, to whom there is no lifeline, all the streams that there may be? */
static bool is_starved(const struct sim *sim, const struct packet *frame)
{
    const struct host *host = &sim->hosts[frame->from];
    const uint64_t idle_us = POOL_IDLE_MS * US_PER_MS;
    uint32_t open = 0;

    if (host->streams_max == 0 || lifeline_is_open(host, &sim->hosts[frame->to].address)) {
        return false;
    }
    for (uint32_t to = 0; to < sim->host_count; to++) {
        const uint64_t used_us = network_link(&sim->network, frame->from, to)->stream_free_us;
        open += to != frame->to && used_us != 0 && sim->now_us < used_us + idle_us &&
                !lifeline_is_open(host, &sim->hosts[to].address);
    }
    return open >= host->streams_max;
}

static void arrive(struct sim *sim, struct packet *frame, uint64_t at_us, uint64_t late_ms)
{
    const uint64_t arrives_us = at_us + random_below(&sim->random, late_ms + 1) * US_PER_MS;

    if (sim->late_us < arrives_us) {
        sim->late_us = arrives_us;
    }
    network_hold(frame);
    post_push(sim, frame, arrives_us);
}

uint64_t sim_late_ms(const struct sim *sim)
{
    return sim->late_us <= sim->now_us ? 0 : (sim->late_us - sim->now_us) / US_PER_MS + 1;
}

/* The next frame goes by another stream, which is read before or after this one. */
static void break_off(struct sim *sim, const struct packet *frame)
{
    network_link(&sim->network, frame->from, frame->to)->stream_free_us = sim->now_us;
    if (random_below(&sim->random, 2) == 0) {
        lifeline_reset(sim, &sim->hosts[frame->from], &sim->hosts[frame->to]);
    }
}

static void pass(struct sim *sim, const struct strain *strain, struct packet *frame)
{
    const uint64_t at_us = network_stream_us(&sim->network, &sim->random, frame->from, frame->to,
                                             sim->now_us);

    if (at_us == UINT64_MAX) {
        return;
    }
    if (network_happens(&sim->random, strain->repeat_ppm)) {
        arrive(sim, frame, at_us, strain->late_ms);
    }
    uint64_t fate = BROKEN_FATES;
    if (network_happens(&sim->random, strain->break_ppm)) {
        fate = random_below(&sim->random, BROKEN_FATES);
        break_off(sim, frame);
    }
    if (fate != FATE_LOST) {
        arrive(sim, frame, at_us, fate == FATE_LATE ? strain->late_ms : 0);
    }
}

static struct packet *take_first(struct strain *strain)
{
    struct packet *first = strain->waiting;

    strain->waiting = first->next;
    strain->waiting_count--;
    return first;
}

static void pass_all(struct sim *sim, struct strain *strain)
{
    while (strain->waiting != NULL) {
        struct packet *frame = take_first(strain);
        pass(sim, strain, frame);
        network_release(&sim->network, frame);
    }
}

/* The reader has read one more. */
static void drain(struct sim *sim, uint32_t from, uint32_t to)
{
    struct strain *strain = network_strain_anew(&sim->network, from, to);

    if (strain->pace_ms == 0) {
        pass_all(sim, strain);
    } else if (strain->waiting != NULL) {
        struct packet *frame = take_first(strain);
        pass(sim, strain, frame);
        network_release(&sim->network, frame);
    }
    strain->is_drained = strain->pace_ms != 0;
    if (strain->is_drained && strain->waiting != NULL) {
        sim_after(sim, strain->pace_ms, drain, from, to);
    } else {
        strain->is_drained = false;
    }
}

static bool is_superseded_by_newer(uint8_t type)
{
    return type == MESSAGE_VIEW || type == MESSAGE_PREPARE || type == MESSAGE_COMMIT;
}

/* U3a: of those that no kernel has yet. Returns where the next one goes. */
static struct packet **drop_superseded(struct sim *sim, struct strain *strain,
                                       const struct packet *by)
{
    struct packet **at = &strain->waiting;

    for (uint32_t place = 0; *at != NULL; place++) {
        struct packet *frame = *at;
        if (place >= strain->taken && is_superseded_by_newer(by->type) && frame->type == by->type &&
            frame->receiver == by->receiver) {
            *at = frame->next;
            strain->waiting_count--;
            network_release(&sim->network, frame);
        } else {
            at = &frame->next;
        }
    }
    return at;
}

static void wait_in_line(struct sim *sim, struct strain *strain, struct packet *frame)
{
    struct packet **end = drop_superseded(sim, strain, frame);

    if (strain->waiting_count >= strain->taken + strain->room) {
        return; /* Its sender counts it, and no more. */
    }
    network_hold(frame);
    frame->next = NULL;
    *end = frame;
    strain->waiting_count++;
    if (!strain->is_drained) {
        strain->is_drained = true;
        sim_after(sim, strain->pace_ms, drain, frame->from, frame->to);
    }
}

bool strain_takes(struct sim *sim, struct packet *frame)
{
    if (is_starved(sim, frame)) {
        return true;
    }
    if (!network_is_strained(&sim->network, frame->from, frame->to)) {
        return false;
    }
    struct strain *strain = network_strain_anew(&sim->network, frame->from, frame->to);
    if (strain->refuses) {
        return true;
    }
    if (strain->pace_ms != 0) {
        wait_in_line(sim, strain, frame);
    } else {
        pass(sim, strain, frame);
    }
    return true;
}

/* What no kernel has goes with its process; what waits for a reader, mostly, with that. */
static void end_streams(struct sim *sim, uint32_t from, uint32_t to, bool sender)
{
    struct strain *strain = network_strain_anew(&sim->network, from, to);
    struct packet **at = &strain->waiting;

    for (uint32_t place = 0; *at != NULL; place++) {
        struct packet *frame = *at;
        if (sender ? place < strain->taken : random_below(&sim->random, 4) == 0) {
            at = &frame->next;
        } else {
            *at = frame->next;
            strain->waiting_count--;
            network_release(&sim->network, frame);
        }
    }
}

void strain_end_streams(struct sim *sim, uint32_t host)
{
    for (uint32_t i = 0; sim->network.strains != NULL && i < sim->host_count; i++) {
        end_streams(sim, host, i, true);
        end_streams(sim, i, host, false);
    }
}

/* Calls that were to drain are forgotten. */
void strain_heal(struct sim *sim)
{
    for (uint32_t from = 0; from < sim->host_count; from++) {
        sim->hosts[from].sends_max = 0;
        sim->hosts[from].shown_as = (struct address){0};
        sim->hosts[from].streams_max = 0;
        sim->hosts[from].buffer_max = 0;
        for (uint32_t to = 0; sim->network.strains != NULL && to < sim->host_count; to++) {
            struct strain *strain = network_strain_anew(&sim->network, from, to);
            *strain = (struct strain){.waiting = strain->waiting,
                                      .waiting_count = strain->waiting_count,
                                      .refused_us = strain->refuses ? sim->now_us
                                                                    : strain->refused_us};
            pass_all(sim, strain);
        }
    }
}

void strain_deinit(struct sim *sim)
{
    const size_t count = (size_t)sim->host_count * sim->host_count;

    for (size_t i = 0; sim->network.strains != NULL && i < count; i++) {
        while (sim->network.strains[i].waiting != NULL) {
            network_release(&sim->network, take_first(&sim->network.strains[i]));
        }
    }
}
