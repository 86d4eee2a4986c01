/* What the nodes of one cluster share, in the words of the options that set it. */
#ifndef WORDS_TERMS_TEXT_H
#define WORDS_TERMS_TEXT_H

#include "core/message.h"

/* A guard as --guard has it: none, a number, or majority, which leaves out of how many. */
enum { GUARD_TEXT_MAX = 32 };
void guard_text(const struct guard *guard, char out[GUARD_TEXT_MAX]);

/* The same for a sentence: "majority of 5". */
void guard_words(const struct guard *guard, char out[GUARD_TEXT_MAX]);

/* All of them for a sentence: "guard none, profile lan, heartbeat 250ms, ..." */
enum { TERMS_WORDS_MAX = 160 };
void terms_words(const struct terms *terms, char out[TERMS_WORDS_MAX]);

/* local, lan or wan; "unknown" for what another node may tell of. */
const char *profile_text(enum profile profile);

#endif
