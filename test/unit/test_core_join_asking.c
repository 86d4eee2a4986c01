/* How a node asks to be let in, or founds (F1 to F3), step by step. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "core/state/state.h"
#include "message_content.h"
#include "rig.h"

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
    rig_must_see(rig, "C");
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
    rig_must_see(rig, "C");
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
