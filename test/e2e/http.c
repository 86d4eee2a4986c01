#include "http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "process.h"

enum {
    SEND_LIMIT_MS = 5000,
    READ_BYTES = 16384,
    ANSWER_BYTES_MAX = 8 << 20,
};

/* --- Sockets --------------------------------------------------------------------------------- */

static int connected(int fd, const struct sockaddr *address, socklen_t length)
{
    if (fd >= 0 && connect(fd, address, length) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

int dial_unix(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    if (strlen(path) >= sizeof address.sun_path) {
        return -1;
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    return connected(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0),
                     (const struct sockaddr *)&address, sizeof address);
}

static int dial_ip(int type, const char *host, uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};

    if (inet_pton(AF_INET, host, &address.sin_addr) != 1) {
        return -1;
    }
    return connected(socket(AF_INET, type | SOCK_CLOEXEC, 0), (const struct sockaddr *)&address,
                     sizeof address);
}

int dial_tcp(const char *host, uint16_t port)
{
    return dial_ip(SOCK_STREAM, host, port);
}

int dial_udp(const char *host, uint16_t port)
{
    return dial_ip(SOCK_DGRAM, host, port);
}

static bool is_ready(int fd, short events, uint64_t deadline_ms)
{
    const uint64_t now_ms = clock_now_ms();
    struct pollfd ready = {.fd = fd, .events = events};

    return poll(&ready, 1, deadline_ms > now_ms ? (int)(deadline_ms - now_ms) : 0) > 0;
}

bool send_all(int fd, const void *bytes, size_t length, uint64_t limit_ms)
{
    const uint64_t deadline_ms = clock_now_ms() + limit_ms;
    const char *at = bytes;

    while (length > 0) {
        if (!is_ready(fd, POLLOUT, deadline_ms)) {
            return false;
        }
        const ssize_t sent = send(fd, at, length, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0) {
            return false;
        }
        at += sent;
        length -= (size_t)sent;
    }
    return true;
}

bool send_text(int fd, const char *text)
{
    return send_all(fd, text, strlen(text), SEND_LIMIT_MS);
}

bool is_closed(int fd, uint64_t limit_ms)
{
    const uint64_t deadline_ms = clock_now_ms() + limit_ms;
    char passed_over[READ_BYTES];

    while (is_ready(fd, POLLIN, deadline_ms)) {
        if (recv(fd, passed_over, sizeof passed_over, MSG_DONTWAIT) <= 0) {
            return true; /* Its end, or a reset: either way it is over. */
        }
    }
    return false;
}

/* Reads what there is behind `*text`, which grows. False at the end, at the limit, or when there
 * is more than any answer has. */
static bool read_more(int fd, uint64_t deadline_ms, char **text, size_t *length)
{
    if (*length > ANSWER_BYTES_MAX || !is_ready(fd, POLLIN, deadline_ms)) {
        return false;
    }
    char *grown = realloc(*text, *length + READ_BYTES + 1);
    if (grown == NULL) {
        return false;
    }
    *text = grown;
    const ssize_t count = recv(fd, *text + *length, READ_BYTES, MSG_DONTWAIT);
    if (count <= 0) {
        return false;
    }
    *length += (size_t)count;
    (*text)[*length] = '\0';
    return true;
}

/* --- Answers --------------------------------------------------------------------------------- */

void http_answer_deinit(struct http_answer *answer)
{
    free(answer->text);
    *answer = (struct http_answer){.status = 0};
}

static const char *head_end(const char *text)
{
    const char *blank = text == NULL ? NULL : strstr(text, "\r\n\r\n");

    return blank == NULL ? NULL : blank + strlen("\r\n\r\n");
}

bool http_header(const struct http_answer *answer, const char *name, char *value, size_t size)
{
    const size_t name_length = strlen(name);
    const char *line = strstr(answer->text, "\r\n");

    while (line != NULL && line + 2 < answer->body) {
        line += 2;
        if (strncasecmp(line, name, name_length) == 0 && line[name_length] == ':') {
            line += name_length + 1;
            line += strspn(line, " ");
            snprintf(value, size, "%.*s", (int)strcspn(line, "\r"), line);
            return true;
        }
        line = strstr(line, "\r\n");
    }
    return false;
}

/* How many bytes of body the head promises; SIZE_MAX: as many as come. */
static size_t body_length(const struct http_answer *answer)
{
    char value[32];

    return http_header(answer, "Content-Length", value, sizeof value) ? strtoull(value, NULL, 10)
                                                                      : SIZE_MAX;
}

bool http_read(int fd, bool head_only, uint64_t limit_ms, struct http_answer *answer)
{
    const uint64_t deadline_ms = clock_now_ms() + limit_ms;

    *answer = (struct http_answer){.status = 0};
    while (head_end(answer->text) == NULL) {
        if (!read_more(fd, deadline_ms, &answer->text, &answer->length)) {
            http_answer_deinit(answer);
            return false;
        }
    }
    answer->body = head_end(answer->text);
    const size_t head_length = (size_t)(answer->body - answer->text);
    const size_t wanted = head_only ? 0 : body_length(answer);
    while (answer->length - head_length < wanted &&
           read_more(fd, deadline_ms, &answer->text, &answer->length)) {
    }
    answer->body = answer->text + head_length; /* It may have moved. */
    if (sscanf(answer->text, "HTTP/1.%*c %d", &answer->status) != 1 ||
        (wanted != SIZE_MAX && answer->length - head_length != wanted)) {
        http_answer_deinit(answer);
        return false;
    }
    return true;
}

bool http_ask(int fd, const char *method, const char *path, const char *headers, uint64_t limit_ms,
              struct http_answer *answer)
{
    char request[2048];

    *answer = (struct http_answer){.status = 0};
    const int length = snprintf(request, sizeof request,
                                "%s %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", method, path,
                                headers == NULL ? "" : headers);
    return length > 0 && (size_t)length < sizeof request &&
           send_all(fd, request, (size_t)length, limit_ms) &&
           http_read(fd, strcmp(method, "HEAD") == 0, limit_ms, answer);
}

bool http_get(const char *control, const char *path, uint64_t limit_ms, struct http_answer *answer)
{
    const int fd = dial_unix(control);

    *answer = (struct http_answer){.status = 0};
    if (fd < 0) {
        return false;
    }
    const bool answered = http_ask(fd, "GET", path, "Connection: close\r\n", limit_ms, answer);
    close(fd);
    return answered;
}

/* --- Server-sent events ---------------------------------------------------------------------- */

/* As HTTP/1.0, which has no chunks: the events stand in the stream as they are. */
bool events_open(struct events *events, const char *control, const char *last_event_id)
{
    char request[256];

    *events = (struct events){.fd = dial_unix(control)};
    if (events->fd < 0) {
        return false;
    }
    snprintf(request, sizeof request, "GET /v1/events HTTP/1.0\r\nHost: localhost\r\n%s%s%s\r\n",
             last_event_id == NULL ? "" : "Last-Event-ID: ",
             last_event_id == NULL ? "" : last_event_id, last_event_id == NULL ? "" : "\r\n");
    return send_text(events->fd, request);
}

void events_close(struct events *events)
{
    if (events->fd >= 0) {
        close(events->fd);
    }
    free(events->text);
    *events = (struct events){.fd = -1};
}

/* Takes `length` bytes off the front. */
static void events_drop(struct events *events, size_t length)
{
    events->length -= length;
    memmove(events->text, events->text + length, events->length + 1);
}

/* Copies a field of the event in `text`, which ends with a blank line. */
static void field_copy(const char *text, const char *end, const char *field, char *out, size_t size)
{
    const size_t length = strlen(field);

    out[0] = '\0';
    while (text < end) {
        const size_t line = strcspn(text, "\n");
        if (strncmp(text, field, length) == 0) {
            snprintf(out, size, "%.*s", (int)(line - length), text + length);
        }
        text += line + 1;
    }
}

/* Hands out the event at the front, if there is a whole one. */
static bool events_take(struct events *events, struct http_event *event)
{
    const char *end = events->text == NULL ? NULL : strstr(events->text, "\n\n");

    if (end == NULL) {
        return false;
    }
    const size_t length = (size_t)(end - events->text) + 2;
    *event = (struct http_event){.data = malloc(length)};
    field_copy(events->text, end, "id: ", event->id, sizeof event->id);
    field_copy(events->text, end, "event: ", event->name, sizeof event->name);
    if (event->data != NULL) {
        field_copy(events->text, end, "data: ", event->data, length);
    }
    events_drop(events, length);
    return true;
}

bool events_next(struct events *events, uint64_t limit_ms, struct http_event *event)
{
    const uint64_t deadline_ms = clock_now_ms() + limit_ms;

    for (;;) {
        if (!events->begun && head_end(events->text) != NULL) {
            events_drop(events, (size_t)(head_end(events->text) - events->text));
            events->begun = true;
        }
        while (events->begun && events_take(events, event)) {
            if (event->data != NULL && event->data[0] != '\0') {
                return true;
            }
            free(event->data); /* A comment, which keeps the connection alive. */
        }
        if (!read_more(events->fd, deadline_ms, &events->text, &events->length)) {
            return false;
        }
    }
}
