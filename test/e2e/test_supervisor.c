/* What a service manager hears of a daemon that it started: sd_notify(3). */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fixture.h"

enum { HEARD_MAX = 1 << 16 };

/* The service manager's ear. Daemons started from now on know of it. */
struct manager {
    int fd;
    size_t used;
    char heard[HEARD_MAX]; /* the datagrams, a line end behind each */
};

static void listen_at(struct manager *manager, struct cluster *cluster, const char *usec)
{
    const char *path = cluster_path(cluster, "notify");
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    *manager = (struct manager){.fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    cr_assert_geq(manager->fd, 0);
    cr_assert_lt(strlen(path), sizeof address.sun_path);
    memcpy(address.sun_path, path, strlen(path));
    cr_assert_eq(bind(manager->fd, (struct sockaddr *)&address, sizeof address), 0);
    setenv("NOTIFY_SOCKET", path, 1);
    if (usec != NULL) {
        setenv("WATCHDOG_USEC", usec, 1);
    }
}

/* How often these words were heard so far. */
static size_t heard(struct manager *manager, const char *words)
{
    size_t count = 0;
    ssize_t length;

    while ((length = recv(manager->fd, manager->heard + manager->used,
                          HEARD_MAX - 2 - manager->used, MSG_DONTWAIT)) > 0) {
        manager->used += (size_t)length;
        manager->heard[manager->used++] = '\n';
    }
    for (const char *at = manager->heard; (at = strstr(at, words)) != NULL; at++) {
        count++;
    }
    return count;
}

Story(supervisor, ready_means_a_member_and_stopping_that_it_leaves)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct manager manager;

    listen_at(&manager, cluster, NULL);
    cluster_start(cluster, "byzantium", "athens", NO_ARGS); /* Its seed is not there yet. */
    assert_soon(heard(&manager, "STATUS=this node is not in") > 0);
    cr_assert_eq(heard(&manager, "READY=1"), 0, "%s", manager.heard);
    unsetenv("NOTIFY_SOCKET");
    cluster_start(cluster, "athens", "athens", NO_ARGS);
    assert_agreement(cluster, "athens byzantium");
    assert_soon(heard(&manager, "STATUS=healthy: 2 of 2; view 1.2, coordinator athens\n") > 0);

    cluster_kill(cluster, "athens");
    assert_soon(heard(&manager, "STATUS=1 of 2 is here: athens failed ") > 0);
    assert_soon(heard(&manager, " ago; view 2.3, coordinator byzantium\n") > 0);
    cr_assert_eq(heard(&manager, "READY=1"), 1);
    cr_assert_eq(heard(&manager, "WATCHDOG=1"), 0);
    cr_assert_eq(cluster_terminate(cluster, "byzantium"), 0);
    cr_assert_eq(heard(&manager, "STOPPING=1\n"), 1, "%s", manager.heard);
    close(manager.fd);
}

Story(supervisor, the_loop_feeds_the_watchdog_and_a_reload_is_told)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct manager manager;

    listen_at(&manager, cluster, "200000");
    cluster_start(cluster, "athens", "athens", NO_ARGS);
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    assert_soon(heard(&manager, "WATCHDOG=1\n") > 3);
    assert_soon(heard(&manager, "READY=1\n") == 1);
    cr_assert_eq(kill(cluster_daemon(cluster, "athens")->process.pid, SIGHUP), 0);
    assert_soon(heard(&manager, "READY=1\n") == 2);
    cr_assert_eq(heard(&manager, "RELOADING=1\nMONOTONIC_USEC="), 1, "%s", manager.heard);

    cluster_pause(cluster, "athens");
    size_t fed;
    do { /* What was under way when it stopped is still heard. */
        fed = heard(&manager, "WATCHDOG=1\n");
        clock_nap_ms(1000);
    } while (heard(&manager, "WATCHDOG=1\n") != fed);
    cluster_resume(cluster, "athens");
    assert_soon(heard(&manager, "WATCHDOG=1\n") > fed);
    close(manager.fd);
}

Story(supervisor, a_service_manager_that_is_not_there_is_one_warning)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    setenv("NOTIFY_SOCKET", cluster_path(cluster, "nobody"), 1);
    cluster_start(cluster, "athens", "athens", NO_ARGS);
    unsetenv("NOTIFY_SOCKET");
    assert_agreement(cluster, "athens");
    cr_assert_eq(cluster_log_count(cluster, "athens", "supervisor"), 1);
}

Story(supervisor, a_watchdog_time_that_is_none_is_one_warning)
{
    static const char *const wrong[] = {"abc", "-5", "1999", "2s", "99999999999999999999999"};
    static const char *const names[] = {"athens", "byzantium", "cyrene", "delphi", "ephesus"};
    static const char *const agreed[] = {
        "athens",
        "athens byzantium",
        "athens byzantium cyrene",
        "athens byzantium cyrene delphi",
        "athens byzantium cyrene delphi ephesus",
    };
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct manager manager;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        setenv("WATCHDOG_USEC", wrong[i], 1);
        cluster_start(cluster, names[i], "athens", NO_ARGS);
        assert_soon(cluster_log_count(cluster, names[i], "supervisor") == 1);
        assert_agreement(cluster, agreed[i]);
    }
    unsetenv("WATCHDOG_USEC");
    listen_at(&manager, cluster, "9000000000000000000"); /* Far away, and in order. */
    cluster_kill(cluster, "ephesus");
    cluster_restart(cluster, "ephesus");
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    assert_soon(heard(&manager, "READY=1") == 1);
    cr_assert_eq(heard(&manager, "WATCHDOG=1"), 1, "%s", manager.heard);
    close(manager.fd);
}
