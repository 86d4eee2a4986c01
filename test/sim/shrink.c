#include "shrink.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS_MAX = 400 };

struct shrinking {
    struct plan *plan;
    char rule[8];
    uint32_t runs;
    struct outcome *outcome; /* shared with the process that runs the plan */
};

/* Whether the plan as it is now breaks the same rule. */
static bool still_fails(struct shrinking *shrinking)
{
    if (++shrinking->runs > RUNS_MAX) {
        return false;
    }
    memset(shrinking->outcome, 0, sizeof *shrinking->outcome);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDERR_FILENO); /* The assertion was told once. */
        plan_run(shrinking->plan, shrinking->outcome, NULL);
        _exit(EXIT_SUCCESS);
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        return false;
    }
    char rule[8] = "crash";
    if (WIFEXITED(status)) {
        outcome_rule(shrinking->outcome->failure, rule);
    }
    return strcmp(rule, shrinking->rule) == 0;
}

/* Leaves out `count` strikes from `from` on, if that does no harm. Returns whether it did. */
static bool leave_out(struct shrinking *shrinking, uint32_t from, uint32_t count)
{
    struct strike *strikes = shrinking->plan->strikes;
    bool was_off[STRIKES_MAX];
    bool all_off = true;

    for (uint32_t i = 0; i < count; i++) {
        was_off[i] = strikes[from + i].off;
        all_off = all_off && was_off[i];
        strikes[from + i].off = true;
    }
    if (all_off || still_fails(shrinking)) {
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        strikes[from + i].off = was_off[i];
    }
    return false;
}

static void shrink_strikes(struct shrinking *shrinking)
{
    uint32_t count = shrinking->plan->strike_count;

    for (uint32_t size = count / 2; size > 0; size /= 2) {
        for (uint32_t end = count; end > 0;) {
            uint32_t from = end > size ? end - size : 0;
            leave_out(shrinking, from, end - from);
            end = from;
        }
    }
}

static void shrink_hosts(struct shrinking *shrinking)
{
    const struct guard *guard = &shrinking->plan->guard;
    uint32_t least = guard->policy == GUARD_STRICT ? guard->count : 2;

    while (shrinking->plan->hosts > least) {
        shrinking->plan->hosts--;
        if (!still_fails(shrinking)) {
            shrinking->plan->hosts++;
            return;
        }
    }
}

static void shrink_time(struct shrinking *shrinking)
{
    struct plan *plan = shrinking->plan;
    uint64_t end_ms = plan->end_ms;

    for (uint64_t after_ms = 100; after_ms < end_ms; after_ms *= 4) {
        plan->end_ms = after_ms;
        for (uint32_t i = 0; i < plan->strike_count; i++) {
            if (!plan->strikes[i].off && plan->strikes[i].at_ms + after_ms > plan->end_ms) {
                plan->end_ms = plan->strikes[i].at_ms + after_ms;
            }
        }
        if (plan->end_ms < end_ms && still_fails(shrinking)) {
            return;
        }
    }
    plan->end_ms = end_ms;
}

void shrink(struct plan *plan, const char *failure)
{
    struct shrinking shrinking = {.plan = plan};

    shrinking.outcome = mmap(NULL, sizeof *shrinking.outcome, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shrinking.outcome == MAP_FAILED) {
        return;
    }
    outcome_rule(failure, shrinking.rule);
    shrink_strikes(&shrinking);
    shrink_hosts(&shrinking);
    shrink_strikes(&shrinking);
    shrink_time(&shrinking);
    munmap(shrinking.outcome, sizeof *shrinking.outcome);
}

void shrink_print(const struct plan *plan, const struct plan_options *options)
{
    static const char *const breakages[] = {"", "deaf", "mute", "flapping", "slow"};
    uint32_t count;
    const struct fault *table = fault_table(&count);
    bool all = true;
    bool first = true;

    for (uint32_t i = 0; i < plan->strike_count; i++) {
        all = all && !plan->strikes[i].off;
    }
    if (options->liar) {
        printf(" --liar");
    }
    if (options->only != NULL) {
        printf(" --only '%s'", options->only);
    }
    if (plan->heal_parts != 0) {
        printf(" --heal %u", plan->heal_parts);
    }
    if (plan->profile != PROFILE_LAN) {
        printf(" --profile %s", plan->profile == PROFILE_LOCAL ? "local" : "wan");
    }
    if (plan->end_ms != options->seconds * 1000 && plan->heal_parts == 0) {
        printf(" --end %" PRIu64, plan->end_ms);
    }
    if (!all) {
        printf(" --keep ");
        for (uint32_t i = 0; i < plan->strike_count; i++) {
            if (!plan->strikes[i].off) {
                printf("%s%u", first ? "" : ",", i);
                first = false;
            }
        }
        printf("%s", first ? "-" : "");
    }
    printf("\n  with %u hosts, %u seeds, guard %d of %u, %u expected", plan->hosts, plan->seeds,
           (int)plan->guard.policy, plan->guard.count, plan->expect);
    for (uint32_t i = 0, told = 0; i < plan->strike_count && told < 20; i++) {
        if (!plan->strikes[i].off) {
            printf("; %" PRIu64 " ms %s", plan->strikes[i].at_ms,
                   table[plan->strikes[i].fault].name);
            told++;
        }
    }
    if (plan->breakage != BREAK_NOTHING) {
        printf("; one stays %s", breakages[plan->breakage]);
    }
}
