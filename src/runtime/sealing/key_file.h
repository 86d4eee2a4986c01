/* The file of --key: read when the node starts and when it is told to, made by --make-key. */
#ifndef RUNTIME_KEY_FILE_H
#define RUNTIME_KEY_FILE_H

#include <stdbool.h>

#include "runtime/options/value.h"
#include "seal/keyring.h"

/* Reads the keys of the file, which must be a regular file of this account or root that nobody else
 * may read. Returns false with the complaint set and no key in the ring. */
bool key_file_read(const char *path, struct keyring *ring, struct complaint *complaint);

/* Makes a file with one new key; never over a file that is there. Returns false with the complaint
 * set; else the key's fingerprint is in `*fingerprint`. */
bool key_file_make(const char *path, uint16_t *fingerprint, struct complaint *complaint);

/* The keys that a node with this configuration has: those of --key, or none. Without a key it must
 * be out of reach for strangers, or told --insecure: else false, with the complaint set. */
bool key_file_of(const struct config *config, struct keyring *ring, struct complaint *complaint);

/* Are frames without a key taken where strangers can send them? */
bool config_is_insecure(const struct config *config);

#endif
