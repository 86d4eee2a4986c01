/* What joiner and sponsor tell each other, inside the sealed messages: lines of text. Whatever
 * comes is read with bounds, and only settings that all nodes of a cluster share are taken of it.
 */
#ifndef CLI_LETTER_H
#define CLI_LETTER_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/invite/conf.h"

enum {
    LETTER_NAME_MAX = 64,
    LETTER_ADDRESS_MAX = 64,
    LETTER_TEXT_MAX = 8192,
    LETTER_KEY_MAX = 4097, /* a key file, with the zero */
    LETTER_WHY_MAX = 256,
};

/* "host2", which will listen at "10.0.0.2:7420". */
struct letter_ask {
    char name[LETTER_NAME_MAX];
    char address[LETTER_ADDRESS_MAX];
};

/* The sponsor's answer: a refusal, or keys and settings. */
struct letter_answer {
    char refusal[LETTER_WHY_MAX]; /* empty: it is none */
    char keys[LETTER_KEY_MAX];    /* lines of a key file */
    char conf[CONF_TEXT_MAX];     /* lines of a configuration file */
};

/* Is it a name that a member may have? */
bool letter_name_is_good(const char *name);

/* Write the text; they return its length, 0 when it does not fit. */
size_t letter_write_ask(const struct letter_ask *ask, char out[LETTER_TEXT_MAX]);
size_t letter_write_answer(const struct letter_answer *answer, char out[LETTER_TEXT_MAX]);

/* Read `length` bytes, which need no zero. False: it is no such text. */
bool letter_read_ask(struct letter_ask *ask, const void *bytes, size_t length);
bool letter_read_answer(struct letter_answer *answer, const void *bytes, size_t length);

#endif
