/* Tells the service manager that started this process how it does: READY once it is a member, a
 * line of status that says the state of the whole (words/whole.h), RELOADING and STOPPING, and a
 * sign of life from the loop for as long as the loop turns. The protocol is that of sd_notify(3):
 * datagrams to the socket that NOTIFY_SOCKET names. Nothing happens where there is none. */
#ifndef DAEMON_SUPERVISOR_H
#define DAEMON_SUPERVISOR_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "node/inside.h"
#include "runtime/process/log.h"

enum { SUPERVISOR_WORDS_MAX = 1500 };

struct supervisor {
    struct log *log;
    const struct doyen_node *node; /* NULL until supervisor_watch */
    int fd;                        /* -1: nobody listens */
    bool ready;                    /* said so */
    uint64_t seen;                 /* the journal's cursor when it was looked at last, */
    uint64_t looked_ms;            /* which was then */
    char told[SUPERVISOR_WORDS_MAX];
    uv_check_t look; /* after each turn of the loop */
    uv_timer_t alive;
};

/* Tells the service manager this one line of status, before supervisor_open. */
void supervisor_say_status(const char *words);

/* Takes NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID out of the environment, and opens the socket,
 * so that it is there when the sandbox closes. What is wrong with them is one warning on the log.
 * `log` is borrowed. */
void supervisor_open(struct supervisor *supervisor, uv_loop_t *loop, struct log *log);

/* Tells of this node from now on. It is borrowed until supervisor_close. */
void supervisor_watch(struct supervisor *supervisor, const struct doyen_node *node);

/* The configuration is read again; and that is done. */
void supervisor_reloading(struct supervisor *supervisor);
void supervisor_reloaded(struct supervisor *supervisor);

/* The daemon was told to go. */
void supervisor_stopping(struct supervisor *supervisor);

/* Closes the handles and the socket. */
void supervisor_close(struct supervisor *supervisor);

#endif
