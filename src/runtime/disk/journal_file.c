#include "runtime/disk/journal_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/hash.h"
#include "runtime/host/own_file.h"

/* A line in the file: sixteen hexadecimal digits, the hash of what follows, a blank, the line. When
 * there are JOURNAL_FILE_LINES in it, the file becomes OLDER_FILE, in place of the one before, and
 * is begun anew. */
#define NEWEST_FILE "events"
#define OLDER_FILE "events.1"
#define BAD_FILE "events.bad"

enum {
    HASH_DIGITS = 16,
    HEAD_BYTES = HASH_DIGITS + 1,
    FILE_BYTES_MAX = 16 << 20, /* no file of this module is larger */
    ROOM_BYTES = 256 << 10,    /* left to what a node cannot do without: its state and its record */
};

/* Lines, each with its hash and its end. */
struct batch {
    char *bytes; /* of JOURNAL_FILE_PENDING_MAX */
    size_t length;
    size_t lines;
};

struct journal_file {
    uv_loop_t *loop;
    const char *dir_name;
    struct log *log;
    int dir;

    /* The thread's, while `busy`. */
    int fd;
    uint64_t length; /* bytes that are known to be whole lines */
    size_t lines;
    struct batch writing;
    int error;

    struct batch pending;
    bool busy;
    bool failing; /* the last attempt failed, and was logged */

    uv_work_t work;
    bool closing;
    void (*on_closed)(void *context);
    void *context;
};

/* --- Reading --------------------------------------------------------------------------------- */

/* Is it a line with its right hash in front? */
static bool line_is_whole(const char *line, size_t length)
{
    char expected[HASH_DIGITS + 1];

    if (length < HEAD_BYTES || line[HASH_DIGITS] != ' ') {
        return false;
    }
    snprintf(expected, sizeof expected, "%016llx",
             (unsigned long long)hash_bytes(HASH_START, line + HEAD_BYTES, length - HEAD_BYTES));
    return memcmp(line, expected, HASH_DIGITS) == 0;
}

struct content {
    char *bytes;
    size_t length;
    size_t whole; /* bytes of whole lines at its beginning */
    size_t lines; /* of them */
    bool damaged; /* what follows is more than the last line of a writer that was cut short */
};

static void judge(struct content *content)
{
    bool broken = false;
    size_t at = 0;

    while (at < content->length) {
        const char *line = content->bytes + at;
        const char *end = memchr(line, '\n', content->length - at);
        const size_t length = end == NULL ? content->length - at : (size_t)(end - line);
        const bool whole = end != NULL && line_is_whole(line, length);

        at += length + 1;
        if (whole && broken) {
            content->damaged = true;
            return;
        }
        broken = broken || !whole;
        if (whole) {
            content->whole = at;
            content->lines++;
        }
    }
    content->damaged = broken && content->lines == 0;
}

static bool read_all(int fd, struct content *content)
{
    struct stat status;

    if (fstat(fd, &status) != 0) {
        return false;
    }
    if (status.st_size > FILE_BYTES_MAX) {
        content->damaged = true;
        return true;
    }
    const size_t size = (size_t)status.st_size;
    content->bytes = malloc(size + 1); /* Never NULL for an empty file. */
    ssize_t got = 1;
    while (content->bytes != NULL && content->length < size && got != 0) {
        got = pread(fd, content->bytes + content->length, size - content->length,
                    (off_t)content->length);
        if (got < 0 && errno != EINTR) {
            return false;
        }
        content->length += got > 0 ? (size_t)got : 0;
    }
    return content->bytes != NULL;
}

static void tell(const struct content *content, journal_file_found *found, void *context)
{
    for (size_t at = 0; at < content->whole;) {
        const char *line = content->bytes + at;
        const char *end = memchr(line, '\n', content->whole - at);
        const size_t length = (size_t)(end - line);

        found(context, line + HEAD_BYTES, length - HEAD_BYTES);
        at += length + 1;
    }
}

static void warn(const struct journal_file *file, const char *name, const char *why)
{
    log_line(file->log, LOG_WARN, "events",
             "cannot keep events in %s/%s: %s: after a restart this node will not know them",
             file->dir_name, name, why);
}

static bool put_aside(const struct journal_file *file, const char *name)
{
    if (renameat(file->dir, name, file->dir, BAD_FILE) != 0) {
        warn(file, name, strerror(errno));
        return false;
    }
    log_line(file->log, LOG_WARN, "events",
             "%s/%s is damaged: kept as " BAD_FILE ", the events in it are not known any more",
             file->dir_name, name);
    return true;
}

/* Reads one of the files. Returns its descriptor, -1 where it is not there or was put aside, or -2,
 * after a warning, where nothing can be done with it. */
static int read_file(const struct journal_file *file, const char *name, struct content *content)
{
    char why[OWN_FILE_WHY_MAX];
    const int fd = own_file_open(file->dir, name, O_RDWR, why);

    *content = (struct content){.bytes = NULL};
    if (fd < 0 && errno == ENOENT) {
        return -1;
    }
    if (fd < 0) {
        warn(file, name, why);
        return -2;
    }
    if (!read_all(fd, content)) {
        warn(file, name, strerror(errno));
        (void)close(fd);
        return -2;
    }
    if (!content->damaged) {
        judge(content);
    }
    if (content->damaged) {
        content->length = 0;
        content->whole = 0;
        content->lines = 0;
        (void)close(fd);
        return put_aside(file, name) ? -1 : -2;
    }
    return fd;
}

/* Cuts off the line that an earlier life did not finish. */
static bool cut_torn_line(const struct journal_file *file, const struct content *content)
{
    if (content->whole == content->length) {
        return true;
    }
    if (ftruncate(file->fd, (off_t)content->whole) != 0) {
        warn(file, NEWEST_FILE, strerror(errno));
        return false;
    }
    log_line(file->log, LOG_WARN, "events",
             "%s/" NEWEST_FILE " ends in the middle of a line, which is left out", file->dir_name);
    return true;
}

/* --- Opening --------------------------------------------------------------------------------- */

static void free_file(struct journal_file *file)
{
    if (file->fd >= 0) {
        (void)close(file->fd);
    }
    if (file->dir >= 0) {
        (void)close(file->dir);
    }
    free(file->pending.bytes);
    free(file->writing.bytes);
    free(file);
}

static int create(const struct journal_file *file)
{
    char why[OWN_FILE_WHY_MAX];

    return own_file_open(file->dir, NEWEST_FILE, O_RDWR | O_CREAT | O_EXCL, why);
}

static bool open_newest(struct journal_file *file, struct content *content)
{
    file->fd = read_file(file, NEWEST_FILE, content);
    if (file->fd == -1) {
        file->fd = create(file);
        if (file->fd < 0) {
            warn(file, NEWEST_FILE, strerror(errno));
        }
    }
    file->length = content->whole;
    file->lines = content->lines;
    return file->fd >= 0 && cut_torn_line(file, content);
}

static bool open_both(struct journal_file *file, journal_file_found *found, void *context)
{
    struct content older;
    struct content newest;

    file->dir = open(file->dir_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file->dir < 0) {
        warn(file, NEWEST_FILE, strerror(errno));
        return false;
    }
    const int fd = read_file(file, OLDER_FILE, &older);
    if (fd >= 0) {
        (void)close(fd); /* It is not written any more. */
    }
    const bool opened = fd != -2 && open_newest(file, &newest);
    if (opened) {
        tell(&older, found, context);
        tell(&newest, found, context);
    }
    free(older.bytes);
    if (fd != -2) {
        free(newest.bytes);
    }
    return opened;
}

struct journal_file *journal_file_open(uv_loop_t *loop, const char *dir, struct log *log,
                                       journal_file_found *found, void *context)
{
    struct journal_file *file = calloc(1, sizeof *file);

    if (file == NULL) {
        return NULL;
    }
    *file = (struct journal_file){.loop = loop, .dir_name = dir, .log = log, .dir = -1, .fd = -1};
    file->pending.bytes = malloc(JOURNAL_FILE_PENDING_MAX);
    file->writing.bytes = malloc(JOURNAL_FILE_PENDING_MAX);
    if (file->pending.bytes == NULL || file->writing.bytes == NULL) {
        warn(file, NEWEST_FILE, strerror(ENOMEM));
        free_file(file);
        return NULL;
    }
    if (!open_both(file, found, context)) {
        free_file(file);
        return NULL;
    }
    return file;
}

/* --- Writing, on a thread -------------------------------------------------------------------- */

/* Makes room when the file is full: what was written becomes the older file. */
static int begin_anew(struct journal_file *file)
{
    if (renameat(file->dir, NEWEST_FILE, file->dir, OLDER_FILE) != 0 && errno != ENOENT) {
        return errno; /* ENOENT: an earlier try came no further, or somebody took the file away. */
    }
    const int fd = create(file);
    if (fd < 0) {
        return errno;
    }
    (void)close(file->fd);
    file->fd = fd;
    file->length = 0;
    file->lines = 0;
    return 0;
}

static int write_batch(struct journal_file *file)
{
    const struct batch *batch = &file->writing;
    size_t done = 0;

    while (done < batch->length) {
        const ssize_t written = pwrite(file->fd, batch->bytes + done, batch->length - done,
                                       (off_t)(file->length + done));
        if (written < 0 && errno != EINTR) {
            const int error = errno;
            if (ftruncate(file->fd, (off_t)file->length) != 0) {
                file->lines = JOURNAL_FILE_LINES; /* Nothing goes behind half a line. */
            }
            return error;
        }
        done += written > 0 ? (size_t)written : 0;
    }
    file->length += batch->length;
    file->lines += batch->lines;
    return 0;
}

static bool is_short_of_room(const struct journal_file *file)
{
    struct statvfs room;

    return fstatvfs(file->dir, &room) == 0 && room.f_bavail * room.f_frsize < ROOM_BYTES;
}

/* Events give way where the disk is almost full. */
static int make_room(struct journal_file *file)
{
    if (!is_short_of_room(file)) {
        return 0;
    }
    (void)unlinkat(file->dir, OLDER_FILE, 0);
    return is_short_of_room(file) ? ENOSPC : 0;
}

static void on_work(uv_work_t *work)
{
    struct journal_file *file = work->data;

    const bool full = file->lines >= JOURNAL_FILE_LINES && file->writing.lines > 0;

    file->error = make_room(file);
    if (file->error == 0 && full) {
        file->error = begin_anew(file);
    }
    if (file->error == 0) {
        file->error = write_batch(file);
    }
}

/* --- Writing, on the loop -------------------------------------------------------------------- */

static void start_work(struct journal_file *file);

static void report(struct journal_file *file)
{
    if (file->error != 0 && !file->failing) {
        warn(file, NEWEST_FILE, strerror(file->error));
    } else if (file->error == 0 && file->failing) {
        log_line(file->log, LOG_INFO, "events", "%s/" NEWEST_FILE " is written again",
                 file->dir_name);
    }
    file->failing = file->error != 0;
}

static void on_work_done(uv_work_t *work, int status)
{
    struct journal_file *file = work->data;

    assert(status == 0); /* Nobody cancels it. */
    (void)status;
    file->busy = false;
    file->writing.length = 0;
    file->writing.lines = 0;
    report(file);
    if (file->pending.length > 0) {
        start_work(file);
    } else if (file->closing) {
        void (*on_closed)(void *) = file->on_closed;
        void *context = file->context;

        free_file(file);
        on_closed(context);
    }
}

static void start_work(struct journal_file *file)
{
    const struct batch batch = file->pending;

    file->pending = file->writing; /* Its buffer is free. */
    file->writing = batch;
    file->busy = true;
    file->work.data = file;

    const int error = uv_queue_work(file->loop, &file->work, on_work, on_work_done);
    assert(error == 0); /* It refuses only work without a function. */
    (void)error;
}

void journal_file_append(struct journal_file *file, const char *line, size_t length)
{
    struct batch *pending = &file->pending;

    assert(!file->closing);
    if (length > JOURNAL_FILE_LINE_MAX ||
        pending->length + HEAD_BYTES + length + 1 > JOURNAL_FILE_PENDING_MAX) {
        return; /* The disk stands still: it says so when it goes on, or fails. */
    }
    char *to = pending->bytes + pending->length;
    char head[HEAD_BYTES + 1];
    snprintf(head, sizeof head, "%016llx ",
             (unsigned long long)hash_bytes(HASH_START, line, length));
    memcpy(to, head, HEAD_BYTES);
    memcpy(to + HEAD_BYTES, line, length);
    to[HEAD_BYTES + length] = '\n';
    pending->length += HEAD_BYTES + length + 1;
    pending->lines++;
    if (!file->busy) {
        start_work(file);
    }
}

void journal_file_close(struct journal_file *file, void (*on_closed)(void *context), void *context)
{
    assert(!file->closing);
    file->closing = true;
    file->on_closed = on_closed;
    file->context = context;
    if (!file->busy) {
        /* Even when nothing is left to write: the end then always comes from the loop. */
        start_work(file);
    }
}
