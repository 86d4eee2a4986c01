/* Waiting for a condition: the view is looked at whenever something has happened. */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "client/client_state.h"
#include "client/clock.h"
#include "client/condition.h"
#include "client/stamped.h"
#include "client/tell.h"

enum {
    PAUSE_MS_MIN = 10,
    PAUSE_MS_MAX = 200,
    MISSING_MAX = 512,
    DURATION_MAX = 32,

    /* Whether a node acts and its guard is met also changes as time passes; the daemon tells, but
     * this is what the answer would be late by if one day it did not. */
    LOOK_AGAIN_MS = 1000,
};

struct waiting {
    struct doyen *d;
    struct doyen_condition condition;
    const struct doyen_view *view; /* the last one, held; NULL: none yet */
    bool holds;
    uint64_t deadline_ms;
    struct problem problem; /* why the last try brought nothing */
    bool away;              /* it answered, or it listens, and now it does not answer */
    char missing[MISSING_MAX];
};

static uint64_t sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Says so once, but not of a daemon that is not there yet, nor of one that is asked in the last
 * moment. */
static void note_silence(struct waiting *waiting)
{
    const bool is_silent = waiting->view != NULL || waiting->problem.code == DOYEN_E_TIMEOUT;

    if (!waiting->away && is_silent && problem_passes(&waiting->problem) &&
        clock_until(waiting->deadline_ms) > 0) {
        waiting->away = true;
        tell_log_away(waiting->d, &waiting->problem);
    }
}

static void note_answer(struct waiting *waiting)
{
    waiting->problem.code = 0;
    if (waiting->away) {
        waiting->away = false;
        tell_log_back(waiting->d);
    }
}

/* Looks at the view. False when that could not be done. */
static bool look(struct waiting *waiting)
{
    const int left_ms = clock_until(waiting->deadline_ms);
    const struct doyen_view *view = NULL;

    if (left_ms == 0) {
        return true; /* It does not hold in time. */
    }
    if (doyen_get(waiting->d, left_ms < CLIENT_ANSWER_MS ? left_ms : CLIENT_ANSWER_MS, &view) !=
        0) {
        waiting->problem = waiting->d->problem;
        note_silence(waiting);
        return false;
    }
    doyen_view_release(waiting->view);
    waiting->view = view;
    note_answer(waiting);
    waiting->holds = condition_holds(&waiting->condition, view, waiting->missing, MISSING_MAX);
    return true;
}

/* Sleeps until the stream says something, it ends, or it is time to look anyway. */
static void doze(struct exchange *stream, struct sse_reader *sse, uint64_t until_ms)
{
    struct sse_event event;

    while (exchange_is_running(stream)) {
        struct pollfd connection = {.fd = stream->fd, .events = exchange_events(stream)};
        bool told = false;
        while (sse_next(sse, &event)) {
            told = true; /* One look does for all that is here. */
        }
        const int left_ms = clock_until(until_ms);
        if (told || left_ms == 0) {
            return;
        }
        if (poll(&connection, 1, left_ms) > 0) {
            exchange_advance(stream);
        }
    }
}

/* Follows one stream to its end, looking after each burst of events. */
static void follow(struct waiting *waiting)
{
    struct doyen *d = waiting->d;
    char header[CLIENT_RESUME_MAX];
    struct exchange stream = {.state = EXCHANGE_NONE};
    struct sse_reader sse;
    const struct exchange_request request = {
        .method = "GET", .path = "/v1/events", .header = header, .stream = &sse};

    if (!look(waiting) || waiting->holds || waiting->view == NULL ||
        !client_is_token(waiting->view->resume)) {
        return;
    }
    client_resume_header(header, waiting->view->resume);
    sse_init(&sse, &d->memory);
    exchange_begin(&stream, &d->target, &request, &d->memory);
    while (exchange_is_running(&stream) && clock_until(waiting->deadline_ms) > 0) {
        doze(&stream, &sse, sooner(clock_ms() + LOOK_AGAIN_MS, waiting->deadline_ms));
        if (!exchange_is_running(&stream)) {
            waiting->problem = stream.problem;
        } else if (!look(waiting) || waiting->holds) {
            break;
        }
    }
    exchange_deinit(&stream);
    sse_deinit(&sse);
}

static void two_units(char out[DURATION_MAX], int large, const char *large_unit, int small,
                      const char *small_unit)
{
    if (small == 0) {
        snprintf(out, DURATION_MAX, "%d %s", large, large_unit);
    } else {
        snprintf(out, DURATION_MAX, "%d %s %d %s", large, large_unit, small, small_unit);
    }
}

static void duration_text(char out[DURATION_MAX], int milliseconds)
{
    const int seconds = milliseconds / 1000;

    if (milliseconds < 1000) {
        snprintf(out, DURATION_MAX, "%d ms", milliseconds);
    } else if (seconds < 60) {
        snprintf(out, DURATION_MAX, "%d.%d s", seconds, milliseconds % 1000 / 100);
    } else if (seconds < 3600) {
        two_units(out, seconds / 60, "min", seconds % 60, "s");
    } else if (seconds < 86400) {
        two_units(out, seconds / 3600, "h", seconds % 3600 / 60, "min");
    } else {
        two_units(out, seconds / 86400, "d", seconds % 86400 / 3600, "h");
    }
}

static int report_timeout(struct waiting *waiting, int timeout_ms)
{
    struct problem *problem = &waiting->d->problem;
    char text[DURATION_MAX];

    duration_text(text, timeout_ms);
    if (waiting->view != NULL && waiting->away) {
        return problem_set(problem, DOYEN_E_TIMEOUT, "timed out after %s: %s, and then %.*s", text,
                           waiting->missing, PROBLEM_TEXT_MAX / 2, waiting->problem.text);
    }
    if (waiting->view != NULL) {
        return problem_set(problem, DOYEN_E_TIMEOUT, "timed out after %s: %s", text,
                           waiting->missing);
    }
    if (waiting->problem.code != DOYEN_E_UNREACHABLE) {
        return problem_set(problem, DOYEN_E_UNREACHABLE,
                           "the daemon at %s did not answer within %s: it may be stopped or "
                           "overloaded",
                           target_text(&waiting->d->target), text);
    }
    return problem_set(problem, DOYEN_E_UNREACHABLE, "%.*s (tried for %s)", PROBLEM_TEXT_MAX / 2,
                       waiting->problem.text, text);
}

static int wait_until_holds(struct waiting *waiting, int timeout_ms)
{
    int pause_ms = PAUSE_MS_MIN;

    for (;;) {
        follow(waiting);
        if (waiting->holds) {
            return 0;
        }
        if (waiting->problem.code != 0 && !problem_passes(&waiting->problem)) {
            return client_fail(waiting->d, &waiting->problem);
        }
        const int left_ms = clock_until(waiting->deadline_ms);
        if (left_ms == 0) {
            return report_timeout(waiting, timeout_ms);
        }
        (void)poll(NULL, 0, pause_ms < left_ms ? pause_ms : left_ms);
        pause_ms = 2 * pause_ms < PAUSE_MS_MAX ? 2 * pause_ms : PAUSE_MS_MAX;
    }
}

static bool is_same(const char *one, const char *other)
{
    return one != NULL && other != NULL && strcmp(one, other) == 0;
}

/* What can never hold would be waited for in vain. */
static int refuse_contradiction(const struct doyen_condition *condition, struct problem *problem)
{
    if (is_same(condition->name, condition->gone)) {
        return problem_set(problem, DOYEN_E_USAGE,
                           "%s cannot be a member and gone at once: leave one of them out",
                           condition->gone);
    }
    if (is_same(condition->coordinator, condition->gone)) {
        return problem_set(problem, DOYEN_E_USAGE,
                           "%s cannot coordinate and be gone at once: leave one of them out",
                           condition->gone);
    }
    return 0;
}

int doyen_wait(struct doyen *d, const struct doyen_condition *condition, int timeout_ms,
               const struct doyen_view **out)
{
    struct waiting waiting = {.d = d, .deadline_ms = clock_deadline_ms(timeout_ms)};

    if (out != NULL) {
        *out = NULL;
    }
    if (!stamped_copy(&waiting.condition, sizeof waiting.condition, condition)) {
        return stamped_refuse(&d->problem, "doyen_condition");
    }
    const int refused = refuse_contradiction(&waiting.condition, &d->problem);
    if (refused != 0) {
        return refused;
    }
    const int result = wait_until_holds(&waiting, timeout_ms);
    if (result == 0 && out != NULL) {
        *out = waiting.view;
    } else {
        doyen_view_release(waiting.view);
    }
    return result;
}

bool doyen_holds(const struct doyen_condition *condition, const struct doyen_view *view,
                 char *missing, size_t bytes)
{
    struct doyen_condition whole;

    if (!stamped_copy(&whole, sizeof whole, condition)) {
        if (missing != NULL && bytes > 0) {
            snprintf(missing, bytes, "doyen_condition.size is not known to this libdoyen");
        }
        return false;
    }
    return condition_holds(&whole, view, missing, bytes);
}
