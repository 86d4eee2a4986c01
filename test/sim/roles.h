/* Clients of every host that stand for roles, stop when they are told, and go: what the rules of
 * holding (K) are held against. They draw from a generator of their own. */
#ifndef SIM_ROLES_H
#define SIM_ROLES_H

#include <stdint.h>

struct host;
struct role_news;
struct sim;

void roles_init(struct sim *sim);
void roles_free(struct sim *sim);

/* A process was started on this host: its clients begin. */
void roles_on_start(struct sim *sim, struct host *host);

/* Its client of that index does what it has to do next. */
void roles_on_due(struct sim *sim, struct host *host, uint64_t client);

/* EFFECT_ROLE of a process on this host. */
void roles_on_news(struct sim *sim, struct host *host, const struct role_news *news);

/* After each step of the host's core: who holds what at this instant (S18, S19). */
void roles_after_step(struct sim *sim, struct host *host);

/* From now on nobody comes or goes. Lets them settle; then says what is wrong, or NULL (Y7). */
const char *roles_settle(struct sim *sim);

#endif
