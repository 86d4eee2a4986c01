/* Configuration: every source, and their order. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config_rig.h"
#include "runtime/options/options.h"

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
    cr_expect_eq(config->fanout, FANOUT_DEFAULT);
    cr_expect_eq(config->watchers, 4);
    cr_expect_eq(config->timing.heartbeat_ms, 680);
    cr_expect_eq(config->timing.lost_ms, 1088);
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
        "--tag zone=a --tag rack= --capacity 9 --bootstrap-expect 3 --fanout 9 --join-timeout 500ms --log-level debug "
        "--log-format json --election token-ring-newest --priority 7 --partitions 271,3s --backups 2 --faults --key run/key --auth accept");
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
    cr_expect_eq(config->fanout, 9);
    cr_expect_eq(config->timing.heartbeat_ms, 2000);
    cr_expect_eq(config->timing.lost_ms, 60000);
    cr_expect_eq(config->tags.length, sizeof "zone=a\0rack=\0priority=7\0partitions=271+2");
    cr_expect_arr_eq(config->tags.text, "zone=a\0rack=\0priority=7\0partitions=271+2",
                     sizeof "zone=a\0rack=\0priority=7\0partitions=271+2");
    cr_expect_eq(config->priority, 7);
    cr_expect_eq(config_election(config), ELECT_TOKEN_RING);
    cr_expect(config_prefers_newest(config));
    cr_expect_eq(config->partitions, 271);
    cr_expect_eq(config->backups, 2);
    cr_expect_eq(config->partitions_ready_ms, 3000);
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

/* A start script may have put in what it does not have. */
Test(config, an_empty_variable_is_warned_of_where_it_would_count)
{
    struct machine machine = plain_machine();

    machine.environment[0] = "DOYEN_STATE_DIR=";
    machine.environment[1] = "DOYEN_NAME=";
    struct result *result = parse_on(&machine, "--name x");
    cr_expect_eq(result->outcome.action, CONFIG_RUN);
    cr_expect_str_empty(result->config.state_dir);
    cr_assert_eq(result->outcome.warning_count, 1);
    cr_expect_str_eq(result->outcome.warnings[0].event, "environment");
    cr_expect_str_eq(
        result->outcome.warnings[0].text,
        "DOYEN_STATE_DIR is empty, which counts as unset: give it a value, or unset it");
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
                                       "seed = b:1\r\n"
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
        {"--help", CONFIG_HELP},           {"-?", CONFIG_HELP},
        {"--version", CONFIG_VERSION},     {"-V", CONFIG_VERSION},
        {"--make-key k", CONFIG_MAKE_KEY}, {"--check", CONFIG_CHECK},
        {"--print-config", CONFIG_PRINT},  {"--help --nonsense", CONFIG_HELP},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct result *result = parse(cases[i].line);
        cr_expect_eq(result->outcome.action, cases[i].action, "%s", cases[i].line);
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
    cr_expect_eq(guard_asks(&result->config.guard).needed, 3);
    free(result);

    result = parse("--name a --size 4 --guard majority");
    cr_expect_eq(guard_asks(&result->config.guard).needed, 3, "in any order");
    free(result);
}

/* Z1: one list for all, whose order counts, and more than half of it. */
Test(config, guard_strict_is_of_the_voters)
{
    struct result *result = parse("--name d --guard strict --voters c,a,b");

    cr_assert_eq(result->outcome.action, CONFIG_RUN, "%s", result->outcome.message);
    cr_expect_eq(result->config.guard.policy, GUARD_STRICT);
    cr_expect_eq(result->config.guard.count, 3);
    cr_expect_str_eq(result->config.voters.names[0], "c");
    cr_expect_eq(voters_find(&result->config.voters, "b"), 2);
    cr_expect_eq(result->outcome.warning_count, 0);
    free(result);

    result = parse("--name a --state-dir /tmp/a --voters a --guard strict");
    cr_expect_eq(result->outcome.action, CONFIG_RUN, "%s", result->outcome.message);
    cr_expect_eq(result->outcome.warning_count, 0, "one may be what is wanted");
    free(result);
}

/* A voter is asked for its lease, so that heartbeats may be as rare as under any guard. */
Test(config, guard_strict_has_the_timings_of_the_others)
{
    struct result *usual = parse("--name d");
    struct result *strict = parse("--name d --guard strict --voters c,a,b");

    cr_assert_eq(strict->outcome.action, CONFIG_RUN, "%s", strict->outcome.message);
    cr_expect_eq(strict->config.timing.heartbeat_ms, usual->config.timing.heartbeat_ms);
    cr_expect_eq(strict->config.timing.lost_ms, usual->config.timing.lost_ms);
    cr_expect_eq(strict->config.timing.lease_ms, usual->config.timing.lease_ms);
    free(usual);
    free(strict);

    strict = parse("--name d --guard strict --voters c,a,b --fail-after 2s");
    cr_assert_eq(strict->outcome.action, CONFIG_RUN, "%s", strict->outcome.message);
    cr_expect_eq(strict->config.timing.lost_ms, 2000);
    free(strict);

    strict = parse("--name d --guard strict --voters c,a,b --detect 2s");
    usual = parse("--name d --detect 2s");
    cr_assert_eq(strict->outcome.action, CONFIG_RUN, "%s", strict->outcome.message);
    cr_expect_eq(strict->config.timing.heartbeat_ms, usual->config.timing.heartbeat_ms);
    cr_expect_eq(strict->config.timing.lost_ms, usual->config.timing.lost_ms);
    free(usual);
    free(strict);
}

Test(config, voters_that_bear_no_more_are_warned_of)
{
    static const struct {
        const char *line;
        const char *text;
    } cases[] = {
        {"--name x --guard strict --voters a,b",
         "2 voters: nobody acts while one of them is away; 3 bear the loss of one, and a "
         "doyen-witness can be the third: doyen voters add NAME --witness HOST:PORT"},
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
