/* Finds out why no seed lets this node join: while the node waits, or is the only member, it
 * connects to each seed by TCP and says HELLO. The result is for the operator alone and changes
 * nothing else. */
#ifndef RUNTIME_SEED_CHECK_H
#define RUNTIME_SEED_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/sockets/stream.h"

enum {
    SEED_CHECKS_MAX = 16,
    SEED_CHECK_AGAIN_MS = 5000,
    SEED_WORDS_MAX = 600, /* bytes of seed_checker_words, with the zero */
};

/* What one address answered. */
enum seed_answer {
    SEED_UNREACHABLE, /* no connection yet: the host or the network does not answer */
    SEED_REFUSED,     /* the host answers, and nobody listens there */
    SEED_MUTE,        /* connected, and no HELLO came: its process is stopped or overloaded */
    SEED_FOREIGN,     /* it closed the connection at our HELLO: another cluster, or no doyend */
    SEED_OURS,        /* a node of this cluster said HELLO */
    SEED_ANSWERS,
};

struct seed_checker;

struct seed_check {
    struct seed_checker *checker;
    struct stream *stream; /* NULL: no check is under way */
    struct address to;
    enum seed_answer answer;
};

struct seed_checker {
    struct streams *streams;
    uint64_t again_ms; /* not before */
    uint32_t count;
    bool only_own; /* the seeds are one address, this node's own */
    struct seed_check checks[SEED_CHECKS_MAX];
};

/* `checker` is zeroed and stays where it is. No seed is checked before `first_ms` (monotonic). */
void seed_checker_open(struct seed_checker *checker, struct streams *streams, uint64_t first_ms);

/* Checks these addresses except `own`. Does nothing within SEED_CHECK_AGAIN_MS of the last time. */
void seed_checker_run(struct seed_checker *checker, const struct address *addresses, uint32_t count,
                      const struct address *own, uint64_t now_ms);

/* Ends the checks under way; the answers stay. */
void seed_checker_stop(struct seed_checker *checker);

/* Writes the answers as text for people. Returns false when no address was checked. */
bool seed_checker_words(const struct seed_checker *checker, char out[SEED_WORDS_MAX]);

/* The same of those alone that are of another cluster; false: none of them is. */
bool seed_checker_foreign(const struct seed_checker *checker, char out[SEED_WORDS_MAX]);

#endif
