/* The length of a lease (Z15) as a model for the checker Spin: one voter, the life that it is bound
 * to, which asks for leases of different lengths, and another life that waits for its promise.
 * README.md beside this file says which step stands for what.
 *
 * A question names its length. It may be received at any later time, and again after a restart of
 * the voter, or never; so may its answer. Each clock runs slow or fast at each tick, as in
 * strict.pml: a lease of one unit is FAST on the voter's clock, and counts for SLOW on the asker's.
 *
 * What is checked: when the voter promises an epoch to another life, the first one counts no lease
 * of it, and never will count one (lemma 4). */

#ifndef CRASHES
#define CRASHES 2       /* restarts of the voter */
#endif

#define SLOW 4
#define FAST 5
#define QUESTIONS 2     /* on their way at a time */

/* What has become of a question. */
#define NONE 0
#define ASKED 1
#define LEASED 2        /* in memory; the answer waits for the disk */
#define ANSWERED 3

byte until;             /* how long the voter is bound, by its clock */
byte longest;           /* that was asked for, as the voter knows, */
byte longest_disk;      /* and as its disk does */
byte counted;           /* how long the life counts a lease, by its clock */
byte length[QUESTIONS], left[QUESTIONS], state[QUESTIONS];
byte crashes = CRASHES;
bool promise_kept = true;
bool over;

#define LESS(x, y) ((x) > (y) -> (x) - (y) : 0)
#define MORE(x, y) ((x) > (y) -> (x) : (y))

#ifdef MUTANT_BYOWN     /* A voter binds itself for its own time, one unit, whatever is asked. */
#define GIVEN(q) 1
#else
#define GIVEN(q) length[q]
#endif
#ifdef MUTANT_SET       /* A lease ends when the last question says. */
#define BOUND(q) (FAST * GIVEN(q))
#else
#define BOUND(q) MORE(until, FAST * GIVEN(q))
#endif
#ifdef MUTANT_LATEST    /* The record keeps the last length. */
#define KEPT(q) GIVEN(q)
#else
#define KEPT(q) MORE(longest, GIVEN(q))
#endif
#ifdef MUTANT_SHORTER   /* A restart takes the new process's own time. */
#define FOUND 1
#else
#define FOUND longest_disk
#endif
#ifdef MUTANT_TOLD      /* An answer does not wait for the disk. */
#define ON_DISK true
#else
#define ON_DISK (longest_disk == longest)
#endif

/* --- The life that is bound to (rounds.c: rounds_make; change_propose.c: send_prepare) --------- */

inline ask(q, d)
{
    state[q] == NONE;
    printf("X asks for a lease of %d\n", d);
    length[q] = d;
    left[q] = SLOW * d;
    state[q] = ASKED
}

inline count(q)
{
    state[q] == ANSWERED;
    printf("X counts the lease of %d that it asked for\n", length[q]);
    counted = MORE(counted, left[q]);
    length[q] = 0;
    left[q] = 0;
    state[q] = NONE
}

inline lose(q)
{
    state[q] != NONE;
    length[q] = 0;
    left[q] = 0;
    state[q] = NONE
}

/* --- The voter (voter.c: lease, voter_start; voter_store.c) ------------------------------------ */

inline lease(q)
{
    state[q] == ASKED;
    printf("the voter leases for %d\n", GIVEN(q));
    until = BOUND(q);
    longest = KEPT(q);
    state[q] = LEASED
}

inline answer(q)
{
    state[q] == LEASED && ON_DISK;
    printf("and says so\n");
    state[q] = ANSWERED
}

inline sync()
{
    longest_disk != longest;
    longest_disk = longest
}

inline restart()
{
    crashes > 0;
    printf("the voter restarts\n");
    crashes--;
    longest = longest_disk;
    until = (longest > 0 -> FAST * FOUND : 0);
    if :: state[0] == LEASED -> state[0] = ASKED :: else fi;
    if :: state[1] == LEASED -> state[1] = ASKED :: else fi
}

/* A promise to another life ends all; what waits for the disk is not answered any more (Z2f). */
#define MAY_COUNT(q) (state[q] == ANSWERED && left[q] > 0)
inline promise_another()
{
    until == 0 && !over;
    printf("the voter promises an epoch to Y\n");
    promise_kept = (counted == 0 && !MAY_COUNT(0) && !MAY_COUNT(1));
    assert(promise_kept);
    over = true
}

/* --- Time -------------------------------------------------------------------------------------- */

inline tick(v, x)
{
    until > 0 || counted > 0 || left[0] > 0 || left[1] > 0;
    printf("time passes\n");
    until = LESS(until, v);
    counted = LESS(counted, x);
    left[0] = LESS(left[0], x);
    left[1] = LESS(left[1], x)
}

#define STEP(what) :: atomic { what }
#define EACH(what) STEP(what(0)) STEP(what(1))

active proctype all() provided (!over)
{
    do
    STEP(ask(0, 1)) STEP(ask(0, 2)) STEP(ask(0, 3))
    STEP(ask(1, 1)) STEP(ask(1, 2)) STEP(ask(1, 3))
    EACH(count)
    EACH(lose)
    EACH(lease)
    EACH(answer)
    STEP(sync())
    STEP(restart())
    STEP(promise_another())
    STEP(tick(SLOW, SLOW)) STEP(tick(SLOW, FAST)) STEP(tick(FAST, SLOW)) STEP(tick(FAST, FAST))
    od
}
