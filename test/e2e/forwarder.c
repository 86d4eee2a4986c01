#include "forwarder.h"

#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "process.h"

enum {
    IPV4_HEADER_BYTES = 20,
    IPV4_PROTOCOL = 9, /* where it is in the header */
    IPV4_DESTINATION = 16,
};

struct packet {
    uint64_t due_ms;
    struct packet *next;
    size_t to;
    size_t length;
    uint8_t bytes[FORWARDER_PACKET_BYTES_MAX];
};

struct forwarder {
    pthread_t thread;
    size_t count;
    int devices[FORWARDER_NODES_MAX];
    int wake; /* an event on it ends the thread */
    uint32_t network;
    uint64_t chance;
    struct packet *queue; /* soonest first */
    size_t queue_length;
    pthread_mutex_t lock; /* holds what follows */
    struct links links;
};

/* --- Chance ---------------------------------------------------------------------------------- */

/* splitmix64. */
static uint64_t draw(struct forwarder *forwarder)
{
    uint64_t z = (forwarder->chance += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

static bool happens(struct forwarder *forwarder, unsigned percent)
{
    return percent > 0 && draw(forwarder) % 100 < percent;
}

/* --- Packets --------------------------------------------------------------------------------- */

/* The node that the packet is for, or `count` when it is for none of them. */
static size_t destination(const struct forwarder *forwarder, const struct packet *packet)
{
    uint32_t address = 0;

    if (packet->length < IPV4_HEADER_BYTES || packet->bytes[0] >> 4 != 4) {
        return forwarder->count; /* The kernel also sends what belongs to IPv6. */
    }
    for (size_t i = 0; i < 4; i++) {
        address = address << 8 | packet->bytes[IPV4_DESTINATION + i];
    }
    const uint32_t node = address - forwarder->network - 1; /* Wraps round for those below. */
    return node < forwarder->count ? node : forwarder->count;
}

/* A packet that the kernel does not take is lost, as it would be on a wire. */
static void deliver(struct forwarder *forwarder, const struct packet *packet)
{
    const ssize_t written = write(forwarder->devices[packet->to], packet->bytes, packet->length);

    (void)written;
}

static void enqueue(struct forwarder *forwarder, const struct packet *packet)
{
    struct packet *copy = forwarder->queue_length == FORWARDER_QUEUE_MAX ? NULL
                                                                         : malloc(sizeof *copy);
    struct packet **place = &forwarder->queue;

    if (copy == NULL) {
        return;
    }
    *copy = *packet;
    while (*place != NULL && (*place)->due_ms <= copy->due_ms) {
        place = &(*place)->next;
    }
    copy->next = *place;
    *place = copy;
    forwarder->queue_length++;
}

/* Puts the packet under way, once more if it is to be repeated. */
static void carry(struct forwarder *forwarder, struct packet *packet,
                  const struct link_faults *faults)
{
    const uint64_t spread_ms = faults->delay_ms_max - faults->delay_ms_min;
    const unsigned copies = happens(forwarder, faults->repeat_percent) ? 2 : 1;

    if (happens(forwarder, faults->corrupt_percent)) {
        const uint64_t bit = draw(forwarder) % (packet->length * 8);
        packet->bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    for (unsigned i = 0; i < copies; i++) {
        const uint64_t delay_ms = faults->delay_ms_min + draw(forwarder) % (spread_ms + 1) +
                                  i * faults->repeat_ms;
        packet->due_ms = clock_now_ms() + delay_ms;
        if (delay_ms == 0) {
            deliver(forwarder, packet);
        } else {
            enqueue(forwarder, packet);
        }
    }
}

/* Takes one packet out of the device of a node. */
static void take(struct forwarder *forwarder, size_t from)
{
    struct packet packet = {.next = NULL};
    const ssize_t length = read(forwarder->devices[from], packet.bytes, sizeof packet.bytes);

    packet.length = length < 0 ? 0 : (size_t)length;
    packet.to = destination(forwarder, &packet);
    if (packet.to == forwarder->count) {
        return;
    }
    pthread_mutex_lock(&forwarder->lock);
    const struct link_faults faults = forwarder->links.faults[from][packet.to];
    pthread_mutex_unlock(&forwarder->lock);
    const bool is_too_long = faults.packet_bytes_max > 0 && packet.length > faults.packet_bytes_max;
    const bool is_barred = faults.drop_protocol != 0 &&
                           packet.bytes[IPV4_PROTOCOL] == faults.drop_protocol;
    if (!is_too_long && !is_barred && !happens(forwarder, faults.drop_percent)) {
        carry(forwarder, &packet, &faults);
    }
}

/* --- The thread ------------------------------------------------------------------------------ */

static void deliver_due(struct forwarder *forwarder)
{
    const uint64_t now_ms = clock_now_ms();

    while (forwarder->queue != NULL && forwarder->queue->due_ms <= now_ms) {
        struct packet *packet = forwarder->queue;
        forwarder->queue = packet->next;
        forwarder->queue_length--;
        deliver(forwarder, packet);
        free(packet);
    }
}

/* Until the next packet is due; for ever when none is under way. */
static int patience_ms(const struct forwarder *forwarder)
{
    const uint64_t now_ms = clock_now_ms();

    if (forwarder->queue == NULL) {
        return -1;
    }
    return forwarder->queue->due_ms <= now_ms ? 0 : (int)(forwarder->queue->due_ms - now_ms);
}

/* As the daemons do (src/runtime/host/precedence.h). Else a busy machine would let them run and
 * keep what they send from each other: all of them would be cut off at once. */
static void take_precedence(void)
{
    const struct sched_param lowest = {.sched_priority = sched_get_priority_min(SCHED_RR)};

    (void)pthread_setschedparam(pthread_self(), SCHED_RR, &lowest);
}

static void *run(void *argument)
{
    struct forwarder *forwarder = argument;
    const size_t count = forwarder->count;
    struct pollfd ready[FORWARDER_NODES_MAX + 1];

    for (size_t i = 0; i < count; i++) {
        ready[i] = (struct pollfd){.fd = forwarder->devices[i], .events = POLLIN};
    }
    ready[count] = (struct pollfd){.fd = forwarder->wake, .events = POLLIN};
    take_precedence();
    while (ready[count].revents == 0) {
        (void)poll(ready, count + 1, patience_ms(forwarder));
        deliver_due(forwarder);
        for (size_t i = 0; i < count; i++) {
            if (ready[i].revents & POLLIN) {
                take(forwarder, i);
            }
        }
    }
    return NULL;
}

/* Who holds the lock goes before others as the thread does that waits for it. */
static void make_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    (void)pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

/* Signals are for the thread that runs the test. */
static bool start_thread(struct forwarder *forwarder)
{
    sigset_t all;
    sigset_t before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&forwarder->thread, NULL, run, forwarder);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error == 0;
}

struct forwarder *forwarder_start(const int *devices, size_t count, uint32_t network, uint64_t seed)
{
    struct forwarder *forwarder = calloc(1, sizeof *forwarder);

    assert(count <= FORWARDER_NODES_MAX);
    if (forwarder == NULL) {
        return NULL;
    }
    forwarder->count = count;
    forwarder->network = network;
    forwarder->chance = seed;
    memcpy(forwarder->devices, devices, count * sizeof *devices);
    make_lock(&forwarder->lock);
    forwarder->wake = eventfd(0, EFD_CLOEXEC);
    if (forwarder->wake < 0 || !start_thread(forwarder)) {
        close(forwarder->wake);
        pthread_mutex_destroy(&forwarder->lock);
        free(forwarder);
        return NULL;
    }
    return forwarder;
}

static bool are_sound(const struct forwarder *forwarder, const struct links *links)
{
    for (size_t i = 0; i < forwarder->count; i++) {
        for (size_t j = 0; j < forwarder->count; j++) {
            if (links->faults[i][j].delay_ms_min > links->faults[i][j].delay_ms_max) {
                return false;
            }
        }
    }
    return true;
}

void forwarder_set(struct forwarder *forwarder, const struct links *links)
{
    assert(are_sound(forwarder, links));

    pthread_mutex_lock(&forwarder->lock);
    forwarder->links = *links;
    pthread_mutex_unlock(&forwarder->lock);
}

void forwarder_stop(struct forwarder *forwarder)
{
    if (forwarder == NULL) {
        return;
    }
    const uint64_t one = 1;
    const ssize_t written = write(forwarder->wake, &one, sizeof one);
    assert(written == sizeof one);
    (void)written;
    pthread_join(forwarder->thread, NULL);
    while (forwarder->queue != NULL) {
        struct packet *packet = forwarder->queue;
        forwarder->queue = packet->next;
        free(packet);
    }
    close(forwarder->wake);
    pthread_mutex_destroy(&forwarder->lock);
    free(forwarder);
}
