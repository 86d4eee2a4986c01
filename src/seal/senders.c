#include "seal/senders.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>

static uint32_t *bucket_of(const struct senders *senders, const struct node_id *life)
{
    return &senders->buckets[id_hash(life) & senders->bucket_mask];
}

static uint32_t index_of(const struct senders *senders, const struct sender *sender)
{
    return (uint32_t)(sender - senders->items);
}

bool senders_open(struct senders *senders, uint32_t capacity)
{
    uint32_t bucket_count = 16;

    assert(capacity > 0 && capacity < SENDER_NONE / 2);
    while (bucket_count < capacity) {
        bucket_count *= 2;
    }
    /* calloc touches no page that nobody comes to use. */
    senders->items = calloc(capacity, sizeof senders->items[0]);
    senders->buckets = malloc(bucket_count * sizeof senders->buckets[0]);
    if (senders->items == NULL || senders->buckets == NULL) {
        senders_close(senders);
        return false;
    }
    for (uint32_t i = 0; i < bucket_count; i++) {
        senders->buckets[i] = SENDER_NONE;
    }
    senders->capacity = capacity;
    senders->bucket_mask = bucket_count - 1;
    senders->free = 0;
    senders->newest = SENDER_NONE;
    senders->oldest = SENDER_NONE;
    return true;
}

void senders_close(struct senders *senders)
{
    if (senders->items != NULL) {
        sodium_memzero(senders->items, senders->free * sizeof senders->items[0]);
    }
    free(senders->items);
    free(senders->buckets);
    senders->items = NULL;
    senders->buckets = NULL;
}

struct sender *senders_find(const struct senders *senders, const struct node_id *life)
{
    uint32_t at = *bucket_of(senders, life);

    while (at != SENDER_NONE && !id_equal(&senders->items[at].name.life, life)) {
        at = senders->items[at].next;
    }
    return at == SENDER_NONE ? NULL : &senders->items[at];
}

/* Takes it out of the row of age. */
static void unlink_age(struct senders *senders, struct sender *sender)
{
    *(sender->newer == SENDER_NONE ? &senders->newest
                                   : &senders->items[sender->newer].older) = sender->older;
    *(sender->older == SENDER_NONE ? &senders->oldest
                                   : &senders->items[sender->older].newer) = sender->newer;
}

static void link_newest(struct senders *senders, struct sender *sender)
{
    const uint32_t index = index_of(senders, sender);

    sender->newer = SENDER_NONE;
    sender->older = senders->newest;
    if (senders->newest != SENDER_NONE) {
        senders->items[senders->newest].newer = index;
    } else {
        senders->oldest = index;
    }
    senders->newest = index;
}

static void forget(struct senders *senders, struct sender *sender)
{
    uint32_t *at = bucket_of(senders, &sender->name.life);

    while (*at != index_of(senders, sender)) {
        assert(*at != SENDER_NONE);
        at = &senders->items[*at].next;
    }
    *at = sender->next;
    unlink_age(senders, sender);
}

struct sender *senders_add(struct senders *senders, const struct node_id *life)
{
    struct sender *sender;
    uint32_t *bucket = bucket_of(senders, life);

    assert(senders_find(senders, life) == NULL);
    if (senders->free < senders->capacity) {
        sender = &senders->items[senders->free++];
    } else {
        sender = &senders->items[senders->oldest];
        forget(senders, sender);
    }
    *sender = (struct sender){.name.life = *life, .next = *bucket};
    *bucket = index_of(senders, sender);
    link_newest(senders, sender);
    return sender;
}

void senders_forget_keys(struct senders *senders)
{
    for (uint32_t i = 0; i < senders->free; i++) {
        sodium_memzero(senders->items[i].key, KEY_BYTES);
        senders->items[i].is_derived = false;
    }
}

void senders_touch(struct senders *senders, struct sender *sender)
{
    if (senders->newest != index_of(senders, sender)) {
        unlink_age(senders, sender);
        link_newest(senders, sender);
    }
}
