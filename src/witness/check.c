#include "witness/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/disk/store.h"
#include "runtime/disk/voter_store.h"
#include "runtime/process/preflight.h"
#include "witness/key_directory.h"

struct check {
    FILE *to;
    const char *state_dir;
    int state;     /* the directory; -1: it is not there yet */
    int exit_code; /* of the first obstacle */
};

static bool note(struct check *check, const struct complaint *complaint)
{
    fprintf(check->to, "doyen-witness: %s\n", complaint->text);
    if (check->exit_code == EXIT_SUCCESS) {
        check->exit_code = complaint->exit_code;
    }
    return true; /* There may be more of them. */
}

/* A damaged record is no obstacle, for a start goes on without that vote; one that cannot be read
 * is. */
static bool on_cluster(void *context, const char *name, const struct keyring *ring,
                       struct complaint *complaint)
{
    struct check *check = context;
    struct voter_bytes found = {.bytes = NULL};
    char file[NAME_BYTES_MAX + sizeof ".voter"];
    char why[OWN_FILE_WHY_MAX];

    (void)ring;
    snprintf(file, sizeof file, "%s.voter", name);
    if (check->state >= 0 && !voter_store_read(check->state, file, &found, why)) {
        complaint->exit_code = EXIT_FAILURE;
        (void)complaint_set(complaint,
                            "cannot read %.200s/%s: %s: mend that, or choose another --state-dir",
                            check->state_dir, file, why);
        return note(check, complaint);
    }
    free(found.bytes);
    return true;
}

static bool on_fault(void *context, const char *name, const struct complaint *complaint)
{
    (void)name;
    return note(context, complaint);
}

int witness_check(FILE *to, const struct config *config)
{
    char why[OWN_FILE_WHY_MAX];
    struct check check = {.to = to,
                          .state_dir = config->state_dir,
                          .state = own_directory_open(config->state_dir, why),
                          .exit_code = EXIT_SUCCESS};
    const struct key_directory_walk walk = {
        .on_cluster = on_cluster, .on_fault = on_fault, .context = &check};
    struct complaint complaint = {.exit_code = EXIT_FAILURE};

    if (!preflight_listen(PREFLIGHT_UDP, &config->listen, "--listen", &complaint) ||
        !preflight_listen(PREFLIGHT_TCP, &config->listen, "--listen", &complaint)) {
        (void)note(&check, &complaint);
    }
    if (config->http_on && !preflight_listen(PREFLIGHT_TCP, &config->http, "--http", &complaint)) {
        (void)note(&check, &complaint);
    }
    if (!store_check(config->state_dir, true, &complaint)) {
        (void)note(&check, &complaint);
    }
    if (!key_directory_is_apart(config->key, config->state_dir, &complaint) ||
        !key_directory_walk(config->key, &walk, &complaint)) {
        (void)note(&check, &complaint);
    }
    if (check.state >= 0) {
        (void)close(check.state);
    }
    return check.exit_code;
}
