/* Why something failed: a DOYEN_E_* and one line for people that names the fault and, where there
 * is one, the remedy. */
#ifndef CLIENT_PROBLEM_H
#define CLIENT_PROBLEM_H

#include <stdbool.h>

#include "doyen/client.h"

enum { PROBLEM_TEXT_MAX = 1024 };

struct problem {
    int code;    /* 0: none */
    bool nobody; /* of DOYEN_E_UNREACHABLE: no daemon is there at all */
    char text[PROBLEM_TEXT_MAX];
};

/* Fills it in, `nobody` as false, cutting the text where it is too long, and returns `code`. */
int problem_set(struct problem *problem, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

int problem_memory(struct problem *problem);

/* May another try go better, because only nobody was there? */
bool problem_passes(const struct problem *problem);

#endif
