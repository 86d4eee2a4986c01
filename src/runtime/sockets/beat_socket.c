#include "runtime/sockets/beat_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "proto/beat_frame.h"
#include "runtime/host/clock.h"

/* Places in the group of the two sockets, in the order in which they came. What a filter of the
 * kernel cannot read, since the datagram is shorter, goes to the first. */
enum { FIRST, SECOND };

static bool switch_option(int fd, int option, int on)
{
    return setsockopt(fd, SOL_SOCKET, option, &on, sizeof on) == 0;
}

/* Its bytes begin with those of the datagram, behind the header of UDP. */
static bool attach_filter(int fd)
{
    static struct sock_filter steps[] = {
        {.code = BPF_LD | BPF_W | BPF_LEN},
        {.code = BPF_JMP | BPF_JEQ | BPF_K, .jf = 4, .k = BEAT_BYTES_MIN},
        {.code = BPF_LD | BPF_H | BPF_ABS, .k = 0},
        {.code = BPF_ALU | BPF_AND | BPF_K, .k = 0xff00U | BEAT_LATE | BEAT_ASKS},
        {.code = BPF_JMP | BPF_JEQ | BPF_K, .jf = 1, .k = (unsigned)BEAT_KIND << 8},
        {.code = BPF_RET | BPF_K, .k = SECOND},
        {.code = BPF_RET | BPF_K, .k = FIRST},
    };
    const struct sock_fprog program = {.len = sizeof steps / sizeof steps[0], .filter = steps};

    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof program) == 0;
}

/* Of one group are only sockets that accept the same families. */
static bool copy_family_options(int first, int family, int fd)
{
    int only = 0;
    socklen_t size = sizeof only;

    return family != AF_INET6 || (getsockopt(first, IPPROTO_IPV6, IPV6_V6ONLY, &only, &size) == 0 &&
                                  setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, size) == 0);
}

/* Room like that of the first, as far as the system grants it: it says twice what it was asked for.
 */
static void copy_room(int first, int fd)
{
    int bytes = 0;
    socklen_t size = sizeof bytes;

    if (getsockopt(first, SOL_SOCKET, SO_RCVBUF, &bytes, &size) == 0) {
        bytes /= 2;
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    }
}

/* The first was bound without sharing its port, so nobody had that; whoever binds it likewise, as
 * every doyend does, is refused still. The filter comes last, since there is no group before: what
 * comes in between may end up in either. */
static bool join(int first, int fd, const struct sockaddr *name, socklen_t size)
{
    const bool bound = copy_family_options(first, name->sa_family, fd) &&
                       switch_option(fd, SO_TIMESTAMPNS, 1) && switch_option(fd, SO_RXQ_OVFL, 1) &&
                       switch_option(fd, SO_REUSEPORT, 1) &&
                       switch_option(first, SO_REUSEPORT, 1) && bind(fd, name, size) == 0;

    copy_room(first, fd);
    return bound && attach_filter(fd);
}

int beat_socket_open(int first)
{
    struct sockaddr_storage name = {.ss_family = AF_UNSPEC};
    socklen_t size = sizeof name;

    if (getsockname(first, (struct sockaddr *)&name, &size) != 0) {
        return -1;
    }
    const int fd = socket(name.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -1;
    }
    if (join(first, fd, (const struct sockaddr *)&name, size)) {
        return fd;
    }
    (void)close(fd);
    (void)switch_option(first, SO_REUSEPORT, 0);
    return -1;
}

struct beat_socket_note beat_socket_note(struct msghdr *header)
{
    struct beat_socket_note note = {.has_stamp = false};
    struct timespec stamp;

    for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part != NULL;
         part = CMSG_NXTHDR(header, part)) {
        if (part->cmsg_level != SOL_SOCKET) {
            continue;
        }
        if (part->cmsg_type == SCM_TIMESTAMPNS && part->cmsg_len == CMSG_LEN(sizeof stamp)) {
            memcpy(&stamp, CMSG_DATA(part), sizeof stamp);
            note.has_stamp = true;
            note.stamp_ns = (uint64_t)stamp.tv_sec * 1000 * CLOCK_NS_PER_MS +
                            (uint64_t)stamp.tv_nsec;
        } else if (part->cmsg_type == SO_RXQ_OVFL &&
                   part->cmsg_len == CMSG_LEN(sizeof note.dropped)) {
            memcpy(&note.dropped, CMSG_DATA(part), sizeof note.dropped);
            note.has_dropped = true;
        }
    }
    return note;
}
