/* The state of the whole in one sentence, wherever people look (H76): a split, a lost quorum, a
 * wrong key, a coordinator that is not heard, and all well. */
#include <string.h>

#include "fixture.h"

static const char five[] = "athens byzantium cyrene delphi ephesus";
static const char *const three[] = {"athens", "byzantium", "cyrene"};

static const char *sentence_of(struct cluster *cluster, const char *name)
{
    const json_t *status = cluster_document(cluster, name, "/v1/status");

    return text_of(json_object_get(status, "whole"), "sentence");
}

static bool says(struct cluster *cluster, const char *name, const char *part)
{
    return strstr(sentence_of(cluster, name), part) != NULL;
}

static const char *body_of(struct cluster *cluster, const char *name, const char *path, int status)
{
    struct http_answer answer;

    cr_assert(http_get(cluster_daemon(cluster, name)->control, path, LIMIT_MS, &answer));
    cr_assert_eq(answer.status, status, "%s: %d %s", path, answer.status, answer.body);
    const char *body = text_kept("%s", answer.body);
    http_answer_deinit(&answer);
    return body;
}

/* All that says it, from the command to the metrics, says this of a cluster that is not healthy. */
static void assert_said(struct cluster *cluster, const char *name, const char *state,
                        const char *sentence)
{
    const struct outcome status = doyen(cluster, name, ARGS("status"));
    const struct outcome members = doyen(cluster, name, ARGS("members"));
    const struct outcome doctor = doyen(cluster, name, ARGS("doctor", "--for", "1s"));
    const struct outcome top = doyen(cluster, name, ARGS("top", "--once"));

    cr_assert_eq(status.code, 6, "%s%s", status.out, status.err);
    cr_assert_eq(strncmp(status.out, "state        ", 13), 0, "%s", status.out);
    assert_text_has(status.out, sentence);
    cr_assert_eq(members.code, 6, "%s%s", members.out, members.err);
    assert_text_has(members.out, sentence);
    assert_text_has(members.out, "\nnext: ");
    cr_assert_eq(doctor.code, 6, "%s%s", doctor.out, doctor.err);
    assert_text_has(doctor.out, "bad: ");
    assert_text_has(doctor.out, sentence);
    cr_assert_eq(top.code, 6, "%s%s", top.out, top.err);
    assert_text_has(top.out, sentence);
    assert_text_has(body_of(cluster, name, "/", 200), sentence);
    assert_text_has(body_of(cluster, name, "/metrics", 200),
                    text_kept("doyen_whole{state=\"%s\",severity=\"bad\"} 1\n", state));
}

Story(whole, all_well_is_said_and_is_0)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium cyrene");
    for (size_t i = 0; i < 3; i++) {
        assert_soon(says(cluster, three[i], "healthy: 3 of 3"));
    }
    /* Each is asked again: on a busy machine a member may be silent for a moment. */
    assert_soon(strstr(doyen(cluster, "cyrene", ARGS("status")).out,
                       "state        healthy: 3 of 3\n") != NULL);
    cr_assert_eq(doyen(cluster, "cyrene", ARGS("status")).code, 0);
    assert_soon(strstr(doyen(cluster, "cyrene", ARGS("members")).out, "next: ") == NULL);
    assert_soon(strstr(body_of(cluster, "cyrene", "/readyz?verbose", 200),
                       "[+] whole: healthy: 3 of 3\n") != NULL);
    assert_soon(strstr(body_of(cluster, "cyrene", "/metrics", 200),
                       "doyen_whole{state=\"healthy\",severity=\"good\"} 1\n") != NULL);

    /* Who leaves is not missing; who is killed is, and that is a warning. */
    cr_assert_eq(cluster_terminate(cluster, "cyrene"), 0);
    assert_soon(says(cluster, "athens", "healthy: 2 of 2"));
    cluster_kill(cluster, "byzantium");
    assert_soon(says(cluster, "athens", "1 of 2 is here: byzantium failed "));
    cr_assert_eq(doyen(cluster, "athens", ARGS("status")).code, 0);
    cr_assert_eq(doyen(cluster, "athens", ARGS("members")).code, 0);
}

/* The part of two has lost three of five at once. Whether that is a split nobody knows there; that
 * it may be, everything says. */
Story(whole, a_split_is_said_everywhere)
{
    struct cluster *cluster = cluster_new(ARGS("--faults"));
    static const char *const older[] = {"athens", "byzantium"};

    cluster_form(cluster, five);
    for (size_t i = 0; i < 2; i++) {
        cr_assert_eq(
            doyen(cluster, older[i], ARGS("fault", "drop", "cyrene", "delphi", "ephesus")).code, 0);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_soon(says(cluster, older[i], "may have split: 3 of 5 were lost at once"));
        assert_soon(says(cluster, older[i], "they may act, too (guard none)"));
    }
    assert_said(cluster, "byzantium", "split", "may have split: 3 of 5 were lost at once");
    assert_text_has(body_of(cluster, "byzantium", "/readyz?verbose", 200),
                    "[!] whole: may have split: 3 of 5 were lost at once");
    /* The others have lost less than half of them: who is gone may act all the same. */
    assert_soon(says(cluster, "ephesus", "3 of 5 are here: "));
    assert_soon(says(cluster, "ephesus", "if alive, they may act, too (guard none)"));

    for (size_t i = 0; i < 2; i++) {
        cr_assert_eq(doyen(cluster, older[i], ARGS("fault", "clear")).code, 0);
    }
    assert_soon(says(cluster, "byzantium", "healthy: 5 of 5"));
    assert_soon(says(cluster, "ephesus", "healthy: 5 of 5"));
}

/* Whose processes ended, as their hosts say, is in no other part. */
Story(whole, those_who_ended_have_not_split)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium cyrene delphi");
    cluster_kill(cluster, "byzantium");
    cluster_kill(cluster, "cyrene");
    cluster_kill(cluster, "delphi");
    assert_soon(says(cluster, "athens", "1 of 4 is here: "));
    cr_assert_null(strstr(sentence_of(cluster, "athens"), "may act"));
    cr_assert_eq(doyen(cluster, "athens", ARGS("status")).code, 0);
}

/* Two of three voters are killed: they stay in the view, and nobody acts. */
Story(whole, a_lost_quorum_is_said_everywhere)
{
    struct cluster *cluster = cluster_new(
        ARGS("--guard", "strict", "--voters", "athens,byzantium,cyrene"));

    for (size_t i = 0; i < 3; i++) {
        cluster_start(cluster, three[i], "athens byzantium cyrene",
                      ARGS("--state-dir", cluster_path(cluster, three[i])));
    }
    for (size_t i = 0; i < 3; i++) {
        assert_soon(says(cluster, three[i], "healthy: 3 of 3"));
    }
    cluster_kill(cluster, "athens");
    assert_soon(says(cluster, "cyrene", "2 of 3 voters are heard, 2 needed: no further one"));
    assert_text_has(doyen(cluster, "cyrene", ARGS("status")).out,
                    "2 of 3 voters, 2 needed: none can be spared");
    cluster_kill(cluster, "byzantium");
    assert_soon(says(cluster, "cyrene", "nobody acts here: 1 of 3 voters is heard, 2 needed"));
    assert_soon(!says(cluster, "cyrene", "may act")); /* Their hosts say that both ended. */
    assert_said(cluster, "cyrene", "nobody acts", "nobody acts here: 1 of 3 voters is heard");
    assert_text_has(
        doyen(cluster, "cyrene", ARGS("why")).out,
        "there is no coordinator to be named: nobody acts here: 1 of 3 voters is heard");
    assert_text_has(
        doyen(cluster, "cyrene", ARGS("coordinator")).err,
        "there is no coordinator to be named: nobody acts here: 1 of 3 voters is heard");
}

/* It never was in, and its seeds know why. */
Story(whole, a_wrong_key_is_said_everywhere)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_make_key(cluster, "key");
    cluster_form(cluster, "athens byzantium");
    cluster_make_key(cluster, "another");
    cluster_start(cluster, "cyrene", "athens", NO_ARGS);
    assert_soon(says(cluster, "cyrene", "this node is not in: "));
    assert_soon(says(cluster, "cyrene", "answers, but holds another key: ours "));
    assert_said(cluster, "cyrene", "not in", "answers, but holds another key: ours ");
    assert_text_has(doyen(cluster, "cyrene", ARGS("why")).out, "answers, but holds another key");
    assert_text_has(doyen(cluster, "cyrene", ARGS("status")).out,
                    "give all nodes of a cluster the same --key");
}

static bool has_heard_the_oldest(const json_t *members)
{
    const json_t *oldest = json_array_get(json_object_get(members, "members"), 0);

    return json_is_integer(json_object_get(oldest, "heard_ms"));
}

/* Cyrene does not hear the coordinator, whom all others hear. */
static bool is_blocked(struct cluster *cluster, const char *name, const char *part)
{
    const json_t *whole = json_object_get(cluster_document(cluster, name, "/v1/status"), "whole");

    return strcmp(text_of(whole, "state"), "blocked") == 0 &&
           strstr(text_of(whole, "sentence"), part) != NULL;
}

/* Its own address is among its seeds, so it founds; what the other seed answers is said all the
 * same. */
static void assert_alone(struct cluster *cluster, const char *name, const char *another,
                         const char *sentence)
{
    cluster_start(cluster, name, text_kept("%s athens", name),
                  another == NULL ? NO_ARGS : ARGS("--cluster", another));
    assert_soon(is_blocked(cluster, name, sentence));
    assert_text_has(doyen(cluster, name, ARGS("status")).out, "take it from the seeds");
    assert_soon(cluster_log_has(cluster, name, "the only member for "));
}

Story(whole, a_founder_whose_seeds_are_of_another_cluster_says_so)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_agreement(cluster, "athens");
    assert_alone(cluster, "byzantium", "another",
                 "1 of 1 seeds hung up: it is of another --cluster");
    cluster_make_key(cluster, "key");
    assert_alone(cluster, "cyrene", NULL, "answers, but has no key: ours is ");
}

Story(whole, an_unheard_coordinator_is_said_everywhere)
{
    struct cluster *cluster = cluster_new(ARGS("--faults"));

    cluster_form(cluster, "athens byzantium cyrene");
    assert_soon(has_heard_the_oldest(cluster_members(cluster, "cyrene")));
    cr_assert_eq(doyen(cluster, "cyrene", ARGS("fault", "drop", "athens")).code, 0);
    assert_soon(says(cluster, "cyrene", "coordinator athens, not heard for "));
    assert_said(cluster, "cyrene", "unheard", "coordinator athens, not heard for ");
    assert_text_has(doyen(cluster, "cyrene", ARGS("status")).out,
                    "\ncoordinator  athens, not heard for ");
    assert_soon(says(cluster, "byzantium", "a link is bad: "));
    cr_assert_eq(doyen(cluster, "byzantium", ARGS("status")).code, 0);
    cr_assert_eq(doyen(cluster, "cyrene", ARGS("fault", "clear")).code, 0);
    assert_soon(says(cluster, "cyrene", "healthy: 3 of 3"));
}

static bool nobody_is_silent(const json_t *members)
{
    const json_t *list = json_object_get(members, "members");

    for (size_t i = 0; i < json_array_size(list); i++) {
        if (json_is_true(json_object_get(json_array_get(list, i), "silent"))) {
            return false;
        }
    }
    return json_array_size(list) == 9;
}

/* Of nine most members are watched by others: that is no silence. */
Story(whole, whom_others_watch_is_not_silent)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium cyrene delphi ephesus f g h i");
    for (size_t i = 0; i < cluster->daemon_count; i++) {
        const char *name = cluster->daemons[i].name;
        assert_soon(says(cluster, name, "healthy: 9 of 9"));
        assert_soon(nobody_is_silent(cluster_members(cluster, name)));
        (void)body_of(cluster, name, "/readyz", 200);
    }
}
