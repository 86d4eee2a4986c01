#include "cli/print/member_filter.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <wctype.h>

#include "cli/print/member_field.h"
#include "cli/request/document.h"

enum { GONE_STATES_FROM = 3 };

/* Those of members first; who is behind is one yet, or was removed for it. MEMBER_FILTER_STATES
 * lists them for people. */
static const char *const states[] = {"alive",  "silent", "suspect", "behind",
                                     "failed", "left",   "moved",   "replaced"};

enum { STATE_COUNT = sizeof states / sizeof states[0] };

/* The bit of a state; 0: there is none such. */
static unsigned state_bit(const char *word, size_t length)
{
    for (unsigned i = 0; i < STATE_COUNT; i++) {
        if (strlen(states[i]) == length && strncmp(states[i], word, length) == 0) {
            return 1U << i;
        }
    }
    return 0;
}

const char *member_filter_add_states(struct member_filter *filter, const char *text, size_t *length)
{
    for (const char *word = text;; word += *length + 1) {
        *length = strcspn(word, ",");
        const unsigned bit = state_bit(word, *length);
        if (bit == 0) {
            return word;
        }
        filter->states |= bit;
        if (word[*length] == '\0') {
            return NULL;
        }
    }
}

/* Has it a class of characters that there is not, as [[:foo:]]? fnmatch would match nothing. */
static bool has_unknown_class(const char *pattern)
{
    for (const char *at = pattern; (at = strstr(at, "[:")) != NULL; at += 2) {
        const char *const end = strstr(at + 2, ":]");
        char name[16];
        if (end != NULL) {
            snprintf(name, sizeof name, "%.*s", (int)(end - at - 2), at + 2);
            if (wctype(name) == 0) {
                return true;
            }
        }
    }
    return false;
}

bool member_filter_is_pattern(const char *pattern)
{
    if (has_unknown_class(pattern)) {
        return false;
    }
    for (const char *at = pattern; *at != '\0'; at++) {
        if (*at == '\\') {
            if (*++at == '\0') {
                return false;
            }
        } else if (*at == '[') {
            const char *first = at + 1 + (at[1] == '!' || at[1] == '^');
            at = *first == '\0' ? NULL
                                : strchr(first + 1, ']'); /* One that comes first is meant. */
            if (at == NULL) {
                return false;
            }
        }
    }
    return true;
}

bool member_filter_may_match(const char *pattern)
{
    static const char ordinary[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-*?]";

    for (const char *at = pattern; *at != '\0'; at++) {
        if (*at == '[') {
            const char *first = at + 1 + (at[1] == '!' || at[1] == '^');
            at = strchr(first + 1, ']');
        } else if (strchr(ordinary, *at) == NULL && *at != '\\') {
            return false;
        }
    }
    return pattern[0] != '-';
}

bool member_filter_add_name(struct member_filter *filter, const char *pattern)
{
    if (filter->name_count == MEMBER_FILTER_MAX) {
        return false;
    }
    filter->names[filter->name_count++] = pattern;
    return true;
}

bool member_filter_add_tag(struct member_filter *filter, const char *tag)
{
    if (filter->tag_count == MEMBER_FILTER_MAX) {
        return false;
    }
    filter->tags[filter->tag_count++] = tag;
    return true;
}

bool member_filter_is_set(const struct member_filter *filter)
{
    return filter->states != 0 || filter->name_count > 0 || filter->tag_count > 0;
}

bool member_filter_asks_for_gone(const struct member_filter *filter)
{
    return filter->states >> GONE_STATES_FROM != 0;
}

/* A newer daemon may have states that this command does not know: no filter names those. */
static bool passes_states(const struct member_filter *filter, const json_t *entry)
{
    const char *state = member_state(entry);
    return filter->states == 0 || (filter->states & state_bit(state, strlen(state))) != 0;
}

static bool passes_names(const struct member_filter *filter, const json_t *entry)
{
    const char *name = document_text(entry, "name", "");

    for (size_t i = 0; i < filter->name_count; i++) {
        if (fnmatch(filter->names[i], name, 0) == 0) {
            return true;
        }
    }
    return filter->name_count == 0;
}

static bool has_tag(const json_t *entry, const char *wanted)
{
    const size_t length = strcspn(wanted, "=");
    const char *value = wanted[length] == '=' ? wanted + length + 1 : NULL;
    json_t *tags = json_object_get(entry, "tags");
    const char *key = NULL;
    json_t *has = NULL;

    json_object_foreach(tags, key, has)
    {
        if (strlen(key) == length && strncmp(key, wanted, length) == 0) {
            return value == NULL ||
                   (json_is_string(has) && strcmp(json_string_value(has), value) == 0);
        }
    }
    return false;
}

bool member_filter_passes(const struct member_filter *filter, const json_t *entry)
{
    for (size_t i = 0; i < filter->tag_count; i++) {
        if (!has_tag(entry, filter->tags[i])) {
            return false;
        }
    }
    return passes_states(filter, entry) && passes_names(filter, entry);
}

static void apply_to(const struct member_filter *filter, json_t *list)
{
    for (size_t i = json_array_size(list); i-- > 0;) {
        if (!member_filter_passes(filter, json_array_get(list, i))) {
            json_array_remove(list, i);
        }
    }
}

void member_filter_apply(const struct member_filter *filter, json_t *document)
{
    apply_to(filter, json_object_get(document, "members"));
    apply_to(filter, json_object_get(document, "gone"));
}
