/* Server-sent events as doyen reads them: pieces of any size, comments, gaps, bounds. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "client/sse.h"

static void feed(struct sse_reader *reader, const char *text)
{
    cr_assert(sse_feed(reader, text, strlen(text)));
}

static void expect(struct sse_reader *reader, const char *id, const char *name, const char *data)
{
    struct sse_event event;

    cr_assert(sse_next(reader, &event), "no event \"%s\"", name);
    cr_expect_str_eq(event.id, id);
    cr_expect_str_eq(event.name, name);
    cr_expect_str_eq(event.data, data);
}

static void expect_none(struct sse_reader *reader)
{
    struct sse_event event;
    cr_expect_not(sse_next(reader, &event));
}

Test(client_sse, an_event_has_id_name_and_data)
{
    struct sse_reader reader = {.at = 0};

    feed(&reader, "id: 17\nevent: joined\ndata: {\"a\":1}\n\n");
    expect(&reader, "17", "joined", "{\"a\":1}");
    expect_none(&reader);
    sse_deinit(&reader);
}

Test(client_sse, pieces_of_any_size_give_the_same_events)
{
    static const char text[] = ": hello\n\nid: 1\r\nevent: a\r\ndata: x\r\n\r\n"
                               "data:y\ndata: z\n\nid:3\nevent:b\ndata\n\n";

    for (size_t piece = 1; piece < sizeof text; piece++) {
        struct sse_reader reader = {.at = 0};
        char seen[128] = "";

        for (size_t at = 0; at < sizeof text - 1; at += piece) {
            const size_t left = sizeof text - 1 - at;
            struct sse_event event;
            cr_assert(sse_feed(&reader, text + at, piece < left ? piece : left));
            while (sse_next(&reader, &event)) {
                const size_t used = strlen(seen);
                snprintf(seen + used, sizeof seen - used, "%s/%s/%s;", event.id, event.name,
                         event.data);
            }
        }
        cr_expect_str_eq(seen, "1/a/x;1/message/y\nz;3/b/;", "in pieces of %zu", piece);
        sse_deinit(&reader);
    }
}

Test(client_sse, comments_and_unknown_fields_say_nothing)
{
    struct sse_reader reader = {.at = 0};

    feed(&reader, ": keep-alive\n\nretry: 10\n\ndatum: 1\nids: 2\n\nevent: lone\n\n");
    expect_none(&reader);
    feed(&reader, "data: x\n\n");
    expect(&reader, "", "message", "x");
    sse_deinit(&reader);
}

Test(client_sse, an_event_cut_short_is_none)
{
    struct sse_reader reader = {.at = 0};

    feed(&reader, "event: a\ndata: x\n");
    expect_none(&reader);
    feed(&reader, "\n");
    expect(&reader, "", "a", "x");
    sse_deinit(&reader);
}

Test(client_sse, an_endless_line_ends_at_the_bound)
{
    static const char block[1 << 16] = {'x'};
    struct sse_reader reader = {.at = 0};
    size_t taken = 0;

    while (sse_feed(&reader, block, sizeof block)) {
        taken += sizeof block;
        cr_assert_leq(taken, BUFFER_BYTES_MAX);
    }
    expect_none(&reader);
    cr_expect_not(sse_feed(&reader, "\n\n", 2));
    sse_deinit(&reader);
}
