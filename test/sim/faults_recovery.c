/* Faults under guard strict in which more than half of the voters are lost for good, or so an
 * operator says (Z18). */
#include "faults_parts.h"

/* As the operator is told to choose; SIM_NOBODY: there is none. */
static uint32_t best_that_is_left(struct sim *sim, struct random *random)
{
    const uint32_t first = any_host(sim, random);
    uint32_t best = SIM_NOBODY;

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        const uint32_t host = (first + i) % sim_host_count(sim);
        if (sim_is_left(sim, host) && (best == SIM_NOBODY || sim_has_seen_more(sim, host, best))) {
            best = host;
        }
    }
    return best;
}

static void give_others_votes(struct sim *sim, uint32_t host, uint32_t wished)
{
    sim_change_voters(sim, host, wished, 0);
}

/* Now and then they go on with one voter. */
static void give_up_the_others(struct sim *sim, struct random *random, uint32_t host)
{
    const uint32_t all = (UINT32_C(1) << sim_host_count(sim)) - 1;
    const uint32_t after_ms = draw_u32(random, 0, 3000);
    const uint32_t wished = draw_u32(random, 1, all < 511 ? all : 511);

    sim_crash(sim, host);
    if (!sim_may_recover(sim, host)) {
        return;
    }
    if (after_ms % 2 == 0) { /* Drawn already, so that a seed means what it meant. */
        sim_set_date(sim, host, 0);
    }
    sim_recover(sim, host);
    sim_after(sim, after_ms, fault_start_again, host, KEEP_DISK);
    if (draw(random, 0, 3) != 0) {
        sim_after(sim, after_ms + draw(random, 3000, 12000), give_others_votes, host,
                  wished | UINT32_C(1) << host);
    }
}

static void lose_record(struct sim *sim, struct random *random, uint32_t host)
{
    sim_crash(sim, host);
    sim_lose_record(sim, host);
    sim_after(sim, draw(random, 0, 6000), fault_start_again, host, KEEP_DISK);
}

/* So many that no quorum is left, but not that one's. Those who had them come back without. */
static void lose_records(struct sim *sim, struct random *random, uint32_t first, uint32_t left)
{
    const uint32_t hosts = sim_host_count(sim);

    for (uint32_t i = 0; i < hosts && sim_have_quorum(sim); i++) {
        const uint32_t host = (first + i) % hosts;
        if (host != left && sim_is_left(sim, host) && !sim_keeps_from_founding(sim, host)) {
            lose_record(sim, random, host);
        }
    }
}

/* H98 */
void strike_recovery(struct sim *sim, struct random *random)
{
    const uint32_t first = any_host(sim, random);
    const uint32_t left = any_voter(sim, random);

    if (!sim_has_founded(sim) || !sim_is_left(sim, left)) {
        return;
    }
    lose_records(sim, random, first, left);
    const uint32_t best = best_that_is_left(sim, random);
    if (!sim_have_quorum(sim) && best != SIM_NOBODY) {
        give_up_the_others(sim, random, best);
    }
}

static void recover_who_was_away(struct sim *sim, uint32_t left, uint32_t seed)
{
    struct random random;

    random_seed(&random, seed);
    sim_rejoin_network(sim, left);
    if (!sim_is_left(sim, left)) {
        return;
    }
    lose_records(sim, &random, any_host(sim, &random), left);
    if (!sim_have_quorum(sim)) {
        give_up_the_others(sim, &random, left);
    }
}

static void stop_who_acts(struct sim *sim, uint32_t but, uint32_t unused)
{
    (void)unused;
    for (uint32_t host = 0; host < sim_host_count(sim); host++) {
        if (host != but && sim_is_acting(sim, host)) {
            fault_crash_and_return(sim, host, 100);
        }
    }
}

/* The only one that is left has not heard of the epochs of late (Z18b). */
void strike_recovery_of_who_was_away(struct sim *sim, struct random *random)
{
    const uint32_t left = any_voter(sim, random);
    const uint64_t reign_ms = 2 * sim_timing(sim).lost_ms;
    const uint64_t reigns = draw(random, 1, 3);
    const uint32_t seed = draw_u32(random, 0, UINT32_MAX);

    if (!sim_has_founded(sim) || !sim_is_left(sim, left)) {
        return;
    }
    sim_isolate(sim, left);
    for (uint64_t reign = 0; reign < reigns; reign++) {
        sim_after(sim, reign * reign_ms, stop_who_acts, left, 0);
    }
    sim_after(sim, (reigns + 1) * reign_ms, recover_who_was_away, left, seed);
}

/* The operator errs: the others live, or one of them is recovered as well. */
void strike_hasty_recovery(struct sim *sim, struct random *random)
{
    const uint32_t host = any_voter(sim, random);
    const bool twice = draw(random, 0, 2) == 0;

    if (!sim_has_founded(sim) || !sim_is_left(sim, host)) {
        return;
    }
    give_up_the_others(sim, random, host);
    const uint32_t other = any_voter(sim, random);
    if (twice && sim_is_left(sim, other)) {
        give_up_the_others(sim, random, other);
    }
}

/* --- Two clocks --- */

enum { CLOCK_LOOK_MS = 200, CLOCK_LOOKS_MAX = 100, ONCE_MORE_LOOKS = 60 };

/* For sim_after: the voter that comes second, how often to look yet, and in which way. */
struct recoveries {
    uint32_t second;
    uint32_t looks;
    bool alone;  /* nobody else is in the first one's history yet */
    bool off;    /* the first one is not lost, but only off for a while */
    bool voters; /* the second one gets others */
};

static uint32_t pack(const struct recoveries *recoveries)
{
    return recoveries->second | recoveries->looks << 8 | (uint32_t)recoveries->alone << 16 |
           (uint32_t)recoveries->off << 17 | (uint32_t)recoveries->voters << 18;
}

static struct recoveries unpack(uint32_t packed)
{
    return (struct recoveries){.second = packed & 0xff,
                               .looks = packed >> 8 & 0xff,
                               .alone = (packed >> 16 & 1) != 0,
                               .off = (packed >> 17 & 1) != 0,
                               .voters = (packed >> 18 & 1) != 0};
}

static void recover_and_start(struct sim *sim, uint32_t host)
{
    sim_crash(sim, host);
    if (sim_may_recover(sim, host)) {
        sim_recover(sim, host);
    }
    fault_start_again(sim, host, KEEP_DISK);
}

/* Whoever is recovered waits where members of a later history are; these retire its record. */
static void recover_once_more(struct sim *sim, uint32_t host, uint32_t packed)
{
    struct recoveries recoveries = unpack(packed);

    if (sim_is_acting(sim, host)) {
        const uint32_t all = (UINT32_C(1) << sim_host_count(sim)) - 1;
        sim_change_voters(sim, host, recoveries.voters ? all & 511 : UINT32_C(1) << host, 0);
    } else if (recoveries.looks > 0) {
        recoveries.looks--;
        sim_after(sim, CLOCK_LOOK_MS, recover_once_more, host, pack(&recoveries));
    } else if (sim_acting_count(sim) == 0) {
        recover_and_start(sim, host);
    }
}

static void lose_the_first(struct sim *sim, uint32_t first, uint32_t packed)
{
    struct recoveries recoveries = unpack(packed);
    const bool acts = sim_is_acting(sim, first) &&
                      (recoveries.alone || core_view(sim_core(sim, first))->member_count > 1);

    if (!acts && recoveries.looks > 0) {
        recoveries.looks--;
        sim_after(sim, CLOCK_LOOK_MS, lose_the_first, first, pack(&recoveries));
        return;
    }
    if (!acts || sim_keeps_from_founding(sim, first)) {
        fault_start_again(sim, recoveries.second, KEEP_DISK);
        return;
    }
    sim_crash(sim, first);
    if (!recoveries.off) {
        sim_lose_record(sim, first);
    }
    sim_after(sim, recoveries.off ? 12000 : 3000, fault_start_again, first, KEEP_DISK);
    if (recoveries.off || !sim_have_quorum(sim)) {
        recoveries.looks = ONCE_MORE_LOOKS;
        recover_and_start(sim, recoveries.second);
        recover_once_more(sim, recoveries.second, pack(&recoveries));
    } else {
        fault_start_again(sim, recoveries.second, KEEP_DISK);
    }
}

/* 1970, and minutes, years and more than a century later: nobody can tell which is right. The last
 * is more than a lineage can say. */
static uint64_t any_date_s(struct random *random)
{
    static const uint64_t dates_s[] = {0,
                                       DATE_S,
                                       DATE_S + 200,
                                       DATE_S + (UINT64_C(1) << 28),
                                       UINT32_MAX - (1 << 20),
                                       UINT64_C(1) << 33};

    return dates_s[random_below(random, sizeof dates_s / sizeof dates_s[0])];
}

/* H98: one is recovered and lost again, and then another one, which was off meanwhile, by a clock
 * that shows an earlier time, or any. */
void strike_recoveries_by_two_clocks(struct sim *sim, struct random *random)
{
    const uint32_t first = any_voter(sim, random);
    const uint32_t second = any_voter(sim, random);
    const uint64_t date_s = any_date_s(random);
    const uint64_t other_date_s = any_date_s(random);
    const uint64_t way = draw(random, 0, 15);
    const struct recoveries recoveries = {.second = second,
                                          .looks = CLOCK_LOOKS_MAX,
                                          .alone = way % 8 == 0,
                                          .off = way % 8 == 1,
                                          .voters = way < 8};

    if (!sim_has_founded(sim) || first == second || !sim_is_left(sim, first) ||
        !sim_is_left(sim, second)) {
        return;
    }
    sim_crash(sim, second);
    for (uint32_t host = 0; host < sim_host_count(sim); host++) {
        if (host != first && host != second && sim_is_left(sim, host) &&
            !sim_keeps_from_founding(sim, host)) {
            lose_record(sim, random, host);
        }
    }
    sim_set_date(sim, first, date_s);
    sim_set_date(sim, second, other_date_s);
    recover_and_start(sim, first);
    lose_the_first(sim, first, pack(&recoveries));
}
