/* How a node asks to be let in or founds (F1, F2), and how it is let in (I2, J1 to J8), step by
 * step. What must not let anybody in is in test_core_change.c. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "core/detection/removal.h"
#include "core/entry/join.h"
#include "core/state/state.h"
#include "rig.h"
#include "voter_bench.h"

static struct message carries(enum message_type type, struct view *view)
{
    return (struct message){.type = type, .carrier = {.view = view}};
}

static struct message refers(enum message_type type, const struct view *view)
{
    return (struct message){.type = type,
                            .reference = {.view = view_id_of(view), .view_hash = view->hash}};
}

static void check_sees(const struct rig *rig, const char *letters)
{
    char text[64];

    cr_assert_str_eq(rig_sees(rig, text), letters);
}

/* --- Asking (F1) --- */

/* The time until it asks that peer next. */
static uint64_t asks_after(struct rig *rig, char peer)
{
    uint64_t from_ms = rig->now_ms;

    do {
        uint64_t due_ms = core_deadline_ms(rig->core);
        cr_assert_lt(due_ms, from_ms + 60000);
        rig_pass(rig, due_ms > rig->now_ms ? due_ms - rig->now_ms : 0, "");
    } while (rig_told(rig, MESSAGE_JOIN, peer) == NULL);
    return rig->now_ms - from_ms;
}

/* H24, H49 */
Test(core_join, who_may_not_found_asks_for_ever_with_growing_pauses)
{
    struct rig *rig = rig_joining('C');
    uint64_t pauses_ms[8];
    bool differ = false;

    rig_resolves(rig, "A B");
    cr_assert_not_null(rig_told(rig, MESSAGE_JOIN, 'A'));
    cr_assert_not_null(rig_told(rig, MESSAGE_JOIN, 'B'), "all that its seeds resolve to");
    cr_assert_leq(asks_after(rig, 'A'), 2 * rig->timing.retry_ms_min);
    rig_pass(rig, 10000, "");
    asks_after(rig, 'A');
    for (int i = 0; i < 8; i++) {
        pauses_ms[i] = asks_after(rig, 'A');
        cr_assert_geq(pauses_ms[i], rig->timing.retry_ms_max * 7 / 10);
        cr_assert_leq(pauses_ms[i], rig->timing.retry_ms_max * 13 / 10);
        differ = differ || pauses_ms[i] != pauses_ms[0];
    }
    cr_assert(differ, "many joiners must not ask in step");
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    rig_free(rig);
}

/* H26: they may have moved. */
Test(core_join, seeds_are_resolved_again_at_every_try)
{
    struct rig *rig = rig_joining('C');

    rig_resolves(rig, "A");
    for (int i = 0; i < 5; i++) {
        uint32_t resolved = rig->resolve_count;
        asks_after(rig, 'A');
        cr_assert_gt(rig->resolve_count, resolved);
        rig_resolves(rig, "A");
    }
    rig_resolves(rig, "B");
    asks_after(rig, 'B');
    cr_assert_null(rig_told(rig, MESSAGE_JOIN, 'A'));
    rig_free(rig);
}

Test(core_join, remembered_peers_are_asked_as_well)
{
    struct rig *rig = rig_joining('C');

    rig_resolves(rig, "A");
    rig_remembers(rig, "D E");
    asks_after(rig, 'A');
    cr_assert_not_null(rig_told(rig, MESSAGE_JOIN, 'D'));
    cr_assert_not_null(rig_told(rig, MESSAGE_JOIN, 'E'));
    rig_free(rig);
}

/* H49: however many it remembers. */
Test(core_join, seventy_two_are_asked_in_one_try)
{
    struct rig *rig = rig_joining('C');
    struct address many[100];

    for (uint16_t i = 0; i < 100; i++) {
        many[i] = member_of('P').address;
        many[i].port = (uint16_t)(8000 + i);
    }
    rig_resolves(rig, "A");
    core_step(rig->core, &(struct event){.type = EVENT_ADDRESSES,
                                         .now_ms = rig->now_ms,
                                         .addresses = {ADDRESSES_REMEMBERED, many, 100}});
    asks_after(rig, 'A');
    cr_assert_eq(rig_count(rig, MESSAGE_JOIN), 72);
    rig_free(rig);
}

static struct message probe_of(struct rig *rig, const char *letters)
{
    const struct view *view = rig_view(rig, letters);

    return (struct message){.type = MESSAGE_PROBE,
                            .probe = {.view = view_id_of(view),
                                      .view_hash = view->hash,
                                      .coordinator = view->members[0].address,
                                      .terms = rig_terms()}};
}

static struct message refusal(void)
{
    return (struct message){.type = MESSAGE_JOIN_REFUSED,
                            .join_refused = {.reason = JOIN_REFUSED_TERMS}};
}

/* H39 */
Test(core_join, a_probe_shows_a_joiner_the_way)
{
    struct rig *rig = rig_joining('C');
    struct message probe = probe_of(rig, "D E");

    rig_resolves(rig, "A");
    rig_pass(rig, 20000, "");
    asks_after(rig, 'A');
    rig_gets(rig, 'E', &probe);
    rig_pass(rig, rig->timing.retry_ms_min, "");
    cr_assert_not_null(rig_told(rig, MESSAGE_JOIN, 'D'));
    rig_free(rig);
}

/* H49 */
Test(core_join, who_was_refused_asks_at_the_slowest_pace)
{
    struct rig *rig = rig_joining('C');
    struct message refused = refusal();
    struct message probe = probe_of(rig, "D E");

    rig_resolves(rig, "A");
    rig_gets(rig, 'A', &refused);
    rig_gets(rig, 'E', &probe);
    cr_assert_geq(asks_after(rig, 'A'), rig->timing.retry_ms_max * 7 / 10);
    cr_assert_not_null(rig_told(rig, MESSAGE_JOIN, 'D'), "though it bears that way in mind");
    rig_free(rig);
}

/* --- Founding (F2) --- */

/* C may found: its own address is among its seeds'. A may be there, too. */
static struct rig *founding(void)
{
    struct rig *rig = rig_joining('C');

    rig_resolves(rig, "A C");
    rig_pass(rig, rig->timing.discover_ms - 100, "");
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    return rig;
}

static void founds_after(struct rig *rig, uint64_t ms)
{
    rig_pass(rig, ms - 1, "");
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    rig_pass(rig, 1, "");
    check_sees(rig, "C");
}

Test(core_join, a_seed_asks_the_others_before_it_founds)
{
    struct rig *rig = founding();

    founds_after(rig, 100);
    cr_assert_eq(core_view(rig->core)->members[0].age, 1);
    cr_assert_eq(core_view(rig->core)->version, 1);
    rig_free(rig);
}

Test(core_join, who_knows_of_nobody_else_founds_at_once)
{
    struct rig *rig = rig_joining('C');

    rig_resolves(rig, "C");
    check_sees(rig, "C");
    rig_free(rig);
}

Test(core_join, who_has_no_seeds_founds_at_once)
{
    const struct core_options options = {.name = "C",
                                         .address = member_of('C').address,
                                         .guard = {.policy = GUARD_NONE},
                                         .profile = PROFILE_LAN,
                                         .watchers = WATCHERS_DEFAULT,
                                         .fanout = FANOUT_DEFAULT,
                                         .timing = timing_of(PROFILE_LAN),
                                         .capacity = RIG_CAPACITY,
                                         .epoch_seen = 7,
                                         .random_seed = {1, 2, 3, 4}};
    void *block = calloc(1, core_bytes(RIG_CAPACITY));
    struct core *core = core_init(block, &options, 1000);

    core_step(core, &(struct event){.type = EVENT_TICK, .now_ms = 1000});
    cr_assert_eq(core_phase(core), PHASE_MEMBER);
    cr_assert_eq(core_view(core)->epoch, 8, "above every one that it has seen");
    free(block);
}

/* H24: and often enough to hear of another that founded meanwhile. */
Test(core_join, who_has_been_a_member_asks_three_times_as_long)
{
    struct rig *rig = rig_joining('C');
    uint64_t begun_ms = rig->now_ms;

    rig_remembers(rig, "B");
    rig_resolves(rig, "A C");
    while (rig->now_ms < begun_ms + 2 * rig->timing.discover_ms) {
        cr_assert_leq(asks_after(rig, 'A'), rig->timing.discover_ms / 4 * 13 / 10);
    }
    founds_after(rig, begun_ms + 3 * rig->timing.discover_ms - rig->now_ms);
    rig_free(rig);
}

/* H25: a cluster is there. */
Test(core_join, an_offer_puts_founding_off)
{
    struct rig *rig = founding();

    rig_gets(rig, 'B', &(struct message){.type = MESSAGE_OFFER});
    founds_after(rig, rig->timing.discover_ms);
    rig_free(rig);
}

static struct message joins(enum message_type type, char letter, uint64_t nonce)
{
    return (struct message){
        .type = type,
        .joiner = {.member = member_of(letter), .terms = rig_terms(), .nonce = nonce}};
}

/* H25: of several seeds that start at once the lowest address founds. */
Test(core_join, of_two_seeds_the_lower_address_founds)
{
    struct rig *rig = founding();
    struct message join = joins(MESSAGE_JOIN, 'A', 0);

    rig_gets(rig, 'A', &join); /* It may not found. */
    join = joins(MESSAGE_JOIN, 'D', 0);
    join.joiner.may_found = true;
    rig_gets(rig, 'D', &join); /* The higher one, which waits for us. */
    founds_after(rig, 100);
    rig_free(rig);

    rig = founding();
    join = joins(MESSAGE_JOIN, 'A', 0);
    join.joiner.may_found = true;
    rig_gets(rig, 'A', &join);
    founds_after(rig, rig->timing.discover_ms);
    rig_free(rig);
}

/* H24: a refusal shows that a cluster is there. */
Test(core_join, who_was_refused_founds_only_after_another_try)
{
    struct rig *rig = founding();
    struct message refused = refusal();

    rig_gets(rig, 'A', &refused);
    uint64_t asked_ms = asks_after(rig, 'A');
    cr_assert_geq(asked_ms, rig->timing.retry_ms_max * 7 / 10);
    founds_after(rig, rig->timing.discover_ms);
    rig_free(rig);
}

/* H24: nor sooner because another that may found asks, or because somebody else lets it in. */
Test(core_join, who_was_refused_founds_no_sooner_for_what_it_hears_then)
{
    struct rig *rig = founding();
    struct message refused = refusal();
    struct message join = joins(MESSAGE_JOIN, 'A', 0);

    join.joiner.may_found = true;
    rig_gets(rig, 'B', &refused);
    rig_gets(rig, 'A', &join);
    rig_gets(rig, 'B', &(struct message){.type = MESSAGE_OFFER});
    asks_after(rig, 'A');
    founds_after(rig, rig->timing.discover_ms);
    rig_free(rig);
}

/* H24: of two that were members the higher one waits no less than if it were alone. */
Test(core_join, who_has_been_a_member_founds_no_sooner_for_a_lower_address)
{
    struct rig *rig = rig_joining('C');
    struct message join = joins(MESSAGE_JOIN, 'A', 0);

    rig_remembers(rig, "B");
    rig_resolves(rig, "A C");
    join.joiner.may_found = true;
    rig_gets(rig, 'A', &join); /* And is heard no more. */
    founds_after(rig, 3 * rig->timing.discover_ms);
    rig_free(rig);
}

/* F2d: also where it is at another address than the seeds. */
Test(core_join, whoever_may_found_is_asked_too)
{
    struct rig *rig = founding();
    struct message join = joins(MESSAGE_JOIN, 'Y', 0);

    rig_gets(rig, 'Y', &join);
    cr_assert_not(book_has(&rig->core->book, &join.joiner.member.address));
    join.joiner.may_found = true;
    rig_gets(rig, 'Y', &join);
    cr_assert(book_has(&rig->core->book, &join.joiner.member.address));
    rig_free(rig);
}

/* --- Company (F3) --- */

static uint32_t met(const struct rig *rig)
{
    return core_waiting(rig->core, rig->now_ms).met;
}

/* H22: whoever could be in one cluster with this node, and waits now. */
Test(core_join, company_is_whoever_waits_and_could_be_a_member_too)
{
    struct rig *rig = rig_expecting('C', 3);
    struct message join = joins(MESSAGE_JOIN, 'D', 0);

    join.joiner.hops = 1; /* A member handed it on: who knows when it was sent. */
    rig_gets(rig, 'B', &join);
    cr_assert_eq(met(rig), 1);
    join = joins(MESSAGE_JOIN, 'D', 0);
    join.joiner.terms.capacity++;
    rig_gets(rig, 'D', &join);
    cr_assert_eq(met(rig), 1);
    join = joins(MESSAGE_JOIN, 'D', 0);
    join.joiner.member.name[0] = 'C'; /* As this node itself. */
    rig_gets(rig, 'D', &join);
    cr_assert_eq(met(rig), 1);
    join = joins(MESSAGE_JOIN, 'D', 0);
    join.joiner.member.address = member_of('C').address;
    rig_gets(rig, 'D', &join);
    cr_assert_eq(met(rig), 1);

    join = joins(MESSAGE_JOIN, 'D', 0);
    rig_gets(rig, 'D', &join);
    cr_assert_eq(met(rig), 2);
    join.joiner.member.name[0] = 'N'; /* It changed its name, */
    rig_gets(rig, 'D', &join);
    join.joiner.member.address = member_of('E').address; /* and then its address. */
    rig_gets(rig, 'E', &join);
    cr_assert_eq(met(rig), 2);
    rig_pass(rig, 4 * rig->timing.retry_ms_max - 1, "");
    cr_assert_eq(met(rig), 2);
    rig_pass(rig, 1, "");
    cr_assert_eq(met(rig), 1);
    rig_free(rig);
}

/* H39: it may know of this node only from now on. */
Test(core_join, who_is_met_is_asked_soon)
{
    struct rig *rig = rig_expecting('C', 3);
    struct message join = joins(MESSAGE_JOIN, 'D', 0);

    rig_resolves(rig, "A");
    rig_pass(rig, 20000, "");
    asks_after(rig, 'A');
    rig_gets(rig, 'D', &join);
    rig_pass(rig, rig->timing.retry_ms_min, "");
    cr_assert_not_null(rig_told(rig, MESSAGE_JOIN, 'D'));
    asks_after(rig, 'A');
    cr_assert_not_null(rig_told(rig, MESSAGE_JOIN, 'D'), "from now on it is always asked");
    rig_free(rig);
}

/* --- Any member is a door (J1) --- */

Test(core_join, a_member_hands_a_join_on_once)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message join = joins(MESSAGE_JOIN, 'D', 0);

    rig_gets(rig, 'D', &join);
    cr_assert_eq(rig->sent_count, 1);
    const struct message *handed_on = rig_told(rig, MESSAGE_JOIN, 'A');
    cr_assert_not_null(handed_on);
    cr_assert_eq(handed_on->joiner.hops, 1);
    cr_assert(id_equal(&handed_on->joiner.member.id, &join.joiner.member.id));

    const uint64_t number = rig->core->out.number;
    join.joiner.hops = 1;
    rig_gets(rig, 'C', &join);
    cr_assert_eq(rig->sent_count, 0, "it would go round for ever");
    cr_assert_eq(rig->core->out.number, number, "nor is one of the step's messages made for it");
    rig_free(rig);
}

/* V6c. H74: the answer would go to this node itself. */
Test(core_join, who_joins_under_our_own_id_is_not_answered)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message join = joins(MESSAGE_JOIN, 'D', 0);

    join.joiner.member.id = rig_id(rig, 'A');
    rig_gets(rig, 'B', &join);
    cr_assert_eq(rig->sent_count, 0);
    rig_free(rig);
}

/* H27: whoever handed it on, and wherever it says it came from. */
Test(core_join, the_offer_goes_to_the_joiners_own_address)
{
    struct rig *rig = rig_in("A B", 'A');
    struct message join = joins(MESSAGE_JOIN, 'D', 0);

    join.joiner.hops = 1;
    rig_gets(rig, 'B', &join);
    cr_assert_eq(rig->sent_count, 1);
    cr_assert_not_null(rig_told(rig, MESSAGE_OFFER, 'D'));
    rig_free(rig);
}

/* F2c: by a member that watches its coordinator and does not hear it. */
Test(core_join, a_joiner_is_held_up_while_nobody_could_let_it_in)
{
    struct rig *rig = rig_in("A B C", 'B');
    struct message join = joins(MESSAGE_JOIN, 'D', 0);

    rig_hears(rig, 'A');
    rig_gets(rig, 'D', &join);
    cr_assert_null(rig_told(rig, MESSAGE_OFFER, 'D'), "the coordinator answers that");
    rig_pass(rig, rig->timing.fresh_ms, "C");
    rig_gets(rig, 'D', &join);
    cr_assert_not_null(rig_told(rig, MESSAGE_OFFER, 'D'));
    cr_assert_not_null(rig_told(rig, MESSAGE_JOIN, 'A'), "which may live");
    rig_free(rig);
}

/* --- What stands against a joiner (I2, J2) --- */

static uint64_t nonce_for(struct rig *rig, const struct message *asking)
{
    struct message join = *asking;
    char letter = (char)join.joiner.member.address.bytes[3];

    join.type = MESSAGE_JOIN;
    rig_gets(rig, letter, &join);
    const struct message *offer = rig_told(rig, MESSAGE_OFFER, letter);
    cr_assert_not_null(offer);
    return offer->offer.nonce;
}

/* It is ready as soon as it is offered a place. */
static void is_ready(struct rig *rig, struct message joiner)
{
    char letter = (char)joiner.joiner.member.address.bytes[3];

    joiner.joiner.nonce = nonce_for(rig, &joiner);
    joiner.type = MESSAGE_READY;
    rig->numbers[(unsigned char)letter]++;
    struct message ready = rig_message(rig, letter, &joiner);
    ready.from = joiner.joiner.member.id;
    rig_gets_raw(rig, &ready);
}

/* What is proposed within T_batch; NULL for nothing. */
static const struct view *proposed(struct rig *rig, char to)
{
    rig_pass(rig, rig->timing.batch_ms, "");
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, to);
    return prepare == NULL ? NULL : prepare->carrier.view;
}

/* H33 */
Test(core_join, each_of_the_terms_must_be_equal)
{
    for (int term = 0; term < 6; term++) {
        struct rig *rig = rig_in("A B", 'A');
        struct message join = joins(MESSAGE_JOIN, 'D', 0);
        struct terms *terms = &join.joiner.terms;
        uint64_t nonce = nonce_for(rig, &join);

        terms->guard.policy = term == 0 ? GUARD_COUNT : terms->guard.policy;
        terms->guard.count += term == 1;
        terms->profile = term == 2 ? PROFILE_WAN : terms->profile;
        terms->heartbeat_ms += term == 3;
        terms->lost_ms += term == 4;
        terms->capacity += term == 5;
        if (term == 1) { /* Of the same policy, another number. */
            terms->guard.policy = GUARD_COUNT;
        }
        for (int step = 0; step < 2; step++) {
            rig_gets(rig, 'D', &join);
            cr_assert_eq(rig->sent_count, 1);
            const struct message *refused = rig_told(rig, MESSAGE_JOIN_REFUSED, 'D');
            cr_assert_not_null(refused);
            cr_assert_eq(refused->join_refused.reason, JOIN_REFUSED_TERMS);
            struct terms ours = rig_terms();
            cr_assert(terms_equal(&refused->join_refused.terms, &ours));
            join.type = MESSAGE_READY;
            join.joiner.nonce = nonce;
        }
        cr_assert_null(proposed(rig, 'D'));
        rig_free(rig);
    }
}

static bool is_offered(struct rig *rig, const struct terms *terms)
{
    struct message join = joins(MESSAGE_JOIN, 'D', 0);

    join.joiner.terms = *terms;
    rig_gets(rig, 'D', &join);
    return rig_told(rig, MESSAGE_OFFER, 'D') != NULL;
}

/* Z13b: options are written once, and the voters change. */
Test(core_join, a_joiner_may_name_other_voters_than_the_view)
{
    struct rig *rig = rig_strict("A B C", 'A');
    struct terms terms = rig->core->terms;

    strcpy(terms.voters.names[0], "X");
    cr_assert(is_offered(rig, &terms));
    terms.voters.count = 2;
    cr_assert(is_offered(rig, &terms));
    terms.guard.policy = GUARD_COUNT;
    cr_assert_not(is_offered(rig, &terms), "it acts by another guard");
    rig_free(rig);
}

/* Z13a: two who found with other voters could both find a quorum. */
Test(core_join, who_would_found_with_other_voters_is_no_company)
{
    struct voter_bench *bench = bench_new_named('A');
    struct message join = joins(MESSAGE_JOIN, 'D', 0);

    bench->core->now_ms = bench->now_ms;
    join.joiner.terms = bench->core->terms;
    strcpy(join.joiner.terms.voters.names[2], "D");
    join_meet(bench->core, &join);
    cr_assert_eq(core_waiting(bench->core, bench->now_ms).met, 1, "itself");
    join.joiner.terms = bench->core->terms;
    join_meet(bench->core, &join);
    cr_assert_eq(core_waiting(bench->core, bench->now_ms).met, 2);
    bench_free(bench);
}

/* H22 */
Test(core_join, a_name_in_doubt_is_neither_given_nor_refused)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message join = joins(MESSAGE_JOIN, 'D', 0);

    join.joiner.member.name[0] = 'B';
    rig_gets(rig, 'D', &join);
    const struct message *refused = rig_told(rig, MESSAGE_JOIN_REFUSED, 'D');
    cr_assert_not_null(refused);
    cr_assert_eq(refused->join_refused.reason, JOIN_REFUSED_NAME);
    cr_assert_eq(refused->join_refused.address.bytes[3], 'B');

    rig_pass(rig, rig->timing.fresh_ms, "C"); /* B is silent, and nobody knows why. */
    is_ready(rig, join);
    cr_assert_null(rig_told(rig, MESSAGE_JOIN_REFUSED, 'D'));
    cr_assert_null(proposed(rig, 'D'));
    rig_hears(rig, 'B');
    join.type = MESSAGE_JOIN;
    rig_gets(rig, 'D', &join);
    cr_assert_not_null(rig_told(rig, MESSAGE_JOIN_REFUSED, 'D'));
    rig_free(rig);
}

Test(core_join, of_two_joiners_of_one_name_one_is_let_in)
{
    struct rig *rig = rig_in("A B", 'A');
    struct message other = joins(MESSAGE_JOIN, 'E', 0);
    char text[64];

    other.joiner.member.name[0] = 'D';
    is_ready(rig, joins(MESSAGE_JOIN, 'D', 0));
    is_ready(rig, other);
    const struct view *view = proposed(rig, 'D');
    cr_assert_not_null(view);
    cr_assert_str_eq(view_text(view, text, sizeof text), "A B D");
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'E'));
    rig_free(rig);
}

/* J2c, H59: the member speaks versions 1 to 3, so each of the two gets on with it, and neither with
 * the other. */
Test(core_join, of_two_joiners_who_share_no_version_one_is_let_in)
{
    struct rig *rig = rig_in("A", 'A');
    struct message first = joins(MESSAGE_JOIN, 'D', 0);
    struct message second = joins(MESSAGE_JOIN, 'E', 0);
    char text[64];

    rig->core->view.members[0].versions.high = 2;
    second.joiner.member.versions = (struct versions){.low = 1, .high = 2};
    is_ready(rig, first);
    is_ready(rig, second);
    const struct view *view = proposed(rig, 'D');
    cr_assert_not_null(view);
    cr_assert_str_eq(view_text(view, text, sizeof text), "A D");
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'E'));
    rig_free(rig);
}

/* --- Letting in (J4 to J8) --- */

/* H19: back before anybody noticed that it had gone, perhaps under another name. */
Test(core_join, a_joiner_at_a_members_address_replaces_it)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message back = joins(MESSAGE_JOIN, 'B', 0);
    struct node_id former = member_of('B').id;

    back.joiner.member.id = member_of('X').id;
    back.joiner.member.name[0] = 'N';
    is_ready(rig, back);
    const struct view *view = proposed(rig, 'C');
    cr_assert_not_null(view);
    cr_assert_eq(view->member_count, 3);
    cr_assert_not(view_has(view, &former));
    cr_assert_eq(view_find(view, &back.joiner.member.id), 2);
    const struct gone *gone = view_find_gone(view, &former);
    cr_assert_not_null(gone);
    cr_assert_eq(gone->reason, GONE_REPLACED);
    rig_free(rig);
}

/* H30 */
Test(core_join, what_comes_within_a_batch_goes_into_one_view)
{
    struct rig *rig = rig_in("A B C", 'A');
    char text[64];

    is_ready(rig, joins(MESSAGE_JOIN, 'E', 0));
    rig_pass(rig, rig->timing.batch_ms / 2, "");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    is_ready(rig, joins(MESSAGE_JOIN, 'D', 0));
    rig_accuses(rig, 'C', 2, VERDICT_DEAD);
    rig_kill(rig, 'B');
    rig_gets(rig, 'C', &(struct message){.type = MESSAGE_WISH, .wish = {.kind = WISH_LEAVE}});
    const struct view *view = proposed(rig, 'D');
    cr_assert_not_null(view);
    cr_assert_str_eq(view_text(view, text, sizeof text), "A E D", "in the order of arrival");
    cr_assert_eq(view->version, core_view(rig->core)->version + 1);
    rig_free(rig);
}

/* J5b, H30: and that is proposed at once, but for what comes with it. */
Test(core_join, the_dead_are_waited_with_for_a_moment_only)
{
    struct rig *rig = rig_in("A B C D E", 'A');
    char text[64];

    is_ready(rig, joins(MESSAGE_JOIN, 'F', 0));
    rig_accuses(rig, 'D', 2, VERDICT_DEAD);
    rig_kill(rig, 'B');
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_accuses(rig, 'D', 3, VERDICT_DEAD);
    rig_kill(rig, 'C');
    rig_pass(rig, rig->timing.batch_ms / 16, "");
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'D');
    cr_assert_not_null(prepare);
    cr_assert_str_eq(view_text(prepare->carrier.view, text, sizeof text), "A D E F");
    rig_free(rig);
}

/* J5b, H3 */
Test(core_join, the_dead_are_waited_with_while_more_die)
{
    struct rig *rig = rig_in("A B C D E F G", 'A');
    const uint64_t gap_ms = 10;

    rig->core->timing.batch_ms = 16 * gap_ms;
    for (char letter = 'B'; letter <= 'F'; letter++) {
        rig_accuses(rig, 'G', (uint64_t)(letter - 'A' + 1), VERDICT_DEAD);
        rig_kill(rig, letter);
        cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
        rig_pass(rig, gap_ms - 1, "");
        cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), letter < 'F' ? 0 : 1);
    }
    rig_free(rig);
}

static struct rig *with_a_lost_member(const char *alive)
{
    struct rig *rig = rig_in("A B C D", 'A');
    uint64_t left_ms = rig->timing.lost_ms;

    while (left_ms > 0) {
        const uint64_t part_ms = earlier(left_ms, rig->timing.heartbeat_ms);
        rig_pass(rig, part_ms, alive);
        left_ms -= part_ms;
    }
    return rig;
}

static void accused_by(struct rig *rig, const char *alive)
{
    for (; *alive != '\0'; alive++) {
        if (*alive != ' ') {
            rig_accuses(rig, *alive, 3, VERDICT_LOST);
        }
    }
}

/* J5b: nobody else is on the way out. */
Test(core_join, a_silent_one_goes_at_once_if_nobody_else_is_silent)
{
    struct rig *rig = with_a_lost_member("B D");

    accused_by(rig, "B D");
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'B');
    cr_assert_not_null(prepare);
    cr_assert_eq(prepare->carrier.view->member_count, 3);
    rig_free(rig);
}

/* J5b, H30: but waits for another one who is silent, too. */
Test(core_join, of_two_who_are_silent_the_first_waits)
{
    struct rig *rig = with_a_lost_member("D");
    char text[64];

    accused_by(rig, "D");
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'D'));
    rig_pass(rig, rig->timing.batch_ms, "");
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'D');
    cr_assert_not_null(prepare);
    cr_assert_str_eq(view_text(prepare->carrier.view, text, sizeof text), "A B D");
    rig_free(rig);
}

/* J5b: D finds C lost, too, and with the same heartbeat B dead. */
Test(core_join, who_is_found_dead_in_the_same_step_is_waited_with)
{
    struct rig *rig = with_a_lost_member("B D");
    const struct suspicion both[] = {{.age = 2, .verdict = VERDICT_DEAD},
                                     {.age = 3, .verdict = VERDICT_LOST}};

    rig_kill(rig, 'B');
    rig_names(rig, 'D', both, 2);
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'D'));
    rig_pass(rig, rig->timing.batch_ms / 16, "");
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, 'D');
    cr_assert_not_null(prepare);
    cr_assert_eq(prepare->carrier.view->member_count, 2);
    rig_free(rig);
}

/* J5b: who leaves goes anyway, and who is confirmed does. */
Test(core_join, who_is_about_to_go_is_no_company)
{
    struct rig *rig = with_a_lost_member("D");
    struct peer_charge *silent = &rig->core->peers[1].charge;
    struct peer_charge *lost = &rig->core->peers[2].charge;

    lost->confirmed = true;
    cr_assert(removal_is_anybody_silent(rig->core));
    silent->leaves = true;
    cr_assert_not(removal_is_anybody_silent(rig->core));
    lost->confirmed = false;
    cr_assert(removal_is_anybody_silent(rig->core));
    rig_free(rig);
}

/* H11, H12: its acknowledgement alone lists it nowhere. */
Test(core_join, a_joiner_is_in_when_the_view_is_committed)
{
    struct rig *rig = rig_in("A B", 'A');

    is_ready(rig, joins(MESSAGE_JOIN, 'D', 0));
    const struct view *view = proposed(rig, 'D');
    cr_assert_not_null(view);
    struct message ack = refers(MESSAGE_ACK, view);
    check_sees(rig, "A B");
    rig_gets(rig, 'D', &ack);
    check_sees(rig, "A B");
    rig_gets(rig, 'B', &ack);
    check_sees(rig, "A B D");
    cr_assert_eq(core_acked(rig->core), 3);
    rig_free(rig);
}

/* J4: another life of D waits behind the one that comes in, and is forgotten; E is not. */
Test(core_join, who_waits_beside_a_former_life_is_in_the_next_view)
{
    struct rig *rig = rig_in("A B", 'A');
    struct message former = joins(MESSAGE_JOIN, 'D', 0);
    char text[64];

    is_ready(rig, joins(MESSAGE_JOIN, 'D', 0));
    const struct view *view = proposed(rig, 'D');
    cr_assert_not_null(view);
    const struct message ack = refers(MESSAGE_ACK, view);
    former.joiner.member.id = member_of('X').id;
    is_ready(rig, former);
    is_ready(rig, joins(MESSAGE_JOIN, 'E', 0));
    rig_gets(rig, 'D', &ack);
    rig_gets(rig, 'B', &ack);
    check_sees(rig, "A B D");
    view = proposed(rig, 'E');
    cr_assert_not_null(view);
    cr_assert_str_eq(view_text(view, text, sizeof text), "A B D E");
    rig_free(rig);
}

/* V2, H6: D may hold a proposal that was given up, and must not take the next one for it. */
Test(core_join, a_version_is_used_once)
{
    struct rig *rig = rig_in("A B", 'A');

    is_ready(rig, joins(MESSAGE_JOIN, 'D', 0));
    const struct view *view = proposed(rig, 'D');
    cr_assert_not_null(view);
    uint64_t used = view->version;
    struct message ack = refers(MESSAGE_ACK, view);
    rig_gets(rig, 'B', &ack);
    rig_pass(rig, rig->timing.prepare_ms + rig->timing.batch_ms, "B");
    check_sees(rig, "A B");

    is_ready(rig, joins(MESSAGE_JOIN, 'E', 0));
    view = proposed(rig, 'E');
    cr_assert_not_null(view);
    cr_assert_gt(view->version, used);
    rig_free(rig);
}

/* And on its own side it is a member when it hears that. */
static struct rig *accepted(struct view **view)
{
    struct rig *rig = rig_joining('C');

    *view = rig_view(rig, "A B C");
    struct message prepare = carries(MESSAGE_PREPARE, *view);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER});
    cr_assert_not_null(rig_told(rig, MESSAGE_READY, 'A'));
    rig_gets(rig, 'A', &prepare);
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'));
    return rig;
}

Test(core_join, a_joiner_is_a_member_when_it_hears_of_the_commit)
{
    struct view *view;
    struct rig *rig = accepted(&view);
    struct message commit = refers(MESSAGE_COMMIT, view);

    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    rig_gets(rig, 'A', &commit);
    check_sees(rig, "A B C");
    rig_free(rig);
}

/* --- A joiner between two proposals (J7) --- */

static void check_accepts(struct rig *rig, char from, struct view *view, bool accepts)
{
    struct message prepare = carries(MESSAGE_PREPARE, view);

    view_seal(view);
    rig_gets(rig, from, &prepare);
    cr_assert_eq(rig_told(rig, MESSAGE_ACK, from) != NULL, accepts);
}

/* H25: B would give it another age; and what A proposed before must not take back what came after.
 */
Test(core_join, a_joiner_keeps_to_the_coordinator_that_it_answered)
{
    struct view *first;
    struct rig *rig = accepted(&first);
    struct view *view = rig_view(rig, "B A C");

    view->epoch = 2;
    check_accepts(rig, 'B', view, false);
    view = rig_view(rig, "A C");
    view->version = first->version - 1;
    check_accepts(rig, 'A', view, false);
    view->version = first->version + 1;
    check_accepts(rig, 'A', view, true);
    rig_free(rig);
}

/* H94: somebody asked for it in the joiner's name, with terms that nobody has. */
Test(core_join, a_joiner_takes_part_in_no_merge)
{
    for (uint64_t number = 0; number < 2; number++) {
        struct rig *rig = rig_joining('C');
        struct message prepare = carries(MESSAGE_PREPARE, rig_view(rig, "A B C"));

        prepare.carrier.merge = number;
        rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER});
        cr_assert_not_null(rig_told(rig, MESSAGE_READY, 'A'));
        rig_gets(rig, 'A', &prepare);
        cr_assert_eq(rig_told(rig, MESSAGE_ACK, 'A') == NULL, number != 0);
        rig_free(rig);
    }
}

/* Whoever took over from the one that it answered does so without that one. */
Test(core_join, a_joiner_goes_over_to_a_successor)
{
    struct view *first;
    struct rig *rig = accepted(&first);
    struct view *view = rig_view(rig, "B C");

    view->version = first->version - 1;
    check_accepts(rig, 'B', view, false); /* Lower. */
    view->epoch = 2;
    view->lineage = 99;
    check_accepts(rig, 'B', view, false);
    view->lineage = first->lineage;
    check_accepts(rig, 'B', view, true);
    rig_free(rig);
}

/* H44, S5: if B leads without A, it may know that C is in, and has taken it out. A may have had it
 * forgotten since (E9a). */
Test(core_join, a_joiner_that_accepted_says_ready_to_nobody_else)
{
    struct view *view;
    struct rig *rig = accepted(&view);

    rig_gets(rig, 'B', &(struct message){.type = MESSAGE_OFFER});
    cr_assert_eq(rig_count(rig, MESSAGE_READY), 0);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER});
    cr_assert_not_null(rig_told(rig, MESSAGE_READY, 'A'));
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER, .offer.nonce = 1});
    cr_assert_eq(rig_count(rig, MESSAGE_READY), 0, "of a later view");
    rig_pass(rig, 2 * rig->timing.prepare_ms, "");
    rig_gets(rig, 'B', &(struct message){.type = MESSAGE_OFFER});
    cr_assert_not_null(rig_told(rig, MESSAGE_READY, 'B'), "it is another life");
    rig_free(rig);
}

/* H43, H44: it may have been in, and out again. */
Test(core_join, a_joiner_that_waited_in_vain_is_another_life)
{
    struct view *view;
    struct rig *rig = accepted(&view);
    struct node_id former = core_self(rig->core)->id;
    uint64_t incarnation = core_self(rig->core)->incarnation;

    rig_pass(rig, 2 * rig->timing.prepare_ms - 1, "");
    cr_assert(id_equal(&core_self(rig->core)->id, &former));
    rig_pass(rig, 1, "");
    cr_assert_not(id_equal(&core_self(rig->core)->id, &former));
    cr_assert_eq(core_self(rig->core)->incarnation, incarnation + 1);
    rig_free(rig);
}

/* H99: its coordinator goes by changed terms, that it has not heard of, and waits for longer. */
Test(core_join, a_joiner_waits_by_the_terms_of_the_proposal)
{
    struct rig *rig = rig_joining('C');
    const struct timing wan = timing_of(PROFILE_WAN);
    struct view *view = rig_view(rig, "A B C");
    const struct node_id former = core_self(rig->core)->id;

    view->agreed = (struct agreed){.number = 2,
                                   .origin = 1,
                                   .room = rig->core->capacity,
                                   .now = terms_rules(core_terms(rig->core))};
    view->agreed.now.profile = PROFILE_WAN;
    view->agreed.now.heartbeat_ms = wan.heartbeat_ms;
    view->agreed.now.lost_ms = wan.lost_ms;
    view_seal(view);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER});
    check_accepts(rig, 'A', view, true);
    rig_pass(rig, 2 * wan.prepare_ms - 1, "");
    cr_assert(id_equal(&core_self(rig->core)->id, &former));
    rig_pass(rig, 1, "");
    cr_assert_not(id_equal(&core_self(rig->core)->id, &former));
    rig_free(rig);
}

/* H44: it was in without knowing it. */
Test(core_join, a_joiner_among_the_gone_is_another_life)
{
    struct rig *rig = rig_joining('C');
    struct view *view = rig_view(rig, "A B");
    struct node_id former = core_self(rig->core)->id;
    struct message shown = carries(MESSAGE_VIEW, view);

    rig_gets(rig, 'A', &shown);
    cr_assert(id_equal(&core_self(rig->core)->id, &former));
    struct gone gone = {.reason = GONE_FAILED, .id = former, .age = 3, .name = "C"};
    gone.address = member_of('C').address;
    view_add_gone(view, &gone);
    view_seal(view);
    rig_gets(rig, 'A', &shown);
    cr_assert_not(id_equal(&core_self(rig->core)->id, &former));
    rig_free(rig);
}

/* H6: epochs do not fall when everybody restarts. */
Test(core_join, a_joiner_of_a_higher_epoch_brings_a_new_one)
{
    struct rig *rig = rig_in("A B", 'A');
    struct message join = joins(MESSAGE_JOIN, 'D', 0);

    join.joiner.epoch_seen = 10;
    is_ready(rig, join);
    const struct view *view = proposed(rig, 'D');
    cr_assert_not_null(view);
    cr_assert_eq(view->epoch, 11);
    rig_free(rig);
}

Test(core_join, a_joiner_tells_the_epochs_of_its_earlier_lives)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *view = rig_view(rig, "A B C D");

    view->epoch = 5;
    view_seal(view);
    struct message shown = carries(MESSAGE_VIEW, view);
    rig_gets(rig, 'A', &shown);
    shown = carries(MESSAGE_VIEW, rig_next(rig, "-C"));
    rig_gets(rig, 'A', &shown);
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    const struct message *join = rig_told(rig, MESSAGE_JOIN, 'A');
    cr_assert_not_null(join);
    cr_assert_eq(join->joiner.epoch_seen, 5);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER});
    const struct message *ready = rig_told(rig, MESSAGE_READY, 'A');
    cr_assert_not_null(ready);
    cr_assert_eq(ready->joiner.epoch_seen, 5);
    rig_free(rig);
}
