/* What the parts of the simulator share: the run, its hosts, and what each part keeps of them.
 * Stories use sim.h alone. */
#ifndef SIM_CLUSTER_H
#define SIM_CLUSTER_H

#include "cache.h"
#include "clock.h"
#include "core/model/quorum.h"
#include "lifeline.h"
#include "oracle.h"
#include "proto/wire.h"
#include "record_disk.h"
#include "sim.h"

#define SIM_CLUSTER_NAME "doyen"

enum {
    LETTERS = 26,
    LOSSES_MAX = 8,           /* sim_lose in force at one time */
    TEXTS = 8,                /* answers of sim_view_text that stay valid */
    RECEIVE_BUFFER_MAX = 512, /* datagrams that a kernel keeps for a stopped process */
    RESOLVE_MS_MAX = 20,
    SEGMENT_BYTES = 1448,    /* what Ethernet carries of a stream in one packet */
    WITHDRAW_US_MAX = 50000, /* until clients have stopped, where there are any */
    SYNC_US_MAX = 5000,      /* a write of a record, from a tenth of this on */
};

/* A timer of a real loop has this granularity, and the scheduler its own ideas. */
#define TICK_LATE_US 1000U

#define US_PER_MS UINT64_C(1000)

enum { ACKS_KEPT = 4 }; /* of each host */

struct acknowledgement {
    struct node_id life;
    struct view_id view;
    uint64_t ms; /* when it came, by this host's clock */
};

/* How this host's process heard another, by its own clock. What every heartbeat touches stands
 * first. */
struct heard {
    _Alignas(CACHE_LINE) struct node_id life;
    uint64_t hash;     /* of the view that held it when it was last looked up */
    uint64_t number;   /* of its newest message: what comes later and is older proves nothing */
    uint64_t ms;       /* 0: never */
    uint64_t since_ms; /* without a silence longer than T_silent */
    uint64_t other_ms; /* what the other's clock showed at `ms` */
    uint64_t follows_number;    /* of its last heartbeat; the life keeps it while it is out */
    struct node_id follows;     /* the coordinator that it named */
    struct node_id holder;      /* the life that acknowledged a view which then was installed */
    bool doubted;               /* a heartbeat since named another; the next one will tell */
    struct node_id answerer;    /* as `holder`, whatever it said later */
    uint64_t answered_ms;       /* when that answer came */
    uint64_t answered_other_ms; /* the same by the clock of the other */
    struct node_id asked_it;    /* the life there that was sent a PING last, */
    uint64_t asked_it_ms;       /* and when */
    uint64_t highest;           /* of its messages, also of before it was out for a while */
    uint64_t highest_ms;        /* when a higher one came last that was a sign of life */
    uint64_t asked_ms;          /* when a JOIN came straight from that host last; 0: never */
    struct acknowledgement acks[ACKS_KEPT]; /* the last of them, from any life on that host */
    uint32_t ack_count;
};

/* The highest view that came with a grant, and for which claim. */
struct granted {
    uint64_t epoch;
    uint64_t decided; /* the epoch of the claim that was won last: what comes now is too late */
    struct view_id accepted;
};

/* What every event looks at stands first. */
struct host {
    uint32_t index;
    uint32_t process; /* counts the processes it has had */
    bool up;          /* its kernel answers */
    bool running;     /* it has a process */
    bool paused;
    bool leaves; /* was asked to */
    bool isolated;
    bool broken;     /* for good: agreement is expected of the others (Y6) */
    bool only_votes; /* it has a witness in place of a node */
    bool disturbed;  /* something was done to it, or its links, since its process started (S8) */
    struct address address;
    struct core *core;
    struct clock clock;
    uint64_t now_us;      /* at which moment something came to it last, */
    uint64_t now_ms;      /* and what its clock showed then */
    struct heard **heard; /* by host; NULL: nothing of it yet. See host_heard */
    uint64_t turn_us;     /* of a slow process; 0: every event at once */
    uint64_t free_us;     /* its process is at work until then (datagram_us) */
    uint64_t late_us;     /* its timers fire so late at the most; 0: as late as usual */
    uint64_t tick_at_us;  /* when the pending tick is due; UINT64_MAX: none pending */
    uint64_t tick_ticket;
    uint64_t number;         /* of the last message that it sent */
    struct ping asked;       /* the last question about somebody that it put to a helper (R1) */
    uint32_t sends_max;      /* so many messages leave it in a millisecond; 0: all */
    uint64_t sends_ms;       /* in this one, */
    uint32_t sends;          /* so many did */
    struct address shown_as; /* its datagrams seem to come from there; none: from where it is */
    uint32_t streams_max;  /* so many streams to whom it has no lifeline; 0: as many as it likes */
    uint32_t buffer_max;   /* so many datagrams wait for its process; 0: as many as by default */
    uint64_t turn_at_us;   /* for that turn of a slow one, */
    uint32_t turn_waiting; /* so many do */
    uint32_t trip_left;    /* it is killed after so many of these */
    enum message_type trip_type;
    struct guard guard;
    enum profile profile; /* these are what its next process is started with, as the guard */
    struct timing told;
    uint32_t capacity;
    struct voters voters;
    struct timing timing;   /* it goes by no shorter ones but where terms have changed */
    struct sim_terms right; /* what its configuration is to say: the sim's, or what was written */
    bool ahead;             /* that is not what its last process was started with */
    uint64_t written;       /* the number of the terms that were written down */
    struct agreed noted;    /* the changed terms that its processes wanted on disk last */
    bool forgot;            /* a process was started without them, and has none since */
    const char *tag;        /* that its next process is started with; NULL: none */
    const char *wanted_tag; /* by its operator, of the process that runs; NULL: none */
    struct versions versions;
    struct witness witness;

    uint64_t notices[SIM_NOTICE_COUNT];
    uint64_t claims[SIM_CLAIM_COUNT];
    uint64_t foundings;
    uint64_t sent[MESSAGE_TYPE_COUNT];
    struct sim_traffic traffic;
    uint64_t wire_bytes; /* sim_wire_bytes */
    uint32_t beats;      /* heartbeats that could be short */

    uint64_t touched_us; /* when its process was last stopped, continued, slowed or quickened */
    uint64_t slept_ms;   /* the longest it was stopped of late */
    uint64_t woke_us;    /* when that ended */
    uint64_t stopped_us; /* while it is paused: since when, */
    uint64_t showed_us;  /* and what its clock showed then */

    struct pending *waiting; /* for the paused process, first to last */
    struct pending *waiting_last;
    uint32_t waiting_packets;
    bool waiting_tick;

    bool has_disk;
    bool stored;
    bool disk_fails;           /* writes change nothing */
    struct record_disk record; /* of a voter */
    uint64_t date_s;           /* what its wall clock showed when the run began */
    uint32_t written_off;      /* the process whose writes never reach it any more */

    struct lifelines lifelines;
    struct granted granted;
    struct view_id shown;    /* the highest with this host in it that it was shown since its own */
    struct view_id proposal; /* the last that it made */
    uint64_t proposal_hash;

    char name[NAME_BYTES_MAX + 1];
    char right_name[NAME_BYTES_MAX + 1]; /* the one it was given in the beginning */
    uint32_t seeds[SIM_SEEDS_MAX];
    uint32_t seed_count;
    struct join_refused refusal;
    struct stored writes[2]; /* the last one and the one before, in turn */
    struct stored backup;
    struct stored other; /* on the disk that is not in the host */
    bool other_stored;
    uint32_t latest;
};

struct loss {
    uint32_t from;
    uint32_t to;
    uint32_t type;
    uint32_t left;
};

struct sim {
    struct sim_options options;
    struct timing timing;
    uint64_t silent_ms; /* a longer silence is one by all terms that there are */
    bool misnamed;      /* a record that was needed was made under another's name */
    bool mixed;         /* a host may be started with other options than the others */
    bool forgot;        /* a record that had promised something is lost */
    bool written;       /* changed terms were written down for some host */
    uint64_t wished;    /* the number of the terms for which an operator wished others last, */
    uint64_t wished_us; /* and when */
    struct random random;
    struct queue queue;
    struct network network;
    struct wire *wire;              /* one for all: a step ends before the next begins */
    const struct message *sent;     /* the last one in this step, to several perhaps */
    const struct message *encoded;  /* likewise, the last one that became a frame */
    const struct message *measured; /* likewise, the last one with a view that was measured */
    size_t measured_bytes;
    const struct message *shortened;   /* likewise, the last one that was to be brief */
    size_t brief_bytes;                /* of such a copy; 0: it goes out whole */
    const struct message *carried_for; /* likewise, the last one with a view; NULL: none */
    struct carried_view *carried;      /* and its view; one reference */
    struct wire *foreign_wire;         /* of a cluster of another name */
    struct oracle oracle;
    struct liar *liar;    /* NULL: nobody lies */
    struct roles *roles;  /* NULL: nobody stands for any */
    uint8_t *cores;       /* a place for each host's */
    size_t core_stride;   /* from one to the next */
    struct voters voters; /* under guard strict */
    uint64_t now_us;
    uint64_t datagram_us;   /* of work for each that is sent or read; 0: none */
    uint32_t segment_bytes; /* of streams, at the most */
    uint64_t converged_ms;
    bool changed; /* a view, a phase or the right to act changed since last asked */

    bool rough;          /* some links are worse than by default */
    uint64_t quality_us; /* when the quality of links was last changed */
    uint64_t late_us;    /* when the last that broken streams have held up arrives */
    uint64_t resolve_ms;
    bool resolve_fails;
    uint32_t resolve_ppm; /* of the addresses it leaves out, and gives others */

    struct loss losses[LOSSES_MAX];
    uint32_t loss_count;

    uint64_t sound_removals;
    uint64_t steps;
    uint64_t trace_hash;
    uint64_t tickets;

    size_t text_size;
    char *texts[TEXTS];
    uint32_t text_next;

    uint32_t node_count; /* hosts of nodes, the first ones; behind them are those of witnesses */
    uint32_t host_count;
    struct host hosts[];
};

/* The host's monotonic clock: every host's began at another value. */
static inline uint64_t host_now_ms(const struct sim *sim, const struct host *host)
{
    return host->now_us == sim->now_us ? host->now_ms : clock_ms(&host->clock, sim->now_us);
}

static inline uint32_t host_index(const struct sim *sim, const struct host *host)
{
    (void)sim;
    return host->index;
}

/* What the host's process knows of another by what came from there, and the same to be written.
 * Most hosts of a large cluster never hear each other. */
static inline const struct heard *host_heard(const struct host *host, uint32_t other)
{
    static const struct heard nothing;

    return host->heard[other] == NULL ? &nothing : host->heard[other];
}

/* Is it one of those of whom at most one may act: with this guard, and these voters? */
static inline bool host_is_exclusive(const struct sim *sim, const struct host *host)
{
    return sim->options.exclusive && (!sim->mixed || (host->guard.policy == GUARD_STRICT &&
                                                      voters_equal(&host->voters, &sim->voters)));
}

struct heard *host_heard_anew(struct host *host, uint32_t other);

static inline struct heard *host_heard_at(struct host *host, uint32_t other)
{
    return host->heard[other] == NULL ? host_heard_anew(host, other) : host->heard[other];
}

/* The host at this address, or NULL. */
struct host *host_at(struct sim *sim, const struct address *address);

/* Hands one event to the host's core and carries out the effects. The process may have ended
 * when this returns. */
void host_step(struct sim *sim, struct host *host, struct event *event);

/* --- process.c --- */

/* A pending for the process that the host runs now. */
struct pending *process_pending(struct sim *sim, const struct host *host, enum pending_type type);
void process_release(struct sim *sim, struct pending *pending);

void process_schedule_tick(struct sim *sim, struct host *host, uint64_t at_us);

/* Sets the timer of a running process to its core's deadline. */
void process_rearm(struct sim *sim, struct host *host);

/* What is due now happens. */
void process_dispatch(struct sim *sim, struct pending *pending);

/* Drops what waits for a stopped process. */
void process_drop_waiting(struct sim *sim, struct host *host);

/* The process is gone; what its kernel tells others about it is the caller's affair. */
void process_end(struct sim *sim, struct host *host);

/* A letter for the first hosts, a number with N for the others; into `text` of LETTER_BYTES. */
enum { LETTER_BYTES = 16 };
const char *host_letter(uint32_t index, char *text);

#endif
