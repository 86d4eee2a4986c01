/* Named roles (K): who stands for one, what a holder is given, and what the two sides say. */
#ifndef CORE_ROLE_H
#define CORE_ROLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "base/utf8.h"
#include "core/model/id.h"
#include "core/model/limits.h"

/* Who of a role's candidates is to hold it (K6). On the wire and in recordings: append only. */
enum role_policy {
    ROLE_FIRST = 1,    /* the lowest number */
    ROLE_OLDEST = 2,   /* whose member is the oldest */
    ROLE_PRIORITY = 3, /* the highest priority */
    ROLE_EACH = 4,     /* each of them, with a token of its own; also those who are drained */
};

/* What all candidates of one role must agree on (K6c). */
struct role_terms {
    enum role_policy policy;
    uint32_t holders;          /* 1 to ROLE_HOLDERS_MAX may hold it at once */
    bool preempt;              /* a better candidate takes the place of a holder, */
    uint32_t preempt_after_ms; /* once it has stood for so long (K6e); without preempt 0 */

    /* "KEY" or "KEY=VALUE": whose member has no such tag holds nothing (K6b). Empty: none is
     * needed. */
    char need[ROLE_NEED_BYTES_MAX + 1];
};

/* May that be the need of a role? It need not end with a zero. */
static inline bool role_need_is_sound(const char *text, size_t length)
{
    return length > 0 && length <= ROLE_NEED_BYTES_MAX && text[0] != '=' &&
           utf8_is_printable(text, length);
}

static inline bool role_terms_equal(const struct role_terms *a, const struct role_terms *b)
{
    return a->policy == b->policy && a->holders == b->holders && a->preempt == b->preempt &&
           a->preempt_after_ms == b->preempt_after_ms && text_equal(a->need, b->need);
}

/* One who stands for a role, as its member tells it. */
struct role_entry {
    struct node_id request; /* drawn by the client: the same one finds the same candidate (K5a) */
    char role[NAME_BYTES_MAX + 1];
    struct role_terms terms;
    uint32_t priority;
    uint64_t number; /* its place in the order of coming (K5a); 0: none yet */
    uint64_t token;  /* of the grant that it holds; 0: it holds nothing */
};

/* Numbers and tokens: an epoch, and what the coordinator of that epoch counts (K1b). */
enum { ROLE_SERIAL_BITS = 24 };
#define ROLE_SERIAL_MAX ((UINT64_C(1) << ROLE_SERIAL_BITS) - 1)
#define ROLE_EPOCH_MAX ((UINT64_C(1) << (63 - ROLE_SERIAL_BITS)) - 1)
#define ROLE_TOKEN_MAX INT64_MAX

static inline uint64_t role_token(uint64_t epoch, uint64_t serial)
{
    return epoch << ROLE_SERIAL_BITS | serial;
}

static inline uint64_t role_token_epoch(uint64_t token)
{
    return token >> ROLE_SERIAL_BITS;
}

/* What the coordinator says of one candidate. On the wire: append only. */
enum role_order {
    ROLE_KEEP = 0,        /* it has that number, and that token if it is not 0 */
    ROLE_LET_GO = 1,      /* it is to let go of that token */
    ROLE_OTHER_TERMS = 2, /* refused: the role's terms are others (K6c) */
    ROLE_FULL = 3,        /* refused: there are as many candidates or roles as may be (K5c) */
};

/* ROLES_ASK, ROLES_ENTER, ROLES_LET_GO to the coordinator; ROLES_ANSWER, ROLES_PLACE to a member.
 */
struct role_word {
    uint64_t epoch;   /* of the view under which it is said */
    uint64_t stamp;   /* ASK, ENTER: the member's clock, in ms; ANSWER, PLACE: of the question that
                         is answered; 0: of none */
    uint64_t held_ms; /* ANSWER, PLACE: for so long from the stamp on a grant is held (K3a) */
    uint32_t count;   /* ASK: how many candidates the member has */
    uint64_t hash;    /* ASK: of them all */
    bool flag;        /* ANSWER: the coordinator has the same; LET_GO: the candidate has resigned */
    enum role_order order;   /* PLACE */
    struct role_entry entry; /* ENTER: whole; PLACE: request, number, token; LET_GO: request,
                                   token */
};

/* --- Between a node and its clients --- */

/* In recordings: append only. */
enum role_wish {
    ROLE_CAMPAIGN = 1, /* stand for that role */
    ROLE_RESIGN = 2,   /* do not any more: the client has ended, and all that it did as holder */
    ROLE_DONE = 3,     /* the client has heard that it lost, and has stopped */
    ROLE_OUTGROW = 4,  /* the coordinator's own client can draw no token under this epoch (K4e) */
};

struct role_command {
    enum role_wish wish;
    struct node_id request;

    /* CAMPAIGN */
    char role[NAME_BYTES_MAX + 1];
    struct role_terms terms;
    uint32_t priority;
    uint64_t grace_ms; /* for so long the client has time to stop, unless the guard is strict */
};

enum role_news_kind {
    ROLE_WAITS, /* it is a candidate, under that number */
    ROLE_LEADS, /* it holds the role, with that token */
    ROLE_TOKEN, /* it goes on holding it, with a new token (K8) */
    ROLE_LOST,  /* it does not any more: to be answered with ROLE_DONE */
    ROLE_ENDED, /* it is no candidate any more: neither resigned nor to be answered */
};

enum role_reason {
    ROLE_NOT_LOST,
    ROLE_LAPSED,    /* LOST: no answer of a coordinator came in time */
    ROLE_REVOKED,   /* LOST: another is to hold it */
    ROLE_MERGED,    /* LOST: this part was taken up by another (K8) */
    ROLE_LEAVING,   /* LOST, ENDED: this node leaves */
    ROLE_LIFE_OVER, /* ENDED: this life is no member any more */
    ROLE_NO_MEMBER, /* ENDED: this node is no member, or about to leave */
    ROLE_MANY,      /* ENDED: as many candidates or roles as may be */
    ROLE_TERMS,     /* ENDED: the role has other terms */
};

struct role_news {
    struct node_id request;
    enum role_news_kind kind;
    enum role_reason reason;
    uint64_t number; /* WAITS */
    uint64_t token;  /* LEADS, TOKEN; LOST: of what was lost */
};

#endif
