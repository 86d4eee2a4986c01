/* The ring of Chang and Roberts (1979): an id goes round, and each participant lets only better
 * ones pass than its own. Whose id comes back leads, and says so round the ring. */
#include "election/machine.h"

/* Alone on the ring, one leads without a word. */
static bool is_alone(struct machine *machine)
{
    if (machine_next(machine) != machine->self) {
        return false;
    }
    if (machine->stands) {
        machine_define(machine, machine->self);
    }
    return true;
}

static void start(struct machine *machine, struct election_out *out)
{
    machine->ring.participates = true;
    if (!is_alone(machine)) {
        machine_forward(
            machine, out,
            &(struct election_message){.type = ELECTION_CANDIDATE,
                                       .subject = machine->stands ? machine->self : NOBODY});
    }
}

static void take_candidate(struct machine *machine, const struct election_message *message,
                           struct election_out *out)
{
    struct election_message next = *message;

    if (message->subject == machine->self) {
        machine->ring.participates = false;
        machine_define(machine, machine->self);
        machine_forward(
            machine, out,
            &(struct election_message){.type = ELECTION_ELECTED, .subject = machine->self});
        return;
    }
    const bool is_better = roster_better(machine->roster, message->subject, machine->self);
    if (machine->stands && !is_better) {
        /* Its own id, or a better one, is on its way already: passing on a worse one as well would
         * elect two. */
        if (machine->ring.participates) {
            return;
        }
        next.subject = machine->self;
    }
    machine->ring.participates = true;
    machine_forward(machine, out, &next);
}

static void take(struct machine *machine, const struct election_message *message,
                 struct election_out *out)
{
    if (message->type == ELECTION_CANDIDATE) {
        take_candidate(machine, message, out);
    } else if (message->type == ELECTION_ELECTED) {
        machine->ring.participates = false;
        if (message->subject != machine->self) {
            machine_define(machine, message->subject);
            machine_forward(machine, out, message);
        }
    }
}

static void timer(struct machine *machine, struct election_out *out)
{
    (void)machine;
    (void)out;
}

const struct election_algorithm algorithm_ring = {
    .name = "ring", .lets_resign = true, .start = start, .take = take, .timer = timer};
