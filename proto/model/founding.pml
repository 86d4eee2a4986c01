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
#define LOSSES 2        /* of disks; but of those who know of a founding one keeps its own */
#endif
#define LINEAGES 3

#define VOTERS 3
#define FOUNDER 0
#define BIT(i) (1 << (i))
#define NAME(voter) ('A' + (voter))

#define NONE 0          /* what a record says of itself (Z8a, Z8b) */
#define FOUNDING 1
#define FOUNDED 2
#define OTHER 3         /* it knows of a founding, by a record that was made since (Z11e) */

byte state[VOTERS], state_disk[VOTERS];
byte lineage[VOTERS], lineage_disk[VOTERS];
byte kept, kept_disk;                   /* a bit for each voter whose record was asked for again */
byte life[VOTERS];                      /* a process that starts is a new life (I1) */
byte drawn;                             /* lineages so far */

/* What was said, and can be received. */
byte asked[(LINEAGES + 1) * VOTERS];    /* make a record: a bit for each life of that voter */
byte asked_again[(LINEAGES + 1) * VOTERS]; /* the same, naming the record that it has now */
byte answers;                           /* to the founder's present life: a bit for each voter */
byte known;                             /* whose present record the founder knows */
bool news, again;                       /* its present life heard of one; or knew all when it began */
byte balloted;                          /* somebody asks for an epoch: a bit for each lineage */

/* What has been, for the properties. */
byte voted[LINEAGES + 1], forgot[LINEAGES + 1]; /* a bit for each voter */
byte restarts = RESTARTS, losses = LOSSES;

#define SLOT(lin, voter) ((lin) * VOTERS + (voter))
#define ALL (BIT(VOTERS) - 1)
#define ON_DISK(a) (state_disk[a] == state[a] && lineage_disk[a] == lineage[a] && \
                    !((kept ^ kept_disk) & BIT(a)))
#define COUNT(set) (((set) & 1) + (((set) >> 1) & 1) + (((set) >> 2) & 1))

#ifdef MUTANT_MAJORITY  /* A quorum of records is enough to end the founding. */
#define ENOUGH (COUNT(answers) >= 2)
#else
#define ENOUGH (answers == ALL)                                                  /* Z8c */
#endif

#ifdef MUTANT_ONELOOK   /* What was said once counts. */
#define IS_OLD true
#else
#define IS_OLD (!news)                                                          /* Z8c */
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

/* Another record: what was asked of the former one, or said by it, is none of it. */
inline make(what, lin)
{
    state[a] = what;
    lineage[a] = lin;
    kept = kept & ~BIT(a);
    known = known & ~BIT(a);
    asked_again[SLOT(1, a)] = 0;
    asked_again[SLOT(2, a)] = 0;
    asked_again[SLOT(3, a)] = 0
}

/* The request names the life that it is for; and not before the founder has its own record on disk
 * (founding.c: ask_for_records). */
inline ask(other)
{
    a == FOUNDER && state[a] == FOUNDING && ON_DISK(a) &&
        (!(asked[SLOT(lineage[a], other)] & BIT(life[other])) ||
         (again && (known & BIT(other)) &&
          !(asked_again[SLOT(lineage[a], other)] & BIT(life[other]))));
    printf("A asks %c for a record of lineage %d\n", NAME(other), lineage[a]);
    asked[SLOT(lineage[a], other)] = asked[SLOT(lineage[a], other)] | BIT(life[other]);
    if
    :: again && (known & BIT(other)) ->
        asked_again[SLOT(lineage[a], other)] = asked_again[SLOT(lineage[a], other)] |
                                               BIT(life[other])
    :: else
    fi
}

#ifdef MUTANT_ANYLIFE   /* The request is good for any life. */
#define IS_ASKED(lin, a) (asked[SLOT(lin, a)] != 0)
#else
#define IS_ASKED(lin, a) (asked[SLOT(lin, a)] & BIT(life[a]))                   /* Z8c, I1b */
#endif

#ifdef MUTANT_GIVEUP    /* A record that was asked for again makes way for another founding. */
#define MAKES_WAY(lin, a) (state[a] == FOUNDING && lineage[a] != lin)
#else
#define MAKES_WAY(lin, a) (state[a] == FOUNDING && lineage[a] != lin && !(kept & BIT(a)))
#endif

/* Who has no record makes one, or for another founding another one (Z8a; voter.c:
 * voter_on_founding, makes_way). */
inline on_request(lin)
{
    IS_ASKED(lin, a) && (state[a] == NONE || MAKES_WAY(lin, a));
    printf("%c makes a record of lineage %d\n", NAME(a), lin);
    make(FOUNDING, lin)
}

/* Asked again, it keeps that record from then on (Z8a; voter.c: learn_founders). */
inline on_second(lin)
{
    state[a] == FOUNDING && lineage[a] == lin && !(kept & BIT(a)) &&
        (asked_again[SLOT(lin, a)] & BIT(life[a]));
    printf("%c keeps its record of lineage %d\n", NAME(a), lin);
    kept = kept | BIT(a)
}

/* It is a member where one has been founded, and is to vote there (Z11e; voter.c: wants_record). */
inline be_wanted(lin)
{
    (state[a] == NONE || state[a] == FOUNDING) && COUNT(voted[lin]) >= 2;
    printf("%c gets another record, of lineage %d\n", NAME(a), lin);
    make(OTHER, lin);
    state_disk[a] = OTHER;
    lineage_disk[a] = lin;
    kept_disk = kept_disk & ~BIT(a)
}

/* And says so when it is on the disk (Z2f), unless founding is over for it (Z8b). An answer to a
 * former life of the founder is dropped. */
inline answer(lin)
{
    (a == FOUNDER || IS_ASKED(lin, a)) && state[a] == FOUNDING && lineage[a] == lin && ON_DISK(a) &&
        state[FOUNDER] == FOUNDING && lineage[FOUNDER] == lin && !(answers & BIT(a)) &&
        (a == FOUNDER || !again || (kept & BIT(a)) || !(known & BIT(a)));
    printf("%c says that it has a record of lineage %d\n", NAME(a), lin);
    answers = answers | BIT(a);
    news = news || !(known & BIT(a));
    known = known | BIT(a)
}

/* Z8b: the founder's record is founded when all have one (founding.c: founding_on_vote). */
inline end()
{
    a == FOUNDER && state[a] == FOUNDING && ENOUGH && IS_OLD;
    printf("A has all records: founded\n");
    state[a] = FOUNDED
}

/* Z8c: what it knows has been said before its next life begins; what is said again then was there
 * all the while (join.c: found). */
inline ask_again()
{
    a == FOUNDER && state[a] == FOUNDING && ENOUGH && news;
    printf("A begins another life, and asks again\n");
    answers = 0;
    news = false;
    again = true
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
    lineage_disk[a] = lineage[a];
    kept_disk = (kept_disk & ~BIT(a)) | (kept & BIT(a))
}

inline start_anew()
{
    life[a]++;
    if
    :: state[a] != state_disk[a] || lineage[a] != lineage_disk[a] -> known = known & ~BIT(a)
    :: else
    fi;
    state[a] = state_disk[a];
    lineage[a] = lineage_disk[a];
    kept = (kept & ~BIT(a)) | (kept_disk & BIT(a));
    if
    :: a == FOUNDER -> answers = 0; known = 0; news = false; again = false
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

#define KNOWS(i) (state_disk[i] != NONE && voted[lineage_disk[i]] && \
                  (state_disk[i] != FOUNDING || (kept_disk & BIT(i))))
#define OTHERS_KNOW(a) (KNOWS((a + 1) % VOTERS) || KNOWS((a + 2) % VOTERS))
#define IS_NEW (!voted[1] && !voted[2] && !voted[3])

/* Z3b: it has no record any more, and is not to be told from one that never had any. */
inline lose_disk()
{
    losses > 0 && state_disk[a] != NONE && (IS_NEW || OTHERS_KNOW(a));
    printf("%c loses its disk and starts anew\n", NAME(a));
    losses--;
    if
    :: voted[lineage_disk[a]] & BIT(a) ->
        forgot[lineage_disk[a]] = forgot[lineage_disk[a]] | BIT(a)
    :: else
    fi;
    state_disk[a] = NONE;
    lineage_disk[a] = 0;
    kept_disk = kept_disk & ~BIT(a);
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
    STEP(on_second(1))
    STEP(on_second(2))
    STEP(on_second(3))
    STEP(be_wanted(1))
    STEP(be_wanted(2))
    STEP(be_wanted(3))
    STEP(answer(1))
    STEP(answer(2))
    STEP(answer(3))
    STEP(end())
    STEP(ask_again())
    STEP(claim())
    STEP(on_ballot())
    STEP(vote())
    STEP(sync())
    STEP(restart())
    STEP(lose_disk())
    od
}

init { atomic { run voter(0); run voter(1); run voter(2) } }
