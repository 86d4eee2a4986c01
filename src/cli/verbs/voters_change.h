/* Has the voters of guard strict changed, and waits until that is settled. */
#ifndef CLI_VOTERS_CHANGE_H
#define CLI_VOTERS_CHANGE_H

#include <jansson.h>

#include "cli/request/cli.h"

/* `body` is what POST /v1/voters takes, and is added to. Prints what came of it. */
enum exit_code voters_change(struct cli *cli, json_t *body, uint64_t timeout_ms);

/* "replacing cyrene by delphi", from one list of names to another; `anew` gets another record and
 * may be NULL. The verb stands in front: "replacing" or "replace". */
enum { CHANGE_WORDS_MAX = 512 };
void voters_change_words(const json_t *from, const json_t *to, bool under_way,
                         char out[CHANGE_WORDS_MAX]);

#endif
