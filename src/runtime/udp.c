#include "runtime/udp.h"

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <unistd.h>

#include "words/address_text.h"

/* Room for datagrams that arrive while this process waits to run: a heartbeat from each of 4096
 * members fills about half of it. The system may grant less. */
enum { RECEIVE_BUFFER_BYTES = 1 << 20 };

/* --- Opening --------------------------------------------------------------------------------- */

static void on_closed(uv_handle_t *handle)
{
    struct udp *udp = handle->data;

    latch_release(udp->latch);
}

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
                                                   .msg_iovlen = 1};
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

static void deliver(struct udp *udp, size_t index)
{
    const struct mmsghdr *message = &udp->messages[index];
    struct address source;

    udp->traffic->datagrams_in++;
    udp->traffic->bytes_in += message->msg_len;
    if ((message->msg_hdr.msg_flags & MSG_TRUNC) != 0) {
        udp->traffic->malformed[WIRE_BOUND]++; /* Longer than any datagram of ours. */
    } else if (address_from_sockaddr((const struct sockaddr *)&udp->sources[index], &source)) {
        udp->on_datagram(udp->context, udp->inbox[index], message->msg_len, &source);
    }
}

/* What is more than a batch is there in the next turn. Nothing to read, or an error, says nothing
 * about any member. */
static void receive(struct udp *udp)
{
    int count;

    do {
        count = recvmmsg(udp->fd, udp->messages, UDP_BATCH, 0, NULL);
    } while (count < 0 && errno == EINTR);
    for (int i = 0; i < count; i++) {
        deliver(udp, (size_t)i);
        udp->messages[i].msg_hdr.msg_namelen = sizeof udp->sources[i];
    }
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    struct udp *udp = poll->data;

    (void)events;
    if (status < 0) { /* An error of the socket, which receiving clears; libuv has stopped at it. */
        (void)uv_poll_start(poll, UV_READABLE, on_ready);
    }
    receive(udp);
}

int udp_start(struct udp *udp, udp_on_datagram *on_datagram, void *context)
{
    udp->on_datagram = on_datagram;
    udp->context = context;
    return uv_poll_start(&udp->poll, UV_READABLE, on_ready);
}

void udp_close(struct udp *udp)
{
    if (udp->open) {
        udp->open = false;
        uv_close((uv_handle_t *)&udp->poll, on_closed);
        (void)close(udp->fd);
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
    assert(length <= DATAGRAM_BYTES_MAX);
    const int error = send_now(udp, to, bytes, length);
    if (error != 0) {
        udp->traffic->send_failed++;
        return error;
    }
    udp->traffic->datagrams_out++;
    udp->traffic->bytes_out += length;
    return 0;
}
