/* Under guard strict: whoever was made to believe what the voters do not know has to come in anew,
 * or to ask them (V4i, V7f, C2a, L4, Z5c, Z9f). */
#include <criterion/criterion.h>

#include "core/agreement/promise.h"
#include "core/model/limits.h"
#include "core/state/state.h"
#include "rig.h"

/* From a peer that does not know the core as a member. */
static struct message from_stranger(struct rig *rig, char from, const struct message *content)
{
    struct message message = rig_message(rig, from, content);

    message.fellow = false;
    message.echo = 77;
    return message;
}

/* B, a member that votes and hears A act. */
static struct rig *voter(void)
{
    struct rig *rig = rig_strict("A B C", 'B');
    const struct view *view = core_view(rig->core);

    rig_votes(rig);
    rig_gets(rig, 'A',
             &(struct message){
                 .type = MESSAGE_HEARTBEAT,
                 .heartbeat = {.view = view_id_of(view), .view_hash = view->hash, .acting = true}});
    return rig;
}

/* X, who is no member, asks with that view. */
static void asks(struct rig *rig, struct view *view)
{
    const struct message ballot = {.type = MESSAGE_CLAIM,
                                   .carrier = {.view = view,
                                               .lineage = core_view(rig->core)->lineage,
                                               .epoch = core_view(rig->core)->epoch + 1}};
    struct message told = from_stranger(rig, 'X', &ballot);

    rig_gets_raw(rig, &told);
}

static bool is_refused_as_fresh(const struct rig *rig)
{
    const struct message *vote = rig_told(rig, MESSAGE_VOTE, 'X');

    return vote != NULL && vote->carrier.vote.result == VOTE_REFUSED_FRESH;
}

/* C2a: nobody else may tell it, for it is in nobody's view. */
Test(core_forlorn, an_outsider_with_a_lower_view_is_shown_the_view)
{
    struct rig *rig = voter();

    asks(rig, rig_view(rig, "X B"));
    cr_assert(is_refused_as_fresh(rig));
    cr_assert_not_null(rig_told(rig, MESSAGE_VIEW, 'X'));
    asks(rig, NULL);
    cr_assert(is_refused_as_fresh(rig));
    cr_assert_null(rig_told(rig, MESSAGE_VIEW, 'X'), "it has none, and will join");
    rig_free(rig);
}

/* Z9f: whose view leaps could not be told otherwise. */
Test(core_forlorn, an_outsider_whose_view_leaps_is_refused_as_fresh)
{
    struct rig *rig = voter();
    struct view *leaps = rig_view(rig, "X B");

    leaps->version += LEAP_MAX + 10;
    view_seal(leaps);
    asks(rig, leaps);
    cr_assert(is_refused_as_fresh(rig));
    rig_free(rig);
}

/* --- Who is alone --- */

static struct message refused_as_fresh(const struct rig *rig, char voter)
{
    struct message vote = rig_vote(rig, voter, VOTE_CLAIM, VOTE_REFUSED_FRESH);

    vote.carrier.vote.wait_ms = 100;
    return vote;
}

/* The nonce of its last CLAIM to that voter, who is a stranger by now. */
static uint32_t nonce_for(const struct rig *rig, char voter)
{
    for (uint32_t i = rig->sent_count; i > 0; i--) {
        const struct rig_sent *sent = &rig->sent[i - 1];
        if (sent->message.type == MESSAGE_CLAIM && sent->to == voter && !sent->fellow) {
            return sent->echo;
        }
    }
    return 0;
}

/* The next life of A says to B that it hears somebody older; B has heard nobody for so long, or C
 * alone. */
static enum phase is_told(uint64_t ms, const char *alive)
{
    struct rig *rig = rig_strict("A B C", 'B');
    uint32_t nonce = 0;

    rig_kill(rig, 'A');
    for (uint64_t passed = 0; passed < ms; passed += 100) {
        rig_pass(rig, 100, alive);
    }
    while (nonce == 0) {
        rig_pass(rig, 10, alive);
        nonce = nonce_for(rig, 'A');
    }
    const struct message vote = refused_as_fresh(rig, 'A');
    struct message told = from_stranger(rig, 'X', &vote);
    told.echo = nonce;
    rig_gets_raw(rig, &told);
    const enum phase phase = core_phase(rig->core);
    rig_free(rig);
    return phase;
}

/* Z9f */
Test(core_forlorn, whoever_is_alone_while_others_have_a_coordinator_comes_in_anew)
{
    const uint64_t flap_ms = timing_of(PROFILE_LAN).flap_ms;

    cr_assert_eq(is_told(flap_ms, ""), PHASE_JOINING);
    cr_assert_eq(is_told(flap_ms / 2, ""), PHASE_MEMBER);
    cr_assert_eq(is_told(flap_ms, "C"), PHASE_MEMBER);
}

/* --- What leaps --- */

/* L4: B holds the same view, and cannot follow either. */
Test(core_forlorn, another_voter_does_not_take_back_what_leaps)
{
    for (const char *from = "AB"; *from != '\0'; from++) {
        struct rig *rig = rig_strict("A B C D", 'D');
        struct view *leaps = rig_next(rig, "");

        leaps->version += LEAP_MAX + 10;
        view_seal(leaps);
        rig_gets(rig, 'C', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = leaps}});
        rig_hears(rig, *from);
        cr_assert_eq(rig->core->install.leaps_ms == 0, *from == 'A', "%c", *from);
        rig_free(rig);
    }
}

/* V7f: it would ask for an epoch that no voter heeds. */
Test(core_forlorn, a_joiner_forgets_an_epoch_that_leaps)
{
    enum { AS_OUTSIDER = 1, AS_VOTER = 2 };

    for (int kept = 0; kept <= AS_VOTER; kept++) {
        struct rig *rig = rig_strict("A B C", 'B');
        struct core *core = rig->core;
        struct view *none = rig_view(rig, "A B C");
        const uint64_t leaping = core->view.epoch + LEAP_MAX + 1;

        core->promise.seen = leaping;
        core->candidacy.epoch = kept == AS_OUTSIDER ? 3 : 0;
        core->voter.record.promise.epoch = kept == AS_VOTER ? 9 : 0;
        view_clear(none);
        promise_on_view_installed(core, &(struct installed){.view = none});
        cr_assert_eq(core->promise.seen, kept == AS_OUTSIDER ? leaping
                                         : kept == AS_VOTER  ? 9
                                                             : core->view.epoch);
        rig_free(rig);
    }
}

/* V7f, H48: it asks the voters as an outsider for the epoch above, which its own voter then
 * promises, for good, and no other. */
Test(core_forlorn, a_joiner_comes_near_the_epoch_of_what_it_accepts)
{
    struct rig *rig = rig_joining('B');
    struct view *leaping = rig_view(rig, "A B C");

    leaping->epoch = (uint64_t)1 << 48;
    view_seal(leaping);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER});
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_PREPARE, .carrier = {.view = leaping}});
    cr_assert_eq(rig->core->change.pending.hash, leaping->hash);
    cr_assert_eq(rig->core->promise.seen, SAID_LEAP_MAX);
    rig_free(rig);
}

/* --- A view in our name --- */

static void is_shown(struct rig *rig, char from, struct view *view)
{
    view_seal(view);
    rig_gets(rig, from, &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}});
    cr_assert_eq(rig->refused.reason, REFUSED_VIEW_IN_OUR_NAME);
}

static void names(struct rig *rig, char from, const struct view *view)
{
    rig_gets(rig, from,
             &(struct message){
                 .type = MESSAGE_HEARTBEAT,
                 .heartbeat = {.view = view_id_of(view), .view_hash = view->hash},
             });
}

/* V4i: A follows it, so that nobody coordinates unless B asks; and A lives, so that it stays. */
static struct rig *followed_unawares(void)
{
    struct rig *rig = rig_strict("A B C", 'B');
    struct view *forged = rig_view(rig, "B A C");

    forged->version = core_view(rig->core)->version + 1;
    is_shown(rig, 'C', forged);
    cr_assert_not(rig->core->candidacy.on, "for A coordinates");
    names(rig, 'A', forged);
    rig_pass(rig, 100, "C");
    is_shown(rig, 'A', forged);
    cr_assert(rig->core->candidacy.on);
    return rig;
}

static void refuses_as_fresh(struct rig *rig, char voter)
{
    struct message refusal = rig_vote(rig, voter, VOTE_CLAIM, VOTE_REFUSED_FRESH);

    refusal.carrier.vote.wait_ms = 100;
    rig_gets(rig, voter, &refusal);
}

Test(core_forlorn, who_is_followed_unawares_asks_the_voters)
{
    struct rig *rig = followed_unawares();

    rig_pass(rig, 100, "C");
    rig_kill(rig, 'C');
    refuses_as_fresh(rig, 'A');
    cr_assert(rig->core->candidacy.on, "though A is heard");
    rig_free(rig);
}

/* C1b, H48: it was said in A's name, and the others, who hear A, would refuse for ever. */
Test(core_forlorn, whose_coordinator_names_its_view_again_asks_no_more)
{
    struct rig *rig = followed_unawares();

    names(rig, 'A', core_view(rig->core));
    refuses_as_fresh(rig, 'C');
    cr_assert_not(rig->core->candidacy.on);
    rig_free(rig);
}

/* C1b: A names the view of B, and has never followed another one. */
Test(core_forlorn, what_is_shown_in_the_coordinators_name_alone_is_not_followed)
{
    struct rig *rig = rig_strict("A B C", 'B');
    struct view *forged = rig_view(rig, "B A C");

    forged->version = core_view(rig->core)->version + 1;
    names(rig, 'A', core_view(rig->core));
    is_shown(rig, 'A', forged);
    rig_pass(rig, 100, "A C");
    cr_assert_eq(rig_count(rig, MESSAGE_CLAIM), 0);
    cr_assert_not(rig->core->candidacy.on);
    rig_free(rig);
}

/* V4i, Z5c: no epoch but from the voters, who have to be asked at once: no other evidence comes. */
Test(core_forlorn, a_coordinator_asks_for_an_epoch_above_what_was_made_up)
{
    struct rig *rig = rig_strict("A B C", 'A');
    struct view *forged = rig_next(rig, "");

    forged->epoch++;
    is_shown(rig, 'B', forged);
    rig_pass(rig, 1, "");
    cr_assert(rig->core->candidacy.on);
    rig_free(rig);
}

/* V4k: a version above that would be a leap for those who were not shown it, and what they refuse
 * nobody could commit (V7b); a higher epoch is none. */
Test(core_forlorn, a_version_that_leaps_is_outdone_by_an_epoch)
{
    struct rig *rig = rig_strict("A B C", 'A');
    struct view *forged = rig_next(rig, "");

    forged->version = core_view(rig->core)->version + BOUND_LEAP_MAX;
    is_shown(rig, 'B', forged);
    rig_pass(rig, 1, "");
    cr_assert(rig->core->candidacy.on);
    cr_assert_lt(rig->core->counting.version_used, SAID_LEAP_MAX);
    rig_free(rig);
}
