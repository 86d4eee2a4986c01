#include "runtime/options/config_host.h"

#include <grp.h>
#include <ifaddrs.h>
#include <limits.h>
#include <net/if.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/host/host_address.h"
#include "words/address_text.h"

static const char *system_variable(void *context, const char *name)
{
    (void)context;
    return getenv(name);
}

static const char *system_variable_at(void *context, size_t index)
{
    (void)context;
    return environ == NULL ? NULL : environ[index];
}

static bool system_name(void *context, char *out, size_t size)
{
    (void)context;
    if (gethostname(out, size) != 0 || memchr(out, '\0', size) == NULL) {
        return false;
    }
    return out[0] != '\0';
}

/* Link-local IPv6 addresses mean nothing on another host. */
static bool is_of_use(const struct address *address, uint8_t family)
{
    const bool link_local = address->family == 6 && address->bytes[0] == 0xfe &&
                            (address->bytes[1] & 0xc0) == 0x80;
    return address->family == family && !link_local && !address_is_loopback(address);
}

static size_t system_addresses(void *context, uint8_t family, struct address *out, size_t max)
{
    struct ifaddrs *list = NULL;
    size_t count = 0;

    (void)context;
    if (getifaddrs(&list) != 0) {
        return 0;
    }
    for (const struct ifaddrs *at = list; at != NULL; at = at->ifa_next) {
        struct address address;
        if (at->ifa_addr == NULL || (at->ifa_flags & IFF_UP) == 0 ||
            !address_from_sockaddr(at->ifa_addr, &address) || !is_of_use(&address, family)) {
            continue;
        }
        address.port = 0;
        if (count < max) {
            out[count] = address;
        }
        count++;
    }
    freeifaddrs(list);
    return count;
}

static bool system_last_address(void *context, const char *state_dir, struct address *out)
{
    (void)context;
    return host_address_recall(state_dir, out);
}

static bool system_address_toward(void *context, const struct endpoint *seed, struct address *out)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_ADDRCONFIG};
    struct addrinfo *list = NULL;
    struct address address;
    bool found = false;

    (void)context;
    if (address_parse_host(seed->host, seed->port, &address)) {
        return host_address_toward(&address, out);
    }
    if (getaddrinfo(seed->host, NULL, &hints, &list) != 0) {
        return false;
    }
    for (const struct addrinfo *at = list; at != NULL && !found; at = at->ai_next) {
        if (address_from_sockaddr(at->ai_addr, &address)) {
            address.port = seed->port;
            found = host_address_toward(&address, out);
        }
    }
    freeaddrinfo(list);
    return found;
}

/* Is this process of the group, or may it give files to any? */
static bool group_is_usable(gid_t group)
{
    gid_t groups[NGROUPS_MAX];
    const int count = getgroups(NGROUPS_MAX, groups);

    if (geteuid() == 0 || getegid() == group) {
        return true;
    }
    for (int i = 0; i < count; i++) {
        if (groups[i] == group) {
            return true;
        }
    }
    return false;
}

static enum host_group system_group(void *context, const char *name, gid_t *out)
{
    const struct group *entry = getgrnam(name);
    const size_t length = strlen(name);

    (void)context;
    if (entry != NULL) {
        *out = entry->gr_gid;
    } else if (length >= 1 && length <= 9 && strspn(name, "0123456789") == length) {
        *out = (gid_t)strtoul(name, NULL, 10);
    } else {
        return HOST_GROUP_UNKNOWN;
    }
    return group_is_usable(*out) ? HOST_GROUP_USABLE : HOST_GROUP_FOREIGN;
}

struct config_host config_host_system(void)
{
    return (struct config_host){.variable = system_variable,
                                .variable_at = system_variable_at,
                                .name = system_name,
                                .addresses = system_addresses,
                                .last_address = system_last_address,
                                .address_toward = system_address_toward,
                                .group = system_group};
}
