/* Faults of liars: one lies for a while, to one host, some or all, in one of the ways of liar.h. As
 * a stranger; or as a member that is broken, about itself alone or in the names of all. Or a forger
 * sends one frame, or a few, in the name of whoever matters most. */
#include "faults_parts.h"
#include "liar.h"

/* Nobody is forged who votes under guard strict, or may do so yet, or did so once, whom one that
 * has missed a change still asks: with a vote, a lie may well break S9. Returns false if all vote.
 */
static bool draw_liar(struct sim *sim, struct random *random, uint32_t *liar)
{
    uint32_t host = any_host(sim, random);
    bool of_all = draw(random, 0, 1) == 0;

    if (sim_voter_count(sim) == 0) {
        *liar = of_all ? SIM_ANY : host;
        return true;
    }
    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        *liar = (host + i) % sim_host_count(sim);
        if (!sim_may_have_a_vote(sim, *liar)) {
            return true;
        }
    }
    return false;
}

static uint64_t draw_hosts(struct sim *sim, struct random *random)
{
    uint64_t one = UINT64_C(1) << any_host(sim, random) % 64;
    uint64_t some = random_u64(random);

    switch (draw(random, 0, 2)) {
    case 0:
        return one;
    case 1:
        return one | some;
    default:
        return UINT64_MAX;
    }
}

/* What nobody would send often, save to flood. */
static bool floods(enum lie_kind kind)
{
    return kind == LIE_PULLS || kind == LIE_PROBES || kind == LIE_JOINS || kind == LIE_PINGS;
}

static void lie(struct sim *sim, struct random *random, enum lie_kind kind, bool stranger)
{
    static const uint64_t gaps_ms[] = {2, 10, 50, 200, 1000};
    struct lies lies = {.lie = {.kind = kind, .stranger = stranger}, .each_time = 1};

    lies.gap_ms = gaps_ms[draw(random, floods(kind) ? 0 : 1, 4)];
    lies.ms = draw(random, 0, lies.gap_ms < 50 ? 2000 : 10000);
    lies.to = draw_hosts(sim, random);
    lies.seed = random_u64(random);
    if (!draw_liar(sim, random, &lies.lie.host)) {
        lies.lie.stranger = true;
    }
    lies.spares_voters = sim_voter_count(sim) != 0;
    liar_goes_on(sim, &lies);
}

/* Mostly a single frame. */
static void forge(struct sim *sim, struct random *random, enum lie_kind kind)
{
    struct lies lies = {.lie = {.kind = kind}, .each_time = 1, .gap_ms = 50};

    lies.lie.name = (enum forged_name)draw(random, FORGED_NONE + 1, FORGED_NAMES - 1);
    lies.to = UINT64_C(1) << random_below(random, sim_host_count(sim) + sim_witness_count(sim)) %
                                 64;
    lies.ms = draw(random, 0, 3) == 0 ? draw(random, 0, 500) : 0;
    lies.seed = random_u64(random);
    liar_goes_on(sim, &lies);
}

#define LIE_STRIKES(NAME, function, text)                                                          \
    void strike_stranger_##function(struct sim *sim, struct random *random)                        \
    {                                                                                              \
        lie(sim, random, LIE_##NAME, true);                                                        \
    }                                                                                              \
    void strike_liar_##function(struct sim *sim, struct random *random)                            \
    {                                                                                              \
        lie(sim, random, LIE_##NAME, false);                                                       \
    }                                                                                              \
    void strike_forger_##function(struct sim *sim, struct random *random)                          \
    {                                                                                              \
        forge(sim, random, LIE_##NAME);                                                            \
    }
LIES(LIE_STRIKES)
#undef LIE_STRIKES

/* Beside all that is asked of a cluster that has healed: no node may need the stranger to stop. */
void fault_haunt(struct sim *sim, struct random *random, uint32_t kind)
{
    struct lies lies = {.lie = {.stranger = true}, .each_time = 1, .ms = UINT64_MAX};

    lies.lie.kind = (enum lie_kind)kind;
    lies.gap_ms = draw(random, 0, 1) == 0 ? 5 : 100;
    lies.to = UINT64_MAX;
    lies.seed = random_u64(random);
    liar_goes_on(sim, &lies);
}
