/* doyen init: the first host of a cluster: its key, its configuration, its services, and the words
 * by which the others come in. */
#include <stdio.h>
#include <string.h>

#include "cli/invite/invite_options.h"
#include "cli/invite/setup.h"
#include "cli/verbs/verbs.h"
#include "seal/keyring.h"

struct init_options {
    struct setup setup;
    struct sponsor_options sponsor;
    bool strict;
};

static enum exit_code run_init(struct cli *cli, int argc, char **argv);

static error_t parse_init(int key, char *argument, struct argp_state *state)
{
    struct init_options *options = state->input;

    if (key == 's') {
        options->strict = true;
        return 0;
    }
    const error_t error = setup_parse(&options->setup, key, argument, state);
    return error != ARGP_ERR_UNKNOWN
               ? error
               : invite_options_parse(&options->sponsor, 0, key, argument, state);
}

static const struct argp_option init_options[] = {
    {.name = "strict",
     .key = 's',
     .doc = "Guard strict: at no instant do two act; three vote when the third is there"},
    INVITE_OPTIONS("2"),
    SETUP_OPTIONS,
    {.name = NULL},
};

const struct verb verb_init = {
    .name = "init",
    .example = "doyen init --strict",
    .summary = "Sets this host up as the first of a cluster, and lets the others in",
    .details =
        "Makes the cluster's key and /etc/doyen/doyend.conf, starts doyend, and doyen-run@NAME for "
        "each executable in /etc/doyen/run; then it prints the lines to run on the other hosts, "
        "and waits for them as doyen invite does. What it writes is what one could write by hand. "
        "A host that was set up before is left as it is.\n\n"
        "Exit: 0 set up and all words used, 1 refused, 5 ten minutes were over before all "
        "words were used.",
    .options = init_options,
    .parse = parse_init,
    .run = run_init,
};

/* The address by which the others will know this host: its own first seed. */
static enum exit_code find_address(const struct setup *setup, char address[PLACE_TEXT_MAX],
                                   struct failure *failure)
{
    char all[512];

    if (setup->listen_host[0] != '\0' && !place_is_wildcard(setup->listen_host)) {
        snprintf(address, PLACE_TEXT_MAX, "%.63s", setup->listen_host);
        return EXIT_DONE;
    }
    if (place_own(address, all, sizeof all)) {
        return EXIT_DONE;
    }
    return all[0] == '\0'
               ? failure_set(failure, EXIT_REFUSED,
                             "this host has no address besides loopback, by which others could "
                             "reach it: wait until its network is up, or add --listen ADDR")
               : failure_set(failure, EXIT_REFUSED,
                             "by which of its addresses do the others reach this host? It has %s: "
                             "add --listen ADDR",
                             all);
}

/* What all nodes are to share. */
static enum exit_code make_shared(const struct init_options *options, char shared[CONF_TEXT_MAX],
                                  struct failure *failure)
{
    const struct setup *setup = &options->setup;
    char address[PLACE_TEXT_MAX];
    char seed[PLACE_TEXT_MAX];

    if (find_address(setup, address, failure) != EXIT_DONE) {
        return failure->code;
    }
    shared[0] = '\0';
    (void)conf_add(shared, "seed", place_seed(address, setup->port, seed));
    if (options->strict) {
        (void)conf_add(shared, "guard", "strict");
        (void)conf_add(shared, "voters", setup->own_name);
        (void)conf_add(shared, "voters-target", "3");
    }
    return EXIT_DONE;
}

static enum exit_code set_up(const struct init_options *options, bool *started,
                             struct failure *failure)
{
    const struct setup *setup = &options->setup;
    char shared[CONF_TEXT_MAX];
    char conf[CONF_TEXT_MAX];
    char key[KEY_LINE_MAX];

    if (make_shared(options, shared, failure) != EXIT_DONE ||
        setup_conf(setup, shared, conf, failure) != EXIT_DONE) {
        return failure->code;
    }
    if (setup->dry_run) {
        setup_print(setup, conf);
        return EXIT_DONE;
    }
    if (!setup_make_key(key)) {
        return failure_set(failure, EXIT_REFUSED, "the system gives no random bytes");
    }
    const enum exit_code code = setup_write(setup, key, conf, failure);
    secret_wipe(key, sizeof key);
    return code == EXIT_DONE ? setup_start(setup, started, failure) : code;
}

static enum exit_code run_init(struct cli *cli, int argc, char **argv)
{
    struct init_options options = {.sponsor = {.count = 2, .port = INVITATION_PORT}};
    struct failure failure;
    bool started = false;

    cli_parse(cli, &verb_init, argc, argv, &options);
    if (setup_begin(&options.setup, &failure) != EXIT_DONE ||
        set_up(&options, &started, &failure) != EXIT_DONE) {
        return failure_report(&failure);
    }
    if (options.setup.dry_run) {
        return EXIT_DONE;
    }
    if (!started) {
        printf("then let the others in: doyen invite%s%s\n",
               options.setup.root == NULL ? "" : " --root ",
               options.setup.root == NULL ? "" : options.setup.root);
        return EXIT_DONE;
    }
    printf("%s is the first member\n", options.setup.own_name);
    fflush(stdout);
    return options.sponsor.count == 0 ? EXIT_DONE
                                      : sponsor_run(cli, &options.setup.host, &options.sponsor);
}
