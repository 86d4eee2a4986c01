/* Suggestions for mistyped words, and the UTF-8 check. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/suggest.h"
#include "base/utf8.h"

static const char *const verbs[] = {"status", "members", "coordinator", "wait",
                                    "watch",  "why",     "leave",       "log-level"};

static const char *nearest(const char *word)
{
    return suggest_nearest(word, verbs, sizeof verbs / sizeof verbs[0]);
}

Test(suggest, one_slip_of_any_kind_is_near)
{
    cr_assert_str_eq(nearest("statsu"), "status"); /* two neighbours swapped */
    cr_assert_str_eq(nearest("statu"), "status");  /* one missing */
    cr_assert_str_eq(nearest("leavee"), "leave");  /* one too many */
    cr_assert_str_eq(nearest("mambers"), "members");
    cr_assert_str_eq(nearest("loglevel"), "log-level");
}

Test(suggest, two_slips_are_near)
{
    cr_assert_str_eq(nearest("cordinatr"), "coordinator");
    cr_assert_str_eq(nearest("tsatsu"), "status");
}

Test(suggest, the_beginning_of_a_word_is_near)
{
    cr_assert_str_eq(nearest("coord"), "coordinator");
    cr_assert_str_eq(nearest("mem"), "members");
}

Test(suggest, one_slip_is_nearer_than_a_beginning)
{
    cr_assert_str_eq(nearest("wai"), "wait");
    cr_assert_str_eq(nearest("wat"), "wait"); /* "watch" begins with it, and is longer by two */
}

Test(suggest, a_word_itself_is_nearest)
{
    cr_assert_str_eq(nearest("watch"), "watch");
}

Test(suggest, what_is_like_nothing_gets_no_suggestion)
{
    cr_assert_null(nearest("frobnicate"));
    cr_assert_null(nearest("all")); /* two slips leave one letter of it */
    cr_assert_null(nearest(""));
    cr_assert_null(nearest("quit"), "two slips make wait of it");
    cr_assert_null(nearest("zz"), "two slips turn any two letters into any others");
    cr_assert_null(suggest_nearest("status", NULL, 0));
}

Test(suggest, a_word_beyond_all_measure_is_refused_quietly)
{
    char word[400];

    memset(word, 'a', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    cr_assert_null(nearest(word));
}

struct utf8_case {
    const char *bytes;
    size_t expected;
};

Test(utf8, tells_characters_from_what_is_none)
{
    static const struct utf8_case cases[] = {
        {"a", 1},
        {"\xc3\xa9", 2},
        {"\xe2\x82\xac", 3},
        {"\xf0\x9f\x90\x98", 4},
        {"\x80", 0},             /* continues nothing */
        {"\xc0\xaf", 0},         /* overlong */
        {"\xe0\x80\xaf", 0},     /* overlong */
        {"\xf0\x80\x80\xaf", 0}, /* overlong */
        {"\xed\xa0\x80", 0},     /* a surrogate */
        {"\xf4\x90\x80\x80", 0}, /* beyond U+10FFFF */
        {"\xf5\x80\x80\x80", 0},
        {"\xff", 0},
        {"\xe2\x82", 0}, /* cut short */
        {"\xe2\x28\xa1", 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_expect_eq(utf8_character_bytes(cases[i].bytes, strlen(cases[i].bytes)),
                     cases[i].expected, "case %zu", i);
    }
}

/* The first and the last of each kind, and what is beside them. */
Test(utf8, no_control_character_is_printable)
{
    static const char *const controls[] = {"\x01",     "a\x1f",     "\x7f",
                                           "\xc2\x80", "a\xc2\x9b", "\xc2\x9f"};
    static const char *const others[] = {" ~", "\xc2\xa0", "\xc3\x80", "\xdf\x80"};

    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
        cr_expect_not(utf8_is_printable(controls[i], strlen(controls[i])), "%zu", i);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        cr_expect(utf8_is_printable(others[i], strlen(others[i])), "%zu", i);
    }
}
