/* What passes between nodes that have not shown each other a key: challenges, which make a sender
 * show that it gets what is sent to its address, before anything of it is opened; and hints, by
 * which nodes with different keys tell people so. Nothing of it is authentic, so nothing of it
 * changes what the node decides, and no answer is longer than what it answers. */
#ifndef RUNTIME_STRANGERS_H
#define RUNTIME_STRANGERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/model/limits.h"
#include "runtime/frames/frame_reader.h"
#include "runtime/frames/traffic.h"
#include "runtime/process/log.h"
#include "seal/keyring.h"
#include "seal/note.h"

enum {
    CONTACTS_MAX = 64,
    CHALLENGES_PER_S = 10000,
    HINTS_PER_S = 8,
    HINTED_MAX = 16,               /* sources that are remembered for one second each */
    STRANGERS_SAY_MS = 60000,      /* of each kind of line, one in that time */
    STRANGERS_WORDS_MAX = 200,     /* bytes of what is said, with the zero */
    STRANGERS_WORDS_MS = 15 * 1000 /* how long that describes the present */
};

/* An address that something was sent to without knowing who lives there. */
struct contact {
    struct address to;
    uint64_t sent_ms;   /* 0: none */
    uint64_t cookie_ms; /* when it gave the cookie; 0: none */
    uint8_t cookie[COOKIE_BYTES];
    uint16_t length; /* of `datagram`; 0: a challenge was answered with it, or it was plain */
    uint8_t datagram[DATAGRAM_BYTES_MAX];
};

/* What may be done so often in each second. */
struct per_second {
    uint64_t second;
    uint32_t count;
};

/* Takes one of so many in this second, if there is one left. */
bool per_second_take(struct per_second *taken, uint32_t most, uint64_t now_ms);

enum stranger_kind { STRANGER_PLAIN, STRANGER_OTHER_KEY, STRANGER_KINDS };

typedef void strangers_send(void *context, const struct address *to, const uint8_t *bytes,
                            size_t length);

struct strangers {
    const uint8_t *header; /* of plain frames */
    struct log *log;
    struct node_traffic *traffic;
    strangers_send *send;
    void *context;
    uint8_t secret[COOKIE_SECRET_BYTES];
    struct contact *contacts; /* CONTACTS_MAX; NULL: whoever lives somewhere is sent nothing */
    struct per_second challenges;
    struct per_second hints;
    struct address hinted[HINTED_MAX];
    uint64_t hinted_ms[HINTED_MAX];
    uint32_t hinted_next;
    uint64_t said_ms[STRANGER_KINDS]; /* when a line of that kind was logged; 0: never */
    uint64_t answered_ms;             /* the same of what a hint said */
    char words[STRANGERS_WORDS_MAX];  /* the latest of those */
    uint64_t words_ms;
};

/* `strangers` is zeroed, but for `contacts`; what is passed is borrowed for its life; `secret` is
 * drawn by chance. */
void strangers_open(struct strangers *strangers, const uint8_t *header,
                    const uint8_t secret[COOKIE_SECRET_BYTES], struct log *log,
                    struct node_traffic *traffic, strangers_send *send, void *context);

/* A datagram to whoever lives at `to` is about to be sent: returns it with the cookie that is known
 * for that address, and keeps it for a challenge. Valid until the next call. */
struct bytes strangers_sent(struct strangers *strangers, const struct address *to,
                            struct bytes datagram, uint64_t now_ms);

/* Does this sealed datagram, which is for whoever lives here, show that its source is its sender's?
 * If not, the source is challenged. */
bool strangers_is_proved(struct strangers *strangers, const struct address *source,
                         struct bytes datagram, uint64_t now_ms);

/* Answers a frame that has no key of this node's ring, which may be empty, with a hint, and logs
 * it.
 */
void strangers_refused(struct strangers *strangers, const struct address *source,
                       struct bytes datagram, const struct keyring *ring, uint64_t now_ms);

/* Acts on a note. */
void strangers_on_note(struct strangers *strangers, const struct address *source,
                       struct bytes datagram, const struct keyring *ring, uint64_t now_ms);

/* Is it a note, or no plain frame and no sealed one either? */
bool strangers_is_note(struct bytes datagram);

/* What a hint said lately, for people: "" if nothing. */
const char *strangers_words(const struct strangers *strangers, uint64_t now_ms);

#endif
