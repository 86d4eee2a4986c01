/* Stands for the role "backup" and works while it holds that. The connection is the campaign; a
 * page of memory says for how long the role is held, also when the daemon is stopped. */
#include <doyen/client.h>
#include <doyen/lease.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

enum { LOOK_MS = 20, STOP_NS = 40000000 }; /* it has stopped so long before the role is lost */

/* Takes what the daemon says. Returns false when it is gone. */
static bool hear(int connection)
{
    struct pollfd ready = {.fd = connection, .events = POLLIN};
    char lines[4096];

    if (poll(&ready, 1, LOOK_MS) <= 0) {
        return true;
    }
    const ssize_t count = read(connection, lines, sizeof lines - 1);
    if (count > 0) {
        lines[count] = '\0';
        if (strstr(lines, "\"lost\"") != NULL) {
            const char stopped = DOYEN_LEASE_STOPPED; /* Nothing goes on between two looks. */
            (void)!write(connection, &stopped, 1);
        }
    }
    return count > 0;
}

int main(void)
{
    const struct doyen_campaign backup = {.role = "backup", .value = "10.0.0.5:5432"};
    struct doyen_lease lease;
    struct doyen *d;
    int page;

    if (doyen_open(&d, NULL) != 0) {
        fprintf(stderr, "campaign: %s\n", doyen_error(d));
        return 1;
    }
    const int connection = doyen_campaign(d, &backup, 5000, &page);
    if (connection < 0 || doyen_lease_map(&lease, page) < 0) {
        fprintf(stderr, "campaign: %s\n", connection < 0 ? doyen_error(d) : "no page to read");
        doyen_close(d);
        return 1;
    }
    while (hear(connection)) {
        uint64_t token, left_ns;

        if (doyen_lease_acting(&lease, &token, &left_ns) && left_ns > STOP_NS) {
            printf("works under token %llu\n", (unsigned long long)token);
            fflush(stdout);
        }
    }
    fprintf(stderr, "campaign: the daemon is gone\n");
    doyen_close(d);
    return 1;
}
