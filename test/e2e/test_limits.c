/* What runs out: a daemon that lacks something says so, and goes on with what it has. */
#include <string.h>

#include "fixture.h"

static void start_with_descriptors(struct cluster *cluster, const char *name, const char *seed,
                                   const char *limit)
{
    struct daemon *daemon = cluster_daemon(cluster, name);

    cr_assert(process_start(&daemon->process,
                            ARGS("/bin/sh", "-c", "ulimit -n \"$0\" && exec \"$@\"", limit,
                                 DOYEND_PATH, "--name", name, "--listen", daemon->address,
                                 "--control", daemon->control, "--seed",
                                 cluster_daemon(cluster, seed)->address, "--capacity", "4"),
                            daemon->log, daemon->log));
}

static uint64_t starved_count(struct cluster *cluster, const char *name)
{
    return number_of(json_object_get(cluster_document(cluster, name, "/v1/status"), "counters"),
                     "starved");
}

/* The last descriptors are kept for clients: it stays a member by datagrams, and answers. */
Story(limits, a_daemon_without_descriptors_says_so_and_answers)
{
    struct cluster *cluster = cluster_new(ARGS("--capacity", "4"));

    cluster_form(cluster, "athens byzantium cyrene");
    start_with_descriptors(cluster, "delphi", "athens", "22");
    assert_agreement(cluster, "athens byzantium cyrene delphi");
    assert_soon(starved_count(cluster, "delphi") > 0);

    cr_assert(
        cluster_log_has(cluster, "delphi", "only 22 file descriptors, too few for 4 members"));
    cr_assert(cluster_log_has(cluster, "delphi", "no file descriptors left"));
    const struct outcome outcome = doyen(cluster, "delphi", ARGS("status"));
    cr_assert_eq(outcome.code, 0, "%s", outcome.err);
    assert_text_has(outcome.out, "no file descriptors left");
    assert_text_has(outcome.out, "start it anew with a higher limit");
}

Story(limits, enough_descriptors_are_nothing_to_speak_of)
{
    struct cluster *cluster = cluster_new(ARGS("--capacity", "4"));

    cluster_form(cluster, "athens byzantium cyrene");
    start_with_descriptors(cluster, "delphi", "athens", "64");
    assert_agreement(cluster, "athens byzantium cyrene delphi");
    assert_soon(
        number_of(json_object_get(cluster_document(cluster, "delphi", "/v1/status"), "links"),
                  "up") == 3);
    cr_assert_eq(starved_count(cluster, "delphi"), 0);
    cr_assert_eq(cluster_log_count(cluster, "delphi", "starved"), 0);
}
