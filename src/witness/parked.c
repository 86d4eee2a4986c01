#include "witness/parked.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* What is packed, one after the other: where a run of words begins, how long it is, and its bytes.
 * Runs with less than GAP_BYTES of zeros between them are one. */
struct run {
    uint32_t at;
    uint32_t length;
};

enum { WORD_BYTES = 8, GAP_BYTES = 16 };

void *parked_map(size_t size)
{
    assert(size <= UINT32_MAX);
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

void parked_unmap(void *memory, size_t size, struct parked *parked)
{
    free(parked->packed);
    *parked = (struct parked){.packed = NULL};
    if (memory != NULL) {
        (void)munmap(memory, size);
    }
}

static bool is_zero(const uint8_t *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
    return word == 0;
}

/* Finds the next run at `from` or behind it; false: there is none. */
static bool next_run(const uint8_t *memory, size_t size, size_t from, struct run *run)
{
    while (from + WORD_BYTES <= size && is_zero(memory + from)) {
        from += WORD_BYTES;
    }
    if (from >= size) {
        return false;
    }
    size_t end = from;
    size_t zeros = 0;
    for (size_t at = from; at + WORD_BYTES <= size && zeros <= GAP_BYTES; at += WORD_BYTES) {
        zeros = is_zero(memory + at) ? zeros + WORD_BYTES : 0;
        end = zeros == 0 ? at + WORD_BYTES : end;
    }
    *run = (struct run){.at = (uint32_t)from, .length = (uint32_t)(end - from)};
    return true;
}

static size_t packed_length(const uint8_t *memory, size_t size)
{
    size_t length = 0;
    struct run run;

    for (size_t at = 0; next_run(memory, size, at, &run); at = run.at + run.length) {
        length += sizeof run + run.length;
    }
    return length;
}

void parked_pack(struct parked *parked, void *memory, size_t size)
{
    const uint8_t *bytes = memory;
    struct run run;

    assert(size % WORD_BYTES == 0);
    if (parked->packed != NULL) {
        return;
    }
    const size_t length = packed_length(bytes, size);
    uint8_t *to = malloc(length + 1); /* Never NULL for nothing but zeros. */
    if (to == NULL) {
        return;
    }
    parked->packed = to;
    parked->length = length;
    for (size_t at = 0; next_run(bytes, size, at, &run); at = run.at + run.length) {
        memcpy(to, &run, sizeof run);
        memcpy(to + sizeof run, bytes + run.at, run.length);
        to += sizeof run + run.length;
    }
    (void)madvise(memory, size, MADV_DONTNEED);
    /* The system may keep the pages, as they are. */
}

void parked_unpack(struct parked *parked, void *memory)
{
    uint8_t *bytes = memory;
    struct run run;

    if (parked->packed == NULL) {
        return;
    }
    for (size_t at = 0; at < parked->length; at += sizeof run + run.length) {
        memcpy(&run, parked->packed + at, sizeof run);
        memcpy(bytes + run.at, parked->packed + at + sizeof run, run.length);
    }
    free(parked->packed);
    *parked = (struct parked){.packed = NULL};
}
