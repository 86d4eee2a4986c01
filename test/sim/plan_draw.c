/* Draws plans. What was added later draws from a chance of its own, so that a seed goes on to mean
 * the same run in all that it meant before. */
#include <string.h>

#include "liar.h"
#include "plan.h"

enum {
    CLOCKS_ONE_IN = 8,    /* plans have clocks that are wrong */
    SIZE_ONE_IN = 4,      /* have paths through which nothing long passes */
    QUESTIONS_ONE_IN = 8, /* have questions that are lost, or what answers them */
    REMOVAL_ONE_IN = 8,   /* have operators who have those forgotten that are gone */
    SITES_ONE_IN = 6,     /* have faults of what several hosts share */
    NARROWED_ONE_IN = 8,  /* one for good, unless a host is broken in another way */
    HOLED_ONE_IN = 6,     /* of guard strict, one between some for good */
    HOLES_ONE_IN = 2,     /* of these, for a while before, too */
    OPTIONS_ONE_IN = 10,  /* have hosts that are started with other options */
    OPERATORS_ONE_IN = 4, /* have operators who move the coordinator */
    STRANGERS_ONE_IN = 2, /* where a liar is asked for, have strangers who lie */
    LIARS_ONE_IN = 2,     /* or members */
    FORGERS_ONE_IN = 3,   /* or forgers */
    SERIES_ONE_IN = 2,    /* and in the end so many series of forged frames */
    SERIES = 24,
    HAUNTED_ONE_IN = 4,        /* or a stranger who does not end */
    STRICT_ONE_IN = 4,         /* are of guard strict */
    RECOVERY_ONE_IN = 4,       /* of these, have voters that are lost for good */
    ABSENCE_ONE_IN = 3,        /* of these, the one that is left was away before */
    STRICT_TERMS_ONE_IN = 3,   /* of these terms change, too */
    LENGTHS_ONE_IN = 4,        /* and in some just before whoever acts is gone */
    RIVALS_ONE_IN = 3,         /* of these, voters are bound to another epoch meanwhile */
    HASTE_ONE_IN = 3,          /* or become as short as there are, or as before, and then a blow */
    SUCCESSORS_ONE_IN = 4,     /* of those with lies, have some of histories that succeed */
    WITNESS_BESIDE_ONE_IN = 2, /* also of those with lies, or with voters that are lost for good */
    WITNESS_HOST_ONE_IN = 3,   /* of those with a witness, have trouble at its host */
    WITNESS_ONE_IN = 2,        /* of those whose voters change, have a witness */
    TWO_WITNESSES_ONE_IN = 4,  /* of these, have two */
    FULL_ONE_IN = 8,           /* have no more room than all hosts take */
    TARGET_ONE_IN = 3,         /* and have a target of voters */
    FOUNDERS_ONE_IN = 5,       /* of guard strict, have founders who lose their disks */
    ISLANDS_ONE_IN = 8,        /* or who meet each other then before they meet anybody else */
    DATES_ONE_IN = 8,          /* or recoveries by clocks that show other times */
    HOSTS_ONE_IN = 6,          /* have faults of one host that go on for long */
    EXCHANGE_ONE_IN = 4,       /* of guard strict, have voters with two disks, or that move */
    CHANGES_ONE_IN = 4,        /* of those whose terms stay, a blow while voters change */
    COPIES_ONE_IN = 6,         /* or what is proposed is shown by anybody, too */
    WRITING_ONE_IN = 2,        /* of those whose terms change, have what is written of that */
    QUEUES_ONE_IN = 6,         /* have queues that are full */
    STREAMS_ONE_IN = 6,        /* have streams that break */
    BAD_LINKS_ONE_IN = 8,      /* have links that lose some */
    FIREWALLS_ONE_IN = 8,      /* have firewalls that say that nobody listens */
    GATEWAYS_ONE_IN = 10,      /* have gateways that translate sources */
    VERSIONS_ONE_IN = 8,       /* have releases of other versions */
    ANSWERS_ONE_IN = 10,       /* have a resolver that says something else each time */
    DECEPTIONS_ONE_IN = 8,     /* have firewalls that say so again, or everywhere */
    RELEASES_ONE_IN = 8,       /* have all hosts restarted in turn */
    LONG_LIVES_ONE_IN = 12,    /* have processes that have sent a great many messages */
    STANDSTILL_ONE_IN = 8,     /* of the other guards, have clocks that stand still */
    OTHER_BREAKAGE_ONE_IN = 2, /* of those with a broken host, have one broken in a newer way */
    STRAIN_ONE_IN = 3,         /* or in one that is newer yet */
    ALONE_ONE_IN = 2,          /* and nothing else in some of these */
    LONE_FOUNDER_ONE_IN = 4,   /* where founders lose their disks, have one alone */
    LONG_STRIKES_MAX = 3,      /* of either */
    FOUNDING_ONE_IN = 6,       /* of guard strict, have trouble while they are founded */
    FOUNDING_STRIKES_MAX = 6,
    FOUNDING_MS = 4000,   /* for most of these */
    LONG_HOSTS_MOST = 16, /* in a plan that has nothing else */
    VOTERS_LEAST = 3,
};

static uint64_t draw(struct random *random, uint64_t low, uint64_t high)
{
    return random_between(random, low, high);
}

/* Which faults a run may have: one, two, some, or all of them. Faults that hide each other are
 * found alone; those that need each other, in pairs. */
static void draw_switches(struct random *random, const char *only, bool *on)
{
    uint32_t count;
    uint32_t common = 0;
    const struct fault *table = fault_table(&count);
    uint64_t mode = draw(random, 0, 9);
    uint64_t some = mode < 3 ? 1 : mode < 6 ? 2 : draw(random, 3, 7);

    for (uint32_t i = 0; i < count; i++) {
        bool is_common = table[i].group == FAULTS_COMMON;
        on[i] = only != NULL ? strcmp(only, table[i].name) == 0 : is_common && mode >= 8;
        common += is_common;
    }
    for (; only == NULL && some > 0; some--) {
        on[random_below(random, common)] = true;
    }
}

/* Of all faults that are on together. */
static uint64_t weight_of(const bool *on)
{
    uint32_t count;
    const struct fault *table = fault_table(&count);
    uint64_t sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        sum += on[i] ? table[i].weight : 0;
    }
    return sum;
}

static uint32_t draw_fault(struct random *random, const bool *on, uint64_t sum)
{
    uint32_t count;
    const struct fault *table = fault_table(&count);
    uint64_t at = random_below(random, sum);

    for (uint32_t i = 0; i < count; i++) {
        uint64_t weight = on[i] ? table[i].weight : 0;
        if (at < weight) {
            return i;
        }
        at -= weight;
    }
    return 0;
}

/* Among those of before, in order of time, and after all of the same time. */
static void add_strike(struct plan *plan, uint64_t at_ms, uint32_t fault, uint64_t seed)
{
    uint32_t count;
    const struct fault *table = fault_table(&count);
    uint32_t place = plan->strike_count++;

    for (; place > 0 && plan->strikes[place - 1].at_ms > at_ms; place--) {
        plan->strikes[place] = plan->strikes[place - 1];
    }
    plan->strikes[place] = (struct strike){.at_ms = at_ms, .seed = seed, .fault = fault};
    plan->kinds |= table[fault].kinds;
    plan->mixed = plan->mixed || table[fault].group == FAULTS_OF_OPTIONS;
    plan->hastens = plan->hastens || table[fault].group == FAULTS_OF_HASTE ||
                    table[fault].group == FAULTS_OF_RIVALS;
}

/* Of the faults that are on, from the start to the end of the run. */
static void draw_strikes(struct plan *plan, struct random *random, const bool *on,
                         uint64_t gap_ms_max)
{
    const uint64_t sum = weight_of(on);
    uint64_t at_ms = 0;

    for (;;) {
        bool burst = random_below(random, 4) == 0; /* Mostly one after the other. */
        at_ms += draw(random, 0, burst ? 30 : gap_ms_max);
        if (at_ms >= plan->end_ms || plan->strike_count == STRIKES_MAX) {
            return;
        }
        uint32_t fault = draw_fault(random, on, sum);
        add_strike(plan, at_ms, fault, random_u64(random));
    }
}

static void draw_common(struct plan *plan, struct random *random, const char *only)
{
    bool on[FAULTS_MAX];
    uint64_t gap_ms_max = (uint64_t)1000 << draw(random, 0, 3);

    draw_switches(random, only, on);
    draw_strikes(plan, random, on, gap_ms_max);
}

/* Only where clients stand for roles: the plans without them are what they were. */
static bool is_of_roles(const char *fault)
{
    return strstr(fault, liar_text(LIE_STAMPS)) != NULL;
}

/* By those of the last ones no seed of seeds.txt is chosen. */
static uint64_t chance_of(enum fault_group group)
{
    static const struct {
        enum fault_group group;
        uint64_t chance;
    } last_ones[] = {{FAULTS_OF_DECEPTIONS, UINT64_C(0x44454304d3a5)},
                     {FAULTS_OF_RELEASES, UINT64_C(0x4445430c91dc)},
                     {FAULTS_OF_LONG_LIVES, UINT64_C(0x4c4f4e470000bf5a)}};

    for (size_t i = 0; i < sizeof last_ones / sizeof last_ones[0]; i++) {
        if (last_ones[i].group == group) {
            return last_ones[i].chance;
        }
    }
    return UINT64_C(0x47524f5550) + group;
}

/* All faults of a group, beside what there is, in one plan of `one_in`. */
static void draw_group(struct plan *plan, enum fault_group group, const char *only, uint64_t one_in)
{
    struct random random;
    uint32_t count;
    const struct fault *table = fault_table(&count);
    bool on[FAULTS_MAX];

    random_seed(&random, plan->seed ^ chance_of(group));
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        on[i] = table[i].group == group && (only == NULL || strcmp(table[i].name, only) == 0) &&
                (only != NULL || plan->roles || !is_of_roles(table[i].name));
        any |= on[i];
    }
    if (!any || draw(&random, 1, one_in) > 1) {
        return;
    }
    draw_strikes(plan, &random, on, (uint64_t)1000 << draw(&random, 0, 3));
}

static struct guard guard_of(enum guard_policy policy, uint32_t hosts)
{
    switch (policy) {
    case GUARD_COUNT:
        return (struct guard){.policy = policy, .count = hosts / 2 + 1};
    case GUARD_MAJORITY:
        return (struct guard){.policy = policy, .count = hosts};
    case GUARD_NONE:
    case GUARD_STRICT:
        break;
    }
    return (struct guard){.policy = GUARD_NONE};
}

static void draw_guard(struct plan *plan, struct random *random, enum guard_policy asked)
{
    uint64_t chance = draw(random, 0, 5);
    enum guard_policy policy = chance == 0 ? GUARD_COUNT : chance < 3 ? GUARD_MAJORITY : GUARD_NONE;

    plan->guard = guard_of(asked != 0 ? asked : policy, plan->hosts);
}

/* Guard strict, in one plan of four where no guard is asked for, and where there are enough nodes
 * to vote. By a chance of its own: the other plans are what they were. */
static bool draw_strict(const struct plan_options *options, uint64_t seed)
{
    struct random random;

    random_seed(&random, seed ^ UINT64_C(0x535452494354));
    return options->guard == GUARD_STRICT ||
           (options->guard == 0 && options->nodes >= VOTERS_LEAST &&
            draw(&random, 1, STRICT_ONE_IN) == 1);
}

static bool draw_strict_terms(uint64_t seed)
{
    struct random random;

    random_seed(&random, seed ^ UINT64_C(0x5354524943545445));
    return draw(&random, 1, STRICT_TERMS_ONE_IN) == 1;
}

/* Three voters, now and then five, and up to two workers where so many hosts are asked for: all who
 * vote are seeds. */
static void draw_voters(struct plan *plan, uint32_t nodes, uint32_t least)
{
    struct random random;

    random_seed(&random, plan->seed ^ UINT64_C(0x564f544552));
    uint32_t voters = nodes >= 5 && draw(&random, 0, 2) == 0 ? 5 : VOTERS_LEAST;
    uint32_t wished = voters + (uint32_t)draw(&random, 0, 2);
    uint32_t hosts = wished < nodes ? wished : nodes;
    plan->guard = (struct guard){.policy = GUARD_STRICT, .count = voters};
    plan->hosts = hosts > least ? hosts : least;
    plan->seeds = voters;
    plan->expect = 0;
    random_seed(&random, plan->seed ^ UINT64_C(0x544152474554));
    plan->target = draw(&random, 1, TARGET_ONE_IN) == 1 ? voters : 0;
}

/* F3, in one plan of eight. By a chance of its own: the other plans are what they were. */
static uint32_t draw_expect(uint64_t seed, uint32_t hosts)
{
    struct random random;

    random_seed(&random, seed ^ UINT64_C(0x45585045));
    return draw(&random, 0, 7) == 0 ? hosts / 2 + 1 : 0;
}

/* By a chance of its own: the other plans are what they were. */
static bool draw_successors(uint64_t seed)
{
    struct random random;

    random_seed(&random, seed ^ UINT64_C(0x535543434553));
    return draw(&random, 1, SUCCESSORS_ONE_IN) == 1;
}

/* By a chance of its own: the other plans are what they were. */
static uint32_t draw_series(uint64_t seed)
{
    struct random random;

    random_seed(&random, seed ^ UINT64_C(0x534552494553));
    return draw(&random, 1, SERIES_ONE_IN) == 1 ? SERIES : 0;
}

/* `only`: that lie alone, in every plan. */
static void draw_liars(struct plan *plan, const char *only)
{
    struct random random;

    random_seed(&random, plan->seed ^ UINT64_C(0x4c494152));
    draw_group(plan, FAULTS_OF_STRANGERS, only, only != NULL ? 1 : STRANGERS_ONE_IN);
    draw_group(plan, FAULTS_OF_LIARS, only, only != NULL ? 1 : LIARS_ONE_IN);
    draw_group(plan, FAULTS_OF_FORGERS, only, only != NULL ? 1 : FORGERS_ONE_IN);
    plan->liars = true;
    plan->successors = plan->guard.policy == GUARD_STRICT && draw_successors(plan->seed);
    plan->series = draw_series(plan->seed);
    plan->haunted = draw(&random, 1, HAUNTED_ONE_IN) == 1;
    plan->haunting = (uint32_t)draw(&random, 0, LIE_ANYTHING);
    for (uint32_t kind = 0; only != NULL && kind < LIE_KINDS; kind++) {
        plan->haunting = strcmp(strchr(only, ' ') + 1, liar_text((enum lie_kind)kind)) == 0
                             ? kind
                             : plan->haunting;
    }
}

/* By a chance of its own: the other plans are what they were. Nobody makes members up, or is
 * started with less room. */
static void draw_full(struct plan *plan, bool liar)
{
    struct random random;

    random_seed(&random, plan->seed ^ UINT64_C(0x46554c4c));
    plan->full = !liar && !plan->mixed && draw(&random, 1, FULL_ONE_IN) == 1;
}

/* By a chance of its own: the other plans are what they were. Where there is no other fault, in
 * each plan. */
static void draw_narrowed(struct plan *plan, const char *only)
{
    struct random random;

    random_seed(&random, plan->seed ^ UINT64_C(0x4d5455));
    const bool chosen = draw(&random, 1, NARROWED_ONE_IN) == 1 ||
                        (only != NULL && strcmp(only, NARROW_PATH) == 0);
    plan->narrowed = chosen && plan->breakage == BREAK_NOTHING && plan->hosts > 2;
    if (plan->narrowed) {
        plan->broken = (uint32_t)random_below(&random, plan->hosts);
        plan->seeds = plan->seeds > 2 ? plan->seeds : 2;
    }
}

/* Likewise. By this chance no seed of seeds.txt is chosen. */
static void draw_holed(struct plan *plan, const char *only)
{
    struct random random;

    random_seed(&random, plan->seed ^ UINT64_C(0x484f4ec8b3));
    const bool chosen = draw(&random, 1, HOLED_ONE_IN) == 1 ||
                        (only != NULL && strcmp(only, NARROW_PATH_TO_SOME) == 0);
    plan->holed = chosen && plan->guard.policy == GUARD_STRICT && !plan->narrowed &&
                  plan->breakage == BREAK_NOTHING;
}

/* Likewise. */
static bool draw_copied(uint64_t seed)
{
    struct random random;

    random_seed(&random, seed ^ UINT64_C(0x43ad4a37));
    return draw(&random, 1, COPIES_ONE_IN) == 1;
}

static bool has_fault(const struct plan *plan, enum fault_group group)
{
    uint32_t count;
    const struct fault *table = fault_table(&count);

    for (uint32_t i = 0; i < plan->strike_count; i++) {
        if (table[plan->strikes[i].fault].group == group) {
            return true;
        }
    }
    return false;
}

/* Z16, by a chance of its own: the other plans are what they were. Where there is no other fault,
 * in each plan. */
static void draw_witness(struct plan *plan, const char *only)
{
    struct random random;
    const bool is_asked_for = only != NULL && strstr(only, "witness") != NULL;

    random_seed(&random, plan->seed ^ UINT64_C(0x5749544e455353));
    if (is_asked_for || (has_fault(plan, FAULTS_OF_VOTERS) && only == NULL &&
                         draw(&random, 1, WITNESS_ONE_IN) == 1)) {
        plan->witnesses = draw(&random, 1, TWO_WITNESSES_ONE_IN) == 1 ? 2 : 1;
        draw_group(plan, FAULTS_OF_WITNESSES, only, 1);
        draw_group(plan, FAULTS_OF_WITNESS_HOSTS, only, only != NULL ? 1 : WITNESS_HOST_ONE_IN);
        draw_group(plan, FAULTS_OF_FAR_WITNESSES, only, only != NULL ? 1 : WITNESS_HOST_ONE_IN);
    }
}

/* Where somebody lies, or voters are lost for good, in some plans. */
static bool draw_witness_beside(uint64_t seed)
{
    struct random random;

    random_seed(&random, seed ^ UINT64_C(0x424553494445));
    return draw(&random, 1, WITNESS_BESIDE_ONE_IN) == 1;
}

/* What takes a while: a few times, early. */
static void draw_long(struct plan *plan, enum fault_group group, uint64_t one_in, uint32_t nodes)
{
    struct random random;
    uint32_t count;
    const struct fault *table = fault_table(&count);
    uint32_t fault = 0;

    random_seed(&random, plan->seed ^ (UINT64_C(0x4c4f4e47) + group));
    if (draw(&random, 1, one_in) > 1) {
        return;
    }
    while (table[fault].group != group) {
        fault++;
    }
    const bool alone = draw(&random, 1, ALONE_ONE_IN) == 1;
    const bool lone = alone && group == FAULTS_OF_FOUNDERS &&
                      draw(&random, 1, LONE_FOUNDER_ONE_IN) == 1;
    const uint32_t strikes = lone ? 1 : (uint32_t)draw(&random, 1, LONG_STRIKES_MAX);
    if (alone) { /* With as many others as there may be, who can stand in. */
        plan->strike_count = 0;
        plan->hosts = nodes < LONG_HOSTS_MOST ? nodes : LONG_HOSTS_MOST;
        plan->guard.count = lone ? 1 : VOTERS_LEAST;
    }
    for (uint32_t i = 0; i < strikes && plan->strike_count < STRIKES_MAX; i++) {
        const uint64_t at_ms = draw(&random, 0, plan->end_ms / 2);
        add_strike(plan, at_ms, fault, random_u64(&random));
    }
}

/* While the cluster is founded: a few, each of which waits for its moment. */
static void draw_early(struct plan *plan, enum fault_group group, const char *only, uint64_t one_in)
{
    struct random random;
    uint32_t count;
    const struct fault *table = fault_table(&count);
    bool on[FAULTS_MAX];

    random_seed(&random, plan->seed ^ (UINT64_C(0x4649525354) + group));
    if (draw(&random, 1, one_in) > 1) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        on[i] = table[i].group == group && (only == NULL || strcmp(table[i].name, only) == 0);
    }
    if (draw(&random, 1, ALONE_ONE_IN) == 1) {
        plan->strike_count = 0;
    }
    const uint64_t strikes = draw(&random, 1, FOUNDING_STRIKES_MAX);
    for (uint64_t i = 0; i < strikes && plan->strike_count < STRIKES_MAX; i++) {
        const bool late = draw(&random, 0, 3) == 0;
        const uint64_t at_ms = draw(&random, 0, late ? plan->end_ms / 3 : FOUNDING_MS);
        const uint32_t fault = draw_fault(&random, on, weight_of(on));
        add_strike(plan, at_ms, fault, random_u64(&random));
    }
}

static bool is_lie(const char *fault)
{
    return fault != NULL &&
           (strncmp(fault, "liar: ", 6) == 0 || strncmp(fault, "stranger: ", 10) == 0 ||
            strncmp(fault, "forger: ", 8) == 0);
}

/* In which plans a group of faults may be drawn. */
enum {
    STRICT = 1,
    NOT_STRICT = 2,
    HONEST = 4,      /* nobody lies */
    UNMIXED = 8,     /* no options differ */
    CHANGING = 16,   /* terms change */
    RECOVERING = 32, /* voters are lost for good */
    NOT_RECOVERING = 64,
    LONG = 128,         /* none of these: it is drawn a few times, for it takes a while */
    EARLY = 256,        /* likewise, while the cluster is founded */
    STAYING = 512,      /* terms stay */
    UNEXCHANGED = 1024, /* no voter has two disks, or moves */
    HOLED = 2048,       /* nothing long passes between some in the end */
    COPIED = 4096,      /* what is proposed is shown by anybody */
};

struct group {
    enum fault_group group;
    uint64_t one_in;
    unsigned where;
};

static bool may_have(const struct plan *plan, bool liar, unsigned where)
{
    const bool strict = plan->guard.policy == GUARD_STRICT;
    const bool recovering = has_fault(plan, FAULTS_OF_RECOVERY);
    const unsigned is = (strict ? STRICT : NOT_STRICT) | (liar ? 0U : HONEST) |
                        (plan->mixed ? 0U : UNMIXED) | (plan->terms ? CHANGING : STAYING) |
                        (recovering ? RECOVERING : NOT_RECOVERING) |
                        (has_fault(plan, FAULTS_OF_EXCHANGE) ? 0U : UNEXCHANGED) |
                        (plan->holed ? HOLED : 0U) | (draw_copied(plan->seed) ? COPIED : 0U) |
                        LONG | EARLY;

    return (where & ~is) == 0;
}

static void draw_groups(struct plan *plan, const struct plan_options *options,
                        const struct group *groups, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct group *group = &groups[i];
        if (!may_have(plan, options->liar, group->where)) {
            continue;
        }
        if ((group->where & EARLY) != 0) {
            draw_early(plan, group->group, NULL, group->one_in);
        } else if ((group->where & LONG) != 0) {
            draw_long(plan, group->group, group->one_in, options->nodes);
        } else {
            draw_group(plan, group->group, NULL, group->one_in);
        }
    }
}

/* Those whose drawing may leave out what was drawn before come last. */
static const struct group last[] = {
    {FAULTS_OF_BACKUPS, 2, STRICT | HONEST | NOT_RECOVERING},
    {FAULTS_OF_LENGTHS, LENGTHS_ONE_IN, STRICT | CHANGING},
    {FAULTS_OF_HASTE, HASTE_ONE_IN, STRICT | CHANGING | HONEST},
    {FAULTS_OF_RIVALS, RIVALS_ONE_IN, STRICT | CHANGING | HONEST},
    {FAULTS_OF_REMOVAL, REMOVAL_ONE_IN, 0},
    {FAULTS_OF_SITES, SITES_ONE_IN, 0},
    {FAULTS_OF_HOSTS, HOSTS_ONE_IN, 0},
    {FAULTS_OF_EXCHANGE, EXCHANGE_ONE_IN, STRICT | HONEST | UNMIXED | NOT_RECOVERING},
    {FAULTS_OF_STANDSTILL, STANDSTILL_ONE_IN, NOT_STRICT | HONEST | UNMIXED | STAYING},
    {FAULTS_OF_CHANGES, CHANGES_ONE_IN, STRICT | HONEST | STAYING | NOT_RECOVERING},
    {FAULTS_OF_HOLES, HOLES_ONE_IN, HOLED},
    {FAULTS_OF_QUEUES, QUEUES_ONE_IN, 0},
    {FAULTS_OF_STREAMS, STREAMS_ONE_IN, 0},
    {FAULTS_OF_BAD_LINKS, BAD_LINKS_ONE_IN, 0},
    {FAULTS_OF_FIREWALLS, FIREWALLS_ONE_IN, 0},
    {FAULTS_OF_GATEWAYS, GATEWAYS_ONE_IN, 0},
    {FAULTS_OF_VERSIONS, VERSIONS_ONE_IN, HONEST},
    {FAULTS_OF_ANSWERS, ANSWERS_ONE_IN, 0},
    {FAULTS_OF_DECEPTIONS, DECEPTIONS_ONE_IN, 0},
    {FAULTS_OF_RELEASES, RELEASES_ONE_IN, 0},
    {FAULTS_OF_LONG_LIVES, LONG_LIVES_ONE_IN, 0},
    {FAULTS_OF_COPIES, 1, COPIED | STRICT | HONEST | STAYING | NOT_RECOVERING},
    {FAULTS_OF_WRITING, WRITING_ONE_IN, HONEST | UNMIXED | CHANGING},
    {FAULTS_OF_FOUNDERS, FOUNDERS_ONE_IN, STRICT | HONEST | UNMIXED | LONG},
    {FAULTS_OF_DATES, DATES_ONE_IN, STRICT | HONEST | UNMIXED | UNEXCHANGED | LONG},
    {FAULTS_OF_ISLANDS, ISLANDS_ONE_IN, STRICT | HONEST | UNMIXED | LONG},
    {FAULTS_OF_FOUNDING, FOUNDING_ONE_IN, STRICT | UNMIXED | EARLY},
};

static bool is_of_group(const char *fault, enum fault_group group)
{
    uint32_t count;
    const struct fault *table = fault_table(&count);

    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(table[i].name, fault) == 0) {
            return table[i].group == group;
        }
    }
    return false;
}

/* What takes a while, or has its time, does so alone, too. */
static bool draw_only(struct plan *plan, const char *only, uint32_t nodes)
{
    for (size_t i = 0; only != NULL && i < sizeof last / sizeof last[0]; i++) {
        const bool is_long = (last[i].where & LONG) != 0;
        if ((!is_long && (last[i].where & EARLY) == 0) || !is_of_group(only, last[i].group)) {
            continue;
        }
        if (is_long) {
            draw_long(plan, last[i].group, 1, nodes);
        } else {
            draw_early(plan, last[i].group, only, 1);
        }
        return true;
    }
    return false;
}

/* What comes beside the common faults, in this order: what a group may be drawn for can depend on
 * those before it. */
static void draw_others(struct plan *plan, const struct plan_options *options, const char *lie)
{
    static const struct group first[] = {
        {FAULTS_OF_CLOCKS, 1, STRICT},
        {FAULTS_OF_CLOCKS, CLOCKS_ONE_IN, NOT_STRICT},
        {FAULTS_OF_OPERATORS, OPERATORS_ONE_IN, 0},
        {FAULTS_OF_SIZE, SIZE_ONE_IN, 0},
        {FAULTS_OF_QUESTIONS, QUESTIONS_ONE_IN, 0},
        {FAULTS_OF_DISKS, 2, STRICT},
        {FAULTS_OF_LEASES, 2, STRICT},
        {FAULTS_OF_VOTERS, 2, STRICT},
    };
    static const struct group lost[] = {
        {FAULTS_OF_RECOVERY, RECOVERY_ONE_IN, STRICT | HONEST | UNMIXED},
        {FAULTS_OF_ABSENCE, ABSENCE_ONE_IN, RECOVERING},
    };
    const bool strict = plan->guard.policy == GUARD_STRICT;

    draw_groups(plan, options, first, sizeof first / sizeof first[0]);
    if (options->liar) {
        draw_liars(plan, lie);
    } else if (strict || !options->terms) {
        draw_group(plan, FAULTS_OF_OPTIONS, NULL, OPTIONS_ONE_IN);
    }
    draw_groups(plan, options, lost, sizeof lost / sizeof lost[0]);
    if (may_have(plan, options->liar, STRICT | HONEST | NOT_RECOVERING) ||
        (strict && draw_witness_beside(plan->seed))) {
        draw_witness(plan, options->only);
    }
    draw_groups(plan, options, last, sizeof last / sizeof last[0]);
}

/* Another one than it was, of those from `first` on, in one plan of `one_in`, by a chance of its
 * own.
 */
static enum breakage draw_breakage(const struct plan *plan, uint64_t chance, uint64_t one_in,
                                   enum breakage first, enum breakage end)
{
    struct random random;

    random_seed(&random, plan->seed ^ chance);
    return draw(&random, 1, one_in) > 1 ? plan->breakage
                                        : (enum breakage)draw(&random, first, end - 1);
}

/* All that is to heal is one long partition. */
static void draw_parts(struct plan *plan, struct random *random, const struct plan_options *options)
{
    plan->hosts = options->nodes;
    plan->seeds = (uint32_t)draw(random, 1, plan->hosts);
    plan->seeds = plan->seeds < SIM_SEEDS_MAX ? plan->seeds : SIM_SEEDS_MAX;
    draw_guard(plan, random, options->guard);
}

static void draw_cluster(struct plan *plan, struct random *random,
                         const struct plan_options *options)
{
    const uint32_t least = options->nodes_least != 0 ? options->nodes_least
                           : options->nodes < 3      ? 2
                                                     : 3;

    plan->hosts = (uint32_t)draw(random, least, options->nodes);
    plan->seeds = (uint32_t)draw(random, 1, 2);
    draw_guard(plan, random, options->guard);
    plan->expect = draw_expect(plan->seed, plan->hosts);
    if (draw_strict(options, plan->seed)) {
        draw_voters(plan, options->nodes, least);
    }
    plan->together = draw(random, 0, 3) == 0;
    plan->end_ms = options->seconds * 1000;
    if (draw(random, 0, 7) == 0) {
        plan->breakage = (enum breakage)draw(random, 1, BREAKAGES_AT_FIRST - 1);
        plan->broken = (uint32_t)random_below(random, plan->hosts);
        plan->breakage = draw_breakage(plan, UINT64_C(0x425245414b), OTHER_BREAKAGE_ONE_IN,
                                       BREAKAGES_AT_FIRST, BREAKAGES_AT_SECOND);
        plan->breakage = draw_breakage(plan, UINT64_C(0x53545241494e), STRAIN_ONE_IN,
                                       BREAKAGES_AT_SECOND, BREAKAGES);
    }
    if (plan->breakage != BREAK_NOTHING) {
        plan->kinds |= FAULT_SPLITS;
        plan->seeds = plan->seeds > 2 ? plan->seeds : 2; /* Whoever knows only the broken one finds
                                                            nobody else. */
    }
    draw_narrowed(plan, options->only);
    draw_holed(plan, options->only);
}

void plan_draw(struct plan *plan, const struct plan_options *options, uint64_t seed)
{
    struct random random;

    random_seed(&random, seed ^ UINT64_C(0x5741524d)); /* Apart from the run's own chance. */
    memset(plan, 0, sizeof *plan);
    plan->seed = seed;
    plan->profile = options->profile;
    plan->watchers = options->watchers;
    plan->fanout = options->fanout;
    plan->roles = options->roles;
    plan->terms = options->terms;
    plan->heal_parts = options->heal_parts;
    if (plan->heal_parts != 0) {
        draw_parts(plan, &random, options);
        return;
    }
    draw_cluster(plan, &random, options);
    const bool strict = plan->guard.policy == GUARD_STRICT;
    plan->terms |= strict && options->only == NULL && draw_strict_terms(seed);
    if (plan->terms) {
        draw_group(plan, FAULTS_OF_TERMS, NULL, 1);
    }
    const char *lie = options->liar && is_lie(options->only) ? options->only : NULL;
    const char *only = lie != NULL ? NULL : options->only;
    if (!strict || !draw_only(plan, only, options->nodes)) {
        draw_common(plan, &random, only);
    }
    plan->terms |= has_fault(plan, FAULTS_OF_TERMS) || has_fault(plan, FAULTS_OF_LENGTHS) ||
                   has_fault(plan, FAULTS_OF_WRITING);
    if (options->only == NULL || lie != NULL) {
        draw_others(plan, options, lie);
    } else if (strict) {
        draw_witness(plan, options->only);
    }
    draw_full(plan, options->liar);
}
