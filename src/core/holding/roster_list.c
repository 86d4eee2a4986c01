#include "core/holding/roster_list.h"

#include <string.h>

#include "base/text.h"
#include "core/holding/words.h"

static struct candidate *candidate_at(struct core *core, uint32_t at)
{
    return &core->listed.candidates[at];
}

static uint64_t hash_of(const struct candidate *candidate)
{
    return words_hash(&candidate->request, candidate->number, candidate->token);
}

/* Takes it out of the sum of its member, or puts it in. */
static void count(struct core *core, const struct candidate *candidate, bool in)
{
    if (candidate->position == VIEW_NONE) {
        return;
    }
    struct listed_sum *sum = &core->listed.sums[candidate->position];
    uint64_t hash = hash_of(candidate);

    sum->hash += in ? hash : -hash;
    sum->count += in ? 1U : -1U;
    sum->revoked += !candidate->revoked ? 0U : in ? 1U : -1U;
}

uint32_t roster_find_candidate(const struct core *core, const struct node_id *life,
                               const struct node_id *request)
{
    for (uint32_t i = 0; i < core->listed.candidate_top; i++) {
        const struct candidate *candidate = &core->listed.candidates[i];
        if (candidate->used && id_equal(&candidate->request, request) &&
            id_equal(&candidate->life, life)) {
            return i;
        }
    }
    return ROSTER_NONE;
}

uint32_t roster_find_role(const struct core *core, const char *name)
{
    for (uint32_t i = 0; i < core->listed.role_top; i++) {
        const struct role *role = &core->listed.roles[i];
        if (role->first != ROSTER_NONE && text_equal(role->name, name)) {
            return i;
        }
    }
    return ROSTER_NONE;
}

static uint32_t take_role(struct core *core, const struct role_entry *entry)
{
    struct roster_list *list = &core->listed;
    uint32_t at = roster_find_role(core, entry->role);

    if (at != ROSTER_NONE) {
        return at;
    }
    for (at = 0; at < list->role_top && list->roles[at].first != ROSTER_NONE;) {
        at++;
    }
    if (at == ROLES_MAX) {
        return ROSTER_NONE;
    }
    list->role_top += at == list->role_top ? 1U : 0U;
    list->roles[at] = (struct role){.terms = entry->terms, .first = ROSTER_NONE};
    memcpy(list->roles[at].name, entry->role, sizeof list->roles[at].name);
    return at;
}

static uint32_t take_place(struct core *core)
{
    struct roster_list *list = &core->listed;

    if (list->candidate_count == list->candidate_top) {
        return list->candidate_top < list->candidate_capacity ? list->candidate_top++ : ROSTER_NONE;
    }
    for (uint32_t i = 0; i < list->candidate_top; i++) {
        if (!list->candidates[i].used) {
            return i;
        }
    }
    return ROSTER_NONE;
}

uint32_t roster_add(struct core *core, uint32_t position, const struct role_entry *entry)
{
    struct roster_list *list = &core->listed;

    if (list->sums[position].count >= ROLE_OWN_MAX ||
        list->candidate_count >= list->candidate_capacity) {
        return ROSTER_NONE;
    }
    uint32_t role = take_role(core, entry);
    uint32_t at = role == ROSTER_NONE ? ROSTER_NONE : take_place(core);
    if (at == ROSTER_NONE) {
        return ROSTER_NONE;
    }
    struct candidate *candidate = candidate_at(core, at);
    *candidate = (struct candidate){.used = true,
                                    .role = role,
                                    .position = position,
                                    .next = list->roles[role].first,
                                    .prev = ROSTER_NONE,
                                    .priority = entry->priority,
                                    .life = core->view.members[position].id,
                                    .request = entry->request,
                                    .number = entry->number,
                                    .token = entry->token,
                                    .since_ms = core->now_ms,
                                    .ripe = entry->terms.preempt_after_ms == 0};
    if (candidate->next != ROSTER_NONE) {
        candidate_at(core, candidate->next)->prev = at;
    }
    list->roles[role].first = at;
    list->candidate_count++;
    count(core, candidate, true);
    roster_note_change(core, at);
    return at;
}

void roster_remove(struct core *core, uint32_t at)
{
    struct roster_list *list = &core->listed;
    struct candidate *candidate = candidate_at(core, at);

    roster_note_change(core, at);
    count(core, candidate, false);
    if (candidate->next != ROSTER_NONE) {
        candidate_at(core, candidate->next)->prev = candidate->prev;
    }
    if (candidate->prev != ROSTER_NONE) {
        candidate_at(core, candidate->prev)->next = candidate->next;
    } else {
        list->roles[candidate->role].first = candidate->next;
    }
    candidate->used = false;
    list->candidate_count--;
}

void roster_set_number(struct core *core, uint32_t at, uint64_t number)
{
    count(core, candidate_at(core, at), false);
    candidate_at(core, at)->number = number;
    count(core, candidate_at(core, at), true);
}

void roster_set_token(struct core *core, uint32_t at, uint64_t token)
{
    count(core, candidate_at(core, at), false);
    candidate_at(core, at)->token = token;
    count(core, candidate_at(core, at), true);
    roster_note_change(core, at);
}

void roster_set_revoked(struct core *core, uint32_t at, bool revoked)
{
    count(core, candidate_at(core, at), false);
    candidate_at(core, at)->revoked = revoked;
    count(core, candidate_at(core, at), true);
}

void roster_set_ripe(struct core *core, uint32_t at)
{
    candidate_at(core, at)->ripe = true;
    roster_note_change(core, at);
}

void roster_forget_positions(struct core *core)
{
    memset(core->listed.sums, 0, core->view.member_count * sizeof core->listed.sums[0]);
}

void roster_set_position(struct core *core, uint32_t at, uint32_t position, uint64_t free_ms)
{
    candidate_at(core, at)->position = position;
    candidate_at(core, at)->free_ms = free_ms;
    count(core, candidate_at(core, at), true);
    roster_note_change(core, at);
}

void roster_note_change(struct core *core, uint32_t at)
{
    core->listed.roles[candidate_at(core, at)->role].changed = true;
    core->listed.changed = true;
}

bool roster_take_change(struct core *core, uint32_t role)
{
    bool changed = core->listed.roles[role].changed &&
                   core->listed.roles[role].first != ROSTER_NONE;

    core->listed.roles[role].changed = false;
    return changed;
}

bool roster_take_changes(struct core *core)
{
    bool changed = core->listed.changed;

    core->listed.changed = false;
    return changed;
}

void roster_clear(struct core *core)
{
    struct roster_list *list = &core->listed;

    list->candidate_top = 0;
    list->candidate_count = 0;
    list->role_top = 0;
    list->changed = false;
    roster_forget_positions(core);
}
