#include "cli/verbs/report_archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NAME_MAX_BYTES = 160, WHY_MAX = 200 };

struct report_archive {
    struct archive *archive;
    const char *path; /* borrowed */
    char folder[NAME_MAX_BYTES];
    int fd;
    char why[WHY_MAX]; /* what failed first; empty: nothing */
};

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text);

    return length > strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

static bool is_compressed(const char *path)
{
    return ends_with(path, ".tar.gz") || ends_with(path, ".tgz");
}

bool report_archive_can_write(const char *path)
{
    return ends_with(path, ".tar") || is_compressed(path);
}

static void note(struct report_archive *archive, int result)
{
    if (result < ARCHIVE_WARN && archive->why[0] == '\0') {
        const char *why = archive_error_string(archive->archive);
        snprintf(archive->why, sizeof archive->why, "%s", why == NULL ? "out of memory" : why);
    }
}

static void free_archive(struct report_archive *archive)
{
    (void)archive_write_free(archive->archive);
    (void)close(archive->fd);
    free(archive);
}

struct report_archive *report_archive_open(const char *path, const char *folder,
                                           struct failure *failure)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);

    if (fd < 0) {
        (void)failure_set(failure, EXIT_REFUSED, "cannot make %s: %s: choose another FILE", path,
                          strerror(errno));
        return NULL;
    }
    struct report_archive *archive = calloc(1, sizeof *archive);
    struct archive *writer = archive_write_new();
    if (archive == NULL || writer == NULL) {
        free(archive);
        (void)archive_write_free(writer);
        (void)close(fd);
        (void)failure_set(failure, EXIT_REFUSED, "out of memory");
        return NULL;
    }
    *archive = (struct report_archive){.archive = writer, .path = path, .fd = fd};
    snprintf(archive->folder, sizeof archive->folder, "%s", folder);
    note(archive, archive_write_set_format_pax_restricted(writer));
    if (is_compressed(path)) {
        note(archive, archive_write_add_filter_gzip(writer));
    }
    note(archive, archive_write_open_fd(writer, fd));
    return archive;
}

void report_archive_add(struct report_archive *archive, const char *name, const void *bytes,
                        size_t length)
{
    struct archive_entry *entry = archive_entry_new();
    char path[2 * NAME_MAX_BYTES];

    if (entry == NULL || archive->why[0] != '\0') {
        archive_entry_free(entry);
        return;
    }
    snprintf(path, sizeof path, "%s/%s", archive->folder, name);
    archive_entry_set_pathname(entry, path);
    archive_entry_set_size(entry, (la_int64_t)length);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, S_IRUSR | S_IWUSR);
    archive_entry_set_mtime(entry, time(NULL), 0);
    note(archive, archive_write_header(archive->archive, entry));
    if (archive->why[0] == '\0' && length > 0) {
        const la_ssize_t written = archive_write_data(archive->archive, bytes, length);
        note(archive, written == (la_ssize_t)length ? ARCHIVE_OK : ARCHIVE_FATAL);
    }
    archive_entry_free(entry);
}

bool report_archive_close(struct report_archive *archive, struct failure *failure)
{
    note(archive, archive_write_close(archive->archive));
    const bool good = archive->why[0] == '\0';
    if (!good) {
        (void)unlink(archive->path);
        (void)failure_set(failure, EXIT_REFUSED,
                          "cannot write %s: %s: make room, or choose another FILE", archive->path,
                          archive->why);
    }
    free_archive(archive);
    return good;
}
