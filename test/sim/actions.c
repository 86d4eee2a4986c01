/* What a story does to a cluster: starting, breaking, mending. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cluster.h"
#include "trace.h"

static struct host *host_of(struct sim *sim, uint32_t index)
{
    assert(index < sim->host_count);
    return &sim->hosts[index];
}

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
    process_schedule_tick(sim, host, sim->now_us);
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
    process_end(sim, host);
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
        process_end(sim, host);
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
        process_schedule_tick(sim, host, sim->now_us);
    }
    while (waiting != NULL) {
        struct pending *next = waiting->next;
        queue_push(&sim->queue, sim->now_us, waiting);
        waiting = next;
    }
    if (host->waiting_tick && !timer_first) {
        process_schedule_tick(sim, host, sim->now_us);
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
    queue_push(&sim->queue, sim->now_us, process_pending(sim, host, PENDING_LEAVE));
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
