#include "cli/hook/hook_right.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum {
    NS_PER_MS = 1000000,
    OPEN_AGAIN_MS = 1000, /* after a daemon that did not answer */
    LOOK_AGAIN_MS = 100,  /* while the page does not say what the daemon has said */
};

void hook_right_claim(struct hook_right *right, bool acts)
{
    right->claimed = acts;
    right->by_word = false;
    run_link_close(&right->link);
}

void hook_right_close(struct hook_right *right)
{
    run_link_close(&right->link);
}

/* Gets the page, and lets go of the connection: a hand-over would wait for whoever holds one. */
static enum exit_code open_page(struct hook_right *right, struct cli *cli)
{
    struct failure failure;
    const enum exit_code code = run_link_open(&right->link, cli, NULL, &failure);

    if (code == EXIT_DONE) {
        (void)close(right->link.connection);
        right->link.connection = -1;
    } else if (!failure_passes(code)) {
        right->by_word = true;
        fprintf(stderr,
                "doyen hook: %s; so a daemon that is stopped is noticed only when it has said "
                "nothing for 15 s\n",
                failure.text);
    }
    return code;
}

enum hook_right_state hook_right_look(struct hook_right *right, struct cli *cli, int *again_ms)
{
    uint64_t epoch = 0;
    uint64_t left_ns = 0;

    *again_ms = -1;
    if (!right->claimed) {
        return RIGHT_OVER;
    }
    if (!right->by_word && right->link.lease.page == NULL &&
        failure_passes(open_page(right, cli))) {
        *again_ms = OPEN_AGAIN_MS;
        return RIGHT_UNKNOWN;
    }
    if (right->by_word) {
        return RIGHT_HELD;
    }
    if (!doyen_lease_acting(&right->link.lease, &epoch, &left_ns)) {
        *again_ms = LOOK_AGAIN_MS;
        return RIGHT_OVER;
    }
    *again_ms = (int)(left_ns / NS_PER_MS) + 1;
    return RIGHT_HELD;
}
