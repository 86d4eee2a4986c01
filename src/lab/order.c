#include "lab/order.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "usage/usage.h"

enum {
    NODES_MIN = 3,
    NODES_MAX = 100,
    RUNS_MAX = 1000000,
    DELAY_MS_MAX = 1000,
    HEARTBEAT_MS = 100,
};

/* A number from `low` to `high`, with `unit` behind it and nothing else. */
static bool read_number(const char *text, const char *unit, uint64_t low, uint64_t high,
                        uint64_t *number)
{
    char *end = NULL;

    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    errno = 0;
    *number = strtoull(text, &end, 10);
    return errno == 0 && strcmp(end, unit) == 0 && *number >= low && *number <= high;
}

/* "5..100", "1..20ms": both ends, with the unit behind the second. */
static bool read_range(char *text, const char *unit, uint64_t low, uint64_t high, uint64_t ends[2])
{
    char *dots = strstr(text, "..");

    if (dots == NULL) {
        return false;
    }
    *dots = '\0';
    const bool is_sound = read_number(text, "", low, high, &ends[0]) &&
                          read_number(dots + 2, unit, ends[0], high, &ends[1]);
    *dots = '.';
    return is_sound;
}

/* --- Which algorithms, which sizes --- */

static void add_algorithm(struct order *order, const struct election_algorithm *algorithm)
{
    for (size_t i = 0; i < order->algorithm_count; i++) {
        if (order->algorithms[i] == algorithm) {
            usage_refuse(LAB_PROGRAM, "--algorithm: '%s' is there twice: name each once",
                         algorithm->name);
        }
    }
    order->algorithms[order->algorithm_count++] = algorithm;
}

static void parse_algorithm(struct order *order, const char *word)
{
    const bool all_of_them = strcmp(word, "all") == 0;
    const size_t before = order->algorithm_count;
    size_t count;
    const struct election_algorithm *const *all = algorithms(&count);

    for (size_t i = 0; i < count; i++) {
        if (all_of_them || strcmp(word, all[i]->name) == 0) {
            add_algorithm(order, all[i]);
        }
    }
    if (order->algorithm_count == before) {
        usage_refuse(LAB_PROGRAM,
                     "--algorithm: '%.80s' is none of oldest, bully, ring, token-ring, sequential, "
                     "sequential-herd, all",
                     word);
    }
}

static void add_size(struct order *order, uint64_t size)
{
    for (size_t i = 0; i < order->size_count; i++) {
        if (order->sizes[i] == size) {
            return;
        }
    }
    order->sizes[order->size_count++] = (size_t)size;
}

/* Of a range the ends, and 5, 10, 20, 50, 100 in between. */
static void parse_nodes(struct order *order, char *word)
{
    static const uint64_t between[] = {5, 10, 20, 50, 100};
    uint64_t ends[2];

    if (read_number(word, "", NODES_MIN, NODES_MAX, &ends[0])) {
        add_size(order, ends[0]);
    } else if (read_range(word, "", NODES_MIN, NODES_MAX, ends)) {
        add_size(order, ends[0]);
        for (size_t i = 0; i < sizeof between / sizeof between[0]; i++) {
            if (between[i] > ends[0] && between[i] < ends[1]) {
                add_size(order, between[i]);
            }
        }
        add_size(order, ends[1]);
    } else {
        usage_refuse(LAB_PROGRAM,
                     "--nodes: '%.80s' is no number from %d to %d: write 5, 5,10,20 or 5..100",
                     word, NODES_MIN, NODES_MAX);
    }
}

/* --- Faults --- */

/* Of each kind of fault one can be had: a second one would take the place of the first. */
static void refuse_second(bool is_there, const char *kind)
{
    if (is_there) {
        usage_refuse(LAB_PROGRAM, "--faults: %s is there twice: keep one", kind);
    }
}

static void parse_loss(struct trial *trial, const char *word)
{
    uint64_t percent;

    refuse_second(trial->loss_permille != 0, "loss");
    if (!read_number(word + strlen("loss="), "%", 0, 90, &percent)) {
        usage_refuse(LAB_PROGRAM, "--faults: '%.80s': write loss=0%% to loss=90%%", word);
    }
    trial->loss_permille = 10 * percent;
}

static void parse_delay(struct trial *trial, char *word)
{
    uint64_t ends[2];

    refuse_second(trial->delay_ms_max != 0, "delay");
    if (!read_range(word + strlen("delay="), "ms", 1, DELAY_MS_MAX, ends)) {
        usage_refuse(LAB_PROGRAM,
                     "--faults: '%.80s': write milliseconds from 1 to %d, the fewer first, as in "
                     "delay=1..20ms",
                     word, DELAY_MS_MAX);
    }
    trial->delay_ms_min = ends[0];
    trial->delay_ms_max = ends[1];
}

static void parse_fault(struct order *order, char *word)
{
    struct trial *trial = &order->trial;

    if (strncmp(word, "loss=", 5) == 0) {
        parse_loss(trial, word);
    } else if (strncmp(word, "delay=", 6) == 0) {
        parse_delay(trial, word);
    } else if (strcmp(word, "crash=leader") == 0 || strcmp(word, "crash=any") == 0) {
        refuse_second(trial->crash != TRIAL_CRASH_NONE, "crash");
        trial->crash = strcmp(word, "crash=any") == 0 ? TRIAL_CRASH_ANY : TRIAL_CRASH_LEADER;
    } else {
        usage_refuse(LAB_PROGRAM,
                     "--faults: '%.80s' is none of loss=5%%, delay=1..20ms, crash=leader, "
                     "crash=any",
                     word);
    }
}

/* Each word of a list with commas. */
static void each_word(struct order *order, char *list, void (*parse)(struct order *, char *))
{
    char *rest = list;

    for (char *word = strsep(&rest, ","); word != NULL; word = strsep(&rest, ",")) {
        parse(order, word);
        if (rest != NULL) {
            rest[-1] = ','; /* The list is shown again in the output. */
        }
    }
}

static void parse_algorithm_word(struct order *order, char *word)
{
    parse_algorithm(order, word);
}

/* --- The command line --- */

enum option_key {
    KEY_ALGORITHM = 'a',
    KEY_NODES = 'n',
    KEY_STARTERS = 's',
    KEY_FAULTS = 'f',
    KEY_RUNS = 'r',
    KEY_JSON = 'j',
    KEY_EXPLAIN = 'e',
    KEY_SEED = 0x100,
    KEY_IDS,
    KEY_BEST,
    KEY_SVG,
};

static bool is_one_of(const char *option, const char *text, const char *first, const char *second)
{
    if (strcmp(text, first) != 0 && strcmp(text, second) != 0) {
        usage_refuse(LAB_PROGRAM, "--%s: '%.80s' is neither %s nor %s", option, text, first,
                     second);
    }
    return strcmp(text, first) == 0;
}

static void parse_starters(struct order *order, const char *text)
{
    uint64_t number = 1;

    order->all_start = strcmp(text, "all") == 0;
    if (!order->all_start && strcmp(text, "one") != 0 &&
        !read_number(text, "", 1, NODES_MAX, &number)) {
        usage_refuse(LAB_PROGRAM,
                     "--starters: '%.80s' is neither one, all nor a number from 1 to %d", text,
                     NODES_MAX);
    }
    order->trial.starters = order->all_start ? NODES_MAX : (size_t)number;
}

/* One member, the leader, has fallen. */
static void check_starters(const struct order *order)
{
    for (size_t i = 0; i < order->size_count && !order->all_start; i++) {
        if (order->trial.starters >= order->sizes[i]) {
            usage_refuse(LAB_PROGRAM,
                         "--starters: %zu cannot start where %zu of %zu members are left: give "
                         "%zu or fewer, or all",
                         order->trial.starters, order->sizes[i] - 1, order->sizes[i],
                         order->sizes[i] - 1);
        }
    }
}

static void check(struct order *order)
{
    if (order->trial.delay_ms_max == 0) {
        order->trial.delay_ms_min = 1;
        order->trial.delay_ms_max = 1;
    }
    if (order->algorithm_count == 0) {
        parse_algorithm(order, order->explain ? "bully" : "all");
    }
    if (order->size_count == 0) {
        add_size(order, 5);
    }
    if (order->explain && (order->algorithm_count != 1 || order->size_count != 1)) {
        usage_refuse(LAB_PROGRAM, "--explain tells one run: give one --algorithm and one --nodes");
    }
    if (order->explain && (order->json || order->svg_path != NULL || order->has_runs)) {
        usage_refuse(LAB_PROGRAM, "--explain tells one run: leave out --runs, --json and --svg");
    }
    if (order->has_best && !order->trial.ids_by_age) {
        usage_refuse(LAB_PROGRAM, "--best says which age is the best: add --ids age");
    }
    check_starters(order);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct order *order = state->input;

    switch (key) {
    case KEY_ALGORITHM:
        each_word(order, argument, parse_algorithm_word);
        return 0;
    case KEY_NODES:
        each_word(order, argument, parse_nodes);
        return 0;
    case KEY_STARTERS:
        parse_starters(order, argument);
        return 0;
    case KEY_FAULTS:
        each_word(order, argument, parse_fault);
        order->faults = argument;
        return 0;
    case KEY_RUNS:
        if (!read_number(argument, "", 1, RUNS_MAX, &order->runs)) {
            usage_refuse(LAB_PROGRAM, "--runs: '%.80s' is no number from 1 to %d", argument,
                         RUNS_MAX);
        }
        order->has_runs = true;
        return 0;
    case KEY_SEED:
        if (!read_number(argument, "", 0, UINT64_MAX, &order->trial.seed)) {
            usage_refuse(LAB_PROGRAM, "--seed: '%.80s' is no number from 0 to %llu", argument,
                         (unsigned long long)UINT64_MAX);
        }
        return 0;
    case KEY_IDS:
        order->trial.ids_by_age = is_one_of("ids", argument, "age", "drawn");
        return 0;
    case KEY_BEST:
        order->has_best = true;
        order->trial.newest_is_best = is_one_of("best", argument, "highest", "lowest");
        return 0;
    case KEY_SVG:
        if (argument[0] == '\0') {
            usage_refuse(LAB_PROGRAM, "--svg is empty: name the file to draw");
        }
        order->svg_path = argument;
        return 0;
    case KEY_JSON:
        order->json = true;
        return 0;
    case KEY_EXPLAIN:
        order->explain = true;
        return 0;
    case 'h':
    case '?':
        usage_help(state);
    case 'V':
        puts("doyen-lab " DOYEN_VERSION);
        exit(usage_flush(LAB_PROGRAM));
    case ARGP_KEY_ARG:
        usage_refuse(LAB_PROGRAM, "stray word '%.80s': " LAB_PROGRAM " takes options only",
                     argument);
    case ARGP_KEY_END:
        check(order);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void order_parse(struct order *order, int argc, char **argv)
{
    static const struct argp_option options[] = {
        {.name = "algorithm",
         .key = KEY_ALGORITHM,
         .arg = "NAME,...",
         .flags = USAGE_LIST,
         .doc = "oldest, bully, ring, token-ring, sequential, sequential-herd, or all (default)"},
        {.name = "nodes",
         .key = KEY_NODES,
         .arg = "N,...",
         .flags = USAGE_LIST,
         .doc = "Members, with the leader that falls: numbers, or a range such as 5..100 "
                "(default: 5)"},
        {.name = "starters",
         .key = KEY_STARTERS,
         .arg = "one|all|K",
         .doc = "How many begin an election at once (default: one)"},
        {.name = "faults",
         .key = KEY_FAULTS,
         .arg = "FAULT,...",
         .doc = "loss=5%, delay=1..20ms, crash=leader, crash=any (default: none; a message takes "
                "1 ms)"},
        {.name = "runs", .key = KEY_RUNS, .arg = "N", .doc = "Runs of each (default: 1000)"},
        {.name = "seed", .key = KEY_SEED, .arg = "N", .doc = "Seed of the first run (default: 1)"},
        {.name = "ids",
         .key = KEY_IDS,
         .arg = "drawn|age",
         .doc = "Draw who is better than whom (default), or compare by age"},
        {.name = "best",
         .key = KEY_BEST,
         .arg = "lowest|highest",
         .doc = "With --ids age, which age is the best (default: lowest, the oldest)"},
        {.name = "explain",
         .key = KEY_EXPLAIN,
         .doc = "Tell one run, message by message (default: of bully)"},
        {.name = "json", .key = KEY_JSON, .doc = "Print JSON"},
        {.name = "svg", .key = KEY_SVG, .arg = "FILE", .doc = "Also draw the figures to FILE"},
        {.name = "help", .key = 'h', .doc = "Print this", .group = -1},
        {.name = "version", .key = 'V', .doc = "Print the version", .group = -1},
        {.key = '?', .flags = OPTION_HIDDEN}, /* The letter that argp has for help. */
        {.name = NULL},
    };
    const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .doc = "Runs classical elections in a simulator and counts what they cost, beside theory."
               "\vExit: 0 all runs ended with one leader, 1 one did not, 64 usage."};

    *order = (struct order){.runs = 1000,
                            .trial = {.starters = 1, .heartbeat_ms = HEARTBEAT_MS, .seed = 1}};
    usage_parse(&argp, LAB_PROGRAM, argc, argv, 0, order);
}
