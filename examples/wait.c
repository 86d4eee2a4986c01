/* Waits until the guard is met and there are three members at least, and prints them. */
#include <doyen/client.h>
#include <stdio.h>

int main(void)
{
    const struct doyen_condition enough = {
        .size = sizeof enough, .members = 3, .at_least = true, .guard_met = true};
    const struct doyen_view *view;
    struct doyen *d;

    if (doyen_open(&d, NULL) != 0 || doyen_wait(d, &enough, 30000, &view) != 0) {
        fprintf(stderr, "wait: %s\n", doyen_error(d));
        doyen_close(d);
        return 1;
    }
    for (size_t i = 0; i < view->member_count; i++) {
        const struct doyen_member *member = view->members[i];
        printf("%s %s%s\n", member->name, member->address,
               member->coordinator ? " coordinates" : "");
    }
    doyen_view_release(view);
    doyen_close(d);
    return 0;
}
