#include "runtime/sealing/beat_post.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)BEAT_TAG_BYTES == (int)BEAT_KEY_TAG_BYTES, "the frame has room for the tag");

const char *beat_refusal_text(enum beat_refusal refusal)
{
    switch (refusal) {
    case BEAT_TAKEN:
        return "taken";
    case BEAT_FLAGS:
        return "unknown flags";
    case BEAT_STRANGER:
        return "of no member";
    case BEAT_OTHER_VIEW:
        return "other view";
    case BEAT_NOT_AUTHENTIC:
        return "not authentic";
    case BEAT_REFUSALS:
        break;
    }
    return "unknown";
}

static void forget_keys(struct beat_post *post)
{
    const uint32_t capacity = core_view(post->core)->capacity;

    for (uint32_t i = 0; i < capacity; i++) {
        post->peers[i].has_out = false;
        post->peers[i].has_in = false;
        secret_wipe(&post->peers[i].out, sizeof post->peers[i].out);
        secret_wipe(&post->peers[i].in, sizeof post->peers[i].in);
    }
}

bool beat_post_open(struct beat_post *post, const struct beat_post_options *options)
{
    uint32_t slots = 16;

    while (slots < 2 * options->capacity) {
        slots *= 2;
    }
    post->core = options->core;
    post->wire = options->wire;
    post->seal = options->seal;
    post->accepts_plain = options->accepts_plain;
    post->within_ms = 2 * options->heartbeat_ms;
    post->whole_ms = WHOLE_TIMES_LOST * options->lost_ms;
    post->traffic = options->traffic;
    post->ring_number = options->seal == NULL ? 0 : seal_ring_number(options->seal);
    post->index_mask = slots - 1;
    post->peers = calloc(options->capacity, sizeof post->peers[0]);
    post->index = calloc(slots, sizeof post->index[0]);
    if (post->peers == NULL || post->index == NULL || !beat_key_start()) {
        return false;
    }
    for (uint32_t i = 0; i < options->capacity; i++) {
        post->peers[i].sent = i; /* Not all of them get their whole heartbeat in one round. */
    }
    return true;
}

void beat_post_close(struct beat_post *post)
{
    if (post->peers != NULL) {
        forget_keys(post);
    }
    free(post->peers);
    free(post->index);
    post->peers = NULL;
    post->index = NULL;
}

/* --- What it goes by --- */

/* The slot of the first member whose life begins like that, or an empty one. */
static uint16_t *slot_of(const struct beat_post *post, const struct view *view, uint32_t life)
{
    uint32_t at = (life * UINT32_C(0x9e3779b1)) >> 16 & post->index_mask;

    while (post->index[at] != 0 && beat_life(&view->members[post->index[at] - 1].id) != life) {
        at = (at + 1) & post->index_mask;
    }
    return &post->index[at];
}

static void index_view(struct beat_post *post, const struct view *view)
{
    const uint32_t own = beat_life(&post->life);

    memset(post->index, 0, (post->index_mask + 1) * sizeof post->index[0]);
    post->is_mistakable = false;
    for (uint32_t i = 0; i < view->member_count; i++) {
        const struct node_id *id = &view->members[i].id;
        uint16_t *slot = slot_of(post, view, beat_life(id));
        *slot = *slot == 0 ? (uint16_t)(i + 1) : *slot;
        post->is_mistakable = post->is_mistakable ||
                              (beat_life(id) == own && !id_equal(id, &post->life));
    }
    post->indexed = view_id_of(view);
    post->indexed_hash = view->hash;
}

/* Another life of this node, other keys, or another view. */
static void follow(struct beat_post *post, uint64_t now_ms)
{
    const struct view *view = core_view(post->core);
    const struct view_id id = view_id_of(view);
    const struct node_id *life = &core_self(post->core)->id;
    const uint64_t ring_number = post->seal == NULL ? 0 : seal_ring_number(post->seal);
    const bool is_other_life = !id_equal(&post->life, life);

    if (is_other_life || ring_number != post->ring_number) {
        forget_keys(post);
    }
    if (ring_number != post->ring_number) {
        post->ring_number = ring_number;
        post->whole_until_ms = now_ms + post->whole_ms;
    }
    if (is_other_life) {
        post->life = *life;
        post->view_count = 0;
    }
    if (is_other_life || post->indexed_hash != view->hash || !view_id_equal(&post->indexed, &id)) {
        index_view(post, view);
    }
}

/* What is kept of the member at that position. */
static struct beat_peer *peer_at(struct beat_post *post, uint32_t position)
{
    struct beat_peer *peer = &post->peers[position];
    const struct node_id *life = &core_view(post->core)->members[position].id;

    if (!id_equal(&peer->life, life)) {
        *peer = (struct beat_peer){.life = *life, .sent = peer->sent};
    }
    return peer;
}

/* The view that this heartbeat of our own names: others may answer in it from now on. */
static const struct beat_view *name_view(struct beat_post *post, const struct heartbeat *heartbeat)
{
    const struct beat_view *newest = &post->views[post->newest];

    if (post->view_count == 0 || newest->hash != heartbeat->view_hash ||
        !view_id_equal(&newest->id, &heartbeat->view)) {
        post->newest = (post->newest + 1) % BEAT_VIEWS;
        post->view_count += post->view_count < BEAT_VIEWS;
        beat_view_set(&post->views[post->newest], &heartbeat->view, heartbeat->view_hash);
    }
    return &post->views[post->newest];
}

/* The view that this node named so many views before the newest; NULL: it has named fewer. */
static const struct beat_view *view_before(const struct beat_post *post, uint32_t ago)
{
    return ago < post->view_count ? &post->views[(post->newest + BEAT_VIEWS - ago) % BEAT_VIEWS]
                                  : NULL;
}

static void derive(const struct beat_post *post, struct beat_key *key, uint32_t index,
                   const struct node_id *from, const struct node_id *to)
{
    beat_key_derive(key, index == KEYRING_MAX ? NULL : &seal_ring(post->seal)->keys[index],
                    wire_header(post->wire), from, to);
}

/* --- Writing --- */

/* Does the receiver know what is left out? It holds the same view, as it said itself a moment ago,
 */
static bool may_be_short(const struct beat_post *post, const struct effect *effect,
                         uint32_t position, uint64_t now_ms)
{
    return position != VIEW_NONE && effect->fellow && !effect->relay &&
           beat_can_say(effect->message) && !post->is_mistakable &&
           now_ms >= post->whole_until_ms &&
           view_id_equal(&effect->message->heartbeat.view, &post->indexed) &&
           core_is_in_step(post->core, position, post->within_ms, now_ms);
}

struct bytes beat_post_write(struct beat_post *post, const struct effect *effect, bool keyed,
                             uint64_t now_ms)
{
    const struct message *message = effect->message;
    uint8_t authentic[BEAT_AUTHENTIC_BYTES_MAX];

    if (message->type != MESSAGE_HEARTBEAT || id_is_none(&effect->peer)) {
        return (struct bytes){.length = 0};
    }
    follow(post, now_ms);
    const struct beat_view *view = name_view(post, &message->heartbeat);
    const uint32_t position = view_find(core_view(post->core), &effect->peer);
    if (!may_be_short(post, effect, position, now_ms)) {
        return (struct bytes){.length = 0};
    }
    struct beat_peer *peer = peer_at(post, position);
    if (++peer->sent % BEATS_PER_HEARTBEAT == 0) {
        return (struct bytes){.length = 0};
    }
    if (!peer->has_out || peer->out_is_keyed != keyed) {
        derive(post, &peer->out, keyed ? 0 : KEYRING_MAX, &post->life, &effect->peer);
        peer->has_out = true;
        peer->out_is_keyed = keyed;
    }
    const size_t length = beat_write(message, view, effect->echo, effect->version, post->beat);
    const size_t covered = beat_authentic(post->beat, length, view, authentic);
    beat_key_tag(&peer->out, authentic, covered, post->beat + length - BEAT_TAG_BYTES);
    post->traffic->beats_out++;
    return (struct bytes){.at = post->beat, .length = length};
}

/* --- Reading --- */

/* Does the tag hold under the key at `index` of the ring? Then that is the key of this peer. */
static bool holds_under(const struct beat_post *post, struct beat_peer *peer, uint32_t index,
                        struct bytes authentic, const uint8_t *tag)
{
    struct beat_key key;

    derive(post, &key, index, &peer->life, &post->life);
    if (!beat_key_holds(&key, authentic.at, authentic.length, tag)) {
        return false;
    }
    peer->in = key;
    peer->has_in = true;
    peer->in_index = (uint8_t)index;
    return true;
}

static bool is_authentic(const struct beat_post *post, struct beat_peer *peer,
                         const struct beat_view *view, struct bytes beat)
{
    const uint32_t keys = post->seal == NULL ? 0 : seal_ring(post->seal)->count;
    const uint8_t *tag = beat.at + beat.length - BEAT_TAG_BYTES;
    uint8_t covered[BEAT_AUTHENTIC_BYTES_MAX];
    const struct bytes authentic = {.at = covered,
                                    .length = beat_authentic(beat.at, beat.length, view, covered)};

    if (peer->has_in && beat_key_holds(&peer->in, authentic.at, authentic.length, tag)) {
        return true;
    }
    for (uint32_t i = 0; i < keys; i++) {
        if (holds_under(post, peer, i, authentic, tag)) {
            return true;
        }
    }
    return (post->seal == NULL || post->accepts_plain) &&
           holds_under(post, peer, KEYRING_MAX, authentic, tag);
}

/* What is played back the core takes for old (D6a), but it is no use of a key. */
static void note_key(const struct beat_post *post, const struct beat_peer *peer, uint32_t position,
                     uint64_t number, uint64_t now_ms)
{
    if (peer->in_index != KEYRING_MAX && post->seal != NULL &&
        number > core_number(post->core, position)) {
        seal_on_beat(post->seal, &peer->life, peer->in_index, now_ms);
    }
}

/* Of the views with its label the one under whose name its tag holds, in `view`. */
static enum beat_refusal find_view(const struct beat_post *post, struct beat_peer *peer,
                                   const struct beat *beat, struct bytes bytes,
                                   const struct beat_view **view)
{
    enum beat_refusal refusal = BEAT_OTHER_VIEW;

    for (uint32_t ago = 0; (*view = view_before(post, ago)) != NULL; ago++) {
        if ((*view)->label != beat->label) {
            continue;
        }
        if (is_authentic(post, peer, *view, bytes)) {
            return BEAT_TAKEN;
        }
        refusal = BEAT_NOT_AUTHENTIC;
    }
    return refusal;
}

static enum beat_refusal take(struct beat_post *post, struct bytes bytes, uint64_t now_ms,
                              struct message *message, struct bytes *frame)
{
    const struct view *members = core_view(post->core);
    struct beat beat;

    if (!beat_read(bytes.at, bytes.length, &beat)) {
        return BEAT_FLAGS;
    }
    const uint16_t place = *slot_of(post, members, beat.life);
    if (place == 0 || id_equal(&members->members[place - 1].id, &post->life)) {
        return BEAT_STRANGER;
    }
    struct beat_peer *peer = peer_at(post, place - 1U);
    const struct beat_view *view;
    const enum beat_refusal refusal = find_view(post, peer, &beat, bytes, &view);
    if (refusal != BEAT_TAKEN) {
        return refusal;
    }
    note_key(post, peer, place - 1U, beat.number, now_ms);
    beat_message(&beat, view, &peer->life, &post->life, message);
    const struct wire_copy copy = {
        .to = &message->to, .flags = WIRE_FELLOW, .echo = beat.echo, .version = beat.version};
    frame->at = wire_encode(post->wire, message, &copy, &frame->length);
    return BEAT_TAKEN;
}

bool beat_post_read(struct beat_post *post, struct bytes beat, uint64_t now_ms,
                    struct message *message, struct bytes *frame)
{
    follow(post, now_ms);
    const enum beat_refusal refusal = take(post, beat, now_ms, message, frame);
    if (refusal == BEAT_TAKEN) {
        post->traffic->beats_in++;
    } else {
        post->traffic->beats_refused[refusal]++;
    }
    return refusal == BEAT_TAKEN;
}
