#include "runtime/node/measure.h"

#include <assert.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/host/chance.h"
#include "runtime/host/clock.h"
#include "seal/sealed_frame.h"
#include "words/address_text.h"

enum {
    NS_PER_US = 1000,
    US_PER_MS = 1000,
    MILLION = 1000000,
    NUMBER_STEP = 8,           /* the number of a probe: when it was sent, in us, and which it is */
    STREAM_PROBE_BYTES = 1100, /* more than a segment on each side of the longest */
    SEGMENT_PACKET_BYTES = 576,
    UDP_HEADERS_4 = 28,
    UDP_HEADERS_6 = 48,
    SEAL_BYTES = SEALED_HEADER_BYTES - 16 + 1 + TAG_BYTES, /* without a cookie and a ring */
};

_Static_assert((int)MEASURE_KINDS <= (int)NUMBER_STEP, "a number has room for what it is");

static void on_tick(uv_timer_t *timer);

static uint64_t clock_us(void)
{
    return clock_ns() / NS_PER_US;
}

static const struct view *view_of(const struct measure *measure)
{
    return core_view(node_core(measure->node));
}

static bool is_self(const struct measure *measure, const struct node_id *life)
{
    return id_equal(life, &core_self(node_core(measure->node))->id);
}

static const uint16_t packet_bytes[MEASURE_KINDS] = {
    [MEASURE_PACKET_1280] = 1280, [MEASURE_PACKET_1400] = 1400, [MEASURE_PACKET_1500] = 1500};

/* --- The answers ----------------------------------------------------------------------------- */

/* While the view is that of the beginning, so are the positions. */
static struct measured *find(const struct measure *measure, uint32_t position)
{
    const struct node_id *life = &view_of(measure)->members[position].id;

    if (position < measure->member_count && id_equal(&measure->members[position].life, life)) {
        return &measure->members[position];
    }
    for (uint32_t i = 0; i < measure->member_count; i++) {
        if (id_equal(&measure->members[i].life, life)) {
            return &measure->members[i];
        }
    }
    return NULL;
}

const struct measured *measure_find(const struct measure *measure, uint32_t position)
{
    return find(measure, position);
}

/* Takes the probe of that number off those that are open. */
static bool was_open(struct measured *member, uint64_t number)
{
    for (uint32_t i = 0; number != 0 && i < MEASURE_OPEN_MAX; i++) {
        if (member->open[i] == number) {
            member->open[i] = 0;
            return true;
        }
    }
    return false;
}

static void take_trip(struct measured *member, uint64_t trip_us)
{
    const bool is_first = member->answered == 0;
    const uint64_t last_us = member->trip_us_last;

    member->answered++;
    member->trip_us_sum += trip_us;
    member->trip_us_last = trip_us;
    if (is_first || trip_us < member->trip_us_min) {
        member->trip_us_min = trip_us;
    }
    if (trip_us > member->trip_us_max) {
        member->trip_us_max = trip_us;
    }
    if (!is_first) {
        member->jitter_us_sum += trip_us > last_us ? trip_us - last_us : last_us - trip_us;
    }
}

static void note_reached(struct measured *member, uint64_t sent_us)
{
    if (sent_us > member->reached_us) {
        const uint64_t since_us = sent_us - member->reached_us;
        if (since_us > member->unreached_us_max) {
            member->unreached_us_max = since_us;
        }
        member->reached_us = sent_us;
    }
}

static void take_clock(const struct measure *measure, struct measured *member, uint64_t sent_us,
                       uint64_t trip_us, uint64_t there_us)
{
    const uint64_t third_us = measure->span_us / 3;
    const struct clock_pair pair = {
        .here_us = sent_us + trip_us / 2, .there_us = there_us, .unsure_us = trip_us / 2 + 1};
    struct clock_pair *kept = sent_us < measure->began_us + third_us    ? &member->first
                              : sent_us + third_us >= measure->ended_us ? &member->last
                                                                        : NULL;

    if (kept != NULL && (kept->here_us == 0 || pair.unsure_us < kept->unsure_us)) {
        *kept = pair;
    }
}

static void on_answer(void *context, uint32_t position, uint64_t nonce, uint64_t number,
                      size_t bytes, uint64_t there_us)
{
    struct measure *measure = context;
    const uint64_t now_us = clock_us();
    const uint64_t kind = number % NUMBER_STEP;
    const uint64_t sent_us = number - kind;

    (void)bytes; /* Who shortens it says of its own path what is not so. */

    if (nonce != measure->nonce ||
        (measure->state != MEASURE_RUNS && measure->state != MEASURE_WAITS)) {
        return;
    }
    struct measured *member = find(measure, position);
    if (member == NULL || !was_open(member, number)) {
        return;
    }
    const uint64_t trip_us = now_us - sent_us;
    note_reached(member, sent_us);
    if (kind != MEASURE_SMALL) {
        member->long_ones[kind].answered++;
        return;
    }
    take_trip(member, trip_us);
    take_clock(measure, member, sent_us, trip_us, there_us);
}

uint32_t measured_packet_bytes(const struct measured *measured)
{
    const struct measured_kind *kinds = measured->long_ones;

    for (int kind = MEASURE_PACKET_1500; kind >= MEASURE_PACKET_1280; kind--) {
        if (kinds[kind].answered > 0) {
            return packet_bytes[kind];
        }
    }
    return kinds[MEASURE_STREAM].answered > 0 ? SEGMENT_PACKET_BYTES : 0;
}

bool measured_rate(const struct measured *measured, int64_t *ppm, uint64_t *unsure_ppm)
{
    const struct clock_pair *first = &measured->first;
    const struct clock_pair *last = &measured->last;

    if (first->here_us == 0 || last->here_us <= first->here_us) {
        return false;
    }
    const int64_t here_us = (int64_t)(last->here_us - first->here_us);
    /* What a member says is anything: nobody's clock is believed to be off by more than twice. */
    const uint64_t there_us = last->there_us - first->there_us;
    if (there_us > 2 * (uint64_t)here_us) {
        return false;
    }
    *ppm = ((int64_t)there_us - here_us) * MILLION / here_us;
    *unsure_ppm = (first->unsure_us + last->unsure_us) * MILLION / (uint64_t)here_us + 1;
    return true;
}

/* --- The probes ------------------------------------------------------------------------------ */

/* What the kernel has learnt of the way there: the device's MTU, or less where a router said so. */
static uint32_t path_bytes(const struct address *to)
{
    const int family = address_family(to);
    struct sockaddr_storage name;
    const socklen_t size = address_to_sockaddr(to, family, &name);
    const int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int mtu = 0;
    socklen_t length = sizeof mtu;

    if (fd < 0) {
        return 0;
    }
    if (connect(fd, (const struct sockaddr *)&name, size) != 0 ||
        getsockopt(fd, family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP,
                   family == AF_INET6 ? IPV6_MTU : IP_MTU, &mtu, &length) != 0) {
        mtu = 0;
    }
    (void)close(fd);
    return mtu > 0 ? (uint32_t)mtu : 0;
}

/* Of the frame; 0: this kind is of no use there, for the kernel knows that it would not pass. */
static size_t probe_bytes(const struct measure *measure, const struct measured *member,
                          enum measure_kind kind, int family)
{
    const struct keyring *ring = node_keys(measure->node);
    const size_t headers = family == AF_INET6 ? UDP_HEADERS_6 : UDP_HEADERS_4;
    const size_t seal = ring != NULL && ring->count > 0 ? SEAL_BYTES : 0;

    switch (kind) {
    case MEASURE_SMALL:
    case MEASURE_KINDS:
        return INQUIRY_PROBE_BYTES_MIN;
    case MEASURE_DATAGRAM:
        return DATAGRAM_FRAME_BYTES_MAX;
    case MEASURE_STREAM:
        return STREAM_PROBE_BYTES;
    case MEASURE_PACKET_1280:
    case MEASURE_PACKET_1400:
    case MEASURE_PACKET_1500:
        break;
    }
    return packet_bytes[kind] <= member->path_bytes ? packet_bytes[kind] - headers - seal : 0;
}

static void send_probe(struct measure *measure, struct measured *member, uint32_t position,
                       enum measure_kind kind)
{
    const struct node_traffic *traffic = node_traffic(measure->node);
    const struct address *to = &view_of(measure)->members[position].address;
    const size_t bytes = probe_bytes(measure, member, kind, address_family(to));
    const uint64_t failed = traffic->send_failed;
    const uint64_t datagrams = traffic->datagrams_out;
    const uint64_t bytes_out = traffic->bytes_out;
    const uint64_t now_us = clock_us();
    const uint64_t number = now_us - now_us % NUMBER_STEP + kind;

    if (bytes == 0) {
        return;
    }
    inquiry_probe(node_inquiry(measure->node), position,
                  &(struct path_probe){.nonce = measure->nonce,
                                       .number = number,
                                       .bytes = bytes,
                                       .as_datagram = kind >= MEASURE_PACKET_1280});
    measure->probes_out += traffic->datagrams_out - datagrams; /* None where a fault drops it. */
    measure->probe_bytes_out += traffic->bytes_out - bytes_out;
    if (kind == MEASURE_SMALL) {
        member->sent++;
    } else if (traffic->send_failed == failed) { /* What did not leave shows nothing of the path. */
        member->long_ones[kind].sent++;
    } else {
        return;
    }
    member->open[member->open_next] = number;
    member->open_next = (member->open_next + 1) % MEASURE_OPEN_MAX;
}

static void send_probes(struct measure *measure, struct measured *member, uint32_t position)
{
    if (measure->rounds == 0) {
        member->path_bytes = path_bytes(&view_of(measure)->members[position].address);
        member->reached_us = clock_us();
    }
    send_probe(measure, member, position, MEASURE_SMALL);
    for (int kind = MEASURE_DATAGRAM;
         kind < MEASURE_KINDS && measure->rounds % MEASURE_LARGE_EVERY == 0; kind++) {
        send_probe(measure, member, position, (enum measure_kind)kind);
    }
}

/* Some of the members that this round has not had yet; a new round when it has had all, and when
 * the last one is long enough ago. */
static void send_some(struct measure *measure, uint64_t now_us)
{
    /* Who is not in has no members, not even itself. */
    for (uint32_t i = 0; i < MEASURE_TURN && measure->member_count > 0; i++) {
        if (measure->next == measure->member_count) {
            if (now_us < measure->round_us + (uint64_t)MEASURE_ROUND_MS * US_PER_MS) {
                return;
            }
            measure->round_us = now_us;
            measure->next = 0;
            measure->rounds++;
        }
        struct measured *member = &measure->members[measure->next++];
        const uint32_t position = view_find(view_of(measure), &member->life);
        if (position != VIEW_NONE && !is_self(measure, &member->life)) {
            send_probes(measure, member, position);
        }
    }
}

/* --- The time -------------------------------------------------------------------------------- */

static void note_lateness(struct measure *measure)
{
    const uint64_t now_ns = clock_ns();
    const uint64_t late_us = now_ns > measure->due_ns ? (now_ns - measure->due_ns) / NS_PER_US : 0;

    measure->ticks++;
    measure->late_us_sum += late_us;
    if (late_us > measure->late_us_max) {
        measure->late_us_max = late_us;
    }
}

static void arm(struct measure *measure)
{
    uv_update_time(measure->timer.loop); /* else the pause would count from the turn's beginning */
    measure->due_ns = clock_ns() + (uint64_t)MEASURE_TICK_MS * CLOCK_NS_PER_MS;
    (void)uv_timer_start(&measure->timer, on_tick, MEASURE_TICK_MS, 0);
}

static bool all_answered(const struct measure *measure)
{
    for (uint32_t i = 0; i < measure->member_count; i++) {
        const struct measured *member = &measure->members[i];
        if (member->answered < member->sent) {
            return false;
        }
        for (int kind = MEASURE_DATAGRAM; kind < MEASURE_KINDS; kind++) {
            if (member->long_ones[kind].answered < member->long_ones[kind].sent) {
                return false;
            }
        }
    }
    return true;
}

static void count_sent(struct measure *measure)
{
    const struct node_traffic *traffic = node_traffic(measure->node);
    const uint64_t datagrams = traffic->datagrams_out - measure->datagrams_out;
    const uint64_t bytes = traffic->bytes_out - measure->bytes_out;

    measure->datagrams_out = datagrams > measure->probes_out ? datagrams - measure->probes_out : 0;
    measure->bytes_out = bytes > measure->probe_bytes_out ? bytes - measure->probe_bytes_out : 0;
    measure->sent_span_us = clock_us() - measure->began_us;
    measure->late_wakeups = core_counters(node_core(measure->node))->late_wakeups -
                            measure->late_wakeups;
}

/* Who was not reached to the end was not reached for that long. */
static void end(struct measure *measure)
{
    for (uint32_t i = 0; i < measure->member_count; i++) {
        struct measured *member = &measure->members[i];
        const uint64_t since_us = measure->ended_us > member->reached_us
                                      ? measure->ended_us - member->reached_us
                                      : 0;
        if (member->sent > 0 && since_us > member->unreached_us_max) {
            member->unreached_us_max = since_us;
        }
    }
    count_sent(measure);
    measure->state = MEASURE_DONE;
}

static void on_tick(uv_timer_t *timer)
{
    struct measure *measure = timer->data;
    const uint64_t now_us = clock_us();

    note_lateness(measure);
    if (measure->state == MEASURE_RUNS && now_us >= measure->ended_us) {
        measure->ended_us = now_us;
        measure->state = MEASURE_WAITS;
    }
    if (measure->state == MEASURE_RUNS) {
        inquiry_ask(node_inquiry(measure->node));
        send_some(measure, now_us);
    } else if (all_answered(measure) ||
               now_us >= measure->ended_us + (uint64_t)MEASURE_GRACE_MS * US_PER_MS) {
        end(measure);
        return;
    }
    arm(measure);
}

uint64_t measure_left_ms(const struct measure *measure)
{
    const uint64_t now_us = clock_us();

    return measure->state == MEASURE_RUNS && now_us < measure->ended_us
               ? (measure->ended_us - now_us) / US_PER_MS
               : 0;
}

/* --- Beginning and end ----------------------------------------------------------------------- */

void measure_open(struct measure *measure, uv_loop_t *loop, struct node *node)
{
    measure->node = node;
    (void)uv_timer_init(loop, &measure->timer); /* cannot fail */
    measure->timer.data = measure;
    inquiry_set_prober(node_inquiry(node),
                       &(struct inquiry_prober){.take = on_answer, .context = measure});
}

static void on_timer_closed(uv_handle_t *handle)
{
    const struct measure *measure = handle->data;

    measure->on_closed(measure->closed_context);
}

void measure_close(struct measure *measure, void (*on_closed)(void *context), void *context)
{
    measure->on_closed = on_closed;
    measure->closed_context = context;
    inquiry_set_prober(node_inquiry(measure->node), &(struct inquiry_prober){.take = NULL});
    uv_close((uv_handle_t *)&measure->timer, on_timer_closed);
    free(measure->members);
    measure->members = NULL;
    measure->member_count = 0;
    measure->state = MEASURE_NONE;
}

bool measure_begin(struct measure *measure, uint64_t span_ms)
{
    const struct view *view = view_of(measure);
    const struct node_traffic *traffic = node_traffic(measure->node);
    struct measured *members;
    uint64_t nonce;

    assert(span_ms >= MEASURE_MS_MIN && span_ms <= MEASURE_MS_MAX);
    if (measure->state == MEASURE_RUNS || measure->state == MEASURE_WAITS) {
        return true;
    }
    members = calloc((size_t)view->member_count + 1, sizeof *members);
    if (members == NULL || !chance_draw(&nonce, sizeof nonce) ||
        !inquiry_begin(node_inquiry(measure->node))) {
        free(members);
        return false;
    }
    for (uint32_t i = 0; i < view->member_count; i++) {
        members[i].life = view->members[i].id;
    }
    free(measure->members);
    measure->members = members;
    measure->member_count = view->member_count;
    measure->nonce = nonce;
    measure->span_us = span_ms * US_PER_MS;
    measure->began_us = clock_us();
    measure->ended_us = measure->began_us + measure->span_us;
    measure->round_us = measure->began_us;
    measure->next = 0;
    measure->rounds = 0;
    measure->late_us_max = 0;
    measure->late_us_sum = 0;
    measure->ticks = 0;
    measure->late_wakeups = core_counters(node_core(measure->node))->late_wakeups;
    measure->datagrams_out = traffic->datagrams_out;
    measure->bytes_out = traffic->bytes_out;
    measure->probes_out = 0;
    measure->probe_bytes_out = 0;
    measure->sent_span_us = 0;
    measure->state = MEASURE_RUNS;
    arm(measure);
    return true;
}
