/* Draws what a seed of a mixed swarm does with options that nobody has set, each by a chance that
 * depends on no other, and so the same however many are set. */
#include "plan.h"

enum {
    SMALL_MOST = 5, /* hosts, in half of the clusters */
    LARGE_MOST = 12,
};

static bool one_in(struct random *random, uint64_t count)
{
    return random_between(random, 1, count) == 1;
}

static enum guard_policy draw_policy(struct random *random)
{
    static const enum guard_policy policies[] = {GUARD_NONE,     GUARD_COUNT,  GUARD_MAJORITY,
                                                 GUARD_MAJORITY, GUARD_STRICT, GUARD_STRICT};
    return policies[random_below(random, sizeof policies / sizeof policies[0])];
}

static enum profile draw_profile(struct random *random)
{
    static const enum profile profiles[] = {PROFILE_LAN, PROFILE_LAN, PROFILE_LOCAL, PROFILE_WAN};
    return profiles[random_below(random, sizeof profiles / sizeof profiles[0])];
}

/* As most clusters have it, more than that, and everybody. */
static uint8_t draw_watchers(struct random *random)
{
    static const uint8_t watchers[] = {WATCHERS_DEFAULT, WATCHERS_DEFAULT, 2 * WATCHERS_DEFAULT,
                                       WATCHERS_MOST};
    return watchers[random_below(random, sizeof watchers / sizeof watchers[0])];
}

/* So few that others hand a change on (U4), in clusters of more than ten hosts alone, and so many
 * that nobody does. */
static uint32_t draw_fanout(struct random *random)
{
    static const uint32_t fanouts[] = {FANOUT_LEAST, 2 * FANOUT_LEAST, FANOUT_DEFAULT};
    return fanouts[random_below(random, sizeof fanouts / sizeof fanouts[0])];
}

struct plan_options plan_mix(const struct plan_options *asked, uint64_t seed)
{
    struct plan_options options = *asked;
    struct random random;

    if (!asked->mixed) {
        return options;
    }
    random_seed(&random, seed ^ UINT64_C(0x4d49584544)); /* Apart from the plan's own chance. */
    const bool small = one_in(&random, 2);
    const uint32_t hosts = (uint32_t)(small ? random_between(&random, 3, SMALL_MOST)
                                            : random_between(&random, SMALL_MOST + 1, LARGE_MOST));
    const enum guard_policy guard = draw_policy(&random);
    const enum profile profile = draw_profile(&random);
    const uint8_t watchers = draw_watchers(&random);
    const uint32_t fanout = draw_fanout(&random);

    options.nodes_least = asked->nodes != 0 ? asked->nodes_least : hosts;
    options.nodes = asked->nodes != 0 ? asked->nodes : hosts;
    options.guard = asked->guard != 0 ? asked->guard : guard;
    options.profile = asked->profile != 0 ? asked->profile : profile;
    if (!asked->watchers_set) {
        options.watchers = watchers;
    }
    options.fanout = asked->fanout != 0 ? asked->fanout : fanout;
    options.roles |= one_in(&random, 2);
    options.terms |= one_in(&random, 2);
    options.liar |= one_in(&random, 2);
    return options;
}
