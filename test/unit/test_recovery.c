/* What a voter's record becomes when its operator gives up the others, and who follows the history
 * that begins with it (Z18). */
#include <criterion/criterion.h>

#include "core/agreement/voter.h"
#include "core/entry/lifecycle.h"
#include "core/model/lineage.h"
#include "core/model/recovery.h"
#include "core/state/state.h"
#include "rig.h"

enum { NOW_S = 1800000000 };

/* --- Lineages --- */

Test(recovery, a_founding_has_no_time)
{
    const uint64_t founded = lineage_of_founding(UINT64_MAX);

    cr_assert_eq(founded, UINT64_C(0xffffff000000ffff));
    cr_assert_neq(lineage_of_founding(0), 0);
    cr_assert_not(lineage_succeeds(founded, lineage_of_founding(UINT64_MAX - 2)));
    cr_assert_not(lineage_succeeds(lineage_of_founding(UINT64_MAX - 2), founded));
}

Test(recovery, the_later_of_one_founding_succeeds)
{
    const uint64_t founded = lineage_of_founding(UINT64_MAX);
    const uint64_t former = lineage_of_recovery(founded, NOW_S, 7);
    const uint64_t later = lineage_of_recovery(founded, NOW_S + 256, 3);
    const uint64_t beside = lineage_of_recovery(founded, NOW_S, 8);

    cr_assert(lineage_succeeds(former, founded) && !lineage_succeeds(founded, former));
    cr_assert(lineage_succeeds(later, former) && !lineage_succeeds(former, later));
    cr_assert(lineage_succeeds(beside, former) && !lineage_succeeds(former, beside));
    cr_assert_not(lineage_succeeds(former, former));
    cr_assert_not(lineage_succeeds(later, lineage_of_founding(1)), "another founding");
}

/* Whatever the clock shows. */
Test(recovery, a_recovery_is_later_than_what_it_goes_on_for)
{
    const uint64_t former = lineage_of_recovery(lineage_of_founding(UINT64_MAX), NOW_S, UINT64_MAX);

    cr_assert(lineage_succeeds(lineage_of_recovery(former, 0, 0), former));
    const uint64_t other = lineage_of_recovery(UINT64_MAX, NOW_S, 6);
    cr_assert_eq(other, 7, "nothing is later, so it is of another founding");
    cr_assert_not(lineage_succeeds(UINT64_MAX, other), "and who was told of that one heeds it");
}

/* --- The record --- */

struct desk {
    struct vote_record former;
    struct built_view view;
    struct timing timing;
    struct recovery recovery;
    struct built_view founders;
    struct vote_record made;
};

static struct desk *lay_out(void)
{
    static struct desk desk;

    desk = (struct desk){
        .view = view_of("A B C"), .timing = timing_of(PROFILE_LAN), .founders = view_of("A")};
    struct view *view = &desk.view.view;
    view->lineage = lineage_of_founding(UINT64_MAX);
    view->epoch = 9;
    view->next_age = 12;
    view->voters = (struct voter_lists){.number = 4, .count = 1};
    view->voters.voters[0] = (struct listed_voter){.name = "athens", .now = true};
    view_seal(view);
    desk.former = (struct vote_record){.id = {.bytes = {1}},
                                       .lineage = view->lineage,
                                       .state = VOTE_RECORD_FOUNDED,
                                       .promise = {.epoch = 11, .life = {.bytes = {2}}},
                                       .lease_ms = 900,
                                       .hold_ms = 100,
                                       .accepted = view};
    desk.recovery = (struct recovery){.name = "cyrene",
                                      .id = {.bytes = {3}},
                                      .epoch_seen = 10,
                                      .timing = &desk.timing,
                                      .drawn = 5};
    return &desk;
}

static const struct vote_record *make(struct desk *desk)
{
    cr_assert(recovery_make(&desk->former, &desk->recovery, &desk->founders.view, &desk->made));
    return &desk->made;
}

Test(recovery, its_record_is_a_founders_of_one)
{
    struct desk *desk = lay_out();
    const struct vote_record *made = make(desk);
    const struct view_id former = view_id_of(&desk->view.view);

    cr_assert(id_equal(&made->id, &desk->recovery.id));
    cr_assert_eq(made->state, VOTE_RECORD_FOUNDED);
    cr_assert(view_is_sound_of_founders(made->accepted));
    cr_assert_eq(made->accepted->lineage, made->lineage);
    cr_assert(lineage_succeeds(made->lineage, desk->former.lineage));
    cr_assert(view_id_equal(&made->accepted->parent, &former), "which one it goes on for");
    cr_assert_eq(made->accepted->next_age, 12);
    cr_assert_eq(made->accepted->voters.count, 1);
    cr_assert_str_eq(made->accepted->voters.voters[0].name, "cyrene");
    cr_assert(id_equal(&made->accepted->voters.voters[0].record, &made->id));
}

/* Of all that was seen, and of the clock, whichever is the highest. */
Test(recovery, its_epochs_are_above_all)
{
    struct desk *desk = lay_out();

    cr_assert_eq(make(desk)->promise.epoch, 11 + RECOVERY_EPOCHS);
    cr_assert(id_is_none(&make(desk)->promise.life));
    desk->recovery.epoch_seen = 100;
    cr_assert_eq(make(desk)->promise.epoch, 100 + RECOVERY_EPOCHS);
    desk->view.view.epoch = 200;
    cr_assert_eq(make(desk)->promise.epoch, 200 + RECOVERY_EPOCHS);
    desk->recovery.now_s = NOW_S;
    cr_assert_eq(make(desk)->promise.epoch, NOW_S);
    desk->recovery.now_s = LINEAGE_SECONDS_MAX + 1; /* Such a clock says nothing. */
    cr_assert_eq(make(desk)->promise.epoch, 200 + RECOVERY_EPOCHS);
    cr_assert(lineage_succeeds(make(desk)->lineage, desk->former.lineage));
    desk->recovery.epoch_seen = COUNTER_MAX - RECOVERY_EPOCHS;
    cr_assert_not(recovery_make(&desk->former, &desk->recovery, &desk->founders.view, &desk->made));
}

/* Z16b: a voter that is no member may have leased for T_stall. */
Test(recovery, it_waits_for_the_longest_lease)
{
    struct desk *desk = lay_out();
    struct view *accepted = &desk->view.view;

    cr_assert_eq(make(desk)->lease_ms, desk->timing.stall_ms);
    cr_assert_eq(make(desk)->hold_ms, timing_hold_ms(&desk->timing));
    accepted->agreed.number = 1;
    accepted->agreed.now = (struct rules){
        .profile = PROFILE_WAN, .heartbeat_ms = 2500, .lost_ms = 8000};
    cr_assert_eq(make(desk)->lease_ms, timing_of(PROFILE_WAN).stall_ms, "the terms were changed");
    cr_assert_eq(make(desk)->hold_ms, 16000);
    accepted->agreed.number = 0;
    desk->former.lease_ms = 9000;
    desk->former.hold_ms = 8000;
    cr_assert_eq(make(desk)->lease_ms, 9000);
    cr_assert_eq(make(desk)->hold_ms, 8000);
}

/* A record that others took the place of knows less than theirs; one whose history is over has met
 * the later one. */
Test(recovery, it_takes_a_record_that_knows_who_votes)
{
    struct desk *desk = lay_out();

    cr_assert(recovery_may_begin(&desk->former));
    desk->former.state = VOTE_RECORD_RETIRED;
    cr_assert_not(recovery_may_begin(&desk->former));
    desk->view.view.lineage = lineage_of_recovery(desk->former.lineage, NOW_S, 0);
    cr_assert(recovery_may_begin(&desk->former));
    cr_assert(lineage_succeeds(make(desk)->lineage, desk->view.view.lineage));
    desk->former.state = VOTE_RECORD_FOUNDING;
    cr_assert_not(recovery_may_begin(&desk->former));
    desk->former.state = VOTE_RECORD_FOUNDED;
    desk->view.view.voters.count = 0;
    cr_assert_not(recovery_may_begin(&desk->former));
    desk->former.accepted = NULL;
    cr_assert_not(recovery_may_begin(&desk->former));
}

/* --- Who meets it --- */

/* A voter in the history of a founding. */
static struct rig *voter(void)
{
    struct rig *rig = rig_strict("A B C", 'B');
    struct view *view = &rig->core->view;

    view->lineage = lineage_of_founding(view->lineage << 40 | 1);
    view_seal(view);
    rig_votes(rig);
    view_copy(&rig->core->voter.accepted, view);
    return rig;
}

/* X votes alone, in a history that was recovered from it. */
static struct view *successor(struct rig *rig)
{
    struct view *view = rig_view(rig, "X");

    view->lineage = lineage_of_recovery(core_view(rig->core)->lineage, NOW_S, 1);
    view->voters = (struct voter_lists){.number = 2, .count = 1};
    view->voters.voters[0] = (struct listed_voter){
        .name = "node24", .record = {.bytes = {9}}, .now = true};
    view_seal(view);
    return view;
}

static struct message of_stranger(struct rig *rig, const struct message *content, uint32_t echo)
{
    struct message message = rig_message(rig, 'X', content);

    message.fellow = false;
    message.echo = echo;
    return message;
}

/* What X shows without having been asked, and with the nonce of the question. */
static void shows(struct rig *rig, struct view *view, uint32_t echo)
{
    const struct message content = {.type = MESSAGE_VIEW, .carrier = {.view = view}};
    const struct message message = of_stranger(rig, &content, echo);

    rig_gets_raw(rig, &message);
}

static uint32_t nonce_of_question(const struct rig *rig)
{
    for (uint32_t i = 0; i < rig->sent_count; i++) {
        if (rig->sent[i].message.type == MESSAGE_PULL && rig->sent[i].to == 'X') {
            return rig->sent[i].echo;
        }
    }
    return 0;
}

/* Also where its epoch is lower. */
Test(recovery, whoever_is_shown_it_asks_and_is_out)
{
    for (uint64_t epoch = 1; epoch <= 9; epoch += 8) {
        struct rig *rig = voter();
        struct view *view = successor(rig);
        rig->core->view.epoch = 5;
        rig->core->promise.seen = 5;
        view->epoch = epoch;
        view_seal(view);
        shows(rig, view, 0);
        cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
        cr_assert_eq(rig->core->voter.record.state, VOTE_RECORD_FOUNDED);
        const uint32_t nonce = nonce_of_question(rig);
        cr_assert_neq(nonce, 0);
        shows(rig, view, nonce);
        cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
        cr_assert_eq(rig->notices[NOTICE_PHASE].reason, REASON_SUCCEEDED);
        cr_assert_eq(rig->core->voter.record.state, VOTE_RECORD_RETIRED);
        cr_assert_eq(rig->core->voter.accepted.lineage, view->lineage);
        rig_free(rig);
    }
}

/* A won an epoch before, and nobody whom it asks has a record of that history any more. */
Test(recovery, who_proposes_in_the_former_one_is_told)
{
    for (uint32_t retired = 0; retired < 2; retired++) {
        struct rig *rig = voter();
        struct voter *record = &rig->core->voter;

        view_copy(&record->accepted, successor(rig));
        const uint64_t lineage = record->accepted.lineage;
        record->record.lineage = retired ? record->record.lineage : lineage;
        record->record.state = retired ? VOTE_RECORD_RETIRED : VOTE_RECORD_FOUNDED;
        struct view *proposal = rig_view(rig, "A B C");
        proposal->lineage = core_view(rig->core)->lineage;
        proposal->voters = core_view(rig->core)->voters;
        proposal->version++;
        view_seal(proposal);
        const struct message prepare = {.type = MESSAGE_PREPARE, .carrier = {.view = proposal}};
        struct message message = rig_message(rig, 'A', &prepare);
        rig_gets_raw(rig, &message);
        const struct message *vote = rig_told(rig, MESSAGE_VOTE, 'A');
        cr_assert_eq(vote != NULL, !retired);
        cr_assert(retired || vote->carrier.lineage == lineage);
        cr_assert(!retired || rig_told(rig, MESSAGE_VIEW, 'A') != NULL);
        rig_free(rig);
    }
}

/* V4i: nobody else makes a view in its name, in whatever history, and whoever shows one lies. */
Test(recovery, none_in_its_own_name_ends_its_history)
{
    struct rig *rig = voter();
    struct view *view = successor(rig);

    shows(rig, view, 0);
    const uint32_t nonce = nonce_of_question(rig);
    cr_assert_neq(nonce, 0);
    view->members[0] = core_view(rig->core)->members[1];
    view->epoch = core_view(rig->core)->epoch + 1;
    view->next_age = core_view(rig->core)->next_age;
    view_seal(view);
    const uint32_t echoes[] = {0, nonce};
    for (size_t i = 0; i < sizeof echoes / sizeof echoes[0]; i++) {
        const struct message content = {.type = MESSAGE_VIEW, .carrier = {.view = view}};
        const struct message message = of_stranger(rig, &content, echoes[i]);
        rig_gets_raw(rig, &message);
        cr_assert_eq(core_counters(rig->core)->refused[REFUSED_VIEW_IN_OUR_NAME], i + 1);
        cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
        cr_assert_eq(rig->core->voter.record.state, VOTE_RECORD_FOUNDED);
    }
    rig_free(rig);
}

/* Or has told of it. */
Test(recovery, whoever_hears_of_it_asks)
{
    static const enum message_type types[] = {MESSAGE_HEARTBEAT, MESSAGE_VOTE, MESSAGE_CLAIM,
                                              MESSAGE_PROBE};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct rig *rig = voter();
        struct view *view = successor(rig);
        struct message content = {.type = types[i]};
        if (types[i] == MESSAGE_HEARTBEAT) {
            content.heartbeat = (struct heartbeat){.view = view_id_of(view)};
        } else if (types[i] != MESSAGE_PROBE) {
            content.carrier = (struct view_carrier){.lineage = view->lineage, .epoch = 9};
        } else {
            content.probe = rig_part(view, 1);
        }
        const struct message message = of_stranger(rig, &content, 0);
        rig_gets_raw(rig, &message);
        cr_assert_neq(nonce_of_question(rig), 0, "%zu", i);
        rig_free(rig);
    }
}

/* Nor what was recovered before, nor another founding. */
Test(recovery, no_other_lineage_is_followed)
{
    struct rig *rig = voter();
    struct view *view = successor(rig);

    shows(rig, view, 0);
    const uint32_t nonce = nonce_of_question(rig);
    cr_assert_neq(nonce, 0);
    view->lineage ^= UINT64_C(1) << 63;
    view_seal(view);
    shows(rig, view, nonce);
    view->lineage = core_view(rig->core)->lineage ^ 2;
    view_seal(view);
    shows(rig, view, nonce);
    cr_assert_eq(core_phase(rig->core), PHASE_MEMBER);
    cr_assert_eq(rig->core->voter.record.state, VOTE_RECORD_FOUNDED);
    rig_free(rig);
}

/* --- Who joins --- */

Test(recovery, no_offer_of_what_is_over_is_heeded)
{
    struct rig *rig = rig_strict("A B C", 'B');
    struct vote_record *record = rig_votes(rig);
    struct message offer = {.type = MESSAGE_OFFER, .offer = {.nonce = 7}};

    record->lineage = lineage_of_recovery(lineage_of_founding(UINT64_MAX), NOW_S, 1);
    lifecycle_end_life(rig->core, REASON_LEFT_ALONE);
    view_clear(&rig->core->voter.accepted);
    offer.offer.lineage = lineage_of_founding(UINT64_MAX);
    rig_refuses(rig, 'A', &offer, REFUSED_LINEAGE_OVER);
    cr_assert_null(rig_told(rig, MESSAGE_READY, 'A'));
    offer.offer.lineage = record->lineage;
    rig_gets(rig, 'A', &offer);
    cr_assert_not_null(rig_told(rig, MESSAGE_READY, 'A'));
    rig_free(rig);
}

/* It came in before it was shown that history, and votes in its own no more. */
Test(recovery, who_comes_into_it_is_retired)
{
    struct rig *rig = voter();
    struct view *view = successor(rig);

    view_copy(&rig->core->view, view);
    voter_on_view_installed(rig->core);
    cr_assert_eq(rig->core->voter.record.state, VOTE_RECORD_RETIRED);
    cr_assert(voter_knows_successor(rig->core, rig->core->voter.record.lineage));
    rig_free(rig);
}

/* Z18c: it was recovered later, by a clock that is behind, and those who are left in the other
 * history say so. Its operator can go on from that one then. */
Test(recovery, who_is_offered_a_place_in_it_asks_and_is_retired)
{
    struct rig *rig = voter();
    struct view *view = successor(rig);
    const struct message offer = {.type = MESSAGE_OFFER,
                                  .offer = {.nonce = 7, .lineage = view->lineage}};
    struct vote_record record;

    lifecycle_end_life(rig->core, REASON_LEFT_ALONE);
    rig_gets(rig, 'X', &offer);
    const uint32_t nonce = nonce_of_question(rig);
    cr_assert_neq(nonce, 0);
    shows(rig, view, nonce + 1);
    cr_assert_eq(rig->core->voter.record.state, VOTE_RECORD_FOUNDED);
    shows(rig, view, nonce);
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    cr_assert_eq(rig->core->voter.record.state, VOTE_RECORD_RETIRED);
    voter_record(rig->core, &record);
    cr_assert(recovery_may_begin(&record));
    rig_free(rig);
}
