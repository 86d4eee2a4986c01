/* The file that holds a voter's record (Z1c): bytes <-> structs. Whose record it is stands in it,
 * so that one from another place is not taken for the right one (Z3b); a checksum covers all of it.
 */
#ifndef PROTO_VOTER_FILE_H
#define PROTO_VOTER_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "core/model/vote.h"

enum { VOTER_FILE_VERSION = 5 };

struct voter_file {
    char cluster[NAME_BYTES_MAX + 1];
    char name[NAME_BYTES_MAX + 1]; /* of the voter */
    struct vote_record record;
};

enum voter_file_error {
    VOTER_FILE_OK = 0,
    VOTER_FILE_OTHER,   /* no record of a voter, or of another version of the format */
    VOTER_FILE_DAMAGED, /* the checksum is wrong, or the content is not what was ever written */
};

/* The longest file whose view has at most `capacity` members, in bytes. */
size_t voter_file_bytes_max(uint32_t capacity);

/* Writes the file into `out`, which has room for voter_file_bytes_max, and returns its length. */
size_t voter_file_write(uint8_t *out, const struct voter_file *file);

/* The version of the format, from the first bytes of the file; 0 where they are no record's. */
enum { VOTER_FILE_FORMAT_BYTES = 9 };
uint8_t voter_file_format(const uint8_t *bytes, size_t length);

/* Reads it; the view that was accepted goes into `view`, to which file->record then points. */
enum voter_file_error voter_file_read(const uint8_t *bytes, size_t length, struct view *view,
                                      struct voter_file *file);

#endif
