/* Whom each member hears of those whom it watches (D9), as all say it when somebody asks them: what
 * `doyen matrix` shows. Part of the answers that inquiry brings, and of GET /v1/peers. */
#ifndef CONTROL_HEARS_SURVEY_H
#define CONTROL_HEARS_SURVEY_H

#include <jansson.h>

#include "control/facts/facts.h"
#include "control/facts/links.h"
#include "runtime/services/inquiry.h"

enum { HEARS_TOLD_MAX = LINKS_DOUBTS_MAX }; /* that one member tells; what is beyond is not read */

/* What this node tells another that asks: [[age, state], ...] of up to `most` of those whom it
 * watches, those in doubt first. NULL when memory ran out. */
json_t *hears_own(const struct facts *facts, size_t most);

/* All that was said, by position in the view. */
struct hears_survey {
    const struct facts *facts;
    json_t **said; /* as of hears_own; NULL: no answer */
};

/* From the answers in the round that runs. Returns false when memory ran out; close it then, too.
 */
bool hears_survey_open(struct hears_survey *survey, const struct facts *facts,
                       const struct inquiry *inquiry);
void hears_survey_close(struct hears_survey *survey);

/* {"byzantium": "heard", "cyrene": "silent"}: what the member at that position said; null where it
 * did not answer. NULL when memory ran out. */
json_t *hears_survey_json(const struct hears_survey *survey, uint32_t position);

/* Of whom did not answer it is known what its heartbeats told. Borrows both. */
struct links hears_survey_links(const struct hears_survey *survey,
                                const struct hearing_stability *stability);

#endif
