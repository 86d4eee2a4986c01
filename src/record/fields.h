/* The parts of the format that reading and writing share: the magic, the bounds of numbers, and the
 * order of durations. */
#ifndef RECORD_FIELDS_H
#define RECORD_FIELDS_H

#include <stdint.h>

#include "core/model/timing.h"
#include "record/recording.h"

enum {
    NUMBER_BYTES_MAX = 10, /* of a number of 64 bits */
    TIMING_FIELDS = 16,    /* besides two that are recorded under guard strict alone, and two
                              that the core sets itself */
};

#define RECORDING_MAGIC_TEXT "doyenrec"
_Static_assert(sizeof RECORDING_MAGIC_TEXT - 1 == RECORDING_MAGIC_BYTES, "as the header says");

/* A new field of struct timing belongs into the recording too, under a new version. */
_Static_assert(sizeof(struct timing) == (TIMING_FIELDS + 4) * sizeof(uint64_t),
               "raise RECORDING_VERSION and record the new duration");

/* Pointers to the durations, in the order in which they are recorded. */
struct timing_fields {
    uint64_t *at[TIMING_FIELDS];
};
struct timing_fields timing_fields_of(struct timing *timing);

#endif
