/* Notices in words: one rendering for the log and the control socket, so that both say the same
 * under the same names. */
#ifndef WORDS_NOTICE_TEXT_H
#define WORDS_NOTICE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "words/address_text.h"
#include "words/journal.h"
#include "words/terms_text.h"

/* The words of the protocol; each is lower case and free of spaces, but for the advice. */
const char *phase_text(enum phase phase);
const char *phase_reason_text(enum phase_reason reason);
const char *verdict_text(enum verdict verdict);
const char *gone_reason_text(enum gone_reason reason);
const char *view_cause_text(enum view_cause cause);
const char *claim_step_text(enum claim_step step);
const char *join_refusal_text(enum join_refusal reason);
const char *merge_refusal_text(enum merge_refusal refusal); /* "no_answer" for none */
const char *join_refusal_advice(enum join_refusal reason);  /* what a joiner's operator can do */

/* A view as people tell it from others: "3.7@delphi", or "3.7@?" without a name. */
enum { VIEW_NAME_MAX = 2 * 20 + NAME_BYTES_MAX + 3 };
void view_name_print(const struct view_id *id, const char *coordinator, char out[VIEW_NAME_MAX]);

enum field_kind {
    FIELD_TEXT,
    FIELD_NUMBER, /* a count or milliseconds: a number in JSON */
    FIELD_WIDE,   /* an age, epoch or version of 64 bits: a string in JSON */
    FIELD_FLAG,   /* `number` is 0 or 1 */
};

struct notice_field {
    const char *key; /* as in JSON */
    enum field_kind kind;
    const char *text;
    uint64_t number;
};

enum { NOTICE_FIELDS_MAX = 10, NOTICE_TEXT_MAX = 512 };

/* The fields of a notice, in the order in which people read them. `items` point into the entry
 * and into this struct: it must not be copied, and the entry must stay. */
struct notice_fields {
    size_t count;
    struct notice_field items[NOTICE_FIELDS_MAX];
    char address[ADDRESS_TEXT_MAX];
    char accusers[ACCUSERS_MAX * (NAME_BYTES_MAX + 1)];
    char parents[2][VIEW_NAME_MAX];
    char guard[GUARD_TEXT_MAX];
};

/* The one word for this kind of notice: "view", "suspect". */
const char *notice_event(enum notice_type type);

void notice_fields(const struct journal_entry *entry, struct notice_fields *fields);

/* "epoch=2 version=7 members=4 coordinator=byzantium cause=claim -athens(dead)": the fields on one
 * line, cut at NOTICE_TEXT_MAX. */
void notice_text(const struct journal_entry *entry, const struct notice_fields *fields,
                 char out[NOTICE_TEXT_MAX]);

#endif
