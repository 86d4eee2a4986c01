/* Guard strict as a model for the checker Spin: three voters, two or three lives that want to
 * coordinate, and everything that can go wrong between them. README.md beside this file says which
 * step stands for which clause and which source file, what is left out and why that is safe, and
 * how to run it:
 *
 *   scripts/model [--quick | --mutants | INSTANCE...]
 *
 * How to read it. A voter and a life are two processes of the model: a life may coordinate without
 * being a voter, and a node that is both is one of each. Each `inline` below is one atomic step:
 * its first line says when it can be taken, the rest what it does. Which step comes next is left
 * open, always, so Spin tries every order. A process that never takes a step again has crashed, or
 * is stopped; its clock runs on.
 *
 * The network. What was said once can be received at any later time, again and again, or never:
 * questions are not put into channels but remembered for ever, and answers until their asker does
 * not wait for them any more. That is loss, repetition, delay and reordering, all in one.
 *
 * Time. Each tick of true time takes off every running count as much as its owner's clock advanced:
 * SLOW or FAST, which are to each other as 1 - 1/9 to 1 + 1/9. A lease that a voter has given is
 * LEASE on its clock, one that a coordinator counts ACT = 4/5 LEASE on its own (Z6a): the very
 * bound, with no slack.
 *
 * What is checked: after each step that lets somebody act, that nobody else does (S9), and that
 * epochs of those who act rise and are not shared (S10); at each commit, that of all committed
 * views one is built on the other (S17); and, with HOLD, that what a coordinator counts the voter
 * still keeps. */

/* --- The size of an instance: -DNAME=VALUE ---------------------------------------------------- */

#ifndef LIVES
#define LIVES 2         /* who may claim: X, Y, Z */
#endif
#ifndef EPOCHS
#define EPOCHS 2
#endif
#ifndef VERSIONS
#define VERSIONS 1      /* views that one reign may propose */
#endif
#ifndef CRASHES
#define CRASHES 0       /* restarts of voters, all of them together */
#endif
#ifndef LOSSES
#define LOSSES 0        /* disks that are lost */
#endif
#ifndef TICKS
#define TICKS 1         /* how many ticks a lease lasts, at the worst rates */
#endif
#ifndef DISK
#define DISK 0          /* a bit for each voter whose memory and disk are two things; any other
                         * disk has each change at once */
#endif
/* The rest is on or off.
 * FLIGHT   questions and the leases they bring travel; else a lease is counted when it is
 *          given, which is the worst that can happen: one that comes later counts for less
 * HANDOVER a coordinator may hand over
 * ANEW     a candidate may make its first proposal anew, with VERSIONS=2
 * CLIENTS  somebody is told how long a life acts, and counts as acting for that long (S9)
 * RATES    each clock runs slow or fast at each tick; else voters fast and lives slow, the worst
 * REIGNED  X has reigned under epoch 1: its view is on all disks, its leases are over
 * ONCE     a life asks for one epoch at the most, besides that with REIGNED
 * LIVE     from each state: once faults end, any quorum and any life come to an acting coordinator
 * HOLD     checks the lemma above; not with a mutant, which is to be noticed by what it leads to
 * SORT     states that differ only by which voter is called A are one, see normalize */

/* --- Names and numbers ------------------------------------------------------------------------ */

#define VOTERS 3
#ifdef MUTANT_QUORUM    /* Half of them is enough. */
#define QUORUM 1
#else
#define QUORUM 2        /* more than half of the names (Z1a) */
#endif

#define SLOW 4
#define FAST 5
#define LEASE (FAST * TICKS)
#ifdef MUTANT_DRIFT     /* The coordinator counts as long as the voter, whatever their clocks do. */
#define ACT LEASE
#else
#define ACT (SLOW * TICKS)
#endif

/* A ballot is an epoch and the life that it is of (Z2a), as one number; 0 is none. */
#define BALLOTS (EPOCHS * LIVES)
#define BALLOT(epoch, life) (((epoch) - 1) * LIVES + (life) + 1)
#define EPOCH(ballot) (((ballot) + LIVES - 1) / LIVES)
#define LIFE(ballot) (((ballot) - 1) % LIVES)

/* A view is named by its maker's ballot and a version (V2); 0 is none. Of two the higher number is
 * the higher view: no two lives make views under one epoch, or a property has failed already. */
#define VIEWS (BALLOTS * VERSIONS)
#define VIEW(ballot, version) (((ballot) - 1) * VERSIONS + (version))
#define BALLOT_OF(view) (((view) + VERSIONS - 1) / VERSIONS)
#define VERSION_OF(view) ((view) - (BALLOT_OF(view) - 1) * VERSIONS)

#ifdef LIVE             /* One epoch more, for the claim after all faults. */
#define BALLOT_SPACE (BALLOTS + LIVES)
#else
#define BALLOT_SPACE BALLOTS
#endif
#define VIEW_SPACE (BALLOT_SPACE * VERSIONS)

#define BIT(i) (1 << (i))
#define NAME(voter) ('A' + (voter))
#define LETTER(life) ('X' + (life))

/* --- What a voter is: its record, in memory and on disk, and until when it is bound (Z1c, Z2) - */

byte promise[VOTERS], promise_disk[VOTERS];
byte accepted[VOTERS], accepted_disk[VOTERS];
byte until[VOTERS];                     /* how long the lease still runs; 0: none does */
bool mute[VOTERS];                      /* it has no record any more (Z3b) */

/* --- What a life is --------------------------------------------------------------------------- */

byte candidacy[LIVES];                  /* the ballot that it asks for, 0: none (Z4a) */
byte pending[LIVES];                    /* its proposal that is under way, 0: none (U1) */
byte view[LIVES];                       /* its own view that is committed, 0: none */
byte handed[LIVES];                     /* the epoch that it has handed over, and all below (Z7a) */
byte grant[LIVES * VOTERS];             /* how long the lease of that voter still counts (Z6a), */
byte granted[LIVES * VOTERS];           /* and for which ballot */
#define SLOT(life, voter) ((life) * VOTERS + (voter))

/* --- What was said, and can be received ------------------------------------------------------- */

byte asked[LIVES];                      /* CLAIM: a bit for each epoch */
byte names[BALLOT_SPACE + 1];           /* and what it says was handed over; 0: nothing (Z2c) */
byte proposed[BALLOT_SPACE + 1];        /* PREPARE: the versions up to this one */
byte base[VIEW_SPACE + 1];              /* and the view that each is built on */
byte vote[LIVES * VOTERS];              /* VOTE for its candidacy: 1 + the view shown; 0: none */
bool took[LIVES * VOTERS];              /* VOTE for its proposal: accepted */
#ifdef FLIGHT
byte sign[LIVES];                       /* its latest question: how long that will count */
byte echo[LIVES * VOTERS];              /* an answer that says leased, with that echo */
#endif

/* --- What has been, for the properties -------------------------------------------------------- */

byte acted;                             /* the ballot under which somebody acted last */
byte top;                               /* the highest view that was committed */
byte crashes = CRASHES, losses = LOSSES;
bool over;                              /* LIVE: this run is at its end */
#ifdef CLIENTS
byte told[LIVES];                       /* how long somebody was told that it acts */
#endif
#ifdef RATES
byte rates;                             /* a bit for each clock that runs fast in this tick */
#endif
#ifdef MUTANT_CACHED
byte looked[LIVES];                     /* the view under which it found that it acts */
#endif

byte i, j, k, h;                        /* 0 but within a step */

/* --- Acting (Z6) ------------------------------------------------------------------------------ */

#ifdef MUTANT_OLDGRANT  /* Leases of any epoch count. */
#define COUNTS(p, a) (grant[SLOT(p, a)] > 0)
#else
#define COUNTS(p, a) (grant[SLOT(p, a)] > 0 && granted[SLOT(p, a)] == BALLOT_OF(view[p]))
#endif
#ifdef MUTANT_TRANSFER  /* It goes on after it handed over. */
#define GAVE_UP(p, ballot) false
#else
#define GAVE_UP(p, ballot) (EPOCH(ballot) <= handed[p])
#endif
#define MAY_ACT(p) (view[p] != 0 && !GAVE_UP(p, BALLOT_OF(view[p])) && \
                    COUNTS(p, 0) + COUNTS(p, 1) + COUNTS(p, 2) >= QUORUM)
#ifdef MUTANT_CACHED    /* It acts on what it saw before a pause. */
#define ACTS(p) (MAY_ACT(p) || looked[p] != 0)
#elif defined CLIENTS
#define ACTS(p) (MAY_ACT(p) || told[p] > 0)
#else
#define ACTS(p) MAY_ACT(p)
#endif

/* S9, S10: looked at wherever somebody may begin to act. */
inline look(p)
{
    if
    :: ACTS(p) ->
        assert(!ACTS((p + 1) % LIVES));                                         /* S9 */
        assert(LIVES == 2 || !ACTS((p + 2) % LIVES));
        k = BALLOT_OF(view[p]);
        assert(EPOCH(k) > EPOCH(acted) || k == acted);                          /* S10 */
        acted = k
    :: else
    fi
}

/* --- Views ------------------------------------------------------------------------------------ */

/* Is `low` the view `high` itself, or one that it is built on? */
inline assert_built_on(high, low)
{
    h = high;
    do
    :: h > low -> h = base[h]
    :: else -> break
    od;
    assert(h == low)                                                            /* S17 */
}

inline commit_view(p, w)
{
    if
    :: w > top -> assert_built_on(w, top); top = w
    :: else -> assert_built_on(top, w)
    fi;
    view[p] = w
}

/* --- The voter's guard: whom may it promise an epoch to? (Z2b, Z2c; voter.c: bind) ---------- */

#ifdef MUTANT_NOWAIT    /* A lease is not waited out. */
#define HELD(a, ballot) false
#else
#define HELD(a, ballot) (until[a] > 0 && LIFE(promise[a]) != LIFE(ballot))              /* Z2c */
#endif
#ifdef MUTANT_RELANY    /* A hand-over counts for every reign of that life. */
#define RELEASED(a, by) ((by) != 0 && LIFE(by) == LIFE(promise[a]))
#else
#define RELEASED(a, by) ((by) != 0 && LIFE(by) == LIFE(promise[a]) && promise[a] <= (by)) /* Z2c */
#endif
#ifdef MUTANT_TWICE     /* One epoch for two lives. */
#define ABOVE(a, ballot) (EPOCH(ballot) >= EPOCH(promise[a]))
#else
#define ABOVE(a, ballot) (EPOCH(ballot) > EPOCH(promise[a]))                             /* Z2b */
#endif
#define MAY_BIND(a, ballot, by) \
    (promise[a] == (ballot) || \
     (ABOVE(a, ballot) && (!HELD(a, ballot) || RELEASED(a, by))))

#define VOTES(a) (!mute[a])

/* A promise to another life begins without a lease (Z2e). */
inline bind(a, ballot)
{
    if
    :: promise[a] != (ballot) ->
        if
        :: promise[a] != 0 && LIFE(promise[a]) != LIFE(ballot) -> until[a] = 0
        :: else
        fi;
        promise[a] = ballot
    :: else
    fi
}

/* A change is on the disk at once, except where memory and disk are two things. */
#if DISK > 0
#define ON_DISK(a) (promise_disk[a] == promise[a])
#define ALL_ON_DISK(a) (ON_DISK(a) && accepted_disk[a] == accepted[a])
#else
#define ON_DISK(a) true
#define ALL_ON_DISK(a) true
#endif
inline changed(a)
{
    if
    :: DISK & BIT(a)
    :: else -> promise_disk[a] = promise[a]; accepted_disk[a] = accepted[a]
    fi
}

/* --- What a voter answers --------------------------------------------------------------------- */

/* CLAIM reaches it, and it promises (Z2a; voter.c: voter_on_claim). The tests of C2 only
 * make it refuse more often; they are left out. */
inline on_ballot(ballot)
{
    (asked[LIFE(ballot)] & BIT(EPOCH(ballot))) && VOTES(a) && promise[a] != (ballot) &&
        MAY_BIND(a, ballot, names[ballot]);
    printf("%c promises epoch %d to %c\n", NAME(a), EPOCH(ballot), LETTER(LIFE(ballot)));
    bind(a, ballot);
    changed(a);
#ifdef MUTANT_NOSYNCP   /* A promise is answered before the disk has it. */
    if
    :: candidacy[LIFE(ballot)] == (ballot) -> vote[SLOT(LIFE(ballot), a)] = 1 + accepted[a]
    :: else
    fi
#endif
}

/* The grant goes out when the disk holds all that it speaks of, while the promise is the same (Z2f;
 * voter.c: may_answer), and shows the accepted view. */
inline answer_ballot(p)
{
    candidacy[p] != 0 && promise[a] == candidacy[p] && ALL_ON_DISK(a) && VOTES(a) &&
        vote[SLOT(p, a)] == 0;
    printf("%c answers %c: granted, accepted view %d\n", NAME(a), LETTER(p), accepted[a]);
    vote[SLOT(p, a)] = 1 + accepted[a]
}

/* PREPARE reaches it: it promises if need be, accepts a higher view, and leases (Z2a, Z2e; voter.c:
 * voter_on_prepare). */
#ifdef MUTANT_NOPROMISE /* Accepted below a promise. */
#define MAY_ACCEPT(a, ballot) true
#else
#define MAY_ACCEPT(a, ballot) MAY_BIND(a, ballot, 0)
#endif
inline on_prepare(w)
{
    proposed[BALLOT_OF(w)] >= VERSION_OF(w) && VOTES(a) && w > accepted[a] &&
        MAY_ACCEPT(a, BALLOT_OF(w));
    printf("%c accepts view %d.%d of %c\n", NAME(a), EPOCH(BALLOT_OF(w)), VERSION_OF(w),
           LETTER(LIFE(BALLOT_OF(w))));
    if
    :: MAY_BIND(a, BALLOT_OF(w), 0) -> bind(a, BALLOT_OF(w)); until[a] = LEASE
    :: else
    fi;
    accepted[a] = w;
    changed(a);
#ifdef MUTANT_NOSYNCA   /* A view is acknowledged before the disk has it. */
    if
    :: pending[LIFE(BALLOT_OF(w))] == w ->
        took[SLOT(LIFE(BALLOT_OF(w)), a)] = true
    :: else
    fi
#endif
}

/* And acknowledges it when the disk has it (Z2f). Answers to any but the latest proposal are
 * dropped (Z5b), so those need not be told apart from lost ones. */
#ifdef MUTANT_SUPER     /* An answer to a former version counts for the latest. */
#define ANSWERS(w, proposal) (BALLOT_OF(w) == BALLOT_OF(proposal))
#else
#define ANSWERS(w, proposal) ((w) == (proposal))
#endif
inline answer_prepare(p)
{
    pending[p] != 0 && ANSWERS(accepted[a], pending[p]) && ALL_ON_DISK(a) && VOTES(a) &&
#ifndef MUTANT_NOPROMISE
        promise[a] == BALLOT_OF(pending[p]) &&
#endif
        !took[SLOT(p, a)];
    printf("%c answers %c: accepted\n", NAME(a), LETTER(p));
    took[SLOT(p, a)] = true
}

/* A question of a coordinator promises, too (Z2a; voter.c: voter_on_question). */
#define REIGN(p) BALLOT_OF(view[p])
inline on_question(p)
{
    view[p] != 0 && VOTES(a) && promise[a] != REIGN(p) && MAY_BIND(a, REIGN(p), 0);
    printf("%c promises epoch %d to %c upon its question\n", NAME(a), EPOCH(REIGN(p)), LETTER(p));
    bind(a, REIGN(p));
    until[a] = LEASE;
    changed(a)
}

/* --- Leases ----------------------------------------------------------------------------------- */

/* A question renews, and its answer says so (Z6b; voter.c: voter_on_question; lease.c:
 * lease_on_said). */

/* The question is of that reign; or it is the PREPARE that was granted, before its view is committed.
 */
#define PROPOSES(p, a) (pending[p] != 0 && promise[a] == BALLOT_OF(pending[p]) && \
                        BALLOT_OF(accepted[a]) == BALLOT_OF(pending[p]))
#define RENEWS(p, a) ((view[p] != 0 && promise[a] == REIGN(p)) || PROPOSES(p, a))

/* One that is told of a higher epoch takes the place of the former, one of a lower is dropped. */
inline count_grant(p, a, ballot, left)
{
    if
    :: (ballot) > granted[SLOT(p, a)] -> granted[SLOT(p, a)] = ballot; grant[SLOT(p, a)] = left
    :: (ballot) == granted[SLOT(p, a)] && left > grant[SLOT(p, a)] -> grant[SLOT(p, a)] = left
    :: else
    fi
}

#ifdef MUTANT_OWN       /* The coordinator's own vote is counted, and not leased. */
inline renew(p) { if :: a == p :: else -> until[a] = LEASE fi }
#else
inline renew(p) { until[a] = LEASE }
#endif

#ifndef FLIGHT
inline lease(p)
{
#ifdef MUTANT_LEASEFIRST /* A lease is told before the disk has its promise. */
    RENEWS(p, a) && VOTES(a) && !GAVE_UP(p, promise[a]) &&
#else
    RENEWS(p, a) && VOTES(a) && ON_DISK(a) && !GAVE_UP(p, promise[a]) &&
#endif
        (until[a] < LEASE || grant[SLOT(p, a)] < ACT || granted[SLOT(p, a)] < promise[a]);
    printf("%c leases to %c under epoch %d\n", NAME(a), LETTER(p), EPOCH(promise[a]));
    renew(p);
    count_grant(p, a, promise[a], ACT);
    look(p)
}

#ifdef MUTANT_BELOW     /* A heartbeat below the promise gets a lease. */
inline lease_below(p)
{
    view[p] != 0 && VOTES(a) && EPOCH(promise[a]) > EPOCH(REIGN(p));
    printf("%c leases to %c below its promise\n", NAME(a), LETTER(p));
    count_grant(p, a, REIGN(p), ACT);
    look(p)
}
#endif

#ifdef MUTANT_ECHO      /* It says leased, though the question renewed nothing. */
inline lease_stale(p)
{
    VOTES(a) && promise[a] != 0 && LIFE(promise[a]) == p && ON_DISK(a) && until[a] > 0 &&
        !RENEWS(p, a);
    printf("%c says that it leases to %c, and has not renewed it\n", NAME(a), LETTER(p));
    count_grant(p, a, promise[a], ACT);
    look(p)
}
#endif
#else
/* The question is on its way. An older one, or the same once more, brings less. */
inline send_question()
{
    view[p] != 0 && !GAVE_UP(p, REIGN(p)) && sign[p] < ACT;
    printf("%c asks for leases\n", LETTER(p));
    sign[p] = ACT
}

inline on_question_late(p)
{
    sign[p] > 0 && view[p] != 0 && promise[a] == REIGN(p) && VOTES(a) && ON_DISK(a) &&
        (until[a] < LEASE || echo[SLOT(p, a)] < sign[p]);
    printf("%c renews the lease of %c\n", NAME(a), LETTER(p));
    renew(p);
    if
    :: echo[SLOT(p, a)] < sign[p] -> echo[SLOT(p, a)] = sign[p]
    :: else
    fi
}

inline on_echo(a)
{
    echo[SLOT(p, a)] > 0;
    printf("%c hears that %c leases to it\n", LETTER(p), NAME(a));
#ifdef MUTANT_ARRIVAL   /* Counted from when the answer arrives. */
    count_grant(p, a, REIGN(p), ACT);
#else
    count_grant(p, a, REIGN(p), echo[SLOT(p, a)]);
#endif
    echo[SLOT(p, a)] = 0;
    look(p)
}
#endif

/* --- What else befalls a voter ---------------------------------------------------------------- */

inline sync()
{
    !ALL_ON_DISK(a);
    printf("the disk of %c has its promise and its view\n", NAME(a));
    promise_disk[a] = promise[a];
    accepted_disk[a] = accepted[a]
}

#ifdef MUTANT_RESTART   /* A restart ends the lease. */
#define AFTER_RESTART 0
#else
#define AFTER_RESTART LEASE
#endif

/* Z3a; voter.c: voter_start. */
inline restart()
{
    crashes > 0 && promise[a] != 0 && VOTES(a);
    printf("%c crashes and starts anew with its disk\n", NAME(a));
    crashes--;
    promise[a] = promise_disk[a];
    accepted[a] = accepted_disk[a];
    until[a] = (promise[a] == 0 -> 0 : AFTER_RESTART)
}

/* Z3b: it does not vote any more. */
inline lose_disk()
{
    losses > 0 && promise[a] != 0 && VOTES(a);
    printf("%c loses its disk\n", NAME(a));
    losses--;
    promise[a] = 0;
    promise_disk[a] = 0;
    accepted[a] = 0;
    accepted_disk[a] = 0;
    until[a] = 0;
#ifdef MUTANT_RECOVER
    until[a] = LEASE;   /* It waits at first, */
#endif
#ifndef MUTANT_AMNESIA  /* It votes at once. */
    mute[a] = true
#endif
}

#ifdef MUTANT_RECOVER   /* and then asks all others what they have. */
inline recover()
{
    !VOTES(a) && until[a] == 0;
    printf("%c asks all others, and votes again\n", NAME(a));
    mute[a] = false;
    i = 0;
    do
    :: i < VOTERS ->
        if :: promise[a] < promise_disk[i] -> promise[a] = promise_disk[i] :: else fi;
        if :: accepted[a] < accepted_disk[i] -> accepted[a] = accepted_disk[i] :: else fi;
        i++
    :: else -> break
    od;
    promise_disk[a] = promise[a];
    accepted_disk[a] = accepted[a]
}
#endif

/* --- What a life does ------------------------------------------------------------------------- */

inline forget_votes(p)
{
    vote[SLOT(p, 0)] = 0;
    vote[SLOT(p, 1)] = 0;
    vote[SLOT(p, 2)] = 0
}

inline forget_answers(p)
{
    took[SLOT(p, 0)] = false;
    took[SLOT(p, 1)] = false;
    took[SLOT(p, 2)] = false
}

/* An epoch that it has not asked for, and above all that it has (Z4a; candidacy.c: start). That it
 * is above whatever else it has seen is left open. */
inline begin(ballot, by)
{
    asked[p] = asked[p] | BIT(EPOCH(ballot));
    candidacy[p] = ballot;
    names[ballot] = by;
    forget_votes(p);
    pending[p] = 0;
    forget_answers(p)
}
#if defined ONCE && defined REIGNED
#define MAY_ASK(epoch) (asked[p] >> 2 == 0 && asked[p] >> (epoch) == 0)
#elif defined ONCE
#define MAY_ASK(epoch) (asked[p] == 0)
#else
#define MAY_ASK(epoch) ((asked[p] >> (epoch)) == 0)
#endif

inline ask(epoch)
{
    MAY_ASK(epoch);
    printf("%c asks for epoch %d\n", LETTER(p), epoch);
    begin(BALLOT(epoch, p), 0)
}

/* The same after a HANDOVER of r (Z7a; candidacy.c: candidacy_on_handover). */
inline ask_after(epoch, r)
{
    MAY_ASK(epoch) && r != p && handed[r] != 0 && handed[r] < epoch;
    printf("%c asks for epoch %d, handed over by %c under epoch %d\n", LETTER(p), epoch, LETTER(r),
           handed[r]);
    begin(BALLOT(epoch, p), BALLOT(handed[r], r))
}

/* The former one has lived on, and says so only when that life asks already: it asks on under the
 * same epoch, and names it from now on (Z7c; candidacy.c: candidacy_on_evidence). */
inline name(r)
{
    candidacy[p] != 0 && names[candidacy[p]] == 0 && r != p && handed[r] != 0 &&
        handed[r] < EPOCH(candidacy[p]);
    printf("%c asks on for epoch %d, handed over by %c under epoch %d\n", LETTER(p),
           EPOCH(candidacy[p]), LETTER(r), handed[r]);
    names[candidacy[p]] = BALLOT(handed[r], r)
}

#ifdef MUTANT_SHORTCUT  /* The successor proposes under the next epoch without asking for it. */
inline skip_ballot(epoch, r)
{
    MAY_ASK(epoch) && r != p && handed[r] + 1 == epoch && handed[r] != 0 && view[r] != 0;
    printf("%c proposes under epoch %d without asking\n", LETTER(p), epoch);
    begin(BALLOT(epoch, p), 0);
    candidacy[p] = 0;
    pending[p] = VIEW(BALLOT(epoch, p), 1);
    proposed[BALLOT(epoch, p)] = 1;
    base[pending[p]] = view[r]
}
#endif

/* A quorum has granted: the highest view that they have shown is what the new one is built on (Z4c;
 * candidacy.c: win, consider). What it proposed in its present reign and gave up is left aside: in
 * place of that stands the view that it holds (succession.c: succession_on_accepted). Which of the
 * answers came is left open. */
#define OF_ITS_REIGN(p, w) (view[p] != 0 && BALLOT_OF(w) == REIGN(p))
#define SHOWN(p, a) (OF_ITS_REIGN(p, vote[SLOT(p, a)] - 1) -> view[p] : vote[SLOT(p, a)] - 1)
inline win(one, other)
{
    candidacy[p] != 0 && vote[SLOT(p, one)] != 0 && vote[SLOT(p, other)] != 0;
    printf("%c has a quorum for epoch %d and proposes\n", LETTER(p), EPOCH(candidacy[p]));
    pending[p] = VIEW(candidacy[p], 1);
    proposed[candidacy[p]] = 1;
    h = SHOWN(p, one);
    k = SHOWN(p, other);
#ifdef MUTANT_LOWER     /* On the lowest. */
    base[pending[p]] = (h < k -> h : k);
#else
    base[pending[p]] = (h > k -> h : k);
#endif
    forget_answers(p);
    candidacy[p] = 0;
    forget_votes(p)
}

/* A further change of its reign, or the one under way made anew: on what is committed, under the
 * next version (V2a, Z5b; change_propose.c: change_start_next; change_commit.c:
 * propose_what_is_left). */
inline propose()
{
    view[p] != 0 && proposed[REIGN(p)] < VERSIONS;
    proposed[REIGN(p)]++;
    pending[p] = VIEW(REIGN(p), proposed[REIGN(p)]);
    printf("%c proposes version %d\n", LETTER(p), proposed[REIGN(p)]);
    base[pending[p]] = view[p];
    forget_answers(p)
}

/* The first proposal of a reign, made anew while it waits for voters: on the same view, under the
 * next version (C4f, Z5b; candidacy.c: propose_anew). */
inline propose_anew()
{
    pending[p] != 0 && BALLOT_OF(pending[p]) != REIGN(p) &&
        proposed[BALLOT_OF(pending[p])] < VERSIONS;
    k = BALLOT_OF(pending[p]);
    proposed[k]++;
    printf("%c proposes version %d in place of its first\n", LETTER(p), proposed[k]);
    base[VIEW(k, proposed[k])] = base[pending[p]];
    pending[p] = VIEW(k, proposed[k]);
    forget_answers(p)
}

/* Z5a; change_commit.c: change_continue, commit. */
inline commit()
{
    pending[p] != 0 && took[SLOT(p, 0)] + took[SLOT(p, 1)] + took[SLOT(p, 2)] >= QUORUM;
    printf("%c commits view %d.%d\n", LETTER(p), EPOCH(BALLOT_OF(pending[p])),
           VERSION_OF(pending[p]));
#ifdef FLIGHT
    if
    :: REIGN(p) != BALLOT_OF(pending[p]) -> /* What is on its way is of the former reign. */
        sign[p] = 0;
        echo[SLOT(p, 0)] = 0;
        echo[SLOT(p, 1)] = 0;
        echo[SLOT(p, 2)] = 0
    :: else
    fi;
#endif
    commit_view(p, pending[p]);
    pending[p] = 0;
    forget_answers(p);
    candidacy[p] = 0;
    forget_votes(p);
    look(p)
}

#ifdef CLIENTS
/* Whoever asks is told until when it acts: the end of the lease that a quorum still has (G2b, Z6a;
 * lease.c: lease_acts_until), and may rely on it, whatever becomes of the process. */
#define LEFT(p, a) (COUNTS(p, a) -> grant[SLOT(p, a)] : 0)
#define LESS(x, y) ((x) < (y) -> (x) : (y))
inline tell(p)
{
    MAY_ACT(p);
    i = LESS(LEFT(p, 0), LEFT(p, 1));
    j = LESS(LEFT(p, 0), LEFT(p, 2));
    k = LESS(LEFT(p, 1), LEFT(p, 2));
    printf("%c tells a client that it acts\n", LETTER(p));
    if :: i > told[p] -> told[p] = i :: else fi;
    if :: j > told[p] -> told[p] = j :: else fi;
    if :: k > told[p] -> told[p] = k :: else fi
}
#ifdef MUTANT_FLAG      /* It hands over by what it believed last, not by the clock. */
#define IS_FREE(p) true
#else
#define IS_FREE(p) (told[p] == 0)
#endif
#else
#define IS_FREE(p) true
#endif

/* It stops acting under this epoch and all below, for good, and only then says so (Z7a, Z7b;
 * succession.c: succession_hand_over). It may go on with what it has under way, and ask for a
 * higher epoch. */
inline hand_over()
{
    view[p] != 0 && handed[p] < EPOCH(REIGN(p)) && IS_FREE(p);
    printf("%c hands over epoch %d\n", LETTER(p), EPOCH(REIGN(p)));
    handed[p] = EPOCH(REIGN(p));
#ifndef MUTANT_TRANSFER
    i = 0;
    do
    :: i < VOTERS -> /* Those leases count no more. */
        if
        :: EPOCH(granted[SLOT(p, i)]) <= handed[p] -> grant[SLOT(p, i)] = 0; granted[SLOT(p, i)] = 0
        :: else
        fi;
        i++
    :: else -> break
    od
#endif
}

#ifdef MUTANT_CACHED
inline pause()
{
    MAY_ACT(p) && looked[p] == 0;
    printf("%c finds that it acts, and pauses\n", LETTER(p));
    looked[p] = view[p]
}
#endif

/* --- Time ------------------------------------------------------------------------------------- */

#ifdef CLIENTS
#define TOLD(p) told[p]
#else
#define TOLD(p) 0
#endif
#ifdef FLIGHT
#define LIFE_RUNS(p) (grant[SLOT(p, 0)] + grant[SLOT(p, 1)] + grant[SLOT(p, 2)] + TOLD(p) + \
                      sign[p] + echo[SLOT(p, 0)] + echo[SLOT(p, 1)] + echo[SLOT(p, 2)] > 0)
#else
#define LIFE_RUNS(p) (grant[SLOT(p, 0)] + grant[SLOT(p, 1)] + grant[SLOT(p, 2)] + TOLD(p) > 0)
#endif
#if LIVES == 2
#define SOMETHING_RUNS (until[0] + until[1] + until[2] > 0 || LIFE_RUNS(0) || LIFE_RUNS(1))
#else
#define SOMETHING_RUNS (until[0] + until[1] + until[2] > 0 || LIFE_RUNS(0) || LIFE_RUNS(1) || \
                        LIFE_RUNS(2))
#endif

inline run_down(count, by)
{
    count = (count > by -> count - by : 0)
}

#ifdef RATES            /* Left open for each clock that something runs on. */
#define RATE_OF_VOTER(i) ((rates & BIT(i)) -> FAST : SLOW)
#define RATE_OF_LIFE(i) ((rates & BIT(VOTERS + (i))) -> FAST : SLOW)
#else                   /* The worst: voters' leases end early, coordinators count for long. */
#define RATE_OF_VOTER(i) FAST
#define RATE_OF_LIFE(i) SLOW
#endif

inline tick()
{
    SOMETHING_RUNS;
    printf("time passes\n");
    i = 0;
    do
    :: i < VOTERS ->
        run_down(until[i], RATE_OF_VOTER(i));
        i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < LIVES ->
        k = RATE_OF_LIFE(i);
#ifdef CLIENTS
        run_down(told[i], k);
#endif
#ifdef FLIGHT
        run_down(sign[i], k);
#endif
        j = 0;
        do
        :: j < VOTERS ->
#ifdef FLIGHT
            run_down(echo[SLOT(i, j)], k);
#endif
            run_down(grant[SLOT(i, j)], k);
            if :: grant[SLOT(i, j)] == 0 -> granted[SLOT(i, j)] = 0 :: else fi;
#ifdef HOLD             /* What it counts, the voter keeps, unless it lost its disk. */
            assert(grant[SLOT(i, j)] == 0 || GAVE_UP(i, granted[SLOT(i, j)]) || !VOTES(j) ||
                   (until[j] > 0 && LIFE(promise[j]) == i));
#endif
            j++
        :: else -> break
        od;
        i++
    :: else -> break
    od
}

/* --- After all faults ------------------------------------------------------------------------- */

/* Y2 for this part of the rules: nobody says anything for a lease, then one life asks two voters
 * that have records, and nothing is lost any more. It must come to act, on the chain. */
inline heal(p, one, other)
{
    VOTES(one) && VOTES(other);
    printf("faults end: %c asks %c and %c\n", LETTER(p), NAME(one), NAME(other));
    i = 0;
    do
    :: i < VOTERS -> until[i] = 0; grant[SLOT(0, i)] = 0; grant[SLOT(1, i)] = 0;
        grant[SLOT(LIVES - 1, i)] = 0; i++
    :: else -> break
    od;
    k = BALLOT(EPOCHS + 1, p);
    assert(MAY_BIND(one, k, 0) && MAY_BIND(other, k, 0));
    base[VIEW(k, 1)] = (accepted[one] > accepted[other] -> accepted[one] : accepted[other]);
    commit_view(p, VIEW(k, 1));
    grant[SLOT(p, one)] = ACT;
    granted[SLOT(p, one)] = k;
    grant[SLOT(p, other)] = ACT;
    granted[SLOT(p, other)] = k;
    assert(ACTS(p));
    look(p);
    forget_all()
}

inline forget_all()     /* Where a run ends, all are alike. */
{
    i = 0;
    do
    :: i < VOTERS ->
        promise[i] = 0; promise_disk[i] = 0; accepted[i] = 0; accepted_disk[i] = 0;
        mute[i] = false; i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < LIVES ->
        candidacy[i] = 0; pending[i] = 0; view[i] = 0; handed[i] = 0; asked[i] = 0; i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < LIVES * VOTERS -> grant[i] = 0; granted[i] = 0; vote[i] = 0; took[i] = false; i++
    :: else -> break
    od;
    i = 0;
    do
    :: i <= BALLOT_SPACE -> names[i] = 0; proposed[i] = 0; i++
    :: else -> break
    od;
    i = 0;
    do
    :: i <= VIEW_SPACE -> base[i] = 0; i++
    :: else -> break
    od;
    acted = 0; top = 0; crashes = 0; losses = 0; over = true
}

/* --- Voters are alike ------------------------------------------------------------------------- */

/* Where nothing tells one voter from another but its letter, states that differ by an exchange of
 * letters are one: SORT puts the voters into an order after each step. The order need not be a
 * total one, for any exchange is as good as none. A story would lose track of who is who, so
 * mutants do without. */
#ifdef SORT
#define WEIGHT(a) (promise[a] + (accepted[a] << 3) + (until[a] << 7) + \
                   (vote[SLOT(0, a)] << 11) + (vote[SLOT(1, a)] << 15) + \
                   (took[SLOT(0, a)] << 19) + (took[SLOT(1, a)] << 20) + \
                   (grant[SLOT(0, a)] << 21) + (grant[SLOT(1, a)] << 25))
inline swap(one, other)
{
    h = one;
    one = other;
    other = h
}

inline order(a, b)
{
    if
    :: WEIGHT(a) > WEIGHT(b) ->
        swap(promise[a], promise[b]);
        swap(promise_disk[a], promise_disk[b]);
        swap(accepted[a], accepted[b]);
        swap(accepted_disk[a], accepted_disk[b]);
        swap(until[a], until[b]);
        swap(mute[a], mute[b]);
        k = 0;
        do
        :: k < LIVES ->
            swap(grant[SLOT(k, a)], grant[SLOT(k, b)]);
            swap(granted[SLOT(k, a)], granted[SLOT(k, b)]);
            swap(vote[SLOT(k, a)], vote[SLOT(k, b)]);
            swap(took[SLOT(k, a)], took[SLOT(k, b)]);
#ifdef FLIGHT
            swap(echo[SLOT(k, a)], echo[SLOT(k, b)]);
#endif
            k++
        :: else -> break
        od
    :: else
    fi
}

inline normalize() { order(0, 1); order(1, 2); order(0, 1) }
#else
inline normalize() { skip }
#endif

/* --- Everybody -------------------------------------------------------------------------------- */

/* One alternative for each ballot, view, epoch and life. */
#define STEP(what) :: d_step { what; normalize(); i = 0; j = 0; k = 0; h = 0 }
#if LIVES == 2
#define EACH_LIFE(what) STEP(what(0)) STEP(what(1))
#else
#define EACH_LIFE(what) STEP(what(0)) STEP(what(1)) STEP(what(2))
#endif
#if BALLOTS == 4
#define EACH_BALLOT(what) STEP(what(1)) STEP(what(2)) STEP(what(3)) STEP(what(4))
#else
#define EACH_BALLOT(what) STEP(what(1)) STEP(what(2)) STEP(what(3)) STEP(what(4)) STEP(what(5)) \
    STEP(what(6))
#endif
#if VIEWS == 4
#define EACH_VIEW(what) STEP(what(1)) STEP(what(2)) STEP(what(3)) STEP(what(4))
#elif VIEWS == 6
#define EACH_VIEW(what) STEP(what(1)) STEP(what(2)) STEP(what(3)) STEP(what(4)) STEP(what(5)) \
    STEP(what(6))
#elif VIEWS == 8
#define EACH_VIEW(what) STEP(what(1)) STEP(what(2)) STEP(what(3)) STEP(what(4)) STEP(what(5)) \
    STEP(what(6)) STEP(what(7)) STEP(what(8))
#else
#define EACH_VIEW(what) STEP(what(1)) STEP(what(2)) STEP(what(3)) STEP(what(4)) STEP(what(5)) \
    STEP(what(6)) STEP(what(7)) STEP(what(8)) STEP(what(9)) STEP(what(10)) STEP(what(11)) \
    STEP(what(12))
#endif
#if EPOCHS == 2
#define EACH_EPOCH(what) STEP(what(1)) STEP(what(2))
#define EACH_EPOCH_AFTER(what, r) STEP(what(2, r))
#else
#define EACH_EPOCH(what) STEP(what(1)) STEP(what(2)) STEP(what(3))
#define EACH_EPOCH_AFTER(what, r) STEP(what(2, r)) STEP(what(3, r))
#endif

proctype voter(byte a) provided (!over)
{
    do
    EACH_BALLOT(on_ballot)
    EACH_LIFE(answer_ballot)
    EACH_VIEW(on_prepare)
    EACH_LIFE(answer_prepare)
    EACH_LIFE(on_question)
#ifdef FLIGHT
    EACH_LIFE(on_question_late)
#else
    EACH_LIFE(lease)
#endif
#ifdef MUTANT_BELOW
    EACH_LIFE(lease_below)
#endif
#ifdef MUTANT_ECHO
    EACH_LIFE(lease_stale)
#endif
#if DISK > 0
    STEP(sync())
#endif
#if CRASHES > 0
    STEP(restart())
#endif
#if LOSSES > 0
    STEP(lose_disk())
#endif
#ifdef MUTANT_RECOVER
    STEP(recover())
#endif
    od
}

proctype life(byte p) provided (!over)
{
    do
    EACH_EPOCH(ask)
    STEP(win(0, 1))
    STEP(win(0, 2))
    STEP(win(1, 2))
#if QUORUM == 1
    STEP(win(0, 0))
    STEP(win(1, 1))
    STEP(win(2, 2))
#endif
#if VERSIONS > 1
    STEP(propose())
#endif
#ifdef ANEW
    STEP(propose_anew())
#endif
    STEP(commit())
#ifdef FLIGHT
    STEP(send_question())
    STEP(on_echo(0))
    STEP(on_echo(1))
    STEP(on_echo(2))
#endif
#ifdef HANDOVER
    STEP(hand_over())
    EACH_EPOCH_AFTER(ask_after, 0)
    EACH_EPOCH_AFTER(ask_after, 1)
#if LIVES == 3
    EACH_EPOCH_AFTER(ask_after, 2)
#endif
    EACH_LIFE(name)
#endif
#ifdef MUTANT_SHORTCUT
    EACH_EPOCH_AFTER(skip_ballot, 0)
    EACH_EPOCH_AFTER(skip_ballot, 1)
#endif
#ifdef CLIENTS
    STEP(tell(p))
#endif
#ifdef MUTANT_CACHED
    STEP(pause())
#endif
    od
}

proctype time() provided (!over)
{
    do
#ifdef RATES
    :: atomic {
        SOMETHING_RUNS;
        if :: until[0] > 0 -> if :: rates = rates | BIT(0) :: true fi :: else fi;
        if :: until[1] > 0 -> if :: rates = rates | BIT(1) :: true fi :: else fi;
        if :: until[2] > 0 -> if :: rates = rates | BIT(2) :: true fi :: else fi;
        if :: LIFE_RUNS(0) -> if :: rates = rates | BIT(3) :: true fi :: else fi;
        if :: LIFE_RUNS(1) -> if :: rates = rates | BIT(4) :: true fi :: else fi;
        d_step { tick(); rates = 0; normalize(); i = 0; j = 0; k = 0; h = 0 }
    }
#else
    STEP(tick())
#endif
    od
}

#ifdef LIVE
proctype end_of_faults() provided (!over)
{
    do
    STEP(heal(0, 0, 1))
    STEP(heal(0, 0, 2))
    STEP(heal(0, 1, 2))
    STEP(heal(1, 0, 1))
    STEP(heal(1, 0, 2))
    STEP(heal(1, 1, 2))
    od
}
#endif

init
{
    atomic {
#ifdef REIGNED
        i = 0;
        do
        :: i < VOTERS ->
            promise[i] = 1;
            promise_disk[i] = 1;
            accepted[i] = 1;
            accepted_disk[i] = 1;
            i++
        :: else -> break
        od;
        i = 0;
        asked[0] = BIT(1);
        proposed[1] = 1;
        view[0] = 1;
        top = 1;
        acted = 1;
#endif
        run voter(0);
        run voter(1);
        run voter(2);
        run life(0);
        run life(1);
#if LIVES == 3
        run life(2);
#endif
        run time();
#ifdef LIVE
        run end_of_faults()
#endif
    }
}
