/* Who may act, and until when, in true time. What a process says of that holds for whoever was told
 * so, even while the process is stopped or after it was killed: where at most one may act (strict),
 * two lives never may at one instant (S9), and the epochs under which they act never fall and are
 * never shared (S10). Under the other guards two do now and then: how long is counted. */
#include "oracle_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- How long two may act at once --- */

/* The latest moment until which anybody may act, and the one after it. */
static void find_latest(const struct oracle *oracle, uint64_t *latest_us, uint64_t *second_us)
{
    *latest_us = 0;
    *second_us = 0;
    for (uint32_t i = 0; i < oracle->acting_count; i++) {
        uint64_t until_us = oracle->acting[i].until_us;
        uint64_t lower_us = until_us < *latest_us ? until_us : *latest_us;
        *second_us = lower_us > *second_us ? lower_us : *second_us;
        *latest_us = until_us > *latest_us ? until_us : *latest_us;
    }
}

void oracle_count_acting(struct sim *sim)
{
    struct two_acted *two = &sim->oracle.two_acted;
    uint64_t latest_us;
    uint64_t second_us;

    find_latest(&sim->oracle, &latest_us, &second_us);
    uint64_t end_us = second_us < sim->now_us ? second_us : sim->now_us;
    if (end_us > two->counted_us) {
        two->us += end_us - two->counted_us;
        two->lately_us += end_us - two->counted_us;
        two->longest_us = two->lately_us > two->longest_us ? two->lately_us : two->longest_us;
    }
    if (second_us <= sim->now_us) {
        two->lately_us = 0;
    }
    two->counted_us = sim->now_us;
}

/* Counts, and sets until when one of them may act. Mostly it is the same one again, and nobody else
 * may: then there is nothing to count. */
static void set_until(struct sim *sim, uint32_t index, uint64_t until_us)
{
    struct two_acted *two = &sim->oracle.two_acted;
    uint64_t latest_us;

    if (index != two->last || two->others_us > two->counted_us) {
        oracle_count_acting(sim);
        sim->oracle.acting[index].until_us = 0;
        find_latest(&sim->oracle, &two->others_us, &latest_us);
        two->last = index;
    }
    two->counted_us = sim->now_us;
    sim->oracle.acting[index].until_us = until_us;
}

/* --- Where at most one may act --- */

/* A voter takes the word of a fellow member that the coordinator has handed over to it (Z2c). Where
 * that was a lie, the coordinator acts until the leases that it counts are over. */
void oracle_on_false_release(struct sim *sim, uint64_t ms)
{
    const uint64_t until_us = sim->now_us + ms * US_PER_MS;

    sim->oracle.released_us = until_us > sim->oracle.released_us ? until_us
                                                                 : sim->oracle.released_us;
}

/* Is that one within what S9 and S10 are said of: one history, or all, where whoever began another
 * one was right that nobody goes on with the former one (Z18)? */
static bool counts_beside(const struct oracle *oracle, uint64_t lineage, uint64_t other)
{
    return !oracle->apart || lineage == other;
}

/* S9: nobody else was told that it may act now. */
static void check_alone(struct sim *sim, const struct host *host, uint32_t own)
{
    char letter[LETTER_BYTES];

    for (uint32_t i = 0; i < sim->oracle.acting_count; i++) {
        const struct acting *other = &sim->oracle.acting[i];
        if (i == own || other->until_us <= sim->now_us ||
            !counts_beside(&sim->oracle, sim->oracle.acting[own].lineage, other->lineage)) {
            continue;
        }
        uint64_t left_us = other->until_us - sim->now_us;
        oracle_fail(sim, host,
                    "S9: acts, while %s%s may act under epoch %" PRIu64 " for %" PRIu64
                    ".%03" PRIu64 " ms more",
                    i == sim->oracle.acting_count - 1 ? "a former life of " : "",
                    host_letter(other->host, letter), other->epoch, left_us / 1000, left_us % 1000);
    }
}

/* S10: each life acts under epochs above those of all that acted before it; but for a history that
 * was begun by a clock behind that of one of which nothing was left (Z18b). */
static void check_epoch(struct sim *sim, const struct host *host, const struct acting *acting)
{
    struct oracle *oracle = &sim->oracle;
    struct history *own = oracle_history(oracle, acting->lineage);

    for (uint32_t i = 0; i < oracle->history_count; i++) {
        const struct acting *highest = &oracle->histories[i].highest_acting;
        const bool below = own != NULL && own->below && own != &oracle->histories[i];
        if (below || !counts_beside(oracle, acting->lineage, oracle->histories[i].lineage)) {
            continue;
        }
        if (acting->epoch < highest->epoch) {
            oracle_fail(sim, host, "S10: acts under epoch %" PRIu64 ", after epoch %" PRIu64,
                        acting->epoch, highest->epoch);
        } else if (acting->epoch == highest->epoch && !id_equal(&acting->life, &highest->life)) {
            oracle_fail(sim, host,
                        "S10: acts under epoch %" PRIu64 ", under which another has acted",
                        acting->epoch);
        }
    }
    if (own != NULL) { /* S17 tells of who acts in a history that nobody began. */
        own->highest_acting = *acting;
    }
}

static void check(struct sim *sim, const struct host *host, uint64_t epoch)
{
    uint32_t index = host_index(sim, host);
    struct acting *acting = &sim->oracle.acting[index];

    acting->life = host->witness.life;
    acting->lineage = host->witness.view.lineage;
    acting->host = index;
    acting->epoch = epoch;
    if (sim->now_us < sim->oracle.released_us) {
        return;
    }
    check_alone(sim, host, index);
    check_epoch(sim, host, acting);
}

void oracle_on_acting(struct sim *sim, struct host *host, uint64_t epoch, uint64_t until_ms)
{
    uint32_t index = host_index(sim, host);
    uint64_t before_us = sim->oracle.acting[index].until_us;

    if (sim->options.exclusive && !host_is_exclusive(sim, host)) {
        return; /* What it says is for another cluster than that of the voters. */
    }
    if (until_ms == 0) {
        /* Where one alone may act, somebody may still rely on what he was told. */
        if (before_us != 0 && !sim->options.exclusive) {
            set_until(sim, index, 0);
        }
        return;
    }
    uint64_t until_us = clock_reaches_us_max(&host->clock, sim->now_us, until_ms);
    if (!sim->options.exclusive) {
        set_until(sim, index, until_us);
        return;
    }
    set_until(sim, index, until_us > before_us ? until_us : before_us);
    if (until_us > sim->now_us) {
        check(sim, host, epoch);
    }
}

/* What it says changes all the time, and finding it out is not cheap: where two may act anyway, it
 * is asked now and then. */
void oracle_look_until(struct sim *sim, struct host *host, bool acting)
{
    uint64_t now_ms = host_now_ms(sim, host);
    uint64_t until_ms = acting ? core_acting_until_ms(host->core, now_ms) : 0;

    if (acting && until_ms <= now_ms) {
        oracle_fail(sim, host, "G2: acts, and says that it does so until %" PRIu64 " ms ago",
                    now_ms - until_ms);
    }
    oracle_on_acting(sim, host, core_view(host->core)->epoch, until_ms);
    if (acting && !sim->options.exclusive) {
        uint64_t soon_us = sim->now_us + sim->timing.heartbeat_ms * US_PER_MS / 4;
        uint64_t until_us = sim->oracle.acting[host_index(sim, host)].until_us;
        host->witness.known_us = until_us < soon_us ? until_us : soon_us;
    }
}

void oracle_on_handed_over(struct sim *sim, struct host *host)
{
    set_until(sim, host_index(sim, host), 0);
}

void oracle_on_life_over(struct sim *sim, struct host *host)
{
    struct oracle *oracle = &sim->oracle;
    struct acting over = oracle->acting[host_index(sim, host)];
    uint32_t former = oracle->acting_count - 1;

    if (over.until_us == 0) {
        return;
    }
    set_until(sim, host_index(sim, host), 0);
    if (sim->options.exclusive && over.until_us > oracle->acting[former].until_us) {
        set_until(sim, former, over.until_us);
        oracle->acting[former] = over;
    }
}
