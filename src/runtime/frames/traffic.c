#include "runtime/frames/traffic.h"

void traffic_count_refused(struct node_traffic *traffic, enum wire_error error)
{
    if (error == WIRE_BASE) {
        traffic->without_base++;
    } else {
        traffic->malformed[error]++;
    }
}
