/* doyen_swarm: runs clusters through random faults, one run per seed, a thousand seeds in the
 * time of a coffee. Each run ends by healing, then demands convergence (Y1 to Y3) and quiet (Y5);
 * the oracle holds safety after every step. A failure prints the line that replays it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "faults.h"
#include "sim.h"

enum {
    NODES_MAX = 256,
    HEAL_MS = 60000, /* generous: the last fault may need T_stall and the pauses of R4 to pass */
    QUIET_MS = 5000,
};

struct swarm_options {
    uint64_t from;
    uint64_t to;
    uint64_t seconds; /* of faults, virtual */
    uint32_t nodes;
    bool replay;
    bool trace;
    bool whole; /* a cluster that ends in several parts is a failure */
};

/* What the runs report, shared between the process that counts and the one that runs. */
struct tally {
    uint64_t seed; /* under way */
    uint64_t steps;
    uint64_t bytes;
    uint64_t virtual_ms;
    uint64_t heal_ms_max;
    uint64_t splits;     /* runs that ended in several parts, each at peace with itself */
    uint64_t trace_hash; /* of the last run */
    char failure[1024];  /* of the seed under way; empty while all is well */
};

static int usage(FILE *out)
{
    fputs("usage: doyen_swarm --seeds FROM..TO [--nodes N] [--seconds S]\n"
          "       doyen_swarm --replay SEED [--nodes N] [--seconds S] [--trace]\n"
          "  --seeds FROM..TO  one run for each seed, both ends included\n"
          "  --nodes N         hosts in a cluster, 2 to 256 (default 5)\n"
          "  --seconds S       virtual seconds of faults in each run (default 60)\n"
          "  --replay SEED     that run alone, in this process\n"
          "  --trace           prints every event and effect of it\n"
          "  --whole           a run that ends in several parts, each of two members or more,\n"
          "                    is a failure; without it such runs are only counted\n",
          out);
    return out == stdout ? EXIT_SUCCESS : 64;
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

static bool parse_whole(const char *text, uint64_t *number)
{
    const char *end;
    return parse_number(text, &end, number) && *end == '\0';
}

static bool parse_range(const char *text, uint64_t *from, uint64_t *to)
{
    const char *end;
    return parse_number(text, &end, from) && strncmp(end, "..", 2) == 0 &&
           parse_whole(end + 2, to) && *from <= *to;
}

/* Takes one option and its value. Returns how many arguments it took; 0: it was wrong. */
static int parse_option(struct swarm_options *options, const char *option, const char *value)
{
    uint64_t number;

    if (strcmp(option, "--trace") == 0) {
        options->trace = true;
        return 1;
    }
    if (strcmp(option, "--whole") == 0) {
        options->whole = true;
        return 1;
    }
    if (strcmp(option, "--seeds") == 0 && parse_range(value, &options->from, &options->to)) {
        return 2;
    }
    if (strcmp(option, "--replay") == 0 && parse_whole(value, &options->from)) {
        options->to = options->from;
        options->replay = true;
        return 2;
    }
    if (strcmp(option, "--nodes") == 0 && parse_whole(value, &number) && number >= 2 &&
        number <= NODES_MAX) {
        options->nodes = (uint32_t)number;
        return 2;
    }
    if (strcmp(option, "--seconds") == 0 && parse_whole(value, &number) && number > 0) {
        options->seconds = number;
        return 2;
    }
    return 0;
}

static bool parse(struct swarm_options *options, int argc, char **argv)
{
    for (int i = 1; i < argc;) {
        int taken = parse_option(options, argv[i], argv[i + 1]);
        if (taken == 0) {
            fprintf(stderr, "doyen_swarm: cannot use '%s%s%s'; see --help\n", argv[i],
                    argv[i + 1] == NULL ? "" : " ", argv[i + 1] == NULL ? "" : argv[i + 1]);
            return false;
        }
        i += taken;
    }
    if (options->to == 0) {
        fputs("doyen_swarm: say which --seeds FROM..TO to run, or --replay SEED\n", stderr);
        return false;
    }
    return true;
}

/* --- One run --- */

static struct sim *cluster_of(const struct swarm_options *options, uint64_t seed)
{
    struct random random;
    random_seed(&random, seed ^ UINT64_C(0x5741524d)); /* Apart from the run's own chance. */

    uint32_t least = options->nodes < 3 ? 2 : 3;
    uint32_t hosts = (uint32_t)random_between(&random, least, options->nodes);
    uint32_t seeds = (uint32_t)random_between(&random, 1, 2);
    struct sim_options sim = {
        .seed = seed,
        .host_count = hosts,
        .seed_count = seeds,
        .disks = true,
        .disorder = true,
        .lenient = true,
        .trace = options->trace ? stdout : NULL,
    };
    if (random_below(&random, 3) == 0) {
        sim.guard = (struct guard){.policy = GUARD_COUNT, .count = sim.host_count / 2 + 1};
    }
    return sim_new(&sim);
}

static void break_things(struct sim *sim, uint64_t seconds)
{
    uint64_t end_ms = sim_now_ms(sim) + seconds * 1000;

    for (uint32_t host = 0; host < sim_host_count(sim); host++) {
        sim_start(sim, host);
        sim_run(sim, random_below(sim_random(sim), 500));
    }
    while (sim_now_ms(sim) < end_ms && sim_failure(sim) == NULL) {
        /* Mostly one after the other, now and then in a burst. */
        bool burst = random_below(sim_random(sim), 4) == 0;
        sim_run(sim, random_between(sim_random(sim), 0, burst ? 30 : 3000));
        fault_strike(sim);
    }
}

/* Returns what was wrong in the end, or NULL. */
static const char *check_end(struct sim *sim, const struct swarm_options *options,
                             struct tally *tally)
{
    /* Ends of faults still to come may bring one host back; after this none is left. */
    sim_run(sim, 13000);
    fault_end_all(sim);
    if (!sim_converges(sim, HEAL_MS)) {
        /* Two clusters that came about are one again only by a merge (F2). */
        if (sim_failure(sim) == NULL && !options->whole && sim_parts(sim) > 1) {
            tally->splits++;
            return NULL;
        }
        return "Y1: they do not agree after everything healed";
    }
    if (sim_converged_ms(sim) > tally->heal_ms_max) {
        tally->heal_ms_max = sim_converged_ms(sim);
    }

    uint64_t installed = sim_notices(sim, SIM_ANY, NOTICE_VIEW);
    sim_run(sim, QUIET_MS);
    if (sim_notices(sim, SIM_ANY, NOTICE_VIEW) != installed || !sim_agrees(sim)) {
        return "Y5: views go on changing after everything healed";
    }
    return NULL;
}

static void run_seed(const struct swarm_options *options, uint64_t seed, struct tally *tally)
{
    struct sim *sim = cluster_of(options, seed);
    const char *wrong = NULL;

    break_things(sim, options->seconds);
    if (sim_failure(sim) == NULL) {
        wrong = check_end(sim, options, tally);
    }
    if (sim_failure(sim) != NULL) {
        wrong = sim_failure(sim);
    }
    if (wrong != NULL) {
        int length = snprintf(tally->failure, sizeof tally->failure, "%s", wrong);
        for (uint32_t i = 0; i < sim_host_count(sim) && length < 800; i++) {
            length += snprintf(tally->failure + length, sizeof tally->failure - (size_t)length,
                               "%s%s", i == 0 ? "; views: " : " | ", sim_view_text(sim, i));
        }
    }
    tally->steps += sim_steps(sim);
    tally->bytes += sim_bytes(sim);
    tally->virtual_ms += sim_now_ms(sim);
    tally->trace_hash = sim_trace_hash(sim);
    sim_free(sim);
}

/* --- All runs --- */

static void report(const struct swarm_options *options, uint64_t seed, const char *failure)
{
    printf("seed %" PRIu64 " failed: %s\n"
           "  replay: doyen_swarm --replay %" PRIu64 " --nodes %u --seconds %" PRIu64 " --trace\n",
           seed, failure, seed, options->nodes, options->seconds);
    fflush(stdout);
}

/* Runs seeds in a child until all are done or one has failed, so that even an assertion of the
 * core costs one seed only. Returns whether all went well. */
static bool run_from(const struct swarm_options *options, uint64_t seed, struct tally *tally)
{
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) {
        perror("doyen_swarm: fork");
        exit(EXIT_FAILURE);
    }
    if (child == 0) {
        tally->failure[0] = '\0';
        for (; seed <= options->to && tally->failure[0] == '\0'; seed++) {
            tally->seed = seed;
            run_seed(options, seed, tally);
        }
        fflush(stdout);
        _exit(EXIT_SUCCESS);
    }

    int status;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != EXIT_SUCCESS) {
        snprintf(tally->failure, sizeof tally->failure, "the process died, see above");
    }
    return tally->failure[0] == '\0';
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int run_all(const struct swarm_options *options, struct tally *tally)
{
    uint64_t failed = 0;
    double start = cpu_seconds();

    tally->seed = options->from;
    for (uint64_t seed = options->from; seed <= options->to; seed = tally->seed + 1) {
        if (!run_from(options, seed, tally)) {
            failed++;
            report(options, tally->seed, tally->failure);
        }
    }
    double seconds = cpu_seconds() - start;
    double hours = (double)tally->virtual_ms / 3.6e6;
    printf("%" PRIu64 " runs, %" PRIu64 " failed, %" PRIu64
           " ended split: %.1f simulated hours, %" PRIu64 " steps, healed within %" PRIu64
           " ms; %.1f s, %.0f simulated hours per core-hour\n",
           options->to - options->from + 1, failed, tally->splits, hours, tally->steps,
           tally->heal_ms_max, seconds, hours / (seconds / 3600));
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    struct swarm_options options = {.nodes = 5, .seconds = 60};

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        return usage(stdout);
    }
    if (!parse(&options, argc, argv)) {
        return 64;
    }
    struct tally *tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (tally == MAP_FAILED) {
        perror("doyen_swarm: mmap");
        return EXIT_FAILURE;
    }
    if (!options.replay) {
        return run_all(&options, tally);
    }
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* An assertion must not swallow what led to it. */
    run_seed(&options, options.from, tally);
    const char *end = tally->splits > 0 ? "ended split" : "all well";
    printf("seed %" PRIu64 ", trace %016" PRIx64 ": %s\n", options.from, tally->trace_hash,
           tally->failure[0] == '\0' ? end : tally->failure);
    return tally->failure[0] == '\0' ? EXIT_SUCCESS : EXIT_FAILURE;
}
