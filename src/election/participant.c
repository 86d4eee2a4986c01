#include "election/participant.h"

#include <assert.h>
#include <string.h>

static uint64_t soonest(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void participant_init(struct participant *participant, const struct participant_settings *settings,
                      uint64_t self, uint64_t seed)
{
    assert(self != NOBODY && settings->round_ms > 0);
    memset(participant, 0, sizeof *participant);
    participant->settings = *settings;
    participant->retry_ms = ELECTION_NEVER_MS;
    participant->challenge_ms = ELECTION_NEVER_MS;
    participant->machine.algorithm = settings->algorithm;
    participant->machine.roster = &participant->roster;
    participant->machine.self = self;
    participant->machine.answer_ms = settings->answer_ms;
    participant->machine.stands = !settings->resigned;
    machine_enter(&participant->machine, &(struct election_round){0});
    random_seed(&participant->random, seed);
}

void participant_set_round_ms(struct participant *participant, uint64_t round_ms)
{
    assert(round_ms > 0);
    participant->settings.round_ms = round_ms;
}

uint64_t participant_leader(const struct participant *participant)
{
    return participant->machine.leader;
}

uint64_t participant_deadline_ms(const struct participant *participant)
{
    return soonest(participant->machine.timer_ms,
                   soonest(participant->retry_ms, participant->challenge_ms));
}

bool participant_is_sound(const struct participant *participant)
{
    const struct machine *machine = &participant->machine;
    const struct roster *roster = &participant->roster;
    const struct election_round view = {roster->epoch, roster->version, UINT64_MAX};

    if (roster->count == 0) {
        return machine->leader == NOBODY;
    }
    return roster_has(roster, machine->self) &&
           election_round_compare(&machine->round, &view) <= 0 &&
           (machine->leader == NOBODY ? participant->retry_ms != ELECTION_NEVER_MS
                                      : roster_has(roster, machine->leader));
}

/* --- Rounds --- */

/* W2: a round begins undefined. */
static void enter(struct participant *participant, const struct election_round *round)
{
    const uint64_t round_ms = participant->settings.round_ms;

    machine_enter(&participant->machine, round);
    /* W5: spread, or all would begin the next round at once again. */
    participant->retry_ms = participant->machine.now_ms +
                            random_between(&participant->random, round_ms, round_ms + round_ms / 2);
    participant->challenge_ms = ELECTION_NEVER_MS;
}

/* The round after the one that it is in; the first of this view, if that is an older one's. */
static struct election_round next_round(const struct participant *participant)
{
    const struct roster *roster = &participant->roster;
    struct election_round first = {roster->epoch, roster->version, 0};

    if (election_round_compare(&participant->machine.round, &first) >= 0) {
        first.attempt = participant->machine.round.attempt + 1;
    }
    return first;
}

static void begin(struct participant *participant, struct election_out *out)
{
    const struct election_round round = next_round(participant);

    enter(participant, &round);
    participant->settings.algorithm->start(&participant->machine, out);
}

/* What follows from whether there is a leader, and which: to be done last in every step. */
static void settle(struct participant *participant)
{
    const struct machine *machine = &participant->machine;

    if (machine->leader != NOBODY) {
        participant->retry_ms = ELECTION_NEVER_MS;
    }
    /* W4: in a while, as an election may be under way that will find it. */
    const bool challenges = machine->leader != NOBODY && machine->stands &&
                            !participant->settings.leaves_worse_leader &&
                            roster_better(machine->roster, machine->self, machine->leader);
    /* Somebody says that it leads, though it does not stand. */
    const bool refuses = machine->leader == machine->self && !machine->stands;
    if (!challenges && !refuses) {
        participant->challenge_ms = ELECTION_NEVER_MS;
    } else if (participant->challenge_ms == ELECTION_NEVER_MS) {
        participant->challenge_ms = machine->now_ms + participant->settings.round_ms;
    }
    assert(participant_is_sound(participant));
}

/* --- Who is heard --- */

static void note_silent(struct participant *participant)
{
    const uint64_t silent_ms = participant->settings.silent_ms;

    memset(&participant->machine.silent, 0, sizeof participant->machine.silent);
    for (size_t i = 0; silent_ms != 0 && i < participant->roster.count; i++) {
        if (participant->machine.now_ms - participant->heard_ms[i] > silent_ms) {
            roster_set_add(&participant->machine.silent, i);
        }
    }
}

static void carry_heard(struct participant *participant, const struct roster *roster)
{
    const struct roster *former = &participant->roster;
    uint64_t heard_ms[ROSTER_MAX];

    for (size_t i = 0; i < roster->count; i++) {
        const size_t place = roster_find(former, roster->members[i].age);
        heard_ms[i] = place < former->count ? participant->heard_ms[place]
                                            : participant->machine.now_ms;
    }
    memcpy(participant->heard_ms, heard_ms, roster->count * sizeof heard_ms[0]);
}

static void at(struct participant *participant, uint64_t now_ms)
{
    participant->machine.now_ms = now_ms;
    note_silent(participant);
}

/* --- Messages --- */

static void define(struct participant *participant, uint64_t leader)
{
    machine_define(&participant->machine, leader);
}

/* W6: who is behind takes round and leader; of two leaders of one round the better one holds. */
static void take_heartbeat(struct participant *participant, const struct election_message *message)
{
    const struct roster *roster = &participant->roster;
    const int order = election_round_compare(&message->round, &participant->machine.round);
    const bool is_of_view = message->round.epoch == roster->epoch &&
                            message->round.version == roster->version;
    const bool names_member = roster_has(roster, message->subject);

    if (order > 0 && (names_member || (message->subject == NOBODY && is_of_view))) {
        enter(participant, &message->round);
    }
    if (order >= 0 && names_member) {
        define(participant, message->subject);
    }
}

/* W2: a round of this view that so many others came before is a lie, and one of a number so high
 * that none is higher would never end. Rounds of older views are lower than the next one anyway. */
static bool is_plausible(const struct participant *participant, const struct election_round *round)
{
    const uint64_t age_ms = participant->machine.now_ms - participant->installed_ms;

    return round->epoch != participant->roster.epoch ||
           round->version != participant->roster.version ||
           round->attempt <= ELECTION_ATTEMPTS_AT_ONCE + age_ms;
}

/* W1: what is of another view than this one, or of a round that is over, is dropped. */
static void take(struct participant *participant, const struct election_message *message,
                 struct election_out *out)
{
    const struct roster *roster = &participant->roster;

    if (!is_plausible(participant, &message->round)) {
        return;
    }
    if (message->type == ELECTION_HEARTBEAT) {
        take_heartbeat(participant, message);
        return;
    }
    const int order = election_round_compare(&message->round, &participant->machine.round);
    if (message->round.epoch != roster->epoch || message->round.version != roster->version ||
        order < 0) {
        return;
    }
    if (order > 0) {
        enter(participant, &message->round);
    }
    participant->settings.algorithm->take(&participant->machine, message, out);
}

static bool is_of_higher_view(const struct participant *participant,
                              const struct election_message *message)
{
    const struct election_round last = {participant->roster.epoch, participant->roster.version,
                                        UINT64_MAX};

    return election_round_compare(&message->round, &last) > 0;
}

static void take_held(struct participant *participant, struct election_out *out)
{
    for (size_t i = 0; i < ROSTER_MAX; i++) {
        const struct election_message *message = &participant->held[i].message;
        if (participant->held[i].waits && !is_of_higher_view(participant, message)) {
            participant->held[i].waits = false;
            if (message->from == NOBODY || roster_has(&participant->roster, message->from)) {
                take(participant, message, out);
            }
        }
    }
}

void participant_take(struct participant *participant, const struct election_message *message,
                      uint64_t now_ms, struct election_out *out)
{
    const struct machine *machine = &participant->machine;
    const size_t place = roster_find(&participant->roster, message->from);

    at(participant, now_ms);
    if (message->from == machine->self ||
        (message->from == NOBODY && !machine->algorithm->asks_registry)) {
        return;
    }
    if (place < participant->roster.count) {
        participant->heard_ms[place] = now_ms;
        note_silent(participant);
    }
    /* Whether the sender is a member of that view is seen when it is installed. */
    if (is_of_higher_view(participant, message)) {
        participant->held[message->from % ROSTER_MAX].message = *message;
        participant->held[message->from % ROSTER_MAX].waits = true;
    } else if (message->from == NOBODY || place < participant->roster.count) {
        take(participant, message, out);
    }
    settle(participant);
}

/* --- Views, timers, wishes --- */

/* W3: with the view goes a leader that is no member of it. */
static void install(struct participant *participant, bool is_first, struct election_out *out)
{
    const struct election_algorithm *algorithm = participant->settings.algorithm;
    const struct roster *roster = &participant->roster;
    const struct election_round first = {roster->epoch, roster->version, 0};
    const bool founds = is_first && roster->members[0].age == participant->machine.self;

    if (!algorithm->decides_alone && roster_has(roster, participant->machine.leader)) {
        return;
    }
    /* Who comes in new hears from the others whom they follow: round 0 of no view is below theirs.
     * If nobody says so, it tries by itself (W5). */
    enter(participant,
          is_first && !founds && !algorithm->decides_alone ? &(struct election_round){0} : &first);
    if (algorithm->decides_alone ||
        (!participant->settings.waits_for_start && !algorithm->asks_registry &&
         roster->members[0].age == participant->machine.self)) {
        algorithm->start(&participant->machine, out);
    }
}

void participant_install(struct participant *participant, const struct roster *roster,
                         uint64_t now_ms, struct election_out *out)
{
    const bool is_first = participant->roster.count == 0;

    assert(roster->count <= ROSTER_MAX && roster_has(roster, participant->machine.self));
    if (!is_first && !roster_is_newer(roster, &participant->roster)) {
        return;
    }
    participant->machine.now_ms = now_ms;
    participant->installed_ms = now_ms;
    carry_heard(participant, roster);
    participant->roster = *roster;
    note_silent(participant);
    install(participant, is_first, out);
    take_held(participant, out);
    settle(participant);
}

void participant_start(struct participant *participant, uint64_t now_ms, struct election_out *out)
{
    const struct roster *roster = &participant->roster;
    const struct election_round first = {roster->epoch, roster->version, 0};

    at(participant, now_ms);
    if (election_round_compare(&participant->machine.round, &first) < 0) {
        enter(participant, &first);
    }
    participant->settings.algorithm->start(&participant->machine, out);
    settle(participant);
}

void participant_elect(struct participant *participant, uint64_t now_ms, struct election_out *out)
{
    at(participant, now_ms);
    begin(participant, out);
    settle(participant);
}

bool participant_stand(struct participant *participant, bool stands, uint64_t now_ms,
                       struct election_out *out)
{
    if (!participant->settings.algorithm->lets_resign) {
        return false;
    }
    participant->machine.stands = stands;
    participant_elect(participant, now_ms, out);
    return true;
}

void participant_tick(struct participant *participant, uint64_t now_ms, struct election_out *out)
{
    struct machine *machine = &participant->machine;

    at(participant, now_ms);
    if (now_ms >= machine->timer_ms) {
        machine->timer_ms = ELECTION_NEVER_MS;
        machine->algorithm->timer(machine, out);
    }
    settle(participant);
    if (now_ms >= soonest(participant->retry_ms, participant->challenge_ms)) {
        begin(participant, out);
        settle(participant);
    }
}

void participant_heartbeat(const struct participant *participant, struct election_out *out)
{
    const struct roster *roster = &participant->roster;

    for (size_t i = 0; i < roster->count; i++) {
        if (roster->members[i].age != participant->machine.self) {
            struct election_message *heartbeat = machine_send(
                &participant->machine, out, ELECTION_HEARTBEAT, roster->members[i].age);
            if (heartbeat != NULL) {
                heartbeat->subject = participant->machine.leader;
            }
        }
    }
}
