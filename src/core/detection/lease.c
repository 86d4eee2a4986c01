#include "core/detection/lease.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"
#include "core/detection/numbers.h"
#include "core/detection/verdict.h"
#include "core/detection/watch.h"

/* Two marks are this far apart at least, so that all of them together reach back further than a
 * lease lasts. */
static uint64_t spacing_ms(const struct core *core)
{
    return core->timing.lost_ms_shortest / (LEASE_MARKS - LEASE_MARKS / 4);
}

/* The latest mark but `ago`. */
static const struct lease_mark *mark_at(const struct core *core, uint32_t ago)
{
    return &core->lease.marks[(core->lease.latest + LEASE_MARKS - ago) % LEASE_MARKS];
}

void lease_mark(struct core *core)
{
    const struct lease_mark *last = mark_at(core, 0);

    core->lease.asked_ms = core->now_ms;
    lease_on_answer(
        core, core->position,
        core->now_ms); /* This node's own word is one lease of those that it takes to act. */
    if (last->number != 0 && core->now_ms < last->ms + spacing_ms(core)) {
        return;
    }
    core->lease.latest = (core->lease.latest + 1) % LEASE_MARKS;
    core->lease.marks[core->lease.latest] = (struct lease_mark){
        .number = core->out.number + 1,
        .ms = core->now_ms,
    };
}

/* Z6b: no question of before is answered any more, so that what counts was asked with the lengths
 * of now. Z15e: what was told by a longer T_lease, or granted by a longer T_hold, is over when that
 * T_hold has passed, for no T_lease is longer than the T_hold beside it. */
void lease_on_timing(struct core *core, const struct timing *before)
{
    const uint64_t hold_ms = timing_hold_ms(before);

    if (core->timing.lease_ms < before->lease_ms || timing_hold_ms(&core->timing) < hold_ms) {
        core->lease.longer_over_ms = larger(core->lease.longer_over_ms, core->now_ms + hold_ms);
    }
    numbers_ask_anew(core);
}

/* The number that was echoed: the highest sent that has these low bits. */
static uint64_t number_of(const struct core *core, uint32_t echo)
{
    uint64_t number = (core->out.number & ~(uint64_t)UINT32_MAX) | echo;

    return number <= core->out.number ? number : number - UINT32_MAX - 1;
}

/* False if the echo is 0, for its sender has heard nothing yet, or names a number that was never
 * sent. */
static bool names_a_message(const struct core *core, uint32_t echo)
{
    return echo != 0 && (core->out.number > UINT32_MAX || echo <= core->out.number);
}

/* The last mark before what is echoed was sent; NULL: that is forgotten, or never was. */
static const struct lease_mark *mark_echoed(const struct core *core, uint32_t echo)
{
    const uint64_t number = names_a_message(core, echo) ? number_of(core, echo) : 0;

    for (uint32_t ago = 0; ago < LEASE_MARKS; ago++) {
        const struct lease_mark *mark = mark_at(core, ago);
        if (mark->number != 0 && mark->number <= number) {
            return mark;
        }
    }
    return NULL;
}

void lease_on_echo(struct core *core, uint32_t position, uint32_t echo)
{
    const struct lease_mark *mark = mark_echoed(core, echo);

    if (mark != NULL) {
        lease_on_answer(core, position, mark->ms);
    }
}

void lease_on_answer(struct core *core, uint32_t position, uint64_t asked_ms)
{
    struct peer_lease *lease = &core->peers[position].lease;

    lease->asked_ms = larger(lease->asked_ms, asked_ms);
}

uint64_t lease_span_ms(const struct core *core)
{
    return core->spans.lease_ms;
}

uint64_t lease_of(const struct core *core, uint32_t position)
{
    const uint64_t asked_ms = core->peers[position].lease.asked_ms;

    return asked_ms == 0 ? 0 : asked_ms + lease_span_ms(core);
}

/* G1a: a member that follows another coordinator is counted over there. What names another epoch of
 * this one may be of a reign that is over, and late by any time. */
static bool follows_us(const struct core *core, uint32_t position)
{
    const struct peer *peer = &core->peers[position];

    return peer->charge.verdict == VERDICT_NONE && peer->signs.view.epoch == core->view.epoch &&
           id_equal(&peer->signs.view.coordinator, &core->life.self.id);
}

static bool is_voter(const struct core *core, uint32_t position)
{
    const struct peer_franchise *franchise = &core->peers[position].franchise;

    return franchise->voter || franchise->newcomer;
}

/* Does the lease of the member at `position`, if it has one, count for this reign? */
static bool counts(const struct core *core, uint32_t position)
{
    return core_is_self(core, position) || follows_us(core, position);
}

/* Who may have been asked: as many of the oldest as are asked with PING, and whoever else is
 * watched, for heartbeats ask, too. */
struct asked {
    uint32_t oldest;
    uint32_t watched; /* from this index on they are none of those */
    uint32_t count;
};

static struct asked all_asked(const struct core *core)
{
    const uint32_t end = larger32(core->lease.asked_end, core->plan.leases_asked + 1);
    struct asked asked = {.oldest = end < core->view.member_count ? end : core->view.member_count};

    while (asked.watched < watch_count(core) && watch_at(core, asked.watched) < asked.oldest) {
        asked.watched++;
    }
    asked.count = asked.oldest + watch_count(core) - asked.watched;
    return asked;
}

static uint32_t asked_at(const struct core *core, const struct asked *asked, uint32_t index)
{
    return index < asked->oldest ? index : watch_at(core, asked->watched + index - asked->oldest);
}

/* --- Voters under strict: by their records, members or not (Z10b) --- */

uint64_t lease_voter_until(const struct core *core, const struct node_id *record)
{
    const struct voter_lease *lease = core_voter_lease(core, record);

    return lease != NULL && lease->epoch == core->view.epoch ? lease->until_ms : 0;
}

uint64_t lease_voter_last_ms(const struct core *core, const struct node_id *record)
{
    const struct voter_lease *lease = core_voter_lease(core, record);

    return lease == NULL ? 0 : lease->until_ms;
}

static uint64_t voter_leases_until(const struct core *core, uint8_t place)
{
    return lease_voter_until(core, &core->view.voters.voters[place].record);
}

static voter_set voters_leasing(const struct core *core, voter_set among, uint64_t at_ms)
{
    voter_set set = 0;

    for (uint8_t i = 0; i < core->view.voters.count; i++) {
        const bool is_asked_about = (among & voter_set_of(i)) != 0;
        set |= is_asked_about && voter_leases_until(core, i) > at_ms ? voter_set_of(i) : 0;
    }
    return set;
}

static voter_set all_voters(const struct core *core)
{
    return voter_lists_all(&core->view.voters);
}

struct voter_count lease_of_voters(const struct core *core, uint64_t at_ms)
{
    return voter_lists_count(&core->view.voters, voters_leasing(core, all_voters(core), at_ms));
}

uint32_t lease_holders(const struct core *core, uint64_t at_ms)
{
    const struct asked asked = all_asked(core);
    uint32_t count = 0;

    for (uint32_t k = 0; k < asked.count; k++) {
        const uint32_t i = asked_at(core, &asked, k);
        count += lease_of(core, i) > at_ms && counts(core, i);
    }
    return count;
}

/* The loop looks no further than it needs: where most have leases, at little more members than are
 * needed, however many there are. */
static bool is_held_by(const struct core *core, uint32_t count, uint64_t at_ms)
{
    if (count > core->view.member_count) {
        return false;
    }
    const struct asked asked = all_asked(core);
    uint32_t left = count;

    for (uint32_t k = 0; left > 0 && k < asked.count; k++) {
        const uint32_t i = asked_at(core, &asked, k);
        left -= lease_of(core, i) > at_ms && counts(core, i);
    }
    return left == 0;
}

static bool are_enough(const struct core *core, voter_set among, uint64_t at_ms)
{
    return voter_lists_agree(&core->view.voters, voters_leasing(core, among, at_ms));
}

bool lease_is_exclusive(const struct core *core, uint64_t at_ms)
{
    return are_enough(core, all_voters(core), at_ms);
}

bool lease_is_enough(const struct core *core, uint64_t at_ms)
{
    return lease_is_exclusive(core, at_ms) || is_held_by(core, core->plan.leases_needed, at_ms);
}

/* Not before its lease is about to end is anybody asked whom a heartbeat can ask. */
static bool lasts(const struct core *core, uint32_t position)
{
    return core->plan.by_heartbeat > 0 && !core->agreed.joint &&
           lease_of(core, position) > core->now_ms + timing_renewal_ms(&core->timing);
}

/* D8f: whom it asks, the oldest first; while terms change, all (A2b). */
static bool may_be_asked(const struct core *core, uint32_t position)
{
    if (core_is_self(core, position)) {
        return false;
    }
    return is_voter(core, position) || core->agreed.joint ||
           (core->plan.by_heartbeat > 0 && follows_us(core, position));
}

void lease_ask(struct core *core, uint32_t count)
{
    uint32_t left = count;

    lease_mark(core);
    core->lease.asked_end = 0;
    for (uint32_t i = 0; left > 0 && i < core->view.member_count; i++) {
        if (!may_be_asked(core, i)) {
            continue;
        }
        const bool is_silent = numbers_is_unanswered(core, i);
        const bool has_leased = lasts(core, i);
        if (!has_leased) {
            (void)numbers_ask(core, i);
        }
        left -= has_leased || !is_silent;
        core->lease.asked_end = i + 1;
    }
}

/* The last moment before `before_ms` at which leases run out, and how many do then; 0: there is
 * none. */
static uint64_t lease_end_before(const struct core *core, uint64_t before_ms, uint32_t *count)
{
    const struct asked asked = all_asked(core);
    uint64_t end_ms = 0;

    *count = 0;
    for (uint32_t k = 0; k < asked.count; k++) {
        const uint32_t i = asked_at(core, &asked, k);
        uint64_t lease_ms = lease_of(core, i);
        if (lease_ms >= before_ms || lease_ms < end_ms || !counts(core, i)) {
            continue;
        }
        *count = lease_ms > end_ms ? 1 : *count + 1;
        end_ms = lease_ms;
    }
    return end_ms;
}

/* At one of the moments at which leases run out, the last before which a quorum has them. */
static uint64_t voters_lease_until(const struct core *core, voter_set among, uint64_t now_ms)
{
    uint64_t until_ms = now_ms;

    for (uint8_t i = 0; i < core->view.voters.count; i++) {
        const uint64_t end_ms = voter_leases_until(core, i);
        if (end_ms > until_ms && are_enough(core, among, end_ms - 1)) {
            until_ms = end_ms;
        }
    }
    return until_ms > now_ms ? until_ms : 0;
}

static voter_set members_of_voters(const struct core *core)
{
    voter_set members = 0;

    for (uint8_t i = 0; i < core->view.voters.count; i++) {
        members |= core->electorate.positions[i] != VIEW_NONE ? voter_set_of(i) : 0;
    }
    return members;
}

uint64_t lease_members_until(const struct core *core)
{
    return voters_lease_until(core, members_of_voters(core), core->now_ms);
}

uint64_t lease_acts_until(const struct core *core, uint64_t now_ms)
{
    /* Z15e: some may have leased for longer (Z15a, Z16b), and voters that are to come would not. */
    const uint64_t voters_ms = earlier(voters_lease_until(core, all_voters(core), now_ms),
                                       now_ms + lease_span_ms(core));

    return larger(voters_ms, lease_until(core, core->plan.leases_needed, now_ms));
}

uint64_t lease_until(const struct core *core, uint32_t count, uint64_t now_ms)
{
    uint64_t until_ms = NEVER_MS;

    if (count > core->view.member_count) {
        return 0;
    }
    /* Leases run out at few moments, for an echo is as old as a mark. */
    for (uint32_t holders = 0, ending; holders < count; holders += ending) {
        until_ms = lease_end_before(core, until_ms, &ending);
        if (until_ms <= now_ms) {
            return 0;
        }
    }
    return until_ms;
}

/* --- Under guard strict --- */

static const struct listed_voter *find_in(const struct voter_lists *lists,
                                          const struct node_id *record)
{
    const uint8_t place = id_is_none(record) ? VOTER_NONE : voter_lists_find(lists, record);

    return place == VOTER_NONE ? NULL : &lists->voters[place];
}

const struct listed_voter *lease_voter(const struct core *core, const struct node_id *record)
{
    const struct listed_voter *voter = find_in(&core->view.voters, record);

    return core->voters_change.on && voter == NULL ? find_in(&core->voters_change.lists, record)
                                                   : voter;
}

/* There are no more voters than places, so one of them is of nobody who votes any more. */
static struct voter_lease *lease_for(struct core *core, const struct node_id *record)
{
    struct voter_lease *place = NULL;

    for (uint32_t i = 0; i < VOTERS_LISTED_MAX; i++) {
        struct voter_lease *lease = &core->lease.voters[i];
        if (id_equal(&lease->record, record)) {
            return lease;
        }
        if (place == NULL && lease_voter(core, &lease->record) == NULL) {
            place = lease;
        }
    }
    if (place != NULL) {
        *place = (struct voter_lease){.record = *record,
                                      .writes = {.least = UINT64_MAX, .since_ms = core->now_ms}};
    }
    return place;
}

/* Z15a: the lease counts for as long as that question asked. */
static void grant(struct core *core, const struct node_id *record, uint64_t epoch,
                  uint64_t asked_ms, uint64_t lease_ms)
{
    const uint64_t until_ms = asked_ms + timing_act_ms(lease_ms);
    const uint64_t hold_ms = timing_hold_ms(&core->timing);
    struct voter_lease *lease = lease_for(core, record);

    if (lease == NULL) {
        return;
    }
    if (epoch > lease->epoch) {
        lease->epoch = epoch;
        lease->until_ms = until_ms;
        lease->hold_ms = hold_ms;
    } else if (epoch == lease->epoch) {
        lease->until_ms = larger(lease->until_ms, until_ms);
        lease->hold_ms = larger(lease->hold_ms, hold_ms);
    }
}

/* Z5c: where a voter says so twice, no take-over is under way from which a view will come. */
static void note_promise(struct core *core, const struct node_id *record, uint64_t promised)
{
    struct voter_lease *lease = lease_for(core, record);

    if (lease == NULL) {
        return;
    }
    if (promised > core->view.epoch && promised == lease->promised) {
        verdict_evidence_changed(core);
    }
    lease->promised = promised;
}

/* A number that one frame made up is taken back by the next true one (H48); the true voter of an
 * older copy has no other one to take back, for what is known never sinks. */
static void note_writes(struct core *core, const struct node_id *record, uint64_t number)
{
    struct voter_lease *lease = lease_for(core, record);
    struct writes_said *said = lease == NULL ? NULL : &lease->writes;

    if (said == NULL) {
        return;
    }
    const bool is_less = number < said->least;
    if (is_less || core->now_ms >= said->since_ms + core->timing.lost_ms) {
        said->known = is_less ? said->known : larger(said->known, said->least);
        said->least = number;
        said->since_ms = core->now_ms;
    }
}

void lease_take(struct core *core, const struct lease_said *said, uint64_t asked_ms,
                uint64_t lease_ms)
{
    if (said->leased && said->writes >= core_writes_known(core, &said->record)) {
        grant(core, &said->record, said->promised, asked_ms, lease_ms);
    }
}

void lease_note_said(struct core *core, const struct lease_said *said)
{
    note_promise(core, &said->record, said->promised);
    note_writes(core, &said->record, said->writes);
}

/* A member speaks for the voter of its own name alone. */
static bool speaks_for(const struct core *core, uint32_t position, const struct node_id *record)
{
    const struct listed_voter *voter = lease_voter(core, record);

    return voter != NULL && !voter->witness &&
           text_equal(voter->name, core->view.members[position].name);
}

uint64_t lease_hold_ms(const struct core *core)
{
    uint64_t hold_ms = timing_hold_ms(&core->timing);

    for (uint8_t i = 0; i < core->view.voters.count; i++) {
        const struct node_id *record = &core->view.voters.voters[i].record;
        const struct voter_lease *lease = core_voter_lease(core, record);
        if (lease != NULL && voter_leases_until(core, i) > core->now_ms) {
            hold_ms = earlier(hold_ms, lease->hold_ms);
        }
    }
    return hold_ms;
}

void lease_on_said(struct core *core, const struct message *pong, uint32_t position)
{
    const struct lease_said *said = &pong->ping.said;

    if (!pong->fellow || said->promised == 0 || !speaks_for(core, position, &said->record) ||
        !numbers_is_of_own_question(core, pong, position)) {
        return;
    }
    const struct lease_mark *mark = mark_echoed(core, pong->echo);
    if (mark != NULL) {
        lease_take(core, said, mark->ms, core->timing.lease_ms);
    }
    lease_note_said(core, said);
}

void lease_grant_own(struct core *core)
{
    grant(core, &core->voter.record.id, core->view.epoch, core->now_ms, core->timing.lease_ms);
}

void lease_reset(struct core *core)
{
    struct leases kept = {.latest = 0};

    for (uint32_t i = 0; i < VOTERS_LISTED_MAX; i++) {
        kept.voters[i] = (struct voter_lease){.record = core->lease.voters[i].record,
                                              .writes = core->lease.voters[i].writes};
    }
    core->lease = kept;
}
