/* What a coordinator grants, when, and to whom (K1, K2, K5 to K8). The rig is A, which coordinates
 * "A B C". */
#include <criterion/criterion.h>
#include <string.h>

#include "core/agreement/change_count.h"
#include "core/detection/lease.h"
#include "core/detection/standing.h"
#include "core/holding/words.h"
#include "rig.h"

/* What B or C has said that it has, one candidate each. */
struct said {
    uint8_t request;
    uint64_t number;
    uint64_t token;
};

static struct message word_of(const struct rig *rig, enum message_type type)
{
    struct message message = {.type = type};

    message.role.epoch = core_view(rig->core)->epoch;
    message.role.stamp = 5000 + rig->now_ms; /* by the member's clock */
    return message;
}

static struct message entry_of(const struct rig *rig, const struct said *said,
                               const struct role_terms *terms)
{
    struct message message = word_of(rig, MESSAGE_ROLES_ENTER);

    message.role.entry = (struct role_entry){.request = {.bytes = {said->request}},
                                             .role = "job",
                                             .terms = *terms,
                                             .priority = said->request,
                                             .number = said->number,
                                             .token = said->token};
    return message;
}

static const struct role_terms FIRST = {.policy = ROLE_FIRST, .holders = 1};

static void enters(struct rig *rig, char from, const struct said *said,
                   const struct role_terms *terms)
{
    struct message message = entry_of(rig, said, terms);

    rig_gets(rig, from, &message);
}

static void asks(struct rig *rig, char from, const struct said *said)
{
    struct message message = word_of(rig, MESSAGE_ROLES_ASK);

    if (said != NULL) {
        const struct node_id id = {.bytes = {said->request}};
        message.role.count = 1;
        message.role.hash = words_hash(&id, said->number, said->token);
    }
    rig_gets(rig, from, &message);
}

static void lets_go(struct rig *rig, char from, const struct said *said, bool resigned)
{
    struct message message = word_of(rig, MESSAGE_ROLES_LET_GO);

    message.role.entry.request = (struct node_id){.bytes = {said->request}};
    message.role.entry.token = said->token;
    message.role.flag = resigned;
    rig_gets(rig, from, &message);
}

/* The candidate of that request as the coordinator lists it. */
static struct listed_role listed(const struct rig *rig, uint8_t name)
{
    struct listed_role entry = {0};

    for (uint32_t i = 0; i < core_role_places(rig->core); i++) {
        if (core_listed_role(rig->core, i, &entry) && entry.request.bytes[0] == name) {
            return entry;
        }
    }
    return (struct listed_role){0};
}

/* That one stands, and knows its number. */
static struct said stands(struct rig *rig, char from, uint8_t name, const struct role_terms *terms)
{
    struct said said = {.request = name};

    enters(rig, from, &said, terms);
    const struct message *place = rig_told(rig, MESSAGE_ROLES_PLACE, from);
    cr_assert_not_null(place);
    said.number = place->role.entry.number;
    cr_assert_neq(said.number, 0);
    return said;
}

/* B stands under request 1 and leads, C under request 2 behind it. */
static struct rig *both_stand(struct said *b, struct said *c, const struct role_terms *terms)
{
    struct rig *rig = rig_in("A B C", 'A');

    *b = stands(rig, 'B', 1, terms);
    asks(rig, 'C', NULL);
    asks(rig, 'B', b);
    b->token = listed(rig, 1).token;
    cr_assert_neq(b->token, 0);
    *c = stands(rig, 'C', 2, terms);
    asks(rig, 'C', c);
    return rig;
}

/* K7a: whoever has not told may hold; it is asked. */
Test(core_roles, nothing_is_granted_before_all_have_told)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct said b = {.request = 1};

    enters(rig, 'B', &b, &FIRST);
    b.number = listed(rig, 1).number;
    const struct message *call = rig_told(rig, MESSAGE_ROLES_ANSWER, 'C');
    cr_assert_not_null(call);
    cr_assert_not(call->role.flag);
    asks(rig, 'B', &b);
    cr_assert_eq(listed(rig, 1).token, 0);
    rig_pass(rig, rig->timing.heartbeat_ms, "B C");
    cr_assert_not_null(rig_told(rig, MESSAGE_ROLES_ANSWER, 'C'), "it is asked again");
    asks(rig, 'C', NULL);
    cr_assert_neq(listed(rig, 1).token, 0);
    const struct message *grant = rig_told(rig, MESSAGE_ROLES_PLACE, 'B');
    cr_assert_not_null(grant, "K2c: at once");
    cr_assert_eq(grant->role.entry.token, listed(rig, 1).token);
    cr_assert_eq(grant->role.stamp, rig->core->roster.members[1].stamp);
    rig_free(rig);
}

/* K2c: what was said in B's name holds until B asks again. */
Test(core_roles, a_stamp_that_leaps_mutes_nobody)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct said b = {.request = 1};
    struct message leaps = word_of(rig, MESSAGE_ROLES_ASK);

    enters(rig, 'B', &b, &FIRST);
    b.number = listed(rig, 1).number;
    asks(rig, 'B', &b);
    leaps.role.stamp = UINT64_MAX;
    rig_gets(rig, 'B', &leaps);
    asks(rig, 'B', &b);
    const struct message *answer = rig_told(rig, MESSAGE_ROLES_ANSWER, 'B');
    cr_assert_not_null(answer);
    cr_assert(answer->role.flag);
    cr_assert_eq(answer->role.stamp, 5000 + rig->now_ms);
    rig_free(rig);
}

/* K1b: a second grant has a token of its own. */
Test(core_roles, each_grant_has_a_new_token)
{
    struct said b;
    struct said c;
    struct rig *rig = both_stand(&b, &c, &FIRST);
    uint64_t first = b.token;

    cr_assert_eq(role_token_epoch(first), core_view(rig->core)->epoch);
    lets_go(rig, 'B', &b, false);
    cr_assert_gt(listed(rig, 1).token, first, "it is the first yet, and is granted anew");
    b.token = listed(rig, 1).token;
    lets_go(rig, 'B', &b, true);
    cr_assert_gt(listed(rig, 2).token, b.token);
    rig_free(rig);
}

/* K2b */
Test(core_roles, who_has_the_same_is_answered_and_who_has_not_is_told)
{
    struct said b;
    struct said c;
    struct rig *rig = both_stand(&b, &c, &FIRST);

    asks(rig, 'B', &b);
    cr_assert(rig_told(rig, MESSAGE_ROLES_ANSWER, 'B')->role.flag);
    cr_assert_eq(rig_count(rig, MESSAGE_ROLES_PLACE), 0);
    struct said less = b;
    less.token = 0;
    asks(rig, 'B', &less);
    cr_assert_not(rig_told(rig, MESSAGE_ROLES_ANSWER, 'B')->role.flag);
    cr_assert_eq(rig_told(rig, MESSAGE_ROLES_PLACE, 'B')->role.entry.token, b.token);
    rig_free(rig);
}

/* K2b, H49: as where somebody asks in B's name. Then what B lacks comes with its next question. */
Test(core_roles, who_lacks_something_again_and_again_is_told_once_in_a_while)
{
    struct said b;
    struct said c;
    struct rig *rig = both_stand(&b, &c, &FIRST);
    struct said less = b;
    uint32_t placed = 0;

    less.token = 0;
    for (int question = 0; question < 20; question++) {
        asks(rig, 'B', &less);
        placed += rig_count(rig, MESSAGE_ROLES_PLACE);
    }
    cr_assert_eq(placed, 1);
    rig_pass(rig, timing_repair_ms(&rig->timing), "B C");
    asks(rig, 'B', &less);
    cr_assert_eq(rig_told(rig, MESSAGE_ROLES_PLACE, 'B')->role.entry.token, b.token);
    rig_free(rig);
}

/* K4c: who says that it holds nothing may not have heard yet of its grant. */
Test(core_roles, a_question_lets_nothing_go)
{
    struct said b;
    struct said c;
    struct rig *rig = both_stand(&b, &c, &FIRST);
    struct said less = b;

    less.token = 0;
    asks(rig, 'B', &less);
    enters(rig, 'B', &less, &FIRST);
    cr_assert_eq(listed(rig, 1).token, b.token);
    cr_assert_eq(listed(rig, 2).token, 0);
    rig_free(rig);
}

/* K4c: an old one, repeated on the way, ends no later grant. */
Test(core_roles, letting_go_ends_the_grant_that_it_names)
{
    struct said b;
    struct said c;
    struct rig *rig = both_stand(&b, &c, &FIRST);
    struct said old = b;

    lets_go(rig, 'B', &old, false);
    b.token = listed(rig, 1).token;
    lets_go(rig, 'B', &old, false);
    cr_assert_eq(listed(rig, 1).token, b.token);
    lets_go(rig, 'B', &old, true);
    cr_assert_eq(listed(rig, 1).token, b.token);
    rig_free(rig);
}

/* K4a: a question to an earlier reign. */
Test(core_roles, a_word_to_another_reign_is_refused)
{
    struct said b;
    struct said c;
    struct rig *rig = both_stand(&b, &c, &FIRST);
    struct message message = word_of(rig, MESSAGE_ROLES_LET_GO);

    message.role.epoch--;
    rig_refuses(rig, 'B', &message, REFUSED_ROLE_OTHER_REIGN);
    rig_refuses(rig, 'D', &message, REFUSED_ROLE_NOT_OURS_TO_SAY);
    rig_free(rig);
}

/* K4d: who tells of a grant that nobody can have made keeps nothing from others. */
Test(core_roles, who_tells_of_a_grant_of_a_later_epoch_is_not_listed)
{
    struct said b;
    struct said c;
    struct rig *rig = both_stand(&b, &c, &FIRST);
    const struct said lie = {.request = 3, .number = c.number, .token = ROLE_TOKEN_MAX};
    struct message entry = entry_of(rig, &lie, &FIRST);

    rig_refuses(rig, 'C', &entry, REFUSED_ROLE_LEAPS);
    cr_assert_eq(listed(rig, 3).number, 0);
    cr_assert_eq(listed(rig, 1).token, b.token);
    rig_free(rig);
}

/* K4e: one word in the coordinator's name, and no grant would count for that member under this
 * epoch; what is drawn next is above it, and no epoch is needed for that. */
Test(core_roles, what_is_drawn_rises_above_what_was_let_go_of)
{
    struct said b;
    struct said c;
    struct rig *rig = both_stand(&b, &c, &FIRST);

    b.token += 1000;
    lets_go(rig, 'B', &b, false);
    cr_assert_gt(listed(rig, 1).token, b.token);
    rig_pass(rig, rig->timing.batch_ms, "B C");
    cr_assert_not(rig->core->change.on);
    cr_assert_not(rig->core->next.epoch_wanted);
    rig_free(rig);
}

/* K4e: also above what somebody tells that he holds, and what is over by then (K4c). */
Test(core_roles, what_is_drawn_rises_above_what_is_held)
{
    struct said b;
    struct said c;
    struct rig *rig = both_stand(&b, &c, &FIRST);
    const uint64_t token = b.token;

    b.token += 1000;
    enters(rig, 'B', &b, &FIRST);
    cr_assert_eq(listed(rig, 1).token, token, "what it was granted goes on");
    lets_go(rig, 'B', &(struct said){.request = 1, .token = token}, true);
    cr_assert_gt(listed(rig, 2).token, b.token);
    rig_free(rig);
}

/* K4e: what was drawn, or was so under an epoch before, is nothing new. */
Test(core_roles, a_token_that_was_drawn_moves_nothing)
{
    struct said b;
    struct said c;
    struct rig *rig = both_stand(&b, &c, &FIRST);
    const uint64_t serial = rig->core->roster.serial;

    lets_go(rig, 'B', &b, false);
    cr_assert_eq(rig->core->roster.serial, serial + 1, "it is granted again");
    b.token = role_token(core_view(rig->core)->epoch - 1, ROLE_SERIAL_MAX);
    lets_go(rig, 'B', &b, false);
    cr_assert_eq(rig->core->roster.serial, serial + 1);
    rig_free(rig);
}

/* K4e: a word that leaves nothing to draw costs an epoch, and no more than one. */
Test(core_roles, who_uses_up_all_tokens_begins_one_epoch)
{
    struct said b;
    struct said c;
    struct rig *rig = both_stand(&b, &c, &FIRST);
    const uint64_t epoch = core_view(rig->core)->epoch;

    b.token = role_token(epoch, ROLE_SERIAL_MAX);
    lets_go(rig, 'B', &b, false);
    cr_assert_eq(listed(rig, 1).token, 0, "nothing is granted in vain");
    rig_pass(rig, rig->timing.batch_ms, "B C");
    cr_assert(rig->core->change.on);
    cr_assert_gt(rig->core->change.pending.epoch, epoch);
    const uint64_t outdone_ms = rig->core->counting.outdone.over_ms;
    cr_assert_gt(outdone_ms, rig->now_ms);
    rig_pass(rig, rig->timing.heartbeat_ms + 1, "B C");
    lets_go(rig, 'B', &b, false);
    rig_pass(rig, rig->timing.batch_ms, "B C");
    cr_assert_eq(rig->core->counting.outdone.over_ms, outdone_ms);
    rig_free(rig);
}

/* K1b, K4e: when the last one is drawn, an epoch with new ones begins. */
Test(core_roles, when_there_are_no_more_tokens_another_epoch_begins)
{
    struct said b;
    struct said c;
    struct rig *rig = both_stand(&b, &c, &FIRST);
    const uint64_t epoch = core_view(rig->core)->epoch;

    rig->core->roster.serial = ROLE_SERIAL_MAX;
    lets_go(rig, 'B', &b, true);
    cr_assert_eq(listed(rig, 2).token, 0);
    rig_pass(rig, rig->timing.batch_ms, "B C");
    cr_assert(rig->core->change.on);
    cr_assert_gt(rig->core->change.pending.epoch, epoch);
    rig_free(rig);
}

/* K5a: the same candidate, with the same number, however often it is told. */
Test(core_roles, a_candidate_keeps_its_number)
{
    struct said b;
    struct said c;
    struct rig *rig = both_stand(&b, &c, &FIRST);

    cr_assert_gt(c.number, b.number);
    enters(rig, 'B', &(struct said){.request = 1}, &FIRST);
    cr_assert_eq(listed(rig, 1).number, b.number);
    /* And one from an earlier reign, which comes after them, keeps the one that it had. */
    struct said told = {.request = 3, .number = role_token(1, 1) - 1};
    enters(rig, 'C', &told, &FIRST);
    cr_assert_eq(listed(rig, 3).number, told.number);
    /* One that was entered anew by a message that came late goes by its first. */
    told = (struct said){.request = 2, .number = b.number};
    enters(rig, 'C', &told, &FIRST);
    cr_assert_eq(listed(rig, 2).number, b.number);
    rig_free(rig);
}

/* K5c: the sixty-fifth of a member is refused in words. */
Test(core_roles, too_many_of_one_member_are_refused)
{
    struct rig *rig = rig_in("A B C", 'A');

    for (uint8_t i = 1; i <= ROLE_OWN_MAX; i++) {
        (void)stands(rig, 'B', i, &FIRST);
    }
    enters(rig, 'B', &(struct said){.request = ROLE_OWN_MAX + 1}, &FIRST);
    cr_assert_eq(rig_told(rig, MESSAGE_ROLES_PLACE, 'B')->role.order, ROLE_FULL);
    rig_free(rig);
}

/* K5b: who is listed and asks nothing is called. */
Test(core_roles, who_is_listed_and_silent_is_called)
{
    struct said b;
    struct said c;
    struct rig *rig = both_stand(&b, &c, &FIRST);

    rig_pass(rig, 3 * rig->timing.heartbeat_ms, "B C");
    const struct message *call = rig_told(rig, MESSAGE_ROLES_ANSWER, 'C');
    cr_assert_not_null(call);
    cr_assert_not(call->role.flag);
    rig_free(rig);
}

/* K6a: C is younger, came first, and has the higher priority. */
Test(core_roles, policies_choose)
{
    const struct role_terms terms[] = {{.policy = ROLE_FIRST, .holders = 1},
                                       {.policy = ROLE_OLDEST, .holders = 1},
                                       {.policy = ROLE_PRIORITY, .holders = 1}};
    const uint8_t wanted[] = {2, 1, 2};

    for (int i = 0; i < 3; i++) {
        struct rig *rig = rig_in("A B C", 'A');
        struct said c = stands(rig, 'C', 2, &terms[i]);
        struct said b = stands(rig, 'B', 1, &terms[i]);
        asks(rig, 'B', &b);
        asks(rig, 'C', &c);
        cr_assert_neq(listed(rig, wanted[i]).token, 0);
        cr_assert_eq(listed(rig, (uint8_t)(3 - wanted[i])).token, 0);
        rig_free(rig);
    }
}

/* K1a, K6a: a holder stays; or, where the terms say so, lets go before the better one begins. */
Test(core_roles, a_better_one_takes_over_where_the_terms_say_so)
{
    struct role_terms terms = {.policy = ROLE_PRIORITY, .holders = 1};
    struct said b;
    struct said c;
    struct rig *rig = both_stand(&b, &c, &terms);

    cr_assert_eq(listed(rig, 1).token, b.token);
    cr_assert_not(listed(rig, 1).revoked);
    rig_free(rig);

    terms.preempt = true;
    rig = both_stand(&b, &c, &terms);
    cr_assert(listed(rig, 1).revoked);
    (void)stands(rig, 'C', 3, &terms);
    cr_assert_eq(listed(rig, 2).token, 0, "it has not let go yet");
    cr_assert_eq(listed(rig, 3).token, 0);
    lets_go(rig, 'C', &(struct said){.request = 3}, true);
    asks(rig, 'B', &b);
    cr_assert_eq(rig_told(rig, MESSAGE_ROLES_PLACE, 'B')->role.order, ROLE_LET_GO, "asked again");
    lets_go(rig, 'B', &b, false);
    cr_assert_neq(listed(rig, 2).token, 0);
    rig_free(rig);
}

/* K6e: who holds it stays until then; a role that nobody holds waits for nobody. */
Test(core_roles, a_better_one_takes_over_once_it_has_stood_for_long)
{
    const struct role_terms terms = {
        .policy = ROLE_PRIORITY, .holders = 1, .preempt = true, .preempt_after_ms = 700};
    struct said b;
    struct said c;
    struct rig *rig = both_stand(&b, &c, &terms);

    cr_assert_not(listed(rig, 1).revoked);
    rig_pass(rig, 699, "B C");
    cr_assert_not(listed(rig, 1).revoked);
    rig_pass(rig, 1, "B C");
    cr_assert(listed(rig, 1).revoked);
    (void)stands(rig, 'C', 3, &terms);
    lets_go(rig, 'B', &b, true);
    cr_assert_eq(listed(rig, 2).token, 0);
    cr_assert_neq(listed(rig, 3).token, 0, "the best, as nobody holds it");
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
    struct said b;
    struct said c;
    struct rig *rig = both_stand(&b, &c, &FIRST);

    drain_b(rig);
    cr_assert(listed(rig, 1).revoked);
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
    struct said b = stands(rig, 'B', 1, &terms);

    asks(rig, 'C', NULL);
    asks(rig, 'B', &b);
    cr_assert(core_may_grant(rig->core));
    cr_assert_eq(listed(rig, 1).token, 0);
    give_b(rig, "zone=europe");
    cr_assert_eq(listed(rig, 1).token, 0, "another value is another tag");
    rig_pass(rig, TAGS_PAUSE_MS, "B C");
    give_b(rig, "zone=eu");
    b.token = listed(rig, 1).token;
    cr_assert_neq(b.token, 0);
    rig_pass(rig, TAGS_PAUSE_MS, "B C");
    give_b(rig, "zone=us");
    cr_assert(listed(rig, 1).revoked);
    rig_free(rig);
}

/* K6c: the tag that is needed is one of the terms. */
Test(core_roles, another_need_is_refused)
{
    const struct role_terms other = {.policy = ROLE_FIRST, .holders = 1, .need = "zone"};
    struct said b;
    struct said c;
    struct rig *rig = both_stand(&b, &c, &FIRST);

    enters(rig, 'C', &(struct said){.request = 3}, &other);
    cr_assert_eq(rig_told(rig, MESSAGE_ROLES_PLACE, 'C')->role.order, ROLE_OTHER_TERMS);
    rig_free(rig);
}

/* K6d: each with a token of its own, and who is drained goes on. */
Test(core_roles, each_holds_where_the_terms_say_so)
{
    const struct role_terms terms = {.policy = ROLE_EACH, .holders = 1};
    struct said b;
    struct said c;
    struct rig *rig = both_stand(&b, &c, &terms);

    cr_assert(core_may_grant(rig->core));
    b.token = listed(rig, 1).token;
    c.token = listed(rig, 2).token;
    cr_assert(b.token != 0 && c.token != 0 && b.token != c.token);
    asks(rig, 'B', &b);
    cr_assert(rig_told(rig, MESSAGE_ROLES_ANSWER, 'B')->role.flag, "the same on both sides");
    drain_b(rig);
    cr_assert_not(listed(rig, 1).revoked);
    cr_assert_eq(listed(rig, 1).token, b.token);
    lets_go(rig, 'B', &b, false);
    cr_assert_gt(listed(rig, 1).token, b.token, "granted again, drained or not");
    rig_free(rig);
}

/* K6c */
Test(core_roles, other_terms_are_refused)
{
    struct said b;
    struct said c;
    struct rig *rig = both_stand(&b, &c, &FIRST);
    struct role_terms other = FIRST;

    other.holders = 2;
    enters(rig, 'C', &(struct said){.request = 5}, &other);
    cr_assert_eq(rig_told(rig, MESSAGE_ROLES_PLACE, 'C')->role.order, ROLE_OTHER_TERMS);
    cr_assert_null(listed(rig, 5).role);
    rig_free(rig);
}

/* K7b: what is told is kept, and of two the later grant. */
Test(core_roles, who_tells_that_it_holds_keeps_it)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct said b = {.request = 1, .number = role_token(1, 1), .token = role_token(1, 5)};
    struct said c = {.request = 2, .number = role_token(1, 2), .token = role_token(1, 6)};

    enters(rig, 'B', &b, &FIRST);
    cr_assert_eq(rig_told(rig, MESSAGE_ROLES_PLACE, 'B')->role.entry.token, b.token);
    enters(rig, 'C', &c, &FIRST);
    asks(rig, 'B', &b);
    asks(rig, 'C', &c);
    cr_assert_eq(listed(rig, 2).token, c.token);
    cr_assert_not(listed(rig, 2).revoked);
    cr_assert(listed(rig, 1).revoked);
    rig_free(rig);
}

/* K7c, advisory: with its member its grant is gone. */
Test(core_roles, a_removed_member_holds_nothing)
{
    struct said b;
    struct said c;
    struct rig *rig = both_stand(&b, &c, &FIRST);

    rig_gets(rig, 'B', &(struct message){.type = MESSAGE_WISH, .wish = {.kind = WISH_LEAVE}});
    rig_pass(rig, rig->timing.batch_ms, "");
    struct message ack = rig_ack(rig, 'C');
    rig_gets(rig, 'C', &ack);
    char text[64];
    cr_assert_str_eq(rig_sees(rig, text), "A C");
    cr_assert_neq(listed(rig, 2).token, 0);
    cr_assert_null(listed(rig, 1).role);
    rig_free(rig);
}

/* K8: the other part may have given a higher one. */
Test(core_roles, a_token_from_before_a_merge_is_renewed)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct said b = {.request = 1, .number = role_token(0, 1), .token = role_token(0, 5)};

    rig->core->roster.merged_epoch = core_view(rig->core)->epoch;
    enters(rig, 'B', &b, &FIRST);
    cr_assert_eq(role_token_epoch(listed(rig, 1).token), core_view(rig->core)->epoch);
    cr_assert_eq(rig_told(rig, MESSAGE_ROLES_PLACE, 'B')->role.entry.token, listed(rig, 1).token);
    rig_free(rig);
}

/* --- Under guard strict --- */

/* The voters answer what they were asked. */
static void leases(struct rig *rig)
{
    for (const char *voter = "BC"; *voter != '\0'; voter++) {
        rig_leases(rig, *voter);
    }
}

/* Time passes, and the voters go on leasing. */
static void acts_on(struct rig *rig, uint64_t ms)
{
    for (; ms > 0; ms -= ms < 100 ? ms : 100) {
        rig_pass(rig, ms < 100 ? ms : 100, "");
        leases(rig);
        cr_assert(core_is_acting(rig->core, rig->now_ms));
    }
}

static struct rig *acts(void)
{
    struct rig *rig = rig_strict("A B C", 'A');

    rig_pass(rig, 300, "B C");
    leases(rig);
    rig_pass(rig, 300, "B C");
    leases(rig);
    cr_assert(core_is_acting(rig->core, rig->now_ms));
    return rig;
}

/* K4e, Z5c: there the voters give the epoch. */
Test(core_roles, strict_another_epoch_comes_from_the_voters)
{
    struct rig *rig = acts();
    const uint64_t epoch = core_view(rig->core)->epoch;
    const struct role_command outgrow = {.wish = ROLE_OUTGROW};

    rig_wants(rig, &outgrow);
    cr_assert(change_is_overtaken(rig->core));
    acts_on(rig, rig->timing.claim_ms);
    cr_assert(rig->core->candidacy.on);
    cr_assert_gt(rig->core->candidacy.epoch, epoch);
    rig_free(rig);
}

/* K7a: whoever has not told, member or not, may hold until then, as the voters said. */
Test(core_roles, strict_nothing_is_granted_while_a_former_grant_may_be_held)
{
    struct rig *rig = acts();
    const uint64_t held_ms = 2 * timing_hold_ms(&rig->timing);

    rig->core->candidacy.held_until_ms = rig->now_ms + held_ms;
    struct said b = stands(rig, 'B', 1, &FIRST);
    asks(rig, 'B', &b);
    asks(rig, 'C', NULL);
    cr_assert_eq(listed(rig, 1).token, 0);
    acts_on(rig, held_ms - 1);
    cr_assert_eq(listed(rig, 1).token, 0);
    acts_on(rig, 1);
    cr_assert_neq(listed(rig, 1).token, 0);
    rig_free(rig);
}

/* K2a: no answer goes out, and nothing is granted, while it does not act. */
Test(core_roles, who_does_not_act_answers_nothing)
{
    struct rig *rig = acts();
    struct said b = {.request = 1, .number = role_token(0, 1), .token = role_token(0, 2)};

    rig->core->candidacy.held_until_ms = rig->now_ms + timing_hold_ms(&rig->timing);
    rig_pass(rig, rig->timing.lease_ms, "B C");
    cr_assert_not(core_is_acting(rig->core, rig->now_ms));
    enters(rig, 'B', &b, &FIRST);
    cr_assert_eq(rig_count(rig, MESSAGE_ROLES_PLACE), 0);
    struct message ask = word_of(rig, MESSAGE_ROLES_ASK);
    rig_refuses(rig, 'B', &ask, REFUSED_ROLE_NOT_ACTING);
    cr_assert_eq(rig_count(rig, MESSAGE_ROLES_PLACE) + rig_count(rig, MESSAGE_ROLES_ANSWER), 0);
    asks(rig, 'B', &b);
    cr_assert_eq(rig_count(rig, MESSAGE_ROLES_PLACE) + rig_count(rig, MESSAGE_ROLES_ANSWER), 0);
    cr_assert_eq(listed(rig, 1).token, b.token, "what was told is noted");
    rig_free(rig);
}

/* K7b: whom it granted anything it lists, and nobody else can have done so in this epoch. */
Test(core_roles, strict_a_grant_of_this_epoch_that_was_never_made_is_not_kept)
{
    struct rig *rig = acts();
    const uint64_t epoch = core_view(rig->core)->epoch;
    struct said lie = {.request = 1, .number = role_token(epoch, 1), .token = role_token(epoch, 9)};
    struct said former = {.request = 2, .token = role_token(epoch - 1, 9)};

    enters(rig, 'B', &lie, &FIRST);
    cr_assert_eq(listed(rig, 1).number, lie.number);
    cr_assert_neq(listed(rig, 1).token, lie.token, "it may be granted another at once");
    enters(rig, 'C', &former, &FIRST);
    cr_assert_eq(listed(rig, 2).token, former.token);
    rig_free(rig);
}

/* K3a: the answer says for how long, and it is free T_hold after that, whatever is agreed since. */
Test(core_roles, strict_a_grant_is_for_as_long_as_was_said)
{
    struct rig *rig = acts();
    const uint64_t hold_ms = timing_hold_ms(&rig->timing);
    struct said b = stands(rig, 'B', 1, &FIRST);

    acts_on(rig, hold_ms);
    b.token = listed(rig, 1).token;
    asks(rig, 'B', &b);
    cr_assert_eq(rig_told(rig, MESSAGE_ROLES_ANSWER, 'B')->role.held_ms, hold_ms * 4 / 5 - 2);
    rig->core->timing.lost_ms_shortest *= 2;
    lease_on_timing(rig->core, &rig->timing);
    asks(rig, 'B', &b);
    cr_assert_eq(rig_told(rig, MESSAGE_ROLES_ANSWER, 'B')->role.held_ms, hold_ms * 4 / 5 - 2,
                 "no voter was told yet");
    rig->core->timing.lost_ms_shortest /= 8;
    lease_on_timing(rig->core, &rig->timing);
    acts_on(rig, hold_ms - 1);
    cr_assert_eq(listed(rig, 1).token, b.token);
    acts_on(rig, rig->timing.heartbeat_ms);
    cr_assert_neq(listed(rig, 1).token, b.token);
    rig_free(rig);
}

/* K7c: no verdict and no closed connection ends a grant, but T_hold after the last answer does. */
Test(core_roles, strict_a_grant_ends_t_hold_after_the_last_answer)
{
    struct rig *rig = acts();
    uint64_t hold_ms = timing_hold_ms(&rig->timing);
    struct said b = stands(rig, 'B', 1, &FIRST);
    struct said c = stands(rig, 'C', 2, &FIRST);

    acts_on(rig, hold_ms);
    b.token = listed(rig, 1).token;
    cr_assert_neq(b.token, 0);
    asks(rig, 'B', &b);
    for (uint64_t passed_ms = 0; passed_ms + 100 < hold_ms; passed_ms += 100) {
        acts_on(rig, 100);
        asks(rig, 'C', &c);
        cr_assert_eq(listed(rig, 1).token, b.token);
        cr_assert_eq(listed(rig, 2).token, 0);
    }
    acts_on(rig, 200);
    cr_assert_neq(listed(rig, 1).token, b.token);
    rig_free(rig);
}
