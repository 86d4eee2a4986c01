/* Places on the loopback interface that nobody else has: an address for each process, so that
 * several of them may run side by side, and free ports on it. */
#ifndef E2E_LOOPBACK_H
#define E2E_LOOPBACK_H

#include <stdint.h>

enum { HOST_TEXT_MAX = 16 };

/* An address of 127.0.0.0/8 that follows from the id of this process. */
void loopback_host(char host[HOST_TEXT_MAX]);

/* A port of that address which is free for datagrams and for streams; 0 when there is none. */
uint16_t loopback_port(const char *host);

#endif
