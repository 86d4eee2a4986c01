/* Which members doyen members shows: by state, name and tags. */
#ifndef CLI_MEMBER_FILTER_H
#define CLI_MEMBER_FILTER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { MEMBER_FILTER_MAX = 32 }; /* names, and tags, in one filter */

/* For usage errors. */
#define MEMBER_FILTER_STATES "alive, silent, suspect, behind, failed, left, moved, replaced"

/* A member passes when it has one of the states, one of the names and all of the tags; what has
 * no entry lets all pass. All zero: no filter. Texts are borrowed. */
struct member_filter {
    unsigned states; /* a bit for each */
    const char *names[MEMBER_FILTER_MAX];
    size_t name_count;
    const char *tags[MEMBER_FILTER_MAX];
    size_t tag_count;
};

/* "alive,suspect": adds these states. Returns NULL, or the first word that is none, of
 * `*length` bytes in `text`. */
const char *member_filter_add_states(struct member_filter *filter, const char *text,
                                     size_t *length);

/* Is it a pattern of fnmatch(3)? A text that is none would match nothing. */
bool member_filter_is_pattern(const char *pattern);

/* Can it match a name at all? It is a pattern. Of what stands in brackets nothing is said. */
bool member_filter_may_match(const char *pattern);

/* A pattern of fnmatch(3) for the whole name. Returns false when there are too many. */
bool member_filter_add_name(struct member_filter *filter, const char *pattern);

/* "KEY": has the tag; "KEY=VALUE": with just that value. Returns false when there are too many. */
bool member_filter_add_tag(struct member_filter *filter, const char *tag);

bool member_filter_is_set(const struct member_filter *filter);

/* Is a state among them that only those have that are gone? */
bool member_filter_asks_for_gone(const struct member_filter *filter);

bool member_filter_passes(const struct member_filter *filter, const json_t *entry);

/* Takes what does not pass out of `members` and `gone` of the document. */
void member_filter_apply(const struct member_filter *filter, json_t *document);

#endif
