/* The watch: a stream of events that is opened again when it ends, and the view that goes with
 * them.
 *
 *     begin ---> stream ---> event ---> plain: handed on
 *       ^           |           '-----> queue ---> view asked for ---> what had happened by then is
 *       |           v                                                  handed on with the view
 *     pause <--- it ended
 *
 * What is still in the queue when the stream ends is dropped: it was not handed on, so that the
 * next stream tells it again, or has a gap instead. */
#include <string.h>

#include "base/text.h"
#include "client/client_state.h"
#include "client/clock.h"
#include "client/tell.h"
#include "client/view.h"

enum {
    PAUSE_MS_MIN = 100,
    PAUSE_MS_MAX = 2000,
    QUIET_MS = 15000, /* three times the daemon's keep-alive */
};

/* --- The queue --- */

static void release_told(struct doyen *d, struct told *told)
{
    allocator_release(&d->memory, told);
}

static void enqueue(struct watch *watch, struct told *told)
{
    struct told **end = &watch->queue;

    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = told;
    watch->queued++;
}

static struct told *dequeue(struct watch *watch)
{
    struct told *first = watch->queue;

    watch->queue = first->next;
    watch->queued--;
    return first;
}

static void drop_queue(struct doyen *d)
{
    while (d->watch.queue != NULL) {
        release_told(d, dequeue(&d->watch));
    }
    d->watch.covered = 0;
}

static void drop_gap(struct doyen *d)
{
    release_told(d, d->watch.gap);
    d->watch.gap = NULL;
}

/* --- Beginning and ending --- */

int doyen_watch_start(struct doyen *d, const char *resume, unsigned flags, doyen_on_event *on_event,
                      void *user)
{
    static const unsigned known_flags = DOYEN_WATCH_ONCE | DOYEN_WATCH_PLAIN;
    struct watch *watch = &d->watch;

    if (watch->on || d->calling_back) {
        return problem_set(&d->problem, DOYEN_E_BUSY,
                           "there is a watch already: end it first, and return from its callback");
    }
    if (on_event == NULL) {
        return problem_set(&d->problem, DOYEN_E_USAGE,
                           "on_event is NULL: give the function that is to be called");
    }
    if ((flags & ~known_flags) != 0) {
        return problem_set(&d->problem, DOYEN_E_USAGE,
                           "flags 0x%x: this libdoyen knows only DOYEN_WATCH_ONCE and "
                           "DOYEN_WATCH_PLAIN",
                           flags);
    }
    if (resume != NULL && !client_is_token(resume)) {
        return problem_set(&d->problem, DOYEN_E_USAGE,
                           "resume \"%.80s\": give the token that an earlier event had", resume);
    }
    *watch = (struct watch){.on = true,
                            .flags = flags,
                            .on_event = on_event,
                            .user = user,
                            .pausing = true, /* Until the first step. */
                            .pause_ms = PAUSE_MS_MIN};
    if (resume != NULL) {
        (void)text_set(watch->resume, sizeof watch->resume, resume, strlen(resume));
    }
    return 0;
}

static void drop_streams(struct doyen *d)
{
    struct watch *watch = &d->watch;

    exchange_deinit(&watch->stream);
    exchange_deinit(&watch->fetch);
    sse_deinit(&watch->sse);
    drop_queue(d);
    drop_gap(d);
}

void watch_clean(struct doyen *d)
{
    drop_streams(d);
    doyen_view_release(d->watch.view);
    d->watch.view = NULL;
    d->watch.on = false;
}

void doyen_watch_stop(struct doyen *d)
{
    d->watch.on = false;
    if (!d->calling_back) {
        watch_clean(d);
    }
}

static void end_with(struct doyen *d, const struct problem *problem)
{
    d->watch.result = client_fail(d, problem);
    d->watch.on = false;
}

/* The stream could not be opened, or is over. `problem` is no part of it. */
static void on_lost(struct doyen *d, const struct problem *problem)
{
    struct watch *watch = &d->watch;

    drop_streams(d);
    if (!problem_passes(problem) || (watch->flags & DOYEN_WATCH_ONCE) != 0) {
        end_with(d, problem);
        return;
    }
    watch->pausing = true;
    watch->retry_ms = clock_ms() + watch->pause_ms;
    watch->pause_ms = 2 * watch->pause_ms < PAUSE_MS_MAX ? 2 * watch->pause_ms : PAUSE_MS_MAX;
    if (!watch->told_away) {
        watch->told_away = true;
        (void)tell_away(d, problem);
    }
}

static void begin_stream(struct doyen *d)
{
    struct watch *watch = &d->watch;
    char header[CLIENT_RESUME_MAX];
    struct problem problem = {.code = 0};
    const struct exchange_request request = {.method = "GET",
                                             .path = "/v1/events",
                                             .header = watch->resume[0] == '\0' ? NULL : header,
                                             .stream = &watch->sse};

    watch->pausing = false;
    watch->answered = false;
    watch->received = 0;
    watch->quiet_until_ms = clock_ms() + CLIENT_ANSWER_MS;
    if (client_find(d, &problem) != 0) {
        on_lost(d, &problem);
        return;
    }
    client_resume_header(header, watch->resume);
    sse_init(&watch->sse, &d->memory);
    exchange_begin(&watch->stream, &d->target, &request, &d->memory);
}

/* --- The view --- */

static void set_view(struct doyen *d, const struct doyen_view *view)
{
    doyen_view_release(d->watch.view);
    d->watch.view = view;
}

/* Hands on what had happened when the view was asked for. */
static void hand_on(struct doyen *d, const struct doyen_view *view)
{
    struct watch *watch = &d->watch;
    const struct doyen_view *before = watch->view;
    bool on = true;

    watch->view = view;
    while (on && watch->covered > 0) {
        struct told *told = dequeue(watch);
        watch->covered--;
        on = tell_event(d, told, view, before);
        release_told(d, told);
    }
    doyen_view_release(before);
}

static void take_fetched(struct doyen *d)
{
    struct watch *watch = &d->watch;
    struct problem problem = watch->fetch.problem;
    const struct doyen_view *view = NULL;

    if (watch->fetch.state == EXCHANGE_DONE) {
        view = view_read(buffer_text(&watch->fetch.body), &d->memory, &problem);
    }
    exchange_deinit(&watch->fetch);
    if (view == NULL) {
        on_lost(d, &problem);
    } else {
        hand_on(d, view);
    }
}

/* Asks for the view when something waits for it, and takes it when it is there. */
static void step_view(struct doyen *d)
{
    const struct exchange_request request = {.method = "GET", .path = "/v1/members"};
    struct watch *watch = &d->watch;

    while (watch->on && !watch->pausing && watch->queued > 0) {
        if (watch->fetch.state == EXCHANGE_NONE) {
            watch->covered = watch->queued;
            watch->fetch_until_ms = clock_ms() + CLIENT_ANSWER_MS;
            exchange_begin(&watch->fetch, &d->target, &request, &d->memory);
        } else {
            exchange_advance(&watch->fetch);
        }
        if (exchange_is_running(&watch->fetch) && clock_until(watch->fetch_until_ms) == 0) {
            exchange_time_out(&watch->fetch, CLIENT_ANSWER_MS);
        }
        if (exchange_is_running(&watch->fetch)) {
            return;
        }
        take_fetched(d);
    }
}

/* --- The stream --- */

static void on_snapshot(struct doyen *d, const struct told *told)
{
    struct watch *watch = &d->watch;
    struct problem problem = {.code = 0};
    const struct doyen_view *view = view_read(told->json, &d->memory, &problem);

    if (view == NULL) {
        end_with(d, &problem);
        return;
    }
    drop_queue(d); /* The difference has it. */
    exchange_deinit(&watch->fetch);
    if (watch->gap == NULL || tell_gap(d, watch->gap, view, watch->view)) {
        (void)tell_event(d, told, view, NULL);
    }
    drop_gap(d);
    set_view(d, view);
}

/* Takes what the stream said, and with it the ownership of `told`. */
static void on_told(struct doyen *d, struct told *told)
{
    struct watch *watch = &d->watch;

    if ((watch->flags & DOYEN_WATCH_PLAIN) != 0) {
        (void)tell_event(d, told, NULL, NULL);
    } else if (strcmp(told->name, "gap") == 0) {
        drop_gap(d);
        watch->gap = told; /* Told together with the snapshot that comes next. */
        return;
    } else if (strcmp(told->name, "snapshot") == 0) {
        on_snapshot(d, told);
    } else {
        enqueue(watch, told);
        return;
    }
    release_told(d, told);
}

static void end_without_memory(struct doyen *d)
{
    struct problem problem;

    (void)problem_memory(&problem);
    end_with(d, &problem);
}

static void take_events(struct doyen *d)
{
    struct watch *watch = &d->watch;
    struct sse_event event;

    while (watch->on && sse_next(&watch->sse, &event)) {
        struct told *told = told_new(&d->memory, &event);
        if (told == NULL) {
            end_without_memory(d);
            return;
        }
        on_told(d, told);
    }
    if (watch->on && watch->sse.broken && exchange_is_running(&watch->stream)) {
        end_without_memory(d); /* Now, as a quiet daemon may send the next bytes much later. */
    }
}

/* The daemon answers. */
static void on_answered(struct doyen *d)
{
    struct watch *watch = &d->watch;

    watch->answered = true;
    watch->pause_ms = PAUSE_MS_MIN;
    if (watch->told_away) {
        watch->told_away = false;
        (void)tell_back(d);
    }
}

/* When a stream that says nothing is given up: a daemon that is stopped looks like one that is
 * gone. */
static void note_progress(struct watch *watch)
{
    if (watch->stream.received != watch->received) {
        watch->received = watch->stream.received;
        watch->quiet_until_ms = clock_ms() + QUIET_MS;
    }
}

static void step_stream(struct doyen *d)
{
    struct watch *watch = &d->watch;

    exchange_advance(&watch->stream);
    note_progress(watch);
    if (!watch->answered && watch->stream.http.status == 200) {
        on_answered(d);
    }
    take_events(d);
    if (!watch->on) {
        return;
    }
    if (exchange_is_running(&watch->stream) && clock_ms() >= watch->quiet_until_ms) {
        exchange_time_out(&watch->stream, watch->answered ? QUIET_MS : CLIENT_ANSWER_MS);
    }
    if (!exchange_is_running(&watch->stream)) {
        const struct problem problem = watch->stream.problem;
        on_lost(d, &problem);
    }
}

/* --- As a part of the client --- */

void watch_step(struct doyen *d)
{
    struct watch *watch = &d->watch;

    if (watch->pausing && clock_ms() < watch->retry_ms) {
        return;
    }
    if (watch->pausing) {
        begin_stream(d);
    }
    if (watch->on && !watch->pausing) {
        step_stream(d);
    }
    step_view(d);
}

uint64_t watch_deadline_ms(const struct doyen *d)
{
    const struct watch *watch = &d->watch;

    if (!watch->on) {
        return UINT64_MAX;
    }
    if (watch->pausing) {
        return watch->retry_ms;
    }
    if (exchange_is_running(&watch->fetch) && watch->fetch_until_ms < watch->quiet_until_ms) {
        return watch->fetch_until_ms;
    }
    return watch->quiet_until_ms;
}
