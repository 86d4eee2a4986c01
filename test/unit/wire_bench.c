#include "wire_bench.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct wire *wire;
struct samples *samples;
struct vector *vector;

void wire_bench_begin(void)
{
    wire = wire_new(SAMPLE_CLUSTER, SAMPLE_CAPACITY);
    samples = samples_new();
    vector = calloc(1, sizeof *vector);
    cr_assert(wire != NULL && vector != NULL);
}

void wire_bench_end(void)
{
    wire_free(wire);
    samples_free(samples);
    free(vector);
}

enum wire_error wire_decode_copy(struct wire *codec, const uint8_t *bytes, size_t length,
                                 struct message *message)
{
    uint8_t *copy = malloc(length == 0 ? 1 : length);
    cr_assert_not_null(copy);
    memcpy(copy, bytes, length);
    enum wire_error error = wire_decode(codec, copy, length, message);
    free(copy);
    return error;
}

enum wire_error wire_reads(const uint8_t *bytes, size_t length)
{
    struct message message;

    memset(&message, 0, sizeof message);
    return wire_decode_copy(wire, bytes, length, &message);
}

void wire_encodes_back(struct wire *codec, const uint8_t *bytes, size_t length,
                       const struct message *message)
{
    size_t length_again;
    const unsigned flags = (message->fellow ? WIRE_FELLOW : 0U) |
                           (message->relay ? WIRE_RELAY : 0U) |
                           (message->handed_on ? WIRE_HANDED_ON : 0U);
    const uint8_t *again = wire_encode(codec, message,
                                       &(struct wire_copy){.to = &message->to,
                                                           .flags = flags,
                                                           .version = (uint8_t)(bytes[3] >> 4),
                                                           .echo = message->echo},
                                       &length_again);

    cr_assert_eq(length_again, length);
    cr_assert_eq(memcmp(again, bytes, length), 0);
}

void wire_bench_golden(const char *about)
{
    struct vector *file = malloc(sizeof *file);
    cr_assert_not_null(file);

    if (getenv("DOYEN_WRITE_VECTORS") != NULL) {
        vector_write(vector, about);
    }
    vector_read(file, vector->name);
    cr_assert_eq(file->expect, vector->expect, "%s", vector->name);
    cr_assert_eq(file->length, vector->length, "%s", vector->name);
    cr_assert_eq(memcmp(file->bytes, vector->bytes, file->length), 0, "%s", vector->name);
    free(file);
}

struct node_id wire_bench_life(uint8_t first)
{
    struct node_id id;

    for (uint8_t i = 0; i < sizeof id.bytes; i++) {
        id.bytes[i] = (uint8_t)(first + i);
    }
    return id;
}
