/* Tags at run time (E8), one node at a time. */
#include <criterion/criterion.h>
#include <string.h>

#include "rig.h"

static struct message wish(const char *tag)
{
    struct message message = {.type = MESSAGE_WISH, .wish = {.kind = WISH_TAGS}};

    message.wish.tags.length = (uint16_t)(strlen(tag) + 1);
    memcpy(message.wish.tags.text, tag, message.wish.tags.length);
    return message;
}

static bool has(const struct view *view, uint32_t position, const char *tag)
{
    const struct tags *tags = member_tags(&view->members[position]);

    return tags->length == strlen(tag) + 1 && memcmp(tags->text, tag, tags->length) == 0;
}

static const struct view *proposed_to(const struct rig *rig, char letter)
{
    const struct message *prepare = rig_told(rig, MESSAGE_PREPARE, letter);

    cr_assert_not_null(prepare);
    return prepare->carrier.view;
}

/* A coordinator of A, B, C has given C that tag, in a view that all hold. */
static struct rig *gave_c(const char *tag)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message tags = wish(tag);

    rig_gets(rig, 'C', &tags);
    rig_pass(rig, rig->timing.batch_ms, "B C");
    cr_assert(has(proposed_to(rig, 'B'), 2, tag));
    const struct message ack = rig_ack(rig, 'B');
    rig_gets(rig, 'B', &ack);
    rig_gets(rig, 'C', &ack);
    cr_assert(has(core_view(rig->core), 2, tag));
    return rig;
}

/* E8a */
Test(core_tags, a_member_asks_the_coordinator_until_it_is_so)
{
    struct rig *rig = rig_in("A B C", 'C');

    rig_tags(rig, "role=db");
    const struct message *told = rig_told(rig, MESSAGE_WISH, 'A');
    cr_assert_not_null(told);
    cr_assert_eq(told->wish.tags.length, 8);
    rig_pass(rig, rig->timing.prepare_ms / 3, "A B");
    cr_assert_eq(rig_count(rig, MESSAGE_WISH), 1);
    rig_pass(rig, rig->timing.leave_ms + TAGS_PAUSE_MS, "A B");
    rig_pass(rig, rig->timing.leave_ms, "A B");
    cr_assert_eq(rig_count(rig, MESSAGE_WISH), 0, "and not for a while");
    rig_pass(rig, rig->timing.stall_ms, "A B");
    cr_assert_gt(rig_count(rig, MESSAGE_WISH), 0, "E8c");
    rig_free(rig);
}

/* E8a: what was asked before may be on its way yet. */
Test(core_tags, who_wants_back_what_it_has_asks_too)
{
    struct rig *rig = rig_in("A B C", 'C');

    rig_tags(rig, "role=db");
    struct view *next = rig_next(rig, "");
    const struct message wanted = wish("role=db");
    view_set_tags(next, 2, &wanted.wish.tags);
    view_seal(next);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = next}});
    cr_assert(has(core_view(rig->core), 2, "role=db"));
    rig_pass(rig, rig->timing.prepare_ms, "A B");
    cr_assert_eq(rig_count(rig, MESSAGE_WISH), 0);
    rig_tags(rig, "role=web");
    rig_tags(rig, "role=db");
    cr_assert_not_null(rig_told(rig, MESSAGE_WISH, 'A'));
    rig_free(rig);
}

/* E1b: the message names nobody, so that its sender has no say in what others have. */
Test(core_tags, a_member_changes_its_own_and_nobody_elses)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message tags = wish("role=db");

    rig_gets(rig, 'B', &tags);
    rig_pass(rig, rig->timing.batch_ms, "B C");
    const struct view *next = proposed_to(rig, 'C');
    cr_assert(has(next, 1, "role=db"));
    cr_assert_null(next->members[0].tags);
    cr_assert_null(next->members[2].tags);
    cr_assert_eq(next->members[1].age, 2, "it stays where it is");
    cr_assert_eq(next->epoch, 1);
    rig_free(rig);
}

/* E8a, E1b */
Test(core_tags, only_the_coordinator_is_to_be_asked_and_only_by_members)
{
    struct rig *rig = rig_in("A B C", 'B');
    const struct message tags = wish("role=db");

    rig_refuses(rig, 'C', &tags, REFUSED_NOT_COORDINATOR);
    rig_free(rig);
    rig = rig_in("A B C", 'A');
    rig_refuses(rig, 'D', &tags, REFUSED_OF_STRANGER);
    rig_pass(rig, 2 * rig->timing.batch_ms, "B C");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_free(rig);
}

/* E1b, D6c */
Test(core_tags, a_wish_that_was_overtaken_does_not_count)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message tags = wish("role=db");
    struct message late = rig_message(rig, 'C', &tags);

    rig_hears(rig, 'C');
    late.number = 1;
    rig_gets_raw(rig, &late);
    cr_assert_eq(rig->refused.reason, REFUSED_OVERTAKEN);
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    cr_assert_not_null(rig_told(rig, MESSAGE_PING, 'C'), "somebody may have used up its numbers");
    rig_free(rig);
}

/* E8b */
Test(core_tags, a_leaving_coordinator_gives_none)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message tags = wish("role=db");

    rig_leaves(rig);
    rig_refuses(rig, 'C', &tags, REFUSED_LEAVING);
    rig_free(rig);
}

/* E8b */
Test(core_tags, several_wishes_go_into_one_view)
{
    struct rig *rig = rig_in("A B C", 'A');
    const struct message of_b = wish("role=db");
    const struct message first = wish("role=cache");
    const struct message latest = wish("role=web");

    rig_gets(rig, 'B', &of_b);
    rig_gets(rig, 'C', &first);
    rig_gets(rig, 'C', &latest);
    rig_tags(rig, "role=own");
    rig_pass(rig, rig->timing.batch_ms, "B C");
    const struct view *next = proposed_to(rig, 'B');
    cr_assert(has(next, 0, "role=own"));
    cr_assert(has(next, 1, "role=db"));
    cr_assert(has(next, 2, "role=web"), "the latest wish counts");
    rig_free(rig);
}

/* E8b */
Test(core_tags, who_takes_a_wish_back_changes_nothing)
{
    struct rig *rig = gave_c("role=db");
    const struct message other = wish("role=web");
    const struct message same = wish("role=db");

    rig_refuses(rig, 'C', &same, REFUSED_SO_ALREADY);
    rig_pass(rig, TAGS_PAUSE_MS, "B C");
    rig_gets(rig, 'C', &other);
    rig_gets(rig, 'C', &same);
    rig_pass(rig, 2 * rig->timing.batch_ms, "B C");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_free(rig);
}

/* E8b */
Test(core_tags, a_member_changes_its_tags_once_a_second)
{
    struct rig *rig = gave_c("role=db");
    const struct message other = wish("role=web");

    rig_pass(rig, TAGS_PAUSE_MS - 100, "B C");
    rig_refuses(rig, 'C', &other, REFUSED_TAGS_TOO_SOON);
    rig_pass(rig, 100, "B C");
    rig_gets(rig, 'C', &other);
    rig_pass(rig, rig->timing.batch_ms, "B C");
    cr_assert(has(proposed_to(rig, 'B'), 2, "role=web"));
    rig_free(rig);
}

/* E8b: as many as there are places, and the next of them when one is free again. */
Test(core_tags, who_finds_no_place_asks_again)
{
    struct rig *rig = rig_in("A B C D E F G H I J K L M N O P Q R", 'A');
    const struct message tags = wish("role=db");

    for (char letter = 'B'; letter < 'B' + TAG_WISHES_MAX; letter++) {
        rig_gets(rig, letter, &tags);
    }
    rig_refuses(rig, 'R', &tags, REFUSED_TAGS_NO_PLACE);
    rig_free(rig);
}

/* E8c */
Test(core_tags, the_next_life_joins_with_what_is_wanted)
{
    struct rig *rig = rig_joining('B');

    rig_tags(rig, "role=db");
    cr_assert_eq(core_self(rig->core)->tags->length, 8);
    cr_assert_eq(rig_count(rig, MESSAGE_WISH), 0);
    rig_free(rig);
    rig = rig_in("A B C", 'C');
    struct view *next = rig_next(rig, "");
    const struct message wanted = wish("role=db");
    view_set_tags(next, 2, &wanted.wish.tags);
    view_seal(next);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = next}});
    cr_assert_eq(core_self(rig->core)->tags->length, 8, "it follows the view");
    cr_assert_eq(rig->noticed[NOTICE_TAGS], 1);
    rig_free(rig);
}

/* E8c */
Test(core_tags, a_wish_outlives_the_life_that_had_it)
{
    struct rig *rig = rig_in("A B C", 'C');
    const struct message without_us = {.type = MESSAGE_VIEW,
                                       .carrier = {.view = rig_next(rig, "-C")}};

    rig_tags(rig, "role=db");
    cr_assert_eq(core_self(rig->core)->tags->length, 0);
    rig_gets(rig, 'A', &without_us);
    cr_assert_eq(core_phase(rig->core), PHASE_JOINING);
    cr_assert_eq(core_self(rig->core)->tags->length, 8);
    rig_free(rig);
}

/* E8c, H96: somebody said it in its name. It says at once what it wants. */
Test(core_tags, tags_that_it_did_not_ask_for_are_asked_away)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct view *next = rig_next(rig, "");
    const struct message forged = wish("role=lie");

    view_set_tags(next, 2, &forged.wish.tags);
    view_seal(next);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = next}});
    const struct message *said = rig_told(rig, MESSAGE_WISH, 'A');
    cr_assert_not_null(said);
    cr_assert_eq(said->wish.tags.length, 0);
    rig_free(rig);
}
