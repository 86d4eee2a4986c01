#include "core/model/recovery.h"

#include <string.h>

#include "base/text.h"
#include "core/model/agreed.h"
#include "core/model/limits.h"
#include "core/model/lineage.h"

bool recovery_may_begin(const struct vote_record *former)
{
    const struct view *accepted = former->accepted;

    if (accepted == NULL || accepted->voters.count == 0) {
        return false;
    }
    return former->state == VOTE_RECORD_FOUNDED ||
           (former->state == VOTE_RECORD_RETIRED &&
            lineage_succeeds(accepted->lineage, former->lineage));
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t highest_epoch(const struct vote_record *former, uint64_t seen)
{
    return larger(former->promise.epoch, larger(former->accepted->epoch, seen));
}

/* Z18b: who acts in the former history does so by leases that were given before. Voters that are no
 * members may have been asked for longer ones than T_lease (Z16b), and they are in no record that
 * is left; for T_stall at most, but for witnesses, who are no quorum without others (Z16d). */
static void name_lengths(struct vote_record *record, const struct vote_record *former,
                         const struct timing *started)
{
    const struct view *accepted = former->accepted;
    const struct timing changed = accepted->agreed.number == 0 ? *started
                                                               : agreed_timing(&accepted->agreed);

    record->lease_ms = larger(former->lease_ms, larger(started->stall_ms, changed.stall_ms));
    record->hold_ms = larger(former->hold_ms,
                             larger(timing_hold_ms(started), timing_hold_ms(&changed)));
}

/* The only voter, and all that is known of the history before. */
static void name_voter(struct view *founders, const struct vote_record *former,
                       const struct recovery *recovery)
{
    struct voter_lists *lists = &founders->voters;
    struct listed_voter *voter = &lists->voters[0];

    view_clear(founders);
    founders->parent = view_id_of(former->accepted);
    founders->next_age = former->accepted->next_age;
    founders->agreed = former->accepted->agreed;
    lists->number = former->accepted->voters.number + 1;
    lists->count = 1;
    memset(voter, 0, sizeof *voter);
    (void)text_set(voter->name, sizeof voter->name, recovery->name,
                   text_length(recovery->name, NAME_BYTES_MAX));
    voter->record = recovery->id;
    voter->address = recovery->address;
    voter->now = true;
}

bool recovery_make(const struct vote_record *former, const struct recovery *recovery,
                   struct view *founders, struct vote_record *record)
{
    /* Beyond what a lineage can say it would begin another founding, and its epoch leap (V7a). */
    const uint64_t now_s = recovery->now_s <= LINEAGE_SECONDS_MAX ? recovery->now_s : 0;
    const uint64_t lineage = lineage_of_recovery(former->accepted->lineage, now_s, recovery->drawn);
    const uint64_t above = highest_epoch(former, recovery->epoch_seen) + RECOVERY_EPOCHS;
    const uint64_t epoch = larger(above, now_s);

    if (epoch > COUNTER_MAX - RECOVERY_EPOCHS) {
        return false;
    }
    name_voter(founders, former, recovery);
    founders->lineage = lineage;
    view_seal(founders);
    *record = (struct vote_record){
        .id = recovery->id,
        .lineage = lineage,
        .state = VOTE_RECORD_FOUNDED,
        .promise = {.epoch = epoch}, /* Nobody's, and held by as any (Z3a). */
        .accepted = founders,
    };
    name_lengths(record, former, recovery->timing);
    return true;
}
