/* What waits on a stream whose peer does not read yet (U3a). */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "runtime/stream.h"

static void on_connected(void *owner)
{
    (void)owner;
}

static void on_frame(void *owner, const uint8_t *bytes, size_t length)
{
    (void)owner;
    (void)bytes;
    (void)length;
}

static void on_end(void *owner, int error)
{
    (void)owner;
    (void)error;
}

static void on_free(void *context)
{
    *(bool *)context = true;
}

/* H41: a slow peer must not pile up views; of each kind the newest is all that it needs. */
Test(stream, a_newer_view_replaces_one_that_still_waits)
{
    static const struct stream_handler handler = {on_connected, on_frame, on_end};
    const struct address nowhere = {.family = 4, .bytes = {127, 0, 0, 1}, .port = 1};
    const uint8_t bytes[2000] = {0};
    uv_loop_t loop;
    bool freed = false;
    struct latch latch = {.on_free = on_free, .context = &freed};
    struct node_traffic traffic = {0};
    struct gate gate = {.seal = NULL};
    struct streams *streams = calloc(1, sizeof *streams);
    int error = 0;

    cr_assert_eq(uv_loop_init(&loop), 0);
    streams->loop = &loop;
    streams->latch = &latch;
    streams->wire = wire_new("stream", 8);
    streams->traffic = &traffic;
    streams->gate = &gate;
    streams->descriptors_max = UINT64_MAX;
    struct stream *stream = stream_connect(streams, &nowhere, &handler, NULL, &error);
    cr_assert_not_null(stream);
    for (int i = 0; i < 2 * STREAM_QUEUE_FRAMES_MAX; i++) {
        cr_assert(stream_send(stream, NULL, MESSAGE_VIEW, bytes, sizeof bytes), "view %d", i);
        cr_assert(stream_send(stream, NULL, MESSAGE_PREPARE, bytes, sizeof bytes), "proposal %d",
                  i);
    }
    for (int i = 0; i < STREAM_QUEUE_FRAMES_MAX - 2; i++) { /* Each of these is wanted. */
        cr_assert(stream_send(stream, NULL, MESSAGE_JOIN, bytes, sizeof bytes), "join %d", i);
    }
    cr_assert_not(stream_send(stream, NULL, MESSAGE_JOIN, bytes, sizeof bytes), "there is a bound");
    cr_assert_eq(traffic.send_failed, 1);

    stream_close(stream);
    uv_run(&loop, UV_RUN_DEFAULT);
    cr_assert(freed);
    cr_assert_eq(uv_loop_close(&loop), 0);
    wire_free(streams->wire);
    free(streams);
}
