/* Which members follow another coordinator, and what a node concludes that is left out or left
 * alone (L1 to L3). Which views speak for it is in test_core_authority.c. */
#include <criterion/criterion.h>

#include "message_content.h"
#include "rig.h"

static struct view *later(struct rig *rig, const char *letters)
{
    struct view *view = rig_view(rig, letters);

    view->epoch++;
    view_seal(view);
    return view;
}

static void shows(struct rig *rig, char from, struct view *view)
{
    struct message shown = carries(MESSAGE_VIEW, view);

    view_seal(view);
    rig_gets(rig, from, &shown);
}

/* --- Being out (L1) --- */

/* H44: the life that was removed is over, and the process goes on. */
Test(core_follow, who_is_out_begins_a_new_life_and_asks_whom_it_knew)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct member former = *core_self(rig->core);

    shows(rig, 'A', rig_next(rig, "-C +D"));
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    cr_assert(view_is_empty(core_view(rig->core)));
    cr_assert_not(id_equal(&core_self(rig->core)->id, &former.id));
    cr_assert_eq(core_self(rig->core)->incarnation, former.incarnation + 1);
    cr_assert_str_eq(core_self(rig->core)->name, former.name);
    uint32_t asked = 0;
    for (const char *to = "AB"; *to != '\0'; to++) {
        asked += rig_told(rig, MESSAGE_JOIN, *to) != NULL;
    }
    cr_assert_eq(asked, 2);
    rig_free(rig);
}

/* It is what it asked for. */
Test(core_follow, a_leaver_that_is_out_stops)
{
    struct rig *rig = rig_in("A B C", 'C');

    rig_leaves(rig);
    shows(rig, 'A', rig_next(rig, "-C"));
    cr_assert_eq(core_phase(rig->core), PHASE_STOPPED);
    rig_free(rig);
}

/* H29: the hand-over came about, whoever of them says so; a stranger's word is not enough. */
Test(core_follow, a_leaving_coordinator_stops_when_a_member_shows_its_successors_view)
{
    struct rig *rig = rig_in("A B C", 'A');

    rig_leaves(rig);
    cr_assert_not_null(rig_told(rig, MESSAGE_HANDOVER, 'B'));
    shows(rig, 'X', later(rig, "B C"));
    cr_assert_eq(core_phase(rig->core), PHASE_LEAVING);
    struct view *foreign = later(rig, "B C");
    foreign->lineage = 99;
    shows(rig, 'C', foreign);
    cr_assert_eq(core_phase(rig->core), PHASE_LEAVING);
    shows(rig, 'C', later(rig, "B C"));
    cr_assert_eq(core_phase(rig->core), PHASE_STOPPED);
    rig_free(rig);
}

/* --- Signs that a member follows another (L2) --- */

/* While it is open whether somebody does, the coordinator lets nobody in (D8). */
static bool lets_in(struct rig *rig)
{
    struct message join = {.type = MESSAGE_JOIN,
                           .joiner = {.member = member_of('D'), .terms = rig_terms()}};

    rig_gets(rig, 'D', &join);
    const struct message *offer = rig_told(rig, MESSAGE_OFFER, 'D');
    cr_assert_not_null(offer);
    join.type = MESSAGE_READY;
    join.joiner.nonce = offer->offer.nonce;
    rig_gets(rig, 'D', &join);
    rig_pass(rig, rig->timing.batch_ms, "");
    return rig_told(rig, MESSAGE_PREPARE, 'D') != NULL;
}

static void check_note(struct rig *rig, bool noted)
{
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    cr_assert_eq(lets_in(rig), !noted);
    rig_free(rig);
}

static struct message not_following(const struct rig *rig, char coordinator)
{
    struct message message = {.type = MESSAGE_NOT_FOLLOWING,
                              .reference = {.view = view_id_of(core_view(rig->core))}};

    message.reference.view.epoch++;
    message.reference.view.coordinator = rig_id(rig, coordinator);
    return message;
}

Test(core_follow, nobody_follows_another_without_a_sign)
{
    check_note(rig_in("A B C", 'A'), false);
}

Test(core_follow, it_says_that_it_does_not_follow)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message refusal = not_following(rig, 'X');

    rig_gets(rig, 'B', &refusal);
    check_note(rig, true);
}

/* D6e: what it said before that does not take it back. */
Test(core_follow, an_overtaken_heartbeat_does_not_take_back_that_one_does_not_follow)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct view *view = core_view(rig->core);
    struct message says = {.type = MESSAGE_HEARTBEAT,
                           .heartbeat = {.view = view_id_of(view), .view_hash = view->hash}};

    rig->numbers['B']++;
    struct message before = rig_message(rig, 'B', &says);
    struct message refusal = not_following(rig, 'X');
    rig_gets(rig, 'B', &refusal);
    rig_gets_raw(rig, &before);
    check_note(rig, true);
}

/* H38 */
Test(core_follow, its_heartbeat_names_another_lineage)
{
    for (int higher = 0; higher <= 1; higher++) {
        struct rig *rig = rig_in("A B C", 'A');
        struct message says = {.type = MESSAGE_HEARTBEAT,
                               .heartbeat = {.view = view_id_of(core_view(rig->core))}};

        says.heartbeat.view.lineage = 99;
        says.heartbeat.view.version = higher ? UINT64_C(9) : UINT64_C(1);
        says.heartbeat.view.coordinator = rig_id(rig, higher ? 'B' : 'A');
        rig_gets(rig, 'B', &says);
        check_note(rig, true);
    }
}

/* V4i: nobody made it, and the view above it must not wait. */
Test(core_follow, a_higher_view_in_our_own_name_is_no_sign)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message says = {.type = MESSAGE_HEARTBEAT,
                           .heartbeat = {.view = view_id_of(core_view(rig->core))}};

    says.heartbeat.view.lineage = 99;
    says.heartbeat.view.version++;
    rig_gets(rig, 'B', &says);
    check_note(rig, false);

    rig = rig_in("A B C", 'A');
    struct message refusal = not_following(rig, 'A');
    refusal.reference.view.lineage = 99;
    rig_gets(rig, 'B', &refusal);
    check_note(rig, false);
}

static void check_heartbeat(char coordinator, int version, bool noted)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message says = {.type = MESSAGE_HEARTBEAT,
                           .heartbeat = {.view = view_id_of(core_view(rig->core))}};

    says.heartbeat.view.coordinator = rig_id(rig, coordinator);
    says.heartbeat.view.version += (uint64_t)(int64_t)version;
    rig_gets(rig, 'B', &says);
    check_note(rig, noted);
}

/* Lower, it will be repaired; of ours, it is ahead of us. */
Test(core_follow, its_heartbeat_names_a_higher_view_of_another)
{
    check_heartbeat('B', 1, true);
    check_heartbeat('B', -1, false);
    check_heartbeat('A', 1, false);
}

/* It went there, and only the others' word could make us follow. */
Test(core_follow, it_shows_a_higher_view_without_us)
{
    struct rig *rig = rig_in("A B C", 'A');
    shows(rig, 'B', later(rig, "B C"));
    check_note(rig, true);

    rig = rig_in("A B C", 'A');
    struct view *foreign = later(rig, "B C");
    foreign->lineage = 99;
    shows(rig, 'B', foreign);
    check_note(rig, true);
}

/* It had the choice, and will not come back by itself. */
Test(core_follow, it_shows_a_lower_view_of_another_that_holds_it)
{
    struct rig *rig = rig_in("A B C", 'A');
    shows(rig, 'B', rig_view(rig, "B C"));
    check_note(rig, true);

    rig = rig_in("A B C", 'A');
    shows(rig, 'B', rig_view(rig, "A B")); /* Of ours, and overtaken. */
    check_note(rig, false);

    rig = rig_in("A B C", 'A');
    shows(rig, 'B', rig_view(rig, "X C")); /* It is not there itself. */
    check_note(rig, false);
}

/* H2 */
Test(core_follow, it_comes_back)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message refusal = not_following(rig, 'X');

    rig_gets(rig, 'B', &refusal);
    rig_hears(rig, 'B');
    check_note(rig, false);
}

/* --- Who has moved (L2) --- */

/* B says at each of these times that it does not follow, and is heard all the while, as are those
 * in `alive`. The view that is proposed to C then; NULL for none. */
static const struct view *after_signs(struct rig *rig, const char *alive, const uint64_t *times_ms,
                                      uint32_t count)
{
    struct message refusal = not_following(rig, 'X');
    uint64_t begun_ms = rig->now_ms;

    for (uint32_t i = 0; i < count; i++) {
        while (rig->now_ms < begun_ms + times_ms[i]) {
            uint64_t left_ms = begun_ms + times_ms[i] - rig->now_ms;
            rig_pass(rig, left_ms < 100 ? left_ms : 100, alive);
            rig_gets(rig, 'B', &(struct message){.type = MESSAGE_PULL});
        }
        rig_gets(rig, 'B', &refusal);
    }
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0, "whoever moved waits for others (J5a)");
    rig_pass(rig, rig->timing.batch_ms, alive);
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'C');
    return prepare == NULL ? NULL : prepare->carrier.view;
}

Test(core_follow, who_says_so_for_long_enough_is_removed_as_moved)
{
    struct rig *rig = rig_in("A B C", 'A');
    uint64_t fresh_ms = rig->timing.fresh_ms;
    const uint64_t times_ms[] = {0, fresh_ms / 2, fresh_ms};
    struct node_id moved = rig_id(rig, 'B');

    const struct view *view = after_signs(rig, "C", times_ms, 3);
    cr_assert_not_null(view);
    const struct gone *gone = view_find_gone(view, &moved);
    cr_assert_not_null(gone);
    cr_assert_eq(gone->reason, GONE_MOVED);
    rig_free(rig);
}

/* From a view without this node, so that it is no sign of life. */
static void says_from_afar(struct rig *rig, char from, const struct message *content)
{
    rig->numbers[(unsigned char)from]++;
    struct message message = rig_message(rig, from, content);
    message.fellow = false;
    rig_gets_raw(rig, &message);
}

/* C says that B is dead, and so it is for all that this node can tell. */
static void dies(struct rig *rig)
{
    rig_accuses(rig, 'C', 2, VERDICT_DEAD);
    rig_kill(rig, 'B');
}

/* Why B is out, as enum gone_reason; 0 while it is not. */
static int gone_b(const struct rig *rig, const struct view *view)
{
    const struct node_id id = rig_id(rig, 'B');
    const struct gone *gone = view_find_gone(view, &id);

    return gone == NULL ? 0 : (int)gone->reason;
}

/* U1d: B was held dead, and a view without it was proposed. It lives, and has moved: what is
 * committed says so. */
Test(core_follow, who_moved_is_not_removed_as_failed_when_it_was_heard_since)
{
    struct rig *rig = rig_in("A B C D", 'A');
    struct message refusal = not_following(rig, 'X');

    says_from_afar(rig, 'B', &refusal);
    rig_pass(rig, rig->timing.fresh_ms - 1, "C D");
    dies(rig);
    rig_pass(rig, 1, "C D");
    says_from_afar(rig, 'B', &refusal);
    rig_pass(rig, rig->timing.batch_ms, "");
    cr_assert_eq(gone_b(rig, rig_told(rig, MESSAGE_PREPARE, 'C')->carrier.view), GONE_FAILED);
    struct message ack = rig_ack(rig, 'C');
    rig_links(rig, 'B', LINK_OPENED);
    rig_gets(rig, 'C', &ack);
    rig_gets(rig, 'D', &ack);
    cr_assert_eq(gone_b(rig, core_view(rig->core)), 0);
    rig_pass(rig, rig->timing.batch_ms, "C D");
    ack = rig_ack(rig, 'C');
    rig_gets(rig, 'C', &ack);
    rig_gets(rig, 'D', &ack);
    cr_assert_eq(gone_b(rig, core_view(rig->core)), GONE_MOVED);
    rig_free(rig);
}

/* H37: one between ACK and COMMIT, or that missed a merge, is not meant. */
Test(core_follow, a_sign_or_two_do_not_move_anybody)
{
    struct rig *rig = rig_in("A B C", 'A');
    uint64_t fresh_ms = rig->timing.fresh_ms;
    const uint64_t soon_ms[] = {0, fresh_ms - 1};

    cr_assert_null(after_signs(rig, "C", soon_ms, 2));
    rig_free(rig);

    rig = rig_in("A B C", 'A');
    const uint64_t apart_ms[] = {0, 2 * fresh_ms + 1};
    cr_assert_null(after_signs(rig, "C", apart_ms, 2));
    rig_free(rig);

    rig = rig_in("A B C", 'A');
    const uint64_t just_ms[] = {0, 2 * fresh_ms};
    cr_assert_not_null(after_signs(rig, "C", just_ms, 2));
    rig_free(rig);
}

/* B shows it to C for T_fresh; then A dies. C does not wait for B to claim if B has gone elsewhere.
 */
static bool is_passed_over(uint64_t lineage)
{
    struct rig *rig = rig_in("A B C", 'C');
    uint64_t end_ms = rig->now_ms + rig->timing.fresh_ms;
    struct view *view = later(rig, "X B");

    view->lineage = lineage;
    for (; rig->now_ms < end_ms; rig_pass(rig, 125, "A")) {
        shows(rig, 'B', view);
    }
    shows(rig, 'B', view);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    rig_kill(rig, 'A');
    bool claims = rig_count(rig, MESSAGE_CLAIM) > 0;
    rig_free(rig);
    return claims;
}

/* H38: who went within its own lineage is for the coordinator to find out, which removes it. */
Test(core_follow, a_member_notes_who_went_to_another_lineage)
{
    cr_assert(is_passed_over(99));
    cr_assert_not(is_passed_over(7));
}

/* --- Left alone (L3) --- */

/* H5: there is nobody left to tell it. */
Test(core_follow, a_coordinator_whose_members_all_went_is_out)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct node_id former = core_self(rig->core)->id;
    const uint64_t times_ms[] = {0, rig->timing.fresh_ms};

    rig_kill(rig, 'C');
    after_signs(rig, "", times_ms, 2);
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    cr_assert_not(id_equal(&core_self(rig->core)->id, &former));
    rig_free(rig);
}

Test(core_follow, a_coordinator_that_has_somebody_left_goes_on)
{
    struct rig *rig = rig_in("A B C", 'A');
    const uint64_t times_ms[] = {0, rig->timing.fresh_ms};

    after_signs(rig, "C", times_ms, 2);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    rig_free(rig);
}

Test(core_follow, a_coordinator_whose_members_are_only_suspected_goes_on)
{
    struct rig *rig = rig_in("A B C", 'A');

    rig_kill(rig, 'B');
    rig_kill(rig, 'C');
    rig_pass(rig, rig->timing.lost_ms, "");
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    rig_free(rig);
}
