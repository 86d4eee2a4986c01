#include "core/agreement/absent.h"

#include <string.h>

#include "base/hash.h"
#include "core/agreement/electorate.h"
#include "core/detection/lease.h"
#include "core/detection/numbers.h"
#include "core/state/outbox.h"

enum {
    ASK_AGAIN_MS = 20,   /* no sooner, however near it is */
    ROUND_TRIPS = 10,    /* a lease is to last for so many */
    SMOOTHED_BY = 8,     /* one answer that came sooner counts for a part of that */
    LIVES_FOR_PARTS = 4, /* of T_replace: so often it is asked in vain that it lives */
};

/* --- What is known of one --- */

const struct absent_voter *absent_find(const struct core *core, const struct node_id *record)
{
    for (uint32_t i = 0; i < VOTERS_LISTED_MAX; i++) {
        if (id_equal(&core->absent.voters[i].record, record) && !id_is_none(record)) {
            return &core->absent.voters[i];
        }
    }
    return NULL;
}

/* There are no more voters than places, so one of them is of nobody who votes any more. */
static struct absent_voter *place_for(struct core *core, const struct node_id *record)
{
    struct absent_voter *place = NULL;

    for (uint32_t i = 0; i < VOTERS_LISTED_MAX; i++) {
        struct absent_voter *known = &core->absent.voters[i];
        if (id_equal(&known->record, record)) {
            return known;
        }
        if (place == NULL && lease_voter(core, &known->record) == NULL) {
            place = known;
        }
    }
    if (place != NULL) {
        *place = (struct absent_voter){.record = *record};
    }
    return place;
}

static bool is_answered(const struct absent_voter *known)
{
    return known->heard_ms != 0 && known->heard_ms == known->asked_ms;
}

bool absent_is_fresh(const struct core *core, const struct node_id *record)
{
    const struct absent_voter *known = absent_find(core, record);

    return known != NULL && known->heard_ms != 0 &&
           (is_answered(known) || core->now_ms < known->answered_ms + core->timing.fresh_ms);
}

/* --- What is asked --- */

/* Z16b: a multiple of T_lease, so that it changes seldom: a longer one has to be written first. */
static uint64_t length_ms(const struct core *core, const struct absent_voter *known)
{
    const struct listed_voter *voter = lease_voter(core, &known->record);
    const uint64_t most_ms = voter != NULL && voter->witness ? LEASE_MS_MAX : core->timing.stall_ms;
    const uint64_t least_ms = core->timing.lease_ms;
    const uint64_t times = (ROUND_TRIPS * known->rtt_ms + least_ms - 1) / least_ms;

    return earlier(least_ms * larger(times, 1), larger(most_ms, least_ms));
}

/* The time at which it is sent, in its upper half, and in the lower one what nobody knows who was
 * not asked so: for which record, under which epoch, and for how long. */
static uint64_t nonce_of(const struct core *core, const struct node_id *record, uint64_t lease_ms,
                         uint64_t sent_ms)
{
    uint64_t hash = hash_u64(hash_u64(core->life.salt, ~core->secret), sent_ms);

    hash = hash_bytes(hash, record->bytes, sizeof record->bytes);
    hash = hash_u64(hash_u64(hash, core->view.epoch), lease_ms);
    hash = hash_u64(hash, timing_hold_ms(&core->timing));
    return sent_ms << 32 | (uint32_t)hash_finish(hash_u64(hash, core->secret));
}

/* When the question went that has this nonce; 0: this coordinator did not ask so. */
static uint64_t sent_with(const struct core *core, const struct absent_voter *known, uint64_t nonce)
{
    uint64_t sent_ms = (core->now_ms & ~(uint64_t)UINT32_MAX) | nonce >> 32;

    if (sent_ms > core->now_ms) {
        sent_ms -= (uint64_t)UINT32_MAX + 1;
    }
    return nonce_of(core, &known->record, length_ms(core, known), sent_ms) == nonce ? sent_ms : 0;
}

static void ask(struct core *core, const struct listed_voter *voter)
{
    struct absent_voter *known = place_for(core, &voter->record);
    struct message *message = known == NULL ? NULL : outbox_message(core, MESSAGE_PING);

    if (message == NULL) {
        return;
    }
    const uint64_t lease_ms = length_ms(core, known);
    known->asked_ms = core->now_ms;
    message->ping = (struct ping){
        .nonce = nonce_of(core, &voter->record, lease_ms, core->now_ms),
        .subject = voter->record,
        .origin = core->life.self.id,
        .asked = numbers_lease_wanted(core),
    };
    message->ping.asked.lease_ms = lease_ms;
    message->ping.asked.record = voter->record;
    message->ping.asked.writes = core_writes_known(core, &voter->record);
    electorate_ask_stranger(core, message, NULL, electorate_address(core, voter));
}

uint64_t absent_bound_until(const struct core *core)
{
    const struct voter_lists *lists = &core->view.voters;
    const voter_set absent = electorate_absent(core, lists);
    uint64_t until_ms = 0;

    for (uint8_t i = 0; i < lists->count; i++) {
        const struct absent_voter *known = absent_find(core, &lists->voters[i].record);
        if (known != NULL && (absent & voter_set_of(i)) != 0) {
            until_ms = larger(until_ms, known->asked_ms + length_ms(core, known));
        }
    }
    return voter_lists_agree(lists, voter_lists_all(lists) & ~absent) ? 0 : until_ms;
}

/* --- When --- */

/* Z16b: a round of questions to the members is over, and those who are there have answered it. */
static uint64_t needed_from_ms(const struct core *core)
{
    const uint64_t until_ms = lease_members_until(core);
    const uint64_t asked_ms = until_ms - earlier(until_ms, lease_span_ms(core));
    const uint64_t round_ms = timing_round_ms(&core->timing) * (100 + ROUND_JITTER_PERCENT) / 100;

    return until_ms == 0 || core->voters_change.on
               ? 0
               : asked_ms + round_ms + timing_question_ms(&core->timing) / 2;
}

/* Again when half of its lease is over, so that there is time for some more questions. */
static uint64_t renewed_from_ms(const struct core *core, const struct listed_voter *voter,
                                const struct absent_voter *known)
{
    const uint64_t until_ms = lease_voter_until(core, &voter->record);

    return until_ms - earlier(until_ms, timing_act_ms(length_ms(core, known)) / 2);
}

/* Who has acted until just now, or has just come to reign, asks as often as makes sense. */
static uint64_t pause_ms(const struct core *core, const struct absent_voter *known)
{
    const bool in_time = core->standing.told_acting ||
                         core->now_ms < core->standing.idle_ms + core->timing.lost_ms;

    return in_time ? larger(known->rtt_ms / 2, ASK_AGAIN_MS) : timing_round_ms(&core->timing);
}

/* Also whether it lives, and for as long as it will be asked, so that this is on its disk. */
static uint64_t seldom_ms(const struct core *core, const struct listed_voter *voter,
                          const struct absent_voter *known)
{
    const bool knows_us = is_answered(known) && lease_voter_until(core, &voter->record) != 0;

    return knows_us ? timing_replace_ms(&core->timing) / LIVES_FOR_PARTS : core->timing.lost_ms;
}

static uint64_t ask_ms(const struct core *core, const struct listed_voter *voter)
{
    const struct absent_voter *known = absent_find(core, &voter->record);

    if (known == NULL || known->asked_ms == 0) {
        return core->now_ms;
    }
    const uint64_t needed_ms = larger(needed_from_ms(core), renewed_from_ms(core, voter, known));
    return earlier(larger(needed_ms, known->asked_ms + pause_ms(core, known)),
                   known->asked_ms + seldom_ms(core, voter, known));
}

static bool is_absent(const struct core *core, const struct listed_voter *voter)
{
    return !id_is_none(&voter->record) && !electorate_is_self(core, voter) &&
           electorate_position(core, voter) == VIEW_NONE &&
           !address_is_none(electorate_address(core, voter));
}

/* Under strict the coordinator that reigns asks; nobody else. */
static bool asks(const struct core *core)
{
    return numbers_lease_wanted(core).epoch != 0;
}

/* The next of both lists, those of the view and those to come, that is no member; NULL: no more. */
static const struct listed_voter *next_absent(const struct core *core, uint32_t *at)
{
    const struct voter_lists *listed = &core->view.voters;
    const struct voter_lists *coming = &core->voters_change.lists;
    const uint32_t end = listed->count + (core->voters_change.on ? coming->count : 0U);

    while (*at < end) {
        const uint32_t i = (*at)++;
        const struct listed_voter *voter = i < listed->count ? &listed->voters[i]
                                                             : &coming->voters[i - listed->count];
        const bool is_known = i >= listed->count && voter->before;
        if (!is_known && is_absent(core, voter)) {
            return voter;
        }
    }
    return NULL;
}

void absent_tick(struct core *core)
{
    const struct listed_voter *voter = NULL;
    uint32_t at = 0;

    while (asks(core) && (voter = next_absent(core, &at)) != NULL) {
        if (core->now_ms >= ask_ms(core, voter)) {
            ask(core, voter);
        }
    }
}

uint64_t absent_deadline_ms(const struct core *core)
{
    const struct listed_voter *voter = NULL;
    uint64_t due_ms = NEVER_MS;
    uint32_t at = 0;

    while (asks(core) && (voter = next_absent(core, &at)) != NULL) {
        due_ms = earlier(due_ms, ask_ms(core, voter));
    }
    return due_ms;
}

/* --- Answers --- */

/* What takes longer is believed at once: then a lease has to last for longer, too. */
static void note_round_trip(struct absent_voter *known, uint64_t rtt_ms)
{
    known->rtt_ms = rtt_ms >= known->rtt_ms
                        ? rtt_ms
                        : known->rtt_ms - (known->rtt_ms - rtt_ms) / SMOOTHED_BY;
}

bool absent_on_pong(struct core *core, const struct message *pong)
{
    const struct lease_said *said = &pong->ping.said;

    if (!asks(core) || said->promised == 0 || pong->relay ||
        lease_voter(core, &said->record) == NULL || absent_find(core, &said->record) == NULL) {
        return false;
    }
    struct absent_voter *known = place_for(core, &said->record);
    const uint64_t sent_ms = sent_with(core, known, pong->ping.nonce);
    if (sent_ms == 0) {
        return false;
    }
    const uint64_t lease_ms = length_ms(core, known);
    if (sent_ms > known->heard_ms) {
        known->heard_ms = sent_ms;
        known->answered_ms = core->now_ms;
        note_round_trip(known, core->now_ms - sent_ms);
    }
    if (said->promised == core->view.epoch) {
        lease_take(core, said, sent_ms, lease_ms);
    }
    lease_note_said(core, said);
    return true;
}

/* Who is a member is not asked here: should it go, that it once answered says nothing of then. */
void absent_on_view_installed(struct core *core)
{
    for (uint32_t i = 0; i < VOTERS_LISTED_MAX; i++) {
        struct absent_voter *known = &core->absent.voters[i];
        const struct listed_voter *voter = lease_voter(core, &known->record);
        if (voter != NULL && electorate_position(core, voter) != VIEW_NONE) {
            known->asked_ms = 0;
            known->heard_ms = 0;
        }
    }
}

void absent_reset(struct core *core)
{
    memset(&core->absent, 0, sizeof core->absent);
}
