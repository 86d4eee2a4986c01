/* Which voters of guard strict vote, as each said of itself when it was asked beside the protocol
 * (runtime/services/inquiry.h). Nobody else can know. Whoever wants to know asks; what was said is
 * remembered for a while. */
#ifndef CONTROL_VOTER_SURVEY_H
#define CONTROL_VOTER_SURVEY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "control/facts/facts.h"

enum {
    VOTER_ASK_MS = 1000, /* a round that began so lately serves the next who asks, too, */
    VOTER_ASK_SELDOM_MS = 10 * 1000, /* and so lately one who asks all the time */
    VOTER_SAID_MS = 30 * 1000,       /* what was said so long ago says nothing of now */
};

struct voter_said {
    struct node_id life; /* that said it */
    uint64_t said_ms;    /* 0: it said nothing */
    json_t *answer;      /* the known fields of what it said; owned */
};

/* All zero knows nothing; by place among facts->voters. */
struct voter_survey {
    uint64_t number;   /* of the voters that they were asked as, */
    uint64_t since_ms; /* since then: what was said before says nothing */
    struct voter_said voters[VOTERS_LISTED_MAX];
    struct voter_said coordinator; /* of witnesses */
};

void voter_survey_deinit(struct voter_survey *survey);

/* Takes what has been answered since; under guard strict begins a round, unless one began in the
 * last `lately_ms`. */
void voter_survey_ask(struct voter_survey *survey, const struct facts *facts, uint64_t lately_ms);

/* What the voter, who is the member of that name and heard, said lately; NULL: nothing. Borrowed.
 */
const json_t *voter_survey_said(const struct voter_survey *survey, const struct facts *facts,
                                uint8_t voter);

/* What the coordinator knows of the voter, which is a witness. */
struct witness_said {
    bool is_known;
    bool answers;
    uint64_t answered_ms; /* since it answered last; NEVER_MS: that is not known */
};
struct witness_said voter_survey_witness(const struct voter_survey *survey,
                                         const struct facts *facts, uint8_t voter);

/* How the voter stands, in the words of voter_status_text: of this node as it is, of others as they
 * said. VOTER_OTHER_RECORD where it votes by another record than the view names; NULL: it has not
 * said. Borrowed. */
#define VOTER_OTHER_RECORD "another record"
const char *voter_survey_status(const struct voter_survey *survey, const struct facts *facts,
                                uint8_t voter);

/* Voters that are members, and others, and heard, and have said nothing lately; and witnesses of
 * which the coordinator is heard, and has not. */
uint32_t voter_survey_waiting(const struct voter_survey *survey, const struct facts *facts);

#endif
