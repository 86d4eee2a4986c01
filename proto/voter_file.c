#include "proto/voter_file.h"

#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "proto/body_view.h"

/* The file, from its beginning:
 *
 *     "doyenvot"   8 bytes
 *     version      1 byte
 *     content      one MessagePack array: cluster, name, record id, lineage, state, promised epoch,
 *                  to which life (nil: none), the longest lease that it may have been given, in
 *                  milliseconds (0: none), the longest T_hold (Z15c), how often it was written
 *                  (Z14a), accepted view, or the one that names the founders (nil: none)
 *     checksum     8 bytes, big endian: hash of everything above
 */
#define MAGIC "doyenvot"

enum {
    MAGIC_BYTES = sizeof MAGIC - 1,
    FILE_VERSION = VOTER_FILE_VERSION,
    HEADER_BYTES = MAGIC_BYTES + 1,
    CHECKSUM_BYTES = 8,
    CONTENT_FIELDS = 11,
    CONTENT_BYTES = 1 + 2 * BODY_NAME_BYTES + 2 * BODY_ID_BYTES + 6 * BODY_NUMBER_BYTES,
};

size_t voter_file_bytes_max(uint32_t capacity)
{
    return HEADER_BYTES + CONTENT_BYTES + body_view_bytes_max(capacity) + CHECKSUM_BYTES;
}

static uint64_t checksum_of(const uint8_t *bytes, size_t length)
{
    return hash_finish(hash_bytes(HASH_START, bytes, length));
}

static void write_content(struct writer *writer, const struct voter_file *file)
{
    const struct vote_record *record = &file->record;

    writer_array(writer, CONTENT_FIELDS);
    writer_name(writer, file->cluster);
    writer_name(writer, file->name);
    writer_id(writer, &record->id);
    writer_number(writer, record->lineage);
    writer_number(writer, record->state);
    writer_number(writer, record->promise.epoch);
    writer_id(writer, &record->promise.life);
    writer_number(writer, record->lease_ms);
    writer_number(writer, record->hold_ms);
    writer_number(writer, record->writes);
    if (record->accepted == NULL) {
        writer_nil(writer);
    } else {
        body_write_view(writer, record->accepted);
    }
}

size_t voter_file_write(uint8_t *out, const struct voter_file *file)
{
    const uint32_t members = file->record.accepted == NULL ? 0
                                                           : file->record.accepted->member_count;
    struct writer writer;

    memcpy(out, MAGIC, MAGIC_BYTES);
    out[MAGIC_BYTES] = FILE_VERSION;
    writer_init(&writer, out + HEADER_BYTES, voter_file_bytes_max(members) - HEADER_BYTES);
    write_content(&writer, file);

    const size_t length = (size_t)(writer.at - out);
    uint64_t checksum = checksum_of(out, length);
    for (size_t i = CHECKSUM_BYTES; i-- > 0; checksum >>= 8) {
        out[length + i] = (uint8_t)checksum;
    }
    return length + CHECKSUM_BYTES;
}

static void read_content(struct reader *reader, struct view *view, struct voter_file *file)
{
    struct vote_record *record = &file->record;

    reader_fields(reader, CONTENT_FIELDS);
    reader_name(reader, file->cluster);
    reader_name(reader, file->name);
    record->id = reader_id(reader);
    record->lineage = reader_number(reader, 0, UINT64_MAX);
    record->state = (enum record_state)reader_number(reader, VOTE_RECORD_FOUNDING,
                                                     VOTE_RECORD_RETIRED);
    record->promise.epoch = reader_number(reader, 0, COUNTER_MAX);
    record->promise.life = reader_id_or_nil(reader);
    record->lease_ms = reader_number(reader, 0, LEASE_MS_MAX);
    record->hold_ms = reader_number(reader, 0, LEASE_MS_MAX);
    record->writes = reader_number(reader, 0, UINT64_MAX);
    if (!reader_accept_nil(reader)) {
        body_read_view(reader, view);
        record->accepted = view;
    }
}

/* The hash of everything in front of the last eight bytes. */
static bool checksum_holds(const uint8_t *bytes, size_t length)
{
    uint64_t checksum = 0;

    for (size_t i = length - CHECKSUM_BYTES; i < length; i++) {
        checksum = checksum << 8 | bytes[i];
    }
    return checksum == checksum_of(bytes, length - CHECKSUM_BYTES);
}

_Static_assert((int)VOTER_FILE_FORMAT_BYTES == (int)HEADER_BYTES,
               "the version is the last byte of the header");

uint8_t voter_file_format(const uint8_t *bytes, size_t length)
{
    return length >= HEADER_BYTES && memcmp(bytes, MAGIC, MAGIC_BYTES) == 0 ? bytes[MAGIC_BYTES]
                                                                            : 0;
}

enum voter_file_error voter_file_read(const uint8_t *bytes, size_t length, struct view *view,
                                      struct voter_file *file)
{
    memset(file, 0, sizeof *file);
    if (length < HEADER_BYTES + CHECKSUM_BYTES || memcmp(bytes, MAGIC, MAGIC_BYTES) != 0) {
        return length > 0 ? VOTER_FILE_OTHER : VOTER_FILE_DAMAGED;
    }
    if (bytes[MAGIC_BYTES] != FILE_VERSION) {
        return VOTER_FILE_OTHER;
    }
    if (!checksum_holds(bytes, length)) {
        return VOTER_FILE_DAMAGED;
    }
    struct reader reader = {.bytes = bytes, .length = length - CHECKSUM_BYTES, .at = HEADER_BYTES};
    read_content(&reader, view, file);
    const bool whole = reader.error == WIRE_OK && reader.at == reader.length;
    const bool sound = file->record.accepted == NULL || view_is_sound(view) ||
                       view_is_sound_of_founders(view);
    return whole && sound ? VOTER_FILE_OK : VOTER_FILE_DAMAGED;
}
