#include "base/random.h"

#include <criterion/criterion.h>
#include <stdint.h>

/* The first values of xoshiro256** with its state filled by splitmix64 from the seed 0, worked out
 * apart from this code. A slip in either would still look random. */
Test(random, gives_the_published_sequence)
{
    static const uint64_t expected[] = {
        0x99ec5f36cb75f2b4U,
        0xbf6e1f784956452aU,
        0x1a5f849d4933e6e0U,
        0x6aa594f1262d2d2cU,
    };
    struct random random;

    random_seed(&random, 0);

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        cr_assert_eq(random_u64(&random), expected[i], "value %zu", i);
    }
}

Test(random, repeats_itself_from_the_same_seed)
{
    struct random one;
    struct random two;

    random_seed(&one, 42);
    random_seed(&two, 42);

    for (int i = 0; i < 100; i++) {
        cr_assert_eq(random_u64(&one), random_u64(&two));
    }
}

Test(random, differs_between_neighbouring_seeds)
{
    struct random one;
    struct random two;

    random_seed(&one, 1);
    random_seed(&two, 2);

    cr_assert_neq(random_u64(&one), random_u64(&two));
}

/* All zero is the one state the generator never leaves; a wide seed of zeros must not lead there.
 */
Test(random, survives_a_wide_seed_of_zeros)
{
    static const uint64_t zeros[4];
    struct random random;

    random_seed_wide(&random, zeros);

    cr_assert_neq(random_u64(&random) | random_u64(&random), 0);
}

Test(random, hears_every_word_of_a_wide_seed)
{
    static const uint64_t plain[4] = {1, 2, 3, 4};
    struct random reference;
    random_seed_wide(&reference, plain);

    for (int i = 0; i < 4; i++) {
        uint64_t seed[4] = {1, 2, 3, 4};
        struct random changed;

        seed[i] ^= 1;
        random_seed_wide(&changed, seed);

        cr_assert_neq(changed.state[i], reference.state[i], "word %d", i);
    }
}

Test(random, stays_below_its_bound_and_reaches_every_value)
{
    struct random random;
    unsigned seen[7] = {0};
    random_seed(&random, 7);

    for (int i = 0; i < 7000; i++) {
        uint64_t value = random_below(&random, 7);
        cr_assert_lt(value, 7);
        seen[value]++;
    }

    for (int value = 0; value < 7; value++) {
        cr_assert(seen[value] > 800 && seen[value] < 1200, "%d came %u times", value, seen[value]);
    }
}

Test(random, has_an_answer_for_empty_ranges)
{
    struct random random;
    random_seed(&random, 1);

    cr_assert_eq(random_below(&random, 0), 0);
    cr_assert_eq(random_below(&random, 1), 0);
    cr_assert_eq(random_between(&random, 9, 9), 9);
    cr_assert_eq(random_between(&random, 9, 3), 9);
}

Test(random, includes_both_ends_of_a_range)
{
    struct random random;
    bool low = false;
    bool high = false;
    random_seed(&random, 3);

    for (int i = 0; i < 200; i++) {
        uint64_t value = random_between(&random, 10, 12);
        cr_assert(value >= 10 && value <= 12);
        low |= value == 10;
        high |= value == 12;
    }

    cr_assert(low && high);
}

Test(random, spreads_a_duration_by_no_more_than_its_percentage)
{
    struct random random;
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    random_seed(&random, 5);

    for (int i = 0; i < 1000; i++) {
        uint64_t value = random_jitter(&random, 1000, 5);
        least = value < least ? value : least;
        most = value > most ? value : most;
    }

    cr_assert(least >= 950 && least < 960, "%ju", (uintmax_t)least);
    cr_assert(most <= 1050 && most > 1040, "%ju", (uintmax_t)most);
    cr_assert_eq(random_jitter(&random, 10, 5), 10); /* Too short to be spread. */
}
