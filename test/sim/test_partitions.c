/* The table of partitions among members that come, go, split and merge (docs/partitions.md). */
#include "partition_world.h"

enum {
    CHAOS_STEPS = 60,
    CHAOS_RUNS = 10, /* for each seed */
};

static struct world *world_with(uint64_t seed, uint32_t hosts, const char *tag)
{
    return world_of(&(struct world_options){.seed = seed, .hosts = hosts, .tag = tag});
}

/* P2: floor(P / N) go to who joins, and what one that is killed had to the others. */
Story(partitions, who_joins_gets_its_share_and_who_goes_leaves_it)
{
    struct world *world = world_with(seed, 5, "partitions=271+0");

    world_start_first(world, 4);
    sim_start(world->sim, E);
    world_settle_within(world, SETTLE_MS + TABLE_MS);
    for (uint32_t i = A; i <= E; i++) {
        world_check(world, world->stations[i].news.change.moved == 271 / 5);
        world_check(world, world->stations[i].news.change.least == 271 / 5);
    }
    const uint32_t left = world_owned_by(world, C);
    sim_crash(world->sim, C);
    world_settle_within(world, LOST_MS + TABLE_MS);
    world_check(world, world->stations[A].news.change.moved == left);
    world_check(world, world->stations[E].news.change.led == left);
    world_free(world);
}

/* P3: whoever was there has the table in the moment in which it has the view: without a message,
 * as all are lost here. */
Story(partitions, come_with_the_view)
{
    struct world *world = world_with(seed, 5, "partitions=1000+1");

    world_start_first(world, 4);
    world->loss_percent = 100;
    sim_start(world->sim, E);
    for (uint32_t i = 0; i < SETTLE_MS; i++) {
        world_run(world, 1);
        for (uint32_t host = A; host <= D; host++) {
            const struct keeper *keeper = world->stations[host].keeper;
            world_check(world, view_id_equal(&keeper->of, &keeper->view));
        }
    }
    world_check(world, world->stations[A].keeper->crew.count == 5);
    world_check(world, !keeper_has_table(world->stations[E].keeper));
    world->loss_percent = 0;
    world_settle_within(world, TABLE_MS);
    world_free(world);
}

/* P3: the next maker has the table already. */
Story(partitions, survive_the_coordinator)
{
    struct world *world = world_with(seed, 5, "partitions=271+0");

    world_start_first(world, 5);
    const uint32_t kept = world_owned_by(world, D);
    sim_crash(world->sim, A);
    world_settle_within(world, LOST_MS + TABLE_MS);
    world_check(world, world->stations[D].news.lost == 0);
    world_check(world, world_owned_by(world, D) >= kept);
    world_check(world, world->stations[B].news.change.led <= 271 / 5 + 1);
    sim_leave(world->sim, B);
    world_run(world, SETTLE_MS);
    world_settle_within(world, TABLE_MS);
    world_free(world);
}

/* P5: who joined a moment ago has no table and makes the next one all the same. */
Story(partitions, a_maker_who_has_no_table_gets_it_from_the_others)
{
    struct world *world = world_with(seed, 4, "partitions=1000+2");

    world_start_first(world, 3);
    world->loss_percent = 100;
    sim_start(world->sim, D);
    world_run(world, SETTLE_MS);
    world_check(world, !keeper_has_table(world->stations[D].keeper));
    const uint32_t tables = world->stations[B].tables;
    sim_transfer(world->sim, A, D);
    world_run(world, SETTLE_MS);
    world_check(world, sim_coordinator(world->sim, A) == D);
    world->loss_percent = 0;
    world_settle_within(world, TABLE_MS);
    world_check(world, world->stations[D].keeper->place == 0);
    world_check(world, world->stations[D].news.change.moved == 0);
    world_check(world, world->stations[B].tables >= tables);
    world_free(world);
}

/* P7: the table of the part that wins goes on, and the losers are told what they lose. */
Story(partitions, a_merge_keeps_the_winners_table)
{
    struct world *world = world_with(seed, 5, "partitions=271+0");

    world_start_first(world, 5);
    world_split(world, D);
    world_run(world, LOST_MS + SETTLE_MS);
    const struct partition_table winners = world->stations[A].keeper->table;
    world_check(world,
                world_owned_by(world, A) + world_owned_by(world, B) + world_owned_by(world, C) ==
                    271);
    world_check(world, world_owned_by(world, D) + world_owned_by(world, E) == 271);
    const uint32_t losers_owned = world_owned_by(world, D);
    world_heal(world);
    world_settle_within(world, SETTLE_MS + TABLE_MS);
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
    struct world *world = world_with(seed, 4, "partitions=271+1");

    world_start_first(world, 4);
    sim_drain(world->sim, B, A);
    world_run(world, SETTLE_MS);
    world_settle_within(world, TABLE_MS);
    world_check(world, world_owned_by(world, A) == 0);
    world_check(world, world->stations[A].keeper->settled);
    world_check(world, world->stations[B].keeper->place == 0);
    world_free(world);
}

/* What moves is measured from the table before, whatever gets lost. */
Story(partitions, are_told_though_messages_are_lost)
{
    struct world *world = world_with(seed, 5, "partitions=4096+2");

    world->loss_percent = 30;
    world_start_first(world, 5);
    sim_crash(world->sim, A);
    world_run(world, LOST_MS);
    sim_start(world->sim, A);
    world_run(world, SETTLE_MS);
    world_settle_within(world, SETTLE_MS);
    world_free(world);
}

static void strike_and_settle(uint64_t seed)
{
    struct world *world = world_with(seed, 6,
                                     seed % 2 == 0 ? "partitions=271+1" : "partitions=97+0");

    world_start_first(world, 3);
    for (uint32_t i = 0; i < CHAOS_STEPS; i++) {
        world_strike(world);
        world_run(world, random_between(&world->random, 1, 600));
    }
    world_heal(world);
    for (uint32_t i = 0; i < 6; i++) {
        if (sim_core(world->sim, i) == NULL) {
            sim_start(world->sim, i);
        }
    }
    world_settle_within(world, MINUTE_MS);
    world_run(world, MINUTE_MS / 2); /* There may be another view or two. */
    world_settle_within(world, TABLE_MS);
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
