/* What passes between sockets and codec at a node with a key: who is asked, challenged, or refused
 * before the core hears of it, and when the salt is drawn anew. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/wire.h"
#include "rig.h"
#include "runtime/host/clock.h"
#include "runtime/sealing/gate.h"

/* --- The fixture: athens is the core's gate, byzantium a seal with the same key --- */

enum { PLAIN_BYTES = 120, SENDERS = 8, SILENCE_MS = 6000 };

struct sent {
    struct address to;
    size_t length;
    uint32_t count;
    uint8_t bytes[DATAGRAM_BYTES_MAX];
};

static struct rig *rig;
static struct wire *wire;
static struct gate gate;
static struct log log_of_test;
static struct node_traffic traffic;
static struct sent sent;
static struct seal *peer;
static struct node_id peer_life;
static struct node_id own_life;
static uint8_t plain[PLAIN_BYTES];
static uint8_t sealed[PLAIN_BYTES + SEALED_EXTRA_BYTES];
static struct bytes datagram;
static const struct address elsewhere = {.family = 4, .bytes = {192, 0, 2, 7}, .port = 4711};

static void note_sent(void *context, const struct address *to, const uint8_t *bytes, size_t length)
{
    struct sent *one = context;

    one->to = *to;
    one->length = length;
    one->count++;
    memcpy(one->bytes, bytes, length);
}

static struct seal *seal_of(const struct keyring *ring, const struct node_id *life)
{
    const uint8_t salt[SALT_BYTES] = {1};
    struct seal *seal = seal_new(wire_header(wire), wire_frame_bytes_max(wire), SENDERS, NULL);

    cr_assert_not_null(seal);
    seal_set_ring(seal, ring);
    seal_set_self(seal, life, salt);
    return seal;
}

static void open_gate(enum auth auth)
{
    struct keyring ring = {.count = 1, .keys = {{.bytes = {3}}}};

    key_name(&ring.keys[0]);
    cr_assert(gate_open(&gate, &(struct gate_options){.ring = &ring,
                                                      .wire = wire,
                                                      .core = rig->core,
                                                      .capacity = RIG_CAPACITY,
                                                      .lost_ms = SILENCE_MS,
                                                      .accepts_plain = auth == AUTH_ACCEPT,
                                                      .log = &log_of_test,
                                                      .traffic = &traffic,
                                                      .send = note_sent,
                                                      .context = &sent}));
    peer = seal_of(&ring, &peer_life);
}

static void setup(void)
{
    log_init(&log_of_test, STDERR_FILENO, LOG_ERROR, LOG_TEXT, "test");
    rig = rig_in("A B C", 'A');
    wire = wire_new("doyen", RIG_CAPACITY);
    cr_assert_not_null(wire);
    peer_life = rig_id(rig, 'B');
    own_life = core_self(rig->core)->id;
    memcpy(plain, wire_header(wire), 16);
    open_gate(AUTH_REQUIRE);
}

static void teardown(void)
{
    gate_close(&gate);
    seal_free(peer);
    wire_free(wire);
    rig_free(rig);
}

TestSuite(gate, .init = setup, .fini = teardown);

static void close_for(const struct node_id *to, uint64_t number)
{
    size_t length;
    const uint8_t *bytes = seal_close(peer,
                                      &(struct seal_order){.frame = plain,
                                                           .length = sizeof plain,
                                                           .to = to,
                                                           .place = {.channel = SEAL_DATAGRAM},
                                                           .number = number},
                                      &length);

    memcpy(sealed, bytes, length);
    datagram = (struct bytes){.at = sealed, .length = length};
}

static bool opens(const struct address *source)
{
    struct bytes frame;

    return gate_open_datagram(&gate, datagram, source, &frame);
}

static void seal_one(void)
{
    const struct outgoing outgoing = {.peer = &peer_life,
                                      .to = &elsewhere,
                                      .hop = &peer_life,
                                      .type = MESSAGE_HEARTBEAT,
                                      .bytes = plain,
                                      .length = sizeof plain};

    cr_assert_gt(gate_seal_datagram(&gate, &outgoing).length, sizeof plain);
}

/* --- The salt --- */

/* A machine may have been copied while it was asleep. */
Test(gate, a_long_silence_brings_a_new_salt)
{
    uint8_t salt[SALT_BYTES];

    seal_one();
    memcpy(salt, gate.salt, SALT_BYTES);
    seal_one();
    cr_assert_eq(memcmp(salt, gate.salt, SALT_BYTES), 0, "no silence, no new salt");
    gate.sealed_ms = clock_ms() - SILENCE_MS - 1;
    seal_one();
    cr_assert_neq(memcmp(salt, gate.salt, SALT_BYTES), 0);
}

Test(gate, each_process_draws_a_salt)
{
    uint8_t salt[SALT_BYTES];

    memcpy(salt, gate.salt, SALT_BYTES);
    gate_close(&gate);
    seal_free(peer);
    memset(&gate, 0, sizeof gate);
    open_gate(AUTH_REQUIRE);
    cr_assert_neq(memcmp(salt, gate.salt, SALT_BYTES), 0);
}

/* --- Who is heard --- */

Test(gate, a_member_is_heard_and_a_frame_without_a_key_is_not)
{
    close_for(&own_life, 0);
    cr_assert(opens(&elsewhere));
    datagram = (struct bytes){.at = plain, .length = sizeof plain};
    cr_assert_not(opens(&elsewhere));
    cr_assert_eq(traffic.plain_refused, 1);
}

/* It is no fault of a version, which is what the codec would take it for. */
Test(gate, a_frame_with_a_key_is_counted_as_such_where_there_is_none)
{
    const struct keyring none = {.count = 0};
    struct gate_stream stream = {.first = 0};
    struct bytes frame;

    close_for(&own_life, 0);
    gate_close(&gate);
    memset(&gate, 0, sizeof gate);
    cr_assert(gate_open(&gate, &(struct gate_options){.ring = &none,
                                                      .wire = wire,
                                                      .core = rig->core,
                                                      .capacity = RIG_CAPACITY,
                                                      .lost_ms = SILENCE_MS,
                                                      .log = &log_of_test,
                                                      .traffic = &traffic,
                                                      .send = note_sent,
                                                      .context = &sent}));
    cr_assert_not(opens(&elsewhere));
    cr_expect_eq(traffic.sealed_refused[SEAL_OTHER_KEY], 1);
    cr_expect_eq(sent.count, 1, "and its sender has a hint");
    cr_assert_not(gate_open_frame(&gate, &stream, datagram, &frame));
    cr_expect_eq(traffic.sealed_refused[SEAL_OTHER_KEY], 2);

    sealed[SEALED_AT_CLUSTER] ^= 1;
    cr_assert_not(opens(&elsewhere));
    cr_expect_eq(traffic.sealed_refused[SEAL_OTHER_CLUSTER], 1);
    datagram.length = SEALED_HEADER_BYTES - 1;
    cr_assert_not(opens(&elsewhere));
    cr_expect_eq(traffic.sealed_refused[SEAL_SHORT], 1);
    sealed[0] ^= 1;
    cr_expect(opens(&elsewhere), "the codec counts what is no frame");
    datagram = (struct bytes){.at = plain, .length = sizeof plain};
    cr_expect(opens(&elsewhere));
}

/* Who has no key yet is heard where that is allowed, and only there. */
Test(gate, a_frame_without_a_key_is_heard_where_that_is_accepted)
{
    gate_close(&gate);
    seal_free(peer);
    memset(&gate, 0, sizeof gate);
    open_gate(AUTH_ACCEPT);
    datagram = (struct bytes){.at = plain, .length = sizeof plain};
    cr_assert(opens(&elsewhere));
}

Test(gate, what_is_for_whoever_lives_here_has_to_prove_its_address)
{
    close_for(NULL, 0);
    cr_assert_not(opens(&elsewhere));
    cr_assert_eq(sent.count, 1);
    cr_assert_eq(sent.length, NOTE_BYTES);
    cr_assert(address_equal(&sent.to, &elsewhere));
    cr_assert_null(seal_sender(gate.seal, &peer_life), "and nothing is known of it");
    cookie_make(gate.strangers.secret, &elsewhere, clock_ms(), sealed + SEALED_HEADER_BYTES);
    cr_assert(opens(&elsewhere));
}

/* --- The count of who seems to be played back --- */

/* A member is asked at its own address: an insider, who may be where the frame came from, could
 * answer for it. */
Test(gate, a_member_is_asked_for_its_count_at_its_address)
{
    const struct view *view = core_view(rig->core);

    close_for(&own_life, 0);
    cr_assert(opens(&elsewhere));
    cr_assert_not(opens(&elsewhere));
    cr_assert_eq(sent.count, 1);
    cr_assert_eq(sent.length, COUNT_FRAME_BYTES);
    cr_assert(address_equal(&sent.to, &view->members[view_find(view, &peer_life)].address));
    cr_assert_not(opens(&elsewhere));
    cr_assert_eq(sent.count, 1, "not each time");
    cr_assert_eq(traffic.counts_asked, 1);
}

Test(gate, who_is_no_member_is_asked_where_its_frames_come_from)
{
    const struct node_id stranger = {.bytes = {0x77}};

    seal_set_self(peer, &stranger, (const uint8_t[SALT_BYTES]){1});
    close_for(&own_life, 0);
    cr_assert(opens(&elsewhere));
    cr_assert_not(opens(&elsewhere));
    cr_assert_eq(sent.count, 1);
    cr_assert(address_equal(&sent.to, &elsewhere));
}

/* From the first refused frame to the next that is heard: one question and one answer. */
Test(gate, a_member_that_is_asked_is_heard_again)
{
    const uint8_t *answer = NULL;

    for (uint64_t i = 0; i <= WINDOW_NUMBERS; i++) {
        close_for(&own_life, (UINT64_C(1) << 62) + i);
        cr_assert(opens(&elsewhere));
    }
    close_for(&own_life, 0);
    cr_assert_not(opens(&elsewhere));
    cr_assert_eq(seal_open_count(peer, sent.bytes, sent.length, clock_ms(), &answer), SEAL_OK);
    cr_assert_not_null(answer);
    datagram = (struct bytes){.at = answer, .length = COUNT_FRAME_BYTES};
    cr_assert_not(opens(&elsewhere), "it is no message");
    close_for(&own_life, 0);
    cr_assert(opens(&elsewhere));
}

/* Who is asked answers with as many bytes as it got. */
Test(gate, a_question_for_the_count_is_answered_to_where_it_came_from)
{
    static const uint8_t nonce[COUNT_NONCE_BYTES] = {5};
    const struct outgoing outgoing = {.peer = &peer_life,
                                      .to = &elsewhere,
                                      .hop = &peer_life,
                                      .type = MESSAGE_HEARTBEAT,
                                      .bytes = plain,
                                      .length = sizeof plain};
    const struct bytes heartbeat = gate_seal_datagram(&gate, &outgoing);
    struct seal_opened opened;

    cr_assert_eq(seal_open(peer, heartbeat.at, heartbeat.length,
                           &(struct seal_place){.channel = SEAL_DATAGRAM}, 1, &opened),
                 SEAL_OK);
    memcpy(sealed, seal_ask(peer, &own_life, nonce, 1), COUNT_FRAME_BYTES);
    datagram = (struct bytes){.at = sealed, .length = COUNT_FRAME_BYTES};
    cr_assert_not(opens(&elsewhere));
    cr_assert_eq(sent.count, 1);
    cr_assert_eq(sent.length, datagram.length);
    cr_assert(address_equal(&sent.to, &elsewhere));
    sealed[COUNT_FRAME_BYTES - 1] ^= 1;
    cr_assert_not(opens(&elsewhere));
    cr_assert_eq(sent.count, 1, "not to who has no key");
}
