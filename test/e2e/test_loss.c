/* Networks that lose, delay, repeat, reorder and damage packets: rules D2, R1, J3, U1, V5, S8,
 * S15. */
#include <stdlib.h>
#include <string.h>

#include "netns_story.h"

enum { LOSS_SECONDS = 20 };

static const char five[] = "athens byzantium cyrene delphi ephesus";

/* DOYEN_E2E_SECONDS makes the steady stories longer. */
static uint64_t story_ms(uint64_t usual_ms)
{
    const char *seconds = getenv("DOYEN_E2E_SECONDS");

    return seconds == NULL ? usual_ms : strtoull(seconds, NULL, 10) * 1000;
}

/* S8: a heartbeat in five is lost, each way, and so is the kernel's answer. */
Story(loss, with_one_packet_in_five_lost_nobody_is_removed)
{
    struct cluster *cluster = cluster_formed_apart(five, NO_ARGS);

    network_set(cluster, NULL, NULL, (struct link_faults){.drop_percent = 20});
    assert_steady(cluster, story_ms(LOSS_SECONDS * 1000));
    assert_heals(cluster, five);
}

static uint64_t malformed(struct cluster *cluster, const char *name)
{
    const json_t *status = cluster_document(cluster, name, "/v1/status");
    const json_t *counters = json_object_get(json_object_get(status, "counters"), "malformed");
    const char *key = NULL;
    json_t *value = NULL;
    uint64_t sum = 0;
    union {
        const json_t *in;
        json_t *out;
    } object = {.in = counters};

    json_object_foreach(object.out, key, value)
    {
        sum += (uint64_t)json_integer_value(value);
    }
    return sum;
}

/* The kernel's checksums find what is damaged, so it is loss, and nothing reaches the daemon. */
Story(loss, with_one_packet_in_twenty_damaged_nobody_is_removed)
{
    struct cluster *cluster = cluster_formed_apart(five, NO_ARGS);

    network_set(cluster, NULL, NULL, (struct link_faults){.corrupt_percent = 5});
    assert_steady(cluster, story_ms(2000));
    cr_assert_eq(malformed(cluster, "athens"), 0);
    assert_heals(cluster, five);
}

/* S8, D6: packets overtake each other all the time. */
Story(loss, with_delayed_and_reordered_packets_nobody_is_removed)
{
    struct cluster *cluster = cluster_formed_apart(five, NO_ARGS);

    network_set(cluster, NULL, NULL,
                (struct link_faults){.repeat_percent = 20, .delay_ms_min = 25, .delay_ms_max = 75});
    assert_steady(cluster, story_ms(2000));
    cluster_kill(cluster, "athens");
    cr_assert(network_agrees(cluster, "byzantium cyrene delphi ephesus", LIMIT_MS), "%s",
              cluster_text(cluster));
    cluster_restart(cluster, "athens");
    assert_heals(cluster, "byzantium cyrene delphi ephesus athens");
}

/* D6, J3, I1: what was sent before a view, by a life that is over, or for a join that is done comes
 * again later. */
Story(loss, with_every_packet_repeated_late_nothing_comes_undone)
{
    struct cluster *cluster = cluster_apart(five, NO_ARGS);

    network_set(cluster, NULL, NULL, (struct link_faults){.repeat_percent = 100, .repeat_ms = 700});
    cluster_form(cluster, five);
    assert_steady(cluster, story_ms(800));
    cluster_kill(cluster, "athens");
    cr_assert(network_agrees(cluster, "byzantium cyrene delphi ephesus", LIMIT_MS), "%s",
              cluster_text(cluster));
    assert_steady(cluster, 800);
    cluster_restart(cluster, "athens");
    cr_assert(network_agrees(cluster, "byzantium cyrene delphi ephesus athens", LIMIT_MS), "%s",
              cluster_text(cluster));
    assert_steady(cluster, 800);
    cr_assert_eq(cluster_terminate(cluster, "byzantium"), 0);
    cr_assert(network_agrees(cluster, "cyrene delphi ephesus athens", LIMIT_MS), "%s",
              cluster_text(cluster));
    assert_steady(cluster, 800);
}

static const struct link_faults everything = {.drop_percent = 10,
                                              .repeat_percent = 10,
                                              .corrupt_percent = 5,
                                              .delay_ms_min = 0,
                                              .delay_ms_max = 40};

/* J3, U1: each step may be lost or come twice. */
Story(loss, a_cluster_forms_over_a_bad_network)
{
    struct cluster *cluster = cluster_apart(five, NO_ARGS);

    network_set(cluster, NULL, NULL, everything);
    for (size_t i = 0; i < 5; i++) {
        cluster_start(cluster, cluster->daemons[i].name, "athens", NO_ARGS);
    }
    cr_assert(network_agrees_on_count(cluster, 5, LIMIT_MS), "%s", cluster_text(cluster));
    cluster_kill(cluster, "athens");
    cr_assert(network_agrees_on_count(cluster, 4, LIMIT_MS), "%s", cluster_text(cluster));
    cr_assert_eq(cluster_terminate(cluster, "ephesus"), 0);
    cr_assert(network_agrees_on_count(cluster, 3, LIMIT_MS), "%s", cluster_text(cluster));
}

/* M3, M4: a merge whose messages may be lost or come twice. */
Story(loss, parts_become_one_over_a_bad_network)
{
    struct cluster *cluster = cluster_formed_apart(five, NO_ARGS);

    network_part(cluster, "athens delphi ephesus | byzantium cyrene");
    assert_parts(cluster, "athens delphi ephesus | byzantium cyrene");
    const uint64_t healed_ms = clock_now_ms();
    network_set(cluster, NULL, NULL, everything);
    cr_assert(network_agrees(cluster, "athens delphi ephesus byzantium cyrene", LIMIT_MS), "%s",
              cluster_text(cluster));
    cr_log_info("healed over a bad network in %llu ms",
                (unsigned long long)(clock_now_ms() - healed_ms));
    network_heal(cluster);
    assert_steady(cluster, 400);
}
