/* doyend: reads its configuration, runs one node and its control socket, and leaves in good order
 * when it is told to go. */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "base/version.h"
#include "control/control.h"
#include "runtime/address_text.h"
#include "runtime/config.h"
#include "runtime/log.h"
#include "runtime/node.h"
#include "runtime/options.h"

struct daemon {
    const struct config *config;
    struct log log;
    uv_loop_t loop;
    uv_signal_t terminate;
    uv_signal_t interrupt;
    struct node *node;
    struct control *control;
    bool leaving; /* a signal asked for it; the next one does not ask */
    bool closing;
    int exit_code;
};

/* --- Closing: the control socket looks at the node, so it goes first ------------------------- */

static void on_control_closed(void *context)
{
    struct daemon *daemon = context;

    daemon->control = NULL;
    node_close(daemon->node, NULL, NULL);
}

/* After this the loop runs until nothing is left on it. */
static void close_all(struct daemon *daemon, int exit_code)
{
    if (daemon->closing) {
        return;
    }
    daemon->closing = true;
    daemon->exit_code = exit_code;
    uv_close((uv_handle_t *)&daemon->terminate, NULL);
    uv_close((uv_handle_t *)&daemon->interrupt, NULL);
    if (daemon->control != NULL) {
        control_close(daemon->control, on_control_closed, daemon);
    } else if (daemon->node != NULL) {
        node_close(daemon->node, NULL, NULL);
    }
}

static void on_end(void *context, enum node_end end)
{
    struct daemon *daemon = context;

    switch (end) {
    case NODE_LEFT:
        log_line(&daemon->log, LOG_INFO, "stop", "stopped in good order");
        close_all(daemon, EXIT_SUCCESS);
        return;
    case NODE_JOIN_TIMED_OUT:
        log_line(&daemon->log, LOG_ERROR, "join",
                 "not let in within --join-timeout: check that a seed runs and can be reached, and "
                 "that --cluster is its");
        close_all(daemon, EXIT_FAILURE);
        return;
    }
}

static void on_signal(uv_signal_t *handle, int number)
{
    struct daemon *daemon = handle->data;

    if (daemon->leaving) {
        log_line(&daemon->log, LOG_WARN, "stop", "signal=%s again -> going at once",
                 number == SIGINT ? "SIGINT" : "SIGTERM");
        _exit(EXIT_FAILURE);
    }
    log_line(&daemon->log, LOG_INFO, "stop", "signal=%s -> leaving; once more goes at once",
             number == SIGINT ? "SIGINT" : "SIGTERM");
    daemon->leaving = true;
    node_leave(daemon->node);
}

/* --- Starting -------------------------------------------------------------------------------- */

static void say_start(struct daemon *daemon)
{
    const struct config *config = daemon->config;
    char listen[ADDRESS_TEXT_MAX];
    char advertise[ADDRESS_TEXT_MAX];
    char guard[VALUE_GUARD_MAX];
    char seeds[400] = "none";
    size_t used = 0;

    for (uint32_t i = 0; i < config->seed_count && used < sizeof seeds; i++) {
        const struct endpoint *seed = &config->seeds[i];
        const bool v6 = strchr(seed->host, ':') != NULL;
        used += (size_t)snprintf(seeds + used, sizeof seeds - used, v6 ? "%s[%s]:%u" : "%s%s:%u",
                                 i == 0 ? "" : ",", seed->host, (unsigned)seed->port);
    }
    value_guard_print(&config->guard, guard);
    log_line(&daemon->log, LOG_INFO, "start",
             "doyend %s name=%s cluster=%s listen=%s advertise=%s seeds=%s control=%s profile=%s "
             "guard=%s state_dir=%s",
             DOYEN_VERSION, config->name, config->cluster, address_text(&config->listen, listen),
             address_text(&config->advertise, advertise), seeds, config->control,
             option_profile_text(config->profile), guard,
             config->state_dir[0] != '\0' ? config->state_dir : "none (volatile)");
}

/* Makes the directory of the control socket, for its owner alone; the one above it must exist. */
static bool make_control_dir(struct daemon *daemon)
{
    char dir[CONFIG_PATH_MAX + 1];

    memcpy(dir, daemon->config->control, sizeof dir);
    char *slash = strrchr(dir, '/');
    if (slash == NULL || slash == dir) {
        return true;
    }
    *slash = '\0';
    if (mkdir(dir, 0700) != 0 && errno != EEXIST) {
        log_line(&daemon->log, LOG_ERROR, "control",
                 "cannot make %s for the control socket: %s: make it, or choose another --control",
                 dir, strerror(errno));
        return false;
    }
    return true;
}

static void start_signal(struct daemon *daemon, uv_signal_t *handle, int number)
{
    int error = uv_signal_init(&daemon->loop, handle);

    handle->data = daemon;
    if (error == 0) {
        error = uv_signal_start(handle, on_signal, number);
    }
    assert(error == 0); /* Both may be caught, and the loop has its signal pipe already. */
    (void)error;
}

/* Opens everything; what fails has said so on the log. */
static bool open_all(struct daemon *daemon)
{
    if (!make_control_dir(daemon)) {
        return false;
    }
    daemon->node = node_open(&daemon->loop, daemon->config, &daemon->log, on_end, daemon);
    if (daemon->node == NULL) {
        return false;
    }
    daemon->control = control_open(&daemon->loop, daemon->node, &daemon->log);
    return daemon->control != NULL;
}

static int run(const struct config *config)
{
    struct daemon daemon = {.config = config, .exit_code = EXIT_SUCCESS};

    log_init(&daemon.log, STDERR_FILENO, config->log_level, config->log_format, config->name);
    (void)signal(SIGPIPE, SIG_IGN); /* A peer that hangs up is an error of its own call. */
    (void)signal(SIGHUP, SIG_IGN);  /* There is nothing to read again. */

    int error = uv_loop_init(&daemon.loop);
    if (error != 0) {
        log_line(&daemon.log, LOG_ERROR, "start", "cannot make an event loop: %s",
                 uv_strerror(error));
        return EXIT_FAILURE;
    }
    start_signal(&daemon, &daemon.terminate, SIGTERM);
    start_signal(&daemon, &daemon.interrupt, SIGINT);
    say_start(&daemon);
    if (!open_all(&daemon)) {
        close_all(&daemon, EXIT_FAILURE);
    }

    (void)uv_run(&daemon.loop, UV_RUN_DEFAULT);
    error = uv_loop_close(&daemon.loop);
    assert(error == 0); /* Every handle was closed. */
    (void)error;
    return daemon.exit_code;
}

/* --- Being told ------------------------------------------------------------------------------ */

/* A full disk must not look like success. */
static int flushed(void)
{
    return fflush(stdout) == 0 && ferror(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    const struct config_host host = config_host_system();
    struct config_outcome outcome;
    struct config config;

    config_parse(&config, &outcome, argc, argv, &host);
    switch (outcome.action) {
    case CONFIG_RUN:
        return run(&config);
    case CONFIG_CHECK:
        printf("the configuration is sound\n");
        return flushed();
    case CONFIG_PRINT:
        config_print(stdout, &config, &outcome);
        return flushed();
    case CONFIG_HELP:
        config_print_help(stdout);
        return flushed();
    case CONFIG_USAGE:
        config_print_usage(stdout);
        return flushed();
    case CONFIG_VERSION:
        printf("doyend %s\n", DOYEN_VERSION);
        return flushed();
    case CONFIG_REFUSED:
        break;
    }
    fprintf(stderr, "doyend: %s\n", outcome.message);
    return outcome.exit_code;
}
