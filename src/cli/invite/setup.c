#include "cli/invite/setup.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/invite/secrets.h"
#include "cli/invite/unit.h"
#include "cli/request/cli.h"
#include "seal/keyring.h"

enum {
    HOST_NAME_BYTES = 256,
    CONTROL_PATH_MAX = 107, /* bytes that a Unix socket's path may have */
};

/* The host that was read before its port is not to blame for that. */
static void refuse_listen(const struct setup *setup, const char *argument, struct argp_state *state)
{
    const char *closing = strchr(argument, ']');
    const char *port = strrchr(argument, ':');

    if (port != NULL && (closing == NULL || port > closing) &&
        place_is_number(setup->listen_host)) {
        cli_usage_error(state, "--listen %s: '%s' is not a port: write 1 to 65535", argument,
                        port + 1);
    }
    cli_usage_error(state,
                    "--listen %s: give an address of this host, as in 10.0.0.1 or [fd00::1]:7420",
                    argument);
}

error_t setup_parse(struct setup *setup, int key, char *argument, struct argp_state *state)
{
    switch (key) {
    case 'n':
        if (!letter_name_is_good(argument)) {
            cli_usage_error(state,
                            "--name %s: a name has 1 to 63 of A-Z a-z 0-9 . _ -, and no dash first",
                            argument);
        }
        snprintf(setup->own_name, sizeof setup->own_name, "%s", argument);
        return 0;
    case 'l':
        if (!place_split(argument, DOYEND_PORT, setup->listen_host, &setup->port) ||
            !place_is_number(setup->listen_host)) {
            refuse_listen(setup, argument, state);
        }
        return 0;
    case 'd':
        setup->dry_run = true;
        return 0;
    case 'r':
        if (argument[0] == '\0') {
            cli_usage_error(state, "--root is empty: name a folder, or leave it out");
        }
        setup->root = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static enum exit_code find_name(struct setup *setup, struct failure *failure)
{
    char host[HOST_NAME_BYTES] = "";

    if (setup->own_name[0] != '\0') {
        return EXIT_DONE;
    }
    if (gethostname(host, sizeof host - 1) != 0) {
        host[0] = '\0';
    }
    if (!letter_name_is_good(host)) {
        host[strcspn(host, ".")] = '\0'; /* As doyend does. */
    }
    if (!letter_name_is_good(host)) {
        return failure_set(failure, EXIT_REFUSED,
                           "this host's name, \"%.80s\", cannot be a member's: add --name NAME",
                           host);
    }
    snprintf(setup->own_name, sizeof setup->own_name, "%.63s", host);
    return EXIT_DONE;
}

enum exit_code setup_begin(struct setup *setup, struct failure *failure)
{
    char conf[CONF_TEXT_MAX];

    if (setup->listen_host[0] == '\0') {
        setup->port = DOYEND_PORT;
    } else if (!place_is_wildcard(setup->listen_host) &&
               !place_suits(setup->listen_host, setup->listen_host)) {
        return failure_set(failure, EXIT_USAGE,
                           "--listen %s: that is no address by which other hosts reach this one: "
                           "ip address shows those that it has",
                           setup->listen_host);
    }
    if (setup->listen_host[0] != '\0' && !place_is_here(setup->listen_host)) {
        return failure_set(failure, EXIT_REFUSED,
                           "--listen %s: this host does not have that address: ip address shows "
                           "those that it has",
                           setup->listen_host);
    }
    if (setup->listen_host[0] != '\0' && !place_is_free(setup->listen_host, setup->port)) {
        return failure_set(failure, EXIT_REFUSED,
                           "--listen %s: port %u is in use there already: end what listens there, "
                           "or add another port to the address",
                           setup->listen_host, (unsigned)setup->port);
    }
    if (find_name(setup, failure) != EXIT_DONE ||
        host_init(&setup->host, setup->root, !setup->dry_run, failure) != EXIT_DONE ||
        host_check_free(&setup->host, failure) != EXIT_DONE ||
        setup_conf(setup, "", conf, failure) != EXIT_DONE) { /* Before a word is used for it. */
        return failure->code;
    }
    return setup->dry_run ? EXIT_DONE : host_check_account(&setup->host, failure);
}

/* --- The configuration ---------------------------------------------------------------------- */

/* Are the other nodes reached by IPv6, so that the default, 0.0.0.0, would not do? */
static bool seeds_are_six(const char *shared)
{
    struct conf_line line = {.end = 0};

    while (conf_next(shared, &line)) {
        if (strcmp(line.key, "seed") == 0) {
            char host[PLACE_HOST_MAX];
            uint16_t port;
            return place_split(line.value, DOYEND_PORT, host, &port) &&
                   place_is_address(host, AF_INET6);
        }
    }
    return false;
}

static bool add_listen(const struct setup *setup, const char *shared, char text[CONF_TEXT_MAX])
{
    char place[PLACE_TEXT_MAX];

    if (setup->listen_host[0] != '\0') {
        return conf_add(text, "listen", place_join(setup->listen_host, setup->port, place));
    }
    return !seeds_are_six(shared) || conf_add(text, "listen", place_join("::", setup->port, place));
}

static bool add_shared(const char *shared, char text[CONF_TEXT_MAX])
{
    struct conf_line line = {.end = 0};

    while (conf_next(shared, &line)) {
        if (!conf_add(text, line.key, line.value)) {
            return false;
        }
    }
    return true;
}

/* Where clients ask: below --root beside everything else; on the host itself the default, open to
 * the package's group. */
static bool add_control(const struct setup *setup, char text[CONF_TEXT_MAX])
{
    char path[HOST_PATH_MAX + LETTER_NAME_MAX + 16];

    if (setup->host.root[0] != '\0') {
        snprintf(path, sizeof path, "%s/run/%s.sock", setup->host.root, setup->own_name);
        return strlen(path) <= CONTROL_PATH_MAX && conf_add(text, "control", path);
    }
    return !host_has_account() ||
           (conf_add(text, "control-group", "doyen") && conf_add(text, "control-admin", "root"));
}

enum exit_code setup_conf(const struct setup *setup, const char *shared, char text[CONF_TEXT_MAX],
                          struct failure *failure)
{
    snprintf(text, CONF_TEXT_MAX,
             "; The node of this host, see doyend(8). Each key is an option of doyend without its\n"
             "; dashes. After a change: systemctl restart doyend\n");
    return conf_add(text, "name", setup->own_name) && add_listen(setup, shared, text) &&
                   add_shared(shared, text) && conf_add(text, "key", setup->host.key) &&
                   conf_add(text, "state-dir", setup->host.state_dir) && add_control(setup, text)
               ? EXIT_DONE
               : failure_set(failure, EXIT_REFUSED,
                             "doyend could not read a line of the configuration: choose a shorter "
                             "--root or --name, and a --root without line ends and \" ;\"");
}

bool setup_make_key(char line[KEY_LINE_MAX])
{
    struct key key;
    char text[KEY_TEXT_MAX];

    if (!secrets_draw(key.bytes, sizeof key.bytes)) {
        return false;
    }
    key_print(&key, text);
    snprintf(line, KEY_LINE_MAX, "%s\n", text);
    secret_wipe(&key, sizeof key);
    secret_wipe(text, sizeof text);
    return true;
}

enum exit_code setup_write(const struct setup *setup, const char *keys, const char *conf,
                           struct failure *failure)
{
    if (host_write_key(&setup->host, keys, failure) != EXIT_DONE) {
        return failure->code;
    }
    if (host_write_conf(&setup->host, conf, true, failure) != EXIT_DONE) {
        (void)unlink(setup->host.key); /* It is of no cluster yet, and would bar the next try. */
        return failure->code;
    }
    printf("wrote %s and %s\n", setup->host.key, setup->host.conf);
    return EXIT_DONE;
}

/* --- The start ------------------------------------------------------------------------------ */

static bool has_services(const struct setup *setup)
{
    return setup->host.root[0] == '\0' && unit_system_is_here();
}

static void print_command(const struct setup *setup)
{
    const bool as_doyen = setup->host.root[0] == '\0' && host_has_account();

    printf("%sdoyend --config %s\n", as_doyen ? "runuser -u doyen -- " : "", setup->host.conf);
}

void setup_print(const struct setup *setup, const char *conf)
{
    printf("%s, mode 0600: the key\n\n%s:\n\n%s\n", setup->host.key, setup->host.conf, conf);
    if (has_services(setup)) {
        unit_print(&setup->host);
    } else {
        print_command(setup);
    }
}

enum exit_code setup_start(const struct setup *setup, bool *started, struct failure *failure)
{
    *started = has_services(setup);
    if (!*started) {
        fputs("start it: ", stdout);
        print_command(setup);
        return EXIT_DONE;
    }
    return unit_start(&setup->host, failure);
}
