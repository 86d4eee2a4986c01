#include "control/text/text_builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BUILDER_SIZE_MIN = 256 };

void text_builder_deinit(struct text_builder *builder)
{
    free(builder->bytes);
    *builder = (struct text_builder){0};
}

void text_builder_clear(struct text_builder *builder)
{
    builder->length = 0;
    builder->failed = false;
}

static bool text_builder_reserve(struct text_builder *builder, size_t more)
{
    if (builder->failed) {
        return false;
    }
    if (builder->size - builder->length >= more) {
        return true;
    }

    size_t size = builder->size < TEXT_BUILDER_SIZE_MIN ? TEXT_BUILDER_SIZE_MIN : builder->size;
    while (size - builder->length < more) {
        if (size > SIZE_MAX / 2) {
            builder->failed = true;
            return false;
        }
        size *= 2;
    }
    char *bytes = realloc(builder->bytes, size);
    if (bytes == NULL) {
        builder->failed = true;
        return false;
    }
    builder->bytes = bytes;
    builder->size = size;
    return true;
}

void text_builder_add_bytes(struct text_builder *builder, const char *bytes, size_t length)
{
    if (length > 0 && text_builder_reserve(builder, length)) {
        memcpy(builder->bytes + builder->length, bytes, length);
        builder->length += length;
    }
}

void text_builder_add(struct text_builder *builder, const char *text)
{
    text_builder_add_bytes(builder, text, strlen(text));
}

void text_builder_add_u64(struct text_builder *builder, uint64_t value)
{
    if (text_builder_reserve(builder, DECIMAL_DIGITS_MAX)) {
        builder->length += decimal_write(builder->bytes + builder->length, value);
    }
}

void text_builder_format(struct text_builder *builder, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);

    /* vsnprintf needs one byte more, for its zero. */
    if (length < 0 || !text_builder_reserve(builder, (size_t)length + 1)) {
        builder->failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(builder->bytes + builder->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    builder->length += (size_t)length;
}

static int add_dumped(const char *bytes, size_t length, void *builder)
{
    text_builder_add_bytes(builder, bytes, length);
    return 0;
}

void text_builder_add_json(struct text_builder *builder, json_t *value)
{
    if (value == NULL ||
        json_dump_callback(value, add_dumped, builder, JSON_COMPACT | JSON_ENCODE_ANY) != 0) {
        builder->failed = true;
    }
    json_decref(value);
}

size_t decimal_write(char *to, uint64_t value)
{
    char digits[DECIMAL_DIGITS_MAX];
    size_t count = 0;

    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    for (size_t i = 0; i < count; i++) {
        to[i] = digits[count - 1 - i];
    }
    return count;
}
