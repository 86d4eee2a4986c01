/* Would enough voters vote after a change of them? Only the coordinator knows who leases to it and
 * decides by that (Z11f); any other member goes by who is heard and has not said that it does not
 * vote, so as to refuse at once what would come to nothing. */
#ifndef CONTROL_VOTERS_REACH_H
#define CONTROL_VOTERS_REACH_H

#include "control/documents/voter_survey.h"
#include "control/facts/facts.h"

struct voters_reach {
    uint32_t length;      /* of the new list */
    uint32_t voting;      /* of it, without newcomers unless one alone votes now */
    const char *lacks;    /* of those who stay, one that does not vote; or NULL */
    const char *newcomer; /* or NULL */
    uint32_t newcomers;
    uint32_t leaving;
    uint32_t leaving_voting;
    uint32_t now; /* the length of the present list */
    uint32_t now_voting;
};

struct voters_reach voters_reach_of(const struct facts *facts, const struct voter_survey *survey,
                                    const struct voters_wish *wish);

/* At once, or else by one that comes and one that goes, rather one that does not vote. */
bool voters_reach_suffices(const struct voters_reach *reach);

/* Is it in the list that holds, or is being entered? */
bool voters_reach_is_voter(const struct facts *facts, const char *name);

#endif
