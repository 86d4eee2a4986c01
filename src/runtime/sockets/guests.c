#include "runtime/sockets/guests.h"

#include <string.h>

enum { SOURCE_BYTES_4 = 4, SOURCE_BYTES_6 = 8 };

void guests_init(struct guests *guests)
{
    chain_init(&guests->all);
    guests->count = 0;
}

void guests_add(struct guests *guests, struct guest *guest, const struct address *from)
{
    guest->from = *from;
    chain_init(&guest->link);
    chain_insert(&guests->all, &guest->link);
    guests->count++;
}

void guests_remove(struct guests *guests, struct guest *guest)
{
    if (guest->link.next != NULL && !chain_is_empty(&guest->link)) {
        chain_remove(&guest->link);
        guests->count--;
    }
}

static bool is_same_source(const struct address *a, const struct address *b)
{
    return a->family == b->family &&
           memcmp(a->bytes, b->bytes, a->family == 4 ? SOURCE_BYTES_4 : SOURCE_BYTES_6) == 0;
}

static uint32_t count_from(const struct guests *guests, const struct address *source)
{
    uint32_t count = 0;

    for (struct chain *at = guests->all.next; at != &guests->all; at = at->next) {
        count += is_same_source(&CHAIN_ITEM(at, struct guest, link)->from, source);
    }
    return count;
}

struct guest *guests_excess(const struct guests *guests)
{
    struct guest *excess = NULL;
    uint32_t most = 0;

    if (guests->count <= GUESTS_MAX) {
        return NULL;
    }
    for (struct chain *at = guests->all.next; at != &guests->all; at = at->next) {
        struct guest *guest = CHAIN_ITEM(at, struct guest, link);
        const uint32_t count = count_from(guests, &guest->from);
        if (count > most) {
            excess = guest;
            most = count;
        }
    }
    return excess;
}
