/* The emergent leader: all hold the same view, so all read the same leader off it. */
#include "election/machine.h"

static void start(struct machine *machine, struct election_out *out)
{
    (void)out;
    machine_define(machine, roster_best(machine->roster));
}

static void take(struct machine *machine, const struct election_message *message,
                 struct election_out *out)
{
    (void)machine;
    (void)message;
    (void)out;
}

static void timer(struct machine *machine, struct election_out *out)
{
    (void)machine;
    (void)out;
}

const struct election_algorithm algorithm_oldest = {
    .name = "oldest", .decides_alone = true, .start = start, .take = take, .timer = timer};
