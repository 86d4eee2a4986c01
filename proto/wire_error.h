/* Why bytes are not a message. Counted, never logged one by one. */
#ifndef PROTO_WIRE_ERROR_H
#define PROTO_WIRE_ERROR_H

enum wire_error {
    WIRE_OK = 0,
    WIRE_SHORT,         /* ends before it is complete */
    WIRE_MAGIC,         /* not ours */
    WIRE_OTHER_VERSION, /* a protocol version this node does not speak */
    WIRE_FLAGS,         /* flags, or use of reserved bytes, that this version does not know */
    WIRE_OTHER_CLUSTER, /* of a cluster of another name (I3) */
    WIRE_TYPE,          /* no such message */
    WIRE_SHAPE,         /* not the fields that wire.md says, or not their types */
    WIRE_BOUND,         /* a frame, list, text or number beyond its bound */
    WIRE_TRAILING,      /* bytes left over */
    WIRE_BASE,          /* a change of a view that is not held here (U3b) */
    WIRE_RESULT,        /* a change that does not make the view it announces (U3b) */
    WIRE_ERROR_COUNT,
};
const char *wire_error_text(enum wire_error error);

#endif
