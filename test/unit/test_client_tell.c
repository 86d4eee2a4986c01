/* What a watch is told after a gap: the difference between the views before and after it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "client/tell.h"

enum { LINES_BYTES = 1024 };

/* Notes each event as a line: its text, and the reason of a departure. */
static int note(void *user, const struct doyen_event *event)
{
    char *lines = user;
    const size_t length = strlen(lines);

    snprintf(lines + length, LINES_BYTES - length, "%s%s%s\n",
             event->kind == DOYEN_GAP ? "gap" : event->text, event->reason == NULL ? "" : ", ",
             event->reason == NULL ? "" : event->reason);
    cr_expect_eq(event->derived, event->kind != DOYEN_GAP);
    return 0;
}

static const struct doyen_member a = {.name = "a", .id = "aa"};
static const struct doyen_member b = {.name = "b", .id = "bb"};
static const struct doyen_member c = {.name = "c", .id = "cc"};
static const struct doyen_member a_again = {.name = "a", .id = "ab"};
static const struct doyen_gone c_gone = {.name = "c", .id = "cc", .reason = "failed"};

Test(client_tell, what_changed_within_a_gap_is_told_with_what_is_remembered_of_it)
{
    static const struct doyen_member *const three[] = {&a, &b, &c};
    static const struct doyen_member *const two[] = {&b, &a_again};
    static const struct doyen_gone *const gone[] = {&c_gone};
    static const struct doyen_view before = {
        .members = three, .member_count = 3, .coordinator = &a, .acting = true, .guard_met = true};
    static const struct doyen_view after = {
        .members = two, .member_count = 2, .coordinator = &b, .gone = gone, .gone_count = 1};
    static const struct told gap = {.name = "gap", .json = "{}"};
    char lines[LINES_BYTES] = "";
    struct doyen d = {.watch = {.on = true, .on_event = note, .user = lines}};

    cr_assert(tell_gap(&d, &gap, &after, &before));
    cr_expect_str_eq(lines, "gap\n"
                            "gone meanwhile: a\n"
                            "gone meanwhile: c, failed\n"
                            "joined meanwhile: a\n"
                            "coordinator meanwhile: b\n"
                            "guard meanwhile\n"
                            "not acting meanwhile\n");

    lines[0] = '\0';
    cr_assert(tell_gap(&d, &gap, &after, &after));
    cr_expect_str_eq(lines, "gap\n");
    lines[0] = '\0';
    cr_assert(tell_gap(&d, &gap, &before, &after));
    cr_expect_not_null(strstr(lines, "\nacting meanwhile\n"));
}
