#include "config_rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "words/address_text.h"

enum { ARGUMENTS_MAX = 80 };

static const char *machine_variable(void *context, const char *name)
{
    const struct machine *machine = context;
    const size_t length = strlen(name);

    for (size_t i = 0; i < 8 && machine->environment[i] != NULL; i++) {
        const char *text = machine->environment[i];
        if (strncmp(text, name, length) == 0 && text[length] == '=') {
            return text + length + 1;
        }
    }
    return NULL;
}

static const char *machine_variable_at(void *context, size_t index)
{
    const struct machine *machine = context;

    return index < 8 ? machine->environment[index] : NULL;
}

static bool machine_name(void *context, char *out, size_t size)
{
    const struct machine *machine = context;

    if (machine->host_name == NULL) {
        return false;
    }
    snprintf(out, size, "%s", machine->host_name);
    return true;
}

static size_t machine_addresses(void *context, uint8_t family, struct address *out, size_t max)
{
    const struct machine *machine = context;
    size_t count = 0;

    for (size_t i = 0; i < 6 && machine->addresses[i] != NULL; i++) {
        struct address address;
        cr_assert(address_parse_host(machine->addresses[i], 0, &address));
        if (address.family != family) {
            continue;
        }
        if (count < max) {
            out[count] = address;
        }
        count++;
    }
    return count;
}

static bool machine_last_address(void *context, const char *state_dir, struct address *out)
{
    const struct machine *machine = context;

    (void)state_dir;
    return machine->last != NULL && address_parse_host(machine->last, 0, out);
}

static bool machine_address_toward(void *context, const struct endpoint *seed, struct address *out)
{
    const struct machine *machine = context;

    if (machine->way_to[0] == NULL) {
        return machine->addresses[0] != NULL && address_parse_host(machine->addresses[0], 0, out);
    }
    return strcmp(machine->way_to[0], seed->host) == 0 &&
           address_parse_host(machine->way_to[1], 0, out);
}

/* The group of this process, one of others', and no other. */
static enum host_group machine_group(void *context, const char *name, gid_t *out)
{
    (void)context;
    *out = strcmp(name, "ops") == 0 ? 100 : 200;
    return *out == 100                   ? HOST_GROUP_USABLE
           : strcmp(name, "others") == 0 ? HOST_GROUP_FOREIGN
                                         : HOST_GROUP_UNKNOWN;
}

struct machine plain_machine(void)
{
    return (struct machine){.host_name = "athens", .addresses = {"10.0.0.5"}};
}

struct result *parse_on(struct machine *machine, const char *line)
{
    struct result *result = calloc(1, sizeof *result);
    char *copy = strdup(line);
    char *argv[ARGUMENTS_MAX] = {NULL};
    char program[] = "doyend";
    int argc = 0;
    const struct config_host host = {.variable = machine_variable,
                                     .variable_at = machine_variable_at,
                                     .name = machine_name,
                                     .addresses = machine_addresses,
                                     .last_address = machine_last_address,
                                     .address_toward = machine_address_toward,
                                     .group = machine_group,
                                     .context = machine};

    cr_assert(result != NULL && copy != NULL);
    argv[argc++] = program;
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        cr_assert_lt(argc, ARGUMENTS_MAX - 1);
        argv[argc++] = word;
    }
    config_parse(&result->config, &result->outcome, argc, argv, &host);
    free(copy);
    return result;
}

struct result *parse(const char *line)
{
    struct machine machine = plain_machine();

    return parse_on(&machine, line);
}

void expect_address(const struct address *address, const char *expected)
{
    char text[ADDRESS_TEXT_MAX];

    cr_expect_str_eq(address_text(address, text), expected);
}

struct scratch scratch_file(const char *content)
{
    struct scratch scratch = {.path = "/tmp/doyen-test-XXXXXX"};
    const int fd = mkstemp(scratch.path);

    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, content, strlen(content)), (ssize_t)strlen(content));
    close(fd);
    return scratch;
}

struct result *parse_file(const char *content, const char *more)
{
    struct scratch scratch = scratch_file(content);
    char line[400];

    snprintf(line, sizeof line, "--config %s %s", scratch.path, more);
    struct result *result = parse(line);
    unlink(scratch.path);
    return result;
}

void expect_refusal(const struct result *result, const char *what, int exit_code,
                    const char *message)
{
    cr_expect_eq(result->outcome.action, CONFIG_REFUSED, "not refused: %s", what);
    cr_expect_eq(result->outcome.exit_code, exit_code, "%s: exit code %d: %s", what,
                 result->outcome.exit_code, result->outcome.message);
    cr_expect_not_null(strstr(result->outcome.message, message), "%s: said '%s', not '%s'", what,
                       result->outcome.message, message);
    cr_expect_null(strchr(result->outcome.message, '\n'), "%s: more than one line", what);
}
