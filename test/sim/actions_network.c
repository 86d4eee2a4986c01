/* What a story does to the network: links that are cut, narrowed, slow or lossy. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "cluster.h"
#include "post.h"
#include "trace.h"

void sim_cut_one_way(struct sim *sim, uint32_t from, uint32_t to)
{
    trace_note(sim, "cut from %s to %s", sim->hosts[from].name, sim->hosts[to].name);
    struct link *link = network_link(&sim->network, from, to);
    link->cuts++;
    link->changed_us = sim->now_us;
    sim->hosts[from].disturbed = true;
    sim->hosts[to].disturbed = true;
}

void sim_mend_one_way(struct sim *sim, uint32_t from, uint32_t to)
{
    struct link *link = network_link(&sim->network, from, to);
    trace_note(sim, "mended from %s to %s", sim->hosts[from].name, sim->hosts[to].name);
    link->changed_us = sim->now_us;
    if (link->cuts > 0) {
        link->cuts--;
    }
    if (link->cuts == 0) {
        link->held_us = 0;
    }
}

void sim_hold_back(struct sim *sim, uint32_t from, uint32_t to, uint64_t ms)
{
    struct link *link = network_link(&sim->network, from, to);

    sim_cut_one_way(sim, from, to);
    trace_note(sim, "and what is sent meanwhile comes in %" PRIu64 " ms", ms);
    link->held_us = sim->now_us + ms * US_PER_MS;
}

void sim_cut_streams(struct sim *sim, uint32_t a, uint32_t b)
{
    trace_note(sim, "connections cut between %s and %s", sim->hosts[a].name, sim->hosts[b].name);
    network_link(&sim->network, a, b)->stream_cuts++;
    sim->hosts[a].disturbed = true;
    sim->hosts[b].disturbed = true;
}

void sim_mend_streams(struct sim *sim, uint32_t a, uint32_t b)
{
    struct link *link = network_link(&sim->network, a, b);
    if (link->stream_cuts > 0) {
        link->stream_cuts--;
    }
}

void sim_cut_datagrams(struct sim *sim, uint32_t from, uint32_t to)
{
    struct link *link = network_link(&sim->network, from, to);

    trace_note(sim, "datagrams cut from %s to %s", sim->hosts[from].name, sim->hosts[to].name);
    link->datagram_cuts++;
    link->changed_us = sim->now_us;
    sim->hosts[from].disturbed = true;
    sim->hosts[to].disturbed = true;
}

void sim_mend_datagrams(struct sim *sim, uint32_t from, uint32_t to)
{
    struct link *link = network_link(&sim->network, from, to);

    link->changed_us = sim->now_us;
    if (link->datagram_cuts > 0) {
        link->datagram_cuts--;
    }
}

void sim_narrow_one_way(struct sim *sim, uint32_t from, uint32_t to, uint32_t bytes_max)
{
    trace_note(sim, "from %s to %s passes what has up to %u bytes", sim->hosts[from].name,
               sim->hosts[to].name, bytes_max);
    assert(bytes_max == 0 || bytes_max >= 300);
    network_narrow(&sim->network, from, to, bytes_max);
    sim->hosts[from].disturbed = true;
    sim->hosts[to].disturbed = true;
    post_unstick(sim, from, to);
}

void sim_narrow(struct sim *sim, uint32_t index, uint32_t bytes_max)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        if (i != index) {
            sim_narrow_one_way(sim, i, index, bytes_max);
            sim_narrow_one_way(sim, index, i, bytes_max);
        }
    }
}

void sim_set_segments(struct sim *sim, uint32_t bytes)
{
    sim->segment_bytes = bytes;
}

/* To be written, for both ends are disturbed by what is. */
static struct strain *strain_of(struct sim *sim, uint32_t from, uint32_t to)
{
    network_link(&sim->network, from, to)->changed_us = sim->now_us;
    sim->hosts[from].disturbed = true;
    sim->hosts[to].disturbed = true;
    return network_strain_anew(&sim->network, from, to);
}

void sim_lose_some(struct sim *sim, uint32_t from, uint32_t to, uint32_t loss_ppm)
{
    trace_note(sim, "from %s to %s %u ppm are lost", sim->hosts[from].name, sim->hosts[to].name,
               loss_ppm);
    strain_of(sim, from, to)->loss_ppm = loss_ppm;
}

void sim_slow_streams(struct sim *sim, uint32_t from, uint32_t to, uint32_t pace_ms, uint32_t taken,
                      uint32_t room)
{
    struct strain *strain = strain_of(sim, from, to);

    trace_note(sim, "from %s to %s a frame takes %u ms, and %u and %u wait", sim->hosts[from].name,
               sim->hosts[to].name, pace_ms, taken, room);
    strain->pace_ms = pace_ms;
    strain->taken = taken;
    strain->room = room;
}

void sim_break_streams(struct sim *sim, uint32_t from, uint32_t to, uint32_t break_ppm,
                       uint32_t repeat_ppm, uint32_t late_ms)
{
    struct strain *strain = strain_of(sim, from, to);

    trace_note(sim, "from %s to %s %u ppm of frames end their stream, and %u ppm come twice",
               sim->hosts[from].name, sim->hosts[to].name, break_ppm, repeat_ppm);
    strain->break_ppm = break_ppm;
    strain->repeat_ppm = repeat_ppm;
    strain->late_ms = late_ms;
}

void sim_refuse_streams(struct sim *sim, uint32_t from, uint32_t to, bool refuses)
{
    trace_note(sim, "connections from %s to %s are %s", sim->hosts[from].name, sim->hosts[to].name,
               refuses ? "reset" : "made again");
    struct strain *strain = strain_of(sim, from, to);
    strain->refuses = refuses;
    strain->refused_us = sim->now_us;
    if (refuses) {
        lifeline_reset(sim, &sim->hosts[from], &sim->hosts[to]);
    }
}

static struct host *disturbed_host(struct sim *sim, uint32_t index)
{
    sim->hosts[index].disturbed = true;
    sim->hosts[index].touched_us = sim->now_us;
    return &sim->hosts[index];
}

void sim_translate(struct sim *sim, uint32_t index, uint32_t as)
{
    struct host *host = disturbed_host(sim, index);

    trace_note(sim, "datagrams of %s seem to come from %s", host->name,
               as == index ? "nowhere" : sim->hosts[as].name);
    host->shown_as = sim->hosts[as].address;
    host->shown_as.port = (uint16_t)(host->shown_as.port + (as == index ? 10000 : 0));
}

void sim_translate_no_more(struct sim *sim, uint32_t index)
{
    disturbed_host(sim, index)->shown_as = (struct address){0};
}

void sim_limit_streams(struct sim *sim, uint32_t index, uint32_t streams_max)
{
    trace_note(sim, "%s has %u streams", sim->hosts[index].name, streams_max);
    disturbed_host(sim, index)->streams_max = streams_max;
}

void sim_limit_sends(struct sim *sim, uint32_t index, uint32_t sends_max)
{
    trace_note(sim, "%s sends %u in a millisecond", sim->hosts[index].name, sends_max);
    disturbed_host(sim, index)->sends_max = sends_max;
}

void sim_limit_buffer(struct sim *sim, uint32_t index, uint32_t buffer_max)
{
    trace_note(sim, "%s has room for %u datagrams", sim->hosts[index].name, buffer_max);
    disturbed_host(sim, index)->buffer_max = buffer_max;
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

bool sim_is_cut(const struct sim *sim, uint32_t a, uint32_t b)
{
    return !network_open_both_ways(&sim->network, a, b);
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

void sim_set_quality(struct sim *sim, const struct quality *quality)
{
    /* Above this share a healthy member may well fall silent: the oracle no longer calls it so. */
    const uint32_t healthy_loss_ppm = 50000;

    trace_note(sim, "links lose %u ppm", quality->loss_ppm);
    struct quality usual = sim_default_quality();
    network_set_quality(&sim->network, quality);
    sim->quality_us = sim->now_us;
    sim->rough = memcmp(quality, &usual, sizeof usual) != 0;
    for (uint32_t i = 0; i < sim->host_count; i++) {
        sim->hosts[i].disturbed |= quality->loss_ppm > healthy_loss_ppm ||
                                   quality->late_us_max / US_PER_MS >
                                       sim->timing.silent_ms - sim->timing.heartbeat_ms;
    }
}

void sim_set_quality_from(struct sim *sim, uint32_t index, const struct quality *quality)
{
    trace_note(sim, "links from %s lose %u ppm", sim->hosts[index].name, quality->loss_ppm);
    network_set_quality_from(&sim->network, index, quality);
    sim->quality_us = sim->now_us;
    sim->rough = true;
    sim->hosts[index].disturbed = true;
}

void sim_lose_nothing(struct sim *sim)
{
    sim->loss_count = 0;
}

void sim_lose(struct sim *sim, uint32_t from, uint32_t to, uint32_t type, uint32_t count)
{
    uint32_t place = 0;
    while (place < sim->loss_count && sim->losses[place].left > 0) {
        place++;
    }
    assert(place < LOSSES_MAX);
    sim->loss_count = place < sim->loss_count ? sim->loss_count : place + 1;
    sim->losses[place] = (struct loss){.from = from, .to = to, .type = type, .left = count};
}
