#include "partition_world.h"

#include <stdlib.h>
#include <string.h>

#include "cluster.h"

enum {
    FLYING_MAX = 4096,
    TABLES_MAX = 4096,
    DELAY_MS = 5,
    RETRY_MS = 15,
    RETRY_MOST_MS = 250,
    VOTERS = 3,
    REPEATED_PERCENT = 3, /* of what is said of owners; the second one comes ... */
    LATE_MS = 3000,       /* ... up to so much later */
};

static struct station *station_of(struct world *world, const struct node_id *life)
{
    for (uint32_t i = 0; i < sim_host_count(world->sim); i++) {
        if (id_equal(&world->stations[i].keeper->self, life)) {
            return &world->stations[i];
        }
    }
    return NULL;
}

static void on_send(void *context, const struct partition_message *message)
{
    struct station *station = context;
    struct world *world = station->world;
    const struct station *to = station_of(world, &message->to);

    world->sent++;
    if (to == NULL || world->group_of[to->host] != world->group_of[station->host] ||
        random_between(&world->random, 0, 99) < world->loss_percent) {
        return;
    }
    cr_assert_lt(world->flying_count, (size_t)FLYING_MAX);
    world->flying[world->flying_count++] = (struct flying){
        .due_ms = sim_now_ms(world->sim) + random_between(&world->random, 0, DELAY_MS),
        .to = to->host,
        .message = *message};
}

/* One table for each view. */
static void note_table(struct world *world, const struct keeper *keeper)
{
    for (size_t i = 0; i < world->known_count; i++) {
        if (view_id_equal(&world->known[i].view, &keeper->of)) {
            world_check(world, world->known[i].digest == keeper->digest);
            return;
        }
    }
    cr_assert_lt(world->known_count, (size_t)TABLES_MAX);
    world->known[world->known_count++] = (struct known){.view = keeper->of,
                                                        .digest = keeper->digest};
}

static void check_balance(const struct world *world, const struct keeper *keeper)
{
    uint32_t owned[WORLD_CAPACITY] = {0};
    uint32_t kept[WORLD_CAPACITY] = {0};

    world_check(world, table_is_whole(&keeper->table, keeper->crew.count));
    for (uint32_t p = 0; p < keeper->table.partitions; p++) {
        owned[keeper->table.rows[p].copies[0]]++;
        for (uint32_t i = 0; i < keeper->table.copies && i < keeper->crew.count; i++) {
            kept[keeper->table.rows[p].copies[i]]++;
        }
    }
    for (uint32_t i = 1; i < keeper->crew.count; i++) {
        for (uint32_t other = 0; other < i; other++) {
            world_check(world, owned[i] <= owned[other] + 1 && owned[other] <= owned[i] + 1);
            world_check(world, kept[i] <= kept[other] + 1 && kept[other] <= kept[i] + 1);
        }
    }
}

static void on_table(void *context, const struct keeper_news *news)
{
    struct station *station = context;
    struct world *world = station->world;
    const struct partition_change *change = &news->change;

    station->news = *news;
    station->tables++;
    station->lost += news->lost;
    world_check(world, station->keeper->table.copies > 1 ? change->moved <= 2 * change->least
                                                         : change->moved == change->least);
    note_table(world, station->keeper);
    check_balance(world, station->keeper);
}

/* --- Owners ---------------------------------------------------------------------------------- */

static uint64_t clock_of(const struct station *station)
{
    const struct sim *sim = station->world->sim;

    return host_now_ms(sim, &sim->hosts[station->host]);
}

/* Some of it comes late, or twice. */
static void on_own_send(void *context, const struct own_message *message)
{
    struct station *station = context;
    struct world *world = station->world;
    const struct station *to = station_of(world, &message->to);
    const uint64_t chance = random_between(&world->random, 0, 99);

    world->sent_own++;
    if (to == NULL || world->group_of[to->host] != world->group_of[station->host] ||
        random_between(&world->random, 0, 99) < world->loss_percent) {
        return;
    }
    for (uint32_t i = 0; i < (chance < REPEATED_PERCENT ? 2U : 1U); i++) {
        cr_assert_lt(world->flying_count, (size_t)FLYING_MAX);
        world->flying[world->flying_count++] = (struct flying){
            .due_ms = sim_now_ms(world->sim) +
                      random_between(&world->random, 0, i == 0 ? DELAY_MS : LATE_MS),
            .to = to->host,
            .of_owners = true,
            .own = *message};
    }
}

static void on_command(void *context, const struct role_command *command)
{
    struct station *station = context;
    struct sim *sim = station->world->sim;

    host_step(sim, &sim->hosts[station->host],
              &(struct event){.type = EVENT_ROLE, .role = command});
    tenure_on_step(station->tenure, clock_of(station));
}

/* P9, P14: tokens rise, and no program of another host goes by what is owned anew. */
static void check_new_owner(struct world *world, const struct station *station, uint32_t p)
{
    const uint64_t token = station->tenure->owner.tokens[p];

    world_check(world, token > world->tokens[p]);
    world->tokens[p] = token;
    for (uint32_t i = 0; i < sim_host_count(world->sim); i++) {
        const struct station *other = &world->stations[i];
        world_check(world, other == station || clock_of(other) >= other->programs[p]);
    }
}

static void on_own_news(void *context, enum owner_news news, const struct partition_set *set)
{
    struct station *station = context;
    struct world *world = station->world;

    station->changes++;
    for (uint32_t p = 0; p < PARTITIONS_MAX && news == OWNER_OWNS; p++) {
        if (set_has(set, p) && (world->options.strict || !world->parted)) {
            check_new_owner(world, station, p);
        }
    }
}

/* P8: one owner of each partition, at one instant of the true time. */
static void check_owners(const struct world *world)
{
    struct partition_set all = {.words = {0}};

    for (uint32_t i = 0; i < sim_host_count(world->sim); i++) {
        const struct station *station = &world->stations[i];
        const struct owner *owner = &station->tenure->owner;
        if (!world->sim->hosts[i].running || owner->lease == 0 ||
            clock_of(station) >= owner->until_ms) {
            continue;
        }
        for (uint32_t word = 0; word < PARTITION_SET_WORDS; word++) {
            world_check(world, (all.words[word] & owner->owned.words[word]) == 0);
            all.words[word] |= owner->owned.words[word];
        }
    }
}

/* A program asks what it may go by, or has done with it all. */
static void use(struct world *world, struct station *station)
{
    struct owner *owner = &station->tenure->owner;
    struct partition_set done = {.words = {0}};
    const bool asks = random_between(&world->random, 0, 3) != 0;

    for (uint32_t p = 0; p < owner->options.partitions; p++) {
        const uint64_t until_ms = asks ? owner_promise(owner, p, clock_of(station)) : 0;
        if (until_ms > 0) {
            station->programs[p] = until_ms;
        } else if (!asks) {
            station->programs[p] = 0;
            set_add(&done, p);
        }
    }
    if (!asks) {
        tenure_done(station->tenure, &done, clock_of(station));
    }
}

static void tenure_begin(struct station *station)
{
    struct world *world = station->world;
    const struct timing timing = sim_timing(world->sim);
    const struct partition_terms terms = partition_terms_of(&world->example);

    memset(station->slots, 0, LEDGER_SLOTS_MAX * sizeof *station->slots);
    tenure_init(station->tenure,
                &(struct tenure_options){.core = sim_core(world->sim, station->host),
                                         .keeper = station->keeper,
                                         .partitions = terms.partitions,
                                         .ready_ms = world->options.ready_ms,
                                         .heartbeat_ms = timing.heartbeat_ms,
                                         .held_ms = timing_held_ms(&timing, world->options.strict),
                                         .send = on_own_send,
                                         .command = on_command,
                                         .on_news = on_own_news,
                                         .context = station},
                station->slots);
}

static void own(struct world *world, struct station *station)
{
    const struct core *core = sim_core(world->sim, station->host);
    const uint64_t now_ms = core == NULL ? 0 : clock_of(station);

    if (core != station->tenure->options.core) {
        tenure_begin(station);
    }
    if (core == NULL || world->sim->hosts[station->host].paused) {
        return;
    }
    tenure_on_step(station->tenure, now_ms);
    if (now_ms >= tenure_deadline_ms(station->tenure)) {
        tenure_tick(station->tenure, now_ms);
    }
    if (world->options.uses && random_between(&world->random, 0, 99) == 0) {
        use(world, station);
    }
}

/* --- Stations -------------------------------------------------------------------------------- */

static void station_start(struct world *world, uint32_t host)
{
    struct station *station = &world->stations[host];
    const struct keeper_options options = {.retry_first_ms = RETRY_MS,
                                           .retry_most_ms = RETRY_MOST_MS,
                                           .send = on_send,
                                           .on_table = on_table,
                                           .context = station};

    station->world = world;
    station->host = host;
    station->keeper = malloc(sizeof *station->keeper);
    station->work = malloc(partition_work_bytes());
    station->storage = malloc(view_bytes(WORLD_CAPACITY));
    station->programs = calloc(PARTITIONS_MAX, sizeof *station->programs);
    cr_assert(station->keeper != NULL && station->work != NULL && station->storage != NULL &&
              station->programs != NULL);
    view_init(&station->view, WORLD_CAPACITY, station->storage);
    keeper_init(station->keeper, &options, station->work);
    if (world->options.owns) {
        station->tenure = calloc(1, sizeof *station->tenure);
        station->slots = calloc(LEDGER_SLOTS_MAX, sizeof *station->slots);
        cr_assert(station->tenure != NULL && station->slots != NULL);
        tenure_begin(station);
    }
}

struct world *world_of(const struct world_options *options)
{
    struct world *world = calloc(1, sizeof *world);
    struct sim_options sim = {.seed = options->seed,
                              .host_count = options->hosts,
                              .capacity = WORLD_CAPACITY,
                              .disorder = true};

    cr_assert_not_null(world);
    if (options->strict) {
        sim.seed_count = VOTERS;
        sim.voter_count = VOTERS;
        sim.disks = true;
        sim.exclusive = true;
        sim.disorder = false;
        sim.guard = (struct guard){GUARD_STRICT, VOTERS};
    }
    world->sim = sim_new(&sim);
    world->options = *options;
    world->tags = sim_tags_of(world->options.tag);
    world->example.tags = &world->tags;
    random_seed(&world->random, options->seed);
    world->flying = calloc(FLYING_MAX, sizeof *world->flying);
    world->known = calloc(TABLES_MAX, sizeof *world->known);
    world->tokens = calloc(PARTITIONS_MAX, sizeof *world->tokens);
    cr_assert(world->flying != NULL && world->known != NULL && world->tokens != NULL);
    for (uint32_t i = 0; i < options->hosts; i++) {
        station_start(world, i);
        if (options->strict) {
            sim_skew(world->sim, i, i % 2 == 0 ? CLOCK_RATE_PPM_MAX : -CLOCK_RATE_PPM_MAX);
        }
    }
    return world;
}

void world_free(struct world *world)
{
    for (uint32_t i = 0; i < sim_host_count(world->sim); i++) {
        free(world->stations[i].keeper);
        free(world->stations[i].work);
        free(world->stations[i].storage);
        free(world->stations[i].programs);
        free(world->stations[i].tenure);
        free(world->stations[i].slots);
    }
    sim_free(world->sim);
    free(world->flying);
    free(world->known);
    free(world->tokens);
    free(world);
}

/* The core's view as it is where members were started with --partitions. */
static void follow(struct world *world, struct station *station)
{
    const struct core *core = sim_core(world->sim, station->host);
    const struct view *view = core == NULL ? NULL : core_view(core);

    if (core == NULL || view_is_empty(view) ||
        (core_phase(core) != PHASE_MEMBER && core_phase(core) != PHASE_LEAVING) ||
        !view_has(view, &core_self(core)->id)) {
        keeper_leave(station->keeper);
        return;
    }
    view_copy(&station->view, view);
    for (uint32_t i = 0; i < view->member_count; i++) {
        view_set_tags(&station->view, i, &world->tags);
    }
    keeper_install(station->keeper, &station->view, &core_self(core)->id, sim_now_ms(world->sim));
}

static void deliver(struct world *world)
{
    const uint64_t now_ms = sim_now_ms(world->sim);

    for (size_t i = 0; i < world->flying_count;) {
        if (world->flying[i].due_ms > now_ms) {
            i++;
            continue;
        }
        const struct flying flying = world->flying[i];
        world->flying[i] = world->flying[--world->flying_count];
        const struct station *to = &world->stations[flying.to];
        if (!flying.of_owners) {
            keeper_take(to->keeper, &flying.message, now_ms);
        } else if (sim_core(world->sim, flying.to) != NULL &&
                   !world->sim->hosts[flying.to].paused) {
            tenure_take(to->tenure, &flying.own, clock_of(to));
        }
    }
}

void world_run(struct world *world, uint64_t ms)
{
    for (uint64_t i = 0; i < ms; i++) {
        sim_run(world->sim, 1);
        for (uint32_t host = 0; host < sim_host_count(world->sim); host++) {
            struct station *station = &world->stations[host];
            follow(world, station);
            if (sim_now_ms(world->sim) >= keeper_deadline_ms(station->keeper)) {
                keeper_tick(station->keeper, sim_now_ms(world->sim));
            }
            if (station->tenure != NULL) {
                own(world, station);
            }
        }
        deliver(world);
        if (world->options.owns && (world->options.strict || !world->parted)) {
            check_owners(world);
        }
    }
}

static bool owns_its_own(const struct station *station)
{
    const struct owner *owner = &station->tenure->owner;

    return owner->agreed && clock_of(station) < owner->until_ms &&
           set_equal(&owner->owned, &owner->target);
}

/* All who run agree on view and table; and, with tenures, each owns what the table says. */
static bool is_settled(const struct world *world)
{
    for (uint32_t i = 0; i < sim_host_count(world->sim); i++) {
        const struct station *station = &world->stations[i];
        if (sim_core(world->sim, i) != NULL &&
            (!station->keeper->settled || (station->tenure != NULL && !owns_its_own(station)))) {
            return false;
        }
    }
    return sim_agrees(world->sim);
}

void world_settle_within(struct world *world, uint64_t ms)
{
    for (uint64_t i = 0; i < ms && !is_settled(world); i++) {
        world_run(world, 1);
    }
    world_check(world, is_settled(world));
}

void world_start_first(struct world *world, uint32_t hosts)
{
    for (uint32_t i = 0; i < hosts; i++) {
        sim_start(world->sim, i);
        world_run(world, 300);
    }
    world_settle_within(world, SETTLE_MS + TABLE_MS);
}

uint32_t world_owned_by(const struct world *world, uint32_t host)
{
    return world->stations[host].news.owned;
}

uint32_t world_held_by(const struct world *world, uint32_t host)
{
    const struct owner *owner = &world->stations[host].tenure->owner;

    return owner->lease != 0 && clock_of(&world->stations[host]) < owner->until_ms ? owner->count
                                                                                   : 0;
}

uint64_t world_clock_ms(const struct world *world, uint32_t host)
{
    return clock_of(&world->stations[host]);
}

void world_split(struct world *world, uint32_t first_of_second)
{
    const uint32_t hosts = sim_host_count(world->sim);

    world->parted = true;
    for (uint32_t i = 0; i < hosts; i++) {
        world->group_of[i] = i >= first_of_second;
        for (uint32_t other = i + 1; other < hosts; other++) {
            if (i < first_of_second && other >= first_of_second) {
                sim_cut(world->sim, i, other);
            }
        }
    }
}

void world_heal(struct world *world)
{
    memset(world->group_of, 0, sizeof world->group_of);
    world->loss_percent = 0;
    sim_heal(world->sim);
}

static void strike_link(struct world *world)
{
    const uint32_t hosts = sim_host_count(world->sim);

    switch (random_between(&world->random, 0, 2)) {
    case 0:
        world_split(world, (uint32_t)random_between(&world->random, 1, hosts - 1));
        break;
    case 1:
        world_heal(world);
        break;
    default:
        world->loss_percent = (uint32_t)random_between(&world->random, 0, 60);
        break;
    }
}

void world_strike(struct world *world)
{
    const uint32_t hosts = sim_host_count(world->sim);
    const uint32_t host = (uint32_t)random_between(&world->random, 0, hosts - 1);
    const bool runs = sim_core(world->sim, host) != NULL;
    const uint64_t chance = random_between(&world->random, 0, world->options.owns ? 9 : 7);

    if (chance <= 1 && runs) {
        sim_crash(world->sim, host);
    } else if (chance <= 4 && chance > 1) {
        strike_link(world);
    } else if (chance == 5) {
        sim_transfer(world->sim, (host + 1) % hosts, host);
    } else if (chance == 8 && runs) {
        world->parted = true;
        sim_pause(world->sim, host);
    } else if (chance == 9) {
        sim_resume(world->sim, host);
    } else if (chance > 5 && !runs) {
        world->parted = world->parted ||
                        host == A; /* Its own seed: it may found another cluster. */
        sim_start(world->sim, host);
    }
}
