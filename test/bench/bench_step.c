/* What a heartbeat that a core hears costs, and a turn of its own timer in quiet, by the number of
 * members: one core among members that the program plays itself. All whom it watches are heard in
 * time. Processor time of this machine; `times` is the ratio to the smallest cluster.
 *
 *     bench_step [--table] [--watchers N] [RUNS]
 *
 * prints one JSON object, or a table, for rings and 5 runs if it is not told. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/figures.h"
#include "core/agreement/install.h"
#include "core/core.h"
#include "core/detection/watch.h"
#include "core/state/state.h"

enum {
    RUNS_MAX = 50,
    SIZES = 5,
    BEGIN_MS = 100000,
    WARM_MS = 5000, /* until nothing of the beginning is left */
    QUIET_MS = 5000,
};

static const uint32_t sizes[SIZES] = {5, 30, 100, 1000, 4096};

/* Of whom the core is one: the oldest, or the one in the middle. */
struct crowd {
    struct core *core;
    void *block;
    uint64_t now_ms;
    uint64_t number;   /* of the last message of each of the others */
    uint32_t *watched; /* their positions */
    uint32_t watched_count;
    uint32_t own_number;
    double beats_ms; /* spent on heartbeats, and how many they were */
    double ticks_ms;
    uint64_t beats;
    uint64_t ticks;
};

static double step(struct crowd *crowd, struct event event)
{
    event.now_ms = crowd->now_ms;
    const double began_ms = figures_now_ms();
    const struct effects effects = core_step(crowd->core, &event);
    const double ms = figures_now_ms() - began_ms;

    for (uint32_t i = 0; i < effects.count; i++) {
        if (effects.items[i].type == EFFECT_SEND) {
            crowd->own_number = (uint32_t)effects.items[i].message->number;
        }
    }
    return ms;
}

static void tick(struct crowd *crowd)
{
    crowd->ticks_ms += step(crowd, (struct event){.type = EVENT_TICK});
    crowd->ticks++;
}

static void hear(struct crowd *crowd, uint32_t position)
{
    const struct view *view = core_view(crowd->core);
    const struct message beat = {.type = MESSAGE_HEARTBEAT,
                                 .from = view->members[position].id,
                                 .to = core_self(crowd->core)->id,
                                 .source = view->members[position].address,
                                 .fellow = true,
                                 .number = crowd->number,
                                 .echo = crowd->own_number,
                                 .heartbeat = {.view = view_id_of(view), .view_hash = view->hash}};

    crowd->beats_ms += step(crowd, (struct event){.type = EVENT_MESSAGE, .message = &beat});
    crowd->beats++;
}

/* The others are heard one after the other, each once in T_heartbeat. */
static void pass(struct crowd *crowd, uint64_t ms)
{
    const uint64_t interval_ms = core_timing(crowd->core)->heartbeat_ms;
    const uint64_t end_ms = crowd->now_ms + ms;

    for (; crowd->now_ms < end_ms; crowd->now_ms++) {
        const uint64_t phase = crowd->now_ms % interval_ms;
        crowd->number += phase == 0;
        while (core_deadline_ms(crowd->core) <= crowd->now_ms) {
            tick(crowd);
        }
        for (uint64_t k = phase; k < crowd->watched_count; k += interval_ms) {
            hear(crowd, crowd->watched[k]);
        }
    }
}

static struct member stranger(uint32_t number, struct random *random)
{
    struct member member = {.address = {.family = 4, .port = 7420}, .incarnation = 1};

    for (size_t i = 0; i < sizeof member.id.bytes; i++) {
        member.id.bytes[i] = (uint8_t)random_u64(random);
    }
    member.address.bytes[0] = 10;
    member.address.bytes[2] = (uint8_t)(number >> 8);
    member.address.bytes[3] = (uint8_t)number;
    snprintf(member.name, sizeof member.name, "n%u", number);
    return member;
}

static void let_in(struct crowd *crowd, uint32_t members, uint32_t position, struct random *random)
{
    void *storage = malloc(view_bytes(members));
    struct view view;

    view_init(&view, members, storage);
    view_clear(&view);
    view.lineage = 7;
    view.epoch = 1;
    view.version = members;
    for (uint32_t i = 0; i < members; i++) {
        const struct member member = i == position ? *core_self(crowd->core) : stranger(i, random);
        view_append(&view, &member);
    }
    view_seal(&view);
    if (!view_is_sound(&view)) {
        fprintf(stderr, "bench_step: the view is not sound\n");
        exit(EXIT_FAILURE);
    }
    (void)step(crowd, (struct event){.type = EVENT_TICK});
    (void)install_view(crowd->core, &view);
    (void)step(crowd, (struct event){.type = EVENT_TICK});
    free(storage);
    crowd->watched = calloc((size_t)members + 1, sizeof crowd->watched[0]);
    for (uint32_t i = 0; crowd->watched != NULL && i < members; i++) {
        if (i != position && watch_is_edge(crowd->core, i)) {
            crowd->watched[crowd->watched_count++] = i;
        }
    }
}

static void measure(uint32_t members, uint32_t position, uint8_t watchers, uint64_t seed,
                    double *beat_ns, double *tick_ns)
{
    struct random random;
    const struct timing timing = timing_of(PROFILE_LAN);
    struct member self;

    random_seed(&random, seed);
    self = stranger(position, &random);
    const struct core_options options = {.name = self.name,
                                         .address = self.address,
                                         .guard = {.policy = GUARD_NONE},
                                         .profile = PROFILE_LAN,
                                         .watchers = watchers,
                                         .fanout = FANOUT_DEFAULT,
                                         .timing = timing,
                                         .capacity = members,
                                         .has_seeds = true,
                                         .random_seed = {seed, 2, 3, 4}};
    struct crowd crowd = {.block = calloc(1, core_bytes(members)), .now_ms = BEGIN_MS};
    if (crowd.block == NULL) {
        fprintf(stderr, "bench_step: no memory\n");
        exit(EXIT_FAILURE);
    }
    crowd.core = core_init(crowd.block, &options, crowd.now_ms);
    let_in(&crowd, members, position, &random);
    pass(&crowd, WARM_MS);
    crowd.beats_ms = crowd.ticks_ms = 0;
    crowd.beats = crowd.ticks = 0;
    pass(&crowd, QUIET_MS);
    *beat_ns = crowd.beats_ms * 1e6 / (double)crowd.beats;
    *tick_ns = crowd.ticks_ms * 1e6 / (double)crowd.ticks;
    free(crowd.watched);
    free(crowd.block);
}

static void refuse_usage(void)
{
    fprintf(stderr, "usage: bench_step [--table] [--watchers N] [RUNS]: RUNS 1 to %d\n", RUNS_MAX);
    exit(64);
}

/* What one run finds for each size, in this order. */
enum what { BEAT, TICK, BEAT_FIRST, TICK_FIRST, WHAT_COUNT };

static const char *const texts[WHAT_COUNT] = {
    [BEAT] = "a heartbeat, at a member",
    [TICK] = "a turn of its timer, at a member",
    [BEAT_FIRST] = "a heartbeat, at the coordinator",
    [TICK_FIRST] = "a turn of its timer, at the coordinator",
};

static const char *text_of(enum what what, size_t size)
{
    static char captions[WHAT_COUNT][SIZES + 1][64];
    char *caption = captions[what][size];

    if (size < SIZES) {
        snprintf(caption, sizeof captions[0][0], "%s of %u", texts[what], sizes[size]);
    } else {
        snprintf(caption, sizeof captions[0][0], "%s of %u, to one of %u", texts[what],
                 sizes[SIZES - 1], sizes[0]);
    }
    return caption;
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

static void measure_all(uint8_t watchers, uint32_t runs, bool table)
{
    static double samples[WHAT_COUNT][SIZES + 1][RUNS_MAX];
    static struct figures figures;

    for (uint32_t run = 0; run < runs; run++) {
        for (size_t i = 0; i < SIZES; i++) {
            measure(sizes[i], sizes[i] / 2, watchers, run + 1, &samples[BEAT][i][run],
                    &samples[TICK][i][run]);
            measure(sizes[i], 0, watchers, run + 1, &samples[BEAT_FIRST][i][run],
                    &samples[TICK_FIRST][i][run]);
        }
        for (int what = 0; what < WHAT_COUNT; what++) {
            samples[what][SIZES][run] = samples[what][SIZES - 1][run] / samples[what][0][run];
        }
    }
    for (enum what what = 0; what < WHAT_COUNT; what++) {
        for (size_t i = 0; i <= SIZES; i++) {
            figures_add(&figures, text_of(what, i), i < SIZES ? "ns" : "times", samples[what][i],
                        runs);
        }
    }
    figures_print(&figures, table, "step",
                  watchers == WATCHERS_DEFAULT ? "one core, watched by four"
                                               : "one core, watched by more");
}

int main(int argc, char **argv)
{
    const bool table = argc > 1 && strcmp(argv[1], "--table") == 0;
    char **rest = argv + 1 + table;
    int left = argc - 1 - table;
    uint8_t watchers = WATCHERS_DEFAULT;
    uint32_t runs = 5;

    if (left >= 2 && strcmp(rest[0], "--watchers") == 0) {
        watchers = (uint8_t)number(rest[1], WATCHERS_LEAST, WATCHERS_MOST);
        rest += 2;
        left -= 2;
    }
    if (left == 1) {
        runs = number(rest[0], 1, RUNS_MAX);
    } else if (left > 1) {
        refuse_usage();
    }
    measure_all(watchers, runs, table);
    return EXIT_SUCCESS;
}
