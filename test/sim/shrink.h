/* Makes a failing plan smaller: fewer faults, fewer hosts, less time, as long as the same rule is
 * broken. What is left is mostly short enough to be read. */
#ifndef SIM_SHRINK_H
#define SIM_SHRINK_H

#include "plan.h"

/* `failure` is what the whole plan ended with. Runs the plan a few hundred times, in processes of
 * their own, so that even one that ends with an assertion can be shrunk. */
void shrink(struct plan *plan, const char *failure);

/* The options of doyen_swarm that make this plan out of the drawn one, and what it does. */
void shrink_print(const struct plan *plan, const struct plan_options *options);

#endif
