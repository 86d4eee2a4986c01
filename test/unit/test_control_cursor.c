/* Cursors as text: what is given out is taken back, and nothing else is. */
#include <criterion/criterion.h>

#include "control/text/cursor.h"

Test(control_cursor, what_is_written_reads_back)
{
    static const struct cursor cursors[] = {{0, 0}, {0xa1b2c3d, 17}, {UINT32_MAX, UINT64_MAX}};
    static const char *const texts[] = {"00000000-0", "0a1b2c3d-17",
                                        "ffffffff-18446744073709551615"};
    char text[CURSOR_TEXT_MAX];

    for (size_t i = 0; i < 3; i++) {
        struct cursor read = {1, 1};
        cr_expect_str_eq(cursor_text(cursors[i], text), texts[i]);
        cr_assert(cursor_parse(text, &read));
        cr_expect_eq(read.life, cursors[i].life);
        cr_expect_eq(read.number, cursors[i].number);
    }
}

Test(control_cursor, what_was_never_given_out_is_refused)
{
    static const char *const texts[] = {"",
                                        "17",
                                        "0a1b2c3d",
                                        "0a1b2c3d-",
                                        "-17",
                                        "0a1b2c3-17",
                                        "0A1B2C3D-17",
                                        "0a1b2c3d-017",
                                        "0a1b2c3d-+17",
                                        "0a1b2c3d- 17",
                                        "0a1b2c3d--1",
                                        "0a1b2c3d-17 ",
                                        "0x1b2c3d-17",
                                        "0a1b2c3d_17",
                                        "0a1b2c3d-0x1",
                                        "0a1b2c3d-18446744073709551616",
                                        "0a1b2c3d-99999999999999999999999999999999"};
    struct cursor cursor = {7, 7};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        cr_expect_not(cursor_parse(texts[i], &cursor), "%s", texts[i]);
    }
    cr_expect_eq(cursor.life, 7);
    cr_expect_eq(cursor.number, 7);
}
