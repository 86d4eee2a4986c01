/* Throws bytes at the decoder. It must survive them, and what it accepts must encode to the same
 * bytes again: a message has one form only, so nothing is read that is not accounted for.
 *
 * With libFuzzer, LLVMFuzzerTestOneInput is all there is. With FUZZ_STANDALONE, a main replays
 * the files named on the command line, and all those in and below the folders named there; it
 * ends with 0 when it survived at least one and could read them all. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/wire.h"

enum { CAPACITY = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct wire *wire, const uint8_t *bytes, size_t length)
{
    struct message message;
    size_t length_again;

    memset(&message, 0, sizeof message);
    if (wire_decode(wire, bytes, length, &message) != WIRE_OK) {
        return;
    }
    const unsigned flags = (message.fellow ? WIRE_FELLOW : 0U) | (message.relay ? WIRE_RELAY : 0U);
    const uint8_t *again = wire_encode(
        wire, &message,
        &(struct wire_copy){.to = &message.to, .flags = flags, .echo = message.echo},
        &length_again);
    assert(length_again == length);
    assert(memcmp(again, bytes, length) == 0);
}

/* Checks the bytes as they are, and once more behind a header that is in order, so that the
 * fuzzer need not learn the hash of the cluster's name before it meets the rest. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct message pull = {.type = MESSAGE_PULL, .from = {.bytes = {1}}};
    struct wire *wire = wire_new("doyen", CAPACITY);
    uint8_t *copy = malloc(size + WIRE_HEADER_BYTES);
    size_t length;

    assert(wire != NULL && copy != NULL);
    check(wire, data, size);

    memcpy(copy, wire_encode(wire, &pull, &(struct wire_copy){.to = NULL, .flags = 0}, &length),
           WIRE_HEADER_BYTES);
    if (size > WIRE_HEADER_BYTES) {
        memcpy(copy + WIRE_HEADER_BYTES, data + WIRE_HEADER_BYTES, size - WIRE_HEADER_BYTES);
        check(wire, copy, size);
    }
    free(copy);
    wire_free(wire);
    return 0;
}

#ifdef FUZZ_STANDALONE

#include <fts.h>
#include <stdio.h>
#include <sys/stat.h>

/* Runs one input. Its bytes are on the heap at their exact length, where a sanitizer sees every
 * read beyond them. False if the file cannot be read. */
static bool replay(const char *path, size_t size)
{
    uint8_t *bytes = malloc(size + (size == 0));
    FILE *file = fopen(path, "rb");
    bool is_read = bytes != NULL && file != NULL && fread(bytes, 1, size, file) == size;

    if (is_read) {
        LLVMFuzzerTestOneInput(bytes, size);
    }
    if (file != NULL) {
        fclose(file);
    }
    free(bytes);
    return is_read;
}

/* Returns how many inputs were replayed, or -1 after a line on stderr. */
static long replay_all(char *const *paths)
{
    long count = 0;
    FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);

    for (FTSENT *entry; count >= 0 && tree != NULL && (entry = fts_read(tree)) != NULL;) {
        if (entry->fts_info == FTS_D || entry->fts_info == FTS_DP) {
            continue;
        }
        if (entry->fts_info == FTS_F &&
            replay(entry->fts_path, (size_t)entry->fts_statp->st_size)) {
            count++;
            continue;
        }
        fprintf(stderr, "fuzz_decode: %s cannot be read\n", entry->fts_path);
        count = -1;
    }
    if (tree != NULL) {
        fts_close(tree);
    }
    return count;
}

int main(int argc, char **argv)
{
    long count = argc < 2 ? 0 : replay_all(argv + 1);

    if (count == 0) {
        fprintf(stderr, "fuzz_decode: no input: name files, or folders with files, to replay\n");
    }
    if (count <= 0) {
        return 1;
    }
    printf("fuzz_decode: %ld inputs replayed\n", count);
    return 0;
}

#endif
