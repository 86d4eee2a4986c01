/* A network in one thread: packets of IPv4 that come out of one device are put into the device of
 * the node that they are for, unless the link between the two loses, repeats, damages or delays
 * them. Each direction has its own faults, and they can be changed at any time. It goes before
 * other programs where the daemons do: no network waits for a processor.
 *
 *     node 0 --device--+           +--device-- node 2
 *                      | forwarder |
 *     node 1 --device--+           +--device-- node 3
 */
#ifndef E2E_FORWARDER_H
#define E2E_FORWARDER_H

#include <stddef.h>
#include <stdint.h>

enum {
    FORWARDER_NODES_MAX = 8,
    FORWARDER_PACKET_BYTES_MAX = 1500,
    FORWARDER_QUEUE_MAX = 4096, /* packets under way; one more is lost, as in a real queue */
};

/* What happens to the packets of one direction. All zero: each arrives, once, intact, at once. */
struct link_faults {
    unsigned drop_percent; /* 100: cut */
    unsigned repeat_percent;
    uint64_t repeat_ms;       /* the repetition comes that much later */
    unsigned corrupt_percent; /* a bit is turned round somewhere in the packet */
    uint64_t delay_ms_min;    /* drawn for each packet, so that one may overtake another */
    uint64_t delay_ms_max;
    size_t packet_bytes_max; /* a longer packet of IP vanishes without a word; 0: none does */
    unsigned drop_protocol;  /* IPPROTO_UDP or IPPROTO_TCP: as a firewall drops it; 0: none */
};

/* What happens to each packet, by where it comes from and where it goes. */
struct links {
    struct link_faults faults[FORWARDER_NODES_MAX][FORWARDER_NODES_MAX];
};

struct forwarder;

/* Carries packets between the devices (descriptors of /dev/net/tun, the caller's to close when the
 * forwarder has stopped) from now on. Node i has the address `network` + i + 1, in host order. What
 * chance decides follows from `seed`. NULL when there is no thread or no memory for it. */
struct forwarder *forwarder_start(const int *devices, size_t count, uint32_t network,
                                  uint64_t seed);

/* Packets that are handed in after the return meet these faults; those under way already arrive.
 * All links change at once. */
void forwarder_set(struct forwarder *forwarder, const struct links *links);

/* Ends the thread and frees everything. NULL is ignored. */
void forwarder_stop(struct forwarder *forwarder);

#endif
