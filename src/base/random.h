/* A seeded generator: the only source of randomness in the core, so that a run can be repeated.
 *
 * xoshiro256** by Blackman and Vigna (2018), seeded with their splitmix64. Not for secrets. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state[4];
};

/* Starts the generator; equal seeds give equal sequences. Any value is a good seed. */
void random_seed(struct random *random, uint64_t seed);

/* Starts it from 256 bits that the caller drew from the system, for ids that must never collide. */
void random_seed_wide(struct random *random, const uint64_t seed[4]);

uint64_t random_u64(struct random *random);

/* Returns a value in [0, bound); 0 when bound is 0. */
uint64_t random_below(struct random *random, uint64_t bound);

/* Returns a value in [low, high], both included; `low` when high < low. */
uint64_t random_between(struct random *random, uint64_t low, uint64_t high);

/* Returns `base` plus or minus up to `percent`: spreads timers that would otherwise fire together.
 */
uint64_t random_jitter(struct random *random, uint64_t base, uint64_t percent);

#endif
