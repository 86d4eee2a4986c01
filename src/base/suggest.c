#include "base/suggest.h"

#include <string.h>

#include "base/text.h"

enum {
    WORD_MAX = 40, /* no option, key or verb comes near this */
    SLIPS_MAX = 2,
    TWO_SLIPS_LENGTH_MIN = 6,

    /* Nearness, best first: one slip is likelier than a word broken off, two are less likely. */
    RANK_SAME = 0,
    RANK_ONE_SLIP = 1,
    RANK_BEGINNING = 2,
    RANK_TWO_SLIPS = 3,
    RANK_FAR = 4,
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edits between two words, where swapping two neighbours counts as one ("optimal string
 * alignment"). Three rows of the table are enough: the swap looks back two. */
static size_t slips_between(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][WORD_MAX + 1];

    for (size_t j = 0; j <= b_length; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        const size_t *before_last = rows[(i + 1) % 3];
        const size_t *last = rows[(i + 2) % 3];
        size_t *row = rows[i % 3];

        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            const size_t wrong = a[i - 1] == b[j - 1] ? 0 : 1;
            row[j] = smaller(smaller(last[j] + 1, row[j - 1] + 1), last[j - 1] + wrong);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = smaller(row[j], before_last[j - 2] + 1);
            }
        }
    }
    return rows[a_length % 3][b_length];
}

static int rank_of(const char *word, size_t word_length, const char *candidate)
{
    const size_t length = text_length(candidate, WORD_MAX + 1);

    if (length > WORD_MAX) {
        return RANK_FAR;
    }

    const size_t slips = slips_between(word, word_length, candidate, length);
    if (slips == 0) {
        return RANK_SAME;
    }
    if (slips == 1 && word_length > 1) {
        return RANK_ONE_SLIP;
    }
    if (word_length < length && memcmp(word, candidate, word_length) == 0) {
        return RANK_BEGINNING;
    }
    /* Two slips turn a short word into most others: lock is no hook, and event no elect. */
    return slips <= SLIPS_MAX && word_length >= TWO_SLIPS_LENGTH_MIN ? RANK_TWO_SLIPS : RANK_FAR;
}

const char *suggest_nearest(const char *word, const char *const *candidates, size_t count)
{
    const size_t word_length = text_length(word, WORD_MAX + 1);
    const char *nearest = NULL;
    int nearest_rank = RANK_FAR;

    if (word_length == 0 || word_length > WORD_MAX) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const int rank = rank_of(word, word_length, candidates[i]);
        if (rank < nearest_rank) {
            nearest = candidates[i];
            nearest_rank = rank;
        }
    }
    return nearest;
}
