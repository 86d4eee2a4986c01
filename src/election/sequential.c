/* Ephemeral sequential candidates, as with ZooKeeper: a registry keeps them in order, and tells
 * each when the one before it goes. In the herd variant all watch the leader, and all ask when it
 * goes. */
#include "election/machine.h"

static void start(struct machine *machine, struct election_out *out)
{
    machine_send(machine, out, ELECTION_ASK, NOBODY);
}

static void take(struct machine *machine, const struct election_message *message,
                 struct election_out *out)
{
    if (message->from != NOBODY) {
        return;
    }
    if (message->type == ELECTION_NEXT || message->type == ELECTION_ANSWER) {
        machine_define(machine, message->subject);
    } else if (message->type == ELECTION_GONE) {
        start(machine, out);
    }
}

static void timer(struct machine *machine, struct election_out *out)
{
    (void)machine;
    (void)out;
}

const struct election_algorithm algorithm_sequential = {
    .name = "sequential", .asks_registry = true, .start = start, .take = take, .timer = timer};

const struct election_algorithm algorithm_sequential_herd = {
    .name = "sequential-herd", .asks_registry = true, .start = start, .take = take, .timer = timer};
