/* The directory of --key: a file NAME.key for each cluster, which is the key file that its nodes
 * have. To give a witness another cluster is to put its key there. */
#ifndef WITNESS_KEY_DIRECTORY_H
#define WITNESS_KEY_DIRECTORY_H

#include <stdbool.h>

#include "core/model/limits.h"
#include "runtime/options/value.h"
#include "seal/keyring.h"

/* One cluster of the directory; the keys are wiped after the call. Returns false, with the
 * complaint set, to end the walk. */
typedef bool key_directory_on_cluster(void *context, const char *name, const struct keyring *ring,
                                      struct complaint *complaint);

/* A file that is no sound key file, of the cluster `name`, or "" where its name is none of a
 * cluster's. Returns whether to go on. */
typedef bool key_directory_on_fault(void *context, const char *name,
                                    const struct complaint *complaint);

struct key_directory_walk {
    key_directory_on_cluster *on_cluster;
    key_directory_on_fault *on_fault;
    void *context;
};

/* Walks the directory, in the order of the names. Files that begin with a dot are none of a
 * cluster's, nor are directories. Returns false with the complaint set when it cannot be read, or
 * the walk was ended. */
bool key_directory_walk(const char *path, const struct key_directory_walk *walk,
                        struct complaint *complaint);

/* Is it another directory than that of the records, which are no keys? Else the complaint is set.
 */
bool key_directory_is_apart(const char *path, const char *state_dir, struct complaint *complaint);

#endif
