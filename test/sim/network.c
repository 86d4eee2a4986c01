#include "network.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MILLION 1000000U

void network_init(struct network *network, uint32_t host_count, uint32_t capacity,
                  const struct quality *quality)
{
    memset(network, 0, sizeof *network);
    network->view_capacity = capacity;
    network->host_count = host_count;
    network->links = calloc((size_t)host_count * host_count, sizeof *network->links);
    network->qualities = calloc(host_count, sizeof *network->qualities);
    assert(network->links != NULL && network->qualities != NULL);
    network_set_quality(network, quality);
}

void network_deinit(struct network *network)
{
    for (uint32_t i = 0; i < network->kept_count; i++) {
        network_release(network, network->kept[i]);
    }
    for (uint32_t host = 0; host < network->host_count; host++) {
        network_end_streams(network, host);
    }
    for (size_t i = 0; i < PACKET_CLASSES; i++) {
        while (network->spare[i] != NULL) {
            struct packet *next = network->spare[i]->next;
            free(network->spare[i]);
            network->spare[i] = next;
        }
    }
    while (network->spare_views != NULL) {
        struct carried_view *next = network->spare_views->next;
        free(network->spare_views);
        network->spare_views = next;
    }
    free(network->links);
    free(network->strains);
    free(network->qualities);
}

struct link *network_link(const struct network *network, uint32_t from, uint32_t to)
{
    assert(from < network->host_count && to < network->host_count);
    return &network->links[(size_t)from * network->host_count + to];
}

const struct strain *network_strain(const struct network *network, uint32_t from, uint32_t to)
{
    return network->strains == NULL ? NULL
                                    : &network->strains[(size_t)from * network->host_count + to];
}

struct strain *network_strain_anew(struct network *network, uint32_t from, uint32_t to)
{
    if (network->strains == NULL) {
        network->strains = calloc((size_t)network->host_count * network->host_count,
                                  sizeof *network->strains);
        assert(network->strains != NULL);
    }
    return &network->strains[(size_t)from * network->host_count + to];
}

bool network_is_strained(const struct network *network, uint32_t from, uint32_t to)
{
    const struct strain *strain = network_strain(network, from, to);

    return strain != NULL && (strain->loss_ppm != 0 || strain->break_ppm != 0 ||
                              strain->repeat_ppm != 0 || strain->pace_ms != 0 || strain->refuses);
}

static bool is_open(const struct network *network, uint32_t from, uint32_t to)
{
    return network_link(network, from, to)->cuts == 0;
}

bool network_open_both_ways(const struct network *network, uint32_t a, uint32_t b)
{
    return is_open(network, a, b) && is_open(network, b, a);
}

bool network_connects(const struct network *network, uint32_t a, uint32_t b)
{
    return network_open_both_ways(network, a, b) && network_link(network, a, b)->stream_cuts == 0 &&
           network_link(network, b, a)->stream_cuts == 0;
}

void network_set_quality(struct network *network, const struct quality *quality)
{
    for (uint32_t from = 0; from < network->host_count; from++) {
        network_set_quality_from(network, from, quality);
    }
}

void network_set_quality_from(struct network *network, uint32_t from, const struct quality *quality)
{
    network->qualities[from] = *quality;
}

uint64_t network_latency_us(const struct network *network, struct random *random, uint32_t from)
{
    const struct quality *quality = network_quality(network, from);
    return random_between(random, quality->latency_us_min, quality->latency_us_max);
}

/* Draws only where there is something to decide, which spares most of the draws. */
bool network_happens(struct random *random, uint32_t ppm)
{
    return ppm > 0 && random_below(random, MILLION) < ppm;
}

static uint64_t delay_us(const struct quality *quality, struct random *random)
{
    uint64_t delay = random_between(random, quality->latency_us_min, quality->latency_us_max);
    if (network_happens(random, quality->late_ppm)) {
        delay += random_below(random, quality->late_us_max);
    }
    return delay;
}

static bool is_too_long(const struct link *link, size_t length)
{
    return link->bytes_max != 0 && length > link->bytes_max;
}

static uint32_t loss_ppm(const struct quality *quality, size_t length)
{
    return quality->loss_ppm + quality->damage_ppm +
           (length >= LONG_BYTES ? quality->long_loss_ppm : 0);
}

struct fate network_fate(const struct link *link, const struct quality *quality,
                         struct random *random, size_t length)
{
    uint32_t bytes_max = quality->datagram_bytes_max;
    struct fate fate = {0};

    if (link->cuts > 0 || link->datagram_cuts > 0 || (bytes_max != 0 && length > bytes_max) ||
        is_too_long(link, length) || network_happens(random, loss_ppm(quality, length))) {
        return fate;
    }
    fate.copies = 1;
    fate.delay_us[0] = delay_us(quality, random);
    if (network_happens(random, quality->duplicate_ppm)) {
        fate.copies = 2;
        fate.delay_us[1] = delay_us(quality, random);
    }
    return fate;
}

uint64_t network_stream_us(struct network *network, struct random *random, uint32_t from,
                           uint32_t to, uint64_t now_us)
{
    struct link *link = network_link(network, from, to);
    const uint32_t loss_ppm = network_quality(network, from)->loss_ppm;
    if (!network_connects(network, from, to)) {
        return UINT64_MAX;
    }

    /* Three trips: a connection has to be made first. */
    uint64_t at_us = now_us + 3 * network_latency_us(network, random, from);
    for (int resends = 0; resends < RESENDS_MAX && network_happens(random, loss_ppm); resends++) {
        at_us += (uint64_t)(RESEND_MS * 1000) << resends;
    }
    if (at_us <= link->stream_free_us) {
        at_us = link->stream_free_us + 1;
    }
    link->stream_free_us = at_us;
    return at_us;
}

void network_narrow(struct network *network, uint32_t from, uint32_t to, uint32_t bytes_max)
{
    network_link(network, from, to)->bytes_max = bytes_max;
}

bool network_stream_is_stuck(const struct network *network, const struct packet *frame,
                             uint32_t segment_bytes)
{
    const struct link *link = network_link(network, frame->from, frame->to);
    size_t longest = frame->length < segment_bytes ? frame->length : segment_bytes;

    return network_connects(network, frame->from, frame->to) &&
           (link->held != NULL || is_too_long(link, longest));
}

void network_stick(struct network *network, struct packet *frame)
{
    struct link *link = network_link(network, frame->from, frame->to);
    struct packet **at = &link->held;

    network->stuck += link->held == NULL;
    for (uint32_t i = 0; *at != NULL && i + 1 < STUCK_MAX; i++) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        network_release(network, *at); /* U3a: a newer view replaces an older one that waits. */
    }
    network_hold(frame);
    frame->next = NULL;
    *at = frame;
}

struct packet *network_unstick(struct network *network, uint32_t from, uint32_t to)
{
    struct link *link = network_link(network, from, to);
    struct packet *first = link->held;

    if (first != NULL) {
        link->held = first->next;
        network->stuck -= link->held == NULL;
    }
    return first;
}

void network_end_streams(struct network *network, uint32_t host)
{
    for (uint32_t i = 0; network->stuck > 0 && i < network->host_count; i++) {
        for (int way = 0; way < 2; way++) {
            uint32_t from = way == 0 ? host : i;
            uint32_t to = way == 0 ? i : host;
            for (struct packet *packet = network_unstick(network, from, to); packet != NULL;
                 packet = network_unstick(network, from, to)) {
                network_release(network, packet);
            }
        }
    }
}

struct packet *network_packet(struct network *network, size_t length)
{
    uint8_t size_class = 0;
    while (((size_t)PACKET_BYTES_MIN << size_class) < length) {
        size_class++;
    }
    assert(size_class < PACKET_CLASSES);

    struct packet *packet = network->spare[size_class];
    if (packet != NULL) {
        network->spare[size_class] = packet->next;
    } else {
        packet = aligned_alloc(CACHE_LINE,
                               sizeof *packet + ((size_t)PACKET_BYTES_MIN << size_class));
        assert(packet != NULL);
        packet->size_class = size_class;
    }
    packet->references = 1;
    packet->damaged = false;
    packet->forged = false;
    packet->open = false;
    packet->brief = false;
    packet->type = 0;
    packet->receiver = 0;
    packet->carried = NULL;
    packet->length = (uint32_t)length;
    return packet;
}

void network_hold(struct packet *packet)
{
    packet->references++;
}

void network_release(struct network *network, struct packet *packet)
{
    assert(packet->references > 0);
    if (--packet->references == 0) {
        if (packet->carried != NULL) {
            network_put_down(network, packet->carried);
        }
        packet->next = network->spare[packet->size_class];
        network->spare[packet->size_class] = packet;
    }
}

void network_keep(struct network *network, struct random *random, struct packet *packet)
{
    uint32_t place = network->kept_count;
    if (place < REPLAY_KEPT) {
        network->kept_count++;
    } else {
        place = (uint32_t)random_below(random, REPLAY_KEPT);
        network_release(network, network->kept[place]);
    }
    network_hold(packet);
    network->kept[place] = packet;
}

struct packet *network_replay(struct network *network, struct random *random,
                              const struct quality *quality)
{
    if (network->kept_count == 0 || !network_happens(random, quality->replay_ppm)) {
        return NULL;
    }
    struct packet *packet = network->kept[random_below(random, network->kept_count)];
    network_hold(packet);
    return packet;
}

struct carried_view *network_carry(struct network *network, const struct view *view)
{
    struct carried_view *carried = network->spare_views;

    if (carried != NULL) {
        network->spare_views = carried->next;
    } else {
        carried = malloc(sizeof *carried + view_bytes(network->view_capacity));
        assert(carried != NULL);
        view_init(&carried->view, network->view_capacity, carried->storage);
    }
    carried->references = 1;
    view_copy(&carried->view, view);
    return carried;
}

void network_put_down(struct network *network, struct carried_view *carried)
{
    assert(carried->references > 0);
    if (--carried->references == 0) {
        carried->next = network->spare_views;
        network->spare_views = carried;
    }
}
