/* Small TCP segments: what passes everywhere, whatever a path drops without a word. */
#ifndef RUNTIME_SEGMENTS_H
#define RUNTIME_SEGMENTS_H

enum {
    /* Of data and TCP's options (RFC 9293: what a host that knows nothing of the path may send).
     * With the headers of TCP and IP that is a packet of 576 bytes, 596 with IPv6. */
    SEGMENT_BYTES_MAX = 536,
};

/* Neither end of the TCP socket's connections sends a longer segment (U3d). To be called before it
 * connects or listens; what a listening socket accepts is the same. The connection works without,
 * so a failure does not matter. */
void segments_keep_small(int fd);

#endif
