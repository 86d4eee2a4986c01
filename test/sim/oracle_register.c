/* Where at most one may act, there is one chain of views: whatever two nodes installed, one of the
 * two was built on the other (S17). What was acknowledged to a client, or said to a joiner, is then
 * never forgotten. */
#include "oracle_parts.h"

#include <assert.h>
#include <inttypes.h>

/* Is that view `below`, or was it built on it? Proposals that nobody installed may lie between. */
static bool descends(const struct oracle *oracle, const struct view_id *above,
                     const struct view_id *below)
{
    struct view_id at = *above;

    while (view_id_compare(&at, below) > 0) {
        const struct record *record = oracle_record_of(oracle, &at);
        if (record == NULL || record->cause == CAUSE_MERGE) {
            return false;
        }
        at = record->parent;
    }
    return view_id_equal(&at, below);
}

bool oracle_knows_history(const struct oracle *oracle, uint64_t lineage)
{
    uint32_t i = 0;

    while (i < oracle->history_count && oracle->histories[i].lineage != lineage) {
        i++;
    }
    return i < oracle->history_count;
}

struct history *oracle_history(struct oracle *oracle, uint64_t lineage)
{
    for (uint32_t i = 0; i < oracle->history_count; i++) {
        struct history *history = &oracle->histories[i];
        if (history->lineage == lineage || history->lineage == 0) {
            history->lineage = lineage;
            return history;
        }
    }
    if (oracle->history_count > 0) {
        return NULL;
    }
    oracle->histories[oracle->history_count++] = (struct history){.lineage = lineage};
    return &oracle->histories[0];
}

void oracle_on_recovered(struct sim *sim, uint64_t former, const struct vote_record *record,
                         bool erred)
{
    struct oracle *oracle = &sim->oracle;
    struct history history = {.lineage = record->lineage};

    (void)oracle_history(oracle, former); /* Perhaps nobody has installed anything of it yet. */
    assert(oracle->history_count < HISTORIES_MAX);
    for (uint32_t i = 0; i < oracle->history_count; i++) {
        history.below |= oracle->histories[i].highest_acting.epoch >= record->promise.epoch;
    }
    oracle->histories[oracle->history_count++] = history;
    oracle->apart = oracle->apart || erred;
}

void oracle_check_register(struct sim *sim, const struct host *host, const struct view *view)
{
    struct oracle *oracle = &sim->oracle;
    struct view_id id = view_id_of(view);
    struct record *record = oracle_record_of(oracle, &id);
    struct history *history = oracle_history(oracle, id.lineage);

    if (record->in_register) {
        return;
    }
    record->in_register = true;
    if (history == NULL) {
        oracle_fail(sim, host, "S17: another lineage than before");
        return;
    }
    const struct view_id *highest = &history->highest;
    bool first = highest->epoch == 0;
    bool higher = first || view_id_compare(&id, highest) > 0;
    if (!first && !(higher ? descends(oracle, &id, highest) : descends(oracle, highest, &id))) {
        oracle_fail(sim, host,
                    "S17: epoch %" PRIu64 " version %" PRIu64 " and epoch %" PRIu64
                    " version %" PRIu64 " are both installed, and neither is built on the other",
                    highest->epoch, highest->version, id.epoch, id.version);
    }
    if (higher) {
        history->highest = id;
    }
}
