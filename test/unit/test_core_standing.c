/* Whom a node counts for its guard (G1), and until when it acts (G2). What comes of it is told by
 * the stories of the guard. */
#include <criterion/criterion.h>

#include "core/state/state.h"
#include "rig.h"

static uint32_t fresh(const struct rig *rig)
{
    return core_guard(rig->core, rig->now_ms).fresh;
}

/* H32: D is in the view that A shows, and nobody has heard it. */
Test(core_standing, counts_whom_it_heard_not_who_is_listed)
{
    struct rig *rig = rig_in("A B C", 'B');
    const struct message shown = {.type = MESSAGE_VIEW, .carrier = {.view = rig_next(rig, "+D")}};

    rig_gets(rig, 'A', &shown);
    cr_assert_eq(fresh(rig), 3);
    rig_hears(rig, 'D');
    cr_assert_eq(fresh(rig), 4);
    rig_pass(rig, rig->timing.fresh_ms, "A C");
    cr_assert_eq(fresh(rig), 3);
    rig_free(rig);
}

Test(core_standing, counts_nobody_whom_it_suspects)
{
    for (const char *self = "AB"; *self != '\0'; self++) {
        struct rig *rig = rig_in("A B C", *self);
        cr_assert_eq(fresh(rig), 3);
        rig_kill(rig, 'C');
        cr_assert_eq(fresh(rig), 2);
        rig_free(rig);
    }
}

/* Whoever follows another is counted over there; a member need not know whom others follow. */
Test(core_standing, a_coordinator_counts_who_follows_it)
{
    for (const char *self = "AC"; *self != '\0'; self++) {
        struct rig *rig = rig_in("A B C", *self);
        struct heartbeat says = {.view = view_id_of(core_view(rig->core))};
        says.view.coordinator = rig_id(rig, 'X');
        rig_gets(rig, 'B', &(struct message){.type = MESSAGE_HEARTBEAT, .heartbeat = says});
        cr_assert_eq(fresh(rig), *self == 'A' ? 2 : 3);
        rig_free(rig);
    }
}

/* H20: such a heartbeat may come late, and from one whose number was forgotten. */
Test(core_standing, a_coordinator_counts_nobody_who_names_a_former_reign)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct heartbeat says = {.view = view_id_of(core_view(rig->core))};

    rig->core->promise.seen = ++rig->core->view.epoch;
    view_seal(&rig->core->view);
    rig_gets(rig, 'B', &(struct message){.type = MESSAGE_HEARTBEAT, .heartbeat = says});
    rig_gets(rig, 'C', &(struct message){.type = MESSAGE_HEARTBEAT, .heartbeat = says});
    cr_assert_eq(fresh(rig), 1);
    says.view = view_id_of(core_view(rig->core));
    rig_gets(rig, 'B', &(struct message){.type = MESSAGE_HEARTBEAT, .heartbeat = says});
    cr_assert_eq(fresh(rig), 2);
    rig_free(rig);
}

/* G1f, H76: D and E are no voters; B is one, and its record is not whole at first. */
Test(core_standing, under_strict_voters_are_counted)
{
    struct rig *rig = rig_strict_among("A B C D E", 'B', "A B C");

    cr_assert_eq(fresh(rig), 2);
    rig_votes(rig);
    cr_assert_eq(fresh(rig), 3);
    rig->core->voter.mute = true;
    cr_assert_eq(fresh(rig), 2);
    rig->core->voter.mute = false;
    rig_pass(rig, rig->timing.fresh_ms, "A D E");
    cr_assert_eq(fresh(rig), 2);
    rig_free(rig);
}

/* --- Does the coordinator act? --- */

static void says(struct rig *rig, char who, bool acting)
{
    const struct view *view = core_view(rig->core);

    rig_gets(
        rig, who,
        &(struct message){
            .type = MESSAGE_HEARTBEAT,
            .heartbeat = {.view = view_id_of(view), .view_hash = view->hash, .acting = acting}});
}

/* G1f: it is no neighbour of the voters, and hears nothing bad of them. */
Test(core_standing, under_strict_the_guard_is_met_while_the_coordinator_acts)
{
    struct rig *rig = rig_strict_among("A B C D", 'D', "A B C");

    says(rig, 'A', true);
    cr_assert(core_guard(rig->core, rig->now_ms).met);
    says(rig, 'A', false);
    cr_assert_not(core_guard(rig->core, rig->now_ms).met);
    cr_assert_eq(core_guard(rig->core, rig->now_ms).fresh, 3);
    rig_free(rig);
}

/* Z9b: its questions come through, and its heartbeats do not. */
Test(core_standing, that_it_acts_is_not_believed_for_its_questions_alone)
{
    struct rig *rig = rig_in("A B C", 'B');
    const struct message ping = {
        .type = MESSAGE_PING,
        .ping = {.nonce = 7, .subject = rig_id(rig, 'B'), .origin = rig_id(rig, 'A')}};
    const uint64_t until_ms = rig->now_ms + 2 * rig->timing.lost_ms;

    says(rig, 'A', true);
    while (rig->now_ms + rig->timing.fresh_ms / 2 < until_ms) {
        rig_pass(rig, rig->timing.fresh_ms / 2, "C");
        rig_gets(rig, 'A', &ping);
        cr_assert_eq(core_reign(rig->core, rig->now_ms), REIGN_ACTING);
    }
    rig_pass(rig, until_ms - rig->now_ms, "C");
    rig_gets(rig, 'A', &ping);
    cr_assert_eq(core_reign(rig->core, rig->now_ms), REIGN_UNKNOWN);
    rig_free(rig);
}

Test(core_standing, a_coordinator_acts_as_it_said_lately)
{
    struct rig *rig = rig_in("A B C", 'B');

    says(rig, 'A', false);
    cr_assert_eq(core_reign(rig->core, rig->now_ms), REIGN_IDLE);
    says(rig, 'A', true);
    cr_assert_eq(core_reign(rig->core, rig->now_ms), REIGN_ACTING);
    rig_pass(rig, rig->timing.fresh_ms, "C");
    cr_assert_eq(core_reign(rig->core, rig->now_ms), REIGN_UNKNOWN);
    rig_free(rig);
    rig = rig_in("A B C", 'A');
    cr_assert_eq(core_reign(rig->core, rig->now_ms), REIGN_ACTING);
    rig_kill(rig, 'B');
    rig_kill(rig, 'C');
    cr_assert_eq(core_reign(rig->core, rig->now_ms), REIGN_IDLE);
    rig_free(rig);
}

/* Z9b: the word that it acts grows old, and is none any more when nobody is named. */
Test(core_standing, how_old_the_word_is_that_somebody_acts)
{
    struct rig *rig = rig_in("A B C", 'B');
    const uint64_t step_ms = rig->timing.fresh_ms / 2;

    says(rig, 'A', true);
    cr_assert_eq(core_acting_said_ms_ago(rig->core, rig->now_ms), 0);
    rig_pass(rig, step_ms, "C");
    cr_assert_eq(core_acting_said_ms_ago(rig->core, rig->now_ms), step_ms);
    says(rig, 'A', true);
    cr_assert_eq(core_acting_said_ms_ago(rig->core, rig->now_ms), 0);
    says(rig, 'A', false);
    cr_assert_eq(core_acting_said_ms_ago(rig->core, rig->now_ms), NEVER_MS);
    rig_free(rig);
    rig = rig_in("A B C", 'A');
    rig_pass(rig, step_ms, "B C");
    cr_assert_eq(core_acting_said_ms_ago(rig->core, rig->now_ms), 0);
    rig_free(rig);
}

/* What it said before it claimed the place, it said as a member. */
Test(core_standing, what_it_said_in_another_epoch_says_nothing_of_now)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct heartbeat former = {.view = view_id_of(core_view(rig->core))};

    former.view.epoch--;
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_HEARTBEAT, .heartbeat = former});
    cr_assert_eq(core_reign(rig->core, rig->now_ms), REIGN_UNKNOWN);
    says(rig, 'A', false);
    cr_assert_eq(core_reign(rig->core, rig->now_ms), REIGN_IDLE);
    rig_free(rig);
}

/* --- Until when it acts (G2) --- */

/* Lets time pass until it has sent its next heartbeat, which is at this moment. */
static uint64_t sends_next(struct rig *rig)
{
    do {
        rig_pass(rig, 1, "");
    } while (rig_count(rig, MESSAGE_HEARTBEAT) == 0);
    return rig->now_ms;
}

/* Guard `count` of five: B has heard A's first heartbeat from then on, C its second, D its third,
 * and E none. */
static struct rig *heard_by_three(uint32_t count, uint64_t sent_ms[3])
{
    struct rig *rig = rig_guarded("A B C D E", 'A', (struct guard){GUARD_COUNT, count});

    for (uint32_t i = 0; i < 3; i++) {
        sent_ms[i] = sends_next(rig);
        rig_pass(rig, 1, "");
        rig_hears(rig, (char)('B' + i));
    }
    return rig;
}

Test(core_standing, it_acts_as_long_as_the_leases_of_as_many_as_the_guard_asks_for)
{
    uint64_t sent_ms[3];

    for (uint32_t count = 1; count <= 4; count++) {
        struct rig *rig = heard_by_three(count, sent_ms);
        uint32_t last = count == 1 ? 1 : count - 1; /* The lease of one it takes in any case. */
        uint64_t until_ms = sent_ms[3 - last] + rig->timing.lost_ms;
        cr_assert_eq(core_acting_until_ms(rig->core, rig->now_ms), until_ms, "guard %u", count);
        cr_assert(core_is_acting(rig->core, until_ms - 1));
        cr_assert_eq(core_acting_until_ms(rig->core, until_ms - 1), until_ms);
        cr_assert_not(core_is_acting(rig->core, until_ms));
        cr_assert_eq(core_acting_until_ms(rig->core, until_ms), 0);
        rig_free(rig);
    }
}

/* --- Asked for again (D8f) --- */

/* A coordinator that acts under that guard, and begins no round any more. */
static struct rig *acts_without_rounds(bool strict)
{
    struct rig *rig = strict ? rig_strict("A B C", 'A')
                             : rig_guarded("A B C", 'A', (struct guard){GUARD_MAJORITY, 3});

    rig_pass(rig, rig->timing.heartbeat_ms * 11 / 10, "");
    for (const char *from = "BC"; *from != '\0'; from++) {
        rig_leases(rig, *from);
        rig_hears(rig, *from);
    }
    cr_assert(core_is_acting(rig->core, rig->now_ms));
    rig_pass(rig, timing_question_ms(&rig->timing), "B C"); /* What acting began with is over. */
    for (const char *from = "BC"; *from != '\0'; from++) {
        rig_leases(rig, *from);
    }
    rig->core->rounds.next_ms = NEVER_MS;
    return rig;
}

/* It is heard, so that nobody asks whether it is there; and has heard nothing new. */
static void is_deaf(struct rig *rig, char from)
{
    const struct view *view = core_view(rig->core);
    struct message says = {.type = MESSAGE_HEARTBEAT,
                           .heartbeat = {.view = view_id_of(view), .view_hash = view->hash}};

    rig->numbers[(unsigned char)from]++;
    says = rig_message(rig, from, &says);
    says.echo = 0;
    rig_gets_raw(rig, &says);
}

/* The next moment, by that time, at which B is asked; NEVER_MS: it is not. */
static uint64_t asks_next(struct rig *rig, uint64_t by_ms)
{
    while (rig->now_ms < by_ms) {
        is_deaf(rig, 'B');
        is_deaf(rig, 'C');
        rig_pass(rig, 1, "");
        if (rig_told(rig, MESSAGE_PING, 'B') != NULL) {
            return rig->now_ms;
        }
    }
    return NEVER_MS;
}

Test(core_standing, a_right_to_act_is_asked_for_again_three_times_before_it_ends)
{
    for (int strict = 0; strict < 2; strict++) {
        struct rig *rig = acts_without_rounds(strict);
        const uint64_t pause_ms = timing_question_ms(&rig->timing);
        const uint64_t until_ms = core_acting_until_ms(rig->core, rig->now_ms);

        for (uint64_t left = 3; left > 0; left--) {
            cr_assert_eq(asks_next(rig, until_ms), until_ms - left * pause_ms, "%d, %d", strict,
                         (int)left);
        }
        cr_assert(core_is_acting(rig->core, until_ms - 1));
        cr_assert_not(core_is_acting(rig->core, until_ms));
        rig_free(rig);
    }
}

/* Answers may be lost all the same: for T_lost more, and then with its rounds alone. */
Test(core_standing, who_acts_no_more_goes_on_asking_for_a_while)
{
    for (int strict = 0; strict < 2; strict++) {
        struct rig *rig = acts_without_rounds(strict);
        const uint64_t pause_ms = timing_question_ms(&rig->timing);
        const uint64_t until_ms = core_acting_until_ms(rig->core, rig->now_ms);
        const uint64_t end_ms = until_ms + rig->timing.lost_ms;

        while (asks_next(rig, until_ms) < until_ms) {
            /* Nobody answers. */
        }
        for (uint64_t at_ms = until_ms; at_ms + pause_ms < end_ms; at_ms += pause_ms) {
            cr_assert_eq(asks_next(rig, end_ms), at_ms + pause_ms, "%d", strict);
        }
        cr_assert_eq(asks_next(rig, end_ms + 3 * pause_ms), NEVER_MS, "%d", strict);
        rig_free(rig);
    }
}

Test(core_standing, whose_right_to_act_was_renewed_asks_later)
{
    for (int strict = 0; strict < 2; strict++) {
        struct rig *rig = acts_without_rounds(strict);
        const uint64_t pause_ms = timing_question_ms(&rig->timing);

        for (int i = 0; i < 3; i++) {
            const uint64_t until_ms = core_acting_until_ms(rig->core, rig->now_ms);
            cr_assert_eq(asks_next(rig, until_ms), until_ms - 3 * pause_ms, "%d, %d", strict, i);
            rig_pass(rig, 1, "");
            rig_leases(rig, 'B');
            rig_leases(rig, 'C');
            cr_assert_gt(core_acting_until_ms(rig->core, rig->now_ms), until_ms);
        }
        rig_free(rig);
    }
}

/* Who handed over has no right, and asks nobody. */
Test(core_standing, who_has_handed_over_asks_no_more)
{
    struct rig *rig = acts_without_rounds(true);
    const uint64_t until_ms = core_acting_until_ms(rig->core, rig->now_ms);

    rig->core->succession.handed_epoch = core_view(rig->core)->epoch;
    cr_assert_eq(asks_next(rig, until_ms), NEVER_MS);
    rig_free(rig);
}

/* --- Leases that are there or not --- */

Test(core_standing, one_too_few_leases_are_none)
{
    struct rig *rig = rig_guarded("A B C", 'A', (struct guard){GUARD_MAJORITY, 6});

    cr_assert_not(core_is_acting(rig->core, rig->now_ms));
    cr_assert_eq(core_acting_until_ms(rig->core, rig->now_ms), 0);
    cr_assert_not(core_guard(rig->core, rig->now_ms).met);
    rig_free(rig);
}

/* A coordinator that nobody hears would act for ever. */
Test(core_standing, with_guard_none_one_other_is_enough)
{
    struct rig *rig = rig_in("A B C", 'A');

    rig_kill(rig, 'B');
    cr_assert(core_is_acting(rig->core, rig->now_ms));
    cr_assert_gt(core_acting_until_ms(rig->core, rig->now_ms), rig->now_ms);
    rig_kill(rig, 'C');
    cr_assert_eq(core_view(rig->core)->member_count, 3);
    cr_assert_not(core_is_acting(rig->core, rig->now_ms));
    cr_assert_eq(core_acting_until_ms(rig->core, rig->now_ms), 0);
    rig_free(rig);
}

Test(core_standing, alone_it_acts_for_t_lost_from_its_own_heartbeat)
{
    struct rig *rig = rig_in("A", 'A');
    uint64_t until_ms = 0;

    rig_pass(rig, rig->timing.heartbeat_ms, "");
    until_ms = core_deadline_ms(rig->core);
    cr_assert_leq(until_ms, rig->now_ms + rig->timing.heartbeat_ms * 21 / 20);
    rig_pass(rig, until_ms - rig->now_ms, "");
    until_ms = rig->now_ms + rig->timing.lost_ms;
    cr_assert_eq(core_acting_until_ms(rig->core, rig->now_ms), until_ms);
    cr_assert(core_is_acting(rig->core, until_ms - 1));
    cr_assert_not(core_is_acting(rig->core, until_ms));
    rig_sleeps(rig, 5 * rig->timing.lost_ms);
    cr_assert_eq(core_acting_until_ms(rig->core, rig->now_ms), rig->now_ms + rig->timing.lost_ms);
    rig_free(rig);
}

Test(core_standing, alone_it_acts_only_where_the_guard_asks_for_no_other)
{
    struct rig *rig = rig_guarded("A", 'A', (struct guard){GUARD_COUNT, 2});

    cr_assert_eq(core_acting_until_ms(rig->core, rig->now_ms), 0);
    rig_free(rig);
    rig = rig_guarded("A", 'A', (struct guard){GUARD_COUNT, 1});
    cr_assert_gt(core_acting_until_ms(rig->core, rig->now_ms), rig->now_ms);
    rig_free(rig);
}

Test(core_standing, who_does_not_coordinate_acts_until_never)
{
    struct rig *rig = rig_in("A B C", 'B');

    cr_assert_eq(core_acting_until_ms(rig->core, rig->now_ms), 0);
    rig_free(rig);
    rig = rig_joining('B');
    cr_assert_eq(core_acting_until_ms(rig->core, rig->now_ms), 0);
    rig_free(rig);
}

/* Not before it hands over, either: B, to whom it would, is dead. */
Test(core_standing, who_leaves_acts_until_never)
{
    struct rig *rig = rig_in("A B C", 'A');

    rig_kill(rig, 'B');
    cr_assert_gt(core_acting_until_ms(rig->core, rig->now_ms), rig->now_ms);
    rig_leaves(rig);
    cr_assert_eq(rig_count(rig, MESSAGE_HANDOVER), 0);
    cr_assert_eq(core_acting_until_ms(rig->core, rig->now_ms), 0);
    rig_free(rig);
}

/* It is told when the time is up, though nothing else happens then: all go on being heard. */
Test(core_standing, watchers_are_told_when_the_leases_have_run_out)
{
    struct rig *rig = rig_in("A B", 'A');
    uint64_t until_ms = sends_next(rig) + rig->timing.lost_ms;
    struct message deaf = {
        .type = MESSAGE_HEARTBEAT,
        .heartbeat = {.view = view_id_of(core_view(rig->core)),
                      .view_hash = core_view(rig->core)->hash},
    };

    rig_hears(rig, 'B');
    uint32_t told = rig->noticed[NOTICE_ACTING];
    cr_assert(rig->notices[NOTICE_ACTING].on);
    while (rig->now_ms < until_ms) {
        cr_assert_eq(rig->noticed[NOTICE_ACTING], told);
        rig->numbers['B']++;
        struct message says = rig_message(rig, 'B', &deaf);
        says.echo = 0;
        rig_gets_raw(rig, &says);
        rig_pass(rig, until_ms - rig->now_ms < 90 ? until_ms - rig->now_ms : 90, "");
    }
    cr_assert_eq(rig->noticed[NOTICE_ACTING], told + 1);
    cr_assert_not(rig->notices[NOTICE_ACTING].on);
    cr_assert_eq(fresh(rig), 1, "it hears B, which does not hear it");
    rig_free(rig);
}
