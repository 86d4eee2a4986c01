/* The state of the whole, as one node knows it: one word, one sentence, and what to do next. All
 * that tells people how the cluster is (status, members, doctor, top, the page, probes, metrics,
 * the unit's status line) says what this one function says.
 *
 * To add a state: a word in the enum, a field of struct whole_facts that the collector
 * (control/documents/whole_facts.c) fills in, and a row in the table of whole.c, whose order is by
 * severity.
 */
#ifndef WORDS_WHOLE_H
#define WORDS_WHOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"

enum {
    WHOLE_TEXT_MAX = 1024,
    WHOLE_NAMED_MAX = 3, /* who is missing is named, up to so many */
};

/* The most severe first. */
enum whole_state {
    WHOLE_ADDRESS_GONE,
    WHOLE_NOT_IN,
    WHOLE_NOBODY_ACTS,
    WHOLE_SPLIT,
    WHOLE_UNHEARD, /* the coordinator, which is another one */
    WHOLE_BEHIND,  /* this node */
    WHOLE_LEAVING,
    WHOLE_MERGING,
    WHOLE_VOTERS_LACKING,
    WHOLE_BAD_LINK,
    WHOLE_MEMBER_BEHIND,
    WHOLE_SUSPECT,
    WHOLE_STARVED,
    WHOLE_MISSING,
    WHOLE_BLOCKED, /* all are heard, and by a way that is not whole */
    WHOLE_HEALTHY,
    WHOLE_STATES,
};

enum whole_severity { WHOLE_BAD, WHOLE_WARNING, WHOLE_GOOD };

/* What it is made of. Texts are borrowed; NULL where there is none. */
struct whole_facts {
    enum phase phase;
    const char
        *address_gone; /* that its host has lost the one by which the others know this node */

    /* While this node is not in. */
    const char *turned_away; /* why a member did so, with the remedy */
    const char *other_key;   /* what a node with another key, or none, answered */
    const char *seeds;       /* what the seeds answered, with the remedy */
    struct waiting_state waiting;
    bool has_other_seed; /* than this node itself, or somebody whom it knew before */

    /* Of its view. */
    uint32_t members;
    uint32_t heard; /* of them, itself included; whom others watch counts as heard */
    struct guard_state guard;
    const char *coordinator;       /* the oldest member, whether it may be named or not */
    bool coordinates;              /* this node */
    bool handed_over;              /* and has given that up, for another who is asked to take it */
    enum reign reign;              /* does the coordinator act? */
    bool coordinator_silent;       /* another one, which is not heard, or suspected */
    uint64_t coordinator_heard_ms; /* since then; NEVER_MS: it was not heard yet */
    bool behind;                   /* this node does not get the view that the others hold */
    uint32_t members_behind;       /* other members of whom this node knows the same, */
    const char *member_behind;     /* and one of them */
    bool merging;                  /* its part is being taken up by another */
    uint32_t missing;              /* failed, and neither left nor forgotten on purpose */
    uint32_t missing_alive;        /* of them so many are not known to have ended */
    const char *missing_name;      /* the latest of them, */
    bool missing_behind;           /* which was removed because it is behind, */
    uint64_t missing_ms;           /* gone for so long */
    uint32_t split_lost;           /* so many were lost at once, */
    uint32_t split_of;             /* of so many, */
    uint64_t split_ms;             /* so long ago; */
    uint32_t split_missing;        /* of them so many are missing still, and are not known to have
                                      ended; 0: no split */
    uint32_t suspects;             /* members with a verdict of this node */
    const char *suspect;           /* one of them */
    uint32_t silent;               /* members without a verdict that are watched and not heard */
    const char *silent_name;       /* one of them */
    uint32_t bad_links;            /* anywhere, as far as this node knows */
    const char *bad_link;          /* one of them, in words */
    uint32_t faults;               /* injected into this node on purpose */
    uint64_t starved;              /* connections given up for lack of descriptors */
    const char *way;               /* what is wrong with the way to another, */
    const char *way_next;          /* and what to do about it */

    /* The first of those who are missing, in the view's order. */
    const char *missing_names[WHOLE_NAMED_MAX];

    /* Under guard strict. */
    uint32_t voters;        /* 0: another guard */
    uint32_t voters_heard;  /* this node included if it is one */
    uint32_t voters_ended;  /* of the others, those whose hosts said that they ended */
    uint32_t voters_lack;   /* of those heard, who are known not to vote */
    const char *voter_lack; /* how one of them stands, "no record" */
    uint32_t voters_asked;  /* members that have not said yet whether they vote */
};

struct whole {
    enum whole_state state;
    enum whole_severity severity;
    char sentence[WHOLE_TEXT_MAX];
    char next[WHOLE_TEXT_MAX]; /* what to do */

    /* Of the voters of guard strict, as in the facts. */
    uint32_t voters;
    uint32_t spare; /* so many of those that vote may be lost */
    uint32_t heard;
    uint32_t lacking;
    uint32_t waiting;
};

/* The most severe state that holds. */
void whole_judge(const struct whole_facts *facts, struct whole *whole);

/* Does a node that is not in wait for voters under guard strict (Z8), or for their records? Says so
 * then, as what comes behind "this node is not in: ", and what to do. */
bool whole_awaits_voters(const struct waiting_state *waiting, const struct guard_state *guard,
                         uint32_t voters, bool has_other_seed, char sentence[WHOLE_TEXT_MAX],
                         char next[WHOLE_TEXT_MAX]);

/* "not in", "healthy": for people and programs alike. */
const char *whole_state_text(enum whole_state state);

enum whole_severity whole_severity(enum whole_state state);
const char *whole_severity_text(enum whole_severity severity); /* "bad", "warning", "good" */

#endif
