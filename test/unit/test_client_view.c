/* Views as libdoyen reads them out of the daemon's documents, and the conditions that they meet. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "client/stamped.h"
#include "client/view.h"

static const char two_members[] =
    "{\"schema\":1,\"cluster\":\"doyen\",\"self\":\"b\",\"phase\":\"member\",\"cursor\":\"5f0c2a91-15\","
    "\"epoch\":\"18446744073709551615\",\"view\":{\"epoch\":\"2\",\"version\":\"4\",\"acked\":2},"
    "\"coordinator\":\"a\",\"acting\":false,\"acting_ms\":0,\"acting_is\":\"exclusive\",\"acting_said_ms\":98,"
    "\"guard\":{\"policy\":\"2\",\"size\":null,\"needed\":2,\"fresh\":1,\"met\":false},\"members\":["
    "{\"name\":\"a\",\"id\":\"aa\",\"incarnation\":\"7\",\"address\":\"127.0.0.1:7420\",\"age\":1,"
    "\"state\":\"suspect\",\"silent\":true,\"coordinator\":true,\"drained\":false,\"heard_ms\":98,"
    "\"tags\":{\"zone\":\"eu\",\"rack\":\"\"}},"
    "{\"name\":\"b\",\"id\":\"bb\",\"incarnation\":\"1\",\"address\":\"127.0.0.1:7421\",\"age\":3,"
    "\"state\":\"alive\",\"silent\":false,\"coordinator\":false,\"drained\":true,\"heard_ms\":null,"
    "\"tags\":{}}],\"gone\":["
    "{\"name\":\"c\",\"id\":\"cc\",\"address\":\"127.0.0.1:7422\",\"age\":2,\"state\":\"failed\","
    "\"reason\":\"failed\",\"verdict\":\"dead\",\"since_ms\":1207},"
    "{\"name\":\"d\",\"id\":\"dd\",\"address\":\"127.0.0.1:7423\",\"age\":4,\"state\":\"left\","
    "\"reason\":\"left\",\"verdict\":null,\"since_ms\":5}]}";

static const struct doyen_view *read_view(const char *json)
{
    struct problem problem = {.code = 0};
    const struct doyen_view *view = view_read(json, NULL, &problem);

    cr_assert_not_null(view, "%s", problem.text);
    return view;
}

Test(client_view, everything_in_the_document_is_there)
{
    const struct doyen_view *view = read_view(two_members);

    cr_expect_str_eq(view->cluster, "doyen");
    cr_expect_str_eq(view->node, "b");
    cr_expect_eq(view->epoch, UINT64_MAX);
    cr_expect_eq(view->version, 4);
    cr_expect_str_eq(view->resume, "5f0c2a91-15");
    cr_expect_str_eq(view->json, two_members);
    cr_expect_not(view->advisory);
    cr_expect_eq(view->acting_said_ms, 98);
    cr_expect_eq(view->guard_needed, 2);
    cr_expect_eq(view->guard_fresh, 1);
    cr_expect_not(view->guard_met);
    doyen_view_release(view);
}

Test(client_view, members_are_oldest_first_and_have_their_tags)
{
    const struct doyen_view *view = read_view(two_members);

    cr_assert_eq(view->member_count, 2);
    const struct doyen_member *a = view->members[0];
    const struct doyen_member *b = view->members[1];
    cr_expect_eq(view->coordinator, a);
    cr_expect_eq(view->self, b);
    cr_expect_eq(doyen_view_member(view, "b"), b);
    cr_expect_null(doyen_view_member(view, "c"));
    cr_expect(a->suspect && a->silent && !a->drained && a->coordinator);
    cr_expect_eq(a->incarnation, 7);
    cr_expect_eq(a->heard_ms, 98);
    cr_expect(!b->suspect && !b->silent && b->drained && !b->coordinator);
    cr_expect_eq(b->age, 3);
    cr_expect_eq(b->heard_ms, -1);
    cr_assert_eq(a->tag_count, 2);
    cr_expect_str_eq(a->tags[0].key, "zone");
    cr_expect_str_eq(a->tags[0].value, "eu");
    cr_expect_str_eq(a->tags[1].value, "");
    cr_expect_eq(b->tag_count, 0);
    doyen_view_release(view);
}

Test(client_view, who_is_gone_is_told_with_the_reason)
{
    const struct doyen_view *view = read_view(two_members);

    cr_assert_eq(view->gone_count, 2);
    cr_expect_str_eq(view->gone[0]->name, "c");
    cr_expect_str_eq(view->gone[0]->verdict, "dead");
    cr_expect_not(view->gone[0]->left);
    cr_expect_eq(view->gone[0]->since_ms, 1207);
    cr_expect(view->gone[1]->left);
    cr_expect_null(view->gone[1]->verdict);
    doyen_view_release(view);
}

Test(client_view, it_stays_as_long_as_somebody_holds_it)
{
    const struct doyen_view *view = read_view(two_members);

    cr_expect_eq(doyen_view_retain(view), view);
    doyen_view_release(view);
    cr_expect_str_eq(view->members[1]->name, "b");
    doyen_view_release(view);
    doyen_view_release(NULL);
}

Test(client_view, what_is_no_such_document_is_refused)
{
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "null",
        "{\"self\":\"b\"}",
        "{\"self\":\"b\",\"phase\":\"member\",\"cursor\":\"1\",\"members\":{}}"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct problem problem = {.code = 0};
        cr_expect_null(view_read(texts[i], NULL, &problem));
        cr_expect_eq(problem.code, DOYEN_E_PROTOCOL, "%s", texts[i]);
    }
}

/* --- Memory --- */

struct account {
    int left; /* so many requests are still granted */
    int held;
};

static void *lend(void *user, size_t bytes)
{
    struct account *account = user;

    if (account->left == 0) {
        return NULL;
    }
    account->left--;
    account->held++;
    return malloc(bytes);
}

static void take_back(void *user, void *at)
{
    struct account *account = user;

    account->held--;
    free(at);
}

Test(client_view, it_comes_from_the_callers_memory_and_goes_back_there)
{
    struct account account = {.left = 1000};
    const struct allocator memory = {.allocate = lend, .release = take_back, .user = &account};
    struct problem problem = {.code = 0};
    const struct doyen_view *view = view_read(two_members, &memory, &problem);

    cr_assert_not_null(view);
    cr_expect_gt(account.held, 0);
    doyen_view_release(view);
    cr_expect_eq(account.held, 0);
}

Test(client_view, memory_that_runs_out_at_any_moment_is_an_error_and_no_leak)
{
    for (int granted = 0; granted < 2; granted++) {
        struct account account = {.left = granted};
        const struct allocator memory = {.allocate = lend, .release = take_back, .user = &account};
        struct problem problem = {.code = 0};

        cr_expect_null(view_read(two_members, &memory, &problem), "%d", granted);
        cr_expect_eq(problem.code, DOYEN_E_MEMORY);
        cr_expect_eq(account.held, 0);
    }
}

/* --- Conditions --- */

static void expect_missing(const char *json, struct doyen_condition condition, const char *expected)
{
    const struct doyen_view *view = read_view(json);
    char missing[512];

    condition.size = sizeof condition;
    cr_expect_eq(doyen_holds(&condition, view, missing, sizeof missing), expected[0] == '\0');
    cr_expect_str_eq(missing, expected);
    cr_expect_eq(doyen_holds(&condition, view, NULL, 0), expected[0] == '\0');
    doyen_view_release(view);
}

Test(client_condition, all_hold_or_it_is_said_what_is_missing)
{
    expect_missing(two_members, (struct doyen_condition){.members = 0}, "");
    expect_missing(two_members, (struct doyen_condition){.members = 2, .coordinator = "a"}, "");
    expect_missing(two_members, (struct doyen_condition){.members = 1},
                   "2 members where 1 is waited for");
    expect_missing(two_members, (struct doyen_condition){.members = 1, .at_least = true}, "");
    expect_missing(two_members, (struct doyen_condition){.members = 2, .at_least = true}, "");
    expect_missing(two_members, (struct doyen_condition){.members = 3, .at_least = true},
                   "2 members where 3 or more are waited for");
    expect_missing(two_members,
                   (struct doyen_condition){.coordinator = "b", .acting = true, .guard_met = true},
                   "the coordinator is a, b is not acting, the guard is not met");
}

Test(client_condition, a_name_is_waited_for_to_be_in_or_gone)
{
    expect_missing(two_members, (struct doyen_condition){.name = "a", .gone = "c"}, "");
    expect_missing(two_members, (struct doyen_condition){.name = "c", .gone = "a"},
                   "c is not a member, a is a member");
}

Test(client_condition, a_tag_narrows_who_counts)
{
    static const char tagged[] =
        "{\"self\":\"a\",\"phase\":\"member\",\"cursor\":\"1\",\"coordinator\":\"a\",\"members\":["
        "{\"name\":\"a\",\"age\":1,\"tags\":{\"role\":\"db\",\"zone\":\"\"}},"
        "{\"name\":\"b\",\"age\":2,\"tags\":{\"role\":\"web\"}},{\"name\":\"c\",\"age\":3,\"tags\":{}}]}";

    expect_missing(tagged, (struct doyen_condition){.tag = "role=db"}, "");
    expect_missing(tagged, (struct doyen_condition){.tag = "role"}, "");
    expect_missing(tagged, (struct doyen_condition){.tag = "zone="}, "");
    expect_missing(tagged, (struct doyen_condition){.tag = "role=d"},
                   "no member has the tag role=d");
    expect_missing(tagged, (struct doyen_condition){.tag = "rol"}, "no member has the tag rol");
    expect_missing(tagged, (struct doyen_condition){.tag = "role", .members = 2}, "");
    expect_missing(tagged,
                   (struct doyen_condition){.tag = "role=db", .members = 2, .at_least = true},
                   "1 member with role=db where 2 or more are waited for");
    expect_missing(tagged, (struct doyen_condition){.tag = "role=web", .name = "b"}, "");
    expect_missing(tagged, (struct doyen_condition){.tag = "role=web", .name = "c"},
                   "c has not the tag role=web");
}

static const char joining[] = "{\"self\":\"b\",\"phase\":\"joining\",\"cursor\":\"1\","
                              "\"coordinator\":null,\"members\":[]}";

/* Before the first view nobody is known to be gone. */
Test(client_condition, nobody_is_gone_from_a_view_that_is_not_there)
{
    expect_missing(joining, (struct doyen_condition){.gone = "a"}, "b is in phase joining");
}

Test(client_condition, a_node_that_is_still_joining_meets_none)
{
    expect_missing(joining, (struct doyen_condition){.coordinator = "a"},
                   "b is in phase joining, the coordinator is not known");
}

Test(client_condition, what_is_missing_is_cut_where_there_is_no_room)
{
    const struct doyen_condition condition = {
        .size = sizeof condition, .coordinator = "b", .acting = true, .guard_met = true};
    const struct doyen_view *view = read_view(two_members);
    char whole[512];

    cr_expect_not(doyen_holds(&condition, view, whole, sizeof whole));
    for (size_t bytes = 1; bytes <= strlen(whole); bytes++) {
        char missing[512];
        memset(missing, 'x', sizeof missing);
        cr_expect_not(doyen_holds(&condition, view, missing, bytes));
        cr_expect_lt(strlen(missing), bytes);
        cr_expect_eq(strncmp(missing, whole, strlen(missing)), 0, "%s", missing);
        cr_expect_eq(missing[bytes], 'x');
    }
    doyen_view_release(view);
}

/* --- Structures of other versions --- */

struct newer {
    struct doyen_condition known;
    int later;
};

Test(client_stamped, an_older_caller_is_understood_and_a_newer_one_unless_it_wants_more)
{
    struct doyen_condition condition;
    struct newer newer = {.known = {.size = sizeof newer, .members = 3}};
    const struct doyen_condition older = {
        .size = offsetof(struct doyen_condition, name), .members = 2, .name = "not looked at"};

    cr_assert(stamped_copy(&condition, sizeof condition, &older));
    cr_expect_eq(condition.members, 2);
    cr_expect_null(condition.name);
    cr_assert(stamped_copy(&condition, sizeof condition, &newer));
    cr_expect_eq(condition.members, 3);
    newer.later = 1;
    cr_expect_not(stamped_copy(&condition, sizeof condition, &newer));
}

Test(client_stamped, a_size_that_nobody_set_is_refused)
{
    struct doyen_condition condition = {.size = 0};
    struct doyen_condition copy;

    cr_expect_not(stamped_copy(&copy, sizeof copy, &condition));
    condition.size = SIZE_MAX;
    cr_expect_not(stamped_copy(&copy, sizeof copy, &condition));
}
