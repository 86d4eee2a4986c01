#include "runtime/process/scheduling.h"

#include <errno.h>
#include <string.h>

#include "runtime/host/precedence.h"

static void say(struct scheduling *scheduling, enum precedence precedence)
{
    switch (precedence) {
    case PRECEDENCE_REALTIME:
        log_line(scheduling->log, LOG_INFO, "scheduling",
                 "realtime: other programs do not make this node late; a limit rtprio of 0, for "
                 "root without CAP_SYS_NICE, lifts it");
        return;
    case PRECEDENCE_NICE:
        log_line(scheduling->log, LOG_INFO, "scheduling",
                 "nice -20: this kernel or container gives no real-time priority");
        return;
    case PRECEDENCE_NONE:
        log_line(scheduling->log, LOG_INFO, "scheduling",
                 "normal: this account may not have precedence, and a busy host may make this node "
                 "late; a limit rtprio of 1 or CAP_SYS_NICE permits it");
        return;
    }
}

bool scheduling_is_wanted(const struct config *config)
{
    return config->timing.lost_ms < SCHEDULING_LOST_MS || config->guard.policy == GUARD_STRICT;
}

static void on_again(uv_timer_t *timer)
{
    struct scheduling *scheduling = timer->data;

    if (!precedence_is_realtime()) {
        log_line(scheduling->log, LOG_WARN, "scheduling",
                 "this node had so much to do that it gave up its precedence for a while; it takes "
                 "it again");
        say(scheduling, precedence_take());
    }
}

void scheduling_open(struct scheduling *scheduling, uv_loop_t *loop, struct log *log)
{
    *scheduling = (struct scheduling){.log = log};
    (void)uv_timer_init(loop, &scheduling->again); /* cannot fail */
    scheduling->again.data = scheduling;
}

void scheduling_start(struct scheduling *scheduling, uint64_t burst_ms, uint64_t again_ms)
{
    if (!precedence_limit(burst_ms)) {
        log_line(scheduling->log, LOG_WARN, "scheduling",
                 "normal: there is no limit to how long it would keep others waiting: %s",
                 strerror(errno));
        return;
    }
    const enum precedence precedence = precedence_take();
    say(scheduling, precedence);
    scheduling->realtime = precedence == PRECEDENCE_REALTIME;
    if (scheduling->realtime) {
        (void)uv_timer_start(&scheduling->again, on_again, again_ms, again_ms);
    }
}

static void do_nothing(uv_work_t *work)
{
    (void)work;
}

static void on_nothing_done(uv_work_t *work, int status)
{
    (void)work;
    (void)status;
}

/* Were they started later, it could be in a while without precedence. */
void scheduling_start_threads(struct scheduling *scheduling)
{
    if (scheduling->realtime) {
        (void)uv_queue_work(scheduling->again.loop, &scheduling->nothing, do_nothing,
                            on_nothing_done);
    }
}

void scheduling_close(struct scheduling *scheduling)
{
    uv_close((uv_handle_t *)&scheduling->again, NULL);
}
