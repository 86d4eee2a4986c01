/* Has a client ended its connection, which the loop has not come to yet? Which of several
 * connections it looks at first is left to chance, and who asks something has a right to what was
 * so before. */
#ifndef CONTROL_HUNG_UP_H
#define CONTROL_HUNG_UP_H

#include <poll.h>
#include <stdbool.h>

static inline bool has_hung_up(int fd)
{
    struct pollfd polled = {.fd = fd, .events = POLLRDHUP};

    return poll(&polled, 1, 0) > 0;
}

#endif
