#include "core/detection/numbers.h"

#include <string.h>

#include "core/detection/hearing.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"

static struct message *question(struct core *core, uint32_t position, uint64_t *nonce)
{
    struct message *message = outbox_message(core, MESSAGE_PING);

    if (message != NULL) {
        *nonce = random_u64(&core->random) | 1; /* 0 means that nothing was asked. */
        message->ping = (struct ping){
            .nonce = *nonce, .subject = core->peers[position].id, .origin = core->life.self.id};
    }
    return message;
}

/* The view may have it at a wrong address: somebody made that view up, and the member cannot say so
 * to one who takes nothing of it. */
static void ask_elsewhere(struct core *core, uint32_t position, const struct address *source)
{
    const struct peer *peer = &core->peers[position];

    if (!address_equal(source, &core->view.members[position].address)) {
        outbox_send_to(core,
                       question(core, position, &core->peers[position].number.nonce_elsewhere),
                       &peer->id, source);
    }
}

bool numbers_ask(struct core *core, uint32_t position)
{
    struct peer_number *number = &core->peers[position].number;

    if (number->asked_ms != 0 &&
        core->now_ms < number->asked_ms + timing_question_ms(&core->timing)) {
        return false;
    }
    struct message *message = question(core, position, &number->nonce);
    if (message == NULL) {
        return false;
    }
    REACHED(number_questioned);
    number->asked_ms = core->now_ms;
    outbox_send(core, message, position);
    return true;
}

/* D6c: has it come that far, or did somebody else say so? */
static void ask_about(struct core *core, const struct message *message, uint32_t position)
{
    if (numbers_ask(core, position) && !message->relay) {
        ask_elsewhere(core, position, &message->source);
    }
}

static bool answers(const struct core *core, const struct message *message, uint32_t position)
{
    const struct peer *peer = &core->peers[position];
    uint64_t nonce = message->ping.nonce;

    return message->type == MESSAGE_PONG && !message->relay &&
           id_equal(&message->ping.subject, &message->from) &&
           id_equal(&message->ping.origin, &core->life.self.id) &&
           ((peer->number.nonce != 0 && nonce == peer->number.nonce) ||
            (peer->number.nonce_elsewhere != 0 && nonce == peer->number.nonce_elsewhere) ||
            (peer->charge.verify_ms != NEVER_MS && nonce == peer->charge.nonce));
}

void numbers_proved(struct core *core, uint32_t position)
{
    core->peers[position].number.proved = true;
}

/* G1f: its lifeline may be on its way, so its first word only starts the time. */
static void want_proof(struct core *core, uint32_t position)
{
    struct peer_number *number = &core->peers[position].number;

    if (number->asked_ms == 0) {
        number->asked_ms = core->now_ms;
    } else {
        (void)numbers_ask(core, position);
    }
}

enum number numbers_take(struct core *core, const struct message *message, uint32_t position)
{
    struct peer_number *number = &core->peers[position].number;

    if (answers(core, message, position)) {
        number->proved |= message->ping.nonce != number->nonce_elsewhere;
        number->nonce = 0;
        number->nonce_elsewhere = 0;
        number->highest = message->number;
        return NUMBER_ANSWERS;
    }
    if (message->number <= number->highest) {
        if (!hearing_is_heard(core, position)) {
            ask_about(core, message, position);
        }
        return NUMBER_OLD;
    }
    if (message->number - number->highest > NUMBER_LEAP_MAX) {
        ask_about(core, message, position);
        return NUMBER_LEAPS;
    }
    number->highest = message->number;
    if (!number->proved) {
        want_proof(core, position);
    }
    return NUMBER_NEWER;
}

/* Whoever was not watched may have shown it to others. */
static enum proof proof_of(const struct core *core, const struct peer *peer)
{
    if (peer->number.proved) {
        return PROOF_GIVEN;
    }
    return peer->watch.edge || !core_has_rings(core) ? PROOF_LACKING : PROOF_UNKNOWN;
}

bool numbers_lack_proof(const struct core *core, const struct node_id *id)
{
    const struct gone *gone = view_find_gone(&core->view, id);
    uint32_t member = view_find(&core->view, id);

    return (gone != NULL && core->numbers.proofs[gone - core->view.gone] == PROOF_LACKING) ||
           (member != VIEW_NONE && !core_is_self(core, member) &&
            proof_of(core, &core->peers[member]) == PROOF_LACKING);
}

static void note_gone(struct core *core, uint32_t position, uint64_t number, enum proof proof)
{
    core->numbers.gone[position] = number;
    core->numbers.proofs[position] = (uint8_t)proof;
}

static void map_gone(struct core *core, const struct installed *before)
{
    const struct view *former = before->view;
    const struct numbers were = core->numbers;

    for (uint32_t i = 0; i < core->view.gone_count; i++) {
        const struct gone *gone = view_find_gone(former, &core->view.gone[i].id);
        uint32_t member = view_find(former, &core->view.gone[i].id);

        if (member != VIEW_NONE) {
            const struct peer *peer = &before->peers[member];
            note_gone(core, i, peer->number.highest, proof_of(core, peer));
        } else if (gone != NULL) {
            const ptrdiff_t at = gone - former->gone;
            note_gone(core, i, were.gone[at], were.proofs[at]);
        } else {
            note_gone(core, i, 0, PROOF_UNKNOWN);
        }
    }
}

/* No life has two addresses: one of the views was made up. */
static void note_address(struct core *core, uint32_t position, const struct address *former)
{
    if (!address_equal(former, &core->view.members[position].address)) {
        core->peers[position].number.proved = false;
    }
}

/* A life that was apart goes on where it was (D6b). */
static void take_back(struct core *core, uint32_t position, uint32_t gone)
{
    struct peer_number *number = &core->peers[position].number;

    number->highest = core->numbers.gone[gone];
    number->proved = core->numbers.proofs[gone] == PROOF_GIVEN;
}

void numbers_on_view_installed(struct core *core, const struct installed *before)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct node_id *id = &core->view.members[i].id;
        const struct gone *gone = view_find_gone(before->view, id);
        uint32_t former = view_find(before->view, id);

        if (former != VIEW_NONE) {
            note_address(core, i, &before->view->members[former].address);
        } else if (gone != NULL) {
            take_back(core, i, (uint32_t)(gone - before->view->gone));
            note_address(core, i, &gone->address);
        }
    }
    map_gone(core, before);
}
