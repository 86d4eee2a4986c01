/* What doyen top shows: the daemon's documents as they came last, the events since, and what
 * follows from them. Pure: it asks nobody and looks at no clock. */
#ifndef CLI_TOP_MODEL_H
#define CLI_TOP_MODEL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/print/member_field.h"

enum {
    TOP_EVENTS_MAX = 1024, /* as many as the daemon keeps */
    TOP_AWAY_MAX = 256,
    TOP_HELD_MAX = 256,
    TOP_SAMPLE_MS_MIN = 500,
};

/* The documents, each of its own resource. */
enum top_document {
    TOP_MEMBERS,
    TOP_STATUS,
    TOP_LINKS,
    TOP_HISTORY,
    TOP_VOTERS,
    TOP_ROLES,
    TOP_WHY,
    TOP_DOCUMENT_COUNT,
};

/* All zero is one that knows nothing. */
struct top_model {
    json_t *documents[TOP_DOCUMENT_COUNT]; /* NULL: it did not come yet */
    json_t *events;                        /* oldest first; NULL: none */
    json_t *counters_before;               /* two samples, TOP_SAMPLE_MS_MIN apart or more */
    json_t *counters_now;
    uint64_t counters_before_ms;
    uint64_t counters_ms;
    uint64_t seen_ms; /* when the members were asked for that came last */
    bool away;        /* the daemon does not answer */
    char away_text[TOP_AWAY_MAX];
};

void top_model_deinit(struct top_model *model);

/* Takes a document over; it was asked for at `asked_ms` of a monotonic clock. Members and status
 * are proof that the daemon is there. NULL forgets the one that is kept. */
void top_model_take(struct top_model *model, enum top_document which, json_t *document,
                    uint64_t asked_ms);

/* Adds an event, or all of /v1/journal, without those that are there already. Borrowed. What is no
 * event of its own, as a snapshot, is passed over. */
void top_model_add_event(struct top_model *model, json_t *event);
void top_model_add_journal(struct top_model *model, const json_t *journal);

/* The daemon does not answer, and why. */
void top_model_set_away(struct top_model *model, const char *why);

/* What is certainly left of this node's right to act; 0: none, or not known. */
uint64_t top_model_acting_left_ms(const struct top_model *model, uint64_t now_ms);

/* The members, oldest first, and then those that are gone, as far as `filter` is in their name,
 * address, state or tags ("": all); a letter's case makes no difference. Fills in at most `max` of
 * `rows` and returns how many there are. */
size_t top_model_rows(const struct top_model *model, const char *filter, struct member_row *rows,
                      size_t max);

/* "backup, leader": the roles that the member's programs hold. */
void top_model_held(const struct top_model *model, const char *name, char text[TOP_HELD_MAX]);

/* What passes for this row's identity from one document to the next. Borrowed. */
const char *top_row_id(const struct member_row *row);

/* A counter of the status, or the sum of those below `key`; `below`, which may be NULL, is one of
 * these alone. */
uint64_t top_model_counter(const struct top_model *model, const char *key, const char *below);

/* How much it grew by each second between the last two samples. False when that is not known, as
 * after a restart of the daemon. */
bool top_model_rate(const struct top_model *model, const char *key, const char *below,
                    double *per_second);

#endif
