/* Who owns which partitions, as members come, go, sleep, split and merge (docs/partitions.md, P8 to
 * P14). The world holds against it that no partition has two owners at one instant, that tokens
 * rise, and that no program goes by what another member owns by then. */
#include "partition_world.h"

enum {
    OWNED_MS = 500, /* the lists are told and agreed on, once tables are */
    CHAOS_STEPS = 50,
    CHAOS_RUNS = 2, /* for each seed */
    HOLD_MS = 1800, /* T_hold of the lan profile */
};

static struct world *owners(uint64_t seed, uint32_t hosts)
{
    return world_of(&(struct world_options){
        .seed = seed, .hosts = hosts, .tag = "partitions=271+0", .owns = true});
}

static struct world *strict_owners(uint64_t seed, uint32_t hosts)
{
    return world_of(&(struct world_options){.seed = seed,
                                            .hosts = hosts,
                                            .tag = "partitions=97+1",
                                            .owns = true,
                                            .uses = true,
                                            .strict = true});
}

static uint32_t held_by_all(const struct world *world)
{
    uint32_t held = 0;

    for (uint32_t i = 0; i < sim_host_count(world->sim); i++) {
        held += sim_core(world->sim, i) == NULL ? 0 : world_held_by(world, i);
    }
    return held;
}

/* P9: what a join moves is handed over, and nothing else changes its owner or its token. */
Story(ownership, who_joins_is_handed_its_share)
{
    struct world *world = owners(seed, 5);

    world_start_first(world, 4);
    world_check(world, held_by_all(world) == 271);
    struct partition_set kept = world->stations[B].tenure->owner.owned;
    const uint64_t changes = world->stations[B].changes;
    sim_start(world->sim, E);
    world_settle_within(world, SETTLE_MS + TABLE_MS + OWNED_MS);
    world_check(world, held_by_all(world) == 271);
    world_check(world, world_held_by(world, E) == 271 / 5);
    for (uint32_t p = 0; p < 271; p++) {
        world_check(world,
                    !set_has(&world->stations[B].tenure->owner.owned, p) || set_has(&kept, p));
    }
    world_check(world, world->stations[B].changes == changes + 1); /* OWNER_LOST, once */
    world_free(world);
}

/* P8, P12: nobody loses anything when the coordinator goes, and what it owned is free at once. */
Story(ownership, survives_the_coordinator)
{
    struct world *world = owners(seed, 5);

    world_start_first(world, 5);
    const uint64_t changes = world->stations[C].changes;
    const uint64_t token = world->stations[C].tenure->owner.hash;
    sim_crash(world->sim, A);
    world_settle_within(world, LOST_MS + TABLE_MS + OWNED_MS);
    world_check(world, held_by_all(world) == 271);
    world_check(world, world->stations[C].changes <= changes + 1); /* OWNER_OWNS, of A's */
    world_check(world, world->stations[C].tenure->owner.hash != token);
    world_free(world);
}

/* P13: the losers own nothing on the way, and the winners get new tokens without a loss. */
Story(ownership, a_merge_keeps_what_the_winners_own)
{
    struct world *world = owners(seed, 5);

    world_start_first(world, 5);
    world_split(world, D);
    world_run(world, LOST_MS + SETTLE_MS);
    world_check(world, world_held_by(world, D) + world_held_by(world, E) == 271);
    const struct partition_set kept = world->stations[B].tenure->owner.owned;
    world_heal(world);
    world_settle_within(world, SETTLE_MS + TABLE_MS + OWNED_MS);
    world_check(world, held_by_all(world) == 271);
    const struct owner *owner = &world->stations[B].tenure->owner;
    for (uint32_t p = 0; p < 271; p++) {
        world_check(world, !set_has(&owner->owned, p) || set_has(&kept, p));
        world_check(world, !set_has(&owner->owned, p) ||
                               role_token_epoch(owner->tokens[p]) == owner->epoch);
    }
    world_free(world);
}

/* E7: what a drained member owns is handed over, not dropped. */
Story(ownership, who_is_drained_hands_over)
{
    struct world *world = owners(seed, 4);

    world_start_first(world, 4);
    sim_drain(world->sim, B, C);
    world_run(world, SETTLE_MS);
    world_settle_within(world, TABLE_MS + OWNED_MS);
    world_check(world, world_held_by(world, C) == 0);
    world_check(world, world->stations[C].tenure->owner.lease != 0);
    world_check(world, held_by_all(world) == 271);
    world_free(world);
}

/* P14: the former owner goes on until the next one is ready, or has said nothing for too long. */
Story(ownership, nothing_moves_before_the_next_owner_is_ready)
{
    struct world *world = world_of(&(struct world_options){
        .seed = seed, .hosts = 4, .tag = "partitions=271+0", .owns = true, .ready_ms = 5000});
    const struct partition_set nothing = {.words = {0}};

    sim_start(world->sim, A);
    world_run(world, SETTLE_MS + 5000);
    sim_start(world->sim, B);
    world_run(world, SETTLE_MS);
    world_check(world, world_held_by(world, A) == 271);
    struct tenure *tenure = world->stations[B].tenure;
    const struct partition_set target = tenure->owner.target;
    world_check(world, set_count(&target) == 135);
    tenure_ready(tenure, &nothing, world_clock_ms(world, B));
    world_run(world, OWNED_MS);
    world_check(world, world_held_by(world, A) == 271);
    tenure_ready(tenure, &target, world_clock_ms(world, B));
    world_settle_within(world, OWNED_MS);
    world_check(world, world_held_by(world, B) == 135);
    sim_start(world->sim, C);
    world_run(world, 5000);
    world_settle_within(world, SETTLE_MS + OWNED_MS);
    world_check(world, world_held_by(world, C) == 90);
    world_free(world);
}

/* P8: under strict nobody gets what a silent owner may still have; after T_hold the others do. */
Story(ownership, under_strict_a_silent_owner_is_waited_for)
{
    struct world *world = strict_owners(seed, 5);

    world_start_first(world, 5);
    world_run(world, 2 * HOLD_MS);
    world_settle_within(world, OWNED_MS);
    sim_pause(world->sim, E);
    world_run(world, 3 * HOLD_MS);
    world_check(world, world_held_by(world, E) == 0);
    sim_crash(world->sim, D);
    world_run(world, 2 * HOLD_MS);
    sim_resume(world->sim, E);
    world_settle_within(world, MINUTE_MS);
    world_check(world, held_by_all(world) == 97);
    world_free(world);
}

static void strike_and_settle(struct world *world, uint64_t seed)
{
    const uint32_t hosts = sim_host_count(world->sim);

    world_start_first(world, 3);
    for (uint32_t i = 0; i < CHAOS_STEPS; i++) {
        world_strike(world);
        world_run(world, random_between(&world->random, 1, seed % 3 == 0 ? 3000 : 600));
    }
    world_heal(world);
    for (uint32_t i = 0; i < hosts; i++) {
        if (sim_core(world->sim, i) == NULL) {
            sim_start(world->sim, i);
        }
    }
    world_run(world, MINUTE_MS / 2);
    world_settle_within(world, MINUTE_MS);
    world->options.uses = false;
    world_run(world, SETTLE_MS);
    const uint64_t sent = world->sent_own;
    world_run(world, SETTLE_MS);
    world_check(world, world->sent_own == sent); /* Who agrees is silent. */
    world_free(world);
}

/* Whatever happens: two owners at one instant never, and in the end one of each. */
Story(ownership, strict_never_two_whatever_happens)
{
    for (uint64_t i = 0; i < CHAOS_RUNS; i++) {
        const uint64_t each = seed * CHAOS_RUNS + i;
        strike_and_settle(strict_owners(each, 5), each);
    }
}

Story(ownership, settles_after_anything)
{
    for (uint64_t i = 0; i < CHAOS_RUNS; i++) {
        const uint64_t each = seed * CHAOS_RUNS + i;
        strike_and_settle(owners(each, 6), each);
    }
}
