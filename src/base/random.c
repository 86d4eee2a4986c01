#include "base/random.h"

static uint64_t rotate_left(uint64_t value, unsigned bits)
{
    return (value << bits) | (value >> (64 - bits));
}

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

void random_seed(struct random *random, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        random->state[i] = splitmix64(&seed);
    }
}

void random_seed_wide(struct random *random, const uint64_t seed[4])
{
    for (int i = 0; i < 4; i++) {
        uint64_t word = seed[i];
        random->state[i] = splitmix64(&word); /* Never all zero, the one state that would stick. */
    }
}

uint64_t random_u64(struct random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint64_t random_below(struct random *random, uint64_t bound)
{
    /* The bias of a plain remainder is below 2^-32 for every bound used here. */
    return bound == 0 ? 0 : random_u64(random) % bound;
}

uint64_t random_between(struct random *random, uint64_t low, uint64_t high)
{
    return high <= low ? low : low + random_below(random, high - low + 1);
}

uint64_t random_jitter(struct random *random, uint64_t base, uint64_t percent)
{
    uint64_t spread = base * percent / 100;
    return random_between(random, base - spread, base + spread);
}
