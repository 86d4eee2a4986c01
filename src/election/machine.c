#include "election/machine.h"

#include <assert.h>
#include <string.h>

const struct election_algorithm *const *algorithms(size_t *count)
{
    static const struct election_algorithm *const all[] = {
        &algorithm_oldest,     &algorithm_bully,      &algorithm_ring,
        &algorithm_token_ring, &algorithm_sequential, &algorithm_sequential_herd,
    };
    *count = sizeof all / sizeof all[0];
    return all;
}

void machine_enter(struct machine *machine, const struct election_round *round)
{
    machine->round = *round;
    machine->leader = NOBODY;
    machine->timer_ms = ELECTION_NEVER_MS;
    /* A flag that outlives its round would elect the wrong one in the next. */
    memset(&machine->bully, 0, sizeof machine->bully);
    memset(&machine->ring, 0, sizeof machine->ring);
}

void machine_define(struct machine *machine, uint64_t leader)
{
    if (roster_has(machine->roster, leader) &&
        (machine->leader == NOBODY || roster_better(machine->roster, leader, machine->leader))) {
        machine->leader = leader;
    }
}

struct election_message *machine_send(const struct machine *machine, struct election_out *out,
                                      enum election_message_type type, uint64_t to)
{
    struct election_message *message = election_out_add(out);

    if (message != NULL) {
        *message = (struct election_message){
            .type = type, .from = machine->self, .to = to, .round = machine->round};
    }
    return message;
}

uint64_t machine_next(const struct machine *machine)
{
    const struct roster *roster = machine->roster;
    const size_t place = roster_find(roster, machine->self);

    assert(place < roster->count);
    for (size_t step = 1; step < roster->count; step++) {
        const size_t at = (place + step) % roster->count;
        if (!roster_set_has(&machine->silent, at)) {
            return roster->members[at].age;
        }
    }
    return roster->members[(place + 1) % roster->count].age; /* All are silent: all may be well. */
}

void machine_forward(const struct machine *machine, struct election_out *out,
                     const struct election_message *message)
{
    if (message->hops >= 2 * machine->roster->count) {
        return;
    }
    struct election_message *next = machine_send(machine, out, message->type,
                                                 machine_next(machine));
    if (next != NULL) {
        next->subject = message->subject;
        next->home = message->home;
        next->ids = message->ids;
        next->hops = message->hops + 1;
    }
}
