#include "client/http.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

enum {
    HEAD_BYTES_MAX = 65536,
    LINE_BYTES_MAX = 8192,
    STATUS_NO_CONTENT = 204,
};

void http_init(struct http *http, const struct allocator *memory)
{
    *http = (struct http){.line.memory = memory};
}

void http_deinit(struct http *http)
{
    buffer_deinit(&http->line);
}

static int digit_of(char c, unsigned base)
{
    const int value = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    return value < (int)base ? value : -1;
}

/* A number at the beginning of the text, and what follows it. False without one, and beyond 32
 * bits.
 */
static bool parse_number(const char *text, unsigned base, uint64_t *number, const char **rest)
{
    const char *at = text;

    *number = 0;
    for (int digit = digit_of(*at, base); digit >= 0; digit = digit_of(*at, base)) {
        *number = *number * base + (uint64_t)digit;
        if (*number > UINT32_MAX) {
            return false;
        }
        at++;
    }
    *rest = at;
    return at != text;
}

/* "HTTP/1.1 200 OK" */
static bool parse_status(struct http *http, const char *line)
{
    uint64_t status = 0;
    const char *rest = NULL;

    if (strncmp(line, "HTTP/1.", 7) != 0 || strlen(line) < 9 || line[8] != ' ' ||
        !parse_number(line + 9, 10, &status, &rest) || status < 200 || status > 599) {
        return false;
    }
    http->status = (int)status;
    return true;
}

/* What follows the header's name, colon and blanks, or NULL if the line is another one's. */
static const char *value_of(const char *line, const char *name)
{
    const size_t length = strlen(name);

    if (strncasecmp(line, name, length) != 0 || line[length] != ':') {
        return NULL;
    }
    return line + length + 1 + strspn(line + length + 1, " \t");
}

static bool parse_header(struct http *http, const char *line)
{
    const char *coding = value_of(line, "Transfer-Encoding");
    const char *length = value_of(line, "Content-Length");
    const char *rest = NULL;

    if (coding != NULL) {
        http->chunked = true;
        return strcasecmp(coding, "chunked") == 0;
    }
    if (length != NULL) {
        http->has_length = true;
        return parse_number(length, 10, &http->left, &rest) && *rest == '\0';
    }
    return true;
}

static void begin_body(struct http *http)
{
    if (http->chunked) {
        http->place = HTTP_IN_CHUNK_SIZE;
    } else if (http->status == STATUS_NO_CONTENT || (http->has_length && http->left == 0)) {
        http->place = HTTP_AT_END;
    } else {
        http->place = HTTP_IN_BODY;
    }
}

/* Takes a line of the head or around a chunk, without its end. */
static bool take_line(struct http *http, const char *line)
{
    const char *rest = NULL;

    switch (http->place) {
    case HTTP_IN_HEAD:
        http->head_bytes += strlen(line) + 2;
        if (http->head_bytes > HEAD_BYTES_MAX) {
            return false;
        }
        if (http->status == 0) {
            return parse_status(http, line);
        }
        if (line[0] == '\0') {
            begin_body(http);
            return true;
        }
        return parse_header(http, line);
    case HTTP_IN_CHUNK_SIZE:
        if (!parse_number(line, 16, &http->left, &rest) || (*rest != '\0' && *rest != ';')) {
            return false;
        }
        http->place = http->left > 0 ? HTTP_IN_CHUNK : HTTP_IN_TRAILER;
        return true;
    case HTTP_IN_CHUNK_END:
        http->place = HTTP_IN_CHUNK_SIZE;
        return line[0] == '\0';
    case HTTP_IN_TRAILER:
        http->place = line[0] == '\0' ? HTTP_AT_END : HTTP_IN_TRAILER;
        return true;
    case HTTP_IN_BODY:
    case HTTP_IN_CHUNK:
    case HTTP_AT_END:
        break;
    }
    assert(!"no lines there");
    return false;
}

/* Collects one line; sets `used` to how many bytes it took. */
static enum http_result feed_line(struct http *http, const char *bytes, size_t length, size_t *used)
{
    const char *end = memchr(bytes, '\n', length);
    struct buffer *line = &http->line;

    *used = end == NULL ? length : (size_t)(end - bytes) + 1;
    if (line->length + *used > LINE_BYTES_MAX) {
        return HTTP_SENSELESS;
    }
    if (!buffer_append(line, bytes, *used)) {
        return HTTP_STOPPED;
    }
    if (end == NULL) {
        const bool may_be_http = http->status != 0 || line->length < 5 ||
                                 memcmp(line->bytes, "HTTP/", 5) == 0;
        return may_be_http ? HTTP_MORE : HTTP_SENSELESS;
    }
    line->length--;
    if (line->length > 0 && line->bytes[line->length - 1] == '\r') {
        line->length--;
    }
    line->bytes[line->length] = '\0';
    const bool taken = take_line(http, line->bytes);
    buffer_clear(line);
    return taken ? HTTP_MORE : HTTP_SENSELESS;
}

static enum http_result feed_body(struct http *http, const char *bytes, size_t length, size_t *used,
                                  http_sink *sink, void *context)
{
    const bool bounded = http->chunked || http->has_length;

    *used = bounded && http->left < length ? (size_t)http->left : length;
    if (!sink(context, http->status, bytes, *used)) {
        return HTTP_STOPPED;
    }
    if (bounded) {
        http->left -= *used;
        if (http->left == 0) {
            http->place = http->chunked ? HTTP_IN_CHUNK_END : HTTP_AT_END;
        }
    }
    return HTTP_MORE;
}

enum http_result http_feed(struct http *http, const char *bytes, size_t length, http_sink *sink,
                           void *context)
{
    size_t at = 0;

    while (at < length && http->place != HTTP_AT_END) {
        const bool is_body = http->place == HTTP_IN_BODY || http->place == HTTP_IN_CHUNK;
        size_t used = 0;
        const enum http_result result = is_body ? feed_body(http, bytes + at, length - at, &used,
                                                            sink, context)
                                                : feed_line(http, bytes + at, length - at, &used);
        if (result != HTTP_MORE) {
            return result;
        }
        at += used;
    }
    return http->place == HTTP_AT_END ? HTTP_WHOLE : HTTP_MORE;
}

enum http_result http_end(struct http *http)
{
    if (http->place == HTTP_IN_BODY && !http->has_length) {
        http->place = HTTP_AT_END;
    }
    return http->place == HTTP_AT_END ? HTTP_WHOLE : HTTP_SENSELESS;
}
