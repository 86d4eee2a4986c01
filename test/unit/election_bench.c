#include "election_bench.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { ANSWER_MS = 10, ROUND_MS = 1000, TICKS_MAX = 1000 };

struct participant *poll_at(struct election_bench *bench, uint64_t age)
{
    return &bench->participants[age - 1];
}

void poll_send(struct election_bench *bench, const struct election_out *out)
{
    for (size_t i = 0; i < out->count; i++) {
        cr_assert_lt(bench->sent_count, BENCH_MESSAGES_MAX, "the election does not end");
        bench->sent[bench->sent_count++] = out->messages[i];
    }
}

static void install(struct election_bench *bench)
{
    for (size_t i = 0; i < bench->roster.count; i++) {
        struct election_out out = {0};
        participant_install(poll_at(bench, bench->roster.members[i].age), &bench->roster,
                            bench->now_ms, &out);
        poll_send(bench, &out);
    }
}

struct election_bench *poll_new(const struct election_algorithm *algorithm, size_t count)
{
    struct election_bench *bench = calloc(1, sizeof *bench);
    const struct participant_settings settings = {.algorithm = algorithm,
                                                  .answer_ms = ANSWER_MS,
                                                  .round_ms = ROUND_MS,
                                                  .waits_for_start = true};

    cr_assert_not_null(bench);
    bench->dropped = ELECTION_MESSAGE_TYPE_COUNT;
    bench->roster = (struct roster){.epoch = 1, .version = 1, .newest_is_best = true};
    for (uint64_t age = 1; age <= count; age++) {
        bench->roster.members[bench->roster.count++] = (struct candidate){.age = age};
        participant_init(poll_at(bench, age), &settings, age, age);
    }
    install(bench);
    return bench;
}

void poll_start(struct election_bench *bench, uint64_t age)
{
    struct election_out out = {0};

    participant_start(poll_at(bench, age), bench->now_ms, &out);
    poll_send(bench, &out);
}

void poll_remove(struct election_bench *bench, uint64_t age)
{
    struct roster *roster = &bench->roster;

    bench->gone[age - 1] = true;
    roster->version++;
    for (size_t i = roster_find(roster, age) + 1; i < roster->count; i++) {
        roster->members[i - 1] = roster->members[i];
    }
    roster->count--;
    install(bench);
}

void poll_run(struct election_bench *bench)
{
    while (bench->taken_count < bench->sent_count) {
        const struct election_message message = bench->sent[bench->taken_count++];
        struct election_out out = {0};
        if (message.type != bench->dropped && !bench->gone[message.to - 1]) {
            participant_take(poll_at(bench, message.to), &message, bench->now_ms, &out);
            poll_send(bench, &out);
        }
    }
}

void poll_pass(struct election_bench *bench, uint64_t ms)
{
    const uint64_t until_ms = bench->now_ms + ms;

    poll_run(bench);
    for (unsigned ticks = 0;; ticks++) {
        uint64_t next_ms = ELECTION_NEVER_MS;
        uint64_t age = NOBODY;
        for (size_t i = 0; i < bench->roster.count; i++) {
            const uint64_t member = bench->roster.members[i].age;
            const uint64_t deadline_ms = participant_deadline_ms(poll_at(bench, member));
            if (deadline_ms < next_ms) {
                next_ms = deadline_ms;
                age = member;
            }
        }
        if (next_ms > until_ms) {
            break;
        }
        cr_assert_lt(ticks, TICKS_MAX, "a timer that is due comes to nothing");
        struct election_out out = {0};
        bench->now_ms = next_ms;
        participant_tick(poll_at(bench, age), next_ms, &out);
        poll_send(bench, &out);
        poll_run(bench);
    }
    bench->now_ms = until_ms;
}

void poll_heartbeats(struct election_bench *bench)
{
    for (size_t i = 0; i < bench->roster.count; i++) {
        struct election_out out = {0};
        participant_heartbeat(poll_at(bench, bench->roster.members[i].age), &out);
        poll_send(bench, &out);
    }
    poll_run(bench);
}

size_t poll_count(const struct election_bench *bench, enum election_message_type type)
{
    size_t count = 0;

    for (size_t i = 0; i < bench->sent_count; i++) {
        count += bench->sent[i].type == type;
    }
    return count;
}

uint64_t poll_leader(struct election_bench *bench)
{
    const uint64_t leader = participant_leader(poll_at(bench, bench->roster.members[0].age));

    for (size_t i = 0; i < bench->roster.count; i++) {
        if (participant_leader(poll_at(bench, bench->roster.members[i].age)) != leader) {
            return NOBODY;
        }
    }
    return leader;
}
