/* What doyen run, or doyen campaign, tells of a command: one line on stderr for each start, stop
 * and reason. */
#ifndef CLI_RUN_REPORT_H
#define CLI_RUN_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/run/run_hold.h"

/* For whom the lines are, and of whom they tell. */
struct run_voice {
    bool json;
    const char *role; /* NULL: the right to act is what the command runs under */
    const char *node; /* its name; NULL while it is not known */
    uint64_t epoch;   /* 0 while the node does not act; of a role the token */
};

/* One line "doyen run: TEXT"; with --json an object with `event`, `node`, `epoch` (of a role:
 * `role` and `token`), `text` and what is in `facts`, which is the callee's from then on and may be
 * NULL. */
void run_say(const struct run_voice *voice, const char *event, json_t *facts, const char *format,
             ...) __attribute__((format(printf, 4, 5)));

enum run_event {
    RUN_STARTED,
    RUN_ACTING,      /* a standby was told under which epoch it acts */
    RUN_TERMINATING, /* TERM was sent */
    RUN_KILLING,     /* KILL was sent */
    RUN_FAILED,      /* the command could not be executed */
    RUN_ENDED,       /* it and all that it had started are gone */
};

/* Something that happened to the command; as it is sent from process to process. */
struct run_news {
    enum run_event event;
    enum run_reason reason; /* why it has to end; REASON_NONE: it ended by itself */
    pid_t pid;
    int status;           /* RUN_ENDED: as waitpid gives it; RUN_FAILED: errno */
    int signal;           /* with REASON_ASKED: the one that doyen run got; 0: none */
    uint64_t at_ns;       /* when, on the clock of the lease page */
    uint64_t kill_ns;     /* RUN_TERMINATING: when KILL is due */
    uint64_t renewed_ns;  /* when the lease was renewed last */
    uint64_t deadline_ns; /* of the right to act, as it was read last; 0: it only stood by */
};

void run_report_news(const struct run_voice *voice, const struct run_news *news);

#endif
