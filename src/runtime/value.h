/* Values as people write them: durations with a unit, ports, addresses, words from a list. Every
 * complaint says what is wrong with the text and how to mend it. */
#ifndef RUNTIME_VALUE_H
#define RUNTIME_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/config.h"

/* Why a value is refused: what is wrong and how to mend it, without saying where. */
struct complaint {
    int exit_code; /* 0: as its source has it */
    char text[CONFIG_MESSAGE_MAX];
};

/* Writes the complaint; returns false, so that a parser can end with it. */
bool complaint_set(struct complaint *complaint, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "250ms", "2s", "1m", "1h", between `min_ms` and `max_ms`. A bare number is refused. */
bool value_duration(const char *text, uint64_t min_ms, uint64_t max_ms, uint64_t *out_ms,
                    struct complaint *complaint);

/* The shortest such text that says exactly `ms`. */
enum { VALUE_DURATION_MAX = 24 };
void value_duration_print(uint64_t ms, char out[VALUE_DURATION_MAX]);

/* A guard as --guard has it: none, or a number. */
enum { VALUE_GUARD_MAX = 16 };
void value_guard_print(const struct guard *guard, char out[VALUE_GUARD_MAX]);

/* A decimal number between `min` and `max`, digits alone. */
bool value_number(const char *text, uint32_t min, uint32_t max, uint32_t *out,
                  struct complaint *complaint);

/* The index of `text` in `words`. */
bool value_word(const char *text, const char *const *words, size_t count, size_t *out,
                struct complaint *complaint);

/* yes or no, and what else people write for them: true, on, 1. */
bool value_switch(const char *text, bool *out, struct complaint *complaint);

/* HOST, HOST:PORT, [V6]:PORT; the port, where there is none, is `port_default`. The host is
 * checked for its characters only. Port 0 cannot be written. */
bool value_endpoint(const char *text, uint16_t port_default, struct endpoint *out,
                    struct complaint *complaint);

/* HOST:PORT, or [V6]:PORT. */
enum { VALUE_ENDPOINT_MAX = CONFIG_HOST_MAX + 9 };
void value_endpoint_print(const struct endpoint *endpoint, char out[VALUE_ENDPOINT_MAX]);

/* An endpoint with an IP address for the host: names are not looked up. */
bool value_address(const char *text, uint16_t port_default, struct address *out,
                   struct complaint *complaint);

/* Some text without control characters that fits `size` with its zero; copied. */
bool value_path(const char *text, char *out, size_t size, struct complaint *complaint);

#endif
