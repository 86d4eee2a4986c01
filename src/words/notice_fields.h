/* The fields of a notice: one table for the log, the control socket and doyen-replay, so that all
 * of them show the same facts under the same keys. */
#ifndef WORDS_NOTICE_FIELDS_H
#define WORDS_NOTICE_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include "words/address_text.h"
#include "words/id_text.h"
#include "words/journal.h"
#include "words/notice_text.h"
#include "words/tags_text.h"
#include "words/terms_text.h"

enum field_kind {
    FIELD_NULL, /* not known, or there is none */
    FIELD_TEXT,
    FIELD_NUMBER, /* a count, an age or milliseconds: a number in JSON */
    FIELD_WIDE,   /* an epoch or version of 64 bits: a string in JSON */
    FIELD_FLAG,   /* `number` is 0 or 1 */
    FIELD_NAMES,  /* the accusers; on one line "athens,cyrene" */
    FIELD_VIEW,   /* parent `number` of a merge; on one line "4.9@athens" */
    FIELD_TAGS,   /* `tags`; on one line "zone=eu,role=db" */
};

/* Does the line for people show the field? JSON always has all fields. */
enum told {
    TOLD_NOT,
    TOLD_ALWAYS,   /* "none" where it is null */
    TOLD_IF_KNOWN, /* unless it is null or empty */
};

struct notice_field {
    const char *key;
    enum field_kind kind;
    enum told told;
    const char *text; /* for one line; not of numbers and flags */
    uint64_t number;
    const struct tags *tags;
};

enum {
    NOTICE_FIELDS_MAX = 16,
    NOTICE_TEXT_MAX = 512,
    NOTICE_WORDS_MAX = ID_TEXT_MAX + 2 * ADDRESS_TEXT_MAX + GUARD_TEXT_MAX + VOTERS_TEXT_MAX +
                       2 * VIEW_NAME_MAX + ACCUSERS_MAX * (NAME_BYTES_MAX + 1) + 2 * TAGS_TEXT_MAX +
                       2 * VERSIONS_TEXT_MAX,
};

/* The fields of a notice, in the order for people; epoch, version and member_count, which every
 * notice has, come first. `items` point into the entry and into this struct: it must not be copied,
 * and the entry must stay. */
struct notice_fields {
    size_t count;
    struct notice_field items[NOTICE_FIELDS_MAX];
    char words[NOTICE_WORDS_MAX];
    size_t words_used;
};

void notice_fields(const struct journal_entry *entry, struct notice_fields *fields);

/* Writes the fields for people on one line, cut at NOTICE_TEXT_MAX: "epoch=2 version=7
 * member_count=4 coordinator=byzantium cause=claim -athens(dead)". */
void notice_text(const struct journal_entry *entry, const struct notice_fields *fields,
                 char out[NOTICE_TEXT_MAX]);

#endif
