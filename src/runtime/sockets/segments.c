#include "runtime/sockets/segments.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

void segments_keep_small(int fd)
{
    const int bytes = SEGMENT_BYTES_MAX;

    (void)setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &bytes, sizeof bytes); /* U3d */
}
