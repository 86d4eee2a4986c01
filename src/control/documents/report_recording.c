#include "control/documents/report_recording.h"

#include <stdlib.h>

#include "control/text/json.h"

enum { PIECE_BYTES = 2048 };

static void add_hex(struct text_builder *text, const uint8_t *bytes, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    char piece[2 * PIECE_BYTES];
    size_t used = 0;

    for (size_t i = 0; i < length; i++) {
        piece[used++] = digits[bytes[i] >> 4];
        piece[used++] = digits[bytes[i] & 15];
        if (used == sizeof piece || i + 1 == length) {
            text_builder_add_bytes(text, piece, used);
            used = 0;
        }
    }
}

void report_recording(const struct facts *facts, struct text_builder *text)
{
    size_t length = 0;
    uint8_t *recording = node_recording(facts->node, &length);

    text_builder_add(text, "{\"schema\":1,\"self\":");
    text_builder_add_json(text, json_of_word(facts->self->name));
    text_builder_add(text, ",\"recording\":");
    if (recording == NULL) {
        text_builder_add(text, "null");
    } else {
        text_builder_add(text, "\"");
        add_hex(text, recording, length);
        text_builder_add(text, "\"");
    }
    text_builder_add(text, "}\n");
    free(recording);
}
