/* Who has a place under guard majority (G1d to G1f). */
#include <criterion/criterion.h>

#include "core/agreement/next_view.h"
#include "core/detection/numbers.h"
#include "rig.h"

/* Five are stated, A to C are in, and the gone are listed. */
static struct rig *rig_without(const char *gone)
{
    struct rig *rig = rig_guarded("A B C", 'A',
                                  (struct guard){.policy = GUARD_MAJORITY, .count = 5});

    for (; *gone != '\0'; gone++) {
        const struct member member = member_of(*gone);
        struct gone entry = {.id = member.id,
                             .address = member.address,
                             .reason = GONE_FAILED,
                             .accusers = {1},
                             .accuser_count = 1};
        memcpy(entry.name, member.name, sizeof entry.name);
        view_add_gone(&rig->core->view, &entry);
    }
    return rig;
}

static bool has_room(const struct rig *rig, char letter)
{
    const struct member joiner = member_of(letter);

    return next_view_has_room(rig->core, core_view(rig->core), &joiner);
}

Test(core_places, whoever_failed_keeps_its_place)
{
    struct rig *rig = rig_without("D");

    cr_assert(has_room(rig, 'D'));
    cr_assert(has_room(rig, 'E'));
    rig_free(rig);
    rig = rig_without("DE");
    cr_assert(has_room(rig, 'D'));
    cr_assert_not(has_room(rig, 'F'));
    rig_free(rig);
}

/* Somebody may have made up the others. */
Test(core_places, whoever_has_one_comes_in_whatever_places_there_are)
{
    struct rig *rig = rig_without("DEFGH");

    cr_assert(has_room(rig, 'D'));
    cr_assert_not(has_room(rig, 'I'));
    rig->core->view.gone[0].reason = GONE_LEFT;
    cr_assert_not(has_room(rig, 'D'));
    rig_free(rig);
}

/* J4 ends the former life before the next one is let in. */
Test(core_places, whoever_replaces_its_former_life_has_a_place)
{
    struct rig *rig = rig_without("DEFGH");

    rig->core->view.gone[0].reason = GONE_REPLACED;
    cr_assert(has_room(rig, 'D'));
    cr_assert_not(has_room(rig, 'I'));
    rig_free(rig);
    rig = rig_without("DE");
    rig->core->view.gone[0].reason = GONE_REPLACED;
    cr_assert(has_room(rig, 'I'), "nobody else waits for who was replaced");
    rig_free(rig);
}

/* Whoever removed them never heard them, and this node came in later. */
Test(core_places, a_failure_without_an_accuser_keeps_none)
{
    struct rig *rig = rig_without("DE");

    rig->core->view.gone[0].accuser_count = 0;
    cr_assert(has_room(rig, 'F'));
    rig_free(rig);
    rig = rig_without("DEFG");
    rig->core->view.gone[0].accuser_count = 0;
    cr_assert(has_room(rig, 'D'), "but it may come back");
    cr_assert_not(has_room(rig, 'H'));
    rig_free(rig);
    rig = rig_without("DE");
    rig->core->view.gone[0].accuser_count = 0;
    rig->core->view.gone[0].reason = GONE_MOVED;
    cr_assert_not(has_room(rig, 'F'), "it said itself where it went");
    rig_free(rig);
}

Test(core_places, no_place_is_beyond_the_stated_size)
{
    struct rig *rig = rig_guarded("A B C D E", 'A',
                                  (struct guard){.policy = GUARD_MAJORITY, .count = 5});
    const struct member failed = member_of('F');
    struct gone entry = {.id = failed.id, .address = failed.address, .reason = GONE_FAILED};

    memcpy(entry.name, failed.name, sizeof entry.name);
    view_add_gone(&rig->core->view, &entry);
    cr_assert_not(has_room(rig, 'F'));
    rig_free(rig);
}

/* Whoever is gone failed, and A accuses it. */
static void shows(struct rig *rig, const char *changes)
{
    struct view *view = rig_next(rig, changes);
    struct message shown = {.type = MESSAGE_VIEW, .carrier = {.view = view}};

    for (uint32_t i = 0; i < view->gone_count; i++) {
        view->gone[i].accusers[0] = 1;
        view->gone[i].accuser_count = 1;
    }
    view_seal(view);
    rig_gets(rig, 'A', &shown);
}

Test(core_places, who_was_never_heard_has_none)
{
    struct rig *rig = rig_guarded("A B C", 'B',
                                  (struct guard){.policy = GUARD_MAJORITY, .count = 4});
    const struct node_id heard = rig_id(rig, 'C');
    const struct node_id unheard = rig_id(rig, 'D');

    rig_hears(rig, 'C');
    shows(rig, "+D");
    cr_assert_not(numbers_none_of(rig->core, &heard));
    cr_assert(numbers_none_of(rig->core, &unheard));
    cr_assert_not(numbers_none_of(rig->core, &core_self(rig->core)->id));
    shows(rig, "-C -D");
    cr_assert_not(numbers_none_of(rig->core, &heard));
    cr_assert(numbers_none_of(rig->core, &unheard));
    cr_assert(has_room(rig, 'E'));
    shows(rig, "+E");
    cr_assert_not(numbers_none_of(rig->core, &heard));
    cr_assert(numbers_none_of(rig->core, &unheard));
    cr_assert_not(has_room(rig, 'F'));
    rig_free(rig);
}
