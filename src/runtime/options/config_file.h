/* The configuration file: KEY = VALUE lines, as inih reads them. */
#ifndef RUNTIME_CONFIG_FILE_H
#define RUNTIME_CONFIG_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/options/value.h"

/* The longest line that inih reads without cutting it, in bytes, end of line not counted. */
enum { CONFIG_LINE_MAX = 197 };

/* A file, and what names it: --config or DOYEN_CONFIG. */
struct config_path {
    const char *file;
    const char *said_by;
};

/* Called for each setting in turn. Returns false to end the reading. */
typedef bool config_file_on_setting(void *context, const char *key, const char *value,
                                    uint32_t line);

/* Reads the file. A line is KEY = VALUE, empty, or a comment: # or ; at the beginning of a line
 * begins one, and " ;" begins one behind a value. Returns false when the file cannot be read or a
 * line is none of these; the complaint then names the place too. */
bool config_file_read(const struct config_path *path, config_file_on_setting *on_setting,
                      void *context, struct complaint *complaint);

/* Can a file hold this value so that it is read back the same? */
bool config_file_can_say(const char *key, const char *value);

#endif
