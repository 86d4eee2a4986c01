/* What of a text that may be another node's reaches a terminal. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>

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
