/* One member's part in keeping the table of partitions (docs/partitions.md): views, messages of
 * other members and time go in; messages and the table come out. Beside the core, which knows
 * nothing of it.
 *
 * The table of a view is made once, by the oldest member that takes part, its maker, from the table
 * of the view before. Who has that one makes the same by itself and only asks whether it is right;
 * who comes in is told at once, page by page, and who passed over a view when it asks. Opens
 * nothing, allocates nothing, reads no clock. */
#ifndef PARTITION_KEEPER_H
#define PARTITION_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/view.h"
#include "partition/crew.h"
#include "partition/message.h"
#include "partition/pages.h"
#include "partition/place.h"

#define PARTITION_NEVER_MS UINT64_MAX

enum {
    PARTITION_BURST = 8,  /* pages that one question is answered with */
    PARTITION_TRIES = 20, /* after which a maker waits no more for who says nothing */
};

/* A table that this member did not have before. */
struct keeper_news {
    struct partition_change change; /* against the table that it was made from */
    uint32_t gained;                /* partitions that this member owns and did not own before */
    uint32_t lost;                  /* that it owned and owns no more */
    uint32_t owned;
    bool first; /* this member had no table before */
};

/* Borrowed for the keeper's life. Neither may call back into the keeper. */
struct keeper_options {
    uint64_t retry_first_ms; /* questions are repeated after that; then after twice as long ... */
    uint64_t retry_most_ms;  /* ... up to this */
    void (*send)(void *context, const struct partition_message *message);
    void (*on_table)(void *context, const struct keeper_news *news);
    void *context;
};

/* What the maker knows of a member that takes part. */
struct keeper_slot {
    bool asks;         /* has asked in this view, and has not been answered */
    bool told;         /* has said which table it has */
    bool was_there;    /* when the table before was made */
    bool is_sent;      /* the table, unasked, when the view was installed */
    struct view_id of; /* coordinator none: it has none */
    uint64_t digest;
    uint32_t page;
};

struct keeper {
    struct keeper_options options;
    struct node_id self;   /* none: in no view */
    struct view_id view;   /* installed */
    struct view_id parent; /* the view that it was made from */
    bool founds;           /* it is the first of its cluster */
    struct crew crew;      /* of the view */
    uint16_t place;        /* this member's in the crew; PARTITION_NOBODY: takes no part */

    struct partition_table table; /* the latest, in places of `members` */
    struct view_id of;            /* the view that it is of; coordinator none: there is none */
    uint64_t digest;
    struct partition_change change;
    uint32_t member_count;
    struct node_id members[PARTITION_MEMBERS_MAX];

    struct partition_table seen; /* the same in places of the crew; gone ones are nobody there */
    bool settled;                /* `table` is the view's, and its maker has said so */
    struct pages pages;          /* of the table that is being told */
    uint16_t source;        /* the maker fetches from there; PARTITION_NOBODY: it does not fetch */
    uint32_t tries;         /* of a maker, since it began to wait or to fetch */
    uint64_t sent_until_ms; /* what was sent unasked may be under way until then */
    uint64_t retry_ms;
    uint64_t due_ms;
    struct keeper_slot slots[PARTITION_MEMBERS_MAX];
    struct partition_work *work;
};

/* What a keeper needs besides itself: partition_work_bytes(), for its life. */
void keeper_init(struct keeper *keeper, const struct keeper_options *options,
                 struct partition_work *work);

/* To be called when the view may be another one, or the life. */
void keeper_install(struct keeper *keeper, const struct view *view, const struct node_id *self,
                    uint64_t now_ms);

/* It is in no view any more: what it kept counts no longer. */
void keeper_leave(struct keeper *keeper);

void keeper_take(struct keeper *keeper, const struct partition_message *message, uint64_t now_ms);

/* When keeper_tick is due; PARTITION_NEVER_MS: not before something else happens. */
uint64_t keeper_deadline_ms(const struct keeper *keeper);
void keeper_tick(struct keeper *keeper, uint64_t now_ms);

/* Does it take part in its present view? */
bool keeper_takes_part(const struct keeper *keeper);

/* Is there a table, whichever view it is of? */
bool keeper_has_table(const struct keeper *keeper);

/* Partitions that this member owns by it. */
uint32_t keeper_owned(const struct keeper *keeper);

#endif
