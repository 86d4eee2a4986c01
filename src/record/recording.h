/* The recording of one core: how it began, every input that it was given, and now and then a hash
 * of its state. The core is a pure function of its inputs, so this is all there is to its story.
 *
 *      start | input input input ... checkpoint | input ... checkpoint | end
 *
 * Numbers are unsigned LEB128 (seven bits to a byte, the lowest first), so that records need no
 * length of their own and a quiet one takes two bytes. A file may end anywhere: what was written
 * until then counts. This module knows bytes and structs; files are its callers' business. */
#ifndef RECORD_RECORDING_H
#define RECORD_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/core.h"

enum {
    RECORDING_MAGIC_BYTES = 8,
    RECORDING_VERSION = 17,        /* 1 to 16 were of starts that name other options */
    RECORDING_STRICT_VERSION = 18, /* of a node of guard strict: its start has more in it */
    RECORDING_SPEAKING = 2, /* more than that, of a node that speaks later versions: they follow */
    RECORDING_AGREED = 4,   /* more than both, of one that remembers changed terms: they follow */
    RECORDING_PROGRAM_MAX = 31,       /* bytes of the recording program's version */
    RECORDING_START_BYTES_MAX = 3072, /* of an encoded start without a voter's record */
    RECORDING_SMALL_BYTES_MAX = 64,   /* of an encoded input without its frame or addresses */
    RECORDING_ADDRESSES_MAX = 256,    /* of one input; the resolver has fewer */
    RECORDING_FRAME_BYTES_MAX =
        4 << 20, /* more than the longest frame, or record, of any capacity */
};

/* The start of a recording: the arguments of core_init, and facts for people. `options.name`,
 * `options.tags` and `options.voters` point into this struct, which must not be copied. */
struct recording_start {
    struct core_options options;
    uint64_t now_ms; /* of core_init: monotonic, from any origin */
    int64_t wall_ms; /* Unix time then, for people only */
    char name[NAME_BYTES_MAX + 1];
    char cluster[NAME_BYTES_MAX + 1];
    char program[RECORDING_PROGRAM_MAX + 1];
    struct tags tags;
    struct voters voters;

    /* What a voter found of its record, as its file has it; NULL: none. Borrowed. */
    const uint8_t *record;
    size_t record_length;
};

enum record_type {
    RECORD_TICK = 1,
    RECORD_MESSAGE = 2,
    RECORD_LINK = 3,
    RECORD_ADDRESSES = 4,
    RECORD_LEAVE = 5,
    RECORD_CHECKPOINT = 6,
    RECORD_END = 7,
    RECORD_SYNCED = 8,
    RECORD_MOVE = 9,
    RECORD_WITHDRAWN = 10,
    RECORD_GAP = 11, /* inputs between the start and here are missing */
    RECORD_ROLE = 12,
    RECORD_TAGS = 13,
    RECORD_ROLE_WITH_NEED = 14, /* RECORD_ROLE, and the tag that its holders need */
    RECORD_TERMS = 15,
};

enum recording_end {
    RECORDING_CLOSED = 1, /* the program ended */
    RECORDING_FULL = 2,   /* the file is as long as it may be */
};

/* The state after the previous input. The hash of all bytes in front distinguishes a damaged file
 * from a core that behaves differently. */
struct checkpoint {
    uint64_t state;
    uint64_t bytes;
};

/* --- Writing: each returns the bytes written to `out`, which has the room that is named --- */

/* Returns the bytes that recording_write_start may need. */
size_t recording_start_bytes_max(const struct recording_start *start);

/* Encodes the start. `options.record` is left to `record`. */
size_t recording_write_start(uint8_t *out, const struct recording_start *start);

/* Returns the bytes that recording_write_input may need. */
size_t recording_input_bytes_max(const struct event *event, size_t frame_length);

/* Encodes one input; `before_ms` is the time of the previous input, or of the start. A message is
 * recorded as its frame and source. */
size_t recording_write_input(uint8_t *out, const struct event *event, uint64_t before_ms,
                             const uint8_t *frame, size_t frame_length);

/* These need RECORDING_SMALL_BYTES_MAX each. A gap stands right behind the start and says how long
 * after it the record before the next one was. */
size_t recording_write_gap(uint8_t *out, uint64_t since_start_ms);
size_t recording_write_checkpoint(uint8_t *out, const struct checkpoint *checkpoint);
size_t recording_write_end(uint8_t *out, enum recording_end end);

/* --- Reading --- */

enum recording_error {
    RECORDING_OK = 0,
    RECORDING_TORN,    /* ends within a record: the writer was killed */
    RECORDING_MAGIC,   /* not a recording */
    RECORDING_OTHER,   /* of another version of this format */
    RECORDING_DAMAGED, /* no writer wrote this */
};
const char *recording_error_text(enum recording_error error);

/* Reads from bytes that stay the caller's. After any result but RECORDING_OK it must not be used
 * any more. */
struct recording_reader {
    const uint8_t *bytes;
    size_t length;
    size_t at; /* of the next record */
    uint64_t now_ms;
    uint64_t hash; /* of all bytes before `at` */
};

struct record {
    size_t at; /* its offset in the file */
    enum record_type type;

    /* The input. Its message is NULL: it must be decoded from `frame`, and gets `source`. Addresses
     * a role's command, tags and terms point into this struct, which must not be copied. */
    struct event event;
    const uint8_t *frame;
    size_t frame_length;
    struct address source;
    struct address addresses[RECORDING_ADDRESSES_MAX];
    struct role_command role; /* the input's, if it is one */
    struct tags tags;         /* the same */
    struct rules_wish wish;   /* the same */

    struct checkpoint checkpoint; /* RECORD_CHECKPOINT; `bytes` is known to be right */
    enum recording_end end;       /* RECORD_END */
};

/* Decodes the start. The values in `start` are within the bounds of core_init; a voter's record
 * must be decoded from `start->record`, which points into the bytes. */
enum recording_error recording_open(struct recording_reader *reader, const uint8_t *bytes,
                                    size_t length, struct recording_start *start);

/* Have all records been read? */
bool recording_is_over(const struct recording_reader *reader);

/* Reads the next record; must not be called when none is left. */
enum recording_error recording_next(struct recording_reader *reader, struct record *record);

#endif
