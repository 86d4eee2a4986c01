/* Where at most one may act, there is one chain of views: whatever two nodes installed, one of the
 * two was built on the other (S17). What was acknowledged to a client, or said to a joiner, is then
 * never forgotten. */
#include "oracle_parts.h"

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

void oracle_check_register(struct sim *sim, const struct host *host, const struct view *view)
{
    struct oracle *oracle = &sim->oracle;
    struct view_id id = view_id_of(view);
    struct record *record = oracle_record_of(oracle, &id);
    const struct view_id *highest = &oracle->register_view;

    if (record->in_register) {
        return;
    }
    record->in_register = true;
    bool first = highest->epoch == 0;
    bool higher = first || view_id_compare(&id, highest) > 0;
    if (!first && id.lineage != highest->lineage) {
        oracle_fail(sim, host, "S17: another lineage than before");
    } else if (!first &&
               !(higher ? descends(oracle, &id, highest) : descends(oracle, highest, &id))) {
        oracle_fail(sim, host,
                    "S17: epoch %" PRIu64 " version %" PRIu64 " and epoch %" PRIu64
                    " version %" PRIu64 " are both installed, and neither is built on the other",
                    highest->epoch, highest->version, id.epoch, id.version);
    }
    if (higher) {
        oracle->register_view = id;
    }
}
