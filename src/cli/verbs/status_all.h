/* doyen status --all: what each member says of itself, side by side. */
#ifndef CLI_STATUS_ALL_H
#define CLI_STATUS_ALL_H

#include "cli/request/cli.h"

/* Lets the daemon ask all members, and waits until they have answered or had time to. On EXIT_DONE
 * the caller has to deinit `answer`, the document of /v1/peers. */
enum exit_code status_all_ask(struct cli *cli, struct answer *answer, struct failure *failure);

/* EXIT_TIMED_OUT where that document has a member without an answer. */
enum exit_code status_all_judge(const json_t *peers);

/* Lets the daemon ask all members and prints their answers. Returns EXIT_TIMED_OUT when some did
 * not answer in time. */
enum exit_code status_all(struct cli *cli);

#endif
