/* What members say to each other about the table of partitions (docs/partitions.md, P3 to P6). */
#ifndef PARTITION_MESSAGE_H
#define PARTITION_MESSAGE_H

#include <stdint.h>

#include "core/model/view.h"
#include "partition/place.h"

enum {
    PARTITION_PAGE_VALUES = 384, /* so that a page is a short message */
    PARTITION_PAGES_MAX = PARTITIONS_MAX * PARTITION_COPIES_MAX / PARTITION_PAGE_VALUES,
};

/* On the wire, one more: append only. */
enum partition_message_kind {
    PARTITION_ASK,   /* to the maker: this is the table that I have; tell me that of the view */
    PARTITION_TABLE, /* the maker's answer: a page of it, or none where the asker has it */
    PARTITION_FETCH, /* to a member: I need the table that you have */
    PARTITION_PAGE,  /* its answer */
    PARTITION_MESSAGE_KINDS,
};

/* How a table differs from that of before; `moved` and so on as in partition_change. */
struct partition_message {
    struct node_id from;
    struct node_id to;
    enum partition_message_kind kind;
    struct view_id view; /* that both have installed */
    struct view_id of;   /* the table that is meant: of that view; coordinator none: of none */
    uint64_t digest; /* of the table in places of `view`; in ASK and FETCH only where of = view */
    uint32_t page;   /* this one, or the first that is wanted; below PARTITION_PAGES_MAX */
    struct partition_change change;         /* TABLE, PAGE */
    uint16_t count;                         /* of values: a page has them all, or none */
    uint16_t values[PARTITION_PAGE_VALUES]; /* places among those of `view` that take part */
};

#endif
