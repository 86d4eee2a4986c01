#include "control/text/document.h"

#include <assert.h>
#include <stdlib.h>

struct document *document_new(struct document_pool *pool, size_t size)
{
    if (size > DOCUMENT_BYTES_MAX || pool->bytes > DOCUMENT_BYTES_MAX - size) {
        return NULL;
    }
    struct document *document = malloc(sizeof *document + size);
    if (document != NULL) {
        *document = (struct document){.pool = pool, .readers = 1, .size = size};
        pool->bytes += size;
    }
    return document;
}

struct document *document_share(struct document *document)
{
    assert(document->readers > 0);

    document->readers++;
    return document;
}

void document_release(struct document *document)
{
    if (document == NULL) {
        return;
    }
    assert(document->readers > 0);

    document->readers--;
    if (document->readers == 0) {
        assert(document->pool->bytes >= document->size);

        document->pool->bytes -= document->size;
        free(document);
    }
}
