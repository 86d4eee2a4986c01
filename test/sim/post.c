#include "post.h"

#include <assert.h>
#include <string.h>

#include "cluster.h"
#include "proto/beat_frame.h"
#include "strain.h"

/* A frame with a view, but for the lists of that: header, envelope, and the most that a VOTE has
 * besides, all numbers at their longest. */
enum { FRAME_REST_BYTES = 16 + 47 + 145 + 48 };

static bool is_lost(struct sim *sim, uint32_t from, uint32_t to, enum message_type type)
{
    for (uint32_t i = 0; i < sim->loss_count; i++) {
        struct loss *loss = &sim->losses[i];
        if (loss->left > 0 && (loss->from == SIM_ANY || loss->from == from) &&
            (loss->to == SIM_ANY || loss->to == to) &&
            (loss->type == SIM_ANY || loss->type == type)) {
            loss->left--;
            return true;
        }
    }
    return false;
}

void post_push(struct sim *sim, struct packet *packet, uint64_t at_us)
{
    struct pending *pending = queue_take(&sim->queue);
    pending->type = PENDING_PACKET;
    pending->host = packet->to;
    pending->packet = packet;
    queue_push(&sim->queue, at_us, pending);
}

/* --- Frames --- */

/* Of a datagram: what a key adds to a frame, and Ethernet, IP and UDP. One of so many heartbeats to
 * a member goes out whole. */
enum { SEAL_BYTES = 52, HEADERS_BYTES = 42, BEATS_PER_WHOLE = 50 };

/* Is its frame that short? */
static bool is_short(const struct message *message)
{
    return message->type == MESSAGE_HEARTBEAT && message->heartbeat.suspect_count == 0;
}

/* With one reference, the caller's; `from` and `to` are its to set. */
static struct packet *frame_of(struct sim *sim, const struct host *host,
                               const struct effect *effect)
{
    size_t length;
    const struct wire_copy copy = {
        .to = id_is_none(&effect->peer) ? NULL : &effect->peer,
        .flags = (effect->fellow ? WIRE_FELLOW : 0U) | (effect->relay ? WIRE_RELAY : 0U) |
                 (effect->handed_on ? WIRE_HANDED_ON : 0U),
        .echo = effect->echo,
        .brief = effect->brief,
    };
    const uint8_t *bytes = (effect->message == sim->encoded ? wire_encode_copy : wire_encode)(
        sim->wire, effect->message, &copy, &length);
    struct packet *packet = network_packet(&sim->network, length);

    assert(!is_short(effect->message) || length < LONG_BYTES);
    sim->encoded = effect->message;
    packet->source = host->address;
    if (length <= PACKET_BYTES_MIN) {
        memcpy(packet->bytes, bytes, PACKET_BYTES_MIN); /* Both have room: a few moves, no loop. */
    } else {
        memcpy(packet->bytes, bytes, length);
    }
    return packet;
}

/* --- Damage --- */

static struct packet *packet_of(struct sim *sim, const struct packet *like, const uint8_t *bytes,
                                size_t length)
{
    struct packet *packet = network_packet(&sim->network, length);
    memcpy(packet->bytes, bytes, length);
    packet->from = like->from;
    packet->to = like->to;
    packet->source = like->source;
    packet->damaged = true;
    return packet;
}

static bool may_be_damaged(const struct quality *quality)
{
    return (quality->truncate_ppm | quality->garbage_ppm | quality->foreign_ppm) != 0;
}

/* What nobody sent, or not like this, made of a frame. It goes through the codec and no further
 * (S15). */
static void send_cut_off(struct sim *sim, const struct packet *frame, uint64_t at_us)
{
    size_t length = (size_t)random_below(&sim->random, frame->length);

    post_push(sim, packet_of(sim, frame, frame->bytes, length), at_us);
}

static void send_garbage(struct sim *sim, const struct packet *frame, uint64_t at_us)
{
    struct packet *garbage = packet_of(sim, frame, frame->bytes, frame->length);
    bool headless = random_below(&sim->random, 2) == 0;

    for (size_t i = headless ? 0 : WIRE_HEADER_BYTES; i < garbage->length; i++) {
        garbage->bytes[i] = (uint8_t)random_u64(&sim->random);
    }
    post_push(sim, garbage, at_us);
}

static void send_foreign(struct sim *sim, const struct packet *frame, uint64_t at_us)
{
    struct message message;
    size_t length;

    if (wire_decode(sim->wire, frame->bytes, frame->length, &message) == WIRE_OK) {
        const struct wire_copy copy = {.to = NULL, .flags = WIRE_FELLOW};
        const uint8_t *bytes = wire_encode(sim->foreign_wire, &message, &copy, &length);
        post_push(sim, packet_of(sim, frame, bytes, length), at_us);
    }
}

typedef void send_damage(struct sim *sim, const struct packet *frame, uint64_t at_us);

/* A message that went out open becomes a frame only where there is something to damage. */
static void damage(struct sim *sim, const struct host *host, const struct effect *effect,
                   const struct packet *packet, uint32_t ppm, send_damage *send)
{
    if (!network_happens(&sim->random, ppm)) {
        return;
    }
    struct packet *frame = frame_of(sim, host, effect);
    frame->from = packet->from;
    frame->to = packet->to;
    send(sim, frame, sim->now_us + network_quality(&sim->network, packet->from)->latency_us_max);
    network_release(&sim->network, frame);
}

static void send_damaged(struct sim *sim, const struct host *host, const struct effect *effect,
                         const struct packet *packet)
{
    const struct quality *quality = network_quality(&sim->network, packet->from);

    damage(sim, host, effect, packet, quality->truncate_ppm, send_cut_off);
    damage(sim, host, effect, packet, quality->garbage_ppm, send_garbage);
    damage(sim, host, effect, packet, quality->foreign_ppm, send_foreign);
}

/* --- Packets --- */

/* A copy of the view for all that this message goes to. */
static struct carried_view *carry(struct sim *sim, const struct message *message)
{
    if (sim->carried_for != message) {
        post_forget(sim);
        sim->carried_for = message;
        sim->carried = network_carry(&sim->network, message_view(message));
    }
    sim->carried->references++;
    return sim->carried;
}

void post_forget(struct sim *sim)
{
    sim->sent = NULL;
    sim->encoded = NULL;
    sim->measured = NULL;
    sim->shortened = NULL;
    if (sim->carried_for != NULL) {
        sim->carried_for = NULL;
        network_put_down(&sim->network, sim->carried);
    }
}

/* The same as a frame, when that has been read. */
static struct packet *open_packet_of(struct sim *sim, const struct effect *effect,
                                     const struct address *source)
{
    struct packet *packet = network_packet(&sim->network, message_bytes(effect->message));
    struct message *message = network_message(packet);

    packet->open = true;
    message_copy(message, effect->message);
    message->to = effect->peer;
    message->fellow = effect->fellow;
    message->relay = effect->relay;
    message->handed_on = effect->handed_on;
    message->echo = effect->echo;
    message->source = *source;
    if (message_view(message) != NULL) {
        packet->carried = carry(sim, effect->message);
        message->carrier.view = &packet->carried->view;
    }
    return packet;
}

/* No frame that brings this view along is longer, but for that of a MERGE. */
static size_t frame_bytes_most(const struct view *view)
{
    enum {
        MEMBER_BYTES = 63,
        GONE_BYTES = 85,
        VOTER_BYTES = 40
    }; /* without the name and the tags */
    size_t bytes = FRAME_REST_BYTES;

    for (uint32_t i = 0; i < view->member_count; i++) {
        bytes += MEMBER_BYTES + strlen(view->members[i].name) +
                 member_tags(&view->members[i])->length;
    }
    for (uint32_t i = 0; i < view->gone_count; i++) {
        bytes += GONE_BYTES + strlen(view->gone[i].name);
    }
    for (uint8_t i = 0; i < view->voters.count; i++) {
        bytes += VOTER_BYTES + strlen(view->voters.voters[i].name);
    }
    return bytes;
}

/* Of messages without a view these have tags, which may be long. */
static bool has_tags(const struct message *message)
{
    return message->type == MESSAGE_JOIN || message->type == MESSAGE_READY ||
           (message->type == MESSAGE_WISH && message->wish.kind == WISH_TAGS);
}

/* Asked for each receiver, of one message after the other. */
static bool is_datagram(struct sim *sim, const struct message *message)
{
    const struct view *view = message_view(message);

    if (view == NULL || message->type == MESSAGE_MERGE) {
        return view == NULL && !has_tags(message);
    }
    if (sim->measured != message) {
        sim->measured = message;
        sim->measured_bytes = frame_bytes_most(view);
    }
    return sim->measured_bytes <= DATAGRAM_FRAME_BYTES_MAX;
}

/* Does its view go out as a change of the one that the sender holds? */
static bool is_brief(struct sim *sim, const struct effect *effect)
{
    if (effect->brief && sim->shortened != effect->message) {
        sim->shortened = effect->message;
        sim->brief_bytes = wire_brief_bytes(sim->wire, effect->message);
    }
    return effect->brief && sim->brief_bytes > 0;
}

/* Do the bytes of this message matter on this link, or only what they say? */
static bool needs_frame(struct sim *sim, const struct quality *quality, const struct link *link,
                        const struct effect *effect)
{
    const bool is_narrow = quality->datagram_bytes_max != 0 || quality->long_loss_ppm != 0 ||
                           link->bytes_max != 0;

    const bool is_named = effect->brief && effect->message->type == MESSAGE_CLAIM; /* U3e */

    return !sim->options.spares_codec || (is_narrow && !is_short(effect->message)) || is_named ||
           !(is_brief(sim, effect) ? sim->brief_bytes <= DATAGRAM_FRAME_BYTES_MAX
                                   : is_datagram(sim, effect->message));
}

static void note_base(struct packet *packet, const struct view *base)
{
    packet->brief = true;
    packet->carried->base = view_id_of(base);
    packet->carried->base_hash = base->hash;
}

/* As wire_decode asks. */
static bool is_base(const struct packet *packet, const struct view *held)
{
    const struct view_id id = view_id_of(held);

    return !view_is_empty(held) && held->hash == packet->carried->base_hash &&
           view_id_equal(&id, &packet->carried->base);
}

static bool is_read(const struct packet *packet, const struct core *core)
{
    const struct view *accepted = core_accepted(core);
    const struct view_id held = view_id_of(accepted);
    const struct view_id carried = view_id_of(&packet->carried->view);

    return is_base(packet, core_view(core)) || is_base(packet, accepted) ||
           (!view_is_empty(accepted) && accepted->hash == packet->carried->view.hash &&
            view_id_equal(&held, &carried));
}

/* --- Sending --- */

/* When it has left its host. */
static uint64_t sent_us(struct sim *sim, uint32_t from)
{
    struct host *host = &sim->hosts[from];

    if (sim->datagram_us == 0) {
        return sim->now_us;
    }
    host->free_us = (host->free_us > sim->now_us ? host->free_us : sim->now_us) + sim->datagram_us;
    return host->free_us;
}

static void send_datagram(struct sim *sim, const struct host *host, const struct effect *effect,
                          struct packet *packet)
{
    const struct quality *quality = network_quality(&sim->network, packet->from);
    const size_t length = packet->open ? 0 : packet->length; /* An open one fits. */
    const struct link *link = network_link(&sim->network, packet->from, packet->to);
    const uint64_t began_us = sent_us(sim, packet->from);
    if (link->cuts > 0 && link->held_us > sim->now_us) {
        network_hold(packet);
        post_push(sim, packet, link->held_us); /* In the order of sending. */
        return;
    }
    if (strain_loses(sim, packet)) {
        return;
    }
    struct fate fate = network_fate(link, quality, &sim->random, length);
    for (uint32_t i = 0; i < fate.copies; i++) {
        network_hold(packet);
        post_push(sim, packet, began_us + fate.delay_us[i]);
    }
    if (fate.copies > 0 && may_be_damaged(quality)) {
        send_damaged(sim, host, effect, packet);
    }
    if (quality->replay_ppm == 0) {
        return;
    }
    network_keep(&sim->network, &sim->random, packet);
    struct packet *old = network_replay(&sim->network, &sim->random, quality);
    if (old != NULL) {
        post_push(sim, old,
                  sim->now_us + network_latency_us(&sim->network, &sim->random, old->from));
    }
}

static void send_frame(struct sim *sim, struct packet *packet)
{
    if (network_stream_is_stuck(&sim->network, packet, sim->segment_bytes)) {
        network_stick(&sim->network, packet);
        return; /* Its sender learns nothing. */
    }
    if (strain_takes(sim, packet)) {
        return;
    }
    uint64_t at_us = network_stream_us(&sim->network, &sim->random, packet->from, packet->to,
                                       sim->now_us);
    if (at_us != UINT64_MAX) {
        network_hold(packet);
        post_push(sim, packet, at_us);
    }
}

void post_unstick(struct sim *sim, uint32_t from, uint32_t to)
{
    struct packet *stuck[STUCK_MAX + 1];
    size_t count = 0;

    while ((stuck[count] = network_unstick(&sim->network, from, to)) != NULL) {
        count++;
    }
    for (size_t i = 0; i < count; i++) {
        send_frame(sim, stuck[i]);
        network_release(&sim->network, stuck[i]);
    }
}

static bool is_about_a_change(enum message_type type)
{
    return type == MESSAGE_PREPARE || type == MESSAGE_ACK || type == MESSAGE_COMMIT ||
           type == MESSAGE_VIEW || type == MESSAGE_PULL;
}

/* Of the frame: what is open never became one. */
static size_t bytes_of(struct sim *sim, const struct packet *packet, const struct effect *effect)
{
    enum { PLAIN_BYTES = 100 }; /* as most without a view have, such as ACK and COMMIT */

    if (!packet->open) {
        return packet->length;
    }
    if (message_view(effect->message) == NULL) {
        return PLAIN_BYTES;
    }
    return is_brief(sim, effect) ? sim->brief_bytes : sim->measured_bytes;
}

/* As the runtime decides it (wire.md, section 13). */
static bool is_beat(struct sim *sim, struct host *host, const struct effect *effect)
{
    const uint32_t position = view_find(core_view(host->core), &effect->peer);

    return effect->message->type == MESSAGE_HEARTBEAT && position != VIEW_NONE && effect->fellow &&
           !effect->relay && beat_can_say(effect->message) &&
           core_is_in_step(host->core, position, 2 * core_timing(host->core)->heartbeat_ms,
                           host_now_ms(sim, host)) &&
           ++host->beats % BEATS_PER_WHOLE != 0;
}

static void count_bytes(struct sim *sim, struct host *host, const struct effect *effect)
{
    if (is_beat(sim, host, effect)) {
        host->wire_bytes += effect->echo == 0 ? BEAT_BYTES_MIN : BEAT_BYTES_MAX;
        host->wire_bytes += HEADERS_BYTES;
        return;
    }
    struct packet *frame = frame_of(sim, host, effect);
    host->wire_bytes += frame->length + SEAL_BYTES + HEADERS_BYTES;
    network_release(&sim->network, frame);
}

/* Heartbeats that ask, and their answers, come by the socket of questions and answers (D8c). */
static enum message_type type_of(const struct effect *effect)
{
    const struct message *message = effect->message;

    if (message->type != MESSAGE_HEARTBEAT) {
        return message->type;
    }
    return effect->echo != 0         ? MESSAGE_PONG
           : message->heartbeat.asks ? MESSAGE_PING
                                     : MESSAGE_HEARTBEAT;
}

void post_send(struct sim *sim, struct host *host, const struct effect *effect)
{
    const struct host *receiver = host_at(sim, &effect->address);
    const struct message *message = effect->message;
    uint32_t from = host_index(sim, host);

    if (receiver == NULL) {
        return;
    }
    uint32_t to = host_index(sim, receiver);
    if (is_lost(sim, from, to, type_of(effect)) || strain_is_crowded(sim, host)) {
        return;
    }
    const struct quality *quality = network_quality(&sim->network, from);
    wire_set_bases(sim->wire, core_view(host->core), core_accepted(host->core));
    const struct link *link = network_link(&sim->network, from, to);
    struct packet *packet = needs_frame(sim, quality, link, effect)
                                ? frame_of(sim, host, effect)
                                : open_packet_of(sim, effect, &host->address);
    if (packet->open && is_brief(sim, effect)) {
        note_base(packet, core_view(host->core));
    }
    packet->from = from;
    packet->to = to;
    packet->type = (uint8_t)message->type;
    memcpy(&packet->receiver, effect->peer.bytes, sizeof packet->receiver);
    strain_translate(host, packet);
    if (sim->options.counts_bytes) {
        count_bytes(sim, host, effect);
    }
    if (is_about_a_change(message->type)) {
        host->traffic.messages++;
        host->traffic.bytes += bytes_of(sim, packet, effect);
    }
    if (packet->open || packet->length <= DATAGRAM_FRAME_BYTES_MAX) {
        send_datagram(sim, host, effect, packet);
    } else {
        assert(is_brief(sim, effect) || !is_datagram(sim, message));
        send_frame(sim, packet);
    }
    network_release(&sim->network, packet);
}

/* As the codec leaves it: who receives a view enters its members in the table. */
static void empty_index(struct view *view)
{
    memset(view->index, 0, (view->index_mask + 1) * sizeof view->index[0]);
}

const struct message *post_read(struct sim *sim, struct packet *packet, struct message *room)
{
    const struct core *core = sim->hosts[packet->to].core;

    if (packet->open) {
        if (packet->brief && !is_read(packet, core)) {
            return NULL;
        }
        if (packet->carried != NULL) {
            empty_index(&packet->carried->view);
        }
        return network_message(packet);
    }
    room->source = packet->source;
    wire_set_bases(sim->wire, core_view(core), core_accepted(core));
    enum wire_error error = wire_decode(sim->wire, packet->bytes, packet->length, room);
    if (packet->damaged) {
        /* Garbage that happens to be a message would be a forgery, against which there is no
         * protection: it is not let through. */
        return NULL;
    }
    assert(error == WIRE_OK || error == WIRE_BASE); /* Our own bytes. */
    return error == WIRE_OK ? room : NULL;
}
