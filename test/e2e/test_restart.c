/* What survives a restart, and what two daemons cannot share: rules F2, I1, I2, V2. */
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

static const char *const five[] = {"athens", "byzantium", "cyrene", "delphi", "ephesus"};

static void start_with_state(struct cluster *cluster, const char *name)
{
    cluster_start(cluster, name, "athens",
                  ARGS("--state-dir", cluster_path(cluster, text_kept("%s.state", name))));
}

static bool all_hold_the_view_of(struct cluster *cluster, const char *name, size_t count)
{
    const json_t *members = json_object_get(cluster_members(cluster, name), "members");
    const char *view = cluster_view(cluster, name);

    if (json_array_size(members) != count) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(cluster_view(cluster, text_of(json_array_get(members, i), "name")), view) != 0) {
            return false;
        }
    }
    return true;
}

/* Does the daemon's file of what it remembers have this line? It is written in the background. */
static bool has_stored(struct cluster *cluster, const char *name, const char *line)
{
    char *state = file_read(cluster_path(cluster, text_kept("%s.state/state", name)), NULL);
    const bool stored = state != NULL && strstr(state, line) != NULL;

    free(state);
    return stored;
}

static bool remembers(struct cluster *cluster, const char *name, const char *peer)
{
    return has_stored(cluster, name,
                      text_kept("peer=%s\n", cluster_daemon(cluster, peer)->address));
}

/* F2, V2: nobody remembers the old view, but everybody its epoch and the old addresses. */
Story(restart, after_all_were_killed_they_form_one_cluster_above_the_old_epoch)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    for (size_t i = 0; i < 5; i++) {
        start_with_state(cluster, five[i]);
    }
    assert_soon(all_hold_the_view_of(cluster, "athens", 5));
    for (size_t i = 1; i < 5; i++) {
        assert_soon(remembers(cluster, "athens", five[i]));
    }
    cluster_kill(cluster, "athens");
    assert_soon(all_hold_the_view_of(cluster, "ephesus", 4));
    cluster_restart(cluster, "athens");
    assert_soon(all_hold_the_view_of(cluster, "athens", 5));
    const uint64_t epoch = cluster_epoch(cluster, "athens");
    cr_assert_gt(epoch, 1);
    assert_soon(
        has_stored(cluster, "athens", text_kept("epoch_seen=%llu\n", (unsigned long long)epoch)));
    for (size_t i = 0; i < 5; i++) {
        cluster_kill(cluster, five[i]);
    }

    for (size_t i = 0; i < 5; i++) {
        cluster_restart(cluster, five[i]);
    }
    assert_soon(all_hold_the_view_of(cluster, "athens", 5));
    cr_assert_gt(cluster_epoch(cluster, "athens"), epoch);
    const json_t *members = cluster_members(cluster, "athens");
    cr_assert_eq(number_of(entry_of(members, "members", "athens"), "incarnation"), 3);
    cr_assert_eq(number_of(entry_of(members, "members", "ephesus"), "incarnation"), 2);
}

/* F2: it remembers that it was a member, and whom to ask; its seeds are itself alone. */
Story(restart, a_former_founder_finds_the_others_by_what_it_remembers)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    start_with_state(cluster, "athens");
    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_agreement(cluster, "athens byzantium");
    assert_soon(remembers(cluster, "athens", "byzantium"));
    cluster_kill(cluster, "athens");
    assert_agreement(cluster, "byzantium");
    cluster_restart(cluster, "athens");

    assert_agreement(cluster, "byzantium athens");
    cr_assert(!cluster_log_has(cluster, "athens", "\"reason\":\"left_alone\""),
              "it did not found a second cluster in between");
}

static size_t error_count(const char *log)
{
    size_t count = 0;

    for (const char *at = log; (at = strstr(at, "\"level\":\"error\"")) != NULL; at++) {
        count++;
    }
    return count;
}

/* Runs a daemon that must not come up: status 1 and one line that says what and how to mend it. */
static void assert_refused(struct cluster *cluster, const char *const *arguments, const char *what,
                           const char *remedy)
{
    const struct outcome outcome = doyend(cluster, arguments);

    cr_assert_eq(outcome.code, 1, "%d: %s", outcome.code, outcome.err);
    cr_assert_eq(error_count(outcome.err), 1, "%s", outcome.err);
    assert_text_has(outcome.err, what);
    assert_text_has(outcome.err, remedy);
}

Story(restart, a_second_daemon_on_the_same_state_is_refused)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *state = cluster_path(cluster, "athens.state");

    start_with_state(cluster, "athens");
    assert_agreement(cluster, "athens");
    assert_refused(cluster,
                   ARGS("--name", "athens", "--listen",
                        text_kept("%s:%u", cluster->host, cluster_port(cluster)), "--control",
                        cluster_path(cluster, "second.sock"), "--state-dir", state),
                   state, "--state-dir");
    cr_assert_str_eq(cluster_view(cluster, "athens"), "1.1 athens/1");
}

Story(restart, a_second_daemon_on_the_same_port_is_refused)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *address = cluster_daemon(cluster, "athens")->address;

    cluster_start(cluster, "athens", "athens", NO_ARGS);
    assert_agreement(cluster, "athens");
    assert_refused(cluster,
                   ARGS("--name", "second", "--listen", address, "--control",
                        cluster_path(cluster, "second.sock")),
                   address, "--listen");
    cr_assert_str_eq(cluster_view(cluster, "athens"), "1.1 athens/1");
}

Story(restart, a_second_daemon_on_the_same_control_socket_is_refused)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "athens", "athens", NO_ARGS);
    assert_agreement(cluster, "athens");
    assert_refused(cluster,
                   ARGS("--name", "second", "--listen",
                        text_kept("%s:%u", cluster->host, cluster_port(cluster)), "--control",
                        cluster_daemon(cluster, "athens")->control),
                   cluster_daemon(cluster, "athens")->control, "--control");
    cr_assert_str_eq(cluster_view(cluster, "athens"), "1.1 athens/1");
}

/* I2: the name is a live member's; the answer says whose. The one who has it notices nothing. */
Story(restart, a_joiner_with_the_name_of_a_member_elsewhere_is_refused)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium");
    const char *before = cluster_view(cluster, "athens");
    cluster_start(cluster, "impostor", "athens",
                  ARGS("--name", "byzantium", "--join-timeout", "2s"));

    cr_assert_eq(cluster_await_end(cluster, "impostor"), 1);
    cr_assert(cluster_log_has(cluster, "impostor", "name_in_use"));
    cr_assert(cluster_log_has(cluster, "impostor", cluster_daemon(cluster, "byzantium")->address));
    cr_assert(cluster_log_has(cluster, "impostor", "--name"));
    cr_assert_str_eq(cluster_view(cluster, "athens"), before);
}

Story(restart, a_joiner_without_anybody_to_ask_gives_up_after_its_join_timeout)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "byzantium", "athens", ARGS("--join-timeout", "300ms"));

    cr_assert_eq(cluster_await_end(cluster, "byzantium"), 1);
    cr_assert(cluster_log_has(cluster, "byzantium", "--join-timeout"));
}

/* A file that was cut short or overwritten must not keep the daemon from starting. */
Story(restart, a_damaged_state_file_is_put_aside)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    start_with_state(cluster, "athens");
    assert_agreement(cluster, "athens");
    cr_assert_eq(cluster_terminate(cluster, "athens"), 0);
    FILE *state = fopen(cluster_path(cluster, "athens.state/state"), "we");
    cr_assert_not_null(state, "the state is in DIR/state");
    fputs("{\"incarnation\": nonsense", state);
    fclose(state);
    cluster_restart(cluster, "athens");

    assert_agreement(cluster, "athens");
    cr_assert(cluster_log_has(cluster, "athens", "state.bad"));
}
