/* Terms that change at run time (A1), one node at a time. */
#include <criterion/criterion.h>

#include "rig.h"

static struct message wish(void)
{
    return (struct message){.type = MESSAGE_TERMS,
                            .wish = {.rules = {.guard = {GUARD_COUNT, 2},
                                               .profile = PROFILE_LAN,
                                               .heartbeat_ms = 250,
                                               .lost_ms = 900,
                                               .capacity = 4}}};
}

/* A1a */
Test(core_terms, only_the_coordinator_is_to_be_asked)
{
    struct rig *rig = rig_in("A B C", 'B');
    const struct message terms = wish();

    rig_refuses(rig, 'C', &terms, REFUSED_RULES_ELSEWHERE);
    rig_free(rig);
}

/* A1b */
Test(core_terms, of_a_stranger_nothing_is_taken)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message terms = wish();

    rig_refuses(rig, 'D', &terms, REFUSED_RULES_OF_STRANGER);
    rig_free(rig);
}

/* A1b */
Test(core_terms, what_was_overtaken_is_not_taken)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message terms = wish();
    struct message late = rig_message(rig, 'C', &terms);

    rig_hears(rig, 'C');
    late.number = 1;
    rig_ignores_raw(rig, &late, REFUSED_RULES_OVERTAKEN);
    rig_free(rig);
}
