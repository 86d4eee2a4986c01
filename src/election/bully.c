/* Bully (Garcia-Molina, 1982): a process asks all that are better. If none answers, it proclaims
 * itself to all; if one does, that one goes on. */
#include "election/machine.h"

static void proclaim(struct machine *machine, struct election_out *out)
{
    const struct roster *roster = machine->roster;

    for (size_t i = 0; i < roster->count; i++) {
        if (roster->members[i].age != machine->self) {
            machine_send(machine, out, ELECTION_COORDINATOR, roster->members[i].age);
        }
    }
    /* Who proclaims is not told by anybody else. */
    machine_define(machine, machine->self);
}

static void start(struct machine *machine, struct election_out *out)
{
    const struct roster *roster = machine->roster;
    size_t asked = 0;

    /* Once in a round: an election for each ELECTION received would be 2^h messages, where h
     * processes are better than the first. */
    if (machine->bully.called) {
        return;
    }
    machine->bully.called = true;
    for (size_t i = 0; i < roster->count; i++) {
        const uint64_t age = roster->members[i].age;
        /* For one that does not stand, all others are better. */
        if (age != machine->self &&
            (!machine->stands || roster_better(roster, age, machine->self))) {
            machine_send(machine, out, ELECTION_CALL, age);
            asked++;
        }
    }
    if (!machine->stands) {
        return;
    }
    if (asked == 0) {
        proclaim(machine, out);
    } else {
        machine->timer_ms = machine->now_ms + machine->answer_ms;
    }
}

static void take(struct machine *machine, const struct election_message *message,
                 struct election_out *out)
{
    if (message->type == ELECTION_CALL) {
        if (machine->stands) {
            machine_send(machine, out, ELECTION_OK, message->from);
            start(machine, out);
        }
    } else if (message->type == ELECTION_OK) {
        machine->bully.answered = true;
    } else if (message->type == ELECTION_COORDINATOR) {
        machine_define(machine, message->from);
    }
}

/* Nobody better has answered. If one did but never proclaimed itself, the wrapper begins anew. */
static void timer(struct machine *machine, struct election_out *out)
{
    if (machine->stands && !machine->bully.answered && machine->leader == NOBODY) {
        proclaim(machine, out);
    }
}

const struct election_algorithm algorithm_bully = {
    .name = "bully", .lets_resign = true, .start = start, .take = take, .timer = timer};
