/* Which versions of the protocol are spoken here (J2c). */
#ifndef PROTO_WIRE_VERSION_H
#define PROTO_WIRE_VERSION_H

enum {
    /* One more than in the build before, where either would read otherwise what the other writes:
     * then they turn each other away by name. */
    WIRE_VERSION = 6,

#ifdef DOYEN_NEXT_VERSION /* For tests: see body.c. */
    WIRE_VERSION_LOW = WIRE_VERSION - 1 + DOYEN_NEXT_VERSION,
    WIRE_VERSION_HIGH = WIRE_VERSION + 1,
#else
    WIRE_VERSION_LOW = WIRE_VERSION,
    WIRE_VERSION_HIGH = WIRE_VERSION,
#endif
};

#endif
