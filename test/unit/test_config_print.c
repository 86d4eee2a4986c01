/* Configuration: what --print-config prints. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_rig.h"
#include "runtime/options/config_print.h"
#include "runtime/options/options.h"

static char *printed(const struct result *result)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    cr_assert_not_null(file);
    config_print(file, &result->config, &result->outcome, PROGRAM_DOYEND);
    fclose(file);
    return text;
}

Test(config, what_is_printed_names_each_origin)
{
    struct machine machine = plain_machine();
    machine.environment[0] = "DOYEN_GUARD=2";
    struct result *result = parse_on(&machine, "--seed a --heartbeat 100ms");
    char *text = printed(result);

    cr_expect_not_null(strstr(text, "guard = 2                                ; environment "
                                    "DOYEN_GUARD\n"));
    cr_expect_not_null(strstr(text, "seed = a:7420                            ; flag\n"));
    cr_expect_not_null(strstr(text, "profile = lan                            ; default\n"));
    cr_expect_not_null(strstr(text, "; profile lan, scaled to the heartbeat\n"));
    cr_expect_not_null(strstr(text, "# state-dir = "));
    free(text);
    free(result);
}

static void assert_reads_back(const char *line)
{
    struct result *first = parse(line);
    cr_assert_eq(first->outcome.action, CONFIG_RUN, "%s", first->outcome.message);
    char *text = printed(first);
    struct result *second = parse_file(text, "");
    cr_assert_eq(second->outcome.action, CONFIG_RUN, "%s", second->outcome.message);

    for (size_t i = 0; i < option_count(); i++) {
        const struct setting *option = option_at(i);
        char a[OPTION_TEXT_MAX];
        char b[OPTION_TEXT_MAX];
        bool more = option->kind != NULL && option->kind->print != NULL;
        for (uint32_t item = 0; more; item++) {
            more = option->kind->print(option, &first->config, item, a);
            cr_assert_eq(more, option->kind->print(option, &second->config, item, b), "%s",
                         option->name);
            if (more) {
                cr_expect_str_eq(a, b, "%s", option->name);
            }
        }
    }
    cr_expect_eq(memcmp(&first->config.timing, &second->config.timing, sizeof(struct timing)), 0);
    free(text);
    free(first);
    free(second);
}

Test(config, what_is_printed_reads_back_the_same)
{
    assert_reads_back(
        "--name b --listen [::]:7420 --seed a --seed [::1]:2 --tag k=v=w --tag x=;y --guard 2 --profile local "
        "--heartbeat 40ms --http [::1]:1 --http-host h --control-mode 0640 --join-timeout 90s --bootstrap-expect 2 --state-dir s --faults --sandbox off "
        "--log-format text --election ring --partitions 12,90s --backups 1 --priority 4 --advertise 10.0.0.9 --control c.sock --capacity 7");
}

/* Heartbeat and silence stand in comments, for a file may not set them beside it. */
Test(config, what_follows_from_one_time_is_printed_as_a_comment)
{
    struct result *result = parse("--detect 2s");
    char *text = printed(result);

    cr_expect_not_null(strstr(text, "\ndetect = 2s "), "%s", text);
    cr_expect_not_null(strstr(text, "\n# heartbeat = 1237ms "), "%s", text);
    cr_expect_not_null(strstr(text, "; follows from detect\n"), "%s", text);
    free(text);
    free(result);
    assert_reads_back("--detect 2s --profile local");
}

Test(config, what_a_file_cannot_say_is_printed_as_a_comment)
{
    struct machine machine = plain_machine();
    machine.environment[0] = "DOYEN_TAG=a=1 ;2";
    struct result *result = parse_on(&machine, "");
    char *text = printed(result);

    cr_expect_not_null(strstr(text, "# a file cannot say this one; environment DOYEN_TAG:\n"
                                    "# tag = a=1 ;2\n"));
    free(text);
    free(result);
}
