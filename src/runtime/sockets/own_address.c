#include "runtime/sockets/own_address.h"

#include "runtime/host/host_address.h"
#include "words/address_text.h"

static void say(const struct own_address *watch)
{
    char text[ADDRESS_GONE_TEXT_MAX];

    if (watch->gone) {
        log_line(watch->log, LOG_WARN, "address", "%s: " ADDRESS_GONE_NEXT,
                 address_gone_text(&watch->address, &watch->another, text));
    } else {
        log_line(watch->log, LOG_INFO, "address", "%s is on this host again",
                 address_host_text(&watch->address, text));
    }
}

/* By which the way to somebody else goes, which is the one that they would see. */
static struct address find_another(const struct own_address *watch)
{
    struct address another;
    struct address to;

    if (!watch->find_other(watch->context, &to) || !host_address_toward(&to, &another)) {
        return (struct address){.family = 0};
    }
    another.port = watch->address.port;
    return another;
}

static void look(uv_timer_t *timer)
{
    struct own_address *watch = timer->data;
    const bool gone = !host_address_is_here(&watch->address);
    const struct address another = gone ? find_another(watch) : (struct address){.family = 0};

    if (gone == watch->gone && address_equal(&another, &watch->another)) {
        return;
    }
    watch->gone = gone;
    watch->another = another;
    say(watch);
    watch->on_change(watch->context);
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
