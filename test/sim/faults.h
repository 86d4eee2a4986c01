/* The faults that a swarm draws from, as one table: what each does, to whom, for how long. */
#ifndef SIM_FAULTS_H
#define SIM_FAULTS_H

#include <stdint.h>

#include "sim.h"

struct fault {
    const char *name;
    uint32_t weight;                 /* how often it is drawn, against the sum of all weights */
    void (*strike)(struct sim *sim); /* draws its victims, does it, and schedules its end */
};

/* All there are; the one without a name ends the table. */
const struct fault *fault_table(void);

/* Draws one by weight and lets it strike. */
void fault_strike(struct sim *sim);

/* Ends all of them: heals, resumes, and starts what is down, except that now and then a host that
 * is no seed stays down for good. */
void fault_end_all(struct sim *sim);

#endif
