/* Whom a node counts for its guard (G1). Who acts is told by the stories of the guard. */
#include <criterion/criterion.h>

#include "rig.h"

static uint32_t fresh(const struct rig *rig)
{
    return core_guard(rig->core, rig->now_ms).fresh;
}

/* H32: D is in the view that A shows, and nobody has heard it. */
Test(core_standing, counts_whom_it_heard_not_who_is_listed)
{
    struct rig *rig = rig_in("A B C", 'B');
    const struct message shown = {.type = MESSAGE_VIEW, .carrier = {.view = rig_next(rig, "+D")}};

    rig_gets(rig, 'A', &shown);
    cr_assert_eq(fresh(rig), 3);
    rig_hears(rig, 'D');
    cr_assert_eq(fresh(rig), 4);
    rig_pass(rig, rig->timing.fresh_ms, "A C");
    cr_assert_eq(fresh(rig), 3);
    rig_free(rig);
}

Test(core_standing, counts_nobody_whom_it_suspects)
{
    struct rig *rig = rig_in("A B C", 'A');

    cr_assert_eq(fresh(rig), 3);
    rig_kill(rig, 'C');
    cr_assert_eq(fresh(rig), 2);
    rig_free(rig);
}

/* Whoever follows another is counted over there; a member need not know whom others follow. */
Test(core_standing, a_coordinator_counts_who_follows_it)
{
    for (const char *self = "AC"; *self != '\0'; self++) {
        struct rig *rig = rig_in("A B C", *self);
        struct heartbeat says = {.view = view_id_of(core_view(rig->core))};
        says.view.coordinator = rig_id(rig, 'X');
        rig_gets(rig, 'B', &(struct message){.type = MESSAGE_HEARTBEAT, .heartbeat = says});
        cr_assert_eq(fresh(rig), *self == 'A' ? 2 : 3);
        rig_free(rig);
    }
}
