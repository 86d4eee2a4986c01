#include "recorded_core.h"

#include <criterion/criterion.h>
#include <stdlib.h>

const struct core_options recorded_options = {
    .name = "athens",
    .address = {.bytes = {127, 0, 0, 1}, .port = 7420, .family = 4},
    .guard = {.policy = GUARD_NONE},
    .profile = PROFILE_LOCAL,
    .watchers = WATCHERS_DEFAULT,
    .fanout = FANOUT_DEFAULT,
    .timing = {.heartbeat_ms = 25,
               .silent_ms = 63,
               .fresh_ms = 63,
               .lost_ms = 100,
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
               .retry_ms_max = 500},
    .capacity = RECORDED_CAPACITY,
    .random_seed = {1, 2, 3, 4},
};

struct core *recorded_core_new(const struct core_options *options, uint64_t now_ms)
{
    void *block = calloc(1, core_bytes(RECORDED_CAPACITY));

    cr_assert_not_null(block);
    return core_init(block, options, now_ms);
}
