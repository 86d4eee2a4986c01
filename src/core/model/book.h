/* Addresses worth asking: what the seeds resolve to, and everyone this node ever knew (M1).
 * Bounded; seeds are kept apart and never pushed out. */
#ifndef CORE_BOOK_H
#define CORE_BOOK_H

#include "core/model/limits.h"
#include "core/model/view.h"

/* Has a member that address? Looked up once for each view. */
enum book_standing { STANDING_UNKNOWN = 0, STANDING_MEMBER, STANDING_OTHER };

struct book {
    struct address self; /* never entered, never asked */
    struct address seeds[SEEDS_MAX];
    uint32_t seed_count;
    struct address entries[BOOK_MAX]; /* by time of entry */
    uint32_t count;
    uint32_t cursor; /* asking goes round */
    uint32_t seed_cursor;
    uint8_t seed_standings[SEEDS_MAX]; /* enum book_standing */
    uint8_t standings[BOOK_MAX];       /* of the entries */
};

/* An empty book of the node at that address. */
void book_init(struct book *book, const struct address *self);

/* Replaces the seeds' addresses. An empty answer (no name service, say) changes nothing. */
void book_set_seeds(struct book *book, const struct address *addresses, uint32_t count);

/* Enters an address, pushing out the one entered longest ago where there is no room. */
void book_remember(struct book *book, const struct address *address);

/* A view was installed after `former`: whoever went is the latest entry again; whoever came, and
 * everyone whom the view lists as gone, is entered (M1). */
void book_on_view_installed(struct book *book, const struct view *view, const struct view *former);

bool book_has_seed(const struct book *book, const struct address *address);

/* Is it a seed's, or anybody's whom this node knew, or was told of? */
bool book_has(const struct book *book, const struct address *address);

/* Addresses to look at next, in turn, those of the view's members left out (NULL: nobody's): from
 * the seeds when `with_seeds`, then from the others. Writes at most `limit`, returns how many. */
uint32_t book_next(struct book *book, const struct view *view, bool with_seeds, struct address *out,
                   uint32_t limit);

/* Is there anybody but this node to ask? */
bool book_has_others(const struct book *book);

#endif
