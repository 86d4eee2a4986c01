/* What of a text that may be another node's reaches a terminal. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/printer.h"

Test(cli_printer, no_control_character_reaches_a_terminal, .init = cr_redirect_stdout)
{
    const struct printer printer = {.colour = false};

    printer_text(&printer, TONE_PLAIN, "a\033[31mb\x7f\n|\xc2\x80\xc2\x9b\xc2\x9f|");
    printer_text(&printer, TONE_PLAIN, "\xc2\xa0\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80|");
    printer_text(&printer, TONE_PLAIN, "\x9b|\xc3|\xed\xa0\x80|\xc2");
    (void)fflush(stdout);
    cr_assert_stdout_eq_str("a?[31mb??|???|"
                            "\xc2\xa0\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80|"
                            "?|?|???|?");
}

/* What others choose the length of must not make every row as long. */
Test(cli_printer, a_long_cell_is_cut_between_two_characters, .init = cr_redirect_stdout)
{
    static const struct column columns[] = {{"A", false}, {"B", false}};
    const struct printer printer = {.colour = false};
    struct table *table = table_new(&printer, columns, 2);
    char sixty[2 * 60 + 1] = "";
    char longer[sizeof sixty + 2] = "";

    for (int i = 0; i < 60; i++) {
        strcat(sixty, "\xc3\xa9");
    }
    snprintf(longer, sizeof longer, "%s\xc3\xa9", sixty);
    setlocale(LC_CTYPE, "C.UTF-8");
    table_row(table);
    table_cell_cut(table, TONE_PLAIN, sixty);
    table_cell_cut(table, TONE_PLAIN, "short");
    table_row(table);
    table_cell_cut(table, TONE_PLAIN, longer);
    cr_assert(table_print(table));
    (void)fflush(stdout);
    char expected[512];
    snprintf(expected, sizeof expected, "A%61sB\n%s  short\n%.*s\xe2\x80\xa6\n", "", sixty,
             (int)sizeof sixty - 3, sixty);
    cr_assert_stdout_eq_str(expected);
}
