#include "cli/run/run_hold.h"

#include <string.h>

void run_hold_begin(struct run_hold *hold, const struct doyen_lease *lease,
                    const struct doyen_lease_content *content)
{
    *hold = (struct run_hold){.lease = lease,
                              .epoch = content->epoch,
                              .lineage = content->lineage,
                              .deadline_ns = content->deadline_ns};
    memcpy(hold->id, content->id, sizeof hold->id);
}

/* Does the page name another right than this one, or none? */
static enum run_reason compare(const struct run_hold *hold,
                               const struct doyen_lease_content *content)
{
    if ((content->flags & DOYEN_LEASE_WITHDRAWN) != 0) {
        return REASON_WITHDRAWN;
    }
    if (content->deadline_ns == 0) {
        return REASON_STEPPED_DOWN;
    }
    if (content->epoch != hold->epoch || content->lineage != hold->lineage ||
        memcmp(content->id, hold->id, sizeof hold->id) != 0) {
        return REASON_EPOCH;
    }
    return REASON_NONE;
}

enum run_reason run_hold_look(struct run_hold *hold, uint64_t lead_ns)
{
    struct doyen_lease_content content;

    if (hold->over == REASON_NONE && doyen_lease_read(hold->lease, &content) == 0) {
        hold->over = compare(hold, &content);
        if (hold->over == REASON_NONE) {
            hold->deadline_ns = content.deadline_ns;
        }
    }
    if (hold->over != REASON_NONE) {
        return hold->over;
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* The clock is read after the page. */
    const struct doyen_lease_content last = {.deadline_ns = hold->deadline_ns};
    return doyen_lease_left_ns(&last, doyen_lease_now_ns()) > lead_ns ? REASON_NONE : REASON_LAPSED;
}
