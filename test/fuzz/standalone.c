/* A main for the fuzzers where there is no libFuzzer: it replays the files named on the command
 * line, and all those in and below the folders named there, and ends with 0 when it survived at
 * least one and could read them all. */
#include <fts.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
        fprintf(stderr, "fuzz: %s cannot be read\n", entry->fts_path);
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
        fprintf(stderr, "fuzz: no input: name files, or folders with files, to replay\n");
    }
    if (count <= 0) {
        return 1;
    }
    printf("fuzz: %ld inputs replayed\n", count);
    return 0;
}
