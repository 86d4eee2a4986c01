#include "core/detection/numbers.h"

#include <string.h>

#include "core/detection/hearing.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"

/* D6c: has it come that far, or did somebody else say so? */
void numbers_ask(struct core *core, uint32_t position)
{
    struct peer_number *number = &core->peers[position].number;

    if (number->asked_ms != 0 &&
        core->now_ms < number->asked_ms + timing_question_ms(&core->timing)) {
        return;
    }
    struct message *message = outbox_message(core, MESSAGE_PING);
    if (message == NULL) {
        return;
    }
    REACHED(number_questioned);
    number->asked_ms = core->now_ms;
    number->nonce = random_u64(&core->random) | 1; /* 0 means that nothing was asked. */
    message->ping = (struct ping){
        .nonce = number->nonce, .subject = core->peers[position].id, .origin = core->life.self.id};
    outbox_send(core, message, position);
}

static bool answers(const struct core *core, const struct message *message, uint32_t position)
{
    const struct peer *peer = &core->peers[position];
    uint64_t nonce = message->ping.nonce;

    return message->type == MESSAGE_PONG && !message->relay &&
           id_equal(&message->ping.subject, &message->from) &&
           id_equal(&message->ping.origin, &core->life.self.id) &&
           ((peer->number.nonce != 0 && nonce == peer->number.nonce) ||
            (peer->charge.verify_ms != NEVER_MS && nonce == peer->charge.nonce));
}

/* G1f. What was relayed comes from the relay. */
static void note_source(struct core *core, const struct message *message, uint32_t position)
{
    struct peer_number *number = &core->peers[position].number;

    if (number->at_home || message->relay) {
        return;
    }
    if (address_equal(&message->source, &core->view.members[position].address)) {
        number->at_home = true;
    } else {
        number->elsewhere = true;
    }
}

void numbers_on_lifeline(struct core *core, uint32_t position)
{
    core->peers[position].number.at_home = true;
}

enum number numbers_take(struct core *core, const struct message *message, uint32_t position)
{
    struct peer_number *number = &core->peers[position].number;

    if (answers(core, message, position)) {
        number->nonce = 0;
        number->highest = message->number;
        note_source(core, message, position);
        return NUMBER_ANSWERS;
    }
    if (message->number <= number->highest) {
        if (!hearing_is_heard(core, position)) {
            numbers_ask(core, position);
        }
        return NUMBER_OLD;
    }
    if (message->number - number->highest > NUMBER_LEAP_MAX) {
        numbers_ask(core, position);
        return NUMBER_LEAPS;
    }
    number->highest = message->number;
    note_source(core, message, position);
    return NUMBER_NEWER;
}

/* G1f: nothing came of it, or none of it from where the view has it. */
static bool is_unheard(const struct peer_number *number)
{
    return number->highest == 0 || (number->elsewhere && !number->at_home);
}

bool numbers_none_of(const struct core *core, const struct node_id *id)
{
    const struct gone *gone = view_find_gone(&core->view, id);
    uint32_t member = view_find(&core->view, id);

    return (gone != NULL && core->numbers.unheard[gone - core->view.gone]) ||
           (member != VIEW_NONE && !core_is_self(core, member) &&
            is_unheard(&core->peers[member].number));
}

/* Of each of the gone, its last. */
static void map_gone(struct core *core, const struct installed *before)
{
    const struct view *former = before->view;
    uint64_t numbers[GONE_MAX];
    bool unheard[GONE_MAX];

    memcpy(numbers, core->numbers.gone, former->gone_count * sizeof numbers[0]);
    memcpy(unheard, core->numbers.unheard, former->gone_count * sizeof unheard[0]);
    for (uint32_t i = 0; i < core->view.gone_count; i++) {
        const struct gone *gone = view_find_gone(former, &core->view.gone[i].id);
        uint32_t member = view_find(former, &core->view.gone[i].id);

        core->numbers.gone[i] = gone != NULL ? numbers[gone - former->gone] : 0;
        core->numbers.unheard[i] = gone != NULL && unheard[gone - former->gone];
        if (member != VIEW_NONE) {
            core->numbers.gone[i] = before->peers[member].number.highest;
            core->numbers.unheard[i] = is_unheard(&before->peers[member].number);
        }
    }
}

/* No life has two addresses: one of the views was made up. */
static void note_address(struct core *core, uint32_t position, const struct member *former)
{
    struct peer_number *number = &core->peers[position].number;

    if (!address_equal(&former->address, &core->view.members[position].address)) {
        number->at_home = false;
        number->elsewhere = true;
    }
}

void numbers_on_view_installed(struct core *core, const struct installed *before)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct node_id *id = &core->view.members[i].id;
        const struct gone *gone = view_find_gone(before->view, id);
        uint32_t former = view_find(before->view, id);

        if (former != VIEW_NONE) {
            note_address(core, i, &before->view->members[former]);
        } else if (gone != NULL) {
            /* A life that was apart goes on where it was (D6b), also as one unheard at its address
             * (G1f). */
            uint32_t at = (uint32_t)(gone - before->view->gone);
            core->peers[i].number.highest = core->numbers.gone[at];
            core->peers[i].number.elsewhere = core->numbers.gone[at] != 0 &&
                                              core->numbers.unheard[at];
        }
    }
    map_gone(core, before);
}
