#include "core/model/voter_lists.h"

#include <stddef.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"

uint8_t voter_lists_find(const struct voter_lists *lists, const struct node_id *record)
{
    for (uint8_t i = 0; i < lists->count; i++) {
        if (id_equal(&lists->voters[i].record, record)) {
            return i;
        }
    }
    return VOTER_NONE;
}

uint8_t voter_lists_find_name(const struct voter_lists *lists, const char *name)
{
    uint8_t found = VOTER_NONE;

    for (uint8_t i = 0; i < lists->count; i++) {
        const struct listed_voter *voter = &lists->voters[i];
        if (text_equal(voter->name, name) && (found == VOTER_NONE || voter->now)) {
            found = i;
        }
    }
    return found;
}

bool voter_lists_have_witness(const struct voter_lists *lists, const char *name,
                              const struct address *address)
{
    for (uint8_t i = 0; i < lists->count; i++) {
        const struct listed_voter *voter = &lists->voters[i];
        if (voter->witness &&
            (text_equal(voter->name, name) || address_equal(&voter->address, address))) {
            return true;
        }
    }
    return false;
}

/* How many of the set are in the one list or the other; with the set of all, how long it is. */
static uint32_t count_in(const struct voter_lists *lists, bool before, voter_set set)
{
    uint32_t count = 0;

    for (uint8_t i = 0; i < lists->count; i++) {
        const struct listed_voter *voter = &lists->voters[i];
        count += (before ? voter->before : voter->now) && (set & voter_set_of(i)) != 0;
    }
    return count;
}

voter_set voter_lists_all(const struct voter_lists *lists)
{
    return voter_set_of(lists->count) - 1;
}

uint32_t voter_lists_length(const struct voter_lists *lists)
{
    return count_in(lists, false, voter_lists_all(lists));
}

bool voter_lists_are_joint(const struct voter_lists *lists)
{
    return count_in(lists, true, voter_lists_all(lists)) > 0;
}

static struct voter_count count_of(const struct voter_lists *lists, bool before, voter_set set)
{
    return (struct voter_count){.have = count_in(lists, before, set),
                                .needed = count_in(lists, before, voter_lists_all(lists)) / 2 + 1};
}

bool voter_lists_agree(const struct voter_lists *lists, voter_set set)
{
    const struct voter_count now = count_of(lists, false, set);
    const struct voter_count before = count_of(lists, true, set);

    return now.have >= now.needed &&
           (before.have >= before.needed || !voter_lists_are_joint(lists));
}

struct voter_count voter_lists_count(const struct voter_lists *lists, voter_set set)
{
    const struct voter_count now = count_of(lists, false, set);
    const struct voter_count before = count_of(lists, true, set);

    return voter_lists_are_joint(lists) && before.needed + now.have > now.needed + before.have
               ? before
               : now;
}

voter_set voter_lists_move(voter_set set, const struct voter_lists *from,
                           const struct voter_lists *to)
{
    voter_set moved = 0;

    for (uint8_t i = 0; i < to->count; i++) {
        const uint8_t place = voter_lists_find(from, &to->voters[i].record);
        if (place != VOTER_NONE && (set & voter_set_of(place)) != 0) {
            moved |= voter_set_of(i);
        }
    }
    return moved;
}

void voter_lists_from_names(struct voter_lists *lists, const struct voters *names)
{
    memset(lists, 0, sizeof *lists);
    lists->count = names->count;
    for (uint8_t i = 0; i < names->count; i++) {
        memcpy(lists->voters[i].name, names->names[i], sizeof names->names[i]);
        lists->voters[i].now = true;
    }
}

void voter_lists_copy(struct voter_lists *to, const struct voter_lists *from)
{
    memcpy(to, from, offsetof(struct voter_lists, voters));
    memcpy(to->voters, from->voters, from->count * sizeof from->voters[0]);
}

bool voter_lists_equal(const struct voter_lists *a, const struct voter_lists *b)
{
    bool equal = a->number == b->number && a->count == b->count;

    for (uint8_t i = 0; equal && i < a->count; i++) {
        const struct listed_voter *x = &a->voters[i];
        const struct listed_voter *y = &b->voters[i];
        equal = text_equal(x->name, y->name) && id_equal(&x->record, &y->record) &&
                address_equal(&x->address, &y->address) && x->before == y->before &&
                x->now == y->now && x->witness == y->witness;
    }
    return equal;
}

uint64_t voter_lists_hash(uint64_t hash, const struct voter_lists *lists)
{
    hash = hash_u64(hash_u64(hash, lists->number), lists->count);
    for (uint8_t i = 0; i < lists->count; i++) {
        const struct listed_voter *voter = &lists->voters[i];
        const size_t length = text_length(voter->name, sizeof voter->name);
        hash = hash_bytes(hash_u64(hash, length), voter->name, length);
        hash = hash_bytes(hash, voter->record.bytes, sizeof voter->record.bytes);
        hash = address_hash(hash, &voter->address);
        hash = hash_u64(hash, (uint64_t)voter->address.family << 16 | voter->address.port);
        hash = hash_u64(hash, (uint64_t)voter->witness << 2 | (uint64_t)voter->before << 1 |
                                  (uint64_t)voter->now);
    }
    return hash;
}

/* A witness is where its list says. */
static bool is_same(const struct listed_voter *a, const struct listed_voter *b)
{
    return text_equal(a->name, b->name) && a->witness == b->witness &&
           (!a->witness || address_equal(&a->address, &b->address));
}

/* Is every voter of the one list that `a` has also in that list of `b`, by name and record? */
static bool is_part_of(const struct voter_lists *a, bool before_a, const struct voter_lists *b,
                       bool before_b)
{
    for (uint8_t i = 0; i < a->count; i++) {
        const struct listed_voter *voter = &a->voters[i];
        const uint8_t place = voter_lists_find(b, &voter->record);
        const struct listed_voter *other = &b->voters[place == VOTER_NONE ? 0 : place];
        if ((before_a ? voter->before : voter->now) &&
            (place == VOTER_NONE || !(before_b ? other->before : other->now) ||
             !is_same(voter, other))) {
            return false;
        }
    }
    return true;
}

static bool are_same(const struct voter_lists *a, bool before_a, const struct voter_lists *b,
                     bool before_b)
{
    return is_part_of(a, before_a, b, before_b) && is_part_of(b, before_b, a, before_a);
}

bool voter_lists_follow(const struct voter_lists *from, const struct voter_lists *to)
{
    const bool begins = voter_lists_are_joint(to);

    if (to->number == from->number) {
        return are_same(from, false, to, false) && (!begins || are_same(from, true, to, true));
    }
    return to->number == from->number + 1 && begins && are_same(from, false, to, true);
}

/* Members come and go at their addresses; a witness stays. */
static bool share_an_address(const struct listed_voter *a, const struct listed_voter *b)
{
    return a->witness && b->witness && address_equal(&a->address, &b->address);
}

/* Does another one behind it vote by the same record, or have its name in the same list? */
static bool is_named_twice(const struct voter_lists *lists, uint8_t place)
{
    const struct listed_voter *voter = &lists->voters[place];

    for (uint8_t i = place + 1; i < lists->count; i++) {
        const struct listed_voter *other = &lists->voters[i];
        const bool same_list = (voter->before && other->before) || (voter->now && other->now);
        if (id_equal(&voter->record, &other->record) ||
            (same_list &&
             (text_equal(voter->name, other->name) || share_an_address(voter, other)))) {
            return true;
        }
    }
    return false;
}

static bool is_length_sound(uint32_t length)
{
    return length >= 1 && length <= VOTERS_MAX;
}

bool voter_lists_are_sound(const struct voter_lists *lists)
{
    const voter_set all = voter_lists_all(lists);

    if (lists->count == 0) {
        return true;
    }
    for (uint8_t i = 0; i < lists->count; i++) {
        const struct listed_voter *voter = &lists->voters[i];
        if (voter->name[0] == '\0' || id_is_none(&voter->record) ||
            !(voter->before || voter->now) ||
            (voter->witness && address_is_none(&voter->address)) || is_named_twice(lists, i)) {
            return false;
        }
    }
    return lists->number >= 1 && lists->number <= COUNTER_MAX &&
           is_length_sound(count_in(lists, false, all)) && count_in(lists, true, all) <= VOTERS_MAX;
}
