/* What a configuration depends on of the machine it is read on; tests bring their own. */
#ifndef RUNTIME_CONFIG_HOST_H
#define RUNTIME_CONFIG_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/model/member.h"
#include "runtime/options/config.h"
#include "runtime/options/setting.h"

enum host_group {
    HOST_GROUP_UNKNOWN,
    HOST_GROUP_FOREIGN, /* this process may not give a file to this group */
    HOST_GROUP_USABLE,
};

struct config_host {
    /* Returns the value of an environment variable, or NULL. */
    const char *(*variable)(void *context, const char *name);

    /* Returns variable number `index` of the environment as NAME=VALUE, or NULL behind the last. */
    const char *(*variable_at)(void *context, size_t index);

    /* Writes the name of this host; returns false when it has none or the name does not fit. */
    bool (*name)(void *context, char *out, size_t size);

    /* Writes the addresses of this host that are of `family` (4 or 6), up, and neither loopback nor
     * link-local; their port is 0. Returns how many there are; at most `max` of them are in `out`.
     */
    size_t (*addresses)(void *context, uint8_t family, struct address *out, size_t max);

    /* Finds the address of this host that others knew it by at its last start, from the state
     * directory. Returns false when that is not known. */
    bool (*last_address)(void *context, const char *state_dir, struct address *out);

    /* Finds the address of this host by which the way to a seed goes. May look up its name. */
    bool (*address_toward)(void *context, const struct endpoint *seed, struct address *out);

    /* Finds the group of this name, or with this number where no group has the name. */
    enum host_group (*group)(void *context, const char *name, gid_t *out);

    void *context;

    enum program program; /* whose options count */
};

/* The real machine: getenv, environ, gethostname, getifaddrs, getaddrinfo, getgrnam. */
struct config_host config_host_system(void);

#endif
