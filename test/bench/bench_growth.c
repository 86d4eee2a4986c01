/* How long changes of the view take, by the number of members, in the simulator: virtual time, so
 * that the figures say what the rules cost, and nothing of the machine. Work costs no time there.
 *
 *     bench_growth [--table] [--watchers N] [--guard none|COUNT|majority|strict] [--voters N]
 *                  [--profile local|lan|wan] [--briefly yes|no] [HOSTS [RUNS]]
 *
 * prints one JSON object, or a table, for 100 hosts and 5 runs if it is not told; progress goes to
 * stderr. A thousand hosts take minutes. Briefly: without loss and without splits. Bytes are those
 * on an Ethernet, with a key. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/figures.h"
#include "sim/sim.h"

enum {
    RUNS_MAX = 100,
    LIMIT_MS = 600000,
    REST_MS = 3000,   /* or three times T_lost, after each change; */
    APART_MS = 10000, /* likewise */
    QUIET_MS = 10000,
    PHASE_MS = 1000, /* what happens falls anywhere between two rounds of heartbeats */
};

/* What one run finds, in this order. */
enum what {
    FORM,
    FORM_VIEWS,
    CHANGE,
    CHANGE_LOSS,
    KILL,
    KILL_SENT,
    KILL_FIRST,
    KILL_ACTS,
    HEAL_HALVES,
    HEAL_FEW,
    LOST,
    LOST_FIRST,
    LOST_ACTS,
    SENT,
    SENT_FIRST,
    SENT_VOTER,
    BYTES,
    BYTES_FIRST,
    BYTES_VOTER,
    WHAT_COUNT
};

static const struct {
    const char *text;
    const char *unit;
} captions[WHAT_COUNT] = {
    [FORM] = {"all start at once, until all agree", "ms"},
    [FORM_VIEWS] = {"views that it took", ""},
    [CHANGE] = {"a member's tags change, until all agree", "ms"},
    [CHANGE_LOSS] = {"the same at 1 % loss", "ms"},
    [KILL] = {"kill -9 of a member, until all others agree", "ms"},
    [KILL_SENT] = {"messages of all until then", ""},
    [KILL_FIRST] = {"kill -9 of the coordinator, until all others agree", "ms"},
    [KILL_ACTS] = {"the same, until the next one acts", "ms"},
    [HEAL_HALVES] = {"two halves that can meet again, until all agree", "ms"},
    [HEAL_FEW] = {"three that were apart can come back, until all agree", "ms"},
    [LOST] = {"a host falls silent, until all others agree", "ms"},
    [LOST_FIRST] = {"the coordinator's host falls silent, until all others agree", "ms"},
    [LOST_ACTS] = {"the same, until the next one acts", "ms"},
    [SENT] = {"messages that a member sends in quiet, a second", ""},
    [SENT_FIRST] = {"messages that the coordinator sends in quiet, a second", ""},
    [SENT_VOTER] = {"messages that a voter that does not coordinate sends in quiet, a second", ""},
    [BYTES] = {"bytes that a member sends in quiet, a second", ""},
    [BYTES_FIRST] = {"bytes that the coordinator sends in quiet, a second", ""},
    [BYTES_VOTER] = {"bytes that a voter that does not coordinate sends in quiet, a second", ""},
};

static double agreement_at_once_ms(struct sim *sim, const char *what)
{
    if (!sim_converges(sim, LIMIT_MS)) {
        fprintf(stderr, "bench_growth: no agreement after %s\n", what);
        exit(EXIT_FAILURE);
    }
    return (double)sim_converged_ms(sim);
}

/* T_lost three times, but no shorter than that. */
static uint64_t long_ms(const struct sim *sim, uint64_t least_ms)
{
    uint32_t i = 0;

    while (!sim_is_running(sim, i)) {
        i++;
    }
    const uint64_t ms = 3 * core_timing(sim_core(sim, i))->lost_ms;
    return ms > least_ms ? ms : least_ms;
}

/* Longer than anything goes on that a change has begun. */
static void rest(struct sim *sim)
{
    sim_run(sim, long_ms(sim, REST_MS));
    sim_run(sim, random_below(sim_random(sim), PHASE_MS));
}

static double agreement_ms(struct sim *sim, const char *what)
{
    const double ms = agreement_at_once_ms(sim, what);

    rest(sim);
    return ms;
}

static bool another_acts(struct sim *sim, uint32_t former)
{
    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if (i != former && sim_is_running(sim, i) && sim_is_acting(sim, i)) {
            return true;
        }
    }
    return false;
}

/* From an event that has just ended the coordinator: until another one acts, and all agree. */
static void succession_ms(struct sim *sim, uint32_t former, const char *what, double *acts_ms,
                          double *agree_ms)
{
    const uint64_t began_ms = sim_now_ms(sim);

    while (!another_acts(sim, former) && sim_now_ms(sim) < began_ms + LIMIT_MS) {
        sim_run(sim, 1);
    }
    *acts_ms = (double)(sim_now_ms(sim) - began_ms);
    *agree_ms = *acts_ms + agreement_at_once_ms(sim, what);
    rest(sim);
}

static bool all_have(struct sim *sim, uint32_t subject, const char *tag)
{
    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if (sim_is_running(sim, i) && !sim_has_tag(sim, i, subject, tag)) {
            return false;
        }
    }
    return true;
}

static double tags_ms(struct sim *sim, uint32_t subject, const char *tag)
{
    const uint64_t began_ms = sim_now_ms(sim);

    sim_set_tags(sim, subject, tag);
    while (!all_have(sim, subject, tag)) {
        sim_run(sim, 1);
    }
    const double ms = (double)(sim_now_ms(sim) - began_ms);
    rest(sim);
    return ms;
}

static double split_ms(struct sim *sim, uint32_t first_part, const char *what)
{
    const uint32_t count = sim_host_count(sim);

    for (uint32_t i = 0; i < first_part; i++) {
        for (uint32_t k = first_part; k < count; k++) {
            sim_cut(sim, i, k);
        }
    }
    sim_run(sim, long_ms(sim, APART_MS));
    sim_heal(sim);
    return agreement_ms(sim, what);
}

static uint64_t sent_by(const struct sim *sim, uint32_t host)
{
    uint64_t sent = 0;

    for (int type = 1; type < MESSAGE_TYPE_COUNT; type++) {
        sent += sim_sent(sim, host, (enum message_type)type);
    }
    return sent;
}

static uint64_t sent_by_all(const struct sim *sim)
{
    uint64_t sent = 0;

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        sent += sent_by(sim, i);
    }
    return sent;
}

/* Messages and bytes of the coordinator, of the voters that do not coordinate, and of the others;
 * without voters all of them are the others. */
enum part { FIRST, VOTERS, OTHERS, PARTS };

struct sent {
    double messages[PARTS];
    double bytes[PARTS];
    uint32_t hosts[PARTS];
};

static struct sent sent_so_far(const struct sim *sim)
{
    const uint32_t first = sim_coordinator(sim, 0);
    struct sent sent = {0};

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        const enum part part = i == first ? FIRST : sim_is_voter(sim, i) ? VOTERS : OTHERS;
        sent.messages[part] += (double)sent_by(sim, i);
        sent.bytes[part] += (double)sim_wire_bytes(sim, i);
        sent.hosts[part]++;
    }
    return sent;
}

static double each(double before, double after, uint32_t hosts)
{
    return hosts == 0 ? 0 : (after - before) * 1000 / QUIET_MS / hosts;
}

static void count_sent(struct sim *sim, double found[WHAT_COUNT])
{
    static const enum what whats[PARTS][2] = {
        [FIRST] = {SENT_FIRST, BYTES_FIRST}, {SENT_VOTER, BYTES_VOTER}, {SENT, BYTES}};
    const struct sent before = sent_so_far(sim);

    sim_run(sim, QUIET_MS);
    const struct sent after = sent_so_far(sim);
    for (enum part part = FIRST; part < PARTS; part++) {
        found[whats[part][0]] = each(before.messages[part], after.messages[part],
                                     after.hosts[part]);
        found[whats[part][1]] = each(before.bytes[part], after.bytes[part], after.hosts[part]);
    }
}

/* What is measured. */
struct setting {
    uint32_t hosts;
    uint32_t voters;
    uint8_t watchers;
    struct guard guard; /* the count of a majority is that of the hosts, of strict the voters' */
    enum profile profile;
    bool briefly;
};

/* The last one that does not coordinate, and that is no voter where there are others. */
static uint32_t somebody(const struct sim *sim)
{
    const uint32_t last = sim_host_count(sim) - 1;

    return sim_coordinator(sim, last) == last ? last - 1 : last;
}

static void lose_a_host(struct sim *sim, double found[WHAT_COUNT])
{
    sim_vanish(sim, somebody(sim));
    found[LOST] = agreement_ms(sim, "the loss of a host");
    const uint32_t lost = sim_coordinator(sim, 0);
    sim_vanish(sim, lost);
    succession_ms(sim, lost, "the loss of the coordinator's host", &found[LOST_ACTS],
                  &found[LOST_FIRST]);
}

static void measure(const struct setting *setting, uint64_t seed, double found[WHAT_COUNT])
{
    const uint32_t hosts = setting->hosts;
    struct sim *sim = sim_new(&(struct sim_options){.seed = seed,
                                                    .host_count = hosts,
                                                    .profile = setting->profile,
                                                    .watchers = setting->watchers,
                                                    .guard = setting->guard,
                                                    .voter_count = setting->voters,
                                                    .capacity = hosts + 8,
                                                    .disks = true,
                                                    .spares_codec = true,
                                                    .counts_bytes = true,
                                                    .spares_hash = true});
    sim_start_together(sim);
    found[FORM] = agreement_ms(sim, "the start");
    found[FORM_VIEWS] = (double)sim_version(sim, 0);
    count_sent(sim, found);
    found[CHANGE] = tags_ms(sim, hosts / 3, "role=db");

    if (!setting->briefly) {
        struct quality quality = sim_default_quality();
        quality.loss_ppm = 10000;
        sim_set_quality(sim, &quality);
        found[CHANGE_LOSS] = tags_ms(sim, hosts / 3, "role=web");
        sim_heal(sim);
        rest(sim);
    }

    const uint32_t victim = somebody(sim);
    sim_crash(sim, victim);
    const uint64_t before = sent_by_all(sim);
    found[KILL] = agreement_at_once_ms(sim, "kill -9 of a member");
    found[KILL_SENT] = (double)(sent_by_all(sim) - before);
    rest(sim);
    const uint32_t killed = sim_coordinator(sim, victim == 1 ? 2 : 1);
    sim_crash(sim, killed);
    succession_ms(sim, killed, "kill -9 of the coordinator", &found[KILL_ACTS], &found[KILL_FIRST]);
    sim_start(sim, killed);
    sim_start(sim, victim);
    (void)agreement_ms(sim, "two returns");

    if (!setting->briefly) {
        found[HEAL_HALVES] = split_ms(sim, hosts / 2, "a split in halves");
        found[HEAL_FEW] = split_ms(sim, hosts > 6 ? hosts - 3 : hosts / 2, "three apart");
    }
    lose_a_host(sim, found);
    sim_free(sim);
}

static void refuse_usage(void)
{
    fprintf(stderr,
            "usage: bench_growth [--table] [--watchers N] [--guard none|COUNT|majority|strict] "
            "[--voters N] [--profile local|lan|wan] [--briefly yes|no] [HOSTS [RUNS]]: HOSTS 5 to "
            "4096, RUNS 1 to %d\n",
            RUNS_MAX);
    exit(64);
}

static uint32_t number(const char *text, uint32_t least, uint32_t most)
{
    char *end;
    const unsigned long value = strtoul(text, &end, 10);

    if (*text == '\0' || *end != '\0' || value < least || value > most) {
        refuse_usage();
    }
    return (uint32_t)value;
}

static struct guard guard_named(const char *name)
{
    if (strcmp(name, "none") == 0) {
        return (struct guard){.policy = GUARD_NONE};
    }
    if (strcmp(name, "majority") == 0 || strcmp(name, "strict") == 0) {
        return (struct guard){.policy = name[0] == 'm' ? GUARD_MAJORITY : GUARD_STRICT};
    }
    return (struct guard){.policy = GUARD_COUNT, .count = number(name, 1, 4096)};
}

static enum profile profile_named(const char *name)
{
    static const char *const names[] = {
        [PROFILE_LOCAL] = "local", [PROFILE_LAN] = "lan", [PROFILE_WAN] = "wan"};

    for (enum profile profile = PROFILE_LOCAL; profile <= PROFILE_WAN; profile++) {
        if (strcmp(name, names[profile]) == 0) {
            return profile;
        }
    }
    refuse_usage();
    return PROFILE_LAN;
}

/* Returns whether it is an option of this program. */
static bool take_option(struct setting *setting, const char *name, const char *value)
{
    if (strcmp(name, "--watchers") == 0) {
        setting->watchers = (uint8_t)number(value, WATCHERS_LEAST, WATCHERS_MOST);
    } else if (strcmp(name, "--guard") == 0) {
        setting->guard = guard_named(value);
    } else if (strcmp(name, "--voters") == 0) {
        setting->voters = number(value, 1, VOTERS_MAX);
    } else if (strcmp(name, "--profile") == 0) {
        setting->profile = profile_named(value);
    } else if (strcmp(name, "--briefly") == 0) {
        setting->briefly = strcmp(value, "yes") == 0;
    } else {
        return false;
    }
    return true;
}

static void settle(struct setting *setting)
{
    struct guard *guard = &setting->guard;

    if (guard->policy != GUARD_STRICT) {
        setting->voters = 0;
    }
    if (guard->policy == GUARD_MAJORITY) {
        guard->count = setting->hosts;
    } else if (guard->policy == GUARD_STRICT) {
        guard->count = setting->voters;
    }
}

int main(int argc, char **argv)
{
    const bool table = argc > 1 && strcmp(argv[1], "--table") == 0;
    char **rest = argv + 1 + table;
    int left = argc - 1 - table;
    struct setting setting = {.voters = 5,
                              .watchers = WATCHERS_DEFAULT,
                              .guard = {.policy = GUARD_NONE},
                              .profile = PROFILE_LAN};

    for (; left >= 2 && rest[0][0] == '-'; rest += 2, left -= 2) {
        if (!take_option(&setting, rest[0], rest[1])) {
            refuse_usage();
        }
    }
    if (left > 2) {
        refuse_usage();
    }
    setting.hosts = left > 0 ? number(rest[0], 5, 4096) : 100;
    settle(&setting);
    const uint32_t runs = left > 1 ? number(rest[1], 1, RUNS_MAX) : 5;
    static double samples[WHAT_COUNT][RUNS_MAX];
    static struct figures figures;

    for (uint32_t run = 0; run < runs; run++) {
        double found[WHAT_COUNT] = {0};
        measure(&setting, run + 1, found);
        for (size_t i = 0; i < WHAT_COUNT; i++) {
            samples[i][run] = found[i];
        }
    }
    for (size_t i = 0; i < WHAT_COUNT; i++) {
        figures_add(&figures, captions[i].text, captions[i].unit, samples[i], runs);
    }
    char heading[64];
    snprintf(heading, sizeof heading, "%u hosts, simulated", setting.hosts);
    figures_print(&figures, table, "growth", heading);
    return EXIT_SUCCESS;
}
