#include "wire_same.h"

#include <string.h>

static bool same_member(const struct member *a, const struct member *b)
{
    return id_equal(&a->id, &b->id) && address_equal(&a->address, &b->address) &&
           a->age == b->age && a->drained == b->drained && a->versions.low == b->versions.low &&
           a->versions.high == b->versions.high && a->incarnation == b->incarnation &&
           strcmp(a->name, b->name) == 0 && tags_equal(member_tags(a), member_tags(b));
}

static bool same_gone(const struct gone *a, const struct gone *b)
{
    return id_equal(&a->id, &b->id) && address_equal(&a->address, &b->address) &&
           a->age == b->age && strcmp(a->name, b->name) == 0 && a->reason == b->reason &&
           a->verdict == b->verdict && a->silent_ms == b->silent_ms &&
           a->accuser_count == b->accuser_count &&
           memcmp(a->accusers, b->accusers, a->accuser_count * sizeof a->accusers[0]) == 0;
}

bool wire_same_view(const struct view *a, const struct view *b)
{
    if (a == NULL || b == NULL) {
        return a == b;
    }
    bool same = a->lineage == b->lineage && a->epoch == b->epoch && a->version == b->version &&
                a->next_age == b->next_age && a->hash == b->hash && a->cause == b->cause &&
                view_id_equal(&a->parent, &b->parent) && view_id_equal(&a->merged, &b->merged) &&
                a->member_count == b->member_count && a->gone_count == b->gone_count &&
                agreed_equal(&a->agreed, &b->agreed) && voter_lists_equal(&a->voters, &b->voters);
    for (uint32_t i = 0; same && i < a->member_count; i++) {
        same = same_member(&a->members[i], &b->members[i]);
    }
    for (uint32_t i = 0; same && i < a->gone_count; i++) {
        same = same_gone(&a->gone[i], &b->gone[i]);
    }
    return same;
}

static bool same_terms(const struct terms *a, const struct terms *b)
{
    return a->guard.policy == b->guard.policy && a->guard.count == b->guard.count &&
           a->profile == b->profile && a->heartbeat_ms == b->heartbeat_ms &&
           a->lost_ms == b->lost_ms && a->capacity == b->capacity && a->number == b->number &&
           a->origin == b->origin && a->room == b->room && voters_equal(&a->voters, &b->voters);
}

static bool same_heartbeat(const struct heartbeat *a, const struct heartbeat *b)
{
    bool same = view_id_equal(&a->view, &b->view) && a->view_hash == b->view_hash &&
                a->late == b->late && a->acting == b->acting && a->handed_over == b->handed_over &&
                a->asks == b->asks && a->suspect_count == b->suspect_count;
    for (uint8_t i = 0; same && i < a->suspect_count; i++) {
        same = a->suspects[i].age == b->suspects[i].age &&
               a->suspects[i].verdict == b->suspects[i].verdict;
    }
    return same;
}

static bool same_probe(const struct probe *a, const struct probe *b)
{
    bool same = view_id_equal(&a->view, &b->view) && a->view_hash == b->view_hash &&
                a->holders == b->holders && a->oldest_age == b->oldest_age &&
                a->guard_met == b->guard_met && a->answer == b->answer &&
                a->seed_count == b->seed_count && address_equal(&a->coordinator, &b->coordinator) &&
                same_terms(&a->terms, &b->terms);
    for (uint8_t i = 0; same && i < a->seed_count; i++) {
        same = address_equal(&a->seeds[i], &b->seeds[i]);
    }
    return same;
}

static bool same_ping(const struct ping *a, const struct ping *b)
{
    return a->nonce == b->nonce && id_equal(&a->subject, &b->subject) &&
           id_equal(&a->origin, &b->origin) && a->asked.lineage == b->asked.lineage &&
           a->asked.epoch == b->asked.epoch && a->asked.lease_ms == b->asked.lease_ms &&
           a->asked.hold_ms == b->asked.hold_ms && a->said.promised == b->said.promised &&
           a->said.leased == b->said.leased && id_equal(&a->said.record, &b->said.record);
}

static bool same_vote(const struct vote_answer *a, const struct vote_answer *b)
{
    return id_equal(&a->record, &b->record) && a->kind == b->kind && a->result == b->result &&
           a->version == b->version && a->promised == b->promised && a->wait_ms == b->wait_ms;
}

static bool same_role(const struct role_word *a, const struct role_word *b)
{
    const struct role_entry *c = &a->entry;
    const struct role_entry *d = &b->entry;

    return a->epoch == b->epoch && a->stamp == b->stamp && a->count == b->count &&
           a->hash == b->hash && a->flag == b->flag && a->order == b->order &&
           a->held_ms == b->held_ms && id_equal(&c->request, &d->request) &&
           strcmp(c->role, d->role) == 0 && role_terms_equal(&c->terms, &d->terms) &&
           c->priority == d->priority && c->number == d->number && c->token == d->token;
}

static bool same_wish(const struct wish *a, const struct wish *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case WISH_LEAVE:
        break;
    case WISH_MOVE:
        return a->move.kind == b->move.kind && id_equal(&a->move.subject, &b->move.subject);
    case WISH_TAGS:
        return tags_equal(&a->tags, &b->tags);
    case WISH_TERMS:
        return a->terms.number == b->terms.number &&
               rules_equal(&a->terms.rules, &b->terms.rules) &&
               a->terms.forget_failed == b->terms.forget_failed;
    }
    return true;
}

bool wire_same_body(const struct message *a, const struct message *b)
{
    switch (a->type) {
    case MESSAGE_HEARTBEAT:
        return same_heartbeat(&a->heartbeat, &b->heartbeat);
    case MESSAGE_VIEW:
    case MESSAGE_PREPARE:
    case MESSAGE_HANDOVER:
        return wire_same_view(a->carrier.view, b->carrier.view) &&
               a->carrier.epoch == b->carrier.epoch && a->carrier.merge == b->carrier.merge &&
               a->carrier.lease_ms == b->carrier.lease_ms && a->carrier.stays == b->carrier.stays &&
               id_equal(&a->carrier.handover_by, &b->carrier.handover_by);
    case MESSAGE_ROLES_ASK:
    case MESSAGE_ROLES_ENTER:
    case MESSAGE_ROLES_LET_GO:
    case MESSAGE_ROLES_ANSWER:
    case MESSAGE_ROLES_PLACE:
        return same_role(&a->role, &b->role);
    case MESSAGE_WISH:
        return same_wish(&a->wish, &b->wish);
    case MESSAGE_CLAIM:
    case MESSAGE_VOTE:
        return wire_same_view(a->carrier.view, b->carrier.view) &&
               view_id_equal(&a->carrier.named.view, &b->carrier.named.view) &&
               a->carrier.named.view_hash == b->carrier.named.view_hash &&
               a->carrier.epoch == b->carrier.epoch && a->carrier.lineage == b->carrier.lineage &&
               a->carrier.handover_epoch == b->carrier.handover_epoch &&
               a->carrier.lease_ms == b->carrier.lease_ms &&
               id_equal(&a->carrier.handover_by, &b->carrier.handover_by) &&
               same_vote(&a->carrier.vote, &b->carrier.vote);
    case MESSAGE_MERGE:
        return wire_same_view(a->carrier.view, b->carrier.view) &&
               a->carrier.merge == b->carrier.merge &&
               same_probe(&a->carrier.part, &b->carrier.part);
    case MESSAGE_MERGE_REFUSED:
        return a->merge_refused.merge == b->merge_refused.merge &&
               a->merge_refused.reason == b->merge_refused.reason;
    case MESSAGE_ACK:
    case MESSAGE_NACK:
    case MESSAGE_COMMIT:
    case MESSAGE_NOT_FOLLOWING:
        return view_id_equal(&a->reference.view, &b->reference.view) &&
               a->reference.view_hash == b->reference.view_hash &&
               a->reference.promised == b->reference.promised;
    case MESSAGE_JOIN:
    case MESSAGE_READY:
        return same_member(&a->joiner.member, &b->joiner.member) &&
               same_terms(&a->joiner.terms, &b->joiner.terms) &&
               a->joiner.may_found == b->joiner.may_found && a->joiner.nonce == b->joiner.nonce &&
               a->joiner.hops == b->joiner.hops && a->joiner.epoch_seen == b->joiner.epoch_seen;
    case MESSAGE_JOIN_REFUSED:
        return a->join_refused.reason == b->join_refused.reason &&
               same_terms(&a->join_refused.terms, &b->join_refused.terms) &&
               address_equal(&a->join_refused.address, &b->join_refused.address) &&
               a->join_refused.limit == b->join_refused.limit;
    case MESSAGE_OFFER:
        return a->offer.nonce == b->offer.nonce && a->offer.lineage == b->offer.lineage;
    case MESSAGE_PING:
    case MESSAGE_PONG:
        return same_ping(&a->ping, &b->ping);
    case MESSAGE_PROBE:
        return same_probe(&a->probe, &b->probe);
    case MESSAGE_PULL:
    case MESSAGE_HELLO:
        return true;
        break;
    }
    return false;
}
