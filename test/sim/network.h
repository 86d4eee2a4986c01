/* The simulated network: between every two hosts and for each direction a link, with the delays,
 * losses and moods of the host that it is from, and the packets under way. All chance comes from
 * the run's seed. */
#ifndef SIM_NETWORK_H
#define SIM_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "cache.h"
#include "core/model/message.h"

enum {
    COPIES_MAX = 2,      /* the datagram and its repetition */
    LONG_BYTES = 300,    /* no link drops a shorter datagram for its length */
    REPLAY_KEPT = 64,    /* packets remembered to be sent once more much later */
    PACKET_CLASSES = 19, /* sizes of packet buffers: 256 bytes, doubled up to 64 MiB */
    PACKET_BYTES_MIN = 256,
    STUCK_MAX = 8,   /* frames of one stream that is stuck: newer ones take the place of the last */
    RESEND_MS = 200, /* the least a kernel waits before it repeats a lost segment; then doubled */
    RESENDS_MAX = 5,
    RESENT_MS_MAX = ((1 << RESENDS_MAX) - 1) * RESEND_MS, /* what is sent since waits behind it */
};

/* How all links from one host behave. Shares are out of a million packets. */
struct quality {
    uint32_t latency_us_min;
    uint32_t latency_us_max; /* drawn anew for each packet, so packets overtake each other */
    uint32_t loss_ppm;
    uint32_t duplicate_ppm;
    uint32_t late_ppm; /* packets held up for up to late_us_max */
    uint32_t late_us_max;
    uint32_t replay_ppm; /* an old packet of anybody comes once more */
    uint32_t damage_ppm; /* bits flip under way; a checksum notices, so it is as good as lost */
    uint32_t truncate_ppm;
    uint32_t garbage_ppm; /* bytes that mean nothing come in addition */
    uint32_t foreign_ppm; /* the same message of a cluster of another name comes in addition */
    uint32_t datagram_bytes_max; /* 300 or more: longer datagrams vanish; 0: none does */
    uint32_t long_loss_ppm;      /* besides, of datagrams of 300 bytes or more */
};

/* A view under way in open packets, which share it. */
struct carried_view {
    struct carried_view *next; /* in the pool */
    uint32_t references;
    struct view_id base; /* of brief packets: the view that they are a change of, */
    uint64_t base_hash;  /* which their receiver must hold (U3b) */
    struct view view;
    _Alignas(max_align_t) uint8_t storage[];
};

/* It takes one line of a cache, and the message or frame begins with the next. */
struct packet {
    _Alignas(CACHE_LINE) struct packet *next; /* in the pool */
    struct carried_view *carried;             /* of an open one's message; one reference; or NULL */
    uint32_t length;
    uint32_t references;
    uint32_t from; /* host */
    uint32_t to;
    uint8_t size_class;
    bool damaged;          /* not what its sender sent */
    bool forged;           /* a lie */
    bool open;             /* no frame, but the message itself: see network_message */
    bool brief;            /* and a change of the base of what is carried */
    uint8_t type;          /* of the message */
    struct address source; /* of a frame */
    uint32_t receiver; /* whom it is for, by the beginning of the id: `to` may be a relay's host */
    _Alignas(CACHE_LINE) uint8_t bytes[];
};

/* There is one for each pair of hosts: what is the same for many of them stands elsewhere. */
struct link {
    uint32_t cuts;           /* how many faults keep it cut; 0: open */
    uint32_t stream_cuts;    /* likewise, for connections alone */
    uint32_t datagram_cuts;  /* likewise, for all else */
    uint64_t changed_us;     /* when it was last cut or mended */
    uint64_t held_us;        /* while it is cut, what is sent on it comes then; 0: it is lost */
    uint64_t stream_free_us; /* a stream delivers in order: not before this */
    uint32_t bytes_max;      /* of a datagram, or a segment of a stream: 300 or more; 0: any */
    struct packet *held;     /* frames of the stuck stream, the first one first; a reference each */
};

/* What is wrong with one link or its streams, where anything is. See strain.h. */
struct strain {
    uint32_t loss_ppm;   /* of datagrams, besides what is lost of all that its host sends */
    uint32_t break_ppm;  /* of frames are the last one of their stream */
    uint32_t repeat_ppm; /* of frames come once more */
    uint32_t late_ms;    /* so late at the most, as does what its stream's end has held up */
    uint32_t pace_ms;    /* a frame in so long is read; 0: each at once */
    uint32_t taken;      /* so many wait in kernels; */
    uint32_t room;       /* so many more at the sender, which drops those that come then */
    bool is_drained;     /* the next one that waits has its time */
    bool refuses;        /* connections are reset, and new ones refused */
    uint64_t refused_us; /* when that ended last; 0: never */
    uint32_t waiting_count;
    struct packet *waiting; /* the first one first; a reference each */
};

struct network {
    uint32_t host_count;
    struct link *links;        /* host_count * host_count; untouched ones take no memory */
    struct strain *strains;    /* likewise; NULL: none is strained */
    struct quality *qualities; /* by the host that the links are from */
    uint32_t stuck;            /* streams that are */
    struct packet *spare[PACKET_CLASSES];
    struct packet *kept[REPLAY_KEPT]; /* for replays; one reference each */
    uint32_t kept_count;
    uint32_t view_capacity; /* members of a carried view at the most */
    struct carried_view *spare_views;
};

/* What becomes of one datagram: after which delays it arrives, and how often. */
struct fate {
    uint32_t copies;
    uint64_t delay_us[COPIES_MAX];
};

/* Views under way have at most `capacity` members. */
void network_init(struct network *network, uint32_t host_count, uint32_t capacity,
                  const struct quality *quality);
void network_deinit(struct network *network);

struct link *network_link(const struct network *network, uint32_t from, uint32_t to);
static inline const struct quality *network_quality(const struct network *network, uint32_t from)
{
    return &network->qualities[from];
}

bool network_open_both_ways(const struct network *network, uint32_t a, uint32_t b);

/* Can a connection be made, or carry anything? */
bool network_connects(const struct network *network, uint32_t a, uint32_t b);

/* Sets the quality of every link, or of those from one host. */
void network_set_quality(struct network *network, const struct quality *quality);
void network_set_quality_from(struct network *network, uint32_t from,
                              const struct quality *quality);

/* Draws whether a thing of that share happens. */
bool network_happens(struct random *random, uint32_t ppm);

uint64_t network_latency_us(const struct network *network, struct random *random, uint32_t from);

/* Draws the fate of a datagram that is sent now. */
struct fate network_fate(const struct link *link, const struct quality *quality,
                         struct random *random, size_t length);

/* The strain of the link; NULL: it never had one. And the same to be written. */
const struct strain *network_strain(const struct network *network, uint32_t from, uint32_t to);
struct strain *network_strain_anew(struct network *network, uint32_t from, uint32_t to);

/* Is anything wrong with the link, or its streams? */
bool network_is_strained(const struct network *network, uint32_t from, uint32_t to);

/* When a frame sent now by stream arrives, or UINT64_MAX when the stream breaks. A stream loses
 * nothing and keeps the order: a lost segment only holds up what follows. */
uint64_t network_stream_us(struct network *network, struct random *random, uint32_t from,
                           uint32_t to, uint64_t now_us);

/* Nothing longer passes from one host to the other: a black hole, of which nobody is told.
 * Datagrams are lost; a stream is stuck at the first segment that is too long. 0: all passes. */
void network_narrow(struct network *network, uint32_t from, uint32_t to, uint32_t bytes_max);

/* Is the stream stuck, or will this frame make it so? Its segments are of `segment_bytes`. */
bool network_stream_is_stuck(const struct network *network, const struct packet *frame,
                             uint32_t segment_bytes);

/* The frame waits behind those that are stuck; and the first one that waits, with its reference, or
 * NULL. */
void network_stick(struct network *network, struct packet *frame);
struct packet *network_unstick(struct network *network, uint32_t from, uint32_t to);

/* Connections of the host have ended: what was stuck in them is lost. */
void network_end_streams(struct network *network, uint32_t host);

/* A packet with room for `length` bytes and one reference, the caller's: an honest frame, unless
 * the caller says otherwise. */
struct packet *network_packet(struct network *network, size_t length);

/* Where an open packet holds its message, as the receiver would read it from a frame. */
static inline struct message *network_message(struct packet *packet)
{
    return (struct message *)(void *)packet->bytes;
}

void network_hold(struct packet *packet);
void network_release(struct network *network, struct packet *packet);

/* Remembers the packet for a replay, in the place of a random older one. */
void network_keep(struct network *network, struct random *random, struct packet *packet);

/* An old packet that comes once more now that something is sent on a link of that quality, or NULL.
 * One reference goes to the caller. */
struct packet *network_replay(struct network *network, struct random *random,
                              const struct quality *quality);

/* A copy of the view for open packets, with one reference, the caller's; and the end of one. */
struct carried_view *network_carry(struct network *network, const struct view *view);
void network_put_down(struct network *network, struct carried_view *carried);

#endif
