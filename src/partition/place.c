#include "partition/place.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

enum { ALL_ZONES = UINT16_MAX };

struct partition_work {
    struct partition_table *table;
    const struct partition_member *members;
    size_t count;
    uint32_t copies; /* of a row, no more than there are members */
    bool zoned;      /* no row may have two copies in one zone */

    struct partition_row former[PARTITIONS_MAX]; /* who of the members kept it before */
    uint16_t owner[PARTITIONS_MAX];              /* who owned it before, if that is a member yet */
    uint32_t held[PARTITION_MEMBERS_MAX];
    uint32_t target[PARTITION_MEMBERS_MAX];
    uint32_t with_count[PARTITIONS_MAX + 1]; /* members that hold so many */

    uint32_t zone_count;
    uint32_t zone_members[PARTITION_MEMBERS_MAX];
    uint32_t zone_held[PARTITION_MEMBERS_MAX];
    uint32_t zone_quota[PARTITION_MEMBERS_MAX];
    bool zone_done[PARTITION_MEMBERS_MAX];

    /* Of the search for a way from an owner of too many rows to one of too few. */
    uint32_t led[PARTITION_MEMBERS_MAX];
    uint16_t first_row[PARTITION_MEMBERS_MAX]; /* of an owner; then next_row */
    uint16_t next_row[PARTITIONS_MAX];
    uint16_t came_from[PARTITION_MEMBERS_MAX]; /* PARTITION_NOBODY: not reached */
    uint16_t came_by[PARTITION_MEMBERS_MAX];   /* the row */
    uint16_t queue[PARTITION_MEMBERS_MAX];
};

size_t partition_work_bytes(void)
{
    return sizeof(struct partition_work);
}

uint32_t partition_of(const void *key, size_t length, uint32_t partitions)
{
    return (uint32_t)(hash_finish(hash_bytes(HASH_START, key, length)) % partitions);
}

/* --- Rows ------------------------------------------------------------------------------------ */

static void row_clear(struct partition_row *row)
{
    for (size_t i = 0; i < PARTITION_COPIES_MAX; i++) {
        row->copies[i] = PARTITION_NOBODY;
    }
}

static bool row_has(const struct partition_row *row, uint16_t member)
{
    for (size_t i = 0; i < PARTITION_COPIES_MAX; i++) {
        if (row->copies[i] == member) {
            return true;
        }
    }
    return false;
}

static uint32_t row_length(const struct partition_row *row)
{
    uint32_t length = 0;

    while (length < PARTITION_COPIES_MAX && row->copies[length] != PARTITION_NOBODY) {
        length++;
    }
    return length;
}

static void row_remove(struct partition_row *row, size_t index)
{
    for (; index + 1 < PARTITION_COPIES_MAX; index++) {
        row->copies[index] = row->copies[index + 1];
    }
    row->copies[PARTITION_COPIES_MAX - 1] = PARTITION_NOBODY;
}

void partition_table_init(struct partition_table *table, uint32_t partitions, uint32_t copies)
{
    assert(partitions >= 1 && partitions <= PARTITIONS_MAX);
    assert(copies >= 1 && copies <= PARTITION_COPIES_MAX);
    table->partitions = partitions;
    table->copies = copies;
    for (uint32_t p = 0; p < partitions; p++) {
        row_clear(&table->rows[p]);
    }
}

/* May this member keep a copy of that row, leaving aside the copy at `but`? */
static bool may_keep(const struct partition_work *work, const struct partition_row *row,
                     uint16_t member, size_t but)
{
    for (size_t i = 0; i < PARTITION_COPIES_MAX; i++) {
        const uint16_t other = row->copies[i];
        if (i == but || other == PARTITION_NOBODY) {
            continue;
        }
        if (other == member ||
            (work->zoned && work->members[other].zone == work->members[member].zone)) {
            return false;
        }
    }
    return true;
}

/* --- What is kept ---------------------------------------------------------------------------- */

/* Names the rows' members by their new positions; who is gone is left out, and those behind move
 * up. */
static void carry_over(struct partition_work *work)
{
    struct partition_table *table = work->table;
    uint16_t *place = work->queue; /* by position before */

    memset(place, 0xff, sizeof work->queue);
    for (size_t i = 0; i < work->count; i++) {
        if (work->members[i].before < PARTITION_MEMBERS_MAX) {
            place[work->members[i].before] = (uint16_t)i;
        }
    }
    for (uint32_t p = 0; p < table->partitions; p++) {
        const struct partition_row row = table->rows[p];
        uint32_t length = 0;
        row_clear(&table->rows[p]);
        for (size_t i = 0; i < PARTITION_COPIES_MAX && length < work->copies; i++) {
            const uint16_t before = row.copies[i];
            const uint16_t now = before < PARTITION_MEMBERS_MAX ? place[before] : PARTITION_NOBODY;
            if (now != PARTITION_NOBODY) {
                table->rows[p].copies[length++] = now;
                work->held[now]++;
            }
        }
        work->former[p] = table->rows[p];
        work->owner[p] = row.copies[0] < PARTITION_MEMBERS_MAX ? place[row.copies[0]]
                                                               : PARTITION_NOBODY;
    }
}

/* A row with two copies in one zone gives up the later one. */
static void leave_shared_zones(struct partition_work *work)
{
    for (uint32_t p = 0; p < work->table->partitions; p++) {
        struct partition_row *row = &work->table->rows[p];
        for (size_t i = row_length(row); i-- > 1;) {
            const uint16_t member = row->copies[i];
            bool shared = false;
            for (size_t j = 0; j < i; j++) {
                shared |= work->members[row->copies[j]].zone == work->members[member].zone;
            }
            if (shared) {
                row_remove(row, i);
                work->held[member]--;
            }
        }
    }
}

/* --- How many each is to keep ---------------------------------------------------------------- */

static bool is_in(const struct partition_work *work, size_t member, uint16_t zone)
{
    return zone == ALL_ZONES || work->members[member].zone == zone;
}

/* Shares `total` copies among the members of a zone, within one: those who hold most get the larger
 * shares, and of equal ones the first. */
static void share(struct partition_work *work, uint16_t zone, uint32_t total, uint32_t count)
{
    const uint32_t most = work->table->partitions;
    const uint32_t least = total / count;
    uint32_t more = total % count;
    uint32_t edge = most; /* who holds more than that gets one more */

    memset(work->with_count, 0, sizeof work->with_count);
    for (size_t i = 0; i < work->count; i++) {
        work->with_count[work->held[i]] += is_in(work, i, zone);
    }
    while (edge > 0 && work->with_count[edge] <= more) {
        more -= work->with_count[edge--];
    }
    for (size_t i = 0; i < work->count; i++) {
        if (is_in(work, i, zone)) {
            const bool at_edge = work->held[i] == edge && more > 0;
            more -= at_edge;
            work->target[i] = least + (work->held[i] > edge || at_edge);
        }
    }
}

static void count_zones(struct partition_work *work)
{
    work->zone_count = 0;
    for (size_t i = 0; i < work->count; i++) {
        const uint16_t zone = work->members[i].zone;
        assert(zone < work->count);
        work->zone_count += work->zone_members[zone]++ == 0;
    }
}

/* By how much the zone holds more than it is to: the first to get what is left over. */
static int64_t surplus(const struct partition_work *work, size_t zone)
{
    return (int64_t)work->zone_held[zone] - (int64_t)work->zone_quota[zone];
}

/* What is left after dividing goes to the zones one each, but to none more than each row once. */
static void give_rest(struct partition_work *work, uint32_t rest)
{
    while (rest > 0) {
        size_t best = work->count;
        for (size_t zone = 0; zone < work->count; zone++) {
            if (work->zone_members[zone] > 0 && !work->zone_done[zone] &&
                work->zone_quota[zone] < work->table->partitions &&
                (best == work->count || surplus(work, zone) > surplus(work, best))) {
                best = zone;
            }
        }
        assert(best < work->count);
        work->zone_done[best] = true;
        work->zone_quota[best]++;
        rest--;
    }
}

/* Zones get by their members, but none more than one copy of each row. */
static void fill_zones(struct partition_work *work)
{
    const uint64_t most = work->table->partitions;
    uint64_t rest = most * work->copies;
    uint64_t members = work->count;
    bool changed = true;

    for (size_t i = 0; i < work->count; i++) {
        work->zone_held[work->members[i].zone] += work->held[i];
    }
    while (changed) {
        changed = false;
        for (size_t zone = 0; zone < work->count; zone++) {
            const uint64_t own = work->zone_members[zone];
            if (own > 0 && !work->zone_done[zone] && rest * own > most * members) {
                work->zone_quota[zone] = (uint32_t)most;
                work->zone_done[zone] = true;
                rest -= most;
                members -= own;
                changed = true;
            }
        }
    }
    const uint64_t shared = rest;
    for (size_t zone = 0; zone < work->count; zone++) {
        if (work->zone_members[zone] > 0 && !work->zone_done[zone]) {
            work->zone_quota[zone] = (uint32_t)(shared * work->zone_members[zone] / members);
            rest -= work->zone_quota[zone];
        }
    }
    give_rest(work, (uint32_t)rest);
}

static void set_targets(struct partition_work *work)
{
    if (!work->zoned) {
        share(work, ALL_ZONES, work->table->partitions * work->copies, (uint32_t)work->count);
        return;
    }
    fill_zones(work);
    for (size_t zone = 0; zone < work->count; zone++) {
        if (work->zone_members[zone] > 0) {
            share(work, (uint16_t)zone, work->zone_quota[zone], work->zone_members[zone]);
        }
    }
}

static uint32_t lack(const struct partition_work *work, size_t member)
{
    return work->target[member] > work->held[member] ? work->target[member] - work->held[member]
                                                     : 0;
}

static uint32_t total_lack(const struct partition_work *work)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < work->count; i++) {
        sum += lack(work, i);
    }
    return sum;
}

/* --- What moves ------------------------------------------------------------------------------ */

/* Who has more than its target gives the surplus: the last backups first, from the highest row. */
static void strip(struct partition_work *work)
{
    for (size_t i = work->copies; i-- > 0;) {
        for (uint32_t p = work->table->partitions; p-- > 0;) {
            struct partition_row *row = &work->table->rows[p];
            const uint16_t member = row->copies[i];
            if (member != PARTITION_NOBODY && work->held[member] > work->target[member]) {
                row_remove(row, i);
                work->held[member]--;
            }
        }
    }
}

static void add(struct partition_work *work, struct partition_row *row, uint16_t member)
{
    row->copies[row_length(row)] = member;
    work->held[member]++;
}

/* Who lacks most of those who may keep the row. */
static uint16_t neediest(const struct partition_work *work, const struct partition_row *row)
{
    uint16_t best = PARTITION_NOBODY;
    uint32_t most = 0;

    for (size_t i = 0; i < work->count; i++) {
        if (lack(work, i) > most && may_keep(work, row, (uint16_t)i, PARTITION_COPIES_MAX)) {
            best = (uint16_t)i;
            most = lack(work, i);
        }
    }
    return best;
}

/* Somebody who may keep `row` leaves another one to `member`, who lacks copies and may not. */
static bool swap_with(struct partition_work *work, struct partition_row *row, uint16_t member)
{
    for (uint32_t p = 0; p < work->table->partitions; p++) {
        struct partition_row *other = &work->table->rows[p];
        for (size_t i = row_length(other); other != row && i-- > 0;) {
            const uint16_t giver = other->copies[i];
            if (may_keep(work, row, giver, PARTITION_COPIES_MAX) &&
                may_keep(work, other, member, i)) {
                other->copies[i] = member;
                work->held[member]++;
                work->held[giver]--;
                add(work, row, giver);
                return true;
            }
        }
    }
    return false;
}

static bool swap(struct partition_work *work, struct partition_row *row)
{
    for (size_t i = 0; i < work->count; i++) {
        if (lack(work, i) > 0 && swap_with(work, row, (uint16_t)i)) {
            return true;
        }
    }
    return false;
}

/* A copy beyond somebody's target is better than none: whoever keeps least, whatever its zone. */
static void add_to_anybody(struct partition_work *work, struct partition_row *row)
{
    size_t best = work->count;

    for (size_t i = 0; i < work->count; i++) {
        if (!row_has(row, (uint16_t)i) &&
            (best == work->count || work->held[i] < work->held[best])) {
            best = i;
        }
    }
    assert(best < work->count); /* A row has no more copies than there are members. */
    add(work, row, (uint16_t)best);
}

static void fill(struct partition_work *work)
{
    for (uint32_t p = 0; p < work->table->partitions; p++) {
        struct partition_row *row = &work->table->rows[p];
        while (row_length(row) < work->copies) {
            const uint16_t member = neediest(work, row);
            if (member != PARTITION_NOBODY) {
                add(work, row, member);
            } else if (!swap(work, row)) {
                add_to_anybody(work, row);
            }
        }
    }
}

/* --- Owners ---------------------------------------------------------------------------------- */

static void count_owners(struct partition_work *work)
{
    memset(work->led, 0, sizeof work->led);
    memset(work->first_row, 0xff, sizeof work->first_row);
    for (uint32_t p = work->table->partitions; p-- > 0;) {
        const uint16_t owner = work->table->rows[p].copies[0];
        work->led[owner]++;
        work->next_row[p] = work->first_row[owner];
        work->first_row[owner] = (uint16_t)p;
    }
}

static uint16_t busiest(const struct partition_work *work)
{
    size_t most = 0;

    for (size_t i = 1; i < work->count; i++) {
        if (work->led[i] >= work->led[most]) {
            most = i;
        }
    }
    return (uint16_t)most;
}

/* Searches, row by row, from an owner to its backups, to theirs, and so on, for one that owns two
 * rows fewer at least. */
static uint16_t search(struct partition_work *work, uint16_t from)
{
    size_t head = 0;
    size_t tail = 0;

    memset(work->came_from, 0xff, sizeof work->came_from);
    work->came_from[from] = from;
    work->queue[tail++] = from;
    while (head < tail) {
        const uint16_t owner = work->queue[head++];
        for (uint16_t p = work->first_row[owner]; p != PARTITION_NOBODY; p = work->next_row[p]) {
            const struct partition_row *row = &work->table->rows[p];
            for (size_t i = 1; i < work->copies; i++) {
                const uint16_t backup = row->copies[i];
                if (work->came_from[backup] != PARTITION_NOBODY) {
                    continue;
                }
                work->came_from[backup] = owner;
                work->came_by[backup] = p;
                work->queue[tail++] = backup;
                if (work->led[backup] + 2 <= work->led[from]) {
                    return backup;
                }
            }
        }
    }
    return PARTITION_NOBODY;
}

/* On the way back each backup changes places with its owner: no copy moves. */
static void hand_on(struct partition_work *work, uint16_t from, uint16_t to)
{
    while (to != from) {
        struct partition_row *row = &work->table->rows[work->came_by[to]];
        for (size_t i = 1; i < work->copies; i++) {
            if (row->copies[i] == to) {
                row->copies[i] = row->copies[0];
                row->copies[0] = to;
                break;
            }
        }
        to = work->came_from[to];
    }
}

static void even_owners(struct partition_work *work)
{
    uint16_t to = PARTITION_NOBODY;

    do {
        count_owners(work);
        const uint16_t from = busiest(work);
        to = search(work, from);
        if (to != PARTITION_NOBODY) {
            hand_on(work, from, to);
        }
    } while (to != PARTITION_NOBODY);
}

/* --- All of it ------------------------------------------------------------------------------- */

static void count_moves(const struct partition_work *work, struct partition_change *change)
{
    for (uint32_t p = 0; p < work->table->partitions; p++) {
        const struct partition_row *row = &work->table->rows[p];
        for (size_t i = 0; i < work->copies; i++) {
            change->moved += !row_has(&work->former[p], row->copies[i]);
        }
        change->led += row->copies[0] != work->owner[p];
    }
}

struct partition_change partition_place(struct partition_table *table,
                                        const struct partition_member *members, size_t count,
                                        struct partition_work *work)
{
    struct partition_change change = {.moved = 0};

    assert(count >= 1 && count <= PARTITION_MEMBERS_MAX);
    memset(work, 0, sizeof *work);
    work->table = table;
    work->members = members;
    work->count = count;
    work->copies = count < table->copies ? (uint32_t)count : table->copies;
    count_zones(work);
    work->zoned = work->zone_count > 1 && work->zone_count >= work->copies;
    carry_over(work);
    set_targets(work);
    change.least = total_lack(work);
    if (work->zoned) {
        leave_shared_zones(work);
    }
    strip(work);
    fill(work);
    if (work->copies > 1) {
        even_owners(work);
    }
    count_moves(work, &change);
    return change;
}
