#include "record/fields.h"

struct timing_fields timing_fields_of(struct timing *timing)
{
    return (struct timing_fields){
        {&timing->heartbeat_ms, &timing->silent_ms, &timing->fresh_ms, &timing->lost_ms,
         &timing->stall_ms, &timing->verify_ms, &timing->claim_ms, &timing->prepare_ms,
         &timing->batch_ms, &timing->probe_ms, &timing->merge_ms, &timing->flap_ms,
         &timing->discover_ms, &timing->leave_ms, &timing->retry_ms_min, &timing->retry_ms_max}};
}
