/* A member that is broken lies, in its own name and in the names of others. What may come of it is
 * in liar.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "oracle_parts.h"
#include "roles.h"
#include "story_liar.h"

/* The generator itself: each frame is one that the codec reads, or on_packet asserts. */
Test(liar, whatever_it_says_has_a_form_on_the_wire)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        for (enum lie_kind kind = 0; kind < LIE_KINDS; kind++) {
            struct sim *sim = sim_new(
                &(struct sim_options){.seed = seed, .host_count = 5, .lenient = true});
            sim_start_in_order(sim, 300);
            for (uint32_t i = 0; i < LIES_TOLD; i++) {
                liar_tell(sim, sim_random(sim),
                          &(struct lie){.kind = kind,
                                        .stranger = i % 2 == 0,
                                        .host = SIM_ANY,
                                        .to = i % sim_host_count(sim)});
                sim_run(sim, 1);
            }
            cr_assert(liar_has_lied(sim));
            sim_free(sim);
        }
    }
}

/* V7: the oracle sees a leap, whoever made it. */
Test(liar, the_oracle_sees_what_leaps)
{
    struct sim *sim = lenient_five(1);
    struct view *view = (struct view *)(uintptr_t)core_view(sim->hosts[B].core);
    uint64_t next_age = view->next_age;

    oracle_check_lies(sim, &sim->hosts[B], view);
    cr_assert_null(sim_failure(sim));
    view->next_age = COUNTER_MAX;
    oracle_check_lies(sim, &sim->hosts[B], view);
    view->next_age = next_age;
    cr_assert_not_null(sim_failure(sim));
    cr_assert_not_null(strstr(sim_failure(sim), "V7: next_age 4611686018427387904"), "%s",
                       sim_failure(sim));
    sim_free(sim);
}

/* What depends on honesty is looked at until a member lies, and again when it counts again. */
Test(liar, the_oracle_looks_away_while_members_lie)
{
    struct sim *sim = lenient_five(1);
    const struct lie lie = {.kind = LIE_PULLS, .stranger = true, .to = A};

    liar_tell(sim, sim_random(sim), &lie);
    cr_assert_not(sim->oracle.suspended);
    liar_tell(sim, sim_random(sim), &(struct lie){.kind = LIE_PULLS, .host = C, .to = A});
    cr_assert(sim->oracle.suspended);
    sim_run(sim, 1000);
    sim_trust(sim);
    cr_assert_not(sim->oracle.suspended);
    sim_crash(sim, C);
    sim_start(sim, C);
    cr_assert(sim_converges(sim, SETTLE_MS));
    story_holds(sim, 1);
    sim_free(sim);
}

/* V4i: nobody takes up a view in its own name that it has not made, whoever shows it. Others may
 * believe one that went by way of this member; then they, or it, come back once. */
static void check_views_in_own_name(uint64_t seed, uint32_t to)
{
    struct sim *sim = lenient_five(seed);
    uint64_t before = sim_notices(sim, to, NOTICE_PHASE);

    for (uint32_t told = 0; told < LIES_TOLD; told++) {
        liar_tell(sim, sim_random(sim), &(struct lie){.kind = LIE_OWN_VIEWS, .host = C, .to = to});
        sim_run(sim, 1);
    }
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_run(sim, STALLED_MS);
    story_check(sim_agrees(sim), seed);
    story_holds(sim, seed);
    story_check(sim_notices(sim, to, NOTICE_PHASE) <= before + 2, seed);
    sim_free(sim);
}

Story(liar, views_in_the_coordinators_own_name_are_refused)
{
    check_views_in_own_name(seed, A);
}

Story(liar, views_in_a_members_own_name_are_refused)
{
    check_views_in_own_name(seed, B);
    check_views_in_own_name(seed, E);
}

/* D6: a number that leaps, in a member's name, does not make the others deaf to it. */
Story(liar, numbers_that_leap_mute_nobody)
{
    struct sim *sim = lenient_five(seed);
    uint64_t before = happenings(sim);

    for (uint32_t told = 0; told < LIES_TOLD; told++) {
        uint32_t to = told % 5;
        liar_tell(sim, sim_random(sim), &(struct lie){.kind = LIE_NUMBERS, .host = D, .to = to});
    }
    sim_run(sim, MINUTE_MS);
    story_holds(sim, seed);
    story_check(happenings(sim) == before, seed);
    sim_free(sim);
}

/* D6, D7: nor does one told in the names of all others have the coordinator remove them. */
Story(liar, numbers_of_all_others_mute_nobody)
{
    struct sim *sim = story_of(
        &(struct sim_options){.seed = seed,
                              .host_count = 5,
                              .guard = {.policy = GUARD_MAJORITY, .count = 5},
                              .lenient = true});
    uint64_t before = happenings(sim);

    for (uint32_t told = 0; told < LIES_TOLD; told++) {
        uint32_t from = B + told % 4;
        liar_tell(sim, sim_random(sim), &(struct lie){.kind = LIE_NUMBERS, .host = from, .to = A});
    }
    sim_run(sim, MINUTE_MS);
    story_holds(sim, seed);
    story_check(happenings(sim) == before, seed);
    sim_free(sim);
}

/* V2b: one who names a view by a wrong hash has to say so again before there is a new version. */
Story(liar, one_wrong_hash_makes_no_view)
{
    struct sim *sim = lenient_five(seed);
    uint64_t before = sim_notices(sim, SIM_ANY, NOTICE_VIEW);

    liar_tell(sim, sim_random(sim), &(struct lie){.kind = LIE_HASHES, .host = C, .to = A});
    sim_run(sim, SETTLE_MS);
    story_holds(sim, seed);
    story_check(sim_notices(sim, SIM_ANY, NOTICE_VIEW) == before, seed);
    sim_free(sim);
}

/* V2b: nor do many of them make many. */
Story(liar, wrong_hashes_make_few_views)
{
    struct sim *sim = lenient_five(seed);
    uint64_t version = sim_version(sim, B);
    struct lies told = lies_of(seed, (struct lie){.kind = LIE_HASHES, .host = C});

    told.gap_ms = 5;
    told.ms = 8000;
    liar_goes_on(sim, &told);
    sim_run(sim, told.ms + SETTLE_MS);
    story_holds(sim, seed);
    story_check(sim_version(sim, B) <= version + 16, seed);
    sim_free(sim);
}

/* C4: what a liar had accepted in the coordinator's name does not come back when that one dies. */
Story(liar, what_it_proposed_is_forgotten)
{
    struct sim *sim = lenient_five(seed);

    for (uint32_t told = 0; told < LIES_TOLD; told++) {
        uint32_t to = B + told % 4;
        liar_tell(sim, sim_random(sim), &(struct lie){.kind = LIE_PROPOSALS, .host = A, .to = to});
        sim_run(sim, 1);
    }
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_run(sim, STALLED_MS);
    sim_trust(sim);
    sim_crash(sim, A);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_holds(sim, seed);
    sim_free(sim);
}

/* --- A member that never was --- */

/* In the name of athens, whose last breath it could be: somebody came in at an address where nobody
 * lives. */
static void invent_member(struct sim *sim, const struct member *nobody, struct view *view)
{
    struct message shown = {.type = MESSAGE_VIEW, .carrier = {.view = view}};

    view_copy(view, core_view(sim->hosts[A].core));
    view->parent = view_id_of(view);
    view->cause = CAUSE_CHANGE;
    view->version++;
    view_append(view, nobody);
    view_seal(view);
    shown.from = sim->hosts[A].witness.life;
    shown.source = sim->hosts[A].address;
    shown.number = sim->hosts[A].number + 1;
    sim_crash(sim, A);
    liar_says(sim, B, &shown);
    liar_says(sim, C, &shown);
}

/* As if from where it is listed. */
static void speak_as(struct sim *sim, const struct member *nobody)
{
    const struct view *view = core_view(sim->hosts[B].core);
    struct message beat = {.type = MESSAGE_HEARTBEAT,
                           .from = nobody->id,
                           .source = nobody->address,
                           .number = 1,
                           .heartbeat = {.view = view_id_of(view), .view_hash = view->hash}};

    liar_says(sim, B, &beat);
    liar_says(sim, C, &beat);
}

/* G1e: four have places. Delphi left; who was made up in its stead, and failed, keeps it not. */
Story(liar, who_never_was_keeps_nobody_out)
{
    struct sim *sim = story_of(
        &(struct sim_options){.seed = seed,
                              .host_count = 4,
                              .guard = {.policy = GUARD_MAJORITY, .count = 4},
                              .lenient = true});
    const struct member nobody = {.id = {{0xee}},
                                  .incarnation = 1,
                                  .name = "nobody",
                                  .address = {.family = 4, .bytes = {10, 9, 9, 9}, .port = 7420}};
    struct view view;
    void *storage = calloc(1, view_bytes(MEMBER_MAX));

    cr_assert_not_null(storage);
    view_init(&view, MEMBER_MAX, storage);
    sim_leave(sim, D);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    invent_member(sim, &nobody, &view);
    sim_run(sim, 1);
    story_check(view_has(core_view(sim->hosts[B].core), &nobody.id), seed);
    speak_as(sim, &nobody);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_trust(sim);
    sim_start(sim, D);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_sees(sim, B, "B C D", seed);
    sim_start(sim, A);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    story_holds(sim, seed);
    sim_free(sim);
    free(storage);
}

/* --- Epochs that nobody asked for --- */

/* In the coordinator's name, that far above its view. */
static void claim_far(struct sim *sim, uint32_t coordinator, uint32_t to, uint64_t far)
{
    const struct host *host = &sim->hosts[coordinator];
    const struct view *view = core_view(host->core);
    struct message claim = {.type = MESSAGE_CLAIM,
                            .from = host->witness.life,
                            .source = host->address,
                            .number = host->number + 1,
                            .carrier = {.lineage = view->lineage, .epoch = view->epoch + far}};

    liar_says(sim, to, &claim);
}

/* V7a: a voter is bound for good, and no further than all can follow within the bound of one
 * frame, delphi as well, which does not vote; also when each frame has one before it. */
Story(liar, a_claim_binds_a_voter_no_further_than_all_can_follow)
{
    static const uint64_t far[] = {LEAP_MAX, BOUND_LEAP_MAX, LEAP_MAX + SAID_LEAP_MAX,
                                   LEAP_MAX + SAID_LEAP_MAX - 1};

    for (uint32_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        struct sim *sim = lenient_voters(seed);
        for (uint32_t told = 0; told <= i; told++) {
            const uint32_t coordinator = sim_coordinator(sim, A);
            claim_far(sim, coordinator, coordinator == A ? B : A, far[told]);
            sim_run(sim, liar_bound_ms(sim) + 10);
            story_check(sim_agrees(sim), seed);
        }
        story_check(sim_is_acting(sim, sim_coordinator(sim, A)), seed);
        story_holds(sim, seed);
        sim_free(sim);
    }
}

/* --- Views that nobody made --- */

struct made_up {
    struct view view;
    void *storage;
};

/* What that host holds, under its next version, for the story to change. */
static struct made_up make_up(const struct sim *sim, uint32_t holder)
{
    struct made_up made = {.storage = calloc(1, view_bytes(MEMBER_MAX))};

    cr_assert_not_null(made.storage);
    view_init(&made.view, MEMBER_MAX, made.storage);
    view_copy(&made.view, core_view(sim->hosts[holder].core));
    made.view.parent = view_id_of(&made.view);
    made.view.version++;
    return made;
}

/* It is told once, in the name of that host. */
static void tell(struct sim *sim, uint32_t liar, uint32_t to, enum message_type type,
                 struct made_up *made)
{
    const struct host *host = &sim->hosts[liar];
    struct message message = {.type = type,
                              .from = host->witness.life,
                              .source = host->address,
                              .number = host->number + 1,
                              .carrier = {.view = &made->view}};

    view_seal(&made->view);
    liar_says(sim, to, &message);
    free(made->storage);
}

/* Z5c, S17: what a voter was made to accept under an epoch that nobody reigns under comes to light,
 * and is outdone, while the lies are fresh; not when that vote is needed one day. */
Story(liar, what_a_voter_was_made_to_accept_does_not_come_back)
{
    struct sim *sim = lenient_voters(seed);

    for (uint32_t told = 0; told < LIES_TOLD / 4; told++) {
        liar_tell(sim, sim_random(sim), &(struct lie){.kind = LIE_PROPOSALS, .host = D, .to = C});
        sim_run(sim, 1);
    }
    sim_run(sim, STALLED_MS);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_trust(sim);
    sim_crash(sim, sim_coordinator(sim, A));
    sim_run(sim, STALLED_MS);
    story_holds(sim, seed);
    sim_free(sim);
}

/* Z9d, Z11h: byzantium alone votes, and is made to believe in views that it never accepted, while
 * athens is to be a voter, too: a record that they do not name would be retired for good. */
Story(liar, who_votes_alone_believes_nobody_else)
{
    struct sim *sim = story_of(&(struct sim_options){.seed = seed,
                                                     .host_count = 4,
                                                     .seed_count = 1,
                                                     .guard = {.policy = GUARD_STRICT, .count = 1},
                                                     .voter_count = 1,
                                                     .disks = true,
                                                     .exclusive = true,
                                                     .lenient = true});

    sim_change_voters(sim, A, 1U << B, 0);
    sim_run(sim, SETTLE_MS);
    sim_change_voters(sim, A, 1U << A | 1U << B, 0);
    struct made_up made = make_up(sim, B);
    struct member *members = made.view.members;
    const uint32_t last = view_find(&made.view, &sim->hosts[D].witness.life);
    const struct member first = members[0];
    members[0] = members[last];
    members[last] = first;
    members[last].age = members[0].age;
    members[0].age = first.age;
    tell(sim, D, B, MESSAGE_VIEW, &made);
    sim_run(sim, STALLED_MS);
    story_check(sim_converges(sim, MINUTE_MS), seed);
    sim_trust(sim);
    sim_crash(sim, D);
    sim_start(sim, D);
    story_check(sim_converges(sim, STALLED_MS), seed);
    story_check(sim_acting_count(sim) == 1 && sim_all_vote(sim), seed);
    story_holds(sim, seed);
    sim_free(sim);
}

/* Z11h, Z11i: in the name of a voter, who may coordinate: that it votes alone. Each voter that took
 * that up would retire its record for good, and show the view to the next one. */
static void check_voters_of_one(uint64_t seed, uint32_t liar, uint32_t to)
{
    struct sim *sim = lenient_voters(seed);
    struct made_up made = make_up(sim, liar);

    made.view.voters.voters[0] = made.view.voters.voters[liar];
    made.view.voters.count = 1;
    tell(sim, liar, to, MESSAGE_VIEW, &made);
    sim_run(sim, STALLED_MS);
    story_check(sim_all_vote(sim), seed);
    story_check(sim_agrees(sim), seed);
    story_check(sim_acting_count(sim) == 1, seed);
    story_holds(sim, seed);
    sim_free(sim);
}

Story(liar, one_frame_in_a_voters_name_takes_no_votes_away)
{
    check_voters_of_one(seed, A, B);
    check_voters_of_one(seed, B, C);
}

/* The next oldest becomes the first, by an epoch of its own. */
static void hand_over_in(struct view *view)
{
    struct member first = view->members[1];

    first.age = view->members[0].age;
    view->members[0].age = view->members[1].age;
    view->members[1] = view->members[0];
    view->members[0] = first;
    view->epoch++;
}

struct misnaming {
    bool handed_over; /* the next oldest is the first of the view */
    uint32_t place;
    bool renamed; /* else at an address where nobody lives */
};

/* V4h: one frame in the coordinator's name, a view that has it, or who comes next, as somebody
 * else. Nothing comes of it. */
static void check_coordinator_misnamed(struct sim *sim, uint64_t seed,
                                       const struct misnaming *misnaming)
{
    const uint32_t coordinator = sim_coordinator(sim, A);
    const uint64_t before = happenings(sim);
    struct made_up made = make_up(sim, coordinator);
    const struct node_id youngest = made.view.members[made.view.member_count - 1].id;
    struct member *misnamed = &made.view.members[misnaming->place];

    if (misnaming->handed_over) {
        hand_over_in(&made.view);
    }
    if (misnaming->renamed) {
        misnamed->name[0] = 'x';
    } else {
        misnamed->address.port++;
    }
    uint32_t to = A;
    while (!id_equal(&sim->hosts[to].witness.life, &youngest)) {
        to++;
    }
    tell(sim, coordinator, to, MESSAGE_VIEW, &made);
    sim_run(sim, liar_bound_ms(sim));
    story_check(sim_agrees(sim), seed);
    story_check(happenings(sim) == before, seed);
    story_holds(sim, seed);
    sim_free(sim);
}

Story(liar, one_frame_takes_the_coordinator_nowhere)
{
    static const struct misnaming all[] = {
        {false, 0, false}, {false, 0, true}, {true, 0, false},
        {true, 0, true},   {true, 1, false}, {true, 1, true},
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        check_coordinator_misnamed(lenient_five(seed), seed, &all[i]);
        check_coordinator_misnamed(lenient_voters(seed), seed, &all[i]);
    }
}

/* L2a: delphi, which does not vote, is shown in byzantium's name that the witness, which is no
 * member, coordinates in athens' place. It does not say to athens which view it has, but shows it.
 */
Story(liar, who_follows_what_nobody_made_is_let_in_anew)
{
    struct sim *sim = story_of_voters(seed, 4, 3,
                                      (struct sim_options){.witness_count = 1, .lenient = true});
    const struct host *witness = &sim->hosts[sim_witness(sim, 0)];
    struct made_up made = make_up(sim, D);
    struct member *first = &made.view.members[0];

    story_check(sim_is_acting(sim, A), seed);
    first->id = witness->witness.life;
    first->address = witness->address;
    memcpy(first->name, witness->name, sizeof first->name);
    tell(sim, B, D, MESSAGE_VIEW, &made);
    sim_run(sim, liar_bound_ms(sim));
    story_check(sim_agrees(sim), seed);
    story_check(sim_acting_count(sim) == 1, seed);
    story_holds(sim, seed);
    sim_free(sim);
}

/* Z2l, S17: cyrene holds a view that was proposed in its coordinator's name, above all that this
 * one makes; its vote is the one that is needed when that one dies. */
Story(liar, what_a_voter_was_made_to_accept_in_this_reign_does_not_come_back)
{
    struct sim *sim = lenient_voters(seed);
    const uint32_t coordinator = sim_coordinator(sim, A);
    const uint32_t voter = coordinator == C ? B : C;
    struct made_up made = make_up(sim, coordinator);

    made.view.version += 1000;
    tell(sim, coordinator, voter, MESSAGE_PREPARE, &made);
    sim_run(sim, STALLED_MS);
    sim_trust(sim);
    sim_leave(sim, D);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    sim_crash(sim, coordinator);
    sim_run(sim, STALLED_MS);
    story_holds(sim, seed);
    sim_free(sim);
}

/* S9, S10: one that has no vote does not make two act, whatever it says. */
Story(liar, one_without_a_vote_makes_no_two_act)
{
    struct sim *sim = lenient_voters(seed);
    struct lies told = lies_of(seed, (struct lie){.kind = LIE_VOTES, .host = D});

    liar_goes_on(sim, &told);
    told.lie.kind = LIE_BALLOTS;
    liar_goes_on(sim, &told);
    sim_crash(sim, sim_coordinator(sim, A));
    sim_run(sim, told.ms + STALLED_MS);
    story_holds(sim, seed);
    sim_free(sim);
}

/* K4e, Y7: whatever tokens somebody named, when it is silent every role is held that anybody
 * stands for. */
static void check_roles(uint64_t seed, enum guard_policy policy, enum lie_kind kind)
{
    const bool strict = policy == GUARD_STRICT;
    const uint32_t counts[] = {
        [GUARD_NONE] = 0, [GUARD_COUNT] = 3, [GUARD_MAJORITY] = 4, [GUARD_STRICT] = 3};
    struct sim *sim = story_of(&(struct sim_options){.seed = seed,
                                                     .host_count = 4,
                                                     .seed_count = strict ? 3 : 0,
                                                     .guard = {policy, counts[policy]},
                                                     .voter_count = strict ? 3 : 0,
                                                     .disks = true,
                                                     .exclusive = strict,
                                                     .roles = true,
                                                     .lenient = true});
    const struct lies told = lies_of(seed, (struct lie){.kind = kind, .host = D});

    sim_run(sim, STALLED_MS);
    liar_goes_on(sim, &told);
    sim_run(sim, told.ms + STALLED_MS);
    sim_trust(sim);
    story_check(sim_converges(sim, SETTLE_MS), seed);
    const char *wrong = roles_settle(sim);
    cr_assert(wrong == NULL, "seed %llu: %s", (unsigned long long)seed, wrong);
    story_holds(sim, seed);
    sim_free(sim);
}

Story(liar, tokens_that_leap_do_no_lasting_harm)
{
    for (enum guard_policy policy = GUARD_NONE; policy <= GUARD_STRICT; policy++) {
        check_roles(seed, policy, LIE_ROLES);
    }
}

/* Whoever adds a message type says here in which way it lies. */
Test(liar, there_is_a_lie_of_every_type_of_message)
{
    struct sim *sim = lenient_five(1);

    for (int type = 1; type < MESSAGE_TYPE_COUNT; type++) {
        const enum lie_kind kind = liar_kind_of((enum message_type)type);
        for (uint32_t i = 0; i < LIES_TOLD && kind != LIE_KINDS; i++) {
            liar_tell(sim, sim_random(sim),
                      &(struct lie){.kind = kind, .host = SIM_ANY, .to = i % sim_host_count(sim)});
            sim_run(sim, 1);
        }
        cr_assert((kind == LIE_KINDS && type == MESSAGE_HELLO) ||
                      liar_told_of(sim, (enum message_type)type) > 0,
                  "nobody lies by %s", message_text((enum message_type)type));
    }
    sim_free(sim);
}

/* K2c */
Story(liar, stamps_that_leap_do_no_lasting_harm)
{
    for (enum guard_policy policy = GUARD_NONE; policy <= GUARD_STRICT; policy++) {
        check_roles(seed, policy, LIE_STAMPS);
    }
}

/* L3a: athens acts, and all others are said to have moved. */
static void draw_away_all(struct sim *sim, uint64_t seed)
{
    const uint64_t phases = sim_notices(sim, A, NOTICE_PHASE);

    story_check(sim_is_acting(sim, A), seed);
    for (uint64_t ms = 0; ms < PATIENT_MS; ms++) {
        if (ms % 50 == 0) {
            liar_draws_away(sim, A);
        }
        sim_run(sim, 1);
        story_check(sim_is_acting(sim, A), seed);
    }
    story_check(sim_notices(sim, A, NOTICE_PHASE) == phases, seed);
    sim_heal(sim);
    story_check(sim_converges(sim, STALLED_MS), seed);
    sim_trust(sim);
    sim_run(sim, STALLED_MS);
    story_check(sim_is_acting(sim, A), seed);
    story_holds(sim, seed);
    sim_free(sim);
}

Story(liar, who_acts_is_not_put_out_by_words_in_its_members_names)
{
    for (uint32_t hosts = 2; hosts <= 3; hosts++) {
        for (int cut = 0; cut < 2; cut++) {
            struct sim *sim = story_of_voters(
                seed, hosts, hosts,
                (struct sim_options){.witness_count = hosts == 2, .lenient = true});
            if (hosts == 2) {
                const uint32_t all = story_set("AB") | UINT32_C(1) << sim_witness(sim, 0);
                sim_change_voters(sim, A, all, 0);
                story_check(story_vote_alone(sim, all, SETTLE_MS), seed);
                sim_run(sim, SETTLE_MS);
            }
            if (cut == 1) {
                sim_cut(sim, A, B);
            }
            draw_away_all(sim, seed);
        }
    }
}

/* In the name of the voter that athens verifies, with the nonce that its helpers know (R1): it
 * leases, and its record was written as often as can be. */
static bool leases_as_helper(struct sim *sim)
{
    const struct host *athens = &sim->hosts[A];
    const struct view *view = core_view(athens->core);
    const uint32_t position = view_find(view, &athens->asked.subject);

    if (position == VIEW_NONE) {
        return false;
    }
    const struct voter_lists *lists = &view->voters;
    const uint8_t place = voter_lists_find_name(lists, view->members[position].name);
    if (place == VOTER_NONE) {
        return false;
    }
    struct message pong = {.type = MESSAGE_PONG,
                           .from = view->members[position].id,
                           .source = view->members[position].address,
                           .ping = athens->asked};
    pong.ping.said = (struct lease_said){.promised = view->epoch,
                                         .leased = true,
                                         .record = lists->voters[place].record,
                                         .writes = UINT64_MAX};
    liar_says(sim, A, &pong);
    return true;
}

/* Athens and delphi are cut off from the other two voters, of which athens verifies each: it does
 * not act beside whoever follows it (S9), and counts both again when they are back (Z14a). */
Story(liar, a_helper_leases_in_no_voters_name)
{
    struct sim *sim = story_of_voters(seed, 4, 3, (struct sim_options){.lenient = true});
    uint32_t told = 0;

    story_check(sim_is_acting(sim, A), seed);
    for (uint32_t member = B; member <= C; member++) {
        sim_cut(sim, A, member);
        sim_cut(sim, D, member);
    }
    for (uint64_t ms = 0; ms < PATIENT_MS; ms++) {
        told += leases_as_helper(sim);
        sim_run(sim, 1);
    }
    story_check(told > 0, seed);
    sim_heal(sim);
    story_check(sim_converges(sim, STALLED_MS), seed);
    sim_trust(sim);
    sim_run(sim, STALLED_MS);
    story_holds(sim, seed);
    sim_free(sim);
}
