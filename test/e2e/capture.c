#include "capture.h"

#include <arpa/inet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <netpacket/packet.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOMENT_MS = 50, PACKET_MAX = 70000, BUFFER_BYTES = 8 << 20 };

bool capture_open(struct capture *capture, const char *host)
{
    struct sockaddr_ll place = {.sll_family = AF_PACKET,
                                .sll_protocol = htons(ETH_P_IP),
                                .sll_ifindex = (int)if_nametoindex("lo")};
    struct sockaddr_in own = {.sin_family = AF_INET};
    const int bytes = BUFFER_BYTES;

    *capture = (struct capture){.stranger = -1};
    capture->packets = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, htons(ETH_P_IP));
    if (capture->packets < 0 || inet_pton(AF_INET, host, &capture->host) != 1) {
        return false;
    }
    (void)setsockopt(capture->packets, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes);
    own.sin_addr.s_addr = capture->host;
    capture->stranger = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    capture->items = calloc(CAPTURE_MAX, sizeof capture->items[0]);
    return capture->items != NULL &&
           bind(capture->packets, (struct sockaddr *)&place, sizeof place) == 0 &&
           bind(capture->stranger, (struct sockaddr *)&own, sizeof own) == 0;
}

void capture_close(struct capture *capture)
{
    if (capture->packets >= 0) {
        (void)close(capture->packets);
    }
    if (capture->stranger >= 0) {
        (void)close(capture->stranger);
    }
    free(capture->items);
}

/* Keeps the packet, if it is a datagram to the host. */
static void keep_packet(struct capture *capture, const uint8_t *packet, size_t length)
{
    struct iphdr ip;
    struct udphdr udp;

    if (length < sizeof ip) {
        return;
    }
    memcpy(&ip, packet, sizeof ip);
    const size_t start = (size_t)4 * ip.ihl;
    if (ip.protocol != IPPROTO_UDP || ip.daddr != capture->host || length < start + sizeof udp) {
        return;
    }
    memcpy(&udp, packet + start, sizeof udp);
    const size_t content = (size_t)ntohs(udp.len) - sizeof udp;
    if (content > CAPTURED_BYTES_MAX || start + sizeof udp + content > length ||
        capture->count == CAPTURE_MAX) {
        return;
    }
    struct captured *record = &capture->items[capture->count++];
    record->port = ntohs(udp.dest);
    record->length = (uint16_t)content;
    memcpy(record->bytes, packet + start + sizeof udp, content);
}

static bool has_more(int fd)
{
    struct pollfd look = {.fd = fd, .events = POLLIN};

    return poll(&look, 1, MOMENT_MS) > 0;
}

void capture_more(struct capture *capture)
{
    static uint8_t packet[PACKET_MAX];
    struct sockaddr_ll from;

    if (!has_more(capture->packets)) {
        return;
    }
    for (;;) {
        socklen_t size = sizeof from;
        const ssize_t length = recvfrom(capture->packets, packet, sizeof packet, MSG_DONTWAIT,
                                        (struct sockaddr *)&from, &size);
        if (length < 0) {
            return;
        }
        if (from.sll_pkttype == PACKET_HOST) { /* What leaves is seen once more as it comes. */
            keep_packet(capture, packet, (size_t)length);
        }
    }
}

static void take_answers(struct capture *capture)
{
    uint8_t bytes[CAPTURED_BYTES_MAX];
    ssize_t length;

    while ((length = recv(capture->stranger, bytes, sizeof bytes, MSG_DONTWAIT)) >= 0) {
        capture->bytes_in += (uint64_t)length;
    }
}

void capture_send(struct capture *capture, const struct captured *record, uint16_t port)
{
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_addr.s_addr = capture->host, .sin_port = htons(port)};
    const ssize_t sent = sendto(capture->stranger, record->bytes, record->length, 0,
                                (const struct sockaddr *)&to, sizeof to);

    capture->bytes_out += sent > 0 ? (uint64_t)sent : 0;
    take_answers(capture);
}

void capture_answers(struct capture *capture)
{
    while (has_more(capture->stranger)) {
        take_answers(capture);
    }
}
