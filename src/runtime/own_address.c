#include "runtime/own_address.h"

#include "runtime/host_address.h"
#include "words/address_text.h"

static void look(uv_timer_t *timer)
{
    struct own_address *watch = timer->data;
    const bool gone = !host_address_is_here(&watch->address);
    char text[ADDRESS_TEXT_MAX];

    if (gone == watch->gone) {
        return;
    }
    watch->gone = gone;
    (void)address_host_text(&watch->address, text);
    if (gone) {
        log_line(watch->log, LOG_WARN, "address",
                 "%s is gone from this host, and the others know this node by it: give it back, or "
                 "start doyend again, with another --listen and --advertise if they name it",
                 text);
    } else {
        log_line(watch->log, LOG_INFO, "address", "%s is on this host again", text);
    }
}

void own_address_watch(struct own_address *watch, uv_loop_t *loop, struct latch *latch,
                       struct log *log, const struct address *address)
{
    watch->latch = latch;
    watch->log = log;
    watch->address = *address;
    (void)uv_timer_init(loop, &watch->timer); /* cannot fail */
    watch->timer.data = watch;
    latch_acquire(latch);
    if (host_address_is_here(address)) {
        (void)uv_timer_start(&watch->timer, look, OWN_ADDRESS_LOOK_MS, OWN_ADDRESS_LOOK_MS);
    }
}

static void on_closed(uv_handle_t *handle)
{
    struct own_address *watch = handle->data;

    latch_release(watch->latch);
}

void own_address_close(struct own_address *watch)
{
    uv_close((uv_handle_t *)&watch->timer, on_closed);
}
