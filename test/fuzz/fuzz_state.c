/* Throws bytes at what a state directory holds: the state of earlier lives, and a voter's record.
 * Whatever is there, the directory can be used; what is damaged is put aside, and what is accepted
 * was written by this program. */
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "proto/voter_file.h"
#include "runtime/disk/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RETRY_MS = 1000 };

static void leave_state(const char *dir, const uint8_t *data, size_t size)
{
    char path[96];

    snprintf(path, sizeof path, "%s/state", dir);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert(fd >= 0);
    assert(write(fd, data, size) == (ssize_t)size);
    close(fd);
}

static void start_a_life(const char *dir)
{
    struct stored found;
    struct log log;
    uv_loop_t loop;
    const int silent = open("/dev/null", O_WRONLY | O_CLOEXEC);

    assert(silent >= 0 && uv_loop_init(&loop) == 0);
    log_init(&log, silent, LOG_ERROR, LOG_TEXT, "athens");
    struct store *store = NULL;
    const bool opened = store_open(&loop, dir, RETRY_MS, &log, &found, &store);
    assert(opened && store != NULL);
    (void)opened;
    assert(found.peer_count <= PEERS_STORED_MAX);
    store_close(store, NULL, NULL);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    assert(uv_loop_close(&loop) == 0);
    close(silent);
}

static void clear(const char *dir)
{
    static const char *const names[] = {"state", "state.bad", "lock"};
    char path[96];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        (void)unlink(path);
    }
    assert(rmdir(dir) == 0);
}

static void read_record(const uint8_t *data, size_t size)
{
    struct voter_file file;
    struct view view;
    void *storage = calloc(1, view_bytes(MEMBER_MAX));
    uint8_t *again = malloc(voter_file_bytes_max(MEMBER_MAX));

    assert(storage != NULL && again != NULL);
    view_init(&view, MEMBER_MAX, storage);
    if (voter_file_read(data, size, &view, &file) == VOTER_FILE_OK) {
        assert(voter_file_write(again, &file) == size); /* It has one form only. */
    }
    free(again);
    free(storage);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char dir[] = "/dev/shm/doyen-fuzz-XXXXXX";
    char other[] = "/tmp/doyen-fuzz-XXXXXX";
    char *made = mkdtemp(dir);

    made = made == NULL ? mkdtemp(other) : made;
    assert(made != NULL);
    leave_state(made, data, size);
    start_a_life(made);
    start_a_life(made); /* After that the state is sound. */
    clear(made);
    read_record(data, size);
    return 0;
}
