/* What a test sees of its rig: what the core sent, and what it holds. */
#include <criterion/criterion.h>

#include "rig.h"

static bool is_request(const struct rig_sent *sent, const struct rig *rig)
{
    const struct node_id to = rig_id(rig, sent->to);

    return sent->message.type == MESSAGE_PING && !id_equal(&sent->message.ping.subject, &to);
}

const struct message *rig_request(const struct rig *rig, char to)
{
    for (uint32_t i = rig->sent_count; i > 0; i--) {
        if (rig->sent[i - 1].to == to && is_request(&rig->sent[i - 1], rig)) {
            return &rig->sent[i - 1].message;
        }
    }
    return NULL;
}

uint32_t rig_requests(const struct rig *rig)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < rig->sent_count; i++) {
        count += is_request(&rig->sent[i], rig);
    }
    return count;
}

uint32_t rig_count(const struct rig *rig, enum message_type type)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < rig->sent_count; i++) {
        count += rig->sent[i].message.type == type;
    }
    return count;
}

bool rig_told_briefly(const struct rig *rig, enum message_type type, char to)
{
    for (uint32_t i = rig->sent_count; i > 0; i--) {
        const struct rig_sent *sent = &rig->sent[i - 1];
        if (sent->message.type == type && sent->to == to) {
            return sent->brief;
        }
    }
    cr_assert_fail("%c was not told", to);
    return false;
}

enum verdict rig_verdict(const struct rig *rig, char letter)
{
    const struct node_id id = rig_id(rig, letter);
    const uint32_t position = view_find(core_view(rig->core), &id);

    cr_assert_neq(position, VIEW_NONE);
    return core_peer(rig->core, position, rig->now_ms).verdict;
}

const struct message *rig_told(const struct rig *rig, enum message_type type, char to)
{
    for (uint32_t i = rig->sent_count; i > 0; i--) {
        const struct rig_sent *sent = &rig->sent[i - 1];
        if (sent->message.type == type && sent->to == to) {
            return &sent->message;
        }
    }
    return NULL;
}

static const struct message *told_vote(const struct rig *rig, char to, bool granted)
{
    for (uint32_t i = rig->sent_count; i > 0; i--) {
        const struct rig_sent *sent = &rig->sent[i - 1];
        const struct vote_answer *vote = &sent->message.carrier.vote;
        if (sent->message.type == MESSAGE_VOTE && sent->to == to && vote->kind == VOTE_CLAIM &&
            (vote->result == VOTE_GRANTED) == granted) {
            return &sent->message;
        }
    }
    return NULL;
}

const struct message *rig_granted(const struct rig *rig, char claimant)
{
    return told_vote(rig, claimant, true);
}

const struct message *rig_refused(const struct rig *rig, char claimant)
{
    return told_vote(rig, claimant, false);
}

const char *rig_sees(const struct rig *rig, char text[64])
{
    return view_text(core_view(rig->core), text, 64);
}

void rig_must_see(const struct rig *rig, const char *letters)
{
    char text[64];

    cr_assert_str_eq(rig_sees(rig, text), letters);
}
