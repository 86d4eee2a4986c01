#include "core/agreement/voters_change.h"

#include <string.h>

#include "base/text.h"
#include "core/agreement/absent.h"
#include "core/agreement/electorate.h"
#include "core/agreement/voter.h"
#include "core/detection/lease.h"
#include "core/detection/standing.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"
#include "core/state/refuse.h"

/* --- The next step --- */

static const struct wished_voter *find_wished(const struct voters_wish *wish, const char *name)
{
    for (uint8_t i = 0; i < wish->count; i++) {
        if (text_equal(wish->voters[i].name, name)) {
            return &wish->voters[i];
        }
    }
    return NULL;
}

static bool is_witness(const struct wished_voter *wished)
{
    return !address_is_none(&wished->witness);
}

/* A voter that stays keeps its record; and a witness its address, which need not be said. */
static bool stays(const struct voters_wish *wish, const struct listed_voter *voter)
{
    const struct wished_voter *wished = find_wished(wish, voter->name);

    return voter->now && wished != NULL && !wished->anew &&
           (!is_witness(wished) ||
            (voter->witness && address_equal(&wished->witness, &voter->address)));
}

static bool is_newcomer(const struct listed_voter *voter)
{
    return voter->now && !voter->before;
}

static bool leases(const struct core *core, const struct listed_voter *voter)
{
    const uint32_t position = electorate_position(core, voter);
    const bool suspected = position != VIEW_NONE &&
                           core->peers[position].charge.verdict != VERDICT_NONE;

    return !suspected && lease_voter_until(core, &voter->record) > core->now_ms;
}

/* Z11f: who is no member leases only when it is asked, and may be counted on if it answers. */
static bool may_lease(const struct core *core, const struct listed_voter *voter)
{
    return leases(core, voter) ||
           (electorate_position(core, voter) == VIEW_NONE && absent_is_fresh(core, &voter->record));
}

static void add_newcomer(const struct core *core, struct voter_lists *lists,
                         const struct wished_voter *wished)
{
    struct listed_voter *voter = &lists->voters[lists->count++];
    const uint32_t position = view_find_name(&core->view, wished->name);

    *voter = (struct listed_voter){
        .now = true, .witness = is_witness(wished), .address = wished->witness};
    memcpy(voter->name, wished->name, sizeof voter->name);
    if (position != VIEW_NONE && !voter->witness) {
        voter->address = core->view.members[position].address;
    }
}

/* Those of now, as the list that is left; who stays is in the new one, too. */
static void begin_lists(const struct core *core, const struct voters_wish *wish,
                        struct voter_lists *lists)
{
    const struct voter_lists *from = &core->view.voters;

    lists->number = from->number + 1;
    lists->count = 0;
    for (uint8_t i = 0; i < from->count; i++) {
        if (from->voters[i].now) {
            struct listed_voter *voter = &lists->voters[lists->count++];
            *voter = from->voters[i];
            voter->before = true;
            voter->now = stays(wish, &from->voters[i]);
        }
    }
}

static bool is_to_come(const struct core *core, const struct voters_wish *wish,
                       const struct wished_voter *wished)
{
    const uint8_t place = voter_lists_find_name(&core->view.voters, wished->name);

    return place == VOTER_NONE || !stays(wish, &core->view.voters.voters[place]);
}

static void all_at_once(const struct core *core, const struct voters_wish *wish,
                        struct voter_lists *lists)
{
    begin_lists(core, wish, lists);
    for (uint8_t i = 0; i < wish->count; i++) {
        if (is_to_come(core, wish, &wish->voters[i])) {
            add_newcomer(core, lists, &wish->voters[i]);
        }
    }
}

static const struct wished_voter *first_to_come(const struct core *core,
                                                const struct voters_wish *wish)
{
    for (uint8_t i = 0; i < wish->count; i++) {
        if (is_to_come(core, wish, &wish->voters[i])) {
            return &wish->voters[i];
        }
    }
    return NULL;
}

/* Who makes way: the one that is to get another record, or one that is not to vote any more, rather
 * one that does not lease. */
static uint8_t who_leaves(const struct core *core, const struct voters_wish *wish,
                          const struct voter_lists *lists, const struct wished_voter *comes)
{
    uint8_t leaves = comes == NULL ? VOTER_NONE : voter_lists_find_name(lists, comes->name);

    for (uint8_t i = 0; leaves == VOTER_NONE && i < lists->count; i++) {
        if (find_wished(wish, lists->voters[i].name) == NULL && !leases(core, &lists->voters[i])) {
            leaves = i;
        }
    }
    for (uint8_t i = 0; leaves == VOTER_NONE && i < lists->count; i++) {
        if (find_wished(wish, lists->voters[i].name) == NULL) {
            leaves = i;
        }
    }
    return leaves;
}

/* Z11g: one newcomer in place of one of those who do not stay. */
static void one_for_one(const struct core *core, const struct voters_wish *wish,
                        struct voter_lists *lists)
{
    const struct wished_voter *comes = first_to_come(core, wish);

    begin_lists(core, wish, lists);
    const uint8_t leaves = who_leaves(core, wish, lists, comes);
    for (uint8_t i = 0; i < lists->count; i++) {
        lists->voters[i].now = i != leaves;
    }
    if (comes != NULL) {
        add_newcomer(core, lists, comes);
    }
}

/* Z11f: of the new list those who lease now, or at first who may; of newcomers only where one alone
 * votes so far, for then one of them is needed whatever is done. */
static bool suffices(const struct core *core, const struct voter_lists *lists, bool now)
{
    const bool with_newcomers = voter_lists_length(&core->view.voters) == 1;
    voter_set set = 0;

    for (uint8_t i = 0; i < lists->count; i++) {
        const struct listed_voter *voter = &lists->voters[i];
        const bool counts = now ? leases(core, voter) : may_lease(core, voter);
        if (is_newcomer(voter) ? with_newcomers : counts) {
            set |= voter_set_of(i);
        }
    }
    return voter_lists_agree(lists, set);
}

static bool changes_anything(const struct voter_lists *lists)
{
    for (uint8_t i = 0; i < lists->count; i++) {
        if (lists->voters[i].before != lists->voters[i].now) {
            return true;
        }
    }
    return false;
}

/* Z11g: for a start one more, and who makes way later. */
static void one_more(const struct core *core, const struct voters_wish *wish,
                     struct voter_lists *lists)
{
    const struct wished_voter *comes = first_to_come(core, wish);

    begin_lists(core, wish, lists);
    for (uint8_t i = 0; i < lists->count; i++) {
        lists->voters[i].now = true;
    }
    if (comes != NULL && !comes->anew) {
        add_newcomer(core, lists, comes);
    }
}

/* Z16d: witnesses alone never suffice. */
static bool rests_on_nodes(const struct voter_lists *lists)
{
    uint32_t witnesses = 0;

    for (uint8_t i = 0; i < lists->count; i++) {
        witnesses += lists->voters[i].now && lists->voters[i].witness;
    }
    return !quorum_is_majority(witnesses, voter_lists_length(lists));
}

static bool is_begun_with(const struct core *core, const struct voter_lists *lists)
{
    return suffices(core, lists, false) && changes_anything(lists) && rests_on_nodes(lists);
}

/* At once if that puts nothing at risk, or else step by step. Returns whether it may be begun. */
static bool make_lists(const struct core *core, const struct voters_wish *wish,
                       struct voter_lists *lists)
{
    all_at_once(core, wish, lists);
    if (is_begun_with(core, lists)) {
        return true;
    }
    one_for_one(core, wish, lists);
    if (is_begun_with(core, lists)) {
        return true;
    }
    one_more(core, wish, lists);
    return is_begun_with(core, lists);
}

/* --- What stands against it --- */

static bool is_reached(const struct core *core, const struct voters_wish *wish)
{
    uint8_t kept = 0;

    for (uint8_t i = 0; i < core->view.voters.count; i++) {
        kept += stays(wish, &core->view.voters.voters[i]);
    }
    return kept == wish->count && kept == voter_lists_length(&core->view.voters) &&
           !voter_lists_are_joint(&core->view.voters);
}

static bool are_names_sound(const struct voters_wish *wish)
{
    for (uint8_t i = 0; i < wish->count; i++) {
        if (wish->voters[i].name[0] == '\0' ||
            find_wished(wish, wish->voters[i].name) != &wish->voters[i]) {
            return false;
        }
    }
    return wish->count >= 1 && wish->count <= VOTERS_MAX;
}

static bool is_sound(const struct core *core, const struct voters_wish *wish)
{
    struct voter_lists lists;

    if (!are_names_sound(wish)) {
        return false;
    }
    all_at_once(core, wish, &lists);
    return rests_on_nodes(&lists);
}

/* Z16d: neither its name nor its address is a member's, or another voter's. One that is listed
 * under its name gives way to it, if that is a witness, and is to get another record. */
static bool may_be_witness(const struct core *core, const struct wished_voter *wished)
{
    const struct voter_lists *lists = &core->view.voters;
    const uint8_t place = voter_lists_find_name(lists, wished->name);

    for (uint8_t i = 0; i < lists->count; i++) {
        if (i != place && address_equal(&lists->voters[i].address, &wished->witness)) {
            return false;
        }
    }
    return (place == VOTER_NONE || (lists->voters[place].witness && wished->anew)) &&
           view_find_name(&core->view, wished->name) == VIEW_NONE &&
           view_find_address(&core->view, &wished->witness) == VIEW_NONE;
}

/* Z11e: who is to get a record has to be there to make one: a member, or a witness. */
static bool may_come(const struct core *core, const struct wished_voter *wished)
{
    return is_witness(wished) ? may_be_witness(core, wished)
                              : view_find_name(&core->view, wished->name) != VIEW_NONE;
}

static bool newcomers_may_come(const struct core *core, const struct voters_wish *wish)
{
    for (uint8_t i = 0; i < wish->count; i++) {
        if (is_to_come(core, wish, &wish->voters[i]) && !may_come(core, &wish->voters[i])) {
            return false;
        }
    }
    return true;
}

enum unagreed voters_change_against(const struct core *core, const struct voters_wish *wish)
{
    struct voter_lists lists;

    if (!core_is_member(core)) {
        return UNAGREED_NO_MEMBER;
    }
    if (!view_names_voters(&core->view)) {
        return UNAGREED_STRICT;
    }
    if (voter_lists_are_joint(&core->view.voters) || wish->number != core->view.voters.number) {
        return UNAGREED_UNDER_WAY;
    }
    if (!is_sound(core, wish) || !newcomers_may_come(core, wish)) {
        return UNAGREED_VOTERS;
    }
    if (is_reached(core, wish)) {
        return UNAGREED_SAME;
    }
    const bool may_begin = !core_is_coordinator(core) || (standing_is_acting(core, core->now_ms) &&
                                                          make_lists(core, wish, &lists));
    return may_begin ? UNAGREED_NOT : UNAGREED_GUARD;
}

/* --- Records of newcomers (Z11e) --- */

static void begin_step(struct core *core)
{
    struct voters_change *change = &core->voters_change;

    change->on = make_lists(core, &change->wish, &change->lists);
    asking_begin(&change->asking, core->now_ms, core->timing.leave_ms);
}

enum unagreed voters_change_want(struct core *core, const struct voters_wish *wish, enum wisher by)
{
    const enum unagreed against = voters_change_against(core, wish);

    if (against == UNAGREED_NOT && !core->voters_change.on) { /* Z11a: one at a time. */
        core->voters_change.by = by;
        core->voters_change.wish = *wish;
        begin_step(core);
    }
    return against;
}

static void expect_lease(struct core *core, const struct listed_voter *voter)
{
    const uint32_t position = electorate_position(core, voter);

    if (position != VIEW_NONE) {
        electorate_expect(core, position);
    }
}

static void note_record(struct core *core, uint8_t place, const struct node_id *record)
{
    struct listed_voter *voter = &core->voters_change.lists.voters[place];

    voter->record = *record;
    expect_lease(core, voter);
}

static void ask_for_record(struct core *core, uint8_t place)
{
    const struct listed_voter *voter = &core->voters_change.lists.voters[place];
    const uint32_t position = electorate_position(core, voter);

    if (position != VIEW_NONE && core_is_self(core, position)) {
        if (voter_has_new_record(core, core->view.lineage)) {
            note_record(core, place, &core->voter.record.id);
        }
        return;
    }
    struct message *message = outbox_message(core, MESSAGE_CLAIM);
    if (message != NULL) {
        message->carrier.lineage = core->view.lineage;
        message->carrier.named = view_reference_of(&core->view);
    }
    if (position != VIEW_NONE) {
        outbox_send(core, message, position);
    } else if (voter->witness) {
        electorate_ask_stranger(core, message, NULL, &voter->address);
    }
}

/* Whom the plan counted on, and who does not answer: there may be another one. */
static void plan_again(struct core *core)
{
    struct voters_change *change = &core->voters_change;
    struct voter_lists lists;

    if (!suffices(core, &change->lists, false) && make_lists(core, &change->wish, &lists)) {
        change->lists = lists;
    }
}

/* Who has one is asked for its lease, like the voters, so that acting does not end when it counts.
 */
static void ask_newcomers(struct core *core)
{
    const struct voter_lists *lists = &core->voters_change.lists;

    core->voters_change.asking.again_ms = core->now_ms + core->timing.prepare_ms / 3;
    plan_again(core);
    for (uint8_t i = 0; i < lists->count; i++) {
        const struct listed_voter *voter = &lists->voters[i];
        if (is_newcomer(voter) && id_is_none(&voter->record)) {
            ask_for_record(core, i);
        }
        if (is_newcomer(voter)) {
            expect_lease(core, voter);
        }
    }
    standing_ask(core);
}

/* Z15c, Z15e: who is new knows nothing of what former coordinators granted, nor of what this one
 * was told, and granted, by longer durations. */
static bool is_past_over(const struct core *core)
{
    return core->now_ms >= core->candidacy.held_until_ms &&
           core->now_ms >= core->lease.longer_over_ms;
}

static bool is_ready(const struct core *core)
{
    const struct voter_lists *lists = &core->voters_change.lists;

    for (uint8_t i = 0; i < lists->count; i++) {
        if (is_newcomer(&lists->voters[i]) && !leases(core, &lists->voters[i])) {
            return false;
        }
    }
    return suffices(core, lists, true) && standing_is_acting(core, core->now_ms) &&
           is_past_over(core) && voter_lists_are_sound(lists);
}

/* A member answers under its name, and a witness from its address (Z16d). */
static bool is_of(const struct core *core, const struct message *vote,
                  const struct listed_voter *voter)
{
    const uint32_t position = view_find(&core->view, &vote->from);

    return voter->witness ? position == VIEW_NONE && address_equal(&vote->source, &voter->address)
                          : position != VIEW_NONE &&
                                text_equal(voter->name, core->view.members[position].name);
}

void voters_change_on_vote(struct core *core, const struct message *vote)
{
    const struct voters_change *change = &core->voters_change;
    const struct vote_answer *answer = &vote->carrier.vote;

    for (uint8_t i = 0; change->on && i < change->lists.count; i++) {
        const struct listed_voter *voter = &change->lists.voters[i];
        if (is_newcomer(voter) && answer->result == VOTE_GRANTED && !id_is_none(&answer->record) &&
            vote->carrier.lineage == core->view.lineage && is_of(core, vote, voter)) {
            note_record(core, i, &answer->record);
            standing_ask(core);
            return;
        }
    }
    refuse(core, vote, REFUSED_NOT_FOUNDING);
}

/* --- The two views (Z11b) --- */

/* This coordinator has committed the first one, or found it: it can only go on (Z11d). */
static bool is_unsettled(const struct core *core)
{
    return voter_lists_are_joint(&core->view.voters);
}

static void settle(struct voter_lists *lists)
{
    uint8_t count = 0;

    for (uint8_t i = 0; i < lists->count; i++) {
        if (lists->voters[i].now) {
            lists->voters[count] = lists->voters[i];
            lists->voters[count++].before = false;
        }
    }
    lists->count = count;
}

bool voters_change_build(struct core *core, struct view *next)
{
    if (is_unsettled(core)) {
        REACHED(voters_settled);
        settle(&next->voters);
        return true;
    }
    /* Z15e: the same view must not make them shorter. */
    const bool keeps_terms = agreed_equal(&next->agreed, &core->view.agreed);
    if (keeps_terms && core->voters_change.on && is_ready(core)) {
        REACHED(voters_changed);
        voter_lists_copy(&next->voters, &core->voters_change.lists);
        return true;
    }
    return false;
}

/* Z17a: whoever gave no record, or does not lease by it, has no disk, or cannot write to it. */
static void note_unable(struct core *core)
{
    const struct voter_lists *lists = &core->voters_change.lists;

    for (uint8_t i = 0; i < lists->count; i++) {
        const uint32_t position = electorate_position(core, &lists->voters[i]);
        if (is_newcomer(&lists->voters[i]) && position != VIEW_NONE &&
            !leases(core, &lists->voters[i])) {
            electorate_note_unable(core, position, true);
        }
    }
}

void voters_change_tick(struct core *core)
{
    struct voters_change *change = &core->voters_change;

    if (!change->on) {
        return;
    }
    if (!core_is_coordinator(core)) {
        change->on = false;
    } else if (asking_is_over(&change->asking, core->now_ms)) {
        note_unable(core);
        change->on = false;
    } else if (asking_is_due(&change->asking, core->now_ms) && !core->change.on) {
        ask_newcomers(core);
    }
}

uint64_t voters_change_deadline_ms(const struct core *core)
{
    const struct voters_change *change = &core->voters_change;

    if (!change->on) {
        return NEVER_MS;
    }
    return core->change.on ? change->asking.until_ms : asking_deadline_ms(&change->asking);
}

/* Who got another record has it now. */
static void note_what_came(struct core *core, const struct view *before)
{
    struct voters_wish *wish = &core->voters_change.wish;

    for (uint8_t i = 0; i < wish->count; i++) {
        const char *name = wish->voters[i].name;
        const uint8_t was = voter_lists_find_name(&before->voters, name);
        const uint8_t is = voter_lists_find_name(&core->view.voters, name);
        if (was != VOTER_NONE && is != VOTER_NONE &&
            !id_equal(&before->voters.voters[was].record, &core->view.voters.voters[is].record)) {
            wish->voters[i].anew = false;
        }
    }
}

/* One by another, or by another record of its own. */
static void count_replaced(struct core *core, const struct voter_lists *before)
{
    uint64_t come = 0;
    uint64_t go = 0;

    if (!core->voters_change.on || voter_lists_are_joint(&core->view.voters)) {
        return;
    }
    for (uint8_t i = 0; i < before->count; i++) {
        come += is_newcomer(&before->voters[i]);
        go += !before->voters[i].now;
    }
    core->counters.voters_replaced[core->voters_change.by] += come < go ? come : go;
}

/* Z16a: who is no member hears of it from nobody else. */
static void tell_who_went(struct core *core, const struct voter_lists *before)
{
    struct message *message = NULL;

    for (uint8_t i = 0; core_is_coordinator(core) && i < before->count; i++) {
        const struct listed_voter *voter = &before->voters[i];
        if (electorate_position(core, voter) == VIEW_NONE &&
            voter_lists_find(&core->view.voters, &voter->record) == VOTER_NONE) {
            message = message == NULL ? outbox_message(core, MESSAGE_VIEW) : message;
            if (message != NULL) {
                message->carrier.view = &core->view;
            }
            electorate_ask_stranger(core, message, NULL, electorate_address(core, voter));
        }
    }
}

void voters_change_on_view_installed(struct core *core, const struct installed *before)
{
    struct voters_change *change = &core->voters_change;

    tell_who_went(core, &before->view->voters);
    if (!change->on) {
        return;
    }
    count_replaced(core, &before->view->voters);
    note_what_came(core, before->view);
    /* Z11a: if another change came in between, this one was of a number that is over. */
    const bool is_ours = core->view.voters.number < change->lists.number ||
                         voter_lists_follow(&change->lists, &core->view.voters);
    change->on = core_is_coordinator(core) && is_ours && !is_reached(core, &change->wish);
    if (change->on && !is_unsettled(core) && core->view.voters.number >= change->lists.number) {
        begin_step(core);
    }
}

/* Z11d */
bool voters_change_give_up(struct core *core)
{
    const struct view *pending = &core->change.pending;

    if (!core_is_coordinator(core) || pending->epoch != core->view.epoch ||
        pending->voters.number == core->view.voters.number) {
        return false;
    }
    REACHED(voters_given_up);
    core->voters_change.on = false;
    return true;
}

bool voters_change_is_due(const struct core *core)
{
    return core_is_coordinator(core) && core->life.phase == PHASE_MEMBER &&
           (is_unsettled(core) || (core->voters_change.on && is_ready(core)));
}

void voters_change_reset(struct core *core)
{
    core->voters_change.on = false;
}
