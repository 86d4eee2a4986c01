/* Durations on doyen's command line and in its tables. */
#include <criterion/criterion.h>
#include <stdint.h>

#include "cli/print/duration.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define YEAR_MS (UINT64_C(365) * 24 * 3600 * 1000)

Test(cli_duration, a_number_with_its_unit_is_read)
{
    static const struct {
        const char *text;
        uint64_t milliseconds;
    } cases[] = {{"0ms", 0},      {"250ms", 250}, {"2s", 2000},      {"3m", 180000},
                 {"1h", 3600000}, {"007s", 7000}, {"8760h", YEAR_MS}};

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint64_t milliseconds = 1;
        cr_expect(duration_parse(cases[i].text, &milliseconds), "%s", cases[i].text);
        cr_expect_eq(milliseconds, cases[i].milliseconds, "%s", cases[i].text);
    }
}

Test(cli_duration, anything_else_is_refused)
{
    static const char *const texts[] = {"",
                                        "5",
                                        "s",
                                        "ms",
                                        "-1s",
                                        "+1s",
                                        " 1s",
                                        "1s ",
                                        "1 s",
                                        "1.5s",
                                        "1S",
                                        "1sec",
                                        "1d",
                                        "0x1s",
                                        "8761h",
                                        "99999999999999999999999s",
                                        "18446744073709551616ms"};

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        uint64_t milliseconds = 0;
        cr_expect_not(duration_parse(texts[i], &milliseconds), "%s", texts[i]);
    }
}

Test(cli_duration, as_it_is_typed_it_is_read_again)
{
    static const char *const texts[] = {"0ms", "250ms", "1500ms", "2s", "90s", "3m", "1h", "8760h"};

    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        uint64_t milliseconds = 1;
        char text[DURATION_TEXT_MAX];
        cr_assert(duration_parse(texts[i], &milliseconds));
        duration_typed(text, milliseconds);
        cr_expect_str_eq(text, texts[i]);
    }
}

Test(cli_duration, people_read_at_most_two_units)
{
    static const struct {
        uint64_t milliseconds;
        const char *text;
    } cases[] = {{0, "0 ms"},
                 {12, "12 ms"},
                 {999, "999 ms"},
                 {1000, "1.0 s"},
                 {4199, "4.1 s"},
                 {59999, "59.9 s"},
                 {60000, "1 min"},
                 {125000, "2 min 5 s"},
                 {3600000, "1 h"},
                 {12000000, "3 h 20 min"},
                 {187200000, "2 d 4 h"},
                 {UINT64_MAX, "213503982334 d 14 h"}};

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[DURATION_TEXT_MAX];
        duration_text(text, cases[i].milliseconds);
        cr_expect_str_eq(text, cases[i].text);
    }
}
