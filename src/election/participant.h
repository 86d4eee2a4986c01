/* A participant of elections: one machine of a classical algorithm, kept going while messages are
 * lost, processes crash and views change. It follows the rules W1 to W7 of docs/elections.md.
 *
 * It is driven as the core is: each function is given the time, in milliseconds of one clock that
 * only rises, and adds what is to be sent to `out`. It allocates nothing and does no I/O; the
 * spread of its retries comes from a generator that is seeded at the start. */
#ifndef ELECTION_PARTICIPANT_H
#define ELECTION_PARTICIPANT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "election/machine.h"

/* W2: rounds of one view that may have been begun at once; after that one in each millisecond. */
enum { ELECTION_ATTEMPTS_AT_ONCE = 1000 };

struct participant_settings {
    const struct election_algorithm *algorithm;
    uint64_t answer_ms;   /* how long Bully waits for an OK: 2 t_max + t_process */
    uint64_t round_ms;    /* undefined for 1 to 1.5 times as long: the round is tried again */
    uint64_t silent_ms;   /* the ring passes over who was not heard for so long; 0: over nobody */
    bool waits_for_start; /* a view without a leader starts nothing: participant_start does */
    bool resigned;        /* it begins without standing */
    bool leaves_worse_leader; /* a better participant than the leader does not take over */
};

struct participant {
    struct participant_settings settings;
    struct machine machine;
    struct roster roster;
    struct random random;
    uint64_t retry_ms;     /* when to begin the next round, while undefined */
    uint64_t challenge_ms; /* when to begin one, as the leader is a worse one, or does not stand */
    uint64_t installed_ms; /* when its view was */
    uint64_t heard_ms[ROSTER_MAX];
    struct {
        bool waits;
        struct election_message message;
    } held[ROSTER_MAX]; /* of a view that is not installed yet, the latest; by the low bits of age
                         */
};

/* `self` is its age, not NOBODY. It is undefined, and in no view. */
void participant_init(struct participant *participant, const struct participant_settings *settings,
                      uint64_t self, uint64_t seed);

/* How long a round is, from the next one on: it depends on how many members there are. */
void participant_set_round_ms(struct participant *participant, uint64_t round_ms);

/* W3: takes a view, if it is newer. It has to contain this participant, with ages that rise. */
void participant_install(struct participant *participant, const struct roster *roster,
                         uint64_t now_ms, struct election_out *out);

/* Starts the machine in the first round of the view, or in the round of it that it is in: with
 * `waits_for_start`, this is what begins an election. */
void participant_start(struct participant *participant, uint64_t now_ms, struct election_out *out);

/* W4: begins a new round; anybody may, at any time. */
void participant_elect(struct participant *participant, uint64_t now_ms, struct election_out *out);

/* W4: stands no more, or stands again, and begins a new round. Returns false, and does nothing,
 * when the algorithm knows no participant that does not stand. */
bool participant_stand(struct participant *participant, bool stands, uint64_t now_ms,
                       struct election_out *out);

/* A message from another member or, as NOBODY, the registry. Anything may be in it. */
void participant_take(struct participant *participant, const struct election_message *message,
                      uint64_t now_ms, struct election_out *out);

/* To be called when participant_deadline_ms has come; earlier does no harm. */
void participant_tick(struct participant *participant, uint64_t now_ms, struct election_out *out);
uint64_t participant_deadline_ms(const struct participant *participant);

/* W6: one heartbeat to each other member. */
void participant_heartbeat(const struct participant *participant, struct election_out *out);

/* Whom it takes for the leader; NOBODY while it is undefined. */
uint64_t participant_leader(const struct participant *participant);

/* What holds after every step: it is undefined, with a time when it will begin a higher round, or
 * has one leader, a member of its view. Each function above asserts it. */
bool participant_is_sound(const struct participant *participant);

#endif
