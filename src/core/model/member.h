/* What a view says of one member, and of one that is gone. */
#ifndef CORE_MEMBER_H
#define CORE_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/model/id.h"
#include "core/model/limits.h"

/* "key=value" texts, each ended by a zero byte, in the order the member gave them. Where there is a
 * pointer to const, there may be no more bytes than tags_bytes says. */
struct tags {
    uint16_t length; /* bytes used of text */
    char text[TAGS_BYTES_MAX];
};

/* Copies all but the room that is not used. */
static inline void tags_copy(struct tags *to, const struct tags *from)
{
    to->length = from->length;
    memcpy(to->text, from->text, from->length);
}

/* Of what is used of it. */
static inline size_t tags_bytes(const struct tags *tags)
{
    return offsetof(struct tags, text) + tags->length;
}

static inline bool tags_equal(const struct tags *a, const struct tags *b)
{
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* Is there a tag with that "KEY=VALUE", or with that "KEY", whatever its value? */
bool tags_have(const struct tags *tags, const char *wanted);

/* The versions of the protocol that a node speaks, both counted from 0: 0 is version 1. */
struct versions {
    uint8_t low;
    uint8_t high;
};

enum { VERSIONS_MAX = 16 }; /* as many as a frame can name */

/* Those that both speak; `low` is above `high` if there are none. */
static inline struct versions versions_common(struct versions a, struct versions b)
{
    return (struct versions){.low = a.low > b.low ? a.low : b.low,
                             .high = a.high < b.high ? a.high : b.high};
}

static inline bool versions_equal(struct versions a, struct versions b)
{
    return a.low == b.low && a.high == b.high;
}

/* Is there one that both speak? */
static inline bool versions_meet(struct versions a, struct versions b)
{
    const struct versions common = versions_common(a, b);

    return common.low <= common.high;
}

struct member {
    struct node_id id;
    struct address address;
    uint64_t age;             /* order of joining: 1 is the oldest the cluster ever had (V3) */
    bool drained;             /* does not coordinate while anybody else can (E7) */
    struct versions versions; /* of the protocol, that it speaks (J2c) */
    uint64_t incarnation;     /* how many lives this node counts, for people; decides nothing */
    char name[NAME_BYTES_MAX + 1];
    const struct tags *tags; /* NULL: none. They are kept by whoever keeps the member */
};

extern const struct tags tags_none;

static inline const struct tags *member_tags(const struct member *member)
{
    return member->tags != NULL ? member->tags : &tags_none;
}

/* Are they equal byte by byte, and their tags? Equals may differ in their padding. */
static inline bool member_repeats(const struct member *a, const struct member *b)
{
    return memcmp(a, b, offsetof(struct member, tags)) == 0 &&
           tags_equal(member_tags(a), member_tags(b));
}

/* What a watcher holds against a member (D2). On the wire: append only. */
enum verdict {
    VERDICT_NONE = 0,
    VERDICT_DEAD = 1,    /* the process is gone: its connection closed and a new one was refused */
    VERDICT_LOST = 2,    /* neither the process nor its host's kernel answers */
    VERDICT_STALLED = 3, /* the kernel answers, the process is not heard */
};

/* Why a member was removed (R5). On the wire: append only. */
enum gone_reason {
    GONE_FAILED = 1,
    GONE_LEFT = 2,
    GONE_MOVED = 3,    /* follows another coordinator (L2) */
    GONE_REPLACED = 4, /* a new life took its name or its address (I2, J4) */
    GONE_BEHIND = 5,   /* did not take up the view that the others hold (L5) */
};

struct gone {
    struct node_id id;
    struct address address;
    uint64_t age;
    char name[NAME_BYTES_MAX + 1];
    enum gone_reason reason;

    /* The evidence: which verdict, after how long a silence, and who held it, by age. */
    enum verdict verdict;
    uint32_t silent_ms;
    uint8_t accuser_count;
    uint64_t accusers[ACCUSERS_MAX];
};

#endif
