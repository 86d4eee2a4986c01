/* Faults on purpose, for trying things out: everything to and from some members is lost, what
 * goes to others is late. */
#ifndef RUNTIME_FAULTS_H
#define RUNTIME_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "core/message.h"
#include "runtime/chain.h"
#include "runtime/latch.h"

enum {
    FAULTS_MAX = 256,
    HELD_FRAMES_MAX = 4096,
    HELD_BYTES_MAX = 16 << 20,
};

/* What is done to the traffic with one member; its address outlives its id. */
struct fault {
    struct node_id id;
    struct address address;
    char name[NAME_BYTES_MAX + 1]; /* for people */
    bool drop;
    uint64_t delay_ms;
};

/* A frame whose delay is over, to be sent now; `bytes` are borrowed for the call. */
typedef void faults_on_release(void *context, const struct node_id *peer, const struct address *to,
                               enum message_type type, const uint8_t *bytes, size_t length);

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

/* The fault of this member, made if need be; NULL when there are FAULTS_MAX already. */
struct fault *faults_of(struct faults *faults, const struct node_id *id,
                        const struct address *address, const char *name);

/* No faults any more; what is late goes out now. */
void faults_clear(struct faults *faults);

/* The fault of whoever has this id or this address; either may be none. NULL: there is none. */
const struct fault *faults_find(const struct faults *faults, const struct node_id *id,
                                const struct address *address);

/* Keeps a copy for `delay_ms`. Returns false when too much is kept already. */
bool faults_delay(struct faults *faults, const struct node_id *peer, const struct address *to,
                  enum message_type type, const uint8_t *bytes, size_t length, uint64_t delay_ms);

#endif
