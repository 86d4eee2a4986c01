/* One run of an election in a simulated network: members that had a leader learn at time 0 that it
 * has fallen, and elect another. The same trial and seed give the same run. */
#ifndef LAB_TRIAL_H
#define LAB_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "election/participant.h"

enum trial_crash {
    TRIAL_CRASH_NONE,
    TRIAL_CRASH_LEADER, /* the one that would lead crashes while it is elected */
    TRIAL_CRASH_ANY,    /* one that is drawn does */
};

struct trial_event {
    uint64_t at_ms;
    enum trial_event_kind {
        TRIAL_INSTALLED, /* a view */
        TRIAL_STARTED,
        TRIAL_FELL,
        TRIAL_SENT, /* no heartbeat */
        TRIAL_LOST, /* the network did not deliver what was just sent */
        TRIAL_FOLLOWS,
    } what;
    uint64_t member;                        /* whom it happened to; NOBODY: the registry */
    uint64_t leader;                        /* of TRIAL_FOLLOWS; NOBODY: undefined */
    const struct election_message *message; /* of TRIAL_SENT and TRIAL_LOST */
};

struct trial {
    const struct election_algorithm *algorithm;
    size_t nodes;    /* 3 to ROSTER_MAX, with the leader that falls */
    size_t starters; /* how many start at once, drawn; at most all */
    bool ids_by_age; /* otherwise priorities are drawn, so that the ring has no order */
    bool newest_is_best;
    uint64_t delay_ms_min; /* of a message; at least 1 */
    uint64_t delay_ms_max;
    uint64_t loss_permille;
    enum trial_crash crash;
    uint64_t heartbeat_ms; /* 0: none */
    uint64_t seed;
    bool has_first_starter; /* otherwise the first of the starters is drawn, too */
    size_t first_starter;   /* its place among the live */
    void (*tell)(void *context, const struct trial_event *event); /* NULL: not wanted */
    void *context;
};

struct trial_result {
    uint64_t messages; /* sent, without heartbeats */
    uint64_t bytes;
    uint64_t first_ms;   /* until a live member leads */
    uint64_t all_ms;     /* until all follow the best, for good */
    uint64_t without_ms; /* in which no live member took itself for the leader */
    uint64_t double_ms;  /* in which two or more did */
    uint64_t doubles;    /* how often that began */
    size_t first_starter;
    bool has_settled;     /* all follow the best and nothing is under way: within TRIAL_MS_MAX */
    struct roster roster; /* those who were alive at time 0 */
};

enum { TRIAL_MS_MAX = 10000 };

/* Returns false when memory ran out. */
bool trial_run(const struct trial *trial, struct trial_result *result);

#endif
