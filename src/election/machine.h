/* One participant's part in one round of a classical election: start, message or timer in; messages
 * and a leader out. A machine is told which view it is in and when a round begins; participant.h,
 * which lives through loss, crashes and changes of view, does that for all algorithms alike. */
#ifndef ELECTION_MACHINE_H
#define ELECTION_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "election/message.h"
#include "election/roster.h"

#define ELECTION_NEVER_MS UINT64_MAX

struct machine;

struct election_algorithm {
    const char *name;   /* as on a command line */
    bool decides_alone; /* every participant starts with each view, and sends nothing */
    bool asks_registry; /* a registry beside the members says who leads; nobody starts by itself */
    bool lets_resign;   /* a participant can take part without standing */
    void (*start)(struct machine *machine, struct election_out *out);
    /* A message of this round, from another member or the registry. */
    void (*take)(struct machine *machine, const struct election_message *message,
                 struct election_out *out);
    void (*timer)(struct machine *machine, struct election_out *out);
};

extern const struct election_algorithm algorithm_oldest;
extern const struct election_algorithm algorithm_bully;
extern const struct election_algorithm algorithm_ring;
extern const struct election_algorithm algorithm_token_ring;
extern const struct election_algorithm algorithm_sequential;
extern const struct election_algorithm algorithm_sequential_herd;

/* All of them, `*count` in number. */
const struct election_algorithm *const *algorithms(size_t *count);

struct machine {
    const struct election_algorithm *algorithm;
    const struct roster *roster; /* borrowed; the view that is installed */
    uint64_t self;               /* age */
    uint64_t now_ms;
    uint64_t answer_ms;       /* Bully: how long to wait for an OK */
    bool stands;              /* may lead */
    struct roster_set silent; /* whom the ring passes over */

    struct election_round round;
    uint64_t leader;   /* NOBODY: undefined */
    uint64_t timer_ms; /* when `timer` is due; ELECTION_NEVER_MS: not */

    struct {
        bool called; /* has started in this round */
        bool answered;
    } bully;
    struct {
        bool participates;
    } ring;
};

/* --- For the wrapper --- */

/* Begins a round: undefined, with nothing left of the last one. */
void machine_enter(struct machine *machine, const struct election_round *round);

/* --- For algorithms, and for heartbeats --- */

/* Takes `leader`, if it is a member and no better one is known in this round. */
void machine_define(struct machine *machine, uint64_t leader);

/* A message of this round to `to`, added to `out`. The caller fills in what else it carries. NULL
 * when there is no room. */
struct election_message *machine_send(const struct machine *machine, struct election_out *out,
                                      enum election_message_type type, uint64_t to);

/* The next member on the ring that is not silent; this one when there is no other. */
uint64_t machine_next(const struct machine *machine);

/* To the next on the ring, one hop further than `message`, unless it has gone round twice already:
 * who would have taken it off the ring may be gone. */
void machine_forward(const struct machine *machine, struct election_out *out,
                     const struct election_message *message);

#endif
