/* Durations on the command line: the one place that says which are taken, and what is wrong. */
#ifndef CLI_DURATION_OPTION_H
#define CLI_DURATION_OPTION_H

#include <argp.h>
#include <stdint.h>

#define DURATION_MS_MAX (UINT64_C(365) * 24 * 3600 * 1000)

/* For verb->parse: the milliseconds of `text`, which `option` was given; from `least_ms` to
 * `most_ms`. Any other text is a usage error that names both ends. */
uint64_t duration_option(const struct argp_state *state, const char *option, const char *text,
                         uint64_t least_ms, uint64_t most_ms);

/* The same of a time to wait: from 1ms on. */
uint64_t duration_timeout(const struct argp_state *state, const char *text);

#endif
