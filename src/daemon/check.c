#include "daemon/check.h"

#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "control/http/listen_socket.h"
#include "daemon/hooks.h"
#include "runtime/disk/recorder.h"
#include "runtime/disk/store.h"
#include "runtime/disk/voter_store.h"
#include "runtime/process/preflight.h"
#include "runtime/sealing/key_file.h"
#include "words/address_text.h"

/* --- Sockets and files ----------------------------------------------------------------------- */

static bool check_listen(const struct config *config, struct complaint *complaint)
{
    return preflight_listen(PREFLIGHT_UDP, &config->listen, "--listen", complaint) &&
           preflight_listen(PREFLIGHT_TCP, &config->listen, "--listen", complaint);
}

static bool check_http(const struct config *config, struct complaint *complaint)
{
    return !config->http_on || preflight_listen(PREFLIGHT_TCP, &config->http, "--http", complaint);
}

static bool check_state(const struct config *config, struct complaint *complaint)
{
    const bool votes = voters_find(&config->voters, config->name) != VOTER_NONE;
    const struct voter_place place = voter_place_of(config);

    return config->state_dir[0] == '\0' ||
           (store_check(config->state_dir, votes, complaint) &&
            voter_store_allows(config, complaint) &&
            (config->guard.policy != GUARD_STRICT || voter_store_check(&place, complaint)));
}

static bool check_control(const struct config *config, struct complaint *complaint)
{
    return listen_socket_check_unix(config, complaint);
}

static bool check_record(const struct config *config, struct complaint *complaint)
{
    return config->record[0] == '\0' || recorder_check(config->record, complaint);
}

/* In the order of a start. */
static bool (*const checks[])(const struct config *, struct complaint *) = {
    check_listen, check_state, check_record, check_control, check_http, hooks_check,
};

/* --- Seeds ----------------------------------------------------------------------------------- */

/* Does the name lead to an address that this node can send to? */
static bool leads_somewhere(const struct config *config, const struct addrinfo *found)
{
    struct address address;

    for (; found != NULL; found = found->ai_next) {
        if (address_from_sockaddr(found->ai_addr, &address) &&
            address_families_meet(&config->listen, &address)) {
            return true;
        }
    }
    return false;
}

/* It may be mended while the node runs, so it is told and no reason to fail. */
static void check_seed(FILE *to, const struct config *config, const struct endpoint *seed)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *found = NULL;
    char text[VALUE_ENDPOINT_MAX];

    value_endpoint_print(seed, text);
    const int error = getaddrinfo(seed->host, NULL, &hints, &found);
    if (error != 0) {
        fprintf(to, "doyend: warning: --seed %s does not resolve (%s): it would be tried again\n",
                text, gai_strerror(error));
        return;
    }
    if (!leads_somewhere(config, found)) {
        fprintf(to,
                "doyend: warning: --seed %s has no %s address, which --listen needs: listen on "
                "[::]:%u, which is both families\n",
                text, address_family_text(&config->listen), (unsigned)config->listen.port);
    }
    freeaddrinfo(found);
}

/* --- All of it ------------------------------------------------------------------------------- */

/* Its faults are of the configuration, so they have an exit status of their own. */
static int check_key(FILE *to, const struct config *config)
{
    struct complaint complaint;
    struct keyring ring;
    const bool sound = key_file_of(config, &ring, &complaint);

    keyring_wipe(&ring);
    if (!sound) {
        fprintf(to, "doyend: %s\n", complaint.text);
    }
    return sound ? EXIT_SUCCESS : complaint.exit_code;
}

int check_start(FILE *to, const struct config *config)
{
    int exit_code = check_key(to, config);

    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        struct complaint complaint = {.exit_code = EXIT_FAILURE};
        if (!checks[i](config, &complaint)) {
            fprintf(to, "doyend: %s\n", complaint.text);
            exit_code = exit_code == EXIT_SUCCESS ? complaint.exit_code : exit_code;
        }
    }
    for (uint32_t i = 0; i < config->seed_count; i++) {
        check_seed(to, config, &config->seeds[i]);
    }
    return exit_code;
}
