/* doyen-witness: reads its configuration, and votes in clusters that it is no member of, until it
 * is told to end. */
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

#include "base/version.h"
#include "runtime/options/config_print.h"
#include "runtime/options/config_read.h"
#include "runtime/process/descriptors.h"
#include "runtime/process/log.h"
#include "runtime/process/sandbox.h"
#include "usage/usage.h"
#include "witness/check.h"
#include "witness/service.h"
#include "words/address_text.h"

/* LARGE_BYTES: what is as long is mapped by itself. Else what is made for one cluster and freed, as
 * is the view in which its record is read, is given to the next one for tables that are to be all
 * zero, and clearing these takes memory for all of their pages, of which few are ever used. */
enum { SIGNALS = 4, LARGE_BYTES = 64 * 1024 };

struct process {
    const struct config *config;
    struct log log;
    uv_loop_t loop;
    uv_signal_t signals[SIGNALS];
    struct witness *witness; /* NULL: closed, or never opened */
};

static void close_all(struct process *process)
{
    for (int i = 0; i < SIGNALS; i++) {
        uv_close((uv_handle_t *)&process->signals[i], NULL);
    }
    if (process->witness != NULL) {
        witness_close(process->witness);
        process->witness = NULL;
    }
}

static void on_signal(uv_signal_t *handle, int number)
{
    struct process *process = handle->data;

    if (process->witness == NULL) {
        return;
    }
    switch (number) {
    case SIGHUP:
        witness_reload(process->witness);
        return;
    case SIGUSR1:
        witness_report(process->witness);
        return;
    default:
        log_line(&process->log, LOG_INFO, "stop", "signal=%s -> stopped in good order",
                 number == SIGINT ? "SIGINT" : "SIGTERM");
        close_all(process);
        return;
    }
}

static bool start_signals(struct process *process)
{
    static const int numbers[SIGNALS] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1};

    for (int i = 0; i < SIGNALS; i++) {
        if (uv_signal_init(&process->loop, &process->signals[i]) != 0) {
            return false;
        }
        process->signals[i].data = process;
        if (uv_signal_start(&process->signals[i], on_signal, numbers[i]) != 0) {
            return false;
        }
    }
    return true;
}

static void say_start(struct process *process, const struct config_outcome *outcome)
{
    const struct config *config = process->config;
    char listen[ADDRESS_TEXT_MAX];

    log_line(&process->log, LOG_INFO, "start", "doyen-witness %s listen=%s state_dir=%s key=%s",
             DOYEN_VERSION, address_text(&config->listen, listen), config->state_dir, config->key);
    for (uint32_t i = 0; i < outcome->warning_count; i++) {
        log_line(&process->log, LOG_WARN, outcome->warnings[i].event, "%s",
                 outcome->warnings[i].text);
    }
}

static int run(const struct config *config, const struct config_outcome *outcome)
{
    struct process process = {.config = config};
    int exit_code;

    (void)mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
    log_init(&process.log, STDERR_FILENO, config->log_level, config->log_format, config->name);
    (void)signal(SIGPIPE, SIG_IGN); /* A peer that hangs up is an error of its own call. */
    (void)signal(SIGXFSZ, SIG_IGN); /* A file that may not grow is an error of its own call. */
    if (config->sandbox == SANDBOX_ON) {
        (void)setenv("UV_USE_IO_URING", "0", 1); /* It has none; libuv would find out too late. */
    }
    if (uv_loop_init(&process.loop) != 0 || !start_signals(&process)) {
        log_line(&process.log, LOG_ERROR, "start", "cannot make an event loop");
        return EXIT_FAILURE;
    }
    say_start(&process, outcome);
    descriptors_raise(&process.log, config->capacity);
    process.witness = witness_open(&process.loop, config, &process.log, &exit_code);
    if (process.witness == NULL) {
        close_all(&process);
    } else if (config->sandbox == SANDBOX_ON) {
        (void)sandbox_enter(config, &process.log); /* Before the loop starts threads. */
    }
    (void)uv_run(&process.loop, UV_RUN_DEFAULT);
    (void)uv_loop_close(&process.loop);
    return exit_code;
}

static int check(const struct config *config, const struct config_outcome *outcome)
{
    for (uint32_t i = 0; i < outcome->warning_count; i++) {
        fprintf(stderr, "doyen-witness: %s\n", outcome->warnings[i].text);
    }
    const int exit_code = witness_check(stderr, config);
    if (exit_code != EXIT_SUCCESS) {
        return exit_code;
    }
    printf("the configuration is sound\n");
    return usage_flush("doyen-witness");
}

int main(int argc, char **argv)
{
    struct config_host host = config_host_system();
    struct config_outcome outcome;
    struct config config;

    if (!descriptors_open_standard()) {
        return EXIT_FAILURE;
    }
    host.program = PROGRAM_WITNESS;
    config_parse(&config, &outcome, argc, argv, &host);
    switch (outcome.action) {
    case CONFIG_RUN:
        return run(&config, &outcome);
    case CONFIG_CHECK:
        return check(&config, &outcome);
    case CONFIG_PRINT:
        config_print(stdout, &config, &outcome, PROGRAM_WITNESS);
        return usage_flush("doyen-witness");
    case CONFIG_HELP:
        config_print_help(stdout, PROGRAM_WITNESS);
        return usage_flush("doyen-witness");
    case CONFIG_VERSION:
        printf("doyen-witness %s\n", DOYEN_VERSION);
        return usage_flush("doyen-witness");
    case CONFIG_MAKE_KEY: /* None of its options, nor is the next. */
    case CONFIG_RECOVER:
    case CONFIG_REFUSED:
        break;
    }
    fprintf(stderr, "doyen-witness: %s\n", outcome.message);
    return outcome.exit_code;
}
