#include "runtime/udp.h"

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "runtime/buffer.h"
#include "words/address_text.h"

/* Room for datagrams that arrive while this process waits to run: a heartbeat from each of 4096
 * members fills about half of it. The system may grant less. */
enum { RECEIVE_BUFFER_BYTES = 1 << 20 };

static void on_closed(uv_handle_t *handle)
{
    struct udp *udp = handle->data;

    latch_release(udp->latch);
}

/* An IPv6 socket accepts IPv4 too if it listens on the wildcard, whatever the system's default is.
 */
static int set_family_options(const struct udp *udp, const struct address *listen)
{
    uv_os_fd_t fd;
    int only = !address_is_wildcard(listen);

    if (udp->family != AF_INET6) {
        return 0;
    }
    int error = uv_fileno((const uv_handle_t *)&udp->handle, &fd);
    if (error != 0) {
        return error;
    }
    if (setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only) != 0) {
        return uv_translate_sys_error(errno);
    }
    return 0;
}

int udp_open(struct udp *udp, uv_loop_t *loop, struct latch *latch, struct node_traffic *traffic,
             const struct address *listen)
{
    struct sockaddr_storage name;
    int bytes = RECEIVE_BUFFER_BYTES;

    udp->family = address_family(listen);
    udp->latch = latch;
    udp->traffic = traffic;
    int error = uv_udp_init_ex(loop, &udp->handle, (unsigned)udp->family);
    if (error != 0) {
        return error;
    }
    udp->open = true;
    udp->handle.data = udp;
    latch_acquire(latch);

    error = set_family_options(udp, listen);
    if (error != 0) {
        return error;
    }
    (void)address_to_sockaddr(listen, udp->family, &name);
    error = uv_udp_bind(&udp->handle, (const struct sockaddr *)&name, 0);
    if (error != 0) {
        return error;
    }
    (void)uv_recv_buffer_size((uv_handle_t *)&udp->handle, &bytes);
    return 0;
}

static void on_buffer(uv_handle_t *handle, size_t suggested_size, uv_buf_t *buffer)
{
    struct udp *udp = handle->data;

    (void)suggested_size;
    *buffer = uv_buf_init((char *)udp->inbox, sizeof udp->inbox);
}

static void on_received(uv_udp_t *handle, ssize_t length, const uv_buf_t *buffer,
                        const struct sockaddr *from, unsigned flags)
{
    struct udp *udp = handle->data;
    struct address source;

    (void)buffer;
    if (length < 0 || from == NULL) {
        return; /* Nothing more to read, or an error that says nothing about any member. */
    }
    udp->traffic->datagrams_in++;
    udp->traffic->bytes_in += (uint64_t)length;
    if ((flags & UV_UDP_PARTIAL) != 0) {
        udp->traffic->malformed[WIRE_BOUND]++; /* Longer than any datagram of ours. */
        return;
    }
    if (!address_from_sockaddr(from, &source)) {
        return;
    }
    udp->on_datagram(udp->context, udp->inbox, (size_t)length, &source);
}

int udp_start(struct udp *udp, udp_on_datagram *on_datagram, void *context)
{
    udp->on_datagram = on_datagram;
    udp->context = context;
    return uv_udp_recv_start(&udp->handle, on_buffer, on_received);
}

void udp_close(struct udp *udp)
{
    if (udp->open) {
        udp->open = false;
        uv_close((uv_handle_t *)&udp->handle, on_closed);
    }
}

static int send_now(struct udp *udp, const struct address *to, const uint8_t *bytes, size_t length)
{
    struct sockaddr_storage name;
    uv_buf_t buffer = buffer_of(bytes, length);

    if (!udp->open) {
        return UV_ECANCELED;
    }
    if (address_to_sockaddr(to, udp->family, &name) == 0) {
        return UV_EAFNOSUPPORT;
    }
    const int sent = uv_udp_try_send(&udp->handle, &buffer, 1, (const struct sockaddr *)&name);
    return sent < 0 ? sent : 0;
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
