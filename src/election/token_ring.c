/* The token ring: a token collects the ids of all on its way round; who sent it takes the best of
 * them, and announces it round the ring until the announcement is home. Each starter's token makes
 * both rounds. */
#include "election/machine.h"

static void start(struct machine *machine, struct election_out *out)
{
    struct election_message token = {.type = ELECTION_TOKEN, .home = machine->self};

    if (machine_next(machine) == machine->self) {
        if (machine->stands) {
            machine_define(machine, machine->self);
        }
        return;
    }
    if (machine->stands) {
        roster_set_add(&token.ids, roster_find(machine->roster, machine->self));
    }
    machine_forward(machine, out, &token);
}

static uint64_t best_of(const struct roster *roster, const struct roster_set *ids)
{
    uint64_t best = NOBODY;

    for (size_t i = 0; i < roster->count; i++) {
        if (roster_set_has(ids, i) && roster_better(roster, roster->members[i].age, best)) {
            best = roster->members[i].age;
        }
    }
    return best;
}

static void take_token(struct machine *machine, const struct election_message *message,
                       struct election_out *out)
{
    struct election_message token = *message;

    if (message->home != machine->self) {
        if (machine->stands) {
            roster_set_add(&token.ids, roster_find(machine->roster, machine->self));
        }
        machine_forward(machine, out, &token);
        return;
    }
    const uint64_t best = best_of(machine->roster, &message->ids);
    if (best != NOBODY) {
        machine_define(machine, best);
        machine_forward(machine, out,
                        &(struct election_message){
                            .type = ELECTION_LEADER, .subject = best, .home = machine->self});
    }
}

static void take(struct machine *machine, const struct election_message *message,
                 struct election_out *out)
{
    if (message->type == ELECTION_TOKEN) {
        take_token(machine, message, out);
    } else if (message->type == ELECTION_LEADER) {
        machine_define(machine, message->subject);
        /* It ends where it began. Ending at the leader, or at the first that knows it already,
         * would leave those behind it uninformed. */
        if (message->home != machine->self) {
            machine_forward(machine, out, message);
        }
    }
}

static void timer(struct machine *machine, struct election_out *out)
{
    (void)machine;
    (void)out;
}

const struct election_algorithm algorithm_token_ring = {
    .name = "token-ring", .lets_resign = true, .start = start, .take = take, .timer = timer};
