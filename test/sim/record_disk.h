/* Where a simulated voter keeps its record (Z2). One write is under way at a time, and takes a
 * while; of those that are asked for meanwhile the newest is next. What was under way when the
 * process died, or when the disk failed, may or may not have reached it; what was only asked for
 * has not. */
#ifndef SIM_RECORD_DISK_H
#define SIM_RECORD_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/core.h"

/* One write of a record, with its own copy of the accepted view. */
struct record_write {
    uint64_t number;
    uint32_t disk;                  /* for which it is */
    char voter[NAME_BYTES_MAX + 1]; /* whose it is */
    struct vote_record record;
    struct view view;
    _Alignas(max_align_t) uint8_t storage[]; /* of the view */
};

struct record_disk {
    uint32_t number;             /* of this disk, wherever it is */
    struct record_write *kept;   /* NULL: there is no record */
    struct record_write *next;   /* asked for while another is under way; NULL: none */
    struct record_write *backup; /* an earlier one; NULL: there is none */
    struct record_write *other;  /* on the disk that is not in the host; NULL: nothing */
    struct record_write *spare;  /* what was kept before, to be used again; NULL: nothing */
    bool busy;                   /* one is under way */
    bool damaged;                /* what is kept does not match its checksum */
    bool fails;                  /* writes are answered with an error */
    bool other_damaged;          /* as `damaged`, of the other disk */
    bool spoilt;                 /* its voter does not vote, for good or until it is restarted */
    bool wished;                 /* an operator wanted its voter to be one */
    uint64_t sync_us_max;        /* a write takes up to this long; 0: the default */
    uint64_t stuck_until_us;     /* no write ends before */
};

/* A copy of the record as the core wants it written now. */
struct record_write *record_write_new(struct record_disk *disk, const struct core *core,
                                      uint64_t number, uint32_t capacity);
/* One of that voter, to be filled in, with room for a view. */
struct record_write *record_write_of(const char *voter, uint32_t capacity);
void record_write_free(struct record_write *write);

/* Takes the write over. Returns it if it is to begin now; else NULL, and it is the next one. */
struct record_write *record_disk_ask(struct record_disk *disk, struct record_write *write);

/* The one under way has ended. Returns the one that is to begin now, or NULL. */
struct record_write *record_disk_end(struct record_disk *disk);

/* The process is gone: nothing more is asked for. */
void record_disk_abandon(struct record_disk *disk);

/* The disk has it now; takes it over. */
void record_disk_keep(struct record_disk *disk, struct record_write *write);

/* What a new process finds, or NULL. */
const struct vote_record *record_disk_find(const struct record_disk *disk);

/* What is kept now; and from now on that is kept again, if anything was. */
void record_disk_back_up(struct record_disk *disk);
void record_disk_restore(struct record_disk *disk);

/* The other disk is in the host now, at first an empty one. */
void record_disk_exchange(struct record_disk *disk);

void record_disk_wipe(struct record_disk *disk);

#endif
