#include "runtime/sockets/ways.h"

#include "runtime/host/clock.h"

/* For connecting, and again for the answer. */
enum { ANSWER_MS_MAX = 2000 };

static struct way *find(struct ways *ways, const struct node_id *life)
{
    for (uint32_t i = 0; i < ways->count; i++) {
        if (id_equal(&ways->items[i].life, life)) {
            return &ways->items[i];
        }
    }
    return NULL;
}

static void forget(struct way *way)
{
    if (way->stream != NULL) {
        stream_close(way->stream);
    }
    way->ways->held -= id_is_none(&way->life) ? 0 : 1;
    *way = (struct way){.ways = way->ways};
}

static void on_connected(void *owner)
{
    struct way *way = owner;

    stream_send_hello(way->stream, &way->life);
    stream_expect(way->stream, ANSWER_MS_MAX);
}

static uint64_t patience_ms(const struct way *way)
{
    const uint64_t heartbeats_ms = 3 * core_timing(way->ways->streams->core)->heartbeat_ms;

    return heartbeats_ms > WAYS_PATIENCE_MS ? heartbeats_ms : WAYS_PATIENCE_MS;
}

/* The connection is kept for as long as datagrams have time to come after it. */
static void on_frame(void *owner, const uint8_t *bytes, size_t length)
{
    struct way *way = owner;
    struct message message;

    if (wire_decode(way->ways->streams->wire, bytes, length, &message) == WIRE_OK &&
        message.type == MESSAGE_HELLO && id_equal(&message.from, &way->life)) {
        way->answered = true;
        stream_expect(way->stream, patience_ms(way));
    } else {
        forget(way);
    }
}

static void on_end(void *owner, int error)
{
    struct way *way = owner;
    const struct ways *ways = way->ways;

    way->stream = NULL; /* The stream has closed itself. */
    if (way->answered && error == UV_ETIMEDOUT) {
        way->without_udp = true;
        ways->on_found(ways->context, &way->life, &way->address);
    } else {
        forget(way);
    }
}

static const struct stream_handler way_handler = {
    .on_connected = on_connected,
    .on_frame = on_frame,
    .on_end = on_end,
};

void ways_open(struct ways *ways, struct streams *streams, ways_on_found *on_found, void *context)
{
    ways->streams = streams;
    ways->on_found = on_found;
    ways->context = context;
}

void ways_close(struct ways *ways)
{
    for (uint32_t i = 0; i < ways->count; i++) {
        forget(&ways->items[i]);
    }
}

/* A free place, or that of the one that was asked longest ago, freed. */
static struct way *place(struct ways *ways)
{
    struct way *oldest = &ways->items[0];

    for (uint32_t i = 0; i < WAYS_MAX; i++) {
        struct way *way = &ways->items[i];
        if (id_is_none(&way->life)) {
            ways->count = i < ways->count ? ways->count : i + 1;
            way->ways = ways;
            return way;
        }
        oldest = way->asked_ms < oldest->asked_ms ? way : oldest;
    }
    forget(oldest);
    return oldest;
}

void ways_ask(struct ways *ways, const struct node_id *life, const struct address *address)
{
    struct way *way = find(ways, life);
    int error = 0;

    if (way != NULL && (way->stream != NULL || way->without_udp)) {
        return;
    }
    way = way != NULL ? way : place(ways);
    ways->held += id_is_none(&way->life) ? 1 : 0;
    way->life = *life;
    way->address = *address;
    way->asked_ms = clock_ms();
    way->stream = stream_connect(ways->streams, address, &way_handler, way, &error);
    if (way->stream == NULL) {
        forget(way);
    } else {
        stream_expect(way->stream, ANSWER_MS_MAX);
    }
}

void ways_heard(struct ways *ways, const struct node_id *life)
{
    struct way *way = ways->held == 0 ? NULL : find(ways, life);

    if (way != NULL) {
        forget(way);
    }
}

bool ways_lack_udp(const struct ways *ways, const struct node_id *life)
{
    for (uint32_t i = 0; i < ways->count; i++) {
        if (id_equal(&ways->items[i].life, life)) {
            return ways->items[i].without_udp;
        }
    }
    return false;
}

/* --- Bans ------------------------------------------------------------------------------------ */

static struct ban *find_ban(struct ways *ways, const struct address *to)
{
    for (uint32_t i = 0; i < ways->ban_count; i++) {
        if (address_equal(&ways->bans[i].to, to)) {
            return &ways->bans[i];
        }
    }
    return NULL;
}

/* A place that was never used, or that of a ban that was lifted; NULL: all hold. */
static struct ban *free_ban(struct ways *ways)
{
    if (ways->ban_count < BANS_MAX) {
        return &ways->bans[ways->ban_count++];
    }
    for (uint32_t i = 0; i < BANS_MAX; i++) {
        if (!ways->bans[i].holds) {
            return &ways->bans[i];
        }
    }
    return NULL;
}

bool ways_forbidden(struct ways *ways, const struct address *to, uint64_t now_ms)
{
    struct ban *ban = find_ban(ways, to);

    if (ban == NULL) {
        ban = free_ban(ways);
        if (ban == NULL) {
            return false;
        }
        *ban = (struct ban){.to = *to};
    }
    if (ban->holds) {
        return false;
    }
    const bool is_said = ban->said_ms != 0 && now_ms < ban->said_ms + BAN_SAID_MS;
    ban->holds = true;
    ways->bans_held++;
    ban->said_ms = is_said ? ban->said_ms : now_ms;
    return !is_said;
}

void ways_permitted(struct ways *ways, const struct address *to)
{
    struct ban *ban = ways->bans_held == 0 ? NULL : find_ban(ways, to);

    if (ban != NULL && ban->holds) {
        ban->holds = false;
        ways->bans_held--;
    }
}

const struct ban *ways_ban(const struct ways *ways, const struct address *to)
{
    for (uint32_t i = 0; i < ways->ban_count && ways->bans_held > 0; i++) {
        const struct ban *ban = &ways->bans[i];
        if (ban->holds && (to == NULL || address_equal(&ban->to, to))) {
            return ban;
        }
    }
    return NULL;
}
