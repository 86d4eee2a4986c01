/* The founding under guard strict (Z8) as a model for Spin: three voters, the first of which
 * founds, with restarts and lost disks at any moment, memory and disk apart, and messages that are
 * received at any later time, more than once, or never. README.md beside this file says what stands
 * for what.
 *
 * The rest of the rules rests on one thing that only the founding can give (docs/strict.md, lemma 1): a
 * name that has voted in a lineage, and forgot it, never votes in that lineage again. That is
 * checked at each vote, and besides, that no two lineages find a quorum. Leases and views play no
 * part here. */

#ifndef RESTARTS
#define RESTARTS 2
#endif
#ifndef LOSSES
#define LOSSES 2        /* of disks; were all lost, nothing would tell that anybody had voted */
#endif
#define LINEAGES (1 + LOSSES)

#define VOTERS 3
#define FOUNDER 0
#define BIT(i) (1 << (i))
#define NAME(voter) ('A' + (voter))

#define NONE 0          /* what a record says of itself (Z8a, Z8b) */
#define FOUNDING 1
#define FOUNDED 2

byte state[VOTERS], state_disk[VOTERS];
byte lineage[VOTERS], lineage_disk[VOTERS];
byte life[VOTERS];                      /* a process that starts is a new life (I1) */
byte drawn;                             /* lineages so far */

/* What was said, and can be received. */
byte asked[(LINEAGES + 1) * VOTERS];    /* make a record: a bit for each life of that voter */
byte answers;                           /* to the founder's present life: a bit for each voter */
byte balloted;                          /* somebody asks for an epoch: a bit for each lineage */

/* What has been, for the properties. */
byte voted[LINEAGES + 1], forgot[LINEAGES + 1]; /* a bit for each voter */
byte restarts = RESTARTS, losses = LOSSES;

#define SLOT(lin, voter) ((lin) * VOTERS + (voter))
#define ON_DISK(a) (state_disk[a] == state[a] && lineage_disk[a] == lineage[a])
#define COUNT(set) (((set) & 1) + (((set) >> 1) & 1) + (((set) >> 2) & 1))

#ifdef MUTANT_MAJORITY  /* A quorum of records is enough to end the founding. */
#define ENOUGH (COUNT(answers) >= 2)
#else
#define ENOUGH (COUNT(answers) == VOTERS)                                       /* Z8c */
#endif

/* voter.c: voter_begin_founding. */
inline begin()
{
    a == FOUNDER && state[a] == NONE && drawn < LINEAGES;
    drawn++;
    printf("A draws lineage %d\n", drawn);
    state[a] = FOUNDING;
    lineage[a] = drawn
}

/* The request names the life that it is for; and not before the founder has its own record on disk
 * (founding.c: ask_for_records). */
inline ask(other)
{
    a == FOUNDER && state[a] == FOUNDING && ON_DISK(a) &&
        !(asked[SLOT(lineage[a], other)] & BIT(life[other]));
    printf("A asks %c for a record of lineage %d\n", NAME(other), lineage[a]);
    asked[SLOT(lineage[a], other)] = asked[SLOT(lineage[a], other)] | BIT(life[other])
}

#ifdef MUTANT_ANYLIFE   /* The request is good for any life. */
#define IS_ASKED(lin, a) (asked[SLOT(lin, a)] != 0)
#else
#define IS_ASKED(lin, a) (asked[SLOT(lin, a)] & BIT(life[a]))                   /* Z8c, I1b */
#endif

/* Who has no record makes one (Z8a; voter.c: voter_on_founding). */
inline on_request(lin)
{
    IS_ASKED(lin, a) && state[a] == NONE;
    printf("%c makes a record of lineage %d\n", NAME(a), lin);
    state[a] = FOUNDING;
    lineage[a] = lin
}

/* And says so when it is on the disk (Z2f), unless founding is over for it (Z8b). An answer to a
 * former life of the founder is dropped. */
inline answer(lin)
{
    (a == FOUNDER || IS_ASKED(lin, a)) && state[a] == FOUNDING && lineage[a] == lin && ON_DISK(a) &&
        state[FOUNDER] == FOUNDING && lineage[FOUNDER] == lin && !(answers & BIT(a));
    printf("%c says that it has a record of lineage %d\n", NAME(a), lin);
    answers = answers | BIT(a)
}

/* Z8b: the founder's record is founded when all have one (founding.c: founding_on_vote). */
inline end()
{
    a == FOUNDER && state[a] == FOUNDING && ENOUGH;
    printf("A has all records: founded\n");
    state[a] = FOUNDED
}

/* And it asks for an epoch (Z8c) when that is on the disk, as any voter may from then on (Z8d). */
inline claim()
{
#ifdef MUTANT_HASTY     /* Before the disk has it. */
    state[a] == FOUNDED &&
#else
    state[a] == FOUNDED && ON_DISK(a) &&
#endif
        !(balloted & BIT(lineage[a]));
    printf("%c asks for an epoch in lineage %d\n", NAME(a), lineage[a]);
    balloted = balloted | BIT(lineage[a])
}

/* A record is founded with its first promise (Z8b; voter.c: promise_to). */
inline on_ballot()
{
    state[a] == FOUNDING && (balloted & BIT(lineage[a]));
    printf("%c promises in lineage %d\n", NAME(a), lineage[a]);
    state[a] = FOUNDED
}

inline vote()
{
    state[a] == FOUNDED && ON_DISK(a) && (balloted & BIT(lineage[a])) &&
        (!(voted[lineage[a]] & BIT(a)) || (forgot[lineage[a]] & BIT(a)));
    printf("%c votes in lineage %d\n", NAME(a), lineage[a]);
    assert(!(forgot[lineage[a]] & BIT(a)));
    voted[lineage[a]] = voted[lineage[a]] | BIT(a);
    assert(lineage[a] == 1 || COUNT(voted[1]) < 2 || COUNT(voted[lineage[a]]) < 2);
    assert(lineage[a] == 2 || COUNT(voted[2]) < 2 || COUNT(voted[lineage[a]]) < 2)
}

inline sync()
{
    !ON_DISK(a);
    printf("the disk of %c has its record\n", NAME(a));
    state_disk[a] = state[a];
    lineage_disk[a] = lineage[a]
}

inline start_anew()
{
    life[a]++;
    state[a] = state_disk[a];
    lineage[a] = lineage_disk[a];
    if
    :: a == FOUNDER -> answers = 0
    :: else
    fi
}

inline restart()
{
    restarts > 0;
    printf("%c crashes and starts anew\n", NAME(a));
    restarts--;
    start_anew()
}

/* Z3b: it has no record any more, and is not to be told from one that never had any. */
inline lose_disk()
{
    losses > 0 && state_disk[a] != NONE;
    printf("%c loses its disk and starts anew\n", NAME(a));
    losses--;
    if
    :: voted[lineage_disk[a]] & BIT(a) ->
        forgot[lineage_disk[a]] = forgot[lineage_disk[a]] | BIT(a)
    :: else
    fi;
    state_disk[a] = NONE;
    lineage_disk[a] = 0;
    start_anew()
}

#define STEP(what) :: d_step { what; skip }

proctype voter(byte a)
{
    do
    STEP(begin())
    STEP(ask(1))
    STEP(ask(2))
    STEP(on_request(1))
    STEP(on_request(2))
    STEP(on_request(3))
    STEP(answer(1))
    STEP(answer(2))
    STEP(answer(3))
    STEP(end())
    STEP(claim())
    STEP(on_ballot())
    STEP(vote())
    STEP(sync())
    STEP(restart())
    STEP(lose_disk())
    od
}

init { atomic { run voter(0); run voter(1); run voter(2) } }
