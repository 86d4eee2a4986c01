/* doyen_swarm: runs clusters through random faults, one run per seed, thousands of seeds in the
 * time of a coffee. Each run ends by healing, then demands agreement (Y1 to Y4) and quiet (Y5),
 * where a node stays broken of all others (Y6); the oracle holds safety after every step. A
 * failure prints its seed, the smallest plan found that still fails, and the line that replays
 * it. */
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "marks.h"
#include "plan.h"
#include "shrink.h"

enum {
    NODES_MAX = 256,
    JOBS_MAX = 256,
    HEAL_STEP_MS = 10, /* a place in the table of healing times */
    HEAL_PLACES = 20000,
    PLANTED_S_MAX = 120, /* a bug that is not found by then is not found */
};

struct swarm_options {
    struct plan_options plan;
    uint64_t from;
    uint64_t to;
    uint64_t limit_s; /* 0: until the last seed */
    uint32_t jobs;
    uint32_t hosts;   /* 0: as drawn */
    uint64_t end_ms;  /* 0: as drawn */
    const char *keep; /* strikes that are not left out; NULL: all */
    bool replay;
    bool trace;
    bool no_shrink;
    bool planted;      /* look for every planted bug */
    uint64_t at_least; /* so many of them must be found; 0: all */
};

/* What one worker reports, in memory that it shares with its parent. */
struct worker {
    pid_t pid;
    uint64_t seed; /* under way */
    uint64_t runs;
    struct outcome outcome;
    uint64_t reached[MARKS_MAX];
    uint64_t reached_before[MARKS_MAX]; /* by workers that this one replaced */
    uint32_t heal_ms[HEAL_PLACES];
};

struct shared {
    _Atomic uint64_t next_seed;
    struct worker workers[JOBS_MAX];
};

static int usage(FILE *out)
{
    fputs("usage: doyen_swarm --seeds FROM..TO [--for SECONDS] [--jobs N] [OPTION...]\n"
          "       doyen_swarm --planted --seeds FROM..TO [--jobs N] [OPTION...]\n"
          "       doyen_swarm --replay SEED [--keep N,N...] [--hosts N] [--trace] [OPTION...]\n"
          "  --seeds FROM..TO  one run for each seed, both ends included\n"
          "  --for SECONDS     start no more runs after that time\n"
          "  --jobs N          so many processes (default 1)\n"
          "  --nodes N         hosts in a cluster at the most, 2 to 256 (default 5)\n"
          "  --seconds S       virtual seconds of faults in each run (default 60)\n"
          "  --profile NAME    local, lan or wan (default lan)\n"
          "  --only FAULT      no other fault than this one\n"
          "  --heal PARTS      no faults but one partition of 30 s into so many parts; tells how\n"
          "                    fast it healed\n"
          "  --no-shrink       report a failure as it is\n"
          "  --faults          lists the faults\n"
          "  --plant NAME      with that bug in the core\n"
          "  --planted         with each planted bug in turn: tells at which of the seeds it was\n"
          "                    found; one that was not is a failure\n"
          "  --at-least N      no failure if so many are found\n"
          "  --replay SEED     that run alone, in this process\n"
          "  --keep N,N...     only these strikes of it, counted from 0; - for none\n"
          "  --hosts N         with so many hosts instead\n"
          "  --end MS          heals everything then instead\n"
          "  --trace           prints every event and effect of it\n",
          out);
    return out == stdout ? EXIT_SUCCESS : 64;
}

static int list_faults(void)
{
    uint32_t count;
    const struct fault *table = fault_table(&count);
    for (uint32_t i = 0; i < count; i++) {
        puts(table[i].name);
    }
    return EXIT_SUCCESS;
}

static bool parse_number(const char *text, const char **end, uint64_t *number)
{
    char *stop;
    if (text == NULL || *text < '0' || *text > '9') {
        return false;
    }
    *number = strtoull(text, &stop, 10);
    *end = stop;
    return true;
}

static bool parse_whole(const char *text, uint64_t *number, uint64_t low, uint64_t high)
{
    const char *end;
    return parse_number(text, &end, number) && *end == '\0' && *number >= low && *number <= high;
}

static bool parse_range(const char *text, uint64_t *from, uint64_t *to)
{
    const char *end;
    return parse_number(text, &end, from) && strncmp(end, "..", 2) == 0 &&
           parse_whole(end + 2, to, *from, UINT64_MAX);
}

static bool parse_profile(const char *text, enum profile *profile)
{
    static const char *const names[] = {
        [PROFILE_LOCAL] = "local", [PROFILE_LAN] = "lan", [PROFILE_WAN] = "wan"};

    for (enum profile i = PROFILE_LOCAL; text != NULL && i <= PROFILE_WAN; i++) {
        if (strcmp(text, names[i]) == 0) {
            *profile = i;
            return true;
        }
    }
    return false;
}

static bool parse_fault(const char *text, const char **only)
{
    uint32_t count;
    const struct fault *table = fault_table(&count);

    for (uint32_t i = 0; text != NULL && i < count; i++) {
        if (strcmp(text, table[i].name) == 0) {
            *only = text;
            return true;
        }
    }
    return false;
}

static bool parse_plant(const char *text)
{
    for (enum plant i = PLANT_NONE + 1; text != NULL && i < PLANT_COUNT; i++) {
        if (strcmp(text, plant_name(i)) == 0) {
            planted = i;
            return true;
        }
    }
    return false;
}

static bool parse_flag(struct swarm_options *options, const char *option)
{
    bool trace = strcmp(option, "--trace") == 0;
    bool no_shrink = strcmp(option, "--no-shrink") == 0;

    bool planted_ones = strcmp(option, "--planted") == 0;

    options->trace |= trace;
    options->no_shrink |= no_shrink;
    options->planted |= planted_ones;
    return trace || no_shrink || planted_ones;
}

static bool parse_valued(struct swarm_options *options, const char *option, const char *value)
{
    uint64_t number = 0;
    bool ok = false;

    if (strcmp(option, "--seeds") == 0) {
        return parse_range(value, &options->from, &options->to);
    } else if (strcmp(option, "--replay") == 0) {
        ok = parse_whole(value, &options->from, 0, UINT64_MAX);
        options->to = options->from;
        options->replay = true;
    } else if (strcmp(option, "--nodes") == 0) {
        ok = parse_whole(value, &number, 2, NODES_MAX);
        options->plan.nodes = (uint32_t)number;
    } else if (strcmp(option, "--hosts") == 0) {
        ok = parse_whole(value, &number, 2, NODES_MAX);
        options->hosts = (uint32_t)number;
    } else if (strcmp(option, "--jobs") == 0) {
        ok = parse_whole(value, &number, 1, JOBS_MAX);
        options->jobs = (uint32_t)number;
    } else if (strcmp(option, "--heal") == 0) {
        ok = parse_whole(value, &number, 2, NODES_MAX);
        options->plan.heal_parts = (uint32_t)number;
    } else if (strcmp(option, "--seconds") == 0) {
        ok = parse_whole(value, &options->plan.seconds, 1, UINT32_MAX);
    } else if (strcmp(option, "--end") == 0) {
        ok = parse_whole(value, &options->end_ms, 1, UINT32_MAX);
    } else if (strcmp(option, "--for") == 0) {
        ok = parse_whole(value, &options->limit_s, 1, UINT32_MAX);
    } else if (strcmp(option, "--profile") == 0) {
        ok = parse_profile(value, &options->plan.profile);
    } else if (strcmp(option, "--at-least") == 0) {
        ok = parse_whole(value, &options->at_least, 1, PLANT_COUNT);
    } else if (strcmp(option, "--plant") == 0) {
        ok = parse_plant(value);
    } else if (strcmp(option, "--only") == 0) {
        ok = parse_fault(value, &options->plan.only);
    } else if (strcmp(option, "--keep") == 0) {
        ok = value != NULL;
        options->keep = value;
    }
    return ok;
}

static bool parse(struct swarm_options *options, int argc, char **argv)
{
    for (int i = 1; i < argc;) {
        if (parse_flag(options, argv[i])) {
            i += 1;
        } else if (parse_valued(options, argv[i], argv[i + 1])) {
            i += 2;
        } else {
            fprintf(stderr, "doyen_swarm: cannot use '%s%s%s'; see --help\n", argv[i],
                    argv[i + 1] == NULL ? "" : " ", argv[i + 1] == NULL ? "" : argv[i + 1]);
            return false;
        }
    }
    if (options->to == 0 && !options->replay) {
        fputs("doyen_swarm: say which --seeds FROM..TO to run, or --replay SEED\n", stderr);
        return false;
    }
    if (options->plan.heal_parts > options->plan.nodes) {
        fputs("doyen_swarm: --heal wants as many --nodes as parts, or more\n", stderr);
        return false;
    }
    return true;
}

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
        plan_draw(plan, &options->plan, worker->seed);
        plan_run(plan, &worker->outcome, NULL);
        worker->runs++;
        for (uint32_t i = 0; i < marks_count(); i++) {
            worker->reached[i] = worker->reached_before[i] + marks_reached(i);
        }
        uint64_t place = worker->outcome.heal_ms / HEAL_STEP_MS;
        worker->heal_ms[place < HEAL_PLACES ? place : HEAL_PLACES - 1]++;
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

/* The plan that failed, made as small as it will go, with the line that runs it again. */
static void report(const struct swarm_options *options, uint64_t seed, const char *failure)
{
    struct plan *plan = malloc(sizeof *plan);
    if (plan == NULL) {
        return;
    }
    plan_draw(plan, &options->plan, seed);
    printf("seed %" PRIu64 " failed: %s\n", seed, failure);
    uint32_t drawn_hosts = plan->hosts;
    if (!options->no_shrink && options->plan.heal_parts == 0) {
        shrink(plan, failure);
    }
    printf("  replay: doyen_swarm --replay %" PRIu64 " --nodes %u --seconds %" PRIu64, seed,
           options->plan.nodes, options->plan.seconds);
    if (plan->hosts != drawn_hosts) {
        printf(" --hosts %u", plan->hosts);
    }
    shrink_print(plan, &options->plan);
    printf("\n");
    free(plan);
    fflush(stdout);
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
        report(options, worker->seed,
               died ? "the process died, see above" : worker->outcome.failure);
        start_worker(options, shared, worker, end_s);
    }
    return failed;
}

/* --- What all of them did --- */

static void add_up(const struct shared *shared, uint32_t jobs, struct worker *sum)
{
    memset(sum, 0, sizeof *sum);
    for (uint32_t i = 0; i < jobs; i++) {
        const struct worker *worker = &shared->workers[i];
        sum->runs += worker->runs;
        sum->outcome.steps += worker->outcome.steps;
        sum->outcome.virtual_ms += worker->outcome.virtual_ms;
        sum->outcome.merges += worker->outcome.merges;
        for (uint32_t k = 0; k < FAULTS_MAX; k++) {
            sum->outcome.struck[k] += worker->outcome.struck[k];
        }
        for (uint32_t k = 0; k < MARKS_MAX; k++) {
            sum->reached[k] += worker->reached[k];
        }
        for (uint32_t k = 0; k < HEAL_PLACES; k++) {
            sum->heal_ms[k] += worker->heal_ms[k];
        }
    }
}

/* The time within which that share of the runs healed. */
static uint64_t percentile_ms(const struct worker *sum, double share)
{
    uint64_t wanted = (uint64_t)((double)sum->runs * share);
    uint64_t count = 0;

    for (uint32_t i = 0; i < HEAL_PLACES; i++) {
        count += sum->heal_ms[i];
        if (count > wanted || count == sum->runs) {
            return (uint64_t)(i + 1) * HEAL_STEP_MS;
        }
    }
    return (uint64_t)HEAL_PLACES * HEAL_STEP_MS;
}

/* What children of this process have used so far: the workers, and whatever ran in it before. */
static double children_cpu_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
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

static void print_sum(const struct worker *sum, uint64_t failed, double seconds, double cpu_s)
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
    printf("healed within %" PRIu64 " ms (half of the runs), %" PRIu64 " (90 %%), %" PRIu64
           " (99 %%), %" PRIu64 " (all)\n",
           percentile_ms(sum, 0.5), percentile_ms(sum, 0.9), percentile_ms(sum, 0.99),
           percentile_ms(sum, 1));
    printf("%" PRIu64 " runs, %" PRIu64 " failed; %" PRIu64 " merges seen, %" PRIu64
           " steps; %.1f s, %.0f seeds/s, %.0f simulated cluster-hours per core-hour\n",
           sum->runs, failed, sum->outcome.merges, sum->outcome.steps, seconds,
           (double)sum->runs / seconds, hours / (cpu_s / 3600));
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

    add_up(shared, options->jobs, sum);
    print_sum(sum, failed, seconds, cpu_s);
    free(sum);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* --- Planted bugs --- */

/* The lowest seed that finds the bug, by one process after another, so that the answer does not
 * depend on how many there are. Returns whether there is one. */
static bool find_planted(const struct swarm_options *options, struct shared *shared,
                         enum plant plant)
{
    struct worker *worker = &shared->workers[0];
    double start_s = now_s();

    memset(shared, 0, sizeof *shared);
    shared->next_seed = options->from;
    planted = plant;
    int stderr_kept = dup(STDERR_FILENO);
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO); /* The core's own assertions find some of them. */
    start_worker(options, shared, worker, start_s + PLANTED_S_MAX);
    dup2(stderr_kept, STDERR_FILENO);
    close(stderr_kept);
    close(nowhere);
    int status;
    waitpid(worker->pid, &status, 0);
    bool died = !WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS;
    const char *failure = died ? "an assertion" : worker->outcome.failure;
    if (failure[0] == '\0') {
        printf("%-22s NOT FOUND in %" PRIu64 " seeds: %s\n", plant_name(plant), worker->runs,
               plant_text(plant));
    } else {
        printf("%-22s seed %-6" PRIu64 " %.70s\n", plant_name(plant), worker->seed, failure);
    }
    fflush(stdout);
    planted = PLANT_NONE;
    return failure[0] != '\0';
}

static int find_all_planted(const struct swarm_options *options)
{
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint32_t missed = 0;
    uint32_t count = 0;

    if (shared == MAP_FAILED) {
        perror("doyen_swarm: memory");
        return EXIT_FAILURE;
    }
    for (enum plant plant = PLANT_NONE + 1; plant < PLANT_COUNT; plant++) {
        missed += !find_planted(options, shared, plant);
        count++;
    }
    printf("%u planted bugs, %u not found\n", count, missed);
    bool enough = options->at_least != 0 && count - missed >= options->at_least;
    return missed == 0 || enough ? EXIT_SUCCESS : EXIT_FAILURE;
}

static bool apply_keep(struct plan *plan, const char *keep)
{
    for (uint32_t i = 0; i < plan->strike_count; i++) {
        plan->strikes[i].off = true;
    }
    if (strcmp(keep, "-") == 0) {
        return true;
    }
    for (;;) {
        const char *end;
        uint64_t number;
        if (!parse_number(keep, &end, &number) || number >= plan->strike_count) {
            return false;
        }
        plan->strikes[number].off = false;
        if (*end != ',') {
            return *end == '\0';
        }
        keep = end + 1;
    }
}

static int replay(const struct swarm_options *options)
{
    struct plan *plan = malloc(sizeof *plan);
    struct outcome outcome = {0};

    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* An assertion must not swallow what led to it. */
    if (plan == NULL) {
        return EXIT_FAILURE;
    }
    plan_draw(plan, &options->plan, options->from);
    if (options->keep != NULL && !apply_keep(plan, options->keep)) {
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
    struct swarm_options options = {.plan = {.nodes = 5, .seconds = 60, .profile = PROFILE_LAN},
                                    .jobs = 1};

    /* Runs take and give back the same blocks all the time: keep them. */
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        return usage(stdout);
    }
    if (argc == 2 && strcmp(argv[1], "--faults") == 0) {
        return list_faults();
    }
    if (!parse(&options, argc, argv)) {
        return 64;
    }
    if (options.planted) {
        return find_all_planted(&options);
    }
    return options.replay ? replay(&options) : run_all(&options);
}
