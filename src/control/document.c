#include "control/document.h"

#include <assert.h>
#include <stdlib.h>

struct document *document_new(struct shelf *shelf, size_t size)
{
    if (size > DOCUMENT_BYTES_MAX || shelf->bytes > DOCUMENT_BYTES_MAX - size) {
        return NULL;
    }
    struct document *document = malloc(sizeof *document + size);
    if (document != NULL) {
        *document = (struct document){.shelf = shelf, .readers = 1, .size = size};
        shelf->bytes += size;
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
        assert(document->shelf->bytes >= document->size);

        document->shelf->bytes -= document->size;
        free(document);
    }
}
