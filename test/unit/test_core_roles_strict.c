/* What a coordinator grants under guard strict, and for how long (K2a, K3a, K4e, K7). */
#include <criterion/criterion.h>

#include "core/agreement/change_count.h"
#include "core/detection/lease.h"
#include "core/detection/standing.h"
#include "roles_bench.h"

/* The voters answer what they were asked. */
static void leases(struct rig *rig)
{
    for (const char *voter = "BC"; *voter != '\0'; voter++) {
        rig_leases(rig, *voter);
    }
}

/* Time passes, and the voters go on leasing. */
static void acts_on(struct rig *rig, uint64_t ms)
{
    for (; ms > 0; ms -= ms < 100 ? ms : 100) {
        rig_pass(rig, ms < 100 ? ms : 100, "");
        leases(rig);
        cr_assert(core_is_acting(rig->core, rig->now_ms));
    }
}

static struct rig *acts(void)
{
    struct rig *rig = rig_strict("A B C", 'A');

    rig_pass(rig, 300, "B C");
    leases(rig);
    rig_pass(rig, 300, "B C");
    leases(rig);
    cr_assert(core_is_acting(rig->core, rig->now_ms));
    return rig;
}

/* K4e, Z5c: there the voters give the epoch. */
Test(core_roles, strict_another_epoch_comes_from_the_voters)
{
    struct rig *rig = acts();
    const uint64_t epoch = core_view(rig->core)->epoch;
    const struct role_command outgrow = {.wish = ROLE_OUTGROW};

    rig_wants(rig, &outgrow);
    cr_assert(change_is_overtaken(rig->core));
    acts_on(rig, rig->timing.claim_ms);
    cr_assert(rig->core->candidacy.on);
    cr_assert_gt(rig->core->candidacy.epoch, epoch);
    rig_free(rig);
}

/* K7a: whoever has not told, member or not, may hold until then, as the voters said. */
Test(core_roles, strict_nothing_is_granted_while_a_former_grant_may_be_held)
{
    struct rig *rig = acts();
    const uint64_t held_ms = 2 * timing_hold_ms(&rig->timing);

    rig->core->candidacy.held_until_ms = rig->now_ms + held_ms;
    struct roles_said b = roles_stands(rig, 'B', 1, &ROLES_FIRST);
    roles_asks(rig, 'B', &b);
    roles_asks(rig, 'C', NULL);
    cr_assert_eq(roles_listed(rig, 1).token, 0);
    acts_on(rig, held_ms - 1);
    cr_assert_eq(roles_listed(rig, 1).token, 0);
    acts_on(rig, 1);
    cr_assert_neq(roles_listed(rig, 1).token, 0);
    rig_free(rig);
}

/* K2a: no answer goes out, and nothing is granted, while it does not act. */
Test(core_roles, who_does_not_act_answers_nothing)
{
    struct rig *rig = acts();
    struct roles_said b = {.request = 1, .number = role_token(0, 1), .token = role_token(0, 2)};

    rig->core->candidacy.held_until_ms = rig->now_ms + timing_hold_ms(&rig->timing);
    rig_pass(rig, rig->timing.lease_ms, "B C");
    cr_assert_not(core_is_acting(rig->core, rig->now_ms));
    roles_enters(rig, 'B', &b, &ROLES_FIRST);
    cr_assert_eq(rig_count(rig, MESSAGE_ROLES_PLACE), 0);
    struct message ask = roles_word(rig, MESSAGE_ROLES_ASK);
    rig_refuses(rig, 'B', &ask, REFUSED_ROLE_NOT_ACTING);
    cr_assert_eq(rig_count(rig, MESSAGE_ROLES_PLACE) + rig_count(rig, MESSAGE_ROLES_ANSWER), 0);
    roles_asks(rig, 'B', &b);
    cr_assert_eq(rig_count(rig, MESSAGE_ROLES_PLACE) + rig_count(rig, MESSAGE_ROLES_ANSWER), 0);
    cr_assert_eq(roles_listed(rig, 1).token, b.token, "what was told is noted");
    rig_free(rig);
}

/* K7b: whom it granted anything it lists, and nobody else can have done so in this epoch. */
Test(core_roles, strict_a_grant_of_this_epoch_that_was_never_made_is_not_kept)
{
    struct rig *rig = acts();
    const uint64_t epoch = core_view(rig->core)->epoch;
    struct roles_said lie = {
        .request = 1, .number = role_token(epoch, 1), .token = role_token(epoch, 9)};
    struct roles_said former = {.request = 2, .token = role_token(epoch - 1, 9)};

    roles_enters(rig, 'B', &lie, &ROLES_FIRST);
    cr_assert_eq(roles_listed(rig, 1).number, lie.number);
    cr_assert_neq(roles_listed(rig, 1).token, lie.token, "it may be granted another at once");
    roles_enters(rig, 'C', &former, &ROLES_FIRST);
    cr_assert_eq(roles_listed(rig, 2).token, former.token);
    rig_free(rig);
}

/* K3a: the answer says for how long, and it is free T_hold after that, whatever is agreed since. */
Test(core_roles, strict_a_grant_is_for_as_long_as_was_said)
{
    struct rig *rig = acts();
    const uint64_t hold_ms = timing_hold_ms(&rig->timing);
    struct roles_said b = roles_stands(rig, 'B', 1, &ROLES_FIRST);

    acts_on(rig, hold_ms);
    b.token = roles_listed(rig, 1).token;
    roles_asks(rig, 'B', &b);
    cr_assert_eq(rig_told(rig, MESSAGE_ROLES_ANSWER, 'B')->role.held_ms, hold_ms * 4 / 5 - 2);
    rig->core->timing.lost_ms_shortest *= 2;
    lease_on_timing(rig->core, &rig->timing);
    roles_asks(rig, 'B', &b);
    cr_assert_eq(rig_told(rig, MESSAGE_ROLES_ANSWER, 'B')->role.held_ms, hold_ms * 4 / 5 - 2,
                 "no voter was told yet");
    rig->core->timing.lost_ms_shortest /= 8;
    lease_on_timing(rig->core, &rig->timing);
    acts_on(rig, hold_ms - 1);
    cr_assert_eq(roles_listed(rig, 1).token, b.token);
    acts_on(rig, rig->timing.heartbeat_ms);
    cr_assert_neq(roles_listed(rig, 1).token, b.token);
    rig_free(rig);
}

/* K7c: no verdict and no closed connection ends a grant, but T_hold after the last answer does. */
Test(core_roles, strict_a_grant_ends_t_hold_after_the_last_answer)
{
    struct rig *rig = acts();
    uint64_t hold_ms = timing_hold_ms(&rig->timing);
    struct roles_said b = roles_stands(rig, 'B', 1, &ROLES_FIRST);
    struct roles_said c = roles_stands(rig, 'C', 2, &ROLES_FIRST);

    acts_on(rig, hold_ms);
    b.token = roles_listed(rig, 1).token;
    cr_assert_neq(b.token, 0);
    roles_asks(rig, 'B', &b);
    for (uint64_t passed_ms = 0; passed_ms + 100 < hold_ms; passed_ms += 100) {
        acts_on(rig, 100);
        roles_asks(rig, 'C', &c);
        cr_assert_eq(roles_listed(rig, 1).token, b.token);
        cr_assert_eq(roles_listed(rig, 2).token, 0);
    }
    acts_on(rig, 200);
    cr_assert_neq(roles_listed(rig, 1).token, b.token);
    rig_free(rig);
}
