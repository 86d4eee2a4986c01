/* The terms, which all nodes of a cluster share, as text, in the words of the options that set
 * them. */
#ifndef WORDS_TERMS_TEXT_H
#define WORDS_TERMS_TEXT_H

#include "core/model/message.h"

/* Writes a guard as --guard has it: none, a number, or majority, without its size. */
enum { GUARD_TEXT_MAX = 32 };
void guard_text(const struct guard *guard, char out[GUARD_TEXT_MAX]);

/* Writes the voters as --voters has them: "athens,byzantium,cyrene"; empty for none. */
enum { VOTERS_TEXT_MAX = VOTERS_MAX * (NAME_BYTES_MAX + 1) };
void voters_text(const struct voters *voters, char out[VOTERS_TEXT_MAX]);

/* Writes a guard for a sentence: "majority of 5". */
void guard_words(const struct guard *guard, char out[GUARD_TEXT_MAX]);

/* Writes all terms for a sentence: "guard none, profile lan, heartbeat 250ms, ..." */
enum { TERMS_WORDS_MAX = 160 + VOTERS_TEXT_MAX };
void terms_words(const struct terms *terms, char out[TERMS_WORDS_MAX]);

/* Writes what of the terms differs, and only that: "--size 3 (here 5), --voters a,c (here a,b)";
 * cut where there is no room for all of it. */
enum { TERMS_DIFFERENCE_MAX = 256 };
void terms_difference(const struct terms *theirs, const struct terms *ours,
                      char out[TERMS_DIFFERENCE_MAX]);

/* Writes versions of the protocol for people and returns it: "1", "2-3"; "none" where they do not
 * meet. */
enum { VERSIONS_TEXT_MAX = 8 };
const char *versions_text(const struct versions *versions, char out[VERSIONS_TEXT_MAX]);

/* Returns local, lan or wan; "unknown" for a value that another node may send. */
const char *profile_text(enum profile profile);

#endif
