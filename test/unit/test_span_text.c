/* A length of time for people. */
#include <criterion/criterion.h>

#include "words/span_text.h"

Test(span_text, is_as_exact_as_is_of_use)
{
    static const struct {
        uint64_t ms;
        const char *text;
    } cases[] = {
        {0, "0 ms"},
        {999, "999 ms"},
        {1000, "1.0 s"},
        {59999, "59.9 s"},
        {60000, "1 min"},
        {3599999, "59 min"},
        {3600000, "1 h"},
        {86399999, "23 h"},
        {86400000, "1 d"},
        {8640000000, "100 d"},
        {UINT64_MAX, "213503982334 d"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[SPAN_TEXT_MAX];
        cr_expect_str_eq(span_text(cases[i].ms, text), cases[i].text);
    }
}
