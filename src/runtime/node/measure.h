/* Measures the ways from this node to all other members: round trips, what gets lost, whether the
 * longest datagrams and the segments of streams pass, which packets do, and how fast the others'
 * clocks run; and how late this process runs itself. A measurement is a few seconds of probes
 * (runtime/services/inquiry.h), which change nothing that a node decides. */
#ifndef RUNTIME_MEASURE_H
#define RUNTIME_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "runtime/node/node.h"

enum {
    MEASURE_MS_MIN = 1000,
    MEASURE_MS_MAX = 600 * 1000,
    MEASURE_TICK_MS = 20,
    MEASURE_ROUND_MS = 100,  /* between two probes to one member, at least */
    MEASURE_TURN = 8,        /* probes that one tick sends */
    MEASURE_GRACE_MS = 1000, /* so long after the last probe its answer counts */
    MEASURE_OPEN_MAX = 32,   /* probes of one member that wait for their answers */
    MEASURE_LARGE_EVERY = 5, /* with one probe in so many go long ones */
};

/* What a probe is. The packets are there to name what passes: more than 576 bytes nobody needs. */
enum measure_kind {
    MEASURE_SMALL,
    MEASURE_DATAGRAM, /* as long as a datagram may be */
    MEASURE_STREAM,   /* of several segments */
    MEASURE_PACKET_1280,
    MEASURE_PACKET_1400,
    MEASURE_PACKET_1500,
    MEASURE_KINDS,
};

struct measured_kind {
    uint32_t sent;
    uint32_t answered;
};

/* Two clocks at one moment, as well as a round trip tells it. */
struct clock_pair {
    uint64_t here_us;
    uint64_t there_us;
    uint64_t unsure_us; /* either way */
};

/* What is known of one member. */
struct measured {
    struct node_id life;
    uint32_t sent; /* small probes */
    uint32_t answered;
    struct measured_kind long_ones[MEASURE_KINDS]; /* but the small */
    uint64_t open[MEASURE_OPEN_MAX];               /* their numbers; 0: none */
    uint32_t open_next;
    uint64_t trip_us_sum; /* of small ones */
    uint64_t trip_us_min;
    uint64_t trip_us_max;
    uint64_t trip_us_last;
    uint64_t jitter_us_sum;    /* differences between one round trip and the next */
    uint64_t reached_us;       /* when the latest probe was sent that was answered */
    uint64_t unreached_us_max; /* between two such */
    uint32_t path_bytes;       /* what the kernel knows of the path's MTU; 0: nothing */
    struct clock_pair first;   /* the surest in the first third of the time; all zero: none */
    struct clock_pair last;    /* in the last third */
};

enum measure_state { MEASURE_NONE, MEASURE_RUNS, MEASURE_WAITS, MEASURE_DONE };

struct measure {
    struct node *node;
    uv_timer_t timer;
    void (*on_closed)(void *context);
    void *closed_context;
    enum measure_state state;
    uint64_t nonce;
    uint64_t span_us;
    uint64_t began_us;
    uint64_t ended_us; /* when the last probe was sent, or is to be */
    uint64_t due_ns;   /* of the timer */
    uint64_t round_us; /* when the round of probes began that runs */
    uint32_t next;     /* member in it */
    uint32_t rounds;

    struct measured *members; /* those of the view at the beginning */
    uint32_t member_count;

    uint64_t late_us_max; /* of this process's own timer */
    uint64_t late_us_sum;
    uint64_t ticks;
    uint64_t late_wakeups; /* of the core (D4a), meanwhile */

    /* What the node sent meanwhile besides probes. */
    uint64_t datagrams_out;
    uint64_t bytes_out;
    uint64_t probes_out;
    uint64_t probe_bytes_out;
    uint64_t sent_span_us;
};

/* `measure` is zeroed; `node` is borrowed for its life. */
void measure_open(struct measure *measure, uv_loop_t *loop, struct node *node);

/* Calls `on_closed` when the loop has let go of the timer. */
void measure_close(struct measure *measure, void (*on_closed)(void *context), void *context);

/* Begins a measurement of `span_ms`, within the bounds above, unless one runs. Returns false when
 * memory ran out. */
bool measure_begin(struct measure *measure, uint64_t span_ms);

uint64_t measure_left_ms(const struct measure *measure);

/* The member at that position of the view; NULL: it came later. */
const struct measured *measure_find(const struct measure *measure, uint32_t position);

/* The longest packet of those tried that passed there and back, 0: none did. The smallest of them
 * is that of a full segment. */
uint32_t measured_packet_bytes(const struct measured *measured);

/* How much faster than this node's the clock of that member runs, in millionths, and how far that
 * may be off; false: not known. */
bool measured_rate(const struct measured *measured, int64_t *ppm, uint64_t *unsure_ppm);

#endif
