/* Whom of the candidates a coordinator grants a role, and when a better one takes over (K6). */
#include <criterion/criterion.h>
#include <string.h>

#include "roles_bench.h"

/* K6a: C is younger, came first, and has the higher priority. */
Test(core_roles, policies_choose)
{
    const struct role_terms terms[] = {{.policy = ROLE_FIRST, .holders = 1},
                                       {.policy = ROLE_OLDEST, .holders = 1},
                                       {.policy = ROLE_PRIORITY, .holders = 1}};
    const uint8_t wanted[] = {2, 1, 2};

    for (int i = 0; i < 3; i++) {
        struct rig *rig = rig_in("A B C", 'A');
        struct roles_said c = roles_stands(rig, 'C', 2, &terms[i]);
        struct roles_said b = roles_stands(rig, 'B', 1, &terms[i]);
        roles_asks(rig, 'B', &b);
        roles_asks(rig, 'C', &c);
        cr_assert_neq(roles_listed(rig, wanted[i]).token, 0);
        cr_assert_eq(roles_listed(rig, (uint8_t)(3 - wanted[i])).token, 0);
        rig_free(rig);
    }
}

/* K1a, K6a: a holder stays; or, where the terms say so, lets go before the better one begins. */
Test(core_roles, a_better_one_takes_over_where_the_terms_say_so)
{
    struct role_terms terms = {.policy = ROLE_PRIORITY, .holders = 1};
    struct roles_said b;
    struct roles_said c;
    struct rig *rig = roles_both_stand(&b, &c, &terms);

    cr_assert_eq(roles_listed(rig, 1).token, b.token);
    cr_assert_not(roles_listed(rig, 1).revoked);
    rig_free(rig);

    terms.preempt = true;
    rig = roles_both_stand(&b, &c, &terms);
    cr_assert(roles_listed(rig, 1).revoked);
    (void)roles_stands(rig, 'C', 3, &terms);
    cr_assert_eq(roles_listed(rig, 2).token, 0, "it has not let go yet");
    cr_assert_eq(roles_listed(rig, 3).token, 0);
    roles_lets_go(rig, 'C', &(struct roles_said){.request = 3}, true);
    roles_asks(rig, 'B', &b);
    cr_assert_eq(rig_told(rig, MESSAGE_ROLES_PLACE, 'B')->role.order, ROLE_LET_GO, "asked again");
    roles_lets_go(rig, 'B', &b, false);
    cr_assert_neq(roles_listed(rig, 2).token, 0);
    rig_free(rig);
}

/* K6e: who holds it stays until then; a role that nobody holds waits for nobody. */
Test(core_roles, a_better_one_takes_over_once_it_has_stood_for_long)
{
    const struct role_terms terms = {
        .policy = ROLE_PRIORITY, .holders = 1, .preempt = true, .preempt_after_ms = 700};
    struct roles_said b;
    struct roles_said c;
    struct rig *rig = roles_both_stand(&b, &c, &terms);

    cr_assert_not(roles_listed(rig, 1).revoked);
    rig_pass(rig, 699, "B C");
    cr_assert_not(roles_listed(rig, 1).revoked);
    rig_pass(rig, 1, "B C");
    cr_assert(roles_listed(rig, 1).revoked);
    (void)roles_stands(rig, 'C', 3, &terms);
    roles_lets_go(rig, 'B', &b, true);
    cr_assert_eq(roles_listed(rig, 2).token, 0);
    cr_assert_neq(roles_listed(rig, 3).token, 0, "the best, as nobody holds it");
    rig_free(rig);
}

static void drain_b(struct rig *rig)
{
    rig_gets(
        rig, 'C',
        &(struct message){.type = MESSAGE_WISH,
                          .wish = {.kind = WISH_MOVE,
                                   .move = {.kind = MOVE_DRAIN, .subject = rig_id(rig, 'B')}}});
    rig_pass(rig, rig->timing.batch_ms, "B C");
    for (const char *at = "BC"; *at != '\0'; at++) {
        struct message ack = rig_ack(rig, 'B');
        rig_gets(rig, *at, &ack);
        if (core_view(rig->core)->members[2].drained) {
            break;
        }
        rig_pass(rig, 1, "");
        if (rig_told(rig, MESSAGE_PREPARE, 'B') == NULL) {
            rig_gets(rig, *at == 'B' ? 'C' : 'B', &ack);
            break;
        }
    }
    cr_assert(core_view(rig->core)->members[2].drained, "B is the youngest now");
}

/* K6b */
Test(core_roles, a_drained_member_holds_nothing)
{
    struct roles_said b;
    struct roles_said c;
    struct rig *rig = roles_both_stand(&b, &c, &ROLES_FIRST);

    drain_b(rig);
    cr_assert(roles_listed(rig, 1).revoked);
    rig_free(rig);
}

/* B has that tag and no other from the next view on. */
static void give_b(struct rig *rig, const char *tag)
{
    const struct node_id b = rig_id(rig, 'B');
    struct message message = {.type = MESSAGE_WISH, .wish = {.kind = WISH_TAGS}};

    message.wish.tags.length = (uint16_t)(strlen(tag) + 1);
    memcpy(message.wish.tags.text, tag, message.wish.tags.length);
    rig_gets(rig, 'B', &message);
    rig_pass(rig, rig->timing.batch_ms, "B C");
    const struct message ack = rig_ack(rig, 'B');
    rig_gets(rig, 'B', &ack);
    rig_gets(rig, 'C', &ack);
    const struct view *view = core_view(rig->core);
    cr_assert(tags_have(member_tags(&view->members[view_find(view, &b)]), tag));
}

/* K6b: also when the view has given or taken the tag since. */
Test(core_roles, who_has_not_the_tag_holds_nothing)
{
    const struct role_terms terms = {.policy = ROLE_FIRST, .holders = 1, .need = "zone=eu"};
    struct rig *rig = rig_in("A B C", 'A');
    struct roles_said b = roles_stands(rig, 'B', 1, &terms);

    roles_asks(rig, 'C', NULL);
    roles_asks(rig, 'B', &b);
    cr_assert(core_may_grant(rig->core));
    cr_assert_eq(roles_listed(rig, 1).token, 0);
    give_b(rig, "zone=europe");
    cr_assert_eq(roles_listed(rig, 1).token, 0, "another value is another tag");
    rig_pass(rig, TAGS_PAUSE_MS, "B C");
    give_b(rig, "zone=eu");
    b.token = roles_listed(rig, 1).token;
    cr_assert_neq(b.token, 0);
    rig_pass(rig, TAGS_PAUSE_MS, "B C");
    give_b(rig, "zone=us");
    cr_assert(roles_listed(rig, 1).revoked);
    rig_free(rig);
}

/* K6c: the tag that is needed is one of the terms. */
Test(core_roles, another_need_is_refused)
{
    const struct role_terms other = {.policy = ROLE_FIRST, .holders = 1, .need = "zone"};
    struct roles_said b;
    struct roles_said c;
    struct rig *rig = roles_both_stand(&b, &c, &ROLES_FIRST);

    roles_enters(rig, 'C', &(struct roles_said){.request = 3}, &other);
    cr_assert_eq(rig_told(rig, MESSAGE_ROLES_PLACE, 'C')->role.order, ROLE_OTHER_TERMS);
    rig_free(rig);
}

/* K6d: each with a token of its own, and who is drained goes on. */
Test(core_roles, each_holds_where_the_terms_say_so)
{
    const struct role_terms terms = {.policy = ROLE_EACH, .holders = 1};
    struct roles_said b;
    struct roles_said c;
    struct rig *rig = roles_both_stand(&b, &c, &terms);

    cr_assert(core_may_grant(rig->core));
    b.token = roles_listed(rig, 1).token;
    c.token = roles_listed(rig, 2).token;
    cr_assert(b.token != 0 && c.token != 0 && b.token != c.token);
    roles_asks(rig, 'B', &b);
    cr_assert(rig_told(rig, MESSAGE_ROLES_ANSWER, 'B')->role.flag, "the same on both sides");
    drain_b(rig);
    cr_assert_not(roles_listed(rig, 1).revoked);
    cr_assert_eq(roles_listed(rig, 1).token, b.token);
    roles_lets_go(rig, 'B', &b, false);
    cr_assert_gt(roles_listed(rig, 1).token, b.token, "granted again, drained or not");
    rig_free(rig);
}

/* K6c */
Test(core_roles, other_terms_are_refused)
{
    struct roles_said b;
    struct roles_said c;
    struct rig *rig = roles_both_stand(&b, &c, &ROLES_FIRST);
    struct role_terms other = ROLES_FIRST;

    other.holders = 2;
    roles_enters(rig, 'C', &(struct roles_said){.request = 5}, &other);
    cr_assert_eq(rig_told(rig, MESSAGE_ROLES_PLACE, 'C')->role.order, ROLE_OTHER_TERMS);
    cr_assert_null(roles_listed(rig, 5).role);
    rig_free(rig);
}
