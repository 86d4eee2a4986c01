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

/* Against a list of all numbers that ever came. */
Test(window, never_takes_one_twice_whatever_the_order)
{
    enum { NUMBERS = 4000, SPREAD = 300 };
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
