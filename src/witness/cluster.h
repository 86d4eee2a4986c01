/* One cluster of a witness: a core that only votes, and what it needs: its keys, its record on
 * disk, its timer. What all clusters of the process have in common is lent to it. */
#ifndef WITNESS_CLUSTER_H
#define WITNESS_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "core/core.h"
#include "proto/wire.h"
#include "runtime/disk/voter_store.h"
#include "runtime/frames/traffic.h"
#include "runtime/options/config.h"
#include "runtime/process/log.h"
#include "runtime/sealing/gate.h"
#include "runtime/sockets/chain.h"
#include "runtime/sockets/latch.h"
#include "runtime/sockets/stream.h"
#include "runtime/sockets/stream_pool.h"
#include "runtime/sockets/udp.h"
#include "seal/keyring.h"
#include "witness/parked.h"

/* What all clusters share. */
struct commons {
    uv_loop_t *loop;
    struct latch *latch; /* each cluster holds it until the loop has nothing left of that cluster */
    const struct config *config;
    struct log *log;
    struct node_traffic traffic;
    struct udp *udp;
    struct wire *wire; /* lends its memory to those of the clusters */
    struct seal_buffers *buffers;
    uint64_t descriptors_max;          /* of streams */
    uint8_t inbox[STREAM_INBOX_BYTES]; /* of streams */
};

/* Since the process began. */
struct cluster_counts {
    uint64_t asked;    /* for an epoch, a view, or a lease */
    uint64_t granted;  /* answers that say so */
    uint64_t refused;  /* answers that do not */
    uint64_t asked_ms; /* when it was asked last; 0: never */
};

struct cluster {
    struct chain link;    /* for the owner of all clusters, until its memory is freed */
    struct cluster *next; /* the same, in a bucket */
    struct commons *commons;
    char name[NAME_BYTES_MAX + 1];
    char file[NAME_BYTES_MAX + sizeof ".voter"]; /* of its record */
    uint64_t number;                             /* in the header of its frames */
    struct wire *wire;
    struct core *core; /* somewhere in: */
    void *block;
    size_t block_bytes;
    struct parked parked;
    struct gate gate;
    struct latch latch;
    struct streams streams;
    struct stream_pool pool;
    struct voter_store *store;
    uv_timer_t timer;
    uint64_t due_ms; /* the core's deadline, as of its last step */
    uint64_t stepped_ms;
    uint64_t woken_ms;
    uint64_t began_ms;
    struct voter_state known; /* of the voter, after the last step */
    struct cluster_counts counts;
    bool listed; /* for the owner, while it reads the directory of keys */
    bool stepping;
    bool closing;
};

/* Reads its record, and begins to vote. NULL after one line on the log. The keys are copied. */
struct cluster *cluster_open(struct commons *commons, const char *name, const struct keyring *ring);

/* Its memory is freed when the loop has nothing left of it. Who listens for its streams closes
 * those first. */
void cluster_close(struct cluster *cluster);

/* A datagram, or a frame of a stream, whose header names this cluster. The latter returns false for
 * what ends the stream. */
void cluster_on_datagram(struct cluster *cluster, struct bytes datagram,
                         const struct address *source);
bool cluster_on_stream_frame(void *context, struct bytes frame, const struct address *from);

/* The streams of its own, for one whose first frame names this cluster. */
struct streams *cluster_streams(struct cluster *cluster);

/* Other keys from now on. */
const struct keyring *cluster_keys(const struct cluster *cluster);
void cluster_set_keys(struct cluster *cluster, const struct keyring *ring);

#endif
