/* Tests whether a start would succeed: tries what it would do, and leaves nothing behind. */
#ifndef RUNTIME_PREFLIGHT_H
#define RUNTIME_PREFLIGHT_H

#include <stdbool.h>

#include "core/model/id.h"
#include "runtime/options/value.h"

/* May this process create an entry in the directory of `path`? Creates one and removes it. Returns
 * false with errno set. */
bool preflight_can_make(const char *path);

enum preflight_socket { PREFLIGHT_UDP, PREFLIGHT_TCP };

/* Can this process listen at the address now? Binds and releases it. Returns false with the
 * complaint set; `option` is the option that gives the address, as in "--listen". */
bool preflight_listen(enum preflight_socket socket, const struct address *address,
                      const char *option, struct complaint *complaint);

/* Sets the complaint that listening at the address fails with libuv's code `error`; returns false.
 */
bool preflight_cannot_listen(const struct address *address, const char *option, int error,
                             struct complaint *complaint);

#endif
