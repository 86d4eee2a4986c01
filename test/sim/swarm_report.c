/* What the swarm prints: of one run that failed, and of all together. */
#include "swarm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shrink.h"

void swarm_report(const struct swarm_options *options, uint64_t seed, const char *failure)
{
    struct plan *plan = malloc(sizeof *plan);
    if (plan == NULL) {
        return;
    }
    const struct plan_options own = plan_mix(&options->plan, seed);
    plan_draw(plan, &own, seed);
    printf("seed %" PRIu64 " failed: %s\n", seed, failure);
    uint32_t drawn_hosts = plan->hosts;
    if (!options->no_shrink && own.heal_parts == 0) {
        shrink(plan, failure);
    }
    printf("  replay: doyen_swarm --replay %" PRIu64 " --nodes ", seed);
    if (own.nodes_least != 0) {
        printf("%u..", own.nodes_least);
    }
    printf("%u --seconds %" PRIu64, own.nodes, own.seconds);
    if (own.roles) {
        printf(" --roles");
    }
    if (own.terms) {
        printf(" --terms");
    }
    if (own.watchers != 0 && own.watchers != WATCHERS_DEFAULT) {
        printf(" --watchers %u", own.watchers);
    }
    if (own.fanout != 0 && own.fanout != FANOUT_DEFAULT) {
        printf(" --fanout %u", own.fanout);
    }
    if (own.guard != 0) {
        printf(" --guard %s", swarm_guard_name(own.guard));
    }
    if (plan->hosts != drawn_hosts) {
        printf(" --hosts %u", plan->hosts);
    }
    shrink_print(plan, &own);
    printf("\n");
    free(plan);
    fflush(stdout);
}

static void add_two_acted(const struct outcome *outcome, struct outcome *sum)
{
    for (uint32_t i = 0; i < TWO_ACTED_PLACES; i++) {
        const struct two_acted_sum *one = &outcome->two_acted[i];
        struct two_acted_sum *all = &sum->two_acted[i];
        all->virtual_ms += one->virtual_ms;
        all->ms += one->ms;
        all->longest_ms = one->longest_ms > all->longest_ms ? one->longest_ms : all->longest_ms;
    }
}

void swarm_add_up(const struct shared *shared, uint32_t jobs, struct worker *sum)
{
    memset(sum, 0, sizeof *sum);
    for (uint32_t i = 0; i < jobs; i++) {
        const struct worker *worker = &shared->workers[i];
        sum->runs += worker->runs;
        sum->traces += worker->traces;
        sum->outcome.steps += worker->outcome.steps;
        sum->outcome.virtual_ms += worker->outcome.virtual_ms;
        sum->outcome.merges += worker->outcome.merges;
        sum->outcome.forged += worker->outcome.forged;
        add_two_acted(&worker->outcome, &sum->outcome);
        for (uint32_t k = 0; k < FAULTS_MAX; k++) {
            sum->outcome.struck[k] += worker->outcome.struck[k];
        }
        for (uint32_t k = 0; k < MARKS_MAX; k++) {
            sum->reached[k] += worker->reached[k];
        }
        for (uint32_t k = 0; k < HEAL_PLACES; k++) {
            sum->healed[k] += worker->healed[k];
        }
    }
}

/* The time within which that share of the runs healed. */
static uint64_t percentile_ms(const struct worker *sum, double share)
{
    uint64_t wanted = (uint64_t)((double)sum->runs * share);
    uint64_t count = 0;

    for (uint32_t i = 0; i < HEAL_PLACES; i++) {
        count += sum->healed[i];
        if (count > wanted || count == sum->runs) {
            return (uint64_t)(i + 1) * HEAL_STEP_MS;
        }
    }
    return (uint64_t)HEAL_PLACES * HEAL_STEP_MS;
}

static void print_marks(const struct worker *sum)
{
    uint32_t missed = 0;

    printf("reached:");
    for (uint32_t i = 0; i < marks_count(); i++) {
        if (sum->reached[i] > 0) {
            printf(" %s %" PRIu64 ",", marks_name(i), sum->reached[i]);
        } else {
            missed++;
        }
    }
    printf("\nnever reached:");
    for (uint32_t i = 0; i < marks_count(); i++) {
        if (sum->reached[i] == 0) {
            printf(" %s", marks_name(i));
        }
    }
    puts(missed == 0 ? " none" : "");
}

/* Nothing that the guards promise is broken by it: it says what they are worth (G3). */
static void print_two_acted(const struct outcome *outcome)
{
    const char *separator = "";

    printf("two acted at once:");
    for (uint32_t i = 0; i < TWO_ACTED_PLACES; i++) {
        const struct two_acted_sum *two = &outcome->two_acted[i];
        if (two->virtual_ms > 0) {
            printf("%s under guard %s%s %.3f %% of the time, for %" PRIu64 " ms at the longest",
                   separator,
                   swarm_guard_name(i == TWO_ACTED_EXCUSED ? GUARD_STRICT : (enum guard_policy)i),
                   i == TWO_ACTED_EXCUSED ? ", where voters were given up that lived, or a liar "
                                            "spoke in a member's name,"
                                          : "",
                   100 * (double)two->ms / (double)two->virtual_ms, two->longest_ms);
            separator = ";";
        }
    }
    printf("\n");
}

void swarm_print_sum(const struct worker *sum, uint64_t failed, double seconds, double cpu_s)
{
    uint32_t count;
    const struct fault *table = fault_table(&count);
    double hours = (double)sum->outcome.virtual_ms / 3.6e6;

    printf("faults:");
    for (uint32_t i = 0; i < count; i++) {
        if (sum->outcome.struck[i] > 0) {
            printf("%s %s %" PRIu64, i == 0 ? "" : ",", table[i].name, sum->outcome.struck[i]);
        }
    }
    printf("\n");
    print_marks(sum);
    print_two_acted(&sum->outcome);
    if (sum->outcome.forged > 0) {
        printf("%" PRIu64 " forged frames, each told to a cluster at rest\n", sum->outcome.forged);
    }
    printf("healed within %" PRIu64 " ms (half of the runs), %" PRIu64 " (90 %%), %" PRIu64
           " (99 %%), %" PRIu64 " (all)\n",
           percentile_ms(sum, 0.5), percentile_ms(sum, 0.9), percentile_ms(sum, 0.99),
           percentile_ms(sum, 1));
    printf("%" PRIu64 " runs, %" PRIu64 " failed; %" PRIu64 " merges seen, %" PRIu64
           " steps; %.1f s, %.0f seeds/s, %.0f simulated cluster-hours per core-hour\n",
           sum->runs, failed, sum->outcome.merges, sum->outcome.steps, seconds,
           (double)sum->runs / seconds, hours / (cpu_s / 3600));
    /* The same seeds have the same number for as long as no change makes a cluster do anything
     * else: this is how a change that only moves code shows that it did. */
    if (sum->traces != 0) {
        printf("traces of all runs: %016" PRIx64 "\n", sum->traces);
    }
}
