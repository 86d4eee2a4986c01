/* Planned moves with real processes: rules E4 to E6. */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "doyen/lease.h"
#include "fixture.h"

enum { DONE = 0, REFUSED = 1, GUARD = 2, TIMED_OUT = 5, USAGE = 64 };

static void assert_code(const struct outcome *outcome, int code)
{
    cr_assert_eq(outcome->code, code, "expected %d, not %d: %s%s", code, outcome->code,
                 outcome->out, outcome->err);
}

static void assert_failure(const struct outcome *outcome, int code, const char *words)
{
    assert_code(outcome, code);
    cr_assert_str_empty(outcome->out);
    assert_text_has(outcome->err, words);
}

static size_t suspicions(struct cluster *cluster)
{
    size_t count = 0;

    for (size_t i = 0; i < cluster->daemon_count; i++) {
        count += cluster_log_count(cluster, cluster->daemons[i].name, "suspect");
    }
    return count;
}

/* E1a: from any node; E5: nobody leaves, and nobody is suspected. */
Story(moves, transfer_works_from_any_node)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium cyrene");
    const struct outcome named = doyen(cluster, "athens", ARGS("transfer", "cyrene"));
    assert_code(&named, DONE);
    assert_text_has(named.out, "cyrene coordinates now, in place of athens");
    assert_agreement(cluster, "cyrene athens byzantium");

    const struct outcome next = doyen(cluster, "byzantium", ARGS("transfer", "--json"));
    assert_code(&next, DONE);
    const json_t *document = document_kept(next.out);
    cr_assert_str_eq(text_of(document, "from"), "cyrene");
    cr_assert_str_eq(text_of(document, "to"), "athens");
    assert_agreement(cluster, "athens byzantium cyrene");
    cr_assert_eq(suspicions(cluster), 0);

    const struct outcome again = doyen(cluster, "cyrene", ARGS("transfer", "athens"));
    assert_code(&again, DONE);
    cr_assert_str_eq(again.out, "athens coordinates already\n");
}

/* A refusal names fault and remedy. */
Story(moves, transfer_says_why_not)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_agreement(cluster, "athens");
    const struct outcome alone = doyen(cluster, "athens", ARGS("transfer"));
    assert_failure(&alone, REFUSED, "nobody to hand over to");

    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_agreement(cluster, "athens byzantium");
    const struct outcome unknown = doyen(cluster, "athens", ARGS("transfer", "byzantum"));
    assert_failure(&unknown, REFUSED, "did you mean byzantium?");
    const struct outcome empty = doyen(cluster, "athens", ARGS("transfer", ""));
    assert_failure(&empty, USAGE, "NAME is empty");
    const struct outcome two = doyen(cluster, "athens", ARGS("transfer", "byzantium", "athens"));
    assert_failure(&two, USAGE, "one member is enough");
    const struct outcome when = doyen(cluster, "athens", ARGS("transfer", "--timeout", "5"));
    assert_failure(&when, USAGE, "number and its unit");
}

/* E5a: who has the lease page is waited for, and reads that the right is over before another acts.
 */
Story(moves, transfer_waits_for_those_who_read_the_lease_page)
{
    struct cluster *cluster = cluster_new(ARGS("--profile", "wan", "--fail-after", "60s"));
    struct doyen_lease lease;
    uint64_t epoch;
    uint64_t left_ns;
    int page = -1;

    cluster_form(cluster, "athens byzantium");
    const struct outcome acting = doyen(cluster, "athens",
                                        ARGS("wait", "--acting", "--timeout", "20s"));
    assert_code(&acting, DONE);
    const int connection = doyen_lease_connect(cluster_daemon(cluster, "athens")->control, LIMIT_MS,
                                               &page);
    cr_assert_geq(connection, 0, "%s", strerror(-connection));
    cr_assert_eq(doyen_lease_map(&lease, page), 0);
    close(page);
    cr_assert(doyen_lease_acting(&lease, &epoch, &left_ns));

    const struct outcome waits = doyen(cluster, "athens",
                                       ARGS("transfer", "byzantium", "--timeout", "300ms"));
    assert_failure(&waits, TIMED_OUT, "byzantium does not coordinate after 300 ms");
    cr_assert_not(doyen_lease_acting(&lease, &epoch, &left_ns));
    const json_t *members = cluster_members(cluster, "athens");
    cr_assert(json_is_false(json_object_get(members, "acting")), "whoever asks hears the same");

    cr_assert_eq(send(connection, &(char){DOYEN_LEASE_STOPPED}, 1, MSG_NOSIGNAL), 1);
    assert_agreement(cluster, "byzantium athens");
    close(connection);
    doyen_lease_unmap(&lease);
}

/* E7: a drained member hands over and stays, also behind those who come later; alone it goes on. */
Story(moves, a_drained_node_coordinates_only_if_nobody_else_can)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium");
    const struct outcome drain = doyen(cluster, "byzantium", ARGS("drain", "athens"));
    assert_code(&drain, DONE);
    cr_assert_str_eq(drain.out, "athens is drained; byzantium coordinates\n");
    assert_agreement(cluster, "byzantium athens");
    cluster_start(cluster, "cyrene", "athens", NO_ARGS);
    assert_agreement(cluster, "byzantium cyrene athens");
    const struct outcome members = doyen(cluster, "athens", ARGS("members"));
    assert_text_has(members.out, "drained, this node");
    const struct outcome refused = doyen(cluster, "cyrene", ARGS("transfer", "athens"));
    assert_failure(&refused, REFUSED, "athens is drained");
    const struct outcome itself = doyen(cluster, "athens", ARGS("transfer", "athens"));
    assert_failure(&itself, REFUSED, "athens is drained");
    const struct outcome unknown = doyen(cluster, "cyrene", ARGS("drain", "atens"));
    assert_failure(&unknown, REFUSED, "did you mean athens?");

    const struct outcome past = doyen(cluster, "cyrene", ARGS("history"));
    cr_assert_null(strstr(past.out, "drained"), "cyrene came later: %s", past.out);
    const struct outcome views = doyen(cluster, "byzantium", ARGS("history"));
    assert_text_has(views.out, "~athens(drained)");
    const struct outcome events = doyen(cluster, "byzantium", ARGS("history", "--events"));
    assert_text_has(events.out, "athens is drained: it coordinates only if nobody else can");

    cr_assert_eq(cluster_terminate(cluster, "cyrene"), 0);
    cr_assert_eq(cluster_terminate(cluster, "byzantium"), 0);
    assert_agreement(cluster, "athens");
    const struct outcome last = doyen(cluster, "athens", ARGS("drain"));
    assert_code(&last, DONE);
    cr_assert_str_eq(last.out, "athens is drained, and coordinates until somebody else can\n");
    const struct outcome back = doyen(cluster, "athens", ARGS("undrain", "--json"));
    assert_code(&back, DONE);
    cr_assert(json_is_true(json_object_get(document_kept(back.out), "done")));
}

/* E9, G1c: a place that a host keeps which is gone for good is given away when people say so. */
Story(moves, who_will_not_return_is_forgotten)
{
    struct cluster *cluster = cluster_new(ARGS("--guard", "majority", "--size", "3"));

    cluster_form(cluster, "athens byzantium cyrene");
    const struct outcome member = doyen(cluster, "athens", ARGS("remove", "cyrene", "--yes"));
    assert_failure(&member, REFUSED, "cyrene is a member, and not gone; have it leave");
    cluster_kill(cluster, "cyrene");
    assert_agreement(cluster, "athens byzantium");
    const struct outcome unsure = doyen(cluster, "byzantium", ARGS("remove", "cyrene"));
    assert_failure(&unsure, USAGE, "add --yes");
    const struct outcome done = doyen(cluster, "byzantium", ARGS("remove", "cyrene", "--yes"));
    assert_code(&done, DONE);
    cr_assert_str_eq(done.out, "cyrene is forgotten\n");
    const struct outcome again = doyen(cluster, "byzantium", ARGS("remove", "cyrene", "--yes"));
    assert_failure(&again, REFUSED, "cyrene is not on the list");
    const struct outcome views = doyen(cluster, "athens", ARGS("history"));
    assert_text_has(views.out, "~cyrene(forgotten)");
    cluster_start(cluster, "delphi", "athens", NO_ARGS);
    assert_agreement(cluster, "athens byzantium delphi");
    cluster_kill(cluster, "byzantium");
    cluster_kill(cluster, "delphi");
    assert_agreement(cluster, "athens");
    const struct outcome alone = doyen(cluster, "athens", ARGS("remove", "delphi", "--yes"));
    assert_failure(&alone, REFUSED, "may be at work across a cut");
}

/* The youngest first, the coordinator last, after one who is back has taken over. */
Story(moves, a_restart_plan_changes_the_coordinator_once)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium cyrene");
    const struct outcome plan = doyen(cluster, "byzantium", ARGS("restart-plan", "--json"));
    assert_code(&plan, DONE);
    const json_t *document = document_kept(plan.out);
    const char *const expected[][2] = {{"restart", "cyrene"},
                                       {"restart", "byzantium"},
                                       {"transfer", "cyrene"},
                                       {"restart", "athens"}};
    const json_t *steps = json_object_get(document, "steps");
    cr_assert_eq(json_array_size(steps), 4);
    for (size_t i = 0; i < 4; i++) {
        const json_t *step = json_array_get(steps, i);
        cr_assert_str_eq(text_of(step, "do"), expected[i][0]);
        cr_assert_str_eq(text_of(step, "node"), expected[i][1]);
    }
    cr_assert_str_eq(text_of(json_array_get(steps, 0), "wait"),
                     "doyen wait --members 3 --timeout 60s");
    cr_assert_eq(json_array_size(json_object_get(document, "warnings")), 0);
    cr_assert_eq(number_of(document, "coordinator_changes"), 1);

    const struct outcome text = doyen(cluster, "athens", ARGS("restart-plan"));
    assert_code(&text, DONE);
    assert_text_has(text.out, "3. transfer cyrene       then anywhere: doyen wait --coordinator");
}

/* With one of two down, a guard of two is not met. */
Story(moves, a_restart_plan_warns_of_the_guard)
{
    struct cluster *cluster = cluster_new(ARGS("--guard", "2"));

    cluster_form(cluster, "athens byzantium");
    const struct outcome wait = doyen(cluster, "athens",
                                      ARGS("wait", "--acting", "--timeout", "20s"));
    assert_code(&wait, DONE);
    const struct outcome plan = doyen(cluster, "athens", ARGS("restart-plan"));
    assert_code(&plan, GUARD);
    assert_text_has(plan.err, "guard 2 wants 2 members and there are 2: nobody acts");
}
