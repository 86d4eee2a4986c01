#include "witness/check.h"

#include <stdlib.h>

#include "runtime/disk/store.h"
#include "runtime/process/preflight.h"
#include "witness/key_directory.h"

struct check {
    FILE *to;
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

static bool on_cluster(void *context, const char *name, const struct keyring *ring,
                       struct complaint *complaint)
{
    (void)context;
    (void)name;
    (void)ring;
    (void)complaint;
    return true;
}

static bool on_fault(void *context, const char *name, const struct complaint *complaint)
{
    (void)name;
    return note(context, complaint);
}

int witness_check(FILE *to, const struct config *config)
{
    struct check check = {.to = to, .exit_code = EXIT_SUCCESS};
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
    if (!key_directory_walk(config->key, &walk, &complaint)) {
        (void)note(&check, &complaint);
    }
    return check.exit_code;
}
