/* A finished text that several readers send at their own pace: it is made once, counted, and freed
 * with its last reader. A pool bounds what all unsent documents hold together, so that many slow
 * readers of large documents cannot use up the memory. */
#ifndef CONTROL_DOCUMENT_H
#define CONTROL_DOCUMENT_H

#include <stddef.h>

/* This is room for eight documents of a cluster of 4096 members without tags, or some 4000 of a
 * cluster of five. */
#define DOCUMENT_BYTES_MAX ((size_t)12 * 1024 * 1024)

/* The bytes held by the documents of one control socket. The pool outlives them all. */
struct document_pool {
    size_t bytes;
};

struct document {
    struct document_pool *pool;
    size_t readers;
    size_t size;   /* capacity in bytes */
    size_t length; /* bytes of text, at most `size`; set by the maker */
    char text[];
};

/* Makes a document with room for `size` bytes; the caller is its one reader. Returns NULL when the
 * pool is full or memory ran out. */
struct document *document_new(struct document_pool *pool, size_t size);

/* Adds a reader, who has to release the document too. Returns `document`. */
struct document *document_share(struct document *document);

/* Ends one reader's share; NULL is allowed. */
void document_release(struct document *document);

#endif
