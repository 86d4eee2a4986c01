#include "words/notice_text.h"

#include <stdio.h>

const char *phase_text(enum phase phase)
{
    switch (phase) {
    case PHASE_JOINING:
        return "joining";
    case PHASE_MEMBER:
        return "member";
    case PHASE_LEAVING:
        return "leaving";
    case PHASE_STOPPED:
        return "stopped";
    case PHASE_WITNESS:
        return "witness";
    }
    return "unknown";
}

const char *phase_reason_text(enum phase_reason reason)
{
    switch (reason) {
    case REASON_START:
        return "start";
    case REASON_FOUNDED:
        return "founded";
    case REASON_ADMITTED:
        return "admitted";
    case REASON_REMOVED:
        return "removed";
    case REASON_LEFT_ALONE:
        return "left_alone";
    case REASON_BEHIND:
        return "behind";
    case REASON_SUCCEEDED:
        return "lineage_descends";
    case REASON_NAME_TAKEN:
        return "name_taken";
    case REASON_LEAVE_ASKED:
        return "leave_asked";
    case REASON_LEAVE_DONE:
        return "leave_done";
    case REASON_LEAVE_TIMEOUT:
        return "leave_timeout";
    }
    return "unknown";
}

const char *verdict_text(enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_NONE:
        return "none";
    case VERDICT_DEAD:
        return "dead";
    case VERDICT_LOST:
        return "lost";
    case VERDICT_STALLED:
        return "stalled";
    }
    return "unknown";
}

const char *gone_reason_text(enum gone_reason reason)
{
    switch (reason) {
    case GONE_FAILED:
        return "failed";
    case GONE_LEFT:
        return "left";
    case GONE_MOVED:
        return "moved";
    case GONE_BEHIND:
        return "behind";
    case GONE_REPLACED:
        return "replaced";
    }
    return "unknown";
}

const char *gone_state_text(enum gone_reason reason)
{
    return reason == GONE_LEFT ? "left" : "failed";
}

const char *view_cause_text(enum view_cause cause)
{
    switch (cause) {
    case CAUSE_FOUND:
        return "found";
    case CAUSE_CHANGE:
        return "change";
    case CAUSE_CLAIM:
        return "claim";
    case CAUSE_HANDOVER:
        return "handover";
    case CAUSE_MERGE:
        return "merge";
    }
    return "unknown";
}

const char *claim_step_text(enum claim_step step)
{
    switch (step) {
    case CLAIM_STARTED:
        return "started";
    case CLAIM_WON:
        return "won";
    case CLAIM_LOST:
        return "lost";
    case CLAIM_GRANTED:
        return "granted";
    case CLAIM_DECLINED:
        return "declined";
    }
    return "unknown";
}

const char *join_refusal_text(enum join_refusal reason)
{
    switch (reason) {
    case JOIN_REFUSED_TERMS:
        return "terms";
    case JOIN_REFUSED_NAME:
        return "name_in_use";
    case JOIN_REFUSED_FULL:
        return "full";
    case JOIN_REFUSED_VERSIONS:
        return "versions";
    }
    return "unknown";
}

const char *merge_refusal_text(enum merge_refusal refusal)
{
    switch (refusal) {
    case MERGE_NOT_REFUSED:
        return "no_answer";
    case MERGE_REFUSED_BUSY:
        return "busy";
    case MERGE_REFUSED_LOSING:
        return "losing";
    case MERGE_REFUSED_FULL:
        return "full";
    case MERGE_REFUSED_ABORTED:
        return "aborted";
    case MERGE_REFUSED_NAME:
        return "name_in_use";
    case MERGE_REFUSED_LEAPS:
        return "leaps";
    case MERGE_REFUSED_VERSIONS:
        return "versions";
    }
    return "unknown";
}

const char *join_refusal_advice(enum join_refusal reason)
{
    switch (reason) {
    case JOIN_REFUSED_TERMS:
        return "start with the cluster's terms";
    case JOIN_REFUSED_NAME:
        return "choose another --name, or end the member that has it";
    case JOIN_REFUSED_FULL:
        return "raise --capacity on all members; under --guard majority raise --size, or take the "
               "--name of a lost member, whose place is kept";
    case JOIN_REFUSED_VERSIONS:
        return "install a release of doyend between the two";
    }
    return "see the protocol's rules for joining";
}

const char *notice_event(enum notice_type type)
{
    switch (type) {
    case NOTICE_PHASE:
        return "phase";
    case NOTICE_VIEW:
        return "view";
    case NOTICE_JOINED:
        return "joined";
    case NOTICE_GONE:
        return "gone";
    case NOTICE_COORDINATOR:
        return "coordinator";
    case NOTICE_SUSPECT:
        return "suspect";
    case NOTICE_CLEARED:
        return "cleared";
    case NOTICE_GUARD:
        return "guard";
    case NOTICE_ACTING:
        return "acting";
    case NOTICE_LATE:
        return "late";
    case NOTICE_CLAIM:
        return "claim";
    case NOTICE_BAD_LINK:
        return "vouched";
    case NOTICE_JOIN_REFUSED:
        return "join_refused";
    case NOTICE_TURNED_AWAY:
        return "turned_away";
    case NOTICE_MISMATCH:
        return "mismatch";
    case NOTICE_SPLIT:
        return "split";
    case NOTICE_MERGE:
        return "merge";
    case NOTICE_MERGING:
        return "merging";
    case NOTICE_OTHER_TERMS:
        return "other_terms";
    case NOTICE_AUTOPILOT:
        return "voters_wish";
    case NOTICE_OLD_RECORD:
        return "old_record";
    case NOTICE_LEADER:
        return "leader";
    case NOTICE_PARTITIONS:
        return "partitions";
    case NOTICE_ADDRESS:
        return "address";
    case NOTICE_OWNERS:
        return "owners";
    case NOTICE_TAGS:
        return "tags";
    case NOTICE_DRAINED:
        return "drained";
    case NOTICE_FORGOTTEN:
        return "forgotten";
    }
    return "unknown";
}

void view_name_print(const struct view_id *id, const char *coordinator, char out[VIEW_NAME_MAX])
{
    snprintf(out, VIEW_NAME_MAX, "%llu.%llu@%s", (unsigned long long)id->epoch,
             (unsigned long long)id->version, coordinator[0] == '\0' ? "?" : coordinator);
}
