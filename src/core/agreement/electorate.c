#include "core/agreement/electorate.h"

#include "base/hash.h"
#include "base/text.h"
#include "core/detection/hearing.h"
#include "core/detection/route.h"
#include "core/state/outbox.h"

enum { SOUGHT_PER_TRY = 4 };

/* --- Who they are --- */

const struct view *electorate_highest(const struct core *core)
{
    const struct view *base = &core->succession.base;
    const struct view_id theirs = view_id_of(base);
    const struct view_id ours = view_id_of(&core->view);

    return view_is_empty(base) || view_id_compare(&ours, &theirs) > 0 ? &core->view : base;
}

const struct voter_lists *electorate_lists(const struct core *core)
{
    const struct view *highest = core->candidacy.on ? electorate_highest(core) : &core->view;

    if (!view_is_empty(highest)) {
        return &highest->voters;
    }
    return core->voter.accepted.voters.count > 0 ? &core->voter.accepted.voters
                                                 : &core->founding.voters;
}

static bool has_record(const struct core *core)
{
    return core->voter.record.state != VOTE_RECORD_NONE;
}

uint8_t electorate_own(const struct core *core, const struct voter_lists *lists)
{
    return has_record(core) ? voter_lists_find(lists, &core->voter.record.id) : VOTER_NONE;
}

bool electorate_is_self(const struct core *core, const struct listed_voter *voter)
{
    return text_equal(voter->name, core->life.self.name) ||
           (has_record(core) && id_equal(&voter->record, &core->voter.record.id));
}

bool electorate_may_vote(const struct core *core)
{
    return has_record(core) || core->voter.named;
}

/* --- Where they are --- */

uint32_t electorate_position(const struct core *core, const struct listed_voter *voter)
{
    return voter->witness ? VIEW_NONE : view_find_name(&core->view, voter->name);
}

static uint8_t find_seen(const struct core *core, const char *name)
{
    for (uint8_t i = 0; i < core->electorate.seen_count; i++) {
        if (text_equal(core->electorate.seen[i].name, name)) {
            return i;
        }
    }
    return VOTER_NONE;
}

const struct sighting *electorate_seen(const struct core *core, const char *name)
{
    const uint8_t place = find_seen(core, name);

    return place == VOTER_NONE ? NULL : &core->electorate.seen[place];
}

/* Of those that the lists name there are no more than there is room for, so one whom they do not
 * name gives way. */
static uint8_t place_for(struct core *core, const char *name)
{
    struct electorate *electorate = &core->electorate;
    uint8_t place = find_seen(core, name);

    if (place == VOTER_NONE && electorate->seen_count < VOTERS_LISTED_MAX) {
        place = electorate->seen_count++;
    }
    for (uint8_t i = 0; place == VOTER_NONE && i < VOTERS_LISTED_MAX; i++) {
        if (voter_lists_find_name(electorate_lists(core), electorate->seen[i].name) == VOTER_NONE) {
            place = i;
        }
    }
    return place;
}

static void saw(struct core *core, const char *name, const struct sighting *sighting)
{
    const uint8_t place = place_for(core, name);

    if (place != VOTER_NONE) {
        struct sighting *seen = &core->electorate.seen[place];
        *seen = *sighting;
        seen->heard_ms = core->now_ms;
        (void)text_set(seen->name, sizeof seen->name, name, text_length(name, sizeof seen->name));
    }
}

/* Z16a: a witness is where the list has it. */
static bool is_named_as_member(const struct core *core, const char *name)
{
    const struct voter_lists *lists = electorate_lists(core);
    const uint8_t place = voter_lists_find_name(lists, name);

    return place != VOTER_NONE && !lists->voters[place].witness;
}

void electorate_learn(struct core *core, const struct member *node, uint32_t nonce)
{
    if (is_named_as_member(core, node->name)) {
        saw(core, node->name,
            &(struct sighting){.address = node->address, .life = node->id, .nonce = nonce});
    }
}

void electorate_learn_from(struct core *core, const struct message *vote, const char *name)
{
    const struct sighting *seen = electorate_seen(core, name);

    if (!id_equal(&vote->from, &core->life.self.id) && !vote->relay &&
        is_named_as_member(core, name) && (seen == NULL || !id_equal(&seen->life, &vote->from))) {
        saw(core, name, &(struct sighting){.address = vote->source, .life = vote->from});
    }
}

void electorate_note_unable(struct core *core, uint32_t position, bool unable)
{
    core->peers[position].franchise.unable = unable;
}

void electorate_expect(struct core *core, uint32_t position)
{
    core->peers[position].franchise.newcomer = true;
}

/* Who was a member before may have another life by now that has asked to be let in. */
void electorate_on_view_installed(struct core *core, const struct installed *before)
{
    const struct voter_lists *lists = &core->view.voters;

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        core->peers[i].franchise = (struct peer_franchise){
            .unable = core->peers[i].franchise.unable,
        };
    }
    for (uint8_t i = 0; i < lists->count; i++) {
        const uint32_t position = electorate_position(core, &lists->voters[i]);
        core->electorate.positions[i] = position;
        if (position == VIEW_NONE) {
            continue;
        }
        core->peers[position].franchise.voter = true;
        if (!view_has(before->view, &core->view.members[position].id)) {
            electorate_learn(core, &core->view.members[position], 0);
        }
    }
}

/* --- Who answers --- */

/* Has that life that name in the view? */
static bool is_named_in(const struct view *view, const struct node_id *life, const char *name)
{
    const uint32_t position = view_find(view, life);

    return position != VIEW_NONE && text_equal(view->members[position].name, name);
}

/* Of this life. Whoever makes this node ask for a view learns the nonce of that, so votes have
 * another one. A number of a message, which is what is echoed between members, is never as high. */
static uint32_t nonce_of(const struct core *core, enum message_type question)
{
    const uint64_t purpose = question == MESSAGE_PULL ? 0 : 1;
    const uint64_t hash = hash_u64(hash_u64(core->life.salt, ~core->secret), purpose);

    return (uint32_t)hash_finish(hash) | UINT32_C(0x80000000);
}

bool electorate_was_asked_for_record(const struct core *core, const struct message *vote,
                                     const char *name)
{
    const struct sighting *seen = electorate_seen(core, name);

    return seen != NULL && id_equal(&seen->life, &vote->from) && seen->nonce != 0 &&
           vote->echo == seen->nonce;
}

/* The lists of the question that it answers. */
static const struct voter_lists *lists_asked(const struct core *core, const struct message *vote)
{
    switch (vote->carrier.vote.kind) {
    case VOTE_PREPARE:
        return &core->change.pending.voters;
    case VOTE_HEARTBEAT:
        return &core->view.voters;
    case VOTE_CLAIM:
    case VOTE_FOUNDING:
        break;
    }
    return electorate_lists(core);
}

/* A founder has asked it, under one of the names; or a coordinator has, as a fellow member, or as a
 * witness (Z11e). */
static bool is_asked_for_record(const struct core *core, const struct message *vote)
{
    if (core_is_member(core)) {
        return view_has(&core->view, &vote->from) ? vote->fellow
                                                  : vote->echo == nonce_of(core, MESSAGE_CLAIM);
    }
    for (uint8_t i = 0; i < core->founding.voters.count; i++) {
        if (electorate_was_asked_for_record(core, vote, core->founding.voters.voters[i].name)) {
            return true;
        }
    }
    return false;
}

bool electorate_knows(const struct core *core, const struct message *vote)
{
    const struct voter_lists *lists = lists_asked(core, vote);
    const uint8_t place = voter_lists_find(lists, &vote->carrier.vote.record);

    if (!core_is_strict(core)) {
        return vote->carrier.vote.kind == VOTE_CLAIM && view_has(&core->view, &vote->from) &&
               id_is_none(&vote->carrier.vote.record);
    }
    if (id_equal(&vote->from, &core->life.self.id)) {
        return true;
    }
    if (vote->carrier.vote.kind == VOTE_FOUNDING) {
        return is_asked_for_record(core, vote);
    }
    if (place == VOTER_NONE) {
        return false;
    }
    const char *name = lists->voters[place].name;
    if (view_has(&core->view, &vote->from)) {
        return is_named_in(&core->view, &vote->from, name);
    }
    if (core->change.on && is_named_in(&core->change.pending, &vote->from, name)) {
        return true; /* Its READY has proved where it is. */
    }
    return vote->echo == nonce_of(core, MESSAGE_CLAIM);
}

bool electorate_was_pulled(const struct core *core, const struct message *answer)
{
    return answer->echo == nonce_of(core, MESSAGE_PULL);
}

bool electorate_was_asked(const struct core *core, const struct message *answer)
{
    return electorate_was_pulled(core, answer) || answer->echo == nonce_of(core, MESSAGE_CLAIM);
}

void electorate_ask_stranger(struct core *core, const struct message *message,
                             const struct node_id *peer, const struct address *address)
{
    if (message != NULL) {
        outbox_answer(core, message, peer, address, nonce_of(core, message->type));
    }
}

void electorate_ask_for_record(struct core *core, const struct message *message, const char *name)
{
    const struct sighting *seen = electorate_seen(core, name);

    if (seen != NULL) {
        outbox_answer(core, message, &seen->life, &seen->address, seen->nonce);
    }
}

const struct address *electorate_address(const struct core *core, const struct listed_voter *voter)
{
    const struct sighting *seen = voter->witness ? NULL : electorate_seen(core, voter->name);

    return seen == NULL ? &voter->address : &seen->address;
}

/* U3c, U3e: its record may have accepted the base, and perhaps nothing long arrives there. An
 * outsider has no base. */
static void ask_elsewhere(struct core *core, const struct message *message,
                          const struct address *address)
{
    electorate_ask_stranger(core, message, NULL, address);
    if (message != NULL && core_is_member(core)) {
        outbox_answer_brief(core, message, NULL, address, nonce_of(core, message->type));
    }
}

void electorate_ask_one(struct core *core, const struct message *message,
                        const struct listed_voter *voter)
{
    const uint32_t position = electorate_position(core, voter);
    const struct member *member = position == VIEW_NONE ? NULL : &core->view.members[position];
    const struct sighting *seen = electorate_seen(core, voter->name);
    const struct address *last = electorate_address(core, voter);
    bool is_fresh = member != NULL && hearing_is_fresh(core, position);

    if (member != NULL) { /* U3c: to one that holds the base perhaps nothing long arrives. */
        route_send_brief(core, message, position);
    }
    const bool is_elsewhere = seen != NULL && member != NULL && !id_equal(&member->id, &seen->life);
    if ((!is_fresh || is_elsewhere) && !address_is_none(last)) {
        ask_elsewhere(core, message, last);
    }
    if (member != NULL && !is_fresh && !address_equal(&member->address, last)) {
        ask_elsewhere(core, message, &member->address);
    }
}

voter_set electorate_absent(const struct core *core, const struct voter_lists *lists)
{
    voter_set absent = 0;

    for (uint8_t i = 0; i < lists->count; i++) {
        const bool is_absent = electorate_position(core, &lists->voters[i]) == VIEW_NONE &&
                               !electorate_is_self(core, &lists->voters[i]);
        absent |= is_absent ? voter_set_of(i) : 0;
    }
    return absent;
}

void electorate_ask(struct core *core, const struct message *message,
                    const struct voter_lists *lists, voter_set whom)
{
    for (uint8_t i = 0; i < lists->count; i++) {
        const struct listed_voter *voter = &lists->voters[i];
        const bool is_meant = (whom & voter_set_of(i)) != 0;
        if (!electorate_is_self(core, voter) && is_meant) {
            electorate_ask_one(core, message, voter);
        }
    }
}

void electorate_seek(struct core *core, const struct message *message)
{
    struct address targets[SOUGHT_PER_TRY];
    /* Where it is alone with its view, others may live at the addresses that this one names. */
    const bool alone = hearing_is_alone(core, core->timing.flap_ms);
    uint32_t count = book_next(&core->book, alone ? NULL : &core->view,
                               core->electorate.sought++ % 2 == 0, targets, SOUGHT_PER_TRY);

    for (uint32_t i = 0; i < count; i++) {
        electorate_ask_stranger(core, message, NULL, &targets[i]);
    }
}
