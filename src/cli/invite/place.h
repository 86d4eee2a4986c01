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

/* Takes "HOST", "HOST:PORT", "ADDR" or "[ADDR]:PORT" apart; the port is `otherwise` where the text
 * has none. False: it is none of these. */
bool place_split(const char *text, uint16_t otherwise, char host[PLACE_HOST_MAX], uint16_t *port);

/* The address as text, with its port. */
const char *place_text(const struct sockaddr *address, char out[PLACE_TEXT_MAX]);

/* An address and a port as text; an IPv6 address gets its brackets. */
const char *place_join(const char *host, uint16_t port, char out[PLACE_TEXT_MAX]);

/* An address and a port as a line "seed" of the configuration has them: without the port if that is
 * the default one, unless the end of the address could then be taken for a port. */
const char *place_seed(const char *host, uint16_t port, char out[PLACE_TEXT_MAX]);

/* Is it the address of one host, which is the same from wherever one sends to it? */
bool place_is_of_one_host(const char *host);

/* Can doyend at the address `own` have the address `host` for a seed? It does not start with one
 * that is of another family, that belongs to no single host, or that is meant on one link or host
 * alone. */
bool place_suits(const char *host, const char *own);

/* Is the host an address of this family, AF_INET or AF_INET6; is it one at all, and no name? */
bool place_is_address(const char *host, int family);
bool place_is_number(const char *host);

/* Is it the address that stands for all addresses of a host, "0.0.0.0" or "::"? */
bool place_is_wildcard(const char *host);

/* Has this host that address? Also true where it cannot be told. */
bool place_is_here(const char *host);

/* Can a process listen at that address and port, by UDP and by TCP? Also true where it cannot be
 * told. */
bool place_is_free(const char *host, uint16_t port);

/* The address of this host by which others are to reach it: the only one besides loopback, else the
 * one by which the default route goes. False: there is none, or it cannot be said which is meant;
 * `all`, of `size` bytes, gets a list of what there is. */
bool place_own(char host[PLACE_TEXT_MAX], char *all, size_t size);

#endif
