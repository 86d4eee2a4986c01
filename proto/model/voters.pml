/* Voters that change while the cluster runs (Z10 to Z12) as a model for the checker Spin: four
 * records, of which a view names some in one list or in two, and two or three lives that want to
 * coordinate. README.md beside this file says which step stands for which clause and which source
 * file, what is left out and why that is safe.
 *
 * How to read it. It is built like strict.pml: each `inline` is one atomic step, whose first line
 * says when it can be taken; which step comes next is left open, always; what was said once can be
 * received at any later time, again and again, or never. A process that never takes a step again
 * has crashed, or is stopped. A record is what votes (Z10b): who lost its disk and got another
 * record is another one here.
 *
 * What is checked: at each commit, that of all committed views one is built on the other (S17); at
 * each claim that is won, that nobody else has won that epoch; and with LEASES, wherever somebody
 * may begin to act, that nobody else does (S9), and that epochs of those who act rise (S10). */

/* --- The size of an instance: -DNAME=VALUE ---------------------------------------------------- */

#ifndef LIVES
#define LIVES 2         /* who may claim: X, Y, Z */
#endif
#ifndef EPOCHS
#define EPOCHS 2
#endif
#ifndef VERSIONS
#define VERSIONS 3      /* views that one reign may propose */
#endif
#ifndef CHANGES
#define CHANGES 1       /* changes of the voters that are begun, all of them together */
#endif
#ifndef LOSSES
#define LOSSES 0        /* disks that are lost */
#endif
/* The rest is on or off.
 * FREELY   whoever coordinates may also add a voter, or remove one; else one is replaced
 * STEADY   a proposal is not given up, but for a claim
 * LEASES   voters lease, and acting needs that. Without, nothing holds a promise up: a lease only
 *          keeps a voter from promising, so S17 is checked with more than can happen
 * REIGNED  X has reigned under epoch 1: A, B and C hold its view
 * BEGUN    the same, and X has begun to replace C by D and is gone: A and D hold that
 * NARROW   only C is replaced, by D, and nothing else is proposed
 * ONCE     a life asks for one epoch at the most, besides that with REIGNED or BEGUN
 * SORT     states that differ only by which record is called A are one, see normalize */

/* --- Names and numbers ------------------------------------------------------------------------ */

#define RECORDS 4       /* A, B and C are the list of the founding; D is named by no view yet */

/* A ballot is an epoch and the life that it is of (Z2a), as one number; 0 is none. */
#define BALLOTS (EPOCHS * LIVES)
#define BALLOT(epoch, life) (((epoch) - 1) * LIVES + (life) + 1)
#define EPOCH(ballot) (((ballot) + LIVES - 1) / LIVES)
#define LIFE(ballot) (((ballot) - 1) % LIVES)

/* A view is named by its maker's ballot and a version (V2); 0 is that of the founding, which is
 * committed. Of two the higher number is the higher view: no two lives make views under one epoch,
 * or a property has failed already. */
#define VIEWS (BALLOTS * VERSIONS)
#define VIEW(ballot, version) (((ballot) - 1) * VERSIONS + (version))
#define BALLOT_OF(view) (((view) + VERSIONS - 1) / VERSIONS)
#define VERSION_OF(view) ((view) == 0 -> 0 : (view) - (BALLOT_OF(view) - 1) * VERSIONS)

#define BIT(i) (1 << (i))
#define NAME(record) ('A' + (record))
#define LETTER(life) ('X' + (life))

/* --- Views, and whom they name (Z10a) --------------------------------------------------------- */

byte base[VIEWS + 1];                   /* the view that each is built on */
int now[RECORDS];                       /* a bit for each view that names the record in the list */
int before[RECORDS];                    /* that holds, or in the one that is being left */

#define IN(list, a, w) ((list[a] >> (w)) & 1)
#define LENGTH(list, w) (IN(list, 0, w) + IN(list, 1, w) + IN(list, 2, w) + IN(list, 3, w))
#define IS_JOINT(w) (LENGTH(before, w) > 0)
#define IS_NAMED(a, w) (IN(now, a, w) || IN(before, a, w))

/* More than half of a list: of those who are in it, more are in the set that is given by a, b, c
 * and d than are not. */
#ifdef MUTANT_ANYVOTER  /* Who is in no list counts. */
#define MOST(list, w, a, b, c, d) (2 * ((a) + (b) + (c) + (d)) > LENGTH(list, w))
#else
#define VOICE(list, r, w, yes) (IN(list, r, w) * (2 * (yes) - 1))
#define MOST(list, w, a, b, c, d) \
    (VOICE(list, 0, w, a) + VOICE(list, 1, w, b) + VOICE(list, 2, w, c) + VOICE(list, 3, w, d) > 0)
#endif
#define AGREE(w, a, b, c, d) \
    (MOST(now, w, a, b, c, d) && (!IS_JOINT(w) || MOST(before, w, a, b, c, d)))

/* --- What a record holds ---------------------------------------------------------------------- */

byte promise[RECORDS];
byte accepted[RECORDS];
bool lost[RECORDS];                     /* its disk is lost: it votes no more (Z3b) */
bool bound[RECORDS];                    /* its lease still runs */

/* --- What a life is --------------------------------------------------------------------------- */

byte asked[LIVES];                      /* the highest epoch that it has asked for */
byte candidacy[LIVES];                  /* the ballot that it asks for, 0: none (Z4a) */
byte pending[LIVES];                    /* its proposal that is under way, 0: none (U1) */
byte view[LIVES];                       /* its own view that is committed, 0: none */
#define SLOT(life, record) ((life) * RECORDS + (record))

/* --- What was said, and can be received ------------------------------------------------------- */

byte proposed[BALLOTS + 1];             /* PREPARE: the versions up to this one */
byte vote[LIVES * RECORDS];             /* VOTE for its candidacy: 1 + the view shown; 0: none */
bool took[LIVES * RECORDS];             /* VOTE for its proposal: accepted */
byte leased[LIVES * RECORDS];           /* the ballot for which its lease counts (Z6a), 0: none */

/* --- What has been, for the properties -------------------------------------------------------- */

byte top;                               /* the highest view that was committed */
byte acted;                             /* the ballot under which somebody acted last */
byte changes = CHANGES, losses = LOSSES;

byte i, j, k, h;                        /* 0 but within a step */

/* --- Stories ---------------------------------------------------------------------------------- */

#define IF_IN(list, a, w) (IN(list, a, w) -> NAME(a) : '-')
inline tell(p, w)
{
    if
    :: IS_JOINT(w) ->
        printf("%c proposes view %d.%d on %d.%d, of %c%c%c%c in place of %c%c%c%c\n", LETTER(p),
               EPOCH(BALLOT_OF(w)), VERSION_OF(w), EPOCH(BALLOT_OF(base[w])), VERSION_OF(base[w]),
               IF_IN(now, 0, w), IF_IN(now, 1, w), IF_IN(now, 2, w), IF_IN(now, 3, w),
               IF_IN(before, 0, w), IF_IN(before, 1, w), IF_IN(before, 2, w), IF_IN(before, 3, w))
    :: else ->
        printf("%c proposes view %d.%d on %d.%d, of %c%c%c%c\n", LETTER(p), EPOCH(BALLOT_OF(w)),
               VERSION_OF(w), EPOCH(BALLOT_OF(base[w])), VERSION_OF(base[w]), IF_IN(now, 0, w),
               IF_IN(now, 1, w), IF_IN(now, 2, w), IF_IN(now, 3, w))
    fi
}

/* --- Acting (Z6a, Z10c: by the installed view) ------------------------------------------------ */

#define REIGN(p) BALLOT_OF(view[p])
#ifdef LEASES
#define COUNTS(p, a) (leased[SLOT(p, a)] == REIGN(p))
#ifdef MUTANT_LEASENEW  /* By the list that is proposed. */
#define ACTS_BY(p) (pending[p] != 0 && BALLOT_OF(pending[p]) == REIGN(p) -> pending[p] : view[p])
#define MAY_ACT(p) (view[p] != 0 && \
    MOST(now, ACTS_BY(p), COUNTS(p, 0), COUNTS(p, 1), COUNTS(p, 2), COUNTS(p, 3)))
#elif defined MUTANT_LEASEOLD /* Of two lists by the old one. */
#define MAY_ACT(p) (view[p] != 0 && (IS_JOINT(view[p]) -> \
    MOST(before, view[p], COUNTS(p, 0), COUNTS(p, 1), COUNTS(p, 2), COUNTS(p, 3)) : \
    MOST(now, view[p], COUNTS(p, 0), COUNTS(p, 1), COUNTS(p, 2), COUNTS(p, 3))))
#else
#define MAY_ACT(p) (view[p] != 0 && \
    AGREE(view[p], COUNTS(p, 0), COUNTS(p, 1), COUNTS(p, 2), COUNTS(p, 3)))
#endif

/* S9, S10: looked at wherever somebody may begin to act. */
inline look(p)
{
    if
    :: MAY_ACT(p) ->
        assert(!MAY_ACT((p + 1) % LIVES));                                      /* S9 */
        assert(LIVES == 2 || !MAY_ACT((p + 2) % LIVES));
        k = REIGN(p);
        assert(EPOCH(k) > EPOCH(acted) || k == acted);                          /* S10 */
        acted = k
    :: else
    fi
}
#else
inline look(p) { skip }
#endif

/* --- The chain -------------------------------------------------------------------------------- */

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

/* --- What a record does (Z2; voter.c) --------------------------------------------------------- */

#define VOTES(a) (!lost[a])
#ifdef LEASES
#define HELD(a, ballot) (bound[a] && LIFE(promise[a]) != LIFE(ballot))
#else
#define HELD(a, ballot) false
#endif
#define MAY_BIND(a, ballot) \
    (promise[a] == (ballot) || (EPOCH(ballot) > EPOCH(promise[a]) && !HELD(a, ballot)))

inline bind(a, ballot)
{
#ifdef LEASES
    if
    :: promise[a] != 0 && LIFE(promise[a]) != LIFE(ballot) -> bound[a] = false
    :: else
    fi;
#endif
    promise[a] = ballot
}

/* CLAIM reaches it, it promises, and shows the view that it has accepted, whatever list that
 * names it in or not (Z2a, Z4c). Its answer stays until the candidacy ends: what it accepts later
 * under a higher promise is not what it has said. One that nobody waits for any more, and a promise
 * for which nobody asks any more, only hold others up. */
inline on_ballot(p)
{
    candidacy[p] != 0 && vote[SLOT(p, a)] == 0 && VOTES(a) && MAY_BIND(a, candidacy[p]);
    printf("%c promises epoch %d to %c and shows view %d.%d\n", NAME(a), EPOCH(candidacy[p]),
           LETTER(p), EPOCH(BALLOT_OF(accepted[a])), VERSION_OF(accepted[a]));
    bind(a, candidacy[p]);
    vote[SLOT(p, a)] = 1 + accepted[a]
}

#ifdef MUTANT_FORMERLY     /* An answer to a former version counts for the latest. */
#define ANSWERS(w, proposal) (BALLOT_OF(w) == BALLOT_OF(proposal))
#else
#define ANSWERS(w, proposal) ((w) == (proposal))
#endif

/* PREPARE reaches one that the view names, now or much later; it accepts what is higher (Z2e,
 * Z5a; voting.c: voting_on_prepare). An answer to what was given up is dropped (Z5b). */
#ifdef MUTANT_ANYVOTER
#define IS_ASKED(a, w) true
#else
#define IS_ASKED(a, w) IS_NAMED(a, w)
#endif
inline on_prepare(w)
{
    proposed[BALLOT_OF(w)] >= VERSION_OF(w) && w > accepted[a] && IS_ASKED(a, w) && VOTES(a) &&
        MAY_BIND(a, BALLOT_OF(w));
    printf("%c accepts view %d.%d of %c\n", NAME(a), EPOCH(BALLOT_OF(w)), VERSION_OF(w),
           LETTER(LIFE(BALLOT_OF(w))));
    bind(a, BALLOT_OF(w));
    accepted[a] = w;
    k = LIFE(BALLOT_OF(w));
    if
    :: pending[k] != 0 && ANSWERS(w, pending[k]) ->
        took[SLOT(k, a)] = true
    :: else
    fi;
#ifdef LEASES
    bound[a] = true;
    if
    :: pending[k] == w -> leased[SLOT(k, a)] = BALLOT_OF(w); look(k)
    :: else
    fi
#endif
}

#ifdef LEASES
/* A coordinator asks for its lease, or a proposal is repeated; it promises, too, if it may. What is
 * counted is counted when it is given, which is the longest that it can count (Z6a, Z6b). Anybody
 * may be asked; by which lists it counts is another question. */
inline lease(p, ballot)
{
    VOTES(a) && (ballot) != 0 && MAY_BIND(a, ballot) &&
        (promise[a] != (ballot) || !bound[a] || leased[SLOT(p, a)] < (ballot));
    printf("%c leases to %c under epoch %d\n", NAME(a), LETTER(p), EPOCH(ballot));
    bind(a, ballot);
    bound[a] = true;
    if
    :: (ballot) > leased[SLOT(p, a)] -> leased[SLOT(p, a)] = ballot
    :: else
    fi;
    look(p)
}
inline lease_reign(p) { lease(p, (view[p] == 0 -> 0 : REIGN(p))) }

/* All leases end, and just before that nobody counts them any more: one tick of strict.pml, where
 * clocks are at the worst. */
#define RUNS(p, a) (leased[SLOT(p, a)] != 0)
inline tick()
{
    bound[0] || bound[1] || bound[2] || bound[3];
    printf("time passes\n");
    i = 0;
    do
    :: i < RECORDS -> bound[i] = false; i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < LIVES * RECORDS -> leased[i] = 0; i++
    :: else -> break
    od
}
#endif

/* Z3b. Its node may get another record, which is another voter (Z10b, Z11e). */
inline lose_disk()
{
    losses > 0 && promise[a] != 0 && VOTES(a);
    printf("%c loses its disk\n", NAME(a));
    losses--;
    promise[a] = 0;
    accepted[a] = 0;
    bound[a] = false;
#ifndef MUTANT_NORECID  /* It votes again, under the same name. */
    lost[a] = true
#endif
}

/* --- What a life does ------------------------------------------------------------------------- */

inline forget_votes(p)
{
    vote[SLOT(p, 0)] = 0; vote[SLOT(p, 1)] = 0; vote[SLOT(p, 2)] = 0; vote[SLOT(p, 3)] = 0
}

inline forget_answers(p)
{
    took[SLOT(p, 0)] = false; took[SLOT(p, 1)] = false;
    took[SLOT(p, 2)] = false; took[SLOT(p, 3)] = false
}

#if defined REIGNED || defined BEGUN
#define FIRST 2         /* the first epoch that is left */
#else
#define FIRST 1
#endif
#ifdef ONCE
#define MAY_ASK(epoch) (asked[p] < FIRST)
#else
#define MAY_ASK(epoch) (asked[p] < (epoch))
#endif

/* Z4a; candidacy.c: start. */
inline ask(epoch)
{
    (epoch) >= FIRST && MAY_ASK(epoch);
    printf("%c asks for epoch %d\n", LETTER(p), epoch);
    asked[p] = epoch;
    candidacy[p] = BALLOT(epoch, p);
    pending[p] = 0;
    forget_votes(p);
    forget_answers(p)
}

/* What it proposed in its present reign and gave up is left aside: in place of that stands the view
 * that it holds (succession.c: succession_on_accepted). */
#define OF_ITS_REIGN(p, w) (view[p] != 0 && BALLOT_OF(w) == REIGN(p))
#define SHOWN(p, a) (OF_ITS_REIGN(p, vote[SLOT(p, a)] - 1) -> view[p] : vote[SLOT(p, a)] - 1)
#define SHOWS(p, a, w) (vote[SLOT(p, a)] != 0 && SHOWN(p, a) == (w))
#define IS_SHOWN(p, w) ((w) == view[p] || SHOWS(p, 0, w) || SHOWS(p, 1, w) || SHOWS(p, 2, w) || \
                        SHOWS(p, 3, w))

/* The grants that show no higher view than this. Which of the answers came is left open; of those
 * that show no higher one all help. */
#define GRANTS(p, a, w) (vote[SLOT(p, a)] != 0 && SHOWN(p, a) <= (w))

#define GRANTED_BY(list, by, w) \
    MOST(list, by, GRANTS(p, 0, w), GRANTS(p, 1, w), GRANTS(p, 2, w), GRANTS(p, 3, w))
#if defined MUTANT_CLAIMOWN     /* By the view that the candidate knows of itself. */
#define IS_WON(w) (GRANTED_BY(now, view[p], w) && \
                   (!IS_JOINT(view[p]) || GRANTED_BY(before, view[p], w)))
#elif defined MUTANT_CLAIMOLD   /* Of two lists by the old one. */
#define IS_WON(w) (IS_JOINT(w) -> GRANTED_BY(before, w, w) : GRANTED_BY(now, w, w))
#elif defined MUTANT_CLAIMNEW   /* Of two lists by the new one. */
#define IS_WON(w) GRANTED_BY(now, w, w)
#else
#define IS_WON(w) (GRANTED_BY(now, w, w) && (!IS_JOINT(w) || GRANTED_BY(before, w, w)))
#endif

inline name(a, w, is_now, is_before)
{
    if :: (is_now) -> now[a] = now[a] | BIT(w) :: else fi;
    if :: (is_before) -> before[a] = before[a] | BIT(w) :: else fi
}

inline same_lists(w, from)
{
    i = 0;
    do
    :: i < RECORDS -> name(i, w, IN(now, i, from), IN(before, i, from)); i++
    :: else -> break
    od
}

/* With the new list alone (Z11b; voters_change.c: settle). */
inline settled_lists(w, from)
{
    i = 0;
    do
    :: i < RECORDS -> name(i, w, IN(now, i, from), false); i++
    :: else -> break
    od
}

/* With both (voters_change.c: begin_lists): without `out`, with `in`; RECORDS stands for none. */
inline both_lists(w, from, out, in)
{
    i = 0;
    do
    :: i < RECORDS ->
#ifdef MUTANT_ONESTEP   /* With the new one alone, at once. */
        name(i, w, (IN(now, i, from) && i != (out)) || i == (in), false);
#else
        name(i, w, (IN(now, i, from) && i != (out)) || i == (in), IN(now, i, from));
#endif
        i++
    :: else -> break
    od
}

/* The candidate has been shown a view, and has a quorum of that among those who show none above it
 * (Z10c, Z12a; candidacy.c: candidacy_on_vote, consider, count_by). Its first view is built on that
 * one, and names its lists (Z11c; succession.c: succeed). Nobody else has won that epoch. */
#ifdef MUTANT_OWNLISTS  /* With the lists that it knew of itself. */
#define FIRST_LISTS(w) view[p]
#else
#define FIRST_LISTS(w) (w)
#endif
inline begin_reign(w)
{
    h = candidacy[p];
    pending[p] = VIEW(h, 1);
    k = 0;
    do
    :: k < LIVES ->
        assert(k == p || proposed[BALLOT(EPOCH(h), k)] == 0);                   /* one winner */
        k++
    :: else -> break
    od;
    proposed[h] = 1;
    base[pending[p]] = w;
    candidacy[p] = 0;
    forget_votes(p);
    forget_answers(p)
}

inline win(w)
{
    candidacy[p] != 0 && (w) >= view[p] && IS_SHOWN(p, w) && IS_WON(w);
    begin_reign(w);
    same_lists(pending[p], FIRST_LISTS(w));
    tell(p, pending[p])
}

#ifdef MUTANT_SETTLEFIRST /* A reign may begin by settling a change. */
inline win_and_settle(w)
{
    candidacy[p] != 0 && (w) >= view[p] && IS_SHOWN(p, w) && IS_WON(w) && IS_JOINT(w);
    begin_reign(w);
    settled_lists(pending[p], w);
    tell(p, pending[p])
}
#endif

/* --- Later views of a reign ------------------------------------------------------------------- */

/* On what is committed in this reign (V2a, Z5b). What is under way is given up for it, also the
 * first view of another reign. */
#ifdef STEADY
#define MAY_PROPOSE(p) (view[p] != 0 && proposed[REIGN(p)] < VERSIONS && pending[p] == 0)
#else
#define MAY_PROPOSE(p) (view[p] != 0 && proposed[REIGN(p)] < VERSIONS)
#endif
inline begin_view(on)
{
    k = REIGN(p);
    proposed[k]++;
    pending[p] = VIEW(k, proposed[k]);
    base[pending[p]] = on;
#ifndef MUTANT_FORMERLY
    forget_answers(p)
#endif
}

/* Members come and go, or the same is proposed anew (change_propose.c: change_start_next). */
inline propose()
{
    MAY_PROPOSE(p);
    h = view[p];
    begin_view(h);
    same_lists(pending[p], h);
    tell(p, pending[p])
}

/* The change is committed, and is settled (Z11b; voters_change.c: voters_change_build). */
inline settle()
{
    MAY_PROPOSE(p) && IS_JOINT(view[p]);
    h = view[p];
    begin_view(h);
    settled_lists(pending[p], h);
    tell(p, pending[p])
}

/* A change is begun, on a view with one list (Z11b). Who comes has a record, and answers. */
#define MAY_CHANGE(p) (MAY_PROPOSE(p) && changes > 0 && !IS_JOINT(view[p]))
#define MAY_COME(p, a) (IN(now, a, view[p]) == 0 && !lost[a])
inline change(out, in)
{
    h = view[p];
    changes--;
    begin_view(h);
    both_lists(pending[p], h, out, in);
    tell(p, pending[p])
}

inline replace(out, in)
{
    MAY_CHANGE(p) && IN(now, out, view[p]) && MAY_COME(p, in);
    change(out, in)
}

inline add(in)
{
    MAY_CHANGE(p) && MAY_COME(p, in);
    change(RECORDS, in)
}

inline remove(out)
{
    MAY_CHANGE(p) && IN(now, out, view[p]) && LENGTH(now, view[p]) > 1;
    change(out, RECORDS)
}

#ifdef MUTANT_SETTLEEARLY /* Before both are committed. */
inline settle_early()
{
    view[p] != 0 && proposed[REIGN(p)] < VERSIONS && pending[p] != 0 &&
        BALLOT_OF(pending[p]) == REIGN(p) && IS_JOINT(pending[p]);
    h = pending[p];
    begin_view(h);
    settled_lists(pending[p], h);
    tell(p, pending[p])
}
#endif

#ifdef MUTANT_TAKEBACK  /* A change that is committed is undone by going back to the old list. */
inline take_back()
{
    MAY_PROPOSE(p) && IS_JOINT(view[p]);
    h = view[p];
    begin_view(h);
    i = 0;
    do
    :: i < RECORDS -> name(i, pending[p], IN(before, i, h), false); i++
    :: else -> break
    od;
    tell(p, pending[p])
}
#endif

/* The first view of a reign made anew, while it waits for voters: on the same view, with the same
 * lists (C4f, Z11c; candidacy.c: propose_anew). */
inline propose_anew()
{
    pending[p] != 0 && (view[p] == 0 || BALLOT_OF(pending[p]) != REIGN(p)) &&
        proposed[BALLOT_OF(pending[p])] < VERSIONS;
    h = pending[p];
    k = BALLOT_OF(h);
    proposed[k]++;
    pending[p] = VIEW(k, proposed[k]);
    base[pending[p]] = base[h];
    same_lists(pending[p], h);
    tell(p, pending[p]);
    forget_answers(p)
}

/* With a quorum of the proposal itself (Z5a, Z10c; change_commit.c: voters_agree, commit). */
#define TAKEN_BY(list) MOST(list, pending[p], took[SLOT(p, 0)], took[SLOT(p, 1)], \
                            took[SLOT(p, 2)], took[SLOT(p, 3)])
#ifdef MUTANT_NEWONLY   /* Of two lists by the new one. */
#define IS_TAKEN(p) TAKEN_BY(now)
#else
#define IS_TAKEN(p) (TAKEN_BY(now) && (!IS_JOINT(pending[p]) || TAKEN_BY(before)))
#endif
inline commit()
{
    pending[p] != 0 && IS_TAKEN(p);
    printf("%c commits view %d.%d\n", LETTER(p), EPOCH(BALLOT_OF(pending[p])),
           VERSION_OF(pending[p]));
    commit_view(p, pending[p]);
    pending[p] = 0;
    forget_answers(p);
    candidacy[p] = 0;
    forget_votes(p);
    look(p)
}

/* --- Records are alike ------------------------------------------------------------------------ */

/* Nothing tells one record from another but its letter and which views name it, so states that
 * differ by an exchange of letters are one: SORT puts the records into an order after each step.
 * The order need not be a total one, for any exchange is as good as none. A story would lose track
 * of who is who, so mutants do without; and with NARROW, C and D are not like any other. */
#if defined SORT && !defined NARROW
#define WEIGHT(a) (promise[a] + (accepted[a] << 4) + (vote[SLOT(0, a)] << 9) + \
                   (vote[SLOT(1, a)] << 14) + (took[SLOT(0, a)] << 19) + \
                   (took[SLOT(1, a)] << 20) + (leased[SLOT(0, a)] << 21) + \
                   (leased[SLOT(1, a)] << 24) + (bound[a] << 27) + (lost[a] << 28))
#define IS_BEHIND(a, b) (WEIGHT(a) > WEIGHT(b) || (WEIGHT(a) == WEIGHT(b) && \
                         (now[a] > now[b] || (now[a] == now[b] && before[a] > before[b]))))
int s;
inline swap(one, other)
{
    s = one;
    one = other;
    other = s
}

inline order(a, b)
{
    if
    :: IS_BEHIND(a, b) ->
        swap(promise[a], promise[b]);
        swap(accepted[a], accepted[b]);
        swap(now[a], now[b]);
        swap(before[a], before[b]);
        swap(lost[a], lost[b]);
        swap(bound[a], bound[b]);
        k = 0;
        do
        :: k < LIVES ->
            swap(vote[SLOT(k, a)], vote[SLOT(k, b)]);
            swap(took[SLOT(k, a)], took[SLOT(k, b)]);
            swap(leased[SLOT(k, a)], leased[SLOT(k, b)]);
            k++
        :: else -> break
        od;
        s = 0
    :: else
    fi
}

inline normalize() { order(0, 1); order(2, 3); order(0, 2); order(1, 3); order(1, 2) }
#else
inline normalize() { skip }
#endif

/* --- Everybody -------------------------------------------------------------------------------- */

/* One alternative for each epoch, view, record and life. */
#define STEP(what) :: d_step { what; normalize(); i = 0; j = 0; k = 0; h = 0 }
#if LIVES == 2
#define EACH_LIFE(what) STEP(what(0)) STEP(what(1))
#else
#define EACH_LIFE(what) STEP(what(0)) STEP(what(1)) STEP(what(2))
#endif
#if EPOCHS == 2
#define EACH_EPOCH(what) STEP(what(1)) STEP(what(2))
#else
#define EACH_EPOCH(what) STEP(what(1)) STEP(what(2)) STEP(what(3))
#endif
#define TO_6(what) STEP(what(1)) STEP(what(2)) STEP(what(3)) STEP(what(4)) STEP(what(5)) \
    STEP(what(6))
#define TO_8(what) TO_6(what) STEP(what(7)) STEP(what(8))
#define TO_12(what) TO_8(what) STEP(what(9)) STEP(what(10)) STEP(what(11)) STEP(what(12))
#define TO_16(what) TO_12(what) STEP(what(13)) STEP(what(14)) STEP(what(15)) STEP(what(16))
#define TO_18(what) TO_16(what) STEP(what(17)) STEP(what(18))
#if VIEWS == 8
#define EACH_VIEW(what) TO_8(what)
#elif VIEWS == 12
#define EACH_VIEW(what) TO_12(what)
#elif VIEWS == 16
#define EACH_VIEW(what) TO_16(what)
#elif VIEWS == 18
#define EACH_VIEW(what) TO_18(what)
#endif
#define EACH_RECORD(what) STEP(what(0)) STEP(what(1)) STEP(what(2)) STEP(what(3))
#define EACH_PAIR(what) STEP(what(0, 1)) STEP(what(0, 2)) STEP(what(0, 3)) STEP(what(1, 0)) \
    STEP(what(1, 2)) STEP(what(1, 3)) STEP(what(2, 0)) STEP(what(2, 1)) STEP(what(2, 3)) \
    STEP(what(3, 0)) STEP(what(3, 1)) STEP(what(3, 2))

proctype record(byte a)
{
    do
    EACH_LIFE(on_ballot)
    EACH_VIEW(on_prepare)
#ifdef LEASES
    EACH_LIFE(lease_reign)
#endif
#if LOSSES > 0
    STEP(lose_disk())
#endif
    od
}

proctype life(byte p)
{
    do
    EACH_EPOCH(ask)
    STEP(win(0))
    EACH_VIEW(win)
#ifdef MUTANT_SETTLEFIRST
    EACH_VIEW(win_and_settle)
#endif
    STEP(settle())
#ifdef NARROW
    STEP(replace(2, 3))
#else
    STEP(propose())
    STEP(propose_anew())
    EACH_PAIR(replace)
#endif
#ifdef FREELY
    EACH_RECORD(add)
    EACH_RECORD(remove)
#endif
#ifdef MUTANT_SETTLEEARLY
    STEP(settle_early())
#endif
#ifdef MUTANT_TAKEBACK
    STEP(take_back())
#endif
    STEP(commit())
    od
}

#ifdef LEASES
proctype time()
{
    do
    STEP(tick())
    od
}
#endif

init
{
    atomic {
        now[0] = BIT(0);
        now[1] = BIT(0);
        now[2] = BIT(0);
#if defined REIGNED || defined BEGUN
        i = 0;
        do
        :: i < 3 ->
            promise[i] = 1;
            accepted[i] = 1;
            now[i] = now[i] | BIT(1);
            i++
        :: else -> break
        od;
        i = 0;
        asked[0] = 1;
        proposed[1] = 1;
        view[0] = 1;
        top = 1;
        acted = 1;
#endif
#ifdef BEGUN
        i = 0;
        do
        :: i < 3 -> before[i] = before[i] | BIT(2); i++
        :: else -> break
        od;
        i = 0;
        now[0] = now[0] | BIT(2);
        now[1] = now[1] | BIT(2);
        now[3] = now[3] | BIT(2);
        base[2] = 1;
        proposed[1] = 2;
        promise[3] = 1;
        accepted[0] = 2;
        accepted[3] = 2;
        view[0] = 0;
        changes = CHANGES - 1;
#endif
        run record(0);
        run record(1);
        run record(2);
        run record(3);
        run life(0);
        run life(1);
#if LIVES == 3
        run life(2);
#endif
#ifdef LEASES
        run time()
#endif
    }
}
