/* Copies of proposals: whoever holds the key shows, to anybody and at any time, what voters have
 * accepted, as members show it to joiners (U4d). That is nothing but the truth; but it may be shown
 * to one that the maker does not ask, or when it was given up (H99). */
#include "faults_parts.h"

enum { COPIES_MOST = 1000 };

/* Mostly one that joins: members drop what is handed on and is known. */
static uint32_t who_is_shown(struct sim *sim, struct random *random)
{
    const bool any = draw(random, 0, 3) == 0;
    uint32_t host = any_host(sim, random);

    for (uint32_t i = 0; i < sim_host_count(sim) && !any; i++) {
        if (sim_is_running(sim, host) && sim_phase(sim, host) == PHASE_JOINING) {
            return host;
        }
        host = (host + 1) % sim_host_count(sim);
    }
    return host;
}

static void show(struct sim *sim, uint32_t left, uint32_t seed)
{
    struct random random;

    random_seed(&random, seed);
    const uint32_t by = any_host(sim, &random);
    const uint32_t to = who_is_shown(sim, &random);
    const uint64_t gap_ms = draw(&random, 1, 20);
    const uint32_t next = draw_u32(&random, 0, UINT32_MAX);
    liar_hands_on(sim, &random, by, to);
    if (left > 0) {
        sim_after(sim, gap_ms, show, left - 1, next);
    }
}

void strike_copies_of_proposals(struct sim *sim, struct random *random)
{
    const uint32_t copies = draw_u32(random, 1, COPIES_MOST);

    show(sim, copies, draw_u32(random, 0, UINT32_MAX));
}

/* As in a blow in such a change, where nobody need acknowledge so often that he shows it. */
void strike_copies_in_a_change_of_voters(struct sim *sim, struct random *random)
{
    show(sim, COPIES_MOST, draw_u32(random, 0, UINT32_MAX));
    strike_blow_in_a_change_of_voters(sim, random);
}
