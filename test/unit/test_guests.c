/* Connections that have not said HELLO: how many there may be, and who goes. */
#include <criterion/criterion.h>

#include "runtime/sockets/guests.h"

static struct guests guests;
static struct guest items[2 * GUESTS_MAX];

static void setup(void)
{
    guests_init(&guests);
}

TestSuite(guests, .init = setup);

static struct guest *come_from(uint32_t index, const struct address *source)
{
    struct address from = *source;

    from.port = (uint16_t)(1000 + index);
    guests_add(&guests, &items[index], &from);
    return &items[index];
}

Test(guests, so_many_may_wait_and_no_more)
{
    const struct address source = {.family = 4, .bytes = {10, 0, 0, 1}};

    for (uint32_t i = 0; i < GUESTS_MAX; i++) {
        (void)come_from(i, &source);
        cr_assert_null(guests_excess(&guests));
    }
    (void)come_from(GUESTS_MAX, &source);
    cr_assert_eq(guests_excess(&guests), &items[0], "the oldest");
    guests_remove(&guests, &items[0]);
    cr_assert_null(guests_excess(&guests));
}

Test(guests, who_has_said_hello_is_none)
{
    const struct address source = {.family = 4, .bytes = {10, 0, 0, 1}};
    struct guest never = {.link = {.next = NULL}};

    for (uint32_t i = 0; i < 2 * GUESTS_MAX; i++) {
        struct guest *guest = come_from(i, &source);
        guests_remove(&guests, guest);
        guests_remove(&guests, guest);
        cr_assert_null(guests_excess(&guests));
    }
    guests_remove(&guests, &never);
    cr_assert_eq(guests.count, 0);
}

/* One that opens connections by the hundred loses its own, not those of others. */
Test(guests, a_source_keeps_no_other_one_out)
{
    const struct address many = {.family = 4, .bytes = {10, 0, 0, 1}};
    const struct address one = {.family = 4, .bytes = {10, 0, 0, 2}};

    (void)come_from(0, &one);
    for (uint32_t i = 1; i <= GUESTS_MAX; i++) {
        (void)come_from(i, &many);
    }
    cr_assert_eq(guests_excess(&guests), &items[1]);
}

/* Who has a network of IPv6 has as many addresses as it likes. */
Test(guests, a_network_of_ipv6_is_one_source)
{
    const struct address one = {.family = 6, .bytes = {0x20, 1, 0xd, 0xb8, 0, 0, 0, 2}};
    struct address many = {.family = 6, .bytes = {0x20, 1, 0xd, 0xb8, 0, 0, 0, 1}};

    (void)come_from(0, &one);
    (void)come_from(1, &one);
    for (uint32_t i = 2; i <= GUESTS_MAX; i++) {
        many.bytes[15] = (uint8_t)i;
        (void)come_from(i, &many);
    }
    cr_assert_eq(guests_excess(&guests), &items[2]);
}
