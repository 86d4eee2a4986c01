/* How far a node trusts what it hears, and itself: whose word counts (D7), numbers of messages
 * (D6), a suspect's answer (D5), and a node that was late (D4). */
#include <criterion/criterion.h>
#include <string.h>

#include "core/state/state.h"
#include "rig.h"

/* --- What the others say --- */

static struct message says_nothing(const struct rig *rig)
{
    const struct view *view = core_view(rig->core);

    return (struct message){
        .type = MESSAGE_HEARTBEAT,
        .heartbeat = {.view = view_id_of(view), .view_hash = view->hash},
    };
}

/* A heartbeat that says that those are lost. */
static struct message says_lost(const struct rig *rig, const char *letters)
{
    struct message message = says_nothing(rig);

    for (const char *at = letters; *at != '\0'; at++) {
        struct node_id id = rig_id(rig, *at);
        const struct view *view = core_view(rig->core);
        message.heartbeat.suspects[message.heartbeat.suspect_count++] = (struct suspicion){
            .age = view->members[view_find(view, &id)].age, .verdict = VERDICT_LOST};
    }
    return message;
}

static void accuses(struct rig *rig, char from, const char *letters)
{
    struct message message = says_lost(rig, letters);

    rig_gets(rig, from, &message);
}

static void accuses_late(struct rig *rig, char from, const char *letters)
{
    struct message message = says_lost(rig, letters);

    message.heartbeat.late = true;
    rig_gets(rig, from, &message);
}

/* Its process lives, but it says nothing of the others. */
static void gives_a_sign(struct rig *rig, char from)
{
    rig_gets(rig, from, &(struct message){.type = MESSAGE_PULL});
}

/* Is a view without that member proposed to the other? */
static bool is_proposed_without(const struct rig *rig, char gone, char other)
{
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, other);
    struct node_id id = rig_id(rig, gone);

    return prepare != NULL && view_find(prepare->carrier.view, &id) == VIEW_NONE;
}

static bool removes(struct rig *rig, char gone, char other)
{
    rig_pass(rig, rig->timing.batch_ms, "");
    return is_proposed_without(rig, gone, other);
}

/* --- Whose word counts (D7) --- */

Test(core_doubts, a_removal_takes_the_word_of_another)
{
    struct rig *rig = rig_in("A B C", 'A');

    rig_kill(rig, 'C');
    cr_assert_not(removes(rig, 'C', 'B'));
    accuses(rig, 'B', "C");
    cr_assert(removes(rig, 'C', 'B'));
    rig_free(rig);
}

Test(core_doubts, a_removal_takes_the_coordinators_own_verdict)
{
    struct rig *rig = rig_in("A B C", 'A');

    accuses(rig, 'B', "C");
    cr_assert_eq(rig->core->peers[2].charge.verify.until_ms,
                 NEVER_MS); /* Nor is it looked into (R1). */
    rig_pass(rig, 2 * rig->timing.verify_ms, "C");
    cr_assert_eq(rig->core->peers[2].charge.verify.until_ms, NEVER_MS);
    cr_assert_not(is_proposed_without(rig, 'C', 'B'));
    rig_free(rig);
}

Test(core_doubts, the_coordinators_own_verdict_is_enough_where_nobody_else_can_see)
{
    struct rig *rig = rig_in("A B", 'A');
    char seen[64];

    rig_kill(rig, 'B');
    rig_pass(rig, rig->timing.heartbeat_ms, "");
    cr_assert_str_eq(rig_sees(rig, seen), "A");
    rig_free(rig);
}

/* H47 */
Test(core_doubts, nobody_waits_for_the_word_of_who_was_late)
{
    struct rig *rig = rig_in("A B C", 'A');

    accuses_late(rig, 'B', "");
    rig_kill(rig, 'C');
    cr_assert(removes(rig, 'C', 'B'));
    rig_free(rig);
}

Test(core_doubts, nobody_waits_for_the_word_of_a_suspect)
{
    struct rig *rig = rig_in("A B C", 'A');
    char seen[64];

    rig_kill(rig, 'B');
    cr_assert_str_eq(rig_sees(rig, seen), "A B C");
    rig_kill(rig, 'C');
    rig_pass(rig, rig->timing.heartbeat_ms, "");
    cr_assert_str_eq(rig_sees(rig, seen), "A");
    rig_free(rig);
}

/* H47 */
Test(core_doubts, the_word_of_who_was_late_does_not_count)
{
    struct rig *rig = rig_in("A B C D", 'A');

    accuses_late(rig, 'B', "D");
    rig_kill(rig, 'D');
    cr_assert_not(removes(rig, 'D', 'B'));
    accuses(rig, 'B', "D");
    cr_assert(removes(rig, 'D', 'B'));
    rig_free(rig);
}

/* H7: B went deaf, and accuses everybody. */
Test(core_doubts, the_word_of_one_whom_most_others_suspect_does_not_count)
{
    struct rig *rig = rig_in("A B C D E", 'A');

    accuses(rig, 'C', "B");
    accuses(rig, 'D', "B");
    accuses(rig, 'B', "CDE");
    rig_kill(rig, 'E');
    cr_assert_not(removes(rig, 'E', 'D'));
    rig_hears(rig, 'D');
    cr_assert(removes(rig, 'E', 'D'));
    rig_free(rig);
}

/* The same with so many suspects that the accusers of all are counted before. C, D and I suspect B
 * beside others, so its word against E does not count; D's does. */
Test(core_doubts, whose_word_counts_is_the_same_where_many_are_suspected)
{
    struct rig *rig = rig_in("A B C D E F G H I", 'A');

    accuses(rig, 'C', "FB");
    accuses(rig, 'D', "GB");
    accuses(rig, 'I', "HB");
    accuses(rig, 'B', "E");
    rig_kill(rig, 'F');
    rig_kill(rig, 'G');
    rig_kill(rig, 'H');
    rig_kill(rig, 'E');
    rig_pass(rig, rig->timing.batch_ms, "");
    cr_assert(is_proposed_without(rig, 'F', 'D'));
    cr_assert_not(is_proposed_without(rig, 'E', 'D'));
    rig_free(rig);
}

/* Of two who can see D, one suspects the other: that is half of them, not more. */
Test(core_doubts, the_word_of_one_whom_half_of_the_others_suspect_counts)
{
    struct rig *rig = rig_in("A B C D", 'A');

    accuses(rig, 'C', "B");
    accuses(rig, 'B', "D");
    rig_kill(rig, 'D');
    cr_assert(removes(rig, 'D', 'C'));
    rig_free(rig);
}

static bool counts_after(uint64_t ms)
{
    struct rig *rig = rig_in("A B C", 'A');

    accuses(rig, 'B', "C");
    rig_pass(rig, ms, "C");
    rig_kill(rig, 'C');
    bool counts = removes(rig, 'C', 'B');
    rig_free(rig);
    return counts;
}

Test(core_doubts, an_old_word_does_not_count)
{
    struct timing timing = timing_of(PROFILE_LAN);

    cr_assert(counts_after(timing.fresh_ms - 1));
    cr_assert_not(counts_after(timing.fresh_ms));
}

/* H50: what C said against B lapses, of which no event tells; then B's word against E counts. */
Test(core_doubts, evidence_is_judged_again_as_words_lapse)
{
    struct rig *rig = rig_in("A B C D E", 'A');
    bool removed = false;

    accuses(rig, 'C', "B");
    accuses(rig, 'D', "B");
    accuses(rig, 'B', "E");
    rig_kill(rig, 'E');
    cr_assert_not(removes(rig, 'E', 'D'));
    for (int i = 0; i < 20 && !removed; i++) {
        gives_a_sign(rig, 'C');
        accuses(rig, 'D', "B");
        accuses(rig, 'B', "E");
        rig_pass(rig, 100, "");
        removed = removed || rig_told(rig, MESSAGE_PREPARE, 'D') != NULL;
    }
    cr_assert(removed);
    rig_free(rig);
}

/* --- Numbers of messages (D6) --- */

/* H20: B was cut off and is back by a merge; what it said before the cut is as old as it was. */
static void check_numbers_after(uint32_t views_between)
{
    struct rig *rig = rig_in("A B C D E", 'C');
    const char *changes[] = {"-B", "-D", "-E"};
    char seen[64];

    for (uint32_t i = 0; i <= views_between; i++) {
        struct message shown = {.type = MESSAGE_VIEW,
                                .carrier = {.view = rig_next(rig, changes[i])}};
        rig_gets(rig, 'A', &shown);
    }
    cr_assert_null(strchr(rig_sees(rig, seen), 'B'));
    struct message merged = {.type = MESSAGE_VIEW, .carrier = {.view = rig_next(rig, "+B")}};
    rig_gets(rig, 'A', &merged);
    cr_assert_not_null(strchr(rig_sees(rig, seen), 'B'));

    struct message old = says_nothing(rig);
    rig_ignores(rig, 'B', &old, REFUSED_OVERTAKEN);
    rig_free(rig);
}

Test(core_doubts, a_life_that_comes_back_goes_on_with_its_numbers)
{
    check_numbers_after(0);
    check_numbers_after(2);
}

/* --- A suspect answers (D5) --- */

static bool answers(const struct rig *rig, char to)
{
    return rig_told(rig, MESSAGE_HEARTBEAT, to) != NULL;
}

/* H2 */
Test(core_doubts, a_suspect_answers_the_accuser_and_the_coordinator)
{
    struct rig *rig = rig_in("A B C", 'B');

    accuses(rig, 'C', "B");
    cr_assert(answers(rig, 'C'));
    cr_assert(answers(rig, 'A'));
    accuses(rig, 'A', "C");
    cr_assert_not(answers(rig, 'A'));
    rig_free(rig);
}

Test(core_doubts, a_suspect_answers_one_accuser_once_in_a_while)
{
    struct rig *rig = rig_in("A B C", 'B');
    uint64_t pause_ms = rig->timing.heartbeat_ms / 4;

    rig_pass(rig, timing_round_ms(&rig->timing) * 11 / 10, "A C"); /* The next round is far. */
    accuses(rig, 'C', "B");
    rig->now_ms += pause_ms - 1;
    accuses(rig, 'C', "B");
    cr_assert_not(answers(rig, 'C'));
    accuses(rig, 'A', "B"); /* Another one. */
    cr_assert(answers(rig, 'A'));
    rig->now_ms += 1;
    accuses(rig, 'C', "B");
    cr_assert(answers(rig, 'C'));
    rig_free(rig);
}

/* The ages in it are of others. */
Test(core_doubts, the_list_of_another_lineage_means_nobody)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message says = says_lost(rig, "B");

    says.heartbeat.view.lineage = 99;
    rig_gets(rig, 'C', &says);
    cr_assert_not(answers(rig, 'C'));
    cr_assert_not(answers(rig, 'A'));
    rig_free(rig);
}
