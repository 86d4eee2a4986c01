#include "control/sheet.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHEET_SIZE_MIN = 256 };

void sheet_deinit(struct sheet *sheet)
{
    free(sheet->bytes);
    *sheet = (struct sheet){0};
}

void sheet_clear(struct sheet *sheet)
{
    sheet->length = 0;
    sheet->failed = false;
}

static bool sheet_reserve(struct sheet *sheet, size_t more)
{
    if (sheet->failed) {
        return false;
    }
    if (sheet->size - sheet->length >= more) {
        return true;
    }

    size_t size = sheet->size < SHEET_SIZE_MIN ? SHEET_SIZE_MIN : sheet->size;
    while (size - sheet->length < more) {
        if (size > SIZE_MAX / 2) {
            sheet->failed = true;
            return false;
        }
        size *= 2;
    }
    char *bytes = realloc(sheet->bytes, size);
    if (bytes == NULL) {
        sheet->failed = true;
        return false;
    }
    sheet->bytes = bytes;
    sheet->size = size;
    return true;
}

void sheet_bytes(struct sheet *sheet, const char *bytes, size_t length)
{
    if (length > 0 && sheet_reserve(sheet, length)) {
        memcpy(sheet->bytes + sheet->length, bytes, length);
        sheet->length += length;
    }
}

void sheet_text(struct sheet *sheet, const char *text)
{
    sheet_bytes(sheet, text, strlen(text));
}

void sheet_u64(struct sheet *sheet, uint64_t value)
{
    if (sheet_reserve(sheet, DECIMAL_DIGITS_MAX)) {
        sheet->length += decimal_write(sheet->bytes + sheet->length, value);
    }
}

void sheet_format(struct sheet *sheet, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);

    /* One byte more, for the zero that vsnprintf insists on. */
    if (length < 0 || !sheet_reserve(sheet, (size_t)length + 1)) {
        sheet->failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(sheet->bytes + sheet->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    sheet->length += (size_t)length;
}

static int sheet_take(const char *bytes, size_t length, void *sheet)
{
    sheet_bytes(sheet, bytes, length);
    return 0;
}

void sheet_json(struct sheet *sheet, json_t *value)
{
    if (value == NULL ||
        json_dump_callback(value, sheet_take, sheet, JSON_COMPACT | JSON_ENCODE_ANY) != 0) {
        sheet->failed = true;
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
