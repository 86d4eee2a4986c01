#include "core/model/timing.h"

enum {
    SPARSE_HEARTBEAT_MS_MIN = 100, /* questions come ten times as often */
    SPARSE_LAN_HEARTBEAT_MS = 680,
    SPARSE_LAN_LOST_MS = 1088,
};

static void expect_the_same(struct timing *timing)
{
    timing->expect_ms = timing->heartbeat_ms;
    timing->reign_ms = timing->lost_ms;
}

struct timing timing_of(enum profile profile)
{
    static const struct timing local = {.heartbeat_ms = 25,
                                        .silent_ms = 63,
                                        .fresh_ms = 63,
                                        .lost_ms = 200,
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
                                        .lease_ms = 80};
    static const struct timing lan = {.heartbeat_ms = 250,
                                      .silent_ms = 625,
                                      .fresh_ms = 625,
                                      .lost_ms = 900,
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
                                      .lease_ms = 700};
    static const struct timing wan = {.heartbeat_ms = 1000,
                                      .silent_ms = 3000,
                                      .fresh_ms = 3000,
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
                                      .lease_ms = 4200};

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
    expect_the_same(&timing);
    return timing;
}

struct timing timing_sparse_of(enum profile profile)
{
    struct timing timing = timing_of(profile);

    if (profile == PROFILE_LAN) {
        timing_override(&timing, SPARSE_LAN_HEARTBEAT_MS, SPARSE_LAN_LOST_MS);
    }
    return timing;
}

uint64_t timing_dense_lost_ms(enum profile profile, uint64_t heartbeat_ms)
{
    const struct timing timing = timing_of(profile);

    return timing.silent_ms * heartbeat_ms / timing.heartbeat_ms + heartbeat_ms;
}

/* The shortest T_lost of sparse heartbeats: T_doubt and four questions fit in. */
static uint64_t sparse_least_ms(const struct timing *timing)
{
    return (timing->heartbeat_ms * 8 + 4) / 5;
}

/* A host must have had time to answer questions before it counts as lost. */
static void raise_lost(struct timing *timing)
{
    if (timing->lost_ms >= timing->silent_ms + timing->heartbeat_ms) {
        return;
    }
    if (timing->heartbeat_ms < SPARSE_HEARTBEAT_MS_MIN) {
        timing->lost_ms = timing->silent_ms + timing->heartbeat_ms;
        return;
    }
    if (timing->lost_ms < sparse_least_ms(timing)) {
        timing->lost_ms = sparse_least_ms(timing);
    }
    timing->silent_ms = timing->lost_ms * 17 / 20;
    timing->fresh_ms = timing->lost_ms * 9 / 10;
    timing->lease_ms = timing->lost_ms * 4 / 5;
}

uint64_t timing_turn_ms(const struct timing *timing)
{
    const uint64_t missed_ms = timing_missed_ms(timing);

    /* While terms change, the hasty ones may have found it lost before the others miss anything. */
    return timing->reign_ms > missed_ms ? timing->reign_ms - missed_ms : 0;
}

void timing_override(struct timing *timing, uint64_t heartbeat_ms, uint64_t lost_ms)
{
    if (heartbeat_ms != 0) {
        timing->silent_ms = timing->silent_ms * heartbeat_ms / timing->heartbeat_ms;
        timing->fresh_ms = timing->fresh_ms * heartbeat_ms / timing->heartbeat_ms;
        timing->lease_ms = timing->lease_ms * heartbeat_ms / timing->heartbeat_ms;
        if (lost_ms == 0) {
            lost_ms = timing->lost_ms * heartbeat_ms / timing->heartbeat_ms;
        }
        timing->heartbeat_ms = heartbeat_ms;
    }
    if (lost_ms != 0) {
        timing->lost_ms = lost_ms;
    }
    raise_lost(timing);
    /* Nobody claims before T_lost is over; a lease that lasted longer would only put that off. */
    timing->lease_ms = timing->lease_ms < timing->lost_ms ? timing->lease_ms : timing->lost_ms;
    timing->lease_ms = timing->lease_ms < LEASE_MS_MAX ? timing->lease_ms : LEASE_MS_MAX;
    /* Patience with a stalled process is longer than with a host. */
    if (timing->stall_ms < 2 * timing->lost_ms) {
        timing->stall_ms = 2 * timing->lost_ms;
    }
    expect_the_same(timing);
}
