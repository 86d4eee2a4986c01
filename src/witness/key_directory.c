#include "witness/key_directory.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "runtime/host/own_file.h"
#include "runtime/options/option_kinds.h"
#include "runtime/sealing/key_file.h"

#define SUFFIX ".key"

static bool has_suffix(const char *file)
{
    const size_t length = strlen(file);
    const size_t suffix = strlen(SUFFIX);

    return length > suffix && text_equal(file + length - suffix, SUFFIX);
}

/* A folder is none, unless somebody took it for a key. */
static int is_candidate(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && (entry->d_type != DT_DIR || has_suffix(entry->d_name));
}

static bool refuse(const char *path, const char *file, const char *why, struct complaint *complaint)
{
    complaint->exit_code = EXIT_CONFIGURATION;
    return complaint_set(complaint, "--key %.200s%s%.100s: %s", path, file[0] == '\0' ? "" : "/",
                         file, why);
}

/* The cluster that the file is of. */
static bool name_of(const char *path, const char *file, char name[NAME_BYTES_MAX + 1],
                    struct complaint *complaint)
{
    if (!has_suffix(file)) {
        return refuse(path, file, "is no key file: name it CLUSTER.key, or move it away",
                      complaint);
    }
    if (!text_set(name, NAME_BYTES_MAX + 1, file, strlen(file) - strlen(SUFFIX)) ||
        !option_name_is_valid(name)) {
        name[0] = '\0';
        return refuse(path, file,
                      "no cluster has such a name: 1 to 63 of A-Z a-z 0-9 . _ -, no dash first, "
                      "stand before .key",
                      complaint);
    }
    return true;
}

static bool visit(const char *path, const char *file, const struct key_directory_walk *walk,
                  struct complaint *complaint)
{
    char name[NAME_BYTES_MAX + 1] = "";
    char whole[CONFIG_DIR_MAX + NAME_BYTES_MAX + sizeof SUFFIX + 2];
    struct keyring ring = {.count = 0};

    bool sound = name_of(path, file, name, complaint);
    if (sound) {
        snprintf(whole, sizeof whole, "%s/%s", path, file);
        sound = key_file_read(whole, &ring, complaint);
    }
    if (!sound) {
        return walk->on_fault(walk->context, name, complaint);
    }
    const bool goes_on = walk->on_cluster(walk->context, name, &ring, complaint);
    keyring_wipe(&ring);
    return goes_on;
}

bool key_directory_walk(const char *path, const struct key_directory_walk *walk,
                        struct complaint *complaint)
{
    struct dirent **entries = NULL;
    char why[OWN_FILE_WHY_MAX];
    bool goes_on = true;
    const int directory = own_directory_open(path, why);

    if (directory < 0) {
        return refuse(path, "",
                      errno == ENOENT
                          ? "is not there: make it, and put the key file of each cluster there as "
                            "NAME.key"
                      : errno == ENOTDIR
                          ? "is no directory: name one that has the key file of each cluster as "
                            "NAME.key"
                          : why,
                      complaint);
    }
    const int count = scandirat(directory, ".", &entries, is_candidate, alphasort);
    const int error = errno;
    (void)close(directory);
    if (count < 0) {
        return refuse(path, "", strerror(error), complaint);
    }
    for (int i = 0; i < count; i++) {
        goes_on = goes_on && visit(path, entries[i]->d_name, walk, complaint);
        free(entries[i]);
    }
    free(entries);
    return goes_on;
}

bool key_directory_is_apart(const char *path, const char *state_dir, struct complaint *complaint)
{
    struct stat keys;
    struct stat records;

    return stat(path, &keys) != 0 || stat(state_dir, &records) != 0 ||
           keys.st_dev != records.st_dev || keys.st_ino != records.st_ino ||
           refuse(path, "", "is the --state-dir, too: give the records a directory of their own",
                  complaint);
}
