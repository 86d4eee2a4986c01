/* How many messages of strangers reach the core of a node without a key. */
#include <criterion/criterion.h>

#include "runtime/sealing/admission.h"
#include "view_builder.h"

enum { NOW_MS = 5000, SECOND_MS = 1000 };

static struct built_view built;
static struct admission admission;

static void setup(void)
{
    built = view_of("A B");
    admission = (struct admission){.counts = {{.count = 0}}};
}

static void teardown(void)
{
    view_built_free(&built);
}

TestSuite(admission, .init = setup, .fini = teardown);

static bool take(char letter, const struct address *source, uint64_t now_ms)
{
    const struct member from = member_of(letter);

    return admission_take(&admission, &built.view, &from.id, source, now_ms);
}

static const struct address far = {.family = 4, .bytes = {10, 0, 0, 9}, .port = 7420};
static const struct address near = {.family = 4, .bytes = {10, 0, 0, 8}, .port = 7420};

Test(admission, so_many_of_strangers_in_a_second_from_one_source)
{
    for (int i = 0; i < ADMITTED_PER_S; i++) {
        cr_assert(take("XYZ"[i % 3], &far, NOW_MS), "%d", i);
    }
    cr_assert_not(take('X', &far, NOW_MS + SECOND_MS - 1));
    cr_assert(take('X', &near, NOW_MS), "another source");
    cr_assert(take('X', &far, NOW_MS + SECOND_MS), "another second");
}

Test(admission, members_and_those_who_were_say_what_they_like)
{
    view_remove(&built.view, 1, &(struct gone){.reason = GONE_LEFT});

    for (int i = 0; i < 2 * ADMITTED_PER_S; i++) {
        cr_assert(take('A', &far, NOW_MS));
        cr_assert(take('B', &far, NOW_MS));
    }
}

/* A member hands on what many have asked it. */
Test(admission, what_a_member_hands_on_is_heard)
{
    const struct member member = member_of('B');

    for (int i = 0; i < 2 * ADMITTED_PER_S; i++) {
        cr_assert(take('X', &member.address, NOW_MS));
    }
}
