/* Kept answers: given again only while they are what would be made now. */
#include <criterion/criterion.h>

#include "control/http/cached_answer.h"

static struct answer answer_of_status(unsigned status)
{
    static char text[] = "x";

    return (struct answer){
        .status = status,
        .response = MHD_create_response_from_buffer(1, text, MHD_RESPMEM_PERSISTENT)};
}

Test(control_cached_answer, nothing_is_cached_at_first)
{
    const struct cached_answer cached = {.cursor = 0};

    cr_assert_null(cached_answer_find(&cached, 0, 0));
}

Test(control_cached_answer, an_answer_is_given_again_for_its_cursor_and_time_alone)
{
    struct cached_answer cached = {.cursor = 0};
    const struct answer answer = answer_of_status(200);

    cached_answer_set(&cached, &answer, 7, 1000);
    cr_assert_not_null(cached_answer_find(&cached, 7, 0), "until something changes");
    cr_assert_not_null(cached_answer_find(&cached, 7, 1000), "within the same millisecond");
    cr_assert_null(cached_answer_find(&cached, 7, 1001), "the clock went on");
    cr_assert_null(cached_answer_find(&cached, 8, 0), "something changed");
    cached_answer_drop(&cached);
    cr_assert_null(cached_answer_find(&cached, 7, 0));
}

Test(control_cached_answer, a_newer_answer_takes_the_place_of_the_older)
{
    struct cached_answer cached = {.cursor = 0};
    const struct answer first = answer_of_status(200);
    const struct answer second = answer_of_status(503);

    cached_answer_set(&cached, &first, 7, 1000);
    cached_answer_set(&cached, &second, 8, 2000);
    cr_assert_null(cached_answer_find(&cached, 7, 0));
    cr_assert_eq(cached_answer_find(&cached, 8, 2000)->status, 503);
    cached_answer_drop(&cached);
}
