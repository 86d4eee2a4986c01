#include "cli/run/role_lines.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "cli/request/clock.h"
#include "doyen/lease.h"

enum {
    ASK_AFTER_MS = 5000, /* of silence */
    ANSWER_MS = 5000,    /* within which a daemon that goes on has answered */
};

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
        lines->heard_ms = clock_now_ms();
    }
}

bool role_lines_are_alive(struct role_lines *lines)
{
    const char question = 'h'; /* what is held? */
    const uint64_t now_ms = clock_now_ms();

    if (lines->heard_ms == 0) {
        lines->heard_ms = now_ms;
    }
    if (lines->asked_ms > lines->heard_ms) {
        return now_ms - lines->asked_ms < ANSWER_MS;
    }
    if (now_ms - lines->heard_ms >= ASK_AFTER_MS) {
        lines->asked_ms = now_ms;
        (void)send(lines->connection, &question, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    return true;
}

void role_lines_say_stopped(const struct role_lines *lines)
{
    const char stopped = DOYEN_LEASE_STOPPED;

    (void)send(lines->connection, &stopped, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}
