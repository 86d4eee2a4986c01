/* Asks the doyend of this host: who is in the cluster, who coordinates, what changes, and may this
 * process act now?
 *
 *     struct doyen *d;
 *     const struct doyen_view *view;
 *     if (doyen_open(&d, NULL) != 0 || doyen_get(d, 1000, &view) != 0) {
 *         errx(1, "%s", doyen_error(d));
 *     }
 *     for (size_t i = 0; i < view->member_count; i++) {
 *         puts(view->members[i]->name);
 *     }
 *     doyen_view_release(view);
 *     doyen_close(d);
 *
 * A `struct doyen` is used by one thread at a time; different ones have nothing in common. The
 * library starts no threads, keeps no state of its own beside them, handles no signals (SIGPIPE is
 * never raised), and prints nothing.
 *
 * Functions that return int return 0, or a negative DOYEN_E_*; doyen_error has then one line that
 * names the fault and, where there is one, the remedy. Times to wait are milliseconds; a negative
 * one is for ever, as for poll, and 0 is as good as 1. Texts are UTF-8 as the daemon sent it and
 * may be another node's: mind them before a terminal.
 *
 * Structures that the caller fills in begin with their size, and those that the library fills in
 * may get further fields at their end: programs go on to work with later versions of the library.
 *
 * C99 or C++11, on Linux; link with libdoyen (pkg-config doyen). See also doyen/lease.h. */
#ifndef DOYEN_CLIENT_H
#define DOYEN_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DOYEN_API __attribute__((visibility("default")))

/* What went wrong. The command `doyen` ends with the same number where there is one for it. */
enum {
    DOYEN_OK = 0,
    DOYEN_E_REFUSED = -1,     /* the daemon refused, or is not one that may be asked */
    DOYEN_E_GUARD = -2,       /* it refused because its guard is not met */
    DOYEN_E_UNREACHABLE = -4, /* nobody is there, or it went away */
    DOYEN_E_TIMEOUT = -5,     /* no whole answer in time, or what was waited for does not hold */
    DOYEN_E_PROTOCOL = -6,    /* the answer makes no sense */
    DOYEN_E_MEMORY = -7,
    DOYEN_E_BUSY = -8,   /* not while it watches, or not from one of its callbacks */
    DOYEN_E_USAGE = -64, /* this library or the daemon cannot use what the caller gave */
};

struct doyen; /* one daemon, as one client asks it */

/* All zero but for the size is fine: `struct doyen_options options = {.size = sizeof options};`.
 * Texts are copied. */
struct doyen_options {
    size_t size;

    /* Which daemon: the path of its control socket, or http://HOST:PORT of --http, but not both.
     * With neither $DOYEN_CONTROL or $DOYEN_URL name it, else it is the only one that has its
     * socket in $XDG_RUNTIME_DIR/doyen or /run/doyen. It is looked for when it is asked. The name
     * of a HOST is resolved while the caller waits. */
    const char *control;
    const char *url;

    /* The account of the daemon, by name or number; NULL: $DOYEN_EXPECT_USER. A process at a
     * control socket is asked only if it is root's, one's own, this one's, or that of the owner of
     * /run/doyen for a socket in there. */
    const char *expect_user;

    /* How the program's own users name these three, for remedies: "--control". NULL: as here. */
    const char *control_option;
    const char *url_option;
    const char *user_option;

    /* All memory but that of the JSON library (jansson, malloc) comes from here; NULL, both:
     * malloc. `allocate` returns memory that is aligned for everything, or NULL. Where views are
     * released by other threads, both have to bear that. */
    void *(*allocate)(void *user, size_t bytes);
    void (*release)(void *user, void *at);

    /* Gets one line when a daemon goes away, or says nothing any more, and when it is back, during
     * a watch and in doyen_wait; NULL: nobody does. It may call nothing of this header. */
    void (*log)(void *user, const char *line);
    void *user; /* handed to the three */
};

/* Makes a client; `options` may be NULL. Nothing is sent yet, and no daemon has to be there. When
 * the options are unusable `*out` is there all the same, for doyen_error; it is NULL when memory or
 * descriptors ran out. Returns 0, DOYEN_E_USAGE or DOYEN_E_MEMORY. */
DOYEN_API int doyen_open(struct doyen **out, const struct doyen_options *options);

/* Gives everything back; views that are held stay. From a callback it takes effect after that.
 * NULL does nothing. */
DOYEN_API void doyen_close(struct doyen *d);

/* Why the last call failed: one line, borrowed until the next call, "" if none did. NULL is taken
 * for a client that could not be made. */
DOYEN_API const char *doyen_error(const struct doyen *d);

/* The control socket or URL of the daemon, borrowed; "" while none was found. */
DOYEN_API const char *doyen_where(const struct doyen *d);

/* The version of the library, "0.3.0". */
DOYEN_API const char *doyen_version(void);

/* --- Views --- */

struct doyen_tag {
    const char *key;
    const char *value;
};

/* One life of a member: who starts again is another one, with another id and age. */
struct doyen_member {
    const char *name;
    const char *id; /* 32 hexadecimal digits */
    const char *address;
    uint64_t incarnation;
    uint32_t age; /* order of joining: the lowest is the oldest */
    bool coordinator;
    bool suspect;     /* the node that was asked holds a verdict against it */
    bool silent;      /* that node has not heard it for longer than usual */
    bool behind;      /* it does not get the view that the others hold */
    bool drained;     /* it does not coordinate while any other can */
    int64_t heard_ms; /* since its last sign of life; -1: none yet */
    const struct doyen_tag *tags;
    size_t tag_count;
};

/* A former member that is still remembered. */
struct doyen_gone {
    const char *name;
    const char *id;
    const char *address;
    uint32_t age;
    bool left;           /* in good order */
    const char *reason;  /* "failed", "left", "moved", "replaced" or "behind" */
    const char *verdict; /* "dead", "lost" or "stalled"; NULL: none */
    uint64_t since_ms;
};

/* Who is in and who coordinates, as one node knew it at one moment. It does not change, and any
 * number of threads may read it. */
struct doyen_view {
    const char *cluster;
    const char *node;  /* the name of the node that was asked */
    const char *phase; /* "joining", "member", "leaving" or "stopped" */
    uint64_t epoch;
    uint64_t version; /* 0: the node holds no view yet */

    const struct doyen_member *const *members; /* oldest first */
    size_t member_count;
    const struct doyen_member *self;        /* NULL: it is no member */
    const struct doyen_member *coordinator; /* NULL: there is none to be named */
    const struct doyen_gone *const *gone;
    size_t gone_count;

    bool acting;   /* the node acted then; to act by it see doyen_acting */
    bool advisory; /* the guard cannot rule out that another acts as well */
    uint64_t acting_ms;

    const char *guard; /* "none", a number, "majority" or "strict" */
    uint32_t guard_needed;
    uint32_t guard_fresh;
    bool guard_met;

    const char *resume; /* for doyen_watch, to go on from here */
    const char *json;   /* the document it is made of; proto/control.md, GET /v1/members */

    /* How long ago the coordinator last said that it acts, as far as the node that was asked knows;
     * -1: nobody is known to act. */
    int64_t acting_said_ms;
};

/* Asks for the view; the caller has to release it. */
DOYEN_API int doyen_get(struct doyen *d, int timeout_ms, const struct doyen_view **out);

/* A view stays until it was released as often as it was got and retained. Both take NULL. */
DOYEN_API const struct doyen_view *doyen_view_retain(const struct doyen_view *view);
DOYEN_API void doyen_view_release(const struct doyen_view *view);

/* The member of that name, or NULL. */
DOYEN_API const struct doyen_member *doyen_view_member(const struct doyen_view *view,
                                                       const char *name);

/* --- Waiting --- */

/* All that is given has to hold. All zero but for the size asks that the node is a member. */
struct doyen_condition {
    size_t size;
    uint32_t members; /* just so many; 0: any number */
    bool at_least;    /* or more of them */
    bool acting;      /* the node that is asked */
    bool guard_met;
    const char *name; /* of a member; NULL: any */
    const char *gone; /* that no member has; NULL: any */
    const char *coordinator;
    const char *tag; /* "KEY" or "KEY=VALUE": only who has it counts as a member for `members` and
                        `name`; without these one member has it. NULL: all count */
};

/* Does it hold? If not, `missing`, which may be NULL, says in at most `bytes` what is the case
 * instead. */
DOYEN_API bool doyen_holds(const struct doyen_condition *condition, const struct doyen_view *view,
                           char *missing, size_t bytes);

/* Waits until it holds, also for a daemon that is not there yet. `out`, which may be NULL, gets the
 * view that shows it, to be released. DOYEN_E_TIMEOUT: it did not hold in time, and doyen_error
 * says what is missing; DOYEN_E_UNREACHABLE: no daemon answered all the time. */
DOYEN_API int doyen_wait(struct doyen *d, const struct doyen_condition *condition, int timeout_ms,
                         const struct doyen_view **out);

/* --- Watching --- */

enum doyen_kind {
    DOYEN_SNAPSHOT, /* how things are: first, and after a gap */
    DOYEN_JOINED,
    DOYEN_GONE,
    DOYEN_COORDINATOR, /* another one; `member` is NULL: none */
    DOYEN_ACTING,
    DOYEN_NOT_ACTING,
    DOYEN_GUARD, /* met now, or not any more */
    DOYEN_TAGS,  /* a member has other tags */
    DOYEN_VIEW,  /* a view was installed; what it brought was told before */
    DOYEN_GAP,   /* events are missing; what changed meanwhile comes next, then a snapshot */
    DOYEN_AWAY,  /* the daemon cannot be reached: what was told may be out of date */
    DOYEN_BACK,  /* it is there again */
    DOYEN_OTHER, /* see `name` */
};

/* Something that happened. Everything is borrowed for the time of the callback. */
struct doyen_event {
    enum doyen_kind kind;
    const char *name;   /* the kind as proto/control.md names it: "joined", "suspect", ... */
    const char *resume; /* go on after this event; NULL: there is nothing to go on from yet */
    const char *text;   /* a sentence for people, or "" */

    /* How things are, at least as late as this event; NULL: not known (see DOYEN_WATCH_PLAIN).
     * Retain it to keep it. */
    const struct doyen_view *view;
    const struct doyen_member *member; /* that it is about, as it is known; or NULL */
    const char *reason; /* of DOYEN_GONE as in struct doyen_gone, where it is known; else NULL */

    /* Not told by the daemon, but found by comparing the views before and after a gap. */
    bool derived;

    /* With DOYEN_GAP: nothing is known from before it, so that joins and departures in between
     * cannot be told. */
    bool lost;
    const char *json; /* what the daemon told, or NULL */
};

/* Gets one event after the other, in order, and never while it is running. It may call everything
 * of this header but doyen_watch, doyen_watch_start and doyen_step, which say DOYEN_E_BUSY.
 * Anything but 0 ends the watch and is what doyen_watch or doyen_step returns; let it be above 0.
 */
typedef int doyen_on_event(void *user, const struct doyen_event *event);

enum {
    /* End with an error when the daemon is not there, goes away, or says nothing for 15 s (it says
     * something every 5 s), instead of trying again. */
    DOYEN_WATCH_ONCE = 1,
    /* Events as the daemon tells them and nothing besides: no view, no comparison after a gap.
     * Otherwise the view is asked for when something has happened. */
    DOYEN_WATCH_PLAIN = 2,
};

/* Watches, and returns when the callback or an error ends it. Goes on over restarts of the daemon.
 * `resume`, which may be NULL, is what an earlier event had: then there is no snapshot, but the
 * events since, or a gap. */
DOYEN_API int doyen_watch(struct doyen *d, const char *resume, unsigned flags,
                          doyen_on_event *on_event, void *user);

/* The same in a loop of one's own, which nothing here blocks:
 *
 *     doyen_watch_start(d, NULL, 0, on_event, user);
 *     for (;;) {
 *         struct pollfd fd = {.fd = doyen_fd(d), .events = POLLIN};
 *         poll(&fd, 1, doyen_timeout_ms(d));
 *         if (doyen_step(d) != 0) { ... }
 *     }
 *
 * There is one watch at a time. DOYEN_E_USAGE: `resume` is no such token, a flag is not known, or
 * `on_event` is NULL. */
DOYEN_API int doyen_watch_start(struct doyen *d, const char *resume, unsigned flags,
                                doyen_on_event *on_event, void *user);

/* Ends the watch; its callback is not called any more. */
DOYEN_API void doyen_watch_stop(struct doyen *d);

/* The descriptor to poll for reading. It is the same one for the client's whole life. */
DOYEN_API int doyen_fd(const struct doyen *d);

/* For how long to poll at the most; -1: for ever. Look anew each time. */
DOYEN_API int doyen_timeout_ms(const struct doyen *d);

/* Does what can be done now, calling back. Harmless at any time. Returns 0 while the watch goes on,
 * and when there is none; else what ended it. */
DOYEN_API int doyen_step(struct doyen *d);

/* --- The right to act --- */

struct doyen_right {
    uint64_t epoch;       /* to act under: what is acted on has to refuse a lower one */
    uint64_t left_ns;     /* for so long it lasts at least, unless it is given up */
    uint64_t deadline_ns; /* the same as a moment of CLOCK_BOOTTIME */
    bool advisory;        /* the guard cannot rule out that another acts as well */
    uint64_t reserved[4];
};

/* Gets the lease page of the daemon; doyen/lease.h says what may be relied on. Not over a URL. */
DOYEN_API int doyen_lease_get(struct doyen *d, int timeout_ms);

/* May this node act now? A look into memory: the daemon is not asked, and the answer is right also
 * when it is dead or stopped. `right`, which may be NULL, is all zero when the answer is no.
 *
 * It is no while there is no page. The first call asks for it if doyen_lease_get did not, and a
 * daemon that is back after a restart is asked again, without waiting. A planned hand-over waits
 * until a call has said no, or for doyen_close, but no longer than the last right lasts: so look
 * before each act, and act for less than `left_ns`. */
DOYEN_API bool doyen_acting(struct doyen *d, struct doyen_right *right);

/* As doyen_lease_connect of doyen/lease.h: for who reads the page without this library, or hands it
 * to another process. Returns the connection and sets `page`, both descriptors the caller's, or an
 * error. */
DOYEN_API int doyen_lease_open(struct doyen *d, int timeout_ms, int *page);

/* --- Roles --- */

enum {
    DOYEN_PREEMPT_DEFAULT = 0, /* under the policy "priority" alone */
    DOYEN_PREEMPT_YES = 1,     /* a better candidate takes the place of a holder */
    DOYEN_PREEMPT_NO = 2,
};

/* What to stand for; POST /v1/campaign in proto/control.md says more. All zero but for `role` will
 * do. The texts are borrowed for the call. */
struct doyen_campaign {
    const char *role;
    const char *policy; /* "first", "oldest", "priority"; NULL: "first" */
    const char *value;  /* for others to read: where the holder is reached; NULL: none */
    uint32_t holders;   /* so many may hold it at once; 0: 1 */
    uint32_t priority;  /* under "priority" alone */
    int preempt;
    const char *need; /* "KEY" or "KEY=VALUE": who has no such tag holds nothing; NULL: all may */
    bool has_grace;
    uint64_t grace_ms;         /* between the loss and the moment at which the caller has stopped */
    uint64_t preempt_after_ms; /* the better candidate takes over once it has stood for so long */
    uint64_t reserved[3];
};

/* Stands for a role, at the daemon of this host alone. Returns a connection, which is the caller's
 * and does not block: over it come lines of JSON, one for each event, as proto/control.md has them;
 * the first one, which names the campaign, was taken. When the caller was told "lost" and has
 * stopped, it sends DOYEN_LEASE_STOPPED. The role is let go when the connection is closed by all
 * that have it: who lets a process that does the work inherit it loses the role no sooner than
 * that process ends.
 *
 * `page` is set to the descriptor of a page (doyen/lease.h) that says until when the caller holds
 * the role, with its token as the epoch; also the caller's. -1: the system has none to lend.
 *
 * Or an error: DOYEN_E_UNREACHABLE nobody is there, or it is no member yet; DOYEN_E_USAGE the
 * campaign makes no sense, or the daemon is one at a URL. */
DOYEN_API int doyen_campaign(struct doyen *d, const struct doyen_campaign *campaign, int timeout_ms,
                             int *page);

/* Has all that stand for the role at this daemon stand no more. DOYEN_E_REFUSED: nobody does. */
DOYEN_API int doyen_resign(struct doyen *d, const char *role, int timeout_ms);

/* Changes what others read of this daemon's candidates for the role: the `value` of doyen_campaign.
 * DOYEN_E_REFUSED: nobody stands for it at this daemon, or the value is no sound one;
 * DOYEN_E_USAGE: a text is missing, or not UTF-8. */
DOYEN_API int doyen_set_value(struct doyen *d, const char *role, const char *value, int timeout_ms);

/* --- Voters --- */

/* One of those who vote under guard strict. */
struct doyen_voter {
    const char *name;
    const char *state; /* "votes", "no record", "cannot write" and others of proto/control.md,
                          GET /v1/voters; NULL: it has not said */
    const char
        *record_id; /* of the record on its disk, 32 hexadecimal digits; NULL: none is known */
    bool heard;     /* the node that was asked hears it */
    bool member;    /* it is a member of the view */
    bool witness;   /* it is a doyen-witness, which is no member */
};

/* Who votes, as one node knew it at one moment. All that it points to is valid until
 * doyen_voters_release. While the voters are being changed, the numbers are of the list that lacks
 * more. */
struct doyen_voters {
    const struct doyen_voter *const *list;
    size_t count;
    bool changing;    /* the voters are being changed: `list` has those of before and of after */
    uint32_t voting;  /* how many are heard and have not said that they cannot vote */
    uint32_t needed;  /* how many it takes for anybody to act; 0: the guard is another one */
    uint32_t spare;   /* how many may be lost */
    const char *json; /* the document it is made of; proto/control.md, GET /v1/voters */
};

/* Asks for the voters. Those who have not said how they stand are asked, and waited for a moment.
 * The caller has to release what it gets. */
DOYEN_API int doyen_get_voters(struct doyen *d, int timeout_ms, const struct doyen_voters **out);

/* Takes NULL. */
DOYEN_API void doyen_voters_release(const struct doyen_voters *voters);

/* The voter of that name, or NULL. */
DOYEN_API const struct doyen_voter *doyen_voters_find(const struct doyen_voters *voters,
                                                      const char *name);

/* Has the node `with` vote in the place of the voter `name`; with NULL `name` votes on under a new
 * record, for it has lost its disk. Waits until that is settled. DOYEN_E_REFUSED: it cannot be
 * done, or nobody acts, and doyen_error has the remedy; DOYEN_E_TIMEOUT: it was not settled in
 * time, but a change that has begun goes on. Only the control socket allows it, not a URL. */
DOYEN_API int doyen_replace_voter(struct doyen *d, const char *name, const char *with,
                                  int timeout_ms);

/* --- Partitions --- */

/* The partition, from 0 on, of a key among as many as doyend was given by --partitions: the same
 * that "doyen partitions KEY" says. Asks nobody; 0 partitions: 0. Who keeps it is in
 * /v1/partitions. */
DOYEN_API uint32_t doyen_partition_of(const void *key, size_t length, uint32_t partitions);

/* --- Everything else --- */

/* Changes tags of the node that is asked, at run time: each key gets its value, in the place of the
 * one that it had; a value that is NULL removes the key. Waits until the view shows it, and so does
 * every member. It is not kept when the daemon starts again. A node's tags change once a second at
 * most. DOYEN_E_REFUSED: a tag is none, or all of them take more than 512 bytes. */
DOYEN_API int doyen_set_tags(struct doyen *d, const struct doyen_tag *changes, size_t count,
                             int timeout_ms);

/* Asks the node to leave in good order, and waits until its daemon is gone. */
DOYEN_API int doyen_leave(struct doyen *d, int timeout_ms);

/* Asks for any resource of proto/control.md: `method` is "GET" or "POST", `path` "/v1/status", with
 * its query escaped; `body` JSON or NULL. `answer`, which may be NULL, gets the document, "" where
 * the answer has none, to be freed with doyen_free. */
DOYEN_API int doyen_request(struct doyen *d, const char *method, const char *path, const char *body,
                            int timeout_ms, char **answer);
DOYEN_API void doyen_free(struct doyen *d, char *answer);

#ifdef __cplusplus
}
#endif

#endif
