#include "garbage.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Vectors --------------------------------------------------------------------------------- */

/* Takes the bytes of one line, written in hexadecimal, behind which there may be a comment. */
static void read_line(const char *line, struct frame *frame)
{
    int used = 0;
    unsigned byte = 0;

    if (strncmp(line, "expect:", strlen("expect:")) == 0) {
        return;
    }
    while (*line != '#' && sscanf(line, " %2x%n", &byte, &used) == 1) {
        cr_assert_lt(frame->length, (size_t)FRAME_BYTES_MAX, "a vector that is too long");
        frame->bytes[frame->length++] = (uint8_t)byte;
        line += used;
        line += strspn(line, " ");
    }
}

/* 10.0.0.x, which may be somebody's, becomes 127.0.0.x. */
static void move_to_loopback(struct frame *frame)
{
    static const uint8_t from[] = {0xc4, 0x06, 10, 0, 0};

    for (size_t i = 0; i + sizeof from <= frame->length; i++) {
        if (memcmp(frame->bytes + i, from, sizeof from) == 0) {
            frame->bytes[i + 2] = 127;
        }
    }
}

const struct frame *garbage_vector(const char *name, struct frame *out)
{
    char path[512];
    char line[4096];

    *out = (struct frame){.length = 0};
    snprintf(path, sizeof path, "%s/%s", VECTORS_DIR, name);
    FILE *file = fopen(path, "re");
    cr_assert(file != NULL, "no vector %s", path);
    while (fgets(line, sizeof line, file) != NULL) {
        read_line(line, out);
    }
    fclose(file);
    move_to_loopback(out);
    return out;
}

static int is_vector(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);

    return length > 4 && strcmp(entry->d_name + length - 4, ".txt") == 0;
}

struct garbage *garbage_new(uint64_t seed)
{
    struct garbage *garbage = calloc(1, sizeof *garbage);
    struct dirent **entries = NULL;
    const int count = scandir(VECTORS_DIR, &entries, is_vector, alphasort);

    cr_assert(garbage != NULL && count > 0, "no vectors in %s", VECTORS_DIR);
    garbage->state = seed;
    for (int i = 0; i < count; i++) {
        if (garbage->frame_count < FRAMES_MAX) {
            garbage_vector(entries[i]->d_name, &garbage->frames[garbage->frame_count++]);
        }
        free(entries[i]);
    }
    free(entries);
    return garbage;
}

/* --- Chance ---------------------------------------------------------------------------------- */

/* splitmix64 (Steele, Lea, Flood, 2014). */
static uint64_t next_number(struct garbage *garbage)
{
    uint64_t z = garbage->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t garbage_below(struct garbage *garbage, uint64_t bound)
{
    return next_number(garbage) % bound;
}

void garbage_noise(struct garbage *garbage, uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        bytes[i] = (uint8_t)next_number(garbage);
    }
}

/* Changes up to four bytes, most often behind the header. */
static void flip(struct garbage *garbage, struct frame *frame)
{
    for (uint64_t i = 1 + garbage_below(garbage, 4); i > 0 && frame->length > 0; i--) {
        const size_t skip = frame->length > 16 && garbage_below(garbage, 8) > 0 ? 16 : 0;
        const size_t at = skip + garbage_below(garbage, frame->length - skip);
        frame->bytes[at] = (uint8_t)next_number(garbage);
    }
}

void garbage_frame(struct garbage *garbage, struct frame *out)
{
    const struct frame *vector = &garbage->frames[garbage_below(garbage, garbage->frame_count)];

    *out = *vector;
    switch (garbage_below(garbage, 8)) {
    case 0:
        out->length = garbage_below(garbage, FRAME_BYTES_MAX);
        garbage_noise(garbage, out->bytes, out->length);
        break;
    case 1: /* Noise behind a good header. */
        garbage_noise(garbage, out->bytes + 16, FRAME_BYTES_MAX - 16);
        out->length = 16 + garbage_below(garbage, FRAME_BYTES_MAX - 16);
        break;
    case 2:
        out->length = garbage_below(garbage, out->length + 1);
        break;
    case 3: /* Two in one. */
        if (out->length + vector->length <= FRAME_BYTES_MAX) {
            memcpy(out->bytes + out->length, vector->bytes, vector->length);
            out->length += vector->length;
        }
        break;
    case 4:
        break;
    default:
        flip(garbage, out);
        break;
    }
}
