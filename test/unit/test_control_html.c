/* Text of others in HTML: shown as it is, and never taken for HTML. */
#include <criterion/criterion.h>
#include <string.h>

#include "control/text/html.h"

static void assert_html(const char *text, size_t length, const char *expected)
{
    struct text_builder html = {0};

    html_add_text(&html, text, length);
    cr_assert_not(html.failed);
    cr_assert_eq(html.length, strlen(expected));
    cr_assert_eq(memcmp(html.bytes, expected, html.length), 0, "%.*s", (int)html.length,
                 html.bytes);
    text_builder_deinit(&html);
}

Test(control_html, what_means_something_to_html_is_escaped)
{
    const char text[] = "<a href='x' id=\"y\">&amp;</a>";

    assert_html(text, sizeof text - 1,
                "&lt;a href=&#39;x&#39; id=&quot;y&quot;&gt;&amp;amp;&lt;/a&gt;");
}

Test(control_html, letters_of_all_languages_stay)
{
    const char text[] = "\xce\x91\xce\xb8\xce\xae\xce\xbd\xce\xb1 \xf0\x9f\x8f\x9b";

    assert_html(text, sizeof text - 1, text);
}

Test(control_html, bytes_that_are_no_text_become_question_marks)
{
    assert_html("a\xff\xc3 \x00\x1b[1m\n", 10, "a?? ??[1m?");
    assert_html("\xe2\x82", 2, "??");
}
