/* Records the datagrams that pass on the loopback interface, as somebody on the path would, and
 * sends them again. */
#ifndef E2E_CAPTURE_H
#define E2E_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CAPTURE_MAX = 16384, CAPTURED_BYTES_MAX = 1500 };

struct captured {
    uint16_t port; /* that it went to */
    uint16_t length;
    uint8_t bytes[CAPTURED_BYTES_MAX];
};

struct capture {
    int packets;   /* the socket that sees what passes */
    int stranger;  /* the socket that sends it again */
    uint32_t host; /* of the cluster, in network order */
    size_t count;
    struct captured *items;
    uint64_t bytes_out; /* sent by the stranger, and what came back to it */
    uint64_t bytes_in;
};

/* Begins to record what goes to the host ("127.1.2.3"). False: that takes root. */
bool capture_open(struct capture *capture, const char *host);
void capture_close(struct capture *capture);

/* Takes what has passed, waiting for a moment if there is nothing. */
void capture_more(struct capture *capture);

/* Sends one record to the port, and takes the answers that have come. */
void capture_send(struct capture *capture, const struct captured *record, uint16_t port);

/* Takes answers until there are none for a moment. */
void capture_answers(struct capture *capture);

#endif
