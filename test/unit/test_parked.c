/* Memory that is packed while nobody looks at it. */
#include <criterion/criterion.h>
#include <string.h>

#include "witness/parked.h"

enum { SIZE = 64 * 4096 };

static uint8_t *memory;
static struct parked parked;

static void setup(void)
{
    memory = parked_map(SIZE);
    cr_assert_not_null(memory);
}

static void teardown(void)
{
    parked_unmap(memory, SIZE, &parked);
}

TestSuite(parked, .init = setup, .fini = teardown);

/* Runs at the beginning, at the end, across pages, with gaps of all lengths. */
static void fill(uint8_t *at)
{
    uint32_t state = 1;

    memset(at, 0xa5, 100);
    memset(at + 4090, 0x5a, 12);
    at[SIZE - 1] = 7;
    for (size_t i = 8192; i < 16384; i += 1 + state % 60) {
        state = state * 1103515245 + 12345;
        at[i] = (uint8_t)(state >> 16);
    }
}

Test(parked, what_was_in_it_is_there_again)
{
    static uint8_t before[SIZE];

    fill(memory);
    fill(before);
    for (int i = 0; i < 3; i++) {
        parked_pack(&parked, memory, SIZE);
        cr_assert_not_null(parked.packed);
        cr_assert_lt(parked.length, 16384, "%zu bytes", parked.length);
        cr_assert_eq(memory[0], 0, "its pages went back to the system");
        parked_unpack(&parked, memory);
        cr_assert_null(parked.packed);
        cr_assert_eq(memcmp(memory, before, SIZE), 0);
    }
}

Test(parked, nothing_but_zeros_takes_nothing)
{
    parked_pack(&parked, memory, SIZE);
    cr_assert_not_null(parked.packed);
    cr_assert_eq(parked.length, 0);
    parked_unpack(&parked, memory);
    cr_assert_eq(memory[SIZE - 1], 0);
}

Test(parked, doing_it_twice_is_harmless)
{
    memory[8] = 9;
    parked_pack(&parked, memory, SIZE);
    parked_pack(&parked, memory, SIZE);
    parked_unpack(&parked, memory);
    parked_unpack(&parked, memory);
    cr_assert_eq(memory[8], 9);
}
