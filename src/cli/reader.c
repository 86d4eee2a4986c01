#include "cli/reader.h"

#include <errno.h>
#include <poll.h>

#include "cli/clock.h"

bool reader_stays(int fd, uint64_t milliseconds)
{
    /* An end that nobody reads shows as an error or as hung up, which are always polled for. */
    struct pollfd end = {.fd = fd};
    const uint64_t deadline_ms = clock_now_ms() + milliseconds;
    int count = 0;

    do {
        count = poll(&end, 1, (int)clock_left_ms(deadline_ms));
    } while (count < 0 && errno == EINTR);
    return count <= 0 || (end.revents & (POLLERR | POLLHUP)) == 0;
}
