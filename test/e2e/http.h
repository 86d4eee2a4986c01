/* A client of sockets and of HTTP that does only what it is told, and so can do it wrongly too:
 * half a request, no request, garbage. Every call has a limit; nothing here waits for ever. */
#ifndef E2E_HTTP_H
#define E2E_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A connected socket, or -1. */
int dial_unix(const char *path);
int dial_tcp(const char *host, uint16_t port);

/* A socket for datagrams to that address, or -1. */
int dial_udp(const char *host, uint16_t port);

/* Sends all of it; false when the other end will not take it within `limit_ms`. */
bool send_all(int fd, const void *bytes, size_t length, uint64_t limit_ms);
bool send_text(int fd, const char *text);

/* Has the other end closed the connection within `limit_ms`? What it still says is passed over. */
bool is_closed(int fd, uint64_t limit_ms);

/* An answer: `text` holds all of it, head and body, ended by a zero. */
struct http_answer {
    int status;
    char *text;
    size_t length;
    const char *body; /* inside `text` */
};
void http_answer_deinit(struct http_answer *answer);

/* Reads one answer: to the end of its body where the head tells its length, else until the other
 * end closes; `head_only` when no body follows whatever the head says. False, with the answer
 * empty, when none came within `limit_ms`. */
bool http_read(int fd, bool head_only, uint64_t limit_ms, struct http_answer *answer);

/* Sends "METHOD PATH HTTP/1.1", Host, the lines in `headers` (each ended by CRLF; NULL for none)
 * and a blank line, and reads the answer. The connection stays open. */
bool http_ask(int fd, const char *method, const char *path, const char *headers, uint64_t limit_ms,
              struct http_answer *answer);

/* GET over a connection of its own to the Unix socket at `control`. */
bool http_get(const char *control, const char *path, uint64_t limit_ms, struct http_answer *answer);

/* Copies the value of a header, whatever its case; false when there is none. */
bool http_header(const struct http_answer *answer, const char *name, char *value, size_t size);

/* --- Server-sent events --- */

struct events {
    int fd;
    char *text; /* what has come and was not handed out yet */
    size_t length;
    bool begun; /* the head of the answer has passed */
};

/* Asks for /v1/events, with `last_event_id` when it is not NULL. False when nobody is there. */
bool events_open(struct events *events, const char *control, const char *last_event_id);
void events_close(struct events *events);

struct http_event {
    char id[32]; /* empty when the event gives none */
    char name[32];
    char *data; /* the caller's to free */
};

/* The next event, comments passed over; false when none came within `limit_ms`. */
bool events_next(struct events *events, uint64_t limit_ms, struct http_event *event);

#endif
