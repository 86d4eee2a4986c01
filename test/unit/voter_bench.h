/* One voter of guard strict with a disk, asked directly: the voter is A of A, B and C, and X, Y and
 * Z ask it. Nothing else of its core has a part in it. */
#ifndef TEST_VOTER_BENCH_H
#define TEST_VOTER_BENCH_H

#include "core/core.h"
#include "core/state/state.h"
#include "view_builder.h"

enum { BENCH_LINEAGE = 7 }; /* of the views that view_of builds */

struct voter_bench {
    struct core *core;
    void *block;
    uint64_t now_ms;
    uint64_t lease_ms;     /* its own T_lease; */
    uint64_t asks_ms;      /* and for how long it is asked, */
    uint64_t hold_ms;      /* by somebody with that T_hold */
    enum profile restarts; /* as which it begins again when it crashes */

    uint64_t requested; /* of the last EFFECT_SYNC; 0: none */

    /* What the disk holds. */
    bool has_record;
    struct vote_record disk;
    struct built_view disk_view;

    struct vote vote; /* the answer to the last question */
};

/* A voter with a record that has never promised anything, synced. */
struct voter_bench *bench_new(void);

/* One that starts for the first time, under that name; B is a voter too, X is none. */
struct voter_bench *bench_new_named(char name);

/* The same with what a core is started with changed by the caller. */
struct voter_bench *bench_new_with(const struct core_options *options);
struct core_options bench_options(char name);

/* bench_new that has then promised epoch 1 to X, accepted its view, and leased to it. */
struct voter_bench *bench_promised_to_x(void);

void bench_free(struct voter_bench *bench);

/* The view of the founders A, B and C (Z13a): A with that record, B and C with record_of. */
struct built_view bench_founders(const struct node_id *record);

/* Its record holds that, and names itself. */
void bench_knows_founders(struct voter_bench *bench);

/* Questions: the result of each; what else the answer says is in `vote`. */
enum vote_result bench_claims(struct voter_bench *bench, char life, uint64_t epoch);
enum vote_result bench_claims_after(struct voter_bench *bench, char life, uint64_t epoch,
                                    char handed_over_by, uint64_t handed_over_epoch);
enum vote_result bench_prepares(struct voter_bench *bench, char life, uint64_t epoch,
                                uint64_t version);
enum vote_result bench_asks(struct voter_bench *bench, char life, uint64_t epoch);

/* Without a proof that it receives what it is sent (Z2k). */
enum vote_result bench_prepares_unproved(struct voter_bench *bench, char life, uint64_t epoch,
                                         uint64_t version);
enum vote_result bench_asks_unproved(struct voter_bench *bench, char life, uint64_t epoch);
enum vote_result bench_founds(struct voter_bench *bench, char founder, uint64_t lineage);
struct vote_question bench_question(enum vote_kind kind, char life, uint64_t epoch);

/* The end of a step: does the voter want to be written? */
bool bench_wants_sync(struct voter_bench *bench);

/* The disk has all that was wanted so far; or it could not be written. */
void bench_sync(struct voter_bench *bench);
void bench_sync_fails(struct voter_bench *bench);

/* The next answer that is due; false when there is none. */
bool bench_answers(struct voter_bench *bench, struct vote_question *answered);

/* Its process ends and begins again, with what is on the disk; so much later. */
void bench_crash(struct voter_bench *bench);

/* What was on the disk is gone. */
void bench_lose_disk(struct voter_bench *bench);

/* Is it the life of that letter? */
bool bench_is_life(const struct node_id *id, char letter);

struct voter_state bench_state(const struct voter_bench *bench);

/* Is it bound to that life under that epoch? */
bool bench_is_promised(const struct voter_bench *bench, char life, uint64_t epoch);

#endif
