#include "record_disk.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record_write *record_write_new(struct record_disk *disk, const struct core *core,
                                      uint64_t number, uint32_t capacity)
{
    struct record_write *write = disk->spare;

    disk->spare = NULL;
    if (write == NULL) {
        write = malloc(sizeof *write + view_bytes(capacity));
        assert(write != NULL);
    }
    write->number = number;
    write->disk = disk->number;
    memcpy(write->voter, core_self(core)->name, sizeof write->voter);
    core_record(core, &write->record);
    view_init(&write->view, capacity, write->storage);
    view_clear(&write->view);
    if (write->record.accepted != NULL) {
        view_copy(&write->view, write->record.accepted);
        write->record.accepted = &write->view;
    }
    return write;
}

struct record_write *record_write_of(const char *voter, uint32_t capacity)
{
    struct record_write *write = malloc(sizeof *write + view_bytes(capacity));

    assert(write != NULL);
    write->number = 0;
    (void)snprintf(write->voter, sizeof write->voter, "%s", voter);
    view_init(&write->view, capacity, write->storage);
    return write;
}

void record_write_free(struct record_write *write)
{
    free(write);
}

struct record_write *record_disk_ask(struct record_disk *disk, struct record_write *write)
{
    if (!disk->busy) {
        disk->busy = true;
        return write;
    }
    record_write_free(disk->next);
    disk->next = write;
    return NULL;
}

struct record_write *record_disk_end(struct record_disk *disk)
{
    struct record_write *next = disk->next;

    disk->next = NULL;
    disk->busy = next != NULL;
    return next;
}

void record_disk_abandon(struct record_disk *disk)
{
    record_write_free(disk->next);
    disk->next = NULL;
    disk->busy = false;
}

void record_disk_keep(struct record_disk *disk, struct record_write *write)
{
    const bool anew = disk->kept == NULL || disk->damaged ||
                      !id_equal(&disk->kept->record.id, &write->record.id);

    if (anew) { /* Another voter's, which has lost nothing (Z11e). */
        disk->damaged = false;
        disk->spoilt = false;
    }
    record_write_free(disk->spare);
    disk->spare = disk->kept;
    disk->kept = write;
}

const struct vote_record *record_disk_find(const struct record_disk *disk)
{
    return disk->kept == NULL ? NULL : &disk->kept->record;
}

static struct record_write *copy_of(const struct record_write *write)
{
    if (write == NULL) {
        return NULL;
    }
    const size_t bytes = sizeof *write + view_bytes(write->view.capacity);
    struct record_write *copy = malloc(bytes);

    assert(copy != NULL);
    memcpy(copy, write, sizeof *copy);
    view_init(&copy->view, write->view.capacity, copy->storage);
    view_clear(&copy->view);
    if (write->record.accepted != NULL) {
        view_copy(&copy->view, write->record.accepted);
        copy->record.accepted = &copy->view;
    }
    return copy;
}

void record_disk_back_up(struct record_disk *disk)
{
    record_write_free(disk->backup);
    disk->backup = copy_of(disk->kept);
}

void record_disk_restore(struct record_disk *disk)
{
    record_disk_abandon(disk);
    record_write_free(disk->kept);
    disk->kept = copy_of(disk->backup);
}

void record_disk_exchange(struct record_disk *disk)
{
    struct record_write *kept = disk->kept;
    const bool damaged = disk->damaged;

    record_disk_abandon(disk);
    record_write_free(disk->backup);
    disk->backup = NULL;
    disk->kept = disk->other;
    disk->damaged = disk->other_damaged;
    disk->spoilt = disk->kept == NULL || disk->damaged;
    disk->other = kept;
    disk->other_damaged = damaged;
}

void record_disk_wipe(struct record_disk *disk)
{
    record_disk_abandon(disk);
    record_write_free(disk->kept);
    disk->kept = NULL;
    record_write_free(disk->spare);
    disk->spare = NULL;
    record_write_free(disk->backup);
    disk->backup = NULL;
}
