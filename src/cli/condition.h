/* The conditions of `doyen wait`, which the members document meets or not. */
#ifndef CLI_CONDITION_H
#define CLI_CONDITION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { CONDITION_TEXT_MAX = 512 };

/* All zero asks only that the node is a member. */
struct conditions {
    uint64_t member_count;   /* this many in the view; 0: any number */
    bool at_least;           /* or more of them */
    const char *coordinator; /* NULL: anyone, or nobody */
    const char *present;     /* the name of a member; NULL: any */
    const char *absent;      /* a name that no member has; NULL: any */
    bool acting;             /* this very node */
    bool guard_met;
};

/* Do all conditions hold? If not, `missing` says in words what is the case instead. */
bool conditions_hold(const struct conditions *conditions, const json_t *members,
                     char missing[CONDITION_TEXT_MAX]);

#endif
