#include "control/http/host.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

/* Extracts the host from "HOST:PORT" or "[V6]:PORT", without the dot that may end a full name. */
static bool cut_host(const char *header, char host[CONFIG_HOST_MAX + 1])
{
    const bool in_brackets = header[0] == '[';
    const char *begin = header + in_brackets;
    size_t length = strcspn(begin, in_brackets ? "]" : ":");

    if (!in_brackets && length > 1 && begin[length - 1] == '.') {
        length--;
    }
    if (in_brackets && begin[length] != ']') {
        return false;
    }
    return length > 0 && text_set(host, CONFIG_HOST_MAX + 1, begin, length);
}

/* No page can claim an address for a name of its own. */
static bool is_address(const char *host)
{
    unsigned char bytes[sizeof(struct in6_addr)];

    return inet_pton(AF_INET, host, bytes) == 1 || inet_pton(AF_INET6, host, bytes) == 1;
}

/* Names of hosts are the same in either case. */
static bool is_first_label(const char *host, const char *whole)
{
    const size_t length = strcspn(whole, ".");

    return length > 0 && strlen(host) == length && strncasecmp(host, whole, length) == 0;
}

bool host_is_this(const char *header, const struct config *config, const char *own_host)
{
    char host[CONFIG_HOST_MAX + 1];

    if (!cut_host(header, host)) {
        return false;
    }
    for (uint32_t i = 0; i < config->http_host_count; i++) {
        if (strcasecmp(host, config->http_hosts[i]) == 0) {
            return true;
        }
    }
    return is_address(host) || strcasecmp(host, "localhost") == 0 ||
           strcasecmp(host, config->name) == 0 || strcasecmp(host, own_host) == 0 ||
           is_first_label(host, own_host);
}
