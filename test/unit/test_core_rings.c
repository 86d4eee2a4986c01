/* Watch rings: of whom a node knows nothing, and what it does when it has to know (D9). */
#include <criterion/criterion.h>

#include "core/detection/hearing.h"
#include "core/detection/watch.h"
#include "core/state/state.h"
#include "rig.h"

/* By age. By its id this node, W, stands between Y and A on both rings, so that these, X and B are
 * its neighbours, and none of the oldest. */
#define OTHERS "M N O P A B C D L Q R S X Y"

static uint32_t position_of(const struct rig *rig, char letter)
{
    struct node_id id = rig_id(rig, letter);

    return view_find(core_view(rig->core), &id);
}

static bool watches(const struct rig *rig, char letter)
{
    return watch_is_on(rig->core, position_of(rig, letter));
}

/* The letters of those who are neighbours, as rig_pass takes them. */
static const char *neighbours(const struct rig *rig, char text[64])
{
    const struct view *view = core_view(rig->core);
    size_t length = 0;

    for (uint32_t i = 0; i < view->member_count; i++) {
        if (i != rig->core->position && watch_is_edge(rig->core, i)) {
            text[length++] = view->members[i].name[0];
        }
    }
    text[length] = '\0';
    return text;
}

/* Long enough that nobody whom it does not watch is fresh by what it heard of it once. */
static void neighbours_alone_are_heard(struct rig *rig)
{
    char text[64];

    rig_pass(rig, 2 * rig->timing.stall_ms, neighbours(rig, text));
}

/* W does not watch the coordinator, nor those next to it, and has heard nothing of them for long.
 */
static struct rig *far_from_the_oldest_of(const char *members)
{
    struct rig *rig = rig_on_rings(members, 'W');

    neighbours_alone_are_heard(rig);
    cr_assert_not(watches(rig, 'M'));
    cr_assert_not(watches(rig, 'N'));
    cr_assert_not(watches(rig, 'O'));
    return rig;
}

static struct rig *far_from_the_coordinator(void)
{
    return far_from_the_oldest_of(OTHERS " W");
}

/* All its neighbours are younger than C. */
static struct rig *far_from_the_older(void)
{
    return far_from_the_oldest_of("M N O P C D L Q R S A B X Y W");
}

/* Those whom it watches, as watch_at tells them, and by looking at each member. */
static void check_list(const struct rig *rig)
{
    uint32_t listed = 0;

    for (uint32_t i = 0; i < core_view(rig->core)->member_count; i++) {
        bool found = false;
        for (uint32_t k = 0; k < watch_count(rig->core); k++) {
            cr_assert(k == 0 || watch_at(rig->core, k - 1) < watch_at(rig->core, k));
            found = found || watch_at(rig->core, k) == i;
        }
        listed += found;
        if (i != rig->core->position && watch_is_on(rig->core, i)) {
            cr_assert(found, "%u is watched, and not listed", i);
        }
    }
    cr_assert_eq(listed, watch_count(rig->core));
}

/* While views turn the rings, and the coordinator and those next to it are asked for a while. */
Test(core_rings, who_is_watched_is_listed)
{
    struct rig *rig = rig_on_rings(OTHERS " W", 'W');
    struct message shown = {.type = MESSAGE_VIEW};
    char text[64];

    check_list(rig);
    for (const char *change = "PXAJQ"; *change != '\0'; change++) {
        const char changes[] = {*change == 'J' ? '+' : '-', *change, '\0'};
        shown.carrier.view = rig_next(rig, changes);
        rig_gets(rig, 'M', &shown);
        check_list(rig);
        watch_want_older(rig->core, VIEW_NONE);
        rig_pass(rig, 10, neighbours(rig, text));
        cr_assert_gt(watch_count(rig->core), 10);
        check_list(rig);
    }
    rig_hears(rig, 'M'); /* Or it would not be given up. */
    rig_pass(rig, rig->timing.stall_ms, "M N O B C D L R S Y J");
    check_list(rig);
    cr_assert_lt(watch_count(rig->core), 8);
    rig_free(rig);
}

/* --- Nothing is concluded from the silence of one that is not watched (D9g) --- */

/* H65 */
Test(core_rings, nobody_who_is_not_watched_is_named)
{
    struct rig *rig = far_from_the_coordinator();
    char text[64];

    cr_assert_eq(rig->noticed[NOTICE_SUSPECT], 0);
    cr_assert(hearing_is_heard(rig->core, position_of(rig, 'M')));
    rig_pass(rig, 2 * rig->timing.heartbeat_ms, neighbours(rig, text));
    cr_assert_gt(rig_count(rig, MESSAGE_HEARTBEAT), 0);
    for (uint32_t i = 0; i < rig->sent_count; i++) {
        if (rig->sent[i].message.type == MESSAGE_HEARTBEAT) {
            cr_assert_eq(rig->sent[i].message.heartbeat.suspect_count, 0);
        }
    }
    rig_free(rig);
}

/* The view that follows when A is out. */
static struct view *without_the_coordinator(struct rig *rig)
{
    struct view *view = rig_next(rig, "-M");

    view->epoch++;
    view_seal(view);
    return view;
}

/* What is not followed at first, as the coordinator may live, is when it does not answer. */
static void check_that_the_coordinator_is_asked(struct rig *rig, char from, enum message_type type,
                                                struct view *view)
{
    const struct message message = {.type = type,
                                    .carrier = {.view = view, .epoch = view->epoch + 1}};
    const uint64_t ours = core_view(rig->core)->hash;
    char text[64];

    rig_gets(rig, from, &message);
    cr_assert_eq(rig_count(rig, MESSAGE_ACK), 0);
    cr_assert_eq(core_view(rig->core)->hash, ours);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    cr_assert_not_null(rig_told(rig, MESSAGE_PING, 'M'));
    rig_pass(rig, rig->timing.verify_ms, neighbours(rig, text));
    rig_gets(rig, from, &message);
}

/* H65, V4 */
Test(core_rings, a_fellows_view_counts_when_the_coordinator_was_asked)
{
    struct rig *rig = far_from_the_coordinator();
    struct view *view = without_the_coordinator(rig);

    check_that_the_coordinator_is_asked(rig, 'Y', MESSAGE_VIEW, view);
    cr_assert_eq(core_view(rig->core)->hash, view->hash);
    rig_free(rig);
}

/* H65, V4, U2 */
Test(core_rings, a_fellows_proposal_counts_when_the_coordinator_was_asked)
{
    struct rig *rig = far_from_the_coordinator();

    check_that_the_coordinator_is_asked(rig, 'N', MESSAGE_PREPARE, without_the_coordinator(rig));
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'N'));
    rig_free(rig);
}

/* H65, V4, L1 */
Test(core_rings, a_fellows_word_that_it_is_out_counts_when_the_coordinator_was_asked)
{
    struct rig *rig = far_from_the_coordinator();
    struct view *view = rig_next(rig, "-M -W");

    view->epoch++;
    view_seal(view);
    check_that_the_coordinator_is_asked(rig, 'Y', MESSAGE_VIEW, view);
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    rig_free(rig);
}

/* H65, H7, C2b */
Test(core_rings, a_claim_is_granted_when_those_who_are_older_were_asked)
{
    struct rig *rig = far_from_the_coordinator();
    struct view *view = rig_view(rig, OTHERS " W");
    const struct message claim = rig_claim(view, 2);
    char text[64];

    rig_gets(rig, 'O', &claim);
    cr_assert_null(rig_granted(rig, 'O'));
    cr_assert_not_null(rig_refused(rig, 'O'));
    cr_assert_not_null(rig_told(rig, MESSAGE_PING, 'M'));
    cr_assert_not_null(rig_told(rig, MESSAGE_PING, 'N'));
    rig_pass(rig, rig->timing.verify_ms, neighbours(rig, text));
    cr_assert_not_null(rig_granted(rig, 'O'));
    rig_free(rig);
}

Test(core_rings, a_claim_is_not_granted_when_one_who_is_older_answers)
{
    struct rig *rig = far_from_the_coordinator();
    struct view *view = rig_view(rig, OTHERS " W");
    const struct message claim = rig_claim(view, 2);
    char text[64];

    rig_gets(rig, 'O', &claim);
    rig_hears(rig, 'N');
    rig_pass(rig, rig->timing.verify_ms, neighbours(rig, text));
    cr_assert_null(rig_granted(rig, 'O'));
    rig_free(rig);
}

/* Who tells of a higher view under another coordinator. */
Test(core_rings, the_coordinator_is_asked_when_others_follow_another)
{
    struct rig *rig = far_from_the_coordinator();
    const struct view *view = without_the_coordinator(rig);

    rig_gets(rig, 'Y',
             &(struct message){.type = MESSAGE_HEARTBEAT,
                               .heartbeat = {.view = view_id_of(view), .view_hash = view->hash}});
    cr_assert_not_null(rig_told(rig, MESSAGE_PING, 'M'));
    rig_free(rig);
}

static bool names(const struct rig *rig, const struct heartbeat *heartbeat, char letter)
{
    const uint64_t age = core_view(rig->core)->members[position_of(rig, letter)].age;

    for (uint8_t i = 0; i < heartbeat->suspect_count; i++) {
        if (heartbeat->suspects[i].age == age) {
            return true;
        }
    }
    return false;
}

/* A heartbeat that names as many as one can; NULL if there was none. */
static const struct message *full_list(const struct rig *rig)
{
    for (uint32_t i = 0; i < rig->sent_count; i++) {
        const struct message *message = &rig->sent[i].message;
        if (message->type == MESSAGE_HEARTBEAT &&
            message->heartbeat.suspect_count == SUSPECTS_MAX) {
            return message;
        }
    }
    return NULL;
}

/* D9i, H63: it leads a part that is cut off, has to be without all who are older, and is one of the
 * few who can see its neighbours. */
Test(core_rings, neighbours_are_named_before_all_others)
{
    struct rig *rig = rig_on_rings("M N O P C D E F G H I J K L Q R S T A B X Y W", 'W');
    const struct message *told = NULL;
    char text[64];

    for (uint32_t turn = 0; told == NULL; turn++) {
        cr_assert_lt(turn, 200);
        rig_pass(rig, 10, "");
        told = full_list(rig);
    }
    cr_assert_gt(strlen(neighbours(rig, text)), 2);
    for (const char *letter = text; *letter != '\0'; letter++) {
        cr_expect(names(rig, &told->heartbeat, *letter), "%c", *letter);
    }
    cr_expect(names(rig, &told->heartbeat, 'M'));
    rig_free(rig);
}

/* --- The rings turn (D9c) --- */

/* H64: it may not know of the view yet. Z comes between Y and this node, so X is a neighbour no
 * more. */
Test(core_rings, a_former_neighbour_is_watched_for_two_heartbeats)
{
    struct rig *rig = far_from_the_coordinator();
    char text[64];

    rig_gets(rig, 'M',
             &(struct message){.type = MESSAGE_VIEW, .carrier.view = rig_next(rig, "+Z")});
    cr_assert_not(watch_is_edge(rig->core, position_of(rig, 'X')));
    rig_pass(rig, rig->timing.heartbeat_ms, neighbours(rig, text));
    cr_assert_not_null(rig_told(rig, MESSAGE_HEARTBEAT, 'X'));
    rig_hears(rig, 'X');
    rig_pass(rig, rig->timing.heartbeat_ms * 3 / 2, neighbours(rig, text));
    rig_pass(rig, rig->timing.heartbeat_ms * 3 / 2, neighbours(rig, text));
    cr_assert_null(rig_told(rig, MESSAGE_HEARTBEAT, 'X'));
    rig_free(rig);
}

/* D9g, D2b: its lifeline may be there yet, for a while. */
Test(core_rings, a_refused_lifeline_of_one_that_is_not_watched_is_no_death)
{
    struct rig *rig = far_from_the_coordinator();
    char text[64];

    rig_links(rig, 'X', LINK_OPENED);
    rig_gets(rig, 'M',
             &(struct message){.type = MESSAGE_VIEW, .carrier.view = rig_next(rig, "+Z")});
    rig_pass(rig, rig->timing.heartbeat_ms, neighbours(rig, text));
    rig_hears(rig, 'X');
    rig_pass(rig, rig->timing.heartbeat_ms * 3 / 2, neighbours(rig, text));
    rig_pass(rig, rig->timing.heartbeat_ms * 3 / 2, neighbours(rig, text));
    cr_assert_not(watches(rig, 'X'));
    rig_links(rig, 'X', LINK_CLOSED);
    rig_links(rig, 'X', LINK_REFUSED);
    cr_assert_eq(core_peer(rig->core, position_of(rig, 'X'), rig->now_ms).verdict, VERDICT_NONE);
    rig_free(rig);
}

/* --- What others tell (D9e, D9f) --- */

static void tells_of(struct rig *rig, char from, char subject, enum verdict verdict)
{
    rig_accuses(rig, from, core_view(rig->core)->members[position_of(rig, subject)].age, verdict);
}

/* H5, D2b, D9f: no closing of a lifeline of its own stands behind the refusal. */
Test(core_rings, who_is_told_of_a_death_goes_by_a_refusal)
{
    struct rig *rig = far_from_the_coordinator();

    rig_hears(rig, 'M'); /* Or its silence alone would do. */
    tells_of(rig, 'Y', 'M', VERDICT_DEAD);
    rig_links(rig, 'M', LINK_REFUSED);
    cr_assert_eq(core_peer(rig->core, 0, rig->now_ms).verdict, VERDICT_DEAD);
    rig_free(rig);
}

/* H63, D9f: nobody told of this death, for all who watched it are dead, too. */
Test(core_rings, who_is_no_neighbour_is_dead_when_it_is_refused)
{
    struct rig *rig = rig_on_rings("W " OTHERS, 'W');
    char text[64];

    rig_pass(rig, 2 * rig->timing.stall_ms, neighbours(rig, text));
    cr_assert_not(watches(rig, 'Q'));
    rig_kill(rig, 'X');
    rig_kill(rig, 'Y');
    rig_links(rig, 'Q', LINK_REFUSED);
    cr_assert_eq(core_peer(rig->core, position_of(rig, 'Q'), rig->now_ms).verdict, VERDICT_DEAD);
    rig_free(rig);
}

/* --- A death is the coordinator's (D9j) --- */

/* H63: and of the one who may know better. It is asked later, for the question might overtake that.
 */
Test(core_rings, a_death_is_told_to_the_coordinator_alone)
{
    struct rig *rig = far_from_the_coordinator();

    rig_kill(rig, 'Y');
    const struct message *told = rig_told(rig, MESSAGE_HEARTBEAT, 'M');
    cr_assert_not_null(told);
    cr_assert_eq(told->heartbeat.suspect_count, 1);
    cr_assert_eq(told->heartbeat.suspects[0].verdict, VERDICT_DEAD);
    cr_assert_not_null(rig_told(rig, MESSAGE_HEARTBEAT, 'Y'));
    cr_assert_eq(rig_count(rig, MESSAGE_HEARTBEAT), 2);
    cr_assert_eq(rig_count(rig, MESSAGE_PING), 0);
    cr_assert(watches(rig, 'M'));
    rig_free(rig);
}

/* H8, H65: whom a member does not name it hears only if it watches it, in the view that it holds.
 */
Test(core_rings, who_does_not_watch_a_member_says_nothing_of_it)
{
    struct rig *rig = far_from_the_coordinator();
    const struct view *view = core_view(rig->core);
    struct message silent_of_nobody = {
        .type = MESSAGE_HEARTBEAT,
        .heartbeat = {.view = view_id_of(view), .view_hash = view->hash}};
    const uint32_t observer = position_of(rig, 'X');
    uint32_t seen = 0;

    rig_gets(rig, 'X', &silent_of_nobody);
    for (uint32_t i = 0; i < view->member_count; i++) {
        bool sees = i == observer || watch_sees(rig->core, observer, i);
        seen += sees;
        cr_expect_eq(hearing_of(rig->core, observer, i, rig->now_ms),
                     sees ? HEARING_YES : HEARING_UNKNOWN, "%s", view->members[i].name);
    }
    cr_assert_gt(seen, 1);
    cr_assert_lt(seen, view->member_count);
    silent_of_nobody.heartbeat.view.version--;
    rig_gets(rig, 'X', &silent_of_nobody);
    for (uint32_t i = 0; i < view->member_count; i++) {
        cr_expect_eq(hearing_of(rig->core, observer, i, rig->now_ms),
                     i == observer ? HEARING_YES : HEARING_UNKNOWN, "%s", view->members[i].name);
    }
    rig_free(rig);
}

/* H65, C1b: in a view that was installed just now nobody has said yet whom it hears. */
Test(core_rings, what_was_said_in_the_view_before_keeps_a_claim_from_being_begun)
{
    const char *heard = "N O P A B C D L Q R S X Y";
    struct rig *rig = rig_on_rings("M W N O P A B C D L Q R S X Y", 'W');
    struct message shown = {.type = MESSAGE_VIEW};
    uint32_t claims = 0;

    rig_pass(rig, 2 * rig->timing.lost_ms, heard);
    cr_assert_neq(core_peer(rig->core, 0, rig->now_ms).verdict, VERDICT_NONE);
    cr_assert_eq(rig_count(rig, MESSAGE_CLAIM), 0);
    shown.carrier.view = rig_next(rig, "-Y");
    rig_gets(rig, 'X', &shown);
    cr_assert_eq(core_view(rig->core)->member_count, 14);
    cr_assert_eq(rig_count(rig, MESSAGE_CLAIM), 0);
    for (const char *letter = "NOPABCDLQRSX"; *letter != '\0'; letter++) {
        tells_of(rig, *letter, 'M', VERDICT_LOST);
        claims += rig_count(rig, MESSAGE_CLAIM);
    }
    cr_assert_gt(claims, 0);
    rig_free(rig);
}

/* H63: it is to judge, and nothing is held against that one yet. */
Test(core_rings, a_silence_is_told_to_the_coordinator)
{
    struct rig *rig = far_from_the_coordinator();
    char heard[64];

    neighbours(rig, heard);
    *strchr(heard, 'Y') = heard[0];
    rig_pass(rig, (rig->timing.silent_ms + rig->timing.lost_ms) / 2, heard);
    struct peer_state accused = core_peer(rig->core, position_of(rig, 'Y'), rig->now_ms);
    cr_assert_eq(accused.verdict, VERDICT_NONE);
    const struct message *told = rig_told(rig, MESSAGE_HEARTBEAT, 'M');
    cr_assert_not_null(told);
    cr_assert(names(rig, &told->heartbeat, 'Y'));
    cr_assert(watches(rig, 'M'));
    rig_free(rig);
}

static uint32_t sent_to(const struct rig *rig, enum message_type type, char letter)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < rig->sent_count; i++) {
        count += rig->sent[i].message.type == type && rig->sent[i].to == letter;
    }
    return count;
}

/* H67, D9d: X is found silent a little later than Y. */
Test(core_rings, what_is_new_soon_after_is_told_a_question_later)
{
    struct rig *rig = far_from_the_coordinator();
    const uint64_t pause_ms = timing_question_ms(&rig->timing);
    uint64_t told_ms = 0;
    char heard[64];

    neighbours(rig, heard);
    tells_of(rig, 'A', 'X', VERDICT_NONE); /* So that it looks at both in time (D2i). */
    tells_of(rig, 'A', 'Y', VERDICT_NONE);
    *strchr(heard, 'Y') = 'M';
    rig_pass(rig, pause_ms / 2, heard);
    *strchr(heard, 'X') = 'M';
    for (uint32_t turn = 0; !rig->core->peers[position_of(rig, 'X')].watch.reported; turn++) {
        cr_assert_lt(turn, 2000);
        rig_pass(rig, 1, heard);
        if (sent_to(rig, MESSAGE_HEARTBEAT, 'Y') > 0) {
            told_ms = rig->now_ms;
        }
    }
    cr_assert_lt(rig->now_ms, told_ms + pause_ms);
    cr_assert_eq(sent_to(rig, MESSAGE_HEARTBEAT, 'X'), 0);
    cr_assert_eq(sent_to(rig, MESSAGE_HEARTBEAT, 'M'), 1); /* It is to judge. */
    while (sent_to(rig, MESSAGE_HEARTBEAT, 'X') == 0) {
        cr_assert_leq(rig->now_ms, told_ms + pause_ms);
        rig_pass(rig, 1, heard);
    }
    cr_assert_eq(rig->now_ms, told_ms + pause_ms);
    rig_free(rig);
}

/* H67, D9d */
Test(core_rings, news_of_the_coordinator_waits_for_nothing)
{
    struct rig *rig = far_from_the_coordinator();
    struct core *core = rig->core;

    watch_told(core);
    cr_assert_eq(watch_tell_at_ms(core), NEVER_MS);
    watch_tell(core, position_of(rig, 'Y'));
    cr_assert_eq(watch_tell_at_ms(core), core->now_ms + timing_question_ms(&rig->timing));
    watch_tell(core, 0);
    cr_assert_eq(watch_tell_at_ms(core), core->now_ms);
    rig_free(rig);
}

static uint32_t watched(const struct rig *rig)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < core_view(rig->core)->member_count; i++) {
        count += watch_is_on(rig->core, i);
    }
    return count;
}

/* D9h, H63: all who watched one more may have died with the one that is silent. */
Test(core_rings, a_coordinator_that_misses_a_neighbour_asks_everybody)
{
    struct rig *rig = rig_on_rings("W " OTHERS, 'W');
    const uint32_t others = core_view(rig->core)->member_count - 1;
    char heard[64];

    neighbours_alone_are_heard(rig);
    cr_assert_lt(watched(rig), others);
    neighbours(rig, heard);
    rig_pass(rig, rig->timing.silent_ms + timing_question_ms(&rig->timing), heard + 1);
    cr_assert_geq(watched(rig), others);
    rig_free(rig);
}

/* H63: its neighbours may all be dead, and then nobody tells it any more. */
Test(core_rings, who_accuses_watches_the_coordinator_until_the_accused_is_out)
{
    struct rig *rig = far_from_the_coordinator();
    char heard[64];

    neighbours(rig, heard);
    *strchr(heard, 'Y') = 'M';
    rig_kill(rig, 'Y');
    rig_pass(rig, 3 * rig->timing.lost_ms, heard);
    cr_assert(watches(rig, 'M'));
    rig_links(rig, 'Y', LINK_OPENED);
    rig_pass(rig, 3 * rig->timing.lost_ms, strcat(heard, "Y"));
    cr_assert_not(watches(rig, 'M'));
    rig_free(rig);
}

/* H4, H63: it is to follow that one, perhaps, once the coordinator is dead, too; and it is none of
 * the four whom it asks then in any case (D9h). */
Test(core_rings, who_is_told_of_a_death_asks_when_the_coordinator_is_dead)
{
    struct rig *rig = far_from_the_older();

    tells_of(rig, 'Y', 'C', VERDICT_DEAD);
    cr_assert_not(watches(rig, 'C'));
    tells_of(rig, 'A', 'M', VERDICT_DEAD);
    cr_assert(watches(rig, 'C'));
    rig_links(rig, 'C', LINK_REFUSED);
    cr_assert_eq(core_peer(rig->core, position_of(rig, 'C'), rig->now_ms).verdict, VERDICT_DEAD);
    rig_links(rig, 'M', LINK_REFUSED);
    cr_assert_gt(rig_count(rig, MESSAGE_HEARTBEAT), 2); /* This one is told to all. */
    rig_free(rig);
}

/* H67: while the coordinator is heard it sees to that one; and what was told meanwhile counts. */
Test(core_rings, who_is_told_of_a_silence_asks_when_the_coordinator_is_silent)
{
    struct rig *rig = far_from_the_older();

    tells_of(rig, 'Y', 'C', VERDICT_NONE);
    cr_assert_not(watches(rig, 'C'));
    tells_of(rig, 'A', 'M', VERDICT_NONE);
    cr_assert(watches(rig, 'C'));
    rig_pass(rig, rig->timing.heartbeat_ms, "A B X Y"); /* The four oldest are silent, too. */
    tells_of(rig, 'Y', 'L', VERDICT_LOST);
    cr_assert(watches(rig, 'L'));
    rig_free(rig);
}

/* H67: it would follow A, so A has to know of those who are younger, if anybody; until A is silent
 * itself. */
Test(core_rings, who_is_told_of_a_silence_leaves_it_to_the_oldest_that_is_heard)
{
    struct rig *rig = far_from_the_coordinator();

    tells_of(rig, 'A', 'M', VERDICT_NONE);
    cr_assert(watches(rig, 'M'));
    rig_pass(rig, rig->timing.heartbeat_ms, "A B X Y"); /* The four oldest are silent. */
    tells_of(rig, 'Y', 'C', VERDICT_LOST);
    cr_assert_not(watches(rig, 'C'));
    rig_pass(rig, rig->timing.lost_ms, "X Y");
    tells_of(rig, 'Y', 'C', VERDICT_LOST);
    cr_assert(watches(rig, 'C'));
    rig_free(rig);
}

static void tells_of_many(struct rig *rig, char from, const char *subjects)
{
    const struct view *view = core_view(rig->core);
    struct message told = {.type = MESSAGE_HEARTBEAT,
                           .heartbeat = {.view = view_id_of(view), .view_hash = view->hash}};

    for (const char *letter = subjects; *letter != '\0'; letter++) {
        told.heartbeat.suspects[told.heartbeat.suspect_count++] = (struct suspicion){
            .age = view->members[position_of(rig, *letter)].age, .verdict = VERDICT_LOST};
    }
    rig_gets(rig, from, &told);
}

/* H38, D9e: A has moved, so W is next, though A is heard. */
Test(core_rings, who_is_next_but_for_one_that_moved_asks_about_all_before_it)
{
    struct rig *rig = far_from_the_oldest_of("M N O P A C D L Q R S T U V B W X Y");
    const struct view *view = core_view(rig->core);
    struct message elsewhere = {.type = MESSAGE_HEARTBEAT};
    uint32_t claims = 0;

    elsewhere.heartbeat.view = view_id_of(view);
    elsewhere.heartbeat.view.lineage++;
    elsewhere.heartbeat.view.epoch += 5;
    elsewhere.heartbeat.view.coordinator = rig_id(rig, 'Z');
    for (uint32_t turn = 0; turn < 100 && claims == 0; turn++) {
        rig_gets(rig, 'A', &elsewhere);
        if (turn > 12) { /* It has moved for T_fresh. */
            tells_of_many(rig, 'X', "MNOPCDLQRSTUVB");
            tells_of_many(rig, 'Y', "MNOPCDLQRSTUVB");
        }
        rig_pass(rig, rig->timing.heartbeat_ms / 4, turn > 12 ? "" : "B X Y M");
        claims += rig_count(rig, MESSAGE_CLAIM);
    }
    cr_assert_gt(claims, 0);
    rig_free(rig);
}

/* H64, D9c: X is out, so somebody else becomes a neighbour, who has said nothing to this node yet.
 */
Test(core_rings, who_is_told_of_a_new_neighbour_goes_on_from_there)
{
    for (enum verdict told = VERDICT_NONE; told <= VERDICT_LOST; told++) {
        struct rig *rig = far_from_the_coordinator();
        char heard[64];

        rig_gets(rig, 'M',
                 &(struct message){.type = MESSAGE_VIEW, .carrier.view = rig_next(rig, "-X")});
        uint32_t subject = VIEW_NONE;
        for (uint32_t i = 0; i < core_view(rig->core)->member_count; i++) {
            subject = rig->core->peers[i].watch.unheard_since_turn ? i : subject;
        }
        cr_assert_neq(subject, VIEW_NONE);
        const char letter = core_view(rig->core)->members[subject].name[0];
        neighbours(rig, heard);
        *strchr(heard, letter) = 'M';
        tells_of(rig, 'M', letter, told);
        rig_pass(rig, rig->timing.lost_ms * 2 / 3, heard);
        cr_assert_eq(rig->core->peers[subject].charge.verdict,
                     told == VERDICT_NONE ? VERDICT_NONE : VERDICT_LOST);
        rig_free(rig);
    }
}

static uint8_t suspects_told(const struct rig *rig)
{
    const struct message *told = rig_told(rig, MESSAGE_HEARTBEAT, 'Y');

    cr_assert_not_null(told);
    return told->heartbeat.suspect_count;
}

/* H8, D9f */
Test(core_rings, who_is_no_neighbour_is_named_after_two_questions)
{
    struct rig *rig = far_from_the_coordinator();
    char text[64];
    uint32_t asked = 0;

    tells_of(rig, 'Y', 'M', VERDICT_NONE);
    for (uint32_t turn = 0; rig->core->peers[0].watch.questions < 2; turn++) {
        cr_assert_lt(turn, 100);
        asked = rig->core->peers[0].watch.questions;
        cr_assert(rig_told(rig, MESSAGE_HEARTBEAT, 'Y') == NULL || suspects_told(rig) == 0);
        rig_pass(rig, 10, neighbours(rig, text));
    }
    cr_assert_eq(asked, 1);
    rig_pass(rig, rig->timing.heartbeat_ms * 21 / 20, neighbours(rig, text));
    cr_assert_gt(suspects_told(rig), 0);
    rig_free(rig);
}

/* --- The coordinator --- */

static struct rig *coordinator(void)
{
    struct rig *rig = rig_on_rings("W " OTHERS, 'W');

    neighbours_alone_are_heard(rig);
    cr_assert_not(watches(rig, 'Q'));
    return rig;
}

/* H63, D9j: one death has its witnesses; two of them may be all who watched a third. */
Test(core_rings, everybody_is_asked_when_two_die)
{
    struct rig *rig = coordinator();

    rig_kill(rig, 'Y');
    cr_assert_not(watches(rig, 'Q'));
    cr_assert_eq(rig_count(rig, MESSAGE_HEARTBEAT), 1);
    rig_kill(rig, 'X');
    cr_assert(watches(rig, 'Q'));
    cr_assert_not_null(rig_told(rig, MESSAGE_HEARTBEAT, 'Q'));
    rig_kill(rig, 'A'); /* All are being asked. */
    cr_assert_eq(rig_count(rig, MESSAGE_HEARTBEAT), 1);
    rig_free(rig);
}

/* D9j */
Test(core_rings, a_death_long_after_another_is_the_only_one)
{
    struct rig *rig = coordinator();
    char text[64];

    rig_kill(rig, 'Y');
    rig_pass(rig, rig->timing.lost_ms, neighbours(rig, text));
    rig_kill(rig, 'X');
    cr_assert_not(watches(rig, 'Q'));
    rig_free(rig);
}

/* H65, U1a: its silence cannot be noticed otherwise. */
Test(core_rings, who_does_not_answer_a_proposal_is_asked)
{
    struct rig *rig = coordinator();
    char text[64];

    rig_joins(rig, 'J');
    rig_pass(rig, rig->timing.batch_ms, "");
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'Q'));
    cr_assert_not(watches(rig, 'Q'));
    rig_pass(rig, rig->timing.prepare_ms, neighbours(rig, text));
    cr_assert(watches(rig, 'Q'));
    cr_assert_not_null(rig_told(rig, MESSAGE_PING, 'Q'));
    rig_free(rig);
}

/* H65, C3c */
Test(core_rings, who_does_not_answer_a_claim_is_asked)
{
    struct rig *rig = rig_on_rings("M W N O P A B C D L Q R S X Y", 'W');
    char text[64];

    neighbours_alone_are_heard(rig);
    cr_assert_not(watches(rig, 'Q'));
    rig_kill(rig, 'M');
    cr_assert_not_null(rig_told(rig, MESSAGE_CLAIM, 'Q'));
    rig_pass(rig, rig->timing.prepare_ms, neighbours(rig, text));
    cr_assert(watches(rig, 'Q'));
    rig_free(rig);
}

/* H65, I2 */
Test(core_rings, a_name_is_in_doubt_when_its_holder_was_asked)
{
    struct rig *rig = coordinator();
    struct joiner joiner = {.member = member_of('J'), .terms = rig->core->terms};
    char text[64];

    joiner.member.name[0] = 'Q';
    const struct message join = {.type = MESSAGE_JOIN, .joiner = joiner};
    rig_pass(rig, timing_question_ms(&rig->timing), neighbours(rig, text));
    rig_gets(rig, 'J', &join);
    cr_assert_not_null(rig_told(rig, MESSAGE_JOIN_REFUSED, 'J'));
    cr_assert_not_null(rig_told(rig, MESSAGE_PING, 'Q'));
    rig_pass(rig, rig->timing.verify_ms, neighbours(rig, text));
    rig_gets(rig, 'J', &join);
    cr_assert_null(rig_told(rig, MESSAGE_JOIN_REFUSED, 'J'));
    rig_free(rig);
}

/* H65, M5: the merge waits until it is known whether the holder of a name lives. */
Test(core_rings, the_holder_of_a_name_is_asked_before_a_merge)
{
    struct rig *rig = coordinator();
    struct view *theirs = rig_view(rig, "J K");
    char text[64];

    theirs->lineage = 7;
    theirs->members[1].name[0] = 'Q';
    view_seal(theirs);
    struct message merge = {.type = MESSAGE_MERGE,
                            .carrier = {.view = theirs, .merge = 77, .part = rig_part(theirs, 2)}};
    merge.carrier.part.terms = rig->core->terms;
    rig_pass(rig, timing_question_ms(&rig->timing), neighbours(rig, text));
    rig_gets(rig, 'J', &merge);
    const struct message *refused = rig_told(rig, MESSAGE_MERGE_REFUSED, 'J');
    cr_assert_not_null(refused);
    cr_assert_eq(refused->merge_refused.reason, MERGE_REFUSED_BUSY);
    cr_assert_not_null(rig_told(rig, MESSAGE_PING, 'Q'));
    rig_hears(rig, 'Q');
    rig_gets(rig, 'J', &merge);
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'J');
    cr_assert_not_null(prepare);
    cr_assert_eq(view_find(prepare->carrier.view, &theirs->members[1].id), VIEW_NONE);
    rig_free(rig);
}
