/* Finished text that several readers send at their own pace: made once, counted, and freed with
 * its last reader. What all unsent documents hold together has a bound, so that many slow readers
 * of large documents cannot eat the memory. */
#ifndef CONTROL_DOCUMENT_H
#define CONTROL_DOCUMENT_H

#include <stddef.h>

/* Eight documents of a cluster of 4096 members without tags, some 4000 of one of five. */
#define DOCUMENT_BYTES_MAX ((size_t)12 * 1024 * 1024)

/* What the living documents of one control socket hold. Outlives them all. */
struct shelf {
    size_t bytes;
};

struct document {
    struct shelf *shelf;
    size_t readers;
    size_t size;   /* bytes there is room for */
    size_t length; /* bytes of text; the maker sets it, `size` at most */
    char text[];
};

/* A document with room for `size` bytes and one reader, the caller. NULL when the shelf is full
 * or memory ran out. */
struct document *document_new(struct shelf *shelf, size_t size);

/* One more reader, who will release it too. */
struct document *document_share(struct document *document);

/* One reader less; NULL is fine. */
void document_release(struct document *document);

#endif
