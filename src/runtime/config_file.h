/* The configuration file: KEY = VALUE lines, as inih reads them. */
#ifndef RUNTIME_CONFIG_FILE_H
#define RUNTIME_CONFIG_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/value.h"

/* Bytes of a line that inih takes without cutting it, end of line not counted. */
enum { CONFIG_LINE_MAX = 197 };

/* Called for each setting in turn. Returning false ends the reading. */
typedef bool config_file_visitor(void *context, const char *key, const char *value, uint32_t line);

/* Reads the file. A line is KEY = VALUE, empty, or a comment (# or ; at its beginning; " ;" begins
 * one behind a value). Returns false with the complaint set, whole, when the file cannot be read or
 * a line is none of these. */
bool config_file_read(const char *path, config_file_visitor *visitor, void *context,
                      struct complaint *complaint);

/* Can the value be said in a file, and read back the same? */
bool config_file_can_say(const char *key, const char *value);

#endif
