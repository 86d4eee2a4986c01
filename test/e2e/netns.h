/* Network namespaces for tests: each has one device and an address of its own, and no way out but
 * the forwarder. They have no names and leave nothing behind: they are gone as soon as nobody
 * holds them, however the test ends. Works for root, and for others where the kernel gives them a
 * user namespace. */
#ifndef E2E_NETNS_H
#define E2E_NETNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "forwarder.h"
#include "process.h"

enum {
    NETNS_MAX = FORWARDER_NODES_MAX,
    NETNS_ADDRESS_MAX = 16,
    NETNS_PORT = 7420, /* free in each of them */
    NETNS_WHY_MAX = 160,
};

struct netns {
    size_t count; /* 0: not open */
    bool has_user;
    int user; /* with has_user, the user namespace that they belong to; else ours */
    int places[NETNS_MAX];
    int devices[NETNS_MAX];
    struct forwarder *forwarder;
    struct links links; /* as the forwarder has been told */
};

/* Makes `count` namespaces whose links are perfect. False, with the reason in `why`, when this
 * machine does not permit it. */
bool netns_open(struct netns *netns, size_t count, uint64_t seed, char why[NETNS_WHY_MAX]);

/* Harmless when it is not open. Processes inside are not ended, only cut off from each other. */
void netns_close(struct netns *netns);

/* "10.77.0.1" for the first. */
void netns_address(size_t index, char address[NETNS_ADDRESS_MAX]);

/* Gives a namespace its address back, or takes it away, as the end of a DHCP lease does. */
bool netns_give_address(const struct netns *netns, size_t index);
bool netns_take_address(const struct netns *netns, size_t index);

/* Gives it 10.77.0.200 in place of its own, as a new DHCP lease may. */
bool netns_renew_address(const struct netns *netns, size_t index);

/* Gives it one more, 10.77.0.200, as a floating address is. */
bool netns_float_address(const struct netns *netns, size_t index);

/* Where to start a process that is to live there. */
struct place netns_place(const struct netns *netns, size_t index);

#endif
