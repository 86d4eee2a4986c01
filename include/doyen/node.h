/* A member of the cluster inside your own process, on your own libuv loop, instead of a doyend
 * beside it.
 *
 *     static void on_event(void *user, const struct doyen_event *event) { puts(event->text); }
 *
 *     const char *const seeds[] = {"10.0.0.1", "10.0.0.2", NULL};
 *     struct doyen_node_options options = {.size = sizeof options, .name = "athens",
 *                                          .seeds = seeds, .on_event = on_event};
 *     struct doyen_node *node;
 *     char why[DOYEN_NODE_WHY];
 *     if (doyen_node_start(&node, loop, &options, why) != 0) {
 *         errx(1, "%s", why);
 *     }
 *     uv_run(loop, UV_RUN_DEFAULT);
 *
 * All calls and all callbacks are of the loop's thread. A callback runs in a turn of the loop of
 * its own, never within another callback or a call, and may call everything here. The library
 * handles no signals, keeps no state for the process, and prints nothing. libuv looks up the names
 * of seeds, and writes a voter's record, in its pool of threads.
 *
 * The process must ignore SIGPIPE, because libuv does not; a loop that stands still for longer than
 * the profile's patience is a member that has failed, for the others.
 *
 * Views, members, events and errors are those of doyen/client.h, which are here as well: link with
 * libdoyen-node (pkg-config doyen-node) and without libdoyen. */
#ifndef DOYEN_NODE_H
#define DOYEN_NODE_H

#include <uv.h>

#include <doyen/client.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doyen_node;

enum {
    DOYEN_NODE_WHY = 512,     /* bytes of a refusal, with its zero */
    DOYEN_MESSAGE_MAX = 1024, /* bytes of a message to a member */
};

/* A message that the program of another member has sent. All of it is borrowed for the callback. */
struct doyen_message {
    const char *from;    /* name of the member, which was in this node's view when it came */
    const char *from_id; /* its life, as doyen_member.id */
    const void *data;
    size_t length; /* 0 to DOYEN_MESSAGE_MAX */
};

/* Texts are copied. What is not given is as for doyend, but there is no control socket. Neither the
 * environment nor a configuration file is read. */
struct doyen_node_options {
    size_t size; /* sizeof(struct doyen_node_options) */
    const char *name;
    const char *cluster;
    const char *listen; /* "10.0.0.1:7420" */
    const char *advertise;
    const char *const *seeds; /* ends with NULL; NULL: it founds a cluster alone */
    const char *state_dir;    /* NULL: volatile */
    const char *key;          /* the key file; NULL: only out of reach of strangers */
    const char *control;      /* serves a control socket at this path; NULL: none */

    /* Every other setting of doyend(8) that is about the node, as a line of its configuration file
     * has it: "profile=local", "guard=majority", "size=5", "tag=zone=eu". Ends with NULL. */
    const char *const *settings;

    /* Called in the loop for each change: how things are first (DOYEN_SNAPSHOT), and then each
     * change. NULL: nobody is told. Its return value is of no meaning here, hence void. A planned
     * hand-over waits until DOYEN_NOT_ACTING was told and the callback has returned. */
    void (*on_event)(void *user, const struct doyen_event *event);

    /* The last callback, when all is closed; the node is gone when it returns. `why` is 0 when the
     * node left in good order or was closed, else DOYEN_E_TIMEOUT: join-timeout has passed. */
    void (*on_stopped)(void *user, int why);

    /* Gets the lines of the log, with their time and level; NULL: nobody does. It may call nothing
     * of this header. */
    void (*log)(void *user, const char *line);
    void *user;

    /* Called for each message that doyen_node_send of another member has sent to this life of this
     * node. NULL: they are dropped. */
    void (*on_message)(void *user, const struct doyen_message *message);

    /* What this library hands out and keeps for that comes from here: the struct doyen_node, views,
     * events, and the messages that wait; NULL, both: malloc. `allocate` returns memory that is
     * aligned for everything, or NULL. Views that other threads release call `release` there.
     *
     * The rest, for the protocol, connections and documents, is malloc's. So is what other
     * libraries take, whose hooks are of the whole process and therefore the program's to set,
     * before its first call of anything: uv_replace_allocator of libuv, json_set_alloc_funcs of
     * jansson. libsodium and libmicrohttpd have none. */
    void *(*allocate)(void *user, size_t bytes);
    void (*release)(void *user, void *at);
};

/* Opens the sockets and begins to join; what comes of it is told by events. `loop` is borrowed
 * until on_stopped. Blocks for up to two seconds where another process holds the state directory,
 * for that one may be ending. On failure `*out` is NULL and `why` has one line that names the
 * setting and the remedy; the loop must then be run until it has nothing left to do. Returns 0, or
 *
 * DOYEN_E_USAGE: a setting cannot be used, or SIGPIPE is not ignored;
 * DOYEN_E_REFUSED: the host does not allow it, as with an address in use, or a directory that
 * cannot be written; DOYEN_E_MEMORY. */
DOYEN_API int doyen_node_start(struct doyen_node **out, uv_loop_t *loop,
                               const struct doyen_node_options *options, char why[DOYEN_NODE_WHY]);

/* How things are now, to be released; NULL when memory ran out or the node is closed. */
DOYEN_API const struct doyen_view *doyen_node_view(struct doyen_node *node);

/* May this node act now? As doyen_acting, and `right` may be NULL. */
DOYEN_API bool doyen_node_acting(const struct doyen_node *node, struct doyen_right *right);

/* Planned moves: asks the coordinator, whichever node that is, to hand over to the member of that
 * name (NULL: to the oldest other one that can); and to have the member of that name (NULL: this
 * node) not coordinate while any other can, or to take that back. What comes of it is told by
 * events. Returns 0 when it is asked or so already, else DOYEN_E_REFUSED with one line in `why`. */
DOYEN_API int doyen_node_transfer(struct doyen_node *node, const char *to,
                                  char why[DOYEN_NODE_WHY]);
DOYEN_API int doyen_node_drain(struct doyen_node *node, const char *name, bool drained,
                               char why[DOYEN_NODE_WHY]);

/* Changes this node's tags as doyen_set_tags does, but waits for nothing: DOYEN_TAGS tells when the
 * view shows it. It asks for T_leave and a second. All is copied. Returns 0 when it is asked or so
 * already, else DOYEN_E_USAGE with one line in `why` (a tag is none, or all of them take more than
 * 512 bytes), and nothing has changed. */
DOYEN_API int doyen_node_set_tags(struct doyen_node *node, const struct doyen_tag *changes,
                                  size_t count, char why[DOYEN_NODE_WHY]);

/* Sends up to DOYEN_MESSAGE_MAX bytes, which are copied, to the program of another member: `to` is
 * its id, which is one life of it, or its name. The message is one datagram,
 * from some 400 bytes on it goes by a stream, sealed as all others are where there is a key. It
 * arrives at most once; it may be lost, and overtake others. Nobody answers for it: what has to
 * arrive is sent until the other program says that it did. It is dropped there while the other node
 * has no on_message, is no member, or does not have this node in its view; when more than 1000 came
 * from this node in a second; and when 256 wait for the loop. The node counts these
 * (doyen_user_messages_refused_total, counters.user_refused). Returns 0, or, with one line in
 * `why`,
 *
 * DOYEN_E_USAGE: it is too long, or to this node itself;
 * DOYEN_E_REFUSED: this node is no member now, or there is no such member;
 * DOYEN_E_BUSY: 2000 have left in this second, or the socket takes no more now: try again later. */
DOYEN_API int doyen_node_send(struct doyen_node *node, const char *to, const void *data,
                              size_t length, char why[DOYEN_NODE_WHY]);

/* One that stands for a role: the program itself. */
struct doyen_candidate;

enum doyen_role_kind {
    DOYEN_ROLE_CANDIDATE =
        1,              /* it is listed, under that number; after a merge it may get another */
    DOYEN_ROLE_GRANTED, /* it holds the role, under that token */
    DOYEN_ROLE_TOKEN,   /* it goes on holding it, under a new token */
    DOYEN_ROLE_LOST,    /* it does not any more; it stays a candidate */
    DOYEN_ROLE_ENDED,   /* it is no candidate any more, and gone when the callback returns */
};

/* As an event of POST /v1/campaign (proto/control.md). All of it is borrowed for the callback. */
struct doyen_role_event {
    enum doyen_role_kind kind;
    const char *role;
    uint64_t number;    /* its place in the order of coming; 0: none yet */
    uint64_t token;     /* GRANTED, TOKEN; LOST: of what was lost */
    const char *reason; /* LOST, ENDED, else NULL: a word of control.md */
    const char *text;   /* the same as a clause for people */
};

/* Has this program stand for a role. What comes of it is told by `on_role`, which like all
 * callbacks runs in a turn of its own. When `on_role` returns from DOYEN_ROLE_LOST, the program
 * counts as having stopped what it did as holder. All of `campaign` is copied. Returns 0, or, with
 * `*out` NULL and one line in `why`,
 *
 * DOYEN_E_USAGE: the campaign makes no sense; DOYEN_E_REFUSED: this node is no member now;
 * DOYEN_E_MEMORY.
 *
 * `*out` is the node's: it is gone after doyen_node_resign, after DOYEN_ROLE_ENDED, and with the
 * node. */
DOYEN_API int doyen_node_campaign(struct doyen_node *node, const struct doyen_campaign *campaign,
                                  void (*on_role)(void *user, const struct doyen_role_event *event),
                                  void *user, struct doyen_candidate **out,
                                  char why[DOYEN_NODE_WHY]);

/* Does it hold the role now? By the clock, so that it is right also when the loop stood still. As
 * doyen_node_acting, but that `right->epoch` is the token. */
DOYEN_API bool doyen_candidate_holds(const struct doyen_candidate *candidate,
                                     struct doyen_right *right);

/* Changes what others read of the candidate: the `value` of doyen_campaign, which is copied; "" or
 * NULL: none. Returns 0, or DOYEN_E_USAGE with one line in `why`: it is too long, or not fit for a
 * line of a terminal. */
DOYEN_API int doyen_candidate_set_value(struct doyen_candidate *candidate, const char *value,
                                        char why[DOYEN_NODE_WHY]);

/* Stands no more, and lets go of the role at once: the program has stopped what it did as holder.
 * It is told nothing any more. */
DOYEN_API void doyen_node_resign(struct doyen_node *node, struct doyen_candidate *candidate);

/* --- Partitions --- */

/* What the program may go by when this node owns a partition ("partitions=271" of `settings`). */
struct doyen_owned {
    uint64_t token;       /* to act under: what is acted on has to refuse a lower one */
    uint64_t left_ns;     /* for so long the partition is this node's at least */
    uint64_t deadline_ns; /* the same as a moment of CLOCK_BOOTTIME */
    bool advisory;        /* the guard cannot rule out that another acts as well */
    uint64_t reserved[4];
};

/* Does this node own that partition now? It does not let go of what it answered yes to before
 * `left_ns` is over, or doyen_node_partitions_done is called: so look before each act, and act for
 * less than that. `owned`, which may be NULL, is all zero when the answer is no; so it is without
 * partitions, and for a number beyond the last. */
DOYEN_API bool doyen_node_owns(struct doyen_node *node, uint32_t partition,
                               struct doyen_owned *owned);

/* The program is ready for these, which this node is to own ("partitions-ready=DUR"); and goes by
 * none of these any more. NULL: all; numbers beyond the last are left out. */
DOYEN_API void doyen_node_partitions_ready(struct doyen_node *node, const uint32_t *partitions,
                                           size_t count);
DOYEN_API void doyen_node_partitions_done(struct doyen_node *node, const uint32_t *partitions,
                                          size_t count);

/* Leaves in good order; on_stopped follows. Harmless when repeated. */
DOYEN_API void doyen_node_leave(struct doyen_node *node);

/* Closes everything at once, for the others as a crash; on_stopped follows. Harmless when repeated.
 */
DOYEN_API void doyen_node_close(struct doyen_node *node);

#ifdef __cplusplus
}
#endif

#endif
