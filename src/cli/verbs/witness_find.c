#include "cli/verbs/witness_find.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
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
    return true;
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
    struct in6_addr address;

    return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1;
}

enum exit_code witness_find(const char *text, char address[WITNESS_ADDRESS_MAX])
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM};
    struct addrinfo *found = NULL;
    char host[HOST_MAX];
    char port[PORT_TEXT_MAX];
    char number[INET6_ADDRSTRLEN + 1];

    if (!split(text, host, port)) {
        return refuse(EXIT_USAGE, text,
                      "give HOST:PORT, as in 10.0.0.9:7420 or [2001:db8::9]:7420");
    }
    const int error = getaddrinfo(host, port, &hints, &found);
    if (error != 0) {
        return refuse(EXIT_REFUSED, text, gai_strerror(error));
    }
    const bool is_ipv6 = found->ai_family == AF_INET6;
    const int converted = getnameinfo(found->ai_addr, found->ai_addrlen, number, sizeof number,
                                      NULL, 0, NI_NUMERICHOST);
    freeaddrinfo(found);
    if (converted != 0) {
        return refuse(EXIT_REFUSED, text, gai_strerror(converted));
    }
    snprintf(address, WITNESS_ADDRESS_MAX, is_ipv6 ? "[%.46s]:%s" : "%.46s:%s", number, port);
    if (!is_literal(host)) {
        fprintf(stderr, "doyen: %s is %s: the cluster keeps that address\n", host, address);
    }
    return EXIT_DONE;
}
