#include "core/removal.h"

#include "core/change.h"
#include "core/detector.h"
#include "core/outbox.h"
#include "core/plant.h"

static bool accuses(const struct core *core, uint32_t accuser, uint64_t age, uint64_t now_ms)
{
    const struct peer *peer = &core->peers[accuser];

    if (peer->suspects_ms == 0 || now_ms >= peer->suspects_ms + core->timing.fresh_ms ||
        peer->view.lineage != core->view.lineage) {
        return false;
    }
    for (uint8_t i = 0; i < peer->suspect_count; i++) {
        if (peer->suspects[i].age == age && peer->suspects[i].verdict != VERDICT_NONE) {
            return true;
        }
    }
    return false;
}

uint32_t removal_accusers(const struct core *core, uint32_t position, uint64_t now_ms)
{
    uint64_t age = core->view.members[position].age;
    uint32_t count = 0;

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        count += i != position && !core_is_self(core, i) && accuses(core, i, age, now_ms);
    }
    return count;
}

/* Can this member see the suspect at all, in this node's eyes? */
static bool is_witness(const struct core *core, uint32_t position, uint32_t suspect)
{
    return position != suspect && !core_is_self(core, position) &&
           core->peers[position].verdict == VERDICT_NONE;
}

static uint32_t witness_count(const struct core *core, uint32_t suspect)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        count += is_witness(core, i, suspect) && !core->peers[i].late; /* It accuses nobody. */
    }
    return count;
}

/* An accuser that was late itself, or that most others suspect, does not count. */
static bool is_believable(const struct core *core, uint32_t accuser, uint32_t witnesses)
{
    return !core->peers[accuser].late &&
           2 * removal_accusers(core, accuser, core->now_ms) <= witnesses;
}

bool removal_is_backed(const struct core *core, uint32_t position)
{
    if (core->peers[position].verdict == VERDICT_NONE) {
        return false; /* All watch all: this node's own evidence is always part of it. */
    }
    uint64_t age = core->view.members[position].age;
    uint32_t witnesses = witness_count(core, position);

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        if (is_witness(core, i, position) && accuses(core, i, age, core->now_ms) &&
            is_believable(core, i, witnesses)) {
            return true;
        }
    }
    return witnesses == 0;
}

bool removal_has_moved(const struct core *core, uint32_t position)
{
    const struct peer *peer = &core->peers[position];

    return peer->moved_ms != 0 && peer->moved_seen_ms >= peer->moved_ms + core->timing.fresh_ms;
}

void removal_forget_move(struct core *core, uint32_t position)
{
    struct peer *peer = &core->peers[position];

    peer->moved_ms = 0;
    peer->confirmed = peer->confirmed && peer->verdict != VERDICT_NONE;
}

void removal_start_over(struct core *core, uint32_t position)
{
    struct peer *peer = &core->peers[position];

    peer->moved_ms = 0;
    peer->confirmed = false;
    peer->verify_ms = NEVER_MS;
}

bool removal_reign_is_sure(const struct core *core)
{
    /* Whoever has not been heard in all the time a detection takes is silent, not slow. */
    bool waited = core->now_ms >= core->late_until_ms + core->timing.lost_ms;
    if (core->now_ms < core->late_until_ms || (!waited && !detector_is_awake(core))) {
        return false;
    }
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct peer *peer = &core->peers[i];
        if (peer->moved_ms != 0 && !removal_has_moved(core, i) &&
            core->now_ms < peer->moved_seen_ms + core->timing.fresh_ms) {
            return false;
        }
    }
    return true;
}

struct gone removal_evidence(const struct core *core, uint32_t position)
{
    const struct peer *peer = &core->peers[position];
    uint64_t silent_ms = core->now_ms - peer->silent_from_ms;
    struct gone gone = {.reason = GONE_FAILED,
                        .verdict = peer->verdict,
                        .silent_ms = silent_ms < UINT32_MAX ? (uint32_t)silent_ms : UINT32_MAX};

    if (peer->leaves) {
        gone.reason = GONE_LEFT;
    } else if (peer->verdict == VERDICT_NONE && removal_has_moved(core, position)) {
        gone.reason = GONE_MOVED;
    }
    for (uint32_t i = 0; i < core->view.member_count && gone.accuser_count < ACCUSERS_MAX; i++) {
        bool own = core_is_self(core, i) && peer->verdict != VERDICT_NONE;
        if (own || (i != position && !core_is_self(core, i) &&
                    accuses(core, i, core->view.members[position].age, core->now_ms))) {
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
    core->verify_ms = when_ms < core->verify_ms ? when_ms : core->verify_ms;
}

/* How likely an answer by way of this helper is: 0 is best. */
static int rank_of(const struct core *core, uint32_t helper, uint32_t suspect)
{
    bool near = core_hearing(core, core->position, helper, core->now_ms) == HEARING_YES;

    if (near && core_hearing(core, helper, suspect, core->now_ms) == HEARING_YES) {
        return 0;
    }
    return accuses(core, helper, core->view.members[suspect].age, core->now_ms) ? 2 : 1;
}

/* R1: asks the suspect directly and through members that this node does not suspect. */
static void ask_about(struct core *core, uint32_t position)
{
    const struct member *suspect = &core->view.members[position];
    struct ping question = {
        .nonce = core->peers[position].nonce, .subject = suspect->id, .origin = core->self.id};
    uint32_t helpers = 0;

    outbox_send(core, make_ping(core, MESSAGE_PING, &question), position);
    struct message *request = make_ping(core, MESSAGE_PING_REQUEST, &question);
    /* Those whom we hear and who say that they hear it, then those who do not accuse it, then the
     * rest: a helper that is itself silent for us answers nothing. */
    for (int round = 0; round <= 2; round++) {
        for (uint32_t i = 0; i < core->view.member_count && helpers < VERIFY_HELPERS; i++) {
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
        slow += is_witness(core, i, suspect) && core->peers[i].late;
    }
    bool all_slow = slow > 0 && witness_count(core, suspect) == 0;
    return core->timing.verify_ms + (all_slow ? 2 * timing_turn_ms(&core->timing) : 0);
}

static void verify(struct core *core, uint32_t position)
{
    struct peer *peer = &core->peers[position];
    uint64_t patience_ms = verification_ms(core, position);

    peer->verify_ms = core->now_ms + patience_ms;
    peer->verify_again_ms = core->now_ms + patience_ms / 2;
    peer->nonce = random_u64(&core->random);
    look_again(core, peer->verify_again_ms);
    ask_about(core, position);
}

/* R2: does a witness, whom we hear, say by a heartbeat that it hears the suspect? Only one that
 * came when it had had the time to notice the silence counts. */
static bool is_heard_by_others(const struct core *core, uint32_t suspect)
{
    uint64_t noticed_ms = core->peers[suspect].silent_from_ms + core->timing.silent_ms;

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        if (is_witness(core, i, suspect) && !core->peers[i].late && detector_is_fresh(core, i) &&
            core->peers[i].suspects_ms >= noticed_ms &&
            core_hearing(core, i, suspect, core->now_ms) == HEARING_YES) {
            return true;
        }
    }
    return false;
}

static void confirm(struct core *core, uint32_t position)
{
    core->peers[position].confirmed = true;
    change_soon(core);
}

static void review_one(struct core *core, uint32_t position)
{
    struct peer *peer = &core->peers[position];

    if (peer->confirmed) {
        return;
    }
    if (removal_has_moved(core, position)) {
        confirm(core, position);
        return;
    }
    if (!removal_is_backed(core, position)) {
        return;
    }
    if (peer->verdict == VERDICT_DEAD) {
        confirm(core, position); /* D3: proven, nothing left to verify. */
        return;
    }
    bool vouched = peer->vouched_ms != 0 && !PLANTED(NO_VERIFY) &&
                   core->now_ms < peer->vouched_ms + core->timing.fresh_ms;
    if (!PLANTED(NO_VERIFY) && is_heard_by_others(core, position)) {
        REACHED(suspect_heard_by_others); /* Until its next heartbeat says otherwise. */
    } else if (vouched) {
        REACHED(suspect_vouched_for);
        look_again(core, peer->vouched_ms + core->timing.fresh_ms);
    } else if (PLANTED(NO_VERIFY)) {
        confirm(core, position);
    } else if (peer->verify_ms == NEVER_MS) {
        verify(core, position);
    }
}

void removal_review(struct core *core)
{
    if (!core_is_coordinator(core) || core->now_ms < core->late_until_ms) {
        return;
    }
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        if (!core_is_self(core, i)) {
            review_one(core, i);
        }
    }
}

void removal_on_ping(struct core *core, const struct message *message)
{
    struct ping answer = {
        .nonce = message->ping.nonce, .subject = core->self.id, .origin = message->ping.origin};
    uint32_t position = view_find(&core->view, &message->from);

    if (position != VIEW_NONE) {
        outbox_send(core, make_ping(core, MESSAGE_PONG, &answer), position);
    } else if (outbox_may_answer_stranger(core)) {
        outbox_send_to(core, make_ping(core, MESSAGE_PONG, &answer), &message->from,
                       &message->source);
    }
}

void removal_on_ping_request(struct core *core, const struct message *message)
{
    uint32_t position = view_find(&core->view, &message->ping.subject);

    if (position == VIEW_NONE || !view_has(&core->view, &message->from)) {
        core_drop(core, DROP_STRANGER);
        return;
    }
    outbox_send(core, make_ping(core, MESSAGE_PING, &message->ping), position);
}

void removal_on_pong(struct core *core, const struct message *message)
{
    const struct ping *pong = &message->ping;
    uint32_t subject = view_find(&core->view, &pong->subject);

    if (!id_equal(&pong->origin, &core->self.id)) {
        uint32_t origin = view_find(&core->view, &pong->origin);
        /* Handed on only by the one who heard the subject itself, so it goes no further; and only
         * if it lives with us: what went over to another part has no place to keep here (L2). */
        if (origin != VIEW_NONE && id_equal(&message->from, &pong->subject) && message->fellow &&
            subject != VIEW_NONE && !removal_has_moved(core, subject)) {
            outbox_send(core, make_ping(core, MESSAGE_PONG, pong), origin);
        }
        return;
    }
    if (subject == VIEW_NONE) {
        return;
    }
    if (id_equal(&message->from, &pong->subject)) {
        detector_on_answer(core, message, subject); /* That it was heard is known already. */
        return;
    }
    struct peer *peer = &core->peers[subject];
    if (peer->verify_ms == NEVER_MS || pong->nonce != peer->nonce || !message->fellow) {
        return; /* Never asked, or asked long ago (H15). */
    }
    peer->vouched_ms = core->now_ms;
    peer->verify_ms = NEVER_MS;
}

static void end_verification(struct core *core, uint32_t position)
{
    struct peer *peer = &core->peers[position];

    peer->verify_ms = NEVER_MS;
    if (core_is_coordinator(core) && removal_is_backed(core, position) &&
        !is_heard_by_others(core, position)) {
        confirm(core, position);
    }
}

void removal_tick(struct core *core)
{
    if (core->now_ms < core->verify_ms) {
        return;
    }
    core->verify_ms = NEVER_MS;
    core->evidence_changed = true;
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        struct peer *peer = &core->peers[i];
        if (peer->verify_ms == NEVER_MS) {
            continue;
        }
        if (core->now_ms >= peer->verify_ms) {
            end_verification(core, i);
        } else if (core->now_ms >= peer->verify_again_ms) {
            peer->verify_again_ms = NEVER_MS; /* One question, or its answer, may be lost. */
            ask_about(core, i);
            look_again(core, peer->verify_ms);
        } else {
            look_again(core, peer->verify_again_ms < peer->verify_ms ? peer->verify_again_ms
                                                                     : peer->verify_ms);
        }
    }
}
