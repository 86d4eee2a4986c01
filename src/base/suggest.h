/* The word somebody probably meant: for mistyped options, keys and verbs. */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <stddef.h>

/* The candidate nearest to `word`, or NULL when none is near. Near is a candidate that one or two
 * slips turn into the word (a letter too many, missing, wrong, or two neighbours swapped:
 * Damerau and Levenshtein), or one that begins with the word. Of equally near ones the first
 * counts. The result is one of `candidates`. */
const char *suggest_nearest(const char *word, const char *const *candidates, size_t count);

#endif
