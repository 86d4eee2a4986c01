#include "proto/body.h"

#include <assert.h>

#include "proto/body_role.h"
#include "proto/body_terms.h"
#include "proto/body_view.h"
#include "proto/body_wish.h"
#include "proto/token.h"
#include "proto/wire_version.h"

/* How many fields the arrays have, and the longest forms in bytes, as wire.md has them. */
enum {
    ENVELOPE_FIELDS = 4, /* type, from, to, number; the body's fields follow in the same array */
    ENVELOPE_BYTES = 1 + 1 + 2 * BODY_ID_BYTES + BODY_NUMBER_BYTES,
    AT_TO = 1 + 1 + BODY_ID_BYTES,
    SUSPICION_FIELDS = 2,
    ADDED_FIELDS = 1,
    ASKED_FIELDS = 6,
    SAID_FIELDS = 4,
    WRITES_FIELDS = 1,
    NAMED_FIELDS = 2,
    LEASE_FIELDS = 2,
    LINEAGE_FIELDS = 1,
};

static uint32_t body_fields(enum message_type type)
{
    switch (type) {
    case MESSAGE_PULL:
    case MESSAGE_HELLO:
        return 0;
    case MESSAGE_VIEW:
    case MESSAGE_OFFER:
        return 1;
    case MESSAGE_ACK:
    case MESSAGE_COMMIT:
    case MESSAGE_NOT_FOLLOWING:
    case MESSAGE_MERGE_REFUSED:
    case MESSAGE_JOIN_REFUSED:
    case MESSAGE_HANDOVER:
    case MESSAGE_WISH:
        return 2;
    case MESSAGE_PREPARE:
    case MESSAGE_NACK:
    case MESSAGE_PING:
    case MESSAGE_PONG:
        return 3;
    case MESSAGE_HEARTBEAT: /* and more of them of a voter, or where the reign is given up */
        return 5;
    case MESSAGE_CLAIM:
        return 7;
    case MESSAGE_ROLES_ANSWER:
    case MESSAGE_ROLES_ASK:
    case MESSAGE_ROLES_LET_GO:
        return 4;
    case MESSAGE_ROLES_PLACE:
        return 7;
    case MESSAGE_ROLES_ENTER:
        return 10;
    case MESSAGE_VOTE: /* and one more of a voter, whose record is on a disk */
        return 9;
    case MESSAGE_JOIN:
    case MESSAGE_READY:
        return BODY_JOINER_FIELDS;
    case MESSAGE_PROBE:
        return BODY_PROBE_FIELDS;
    case MESSAGE_MERGE:
        return 2 + BODY_PROBE_FIELDS;
    }
    return 0;
}

/* Fields that are there only where they say something, and how many of them there are: where a
 * later version has put fields behind them, all are there, and may say nothing. */
struct further {
    uint32_t count;
    bool all;
};

/* What one further field is the sum of; it is there only if that is not 0. */
enum { HANDED_OVER = 1, ASKS = 2 };

static unsigned added_of(const struct heartbeat *heartbeat)
{
    return (heartbeat->handed_over ? HANDED_OVER : 0U) | (heartbeat->asks ? ASKS : 0U);
}

static void read_heartbeat(struct reader *reader, struct heartbeat *heartbeat,
                           struct further further)
{
    body_read_view_id(reader, &heartbeat->view);
    heartbeat->view_hash = reader_number(reader, 0, UINT64_MAX);
    heartbeat->late = reader_bool(reader);
    heartbeat->acting = reader_bool(reader);
    heartbeat->suspect_count = (uint8_t)reader_list(reader, 0, SUSPECTS_MAX);
    for (uint8_t i = 0; i < heartbeat->suspect_count; i++) {
        struct suspicion *suspicion = &heartbeat->suspects[i];
        reader_fields(reader, SUSPICION_FIELDS);
        suspicion->age = reader_number(reader, 1, UINT64_MAX);
        suspicion->verdict = (enum verdict)reader_number(reader, VERDICT_NONE, VERDICT_STALLED);
    }
    if (further.count == ADDED_FIELDS) {
        const uint64_t added = reader_number(reader, further.all ? 0 : 1, HANDED_OVER | ASKS);
        heartbeat->handed_over = (added & HANDED_OVER) != 0;
        heartbeat->asks = (added & ASKS) != 0;
    }
}

static void write_heartbeat(struct writer *writer, const struct heartbeat *heartbeat)
{
    assert(heartbeat->suspect_count <= SUSPECTS_MAX);

    body_write_view_id(writer, &heartbeat->view);
    writer_number(writer, heartbeat->view_hash);
    writer_bool(writer, heartbeat->late);
    writer_bool(writer, heartbeat->acting);
    writer_array(writer, heartbeat->suspect_count);
    for (uint8_t i = 0; i < heartbeat->suspect_count; i++) {
        writer_array(writer, SUSPICION_FIELDS);
        writer_number(writer, heartbeat->suspects[i].age);
        writer_number(writer, (uint64_t)heartbeat->suspects[i].verdict);
    }
    if (added_of(heartbeat) != 0) {
        writer_number(writer, added_of(heartbeat));
    }
}

static void read_reference(struct reader *reader, struct view_reference *reference,
                           enum message_type type)
{
    body_read_view_id(reader, &reference->view);
    reference->view_hash = reader_number(reader, 0, UINT64_MAX);
    if (type == MESSAGE_NACK) {
        reference->promised = reader_number(reader, 0, UINT64_MAX);
    }
}

static void write_reference(struct writer *writer, const struct view_reference *reference,
                            enum message_type type)
{
    body_write_view_id(writer, &reference->view);
    writer_number(writer, reference->view_hash);
    if (type == MESSAGE_NACK) {
        writer_number(writer, reference->promised);
    }
}

bool body_may_be_brief(enum message_type type)
{
    return type == MESSAGE_PREPARE || type == MESSAGE_CLAIM || type == MESSAGE_VOTE;
}

/* The view that a claim is made from, by its name alone. */
static void read_named(struct reader *reader, struct view_reference *named, uint32_t fields)
{
    if (fields != NAMED_FIELDS) {
        reader_fail(reader, WIRE_SHAPE);
    }
    read_reference(reader, named, MESSAGE_CLAIM);
    if (named->view.epoch == 0) {
        reader_fail(reader, WIRE_BOUND);
    }
}

/* Whole; or by the name that it begins with, and in PREPARE and VOTE as a change of the one of that
 * name. */
static void read_view(struct reader *reader, const struct bases *bases, struct view *view,
                      struct message *message)
{
    const uint32_t fields = reader_list(reader, 0, UINT32_MAX);
    const bool is_brief = body_may_be_brief(message->type) && reader_is_at_array(reader);

    if (is_brief && message->type == MESSAGE_CLAIM) {
        read_named(reader, &message->carrier.named, fields);
        return;
    }
    message->carrier.view = view;
    if (is_brief) {
        body_read_change(reader, bases, view,
                         body_view_tail_of(reader, fields, BODY_CHANGE_FIELDS));
        return;
    }
    body_read_view_fields(reader, view, body_view_tail_of(reader, fields, BODY_VIEW_FIELDS));
    if (view_is_empty(view) && message->type != MESSAGE_CLAIM) {
        reader_fail(reader, WIRE_BOUND); /* Founders are named to voters alone (Z13a). */
    }
}

static void read_carrier(struct reader *reader, const struct bases *bases, struct view *view,
                         struct message *message, struct further further)
{
    struct view_carrier *carrier = &message->carrier;

    read_view(reader, bases, view, message);
    if (message->type == MESSAGE_PREPARE) {
        carrier->handover_by = reader_id_or_nil(reader);
    }
    if (message->type == MESSAGE_PREPARE || message->type == MESSAGE_MERGE) {
        carrier->merge = reader_number(reader, 0, UINT64_MAX);
    }
    if (message->type == MESSAGE_HANDOVER) {
        carrier->stays = reader_bool(reader);
    }
    if (message->type == MESSAGE_PREPARE && further.count == LEASE_FIELDS) {
        carrier->lease_ms = reader_number(reader, further.all ? 0 : 1, LEASE_MS_MAX);
        carrier->hold_ms = reader_number(reader, 0, LEASE_MS_MAX);
    }
    if (message->type == MESSAGE_MERGE) {
        body_read_probe(reader, &carrier->part);
    }
}

/* Behind the view. */
static void write_carried(struct writer *writer, const struct message *message)
{
    const struct view_carrier *carrier = &message->carrier;

    if (message->type == MESSAGE_PREPARE) {
        writer_id(writer, &carrier->handover_by);
    }
    if (message->type == MESSAGE_PREPARE || message->type == MESSAGE_MERGE) {
        writer_number(writer, carrier->merge);
    }
    if (message->type == MESSAGE_HANDOVER) {
        writer_bool(writer, carrier->stays);
    }
    if (message->type == MESSAGE_PREPARE && carrier->lease_ms != 0) {
        writer_number(writer, carrier->lease_ms);
        writer_number(writer, carrier->hold_ms);
    }
    if (message->type == MESSAGE_MERGE) {
        body_write_probe(writer, &carrier->part);
    }
}

static void write_carrier(struct writer *writer, const struct message *message)
{
    assert(message->carrier.view != NULL);
    body_write_view(writer, message->carrier.view);
    write_carried(writer, message);
}

static void read_vote(struct reader *reader, struct vote_answer *vote, struct further further)
{
    vote->record = reader_id_or_nil(reader);
    vote->kind = (enum vote_kind)reader_number(reader, VOTE_CLAIM, VOTE_FOUNDING);
    vote->result = (enum vote_result)reader_number(reader, VOTE_GRANTED, VOTE_RESULT_LAST);
    vote->version = reader_number(reader, 0, UINT64_MAX);
    vote->promised = reader_number(reader, 0, UINT64_MAX);
    vote->wait_ms = reader_number(reader, 0, WIRE_MS_MAX);
    if (further.count == WRITES_FIELDS) {
        vote->writes = reader_number(reader, further.all ? 0 : 1, UINT64_MAX);
    }
}

static void write_vote(struct writer *writer, const struct vote_answer *vote)
{
    writer_id(writer, &vote->record);
    writer_number(writer, (uint64_t)vote->kind);
    writer_number(writer, (uint64_t)vote->result);
    writer_number(writer, vote->version);
    writer_number(writer, vote->promised);
    writer_number(writer, vote->wait_ms);
    if (vote->writes != 0) {
        writer_number(writer, vote->writes);
    }
}

/* CLAIM and VOTE. */
static void read_claim(struct reader *reader, const struct bases *bases, struct view *view,
                       struct message *message, struct further further)
{
    struct view_carrier *carrier = &message->carrier;

    if (!reader_accept_nil(reader)) {
        read_view(reader, bases, view, message);
    }
    carrier->lineage = reader_number(reader, 0, UINT64_MAX);
    carrier->epoch = reader_number(reader, 0, UINT64_MAX);
    if (message->type == MESSAGE_VOTE) {
        read_vote(reader, &carrier->vote, further);
    } else {
        carrier->handover_by = reader_id_or_nil(reader);
        carrier->handover_epoch = reader_number(reader, 0, UINT64_MAX);
        carrier->lease_ms = reader_number(reader, 0, LEASE_MS_MAX);
        carrier->hold_ms = reader_number(reader, 0, LEASE_MS_MAX);
    }
}

/* Behind the view. */
static void write_question(struct writer *writer, const struct message *message)
{
    const struct view_carrier *carrier = &message->carrier;

    writer_number(writer, carrier->lineage);
    writer_number(writer, carrier->epoch);
    if (message->type == MESSAGE_VOTE) {
        write_vote(writer, &carrier->vote);
    } else {
        writer_id(writer, &carrier->handover_by);
        writer_number(writer, carrier->handover_epoch);
        writer_number(writer, carrier->lease_ms);
        writer_number(writer, carrier->hold_ms);
    }
}

static void write_named(struct writer *writer, const struct view_reference *named)
{
    writer_array(writer, NAMED_FIELDS);
    write_reference(writer, named, MESSAGE_CLAIM);
}

static void write_claim(struct writer *writer, const struct message *message)
{
    const struct view_carrier *carrier = &message->carrier;

    if (carrier->view != NULL) {
        body_write_view(writer, carrier->view);
    } else if (carrier->named.view.epoch != 0) {
        write_named(writer, &carrier->named);
    } else {
        writer_nil(writer);
    }
    write_question(writer, message);
}

/* A question for the lease names an epoch, which is never 0; an answer, to which the voter is
 * bound, likewise. */
static void read_ping(struct reader *reader, enum message_type type, struct ping *ping,
                      struct further further)
{
    const uint64_t least = further.all ? 0 : 1;

    ping->nonce = reader_number(reader, 0, UINT64_MAX);
    ping->subject = reader_id(reader);
    ping->origin = reader_id(reader);
    if (type == MESSAGE_PING && further.count == ASKED_FIELDS) {
        ping->asked.lineage = reader_number(reader, 0, UINT64_MAX);
        ping->asked.epoch = reader_number(reader, least, UINT64_MAX);
        ping->asked.lease_ms = reader_number(reader, least, LEASE_MS_MAX);
        ping->asked.hold_ms = reader_number(reader, 0, LEASE_MS_MAX);
        ping->asked.record = reader_id_or_nil(reader);
        ping->asked.writes = reader_number(reader, 0, UINT64_MAX);
        if (ping->asked.epoch == 0 || ping->asked.lease_ms == 0) {
            ping->asked = (struct lease_asked){.epoch = 0}; /* Half a question is none. */
        }
    } else if (type == MESSAGE_PONG && further.count == SAID_FIELDS) {
        ping->said.promised = reader_number(reader, least, UINT64_MAX);
        ping->said.leased = reader_bool(reader) && ping->said.promised != 0;
        ping->said.record = reader_id_or_nil(reader);
        ping->said.writes = reader_number(reader, 0, UINT64_MAX);
    } else if (further.count > 0) {
        reader_fail(reader, WIRE_SHAPE);
    }
}

static uint32_t further_of_ping(const struct message *message)
{
    if (message->type == MESSAGE_PING && message->ping.asked.epoch != 0) {
        return ASKED_FIELDS;
    }
    return message->type == MESSAGE_PONG && message->ping.said.promised != 0 ? SAID_FIELDS : 0;
}

static void write_ping(struct writer *writer, const struct message *message)
{
    const struct ping *ping = &message->ping;

    writer_number(writer, ping->nonce);
    writer_id(writer, &ping->subject);
    writer_id(writer, &ping->origin);
    switch (further_of_ping(message)) {
    case ASKED_FIELDS:
        writer_number(writer, ping->asked.lineage);
        writer_number(writer, ping->asked.epoch);
        writer_number(writer, ping->asked.lease_ms);
        writer_number(writer, ping->asked.hold_ms);
        writer_id(writer, &ping->asked.record);
        writer_number(writer, ping->asked.writes);
        break;
    case SAID_FIELDS:
        writer_number(writer, ping->said.promised);
        writer_bool(writer, ping->said.leased);
        writer_id(writer, &ping->said.record);
        writer_number(writer, ping->said.writes);
        break;
    default:
        break;
    }
}

static void read_merge_refused(struct reader *reader, struct merge_refused *refused)
{
    refused->merge = reader_number(reader, 0, UINT64_MAX);
    refused->reason = (enum merge_refusal)reader_number(reader, MERGE_REFUSED_BUSY,
                                                        MERGE_REFUSED_VERSIONS);
}

static void write_merge_refused(struct writer *writer, const struct merge_refused *refused)
{
    writer_number(writer, refused->merge);
    writer_number(writer, (uint64_t)refused->reason);
}

/* A version that is never released, by which tests go from one to the next: what it adds to JOIN
 * and READY earlier ones skip, and an ACK of the next version must have a field more. */
#ifdef DOYEN_NEXT_VERSION
static uint32_t fields_required(enum message_type type, uint8_t version)
{
    return type == MESSAGE_ACK && version >= WIRE_VERSION ? 1 : 0;
}

static uint32_t fields_added(enum message_type type, uint8_t version)
{
    return message_body(type) == CARRIES_JOINER ? 1 : fields_required(type, version);
}

enum { ADDED_VALUE = 2 };
#else
static uint32_t fields_required(enum message_type type, uint8_t version)
{
    (void)type;
    (void)version;
    return 0;
}

static uint32_t fields_added(enum message_type type, uint8_t version)
{
    (void)type;
    (void)version;
    return 0;
}

enum { ADDED_VALUE = 0 };
#endif

/* One further field is there only under guard strict. */
static void read_offer(struct reader *reader, struct offer *offer, struct further further)
{
    offer->nonce = reader_number(reader, 0, UINT64_MAX);
    if (further.count == LINEAGE_FIELDS) {
        offer->lineage = reader_number(reader, further.all ? 0 : 1, UINT64_MAX);
    }
}

static void write_offer(struct writer *writer, const struct offer *offer)
{
    writer_number(writer, offer->nonce);
    if (offer->lineage != 0) {
        writer_number(writer, offer->lineage);
    }
}

/* How many further fields there may be, and are. */
static uint32_t further_most(enum message_type type)
{
    if (type == MESSAGE_OFFER) {
        return LINEAGE_FIELDS;
    }
    if (type == MESSAGE_HEARTBEAT) {
        return ADDED_FIELDS;
    }
    if (type == MESSAGE_PING || type == MESSAGE_PONG) {
        return type == MESSAGE_PING ? ASKED_FIELDS : SAID_FIELDS;
    }
    if (type == MESSAGE_PREPARE) {
        return LEASE_FIELDS;
    }
    if (type == MESSAGE_VOTE) {
        return WRITES_FIELDS;
    }
    return type == MESSAGE_ROLES_ENTER ? BODY_NEED_FIELDS : 0;
}

static uint32_t further_of(const struct message *message)
{
    if (message->type == MESSAGE_OFFER) {
        return message->offer.lineage != 0 ? LINEAGE_FIELDS : 0;
    }
    if (message->type == MESSAGE_HEARTBEAT) {
        return added_of(&message->heartbeat) != 0 ? ADDED_FIELDS : 0;
    }
    if (message_body(message->type) == CARRIES_PING) {
        return further_of_ping(message);
    }
    if (message->type == MESSAGE_PREPARE) {
        return message->carrier.lease_ms != 0 ? LEASE_FIELDS : 0;
    }
    if (message->type == MESSAGE_VOTE) {
        return message->carrier.vote.writes != 0 ? WRITES_FIELDS : 0;
    }
    return message->type == MESSAGE_ROLES_ENTER && message->role.entry.terms.need[0] != '\0'
               ? BODY_NEED_FIELDS
               : 0;
}

/* The fields of a message behind its envelope. */
struct fields {
    struct further further;
    uint32_t required; /* of this version alone */
    uint32_t unknown;  /* of later ones */
};

/* What all messages begin with. False, with the fault noted, if it is not in order. */
static bool read_envelope(struct reader *reader, struct message *message, uint8_t version,
                          struct fields *rest)
{
    const uint32_t fields = reader_list(reader, 0, UINT32_MAX);
    if (fields < ENVELOPE_FIELDS) {
        reader_fail(reader, WIRE_SHAPE);
    }
    const uint64_t type = reader_number(reader, 0, UINT64_MAX);
    if (type < MESSAGE_HEARTBEAT || type >= MESSAGE_TYPE_COUNT) {
        reader_fail(reader, WIRE_TYPE);
        return false;
    }
    message_clear(message, (enum message_type)type);
    const uint32_t required = fields_required(message->type, version);
    const uint32_t expected = ENVELOPE_FIELDS + body_fields(message->type) + required;
    const uint32_t most = expected + further_most(message->type);
    if (fields < expected) {
        reader_fail(reader, WIRE_SHAPE);
    }
    *rest = (struct fields){
        .further = {.count = (fields < most ? fields : most) - expected, .all = fields > most},
        .required = required,
        .unknown = fields > most ? fields - most : 0,
    };
    message->from = reader_id(reader);
    message->to = reader_id_or_nil(reader);
    message->number = reader_number(reader, 0, UINT64_MAX);
    return reader->error == WIRE_OK;
}

void body_read(struct reader *reader, const struct bases *bases, struct view *view,
               struct message *message, uint8_t version)
{
    struct fields rest;

    if (!read_envelope(reader, message, version, &rest)) {
        return;
    }
    switch (message_body(message->type)) {
    case CARRIES_HEARTBEAT:
        read_heartbeat(reader, &message->heartbeat, rest.further);
        break;
    case CARRIES_VIEW:
        read_carrier(reader, bases, view, message, rest.further);
        break;
    case CARRIES_CLAIM:
        read_claim(reader, bases, view, message, rest.further);
        break;
    case CARRIES_REFERENCE:
        read_reference(reader, &message->reference, message->type);
        break;
    case CARRIES_JOINER:
        body_read_joiner(reader, &message->joiner);
        break;
    case CARRIES_OFFER:
        read_offer(reader, &message->offer, rest.further);
        break;
    case CARRIES_JOIN_REFUSED:
        body_read_join_refused(reader, &message->join_refused);
        break;
    case CARRIES_PING:
        read_ping(reader, message->type, &message->ping, rest.further);
        break;
    case CARRIES_PROBE:
        body_read_probe(reader, &message->probe);
        break;
    case CARRIES_MERGE_REFUSED:
        read_merge_refused(reader, &message->merge_refused);
        break;
    case CARRIES_ROLES:
        body_read_role(reader, message->type, &message->role,
                       rest.further.count >= BODY_NEED_FIELDS, rest.further.all);
        break;
    case CARRIES_WISH:
        body_read_wish(reader, &message->wish);
        break;
    case CARRIES_NOTHING:
        break;
    }
    if (rest.required > 0) {
        (void)reader_number(reader, ADDED_VALUE, ADDED_VALUE);
    }
    if (rest.unknown > 0) {
        reader->skipped = true;
        reader_skip(reader, rest.unknown);
    }
}

static void write_envelope(struct writer *writer, const struct message *message,
                           const struct node_id *to, uint8_t version)
{
    writer_array(writer, ENVELOPE_FIELDS + body_fields(message->type) + further_of(message) +
                             fields_added(message->type, version));
    writer_number(writer, (uint64_t)message->type);
    writer_id(writer, &message->from);
    if (to == NULL) {
        writer_nil(writer);
    } else {
        writer_id(writer, to);
    }
    writer_number(writer, message->number);
}

void body_write(struct writer *writer, const struct message *message, const struct node_id *to,
                uint8_t version)
{
    assert(message->type >= MESSAGE_HEARTBEAT && message->type < MESSAGE_TYPE_COUNT);

    write_envelope(writer, message, to, version);
    switch (message_body(message->type)) {
    case CARRIES_HEARTBEAT:
        write_heartbeat(writer, &message->heartbeat);
        break;
    case CARRIES_VIEW:
        write_carrier(writer, message);
        break;
    case CARRIES_CLAIM:
        write_claim(writer, message);
        break;
    case CARRIES_REFERENCE:
        write_reference(writer, &message->reference, message->type);
        break;
    case CARRIES_JOINER:
        body_write_joiner(writer, &message->joiner);
        break;
    case CARRIES_OFFER:
        write_offer(writer, &message->offer);
        break;
    case CARRIES_JOIN_REFUSED:
        body_write_join_refused(writer, &message->join_refused);
        break;
    case CARRIES_PING:
        write_ping(writer, message);
        break;
    case CARRIES_PROBE:
        body_write_probe(writer, &message->probe);
        break;
    case CARRIES_MERGE_REFUSED:
        write_merge_refused(writer, &message->merge_refused);
        break;
    case CARRIES_ROLES:
        body_write_role(writer, message->type, &message->role);
        break;
    case CARRIES_WISH:
        body_write_wish(writer, &message->wish);
        break;
    case CARRIES_NOTHING:
        break;
    }
    if (fields_added(message->type, version) > 0) {
        writer_number(writer, ADDED_VALUE);
    }
}

bool body_write_brief(struct writer *writer, const struct message *message,
                      const struct node_id *to, uint8_t version, const struct view *base,
                      const uint8_t *limit)
{
    assert(body_may_be_brief(message->type));

    write_envelope(writer, message, to, version);
    if (message->type == MESSAGE_CLAIM) {
        const struct view_reference named = view_reference_of(message->carrier.view);
        write_named(writer, &named);
        write_question(writer, message);
        return true;
    }
    if (!body_write_change(writer, message->carrier.view, base, limit)) {
        return false;
    }
    if (message->type == MESSAGE_VOTE) {
        write_question(writer, message);
    } else {
        write_carried(writer, message);
    }
    return writer->at <= limit;
}

bool body_redirect(uint8_t *bytes, const struct node_id *to)
{
    struct writer writer;

    if (to == NULL || id_is_none(to) || bytes[AT_TO] == HEAD_NIL) {
        return false;
    }
    writer_init(&writer, bytes + AT_TO, BODY_ID_BYTES);
    writer_id(&writer, to);
    return true;
}

size_t body_bytes_max(uint32_t capacity)
{
    /* A MERGE: no message without a view comes near GONE_MAX former members, and the fields
     * behind the view are longest there. */
    return ENVELOPE_BYTES + body_view_bytes_max(capacity) + BODY_NUMBER_BYTES + BODY_PROBE_BYTES;
}
