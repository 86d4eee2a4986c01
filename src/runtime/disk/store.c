#include "runtime/disk/store.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/text.h"
#include "runtime/host/own_file.h"
#include "runtime/host/replace_file.h"
#include "runtime/process/preflight.h"
#include "usage/remedy.h"
#include "words/address_text.h"

/* The file, in lines:
 *
 *     doyen-state 1
 *     incarnation=3
 *     epoch_seen=12
 *     peer=127.0.0.1:7420       any number of them
 *     terms=3 1234567 64        terms that were changed: number, origin, room
 *     terms_now=3 5 2 250 900 64   guard, its count, profile, heartbeat, fail-after, capacity; and
 *                               so terms_before, while both hold, and terms_started
 *     anything=else             of a later version: not read, and not kept
 *     checksum=0123456789abcdef   hash of everything above, in hexadecimal
 */
#define FIRST_LINE "doyen-state 1\n"
#define CHECKSUM_KEY "checksum="
#define TERMS_KEY "terms="
#define NOW_KEY "terms_now="
#define BEFORE_KEY "terms_before="
#define STARTED_KEY "terms_started="
#define STATE_FILE "state"
#define NEW_FILE "state.new"
#define BAD_FILE "state.bad"
#define LOCK_FILE "lock"

enum {
    LINE_BYTES_MAX = 80,
    LATER_LINES_MAX = 64,
    FILE_BYTES_MAX = (PEERS_STORED_MAX + 8 + LATER_LINES_MAX) * LINE_BYTES_MAX,
    MS_PER_S = 1000,
    LOCK_PATIENCE_MS = 2000,
    LOCK_PAUSE_MS = 20,
};

struct store {
    uv_loop_t *loop;
    struct log *log;
    int dir;  /* open descriptor, so that a relative path stays good */
    int lock; /* holds the lock as long as it is open */
    char dir_name[CONFIG_DIR_MAX + 1];

    struct stored latest; /* the content of the file, once it is written */
    bool dirty;           /* `latest` is newer than `writing` */
    bool busy;            /* a thread uses `writing` and `error` */
    bool failing;         /* the last attempt failed, and was logged */

    uv_work_t work;
    struct stored writing;
    int error; /* errno of the thread's attempt; 0 for success */

    uint64_t retry_ms;
    uv_timer_t retry; /* runs while the last attempt is one that failed */

    bool closing;
    void (*on_closed)(void *context);
    void *context;
};

/* --- Text ------------------------------------------------------------------------------------ */

/* On the disk as numbers of the enums, of which those on the wire never change. */
static size_t rules_print(const char *key, const struct rules *rules, char *out, size_t size)
{
    return (size_t)snprintf(out, size, "%s%d %u %d %llu %llu %u\n", key, (int)rules->guard.policy,
                            rules->guard.count, (int)rules->profile,
                            (unsigned long long)rules->heartbeat_ms,
                            (unsigned long long)rules->lost_ms, rules->capacity);
}

static size_t agreed_print(const struct stored *stored, char *out, size_t size)
{
    const struct agreed *agreed = &stored->agreed;
    size_t used = (size_t)snprintf(out, size, "%s%llu %llu %u\n", TERMS_KEY,
                                   (unsigned long long)agreed->number,
                                   (unsigned long long)agreed->origin, agreed->room);

    used += rules_print(NOW_KEY, &agreed->now, out + used, size - used);
    if (agreed->joint) {
        used += rules_print(BEFORE_KEY, &agreed->before, out + used, size - used);
    }
    return used + rules_print(STARTED_KEY, &stored->started, out + used, size - used);
}

/* Prints the whole file, checksum included. Returns its length; it always fits. */
static size_t state_print(const struct stored *stored, char out[FILE_BYTES_MAX])
{
    char text[ADDRESS_TEXT_MAX];
    size_t used = (size_t)snprintf(out, FILE_BYTES_MAX, "%sincarnation=%llu\nepoch_seen=%llu\n",
                                   FIRST_LINE, (unsigned long long)stored->incarnation,
                                   (unsigned long long)stored->epoch_seen);

    assert(stored->peer_count <= PEERS_STORED_MAX);
    for (uint32_t i = 0; i < stored->peer_count; i++) {
        used += (size_t)snprintf(out + used, FILE_BYTES_MAX - used, "peer=%s\n",
                                 address_text(&stored->peers[i], text));
    }
    if (stored->agreed.number != 0) {
        used += agreed_print(stored, out + used, FILE_BYTES_MAX - used);
    }
    used += (size_t)snprintf(out + used, FILE_BYTES_MAX - used, "%s%016llx\n", CHECKSUM_KEY,
                             (unsigned long long)hash_bytes(HASH_START, out, used));
    assert(used < FILE_BYTES_MAX);
    return used;
}

static bool parse_u64(const char *text, uint64_t *out)
{
    char *end = NULL;

    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    errno = 0;
    *out = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

/* So many numbers, with one space between each and the next. */
static bool parse_numbers(const char *text, uint64_t *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *end = NULL;
        if (text[0] < '0' || text[0] > '9') {
            return false;
        }
        errno = 0;
        out[i] = strtoull(text, &end, 10);
        if (errno != 0 || *end != (i + 1 < count ? ' ' : '\0')) {
            return false;
        }
        text = end + 1;
    }
    return true;
}

/* What they mean the core judges. */
static bool parse_rules(const char *text, struct rules *out)
{
    uint64_t numbers[6];

    if (!parse_numbers(text, numbers, 6) || numbers[0] > GUARD_STRICT || numbers[1] > UINT32_MAX ||
        numbers[2] > PROFILE_WAN || numbers[5] > UINT32_MAX) {
        return false;
    }
    *out = (struct rules){.guard = {(enum guard_policy)numbers[0], (uint32_t)numbers[1]},
                          .profile = (enum profile)numbers[2],
                          .heartbeat_ms = numbers[3],
                          .lost_ms = numbers[4],
                          .capacity = (uint32_t)numbers[5]};
    return true;
}

static bool parse_agreed(const char *text, struct agreed *out)
{
    uint64_t numbers[3];

    if (!parse_numbers(text, numbers, 3) || numbers[2] > UINT32_MAX) {
        return false;
    }
    out->number = numbers[0];
    out->origin = numbers[1];
    out->room = (uint32_t)numbers[2];
    return true;
}

static const char *after(const char *line, const char *key)
{
    const size_t length = strlen(key);

    return strncmp(line, key, length) == 0 ? line + length : NULL;
}

/* Who goes back to this version is to remember what it can. */
static bool is_of_later_version(const char *line)
{
    const size_t length = strspn(line, "abcdefghijklmnopqrstuvwxyz_");

    return length > 0 && line[length] == '=';
}

static bool parse_line(const char *line, struct stored *out)
{
    const char *value = NULL;

    if ((value = after(line, "incarnation=")) != NULL) {
        return parse_u64(value, &out->incarnation);
    }
    if ((value = after(line, "epoch_seen=")) != NULL) {
        return parse_u64(value, &out->epoch_seen);
    }
    if ((value = after(line, "peer=")) != NULL && out->peer_count < PEERS_STORED_MAX) {
        return address_parse(value, &out->peers[out->peer_count++]);
    }
    if ((value = after(line, TERMS_KEY)) != NULL) {
        return parse_agreed(value, &out->agreed);
    }
    if ((value = after(line, NOW_KEY)) != NULL) {
        return parse_rules(value, &out->agreed.now);
    }
    if ((value = after(line, BEFORE_KEY)) != NULL) {
        out->agreed.joint = true;
        return parse_rules(value, &out->agreed.before);
    }
    if ((value = after(line, STARTED_KEY)) != NULL) {
        return parse_rules(value, &out->started);
    }
    return value == NULL && is_of_later_version(line);
}

/* Cuts off the line of the checksum if it is there and right. */
static bool checksum_holds(char *text)
{
    char *line = strstr(text, "\n" CHECKSUM_KEY);
    char expected[17];

    if (line == NULL) {
        return false;
    }
    line++;
    snprintf(expected, sizeof expected, "%016llx",
             (unsigned long long)hash_bytes(HASH_START, text, (size_t)(line - text)));
    const char *value = line + strlen(CHECKSUM_KEY);
    const bool holds = strncmp(value, expected, 16) == 0 && text_equal(value + 16, "\n");
    *line = '\0';
    return holds;
}

/* Parses the text, which it cuts up. Returns false when it is damaged or of another format. */
static bool state_parse(char *text, struct stored *out)
{
    *out = (struct stored){.incarnation = 0};
    if (strncmp(text, FIRST_LINE, strlen(FIRST_LINE)) != 0 || !checksum_holds(text)) {
        return false;
    }
    for (char *line = text + strlen(FIRST_LINE); *line != '\0';) {
        char *end = strchr(line, '\n');
        if (end == NULL) {
            return false;
        }
        *end = '\0';
        if (!parse_line(line, out)) {
            return false;
        }
        line = end + 1;
    }
    return true;
}

/* --- Disk ------------------------------------------------------------------------------------ */

/* Uses nothing but the disk, so that a thread may call it. */
static int state_write(int dir, const struct stored *stored)
{
    char text[FILE_BYTES_MAX];
    const size_t length = state_print(stored, text);

    return replace_file(dir, STATE_FILE, NEW_FILE, text, length);
}

enum state_found { STATE_NONE, STATE_READ, STATE_DAMAGED, STATE_UNREADABLE };

/* Sets `why` where it returns STATE_UNREADABLE. */
static enum state_found state_read(int dir, struct stored *out, char why[OWN_FILE_WHY_MAX])
{
    char text[FILE_BYTES_MAX + 1];
    size_t length = 0;
    const int fd = own_file_open(dir, STATE_FILE, O_RDONLY, why);

    *out = (struct stored){.incarnation = 0};
    if (fd < 0) {
        return errno == ENOENT ? STATE_NONE : STATE_UNREADABLE;
    }
    for (;;) {
        const ssize_t got = read(fd, text + length, sizeof text - length);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            snprintf(why, OWN_FILE_WHY_MAX, "%s", strerror(errno));
            close(fd);
            return STATE_UNREADABLE;
        }
        length += (size_t)got;
        if (got == 0 || length == sizeof text) {
            break;
        }
    }
    close(fd);

    const bool is_text = length < sizeof text && memchr(text, '\0', length) == NULL;
    if (is_text) {
        text[length] = '\0';
        if (state_parse(text, out)) {
            return STATE_READ;
        }
    }
    *out = (struct stored){.incarnation = 0};
    return STATE_DAMAGED;
}

/* --- Opening --------------------------------------------------------------------------------- */

/* Sets the complaint why the directory cannot be used. */
static bool cannot_because(const char *what, const char *dir, const char *why, const char *remedy,
                           struct complaint *complaint)
{
    return complaint_set(complaint, "cannot %s the state directory %.300s: %s: %s", what, dir, why,
                         remedy);
}

/* The same with errno as the cause. */
static bool cannot(const char *what, const char *dir, const char *remedy,
                   struct complaint *complaint)
{
    return cannot_because(what, dir, strerror(errno), remedy, complaint);
}

static bool open_dir(struct store *store, struct complaint *complaint)
{
    if (mkdir(store->dir_name, 0700) != 0 && errno != EEXIST) {
        return cannot("make", store->dir_name, "make it, or choose another --state-dir", complaint);
    }
    char why[OWN_FILE_WHY_MAX];
    store->dir = own_directory_open(store->dir_name, why);
    return store->dir >= 0 ||
           cannot_because("open", store->dir_name, why, "choose another --state-dir", complaint);
}

static bool is_full(int error)
{
    return error == ENOSPC || error == EDQUOT;
}

static bool cannot_write(const char *dir, struct complaint *complaint)
{
    return cannot("write to", dir,
                  is_full(errno) ? "make room, or choose another --state-dir"
                                 : "make it writable, or choose another --state-dir",
                  complaint);
}

/* A daemon that is ending has closed its sockets, and is taken for gone, before its last write is
 * done. */
static bool lock_in_time(int lock)
{
    for (uint32_t ms = 0;; ms += LOCK_PAUSE_MS) {
        if (flock(lock, LOCK_EX | LOCK_NB) == 0) {
            return true;
        }
        if (errno != EWOULDBLOCK || ms >= LOCK_PATIENCE_MS) {
            return false;
        }
        uv_sleep(LOCK_PAUSE_MS);
    }
}

/* The lock ends with its descriptor, so that a daemon that was killed leaves none behind. */
static bool lock_file(int lock, const char *dir, struct complaint *complaint)
{
    if (lock_in_time(lock)) {
        return true;
    }
    if (errno == EWOULDBLOCK) {
        return complaint_set(complaint,
                             "the state directory %.300s belongs to another daemon: stop that one, "
                             "or choose another --state-dir",
                             dir);
    }
    return cannot("lock", dir, "choose another --state-dir", complaint);
}

static bool cannot_use(const char *what, const char *dir, const char *file, const char *why,
                       struct complaint *complaint)
{
    return complaint_set(complaint,
                         "cannot %s %.300s/%s: %s: mend that, or choose another --state-dir", what,
                         dir, file, why);
}

static bool lock_dir(struct store *store, struct complaint *complaint)
{
    char why[OWN_FILE_WHY_MAX];

    store->lock = own_file_open(store->dir, LOCK_FILE, O_RDWR | O_CREAT, why);
    return store->lock >= 0 ? lock_file(store->lock, store->dir_name, complaint)
                            : cannot_use("open", store->dir_name, LOCK_FILE, why, complaint);
}

static bool cannot_read(const char *dir, const char *why, struct complaint *complaint)
{
    return cannot_use("read", dir, STATE_FILE, why, complaint);
}

static bool dir_check(int fd, const char *dir, struct complaint *complaint)
{
    char inside[CONFIG_DIR_MAX + 1];
    char why[OWN_FILE_WHY_MAX];

    snprintf(inside, sizeof inside, "%.*s/" LOCK_FILE, (int)(sizeof inside - sizeof "/" LOCK_FILE),
             dir);
    if (!preflight_can_make(inside)) {
        return cannot_write(dir, complaint);
    }
    const int state = own_file_open(fd, STATE_FILE, O_RDONLY, why);
    if (state < 0 && errno != ENOENT) {
        return cannot_read(dir, why, complaint);
    }
    if (state >= 0) {
        (void)close(state);
    }
    const int lock = own_file_open(fd, LOCK_FILE, O_RDWR, why);
    if (lock < 0) {
        return errno == ENOENT || cannot_use("open", dir, LOCK_FILE, why, complaint);
    }
    const bool is_free = lock_file(lock, dir, complaint);
    (void)close(lock);
    return is_free;
}

/* An empty file may fit on a disk that has no room for what would be in it. Sets errno. */
static bool has_room(int fd)
{
    struct statvfs disk;

    if (fstatvfs(fd, &disk) != 0 || disk.f_blocks == 0) {
        return true; /* It does not tell. */
    }
    errno = ENOSPC;
    return (geteuid() == 0 ? disk.f_bfree : disk.f_bavail) > 0;
}

bool store_check(const char *dir, bool needs_room, struct complaint *complaint)
{
    char why[OWN_FILE_WHY_MAX];
    const int fd = own_directory_open(dir, why);

    if (fd >= 0) {
        const bool sound = needs_room ? (has_room(fd) || cannot_write(dir, complaint)) &&
                                            dir_check(fd, dir, complaint)
                                      : dir_check(fd, dir, complaint) || is_full(errno);
        (void)close(fd);
        return sound;
    }
    if (errno != ENOENT) {
        return cannot_because("open", dir, why, "choose another --state-dir", complaint);
    }
    struct stat status;
    if (lstat(dir, &status) == 0) {
        return cannot_because("open", dir, "it is a link that leads nowhere",
                              "make what it leads to, or choose another --state-dir", complaint);
    }
    return preflight_can_make(dir) || (!needs_room && is_full(errno)) ||
           cannot("make", dir, "make it, or choose another --state-dir", complaint);
}

static bool read_state(struct store *store, struct stored *found)
{
    struct complaint complaint;
    char why[OWN_FILE_WHY_MAX];

    switch (state_read(store->dir, found, why)) {
    case STATE_NONE:
        return true;
    case STATE_READ:
        log_line(store->log, LOG_DEBUG, "store", "lives_before=%llu epoch_seen=%llu peers=%u",
                 (unsigned long long)found->incarnation, (unsigned long long)found->epoch_seen,
                 found->peer_count);
        return true;
    case STATE_UNREADABLE:
        (void)cannot_read(store->dir_name, why, &complaint);
        log_line(store->log, LOG_ERROR, "store", "%s", complaint.text);
        return false;
    case STATE_DAMAGED:
        break;
    }
    if (renameat(store->dir, STATE_FILE, store->dir, BAD_FILE) != 0) {
        log_line(store->log, LOG_ERROR, "store",
                 "%s/%s is damaged and cannot be put aside: %s: remove it", store->dir_name,
                 STATE_FILE, strerror(errno));
        return false;
    }
    log_line(store->log, LOG_WARN, "store",
             "%s/%s is damaged or of another version: kept as %s, beginning anew without known "
             "peers and epoch",
             store->dir_name, STATE_FILE, BAD_FILE);
    return true;
}

static void start_work(struct store *store);

static void on_retry(uv_timer_t *retry)
{
    struct store *store = retry->data;

    if (!store->busy) {
        start_work(store);
    }
}

/* The first thing that a life does. On a full disk it goes on without: the count is for people
 * (I1c), and what else was kept has been read. A voter's record is another file. */
static bool count_life(struct store *store, const struct stored *found)
{
    store->latest = *found;
    store->latest.incarnation++;

    const int error = state_write(store->dir, &store->latest);
    store->failing = is_full(error);
    if (store->failing) {
        log_line(store->log, LOG_WARN, "store",
                 "cannot write %s/%s: %s: going on without; make room: what this life learns is "
                 "lost with it until then; trying again every %llu s",
                 store->dir_name, STATE_FILE, strerror(error),
                 (unsigned long long)(store->retry_ms / MS_PER_S));
        return true;
    }
    if (error != 0) {
        log_line(store->log, LOG_ERROR, "store", "cannot write %s/%s: %s: %s", store->dir_name,
                 STATE_FILE, strerror(error), remedy_of_write(error));
    }
    return error == 0;
}

bool store_peek(const char *dir, struct stored *found, struct complaint *complaint)
{
    char why[OWN_FILE_WHY_MAX];
    const int fd = own_directory_open(dir, why);

    if (fd < 0) {
        return cannot_because("open", dir, why, "choose another --state-dir", complaint);
    }
    const enum state_found state = state_read(fd, found, why);
    (void)close(fd);
    return state != STATE_UNREADABLE || cannot_read(dir, why, complaint);
}

static void store_free(struct store *store)
{
    if (store->lock >= 0) {
        close(store->lock);
    }
    if (store->dir >= 0) {
        close(store->dir);
    }
    free(store);
}

int store_lock(const char *dir, struct complaint *complaint)
{
    struct store *store = calloc(1, sizeof *store);
    int lock = -1;

    if (store == NULL || !text_set(store->dir_name, sizeof store->dir_name, dir, strlen(dir))) {
        free(store);
        (void)complaint_set(complaint,
                            "cannot use the state directory %.300s: its path is too "
                            "long, or there is no memory",
                            dir);
        return -1;
    }
    store->dir = -1;
    store->lock = -1;
    if (open_dir(store, complaint) && lock_dir(store, complaint)) {
        lock = store->lock;
        store->lock = -1;
    }
    store_free(store);
    return lock;
}

/* What there is no room for is no reason not to start: the disk keeps what helps the next life. */
static bool open_and_lock(struct store *store, bool *is_without)
{
    struct complaint complaint;

    if (open_dir(store, &complaint) && lock_dir(store, &complaint)) {
        return true;
    }
    *is_without = is_full(errno);
    if (*is_without) {
        log_line(
            store->log, LOG_WARN, "store",
            "no room for the state directory %s: %s: going on without, so that after a restart "
            "this node will not know that it was a member; make room, and start doyend again",
            store->dir_name, strerror(errno));
    } else {
        log_line(store->log, LOG_ERROR, "store", "%s", complaint.text);
    }
    return false;
}

bool store_open(uv_loop_t *loop, const char *dir, uint64_t retry_ms, struct log *log,
                struct stored *found, struct store **out)
{
    struct store *store = calloc(1, sizeof *store);
    bool is_without = false;

    *out = NULL;
    if (store == NULL) {
        log_line(log, LOG_ERROR, "store", "not enough memory to start");
        return false;
    }
    store->loop = loop;
    store->log = log;
    store->retry_ms = retry_ms;
    store->dir = -1;
    store->lock = -1;
    if (!text_set(store->dir_name, sizeof store->dir_name, dir, strlen(dir))) {
        log_line(log, LOG_ERROR, "store", "the path of the state directory is too long");
        store_free(store);
        return false;
    }
    if (!open_and_lock(store, &is_without)) {
        store_free(store);
        return is_without;
    }
    if (!read_state(store, found) || !count_life(store, found)) {
        store_free(store);
        return false;
    }
    (void)uv_timer_init(loop, &store->retry); /* cannot fail */
    uv_unref((uv_handle_t *)&store->retry);   /* It keeps nobody from ending. */
    store->retry.data = store;
    if (store->failing) {
        (void)uv_timer_start(&store->retry, on_retry, retry_ms, 0);
    }
    *out = store;
    return true;
}

/* --- Writing --------------------------------------------------------------------------------- */

static void on_work(uv_work_t *work)
{
    struct store *store = work->data;

    store->error = state_write(store->dir, &store->writing);
}

static void report(struct store *store)
{
    if (store->error != 0 && !store->failing) {
        log_line(store->log, LOG_ERROR, "store",
                 "cannot write %s/%s: %s: %s; trying again every %llu s until it is done",
                 store->dir_name, STATE_FILE, strerror(store->error), remedy_of_write(store->error),
                 (unsigned long long)(store->retry_ms / MS_PER_S));
    } else if (store->error == 0 && store->failing) {
        log_line(store->log, LOG_INFO, "store", "%s/%s is written again", store->dir_name,
                 STATE_FILE);
    }
    store->failing = store->error != 0;
}

static void on_retry_closed(uv_handle_t *handle)
{
    struct store *store = handle->data;
    void (*on_closed)(void *) = store->on_closed;
    void *context = store->context;

    store_free(store);
    if (on_closed != NULL) {
        on_closed(context);
    }
}

static void on_work_done(uv_work_t *work, int status)
{
    struct store *store = work->data;

    assert(status == 0); /* Nobody cancels it. */
    (void)status;
    store->busy = false;
    report(store);
    if (store->dirty) {
        start_work(store);
    } else if (store->closing) {
        uv_close((uv_handle_t *)&store->retry, on_retry_closed);
    } else if (store->failing) {
        (void)uv_timer_start(&store->retry, on_retry, store->retry_ms, 0);
    }
}

static void start_work(struct store *store)
{
    (void)uv_timer_stop(&store->retry);
    store->writing = store->latest;
    store->dirty = false;
    store->busy = true;
    store->work.data = store;

    const int error = uv_queue_work(store->loop, &store->work, on_work, on_work_done);
    assert(error == 0); /* It refuses only work without a function. */
    (void)error;
}

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void store_write(struct store *store, const struct stored *stored)
{
    const struct stored before = store->latest;

    assert(!store->closing);
    store->latest = *stored;
    store->latest.incarnation = greater(before.incarnation, stored->incarnation);
    store->latest.epoch_seen = greater(before.epoch_seen, stored->epoch_seen);
    store->dirty = true;
    if (!store->busy) {
        start_work(store);
    }
}

void store_close(struct store *store, void (*on_closed)(void *context), void *context)
{
    assert(!store->closing);
    store->closing = true;
    store->on_closed = on_closed;
    store->context = context;
    if (!store->busy) {
        /* Writes once more, though nothing is new: the end then always comes from the loop. */
        start_work(store);
    }
}
