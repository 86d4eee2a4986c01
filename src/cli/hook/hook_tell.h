/* Tells one hook of one event: by its environment, by a document on its standard input, and by a
 * line about what came of it. */
#ifndef CLI_HOOK_TELL_H
#define CLI_HOOK_TELL_H

#include <stdbool.h>
#include <stdint.h>

#include "doyen/client.h"

struct hook_teller {
    const struct doyen *client; /* whose events these are */
    const char *folder;
    uint64_t timeout_ms; /* for one hook */
    int end_fd;          /* readable when all is to end, and the hook with it */
    bool json;           /* the line is an object */
    /* Called while the hook of that name runs, as that of struct hook_run; NULL: nobody looks. */
    bool (*look)(void *user, const char *hook, int *again_ms);
    void *user;
    bool ended; /* that came while a hook ran, which was cut short: no further one is run */
};

/* Runs the executable of that name, if there is one, and waits for its end. `view` may be NULL. */
void hook_tell(struct hook_teller *teller, const char *hook, const struct doyen_event *event,
               const struct doyen_view *view);

#endif
