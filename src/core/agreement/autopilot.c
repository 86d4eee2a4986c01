#include "core/agreement/autopilot.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "core/agreement/electorate.h"
#include "core/agreement/voters_change.h"
#include "core/detection/hearing.h"
#include "core/detection/lease.h"
#include "core/detection/standing.h"
#include "core/detection/watch.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"

static void name_one(char out[NAME_BYTES_MAX + 1], const char *name)
{
    (void)text_set(out, NAME_BYTES_MAX + 1, name, text_length(name, NAME_BYTES_MAX + 1));
}

/* --- Who does not vote --- */

/* What was before it coordinated this node does not know. A witness is asked seldom, and nobody of
 * the members would stand in for it. */
static uint64_t overdue_ms(const struct core *core, const struct listed_voter *voter)
{
    const uint64_t leased_ms = lease_voter_last_ms(core, &voter->record);

    return voter->witness ? NEVER_MS
                          : larger(leased_ms, core->autopilot.begun_ms) + core->timing.replace_ms;
}

static bool is_overdue(const struct core *core, const struct listed_voter *voter)
{
    return core->now_ms >= overdue_ms(core, voter);
}

/* --- Who may stand in --- */

static bool is_wished(const struct voters_wish *wish, const char *name)
{
    for (uint8_t i = 0; i < wish->count; i++) {
        if (text_equal(wish->voters[i].name, name)) {
            return true;
        }
    }
    return false;
}

static void wish_for(struct voters_wish *wish, const char *name, bool anew)
{
    assert(wish->count < VOTERS_MAX);
    struct wished_voter *voter = &wish->voters[wish->count++];

    *voter = (struct wished_voter){.anew = anew};
    (void)text_set(voter->name, sizeof voter->name, name, text_length(name, sizeof voter->name));
}

/* Without such a tag it is of the zone of all who have none. */
static const char *zone_of(const struct member *member)
{
    static const char key[] = "zone=";
    const struct tags *tags = member_tags(member);

    for (size_t at = 0; at < tags->length;) {
        const char *tag = tags->text + at;
        const size_t bytes = text_length(tag, tags->length - at);
        if (bytes >= sizeof key - 1 && memcmp(tag, key, sizeof key - 1) == 0) {
            return tag + sizeof key - 1;
        }
        at += bytes + 1;
    }
    return "";
}

/* Of those who are to vote. */
static uint32_t count_in_zone(const struct core *core, const struct voters_wish *wish,
                              const char *zone)
{
    uint32_t count = 0;

    for (uint8_t i = 0; i < wish->count; i++) {
        const uint32_t position = view_find_name(&core->view, wish->voters[i].name);
        count += position != VIEW_NONE && text_equal(zone_of(&core->view.members[position]), zone);
    }
    return count;
}

/* This node has watched it for T_flap, and knows whether itself has a disk. */
static bool has_stayed(const struct core *core, uint32_t position)
{
    if (core_is_self(core, position)) {
        return core->voter.has_disk;
    }
    return watch_is_on(core, position) && hearing_is_heard(core, position) &&
           core->now_ms >= core->peers[position].watch.begun_ms + core->timing.flap_ms;
}

static bool is_listed(const struct core *core, const char *name)
{
    return voter_lists_find_name(&core->view.voters, name) != VOTER_NONE;
}

/* Z17a: for one of those who do not stay it is itself, with another record. */
static bool is_eligible(const struct core *core, const struct voters_wish *wish, uint32_t position)
{
    const struct member *member = &core->view.members[position];
    const struct peer *peer = &core->peers[position];

    return !peer->franchise.unable && !peer->charge.leaves && !member->drained &&
           !tags_have(member_tags(member), "voter=no") && has_stayed(core, position) &&
           !is_wished(wish, member->name);
}

/* One of those who do not stay; or else of the zone that is the rarest among those who are to vote,
 * the oldest; VIEW_NONE: nobody. */
static uint32_t best_for(const struct core *core, const struct voters_wish *wish)
{
    uint32_t best = VIEW_NONE;
    uint32_t fewest = UINT32_MAX;

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct member *member = &core->view.members[i];
        if (!is_eligible(core, wish, i)) {
            continue;
        }
        if (is_listed(core, member->name)) {
            return i;
        }
        const uint32_t alike = count_in_zone(core, wish, zone_of(member));
        if (alike < fewest || (alike == fewest && member->age < core->view.members[best].age)) {
            best = i;
            fewest = alike;
        }
    }
    return best;
}

/* --- The choice --- */

static uint32_t size_wanted(const struct core *core)
{
    const uint32_t count = voter_lists_length(&core->view.voters);

    return count > core->plan.voters_target ? count : core->plan.voters_target;
}

/* Of one list: in two there may be more than a wish has room for. */
static struct voters_wish those_who_stay(const struct core *core)
{
    const struct voter_lists *lists = &core->view.voters;
    struct voters_wish wish = {.number = lists->number};

    for (uint8_t i = 0; i < lists->count; i++) {
        if (!is_overdue(core, &lists->voters[i])) {
            wish_for(&wish, lists->voters[i].name, false);
        }
    }
    return wish;
}

/* Of those who are overdue and not in it, who leased last. */
static uint8_t latest_overdue(const struct core *core, const struct voters_wish *wish)
{
    const struct voter_lists *lists = &core->view.voters;
    uint8_t latest = VOTER_NONE;

    for (uint8_t i = 0; i < lists->count; i++) {
        if (!is_wished(wish, lists->voters[i].name) &&
            (latest == VOTER_NONE ||
             overdue_ms(core, &lists->voters[i]) > overdue_ms(core, &lists->voters[latest]))) {
            latest = i;
        }
    }
    return latest;
}

/* Z17b: never fewer than there are; and more only when there are as many as are wanted. */
struct voters_wish autopilot_choice(const struct core *core)
{
    const uint32_t count = voter_lists_length(&core->view.voters);
    const uint32_t wanted = size_wanted(core);
    struct voters_wish wish = those_who_stay(core);
    const uint8_t stay = wish.count;

    while (wish.count < wanted) {
        const uint32_t best = best_for(core, &wish);
        if (best == VIEW_NONE) {
            break;
        }
        const char *name = core->view.members[best].name;
        wish_for(&wish, name, is_listed(core, name));
    }
    if (wish.count < wanted) {
        wish.count = wish.count < count ? wish.count : (uint8_t)count;
    }
    if (wish.count == stay) {
        wish.count = 0;
        return wish;
    }
    while (wish.count < count) {
        wish_for(&wish, core->view.voters.voters[latest_overdue(core, &wish)].name, false);
    }
    return wish;
}

/* --- When --- */

static bool is_in_charge(const struct core *core)
{
    return core->plan.voters_target > 0 && core_is_coordinator(core) &&
           core->life.phase == PHASE_MEMBER;
}

static bool lacks_any(const struct core *core)
{
    return those_who_stay(core).count < size_wanted(core);
}

/* Somebody whom its change would remove votes again, and the change has not been proposed. */
static bool is_for_nothing(const struct core *core)
{
    const struct voter_lists *lists = &core->voters_change.lists;

    if (core->voters_change.by != WISHER_AUTOPILOT || core->change.on ||
        voter_lists_are_joint(&core->view.voters)) {
        return false;
    }
    for (uint8_t i = 0; i < lists->count; i++) {
        if (!lists->voters[i].now && !is_overdue(core, &lists->voters[i])) {
            return true;
        }
    }
    return false;
}

/* When all have been tried, in vain, it begins again. */
static void forget_unable(struct core *core)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        electorate_note_unable(core, i, false);
    }
}

/* Z17b */
static uint64_t next_change_ms(const struct core *core)
{
    const struct autopilot *autopilot = &core->autopilot;
    const uint64_t changed_ms = autopilot->changed_ms;
    const uint64_t wished_ms = autopilot->wished_ms;

    return larger(changed_ms == 0 ? 0 : changed_ms + core->timing.replace_ms,
                  wished_ms == 0 ? 0 : wished_ms + core->timing.flap_ms);
}

static uint64_t next_overdue_ms(const struct core *core)
{
    uint64_t next_ms = NEVER_MS;

    for (uint8_t i = 0; i < core->view.voters.count; i++) {
        next_ms = earlier(next_ms, overdue_ms(core, &core->view.voters.voters[i]));
    }
    return next_ms;
}

/* The first of those who come, and the first who goes: perhaps the same one, with another record.
 */
static void tell(struct core *core, const struct voters_wish *wish)
{
    static const char by[] = "autopilot";
    const struct voter_lists *lists = &core->view.voters;
    struct notice *notice = outbox_notice(core, NOTICE_AUTOPILOT);

    memcpy(notice->by, by, sizeof by);
    for (uint8_t i = 0; i < wish->count && notice->subject.name[0] == '\0'; i++) {
        const struct wished_voter *voter = &wish->voters[i];
        if (voter->anew || !is_listed(core, voter->name)) {
            name_one(notice->subject.name, voter->name);
            name_one(notice->goes, voter->anew ? voter->name : "");
        }
    }
    for (uint8_t i = 0; i < lists->count && notice->goes[0] == '\0'; i++) {
        if (is_overdue(core, &lists->voters[i]) && !is_wished(wish, lists->voters[i].name)) {
            name_one(notice->goes, lists->voters[i].name);
        }
    }
}

static void consider(struct core *core)
{
    struct autopilot *autopilot = &core->autopilot;
    const struct voters_wish wish = autopilot_choice(core);

    autopilot->due_ms = core->now_ms + core->timing.flap_ms / 4;
    if (wish.count == 0) {
        if (!autopilot->lacks) {
            tell(core, &wish);
        }
        autopilot->lacks = true;
        if (core->now_ms >= autopilot->wished_ms + core->timing.replace_ms) {
            forget_unable(core);
        }
    } else if (voters_change_want(core, &wish, WISHER_AUTOPILOT) == UNAGREED_NOT) {
        REACHED(autopilot_began_a_change);
        tell(core, &wish);
        autopilot->lacks = false;
        autopilot->wished_ms = core->now_ms;
        autopilot->due_ms = core->now_ms + core->timing.discover_ms;
    }
}

static void look(struct core *core)
{
    struct autopilot *autopilot = &core->autopilot;
    const uint64_t next_ms = next_change_ms(core);

    autopilot->due_ms = core->now_ms + core->timing.discover_ms;
    if (voter_lists_are_joint(&core->view.voters)) {
        return;
    }
    if (!lacks_any(core)) {
        autopilot->lacks = false;
        autopilot->due_ms = larger(next_overdue_ms(core), next_ms);
    } else if (core->now_ms < next_ms) {
        autopilot->due_ms = next_ms;
    } else if (standing_is_acting(core, core->now_ms)) {
        consider(core);
    }
}

void autopilot_tick(struct core *core)
{
    struct autopilot *autopilot = &core->autopilot;

    if (!autopilot->on) {
        return;
    }
    if (core->voters_change.on) {
        autopilot->due_ms = core->now_ms + core->timing.discover_ms;
        if (is_for_nothing(core)) {
            REACHED(autopilot_ended_a_change);
            voters_change_reset(core);
        }
    } else if (core->now_ms >= autopilot->due_ms) {
        look(core);
    }
}

uint64_t autopilot_deadline_ms(const struct core *core)
{
    return core->autopilot.on ? core->autopilot.due_ms : NEVER_MS;
}

static bool is_another_list(const struct voter_lists *before, const struct voter_lists *now)
{
    return before->number != now->number ||
           voter_lists_are_joint(before) != voter_lists_are_joint(now);
}

void autopilot_on_view_installed(struct core *core, const struct installed *before)
{
    struct autopilot *autopilot = &core->autopilot;

    if (!is_in_charge(core)) {
        autopilot->on = false;
        return;
    }
    if (!autopilot->on) {
        *autopilot = (struct autopilot){.on = true, .begun_ms = core->now_ms};
    } else if (is_another_list(&before->view->voters, &core->view.voters)) {
        autopilot->changed_ms = core->now_ms;
    }
    autopilot->due_ms = core->now_ms;
}

void autopilot_reset(struct core *core)
{
    core->autopilot.on = false;
}

/* --- What it is about to do --- */

struct autopilot_state autopilot_outlook(const struct core *core)
{
    const struct voter_lists *lists = &core->view.voters;
    struct autopilot_state state = {.target = core->plan.voters_target};
    struct voters_wish others = {.number = lists->number};
    uint64_t first_ms = core->now_ms + core->timing.replace_ms - core->timing.lost_ms;
    uint8_t goes = VOTER_NONE;

    if (!core->autopilot.on || voter_lists_are_joint(lists)) {
        return state;
    }
    for (uint8_t i = 0; i < lists->count; i++) {
        if (overdue_ms(core, &lists->voters[i]) < first_ms) {
            first_ms = overdue_ms(core, &lists->voters[i]);
            goes = i;
        }
    }
    for (uint8_t i = 0; i < lists->count; i++) {
        if (i != goes) {
            wish_for(&others, lists->voters[i].name, false);
        }
    }
    if (goes != VOTER_NONE) {
        const uint64_t due_ms = larger(first_ms, next_change_ms(core));
        name_one(state.goes, lists->voters[goes].name);
        state.in_ms = due_ms > core->now_ms ? due_ms - core->now_ms : 0;
    }
    const uint32_t best = others.count < VOTERS_MAX ? best_for(core, &others) : VIEW_NONE;
    state.lacks = goes != VOTER_NONE || lists->count < core->plan.voters_target;
    if (state.lacks && best != VIEW_NONE) {
        name_one(state.comes, core->view.members[best].name);
    }
    return state;
}
