/* More than half of the voters lost for good (Z18) as a model for the checker Spin: three voters,
 * of which some are lost, two lives that were elected by them and live on, and an operator who
 * gives up the others at one that is left; and again at another one when that is lost, too.
 * README.md beside this file says which step stands for what.
 *
 * Within the former history the rules are those of strict.pml, and are taken for granted: an epoch
 * is won in one step, by two voters that may promise it. The question here is what one knows of the
 * others by its own record alone. Clocks are as in length.pml.
 *
 * What is checked: whoever begins to act after a recovery does so while nobody of the former
 * history acts (S9), and under a higher epoch than all who acted before (S10). */

#define SLOW 4
#define FAST 5
/* CLOCKLESS    the operator's clock says nothing; whoever is recovered then is never lost */
#define MOST 2          /* the longest lease that a voter gives: T_stall (Z15a, Z16b) */
#define EPOCHS 3        /* that the former history may come to */
#define GAP (EPOCHS + 1) /* more than they are: 2^20 (Z18b) */
#define NOW (4 * EPOCHS) /* the clock's seconds are above all of them */
#define TICKS 5         /* that a clock counts; what happens later happens at once */

#define VOTERS 3
#define NONE VOTERS
#define NAME(voter) ('A' + (voter))
#define LETTER(life) ('X' + (life))

byte promise[VOTERS];   /* the epoch; one is of one life, in turn */
#define LIFE(epoch) (((epoch) - 1) & 1)
byte until[VOTERS];     /* how long it is bound, by its clock */
byte longest[VOTERS];   /* lease of that promise, as its record has it (Z15b) */
bool gone[VOTERS];      /* lost for good, with its process */
byte won;               /* the last epoch of the former history */
byte reign[2];          /* of a life: its epoch */
byte counted[2 * VOTERS]; /* how long a life counts a voter's lease, by its clock */
byte recovered = NONE;  /* who votes alone, */
byte epoch, wait;       /* the epoch that it gets, and how long it waits for that */
bool acts;              /* it may act, and always will */
byte acted;             /* the highest epoch under which somebody acted */
byte seconds;           /* of all clocks */

#define SLOT(p, v) ((p) * VOTERS + (v))
#define LESS(x, y) ((x) > (y) -> (x) - (y) : 0)
#define MORE(x, y) ((x) > (y) -> (x) : (y))
#define COUNTS(p, v) (counted[SLOT(p, v)] > 0)
#define MAY_ACT(p) (reign[p] != 0 && COUNTS(p, 0) + COUNTS(p, 1) + COUNTS(p, 2) >= 2)

/* --- The former history (strict.pml) ---------------------------------------------------------- */

#define VOTES(v) (!gone[v] && recovered != (v))
#define MAY_BIND(v, e) (VOTES(v) && (until[v] == 0 || LIFE(promise[v]) == LIFE(e)))
inline forget(p) { counted[SLOT(p, 0)] = 0; counted[SLOT(p, 1)] = 0; counted[SLOT(p, 2)] = 0 }

inline bind(v)
{
    longest[v] = 0;
    promise[v] = won
}

inline win(v, w)
{
    won < EPOCHS && MAY_BIND(v, won + 1) && MAY_BIND(w, won + 1);
    won++;
    printf("%c and %c elect %c under epoch %d\n", NAME(v), NAME(w), LETTER(LIFE(won)), won);
    bind(v);
    bind(w);
    forget(LIFE(won));
    reign[LIFE(won)] = won
}

inline lease(v, d)
{
    VOTES(v) && promise[v] != 0;
    k = LIFE(promise[v]);
    if
    :: reign[k] == promise[v] ->
        printf("%c leases to %c for %d\n", NAME(v), LETTER(k), d);
        until[v] = MORE(until[v], FAST * d);
        longest[v] = MORE(longest[v], d);
        counted[SLOT(k, v)] = MORE(counted[SLOT(k, v)], SLOW * d);
        if
        :: MAY_ACT(k) ->
            assert(recovered == NONE || !acts);                                 /* S9 */
            acted = MORE(acted, reign[k])
        :: else
        fi
    :: else
    fi;
    k = 0
}

/* --- What befalls it -------------------------------------------------------------------------- */

/* The one that was recovered comes to act first: what it never told anybody is no loss. */
inline lose(v)
{
#ifdef CLOCKLESS
    !gone[v] && recovered != (v);
#else
    !gone[v] && (recovered != (v) || acts);
#endif
    printf("%c is lost for good\n", NAME(v));
    gone[v] = true;
    promise[v] = 0;
    until[v] = 0;
    longest[v] = 0;
    if
    :: recovered == (v) -> recovered = NONE; acts = false; epoch = 0
    :: else
    fi
}

/* --- Its operator (recovery.c) ---------------------------------------------------------------- */

/* Those who are left without it are no quorum: one of the others may live, and vote. */
#ifdef MUTANT_ERRS      /* Both of them. */
#define ARE_GONE(v) true
#else
#define ARE_GONE(v) (gone[((v) + 1) % VOTERS] || gone[((v) + 2) % VOTERS])
#endif
#ifdef MUTANT_NOHOLD    /* Its record is held by no promise. */
#define HELD(v) 0
#elif defined MUTANT_OWNLEASE /* It waits for the longest lease that itself has given. */
#define HELD(v) longest[v]
#else
#define HELD(v) MOST
#endif
#ifdef MUTANT_NEXTEPOCH /* The epoch is the next one above what its record has seen. */
#define ABOVE(v) (promise[v] + 1)
#else
#define ABOVE(v) (promise[v] + GAP)
#endif
#if defined CLOCKLESS || defined MUTANT_NOCLOCK /* It has nothing to do with the time. */
#define FIRST(v) ABOVE(v)
#else
#define FIRST(v) MORE(ABOVE(v), NOW + seconds)
#endif

inline recover(v)
{
    recovered == NONE && !gone[v] && ARE_GONE(v);
    epoch = FIRST(v);
    printf("%c is recovered, above epoch %d\n", NAME(v), epoch);
    recovered = v;
    wait = FAST * HELD(v)
}

/* It elects itself, and counts its own lease. */
inline begin()
{
    recovered != NONE && !acts && wait == 0;
    printf("%c acts under epoch %d\n", NAME(recovered), epoch);
    assert(!MAY_ACT(0) && !MAY_ACT(1));                                         /* S9 */
    assert(epoch > acted);                                                      /* S10 */
    acted = epoch;
    acts = true
}

/* --- Time ------------------------------------------------------------------------------------- */

inline pass(p, x)
{
    counted[SLOT(p, 0)] = LESS(counted[SLOT(p, 0)], x);
    counted[SLOT(p, 1)] = LESS(counted[SLOT(p, 1)], x);
    counted[SLOT(p, 2)] = LESS(counted[SLOT(p, 2)], x)
}

inline tick(v, x)
{
    seconds < TICKS;
    printf("time passes\n");
    seconds++;
    until[0] = LESS(until[0], v);
    until[1] = LESS(until[1], v);
    until[2] = LESS(until[2], v);
    wait = LESS(wait, v);
    pass(0, x);
    pass(1, x)
}

#define STEP(what) :: d_step { what; skip }
#define EACH(what) STEP(what(0)) STEP(what(1)) STEP(what(2))

byte k;                 /* 0 but within a step */

active proctype all()
{
    do
    STEP(win(0, 1)) STEP(win(0, 2)) STEP(win(1, 2))
    STEP(lease(0, 1)) STEP(lease(1, 1)) STEP(lease(2, 1))
    STEP(lease(0, MOST)) STEP(lease(1, MOST)) STEP(lease(2, MOST))
    EACH(lose)
    EACH(recover)
    STEP(begin())
    STEP(tick(SLOW, SLOW)) STEP(tick(SLOW, FAST)) STEP(tick(FAST, SLOW)) STEP(tick(FAST, FAST))
    od
}
