/* How texts, ids, addresses and 64-bit numbers become JSON values. Each json_t is a new reference,
 * NULL when memory ran out. */
#ifndef CONTROL_JSON_H
#define CONTROL_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/core.h"

/* Sets a key and releases the value with the object. Returns false, with the value released, when
 * memory ran out. */
bool json_put(json_t *object, const char *key, json_t *value);

/* Reads the body of a request, which has `length` bytes. Returns NULL, with what is wrong with it
 * in the `size` bytes of `why`, when there is none or it is not JSON, in which no key may be twice.
 */
json_t *json_of_body(const char *body, size_t length, char *why, size_t size);

/* The first key of an object that is none of the `count`; NULL: there is none. */
const char *json_unknown_key(json_t *object, const char *const *known, size_t count);

/* Is it a text of digits, where a number was to stand? */
bool json_is_quoted_number(const json_t *value);

/* Returns `value` if it is complete; else releases it and returns NULL. */
json_t *json_finished(json_t *value, bool complete);

/* Accepts any bytes: those that are not UTF-8 become "?", because JSON cannot express them. */
json_t *json_of_text(const char *text, size_t length);
json_t *json_of_word(const char *word); /* NULL becomes null */
json_t *json_of_id(const struct node_id *id);
json_t *json_of_address(const struct address *address);
json_t *json_of_number(uint64_t value); /* as a number: for counts, ages, durations */
json_t *json_of_u64(uint64_t value);    /* as a string: 64-bit numbers, which a reader whose
                                           numbers are doubles would otherwise round */

json_t *json_of_lineage(uint64_t lineage); /* sixteen hexadecimal digits */

/* The stated size under guard majority, else null. */
json_t *json_of_guard_size(const struct guard *guard);

/* "key=value" texts as one object; of a repeated key the last value counts. */
json_t *json_of_tags(const struct tags *tags);

#endif
