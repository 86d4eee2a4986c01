/* Who is watched, what a silence comes to, and who is told (D1 to D3). */
#include <criterion/criterion.h>

#include "rig.h"

static enum verdict verdict_on(const struct rig *rig, char letter)
{
    struct node_id id = rig_id(rig, letter);

    return core_peer(rig->core, view_find(core_view(rig->core), &id), rig->now_ms).verdict;
}

/* --- Everybody watches everybody (D1) --- */

/* H3, H13 */
Test(core_watch, everybody_is_watched)
{
    struct rig *rig = rig_in("A B C D", 'B');

    rig_pass(rig, rig->timing.lost_ms, "");
    cr_assert_eq(rig->noticed[NOTICE_SUSPECT], 3);
    rig_free(rig);
}

/* Does the last heartbeat to that peer accuse just the member of that age? */
static bool accuses(const struct rig *rig, char to, uint64_t age)
{
    const struct message *told = rig_told(rig, MESSAGE_HEARTBEAT, to);

    return told != NULL && told->heartbeat.suspect_count == 1 &&
           told->heartbeat.suspects[0].age == age &&
           told->heartbeat.suspects[0].verdict == VERDICT_DEAD;
}

/* H3 */
Test(core_watch, a_new_verdict_travels_at_once_to_coordinator_and_suspect)
{
    struct rig *rig = rig_in("A B C D", 'C');

    rig_kill(rig, 'D');
    cr_assert(accuses(rig, 'A', 4));
    cr_assert(accuses(rig, 'D', 4));
    cr_assert_eq(rig_count(rig, MESSAGE_HEARTBEAT), 2);
    rig_free(rig);
}

Test(core_watch, a_new_verdict_travels_to_the_oldest_that_is_not_suspected)
{
    struct rig *rig = rig_in("A B C D", 'C');

    rig_kill(rig, 'A');
    cr_assert(accuses(rig, 'B', 1));
    cr_assert(accuses(rig, 'A', 1));
    rig_free(rig);
}

/* H4: a new coordinator knows what everybody thinks. */
Test(core_watch, a_verdict_is_repeated_in_every_heartbeat_to_everybody)
{
    struct rig *rig = rig_in("A B C D", 'C');

    rig_kill(rig, 'D');
    for (int i = 0; i < 3; i++) {
        rig_pass(rig, rig->timing.heartbeat_ms * 5 / 4, "A B");
        cr_assert(accuses(rig, 'A', 4));
        cr_assert(accuses(rig, 'B', 4));
    }
    rig_free(rig);
}

Test(core_watch, the_oldest_are_named_first)
{
    struct rig *rig = rig_in("A B C D", 'B');

    rig_pass(rig, rig->timing.lost_ms, "");
    rig_pass(rig, timing_round_ms(&rig->timing), "");
    const struct message *told = rig_told(rig, MESSAGE_HEARTBEAT, 'D');
    cr_assert_not_null(told);
    cr_assert_eq(told->heartbeat.suspect_count, 3);
    for (int i = 0; i < 3; i++) {
        const uint64_t ages[] = {1, 3, 4};
        cr_assert_eq(told->heartbeat.suspects[i].age, ages[i]);
    }
    rig_free(rig);
}

/* --- Dead (D2b) --- */

/* What the lifeline to B tells, one after the other, until the end. */
static void lifeline_tells(struct rig *rig, const enum link_news *news, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rig_links(rig, 'B', news[i]);
    }
}

static struct rig *with_a_closed_lifeline(void)
{
    struct rig *rig = rig_in("A B C", 'A');

    lifeline_tells(rig, (const enum link_news[]){LINK_OPENED, LINK_CLOSED}, 2);
    cr_assert_eq(verdict_on(rig, 'B'), VERDICT_NONE);
    return rig;
}

/* H13 */
Test(core_watch, who_closes_its_lifeline_and_refuses_a_new_one_is_dead)
{
    struct rig *rig = with_a_closed_lifeline();

    rig_links(rig, 'B', LINK_REFUSED);
    cr_assert_eq(verdict_on(rig, 'B'), VERDICT_DEAD);
    rig_free(rig);
}

Test(core_watch, at_whose_address_another_life_answers_is_dead)
{
    struct rig *rig = with_a_closed_lifeline();

    rig_links(rig, 'B', LINK_STRANGER);
    cr_assert_eq(verdict_on(rig, 'B'), VERDICT_DEAD);
    rig_free(rig);
}

Test(core_watch, who_does_not_answer_an_attempt_is_not_dead)
{
    struct rig *rig = with_a_closed_lifeline();

    rig_links(rig, 'B', LINK_FAILED);
    cr_assert_eq(verdict_on(rig, 'B'), VERDICT_NONE);
    rig_free(rig);
}

Test(core_watch, what_was_under_way_at_the_closing_is_no_sign_of_life)
{
    struct rig *rig = with_a_closed_lifeline();

    rig_pass(rig, rig->timing.batch_ms, "");
    rig_hears(rig, 'B');
    rig_links(rig, 'B', LINK_REFUSED);
    cr_assert_eq(verdict_on(rig, 'B'), VERDICT_DEAD);
    rig_free(rig);
}

/* It takes a silence of 5/4 T_heartbeat then, as if there had been no lifeline. */
static void check_patience(struct rig *rig)
{
    rig_links(rig, 'B', LINK_REFUSED);
    cr_assert_eq(verdict_on(rig, 'B'), VERDICT_NONE);
    rig_pass(rig, timing_missed_ms(&rig->timing) - 1, "");
    rig_links(rig, 'B', LINK_REFUSED);
    cr_assert_eq(verdict_on(rig, 'B'), VERDICT_NONE);
    rig_pass(rig, 1, "");
    rig_links(rig, 'B', LINK_REFUSED);
    cr_assert_eq(verdict_on(rig, 'B'), VERDICT_DEAD);
    rig_free(rig);
}

Test(core_watch, who_says_something_after_the_closing_is_given_time)
{
    struct rig *rig = with_a_closed_lifeline();

    rig_pass(rig, rig->timing.batch_ms + 1, "");
    rig_hears(rig, 'B');
    check_patience(rig);
}

Test(core_watch, who_never_had_a_lifeline_is_given_time)
{
    check_patience(rig_in("A B C", 'A'));
}

/* --- Lost and stalled (D2b, D2c) --- */

Test(core_watch, who_is_silent_and_whose_kernel_is_silent_is_lost)
{
    struct rig *rig = rig_in("A B", 'A');

    rig_pass(rig, rig->timing.lost_ms - 1, "");
    cr_assert_eq(verdict_on(rig, 'B'), VERDICT_NONE);
    rig_pass(rig, 1, "");
    cr_assert_eq(verdict_on(rig, 'B'), VERDICT_LOST);
    rig_free(rig);
}

/* H5 */
Test(core_watch, whose_kernel_answers_is_not_lost_for_as_long)
{
    struct rig *rig = rig_in("A B C", 'B'); /* Who coordinates would remove it. */

    rig_pass(rig, rig->timing.silent_ms, "A");
    rig_links(rig, 'C', LINK_KERNEL);
    rig_pass(rig, rig->timing.lost_ms - 1, "A");
    cr_assert_eq(verdict_on(rig, 'C'), VERDICT_NONE);
    cr_assert_eq(rig->noticed[NOTICE_SUSPECT], 0);
    rig_pass(rig, (rig->timing.lost_ms - rig->timing.silent_ms) / 2, "A");
    cr_assert_eq(verdict_on(rig, 'C'), VERDICT_LOST);
    rig_free(rig);
}

Test(core_watch, whose_kernel_alone_answers_is_stalled_in_the_end)
{
    struct rig *rig = rig_in("A B C", 'B');
    uint64_t end_ms = rig->now_ms + rig->timing.stall_ms;

    while (rig->now_ms < end_ms - 1) {
        uint64_t left_ms = end_ms - 1 - rig->now_ms;
        rig_pass(rig, left_ms < 300 ? left_ms : 300, "A");
        rig_links(rig, 'C', LINK_KERNEL);
        cr_assert_eq(verdict_on(rig, 'C'), VERDICT_NONE);
    }
    rig_pass(rig, 1, "A");
    cr_assert_eq(verdict_on(rig, 'C'), VERDICT_STALLED);
    rig_free(rig);
}

Test(core_watch, a_kernel_is_asked_when_its_process_is_silent_and_again)
{
    struct rig *rig = rig_in("A B C", 'B');
    uint64_t again_ms = (rig->timing.lost_ms - rig->timing.silent_ms) / 2;

    rig_pass(rig, timing_missed_ms(&rig->timing) - 1, "A");
    while (rig->kernel_ask_count == 0) { /* With the first question, which waits for a round. */
        rig_pass(rig, 1, "");
    }
    for (uint32_t asked = 1; asked < 5; asked++) {
        cr_assert_eq(rig->kernel_ask_count, asked);
        rig_pass(rig, again_ms - 1, "A");
        cr_assert_eq(rig->kernel_ask_count, asked);
        rig_pass(rig, 1, "A");
    }
    rig_free(rig);
}

Test(core_watch, whose_kernel_is_in_sight_again_is_not_lost)
{
    struct rig *rig = rig_in("A B C", 'B');

    (void)rig_loses(rig, 'C', "A");
    rig_links(rig, 'C', LINK_KERNEL);
    cr_assert_eq(verdict_on(rig, 'C'), VERDICT_NONE);
    rig_free(rig);
}

/* --- Dead is proven (D3a), of an address (D3b) --- */

Test(core_watch, who_is_dead_is_removed_without_a_question)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct node_id dead = rig_id(rig, 'C');

    rig_accuses(rig, 'B', 3, VERDICT_DEAD);
    rig_kill(rig, 'C');
    cr_assert_eq(rig_count(rig, MESSAGE_PING), 0);
    rig_pass(rig, rig->timing.batch_ms, "");
    cr_assert_eq(rig_count(rig, MESSAGE_PING), 0);
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'B');
    cr_assert_not_null(prepare);
    cr_assert_eq(view_find(prepare->carrier.view, &dead), VIEW_NONE);
    rig_free(rig);
}

/* Somebody who made a view up had it say that B lives elsewhere. */
Test(core_watch, who_is_dead_at_one_address_may_live_at_another)
{
    for (int moved = 0; moved < 2; moved++) {
        struct rig *rig = rig_in("A B C", 'C');
        rig_kill(rig, 'B');
        cr_assert_eq(verdict_on(rig, 'B'), VERDICT_DEAD);
        struct view *view = rig_next(rig, "");
        view->members[1].address.port += (uint16_t)moved;
        view_seal(view);
        rig_gets(rig, 'A', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}});
        cr_assert_eq(core_view(rig->core)->version, view->version);
        cr_assert_eq(verdict_on(rig, 'B'), moved ? VERDICT_NONE : VERDICT_DEAD);
        rig_free(rig);
    }
}

/* --- What is told of a silence (D2, R1) --- */

static struct watch_state watched(const struct rig *rig, char letter)
{
    struct node_id id = rig_id(rig, letter);

    return core_watch(rig->core, view_find(core_view(rig->core), &id), rig->now_ms);
}

Test(core_watch, a_silence_says_when_it_will_be_judged)
{
    struct rig *rig = rig_in("A B C D", 'A');

    rig_pass(rig, rig->timing.heartbeat_ms, "B C D");
    cr_assert_eq(watched(rig, 'D').outlook, OUTLOOK_NONE);
    cr_assert_eq(watched(rig, 'D').due_ms, NEVER_MS);
    cr_assert_not(watched(rig, 'A').on, "nobody watches itself");

    rig_pass(rig, rig->timing.silent_ms + 1, "B C");
    struct watch_state state = watched(rig, 'D');
    cr_assert_eq(state.outlook, OUTLOOK_LOST);
    cr_assert_lt(state.asked_ms_ago, state.silent_ms, "its kernel was asked");
    cr_assert_eq(state.due_ms, rig->timing.lost_ms - state.silent_ms);

    rig_links(rig, 'D', LINK_KERNEL);
    state = watched(rig, 'D');
    cr_assert_eq(state.outlook, OUTLOOK_STALLED);
    cr_assert_eq(state.due_ms, rig->timing.stall_ms - state.silent_ms);
    rig_free(rig);
}

Test(core_watch, a_verdict_says_what_it_waits_for)
{
    struct rig *rig = rig_in("A B C", 'A');

    while (verdict_on(rig, 'C') != VERDICT_STALLED) {
        rig_pass(rig, 300, "B");
        rig_links(rig, 'C', LINK_KERNEL);
    }
    cr_assert_eq(watched(rig, 'C').outlook, OUTLOOK_BACKING);

    rig_accuses(rig, 'B', 3, VERDICT_STALLED);
    struct told_doubt told[SUSPECTS_MAX];
    cr_assert_eq(core_told_doubts(rig->core, 1, rig->now_ms, told), 1);
    cr_assert_eq(told[0].subject, 2);
    cr_assert_eq(told[0].verdict, VERDICT_STALLED);
    cr_assert_eq(core_told_doubts(rig->core, 0, rig->now_ms, told), 1, "its own");
    const struct watch_state state = watched(rig, 'C');
    cr_assert_eq(state.outlook, OUTLOOK_VERIFIED);
    cr_assert_eq(state.due_ms, rig->timing.verify_ms);
    rig_free(rig);
}

Test(core_watch, who_does_not_decide_says_so)
{
    struct rig *rig = rig_in("A B C D", 'B');

    rig_kill(rig, 'D');
    cr_assert_eq(watched(rig, 'D').outlook, OUTLOOK_JUDGE);
    cr_assert_eq(core_edge(rig->core, 1, 3), EDGE_RING_1);
    cr_assert_eq(core_edge(rig->core, 1, 1), 0);
    cr_assert_not(core_roll_call(rig->core, rig->now_ms).on);
    rig_free(rig);
}
