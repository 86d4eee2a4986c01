/* doyen: asks a running doyend, and tells it what to do. */
#include <argp.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/version.h"
#include "cli/request/cli.h"
#include "cli/verbs/verbs.h"
#include "first/first_process.h"
#include "usage/usage.h"

enum { VERB_COLUMN = 14 }; /* where the summaries begin in the list of verbs */

/* In the order of --help, which has a heading before the first verb of each group. */
static const struct verb *const verbs[] = {
    &verb_status,  &verb_members, &verb_coordinator, &verb_top,          &verb_why,
    &verb_history, &verb_matrix,  &verb_links,       &verb_doctor,       &verb_wait,
    &verb_watch,   &verb_observe, &verb_run,         &verb_campaign,     &verb_resign,
    &verb_value,   &verb_roles,   &verb_lease,       &verb_hook,         &verb_transfer,
    &verb_drain,   &verb_undrain, &verb_leave,       &verb_restart_plan, &verb_tag,
    &verb_change,  &verb_remove,  &verb_voters,      &verb_keys,         &verb_init,
    &verb_join,    &verb_invite,  &verb_report,      &verb_fault,        &verb_version,
    &verb_leader,  &verb_elect,   &verb_partitions};

static const struct heading {
    const struct verb *before;
    const char *text;
} headings[] = {
    {&verb_status, "Look"},
    {&verb_wait, "Wait and follow"},
    {&verb_run, "Run something on one host"},
    {&verb_transfer, "Move the coordinator, leave, restart"},
    {&verb_tag, "Change"},
    {&verb_init, "Set up hosts"},
    {&verb_report, "Mend, and find faults"},
    {&verb_leader, "Experiments, which any release may change or take out"},
};

enum { VERB_COUNT = sizeof verbs / sizeof verbs[0] };

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < VERB_COUNT; i++) {
        if (strcmp(verbs[i]->name, name) == 0) {
            return verbs[i];
        }
    }
    return NULL;
}

static void print_help(FILE *out)
{
    size_t heading = 0;

    fputs("Usage: doyen [--control PATH | --url URL] [--json] VERB ...\n", out);
    for (size_t i = 0; i < VERB_COUNT; i++) {
        if (heading < sizeof headings / sizeof headings[0] &&
            headings[heading].before == verbs[i]) {
            fprintf(out, "\n %s:\n", headings[heading++].text);
        }
        fprintf(out, "  %-*s%s\n", VERB_COLUMN, verbs[i]->name, verbs[i]->summary);
    }
    fputs("\n"
          "  -c, --control=PATH   control socket of the daemon (or DOYEN_CONTROL)\n"
          "  -u, --url=URL        address of doyend --http, instead (or DOYEN_URL)\n"
          "      --expect-user=USER  account of the daemon, if neither root's nor yours (or\n"
          "                       DOYEN_EXPECT_USER)\n"
          "  -j, --json           print the daemon's JSON\n"
          "      --version        print the version of this command\n"
          "  -h, --help           print this; doyen VERB --help says more about one\n"
          "\n"
          "Without --control or --url it takes the only socket in $XDG_RUNTIME_DIR/doyen or\n"
          "/run/doyen. Exit: 0 done or true, 1 refused or failed, 2 the guard is not met, 3 no\n"
          "coordinator or --is-self is false, 4 daemon unreachable, 5 timed out, 6 the cluster is\n"
          "not healthy, 64 usage.\n",
          out);
}

/* A full disk or a closed pipe must not look like success. */
static enum exit_code finish_output(enum exit_code code)
{
    return usage_flush("doyen") == EXIT_SUCCESS ? code : EXIT_REFUSED;
}

/* What stands before the verb, and where the verb is. */
struct beginning {
    struct cli *cli;
    int verb_index; /* 0: there is none */
};

static error_t parse_beginning(int key, char *argument, struct argp_state *state)
{
    struct beginning *beginning = state->input;

    (void)argument;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = beginning->cli;
        return 0;
    case 'h':
    case '?':
        print_help(stdout);
        exit((int)finish_output(EXIT_DONE));
    case 'v':
        puts("doyen " DOYEN_VERSION);
        exit((int)finish_output(EXIT_DONE));
    case ARGP_KEY_ARG:
        beginning->verb_index = state->next - 1;
        state->next = state->argc; /* The rest is the verb's to read. */
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int parse_until_verb(struct cli *cli, int argc, char **argv)
{
    static const struct argp_option options[] = {
        {.name = "help", .key = 'h'},
        {.key = '?', .flags = OPTION_HIDDEN}, /* As for the verbs. */
        {.name = "version", .key = 'v'},
        {.name = NULL},
    };
    struct beginning beginning = {.cli = cli};
    const struct argp global = cli_global_argp();
    const struct argp_child children[] = {{.argp = &global}, {.argp = NULL}};
    const struct argp argp = {.options = options,
                              .parser = parse_beginning,
                              .args_doc = "VERB ...",
                              .children = children};

    usage_parse(&argp, argv[0], argc, argv, ARGP_IN_ORDER, &beginning);
    return beginning.verb_index;
}

static enum exit_code unknown_verb(const char *word)
{
    const char *names[VERB_COUNT];

    for (size_t i = 0; i < VERB_COUNT; i++) {
        names[i] = verbs[i]->name;
    }
    const char *nearest = suggest_nearest(word, names, VERB_COUNT);
    struct failure failure;

    if (nearest != NULL) {
        (void)failure_set(&failure, EXIT_USAGE, "no verb \"%s\": did you mean \"%s\"?", word,
                          nearest);
    } else {
        (void)failure_set(&failure, EXIT_USAGE, "no verb \"%s\": doyen --help lists them", word);
    }
    return failure_report(&failure);
}

int main(int argc, char **argv)
{
    char name[64] = "doyen"; /* what messages call this program, with its verb once there is one */
    struct cli cli = {.client = NULL};

    first_process_begin();
    setlocale(LC_CTYPE, ""); /* Tags may be any text: tables need to know how wide it is. */
    argv[0] = name;
    const int verb_index = parse_until_verb(&cli, argc, argv);
    if (verb_index == 0 && argc > 1) {
        fputs("doyen: no verb: doyen --help lists them\n", stderr);
        return EXIT_USAGE;
    }
    if (verb_index == 0) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    const struct verb *verb = find_verb(argv[verb_index]);
    if (verb == NULL) {
        return (int)unknown_verb(argv[verb_index]);
    }

    snprintf(name, sizeof name, "doyen %s", verb->name);
    argv[verb_index] = name;
    const enum exit_code code = verb->run(&cli, argc - verb_index, argv + verb_index);
    cli_deinit(&cli);
    return (int)finish_output(code);
}
