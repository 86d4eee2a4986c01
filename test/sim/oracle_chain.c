/* A view against the views from which it was made, and those who agreed to it: V2, M4, J3, C4; S5,
 * S6 and S7 along a chain of views, whoever held them. */
#include "oracle_parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "core/model/lineage.h"

struct walk {
    const struct node_id *member; /* looked for in each ancestor that it may know of, if not NULL */
    uint64_t lineage;             /* looked for among them, if not 0 */
};

/* Does any view from which `id` was made, itself included, hold what is looked for? The recursion
 * is as deep as there are merges. */
static bool walk_finds(struct oracle *oracle, const struct view_id *id, const struct walk *walk)
{
    struct view_id at = *id;

    for (struct record *record = oracle_record_of(oracle, &at);
         record != NULL && record->visit != oracle->visits;
         record = oracle_record_of(oracle, &at)) {
        record->visit = oracle->visits;
        if (walk->member != NULL && oracle_find_recorded(record, walk->member) != NULL &&
            oracle_had_accepted(oracle, walk->member, &at)) {
            return true;
        }
        if (walk->lineage != 0 && at.lineage == walk->lineage) {
            return true;
        }
        /* A node that a merge left out because another life has its name was not removed. */
        bool left_out = walk->member != NULL && record->cause == CAUSE_MERGE &&
                        oracle_find_recorded(oracle_record_of(oracle, &record->merged),
                                             walk->member) != NULL;
        if (record->cause == CAUSE_MERGE && !left_out &&
            walk_finds(oracle, &record->merged, walk)) {
            return true;
        }
        at = record->parent;
    }
    return false;
}

static bool was_member_before(struct oracle *oracle, const struct view_id *parent,
                              const struct node_id *id)
{
    if (!oracle_life(oracle, id)->was_member) {
        return false; /* Mostly: a new life. */
    }
    oracle->visits++;
    return walk_finds(oracle, parent, &(struct walk){.member = id});
}

bool oracle_absorbed(struct oracle *oracle, const struct view_id *id, uint64_t lineage)
{
    oracle->visits++;
    return walk_finds(oracle, id, &(struct walk){.lineage = lineage});
}

void oracle_note_accepted(struct oracle *oracle, const struct node_id *life,
                          const struct view_id *id)
{
    struct life *known = oracle_life(oracle, life);

    if (!known->accepted || lineage_succeeds(id->lineage, known->first.lineage)) {
        known->accepted = true;
        known->first = *id;
    }
}

/* S5: of a joiner that never heard of its admission nothing is left over that could do harm. What
 * it accepted after its removal, also in another part, tells nothing of what came before, nor does
 * what it accepted in a history whose place another one has taken (Z18). */
bool oracle_had_accepted(struct oracle *oracle, const struct node_id *life,
                         const struct view_id *parent)
{
    const struct life *known = oracle_life(oracle, life);

    return known->accepted && !lineage_succeeds(parent->lineage, known->first.lineage) &&
           view_id_compare(&known->first, parent) <= 0;
}

/* E5, C4e: a hand-over, or a claim, puts those who were older than its maker behind all others. */
static bool stood_down(const struct view *view, const struct recorded_member *before,
                       const struct record *parent)
{
    const struct recorded_member *maker = oracle_find_recorded(parent, &view->members[0].id);

    bool overtakes = view->cause == CAUSE_HANDOVER || view->cause == CAUSE_CLAIM;

    return overtakes && maker != NULL && before->age < maker->age;
}

/* S5, S6, S7 and M4 for one member of a view, against the views from which it was made. */
static void check_origin(struct sim *sim, const struct host *host, const struct view *view,
                         const struct member *member, const struct record *parent,
                         const struct record *merged)
{
    const struct recorded_member *before = oracle_find_recorded(parent, &member->id);
    const struct recorded_member *theirs = oracle_find_recorded(merged, &member->id);
    uint64_t least = parent->next_age;

    if (merged != NULL && merged->next_age > least) {
        least = merged->next_age;
    }
    if (before != NULL && before->age == member->age) {
        return;
    }
    if (before != NULL && theirs == NULL && !member->drained && !stood_down(view, before, parent)) {
        oracle_fail(sim, host, "S7: %s of age %" PRIu64 " became %" PRIu64, member->name,
                    before->age, member->age);
    }
    if (member->age < least) {
        oracle_fail(sim, host, "S6: %s is new with age %" PRIu64 ", below next_age %" PRIu64,
                    member->name, member->age, least);
    }
    if (theirs != NULL || before != NULL) {
        return;
    }
    bool restarts = host->guard.policy == GUARD_STRICT && view->member_count == 1;
    if (view->cause != CAUSE_CHANGE && !restarts) {
        oracle_fail(sim, host, "S7: %s came from nowhere", member->name);
    }
    if (was_member_before(&sim->oracle, &view->parent, &member->id)) {
        oracle_fail(sim, host, "S5: %s was removed and is back with the same id", member->name);
    }
}

/* M4: the winner's members are unchanged, the loser's come behind in their order; of two lives
 * under one name or at one address, one. */
static void check_merge(struct sim *sim, const struct host *host, const struct view *view,
                        const struct record *winner, const struct record *loser)
{
    uint64_t age = 0;

    if (view->epoch <= view->parent.epoch || view->epoch <= view->merged.epoch ||
        view->version <= view->parent.version || view->version <= view->merged.version) {
        oracle_fail(sim, host, "M4: the merged view is not above both its parents");
    }
    for (uint32_t i = 0; i < winner->member_count; i++) {
        const struct recorded_member *member = &winner->members[i];
        uint32_t position = view_find(view, &member->id);
        bool theirs = oracle_find_recorded(loser, &member->id) != NULL;
        if (position == VIEW_NONE || (!theirs && !view->members[position].drained &&
                                      view->members[position].age != member->age)) {
            oracle_fail(sim, host, "M4: a member of the winner was lost or re-aged");
        }
    }
    for (uint32_t i = 0; i < loser->member_count; i++) {
        const struct recorded_member *member = &loser->members[i];
        uint32_t position = view_find(view, &member->id);
        if (position == VIEW_NONE) {
            bool other_life = false;
            for (uint32_t k = 0; k < view->member_count; k++) {
                const struct member *other = &view->members[k];
                other_life |= oracle_host_of(&sim->oracle, &other->id) == member->host ||
                              hash_bytes(HASH_START, other->name, strlen(other->name)) ==
                                  member->name;
            }
            if (!other_life) {
                oracle_fail(sim, host, "M4: a member of the loser was lost");
            }
        } else if (oracle_find_recorded(winner, &member->id) == NULL &&
                   !view->members[position].drained) {
            if (view->members[position].age < age) {
                oracle_fail(sim, host, "M4: the loser's members changed their order");
            }
            age = view->members[position].age;
        }
    }
}

/* A view that nobody has seen before, against the views from which it was made. */
void oracle_check_chain(struct sim *sim, const struct host *host, const struct view *view)
{
    struct oracle *oracle = &sim->oracle;
    bool merges = view->cause == CAUSE_MERGE;
    const struct record *parent = oracle_record_of(oracle, &view->parent);
    const struct record *merged = merges ? oracle_record_of(oracle, &view->merged) : NULL;

    if (view->cause == CAUSE_FOUND) {
        return;
    }
    if (parent == NULL || (merges && merged == NULL)) {
        return; /* Nobody ever showed them. */
    }
    if (view->lineage != view->parent.lineage || view->epoch < view->parent.epoch ||
        view->version <= view->parent.version) {
        oracle_fail(sim, host, "V2: a view is not above the one from which it was made");
    }
    if (view->epoch == view->parent.epoch &&
        !id_equal(&view->members[0].id, &view->parent.coordinator)) {
        oracle_fail(sim, host, "V2: another coordinator in the same epoch");
    }
    if (view->next_age < parent->next_age || (merges && view->next_age < merged->next_age)) {
        oracle_fail(sim, host, "S6: next_age fell to %" PRIu64, view->next_age);
    }
    if (merges) {
        check_merge(sim, host, view, parent, merged);
    }
    for (uint32_t i = 0; i < view->member_count; i++) {
        check_origin(sim, host, view, &view->members[i], parent, merged);
    }
}

/* J3, J6, M4: who comes in by this view has said that it does. */
void oracle_check_agreed(struct sim *sim, const struct host *host, const struct view *view)
{
    struct oracle *oracle = &sim->oracle;
    const struct record *parent = oracle_record_of(oracle, &view->parent);

    if (view->cause == CAUSE_MERGE &&
        !oracle_record_of(oracle, &(struct view_id){.lineage = view->lineage,
                                                    .epoch = view->epoch,
                                                    .version = view->version,
                                                    .coordinator = view->members[0].id})
             ->loser_agreed) {
        oracle_fail(sim, host, "M4: merged without the other part's coordinator");
    }
    for (uint32_t i = 0; view->cause == CAUSE_CHANGE && i < view->member_count; i++) {
        const struct node_id *id = &view->members[i].id;
        if (oracle_find_recorded(parent, id) == NULL && !oracle_life(oracle, id)->accepted) {
            oracle_fail(sim, host, "J3: %s is in without having accepted it",
                        view->members[i].name);
        }
    }
}

/* C4, and that nobody builds on less than it holds. */
void oracle_check_base(struct sim *sim, const struct host *host, const struct view *view)
{
    const struct witness *witness = &host->witness;
    const struct granted *granted = &host->granted;

    if (view->cause == CAUSE_FOUND || !witness->has_view) {
        return;
    }
    if (witness->view.lineage == view->parent.lineage &&
        view_id_compare(&view->parent, &witness->view) < 0) {
        oracle_fail(sim, host, "S6: made from an older view than the one that its maker held");
    }
    /* Not where it took up another part's view in the same step, and built on that. */
    bool directly = core_counters(host->core)->views_installed == witness->installed + 1;
    if (directly && witness->view.lineage == view->lineage && view->next_age < witness->next_age) {
        oracle_fail(sim, host, "S6: next_age fell from %" PRIu64 " to %" PRIu64 " at its maker",
                    witness->next_age, view->next_age);
    }
    if (view->cause == CAUSE_CLAIM && granted->epoch == view->epoch &&
        granted->accepted.lineage == view->lineage &&
        id_equal(&granted->accepted.coordinator, &view->parent.coordinator) &&
        view_id_compare(&host->shown, &granted->accepted) <= 0 && /* C4b: else on its own. */
        view_id_compare(&view->parent, &granted->accepted) < 0) {
        oracle_fail(sim, host, "C4: a voter had accepted a newer view");
    }
}
