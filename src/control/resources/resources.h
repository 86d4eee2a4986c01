/* The table of resources: what can be asked for, by which method, and which function answers. */
#ifndef CONTROL_RESOURCES_H
#define CONTROL_RESOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control/http/answer.h"

struct request;

enum {
    METHOD_GET = 1, /* HEAD too */
    METHOD_POST = 2,
};

/* How long an answer serves other requests too while nothing has changed. */
enum cache_policy {
    CACHE_NOTHING,
    CACHE_MOMENT, /* within one millisecond */
    CACHE_UNTIL_CHANGE,
    CACHE_SNAPSHOT, /* the answer is the snapshot, which knows how long it is fresh */
};

enum resource_trait {
    ANYWHERE = 0,  /* served on TCP too */
    UNIX_ONLY = 1, /* on the Unix socket alone */
    PROBE = 2,     /* asked by supervisors and load balancers: answered where others find no room */
    FLAG = 4,      /* its argument stands without a value */
    BODY = 8,      /* it takes a body */
    GUARDED = 16,  /* for those alone who may change something */
    FOLDER = 32,   /* its path is what the paths of many things begin with */
    NEEDED = 64,   /* it cannot do without its argument */
};

struct resource {
    const char *path;
    unsigned methods;
    unsigned traits; /* of enum resource_trait */
    enum cache_policy cache;
    const char *argument; /* the one query argument it takes, which makes a new answer; or NULL */
    struct answer (*answer)(struct request *request);
};

enum route {
    ROUTE_FOUND,
    ROUTE_UNKNOWN,
    ROUTE_WRONG_METHOD,
    ROUTE_UNIX_ONLY,
};

extern const struct resource resource_table[];
extern const size_t resource_count;

/* Returns METHOD_GET, METHOD_POST, or 0 for any other method. */
unsigned method_parse(const char *method);

/* Finds the resource; `*found` is set whenever the path is known. */
enum route resource_find(const char *path, unsigned method, bool over_unix,
                         const struct resource **found);

/* What can be asked of that path: METHOD_GET, METHOD_POST or both. */
unsigned resource_methods(const char *path);

/* Does it change something, rather than tell? */
bool resource_is_change(const struct resource *resource);

/* Is it for those alone who may change something? */
bool resource_is_guarded(const struct resource *resource);

/* Does the answer stay open for as long as the client likes? That is so for watchers and for
 * readers of the lease page. */
bool resource_is_lasting(const struct request *request, const struct resource *resource);

#endif
