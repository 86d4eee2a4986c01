/* The sizes of single values on the wire, which reading and writing share. */
#ifndef PROTO_WIRE_SIZES_H
#define PROTO_WIRE_SIZES_H

#include <stdint.h>

enum {
    WIRE_ADDRESS_4_BYTES = 4 + 2, /* IPv4 address and port */
    WIRE_ADDRESS_6_BYTES = 16 + 2,
};

/* No duration on the wire is longer, in milliseconds. */
#define WIRE_MS_MAX UINT32_MAX

#endif
