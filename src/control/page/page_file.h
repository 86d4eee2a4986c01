/* The files that the page needs besides itself: scripts, styles, a picture. They are built into
 * the program, because a running daemon opens no files. */
#ifndef CONTROL_PAGE_FILE_H
#define CONTROL_PAGE_FILE_H

#include <microhttpd.h>
#include <stddef.h>

#include "control/http/answer.h"

/* One form of a file's content. */
struct page_bytes {
    const unsigned char *bytes;
    size_t length;
    const char *etag; /* in quotes, of these bytes */
};

struct page_file {
    const char *name;
    const char *type; /* Content-Type */
    struct page_bytes plain;
    struct page_bytes packed; /* by gzip */
};

/* Written by src/page/embed.cmake. */
extern const struct page_file page_files[];
extern const size_t page_file_count;

/* Answers the client at the other end with the file of that name: 304 where it has it already,
 * packed where it takes that, 404 when there is no such file. */
struct answer page_file_answer(struct MHD_Connection *connection, const char *name);

#endif
