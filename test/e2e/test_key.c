/* A cluster with a key: it keeps out who has none, and who has another; and what was recorded is
 * worth nothing. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"

static uint64_t counter(struct cluster *cluster, const char *name, const char *key)
{
    const json_t *status = cluster_document(cluster, name, "/v1/status");

    return number_of(json_object_get(status, "counters"), key);
}

static uint64_t not_opened(struct cluster *cluster, const char *name, const char *reason)
{
    const json_t *status = cluster_document(cluster, name, "/v1/status");

    return number_of(json_object_get(json_object_get(status, "counters"), "not_opened"), reason);
}

Story(key, nodes_with_the_same_key_form_a_cluster_and_carry_each_other)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_make_key(cluster, "key");
    cluster_form(cluster, "athens byzantium cyrene");
    cluster_kill(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene");
    cluster_restart(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene athens");
    const json_t *status = cluster_document(cluster, "byzantium", "/v1/status");
    const json_t *keys = json_object_get(json_object_get(status, "security"), "keys");
    cr_assert_eq(json_array_size(keys), 1);
    cr_assert(doyen(cluster, "byzantium", ARGS("status")).code == 0);
    cr_assert_eq(not_opened(cluster, "byzantium", "not authentic"), 0);
    cr_assert_eq(not_opened(cluster, "byzantium", "played back or too old"), 0);
}

Story(key, a_view_that_is_too_long_for_a_datagram_travels_sealed_by_stream)
{
    static char tag[400] = "note=";
    struct cluster *cluster = cluster_new(ARGS("--tag", tag));

    memset(tag + 5, 'x', sizeof tag - 6);
    cluster_make_key(cluster, "key");
    cluster_form(cluster, "athens byzantium cyrene delphi");
    cr_assert_gt(counter(cluster, "athens", "frames_out"), 3);
}

/* They found a cluster of their own, or none; ours does not change. */
static void assert_kept_out(struct cluster *cluster, const char *view)
{
    cr_assert_str_eq(cluster_view(cluster, "athens"), view);
    cr_assert_str_eq(cluster_view(cluster, "byzantium"), view);
}

Story(key, who_has_no_key_or_another_is_kept_out)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_make_key(cluster, "key");
    cluster_form(cluster, "athens byzantium");
    const char *view = text_kept("%s", cluster_view(cluster, "athens"));

    cluster->key = NULL;
    cluster_start(cluster, "stranger", "athens", ARGS("--join-timeout", "2s"));
    cr_assert_eq(cluster_await_end(cluster, "stranger"), 1);
    assert_kept_out(cluster, view);
    cr_assert_gt(counter(cluster, "athens", "without_key"), 0);

    cluster_make_key(cluster, "another");
    cluster_start(cluster, "thief", "athens byzantium", ARGS("--join-timeout", "2s"));
    cr_assert_eq(cluster_await_end(cluster, "thief"), 1);
    assert_kept_out(cluster, view);
    cr_assert_gt(not_opened(cluster, "athens", "other key"), 0);
    cr_assert_eq(cluster_log_count(cluster, "athens", "suspect"), 0);
}

Story(key, keys_are_made_and_refused_on_the_command_line)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *file = cluster_path(cluster, "key");

    const struct outcome made = doyend(cluster, ARGS("--make-key", file));
    cr_assert_eq(made.code, 0, "%s", made.err);
    cr_assert_not_null(strstr(made.out, file));
    const struct outcome again = doyend(cluster, ARGS("--make-key", file));
    cr_assert_eq(again.code, 1);
    cr_assert_not_null(strstr(again.err, "never overwritten"));
    cr_assert_eq(line_count(again.err), 1);

    const struct outcome bare = doyend(
        cluster, ARGS("--name", "a", "--listen", "0.0.0.0:0", "--advertise", "192.0.2.1:7420"));
    cr_assert_neq(bare.code, 0);
    const struct outcome open = doyend(cluster,
                                       ARGS("--name", "a", "--listen", "0.0.0.0:7420",
                                            "--advertise", "192.0.2.1:7420", "--control", file));
    cr_assert_eq(open.code, 78, "%d: %s", open.code, open.err);
    cr_assert_not_null(strstr(open.err, "--key"));
    cr_assert_eq(line_count(open.err), 1);
    const struct outcome both = doyend(
        cluster, ARGS("--key", file, "--insecure", "--listen", "127.0.0.1:7420", "--check"));
    cr_assert_neq(both.code, 0);
    cr_assert_not_null(strstr(both.err, "contradicts"));
    const struct outcome missing = doyend(
        cluster, ARGS("--key", "/nowhere/key", "--listen", "127.0.0.1:7420", "--name", "a"));
    cr_assert_eq(missing.code, 78);
    cr_assert_not_null(strstr(missing.err, "--make-key"));
}

Story(key, a_node_that_strangers_can_rule_says_so)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct daemon *daemon = cluster_daemon(cluster, "athens");
    const uint16_t port = loopback_port("0.0.0.0");

    daemon->port = port;
    daemon->address = text_kept("%s:%u", cluster->host, port);
    cluster_start(cluster, "athens", "athens",
                  ARGS("--listen", text_kept("0.0.0.0:%u", port), "--advertise", daemon->address,
                       "--insecure"));
    assert_agreement(cluster, "athens");
    cr_assert_eq(cluster_log_count(cluster, "athens", "insecure"), 1);
    const json_t *status = cluster_document(cluster, "athens", "/v1/status");
    cr_assert(json_is_true(json_object_get(json_object_get(status, "security"), "insecure")));
    cr_assert_not_null(strstr(doyen(cluster, "athens", ARGS("status")).out, "whoever can send"));
}
