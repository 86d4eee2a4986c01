/* Well-formed frames that lie: views that nobody made, and messages in the name of others, with
 * numbers as wild as you like. Made with the codec, and, for who holds the cluster's key, sealed
 * with it. */
#ifndef FORGE_FORGE_H
#define FORGE_FORGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FORGED_BYTES_MAX = 1500,
    FORGE_KEY_BYTES = 32,
    FORGE_ANYBODY = -1, /* in the name of a life that no view holds */
};

struct forger;

/* Sends from a socket of its own at that IPv4 address. NULL: no memory, no socket, or no libsodium.
 */
struct forger *forger_new(const char *host);
void forger_free(struct forger *forger);

/* Seals what it sends from now on with the first key of the file; NULL: with none. False when the
 * file holds no key. */
bool forger_use_key(struct forger *forger, const char *path);

/* The bytes of the file's first key. False when it holds none. */
bool forge_read_key(const char *path, uint8_t out[FORGE_KEY_BYTES]);

/* Has whoever lives at that port challenge the forger, and keeps the cookie: what it sends there
 * from now on to whoever lives there is opened. It holds the key. False: no challenge came within
 * `limit_ms`. */
bool forger_prove(struct forger *forger, uint16_t port, uint64_t limit_ms);

/* One frame as it would be sent. */
struct forged_frame {
    size_t length;
    uint8_t bytes[FORGED_BYTES_MAX];
};

/* From now on frames are written there instead of being sent; NULL: they are sent. */
void forger_keep(struct forger *forger, struct forged_frame *frame);

/* Makes of a sealed frame to whoever lives there one for a life whose id begins with that byte, and
 * whose tag does not hold: all that it costs its receiver is to find that out. */
void forger_spoil(struct forged_frame *frame, uint8_t first_of_id);

/* Asks the node at that port, whose life is `id` (32 hexadecimal digits), for its view, until it
 * answers or `limit_ms` have passed. What is forged from now on differs from that view. */
bool forger_learn(struct forger *forger, uint16_t port, const char *id, uint64_t limit_ms);

/* Terms that nobody agreed on, of that number: no guard, and the rest as it says. */
struct forged_terms {
    uint64_t number;
    uint32_t capacity;
    uint64_t heartbeat_ms;
    uint64_t lost_ms;
};

/* How the forged view differs from the one that was learned; all zero: not at all. Its hash is
 * right. */
struct forged_view {
    uint64_t epoch_above; /* added to the epoch */
    uint64_t version_above;
    uint64_t next_age; /* 0: as it was */
    bool alone;        /* the coordinator is its only member */
    int beside;        /* with `alone`: this one besides it, by its place; 0: nobody */
    const struct forged_terms *terms; /* that come with it; NULL: as they were */
    uint32_t invented; /* members that are added, all of them at the port `invented_at` */
    uint16_t invented_at;
};

/* Members are named by their place in the view that was learned, the coordinator is 0; `as` may be
 * FORGE_ANYBODY. Each call sends one frame to the member `to`. */
void forger_view(struct forger *forger, int as, int to, const struct forged_view *view);
void forger_prepare(struct forger *forger, int as, int to, const struct forged_view *view);
void forger_commit(struct forger *forger, int as, int to, const struct forged_view *view);
void forger_hand_over(struct forger *forger, int as, int to, const struct forged_view *view);
void forger_claim(struct forger *forger, int as, int to, uint64_t epoch_above);
void forger_tags(struct forger *forger, int as, int to, const char *text);
void forger_leave(struct forger *forger, int as, int to, uint64_t number);
void forger_not_following(struct forger *forger, int as, int to, uint64_t epoch_above,
                          uint64_t number);

/* A heartbeat of that number, which names the view that was learned, perhaps under a wrong hash. */
void forger_heartbeat(struct forger *forger, int as, int to, uint64_t number, bool wrong_hash);

/* Questions: for the view, by a PULL or a heartbeat that names the one before it; to another
 * member, whether `subject` lives; and to be taken up with a part that lives at the port
 * `answer_to`. */
void forger_pull_as(struct forger *forger, int as, int to);
void forger_fall_behind(struct forger *forger, int as, int to, uint64_t number);
void forger_ask_about(struct forger *forger, int as, int to, int subject);
void forger_merge(struct forger *forger, int as, int to, uint16_t answer_to);

/* A message of an election: `subject` leads, says `as`, in a round of the view that was learned.
 * With `wild`, another kind each time, and everything in it drawn at random. */
void forger_leader(struct forger *forger, int as, int to, int subject, uint64_t attempt);
void forger_wild_election(struct forger *forger, int as, int to);

/* A message of owners under the epoch that was learned: another kind each time, and everything else
 * in it drawn at random. */
void forger_wild_owners(struct forger *forger, int as, int to);

/* Uses up the numbers of the sealed frames of `as` at `to`: more than a receiver remembers of a
 * sender, all far above its own. The forger holds the key, and seals under that life. */
void forger_use_up_numbers(struct forger *forger, int as, int to);

/* What a stranger can send to whoever lives at that port: a PULL, an OFFER or a refusal to whoever
 * asked to be let in, a JOIN that asks for its answer at the port `answer_to`, which is refused for
 * its terms when they are other than usual, and, where a view was learned, a PROBE of another part
 * of the cluster, which does too. */
void forger_pull(struct forger *forger, uint16_t port);
void forger_offer(struct forger *forger, uint16_t port);
void forger_refuse_entry(struct forger *forger, uint16_t port);
void forger_join(struct forger *forger, uint16_t port, uint16_t answer_to);
void forger_join_otherwise(struct forger *forger, uint16_t port, uint16_t answer_to);
void forger_probe(struct forger *forger, uint16_t port, uint16_t answer_to);

#endif
