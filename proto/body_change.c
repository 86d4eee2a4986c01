#include "proto/body_change.h"

#include <string.h>

#include "base/text.h"
#include "core/model/message.h"
#include "proto/body_view.h"

/* The lists of a view are a list of edits each, which go through the base's list from its first
 * item to its last: so many of its items are left out, so many are taken over, or an item follows
 * that the base does not have, or not so. What is left of the base at the end is left out. On the
 * wire: append only. */
enum edit_kind { EDIT_SKIP = 0, EDIT_COPY = 1, EDIT_ITEM = 2 };

enum { EDIT_FIELDS = 2 };

/* --- The lists, members or gone --- */

struct list {
    const struct view *base;
    struct view *to; /* reading: the view that it is made for; writing: NULL */
    const struct view *view;
    bool gone;
};

static uint32_t count_of(const struct list *list, const struct view *view)
{
    return list->gone ? view->gone_count : view->member_count;
}

static bool is_same_member(const struct member *a, const struct member *b)
{
    return id_equal(&a->id, &b->id) && address_equal(&a->address, &b->address) &&
           a->age == b->age && a->drained == b->drained &&
           versions_equal(a->versions, b->versions) && a->incarnation == b->incarnation &&
           text_equal(a->name, b->name) && tags_equal(member_tags(a), member_tags(b));
}

static bool is_same_gone(const struct gone *a, const struct gone *b)
{
    return id_equal(&a->id, &b->id) && address_equal(&a->address, &b->address) &&
           a->age == b->age && text_equal(a->name, b->name) && a->reason == b->reason &&
           a->verdict == b->verdict && a->silent_ms == b->silent_ms &&
           a->accuser_count == b->accuser_count &&
           memcmp(a->accusers, b->accusers, a->accuser_count * sizeof a->accusers[0]) == 0;
}

static bool is_same(const struct list *list, uint32_t position, uint32_t in_base)
{
    return list->gone
               ? is_same_gone(&list->view->gone[position], &list->base->gone[in_base])
               : is_same_member(&list->view->members[position], &list->base->members[in_base]);
}

/* Where the base has that item, at `from` or behind it; or VIEW_NONE. Members stand by their age,
 * and whoever moved has another one. */
static uint32_t find_in_base(const struct list *list, uint32_t position, uint32_t from)
{
    if (!list->gone) {
        const uint32_t found = view_find_age(list->base, list->view->members[position].age);
        return found != VIEW_NONE && found >= from && is_same(list, position, found) ? found
                                                                                     : VIEW_NONE;
    }
    for (uint32_t i = from; i < list->base->gone_count; i++) {
        if (is_same(list, position, i)) {
            return i;
        }
    }
    return VIEW_NONE;
}

/* --- Writing --- */

/* The places in both lists; and the next edit, which begins there. */
struct walk {
    uint32_t at;
    uint32_t in_base;
    enum edit_kind kind;
    uint32_t count; /* items that it skips or copies */
};

/* Returns false at the end of the view's list. */
static bool next_edit(const struct list *list, struct walk *walk)
{
    const uint32_t count = count_of(list, list->view);
    const uint32_t base_count = count_of(list, list->base);

    if (walk->at == count) {
        return false;
    }
    const uint32_t found = find_in_base(list, walk->at, walk->in_base);
    if (found == VIEW_NONE) {
        walk->kind = EDIT_ITEM;
        return true;
    }
    walk->kind = found == walk->in_base ? EDIT_COPY : EDIT_SKIP;
    walk->count = found - walk->in_base;
    if (walk->kind == EDIT_COPY) {
        do {
            walk->count++;
        } while (walk->at + walk->count < count && found + walk->count < base_count &&
                 is_same(list, walk->at + walk->count, found + walk->count));
    }
    return true;
}

static void pass_edit(struct walk *walk)
{
    walk->at += walk->kind == EDIT_COPY ? walk->count : walk->kind == EDIT_ITEM;
    walk->in_base += walk->kind == EDIT_ITEM ? 0 : walk->count;
}

static bool write_edits(struct writer *writer, const struct list *list, const uint8_t *limit)
{
    struct walk walk = {.at = 0};
    uint32_t count = 0;

    for (; next_edit(list, &walk); pass_edit(&walk)) {
        count++;
    }
    writer_array(writer, count);
    for (walk = (struct walk){.at = 0}; next_edit(list, &walk); pass_edit(&walk)) {
        writer_array(writer, EDIT_FIELDS);
        writer_number(writer, (uint64_t)walk.kind);
        if (walk.kind != EDIT_ITEM) {
            writer_number(writer, walk.count);
        } else if (list->gone) {
            body_write_gone(writer, &list->view->gone[walk.at]);
        } else {
            const struct member *member = &list->view->members[walk.at];
            body_write_member(writer, member, member_tags(member));
        }
        if (writer->at >= limit) {
            return false;
        }
    }
    return true;
}

bool body_write_change(struct writer *writer, const struct view *view, const struct view *base,
                       const uint8_t *limit)
{
    if (view_is_empty(base) || view->lineage != base->lineage ||
        (view->voters.count == 0 && base->voters.count > 0)) {
        return false;
    }
    const struct view_id base_id = view_id_of(base);
    const struct list members = {.base = base, .view = view};
    const struct list gone = {.base = base, .view = view, .gone = true};

    const struct body_view_tail tail = {.agreed = view->agreed.number != 0,
                                        .voters = !voter_lists_equal(&view->voters, &base->voters)};

    writer_array(writer, BODY_CHANGE_FIELDS + body_view_tail_fields(tail));
    body_write_view_id(writer, &base_id);
    writer_number(writer, base->hash);
    writer_number(writer, view->epoch);
    writer_number(writer, view->version);
    writer_number(writer, view->next_age);
    writer_number(writer, view->hash);
    writer_number(writer, (uint64_t)view->cause);
    if (view_id_equal(&view->parent, &base_id)) {
        writer_nil(writer);
    } else {
        body_write_view_id(writer, &view->parent);
    }
    body_write_view_id(writer, &view->merged);
    if (!write_edits(writer, &members, limit) || !write_edits(writer, &gone, limit)) {
        return false;
    }
    body_write_view_tail(writer, view, tail);
    return writer->at < limit;
}

/* --- Reading --- */

static uint32_t room_for(const struct list *list)
{
    return list->gone ? GONE_MAX : list->to->capacity;
}

static void copy_item(const struct list *list, uint32_t to, uint32_t from)
{
    if (list->gone) {
        list->to->gone[to] = list->base->gone[from];
    } else {
        view_put(list->to, to, &list->base->members[from]);
    }
}

static void read_item(struct reader *reader, const struct list *list, uint32_t to)
{
    if (list->gone) {
        body_read_gone(reader, &list->to->gone[to]);
    } else {
        body_read_member_of(reader, list->to, to);
    }
}

/* Returns how many items the list has then. Every edit uses up an item of the base, or room, so
 * there are no more of them than of both. */
static uint32_t read_edits(struct reader *reader, const struct list *list)
{
    const uint32_t base_count = count_of(list, list->base);
    const uint32_t edits = reader_list(reader, 0, base_count + room_for(list));
    uint32_t in_base = 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < edits && reader->error == WIRE_OK; i++) {
        const uint32_t room = room_for(list) - count;
        const uint32_t left = base_count - in_base;
        reader_fields(reader, EDIT_FIELDS);
        switch ((enum edit_kind)reader_number(reader, EDIT_SKIP, EDIT_ITEM)) {
        case EDIT_SKIP:
            in_base += (uint32_t)reader_number(reader, 1, left);
            break;
        case EDIT_COPY: {
            const uint32_t most = left < room ? left : room;
            const uint32_t copied = (uint32_t)reader_number(reader, 1, most);
            for (uint32_t k = 0; k < copied; k++) {
                copy_item(list, count++, in_base++);
            }
            break;
        }
        case EDIT_ITEM:
            if (room == 0) {
                reader_fail(reader, WIRE_BOUND);
                break;
            }
            read_item(reader, list, count++);
            break;
        }
    }
    return reader->error == WIRE_OK ? count : 0;
}

static const struct view *find_base(const struct bases *bases, const struct view_reference *named)
{
    if (bases->installed != NULL && view_is_named(bases->installed, named)) {
        return bases->installed;
    }
    return bases->accepted != NULL && view_is_named(bases->accepted, named) ? bases->accepted
                                                                            : NULL;
}

/* The receiver's voter has given up the base for this very view, and is asked once more. */
static bool is_accepted(const struct view *accepted, const struct view *announced)
{
    return accepted != NULL && !view_is_empty(accepted) && accepted->hash == announced->hash &&
           accepted->lineage == announced->lineage && accepted->epoch == announced->epoch &&
           accepted->version == announced->version && accepted->member_count <= announced->capacity;
}

/* How it comes to the view that is held: the edits are for the base. */
static void pass_change(struct reader *reader, struct body_view_tail tail)
{
    enum { FIELDS_READ = 6 }; /* to the hash */

    reader_skip(reader, BODY_CHANGE_FIELDS - FIELDS_READ + body_view_tail_fields(tail));
}

void body_read_change(struct reader *reader, const struct bases *bases, struct view *view,
                      struct body_view_tail tail)
{
    struct view_reference named;

    view_clear(view);
    body_read_view_id(reader, &named.view);
    named.view_hash = reader_number(reader, 0, UINT64_MAX);
    if (reader->error != WIRE_OK) {
        return;
    }
    view->lineage = named.view.lineage;
    view->epoch = reader_number(reader, 0, UINT64_MAX);
    view->version = reader_number(reader, 0, UINT64_MAX);
    view->next_age = reader_number(reader, 0, UINT64_MAX);
    const uint64_t hash = reader_number(reader, 0, UINT64_MAX);
    view->hash = hash;
    const struct view *base = find_base(bases, &named);
    if (base == NULL && is_accepted(bases->accepted, view)) {
        view_copy(view, bases->accepted);
        pass_change(reader, tail);
        return;
    }
    if (base == NULL) {
        reader_fail(reader, WIRE_BASE);
        return;
    }
    view->cause = (enum view_cause)reader_number(reader, CAUSE_FOUND, CAUSE_MERGE);
    if (reader_accept_nil(reader)) {
        view->parent = named.view;
    } else {
        body_read_view_id(reader, &view->parent);
    }
    body_read_view_id(reader, &view->merged);
    view->member_count = read_edits(reader, &(struct list){.base = base, .to = view});
    view->gone_count = read_edits(reader, &(struct list){.base = base, .to = view, .gone = true});
    voter_lists_copy(&view->voters, &base->voters);
    body_read_view_tail(reader, view, tail);
    if (view->member_count == 0) {
        reader_fail(reader, WIRE_BOUND);
    }
    if (reader->error != WIRE_OK) {
        return;
    }
    view_seal(view);
    if (view->hash != hash) {
        reader_fail(reader, WIRE_RESULT);
    }
}
