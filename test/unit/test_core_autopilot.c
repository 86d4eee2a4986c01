/* What a coordinator of guard strict does about its voters by itself (Z17). The rig is A, which
 * coordinates; A, B and C vote, and the others may stand in. */
#include "core/agreement/autopilot.h"

#include <criterion/criterion.h>
#include <string.h>

#include "core/agreement/voters_change.h"
#include "rig.h"

/* All have been members for long, and each voter has leased until just now. */
static struct rig *rig_of_voters(const char *members, const char *voters, uint8_t target)
{
    struct rig *rig = rig_strict_among(members, 'A', voters);
    struct core *core = rig->core;

    core->plan.voters_target = target;
    core->voter.has_disk = true;
    core->autopilot = (struct autopilot){.on = true, .due_ms = NEVER_MS};
    for (uint8_t i = 0; i < core->view.voters.count; i++) {
        core->lease.voters[i] = (struct voter_lease){.record = core->view.voters.voters[i].record,
                                                     .until_ms = rig->now_ms};
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

/* The last lease of that voter was over so long ago. */
static void has_leased(struct rig *rig, uint8_t place, uint64_t ms_ago)
{
    const struct node_id *record = &rig->core->view.voters.voters[place].record;
    struct voter_lease *lease = rig->core->lease.voters;

    while (!id_equal(&lease->record, record)) {
        lease++;
    }
    lease->until_ms = rig->core->now_ms - ms_ago;
}

static void does_not_lease(struct rig *rig, uint8_t place)
{
    rig->core->timing.replace_ms = 1000;
    has_leased(rig, place, 1000);
}

/* Nor is its host heard. */
static void is_silent(struct rig *rig, uint8_t place)
{
    does_not_lease(rig, place);
    rig->core->peers[place].signs.silent_from_ms = 0;
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
    has_leased(rig, 2, 999);
    cr_assert(is_chosen(rig, ""));
    rig->core->autopilot.begun_ms = rig->core->now_ms - 999;
    has_leased(rig, 2, 1000);
    cr_assert(is_chosen(rig, ""), "it does not know what was before");
    rig_free(rig);
}

/* Is that one to vote by another record? */
static bool is_to_come_anew(const struct voters_wish *wish, const char *name)
{
    for (uint8_t i = 0; i < wish->count; i++) {
        if (strcmp(wish->voters[i].name, name) == 0) {
            return wish->voters[i].anew;
        }
    }
    return false;
}

/* Its record is lost, or somebody has said so; that is nothing as long as it leases by it. */
Test(core_autopilot, whoever_is_there_without_its_vote_is_to_get_another_record)
{
    struct rig *rig = rig_with_target("A B C D E", 3);
    struct core *core = rig->core;

    core->timing.lost_ms = 999;
    does_not_lease(rig, 2);
    cr_assert(is_chosen(rig, "ABC"));
    const struct voters_wish wish = autopilot_choice(core);
    cr_assert(is_to_come_anew(&wish, core->view.members[2].name));
    cr_assert_not(is_to_come_anew(&wish, core->view.members[1].name));
    cr_assert_str_eq(autopilot_outlook(core).goes, core->view.members[2].name);
    cr_assert_str_eq(autopilot_outlook(core).comes, core->view.members[2].name);
    core->peers[2].franchise.unable = true;
    cr_assert(is_chosen(rig, "ABD"));
    rig_free(rig);
}

/* Z16: it is asked seldom, and nobody of the members could stand in for it. */
Test(core_autopilot, a_witness_is_not_replaced)
{
    struct rig *rig = rig_with_target("A B C D E", 3);

    is_silent(rig, 2);
    rig->core->view.voters.voters[2].witness = true;
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
    is_silent(rig, 4);
    has_leased(rig, 4, 1001);
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
    rig->core->autopilot.changed_ms = rig->core->now_ms - 999;
    rig->core->autopilot.due_ms = rig->core->now_ms;
    autopilot_tick(rig->core);
    cr_assert_not(rig->core->voters_change.on);
    rig->core->autopilot.changed_ms = rig->core->now_ms - 1000;
    rig->core->autopilot.due_ms = rig->core->now_ms;
    autopilot_tick(rig->core);
    cr_assert(rig->core->voters_change.on);
    cr_assert_eq(rig->core->voters_change.by, WISHER_AUTOPILOT);
    rig_free(rig);
}

/* Z17a: who gives no record has no disk, and T_flap later the next one is tried. */
Test(core_autopilot, one_that_gives_no_record_is_passed_over)
{
    struct rig *rig = rig_with_target("A B C D E", 3);
    struct core *core = rig->core;

    acts(rig);
    is_silent(rig, 2);
    core->autopilot.due_ms = core->now_ms;
    autopilot_tick(core);
    cr_assert(core->voters_change.on);
    core->voters_change.asking.until_ms = core->now_ms;
    voters_change_tick(core);
    cr_assert_not(core->voters_change.on);
    cr_assert(core->peers[3].franchise.unable);
    cr_assert(is_chosen(rig, "ABE"));
    core->autopilot.due_ms = core->now_ms;
    autopilot_tick(core);
    cr_assert_not(core->voters_change.on);
    cr_assert_eq(autopilot_deadline_ms(core), core->autopilot.wished_ms + core->timing.flap_ms);
    rig_free(rig);
}

/* Z17b: one of them is there again. */
Test(core_autopilot, it_ends_its_own_change_and_no_operators)
{
    struct rig *rig = rig_with_target("A B C D E", 3);
    struct core *core = rig->core;

    acts(rig);
    is_silent(rig, 2);
    core->autopilot.due_ms = core->now_ms;
    autopilot_tick(core);
    struct voters_wish wish = core->voters_change.wish;
    has_leased(rig, 2, 0);
    autopilot_tick(core);
    cr_assert_not(core->voters_change.on);
    cr_assert_eq(voters_change_want(core, &wish, WISHER_OPERATOR), UNAGREED_NOT);
    core->autopilot.due_ms = core->now_ms;
    autopilot_tick(core);
    cr_assert(core->voters_change.on, "an operator wants the same");
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
