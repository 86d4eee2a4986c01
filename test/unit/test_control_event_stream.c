/* What a watcher reads: a snapshot, then every event once, or a gap that says so. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/events/event_stream.h"
#include "view_builder.h"

enum { READ_MAX = 1 << 20, LIFE = 0xa1 };

#define LIFE_TEXT "000000a1-"

/* A journal with one stream at it. The snapshot is a line that names its cursor. */
struct desk {
    struct journal *journal;
    struct core *core;
    struct document_pool pool;
    struct event_texts *event_texts;
    struct event_source source;
    struct event_stream stream;
    char *read; /* what it has told so far */
    size_t length;
    bool broken;
    bool refuse_snapshots;
};

static struct document *snapshot_of(void *context)
{
    struct desk *desk = context;
    struct document *document = desk->refuse_snapshots ? NULL : document_new(&desk->pool, 64);

    if (document != NULL) {
        document->length = (size_t)snprintf(document->text, 64, "{\"cursor\":\"%llu\"}\n",
                                            (unsigned long long)journal_cursor(desk->journal));
    }
    return document;
}

static void desk_open(struct desk *desk)
{
    const struct core_options options = {.name = "athens",
                                         .address = member_of('A').address,
                                         .guard = {.policy = GUARD_NONE},
                                         .profile = PROFILE_LAN,
                                         .watchers = WATCHERS_DEFAULT,
                                         .fanout = FANOUT_DEFAULT,
                                         .timing = timing_of(PROFILE_LAN),
                                         .capacity = 4,
                                         .random_seed = {1, 2, 3, 4}};
    void *block = calloc(1, core_bytes(4));

    cr_assert_not_null(block);
    *desk = (struct desk){.journal = journal_new(),
                          .core = core_init(block, &options, 0),
                          .event_texts = calloc(1, sizeof *desk->event_texts),
                          .read = calloc(1, READ_MAX)};
    desk->source = (struct event_source){.journal = desk->journal,
                                         .life = LIFE,
                                         .event_texts = desk->event_texts,
                                         .snapshot = snapshot_of,
                                         .context = desk};
}

static struct cursor cursor_of(uint64_t number)
{
    return (struct cursor){.life = LIFE, .number = number};
}

static void desk_close(struct desk *desk)
{
    event_stream_deinit(&desk->stream);
    event_texts_deinit(desk->event_texts);
    free(desk->event_texts);
    free(desk->read);
    free(desk->core);
    journal_free(desk->journal);
    cr_assert_eq(desk->pool.bytes, 0);
}

static void desk_tell(struct desk *desk, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        journal_append(desk->journal, &(struct notice){.type = NOTICE_LATE, .silent_ms = 5},
                       desk->core, 0, 0);
    }
}

/* Reads all there is, `step` bytes at a time, and returns it. */
static const char *desk_read(struct desk *desk, size_t step)
{
    desk->length = 0;
    for (;;) {
        cr_assert(desk->length + step < READ_MAX);
        const size_t count = event_stream_read(&desk->stream, &desk->source,
                                               desk->read + desk->length, step, &desk->broken);
        cr_assert(count <= step);
        desk->length += count;
        if (count == 0 || desk->broken) {
            break;
        }
    }
    desk->read[desk->length] = '\0';
    return desk->read;
}

static unsigned count_of(const char *text, const char *word)
{
    unsigned count = 0;

    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        count++;
    }
    return count;
}

Test(control_event_stream, begins_with_a_snapshot_and_goes_on_with_what_comes)
{
    struct desk desk;
    desk_open(&desk);
    desk_tell(&desk, 3);
    event_stream_start(&desk.stream);

    cr_assert_str_eq(desk_read(&desk, 4096), "id: " LIFE_TEXT "3\nevent: snapshot\n"
                                             "data: {\"kind\":\"snapshot\",\"cursor\":\"3\"}\n\n");
    cr_assert_str_eq(desk_read(&desk, 4096), "", "nothing to tell");

    desk_tell(&desk, 2);
    const char *read = desk_read(&desk, 4096);
    static const char begin[] = "id: " LIFE_TEXT "4\nevent: late\n"
                                "data: {\"kind\":\"late\",\"cursor\":\"" LIFE_TEXT "4\"";
    cr_assert_eq(strncmp(read, begin, strlen(begin)), 0, "%s", read);
    cr_assert_eq(count_of(read, "id: " LIFE_TEXT "5\n"), 1);
    cr_assert_eq(count_of(read, "\n\n"), 2);
    desk_close(&desk);
}

Test(control_event_stream, before_the_first_entry_the_snapshot_has_cursor_0)
{
    struct desk desk;
    desk_open(&desk);
    event_stream_start(&desk.stream);
    cr_assert_eq(count_of(desk_read(&desk, 4096), "id: " LIFE_TEXT "0\nevent: snapshot\n"), 1);

    event_stream_deinit(&desk.stream);
    event_stream_resume(&desk.stream, &desk.source, cursor_of(0));
    cr_assert_str_eq(desk_read(&desk, 4096), "");
    desk_tell(&desk, 1);
    cr_assert_eq(count_of(desk_read(&desk, 4096), "id: " LIFE_TEXT "1\n"), 1);
    desk_close(&desk);
}

Test(control_event_stream, resumes_after_the_last_cursor_without_a_snapshot)
{
    struct desk desk;
    desk_open(&desk);
    desk_tell(&desk, 5);
    event_stream_resume(&desk.stream, &desk.source, cursor_of(3));

    const char *read = desk_read(&desk, 4096);
    cr_assert_eq(count_of(read, "event: snapshot"), 0);
    cr_assert_eq(count_of(read, "event: gap"), 0);
    cr_assert_eq(count_of(read, "id: " LIFE_TEXT "4\n") + count_of(read, "id: " LIFE_TEXT "5\n"),
                 2);
    cr_assert_eq(count_of(read, "id: "), 2);
    desk_close(&desk);
}

Test(control_event_stream, resuming_at_the_newest_waits_for_the_next)
{
    struct desk desk;
    desk_open(&desk);
    desk_tell(&desk, 5);
    event_stream_resume(&desk.stream, &desk.source, cursor_of(5));
    cr_assert_str_eq(desk_read(&desk, 4096), "");
    desk_close(&desk);
}

/* The oldest cursor that can be resumed at is the one before the oldest kept. */
Test(control_event_stream, a_cursor_that_is_not_kept_any_more_is_a_gap)
{
    struct desk desk;
    desk_open(&desk);
    desk_tell(&desk, JOURNAL_ENTRIES_MAX + 2);

    event_stream_resume(&desk.stream, &desk.source, cursor_of(2));
    cr_assert_eq(count_of(desk_read(&desk, 4096), "event: gap"), 0);
    event_stream_deinit(&desk.stream);

    event_stream_resume(&desk.stream, &desk.source, cursor_of(1));
    const char *read = desk_read(&desk, 4096);
    cr_assert_eq(strncmp(read, "event: gap\ndata: {\"kind\":\"gap\",\"since\":\"000000a1-1\"", 49),
                 0);
    cr_assert_eq(count_of(read, "\"reason\":\"overwritten\""), 1);
    cr_assert_eq(count_of(read, "id: " LIFE_TEXT "1026\nevent: snapshot"), 1);
    desk_close(&desk);
}

/* Each process counts from 1 again: the number may be one that this process has passed, and what it
 * stands for is another event all the same. */
Test(control_event_stream, a_cursor_of_another_life_is_a_gap)
{
    struct desk desk;
    desk_open(&desk);
    desk_tell(&desk, 5);
    event_stream_resume(&desk.stream, &desk.source, (struct cursor){.life = 7, .number = 3});

    const char *read = desk_read(&desk, 4096);
    cr_assert_eq(count_of(read, "event: gap"), 1);
    cr_assert_eq(count_of(read, "\"since\":\"00000007-3\",\"cursor\":\"" LIFE_TEXT "5\""), 1);
    cr_assert_eq(count_of(read, "\"reason\":\"restarted\""), 1);
    cr_assert_eq(count_of(read, "id: " LIFE_TEXT "5\nevent: snapshot"), 1);
    cr_assert_eq(count_of(read, "event: late"), 0);
    desk_close(&desk);
}

Test(control_event_stream, a_cursor_from_the_future_is_a_gap)
{
    struct desk desk;
    desk_open(&desk);
    desk_tell(&desk, 2);
    event_stream_resume(&desk.stream, &desk.source, cursor_of(UINT64_MAX));

    const char *read = desk_read(&desk, 4096);
    cr_assert_eq(count_of(read, "event: gap"), 1);
    cr_assert_eq(count_of(read, "\"reason\":\"restarted\""), 1);
    cr_assert_eq(count_of(read, "id: " LIFE_TEXT "2\nevent: snapshot"), 1);
    desk_tell(&desk, 1);
    cr_assert_eq(count_of(desk_read(&desk, 4096), "id: " LIFE_TEXT "3\n"), 1);
    desk_close(&desk);
}

/* Who reads too slowly is told, and starts anew from a snapshot. */
Test(control_event_stream, a_reader_overtaken_by_the_ring_is_told_of_the_gap)
{
    struct desk desk;
    desk_open(&desk);
    event_stream_start(&desk.stream);
    desk_read(&desk, 4096);

    desk_tell(&desk, JOURNAL_ENTRIES_MAX + 1);
    const char *read = desk_read(&desk, 4096);
    cr_assert_eq(count_of(read, "event: gap"), 1);
    cr_assert_eq(count_of(read, "\"since\":\"" LIFE_TEXT "0\""), 1);
    cr_assert_eq(count_of(read, "id: " LIFE_TEXT "1025\nevent: snapshot"), 1);
    cr_assert_eq(count_of(read, "event: late"), 0);
    desk_close(&desk);
}

/* The pieces that the socket takes are of any size. */
Test(control_event_stream, the_text_does_not_depend_on_the_size_of_the_reads)
{
    struct desk desk;
    desk_open(&desk);
    desk_tell(&desk, 1);
    event_stream_start(&desk.stream);
    char *whole = strdup(desk_read(&desk, 65536));

    for (size_t step = 1; step < 80; step++) {
        event_stream_deinit(&desk.stream);
        event_stream_start(&desk.stream);
        cr_assert_str_eq(desk_read(&desk, step), whole, "%zu bytes at a time", step);
    }
    free(whole);
    desk_close(&desk);
}

/* Many watchers share the rendering; a cursor that shares its place with a newer one is rendered
 * again. */
Test(control_event_stream, old_and_new_events_do_not_get_mixed_up)
{
    struct desk desk;
    desk_open(&desk);
    desk_tell(&desk, 1 + 2 * EVENT_TEXTS_MAX);

    event_stream_resume(&desk.stream, &desk.source, cursor_of(2 * EVENT_TEXTS_MAX));
    cr_assert_eq(count_of(desk_read(&desk, 4096), "id: " LIFE_TEXT "129\n"), 1);
    event_stream_deinit(&desk.stream);
    event_stream_resume(&desk.stream, &desk.source, cursor_of(0));
    const char *read = desk_read(&desk, 4096);
    for (unsigned cursor = 1; cursor <= 1 + 2 * EVENT_TEXTS_MAX; cursor++) {
        char id[32];
        char member[32];
        snprintf(id, sizeof id, "id: " LIFE_TEXT "%u\n", cursor);
        snprintf(member, sizeof member, "\"cursor\":\"" LIFE_TEXT "%u\"", cursor);
        cr_assert_eq(count_of(read, id), 1, "%s", id);
        cr_assert_eq(count_of(read, member), 1, "%s", member);
    }
    desk_close(&desk);
}

Test(control_event_stream, a_comment_keeps_a_silent_connection_alive)
{
    struct desk desk;
    desk_open(&desk);
    event_stream_start(&desk.stream);
    desk_read(&desk, 4096);
    event_stream_queue_keepalive(&desk.stream);
    cr_assert_str_eq(desk_read(&desk, 4096), ": keep-alive\n\n");
    cr_assert_str_eq(desk_read(&desk, 4096), "");
    desk_close(&desk);
}

Test(control_event_stream, without_memory_for_a_snapshot_the_stream_breaks)
{
    struct desk desk;
    desk_open(&desk);
    desk.refuse_snapshots = true;
    event_stream_start(&desk.stream);
    cr_assert_str_eq(desk_read(&desk, 4096), "");
    cr_assert(desk.broken);
    desk_close(&desk);
}
