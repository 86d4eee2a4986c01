/* Throws bytes at libdoyen as the answer of a daemon, or of what took its place. The first byte
 * says in pieces of what size they come: that must make no difference. Events and views are read
 * out of what is an answer. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "client/event.h"
#include "client/http.h"
#include "client/sse.h"
#include "client/view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What became of an answer. */
struct taken {
    enum http_result result;
    int status;
    struct buffer body;
};

static bool take(void *context, int status, const char *bytes, size_t length)
{
    struct taken *taken = context;

    assert(status >= 200 && status <= 599);
    return buffer_append(&taken->body, bytes, length);
}

static struct taken take_in_pieces(const char *bytes, size_t size, size_t piece)
{
    struct taken taken = {.result = HTTP_MORE};
    struct http http;

    http_init(&http, NULL);
    for (size_t at = 0; at < size && taken.result == HTTP_MORE; at += piece) {
        const size_t left = size - at;
        taken.result = http_feed(&http, bytes + at, left < piece ? left : piece, take, &taken);
    }
    if (taken.result == HTTP_MORE) {
        taken.result = http_end(&http);
    }
    taken.status = http.status;
    http_deinit(&http);
    return taken;
}

static const struct doyen_view *read_view(const char *json)
{
    struct problem problem = {.code = 0};
    const struct doyen_view *view = view_read(json, NULL, &problem);

    assert((view == NULL) == (problem.code != 0));
    for (size_t i = 0; view != NULL && i < view->member_count; i++) {
        assert(view->members[i]->name != NULL && view->members[i]->id != NULL);
        assert(doyen_view_member(view, view->members[i]->name) != NULL);
    }
    return view;
}

static void read_events(const struct buffer *body, size_t piece)
{
    struct sse_reader reader;
    struct sse_event told;
    const struct doyen_view *view = NULL;

    sse_init(&reader, NULL);
    for (size_t at = 0; at < body->length; at += piece) {
        const size_t left = body->length - at;
        if (!sse_feed(&reader, body->bytes + at, left < piece ? left : piece)) {
            break;
        }
        while (sse_next(&reader, &told)) {
            struct read_event read;
            event_read(&read, told.name, told.data, view, view, NULL);
            assert(read.event.text != NULL);
            event_deinit(&read);
            const struct doyen_view *next = read_view(told.data);
            doyen_view_release(next == NULL ? NULL : view);
            view = next == NULL ? view : next;
        }
    }
    doyen_view_release(view);
    sse_deinit(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    const char *bytes = (const char *)data + 1;
    const size_t piece = (size_t)data[0] + 1;
    struct taken whole = take_in_pieces(bytes, size - 1, size);
    struct taken cut = take_in_pieces(bytes, size - 1, piece);

    assert(whole.result == cut.result && whole.status == cut.status);
    if (whole.result == HTTP_WHOLE) {
        assert(strcmp(buffer_text(&whole.body), buffer_text(&cut.body)) == 0);
        doyen_view_release(read_view(buffer_text(&whole.body)));
        read_events(&whole.body, piece);
    }
    buffer_deinit(&whole.body);
    buffer_deinit(&cut.body);
    return 0;
}
