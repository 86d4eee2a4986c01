/* What somebody made up, and others believed, must not stay for good when the lies have ended: in
 * views, among the gone, and in what was kept for a claim (V2b, L2a, L4, U2e, C4a, R5a). */
#include <criterion/criterion.h>

#include "core/agreement/next_view.h"
#include "core/model/limits.h"
#include "rig.h"

static void is_shown(struct rig *rig, char from, struct view *view)
{
    view_seal(view);
    rig_gets(rig, from, &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}});
}

static void names(struct rig *rig, char from, const struct view_id *view, uint64_t ms)
{
    struct message says = {.type = MESSAGE_HEARTBEAT, .heartbeat = {.view = *view}};

    for (uint64_t passed = 0; passed <= ms; passed += 100) {
        rig_pass(rig, 100, "");
        rig_gets(rig, from, &says);
    }
}

/* --- Views that leap --- */

/* The coordinator could not take the other content, and both stayed (V2b). */
Test(core_aftermath, another_content_that_leaps_is_superseded)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct view *other = rig_view(rig, "A B C");

    other->version = core_view(rig->core)->version;
    other->next_age += LEAP_MAX;
    is_shown(rig, 'B', other);
    cr_assert_eq(rig->refused.reason, REFUSED_VIEW_LEAPS);
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'B');
    cr_assert_not_null(prepare);
    cr_assert_lt(prepare->carrier.view->next_age, other->next_age);
    rig_free(rig);
}

/* V2b: nor one that has this node at another address. */
Test(core_aftermath, another_content_that_misnames_its_coordinator_is_superseded)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct view *other = rig_view(rig, "A B C");

    other->version = core_view(rig->core)->version;
    other->members[0].address.port++;
    is_shown(rig, 'B', other);
    cr_assert_eq(rig->refused.reason, REFUSED_VIEW_MISNAMES);
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'B'));
    rig_free(rig);
}

/* L4: A follows a view that B cannot be in. */
Test(core_aftermath, a_view_that_misnames_us_puts_out_if_our_coordinator_holds_it)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *other = rig_next(rig, "");

    other->members[1].address.port++;
    is_shown(rig, 'A', other);
    const struct view_id named = view_id_of(other);
    names(rig, 'A', &named, rig->timing.stall_ms - 500);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    names(rig, 'A', &named, 500);
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    rig_free(rig);
}

/* V2b: by its numbers and its coordinator it is the same view. */
Test(core_aftermath, a_content_of_another_lineage_is_superseded)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct view *other = rig_view(rig, "A B C");

    other->version = core_view(rig->core)->version;
    other->lineage++;
    is_shown(rig, 'B', other);
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'B'));
    rig_free(rig);
}

/* C shows A the same again and again, over T_fresh, and is removed for that. */
static void moves_by_showing(struct rig *rig, struct view *theirs, enum refusal refused)
{
    const struct node_id moved = rig_id(rig, 'C');
    char text[64];

    for (uint64_t ms = 0; ms <= rig->timing.fresh_ms; ms += 100) {
        is_shown(rig, 'C', theirs);
        cr_assert_eq(rig->refused.reason, refused);
        rig_pass(rig, 100, "B");
    }
    is_shown(rig, 'C', theirs);
    for (int i = 0; i < 10 && rig_told(rig, MESSAGE_PREPARE, 'B') == NULL; i++) {
        rig_pass(rig, 10, "B");
    }
    struct message ack = rig_ack(rig, 'B');
    rig_gets(rig, 'B', &ack);
    cr_assert_str_eq(rig_sees(rig, text), "A B");
    cr_assert_eq(view_find_gone(core_view(rig->core), &moved)->reason, GONE_MOVED);
}

/* L2a: C coordinates a view that A cannot take, and would stay a member that A waits for. */
Test(core_aftermath, who_shows_what_leaps_has_moved)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct view *theirs = rig_view(rig, "C B");

    theirs->version = core_view(rig->core)->version + LEAP_MAX + 10;
    moves_by_showing(rig, theirs, REFUSED_VIEW_LEAPS);
    rig_free(rig);
}

/* L2a: C follows B in a view that nobody made, and hears nothing from B that ends that; all whom it
 * sends heartbeats are others than A. */
Test(core_aftermath, who_shows_what_we_do_not_follow_has_moved)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct view *theirs = rig_view(rig, "B A C");

    theirs->lineage++;
    theirs->epoch++;
    moves_by_showing(rig, theirs, REFUSED_BASE_UNFIT);
    rig_free(rig);
}

/* C has followed the leap, B cannot, and A, whose view it was, is gone. */
static void shows_a_leap(struct rig *rig)
{
    struct view *leaps = rig_view(rig, "A B C");

    leaps->version = core_view(rig->core)->version + LEAP_MAX + 10;
    is_shown(rig, 'C', leaps);
    cr_assert_eq(rig->refused.reason, REFUSED_VIEW_LEAPS);
}

/* L4: as V4c asks for a fellow member's word alone where the coordinator is not heard. */
Test(core_aftermath, a_leap_that_a_fellow_shows_puts_out_where_no_coordinator_is_heard)
{
    struct rig *rig = rig_in("A B C", 'B');

    shows_a_leap(rig);
    rig_pass(rig, rig->timing.stall_ms + 500, "A C");
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER, "A is heard, and coordinates");
    rig_free(rig);
    rig = rig_in("A B C", 'B');
    rig_pass(rig, rig->timing.fresh_ms + 100, "C");
    shows_a_leap(rig);
    rig_pass(rig, rig->timing.stall_ms + 500, "C");
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    rig_free(rig);
}

/* --- What was kept for a claim --- */

/* B shows a view that A would have to have left. */
static struct view *is_shown_what_it_does_not_follow(struct rig *rig, uint64_t epoch)
{
    struct view *usurped = rig_next(rig, "-A +D");

    usurped->epoch = epoch;
    is_shown(rig, 'B', usurped);
    cr_assert_not_null(rig_told(rig, MESSAGE_NOT_FOLLOWING, 'B'));
    return usurped;
}

/* C4a: its epoch is so high that the claim asks for a lower one (V7a). */
Test(core_aftermath, a_claim_leaves_aside_what_is_above_it)
{
    struct rig *rig = rig_in("A B C", 'C');

    is_shown_what_it_does_not_follow(rig, 1 + SAID_LEAP_MAX);
    rig->core->promise.seen = 1 + LEAP_MAX;
    rig_kill(rig, 'A');
    rig_kill(rig, 'B');
    rig_pass(rig, 1, "");
    cr_assert_eq(core_view(rig->core)->epoch, 2);
    cr_assert_eq(core_view(rig->core)->member_count, 1);
    rig_free(rig);
}

/* U2e: somebody made it up, and it would come back with the next claim. */
Test(core_aftermath, what_was_not_followed_is_forgotten)
{
    static const char *const letters = "A B";

    for (int i = 0; i < 2; i++) {
        struct rig *rig = rig_in("A B C", 'C');
        const char from = letters[(size_t)(2 * i)];
        const uint64_t kept_ms = from == 'A' ? 2 * rig->timing.merge_ms : rig->timing.flap_ms;
        const struct view_id held = view_id_of(core_view(rig->core));

        is_shown_what_it_does_not_follow(rig, 2);
        names(rig, from, &held, kept_ms - 500);
        cr_assert_not(view_is_empty(&rig->core->succession.base));
        names(rig, from, &held, 600);
        cr_assert(view_is_empty(&rig->core->succession.base), "%c", from);
        rig_free(rig);
    }
}

/* U2e: their coordinator may be dead, and then nobody could ask for a higher epoch than this. */
Test(core_aftermath, what_was_accepted_is_forgotten_where_nobody_coordinates)
{
    struct rig *rig = rig_in("A B C", 'C');
    const struct view_id held = view_id_of(core_view(rig->core));
    struct view *proposed = rig_next(rig, "+D");

    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = proposed}});
    names(rig, 'B', &held, rig->timing.flap_ms - 500);
    cr_assert_not(view_is_empty(&rig->core->change.pending));
    names(rig, 'B', &held, 600);
    cr_assert(view_is_empty(&rig->core->change.pending));
    rig_free(rig);
}

/* --- Members who never were --- */

/* R5a: who has no proof of it cannot stand behind its removal. G1e goes by that. */
Test(core_aftermath, a_removal_of_who_proved_nothing_names_no_accuser)
{
    for (int proved = 0; proved < 2; proved++) {
        struct rig *rig = rig_in("A B C", 'A');
        const struct node_id id = rig_id(rig, 'C');

        rig_kill(rig, 'C');
        rig->core->peers[2].number.proof = proved ? PROOF_GIVEN : PROOF_LACKING;
        rig_accuses(rig, 'B', core_view(rig->core)->members[2].age, VERDICT_DEAD);
        for (int i = 0; i < 10 && rig_told(rig, MESSAGE_PREPARE, 'B') == NULL; i++) {
            rig_pass(rig, 10, "");
        }
        const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'B');
        cr_assert_not_null(prepare);
        const struct gone *gone = view_find_gone(prepare->carrier.view, &id);
        cr_assert_not_null(gone);
        cr_assert_eq(gone->accuser_count > 0, proved);
        rig_free(rig);
    }
}

/* C4c: those who granted stand behind what the winner knows. */
Test(core_aftermath, who_grants_does_not_accuse_one_who_proved_nothing)
{
    for (int proved = 0; proved < 2; proved++) {
        struct rig *rig = rig_in("A B C", 'B');
        const struct node_id id = rig_id(rig, 'A');

        rig_kill(rig, 'A');
        rig->core->peers[0].number.proof = proved ? PROOF_GIVEN : PROOF_LACKING;
        rig_grants(rig, 'C', 2);
        const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'C');
        cr_assert_not_null(prepare);
        cr_assert_eq(view_find_gone(prepare->carrier.view, &id)->accuser_count, 2 * proved);
        rig_free(rig);
    }
}
