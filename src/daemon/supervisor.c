#include "daemon/supervisor.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "words/whole.h"

enum { WORDS_MAX = 400, WATCHDOG_US_MIN = 2000, LOOK_MS = 1000 };

#define WATCHDOG_US_MAX INT64_MAX /* what is more is an overflow */

/* --- Saying something ------------------------------------------------------------------------ */

static void tell(const struct supervisor *supervisor, const char *words)
{
    if (supervisor->fd >= 0) {
        /* A service manager that does not read is not waited for. */
        (void)send(supervisor->fd, words, strlen(words), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
}

/* Of a member also its view, and who coordinates. */
static void add_view(const struct core *core, char *words)
{
    const size_t length = strlen(words);
    const struct view *view = core_view(core);
    const struct member *coordinator = core_coordinator(core);

    if (view_is_empty(view)) {
        return;
    }
    (void)snprintf(words + length, SUPERVISOR_WORDS_MAX - length,
                   "; view %" PRIu64 ".%" PRIu64 ", coordinator %s", view->epoch, view->version,
                   coordinator != NULL ? coordinator->name : "unknown");
}

/* The state of the whole as a status line, and READY with the first one of a member. A line ends
 * such a line, and what a seed answered may have one. */
static void tell_status(struct supervisor *supervisor)
{
    const struct core *core = node_core(node_inside(supervisor->node));
    const bool is_member = core_phase(core) == PHASE_MEMBER;
    struct whole whole;
    char words[SUPERVISOR_WORDS_MAX];

    if (!node_inside_whole(supervisor->node, &whole)) {
        return;
    }
    for (char *at = whole.sentence; *at != '\0'; at++) {
        *at = iscntrl((unsigned char)*at) ? '?' : *at;
    }
    (void)snprintf(words, sizeof words, "STATUS=%s", whole.sentence);
    add_view(core, words);
    if (is_member && !supervisor->ready) {
        supervisor->ready = true;
        tell(supervisor, "READY=1");
    }
    if (strcmp(words, supervisor->told) != 0) {
        memcpy(supervisor->told, words, sizeof words);
        tell(supervisor, words);
    }
}

/* At each change, and, as much is told by the passing of time alone, in a turn of each second. */
static void on_look(uv_check_t *look)
{
    struct supervisor *supervisor = look->data;
    struct node *node = node_inside(supervisor->node);

    if (node == NULL) {
        return;
    }
    const uint64_t cursor = journal_cursor(node_journal(node));
    const uint64_t now_ms = node_now_ms(node);
    if (cursor != supervisor->seen || now_ms >= supervisor->looked_ms + LOOK_MS) {
        supervisor->seen = cursor;
        supervisor->looked_ms = now_ms;
        tell_status(supervisor);
    }
}

static void on_alive(uv_timer_t *alive)
{
    tell(alive->data, "WATCHDOG=1");
}

/* --- What the environment says --------------------------------------------------------------- */

/* A path, or the name of an abstract socket behind an "@". Returns false when it is neither. */
static bool address_of(const char *name, struct sockaddr_un *address, socklen_t *size)
{
    const size_t length = strlen(name);

    if ((*name != '/' && *name != '@') || length < 2 || length >= sizeof address->sun_path) {
        return false;
    }
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(address->sun_path, name, length);
    if (*name == '@') {
        address->sun_path[0] = '\0';
    }
    *size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    return true;
}

static int connect_to(const char *name)
{
    struct sockaddr_un address;
    socklen_t size;

    if (!address_of(name, &address, &size)) {
        errno = EINVAL;
        return -1;
    }
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, size) != 0) {
        const int error = errno;
        (void)close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

/* How often the service manager wants a sign of life from this process; 0: it asks for none, or in
 * words that mean nothing, which is logged. */
static uint64_t watchdog_ms(struct log *log)
{
    const char *usec = getenv("WATCHDOG_USEC");
    const char *pid = getenv("WATCHDOG_PID");

    if (usec == NULL || (pid != NULL && strtoll(pid, NULL, 10) != getpid())) {
        return 0;
    }
    char *end = NULL;
    const unsigned long long period_us = strtoull(usec, &end, 10);
    const bool is_number = *usec >= '0' && *usec <= '9' && *end == '\0';
    if (!is_number || period_us < WATCHDOG_US_MIN || period_us > WATCHDOG_US_MAX) {
        log_line(log, LOG_WARN, "supervisor",
                 "WATCHDOG_USEC=%s: is no number of microseconds from %d to %lld: the service "
                 "manager gets no sign of life",
                 usec, WATCHDOG_US_MIN, (long long)WATCHDOG_US_MAX);
        return 0;
    }
    return period_us / 1000;
}

void supervisor_say_status(const char *words)
{
    const char *name = getenv("NOTIFY_SOCKET");
    struct supervisor supervisor = {.fd = name == NULL ? -1 : connect_to(name)};
    char status[WORDS_MAX];

    (void)snprintf(status, sizeof status, "STATUS=%s", words);
    tell(&supervisor, status);
    if (supervisor.fd >= 0) {
        (void)close(supervisor.fd);
    }
}

void supervisor_open(struct supervisor *supervisor, uv_loop_t *loop, struct log *log)
{
    const char *name = getenv("NOTIFY_SOCKET");
    const uint64_t period_ms = watchdog_ms(log);

    *supervisor = (struct supervisor){.log = log, .fd = -1};
    (void)uv_check_init(loop, &supervisor->look); /* cannot fail */
    (void)uv_timer_init(loop, &supervisor->alive);
    supervisor->look.data = supervisor;
    supervisor->alive.data = supervisor;
    if (name != NULL) {
        supervisor->fd = connect_to(name);
        if (supervisor->fd < 0) {
            log_line(log, LOG_WARN, "supervisor",
                     "NOTIFY_SOCKET=%s: %s: the service manager hears nothing of this daemon", name,
                     strerror(errno));
        }
    }
    if (supervisor->fd >= 0 && period_ms > 0) {
        (void)uv_timer_start(&supervisor->alive, on_alive, 0, period_ms / 2);
    }
    (void)unsetenv("NOTIFY_SOCKET"); /* They are for this process alone. */
    (void)unsetenv("WATCHDOG_USEC");
    (void)unsetenv("WATCHDOG_PID");
}

void supervisor_watch(struct supervisor *supervisor, const struct doyen_node *node)
{
    supervisor->node = node;
    if (supervisor->fd >= 0) {
        tell_status(supervisor);
        (void)uv_check_start(&supervisor->look, on_look);
    }
}

/* --- What the daemon does -------------------------------------------------------------------- */

void supervisor_reloading(struct supervisor *supervisor)
{
    struct timespec now = {.tv_sec = 0};
    char words[WORDS_MAX];

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(words, sizeof words, "RELOADING=1\nMONOTONIC_USEC=%llu",
             (unsigned long long)now.tv_sec * 1000000 + (unsigned long long)now.tv_nsec / 1000);
    tell(supervisor, words);
}

void supervisor_reloaded(struct supervisor *supervisor)
{
    tell(supervisor, "READY=1");
}

void supervisor_stopping(struct supervisor *supervisor)
{
    tell(supervisor, "STOPPING=1\nSTATUS=leaving");
}

void supervisor_close(struct supervisor *supervisor)
{
    uv_close((uv_handle_t *)&supervisor->look, NULL);
    uv_close((uv_handle_t *)&supervisor->alive, NULL);
    if (supervisor->fd >= 0) {
        (void)close(supervisor->fd);
        supervisor->fd = -1;
    }
}
