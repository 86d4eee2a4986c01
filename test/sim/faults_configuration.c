/* Faults of configuration: names, seeds and addresses that are wrong, or that resolve late. */
#include "faults_parts.h"

static void resolve_again(struct sim *sim, uint32_t unused, uint32_t also_unused)
{
    (void)unused;
    (void)also_unused;
    sim_set_resolver(sim, 20, false);
}

void fault_put_right(struct sim *sim, uint32_t host, uint32_t unused)
{
    (void)unused;
    if (sim_is_configured(sim, host)) {
        return;
    }
    sim_crash(sim, host);
    sim_configure(sim, host);
    sim_start(sim, host);
}

void strike_resolver(struct sim *sim, struct random *random)
{
    uint64_t ms = draw(random, 0, 2000);
    bool fails = draw(random, 0, 1) == 0;
    sim_set_resolver(sim, ms, fails);
    sim_after(sim, draw(random, 500, 5000), resolve_again, 0, 0);
}

static void settle_resolver(struct sim *sim, uint32_t unused, uint32_t also_unused)
{
    (void)unused;
    (void)also_unused;
    sim_unsettle_resolver(sim, 0);
}

/* A name is answered with some of the addresses that it has, or with those of nodes that are no
 * seeds: as where a record lists who is ready, or was changed and is cached. Some start meanwhile,
 * perhaps all. */
void strike_other_answers(struct sim *sim, struct random *random)
{
    const uint32_t first = any_host(sim, random);
    const uint32_t count = draw_u32(random, 0, sim_host_count(sim));
    const bool many = draw(random, 0, 3) == 0;
    const uint32_t ppm = draw_u32(random, 50000, 900000);
    const uint64_t ms = draw(random, 500, 20000);

    sim_unsettle_resolver(sim, ppm);
    for (uint32_t i = 0; i < (many ? count : count % 2); i++) {
        const uint32_t down_ms = draw_u32(random, 0, 2000);
        fault_crash_and_return(sim, (first + i) % sim_host_count(sim), down_ms);
    }
    sim_after(sim, ms, settle_resolver, 0, 0);
}

/* Somebody starts it with seeds that are wrong, or dead, or itself; later somebody notices. */
void strike_wrong_seeds(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    uint32_t seeds[2];
    seeds[0] = another_host(sim, random, host);
    seeds[1] = any_host(sim, random);

    sim_crash(sim, host);
    sim_set_seeds(sim, host, seeds, (uint32_t)draw(random, 0, 2));
    sim_after(sim, draw(random, 0, 1000), fault_start_again, host, KEEP_DISK);
    sim_after(sim, draw(random, 2000, 15000), fault_put_right, host, 0);
}

enum { VERSION_LATEST = 2 };

/* For sim_after: from which version, in the lower half, to which. */
static void start_with_versions(struct sim *sim, uint32_t host, uint32_t packed)
{
    sim_crash(sim, host);
    sim_set_versions(sim, host, (uint8_t)(packed & 0xff), (uint8_t)(packed >> 8));
    fault_start_again(sim, host, KEEP_DISK);
}

/* Another release is rolled out, one host after the other or several at once, and perhaps back:
 * those that know the old version alone, and those that do not any more, cannot be in one view
 * (J2d). */
void strike_other_versions(struct sim *sim, struct random *random)
{
    const uint32_t first = any_host(sim, random);
    const uint32_t count = draw_u32(random, 1, sim_host_count(sim));
    const uint64_t gap_ms = draw(random, 0, 1) == 0 ? draw(random, 0, 300)
                                                    : draw(random, 300, 4000);
    const uint32_t high = draw_u32(random, 1, VERSION_LATEST);
    const uint32_t low = draw_u32(random, 0, high);
    const uint64_t wrong_ms = draw(random, 1000, 30000);
    const bool in_steps = draw(random, 0, 1) == 0; /* First with a release that knows both. */

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t host = (first + i) % sim_host_count(sim);
        const uint64_t at_ms = gap_ms * i;
        if (in_steps) {
            sim_after(sim, at_ms, start_with_versions, host, high << 8);
        }
        sim_after(sim, in_steps ? at_ms + gap_ms * count : at_ms, start_with_versions, host,
                  low | high << 8);
        sim_after(sim, at_ms + gap_ms * count + wrong_ms, fault_put_right, host, 0);
    }
}

/* Under another's name: refused while that one lives, and takes its place when it does not. */
void strike_name_clash(struct sim *sim, struct random *random)
{
    uint32_t host = any_host(sim, random);
    uint32_t other = another_host(sim, random, host);

    sim_crash(sim, host);
    sim_rename(sim, host, sim_name(sim, other));
    sim_after(sim, draw(random, 0, 1000), fault_start_again, host, KEEP_DISK);
    sim_after(sim, draw(random, 2000, 15000), fault_put_right, host, 0);
}

/* Two nodes change places: each comes up under the address of the other. */
void strike_address_reuse(struct sim *sim, struct random *random)
{
    uint32_t a = any_host(sim, random);
    uint32_t b = another_host(sim, random, a);

    if (sim_is_voter(sim, a) != sim_is_voter(sim, b)) {
        return; /* Voters are where the seeds are, or nobody would find them. */
    }
    sim_crash(sim, a);
    sim_crash(sim, b);
    sim_swap(sim, a, b);
    sim_after(sim, draw(random, 0, 2000), fault_start_again, a, KEEP_DISK);
    sim_after(sim, draw(random, 0, 2000), fault_start_again, b, KEEP_DISK);
}
