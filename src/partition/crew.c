#include "partition/crew.h"

#include <string.h>

#include "base/text.h"

/* The value of the first tag of that key; NULL: there is none. */
static const char *value_of(const struct member *member, const char *key)
{
    const struct tags *tags = member_tags(member);
    const size_t key_bytes = strlen(key);

    for (size_t at = 0; at < tags->length; at += strlen(tags->text + at) + 1) {
        const char *text = tags->text + at;
        if (strncmp(text, key, key_bytes) == 0 && text[key_bytes] == '=') {
            return text + key_bytes + 1;
        }
    }
    return NULL;
}

/* Reads digits and moves behind them. False where there are none, or more than `most` comes of
 * them, or they could be written shorter. */
static bool read_number(const char **at, uint32_t most, uint32_t *number)
{
    const char *first = *at;

    *number = 0;
    while (**at >= '0' && **at <= '9' && *number <= most) {
        *number = *number * 10 + (uint32_t)(**at - '0');
        (*at)++;
    }
    return *at != first && *number <= most && (*first != '0' || *at == first + 1);
}

struct partition_terms partition_terms_of(const struct member *member)
{
    const struct partition_terms none = {.partitions = 0};
    const char *at = value_of(member, PARTITION_TAG_KEY);
    struct partition_terms terms;
    uint32_t backups;

    if (at == NULL || !read_number(&at, PARTITIONS_MAX, &terms.partitions) || *at++ != '+' ||
        !read_number(&at, PARTITION_COPIES_MAX - 1, &backups) || *at != '\0') {
        return none;
    }
    terms.copies = 1 + backups;
    return terms.partitions == 0 ? none : terms;
}

static bool same_terms(const struct partition_terms *a, const struct partition_terms *b)
{
    return a->partitions == b->partitions && a->copies == b->copies;
}

/* Appends the members that are drained, or are not. */
static void add_members(struct crew *crew, const struct view *view, bool drained,
                        const char **zones)
{
    for (uint32_t i = 0; i < view->member_count && crew->all < PARTITION_MEMBERS_MAX; i++) {
        const struct member *member = &view->members[i];
        const struct partition_terms terms = partition_terms_of(member);
        if (member->drained == drained && same_terms(&terms, &crew->terms)) {
            zones[crew->all] = value_of(member, PARTITION_ZONE_KEY);
            crew->lives[crew->all++] = member->id;
        }
    }
}

/* Members that say the same zone are in one; those who say none are in one, too. */
static void number_zones(struct crew *crew, const char *const *zones)
{
    uint16_t next = 0;

    for (uint32_t i = 0; i < crew->count; i++) {
        uint32_t other = 0;
        while (other < i &&
               (zones[i] == NULL || zones[other] == NULL ? zones[i] != zones[other]
                                                         : !text_equal(zones[i], zones[other]))) {
            other++;
        }
        crew->members[i] = (struct partition_member){
            .before = (uint16_t)i, .zone = other < i ? crew->members[other].zone : next++};
    }
}

void crew_read(struct crew *crew, const struct view *view)
{
    const char *zones[PARTITION_MEMBERS_MAX]; /* borrowed from the view */

    crew->count = 0;
    crew->all = 0;
    crew->terms = (struct partition_terms){.partitions = 0};
    for (uint32_t i = 0; i < view->member_count && crew->terms.partitions == 0; i++) {
        crew->terms = partition_terms_of(&view->members[i]);
    }
    if (crew->terms.partitions == 0) {
        return;
    }
    add_members(crew, view, false, zones);
    crew->count = crew->all;
    add_members(crew, view, true, zones);
    crew->count = crew->count > 0 ? crew->count : crew->all;
    number_zones(crew, zones);
}

uint16_t crew_find(const struct crew *crew, const struct node_id *life, uint32_t hint)
{
    for (uint32_t i = 0; i < crew->all; i++) {
        const uint32_t place = (hint + i) % crew->all;
        if (id_equal(&crew->lives[place], life)) {
            return (uint16_t)place;
        }
    }
    return PARTITION_NOBODY;
}
