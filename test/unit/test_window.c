/* Which numbers of a sender were there before. */
#include <criterion/criterion.h>

#include "base/random.h"
#include "seal/window.h"

Test(window, takes_each_number_once)
{
    struct window window = {0};

    cr_assert_not(window_is_new(&window, 0));
    window_take(&window, 7);
    cr_assert_not(window_is_new(&window, 7));
    cr_assert_not(window_is_new(&window, 6), "what is below the first is too old to tell");
    window_take(&window, 20);
    window_take(&window, 9); /* overtaken on the way */
    cr_assert_not(window_is_new(&window, 9));
    cr_assert_not(window_is_new(&window, 20));
    cr_assert(window_is_new(&window, 10));
    cr_assert(window_is_new(&window, UINT64_MAX));
}

Test(window, counts_what_came_and_not_what_went_elsewhere)
{
    struct window window = {0};

    /* One of 4096 receivers sees each 4096th number. One frame may still be overtaken by 127. */
    for (uint64_t i = 1; i < WINDOW_NUMBERS; i++) {
        window_take(&window, 4096 * (i + 1));
    }
    window.below = 4095; /* as if an earlier one had come first */
    cr_assert(window_is_new(&window, 4096));
    window_take(&window, 4096);
    cr_assert_not(window_is_new(&window, 4096));
}

Test(window, gives_up_the_lowest_when_it_is_full)
{
    struct window window = {0};

    for (uint64_t number = 1; number <= WINDOW_NUMBERS; number++) {
        window_take(&window, 2 * number);
    }
    window_take(&window, 3); /* between the lowest two: it makes the lowest fall out */
    cr_assert_not(window_is_new(&window, 2));
    cr_assert_not(window_is_new(&window, 3));
    cr_assert(window_is_new(&window, 5));
    window_take(&window, 5);
    cr_assert_not(window_is_new(&window, 3));
    cr_assert_eq(window.count, WINDOW_NUMBERS);
}

Test(window, begins_where_it_is_told_to)
{
    struct window window = {0};

    window_take(&window, 100);
    window_begin(&window, 7);
    cr_assert_not(window_is_new(&window, 7));
    cr_assert(window_is_new(&window, 100), "it has forgotten that");
    window_take(&window, 100);
    cr_assert(window_is_new(&window, 8), "the first number says nothing of those below");
}

/* What was taken before the sender was asked for its count is forgotten, what came since is not. */
Test(window, is_renewed_from_a_count_and_what_came_since_it_was_asked)
{
    struct window window = {0};
    struct window since = {0};

    for (uint64_t i = 1; i <= 2 * WINDOW_NUMBERS; i++) {
        window_take(&window, (UINT64_C(1) << 62) + i);
    }
    window_begin(&since, 0);
    window_take(&since, 38);
    window_take(&since, 45);
    window_renew(&window, &since, 40);
    cr_assert_not(window_is_new(&window, 38));
    cr_assert_not(window_is_new(&window, 40));
    cr_assert_not(window_is_new(&window, 45));
    cr_assert(window_is_new(&window, 41));
    cr_assert(window_is_new(&window, 46));
    for (uint64_t i = 1; i <= 2 * WINDOW_NUMBERS; i++) {
        window_take(&since, 50 + i);
    }
    window_renew(&window, &since, 40);
    cr_assert_not(window_is_new(&window, 51), "it fell out of what came since");
    cr_assert_eq(window.count, WINDOW_NUMBERS);
}

/* Against a list of all numbers that ever came. */
Test(window, never_takes_one_twice_whatever_the_order)
{
    enum { NUMBERS = 4000, SPREAD = 1000 }; /* so that some fall out, and come again */
    static bool taken[NUMBERS + SPREAD + 1];
    struct window window = {0};
    struct random random;

    random_seed(&random, 42);
    for (uint64_t i = 1; i <= NUMBERS; i++) {
        const uint64_t number = i + random_below(&random, SPREAD);
        if (window_is_new(&window, number)) {
            cr_assert_not(taken[number], "%lu twice", (unsigned long)number);
            window_take(&window, number);
            taken[number] = true;
        }
        for (uint32_t k = 1; k < window.count; k++) {
            cr_assert_lt(window.numbers[k - 1], window.numbers[k]);
        }
    }
}
