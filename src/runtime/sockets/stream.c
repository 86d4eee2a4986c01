#include "runtime/sockets/stream.h"

#include <assert.h>
#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "runtime/frames/frame_reader.h"
#include "runtime/host/clock.h"
#include "runtime/sockets/buffer.h"
#include "runtime/sockets/chain.h"
#include "runtime/sockets/segments.h"
#include "words/address_text.h"

enum {
    STARVED_LOG_MS = 60000,
    /* tcp_info counts in the kernel's ticks: an acknowledgement must be newer than the question by
     * more than a tick. */
    KERNEL_TICK_MS = 10,
};

/* A frame to be sent, with its length in front. */
struct frame {
    struct chain link;
    uv_write_t request;
    struct node_id receiver; /* whom it is for, who need not be at the other end (R2) */
    enum message_type type;
    size_t length; /* of `bytes`, with the four in front */
    size_t sent;
    uint8_t bytes[];
};

struct stream {
    uv_tcp_t tcp;
    uv_timer_t timer;
    uv_connect_t connect;
    struct streams *streams;
    const struct stream_handler *handler;
    void *owner;
    struct gate_stream gate;
    bool accepted; /* the other side connected */
    bool connected;
    bool closed;
    bool broken;     /* it ends in the next turn: nothing more is sent or counted */
    uint8_t handles; /* those not closed yet: the last one frees the memory */
    uint64_t patience_ms;

    /* Out: `writing` is with libuv; the others wait here, where a newer view may replace one. */
    struct frame *writing;
    struct chain waiting;
    uint32_t waiting_count;
    size_t waiting_bytes;

    struct frame_reader reader;
    size_t partial_bytes; /* of the reader, as counted in `streams` */
};

static void on_timer(uv_timer_t *timer);
static void write_next(struct stream *stream);

/* --- Beginning and end --- */

static void on_handle_closed(uv_handle_t *handle)
{
    struct stream *stream = handle->data;
    struct latch *latch = stream->streams->latch;

    if (--stream->handles == 0) {
        while (!chain_is_empty(&stream->waiting)) {
            free(CHAIN_ITEM(chain_pop_first(&stream->waiting), struct frame, link));
        }
        stream->streams->partial_bytes -= stream->partial_bytes;
        frame_reader_deinit(&stream->reader);
        free(stream);
    }
    latch_release(latch);
}

void stream_close(struct stream *stream)
{
    if (stream->closed) {
        return;
    }
    stream->closed = true;
    stream->streams->traffic->streams_open--;
    stream->streams->traffic->send_failed += stream->waiting_count;
    uv_close((uv_handle_t *)&stream->timer, on_handle_closed);
    uv_close((uv_handle_t *)&stream->tcp, on_handle_closed);
}

static void stream_end(struct stream *stream, int error)
{
    if (!stream->closed) {
        stream_close(stream);
        stream->handler->on_end(stream->owner, error);
    }
}

struct streams *stream_streams(const struct stream *stream)
{
    return stream->streams;
}

static size_t frame_bytes_max(const struct streams *streams)
{
    return streams->find != NULL ? STREAM_FIRST_BYTES_MAX
                                 : wire_frame_bytes_max(streams->wire) +
                                       (gate_is_keyed(streams->gate) ? SEALED_EXTRA_BYTES : 0);
}

static struct stream *stream_new(struct streams *streams, unsigned family,
                                 const struct stream_handler *handler, void *owner, int *error)
{
    struct stream *stream = calloc(1, sizeof *stream);

    if (stream == NULL) {
        *error = UV_ENOMEM;
        return NULL;
    }
    *error = uv_tcp_init_ex(streams->loop, &stream->tcp, family);
    if (*error != 0) {
        free(stream);
        return NULL;
    }
    (void)uv_timer_init(streams->loop, &stream->timer); /* cannot fail */
    stream->tcp.data = stream;
    stream->timer.data = stream;
    stream->connect.data = stream;
    stream->handles = 2;
    latch_acquire(streams->latch);
    latch_acquire(streams->latch);
    stream->streams = streams;
    stream->handler = handler;
    stream->owner = owner;
    stream->reader.frame_bytes_max = frame_bytes_max(streams);
    chain_init(&stream->waiting);
    streams->traffic->streams_open++;
    return stream;
}

/* Small frames leave at once, and a host that is gone does not keep a socket of ours: not while
 * something is unacknowledged, nor when nothing is ever sent, as with a guest's lifeline. The
 * connection works without, so failures do not matter. */
static void set_options(struct stream *stream)
{
    unsigned unheard_ms = STREAM_UNHEARD_MS;
    const int again_s = STREAM_PROBE_AGAIN_S;
    uv_os_fd_t fd;

    (void)uv_tcp_nodelay(&stream->tcp, 1);
    (void)uv_tcp_keepalive(&stream->tcp, 1,
                           stream->accepted ? STREAM_ACCEPTED_PROBE_S : STREAM_IDLE_PROBE_S);
    if (uv_fileno((const uv_handle_t *)&stream->tcp, &fd) == 0) {
        (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &again_s, sizeof again_s);
        (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unheard_ms, sizeof unheard_ms);
    }
}

/* --- In --- */

static void count_partial(struct stream *stream)
{
    stream->streams->partial_bytes += stream->reader.partial_capacity - stream->partial_bytes;
    stream->partial_bytes = stream->reader.partial_capacity;
}

/* Its first frame says where it belongs. Returns whether there is such a place. */
static bool settle(struct stream *stream, struct bytes frame)
{
    struct streams *from = stream->streams;
    struct streams *to = from->find == NULL ? from : from->find(from->context, frame);

    if (to == NULL || to == from) {
        return to == from;
    }
    for (uint8_t i = 0; i < stream->handles; i++) {
        latch_acquire(to->latch);
        latch_release(from->latch);
    }
    from->traffic->streams_open--;
    to->traffic->streams_open++;
    from->partial_bytes -= stream->partial_bytes;
    to->partial_bytes += stream->partial_bytes;
    stream->streams = to;
    stream->reader.frame_bytes_max = frame_bytes_max(to);
    return true;
}

/* Hands the plain frame to the owner; a frame that is not opened is the end of its stream. */
static void open_and_deliver(struct stream *stream, struct bytes sealed)
{
    struct bytes frame;

    stream->streams->traffic->frames_in++;
    if (!settle(stream, sealed)) {
        stream_end(stream, UV_EPROTO);
        return;
    }
    struct gate *gate = stream->streams->gate;
    if (stream->accepted ? gate_open_frame(gate, &stream->gate, sealed, &frame)
                         : gate_open_answer(gate, &stream->gate, sealed, &frame)) {
        stream->handler->on_frame(stream->owner, frame.at, frame.length);
    } else {
        stream_end(stream, UV_EPROTO);
    }
}

static void deliver(struct stream *stream, const struct bytes *frame)
{
    if (!stream->broken && stream->patience_ms == 0) {
        (void)uv_timer_stop(&stream->timer); /* The next frame has a time of its own. */
    }
    stream->streams->traffic->bytes_in += FRAME_LENGTH_BYTES + frame->length;
    if (frame->length > 0) {
        open_and_deliver(stream, *frame);
    }
}

static void process_input(struct stream *stream, struct bytes input)
{
    const size_t held_before = stream->partial_bytes;
    enum frame_result result = FRAME_WHOLE;
    struct bytes frame;

    while (result == FRAME_WHOLE && !stream->closed) {
        result = frame_reader_next(&stream->reader, &input, &frame);
        switch (result) {
        case FRAME_WHOLE:
            deliver(stream, &frame);
            break;
        case FRAME_MORE:
            break;
        case FRAME_IMPOSSIBLE:
            stream_end(stream, UV_EPROTO);
            break;
        case FRAME_NO_MEMORY:
            stream_end(stream, UV_ENOMEM);
            break;
        }
    }
    count_partial(stream);
    if (stream->streams->partial_bytes > STREAM_PARTIAL_BYTES_MAX &&
        stream->partial_bytes > held_before) {
        stream_end(stream, UV_ENOBUFS);
    }
}

/* The time for a frame starts once, however often a little more of it arrives. */
static void watch_partial(struct stream *stream)
{
    if (stream->broken || stream->patience_ms != 0) {
        return; /* If the owner has a patience, it is the stricter limit. */
    }
    if (!frame_reader_has_partial(&stream->reader)) {
        (void)uv_timer_stop(&stream->timer);
    } else if (!uv_is_active((const uv_handle_t *)&stream->timer)) {
        clock_start_timer(&stream->timer, on_timer, clock_ms() + STREAM_FRAME_MS_MAX);
    }
}

static void on_buffer(uv_handle_t *handle, size_t suggested_size, uv_buf_t *buffer)
{
    struct stream *stream = handle->data;
    struct streams *streams = stream->streams;

    (void)suggested_size;
    *buffer = uv_buf_init((char *)streams->inbox, STREAM_INBOX_BYTES);
}

static void on_read(uv_stream_t *handle, ssize_t length, const uv_buf_t *buffer)
{
    struct stream *stream = handle->data;
    const struct streams *streams = stream->streams;

    (void)buffer;
    if (streams->on_turn != NULL) {
        streams->on_turn(streams->context);
    }
    if (stream->closed) {
        return; /* just now */
    }
    if (length < 0) {
        stream_end(stream, (int)length);
        return;
    }
    process_input(stream, (struct bytes){stream->streams->inbox, (size_t)length});
    if (!stream->closed) {
        watch_partial(stream);
    }
}

static bool is_sending(const struct stream *stream)
{
    return stream->connected && stream->writing != NULL;
}

static void on_timer(uv_timer_t *timer)
{
    struct stream *stream = timer->data;

    if (stream->patience_ms != 0 && is_sending(stream) && !stream->broken) {
        stream_expect(stream, stream->patience_ms);
        return;
    }
    stream_end(stream, UV_ETIMEDOUT);
}

void stream_expect(struct stream *stream, uint64_t patience_ms)
{
    if (stream->closed || stream->broken) {
        return;
    }
    stream->patience_ms = patience_ms;
    if (patience_ms == 0) {
        (void)uv_timer_stop(&stream->timer);
    } else {
        clock_start_timer(&stream->timer, on_timer, clock_ms() + patience_ms);
    }
}

/* --- Out --- */

/* A frame was sent in part and its rest is lost. The owner is told in a turn of its own, because it
 * may be the caller. */
static void break_off(struct stream *stream)
{
    stream->broken = true;
    stream->streams->traffic->send_failed++;
    clock_start_timer(&stream->timer, on_timer, 0);
}

static void count_out(struct stream *stream, size_t length)
{
    stream->streams->traffic->frames_out++;
    stream->streams->traffic->bytes_out += length;
}

static void on_written(uv_write_t *request, int status)
{
    struct stream *stream = request->data;
    struct frame *frame = stream->writing;

    assert(frame != NULL && request == &frame->request);
    stream->writing = NULL;
    if (status == 0) {
        count_out(stream, frame->length);
    }
    free(frame);
    if (stream->closed) {
        return;
    }
    if (status != 0) {
        stream->streams->traffic->send_failed++;
        stream_end(stream, status);
        return;
    }
    write_next(stream);
}

/* Gives the rest of the frame to libuv, which reports the result to on_written in a later turn. */
static void write_frame(struct stream *stream, struct frame *frame)
{
    uv_buf_t buffer = buffer_of(frame->bytes + frame->sent, frame->length - frame->sent);

    assert(stream->writing == NULL);
    frame->request.data = stream;
    stream->writing = frame;
    int error = uv_write(&frame->request, (uv_stream_t *)&stream->tcp, &buffer, 1, on_written);
    if (error != 0) {
        stream->writing = NULL;
        free(frame);
        break_off(stream);
    }
}

static void write_next(struct stream *stream)
{
    if (stream->writing == NULL && !stream->broken && !chain_is_empty(&stream->waiting)) {
        struct frame *frame = CHAIN_ITEM(chain_pop_first(&stream->waiting), struct frame, link);

        stream->waiting_count--;
        stream->waiting_bytes -= frame->length;
        write_frame(stream, frame);
    }
}

/* Sends what the socket accepts at once. Returns how much of length and content that was. */
static size_t write_at_once(struct stream *stream, const uint8_t prefix[FRAME_LENGTH_BYTES],
                            const uint8_t *bytes, size_t length)
{
    uv_buf_t buffers[2] = {buffer_of(prefix, FRAME_LENGTH_BYTES), buffer_of(bytes, length)};

    if (!stream->connected || stream->broken || stream->writing != NULL ||
        stream->waiting_count > 0) {
        return 0;
    }
    int written = uv_try_write((uv_stream_t *)&stream->tcp, buffers, length > 0 ? 2 : 1);
    return written > 0 ? (size_t)written : 0; /* An error is reported again to on_written. */
}

static struct node_id receiver_of(const struct outgoing *outgoing)
{
    return outgoing->peer == NULL ? (struct node_id){.bytes = {0}} : *outgoing->peer;
}

static struct frame *frame_new(const struct outgoing *outgoing,
                               const uint8_t prefix[FRAME_LENGTH_BYTES], size_t sent)
{
    struct frame *frame = malloc(sizeof *frame + FRAME_LENGTH_BYTES + outgoing->length);

    if (frame != NULL) {
        chain_init(&frame->link);
        frame->receiver = receiver_of(outgoing);
        frame->type = outgoing->type;
        frame->length = FRAME_LENGTH_BYTES + outgoing->length;
        frame->sent = sent;
        memcpy(frame->bytes, prefix, FRAME_LENGTH_BYTES);
        memcpy(frame->bytes + FRAME_LENGTH_BYTES, outgoing->bytes, outgoing->length);
    }
    return frame;
}

/* U3a: only the newest of these matters to a receiver that has seen none of them. */
static bool is_superseded_by_newer(enum message_type type)
{
    return type == MESSAGE_VIEW || type == MESSAGE_PREPARE || type == MESSAGE_COMMIT;
}

static void drop_superseded(struct stream *stream, const struct outgoing *by)
{
    struct chain *at = is_superseded_by_newer(by->type) ? stream->waiting.next : &stream->waiting;
    const struct node_id receiver = receiver_of(by);

    while (at != &stream->waiting) {
        struct frame *frame = CHAIN_ITEM(at, struct frame, link);

        at = at->next;
        if (frame->type == by->type && id_equal(&frame->receiver, &receiver)) {
            chain_remove(&frame->link);
            stream->waiting_count--;
            stream->waiting_bytes -= frame->length;
            free(frame);
        }
    }
}

/* What programs send each other (a type of 0) does not keep out what the members do. */
static bool has_room(const struct stream *stream, enum message_type type, size_t length)
{
    const uint32_t most = type == 0 ? STREAM_QUEUE_FRAMES_MAX / 2 : STREAM_QUEUE_FRAMES_MAX;

    return stream->waiting_count < most && stream->waiting_bytes + length <= STREAM_QUEUE_BYTES_MAX;
}

/* Queues what the socket did not accept. HELLO goes in front, and is always queued, because the
 * rest is ignored without it. Returns false, with the failure counted, when that is impossible. */
static bool queue_rest(struct stream *stream, const struct outgoing *outgoing,
                       const uint8_t prefix[FRAME_LENGTH_BYTES], size_t sent)
{
    const bool is_first = outgoing->type == MESSAGE_HELLO;
    struct frame *frame = NULL;

    if (sent > 0 || is_first ||
        has_room(stream, outgoing->type, FRAME_LENGTH_BYTES + outgoing->length)) {
        frame = frame_new(outgoing, prefix, sent);
    }
    if (frame == NULL) {
        if (sent > 0) {
            break_off(stream);
        } else {
            stream->streams->traffic->send_failed++;
        }
        return false;
    }
    chain_insert(is_first ? stream->waiting.next : &stream->waiting, &frame->link);
    stream->waiting_count++;
    stream->waiting_bytes += frame->length;
    if (stream->connected) {
        write_next(stream);
    }
    return true;
}

/* Sends the bytes of a frame as they are. */
static bool send_bytes(struct stream *stream, const struct outgoing *outgoing)
{
    const size_t length = outgoing->length;
    const uint8_t prefix[FRAME_LENGTH_BYTES] = {(uint8_t)(length >> 24), (uint8_t)(length >> 16),
                                                (uint8_t)(length >> 8), (uint8_t)length};

    assert(!stream->closed && length > 0 && length <= UINT32_MAX);
    drop_superseded(stream, outgoing);
    size_t sent = write_at_once(stream, prefix, outgoing->bytes, length);
    if (sent == FRAME_LENGTH_BYTES + length) {
        count_out(stream, sent);
        return true;
    }
    return queue_rest(stream, outgoing, prefix, sent);
}

bool stream_send(struct stream *stream, const struct outgoing *outgoing)
{
    struct gate *gate = stream->streams->gate;
    const struct node_id *there = outgoing->hop;
    const struct bytes frame = {.at = outgoing->bytes, .length = outgoing->length};
    struct outgoing sealed = *outgoing;
    struct bytes bytes;

    if (stream->accepted) {
        bytes = gate_seal_answer(gate, &stream->gate, there, frame);
    } else {
        gate_begin_stream(gate, &stream->gate, there);
        bytes = gate_seal_frame(gate, &stream->gate, outgoing->type, there, frame);
    }
    sealed.bytes = bytes.at;
    sealed.length = bytes.length;
    return send_bytes(stream, &sealed);
}

void stream_send_hello(struct stream *stream, const struct node_id *to)
{
    const struct core *core = stream->streams->core;
    struct message hello = {.type = MESSAGE_HELLO, .from = core_self(core)->id};
    size_t length;

    const uint8_t *bytes = wire_encode(stream->streams->wire, &hello,
                                       &(struct wire_copy){.to = id_is_none(to) ? NULL : to,
                                                           .flags = view_has(core_view(core), to)},
                                       &length);
    (void)stream_send(
        stream,
        &(struct outgoing){
            .peer = to, .hop = to, .type = MESSAGE_HELLO, .bytes = bytes, .length = length});
}

static int unacknowledged_bytes(const struct stream *stream)
{
    uv_os_fd_t fd;
    int bytes = 0;

    if (uv_fileno((const uv_handle_t *)&stream->tcp, &fd) != 0 ||
        ioctl(fd, SIOCOUTQ, &bytes) != 0) {
        return -1;
    }
    return bytes;
}

void stream_nudge(struct stream *stream)
{
    const uint8_t empty[FRAME_LENGTH_BYTES] = {0};

    if (stream->closed || stream->broken || unacknowledged_bytes(stream) != 0) {
        return;
    }
    size_t sent = write_at_once(stream, empty, empty, 0);
    if (sent > 0 && sent < sizeof empty) {
        break_off(stream);
    }
}

bool stream_is_acknowledged(const struct stream *stream, uint64_t since_ms)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    uv_os_fd_t fd;

    if (stream->closed || !stream->connected) {
        return false;
    }
    if (unacknowledged_bytes(stream) == 0) {
        return true;
    }
    /* The buffer of a stopped process may be full, so that it accepts no more; its kernel then
     * still answers with an empty window. */
    if (uv_fileno((const uv_handle_t *)&stream->tcp, &fd) != 0 ||
        getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) {
        return false;
    }
    return info.tcpi_last_ack_recv + KERNEL_TICK_MS < since_ms;
}

/* --- Connecting and accepting --- */

static int start_reading(struct stream *stream)
{
    stream->connected = true;
    return uv_read_start((uv_stream_t *)&stream->tcp, on_buffer, on_read);
}

static void on_connect(uv_connect_t *request, int status)
{
    struct stream *stream = request->data;

    if (stream->closed) {
        return;
    }
    int error = status != 0 ? status : start_reading(stream);
    if (error != 0) {
        stream_end(stream, error);
        return;
    }
    stream->handler->on_connected(stream->owner); /* The owner sends HELLO. */
    if (!stream->closed) {
        write_next(stream);
    }
}

/* Is its descriptor outside the reserve? Returns 0, or UV_EMFILE as if there were none left. */
static int check_descriptor(const struct stream *stream, uv_os_fd_t *fd)
{
    const int error = uv_fileno((const uv_handle_t *)&stream->tcp, fd);

    if (error != 0) {
        return error;
    }
    return (uint64_t)*fd < stream->streams->descriptors_max ? 0 : UV_EMFILE;
}

struct stream *stream_connect(struct streams *streams, const struct address *to,
                              const struct stream_handler *handler, void *owner, int *error)
{
    struct sockaddr_storage name;
    int family = address_family(to);
    uv_os_fd_t fd = -1;

    if (address_to_sockaddr(to, family, &name) == 0) {
        *error = UV_EADDRNOTAVAIL;
        return NULL;
    }
    struct stream *stream = stream_new(streams, (unsigned)family, handler, owner, error);
    if (stream == NULL) {
        streams_note_starved(streams, *error);
        return NULL;
    }
    *error = check_descriptor(stream, &fd);
    if (*error == 0) {
        set_options(stream);
        segments_keep_small(fd);
        *error = uv_tcp_connect(&stream->connect, &stream->tcp, (const struct sockaddr *)&name,
                                on_connect);
    }
    if (*error != 0) {
        streams_note_starved(streams, *error);
        stream_close(stream);
        return NULL;
    }
    return stream;
}

static void peer_address(const struct stream *stream, struct address *from)
{
    struct sockaddr_storage name;
    int length = sizeof name;

    *from = (struct address){0};
    if (uv_tcp_getpeername(&stream->tcp, (struct sockaddr *)&name, &length) == 0) {
        (void)address_from_sockaddr((const struct sockaddr *)&name, from);
    }
}

struct stream *stream_accept(struct streams *streams, uv_stream_t *server,
                             const struct stream_handler *handler, void *owner,
                             struct address *from, int *error)
{
    struct stream *stream = stream_new(streams, AF_UNSPEC, handler, owner, error);
    uv_os_fd_t fd = -1;

    if (stream == NULL) {
        return NULL;
    }
    stream->accepted = true;
    *error = uv_accept(server, (uv_stream_t *)&stream->tcp);
    if (*error == 0) {
        *error = check_descriptor(stream, &fd);
    }
    if (*error == 0) {
        set_options(stream);
        peer_address(stream, from);
        *error = start_reading(stream);
    }
    if (*error != 0) {
        stream_close(stream);
        return NULL;
    }
    return stream;
}

void streams_note_starved(struct streams *streams, int error)
{
    uint64_t now_ms = clock_ms();

    if (error != UV_EMFILE && error != UV_ENFILE) {
        return;
    }
    streams->traffic->starved++;
    if (streams->starved_logged_ms != 0 && now_ms - streams->starved_logged_ms < STARVED_LOG_MS) {
        return;
    }
    streams->starved_logged_ms = now_ms;
    log_line(streams->log, LOG_WARN, "starved",
             "no file descriptors left for connections of members: raise the limit (ulimit -n)");
}
