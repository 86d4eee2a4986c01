/* The names of the protocol's enumerators in the log, in JSON and on the command line. */
#ifndef WORDS_NOTICE_TEXT_H
#define WORDS_NOTICE_TEXT_H

#include "core/core.h"

/* Each returns a text that is lower case and free of spaces, except for the advice. */
const char *phase_text(enum phase phase);
const char *phase_reason_text(enum phase_reason reason);
const char *verdict_text(enum verdict verdict);
const char *gone_reason_text(enum gone_reason reason);
const char *gone_state_text(enum gone_reason reason); /* "left" or "failed" */
const char *view_cause_text(enum view_cause cause);
const char *claim_step_text(enum claim_step step);
const char *join_refusal_text(enum join_refusal reason);
const char *merge_refusal_text(enum merge_refusal refusal); /* "no_answer" for none */
const char *join_refusal_advice(enum join_refusal reason);  /* what a joiner's operator can do */

/* Writes the name of a view: "3.7@delphi", or "3.7@?" without a coordinator's name. */
enum { VIEW_NAME_MAX = 2 * 20 + NAME_BYTES_MAX + 3 };
void view_name_print(const struct view_id *id, const char *coordinator, char out[VIEW_NAME_MAX]);

/* Returns the word for this kind of notice: "view", "suspect". */
const char *notice_event(enum notice_type type);

#endif
