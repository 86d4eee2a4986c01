/* One of each message, and of each way to be refused, for the tests of the codec and for the
 * golden bytes in proto/vectors, which are made from these (see test_wire.c). */
#ifndef TEST_UNIT_WIRE_SAMPLES_H
#define TEST_UNIT_WIRE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/message.h"
#include "proto/wire.h"

enum {
    SAMPLE_CAPACITY = 8, /* of the codecs that read and write the samples */
    SAMPLES_MAX = 80,
};

#define SAMPLE_CLUSTER "doyen"

/* A message that is in order. */
struct sample {
    const char *name; /* of its file */
    const char *about;
    struct message message;
    struct node_id to;
    unsigned flags; /* of enum wire_flags */
};

struct samples {
    uint32_t count;
    struct sample items[SAMPLES_MAX];
    struct view alone;   /* the founder's, with one member */
    struct view settled; /* three members and two that are gone */
    struct view merged;  /* of both */
    void *alone_storage;
    struct view drained; /* its only member is drained (E7) */
    void *drained_storage;
    struct view speaking; /* its members speak other versions than 1 (J2c) */
    void *speaking_storage;
    struct view changed; /* its terms are being changed (A2) */
    void *changed_storage;
    struct view voted; /* its voters are being changed (Z11) */
    void *voted_storage;
    struct view founders; /* names the voters with whom a cluster is founded (Z13a) */
    void *founders_storage;
    void *settled_storage;
    void *merged_storage;
};

struct samples *samples_new(void);
void samples_free(struct samples *samples);
const struct sample *samples_find(const struct samples *samples, const char *name);

/* How a refusal is made: a piece of a sample's frame is cut out and other bytes put there. */
enum edit_unit {
    EDIT_BYTES,  /* `at` and `cut` count bytes of the frame */
    EDIT_TOKENS, /* they count MessagePack tokens behind the header */
};

#define CUT_REST SIZE_MAX

struct wire_refusal {
    const char *name;
    enum wire_error expect;
    const char *about;
    const char *base; /* name of the sample */
    enum edit_unit unit;
    size_t at;
    size_t cut;
    const char *hex;
};

extern const struct wire_refusal wire_refusals[];
extern const size_t wire_refusal_count;

#endif
