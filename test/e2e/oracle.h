/* What must hold in every view that any daemon of a cluster ever shows (part C of the protocol),
 * as far as it can be seen from outside. */
#ifndef E2E_ORACLE_H
#define E2E_ORACLE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    ORACLE_MEMBERS_MAX = 8,
    ORACLE_VIEWS_MAX = 512,    /* different ones in a test, far more than any story makes */
    ORACLE_PROCESSES_MAX = 64, /* that a story starts */
    ORACLE_ID_MAX = 40,
};

/* A view as a daemon shows it. */
struct sight {
    pid_t process; /* who shows it */
    char name[64];
    uint64_t epoch;
    uint64_t version;
    size_t count;
    char ids[ORACLE_MEMBERS_MAX][ORACLE_ID_MAX];
    uint64_t ages[ORACLE_MEMBERS_MAX];
    size_t self; /* its own place in it */
};

struct oracle {
    size_t count;
    struct sight views[ORACLE_VIEWS_MAX];      /* each once, whoever shows it */
    struct sight newest[ORACLE_PROCESSES_MAX]; /* of each process, the last one it has shown */
    uint64_t age_max[ORACLE_PROCESSES_MAX];    /* that it has ever shown under that coordinator */
    size_t process_count;
};

/* Looks at the members document of a process, and fails the test when a rule is broken. NULL, and
 * a document without a view, are passed over. */
void oracle_look(struct oracle *oracle, pid_t process, const json_t *document);

#endif
