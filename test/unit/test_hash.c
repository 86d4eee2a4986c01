#include "base/hash.h"

#include <criterion/criterion.h>
#include <string.h>

static uint64_t hash_of(const char *text)
{
    return hash_bytes(HASH_START, text, strlen(text));
}

/* The test vectors that the authors of FNV publish. */
Test(hash, agrees_with_the_published_vectors)
{
    cr_assert_eq(hash_of(""), 0xcbf29ce484222325U);
    cr_assert_eq(hash_of("a"), 0xaf63dc4c8601ec8cU);
    cr_assert_eq(hash_of("foobar"), 0x85944171f73967e8U);
}

/* Views are compared by hash between machines of either byte order, so an integer counts as its
 * bytes from the lowest up, wherever it is hashed. */
Test(hash, takes_integers_from_the_lowest_byte_up)
{
    static const uint8_t bytes[] = {0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01};

    cr_assert_eq(hash_u64(HASH_START, 0x0102030405060708U),
                 hash_bytes(HASH_START, bytes, sizeof bytes));
}

Test(hash, takes_small_integers_like_their_eight_bytes)
{
    static const uint64_t values[] = {0, 1, 0x7f, 0xff, 0x100, 0xff00};

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        uint8_t bytes[8];
        for (unsigned k = 0; k < 8; k++) {
            bytes[k] = (uint8_t)(values[i] >> (8 * k));
        }
        cr_assert_eq(hash_u64(HASH_START, values[i]), hash_bytes(HASH_START, bytes, 8));
    }
}

Test(hash, goes_on_where_it_stopped)
{
    cr_assert_eq(hash_bytes(hash_of("foo"), "bar", 3), hash_of("foobar"));
}

/* A table takes the lowest bits, so hashes that differ only in their highest byte must differ there
 * too, about as often as chance has it: 256 keys leave some 94 of 256 slots empty. */
Test(hash, brings_the_highest_bits_down_for_a_table)
{
    bool used[256] = {false};
    unsigned count = 0;

    for (uint64_t top = 0; top < 256; top++) {
        size_t slot = hash_finish(top << 56) & 255;
        count += !used[slot];
        used[slot] = true;
    }

    cr_assert(count > 130, "only %u slots used", count);
}
