#include "core/model/timing.h"

/* What is in the same proportion to T_lost in all profiles; and others may expect what is told. */
static void follow_from_lost(struct timing *timing)
{
    timing->silent_ms = timing->lost_ms * 17 / 20;
    timing->fresh_ms = timing->lost_ms * 9 / 10;
    timing->heartbeat_ms_longest = timing->heartbeat_ms;
    timing->lost_ms_shortest = timing->lost_ms;
}

struct timing timing_of(enum profile profile)
{
    static const struct timing local = {.heartbeat_ms = 40,
                                        .lost_ms = 190,
                                        .stall_ms = 1000,
                                        .verify_ms = 30,
                                        .claim_ms = 50,
                                        .prepare_ms = 100,
                                        .batch_ms = 5,
                                        .probe_ms = 100,
                                        .merge_ms = 500,
                                        .flap_ms = 10000,
                                        .discover_ms = 300,
                                        .leave_ms = 500,
                                        .retry_ms_min = 10,
                                        .retry_ms_max = 500,
                                        .lease_ms = 80,
                                        .replace_ms = 30000};
    static const struct timing lan = {.heartbeat_ms = 680,
                                      .lost_ms = 1088,
                                      .stall_ms = 5000,
                                      .verify_ms = 150,
                                      .claim_ms = 300,
                                      .prepare_ms = 500,
                                      .batch_ms = 20,
                                      .probe_ms = 500,
                                      .merge_ms = 2000,
                                      .flap_ms = 60000,
                                      .discover_ms = 1000,
                                      .leave_ms = 2000,
                                      .retry_ms_min = 10,
                                      .retry_ms_max = 2000,
                                      .lease_ms = 760,
                                      .replace_ms = 600000};
    static const struct timing wan = {.heartbeat_ms = 2500,
                                      .lost_ms = 8000,
                                      .stall_ms = 20000,
                                      .verify_ms = 2000,
                                      .claim_ms = 3000,
                                      .prepare_ms = 3000,
                                      .batch_ms = 100,
                                      .probe_ms = 3000,
                                      .merge_ms = 10000,
                                      .flap_ms = 300000,
                                      .discover_ms = 5000,
                                      .leave_ms = 5000,
                                      .retry_ms_min = 50,
                                      .retry_ms_max = 5000,
                                      .lease_ms = 4200,
                                      .replace_ms = 600000};

    struct timing timing = lan;

    switch (profile) {
    case PROFILE_LOCAL:
        timing = local;
        break;
    case PROFILE_LAN:
        break;
    case PROFILE_WAN:
        timing = wan;
        break;
    }
    follow_from_lost(&timing);
    return timing;
}

/* The questions of R1 are put between T_doubt and T_lost (D2e, D2h), and a question to who missed a
 * heartbeat needs time for an answer, too. */
static uint64_t least_lost_ms(const struct timing *timing)
{
    const uint64_t by_heartbeats_ms = (timing->heartbeat_ms * 8 + 4) / 5;
    const uint64_t by_questions_ms = timing->heartbeat_ms * 11 / 10 + timing->verify_ms;

    return by_heartbeats_ms > by_questions_ms ? by_heartbeats_ms : by_questions_ms;
}

uint64_t timing_turn_ms(const struct timing *timing)
{
    const uint64_t missed_ms = timing_missed_ms(timing);

    /* While terms change, the hasty ones may have found it lost before the others miss anything. */
    return timing->lost_ms_shortest > missed_ms ? timing->lost_ms_shortest - missed_ms : 0;
}

void timing_override(struct timing *timing, uint64_t heartbeat_ms, uint64_t lost_ms)
{
    const uint64_t usual_ms = timing->lost_ms;

    if (heartbeat_ms != 0) {
        timing->lost_ms = timing->lost_ms * heartbeat_ms / timing->heartbeat_ms;
        timing->heartbeat_ms = heartbeat_ms;
    }
    if (lost_ms != 0) {
        timing->lost_ms = lost_ms;
    }
    if (timing->lost_ms < least_lost_ms(timing)) {
        timing->lost_ms = least_lost_ms(timing);
    }
    timing->lease_ms = timing->lease_ms * timing->lost_ms / usual_ms;
    timing->lease_ms = timing->lease_ms < LEASE_MS_MAX ? timing->lease_ms : LEASE_MS_MAX;
    /* Patience with a stalled process is longer than with a host. */
    if (timing->stall_ms < 2 * timing->lost_ms) {
        timing->stall_ms = 2 * timing->lost_ms;
    }
    follow_from_lost(timing);
}

struct spans timing_spans(const struct timing *timing, bool strict)
{
    return (struct spans){
        .lease_ms = strict ? timing_act_ms(timing->lease_ms) : timing->lost_ms_shortest,
        .held_ms = timing_held_ms(timing, strict),
        /* A coordinator that is stalled does not act, so nothing is gained by being patient with
         * it. */
        .stall_ms = strict ? timing->lost_ms : timing->stall_ms,
        /* The lifeline of who is fresh may close any moment. A member that has refused says so
         * itself then, so that the time which it named stands: none is longer than T_fresh. */
        .refused_ms = strict ? timing->batch_ms : timing->fresh_ms + 1,
        /* They may have lost their coordinator just now, and let nobody in; nothing can be founded
         * twice where the voters have to agree (Z8). */
        .rediscover_ms = strict ? timing->discover_ms : 3 * timing->discover_ms,
    };
}
