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

/* --- Where it was heard from (G1f) --- */

/* B, and D has come in, of which it has not heard yet. */
static struct rig *rig_beside_d(void)
{
    struct rig *rig = rig_guarded("A B C", 'B',
                                  (struct guard){.policy = GUARD_MAJORITY, .count = 4});

    shows(rig, "+D");
    return rig;
}

/* As D's next message, from its address or another one. */
static void says(struct rig *rig, bool elsewhere, bool relayed)
{
    const struct view *view = core_view(rig->core);

    rig->numbers['D']++;
    struct message message = rig_message(
        rig, 'D',
        &(struct message){.type = MESSAGE_HEARTBEAT,
                          .heartbeat = {.view = view_id_of(view), .view_hash = view->hash}});
    if (elsewhere) {
        message.source.port++;
    }
    message.relay = relayed;
    rig_gets_raw(rig, &message);
}

static bool is_none(const struct rig *rig)
{
    const struct node_id id = rig_id(rig, 'D');

    return numbers_none_of(rig->core, &id);
}

Test(core_places, who_was_heard_from_elsewhere_only_has_none)
{
    struct rig *rig = rig_beside_d();

    says(rig, true, false);
    cr_assert(is_none(rig));
    says(rig, false, true);
    cr_assert(is_none(rig), "what is relayed comes from the relay");
    shows(rig, "-D");
    cr_assert(is_none(rig));
    cr_assert(has_room(rig, 'E'));
    rig_free(rig);
}

Test(core_places, who_was_heard_at_its_address_has_one)
{
    struct rig *rig = rig_beside_d();

    says(rig, true, false);
    says(rig, false, false);
    cr_assert_not(is_none(rig));
    says(rig, true, false);
    cr_assert_not(is_none(rig), "another may speak in its name");
    shows(rig, "-D");
    shows(rig, "+E");
    cr_assert_not(has_room(rig, 'F'));
    rig_free(rig);
}

/* It is behind a gateway, and answers there. */
Test(core_places, whose_lifeline_was_opened_has_one)
{
    struct rig *rig = rig_beside_d();

    says(rig, true, false);
    rig_links(rig, 'D', LINK_OPENED);
    cr_assert_not(is_none(rig));
    rig_free(rig);
}

/* Nothing says that it is not there. */
Test(core_places, who_was_heard_through_others_only_has_one)
{
    struct rig *rig = rig_beside_d();

    says(rig, true, true);
    cr_assert_not(is_none(rig));
    rig_free(rig);
}

/* No life has two addresses: one of the views was made up. */
Test(core_places, who_was_listed_at_two_addresses_has_one_when_it_is_heard_there)
{
    struct rig *rig = rig_beside_d();

    says(rig, false, false);
    struct view *view = rig_next(rig, "");
    const struct node_id id = rig_id(rig, 'D');
    view->members[view_find(view, &id)].address.port++;
    view_seal(view);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}});
    cr_assert_eq(core_view(rig->core)->version, view->version);
    cr_assert(is_none(rig));
    says(rig, false, false);
    cr_assert(is_none(rig));
    says(rig, true, false);
    cr_assert_not(is_none(rig));
    rig_free(rig);
}

/* A merge brings it back, and it is not heard again. */
Test(core_places, who_was_heard_from_elsewhere_and_comes_back_has_none)
{
    struct rig *rig = rig_beside_d();

    says(rig, true, false);
    shows(rig, "-D");
    shows(rig, "+D");
    cr_assert_eq(core_view(rig->core)->member_count, 4);
    cr_assert(is_none(rig));
    rig_free(rig);
}
