/* Keeps the model of doyen top up to date: changes come by a watch, at once; what moves with the
 * clock is asked for each second. */
#ifndef CLI_TOP_FEED_H
#define CLI_TOP_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/request/cli.h"
#include "cli/top/top_model.h"

enum { TOP_LOOK_MS = 1000 };

/* All zero but for `client` and `model` is one that has asked nothing yet. */
struct top_feed {
    struct doyen *client; /* borrowed, as the model */
    struct top_model *model;
    char why[256];    /* the member about whom is asked; "": nobody */
    uint64_t look_ms; /* when to ask next */
    uint64_t looks;   /* so often it was asked */
    bool is_stale;    /* events or views are there that were not asked for */
    bool no_roles;    /* the daemon does not tell of roles, as over a URL */
};

/* Asks for all there is, once, also for the roles, which takes up to half a second. */
enum exit_code top_feed_once(struct top_feed *feed, struct failure *failure);

/* Begins to watch. */
enum exit_code top_feed_begin(struct top_feed *feed, struct failure *failure);

/* Does what is due. Anything but EXIT_DONE is an error that will not pass; a daemon that is away
 * is none. */
enum exit_code top_feed_step(struct top_feed *feed, struct failure *failure);

/* Asks about this member from now on; "": about nobody. */
void top_feed_ask_why(struct top_feed *feed, const char *name);

/* For how long nothing is due. */
int top_feed_timeout_ms(const struct top_feed *feed);

#endif
