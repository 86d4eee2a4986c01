#include "client/sse.h"

#include <assert.h>
#include <string.h>

bool sse_feed(struct sse_reader *reader, const void *bytes, size_t length)
{
    if (reader->broken) {
        return false;
    }
    if (reader->at > 0) {
        buffer_drop(&reader->input, reader->at);
        reader->at = 0;
    }
    if (!buffer_append(&reader->input, bytes, length)) {
        reader->broken = true;
    }
    return !reader->broken;
}

/* Is the field at the line's beginning this one? Then `*value` is what follows the colon and the
 * one space that may stand there. */
static bool parse_field(const char *line, size_t length, const char *field, const char **value,
                        size_t *value_length)
{
    const size_t field_length = strlen(field);
    size_t skip = field_length;

    if (length < field_length || memcmp(line, field, field_length) != 0) {
        return false;
    }
    if (length > skip) {
        if (line[skip] != ':') {
            return false;
        }
        skip++;
    }
    if (length > skip && line[skip] == ' ') {
        skip++;
    }
    *value = line + skip;
    *value_length = length - skip;
    return true;
}

static void parse_line(struct sse_reader *reader, const char *line, size_t length)
{
    const char *value = NULL;
    size_t value_length = 0;
    bool stored = true;

    if (parse_field(line, length, "data", &value, &value_length)) {
        if (reader->has_data) {
            stored = buffer_append(&reader->data, "\n", 1);
        }
        stored = stored && buffer_append(&reader->data, value, value_length);
        reader->has_data = true;
    } else if (parse_field(line, length, "event", &value, &value_length)) {
        buffer_clear(&reader->name);
        stored = buffer_append(&reader->name, value, value_length);
    } else if (parse_field(line, length, "id", &value, &value_length)) {
        buffer_clear(&reader->id);
        stored = buffer_append(&reader->id, value, value_length);
    }
    /* Anything else is a comment, which keeps the connection awake, or a field of the future. */

    if (!stored) {
        reader->broken = true;
    }
}

static void start_event(struct sse_reader *reader)
{
    buffer_clear(&reader->name);
    buffer_clear(&reader->data);
    reader->has_data = false;
    reader->dispatched = false;
}

bool sse_next(struct sse_reader *reader, struct sse_event *event)
{
    if (reader->dispatched) {
        start_event(reader);
    }

    while (!reader->broken && reader->at < reader->input.length) {
        const char *line = reader->input.bytes + reader->at;
        const char *end = memchr(line, '\n', reader->input.length - reader->at);
        if (end == NULL) {
            return false;
        }

        size_t length = (size_t)(end - line);
        reader->at += length + 1;
        assert(reader->at <= reader->input.length);
        if (length > 0 && line[length - 1] == '\r') {
            length--;
        }
        if (length > 0) {
            parse_line(reader, line, length);
        } else if (reader->has_data) {
            reader->dispatched = true;
            event->id = buffer_text(&reader->id);
            event->name = reader->name.length == 0 ? "message" : buffer_text(&reader->name);
            event->data = buffer_text(&reader->data);
            return true;
        } else {
            start_event(reader);
        }
    }
    return false;
}

void sse_init(struct sse_reader *reader, const struct allocator *memory)
{
    *reader = (struct sse_reader){
        .input.memory = memory, .id.memory = memory, .name.memory = memory, .data.memory = memory};
}

void sse_deinit(struct sse_reader *reader)
{
    buffer_deinit(&reader->input);
    buffer_deinit(&reader->id);
    buffer_deinit(&reader->name);
    buffer_deinit(&reader->data);
    sse_init(reader, reader->input.memory);
}
