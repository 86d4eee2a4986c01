/* Looks up where a witness is. */
#ifndef CLI_WITNESS_FIND_H
#define CLI_WITNESS_FIND_H

#include "cli/invite/place.h"
#include "cli/request/failure.h"

/* Writes ADDRESS:PORT of "HOST:PORT", "[V6]:PORT" or either without a port. A name is looked up
 * once, for the cluster keeps the address, and people are told which it is. Where that fails it has
 * said why. */
enum exit_code witness_find(const char *text, char address[PLACE_TEXT_MAX]);

#endif
