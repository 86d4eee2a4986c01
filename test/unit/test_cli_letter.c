/* What joiner and sponsor tell each other, and the configuration that comes of it. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "cli/invite/conf.h"
#include "cli/invite/letter.h"

static struct letter_answer written;
static struct letter_answer answer;
static struct letter_ask ask;
static char text[LETTER_TEXT_MAX];

static bool reads_ask(const char *lines)
{
    return letter_read_ask(&ask, lines, strlen(lines));
}

static bool reads_answer(const char *lines)
{
    return letter_read_answer(&answer, lines, strlen(lines));
}

Test(cli_letter, an_ask_is_read_as_it_was_written)
{
    const struct letter_ask said = {.name = "host2", .address = "[fd00::2]:7420"};
    const size_t length = letter_write_ask(&said, text);

    cr_assert(letter_read_ask(&ask, text, length));
    cr_assert_str_eq(ask.name, "host2");
    cr_assert_str_eq(ask.address, "[fd00::2]:7420");
}

Test(cli_letter, an_ask_with_another_name_or_address_is_refused)
{
    static const char *const bad[] = {
        "",
        "name = a\n",
        "address = 10.0.0.1:1\n",
        "name = -a\naddress = 10.0.0.1:1\n",
        "name = a b\naddress = 10.0.0.1:1\n",
        "name = a,b\naddress = 10.0.0.1:1\n",
        "name = ../a\naddress = 10.0.0.1:1\n",
        "name = a\naddress = host2:1\n",
        "name = a\naddress = bad.cafe:1\n",
        "name = a\naddress = 1.2.3:1\n",
        "name = a\naddress = 10.0.0.1:0\n",
        "name = a\naddress = 0.0.0.0:1\n",
        "name = a\naddress = [::]:1\n",
        "name = a\naddress = [10.0.0.1]:1\n",
        "name = a\naddress = $(reboot)\n",
        "name = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\naddress = 10.0.0.1:1\n",
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        cr_assert_not(reads_ask(bad[i]), "%s", bad[i]);
    }
    cr_assert(reads_ask("name = a.b-c_d\naddress = 10.0.0.1:1\n"));
    cr_assert(reads_ask("name = a\naddress = [FD00::1]:1\n"));
    cr_assert_not(letter_read_ask(&ask, "name = a\0\naddress = 10.0.0.1:1\n", 31));
}

/* Of the sponsor's file only what all nodes share crosses, of its key file only keys. */
Test(cli_letter, an_answer_has_keys_and_what_all_nodes_share)
{
    strcpy(written.keys, "# first\nAAAA=\n  # more\n\nBBBB=\n");
    strcpy(written.conf,
           "; the node\nname = host1\nlisten = 10.0.0.1\nguard = strict ; all\n"
           "hooks = /tmp/x\nvoters=host1\nkey = /k\nseed = 10.0.0.1\nseed = 10.0.0.2\n");
    const size_t length = letter_write_answer(&written, text);

    cr_assert(letter_read_answer(&answer, text, length));
    cr_assert_str_eq(answer.keys, "AAAA=\nBBBB=\n");
    cr_assert_str_eq(answer.conf,
                     "guard = strict\nvoters = host1\nseed = 10.0.0.1\nseed = 10.0.0.2\n");
    cr_assert_str_eq(answer.refusal, "");
}

Test(cli_letter, what_is_not_shared_is_not_taken_from_an_answer)
{
    cr_assert(reads_answer(
        "key = A\nhooks = /tmp/x\nname = other\ncontrol-admin = users\nguard = none\n"));
    cr_assert_str_eq(answer.conf, "guard = none\n");
    cr_assert_not(reads_answer("guard = none\n"), "without a key");
    cr_assert_not(reads_answer("key = A\nguard = \x1b[2J\n"), "what steers a terminal");
    cr_assert(reads_answer("refused = there is a member host2\n"));
    cr_assert_str_eq(answer.refusal, "there is a member host2");
}

/* Bytes of who has the word, and lies. */
Test(cli_letter, bytes_that_somebody_made_up_do_no_harm)
{
    static const char alphabet[] = "keyguardsn=;#\n \t\r=\n,.0123\x01\xff";
    struct random random;

    random_seed(&random, 99);
    for (unsigned i = 0; i < 20000; i++) {
        const size_t length = random_between(&random, 0, i % 32 == 0 ? sizeof text : 300);
        for (size_t at = 0; at < length; at++) {
            text[at] = i % 3 == 0 ? (char)random_u64(&random)
                                  : alphabet[random_below(&random, sizeof alphabet - 1)];
        }
        if (letter_read_answer(&answer, text, length)) {
            cr_assert_lt(strlen(answer.conf), sizeof answer.conf);
            cr_assert_lt(strlen(answer.keys), sizeof answer.keys);
        }
        if (letter_read_ask(&ask, text, length)) {
            cr_assert(letter_name_is_good(ask.name));
        }
    }
}

/* --- The lines of a file ---------------------------------------------------------------------- */

Test(cli_conf, lines_are_read_as_doyend_reads_them)
{
    static const char file[] =
        "# a = 1\n;b = 2\n  seed = 10.0.0.1  \nseed=10.0.0.2 ; mine\r\n\nnone\n"
        "url = a;b\nlast = x";
    char value[CONF_VALUE_MAX];

    cr_assert_not(conf_value(file, "a", value));
    cr_assert_not(conf_value(file, "b", value));
    cr_assert_eq(conf_count(file, "seed"), 2);
    cr_assert(conf_has(file, "seed", "10.0.0.1") && conf_has(file, "seed", "10.0.0.2"));
    cr_assert(conf_value(file, "url", value));
    cr_assert_str_eq(value, "a;b");
    cr_assert(conf_value(file, "last", value));
    cr_assert_str_eq(value, "x");
}

Test(cli_conf, a_line_is_changed_or_added_and_the_others_stay)
{
    char file[CONF_TEXT_MAX] = "; mine\nseed = a\n\nvoters = host1\nlast = x";

    cr_assert(conf_add_beside(file, "seed", "b"));
    cr_assert(conf_change(file, "voters", "host1,host2"));
    cr_assert(conf_add(file, "more", "y"));
    cr_assert_str_eq(file,
                     "; mine\nseed = a\nseed = b\n\nvoters = host1,host2\nlast = x\nmore = y\n");
    cr_assert_not(conf_change(file, "absent", "z"));
}

Test(cli_conf, a_line_that_doyend_would_cut_is_not_written)
{
    char file[CONF_TEXT_MAX] = "a = 1\n";
    char value[CONF_VALUE_MAX + 8];

    memset(value, 'x', sizeof value);
    value[CONF_VALUE_MAX - 5] = '\0'; /* "b = " and the end of the line go with it */
    cr_assert_not(conf_add(file, "b", value));
    cr_assert_str_eq(file, "a = 1\n");
    value[CONF_VALUE_MAX - 6] = '\0';
    cr_assert(conf_add(file, "b", value));
}

Test(cli_conf, a_value_that_doyend_would_read_as_another_one_is_not_written)
{
    char file[CONF_TEXT_MAX] = "a = 1\n";

    cr_assert_not(conf_add(file, "key", "/x ;y"));
    cr_assert_not(conf_add(file, "key", "/x\ninsecure = yes"));
    cr_assert_not(conf_change(file, "a", ";2"));
    cr_assert_str_eq(file, "a = 1\n");
    cr_assert(conf_add(file, "key", "/x;y z"));
}
