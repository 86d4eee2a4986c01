/* A member's tags as one text. */
#ifndef WORDS_TAGS_TEXT_H
#define WORDS_TAGS_TEXT_H

#include "core/core.h"

/* With its end; each tag's own end becomes a comma. */
enum { TAGS_TEXT_MAX = TAGS_BYTES_MAX + 1 };

/* Writes "zone=eu,role=db", "" without any. */
void tags_text(const struct tags *tags, char out[TAGS_TEXT_MAX]);

#endif
