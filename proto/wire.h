/* The codec: struct message <-> bytes, as wire.md says. Refuses what wire.md does not have; what
 * it accepts is within every bound of core/limits.h, but may still be nonsense: the core decides.
 */
#ifndef PROTO_WIRE_H
#define PROTO_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/message.h"
#include "proto/wire_error.h"
#include "proto/wire_version.h"

enum {
    WIRE_FORM = 1, /* of a plain frame; src/seal has the others */
    WIRE_HEADER_BYTES = 16,
};

/* The versions of the protocol that are spoken here, counted from 0. */
struct versions wire_versions(void);

/* Is that version of the protocol, counted from 1, read here? Version 1 always is: it is what those
 * speak who are not members together. */
bool wire_speaks(unsigned version);

/* Holds the decoded view and the encoding buffer; nothing is allocated after wire_new. */
struct wire;

/* For messages of the cluster `cluster` and views of up to `capacity` members. NULL: no memory. */
struct wire *wire_new(const char *cluster, uint32_t capacity);
void wire_free(struct wire *wire);

/* The same for another cluster, in the memory of `other`, which goes last: what either has decoded
 * or encoded is valid until the next call with any of them. */
struct wire *wire_new_beside(const char *cluster, const struct wire *other);

/* The views that this node holds, borrowed, as they are at that moment: the one that it has
 * installed, against which changes are written and read (U3b), and the one that it has accepted as
 * a voter, against which they are read, too. NULL, as at first: there is none. */
void wire_set_bases(struct wire *wire, const struct view *installed, const struct view *accepted);

/* The first WIRE_HEADER_BYTES of every frame of this cluster, with no flag set and no echo. */
const uint8_t *wire_header(const struct wire *wire);

/* The number that stands for its cluster in the header of a frame, plain or sealed, of
 * WIRE_HEADER_BYTES. */
uint64_t wire_cluster(const uint8_t *header);

/* WIRE_OK, or why nothing with this header is read. */
enum wire_error wire_check_header(const struct wire *wire, const uint8_t *bytes, size_t length);

/* Of a header that was checked: has it neither a flag nor an echo? */
bool wire_header_is_bare(const struct wire *wire, const uint8_t *bytes);

/* Longest frame this codec reads or writes, in bytes: that of a MERGE with a view filled to the
 * last tag, some 39 kB for the gone and the voters, and 640 bytes for each member of the capacity.
 */
size_t wire_frame_bytes_max(const struct wire *wire);

/* Decodes one frame, complete before anything is returned. `message` is valid, and the view it
 * may point to is, until the next wire_decode; fields that this type of message does not have are
 * zero. `message->source` is left alone. After a refusal `message` holds nothing of use. */
enum wire_error wire_decode(struct wire *wire, const uint8_t *bytes, size_t length,
                            struct message *message);

/* How many messages were read that had fields of a later version, which were skipped. */
uint64_t wire_skipped(const struct wire *wire);

/* What differs between the copies of one message, besides the receiver. */
enum wire_flags {
    WIRE_FELLOW = 1,    /* message.fellow */
    WIRE_RELAY = 4,     /* message.relay */
    WIRE_HANDED_ON = 8, /* message.handed_on */
};

/* One copy of a message. */
struct wire_copy {
    const struct node_id *to; /* NULL: whoever lives there */
    unsigned flags;           /* of enum wire_flags */
    uint32_t echo;            /* message.echo */
    uint8_t version;          /* of the protocol, counted from 0; at most WIRE_VERSION_HIGH - 1 */
    bool brief;               /* its view as a change of the base, where that is short (U3b) */
};

/* Encodes one copy of a message. Returns the frame, valid until the next wire_encode, and its
 * length in `*length`. Cannot fail for a message that is within the bounds; asserts that its lists
 * are and that the frame fits. The message may point to the view of the last one decoded. */
const uint8_t *wire_encode(struct wire *wire, const struct message *message,
                           const struct wire_copy *copy, size_t *length);

/* The same for one more copy of a message that was encoded before, unchanged since, and the base
 * too: writes only what differs between the two, unless another one was encoded in between. Whole
 * and brief copies may take turns. */
const uint8_t *wire_encode_copy(struct wire *wire, const struct message *message,
                                const struct wire_copy *copy, size_t *length);

/* How long a brief copy of that message is; 0: there is none, the whole view goes out. */
size_t wire_brief_bytes(struct wire *wire, const struct message *message);

#endif
