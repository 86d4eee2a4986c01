/* Fields of the daemon's documents, which may be missing: a newer daemon sends more of them, an
 * older one fewer. */
#ifndef CLIENT_FIELD_H
#define CLIENT_FIELD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* The field as text; NULL when it is missing, null or of another type. Borrowed. */
const char *field_text(const json_t *object, const char *key);

/* The field as a number, also when it is written as text (64 bits); 0 when it is neither. */
uint64_t field_number(const json_t *object, const char *key);

bool field_is_true(const json_t *object, const char *key);

#endif
