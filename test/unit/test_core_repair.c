/* How two views that differ become one again (V2, V5). */
#include <criterion/criterion.h>

#include "message_content.h"
#include "rig.h"

/* One that names the core's view, under that version. */
static struct message heartbeat_of(const struct rig *rig, int version)
{
    const struct view *view = core_view(rig->core);
    struct message message = {.type = MESSAGE_HEARTBEAT,
                              .heartbeat = {.view = view_id_of(view), .view_hash = view->hash}};

    message.heartbeat.view.version += (uint64_t)(int64_t)version;
    return message;
}

/* --- One name, two contents (V2) --- */

Test(core_repair, a_member_counts_two_contents_and_makes_no_view)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct message other = heartbeat_of(rig, 0);

    other.heartbeat.view_hash++;
    rig_gets(rig, 'B', &other);
    cr_assert_eq(core_counters(rig->core)->mismatches, 1);
    rig_pass(rig, rig->timing.batch_ms, "");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_free(rig);
}

/* --- Each heartbeat compares two views (V5) --- */

/* H17 */
Test(core_repair, who_sees_a_higher_view_asks_for_it)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct message higher = heartbeat_of(rig, 1);

    rig_gets(rig, 'B', &higher);
    cr_assert_not_null(rig_told(rig, MESSAGE_PULL, 'B'));
    cr_assert_eq(rig_count(rig, MESSAGE_PULL), 1);
    rig_pass(rig, rig->timing.heartbeat_ms / 4 - 1, "");
    rig_gets(rig, 'A', &higher);
    cr_assert_eq(rig_count(rig, MESSAGE_PULL), 0, "the answer is on its way");
    rig_pass(rig, 1, "");
    rig_gets(rig, 'A', &higher);
    cr_assert_not_null(rig_told(rig, MESSAGE_PULL, 'A'));
    rig_free(rig);
}

Test(core_repair, who_is_asked_shows_its_view)
{
    struct rig *rig = rig_in("A B C", 'C');

    rig_gets(rig, 'B', &(struct message){.type = MESSAGE_PULL});
    const struct message *shown = rig_told(rig, MESSAGE_VIEW, 'B');
    cr_assert_not_null(shown);
    cr_assert_eq(shown->carrier.view->hash, core_view(rig->core)->hash);
    rig_free(rig);
}

Test(core_repair, a_coordinator_shows_its_view_at_once_to_one_that_names_a_lower)
{
    struct rig *rig = rig_in("A B C", 'A');
    struct message lower = heartbeat_of(rig, -1);

    rig_gets(rig, 'B', &lower);
    cr_assert_not_null(rig_told(rig, MESSAGE_VIEW, 'B'));
    rig_free(rig);
}

/* H49: not everybody sends the whole list to everybody. */
Test(core_repair, the_others_show_theirs_a_heartbeat_later)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct message lower = heartbeat_of(rig, -1);

    rig_gets(rig, 'B', &lower);
    cr_assert_eq(rig_count(rig, MESSAGE_VIEW), 0);
    rig_pass(rig, rig->timing.heartbeat_ms - 1, "");
    rig_gets(rig, 'B', &lower);
    cr_assert_eq(rig_count(rig, MESSAGE_VIEW), 0);
    rig_pass(rig, 1, "");
    rig_gets(rig, 'B', &lower);
    cr_assert_not_null(rig_told(rig, MESSAGE_VIEW, 'B'));
    rig_free(rig);
}

/* H32: a coordinator counts its followers by what they say. */
Test(core_repair, a_new_coordinator_hears_at_once_that_it_is_followed)
{
    struct rig *rig = rig_in("A B C D", 'C');
    struct view *view = rig_view(rig, "B C D");

    view->epoch++;
    view_seal(view);
    struct message shown = carries(MESSAGE_VIEW, view);
    rig_pass(rig, rig->timing.fresh_ms, "B D");
    rig_gets(rig, 'B', &shown);
    const struct message *heartbeat = rig_told(rig, MESSAGE_HEARTBEAT, 'B');
    cr_assert_not_null(heartbeat);
    cr_assert_eq(heartbeat->heartbeat.view_hash, view->hash);
    cr_assert_eq(rig_count(rig, MESSAGE_HEARTBEAT), 1, "D knows us as before");
    rig_free(rig);
}

Test(core_repair, a_new_member_hears_at_once_that_it_is_known)
{
    struct rig *rig = rig_in("A B C", 'C');
    struct message shown = carries(MESSAGE_VIEW, rig_next(rig, "+D"));

    rig_pass(rig, 10, "A B");
    rig_gets(rig, 'A', &shown);
    cr_assert_not_null(rig_told(rig, MESSAGE_HEARTBEAT, 'D'));
    cr_assert_eq(rig_count(rig, MESSAGE_HEARTBEAT), 1);
    rig_free(rig);
}

Test(core_repair, a_joiner_that_is_in_tells_all)
{
    struct rig *rig = rig_joining('C');
    struct message shown = carries(MESSAGE_VIEW, rig_view(rig, "A B C D"));

    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER});
    rig_gets(rig, 'A', &shown);
    for (const char *to = "ABD"; *to != '\0'; to++) {
        cr_assert_not_null(rig_told(rig, MESSAGE_HEARTBEAT, *to));
    }
    rig_free(rig);
}
