/* What the files of the liar share; all others use liar.h alone. */
#ifndef SIM_LIAR_PARTS_H
#define SIM_LIAR_PARTS_H

#include "cluster.h"
#include "liar.h"

enum {
    STRANGERS = 4, /* ids that strangers use again and again */
};

/* In the incarnation of one member of each view that is made up, so that it is like no other. */
#define MARK (UINT64_C(1) << 40)

struct forged {
    uint64_t hash; /* 0: free place */
    bool stranger;
};

struct liar {
    struct wire *wire;
    void *storage;
    struct view view; /* the last one that was made up */
    struct node_id strangers[STRANGERS];
    uint64_t told;
    uint64_t told_of[MESSAGE_TYPE_COUNT];
    bool betrayed;    /* one was told in a member's name */
    bool succeeds;    /* one told of a later history, and may be asked for it */
    bool pauses;      /* nobody goes on */
    uint64_t *tokens; /* that were named in the coordinator's name */
    size_t token_count;
    struct forged *forged;
    size_t forged_count;
    size_t forged_places;
    struct going_on {
        struct lies lies;
        struct random random;
        uint64_t end_us;
    } * goings_on;
    uint32_t going_on_count;
};

/* What one lie is made of. */
struct teller {
    struct sim *sim;
    struct liar *liar;
    struct random *random;
    bool stranger;
    bool forges;
    bool to_limits;   /* see struct lie */
    bool asks_record; /* as whoever is no member does */
    struct host *to;
    const struct host *from;  /* NULL: a stranger */
    const struct view *known; /* what the receiver holds, or others; may be empty */
    struct message *message;
};

static inline uint64_t draw(struct teller *teller, uint64_t low, uint64_t high)
{
    return random_between(teller->random, low, high);
}

static inline bool chance(struct teller *teller, uint64_t one_in)
{
    return draw(teller, 1, one_in) == 1;
}

static inline uint64_t near(struct teller *teller, uint64_t base)
{
    return base + draw(teller, 0, 3);
}

/* --- liar.c --- */

/* That view is made up, `stranger`: by one under an id that nobody knew. */
void liar_remember(struct liar *liar, uint64_t hash, bool stranger);

/* --- liar_values.c --- */

uint64_t lie_leap(struct teller *teller, uint64_t base);

/* Where nobody lives, yet in the cluster's network. */
struct address lie_nowhere(struct teller *teller);

struct node_id lie_fresh_id(struct teller *teller);
const struct host *lie_any_running(struct teller *teller);

/* Of a member, mostly. */
struct node_id lie_any_id(struct teller *teller);
struct address lie_any_address(struct teller *teller);
struct terms lie_any_terms(struct teller *teller);
struct view_id lie_known_id(struct teller *teller);

/* Of another founding; or one that was recovered from the known one, by a clock that may be wrong
 * (Z18). */
uint64_t lie_any_lineage(struct teller *teller);
struct view_id lie_any_view_id(struct teller *teller);

/* --- liar_views.c --- */

void lie_name_member(struct member *member, const struct host *host);

/* Sound, mostly: what is not is looked at by the tests of the codec. */
struct rules lie_any_rules(struct teller *teller);
uint64_t lie_any_terms_number(struct teller *teller, uint64_t number);
struct node_id lie_any_record(struct teller *teller);

/* `first`: who coordinates by it; NULL: whoever does. */
struct view *lie_make_view(struct teller *teller, const struct host *first);

/* Of the liar, or of anybody. */
const struct host *lie_some_maker(struct teller *teller);

/* --- liar_lies.c --- */

void lie_tell_kind(struct teller *teller, enum lie_kind kind);

/* --- liar_strict.c --- */

/* What is added to the message under guard strict. */
void lie_under_strict(struct teller *teller);

#endif
