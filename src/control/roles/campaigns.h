/* The campaigns of clients: each is a connection that was HTTP once and stays open for as long as
 * its client stands for a role. What happens goes over it as JSON, a line for each event; when it
 * ends, the role is let go (control.md). */
#ifndef CONTROL_CAMPAIGNS_H
#define CONTROL_CAMPAIGNS_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "control/roles/campaign_request.h"
#include "runtime/node/node.h"
#include "runtime/process/log.h"

enum { CAMPAIGNS_MAX = ROLE_OWN_MAX };

struct campaign;

/* All zero but for `loop`, `node` and `log` is a set without campaigns. */
struct campaigns {
    uv_loop_t *loop;
    struct node *node;
    struct log *log;
    struct campaign *first;
    uint32_t count;
    bool woken; /* a connection was ended: the daemons have to be run */
};

/* May another client stand for a role? */
bool campaigns_have_room(struct campaigns *campaigns);

/* Begins a campaign over the socket, which is the library's to close, by `connection`. False when
 * there are too many, or memory ran out: the caller closes it then. */
bool campaigns_start(struct campaigns *campaigns, const struct campaign_request *request,
                     MHD_socket fd, struct MHD_UpgradeResponseHandle *connection);

/* Has all clients that stand for the role stand no more; returns how many there are. */
uint32_t campaigns_resign(struct campaigns *campaigns, const char *role);

/* What others read of the clients that stand for that role; returns how many those are. */
uint32_t campaigns_set_value(struct campaigns *campaigns, const struct campaign_value *value);

/* Ends the connections whose campaign is over, once the client has read so, and those whose client
 * reads nothing: outside of steps. */
void campaigns_sweep(struct campaigns *campaigns);

/* Ends all connections. The daemons have to be run after it. */
void campaigns_close(struct campaigns *campaigns);

#endif
