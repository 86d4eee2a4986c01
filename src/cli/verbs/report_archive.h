/* Packs files that are in memory into an archive, by libarchive. */
#ifndef CLI_REPORT_ARCHIVE_H
#define CLI_REPORT_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/request/failure.h"

struct report_archive;

/* Does the name of the archive end as one that can be written: .tar, .tar.gz, .tgz? */
bool report_archive_can_write(const char *path);

/* Makes the archive, for its owner alone; what is there is not written over. Each file in it is put
 * into the folder `folder`, which is copied. NULL with the failure set. */
struct report_archive *report_archive_open(const char *path, const char *folder,
                                           struct failure *failure);

/* Adds a file. What fails is told at the end. */
void report_archive_add(struct report_archive *archive, const char *name, const void *bytes,
                        size_t length);

/* Finishes and frees the archive. Returns false, with the failure set and the file removed, when
 * something failed. */
bool report_archive_close(struct report_archive *archive, struct failure *failure);

#endif
