/* Size is a fault: behind a path of a smaller MTU that tells nobody so, longer datagrams are lost,
 * and a stream is stuck at the first segment that is longer. Whoever cannot take up the present
 * view there leads nobody, stops nobody, and is out with the reason. */
#include <string.h>

#include "story_voters.h"

enum {
    SEVEN = 7,
    HOLE_OF_TUNNELS = 1240,  /* a path of 1,280 bytes, less headers */
    HOLE_OF_OLD_LINKS = 560, /* of 600 */
    ACTS_AGAIN_MS = 2000,    /* after a loss of the coordinator */
    OUT_MS = 10000,          /* twice T_stall: who is behind is out, by its own judgement, too */
    MANY_LOOKS = 20,         /* while that passes */
    BLINK_MS = 300,
};

/* Tags that make views of seven too long for each of the holes. */
static const char *const LONG_TAG =
    "a=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

static const struct guard NO_GUARD = {.policy = GUARD_NONE};
static const struct guard OF_SEVEN = {.policy = GUARD_MAJORITY, .count = SEVEN};
static const struct guard FIVE_VOTERS = {.policy = GUARD_STRICT, .count = 5};

/* Who sits behind a hole of which size, and for how long when the coordinator dies. */
struct hole {
    struct guard guard;
    uint32_t bytes;
    uint32_t hosts[2];
    uint32_t count;
    uint64_t for_ms;
};

static bool is_behind(const struct hole *hole, uint32_t host)
{
    return (hole->count > 0 && host == hole->hosts[0]) ||
           (hole->count > 1 && host == hole->hosts[1]);
}

static struct sim *seven(uint64_t seed, struct guard guard)
{
    return story_of(&(struct sim_options){
        .seed = seed,
        .host_count = SEVEN,
        .seed_count = guard.policy == GUARD_STRICT ? guard.count : 3,
        .guard = guard,
        .voter_count = guard.policy == GUARD_STRICT ? guard.count : 0,
        .exclusive = guard.policy == GUARD_STRICT,
        .disks = true,
        .disorder = guard.policy != GUARD_STRICT,
    });
}

/* All but A and those behind the hole start again with long tags, two at a time: then they are the
 * youngest, and the view is too long for the hole. */
static struct sim *cluster_with(const struct hole *hole, uint64_t seed)
{
    struct sim *sim = seven(seed, hole->guard);
    uint32_t down[SEVEN];
    uint32_t count = 0;

    for (uint32_t i = 0; i < hole->count; i++) {
        sim_narrow(sim, hole->hosts[i], hole->bytes);
    }
    for (uint32_t host = B; host < SEVEN; host++) {
        if (!is_behind(hole, host)) {
            sim_tag(sim, host, LONG_TAG);
            sim_crash(sim, host);
            down[count++] = host;
        }
        if (count == 2 || (count == 1 && host == G)) {
            sim_run(sim, 200);
            for (; count > 0; count--) {
                sim_start(sim, down[count - 1]);
            }
            sim_run(sim, host == G ? 300 : 1200);
        }
    }
    return sim;
}

static uint32_t any_sound(const struct sim *sim, const struct hole *hole)
{
    uint32_t host = A;

    while (host < SEVEN && (is_behind(hole, host) || !sim_is_running(sim, host))) {
        host++;
    }
    return host;
}

/* How many act in the part of those who are not behind the hole. */
static uint32_t acting(struct sim *sim, const struct hole *hole)
{
    const char *view = sim_view_text(sim, any_sound(sim, hole));
    uint32_t count = 0;

    for (uint32_t host = A; host < SEVEN; host++) {
        count += strcmp(sim_view_text(sim, host), view) == 0 && sim_is_acting(sim, host);
    }
    return count;
}

/* Those who are not behind the hole have one view; those who are have it too, or are no members,
 * and the others know why. */
static void check_all_are_in_or_out(struct sim *sim, const struct hole *hole, uint64_t seed)
{
    const uint32_t sound = any_sound(sim, hole);

    for (uint32_t host = A; host < SEVEN; host++) {
        if (!sim_is_running(sim, host)) {
            continue;
        }
        bool in = sim_age(sim, sound, host) != 0;
        bool same = strcmp(sim_view_text(sim, host), sim_view_text(sim, sound)) == 0;
        if (!is_behind(hole, host) || in) {
            story_check(same, seed);
            continue;
        }
        story_check(sim_phase(sim, host) == PHASE_JOINING, seed);
        story_check(sim_gone(sim, sound, host) != NULL, seed);
    }
}

static enum gone_reason why_gone(const struct sim *sim, uint32_t observer, uint32_t subject)
{
    const struct gone *gone = sim_gone(sim, observer, subject);

    return gone == NULL ? 0 : gone->reason;
}

/* One acts, or does so in a moment: under guard strict a new epoch, to which a joiner that never
 * comes leads (Z2l), takes the time of a heartbeat. */
static bool one_acts(struct sim *sim, const struct hole *hole)
{
    for (uint64_t ms = 0; ms < BLINK_MS && acting(sim, hole) != 1; ms += 10) {
        sim_run(sim, 10);
    }
    return acting(sim, hole) == 1;
}

static void tell_of_loss(const struct hole *hole, uint64_t seed)
{
    struct sim *sim = cluster_with(hole, seed);

    sim_run(sim, hole->for_ms);
    story_check(one_acts(sim, hole) && sim_coordinator(sim, A) == A, seed);
    if (hole->for_ms > STALLED_MS && hole->bytes == HOLE_OF_OLD_LINKS) {
        story_check(why_gone(sim, A, hole->hosts[0]) == GONE_BEHIND, seed);
    }
    sim_crash(sim, A);
    sim_run(sim, ACTS_AGAIN_MS);
    story_check(one_acts(sim, hole), seed);
    for (int look = 0; look < MANY_LOOKS; look++) {
        story_check(one_acts(sim, hole), seed);
        sim_run(sim, OUT_MS / MANY_LOOKS);
    }
    story_check(one_acts(sim, hole) && sim_acting_count(sim) == 1, seed);
    check_all_are_in_or_out(sim, hole, seed);
    sim_free(sim);
}

/* After the coordinator's death at any time: the one behind the hole may not know yet that it is
 * so, or may be out long since. */
static void tell_of_losses(struct hole hole, uint64_t seed)
{
    static const uint64_t times[] = {0, 700, 4000, 12000};
    static const uint32_t sizes[] = {HOLE_OF_TUNNELS, HOLE_OF_OLD_LINKS};

    for (size_t i = 0; i < 4; i++) {
        for (size_t k = 0; k < 2; k++) {
            hole.for_ms = times[i];
            hole.bytes = sizes[k];
            tell_of_loss(&hole, seed);
        }
    }
}

/* H90: the one behind the hole is the next oldest, and holds a view from before the others came. */
Story(size, one_behind_a_hole_stops_nobody)
{
    tell_of_losses((struct hole){.guard = NO_GUARD, .hosts = {B}, .count = 1}, seed);
}

Story(size, one_behind_a_hole_stops_no_majority)
{
    tell_of_losses((struct hole){.guard = OF_SEVEN, .hosts = {B}, .count = 1}, seed);
}

Story(size, one_behind_a_hole_stops_no_voters)
{
    tell_of_losses((struct hole){.guard = FIVE_VOTERS, .hosts = {F}, .count = 1}, seed);
    tell_of_losses((struct hole){.guard = FIVE_VOTERS, .hosts = {B}, .count = 1}, seed);
}

/* They hold the same view, and would make one more majority of it. */
Story(size, two_behind_a_hole_stop_nobody)
{
    tell_of_losses((struct hole){.guard = NO_GUARD, .hosts = {B, C}, .count = 2}, seed);
}

Story(size, two_behind_a_hole_stop_no_majority)
{
    tell_of_losses((struct hole){.guard = OF_SEVEN, .hosts = {B, C}, .count = 2}, seed);
}

Story(size, two_behind_a_hole_stop_no_voters)
{
    tell_of_losses((struct hole){.guard = FIVE_VOTERS, .hosts = {F, G}, .count = 2}, seed);
}

/* H91: nothing long leaves the coordinator's host, and its view changes by more than a datagram
 * holds. Nobody gets that view; the next oldest leads them all, and the former one comes in again.
 */
static void tell_of_a_coordinator(struct guard guard, uint64_t seed)
{
    struct sim *sim = seven(seed, guard);

    for (uint32_t host = B; host < SEVEN; host++) {
        sim_narrow_one_way(sim, A, host, HOLE_OF_OLD_LINKS);
        sim_set_tags(sim, host, LONG_TAG);
    }
    sim_run(sim, 1000);
    story_check(sim_version(sim, A) > sim_version(sim, B), seed);
    sim_run(sim, OUT_MS);
    story_check(sim_coordinator(sim, C) != A && !sim_is_acting(sim, A), seed);
    story_check(sim_acting_count(sim) == 1 && sim_agrees(sim), seed);
    sim_free(sim);
}

Story(size, a_coordinator_that_nobody_can_follow_gives_way)
{
    tell_of_a_coordinator(NO_GUARD, seed);
    tell_of_a_coordinator(OF_SEVEN, seed);
}

/* L3b: no view of it is accepted by a majority of the voters, so that all keep the one that they
 * hold, and another takes over from there. */
Story(size, a_coordinator_that_no_voter_can_follow_gives_way)
{
    struct sim *sim = seven(seed, FIVE_VOTERS);

    for (uint32_t host = B; host < SEVEN; host++) {
        sim_narrow_one_way(sim, A, host, HOLE_OF_OLD_LINKS);
        sim_set_tags(sim, host, LONG_TAG);
    }
    sim_run(sim, 1000);
    story_check(sim_is_acting(sim, A), seed);
    sim_run(sim, OUT_MS);
    story_check(sim_coordinator(sim, C) != A && !sim_is_acting(sim, A), seed);
    story_check(sim_acting_count(sim) == 1 && sim_agrees(sim), seed);
    sim_free(sim);
}

/* Nothing long passes anywhere when the coordinator dies: what a take-over needs is short, as all
 * hold one view. */
static void tell_of_all(struct guard guard, uint32_t bytes, uint64_t seed)
{
    struct sim *sim = seven(seed, guard);
    const struct hole hole = {.count = 0};

    for (uint32_t host = A; host < SEVEN; host++) {
        sim_set_tags(sim, host, LONG_TAG);
    }
    sim_run(sim, SETTLE_MS);
    story_check(sim_agrees(sim), seed);
    for (uint32_t host = A; host < SEVEN; host++) {
        sim_narrow(sim, host, bytes);
    }
    sim_run(sim, OUT_MS);
    story_check(one_acts(sim, &hole) && sim_acting_count(sim) == 1, seed);
    const uint32_t first = sim_coordinator(sim, G);
    sim_crash(sim, first);
    sim_run(sim, ACTS_AGAIN_MS);
    story_check(one_acts(sim, &hole), seed);
    sim_run(sim, OUT_MS);
    story_check(one_acts(sim, &hole) && sim_acting_count(sim) == 1 && sim_agrees(sim), seed);
    sim_free(sim);
}

Story(size, all_behind_holes_are_led_all_the_same)
{
    tell_of_all(NO_GUARD, HOLE_OF_OLD_LINKS, seed);
    tell_of_all(OF_SEVEN, HOLE_OF_OLD_LINKS, seed);
    tell_of_all(FIVE_VOTERS, HOLE_OF_OLD_LINKS, seed);
}

static struct sim *with_long_tags(uint64_t seed)
{
    struct sim *sim = sim_new(&(struct sim_options){
        .seed = seed, .host_count = SEVEN, .seed_count = 2, .disorder = true});

    for (uint32_t host = C; host < SEVEN; host++) {
        sim_tag(sim, host, LONG_TAG);
    }
    return sim;
}

/* H92: it was cut off, and acts for itself; when the cut is mended nothing long reaches it, the
 * view of both parts neither. */
Story(size, a_part_of_one_that_cannot_be_taken_up_gives_way)
{
    struct sim *sim = with_long_tags(seed);

    sim_start_in_order(sim, 300);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_isolate(sim, D);
    sim_run(sim, SETTLE_MS);
    story_check(sim_is_acting(sim, D), seed);
    sim_narrow(sim, D, HOLE_OF_TUNNELS);
    sim_rejoin_network(sim, D);
    sim_run(sim, 2 * OUT_MS);
    story_check(sim_phase(sim, D) == PHASE_JOINING, seed);
    story_check(sim_is_acting(sim, A) && sim_acting_count(sim) == 1, seed);
    sim_free(sim);
}

static bool follows_one_that_acts(const struct sim *sim, uint32_t host)
{
    const uint32_t first = sim_coordinator(sim, host);

    return first != SIM_NOBODY && sim_is_acting(sim, first);
}

/* H93: the coordinator dies as soon as five have come in. The one behind the hole, which does not
 * know of them, makes a view of its own, and shows it to each of them. */
Story(size, a_view_from_before_the_others_puts_nobody_out)
{
    struct sim *sim = with_long_tags(seed);

    sim_narrow(sim, B, HOLE_OF_TUNNELS);
    sim_start(sim, A);
    sim_start(sim, B);
    story_check(sim_sees(sim, B, "A B", SETTLE_MS), seed);
    for (uint32_t host = C; host < SEVEN; host++) {
        sim_start(sim, host);
    }
    for (uint64_t ms = 0; ms < SETTLE_MS && strlen(sim_view_text(sim, G)) < 13; ms += 5) {
        sim_run(sim, 5);
    }
    const uint64_t age = sim_age(sim, G, G);
    sim_crash(sim, A);
    sim_run(sim, ACTS_AGAIN_MS);
    for (uint64_t ms = 0; ms < OUT_MS && !follows_one_that_acts(sim, G); ms += 5) {
        sim_run(sim, 5);
    }
    story_check(age != 0 && sim_age(sim, G, G) == age, seed);
    story_check(follows_one_that_acts(sim, G), seed);
    sim_run(sim, 2 * OUT_MS);
    story_check(sim_acting_count(sim) == 1, seed);
    story_check(sim_phase(sim, B) == PHASE_JOINING, seed);
    sim_free(sim);
}

/* H92: nothing long leaves the coordinator's host. Its members get each change as what differs; who
 * comes needs the whole view. */
static void tell_of_newcomers(struct guard guard, uint64_t seed)
{
    struct sim *sim = seven(seed, guard);

    for (uint32_t host = F; host < SEVEN; host++) {
        sim_crash(sim, host);
    }
    sim_set_tags(sim, B, LONG_TAG);
    sim_run(sim, 2000);
    for (uint32_t host = B; host < SEVEN; host++) {
        sim_narrow_one_way(sim, A, host, HOLE_OF_OLD_LINKS);
    }
    sim_start(sim, F);
    sim_start(sim, G);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_check(sim_coordinator(sim, G) == A, seed);
    sim_free(sim);
}

Story(size, a_coordinator_behind_a_hole_lets_newcomers_in)
{
    tell_of_newcomers(NO_GUARD, seed);
    tell_of_newcomers(OF_SEVEN, seed);
}

/* Five voters, and G comes back; the view is too long for the host of the coordinator. */
static struct sim *with_a_newcomer(uint64_t seed, bool is_behind_too)
{
    struct sim *sim = seven(seed, FIVE_VOTERS);

    sim_crash(sim, G);
    sim_run(sim, 1000);
    for (uint32_t host = B; host < G; host++) {
        sim_set_tags(sim, host, LONG_TAG);
    }
    sim_run(sim, 1000);
    sim_narrow(sim, A, HOLE_OF_TUNNELS);
    if (is_behind_too) {
        sim_narrow(sim, G, HOLE_OF_TUNNELS);
    }
    sim_start(sim, G);
    return sim;
}

/* H92, U4d: under strict, too, others show it what it cannot get. */
Story(size, a_coordinator_behind_a_hole_lets_one_in_under_strict)
{
    struct sim *sim = with_a_newcomer(seed, false);

    story_check(sim_converges(sim, SETTLE_MS) && sim_is_acting(sim, A), seed);
    sim_free(sim);
}

/* H91, L3b: what is too long for D keeps its stream busy, so that the voters whom the coordinator
 * reaches are no quorum without E. Others show E the proposal, which asks no voter (U4d). */
Story(size, a_coordinator_behind_a_hole_gives_way_to_one_that_lets_a_voter_in)
{
    struct sim *sim = seven(seed, (struct guard){.policy = GUARD_STRICT, .count = 4});

    sim_change_voters(sim, A, story_set("BCDE"), 0);
    for (uint32_t host = B; host <= G; host++) {
        sim_set_tags(sim, host, LONG_TAG);
    }
    sim_run(sim, SETTLE_MS);
    sim_narrow(sim, A, HOLE_OF_TUNNELS);
    for (uint32_t host = D; host <= E; host++) {
        sim_crash(sim, host);
        sim_start(sim, host);
        sim_set_tags(sim, host, LONG_TAG);
        sim_run(sim, OUT_MS);
    }
    story_check(follows_one_that_acts(sim, E) && sim_acting_count(sim) == 1, seed);
    sim_free(sim);
}

/* H91, L3b: nothing long gets from A to the other voters. C starts again when what lets B in is
 * proposed, and is not in that as it lives now. */
Story(size, a_coordinator_behind_a_hole_gives_way_where_voters_start_again)
{
    struct sim *sim = seven(seed, (struct guard){.policy = GUARD_STRICT, .count = 3});

    for (uint32_t host = A; host <= G; host++) {
        sim_tag(sim, host, LONG_TAG);
        sim_set_tags(sim, host, LONG_TAG);
    }
    sim_run(sim, SETTLE_MS);
    for (uint32_t host = B; host <= C; host++) {
        sim_narrow_one_way(sim, A, host, HOLE_OF_OLD_LINKS);
    }
    for (uint32_t host = B; host <= C; host++) {
        sim_crash(sim, host);
        sim_start(sim, host);
        sim_run(sim, BLINK_MS);
    }
    sim_run(sim, 2 * OUT_MS);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_free(sim);
}

/* E votes no more since it is away, and its record knows the voters of before (Z11i). */
Story(size, a_coordinator_behind_a_hole_lets_one_in_that_missed_other_voters)
{
    struct sim *sim = seven(seed, FIVE_VOTERS);

    sim_crash(sim, E);
    sim_run(sim, SETTLE_MS);
    sim_change_voters(sim, A, story_set("ABC"), 0);
    sim_run(sim, SETTLE_MS);
    sim_change_voters(sim, A, story_set("ABCDF"), 0);
    sim_run(sim, SETTLE_MS);
    for (uint32_t host = B; host <= G; host++) {
        if (host != E) {
            sim_set_tags(sim, host, LONG_TAG);
        }
    }
    sim_run(sim, SETTLE_MS);
    sim_narrow(sim, A, HOLE_OF_TUNNELS);
    sim_start(sim, E);
    story_check(sim_converges(sim, SETTLE_MS) && sim_is_acting(sim, A), seed);
    sim_free(sim);
}

/* H91: one who cannot get what would let it in leaves all voters with a view that the coordinator
 * has given up. So it makes one anew (U1b), under its epoch, and acts all the while. */
Story(size, what_a_coordinator_gave_up_does_not_end_its_reign)
{
    struct sim *sim = with_a_newcomer(seed, true);
    const struct hole hole = {.count = 0};
    const uint64_t epoch = core_view(sim_core(sim, A))->epoch;

    for (int look = 0; look < MANY_LOOKS; look++) {
        story_check(one_acts(sim, &hole) && sim_coordinator(sim, B) == A, seed);
        sim_run(sim, OUT_MS / MANY_LOOKS);
    }
    story_check(core_view(sim_core(sim, A))->epoch == epoch, seed);
    sim_free(sim);
}

static uint32_t next_oldest(const struct sim *sim)
{
    const struct view *view = core_view(sim_core(sim, A));
    uint32_t host = A;

    while (strcmp(sim_name(sim, host), view->members[1].name) != 0) {
        host++;
    }
    return host;
}

/* H90: nothing long leaves the host of the next oldest, and nobody wins without it and a witness,
 * which is no member, and holds the view that it is asked with. */
Story(size, a_witness_elects_one_behind_a_hole)
{
    struct sim *sim = story_of_voters(seed, 5, 2, (struct sim_options){.witness_count = 1});
    const uint32_t next = next_oldest(sim);
    const uint32_t voters = 1U << A | 1U << next | 1U << sim_witness(sim, 0);

    sim_change_voters(sim, A, voters, 0);
    story_check(story_vote_alone(sim, voters, SETTLE_MS), seed);
    for (uint32_t host = B; host <= E; host++) {
        sim_set_tags(sim, host, LONG_TAG);
    }
    sim_run(sim, SETTLE_MS);
    sim_narrow(sim, next, HOLE_OF_OLD_LINKS);
    sim_crash(sim, A);
    sim_run(sim, ACTS_AGAIN_MS);
    for (int look = 0; look < MANY_LOOKS; look++) {
        story_check(sim_is_acting(sim, next), seed);
        sim_run(sim, OUT_MS / MANY_LOOKS);
    }
    story_check(sim_agrees(sim), seed);
    sim_free(sim);
}

/* H92: nothing long leaves the host of the coordinator, and a witness has to accept that the other
 * voter is gone. Its answer is lost; when it is asked again, it has given up what it was asked
 * with.
 */
Story(size, a_witness_behind_a_hole_accepts_once_more)
{
    struct sim *sim = story_of_voters(seed, 5, 2, (struct sim_options){.witness_count = 1});
    const uint32_t witness = sim_witness(sim, 0);
    const uint32_t voters = 1U << A | 1U << B | 1U << witness;

    sim_change_voters(sim, A, voters, 0);
    story_check(story_vote_alone(sim, voters, SETTLE_MS), seed);
    for (uint32_t host = C; host <= E; host++) {
        sim_set_tags(sim, host, LONG_TAG);
    }
    sim_run(sim, SETTLE_MS);
    sim_narrow_one_way(sim, A, witness, HOLE_OF_OLD_LINKS);
    sim_lose(sim, witness, A, MESSAGE_VOTE, 1);
    sim_crash(sim, B);
    sim_run(sim, ACTS_AGAIN_MS);
    story_check(sim_is_acting(sim, A) && sim_age(sim, A, B) == 0, seed);
    sim_free(sim);
}

/* H90: the coordinator dies while it lets somebody in. All others have accepted that, and send it
 * along with what they grant to the next oldest, whom nothing long reaches. */
Story(size, who_cannot_get_what_was_accepted_stops_nobody)
{
    for (uint64_t after_ms = 40; after_ms <= 240; after_ms += 40) {
        struct sim *sim = seven(seed, NO_GUARD);
        sim_crash(sim, G);
        sim_run(sim, 2000);
        sim_narrow(sim, B, HOLE_OF_OLD_LINKS);
        sim_tag(sim, G, LONG_TAG);
        sim_start(sim, G);
        sim_run(sim, after_ms);
        sim_crash(sim, A);
        sim_run(sim, OUT_MS / 2);
        story_check(sim_acting_count(sim) == 1, seed);
        sim_free(sim);
    }
}

/* H90: who cannot get what would let it in ends nobody, however many they are: where the
 * coordinator has no fellow member whom it hears, nobody can tell on whose side the hole is. */
Story(size, newcomers_behind_holes_do_not_end_who_leads_alone)
{
    for (uint32_t newcomers = 1; newcomers <= 3; newcomers++) {
        struct sim *sim = sim_new(
            &(struct sim_options){.seed = seed, .host_count = 4, .disorder = true});

        sim_start(sim, A);
        story_check(sim_converges(sim, SETTLE_MS), seed);
        const struct node_id life = core_self(sim_core(sim, A))->id;
        for (uint32_t host = B; host <= newcomers; host++) {
            sim_tag(sim, host, LONG_TAG);
            for (uint32_t from = A; from <= newcomers; from++) {
                if (from != host) {
                    sim_narrow_one_way(sim, from, host, HOLE_OF_OLD_LINKS);
                }
            }
            sim_start(sim, host);
        }
        sim_run(sim, 120000);
        story_check(id_equal(&life, &core_self(sim_core(sim, A))->id), seed);
        story_check(sim_coordinator(sim, A) == A, seed);
        sim_free(sim);
    }
}

/* L3b: of one voter that is silent nobody can tell on whose side the hole is. C failed long ago,
 * and an operator had it forgotten; its record votes yet, and nothing is heard of it. */
Story(size, the_dead_are_not_taken_for_silent)
{
    struct sim *sim = seven(seed, (struct guard){.policy = GUARD_STRICT, .count = 3});
    const struct node_id dead = core_self(sim_core(sim, C))->id;

    for (uint32_t host = A; host <= G; host++) {
        sim_tag(sim, host, LONG_TAG);
        sim_set_tags(sim, host, LONG_TAG);
    }
    sim_run(sim, SETTLE_MS);
    sim_crash(sim, C);
    sim_run(sim, OUT_MS);
    sim_forget(sim, A, &dead);
    sim_run(sim, SETTLE_MS);
    story_check(sim_is_acting(sim, A), seed);
    for (uint32_t host = A; host <= G; host++) {
        if (host != B) {
            sim_lose(sim, host, B, MESSAGE_PREPARE, UINT32_MAX);
        }
    }
    sim_crash(sim, G);
    for (uint32_t i = 0; i < 2 * OUT_MS; i++) {
        sim_run(sim, 1);
        story_check(sim_is_acting(sim, A), seed);
    }
    sim_free(sim);
}
