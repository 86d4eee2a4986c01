/* Key files and fingerprints. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "seal/keyring.h"

#define KEY_A "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=" /* the bytes 0 to 31 */
#define KEY_B "//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA="

static enum keyring_fault parse(struct keyring *ring, const char *text, uint32_t *line)
{
    return keyring_parse(ring, text, strlen(text), line);
}

Test(keyring, reads_the_lines_of_a_file)
{
    struct keyring ring;
    char text[KEY_TEXT_MAX];
    uint32_t line;

    cr_assert_eq(parse(&ring, "# new\n" KEY_A "\n\n  " KEY_B " \r\n", &line), KEYRING_OK);
    cr_assert_eq(ring.count, 2);
    for (unsigned i = 0; i < KEY_BYTES; i++) {
        cr_assert_eq(ring.keys[0].bytes[i], i);
    }
    key_print(&ring.keys[1], text);
    cr_assert_str_eq(text, KEY_B);
    cr_assert_eq(keyring_find(&ring, ring.keys[1].fingerprint), 1);
    cr_assert_eq(keyring_find(&ring, (uint16_t)~ring.keys[1].fingerprint), KEYRING_MAX);
    keyring_wipe(&ring);
    cr_assert_eq(ring.count, 0);
}

Test(keyring, needs_no_end_of_line_at_the_end)
{
    struct keyring ring;
    uint32_t line;

    cr_assert_eq(parse(&ring, KEY_A, &line), KEYRING_OK);
    cr_assert_eq(ring.count, 1);
}

Test(keyring, names_the_line_that_is_no_key)
{
    static const struct {
        const char *text;
        enum keyring_fault fault;
        uint32_t line;
    } cases[] = {
        {"", KEYRING_EMPTY, 0},
        {"# none\n\n", KEYRING_EMPTY, 2},
        {KEY_A "\nsecret\n", KEYRING_LINE, 2},
        {"\n" KEY_A KEY_B "\n", KEYRING_LINE, 2},                            /* two on one line */
        {"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg==\n", KEYRING_LINE, 1}, /* 31 bytes */
        {"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n", KEYRING_LINE, 1},  /* no padding */
        {KEY_A "\n" KEY_B "\n" KEY_A "\n", KEYRING_REPEATED, 3},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct keyring ring;
        uint32_t line;
        cr_assert_eq(parse(&ring, cases[i].text, &line), cases[i].fault, "case %zu", i);
        cr_assert_eq(line, cases[i].line, "case %zu: line %u", i, line);
    }
}

Test(keyring, holds_eight_keys_and_no_more)
{
    char text[KEYRING_TEXT_MAX] = "";
    struct keyring ring;
    uint32_t line;

    for (uint8_t i = 0; i <= KEYRING_MAX; i++) {
        struct key key = {.bytes = {i}};
        key_print(&key, text + strlen(text));
        strcat(text, "\n");
        cr_assert_eq(parse(&ring, text, &line), i < KEYRING_MAX ? KEYRING_OK : KEYRING_MANY);
    }
    cr_assert_eq(line, KEYRING_MAX + 1);
}

Test(keyring, reads_a_fingerprint_in_one_form)
{
    char text[FINGERPRINT_TEXT_MAX];
    uint16_t fingerprint;

    cr_assert(fingerprint_parse("3fa2", &fingerprint));
    cr_assert_eq(fingerprint, 0x3fa2);
    cr_assert_str_eq(fingerprint_text(0x03a2, text), "03a2");
    cr_assert_not(fingerprint_parse("3fa", &fingerprint));
    cr_assert_not(fingerprint_parse("3fa22", &fingerprint));
    cr_assert_not(fingerprint_parse("3FA2", &fingerprint));
    cr_assert_not(fingerprint_parse("", &fingerprint));
}
