#include "core/model/view.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"

enum { VERSIONS_MARK = 0x5e7a0000 }; /* and what it speaks, in the hash of a view */
enum { DRAINED_MARK = 0xd7a1 };      /* in the hash of a view, behind the member that is */
enum { AGREED_MARK = 0xa62eed };     /* likewise, before terms that were changed */
enum { VOTERS_MARK = 0x707e5 };      /* and before the voters */

/* Twice as many slots as members keeps probe chains short. */
static uint32_t index_slots(uint32_t capacity)
{
    uint32_t slots = 8;
    while (slots < 2 * capacity) {
        slots *= 2;
    }
    return slots;
}

/* All that so many members can have. */
static uint32_t texts_bytes(uint32_t capacity)
{
    return capacity * (uint32_t)sizeof(struct tags);
}

size_t view_bytes(uint32_t capacity)
{
    return capacity * sizeof(struct member) + GONE_MAX * sizeof(struct gone) +
           texts_bytes(capacity) + index_slots(capacity) * sizeof(uint16_t);
}

void view_init(struct view *view, uint32_t capacity, void *storage)
{
    assert(capacity >= 1 && capacity <= MEMBER_MAX);

    memset(view, 0, sizeof *view);
    view->capacity = capacity;
    view->index = storage;
    view->index_mask = index_slots(capacity) - 1;
    view->members = (struct member *)(void *)(view->index + view->index_mask + 1);
    view->gone = (struct gone *)(void *)(view->members + capacity);
    view->texts = (uint8_t *)(view->gone + GONE_MAX);
    memset(view->index, 0, (view->index_mask + 1) * sizeof view->index[0]);
}

static uint32_t slot_of(const struct view *view, const struct node_id *id)
{
    return id_hash(id) & view->index_mask;
}

/* Enters the member at `position`; false if its id is in the table already. */
static bool index_add(struct view *view, uint32_t position)
{
    const struct node_id *id = &view->members[position].id;
    uint32_t slot = slot_of(view, id);

    while (view->index[slot] != 0) {
        if (id_equal(&view->members[view->index[slot] - 1].id, id)) {
            return false;
        }
        slot = (slot + 1) & view->index_mask;
    }
    view->index[slot] = (uint16_t)(position + 1);
    return true;
}

static bool index_rebuild(struct view *view)
{
    bool unique = true;

    memset(view->index, 0, (view->index_mask + 1) * sizeof view->index[0]);
    for (uint32_t i = 0; i < view->member_count; i++) {
        unique = index_add(view, i) && unique;
    }
    return unique;
}

void view_clear(struct view *view)
{
    view->lineage = 0;
    view->epoch = 0;
    view->version = 0;
    view->next_age = 1;
    view->hash = 0;
    view->cause = CAUSE_FOUND;
    memset(&view->parent, 0, sizeof view->parent);
    memset(&view->merged, 0, sizeof view->merged);
    memset(&view->agreed, 0, sizeof view->agreed);
    view->voters.number = 0;
    view->voters.count = 0;
    view->member_count = 0;
    view->gone_count = 0;
    view->text_used = 0;
    index_rebuild(view);
}

/* --- Tags --- */

static bool is_own_text(const struct view *view, const struct tags *tags)
{
    const uintptr_t start = (uintptr_t)view->texts;

    return (uintptr_t)tags >= start && (uintptr_t)tags < start + texts_bytes(view->capacity);
}

/* With its padding: the next ones are aligned. */
static uint32_t text_bytes(const struct tags *tags)
{
    return (uint32_t)((tags_bytes(tags) + 1) & ~(size_t)1);
}

/* The first ones from there on that a member has, or NULL. */
static const struct tags *first_text(const struct view *view, const uint8_t *from)
{
    const struct tags *first = NULL;

    for (uint32_t i = 0; i < view->member_count; i++) {
        const struct tags *tags = view->members[i].tags;
        if (is_own_text(view, tags) && (uintptr_t)tags >= (uintptr_t)from &&
            (first == NULL || (uintptr_t)tags < (uintptr_t)first)) {
            first = tags;
        }
    }
    return first;
}

/* Closes the gaps that tags left which nobody has any more. This is slow, and rare: a view is
 * copied without gaps, so there have to be as many bytes of other tags since. */
static void close_gaps(struct view *view)
{
    const struct tags *text;
    uint32_t used = 0;

    for (const uint8_t *from = view->texts; (text = first_text(view, from)) != NULL;) {
        struct tags *to = (struct tags *)(void *)(view->texts + used);
        const uint32_t bytes = text_bytes(text);
        from = (const uint8_t *)text + bytes;
        for (uint32_t i = 0; i < view->member_count; i++) {
            view->members[i].tags = view->members[i].tags == text ? to : view->members[i].tags;
        }
        memmove(to, text, bytes);
        used += bytes;
    }
    view->text_used = used;
}

void view_set_tags(struct view *view, uint32_t position, const struct tags *tags)
{
    struct member *member = &view->members[position];

    member->tags = NULL;
    if (tags == NULL || tags->length == 0) {
        return;
    }
    if (is_own_text(view, tags)) {
        member->tags = tags;
        return;
    }
    if (texts_bytes(view->capacity) - view->text_used < text_bytes(tags)) {
        close_gaps(view);
    }
    struct tags *text = (struct tags *)(void *)(view->texts + view->text_used);
    tags_copy(text, tags);
    view->text_used += text_bytes(tags);
    member->tags = text;
}

void view_put(struct view *view, uint32_t position, const struct member *member)
{
    view->members[position] = *member;
    if (member->tags != NULL) {
        view_set_tags(view, position, member->tags);
    }
}

void view_copy(struct view *to, const struct view *from)
{
    assert(from->member_count <= to->capacity);

    to->lineage = from->lineage;
    to->epoch = from->epoch;
    to->version = from->version;
    to->next_age = from->next_age;
    to->hash = from->hash;
    to->cause = from->cause;
    to->parent = from->parent;
    to->merged = from->merged;
    to->agreed = from->agreed;
    voter_lists_copy(&to->voters, &from->voters);
    to->member_count = from->member_count;
    to->gone_count = from->gone_count;
    to->text_used = 0;
    for (uint32_t i = 0; i < from->member_count; i++) {
        view_put(to, i, &from->members[i]);
    }
    memcpy(to->gone, from->gone, from->gone_count * sizeof from->gone[0]);
    index_rebuild(to);
}

uint32_t view_find(const struct view *view, const struct node_id *id)
{
    if (view_is_empty(view)) {
        return VIEW_NONE; /* It may have no table. */
    }
    uint32_t slot = slot_of(view, id);

    while (view->index[slot] != 0) {
        uint32_t position = view->index[slot] - 1U;
        if (id_equal(&view->members[position].id, id)) {
            return position;
        }
        slot = (slot + 1) & view->index_mask;
    }
    return VIEW_NONE;
}

uint32_t view_find_name(const struct view *view, const char *name)
{
    for (uint32_t i = 0; i < view->member_count; i++) {
        if (text_equal(view->members[i].name, name)) {
            return i;
        }
    }
    return VIEW_NONE;
}

uint32_t view_find_address(const struct view *view, const struct address *address)
{
    for (uint32_t i = 0; i < view->member_count; i++) {
        if (address_equal(&view->members[i].address, address)) {
            return i;
        }
    }
    return VIEW_NONE;
}

uint32_t view_find_age(const struct view *view, uint64_t age)
{
    uint32_t low = 0;
    uint32_t high = view->member_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (view->members[middle].age < age) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < view->member_count && view->members[low].age == age ? low : VIEW_NONE;
}

const struct gone *view_find_gone(const struct view *view, const struct node_id *id)
{
    for (uint32_t i = view->gone_count; i > 0; i--) {
        if (id_equal(&view->gone[i - 1].id, id)) {
            return &view->gone[i - 1];
        }
    }
    return NULL;
}

bool view_knows(const struct view *view, const struct member *member)
{
    return view_has(view, &member->id) || view_find_gone(view, &member->id) != NULL ||
           view_find_name(view, member->name) != VIEW_NONE;
}

bool view_has(const struct view *view, const struct node_id *id)
{
    return view_find(view, id) != VIEW_NONE;
}

bool view_has_at(const struct view *view, const struct member *member)
{
    const uint32_t position = view_find(view, &member->id);

    return position != VIEW_NONE &&
           address_equal(&view->members[position].address, &member->address);
}

const struct member *view_coordinator(const struct view *view)
{
    assert(!view_is_empty(view));
    return &view->members[0];
}

static void gone_drop(struct view *view, uint32_t position)
{
    view->gone_count--;
    memmove(&view->gone[position], &view->gone[position + 1],
            (view->gone_count - position) * sizeof view->gone[0]);
}

bool view_forget(struct view *view, const struct node_id *id)
{
    for (uint32_t i = 0; i < view->gone_count; i++) {
        if (id_equal(&view->gone[i].id, id)) {
            gone_drop(view, i);
            return true;
        }
    }
    return false;
}

/* Who is back is not gone: the list names only those who are missing. */
static void gone_forget(struct view *view, const struct member *member)
{
    for (uint32_t i = view->gone_count; i > 0; i--) {
        if (text_equal(view->gone[i - 1].name, member->name) ||
            id_equal(&view->gone[i - 1].id, &member->id)) {
            gone_drop(view, i - 1);
        }
    }
}

void view_append(struct view *view, const struct member *member)
{
    assert(view->member_count < view->capacity);

    struct member *added = &view->members[view->member_count];
    view_put(view, view->member_count, member);
    added->age = view->next_age++;
    gone_forget(view, member);
    view->member_count++;
    bool unique = index_add(view, view->member_count - 1);
    assert(unique);
}

void view_remove(struct view *view, uint32_t position, const struct gone *why)
{
    assert(position < view->member_count);

    const struct member *member = &view->members[position];
    if (view->gone_count == GONE_MAX) {
        gone_drop(view, 0);
    }
    struct gone *gone = &view->gone[view->gone_count++];
    *gone = *why;
    gone->id = member->id;
    gone->address = member->address;
    gone->age = member->age;
    memcpy(gone->name, member->name, sizeof gone->name);

    view_take_out(view, position);
}

void view_take_out(struct view *view, uint32_t position)
{
    assert(position < view->member_count);

    view->member_count--;
    memmove(&view->members[position], &view->members[position + 1],
            (view->member_count - position) * sizeof view->members[0]);
    index_rebuild(view);
}

static void reverse(struct member *members, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        struct member kept = members[i];
        members[i] = members[count - 1 - i];
        members[count - 1 - i] = kept;
    }
}

void view_put_behind(struct view *view, uint32_t count)
{
    assert(count <= view->member_count);

    uint32_t stay = view->member_count - count;
    reverse(view->members, count);
    reverse(view->members + count, stay);
    reverse(view->members, view->member_count);
    for (uint32_t i = stay; i < view->member_count; i++) {
        view->members[i].age = view->next_age++;
    }
    index_rebuild(view);
}

struct versions view_versions(const struct view *view, uint32_t except)
{
    struct versions common = {.low = 0, .high = VERSIONS_MAX - 1};

    for (uint32_t i = 0; i < view->member_count; i++) {
        if (i != except) {
            common = versions_common(common, view->members[i].versions);
        }
    }
    return common;
}

static uint32_t last_undrained(const struct view *view)
{
    uint32_t last = 0;

    for (uint32_t i = 1; i < view->member_count; i++) {
        last = view->members[i].drained ? last : i;
    }
    return last;
}

void view_put_drained_behind(struct view *view)
{
    uint32_t end = last_undrained(view);
    bool moved = false;

    for (uint32_t i = 1; i < end;) {
        if (!view->members[i].drained) {
            i++;
            continue;
        }
        struct member drained = view->members[i];
        memmove(&view->members[i], &view->members[i + 1],
                (view->member_count - i - 1) * sizeof view->members[0]);
        drained.age = view->next_age++;
        view->members[view->member_count - 1] = drained;
        end--;
        moved = true;
    }
    if (moved) {
        index_rebuild(view);
    }
}

void view_add_gone(struct view *view, const struct gone *gone)
{
    bool is_known = view_find_name(view, gone->name) != VIEW_NONE || view_has(view, &gone->id) ||
                    view_find_gone(view, &gone->id) != NULL;

    if (!is_known && view->gone_count < GONE_MAX) {
        view->gone[view->gone_count++] = *gone;
    }
}

static uint64_t hash_text(uint64_t hash, const char *text, size_t size)
{
    size_t length = text_length(text, size);
    return hash_bytes(hash_u64(hash, length), text, length);
}

static uint64_t hash_who(uint64_t hash, const struct node_id *id, const struct address *address)
{
    hash = hash_bytes(hash, id->bytes, sizeof id->bytes);
    hash = address_hash(hash, address);
    return hash_u64(hash, ((uint64_t)address->family << 16) | address->port);
}

static uint64_t hash_view_id(uint64_t hash, const struct view_id *id)
{
    hash = hash_u64(hash, id->lineage);
    hash = hash_u64(hash, id->epoch);
    hash = hash_u64(hash, id->version);
    return hash_bytes(hash, id->coordinator.bytes, sizeof id->coordinator.bytes);
}

static uint64_t hash_versions(uint64_t hash, struct versions versions)
{
    return hash_u64(hash, VERSIONS_MARK | (uint64_t)versions.low << 8 | versions.high);
}

static uint64_t hash_agreed(uint64_t hash, const struct agreed *agreed)
{
    hash = hash_u64(hash_u64(hash, AGREED_MARK), agreed->number);
    hash = hash_u64(hash_u64(hash, agreed->origin), agreed->room);
    hash = hash_u64(hash, rules_hash(&agreed->now));
    return agreed->joint ? hash_u64(hash, rules_hash(&agreed->before)) : hash;
}

static uint64_t content_hash(const struct view *view)
{
    uint64_t hash = HASH_START;

    hash = hash_u64(hash, view->lineage);
    hash = hash_u64(hash, view->epoch);
    hash = hash_u64(hash, view->version);
    hash = hash_u64(hash, view->next_age);
    hash = hash_u64(hash, (uint64_t)view->cause);
    hash = hash_view_id(hash, &view->parent);
    hash = hash_view_id(hash, &view->merged);
    hash = hash_u64(hash, view->member_count);
    for (uint32_t i = 0; i < view->member_count; i++) {
        const struct member *member = &view->members[i];
        hash = hash_who(hash, &member->id, &member->address);
        hash = hash_u64(hash, member->age);
        hash = hash_u64(hash, member->incarnation);
        hash = member->drained ? hash_u64(hash, DRAINED_MARK) : hash;
        hash = member->versions.high != 0 ? hash_versions(hash, member->versions) : hash;
        hash = hash_text(hash, member->name, sizeof member->name);
        const struct tags *tags = member_tags(member);
        hash = hash_bytes(hash_u64(hash, tags->length), tags->text, tags->length);
    }
    for (uint32_t i = 0; i < view->gone_count; i++) {
        const struct gone *gone = &view->gone[i];
        hash = hash_who(hash, &gone->id, &gone->address);
        hash = hash_u64(hash, gone->age);
        hash = hash_text(hash, gone->name, sizeof gone->name);
        hash = hash_u64(hash, ((uint64_t)gone->reason << 8) | (uint64_t)gone->verdict);
        hash = hash_u64(hash, gone->silent_ms);
        hash = hash_u64(hash, gone->accuser_count);
        for (uint8_t k = 0; k < gone->accuser_count; k++) {
            hash = hash_u64(hash, gone->accusers[k]);
        }
    }
    hash = view->agreed.number != 0 ? hash_agreed(hash, &view->agreed) : hash;
    if (view->voters.count > 0) {
        hash = voter_lists_hash(hash_u64(hash, VOTERS_MARK), &view->voters);
    }
    return hash_finish(hash);
}

/* Padding and what stands behind the end of a name may differ between equals: then the answer is
 * no, and nothing is lost but time. */
bool view_repeats(struct view *view, const struct view *known)
{
    const size_t gone_bytes = known->gone_count * sizeof known->gone[0];
    const struct view_id id = view_id_of(view);
    const struct view_id known_id = view_id_of(known);

    if (view_is_empty(known) || view->hash != known->hash || !view_id_equal(&id, &known_id) ||
        view->next_age != known->next_age || view->cause != known->cause ||
        !view_id_equal(&view->parent, &known->parent) ||
        !view_id_equal(&view->merged, &known->merged) ||
        !agreed_equal(&view->agreed, &known->agreed) ||
        !voter_lists_equal(&view->voters, &known->voters) ||
        view->member_count != known->member_count || view->gone_count != known->gone_count ||
        memcmp(view->gone, known->gone, gone_bytes) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < known->member_count; i++) {
        if (!member_repeats(&view->members[i], &known->members[i])) {
            return false;
        }
    }
    return index_rebuild(view);
}

void view_place_voters(struct view *view)
{
    for (uint8_t i = 0; i < view->voters.count; i++) {
        struct listed_voter *voter = &view->voters.voters[i];
        const uint32_t position = voter->witness ? VIEW_NONE : view_find_name(view, voter->name);
        if (position != VIEW_NONE) {
            voter->address = view->members[position].address;
        }
    }
}

bool view_is_sound_of_founders(const struct view *view)
{
    return view_is_of_founders(view) && voter_lists_are_sound(&view->voters) && view->epoch == 0 &&
           view->version == 0 && agreed_is_sound(&view->agreed) && view->next_age <= COUNTER_MAX &&
           view->hash == content_hash(view);
}

void view_seal(struct view *view)
{
    view->hash = content_hash(view);
}

int view_id_compare(const struct view_id *a, const struct view_id *b)
{
    if (a->epoch != b->epoch) {
        return a->epoch < b->epoch ? -1 : 1;
    }
    if (a->version != b->version) {
        return a->version < b->version ? -1 : 1;
    }
    return id_compare(&a->coordinator, &b->coordinator);
}

/* Borrows the index table for a moment: the caller rebuilds it afterwards. */
static bool names_are_unique(struct view *view)
{
    memset(view->index, 0, (view->index_mask + 1) * sizeof view->index[0]);
    for (uint32_t i = 0; i < view->member_count; i++) {
        const char *name = view->members[i].name;
        uint64_t hash = hash_bytes(HASH_START, name, text_length(name, NAME_BYTES_MAX + 1));
        uint32_t slot = (uint32_t)hash_finish(hash) & view->index_mask;

        for (; view->index[slot] != 0; slot = (slot + 1) & view->index_mask) {
            if (text_equal(view->members[view->index[slot] - 1].name, name)) {
                return false;
            }
        }
        view->index[slot] = (uint16_t)(i + 1);
    }
    return true;
}

/* Who is gone is no member. Needs the index table. */
static bool names_no_member_as_gone(const struct view *view)
{
    for (uint32_t i = 0; i < view->gone_count; i++) {
        if (view_has(view, &view->gone[i].id)) {
            return false;
        }
    }
    return true;
}

static bool share_a_version(const struct view *view)
{
    const struct versions common = view_versions(view, VIEW_NONE);

    return common.low <= common.high;
}

bool view_is_sound(struct view *view)
{
    if (view->member_count == 0 || view->version == 0 || view->epoch == 0 ||
        view->version > COUNTER_MAX || view->epoch > COUNTER_MAX || view->next_age > COUNTER_MAX) {
        return false;
    }
    uint64_t youngest = 0;
    for (uint32_t i = 0; i < view->member_count; i++) {
        const struct member *member = &view->members[i];
        if (member->age <= youngest || id_is_none(&member->id) || member->name[0] == '\0' ||
            address_is_none(&member->address)) {
            return false;
        }
        youngest = member->age;
    }
    if (!share_a_version(view) || !agreed_is_sound(&view->agreed) ||
        !voter_lists_are_sound(&view->voters)) {
        return false;
    }
    return youngest < view->next_age && names_are_unique(view) && index_rebuild(view) &&
           names_no_member_as_gone(view) && view->hash == content_hash(view);
}
