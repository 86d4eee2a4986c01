#include "core/agreement/electorate.h"

#include "core/detection/route.h"
#include "core/state/outbox.h"

void electorate_start(struct core *core)
{
    core->electorate.own = voters_find(&core->terms.voters, core->life.self.name);
}

void electorate_learn(struct core *core, const struct member *node)
{
    uint8_t voter = voters_find(&core->terms.voters, node->name);

    if (voter != VOTER_NONE) {
        core->electorate.addresses[voter] = node->address;
        core->electorate.lives[voter] = node->id;
    }
}

/* A member's address is certain, and counts more than where its former life was. */
void electorate_on_view_installed(struct core *core)
{
    for (uint8_t voter = 0; voter < core->terms.voters.count; voter++) {
        uint32_t position = view_find_name(&core->view, core->terms.voters.names[voter]);
        if (position != VIEW_NONE) {
            electorate_learn(core, &core->view.members[position]);
        }
    }
}

bool electorate_knows(const struct core *core, const struct message *vote)
{
    uint8_t voter = vote->carrier.vote.voter;

    if (voter >= core->terms.voters.count) {
        return false;
    }
    uint32_t position = view_find(&core->view, &vote->from);
    return position == VIEW_NONE ||
           voters_find(&core->terms.voters, core->view.members[position].name) == voter;
}

void electorate_ask_one(struct core *core, const struct message *message, uint8_t voter)
{
    uint32_t position = view_find_name(&core->view, core->terms.voters.names[voter]);

    if (position != VIEW_NONE) {
        route_send(core, message, position);
    } else {
        outbox_send_to(core, message, NULL, &core->electorate.addresses[voter]);
    }
}

void electorate_ask(struct core *core, const struct message *message, const struct tally *tally)
{
    for (uint8_t voter = 0; voter < core->terms.voters.count; voter++) {
        if (voter != core->electorate.own && tally->answers[voter] != ANSWER_YES) {
            electorate_ask_one(core, message, voter);
        }
    }
}

static uint32_t granted(const struct core *core, const struct tally *tally)
{
    uint32_t count = 0;

    for (uint8_t voter = 0; voter < core->terms.voters.count; voter++) {
        count += tally->answers[voter] == ANSWER_YES;
    }
    return count;
}

bool electorate_agrees(const struct core *core, const struct tally *tally)
{
    return quorum_is_majority(granted(core, tally), core->terms.voters.count);
}

bool electorate_is_unanimous(const struct core *core, const struct tally *tally)
{
    return granted(core, tally) == core->terms.voters.count;
}
