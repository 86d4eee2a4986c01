/* doyend: reads its configuration, runs one node and its control socket, and leaves in good order
 * when it is told to go. */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "base/version.h"
#include "daemon/await_address.h"
#include "daemon/check.h"
#include "daemon/hooks.h"
#include "daemon/outside.h"
#include "daemon/recover.h"
#include "daemon/reload.h"
#include "daemon/seed_ways.h"
#include "daemon/status_line.h"
#include "daemon/supervisor.h"
#include "first/first_process.h"
#include "node/inside.h"
#include "runtime/disk/voter_store.h"
#include "runtime/host/host_address.h"
#include "runtime/node/node.h"
#include "runtime/options/config_print.h"
#include "runtime/options/config_read.h"
#include "runtime/options/options.h"
#include "runtime/process/descriptors.h"
#include "runtime/process/log.h"
#include "runtime/process/sandbox.h"
#include "runtime/process/scheduling.h"
#include "runtime/sealing/key_file.h"
#include "usage/usage.h"
#include "words/address_text.h"
#include "words/terms_text.h"

/* Whoever ends a group of processes may signal each of them as well: that is one wish, not two. */
enum { IMPATIENT_MS = 500 };

/* Who is not let in hears nothing, and would say nothing. It is said after the first of these, and
 * after each sixth. */
enum { OUTSIDE_MS = 10000, OUTSIDE_EVERY = 6 };

/* How often a node that strangers can rule says so. */
enum { INSECURE_MS = 3600000 };

struct daemon {
    const struct config *config;
    struct reload reloading;
    struct keyring ring;
    struct log log;
    uv_loop_t loop;
    uv_signal_t terminate;
    uv_signal_t interrupt;
    uv_signal_t report;  /* SIGUSR1 */
    uv_signal_t verbose; /* SIGUSR2 */
    uv_signal_t reload;  /* SIGHUP */
    uv_timer_t outside;
    uv_timer_t insecure;
    struct supervisor supervisor;
    struct scheduling scheduling;
    uint32_t outside_count;  /* of OUTSIDE_MS in a row at whose end it was outside */
    struct doyen_node *node; /* NULL: not open */
    bool leaving;            /* a signal asked for it */
    uint64_t leaving_ms;     /* when it did */
    bool closing;
    bool stopped; /* the node is gone, or never was there */
    int exit_code;
};

/* --- Closing --------------------------------------------------------------------------------- */

static void close_all(struct daemon *daemon, int exit_code)
{
    if (daemon->closing) {
        return;
    }
    daemon->closing = true;
    daemon->exit_code = exit_code;
    uv_close((uv_handle_t *)&daemon->terminate, NULL);
    uv_close((uv_handle_t *)&daemon->interrupt, NULL);
    uv_close((uv_handle_t *)&daemon->report, NULL);
    uv_close((uv_handle_t *)&daemon->verbose, NULL);
    uv_close((uv_handle_t *)&daemon->reload, NULL);
    uv_close((uv_handle_t *)&daemon->outside, NULL);
    uv_close((uv_handle_t *)&daemon->insecure, NULL);
    supervisor_close(&daemon->supervisor);
    scheduling_close(&daemon->scheduling);
    (void)signal(SIGTERM, SIG_IGN); /* The end is near: one more must not make it a bad one. */
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGUSR1, SIG_IGN);
    (void)signal(SIGUSR2, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    if (daemon->node != NULL) {
        doyen_node_close(daemon->node);
    }
}

static void on_stopped(void *user, int why)
{
    struct daemon *daemon = user;

    (void)why; /* on_ending was told more. */
    daemon->node = NULL;
    daemon->stopped = true;
}

static void count_handle(uv_handle_t *handle, void *count)
{
    (void)handle;
    ++*(size_t *)count;
}

/* Is nothing left on the loop but names that are still being looked up? */
static bool is_over(struct daemon *daemon)
{
    size_t handle_count = 0;

    if (daemon->stopped) {
        uv_walk(&daemon->loop, count_handle, &handle_count);
    }
    return daemon->stopped && handle_count == 0;
}

static void on_outside(uv_timer_t *timer)
{
    struct daemon *daemon = timer->data;
    char since[40];

    if (!outside_holds(node_inside(daemon->node))) {
        daemon->outside_count = 0;
        return;
    }
    daemon->outside_count++;
    if (daemon->outside_count == 1 || daemon->outside_count % OUTSIDE_EVERY == 0) {
        snprintf(since, sizeof since, "for %u s",
                 (unsigned)(daemon->outside_count * (OUTSIDE_MS / 1000)));
        outside_log(&daemon->log, LOG_WARN, node_inside(daemon->node), since);
    }
}

static void on_insecure(uv_timer_t *timer)
{
    struct daemon *daemon = timer->data;
    const bool accepts = daemon->config->auth == AUTH_ACCEPT;
    char listen[ADDRESS_TEXT_MAX];

    log_line(&daemon->log, LOG_WARN, "insecure",
             "--%s: whoever can send to %s rules this cluster: %s",
             accepts ? "auth accept" : "insecure", address_text(&daemon->config->listen, listen),
             accepts ? "leave that out once all of its nodes have the key"
                     : "give all of its nodes the same --key");
}

/* Why this node's phase changed last. */
static enum phase_reason last_reason(const struct journal *journal)
{
    for (uint64_t cursor = journal_cursor(journal); cursor > 0; cursor--) {
        const struct journal_entry *entry = journal_get(journal, cursor);
        if (entry == NULL || entry->notice.type == NOTICE_PHASE) {
            return entry == NULL ? REASON_START : entry->notice.reason;
        }
    }
    return REASON_START;
}

static void say_stopped(struct daemon *daemon)
{
    if (last_reason(node_journal(node_inside(daemon->node))) == REASON_LEAVE_TIMEOUT) {
        log_line(&daemon->log, LOG_WARN, "stop",
                 "stopped, but nobody confirmed in time that this node has left: the others may "
                 "take it for failed");
    } else {
        log_line(&daemon->log, LOG_INFO, "stop", "stopped in good order");
    }
}

static void on_ending(void *user, enum node_end end)
{
    struct daemon *daemon = user;

    switch (end) {
    case NODE_LEFT:
        say_stopped(daemon);
        close_all(daemon, EXIT_SUCCESS);
        return;
    case NODE_JOIN_TIMED_OUT:
        outside_log(&daemon->log, LOG_ERROR, node_inside(daemon->node), "within --join-timeout");
        close_all(daemon, EXIT_FAILURE);
        return;
    }
}

static void on_end_signal(uv_signal_t *handle, int number)
{
    struct daemon *daemon = handle->data;
    const char *name = number == SIGINT ? "SIGINT" : "SIGTERM";

    if (!daemon->leaving) {
        log_line(&daemon->log, LOG_INFO, "stop", "signal=%s -> leaving; once more goes at once",
                 name);
        daemon->leaving = true;
        daemon->leaving_ms = uv_now(&daemon->loop);
        supervisor_stopping(&daemon->supervisor);
        doyen_node_leave(daemon->node);
    } else if (uv_now(&daemon->loop) - daemon->leaving_ms >= IMPATIENT_MS) {
        log_line(&daemon->log, LOG_WARN, "stop", "signal=%s again -> going at once", name);
        _exit(EXIT_FAILURE);
    }
}

static void on_report(uv_signal_t *handle, int number)
{
    struct daemon *daemon = handle->data;
    const struct node *node = node_inside(daemon->node);

    (void)number;
    if (node != NULL) {
        status_line_log(&daemon->log, node);
    }
}

/* The configuration, then the key file; each says in the log what came of it. */
static void on_reload(uv_signal_t *handle, int number)
{
    const struct rotation reload = {.kind = ROTATION_RELOAD};
    struct daemon *daemon = handle->data;
    struct node *node = node_inside(daemon->node);
    struct complaint complaint;

    (void)number;
    supervisor_reloading(&daemon->supervisor);
    if (node != NULL) {
        reload_config(&daemon->reloading, node, &daemon->log);
    }
    if (node != NULL && node_keys(node) != NULL) {
        (void)node_rotate(node, &reload, &complaint);
    }
    supervisor_reloaded(&daemon->supervisor);
}

/* Debug lines for a while, without a restart that would lose what is to be looked at. */
static void on_verbose(uv_signal_t *handle, int number)
{
    struct daemon *daemon = handle->data;
    const enum log_level usual = daemon->config->log_level;
    const bool was_verbose = daemon->log.level == LOG_DEBUG;

    (void)number;
    daemon->log.level = LOG_DEBUG; /* What follows is to be seen in any case. */
    log_line(&daemon->log, LOG_INFO, "log", "signal=SIGUSR2 -> %s",
             was_verbose ? "as --log-level has it" : "debug lines too; once more ends them");
    daemon->log.level = was_verbose ? usual : LOG_DEBUG;
}

/* --- Starting -------------------------------------------------------------------------------- */

static void say_start(struct daemon *daemon)
{
    const struct config *config = daemon->config;
    char listen[ADDRESS_TEXT_MAX];
    char advertise[ADDRESS_TEXT_MAX];
    char guard[GUARD_TEXT_MAX];
    char seed[VALUE_ENDPOINT_MAX];
    char fingerprint[FINGERPRINT_TEXT_MAX];
    char seeds[400] = "none";
    size_t used = 0;

    for (uint32_t i = 0; i < config->seed_count && used < sizeof seeds; i++) {
        value_endpoint_print(&config->seeds[i], seed);
        used += (size_t)snprintf(seeds + used, sizeof seeds - used, "%s%s", i == 0 ? "" : ",",
                                 seed);
    }
    guard_words(&config->guard, guard);
    log_line(&daemon->log, LOG_INFO, "start",
             "doyend %s name=%s cluster=%s listen=%s advertise=%s seeds=%s control=%s profile=%s "
             "guard=%s state_dir=%s key=%s",
             DOYEN_VERSION, config->name, config->cluster, address_text(&config->listen, listen),
             address_text(&config->advertise, advertise), seeds, config->control,
             profile_text(config->profile), guard,
             config->state_dir[0] != '\0' ? config->state_dir : "none",
             daemon->ring.count > 0
                 ? fingerprint_text(daemon->ring.keys[0].fingerprint, fingerprint)
                 : "none");
}

static void start_signal(struct daemon *daemon, uv_signal_t *handle, uv_signal_cb on_signal,
                         int number)
{
    int error = uv_signal_init(&daemon->loop, handle);

    handle->data = daemon;
    if (error == 0) {
        error = uv_signal_start(handle, on_signal, number);
    }
    assert(error == 0); /* All of them may be caught, and the loop has its signal pipe already. */
    (void)error;
}

/* So that the next start chooses it again, if this host has several by then. */
static void remember_address(struct daemon *daemon)
{
    const struct config *config = daemon->config;

    if (config->state_dir[0] != '\0' &&
        !host_address_remember(config->state_dir, &config->advertise)) {
        log_line(&daemon->log, LOG_DEBUG, "address", "cannot keep it in %s: %s", config->state_dir,
                 strerror(errno));
    }
}

/* Opens everything; what fails has said so on the log. */
static bool open_all(struct daemon *daemon)
{
    const struct doyen_node_options options = {.size = sizeof options,
                                               .control = daemon->config->control,
                                               .on_stopped = on_stopped,
                                               .user = daemon};
    const struct node_inside inside = {.config = daemon->config,
                                       .ring = &daemon->ring,
                                       .log = &daemon->log,
                                       .on_ending = on_ending};
    const int code = node_start_inside(&daemon->node, &daemon->loop, &options, &inside);

    keyring_wipe(&daemon->ring); /* The node has them. */
    if (code != 0) {
        daemon->stopped = true;
        return false;
    }
    remember_address(daemon);
    if (daemon->config->sandbox == SANDBOX_ON) {
        (void)sandbox_enter(daemon->config, &daemon->log); /* Before the loop starts threads. */
    }
    scheduling_start_threads(&daemon->scheduling);
    return true;
}

static int run(const struct reload *start, const struct config_outcome *outcome)
{
    const struct config *config = start->config;
    struct daemon daemon = {.config = config, .reloading = *start, .exit_code = EXIT_SUCCESS};
    struct complaint complaint;

    if (!key_file_of(config, &daemon.ring, &complaint) || !voter_store_allows(config, &complaint)) {
        fprintf(stderr, "doyend: %s\n", complaint.text);
        return complaint.exit_code;
    }
    log_init(&daemon.log, STDERR_FILENO, config->log_level, config->log_format, config->name);
    (void)signal(SIGPIPE, SIG_IGN); /* A peer that hangs up is an error of its own call. */
    (void)signal(SIGHUP, SIG_IGN);  /* Until there is something to read again. */
    (void)signal(SIGUSR1, SIG_IGN); /* Until there is something to say. */
    (void)signal(SIGUSR2, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* A file that may not grow is an error of its own call. */

    if (!hooks_start(config, &daemon.log)) { /* Before there is anything that they could inherit. */
        return EXIT_FAILURE;
    }
    if (config->sandbox == SANDBOX_ON) {
        (void)setenv("UV_USE_IO_URING", "0", 1); /* It has none; libuv would find out too late. */
    }
    int error = uv_loop_init(&daemon.loop);
    if (error != 0) {
        log_line(&daemon.log, LOG_ERROR, "start", "cannot make an event loop: %s",
                 uv_strerror(error));
        return EXIT_FAILURE;
    }
    start_signal(&daemon, &daemon.terminate, on_end_signal, SIGTERM);
    start_signal(&daemon, &daemon.interrupt, on_end_signal, SIGINT);
    start_signal(&daemon, &daemon.report, on_report, SIGUSR1);
    start_signal(&daemon, &daemon.verbose, on_verbose, SIGUSR2);
    start_signal(&daemon, &daemon.reload, on_reload, SIGHUP);
    (void)uv_timer_init(&daemon.loop, &daemon.outside); /* cannot fail */
    daemon.outside.data = &daemon;
    (void)uv_timer_init(&daemon.loop, &daemon.insecure); /* nor this */
    daemon.insecure.data = &daemon;
    supervisor_open(&daemon.supervisor, &daemon.loop, &daemon.log);
    scheduling_open(&daemon.scheduling, &daemon.loop, &daemon.log);
    say_start(&daemon);
    if (config_is_insecure(config)) {
        on_insecure(&daemon.insecure);
        (void)uv_timer_start(&daemon.insecure, on_insecure, INSECURE_MS, INSECURE_MS);
    }
    for (uint32_t i = 0; i < outcome->warning_count; i++) {
        log_line(&daemon.log, LOG_WARN, outcome->warnings[i].event, "%s",
                 outcome->warnings[i].text);
    }
    descriptors_raise(&daemon.log, config->capacity);
    if (scheduling_is_wanted(config)) {
        scheduling_start(&daemon.scheduling, SCHEDULING_BURST_MS, SCHEDULING_AGAIN_MS);
    }
    if (!open_all(&daemon)) {
        close_all(&daemon, EXIT_FAILURE);
    } else {
        (void)uv_timer_start(&daemon.outside, on_outside, OUTSIDE_MS, OUTSIDE_MS);
        supervisor_watch(&daemon.supervisor, daemon.node);
    }

    while (uv_run(&daemon.loop, UV_RUN_ONCE) != 0 && !is_over(&daemon)) {
        /* Another turn. */
    }
    if (uv_loop_close(&daemon.loop) != 0) {
        /* The resolver may take many seconds to give up, and exit() would wait for its thread. */
        _exit(daemon.exit_code);
    }
    return daemon.exit_code;
}

/* --- Being told ------------------------------------------------------------------------------ */

static void warn(const struct config_outcome *outcome)
{
    for (uint32_t i = 0; i < outcome->warning_count; i++) {
        fprintf(stderr, "doyend: %s\n", outcome->warnings[i].text);
    }
}

static int check(const struct config *config)
{
    const int exit_code = check_start(stderr, config);

    if (exit_code != EXIT_SUCCESS) {
        return exit_code;
    }
    printf("the configuration is sound\n");
    return usage_flush("doyend");
}

static int make_key(const char *path)
{
    char fingerprint[FINGERPRINT_TEXT_MAX];
    struct complaint complaint;
    uint16_t number;

    if (!key_file_make(path, &number, &complaint)) {
        fprintf(stderr, "doyend: %s\n", complaint.text);
        return complaint.exit_code;
    }
    printf("%s: a new key, %s: give it to all nodes of the cluster, and to nobody else\n", path,
           fingerprint_text(number, fingerprint));
    return usage_flush("doyend");
}

int main(int argc, char **argv)
{
    struct config_host host = config_host_system();
    struct config_outcome outcome;
    struct config config;
    struct seed_ways ways;

    if (!descriptors_open_standard()) {
        return EXIT_FAILURE;
    }
    first_process_begin();
    seed_ways_begin(&ways, &host);
    config_parse(&config, &outcome, argc, argv, &host);
    const bool goes_on = await_address(&config, &outcome, argc, argv, &host);
    seed_ways_end(&ways);
    if (!goes_on) {
        return EXIT_SUCCESS;
    }
    switch (outcome.action) {
    case CONFIG_RUN:
        return run(&(struct reload){.config = &config, .argc = argc, .argv = argv}, &outcome);
    case CONFIG_CHECK:
        warn(&outcome);
        return check(&config);
    case CONFIG_PRINT:
        warn(&outcome);
        config_print(stdout, &config, &outcome, PROGRAM_DOYEND);
        return usage_flush("doyend");
    case CONFIG_MAKE_KEY:
        return make_key(config.key);
    case CONFIG_RECOVER:
        warn(&outcome);
        return recover_voters(&config, outcome.asserted);
    case CONFIG_HELP:
        config_print_help(stdout, PROGRAM_DOYEND);
        return usage_flush("doyend");
    case CONFIG_VERSION:
        printf("doyend %s\n", DOYEN_VERSION);
        return usage_flush("doyend");
    case CONFIG_REFUSED:
        break;
    }
    fprintf(stderr, "doyend: %s\n", outcome.message);
    return outcome.exit_code;
}
