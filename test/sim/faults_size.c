/* Faults of size: a path of a smaller MTU that tells nobody so, and views that grow too long for
 * it. */
#include "faults_parts.h"

const char *fault_draw_tag(struct random *random)
{
#define SIXTY "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    static const char *const tags[] = {"", "a=" SIXTY, "a=" SIXTY SIXTY SIXTY SIXTY,
                                       "a=" SIXTY SIXTY SIXTY SIXTY SIXTY SIXTY SIXTY};
#undef SIXTY
    return tags[random_below(random, sizeof tags / sizeof tags[0])];
}

static void widen(struct sim *sim, uint32_t from, uint32_t to)
{
    sim_narrow_one_way(sim, from, to, 0);
}

static void narrow_for(struct sim *sim, uint32_t from, uint32_t to, uint32_t bytes, uint64_t ms)
{
    sim_narrow_one_way(sim, from, to, bytes);
    sim_after(sim, ms, widen, from, to);
}

/* At one host, the coordinator's now and then, to it or from it, or both ways. */
static void narrow_one(struct sim *sim, struct random *random, uint32_t bytes, uint64_t ms)
{
    uint32_t host = any_host(sim, random);
    uint32_t coordinator = sim_coordinator(sim, host);
    uint64_t ways = draw(random, 0, 3);

    if (draw(random, 0, 2) == 0 && coordinator != SIM_NOBODY) {
        host = coordinator;
    }
    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if (i != host && ways != 1) {
            narrow_for(sim, i, host, bytes, ms);
        }
        if (i != host && ways != 2) {
            narrow_for(sim, host, i, bytes, ms);
        }
    }
}

void strike_narrow_path(struct sim *sim, struct random *random)
{
    uint64_t hosts = draw(random, 1, 3) == 3 ? 2 : 1; /* Two, behind one tunnel. */
    uint32_t bytes = draw_u32(random, HOLE_LEAST, HOLE_MOST);
    uint64_t ms = draw(random, 500, 20000);

    sim_set_segments(sim, draw(random, 0, 1) == 0 ? SMALL_SEGMENTS : LARGE_SEGMENTS);
    for (; hosts > 0; hosts--) {
        narrow_one(sim, random, bytes, ms);
    }
}

/* To it or from it, for one host or all. */
void strike_narrow_path_to_a_witness(struct sim *sim, struct random *random)
{
    const uint32_t witness = any_witness(sim, random);
    const uint32_t bytes = draw_u32(random, HOLE_LEAST, HOLE_MOST);
    const uint64_t ms = draw(random, 500, 20000);
    const uint64_t ways = draw(random, 0, 3);
    const uint32_t one = draw(random, 0, 1) == 0 ? any_host(sim, random) : SIM_NOBODY;

    sim_set_segments(sim, draw(random, 0, 1) == 0 ? SMALL_SEGMENTS : LARGE_SEGMENTS);
    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if ((one == SIM_NOBODY || one == i) && ways != 1) {
            narrow_for(sim, i, witness, bytes, ms);
        }
        if ((one == SIM_NOBODY || one == i) && ways != 2) {
            narrow_for(sim, witness, i, bytes, ms);
        }
    }
}

void strike_long_tags(struct sim *sim, struct random *random)
{
    const char *tag = fault_draw_tag(random);
    uint32_t host = any_host(sim, random);

    sim_tag(sim, host, tag);
    sim_set_tags(sim, host, tag);
    if (draw(random, 0, 2) == 0) {
        fault_crash_and_return(sim, host, draw_u32(random, 0, 1000));
    }
}

void fault_let_requests_pass(struct sim *sim, uint32_t host)
{
    sim_narrow(sim, host, REQUEST_HOLE);
}

void fault_narrow(struct sim *sim, struct random *random, uint32_t host)
{
    uint32_t bytes = draw_u32(random, HOLE_LEAST, HOLE_MOST);

    sim_set_segments(sim, LARGE_SEGMENTS);
    sim_narrow(sim, host, bytes);
    if (sim_coordinator(sim, host) == host && bytes < REQUEST_HOLE) {
        fault_let_requests_pass(sim, host);
    }
    sim_break(sim, host);
    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if (i != host) {
            sim_tag(sim, i, fault_draw_tag(random));
        }
    }
}
