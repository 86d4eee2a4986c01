/* Works while this node acts, as the only one of its cluster: looks before each piece of work,
 * which has to be done before the right that it saw is over. */
#include <doyen/client.h>
#include <stdio.h>
#include <time.h>

enum { WORK_NS = 20000000 }; /* what a piece takes at the most */

static void nap(long ns)
{
    const struct timespec span = {.tv_nsec = ns};

    (void)nanosleep(&span, NULL);
}

int main(void)
{
    struct doyen *d;

    if (doyen_open(&d, NULL) != 0 || doyen_lease_get(d, 5000) != 0) {
        fprintf(stderr, "lead: %s\n", doyen_error(d));
        doyen_close(d);
        return 1;
    }
    for (;;) {
        struct doyen_right right;

        if (doyen_acting(d, &right) && right.left_ns > 2 * WORK_NS) {
            /* Send the epoch along: whoever stores something refuses a lower one. */
            printf("works under epoch %llu\n", (unsigned long long)right.epoch);
            fflush(stdout);
        }
        nap(WORK_NS);
    }
}
