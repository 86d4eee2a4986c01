/* Where a simulated voter keeps its record (Z2): a write takes a while, the newest one counts, and
 * what was under way when the process died may or may not have reached the disk. */
#ifndef SIM_RECORD_DISK_H
#define SIM_RECORD_DISK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"

/* One write of a record, with its own copy of the accepted view. */
struct record_write {
    uint64_t number;
    uint32_t process;               /* that wrote it */
    char voter[NAME_BYTES_MAX + 1]; /* whose it is */
    struct vote_record record;
    struct view view;
    void *storage; /* of the view */
};

struct record_disk {
    struct record_write *kept; /* NULL: there is no record */
    bool fails;                /* writes are answered with an error, and change nothing */
    uint64_t sync_us_max;      /* a write takes up to this long; 0: the default */
};

/* A copy of the record as the core wants it written now. */
struct record_write *record_write_new(const struct core *core, uint64_t number, uint32_t capacity);
void record_write_free(struct record_write *write);

/* The disk has it now; takes it over. */
void record_disk_keep(struct record_disk *disk, struct record_write *write);

/* What a new process finds, or NULL. */
const struct vote_record *record_disk_find(const struct record_disk *disk);

void record_disk_wipe(struct record_disk *disk);

#endif
