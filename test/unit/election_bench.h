/* A few participants of one election, and the messages between them: one at a time, in the order in
 * which they were sent; nothing is lost but what a test drops. */
#ifndef UNIT_ELECTION_BENCH_H
#define UNIT_ELECTION_BENCH_H

#include "election/participant.h"

enum { BENCH_MAX = 12, BENCH_MESSAGES_MAX = 4096 };

struct election_bench {
    uint64_t now_ms;
    struct roster roster;
    struct participant participants[BENCH_MAX]; /* by age, from 1 */
    bool gone[BENCH_MAX];
    struct election_message sent[BENCH_MESSAGES_MAX];
    size_t sent_count;
    size_t taken_count;
    enum election_message_type dropped; /* ELECTION_MESSAGE_TYPE_COUNT: nothing is lost */
};

/* Members of ages 1 to `count` in their first view, which has not chosen a leader: the higher the
 * age, the better. Nothing starts by itself. The bench is the caller's to free. */
struct election_bench *poll_new(const struct election_algorithm *algorithm, size_t count);

struct participant *poll_at(struct election_bench *bench, uint64_t age);
void poll_start(struct election_bench *bench, uint64_t age);

/* A new view, without that member, for all others. */
void poll_remove(struct election_bench *bench, uint64_t age);

/* Sends what a step has put out. */
void poll_send(struct election_bench *bench, const struct election_out *out);

/* Delivers all that is under way, and all that follows. */
void poll_run(struct election_bench *bench);

/* The same, and lets each timer fire that is due within `ms`. */
void poll_pass(struct election_bench *bench, uint64_t ms);

/* One heartbeat of each. */
void poll_heartbeats(struct election_bench *bench);

/* Messages of that type so far, lost ones too. */
size_t poll_count(const struct election_bench *bench, enum election_message_type type);

/* Whom all follow; NOBODY when they do not agree, or one follows nobody. */
uint64_t poll_leader(struct election_bench *bench);

#endif
