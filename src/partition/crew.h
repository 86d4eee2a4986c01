/* The members of a view that keep partitions, and by which terms: read off the view, so that all
 * who have it know the same (docs/partitions.md, P1). A member says that it takes part by a tag,
 * `partitions=271+1`: the number of partitions, and of backups of each. */
#ifndef PARTITION_CREW_H
#define PARTITION_CREW_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/view.h"
#include "partition/place.h"

#define PARTITION_TAG_KEY "partitions"
#define PARTITION_ZONE_KEY "zone"

struct partition_terms {
    uint32_t partitions; /* 0: the member keeps none */
    uint32_t copies;     /* an owner and its backups */
};

/* What the member's tags say; all zero where there is no such tag, or none that can be read. */
struct partition_terms partition_terms_of(const struct member *member);

struct crew {
    struct partition_terms terms; /* of the oldest that takes part; all zero: nobody does */
    uint32_t count;               /* who keeps partitions, by rising age; the first is the maker */
    uint32_t all;                 /* with those behind them, who only want to know the table */
    struct node_id lives[PARTITION_MEMBERS_MAX];
    struct partition_member members[PARTITION_MEMBERS_MAX]; /* each with itself as `before` */
};

/* Collects those who have the terms of the oldest that takes part. Who is drained keeps nothing,
 * unless all are. */
void crew_read(struct crew *crew, const struct view *view);

/* The place of a life, or PARTITION_NOBODY. `hint` is where it is looked for first. */
uint16_t crew_find(const struct crew *crew, const struct node_id *life, uint32_t hint);

#endif
