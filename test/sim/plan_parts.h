/* What the files that run plans share. */
#ifndef SIM_PLAN_PARTS_H
#define SIM_PLAN_PARTS_H

#include "plan.h"

/* The durations that the cluster starts with. */
struct timing plan_timing(const struct plan *plan);

/* Generous: pauses of R4 may have to pass. */
uint64_t plan_heal_ms_max(const struct plan *plan);

/* Whatever is still to come of something comes within that time. */
uint64_t plan_quiet_ms(const struct plan *plan);

/* SIM_NOBODY: nobody acts. */
uint32_t plan_acting_host(const struct plan *plan, const struct sim *sim);

/* Operators put right what the end of a history leaves; do all agree then? */
bool plan_recovers(const struct plan *plan, struct sim *sim);

/* Likewise of a founding that cannot end. */
bool plan_founds_anew(const struct plan *plan, struct sim *sim);

/* These return NULL, or what is wrong. */
const char *plan_check_forged_frames(const struct plan *plan, struct sim *sim,
                                     struct outcome *outcome);
const char *plan_check_forged_series(const struct plan *plan, struct sim *sim,
                                     struct outcome *outcome);
const char *plan_check_narrow(const struct plan *plan, struct sim *sim, struct random *random);
const char *plan_check_hole(const struct plan *plan, struct sim *sim);

#endif
