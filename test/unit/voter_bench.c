#include "voter_bench.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "core/agreement/voter.h"
#include "core/state/outbox.h"

enum {
    BENCH_CAPACITY = 16,
    BENCH_BEGIN_MS = 100000,
    BENCH_DOWN_MS = 1,
};

static const struct voters bench_voters = {.count = 3, .names = {"A", "B", "C"}};

struct core_options bench_options(char name)
{
    static const char *const names[] = {"A", "B", "C", "X"};

    return (struct core_options){.name = names[name == 'X' ? 3 : name - 'A'],
                                 .address = member_of(name).address,
                                 .guard = {.policy = GUARD_STRICT, .count = 3},
                                 .voters = &bench_voters,
                                 .profile = PROFILE_LAN,
                                 .watchers = WATCHERS_DEFAULT,
                                 .fanout = FANOUT_DEFAULT,
                                 .timing = timing_of(PROFILE_LAN),
                                 .capacity = BENCH_CAPACITY,
                                 .has_seeds = true,
                                 .random_seed = {1, 2, 3, 4}};
}

struct voter_bench *bench_new_with(const struct core_options *options)
{
    struct voter_bench *bench = calloc(1, sizeof *bench);

    bench->now_ms = BENCH_BEGIN_MS;
    bench->lease_ms = options->timing.lease_ms;
    bench->asks_ms = bench->lease_ms;
    bench->restarts = options->profile;
    bench->block = calloc(1, core_bytes(BENCH_CAPACITY));
    bench->core = core_init(bench->block, options, bench->now_ms);
    bench->disk_view = view_of("");
    return bench;
}

struct voter_bench *bench_new_named(char name)
{
    const struct core_options options = bench_options(name);

    return bench_new_with(&options);
}

struct voter_bench *bench_new(void)
{
    struct voter_bench *bench = bench_new_named('A');

    cr_assert_eq(bench_founds(bench, 'B', BENCH_LINEAGE), VOTE_WAITS);
    struct vote_question answered;
    bench_sync(bench);
    cr_assert(bench_answers(bench, &answered));
    return bench;
}

struct built_view bench_founders(const struct node_id *record)
{
    struct built_view built = view_of("");

    view_clear(&built.view);
    built.view.lineage = BENCH_LINEAGE;
    view_name_voters(&built.view, "A B C");
    built.view.voters.voters[0].record = *record;
    view_seal(&built.view);
    return built;
}

void bench_knows_founders(struct voter_bench *bench)
{
    struct built_view founders = bench_founders(&bench->core->voter.record.id);

    view_copy(&bench->core->voter.accepted, &founders.view);
    view_built_free(&founders);
}

void bench_free(struct voter_bench *bench)
{
    view_built_free(&bench->disk_view);
    free(bench->block);
    free(bench);
}

/* --- Questions --- */

struct vote_question bench_question(enum vote_kind kind, char life, uint64_t epoch)
{
    return (struct vote_question){.kind = kind,
                                  .lineage = BENCH_LINEAGE,
                                  .ballot = {.epoch = epoch, .life = member_of(life).id},
                                  .address = member_of(life).address};
}

enum vote_result bench_claims_after(struct voter_bench *bench, char life, uint64_t epoch,
                                    char handed_over_by, uint64_t handed_over_epoch)
{
    struct vote_question question = bench_question(VOTE_CLAIM, life, epoch);

    question.lease_ms = bench->asks_ms;
    question.hold_ms = bench->hold_ms;
    question.handed_over = (struct ballot){.epoch = handed_over_epoch,
                                           .life = member_of(handed_over_by).id};
    bench->core->now_ms = bench->now_ms;
    bench->vote = voter_on_claim(bench->core, &question);
    return bench->vote.result;
}

enum vote_result bench_claims(struct voter_bench *bench, char life, uint64_t epoch)
{
    struct vote_question question = bench_question(VOTE_CLAIM, life, epoch);

    question.lease_ms = bench->asks_ms;
    question.hold_ms = bench->hold_ms;
    bench->core->now_ms = bench->now_ms;
    bench->vote = voter_on_claim(bench->core, &question);
    return bench->vote.result;
}

enum vote_result bench_prepares_unproved(struct voter_bench *bench, char life, uint64_t epoch,
                                         uint64_t version)
{
    /* The voter takes ballot and view from the proposal. */
    const struct vote_question question = {.address = member_of(life).address,
                                           .stamp = version,
                                           .lease_ms = bench->asks_ms,
                                           .hold_ms = bench->hold_ms};
    struct built_view built = view_of((const char[]){life, 'Z', '\0'});

    built.view.epoch = epoch;
    built.view.version = version;
    view_seal(&built.view);
    bench->core->now_ms = bench->now_ms;
    bench->vote = voter_on_prepare(bench->core, &question, &built.view);
    view_built_free(&built);
    return bench->vote.result;
}

enum vote_result bench_prepares(struct voter_bench *bench, char life, uint64_t epoch,
                                uint64_t version)
{
    const struct node_id id = member_of(life).id;

    voter_proved(bench->core, &id);
    return bench_prepares_unproved(bench, life, epoch, version);
}

enum vote_result bench_asks(struct voter_bench *bench, char life, uint64_t epoch)
{
    const struct node_id id = member_of(life).id;

    voter_proved(bench->core, &id);
    return bench_asks_unproved(bench, life, epoch);
}

enum vote_result bench_asks_unproved(struct voter_bench *bench, char life, uint64_t epoch)
{
    struct vote_question question = bench_question(VOTE_HEARTBEAT, life, epoch);

    question.lease_ms = bench->asks_ms;
    question.hold_ms = bench->hold_ms;
    bench->core->now_ms = bench->now_ms;
    bench->vote = voter_on_question(bench->core, &question);
    return bench->vote.result;
}

enum vote_result bench_founds(struct voter_bench *bench, char founder, uint64_t lineage)
{
    struct vote_question question = bench_question(VOTE_FOUNDING, founder, 0);

    question.lineage = lineage;
    bench->core->now_ms = bench->now_ms;
    bench->vote = voter_on_founding(bench->core, &question);
    return bench->vote.result;
}

/* --- The disk --- */

/* The voter alone: a whole step would send its answers. */
static void end_step(struct voter_bench *bench)
{
    struct core *core = bench->core;

    core->now_ms = bench->now_ms;
    outbox_reset(core);
    voter_end_step(core);
    for (uint32_t i = 0; i < core->out.count; i++) {
        if (core->out.items[i].type == EFFECT_SYNC) {
            bench->requested = core->out.items[i].number;
        }
    }
}

static void synced(struct voter_bench *bench, bool ok)
{
    bench->core->now_ms = bench->now_ms;
    voter_on_synced(bench->core, &(struct synced_event){.number = bench->requested, .ok = ok});
}

bool bench_wants_sync(struct voter_bench *bench)
{
    const uint64_t before = bench->requested;

    end_step(bench);
    return bench->requested != before;
}

void bench_sync(struct voter_bench *bench)
{
    (void)bench_wants_sync(bench);
    core_record(bench->core, &bench->disk);
    bench->has_record = true;
    if (bench->disk.accepted != NULL) {
        view_copy(&bench->disk_view.view, bench->disk.accepted);
        bench->disk.accepted = &bench->disk_view.view;
    }
    synced(bench, true);
}

void bench_sync_fails(struct voter_bench *bench)
{
    (void)bench_wants_sync(bench);
    synced(bench, false);
}

bool bench_answers(struct voter_bench *bench, struct vote_question *answered)
{
    return voter_take_answer(bench->core, answered);
}

void bench_crash(struct voter_bench *bench)
{
    struct core_options options = bench_options(core_self(bench->core)->name[0]);

    options.record = bench->has_record ? &bench->disk : NULL;
    options.profile = bench->restarts;
    options.timing = timing_of(bench->restarts);
    options.random_seed[0] = ++bench->now_ms;
    bench->now_ms += BENCH_DOWN_MS;
    bench->requested = 0;
    memset(bench->block, 0, core_bytes(BENCH_CAPACITY));
    bench->core = core_init(bench->block, &options, bench->now_ms);
}

void bench_lose_disk(struct voter_bench *bench)
{
    bench->has_record = false;
}

struct voter_bench *bench_promised_to_x(void)
{
    struct voter_bench *bench = bench_new();
    struct vote_question answered;

    cr_assert_eq(bench_claims(bench, 'X', 1), VOTE_WAITS);
    bench_sync(bench);
    cr_assert(bench_answers(bench, &answered));
    cr_assert_eq(bench_prepares(bench, 'X', 1, 1), VOTE_WAITS);
    bench_sync(bench);
    cr_assert(bench_answers(bench, &answered));
    return bench;
}

bool bench_is_life(const struct node_id *id, char letter)
{
    const struct member member = member_of(letter);

    return id_equal(id, &member.id);
}

struct voter_state bench_state(const struct voter_bench *bench)
{
    return core_voter(bench->core, bench->now_ms);
}

bool bench_is_promised(const struct voter_bench *bench, char life, uint64_t epoch)
{
    const struct ballot promise = bench_state(bench).promise;

    return promise.epoch == epoch && bench_is_life(&promise.life, life);
}
