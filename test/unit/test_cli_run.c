/* The parts of doyen run that need no daemon: how the times add up, what a page says of a right to
 * act, and how all processes of a command are found. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/request/clock.h"
#include "cli/run/run_command.h"
#include "cli/run/run_family.h"
#include "cli/run/run_hold.h"
#include "cli/run/run_times.h"
#include "runtime/leases/page_memory.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define MS UINT64_C(1000000)

enum { LIMIT_MS = 20000 };

/* --- Times ------------------------------------------------------------------------------------ */

static struct run_times times_of(uint64_t span_ms, uint64_t renewal_ms)
{
    return run_times_of(
        &(struct doyen_lease_content){.span_ns = span_ms * MS, .renewal_ns = renewal_ms * MS});
}

/* Guard strict with the profiles local, lan and wan, and lan under the other guards. */
Test(cli_run, the_largest_grace_leaves_time_for_a_renewal_and_the_margin)
{
    static const struct {
        uint64_t span_ms, renewal_ms, grace_max_ms, margin_us;
    } cases[] = {{62, 25, 26, 3875},     {558, 250, 210, 34875}, {3358, 1000, 1898, 209875},
                 {900, 250, 531, 56250}, {30, 25, 0, 2000},      {200, 250, 0, 12500}};

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct run_times times = times_of(cases[i].span_ms, cases[i].renewal_ms);
        cr_expect_eq(run_times_grace_max_ms(&times), cases[i].grace_max_ms, "%zu", i);
        cr_expect_eq(times.margin_ns / 1000, cases[i].margin_us, "%zu", i);
        cr_expect_eq(times.grace_ns, cases[i].grace_max_ms / 2 * MS, "%zu", i);
    }
}

/* With the largest grace, too, a command may be started right after a renewal, and gets no TERM
 * before the next one is late. */
Test(cli_run, renewals_as_they_should_come_end_no_command)
{
    struct run_times times = times_of(558, 250);

    times.grace_ns = run_times_grace_max_ms(&times) * MS;
    cr_expect_leq(run_times_start_ns(&times), times.span_ns);
    cr_expect_leq(run_times_lead_ns(&times), times.span_ns - times.renewal_ns * 5 / 4);
}

Test(cli_run, kill_is_due_after_the_grace_and_before_the_deadline)
{
    struct run_times times = times_of(558, 250);

    times.grace_ns = 100 * MS;
    cr_expect_eq(run_times_kill_ns(&times, 1000 * MS, 2000 * MS), 1100 * MS);
    cr_expect_eq(run_times_kill_ns(&times, 1000 * MS, 1050 * MS), 1050 * MS - times.margin_ns);
    cr_expect_eq(run_times_kill_ns(&times, 1000 * MS, 900 * MS), 900 * MS - times.margin_ns);
    cr_expect_eq(run_times_kill_ns(&times, 1000 * MS, 0), 0, "at once");
}

/* --- The right to act ------------------------------------------------------------------------- */

/* A page in this process's own memory. */
struct desk {
    struct doyen_lease_page page;
    struct doyen_lease lease;
    struct doyen_lease_content content;
    struct run_hold hold;
};

static void put(struct desk *desk)
{
    page_memory_write(&desk->page, &desk->content);
}

/* A right with an hour left. */
static void desk_open(struct desk *desk)
{
    *desk = (struct desk){.content = {.epoch = 7, .lineage = 3, .id = {1}}};
    desk->lease.page = &desk->page;
    desk->content.deadline_ns = doyen_lease_now_ns() + 3600000 * MS;
    put(desk);
    run_hold_begin(&desk->hold, &desk->lease, &desk->content);
}

Test(cli_run, a_right_is_held_while_the_page_names_it)
{
    struct desk desk;

    desk_open(&desk);
    cr_expect_eq(run_hold_look(&desk.hold, 1000 * MS), REASON_NONE);
    desk.content.deadline_ns += 1;
    put(&desk);
    cr_expect_eq(run_hold_look(&desk.hold, 1000 * MS), REASON_NONE);
    cr_expect_eq(desk.hold.deadline_ns, desk.content.deadline_ns);
    cr_expect_eq(run_hold_look(&desk.hold, 3600001 * MS), REASON_LAPSED);
    cr_expect_eq(run_hold_look(&desk.hold, 1000 * MS), REASON_NONE, "it may be renewed yet");
}

Test(cli_run, a_right_that_was_given_up_or_taken_does_not_come_back)
{
    struct desk desk;

    desk_open(&desk);
    const struct doyen_lease_content before = desk.content;
    desk.content.flags = DOYEN_LEASE_WITHDRAWN;
    desk.content.deadline_ns = 0;
    put(&desk);
    cr_expect_eq(run_hold_look(&desk.hold, 0), REASON_WITHDRAWN);
    cr_expect_eq(desk.hold.deadline_ns, before.deadline_ns, "KILL is due before that");
    desk.content = before;
    put(&desk);
    cr_expect_eq(run_hold_look(&desk.hold, 0), REASON_WITHDRAWN);

    desk_open(&desk);
    desk.content.deadline_ns = 0;
    put(&desk);
    cr_expect_eq(run_hold_look(&desk.hold, 0), REASON_STEPPED_DOWN);
}

/* Another node may have acted in between, however soon this one acts again. */
Test(cli_run, another_epoch_lineage_or_life_is_another_right)
{
    for (unsigned i = 0; i < 3; i++) {
        struct desk desk;
        desk_open(&desk);
        const uint64_t deadline_ns = desk.content.deadline_ns;
        desk.content.epoch += i == 0;
        desk.content.lineage += i == 1;
        desk.content.id[0] = i == 2 ? 2 : 1;
        desk.content.deadline_ns += 1000 * MS;
        put(&desk);
        cr_expect_eq(run_hold_look(&desk.hold, 0), REASON_EPOCH, "%u", i);
        cr_expect_eq(desk.hold.deadline_ns, deadline_ns, "%u", i);
    }
}

/* doyend was stopped in the middle of a write. */
Test(cli_run, what_was_read_last_holds_while_the_page_cannot_be_read)
{
    struct desk desk;

    desk_open(&desk);
    desk.page.sequence++;
    cr_expect_eq(run_hold_look(&desk.hold, 1000 * MS), REASON_NONE);
    cr_expect_eq(run_hold_look(&desk.hold, 3600001 * MS), REASON_LAPSED);
}

/* --- Processes -------------------------------------------------------------------------------- */

/* Waits without end, and minds neither TERM nor its parent. */
static _Noreturn void stay(void)
{
    (void)signal(SIGTERM, SIG_IGN);
    for (;;) {
        pause();
    }
}

/* A command with a child in its group, and a grandchild that has left it. */
static _Noreturn void command(int ready)
{
    (void)signal(SIGTERM, SIG_IGN); /* Before anybody is told that they are there. */
    (void)setpgid(0, 0);
    if (fork() == 0) {
        stay();
    }
    if (fork() == 0) {
        if (setsid() > 0 && fork() == 0) {
            (void)!write(ready, "r", 1);
            stay();
        }
        _exit(0);
    }
    (void)!write(ready, "r", 1);
    stay();
}

/* Without a cgroup: what a kernel or an account without one has. */
Test(cli_run, all_that_a_command_has_started_is_found_and_killed)
{
    struct run_family family = {.cgroup = {.procs = -1, .kill = -1}};
    int ends[2];
    char byte;

    run_family_adopt();
    cr_assert_eq(pipe(ends), 0);
    family.leader = fork();
    if (family.leader == 0) {
        command(ends[1]);
    }
    close(ends[1]);
    for (unsigned i = 0; i < 2; i++) {
        cr_assert_eq(read(ends[0], &byte, 1), 1);
    }

    run_family_terminate(&family);
    cr_expect(run_family_reap(&family), "they ignore TERM");
    const uint64_t until_ms = clock_now_ms() + LIMIT_MS;
    run_family_kill(&family);
    while (run_family_reap(&family) && clock_now_ms() < until_ms) {
        clock_sleep_ms(1);
        run_family_kill(&family);
    }
    cr_assert_not(run_family_reap(&family), "nobody is left");
    cr_expect(family.has_ended);
    cr_expect(WIFSIGNALED(family.status) && WTERMSIG(family.status) == SIGKILL);
    cr_expect_eq(read(ends[0], &byte, 1), 0, "nobody has the pipe any more");
}

/* What happens to the leader alone ends nobody else. */
Test(cli_run, who_outlives_the_command_gets_term_too)
{
    struct run_family family = {.cgroup = {.procs = -1, .kill = -1}};

    run_family_adopt();
    family.leader = fork();
    if (family.leader == 0) {
        (void)setpgid(0, 0);
        if (fork() == 0) {
            for (;;) {
                pause();
            }
        }
        _exit(5);
    }
    const uint64_t until_ms = clock_now_ms() + LIMIT_MS;
    while (!family.has_ended && clock_now_ms() < until_ms) {
        cr_expect(run_family_reap(&family));
        clock_sleep_ms(1);
    }
    cr_assert(family.has_ended);
    cr_expect_eq(WEXITSTATUS(family.status), 5);
    run_family_terminate(&family);
    while (run_family_reap(&family) && clock_now_ms() < until_ms) {
        clock_sleep_ms(1);
    }
    cr_assert_not(run_family_reap(&family));
}

/* --- The command ------------------------------------------------------------------------------ */

Test(cli_run, a_command_is_found_as_a_shell_finds_it)
{
    struct failure failure;

    setenv("PATH", "/no/such:/etc:/usr/bin:/bin", 1);
    cr_expect_eq(run_command_find("sh", &failure), 0);
    cr_expect_eq(run_command_find("/bin/sh", &failure), 0);
    cr_expect_eq(run_command_find("passwd", &failure), 0, "a later folder has one");
    setenv("PATH", "/etc:/no/such", 1);
    cr_expect_eq(run_command_find("passwd", &failure), RUN_NOT_EXECUTABLE);
    cr_expect_eq(run_command_find("sh", &failure), RUN_NOT_FOUND);
    cr_expect_eq(run_command_find("/etc", &failure), RUN_NOT_EXECUTABLE);
    cr_expect_eq(run_command_find("/no/such", &failure), RUN_NOT_FOUND);
}
