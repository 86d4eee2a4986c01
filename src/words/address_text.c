#include "words/address_text.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { HOST_TEXT_MAX = INET6_ADDRSTRLEN };

/* ::ffff:0:0/96, IPv4 addresses as an IPv6 socket names them. */
static const uint8_t mapped_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

static bool is_link_local(const uint8_t bytes[16])
{
    return bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
}

static void set_ipv4(struct address *address, const uint8_t bytes[4], uint16_t port)
{
    *address = (struct address){.port = port, .family = 4};
    memcpy(address->bytes, bytes, 4);
}

static void set_ipv6(struct address *address, const uint8_t bytes[16], uint16_t port)
{
    if (memcmp(bytes, mapped_prefix, sizeof mapped_prefix) == 0) {
        set_ipv4(address, bytes + sizeof mapped_prefix, port);
        return;
    }
    *address = (struct address){.port = port, .family = 6};
    memcpy(address->bytes, bytes, 16);
}

bool address_parse_host(const char *host, uint16_t port, struct address *address)
{
    uint8_t bytes[16];

    *address = (struct address){0};
    if (inet_pton(AF_INET, host, bytes) == 1) {
        set_ipv4(address, bytes, port);
        return true;
    }
    if (inet_pton(AF_INET6, host, bytes) == 1 && !is_link_local(bytes)) {
        set_ipv6(address, bytes, port);
        return true;
    }
    return false;
}

/* Digits only: no sign, no space, no leading zero. */
static bool parse_port(const char *text, uint16_t *port)
{
    uint32_t value = 0;

    if (*text == '0') {
        return false;
    }
    for (const char *at = text; *at != '\0'; at++) {
        if (*at < '0' || *at > '9') {
            return false;
        }
        value = value * 10 + (uint32_t)(*at - '0');
        if (value > UINT16_MAX) {
            return false;
        }
    }
    *port = (uint16_t)value;
    return value > 0;
}

bool address_parse(const char *text, struct address *address)
{
    const char *colon = strrchr(text, ':');
    const char *host = text;
    char copy[HOST_TEXT_MAX];
    uint16_t port;

    *address = (struct address){0};
    if (colon == NULL || !parse_port(colon + 1, &port)) {
        return false;
    }
    size_t length = (size_t)(colon - text);
    bool bracketed = length >= 2 && text[0] == '[' && colon[-1] == ']';
    if (bracketed) {
        host++;
        length -= 2;
    }
    /* Without brackets nobody can tell where an IPv6 address ends and the port begins. */
    bool has_colon = memchr(host, ':', length) != NULL;
    if (bracketed != has_colon || !text_set(copy, sizeof copy, host, length)) {
        return false;
    }
    return address_parse_host(copy, port, address);
}

const char *address_host_text(const struct address *address, char text[ADDRESS_TEXT_MAX])
{
    if (address_is_none(address)) {
        return memcpy(text, "-", sizeof "-");
    }
    const char *host = inet_ntop(address_family(address), address->bytes, text,
                                 (socklen_t)ADDRESS_TEXT_MAX);
    assert(host != NULL);
    return host;
}

const char *address_text(const struct address *address, char text[ADDRESS_TEXT_MAX])
{
    char host[ADDRESS_TEXT_MAX];

    if (address_is_none(address)) {
        return memcpy(text, "-", sizeof "-");
    }
    address_host_text(address, host);
    int length = snprintf(text, ADDRESS_TEXT_MAX, address->family == 6 ? "[%s]:%u" : "%s:%u", host,
                          (unsigned)address->port);
    assert(length > 0 && length < ADDRESS_TEXT_MAX);
    return text;
}

const char *address_gone_text(const struct address *address, const struct address *another,
                              char text[ADDRESS_GONE_TEXT_MAX])
{
    char former[ADDRESS_TEXT_MAX];
    char present[ADDRESS_TEXT_MAX];

    snprintf(text, ADDRESS_GONE_TEXT_MAX,
             "%s, by which the others know this node, is gone from its host%s%s%s",
             address_host_text(address, former), address_is_none(another) ? "" : ", which has ",
             address_is_none(another) ? "" : address_host_text(another, present),
             address_is_none(another) ? "" : " now");
    return text;
}

bool address_is_wildcard(const struct address *address)
{
    static const uint8_t zero[16];
    return address->family != 0 && memcmp(address->bytes, zero, sizeof zero) == 0;
}

bool address_is_of_one_host(const struct address *address)
{
    return !address_is_wildcard(address) &&
           address->bytes[0] < (address->family == 4 ? 0xe0 : 0xff);
}

bool address_needs_zone(const char *host)
{
    uint8_t bytes[16];

    return strchr(host, ':') != NULL &&
           (strchr(host, '%') != NULL ||
            (inet_pton(AF_INET6, host, bytes) == 1 && is_link_local(bytes)));
}

bool address_is_loopback(const struct address *address)
{
    static const uint8_t one[16] = {[15] = 1};

    if (address->family == 4) {
        return address->bytes[0] == 127;
    }
    return address->family == 6 && memcmp(address->bytes, one, sizeof one) == 0;
}

bool address_families_meet(const struct address *listen, const struct address *to)
{
    return listen->family == to->family || (listen->family == 6 && address_is_wildcard(listen));
}

const char *address_family_text(const struct address *address)
{
    return address->family == 6 ? "IPv6" : "IPv4";
}

bool address_same_host(const struct address *a, const struct address *b)
{
    return a->family == b->family && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

bool address_from_sockaddr(const struct sockaddr *from, struct address *address)
{
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;
    uint8_t bytes[16];

    *address = (struct address){0};
    switch (from->sa_family) {
    case AF_INET:
        memcpy(&ipv4, from, sizeof ipv4);
        memcpy(bytes, &ipv4.sin_addr, 4);
        set_ipv4(address, bytes, ntohs(ipv4.sin_port));
        return true;
    case AF_INET6:
        memcpy(&ipv6, from, sizeof ipv6);
        memcpy(bytes, &ipv6.sin6_addr, 16);
        set_ipv6(address, bytes, ntohs(ipv6.sin6_port));
        return true;
    default:
        return false;
    }
}

int address_family(const struct address *address)
{
    return address->family == 6 ? AF_INET6 : AF_INET;
}

static socklen_t to_ipv4(const struct address *address, struct sockaddr_storage *to)
{
    struct sockaddr_in ipv4 = {.sin_family = AF_INET, .sin_port = htons(address->port)};

    memcpy(&ipv4.sin_addr, address->bytes, 4);
    memcpy(to, &ipv4, sizeof ipv4);
    return sizeof ipv4;
}

static socklen_t to_ipv6(const struct address *address, struct sockaddr_storage *to)
{
    struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6, .sin6_port = htons(address->port)};

    if (address->family == 4) {
        memcpy(&ipv6.sin6_addr.s6_addr[0], mapped_prefix, sizeof mapped_prefix);
        memcpy(&ipv6.sin6_addr.s6_addr[sizeof mapped_prefix], address->bytes, 4);
    } else {
        memcpy(&ipv6.sin6_addr, address->bytes, 16);
    }
    memcpy(to, &ipv6, sizeof ipv6);
    return sizeof ipv6;
}

socklen_t address_to_sockaddr(const struct address *address, int family,
                              struct sockaddr_storage *to)
{
    assert(family == AF_INET || family == AF_INET6);

    memset(to, 0, sizeof *to);
    if (address->family == 4 && family == AF_INET) {
        return to_ipv4(address, to);
    }
    if ((address->family == 4 || address->family == 6) && family == AF_INET6) {
        return to_ipv6(address, to);
    }
    return 0;
}
