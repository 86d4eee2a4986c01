/* The counters of the last five minutes, so that who opens the page during an incident sees how it
 * began. */
#ifndef CONTROL_COUNTER_PAST_H
#define CONTROL_COUNTER_PAST_H

#include <jansson.h>
#include <stdint.h>

#include "control/facts/facts.h"

enum { COUNTER_PAST_EVERY_MS = 5000, COUNTER_PAST_MAX = 61 };

struct counter_sample {
    uint64_t at_ms; /* as facts->now_ms */
    uint64_t datagrams_in;
    uint64_t datagrams_out;
    uint64_t bytes_in;
    uint64_t bytes_out;
    uint64_t messages_refused;
    uint64_t frames_refused; /* they were malformed, could not be opened, or had no key */
};

struct counter_past {
    struct counter_sample samples[COUNTER_PAST_MAX];
    uint32_t count; /* samples ever taken, of which the last COUNTER_PAST_MAX are kept, in a ring */
};

/* To be called once in COUNTER_PAST_EVERY_MS; the oldest sample makes room. */
void counter_past_note(struct counter_past *past, const struct facts *facts);

/* The document of GET /v1/counters: a new reference, which is the caller's, or NULL when memory ran
 * out. */
json_t *counter_past_json(const struct counter_past *past, const struct facts *facts);

#endif
