#include "election/message.h"

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

int election_round_compare(const struct election_round *a, const struct election_round *b)
{
    int order = compare(a->epoch, b->epoch);

    if (order == 0) {
        order = compare(a->version, b->version);
    }
    return order != 0 ? order : compare(a->attempt, b->attempt);
}

const char *election_message_name(enum election_message_type type)
{
    static const char *const names[ELECTION_MESSAGE_TYPE_COUNT] = {
        "HEARTBEAT", "ELECTION", "OK",   "COORDINATOR", "CANDIDATE", "ELECTED",
        "TOKEN",     "LEADER",   "NEXT", "GONE",        "ASK",       "ANSWER",
    };
    return (unsigned)type < ELECTION_MESSAGE_TYPE_COUNT ? names[type] : "?";
}

size_t election_message_bytes(const struct election_message *message)
{
    enum { NUMBER = 8, HEAD = 1 + NUMBER + 3 * NUMBER };

    switch (message->type) {
    case ELECTION_CALL:
    case ELECTION_OK:
    case ELECTION_COORDINATOR:
    case ELECTION_GONE:
    case ELECTION_ASK:
        return HEAD;
    case ELECTION_HEARTBEAT:
    case ELECTION_NEXT:
    case ELECTION_ANSWER:
        return HEAD + NUMBER;
    case ELECTION_CANDIDATE:
    case ELECTION_ELECTED:
        return HEAD + 2 * NUMBER;
    case ELECTION_LEADER:
        return HEAD + 3 * NUMBER;
    case ELECTION_TOKEN:
        return HEAD + 2 * NUMBER + NUMBER * roster_set_count(&message->ids);
    case ELECTION_MESSAGE_TYPE_COUNT:
        break;
    }
    return 0;
}

struct election_message *election_out_add(struct election_out *out)
{
    return out->count < ELECTION_OUT_MAX ? &out->messages[out->count++] : NULL;
}
