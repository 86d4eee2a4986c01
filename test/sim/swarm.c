/* doyen_swarm: runs clusters through random faults, one run per seed, thousands of seeds in the
 * time of a coffee. Each run ends by healing, then demands agreement (Y1 to Y4) and quiet (Y5),
 * where a node stays broken of all others (Y6); the oracle holds safety after every step. A
 * failure prints its seed, the smallest plan found that still fails, and the line that replays
 * it. */
#include "swarm.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"

/* --- Workers --- */

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Takes seeds until none is left, the time is up, or one has failed. */
static void work(const struct swarm_options *options, struct shared *shared, struct worker *worker,
                 double end_s)
{
    struct plan *plan = malloc(sizeof *plan);

    worker->outcome.failure[0] = '\0';
    memcpy(worker->reached_before, worker->reached, sizeof worker->reached);
    while (plan != NULL && now_s() < end_s && worker->outcome.failure[0] == '\0') {
        worker->seed = atomic_fetch_add(&shared->next_seed, 1);
        if (worker->seed > options->to) {
            break;
        }
        const struct plan_options own = plan_mix(&options->plan, worker->seed);
        plan_draw(plan, &own, worker->seed);
        plan->spares_hash = options->limit_s != 0; /* How many runs there are, the clock decides. */
        plan_run(plan, &worker->outcome, NULL);
        worker->runs++;
        if (!plan->spares_hash) {
            worker->traces += hash_finish(hash_u64(worker->outcome.trace_hash, worker->seed));
        }
        for (uint32_t i = 0; i < marks_count(); i++) {
            worker->reached[i] = worker->reached_before[i] + marks_reached(i);
        }
        uint64_t place = worker->outcome.heal_ms / HEAL_STEP_MS;
        worker->healed[place < HEAL_PLACES ? place : HEAL_PLACES - 1]++;
    }
    free(plan);
}

static void start_worker(const struct swarm_options *options, struct shared *shared,
                         struct worker *worker, double end_s)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid < 0) {
        perror("doyen_swarm: fork");
        exit(EXIT_FAILURE);
    }
    if (pid == 0) {
        work(options, shared, worker, end_s);
        fflush(stdout);
        _exit(EXIT_SUCCESS);
    }
    worker->pid = pid;
}

/* Returns how many runs failed. A worker whose run failed, or whose core asserted, is replaced. */
static uint64_t run_workers(const struct swarm_options *options, struct shared *shared)
{
    double end_s = options->limit_s == 0 ? 1e18 : now_s() + (double)options->limit_s;
    uint64_t failed = 0;
    uint32_t running = 0;

    shared->next_seed = options->from;
    for (; running < options->jobs; running++) {
        start_worker(options, shared, &shared->workers[running], end_s);
    }
    while (running > 0) {
        int status;
        pid_t pid = wait(&status);
        uint32_t i = 0;
        while (i < options->jobs && shared->workers[i].pid != pid) {
            i++;
        }
        if (i == options->jobs) {
            continue;
        }
        struct worker *worker = &shared->workers[i];
        bool died = !WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS;
        if (!died && worker->outcome.failure[0] == '\0') {
            running--;
            continue;
        }
        failed++;
        swarm_report(options, worker->seed,
                     died ? "the process died, see above" : worker->outcome.failure);
        if (options->stop) {
            shared->next_seed = options->to + 1;
        }
        start_worker(options, shared, worker, end_s);
    }
    return failed;
}

/* What children of this process have used so far: the workers, and whatever ran in it before. */
static double children_cpu_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static int run_all(const struct swarm_options *options)
{
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct worker *sum = malloc(sizeof *sum);
    if (shared == MAP_FAILED || sum == NULL) {
        perror("doyen_swarm: memory");
        return EXIT_FAILURE;
    }
    double start_s = now_s();
    double start_cpu_s = children_cpu_s();
    uint64_t failed = run_workers(options, shared);
    double seconds = now_s() - start_s;
    double cpu_s = children_cpu_s() - start_cpu_s;

    swarm_add_up(shared, options->jobs, sum);
    swarm_print_sum(sum, failed, seconds, cpu_s);
    free(sum);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* --- One run --- */

static int replay(const struct swarm_options *options)
{
    struct plan *plan = malloc(sizeof *plan);
    struct outcome outcome = {0};

    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* An assertion must not swallow what led to it. */
    if (plan == NULL) {
        return EXIT_FAILURE;
    }
    const struct plan_options own = plan_mix(&options->plan, options->from);
    plan_draw(plan, &own, options->from);
    if (options->keep != NULL && !swarm_keep(plan, options->keep)) {
        fprintf(stderr, "doyen_swarm: the plan has no strikes '%s': it has 0 to %u\n",
                options->keep, plan->strike_count);
        return 64;
    }
    plan->hosts = options->hosts != 0 ? options->hosts : plan->hosts;
    plan->end_ms = options->end_ms != 0 ? options->end_ms : plan->end_ms;
    plan_run(plan, &outcome, options->trace ? stdout : NULL);
    printf("seed %" PRIu64 ", trace %016" PRIx64 ": %s\n", options->from, outcome.trace_hash,
           outcome.failure[0] == '\0' ? "all well" : outcome.failure);
    free(plan);
    return outcome.failure[0] == '\0' ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    struct swarm_options options = {.plan = {.seconds = 60}, .jobs = 1};

    /* Runs take and give back the same blocks all the time: keep them. */
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        return swarm_usage(stdout);
    }
    if (argc == 2 && strcmp(argv[1], "--faults") == 0) {
        return swarm_list_faults();
    }
    if (!swarm_parse(&options, argc, argv)) {
        return 64;
    }
    return options.replay ? replay(&options) : run_all(&options);
}
