/* Who misses a heartbeat asks, and what questions without an answer come to (D2e to D2i, D8a,
 * D8e). */
#include <criterion/criterion.h>
#include <string.h>

#include "core/detection/rounds.h"
#include "core/detection/watch.h"
#include "core/state/state.h"
#include "rig.h"

static uint32_t questions_to(struct rig *rig, char to, uint64_t ms, const char *alive)
{
    uint32_t count = 0;

    for (uint64_t at = 0; at < ms; at++) {
        rig_pass(rig, 1, alive);
        count += rig_told(rig, MESSAGE_PING, to) != NULL;
    }
    return count;
}

/* D2e. H2, H13: a heartbeat that is missing costs a question, and only so many. */
Test(core_questions, who_misses_a_heartbeat_asks)
{
    struct rig *rig = rig_in("A B C D E", 'B');
    const struct timing *timing = &rig->timing;
    const uint64_t missed_ms = timing_missed_ms(timing);

    cr_assert_eq(timing_question_ms(timing), timing->heartbeat_ms_longest / 10);
    cr_assert_eq(questions_to(rig, 'C', missed_ms - 1, ""), 0);
    cr_assert_eq(questions_to(rig, 'C', 1, ""), 1);
    cr_assert_eq(questions_to(rig, 'C', timing_question_ms(timing) - 1, ""), 0);
    cr_assert_eq(questions_to(rig, 'C', 1, ""), 1);
    cr_assert_eq(rig_verdict(rig, 'C'), VERDICT_NONE);
    rig_free(rig);
}

/* When this node, which has just heard all others, looks again if its next round comes then. */
static uint64_t look_with_round_at(struct rig *rig, uint64_t round_ms)
{
    struct core *core = rig->core;

    core->rounds.next_ms = round_ms;
    core->looking.next_ms = rig->now_ms;
    rig_hears(rig, 'C');
    return core->looking.next_ms;
}

/* D2e: one wake-up less where the next round is near. */
Test(core_questions, the_first_question_waits_for_a_round_that_comes_before_the_second)
{
    struct rig *rig = rig_in("A B C", 'A');
    const uint64_t question_ms = timing_question_ms(&rig->timing);

    rig_hears(rig, 'B');
    const uint64_t look_ms = rig->now_ms + timing_missed_ms(&rig->timing);
    cr_assert_eq(look_with_round_at(rig, look_ms + question_ms), look_ms + question_ms);
    cr_assert_eq(look_with_round_at(rig, look_ms + question_ms + 1), look_ms);
    cr_assert_eq(look_with_round_at(rig, look_ms), look_ms);
    rig_free(rig);
}

/* D2e: but not if another one is asked already. */
Test(core_questions, further_questions_do_not_wait)
{
    struct rig *rig = rig_in("A B C", 'A');
    const uint64_t question_ms = timing_question_ms(&rig->timing);

    rig_pass(rig, timing_missed_ms(&rig->timing), "");
    cr_assert_not_null(rig_told(rig, MESSAGE_PING, 'B'));
    cr_assert_eq(look_with_round_at(rig, rig->now_ms + question_ms + 1), rig->now_ms + question_ms);
    rig_free(rig);
}

/* D2e. H2: whatever comes is a sign of life, and silence counts from that on. */
Test(core_questions, who_answers_is_not_asked_again)
{
    struct rig *rig = rig_in("A B C D E", 'B');
    const struct timing *timing = &rig->timing;

    rig_pass(rig, timing_missed_ms(timing), "");
    rig_hears(rig, 'C');
    cr_assert_eq(questions_to(rig, 'C', timing_missed_ms(timing) - 1, ""), 0);
    rig_pass(rig, timing->lost_ms - timing_missed_ms(timing), "");
    cr_assert_eq(rig_verdict(rig, 'C'), VERDICT_NONE);
    cr_assert_eq(rig_verdict(rig, 'D'), VERDICT_LOST);
    rig_free(rig);
}

/* D2g. H5, H46: its loop stood still for less than what counts as late, and has asked nothing. */
Test(core_questions, who_has_asked_nothing_finds_nobody_lost)
{
    struct rig *rig = rig_in("A B C D E", 'B');
    const struct timing *timing = &rig->timing;

    rig_pass(rig, timing_missed_ms(timing) - 1, "");
    rig_sleeps(rig, timing->silent_ms / 2);
    cr_assert_gt(timing_missed_ms(timing) - 1 + timing->silent_ms / 2, timing->lost_ms);
    cr_assert_eq(rig_verdict(rig, 'C'), VERDICT_NONE);
    rig_pass(rig, 2 * timing_question_ms(timing) - 2, "");
    cr_assert_eq(rig_verdict(rig, 'C'), VERDICT_NONE);
    rig_pass(rig, 3 * timing_question_ms(timing), "");
    cr_assert_eq(rig_verdict(rig, 'C'), VERDICT_LOST);
    rig_free(rig);
}

static uint32_t heard_a_heartbeat(struct rig *rig, const char *letters)
{
    uint32_t count = 0;

    for (const char *at = letters; *at != '\0'; at++) {
        count += *at != ' ' && rig_told(rig, MESSAGE_HEARTBEAT, *at) != NULL;
    }
    return count;
}

/* Until the next round; returns how many of them got it. */
static uint32_t next_round(struct rig *rig, const char *letters)
{
    const uint64_t end_ms = rig->now_ms + rig->timing.heartbeat_ms;

    do {
        rig_pass(rig, 1, letters);
    } while (heard_a_heartbeat(rig, letters) == 0 && rig->now_ms < end_ms);
    return heard_a_heartbeat(rig, letters);
}

/* D8e. H13: somebody hears it each half of an interval. H70: all get the first round in a view. */
Test(core_questions, each_round_goes_to_one_half_of_the_neighbours)
{
    struct rig *rig = rig_in("A B C D E", 'A');

    cr_assert_eq(next_round(rig, "B C D E"), 4);
    cr_assert_lt(next_round(rig, "B C D E"), 4);
    const bool first = heard_a_heartbeat(rig, "D") == 1;
    cr_assert_eq(heard_a_heartbeat(rig, "C E"), first ? 0 : 2);
    cr_assert_lt(next_round(rig, "B C D E"), 4);
    cr_assert_eq(heard_a_heartbeat(rig, "D") == 1, !first);
    cr_assert_eq(heard_a_heartbeat(rig, "C E"), first ? 2 : 0);
    rig_free(rig);
}

/* D8c: of a coordinator those whom its guard counts get each round, so that an outage of half of an
 * interval does not end its right to act. */
Test(core_questions, whom_the_guard_counts_gets_every_round)
{
    static const struct {
        struct guard guard;
        const char *each;
    } cases[] = {{{GUARD_NONE, 0}, "B"}, {{GUARD_COUNT, 3}, "B C"}, {{GUARD_MAJORITY, 7}, "B C D"}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig *rig = rig_guarded("A B C D E F G", 'A', cases[i].guard);
        const uint32_t count = (uint32_t)(strlen(cases[i].each) + 1) / 2;
        uint32_t least = UINT32_MAX;
        (void)next_round(rig, "B C D E F G");
        for (int round = 0; round < 4; round++) {
            const uint32_t heard = next_round(rig, "B C D E F G");
            cr_assert_eq(heard_a_heartbeat(rig, cases[i].each), count, "%zu", i);
            least = heard < least ? heard : least;
        }
        cr_assert_lt(least, watch_count(rig->core) - 1, "%zu: the others do not", i);
        rig_free(rig);
    }
}

/* What they get of B when the coordinator asks for its lease, or not. */
static const struct message *answer_of_b(struct rig *rig, bool asks, bool fellow)
{
    struct message says = {.type = MESSAGE_HEARTBEAT,
                           .heartbeat = {.view = view_id_of(core_view(rig->core)),
                                         .view_hash = core_view(rig->core)->hash,
                                         .asks = asks}};

    rig->numbers['A']++;
    says = rig_message(rig, 'A', &says);
    says.fellow = fellow;
    rig_gets_raw(rig, &says);
    return rig_told(rig, MESSAGE_HEARTBEAT, 'A');
}

/* D8c, H15: and the answer is an echo, which nothing else of its kind is. */
Test(core_questions, a_heartbeat_that_asks_is_answered_at_once)
{
    struct rig *rig = rig_in("A B C D E", 'B');

    rig_hears(rig, 'A');
    cr_assert_null(answer_of_b(rig, false, true));
    cr_assert_null(answer_of_b(rig, true, false), "no sign of life");
    cr_assert_not_null(answer_of_b(rig, true, true));
    for (uint32_t i = 0; i < rig->sent_count; i++) {
        cr_assert_eq(rig->sent[i].echo, (uint32_t)rig->numbers['A']);
        cr_assert_not(rig->sent[i].message.heartbeat.asks);
    }
    rig_free(rig);
}

/* How many heartbeats the coordinator gets of B in two intervals that begin with an answer. */
static uint32_t heartbeats_after_an_answer(struct rig *rig)
{
    uint32_t count = 0;

    cr_assert_not_null(answer_of_b(rig, true, true));
    for (uint64_t ms = 0; ms < rig->timing.heartbeat_ms; ms++) {
        rig_pass(rig, 1, "");
        count += rig_told(rig, MESSAGE_HEARTBEAT, 'A') != NULL;
    }
    return count;
}

/* D8e: an answer was a heartbeat. But what is said of somebody must not wait. */
Test(core_questions, whoever_has_answered_the_coordinator_sends_it_no_heartbeat_besides)
{
    struct rig *rig = rig_in("A B C D E", 'B');

    (void)next_round(rig, "A C D E");
    cr_assert_eq(heartbeats_after_an_answer(rig), 0);
    rig->core->peers[3].charge.verdict = VERDICT_STALLED;
    cr_assert_gt(heartbeats_after_an_answer(rig), 0);
    rig_free(rig);
}

/* D8e. H70: two rounds of one's own are over before anybody who gets one of them asks. */
Test(core_questions, rounds_are_spread_by_little)
{
    struct rig *rig = rig_in("A B C D E", 'A');
    const uint64_t round_ms = timing_round_ms(&rig->timing);
    uint64_t last_ms = 0;
    uint32_t rounds = 0;

    while (rounds < 200) {
        rig_pass(rig, 1, rig->now_ms % 100 == 0 ? "B C D E" : "");
        if (heard_a_heartbeat(rig, "B C D E") > 0) {
            const uint64_t apart_ms = rig->now_ms - last_ms;
            const bool is_first = rounds++ == 0;
            cr_assert(is_first || apart_ms <= round_ms * 51 / 50, "after %u ms",
                      (unsigned)apart_ms);
            cr_assert(is_first || apart_ms >= round_ms * 49 / 50, "after %u ms",
                      (unsigned)apart_ms);
            last_ms = rig->now_ms;
        }
    }
    cr_assert_leq(2 * timing_round_ms(&rig->timing) * 51 / 50, timing_missed_ms(&rig->timing));
    rig_free(rig);
}

/* D8e. H70: whoever is of the other half now would wait for three rounds. */
Test(core_questions, all_get_the_first_round_in_a_view)
{
    struct rig *rig = rig_in("A B C D E", 'B');
    struct message shown = {.type = MESSAGE_VIEW, .carrier = {.view = rig_next(rig, "-C")}};

    while (rig->core->rounds.half != WATCH_FIRST_HALF) {
        (void)next_round(rig, "C D E");
    }
    rig_gets(rig, 'A', &shown);
    cr_assert_eq(core_view(rig->core)->member_count, 4);
    cr_assert_eq(next_round(rig, "D E"), 2);
    rig_free(rig);
}

/* D8e: of two, each is the only one to hear it then. */
Test(core_questions, two_neighbours_get_every_round)
{
    struct rig *rig = rig_in("A B C", 'A');

    for (int round = 0; round < 4; round++) {
        cr_assert_eq(next_round(rig, "B C"), 2);
    }
    rig_free(rig);
}

/* D8a: whoever wants to know asks. */
Test(core_questions, a_heartbeat_does_not_tell_what_was_heard_of_its_receiver)
{
    struct rig *rig = rig_in("A B C D E", 'B');
    uint32_t heard[2] = {0};

    for (const char *at = "ACDE"; *at != '\0'; at++) {
        rig_hears(rig, *at);
    }
    for (uint64_t ms = 0; ms < 2 * rig->timing.heartbeat_ms; ms++) {
        rig_pass(rig, 1, "A C D E");
        for (uint32_t i = 0; i < rig->sent_count; i++) {
            const struct rig_sent *sent = &rig->sent[i];
            if (sent->message.type == MESSAGE_HEARTBEAT) {
                cr_assert_eq(sent->echo, 0, "%c", sent->to);
                heard[sent->to == 'A']++;
            }
        }
    }
    cr_assert_geq(heard[true], 1);
    cr_assert_geq(heard[false], 3);
    rig_gets(rig, 'C',
             &(struct message){
                 .type = MESSAGE_PING,
                 .ping = {.nonce = 7, .subject = rig_id(rig, 'B'), .origin = rig_id(rig, 'C')}});
    cr_assert_not_null(rig_told(rig, MESSAGE_PONG, 'C'));
    cr_assert_neq(rig->sent[0].echo, 0, "what is no heartbeat echoes as ever");
    rig_free(rig);
}

/* D2e: at rest a look at silences before anybody can be missing is worth nothing. */
Test(core_questions, who_is_heard_puts_off_the_next_look)
{
    enum { LATER_MS = 10 };
    struct rig *rig = rig_in("A B C", 'A');

    rig_hears(rig, 'B');
    const uint64_t look_ms = look_with_round_at(rig, rig->now_ms + rig->timing.stall_ms);
    cr_assert_eq(look_ms, rig->now_ms + timing_missed_ms(&rig->timing));
    rig_pass(rig, LATER_MS, "");
    rig_hears(rig, 'B');
    cr_assert_eq(rig->core->looking.next_ms, look_ms, "C is due yet");
    rig_hears(rig, 'C');
    cr_assert_eq(rig->core->looking.next_ms, look_ms + LATER_MS);
    rig_free(rig);
}

/* B, with a round due a little before it would look at A, hears D: does it look again for C's sake,
 * which was heard before A, or with that round? */
static bool looks_in_time(struct rig *rig)
{
    enum { LATER_MS = 300, BEFORE_MS = 10 };
    struct core *core = rig->core;

    rig_hears(rig, 'C');
    rig_hears(rig, 'E');
    const uint64_t in_time_ms = rig->now_ms + timing_missed_ms(&rig->timing);
    const uint64_t round_ms = in_time_ms + LATER_MS - BEFORE_MS;
    rig_pass(rig, LATER_MS, "");
    rig_hears(rig, 'A');
    core->rounds.next_ms = round_ms;
    core->looking.next_ms = rig->now_ms;
    rig_hears(rig, 'D');
    cr_assert(core->looking.next_ms == in_time_ms || core->looking.next_ms == round_ms);
    return core->looking.next_ms == in_time_ms;
}

/* D2i. H2: one wake-up less in each interval; whoever judges asks in time. */
Test(core_questions, of_five_a_member_looks_at_all_but_the_coordinator_with_its_rounds)
{
    struct rig *rig = rig_in("A B C D E", 'B');

    cr_assert_not(looks_in_time(rig));
    rig_free(rig);
}

/* D2i: A itself is looked at in time. */
Test(core_questions, the_coordinator_is_looked_at_in_time)
{
    struct rig *rig = rig_in("A B C D E", 'B');
    struct core *core = rig->core;

    for (const char *at = "ACDE"; *at != '\0'; at++) {
        rig_hears(rig, *at);
    }
    core->rounds.next_ms = rig->now_ms + 2 * timing_missed_ms(&rig->timing);
    core->looking.next_ms = rig->now_ms;
    rig_hears(rig, 'C');
    cr_assert_eq(core->looking.next_ms, rig->now_ms + timing_missed_ms(&rig->timing));
    rig_free(rig);
}

/* D2i. H7: where heartbeats are lost a question in time is what keeps a silence short. */
Test(core_questions, who_had_to_ask_lately_looks_in_time)
{
    struct rig *rig = rig_in("A B C D E", 'B');

    rig_hears(rig, 'C');
    cr_assert_gt(questions_to(rig, 'C', 2 * timing_missed_ms(&rig->timing), "A D E"), 0);
    cr_assert(looks_in_time(rig));
    rig_pass(rig, 60 * rig->timing.heartbeat_ms, "A C D E");
    cr_assert(looks_in_time(rig));
    rig_pass(rig, 4 * rig->timing.heartbeat_ms, "A C D E");
    cr_assert_not(looks_in_time(rig));
    rig_free(rig);
}

/* D2i. H8: its word is about to count. */
Test(core_questions, whom_the_coordinator_asks_about_is_looked_at_in_time)
{
    struct rig *rig = rig_in("A B C D E", 'B');

    rig_gets(rig, 'A',
             &(struct message){
                 .type = MESSAGE_PING,
                 .ping = {.nonce = 7, .subject = rig_id(rig, 'C'), .origin = rig_id(rig, 'A')}});
    cr_assert(looks_in_time(rig));
    rig_pass(rig, rig->timing.lost_ms, "A C D E");
    cr_assert_not(looks_in_time(rig));
    rig_free(rig);
}

/* D2i. H71: what it holds of that one is about to count; and so is what others who watch it hold.
 */
Test(core_questions, a_neighbour_that_others_doubt_is_looked_at_in_time)
{
    struct rig *rig = rig_on_rings("A B C D E", 'B');

    rig_accuses(rig, 'D', 3, VERDICT_NONE);
    cr_assert(looks_in_time(rig));
    rig_pass(rig, rig->timing.lost_ms, "A C D E");
    cr_assert_not(looks_in_time(rig));
    rig_free(rig);
}

/* D2i: who was told of it goes on looking in time, and is not made to look by each who tells it. */
Test(core_questions, a_doubt_that_is_told_again_costs_no_further_look)
{
    struct rig *rig = rig_on_rings("A B C D E", 'B');
    struct core *core = rig->core;

    for (const char *at = "ACDE"; *at != '\0'; at++) {
        rig_hears(rig, *at);
    }
    rig_accuses(rig, 'D', 3, VERDICT_NONE);
    cr_assert_eq(core->peers[2].watch.until_ms, rig->now_ms + rig->timing.lost_ms);
    rig_pass(rig, timing_question_ms(&rig->timing), "");
    core->rounds.next_ms = rig->now_ms + 1; /* It looks with that, and puts off nothing before. */
    core->looking.next_ms = rig->now_ms + 2;
    rig_accuses(rig, 'E', 3, VERDICT_NONE);
    cr_assert(core->looking.heard, "nobody was looked at since E was heard");
    cr_assert_eq(core->looking.next_ms, rig->now_ms + 2);
    cr_assert_eq(core->peers[2].watch.until_ms, rig->now_ms + rig->timing.lost_ms);
    rig_free(rig);
}

/* D2i: however many there are. */
Test(core_questions, of_six_a_member_looks_with_its_rounds_too)
{
    struct rig *rig = rig_in("A B C D E F", 'B');

    rig_hears(rig, 'F');
    cr_assert_not(looks_in_time(rig));
    rig_free(rig);
}

static bool is_neighbour(const struct rig *rig, char letter)
{
    struct node_id id = rig_id(rig, letter);

    return watch_is_edge(rig->core, view_find(core_view(rig->core), &id));
}

static void check_named_with_the_second_question(struct rig *rig, uint32_t position)
{
    struct core *core = rig->core;

    core->now_ms = core->peers[position].signs.silent_from_ms + rig->timing.silent_ms;
    cr_assert_not(rounds_is_named(core, position), "nobody has asked it yet");
    watch_asked(core, position);
    cr_assert_not(rounds_is_named(core, position));
    watch_asked(core, position);
    cr_assert(rounds_is_named(core, position));
    rig_free(rig);
}

/* D2i. H7: what was not asked about is no suspicion yet. */
Test(core_questions, nobody_is_named_before_two_questions_had_no_answer)
{
    check_named_with_the_second_question(rig_on_rings("A B C D E", 'B'), 2);
}

/* D9f. H7: nor among many. */
Test(core_questions, of_many_nobody_is_named_before_two_questions_had_no_answer)
{
    struct rig *rig = rig_on_rings("M N O P A B C D L Q R S X Y W", 'W');

    cr_assert(is_neighbour(rig, 'Y'));
    check_named_with_the_second_question(rig, core_view(rig->core)->member_count - 2);
}

/* D2h: no sooner than they have to. */
Test(core_questions, a_removals_questions_wait)
{
    struct rig *rig = rig_in("A B C D E F", 'A');
    const struct timing *timing = &rig->timing;

    rig_pass(rig, timing->lost_ms - timing->verify_ms - 1, "B D E F");
    cr_assert_null(rig_request(rig, 'B'));
    rig_pass(rig, 1, "B D E F");
    cr_assert_not_null(rig_request(rig, 'B'));
    rig_free(rig);
}

/* D2h. H2, H8: R1 has been gone through when the silence is a verdict. */
Test(core_questions, the_questions_of_a_removal_are_put_before_the_verdict)
{
    struct rig *rig = rig_in("A B C D", 'A');
    const struct timing *timing = &rig->timing;

    rig_pass(rig, timing->lost_ms - 1, "B D");
    cr_assert_eq(rig_verdict(rig, 'C'), VERDICT_NONE);
    cr_assert_not_null(rig_request(rig, 'B'));
    rig_pass(rig, timing_question_ms(timing), "B D");
    cr_assert_eq(rig_verdict(rig, 'C'), VERDICT_LOST);
    rig_accuses(rig, 'B', 3, VERDICT_LOST);
    rig_accuses(rig, 'D', 3, VERDICT_LOST);
    rig_pass(rig, timing->batch_ms, "");
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'B'));
    rig_free(rig);
}

/* C is lost to A, whose questions had no answer; what others hold is still to be told. */
static struct rig *with_a_lost_member(const char *letters, const char *alive)
{
    struct rig *rig = rig_in(letters, 'A');

    rig_pass(rig, rig->timing.lost_ms - 1, alive);
    rig_pass(rig, timing_question_ms(&rig->timing), alive);
    cr_assert_eq(rig_verdict(rig, 'C'), VERDICT_LOST);
    return rig;
}

/* J5b */
Test(core_questions, who_is_lost_alone_goes_at_once)
{
    struct rig *rig = with_a_lost_member("A B C D", "B D");

    rig_accuses(rig, 'B', 3, VERDICT_LOST);
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'B'));
    rig_accuses(rig, 'D', 3, VERDICT_LOST);
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'B'));
    rig_free(rig);
}

/* J5b: others may be dying with it. */
Test(core_questions, who_is_lost_goes_with_the_dead)
{
    struct rig *rig = with_a_lost_member("A B C D E", "B D E");
    const struct suspicion both[] = {{.age = 2, .verdict = VERDICT_DEAD},
                                     {.age = 3, .verdict = VERDICT_LOST}};

    rig_accuses(rig, 'E', 3, VERDICT_LOST);
    rig_kill(rig, 'B');
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'D'));
    rig_names(rig, 'D', both, 2);
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'D'));
    rig_pass(rig, rig->timing.batch_ms / 16, "");
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'D');
    cr_assert_not_null(prepare);
    cr_assert_eq(prepare->carrier.view->member_count, 3);
    rig_free(rig);
}

/* J5b, H30 */
Test(core_questions, who_is_lost_does_not_cut_short_the_time_of_the_dead)
{
    struct rig *rig = with_a_lost_member("A B C D E", "B D E");

    rig->core->timing.batch_ms = 160;
    rig_accuses(rig, 'E', 2, VERDICT_DEAD);
    rig_kill(rig, 'B');
    rig_accuses(rig, 'E', 3, VERDICT_LOST);
    rig_accuses(rig, 'D', 3, VERDICT_LOST);
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'D'));
    rig_pass(rig, rig->core->timing.batch_ms / 16, "");
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'D'));
    rig_free(rig);
}

/* D2f. H2: D heard it later, and has not found it lost yet; in the end it is not waited for. */
Test(core_questions, who_has_not_found_it_lost_yet_is_waited_for)
{
    struct rig *rig = rig_in("A B C D", 'A');
    const struct timing *timing = &rig->timing;
    bool removed = false;

    rig_pass(rig, timing->lost_ms + timing_question_ms(timing), "B D");
    rig_accuses(rig, 'B', 3, VERDICT_LOST);
    rig_accuses(rig, 'D', 3, VERDICT_NONE);
    rig_pass(rig, 100, "");
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'B'));
    for (uint64_t ms = 0; ms < timing_round_ms(timing) + timing->batch_ms && !removed; ms += 10) {
        rig_accuses(rig, 'B', 3, VERDICT_LOST);
        rig_accuses(rig, 'D', 3, VERDICT_NONE);
        rig_pass(rig, 10, "");
        removed = rig_told(rig, MESSAGE_PREPARE, 'B') != NULL;
    }
    cr_assert(removed);
    rig_free(rig);
}

/* D2h. H8: by whoever hears it, and is asked to look, the coordinator is told so. */
Test(core_questions, who_is_asked_to_look_says_what_it_holds)
{
    struct rig *rig = rig_in("A B C D", 'B');
    const struct message request = {
        .type = MESSAGE_PING,
        .ping = {.nonce = 7, .subject = rig_id(rig, 'C'), .origin = rig_id(rig, 'D')}};

    rig_gets(rig, 'D', &request);
    cr_assert_not_null(rig_told(rig, MESSAGE_PING, 'C'));
    cr_assert_not_null(rig_told(rig, MESSAGE_HEARTBEAT, 'D'));
    rig_free(rig);
}

/* R1a. H74: it would ask itself, and hold a connection to itself for as long as it looks closely.
 */
Test(core_questions, who_is_asked_about_itself_answers)
{
    struct rig *rig = rig_on_rings("A B C D E F G H", 'A');
    const struct message request = {
        .type = MESSAGE_PING,
        .ping = {.nonce = 7, .subject = rig_id(rig, 'A'), .origin = rig_id(rig, 'B')}};

    rig_gets(rig, 'B', &request);
    cr_assert_not_null(rig_told(rig, MESSAGE_PONG, 'B'));
    cr_assert_null(rig_told(rig, MESSAGE_PING, 'A'));
    rig_free(rig);
}

/* D2f. H7: the coordinator is not replaced while somebody has not found it lost yet. */
Test(core_questions, who_has_not_found_the_coordinator_lost_yet_holds_up_a_claim)
{
    struct rig *rig = rig_in("A B C D", 'B');
    const struct timing *timing = &rig->timing;

    rig_pass(rig, timing->lost_ms - 1, "C D");
    rig_accuses(rig, 'C', 1, VERDICT_NONE);
    rig_accuses(rig, 'D', 1, VERDICT_NONE);
    rig_pass(rig, 1 + timing_question_ms(timing), "");
    cr_assert_eq(rig_verdict(rig, 'A'), VERDICT_LOST);
    cr_assert_null(rig_told(rig, MESSAGE_CLAIM, 'C'));
    rig_accuses(rig, 'C', 1, VERDICT_LOST);
    rig_accuses(rig, 'D', 1, VERDICT_LOST);
    cr_assert_not_null(rig_told(rig, MESSAGE_CLAIM, 'C'));
    rig_free(rig);
}

/* D2h. H8: who is no neighbour of this node, and judges, hears what this node holds; not one that
 * tells of nobody, and not each time. */
Test(core_questions, who_is_no_neighbour_and_tells_a_doubt_is_answered)
{
    struct rig *rig = rig_on_rings("M N O P A B C D L Q R S X Y W", 'W');

    rig_pass(rig, rig->timing.stall_ms, "A B C D L M N O P Q R S X Y");
    cr_assert_not(is_neighbour(rig, 'P'));
    rig_accuses(rig, 'P', 2, VERDICT_NONE);
    cr_assert_not(watch_is_on(rig->core, 1), "it need not judge");
    cr_assert_not_null(rig_told(rig, MESSAGE_HEARTBEAT, 'P'));
    rig_accuses(rig, 'P', 2, VERDICT_NONE);
    cr_assert_null(rig_told(rig, MESSAGE_HEARTBEAT, 'P'));
    rig_pass(rig, timing_repair_ms(&rig->timing), "");
    rig_hears(rig, 'P');
    cr_assert_null(rig_told(rig, MESSAGE_HEARTBEAT, 'P'));
    rig_free(rig);
}

/* W, whose neighbours are A, B, X and Y, misses Y until it tells of that in this step. */
static void misses_y(struct rig *rig)
{
    const uint32_t y = core_view(rig->core)->member_count - 2;

    rig_hears(rig, 'Y');
    for (int turn = 0; !rig->core->peers[y].watch.reported; turn++) {
        cr_assert_lt(turn, 2000);
        rig_pass(rig, 1, "A B X");
    }
}

static bool watches_y(const struct rig *rig, uint32_t position)
{
    return watch_sees(rig->core, position, core_view(rig->core)->member_count - 2);
}

/* D9d. H71: those who heard it half an interval later may put off their looks at it by as much. */
Test(core_questions, the_others_who_watch_it_are_told_of_a_silence)
{
    struct rig *rig = rig_on_rings("M N O P A B C D L Q R S X Y W", 'W');
    uint32_t others = 0;

    misses_y(rig);
    for (uint32_t i = 0; i < core_view(rig->core)->member_count - 2; i++) {
        const char letter = core_view(rig->core)->members[i].name[0];
        const bool told = rig_told(rig, MESSAGE_HEARTBEAT, letter) != NULL;
        others += watches_y(rig, i) && !is_neighbour(rig, letter);
        cr_assert_eq(told, letter == 'M' || is_neighbour(rig, letter) || watches_y(rig, i), "%c",
                     letter);
    }
    cr_assert_gt(others, 0);
    rig_free(rig);
}

/* How many who watch Y and are no neighbours of W got a heartbeat in this step. */
static uint32_t others_told_of_y(const struct rig *rig)
{
    uint32_t count = 0;

    for (uint32_t i = 1; i < core_view(rig->core)->member_count - 2; i++) {
        const char letter = core_view(rig->core)->members[i].name[0];
        count += rig_told(rig, MESSAGE_HEARTBEAT, letter) != NULL && watches_y(rig, i) &&
                 !is_neighbour(rig, letter);
    }
    return count;
}

/* D9d: once, until it was heard again. */
Test(core_questions, the_others_who_watch_it_are_told_once)
{
    struct rig *rig = rig_on_rings("M N O P A B C D L Q R S X Y W", 'W');

    misses_y(rig);
    for (uint64_t ms = 0; ms < rig->timing.heartbeat_ms; ms++) {
        rig_pass(rig, 1, "A B X");
        cr_assert_eq(others_told_of_y(rig), 0);
    }
    misses_y(rig);
    cr_assert_gt(others_told_of_y(rig), 0);
    rig_free(rig);
}

/* D9d, D9j. H63: a death is certain, so the coordinator alone has to know, whatever else is told.
 */
Test(core_questions, the_others_who_watch_it_are_not_told_of_a_death)
{
    struct rig *rig = rig_on_rings("M N O P A B C D L Q R S X Y W", 'W');

    rig_hears(rig, 'Y');
    rig_kill(rig, 'Y');
    watch_tell(rig->core, 0);
    while (watch_tell_at_ms(rig->core) != NEVER_MS) {
        rig_pass(rig, 1, "");
        cr_assert_eq(others_told_of_y(rig), 0);
    }
    cr_assert_not_null(rig_told(rig, MESSAGE_HEARTBEAT, 'A'));
    rig_free(rig);
}

/* D9c, D2i: it is named soon, and asked before. */
Test(core_questions, a_new_neighbour_is_looked_at_in_time)
{
    struct rig *rig = rig_on_rings("A B C D E", 'B');

    rig->core->peers[4].watch.unheard_since_turn = true;
    for (const char *at = "ACD"; *at != '\0'; at++) {
        rig_hears(rig, *at);
    }
    rig->core->peers[4].watch.begun_ms = rig->now_ms;
    rig->core->rounds.next_ms = rig->now_ms + timing_round_ms(&rig->timing);
    rig->core->looking.next_ms = rig->now_ms;
    rig_hears(rig, 'C');
    cr_assert_eq(rig->core->looking.next_ms, rig->now_ms + timing_question_ms(&rig->timing));
    rig_free(rig);
}

/* D9d, D4: who was late names nobody yet, so those who watch it are told later. */
Test(core_questions, the_others_who_watch_it_are_told_when_it_may_be_named)
{
    struct rig *rig = rig_on_rings("M N O P A B C D L Q R S X Y W", 'W');
    const uint32_t y = core_view(rig->core)->member_count - 2;

    rig_hears(rig, 'Y');
    rig->core->detector.late_until_ms = rig->now_ms + rig->timing.stall_ms;
    rig_pass(rig, rig->timing.lost_ms, "A B X");
    watch_tell(rig->core, y);
    rig_pass(rig, timing_question_ms(&rig->timing), "A B X");
    cr_assert_eq(watch_tell_at_ms(rig->core), NEVER_MS, "all was reported");
    cr_assert(watch_is_untold(rig->core, y));
    rig->core->detector.late_until_ms = rig->now_ms;
    watch_tell(rig->core, y);
    rig_pass(rig, timing_question_ms(&rig->timing), "A B X");
    cr_assert_not(watch_is_untold(rig->core, y));
    rig_free(rig);
}

/* D9d, D2i: everybody looks at the coordinator in time. */
Test(core_questions, the_others_who_watch_the_coordinator_are_not_told)
{
    struct rig *rig = rig_on_rings("M W N O P A B C D L Q R S X Y", 'W');

    cr_assert(is_neighbour(rig, 'M'));
    rig_hears(rig, 'M');
    watch_tell(rig->core, 0);
    cr_assert_not(watch_is_untold(rig->core, 0));
    rig_free(rig);
}
