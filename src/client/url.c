#include "client/url.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/text.h"

#define SCHEME "http://"

void url_authority(const struct target *target, char authority[TARGET_URL_MAX + 1])
{
    const char *text = target->url[0] == '\0' ? "doyen" : target->url + strlen(SCHEME);

    (void)text_set(authority, TARGET_URL_MAX + 1, text, strlen(text)); /* A part of the URL. */
}

/* Cuts "host:port" and "[address]:port" in two, in place. */
static void split_port(char *authority, const char **host, const char **port)
{
    char *colon = strrchr(authority, ':');
    char *bracket = strrchr(authority, ']');

    *host = authority;
    *port = "80";
    if (colon != NULL && (bracket == NULL || colon > bracket)) {
        *colon = '\0';
        *port = colon + 1;
    }
    if (authority[0] == '[' && bracket != NULL) {
        *bracket = '\0';
        *host = authority + 1;
    }
}

bool url_has_port(const struct target *target)
{
    char authority[TARGET_URL_MAX + 1];

    url_authority(target, authority);
    const char *bracket = strrchr(authority, ']');
    return strchr(bracket == NULL ? authority : bracket, ':') != NULL;
}

int url_resolve(const struct target *target, struct addrinfo **addresses, struct problem *problem)
{
    const struct addrinfo wish = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    char authority[TARGET_URL_MAX + 1];
    const char *host = NULL;
    const char *port = NULL;

    url_authority(target, authority);
    split_port(authority, &host, &port);
    *addresses = NULL;
    if (port[0] == '\0' || strlen(port) > 5 || port[strspn(port, "0123456789")] != '\0' ||
        strtoul(port, NULL, 10) - 1 >= UINT16_MAX) {
        return problem_set(problem, DOYEN_E_USAGE, "%s %s: %s is not the number of a port",
                           target->names.url, target->url, port);
    }
    if (getaddrinfo(host, port, &wish, addresses) != 0) {
        return problem_set(problem, DOYEN_E_UNREACHABLE,
                           "cannot reach the daemon at %s: that host name is not known",
                           target->url);
    }
    return 0;
}
