/* The client itself: made, asked, driven, closed. */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "client/client_state.h"
#include "client/clock.h"
#include "client/field.h"
#include "client/stamped.h"
#include "client/view.h"

enum { LOOK_PAUSE_MS = 20 };

#define SYSTEM_DIRECTORY "/run/doyen"

/* --- Made and closed --- */

/* The client's own copy of a text that may be NULL or "". False when memory ran out. */
static bool keep(struct doyen *d, const char *text, const char **kept)
{
    if (text == NULL || text[0] == '\0') {
        *kept = NULL;
        return true;
    }
    *kept = allocator_text(&d->memory, text);
    return *kept != NULL;
}

static bool keep_directories(struct doyen *d)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    char path[TARGET_URL_MAX];
    size_t count = 0;

    if (runtime != NULL && runtime[0] != '\0') {
        snprintf(path, sizeof path, "%s/doyen", runtime);
        if (!keep(d, path, &d->wish.directories[count++])) {
            return false;
        }
    }
    return keep(d, SYSTEM_DIRECTORY, &d->wish.directories[count]);
}

static bool keep_name(struct doyen *d, const char *name, const char *otherwise, const char **kept)
{
    return keep(d, name == NULL ? otherwise : name, kept);
}

/* As `keep`, but an empty text is one, too. */
static bool keep_text(struct doyen *d, const char *text, const char **kept)
{
    *kept = text == NULL ? NULL : allocator_text(&d->memory, text);
    return text == NULL || *kept != NULL;
}

static bool keep_wish(struct doyen *d, const struct doyen_options *options)
{
    struct target_wish *wish = &d->wish;
    struct target_names *names = &wish->names;

    return keep(d, options->control, &wish->control) && keep(d, options->url, &wish->url) &&
           keep_text(d, options->expect_user, &wish->expect_user) &&
           keep_text(d, getenv("DOYEN_CONTROL"), &wish->control_environment) &&
           keep_text(d, getenv("DOYEN_URL"), &wish->url_environment) &&
           keep_text(d, getenv("DOYEN_EXPECT_USER"), &wish->user_environment) &&
           keep_directories(d) &&
           keep_name(d, options->control_option, "doyen_options.control", &names->control) &&
           keep_name(d, options->url_option, "doyen_options.url", &names->url) &&
           keep_name(d, options->user_option, "doyen_options.expect_user", &names->user);
}

static void forget(struct doyen *d, const char *text)
{
    void *at;

    memcpy(&at, &text, sizeof at); /* It was allocated here, and is const for its readers. */
    allocator_release(&d->memory, at);
}

static void client_free(struct doyen *d)
{
    const struct allocator memory = d->memory;

    watch_clean(d);
    acting_clean(d);
    if (d->epoll >= 0) {
        close(d->epoll);
    }
    forget(d, d->wish.control);
    forget(d, d->wish.url);
    forget(d, d->wish.expect_user);
    forget(d, d->wish.control_environment);
    forget(d, d->wish.url_environment);
    forget(d, d->wish.user_environment);
    for (size_t i = 0; i < TARGET_DIRECTORIES_MAX; i++) {
        forget(d, d->wish.directories[i]);
    }
    forget(d, d->wish.names.control);
    forget(d, d->wish.names.url);
    forget(d, d->wish.names.user);
    allocator_release(&memory, d);
}

static struct doyen *client_new(const struct doyen_options *options)
{
    const struct allocator memory = {
        .allocate = options->allocate, .release = options->release, .user = options->user};
    struct doyen *d = allocator_get(&memory, sizeof *d);

    if (d == NULL) {
        return NULL;
    }
    d->memory = memory;
    d->log = options->log;
    d->acting.connection = -1;
    d->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (d->epoll < 0 || !keep_wish(d, options)) {
        client_free(d);
        return NULL;
    }
    return d;
}

int doyen_open(struct doyen **out, const struct doyen_options *options)
{
    struct doyen_options own = {.size = sizeof own};
    const bool known = options == NULL || stamped_copy(&own, sizeof own, options);
    const bool halved = known && (own.allocate == NULL) != (own.release == NULL);

    if (!known || halved) {
        own = (struct doyen_options){.size = sizeof own};
    }
    *out = client_new(&own);
    if (*out == NULL) {
        return DOYEN_E_MEMORY;
    }
    if (!known) {
        return stamped_refuse(&(*out)->problem, "doyen_options");
    }
    if (halved) {
        return problem_set(&(*out)->problem, DOYEN_E_USAGE,
                           "of doyen_options.allocate and release one is missing: give both or "
                           "neither");
    }
    return 0;
}

void doyen_close(struct doyen *d)
{
    if (d == NULL) {
        return;
    }
    if (d->calling_back) {
        d->closing = true;
        d->watch.on = false;
        return;
    }
    client_free(d);
}

const char *doyen_error(const struct doyen *d)
{
    return d == NULL ? "out of memory or of descriptors" : d->problem.text;
}

const char *doyen_where(const struct doyen *d)
{
    return target_text(&d->target);
}

const char *doyen_version(void)
{
    return DOYEN_VERSION;
}

/* --- Asking --- */

int client_find(struct doyen *d, struct problem *problem)
{
    int code = 0;

    if (!d->found) {
        code = target_find(&d->wish, &d->target, problem);
        d->found = code == 0;
    }
    return code;
}

int client_fail(struct doyen *d, const struct problem *problem)
{
    d->problem = *problem;
    return problem->code;
}

int client_ask(struct doyen *d, const struct exchange_request *request, int timeout_ms,
               char **answer, struct problem *problem)
{
    struct exchange exchange = {.state = EXCHANGE_NONE};
    int code = client_find(d, problem);

    if (code != 0) {
        return code;
    }
    exchange_begin(&exchange, &d->target, request, &d->memory);
    code = exchange_finish(&exchange, timeout_ms == 0 ? 1 : timeout_ms);
    if (code != 0) {
        *problem = exchange.problem;
    } else if (answer != NULL) {
        *answer = buffer_take(&exchange.body);
        code = *answer == NULL ? problem_memory(problem) : 0;
    }
    exchange_deinit(&exchange);
    return code;
}

bool client_is_token(const char *text)
{
    const size_t length = strlen(text);

    for (size_t i = 0; i < length; i++) {
        if (text[i] <= ' ' || text[i] > '~') {
            return false;
        }
    }
    return length > 0 && length < CLIENT_TOKEN_MAX;
}

void client_resume_header(char out[CLIENT_RESUME_MAX], const char *token)
{
    snprintf(out, CLIENT_RESUME_MAX, "Last-Event-ID: %s", token);
}

/* What would end the line of the request early. */
static bool is_path(const char *path)
{
    for (const char *at = path; *at != '\0'; at++) {
        if (*at <= ' ' || *at > '~') {
            return false;
        }
    }
    return path[0] == '/';
}

int doyen_request(struct doyen *d, const char *method, const char *path, const char *body,
                  int timeout_ms, char **answer)
{
    const struct exchange_request request = {.method = method, .path = path, .body = body};
    struct problem problem = {.code = 0};

    if (!is_path(path) || (strcmp(method, "GET") != 0 && strcmp(method, "POST") != 0)) {
        return problem_set(&d->problem, DOYEN_E_USAGE,
                           "%.80s is no path: begin it with a slash and escape its query, and ask "
                           "with GET or POST",
                           path);
    }
    const int code = client_ask(d, &request, timeout_ms, answer, &problem);
    return code == 0 ? 0 : client_fail(d, &problem);
}

void doyen_free(struct doyen *d, char *answer)
{
    allocator_release(&d->memory, answer);
}

int doyen_get(struct doyen *d, int timeout_ms, const struct doyen_view **out)
{
    const struct exchange_request request = {.method = "GET", .path = "/v1/members"};
    struct problem problem = {.code = 0};
    char *text = NULL;

    *out = NULL;
    if (client_ask(d, &request, timeout_ms, &text, &problem) == 0) {
        *out = view_read(text, &d->memory, &problem);
        allocator_release(&d->memory, text);
    }
    return *out != NULL ? 0 : client_fail(d, &problem);
}

/* --- Leaving --- */

/* The name and id that a status tells. */
struct identity {
    char name[256];
    char id[64];
};

static int identify(struct doyen *d, int timeout_ms, struct identity *identity,
                    struct problem *problem)
{
    const struct exchange_request request = {.method = "GET", .path = "/v1/status"};
    char *text = NULL;
    int code = client_ask(d, &request, timeout_ms, &text, problem);

    if (code != 0) {
        return code;
    }
    json_t *status = json_loads(text, 0, NULL);
    const char *name = field_text(status, "self");
    const char *id = field_text(status, "id");
    if (name == NULL || id == NULL) {
        code = problem_set(problem, DOYEN_E_PROTOCOL,
                           "the status of %s is not the one expected: is it doyend?",
                           target_text(&d->target));
    } else {
        snprintf(identity->name, sizeof identity->name, "%s", name);
        snprintf(identity->id, sizeof identity->id, "%s", id);
    }
    json_decref(status);
    allocator_release(&d->memory, text);
    return code;
}

/* Is the daemon gone, or another life in its place? Who only cannot ask does not know. */
static bool has_gone(struct doyen *d, const struct identity *left, int timeout_ms,
                     struct problem *problem)
{
    struct identity now;
    const int code = identify(d, timeout_ms, &now, problem);

    return code == 0 ? strcmp(now.id, left->id) != 0 : problem->nobody;
}

int doyen_leave(struct doyen *d, int timeout_ms)
{
    const struct exchange_request request = {.method = "POST", .path = "/v1/leave"};
    const uint64_t deadline_ms = clock_deadline_ms(timeout_ms);
    struct problem problem = {.code = 0};
    struct identity self;

    if (identify(d, timeout_ms, &self, &problem) != 0 ||
        client_ask(d, &request, clock_until(deadline_ms), NULL, &problem) != 0) {
        return client_fail(d, &problem);
    }
    for (;;) {
        problem.code = 0;
        if (has_gone(d, &self, clock_until(deadline_ms), &problem)) {
            return 0;
        }
        if (clock_until(deadline_ms) == 0 && problem.code == DOYEN_E_UNREACHABLE) {
            return client_fail(d, &problem);
        }
        if (clock_until(deadline_ms) == 0) {
            return problem_set(&d->problem, DOYEN_E_TIMEOUT,
                               "%s was asked to leave and is still there after %d ms: its log says "
                               "why",
                               self.name, timeout_ms);
        }
        (void)poll(NULL, 0, LOOK_PAUSE_MS);
    }
}

/* --- Driven by a loop --- */

int doyen_fd(const struct doyen *d)
{
    return d->epoll;
}

int doyen_timeout_ms(const struct doyen *d)
{
    const uint64_t deadline_ms = watch_deadline_ms(d);

    return deadline_ms == UINT64_MAX ? -1 : clock_until(deadline_ms);
}

/* The descriptor leaves epoll when it is closed, and another may have got its number since. */
static void poll_for(struct doyen *d, const struct exchange *exchange)
{
    struct epoll_event event = {.events = 0};

    if (!exchange_is_running(exchange)) {
        return;
    }
    event.events = exchange_events(exchange) == POLLIN ? EPOLLIN : EPOLLOUT;
    if (epoll_ctl(d->epoll, EPOLL_CTL_MOD, exchange->fd, &event) != 0 && errno == ENOENT) {
        (void)epoll_ctl(d->epoll, EPOLL_CTL_ADD, exchange->fd, &event);
    }
}

/* One step, after which the client may have been closed by its callback. Returns what ended the
 * watch; 0: nothing did. */
static int step(struct doyen *d)
{
    if (!d->watch.on) {
        return 0;
    }
    d->watch.result = 0;
    watch_step(d);
    if (!d->watch.on) {
        watch_clean(d);
        return d->watch.result;
    }
    poll_for(d, &d->watch.stream);
    poll_for(d, &d->watch.fetch);
    return 0;
}

/* What a callback wished for. */
static int step_and_close(struct doyen *d)
{
    const int result = step(d);

    if (d->closing) {
        client_free(d);
    }
    return result;
}

int doyen_step(struct doyen *d)
{
    if (d->calling_back) {
        return problem_set(&d->problem, DOYEN_E_BUSY,
                           "doyen_step was called from a callback: return first");
    }
    return step_and_close(d);
}

int doyen_watch(struct doyen *d, const char *resume, unsigned flags, doyen_on_event *on_event,
                void *user)
{
    int result = doyen_watch_start(d, resume, flags, on_event, user);

    if (result != 0) {
        return result;
    }
    for (;;) {
        struct pollfd fd = {.fd = d->epoll, .events = POLLIN};
        result = step(d);
        if (d->closing) {
            client_free(d);
            return result;
        }
        if (!d->watch.on) {
            return result;
        }
        (void)poll(&fd, 1, doyen_timeout_ms(d));
    }
}
