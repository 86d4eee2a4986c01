#include "runtime/sockets/udp.h"

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <unistd.h>

#include "runtime/host/clock.h"
#include "runtime/sockets/arrival.h"
#include "words/address_text.h"

/* Room for datagrams that arrive while this process waits to run: a heartbeat from each of 4096
 * members fills about half of it. The system may grant less. */
enum { RECEIVE_BUFFER_BYTES = 1 << 20 };

/* --- Opening --------------------------------------------------------------------------------- */

/* An IPv6 socket accepts IPv4 too if it listens on the wildcard, whatever the system's default is.
 */
static int set_family_options(const struct udp *udp, const struct address *listen)
{
    const int only = !address_is_wildcard(listen);

    return udp->family != AF_INET6
               ? 0
               : setsockopt(udp->fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only);
}

static int bind_to(const struct udp *udp, const struct address *listen)
{
    struct sockaddr_storage name;
    const socklen_t size = address_to_sockaddr(listen, udp->family, &name);

    return bind(udp->fd, (const struct sockaddr *)&name, size);
}

/* Where the system is to put what it receives. */
static void prepare_batch(struct udp *udp)
{
    for (size_t i = 0; i < UDP_BATCH; i++) {
        udp->parts[i] = (struct iovec){.iov_base = udp->inbox[i], .iov_len = sizeof udp->inbox[i]};
        udp->messages[i].msg_hdr = (struct msghdr){.msg_name = &udp->sources[i],
                                                   .msg_namelen = sizeof udp->sources[i],
                                                   .msg_iov = &udp->parts[i],
                                                   .msg_iovlen = 1,
                                                   .msg_control = udp->control[i],
                                                   .msg_controllen = sizeof udp->control[i]};
    }
}

int udp_open(struct udp *udp, uv_loop_t *loop, struct latch *latch, struct node_traffic *traffic,
             const struct address *listen)
{
    int bytes = RECEIVE_BUFFER_BYTES;

    udp->family = address_family(listen);
    udp->latch = latch;
    udp->traffic = traffic;
    udp->fd = socket(udp->family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (udp->fd < 0) {
        return uv_translate_sys_error(errno);
    }
    const int error = uv_poll_init(loop, &udp->poll, udp->fd);
    if (error != 0) {
        (void)close(udp->fd);
        return error;
    }
    udp->open = true;
    udp->poll.data = udp;
    latch_acquire(latch);
    prepare_batch(udp);
    if (set_family_options(udp, listen) != 0 || bind_to(udp, listen) != 0) {
        return uv_translate_sys_error(errno);
    }
    (void)uv_recv_buffer_size((uv_handle_t *)&udp->poll, &bytes);
    return 0;
}

/* --- Receiving ------------------------------------------------------------------------------- */

static void deliver(struct udp *udp, size_t index, uint64_t arrived_ms)
{
    const struct mmsghdr *message = &udp->messages[index];
    struct address source;

    udp->traffic->datagrams_in++;
    udp->traffic->bytes_in += message->msg_len;
    if ((message->msg_hdr.msg_flags & MSG_TRUNC) != 0) {
        udp->traffic->malformed[WIRE_BOUND]++; /* Longer than any datagram of ours. */
    } else if (address_from_sockaddr((const struct sockaddr *)&udp->sources[index], &source)) {
        udp->on_datagram(udp->context, udp->inbox[index], message->msg_len, &source, arrived_ms);
    }
}

/* Nothing to read, or an error, says nothing about any member. */
static int receive_batch(struct udp *udp, int fd)
{
    int count;

    do {
        count = recvmmsg(fd, udp->messages, UDP_BATCH, 0, NULL);
    } while (count < 0 && errno == EINTR);
    return count;
}

/* The system has written over it. */
static void reuse(struct udp *udp, int index)
{
    udp->messages[index].msg_hdr.msg_namelen = sizeof udp->sources[index];
    udp->messages[index].msg_hdr.msg_controllen = sizeof udp->control[index];
}

/* What is more than a batch is there in the next turn. */
static void receive(struct udp *udp)
{
    const int count = receive_batch(udp, udp->fd);

    udp->receiving = true;
    for (int i = 0; i < count; i++) {
        deliver(udp, (size_t)i, UDP_JUST_NOW);
        reuse(udp, i);
    }
    udp->receiving = false;
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    struct udp *udp = poll->data;

    (void)events;
    if (status < 0) { /* An error of the socket, which receiving clears; libuv has stopped at it. */
        (void)uv_poll_start(poll, UV_READABLE, on_ready);
    }
    udp->on_turn(udp->context);
    receive(udp);
}

int udp_start(struct udp *udp, udp_on_datagram *on_datagram, udp_on_turn *on_turn, void *context)
{
    udp->on_datagram = on_datagram;
    udp->on_turn = on_turn;
    udp->context = context;
    return uv_poll_start(&udp->poll, UV_READABLE, on_ready);
}

/* --- Beats ----------------------------------------------------------------------------------- */

static void open_beats(struct udp *udp)
{
    const int fd = beat_socket_open(udp->fd);

    if (fd < 0) {
        return;
    }
    if (uv_poll_init(udp->poll.loop, &udp->beats_poll, fd) != 0) {
        (void)close(fd);
        return;
    }
    udp->beats_fd = fd;
    udp->has_beats = true;
    udp->beats_poll.data = udp;
    latch_acquire(udp->latch);
}

static void on_beats_ready(uv_poll_t *poll, int status, int events)
{
    struct udp *udp = poll->data;

    (void)events;
    udp->polls_beats = udp->polls_beats && status >= 0; /* as above */
    udp->on_turn(udp->context);
}

static void poll_beats(struct udp *udp)
{
    const bool wanted = !udp->lazy || udp->eager_until_ms > 0;

    udp->traffic->beats_wait = !wanted;
    if (wanted == udp->polls_beats) {
        return;
    }
    udp->polls_beats = wanted;
    if (wanted) {
        (void)uv_poll_start(&udp->beats_poll, UV_READABLE, on_beats_ready);
    } else {
        (void)uv_poll_stop(&udp->beats_poll);
    }
}

void udp_set_lazy(struct udp *udp, bool lazy)
{
    if (udp->lazy == lazy || !udp->open) {
        return;
    }
    udp->lazy = lazy;
    if (lazy && !udp->tried_beats) {
        udp->tried_beats = true;
        open_beats(udp);
    }
    if (udp->has_beats) {
        poll_beats(udp);
    }
}

static bool notice_dropped(struct udp *udp, const struct beat_socket_note *note)
{
    const bool more = note->has_dropped && note->dropped != udp->dropped;

    udp->dropped = note->has_dropped ? note->dropped : udp->dropped;
    return more;
}

/* Returns how many there were. */
static int receive_beats(struct udp *udp, bool *dropped)
{
    const int count = receive_batch(udp, udp->beats_fd);
    const struct arrival_clocks clocks = arrival_clocks_read();

    udp->receiving = true;
    for (int i = 0; i < count; i++) {
        const struct beat_socket_note note = beat_socket_note(&udp->messages[i].msg_hdr);
        *dropped = notice_dropped(udp, &note) || *dropped;
        deliver(udp, (size_t)i, note.has_stamp ? arrival_ms(&clocks, note.stamp_ns) : UDP_JUST_NOW);
        reuse(udp, i);
    }
    udp->receiving = false;
    return count;
}

void udp_read_beats(struct udp *udp)
{
    bool dropped = false;
    int sum = 0;
    int count;

    if (!udp->has_beats || udp->receiving) {
        return;
    }
    do {
        count = receive_beats(udp, &dropped);
        sum += count > 0 ? count : 0;
    } while (count == UDP_BATCH && sum < UDP_BEATS_AT_ONCE);
    if (dropped || sum >= UDP_BEATS_MANY) {
        udp->eager_until_ms = clock_ms() + UDP_BEATS_EAGER_MS;
    } else if (udp->eager_until_ms > 0 && clock_ms() >= udp->eager_until_ms) {
        udp->eager_until_ms = 0;
    }
    poll_beats(udp);
}

/* --- Closing --------------------------------------------------------------------------------- */

static void on_closed(uv_handle_t *handle)
{
    struct udp *udp = handle->data;

    latch_release(udp->latch);
}

void udp_close(struct udp *udp)
{
    if (udp->open) {
        udp->open = false;
        uv_close((uv_handle_t *)&udp->poll, on_closed);
        (void)close(udp->fd);
    }
    if (udp->has_beats) {
        udp->has_beats = false;
        uv_close((uv_handle_t *)&udp->beats_poll, on_closed);
        (void)close(udp->beats_fd);
    }
}

/* --- Sending --------------------------------------------------------------------------------- */

static int send_now(const struct udp *udp, const struct address *to, const uint8_t *bytes,
                    size_t length)
{
    struct sockaddr_storage name;
    ssize_t sent;

    if (!udp->open) {
        return UV_ECANCELED;
    }
    const socklen_t size = address_to_sockaddr(to, udp->family, &name);
    if (size == 0) {
        return UV_EAFNOSUPPORT;
    }
    do {
        sent = sendto(udp->fd, bytes, length, 0, (const struct sockaddr *)&name, size);
    } while (sent < 0 && errno == EINTR);
    if (sent >= 0) {
        return 0;
    }
    return errno == ENOBUFS ? UV_EAGAIN : uv_translate_sys_error(errno);
}

int udp_send(struct udp *udp, const struct address *to, const uint8_t *bytes, size_t length)
{
    assert(length <= UDP_BYTES_MAX);
    const int error = send_now(udp, to, bytes, length);
    if (error != 0) {
        udp->traffic->send_failed++;
        return error;
    }
    udp->traffic->datagrams_out++;
    udp->traffic->bytes_out += length;
    return 0;
}
