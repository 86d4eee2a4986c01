/* Does a view speak for a node (V4)? Each authority of the table alone: shown, proposed, and by a
 * view that leaves the node out (L1). Where one would do, no other applies. */
#include <criterion/criterion.h>

#include "core/state/state.h"
#include "message_content.h"
#include "rig.h"

/* A view of those members, of the next epoch, of our lineage and of another. */
static struct view *later(struct rig *rig, const char *letters)
{
    struct view *view = rig_view(rig, letters);

    view->epoch++;
    view_seal(view);
    return view;
}

static struct view *foreign(struct rig *rig, const char *letters)
{
    struct view *view = later(rig, letters);

    view->lineage = 99;
    view_seal(view);
    return view;
}

typedef struct view *make_view(struct rig *rig, const char *letters);

/* --- What becomes of it --- */

static void follows(struct rig *rig, char from, struct view *view)
{
    struct message shown = carries(MESSAGE_VIEW, view);

    rig_gets(rig, from, &shown);
    cr_assert_eq(rig_count(rig, MESSAGE_NOT_FOLLOWING), 0);
    cr_assert_eq(core_view(rig->core)->hash, view->hash);
}

static void is_put_out(struct rig *rig, char from, struct view *view)
{
    struct message shown = carries(MESSAGE_VIEW, view);

    rig_gets(rig, from, &shown);
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
}

static void stays(struct rig *rig, char from, const struct message *message)
{
    uint64_t ours = core_view(rig->core)->hash;

    rig_gets(rig, from, message);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    cr_assert_eq(core_view(rig->core)->hash, ours);
    cr_assert_eq(rig_count(rig, MESSAGE_ACK), 0);
}

/* Whom it would have put out stays; whom it holds says that it does not follow, to its maker. */
static void refuses(struct rig *rig, char from, struct view *view)
{
    struct message shown = carries(MESSAGE_VIEW, view);
    bool held = view_has(view, &core_self(rig->core)->id);

    stays(rig, from, &shown);
    const struct message *answer = rig_told(rig, MESSAGE_NOT_FOLLOWING,
                                            (char)view->members[0].address.bytes[3]);
    cr_assert_eq(answer != NULL, held);
    if (answer != NULL) {
        cr_assert_eq(answer->reference.view_hash, view->hash);
    }
}

/* A coordinator asks for it first. */
static void gives_way(struct rig *rig, char from, struct view *view)
{
    struct message shown = carries(MESSAGE_VIEW, view);

    stays(rig, from, &shown);
    rig_answers_pull(rig, from, &shown);
    cr_assert_eq(core_view(rig->core)->hash, view->hash);
}

static void accepts(struct rig *rig, char from, const struct message *prepare)
{
    rig_gets(rig, from, prepare);
    const struct message *ack = rig_told(rig, MESSAGE_ACK, from);
    cr_assert_not_null(ack);
    cr_assert_eq(ack->reference.view_hash, prepare->carrier.view->hash);
}

static void does_not_accept(struct rig *rig, char from, const struct message *prepare)
{
    stays(rig, from, prepare);
    cr_assert_not_null(rig_told(rig, MESSAGE_NOT_FOLLOWING, from));
}

/* --- MADE --- */

Test(core_authority, what_our_coordinator_made_counts_whoever_shows_it)
{
    for (const char *from = "AB"; *from != '\0'; from++) {
        struct rig *rig = rig_in("A B C", 'C');
        follows(rig, *from, rig_next(rig, "+D"));
        is_put_out(rig, *from, rig_next(rig, "-C"));
        rig_free(rig);
    }
}

/* H48: one message of nobody ended four lives of five. */
Test(core_authority, what_a_stranger_shows_in_our_coordinators_name_does_not_count)
{
    struct rig *rig = rig_in("A B C", 'C');

    refuses(rig, 'X', rig_next(rig, "+D"));
    refuses(rig, 'X', rig_next(rig, "-C"));
    rig_free(rig);
}

Test(core_authority, our_coordinator_in_another_lineage_made_nothing_of_ours)
{
    struct rig *rig = rig_in("A B C", 'C');

    refuses(rig, 'B', foreign(rig, "A C"));
    refuses(rig, 'B', foreign(rig, "A B"));
    rig_free(rig);
}

/* --- VOUCHED --- */

/* H37: an update that it followed may have been lost on the way to us. */
static void check_follows_its_coordinator(make_view *make)
{
    struct rig *rig = rig_in("A B C", 'C');

    follows(rig, 'A', make(rig, "D A C"));
    rig_free(rig);
    rig = rig_in("A B C", 'C');
    is_put_out(rig, 'A', make(rig, "D A"));
    rig_free(rig);
}

Test(core_authority, where_our_coordinator_went_we_follow)
{
    check_follows_its_coordinator(later);
    check_follows_its_coordinator(foreign);
}

/* It made it, but not in our lineage; so it is its being in it, and sending it, that counts. */
Test(core_authority, what_our_coordinator_proposes_in_another_lineage_is_accepted)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct message prepare = carries(MESSAGE_PREPARE, foreign(rig, "A C"));

    accepts(rig, 'A', &prepare);
    rig_free(rig);
}

static void check_not_without_it(make_view *make)
{
    struct rig *rig = rig_in("A B C", 'C');

    refuses(rig, 'A', make(rig, "B C"));
    refuses(rig, 'A', make(rig, "B"));
    rig_free(rig);
}

Test(core_authority, a_view_that_our_coordinator_only_passes_on_does_not_count)
{
    check_not_without_it(later);
    check_not_without_it(foreign);
}

static void check_hand_over(make_view *make)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct message prepare = carries(MESSAGE_PREPARE, make(rig, "B C"));

    does_not_accept(rig, 'B', &prepare);
    prepare.carrier.handover_by = rig_id(rig, 'X');
    does_not_accept(rig, 'B', &prepare);
    prepare.carrier.handover_by = rig_id(rig, 'A');
    accepts(rig, 'B', &prepare);
    rig_free(rig);
}

/* E2 */
Test(core_authority, our_coordinator_names_its_successor)
{
    check_hand_over(later);
    check_hand_over(foreign);
}

/* What D has made of its own part and ours. */
static struct view *merged(struct rig *rig, make_view *make, const char *letters)
{
    struct view *view = make(rig, letters);

    view->cause = CAUSE_MERGE;
    view->merged = view_id_of(core_view(rig->core));
    view_seal(view);
    return view;
}

static void check_merge(make_view *make)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *view = merged(rig, make, "D A C");
    struct message prepare = carries(MESSAGE_PREPARE, view);

    accepts(rig, 'D', &prepare);
    rig_free(rig);
    rig = rig_in("A B C", 'C');
    follows(rig, 'B', merged(rig, make, "D A C"));
    rig_free(rig);
    rig = rig_in("A B C", 'C');
    is_put_out(rig, 'B', merged(rig, make, "D A"));
    rig_free(rig);
}

/* M4 */
Test(core_authority, a_merge_that_names_a_view_of_our_coordinator_counts)
{
    check_merge(later);
    check_merge(foreign);
}

static void check_no_merge_of_ours(struct rig *rig, struct view *view)
{
    view_seal(view);
    struct message prepare = carries(MESSAGE_PREPARE, view);
    does_not_accept(rig, 'D', &prepare);
    refuses(rig, 'X', view);
}

Test(core_authority, a_merge_of_any_other_view_does_not_count)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *view = merged(rig, foreign, "D A C");

    view->merged.epoch++; /* Of a reign that we know nothing of. */
    check_no_merge_of_ours(rig, view);
    view->merged = view_id_of(core_view(rig->core));
    view->merged.coordinator = rig_id(rig, 'B');
    check_no_merge_of_ours(rig, view);
    view->merged = view_id_of(core_view(rig->core));
    view->merged.lineage++;
    check_no_merge_of_ours(rig, view);
    view->merged = view_id_of(core_view(rig->core));
    view->cause = CAUSE_CHANGE;
    check_no_merge_of_ours(rig, view);
    rig_free(rig);
}

/* --- AGREED --- */

/* C accepted what B proposed, for A handed over to it. Then nothing was heard of it for so long
 * that C is not bound any more; and A is still there. */
static struct rig *agreed(make_view *make, struct view **view)
{
    struct rig *rig = rig_in("A B C", 'C');

    *view = make(rig, "B C");
    struct message prepare = carries(MESSAGE_PREPARE, *view);
    prepare.carrier.handover_by = rig_id(rig, 'A');
    accepts(rig, 'B', &prepare);
    rig_pass(rig, 2 * rig->timing.prepare_ms + 100, "A B");
    return rig;
}

static void check_agreed(make_view *make)
{
    struct view *view;
    struct rig *rig = agreed(make, &view);
    struct message prepare = carries(MESSAGE_PREPARE, view);

    accepts(rig, 'B', &prepare);
    rig_free(rig);
    rig = agreed(make, &view);
    follows(rig, 'X', view);
    rig_free(rig);
    rig = agreed(make, &view);
    struct view *other = make(rig, "B C D");
    refuses(rig, 'B', other);
    rig_free(rig);
}

/* H37: it may be in force at those who heard its COMMIT. */
Test(core_authority, what_we_accepted_counts_when_it_is_shown)
{
    check_agreed(later);
    check_agreed(foreign);
}

/* C took A for dead and granted the claim of B, for epoch 2. Then it heard A again. */
static struct rig *granted(void)
{
    struct rig *rig = rig_in("A B C", 'C');
    const struct message claim = rig_claim(rig_view(rig, "A B C"), 2);

    rig_kill(rig, 'A');
    rig_gets(rig, 'B', &claim);
    cr_assert_not_null(rig_granted(rig, 'B'));
    rig_hears(rig, 'A');
    return rig;
}

/* H7: B counts that grant, and others go on as if we followed. */
Test(core_authority, a_granted_claim_counts_though_our_coordinator_is_back)
{
    struct rig *rig = granted();
    struct message prepare = carries(MESSAGE_PREPARE, later(rig, "B C"));

    accepts(rig, 'B', &prepare);
    rig_free(rig);
    rig = granted();
    follows(rig, 'A', later(rig, "B C"));
    rig_free(rig);
    rig = granted();
    is_put_out(rig, 'A', later(rig, "B"));
    rig_free(rig);
}

Test(core_authority, a_granted_claim_counts_for_its_maker_and_epoch_alone)
{
    struct rig *rig = granted();
    struct view *view = later(rig, "B C");

    view->epoch++;
    view_seal(view);
    refuses(rig, 'B', view);
    refuses(rig, 'A', later(rig, "X C"));
    rig_free(rig);
}

/* C5b: the parts have merged since, and a way back would be one that no merge has gone. */
Test(core_authority, a_granted_claim_ends_with_its_lineage)
{
    struct rig *rig = granted();

    struct view *merged = foreign(rig, "A X B C");
    merged->epoch = 1;
    view_seal(merged);
    follows(rig, 'A', merged);
    refuses(rig, 'B', later(rig, "B C"));
    rig_free(rig);
}

/* --- FELLOW --- */

/* Nothing was heard of A for T_fresh, which is less than a verdict takes. */
static struct rig *unheard(void)
{
    struct rig *rig = rig_in("A B C", 'C');

    rig_pass(rig, rig->timing.fresh_ms, "B");
    cr_assert_eq(core_peer(rig->core, 0, rig->now_ms).verdict, VERDICT_NONE);
    return rig;
}

static void check_fellow(make_view *make)
{
    struct rig *rig = unheard();
    struct message prepare = carries(MESSAGE_PREPARE, make(rig, "B C"));

    accepts(rig, 'B', &prepare);
    rig_free(rig);
    rig = unheard();
    follows(rig, 'B', make(rig, "X B C"));
    rig_free(rig);
    rig = unheard();
    is_put_out(rig, 'B', make(rig, "X B"));
    rig_free(rig);
}

Test(core_authority, a_fellow_member_counts_while_our_coordinator_is_not_fresh)
{
    check_fellow(later);
    check_fellow(foreign);
}

static void check_no_fellow(make_view *make)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct message prepare = carries(MESSAGE_PREPARE, make(rig, "B C"));

    does_not_accept(rig, 'B', &prepare);
    refuses(rig, 'B', make(rig, "X B C"));
    refuses(rig, 'B', make(rig, "X B"));
    rig_free(rig);
    rig = unheard();
    refuses(rig, 'B', make(rig, "X C")); /* It is not there itself. */
    refuses(rig, 'B', make(rig, "X"));
    rig_free(rig);
}

Test(core_authority, a_fellow_member_does_not_count_beside_a_fresh_coordinator)
{
    check_no_fellow(later);
    check_no_fellow(foreign);
}

/* D is in our view, and not one of its heartbeats has named our lineage yet. */
Test(core_authority, who_has_not_said_yet_that_it_lives_with_us_does_not_count)
{
    struct rig *rig = rig_in("A B C", 'C');

    follows(rig, 'A', rig_next(rig, "+D"));
    rig_pass(rig, rig->timing.fresh_ms, "B");
    refuses(rig, 'D', foreign(rig, "X D C"));
    rig_hears(rig, 'D');
    follows(rig, 'D', foreign(rig, "X D C"));
    rig_free(rig);
}

/* Nor does what it said before a merge brought us both into another lineage. */
Test(core_authority, who_lived_with_us_in_a_former_lineage_does_not_count)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *back = later(rig, "X B C");

    back->epoch = 3;
    view_seal(back);
    follows(rig, 'A', foreign(rig, "A B C"));
    rig_pass(rig, rig->timing.fresh_ms, "");
    refuses(rig, 'B', back);
    rig_hears(rig, 'B');
    follows(rig, 'B', back);
    rig_free(rig);
}

/* --- Strangers (V4j) --- */

/* S15: X says it of others, or of itself, and would be believed if it were a member. */
Test(core_authority, a_stranger_speaks_for_no_view)
{
    struct rig *rig = granted();

    refuses(rig, 'X', later(rig, "B C"));
    rig_free(rig);
    rig = unheard();
    refuses(rig, 'X', later(rig, "X C"));
    refuses(rig, 'X', foreign(rig, "X C"));
    rig_free(rig);
    rig = rig_in("A B C", 'A');
    refuses(rig, 'X', later(rig, "B A C"));
    rig_free(rig);
    rig = rig_in("A B C", 'C');
    refuses(rig, 'X', merged(rig, later, "D A C"));
    refuses(rig, 'X', merged(rig, foreign, "D A"));
    rig_free(rig);
}

/* Nor is what it shows remembered for a claim, or its epoch seen. */
Test(core_authority, what_a_stranger_shows_is_forgotten)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct view *view = later(rig, "A D B C");

    refuses(rig, 'X', view);
    cr_assert(view_is_empty(&rig->core->succession.base));
    cr_assert_eq(rig->core->promise.seen, 1);
    refuses(rig, 'C', foreign(rig, "D B C"));
    cr_assert_eq(rig->core->promise.seen, 2);
    rig_free(rig);
}

/* What we accepted we know, whoever shows it. */
Test(core_authority, a_stranger_shows_what_was_accepted)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct message prepare = carries(MESSAGE_PREPARE, rig_next(rig, "+D"));

    accepts(rig, 'A', &prepare);
    follows(rig, 'D', prepare.carrier.view);
    rig_free(rig);
}

/* --- RELEASED, and what does not bind a coordinator --- */

Test(core_authority, a_coordinator_gives_way_to_a_view_with_all_whom_it_hears)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message prepare = carries(MESSAGE_PREPARE, later(rig, "B A C"));

    refuses(rig, 'B', later(rig, "B A"));
    refuses(rig, 'B', foreign(rig, "B A C"));
    does_not_accept(rig, 'B', &prepare);
    gives_way(rig, 'C', later(rig, "B A C"));
    rig_free(rig);
}

Test(core_authority, a_coordinator_gives_way_without_those_whom_it_does_not_hear)
{
    struct rig *rig = rig_in("A B C", 'A');

    rig_pass(rig, rig->timing.fresh_ms, "B");
    gives_way(rig, 'B', later(rig, "B A"));
    rig_free(rig);
}

/* V4l, H48: somebody else said that in B's name, who answers what it holds, whatever it was made to
 * show a moment ago. */
Test(core_authority, one_frame_deposes_no_coordinator)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message forged = carries(MESSAGE_VIEW, later(rig, "B A C"));
    struct message held = carries(MESSAGE_VIEW, rig_view(rig, "A B C"));

    stays(rig, 'B', &forged);
    stays(rig, 'B', &forged);
    rig_answers_pull(rig, 'B', &held);
    rig_must_see(rig, "A B C");
    cr_assert(core_is_acting(rig->core, rig->now_ms));
    rig_free(rig);
}

/* V4l: the question is put where B is, and not where the frame came from. */
Test(core_authority, who_is_asked_lives_where_the_coordinator_knows)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message forged = carries(MESSAGE_VIEW, later(rig, "B A C"));

    rig->numbers['B']++;
    forged = rig_message(rig, 'B', &forged);
    forged.source = rig_message(rig, 'X', &forged).source;
    rig_gets_raw(rig, &forged);
    cr_assert_not_null(rig_told(rig, MESSAGE_PULL, 'B'));
    cr_assert_null(rig_told(rig, MESSAGE_PULL, 'X'));
    rig_free(rig);
}

/* V4l, V5a: who asks with a nonce is answered, though it was shown the view just now. */
Test(core_authority, a_coordinator_that_asks_again_is_answered)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct message pull = rig_message(rig, 'A', &(struct message){.type = MESSAGE_PULL});

    pull.fellow = false;
    pull.echo = 4711;
    for (int i = 0; i < 3; i++) {
        pull.number = ++rig->numbers['A'];
        rig_gets_raw(rig, &pull);
        cr_assert_not_null(rig_told(rig, MESSAGE_VIEW, 'A'));
        cr_assert_eq(rig->sent[0].echo, 4711);
    }
    rig_free(rig);
}

/* H7: a view in its own name that it did not make, or a merge that it did not ask for. */
Test(core_authority, a_coordinator_is_not_bound_by_its_own_name)
{
    struct rig *rig = rig_in("A B C", 'A');

    refuses(rig, 'C', merged(rig, foreign, "D A"));
    refuses(rig, 'C', merged(rig, later, "D A"));
    refuses(rig, 'C', merged(rig, later, "D B"));
    struct message forged = carries(MESSAGE_VIEW, rig_next(rig, "-B"));
    stays(rig, 'C', &forged);
    rig_free(rig);
}

/* L1, H7: and whoever hears nobody does not depose itself either. */
Test(core_authority, no_view_without_it_puts_a_coordinator_out)
{
    struct rig *rig = rig_in("A B C", 'A');

    refuses(rig, 'B', later(rig, "B C"));
    refuses(rig, 'X', later(rig, "B C"));
    rig_pass(rig, rig->timing.fresh_ms, "");
    refuses(rig, 'B', later(rig, "B C"));
    rig_free(rig);
}
