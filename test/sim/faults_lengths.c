/* Faults under guard strict that hit while a lease, or what was granted, is of another length than
 * those before: because the terms have just changed, or for a witness that is far away. */
#include "faults_parts.h"

enum {
    LOOK_MS = 5,        /* so often it is looked whether it is time */
    LOOKS_MAX = 2000,   /* and so often at the most */
    STRUCK_MAX = 3,     /* so many are started again that come to act, one after the other */
    AFTER_MS_MAX = 255, /* it hits so much later at the most */
    RIVALS_LOST = 12,   /* for so many T_lost voters are cut off at the most */
};

/* What happens to who acts, and to the others. */
enum blow {
    BLOW_CUT,       /* it is cut off */
    BLOW_RESTART,   /* and all others are started again, as after a short failure of power */
    BLOW_NEXT_EACH, /* and whoever acts next, at once */
    BLOW_NEXT_ALL,  /* and all others with that one each time */
    BLOWS,
};

/* What is waited for, for sim_after. */
struct wait {
    uint32_t host; /* who acted */
    uint32_t looks;
    uint32_t after_ms;
    uint32_t rest; /* so often more it is waited for, or struck */
    bool early;    /* while the terms of before hold, too */
    enum blow blow;
    uint32_t rivals; /* so many voters are cut off meanwhile */
};

static uint32_t pack(const struct wait *wait)
{
    return wait->looks | wait->after_ms << 12 | wait->rest << 20 | (uint32_t)wait->early << 23 |
           (uint32_t)wait->blow << 24 | wait->rivals << 26;
}

static struct wait unpack(uint32_t host, uint32_t packed)
{
    return (struct wait){.host = host,
                         .looks = packed & 0xfff,
                         .after_ms = packed >> 12 & 0xff,
                         .rest = packed >> 20 & 7,
                         .early = (packed >> 23 & 1) != 0,
                         .blow = (enum blow)(packed >> 24 & 3),
                         .rivals = packed >> 26};
}

static void mend(struct sim *sim, uint32_t a, uint32_t b)
{
    sim_mend(sim, a, b);
}

static uint32_t all_count(const struct sim *sim)
{
    return sim_host_count(sim) + sim_witness_count(sim);
}

static void cut_off_for(struct sim *sim, uint32_t host, uint32_t from, uint32_t to, uint64_t ms)
{
    for (uint32_t i = from; i < to; i++) {
        if (i != host) {
            sim_cut(sim, host, i);
            sim_after(sim, ms, mend, host, i);
        }
    }
}

static uint32_t acting_host(const struct sim *sim, uint32_t but)
{
    uint32_t host = 0;

    while (host < sim_host_count(sim) && (host == but || !sim_is_acting(sim, host))) {
        host++;
    }
    return host < sim_host_count(sim) ? host : SIM_NOBODY;
}

static void start_again(struct sim *sim, uint32_t host)
{
    if (sim_is_running(sim, host)) {
        fault_crash_and_return(sim, host, 1);
    }
}

static void start_all_again(struct sim *sim, uint32_t but)
{
    for (uint32_t host = 0; host < all_count(sim); host++) {
        if (host != but) {
            start_again(sim, host);
        }
    }
}

/* --- Terms that have just changed --- */

static void strike_the_next(struct sim *sim, uint32_t host, uint32_t packed)
{
    struct wait wait = unpack(host, packed);
    const uint32_t next = acting_host(sim, host);

    if (next != SIM_NOBODY && wait.blow == BLOW_NEXT_ALL) {
        start_all_again(sim, host);
    } else if (next != SIM_NOBODY) {
        start_again(sim, next);
    }
    wait.rest -= next != SIM_NOBODY;
    if (wait.rest > 0 && --wait.looks > 0) {
        sim_after(sim, LOOK_MS, strike_the_next, host, pack(&wait));
    }
}

static void strike_who_acts(struct sim *sim, uint32_t host, uint32_t packed)
{
    struct wait wait = unpack(host, packed);
    const struct timing timing = sim_timing(sim);

    if (!sim_is_acting(sim, host)) {
        return;
    }
    cut_off_for(sim, host, 0, all_count(sim), 4 * timing.lost_ms);
    if (wait.blow == BLOW_RESTART) {
        start_all_again(sim, host);
    } else if (wait.blow != BLOW_CUT) {
        wait.looks = LOOKS_MAX;
        wait.rest = STRUCK_MAX;
        strike_the_next(sim, host, pack(&wait));
    }
}

/* --- Voters that are bound to another epoch --- */

/* The n-th host that votes after that one. */
static uint32_t next_voter(const struct sim *sim, uint32_t host, uint32_t n)
{
    for (uint32_t step = 1; step < sim_host_count(sim); step++) {
        const uint32_t other = (host + step) % sim_host_count(sim);
        n -= sim_is_voter(sim, other);
        if (n == 0) {
            return other;
        }
    }
    return SIM_NOBODY;
}

static bool is_rival(const struct sim *sim, const struct wait *wait, uint32_t host)
{
    uint32_t n = 1;

    while (n <= wait->rivals && next_voter(sim, wait->host, n) != host) {
        n++;
    }
    return n <= wait->rivals;
}

/* Its disk has a promise of an epoch above the one that is acted under, to that life or another. */
static bool is_bound_above(const struct sim *sim, const struct wait *wait, uint32_t host,
                           bool to_who_acts)
{
    const struct core *acting = sim_core(sim, wait->host);
    const struct core *core = sim_core(sim, host);

    if (core == NULL) {
        return false;
    }
    const struct voter_state voter = core_voter(core, 0);
    return voter.promise.epoch > core_view(acting)->epoch && voter.synced &&
           id_equal(&voter.promise.life, &core_self(acting)->id) == to_who_acts;
}

static bool is_any_bound_above(const struct sim *sim, const struct wait *wait, bool rival)
{
    uint32_t host = 0;

    while (host < sim_host_count(sim) &&
           (host == wait->host || is_rival(sim, wait, host) != rival ||
            !is_bound_above(sim, wait, host, !rival))) {
        host++;
    }
    return host < sim_host_count(sim);
}

/* Who acts has to ask for an epoch above theirs (Z5c); and in the midst of that it is struck. */
static void look_at_promises(struct sim *sim, uint32_t host, uint32_t packed)
{
    struct wait wait = unpack(host, packed);

    if (!sim_is_acting(sim, host)) {
        return;
    }
    if (is_any_bound_above(sim, &wait, false)) {
        sim_after(sim, wait.after_ms, strike_who_acts, host, pack(&wait));
    } else if (--wait.looks > 0) {
        sim_after(sim, 1, look_at_promises, host, pack(&wait));
    }
}

static void let_rivals_back(struct sim *sim, uint32_t host, uint32_t packed)
{
    struct wait wait = unpack(host, packed);

    for (uint32_t n = 1; n <= wait.rivals && next_voter(sim, host, n) != SIM_NOBODY; n++) {
        for (uint32_t i = 0; i < all_count(sim); i++) {
            sim_mend(sim, next_voter(sim, host, n), i);
        }
    }
    wait.looks = LOOKS_MAX;
    look_at_promises(sim, host, pack(&wait));
}

/* --- Terms that have just changed, or are to --- */

/* First the terms of before and those to come hold together (A2), then those alone. */
static void look_at_terms(struct sim *sim, uint32_t host, uint32_t packed)
{
    struct wait wait = unpack(host, packed);

    if (!sim_is_acting(sim, host)) {
        return;
    }
    const bool joint = core_agreed(sim_core(sim, host))->joint;
    wait.rest -= joint == (wait.rest == 2);
    if (wait.rest == (wait.early ? 1 : 0)) {
        sim_after(sim, wait.rivals != 0 ? 0 : wait.after_ms,
                  wait.rivals != 0 ? let_rivals_back : strike_who_acts, host, pack(&wait));
    } else if (--wait.looks > 0) {
        sim_after(sim, LOOK_MS, look_at_terms, host, pack(&wait));
    }
}

/* As short as there are, or where those are usual longer ones; or back to the usual ones. */
static struct rules other_rules(const struct sim *sim, uint32_t host)
{
    const struct timing usual = sim_timing(sim);
    struct timing other = timing_of(PROFILE_LOCAL);
    struct rules rules = sim_rules(sim, host);
    const bool is_usual = rules.lost_ms == usual.lost_ms;

    if (usual.lost_ms == other.lost_ms) {
        timing_override(&other, 2 * usual.heartbeat_ms, 0);
    }
    rules.profile = is_usual ? PROFILE_LOCAL : sim_usual_terms(sim).profile;
    rules.heartbeat_ms = is_usual ? other.heartbeat_ms : usual.heartbeat_ms;
    rules.lost_ms = is_usual ? other.lost_ms : usual.lost_ms;
    return rules;
}

/* H99: one of them counts by the terms of before, the others by those of now. */
void strike_blow_after_terms(struct sim *sim, struct random *random)
{
    const uint32_t acting = acting_host(sim, SIM_NOBODY);
    struct wait wait = {.looks = LOOKS_MAX, .rest = 2}; /* first both, then one alone */

    wait.early = draw(random, 0, 3) == 0;
    wait.after_ms = draw_u32(random, 0, draw(random, 0, 1) == 0 ? 5 : AFTER_MS_MAX);
    wait.blow = (enum blow)draw(random, 0, BLOWS - 1);
    if (acting == SIM_NOBODY || core_agreed(sim_core(sim, acting))->joint) {
        return;
    }
    const struct rules rules = other_rules(sim, acting);
    if (rules.capacity < sim_usual_terms(sim).capacity) {
        return; /* It began anew with a smaller one, which would be the most for good (A1). */
    }
    sim_change_terms(sim, acting, &rules);
    look_at_terms(sim, acting, pack(&wait));
}

/* As soon as one of those who are cut off is bound to another epoch, terms change, mostly. */
static void look_at_rivals(struct sim *sim, uint32_t host, uint32_t packed)
{
    struct wait wait = unpack(host, packed);

    if (!sim_is_acting(sim, host)) {
        return;
    }
    if (!is_any_bound_above(sim, &wait, true)) {
        if (--wait.looks > 0) {
            sim_after(sim, 4 * LOOK_MS, look_at_rivals, host, pack(&wait));
        }
        return;
    }
    const struct rules rules = other_rules(sim, host);
    wait.looks = LOOKS_MAX;
    if (wait.rest > 0 && rules.capacity == sim_usual_terms(sim).capacity) {
        sim_change_terms(sim, host, &rules);
        look_at_terms(sim, host, pack(&wait));
    } else {
        let_rivals_back(sim, host, pack(&wait));
    }
}

/* H99: those who count by the longer lengths were asked for the epoch of before, and its successor
 * goes by shorter ones. It takes two at least, of whom one is bound to the other. */
void strike_rival_epoch(struct sim *sim, struct random *random)
{
    const uint32_t acting = acting_host(sim, SIM_NOBODY);
    struct wait wait = {.host = acting, .looks = LOOKS_MAX};
    struct quality quality = sim_default_quality();
    uint32_t voters = 0;

    wait.rest = draw(random, 0, 3) == 0 ? 0 : 2;
    wait.early = draw(random, 0, 3) == 0;
    wait.after_ms = draw_u32(random, 0, draw(random, 0, 1) == 0 ? 0 : 20);
    wait.blow = (enum blow)draw(random, 0, BLOWS - 1);
    const bool far = draw(random, 0, 1) == 0;
    const uint32_t latency_us = draw_u32(random, 100, 10000);
    if (acting == SIM_NOBODY || core_agreed(sim_core(sim, acting))->joint) {
        return;
    }
    while (next_voter(sim, acting, voters + 1) != SIM_NOBODY) {
        voters++;
    }
    wait.rivals = voters / 2;
    if (wait.rivals < 2 || sim_is_cut(sim, acting, next_voter(sim, acting, 1))) {
        return;
    }
    for (uint32_t i = 0; i < all_count(sim); i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (is_rival(sim, &wait, i) != is_rival(sim, &wait, j)) {
                sim_cut(sim, i, j);
                sim_after(sim, RIVALS_LOST * sim_timing(sim).lost_ms, mend, i, j);
            }
        }
    }
    if (far) {
        quality.latency_us_min = latency_us;
        quality.latency_us_max = 2 * latency_us;
        sim_set_quality_from(sim, acting, &quality);
    }
    look_at_rivals(sim, acting, pack(&wait));
}

/* --- Leases that become shorter --- */

enum { LOOKS = 255, WAYS_TO_GO = 3, LONG_FIFTHS = 10, SHORT_FIFTHS = 3 };

static void be_gone(struct sim *sim, uint32_t host, uint32_t way)
{
    const uint32_t ms = (uint32_t)sim_timing(sim).lost_ms * 2;

    if (way == 0) {
        fault_crash_and_return(sim, host, ms);
    } else if (way == 1) {
        fault_pause_for(sim, host, ms);
    } else {
        sim_isolate(sim, host);
        sim_after(sim, ms, fault_rejoin, host, 0);
    }
}

/* What comes after what, for one host, in one number: the voters that are to come, by the hosts
 * (16 bits; 0: the same), how often to look yet (8 bits), and how the host goes then (8 bits). */
static void look_again(struct sim *sim, sim_call *call, uint32_t host, uint32_t packed)
{
    if ((packed >> 16 & 0xff) != 0) {
        sim_after(sim, 4 * LOOK_MS, call, host, packed - (UINT32_C(1) << 16));
    }
}

/* The operator asks again where it has not come about. */
static bool are_lengths(struct sim *sim, uint32_t host, uint64_t fifths)
{
    struct rules rules = sim_rules(sim, host);
    const uint64_t lost_ms = rules.lost_ms;

    fault_scale_lengths(sim, &rules, fifths);
    if (rules.lost_ms != lost_ms && rules.capacity == sim_usual_terms(sim).capacity) {
        sim_change_terms(sim, host, &rules);
    }
    return rules.lost_ms == lost_ms;
}

static void exchange_voters(struct sim *sim, uint32_t host, uint32_t packed)
{
    const uint32_t wished = packed & 0xffff;

    if (!sim_is_running(sim, host)) {
        return;
    }
    if (wished == 0 || listed_hosts(sim) == wished) {
        be_gone(sim, host, packed >> 24);
    } else {
        sim_change_voters(sim, host, wished, 0);
        look_again(sim, exchange_voters, host, packed);
    }
}

static void shorten(struct sim *sim, uint32_t host, uint32_t packed)
{
    if (!sim_is_running(sim, host)) {
        return;
    }
    if (are_lengths(sim, host, SHORT_FIFTHS)) {
        exchange_voters(sim, host, packed | LOOKS << 16);
    } else {
        look_again(sim, shorten, host, packed);
    }
}

static void lengthen(struct sim *sim, uint32_t host, uint32_t packed)
{
    if (!sim_is_running(sim, host)) {
        return;
    }
    if (are_lengths(sim, host, LONG_FIFTHS)) {
        sim_after(sim, 2 * sim_timing(sim).lease_ms, shorten, host, packed | LOOKS << 16);
    } else {
        look_again(sim, lengthen, host, packed);
    }
}

/* H99: just when leases became shorter, and perhaps others vote, whoever was told by longer ones
 * for how long it acts is gone. */
void strike_shorter_leases(struct sim *sim, struct random *random)
{
    const uint32_t host = acting_or_any(sim, random);
    const uint32_t hosts = sim_host_count(sim);
    const uint32_t all = (UINT32_C(1) << (hosts < VOTERS_MAX ? hosts : VOTERS_MAX)) - 1;
    const uint32_t others = all & ~listed_hosts(sim);
    const uint32_t some = draw_u32(random, 1, all);
    const uint64_t choice = draw(random, 0, 2);
    const uint32_t wished = choice == 0 ? 0 : choice == 1 && others != 0 ? others : some;
    const uint32_t way = draw_u32(random, 0, WAYS_TO_GO - 1);

    if (sim_has_founded(sim)) {
        lengthen(sim, host, wished | LOOKS << 16 | way << 24);
    }
}

/* --- A witness that is far away --- */

/* It votes beside who acts and another one; otherwise an operator wants that. */
static bool is_needed(struct sim *sim, uint32_t acting, uint32_t other)
{
    const uint32_t witness = sim_witness(sim, 0);
    const uint32_t wished = UINT32_C(1) << acting | UINT32_C(1) << other | UINT32_C(1) << witness;

    if (sim_is_voter(sim, witness) && sim_is_voter(sim, acting)) {
        return true;
    }
    sim_change_voters(sim, acting, wished, 0);
    return false;
}

static void let_pass(struct sim *sim, uint32_t from, uint32_t to)
{
    sim_mend_one_way(sim, from, to);
}

/* Its answers come too late: when another one may have been elected by it. */
static void hold_its_answers(struct sim *sim, struct random *random, uint32_t acting)
{
    const struct timing timing = sim_timing(sim);
    const uint32_t witness = sim_witness(sim, 0);
    const uint64_t ms = draw(random, timing.lost_ms, 2 * timing.lost_ms);

    sim_hold_back(sim, witness, acting, ms);
    sim_after(sim, ms, let_pass, witness, acting);
}

/* It stops while its disk may lack the length of a lease that it gave. */
static void stop_it_before_sync(struct sim *sim, struct random *random)
{
    const struct timing timing = sim_timing(sim);
    const uint32_t witness = sim_witness(sim, 0);
    const uint64_t ms = draw(random, 0, 2 * timing.lost_ms);

    sim_stick_record(sim, witness, 2 * ms);
    sim_after(sim, ms, fault_crash_and_return, witness, 1);
}

/* H88, H52: its lease lasts for ten round trips, and is all that who acts has. */
void strike_far_witness(struct sim *sim, struct random *random)
{
    const uint32_t acting = acting_host(sim, SIM_NOBODY);
    const struct timing timing = sim_timing(sim);
    struct quality quality = sim_default_quality();
    const uint64_t what = draw(random, 0, 3);
    const uint64_t cut_ms = draw(random, timing.lost_ms, 5 * timing.lost_ms);
    const bool skews = draw(random, 0, 1) == 0;

    if (acting == SIM_NOBODY || sim_witness_count(sim) == 0 || !sim_has_founded(sim) ||
        !is_needed(sim, acting, another_host(sim, random, acting))) {
        return;
    }
    quality.latency_us_min = draw_u32(random, 100, 100000);
    quality.latency_us_max = quality.latency_us_min + draw_u32(random, 100, 10000);
    sim_set_quality_from(sim, sim_witness(sim, 0), &quality);
    if (skews) {
        sim_skew(sim, sim_witness(sim, 0), CLOCK_RATE_PPM_MAX);
        sim_skew(sim, acting, -CLOCK_RATE_PPM_MAX);
    }
    if (what < 2) {
        hold_its_answers(sim, random, acting);
    } else if (what == 2) {
        stop_it_before_sync(sim, random);
    }
    cut_off_for(sim, acting, 0, sim_host_count(sim), cut_ms);
}
