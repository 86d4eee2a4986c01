/* A member's own candidates: what they hold, and until when (K2 to K5, K8). The rig is member B; A
 * coordinates. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/holding/words.h"
#include "rig.h"

static struct node_id request(uint8_t name)
{
    return (struct node_id){.bytes = {name}};
}

static uint64_t token_of(const struct rig *rig, uint64_t serial)
{
    return role_token(core_view(rig->core)->epoch, serial);
}

static void wants(struct rig *rig, enum role_wish wish, uint8_t name)
{
    struct role_command command = {.wish = wish,
                                   .request = request(name),
                                   .role = "job",
                                   .terms = {.policy = ROLE_FIRST, .holders = 1},
                                   .grace_ms = 1000};

    rig_wants(rig, &command);
}

static struct message word_of(const struct rig *rig, enum message_type type)
{
    struct message message = {.type = type};

    message.role.epoch = core_view(rig->core)->epoch;
    message.role.stamp = rig->now_ms;
    message.role.held_ms = timing_held_ms(&rig->timing,
                                          guard_is_strict(&core_terms(rig->core)->guard));
    return message;
}

static void answers(struct rig *rig, uint64_t stamp)
{
    struct message message = word_of(rig, MESSAGE_ROLES_ANSWER);

    message.role.stamp = stamp;
    message.role.flag = true;
    rig_gets(rig, 'A', &message);
}

static struct message place_of(const struct rig *rig, uint8_t name, uint64_t serial, uint64_t stamp)
{
    struct message message = word_of(rig, MESSAGE_ROLES_PLACE);

    message.role.stamp = stamp;
    message.role.entry.request = request(name);
    message.role.entry.number = token_of(rig, 1);
    message.role.entry.token = serial == 0 ? 0 : token_of(rig, serial);
    return message;
}

static void places(struct rig *rig, uint8_t name, uint64_t serial, uint64_t stamp)
{
    struct message message = place_of(rig, name, serial, stamp);

    rig_gets(rig, 'A', &message);
}

static struct own_role own(const struct rig *rig)
{
    struct own_role roles[ROLE_OWN_MAX];

    cr_assert_eq(core_own_roles(rig->core, roles), 1);
    return roles[0];
}

/* B stands under request 1, and holds the role. */
static struct rig *leads(const char *letters, bool strict)
{
    struct rig *rig = strict ? rig_strict(letters, 'B') : rig_in(letters, 'B');

    wants(rig, ROLE_CAMPAIGN, 1);
    places(rig, 1, 2, rig->now_ms);
    cr_assert_eq(rig->role.kind, ROLE_LEADS);
    cr_assert_eq(rig->role.token, token_of(rig, 2));
    return rig;
}

/* K2a: with each heartbeat, while it stands for anything. */
Test(core_roles, asks_with_each_heartbeat)
{
    struct rig *rig = leads("A B C", false);

    for (int i = 0; i < 5; i++) {
        rig_pass(rig, rig->timing.heartbeat_ms, "A C");
        const struct message *ask = rig_told(rig, MESSAGE_ROLES_ASK, 'A');
        cr_assert_not_null(ask);
        cr_assert_eq(ask->role.count, 1);
        cr_assert_eq(ask->role.hash, words_hash(&(struct node_id){.bytes = {1}}, token_of(rig, 1),
                                                token_of(rig, 2)));
    }
    wants(rig, ROLE_RESIGN, 1);
    rig_pass(rig, rig->timing.heartbeat_ms, "A C");
    rig_pass(rig, 2 * rig->timing.heartbeat_ms, "A C");
    cr_assert_eq(rig_count(rig, MESSAGE_ROLES_ASK), 0, "nobody asks who has nothing");
    rig_free(rig);
}

/* K5b: one word, so that the coordinator does not grant it the role again before it hears the rest.
 */
Test(core_roles, resigns_and_lets_go_in_one_word)
{
    struct rig *rig = leads("A B C", false);

    wants(rig, ROLE_RESIGN, 1);
    cr_assert_eq(rig_count(rig, MESSAGE_ROLES_LET_GO), 1);
    const struct message *let_go = rig_told(rig, MESSAGE_ROLES_LET_GO, 'A');
    cr_assert(let_go->role.flag);
    cr_assert_eq(let_go->role.entry.token, token_of(rig, 2));
    rig_free(rig);
}

/* K2b: it is told that the other lacks something, and tells all. */
Test(core_roles, tells_all_when_the_coordinator_lacks_something)
{
    struct rig *rig = leads("A B C", false);
    struct message message = word_of(rig, MESSAGE_ROLES_ANSWER);

    message.role.stamp = 0;
    rig_pass(rig, rig->timing.heartbeat_ms, "A C");
    rig_gets(rig, 'A', &message);
    const struct message *enter = rig_told(rig, MESSAGE_ROLES_ENTER, 'A');
    cr_assert_not_null(enter);
    cr_assert_eq(enter->role.entry.token, token_of(rig, 2));
    cr_assert_str_eq(enter->role.entry.role, "job");
    rig_free(rig);
}

/* K2b: a coordinator that says so again and again is told all once in a while. */
Test(core_roles, does_not_tell_all_as_often_as_it_is_told_to)
{
    struct rig *rig = leads("A B C", false);
    const uint64_t repair_ms = timing_repair_ms(&rig->timing);
    struct message message = word_of(rig, MESSAGE_ROLES_ANSWER);

    message.role.stamp = 0;
    rig_pass(rig, repair_ms, "A C");
    rig_gets(rig, 'A', &message);
    cr_assert_eq(rig_count(rig, MESSAGE_ROLES_ENTER), 1);
    rig_gets(rig, 'A', &message);
    cr_assert_eq(rig_count(rig, MESSAGE_ROLES_ENTER), 0);
    rig_pass(rig, repair_ms, "");
    cr_assert_eq(rig_count(rig, MESSAGE_ROLES_ENTER), 1);
    rig_free(rig);
}

/* K3a: from the question on, not from the answer. */
Test(core_roles, holds_from_the_question_on)
{
    struct rig *rig = leads("A B C", true);
    uint64_t asked_ms = rig->now_ms;
    uint64_t held_ms = timing_held_ms(&rig->timing, true);

    rig_pass(rig, held_ms / 2, "A C");
    answers(rig, asked_ms);
    cr_assert_eq(own(rig).until_ms, asked_ms + held_ms);
    answers(rig, asked_ms + 10);
    cr_assert_eq(own(rig).until_ms, asked_ms + 10 + held_ms);
    answers(rig, asked_ms);
    cr_assert_eq(own(rig).until_ms, asked_ms + 10 + held_ms, "an older answer takes nothing back");
    rig_free(rig);
}

/* K3a: a coordinator that stalls is replaced after T_stall; advisory, nobody lapses before. */
Test(core_roles, outlasts_a_coordinator_that_stalls)
{
    struct rig *rig = leads("A B C", false);

    cr_assert_eq(own(rig).until_ms, rig->now_ms + rig->timing.stall_ms + rig->timing.verify_ms);
    rig_free(rig);
}

/* K3a: a process that was stopped reads an answer when its time is over. */
Test(core_roles, an_answer_that_is_read_too_late_renews_nothing)
{
    struct rig *rig = leads("A B C", true);
    uint64_t asked_ms = rig->now_ms;
    struct message message = word_of(rig, MESSAGE_ROLES_ANSWER);

    message.role.stamp = asked_ms + 1000;
    message.role.flag = true;
    rig->now_ms += timing_held_ms(&rig->timing, true);
    rig_gets(rig, 'A', &message);
    cr_assert_eq(rig->role.kind, ROLE_LOST);
    cr_assert_eq(rig->role.reason, ROLE_LAPSED);
    cr_assert_eq(own(rig).until_ms, 0);
    rig_free(rig);
}

/* K3b: a grant that comes too late is not held, and no other coordinator is told of it. */
Test(core_roles, a_grant_that_is_read_too_late_is_not_held)
{
    struct rig *rig = rig_strict("A B C", 'B');

    wants(rig, ROLE_CAMPAIGN, 1);
    uint64_t asked_ms = rig->now_ms;
    rig_pass(rig, timing_held_ms(&rig->timing, true), "A C");
    places(rig, 1, 2, asked_ms);
    cr_assert_neq(rig->role.kind, ROLE_LEADS);
    cr_assert_eq(own(rig).token, 0);
    uint32_t questions = rig_count(rig, MESSAGE_ROLES_ASK);
    rig_pass(rig, timing_repair_ms(&rig->timing), "");
    questions += rig_count(rig, MESSAGE_ROLES_ASK);
    cr_assert_gt(questions, 0, "it asks anew soon");
    rig_free(rig);
}

/* K3b, H49: each question brings all grants again, and all of them come late. */
Test(core_roles, many_grants_that_are_read_too_late_are_one_question)
{
    struct rig *rig = rig_strict("A B C", 'B');
    uint32_t questions = 0;

    wants(rig, ROLE_CAMPAIGN, 1);
    const uint64_t asked_ms = rig->now_ms;
    rig_pass(rig, timing_held_ms(&rig->timing, true), "A C");
    for (int i = 0; i < 10; i++) {
        places(rig, 1, 2, asked_ms);
        questions += rig_count(rig, MESSAGE_ROLES_ASK);
    }
    cr_assert_leq(questions, 1);
    rig_free(rig);
}

/* K4a: whoever has another epoch than this node's view, or is not its coordinator, grants nothing.
 */
Test(core_roles, another_reign_grants_nothing)
{
    struct rig *rig = rig_in("A B C", 'B');

    wants(rig, ROLE_CAMPAIGN, 1);
    struct message place = place_of(rig, 1, 2, rig->now_ms);
    place.role.epoch++;
    rig_refuses(rig, 'A', &place, REFUSED_ROLE_OTHER_REIGN);
    place.role.epoch -= 2;
    rig_refuses(rig, 'A', &place, REFUSED_ROLE_OTHER_REIGN);
    place.role.epoch++;
    rig_refuses(rig, 'C', &place, REFUSED_ROLE_NOT_OURS_TO_SAY);
    cr_assert_eq(own(rig).until_ms, 0);
    rig_free(rig);
}

/* K4d: one such word, and no grant counted any more for as long as this node lived: also by a word
 * about a candidate that nobody knows. */
Test(core_roles, a_token_that_nobody_can_have_drawn_is_not_believed)
{
    struct rig *rig = leads("A B C", false);
    struct message leap = place_of(rig, 1, 3, rig->now_ms);

    leap.role.entry.token = ROLE_TOKEN_MAX;
    rig_refuses(rig, 'A', &leap, REFUSED_ROLE_LEAPS);
    leap.role.entry.request = request(7);
    rig_refuses(rig, 'A', &leap, REFUSED_ROLE_LEAPS);
    cr_assert_null(rig_told(rig, MESSAGE_ROLES_LET_GO, 'A'));
    leap = place_of(rig, 1, 3, rig->now_ms);
    leap.role.entry.number = role_token(core_view(rig->core)->epoch + 1, 0);
    rig_refuses(rig, 'A', &leap, REFUSED_ROLE_LEAPS);
    cr_assert_eq(own(rig).token, token_of(rig, 2));
    places(rig, 1, 3, rig->now_ms);
    cr_assert_eq(own(rig).token, token_of(rig, 3));
    rig_free(rig);
}

/* K4d: a liar told the coordinator in this member's name that it holds. */
Test(core_roles, nobody_begins_to_hold_with_a_token_of_a_lower_epoch)
{
    struct rig *rig = rig_in("A B C", 'B');
    const uint64_t former = role_token(core_view(rig->core)->epoch - 1, 7);
    struct message message;

    wants(rig, ROLE_CAMPAIGN, 1);
    message = place_of(rig, 1, 0, rig->now_ms);
    message.role.entry.token = former;
    rig_gets(rig, 'A', &message);
    cr_assert_eq(own(rig).token, 0);
    const struct message *let_go = rig_told(rig, MESSAGE_ROLES_LET_GO, 'A');
    cr_assert_not_null(let_go);
    cr_assert_eq(let_go->role.entry.token, former);
    cr_assert_not(let_go->role.flag);
    places(rig, 1, 2, rig->now_ms);
    cr_assert_eq(own(rig).token, token_of(rig, 2));
    rig_free(rig);
}

/* K4b: a repeated answer does not bring back what was let go of. */
Test(core_roles, what_was_let_go_of_is_not_taken_up_again)
{
    struct rig *rig = leads("A B C", false);
    struct message revoke = place_of(rig, 1, 2, rig->now_ms);

    revoke.role.order = ROLE_LET_GO;
    rig_gets(rig, 'A', &revoke);
    cr_assert_eq(rig->role.kind, ROLE_LOST);
    wants(rig, ROLE_DONE, 1);
    places(rig, 1, 2, rig->now_ms);
    cr_assert_eq(own(rig).until_ms, 0);
    const struct message *let_go = rig_told(rig, MESSAGE_ROLES_LET_GO, 'A');
    cr_assert_not_null(let_go, "the coordinator hears it again");
    cr_assert_eq(let_go->role.entry.token, token_of(rig, 2));
    places(rig, 1, 3, rig->now_ms);
    cr_assert_eq(own(rig).token, token_of(rig, 3));
    cr_assert_eq(rig->role.kind, ROLE_LEADS);
    rig_free(rig);
}

/* K4b, K4e: what a word in the coordinator's name made this node let go of stands above all that
 * the coordinator draws, so it has to hear which token that is. */
Test(core_roles, what_it_refuses_is_told_with_the_token_it_goes_by)
{
    struct rig *rig = leads("A B C", false);
    struct message revoke = place_of(rig, 1, 900, rig->now_ms);

    places(rig, 1, 900, rig->now_ms);
    revoke.role.order = ROLE_LET_GO;
    rig_gets(rig, 'A', &revoke);
    wants(rig, ROLE_DONE, 1);
    places(rig, 1, 3, rig->now_ms);
    cr_assert_eq(own(rig).until_ms, 0);
    const struct message *let_go = rig_told(rig, MESSAGE_ROLES_LET_GO, 'A');
    cr_assert_not_null(let_go);
    cr_assert_eq(let_go->role.entry.token, token_of(rig, 900));
    rig_free(rig);
}

/* K4e: it has no number yet, and does not ask for one again and again. */
Test(core_roles, who_is_told_no_number_waits)
{
    struct rig *rig = leads("A B C", false);
    struct message place = place_of(rig, 2, 0, rig->now_ms);

    wants(rig, ROLE_CAMPAIGN, 2);
    rig_pass(rig, 1, "A C");
    place.role.entry.number = 0;
    rig_gets(rig, 'A', &place);
    cr_assert_null(rig_told(rig, MESSAGE_ROLES_ASK, 'A'));
    rig_free(rig);
}

/* K4b: nor under the same request, when the candidate stands again. */
Test(core_roles, what_was_let_go_of_stays_void_for_the_next)
{
    struct rig *rig = leads("A B C", false);

    wants(rig, ROLE_RESIGN, 1);
    wants(rig, ROLE_CAMPAIGN, 1);
    places(rig, 1, 2, rig->now_ms);
    cr_assert_eq(own(rig).until_ms, 0);
    rig_free(rig);
}

/* K5a */
Test(core_roles, a_request_is_found_again)
{
    struct rig *rig = leads("A B C", false);

    rig->role.kind = ROLE_ENDED;
    wants(rig, ROLE_CAMPAIGN, 1);
    cr_assert_eq(rig->role.kind, ROLE_LEADS);
    cr_assert_eq(rig->role.token, token_of(rig, 2));
    (void)own(rig); /* There is one. */
    rig_free(rig);
}

/* K5b: with the life all of its candidates end. */
Test(core_roles, candidates_end_with_the_life)
{
    struct rig *rig = leads("A B C", false);
    struct own_role roles[ROLE_OWN_MAX];
    struct view *view = rig_next(rig, "-B");

    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}});
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    cr_assert_eq(rig->role.kind, ROLE_ENDED);
    cr_assert_eq(core_own_roles(rig->core, roles), 0);
    wants(rig, ROLE_CAMPAIGN, 2);
    cr_assert_eq(rig->role.reason, ROLE_NO_MEMBER);
    rig_free(rig);
}

/* K5c: what is too many is refused, not forgotten. */
Test(core_roles, more_than_its_share_is_refused)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct own_role roles[ROLE_OWN_MAX];

    for (uint8_t i = 1; i <= ROLE_OWN_MAX; i++) {
        wants(rig, ROLE_CAMPAIGN, i);
        cr_assert_eq(rig->role_count, 0);
    }
    wants(rig, ROLE_CAMPAIGN, ROLE_OWN_MAX + 1);
    cr_assert_eq(rig->role.kind, ROLE_ENDED);
    cr_assert_eq(rig->role.reason, ROLE_MANY);
    cr_assert_eq(core_own_roles(rig->core, roles), ROLE_OWN_MAX);
    rig_free(rig);
}

/* K5b: a candidate of an earlier client, which the coordinator still lists. */
Test(core_roles, what_nobody_stands_for_is_let_go)
{
    struct rig *rig = rig_in("A B C", 'B');

    places(rig, 9, 4, rig->now_ms);
    const struct message *let_go = rig_told(rig, MESSAGE_ROLES_LET_GO, 'A');
    cr_assert_not_null(let_go);
    cr_assert(let_go->role.flag);
    cr_assert_eq(let_go->role.entry.token, token_of(rig, 4));
    wants(rig, ROLE_CAMPAIGN, 9);
    places(rig, 9, 4, rig->now_ms);
    cr_assert_eq(own(rig).until_ms, 0, "it was let go of");
    rig_free(rig);
}

/* K6c, K5c: it is told once, and ends. */
Test(core_roles, other_terms_end_it)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct own_role roles[ROLE_OWN_MAX];

    wants(rig, ROLE_CAMPAIGN, 1);
    struct message place = place_of(rig, 1, 0, rig->now_ms);
    place.role.order = ROLE_OTHER_TERMS;
    place.role.entry.number = 0;
    rig_gets(rig, 'A', &place);
    cr_assert_eq(rig->role.kind, ROLE_ENDED);
    cr_assert_eq(rig->role.reason, ROLE_TERMS);
    cr_assert_eq(core_own_roles(rig->core, roles), 0);
    rig_free(rig);
}

/* A hands over to C, which comes next. */
static void takes_over(struct rig *rig)
{
    struct view *view = rig_next(rig, "-A");

    view->epoch++;
    view_seal(view);
    rig_gets(rig, 'C',
             &(struct message){.type = MESSAGE_PREPARE,
                               .carrier = {.view = view, .handover_by = rig_id(rig, 'A')}});
    rig_gets(rig, 'C',
             &(struct message){.type = MESSAGE_COMMIT,
                               .reference = {.view = view_id_of(view), .view_hash = view->hash}});
}

/* K7a: the next coordinator is told at once, and before anything is asked of it. */
Test(core_roles, a_new_coordinator_is_told_at_once)
{
    struct rig *rig = rig_in("A C B", 'B');

    wants(rig, ROLE_CAMPAIGN, 1);
    places(rig, 1, 2, rig->now_ms);
    uint64_t token = own(rig).token;
    takes_over(rig);
    char text[64];
    cr_assert_str_eq(rig_sees(rig, text), "C B");
    const struct message *enter = rig_told(rig, MESSAGE_ROLES_ENTER, 'C');
    cr_assert_not_null(enter);
    cr_assert_eq(enter->role.entry.token, token);
    cr_assert_neq(own(rig).until_ms, 0, "and nobody lapses");
    rig_free(rig);
}

/* K7d: its client is told first, and lets go when it has stopped. */
Test(core_roles, lets_go_when_its_client_has_stopped)
{
    struct rig *rig = leads("A B C", true);
    struct message revoke = place_of(rig, 1, 2, rig->now_ms);

    revoke.role.order = ROLE_LET_GO;
    rig_gets(rig, 'A', &revoke);
    cr_assert_eq(rig->role.kind, ROLE_LOST);
    cr_assert_eq(rig->role.reason, ROLE_REVOKED);
    cr_assert_null(rig_told(rig, MESSAGE_ROLES_LET_GO, 'A'));
    rig_pass(rig, 3000, "A C");
    cr_assert_null(rig_told(rig, MESSAGE_ROLES_LET_GO, 'A'), "however long it takes");
    wants(rig, ROLE_DONE, 1);
    cr_assert_not_null(rig_told(rig, MESSAGE_ROLES_LET_GO, 'A'));
    rig_free(rig);
}

/* K7d: but under guard strict only for as long as its grace lasts. */
Test(core_roles, a_client_that_hangs_has_its_grace)
{
    struct rig *rig = leads("A B C", false);
    struct message revoke = place_of(rig, 1, 2, rig->now_ms);

    revoke.role.order = ROLE_LET_GO;
    rig_gets(rig, 'A', &revoke);
    rig_pass(rig, 900, "A C");
    cr_assert_null(rig_told(rig, MESSAGE_ROLES_LET_GO, 'A'));
    rig_pass(rig, 200, "A C");
    cr_assert_not_null(rig_told(rig, MESSAGE_ROLES_LET_GO, 'A'));
    rig_free(rig);
}

/* K8: the holder goes on, with a token that no other part can have given. */
Test(core_roles, a_new_token_is_no_loss)
{
    struct rig *rig = leads("A B C", false);

    places(rig, 1, 7, rig->now_ms);
    cr_assert_eq(rig->role.kind, ROLE_TOKEN);
    cr_assert_eq(rig->role.token, token_of(rig, 7));
    cr_assert_eq(own(rig).token, token_of(rig, 7));
    rig_free(rig);
}

/* K8: whoever gets a new age by a merge was of the part that was taken up. */
Test(core_roles, what_a_part_held_that_is_taken_up_is_lost)
{
    struct rig *rig = leads("A B C", false);
    struct view *view = rig_next(rig, "");
    struct member self = view->members[1];

    self.age = view->next_age++;
    view->members[1] = view->members[2];
    view->members[2] = self;
    view->epoch++;
    view->cause = CAUSE_MERGE;
    view->merged = (struct view_id){
        .lineage = view->lineage, .epoch = 1, .version = 1, .coordinator = rig_id(rig, 'D')};
    view_seal(view);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}});
    cr_assert_eq(core_view(rig->core)->cause, CAUSE_MERGE);
    cr_assert_eq(rig->role.kind, ROLE_LOST);
    cr_assert_eq(rig->role.reason, ROLE_MERGED);
    const struct message *enter = rig_told(rig, MESSAGE_ROLES_ENTER, 'A');
    cr_assert_not_null(enter, "it comes in anew");
    cr_assert_eq(enter->role.entry.number, 0);
    cr_assert_eq(enter->role.entry.token, 0);
    rig_free(rig);
}
