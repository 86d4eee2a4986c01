/* Does a view speak for this node (V4)? The one question that is asked before a view is installed,
 * before a proposal is accepted (U2), and before a view without this node puts it out (L1).
 *
 *     MADE       by our own coordinator                             |
 *     VOUCHED    by our own coordinator: it went there itself       |  what our coordinator said
 *     AGREED     by ourselves: accepted, granted, asked for it      |  what this node said
 *     FELLOW     by one of us, while the coordinator is silent      |  what is left
 *     RELEASED   we coordinate, and it leaves out nobody we hear    |
 *     UNASKED    --> it is asked for; the answer is RELEASED, and where voters decide AGREED
 *     none       --> NOT_FOLLOWING
 */
#ifndef CORE_AUTHORITY_H
#define CORE_AUTHORITY_H

#include "core/state/state.h"

/* By which authority, the first that applies. */
enum authority {
    AUTHORITY_NONE,
    AUTHORITY_UNASKED, /* would release us (V4l), or is in the chain of voters (Z9d): it counts
                          when it is asked for */
    AUTHORITY_MADE,    /* our coordinator made it */
    AUTHORITY_VOUCHED, /* our coordinator vouches for it: shows it, hands over to its maker, or
                          agreed to the merge */
    AUTHORITY_AGREED,  /* we agreed to it ourselves */
    AUTHORITY_FELLOW,  /* our coordinator is not fresh, and one of the view's members shows it */
    AUTHORITY_RELEASED /* we coordinate, and it leaves out nobody whom we hear */
};

/* Does a view that has it speak for this node? */
static inline bool authority_counts(enum authority authority)
{
    return authority > AUTHORITY_UNASKED;
}

/* V4i: is it in this node's own name, and not what it proposed itself? Nobody else makes such a
 * view, and what came of its own proposals it knows. */
bool authority_is_in_our_name(const struct core *core, const struct view *view);

/* Is the member at that position (VIEW_NONE: nobody) one whose word on which view holds counts: the
 * coordinator, or under guard strict a voter (Z9d)? */
bool authority_knows(const struct core *core, uint32_t position);

/* The oldest other voter that is a member and is heard, who knows which views hold (Z9d);
 * VIEW_NONE: there is none. */
uint32_t authority_voter(const struct core *core);

/* V4c: nobody is heard who coordinates: so the sender of the view, which it holds, may speak for it
 * where no voters do. */
bool authority_is_of_its_sender(const struct core *core, const struct message *message);

/* V4c: would it be by FELLOW, were it not from before others came whom this node hears? */
bool authority_is_of_the_past(const struct core *core, const struct message *message);

/* Z18c: is the history that a lineage names of the same founding as that of this member, and one of
 * the two recovered later? It takes the place of the other. */
bool authority_is_of_one_founding(const struct core *core, uint64_t lineage);

/* Z18c: does the history that a lineage names take the place of the one that this member is in? */
bool authority_is_succeeded_by(const struct core *core, uint64_t lineage);

/* Of the view that a VIEW or PREPARE brings along. For members. O(members). */
enum authority authority_of(const struct core *core, const struct message *message);

#endif
