#include "proto/wire_error.h"

const char *wire_error_text(enum wire_error error)
{
    switch (error) {
    case WIRE_OK:
        return "ok";
    case WIRE_SHORT:
        return "ends before it is complete";
    case WIRE_MAGIC:
        return "not a message of ours";
    case WIRE_OTHER_VERSION:
        return "other protocol version";
    case WIRE_FLAGS:
        return "unknown flags";
    case WIRE_OTHER_CLUSTER:
        return "other cluster";
    case WIRE_TYPE:
        return "unknown message";
    case WIRE_SHAPE:
        return "wrong fields or types";
    case WIRE_BOUND:
        return "value out of bounds";
    case WIRE_TRAILING:
        return "bytes left over";
    case WIRE_BASE:
        return "change of a view that is not held";
    case WIRE_RESULT:
        return "change that makes another view";
    case WIRE_ERROR_COUNT:
        break;
    }
    return "unknown";
}
