/* Counts what the placement of partitions costs, beside others: partitions that move when a member
 * joins a cluster of ten or leaves one, and how unevenly they are spread.
 *
 *     bench_partitions [--table]
 *
 * prints one JSON object, or a table; progress goes to stderr. Members have random ids, others for
 * each run. The others are written here as their descriptions have them: rendezvous hashing (Thaler
 * and Ravishankar), the same where nobody takes more than its share, Maglev's table (Eisenbud et
 * al.), and the keeping of a table whose copies of each rank are balanced apart from those of the
 * others, as Hazelcast's repartitioning does. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/random.h"
#include "bench/figures.h"
#include "partition/place.h"

enum { P = 1000, MEMBERS = 10, RUNS = 21, COPIES_MAX = 2, ROOM = MEMBERS + 1 };

/* Ids, 0 for none. */
struct table {
    uint32_t rows[P][COPIES_MAX];
};

struct members {
    size_t count;
    uint32_t ids[ROOM];
};

/* `table` is that of `before`, and becomes that of `now`; before there was any it is all zero. */
typedef void placement(struct table *table, const struct members *before, const struct members *now,
                       uint32_t copies);

static uint64_t weight(uint32_t id, uint32_t partition)
{
    return hash_finish(hash_u64(hash_u64(HASH_START, id), partition));
}

static size_t place_of(const struct members *members, uint32_t id)
{
    size_t place = 0;

    while (place < members->count && members->ids[place] != id) {
        place++;
    }
    return place;
}

static bool row_has(const uint32_t row[COPIES_MAX], uint32_t id)
{
    return row[0] == id || row[1] == id;
}

/* --- Those without history --- */

static void place_by_weight(struct table *table, const struct members *now, uint32_t copies,
                            bool bounded)
{
    uint32_t held[ROOM + 1] = {0};
    const uint32_t share = (uint32_t)(P * copies / now->count);
    uint32_t larger = (uint32_t)(P * copies % now->count); /* who may take one more */

    memset(table, 0, sizeof *table);
    for (uint32_t p = 0; p < P; p++) {
        for (uint32_t i = 0; i < copies; i++) {
            size_t best = now->count;
            for (size_t m = 0; m < now->count; m++) {
                const bool full = bounded && (held[m] > share || (held[m] == share && larger == 0));
                if (!full && !row_has(table->rows[p], now->ids[m]) &&
                    (best == now->count || weight(now->ids[m], p) > weight(now->ids[best], p))) {
                    best = m;
                }
            }
            if (best == now->count) {
                break; /* Fewer members than copies. */
            }
            larger -= bounded && held[best] == share;
            held[best]++;
            table->rows[p][i] = now->ids[best];
        }
    }
}

static void rendezvous(struct table *table, const struct members *before, const struct members *now,
                       uint32_t copies)
{
    (void)before;
    place_by_weight(table, now, copies, false);
}

static void rendezvous_bounded(struct table *table, const struct members *before,
                               const struct members *now, uint32_t copies)
{
    (void)before;
    place_by_weight(table, now, copies, true);
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

/* Members take turns, each with the next free place of an order of its own. One copy. */
static void maglev(struct table *table, const struct members *before, const struct members *now,
                   uint32_t copies)
{
    uint32_t next[ROOM] = {0};

    (void)before;
    (void)copies;
    memset(table, 0, sizeof *table);
    for (uint32_t taken = 0; taken < P; taken++) {
        const size_t m = taken % now->count;
        const uint32_t start = (uint32_t)(weight(now->ids[m], 1) % P);
        uint32_t skip = (uint32_t)(weight(now->ids[m], 2) % (P - 1)) + 1;
        while (common_divisor(P, skip) != 1) {
            skip++;
        }
        uint32_t at;
        do {
            at = (start + next[m]++ * skip) % P;
        } while (table->rows[at][0] != 0);
        table->rows[at][0] = now->ids[m];
    }
}

/* --- Those that keep a table --- */

/* Who is gone is left out; a backup takes the place of an owner. */
static void leave_out_gone(struct table *table, const struct members *now)
{
    for (uint32_t p = 0; p < P; p++) {
        uint32_t *row = table->rows[p];
        for (size_t i = 0; i < COPIES_MAX; i++) {
            row[i] = place_of(now, row[i]) < now->count ? row[i] : 0;
        }
        if (row[0] == 0) {
            row[0] = row[1];
            row[1] = 0;
        }
    }
}

/* Gives the copies of this rank that nobody has, then those of whom has more than the average, to
 * those below it, in turn. */
static void balance_rank(struct table *table, const struct members *now, uint32_t rank)
{
    uint32_t held[ROOM + 1] = {0};
    const uint32_t average = (uint32_t)(P / now->count);

    for (uint32_t p = 0; p < P; p++) {
        held[place_of(now, table->rows[p][rank])]++;
    }
    for (uint32_t p = 0; p < P; p++) {
        const uint32_t owner = table->rows[p][rank];
        const size_t from = place_of(now, owner);
        size_t to = now->count;
        for (size_t m = 0; m < now->count; m++) {
            const bool below = owner == 0 || (held[m] < average && held[from] > average);
            if (below && !row_has(table->rows[p], now->ids[m]) &&
                (to == now->count || held[m] < held[to])) {
                to = m;
            }
        }
        if (to < now->count) {
            held[from] -= owner != 0;
            held[to]++;
            table->rows[p][rank] = now->ids[to];
        }
    }
}

static void rank_by_rank(struct table *table, const struct members *before,
                         const struct members *now, uint32_t copies)
{
    (void)before;
    leave_out_gone(table, now);
    for (uint32_t rank = 0; rank < copies; rank++) {
        balance_rank(table, now, rank);
    }
}

static void doyen(struct table *table, const struct members *before, const struct members *now,
                  uint32_t copies)
{
    struct partition_table *own = malloc(sizeof *own);
    struct partition_work *work = malloc(partition_work_bytes());
    struct partition_member members[ROOM];

    if (own == NULL || work == NULL) {
        fprintf(stderr, "bench_partitions: no memory\n");
        exit(EXIT_FAILURE);
    }
    partition_table_init(own, P, copies);
    for (uint32_t p = 0; p < P; p++) {
        for (uint32_t i = 0; i < copies && table->rows[p][i] != 0; i++) {
            own->rows[p].copies[i] = (uint16_t)place_of(before, table->rows[p][i]);
        }
    }
    for (size_t m = 0; m < now->count; m++) {
        const size_t place = place_of(before, now->ids[m]);
        members[m] = (struct partition_member){.before = place < before->count ? (uint16_t)place
                                                                               : PARTITION_NOBODY};
    }
    (void)partition_place(own, members, now->count, work);
    for (uint32_t p = 0; p < P; p++) {
        for (uint32_t i = 0; i < copies; i++) {
            const uint16_t place = own->rows[p].copies[i];
            table->rows[p][i] = place == PARTITION_NOBODY ? 0 : now->ids[place];
        }
    }
    free(own);
    free(work);
}

/* --- What they are asked --- */

static double moved(const struct table *before, const struct table *now, uint32_t copies)
{
    unsigned count = 0;

    for (uint32_t p = 0; p < P; p++) {
        for (uint32_t i = 0; i < copies; i++) {
            count += !row_has(before->rows[p], now->rows[p][i]);
        }
    }
    return count;
}

/* Most less least that members keep. */
static double spread(const struct table *table, const struct members *members, uint32_t copies)
{
    unsigned held[ROOM + 1] = {0};
    unsigned least = UINT32_MAX;
    unsigned most = 0;

    for (uint32_t p = 0; p < P; p++) {
        for (uint32_t i = 0; i < copies; i++) {
            held[place_of(members, table->rows[p][i])]++;
        }
    }
    for (size_t m = 0; m < members->count; m++) {
        least = held[m] < least ? held[m] : least;
        most = held[m] > most ? held[m] : most;
    }
    return most - least;
}

struct candidate {
    placement *place;
    uint32_t copies;
    const char *joined;
    const char *left;
    const char *spread;
};

#define CANDIDATE(name, function, copies_of, words)                                                \
    {                                                                                              \
        .place = (function), .copies = (copies_of),                                                \
        .joined = name words ": moved when one joins ten",                                         \
        .left = name words ": moved when one of ten leaves",                                       \
        .spread = name words ": most less least of ten members",                                   \
    }

static const struct candidate candidates[] = {
    CANDIDATE("rendezvous", rendezvous, 1, ""),
    CANDIDATE("rendezvous with bounds", rendezvous_bounded, 1, ""),
    CANDIDATE("Maglev", maglev, 1, ""),
    CANDIDATE("a table, rank by rank", rank_by_rank, 1, ""),
    CANDIDATE("doyen", doyen, 1, ""),
    CANDIDATE("rendezvous", rendezvous, 2, ", two copies"),
    CANDIDATE("a table, rank by rank", rank_by_rank, 2, ", two copies"),
    CANDIDATE("doyen", doyen, 2, ", two copies"),
};

static void measure(const struct candidate *candidate, struct figures *figures)
{
    double joined[RUNS];
    double left[RUNS];
    double uneven[RUNS];

    for (size_t run = 0; run < RUNS; run++) {
        struct members before = {.count = 0};
        struct members now = {.count = 0};
        struct table table = {{{0}}};
        struct random random;
        random_seed(&random, run + 1);
        for (size_t m = 0; m < MEMBERS; m++) { /* one after the other, as they would come */
            now.ids[now.count++] = (uint32_t)random_between(&random, 1, UINT32_MAX);
            candidate->place(&table, &before, &now, candidate->copies);
            before = now;
        }
        uneven[run] = spread(&table, &now, candidate->copies);

        struct table other = table;
        now.ids[now.count++] = (uint32_t)random_between(&random, 1, UINT32_MAX);
        candidate->place(&other, &before, &now, candidate->copies);
        joined[run] = moved(&table, &other, candidate->copies);

        now = before;
        const size_t gone = (size_t)random_between(&random, 0, MEMBERS - 1);
        now.count--;
        memmove(&now.ids[gone], &now.ids[gone + 1], (now.count - gone) * sizeof now.ids[0]);
        other = table;
        candidate->place(&other, &before, &now, candidate->copies);
        left[run] = moved(&table, &other, candidate->copies);
    }
    figures_add(figures, candidate->joined, "copies", joined, RUNS);
    figures_add(figures, candidate->left, "copies", left, RUNS);
    figures_add(figures, candidate->spread, "partitions", uneven, RUNS);
}

int main(int argc, char **argv)
{
    const bool table = argc == 2 && strcmp(argv[1], "--table") == 0;
    static struct figures figures;

    if (argc > 1 && !table) {
        fprintf(stderr, "usage: bench_partitions [--table]\n");
        return 64;
    }
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++) {
        measure(&candidates[i], &figures);
    }
    figures_print(&figures, table, "partitions", "placement of 1000 partitions");
    return EXIT_SUCCESS;
}
