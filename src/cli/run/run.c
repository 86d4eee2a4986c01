#include "cli/run/run.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/print/duration.h"
#include "cli/request/clock.h"
#include "cli/run/role_reason.h"
#include "cli/run/run_command.h"
#include "cli/run/run_family.h"
#include "cli/run/run_link.h"
#include "cli/run/watchdog.h"

enum {
    SIGNALLED = 128, /* status of who was ended by a signal, less its number */

    CONNECT_PAUSE_MS_MIN = 10,
    CONNECT_PAUSE_MS_MAX = 200,
    LOOK_AGAIN_MS = 1000, /* while this node does not act; doyend tells of a change, too */
    ASK_AGAIN_MS = 5000,  /* whether doyend is alive, while it lends a page that says nothing */
    ASK_PATIENCE_MS = 500,
    RENEWAL_WAIT_MS = 5, /* while it acts, but not for long enough to start anything */

    /* A command that ended by itself is started again after a pause. */
    AGAIN_MS_MIN = 100,
    AGAIN_MS_MAX = 10000,
    RAN_LONG_MS = 10000, /* after so long its next pause is the shortest one again */

    WATCHDOG_LATE_MS = 500, /* with what it was asked for */
    SWEEP_MS = 1,
};

struct running {
    struct cli *cli;
    const struct run_options *options;
    struct run_voice voice;
    char node[DOYEN_LEASE_NAME_BYTES];
    struct run_link link;
    struct run_times times;
    int signals; /* descriptor */
    sigset_t former_mask;
    bool pipe_ignored; /* SIGPIPE, by whoever started doyen run */
    int asked;         /* the first signal that asked doyen run to end; 0: none */
    bool asked_again;  /* and then another one */
    bool reached;      /* some doyend has lent its page */
    const char *told;  /* the event that said last why nothing runs; NULL: none did */
    bool told_advisory;
    bool stands_by;           /* a command runs that was not told to act */
    uint64_t connect_ms;      /* the next pause before it connects */
    uint64_t ask_ms;          /* when to ask whether doyend is alive */
    uint64_t give_up_ms;      /* UINT64_MAX: never */
    struct run_cgroup cgroup; /* for the next command */
    uint64_t late_ns;  /* the deadline before which the last start was not through; 0: it was */
    uint64_t again_ms; /* the next pause */
    bool over;         /* doyen run is to end with `status` */
    int status;
};

static void end(struct running *running, int status)
{
    running->over = true;
    running->status = status;
}

static int fail(struct running *running, const struct failure *failure)
{
    (void)failure_report(failure);
    end(running, (int)failure->code);
    return running->status;
}

/* --- Signals ---------------------------------------------------------------------------------- */

static bool take_signals(struct running *running)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction pipe;
    sigset_t mask;

    sigemptyset(&mask);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction action;
        /* What was ignored from the beginning stays so, as nohup wants it. */
        if (sigaction(numbers[i], NULL, &action) != 0 || action.sa_handler != SIG_IGN) {
            sigaddset(&mask, numbers[i]);
        }
    }
    (void)sigprocmask(SIG_BLOCK, &mask, &running->former_mask);
    running->pipe_ignored = sigaction(SIGPIPE, NULL, &pipe) == 0 && pipe.sa_handler == SIG_IGN;
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGCHLD, SIG_DFL); /* Who ignores it gets no status. */
    running->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
    return running->signals >= 0;
}

static void read_signals(struct running *running)
{
    struct signalfd_siginfo info;

    while (read(running->signals, &info, sizeof info) == (ssize_t)sizeof info) {
        running->asked_again = running->asked != 0;
        running->asked = running->asked != 0 ? running->asked : (int)info.ssi_signo;
    }
}

/* Waits for a signal, for one of the two (-1: none) to become readable, or for the time to pass. */
static void pause_for(struct running *running, int connection, int watchdog, uint64_t timeout_ms)
{
    struct pollfd fds[] = {{.fd = running->signals, .events = POLLIN},
                           {.fd = connection, .events = POLLIN},
                           {.fd = watchdog, .events = POLLIN}};

    (void)poll(fds, 3, timeout_ms < LOOK_AGAIN_MS ? (int)timeout_ms : LOOK_AGAIN_MS);
    read_signals(running);
}

/* --- Waiting for the right to act ------------------------------------------------------------- */

static uint64_t within(const struct running *running, uint64_t pause_ms)
{
    const uint64_t left_ms = clock_left_ms(running->give_up_ms);
    return pause_ms < left_ms ? pause_ms : left_ms;
}

static const char *reason_of(struct running *running, char text[ROLE_REASON_MAX])
{
    if (running->options->campaign == NULL) {
        return "this node does not act";
    }
    role_reason_late(running->cli, running->options->campaign, text);
    return text;
}

/* `why` is NULL: the right was not given. */
static bool must_give_up(struct running *running, uint64_t patience_ms, enum exit_code code,
                         const char *why)
{
    const uint64_t now_ms = clock_now_ms();
    struct failure failure;
    char text[DURATION_TEXT_MAX];
    char reason[ROLE_REASON_MAX];

    if (running->stands_by) {
        return false; /* The command ends first. */
    }
    if (running->asked != 0) {
        end(running, SIGNALLED + running->asked);
        return true;
    }
    if (now_ms < patience_ms || now_ms - patience_ms < running->give_up_ms) {
        return false;
    }
    duration_text(text, running->options->timeout_ms);
    why = why == NULL ? reason_of(running, reason) : why;
    failure_set(&failure, running->reached ? EXIT_TIMED_OUT : code, "timed out after %s: %.*s",
                text, FAILURE_TEXT_MAX / 2, why);
    (void)fail(running, &failure);
    return true;
}

/* Once, until it is something else. `event` is a literal. */
static void say_waiting(struct running *running, const char *event, const char *text)
{
    if (running->told == NULL || strcmp(running->told, event) != 0) {
        running->voice.epoch = 0;
        run_say(&running->voice, event, NULL, "%s", text);
        running->told = event;
    }
}

/* Connects to doyend. Returns false, and for how long to wait, when it is not there. */
static bool reach(struct running *running, uint64_t *pause_ms)
{
    struct failure failure;
    char text[FAILURE_TEXT_MAX + 64];
    const enum exit_code code = run_link_open(&running->link, running->cli,
                                              running->options->campaign, &failure);

    if (code == EXIT_DONE) {
        running->reached = true;
        running->connect_ms = CONNECT_PAUSE_MS_MIN;
        running->ask_ms = clock_now_ms() + ASK_AGAIN_MS;
        return true;
    }
    if (!failure_passes(code)) {
        (void)fail(running, &failure);
        return false;
    }
    if (must_give_up(running, 0, code, failure.text)) {
        return false;
    }
    snprintf(text, sizeof text, "%s; waiting for it", failure.text);
    say_waiting(running, "unreachable", text);
    *pause_ms = running->connect_ms;
    const uint64_t next_ms = 2 * running->connect_ms;
    running->connect_ms = next_ms < CONNECT_PAUSE_MS_MAX ? next_ms : CONNECT_PAUSE_MS_MAX;
    return false;
}

static void refuse_grace(struct running *running)
{
    const struct run_times *times = &running->times;
    struct failure failure;

    failure_set(&failure, EXIT_USAGE,
                "--grace %" PRIu64 "ms is longer than the lease of %s can hold: %" PRIu64
                "ms at the most; a renewal lasts for %" PRIu64 " ms, the next one comes within "
                "%" PRIu64 " ms, and KILL is sent %" PRIu64 " ms before the end; for more, start "
                "all nodes with --profile wan or a longer --heartbeat",
                running->options->grace_ms, running->node, run_times_grace_max_ms(times),
                times->span_ns / RUN_NS_PER_MS, times->renewal_ns * 5 / 4 / RUN_NS_PER_MS,
                times->margin_ns / RUN_NS_PER_MS);
    (void)fail(running, &failure);
}

/* What the lease is like, which a change of the terms may change. */
static void learn(struct running *running, const struct doyen_lease_content *content)
{
    const struct run_options *options = running->options;

    memcpy(running->node, content->name, sizeof running->node);
    running->node[sizeof running->node - 1] = '\0';
    running->voice.node = running->node;
    running->times = run_times_of(content);
    if (options->has_grace && options->grace_ms > run_times_grace_max_ms(&running->times)) {
        refuse_grace(running);
        return;
    }
    if (options->has_grace) {
        running->times.grace_ns = options->grace_ms * RUN_NS_PER_MS;
    }
    if ((content->flags & DOYEN_LEASE_ADVISORY) != 0 && !running->told_advisory) {
        running->told_advisory = true;
        run_say(&running->voice, "advisory", NULL,
                "the guard of %s is advisory: another node may act at the same time, which only "
                "--guard strict rules out",
                running->node);
    }
}

/* May something be started under what the page says? If not, for how long to wait? On a host so
 * busy that a start was late it begins right after a renewal, when the most time is left. */
static bool may_start(const struct running *running, const struct doyen_lease_content *content,
                      uint64_t *pause_ms)
{
    const uint64_t left_ns = doyen_lease_left_ns(content, doyen_lease_now_ns());

    if (left_ns > run_times_start_ns(&running->times) && content->deadline_ns != running->late_ns) {
        return true;
    }
    *pause_ms = left_ns > 0 ? RENEWAL_WAIT_MS : LOOK_AGAIN_MS;
    return false;
}

/* Returns whether there is a connection, after what was said on it. */
static bool is_linked(struct running *running)
{
    struct failure failure;

    if (running->link.connection < 0) {
        return false;
    }
    switch (run_link_take(&running->link, &failure)) {
    case RUN_LINK_UP:
        return true;
    case RUN_LINK_GONE:
        return false;
    case RUN_LINK_RESIGNED:
        end(running, running->status);
        return false;
    case RUN_LINK_REFUSED:
        (void)fail(running, &failure);
        return false;
    }
    return false;
}

/* On the connection for a page nothing is said until the node is to hand over, and a page that says
 * nothing is that of a daemon that is stopped, too: so it is asked now and then. */
static bool is_mute(struct running *running)
{
    struct answer answer;
    struct failure failure;

    if (running->options->campaign != NULL || clock_left_ms(running->ask_ms) > 0) {
        return false;
    }
    running->ask_ms = clock_now_ms() + ASK_AGAIN_MS;
    const enum exit_code code = client_get(running->cli->client, "/v1/lease", ASK_PATIENCE_MS,
                                           &answer, &failure);
    answer_deinit(&answer);
    return failure_passes(code);
}

static void say_not_acting(struct running *running)
{
    const struct doyen_campaign *campaign = running->options->campaign;
    char text[2 * DOYEN_LEASE_NAME_BYTES + 64 + ROLE_REASON_MAX];
    char reason[ROLE_REASON_MAX];

    if (running->told != NULL && strcmp(running->told, "waiting") == 0) {
        return;
    }
    if (campaign != NULL) {
        const bool unfit = role_reason_unfit(running->cli, campaign, reason);
        snprintf(text, sizeof text, "%s stands for %s; waiting until it is granted%s%s",
                 running->node, campaign->role, unfit ? "; " : "", unfit ? reason : "");
    } else {
        snprintf(text, sizeof text, "%s does not act; waiting until it does", running->node);
    }
    say_waiting(running, "waiting", text);
}

/* Does this node act, by what the page says, which is put into `content`? If not, for how long to
 * wait before it is asked again. */
static bool has_right(struct running *running, struct doyen_lease_content *content,
                      uint64_t *pause_ms)
{
    if (is_linked(running) && is_mute(running)) {
        run_link_close(&running->link);
    }
    if (running->over || (running->link.connection < 0 && !reach(running, pause_ms))) {
        return false;
    }
    const bool readable = doyen_lease_read(&running->link.lease, content) == 0 &&
                          content->span_ns != 0;
    *pause_ms = RENEWAL_WAIT_MS;
    if (readable) {
        learn(running, content);
    }
    if (running->over) {
        return false;
    }
    if (readable && may_start(running, content, pause_ms)) {
        return true;
    }
    const bool acts = readable && *pause_ms == RENEWAL_WAIT_MS;
    const uint64_t patience_ms = acts ? content->span_ns / RUN_NS_PER_MS : 0;
    const bool gives_up = must_give_up(running, patience_ms, EXIT_TIMED_OUT, NULL);
    if (!gives_up && readable && !acts) {
        say_not_acting(running);
    }
    return false;
}

/* Waits until this node acts; `content` is what the page said then. A standby waits for doyend
 * alone. */
static void await_right(struct running *running, struct doyen_lease_content *content)
{
    uint64_t pause_ms = RENEWAL_WAIT_MS;

    while (!has_right(running, content, &pause_ms) && !running->over) {
        if (running->options->standby && running->voice.node != NULL) {
            return;
        }
        pause_for(running, running->link.connection, -1, within(running, pause_ms));
    }
}

/* --- One run of the command ------------------------------------------------------------------- */

struct episode {
    struct watchdog watchdog;
    struct run_hold hold;
    struct run_family family; /* as far as it is known here; for when the watchdog fails */
    bool started;
    bool ended;
    uint64_t started_ms;
    uint64_t asked_ns; /* when the watchdog was asked to end it; 0: it was not */
    bool asked_again;
    struct run_news last;
};

static void take_news(struct running *running, struct episode *episode, const struct run_news *news)
{
    if (news->event == RUN_STARTED) {
        episode->started = true;
        episode->started_ms = clock_now_ms();
        episode->family.leader = news->pid;
    }
    if (news->event == RUN_ENDED) {
        episode->ended = true;
    }
    episode->last = *news;
    if (episode->started) {
        run_report_news(&running->voice, news);
    }
}

/* Returns false when the watchdog has nothing more to say. */
static bool drain_news(struct running *running, struct episode *episode)
{
    struct run_news news;
    int taken = watchdog_news(&episode->watchdog, &news);

    for (; taken == 1; taken = watchdog_news(&episode->watchdog, &news)) {
        take_news(running, episode, &news);
    }
    return taken == 0;
}

static struct run_news own_news(const struct episode *episode, enum run_event event)
{
    return (struct run_news){.event = event,
                             .reason = REASON_WATCHDOG,
                             .pid = episode->family.leader,
                             .status = episode->family.status,
                             .at_ns = doyen_lease_now_ns(),
                             .deadline_ns = episode->hold.deadline_ns};
}

/* The watchdog is dead, or is not doing what it is there for. The command dies with it, and what is
 * left of its family belongs to this process. */
static void take_over(struct running *running, struct episode *episode)
{
    (void)kill(episode->watchdog.pid, SIGKILL);
    (void)waitid(P_PID, (id_t)episode->watchdog.pid, &(siginfo_t){.si_pid = 0}, WEXITED | WNOWAIT);
    (void)drain_news(running, episode);
    watchdog_close(&episode->watchdog, true);
    if (episode->ended) {
        return; /* It was about to end. */
    }
    run_family_kill(&episode->family);
    const struct run_news killing = own_news(episode, RUN_KILLING);
    take_news(running, episode, &killing);
    while (run_family_reap(&episode->family)) {
        clock_sleep_ms(SWEEP_MS);
        run_family_kill(&episode->family);
    }
    run_link_say_stopped(&running->link);
    const struct run_news ended = own_news(episode, RUN_ENDED);
    take_news(running, episode, &ended);
}

/* When the watchdog is late: the command has to be gone then. */
static uint64_t watchdog_late_ns(struct running *running, struct episode *episode)
{
    uint64_t late_ns = UINT64_MAX; /* A standby has time. */

    if (episode->hold.lease != NULL) {
        (void)run_hold_look(&episode->hold, 0);
        late_ns = episode->hold.deadline_ns - running->times.margin_ns / 2;
    }
    if (episode->asked_ns != 0) {
        const uint64_t asked_ns = episode->asked_ns + running->times.grace_ns +
                                  WATCHDOG_LATE_MS * UINT64_C(1000000);
        late_ns = asked_ns < late_ns ? asked_ns : late_ns;
    }
    return late_ns;
}

/* When to read the page again: as early as the watchdog does, and not only when that one is late. A
 * page that withdraws a right does not say when it would have ended; what was read last has to
 * leave the watchdog its grace. */
static uint64_t look_ns(const struct running *running, const struct episode *episode,
                        uint64_t now_ns, uint64_t late_ns)
{
    const uint64_t lead_ns = run_times_lead_ns(&running->times);
    const uint64_t deadline_ns = episode->hold.deadline_ns;
    const uint64_t due_ns = deadline_ns > now_ns + lead_ns ? deadline_ns - lead_ns : late_ns;

    return due_ns < late_ns ? due_ns : late_ns;
}

static void pass_signals_on(struct running *running, struct episode *episode)
{
    if (running->asked != 0 && episode->asked_ns == 0) {
        episode->asked_ns = doyen_lease_now_ns();
        watchdog_end(&episode->watchdog, running->asked, running->asked_again);
        episode->asked_again = running->asked_again;
    } else if (running->asked_again && !episode->asked_again) {
        episode->asked_again = true;
        watchdog_end(&episode->watchdog, running->asked, true);
    }
}

/* Tells a standby when this node acts; from then on it is a command as any other. Returns for how
 * long to wait before that is asked again. */
static uint64_t attend_standby(struct running *running, struct episode *episode)
{
    struct doyen_lease_content content;
    uint64_t pause_ms = LOOK_AGAIN_MS;

    if (!running->stands_by || episode->asked_ns != 0) {
        return pause_ms;
    }
    if (has_right(running, &content, &pause_ms)) {
        running->stands_by = false;
        running->voice.epoch = content.epoch;
        run_hold_begin(&episode->hold, &running->link.lease, &content);
        watchdog_act(&episode->watchdog, &content, &running->times, &running->link);
    } else if (running->over) {
        episode->asked_ns = doyen_lease_now_ns();
        watchdog_end(&episode->watchdog, SIGTERM, false);
    }
    return pause_ms;
}

static void attend(struct running *running, struct episode *episode)
{
    while (!episode->ended) {
        const bool silent = drain_news(running, episode);
        if (episode->ended) {
            break;
        }
        pass_signals_on(running, episode);
        const uint64_t pause_ms = attend_standby(running, episode);
        const uint64_t late_ns = watchdog_late_ns(running, episode);
        const uint64_t now_ns = doyen_lease_now_ns();
        if (!silent || now_ns >= late_ns) {
            take_over(running, episode);
            return;
        }
        const uint64_t due_ns = look_ns(running, episode, now_ns, late_ns);
        const uint64_t left_ms = (due_ns - now_ns) / RUN_NS_PER_MS + 1;
        pause_for(running, running->stands_by ? running->link.connection : -1,
                  episode->watchdog.socket, pause_ms < left_ms ? pause_ms : left_ms);
    }
    watchdog_close(&episode->watchdog, false);
}

static bool start(struct running *running, const struct doyen_lease_content *content,
                  struct episode *episode)
{
    struct failure failure;
    const bool stands_by = running->options->standby;
    struct watchdog_order order = {.argv = running->options->argv,
                                   .stands_by = stands_by,
                                   .times = running->times,
                                   .page = stands_by ? -1 : running->link.page,
                                   .shares_connection = running->options->campaign != NULL,
                                   .connection = stands_by ? -1 : running->link.connection,
                                   .mask = &running->former_mask,
                                   .pipe_ignored = running->pipe_ignored};

    running->stands_by = stands_by;
    running->voice.epoch = 0;
    if (!stands_by) {
        running->voice.epoch = content->epoch;
        run_hold_begin(&episode->hold, &running->link.lease, content);
    }
    episode->family.cgroup = running->cgroup;
    order.hold = episode->hold;
    order.cgroup = episode->family.cgroup;
    order.voice = running->voice;
    if (watchdog_start(&episode->watchdog, &order)) {
        return true;
    }
    failure_set(&failure, EXIT_REFUSED, "cannot start a process: %s", strerror(errno));
    (void)fail(running, &failure);
    return false;
}

static int status_of(const struct run_news *ended)
{
    return WIFSIGNALED(ended->status) ? SIGNALLED + WTERMSIG(ended->status)
                                      : WEXITSTATUS(ended->status);
}

/* A command that ended though nobody ended it: not again at once. */
static void pause_before_again(struct running *running, const struct episode *episode)
{
    if (clock_now_ms() - episode->started_ms >= RAN_LONG_MS) {
        running->again_ms = AGAIN_MS_MIN;
    }
    const uint64_t until_ms = clock_now_ms() + running->again_ms;
    run_say(&running->voice, "again", json_pack("{s:I}", "pause_ms", (json_int_t)running->again_ms),
            "starts again in %" PRIu64 " ms if %s acts", running->again_ms, running->node);
    running->again_ms = 2 * running->again_ms < AGAIN_MS_MAX ? 2 * running->again_ms : AGAIN_MS_MAX;
    while (clock_left_ms(until_ms) > 0 && running->asked == 0) {
        pause_for(running, is_linked(running) ? running->link.connection : -1, -1,
                  clock_left_ms(until_ms));
    }
    if (running->asked != 0) {
        end(running, status_of(&episode->last));
    }
}

/* What now? */
static void conclude(struct running *running, const struct episode *episode)
{
    const enum run_reason reason = episode->last.reason;

    running->stands_by = false;
    if (running->over) {
        return; /* This is why it was ended. */
    }
    if (!episode->started) {
        if (episode->last.event == RUN_FAILED) {
            struct failure failure;
            failure_set(&failure, EXIT_REFUSED, "cannot start the command: %s",
                        strerror(episode->last.status));
            (void)fail(running, &failure);
        }
        running->late_ns = episode->hold.deadline_ns;
        if (reason == REASON_LAPSED) {
            say_waiting(running, "late",
                        "the lease would have ended before the command was there: is this host too "
                        "busy? waiting for the next renewal");
        }
        return; /* The right went before the command was there. */
    }
    running->late_ns = 0;
    running->told = NULL;
    running->give_up_ms = UINT64_MAX;
    running->status = status_of(&episode->last);
    const bool by_itself = reason == REASON_NONE || reason == REASON_LEFTOVERS;
    if (running->options->once || running->asked != 0 ||
        (by_itself && running->options->campaign != NULL)) {
        end(running, running->status);
    } else if (by_itself) {
        pause_before_again(running, episode);
    } else {
        running->again_ms = AGAIN_MS_MIN;
    }
}

/* --- The whole -------------------------------------------------------------------------------- */

int run(struct cli *cli, const struct run_options *options)
{
    struct running running = {
        .cli = cli,
        .options = options,
        .voice = {.json = cli->json,
                  .role = options->campaign == NULL ? NULL : options->campaign->role},
        .link = RUN_LINK_NONE,
        .connect_ms = CONNECT_PAUSE_MS_MIN,
        .again_ms = AGAIN_MS_MIN,
        .give_up_ms = UINT64_MAX};
    struct failure failure;

    if (options->has_timeout) {
        running.give_up_ms = clock_now_ms() + options->timeout_ms;
    }
    if (!take_signals(&running)) {
        failure_set(&failure, EXIT_REFUSED, "cannot watch for signals: %s", strerror(errno));
        return fail(&running, &failure);
    }
    run_family_adopt();
    run_cgroup_make(&running.cgroup);
    while (!running.over) {
        struct doyen_lease_content content;
        struct episode episode = {.started = false};

        await_right(&running, &content);
        if (!running.over && start(&running, &content, &episode)) {
            attend(&running, &episode);
            run_cgroup_renew(&running.cgroup);
            conclude(&running, &episode);
        }
    }
    run_cgroup_remove(&running.cgroup);
    run_link_close(&running.link);
    close(running.signals);
    return running.status;
}
