/* A blow in the midst of a change of voters: somebody does not hear all of it, a voter starts again
 * just when it has accepted what names both lists, and then whoever acted is gone. */
#include "faults_parts.h"

enum {
    LOOKS_MAX = 4000, /* so often it is looked, each millisecond, whether it is time */
    LOST_AT_ONCE = 3, /* kinds of messages between two hosts */
    WAYS = 16,        /* in which they are lost: four kinds, forth, or back in one of four */
    LOST_ALL = 0,     /* that is proposed and asked */
    LOST_PROPOSALS = 1,
};

/* How far a change of the voters has come, as a view shows. */
enum stage { STAGE_BEFORE, STAGE_BOTH_LISTS, STAGE_SETTLED };

/* What happens to who acts. */
enum blow { BLOW_KILL, BLOW_STOP, BLOW_CUT, BLOWS };

/* What is waited for, for sim_after. */
struct change {
    uint32_t host;     /* who acts */
    uint32_t voter;    /* starts again in the midst of it, or the newcomer does */
    uint32_t newcomer; /* is to vote */
    uint32_t looks;
    uint32_t after_ms;    /* it is struck so much later */
    enum stage restart;   /* of what that voter has accepted, or who acts if it is settled */
    enum stage installed; /* by who acts, when it is struck */
    enum blow blow;
    uint32_t lost; /* in which way to the newcomer, and to that voter: of WAYS */
};

static uint32_t pack_hosts(const struct change *change)
{
    return change->host | change->voter << 8 | change->newcomer << 16 | change->lost << 24;
}

static uint32_t pack_times(const struct change *change)
{
    return change->looks | change->after_ms << 12 | (uint32_t)change->restart << 26 |
           (uint32_t)change->installed << 28 | (uint32_t)change->blow << 30;
}

static struct change unpack(uint32_t hosts, uint32_t times)
{
    return (struct change){.host = hosts & 0xff,
                           .voter = hosts >> 8 & 0xff,
                           .newcomer = hosts >> 16 & 0xff,
                           .lost = hosts >> 24,
                           .looks = times & 0xfff,
                           .after_ms = times >> 12 & 0x3fff,
                           .restart = (enum stage)(times >> 26 & 3),
                           .installed = (enum stage)(times >> 28 & 3),
                           .blow = (enum blow)(times >> 30)};
}

/* --- What is lost --- */

/* One of them stands twice where it takes no three. */
static void lose_between(struct sim *sim, uint32_t acting, uint32_t other, uint32_t way)
{
    static const enum message_type types[][LOST_AT_ONCE] = {
        {MESSAGE_PREPARE, MESSAGE_COMMIT, MESSAGE_PING},
        {MESSAGE_PREPARE, MESSAGE_COMMIT, MESSAGE_PREPARE},
        {MESSAGE_PING, MESSAGE_VIEW, MESSAGE_PREPARE},
        {MESSAGE_PONG, MESSAGE_VOTE, MESSAGE_COMMIT}};
    const bool back = way >> 2 == 3;

    for (uint32_t i = 0; i < LOST_AT_ONCE; i++) {
        sim_lose(sim, back ? other : acting, back ? acting : other, types[way & 3][i], UINT32_MAX);
    }
}

static void lose_nothing(struct sim *sim, uint32_t a, uint32_t b)
{
    (void)a;
    (void)b;
    sim_lose_nothing(sim);
}

/* --- When it is time --- */

static enum stage stage_of(const struct sim *sim, const struct view *view, uint32_t newcomer)
{
    if (voter_lists_are_joint(&view->voters)) {
        return STAGE_BOTH_LISTS;
    }
    return voter_lists_find_name(&view->voters, sim_name(sim, newcomer)) != VOTER_NONE
               ? STAGE_SETTLED
               : STAGE_BEFORE;
}

static bool has_accepted(const struct sim *sim, uint32_t host, uint32_t newcomer, enum stage stage)
{
    return sim_is_running(sim, host) &&
           stage_of(sim, core_accepted(sim_core(sim, host)), newcomer) >= stage;
}

/* --- What happens then --- */

static void mend(struct sim *sim, uint32_t a, uint32_t b)
{
    sim_mend(sim, a, b);
}

static void strike_who_acts(struct sim *sim, uint32_t hosts, uint32_t times)
{
    const struct change change = unpack(hosts, times);
    const uint32_t lost_ms = (uint32_t)sim_timing(sim).lost_ms;
    const uint32_t ms = lost_ms / 4 + change.after_ms % 8 * lost_ms / 2;

    if (change.blow == BLOW_KILL) {
        fault_crash_and_return(sim, change.host, ms);
    } else if (change.blow == BLOW_STOP) {
        fault_pause_for(sim, change.host, ms);
    }
    for (uint32_t i = 0; change.blow == BLOW_CUT && i < sim_host_count(sim); i++) {
        if (i != change.host) {
            sim_cut(sim, change.host, i);
            sim_after(sim, ms, mend, change.host, i);
        }
    }
}

static void look_at_who_acts(struct sim *sim, uint32_t hosts, uint32_t times)
{
    struct change change = unpack(hosts, times);

    if (!sim_is_acting(sim, change.host)) {
        return;
    }
    if (stage_of(sim, core_view(sim_core(sim, change.host)), change.newcomer) >= change.installed) {
        sim_after(sim, change.after_ms, strike_who_acts, hosts, times);
    } else if (change.looks > 0) {
        change.looks--;
        sim_after(sim, 1, look_at_who_acts, hosts, pack_times(&change));
    }
}

static void look_at_voter(struct sim *sim, uint32_t hosts, uint32_t times)
{
    struct change change = unpack(hosts, times);
    const uint32_t looked_at = change.restart == STAGE_SETTLED ? change.host : change.voter;

    if (!sim_is_acting(sim, change.host) || change.looks == 0) {
        return;
    }
    if (!has_accepted(sim, looked_at, change.newcomer, change.restart)) {
        change.looks--;
        sim_after(sim, 1, look_at_voter, hosts, pack_times(&change));
        return;
    }
    sim_lose_nothing(sim);
    lose_between(sim, change.host, change.newcomer, change.lost / WAYS);
    lose_between(sim, change.host, change.voter, change.lost % WAYS);
    fault_crash_and_return(sim, change.voter, 1);
    change.looks = LOOKS_MAX;
    look_at_who_acts(sim, hosts, pack_times(&change));
}

/* --- The change --- */

/* One that runs and does not vote. */
static uint32_t spare_host(struct sim *sim, struct random *random, uint32_t but)
{
    uint32_t host = any_host(sim, random);

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if (host != but && sim_is_running(sim, host) && !sim_is_voter(sim, host)) {
            return host;
        }
        host = (host + 1) % sim_host_count(sim);
    }
    return SIM_NOBODY;
}

/* A voter but that one, if there is another. */
static uint32_t voter_beside(struct sim *sim, struct random *random, uint32_t host)
{
    uint32_t voter = any_voter(sim, random);

    for (uint32_t i = 0; i < sim_host_count(sim) && (voter == host || !sim_is_voter(sim, voter));
         i++) {
        voter = (voter + 1) % sim_host_count(sim);
    }
    return voter;
}

static uint32_t draw_way(struct random *random, uint32_t mostly)
{
    return draw(random, 0, 2) != 0 ? mostly : draw_u32(random, 0, WAYS - 1);
}

static void change_voters(struct sim *sim, uint32_t host, uint32_t seed)
{
    struct random random;
    struct change change = {.host = host, .looks = LOOKS_MAX};

    random_seed(&random, seed);
    const uint32_t leaves = voter_beside(sim, &random, host);
    change.newcomer = spare_host(sim, &random, host);
    change.voter = draw(&random, 0, 5) == 0 ? change.newcomer : voter_beside(sim, &random, host);
    change.restart = draw(&random, 0, 2) == 0 ? STAGE_SETTLED : STAGE_BOTH_LISTS;
    change.installed = (enum stage)draw(&random, STAGE_BEFORE, STAGE_SETTLED);
    change.after_ms = draw_u32(&random, 0, sim_timing(sim).lease_ms);
    change.blow = (enum blow)draw(&random, 0, BLOWS - 1);
    const uint32_t at_first = draw_way(&random, LOST_PROPOSALS); /* It has to answer (Z11f). */
    const uint32_t to_newcomer = draw_way(&random, LOST_ALL);
    const uint32_t to_voter = draw_way(&random, LOST_ALL);
    const uint64_t until_ms = draw(&random, 1000, 10000);
    change.lost = to_newcomer * WAYS + to_voter;
    if (!sim_is_acting(sim, host) || !sim_has_settled(sim)) {
        return;
    }
    const uint32_t others = listed_hosts(sim) & ~(UINT32_C(1) << leaves);
    if (change.newcomer == SIM_NOBODY) { /* There will be another time. */
        if (others != 0) {
            sim_change_voters(sim, host, others, 0);
        }
        return;
    }
    sim_lose_nothing(sim); /* Of an earlier strike. */
    lose_between(sim, host, change.newcomer, at_first);
    sim_after(sim, until_ms, lose_nothing, 0, 0);
    sim_change_voters(sim, host, others | UINT32_C(1) << change.newcomer, 0);
    look_at_voter(sim, pack_hosts(&change), pack_times(&change));
}

/* H99: whoever is told by leases under the former list that it may act relies on it that each voter
 * of the new one has given it one. In some it does not vote itself. */
void strike_blow_in_a_change_of_voters(struct sim *sim, struct random *random)
{
    const uint32_t host = acting_or_any(sim, random);
    const uint32_t spare = spare_host(sim, random, host);
    const bool votes = draw(random, 0, 1) == 0 || spare == SIM_NOBODY || !sim_is_voter(sim, host);
    const uint32_t settled_ms = draw_u32(random, 1000, 5000);
    const uint32_t seed = draw_u32(random, 0, UINT32_MAX);

    if (!sim_is_acting(sim, host) || !sim_has_founded(sim) || !sim_has_settled(sim)) {
        return;
    }
    if (!votes) {
        sim_change_voters(sim, host,
                          (listed_hosts(sim) & ~(UINT32_C(1) << host)) | UINT32_C(1) << spare, 0);
    }
    sim_after(sim, votes ? 0 : settled_ms, change_voters, host, seed);
}
