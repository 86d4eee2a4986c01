/* Answers as libdoyen takes them to pieces: heads, bodies, chunks, in pieces of any size. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "client/http.h"

struct body {
    char text[256];
    size_t length;
    int status;
    bool full;
};

static bool take(void *context, int status, const char *bytes, size_t length)
{
    struct body *body = context;

    if (body->full) {
        return false;
    }
    body->status = status;
    cr_assert_lt(body->length + length, sizeof body->text);
    memcpy(body->text + body->length, bytes, length);
    body->length += length;
    return true;
}

/* Feeds the answer in pieces of that size. */
static enum http_result feed(const char *answer, size_t piece, struct body *body)
{
    struct http http;
    enum http_result result = HTTP_MORE;

    *body = (struct body){.status = 0};
    http_init(&http, NULL);
    for (size_t at = 0; at < strlen(answer) && result == HTTP_MORE; at += piece) {
        const size_t left = strlen(answer) - at;
        result = http_feed(&http, answer + at, left < piece ? left : piece, take, body);
    }
    if (result == HTTP_MORE) {
        result = http_end(&http);
    }
    body->text[body->length] = '\0';
    body->status = http.status;
    http_deinit(&http);
    return result;
}

static void expect(const char *answer, int status, const char *text)
{
    for (size_t piece = 1; piece <= strlen(answer); piece++) {
        struct body body;
        cr_expect_eq(feed(answer, piece, &body), HTTP_WHOLE, "%s in pieces of %zu", answer, piece);
        cr_expect_eq(body.status, status);
        cr_expect_str_eq(body.text, text);
    }
}

Test(client_http, a_body_of_a_known_length)
{
    expect("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhello", 200, "hello");
    expect("HTTP/1.1 202 Accepted\r\ncontent-length:0\r\n\r\n", 202, "");
    expect("HTTP/1.1 204 No Content\r\n\r\n", 204, "");
}

Test(client_http, a_body_in_chunks)
{
    expect("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
           "5\r\nhello\r\nA;x=1\r\n, whole wo\r\n3\r\nrld\r\n0\r\n\r\n",
           200, "hello, whole world");
}

Test(client_http, a_body_up_to_the_end_of_the_connection)
{
    expect("HTTP/1.1 503 Busy\r\n\r\nlater", 503, "later");
}

Test(client_http, a_refusal_is_an_answer_like_any_other)
{
    expect("HTTP/1.0 404 Not Found\r\nContent-Length: 2\r\n\r\n{}", 404, "{}");
}

Test(client_http, what_is_behind_the_answer_is_not_looked_at)
{
    struct body body;

    cr_expect_eq(feed("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 500", 64, &body),
                 HTTP_WHOLE);
    cr_expect_str_eq(body.text, "{}");
}

Test(client_http, what_makes_no_sense_is_refused)
{
    static const char *const answers[] = {
        "",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/2 200\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 abc\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloo\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 200 OK\r\n",
    };

    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        for (size_t piece = 1; piece < 80; piece += 13) {
            struct body body;
            cr_expect_eq(feed(answers[i], piece, &body), HTTP_SENSELESS, "%s", answers[i]);
        }
    }
}

/* Nobody can make a client keep what never ends. */
Test(client_http, a_head_without_an_end_is_refused)
{
    static const char line[] =
        "X: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n";
    struct body body = {.status = 0};
    struct http http;
    enum http_result result;

    http_init(&http, NULL);
    result = http_feed(&http, "HTTP/1.1 200 OK\r\n", 17, take, &body);
    for (int i = 0; i < 2000 && result == HTTP_MORE; i++) {
        result = http_feed(&http, line, sizeof line - 1, take, &body);
    }
    cr_expect_eq(result, HTTP_SENSELESS);
    http_deinit(&http);

    http_init(&http, NULL);
    result = http_feed(&http, "HTTP/1.1 200 OK\r\nX: ", 20, take, &body);
    for (int i = 0; i < 20000 && result == HTTP_MORE; i++) {
        result = http_feed(&http, "y", 1, take, &body);
    }
    cr_expect_eq(result, HTTP_SENSELESS);
    http_deinit(&http);
}

Test(client_http, whoever_takes_the_body_may_stop_it)
{
    struct body body = {.full = true};
    struct http http;

    http_init(&http, NULL);
    cr_expect_eq(http_feed(&http, "HTTP/1.1 200 OK\r\n\r\nx", 20, take, &body), HTTP_STOPPED);
    http_deinit(&http);
}
