#include "core/agreement/next_view.h"

#include <string.h>

#include "base/text.h"
#include "core/agreement/accord.h"
#include "core/agreement/promise.h"
#include "core/agreement/voters_change.h"
#include "core/detection/hearing.h"
#include "core/detection/numbers.h"
#include "core/detection/removal.h"
#include "core/detection/standing.h"
#include "core/model/limits.h"
#include "core/state/refuse.h"

void next_view_soon(struct core *core)
{
    core->next.due_ms = earlier(core->next.due_ms, core->now_ms + core->timing.batch_ms);
}

void next_view_without_the_dead(struct core *core)
{
    const struct timing *timing = &core->timing;
    struct next_view *next = &core->next;
    bool first = next->dead_ms == 0;

    next->dead_ms = first ? core->now_ms : next->dead_ms;
    uint64_t due_ms = earlier(core->now_ms + timing_dead_gap_ms(timing),
                              next->dead_ms + timing_dead_batch_ms(timing));
    next->due_ms = first ? earlier(next->due_ms, due_ms) : due_ms;
}

void next_view_without_the_silent(struct core *core, bool others_are_silent)
{
    if (others_are_silent || core->next.dead_ms != 0) {
        next_view_soon(core);
    } else {
        next_view_now(core);
    }
}

void next_view_put_off(struct core *core, uint64_t until_ms)
{
    core->next.due_ms = until_ms;
}

void next_view_now(struct core *core)
{
    core->next.due_ms = earlier(core->next.due_ms, core->now_ms);
}

void next_view_want_epoch(struct core *core)
{
    core->next.epoch_wanted = true;
}

void next_view_want_version(struct core *core)
{
    core->next.version_wanted = true;
}

/* --- Joiners --- */

static void keep_joiner(struct core *core, uint32_t place, const struct member *joiner,
                        const struct tags *tags)
{
    core->next.joiners[place] = *joiner;
    tags_copy(&core->next.joiner_tags[place], tags);
    core->next.joiners[place].tags = &core->next.joiner_tags[place];
}

bool next_view_queue(struct core *core, const struct joiner *joiner)
{
    uint32_t place = 0;

    /* One entry for each address: a later life takes the place of an earlier one. */
    while (place < core->next.joiner_count &&
           !address_equal(&core->next.joiners[place].address, &joiner->member.address)) {
        place++;
    }
    if (place == core->next.joiner_capacity) {
        return false;
    }
    core->next.joiner_count += place == core->next.joiner_count;
    keep_joiner(core, place, &joiner->member, &joiner->tags);
    next_view_soon(core);
    return true;
}

static void forget_joiners(struct core *core)
{
    core->next.joiner_count = 0;
}

static void refuse_joiner(struct core *core, const struct member *joiner, enum refusal reason)
{
    refuse_later(core, MESSAGE_READY, &joiner->id, reason);
}

void next_view_drop_joiners(struct core *core, enum refusal reason)
{
    for (uint32_t i = 0; i < core->next.joiner_count; i++) {
        refuse_joiner(core, &core->next.joiners[i], reason);
    }
    forget_joiners(core);
}

static bool is_of(const struct gone *gone, const struct member *joiner)
{
    return text_equal(gone->name, joiner->name) || address_equal(&gone->address, &joiner->address);
}

/* G1d: it did not leave, and no member has come to its address: it may come back. */
static bool has_its_place(const struct view *view, const struct gone *gone)
{
    return gone->reason != GONE_LEFT && view_find_address(view, &gone->address) == VIEW_NONE;
}

/* Somebody may have made up that it was there, where another one lives all the while. */
static bool may_take_its_place(const struct core *core, const struct view *view,
                               const struct gone *gone)
{
    return has_its_place(view, gone) ||
           (gone->reason != GONE_LEFT && numbers_lack_proof(core, &gone->id));
}

/* G1c: failed, moved or behind, too, and then the others wait for it. Nobody who has proof of it
 * stands behind a failure that names no accuser (G1e). */
static bool keeps_its_place(const struct view *view, const struct gone *gone)
{
    const bool failed = gone->reason == GONE_FAILED && gone->accuser_count > 0;

    return (failed || gone->reason == GONE_MOVED || gone->reason == GONE_BEHIND) &&
           has_its_place(view, gone);
}

/* Several lives of one node have one place. */
static bool is_counted_before(const struct view *view, uint32_t position)
{
    const struct gone *gone = &view->gone[position];

    for (uint32_t i = 0; i < position; i++) {
        if (text_equal(view->gone[i].name, gone->name) ||
            address_equal(&view->gone[i].address, &gone->address)) {
            return true;
        }
    }
    return false;
}

/* --- Terms (A) --- */

/* G1c: places that those who are gone keep; but with `forget_failed` none of those who failed. */
static uint32_t places_kept(const struct core *core, bool forget_failed)
{
    const struct view *view = &core->view;
    uint32_t places = 0;

    for (uint32_t i = 0; i < view->gone_count; i++) {
        const struct gone *gone = &view->gone[i];
        places += keeps_its_place(view, gone) && !is_counted_before(view, i) &&
                  !numbers_lack_proof(core, &gone->id) &&
                  !(forget_failed && gone->reason == GONE_FAILED);
    }
    return places;
}

/* A4: how many members there are, and may be, that a majority of that size would not be one of. */
static enum unagreed against_size(const struct core *core, const struct rules_wish *wish)
{
    const uint32_t size = guard_asks(&wish->rules.guard).size_max;
    const uint32_t members = core->view.member_count;

    if (members > size || members > wish->rules.capacity) {
        return UNAGREED_MEMBERS;
    }
    if (size != UINT32_MAX && members + places_kept(core, wish->forget_failed) > size) {
        return UNAGREED_FAILED;
    }
    return UNAGREED_NOT;
}

/* Of those who may be asked for leases once the terms want it; so far only those were who have to.
 */
static uint32_t heard_count(const struct core *core)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        count += core_is_self(core, i) || hearing_is_heard(core, i);
    }
    return count;
}

enum unagreed next_view_against(const struct core *core, const struct rules_wish *wish)
{
    const struct agreed from = accord_now(core);

    if (wish->voters.count > 0) {
        return voters_change_against(core, &wish->voters);
    }
    if (!core_is_member(core)) {
        return UNAGREED_NO_MEMBER;
    }
    if (!guard_may_become(&core->terms.guard, &wish->rules.guard)) {
        return UNAGREED_STRICT;
    }
    if (from.joint || wish->number != from.number) {
        return UNAGREED_UNDER_WAY;
    }
    if (rules_equal(&from.now, &wish->rules) && !wish->forget_failed) {
        return UNAGREED_SAME;
    }
    if (wish->rules.capacity > from.room) {
        return UNAGREED_ROOM;
    }
    const enum unagreed size = against_size(core, wish);
    if (size != UNAGREED_NOT) {
        return size;
    }
    return standing_guard(core, core->now_ms).met &&
                   heard_count(core) >= guard_asks(&wish->rules.guard).needed
               ? UNAGREED_NOT
               : UNAGREED_GUARD;
}

void next_view_settle_terms(struct core *core)
{
    if (core->view.agreed.joint && !core->change.on && accord_is_settled(core)) {
        next_view_soon(core);
    }
    if (!core->change.on && voters_change_is_due(core)) {
        next_view_now(core);
    }
}

static enum refusal refusal_of(enum unagreed against)
{
    if (against == UNAGREED_NOT) {
        return REFUSED_NOT;
    }
    return against == UNAGREED_SAME ? REFUSED_SO_ALREADY : REFUSED_RULES_UNFIT;
}

enum refusal next_view_want_rules(struct core *core, const struct rules_wish *wish)
{
    if (wish->voters.count > 0) {
        return refusal_of(voters_change_want(core, &wish->voters, WISHER_OPERATOR));
    }
    if (!rules_are_sound(&wish->rules) || wish->number >= COUNTER_MAX) {
        return REFUSED_RULES_UNFIT; /* Nobody would take a view with them (V7b). */
    }
    enum unagreed against = next_view_against(core, wish);

    if (against != UNAGREED_NOT) {
        return refusal_of(against);
    }
    core->next.wish = *wish;
    core->next.wished = true;
    next_view_soon(core);
    return REFUSED_NOT;
}

/* A4: nobody stands behind their failure any more, so that they keep no places (G1e). */
static void forget_failed(struct view *next)
{
    for (uint32_t i = 0; i < next->gone_count; i++) {
        if (next->gone[i].reason == GONE_FAILED) {
            next->gone[i].accuser_count = 0;
        }
    }
}

/* Returns whether the terms are other ones, or hold alone from now on. */
static bool change_terms(struct core *core, struct view *next)
{
    const struct rules_wish wish = core->next.wish;
    const bool wished = core->next.wished && next_view_against(core, &wish) == UNAGREED_NOT;

    core->next.wished = false;
    if (accord_is_settled(core)) {
        next->agreed = agreed_end(&next->agreed);
        return true;
    }
    if (wished) {
        next->agreed = accord_begin(core, &wish.rules);
        if (wish.forget_failed) {
            forget_failed(next);
        }
    }
    return wished;
}

/* A majority means something only of the stated size, so whoever failed keeps its place: it may be
 * at work on the other side of a cut. Its own name, or its address, may come back, whoever else has
 * a place: those may be made up (G1d). */
bool next_view_has_room(const struct core *core, const struct view *view,
                        const struct member *joiner)
{
    uint32_t size = core_size_max(core);
    uint32_t places = 0;
    bool has_own = false;

    for (uint32_t i = 0; size != UINT32_MAX && i < view->gone_count; i++) {
        const struct gone *gone = &view->gone[i];
        if (is_of(gone, joiner)) {
            has_own |= may_take_its_place(core, view, gone);
        } else if (keeps_its_place(view, gone) && !is_counted_before(view, i) &&
                   !numbers_lack_proof(core, &gone->id)) {
            places++; /* G1e: who has shown nothing may be made up. */
        }
    }
    places = has_own ? 0 : places;
    return view->member_count < core_capacity(core) && view->member_count + places < size;
}

enum refusal next_view_turns_away(const struct core *core, const struct view *view,
                                  const struct member *joiner)
{
    const uint32_t former = view_find_address(view, &joiner->address); /* It gives way (J4). */
    const uint32_t named = view_find_name(view, joiner->name);

    if (!versions_meet(view_versions(view, former), joiner->versions)) {
        return REFUSED_VERSIONS_DIFFER;
    }
    if ((named != VIEW_NONE && named != former) ||
        voter_lists_have_witness(&view->voters, joiner->name, &joiner->address)) { /* Z16d */
        return REFUSED_NAME_IN_USE;
    }
    if (former != VIEW_NONE || next_view_has_room(core, view, joiner)) {
        return REFUSED_NOT;
    }
    return view->member_count < core_capacity(core) ? REFUSED_SIZE_REACHED
                                                    : REFUSED_CAPACITY_REACHED;
}

/* J4, I2: the former life at that address, or of that name there, is over. */
static void end_former_life(struct view *next, const struct member *joiner, uint32_t *first_joiner)
{
    static const struct gone replaced = {.reason = GONE_REPLACED};
    uint32_t position = view_find_address(next, &joiner->address);

    if (position != VIEW_NONE) {
        view_remove(next, position, &replaced);
        *first_joiner -= position < *first_joiner;
    }
}

/* What came between a joiner's READY and now; REFUSED_NOT: nothing that matters. */
static enum refusal what_came_between(const struct core *core, const struct view *next,
                                      const struct member *joiner)
{
    if (view_has(&core->view, &joiner->id) || view_has(next, &joiner->id)) {
        return REFUSED_JOINER_IN_ALREADY;
    }
    if (address_equal(&joiner->address, &core->life.self.address)) {
        return REFUSED_JOINER_AT_OUR_ADDRESS;
    }
    /* It may have been a member of a part that came in after its READY did (S5). */
    return view_find_gone(next, &joiner->id) != NULL ? REFUSED_JOINER_GONE : REFUSED_NOT;
}

/* Appends those who said READY; their former lives go, and `*first_joiner` is kept right. */
static void admit_queued(struct core *core, struct view *next, uint32_t *first_joiner)
{
    for (uint32_t i = 0; i < core->next.joiner_count; i++) {
        const struct member *joiner = &core->next.joiners[i];
        enum refusal against = what_came_between(core, next, joiner);
        if (against != REFUSED_NOT) {
            refuse_joiner(core, joiner, against);
            continue;
        }
        end_former_life(next, joiner, first_joiner);
        against = next_view_turns_away(core, next, joiner);
        if (against == REFUSED_NOT) {
            view_append(next, joiner);
        } else {
            refuse_joiner(core, joiner, against);
        }
    }
    /* A joiner that does not get in this time asks again; one that never answers does not block the
     * others. */
    forget_joiners(core);
}

/* Whoever waits under the address of one that has just come in asks again, for it may be that one's
 * former life (J4). */
static void forget_let_in(struct core *core, const struct view *former)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < core->next.joiner_count; i++) {
        const struct member *joiner = &core->next.joiners[i];
        uint32_t position = view_find_address(&core->view, &joiner->address);
        if (position == VIEW_NONE || view_has(former, &core->view.members[position].id)) {
            if (kept < i) {
                keep_joiner(core, kept, joiner, joiner->tags);
            }
            kept++;
        } else if (!view_has(&core->view, &joiner->id)) {
            refuse_joiner(core, joiner, REFUSED_FORMER_LIFE);
        }
    }
    core->next.joiner_count = kept;
}

/* --- Building --- */

struct view *next_view_buffer(struct core *core)
{
    return &core->next.building;
}

struct view *next_view_begin(struct core *core, const struct view *base, enum view_cause cause)
{
    struct view *next = next_view_buffer(core);

    view_copy(next, base);
    next->cause = cause;
    next->parent = view_id_of(base);
    memset(&next->merged, 0, sizeof next->merged);
    if (!core_is_coordinator(core)) {
        next->agreed = accord_to_take_over_with(core);
    }
    return next;
}

static void remove_confirmed(const struct core *core, struct view *next)
{
    for (uint32_t i = core->view.member_count; i > 0; i--) {
        const struct peer_charge *charge = &core->peers[i - 1].charge;
        if (!core_is_self(core, i - 1) && (charge->confirmed || charge->leaves)) {
            struct gone why = removal_evidence(core, i - 1);
            view_remove(next, i - 1, &why);
        }
    }
}

void next_view_mark(struct core *core, uint32_t position, bool drained)
{
    core->peers[position].wish.drain = drained ? WISH_DRAIN : WISH_UNDRAIN;
    next_view_soon(core);
}

/* Returns whether anybody was marked otherwise than before. */
static bool mark_drained(const struct core *core, struct view *next)
{
    bool marked = false;

    for (uint32_t i = 0; i < next->member_count; i++) {
        uint32_t position = view_find(&core->view, &next->members[i].id);
        enum drain_wish wish = position == VIEW_NONE ? WISH_NONE : core->peers[position].wish.drain;
        if (wish != WISH_NONE && next->members[i].drained != (wish == WISH_DRAIN)) {
            next->members[i].drained = wish == WISH_DRAIN;
            marked = true;
        }
    }
    return marked;
}

static void forget_marks(struct core *core)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        struct peer_wish *wish = &core->peers[i].wish;
        bool done = core->view.members[i].drained == (wish->drain == WISH_DRAIN);
        wish->drain = done || !core_is_coordinator(core) ? WISH_NONE : wish->drain;
    }
}

/* --- Who is gone (E9) --- */

void next_view_forget(struct core *core, const struct node_id *gone)
{
    core->next.forgotten = *gone;
    next_view_soon(core);
}

/* E9a: returns whether it was listed. What was asked for while the guard was met is over when it is
 * not any more. */
static bool forget_gone(struct core *core, struct view *next)
{
    if (!standing_guard(core, core->now_ms).met) {
        core->next.forgotten = (struct node_id){{0}};
    }
    return view_forget(next, &core->next.forgotten);
}

static void settle_forgotten(struct core *core)
{
    if (!core_is_coordinator(core) || view_find_gone(&core->view, &core->next.forgotten) == NULL) {
        core->next.forgotten = (struct node_id){{0}};
    }
}

/* --- Tags (E8) --- */

static struct tag_wish *wish_of(struct core *core, const struct node_id *id)
{
    for (uint32_t i = 0; i < core->tag_wishes.count; i++) {
        if (id_equal(&core->tag_wishes.list[i].id, id)) {
            return &core->tag_wishes.list[i];
        }
    }
    return NULL;
}

/* The member's own place, or one that nobody needs any more; NULL: there is none. */
static struct tag_wish *place_for(struct core *core, const struct node_id *id)
{
    struct tag_wishes *wishes = &core->tag_wishes;
    struct tag_wish *own = wish_of(core, id);

    for (uint32_t i = 0; own == NULL && i < wishes->count; i++) {
        if (wishes->list[i].done && pause_is_over(&wishes->list[i].kept, core->now_ms)) {
            own = &wishes->list[i];
        }
    }
    if (own == NULL && wishes->count < TAG_WISHES_MAX) {
        own = &wishes->list[wishes->count++];
    }
    return own;
}

enum refusal next_view_want_tags(struct core *core, uint32_t position, const struct tags *tags)
{
    const struct member *member = &core->view.members[position];
    struct tag_wish *wish = wish_of(core, &member->id);
    bool same = tags_equal(member_tags(member), tags);

    if (wish == NULL || wish->done) {
        if (same) {
            return REFUSED_SO_ALREADY;
        }
        if (wish != NULL && !pause_is_over(&wish->kept, core->now_ms)) {
            return REFUSED_TAGS_TOO_SOON;
        }
        wish = place_for(core, &member->id);
    }
    if (wish == NULL) {
        return REFUSED_TAGS_NO_PLACE;
    }
    *wish = (struct tag_wish){.id = member->id, .done = same, .kept.over_ms = core->now_ms};
    tags_copy(&wish->tags, tags);
    next_view_soon(core);
    return REFUSED_NOT;
}

/* Returns whether anybody is given other tags than before. */
static bool give_tags(const struct core *core, struct view *next)
{
    bool given = false;

    for (uint32_t i = 0; i < core->tag_wishes.count; i++) {
        const struct tag_wish *wish = &core->tag_wishes.list[i];
        uint32_t position = wish->done ? VIEW_NONE : view_find(next, &wish->id);
        if (position != VIEW_NONE &&
            !tags_equal(member_tags(&next->members[position]), &wish->tags)) {
            view_set_tags(next, position, &wish->tags);
            given = true;
        }
    }
    return given;
}

/* A wish that the view shows, or whose member has gone, is not to be done any more. */
static void settle_wishes(struct core *core)
{
    for (uint32_t i = 0; i < core->tag_wishes.count; i++) {
        struct tag_wish *wish = &core->tag_wishes.list[i];
        uint32_t position = view_find(&core->view, &wish->id);
        bool has = position != VIEW_NONE &&
                   tags_equal(member_tags(&core->view.members[position]), &wish->tags);
        if (!wish->done && (has || position == VIEW_NONE)) {
            wish->done = true;
            pause_begin(&wish->kept, core->now_ms, has ? TAGS_PAUSE_MS : 0);
        }
    }
}

/* Drained members stand behind the joiners, where there are any. */
static uint32_t first_joiner(const struct core *core, const struct view *next)
{
    uint32_t position = 0;

    while (position < next->member_count && view_has(&core->view, &next->members[position].id)) {
        position++;
    }
    return position;
}

struct view *next_view_build(struct core *core, struct proposal *proposal)
{
    struct view *next = next_view_begin(core, &core->view, CAUSE_CHANGE);
    const bool gives_epochs = !view_names_voters(next); /* Z5c: there the voters give them. */
    const bool epoch_wanted = gives_epochs && core->next.epoch_wanted;
    const bool bound = gives_epochs && core->promise.epoch > next->epoch;

    core->next.due_ms = NEVER_MS;
    core->next.dead_ms = 0;
    remove_confirmed(core, next);
    proposal->first_joiner = next->member_count;
    if (core->life.phase == PHASE_MEMBER) { /* E3a: who leaves lets nobody in. */
        admit_queued(core, next, &proposal->first_joiner);
    }
    bool marked = mark_drained(core, next);
    bool forgotten = forget_gone(core, next);
    bool given = give_tags(core, next);
    bool changed = change_terms(core, next);
    bool elected = voters_change_build(core, next);
    proposal->forced = marked || forgotten || given || changed || elected || epoch_wanted ||
                       core->next.version_wanted;
    if (next->member_count == core->view.member_count &&
        proposal->first_joiner == next->member_count && !proposal->forced) {
        return NULL;
    }
    core->next.epoch_wanted = false;
    core->next.version_wanted = false;
    view_put_drained_behind(next);
    proposal->first_joiner = first_joiner(core, next);
    if (epoch_wanted || bound) {
        next->epoch = promise_new_epoch(core);
    }
    return next;
}

void next_view_on_view_installed(struct core *core, const struct installed *before)
{
    forget_let_in(core, before->view);
    forget_marks(core);
    settle_wishes(core);
    settle_forgotten(core);
    core->next.epoch_wanted = core->next.epoch_wanted && core->view.epoch < core->promise.seen;
    if (core->view.cause == CAUSE_MERGE) {
        /* Their READYs knew nothing of the other part (S5). */
        next_view_drop_joiners(core, REFUSED_JOINER_FORGOTTEN);
    }
    if (!core_is_coordinator(core)) {
        next_view_drop_joiners(core, REFUSED_NOT_COORDINATOR);
        next_view_reset(core);
    }
}

void next_view_reset(struct core *core)
{
    forget_joiners(core);
    core->tag_wishes.count = 0;
    core->next.forgotten = (struct node_id){{0}};
    core->next.due_ms = NEVER_MS;
    core->next.dead_ms = 0;
    core->next.epoch_wanted = false;
    core->next.version_wanted = false;
    core->next.wished = false;
}
