/* The state directory: what must survive a restart is in one small file that is replaced as a
 * whole. Writing waits for the disk, so libuv's threads do it; of the writes requested meanwhile
 * only the latest is done. */
#ifndef RUNTIME_STORE_H
#define RUNTIME_STORE_H

#include <uv.h>

#include "core/core.h"
#include "runtime/options/value.h"
#include "runtime/process/log.h"

struct store;

enum { STORE_RETRY_MS = 10000 };

/* Makes `dir` (0700) when it is missing, refuses it where other accounts own it or may write to it,
 * or where what is in it is no file of this account's own (own_file.h), locks it against a second
 * daemon, for which it waits two seconds if one that is ending may hold it yet, reads what earlier
 * lives left there into `found` (all zero when there is nothing), and counts this life in the file
 * before it returns. `found->incarnation` is the number of lives before this one. A damaged file is
 * renamed to `state.bad`, and the node begins without known history; the log says so.
 *
 * A disk that is full is one warning: the life is counted as soon as there is room; but where there
 * is none for a directory that is missing, or its lock, `*out` is NULL, and this life keeps
 * nothing. Returns false, after one line on the log that names the remedy, when the directory
 * cannot be used for another reason. `loop` and `log` are borrowed for the store's life. A write
 * that failed is tried again after `retry_ms`, which is STORE_RETRY_MS except in tests. */
bool store_open(uv_loop_t *loop, const char *dir, uint64_t retry_ms, struct log *log,
                struct stored *found, struct store **out);

/* Would store_open return true, and with `needs_room` not NULL? Waits for a daemon that is ending
 * as that does. Makes and changes nothing. Returns false with the complaint set. */
bool store_check(const char *dir, bool needs_room, struct complaint *complaint);

/* Makes, checks and locks `dir` as store_open does, for a process that keeps its own files there.
 * Returns a descriptor that holds the lock until it is closed, or -1 with the complaint set. */
int store_lock(const char *dir, struct complaint *complaint);

/* What earlier lives left there, for who only wants to know it: all zero where that is nothing, or
 * damaged. Returns false with the complaint set. */
bool store_peek(const char *dir, struct stored *found, struct complaint *complaint);

/* Requests a write of `stored`, which is copied. Incarnation and epoch in the file never fall. A
 * failure is logged once, and tried again with the next change and every `retry_ms`, until it is
 * done; the log says that, too. */
void store_write(struct store *store, const struct stored *stored);

/* Writes what is still to be written, then frees the store, unlocks the directory, and calls
 * `on_closed`, which may be NULL, from the loop: never before this returns. */
void store_close(struct store *store, void (*on_closed)(void *context), void *context);

#endif
