/* This host's files as the package has them, or the same below another folder (--root): where they
 * are, reading them, and writing them so that a reader finds the old content or the new one. */
#ifndef CLI_HOST_H
#define CLI_HOST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/invite/conf.h"
#include "cli/request/failure.h"

enum {
    HOST_ROOT_MAX = 120,
    HOST_PATH_MAX = HOST_ROOT_MAX + 64,
};

struct host {
    char root[HOST_ROOT_MAX]; /* empty: this host itself */
    char conf[HOST_PATH_MAX];
    char key[HOST_PATH_MAX];
    char state_dir[HOST_PATH_MAX];
    char jobs[HOST_PATH_MAX];    /* the folder of what doyen-run@.service runs */
    char drop_in[HOST_PATH_MAX]; /* settings of this host for doyend.service */
};

/* `root` is NULL for this host itself, else a folder, which is made absolute, and with `make` made.
 */
enum exit_code host_init(struct host *host, const char *root, bool make, struct failure *failure);

/* May this account write what is to be written? */
enum exit_code host_check_account(const struct host *host, struct failure *failure);

/* Fails if this host was set up before, and says what to do. */
enum exit_code host_check_free(const struct host *host, struct failure *failure);

/* Reads the host's configuration file. */
enum exit_code host_read_conf(const struct host *host, char text[CONF_TEXT_MAX],
                              struct failure *failure);

/* Replaces the configuration file. With `keep` the former one stays beside it, as FILE.before;
 * without, the new one has the owner and the mode of the former one. */
enum exit_code host_write_conf(const struct host *host, const char *text, bool keep,
                               struct failure *failure);

/* Makes the key file, for doyend's account alone; never over one that is there. */
enum exit_code host_write_key(const struct host *host, const char *text, struct failure *failure);

/* Writes a setting of this host's own for doyend's unit. */
enum exit_code host_write_drop_in(const struct host *host, const char *text,
                                  struct failure *failure);

/* Reads the key file at `path` into `text`, which has `size` bytes and ends with a zero then. */
enum exit_code host_read_key(const char *path, char *text, size_t size, struct failure *failure);

/* Is there an account doyen, which the package makes? */
bool host_has_account(void);

#endif
