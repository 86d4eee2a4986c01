/* Every bound of the protocol in one place (rule B1). What has no bound here cannot grow. */
#ifndef CORE_LIMITS_H
#define CORE_LIMITS_H

enum {
    MEMBER_MAX = 4096,     /* members of one view; a node may choose less with its capacity */
    GONE_MAX = 256,        /* former members remembered in the view, oldest dropped first */
    NAME_BYTES_MAX = 63,   /* a member's or a cluster's name, without the terminating zero */
    TAGS_BYTES_MAX = 512,  /* a member's tags, as "key=value" texts each ended by a zero byte */
    TAG_WISHES_MAX = 16,   /* members whose change of tags a coordinator has before it (E8) */
    TAGS_PAUSE_MS = 1000,  /* a member's tags change no sooner after a change (E8b) */
    SEEDS_MAX = 64,        /* addresses that all the seeds together resolve to */
    BOOK_MAX = 256,        /* addresses worth asking besides seeds: remembered peers, the gone */
    PEERS_STORED_MAX = 64, /* addresses kept in the state directory */
    JOIN_QUEUE_MAX = 1024, /* joiners that said READY and wait for the next view */
    SUSPECTS_MAX = 16,     /* suspicions told in one heartbeat, oldest members first */
    ACCUSERS_MAX = 3,      /* accusers named in the evidence of a removal */
    HELPERS_MAX = 32,      /* members asked to look at a suspect (R1a, D9i) */
    PROBE_SEEDS_MAX = 4,   /* seeds that a probe names, to show where its part comes from (I3) */
    READY_MAX = 8,         /* coordinators whom a joiner asked that it knows again (V4g) */
    EXPECT_MAX = 64,       /* nodes that may be expected before one of them founds (F3) */
    FANOUT_LEAST = 4,      /* members to whom a coordinator sends a change itself (U4a): no fewer
                              than each hands it on to (U4b), */
    FANOUT_DEFAULT = 128,  /* unless it is told another number, */
    FANOUT_MOST = 4096,    /* and as many as there may be: nobody hands anything on */
    VOTERS_MAX = 9,        /* voters of guard strict in one list (Z1) */
    VOTERS_LISTED_MAX = 2 * VOTERS_MAX, /* in both lists of a change of them (Z10a) */
    ROLES_MAX = 256,                    /* roles that anybody stands for (K5c) */
    ROLE_CANDIDATES_MAX = 4096, /* candidates of all members; a coordinator of few keeps fewer */
    ROLE_NEED_BYTES_MAX = 127,  /* of the tag that the holders of a role need */
    ROLE_PREEMPT_AFTER_MS_MAX = 86400000, /* a better candidate takes over within a day */
    ROLE_OWN_MAX = 64,                    /* of one member */
    ROLE_HOLDERS_MAX = 64,                /* who may hold one role at once */
    MERGES_KEPT = 8,                /* merges that are known again when their request comes late */
    DATAGRAM_BYTES_MAX = 548,       /* no datagram is longer: with the headers of UDP and IP these
                                       are 576, which pass everywhere (U3a) */
    DATAGRAM_FRAME_BYTES_MAX = 463, /* a longer frame travels by stream: sealed, one of these is a
                                       datagram yet */
    CHANGE_FRAME_BYTES_MAX = 1100,  /* of a view that travels as a change (U3b) */
};

/* Epochs, versions and ages do not rise by more within T_stall (V7): no cluster counts as far in
 * its life, and COUNTER_MAX is many such leaps away (H16). */
#define LEAP_MAX (UINT64_C(1) << 32)

/* Nor does a voter follow a stranger as far that has not proved where it is, for that one may not
 * tell the others (Z2j). */
#define STRANGERS_LEAP_MAX (UINT64_C(1) << 20)

/* The same for what is only said. Less than what is installed: what a node makes of what it was
 * told is then never a leap for those in its view. */
#define SAID_LEAP_MAX (LEAP_MAX / 2)

/* A voter is bound no further, and nobody claims what is (V7c): what a voter has promised is for
 * good, so that the others have to come after it, and a view above it is no leap for them. */
#define BOUND_LEAP_MAX (LEAP_MAX / 4 * 3)

/* No epoch, version or age gets there by counting; above it sums could wrap. */
#define COUNTER_MAX (UINT64_C(1) << 62)

/* Nor do the numbers of changed terms (V7g): people change them. A node without a view takes what
 * is so far below the end that bounded leaps do not get there. */
#define AGREED_LEAP_MAX (UINT64_C(1) << 10)
#define AGREED_FIRST_MAX (COUNTER_MAX / 4)

/* A number of a message that is further above its sender's last is a question, not a fact (D6c). */
#define NUMBER_LEAP_MAX (UINT64_C(1) << 20)

#define NEVER_MS UINT64_MAX

#endif
