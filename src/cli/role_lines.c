#include "cli/role_lines.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "doyen/lease.h"

/* Returns false when there is no whole line. */
static bool take_line(struct role_lines *lines, json_t **event)
{
    char *end = memchr(lines->text, '\n', lines->length);

    if (end == NULL) {
        if (lines->length == sizeof lines->text) {
            lines->length = 0;
        }
        return false;
    }
    const size_t used = (size_t)(end - lines->text) + 1;
    *event = json_loadb(lines->text, used, 0, NULL);
    lines->length -= used;
    memmove(lines->text, lines->text + used, lines->length);
    return true;
}

int role_lines_next(struct role_lines *lines, json_t **event)
{
    for (;;) {
        while (take_line(lines, event)) {
            if (json_is_object(*event)) {
                return 1;
            }
            json_decref(*event);
        }
        const ssize_t count = recv(lines->connection, lines->text + lines->length,
                                   sizeof lines->text - lines->length, MSG_DONTWAIT);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return count < 0 && errno == EAGAIN ? 0 : -1;
        }
        lines->length += (size_t)count;
    }
}

void role_lines_say_stopped(const struct role_lines *lines)
{
    const char stopped = DOYEN_LEASE_STOPPED;

    (void)send(lines->connection, &stopped, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}
