/* Implements doyend --recover-voters (Z18): when more than half of the voters are lost for good,
 * the operator of one that is left makes it the only one, of another history. */
#ifndef DAEMON_RECOVER_H
#define DAEMON_RECOVER_H

#include "runtime/options/config.h"

/* Tells what this stopped voter's record has and what will be lost, and wants the cluster's name:
 * as `asserted`, or, where that is empty, typed on the terminal. Returns the exit code: 0, the
 * other record is written; 1, nothing is changed, and stderr says why. */
int recover_voters(const struct config *config, const char *asserted);

#endif
