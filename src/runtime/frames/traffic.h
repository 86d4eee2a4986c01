/* Counters of a node's sockets, for the control socket. */
#ifndef RUNTIME_TRAFFIC_H
#define RUNTIME_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/wire_error.h"
#include "runtime/frames/beat_refusal.h"
#include "runtime/frames/user_refusal.h"
#include "seal/seal.h"

struct node_traffic {
    uint64_t datagrams_in;
    uint64_t datagrams_out;
    uint64_t bytes_in;
    uint64_t bytes_out;
    uint64_t frames_in; /* by stream */
    uint64_t frames_out;
    uint64_t malformed[WIRE_ERROR_COUNT];  /* refused by the codec, by reason */
    uint64_t skipped;                      /* messages with fields that came later */
    uint64_t without_base;                 /* changes of a view that is not held here (U3b) */
    uint64_t sealed_refused[SEAL_RESULTS]; /* sealed frames that were not opened, by reason */
    uint64_t beats_in;                     /* datagrams that stood for heartbeats */
    uint64_t beats_out;
    uint64_t beats_refused[BEAT_REFUSALS]; /* by reason */
    uint64_t challenges_out;               /* to datagrams whose source was not proved */
    uint64_t counts_asked;                 /* of senders whose frames seemed to be played back */
    uint64_t hints_out;                    /* to who has another key, or none */
    uint64_t plain_refused;                /* frames without a key at a node that has one */
    uint64_t strangers_cut;                /* their messages beyond what is taken in a second */
    uint64_t streams_refused;              /* over a cap, too slow, or not a frame */
    uint64_t starved;                      /* connections given up for lack of descriptors */
    uint64_t user_in;                      /* messages of programs that were handed on */
    uint64_t user_out;
    uint64_t user_refused[USER_REFUSALS]; /* those that were not handed on, by reason */
    uint64_t send_failed;
    bool beats_wait; /* until the loop wakes for something else (decision 34) */
    uint32_t streams_open;
    uint32_t lifelines_up;
};

/* Counts a frame that the codec refused for `error`. That a change has no base here is no fault of
 * the frame's: who missed a view is shown it whole. */
void traffic_count_refused(struct node_traffic *traffic, enum wire_error error);

#endif
