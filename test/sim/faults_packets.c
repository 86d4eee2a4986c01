/* Faults of packets, on all links at once or from one host: lost, repeated, late, damaged, or not
 * ours. */
#include "faults_parts.h"

static void better(struct sim *sim, uint32_t unused, uint32_t also_unused)
{
    (void)unused;
    (void)also_unused;
    struct quality quality = sim_default_quality();
    sim_set_quality(sim, &quality);
}

static void set_quality_for(struct sim *sim, const struct quality *quality, uint64_t ms)
{
    sim_set_quality(sim, quality);
    sim_after(sim, ms, better, 0, 0);
}

void strike_loss(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    quality.loss_ppm = draw_u32(random, 1000, 200000);
    set_quality_for(sim, &quality, draw(random, 500, 8000));
}

void strike_heavy_loss(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    quality.loss_ppm = draw_u32(random, 200000, 600000);
    set_quality_for(sim, &quality, draw(random, 500, 8000));
}

/* Its own socket refuses to send (ENOBUFS, a firewall rule). */
void strike_send_failures(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    uint32_t host = any_host(sim, random);
    quality.loss_ppm = draw_u32(random, 300000, 1000000);
    sim_set_quality_from(sim, host, &quality);
    sim_after(sim, draw(random, 100, 3000), better, 0, 0);
}

void strike_duplication(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    quality.duplicate_ppm = draw_u32(random, 1000, 500000);
    set_quality_for(sim, &quality, draw(random, 500, 8000));
}

void strike_replay(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    quality.duplicate_ppm = draw_u32(random, 1000, 300000);
    quality.replay_ppm = draw_u32(random, 1000, 100000);
    set_quality_for(sim, &quality, draw(random, 500, 15000));
}

void strike_reordering(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    quality.latency_us_max = draw_u32(random, 5000, 60000);
    set_quality_for(sim, &quality, draw(random, 500, 8000));
}

void strike_delay(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    quality.latency_us_max = draw_u32(random, 1000, 30000);
    quality.late_ppm = draw_u32(random, 1000, 100000);
    quality.late_us_max = draw_u32(random, 10000, 500000);
    set_quality_for(sim, &quality, draw(random, 500, 8000));
}

/* Some arrive seconds later, when everything has changed. */
void strike_heavy_tail(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    quality.late_ppm = draw_u32(random, 1000, 50000);
    quality.late_us_max = draw_u32(random, 500000, 8000000);
    set_quality_for(sim, &quality, draw(random, 500, 8000));
}

void strike_corruption(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    quality.damage_ppm = draw_u32(random, 1000, 100000);
    quality.garbage_ppm = draw_u32(random, 1000, 300000);
    set_quality_for(sim, &quality, draw(random, 500, 8000));
}

void strike_truncation(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    quality.damage_ppm = draw_u32(random, 1000, 100000);
    quality.truncate_ppm = draw_u32(random, 1000, 300000);
    set_quality_for(sim, &quality, draw(random, 500, 8000));
}

void strike_foreign_packets(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    quality.foreign_ppm = draw_u32(random, 10000, 500000);
    set_quality_for(sim, &quality, draw(random, 500, 8000));
}

void strike_black_hole(struct sim *sim, struct random *random)
{
    struct quality quality = sim_default_quality();
    quality.datagram_bytes_max = draw_u32(random, 300, 460);
    set_quality_for(sim, &quality, draw(random, 500, 8000));
}

static void lose_nothing(struct sim *sim, uint32_t unused_a, uint32_t unused_b)
{
    (void)unused_a;
    (void)unused_b;
    sim_lose_nothing(sim);
}

/* As where the socket of a host is flooded, and the one for beats is not: what it asks, what it is
 * asked, or what answers either, is lost (E7d). Mostly it is the coordinator. */
void strike_lost_questions(struct sim *sim, struct random *random)
{
    const uint32_t any = any_host(sim, random);
    const uint32_t coordinator = sim_coordinator(sim, any);
    const bool is_any = draw(random, 0, 3) == 0 || coordinator == SIM_NOBODY;
    const uint32_t host = is_any ? any : coordinator;
    const uint32_t type = draw(random, 0, 1) == 0 ? MESSAGE_PING : MESSAGE_PONG;
    const bool from_it = draw(random, 0, 1) == 0;

    sim_lose_nothing(sim); /* Of an earlier strike. */
    sim_lose(sim, from_it ? host : SIM_ANY, from_it ? SIM_ANY : host, type, UINT32_MAX);
    sim_after(sim, draw(random, 500, 20000), lose_nothing, 0, 0);
}
