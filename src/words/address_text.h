/* Converts addresses to and from text, "127.0.0.1:7420" or "[::1]:7420", and the system's sockaddr.
 * Only literals are parsed: names are for the resolver. An address has no scope, so that link-local
 * IPv6 addresses, which mean nothing on another host, are refused. */
#ifndef WORDS_ADDRESS_TEXT_H
#define WORDS_ADDRESS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "core/model/id.h"

enum { ADDRESS_TEXT_MAX = 56 }; /* bytes, with the terminating zero */

/* Parses "ADDR:PORT" or "[ADDR]:PORT", the port from 1 to 65535. An IPv4 address written as an IPv6
 * one (::ffff:192.0.2.1) becomes the IPv4 address. Returns false, with `address` none, for anything
 * else. */
bool address_parse(const char *text, struct address *address);

/* Parses the host part alone, without brackets; any port, 0 included. */
bool address_parse_host(const char *host, uint16_t port, struct address *address);

/* Writes the address, "-" when there is none, into `text` and returns it. */
const char *address_text(const struct address *address, char text[ADDRESS_TEXT_MAX]);

/* Writes the address without port and brackets into `text` and returns it. */
const char *address_host_text(const struct address *address, char text[ADDRESS_TEXT_MAX]);

/* Writes that the host of this node has that address no more, and which it has instead (none: not
 * known), as a part of a sentence, into `text` and returns it. */
enum { ADDRESS_GONE_TEXT_MAX = 2 * ADDRESS_TEXT_MAX + 80 };
const char *address_gone_text(const struct address *address, const struct address *another,
                              char text[ADDRESS_GONE_TEXT_MAX]);

/* What to do then. */
#define ADDRESS_GONE_NEXT                                                                          \
    "give the host that address back, or start doyend again, with another --listen and "           \
    "--advertise if they name it"

/* Is it 0.0.0.0 or ::, "every address of this host"? */
bool address_is_wildcard(const struct address *address);

/* Can it be the address of one host? Else it is a wildcard, or of many hosts (multicast,
 * broadcast). */
bool address_is_of_one_host(const struct address *address);

/* Is it in 127.0.0.0/8, or ::1? */
bool address_is_loopback(const struct address *address);

/* Is it a literal of IPv6 with a zone, as fe80::1%eth0, or one that is of no use without? */
bool address_needs_zone(const char *host);

/* Can a socket that is bound to `listen` send to an address like `to`? IPv4 reaches IPv4 and IPv6
 * reaches IPv6; the wildcard of IPv6 reaches both. */
bool address_families_meet(const struct address *listen, const struct address *to);

/* "IPv4" or "IPv6". */
const char *address_family_text(const struct address *address);

/* Do the two have the same host part, whatever the port? */
bool address_same_host(const struct address *a, const struct address *b);

/* Converts what recvfrom or getpeername gave. IPv4 seen through an IPv6 socket becomes IPv4.
 * Returns false, with `address` none, for another family. */
bool address_from_sockaddr(const struct sockaddr *from, struct address *address);

/* Fills `to` for a socket of `family` (AF_INET or AF_INET6) and returns how many bytes of it are
 * used; 0 when such a socket cannot reach the address (IPv6 over IPv4, or no address). */
socklen_t address_to_sockaddr(const struct address *address, int family,
                              struct sockaddr_storage *to);

/* Returns AF_INET or AF_INET6, the family of the address. */
int address_family(const struct address *address);

#endif
