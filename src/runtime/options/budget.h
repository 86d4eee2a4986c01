/* What a set of timings promises about lost hosts, what it costs, and when chance breaks it: what
 * `doyen doctor` compares with the network that it measured. All of it follows from the rules of
 * proto/protocol.md that are named here; nothing that a node decides depends on it. */
#ifndef RUNTIME_BUDGET_H
#define RUNTIME_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/ring.h"
#include "core/model/timing.h"

/* Splits the time within which a lost host is to be out, T_lost and then T_batch (D2h), into T_lost
 * and a heartbeat's interval, in the proportion of the profile. Returns false if what is left for
 * T_lost is too short for T_verify, which stays the profile's. */
bool budget_split(const struct timing *profile, uint64_t detect_ms, uint64_t *heartbeat_ms,
                  uint64_t *lost_ms);

/* The time that goes with these: a lost host is out after so long a silence, more or less. */
uint64_t budget_detect_ms(const struct timing *timing);

/* The shortest time that budget_split takes. */
uint64_t budget_least_ms(const struct timing *profile);

/* Between two rounds of heartbeats of one member lies at most this: half of an interval and its
 * spread (D8e). */
uint64_t budget_gap_ms(const struct timing *timing);

/* Of an outage of one member's network, in which nothing of it arrives anywhere. */
struct promise {
    /* A shorter one makes no verdict, removes nobody and deposes no coordinator: it is over before
     * the last question that is answered within T_lost is put (D2e). */
    uint64_t survived_ms;
    /* A longer one removes it. From its beginning until then: */
    uint64_t removed_ms_min;
    uint64_t removed_ms_max;
};

/* `answer_ms` is what a question and its answer take at most. */
struct promise budget_promise(const struct timing *timing, uint64_t answer_ms);

/* Heartbeats that a node sends in a second, in thousandths, with so many other members (D1a, D9a).
 * What a coordinator sends to more than its neighbours on the rings is not in it. */
uint64_t budget_beats_per_1000_s(const struct timing *timing, uint64_t watchers, uint32_t others);

/* How many living members a cluster may expect to remove in a year, with so many members of whom
 * each is watched by so many others, if one question in `asked` of which `unanswered` got no answer
 * is lost by chance, each packet for itself: every heartbeat of T_lost, all questions after the
 * first of them (D2e), both of the kernel's answers (D2c), a second member's heartbeats as well
 * (D7a), and all questions of R1. */
double budget_removals_per_year(const struct timing *timing, uint32_t watchers, uint32_t members,
                                uint64_t unanswered, uint64_t asked);

#endif
