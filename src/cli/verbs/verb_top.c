/* doyen top: the cluster as one node sees it, on a screen that keeps up to date. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "cli/request/cli.h"
#include "cli/request/clock.h"
#include "cli/request/document.h"
#include "cli/top/top_feed.h"
#include "cli/top/top_layout.h"
#include "cli/top/top_terminal.h"
#include "cli/verbs/verbs.h"

enum {
    ONCE_ROWS = 2048,
    ONCE_COLUMNS = 100, /* where the output is no terminal and COLUMNS says nothing */
    ONCE_COLUMNS_MIN = 20,
};

struct top_options {
    bool once;
};

static enum exit_code run_top(struct cli *cli, int argc, char **argv);

static error_t parse_top(int key, char *argument, struct argp_state *state)
{
    struct top_options *options = state->input;

    (void)argument;
    if (key != '1') {
        return ARGP_ERR_UNKNOWN;
    }
    options->once = true;
    return 0;
}

static const struct argp_option top_options[] = {
    {.name = "once", .key = '1', .doc = "Print all of it once, as plain text, and end"},
    {.name = NULL},
};

const struct verb verb_top = {
    .name = "top",
    .summary = "Members, links, events and counters on a screen that keeps up to date",
    .details =
        "Four panes: the members by age, who hears whom, what happened, counters. Keys: 1 to 4 and "
        "Tab choose the pane, arrows or j and k a member, Enter shows why it is as it is, / "
        "filters, ? lists all keys, q ends. Times are UTC. When the daemon goes away the screen "
        "says so, and goes on when it is back.\n\n"
        "Colours are used where the terminal has them and NO_COLOR is not set. With --once the "
        "lines are as long as COLUMNS says, or the terminal is wide, else 100 columns.\n\n"
        "Exit: 1 without a terminal that can show it; 4 when no daemon is there to begin with, 5 "
        "when it does not answer then; with --once 6 when the cluster is not healthy, as doyen "
        "status says it.",
    .options = top_options,
    .parse = parse_top,
    .run = run_top,
};

struct top {
    struct top_model model;
    struct top_ui ui;
    struct top_feed feed;
    int signals;
};

static struct top_now moment(void)
{
    struct timespec now = {.tv_sec = 0};

    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (struct top_now){.clock_ms = clock_now_ms(),
                            .wall_ms = (uint64_t)now.tv_sec * 1000 +
                                       (uint64_t)now.tv_nsec / 1000000};
}

static enum exit_code out_of_memory(struct failure *failure)
{
    return failure_set(failure, EXIT_REFUSED, "memory ran out");
}

/* --- Once --- */

static size_t columns_to_print(void)
{
    const char *wished = getenv("COLUMNS");
    const long number = wished == NULL ? 0 : strtol(wished, NULL, 10);
    struct winsize size = {.ws_col = 0};

    if (number >= ONCE_COLUMNS_MIN) {
        return number < TOP_COLUMNS_MAX ? (size_t)number : TOP_COLUMNS_MAX;
    }
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= ONCE_COLUMNS_MIN) {
        return size.ws_col;
    }
    return ONCE_COLUMNS;
}

static enum exit_code print_once(struct top *top, struct failure *failure)
{
    const struct top_now now = moment();
    struct top_canvas canvas;

    if (!top_canvas_init(&canvas, ONCE_ROWS, columns_to_print(), top_terminal_has_utf8())) {
        return out_of_memory(failure);
    }
    top_layout_all(&canvas, &top->model, &now);
    top_canvas_print(&canvas, top_canvas_used_rows(&canvas), stdout);
    top_canvas_deinit(&canvas);
    return EXIT_DONE;
}

/* --- The screen --- */

static enum exit_code show(struct top *top, struct failure *failure)
{
    const struct top_now now = moment();
    struct top_canvas canvas;
    size_t rows = 0;
    size_t columns = 0;

    top_terminal_size(&rows, &columns);
    if (!top_canvas_init(&canvas, rows, columns, top_terminal_has_utf8())) {
        return out_of_memory(failure);
    }
    top_layout_screen(&canvas, &top->model, &top->ui, &now);
    top_terminal_show(&canvas);
    top_canvas_deinit(&canvas);
    return EXIT_DONE;
}

static void take_keys(struct top *top)
{
    int key = top_terminal_key();

    for (; key != TOP_KEY_NONE; key = top_terminal_key()) {
        if (key == TOP_KEY_REDRAW) {
            top_terminal_redraw();
        } else {
            (void)top_ui_key(&top->ui, &top->model, key);
        }
    }
}

/* The evidence is that about the chosen member, for as long as it is shown. */
static void follow_choice(struct top *top)
{
    struct member_row row;
    size_t index = 0;
    const bool any = top->ui.why && top_ui_chosen(&top->ui, &top->model, &index, &row);

    top_feed_ask_why(&top->feed, any ? document_text(row.entry, "name", "") : "");
}

/* The signal that came, or 0. SIGHUP stands for a terminal that is gone. */
static int wait_for_news(struct top *top)
{
    struct pollfd ends[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                            {.fd = doyen_fd(top->feed.client), .events = POLLIN},
                            {.fd = top->signals, .events = POLLIN}};
    struct signalfd_siginfo signal;

    if (poll(ends, sizeof ends / sizeof ends[0], top_feed_timeout_ms(&top->feed)) <= 0) {
        return 0;
    }
    if (ends[2].revents != 0 &&
        read(top->signals, &signal, sizeof signal) == (ssize_t)sizeof signal) {
        return (int)signal.ssi_signo;
    }
    return (ends[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0 ? SIGHUP : 0;
}

/* Returns when the person ends it, by `*signal` where one came, or on an error. */
static enum exit_code run_screen(struct top *top, int *signal, struct failure *failure)
{
    enum exit_code code = EXIT_DONE;

    while (code == EXIT_DONE && *signal == 0 && !top->ui.quit) {
        code = top_feed_step(&top->feed, failure);
        follow_choice(top);
        if (code == EXIT_DONE) {
            code = show(top, failure);
        }
        if (code == EXIT_DONE) {
            *signal = wait_for_news(top);
            take_keys(top);
        }
    }
    return code;
}

/* Signals that end it are read, so that the terminal is given back first. `*before`: how it was. */
static bool take_signals(struct top *top, sigset_t *before)
{
    sigset_t ends;

    (void)sigemptyset(&ends);
    (void)sigaddset(&ends, SIGINT);
    (void)sigaddset(&ends, SIGTERM);
    (void)sigaddset(&ends, SIGHUP);
    (void)sigaddset(&ends, SIGQUIT);
    top->signals = sigprocmask(SIG_BLOCK, &ends, before) == 0 ? signalfd(-1, &ends, SFD_CLOEXEC)
                                                              : -1;
    return top->signals >= 0;
}

static enum exit_code run_on_terminal(struct top *top, struct failure *failure)
{
    sigset_t before;
    int signal = 0;

    if (!take_signals(top, &before)) {
        return failure_set(failure, EXIT_REFUSED, "cannot take signals: %s", strerror(errno));
    }
    enum exit_code code = top_terminal_open(failure);
    if (code == EXIT_DONE) {
        code = top_feed_begin(&top->feed, failure);
    }
    if (code == EXIT_DONE) {
        code = run_screen(top, &signal, failure);
    }
    top_terminal_close();
    (void)close(top->signals);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    if (signal != 0) {
        /* Whoever started it sees by which signal it ended. The handler of curses would hide it. */
        (void)sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
        (void)raise(signal);
    }
    return code;
}

/* --- The verb --- */

static enum exit_code run_top(struct cli *cli, int argc, char **argv)
{
    struct top_options options = {.once = false};
    struct top top = {.signals = -1};
    struct failure failure;

    cli_parse(cli, &verb_top, argc, argv, &options);
    if (cli->json) {
        failure_set(&failure, EXIT_USAGE,
                    "top prints no JSON: doyen --json status, members, matrix and history do");
        return failure_report(&failure);
    }
    if (cli_connect(cli, &failure) != EXIT_DONE) {
        return failure_report(&failure);
    }
    top.feed = (struct top_feed){.client = cli->client, .model = &top.model};
    enum exit_code code = top_feed_once(&top.feed, &failure);
    if (code == EXIT_DONE) {
        code = options.once ? print_once(&top, &failure) : run_on_terminal(&top, &failure);
    }
    const enum exit_code whole = options.once
                                     ? document_whole_exit_code(top.model.documents[TOP_STATUS])
                                     : EXIT_DONE;
    doyen_watch_stop(cli->client); /* It calls back into what ends here. */
    top_model_deinit(&top.model);
    return code == EXIT_DONE ? whole : failure_report(&failure);
}
