/* The kinds of values that one option alone has. */
#ifndef RUNTIME_OPTION_FORMS_H
#define RUNTIME_OPTION_FORMS_H

#include "runtime/options/setting.h"

extern const struct option_kind option_advertise;
extern const struct option_kind option_tag;
extern const struct option_kind option_seed;
extern const struct option_kind option_guard;
extern const struct option_kind option_size;         /* what --guard majority is the majority of */
extern const struct option_kind option_voters;       /* names, in one text with commas */
extern const struct option_kind option_join_timeout; /* a duration, or none */
extern const struct option_kind option_detect;       /* a duration, or nothing */
extern const struct option_kind option_partitions;   /* a number, and perhaps a duration */
extern const struct option_kind option_group;
extern const struct option_kind option_mode;
extern const struct option_kind option_http; /* an address with a port, or off */
extern const struct option_kind option_http_host;

#endif
