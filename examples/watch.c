/* Prints what happens, over restarts of the daemon: cc watch.c $(pkg-config --cflags --libs doyen)
 */
#include <doyen/client.h>
#include <stdio.h>

static int on_event(void *user, const struct doyen_event *event)
{
    (void)user;
    printf("%s: %s\n", event->name, event->text);
    fflush(stdout);
    return 0;
}

int main(void)
{
    struct doyen *d;

    if (doyen_open(&d, NULL) == 0) { /* DOYEN_CONTROL, or the only daemon of this host */
        (void)doyen_watch(d, NULL, 0, on_event, NULL);
    }
    fprintf(stderr, "watch: %s\n", doyen_error(d));
    doyen_close(d);
    return 1;
}
