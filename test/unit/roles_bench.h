/* What members say of roles to a core that coordinates them, A of "A B C" (K2, K5), and what it
 * then lists. The core is a rig's. */
#ifndef TEST_ROLES_BENCH_H
#define TEST_ROLES_BENCH_H

#include "rig.h"

/* What B or C has said that it has, one candidate each. */
struct roles_said {
    uint8_t request;
    uint64_t number;
    uint64_t token;
};

/* One holder, who came first. */
extern const struct role_terms ROLES_FIRST;

/* A message of that type to the present reign, at 5000 + now by the clock of the member. */
struct message roles_word(const struct rig *rig, enum message_type type);
struct message roles_entry(const struct rig *rig, const struct roles_said *said,
                           const struct role_terms *terms);

/* A member enters its candidate; asks for its answer, with what it has or NULL: nothing; lets go of
 * its grant. */
void roles_enters(struct rig *rig, char from, const struct roles_said *said,
                  const struct role_terms *terms);
void roles_asks(struct rig *rig, char from, const struct roles_said *said);
void roles_lets_go(struct rig *rig, char from, const struct roles_said *said, bool resigned);

/* The candidate of that request as the coordinator lists it; all zero: it does not. */
struct listed_role roles_listed(const struct rig *rig, uint8_t request);

/* That one stands, and knows its number. */
struct roles_said roles_stands(struct rig *rig, char from, uint8_t request,
                               const struct role_terms *terms);

/* B stands under request 1 and leads, C under request 2 behind it. */
struct rig *roles_both_stand(struct roles_said *b, struct roles_said *c,
                             const struct role_terms *terms);

#endif
