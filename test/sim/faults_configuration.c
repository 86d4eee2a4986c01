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
