/* Standing for a role: a connection that stays open (POST /v1/campaign). */
#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "client/campaign_body.h"
#include "client/client_state.h"
#include "client/clock.h"
#include "client/daemon_account.h"
#include "client/http.h"
#include "client/local.h"
#include "client/refusal.h"
#include "client/unreachable.h"
#include "doyen/lease.h"

enum {
    HEAD_BYTES_MAX = 8192, /* of an answer, and of the first line */
    STATUS_SWITCHING = 101,
    STATUS_UNAVAILABLE = 503,
};

/* One answer as it comes in. Nothing beyond the first line is taken: what follows is the caller's.
 */
struct asking {
    const struct target *target;
    int fd;
    int page; /* -1: none came yet */
    uint64_t until_ms;
    char text[HEAD_BYTES_MAX];
    size_t length;
};

/* --- What is asked --------------------------------------------------------------------------- */

static int connect_to(const struct target *target, struct problem *problem)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (strlen(target->socket) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
    } else if (fd >= 0) {
        memcpy(address.sun_path, target->socket, strlen(target->socket));
        if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0) {
            if (daemon_account_check(fd, target, problem) == 0) {
                return fd;
            }
            close(fd);
            return -1;
        }
    }
    (void)unreachable(target, errno, problem);
    if (fd >= 0) {
        close(fd);
    }
    return -1;
}

static bool send_request(int fd, const char *body)
{
    char head[256];

    snprintf(head, sizeof head,
             "POST /v1/campaign HTTP/1.1\r\nHost: doyen\r\nUser-Agent: libdoyen\r\n"
             "Connection: Upgrade\r\nUpgrade: doyen-campaign\r\n"
             "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
             strlen(body));
    /* A new connection has room for both. */
    return send(fd, head, strlen(head), MSG_NOSIGNAL) == (ssize_t)strlen(head) &&
           send(fd, body, strlen(body), MSG_NOSIGNAL) == (ssize_t)strlen(body);
}

/* --- What comes ------------------------------------------------------------------------------ */

static void take_page(struct asking *asking, struct msghdr *message)
{
    const int page = doyen_lease_descriptor(message);

    if (page >= 0 && asking->page >= 0) {
        close(asking->page); /* The last one counts. */
    }
    asking->page = page >= 0 ? page : asking->page;
}

/* Takes the next byte, and the page if that comes with it. */
static int take_byte(struct asking *asking, struct problem *problem)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec piece = {.iov_base = asking->text + asking->length, .iov_len = 1};

    for (;;) {
        struct msghdr message = {.msg_iov = &piece,
                                 .msg_iovlen = 1,
                                 .msg_control = control.bytes,
                                 .msg_controllen = sizeof control.bytes};
        const ssize_t count = recvmsg(asking->fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
        if (count == 1) {
            take_page(asking, &message);
            asking->text[++asking->length] = '\0';
            return 0;
        }
        if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
            return local_explain(asking->target, ECONNRESET, problem);
        }
        struct pollfd ready = {.fd = asking->fd, .events = POLLIN};
        const int left_ms = clock_until(asking->until_ms);
        if (left_ms == 0) {
            return local_explain(asking->target, ETIMEDOUT, problem);
        }
        (void)poll(&ready, 1, left_ms);
    }
}

/* Takes all up to and with `end`, from `asking->length` on. */
static int take_up_to(struct asking *asking, const char *end, struct problem *problem)
{
    const size_t begin = asking->length;
    const size_t bytes = strlen(end);

    while (asking->length < begin + bytes ||
           memcmp(asking->text + asking->length - bytes, end, bytes) != 0) {
        if (asking->length + 1 >= sizeof asking->text) {
            return local_explain(asking->target, EPROTO, problem);
        }
        const int code = take_byte(asking, problem);
        if (code != 0) {
            return code;
        }
    }
    return 0;
}

struct refused {
    char text[HEAD_BYTES_MAX];
    size_t length;
};

static bool keep(void *context, int status, const char *bytes, size_t length)
{
    struct refused *refused = context;

    (void)status;
    if (refused->length + length > sizeof refused->text) {
        return false;
    }
    memcpy(refused->text + refused->length, bytes, length);
    refused->length += length;
    return true;
}

/* Reads why not. */
static int take_refusal(struct doyen *d, struct asking *asking, struct problem *problem)
{
    struct refused refused = {.length = 0};
    struct http http;
    int code = 0;

    http_init(&http, &d->memory);
    enum http_result result = http_feed(&http, asking->text, asking->length, keep, &refused);
    while (code == 0 && result == HTTP_MORE) {
        asking->length = 0;
        code = take_byte(asking, problem);
        if (code == 0) {
            result = http_feed(&http, asking->text, 1, keep, &refused);
        }
    }
    if (code == 0 && result == HTTP_WHOLE) {
        code = refusal_read(asking->target, http.status, refused.text, refused.length, problem);
        if (http.status == STATUS_UNAVAILABLE) {
            code = problem->code = DOYEN_E_UNREACHABLE; /* Another try may go better. */
        }
    } else if (code == 0) {
        code = local_explain(asking->target, EPROTO, problem);
    }
    http_deinit(&http);
    return code;
}

static int take_answer(struct doyen *d, struct asking *asking, struct problem *problem)
{
    static const char version[] = "HTTP/1.1 ";
    const int code = take_up_to(asking, "\r\n\r\n", problem);

    if (code != 0) {
        return code;
    }
    if (strncmp(asking->text, version, strlen(version)) != 0) {
        return local_explain(asking->target, EPROTO, problem);
    }
    const long status = strtol(asking->text + strlen(version), NULL, 10);
    return status == STATUS_SWITCHING ? take_up_to(asking, "\n", problem)
                                      : take_refusal(d, asking, problem);
}

/* --- The calls ------------------------------------------------------------------------------- */

static int ask(struct doyen *d, const char *body, int timeout_ms, int *page,
               struct problem *problem)
{
    struct asking asking = {
        .target = &d->target, .page = -1, .until_ms = clock_deadline_ms(timeout_ms)};

    asking.fd = connect_to(&d->target, problem);
    if (asking.fd < 0) {
        return problem->code;
    }
    const int code = send_request(asking.fd, body) ? take_answer(d, &asking, problem)
                                                   : local_explain(&d->target, ECONNRESET, problem);
    if (code == 0) {
        *page = asking.page;
        return asking.fd;
    }
    if (asking.page >= 0) {
        close(asking.page);
    }
    close(asking.fd);
    return code;
}

int doyen_campaign(struct doyen *d, const struct doyen_campaign *campaign, int timeout_ms,
                   int *page)
{
    struct problem problem = {.code = 0};

    *page = -1;
    if (campaign->role == NULL) {
        (void)problem_set(&problem, DOYEN_E_USAGE, "a campaign needs the name of a role");
        return client_fail(d, &problem);
    }
    if (local_find(d, &problem) != 0) {
        return client_fail(d, &problem);
    }
    char *body = campaign_body(campaign);
    if (body == NULL) {
        (void)problem_set(&problem, DOYEN_E_USAGE,
                          "a text of the campaign is not UTF-8: change it (or there is no memory)");
        return client_fail(d, &problem);
    }
    const int connection = ask(d, body, timeout_ms, page, &problem);
    free(body);
    return connection < 0 ? client_fail(d, &problem) : connection;
}

/* Escaped for a query; role names need no more than that. */
static bool escape(char *to, size_t size, const char *text)
{
    size_t at = 0;

    for (; *text != '\0' && at + 4 <= size; text++) {
        const unsigned char byte = (unsigned char)*text;
        const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                           (byte >= 'a' && byte <= 'z') || strchr("._-", byte) != NULL;
        at += (size_t)snprintf(to + at, size - at, plain ? "%c" : "%%%02x", byte);
    }
    return *text == '\0';
}

int doyen_resign(struct doyen *d, const char *role, int timeout_ms)
{
    char path[512] = "/v1/resign?role=";
    const size_t length = strlen(path);
    struct problem problem;

    if (role == NULL || role[0] == '\0' || !escape(path + length, sizeof path - length, role)) {
        (void)problem_set(&problem, DOYEN_E_USAGE, "to resign needs the name of a role");
        return client_fail(d, &problem);
    }
    return doyen_request(d, "POST", path, NULL, timeout_ms, NULL);
}

int doyen_set_value(struct doyen *d, const char *role, const char *value, int timeout_ms)
{
    json_t *body = json_pack("{s:s, s:s}", "role", role, "value", value);
    char *text = body == NULL ? NULL : json_dumps(body, JSON_COMPACT);
    struct problem problem;

    json_decref(body);
    if (text == NULL) {
        (void)problem_set(&problem, DOYEN_E_USAGE,
                          "a value needs the name of a role and a text, both in UTF-8");
        return client_fail(d, &problem);
    }
    const int code = doyen_request(d, "POST", "/v1/value", text, timeout_ms, NULL);
    free(text);
    return code;
}
