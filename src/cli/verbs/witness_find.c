#include "cli/verbs/witness_find.h"

#include <netdb.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static enum exit_code refuse(enum exit_code code, const char *text, const char *why)
{
    struct failure failure;

    failure_set(&failure, code, "--witness %.200s: %s", text, why);
    return failure_report(&failure);
}

/* Does it end in a port or in the address? "::1:7420" may be meant as either. */
static bool is_ambiguous(const char *text)
{
    const char *colon = strrchr(text, ':');
    char apart[PLACE_TEXT_MAX];
    char host[PLACE_HOST_MAX];
    uint16_t port;

    if (colon == NULL || !place_is_address(text, AF_INET6)) {
        return false;
    }
    snprintf(apart, sizeof apart, "[%.*s]%s", (int)(colon - text), text, colon);
    return place_split(apart, DOYEND_PORT, host, &port);
}

/* Writes the first address of that host, with the port. Returns 0 or an error of getaddrinfo. */
static int look_up(const char *host, uint16_t port, char address[PLACE_TEXT_MAX])
{
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    char service[8];

    snprintf(service, sizeof service, "%u", (unsigned)port);
    const int error = getaddrinfo(host, service, &hints, &found);
    if (error == 0) {
        (void)place_text(found->ai_addr, address);
        freeaddrinfo(found);
    }
    return error;
}

enum exit_code witness_find(const char *text, char address[PLACE_TEXT_MAX])
{
    char host[PLACE_HOST_MAX];
    char number[PLACE_HOST_MAX];
    char why[160];
    uint16_t port;

    if (is_ambiguous(text) || !place_split(text, DOYEND_PORT, host, &port)) {
        return refuse(EXIT_USAGE, text,
                      "give HOST:PORT, as in 10.0.0.9:7420 or [2001:db8::9]:7420");
    }
    const int error = look_up(host, port, address);
    if (error != 0) {
        snprintf(why, sizeof why, "%s: give its address, or a name that this host can look up",
                 gai_strerror(error));
        return refuse(EXIT_REFUSED, text, why);
    }
    if (!place_split(address, DOYEND_PORT, number, &port) || !place_is_of_one_host(number)) {
        return refuse(EXIT_USAGE, text,
                      "that is no address of one host that the nodes can send to: give one that "
                      "they reach");
    }
    if (!place_is_number(host)) {
        fprintf(stderr, "doyen: %s is %s: the cluster keeps that address\n", host, address);
    }
    return EXIT_DONE;
}
