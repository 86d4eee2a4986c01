/* What a stale or hostile message must not do to a node: what is said to everybody, and what may
 * be asked by anybody. Proposals are in test_core_change.c, claims in test_core_claim.c. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/detection/hearing.h"
#include "rig.h"

/* --- The gate (I1, V6) --- */

Test(core_step, what_is_meant_for_another_life_changes_nothing)
{
    struct rig *rig = rig_in("A B C", 'B');

    for (enum message_type type = MESSAGE_HEARTBEAT; type < MESSAGE_TYPE_COUNT; type++) {
        struct message message = rig_message(rig, 'A', &(struct message){.type = type});
        message.to = member_of('B').id; /* The name is ours, the life is not. */
        message.number++;
        rig_ignores_raw(rig, &message, REFUSED_FOR_ANOTHER_LIFE);
    }
    rig_free(rig);
}

Test(core_step, what_says_that_it_comes_from_ourselves_changes_nothing)
{
    struct rig *rig = rig_in("A B C", 'B');

    for (enum message_type type = MESSAGE_HEARTBEAT; type < MESSAGE_TYPE_COUNT; type++) {
        struct message message = rig_message(rig, 'B', &(struct message){.type = type});
        message.number = 1000;
        rig_ignores_raw(rig, &message, REFUSED_FROM_OURSELVES);
    }
    rig_free(rig);
}

/* R2: a member may be relayed to a member, and nobody else to anybody. */
Test(core_step, only_messages_of_members_are_relayed)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message message = rig_message(
        rig, 'X', &(struct message){.type = MESSAGE_WISH, .wish = {.kind = WISH_LEAVE}});

    message.relay = true;
    message.to = rig_id(rig, 'C');
    rig_ignores_raw(rig, &message, REFUSED_RELAY_OF_STRANGERS);

    message.from = rig_id(rig, 'A');
    message.to = rig_id(rig, 'X');
    rig_gets_raw(rig, &message);
    cr_assert_eq(rig->sent_count, 0);

    message.to = rig_id(rig, 'C');
    rig_gets_raw(rig, &message);
    cr_assert_eq(rig->sent_count, 1);
    cr_assert_not_null(rig_told(rig, MESSAGE_WISH, 'C'));
    cr_assert(rig->sent[0].relay, "its receiver must know that it proves no link");
    cr_assert(rig->sent[0].handed_on);
    rig_free(rig);
}

/* H48: two nodes that were made to believe in each other's address for a third one sent one message
 * to and fro, as fast as the network would carry it, and each copy that the network made, too. */
Test(core_step, what_was_handed_on_is_not_handed_on_again)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message message = rig_message(
        rig, 'A', &(struct message){.type = MESSAGE_WISH, .wish = {.kind = WISH_LEAVE}});

    message.relay = true;
    message.handed_on = true;
    message.to = rig_id(rig, 'C');
    rig_ignores_raw(rig, &message, REFUSED_RELAYED_BEFORE);
    rig_free(rig);
}

/* --- Signs of life (D2, D6) --- */

static struct message heartbeat_of(const struct rig *rig)
{
    const struct view *view = core_view(rig->core);

    return (struct message){.type = MESSAGE_HEARTBEAT,
                            .heartbeat = {.view = view_id_of(view), .view_hash = view->hash}};
}

/* H20: nor one that accuses somebody, nor one that would take an accusation back. */
Test(core_step, a_repeated_or_overtaken_heartbeat_changes_nothing)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message heartbeat = heartbeat_of(rig);

    rig_ignores(rig, 'A', &heartbeat, REFUSED_OVERTAKEN);

    heartbeat.heartbeat.suspect_count = 1;
    heartbeat.heartbeat.suspects[0] = (struct suspicion){.age = 3, .verdict = VERDICT_DEAD};
    rig_gets(rig, 'A', &heartbeat);
    cr_assert_eq(core_peer(rig->core, 2, rig->now_ms).accuser_count, 1);

    heartbeat.heartbeat.suspect_count = 0;
    struct message overtaken = rig_message(rig, 'A', &heartbeat);
    overtaken.number--;
    rig_ignores_raw(rig, &overtaken, REFUSED_OVERTAKEN);
    rig_free(rig);
}

/* Its sender's next message but one, which came before it. */
static struct message overtaken_by_another(struct rig *rig, char from,
                                           const struct message *content)
{
    rig->numbers[(unsigned char)from]++;
    struct message message = rig_message(rig, from, content);

    rig_gets(rig, from, &(struct message){.type = MESSAGE_PONG});
    return message;
}

/* H68: a slow one answers before its heartbeat comes, which alone says that it is late. */
Test(core_step, a_heartbeat_that_an_answer_overtook_says_what_it_says)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message heartbeat = heartbeat_of(rig);

    heartbeat.heartbeat.late = true;
    struct message late = overtaken_by_another(rig, 'A', &heartbeat);
    cr_assert_not(hearing_was_late(rig->core, 0));
    rig_pass(rig, 20, "");
    rig_gets_raw(rig, &late);
    cr_assert(hearing_was_late(rig->core, 0));
    cr_assert_eq(core_peer(rig->core, 0, rig->now_ms).heard_ms_ago, 20);
    rig_ignores_raw(rig, &late, REFUSED_OVERTAKEN);
    rig_free(rig);
}

/* H20: what its sender said later than that holds. */
Test(core_step, of_two_overtaken_heartbeats_the_later_holds)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message heartbeat = heartbeat_of(rig);

    heartbeat.heartbeat.late = true;
    struct message first = overtaken_by_another(rig, 'A', &heartbeat);
    heartbeat.heartbeat.late = false;
    struct message second = overtaken_by_another(rig, 'A', &heartbeat);
    rig_gets_raw(rig, &second);
    rig_ignores_raw(rig, &first, REFUSED_OVERTAKEN);
    rig_free(rig);
}

/* H20: whoever kept it back may say later what was true once. */
Test(core_step, a_heartbeat_that_was_overtaken_long_ago_changes_nothing)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message heartbeat = heartbeat_of(rig);
    const uint64_t beat_ms = rig->timing.heartbeat_ms;

    struct message early = overtaken_by_another(rig, 'A', &heartbeat);
    for (int i = 0; i < 4; i++) {
        rig_pass(rig, beat_ms / 2, "");
        rig_gets(rig, 'A', &(struct message){.type = MESSAGE_PONG});
    }
    rig_ignores_raw(rig, &early, REFUSED_OVERTAKEN);

    struct message last = overtaken_by_another(rig, 'A', &heartbeat);
    rig_pass(rig, beat_ms, "");
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_PONG});
    rig_pass(rig, beat_ms, "");
    cr_assert(hearing_is_heard(rig->core, 0));
    rig_ignores_raw(rig, &last, REFUSED_OVERTAKEN);
    rig_free(rig);
}

/* D6c: its process is gone; whatever says otherwise is a question. */
Test(core_step, an_overtaken_heartbeat_of_a_suspect_is_a_question)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message heartbeat = heartbeat_of(rig);

    heartbeat.heartbeat.late = true;
    struct message late = overtaken_by_another(rig, 'C', &heartbeat);
    rig_kill(rig, 'C');
    cr_assert_neq(core_peer(rig->core, 2, rig->now_ms).verdict, VERDICT_NONE);
    rig_gets_raw(rig, &late);
    cr_assert_eq(rig->refused.reason, REFUSED_OVERTAKEN);
    cr_assert_not_null(rig_told(rig, MESSAGE_PING, 'C'));
    cr_assert_not(hearing_was_late(rig->core, 2));
    rig_free(rig);
}

static void expect_same_of_all(const struct rig *rig)
{
    struct peer_state all[RIG_CAPACITY];

    memset(all, 0xff, sizeof all);
    core_peers(rig->core, rig->now_ms, all);
    for (uint32_t i = 0; i < core_view(rig->core)->member_count; i++) {
        const struct peer_state one = core_peer(rig->core, i, rig->now_ms);
        cr_expect_eq(all[i].heard_ms_ago, one.heard_ms_ago);
        cr_expect_eq(all[i].verdict, one.verdict);
        cr_expect_eq(all[i].verdict_ms_ago, one.verdict_ms_ago);
        cr_expect_eq(all[i].linked, one.linked);
        cr_expect_eq(all[i].accuser_count, one.accuser_count, "of %u: %u, not %u", i,
                     all[i].accuser_count, one.accuser_count);
    }
}

/* Who accuses twice, accuses itself, accuses nobody there is, or takes it back, counts in neither
 * or in both alike. */
Test(core_step, all_peers_at_once_are_the_same_as_one_by_one)
{
    struct rig *rig = rig_in("A B C D E", 'B');
    struct message heartbeat = heartbeat_of(rig);
    const struct suspicion told[] = {
        {.age = 3, .verdict = VERDICT_DEAD},    {.age = 3, .verdict = VERDICT_LOST},
        {.age = 1, .verdict = VERDICT_STALLED}, {.age = 4, .verdict = VERDICT_NONE},
        {.age = 99, .verdict = VERDICT_DEAD},   {.age = 2, .verdict = VERDICT_LOST},
    };

    expect_same_of_all(rig);
    heartbeat.heartbeat.suspect_count = sizeof told / sizeof told[0];
    memcpy(heartbeat.heartbeat.suspects, told, sizeof told);
    rig_gets(rig, 'A', &heartbeat);
    rig_gets(rig, 'D', &heartbeat);
    cr_assert_eq(core_peer(rig->core, 2, rig->now_ms).accuser_count, 2);
    cr_assert_eq(core_peer(rig->core, 0, rig->now_ms).accuser_count, 1);
    cr_assert_eq(core_peer(rig->core, 3, rig->now_ms).accuser_count, 0);
    expect_same_of_all(rig);

    rig_links(rig, 'C', LINK_OPENED);
    rig_pass(rig, rig->timing.fresh_ms - 1, "");
    expect_same_of_all(rig);
    rig_pass(rig, 1, "");
    cr_assert_eq(core_peer(rig->core, 2, rig->now_ms).accuser_count, 0);
    expect_same_of_all(rig);
    rig_pass(rig, rig->timing.lost_ms, "A D");
    expect_same_of_all(rig);
    rig_free(rig);
}

Test(core_step, a_replay_of_the_silent_keeps_nobody_alive)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message heartbeat = heartbeat_of(rig);

    (void)rig_loses(rig, 'C', "A");
    struct message replayed = rig_message(rig, 'C', &heartbeat);
    rig_gets_raw(rig, &replayed);
    cr_assert_eq(rig->refused.reason, REFUSED_OVERTAKEN);
    cr_assert_eq(core_peer(rig->core, 2, rig->now_ms).verdict, VERDICT_LOST);
    rig_ignores(rig, 'C', &heartbeat, REFUSED_OVERTAKEN); /* It is asked once. */
    rig_hears(rig, 'C');
    cr_assert_eq(core_peer(rig->core, 2, rig->now_ms).verdict, VERDICT_NONE);
    rig_free(rig);
}

/* V7, D6: a number so far ahead would make everything stale that the member says later. */
Test(core_step, a_leap_of_the_message_number_changes_nothing)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message heartbeat = heartbeat_of(rig);
    struct message leap = rig_message(rig, 'A', &heartbeat);

    rig_pass(rig, 100, "");
    leap.number += NUMBER_LEAP_MAX + 1;
    rig_gets_raw(rig, &leap);
    cr_assert_eq(rig->refused.reason, REFUSED_NUMBER_LEAPS);
    cr_assert_eq(core_peer(rig->core, 0, rig->now_ms).heard_ms_ago, 100);
    leap.number = UINT64_MAX;
    rig_ignores_raw(rig, &leap, REFUSED_NUMBER_LEAPS); /* It has been asked already. */
    rig_hears(rig, 'A');
    cr_assert_eq(core_peer(rig->core, 0, rig->now_ms).heard_ms_ago, 0);
    rig_free(rig);
}

/* H42: it lives, but in a view that does not hold us. */
Test(core_step, who_does_not_count_us_in_is_no_fellow)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message heartbeat = heartbeat_of(rig);

    rig_pass(rig, 100, "");
    struct message apart = rig_message(rig, 'A', &heartbeat);
    apart.number++;
    apart.fellow = false;
    rig_gets_raw(rig, &apart);
    cr_assert_eq(core_peer(rig->core, 0, rig->now_ms).heard_ms_ago, 100);
    rig_free(rig);
}

/* --- Views (V4, V7, S3) --- */

static void ignores_view_of(struct rig *rig, char from, struct view *view, enum refusal reason)
{
    view_seal(view);
    rig_ignores(rig, from, &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}},
                reason);
    rig_ignores(rig, from, &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = view}},
                reason);
}

static void ignores_view(struct rig *rig, struct view *view, enum refusal reason)
{
    ignores_view_of(rig, 'A', view, reason);
}

Test(core_step, a_view_that_holds_our_id_under_another_name_changes_nothing)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *view = rig_next(rig, "");

    view->members[1].name[0] = 'X';
    ignores_view_of(rig, 'C', view, REFUSED_VIEW_MISNAMES);
    rig_free(rig);
}

Test(core_step, a_view_that_holds_our_id_at_another_address_changes_nothing)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *view = rig_next(rig, "");

    view->members[1].address.port++;
    ignores_view_of(rig, 'C', view, REFUSED_VIEW_MISNAMES);
    rig_free(rig);
}

/* All that is for it would go elsewhere; of any other member its maker hears. */
Test(core_step, a_view_that_has_who_coordinates_elsewhere_changes_nothing)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *view = rig_next(rig, "");

    view->members[0].address.port++;
    ignores_view_of(rig, 'C', view, REFUSED_VIEW_MISNAMES);
    view = rig_next(rig, "");
    view->members[0].name[0] = 'X';
    ignores_view_of(rig, 'C', view, REFUSED_VIEW_MISNAMES);
    view = rig_next(rig, "");
    view->members[0].versions.high++;
    ignores_view_of(rig, 'C', view, REFUSED_VIEW_MISNAMES);
    view = rig_next(rig, "");
    view->members[2].address.port++;
    view_seal(view);
    const struct message shown = {.type = MESSAGE_VIEW, .carrier = {.view = view}};
    rig_gets(rig, 'A', &shown);
    cr_assert_eq(core_view(rig->core)->hash, view->hash);
    rig_free(rig);
}

/* Neither who coordinates now nor who does so in it. */
Test(core_step, a_view_of_a_successor_that_has_a_coordinator_elsewhere_changes_nothing)
{
    for (uint32_t place = 0; place < 2; place++) {
        struct rig *rig = rig_in("A B C D", 'C');
        struct view *view = rig_view(rig, "B A C D");
        const struct message shown = {.type = MESSAGE_VIEW, .carrier = {.view = view}};

        view->epoch++;
        view->members[place].address.port++;
        view_seal(view);
        rig_gets(rig, 'A', &shown);
        cr_assert_eq(rig->refused.reason, REFUSED_VIEW_MISNAMES);
        cr_assert_neq(core_view(rig->core)->hash, view->hash);
        rig_free(rig);
    }
}

/* H59: nobody could come in while such a view holds, for no joiner speaks what nobody does. */
Test(core_step, a_view_that_has_us_speak_other_versions_changes_nothing)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *view = rig_next(rig, "");

    view->members[1].versions.high++;
    ignores_view_of(rig, 'C', view, REFUSED_VIEW_MISNAMES);
    rig_free(rig);
}

Test(core_step, a_leap_of_the_epoch_changes_nothing)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *view = rig_next(rig, "");

    view->epoch += SAID_LEAP_MAX + 1;
    view_seal(view);
    rig_ignores(rig, 'C', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}},
                REFUSED_VIEW_LEAPS);
    view->epoch--;
    view_seal(view);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}});
    cr_assert_eq(core_view(rig->core)->epoch, 1 + SAID_LEAP_MAX);
    rig_free(rig);
}

Test(core_step, a_leap_of_the_version_changes_nothing)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *view = rig_next(rig, "");

    view->version = core_view(rig->core)->version + LEAP_MAX + 1;
    view_seal(view);
    rig_ignores(rig, 'C', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}},
                REFUSED_VIEW_LEAPS);
    rig_free(rig);
}

/* Nor do counters that no cluster can count up to, from where sums would wrap. */
Test(core_step, a_counter_above_all_reason_changes_nothing)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *view = rig_next(rig, "");

    view->next_age = COUNTER_MAX + 1;
    ignores_view(rig, view, REFUSED_VIEW_UNSOUND);
    rig_free(rig);
}

Test(core_step, a_view_beyond_the_capacity_changes_nothing)
{
    struct rig *rig = rig_in("A B C", 'B');

    ignores_view(rig, rig_next(rig, "+D +E +F +G +H +I"), REFUSED_VIEW_TOO_LARGE);
    rig_free(rig);
}

Test(core_step, a_view_that_is_not_higher_changes_nothing)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *view = rig_next(rig, "-C");

    view->version -= 2;
    view_seal(view);
    rig_ignores(rig, 'A', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}},
                REFUSED_VIEW_NOT_HIGHER);
    rig_ignores(rig, 'A', &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = view}},
                REFUSED_PROPOSAL_NOT_HIGHER);
    rig_free(rig);
}

/* S1: and if it were proposed, we would acknowledge what we hold, not what it says. */
Test(core_step, another_content_under_our_views_name_changes_nothing)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *view = rig_next(rig, "-C");

    view->version--;
    view_seal(view);
    rig_ignores(rig, 'C', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}},
                REFUSED_VIEW_NOT_HIGHER);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = view}});
    const struct message *ack = rig_told(rig, MESSAGE_ACK, 'A');
    cr_assert_not_null(ack);
    cr_assert_eq(ack->reference.view_hash, core_view(rig->core)->hash);
    cr_assert_neq(ack->reference.view_hash, view->hash);
    rig_free(rig);
}

/* L1: only our coordinator can tell us that we are out, while we hear it. */
Test(core_step, a_member_does_not_put_us_out)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *view = rig_next(rig, "-A -C");

    view->epoch++;
    view_seal(view);
    struct message message = {.type = MESSAGE_VIEW, .carrier = {.view = view}};
    rig_ignores(rig, 'B', &message, REFUSED_VIEW_WITHOUT_US);
    rig_ignores(rig, 'X', &message, REFUSED_VIEW_WITHOUT_US);

    view = rig_next(rig, "-C");
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}});
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    rig_free(rig);
}

/* J3: nobody can know of us before we have said READY. */
Test(core_step, a_joiner_that_is_not_ready_installs_no_view)
{
    struct rig *rig = rig_joining('C');
    struct message message = {.type = MESSAGE_VIEW, .carrier = {.view = rig_view(rig, "A B C")}};

    rig_ignores(rig, 'A', &message, REFUSED_VIEW_NOT_EXPECTED);
    message.type = MESSAGE_PREPARE;
    rig_ignores(rig, 'A', &message, REFUSED_PROPOSAL_NOT_EXPECTED);
    rig_free(rig);
}

/* --- Answers are bounded (V5, V6, H49) --- */

enum { STRANGERS_ANSWERED = 8 };

/* Asks that many more times than are answered, in one interval and in the next. */
static void check_bound(const struct message *question, enum message_type answer)
{
    struct rig *rig = rig_in("A B C", 'B');

    for (int interval = 0; interval < 2; interval++) {
        uint32_t answers = 0;
        for (int i = 0; i < 3 * STRANGERS_ANSWERED; i++) {
            rig_gets(rig, (char)('P' + i % 8), question);
            answers += rig_count(rig, answer);
        }
        cr_assert_eq(answers, STRANGERS_ANSWERED);
        rig_pass(rig, rig->timing.heartbeat_ms * 21 / 20, "A C");
    }
    rig_free(rig);
}

Test(core_step, few_strangers_are_answered_who_ping)
{
    check_bound(&(struct message){.type = MESSAGE_PING, .ping = {.nonce = 1}}, MESSAGE_PONG);
}

Test(core_step, few_strangers_are_shown_the_view_that_they_ask_for)
{
    check_bound(&(struct message){.type = MESSAGE_PULL}, MESSAGE_VIEW);
}

Test(core_step, few_strangers_are_shown_the_view_for_their_heartbeat)
{
    check_bound(&(struct message){.type = MESSAGE_HEARTBEAT}, MESSAGE_VIEW);
}

/* V5: whoever can write in a member's name can make us send it no more than that. */
Test(core_step, one_peer_is_shown_the_view_once_in_a_quarter_of_a_heartbeat)
{
    struct rig *rig = rig_in("A B C", 'B');
    uint64_t quarter_ms = rig->timing.heartbeat_ms / 4;
    uint32_t shown = 0;

    for (uint64_t ms = 0; ms < 4 * quarter_ms; ms++) {
        rig_gets(rig, 'A', &(struct message){.type = MESSAGE_PULL});
        shown += rig_count(rig, MESSAGE_VIEW);
        rig_pass(rig, 1, "");
    }
    cr_assert_eq(shown, 4);
    rig_free(rig);
}

/* A JOIN may name any address: under a known id the view goes to where the view has that id. */
Test(core_step, a_known_id_is_answered_at_its_own_address_only)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message join = {.type = MESSAGE_JOIN, .joiner = {.member = member_of('B')}};

    join.joiner.member.address = member_of('X').address;
    rig_gets(rig, 'X', &join);
    cr_assert_eq(rig->sent_count, 2);
    cr_assert_not_null(rig_told(rig, MESSAGE_VIEW, 'B'));
    cr_assert_not_null(rig_told(rig, MESSAGE_OFFER, 'B'));
    rig_free(rig);
}

/* --- What makes no sense --- */

Test(core_step, a_member_heeds_no_answer_to_a_joiner)
{
    struct rig *rig = rig_in("A B C", 'B');

    rig_ignores(rig, 'A',
                &(struct message){.type = MESSAGE_JOIN_REFUSED,
                                  .join_refused = {.reason = JOIN_REFUSED_NAME}},
                REFUSED_ALREADY_MEMBER);
    rig_ignores(rig, 'A', &(struct message){.type = MESSAGE_OFFER}, REFUSED_ALREADY_MEMBER);
    rig_ignores(rig, 'A', &(struct message){.type = MESSAGE_HELLO}, REFUSED_GREETING);
    rig_free(rig);
}

Test(core_step, news_of_an_unknown_link_change_nothing)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct node_id unknown = member_of('X').id;
    struct node_id ours = rig_id(rig, 'B');

    for (enum link_news news = LINK_OPENED; news <= LINK_KERNEL; news++) {
        rig_ignores_link(rig, &unknown, news);
        rig_ignores_link(rig, &ours, news);
    }
    rig_free(rig);
}

/* H15: an answer to a question that was not asked vouches for nobody. */
Test(core_step, a_pong_with_another_nonce_vouches_for_nobody)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message heartbeat = heartbeat_of(rig);

    rig_pass(rig, timing_inquiry_ms(&rig->timing), "C");
    const struct message *question = rig_request(rig, 'C');
    cr_assert_not_null(question);

    struct message pong = {.type = MESSAGE_PONG, .ping = question->ping};
    pong.ping.nonce++;
    rig_gets(rig, 'C', &pong);
    rig_pass(rig, rig->timing.verify_ms, "");
    heartbeat.heartbeat.suspect_count = 1;
    heartbeat.heartbeat.suspects[0] = (struct suspicion){.age = 2, .verdict = VERDICT_LOST};
    rig_gets(rig, 'C', &heartbeat);
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'C'), "it is to be removed");
    rig_free(rig);
}
