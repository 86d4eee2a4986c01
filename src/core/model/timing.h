/* The durations the protocol runs on, in milliseconds of a monotonic clock. */
#ifndef CORE_TIMING_H
#define CORE_TIMING_H

#include <stdbool.h>
#include <stdint.h>

/* On the wire: append only. */
enum profile {
    PROFILE_LOCAL = 1, /* one machine */
    PROFILE_LAN = 2,
    PROFILE_WAN = 3,
};

struct timing {
    uint64_t heartbeat_ms; /* between two heartbeats to the same member, more or less (D8e) */
    uint64_t heartbeat_ms_longest; /* the longest by which another member may go: the same, but
                                      while terms change (A3a) */
    uint64_t silent_ms;            /* T_silent: after it a watcher looks closer */
    uint64_t fresh_ms;             /* T_fresh: heard so lately that nobody may take over from it */
    uint64_t lost_ms;              /* T_lost: neither process nor kernel answers */
    uint64_t lost_ms_shortest; /* the shortest T_lost by which another member may go, likewise: so
                                  long a lease lasts (D8b, A3a) */
    uint64_t stall_ms;         /* T_stall: the kernel answers, the process does not */
    uint64_t verify_ms;        /* T_verify: last question before a removal */
    uint64_t claim_ms;         /* T_claim: collecting answers to a claim */
    uint64_t prepare_ms;       /* T_prepare: collecting acknowledgements of a view */
    uint64_t batch_ms;         /* T_batch: what arrives meanwhile goes into one view */
    uint64_t probe_ms;         /* T_probe: between two looks for other parts (M1) */
    uint64_t merge_ms;         /* T_merge: a part that asked to be taken up waits for the view */
    uint64_t flap_ms;          /* T_flap: who fails often within it is let in more slowly (R4) */
    uint64_t discover_ms;      /* T_discover: asking before founding */
    uint64_t leave_ms;         /* T_leave: a leaver goes at the latest then */
    uint64_t retry_ms_min;     /* pause between two tries to join, growing to */
    uint64_t retry_ms_max;
    uint64_t lease_ms;   /* T_lease: for so long this node asks voters for their lease (Z15a) */
    uint64_t replace_ms; /* T_replace: a voter that has not leased for so long is replaced (Z17) */
};

enum {
    LEASE_MS_MAX = 60000, /* the longest T_lease and T_hold (Z15) */
    /* The time from one round to the next is shorter or longer by up to so much, at random, so that
     * the rounds of many members drift apart. Two such times have to be shorter than T_doubt, or
     * members would be asked in quiet (D2e, D8e). */
    ROUND_JITTER_PERCENT = 2,
};

/* Heartbeats of changed terms, and silences: as what can be stated at the start. */
enum { RULES_HEARTBEAT_MS_MIN = 5, RULES_HEARTBEAT_MS_MAX = 60000, RULES_LOST_MS_MAX = 3600000 };

struct timing timing_of(enum profile profile);

/* D4: the longest turn of a loop that is slow, not asleep: nobody finds its node lost meanwhile. */
uint64_t timing_turn_ms(const struct timing *timing);

/* T_act: for so long a coordinator may count a lease, from the moment before it asked for it.
 * Clocks may run up to a ninth too fast or too slow: (1 - 1/9) / (1 + 1/9) is 4/5; 2 ms pay for the
 * rounding to whole milliseconds at both ends (Z2). */
static inline uint64_t timing_act_ms(uint64_t lease_ms)
{
    const uint64_t act_ms = lease_ms * 4 / 5;

    return act_ms > 2 ? act_ms - 2 : 0;
}

static inline uint64_t timing_hold_of_ms(uint64_t lost_ms)
{
    return 2 * lost_ms < LEASE_MS_MAX ? 2 * lost_ms : LEASE_MS_MAX;
}

/* T_replace: who has not been heard for so long is gone (Z16c); but no sooner than a name that
 * flaps is let in again. */
static inline uint64_t timing_replace_ms(const struct timing *timing)
{
    return timing->flap_ms > timing->replace_ms ? timing->flap_ms : timing->replace_ms;
}

/* T_hold: for so long after its last answer a member may hold what it was granted (K7c). No longer
 * than voters keep it in mind (Z15c); while terms change the shorter one (A3). */
static inline uint64_t timing_hold_ms(const struct timing *timing)
{
    return timing_hold_of_ms(timing->lost_ms_shortest);
}

/* The longest T_hold that a fellow member may name: while terms change the longer one. */
static inline uint64_t timing_hold_max_ms(const struct timing *timing)
{
    return timing_hold_of_ms(timing->lost_ms);
}

static inline uint64_t timing_held_of_ms(uint64_t hold_ms)
{
    return hold_ms * 4 / 5 > 2 ? hold_ms * 4 / 5 - 2 : 0;
}

/* For so long a member holds what an answer names, from the moment of its question (K3). Under
 * guard strict 4/5 of T_hold, for clocks as in timing_act_ms; under the others, which are advisory,
 * until a coordinator that stalls has been replaced. */
static inline uint64_t timing_held_ms(const struct timing *timing, bool strict)
{
    return strict ? timing_held_of_ms(timing_hold_ms(timing))
                  : timing->stall_ms + timing->verify_ms;
}

/* What follows from the durations under a guard. */
struct spans {
    uint64_t lease_ms;   /* for so long a coordinator counts a lease, from its question on (D8) */
    uint64_t held_ms;    /* for so long a member holds what an answer names (K3) */
    uint64_t stall_ms;   /* T_stall of the coordinator (Z6c) */
    uint64_t refused_ms; /* who was refused for freshness asks again by then (C5a, Z4g) */
    uint64_t rediscover_ms; /* T_discover of who may have been in a cluster before (F2a) */
};

struct spans timing_spans(const struct timing *timing, bool strict);

/* How long a proposal that was accepted counts, if nothing more is heard of it (U2, J7). */
static inline uint64_t timing_proposal_ms(const struct timing *timing)
{
    return 2 * timing->prepare_ms;
}

/* Until a question that was sent so often, once or more, is repeated: soon, and then more and more
 * seldom (U1a, C3c). */
static inline uint64_t timing_resend_ms(const struct timing *timing, uint32_t sendings)
{
    uint64_t wait_ms = timing->prepare_ms / 25;

    for (uint32_t i = 1; i < sendings && wait_ms < timing->prepare_ms / 3; i++) {
        wait_ms *= 2;
    }
    return wait_ms < timing->prepare_ms / 3 ? wait_ms : timing->prepare_ms / 3;
}

/* J5b: for so long after the last of them the removal of the dead waits for more, */
static inline uint64_t timing_dead_gap_ms(const struct timing *timing)
{
    return timing->batch_ms / 16;
}

/* and for so long after the first of them at most. */
static inline uint64_t timing_dead_batch_ms(const struct timing *timing)
{
    return timing->batch_ms / 4;
}

/* U2f: until what was acknowledged so often, once or more, and not committed is acknowledged again.
 */
static inline uint64_t timing_ack_ms(const struct timing *timing, uint32_t acks)
{
    return (timing->prepare_ms / 16) << (acks - 1);
}

/* U3c: after so many others, does this sending bring only what differs from the base? So the third
 * brings all, and each second one from then on. */
static inline bool timing_sends_briefly(uint32_t sendings)
{
    return sendings == 0 || sendings % 2 == 1;
}

/* Between two repairs to the same peer (V5). */
static inline uint64_t timing_repair_ms(const struct timing *timing)
{
    return timing->heartbeat_ms / 4;
}

/* T_doubt: after so long a silence a heartbeat is missing (D2e). */
static inline uint64_t timing_missed_ms(const struct timing *timing)
{
    return timing->heartbeat_ms_longest * 11 / 10;
}

/* T_pause: between two questions to who is silent, of which five go out between T_doubt and T_lost
 * at least (D2e). */
static inline uint64_t timing_question_ms(const struct timing *timing)
{
    return timing->lost_ms / 16;
}

/* The same, of the more hasty while terms change (A3): leases may be as short as these have them.
 */
static inline uint64_t timing_ask_again_ms(const struct timing *timing)
{
    return timing->lost_ms_shortest / 16;
}

/* D8f: so long before the right to act ends the leases are asked for again that end by then, so
 * that three questions go out in time. */
static inline uint64_t timing_renewal_ms(const struct timing *timing)
{
    return 3 * timing_ask_again_ms(timing);
}

/* D2h: the silence after which a coordinator puts the questions of R1. */
static inline uint64_t timing_inquiry_ms(const struct timing *timing)
{
    return timing->lost_ms - timing->verify_ms;
}

/* Between two rounds of heartbeats, each to half of the neighbours (D8e). */
static inline uint64_t timing_round_ms(const struct timing *timing)
{
    return timing->heartbeat_ms / 2;
}

/* T_half: by so much later than one of its neighbours another may hear the same member for the last
 * time (D2f). */
static inline uint64_t timing_other_half_ms(const struct timing *timing)
{
    return timing_round_ms(timing) + timing_question_ms(timing);
}

/* Who heard nobody for so long may be cut off, and one whom it heard half an interval sooner, and
 * as much later as rounds may be apart, be lost to it alone (D2f). It is longer than one neighbour
 * alone may take from one heartbeat to the next, while that one hears its coordinator. */
static inline uint64_t timing_deaf_ms(const struct timing *timing)
{
    return timing->lost_ms - timing_round_ms(timing) * 11 / 10;
}

/* Overrides of --heartbeat and --fail-after (0: keep): the durations that follow from them are
 * scaled along; T_lost and T_stall are raised to what the rest needs (protocol.md, Timings). */
void timing_override(struct timing *timing, uint64_t heartbeat_ms, uint64_t lost_ms);

#endif
