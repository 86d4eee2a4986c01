#include "recorded_story.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "core/core.h"
#include "proto/wire.h"
#include "record/recording.h"

static const struct address peer_address = {.bytes = {127, 0, 0, 2}, .port = 7420, .family = 4};
static const struct node_id peer_id = {{2}};

struct teller {
    struct recorded_story *story;
    struct core *core;
    struct wire *wire; /* of the other node */
    struct wire *own;  /* of the one that is recorded */
    uint64_t now_ms;
    uint64_t hash;
    uint64_t number; /* of the other node's messages */
    uint64_t nonce;  /* of the offer it got */
    struct view_id proposed;
    uint64_t proposed_hash;
};

static void put(struct teller *teller, const uint8_t *bytes, size_t length)
{
    struct recorded_story *story = teller->story;

    cr_assert_leq(story->length + length, sizeof story->bytes);
    memcpy(story->bytes + story->length, bytes, length);
    story->length += length;
    teller->hash = hash_bytes(teller->hash, bytes, length);
}

static void put_checkpoint(struct teller *teller)
{
    const struct checkpoint checkpoint = {.state = core_state_hash(teller->core),
                                          .bytes = teller->hash};
    uint8_t bytes[RECORDING_SMALL_BYTES_MAX];

    teller->story->last_checkpoint = teller->story->length;
    put(teller, bytes, recording_write_checkpoint(bytes, &checkpoint));
}

/* What the other node gets from the recorded one, and has to answer. */
static void note_effects(struct teller *teller, struct effects effects)
{
    for (uint32_t i = 0; i < effects.count; i++) {
        const struct effect *effect = &effects.items[i];
        if (effect->type != EFFECT_SEND) {
            continue;
        }
        const struct message *message = effect->message;
        if (message->type == MESSAGE_OFFER) {
            teller->nonce = message->offer.nonce;
        } else if (message->type == MESSAGE_PREPARE) {
            teller->proposed = view_id_of(message->carrier.view);
            teller->proposed_hash = message->carrier.view->hash;
        }
    }
}

static void step(struct teller *teller, struct event event, const uint8_t *frame, size_t length)
{
    const uint64_t before_ms = teller->now_ms;
    uint8_t bytes[4096];

    event.now_ms = teller->now_ms + 7;
    teller->now_ms = event.now_ms;
    cr_assert_leq(recording_input_bytes_max(&event, length), sizeof bytes);
    put(teller, bytes, recording_write_input(bytes, &event, before_ms, frame, length));
    note_effects(teller, core_step(teller->core, &event));
    teller->story->event_count++;
    if (teller->story->event_count % STORY_CHECKPOINT_EVERY == 0) {
        put_checkpoint(teller);
    }
}

static void tick(struct teller *teller, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        step(teller, (struct event){.type = EVENT_TICK}, NULL, 0);
    }
}

static void hear(struct teller *teller, struct message message)
{
    struct message heard = {.source = peer_address};
    size_t length = 0;

    message.from = peer_id;
    message.number = ++teller->number;
    const uint8_t *frame = wire_encode(
        teller->wire, &message,
        &(struct wire_copy){.to = &core_self(teller->core)->id, .flags = WIRE_FELLOW}, &length);
    cr_assert_eq(wire_decode(teller->own, frame, length, &heard), WIRE_OK);
    step(teller, (struct event){.type = EVENT_MESSAGE, .message = &heard}, frame, length);
}

static void tell_of_link(struct teller *teller, enum link_news news)
{
    step(teller, (struct event){.type = EVENT_LINK, .link = {.peer = peer_id, .news = news}}, NULL,
         0);
}

static struct message joiner_message(enum message_type type, const struct core_options *options,
                                     uint64_t nonce)
{
    struct message message = {.type = type};
    struct joiner *joiner = &message.joiner;

    joiner->member = (struct member){
        .id = peer_id, .address = peer_address, .incarnation = 1, .name = "byzantium"};
    joiner->terms = (struct terms){.guard = options->guard,
                                   .profile = options->profile,
                                   .watchers = options->watchers,
                                   .heartbeat_ms = options->timing.heartbeat_ms,
                                   .lost_ms = options->timing.lost_ms,
                                   .capacity = options->capacity};
    joiner->nonce = nonce;
    return message;
}

static void tell(struct teller *teller, const struct core_options *options)
{
    const struct address remembered[] = {peer_address,
                                         {.bytes = {[15] = 1}, .port = 1, .family = 6}};
    const struct role_command campaign = {.wish = ROLE_CAMPAIGN,
                                          .request = {.bytes = {1, 2, 3}},
                                          .role = "billing",
                                          .terms = {.policy = ROLE_FIRST, .holders = 1},
                                          .priority = 7,
                                          .grace_ms = 300};
    const struct role_command resign = {.wish = ROLE_RESIGN, .request = campaign.request};

    step(teller,
         (struct event){
             .type = EVENT_ADDRESSES,
             .addresses = {.source = ADDRESSES_REMEMBERED, .addresses = remembered, .count = 2}},
         NULL, 0);
    tick(teller, 150); /* It asks those addresses before it founds. */
    hear(teller, joiner_message(MESSAGE_JOIN, options, 0));
    hear(teller, joiner_message(MESSAGE_READY, options, teller->nonce));
    tick(teller, 5);
    hear(teller, (struct message){
                     .type = MESSAGE_ACK,
                     .reference = {.view = teller->proposed, .view_hash = teller->proposed_hash}});
    tell_of_link(teller, LINK_OPENED);
    tick(teller, 10);
    tell_of_link(teller, LINK_CLOSED);
    tell_of_link(teller, LINK_REFUSED);
    tick(teller, 20);
    step(teller, (struct event){.type = EVENT_ROLE, .role = &campaign}, NULL, 0);
    step(teller, (struct event){.type = EVENT_ROLE, .role = &resign}, NULL, 0);
    step(teller, (struct event){.type = EVENT_LEAVE}, NULL, 0);
}

struct recorded_story *recorded_story_new(void)
{
    struct recorded_story *story = calloc(1, sizeof *story);
    struct recording_start start = {
        .options = {.name = "athens",
                    .address = {.bytes = {127, 0, 0, 1}, .port = 7420, .family = 4},
                    .guard = {.policy = GUARD_NONE},
                    .profile = PROFILE_LOCAL,
                    .watchers = WATCHERS_DEFAULT,
                    .fanout = FANOUT_DEFAULT,
                    .timing = timing_of(PROFILE_LOCAL),
                    .capacity = STORY_CAPACITY,
                    .random_seed = {1, 2, 3, 4}},
        .now_ms = 1000,
        .wall_ms = INT64_C(1769860800000),
        .cluster = "doyen",
        .program = "0.0.0"};
    uint8_t bytes[RECORDING_START_BYTES_MAX];
    uint8_t end[RECORDING_SMALL_BYTES_MAX];
    void *block = calloc(1, core_bytes(STORY_CAPACITY));
    struct teller teller = {.story = story,
                            .wire = wire_new("doyen", STORY_CAPACITY),
                            .own = wire_new("doyen", STORY_CAPACITY),
                            .now_ms = start.now_ms,
                            .hash = HASH_START};

    cr_assert(story != NULL && block != NULL && teller.wire != NULL && teller.own != NULL);
    teller.core = core_init(block, &start.options, start.now_ms);
    put(&teller, bytes, recording_write_start(bytes, &start));
    story->start_length = story->length;
    tell(&teller, &start.options);
    put_checkpoint(&teller);
    put(&teller, end, recording_write_end(end, RECORDING_CLOSED));
    story->view_count = core_counters(teller.core)->views_installed;
    story->state = core_state_hash(teller.core);
    story->duration_ms = teller.now_ms - start.now_ms;
    wire_free(teller.wire);
    wire_free(teller.own);
    free(block);
    return story;
}
