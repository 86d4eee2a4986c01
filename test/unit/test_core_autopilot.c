/* What a coordinator of guard strict does about its voters by itself (Z17). The rig is A, which
 * coordinates; A, B and C vote, and the others may stand in. */
#include "core/agreement/autopilot.h"

#include <criterion/criterion.h>
#include <string.h>

#include "core/agreement/voters_change.h"
#include "rig.h"

/* All have been members for long, and each voter was heard just now. */
static struct rig *rig_of_voters(const char *members, const char *voters, uint8_t target)
{
    struct rig *rig = rig_strict_among(members, 'A', voters);
    struct core *core = rig->core;

    core->plan.voters_target = target;
    core->voter.has_disk = true;
    core->autopilot = (struct autopilot){.on = true, .due_ms = NEVER_MS};
    for (uint8_t i = 0; i < core->view.voters.count; i++) {
        core->autopilot.heard[core->autopilot.count++] = (struct voter_heard){
            .record = core->view.voters.voters[i].record, .ms = rig->now_ms};
    }
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        core->peers[i].watch.begun_ms = 0;
        core->peers[i].signs.silent_from_ms = rig->now_ms + core->timing.replace_ms;
    }
    core->timing.flap_ms = rig->now_ms;
    return rig;
}

static struct rig *rig_with_target(const char *members, uint8_t target)
{
    return rig_of_voters(members, "A B C", target);
}

/* That voter was heard for the last time so long ago. */
static void was_heard(struct rig *rig, uint8_t place, uint64_t ms_ago)
{
    rig->core->autopilot.heard[place].ms = rig->core->now_ms - ms_ago;
}

static void is_silent(struct rig *rig, uint8_t place)
{
    rig->core->timing.replace_ms = 1000;
    was_heard(rig, place, 1000);
}

static void gets_tags(struct rig *rig, char name, const char *tag)
{
    const struct node_id id = rig_id(rig, name);
    struct tags tags = {.length = (uint16_t)(strlen(tag) + 1)};

    memcpy(tags.text, tag, tags.length);
    view_set_tags(&rig->core->view, view_find(&rig->core->view, &id), &tags);
}

/* Are these to vote, and nobody else? "": nothing is changed. */
static bool is_chosen(const struct rig *rig, const char *names)
{
    const struct voters_wish wish = autopilot_choice(rig->core);
    size_t found = 0;

    for (const char *at = names; *at != '\0'; at++) {
        const struct node_id id = rig_id(rig, *at);
        const uint32_t position = view_find(core_view(rig->core), &id);
        for (uint8_t i = 0; i < wish.count; i++) {
            found += strcmp(wish.voters[i].name, core_view(rig->core)->members[position].name) == 0
                         ? 1
                         : 0;
        }
    }
    return found == wish.count && found == strlen(names);
}

Test(core_autopilot, whoever_was_silent_for_t_replace_is_replaced_by_the_oldest)
{
    struct rig *rig = rig_with_target("A B C D E", 3);

    cr_assert(is_chosen(rig, ""));
    is_silent(rig, 2);
    cr_assert(is_chosen(rig, "ABD"));
    was_heard(rig, 2, 999);
    cr_assert(is_chosen(rig, ""));
    rig_free(rig);
}

/* Z17a: one of its own zone would go with the next one of them. */
Test(core_autopilot, the_zone_that_is_rarest_comes_first)
{
    struct rig *rig = rig_with_target("A B C D E F", 3);

    gets_tags(rig, 'A', "zone=x");
    gets_tags(rig, 'B', "zone=y");
    gets_tags(rig, 'D', "zone=x");
    gets_tags(rig, 'E', "zone=z");
    gets_tags(rig, 'F', "zone=z");
    is_silent(rig, 2);
    cr_assert(is_chosen(rig, "ABE"));
    rig_free(rig);
}

Test(core_autopilot, who_must_not_or_cannot_vote_is_passed_over)
{
    struct rig *rig = rig_with_target("A B C D E F G", 3);
    struct core *core = rig->core;

    is_silent(rig, 2);
    gets_tags(rig, 'D', "voter=no");
    core->view.members[4].drained = true;
    core->peers[5].franchise.unable = true;
    cr_assert(is_chosen(rig, "ABG"));
    core->peers[6].watch.begun_ms = core->now_ms - core->timing.flap_ms + 1;
    cr_assert(is_chosen(rig, ""), "it came a moment ago");
    rig_free(rig);
}

/* Z17b: never fewer, and more only when there are as many as are wanted. */
Test(core_autopilot, there_are_never_fewer_and_more_only_at_once)
{
    struct rig *rig = rig_with_target("A B C D", 5);

    cr_assert(is_chosen(rig, ""), "four");
    is_silent(rig, 2);
    cr_assert(is_chosen(rig, "ABD"));
    rig->core->view.member_count = 3;
    cr_assert(is_chosen(rig, ""), "nobody stands in");
    rig_free(rig);
    rig = rig_with_target("A B C D E", 5);
    cr_assert(is_chosen(rig, "ABCDE"));
    is_silent(rig, 2);
    cr_assert(is_chosen(rig, "ABD"), "C would be the fifth");
    rig_free(rig);
}

/* Z17b, mutant "below": those who are reached must not make a list of themselves. */
Test(core_autopilot, of_two_that_are_silent_one_stays_where_one_stands_in)
{
    struct rig *rig = rig_of_voters("A B C D E F", "A B C D E", 5);

    is_silent(rig, 3);
    was_heard(rig, 4, 1001);
    cr_assert(is_chosen(rig, "ABCDF"), "E was silent for longer");
    rig->core->view.member_count = 5;
    cr_assert(is_chosen(rig, ""));
    rig_free(rig);
}

/* By the leases of all three. */
static void acts(struct rig *rig)
{
    struct vote_record *record = rig_votes(rig);

    record->promise = (struct ballot){.epoch = 1, .life = rig_id(rig, 'A')};
    record->lease_ms = rig->timing.lease_ms;
    record->hold_ms = timing_hold_ms(&rig->timing);
    rig_pass(rig, rig->timing.heartbeat_ms, "B C D E");
    rig_leases(rig, 'B');
    rig_leases(rig, 'C');
}

/* Z17b */
Test(core_autopilot, it_waits_as_long_after_a_change_as_before)
{
    struct rig *rig = rig_with_target("A B C D E", 3);

    acts(rig);
    is_silent(rig, 2);
    rig->core->autopilot.heard[2].record = record_of('C');
    rig->core->peers[2].signs.heard_ms = 0;
    rig->core->autopilot.changed_ms = rig->core->now_ms - 999;
    rig->core->autopilot.due_ms = rig->core->now_ms;
    autopilot_tick(rig->core);
    cr_assert_not(rig->core->voters_change.on);
    rig->core->autopilot.changed_ms = rig->core->now_ms - 1000;
    rig->core->autopilot.due_ms = rig->core->now_ms;
    autopilot_tick(rig->core);
    cr_assert(rig->core->voters_change.on);
    cr_assert(rig->core->autopilot.wished);
    rig_free(rig);
}

/* Z17a: who gives no record has no disk, and the next one is tried. */
Test(core_autopilot, one_that_gives_no_record_is_passed_over)
{
    struct rig *rig = rig_with_target("A B C D E", 3);
    struct core *core = rig->core;

    acts(rig);
    is_silent(rig, 2);
    core->peers[2].signs.heard_ms = 0;
    core->autopilot.due_ms = core->now_ms;
    autopilot_tick(core);
    cr_assert(core->voters_change.on);
    voters_change_reset(core); /* T_leave has passed. */
    core->autopilot.due_ms = core->now_ms;
    autopilot_tick(core);
    cr_assert(core->peers[3].franchise.unable);
    cr_assert(core->voters_change.on, "E is asked");
    rig_free(rig);
}

/* Z17b: two lists may name more than one may have; whoever takes over in between waits. */
Test(core_autopilot, it_waits_while_there_are_two_lists)
{
    struct rig *rig = rig_of_voters("A B C D E F", "A B C D E F", 5);
    struct voter_lists *lists = &rig->core->view.voters;

    for (uint8_t i = 0; i < 6; i++) {
        struct listed_voter *voter = &lists->voters[lists->count++];
        *voter = lists->voters[i];
        lists->voters[i].before = true;
        lists->voters[i].now = false;
        voter->record.bytes[0]++;
    }
    cr_assert(voter_lists_are_joint(lists));
    rig->core->autopilot.due_ms = rig->core->now_ms;
    autopilot_tick(rig->core);
    cr_assert_eq(rig->core->autopilot.due_ms, rig->core->now_ms + rig->timing.discover_ms);
    cr_assert_not(rig->core->voters_change.on);
    rig_free(rig);
}
