/* An insider for stories: a forger that has learned a cluster's view, and holds its key if it has
 * one. */
#ifndef E2E_FORGING_H
#define E2E_FORGING_H

#include "fixture.h"
#include "forge/forge.h"

/* Of the view that athens holds; to be freed with forger_free. Fails the test where it shows none.
 */
struct forger *forging_begin(struct cluster *cluster);

#endif
