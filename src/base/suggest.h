/* Suggests the word that was probably meant, for mistyped options, keys and verbs. */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <stddef.h>

/* Returns the candidate nearest to `word`, one of `candidates`, or NULL when none is near. A
 * candidate is near if one or two typing errors turn it into the word (a letter too many, missing
 * or wrong, or two neighbours swapped: Damerau and Levenshtein), or if it begins with the word. Of
 * equally near ones the first is chosen. */
const char *suggest_nearest(const char *word, const char *const *candidates, size_t count);

#endif
