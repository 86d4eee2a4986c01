/* The faults that a swarm draws from, as one table: what each does, to whom, for how long. Each
 * strike draws from a generator of its own, so that leaving one out changes no other. */
#ifndef SIM_FAULTS_H
#define SIM_FAULTS_H

#include <stdint.h>

#include "sim.h"

/* What a fault can lead to, and what may therefore not be asked of a run that had it. */
enum fault_kind {
    FAULT_HARMLESS = 0,
    FAULT_SPLITS = 1,  /* members may lose sight of others that live: parts, false removals */
    FAULT_FORGETS = 2, /* a node may found anew though its cluster lives (F2) */
};

/* Faults are drawn group by group, each by a chance of its own. */
enum fault_group {
    FAULTS_COMMON,    /* for every plan */
    FAULTS_OF_CLOCKS, /* for some plans, beside the common ones */
    FAULTS_OF_DISKS,  /* for plans of guard strict, as those of clocks */
    FAULTS_OF_LEASES,
    FAULTS_OF_OPERATORS, /* what is no fault: planned moves, at any moment */
    FAULTS_OF_SIZE,      /* for some plans, beside the common ones */
    FAULTS_OF_TERMS,     /* terms that change, where that is asked for */
    FAULTS_OF_STRANGERS, /* who lie, where a liar is asked for; nothing that they say does harm */
    FAULTS_OF_LIARS,     /* as those of strangers, in the names of members */
    FAULTS_OF_OPTIONS,   /* for some plans, beside the common ones, but not where terms change, or
                            where somebody lies */
    FAULTS_OF_QUESTIONS, /* for some plans, beside the common ones */
    FAULTS_OF_VOTERS,    /* for plans of guard strict; whoever lies is not made a voter */
    FAULTS_OF_RECOVERY,  /* for some of those where nobody lies and no options differ: voters are
                            lost for good, or so an operator says */
    FAULTS_OF_WITNESSES, /* for some of those whose voters change */
    FAULTS_OF_WITNESS_HOSTS, /* for some of these */
    FAULTS_OF_REMOVAL,       /* for some plans, beside the common ones: what operators do */
    FAULTS_OF_SITES,         /* for some plans, beside all others: of what several hosts share */
    FAULTS_OF_BACKUPS,       /* for some plans of guard strict, where nobody lies */
    FAULTS_OF_LENGTHS,       /* for some plans of guard strict whose terms change */
    FAULTS_OF_ABSENCE,       /* for some of those whose voters are lost for good */
    FAULTS_OF_HASTE,         /* for some of those whose terms change, where nobody lies */
    FAULTS_OF_FAR_WITNESSES, /* for some of those with a witness */
    FAULTS_OF_FOUNDERS,      /* for some of guard strict, where nobody lies and no options differ,
                                now and then alone: it takes a while */
    FAULTS_OF_DATES,         /* likewise */
    FAULTS_OF_RIVALS,        /* as those of haste */
    FAULTS_OF_FORGERS,       /* as those of strangers, in the names of voters and coordinators */
    FAULTS_OF_FOUNDING,      /* for some of guard strict where no options differ, early, now and
                                then alone */
    FAULTS_OF_ISLANDS,       /* as those of founders */
    FAULTS_OF_HOSTS,         /* for some plans, beside all others: of one host, for long */
    FAULTS_OF_EXCHANGE,      /* for some of guard strict, where nobody lies and no options differ */
    FAULTS_OF_STANDSTILL,    /* for some whose terms stay, but of guard strict, which rests on it
                                that clocks go on */
    FAULTS_OF_CHANGES,       /* for some of guard strict whose terms stay, where nobody lies and no
                                voters are lost for good */
    FAULTS_OF_WRITING,       /* for some whose terms change, where nobody lies and no options
                                differ: what an operator writes down of that */
    FAULTS_OF_HOLES,         /* for some of guard strict that end so */
    FAULTS_OF_QUEUES,        /* for some plans, beside all others: what is full drops what comes */
    FAULTS_OF_STREAMS,       /* likewise: streams that break */
    FAULTS_OF_BAD_LINKS,     /* likewise: links that lose some of what passes */
    FAULTS_OF_FIREWALLS,     /* likewise: connections that are refused, of nodes that live */
    FAULTS_OF_GATEWAYS,      /* for some plans, beside all others: sources that are translated */
    FAULTS_OF_VERSIONS,      /* for some where nobody lies: releases of other versions */
    FAULTS_OF_ANSWERS,       /* for some plans: the resolver answers something else each time */
    FAULTS_OF_COPIES,        /* as those of changes */
    FAULTS_OF_DECEPTIONS,    /* for some plans, beside all others: firewalls, again or everywhere */
    FAULTS_OF_RELEASES,      /* likewise: all are restarted in turn */
    FAULTS_OF_LONG_LIVES,    /* likewise: processes that have sent a great many messages */
};

struct fault {
    const char *name;
    uint32_t weight; /* how often it is drawn, against the sum of all weights of its group */
    enum fault_group group;
    unsigned kinds;                                         /* of enum fault_kind */
    void (*strike)(struct sim *sim, struct random *random); /* does it, and schedules its end */
};

enum { FAULTS_MAX = 224 };

/* Nothing long passes to or from one host; the plan goes by its name. */
#define NARROW_PATH "narrow path"

/* Nor between one and some of the others, likewise. */
#define NARROW_PATH_TO_SOME "narrow path to some"

/* All there are, `*count` of them. */
const struct fault *fault_table(uint32_t *count);

/* What is left of one host for good, so that only the others can be asked to agree (Y6). */
enum breakage {
    BREAK_NOTHING,
    BREAK_DEAF,
    BREAK_MUTE,
    BREAK_FLAPPING,
    BREAK_SLOW,
    BREAK_NO_DATAGRAMS, /* connections are made and carry what is long, and nothing else passes, */
    BREAK_NO_DATAGRAMS_IN,
    BREAK_NO_DATAGRAMS_OUT,
    BREAK_LOOPING, /* it crashes again and again */
    BREAK_LOSSY,   /* what comes to it is lost in part, */
    BREAK_REFUSED, /* or connections to it are refused, */
    BREAK_BEHIND,  /* or it reads what is long too slowly, */
    BREAK_CROWDED, /* or of what it has to send at once the first few messages leave */
    BREAKAGES,
    BREAKAGES_AT_FIRST = BREAK_NO_DATAGRAMS, /* those that a plan's own chance draws, */
    BREAKAGES_AT_SECOND = BREAK_LOSSY,       /* and those of a second one */
};

/* `turn_ms`: of one that is slow. */
void fault_break(struct sim *sim, enum breakage breakage, uint32_t host, uint64_t turn_ms);

/* Nothing long passes to or from the host from now on, and the others have tags of some length when
 * they start again. */
void fault_narrow(struct sim *sim, struct random *random, uint32_t host);

/* The same, but what asks to be let in is none too long: who leads is to hear of those who come. */
void fault_let_requests_pass(struct sim *sim, uint32_t host);

/* Between one host and some of the others; `others` is a set, empty if nobody acts. */
struct hole {
    uint32_t host;
    uint32_t others;
    uint64_t ms;
    bool of_candidate;
};

#define FOR_GOOD UINT32_MAX

/* From now on, for so long, nothing long passes between who acts, or is next, and some of the
 * others, who start again; or nothing that is proposed. Under guard strict. */
struct hole fault_make_hole(struct sim *sim, struct random *random, uint64_t ms);

/* A stranger lies from now on, and never ends. */
void fault_haunt(struct sim *sim, struct random *random, uint32_t kind);

/* Ends all of them: heals, resumes, gives back the right names and seeds, and starts what is down,
 * except that now and then a host that is no seed stays down for good. */
void fault_end_all(struct sim *sim, struct random *random);

#endif
