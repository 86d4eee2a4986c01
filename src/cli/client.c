#include "cli/client.h"

#include <assert.h>
#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/version.h"
#include "cli/clock.h"
#include "cli/daemon_account.h"
#include "cli/document.h"
#include "cli/reader.h"

enum {
    STATUS_OK = 200,
    STATUS_NOT_FOUND = 404,
    STATUS_CONFLICT = 409, /* also reserved for what the guard refuses, by later daemons */

    KEEPALIVE_IDLE_S = 10, /* a daemon's host that vanishes is noticed within half a minute */
    KEEPALIVE_INTERVAL_S = 5,
    POLL_MS_MAX = 1000,
};

/* The connection of one transfer, checked before anything is sent on it. */
struct checked_socket {
    const struct target *target;
    curl_socket_t fd;
    bool refused;
    struct failure failure;
};

struct client {
    struct target target;
    CURL *curl;
    struct checked_socket socket;
};

struct feed {
    struct client *client;
    CURL *curl;
    CURLM *multi;
    struct curl_slist *headers;
    struct sse_reader reader;
    struct buffer refusal; /* the body of an answer that is not a stream */
    size_t taken;          /* bytes, of either */
    struct checked_socket socket;
    int reader_fd; /* whose other end is to be there; -1: nobody's */
    bool ended;
    struct failure failure;
};

/* --- One transfer, of either kind --- */

/* The address of `path` at the target; over a Unix socket the host's name means nothing. */
static bool set_url(CURL *curl, const struct target *target, const char *path)
{
    char url[TARGET_URL_MAX * 2];
    const char *base = target->url[0] != '\0' ? target->url : "http://doyen";
    const int length = snprintf(url, sizeof url, "%s%s", base, path);

    return length > 0 && (size_t)length < sizeof url &&
           curl_easy_setopt(curl, CURLOPT_URL, url) == CURLE_OK;
}

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct checked_socket *checked = context;

    (void)purpose;
    checked->fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    return checked->fd;
}

/* Called when there is a connection, new or from before, and nothing has been sent on it. */
static int check_socket(void *context, char *remote, char *local, int remote_port, int local_port)
{
    struct checked_socket *checked = context;

    (void)remote;
    (void)local;
    (void)remote_port;
    (void)local_port;
    checked->refused = daemon_account_check(checked->fd, checked->target->socket,
                                            target_expected(checked->target),
                                            &checked->failure) != EXIT_DONE;
    return checked->refused ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

/* What holds for every transfer. A proxy from the environment must not come between. */
static void set_common(CURL *curl, const struct target *target, struct checked_socket *checked)
{
    checked->target = target;
    checked->refused = false;
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http");
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "doyen/" DOYEN_VERSION);
    curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(curl, CURLOPT_TCP_KEEPIDLE, (long)KEEPALIVE_IDLE_S);
    curl_easy_setopt(curl, CURLOPT_TCP_KEEPINTVL, (long)KEEPALIVE_INTERVAL_S);
    if (target->socket[0] != '\0') {
        curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, target->socket);
        curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
        curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, checked);
        curl_easy_setopt(curl, CURLOPT_PREREQFUNCTION, check_socket);
        curl_easy_setopt(curl, CURLOPT_PREREQDATA, checked);
    }
}

static bool has_connected(CURL *curl)
{
    curl_off_t connect_us = 0;
    return curl_easy_getinfo(curl, CURLINFO_CONNECT_TIME_T, &connect_us) == CURLE_OK &&
           connect_us > 0;
}

/* Is there something else than a socket, such as a folder or a log? */
static bool is_another_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISSOCK(status.st_mode);
}

/* What the system's error says about a socket, and what to do about it. */
static const char *unreachable_hint(const struct target *target, long system_error)
{
    if (target->socket[0] == '\0') {
        return "is doyend running there, with --http?";
    }
    switch (system_error) {
    case ENOENT:
        return "no such socket; is doyend running? give its socket with --control or DOYEN_CONTROL";
    case EACCES:
    case EPERM:
        return "permission denied; use the account that doyend runs as (or sudo), or have doyend "
               "started with --control-group and a group that this account is in";
    case EAGAIN:
        return "its queue is full; it may be stopped";
    default:
        if (is_another_file(target->socket)) {
            return "it is no socket; give the daemon's socket with --control or DOYEN_CONTROL";
        }
        return "nobody listens there; is doyend running? give its socket with --control or "
               "DOYEN_CONTROL";
    }
}

static enum exit_code transfer_failed(CURL *curl, const struct checked_socket *checked,
                                      CURLcode result, uint64_t timeout_ms, struct failure *failure)
{
    const struct target *target = checked->target;
    const char *name = target_text(target);
    long system_error = 0;

    if (checked->refused) {
        *failure = checked->failure;
        return failure->code;
    }

    curl_easy_getinfo(curl, CURLINFO_OS_ERRNO, &system_error);
    if (result == CURLE_OPERATION_TIMEDOUT && has_connected(curl)) {
        return failure_set(failure, EXIT_TIMED_OUT,
                           "the daemon at %s did not answer within %llu ms: it may be stopped or "
                           "overloaded",
                           name, (unsigned long long)timeout_ms);
    }
    if (result == CURLE_COULDNT_RESOLVE_HOST) {
        return failure_set(failure, EXIT_UNREACHABLE,
                           "cannot reach the daemon at %s: that host name is not known", name);
    }
    if (result == CURLE_COULDNT_CONNECT || result == CURLE_OPERATION_TIMEDOUT) {
        return failure_set(failure, EXIT_UNREACHABLE, "cannot reach the daemon at %s: %s", name,
                           unreachable_hint(target, system_error));
    }
    if (result == CURLE_WRITE_ERROR || result == CURLE_UNSUPPORTED_PROTOCOL ||
        result == CURLE_URL_MALFORMAT || result == CURLE_WEIRD_SERVER_REPLY) {
        return failure_set(failure, EXIT_REFUSED,
                           "the answer of %s makes no sense (%s): is it doyend?", name,
                           curl_easy_strerror(result));
    }
    return failure_set(failure, EXIT_UNREACHABLE, "the daemon at %s went away (%s)", name,
                       curl_easy_strerror(result));
}

/* A refusal is application/problem+json; whatever lacks in it is left out of the message. */
static enum exit_code refused(const struct target *target, long status, const struct buffer *body,
                              struct failure *failure)
{
    json_t *problem = json_loadb(buffer_text(body), body->length, 0, NULL);
    const char *title = document_text(problem, "title", NULL);
    const char *detail = document_text(problem, "detail", NULL);
    const char *hint = document_text(problem, "hint", NULL);
    const bool by_guard = status == STATUS_CONFLICT && title != NULL &&
                          strcmp(title, "not enough members") == 0;
    const enum exit_code code = by_guard ? EXIT_GUARD : EXIT_REFUSED;

    if (title == NULL && detail == NULL) {
        failure_set(failure, code, "%s answered with HTTP status %ld%s", target_text(target),
                    status,
                    status == STATUS_NOT_FOUND ? ": it does not know what was asked, perhaps an "
                                                 "older doyend"
                                               : "");
    } else {
        failure_set(failure, code, "%s%s%s%s%s", title == NULL ? "" : title,
                    title != NULL && detail != NULL ? ": " : "", detail == NULL ? "" : detail,
                    hint == NULL ? "" : "; ", hint == NULL ? "" : hint);
    }
    json_decref(problem);
    return code;
}

/* --- Requests --- */

struct client *client_new(const struct target *target)
{
    struct client *client = calloc(1, sizeof *client);
    if (client == NULL) {
        return NULL;
    }
    client->target = *target;
    client->curl = curl_easy_init();
    if (client->curl == NULL) {
        free(client);
        return NULL;
    }
    return client;
}

void client_free(struct client *client)
{
    if (client != NULL) {
        curl_easy_cleanup(client->curl);
        free(client);
    }
}

void answer_deinit(struct answer *answer)
{
    buffer_deinit(&answer->text);
    json_decref(answer->json);
    answer->json = NULL;
}

char *client_escape(struct client *client, const char *text)
{
    return curl_easy_escape(client->curl, text, 0);
}

static size_t append_answer(char *bytes, size_t size, size_t count, void *context)
{
    struct buffer *buffer = context;
    assert(size == 1);
    return buffer_append(buffer, bytes, count) ? count : 0;
}

/* Performs what has been set up on client->curl, and judges the answer. */
static enum exit_code perform(struct client *client, const char *path, uint64_t timeout_ms,
                              struct answer *answer, struct failure *failure)
{
    CURL *curl = client->curl;
    long status = 0;

    *answer = (struct answer){.json = NULL};
    set_common(curl, &client->target, &client->socket);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(timeout_ms == 0 ? 1 : timeout_ms));
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, append_answer);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer->text);
    if (!set_url(curl, &client->target, path)) {
        return failure_set(failure, EXIT_USAGE, "too long for a request: %.80s...", path);
    }

    const CURLcode result = curl_easy_perform(curl);
    if (result != CURLE_OK) {
        transfer_failed(curl, &client->socket, result, timeout_ms, failure);
        answer_deinit(answer);
        return failure->code;
    }
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    if (status < STATUS_OK || status > 299) {
        refused(&client->target, status, &answer->text, failure);
        answer_deinit(answer);
        return failure->code;
    }
    if (answer->text.length > 0) {
        answer->json = json_loadb(answer->text.bytes, answer->text.length, 0, NULL);
    }
    return EXIT_DONE;
}

static enum exit_code not_understood(struct client *client, struct answer *answer,
                                     struct failure *failure)
{
    answer_deinit(answer);
    return failure_set(failure, EXIT_REFUSED,
                       "the answer of %s is not the JSON expected: is it doyend?",
                       target_text(&client->target));
}

enum exit_code client_get(struct client *client, const char *path, uint64_t timeout_ms,
                          struct answer *answer, struct failure *failure)
{
    curl_easy_reset(client->curl);
    curl_easy_setopt(client->curl, CURLOPT_HTTPGET, 1L);

    const enum exit_code code = perform(client, path, timeout_ms, answer, failure);
    if (code == EXIT_DONE && !json_is_object(answer->json)) {
        return not_understood(client, answer, failure);
    }
    return code;
}

enum exit_code client_post(struct client *client, const char *path, const json_t *body,
                           uint64_t timeout_ms, struct answer *answer, struct failure *failure)
{
    char *text = body == NULL ? NULL : json_dumps(body, JSON_COMPACT);
    /* An empty Expect keeps curl from asking first whether it may send. */
    struct curl_slist *headers = curl_slist_append(NULL, "Expect:");
    struct curl_slist *typed = curl_slist_append(headers, "Content-Type: application/json");

    if ((body != NULL && text == NULL) || headers == NULL || typed == NULL) {
        free(text);
        curl_slist_free_all(headers);
        *answer = (struct answer){.json = NULL};
        return failure_set(failure, EXIT_REFUSED, "out of memory");
    }

    curl_easy_reset(client->curl);
    curl_easy_setopt(client->curl, CURLOPT_POST, 1L);
    curl_easy_setopt(client->curl, CURLOPT_POSTFIELDS, text == NULL ? "" : text);
    curl_easy_setopt(client->curl, CURLOPT_HTTPHEADER, typed);

    enum exit_code code = perform(client, path, timeout_ms, answer, failure);
    if (code == EXIT_DONE && answer->json == NULL && answer->text.length > 0) {
        code = not_understood(client, answer, failure);
    }
    curl_easy_reset(client->curl); /* It has borrowed what goes now. */
    curl_slist_free_all(typed);
    free(text);
    return code;
}

/* --- The stream of events --- */

static size_t read_feed_bytes(char *bytes, size_t size, size_t count, void *context)
{
    struct feed *feed = context;
    long status = 0;

    assert(size == 1);
    feed->taken += count;
    curl_easy_getinfo(feed->curl, CURLINFO_RESPONSE_CODE, &status);
    const bool taken = status == STATUS_OK ? sse_feed(&feed->reader, bytes, count)
                                           : buffer_append(&feed->refusal, bytes, count);
    return taken ? count : 0;
}

static bool set_headers(struct feed *feed, const char *since)
{
    char resume[128];

    feed->headers = curl_slist_append(NULL, "Accept: text/event-stream");
    if (feed->headers == NULL) {
        return false;
    }
    if (since != NULL) {
        snprintf(resume, sizeof resume, "Last-Event-ID: %s", since);
        return curl_slist_append(feed->headers, resume) != NULL;
    }
    return true;
}

struct feed *feed_open(struct client *client, const char *since)
{
    struct feed *feed = calloc(1, sizeof *feed);
    if (feed == NULL) {
        return NULL;
    }
    feed->client = client;
    feed->reader_fd = -1;
    feed->curl = curl_easy_init();
    feed->multi = curl_multi_init();
    if (feed->curl == NULL || feed->multi == NULL || !set_headers(feed, since)) {
        goto failed;
    }

    set_common(feed->curl, &client->target, &feed->socket);
    curl_easy_setopt(feed->curl, CURLOPT_HTTPHEADER, feed->headers);
    curl_easy_setopt(feed->curl, CURLOPT_WRITEFUNCTION, read_feed_bytes);
    curl_easy_setopt(feed->curl, CURLOPT_WRITEDATA, feed);
    if (!set_url(feed->curl, &client->target, "/v1/events") ||
        curl_multi_add_handle(feed->multi, feed->curl) != CURLM_OK) {
        goto failed;
    }
    return feed;

failed:
    feed_close(feed);
    return NULL;
}

void feed_close(struct feed *feed)
{
    if (feed == NULL) {
        return;
    }
    if (feed->multi != NULL && feed->curl != NULL) {
        curl_multi_remove_handle(feed->multi, feed->curl);
    }
    curl_easy_cleanup(feed->curl);
    if (feed->multi != NULL) {
        curl_multi_cleanup(feed->multi);
    }
    curl_slist_free_all(feed->headers);
    sse_deinit(&feed->reader);
    buffer_deinit(&feed->refusal);
    free(feed);
}

static void finish_feed(struct feed *feed, CURLcode result)
{
    const struct target *target = &feed->client->target;
    long status = 0;

    feed->ended = true;
    curl_easy_getinfo(feed->curl, CURLINFO_RESPONSE_CODE, &status);
    if (result == CURLE_OK && status != STATUS_OK) {
        refused(target, status, &feed->refusal, &feed->failure);
    } else if (result == CURLE_OK) {
        failure_set(&feed->failure, EXIT_UNREACHABLE, "the daemon at %s went away",
                    target_text(target));
    } else {
        transfer_failed(feed->curl, &feed->socket, result, 0, &feed->failure);
    }
}

/* Lets curl do what can be done now; returns whether that brought bytes, or the end. */
static bool advance(struct feed *feed)
{
    const size_t before = feed->taken;
    int running = 0;
    int left = 0;

    curl_multi_perform(feed->multi, &running);
    for (const CURLMsg *message = curl_multi_info_read(feed->multi, &left); message != NULL;
         message = curl_multi_info_read(feed->multi, &left)) {
        if (message->msg == CURLMSG_DONE) {
            finish_feed(feed, message->data.result);
        }
    }
    return feed->ended || feed->taken != before;
}

void feed_watch_reader(struct feed *feed, int fd)
{
    feed->reader_fd = fd;
}

/* Sleeps until the stream brings something, its reader goes away, or the time is over. */
static void feed_sleep(struct feed *feed, uint64_t left_ms)
{
    struct curl_waitfd reader = {.fd = feed->reader_fd};
    const int sleep_ms = (int)(left_ms < POLL_MS_MAX ? left_ms : POLL_MS_MAX);

    curl_multi_poll(feed->multi, &reader, feed->reader_fd >= 0 ? 1 : 0, sleep_ms, NULL);
}

enum feed_result feed_next(struct feed *feed, uint64_t deadline_ms, struct sse_event *event)
{
    for (;;) {
        if (sse_next(&feed->reader, event)) {
            return FEED_EVENT;
        }
        if (feed->ended) {
            return FEED_ENDED;
        }
        if (advance(feed)) {
            continue;
        }

        if (!reader_stays(feed->reader_fd, 0)) {
            return FEED_UNREAD;
        }
        const uint64_t left_ms = clock_left_ms(deadline_ms);
        if (left_ms == 0) {
            return FEED_WAITING;
        }
        feed_sleep(feed, left_ms);
    }
}

bool feed_is_answered(const struct feed *feed)
{
    long status = 0;
    curl_easy_getinfo(feed->curl, CURLINFO_RESPONSE_CODE, &status);
    return status != 0;
}

const struct failure *feed_failure(const struct feed *feed)
{
    assert(feed->ended);
    return &feed->failure;
}
