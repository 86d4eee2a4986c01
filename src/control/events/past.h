/* What this node saw, over its restarts: each event of the journal, with the views that it changed,
 * becomes a line of JSON in the state directory, and what earlier lives left there is read once,
 * when the control socket opens. Without a state directory there are no earlier lives.
 *
 * The events of earlier lives take up to about a megabyte, as text; they are parsed when somebody
 * asks. */
#ifndef CONTROL_PAST_H
#define CONTROL_PAST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "control/text/text_builder.h"
#include "runtime/node/node.h"
#include "runtime/process/log.h"

enum {
    PAST_EVENTS_MAX = JOURNAL_ENTRIES_MAX, /* that are remembered and told, of all lives together */
    PAST_TURN_EVENTS = 64,                 /* written in one turn of the loop; the rest waits */
};

struct journal_file;

struct past_event {
    char *text; /* as /v1/events tells it; owned */
    bool evidence;
};

struct past {
    struct journal *journal;
    struct journal_file *file; /* NULL: nothing is kept */
    uint32_t life;             /* of this process */
    uint64_t next;             /* cursor of the first event that is not written yet */
    uint64_t views_told;       /* views of this life that were written as they were then */

    /* Of earlier lives, oldest first: number n, counted from 0, lies at n % PAST_EVENTS_MAX. */
    struct past_event events[PAST_EVENTS_MAX];
    uint64_t event_count; /* ever found */
    json_t *views;        /* the last HISTORY_VIEWS_MAX, as /v1/history tells them; or NULL */
};

/* Reads what earlier lives of the node left. `loop`, `node` and `log` are borrowed. */
void past_open(struct past *past, uv_loop_t *loop, struct node *node, uint32_t life,
               struct log *log);

/* Writes the events that are new; to be called once a turn. */
void past_write(struct past *past);

/* Writes all that is left, and frees what was read. Returns false when there is nothing to wait
 * for; else `on_closed` is called from the loop. */
bool past_close(struct past *past, void (*on_closed)(void *context), void *context);

/* Appends the views of earlier lives, oldest first. Returns false when memory ran out. */
bool past_add_views(const struct past *past, json_t *array);

/* Puts the evidence of earlier lives about `name` (NULL: all of it) into the array, which is empty:
 * at most `limit` of the newest, oldest first. Returns false when memory ran out. */
bool past_add_evidence(const struct past *past, const char *name, size_t limit, json_t *array);

/* How many events of earlier lives are known, at most PAST_EVENTS_MAX. */
size_t past_event_count(const struct past *past);

/* Appends them, but for the oldest `skip`, as the elements of a JSON array. */
void past_add_events(const struct past *past, size_t skip, struct text_builder *text);

#endif
