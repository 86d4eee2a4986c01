/* Injected faults, for trying things out: everything from and to some members is lost, and messages
 * to others are late. */
#ifndef RUNTIME_FAULTS_H
#define RUNTIME_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "runtime/frames/outgoing.h"
#include "runtime/sockets/chain.h"
#include "runtime/sockets/latch.h"

enum {
    FAULTS_MAX = 256,
    HELD_FRAMES_MAX = 4096,
    HELD_BYTES_MAX = 16 << 20,
};

/* The fault on the traffic with one member. Its address outlives its id. */
struct fault {
    struct node_id id;
    struct address address;
    char name[NAME_BYTES_MAX + 1]; /* for people */
    bool drop;
    uint64_t delay_ms;
};

/* Called with a frame whose delay is over, to be sent now. */
typedef void faults_on_release(void *context, const struct outgoing *outgoing);

struct faults {
    struct latch *latch;
    faults_on_release *on_release;
    void *context;
    bool open;
    uint32_t count;
    struct fault items[FAULTS_MAX];
    uv_timer_t timer;
    struct chain held; /* by rising due_ms */
    uint32_t held_count;
    size_t held_bytes;
};

/* `faults` is zeroed and stays where it is until the latch is free. */
void faults_open(struct faults *faults, uv_loop_t *loop, struct latch *latch,
                 faults_on_release *on_release, void *context);
void faults_close(struct faults *faults);

/* Returns the fault of this member, a new one if it has none; NULL when there are FAULTS_MAX
 * already. */
struct fault *faults_of(struct faults *faults, const struct node_id *id,
                        const struct address *address, const char *name);

/* Ends all faults; delayed messages are sent now. */
void faults_clear(struct faults *faults);

/* Returns the fault of the member with this id or this address, either of which may be none; NULL
 * when there is no fault. */
const struct fault *faults_find(const struct faults *faults, const struct node_id *id,
                                const struct address *address);

/* Delays a copy of the message by `delay_ms`. Returns false when too much is delayed already. */
bool faults_delay(struct faults *faults, const struct outgoing *outgoing, uint64_t delay_ms);

#endif
