#include "election/registry.h"

static void send(const struct registry *registry, struct election_out *out,
                 enum election_message_type type, uint64_t to)
{
    struct election_message *message = election_out_add(out);

    if (message != NULL) {
        *message = (struct election_message){
            .type = type,
            .to = to,
            .round = {.epoch = registry->roster.epoch, .version = registry->roster.version},
            .subject = type == ELECTION_GONE ? NOBODY : roster_best(&registry->roster)};
    }
}

/* The best of those that are worse than `gone`, by the order in which it was still there; NOBODY
 * when it was the last. Who is not in `present` any more is passed over. */
static uint64_t behind(const struct roster *former, const struct roster *present, uint64_t gone)
{
    uint64_t next = NOBODY;

    for (size_t i = 0; i < present->count; i++) {
        const uint64_t age = present->members[i].age;
        if (roster_has(former, age) && roster_better(former, gone, age) &&
            roster_better(former, age, next)) {
            next = age;
        }
    }
    return next;
}

void registry_install(struct registry *registry, const struct roster *roster,
                      struct election_out *out)
{
    const struct roster former = registry->roster;
    const uint64_t leader = roster_best(&former);
    struct roster_set told = {{0}};

    if (!roster_is_newer(roster, &former)) {
        return;
    }
    registry->roster = *roster;
    if (registry->herd) {
        for (size_t i = 0; i < roster->count && !roster_has(roster, leader); i++) {
            send(registry, out, ELECTION_GONE, roster->members[i].age);
        }
        return;
    }
    if (former.count == 0 && roster->count > 0) {
        send(registry, out, ELECTION_NEXT, roster_best(roster));
    }
    for (size_t i = 0; i < former.count; i++) {
        const uint64_t age = former.members[i].age;
        const uint64_t next = roster_has(roster, age) ? NOBODY : behind(&former, roster, age);
        if (next != NOBODY && !roster_set_has(&told, roster_find(roster, next))) {
            roster_set_add(&told, roster_find(roster, next));
            send(registry, out, ELECTION_NEXT, next);
        }
    }
}

void registry_take(const struct registry *registry, const struct election_message *message,
                   struct election_out *out)
{
    const struct roster *roster = &registry->roster;

    if (message->type != ELECTION_ASK || message->round.epoch != roster->epoch ||
        message->round.version != roster->version || !roster_has(roster, message->from)) {
        return;
    }
    struct election_message *answer = election_out_add(out);
    if (answer != NULL) {
        *answer = (struct election_message){.type = ELECTION_ANSWER,
                                            .to = message->from,
                                            .round = message->round,
                                            .subject = roster_best(roster)};
    }
}
