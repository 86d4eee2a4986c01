/* The ordered membership: who is in, oldest first, under which name (rules V1 to V3). */
#ifndef CORE_VIEW_H
#define CORE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/agreed.h"
#include "core/model/member.h"
#include "core/model/voter_lists.h"

/* Names one content for ever (S1). Ordered by epoch, then version, then coordinator. */
struct view_id {
    uint64_t lineage; /* random, drawn at the founding (I3) */
    uint64_t epoch;
    uint64_t version;
    struct node_id coordinator;
};

/* Why the view was made. On the wire: append only. */
enum view_cause {
    CAUSE_FOUND = 1,
    CAUSE_CHANGE = 2,   /* joins, removals and leaves that came together */
    CAUSE_CLAIM = 3,    /* take-over after the older ones fell silent (C4) */
    CAUSE_HANDOVER = 4, /* the coordinator left in good order (E2) */
    CAUSE_MERGE = 5,
};

/* The arrays belong to the view's storage; members[0] is the coordinator and there is no other
 * flag for it. `hash` covers everything else and is set by view_seal. What every message is
 * compared with stands first. */
struct view {
    uint64_t lineage;
    uint64_t epoch;
    uint64_t version;
    uint64_t next_age;
    uint64_t hash;
    uint32_t member_count;
    uint32_t gone_count;
    struct member *members; /* by rising age */
    uint16_t *index;        /* open hash table: id -> position + 1 */
    uint32_t index_mask;
    uint32_t capacity;  /* members that fit */
    struct gone *gone;  /* in the order of entry, oldest first; GONE_MAX fit */
    uint8_t *texts;     /* where the members' tags are; most members have none, or few */
    uint32_t text_used; /* bytes of it */
    enum view_cause cause;
    struct view_id parent;     /* the view it was made from; all zero for the first */
    struct view_id merged;     /* CAUSE_MERGE: the other part's view; all zero else */
    struct agreed agreed;      /* terms that were changed (A1) */
    struct voter_lists voters; /* under guard strict (Z10) */
};

#define VIEW_NONE UINT32_MAX

/* Bytes of storage that a view of this capacity needs, and its initialisation inside `storage`
 * (aligned as for malloc), which the view borrows for its life. An empty view is "no view". */
size_t view_bytes(uint32_t capacity);
void view_init(struct view *view, uint32_t capacity, void *storage);

static inline bool view_is_empty(const struct view *view)
{
    return view->member_count == 0;
}

/* Z10a: who is to agree, where not all members are. There is one chain of such views (Z9). */
static inline bool view_names_voters(const struct view *view)
{
    return view->voters.count > 0;
}

/* Does it name the voters with whom a cluster is founded, and nothing yet that was agreed upon
 * (Z13a)? Such a view is an empty one, too. */
static inline bool view_is_of_founders(const struct view *view)
{
    return view->member_count == 0 && view->voters.count > 0;
}

void view_clear(struct view *view);

/* Copies the content; `to` must have room for it. */
void view_copy(struct view *to, const struct view *from);

/* Position of a life among the members, or VIEW_NONE. */
uint32_t view_find(const struct view *view, const struct node_id *id);
uint32_t view_find_name(const struct view *view, const char *name);
uint32_t view_find_address(const struct view *view, const struct address *address);
uint32_t view_find_age(const struct view *view, uint64_t age);

/* The entry of a former member, or NULL. */
const struct gone *view_find_gone(const struct view *view, const struct node_id *id);

/* Did its maker know of this member: is it in it, or gone, or is another under its name? Otherwise
 * its absence is no removal. */
bool view_knows(const struct view *view, const struct member *member);

bool view_has(const struct view *view, const struct node_id *id);

/* Is that life a member at that address? A life has one; where a view has it elsewhere one of both
 * was made up. */
bool view_has_at(const struct view *view, const struct member *member);

/* Gives the member at `position` these tags, which are copied; NULL or no bytes for none. */
void view_set_tags(struct view *view, uint32_t position, const struct tags *tags);

/* Writes the member, its age and its tags, to that place; the caller counts the places, and sees to
 * the index table. */
void view_put(struct view *view, uint32_t position, const struct member *member);

/* The versions that all members speak, but for the one at `except`; all, if there is nobody. */
struct versions view_versions(const struct view *view, uint32_t except);
const struct member *view_coordinator(const struct view *view); /* never on an empty view */

/* Adds the member as the youngest, with age `next_age`, whatever age it carries; drops a gone
 * entry of the same name. The caller has made sure that there is room. */
void view_append(struct view *view, const struct member *member);

/* Removes the member at `position` and remembers it among the gone, as `why` says; only reason
 * and evidence of `why` are used. */
void view_remove(struct view *view, uint32_t position, const struct gone *why);

/* Takes the member at `position` out without remembering it: it goes on elsewhere in the view. */
void view_take_out(struct view *view, uint32_t position);

/* The first `count` members become the youngest: they keep their order among themselves and take
 * ages from `next_age` on. */
void view_put_behind(struct view *view, uint32_t count);

/* Takes one that is gone off the list (E9); false: it is not there. */
bool view_forget(struct view *view, const struct node_id *id);

/* Drained members that stand before others become younger than those, in their order; but not the
 * first member, who makes the view (E7). */
void view_put_drained_behind(struct view *view);

/* Adds an entry to the gone, if there is room, unless a member has its name or an entry its id. */
void view_add_gone(struct view *view, const struct gone *gone);

/* Sets `hash` after the last change to the content. */
void view_seal(struct view *view);

static inline struct view_id view_id_of(const struct view *view)
{
    const struct node_id nobody = {.bytes = {0}};

    return (struct view_id){
        .lineage = view->lineage,
        .epoch = view->epoch,
        .version = view->version,
        .coordinator = view_is_empty(view) ? nobody : view->members[0].id,
    };
}

/* Order of views (V2): negative, 0, positive. The lineage takes no part: ask for it apart. */
int view_id_compare(const struct view_id *a, const struct view_id *b);

static inline bool view_id_equal(const struct view_id *a, const struct view_id *b)
{
    return a->lineage == b->lineage && a->epoch == b->epoch && a->version == b->version &&
           id_equal(&a->coordinator, &b->coordinator);
}

/* Where the voters are, for those who are members of the view: to be told before it is sealed. */
void view_place_voters(struct view *view);

/* Is it one of founders, and as its hash has it? */
bool view_is_sound_of_founders(const struct view *view);

/* What must be true of any view before it is acted on (S3, S4): at least one member, ids, names
 * and ages unique, ages rising, next_age above all, no member among the gone, the hash right.
 * Rebuilds the index table. */
bool view_is_sound(struct view *view);

/* Does it say the same, byte by byte, as a view that is sound? Then it is sound, and this is told
 * sooner than by view_is_sound. It may be sound without: the answer no says nothing. Rebuilds the
 * index table where the answer is yes. */
bool view_repeats(struct view *view, const struct view *known);

#endif
