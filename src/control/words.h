/* The words of the control socket, beyond those of runtime/notice_text.h: what an enumerator is
 * called in sentences, and how ids, addresses, moments and 64-bit numbers become JSON values.
 * Each json_t is a new reference, NULL when memory ran out. */
#ifndef CONTROL_WORDS_H
#define CONTROL_WORDS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "core/core.h"

enum { TIME_TEXT_MAX = 32 }; /* "2031-05-06T07:08:09.123Z" */

const char *phase_reason_words(enum phase_reason reason);
const char *verdict_words(enum verdict verdict);      /* with what it means, for sentences */
const char *gone_state_word(enum gone_reason reason); /* "failed" or "left" */

/* UTC with milliseconds, as in RFC 3339. */
const char *time_text(int64_t wall_ms, char text[TIME_TEXT_MAX]);

/* Any bytes: what is not UTF-8 becomes "?", because JSON cannot say it. */
json_t *json_of_text(const char *text, size_t length);
json_t *json_of_word(const char *word); /* NULL becomes null */
json_t *json_of_id(const struct node_id *id);
json_t *json_of_address(const struct address *address);
json_t *json_of_number(uint64_t value); /* as a number: for counts, ages, durations */
json_t *json_of_u64(uint64_t value);    /* as a string: 64-bit numbers, which a reader whose
                                           numbers are doubles would otherwise round */

/* The stated size under guard majority, else null. */
json_t *json_of_guard_size(const struct guard *guard);

/* "key=value" texts as one object; of a repeated key the last value counts. */
json_t *json_of_tags(const struct tags *tags);

#endif
