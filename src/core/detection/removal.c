#include "core/detection/removal.h"

#include <string.h>

#include "core/detection/detector.h"
#include "core/detection/doubts.h"
#include "core/detection/follow.h"
#include "core/detection/hearing.h"
#include "core/detection/numbers.h"
#include "core/detection/signs.h"
#include "core/detection/verdict.h"
#include "core/detection/watch.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"
#include "core/state/refuse.h"

enum {
    QUESTION_MESSAGES = 2, /* a PING to the suspect, and one to its helpers */
    QUESTIONS_PUT = 4,     /* within T_verify */
    COUNTED_FROM = 3, /* suspects judged at once: of fewer the accusers are not counted before */
};

uint32_t removal_accusers(const struct core *core, uint32_t position, uint64_t now_ms)
{
    uint64_t age = core->view.members[position].age;
    uint32_t count = 0;

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        count += i != position && !core_is_self(core, i) && hearing_accuses(core, i, age, now_ms);
    }
    return count;
}

/* Counts one accuser for each whom that member accuses, by the rules of removal_accusers. */
static void count_accused(struct core *core, uint32_t accuser)
{
    const struct suspicion *doubts = core->doubts[accuser].list;

    for (uint8_t k = 0; k < core->peers[accuser].signs.suspect_count; k++) {
        uint32_t accused = doubts[k].verdict != VERDICT_NONE
                               ? view_find_age(&core->view, doubts[k].age)
                               : VIEW_NONE;
        for (uint8_t j = 0; j < k && accused != VIEW_NONE; j++) {
            bool again = doubts[j].age == doubts[k].age && doubts[j].verdict != VERDICT_NONE;
            accused = again ? VIEW_NONE : accused;
        }
        if (accused != VIEW_NONE && accused != accuser) {
            core->removal.accusers[accused]++;
        }
    }
}

static bool are_many_suspected(const struct core *core)
{
    uint32_t suspects = 0;

    for (uint32_t i = 0; i < core->view.member_count && suspects < COUNTED_FROM; i++) {
        suspects += core->peers[i].charge.verdict != VERDICT_NONE;
    }
    return suspects >= COUNTED_FROM;
}

/* What follows judges all suspects, until end_judging. How often a member is accused is then found
 * out in one walk over what all of them said, and not in one for each accuser of each suspect: half
 * of thousands may be lost at once. */
static void begin_judging(struct core *core)
{
    if (!are_many_suspected(core)) {
        return;
    }
    memset(core->removal.accusers, 0, core->view.member_count * sizeof core->removal.accusers[0]);
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        if (!core_is_self(core, i) && hearing_is_accuser(core, i, core->now_ms)) {
            count_accused(core, i);
        }
    }
    core->removal.counted = true;
}

static void end_judging(struct core *core)
{
    core->removal.counted = false;
}

static uint32_t accusers_now(const struct core *core, uint32_t position)
{
    return core->removal.counted ? core->removal.accusers[position]
                                 : removal_accusers(core, position, core->now_ms);
}

/* Can this member see the suspect at all, in this node's eyes? */
static bool is_witness(const struct core *core, uint32_t position, uint32_t suspect)
{
    return position != suspect && !core_is_self(core, position) &&
           core->peers[position].charge.verdict == VERDICT_NONE;
}

static uint32_t witness_count(const struct core *core, uint32_t suspect)
{
    struct observers observers;
    uint32_t count = 0;

    watch_observers(core, suspect, &observers);
    for (uint32_t k = 0; k < observers.count; k++) {
        const uint32_t i = watch_observer(&observers, k);
        count += is_witness(core, i, suspect) && watch_sees(core, i, suspect) &&
                 !core->peers[i].signs.late; /* It accuses nobody. */
    }
    return count;
}

/* An accuser that was late itself, or that most others suspect, does not count. */
static bool is_believable(const struct core *core, uint32_t accuser, uint32_t witnesses)
{
    return !core->peers[accuser].signs.late && 2 * accusers_now(core, accuser) <= witnesses;
}

static bool counts_against(const struct core *core, uint32_t accuser, uint32_t suspect,
                           uint32_t witnesses)
{
    return is_witness(core, accuser, suspect) &&
           hearing_accuses(core, accuser, core->view.members[suspect].age, core->now_ms) &&
           is_believable(core, accuser, witnesses);
}

/* Those who see it are looked at first: mostly it is one of them. */
bool removal_is_backed(const struct core *core, uint32_t position)
{
    if (core->peers[position].charge.verdict == VERDICT_NONE) {
        return false; /* All watch all: this node's own evidence is always part of it. */
    }
    uint32_t witnesses = witness_count(core, position);
    struct observers observers;

    if (core->removal.counted && core->removal.accusers[position] == 0) {
        return witnesses == 0;
    }
    watch_observers(core, position, &observers);
    for (uint32_t k = 0; k < observers.count; k++) {
        if (counts_against(core, watch_observer(&observers, k), position, witnesses)) {
            return true;
        }
    }
    for (uint32_t i = 0; !observers.everybody && i < core->view.member_count; i++) {
        if (counts_against(core, i, position, witnesses)) {
            return true;
        }
    }
    return witnesses == 0;
}

bool removal_may_be_accused(const struct core *core, uint32_t position)
{
    return !numbers_lack_proof(core, &core->view.members[position].id);
}

struct gone removal_evidence(const struct core *core, uint32_t position)
{
    const struct peer *peer = &core->peers[position];
    uint64_t silent_ms = core->now_ms - peer->signs.silent_from_ms;
    struct gone gone = {.reason = GONE_FAILED,
                        .verdict = peer->charge.verdict,
                        .silent_ms = silent_ms < UINT32_MAX ? (uint32_t)silent_ms : UINT32_MAX};

    if (peer->charge.leaves) {
        gone.reason = GONE_LEFT;
    } else if (peer->charge.verdict == VERDICT_NONE && follow_has_moved(core, position)) {
        gone.reason = GONE_MOVED;
    } else if (peer->charge.verdict == VERDICT_NONE && follow_is_behind(core, position)) {
        gone.reason = GONE_BEHIND;
    }
    if (!removal_may_be_accused(core, position)) {
        return gone;
    }
    for (uint32_t i = 0; i < core->view.member_count && gone.accuser_count < ACCUSERS_MAX; i++) {
        bool own = core_is_self(core, i) && peer->charge.verdict != VERDICT_NONE;
        if (own || (i != position && !core_is_self(core, i) &&
                    hearing_accuses(core, i, core->view.members[position].age, core->now_ms))) {
            gone.accusers[gone.accuser_count++] = core->view.members[i].age;
        }
    }
    return gone;
}

static struct message *make_ping(struct core *core, enum message_type type,
                                 const struct ping *content)
{
    struct message *message = outbox_message(core, type);

    if (message != NULL) {
        message->ping = *content;
    }
    return message;
}

static void look_again(struct core *core, uint64_t when_ms)
{
    core->removal.verify_ms = earlier(core->removal.verify_ms, when_ms);
}

/* How likely an answer by way of this helper is: 0 is best. */
static int rank_of(const struct core *core, uint32_t helper, uint32_t suspect)
{
    bool near = hearing_of(core, core->position, helper, core->now_ms) == HEARING_YES;

    if (near && hearing_of(core, helper, suspect, core->now_ms) == HEARING_YES) {
        return 0;
    }
    bool sees = watch_sees(core, helper, suspect);
    return !sees || hearing_accuses(core, helper, core->view.members[suspect].age, core->now_ms)
               ? 2
               : 1;
}

/* R1: asks the suspect directly and through members that this node does not suspect. */
static void ask_about(struct core *core, uint32_t position)
{
    const struct member *suspect = &core->view.members[position];
    struct ping question = {.nonce = core->peers[position].charge.nonce,
                            .subject = suspect->id,
                            .origin = core->life.self.id};
    uint32_t helpers = 0;

    outbox_send(core, make_ping(core, MESSAGE_PING, &question), position);
    struct message *request = make_ping(core, MESSAGE_PING, &question);
    /* Those whom we hear and who say that they hear it, then those who do not accuse it, then the
     * rest: a helper that is itself silent for us answers nothing. */
    for (int round = 0; round <= 2; round++) {
        for (uint32_t i = 0; i < core->view.member_count && helpers < HELPERS_MAX; i++) {
            if (is_witness(core, i, position) && rank_of(core, i, position) == round) {
                outbox_send(core, request, i);
                helpers++;
            }
        }
    }
}

/* R3: longer where all who can see it are slow (D4), for so is their word: two turns of theirs. */
static uint64_t verification_ms(const struct core *core, uint32_t suspect)
{
    uint32_t slow = 0;

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        slow += is_witness(core, i, suspect) && core->peers[i].signs.late;
    }
    bool all_slow = slow > 0 && witness_count(core, suspect) == 0;
    return core->timing.verify_ms + (all_slow ? 2 * timing_turn_ms(&core->timing) : 0);
}

static void verify(struct core *core, uint32_t position, uint64_t patience_ms)
{
    const uint64_t again_ms = core->now_ms + patience_ms / QUESTIONS_PUT;

    verdict_verify(core, position, random_u64(&core->random), again_ms, core->now_ms + patience_ms);
    look_again(core, again_ms);
    ask_about(core, position);
}

/* Nobody is given up for whom there was no room to ask. */
static void verify_in_turn(struct core *core, uint32_t position, uint64_t patience_ms)
{
    if (outbox_has_room(core, QUESTION_MESSAGES)) {
        verify(core, position, patience_ms);
    } else {
        look_again(core, core->now_ms + 1);
    }
}

/* R2: does a witness, whom we hear, say by a heartbeat that it hears the suspect? Only one that
 * came when it had had the time to notice the silence counts. */
static bool is_heard_by_others(const struct core *core, uint32_t suspect)
{
    uint64_t noticed_ms = core->peers[suspect].signs.silent_from_ms + core->timing.silent_ms;
    struct observers observers;

    watch_observers(core, suspect, &observers); /* Of others it is not known. */
    for (uint32_t k = 0; k < observers.count; k++) {
        const uint32_t i = watch_observer(&observers, k);
        if (is_witness(core, i, suspect) && !core->peers[i].signs.late &&
            hearing_is_fresh(core, i) && core->peers[i].signs.suspects_ms >= noticed_ms &&
            hearing_of(core, i, suspect, core->now_ms) == HEARING_YES) {
            return true;
        }
    }
    return false;
}

static bool is_vouched_for(const struct core *core, uint32_t position)
{
    uint64_t vouched_ms = core->peers[position].signs.vouched_ms;

    return vouched_ms != 0 && core->now_ms < vouched_ms + core->timing.fresh_ms;
}

bool removal_is_unwarranted(const struct core *core, uint32_t position)
{
    return core->peers[position].charge.verdict != VERDICT_DEAD &&
           (is_vouched_for(core, position) || is_heard_by_others(core, position));
}

/* D2h: the questions of R1 are put before the silence is a verdict. */
static void inquire(struct core *core, uint32_t position)
{
    const struct peer *peer = &core->peers[position];

    if (watch_is_on(core, position) && peer->charge.verdict == VERDICT_NONE &&
        peer->charge.verify.until_ms == NEVER_MS &&
        peer->charge.asked_ms <= peer->signs.silent_from_ms && !is_vouched_for(core, position) &&
        core->now_ms >= peer->signs.silent_from_ms + timing_inquiry_ms(&core->timing)) {
        verify_in_turn(core, position, verification_ms(core, position));
    }
}

/* D2h: R1 has been gone through since the last sign of it, and began not long ago: what a witness
 * said meanwhile has not grown old by then (R2a), but was taken back, if it said anything. */
static bool was_asked_in_vain(const struct core *core, uint32_t position)
{
    const struct peer_charge *charge = &core->peers[position].charge;

    return charge->verify.until_ms == NEVER_MS &&
           charge->asked_ms > core->peers[position].signs.silent_from_ms &&
           core->now_ms < charge->asked_ms + core->timing.lost_ms;
}

/* Of those whom this node hears, is there somebody else who keeps up, or nobody else at all? */
static bool others_keep_up(const struct core *core, uint32_t position)
{
    bool any = false;

    for (uint32_t i = 1; i < core->view.member_count; i++) {
        if (i == position || core->peers[i].charge.verdict != VERDICT_NONE ||
            follow_has_moved(core, i) || !watch_is_on(core, i)) {
            continue;
        }
        if (!follow_is_behind(core, i)) {
            return true;
        }
        any = true;
    }
    return !any;
}

/* L5b: by its own word, for T_stall. Where all are behind it is this coordinator that is alone with
 * what it made (L3a). */
static bool is_left_behind(const struct core *core, uint32_t position)
{
    return follow_was_left_behind(core, position) && others_keep_up(core, position);
}

/* Returns whether it is found out just now that the member is to go. */
static bool review_one(struct core *core, uint32_t position)
{
    const struct peer *peer = &core->peers[position];
    bool proven = peer->charge.verdict == VERDICT_DEAD; /* D3a: no answer can come. */

    if (peer->charge.confirmed) {
        return false;
    }
    if (follow_has_moved(core, position) || is_left_behind(core, position)) {
        return true;
    }
    if (!removal_is_backed(core, position)) {
        inquire(core, position);
        return false;
    }
    if (proven) {
        return true;
    }
    uint64_t not_lost_ms = hearing_not_lost_until_ms(core, position);
    if (is_heard_by_others(core, position)) {
        REACHED(suspect_heard_by_others); /* Until its next heartbeat says otherwise. */
    } else if (is_vouched_for(core, position)) {
        REACHED(suspect_vouched_for);
        look_again(core, peer->signs.vouched_ms + core->timing.fresh_ms);
    } else if (not_lost_ms != 0) {
        REACHED(suspect_not_lost_to_others);
        look_again(core, not_lost_ms);
    } else if (was_asked_in_vain(core, position)) {
        return true;
    } else if (peer->charge.verify.until_ms == NEVER_MS) {
        verify_in_turn(core, position, verification_ms(core, position));
    }
    return false;
}

bool removal_is_anybody_silent(const struct core *core)
{
    for (uint32_t k = 0; k < watch_count(core); k++) {
        const uint32_t i = watch_at(core, k);
        const struct peer_charge *charge = &core->peers[i].charge;
        if (!core_is_self(core, i) && !charge->confirmed && !charge->leaves &&
            !hearing_is_heard(core, i)) {
            return true;
        }
    }
    return false;
}

static enum found found_of(enum verdict verdict)
{
    if (verdict == VERDICT_DEAD) {
        return FOUND_DEAD;
    }
    return verdict == VERDICT_NONE ? FOUND_MOVED : FOUND_SILENT;
}

/* Notes that the member at `position` is to go, too. */
static void note_found(const struct core *core, uint32_t position, enum found *found)
{
    const enum found one = found_of(core->peers[position].charge.verdict);

    *found = one > *found ? one : *found;
}

enum found removal_review(struct core *core)
{
    enum found found = FOUND_NOBODY;

    if (!core_is_coordinator(core) || core->now_ms < core->detector.late_until_ms) {
        return FOUND_NOBODY;
    }
    begin_judging(core);
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        if (core_is_self(core, i) || !review_one(core, i)) {
            continue;
        }
        verdict_confirm(core, i);
        note_found(core, i, &found);
    }
    end_judging(core);
    return found;
}

void removal_reconsider(struct core *core)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct peer_charge *charge = &core->peers[i].charge;
        bool proven = charge->verdict == VERDICT_DEAD;
        if (charge->confirmed && charge->verdict != VERDICT_NONE && !proven &&
            is_heard_by_others(core, i)) {
            REACHED(removal_reconsidered);
            verdict_take_back(core, i);
        }
    }
}

void removal_on_ping(struct core *core, const struct message *message,
                     const struct lease_said *said)
{
    struct ping answer = {.nonce = message->ping.nonce,
                          .subject = core->life.self.id,
                          .origin = message->ping.origin,
                          .said = *said};
    uint32_t position = view_find(&core->view, &message->from);

    if (position != VIEW_NONE) {
        outbox_send(core, make_ping(core, MESSAGE_PONG, &answer), position);
    } else if (!refuse_beyond_few(core, message)) {
        outbox_send_to(core, make_ping(core, MESSAGE_PONG, &answer), &message->from,
                       &message->source);
    }
}

void removal_on_request(struct core *core, const struct message *message)
{
    uint32_t position = view_find(&core->view, &message->ping.subject);

    if (!view_has(&core->view, &message->from)) {
        refuse(core, message, REFUSED_OF_STRANGER);
        return;
    }
    if (position == VIEW_NONE) {
        refuse(core, message, REFUSED_ABOUT_STRANGER);
        return;
    }
    outbox_send(core, make_ping(core, MESSAGE_PING, &message->ping), position);
    uint32_t asker = view_find(&core->view, &message->from);
    if (watch_sees(core, core->position, position)) {
        doubts_look_closely(core, position);
        if (core->peers[position].charge.verdict == VERDICT_NONE) {
            detector_say(core, asker); /* D2h: what it holds counts now. */
        }
    }
}

/* An answer for the member that asked this helper. Handed on only by the one who heard the subject
 * itself, so it goes no further; and only if that lives with us: what went over to another part has
 * no place to keep here (L2). */
static void hand_answer_on(struct core *core, const struct message *message, uint32_t subject)
{
    const struct ping *pong = &message->ping;
    uint32_t origin = view_find(&core->view, &pong->origin);

    if (!id_equal(&message->from, &pong->subject)) {
        refuse(core, message, REFUSED_PONG_SECOND_HAND);
    } else if (origin == VIEW_NONE || subject == VIEW_NONE) {
        refuse(core, message, REFUSED_ABOUT_STRANGER);
    } else if (!message->fellow) {
        refuse(core, message, REFUSED_PONG_NOT_FELLOW);
    } else if (follow_has_moved(core, subject)) {
        refuse(core, message, REFUSED_PONG_OF_MOVED);
    } else {
        outbox_send(core, make_ping(core, MESSAGE_PONG, pong), origin);
    }
}

/* Of the suspect itself. That it was heard is known already, and was what R1 asked for. */
static void on_own_answer(struct core *core, const struct message *message, uint32_t subject)
{
    bool verifies = message->ping.nonce == core->peers[subject].charge.nonce;

    if (!message->fellow) {
        refuse(core, message, REFUSED_PONG_NOT_FELLOW);
    } else if (!verifies) {
        refuse(core, message, REFUSED_PONG_UNASKED);
    }
}

void removal_on_pong(struct core *core, const struct message *message)
{
    const struct ping *pong = &message->ping;
    uint32_t subject = view_find(&core->view, &pong->subject);

    if (!id_equal(&pong->origin, &core->life.self.id)) {
        hand_answer_on(core, message, subject);
        return;
    }
    if (subject == VIEW_NONE) {
        refuse(core, message, REFUSED_ABOUT_STRANGER);
        return;
    }
    if (id_equal(&message->from, &pong->subject)) {
        on_own_answer(core, message, subject);
        return;
    }
    const struct peer_charge *charge = &core->peers[subject].charge;
    if (!message->fellow) {
        refuse(core, message, REFUSED_PONG_NOT_FELLOW);
        return;
    }
    if (charge->verify.until_ms == NEVER_MS || pong->nonce != charge->nonce) {
        refuse(core, message, REFUSED_PONG_UNASKED); /* Never asked, or long ago (H15). */
        return;
    }
    detector_vouch(core, subject);
    verdict_answered(core, subject);
}

/* Returns whether the member is to go. */
static bool end_verification(struct core *core, uint32_t position)
{
    verdict_end_verification(core, position);
    if (core_is_coordinator(core) && removal_is_backed(core, position) &&
        !is_heard_by_others(core, position) && hearing_not_lost_until_ms(core, position) == 0) {
        verdict_confirm(core, position);
        return true;
    }
    return false;
}

enum found removal_tick(struct core *core)
{
    enum found found = FOUND_NOBODY;

    if (core->now_ms < core->removal.verify_ms) {
        return FOUND_NOBODY;
    }
    core->removal.verify_ms = NEVER_MS;
    verdict_evidence_changed(core);
    begin_judging(core);
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct peer_charge *charge = &core->peers[i].charge;
        if (charge->verify.until_ms == NEVER_MS) {
            continue;
        }
        if (asking_is_over(&charge->verify, core->now_ms)) {
            if (end_verification(core, i)) {
                note_found(core, i, &found);
            }
        } else if (asking_is_due(&charge->verify, core->now_ms) &&
                   !outbox_has_room(core, QUESTION_MESSAGES)) {
            look_again(core, core->now_ms + 1);
        } else if (asking_is_due(&charge->verify, core->now_ms)) {
            const uint64_t again_ms = core->now_ms + verification_ms(core, i) / QUESTIONS_PUT;
            verdict_asked_again(core, i, again_ms); /* Questions and answers may be lost. */
            ask_about(core, i);
            look_again(core, earlier(again_ms, charge->verify.until_ms));
        } else {
            look_again(core, asking_deadline_ms(&charge->verify));
        }
    }
    end_judging(core);
    return found;
}

void removal_reset(struct core *core)
{
    core->removal.verify_ms = NEVER_MS;
}
