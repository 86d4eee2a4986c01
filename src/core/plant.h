/* For the tests of the tests: bugs that can be planted, of which the swarm must find every one,
 * and marks on branches that it should come by. Both are nothing in a normal build; the simulator
 * builds the core with DOYEN_TESTED. */
#ifndef CORE_PLANT_H
#define CORE_PLANT_H

#include <stdbool.h>

/* Each with what it does. */
#define PLANTS(PLANT)                                                                              \
    PLANT(GUARD_OFF_BY_ONE, "the guard wants one more than it says (H31)")                         \
    PLANT(GUARD_COUNTS_LIST, "the guard counts the list, not who was heard (H32)")                 \
    PLANT(GUARD_COUNTS_OTHERS, "the guard counts who is heard but follows another (H32)")          \
    PLANT(SEVERAL_CLAIMANTS, "suspecting the coordinator is enough for a claim (H1, C1)")          \
    PLANT(GRANT_WHILE_FRESH, "a claim is granted though an older one is heard (H7, C2)")           \
    PLANT(CLAIM_IGNORES_BEST, "a claim's winner forgets what voters had accepted (H14, C4)")       \
    PLANT(CLAIM_OLD_EPOCH, "a claim asks for the epoch of its view (H6, V2)")                      \
    PLANT(AGES_REUSED, "the next age follows the youngest that is there (H18)")                    \
    PLANT(VERSION_REUSED, "a proposal given up and the next have one name (H6, S1)")               \
    PLANT(STALE_CLEARS, "an old message clears a suspicion (H20, D6)")                             \
    PLANT(OTHER_VIEW_COUNTS, "a life in another view counts as a fellow (H42, D2)")                \
    PLANT(NEVER_HEARD_TRUSTED, "who was never heard is never suspected (H13)")                     \
    PLANT(NO_VERIFY, "a silence is removed without asking others (H2, R1, D7)")                    \
    PLANT(NO_LATENESS, "a sleeper judges others by its own sleep (H5, D4)")                        \
    PLANT(STALE_VIEW, "any view that holds us is installed (H9)")                                  \
    PLANT(LINEAGE_IGNORED, "a view of any founding is taken for ours (H23)")                       \
    PLANT(JOINER_UNASKED, "a joiner that does not answer is in (H12, H28, U1)")                    \
    PLANT(ID_KEPT, "who was removed comes back under its id (H44, I1)")                            \
    PLANT(NONCE_FOR_EVER, "an old READY lets in (H15, J3)")                                        \
    PLANT(PROMISED_FOR_EVER, "a joiner keeps to a proposal that came to nothing (H43)")            \
    PLANT(FOUND_AT_ONCE, "a seed founds without asking (H24, F2)")                                 \
    PLANT(HANDOVER_SAME_EPOCH, "a hand-over stays in the leaver's epoch (E2)")                     \
    PLANT(MERGE_UNACKED, "a merge goes on without the other coordinator (H37, M4)")                \
    PLANT(LOSER_ACTS, "a part that is being taken up goes on acting (M3)")                         \
    PLANT(MERGE_AGES, "a merge gives ages that the loser gave (H18, M4)")                          \
    PLANT(MERGE_LOSES_MEMBERS, "a merge takes up the other coordinator alone (H37, M4)")           \
    PLANT(MERGE_EPOCH, "a merged view stays in the winner's epoch (H10, M4)")                      \
    PLANT(EQUALS_BOTH_WIN, "of two equal parts each takes itself for the winner (H34)")            \
    PLANT(NO_PROBES, "nobody looks for other parts (H39, M1)")                                     \
    PLANT(MERGING_FOR_EVER, "a part waits for its merge without end (M7)")

#define PLANT_NAME(name, what) PLANT_##name,
enum plant { PLANT_NONE, PLANTS(PLANT_NAME) PLANT_COUNT };
#undef PLANT_NAME

#ifdef DOYEN_TESTED

#include <stdint.h>

extern enum plant planted; /* set by the test before it starts */

struct mark {
    const char *name;
    uint64_t count;
} __attribute__((aligned(16)));

#define PLANTED(name) (planted == PLANT_##name)

/* The linker puts the marks side by side, so that they can be listed, reached or not. */
#define REACHED(name)                                                                              \
    do {                                                                                           \
        static struct mark mark_here __attribute__((section("doyen_marks"), used)) = {#name, 0};   \
        mark_here.count++;                                                                         \
    } while (0)

#else

#define PLANTED(name) false
#define REACHED(name) ((void)0)

#endif

#endif
