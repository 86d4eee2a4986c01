/* Addresses as people write them and as the sealed messages name them: "10.0.0.1:7419". */
#ifndef CLI_PLACE_H
#define CLI_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

enum {
    PLACE_TEXT_MAX = 64,
    PLACE_HOST_MAX = 256,
    DOYEND_PORT = 7420,
    INVITATION_PORT = 7419, /* beside it: where doyen invite waits */
};

/* Takes "HOST", "HOST:PORT", "ADDR", "[ADDR]:PORT" apart. False: it is none of these. */
bool place_split(const char *text, uint16_t otherwise, char host[PLACE_HOST_MAX], uint16_t *port);

/* The address as text, with its port. */
const char *place_text(const struct sockaddr *address, char out[PLACE_TEXT_MAX]);

/* An address and a port as text; an IPv6 address gets its brackets. */
const char *place_join(const char *host, uint16_t port, char out[PLACE_TEXT_MAX]);

/* The same as a line "seed" has it: without the port where that is the default, and where nobody
 * could take the end of the address for one. */
const char *place_seed(const char *host, uint16_t port, char out[PLACE_TEXT_MAX]);

/* Can doyend at the address `own` have `host` for a seed? Both are numbers. With others it may not
 * start: names of no host, another family, an address of one link or of one host. */
bool place_suits(const char *host, const char *own);

/* Is the host an address of this family, AF_INET or AF_INET6? */
bool place_is_address(const char *host, int family);
bool place_is_wildcard(const char *host);

/* Has this host that address? Also true where it cannot be told. */
bool place_is_here(const char *host);

/* The address of this host by which others are to reach it: the only one besides loopback, else the
 * one by which the default route goes. False: there is none, or which is not to be said; `all`
 * lists what there is. */
bool place_own(char host[PLACE_TEXT_MAX], char *all, size_t size);

#endif
