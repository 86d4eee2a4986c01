#include "loopback.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    TRIES = 100,
    FIRST_PORT = 10000,
    PORTS = 20000,
    PORTS_EACH = 13, /* of a process, before those of the next one */
};

void loopback_host(char host[HOST_TEXT_MAX])
{
    const unsigned pid = (unsigned)getpid();

    snprintf(host, HOST_TEXT_MAX, "127.%u.%u.%u", 1 + pid / (254 * 256) % 250, pid / 254 % 256,
             1 + pid % 254);
}

/* Binds a socket to the host and the port, 0 for any; returns the port, or 0 when it is taken. */
static uint16_t bind_port(int fd, const char *host, uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    socklen_t length = sizeof address;

    if (inet_pton(AF_INET, host, &address.sin_addr) != 1 ||
        bind(fd, (const struct sockaddr *)&address, sizeof address) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &length) != 0) {
        return 0;
    }
    return ntohs(address.sin_port);
}

static bool is_free(const char *host, uint16_t port)
{
    const int udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const int tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool both = bind_port(udp, host, port) == port && bind_port(tcp, host, port) == port;

    close(udp);
    close(tcp);
    return both;
}

/* Below the ports that the kernel gives to who connects: one of those could be another's connection
 * before the daemon has it that it is meant for. */
uint16_t loopback_port(const char *host)
{
    static unsigned count;

    for (int tries = 0; tries < TRIES; tries++) {
        const unsigned offset = (unsigned)getpid() * PORTS_EACH + count++;
        const uint16_t port = (uint16_t)(FIRST_PORT + offset % PORTS);
        if (is_free(host, port)) {
            return port;
        }
    }
    return 0;
}
