/* What a coordinator grants, when, and to whom (K1, K2, K4, K5, K7, K8). */
#include <criterion/criterion.h>

#include "core/agreement/change_count.h"
#include "roles_bench.h"

/* K7a: whoever has not told may hold; it is asked. */
Test(core_roles, nothing_is_granted_before_all_have_told)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct roles_said b = {.request = 1};

    roles_enters(rig, 'B', &b, &ROLES_FIRST);
    b.number = roles_listed(rig, 1).number;
    const struct message *call = rig_told(rig, MESSAGE_ROLES_ANSWER, 'C');
    cr_assert_not_null(call);
    cr_assert_not(call->role.flag);
    roles_asks(rig, 'B', &b);
    cr_assert_eq(roles_listed(rig, 1).token, 0);
    rig_pass(rig, rig->timing.heartbeat_ms, "B C");
    cr_assert_not_null(rig_told(rig, MESSAGE_ROLES_ANSWER, 'C'), "it is asked again");
    roles_asks(rig, 'C', NULL);
    cr_assert_neq(roles_listed(rig, 1).token, 0);
    const struct message *grant = rig_told(rig, MESSAGE_ROLES_PLACE, 'B');
    cr_assert_not_null(grant, "K2c: at once");
    cr_assert_eq(grant->role.entry.token, roles_listed(rig, 1).token);
    cr_assert_eq(grant->role.stamp, rig->core->roster.members[1].stamp);
    rig_free(rig);
}

/* K2c: what was said in B's name holds until B asks again. */
Test(core_roles, a_stamp_that_leaps_mutes_nobody)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct roles_said b = {.request = 1};
    struct message leaps = roles_word(rig, MESSAGE_ROLES_ASK);

    roles_enters(rig, 'B', &b, &ROLES_FIRST);
    b.number = roles_listed(rig, 1).number;
    roles_asks(rig, 'B', &b);
    leaps.role.stamp = UINT64_MAX;
    rig_gets(rig, 'B', &leaps);
    roles_asks(rig, 'B', &b);
    const struct message *answer = rig_told(rig, MESSAGE_ROLES_ANSWER, 'B');
    cr_assert_not_null(answer);
    cr_assert(answer->role.flag);
    cr_assert_eq(answer->role.stamp, 5000 + rig->now_ms);
    rig_free(rig);
}

/* K1b: a second grant has a token of its own. */
Test(core_roles, each_grant_has_a_new_token)
{
    struct roles_said b;
    struct roles_said c;
    struct rig *rig = roles_both_stand(&b, &c, &ROLES_FIRST);
    uint64_t first = b.token;

    cr_assert_eq(role_token_epoch(first), core_view(rig->core)->epoch);
    roles_lets_go(rig, 'B', &b, false);
    cr_assert_gt(roles_listed(rig, 1).token, first, "it is the first yet, and is granted anew");
    b.token = roles_listed(rig, 1).token;
    roles_lets_go(rig, 'B', &b, true);
    cr_assert_gt(roles_listed(rig, 2).token, b.token);
    rig_free(rig);
}

/* K2b */
Test(core_roles, who_has_the_same_is_answered_and_who_has_not_is_told)
{
    struct roles_said b;
    struct roles_said c;
    struct rig *rig = roles_both_stand(&b, &c, &ROLES_FIRST);

    roles_asks(rig, 'B', &b);
    cr_assert(rig_told(rig, MESSAGE_ROLES_ANSWER, 'B')->role.flag);
    cr_assert_eq(rig_count(rig, MESSAGE_ROLES_PLACE), 0);
    struct roles_said less = b;
    less.token = 0;
    roles_asks(rig, 'B', &less);
    cr_assert_not(rig_told(rig, MESSAGE_ROLES_ANSWER, 'B')->role.flag);
    cr_assert_eq(rig_told(rig, MESSAGE_ROLES_PLACE, 'B')->role.entry.token, b.token);
    rig_free(rig);
}

/* K2b, H49: as where somebody asks in B's name. Then what B lacks comes with its next question. */
Test(core_roles, who_lacks_something_again_and_again_is_told_once_in_a_while)
{
    struct roles_said b;
    struct roles_said c;
    struct rig *rig = roles_both_stand(&b, &c, &ROLES_FIRST);
    struct roles_said less = b;
    uint32_t placed = 0;

    less.token = 0;
    for (int question = 0; question < 20; question++) {
        roles_asks(rig, 'B', &less);
        placed += rig_count(rig, MESSAGE_ROLES_PLACE);
    }
    cr_assert_eq(placed, 1);
    rig_pass(rig, timing_repair_ms(&rig->timing), "B C");
    roles_asks(rig, 'B', &less);
    cr_assert_eq(rig_told(rig, MESSAGE_ROLES_PLACE, 'B')->role.entry.token, b.token);
    rig_free(rig);
}

/* K4c: who says that it holds nothing may not have heard yet of its grant. */
Test(core_roles, a_question_lets_nothing_go)
{
    struct roles_said b;
    struct roles_said c;
    struct rig *rig = roles_both_stand(&b, &c, &ROLES_FIRST);
    struct roles_said less = b;

    less.token = 0;
    roles_asks(rig, 'B', &less);
    roles_enters(rig, 'B', &less, &ROLES_FIRST);
    cr_assert_eq(roles_listed(rig, 1).token, b.token);
    cr_assert_eq(roles_listed(rig, 2).token, 0);
    rig_free(rig);
}

/* K4c: an old one, repeated on the way, ends no later grant. */
Test(core_roles, letting_go_ends_the_grant_that_it_names)
{
    struct roles_said b;
    struct roles_said c;
    struct rig *rig = roles_both_stand(&b, &c, &ROLES_FIRST);
    struct roles_said old = b;

    roles_lets_go(rig, 'B', &old, false);
    b.token = roles_listed(rig, 1).token;
    roles_lets_go(rig, 'B', &old, false);
    cr_assert_eq(roles_listed(rig, 1).token, b.token);
    roles_lets_go(rig, 'B', &old, true);
    cr_assert_eq(roles_listed(rig, 1).token, b.token);
    rig_free(rig);
}

/* K4a: a question to an earlier reign. */
Test(core_roles, a_word_to_another_reign_is_refused)
{
    struct roles_said b;
    struct roles_said c;
    struct rig *rig = roles_both_stand(&b, &c, &ROLES_FIRST);
    struct message message = roles_word(rig, MESSAGE_ROLES_LET_GO);

    message.role.epoch--;
    rig_refuses(rig, 'B', &message, REFUSED_ROLE_OTHER_REIGN);
    rig_refuses(rig, 'D', &message, REFUSED_ROLE_NOT_OURS_TO_SAY);
    rig_free(rig);
}

/* K4d: who tells of a grant that nobody can have made keeps nothing from others. */
Test(core_roles, who_tells_of_a_grant_of_a_later_epoch_is_not_listed)
{
    struct roles_said b;
    struct roles_said c;
    struct rig *rig = roles_both_stand(&b, &c, &ROLES_FIRST);
    const struct roles_said lie = {.request = 3, .number = c.number, .token = ROLE_TOKEN_MAX};
    struct message entry = roles_entry(rig, &lie, &ROLES_FIRST);

    rig_refuses(rig, 'C', &entry, REFUSED_ROLE_LEAPS);
    cr_assert_eq(roles_listed(rig, 3).number, 0);
    cr_assert_eq(roles_listed(rig, 1).token, b.token);
    rig_free(rig);
}

/* K4e: one word in the coordinator's name, and no grant would count for that member under this
 * epoch; what is drawn next is above it, and no epoch is needed for that. */
Test(core_roles, what_is_drawn_rises_above_what_was_let_go_of)
{
    struct roles_said b;
    struct roles_said c;
    struct rig *rig = roles_both_stand(&b, &c, &ROLES_FIRST);

    b.token += 1000;
    roles_lets_go(rig, 'B', &b, false);
    cr_assert_gt(roles_listed(rig, 1).token, b.token);
    rig_pass(rig, rig->timing.batch_ms, "B C");
    cr_assert_not(rig->core->change.on);
    cr_assert_not(rig->core->next.epoch_wanted);
    rig_free(rig);
}

/* K4e: also above what somebody tells that he holds, and what is over by then (K4c). */
Test(core_roles, what_is_drawn_rises_above_what_is_held)
{
    struct roles_said b;
    struct roles_said c;
    struct rig *rig = roles_both_stand(&b, &c, &ROLES_FIRST);
    const uint64_t token = b.token;

    b.token += 1000;
    roles_enters(rig, 'B', &b, &ROLES_FIRST);
    cr_assert_eq(roles_listed(rig, 1).token, token, "what it was granted goes on");
    roles_lets_go(rig, 'B', &(struct roles_said){.request = 1, .token = token}, true);
    cr_assert_gt(roles_listed(rig, 2).token, b.token);
    rig_free(rig);
}

/* K4e: what was drawn, or was so under an epoch before, is nothing new. */
Test(core_roles, a_token_that_was_drawn_moves_nothing)
{
    struct roles_said b;
    struct roles_said c;
    struct rig *rig = roles_both_stand(&b, &c, &ROLES_FIRST);
    const uint64_t serial = rig->core->roster.serial;

    roles_lets_go(rig, 'B', &b, false);
    cr_assert_eq(rig->core->roster.serial, serial + 1, "it is granted again");
    b.token = role_token(core_view(rig->core)->epoch - 1, ROLE_SERIAL_MAX);
    roles_lets_go(rig, 'B', &b, false);
    cr_assert_eq(rig->core->roster.serial, serial + 1);
    rig_free(rig);
}

/* K4e: a word that leaves nothing to draw costs an epoch, and no more than one. */
Test(core_roles, who_uses_up_all_tokens_begins_one_epoch)
{
    struct roles_said b;
    struct roles_said c;
    struct rig *rig = roles_both_stand(&b, &c, &ROLES_FIRST);
    const uint64_t epoch = core_view(rig->core)->epoch;

    b.token = role_token(epoch, ROLE_SERIAL_MAX);
    roles_lets_go(rig, 'B', &b, false);
    cr_assert_eq(roles_listed(rig, 1).token, 0, "nothing is granted in vain");
    rig_pass(rig, rig->timing.batch_ms, "B C");
    cr_assert(rig->core->change.on);
    cr_assert_gt(rig->core->change.pending.epoch, epoch);
    const uint64_t outdone_ms = rig->core->counting.outdone.over_ms;
    cr_assert_gt(outdone_ms, rig->now_ms);
    rig_pass(rig, rig->timing.heartbeat_ms + 1, "B C");
    roles_lets_go(rig, 'B', &b, false);
    rig_pass(rig, rig->timing.batch_ms, "B C");
    cr_assert_eq(rig->core->counting.outdone.over_ms, outdone_ms);
    rig_free(rig);
}

/* K1b, K4e: when the last one is drawn, an epoch with new ones begins. */
Test(core_roles, when_there_are_no_more_tokens_another_epoch_begins)
{
    struct roles_said b;
    struct roles_said c;
    struct rig *rig = roles_both_stand(&b, &c, &ROLES_FIRST);
    const uint64_t epoch = core_view(rig->core)->epoch;

    rig->core->roster.serial = ROLE_SERIAL_MAX;
    roles_lets_go(rig, 'B', &b, true);
    cr_assert_eq(roles_listed(rig, 2).token, 0);
    rig_pass(rig, rig->timing.batch_ms, "B C");
    cr_assert(rig->core->change.on);
    cr_assert_gt(rig->core->change.pending.epoch, epoch);
    rig_free(rig);
}

/* K5a: the same candidate, with the same number, however often it is told. */
Test(core_roles, a_candidate_keeps_its_number)
{
    struct roles_said b;
    struct roles_said c;
    struct rig *rig = roles_both_stand(&b, &c, &ROLES_FIRST);

    cr_assert_gt(c.number, b.number);
    roles_enters(rig, 'B', &(struct roles_said){.request = 1}, &ROLES_FIRST);
    cr_assert_eq(roles_listed(rig, 1).number, b.number);
    /* And one from an earlier reign, which comes after them, keeps the one that it had. */
    struct roles_said told = {.request = 3, .number = role_token(1, 1) - 1};
    roles_enters(rig, 'C', &told, &ROLES_FIRST);
    cr_assert_eq(roles_listed(rig, 3).number, told.number);
    /* One that was entered anew by a message that came late goes by its first. */
    told = (struct roles_said){.request = 2, .number = b.number};
    roles_enters(rig, 'C', &told, &ROLES_FIRST);
    cr_assert_eq(roles_listed(rig, 2).number, b.number);
    rig_free(rig);
}

/* K5c: the sixty-fifth of a member is refused in words. */
Test(core_roles, too_many_of_one_member_are_refused)
{
    struct rig *rig = rig_in("A B C", 'A');

    for (uint8_t i = 1; i <= ROLE_OWN_MAX; i++) {
        (void)roles_stands(rig, 'B', i, &ROLES_FIRST);
    }
    roles_enters(rig, 'B', &(struct roles_said){.request = ROLE_OWN_MAX + 1}, &ROLES_FIRST);
    cr_assert_eq(rig_told(rig, MESSAGE_ROLES_PLACE, 'B')->role.order, ROLE_FULL);
    rig_free(rig);
}

/* K5b: who is listed and asks nothing is called. */
Test(core_roles, who_is_listed_and_silent_is_called)
{
    struct roles_said b;
    struct roles_said c;
    struct rig *rig = roles_both_stand(&b, &c, &ROLES_FIRST);

    rig_pass(rig, 3 * rig->timing.heartbeat_ms, "B C");
    const struct message *call = rig_told(rig, MESSAGE_ROLES_ANSWER, 'C');
    cr_assert_not_null(call);
    cr_assert_not(call->role.flag);
    rig_free(rig);
}

/* K7b: what is told is kept, and of two the later grant. */
Test(core_roles, who_tells_that_it_holds_keeps_it)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct roles_said b = {.request = 1, .number = role_token(1, 1), .token = role_token(1, 5)};
    struct roles_said c = {.request = 2, .number = role_token(1, 2), .token = role_token(1, 6)};

    roles_enters(rig, 'B', &b, &ROLES_FIRST);
    cr_assert_eq(rig_told(rig, MESSAGE_ROLES_PLACE, 'B')->role.entry.token, b.token);
    roles_enters(rig, 'C', &c, &ROLES_FIRST);
    roles_asks(rig, 'B', &b);
    roles_asks(rig, 'C', &c);
    cr_assert_eq(roles_listed(rig, 2).token, c.token);
    cr_assert_not(roles_listed(rig, 2).revoked);
    cr_assert(roles_listed(rig, 1).revoked);
    rig_free(rig);
}

/* K7c, advisory: with its member its grant is gone. */
Test(core_roles, a_removed_member_holds_nothing)
{
    struct roles_said b;
    struct roles_said c;
    struct rig *rig = roles_both_stand(&b, &c, &ROLES_FIRST);

    rig_gets(rig, 'B', &(struct message){.type = MESSAGE_WISH, .wish = {.kind = WISH_LEAVE}});
    rig_pass(rig, rig->timing.batch_ms, "");
    struct message ack = rig_ack(rig, 'C');
    rig_gets(rig, 'C', &ack);
    char text[64];
    cr_assert_str_eq(rig_sees(rig, text), "A C");
    cr_assert_neq(roles_listed(rig, 2).token, 0);
    cr_assert_null(roles_listed(rig, 1).role);
    rig_free(rig);
}

/* K8: the other part may have given a higher one. */
Test(core_roles, a_token_from_before_a_merge_is_renewed)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct roles_said b = {.request = 1, .number = role_token(0, 1), .token = role_token(0, 5)};

    rig->core->roster.merged_epoch = core_view(rig->core)->epoch;
    roles_enters(rig, 'B', &b, &ROLES_FIRST);
    cr_assert_eq(role_token_epoch(roles_listed(rig, 1).token), core_view(rig->core)->epoch);
    cr_assert_eq(rig_told(rig, MESSAGE_ROLES_PLACE, 'B')->role.entry.token,
                 roles_listed(rig, 1).token);
    rig_free(rig);
}
