/* Other voters, as a coordinator begins to bring them about, and who gets a record for it (Z11). */
#include <criterion/criterion.h>

#include "core/agreement/voters_change.h"
#include "core/detection/lease.h"
#include "rig.h"

/* Those letters vote; a small one under another record. */
static struct voters_wish wish_of(const struct rig *rig, const char *letters)
{
    struct voters_wish wish = {.number = core_view(rig->core)->voters.number};

    for (; *letters != '\0'; letters++) {
        const bool anew = *letters >= 'a';
        struct wished_voter *voter = &wish.voters[wish.count++];
        voter->name[0] = (char)(anew ? *letters - 'a' + 'A' : *letters);
        voter->anew = anew;
    }
    return wish;
}

/* A reigns, and votes itself no more than E does. */
static struct rig *reigning(const char *leasing)
{
    struct rig *rig = rig_strict_among("A B C D E", 'A', "B C D");

    rig_pass(rig, rig->timing.heartbeat_ms, "B C D E");
    for (; *leasing != '\0'; leasing++) {
        rig_leases(rig, *leasing);
    }
    cr_assert(core_is_acting(rig->core, rig->now_ms));
    return rig;
}

/* Z11f: who is new may be lost while a change binds whoever finds it. */
Test(core_voters, what_would_rest_on_newcomers_is_not_begun)
{
    static const struct {
        const char *leasing;
        const char *wished;
        enum unagreed against;
    } cases[] = {
        {"BCD", "BCD", UNAGREED_SAME},   {"BCD", "BCDE", UNAGREED_NOT},
        {"BCD", "BCDEA", UNAGREED_NOT},  {"BC", "BCDE", UNAGREED_GUARD},
        {"BC", "BCE", UNAGREED_NOT},     {"BC", "BCd", UNAGREED_NOT},
        {"BC", "BC", UNAGREED_NOT},      {"BC", "BD", UNAGREED_GUARD},
        {"BCD", "DEA", UNAGREED_NOT},    {"BC", "DEA", UNAGREED_GUARD},
        {"BCD", "BCX", UNAGREED_VOTERS}, {"BCD", "BCC", UNAGREED_VOTERS},
        {"BCD", "B", UNAGREED_NOT},      {"BCD", "E", UNAGREED_NOT},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig *rig = reigning(cases[i].leasing);
        const struct voters_wish wish = wish_of(rig, cases[i].wished);

        cr_expect_eq(voters_change_against(rig->core, &wish), cases[i].against, "%s: %s",
                     cases[i].leasing, cases[i].wished);
        rig_free(rig);
    }
}

/* H60: of two operators none undoes unseen what the other wanted. */
Test(core_voters, a_wish_is_of_the_lists_that_it_was_made_from)
{
    struct rig *rig = reigning("BCD");
    struct voters_wish wish = wish_of(rig, "BCE");

    wish.number++;
    cr_assert_eq(voters_change_against(rig->core, &wish), UNAGREED_UNDER_WAY);
    rig_free(rig);
}

Test(core_voters, only_strict_has_them)
{
    struct rig *rig = rig_guarded("A B C", 'A', (struct guard){GUARD_MAJORITY, 3});
    const struct voters_wish wish = wish_of(rig, "AB");

    cr_assert_eq(voters_change_against(rig->core, &wish), UNAGREED_STRICT);
    rig_free(rig);
}

/* There it has nothing to keep one on. */
Test(core_voters, under_another_guard_nobody_gets_a_record)
{
    struct rig *rig = rig_guarded("A B C", 'B', (struct guard){GUARD_MAJORITY, 3});
    struct message ballot = {.type = MESSAGE_CLAIM,
                             .fellow = true,
                             .carrier = {.lineage = core_view(rig->core)->lineage}};

    rig_gets(rig, 'A', &ballot);
    ballot.carrier.epoch = core_view(rig->core)->epoch + 1;
    rig_refuses(rig, 'A', &ballot, REFUSED_CLAIM_VIEW_LOWER);
    cr_assert_eq(rig->core->voter.record.state, VOTE_RECORD_NONE);
    rig_free(rig);
}

/* Z11e: a member gets one from its coordinator, and from nobody else. */
Test(core_voters, a_record_is_for_the_coordinator_to_give)
{
    struct rig *rig = rig_strict_among("A B C D", 'D', "A B C");
    struct message ballot = {.type = MESSAGE_CLAIM,
                             .fellow = true,
                             .carrier = {.lineage = core_view(rig->core)->lineage}};

    rig_refuses(rig, 'B', &ballot, REFUSED_RECORD_UNASKED);
    cr_assert_eq(rig->core->voter.record.state, VOTE_RECORD_NONE);
    ballot.carrier.lineage++;
    rig_refuses(rig, 'A', &ballot, REFUSED_RECORD_UNASKED);
    ballot.carrier.lineage--;
    rig_gets(rig, 'A', &ballot);
    cr_assert_eq(rig->core->voter.record.state, VOTE_RECORD_FOUNDED);
    cr_assert_eq(rig->core->voter.record.lineage, core_view(rig->core)->lineage);
    const struct node_id id = rig->core->voter.record.id;
    rig_gets(rig, 'A', &ballot);
    cr_assert(id_equal(&rig->core->voter.record.id, &id), "it has one by now");
    rig_free(rig);
}

/* D says which record it has, and leases by it. */
static void gets_ready(struct rig *rig, char newcomer)
{
    const struct lease_said said = {
        .promised = core_view(rig->core)->epoch, .leased = true, .record = record_of(newcomer)};
    struct message vote = {.type = MESSAGE_VOTE,
                           .fellow = true,
                           .carrier = {.lineage = core_view(rig->core)->lineage,
                                       .vote = {.record = record_of(newcomer),
                                                .kind = VOTE_FOUNDING,
                                                .result = VOTE_GRANTED}}};

    rig_gets(rig, newcomer, &vote);
    cr_assert(rig_answers(rig, newcomer, &said));
}

/* Z11b: whoever knows the old list alone would elect beside. */
Test(core_voters, a_change_names_both_lists_first)
{
    struct rig *rig = reigning("BCD");
    const struct voters_wish wish = wish_of(rig, "BCE");
    const struct message terms = {
        .type = MESSAGE_WISH, .fellow = true, .wish = {.kind = WISH_TERMS, .terms.voters = wish}};
    const struct view *pending = &rig->core->change.pending;

    rig_gets(rig, 'C', &terms);
    cr_assert_eq(rig_count(rig, MESSAGE_CLAIM), 1);
    gets_ready(rig, 'E');
    cr_assert(rig->core->change.on);
    cr_assert(voter_lists_are_joint(&pending->voters));
    cr_assert_eq(pending->voters.number, wish.number + 1);
    cr_assert_eq(voter_lists_length(&pending->voters), 3);
    cr_assert(voter_lists_follow(&core_view(rig->core)->voters, &pending->voters));
    rig_free(rig);
}

/* Z15e: what was told and granted by longer durations is over before the list of before is. */
Test(core_voters, none_come_while_what_was_told_for_longer_counts)
{
    struct rig *rig = reigning("BCD");
    const struct voters_wish wish = wish_of(rig, "BCE");
    const uint64_t over_ms = rig->now_ms + timing_hold_ms(&rig->timing);

    rig->core->timing.leave_ms = 2 * timing_hold_ms(&rig->timing);
    rig->core->timing.lease_ms--;
    lease_on_timing(rig->core, &rig->timing);
    cr_assert_eq(voters_change_want(rig->core, &wish, WISHER_OPERATOR), UNAGREED_NOT);
    gets_ready(rig, 'E');
    while (rig->now_ms + 100 < over_ms) {
        rig_pass(rig, 100, "B C D E");
        for (const char *voter = "BCDE"; *voter != '\0'; voter++) {
            rig_leases(rig, *voter);
        }
        cr_assert_not(rig->core->change.on);
    }
    rig_pass(rig, 100, "B C D E");
    for (const char *voter = "BCDE"; *voter != '\0'; voter++) {
        rig_leases(rig, *voter);
    }
    cr_assert(rig->core->change.on);
    cr_assert(voter_lists_are_joint(&rig->core->change.pending.voters));
    rig_free(rig);
}

/* Z15e: a view that brought both would make leases shorter with the list of before still told. */
Test(core_voters, none_come_in_the_view_that_changes_the_terms)
{
    struct rig *rig = reigning("BCD");
    const struct voters_wish wish = wish_of(rig, "BCE");
    struct message terms = {
        .type = MESSAGE_WISH,
        .fellow = true,
        .wish = {.kind = WISH_TERMS, .terms.rules = terms_rules(core_terms(rig->core))}};

    terms.wish.terms.rules.lost_ms *= 2;
    cr_assert_eq(voters_change_want(rig->core, &wish, WISHER_OPERATOR), UNAGREED_NOT);
    rig_gets(rig, 'C', &terms);
    gets_ready(rig, 'E');
    cr_assert(rig->core->change.on);
    cr_assert(rig->core->change.pending.agreed.joint);
    cr_assert_not(voter_lists_are_joint(&rig->core->change.pending.voters));
    rig_free(rig);
}

/* Z11a: a view with other members comes in between, and then one with other voters. */
Test(core_voters, a_change_goes_on_until_another_one_came_before_it)
{
    struct rig *rig = reigning("BCD");
    struct core *core = rig->core;
    const struct voters_wish wish = wish_of(rig, "BCE");
    const struct view *before = rig_next(rig, "");

    cr_assert_eq(voters_change_want(core, &wish, WISHER_OPERATOR), UNAGREED_NOT);
    voters_change_on_view_installed(core, &(struct installed){.view = before});
    cr_assert(core->voters_change.on, "the lists are those that it was made from");
    core->view.voters.number += 2;
    voters_change_on_view_installed(core, &(struct installed){.view = before});
    cr_assert_not(core->voters_change.on);
    rig_free(rig);
}

/* H78: an id stands for what is on a disk. */
Test(core_voters, a_record_is_told_when_the_disk_has_it)
{
    struct rig *rig = rig_strict_among("A B C D", 'D', "A B C");
    const struct message ballot = {.type = MESSAGE_CLAIM,
                                   .fellow = true,
                                   .carrier = {.lineage = core_view(rig->core)->lineage}};

    rig_gets(rig, 'A', &ballot);
    cr_assert_eq(rig_count(rig, MESSAGE_VOTE), 0);
    rig_syncs(rig);
    cr_assert_eq(rig_count(rig, MESSAGE_VOTE), 1);
    cr_assert(id_equal(&rig_told(rig, MESSAGE_VOTE, 'A')->carrier.vote.record,
                       &rig->core->voter.record.id));
    rig_free(rig);
}

/* H48: a lineage can be made up, and what a voter has promised is for good. */
Test(core_voters, a_record_that_may_vote_is_not_given_up)
{
    struct rig *rig = rig_strict_among("A B C D", 'D', "A B C");
    struct vote_record *record = rig_votes(rig);
    const struct message ballot = {.type = MESSAGE_CLAIM,
                                   .fellow = true,
                                   .carrier = {.lineage = core_view(rig->core)->lineage}};
    const struct node_id id = record->id;

    record->lineage++;
    record->promise.epoch = 1;
    rig_gets(rig, 'A', &ballot);
    cr_assert(id_equal(&rig->core->voter.record.id, &id));
    rig_free(rig);
}
