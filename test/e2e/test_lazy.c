/* Beats that are read when the loop wakes for something else (decision 34): what a cluster decides
 * is what it was. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fixture.h"

#define FIVE "athens byzantium cyrene delphi ephesus"

enum { BEAT_BYTES = 22, FLOOD_MS = 3000, AT_ONCE = 100 };

static const char *const five[] = {"athens", "byzantium", "cyrene", "delphi", "ephesus"};

static const json_t *counters(struct cluster *cluster, const char *name)
{
    return json_object_get(cluster_document(cluster, name, "/v1/status"), "counters");
}

static bool waits(struct cluster *cluster, const char *name)
{
    return json_is_true(json_object_get(counters(cluster, name), "beats_wait"));
}

/* Beats come, too. Where the system has no such sockets the story is about other things. */
static void assert_lazy(struct cluster *cluster)
{
    for (size_t i = 1; i < 5; i++) {
        assert_soon(number_of(counters(cluster, five[i]), "beats_in") > 4);
        if (!waits(cluster, five[i])) {
            cr_skip_test("%s reads beats as they come: %s", five[i], daemons_text());
        }
    }
}

static const char *verdict_on(struct cluster *cluster, const char *gone)
{
    return text_of(entry_of(cluster_members(cluster, "byzantium"), "gone", gone), "verdict");
}

Story(lazy, beats_wait_with_any_profile)
{
    struct cluster *cluster = cluster_new(ARGS("--profile", "local"));

    cluster_form(cluster, FIVE);
    assert_lazy(cluster);
}

/* D8c: what gives it the right to act comes as an answer, which is longer than the beats that wait.
 */
Story(lazy, a_coordinator_waits_for_beats_as_everybody_does)
{
    struct cluster *cluster = cluster_new(ARGS("--guard", "majority", "--size", "5"));

    cluster_form(cluster, FIVE);
    assert_lazy(cluster);
    cr_assert(waits(cluster, "athens"));
    cluster_kill(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene delphi ephesus");
    cr_assert(waits(cluster, "byzantium"));
}

/* R1, D2f: a process that dies, one whose network is gone, and one that hangs. */
Story(lazy, who_dies_is_lost_or_hangs_is_found_out)
{
    struct cluster *cluster = cluster_new(ARGS("--faults"));

    cluster_form(cluster, FIVE);
    assert_lazy(cluster);
    cluster_kill(cluster, "delphi");
    assert_agreement(cluster, "athens byzantium cyrene ephesus");
    cr_assert_str_eq(verdict_on(cluster, "delphi"), "dead");

    const struct outcome cut = doyen(cluster, "ephesus",
                                     ARGS("fault", "drop", "athens", "byzantium", "cyrene"));
    cr_assert_eq(cut.code, 0, "%s", cut.err);
    assert_soon(strcmp(verdict_on(cluster, "ephesus"), "") != 0);
    cluster_kill(cluster, "ephesus");
    assert_agreement(cluster, "athens byzantium cyrene");

    cluster_pause(cluster, "athens");
    assert_soon(strcmp(verdict_on(cluster, "athens"), "stalled") == 0);
    cluster_resume(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene athens");
}

/* D4, D2g: who was stopped reads what it would have read, and finds nobody lost for its own sleep.
 */
Story(lazy, who_was_stopped_for_a_while_removes_nobody)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, FIVE);
    assert_lazy(cluster);
    cluster_pause(cluster, "athens");
    assert_soon(strcmp(verdict_on(cluster, "athens"), "stalled") == 0);
    cluster_resume(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene delphi ephesus athens");
    for (size_t i = 1; i < 5; i++) {
        const json_t *gone = json_object_get(cluster_members(cluster, five[i]), "gone");
        for (size_t k = 0; k < json_array_size(gone); k++) {
            cr_assert_str_eq(text_of(json_array_get(gone, k), "name"), "athens", "%s",
                             cluster_text(cluster));
        }
    }
}

/* --- A flood --------------------------------------------------------------------------------- */

static void flood(struct cluster *cluster, int fd, const char *name)
{
    static const uint8_t beat[BEAT_BYTES] = {'B', 0x10, 1, 2, 3, 4};
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(cluster_daemon(cluster, name)->port)};

    cr_assert_eq(inet_pton(AF_INET, cluster->host, &to.sin_addr), 1);
    for (size_t i = 0; i < AT_ONCE; i++) {
        (void)sendto(fd, beat, sizeof beat, 0, (const struct sockaddr *)&to, sizeof to);
    }
}

/* What looks like beats fills the room for them: they are read as they come until it is over. */
Story(lazy, a_flood_of_what_looks_like_beats_removes_nobody)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool read_eagerly = false;

    cr_assert_geq(fd, 0);
    cluster_form(cluster, FIVE);
    assert_lazy(cluster);
    const uint64_t epoch = cluster_epoch(cluster, "athens");
    const char *view = cluster_view(cluster, "athens");
    const uint64_t until_ms = clock_now_ms() + FLOOD_MS;
    while (clock_now_ms() < until_ms) {
        flood(cluster, fd, "byzantium");
        clock_nap_ms(2);
        read_eagerly = read_eagerly || !waits(cluster, "byzantium");
    }
    close(fd);
    cr_assert(read_eagerly);
    cr_assert_eq(cluster_epoch(cluster, "athens"), epoch);
    cr_assert_str_eq(cluster_view(cluster, "byzantium"), view);
    assert_soon(waits(cluster, "byzantium"));
    cr_assert_str_eq(cluster_view(cluster, "byzantium"), view);
}

/* --- The port -------------------------------------------------------------------------------- */

Story(lazy, a_second_daemon_on_the_port_is_refused)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, FIVE);
    assert_lazy(cluster);
    const char *address = cluster_daemon(cluster, "cyrene")->address;
    const struct outcome second = doyend(cluster,
                                         ARGS("--name", "rhodes", "--listen", address, "--control",
                                              cluster_path(cluster, "rhodes.sock"), "--insecure"));
    cr_assert_eq(second.code, 1, "%d %s", second.code, second.err);
    assert_text_has(second.err, text_kept("address %s is in use", address));
    cluster_kill(cluster, "cyrene");
    cluster_restart(cluster, "cyrene");
    assert_agreement(cluster, "athens byzantium delphi ephesus cyrene");
}

/* --- Recordings ------------------------------------------------------------------------------ */

/* The core is given the times of arrival, and that is what is recorded. */
Story(lazy, a_recording_is_replayed_to_the_same_state)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *path = cluster_path(cluster, "cyrene.rec");

    for (size_t i = 0; i < 5; i++) {
        const bool recorded = strcmp(five[i], "cyrene") == 0;
        cluster_start(cluster, five[i], "athens", recorded ? ARGS("--record", path) : NO_ARGS);
        assert_soon(strstr(cluster_view(cluster, five[i]), five[i]) != NULL);
    }
    assert_lazy(cluster);
    cluster_kill(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene delphi ephesus");
    cr_assert_eq(cluster_terminate(cluster, "cyrene"), 0);
    const struct outcome outcome = doyen_replay(cluster, ARGS(path));
    cr_assert_eq(outcome.code, 0, "%s", outcome.err);
    assert_text_has(outcome.out, "-athens(dead)  <- commit from byzantium\n");
    assert_text_has(outcome.out, "same state\n");
}
