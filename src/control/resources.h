/* The table of resources: what can be asked for, how, and who answers. */
#ifndef CONTROL_RESOURCES_H
#define CONTROL_RESOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control/answer.h"

struct visitor;

enum {
    METHOD_GET = 1, /* HEAD too */
    METHOD_POST = 2,
};

struct resource {
    const char *path;
    unsigned methods;
    bool unix_only;
    uint64_t keep_ms;      /* how long an answer is given again while nothing has changed */
    const char *varies_by; /* query argument with which it is made anew each time; or NULL */
    struct answer (*answer)(struct visitor *visitor);
};

enum route {
    ROUTE_FOUND,
    ROUTE_UNKNOWN,
    ROUTE_WRONG_METHOD,
    ROUTE_UNIX_ONLY,
};

extern const struct resource resource_table[];
extern const size_t resource_count;

/* METHOD_GET, METHOD_POST, or 0 for another. */
unsigned method_parse(const char *method);

/* Finds the resource; `*found` is set whenever the path is known. */
enum route resource_find(const char *path, unsigned method, bool over_unix,
                         const struct resource **found);

#endif
