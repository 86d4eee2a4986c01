/* Which heartbeats go out as beats, and what is made of beats that come (wire.md, section 13). */
#include <criterion/criterion.h>
#include <string.h>

#include "core/state/state.h"
#include "proto/beat_frame.h"
#include "rig.h"
#include "runtime/sealing/beat_post.h"

/* --- The fixture: athens' post in a view of three, and beats that the test makes for it --- */

enum { NUMBER = 7000, ECHO = 812, HEARTBEAT_MS = 250, LOST_MS = 1000 };

static struct wire *wire;
static struct rig *rig;
static struct beat_post post;
static struct node_traffic traffic;
static struct seal *seal;
static struct keyring ring;
static struct node_id athens;
static struct node_id byzantium;
static struct message message; /* what is to be sent to byzantium, or came of it */
static struct effect effect;
static struct beat_view view;
static uint8_t beat[BEAT_BYTES_MAX];
static size_t beat_length;

static void open_post(struct seal *of, bool accepts_plain)
{
    beat_post_close(&post);
    memset(&post, 0, sizeof post);
    cr_assert(beat_post_open(&post, &(struct beat_post_options){.core = rig->core,
                                                                .wire = wire,
                                                                .seal = of,
                                                                .accepts_plain = accepts_plain,
                                                                .capacity = rig->capacity,
                                                                .heartbeat_ms = HEARTBEAT_MS,
                                                                .lost_ms = LOST_MS,
                                                                .traffic = &traffic}));
}

static void set_message(struct node_id from)
{
    message_clear(&message, MESSAGE_HEARTBEAT);
    message.from = from;
    message.number = NUMBER;
    message.heartbeat.view = view_id_of(core_view(rig->core));
    message.heartbeat.view_hash = core_view(rig->core)->hash;
}

static void setup(void)
{
    wire = wire_new("doyen", RIG_CAPACITY);
    rig = rig_in("A B C", 'A');
    athens = core_self(rig->core)->id;
    byzantium = rig_id(rig, 'B');
    ring = (struct keyring){.count = 2, .keys = {{.bytes = {3}}, {.bytes = {4}}}};
    key_name(&ring.keys[0]);
    key_name(&ring.keys[1]);
    seal = seal_new(wire_header(wire), wire_frame_bytes_max(wire), 8, NULL);
    cr_assert(wire != NULL && seal != NULL);
    seal_set_ring(seal, &ring);
    open_post(seal, false);
    set_message(athens);
    beat_view_set(&view, &message.heartbeat.view, message.heartbeat.view_hash);
    effect = (struct effect){.type = EFFECT_SEND,
                             .peer = byzantium,
                             .fellow = true,
                             .echo = ECHO,
                             .version = 0,
                             .message = &message};
}

static void teardown(void)
{
    beat_post_close(&post);
    seal_free(seal);
    wire_free(wire);
    rig_free(rig);
}

TestSuite(beat_post, .init = setup, .fini = teardown);

static bool goes_out(void)
{
    const struct bytes out = beat_post_write(&post, &effect, post.seal != NULL, rig->now_ms);

    if (out.length > 0) {
        cr_assert_eq(out.length, effect.echo == 0 ? BEAT_BYTES_MIN : BEAT_BYTES_MAX);
        memcpy(beat, out.at, out.length);
        beat_length = out.length;
    }
    return out.length > 0;
}

/* Whether it is the next heartbeat to byzantium, of which one in so many goes out whole, or the one
 * after that. */
static bool goes_out_at_all(void)
{
    return goes_out() || goes_out();
}

static void sign(const struct key *key, const struct node_id *from, const struct node_id *to)
{
    struct beat_key derived;
    uint8_t authentic[BEAT_AUTHENTIC_BYTES_MAX];

    beat_key_derive(&derived, key, wire_header(wire), from, to);
    const size_t covered = beat_authentic(beat, beat_length, &view, authentic);
    beat_key_tag(&derived, authentic, covered, beat + beat_length - BEAT_TAG_BYTES);
}

/* One of byzantium for athens, who has named the view. */
static void make_beat(const struct key *key)
{
    (void)goes_out();
    set_message(byzantium);
    message.heartbeat.late = true;
    beat_length = beat_write(&message, &view, ECHO, 0, beat);
    sign(key, &byzantium, &athens);
}

static bool is_read(void)
{
    struct message read;
    struct bytes frame;

    return beat_post_read(&post, (struct bytes){.at = beat, .length = beat_length}, rig->now_ms,
                          &read, &frame);
}

static void assert_refused(enum beat_refusal reason)
{
    const uint64_t before = traffic.beats_refused[reason];

    cr_assert_not(is_read());
    cr_assert_eq(traffic.beats_refused[reason], before + 1, "%s", beat_refusal_text(reason));
}

/* --- What goes out --- */

Test(beat_post, who_holds_our_view_gets_one)
{
    struct beat fields;

    cr_assert(goes_out());
    cr_assert_eq(traffic.beats_out, 1);
    cr_assert(beat_read(beat, beat_length, &fields));
    cr_assert_eq(fields.life, beat_life(&athens));
    cr_assert_eq(fields.number, NUMBER);
    cr_assert_eq(fields.echo, ECHO);

    uint8_t written[BEAT_BYTES_MAX];
    memcpy(written, beat, sizeof written);
    sign(&ring.keys[0], &athens, &byzantium);
    cr_assert_eq(memcmp(written, beat, sizeof written), 0, "under the key that seals");
    (void)beat_post_write(&post, &effect, false, rig->now_ms);
    memcpy(written, post.beat, sizeof written);
    sign(NULL, &athens, &byzantium);
    cr_assert_eq(memcmp(written, beat, sizeof written), 0, "under zeros for who has no key yet");
}

Test(beat_post, who_may_not_know_what_is_left_out_gets_it_whole)
{
    struct peer_signs *signs = &rig->core->peers[1].signs;

    effect.fellow = false;
    cr_assert_not(goes_out_at_all(), "no fellow");
    effect.fellow = true;
    effect.relay = true;
    cr_assert_not(goes_out_at_all(), "by a relay");
    effect.relay = false;
    message.heartbeat.view.version--;
    cr_assert_not(goes_out_at_all(), "about a view that is not ours any more");
    message.heartbeat.view.version++;
    signs->view.version--;
    cr_assert_not(goes_out_at_all(), "who holds another view");
    signs->view.version++;
    signs->view_hash++;
    cr_assert_not(goes_out_at_all(), "who holds another content of it");
    signs->view_hash--;
    signs->acked = true;
    cr_assert_not(goes_out_at_all(), "who has acknowledged it and may not hold it");
    signs->acked = false;
    cr_assert(goes_out_at_all());
    rig->now_ms = signs->heard_ms + 2 * HEARTBEAT_MS;
    cr_assert_not(goes_out_at_all(), "who was not heard for two heartbeats");
    rig->now_ms--;
    cr_assert(goes_out_at_all());
    effect.peer = rig_id(rig, 'D');
    cr_assert_not(goes_out_at_all(), "no member");
    message.type = MESSAGE_PULL;
    effect.peer = byzantium;
    cr_assert_not(goes_out_at_all());
}

Test(beat_post, one_of_fifty_goes_out_whole)
{
    unsigned whole = 0;

    for (unsigned i = 0; i < 3 * BEATS_PER_HEARTBEAT; i++) {
        whole += !goes_out();
    }
    cr_assert_eq(whole, 3);
}

/* The whole ones tell which keys a node holds (wire.md, section 7). */
Test(beat_post, after_the_keys_have_changed_all_go_out_whole_for_a_while)
{
    cr_assert(goes_out_at_all());
    ring.count = 1;
    seal_set_ring(seal, &ring);
    cr_assert_not(goes_out_at_all());
    for (uint32_t i = 1; i < rig->core->view.member_count; i++) {
        rig->core->peers[i].signs.heard_ms = rig->now_ms + 3 * LOST_MS - 1;
    }
    rig->now_ms += 3 * LOST_MS - 1;
    cr_assert_not(goes_out_at_all());
    rig->now_ms++;
    cr_assert(goes_out_at_all());
}

Test(beat_post, whoever_could_be_taken_for_another_sends_none)
{
    cr_assert(goes_out_at_all());
    memcpy(rig->core->view.members[2].id.bytes, athens.bytes, 4);
    post.indexed.version = 0; /* Another view. */
    cr_assert_not(goes_out_at_all());
}

/* --- What comes --- */

/* The recording finds what would have come, and who replays it reads what the core got. */
Test(beat_post, the_heartbeat_that_it_stands_for_comes_out_byte_by_byte)
{
    struct message read;
    struct message again;
    struct bytes frame;
    uint8_t came[256];
    size_t length;

    make_beat(&ring.keys[0]);
    cr_assert(beat_post_read(&post, (struct bytes){.at = beat, .length = beat_length}, rig->now_ms,
                             &read, &frame));
    cr_assert_eq(traffic.beats_in, 1);
    cr_assert_leq(frame.length, sizeof came);
    memcpy(came, frame.at, frame.length);
    const uint8_t *whole = wire_encode(
        wire, &message,
        &(struct wire_copy){.to = &athens, .flags = WIRE_FELLOW, .echo = ECHO, .version = 0},
        &length);
    cr_assert_eq(frame.length, length);
    cr_assert_eq(memcmp(came, whole, length), 0);

    memset(&again, 0, sizeof again);
    cr_assert_eq(wire_decode(wire, came, length, &again), WIRE_OK);
    again.source = read.source;
    cr_assert_eq(memcmp(&again, &read, offsetof(struct message, heartbeat.suspects)), 0);
}

Test(beat_post, one_with_any_bit_flipped_is_refused)
{
    make_beat(&ring.keys[0]);
    for (size_t bit = 0; bit < 8 * beat_length; bit++) {
        beat[bit / 8] ^= (uint8_t)(1U << bit % 8);
        cr_assert(!beat_is(beat, beat_length) || !is_read(), "bit %zu", bit);
        beat[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    cr_assert(is_read());
}

Test(beat_post, it_holds_for_one_sender_and_one_receiver)
{
    const struct node_id cyrene = rig_id(rig, 'C');

    make_beat(&ring.keys[0]);
    sign(&ring.keys[0], &byzantium, &cyrene);
    assert_refused(BEAT_NOT_AUTHENTIC);
    sign(&ring.keys[0], &cyrene, &athens);
    assert_refused(BEAT_NOT_AUTHENTIC);
    sign(&ring.keys[0], &athens, &byzantium);
    assert_refused(BEAT_NOT_AUTHENTIC);
    sign(&ring.keys[0], &byzantium, &athens);
    cr_assert(is_read());
}

Test(beat_post, it_is_of_another_member_of_the_view)
{
    make_beat(&ring.keys[0]);
    beat[1] ^= 0xf0; /* A version that nobody speaks yet. */
    assert_refused(BEAT_FLAGS);
    beat[1] ^= 0xf0;
    memcpy(beat + 2, rig_id(rig, 'D').bytes, 4);
    assert_refused(BEAT_STRANGER);
    memcpy(beat + 2, athens.bytes, 4);
    assert_refused(BEAT_STRANGER);
}

/* The label is 16 bits; the tag covers the name of the view, all of it. */
Test(beat_post, a_view_is_never_guessed)
{
    struct beat_view other = view;

    make_beat(&ring.keys[0]);
    other.bytes[0] ^= 1;
    view = other; /* With the label of ours. */
    sign(&ring.keys[0], &byzantium, &athens);
    assert_refused(BEAT_NOT_AUTHENTIC);
    beat[12] ^= 1;
    assert_refused(BEAT_OTHER_VIEW);
}

/* A later view whose label is the same. */
static void name_one_like_it(void)
{
    struct beat_view other = {.label = (uint16_t)~view.label};

    set_message(athens);
    while (other.label != view.label) {
        message.heartbeat.view.version++;
        beat_view_set(&other, &message.heartbeat.view, message.heartbeat.view_hash);
    }
    (void)goes_out();
}

Test(beat_post, views_of_one_label_are_told_apart_by_the_tag)
{
    uint8_t made[BEAT_BYTES_MAX];

    make_beat(&ring.keys[0]);
    memcpy(made, beat, sizeof made);
    name_one_like_it();
    memcpy(beat, made, sizeof made);
    cr_assert(is_read(), "of the view that was named before");
    beat[beat_length - 1] ^= 1;
    assert_refused(BEAT_NOT_AUTHENTIC);
}

/* D8a. */
Test(beat_post, without_an_echo_it_is_shorter)
{
    effect.echo = 0;
    cr_assert(goes_out());
    cr_assert_eq(beat_length, BEAT_BYTES_MIN);
    set_message(byzantium);
    beat_length = beat_write(&message, &view, 0, 0, beat);
    sign(&ring.keys[0], &byzantium, &athens);
    cr_assert(is_read());
    beat_length = BEAT_BYTES_MAX; /* Its tag begins with what would be an echo. */
    assert_refused(BEAT_NOT_AUTHENTIC);
}

/* Whoever holds the key says so, too. */
Test(beat_post, a_flag_that_means_nothing_is_refused)
{
    make_beat(&ring.keys[0]);
    beat[1] |= 8;
    sign(&ring.keys[0], &byzantium, &athens);
    assert_refused(BEAT_FLAGS);
}

/* Who has not heard yet that this node went on says what it holds. */
Test(beat_post, a_view_that_was_named_before_is_read_yet)
{
    make_beat(&ring.keys[0]);
    set_message(athens);
    for (unsigned i = 1; i < BEAT_VIEWS; i++) {
        message.heartbeat.view.version++;
        (void)goes_out();
    }
    cr_assert(is_read());
    message.heartbeat.view.version++;
    (void)goes_out();
    assert_refused(BEAT_OTHER_VIEW);
}

Test(beat_post, a_new_life_knows_nothing_of_the_former)
{
    make_beat(&ring.keys[0]);
    cr_assert(is_read());
    rig->core->life.self.id.bytes[5] ^= 1;
    assert_refused(BEAT_OTHER_VIEW);
    set_message(core_self(rig->core)->id);
    (void)goes_out();
    assert_refused(BEAT_NOT_AUTHENTIC);
    sign(&ring.keys[0], &byzantium, &core_self(rig->core)->id);
    cr_assert(is_read());
}

/* --- Keys --- */

Test(beat_post, each_key_of_the_ring_opens)
{
    make_beat(&ring.keys[1]);
    cr_assert(is_read());
    const struct seal_use use = seal_use(seal, 1);
    cr_assert_eq(use.ms, rig->now_ms);
    cr_assert(id_equal(&use.by, &byzantium));
    cr_assert_eq(seal_use(seal, 0).ms, 0);
    ring.count = 1;
    seal_set_ring(seal, &ring);
    assert_refused(BEAT_NOT_AUTHENTIC);
    sign(&ring.keys[0], &byzantium, &athens);
    cr_assert(is_read());
}

Test(beat_post, without_a_key_one_is_read_where_plain_frames_are)
{
    make_beat(NULL);
    assert_refused(BEAT_NOT_AUTHENTIC);
    open_post(seal, true);
    make_beat(NULL);
    cr_assert(is_read());
    sign(&ring.keys[0], &byzantium, &athens);
    cr_assert(is_read());
    open_post(NULL, false);
    make_beat(NULL);
    cr_assert(is_read());
    sign(&ring.keys[0], &byzantium, &athens);
    assert_refused(BEAT_NOT_AUTHENTIC);
}

/* D6a has the core take it for old; nor does it say that somebody seals with that key yet. */
Test(beat_post, one_that_is_played_back_is_no_use_of_a_key)
{
    make_beat(&ring.keys[1]);
    rig->core->peers[1].number.highest = NUMBER;
    cr_assert(is_read());
    cr_assert_eq(seal_use(seal, 1).ms, 0);
}
