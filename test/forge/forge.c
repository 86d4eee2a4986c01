#include "forge/forge.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "core/model/role.h"
#include "forge/forge_parts.h"
#include "proto/election_frame.h"
#include "proto/own_frame.h"
#include "proto/wire.h"
#include "seal/keyring.h"
#include "seal/window.h"

/* --- Life ------------------------------------------------------------------------------------ */

static bool open_socket(struct forger *forger, const char *host)
{
    struct sockaddr_in address = {.sin_family = AF_INET};

    forger->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return forger->socket >= 0 && inet_pton(AF_INET, host, &address.sin_addr) == 1 &&
           bind(forger->socket, (const struct sockaddr *)&address, sizeof address) == 0;
}

static bool open_codec(struct forger *forger)
{
    forger->wire = wire_new("doyen", CAPACITY);
    forger->reader = wire_new("doyen", CAPACITY);
    forger->learned_storage = calloc(1, view_bytes(CAPACITY));
    forger->forged_storage = calloc(1, view_bytes(CAPACITY));
    if (forger->wire == NULL || forger->reader == NULL || forger->learned_storage == NULL ||
        forger->forged_storage == NULL) {
        return false;
    }
    view_init(&forger->learned, CAPACITY, forger->learned_storage);
    view_init(&forger->forged, CAPACITY, forger->forged_storage);
    forger->seal = seal_new(wire_header(forger->wire), wire_frame_bytes_max(forger->wire), SENDERS,
                            NULL);
    return forger->seal != NULL;
}

void forge_draw(void *out, size_t length)
{
    if (getrandom(out, length, 0) != (ssize_t)length) {
        memset(out, 0x5a, length);
    }
}

struct forger *forger_new(const char *host)
{
    struct forger *forger = calloc(1, sizeof *forger);
    uint8_t salt[SALT_BYTES];

    if (forger == NULL) {
        return NULL;
    }
    if (!open_socket(forger, host) || !open_codec(forger)) {
        forger_free(forger);
        return NULL;
    }
    forge_draw(forger->self.bytes, sizeof forger->self.bytes);
    forge_draw(salt, sizeof salt);
    seal_set_self(forger->seal, &forger->self, salt);
    return forger;
}

void forger_free(struct forger *forger)
{
    if (forger == NULL) {
        return;
    }
    if (forger->socket >= 0) {
        close(forger->socket);
    }
    seal_free(forger->seal);
    if (forger->wire != NULL) {
        wire_free(forger->wire);
    }
    if (forger->reader != NULL) {
        wire_free(forger->reader);
    }
    free(forger->learned_storage);
    free(forger->forged_storage);
    free(forger);
}

static bool read_ring(const char *path, struct keyring *ring)
{
    char text[KEYRING_TEXT_MAX];
    uint32_t line = 0;
    FILE *file = fopen(path, "re");
    const size_t length = file == NULL ? 0 : fread(text, 1, sizeof text, file);

    if (file != NULL) {
        fclose(file);
    }
    return keyring_parse(ring, text, length, &line) == KEYRING_OK;
}

bool forger_use_key(struct forger *forger, const char *path)
{
    struct keyring ring;

    forger->sealed = path != NULL;
    if (path == NULL) {
        return true;
    }
    if (!read_ring(path, &ring)) {
        return false;
    }
    seal_set_ring(forger->seal, &ring);
    return true;
}

bool forge_read_key(const char *path, uint8_t out[FORGE_KEY_BYTES])
{
    struct keyring ring;

    if (!read_ring(path, &ring)) {
        return false;
    }
    memcpy(out, ring.keys[0].bytes, FORGE_KEY_BYTES);
    return true;
}

/* --- Sending --------------------------------------------------------------------------------- */

struct sockaddr_in forge_address(const struct forger *forger, uint16_t port)
{
    struct sockaddr_in own = {.sin_family = AF_INET};
    socklen_t bytes = sizeof own;

    (void)getsockname(forger->socket, (struct sockaddr *)&own, &bytes);
    own.sin_port = htons(port);
    return own;
}

/* Puts the cookie in that proves the forger's address at that port, if it has one. */
static const uint8_t *with_cookie(struct forger *forger, const uint8_t *frame, size_t length,
                                  uint16_t port)
{
    const uint8_t *cookie = seal_cookie(frame, length);

    for (uint32_t i = 0; cookie != NULL && i < forger->proof_count; i++) {
        if (forger->proofs[i].port == port && length <= sizeof forger->proved) {
            memcpy(forger->proved, frame, length);
            memcpy(forger->proved + (cookie - frame), forger->proofs[i].cookie, COOKIE_BYTES);
            return forger->proved;
        }
    }
    return frame;
}

/* Sends the frame, sealed for that life if there is a key. */
static void send_frame(struct forger *forger, const uint8_t *frame, size_t length,
                       const struct node_id *to, uint16_t port)
{
    const struct sockaddr_in address = forge_address(forger, port);

    if (forger->sealed) {
        frame = seal_close(
            forger->seal,
            &(struct seal_order){
                .frame = frame, .length = length, .to = to, .place = {.channel = SEAL_DATAGRAM}},
            &length);
        frame = with_cookie(forger, frame, length, port);
    }
    if (forger->kept != NULL && length <= sizeof forger->kept->bytes) {
        memcpy(forger->kept->bytes, frame, length);
        forger->kept->length = length;
        return;
    }
    (void)sendto(forger->socket, frame, length, 0, (const struct sockaddr *)&address,
                 sizeof address);
}

void forge_send(struct forger *forger, const struct message *message, unsigned flags,
                const struct node_id *to, uint16_t port)
{
    size_t length = 0;
    const uint8_t *frame = wire_encode(forger->wire, message,
                                       &(struct wire_copy){.to = to, .flags = flags}, &length);

    send_frame(forger, frame, length, to, port);
}

void forger_keep(struct forger *forger, struct forged_frame *frame)
{
    forger->kept = frame;
}

void forger_spoil(struct forged_frame *frame, uint8_t first_of_id)
{
    const struct node_id life = {.bytes = {first_of_id}};

    frame->bytes[SEALED_AT_MARK] = sealed_mark(&life);
    frame->bytes[frame->length - 1] ^= 1;
}

/* --- Learning -------------------------------------------------------------------------------- */

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static bool parse_id(const char *text, struct node_id *id)
{
    for (size_t i = 0; i < sizeof id->bytes; i++) {
        unsigned byte = 0;
        if (sscanf(text + 2 * i, "%2x", &byte) != 1) {
            return false;
        }
        id->bytes[i] = (uint8_t)byte;
    }
    return true;
}

/* Takes one datagram. True when it brought a view. */
static bool take_view(struct forger *forger)
{
    uint8_t bytes[DATAGRAM_MAX];
    struct message message;
    struct seal_opened opened;
    const ssize_t length = recv(forger->socket, bytes, sizeof bytes, MSG_DONTWAIT);

    if (length <= 0) {
        return false;
    }
    if (!forger->sealed) {
        opened = (struct seal_opened){.frame = bytes, .length = (size_t)length};
    } else if (seal_open(forger->seal, bytes, (size_t)length,
                         &(struct seal_place){.channel = SEAL_DATAGRAM}, now_ms(),
                         &opened) != SEAL_OK) {
        return false;
    }
    if (wire_decode(forger->reader, opened.frame, opened.length, &message) != WIRE_OK ||
        message.type != MESSAGE_VIEW) {
        return false;
    }
    view_copy(&forger->learned, message.carrier.view);
    return true;
}

bool forger_learn(struct forger *forger, uint16_t port, const char *id, uint64_t limit_ms)
{
    const uint64_t until_ms = now_ms() + limit_ms;
    struct node_id to;

    if (!parse_id(id, &to)) {
        return false;
    }
    while (now_ms() < until_ms) {
        struct message pull;
        message_clear(&pull, MESSAGE_PULL);
        pull.from = forger->self;
        pull.number = ++forger->number;
        forge_send(forger, &pull, 0, &to, port);
        struct pollfd ready = {.fd = forger->socket, .events = POLLIN};
        while (poll(&ready, 1, ASK_AGAIN_MS) > 0) {
            if (take_view(forger)) {
                return true;
            }
        }
    }
    return false;
}

static bool take_challenge(struct forger *forger, struct proof *proof)
{
    uint8_t bytes[DATAGRAM_MAX];
    struct note note;
    const ssize_t length = recv(forger->socket, bytes, sizeof bytes, MSG_DONTWAIT);

    if (length <= 0 || !note_read(&note, wire_header(forger->wire), bytes, (size_t)length) ||
        note.kind != NOTE_CHALLENGE) {
        return false;
    }
    memcpy(proof->cookie, note.cookie, sizeof proof->cookie);
    return true;
}

bool forger_prove(struct forger *forger, uint16_t port, uint64_t limit_ms)
{
    const uint64_t until_ms = now_ms() + limit_ms;
    struct proof proof = {.port = port};

    while (forger->proof_count < PROOFS && now_ms() < until_ms) {
        forger_pull(forger, port);
        struct pollfd ready = {.fd = forger->socket, .events = POLLIN};
        while (poll(&ready, 1, ASK_AGAIN_MS) > 0) {
            if (take_challenge(forger, &proof)) {
                forger->proofs[forger->proof_count++] = proof;
                return true;
            }
        }
    }
    return false;
}

/* --- Lies ------------------------------------------------------------------------------------ */

void forge_begin(struct forger *forger, struct message *message, enum message_type type, int as)
{
    message_clear(message, type);
    message->from = as == FORGE_ANYBODY ? forger->self : forger->learned.members[as].id;
    message->number = NUMBER_BEYOND + ++forger->number;
}

void forge_finish(struct forger *forger, const struct message *message, int to)
{
    const struct member *receiver = &forger->learned.members[to];

    forge_send(forger, message, view_has(&forger->learned, &message->from) ? WIRE_FELLOW : 0,
               &receiver->id, receiver->address.port);
}

/* Adds somebody who is nowhere. */
static void invent(struct forger *forger, struct view *view, uint32_t number, uint16_t port)
{
    const struct sockaddr_in address = forge_address(forger, port);
    struct member member = {.incarnation = 1, .address = {.family = 4, .port = port}};

    forge_draw(member.id.bytes, sizeof member.id.bytes);
    memcpy(member.address.bytes, &address.sin_addr, sizeof address.sin_addr);
    snprintf(member.name, sizeof member.name, "nobody%u", (unsigned)number);
    view_append(view, &member);
}

/* As of a cluster that was started with what is usual, so that they are taken for a change of it.
 */
static void set_terms(struct view *view, const struct forged_terms *how)
{
    const struct timing usual = timing_of(PROFILE_LAN);
    struct rules started = {.guard = {.policy = GUARD_NONE},
                            .profile = PROFILE_LAN,
                            .heartbeat_ms = usual.heartbeat_ms,
                            .lost_ms = usual.lost_ms,
                            .capacity = CAPACITY};
    const uint64_t origin = rules_hash(&started);

    started.capacity = how->capacity != 0 ? how->capacity : started.capacity;
    started.heartbeat_ms = how->heartbeat_ms != 0 ? how->heartbeat_ms : started.heartbeat_ms;
    started.lost_ms = how->lost_ms != 0 ? how->lost_ms : started.lost_ms;
    assert(rules_are_sound(&started));
    view->agreed = (struct agreed){
        .now = started, .number = how->number, .origin = origin, .room = CAPACITY};
}

static struct view *forge(struct forger *forger, const struct forged_view *how)
{
    struct view *view = &forger->forged;

    view_copy(view, &forger->learned);
    view->parent = view_id_of(&forger->learned);
    view->merged = (struct view_id){.lineage = 0};
    view->cause = CAUSE_CHANGE;
    view->epoch += how->epoch_above;
    view->version += how->version_above;
    view->next_age = how->next_age == 0 ? view->next_age : how->next_age;
    for (uint32_t i = view->member_count - 1; how->alone && i > 0; i--) {
        if (how->beside == 0 || i != (uint32_t)how->beside) {
            view_take_out(view, i);
        }
    }
    if (how->terms != NULL) {
        set_terms(view, how->terms);
    }
    for (uint32_t i = 0; i < how->invented; i++) {
        invent(forger, view, i, how->invented_at);
    }
    view_seal(view);
    return view;
}

static void show(struct forger *forger, enum message_type type, int as, int to,
                 const struct forged_view *view)
{
    struct message message;

    forge_begin(forger, &message, type, as);
    message.carrier.view = forge(forger, view);
    forge_finish(forger, &message, to);
}

void forger_view(struct forger *forger, int as, int to, const struct forged_view *view)
{
    show(forger, MESSAGE_VIEW, as, to, view);
}

void forger_prepare(struct forger *forger, int as, int to, const struct forged_view *view)
{
    show(forger, MESSAGE_PREPARE, as, to, view);
}

void forger_hand_over(struct forger *forger, int as, int to, const struct forged_view *view)
{
    show(forger, MESSAGE_HANDOVER, as, to, view);
}

void forger_commit(struct forger *forger, int as, int to, const struct forged_view *view)
{
    const struct view *made = forge(forger, view);
    struct message message;

    forge_begin(forger, &message, MESSAGE_COMMIT, as);
    message.reference.view = view_id_of(made);
    message.reference.view_hash = made->hash;
    forge_finish(forger, &message, to);
}

void forger_tags(struct forger *forger, int as, int to, const char *text)
{
    struct message message;

    forge_begin(forger, &message, MESSAGE_WISH, as);
    message.wish.kind = WISH_TAGS;
    message.wish.tags.length = (uint16_t)(strlen(text) + 1); /* One tag, with its zero. */
    memcpy(message.wish.tags.text, text, message.wish.tags.length);
    forge_finish(forger, &message, to);
}

void forger_claim(struct forger *forger, int as, int to, uint64_t epoch_above)
{
    struct message message;

    forge_begin(forger, &message, MESSAGE_CLAIM, as);
    message.carrier.named = view_reference_of(&forger->learned);
    message.carrier.lineage = forger->learned.lineage;
    message.carrier.epoch = forger->learned.epoch + epoch_above;
    forge_finish(forger, &message, to);
}

void forger_leave(struct forger *forger, int as, int to, uint64_t number)
{
    struct message message;

    forge_begin(forger, &message, MESSAGE_WISH, as);
    message.wish.kind = WISH_LEAVE;
    message.number = number;
    forge_finish(forger, &message, to);
}

void forger_not_following(struct forger *forger, int as, int to, uint64_t epoch_above,
                          uint64_t number)
{
    struct message message;

    forge_begin(forger, &message, MESSAGE_NOT_FOLLOWING, as);
    message.number = number;
    message.reference.view = view_id_of(&forger->learned);
    message.reference.view.epoch += epoch_above;
    message.reference.view.coordinator = forger->learned.members[1].id;
    message.reference.view_hash = forger->learned.hash + 1;
    forge_finish(forger, &message, to);
}

void forger_heartbeat(struct forger *forger, int as, int to, uint64_t number, bool wrong_hash)
{
    struct message message;

    forge_begin(forger, &message, MESSAGE_HEARTBEAT, as);
    message.number = number;
    message.heartbeat.view = view_id_of(&forger->learned);
    message.heartbeat.view_hash = forger->learned.hash ^ (wrong_hash ? 1 : 0);
    forge_finish(forger, &message, to);
}

static void send_election(struct forger *forger, const struct election_frame *frame, int to)
{
    uint8_t bytes[ELECTION_FRAME_BYTES_MAX];
    const struct member *receiver = &forger->learned.members[to];

    send_frame(forger, bytes, election_frame_encode(forger->wire, frame, bytes), &receiver->id,
               receiver->address.port);
}

void forger_leader(struct forger *forger, int as, int to, int subject, uint64_t attempt)
{
    const struct view *view = &forger->learned;
    const struct election_frame frame = {
        .from = view->members[as].id,
        .to = view->members[to].id,
        .rule = RULE_BULLY,
        .kind = ELECTION_HEARTBEAT,
        .round = {.epoch = view->epoch, .version = view->version, .attempt = attempt},
        .subject = view->members[subject].id};

    send_election(forger, &frame, to);
}

void forger_wild_election(struct forger *forger, int as, int to)
{
    struct election_frame frame;

    forge_draw(&frame, sizeof frame);
    frame.from = forger->learned.members[as].id;
    frame.to = forger->learned.members[to].id;
    frame.rule = RULE_BULLY;
    frame.kind = (enum election_message_type)((unsigned)frame.home.bytes[0] %
                                              ELECTION_MESSAGE_TYPE_COUNT);
    frame.hops %= ELECTION_HOPS_MAX + 1;
    send_election(forger, &frame, to);
}

void forger_wild_owners(struct forger *forger, int as, int to)
{
    const struct member *receiver = &forger->learned.members[to];
    uint8_t bytes[OWN_FRAME_BYTES_MAX];
    struct own_message message;

    forge_draw(&message, sizeof message);
    message.from = forger->learned.members[as].id;
    message.to = receiver->id;
    message.kind = (enum own_kind)(message.set.words[0] % OWN_MESSAGE_KINDS);
    message.epoch = forger->learned.epoch;
    message.lease &= ROLE_TOKEN_MAX;
    message.token &= ROLE_TOKEN_MAX;
    message.count %= PARTITIONS_MAX + 1;
    message.agrees = message.set.words[1] % 2 == 0;
    send_frame(forger, bytes, own_frame_encode(forger->wire, &message, bytes), &receiver->id,
               receiver->address.port);
}

/* One frame of that number, sealed under the life of `as`. What it says is of no interest: the core
 * knows a later number of that life. */
static void use_up(struct forger *forger, int as, const struct member *receiver, uint64_t number)
{
    const struct sockaddr_in address = forge_address(forger, receiver->address.port);
    struct message message;
    size_t length = 0;

    forge_begin(forger, &message, MESSAGE_NOT_FOLLOWING, as);
    message.reference.view = view_id_of(&forger->learned);
    message.number = 1;
    const uint8_t *frame = wire_encode(forger->wire, &message,
                                       &(struct wire_copy){.to = &receiver->id}, &length);
    frame = seal_close(forger->seal,
                       &(struct seal_order){.frame = frame,
                                            .length = length,
                                            .to = &receiver->id,
                                            .place = {.channel = SEAL_DATAGRAM},
                                            .number = number},
                       &length);
    (void)sendto(forger->socket, frame, length, 0, (const struct sockaddr *)&address,
                 sizeof address);
}

void forger_use_up_numbers(struct forger *forger, int as, int to)
{
    uint8_t salt[SALT_BYTES];

    forge_draw(salt, sizeof salt);
    seal_set_self(forger->seal, &forger->learned.members[as].id, salt);
    for (uint32_t i = 0; i < WINDOW_NUMBERS + WINDOW_NUMBERS / 4; i++) {
        use_up(forger, as, &forger->learned.members[to], NUMBERS_FAR_AHEAD + forger->far_ahead++);
    }
    forge_draw(salt, sizeof salt);
    seal_set_self(forger->seal, &forger->self, salt);
}
