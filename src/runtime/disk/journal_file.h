/* Keeps lines of text in the state directory, so that the next life of this node can read them: the
 * newest JOURNAL_FILE_LINES at the least, and about twice as many at the most. Writing is done by
 * libuv's threads. Lines are given to the kernel as they come, and are not waited for on the disk:
 * they survive the process, but a host that loses power may lose the last of them. Where less than
 * 256 KiB would be free on the disk nothing is kept, and the older half is removed. */
#ifndef RUNTIME_JOURNAL_FILE_H
#define RUNTIME_JOURNAL_FILE_H

#include <stddef.h>
#include <uv.h>

#include "runtime/process/log.h"

enum {
    JOURNAL_FILE_LINES = 1024,
    JOURNAL_FILE_LINE_MAX = 16 * 1024,     /* bytes of a line */
    JOURNAL_FILE_PENDING_MAX = 512 * 1024, /* bytes that wait for the disk; more is left out */
};

struct journal_file;

/* Called for each line that was found, oldest first, within journal_file_open. The line, without
 * its end, is borrowed. */
typedef void journal_file_found(void *context, const char *line, size_t length);

/* Opens the file in `dir`, a state directory that this process holds the lock of; `loop`, `dir` and
 * `log` are borrowed. A line that its writer could not finish is left out, a file that is damaged
 * is put aside and begun anew, each with one warning on the log. Returns NULL, after one warning,
 * where nothing can be kept; that is no reason not to run. */
struct journal_file *journal_file_open(uv_loop_t *loop, const char *dir, struct log *log,
                                       journal_file_found *found, void *context);

/* Appends a line without line feeds, which is copied; one that is too long is left out. A failure
 * is logged once, and when it is over. */
void journal_file_append(struct journal_file *file, const char *line, size_t length);

/* Writes what is still to be written, frees the file, and calls `on_closed` from the loop: never
 * before this returns. */
void journal_file_close(struct journal_file *file, void (*on_closed)(void *context), void *context);

#endif
