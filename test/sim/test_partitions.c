/* The table of partitions among members that come, go, split and merge (docs/partitions.md): a
 * keeper stands beside each core, and what keepers say to each other is late, lost and cut off as
 * everything is. Held all the while: of one view there is one table, it is balanced, and it cost
 * the least that it could. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "core/model/view.h"
#include "partition/keeper.h"
#include "story.h"

enum {
    HOSTS_MAX = 8,
    CAPACITY = 16,
    FLYING_MAX = 4096,
    TABLES_MAX = 4096,
    DELAY_MS = 5,
    RETRY_MS = 15,
    RETRY_MOST_MS = 250,
    TABLE_MS = 1000, /* a table is settled within it, once views are */
    CHAOS_STEPS = 60,
    CHAOS_RUNS = 10, /* for each seed */
};

struct world;

struct station {
    struct world *world;
    uint32_t host;
    struct keeper *keeper;
    struct partition_work *work;
    struct view view; /* the core's, with tags */
    void *storage;
    uint32_t tables; /* told of */
    uint32_t lost;   /* by all of them */
    struct keeper_news news;
};

struct flying {
    uint64_t due_ms;
    uint32_t to;
    struct partition_message message;
};

/* The table of a view, as whoever was first had it. */
struct known {
    struct view_id view;
    uint64_t digest;
};

struct world {
    struct sim *sim;
    struct random random;
    uint64_t seed;
    const char *tag;
    struct station stations[HOSTS_MAX];
    struct flying *flying;
    size_t flying_count;
    struct known *known;
    size_t known_count;
    uint32_t loss_percent;
    uint32_t group_of[HOSTS_MAX];
    uint64_t sent;
};

#define world_check(world, condition) story_check(condition, (world)->seed)

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
    uint32_t owned[CAPACITY] = {0};
    uint32_t kept[CAPACITY] = {0};

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
    station->storage = malloc(view_bytes(CAPACITY));
    cr_assert(station->keeper != NULL && station->work != NULL && station->storage != NULL);
    view_init(&station->view, CAPACITY, station->storage);
    keeper_init(station->keeper, &options, station->work);
}

static struct world *world_of(uint64_t seed, uint32_t hosts, const char *tag)
{
    struct world *world = calloc(1, sizeof *world);

    cr_assert_not_null(world);
    world->sim = sim_new(&(struct sim_options){
        .seed = seed, .host_count = hosts, .capacity = CAPACITY, .disorder = true});
    world->seed = seed;
    world->tag = tag;
    random_seed(&world->random, seed);
    world->flying = calloc(FLYING_MAX, sizeof *world->flying);
    world->known = calloc(TABLES_MAX, sizeof *world->known);
    cr_assert(world->flying != NULL && world->known != NULL);
    for (uint32_t i = 0; i < hosts; i++) {
        station_start(world, i);
    }
    return world;
}

static void world_free(struct world *world)
{
    for (uint32_t i = 0; i < sim_host_count(world->sim); i++) {
        free(world->stations[i].keeper);
        free(world->stations[i].work);
        free(world->stations[i].storage);
    }
    sim_free(world->sim);
    free(world->flying);
    free(world->known);
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
        struct tags *tags = &station->view.members[i].tags;
        tags->length = (uint16_t)(strlen(world->tag) + 1);
        memcpy(tags->text, world->tag, tags->length);
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
        keeper_take(world->stations[flying.to].keeper, &flying.message, now_ms);
    }
}

static void world_run(struct world *world, uint64_t ms)
{
    for (uint64_t i = 0; i < ms; i++) {
        sim_run(world->sim, 1);
        for (uint32_t host = 0; host < sim_host_count(world->sim); host++) {
            struct station *station = &world->stations[host];
            follow(world, station);
            if (sim_now_ms(world->sim) >= keeper_deadline_ms(station->keeper)) {
                keeper_tick(station->keeper, sim_now_ms(world->sim));
            }
        }
        deliver(world);
    }
}

static bool is_settled(const struct world *world)
{
    for (uint32_t i = 0; i < sim_host_count(world->sim); i++) {
        if (sim_core(world->sim, i) != NULL && !world->stations[i].keeper->settled) {
            return false;
        }
    }
    return sim_agrees(world->sim);
}

/* All who run agree on view and table. */
static void settle_within(struct world *world, uint64_t ms)
{
    for (uint64_t i = 0; i < ms && !is_settled(world); i++) {
        world_run(world, 1);
    }
    world_check(world, is_settled(world));
}

static void start_first(struct world *world, uint32_t hosts)
{
    for (uint32_t i = 0; i < hosts; i++) {
        sim_start(world->sim, i);
        world_run(world, 300);
    }
    settle_within(world, SETTLE_MS + TABLE_MS);
}

static uint32_t owned_by(const struct world *world, uint32_t host)
{
    return world->stations[host].news.owned;
}

static void split(struct world *world, uint32_t first_of_second)
{
    const uint32_t hosts = sim_host_count(world->sim);

    for (uint32_t i = 0; i < hosts; i++) {
        world->group_of[i] = i >= first_of_second;
        for (uint32_t other = i + 1; other < hosts; other++) {
            if (i < first_of_second && other >= first_of_second) {
                sim_cut(world->sim, i, other);
            }
        }
    }
}

static void heal(struct world *world)
{
    memset(world->group_of, 0, sizeof world->group_of);
    world->loss_percent = 0;
    sim_heal(world->sim);
}

/* P2: floor(P / N) go to who joins, and what one that is killed had to the others. */
Story(partitions, who_joins_gets_its_share_and_who_goes_leaves_it)
{
    struct world *world = world_of(seed, 5, "partitions=271+0");

    start_first(world, 4);
    sim_start(world->sim, E);
    settle_within(world, SETTLE_MS + TABLE_MS);
    for (uint32_t i = A; i <= E; i++) {
        world_check(world, world->stations[i].news.change.moved == 271 / 5);
        world_check(world, world->stations[i].news.change.least == 271 / 5);
    }
    const uint32_t left = owned_by(world, C);
    sim_crash(world->sim, C);
    settle_within(world, LOST_MS + TABLE_MS);
    world_check(world, world->stations[A].news.change.moved == left);
    world_check(world, world->stations[E].news.change.led == left);
    world_free(world);
}

/* P3: the next maker has the table already. */
Story(partitions, survive_the_coordinator)
{
    struct world *world = world_of(seed, 5, "partitions=271+0");

    start_first(world, 5);
    const uint32_t kept = owned_by(world, D);
    sim_crash(world->sim, A);
    settle_within(world, LOST_MS + TABLE_MS);
    world_check(world, world->stations[D].news.lost == 0);
    world_check(world, owned_by(world, D) >= kept);
    world_check(world, world->stations[B].news.change.led <= 271 / 5 + 1);
    sim_leave(world->sim, B);
    world_run(world, SETTLE_MS);
    settle_within(world, TABLE_MS);
    world_free(world);
}

/* P5: who joined a moment ago has no table and makes the next one all the same. */
Story(partitions, a_maker_who_has_no_table_gets_it_from_the_others)
{
    struct world *world = world_of(seed, 4, "partitions=1000+2");

    start_first(world, 3);
    world->loss_percent = 100;
    sim_start(world->sim, D);
    world_run(world, SETTLE_MS);
    world_check(world, !keeper_has_table(world->stations[D].keeper));
    const uint32_t tables = world->stations[B].tables;
    sim_transfer(world->sim, A, D);
    world_run(world, SETTLE_MS);
    world_check(world, sim_coordinator(world->sim, A) == D);
    world->loss_percent = 0;
    settle_within(world, TABLE_MS);
    world_check(world, world->stations[D].keeper->place == 0);
    world_check(world, world->stations[D].news.change.moved == 0);
    world_check(world, world->stations[B].tables >= tables);
    world_free(world);
}

/* P7: the table of the part that wins goes on, and the losers are told what they lose. */
Story(partitions, a_merge_keeps_the_winners_table)
{
    struct world *world = world_of(seed, 5, "partitions=271+0");

    start_first(world, 5);
    split(world, D);
    world_run(world, LOST_MS + SETTLE_MS);
    const struct partition_table winners = world->stations[A].keeper->table;
    world_check(world, owned_by(world, A) + owned_by(world, B) + owned_by(world, C) == 271);
    world_check(world, owned_by(world, D) + owned_by(world, E) == 271);
    const uint32_t losers_owned = owned_by(world, D);
    heal(world);
    settle_within(world, SETTLE_MS + TABLE_MS);
    const struct keeper *keeper = world->stations[A].keeper;
    world_check(world, keeper->crew.count == 5);
    for (uint32_t p = 0; p < 271; p++) {
        const uint16_t owner = keeper->table.rows[p].copies[0];
        world_check(world, owner == winners.rows[p].copies[0] || owner >= 3);
    }
    world_check(world,
                world->stations[D].news.lost > 0 || world->stations[D].news.owned == losers_owned);
    world_check(world,
                world->stations[E].lost + world->stations[D].lost >= 271 - 2 * (271 / 5 + 1));
    world_free(world);
}

/* E7: who is drained keeps nothing, and knows the table. */
Story(partitions, who_is_drained_keeps_nothing)
{
    struct world *world = world_of(seed, 4, "partitions=271+1");

    start_first(world, 4);
    sim_drain(world->sim, B, A);
    world_run(world, SETTLE_MS);
    settle_within(world, TABLE_MS);
    world_check(world, owned_by(world, A) == 0);
    world_check(world, world->stations[A].keeper->settled);
    world_check(world, world->stations[B].keeper->place == 0);
    world_free(world);
}

/* What moves is measured from the table before, whatever gets lost. */
Story(partitions, are_told_though_messages_are_lost)
{
    struct world *world = world_of(seed, 5, "partitions=4096+2");

    world->loss_percent = 30;
    start_first(world, 5);
    sim_crash(world->sim, A);
    world_run(world, LOST_MS);
    sim_start(world->sim, A);
    world_run(world, SETTLE_MS);
    settle_within(world, SETTLE_MS);
    world_free(world);
}

static void strike(struct world *world)
{
    const uint32_t host = (uint32_t)random_between(&world->random, 0,
                                                   sim_host_count(world->sim) - 1);

    switch (random_between(&world->random, 0, 7)) {
    case 0:
    case 1:
        if (sim_core(world->sim, host) != NULL) {
            sim_crash(world->sim, host);
        }
        break;
    case 2:
        split(world, (uint32_t)random_between(&world->random, 1, sim_host_count(world->sim) - 1));
        break;
    case 3:
        heal(world);
        break;
    case 4:
        world->loss_percent = (uint32_t)random_between(&world->random, 0, 60);
        break;
    case 5:
        sim_transfer(world->sim, (host + 1) % sim_host_count(world->sim), host);
        break;
    default:
        if (sim_core(world->sim, host) == NULL) {
            sim_start(world->sim, host);
        }
        break;
    }
}

static void strike_and_settle(uint64_t seed)
{
    struct world *world = world_of(seed, 6, seed % 2 == 0 ? "partitions=271+1" : "partitions=97+0");

    start_first(world, 3);
    for (uint32_t i = 0; i < CHAOS_STEPS; i++) {
        strike(world);
        world_run(world, random_between(&world->random, 1, 600));
    }
    heal(world);
    for (uint32_t i = 0; i < 6; i++) {
        if (sim_core(world->sim, i) == NULL) {
            sim_start(world->sim, i);
        }
    }
    settle_within(world, MINUTE_MS);
    world_run(world, MINUTE_MS / 2); /* There may be another view or two. */
    settle_within(world, TABLE_MS);
    const uint64_t sent = world->sent;
    world_run(world, SETTLE_MS);
    world_check(world, world->sent == sent); /* Who is settled is silent. */
    world_free(world);
}

/* Whatever happens, in the end all have the same table. */
Story(partitions, settle_after_anything)
{
    for (uint64_t i = 0; i < CHAOS_RUNS; i++) {
        strike_and_settle(seed * CHAOS_RUNS + i);
    }
}
