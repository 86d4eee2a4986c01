#include "core/holding/roster.h"

#include <string.h>

#include "core/agreement/change_count.h"
#include "core/detection/lease.h"
#include "core/detection/standing.h"
#include "core/holding/roster_list.h"
#include "core/holding/words.h"
#include "core/model/marks.h"

uint32_t roster_capacity(uint32_t members)
{
    return members > ROLE_CANDIDATES_MAX / ROLE_OWN_MAX ? ROLE_CANDIDATES_MAX
                                                        : members * ROLE_OWN_MAX;
}

bool roster_acts(const struct core *core)
{
    const struct standing *standing = &core->standing;

    return (standing->told_acting && core->now_ms < standing->acting_until_ms) ||
           standing_is_acting(core, core->now_ms);
}

void roster_outgrow(struct core *core)
{
    if (!core->roster.outgrown) {
        core->roster.on = true;
        core->roster.outgrown = true;
        core->roster.due_ms = core->now_ms;
    }
}

/* The next number or token of this reign (K1b); 0: there are no more of them. */
static uint64_t draw(struct core *core)
{
    struct roster *roster = &core->roster;

    if (roster->epoch > ROLE_EPOCH_MAX) {
        return 0;
    }
    if (roster->serial >= ROLE_SERIAL_MAX) {
        roster_outgrow(core);
        return 0;
    }
    return role_token(roster->epoch, ++roster->serial);
}

/* --- What is said to members --- */

/* K3a: no longer than each voter that leases would tell the next coordinator (Z15c). */
static uint64_t lends_ms(struct core *core, struct roster_member *member)
{
    const bool strict = core_is_strict(core);
    const uint64_t hold_ms = lease_hold_ms(core);

    if (strict) {
        member->free_ms = larger(member->free_ms, core->now_ms + hold_ms);
    }
    return strict ? timing_held_of_ms(hold_ms) : core->spans.held_ms;
}

/* What the word grants is held from the member's latest question on. */
static void lend(struct core *core, uint32_t position, enum message_type type,
                 struct role_word *word)
{
    struct roster_member *member = &core->roster.members[position];

    word->stamp = member->stamp;
    word->held_ms = lends_ms(core, member);
    words_to_member(core, position, type, word);
}

static void answer(struct core *core, uint32_t position, bool agrees)
{
    struct role_word word = {.flag = agrees};

    if (agrees) {
        lend(core, position, MESSAGE_ROLES_ANSWER, &word);
    } else {
        words_to_member(core, position, MESSAGE_ROLES_ANSWER, &word);
    }
}

/* K2c: a grant is an answer, to the member's latest question. */
static void place(struct core *core, uint32_t at)
{
    const struct candidate *candidate = &core->listed.candidates[at];
    struct role_word word = {.order = candidate->revoked ? ROLE_LET_GO : ROLE_KEEP};

    word.entry.request = candidate->request;
    word.entry.number = candidate->number;
    word.entry.token = candidate->token;
    lend(core, candidate->position, MESSAGE_ROLES_PLACE, &word);
}

/* Each that is listed of that member; or those alone that are to let go. Whoever asks in its name,
 * again and again, does not have all of them sent to it each time. */
static void place_all(struct core *core, uint32_t position, bool revoked_alone)
{
    struct roster_member *member = &core->roster.members[position];

    if (core->now_ms < member->listed_ms) {
        return;
    }
    member->listed_ms = core->now_ms + core_repair_ms(core);
    for (uint32_t i = 0; i < core->listed.candidate_top; i++) {
        const struct candidate *candidate = &core->listed.candidates[i];
        if (candidate->used && candidate->position == position &&
            (candidate->revoked || !revoked_alone)) {
            place(core, i);
        }
    }
}

static void refuse_entry(struct core *core, uint32_t position, const struct role_entry *entry,
                         enum role_order order)
{
    struct role_word word = {.stamp = core->roster.members[position].stamp, .order = order};

    word.entry.request = entry->request;
    words_to_member(core, position, MESSAGE_ROLES_PLACE, &word);
}

/* --- What members say --- */

/* K4e: whoever was told this token in the coordinator's name takes none below it. */
static void rise_above(struct core *core, uint64_t token)
{
    struct roster *roster = &core->roster;
    const uint64_t serial = token & ROLE_SERIAL_MAX;

    if (role_token_epoch(token) == roster->epoch && serial > roster->serial) {
        REACHED(role_token_leapt);
        roster->serial = serial;
    }
}

static void note_question(struct core *core, uint32_t position, const struct role_word *word)
{
    struct roster_member *member = &core->roster.members[position];

    member->asked_ms = core->now_ms;
    member->stamp = word->stamp; /* K2c: an earlier one that comes late only shortens a lease. */
}

/* K2b: the same on both sides, or both tell the other all of it. */
static void on_ask(struct core *core, uint32_t position, const struct role_word *word)
{
    struct roster_member *member = &core->roster.members[position];
    const struct listed_sum *sum = &core->listed.sums[position];
    bool agrees = word->count == sum->count && word->hash == sum->hash;

    note_question(core, position, word);
    if (agrees && !member->told) {
        member->told = true;
        core->roster.due_ms = core->now_ms;
    }
    if (!roster_acts(core)) {
        return; /* K2a: what it answers now would bind nobody. */
    }
    if (agrees) {
        if (word->count > 0) {
            answer(core, position, true);
        }
        if (sum->revoked > 0) {
            place_all(core, position, true);
        }
    } else {
        place_all(core, position, false);
        answer(core, position, false);
    }
}

static bool terms_fit(const struct core *core, const struct role_entry *entry)
{
    uint32_t role = roster_find_role(core, entry->role);

    return role == ROSTER_NONE || role_terms_equal(&core->listed.roles[role].terms, &entry->terms);
}

static void turn_on(struct core *core)
{
    if (!core->roster.on) {
        core->roster.on = true;
        core->roster.due_ms = core->now_ms;
    }
}

/* K7b: who tells that it holds keeps it. K8: with a new token after a merge. */
static void take_told(struct core *core, uint32_t at)
{
    uint64_t token = core->listed.candidates[at].token;

    if (token != 0 && role_token_epoch(token) < core->roster.merged_epoch) {
        uint64_t renewed = draw(core);
        REACHED(role_token_renewed);
        roster_set_token(core, at, renewed != 0 ? renewed : token);
    }
}

/* K7b: whom this coordinator granted anything is listed; under *strict* nobody else can have done
 * so in this epoch. */
static struct role_entry as_told(const struct core *core, const struct role_entry *entry)
{
    struct role_entry told = *entry;

    if (core_is_strict(core) && role_token_epoch(told.token) == core->roster.epoch) {
        told.token = 0;
    }
    return told;
}

static void on_enter(struct core *core, uint32_t position, const struct role_word *word)
{
    const struct role_entry told = as_told(core, &word->entry);
    const struct role_entry *entry = &told;
    const struct node_id *life = &core->view.members[position].id;
    uint32_t at = roster_find_candidate(core, life, &entry->request);
    bool is_new = entry->number == 0 && entry->token == 0;

    bool acts = roster_acts(core); /* K2a: only then it answers, or grants. */

    turn_on(core);
    note_question(core, position, word);
    if (at != ROSTER_NONE) {
        /* K5a: it was entered twice, by a message that came late; the first number is its own. */
        if (entry->number != 0 && entry->number < core->listed.candidates[at].number) {
            roster_set_number(core, at, entry->number);
            roster_note_change(core, at);
        }
        if (acts) {
            place(core, at);
        }
        return;
    }
    if (is_new && !acts) {
        return;
    }
    if (is_new && !terms_fit(core, entry)) {
        refuse_entry(core, position, entry, ROLE_OTHER_TERMS);
        return;
    }
    at = roster_add(core, position, entry);
    if (at == ROSTER_NONE) {
        core->roster.blocked = core->roster.blocked || entry->token != 0;
        refuse_entry(core, position, entry, ROLE_FULL);
        return;
    }
    take_told(core, at);
    if (entry->number == 0) {
        roster_set_number(core, at, draw(core));
    }
    if (acts) {
        place(core, at);
    }
}

/* K4c: it ends the grant that it names, or one before it, and no other; who resigns, only that. */
static bool is_ended_by(const struct candidate *candidate, const struct role_word *word)
{
    return word->flag ? candidate->token == word->entry.token
                      : candidate->token <= word->entry.token;
}

static void on_let_go(struct core *core, uint32_t position, const struct role_word *word)
{
    const struct node_id *life = &core->view.members[position].id;
    uint32_t at = roster_find_candidate(core, life, &word->entry.request);

    if (at == ROSTER_NONE || !is_ended_by(&core->listed.candidates[at], word)) {
        return;
    }
    if (word->flag) {
        roster_remove(core, at);
        return;
    }
    roster_set_revoked(core, at, false);
    roster_set_token(core, at, 0);
}

void roster_on_word(struct core *core, uint32_t position, enum message_type type,
                    const struct role_word *word)
{
    rise_above(core, word->entry.token); /* An ASK names none. */
    if (type == MESSAGE_ROLES_ASK) {
        on_ask(core, position, word);
    } else if (type == MESSAGE_ROLES_ENTER) {
        on_enter(core, position, word);
    } else {
        on_let_go(core, position, word);
    }
}

/* --- Target and fact --- */

/* K6b: who may do the work is known where the node is set up. */
static bool has_need(const struct core *core, const struct candidate *candidate)
{
    const char *need = core->listed.roles[candidate->role].terms.need;

    return need[0] == '\0' ||
           (candidate->position != VIEW_NONE &&
            tags_have(member_tags(&core->view.members[candidate->position]), need));
}

/* K6b: a drained member is no target (E7), unless each is; nor is one that leaves, or that is gone.
 */
static bool is_eligible(const struct core *core, const struct candidate *candidate)
{
    if (!has_need(core, candidate)) {
        return false;
    }
    return candidate->position != VIEW_NONE && candidate->number != 0 &&
           (!core->view.members[candidate->position].drained ||
            core->listed.roles[candidate->role].terms.policy == ROLE_EACH) &&
           !core->peers[candidate->position].charge.leaves;
}

static uint64_t age_of(const struct core *core, const struct candidate *candidate)
{
    return core->view.members[candidate->position].age;
}

/* K6e: a holder stays, and who has stood for long enough may take over; who has not comes behind
 * both. */
static bool is_settled(const struct candidate *candidate)
{
    return candidate->ripe || (candidate->token != 0 && !candidate->revoked);
}

/* K6a to K6b: both are eligible. A holder stays before others, unless the role's terms say that the
 * better ones take over; of two who tell that they hold, the one with the higher token. */
static bool is_better(const struct core *core, const struct role_terms *terms, bool is_held,
                      const struct candidate *a, const struct candidate *b)
{
    uint64_t held_a = a->revoked ? 0 : a->token;
    uint64_t held_b = b->revoked ? 0 : b->token;

    if (!terms->preempt && held_a != held_b) {
        return held_a > held_b;
    }
    if (is_held && is_settled(a) != is_settled(b)) {
        return is_settled(a);
    }
    if (terms->policy == ROLE_OLDEST && a->position != b->position) {
        return age_of(core, a) < age_of(core, b);
    }
    if (terms->policy == ROLE_PRIORITY && a->priority != b->priority) {
        return a->priority > b->priority;
    }
    return a->number < b->number;
}

struct target {
    uint32_t best[ROLE_HOLDERS_MAX]; /* the best first */
    uint32_t count;
    uint32_t held; /* grants that are not over */
    bool is_held;  /* by somebody who was not asked to let go */
};

static void consider(const struct core *core, const struct role *role, struct target *target,
                     uint32_t at)
{
    const struct candidate *candidate = &core->listed.candidates[at];
    uint32_t place = target->count;

    while (place > 0 && is_better(core, &role->terms, target->is_held, candidate,
                                  &core->listed.candidates[target->best[place - 1]])) {
        place--;
    }
    if (place >= role->terms.holders) {
        return;
    }
    if (target->count < role->terms.holders) {
        target->count++;
    }
    memmove(&target->best[place + 1], &target->best[place],
            (target->count - 1 - place) * sizeof target->best[0]);
    target->best[place] = at;
}

static void find_target(const struct core *core, const struct role *role, struct target *target)
{
    *target = (struct target){.count = 0};
    for (uint32_t at = role->first; at != ROSTER_NONE; at = core->listed.candidates[at].next) {
        const struct candidate *candidate = &core->listed.candidates[at];
        target->held += candidate->token != 0;
        target->is_held = target->is_held || (candidate->token != 0 && !candidate->revoked);
    }
    for (uint32_t at = role->first; at != ROSTER_NONE; at = core->listed.candidates[at].next) {
        if (is_eligible(core, &core->listed.candidates[at])) {
            consider(core, role, target, at);
        }
    }
}

static bool is_target(const struct target *target, uint32_t at)
{
    for (uint32_t i = 0; i < target->count; i++) {
        if (target->best[i] == at) {
            return true;
        }
    }
    return false;
}

/* K6d: nobody stands in the way of anybody. */
static void grant_each(struct core *core, const struct role *role)
{
    for (uint32_t at = role->first; at != ROSTER_NONE; at = core->listed.candidates[at].next) {
        const struct candidate *candidate = &core->listed.candidates[at];
        uint64_t token = candidate->token == 0 && is_eligible(core, candidate) ? draw(core) : 0;
        if (token != 0) {
            roster_set_token(core, at, token);
            place(core, at);
        }
    }
}

/* K1b: the one rule. Whoever is not to hold is asked to let go; whoever is to, and does not, is
 * granted what is free. */
static void settle(struct core *core, const struct role *role)
{
    struct target target;

    if (role->terms.policy == ROLE_EACH) {
        grant_each(core, role);
        return;
    }
    find_target(core, role, &target);
    for (uint32_t at = role->first, next; at != ROSTER_NONE; at = next) {
        const struct candidate *candidate = &core->listed.candidates[at];
        next = candidate->next;
        if (candidate->token != 0 && candidate->position != VIEW_NONE && !candidate->revoked &&
            !is_target(&target, at)) {
            roster_set_revoked(core, at, true);
            place(core, at);
        }
    }
    for (uint32_t i = 0; i < target.count && target.held < role->terms.holders; i++) {
        uint64_t token = core->listed.candidates[target.best[i]].token == 0 ? draw(core) : 0;
        if (token != 0) {
            target.held++;
            roster_set_token(core, target.best[i], token);
            place(core, target.best[i]);
        }
    }
}

/* --- What time brings --- */

bool roster_may_grant(const struct core *core)
{
    const struct roster *roster = &core->roster;

    if (roster->blocked || !roster_acts(core)) {
        return false;
    }
    uint32_t untold = 0;
    for (uint32_t i = 0; untold <= core->plan.untold_max && i < core->view.member_count; i++) {
        untold += !roster->members[i].told;
    }
    return untold <= core->plan.untold_max && core->now_ms >= core->candidacy.held_until_ms;
}

/* K7c: until when it may hold what it was granted, by this coordinator or by a former one. Of one
 * that is gone 0 under any guard but strict. */
static uint64_t held_until_ms(const struct core *core, const struct candidate *candidate)
{
    const uint64_t free_ms = candidate->position == VIEW_NONE
                                 ? candidate->free_ms
                                 : core->roster.members[candidate->position].free_ms;

    return larger(free_ms, core->candidacy.held_until_ms);
}

/* What a member that is not heard held, and has lost by now. Under any guard but strict it has when
 * it is no member. */
static void end_grants(struct core *core)
{
    struct roster *roster = &core->roster;

    for (uint32_t i = 0; i < core->listed.candidate_top; i++) {
        const struct candidate *candidate = &core->listed.candidates[i];
        if (!candidate->used || candidate->token == 0) {
            continue;
        }
        const uint64_t over_ms = held_until_ms(core, candidate);
        if (over_ms == 0) {
            continue; /* No time ends it (K7c). */
        }
        if (core->now_ms < over_ms) {
            roster->due_ms = earlier(roster->due_ms, over_ms);
        } else if (candidate->position == VIEW_NONE) {
            roster_remove(core, i);
        } else {
            REACHED(role_grant_ended);
            roster_set_revoked(core, i, false);
            roster_set_token(core, i, 0);
        }
    }
}

/* K6e: who has stood for long enough by now. */
static void ripen(struct core *core)
{
    struct roster *roster = &core->roster;

    for (uint32_t i = 0; i < core->listed.candidate_top; i++) {
        const struct candidate *candidate = &core->listed.candidates[i];
        if (!candidate->used || candidate->ripe) {
            continue;
        }
        uint64_t ripe_ms = candidate->since_ms +
                           core->listed.roles[candidate->role].terms.preempt_after_ms;
        if (core->now_ms >= ripe_ms) {
            REACHED(role_candidate_ripe);
            roster_set_ripe(core, i);
        } else {
            roster->due_ms = earlier(roster->due_ms, ripe_ms);
        }
    }
}

/* K7a, K5b: who has not told is asked to, and who has been listed and asks nothing. */
static void call_members(struct core *core)
{
    uint64_t missed_ms = 2 * core->timing.heartbeat_ms;

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct roster_member *member = &core->roster.members[i];
        if (!member->told ||
            (core->listed.sums[i].count > 0 && core->now_ms >= member->asked_ms + missed_ms)) {
            answer(core, i, false);
        }
    }
}

static void look(struct core *core)
{
    struct roster *roster = &core->roster;
    const uint64_t held_until_ms = core->candidacy.held_until_ms;

    roster->due_ms = core->now_ms + core->timing.heartbeat_ms;
    if (core->now_ms < held_until_ms) {
        roster->due_ms = earlier(roster->due_ms, held_until_ms);
    }
    end_grants(core);
    ripen(core);
    if (roster_acts(core)) {
        call_members(core);
        if (roster->outgrown) {
            change_outgrow(core);
        }
    }
}

void roster_tick(struct core *core)
{
    struct roster *roster = &core->roster;

    if (roster->epoch == 0) {
        return;
    }
    if (!roster->on) {
        return;
    }
    if (core->now_ms >= roster->due_ms) {
        look(core);
    }
    if (!core->listed.changed || !roster_may_grant(core) || !roster_take_changes(core)) {
        return;
    }
    for (uint32_t i = 0; i < core->listed.role_top; i++) {
        if (roster_take_change(core, i)) {
            settle(core, &core->listed.roles[i]);
        }
    }
}

uint64_t roster_deadline_ms(const struct core *core)
{
    return core->roster.epoch != 0 ? core->roster.due_ms : NEVER_MS;
}

/* --- Views --- */

/* The members of this epoch have moved up, or are new, or are gone. */
static void move_members(struct core *core, const struct view *former)
{
    struct roster *roster = &core->roster;
    struct roster_member *members = roster->former;

    roster->former = roster->members;
    roster->members = members;
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        uint32_t was = view_find(former, &core->view.members[i].id);
        /* Whoever came in under this epoch has nothing to tell. */
        members[i] = was != VIEW_NONE ? roster->former[was] : (struct roster_member){.told = true};
    }
    roster_forget_positions(core);
    for (uint32_t i = 0; i < core->listed.candidate_top; i++) {
        const struct candidate *candidate = &core->listed.candidates[i];
        if (!candidate->used) {
            continue;
        }
        uint32_t was = candidate->position;
        uint32_t position = view_find(&core->view, &candidate->life);
        roster_set_position(core, i, position,
                            was != VIEW_NONE ? roster->former[was].free_ms : candidate->free_ms);
        if (position == VIEW_NONE &&
            (candidate->token == 0 || core->now_ms >= held_until_ms(core, candidate))) {
            roster_remove(core, i);
        }
    }
    roster->due_ms = roster->on ? core->now_ms : NEVER_MS;
}

static void begin_anew(struct core *core)
{
    struct roster *roster = &core->roster;

    roster_clear(core);
    roster->on = false;
    roster->blocked = false;
    roster->outgrown = false;
    roster->epoch = 0;
    roster->serial = 0;
    roster->due_ms = NEVER_MS;
}

void roster_on_view_installed(struct core *core, const struct installed *before)
{
    struct roster *roster = &core->roster;

    if (core->view.cause == CAUSE_MERGE) {
        roster->merged_epoch = core->view.epoch;
    }
    if (core_is_coordinator(core) && roster->epoch == core->view.epoch) {
        if (roster->on) {
            move_members(core, before->view);
        } else {
            /* Nobody was asked yet: all are told of when the first candidate comes. */
            memset(roster->members, 0, core->view.member_count * sizeof roster->members[0]);
            roster_forget_positions(core);
        }
        return;
    }
    begin_anew(core);
    if (core_is_coordinator(core)) {
        roster->epoch = core->view.epoch;
        memset(roster->members, 0, core->view.member_count * sizeof roster->members[0]);
    }
}

void roster_reset(struct core *core)
{
    begin_anew(core);
    core->roster.merged_epoch = 0;
}
