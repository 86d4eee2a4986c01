/* Answers what clients ask about their campaigns: to stand for a role, and to stand no more. */
#ifndef CONTROL_CAMPAIGN_ANSWER_H
#define CONTROL_CAMPAIGN_ANSWER_H

#include <stdbool.h>

#include "control/http/answer.h"

struct request;

#define CAMPAIGN_PROTOCOL "doyen-campaign" /* in the header Upgrade */

/* POST /v1/campaign. With 101 the connection becomes a campaign's. */
struct answer campaign_answer(struct request *request);

/* POST /v1/value. */
struct answer campaign_answer_value(struct request *request);

/* POST /v1/resign?role=ROLE. */
struct answer campaign_answer_resign(struct request *request);

#endif
