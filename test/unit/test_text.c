#include "base/text.h"

#include <criterion/criterion.h>
#include <string.h>

Test(text, is_set_with_its_terminating_zero)
{
    char text[8];
    memset(text, 'x', sizeof text);

    cr_assert(text_set(text, sizeof text, "athens, not this", 6));

    cr_assert_str_eq(text, "athens");
    cr_assert_eq(text[7], 'x'); /* Nothing beyond the zero is touched. */
}

Test(text, may_fill_its_place_to_the_last_byte)
{
    char text[4];

    cr_assert(text_set(text, sizeof text, "abc", 3));

    cr_assert_str_eq(text, "abc");
}

Test(text, is_empty_after_what_does_not_fit)
{
    char text[4] = "old";

    cr_assert_not(text_set(text, sizeof text, "abcd", 4));

    cr_assert_str_eq(text, "");
}

Test(text, may_be_set_to_nothing)
{
    char text[1] = {'x'};

    cr_assert(text_set(text, sizeof text, "", 0));

    cr_assert_str_eq(text, "");
}

Test(text, is_measured_no_further_than_its_place)
{
    static const char unterminated[3] = {'a', 'b', 'c'};

    cr_assert_eq(text_length("athens", 64), 6);
    cr_assert_eq(text_length("", 1), 0);
    cr_assert_eq(text_length(unterminated, sizeof unterminated), 3);
    cr_assert_eq(text_length("athens", 0), 0);
}

Test(text, equals_only_the_same_text)
{
    static const struct {
        const char *a;
        const char *b;
        bool equal;
    } cases[] = {
        {"", "", true},
        {"athens", "athens", true},
        {"athens", "athena", false},
        {"a", "", false},
        {"", "a", false},
        {"athens", "athens2", false},
        {"Athens", "athens", false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_eq(text_equal(cases[i].a, cases[i].b), cases[i].equal, "%s, %s", cases[i].a,
                     cases[i].b);
    }
}

Test(text, is_a_number_of_digits_alone)
{
    static const char *const numbers[] = {"0", "42", "00000000000000000000000000000007"};
    static const char *const others[] = {NULL, "", "-1", "+1", " 1", "1 ", "4b", "b", "1.0"};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        cr_assert(text_is_number(numbers[i]), "%s", numbers[i]);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        cr_assert_not(text_is_number(others[i]), "%zu", i);
    }
}
