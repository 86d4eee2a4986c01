/* The configuration as far as it has been read, and how one of its sources or its whole is refused.
 */
#ifndef RUNTIME_CONFIG_READING_H
#define RUNTIME_CONFIG_READING_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/options/config_host.h"
#include "runtime/options/config_outcome.h"
#include "runtime/options/setting.h"

enum {
    LOCATION_MAX = 400, /* bytes of "PATH:LINE: KEY", cut where the path is long */
};

struct reading {
    struct partial_config partial;
    struct config_outcome *outcome;
    const struct config_host *host;
    bool refused;
};

/* Writes the one line that refuses the configuration; returns false. */
bool reading_refuse(struct reading *reading, int exit_code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds something that is no fault but probably a mistake, for the log: `event` is static. */
void reading_warn(struct reading *reading, const char *event, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes where the value of an option comes from, as a refusal begins: "--seed", "DOYEN_SEED",
 * "doyen.ini:3: seed". */
void reading_describe_origin(const struct reading *reading, const struct setting *option,
                             struct config_origin origin, char out[LOCATION_MAX]);

#endif
