#include "cli/verbs/witness_find.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_MAX = 256, PORT_TEXT_MAX = 6 };
#define PORT_DEFAULT "7420" /* of doyend and doyen-witness */

static enum exit_code refuse(enum exit_code code, const char *text, const char *why)
{
    struct failure failure;

    failure_set(&failure, code, "--witness %.200s: %s", text, why);
    return failure_report(&failure);
}

/* Copies what stands before `end`; false: it is empty, or too long. */
static bool copy_host(const char *from, const char *end, char host[HOST_MAX])
{
    const size_t length = (size_t)(end - from);

    if (length == 0 || length >= HOST_MAX) {
        return false;
    }
    memcpy(host, from, length);
    host[length] = '\0';
    return true;
}

static bool copy_port(const char *from, char port[PORT_TEXT_MAX])
{
    const size_t length = strlen(from);

    if (length == 0 || length >= PORT_TEXT_MAX || from[strspn(from, "0123456789")] != '\0') {
        return false;
    }
    memcpy(port, from, length + 1);
    return strtoul(port, NULL, 10) >= 1 && strtoul(port, NULL, 10) <= UINT16_MAX;
}

static bool is_ipv6(const char *text)
{
    struct in6_addr address;

    return inet_pton(AF_INET6, text, &address) == 1;
}

/* Does it end in a port or in the address? "::1:7420" may be meant as either. */
static bool is_ambiguous(const char *text)
{
    const char *colon = strrchr(text, ':');
    char host[HOST_MAX];
    char port[PORT_TEXT_MAX];

    return text[0] != '[' && colon != NULL && is_ipv6(text) && copy_host(text, colon, host) &&
           is_ipv6(host) && copy_port(colon + 1, port);
}

/* Can a node send to it? Not to all of a network, nor to what is another one on each host. */
static bool is_of_one_host(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET6) {
        const struct in6_addr *ip =
            &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
        return !IN6_IS_ADDR_UNSPECIFIED(ip) && !IN6_IS_ADDR_MULTICAST(ip) &&
               !IN6_IS_ADDR_LINKLOCAL(ip);
    }
    const in_addr_t ip = ntohl(
        ((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr);
    return ip != INADDR_ANY && ip != INADDR_BROADCAST && !IN_MULTICAST(ip);
}

/* Cuts it up; an address of IPv6 without brackets has no port. */
static bool split(const char *text, char host[HOST_MAX], char port[PORT_TEXT_MAX])
{
    const char *colon = strrchr(text, ':');
    const char *bracket = text[0] == '[' ? strchr(text, ']') : NULL;

    snprintf(port, PORT_TEXT_MAX, PORT_DEFAULT);
    if (text[0] == '[') {
        return bracket != NULL && copy_host(text + 1, bracket, host) &&
               (bracket[1] == '\0' || (bracket[1] == ':' && copy_port(bracket + 2, port)));
    }
    if (colon == NULL || strchr(text, ':') != colon) {
        return copy_host(text, text + strlen(text), host);
    }
    return copy_host(text, colon, host) && copy_port(colon + 1, port);
}

static bool is_literal(const char *host)
{
    struct in_addr address;

    return inet_pton(AF_INET, host, &address) == 1 || is_ipv6(host);
}

enum exit_code witness_find(const char *text, char address[WITNESS_ADDRESS_MAX])
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *found = NULL;
    char host[HOST_MAX];
    char port[PORT_TEXT_MAX];
    char number[INET6_ADDRSTRLEN + 1];
    char why[160];

    if (is_ambiguous(text) || !split(text, host, port)) {
        return refuse(EXIT_USAGE, text,
                      "give HOST:PORT, as in 10.0.0.9:7420 or [2001:db8::9]:7420");
    }
    const int error = getaddrinfo(host, port, &hints, &found);
    if (error != 0) {
        snprintf(why, sizeof why, "%s: give its address, or a name that this host can look up",
                 gai_strerror(error));
        return refuse(EXIT_REFUSED, text, why);
    }
    if (!is_of_one_host(found->ai_addr)) {
        freeaddrinfo(found);
        return refuse(EXIT_USAGE, text,
                      "that is no address of one host that the nodes can send to: give one that "
                      "they reach");
    }
    const bool has_colons = found->ai_family == AF_INET6;
    const int converted = getnameinfo(found->ai_addr, found->ai_addrlen, number, sizeof number,
                                      NULL, 0, NI_NUMERICHOST);
    freeaddrinfo(found);
    if (converted != 0) {
        return refuse(EXIT_REFUSED, text, gai_strerror(converted));
    }
    snprintf(address, WITNESS_ADDRESS_MAX, has_colons ? "[%.46s]:%s" : "%.46s:%s", number, port);
    if (!is_literal(host)) {
        fprintf(stderr, "doyen: %s is %s: the cluster keeps that address\n", host, address);
    }
    return EXIT_DONE;
}
