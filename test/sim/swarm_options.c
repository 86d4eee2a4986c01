/* What the command line asks of the swarm. */
#include "swarm.h"

#include <stdlib.h>
#include <string.h>

int swarm_usage(FILE *out)
{
    fputs(
        "usage: doyen_swarm --seeds FROM..TO [--for SECONDS] [--jobs N] [OPTION...]\n"
        "       doyen_swarm --replay SEED [--keep N,N...] [--hosts N] [--trace] [OPTION...]\n"
        "  --seeds FROM..TO  one run for each seed, both ends included\n"
        "  --for SECONDS     start no more runs after that time, and tell no hash of their traces\n"
        "  --jobs N          so many processes (default 1)\n"
        "  --nodes [M..]N    hosts in a cluster at the least and at the most, 2 to 256 (default 3..5)\n"
        "  --seconds S       virtual seconds of faults in each run (default 60)\n"
        "  --profile NAME    local, lan or wan (default lan)\n"
        "  --watchers N      of each host, 4 to 255 (default 4)\n"
        "  --fanout N        of each host, 4 to 4096 (default 128)\n"
        "  --guard NAME      none, count, majority or strict (default: all four, as drawn)\n"
        "  --only FAULT      no other fault than this one; 'narrow path' and 'narrow path to some' also\n"
        "                    for good in the end, in each plan\n"
        "  --roles           clients stand for roles, too\n"
        "  --terms           operators change the terms, too\n"
        "  --liar            somebody lies, too: strangers, and members in any name; with --only LIE\n"
        "                    in no other way, and among all other faults\n"
        "  --mixed           each seed draws what is not set of all these: 3 to 12 hosts, profile,\n"
        "                    watchers, fanout, guard, and whether with --roles, --terms and\n"
        "                    --liar; the report of a failure names them\n"
        "  --heal PARTS      no faults but one partition of 30 s into so many parts; tells how\n"
        "                    fast it healed\n"
        "  --no-shrink       report a failure as it is\n"
        "  --faults          lists the faults\n"
        "  --stop            start no more runs after one that failed\n"
        "  --replay SEED     that run alone, in this process\n"
        "  --keep N,N...     only these strikes of it, counted from 0; - for none\n"
        "  --hosts N         with so many hosts instead\n"
        "  --end MS          heals everything then instead\n"
        "  --trace           prints every event and effect of it\n",
        out);
    return out == stdout ? EXIT_SUCCESS : 64;
}

int swarm_list_faults(void)
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

static bool parse_nodes(const char *text, struct plan_options *plan)
{
    uint64_t least = 0;
    uint64_t most;

    bool ok = parse_whole(text, &most, 2, HOSTS_MAX) ||
              (parse_range(text, &least, &most) && least >= 2 && most <= HOSTS_MAX);
    if (ok) {
        plan->nodes_least = (uint32_t)least;
        plan->nodes = (uint32_t)most;
    }
    return ok;
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

const char *swarm_guard_name(enum guard_policy guard)
{
    static const char *const names[GUARD_POLICIES] = {[GUARD_NONE] = "none",
                                                      [GUARD_COUNT] = "count",
                                                      [GUARD_MAJORITY] = "majority",
                                                      [GUARD_STRICT] = "strict"};
    return names[guard];
}

static bool parse_guard(const char *text, enum guard_policy *guard)
{
    for (enum guard_policy i = GUARD_NONE; text != NULL && i <= GUARD_STRICT; i++) {
        if (strcmp(text, swarm_guard_name(i)) == 0) {
            *guard = i;
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

static bool parse_flag(struct swarm_options *options, const char *option)
{
    bool trace = strcmp(option, "--trace") == 0;
    bool no_shrink = strcmp(option, "--no-shrink") == 0;
    bool stop = strcmp(option, "--stop") == 0;
    bool liar = strcmp(option, "--liar") == 0;
    bool roles = strcmp(option, "--roles") == 0;
    bool terms = strcmp(option, "--terms") == 0;
    bool mixed = strcmp(option, "--mixed") == 0;

    options->trace |= trace;
    options->no_shrink |= no_shrink;
    options->stop |= stop;
    options->plan.roles |= roles;
    options->plan.terms |= terms;
    options->plan.liar |= liar;
    options->plan.mixed |= mixed;
    return trace || no_shrink || stop || liar || roles || terms || mixed;
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
        ok = parse_nodes(value, &options->plan);
    } else if (strcmp(option, "--hosts") == 0) {
        ok = parse_whole(value, &number, 2, HOSTS_MAX);
        options->hosts = (uint32_t)number;
    } else if (strcmp(option, "--jobs") == 0) {
        ok = parse_whole(value, &number, 1, JOBS_MAX);
        options->jobs = (uint32_t)number;
    } else if (strcmp(option, "--heal") == 0) {
        ok = parse_whole(value, &number, 2, HOSTS_MAX);
        options->plan.heal_parts = (uint32_t)number;
    } else if (strcmp(option, "--seconds") == 0) {
        ok = parse_whole(value, &options->plan.seconds, 1, UINT32_MAX);
    } else if (strcmp(option, "--end") == 0) {
        ok = parse_whole(value, &options->end_ms, 1, UINT32_MAX);
    } else if (strcmp(option, "--for") == 0) {
        ok = parse_whole(value, &options->limit_s, 1, UINT32_MAX);
    } else if (strcmp(option, "--profile") == 0) {
        ok = parse_profile(value, &options->plan.profile);
    } else if (strcmp(option, "--watchers") == 0) {
        uint64_t watchers = 0;
        ok = parse_whole(value, &watchers, WATCHERS_LEAST, WATCHERS_MOST);
        options->plan.watchers = (uint8_t)watchers;
        options->plan.watchers_set = ok;
    } else if (strcmp(option, "--fanout") == 0) {
        ok = parse_whole(value, &number, FANOUT_LEAST, FANOUT_MOST);
        options->plan.fanout = (uint32_t)number;
    } else if (strcmp(option, "--guard") == 0) {
        ok = parse_guard(value, &options->plan.guard);
    } else if (strcmp(option, "--only") == 0) {
        ok = parse_fault(value, &options->plan.only);
    } else if (strcmp(option, "--keep") == 0) {
        ok = value != NULL;
        options->keep = value;
    }
    return ok;
}

static void set_defaults(struct plan_options *plan)
{
    plan->nodes = plan->nodes != 0 ? plan->nodes : 5;
    plan->profile = plan->profile != 0 ? plan->profile : PROFILE_LAN;
}

bool swarm_parse(struct swarm_options *options, int argc, char **argv)
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
    if (!options->plan.mixed) {
        set_defaults(&options->plan);
    }
    if (options->plan.heal_parts > options->plan.nodes) {
        fputs("doyen_swarm: --heal wants as many --nodes as parts, or more\n", stderr);
        return false;
    }
    return true;
}

bool swarm_keep(struct plan *plan, const char *keep)
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
