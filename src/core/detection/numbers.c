#include "core/detection/numbers.h"

#include <string.h>

#include "core/detection/hearing.h"
#include "core/detection/watch.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"
#include "core/state/strangers.h"

struct lease_asked numbers_lease_wanted(const struct core *core)
{
    const bool reigns = core_is_coordinator(core) && core->life.phase == PHASE_MEMBER &&
                        core->view.epoch > core->succession.handed_epoch;

    return (struct lease_asked){.lineage = reigns ? core->view.lineage : 0,
                                .epoch = reigns ? core->view.epoch : 0,
                                .lease_ms = reigns ? core->timing.lease_ms : 0,
                                .hold_ms = reigns ? timing_hold_ms(&core->timing) : 0};
}

void numbers_name_record(const struct core *core, uint32_t position, struct lease_asked *asked)
{
    const struct voter_lists *lists = &core->view.voters;
    const uint8_t place = voter_lists_find_name(lists, core->view.members[position].name);

    if (asked->epoch != 0 && place != VOTER_NONE) {
        asked->record = lists->voters[place].record;
        asked->writes = core_writes_known(core, &asked->record);
    }
}

/* Repeated as it is until it is answered, for an answer may take longer than the pause between two
 * questions. */
static struct message *question(struct core *core, uint32_t position, uint64_t *nonce)
{
    struct message *message = outbox_message(core, MESSAGE_PING);

    if (message != NULL) {
        *nonce = *nonce != 0 ? *nonce : random_u64(&core->random) | 1; /* 0: nothing was asked. */
        message->ping = (struct ping){
            .nonce = *nonce, .subject = core->peers[position].id, .origin = core->life.self.id};
    }
    return message;
}

/* The view may have it at a wrong address: somebody made that view up, and the member cannot say so
 * to one who takes nothing of it. The address may be that of a victim (V6a). */
static void ask_elsewhere(struct core *core, const struct message *message, uint32_t position)
{
    uint64_t *nonce = &core->peers[position].number.nonce_elsewhere;

    if (!message->relay &&
        !address_equal(&message->source, &core->view.members[position].address) &&
        strangers_take(core, message)) {
        outbox_send_to(core, question(core, position, nonce), &message->from, &message->source);
    }
}

bool numbers_ask(struct core *core, uint32_t position)
{
    struct peer_number *number = &core->peers[position].number;

    if (number->asked_ms != 0 &&
        core->now_ms < number->asked_ms + timing_ask_again_ms(&core->timing)) {
        return false;
    }
    struct message *message = question(core, position, &number->nonce);
    if (message == NULL) {
        return false;
    }
    /* Z6b: a coordinator asks for the lease with it, should that one vote. */
    message->ping.asked = numbers_lease_wanted(core);
    numbers_name_record(core, position, &message->ping.asked);
    REACHED(number_questioned);
    number->asked_ms = core->now_ms;
    outbox_send(core, message, position);
    return true;
}

void numbers_ask_anew(struct core *core)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        struct peer_number *number = &core->peers[i].number;
        number->asked_ms = 0;
        number->nonce = 0;
        number->nonce_elsewhere = 0;
        number->answered = 0;
    }
}

bool numbers_is_unanswered(const struct core *core, uint32_t position)
{
    return core->peers[position].number.nonce != 0;
}

/* D6c: has it come that far, or did somebody else say so? */
static void ask_about(struct core *core, const struct message *message, uint32_t position)
{
    if (numbers_ask(core, position)) {
        ask_elsewhere(core, message, position);
    }
}

static bool is_answer(const struct core *core, const struct message *message)
{
    return message->type == MESSAGE_PONG && !message->relay &&
           id_equal(&message->ping.subject, &message->from) &&
           id_equal(&message->ping.origin, &core->life.self.id);
}

static bool number_leaps(const struct peer_number *number, const struct message *message)
{
    return message->number > number->highest && message->number - number->highest > NUMBER_LEAP_MAX;
}

static bool is_nonce(uint64_t nonce, const struct message *answer)
{
    return nonce != 0 && answer->ping.nonce == nonce;
}

/* D6e: each T_heartbeat, what came until then is settled: a heartbeat with such a number comes too
 * late. Only an answer (D6d) lowers a number again. */
static void take(struct core *core, struct peer_number *number, const struct message *message)
{
    if (core->now_ms >= number->settled_ms + core->timing.heartbeat_ms) {
        number->settled = number->highest;
        number->settled_ms = core->now_ms;
    }
    number->highest = message->number;
    if (message->type == MESSAGE_HEARTBEAT || number->settled > number->highest) {
        number->settled = number->highest;
    }
    number->question = earlier(number->question, number->highest);
}

bool numbers_takes_question(struct core *core, const struct message *ping, uint32_t position)
{
    struct peer_number *number = &core->peers[position].number;

    if (ping->number <= number->question || ping->number > number->highest) {
        return false;
    }
    number->question = ping->number;
    return true;
}

/* D6e: other messages overtook it lately, but no heartbeat, which would say the same anew. */
static bool is_last_heartbeat(const struct core *core, const struct peer_number *number,
                              const struct message *message)
{
    return message->type == MESSAGE_HEARTBEAT && message->number > number->settled &&
           core->now_ms < number->settled_ms + 2 * core->timing.heartbeat_ms;
}

/* D6d. Helpers know the nonce of a verification (R1), so that one shows no address. Whoever is at
 * another address may be anybody, and raises the number no further than with any message. */
static bool take_answer(struct core *core, const struct message *message, uint32_t position)
{
    struct peer_number *number = &core->peers[position].number;
    const struct peer_charge *charge = &core->peers[position].charge;

    if (is_nonce(number->nonce, message)) {
        number->proof = PROOF_GIVEN;
        number->answered = number->nonce;
        number->nonce = 0;
    } else if (is_nonce(number->answered, message) && message->number > number->highest &&
               !number_leaps(number, message)) {
        /* The question was put again before this came: the answer to that is as good. */
    } else if (is_nonce(number->nonce_elsewhere, message) && !number_leaps(number, message)) {
        number->nonce_elsewhere = 0;
    } else if (charge->verify.until_ms == NEVER_MS || message->ping.nonce != charge->nonce) {
        return false;
    }
    take(core, number, message);
    return true;
}

bool numbers_is_of_own_question(const struct core *core, const struct message *answer,
                                uint32_t position)
{
    return core->peers[position].number.answered == answer->ping.nonce;
}

void numbers_proved(struct core *core, uint32_t position)
{
    core->peers[position].number.proof = PROOF_GIVEN;
}

/* G1e: its lifeline may still be connecting, so its first message starts the time, and only a later
 * one asks. */
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

    if (is_answer(core, message) && take_answer(core, message, position)) {
        return NUMBER_ANSWERS;
    }
    if (message->number <= number->highest) {
        if (!hearing_is_heard(core, position) || message->type == MESSAGE_WISH) {
            ask_about(core, message, position);
        } else if (is_last_heartbeat(core, number, message)) {
            number->settled = message->number;
            return NUMBER_OVERTAKEN;
        }
        return NUMBER_OLD;
    }
    if (number_leaps(number, message)) {
        ask_about(core, message, position);
        return NUMBER_LEAPS;
    }
    take(core, number, message);
    if (number->proof != PROOF_GIVEN) {
        want_proof(core, position);
    }
    return NUMBER_NEWER;
}

static bool is_lacking(enum proof proof)
{
    return proof == PROOF_LACKING || proof == PROOF_UNNAMED;
}

bool numbers_lack_proof(const struct core *core, const struct node_id *id)
{
    const struct gone *gone = view_find_gone(&core->view, id);
    uint32_t member = view_find(&core->view, id);

    return (gone != NULL && is_lacking(core->numbers.proofs[gone - core->view.gone])) ||
           (member != VIEW_NONE && !core_is_self(core, member) &&
            is_lacking(core->peers[member].number.proof));
}

static void note_gone(struct core *core, uint32_t position, uint64_t number, enum proof proof)
{
    core->numbers.gone[position] = number;
    core->numbers.proofs[position] = (uint8_t)proof;
}

/* G1g: others may know of whom this node learns from a view, if it is its coordinator's. */
static enum proof proof_of_others(struct core *core, const struct installed *before)
{
    if (view_is_empty(before->view) || core_is_coordinator(core)) {
        return PROOF_UNKNOWN;
    }
    core->numbers.any_unnamed = true;
    return PROOF_UNNAMED;
}

static void map_gone(struct core *core, const struct installed *before)
{
    const struct view *former = before->view;
    const struct numbers were = core->numbers;

    for (uint32_t i = 0; i < core->view.gone_count; i++) {
        const struct gone *gone = view_find_gone(former, &core->view.gone[i].id);
        uint32_t member = view_find(former, &core->view.gone[i].id);

        if (member != VIEW_NONE) {
            const struct peer_number *number = &before->peers[member].number;
            note_gone(core, i, number->highest, number->proof);
        } else if (gone != NULL) {
            const ptrdiff_t at = gone - former->gone;
            note_gone(core, i, were.gone[at], were.proofs[at]);
        } else {
            note_gone(core, i, 0, proof_of_others(core, before));
        }
    }
}

/* No life has two addresses: one of the views was made up. */
static void note_address(struct core *core, uint32_t position, const struct address *former)
{
    if (!address_equal(former, &core->view.members[position].address)) {
        core->peers[position].number.proof = PROOF_LACKING;
    }
}

/* A life that was apart goes on where it was (D6b). */
static void take_back(struct core *core, uint32_t position, uint32_t gone)
{
    struct peer_number *number = &core->peers[position].number;

    number->highest = core->numbers.gone[gone];
    number->proof = core->numbers.proofs[gone];
}

void numbers_start(struct core *core)
{
    core->numbers.any_unnamed = false; /* Behind CORE_CLEARED. */
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
        } else if (!core_is_self(core, i) && watch_is_edge(core, i)) {
            core->peers[i].number.proof = PROOF_LACKING; /* Others may know, where they watch it. */
        } else if (!core_is_self(core, i)) {
            core->peers[i].number.proof = proof_of_others(core, before);
        }
    }
    map_gone(core, before);
}

void numbers_on_named(struct core *core, uint32_t position)
{
    if (position != 0 || !core->numbers.any_unnamed) {
        return;
    }
    core->numbers.any_unnamed = false;
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        enum proof *proof = &core->peers[i].number.proof;
        *proof = *proof == PROOF_UNNAMED ? PROOF_UNKNOWN : *proof;
    }
    for (uint32_t i = 0; i < core->view.gone_count; i++) {
        uint8_t *proof = &core->numbers.proofs[i];
        *proof = *proof == PROOF_UNNAMED ? PROOF_UNKNOWN : *proof;
    }
}
