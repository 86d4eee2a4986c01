/* Floods and reflectors: what strangers ask on and on, at a cluster without a key, and what a
 * member asks that holds the key, has proved its address and was taken over. Nothing that matters
 * waits for it, and nobody else gets much of it. (Frames that say what is not so are in
 * test_attacks.c, floods at full speed in test/scripts/flood.sh.) */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "forging.h"

enum {
    BYZANTIUM = 1, /* places in the view that the forger learned */
    DELPHI = 3,
    AT_ONCE = 50, /* then a pause of a millisecond */
    ASKED = 4000,
    SHOWN = 4000,
    MISMATCHES = 400,
    INVENTED = 12,
    NUMBERS_AHEAD = 1 << 17, /* what a heartbeat may leap by and be believed */
    DATAGRAM_MAX = 2000,
};

#define EVERYBODY "athens byzantium cyrene delphi ephesus"

static uint64_t counter(struct cluster *cluster, const char *name, const char *key)
{
    const json_t *status = cluster_document(cluster, name, "/v1/status");

    return number_of(json_object_get(status, "counters"), key);
}

/* Messages of that type that were "sent" or "received". */
static uint64_t messages(struct cluster *cluster, const char *name, const char *way,
                         const char *type)
{
    const json_t *status = cluster_document(cluster, name, "/v1/status");

    return number_of(json_object_get(json_object_get(status, "counters"), way), type);
}

/* A forger; in a cluster with a key it holds that, and athens and delphi have proof of its address.
 */
static struct forger *forger_at(struct cluster *cluster)
{
    struct forger *forger = forging_begin(cluster);
    if (cluster->key != NULL) {
        cr_assert(forger_prove(forger, cluster_daemon(cluster, "athens")->port, LIMIT_MS));
        cr_assert(forger_prove(forger, cluster_daemon(cluster, "delphi")->port, LIMIT_MS));
    }
    return forger;
}

static struct cluster *five_with(const char *const *arguments, bool keyed)
{
    struct cluster *cluster = cluster_new(arguments);

    if (keyed) {
        cluster_make_key(cluster, "key");
    }
    cluster_form(cluster, EVERYBODY);
    return cluster;
}

/* --- A split --------------------------------------------------------------------------------- */

static bool has(struct cluster *cluster, const char *name, const char *member)
{
    return strstr(cluster_view(cluster, name), text_kept("%s/", member)) != NULL;
}

static void split(struct cluster *cluster)
{
    static const char *const three[] = {"athens", "byzantium", "cyrene"};

    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(doyen(cluster, three[i], ARGS("fault", "drop", "delphi", "ephesus")).code, 0);
    }
    assert_soon(!has(cluster, "athens", "delphi") && !has(cluster, "athens", "ephesus") &&
                !has(cluster, "delphi", "athens"));
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(doyen(cluster, three[i], ARGS("fault", "clear")).code, 0);
    }
}

static void assert_heals_while_asked(bool keyed)
{
    struct cluster *cluster = five_with(ARGS("--faults"), keyed);
    struct forger *forger = forger_at(cluster);
    bool healed = false;

    split(cluster);
    const uint64_t until_ms = clock_now_ms() + LIMIT_MS;
    while (!healed && clock_now_ms() < until_ms) {
        for (int i = 0; i < AT_ONCE; i++) {
            forger_pull(forger, cluster_daemon(cluster, "athens")->port);
            forger_pull(forger, cluster_daemon(cluster, "delphi")->port);
        }
        clock_nap_ms(1);
        healed = has(cluster, "athens", "ephesus") && has(cluster, "delphi", "byzantium");
    }
    cr_assert(healed, "%s", cluster_text(cluster));
    forger_free(forger);
}

Story(floods, a_split_heals_while_a_member_asks_for_the_view)
{
    assert_heals_while_asked(true);
}

Story(floods, a_split_without_a_key_heals_while_strangers_ask_for_the_view)
{
    assert_heals_while_asked(false);
}

/* --- A founder ------------------------------------------------------------------------------- */

static void assert_founds_while_told(bool keyed, void (*tell)(struct forger *, uint16_t))
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct forger *forger = forger_new(cluster->host);
    bool founded = false;

    cr_assert_not_null(forger);
    if (keyed) {
        cluster_make_key(cluster, "key");
    }
    cr_assert(forger_use_key(forger, cluster->key));
    const struct daemon *athens = cluster_start(cluster, "athens", "athens byzantium", NO_ARGS);
    cr_assert(!keyed || forger_prove(forger, athens->port, LIMIT_MS));
    const uint64_t until_ms = clock_now_ms() + LIMIT_MS;
    while (!founded && clock_now_ms() < until_ms) {
        tell(forger, athens->port);
        clock_nap_ms(20);
        founded = strcmp(cluster_view(cluster, "athens"), "1.1 athens/1") == 0;
    }
    cr_assert(founded, "%s", cluster_text(cluster));
    forger_free(forger);
}

Story(floods, offers_of_a_member_put_off_no_founding)
{
    assert_founds_while_told(true, forger_offer);
}

Story(floods, offers_of_strangers_put_off_no_founding_without_a_key)
{
    assert_founds_while_told(false, forger_offer);
}

Story(floods, refusals_of_a_member_put_off_no_founding)
{
    assert_founds_while_told(true, forger_refuse_entry);
}

Story(floods, refusals_of_strangers_put_off_no_founding_without_a_key)
{
    assert_founds_while_told(false, forger_refuse_entry);
}

/* --- A victim elsewhere ---------------------------------------------------------------------- */

/* An address that nobody's messages should go to. */
struct victim {
    int socket;
    uint16_t port;
};

static struct victim victim_of(struct cluster *cluster)
{
    const struct victim victim = {.socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0),
                                  .port = cluster_port(cluster)};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(victim.port)};

    cr_assert_geq(victim.socket, 0);
    cr_assert_eq(inet_pton(AF_INET, cluster->host, &address.sin_addr), 1);
    cr_assert_eq(bind(victim.socket, (const struct sockaddr *)&address, sizeof address), 0);
    return victim;
}

/* How many bytes have come to it since this was asked last. */
static uint64_t bytes_at(const struct victim *victim)
{
    uint8_t bytes[DATAGRAM_MAX];
    uint64_t sum = 0;
    ssize_t length;

    while ((length = recv(victim->socket, bytes, sizeof bytes, MSG_DONTWAIT)) >= 0) {
        sum += (uint64_t)length;
    }
    return sum;
}

/* Each JOIN was answered at the address that it names, whoever lives there. */
static void assert_is_no_reflector(bool keyed, void (*ask)(struct forger *, uint16_t, uint16_t))
{
    struct cluster *cluster = five_with(NO_ARGS, keyed);
    struct forger *forger = forger_at(cluster);
    const struct victim victim = victim_of(cluster);
    struct forged_frame join;
    uint64_t bytes = 0;

    forger_keep(forger, &join);
    ask(forger, cluster_daemon(cluster, "athens")->port, victim.port);
    forger_keep(forger, NULL);
    for (int i = 1; i <= ASKED; i++) {
        ask(forger, cluster_daemon(cluster, i % 2 == 0 ? "athens" : "delphi")->port, victim.port);
        if (i % AT_ONCE == 0) {
            clock_nap_ms(1);
            bytes += bytes_at(&victim);
        }
    }
    assert_soon(messages(cluster, "athens", "received", "join") > (keyed ? ASKED / 4 : 0));
    assert_agreement(cluster, EVERYBODY);
    bytes += bytes_at(&victim);
    cr_assert_gt(bytes, 0, "some are answered there");
    cr_assert_lt(bytes, ASKED * join.length / 4, "%lu bytes", (unsigned long)bytes);
    close(victim.socket);
    forger_free(forger);
}

Story(floods, a_member_makes_nobody_answer_to_somebody_else)
{
    assert_is_no_reflector(true, forger_join);
}

Story(floods, strangers_make_nobody_answer_to_somebody_else_without_a_key)
{
    assert_is_no_reflector(false, forger_join);
}

Story(floods, a_member_makes_nobody_refuse_somebody_else)
{
    assert_is_no_reflector(true, forger_join_otherwise);
}

Story(floods, strangers_make_nobody_refuse_somebody_else_without_a_key)
{
    assert_is_no_reflector(false, forger_join_otherwise);
}

/* One view with members that nobody is made everybody send to them for ever. */
Story(floods, members_that_a_member_invents_are_not_sent_to)
{
    struct cluster *cluster = five_with(NO_ARGS, true);
    struct forger *forger = forger_at(cluster);
    const struct victim victim = victim_of(cluster);

    for (int to = 0; to < 5; to++) {
        forger_view(forger, BYZANTIUM, to,
                    &(struct forged_view){
                        .version_above = 1, .invented = INVENTED, .invented_at = victim.port});
    }
    assert_soon(cluster_agrees(cluster, EVERYBODY, 1) &&
                strstr(cluster_view(cluster, "ephesus"), "nobody") == NULL);
    (void)bytes_at(&victim);
    const uint64_t heartbeats = messages(cluster, "athens", "sent", "heartbeat");
    assert_soon(messages(cluster, "athens", "sent", "heartbeat") > heartbeats + 100);
    cr_assert_eq(bytes_at(&victim), 0);
    close(victim.socket);
    forger_free(forger);
}

/* A part of the cluster that is nowhere, and older than all: whoever coordinates it is asked, for a
 * while. */
static void assert_merges_with_nobody(bool keyed)
{
    struct cluster *cluster = five_with(NO_ARGS, keyed);
    struct forger *forger = forger_at(cluster);
    const struct victim victim = victim_of(cluster);
    const char *view = cluster_view(cluster, "athens");
    struct forged_frame probe;
    uint64_t bytes = 0;

    forger_keep(forger, &probe);
    forger_probe(forger, cluster_daemon(cluster, "athens")->port, victim.port);
    forger_keep(forger, NULL);
    for (int i = 1; i <= ASKED; i++) {
        forger_probe(forger, cluster_daemon(cluster, "athens")->port, victim.port);
        forger_merge(forger, BYZANTIUM, 0, victim.port);
        forger_merge(forger, FORGE_ANYBODY, 0, victim.port);
        if (i % AT_ONCE == 0) {
            clock_nap_ms(1);
            bytes += bytes_at(&victim);
        }
    }
    assert_soon(messages(cluster, "athens", "received", "probe") > 0 &&
                messages(cluster, "athens", "received", "merge") > 0);
    bytes += bytes_at(&victim);
    cr_assert_lt(bytes, ASKED * probe.length, "%lu bytes", (unsigned long)bytes);
    assert_soon(cluster_agrees(cluster, EVERYBODY, 1) &&
                strcmp(cluster_view(cluster, "athens"), view) == 0);
    close(victim.socket);
    forger_free(forger);
}

Story(floods, a_part_that_a_member_invents_is_not_merged_with)
{
    assert_merges_with_nobody(true);
}

Story(floods, a_part_that_strangers_invent_is_not_merged_with)
{
    assert_merges_with_nobody(false);
}

/* --- Views and evidence ---------------------------------------------------------------------- */

/* Each heartbeat that named a wrong hash was a new view for all. */
Story(floods, wrong_hashes_that_a_member_names_make_few_views)
{
    struct cluster *cluster = five_with(NO_ARGS, true);
    struct forger *forger = forger_at(cluster);
    const uint64_t views = counter(cluster, "athens", "views_installed");

    for (uint64_t i = 0; i < MISMATCHES; i++) {
        forger_heartbeat(forger, DELPHI, 0, NUMBERS_AHEAD + i, true);
        clock_nap_ms(5);
    }
    assert_soon(counter(cluster, "athens", "mismatches") > 0);
    assert_agreement(cluster, EVERYBODY);
    cr_assert_lt(counter(cluster, "athens", "views_installed"), views + 20, "%s",
                 cluster_text(cluster));
    forger_free(forger);
}

/* Each of these was an answer, or a question to somebody else. */
Story(floods, what_a_member_asks_on_and_on_changes_nothing)
{
    struct cluster *cluster = five_with(NO_ARGS, true);
    struct forger *forger = forger_at(cluster);
    const char *view = cluster_view(cluster, "athens");
    const uint64_t views = messages(cluster, "athens", "sent", "view");

    for (int i = 1; i <= ASKED; i++) {
        forger_pull_as(forger, BYZANTIUM, 0);
        forger_fall_behind(forger, BYZANTIUM, 0, NUMBERS_AHEAD + (uint64_t)i);
        forger_ask_about(forger, BYZANTIUM, 0, DELPHI);
        if (i % AT_ONCE == 0) {
            clock_nap_ms(1);
        }
    }
    assert_soon(messages(cluster, "athens", "received", "pull") > ASKED / 4);
    cr_assert_lt(messages(cluster, "athens", "sent", "view"), views + ASKED / 4);
    assert_soon(cluster_agrees(cluster, EVERYBODY, 1) &&
                strcmp(cluster_view(cluster, "athens"), view) == 0);
    cr_assert_eq(cluster_log_count(cluster, "athens", "removed"), 0);
    forger_free(forger);
}

/* A stranger's views filled the recording within seconds. */
Story(floods, strangers_do_not_fill_a_recording)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *path = cluster_path(cluster, "athens.rec");
    struct forged_frame frame;
    struct stat status;

    cluster_start(cluster, "athens", "athens", ARGS("--record", path));
    assert_agreement(cluster, "athens");
    struct forger *forger = forger_at(cluster);
    forger_keep(forger, &frame);
    forger_view(forger, FORGE_ANYBODY, 0, &(struct forged_view){.version_above = 1});
    forger_keep(forger, NULL);
    for (int i = 1; i <= SHOWN; i++) {
        forger_view(forger, FORGE_ANYBODY, 0, &(struct forged_view){.version_above = 1});
        if (i % AT_ONCE == 0) {
            clock_nap_ms(1);
        }
    }
    assert_soon(counter(cluster, "athens", "strangers_cut") > 0);
    cr_assert_eq(cluster_terminate(cluster, "athens"), 0);
    cr_assert_eq(stat(path, &status), 0);
    cr_assert_lt((uint64_t)status.st_size, SHOWN * frame.length / 2);
    assert_text_has(doyen_replay(cluster, ARGS(path)).out, "same state\n");
    forger_free(forger);
}
