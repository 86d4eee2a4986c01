#include "cli/print/member_format.h"

#include <assert.h>
#include <string.h>

enum piece_kind {
    PIECE_END,
    PIECE_LETTER,
    PIECE_FIELD,
    PIECE_UNCLOSED,       /* a brace without its partner */
    PIECE_UNKNOWN_FIELD,  /* `text` */
    PIECE_UNKNOWN_ESCAPE, /* a backslash before something else, or before nothing */
};

struct piece {
    enum piece_kind kind;
    char letter;
    struct member_field field;
    const char *text; /* what a fault is about, in the format; not ended by a zero */
    size_t length;
};

static void take_escape(struct piece *piece, const char *at)
{
    static const char escapes[] =
        "n\nt\t\\\\{{"; /* what stands behind the backslash, and for what */

    piece->kind = PIECE_UNKNOWN_ESCAPE;
    for (size_t i = 0; i + 1 < sizeof escapes && at[1] != '\0'; i += 2) {
        if (at[1] == escapes[i]) {
            piece->kind = PIECE_LETTER;
            piece->letter = escapes[i + 1];
        }
    }
    piece->length = at[1] == '\0' ? 1 : 2;
}

static void take_field(struct piece *piece, const char *at)
{
    const char *end = strchr(at, '}');

    if (end == NULL) {
        piece->kind = PIECE_UNCLOSED;
        piece->length = strlen(at);
        return;
    }
    piece->length = (size_t)(end - at) + 1;
    piece->kind = member_field_parse(&piece->field, at + 1, piece->length - 2)
                      ? PIECE_FIELD
                      : PIECE_UNKNOWN_FIELD;
}

/* Takes the piece at `at` and returns what follows it. */
static const char *take(struct piece *piece, const char *at)
{
    piece->text = at;
    if (*at == '\0') {
        piece->kind = PIECE_END;
        piece->length = 0;
    } else if (*at == '\\') {
        take_escape(piece, at);
    } else if (*at == '{') {
        take_field(piece, at);
    } else {
        piece->kind = PIECE_LETTER;
        piece->letter = *at;
        piece->length = 1;
    }
    return at + piece->length;
}

bool member_format_is_sound(const char *format, char fault[MEMBER_FORMAT_FAULT_MAX])
{
    enum { QUOTED_MAX = 64 };
    struct piece piece;

    for (const char *at = take(&piece, format);; at = take(&piece, at)) {
        const int quoted = piece.length < QUOTED_MAX ? (int)piece.length : QUOTED_MAX;
        switch (piece.kind) {
        case PIECE_END:
            return true;
        case PIECE_LETTER:
        case PIECE_FIELD:
            break;
        case PIECE_UNCLOSED:
            snprintf(fault, MEMBER_FORMAT_FAULT_MAX,
                     "%.*s has no closing brace; \\{ is the brace itself", quoted, piece.text);
            return false;
        case PIECE_UNKNOWN_FIELD:
            snprintf(fault, MEMBER_FORMAT_FAULT_MAX, "%.*s is not known: the fields are %s", quoted,
                     piece.text, MEMBER_FIELD_NAMES);
            return false;
        case PIECE_UNKNOWN_ESCAPE:
            snprintf(fault, MEMBER_FORMAT_FAULT_MAX,
                     "%.*s means nothing: there are \\n, \\t, \\\\ and \\{", quoted, piece.text);
            return false;
        }
    }
}

static void write_value(FILE *out, const struct member_field *field, const struct member_row *row)
{
    char text[MEMBER_FIELD_TEXT_MAX];

    (void)member_field_text(text, field, row);
    for (const char *c = text; *c != '\0'; c++) {
        fputc((unsigned char)*c < ' ' || *c == 0x7f ? '?' : *c, out);
    }
}

void member_format_write(FILE *out, const char *format, const struct member_row *row)
{
    struct piece piece;
    bool ended = false;

    for (const char *at = take(&piece, format); piece.kind != PIECE_END; at = take(&piece, at)) {
        assert(piece.kind == PIECE_LETTER || piece.kind == PIECE_FIELD);
        ended = piece.kind == PIECE_LETTER && piece.letter == '\n';
        if (piece.kind == PIECE_LETTER) {
            fputc(piece.letter, out);
        } else {
            write_value(out, &piece.field, row);
        }
    }
    if (!ended) {
        fputc('\n', out);
    }
}
