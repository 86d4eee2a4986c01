/* Parses values as people write them: durations with a unit, ports, addresses, words from a list.
 * Every complaint says what is wrong with the text and how to mend it. */
#ifndef RUNTIME_VALUE_H
#define RUNTIME_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/options/config.h"

enum {
    EXIT_USAGE = 64,         /* a fault of the command line */
    EXIT_CONFIGURATION = 78, /* a bad value elsewhere, or values that contradict one another */
};

/* The reason why a value is refused: what is wrong and how to mend it, but not where. */
struct complaint {
    int exit_code; /* 0: the source of the value decides */
    char text[CONFIG_MESSAGE_MAX];
};

/* Writes the complaint; returns false, so that a parser can end with it. */
bool complaint_set(struct complaint *complaint, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Parses "250ms", "2s", "1m", "1h", between `min_ms` and `max_ms`. A bare number is refused. */
bool value_duration(const char *text, uint64_t min_ms, uint64_t max_ms, uint64_t *out_ms,
                    struct complaint *complaint);

/* Writes the shortest such text that means exactly `ms`. */
enum { VALUE_DURATION_MAX = 24 };
void value_duration_print(uint64_t ms, char out[VALUE_DURATION_MAX]);

/* Parses a decimal number between `min` and `max`, digits alone. */
bool value_number(const char *text, uint32_t min, uint32_t max, uint32_t *out,
                  struct complaint *complaint);

/* Finds the index of `text` in `words`. */
bool value_word(const char *text, const char *const *words, size_t count, size_t *out,
                struct complaint *complaint);

/* Parses yes or no, and the other words in use for them: true, on, 1. */
bool value_switch(const char *text, bool *out, struct complaint *complaint);

/* Parses HOST, HOST:PORT, [V6]:PORT; a missing port is `port_default`. A host that ends in a number
 * or has a colon must be an address; the characters of a name are checked. Port 0 is refused. */
bool value_endpoint(const char *text, uint16_t port_default, struct endpoint *out,
                    struct complaint *complaint);

/* Writes HOST:PORT, or [V6]:PORT. */
enum { VALUE_ENDPOINT_MAX = CONFIG_HOST_MAX + 9 };
void value_endpoint_print(const struct endpoint *endpoint, char out[VALUE_ENDPOINT_MAX]);

/* Parses an endpoint with an IP address for the host, which is of one host or a wildcard; names are
 * not looked up. */
bool value_address(const char *text, uint16_t port_default, struct address *out,
                   struct complaint *complaint);

/* What is wrong with an address that is not of one host, as a format for its text. */
#define VALUE_NO_SINGLE_ADDRESS "'%.60s' is no address that others could reach: name a single one"

/* Copies a text without control characters that fits `size` with its zero. */
bool value_path(const char *text, char *out, size_t size, struct complaint *complaint);

/* The same for the path of a Unix socket, which is no URL. */
bool value_socket(const char *text, char *out, size_t size, struct complaint *complaint);

#endif
