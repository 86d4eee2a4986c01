#include "runtime/options/options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"
#include "partition/place.h"
#include "runtime/options/option_forms.h"
#include "runtime/options/option_kinds.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum {
    EXPECT_MIN = 2, /* who expects nobody names itself as a seed */
    MINUTE_MS = 60000,
    HOUR_MS = 60 * MINUTE_MS,
};

/* In the order of their enumerators, the first of which is the row's `min`. */
static const char *const profile_words[] = {"local", "lan", "wan"};
static const char *const auth_words[] = {"require", "accept"};
static const char *const level_words[] = {"error", "warn", "info", "debug"};
static const char *const election_words[] = {
    "oldest", "bully",        "ring",        "token-ring",        "sequential",
    "newest", "bully-newest", "ring-newest", "token-ring-newest", "sequential-newest"};
static const char *const sandbox_words[] = {"on", "off"};
static const char *const format_words[] = {"auto", "text", "json"};

/* --- The table ------------------------------------------------------------------------------- */

#define READ_INTO(field) .into = offsetof(struct partial_config, field)
#define PRINTED_FROM(field)                                                                        \
    .from = offsetof(struct config, field), .bytes = sizeof(((struct config *)0)->field)
#define IN_CONFIG(field) READ_INTO(config.field), PRINTED_FROM(field)
#define WORDS(array) .words = (array), .word_count = COUNT_OF(array)

/* A new option is a row here and a field in struct config; its kind is one of option_kinds.h, or
 * one of its own in option_forms.h. */
static const struct setting options[] = {
    {.name = "name",
     .argument = "NAME",
     .help = "This member's name, unique in the cluster: 1 to 63 of A-Z a-z 0-9 . _ -, no dash "
             "first",
     .fallback_note = "the host name",
     .group = GROUP_NODE,
     .kind = &option_name,
     IN_CONFIG(name)},
    {.name = "listen",
     .argument = "ADDR:PORT",
     .help = "Where peers reach this node, by UDP and TCP; [::] is IPv4 and IPv6",
     .fallback = "0.0.0.0:7420",
     .witness =
         {.has_it = true,
          .help =
              "Where the nodes of all clusters reach this witness, by UDP and TCP; [::] is IPv4 and IPv6"},
     .group = GROUP_NODE,
     .kind = &option_address,
     IN_CONFIG(listen)},
    {.name = "advertise",
     .argument = "ADDR:PORT",
     .help = "The address that other members are told: all must be able to send to it",
     .fallback_note = "what --listen says, or this host's address towards the seeds",
     .group = GROUP_NODE,
     .kind = &option_advertise,
     IN_CONFIG(advertise)},
    {.name = "state-dir",
     .argument = "DIR",
     .help =
         "Keeps what must survive a restart: known peers, epoch, count of lives, a voter's record",
     .fallback_note = "none, volatile",
     .witness =
         {.has_it = true,
          .help = "Keeps the record of each cluster, by which this witness votes, as NAME.voter"},
     .group = GROUP_NODE,
     .kind = &option_path,
     IN_CONFIG(state_dir)},
    {.name = "tag",
     .argument = "KEY=VALUE",
     .help = "A fact about this member that the others see; may be repeated",
     .fallback_note = "none",
     .group = GROUP_NODE,
     .repeatable = true,
     .kind = &option_tag},
    {.name = "priority",
     .argument = "N",
     .help = "What elections compare before age, 1 to 999999999, the highest is best; the others "
             "see it as the tag priority=N",
     .fallback_note = "0, no tag",
     .group = GROUP_EXPERIMENTS,
     .kind = &option_number,
     IN_CONFIG(priority),
     .min = 1,
     .max = 999999999},

    {.name = "cluster",
     .argument = "NAME",
     .help = "The cluster to belong to; those of different names never mix",
     .fallback = "doyen",
     .group = GROUP_CLUSTER,
     .kind = &option_name,
     IN_CONFIG(cluster)},
    {.name = "seed",
     .argument = "HOST:PORT",
     .help = "A node through which to join; may be repeated. A node whose own address is among "
             "its seeds, or that has none, may found the cluster",
     .fallback_note = "none: founds a cluster alone",
     .group = GROUP_CLUSTER,
     .repeatable = true,
     .kind = &option_seed},
    {.name = "guard",
     .argument = "none|N|majority|strict",
     .help = "The coordinator acts only while N members, itself included, or more than half of "
             "--size, were heard lately and follow it. Advisory: two sides of a split may overlap "
             "for a moment. Strict: only with leases of more than half of --voters, so that at no "
             "instant two act",
     .fallback = "none",
     .group = GROUP_CLUSTER,
     .kind = &option_guard},
    {.name = "size",
     .argument = "N",
     .help = "Members of the whole cluster, 1 to 4096: what --guard majority is the majority of. "
             "It never has more",
     .fallback_note = "none: needed with --guard majority alone",
     .group = GROUP_CLUSTER,
     .kind = &option_size,
     .min = 1,
     .max = MEMBER_MAX},
    {.name = "voters",
     .argument = "A,B,C",
     .help =
         "Names of 1 to 9 nodes by whose leases --guard strict is founded, the same list on all that "
         "wait for that; the first of them founds. From then on doyen voters shows and changes who "
         "votes, whatever is said here. A node with such a name needs --state-dir",
     .fallback_note = "none: needed with --guard strict alone",
     .group = GROUP_CLUSTER,
     .kind = &option_voters},
    {.name = "voters-target",
     .argument = "N",
     .help = "Under --guard strict so many are to vote, 1 to 9; the same on all members. A voter "
             "that has not voted for ten minutes gets another record, or is replaced by another "
             "member, and there are never fewer",
     .fallback_note = "none: who votes changes by doyen voters alone",
     .group = GROUP_CLUSTER,
     .kind = &option_number,
     IN_CONFIG(voters_target),
     .min = 1,
     .max = VOTERS_MAX},
    {.name = "capacity",
     .argument = "N",
     .help = "The number of members that a node can hold, 1 to 4096; the same on all members",
     .fallback = "256",
     .witness =
         {.has_it = true,
          .help = "The number of members that a cluster may have, 1 to 4096: no lower than theirs"},
     .group = GROUP_CLUSTER,
     .kind = &option_number,
     IN_CONFIG(capacity),
     .min = 1,
     .max = MEMBER_MAX},
    {.name = "bootstrap-expect",
     .argument = "N",
     .help = "Found only when N nodes, 2 to 64, that wait for a cluster have met, whatever the "
             "seeds; the one with the lowest address then founds. More than half of the nodes "
             "there are to be",
     .fallback_note = "none: founds if its own address is among the seeds",
     .group = GROUP_CLUSTER,
     .kind = &option_number,
     IN_CONFIG(expect),
     .min = EXPECT_MIN,
     .max = EXPECT_MAX},
    {.name = "key",
     .argument = "FILE",
     .help =
         "The keys that all nodes of the cluster share, which keep everybody else out: a line of "
         "base64 each, the first seals. Without it only addresses of this host's loopback may "
         "be listened on",
     .fallback_note = "none",
     .witness =
         {.has_it = true,
          .argument = "DIR",
          .help =
              "The directory with a file for each cluster, NAME.key, which is the key file of its nodes; read again at SIGHUP"},
     .group = GROUP_CLUSTER,
     .kind = &option_path,
     IN_CONFIG(key)},
    {.name = "auth",
     .argument = "require|accept",
     .help =
         "Whether frames without a key are taken, too: accept is for the time in which the nodes "
         "of a cluster get their first key, one after the other",
     .fallback = "require",
     .group = GROUP_CLUSTER,
     .kind = &option_word,
     IN_CONFIG(auth),
     WORDS(auth_words)},
    {.name = "insecure",
     .help = "Runs without --key where strangers can send to it: all of them rule the cluster",
     .fallback = "no",
     .group = GROUP_CLUSTER,
     .kind = &option_switch,
     IN_CONFIG(insecure)},
    {.name = "election",
     .argument = "oldest|bully|ring|token-ring|sequential",
     .help = "How doyen leader finds the leader, which is advisory: read off the view, or elected "
             "by messages, the same way by all members; newest, or with -newest behind it, the "
             "newest leads among equal priorities; not with --guard strict",
     .fallback = "oldest",
     .group = GROUP_EXPERIMENTS,
     .kind = &option_word,
     IN_CONFIG(election),
     .min = ELECT_OLDEST,
     WORDS(election_words)},
    {.name = "partitions",
     .argument = "N[,DUR]",
     .help = "Shares out so many partitions among the members, 1 to 4096, the same with all of "
             "them: doyen partitions; the others see it as the tag partitions=N+BACKUPS. DUR, up "
             "to 1h: what this node needs for its own before the former owner lets go, unless "
             "doyen partitions --ready says sooner that it is ready",
     .fallback_note = "none, no tag",
     .group = GROUP_EXPERIMENTS,
     .kind = &option_partitions,
     .min = 1,
     .max = PARTITIONS_MAX},
    {.name = "backups",
     .argument = "N",
     .help = "Members besides its owner that keep a copy of each partition, 1 or 2; with "
             "--partitions",
     .fallback_note = "0",
     .group = GROUP_EXPERIMENTS,
     .kind = &option_number,
     IN_CONFIG(backups),
     .min = 1,
     .max = PARTITION_COPIES_MAX - 1},
    {.name = "join-timeout",
     .argument = "DUR",
     .help = "Gives up, with exit status 1, if the node has not joined after DUR",
     .fallback = "none",
     .group = GROUP_CLUSTER,
     .kind = &option_join_timeout,
     .min = 1,
     .max = UINT64_C(24) * HOUR_MS},

    {.name = "profile",
     .argument = "local|lan|wan",
     .help = "The set of timings; all members have the same",
     .fallback = "lan",
     .group = GROUP_TIMING,
     .kind = &option_word,
     IN_CONFIG(profile),
     .min = PROFILE_LOCAL,
     WORDS(profile_words)},
    {.name = "watchers",
     .argument = "N",
     .help = "How many watch each member, a multiple of four; all members have the same",
     .fallback = "4",
     .group = GROUP_TIMING,
     .kind = &option_number,
     IN_CONFIG(watchers),
     .min = WATCHERS_LEAST,
     .max = WATCHERS_MOST},
    {.name = "fanout",
     .argument = "N",
     .help = "To how many members this node, while it coordinates, sends a change itself; where "
             "there are more, they hand it on",
     .fallback = "128",
     .group = GROUP_TIMING,
     .kind = &option_number,
     IN_CONFIG(fanout),
     .min = FANOUT_LEAST,
     .max = FANOUT_MOST},
    {.name = "heartbeat",
     .argument = "DUR",
     .help = "Time between two heartbeats, 5ms to 60s",
     .fallback_note = "from the profile",
     .group = GROUP_TIMING,
     .kind = &option_duration,
     READ_INTO(heartbeat_ms),
     PRINTED_FROM(timing.heartbeat_ms),
     .min = 5,
     .max = MINUTE_MS},
    {.name = "fail-after",
     .argument = "DUR",
     .help = "Silence of a host after which it counts as lost",
     .fallback_note = "from the profile",
     .group = GROUP_TIMING,
     .kind = &option_duration,
     READ_INTO(lost_ms),
     PRINTED_FROM(timing.lost_ms),
     .min = 15,
     .max = HOUR_MS},
    {.name = "detect",
     .argument = "DUR",
     .help = "Time within which a lost host is out: what --heartbeat and --fail-after follow from, "
             "instead of them; all members have the same",
     .fallback_note = "none: the profile's timings",
     .group = GROUP_TIMING,
     .kind = &option_detect,
     .min = 30,
     .max = UINT64_C(3) * MINUTE_MS},

    {.name = "control",
     .argument = "PATH",
     .help = "The control socket, a Unix socket; PATH has at most 107 bytes",
     .fallback_note = "$XDG_RUNTIME_DIR/doyen/NAME.sock, else /run/doyen/NAME.sock",
     .group = GROUP_CLIENTS,
     .kind = &option_socket,
     IN_CONFIG(control)},
    {.name = "control-group",
     .argument = "GROUP",
     .help = "The group of the control socket: its members may ask, and without --control-admin "
             "change what the socket can change",
     .fallback_note = "none: doyend's own account alone",
     .group = GROUP_CLIENTS,
     .kind = &option_group,
     IN_CONFIG(control_group)},
    {.name = "control-admin",
     .argument = "GROUP",
     .help = "The group whose members may change what the socket can change; those of "
             "--control-group may then only ask",
     .fallback_note = "that of --control-group",
     .group = GROUP_CLIENTS,
     .kind = &option_group,
     IN_CONFIG(control_admin)},
    {.name = "control-mode",
     .argument = "MODE",
     .help = "The mode of the control socket, in octal: accounts that may write to it may query",
     .fallback_note = "0600, with --control-group 0660",
     .group = GROUP_CLIENTS,
     .kind = &option_mode},
    {.name = "hooks",
     .argument = "DIR",
     .help = "Runs the executables of DIR that are named after what happens: joined, gone, "
             "coordinator, acting, not-acting, guard, split, merge, drained; see doyen hook",
     .fallback_note = "none",
     .group = GROUP_CLIENTS,
     .kind = &option_path,
     IN_CONFIG(hooks)},
    {.name = "http",
     .argument = "ADDR:PORT",
     .help = "Serves a page for browsers and the resources over TCP, GET only",
     .fallback = "off",
     .witness = {.has_it = true, .help = "Serves the metrics for Prometheus over TCP, as /metrics"},
     .group = GROUP_CLIENTS,
     .kind = &option_http},
    {.name = "http-host",
     .argument = "NAME",
     .help = "A further name by which --http may be asked, besides addresses, localhost and the "
             "node's and the host's own names; may be repeated",
     .fallback_note = "none",
     .group = GROUP_CLIENTS,
     .repeatable = true,
     .kind = &option_http_host},
    {.name = "faults",
     .help = "Lets the control socket drop and delay messages, for trying things out",
     .fallback = "no",
     .group = GROUP_CLIENTS,
     .kind = &option_switch,
     IN_CONFIG(faults)},
    {.name = "sandbox",
     .argument = "on|off",
     .help = "Whether the running daemon gives up starting programs, opening files of others and "
             "rare system calls",
     .fallback = "on",
     .witness =
         {.has_it = true,
          .help =
              "Whether the running witness gives up starting programs, opening files of others and rare system calls"},
     .group = GROUP_CLIENTS,
     .kind = &option_word,
     IN_CONFIG(sandbox),
     .min = SANDBOX_ON,
     WORDS(sandbox_words)},

    {.name = "log-level",
     .argument = "LEVEL",
     .help = "error, warn, info or debug",
     .fallback = "info",
     .witness = {.has_it = true},
     .group = GROUP_LOG,
     .kind = &option_word,
     IN_CONFIG(log_level),
     WORDS(level_words)},
    {.name = "log-format",
     .argument = "auto|text|json",
     .help =
         "Of the lines on stderr; auto is text on a terminal and in the system's journal, JSON else",
     .fallback = "auto",
     .witness = {.has_it = true},
     .group = GROUP_LOG,
     .kind = &option_word,
     IN_CONFIG(log_format),
     WORDS(format_words)},
    {.name = "record",
     .argument = "FILE",
     .help = "Keeps every input of this node for doyen-replay; the recording of the life before "
             "becomes FILE.1, and so does one that has 64 MiB",
     .fallback_note = "none",
     .group = GROUP_LOG,
     .kind = &option_path,
     IN_CONFIG(record)},

    {.name = "config",
     .argument = "FILE",
     .help = "Reads KEY = VALUE lines; the keys are these options without their dashes",
     .fallback_note = "none",
     .witness = {.has_it = true},
     .group = GROUP_CONFIGURATION,
     .role = ROLE_CONFIG},
    {.name = "check",
     .help = "Checks the configuration, and whether a start with it would succeed now, and exits",
     .witness = {.has_it = true},
     .group = GROUP_CONFIGURATION,
     .role = ROLE_CHECK},
    {.name = "print-config",
     .help = "Prints each value and where it comes from, as a file for --config, and exits",
     .witness = {.has_it = true},
     .group = GROUP_CONFIGURATION,
     .role = ROLE_PRINT},
    {.name = "make-key",
     .argument = "FILE",
     .help = "Makes a file for --key with a new key, says its fingerprint and exits",
     .group = GROUP_CONFIGURATION,
     .role = ROLE_MAKE_KEY},
    {.name = "recover-voters",
     .help = "When more than half of the voters are lost for good: makes this one, which is "
             "stopped, the only voter of another history, and exits",
     .group = GROUP_CONFIGURATION,
     .role = ROLE_RECOVER},
    {.name = "yes-the-others-are-gone",
     .argument = "CLUSTER",
     .help = "Says so in place of the cluster's name that --recover-voters asks for",
     .fallback_note = "none",
     .group = GROUP_CONFIGURATION,
     .role = ROLE_ASSERT},
    {.name = "help",
     .help = "Prints this and exits",
     .witness = {.has_it = true},
     .group = GROUP_CONFIGURATION,
     .role = ROLE_HELP},
    {.name = "version",
     .help = "Prints the version and exits",
     .witness = {.has_it = true},
     .group = GROUP_CONFIGURATION,
     .role = ROLE_VERSION},
};
_Static_assert(COUNT_OF(options) <= CONFIG_OPTIONS_MAX, "raise CONFIG_OPTIONS_MAX");

size_t option_count(void)
{
    return COUNT_OF(options);
}

const struct setting *option_at(size_t index)
{
    assert(index < COUNT_OF(options));
    return &options[index];
}

const char *option_group_title(enum option_group group)
{
    static const char *const titles[GROUP_COUNT] = {
        [GROUP_NODE] = "This node:",
        [GROUP_CLUSTER] = "The cluster:",
        [GROUP_TIMING] = "Timing (DUR is a number with its unit: 250ms, 2s, 1m):",
        [GROUP_CLIENTS] = "Clients:",
        [GROUP_LOG] = "The log:",
        [GROUP_EXPERIMENTS] = "Experiments, which any release may change or take out:",
        [GROUP_CONFIGURATION] = "Configuration:",
    };
    return titles[group];
}

size_t option_find(const char *name)
{
    size_t index = 0;

    while (index < COUNT_OF(options) && !text_equal(options[index].name, name)) {
        index++;
    }
    return index;
}

bool option_is_of(const struct setting *option, enum program program)
{
    return program == PROGRAM_DOYEND || option->witness.has_it;
}

const char *option_argument(const struct setting *option, enum program program)
{
    return program == PROGRAM_WITNESS && option->witness.argument != NULL ? option->witness.argument
                                                                          : option->argument;
}

const char *option_help(const struct setting *option, enum program program)
{
    return program == PROGRAM_WITNESS && option->witness.help != NULL ? option->witness.help
                                                                      : option->help;
}

const char *program_name(enum program program)
{
    return program == PROGRAM_WITNESS ? "doyen-witness" : "doyend";
}

const char *option_suggest(const char *name, bool settings_only, enum program program)
{
    const char *names[COUNT_OF(options)];
    size_t count = 0;

    for (size_t i = 0; i < COUNT_OF(options); i++) {
        if (option_is_of(&options[i], program) &&
            (options[i].role == ROLE_SETTING || !settings_only)) {
            names[count++] = options[i].name;
        }
    }
    return suggest_nearest(name, names, count);
}

void option_variable(const struct setting *option, char out[OPTION_VARIABLE_MAX])
{
    const int length = snprintf(out, OPTION_VARIABLE_MAX, "DOYEN_%s", option->name);

    assert(length > 0 && length < OPTION_VARIABLE_MAX);
    for (char *c = out; *c != '\0'; c++) {
        if (*c == '-') {
            *c = '_';
        } else if (*c >= 'a' && *c <= 'z') {
            *c = (char)(*c - 'a' + 'A');
        }
    }
}

const char *option_instead(const char *name, enum program program)
{
    static const struct {
        const char *name;
        const char *instead;
    } gone[] = {
        {"best", "--election NAME-newest, as in bully-newest, has the newest lead"},
        {"partitions-ready", "write --partitions N,DUR"},
        {"scheduling", "a limit RLIMIT_RTPRIO of 0 keeps it behind other programs"},
    };

    for (size_t i = 0; program == PROGRAM_DOYEND && i < sizeof gone / sizeof gone[0]; i++) {
        if (text_equal(gone[i].name, name)) {
            return gone[i].instead;
        }
    }
    return NULL;
}
