/* Configuration: every source, their order, and what is refused with which words. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/config_print.h"
#include "runtime/config_read.h"
#include "runtime/options.h"
#include "words/address_text.h"

enum { ARGUMENTS_MAX = 64 };

/* A machine to configure for: its environment as NAME=VALUE texts, its name, its addresses. */
struct machine {
    const char *environment[8];
    const char *host_name;
    const char *addresses[6];
};

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

/* The group of this process, one of others', and no other. */
static enum host_group machine_group(void *context, const char *name, gid_t *out)
{
    (void)context;
    *out = strcmp(name, "ops") == 0 ? 100 : 200;
    return *out == 100                   ? HOST_GROUP_USABLE
           : strcmp(name, "others") == 0 ? HOST_GROUP_FOREIGN
                                         : HOST_GROUP_UNKNOWN;
}

/* What came of it; too large for the stack of many tests, hence on the heap. */
struct result {
    struct config config;
    struct config_outcome outcome;
};

static struct machine plain_machine(void)
{
    return (struct machine){.host_name = "athens", .addresses = {"10.0.0.5"}};
}

/* Parses "doyend" with the words of `line`, which single spaces separate. */
static struct result *parse_on(struct machine *machine, const char *line)
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

static struct result *parse(const char *line)
{
    struct machine machine = plain_machine();

    return parse_on(&machine, line);
}

static void expect_address(const struct address *address, const char *expected)
{
    char text[ADDRESS_TEXT_MAX];

    cr_expect_str_eq(address_text(address, text), expected);
}

/* A file that is gone when the test is. */
struct scratch {
    char path[64];
};

static struct scratch scratch_file(const char *content)
{
    struct scratch scratch = {.path = "/tmp/doyen-test-XXXXXX"};
    const int fd = mkstemp(scratch.path);

    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, content, strlen(content)), (ssize_t)strlen(content));
    close(fd);
    return scratch;
}

static struct result *parse_file(const char *content, const char *more)
{
    struct scratch scratch = scratch_file(content);
    char line[400];

    snprintf(line, sizeof line, "--config %s %s", scratch.path, more);
    struct result *result = parse(line);
    unlink(scratch.path);
    return result;
}

/* --- What is taken --------------------------------------------------------------------------- */

Test(config, without_a_word_the_defaults_hold)
{
    struct result *result = parse("");
    const struct config *config = &result->config;

    cr_assert_eq(result->outcome.action, CONFIG_RUN, "%s", result->outcome.message);
    cr_expect_str_eq(config->name, "athens");
    cr_expect_str_eq(config->cluster, "doyen");
    expect_address(&config->listen, "0.0.0.0:7420");
    expect_address(&config->advertise, "10.0.0.5:7420");
    cr_expect_eq(config->seed_count, 0);
    cr_expect_str_eq(config->control, "/run/doyen/athens.sock");
    cr_expect_eq(config->control_mode, 0600);
    cr_expect_not(config->http_on);
    cr_expect_str_empty(config->state_dir);
    cr_expect_eq(config->guard.policy, GUARD_NONE);
    cr_expect_eq(config->profile, PROFILE_LAN);
    cr_expect_eq(config->timing.heartbeat_ms, 250);
    cr_expect_eq(config->timing.lost_ms, 900);
    cr_expect_eq(config->capacity, 256);
    cr_expect_eq(config->join_timeout_ms, 0);
    cr_expect_eq(config->log_level, LOG_INFO);
    cr_expect_eq(config->log_format, LOG_AUTO);
    cr_expect_not(config->faults);
    cr_expect_eq(config->sandbox, SANDBOX_ON);
    free(result);
}

Test(config, every_flag_reaches_its_field)
{
    struct result *result = parse(
        "--name byzantium --cluster blue --listen [::]:7421 --advertise 10.1.1.1 "
        "--seed a:1 --seed [::1]:2 --seed=::2 --control run/b.sock --http [::1]:8080 "
        "--http-host one --http-host two.example.org. "
        "--state-dir /var/lib/x --guard 3 --profile wan --heartbeat 2s --fail-after 1m "
        "--tag zone=a --tag rack= --capacity 9 --bootstrap-expect 3 --join-timeout 500ms --log-level debug "
        "--log-format json --faults --key run/key --auth accept");
    const struct config *config = &result->config;

    cr_assert_eq(result->outcome.action, CONFIG_RUN, "%s", result->outcome.message);
    cr_expect_str_eq(config->name, "byzantium");
    cr_expect_str_eq(config->cluster, "blue");
    expect_address(&config->listen, "[::]:7421");
    expect_address(&config->advertise, "10.1.1.1:7421");
    cr_assert_eq(config->seed_count, 3);
    cr_expect_str_eq(config->seeds[1].host, "::1");
    cr_expect_eq(config->seeds[1].port, 2);
    cr_expect_str_eq(config->seeds[2].host, "::2");
    cr_expect_eq(config->seeds[2].port, 7420);
    cr_expect_str_eq(config->control, "run/b.sock");
    cr_expect(config->http_on);
    expect_address(&config->http, "[::1]:8080");
    cr_assert_eq(config->http_host_count, 2);
    cr_expect_str_eq(config->http_hosts[1], "two.example.org");
    cr_expect_str_eq(config->state_dir, "/var/lib/x");
    cr_expect_eq(config->guard.policy, GUARD_COUNT);
    cr_expect_eq(config->guard.count, 3);
    cr_expect_eq(config->profile, PROFILE_WAN);
    cr_expect_eq(config->timing.heartbeat_ms, 2000);
    cr_expect_eq(config->timing.lost_ms, 60000);
    cr_expect_eq(config->tags.length, sizeof "zone=a" + sizeof "rack=");
    cr_expect_arr_eq(config->tags.text, "zone=a\0rack=", sizeof "zone=a" + sizeof "rack=");
    cr_expect_eq(config->capacity, 9);
    cr_expect_eq(config->join_timeout_ms, 500);
    cr_expect_eq(config->expect, 3);
    cr_expect_eq(config->log_level, LOG_DEBUG);
    cr_expect_eq(config->log_format, LOG_JSON);
    cr_expect(config->faults);
    cr_expect_str_eq(config->key, "run/key");
    cr_expect_eq(config->auth, AUTH_ACCEPT);
    cr_expect_not(config->insecure);
    free(result);
}

Test(config, a_flag_outdoes_the_environment_which_outdoes_the_file)
{
    struct scratch scratch = scratch_file("name = file\ncluster = file\nlog-level = warn\n");
    char variable[100];
    struct machine machine = plain_machine();

    snprintf(variable, sizeof variable, "DOYEN_CONFIG=%s", scratch.path);
    machine.environment[0] = variable;
    machine.environment[1] = "DOYEN_NAME=environment";
    machine.environment[2] = "DOYEN_CLUSTER=environment";
    struct result *result = parse_on(&machine, "--name flag");
    unlink(scratch.path);

    cr_assert_eq(result->outcome.action, CONFIG_RUN, "%s", result->outcome.message);
    cr_expect_str_eq(result->config.name, "flag");
    cr_expect_str_eq(result->config.cluster, "environment");
    cr_expect_eq(result->config.log_level, LOG_WARN);
    cr_expect_eq(result->outcome.origins[option_find("name")].source, SOURCE_FLAG);
    cr_expect_eq(result->outcome.origins[option_find("cluster")].source, SOURCE_ENVIRONMENT);
    cr_expect_eq(result->outcome.origins[option_find("log-level")].source, SOURCE_FILE);
    cr_expect_eq(result->outcome.origins[option_find("log-level")].line, 3);
    cr_expect_eq(result->outcome.origins[option_find("profile")].source, SOURCE_DEFAULT);
    free(result);
}

Test(config, a_list_comes_whole_from_the_strongest_source)
{
    struct machine machine = plain_machine();
    machine.environment[0] = "DOYEN_SEED=a,b:2,c";
    machine.environment[1] = "DOYEN_NAME="; /* empty: unset */

    struct result *result = parse_on(&machine, "");
    cr_expect_eq(result->config.seed_count, 3);
    cr_expect_eq(result->config.seeds[1].port, 2);
    cr_expect_str_eq(result->config.name, "athens");
    free(result);

    result = parse_on(&machine, "--seed d");
    cr_assert_eq(result->config.seed_count, 1);
    cr_expect_str_eq(result->config.seeds[0].host, "d");
    free(result);
}

/* Not refused like an unknown key of the file, because the environment is not doyend's alone. */
Test(config, a_variable_that_no_setting_has_is_warned_of)
{
    struct machine machine = plain_machine();

    machine.environment[0] = "DOYEN_SEEDS=a";
    machine.environment[1] = "DOYEN_COLOUR=red";
    machine.environment[2] = "DOYEN_STATEDIR=x";
    machine.environment[3] = "DOYEN_=x";
    struct result *result = parse_on(&machine, "");
    cr_expect_eq(result->outcome.action, CONFIG_RUN);
    cr_expect_eq(result->config.seed_count, 0);
    cr_assert_eq(result->outcome.warning_count, 1);
    cr_expect_str_eq(result->outcome.warnings[0].event, "environment");
    cr_expect_str_eq(result->outcome.warnings[0].text,
                     "not looked at, because no setting has its name: DOYEN_SEEDS (did you mean "
                     "DOYEN_SEED?), DOYEN_COLOUR, DOYEN_STATEDIR (did you mean DOYEN_STATE_DIR?), "
                     "DOYEN_");
    free(result);
}

Test(config, what_is_a_setting_or_meant_for_others_is_not_warned_of)
{
    struct machine machine = plain_machine();

    machine.environment[0] = "DOYEN_SEED=a";
    machine.environment[1] = "DOYEN_URL=http://a:1";
    machine.environment[2] = "DOYEN_CLUSTER_DIR=/tmp/doyen";
    machine.environment[3] = "DOYEN_E2E_KEEP=1";
    machine.environment[4] = "DOYEN_SEEDS="; /* empty: unset */
    machine.environment[5] = "DOYEN_CONTROL=/tmp/athens.sock";
    machine.environment[6] = "DOYENS=many";
    struct result *result = parse_on(&machine, "");
    cr_expect_eq(result->outcome.action, CONFIG_RUN);
    cr_expect_eq(result->outcome.warning_count, 0);
    free(result);
}

/* It is the variable by which the command doyen is told whom to ask. */
Test(config, a_control_socket_of_another_name_from_the_environment_is_warned_of)
{
    struct machine machine = plain_machine();

    machine.environment[0] = "DOYEN_CONTROL=/tmp/doyen/byzantium.sock";
    struct result *result = parse_on(&machine, "");
    cr_assert_eq(result->outcome.action, CONFIG_RUN);
    cr_expect_str_eq(result->config.control, "/tmp/doyen/byzantium.sock");
    cr_expect(result->config.control_from_environment);
    cr_assert_eq(result->outcome.warning_count, 1);
    cr_expect_str_eq(result->outcome.warnings[0].event, "control");
    cr_expect_not_null(strstr(result->outcome.warnings[0].text,
                              "/tmp/doyen/byzantium.sock, which DOYEN_CONTROL in the environment"));
    free(result);

    result = parse_on(&machine, "--control /tmp/doyen/athens.sock");
    cr_expect_not(result->config.control_from_environment);
    cr_expect_eq(result->outcome.warning_count, 0);
    free(result);
    result = parse_on(&machine, "--name byzantium");
    cr_expect_eq(result->outcome.warning_count, 0, "its own");
    free(result);
}

Test(config, a_group_opens_the_control_socket_to_its_members)
{
    struct result *result = parse("--control-group ops");

    cr_assert_eq(result->outcome.action, CONFIG_RUN, "%s", result->outcome.message);
    cr_expect_eq(result->config.control_gid, 100);
    cr_expect_eq(result->config.control_mode, 0660);
    free(result);
    result = parse("--control-group ops --control-mode 666");
    cr_expect_eq(result->config.control_mode, 0666);
    free(result);
    result = parse("--control-mode 0644");
    cr_expect_eq(result->config.control_mode, 0644);
    cr_expect_str_empty(result->config.control_group);
    free(result);
}

Test(config, a_second_group_may_change_what_the_first_may_only_ask_for)
{
    struct result *result = parse("--control-group ops --control-admin others");

    cr_assert_eq(result->outcome.action, CONFIG_RUN, "%s", result->outcome.message);
    cr_expect_eq(result->config.control_gid, 100, "the socket's");
    cr_expect_eq(result->config.control_admin_gid, 200, "doyend need not be in it");
    cr_expect_eq(result->config.control_mode, 0660);
    free(result);
    result = parse("--control-admin ops");
    cr_assert_eq(result->outcome.action, CONFIG_RUN, "%s", result->outcome.message);
    cr_expect_eq(result->config.control_gid, 100, "the socket's, as there is no other");
    cr_expect_eq(result->config.control_admin_gid, 100);
    cr_expect_eq(result->config.control_mode, 0660);
    free(result);
    result = parse("--control-group ops");
    cr_expect_eq(result->config.control_admin_gid, 100, "where there is no other");
    free(result);
}

Test(config, a_seed_that_is_given_twice_is_warned_of)
{
    struct result *result = parse("--seed A.example:1 --seed b --seed a.example:1 --seed b:2");

    cr_assert_eq(result->outcome.action, CONFIG_RUN, "%s", result->outcome.message);
    cr_assert_eq(result->outcome.warning_count, 1);
    cr_expect_str_eq(result->outcome.warnings[0].text,
                     "--seed a.example:1 is given twice: once is enough");
    free(result);
}

/* A path may have it; whoever wrote it meant a comment. */
Test(config, a_value_with_a_hash_is_taken_and_warned_of)
{
    struct result *result = parse_file("state-dir = /var/lib/x # the state\n", "");

    cr_assert_eq(result->outcome.action, CONFIG_RUN, "%s", result->outcome.message);
    cr_expect_str_eq(result->config.state_dir, "/var/lib/x # the state");
    cr_assert_eq(result->outcome.warning_count, 1);
    cr_expect_not_null(strstr(result->outcome.warnings[0].text, ":1: state-dir: "));
    cr_expect_not_null(strstr(result->outcome.warnings[0].text, "a comment begins with ' ;'"));
    free(result);
}

Test(config, the_file_may_be_commented_indented_and_repeat_what_is_a_list)
{
    struct result *result = parse_file("\xef\xbb\xbf# a comment\n; another\n\n"
                                       "name = cyrene ; behind a value\n"
                                       "   seed = a\n"
                                       "seed: b:1\r\n"
                                       "faults = on\n",
                                       "");

    cr_assert_eq(result->outcome.action, CONFIG_RUN, "%s", result->outcome.message);
    cr_expect_str_eq(result->config.name, "cyrene");
    cr_expect_eq(result->config.seed_count, 2);
    cr_expect_eq(result->config.seeds[1].port, 1);
    cr_expect(result->config.faults);
    free(result);
}

Test(config, a_host_name_that_is_no_name_is_cut_at_its_first_dot)
{
    struct machine machine = plain_machine();
    char long_name[200];

    machine.host_name = "a.b.example";
    struct result *result = parse_on(&machine, "");
    cr_expect_str_eq(result->config.name, "a.b.example");
    free(result);

    memset(long_name, 'x', sizeof long_name);
    memcpy(long_name, "delphi.", 7);
    long_name[sizeof long_name - 1] = '\0';
    machine.host_name = long_name;
    result = parse_on(&machine, "");
    cr_expect_str_eq(result->config.name, "delphi");
    free(result);
}

Test(config, the_control_socket_goes_to_the_users_runtime_directory)
{
    struct machine machine = plain_machine();
    machine.environment[0] = "XDG_RUNTIME_DIR=/run/user/7";

    struct result *result = parse_on(&machine, "--name b");
    cr_expect_str_eq(result->config.control, "/run/user/7/doyen/b.sock");
    free(result);
}

Test(config, actions_are_told_apart)
{
    static const struct {
        const char *line;
        enum config_action action;
    } cases[] = {
        {"--help", CONFIG_HELP},
        {"-?", CONFIG_HELP},
        {"--usage", CONFIG_USAGE},
        {"--version", CONFIG_VERSION},
        {"-V", CONFIG_VERSION},
        {"--make-key k", CONFIG_MAKE_KEY},
        {"--check", CONFIG_CHECK},
        {"--print-config", CONFIG_PRINT},
        {"--check --print-config", CONFIG_PRINT},
        {"--help --nonsense", CONFIG_HELP},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct result *result = parse(cases[i].line);
        cr_expect_eq(result->outcome.action, cases[i].action, "%s", cases[i].line);
        free(result);
    }
}

/* --- What is refused ------------------------------------------------------------------------- */

struct bad_line {
    const char *line;
    int exit_code;
    const char *message; /* a part of it */
};

static void expect_refusal(const struct result *result, const char *what, int exit_code,
                           const char *message)
{
    cr_expect_eq(result->outcome.action, CONFIG_REFUSED, "not refused: %s", what);
    cr_expect_eq(result->outcome.exit_code, exit_code, "%s: exit code %d: %s", what,
                 result->outcome.exit_code, result->outcome.message);
    cr_expect_not_null(strstr(result->outcome.message, message), "%s: said '%s', not '%s'", what,
                       result->outcome.message, message);
    cr_expect_null(strchr(result->outcome.message, '\n'), "%s: more than one line", what);
}

Test(config, a_bad_command_line_is_refused_with_its_remedy)
{
    static const struct bad_line cases[] = {
        {"--sed x", 64, "unknown option '--sed' (did you mean '--seed'?)"},
        {"-name x", 64, "unknown option '-name' (did you mean '--name'?)"},
        {"--frobnicate", 64, "unknown option '--frobnicate'; doyend --help says more"},
        {"-x", 64, "unknown option '-x'"},
        {"--name", 64, "--name: has no value: write --name NAME"},
        {"--faults=1", 64, "--faults: takes no value"},
        {"--l x", 64, "may mean --listen or --log-level"},
        {"start", 64, "stray word 'start'"},
        {"--name= ", 64, "--name: is empty"},
        {"--name a/b", 64, "--name: 'a/b' is not a name: use 1 to 63 of"},
        {"--name \x1b[31m", 64, "'?[31m' is not a name"},
        {"--cluster "
         "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
         64, "is not a name: use 1 to 63 of"},
        {"--listen localhost:7420", 64, "'localhost' is not an IP address"},
        {"--listen 127.0.0.1:0", 64, "'0' is not a port: write 1 to 65535"},
        {"--listen 127.0.0.1:65536", 64, "'65536' is not a port"},
        {"--listen 127.0.0.1:", 64, "'' is not a port"},
        {"--listen [::1", 64, "bracket"},
        {"--advertise 0.0.0.0:7420", 64, "no address that others could reach"},
        {"--seed :7420", 64, "names no host: write HOST:PORT"},
        {"--seed a/b", 64, "neither a host name nor an address"},
        {"--seed 10.0.0.999", 64, "'10.0.0.999' is not an IPv4 address"},
        {"--seed 10.0.0.1.5:7420", 64, "is not an IPv4 address"},
        {"--seed 10.0.0.1:7420:1", 64, "is not an IPv6 address of use here: write HOST:PORT"},
        {"--seed fe80::1", 64, "is not an IPv6 address of use here"},
        {"--listen ::1:7421", 64,
         "'::1:7421' may end in a port or in the address: write [::1]:7421 or [::1:7421]"},
        {"--seed 2001:db8::5:10", 64, "write [2001:db8::5]:10 or [2001:db8::5:10]"},
        {"--seed 7421", 64,
         "'7421' is a number and no host: write HOST:PORT, as in 127.0.0.1:7421"},
        {"--http-host a:80", 64, "is more than a host name: write it without a port"},
        {"--http-host a/b", 64, "'a/b' is no host name: use at most"},
        {"--http 8080", 64, "is a number and no host: write HOST:PORT, as in 127.0.0.1:8080"},
        {"--http localhost:8080", 64, "as in 127.0.0.1:8080 or [::1]:8080"},
        {"--name -x", 64, "'-x' is not a name: use 1 to 63 of A-Z a-z 0-9 . _ -, no dash first"},
        {"--cluster -x", 64, "'-x' is not a name"},
        {"--http 127.0.0.1", 64, "has no port: write ADDR:PORT"},
        {"--heartbeat 250", 64, "'250' has no unit: write 250ms or 250s"},
        {"--heartbeat fast", 64, "is not a duration: write 250ms, 2s or 1m"},
        {"--heartbeat 1.5s", 64, "whole numbers"},
        {"--heartbeat -5ms", 64, "is not a duration"},
        {"--heartbeat 4ms", 64, "choose between 5ms and 1m"},
        {"--heartbeat 61s", 64, "choose between 5ms and 1m"},
        {"--heartbeat 99999999999999999999s", 64, "is not a duration"},
        {"--profile lann", 64, "(did you mean 'lan'?): use local, lan or wan"},
        {"--log-level loud", 64, "use error, warn, info or debug"},
        {"--capacity 0", 64, "choose between 1 and 4096"},
        {"--capacity 4097", 64, "choose between 1 and 4096"},
        {"--guard 0", 64, "choose between 1 and 4096"},
        {"--guard majority --size 0", 64, "--size: "},
        {"--guard majority --size 4097", 64, "choose between 1 and 4096"},
        {"--guard most", 64, "unknown guard 'most': use none, a number"},
        {"--tag zone", 64, "is not a tag: write KEY=VALUE"},
        {"--tag =a", 64, "is not a tag: write KEY=VALUE"},
        {"--tag a=1 --tag a=2", 64, "the tag 'a' is given twice: keep one"},
        {"--tag a=\xff", 64, "UTF-8"},
        {"--tag a=\x07", 64, "control characters"},
        {"--join-timeout 5", 64, "has no unit"},
        {"--bootstrap-expect 1", 64, "choose between 2 and 64"},
        {"--control-mode rw", 64, "'rw' is not a mode: write it in octal, as in 0660"},
        {"--control-mode 06", 64, "is not a mode"},
        {"--control-mode 0060", 64, "'0060' does not suit a socket: 6 for the owner"},
        {"--control-mode 0770", 64, "does not suit a socket"},
        {"--control-mode 1660", 64, "does not suit a socket"},
        {"--control-group "
         "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
         64, "use at most 63"},
        {"--control "
         "/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
         "xxxxxxxxxxxxxxxxxxxx",
         64, "use at most 107"},
        {"--config /nonexistent/doyen.ini", 78,
         "cannot read the configuration file /nonexistent/doyen.ini: No such file"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct result *result = parse(cases[i].line);
        expect_refusal(result, cases[i].line, cases[i].exit_code, cases[i].message);
        free(result);
    }
}

/* G1: a majority means something only of the size that was stated. */
Test(config, a_majority_is_one_of_the_stated_size)
{
    struct result *result = parse("--name a --guard majority --size 5");

    cr_assert_eq(result->outcome.action, CONFIG_RUN, "%s", result->outcome.message);
    cr_expect_eq(result->config.guard.policy, GUARD_MAJORITY);
    cr_expect_eq(result->config.guard.count, 5);
    cr_expect_eq(guard_needed(&result->config.guard), 3);
    free(result);

    result = parse("--name a --size 4 --guard majority");
    cr_expect_eq(guard_needed(&result->config.guard), 3, "in any order");
    free(result);
}

/* Z1: one list for all, whose order counts, and more than half of it. */
Test(config, guard_strict_is_of_the_voters)
{
    struct result *result = parse("--name d --guard strict --voters c,a,b");

    cr_assert_eq(result->outcome.action, CONFIG_RUN, "%s", result->outcome.message);
    cr_expect_eq(result->config.guard.policy, GUARD_STRICT);
    cr_expect_eq(result->config.guard.count, 3);
    cr_expect_eq(guard_needed(&result->config.guard), 2);
    cr_expect_str_eq(result->config.voters.names[0], "c");
    cr_expect_eq(voters_find(&result->config.voters, "b"), 2);
    cr_expect_eq(result->outcome.warning_count, 0);
    free(result);

    result = parse("--name a --state-dir /tmp/a --voters a --guard strict");
    cr_expect_eq(result->outcome.action, CONFIG_RUN, "%s", result->outcome.message);
    cr_expect_eq(result->outcome.warning_count, 0, "one may be what is wanted");
    free(result);
}

Test(config, voters_that_bear_no_more_are_warned_of)
{
    static const struct {
        const char *line;
        const char *text;
    } cases[] = {
        {"--name x --guard strict --voters a,b",
         "2 voters: nobody acts while one of them is away; 3 bear the loss of one"},
        {"--name x --guard strict --voters a,b,c,d",
         "4 voters bear the loss of 1, no more than 3 do"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct result *result = parse(cases[i].line);
        cr_assert_eq(result->outcome.warning_count, 1, "%s", cases[i].line);
        cr_expect_str_eq(result->outcome.warnings[0].event, "voters");
        cr_expect_str_eq(result->outcome.warnings[0].text, cases[i].text);
        free(result);
    }
}

Test(config, values_that_contradict_one_another_are_refused)
{
    static const struct bad_line cases[] = {
        {"--fail-after 500ms", 78, "--fail-after: too short for heartbeats every 250ms: use 875ms"},
        {"--heartbeat 1s --fail-after 2s", 78, "use 3500ms or more"},
        {"--guard 300", 78, "300 members never come together with a capacity of 256"},
        {"--listen 10.0.0.5 --advertise ::1", 78,
         "--advertise: an IPv6 address, but --listen is IPv4: make them alike, or listen on [::]"},
        {"--listen 2001:db8::5 --advertise 10.0.0.5", 78, "an IPv4 address, but --listen is IPv6"},
        {"--listen 10.0.0.5:7421 --seed 10.0.0.6 --seed [2001:db8::1]:7420", 78,
         "--seed: [2001:db8::1]:7420 is IPv6 and --listen is IPv4: listen on [::]:7421, which is "
         "both, or name seeds that are IPv4"},
        {"--listen [2001:db8::5] --seed 10.0.0.6", 78,
         "--seed: 10.0.0.6:7420 is IPv4 and --listen is IPv6"},
        {"--listen 127.0.0.1 --seed 10.0.0.6", 78,
         "--listen: 127.0.0.1:7420 is an address for this host alone, and the seed 10.0.0.6:7420 "
         "is another host"},
        {"--advertise 127.0.0.1 --seed 127.0.0.1 --seed 10.0.0.6", 78,
         "--advertise: 127.0.0.1:7420 is an address for this host alone"},
        {"--listen 10.0.0.5:80 --http 10.0.0.5:80", 78, "choose another port"},
        {"--guard majority", 78, "--guard: a majority of how many?"},
        {"--guard majority --size 300", 78,
         "--size: 300 members do not fit a capacity of 256: raise --capacity"},
        {"--control-group wheel", 78, "--control-group: there is no group 'wheel' on this host"},
        {"--control-group others", 78, "--control-group: doyend's account is not in this group"},
        {"--control-group ops --control-mode 0600", 78, "--control-mode: lets the members of"},
        {"--control-admin wheel", 78, "--control-admin: there is no group 'wheel' on this host"},
        {"--control-admin others", 78, "--control-admin: doyend's account is not in this group"},
        {"--control-group ops --control-admin wheel", 78, "--control-admin: there is no group"},
        {"--control-admin ops --control-mode 0600", 78,
         "--control-mode: lets the members of --control-admin not connect"},
        {"--key k --insecure", 78, "--insecure: contradicts --key: leave one of them out"},
        {"--auth accept", 78, "--auth: accept belongs to --key: add that, or leave it out"},
        {"--http-host a", 78, "--http-host: belongs to --http: add that, or leave it out"},
        {"--size 5", 78, "--size: belongs to --guard majority: add that, or leave it out"},
        {"--guard 3 --size 5", 78, "--size: belongs to --guard majority"},
        {"--bootstrap-expect 3", 78, "there is nobody to meet: name the others with --seed"},
        {"--bootstrap-expect 3 --capacity 2 --seed a", 78, "3 nodes never come together here"},
        {"--bootstrap-expect 5 --guard majority --size 3 --seed a", 78, "or raise --size"},
        {"--guard strict", 78, "--guard: whose leases count? Name the voters: add --voters A,B,C"},
        {"--voters a,b,c", 78, "--voters: belongs to --guard strict: add that, or leave it out"},
        {"--guard majority --size 3 --voters a,b,c", 78, "--voters: belongs to --guard strict"},
        {"--guard strict --voters a,b,c --size 3", 78, "--size: belongs to --guard majority"},
        {"--guard strict --voters a,b,c --name a", 78, "--voters: this node is a voter"},
        {"--guard strict --voters a,b,c --capacity 2", 78,
         "--voters: 3 voters do not fit a capacity of 2: raise --capacity"},
        {"--guard strict --voters a,,c", 64, "--voters: '' is not a name"},
        {"--guard strict --voters a,b,", 64, "--voters: '' is not a name"},
        {"--guard strict --voters a,b/c", 64, "--voters: 'b/c' is not a name"},
        {"--guard strict --voters a,b,a", 64, "--voters: 'a' is named twice"},
        {"--guard strict --voters 1,2,3,4,5,6,7,8,9,10", 64, "--voters: more than 9 voters"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct result *result = parse(cases[i].line);
        expect_refusal(result, cases[i].line, cases[i].exit_code, cases[i].message);
        free(result);
    }
}

Test(config, a_bad_file_is_refused_at_its_line)
{
    static const struct {
        const char *content;
        const char *message;
    } cases[] = {
        {"\nsed = a\n", ":2: unknown key 'sed' (did you mean 'seed'?)"},
        {"frobnicate = a\n", ":1: unknown key 'frobnicate': see doyend --help"},
        {"name = a\n\nname = b\n", ":3: name: said before, in line 1: keep one"},
        {"name\n", ":1: neither a setting nor a comment: write KEY = VALUE"},
        {"name\nsed = a\n", ":1: neither a setting nor a comment"},
        {"[node]\nname = a\n", ":2: there are no sections here: remove [node]"},
        {"config = a\n", ":1: 'config' cannot be said in a file"},
        {"seed =\n", ":1: seed: is empty"},
        {"# x\nheartbeat = 3\n", ":2: heartbeat: '3' has no unit"},
        {"seed = 10.0.0.5 # the first\n",
         ":1: seed: '#' begins no comment behind a value: write ' ;'"},
        {"faults = perhaps\n", ":1: faults: 'perhaps' is neither yes nor no"},
        {"state-dir = /xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
         "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
         "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n",
         ":1: a line of"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct result *result = parse_file(cases[i].content, "");
        expect_refusal(result, cases[i].content, 78, cases[i].message);
        free(result);
    }
}

/* What is overruled is checked all the same: it would be wrong again when the flag is gone. */
Test(config, a_bad_value_is_refused_even_where_a_stronger_source_speaks)
{
    struct result *result = parse_file("heartbeat = 3\n", "--heartbeat 3s");

    expect_refusal(result, "overruled", 78, ":1: heartbeat: '3' has no unit");
    free(result);
}

Test(config, a_bad_environment_is_refused_by_the_variables_name)
{
    struct machine machine = plain_machine();

    machine.environment[0] = "DOYEN_SEED=a,,b";
    struct result *result = parse_on(&machine, "");
    expect_refusal(result, "empty item", 78, "DOYEN_SEED: is empty");
    free(result);

    machine.environment[0] = "DOYEN_LOG_FORMAT=xml";
    result = parse_on(&machine, "");
    expect_refusal(result, "word", 78, "DOYEN_LOG_FORMAT: unknown word 'xml': use auto");
    free(result);
}

Test(config, an_address_to_advertise_is_not_guessed)
{
    struct machine machine = plain_machine();

    machine.addresses[1] = "192.168.1.9";
    struct result *result = parse_on(&machine, "");
    expect_refusal(result, "two addresses", 78, "(10.0.0.5, 192.168.1.9)");
    free(result);

    machine.addresses[2] = "2001:db8::5";
    result = parse_on(&machine, "--listen [::]");
    expect_refusal(result, "both families", 78, "(2001:db8::5, 10.0.0.5, 192.168.1.9)");
    free(result);

    result = parse_on(&machine, "--listen 0.0.0.0 --advertise 127.0.0.1 --seed 192.168.1.9");
    cr_expect_eq(result->outcome.action, CONFIG_RUN, "the same host: %s", result->outcome.message);
    free(result);

    machine.addresses[0] = NULL;
    result = parse_on(&machine, "--listen 0.0.0.0:7500");
    expect_refusal(result, "no address", 78,
                   "no address but loopback, and listens on all: listen on 127.0.0.1:7500");
    free(result);

    result = parse_on(&machine, "--advertise 10.9.9.9:1");
    cr_expect_eq(result->outcome.action, CONFIG_RUN, "%s", result->outcome.message);
    expect_address(&result->config.advertise, "10.9.9.9:1");
    free(result);
}

/* V1: a member has one address, whichever family the others come by. */
Test(config, the_wildcard_of_ipv6_advertises_this_hosts_only_address_of_either_family)
{
    struct machine machine = plain_machine();
    struct result *result = parse_on(&machine, "--listen [::]:7421 --seed 10.0.0.6 --seed ::7");

    cr_assert_eq(result->outcome.action, CONFIG_RUN, "%s", result->outcome.message);
    expect_address(&result->config.advertise, "10.0.0.5:7421");
    free(result);

    machine.addresses[0] = "2001:db8::5";
    result = parse_on(&machine, "--listen [::]:7421");
    expect_address(&result->config.advertise, "[2001:db8::5]:7421");
    free(result);
}

Test(config, more_seeds_than_fit_are_refused)
{
    struct machine machine = plain_machine();
    machine.environment[0] = "DOYEN_SEED=a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q";

    struct result *result = parse_on(&machine, "");
    expect_refusal(result, "17 seeds", 78, "more than 16 seeds");
    free(result);
}

Test(config, more_tags_than_fit_are_refused)
{
    char line[700] = "--tag a=";
    memset(line + 8, 'x', 509);

    struct result *result = parse(line); /* 511 bytes and the zero: just fits */
    cr_expect_eq(result->outcome.action, CONFIG_RUN, "%s", result->outcome.message);
    free(result);

    line[8 + 509] = 'x';
    result = parse(line);
    expect_refusal(result, "513 bytes", 64, "the tags take more than 512 bytes");
    free(result);
}

/* --- --print-config -------------------------------------------------------------------------- */

static char *printed(const struct result *result)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    cr_assert_not_null(file);
    config_print(file, &result->config, &result->outcome);
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

Test(config, what_is_printed_reads_back_the_same)
{
    struct result *first = parse(
        "--name b --listen [::]:7420 --seed a --seed [::1]:2 --tag k=v=w --tag x=;y --guard 2 --profile local "
        "--heartbeat 40ms --http [::1]:1 --http-host h --control-mode 0640 --join-timeout 90s --bootstrap-expect 2 --state-dir s --faults --sandbox off "
        "--log-format text --advertise 10.0.0.9 --control c.sock --capacity 7");
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
