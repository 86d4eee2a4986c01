/* The probes /livez and /readyz, over the life of a node. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"

/* "503 not ready: ..." */
static const char *probe(struct cluster *cluster, const char *name, const char *path)
{
    struct http_answer answer;

    if (!http_get(cluster_daemon(cluster, name)->control, path, LIMIT_MS, &answer)) {
        return "silent";
    }
    const char *text = text_kept("%d %s", answer.status, answer.body);
    http_answer_deinit(&answer);
    return text;
}

static bool says(struct cluster *cluster, const char *name, const char *path, const char *begin)
{
    return strncmp(probe(cluster, name, path), begin, strlen(begin)) == 0;
}

Story(health, a_node_is_ready_from_its_first_view_until_it_leaves)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    /* Its seed is not there: it joins, and is alive. */
    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_soon(says(cluster, "byzantium", "/livez", "200 ok\n"));
    assert_text_has(probe(cluster, "byzantium", "/readyz"), "503 not ready: this node is joining;");
    assert_text_has(probe(cluster, "byzantium", "/readyz?verbose"),
                    "503 [-] phase: this node is joining;");

    cluster_start(cluster, "athens", "athens", NO_ARGS);
    assert_agreement(cluster, "athens byzantium");
    assert_soon(says(cluster, "byzantium", "/readyz", "200 ok\n"));
    assert_soon(says(cluster, "athens", "/readyz", "200 ok\n"));
    assert_soon(
        says(cluster, "byzantium", "/readyz?verbose",
             "200 [+] phase: this node is a member\n[+] coordinator: the coordinator athens "
             "was heard "));

    /* It leaves in good order while the other one, which has to let it out, stands still. */
    cluster_pause(cluster, "athens");
    cr_assert_eq(kill(cluster_daemon(cluster, "byzantium")->process.pid, SIGTERM), 0);
    assert_soon(says(cluster, "byzantium", "/readyz", "503 not ready: this node is leaving"));
    cr_assert_str_eq(probe(cluster, "byzantium", "/livez"), "200 ok\n");
    cr_assert_eq(cluster_await_end(cluster, "byzantium"), 0);
    cluster_resume(cluster, "athens");
    assert_agreement(cluster, "athens");
}

/* The coordinator stands still: its follower's view is stale before anything is decided about it.
 */
Story(health, a_follower_that_does_not_hear_its_coordinator_is_not_ready)
{
    struct cluster *cluster = cluster_new(ARGS("--guard", "2"));

    cluster_form(cluster, "athens byzantium");
    assert_soon(says(cluster, "byzantium", "/readyz", "200 ok\n"));
    cluster_pause(cluster, "athens");
    assert_soon(says(cluster, "byzantium", "/readyz", "503 not ready: "));
    assert_soon(says(cluster, "byzantium", "/readyz",
                     "503 not ready: the guard is not met: 1 fresh member, 2 needed\n"));
    cluster_resume(cluster, "athens");
    assert_soon(says(cluster, "byzantium", "/readyz", "200 ok\n"));
}

/* What Kubernetes asks: by TCP, at the address of the pod. */
Story(health, the_probes_are_served_over_tcp)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const uint16_t port = cluster_port(cluster);
    struct http_answer answer;
    char type[64] = "";

    cluster_start(cluster, "athens", "athens",
                  ARGS("--http", text_kept("%s:%u", cluster->host, port)));
    assert_agreement(cluster, "athens");
    const int fd = dial_tcp(cluster->host, port);
    cr_assert_geq(fd, 0);
    cr_assert(http_ask(fd, "GET", "/readyz", NULL, LIMIT_MS, &answer));
    cr_assert_eq(answer.status, 200, "%s", answer.text);
    cr_assert(http_header(&answer, "Content-Type", type, sizeof type));
    cr_assert_str_eq(type, "text/plain; charset=utf-8");
    cr_assert_str_eq(answer.body, "ok\n");
    http_answer_deinit(&answer);
    close(fd);
}
