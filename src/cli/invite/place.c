#include "cli/invite/place.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool place_is_address(const char *host, int family)
{
    unsigned char bytes[sizeof(struct in6_addr)];

    return inet_pton(family, host, bytes) == 1;
}

bool place_is_number(const char *host)
{
    return place_is_address(host, AF_INET) || place_is_address(host, AF_INET6);
}

bool place_is_wildcard(const char *host)
{
    struct in6_addr bytes;

    return strcmp(host, "0.0.0.0") == 0 ||
           (inet_pton(AF_INET6, host, &bytes) == 1 && IN6_IS_ADDR_UNSPECIFIED(&bytes));
}

static bool read_port(const char *text, uint16_t *port)
{
    const size_t length = strlen(text);
    const unsigned long value = length <= 5 ? strtoul(text, NULL, 10) : 0;

    *port = (uint16_t)value;
    return length > 0 && strspn(text, "0123456789") == length && value > 0 && value <= UINT16_MAX;
}

static bool take_host(const char *from, size_t length, char host[PLACE_HOST_MAX])
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:";

    if (length == 0 || length >= PLACE_HOST_MAX || from[0] == '-') {
        return false;
    }
    memcpy(host, from, length);
    host[length] = '\0';
    return strspn(host, allowed) == length;
}

bool place_split(const char *text, uint16_t otherwise, char host[PLACE_HOST_MAX], uint16_t *port)
{
    const char *closing = text[0] == '[' ? strchr(text, ']') : NULL;
    const char *colon = strchr(text, ':');

    *port = otherwise;
    if (text[0] == '[') {
        return closing != NULL && take_host(text + 1, (size_t)(closing - text) - 1, host) &&
               place_is_address(host, AF_INET6) &&
               (closing[1] == '\0' || (closing[1] == ':' && read_port(closing + 2, port)));
    }
    if (colon != NULL && strchr(colon + 1, ':') != NULL) {
        return take_host(text, strlen(text), host) && place_is_address(host, AF_INET6);
    }
    const size_t length = colon == NULL ? strlen(text) : (size_t)(colon - text);
    return take_host(text, length, host) && (colon == NULL || read_port(colon + 1, port));
}

const char *place_join(const char *host, uint16_t port, char out[PLACE_TEXT_MAX])
{
    snprintf(out, PLACE_TEXT_MAX, place_is_address(host, AF_INET6) ? "[%.50s]:%u" : "%.50s:%u",
             host, (unsigned)port);
    return out;
}

const char *place_seed(const char *host, uint16_t port, char out[PLACE_TEXT_MAX])
{
    if (port != DOYEND_PORT || place_is_address(host, AF_INET6)) {
        return place_join(host, port, out);
    }
    snprintf(out, PLACE_TEXT_MAX, "%.63s", host);
    return out;
}

bool place_is_of_one_host(const char *host)
{
    struct in_addr four;
    struct in6_addr six;

    if (inet_pton(AF_INET, host, &four) == 1) {
        const uint32_t address = ntohl(four.s_addr);
        return address >> 24 != 0 && address >> 28 < 14; /* this host; many hosts */
    }
    return inet_pton(AF_INET6, host, &six) == 1 && !IN6_IS_ADDR_UNSPECIFIED(&six) &&
           !IN6_IS_ADDR_LINKLOCAL(&six) && !IN6_IS_ADDR_MULTICAST(&six) &&
           !IN6_IS_ADDR_V4MAPPED(&six);
}

static bool is_loopback(const char *host)
{
    struct in_addr four;
    struct in6_addr six;

    return inet_pton(AF_INET, host, &four) == 1
               ? ntohl(four.s_addr) >> 24 == IN_LOOPBACKNET
               : inet_pton(AF_INET6, host, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

bool place_suits(const char *host, const char *own)
{
    return place_is_of_one_host(host) &&
           place_is_address(own, place_is_address(host, AF_INET) ? AF_INET : AF_INET6) &&
           is_loopback(host) == is_loopback(own);
}

const char *place_text(const struct sockaddr *address, char out[PLACE_TEXT_MAX])
{
    char host[INET6_ADDRSTRLEN] = "";

    if (address->sa_family == AF_INET) {
        struct sockaddr_in four;
        memcpy(&four, address, sizeof four);
        (void)inet_ntop(AF_INET, &four.sin_addr, host, sizeof host);
        return place_join(host, ntohs(four.sin_port), out);
    }
    struct sockaddr_in6 six;
    memcpy(&six, address, sizeof six);
    (void)inet_ntop(AF_INET6, &six.sin6_addr, host, sizeof host);
    return place_join(host, ntohs(six.sin6_port), out);
}

/* --- This host's own ------------------------------------------------------------------------ */

/* Binds a socket of that type, and closes it. Returns 0 or an errno; 0 also where it cannot be
 * told. */
static int try_bind(const char *host, uint16_t port, int type)
{
    const struct addrinfo hints = {.ai_socktype = type, .ai_flags = AI_NUMERICHOST | AI_PASSIVE};
    struct addrinfo *at = NULL;
    char service[8];
    const int on = 1;
    int error = 0;

    snprintf(service, sizeof service, "%u", (unsigned)port);
    if (getaddrinfo(host, service, &hints, &at) != 0) {
        return 0;
    }
    const int fd = socket(at->ai_family, type | SOCK_CLOEXEC, 0);
    if (fd >= 0) {
        if (type == SOCK_STREAM) { /* What is left of former connections is in nobody's way. */
            (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        }
        error = bind(fd, at->ai_addr, at->ai_addrlen) == 0 ? 0 : errno;
        (void)close(fd);
    }
    freeaddrinfo(at);
    return error;
}

bool place_is_here(const char *host)
{
    return try_bind(host, 0, SOCK_DGRAM) != EADDRNOTAVAIL;
}

bool place_is_free(const char *host, uint16_t port)
{
    return try_bind(host, port, SOCK_DGRAM) != EADDRINUSE &&
           try_bind(host, port, SOCK_STREAM) != EADDRINUSE;
}

/* Is the address of use to other hosts? One of loopback is not, nor one that means another host
 * elsewhere. */
static bool is_of_use(const struct ifaddrs *at, char host[PLACE_TEXT_MAX])
{
    if (at->ifa_addr == NULL || (at->ifa_flags & IFF_UP) == 0 ||
        (at->ifa_flags & IFF_LOOPBACK) != 0) {
        return false;
    }
    if (at->ifa_addr->sa_family == AF_INET) {
        struct sockaddr_in four;
        memcpy(&four, at->ifa_addr, sizeof four);
        return inet_ntop(AF_INET, &four.sin_addr, host, PLACE_TEXT_MAX) != NULL;
    }
    if (at->ifa_addr->sa_family == AF_INET6) {
        struct sockaddr_in6 six;
        memcpy(&six, at->ifa_addr, sizeof six);
        return !IN6_IS_ADDR_LINKLOCAL(&six.sin6_addr) &&
               inet_ntop(AF_INET6, &six.sin6_addr, host, PLACE_TEXT_MAX) != NULL;
    }
    return false;
}

/* Finds the address from which packets to other networks are sent; nothing is sent for that. */
static bool toward_elsewhere(char host[PLACE_TEXT_MAX])
{
    struct sockaddr_in elsewhere = {.sin_family = AF_INET, .sin_port = htons(DOYEND_PORT)};
    struct sockaddr_in own;
    socklen_t length = sizeof own;
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    elsewhere.sin_addr.s_addr = htonl(0xc0000201); /* 192.0.2.1, of nobody's network */
    const bool found = fd >= 0 &&
                       connect(fd, (const struct sockaddr *)&elsewhere, sizeof elsewhere) == 0 &&
                       getsockname(fd, (struct sockaddr *)&own, &length) == 0 &&
                       inet_ntop(AF_INET, &own.sin_addr, host, PLACE_TEXT_MAX) != NULL;
    if (fd >= 0) {
        (void)close(fd);
    }
    return found;
}

static void add_to_list(char *all, size_t size, const char *host)
{
    const size_t used = strlen(all);

    snprintf(all + used, size - used, "%s%s", used == 0 ? "" : ", ", host);
}

bool place_own(char host[PLACE_TEXT_MAX], char *all, size_t size)
{
    struct ifaddrs *list = NULL;
    char four[PLACE_TEXT_MAX] = "";
    char six[PLACE_TEXT_MAX] = "";
    size_t fours = 0;
    size_t sixes = 0;

    all[0] = '\0';
    if (getifaddrs(&list) != 0) {
        return false;
    }
    for (const struct ifaddrs *at = list; at != NULL; at = at->ifa_next) {
        char here[PLACE_TEXT_MAX];
        if (!is_of_use(at, here)) {
            continue;
        }
        add_to_list(all, size, here);
        if (at->ifa_addr->sa_family == AF_INET && fours++ == 0) {
            memcpy(four, here, sizeof four);
        } else if (at->ifa_addr->sa_family == AF_INET6 && sixes++ == 0) {
            memcpy(six, here, sizeof six);
        }
    }
    freeifaddrs(list);
    if (fours > 1) {
        return toward_elsewhere(host);
    }
    memcpy(host, fours == 1 ? four : six, PLACE_TEXT_MAX);
    return fours == 1 || sixes == 1;
}
