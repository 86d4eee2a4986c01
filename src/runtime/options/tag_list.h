/* A member's tags as people change them: KEY=VALUE texts, each key once. */
#ifndef RUNTIME_TAG_LIST_H
#define RUNTIME_TAG_LIST_H

#include "core/model/member.h"
#include "runtime/options/value.h"

/* Is there a tag with that key, `length` bytes long? */
bool tag_list_has(const struct tags *tags, const char *key, size_t length);

/* Gives the key of `tag` its value, in the place of the one that it had, or else as the last one.
 * Returns false with the complaint set, and the tags as they were, when it is none or does not fit.
 */
bool tag_list_set(struct tags *tags, const char *tag, struct complaint *complaint);

/* The same of a key and its value, at run time, where the tag of --partitions stays as it is: what
 * this node keeps would not go with it. */
bool tag_list_put(struct tags *tags, const char *key, const char *value,
                  struct complaint *complaint);

/* The number of the tag `priority`, which elections compare before age; 0: there is none, or it is
 * no number up to 999999999. */
uint32_t tag_list_priority(const struct tags *tags);

/* Has it no tag `priority`, or one that elections can count? */
bool tag_list_may_elect(const struct tags *tags, struct complaint *complaint);

/* Takes the tag with that key out, at run time. What is not there need not go. */
bool tag_list_unset(struct tags *tags, const char *key, struct complaint *complaint);

#endif
