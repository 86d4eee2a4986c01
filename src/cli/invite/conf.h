/* The lines KEY = VALUE of a configuration file of doyend: reading them one after the other, and
 * changing one without touching the others. Texts are the caller's and end with a zero. */
#ifndef CLI_CONF_H
#define CLI_CONF_H

#include <stdbool.h>
#include <stddef.h>

enum {
    CONF_TEXT_MAX = 16384, /* bytes of a file, with the zero */
    CONF_KEY_MAX = 32,
    CONF_VALUE_MAX = 198, /* a line that doyend reads has no more */
};

struct conf_line {
    char key[CONF_KEY_MAX];
    char value[CONF_VALUE_MAX];
    size_t begin; /* where the line begins in the text, in bytes */
    size_t end;   /* where what follows it begins */
};

/* Finds the first setting at or behind `line->end`, which is 0 to begin with. False: there are no
 * more. Comments, and lines that are no setting, are passed over. */
bool conf_next(const char *text, struct conf_line *line);

/* The first value of that key. False: it has none. */
bool conf_value(const char *text, const char *key, char out[CONF_VALUE_MAX]);

/* Has the key that value, in one of its lines? */
bool conf_has(const char *text, const char *key, const char *value);

/* How many lines have that key. */
size_t conf_count(const char *text, const char *key);

/* Adds a line at the end. False, with the text as it was, when the line or the text would be too
 * long, or the value would be read as another one. */
bool conf_add(char text[CONF_TEXT_MAX], const char *key, const char *value);

/* Adds a line behind the last one with that key, or at the end; otherwise as conf_add. */
bool conf_add_beside(char text[CONF_TEXT_MAX], const char *key, const char *value);

/* Gives the first line with that key another value. False: there is none, or it does not fit. */
bool conf_change(char text[CONF_TEXT_MAX], const char *key, const char *value);

#endif
