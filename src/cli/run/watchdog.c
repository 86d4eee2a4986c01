#include "cli/run/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/run/run_family.h"

enum {
    SWEEP_NS = RUN_NS_PER_MS, /* between two looks for processes that are to be killed */
    UNSAID_MAX = 8,
    NOT_EXECUTABLE = 126,
    NOT_FOUND = 127,
};

enum phase {
    PHASE_STANDING_BY, /* it runs, and was not told that it acts */
    PHASE_RUNNING,
    PHASE_ENDING, /* it has got TERM */
    PHASE_KILLING,
    PHASE_OVER, /* nobody is left */
};

/* What the watchdog knows. */
struct guard {
    const struct watchdog_order *order;
    struct run_voice voice;
    struct run_times times;
    struct doyen_lease lease; /* of a standby that acts */
    struct run_hold hold;     /* of no page while it stands by */
    struct run_family family;
    enum phase phase;
    enum run_reason reason;
    int signal;       /* that doyen run got */
    uint64_t kill_ns; /* PHASE_ENDING: when KILL is due */
    int socket;       /* to doyen run; -1: it is gone */
    int connection;   /* to doyend; -1: it is gone */
    int timer;
    int signals;
    int gate; /* the command's: it waits for a byte, and leaves its errno where it cannot be run */
    int word; /* to the standard input of a standby */
    struct run_news unsaid[UNSAID_MAX]; /* what doyen run could not be told */
    size_t unsaid_count;
};

/* What doyen run asks for. */
struct request {
    int signal; /* 0: that the command acts, under what `content` says; page and connection go along
                 */
    bool at_once;
    struct doyen_lease_content content;
    struct run_times times;
};

enum { PAGE, CONNECTION, DESCRIPTORS };

/* --- The command, up to its exec -------------------------------------------------------------- */

static void set_environment(const struct watchdog_order *order)
{
    char text[32];

    (void)setenv("DOYEN_NODE", order->voice.node, 1);
    if (order->stands_by) {
        return;
    }
    snprintf(text, sizeof text, "%" PRIu64, order->hold.epoch);
    if (order->voice.role != NULL) {
        (void)setenv("DOYEN_ROLE", order->voice.role, 1);
        (void)setenv("DOYEN_TOKEN", text, 1);
    } else {
        (void)setenv("DOYEN_EPOCH", text, 1);
    }
    snprintf(text, sizeof text, "%d", order->page);
    (void)setenv("DOYEN_LEASE_FD", text, 1);
}

/* Runs in the command's process. It waits until the watchdog is ready, and dies with it. */
static _Noreturn void become_command(const struct watchdog_order *order, int gate, int word,
                                     pid_t parent)
{
    char go = 0;

    (void)setpgid(0, 0);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || getppid() != parent ||
        read(gate, &go, 1) != 1 || (word >= 0 && dup2(word, STDIN_FILENO) < 0)) {
        _exit(NOT_EXECUTABLE);
    }
    set_environment(order);
    (void)fcntl(order->page, F_SETFD, 0);
    if (order->shares_connection) {
        (void)fcntl(order->connection, F_SETFD, 0);
    }
    (void)signal(SIGPIPE, order->pipe_ignored ? SIG_IGN : SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, order->mask, NULL);
    execvp(order->argv[0], order->argv);
    const int error = errno;
    if (write(gate, &error, sizeof error) != (ssize_t)sizeof error) {
        _exit(NOT_EXECUTABLE);
    }
    _exit(error == ENOENT ? NOT_FOUND : NOT_EXECUTABLE);
}

static bool start_command(struct guard *guard)
{
    int ends[2];
    int word[2] = {-1, -1};
    const pid_t self = getpid();

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0 ||
        (guard->order->stands_by && pipe2(word, O_CLOEXEC) != 0)) {
        return false;
    }
    const pid_t pid = run_cgroup_fork(&guard->order->cgroup);
    if (pid == 0) {
        close(ends[0]);
        become_command(guard->order, ends[1], word[0], self);
    }
    close(ends[1]);
    close(word[0]);
    guard->gate = ends[0];
    guard->word = word[1];
    if (pid < 0) {
        return false;
    }
    (void)setpgid(pid, pid); /* Here too: whoever comes first. */
    guard->family.leader = pid;
    return true;
}

/* --- News for doyen run ----------------------------------------------------------------------- */

/* What doyen run can no longer be told is kept, to be said when the command is gone: until then
 * nothing may hold the watchdog up, and a terminal can. */
static void tell(struct guard *guard, enum run_event event, int status)
{
    const uint64_t span_ns = guard->times.span_ns;
    const struct run_news news = {
        .event = event,
        .reason = guard->reason,
        .pid = guard->family.leader,
        .status = status,
        .signal = guard->signal,
        .at_ns = doyen_lease_now_ns(),
        .kill_ns = guard->kill_ns,
        .renewed_ns = guard->hold.deadline_ns > span_ns ? guard->hold.deadline_ns - span_ns : 0,
        .deadline_ns = guard->hold.deadline_ns};

    if (guard->socket >= 0 && send(guard->socket, &news, sizeof news,
                                   MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)sizeof news) {
        return;
    }
    if (guard->unsaid_count < UNSAID_MAX) {
        guard->unsaid[guard->unsaid_count++] = news;
    }
}

static void say_the_rest(const struct guard *guard)
{
    for (size_t i = 0; i < guard->unsaid_count; i++) {
        run_report_news(&guard->voice, &guard->unsaid[i]);
    }
}

/* --- Ending the command ----------------------------------------------------------------------- */

static void begin_killing(struct guard *guard)
{
    guard->phase = PHASE_KILLING;
    run_family_kill(&guard->family);
    tell(guard, RUN_KILLING, 0);
}

static void begin_end(struct guard *guard, enum run_reason reason)
{
    const uint64_t now_ns = doyen_lease_now_ns();

    if (guard->phase != PHASE_RUNNING && guard->phase != PHASE_STANDING_BY) {
        return;
    }
    guard->reason = reason;
    guard->kill_ns = run_times_kill_ns(&guard->times, now_ns,
                                       guard->phase == PHASE_STANDING_BY ? UINT64_MAX
                                                                         : guard->hold.deadline_ns);
    if (guard->kill_ns <= now_ns) {
        begin_killing(guard);
        return;
    }
    guard->phase = PHASE_ENDING;
    run_family_terminate(&guard->family);
    tell(guard, RUN_TERMINATING, 0);
}

/* Why could the command not be run? 0: it could. */
static int exec_error(const struct guard *guard)
{
    int error = 0;

    return recv(guard->gate, &error, sizeof error, MSG_DONTWAIT) == (ssize_t)sizeof error ? error
                                                                                          : 0;
}

static void look_at_family(struct guard *guard)
{
    const bool had_ended = guard->family.has_ended;
    const bool any_left = run_family_reap(&guard->family);

    if (!had_ended && guard->family.has_ended) {
        const int error = exec_error(guard);
        if (error != 0) {
            tell(guard, RUN_FAILED, error);
        }
    }
    if (!any_left) {
        guard->phase = PHASE_OVER;
        tell(guard, RUN_ENDED, guard->family.status);
    } else if (guard->family.has_ended) {
        begin_end(guard, REASON_LEFTOVERS);
    }
}

/* Why does the right end? */
static enum run_reason look_at_right(struct guard *guard)
{
    return guard->hold.lease == NULL
               ? REASON_NONE
               : run_hold_look(&guard->hold, run_times_lead_ns(&guard->times));
}

/* The page and the clock decide; no message is needed for it. */
static void look(struct guard *guard)
{
    look_at_family(guard);
    const enum run_reason reason = look_at_right(guard);
    if (guard->phase == PHASE_RUNNING && reason != REASON_NONE) {
        begin_end(guard, reason);
    }
    if (guard->phase == PHASE_ENDING && doyen_lease_now_ns() >= guard->kill_ns) {
        begin_killing(guard);
    } else if (guard->phase == PHASE_KILLING) {
        run_family_kill(&guard->family);
    }
}

/* --- Waiting ---------------------------------------------------------------------------------- */

/* By the page's clock, which goes on while the host is suspended. */
static void set_timer(const struct guard *guard)
{
    const uint64_t lead_ns = run_times_lead_ns(&guard->times);
    uint64_t due_ns = guard->hold.deadline_ns - lead_ns;

    if (guard->phase == PHASE_STANDING_BY) {
        due_ns = 0; /* Nothing is due. */
    } else if (guard->phase == PHASE_ENDING) {
        due_ns = guard->kill_ns;
    } else if (guard->phase == PHASE_KILLING) {
        due_ns = doyen_lease_now_ns() + SWEEP_NS;
    }
    const struct itimerspec due = {.it_value = {.tv_sec = (time_t)(due_ns / UINT64_C(1000000000)),
                                                .tv_nsec = (long)(due_ns % UINT64_C(1000000000))}};
    (void)timerfd_settime(guard->timer, TFD_TIMER_ABSTIME, &due, NULL);
}

static void drain(int fd)
{
    char bytes[sizeof(struct signalfd_siginfo)];

    while (read(fd, bytes, sizeof bytes) > 0) {
    }
}

static void on_connection(struct guard *guard)
{
    char words[64];
    const ssize_t count = recv(guard->connection, words, sizeof words, MSG_DONTWAIT);

    if (count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))) {
        return; /* The page says what has changed. */
    }
    close(guard->connection);
    guard->connection = -1;
    begin_end(guard, REASON_DAEMON);
}

/* Takes a request and, where they go along, the two descriptors. */
static ssize_t take_request(const struct guard *guard, struct request *request,
                            int descriptors[DESCRIPTORS])
{
    char extra[CMSG_SPACE(DESCRIPTORS * sizeof(int))] = {0};
    struct iovec part = {.iov_base = request, .iov_len = sizeof *request};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = extra, .msg_controllen = sizeof extra};
    const ssize_t count = recvmsg(guard->socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    const struct cmsghdr *head = count < 0 ? NULL : CMSG_FIRSTHDR(&message);

    if (head != NULL && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len == CMSG_LEN(DESCRIPTORS * sizeof(int))) {
        memcpy(descriptors, CMSG_DATA(head), DESCRIPTORS * sizeof(int));
    }
    return count;
}

/* From now on it is as if the command had been started under this right. */
static void begin_acting(struct guard *guard, const struct request *request,
                         const int descriptors[DESCRIPTORS])
{
    char line[32];

    if (guard->phase != PHASE_STANDING_BY ||
        doyen_lease_map(&guard->lease, descriptors[PAGE]) != 0) {
        close(descriptors[CONNECTION]);
        close(descriptors[PAGE]);
        return;
    }
    close(descriptors[PAGE]);
    guard->connection = descriptors[CONNECTION];
    guard->times = request->times;
    guard->voice.epoch = request->content.epoch;
    run_hold_begin(&guard->hold, &guard->lease, &request->content);
    guard->phase = PHASE_RUNNING;
    const enum run_reason reason = look_at_right(guard);
    const int length = snprintf(line, sizeof line, "%" PRIu64 "\n", guard->hold.epoch);
    if (reason != REASON_NONE || write(guard->word, line, (size_t)length) != length) {
        begin_end(guard, reason); /* It is over already, or the command listens no more. */
        return;
    }
    tell(guard, RUN_ACTING, 0);
}

static void on_request(struct guard *guard)
{
    struct request request;
    int descriptors[DESCRIPTORS] = {-1, -1};
    const ssize_t count = take_request(guard, &request, descriptors);

    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (count != (ssize_t)sizeof request) {
        close(guard->socket);
        guard->socket = -1;
        begin_end(guard, REASON_ORPHANED);
        return;
    }
    if (request.signal == 0) {
        begin_acting(guard, &request, descriptors);
        return;
    }
    guard->signal = request.signal;
    begin_end(guard, REASON_ASKED);
    if (request.at_once && guard->phase == PHASE_ENDING) {
        begin_killing(guard);
    }
}

static void wait_for_something(struct guard *guard)
{
    struct pollfd fds[] = {{.fd = guard->timer, .events = POLLIN},
                           {.fd = guard->signals, .events = POLLIN},
                           {.fd = guard->connection, .events = POLLIN},
                           {.fd = guard->socket, .events = POLLIN}};

    set_timer(guard);
    if (poll(fds, sizeof fds / sizeof fds[0], -1) < 0) {
        return;
    }
    if (fds[0].revents != 0) {
        drain(guard->timer);
    }
    if (fds[1].revents != 0) {
        drain(guard->signals);
    }
    if (fds[2].revents != 0) {
        on_connection(guard);
    }
    if (fds[3].revents != 0) {
        on_request(guard);
    }
}

/* --- The process ------------------------------------------------------------------------------ */

/* Nothing but KILL and STOP reaches it. */
static bool set_up(struct guard *guard)
{
    sigset_t all;
    sigset_t child;

    sigfillset(&all);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)setsid();
    (void)prctl(PR_SET_NAME, "doyen-watchdog", 0, 0, 0);
    run_family_adopt();
    guard->signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    guard->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    return guard->signals >= 0 && guard->timer >= 0;
}

/* Each as far as this account may. Memory is locked as it is used, and most of it is used before
 * the command runs. The command was forked before this, and inherits none of it. */
static void take_precedence(void)
{
    const struct sched_param lowest = {.sched_priority = sched_get_priority_min(SCHED_FIFO)};

    if (sched_setscheduler(0, SCHED_FIFO, &lowest) != 0) {
        (void)setpriority(PRIO_PROCESS, 0, -20);
    }
    (void)mlockall(MCL_CURRENT | MCL_ONFAULT);
}

/* Lets the command go, if the right is still there: no time has passed that would not be seen. What
 * has not begun needs no grace. */
static void open_gate(struct guard *guard)
{
    const char go = 'g';

    guard->reason = look_at_right(guard);
    if (guard->reason == REASON_NONE && send(guard->gate, &go, 1, MSG_NOSIGNAL) == 1) {
        tell(guard, RUN_STARTED, 0);
    } else {
        begin_killing(guard);
    }
}

static _Noreturn void watch(const struct watchdog_order *order, int socket)
{
    struct guard guard = {.order = order,
                          .voice = order->voice,
                          .times = order->times,
                          .hold = order->hold,
                          .phase = order->stands_by ? PHASE_STANDING_BY : PHASE_RUNNING,
                          .family = {.cgroup = order->cgroup},
                          .socket = socket,
                          .connection = order->connection,
                          .gate = -1,
                          .word = -1};

    if (!set_up(&guard) || !start_command(&guard)) {
        tell(&guard, RUN_FAILED, errno);
        _exit(1);
    }
    take_precedence();
    open_gate(&guard);
    for (look(&guard); guard.phase != PHASE_OVER; look(&guard)) {
        wait_for_something(&guard);
    }
    const char stopped = DOYEN_LEASE_STOPPED;
    if (guard.connection >= 0) {
        (void)send(guard.connection, &stopped, 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    if (guard.socket < 0) {
        run_cgroup_remove(&guard.family.cgroup); /* For doyen run is gone. */
    }
    say_the_rest(&guard);
    _exit(0);
}

/* --- The side of doyen run -------------------------------------------------------------------- */

bool watchdog_start(struct watchdog *watchdog, const struct watchdog_order *order)
{
    int ends[2];

    *watchdog = (struct watchdog){.socket = -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
        return false;
    }
    watchdog->pid = fork();
    if (watchdog->pid == 0) {
        close(ends[0]);
        watch(order, ends[1]);
    }
    close(ends[1]);
    watchdog->socket = ends[0];
    if (watchdog->pid < 0) {
        close(ends[0]);
        return false;
    }
    return true;
}

void watchdog_act(const struct watchdog *watchdog, const struct doyen_lease_content *content,
                  const struct run_times *times, const struct run_link *link)
{
    struct request request = {.content = *content, .times = *times};
    char extra[CMSG_SPACE(DESCRIPTORS * sizeof(int))] = {0};
    struct iovec part = {.iov_base = &request, .iov_len = sizeof request};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = extra, .msg_controllen = sizeof extra};
    const int descriptors[DESCRIPTORS] = {[PAGE] = link->page, [CONNECTION] = link->connection};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);

    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof descriptors);
    memcpy(CMSG_DATA(head), descriptors, sizeof descriptors);
    (void)sendmsg(watchdog->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void watchdog_end(const struct watchdog *watchdog, int number, bool at_once)
{
    const struct request request = {.signal = number, .at_once = at_once};

    (void)send(watchdog->socket, &request, sizeof request, MSG_DONTWAIT | MSG_NOSIGNAL);
}

int watchdog_news(const struct watchdog *watchdog, struct run_news *news)
{
    const ssize_t count = recv(watchdog->socket, news, sizeof *news, MSG_DONTWAIT);

    if (count == (ssize_t)sizeof *news) {
        return 1;
    }
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

void watchdog_close(struct watchdog *watchdog, bool by_force)
{
    if (by_force) {
        (void)kill(watchdog->pid, SIGKILL);
    }
    while (waitpid(watchdog->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    close(watchdog->socket);
    *watchdog = (struct watchdog){.socket = -1};
}
