#include "runtime/sealing/strangers.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "proto/wire.h"
#include "words/address_text.h"

enum { SECOND_MS = 1000 };

_Static_assert((int)SEALED_HEADER_BYTES >= (int)NOTE_BYTES,
               "no note is longer than what it answers");

void strangers_open(struct strangers *strangers, const uint8_t *header,
                    const uint8_t secret[COOKIE_SECRET_BYTES], struct log *log,
                    struct node_traffic *traffic, strangers_send *send, void *context)
{
    strangers->header = header;
    memcpy(strangers->secret, secret, COOKIE_SECRET_BYTES);
    strangers->log = log;
    strangers->traffic = traffic;
    strangers->send = send;
    strangers->context = context;
}

bool per_second_take(struct per_second *taken, uint32_t most, uint64_t now_ms)
{
    const uint64_t second = now_ms / SECOND_MS;

    if (taken->second != second) {
        *taken = (struct per_second){.second = second};
    }
    return taken->count < most && taken->count++ < most;
}

/* --- Challenges --- */

static struct contact *contact_find(struct strangers *strangers, const struct address *to)
{
    assert(strangers->contacts != NULL);
    for (size_t i = 0; i < CONTACTS_MAX; i++) {
        struct contact *contact = &strangers->contacts[i];
        if (contact->sent_ms != 0 && address_equal(&contact->to, to)) {
            return contact;
        }
    }
    return NULL;
}

/* The contact at that address; a new one takes the place of who was asked least lately. */
static struct contact *contact_of(struct strangers *strangers, const struct address *to)
{
    struct contact *contact = contact_find(strangers, to);

    if (contact != NULL) {
        return contact;
    }
    contact = &strangers->contacts[0];
    for (size_t i = 1; i < CONTACTS_MAX; i++) {
        if (strangers->contacts[i].sent_ms < contact->sent_ms) {
            contact = &strangers->contacts[i];
        }
    }
    contact->to = *to;
    contact->cookie_ms = 0;
    return contact;
}

struct bytes strangers_sent(struct strangers *strangers, const struct address *to,
                            struct bytes datagram, uint64_t now_ms)
{
    struct contact *contact = contact_of(strangers, to);

    contact->sent_ms = now_ms;
    contact->length = 0;
    if (seal_cookie(datagram.at, datagram.length) == NULL) {
        return datagram;
    }
    assert(datagram.length <= sizeof contact->datagram);
    memcpy(contact->datagram, datagram.at, datagram.length);
    contact->length = (uint16_t)datagram.length;
    if (contact->cookie_ms != 0 && now_ms - contact->cookie_ms < COOKIE_MINUTE_MS) {
        memcpy(contact->datagram + SEALED_HEADER_BYTES, contact->cookie, COOKIE_BYTES);
    }
    return (struct bytes){.at = contact->datagram, .length = datagram.length};
}

bool strangers_is_proved(struct strangers *strangers, const struct address *source,
                         struct bytes datagram, uint64_t now_ms)
{
    const uint8_t *cookie = seal_cookie(datagram.at, datagram.length);
    struct note note = {.kind = NOTE_CHALLENGE};
    uint8_t bytes[NOTE_BYTES];

    if (cookie == NULL || cookie_holds(strangers->secret, source, now_ms, cookie)) {
        return true;
    }
    if (per_second_take(&strangers->challenges, CHALLENGES_PER_S, now_ms)) {
        note_answer(&note, datagram.at, datagram.length);
        cookie_make(strangers->secret, source, now_ms, note.cookie);
        note_write(&note, strangers->header, bytes);
        assert(sizeof bytes <= datagram.length);
        strangers->traffic->challenges_out++;
        strangers->send(strangers->context, source, bytes, sizeof bytes);
    }
    return false;
}

/* Does the note answer the datagram that was sent to this contact last? */
static bool answers(const struct note *note, const struct contact *contact)
{
    return contact->length > 0 && get_u64(contact->datagram + SEALED_AT_NUMBER) == note->number &&
           memcmp(contact->datagram + SEALED_AT_SALT, note->salt, SALT_BYTES) == 0;
}

/* The source may be another address of that host, so it is known by what it answers. */
static struct contact *contact_answered(struct strangers *strangers, const struct note *note)
{
    for (size_t i = 0; strangers->contacts != NULL && i < CONTACTS_MAX; i++) {
        if (answers(note, &strangers->contacts[i])) {
            return &strangers->contacts[i];
        }
    }
    return NULL;
}

static void answer_challenge(struct strangers *strangers, const struct note *note, uint64_t now_ms)
{
    struct contact *contact = contact_answered(strangers, note);

    if (contact == NULL) {
        return;
    }
    contact->cookie_ms = now_ms;
    memcpy(contact->cookie, note->cookie, COOKIE_BYTES);
    memcpy(contact->datagram + SEALED_HEADER_BYTES, note->cookie, COOKIE_BYTES);
    strangers->send(strangers->context, &contact->to, contact->datagram, contact->length);
    contact->length = 0; /* Once. */
}

/* --- Hints --- */

/* Has the source had no hint within a second? Then this is one. */
static bool may_hint(struct strangers *strangers, const struct address *source, uint64_t now_ms)
{
    for (size_t i = 0; i < HINTED_MAX; i++) {
        if (address_equal(&strangers->hinted[i], source) &&
            now_ms - strangers->hinted_ms[i] < SECOND_MS) {
            return false;
        }
    }
    if (!per_second_take(&strangers->hints, HINTS_PER_S, now_ms)) {
        return false;
    }
    strangers->hinted[strangers->hinted_next] = *source;
    strangers->hinted_ms[strangers->hinted_next] = now_ms;
    strangers->hinted_next = (strangers->hinted_next + 1) % HINTED_MAX;
    return true;
}

static void say_refused(struct strangers *strangers, enum stranger_kind kind,
                        const struct address *source, struct bytes datagram,
                        const struct keyring *ring, uint64_t now_ms)
{
    uint64_t *said_ms = &strangers->said_ms[kind];
    char address[ADDRESS_TEXT_MAX];
    char theirs[FINGERPRINT_TEXT_MAX];
    char ours[FINGERPRINT_TEXT_MAX];

    if (*said_ms != 0 && now_ms - *said_ms < STRANGERS_SAY_MS) {
        return;
    }
    *said_ms = now_ms;
    (void)address_text(source, address);
    if (kind == STRANGER_PLAIN) {
        log_line(strangers->log, LOG_WARN, "other_key",
                 "%s sends without a key, and this node has one, %s: give it the same --key",
                 address, fingerprint_text(ring->keys[0].fingerprint, ours));
        return;
    }
    (void)fingerprint_text(get_u16(datagram.at + SEALED_AT_FINGERPRINT), theirs);
    if (ring->count == 0) {
        log_line(strangers->log, LOG_WARN, "other_key",
                 "%s sends with a key, %s, and this node has none: give it --key, or end that one",
                 address, theirs);
    } else {
        log_line(strangers->log, LOG_WARN, "other_key",
                 "%s sends with another key: ours %s, its %s; compare --key", address,
                 fingerprint_text(ring->keys[0].fingerprint, ours), theirs);
    }
}

/* Is it at least a frame of our cluster, and no shorter than the answer would be? */
static bool is_worth_a_hint(const struct strangers *strangers, struct bytes datagram)
{
    return datagram.length >= SEALED_HEADER_BYTES &&
           memcmp(datagram.at, strangers->header, SEALED_AT_FORM) == 0 &&
           memcmp(datagram.at + SEALED_AT_CLUSTER, strangers->header + SEALED_AT_CLUSTER, 8) == 0;
}

void strangers_refused(struct strangers *strangers, const struct address *source,
                       struct bytes datagram, const struct keyring *ring, uint64_t now_ms)
{
    struct note note = {.kind = NOTE_HINT, .count = ring->count};
    uint8_t bytes[NOTE_BYTES];

    if (!is_worth_a_hint(strangers, datagram)) {
        return;
    }
    say_refused(strangers,
                datagram.at[SEALED_AT_FORM] == WIRE_FORM ? STRANGER_PLAIN : STRANGER_OTHER_KEY,
                source, datagram, ring, now_ms);
    if (!may_hint(strangers, source, now_ms)) {
        return;
    }
    note_answer(&note, datagram.at, datagram.length);
    for (uint32_t i = 0; i < note.count; i++) {
        note.fingerprints[i] = ring->keys[i].fingerprint;
    }
    note_write(&note, strangers->header, bytes);
    strangers->traffic->hints_out++;
    strangers->send(strangers->context, source, bytes, sizeof bytes);
}

static void write_words(struct strangers *strangers, const struct address *source,
                        const struct note *note, const struct keyring *ring)
{
    char address[ADDRESS_TEXT_MAX];
    char theirs[FINGERPRINT_TEXT_MAX];
    char ours[FINGERPRINT_TEXT_MAX];

    (void)address_text(source, address);
    (void)fingerprint_text(note->fingerprints[0], theirs);
    if (ring->count == 0) {
        snprintf(strangers->words, sizeof strangers->words,
                 "%s answers, but asks for a key, %s: give --key", address, theirs);
        return;
    }
    (void)fingerprint_text(ring->keys[0].fingerprint, ours);
    if (note->count == 0) {
        snprintf(strangers->words, sizeof strangers->words,
                 "%s answers, but has no key: ours is %s; give it the same --key", address, ours);
    } else {
        snprintf(strangers->words, sizeof strangers->words,
                 "%s answers, but holds another key: ours %s, its %s; compare --key", address, ours,
                 theirs);
    }
}

/* Only what answers something that this node sent is told; a plain frame has no number to know its
 * answer by, only the address that it went to. */
static void hear_hint(struct strangers *strangers, const struct address *source,
                      const struct note *note, const struct keyring *ring, uint64_t now_ms)
{
    const bool is_answer = ring->count == 0
                               ? note->count > 0 && contact_find(strangers, source) != NULL
                               : contact_answered(strangers, note) != NULL;

    if (!is_answer) {
        return;
    }
    write_words(strangers, source, note, ring);
    strangers->words_ms = now_ms;
    if (strangers->answered_ms == 0 || now_ms - strangers->answered_ms >= STRANGERS_SAY_MS) {
        strangers->answered_ms = now_ms;
        log_line(strangers->log, LOG_WARN, "other_key", "%s", strangers->words);
    }
}

bool strangers_is_note(struct bytes datagram)
{
    return datagram.length > SEALED_AT_FORM && datagram.at[SEALED_AT_FORM] == NOTE_FORM;
}

void strangers_on_note(struct strangers *strangers, const struct address *source,
                       struct bytes datagram, const struct keyring *ring, uint64_t now_ms)
{
    struct note note;

    if (!note_read(&note, strangers->header, datagram.at, datagram.length)) {
        return;
    }
    if (note.kind == NOTE_CHALLENGE) {
        answer_challenge(strangers, &note, now_ms);
    } else {
        hear_hint(strangers, source, &note, ring, now_ms);
    }
}

const char *strangers_words(const struct strangers *strangers, uint64_t now_ms)
{
    const bool is_recent = strangers->words_ms != 0 &&
                           now_ms - strangers->words_ms < STRANGERS_WORDS_MS;

    return is_recent ? strangers->words : "";
}
