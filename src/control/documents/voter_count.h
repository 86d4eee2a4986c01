/* How many voters of guard strict there are, are heard and vote, as far as this node knows. */
#ifndef CONTROL_VOTER_COUNT_H
#define CONTROL_VOTER_COUNT_H

#include "control/documents/voter_survey.h"

struct voter_tally {
    uint32_t count;   /* 0: another guard */
    uint32_t needed;  /* more than half of them */
    uint32_t heard;   /* this node too if it is one; who is no member, by its coordinator alone */
    uint32_t ended;   /* of the others, those whose hosts said that they ended */
    uint32_t lacking; /* of those heard, who are known not to vote */
    const char *lack; /* how one of them stands, "no record"; borrowed */
};

/* Of the list that holds, or while there are two of the one that lacks more. */
struct voter_tally voter_count(const struct facts *facts, const struct voter_survey *survey);

/* Of those who are heard, all that are not known not to. */
uint32_t voter_count_voting(const struct voter_tally *tally);

/* How many of them may be lost. */
uint32_t voter_count_spare(const struct voter_tally *tally);

/* Is the voter heard, as a member or, by the coordinator, as one that only votes? */
bool voter_count_hears(const struct facts *facts, const struct voter_survey *survey, uint8_t voter);

/* Is the voter heard, and not known not to vote? */
bool voter_count_votes(const struct facts *facts, const struct voter_survey *survey, uint8_t voter);

#endif
