/* An operator changes the terms, whatever else goes on. A majority stays one, so that it can be
 * said what it must not do; and all hosts have room, so that they can find together in the end. */
#include "faults_parts.h"

#include "core/model/quorum.h"

static void change_guard(struct sim *sim, struct random *random, struct rules *rules)
{
    const uint32_t hosts = sim_host_count(sim);
    const uint32_t size = draw_u32(random, hosts, hosts + 2);
    const uint64_t choice = draw(random, 0, 2);

    if (rules->guard.policy == GUARD_MAJORITY && sim_keeps_majority(sim)) {
        rules->guard.count = size;
    } else if (choice == 0) {
        rules->guard = (struct guard){.policy = GUARD_NONE};
    } else if (choice == 1) {
        rules->guard = (struct guard){.policy = GUARD_COUNT, .count = hosts / 2 + 1};
    } else {
        rules->guard = (struct guard){.policy = GUARD_MAJORITY, .count = size};
    }
}

/* No shorter than timing_override would have it. */
void fault_scale_lengths(struct sim *sim, struct rules *rules, uint64_t fifths)
{
    const struct timing timing = sim_timing(sim);

    rules->heartbeat_ms = timing.heartbeat_ms * fifths / 5;
    rules->lost_ms = (timing.lost_ms * fifths + 4) / 5;
}

/* H99: under strict the length of leases goes up and down with them. */
static void change_timing(struct sim *sim, struct random *random, struct rules *rules)
{
    const bool strict = rules->guard.policy == GUARD_STRICT;

    fault_scale_lengths(sim, rules, draw(random, 3, strict ? 10 : 5));
}

void strike_change_of_terms(struct sim *sim, struct random *random)
{
    const uint32_t host = any_host(sim, random);
    const uint64_t what = draw(random, 0, 3);

    if (!sim_is_running(sim, host)) {
        return;
    }
    struct rules rules = sim_rules(sim, host);
    const bool strict = rules.guard.policy == GUARD_STRICT;
    if (rules.capacity < sim_usual_terms(sim).capacity) {
        return; /* It began anew with a smaller one, which would be the most for good (A1). */
    }
    if (what != 0 && !strict) {
        change_guard(sim, random, &rules);
    }
    if (what != 1 || strict) {
        change_timing(sim, random, &rules);
    }
    sim_change_terms(sim, host, &rules);
}

/* --- What is written down of them --- */

enum {
    LOOK_MS = 250, /* so often it is looked whether they have come about */
    LOOKS_MAX = 80,
    ASKED_MS = 1000,     /* after a wish it is looked for the first time */
    POWER_MS_MAX = 4000, /* so much later the power fails at the most */
    DOWN_MS_MAX = 3000,
    APART_MS_MAX = 20000,
    HOSTS_MOST = 256,
};

/* For sim_after: of what all else is drawn (24 bits), and how often to look yet (8 bits). */
static uint32_t pack(struct random *random)
{
    return draw_u32(random, 0, 0xffffff) | (uint32_t)LOOKS_MAX << 24;
}

static struct random unpack(uint32_t packed, uint32_t stage)
{
    struct random random;

    random_seed(&random, (packed & 0xffffff) | (uint64_t)stage << 32);
    return random;
}

static void look_again(struct sim *sim, sim_call *call, uint32_t host, uint32_t packed)
{
    if (packed >> 24 != 0) {
        sim_after(sim, LOOK_MS, call, host, packed - (UINT32_C(1) << 24));
    }
}

/* As many as all hosts are, or as the guard may count; or more; or as many as at first. */
static void change_capacity(struct sim *sim, struct random *random, struct rules *rules)
{
    const uint32_t most = sim_usual_terms(sim).capacity;
    const uint32_t hosts = sim_host_count(sim);
    const uint32_t size = guard_asks(&rules->guard).size_max;
    const uint32_t least = size != UINT32_MAX && size > hosts ? size : hosts;
    const uint64_t choice = draw(random, 0, 2);

    if (least >= most || choice == 0) {
        rules->capacity = most;
    } else {
        rules->capacity = choice == 1 ? least : draw_u32(random, least, most - 1);
    }
}

void strike_change_of_capacity(struct sim *sim, struct random *random)
{
    const uint32_t host = any_host(sim, random);

    if (sim_is_running(sim, host)) {
        struct rules rules = sim_rules(sim, host);
        change_capacity(sim, random, &rules);
        sim_change_terms(sim, host, &rules);
    }
}

/* Guard, durations and capacity, one of them at the least. */
static void change_any(struct sim *sim, struct random *random, uint32_t host)
{
    struct rules rules = sim_rules(sim, host);
    const uint64_t what = draw(random, 1, 7);

    if ((what & 1) != 0 && rules.guard.policy != GUARD_STRICT) {
        change_guard(sim, random, &rules);
    }
    if ((what & 2) != 0) {
        change_timing(sim, random, &rules);
    }
    if (what >= 4 || guard_asks(&rules.guard).size_max != UINT32_MAX) {
        change_capacity(sim, random, &rules);
    }
    sim_change_terms(sim, host, &rules);
}

/* Have changed terms come about, for good, and does every disk hold them? */
static bool are_kept_by_all(struct sim *sim)
{
    const struct agreed kept = sim_kept_terms(sim, 0, false);
    bool all = kept.number != 0 && !kept.joint && !sim_may_be_wished(sim, kept.number);

    for (uint32_t i = 0; i < sim_host_count(sim) && all; i++) {
        const struct agreed other = sim_kept_terms(sim, i, false);
        all = sim_is_running(sim, i) && agreed_equal(&other, &kept) &&
              agreed_equal(core_agreed(sim_core(sim, i)), &kept);
    }
    return all;
}

/* A capacity that became smaller is left out, as the guide has it: who wrote that down would be
 * turned away by the others. Who votes under guard strict does not change with the terms. */
static struct sim_terms to_write(struct sim *sim, const struct rules *rules)
{
    struct sim_terms terms = sim_usual_terms(sim);

    terms.guard = rules->guard.policy == GUARD_STRICT ? terms.guard : rules->guard;
    terms.profile = rules->profile;
    terms.heartbeat_ms = rules->heartbeat_ms;
    terms.lost_ms = rules->lost_ms;
    return terms;
}

static bool terms_are_equal(const struct sim_terms *a, const struct sim_terms *b)
{
    return guard_equal(&a->guard, &b->guard) && a->profile == b->profile &&
           a->heartbeat_ms == b->heartbeat_ms && a->lost_ms == b->lost_ms;
}

/* Into the configurations of all, of none or of some. */
static void write_down(struct sim *sim, struct random *random, const struct rules *rules)
{
    const struct sim_terms terms = to_write(sim, rules);
    const uint64_t how_many = draw(random, 0, 9);

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        const bool chosen = draw(random, 0, 1) == 0;
        if ((how_many == 0 || (how_many > 1 && chosen)) &&
            !terms_are_equal(sim_right_terms(sim, i), &terms)) {
            sim_write_down(sim, i, &terms, sim_kept_terms(sim, i, false).number);
        }
    }
}

static void mend(struct sim *sim, uint32_t a, uint32_t b)
{
    sim_mend(sim, a, b);
}

static void cut_apart(struct sim *sim, const bool *one, uint64_t ms)
{
    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (one[i] != one[k]) {
                sim_cut(sim, i, k);
                sim_after(sim, ms, mend, i, k);
            }
        }
    }
}

/* For all, who come back one by one or at once. What a disk wrote last may be lost, but not that
 * terms had changed: the operator was told so a while ago. */
static void cut_power(struct sim *sim, struct random *random)
{
    const bool together = draw(random, 0, 3) == 0;
    const bool loses = draw(random, 0, 3) == 0;
    const uint64_t ms = draw(random, 0, DOWN_MS_MAX);

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        const uint64_t own_ms = draw(random, 0, DOWN_MS_MAX);
        const bool lost = draw(random, 0, 1) == 0 && loses;
        const struct agreed now = sim_kept_terms(sim, i, false);
        const struct agreed before = sim_kept_terms(sim, i, true);
        const bool kept = before.number != 0 && rules_equal(&before.now, &now.now);
        sim_crash(sim, i);
        sim_after(sim, together ? ms : own_ms, fault_start_again, i,
                  lost && kept ? ROLL_BACK_DISK : KEEP_DISK);
    }
}

/* Perhaps with those cut off from the others whose configuration says the same as that of one. */
static void fail_power(struct sim *sim, uint32_t host, uint32_t packed)
{
    struct random random = unpack(packed, 1);
    const bool apart = draw(&random, 0, 2) == 0;
    const uint64_t apart_ms = draw(&random, DOWN_MS_MAX, APART_MS_MAX);
    bool same[HOSTS_MOST];

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        same[i] = terms_are_equal(sim_right_terms(sim, i), sim_right_terms(sim, host));
    }
    if (apart) {
        cut_apart(sim, same, apart_ms);
    }
    cut_power(sim, &random);
}

static void look_to_write(struct sim *sim, uint32_t host, uint32_t packed)
{
    struct random random = unpack(packed, 2);

    if (sim_is_ahead(sim)) {
        return; /* Another one was faster. */
    }
    if (!are_kept_by_all(sim)) {
        look_again(sim, look_to_write, host, packed);
        return;
    }
    const struct rules rules = sim_rules(sim, host);
    const bool fails = draw(&random, 0, 3) != 0;
    const uint64_t ms = draw(&random, 0, POWER_MS_MAX);
    write_down(sim, &random, &rules);
    if (fails) {
        sim_after(sim, ms, fail_power, host, packed);
    }
}

/* A5a: an operator changes the terms, unless they were, and writes down what came of it; then, or
 * midway, the power fails. Or it fails again, before all were started with what is written. */
void strike_terms_written_down(struct sim *sim, struct random *random)
{
    const uint32_t host = any_host(sim, random);
    const uint32_t packed = pack(random);
    const bool asks = draw(random, 0, 1) == 0 || !are_kept_by_all(sim);

    if (sim_is_ahead(sim)) {
        fail_power(sim, host, packed);
        return;
    }
    if (asks && sim_is_running(sim, host)) {
        change_any(sim, random, host);
    }
    sim_after(sim, asks ? ASKED_MS : 0, look_to_write, host, packed);
}

/* The options of its start are all that it knows: with some of the others, who remember what was
 * agreed, it is cut off from the rest. */
static void look_to_wipe(struct sim *sim, uint32_t host, uint32_t packed)
{
    struct random random = unpack(packed, 3);
    const struct sim_terms usual = sim_usual_terms(sim);
    const uint64_t apart_ms = draw(&random, DOWN_MS_MAX, APART_MS_MAX);
    const bool apart = draw(&random, 0, 3) != 0;
    bool one[HOSTS_MOST];

    if (!are_kept_by_all(sim)) {
        look_again(sim, look_to_wipe, host, packed);
        return;
    }
    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        one[i] = draw(&random, 0, 3) == 0 || i == host;
    }
    if (apart) {
        cut_apart(sim, one, apart_ms);
    }
    cut_power(sim, &random);
    if (terms_are_equal(sim_right_terms(sim, host), &usual)) {
        sim_wipe(sim, host);
    }
}

/* A5b */
void strike_disk_without_terms(struct sim *sim, struct random *random)
{
    const uint32_t host = any_host(sim, random);
    const uint32_t packed = pack(random);
    const bool asks = draw(random, 0, 1) == 0 || !are_kept_by_all(sim);

    if (asks && sim_is_running(sim, host)) {
        change_any(sim, random, host);
    }
    sim_after(sim, asks ? ASKED_MS : 0, look_to_wipe, host, packed);
}

/* The highest that any node goes by, or has on its disk. */
static struct agreed latest_terms(struct sim *sim)
{
    struct agreed latest = {.number = 0};

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        const struct agreed kept = sim_kept_terms(sim, i, false);
        latest = kept.number > latest.number ? kept : latest;
        if (sim_is_running(sim, i) && core_agreed(sim_core(sim, i))->number > latest.number) {
            latest = *core_agreed(sim_core(sim, i));
        }
    }
    return latest;
}

static bool goes_by(struct sim *sim, uint32_t host, uint64_t number)
{
    return sim_is_running(sim, host) && core_phase(sim_core(sim, host)) == PHASE_MEMBER &&
           core_agreed(sim_core(sim, host))->number == number;
}

/* Who has forgotten what was agreed has what is written down for it alone. That may be the terms of
 * the start, while others were started with later ones, or those of a change before the last: what
 * it founds turns the others away, and rightly so. So the operator ends then what he began, and
 * writes it down for all. Who founded with just that, beside those who have it as changed terms,
 * starts again: these would let it in, but two parts that began with different terms stay two
 * (A5b). */
void fault_end_writing(struct sim *sim)
{
    const struct sim_terms usual = sim_usual_terms(sim);
    const struct agreed latest = latest_terms(sim);
    struct sim_terms terms = usual;
    bool all_remember = true;
    bool is_agreed = false;

    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        is_agreed = is_agreed || (latest.number != 0 && goes_by(sim, i, latest.number));
        const struct sim_terms *right = sim_right_terms(sim, i);
        terms = terms_are_equal(right, &usual) ? terms : *right;
        all_remember = all_remember && !sim_forgets_terms(sim, i);
    }
    if (all_remember || terms_are_equal(&terms, &usual)) {
        return; /* Or nothing is written. */
    }
    if (latest.number != 0) {
        terms = to_write(sim, &latest.now);
    }
    for (uint32_t i = 0; i < sim_host_count(sim); i++) {
        if (!terms_are_equal(sim_right_terms(sim, i), &terms) ||
            (is_agreed && goes_by(sim, i, 0))) {
            sim_crash(sim, i);
            sim_write_down(sim, i, &terms, latest.number);
        }
    }
}
