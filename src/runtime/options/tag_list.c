#include "runtime/options/tag_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "partition/crew.h"

enum { PRIORITY_DIGITS_MAX = 9 };

/* Where the tag with that key begins; the length of all tags if there is none. */
static size_t find(const struct tags *tags, const char *key, size_t length)
{
    size_t at = 0;

    while (at < tags->length) {
        const char *tag = tags->text + at;
        const size_t bytes = strlen(tag) + 1;
        if (bytes > length && memcmp(tag, key, length) == 0 && tag[length] == '=') {
            break; /* With its '=', so that a longer key is another one. */
        }
        at += bytes;
    }
    return at;
}

bool tag_list_has(const struct tags *tags, const char *key, size_t length)
{
    return find(tags, key, length) < tags->length;
}

/* Puts `length` bytes in the place of the `former` ones at `at`. */
static void replace(struct tags *tags, size_t at, size_t former, const char *text, size_t length)
{
    memmove(tags->text + at + length, tags->text + at + former, tags->length - at - former);
    memcpy(tags->text + at, text, length);
    tags->length = (uint16_t)(tags->length - former + length);
}

bool tag_list_set(struct tags *tags, const char *tag, struct complaint *complaint)
{
    const char *equals = strchr(tag, '=');
    const size_t bytes = strlen(tag) + 1;

    if (equals == NULL || equals == tag) {
        return complaint_set(complaint, "'%.60s' is not a tag: write KEY=VALUE", tag);
    }
    if (memchr(tag, ' ', (size_t)(equals - tag)) != NULL) {
        return complaint_set(complaint, "the key of '%.60s' has a blank: use another character",
                             tag);
    }
    if (!utf8_is_printable(tag, bytes - 1)) {
        return complaint_set(complaint,
                             "a tag has to be UTF-8 without control characters: change it");
    }
    const size_t at = find(tags, tag, (size_t)(equals - tag));
    const size_t former = at < tags->length ? strlen(tags->text + at) + 1 : 0;
    if (tags->length - former + bytes > TAGS_BYTES_MAX) {
        return complaint_set(complaint, "the tags take more than %d bytes: shorten them",
                             TAGS_BYTES_MAX);
    }
    replace(tags, at, former, tag, bytes);
    return true;
}

static bool is_changeable(const char *key, struct complaint *complaint)
{
    return !text_equal(key, PARTITION_TAG_KEY) ||
           complaint_set(complaint, "the tag '" PARTITION_TAG_KEY "' is what --partitions says: "
                                    "start doyend with another, on all nodes");
}

bool tag_list_put(struct tags *tags, const char *key, const char *value,
                  struct complaint *complaint)
{
    char tag[TAGS_BYTES_MAX + 1];

    if (!is_changeable(key, complaint)) {
        return false;
    }
    if (key[0] == '\0' || strchr(key, '=') != NULL) {
        return complaint_set(complaint, "'%.60s' is no key: it needs a letter, and no '='", key);
    }
    const int bytes = snprintf(tag, sizeof tag, "%s=%s", key, value);
    if (bytes < 0 || (size_t)bytes >= sizeof tag) {
        return complaint_set(complaint, "the tags take more than %d bytes: shorten them",
                             TAGS_BYTES_MAX);
    }
    return tag_list_set(tags, tag, complaint);
}

/* The value of the tag `priority`; NULL: there is none. */
static const char *priority_of(const struct tags *tags)
{
    static const char key[] = "priority";
    const size_t at = find(tags, key, sizeof key - 1);

    return at < tags->length ? tags->text + at + sizeof key : NULL; /* behind its '=' */
}

uint32_t tag_list_priority(const struct tags *tags)
{
    const char *value = priority_of(tags);

    return text_is_number(value) && strlen(value) <= PRIORITY_DIGITS_MAX
               ? (uint32_t)strtoul(value, NULL, 10)
               : 0;
}

bool tag_list_may_elect(const struct tags *tags, struct complaint *complaint)
{
    const char *value = priority_of(tags);

    return value == NULL || tag_list_priority(tags) > 0 ||
           complaint_set(complaint,
                         "the tag priority=%.40s counts in elections: give a number from 1 to "
                         "999999999",
                         value);
}

bool tag_list_unset(struct tags *tags, const char *key, struct complaint *complaint)
{
    const size_t at = find(tags, key, strlen(key));

    if (!is_changeable(key, complaint)) {
        return false;
    }
    if (at < tags->length) {
        replace(tags, at, strlen(tags->text + at) + 1, "", 0);
    }
    return true;
}
