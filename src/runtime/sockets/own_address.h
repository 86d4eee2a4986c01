/* Watches whether this host still has the address by which others know this node. */
#ifndef RUNTIME_OWN_ADDRESS_H
#define RUNTIME_OWN_ADDRESS_H

#include <stdbool.h>
#include <uv.h>

#include "core/model/id.h"
#include "runtime/process/log.h"
#include "runtime/sockets/latch.h"

enum { OWN_ADDRESS_LOOK_MS = 5000 };

/* Looks every OWN_ADDRESS_LOOK_MS whether an address of the host is still there, and says once that
 * it has gone, once which other one the host has instead, and that it is back. */
struct own_address {
    uv_timer_t timer;
    struct latch *latch;
    struct log *log;
    struct address address;
    bool gone;
    struct address another; /* once it is gone; none: not known */

    /* The address of anybody on another host. False: nobody is known. */
    bool (*find_other)(void *context, struct address *to);
    void (*on_change)(void *context); /* `gone` or `another` is another than before */
    void *context;
};

/* Watches nothing where the host does not have the address now: then others reach this node by a
 * translation. `watch` is zeroed but for what it calls, and stays where it is. */
void own_address_watch(struct own_address *watch, uv_loop_t *loop, struct latch *latch,
                       struct log *log, const struct address *address);
void own_address_close(struct own_address *watch);

#endif
