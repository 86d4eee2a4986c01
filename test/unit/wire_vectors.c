#include "wire_vectors.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/token.h"

enum {
    PATH_BYTES = 4096,
    LINE_BYTES = 4096,
    DEPTH_MAX = 8,
};

static const char *const error_names[WIRE_ERROR_COUNT] = {
    [WIRE_OK] = "ok",
    [WIRE_SHORT] = "WIRE_SHORT",
    [WIRE_MAGIC] = "WIRE_MAGIC",
    [WIRE_OTHER_VERSION] = "WIRE_OTHER_VERSION",
    [WIRE_FLAGS] = "WIRE_FLAGS",
    [WIRE_OTHER_CLUSTER] = "WIRE_OTHER_CLUSTER",
    [WIRE_TYPE] = "WIRE_TYPE",
    [WIRE_SHAPE] = "WIRE_SHAPE",
    [WIRE_BOUND] = "WIRE_BOUND",
    [WIRE_TRAILING] = "WIRE_TRAILING",
    [WIRE_BASE] = "WIRE_BASE",
    [WIRE_RESULT] = "WIRE_RESULT",
};

static void set_name(struct vector *vector, const char *name)
{
    cr_assert(strlen(name) < VECTOR_NAME_MAX);
    strcpy(vector->name, name);
}

static FILE *vector_open(const char *name, const char *mode)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "%s/%s.txt", VECTORS_DIR, name);
    FILE *file = fopen(path, mode);
    cr_assert_not_null(file, "%s cannot be opened", path);
    return file;
}

/* --- Making --- */

void vector_of_sample(struct vector *vector, struct wire *wire, const struct sample *sample)
{
    const struct wire_copy copy = {
        .to = &sample->to, .flags = sample->flags, .echo = sample->message.echo};
    const uint8_t *frame = wire_encode(wire, &sample->message, &copy, &vector->length);

    cr_assert(vector->length <= sizeof vector->bytes);
    memcpy(vector->bytes, frame, vector->length);
    set_name(vector, sample->name);
    vector->expect = WIRE_OK;
}

/* Where the token of this number begins; the end, if it is the first that is not there. */
static size_t token_offset(const struct vector *vector, size_t number)
{
    size_t at = WIRE_HEADER_BYTES;
    struct token token;

    while (number-- > 0) {
        cr_assert_eq(token_read(vector->bytes, vector->length, &at, &token), WIRE_OK, "%s",
                     vector->name);
    }
    return at;
}

void vector_edit(struct vector *vector, enum edit_unit unit, size_t at, size_t cut,
                 const uint8_t *bytes, size_t length)
{
    size_t start = unit == EDIT_BYTES ? at : token_offset(vector, at);
    size_t end = vector->length;
    if (cut != CUT_REST) {
        end = unit == EDIT_BYTES ? at + cut : token_offset(vector, at + cut);
    }
    size_t rest = vector->length - end;

    cr_assert(start + length + rest <= sizeof vector->bytes);
    memmove(vector->bytes + start + length, vector->bytes + end, rest);
    memcpy(vector->bytes + start, bytes, length);
    vector->length = start + length + rest;
}

static int digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* Appends the bytes of `hex`, in which spaces count for nothing. Returns the new length. */
static size_t hex_append(const char *hex, uint8_t *bytes, size_t length, size_t size)
{
    for (; *hex != '\0'; hex++) {
        if (isspace((unsigned char)*hex)) {
            continue;
        }
        cr_assert(isxdigit((unsigned char)hex[0]) && isxdigit((unsigned char)hex[1]), "at %s", hex);
        cr_assert(length < size);
        bytes[length++] = (uint8_t)(digit(hex[0]) << 4 | digit(hex[1]));
        hex++;
    }
    return length;
}

void vector_of_refusal(struct vector *vector, struct wire *wire, const struct samples *samples,
                       const struct wire_refusal *refusal)
{
    uint8_t bytes[256];
    size_t length = hex_append(refusal->hex, bytes, 0, sizeof bytes);

    vector_of_sample(vector, wire, samples_find(samples, refusal->base));
    vector_edit(vector, refusal->unit, refusal->at, refusal->cut, bytes, length);
    set_name(vector, refusal->name);
    vector->expect = refusal->expect;
}

/* --- Writing --- */

static void write_hex(FILE *file, const struct vector *vector, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        fprintf(file, i == from ? "%02x" : " %02x", vector->bytes[i]);
    }
}

static void write_header(FILE *file, const struct vector *vector)
{
    static const struct {
        size_t end;
        const char *text;
    } parts[] = {{2, "magic"}, {3, "form"}, {4, "flags"}, {8, "echo"}, {16, "cluster"}};
    size_t at = 0;

    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && at < vector->length; i++) {
        size_t end = parts[i].end < vector->length ? parts[i].end : vector->length;
        write_hex(file, vector, at, end);
        fprintf(file, "  # %s\n", parts[i].text);
        at = end;
    }
}

static void write_meaning(FILE *file, const struct token *token)
{
    switch (token->kind) {
    case TOKEN_NIL:
        fputs("  # nil\n", file);
        return;
    case TOKEN_BOOL:
        fputs(token->number != 0 ? "  # true\n" : "  # false\n", file);
        return;
    case TOKEN_UNSIGNED:
        fprintf(file, "  # %" PRIu64 "\n", token->number);
        return;
    case TOKEN_TEXT:
        fprintf(file, "  # \"%.*s\"\n", (int)token->number, (const char *)token->bytes);
        return;
    case TOKEN_BYTES:
        fprintf(file, "  # %" PRIu64 " bytes\n", token->number);
        return;
    case TOKEN_ARRAY:
        fprintf(file, "  # array of %" PRIu64 "\n", token->number);
        return;
    }
}

/* One token to a line, the items of an array indented. What is no token comes as it is. */
static void write_body(FILE *file, const struct vector *vector)
{
    uint64_t left[DEPTH_MAX] = {0};
    unsigned depth = 0;
    size_t at = WIRE_HEADER_BYTES;
    struct token token;

    while (at < vector->length) {
        size_t start = at;
        bool is_token = token_read(vector->bytes, vector->length, &at, &token) == WIRE_OK;

        fprintf(file, "%*s", (int)(2 * depth), "");
        write_hex(file, vector, start, is_token ? at : vector->length);
        if (!is_token) {
            fputc('\n', file);
            return;
        }
        write_meaning(file, &token);
        if (token.kind == TOKEN_ARRAY && token.number > 0) {
            cr_assert(depth + 1 < DEPTH_MAX);
            left[++depth] = token.number;
            continue;
        }
        while (depth > 0 && --left[depth] == 0) {
            depth--;
        }
    }
}

void vector_write(const struct vector *vector, const char *about)
{
    FILE *file = vector_open(vector->name, "w");

    fprintf(file, "# %s: %s\n", vector->name, about);
    fprintf(file, "expect: %s\n\n", error_names[vector->expect]);
    write_header(file, vector);
    write_body(file, vector);
    cr_assert_eq(fclose(file), 0);
}

/* --- Reading --- */

static enum wire_error error_of_name(const char *name)
{
    for (unsigned i = 0; i < WIRE_ERROR_COUNT; i++) {
        if (strcmp(error_names[i], name) == 0) {
            return (enum wire_error)i;
        }
    }
    cr_assert_fail("no such expectation: %s", name);
    return WIRE_ERROR_COUNT;
}

void vector_read(struct vector *vector, const char *name)
{
    static const char expect[] = "expect: ";
    char line[LINE_BYTES];
    FILE *file = vector_open(name, "r");

    set_name(vector, name);
    vector->expect = WIRE_ERROR_COUNT;
    vector->length = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "#\n")] = '\0';
        if (strncmp(line, expect, strlen(expect)) == 0) {
            vector->expect = error_of_name(line + strlen(expect));
        } else {
            vector->length = hex_append(line, vector->bytes, vector->length, sizeof vector->bytes);
        }
    }
    cr_assert_neq(vector->expect, WIRE_ERROR_COUNT, "%s does not say what to expect", name);
    fclose(file);
}

size_t vectors_list(char names[VECTOR_FILES_MAX][VECTOR_NAME_MAX])
{
    size_t count = 0;
    DIR *folder = opendir(VECTORS_DIR);
    cr_assert_not_null(folder, "no folder %s", VECTORS_DIR);

    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        size_t length = strlen(entry->d_name);
        if (length <= 4 || strcmp(entry->d_name + length - 4, ".txt") != 0) {
            continue;
        }
        cr_assert(count < VECTOR_FILES_MAX && length - 4 < VECTOR_NAME_MAX);
        memcpy(names[count], entry->d_name, length - 4);
        names[count++][length - 4] = '\0';
    }
    closedir(folder);
    return count;
}
