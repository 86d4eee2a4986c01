/* Configuration: what is refused, with which words. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "config_rig.h"

struct bad_line {
    const char *line;
    int exit_code;
    const char *message; /* a part of it */
};

static void expect_refusals(const struct bad_line *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct result *result = parse(cases[i].line);
        expect_refusal(result, cases[i].line, cases[i].exit_code, cases[i].message);
        free(result);
    }
}

#define EXPECT_REFUSALS(cases) expect_refusals(cases, sizeof(cases) / sizeof((cases)[0]))

Test(config, a_bad_command_line_is_refused_with_its_remedy)
{
    static const struct bad_line cases[] = {
        {"--sed x", 64, "unknown option '--sed' (did you mean '--seed'?)"},
        {"-name x", 64, "unknown option '-name' (did you mean '--name'?)"},
        {"--frobnicate", 64, "unknown option '--frobnicate'; doyend --help says more"},
        {"-x", 64, "unknown option '-x'"},
        {"--name", 64, "--name: has no value: write --name NAME"},
        {"--name --seed x", 64, "--name: has no value: write --name NAME before --seed"},
        {"--name --seed=x", 64, "--name: has no value: write --name NAME before --seed=x"},
        {"--faults=1", 64, "--faults: takes no value"},
        {"--l x", 64, "may mean --listen or --log-level"},
        {"start", 64, "stray word 'start'"},
        {"--best newest", 64, "--best is gone: --election NAME-newest, as in bully-newest"},
        {"--name a --partitions-ready=5s", 64,
         "--partitions-ready is gone: write --partitions N,DUR"},
        {"--scheduling off", 64, "--scheduling is gone: a limit RLIMIT_RTPRIO of 0"},
        {"--usage", 64, "unknown option '--usage'; doyend --help says more"},
        {"--config /nonexistent/doyen.ini", 78,
         "cannot read the configuration file /nonexistent/doyen.ini: No such file"},
    };

    EXPECT_REFUSALS(cases);
}

Test(config, names_and_tags_that_are_none_are_refused)
{
    static const struct bad_line cases[] = {
        {"--name= ", 64, "--name: is empty"},
        {"--name a/b", 64, "--name: 'a/b' is not a name: use 1 to 63 of"},
        {"--name \x1b[31m", 64, "'?[31m' is not a name"},
        {"--cluster "
         "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
         64, "is not a name: use 1 to 63 of"},
        {"--name -x", 64, "'-x' is not a name: use 1 to 63 of A-Z a-z 0-9 . _ -, no dash first"},
        {"--cluster -x", 64, "'-x' is not a name"},
        {"--tag zone", 64, "is not a tag: write KEY=VALUE"},
        {"--tag =a", 64, "is not a tag: write KEY=VALUE"},
        {"--tag a=1 --tag a=2", 64, "the tag 'a' is given twice: keep one"},
        {"--name a --name b", 64, "--name: said before: keep one; doyend --help says more"},
        {"--listen 127.0.0.1:1 --listen=127.0.0.1:1", 64, "--listen: said before: keep one"},
        {"--tag a=\xff", 64, "UTF-8"},
        {"--tag a=\x07", 64, "control characters"},
    };

    EXPECT_REFUSALS(cases);
}

Test(config, addresses_and_hosts_that_are_none_are_refused)
{
    static const struct bad_line cases[] = {
        {"--listen localhost:7420", 64, "'localhost' is not an IP address"},
        {"--listen 127.0.0.1:0", 64, "'0' is not a port: write 1 to 65535"},
        {"--listen 127.0.0.1:65536", 64, "'65536' is not a port"},
        {"--listen 127.0.0.1:", 64, "'' is not a port"},
        {"--listen [::1", 64, "bracket"},
        {"--advertise 0.0.0.0:7420", 64, "no address that others could reach"},
        {"--listen 255.255.255.255:7420", 64, "no address that others could reach"},
        {"--listen 224.0.0.1", 64, "no address that others could reach: name a single one"},
        {"--listen [ff02::1]:7420", 64, "no address that others could reach"},
        {"--http 239.1.1.1:80", 64, "no address that others could reach"},
        {"--control tcp://127.0.0.1:7421", 64, "is the path of a Unix socket; over TCP there is"},
        {"--seed :7420", 64, "names no host: write HOST:PORT"},
        {"--seed a/b", 64, "neither a host name nor an address"},
        {"--seed 10.0.0.999", 64, "'10.0.0.999' is not an IPv4 address"},
        {"--seed 10.0.0.1.5:7420", 64, "is not an IPv4 address"},
        {"--seed 10.0.0.1:7420:1", 64, "is not an IPv6 address of use here: write HOST:PORT"},
        {"--seed fe80::1", 64, "is of one link, and has or needs a zone"},
        {"--seed [FEBF::1]:7420", 64, "is of one link, and has or needs a zone"},
        {"--seed [fe80::1%eth0]:7420", 64, "is of one link, and has or needs a zone"},
        {"--seed fec0::1%eth0", 64, "has or needs a zone"},
        {"--seed fe%eth0", 64, "neither a host name nor an address"},
        {"--listen ::1:7421", 64,
         "'::1:7421' may end in a port or in the address: write [::1]:7421 or [::1:7421]"},
        {"--seed 2001:db8::5:10", 64, "write [2001:db8::5]:10 or [2001:db8::5:10]"},
        {"--seed 7421", 64,
         "'7421' is a number and no host: write HOST:PORT, as in 127.0.0.1:7421"},
        {"--http-host a:80", 64, "is more than a host name: write it without a port"},
        {"--http-host a/b", 64, "'a/b' is no host name: use at most"},
        {"--listen 0", 64, "'0' is a number and no host: write HOST:PORT, as in 127.0.0.1:7420"},
        {"--http 8080", 64, "is a number and no host: write HOST:PORT, as in 127.0.0.1:8080"},
        {"--http localhost:8080", 64, "as in 127.0.0.1:8080 or [::1]:8080"},
        {"--http 127.0.0.1", 64, "has no port: write ADDR:PORT"},
        {"--listen 127.0.0.1:1 --advertise 10.0.0.9:1", 78,
         "nobody who sends to 10.0.0.9:1 reaches"},
        {"--listen 127.0.0.1:1 --advertise 127.0.0.2:1", 78,
         "nobody who sends to 127.0.0.2:1 reaches a node that listens on 127.0.0.1:1"},
        {"--listen 127.0.0.1:1 --advertise 127.0.0.1:2", 78,
         "nobody who sends to 127.0.0.1:2 reaches"},
        {"--listen [::1]:1 --advertise [::1]:2", 78, "nobody who sends to [::1]:2 reaches"},
    };

    EXPECT_REFUSALS(cases);
}

Test(config, durations_that_are_none_are_refused)
{
    static const struct bad_line cases[] = {
        {"--heartbeat 250", 64, "'250' has no unit: write 250ms"},
        {"--heartbeat 4", 64, "'4' has no unit: write 4s"},
        {"--heartbeat 30", 64, "'30' has no unit: write 30ms or 30s"},
        {"--heartbeat 70000", 64, "'70000' has no unit: choose between 5ms and 1m"},
        {"--heartbeat -1s", 64, "'-1s' is out of bounds: choose between 5ms and 1m"},
        {"--heartbeat -fast", 64, "is not a duration: write 250ms, 2s or 1m"},
        {"--heartbeat fast", 64, "is not a duration: write 250ms, 2s or 1m"},
        {"--heartbeat 1.5s", 64, "whole numbers"},
        {"--heartbeat 4ms", 64, "choose between 5ms and 1m"},
        {"--heartbeat 61s", 64, "choose between 5ms and 1m"},
        {"--heartbeat 99999999999999999999s", 64, "is out of bounds"},
        {"--join-timeout 5", 64, "has no unit"},
    };

    EXPECT_REFUSALS(cases);
}

Test(config, values_that_are_none_or_out_of_bounds_are_refused)
{
    static const struct bad_line cases[] = {
        {"--profile lann", 64, "(did you mean 'lan'?): use local, lan or wan"},
        {"--log-level loud", 64, "use error, warn, info or debug"},
        {"--capacity 0", 64, "choose between 1 and 4096"},
        {"--capacity 4097", 64, "choose between 1 and 4096"},
        {"--guard 0", 64, "choose between 1 and 4096"},
        {"--guard majority --size 0", 64, "--size: "},
        {"--guard majority --size 4097", 64, "choose between 1 and 4096"},
        {"--guard most", 64, "unknown guard 'most': use none, a number"},
        {"--partitions 4097", 64, "4096"},
        {"--partitions 0", 64, "4096"},
        {"--partitions 271 --backups 3", 64, "2"},
        {"--backups 1", 78, "--backups: there is nothing to back up: add --partitions N"},
        {"--partitions 9,soon", 64, "soon"},
        {"--partitions 9,2h", 64, "1h"},
        {"--partitions ,1s", 64, "4096"},
        {"--partitions 271 --tag partitions=270+0", 78, "a --tag says otherwise"},
        {"--election paxos", 64, "use oldest, bully, ring, token-ring, sequential, newest"},
        {"--priority 0", 64, "choose between 1 and 999999999"},
        {"--bootstrap-expect 1", 64, "choose between 2 and 64"},
        {"--voters-target 0", 64, "--voters-target: '0' is out of bounds: choose between 1 and 9"},
        {"--voters-target 10", 64, "--voters-target: '10' is out of bounds"},
        {"--voters-target -1", 64, "'-1' is out of bounds: choose between 1 and 9"},
        {"--voters-target 99999999999999999999999", 64,
         "9' is out of bounds: choose between 1 and"},
        {"--voters-target 1e3", 64, "'1e3' is not a number: write 1 to 9"},
        {"--voters-target three", 64, "--voters-target: 'three' is not a number: write 1 to 9"},
    };

    EXPECT_REFUSALS(cases);
}

Test(config, a_control_socket_that_cannot_be_is_refused)
{
    static const struct bad_line cases[] = {
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
    };

    EXPECT_REFUSALS(cases);
}

Test(config, what_the_recovery_of_voters_does_not_go_with_is_refused)
{
    static const struct bad_line cases[] = {
        {"--check --make-key k", 64, "say one of them"},
        {"--make-key k --print-config", 64, "say one of them"},
        {"--check --print-config", 64, "say one of them"},
        {"--recover-voters --check", 64, "say one of them"},
        {"--check --recover-voters", 64, "say one of them"},
        {"--print-config --recover-voters", 64, "say one of them"},
        {"--recover-voters --print-config", 64, "say one of them"},
        {"--recover-voters --make-key k", 64, "say one of them"},
        {"--make-key k --recover-voters", 64, "say one of them"},
        {"--recover-voters=yes", 64, "--recover-voters: takes no value"},
        {"--yes-the-others-are-gone a", 64, "belongs to --recover-voters: add that"},
        {"--check --yes-the-others-are-gone a", 64, "belongs to --recover-voters: add that"},
        {"--recover-voters --yes-the-others-are-gone=", 64, "is empty: give the name of the"},
    };

    EXPECT_REFUSALS(cases);
}

Test(config, values_that_contradict_one_another_are_refused)
{
    static const struct bad_line cases[] = {
        {"--fail-after 300ms", 78,
         "--fail-after: too short for heartbeats every 680ms: use 1088ms"},
        {"--guard strict --voters a --name a --fail-after 300ms", 78,
         "--fail-after: too short for heartbeats every 680ms: use 1088ms"},
        {"--heartbeat 1s --fail-after 1s", 78, "use 1600ms or more"},
        {"--guard strict --voters a --name a --heartbeat 1s --fail-after 1s", 78,
         "use 1600ms or more"},
        {"--detect 499ms", 78, "--detect: too short for profile lan: use 500ms or more"},
        {"--detect 2s --heartbeat 250ms", 78,
         "--detect: does not go with --heartbeat, which follows from it: give one of them"},
        {"--detect 2s --fail-after 1s", 78, "--detect: does not go with --fail-after"},
        {"--detect 2s --profile wan", 78, "too short for profile wan: use 6500ms or more"},
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
        {"--tag partitions=32+0", 78, "--tag: 'partitions' is the tag of --partitions"},
        {"--key +qNr012345678901234567890123456789012345678=", 64,
         "--key: is a key itself: write it into a file of mode 600, and give the path of that"},
        {"--seed ./+qNr012345678901234567890123456789012345678=", 64, "--seed: './****"},
        {"--election bully --tag priority=0", 78, "give a number from 1 to 999999999"},
        {"--election bully --tag priority=1000000000", 78, "give a number from 1 to 999999999"},
        {"--key k --insecure", 78, "--insecure: contradicts --key: leave one of them out"},
        {"--auth accept", 78, "--auth: accept belongs to --key: add that, or leave it out"},
        {"--http-host a", 78, "--http-host: belongs to --http: add that, or leave it out"},
        {"--size 5", 78, "--size: belongs to --guard majority: add that, or leave it out"},
        {"--guard 3 --size 5", 78, "--size: belongs to --guard majority"},
        {"--bootstrap-expect 3", 78, "there is nobody to meet: name the others with --seed"},
        {"--election ring --guard strict --voters a --name b", 78,
         "--election: an elected leader is advisory, which --guard strict is not"},
        {"--election ring --capacity 257", 78, "no more than 256 members can elect"},
        {"--priority 3 --tag priority=4", 78, "a --tag says otherwise"},
        {"--bootstrap-expect 3 --capacity 2 --seed a", 78, "3 nodes never come together here"},
        {"--bootstrap-expect 5 --guard majority --size 3 --seed a", 78, "or raise --size"},
        {"--fanout 3", 64, "--fanout: '3' is out of bounds: choose between 4 and 4096"},
        {"--guard strict --voters 3", 78,
         "--voters: '3' is a number: write the names of the voters, as in a,b,c"},
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

    EXPECT_REFUSALS(cases);
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
        {"[node]\nname = a\n", ":1: there are no sections here: remove this line"},
        {"name = a\n[node]\n", ":2: there are no sections here: remove this line"},
        {"name: a\n", ":1: neither a setting nor a comment: write KEY = VALUE"},
        {"= a\n", ":1: neither a setting nor a comment: write KEY = VALUE"},
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
    cr_expect(result->outcome.lacks_address, "a run may wait for one");
    cr_expect_eq(result->config.listen.port, 7500);
    free(result);

    result = parse_on(&machine, "--listen 0.0.0.0:7500 --check");
    expect_refusal(result, "no address", 78, "no address but loopback");
    cr_expect_not(result->outcome.lacks_address);
    free(result);

    result = parse_on(&machine, "--advertise 10.9.9.9:1");
    cr_expect_eq(result->outcome.action, CONFIG_RUN, "%s", result->outcome.message);
    expect_address(&result->config.advertise, "10.9.9.9:1");
    free(result);
}

static void expect_choice(struct machine *machine, const char *line, const char *expected)
{
    struct result *result = parse_on(machine, line);

    cr_expect_eq(result->outcome.action, CONFIG_RUN, "%s", result->outcome.message);
    expect_address(&result->config.advertise, expected);
    free(result);
}

Test(config, of_several_addresses_the_last_one_is_taken_or_that_of_the_way_to_a_seed)
{
    struct machine machine = plain_machine();

    machine.addresses[1] = "192.168.1.9";
    machine.last = "192.168.1.9";
    machine.way_to[0] = "10.0.0.7";
    machine.way_to[1] = "10.0.0.5";
    expect_choice(&machine, "--state-dir /s --seed 10.0.0.7", "192.168.1.9:7420");
    expect_choice(&machine, "--seed 10.0.0.7", "10.0.0.5:7420");

    machine.last = "192.168.1.10"; /* It is gone from this host. */
    expect_choice(&machine, "--state-dir /s --seed 10.0.0.7", "10.0.0.5:7420");
    expect_choice(&machine, "--seed 10.0.0.8 --seed 10.0.0.7 --listen 0.0.0.0:7500",
                  "10.0.0.5:7500");

    machine.way_to[0] = "athens.example";
    expect_choice(&machine, "--seed athens.example", "10.0.0.5:7420");

    struct result *result = parse_on(&machine, "--state-dir /s");
    expect_refusal(result, "no seed", 78, "there is no seed to tell by");
    cr_expect_not(result->outcome.lacks_address, "nothing would change that");
    free(result);
}

/* A bridge of containers may be up before the network is. */
Test(config, a_way_to_a_seed_is_waited_for)
{
    struct machine machine = plain_machine();

    machine.way_to[0] = "10.0.0.7";
    machine.way_to[1] = "10.0.0.5";
    for (int count = 1; count <= 2; count++) {
        struct result *result = parse_on(&machine, "--seed 10.0.0.8");
        expect_refusal(result, "no way", 78, "is known to lead to a seed: say which one");
        cr_expect(result->outcome.lacks_address);
        free(result);
        machine.addresses[1] = "192.168.1.9";
    }
    machine.way_to[1] = "127.0.0.1";
    struct result *result = parse_on(&machine, "--seed 10.0.0.7");
    expect_refusal(result, "a way by loopback", 78, "(10.0.0.5, 192.168.1.9), and none of them");
    free(result);

    machine.addresses[1] = NULL;
    expect_choice(&machine, "--seed athens.example", "10.0.0.5:7420"); /* It is not looked up. */
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
