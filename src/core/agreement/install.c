#include "core/agreement/install.h"

#include <assert.h>

#include "base/text.h"
#include "core/agreement/accord.h"
#include "core/agreement/authority.h"
#include "core/agreement/behind.h"
#include "core/agreement/electorate.h"
#include "core/agreement/next_view.h"
#include "core/agreement/promise.h"
#include "core/agreement/voter.h"
#include "core/detection/detector.h"
#include "core/detection/follow.h"
#include "core/detection/hearing.h"
#include "core/detection/lease.h"
#include "core/detection/numbers.h"
#include "core/detection/rounds.h"
#include "core/detection/route.h"
#include "core/detection/standing.h"
#include "core/detection/watch.h"
#include "core/model/marks.h"
#include "core/state/announce.h"
#include "core/state/refuse.h"

/* Does the view hold that life as it is known, or not at all? A life has one name, one address and
 * one set of versions. */
static bool has_rightly(const struct view *view, const struct member *known)
{
    const uint32_t position = view_find(view, &known->id);

    return position == VIEW_NONE ||
           (text_equal(view->members[position].name, known->name) &&
            address_equal(&view->members[position].address, &known->address) &&
            versions_equal(view->members[position].versions, known->versions));
}

/* All that is for a coordinator would go to where nobody is, so that it heard nothing of that view.
 * Of any other member it hears, and makes one above it (V4i). */
static bool names_coordinators_rightly(const struct core *core, const struct view *view)
{
    const uint32_t maker = view_find(&core->view, &view->members[0].id);

    return view_is_empty(&core->view) ||
           (has_rightly(view, &core->view.members[0]) &&
            (maker == VIEW_NONE || has_rightly(view, &core->view.members[maker])));
}

static bool names_rightly(const struct core *core, const struct view *view)
{
    return has_rightly(view, &core->life.self) && names_coordinators_rightly(core, view);
}

/* V7a: what is made above it is then no leap for those who were not told of it. */
static bool is_beyond_outdoing(const struct core *core, const struct view *view)
{
    struct leap_base max = promise_said_max(core);

    return promise_is_above(view, &max);
}

/* Its maker may not know of it: what is shown in its name, and not proposed, may be made up. */
static bool is_hearsay(const struct message *message)
{
    return !id_equal(&message->carrier.view->members[0].id, &message->from) ||
           message->type == MESSAGE_VIEW || message->type == MESSAGE_CLAIM;
}

bool install_leaps(const struct core *core, const struct message *message)
{
    const struct view *view = message->carrier.view;
    struct leap_base max = promise_numbers_max(core);

    return accord_leaps(core, &view->agreed) || promise_is_above(view, &max) ||
           (is_hearsay(message) && core_is_member(core) && is_beyond_outdoing(core, view));
}

/* L4: V4c asks for no more, where the view does not leap. */
static bool is_fellows_word(const struct core *core, const struct message *message)
{
    return authority_is_of_its_sender(core, message) && view_has(&core->view, &message->from);
}

/* V7c: does it come from the one to whom this node's voter has promised the epoch? */
static bool is_of_promised(const struct core *core, const struct message *prepare)
{
    const struct view *view = prepare->carrier.view;
    const struct ballot made_by = {.epoch = view->epoch, .life = view->members[0].id};

    return prepare->type == MESSAGE_PREPARE && id_equal(&prepare->from, &made_by.life) &&
           ballot_equal(&made_by, &core->voter.record.promise);
}

/* L4: is it the coordinator, or a voter; or who was asked, where the answer would be followed
 * (Z9e); or where there are no voters a fellow member? */
static bool knows_better(const struct core *core, const struct message *message)
{
    const uint32_t position = view_find(&core->view, &message->from);
    const bool answers = message->type == MESSAGE_VOTE || electorate_was_asked(core, message);

    return authority_knows(core, position) ||
           (view_names_voters(message->carrier.view) ? answers : is_fellows_word(core, message));
}

/* L4: what it is shown by one who knows better, and does not take. */
static void note_leap(struct core *core, const struct message *message)
{
    const bool counts = knows_better(core, message);

    if (counts) {
        install_saw_leap(core);
    }
    if (counts || is_of_promised(core, message)) {
        promise_near_view(core, message->carrier.view);
    }
}

void install_saw_leap(struct core *core)
{
    if (core_is_member(core) && core->install.leaps_ms == 0) {
        core->install.leaps_ms = core->now_ms;
    }
}

/* Could the voters come next to those that this node knows: of its view, of what it accepted, of
 * its record, or of what it was shown when it asked? What its record accepted may be committed yet,
 * so that a list before that one has to be shown, by that very message (Z11j). */
static bool could_come_next(const struct core *core, const struct voter_lists *lists)
{
    const struct view *accepted = &core->voter.accepted;
    const struct view *pending = &core->change.pending;
    const struct view *ours = core_is_member(core) ? &core->view : accepted;
    const bool goes_back = accepted->lineage == ours->lineage &&
                           lists->number < accepted->voters.number;

    return !goes_back &&
           (voter_lists_follow(&ours->voters, lists) ||
            (!view_is_empty(pending) && voter_lists_follow(&pending->voters, lists)) ||
            (core->install.shown.count > 0 && voter_lists_follow(&core->install.shown, lists)));
}

/* Z11i: of others than could come next one learns from who was asked; Z11j: but none comes back
 * that was before the one of this node's view, whoever still holds it. */
static bool names_due_voters(const struct core *core, const struct message *message)
{
    const struct view *view = message->carrier.view;
    const struct view *ours = core_is_member(core) ? &core->view : &core->voter.accepted;
    const bool came_before = core_is_member(core) && view->voters.number < ours->voters.number;

    return ours->voters.count == 0 || view->lineage != ours->lineage ||
           (!came_before &&
            (could_come_next(core, &view->voters) || electorate_was_asked(core, message)));
}

/* Most views that come are those that this node holds: claims and proposals are repeated. */
static bool is_known(const struct core *core, struct view *view)
{
    return view_repeats(view, &core->view) || view_repeats(view, &core->voter.accepted) ||
           view_repeats(view, &core->change.pending);
}

/* Z10a: under strict, and only there, a view names voters. */
static bool fits(const struct core *core, const struct view *view)
{
    return accord_fits(core, &view->agreed) && core_is_strict(core) == view_names_voters(view);
}

/* Why no node takes it that was started like this one; REFUSED_NOT: some might. */
static enum refusal why_unsound(const struct core *core, struct view *view)
{
    if (view->member_count > core->capacity) {
        return REFUSED_VIEW_TOO_LARGE;
    }
    return is_known(core, view) || (view_is_sound(view) && fits(core, view)) ? REFUSED_NOT
                                                                             : REFUSED_VIEW_UNSOUND;
}

/* The question for a view, because of the message; NULL: it was asked a moment ago. */
static struct message *make_pull(struct core *core, const struct message *message)
{
    if (!pause_pass(&core->install.pulled, core->now_ms, core_repair_ms(core))) {
        refuse(core, message, REFUSED_VIEW_ASKED_FOR_LATELY);
        return NULL;
    }
    return outbox_message(core, MESSAGE_PULL);
}

static void pull(struct core *core, const struct message *message, const struct node_id *from,
                 const struct address *address)
{
    const struct message *question = make_pull(core, message);

    if (question != NULL) {
        route_reach(core, question, from, address);
    }
}

/* U4d: where another member hands a proposal on, it is that one who is asked, where it came from.
 */
void install_ask_stranger(struct core *core, const struct message *message)
{
    const struct node_id *peer = message_is_spread(message) ? NULL : &message->from;

    if (!refuse_beyond_few(core, message)) {
        electorate_ask_stranger(core, outbox_message(core, MESSAGE_PULL), peer, &message->source);
    }
}

/* Z9d: a member's word alone does not count; a voter is asked, or it itself where none is heard.
 * Where no voters decide, a coordinator asks the sender, where that is listed (V4l): another may
 * have spoken in its name. */
static void ask_whoever_knows(struct core *core, const struct message *message)
{
    const uint32_t sender = view_find(&core->view, &message->from);
    const uint32_t voter = sender != VIEW_NONE ? authority_voter(core) : VIEW_NONE;

    if (sender != VIEW_NONE && !core_is_strict(core)) {
        if (!refuse_beyond_few(core, message)) {
            electorate_ask_stranger(core, outbox_message(core, MESSAGE_PULL), &message->from,
                                    &core->view.members[sender].address);
        }
    } else if (voter != VIEW_NONE) {
        pull(core, message, &core->view.members[voter].id, &core->view.members[voter].address);
    } else {
        install_ask_stranger(core, message);
    }
}

/* Z11i: the one who brings such voters, if it votes or proposes; else a voter, as in Z9d. */
static void ask_who_votes(struct core *core, const struct message *message)
{
    const uint32_t sender = view_find(&core->view, &message->from);
    const bool knows = authority_knows(core, sender) || message->type == MESSAGE_PREPARE;
    const uint32_t asked = sender == VIEW_NONE || knows ? sender : authority_voter(core);

    if (asked == VIEW_NONE || message_is_spread(message)) {
        install_ask_stranger(core, message);
        return;
    }
    electorate_ask_stranger(core, make_pull(core, message), &core->view.members[asked].id,
                            &core->view.members[asked].address);
}

bool install_is_sound(struct core *core, const struct message *message)
{
    struct view *view = message->carrier.view;
    const enum refusal unsound = why_unsound(core, view);

    if (unsound != REFUSED_NOT) {
        refuse(core, message, unsound);
        return false;
    }
    if (!is_known(core, view) && !names_due_voters(core, message)) {
        refuse(core, message, REFUSED_VIEW_VOTERS);
        ask_who_votes(core, message);
        return false;
    }
    if (message->type == MESSAGE_VIEW && electorate_was_asked(core, message)) {
        voter_lists_copy(&core->install.shown, &view->voters);
    }
    if (!names_rightly(core, view)) {
        note_leap(core, message);
        refuse(core, message, REFUSED_VIEW_MISNAMES);
        return false;
    }
    if (install_leaps(core, message)) {
        note_leap(core, message);
        refuse(core, message, REFUSED_VIEW_LEAPS);
        return false;
    }
    return true;
}

struct installed install_view(struct core *core, const struct view *view)
{
    struct view_id next = view_id_of(view);
    struct view_id ours = view_id_of(&core->view);
    struct installed before = {.apart_ms = detector_apart_ms(core, view)};

    assert(view_has(view, &core->life.self.id));                             /* S3 */
    assert(view_is_empty(&core->view) || view_id_compare(&next, &ours) > 0); /* S2 */
    struct view unused = core->former;
    core->former = core->view;
    core->view = unused;
    view_copy(&core->view, view);
    struct peer *former_peers = core->peers;
    core->peers = core->peers_former;
    core->peers_former = former_peers;
    struct peer_doubts *former_doubts = core->doubts;
    core->doubts = core->doubts_former;
    core->doubts_former = former_doubts;
    before.view = &core->former;
    before.peers = core->peers_former;
    core->position = view_find(&core->view, &core->life.self.id);
    core->counters.views_installed++;
    announce_view_installed(core, &before);
    return before;
}

void install_on_view_installed(struct core *core, const struct installed *before)
{
    core->install.leaps_ms = 0;
    core->peers[0].repair.lower_ms = 0; /* Lower than this one nothing was named yet. */
    if (before->view->lineage == core->view.lineage) {
        return;
    }
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        core->peers[i].repair.shared_our_lineage = false;
    }
}

bool install_is_disowned(const struct core *core)
{
    uint64_t lower_ms = core->peers[0].repair.lower_ms;
    uint64_t since_ms = lower_ms != 0 ? lower_ms : core->install.leaps_ms;

    return core_is_member(core) && since_ms != 0 &&
           core->now_ms >= since_ms + core->timing.stall_ms;
}

void install_reset(struct core *core)
{
    core->install.leaps_ms = 0;
    view_clear(&core->view);
}

/* Does the message ask for something with a nonce, for its sender does not know this life as a
 * member (Z1e)? */
static bool asks_as_stranger(const struct message *message)
{
    bool asks = message->type == MESSAGE_PULL || message->type == MESSAGE_CLAIM;

    return asks && !message->fellow && message->echo != 0;
}

static void send_view(struct core *core, const struct message *asked, const struct node_id *to,
                      const struct address *address)
{
    struct message *message = outbox_message(core, MESSAGE_VIEW);

    if (message != NULL) {
        message->carrier.view = &core->view;
    }
    if (asks_as_stranger(asked)) {
        outbox_answer(core, message, to, &asked->source, asked->echo);
        return;
    }
    route_reach(core, message, to, address);
    if (asked->type == MESSAGE_JOIN || asked->type == MESSAGE_READY) {
        outbox_echo(core, message,
                    (uint32_t)asked->joiner.nonce); /* J3c: shows that it was asked. */
    }
}

/* Shows the view for the message that asks for it, or that shows that it is needed. */
static void send_view_to_peer(struct core *core, const struct message *message, uint32_t position)
{
    if (!pause_pass(&core->peers[position].repair.shown, core->now_ms, core_repair_ms(core))) {
        refuse(core, message, REFUSED_VIEW_SHOWN_LATELY);
        return;
    }
    send_view(core, message, &core->view.members[position].id,
              &core->view.members[position].address);
}

bool install_show(struct core *core, const struct message *message, const struct node_id *to,
                  const struct address *address)
{
    if (refuse_beyond_few(core, message)) {
        return false;
    }
    send_view(core, message, to, address);
    return true;
}

static bool names_a_higher_view(const struct core *core, const struct message *message)
{
    const struct view_id *theirs = &message->heartbeat.view;
    const struct view_id ours = view_id_of(&core->view);

    return message->type == MESSAGE_HEARTBEAT && theirs->lineage == ours.lineage &&
           view_id_compare(theirs, &ours) > 0;
}

/* V6e: and where a higher view was named a heartbeat besides, for a view may not get through, and
 * that this node lacks that one is to be known (L5a). */
void install_answer_stranger(struct core *core, const struct message *message)
{
    if (install_show(core, message, &message->from, &message->source) &&
        names_a_higher_view(core, message)) {
        outbox_send_to(core, rounds_answer(core), &message->from, &message->source);
    }
}

void install_on_pull(struct core *core, const struct message *message)
{
    uint32_t position = view_find(&core->view, &message->from);

    if (position == VIEW_NONE || asks_as_stranger(message)) {
        install_answer_stranger(core, message);
        return;
    }
    send_view_to_peer(core, message, position);
}

/* Why a view without this node does not put it out. */
static enum refusal why_not_out(const struct core *core, bool ours)
{
    if (!ours) {
        return REFUSED_OTHER_LINEAGE;
    }
    return core_is_coordinator(core) ? REFUSED_VIEW_WITHOUT_COORDINATOR : REFUSED_VIEW_WITHOUT_US;
}

/* L1: a higher view without this node puts it out if it speaks for it. */
static enum shown_view on_view_without_us(struct core *core, const struct message *message,
                                          enum authority authority)
{
    const struct view *view = message->carrier.view;
    uint32_t position = view_find(&core->view, &message->from);
    bool ours = view->lineage == core->view.lineage;
    /* The successor of a leaving coordinator leaves it out, and need not tell it so itself. */
    bool handed_over = ours && core->life.phase == PHASE_LEAVING && core_is_coordinator(core);

    if (authority_counts(authority) || (handed_over && position != VIEW_NONE)) {
        book_remember(&core->book, &view->members[0].address);
        return SHOWN_LEFT_OUT;
    }
    refuse(core, message, why_not_out(core, ours));
    install_ask_coordinator(core, message);
    if (position != VIEW_NONE &&
        (!ours || core_is_coordinator(core) || authority_is_of_the_past(core, message))) {
        book_remember(&core->book, &view->members[0].address);
        follow_note(core, position); /* The sender follows the coordinator of that view. */
    }
    return SHOWN_SETTLED;
}

bool install_is_as_good_as_commit(const struct core *core, const struct message *heartbeat)
{
    const struct view *accepted = &core->change.pending;
    const struct view_id theirs = view_id_of(accepted);
    const struct view_id ours = view_id_of(&core->view);

    return !view_is_empty(accepted) && !core->change.on && view_has(accepted, &heartbeat->from) &&
           view_id_compare(&theirs, &ours) > 0 && heartbeat->heartbeat.view_hash == accepted->hash;
}

/* L3a. Who acts by leases of voters was not replaced, whatever is said in members' names. Where all
 * whom it hears are behind this coordinator and nobody holds what it made, it is the one who cannot
 * show it; of two the elder stays (L5b). */
bool install_is_left_alone(const struct core *core)
{
    bool moved = false;
    bool unknown = false;
    uint32_t behind = 0;

    if (!core_is_coordinator(core) || core->view.member_count == 1) {
        return false;
    }
    for (uint32_t i = 1; i < core->view.member_count; i++) {
        bool went = follow_has_moved(core, i);
        bool left_behind = follow_was_left_behind(core, i);
        if (!went && !left_behind && core->peers[i].charge.verdict == VERDICT_NONE) {
            if (watch_is_on(core, i)) {
                return false;
            }
            unknown = true;
        }
        moved = moved || went;
        behind += left_behind;
    }
    bool leased = lease_is_exclusive(core, core->now_ms) && standing_is_acting(core, core->now_ms);
    return (moved && !unknown && !leased) || behind >= 2;
}

void install_ask_coordinator(struct core *core, const struct message *message)
{
    if (view_has(&core->view, &message->from)) {
        watch_want(core, 0);
    }
}

void install_answer_not_following(struct core *core, const struct message *message)
{
    const struct member *proposer = &message->carrier.view->members[0];

    if (!view_has(&core->view, &message->from) && refuse_beyond_few(core, message)) {
        return; /* In a stranger's view that may be anybody's address. */
    }
    struct message *answer = outbox_message(core, MESSAGE_NOT_FOLLOWING);
    if (answer != NULL) {
        answer->reference.view = view_id_of(&core->view);
        answer->reference.view_hash = message->carrier.view->hash;
    }
    route_reach(core, answer, &proposer->id, &proposer->address);
}

/* L2a: a member of ours lives in a view of another coordinator that is lower than ours, or that
 * this node does not follow: it went that way when it had the choice, and will not come back by
 * itself. In one of ours it is behind (L5a). */
static void note_follows_other(struct core *core, const struct message *message)
{
    const struct view *view = message->carrier.view;
    const struct view_id theirs = view_id_of(view);
    const struct view_id ours = view_id_of(&core->view);
    uint32_t position = view_find(&core->view, &message->from);

    if (position == VIEW_NONE || position == 0 || !view_has(view, &message->from)) {
        return;
    }
    if (!id_equal(&theirs.coordinator, &ours.coordinator)) {
        follow_note(core, position);
    } else if (theirs.lineage == ours.lineage && view_id_compare(&theirs, &ours) < 0) {
        follow_note_lower(core, position, &theirs);
    }
}

static enum shown_view on_view_while_joining(struct core *core, const struct message *message,
                                             bool holds_us)
{
    const struct view *view = message->carrier.view;

    if (authority_is_in_our_name(core, view)) {
        refuse(core, message, REFUSED_VIEW_IN_OUR_NAME);
        return SHOWN_SETTLED;
    }
    if (holds_us) {
        return SHOWN_TO_JOINER;
    }
    if (electorate_was_pulled(core, message)) { /* Of a member that offers a place in it (Z18c). */
        voter_on_successor(core, view);
    }
    book_remember(&core->book, &view->members[0].address);
    if (view_find_gone(view, &core->life.self.id) != NULL) {
        REACHED(was_in_without_knowing);
        return SHOWN_GONE; /* We were in without knowing it, and are out again (S5). */
    }
    refuse(core, message, REFUSED_VIEW_WITHOUT_JOINER);
    return SHOWN_SETTLED;
}

/* Asks where the message came from: in a content that somebody made up its sender has any address.
 */
static void pull_from_source(struct core *core, const struct message *message)
{
    const struct message *question = make_pull(core, message);

    if (question != NULL) {
        outbox_send_to(core, question, &message->from, &message->source);
    }
}

enum authority install_weigh(struct core *core, const struct message *message)
{
    const enum authority authority = authority_of(core, message);

    if (authority == AUTHORITY_UNASKED) {
        refuse(core, message, REFUSED_VIEW_UNASKED);
        if (!electorate_was_asked(core, message)) { /* Else this is its proposal (Z11i). */
            ask_whoever_knows(core, message);
        }
    }
    return authority;
}

/* Both contents are superseded, now that the other was seen. The lineage may be what differs. */
static void on_other_content(struct core *core, const struct message *message)
{
    bool from_member = view_has(&core->view, &message->from);
    struct view_id theirs = view_id_of(message->carrier.view);
    struct view_id ours = view_id_of(&core->view);

    if (view_id_compare(&theirs, &ours) != 0 || message->carrier.view->hash == core->view.hash) {
        return;
    }
    /* L4: its maker holds another one under that name, or where that one is gone, an older one. */
    uint32_t position = view_find(&core->view, &message->from);
    if (position < core->position && knows_better(core, message)) {
        install_saw_leap(core);
    }
    if (core_is_coordinator(core) && from_member &&
        pause_pass(&core->install.superseded, core->now_ms, core->timing.fresh_ms)) {
        REACHED(other_content_superseded);
        next_view_want_version(core);
        next_view_now(core);
    }
}

/* One that holds this node. */
static enum shown_view on_higher_view(struct core *core, const struct message *message,
                                      enum authority authority)
{
    const struct view *view = message->carrier.view;
    bool from_member = view_has(&core->view, &message->from);

    if (authority_counts(authority)) {
        promise_saw_epoch(core, view->epoch);
        install_view(core, view);
        return SHOWN_SETTLED;
    }
    bool ours = authority_is_in_our_name(core, view);
    refuse(core, message, ours ? REFUSED_VIEW_IN_OUR_NAME : REFUSED_VIEW_NOT_FOLLOWED);
    if (!ours) {
        install_answer_not_following(core, message);
    }
    install_ask_coordinator(core, message);
    note_follows_other(core, message);
    if (!from_member || is_beyond_outdoing(core, view)) {
        return SHOWN_SETTLED; /* Nothing of it is true, its epoch neither. */
    }
    promise_saw_epoch(core, view->epoch);
    return ours ? SHOWN_NOT_OURS : SHOWN_REFUSED;
}

/* A view that leaps, or misnames a life, is not taken, but it tells that there is another content,
 * or whom its sender follows. */
static void heed_what_is_refused(struct core *core, const struct message *message)
{
    if (why_unsound(core, message->carrier.view) == REFUSED_NOT) {
        on_other_content(core, message);
        note_follows_other(core, message);
    }
}

enum shown_view install_on_view(struct core *core, const struct message *message)
{
    struct view *view = message->carrier.view;

    if (!install_is_sound(core, message)) {
        heed_what_is_refused(core, message);
        return SHOWN_SETTLED;
    }
    bool holds_us = view_has(view, &core->life.self.id);
    if (core->life.phase == PHASE_JOINING) {
        return on_view_while_joining(core, message, holds_us);
    }
    if (authority_is_succeeded_by(core, view->lineage) && !authority_is_in_our_name(core, view)) {
        return install_weigh(core, message) == AUTHORITY_UNASKED ? SHOWN_SETTLED : SHOWN_SUCCESSOR;
    }
    struct view_id theirs = view_id_of(view);
    struct view_id ours = view_id_of(&core->view);
    if (view_id_compare(&theirs, &ours) <= 0) {
        on_other_content(core, message);
        note_follows_other(core, message);
        refuse(core, message, REFUSED_VIEW_NOT_HIGHER);
        return SHOWN_SETTLED;
    }
    const enum authority authority = install_weigh(core, message);
    if (authority == AUTHORITY_UNASKED) {
        /* L2a: its last row, and of the one before that what a coordinator goes by. */
        if (holds_us || core_is_coordinator(core)) {
            note_follows_other(core, message);
        }
        return SHOWN_SETTLED;
    }
    if (!holds_us) {
        return on_view_without_us(core, message, authority);
    }
    return on_higher_view(core, message, authority);
}

void install_pull(struct core *core, const struct message *message)
{
    pull(core, message, &message->from, &message->source);
}

/* S1 is broken, by damage, by a bug, or only in a heartbeat that lies: the coordinator asks to see
 * the other content (V2). */
static void on_mismatch(struct core *core, const struct message *heartbeat, uint32_t position)
{
    core->counters.mismatches++;
    outbox_notice_of(core, NOTICE_MISMATCH, &core->view.members[position]);
    bool is_elder = position < core->position;
    if (core_is_coordinator(core) || position == 0 ||
        (is_elder && !hearing_coordinator_is_fresh(core))) {
        pull_from_source(core, heartbeat);
    }
}

static void repair_lower(struct core *core, const struct message *message, uint32_t position)
{
    struct peer_repair *repair = &core->peers[position].repair;

    if (repair->lower_ms == 0) {
        repair->lower_ms = core->now_ms;
    }
    /* The coordinator repairs at once, the others when that has not helped: not everyone sends
     * the whole list to everyone (H49). */
    if (core_is_coordinator(core) || core->now_ms >= repair->lower_ms + core_interval_ms(core)) {
        send_view_to_peer(core, message, position);
    }
}

void install_note_lower(struct core *core, const struct message *heartbeat, uint32_t position)
{
    const struct view_id *theirs = &heartbeat->heartbeat.view;
    const struct view_id ours = view_id_of(&core->view);

    if (position > 0 && theirs->lineage == ours.lineage && view_id_compare(theirs, &ours) < 0) {
        follow_note_lower(core, position, theirs);
    }
}

void install_compare(struct core *core, const struct message *message, uint32_t position)
{
    struct peer_repair *repair = &core->peers[position].repair;
    const struct heartbeat *heartbeat = &message->heartbeat;
    struct view_id ours = view_id_of(&core->view);
    int order = view_id_compare(&heartbeat->view, &ours);

    if (heartbeat->view.lineage == core->view.lineage) {
        repair->shared_our_lineage = true;
    } else {
        /* The sender may also have missed the merge: then this repairs it (M4). */
        follow_note_named(core, position, &heartbeat->view);
    }
    if (order <= 0 && position == 0) {
        behind_forget(core);
    }
    if (order < 0) {
        repair_lower(core, message, position);
        return;
    }
    repair->lower_ms = 0;
    follow_note_ours(core, position);
    if (order == 0) {
        const bool same = heartbeat->view_hash == core->view.hash;
        if (same &&
            (position == 0 || (core_is_coordinator(core) && authority_knows(core, position)))) {
            core->install.leaps_ms = 0;
        }
        follow_forget(core, position); /* The sender follows this node's coordinator again. */
        if (same) {
            accord_on_named(core, position);
            numbers_on_named(core, position);
        } else {
            on_mismatch(core, message, position);
        }
        return;
    }
    if (!id_equal(&heartbeat->view.coordinator, &ours.coordinator)) {
        follow_note(core, position);
        watch_want(core, 0); /* D9g: is our own one still there? */
    } else if (heartbeat->view.lineage == ours.lineage) {
        behind_note(core, position);
    }
    install_pull(core, message);
}
