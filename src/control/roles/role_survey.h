/* Who stands for which role, as each member says of its own clients: a round of questions to all
 * members, beside the protocol like that of runtime/services/inquiry.h, and the document of
 * /v1/roles. A member's own word is what counts: it holds by its own clock. */
#ifndef CONTROL_ROLE_SURVEY_H
#define CONTROL_ROLE_SURVEY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "control/facts/facts.h"
#include "runtime/node/node.h"

/* What one member has said in the round that runs. */
struct survey_slot {
    struct node_id life;
    json_t *roles; /* an array; NULL: nothing yet */
    uint64_t answered_ms;
    bool asked;
    bool answered; /* all of it */
};

/* All zero but for `node` is one that has asked nobody yet. */
struct role_survey {
    struct node *node;
    uint64_t nonce; /* of the round */
    uint64_t began_ms;
    struct survey_slot *slots; /* the members of the view when the round began; NULL: no round */
    uint32_t slot_count;
    uint32_t asked_count; /* of them, in order */
};

/* Answers other members, and takes their answers, from now on. */
void role_survey_open(struct role_survey *survey);
void role_survey_close(struct role_survey *survey);

/* Begins a round, unless one began less than `pause_ms` ago; false when memory ran out. */
bool role_survey_begin(struct role_survey *survey, uint64_t pause_ms);

/* Asks some more of the members that were not asked yet in this round. */
void role_survey_ask(struct role_survey *survey);

/* The document of /v1/roles: NULL when memory ran out. */
json_t *role_survey_report(const struct role_survey *survey, const struct facts *facts);

#endif
