/* Who a node is and where it listens: the id of one life (rule I1), and an address. */
#ifndef CORE_ID_H
#define CORE_ID_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct random;

/* 128 random bits, drawn for each life: when a process starts, and again when it must come back
 * after having been removed. All zero names nobody. */
struct node_id {
    uint8_t bytes[16];
};

/* An IP address and port. `family` is 4 or 6, or 0 for no address; for family 4 the first four
 * bytes hold the address and the rest are zero. Host byte order in `port`. */
struct address {
    uint8_t bytes[16];
    uint16_t port;
    uint8_t family;
};

struct node_id id_draw(struct random *random);

/* For tables: spread even where ids were chosen to look alike. Differs between machines. */
uint32_t id_hash(const struct node_id *id);

/* Eight bytes as this machine reads them: for those who only compare or hash. */
static inline uint64_t id_word(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Bytes 0 to 7, or 8 to 15. */
static inline uint64_t id_half(const struct node_id *id, unsigned from)
{
    return id_word(id->bytes + from);
}

static inline bool id_is_none(const struct node_id *id)
{
    return (id_half(id, 0) | id_half(id, 8)) == 0;
}

static inline bool id_equal(const struct node_id *a, const struct node_id *b)
{
    return id_half(a, 0) == id_half(b, 0) && id_half(a, 8) == id_half(b, 8);
}

/* Below, equal, above: negative, 0, positive. Any fixed order serves; this one is bytewise. */
int id_compare(const struct node_id *a, const struct node_id *b);

/* Goes on with a hash of base/hash.h, over the bytes of the address, without the port. */
uint64_t address_hash(uint64_t hash, const struct address *address);

static inline bool address_is_none(const struct address *address)
{
    return address->family == 0;
}

static inline bool address_equal(const struct address *a, const struct address *b)
{
    return a->port == b->port && a->family == b->family && id_word(a->bytes) == id_word(b->bytes) &&
           id_word(a->bytes + 8) == id_word(b->bytes + 8);
}

int address_compare(const struct address *a, const struct address *b);

#endif
