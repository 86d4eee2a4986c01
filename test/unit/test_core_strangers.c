/* What those who are no members can make a node do: how often they are answered (V6), and whose
 * answers a joiner heeds (J3c). */
#include <criterion/criterion.h>

#include "core/entry/join.h"
#include "message_content.h"
#include "rig.h"

enum { ANSWERED = 8, ANSWERED_TO_ONE = 4 };

/* --- Of each kind so many, and for each source (V6a) --- */

enum { KINDS = 8, PULL_KIND = 1, PROBE_KIND = 5 };

/* A view that is higher than the rig's. */
static struct view *later(struct rig *rig, const char *letters)
{
    struct view *view = rig_view(rig, letters);

    view->epoch = core_view(rig->core)->epoch + 1;
    view_seal(view);
    return view;
}

/* One question of each kind. */
static void questions(struct rig *rig, struct message said[KINDS])
{
    struct view *theirs = rig_view(rig, "X Y");

    said[0] = (struct message){.type = MESSAGE_HEARTBEAT};
    said[PULL_KIND] = (struct message){.type = MESSAGE_PULL};
    said[2] = (struct message){
        .type = MESSAGE_COMMIT,
        .reference = {.view = {.lineage = 7, .epoch = 2, .version = 9}, .view_hash = 1}};
    said[3] = rig_claim(rig_view(rig, "A B C"), 2);
    said[4] = (struct message){.type = MESSAGE_PING};
    said[PROBE_KIND] = (struct message){.type = MESSAGE_PROBE,
                                        .probe = {.view = view_id_of(theirs),
                                                  .view_hash = theirs->hash,
                                                  .coordinator = theirs->members[0].address,
                                                  .terms = rig_terms()}};
    said[6] = (struct message){.type = MESSAGE_JOIN, .joiner = {.member = member_of('B')}};
    said[7] = carries(MESSAGE_VIEW, later(rig, "X C"));
}

/* Says it so often, from each of those letters in turn. Returns how often it is answered. */
static uint32_t answers_to(struct rig *rig, const char *letters, const struct message *said,
                           uint32_t times)
{
    uint32_t answers = 0;

    for (uint32_t i = 0; i < times; i++) {
        rig_gets(rig, letters[i % strlen(letters)], said);
        answers += rig->sent_count;
    }
    return answers;
}

/* H49 */
Test(core_strangers, what_they_say_has_a_bound_for_each_kind)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct message said[KINDS];

    questions(rig, said);
    for (int kind = 0; kind < KINDS; kind++) {
        if (kind != PROBE_KIND) {
            cr_assert_eq(answers_to(rig, "PQRSTUVW", &said[kind], 100), ANSWERED, "kind %d", kind);
        }
    }
    cr_assert_leq(answers_to(rig, "PQRSTUVWXYabcdefghijklmnopqrstuv", &said[PROBE_KIND], 400), 64);
    rig_free(rig);
}

/* H49: the answer goes to the address that the proposal gives its maker. */
Test(core_strangers, what_they_propose_has_a_bound)
{
    struct rig *rig = rig_in("A B C", 'C');
    const struct message said = carries(MESSAGE_PREPARE, later(rig, "X C"));

    cr_assert_eq(answers_to(rig, "X", &said, 100), ANSWERED_TO_ONE);
    rig_free(rig);
}

/* H48: a flood of one kind takes none of the answers to another. */
Test(core_strangers, a_flood_of_one_kind_keeps_no_other_waiting)
{
    for (int flood = 0; flood < KINDS; flood++) {
        struct rig *rig = rig_in("A B C", 'C');
        struct message said[KINDS];

        questions(rig, said);
        answers_to(rig, "PQRSTUVW", &said[flood], 100);
        for (int kind = 0; kind < KINDS; kind++) {
            if (kind != flood) {
                rig_gets(rig, 'X', &said[kind]);
                cr_assert_eq(rig->sent_count, 1, "flood %d, kind %d", flood, kind);
            }
        }
        rig_free(rig);
    }
}

Test(core_strangers, one_source_does_not_take_all_answers)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct message said[KINDS];

    questions(rig, said);
    cr_assert_eq(answers_to(rig, "X", &said[PULL_KIND], 100), ANSWERED_TO_ONE);
    cr_assert_eq(answers_to(rig, "P", &said[PULL_KIND], 1), 1);
    rig_free(rig);
}

/* H95: who looks for other parts does not wait for an interval of minutes that somebody made up. */
Test(core_strangers, there_are_as_many_again_after_the_interval_of_the_start)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct message said[KINDS];

    questions(rig, said);
    rig->core->timing.heartbeat_ms = 60000;
    for (int i = 0; i < 3; i++) {
        rig_pass(rig, rig->timing.heartbeat_ms, "A B");
        cr_assert_eq(answers_to(rig, "X", &said[PROBE_KIND], 100), ANSWERED_TO_ONE, "%d", i);
    }
    rig_free(rig);
}

/* H39: whoever was a member, or is a seed, is heard beside any flood. */
Test(core_strangers, who_is_in_the_book_is_answered_beside_a_flood)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct message said[KINDS];
    struct message shown = carries(MESSAGE_VIEW, rig_next(rig, "-B"));

    rig_gets(rig, 'A', &shown);
    questions(rig, said);
    answers_to(rig, "PQRSTUVW", &said[PULL_KIND], 100);
    cr_assert_eq(answers_to(rig, "P", &said[PULL_KIND], 1), 0);
    cr_assert_eq(answers_to(rig, "B", &said[PULL_KIND], 100), ANSWERED);
    rig_free(rig);
}

/* A JOIN may name any address: the view goes to where it says that the former life was. */
Test(core_strangers, a_former_life_is_answered_at_its_own_address_only)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct message shown = carries(MESSAGE_VIEW, rig_next(rig, "-B"));
    struct message join = {.type = MESSAGE_JOIN, .joiner = {.member = member_of('B')}};

    rig_gets(rig, 'A', &shown);
    join.joiner.member.address = member_of('X').address;
    rig_gets(rig, 'X', &join);
    cr_assert_eq(rig->sent_count, 1);
    cr_assert_not_null(rig_told(rig, MESSAGE_VIEW, 'B'));
    rig_free(rig);
}

/* What the view says of its address is a lie, and it would wait for an answer for ever. The book
 * has the right one. */
Test(core_strangers, a_former_life_is_answered_where_the_book_knows_its_address)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *lie = rig_next(rig, "");
    struct message join = {.type = MESSAGE_JOIN, .joiner = {.member = member_of('B')}};

    lie->members[1].address = member_of('X').address;
    view_seal(lie);
    struct message shown = carries(MESSAGE_VIEW, lie);
    rig_gets(rig, 'A', &shown);
    shown = carries(MESSAGE_VIEW, rig_next(rig, "-B"));
    rig_gets(rig, 'A', &shown);
    rig_gets(rig, 'B', &join);
    cr_assert_eq(rig->sent_count, 1);
    cr_assert_not_null(rig_told(rig, MESSAGE_VIEW, 'B'));
    struct message elsewhere = rig_message(rig, 'X', &join);
    rig_gets_raw(rig, &elsewhere);
    cr_assert_not_null(rig_told(rig, MESSAGE_VIEW, 'X'), "B's address is not where it came from");
    rig_free(rig);
}

/* --- A joiner (V6b, J3c) --- */

/* H48: it asked, but not for so many. */
Test(core_strangers, a_joiner_answers_eight_of_each_kind_in_one_try)
{
    struct rig *rig = rig_joining('C');
    const struct message commit = {
        .type = MESSAGE_COMMIT,
        .reference = {.view = {.lineage = 7, .epoch = 2, .version = 9}, .view_hash = 1}};

    cr_assert_eq(answers_to(rig, "XY", &(struct message){.type = MESSAGE_PING}, 30), ANSWERED);
    cr_assert_eq(answers_to(rig, "X", &(struct message){.type = MESSAGE_OFFER}, 30), ANSWERED);
    cr_assert_eq(answers_to(rig, "X", &commit, 30), ANSWERED);
    rig_free(rig);
}

static struct message answer_of_nobody(struct rig *rig, enum message_type type)
{
    struct message message = rig_message(rig, 'X', &(struct message){.type = type});

    message.echo++;
    if (type == MESSAGE_JOIN_REFUSED) {
        message.join_refused.reason = JOIN_REFUSED_FULL;
    }
    return message;
}

/* H24: what answers no JOIN of this node keeps it neither from founding nor from asking. */
Test(core_strangers, who_was_not_asked_does_not_put_founding_off)
{
    static const enum message_type types[] = {MESSAGE_OFFER, MESSAGE_JOIN_REFUSED};

    for (int i = 0; i < 2; i++) {
        struct rig *rig = rig_joining('C');
        rig_resolves(rig, "A C");
        for (uint64_t ms = 0; ms < rig->timing.discover_ms; ms += 20) {
            struct message lie = answer_of_nobody(rig, types[i]);
            rig_ignores_raw(rig, &lie, REFUSED_JOINER_DID_NOT_ASK);
            rig_pass(rig, 20, "");
        }
        cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
        rig_free(rig);
    }
}

/* The nonce is for those who were asked, and another one in the next life. */
Test(core_strangers, a_joiner_is_answered_by_its_nonce)
{
    struct rig *rig = rig_joining('C');

    rig_resolves(rig, "A");
    const struct message *join = rig_told(rig, MESSAGE_JOIN, 'A');
    cr_assert_not_null(join);
    cr_assert_neq(join->joiner.nonce, 0);
    struct message offer = rig_message(rig, 'B', &(struct message){.type = MESSAGE_OFFER});
    offer.echo = (uint32_t)join->joiner.nonce;
    rig_gets_raw(rig, &offer);
    cr_assert_not_null(rig_told(rig, MESSAGE_READY, 'B'), "whom a member has handed it on to");
    rig_free(rig);
}

/* J3a: the answer to a READY echoes that one. */
Test(core_strangers, a_joiner_heeds_the_answer_to_its_ready)
{
    struct rig *rig = rig_joining('C');

    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER, .offer = {.nonce = 77}});
    struct message again = rig_message(
        rig, 'A', &(struct message){.type = MESSAGE_OFFER, .offer = {.nonce = 78}});
    again.echo = 77;
    rig_gets_raw(rig, &again);
    const struct message *ready = rig_told(rig, MESSAGE_READY, 'A');
    cr_assert_not_null(ready);
    cr_assert_eq(ready->joiner.nonce, 78);
    rig_free(rig);
}

Test(core_strangers, a_coordinator_echoes_the_nonce_of_a_joiner)
{
    struct rig *rig = rig_in("A B", 'A');
    struct message join = joins(MESSAGE_JOIN, 'D', 0x1111111122222222);

    rig_gets(rig, 'D', &join);
    cr_assert_not_null(rig_told(rig, MESSAGE_OFFER, 'D'));
    cr_assert_eq(rig->sent[0].echo, 0x22222222);
    join.joiner.hops = 1;
    rig_gets(rig, 'B', &join);
    cr_assert_eq(rig->sent[0].echo, 0x22222222);
    join.joiner.terms.lost_ms++;
    rig_gets(rig, 'D', &join);
    cr_assert_not_null(rig_told(rig, MESSAGE_JOIN_REFUSED, 'D'));
    cr_assert_eq(rig->sent[0].echo, 0x22222222);
    rig_free(rig);
}

/* --- Views that a joiner is shown (V4g) --- */

static void shows_joiner(struct rig *rig, char from, uint32_t echo, const char *letters)
{
    struct message shown = rig_message(
        rig, from,
        &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = rig_view(rig, letters)}});

    shown.echo = echo;
    rig_gets_raw(rig, &shown);
}

/* It knows nobody yet, but it knows whom it asked. */
Test(core_strangers, a_joiner_installs_what_those_show_whom_it_asked)
{
    struct rig *rig = rig_joining('C');
    struct message shown = {.type = MESSAGE_VIEW, .carrier = {.view = rig_view(rig, "A B C")}};

    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER, .offer = {.nonce = 77}});
    rig_ignores(rig, 'B', &shown, REFUSED_VIEW_NOT_EXPECTED);
    rig_ignores(rig, 'X', &shown, REFUSED_VIEW_NOT_EXPECTED);
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    rig_gets(rig, 'A', &shown);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    rig_free(rig);
}

/* Its JOIN may reach one that it does not know, and that holds the view which lets it in. */
Test(core_strangers, a_joiner_installs_what_answers_its_join)
{
    struct rig *rig = rig_joining('C');

    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER, .offer = {.nonce = 77}});
    shows_joiner(rig, 'B', join_echo(rig->core) + 1, "A B C");
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    shows_joiner(rig, 'B', join_echo(rig->core), "A B C");
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    rig_free(rig);
}

Test(core_strangers, a_joiner_installs_what_members_of_its_view_to_be_show)
{
    struct rig *rig = rig_joining('C');
    struct message proposed = {.type = MESSAGE_PREPARE,
                               .carrier = {.view = rig_view(rig, "A B C")}};

    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER, .offer = {.nonce = 77}});
    rig_gets(rig, 'A', &proposed);
    shows_joiner(rig, 'X', 0, "A B C D");
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    shows_joiner(rig, 'B', 0, "A B C D");
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    rig_free(rig);
}

Test(core_strangers, a_joiner_installs_what_it_accepted)
{
    struct rig *rig = rig_joining('C');
    struct message proposed = {.type = MESSAGE_PREPARE,
                               .carrier = {.view = rig_view(rig, "A B C")}};

    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER, .offer = {.nonce = 77}});
    rig_gets(rig, 'A', &proposed);
    shows_joiner(rig, 'X', 0, "A B C");
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    rig_free(rig);
}

/* J3b: who is in already, and does not know it, is shown the view by one that it may not know, and
 * that has heard nothing of it as a member. */
Test(core_strangers, the_view_that_answers_a_join_echoes_its_nonce)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message shown = carries(MESSAGE_VIEW, rig_next(rig, "+D"));
    struct message join = joins(MESSAGE_JOIN, 'D', 0x1111111122222222);

    rig_gets(rig, 'A', &shown);
    join = rig_message(rig, 'D', &join);
    join.fellow = false;
    rig_gets_raw(rig, &join);
    cr_assert_not_null(rig_told(rig, MESSAGE_VIEW, 'D'));
    cr_assert_eq(rig->sent[0].echo, 0x22222222);
    rig_free(rig);
}

/* H25: one that may found, and keeps asking, is not waited for without end. */
Test(core_strangers, a_lower_address_puts_founding_off_for_a_while)
{
    struct rig *rig = rig_joining('C');
    struct message join = joins(MESSAGE_JOIN, 'A', 0);
    uint64_t begun_ms = rig->now_ms;

    rig_resolves(rig, "A C");
    join.joiner.may_found = true;
    while (core_phase(rig->core) == PHASE_JOINING) {
        cr_assert_leq(rig->now_ms, begun_ms + 11 * rig->timing.discover_ms);
        rig_gets(rig, 'A', &join);
        rig_pass(rig, 100, "");
    }
    cr_assert_geq(rig->now_ms, begun_ms + 9 * rig->timing.discover_ms);
    rig_free(rig);
}

/* C, which voted, is out, and has met D; it hears so many JOINs that name E's address, from X or
 * from E. Returns how many times it tells D of that. */
static uint32_t told_of(char source, uint32_t joins_count)
{
    struct rig *rig = rig_strict("A B C", 'C');
    const struct message out = {.type = MESSAGE_VIEW, .carrier = {.view = rig_next(rig, "-C")}};
    struct message join = joins(MESSAGE_JOIN, 'D', 0);

    rig_gets(rig, 'A', &out);
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    join.joiner.terms = *core_terms_configured(rig->core);
    join.joiner.may_found = true;
    rig_gets(rig, 'D', &join);
    const struct terms terms = join.joiner.terms;
    join = joins(MESSAGE_JOIN, 'E', 0);
    join.joiner.terms = terms;
    join.joiner.may_found = true;
    join.from = join.joiner.member.id;
    join.source = member_of(source).address;
    uint32_t count = 0;
    for (uint32_t i = 0; i < joins_count; i++) {
        rig_gets_raw(rig, &join);
        count += rig_told(rig, MESSAGE_JOIN, 'D') != NULL;
    }
    rig_free(rig);
    return count;
}

/* F2e, V6d: or one that may name any address would have it flood whom it likes. */
Test(core_strangers, who_waits_tells_of_one_that_speaks_from_where_it_lives)
{
    cr_assert_eq(told_of('E', 1), 1);
    cr_assert_eq(told_of('X', 1), 0);
}

/* F2e, V6b: nor as often as it is asked. */
Test(core_strangers, who_waits_tells_of_one_a_few_times)
{
    cr_assert_leq(told_of('E', 100), 8);
}

/* --- Where the answer to a joiner goes (V6d) --- */

/* Of JOINs or READYs that name D's address, from X. */
static uint32_t answers_at_another_address(struct rig *rig, enum message_type type)
{
    uint32_t answers = 0;

    for (int i = 0; i < 100; i++) {
        struct message join = joins(MESSAGE_JOIN, 'D', 1);
        join.type = type;
        join.from = join.joiner.member.id;
        join.to = core_self(rig->core)->id;
        join.source = member_of((char)('P' + i % 8)).address;
        rig_gets_raw(rig, &join);
        answers += rig->sent_count;
    }
    return answers;
}

/* H48, H49: neither an OFFER nor a JOIN that is handed on. */
Test(core_strangers, few_joins_are_answered_at_another_address_than_theirs)
{
    for (char self = 'A'; self <= 'B'; self++) {
        struct rig *rig = rig_in("A B", self);
        cr_assert_eq(answers_at_another_address(rig, MESSAGE_JOIN), ANSWERED);
        rig_free(rig);
    }
    struct rig *rig = rig_in("A B", 'A');
    cr_assert_eq(answers_at_another_address(rig, MESSAGE_READY), ANSWERED);
    rig_free(rig);
}

/* H26: all who ask for themselves, and whom a member sends, are answered. */
Test(core_strangers, joins_from_where_they_are_have_no_bound)
{
    struct rig *rig = rig_in("A B", 'A');
    struct message join = joins(MESSAGE_JOIN, 'D', 1);

    cr_assert_eq(answers_to(rig, "D", &join, 100), 100);
    join.joiner.hops = 1;
    cr_assert_eq(answers_to(rig, "B", &join, 100), 100);
    rig_free(rig);
}
