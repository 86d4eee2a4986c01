/* The kinds of values that several options have; where each stands, and what it may be, says the
 * option's row. */
#ifndef RUNTIME_OPTION_KINDS_H
#define RUNTIME_OPTION_KINDS_H

#include "runtime/options/setting.h"

extern const struct option_kind option_name;     /* of a member or a cluster */
extern const struct option_kind option_path;     /* of a file; empty: none */
extern const struct option_kind option_socket;   /* the path of a Unix socket; empty: none */
extern const struct option_kind option_address;  /* an IP address and a port */
extern const struct option_kind option_number;   /* between min and max; 0: none given */
extern const struct option_kind option_duration; /* between min and max, in milliseconds */
extern const struct option_kind option_word;     /* one of the words, an enum */
extern const struct option_kind option_switch;   /* yes or no */

/* Is this a name for members and clusters: 1 to 63 of A-Z a-z 0-9 . _ - and no dash first, so that
 * it never looks like an option? */
bool option_name_is_valid(const char *text);

/* What other kinds print with: one text, if `index` is 0 and the text is not empty; the text, or
 * the address, that the option's row leads to. */
bool option_print_text(const char *text, uint32_t index, char *out);
bool option_print_field(const struct setting *option, const struct config *config, uint32_t index,
                        char *out);
bool option_print_address(const struct setting *option, const struct config *config, uint32_t index,
                          char *out);

#endif
