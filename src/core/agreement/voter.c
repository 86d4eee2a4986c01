#include "core/agreement/voter.h"

#include <assert.h>

#include "core/agreement/promise.h"
#include "core/model/lineage.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"

enum { AT_THEIR_WORD_MAX = 16 }; /* promises to strangers in T_stall (Z2k) */

/* --- The record --- */

/* The disk is behind, until it says that it has this change too. */
static void record_changed(struct core *core)
{
    core->voter.number++;
}

bool voter_is_synced(const struct core *core)
{
    return core->voter.synced == core->voter.number;
}

static bool has_record(const struct core *core)
{
    return core->voter.record.state != VOTE_RECORD_NONE;
}

bool voter_votes(const struct core *core, uint64_t lineage)
{
    return has_record(core) && core->voter.record.state != VOTE_RECORD_RETIRED &&
           !core->voter.mute && core->voter.record.lineage == lineage;
}

void voter_start(struct core *core, const struct vote_record *record, bool damaged, bool has_disk)
{
    struct voter *voter = &core->voter;

    voter->named = voters_find(&core->terms.voters, core->life.self.name) != VOTER_NONE;
    voter->has_disk = has_disk;
    voter->damaged = damaged;
    if (record == NULL) {
        return;
    }
    if (record->accepted != NULL) {
        view_copy(&voter->accepted, record->accepted);
        if (!view_is_sound(&voter->accepted) && !view_is_sound_of_founders(&voter->accepted)) {
            view_clear(&voter->accepted);
            voter->damaged = true;
            return;
        }
    }
    voter->record = *record;
    voter->record.accepted = NULL;
    voter->accepted_ms = core->now_ms;
    promise_saw_epoch(core, record->promise.epoch);
    if (record->promise.epoch != 0) {
        voter->until_ms = core->now_ms + record->lease_ms;
        voter->hold_ms = record->hold_ms;
        voter->held_until_ms = core->now_ms + record->hold_ms;
    }
}

void voter_record(const struct core *core, struct vote_record *record)
{
    const struct view *accepted = &core->voter.accepted;

    *record = core->voter.record;
    record->writes += core->voter.number;
    record->accepted = view_is_empty(accepted) && !view_is_of_founders(accepted) ? NULL : accepted;
}

/* --- An older copy (Z14) --- */

uint64_t voter_writes(const struct core *core)
{
    return core->voter.record.writes + core->voter.synced;
}

bool voter_goes_by_older(const struct core *core, uint64_t now_ms)
{
    return now_ms < core->voter.older_until_ms;
}

/* Only who heard it from this record knows of writes that it has not: it has forgotten them, and
 * what was granted with them. The next coordinator may not have heard it, so that word outlasts who
 * says it. What was made up does not last, however often it came (H48), and whoever it was said for
 * takes it back. */
static void take_word_of_writes(struct core *core, const struct vote_question *question)
{
    struct voter *voter = &core->voter;
    const struct node_id *by = &question->ballot.life;

    if (question->writes <= voter_writes(core)) {
        const bool takes_back = question->writes != 0 && id_equal(by, &voter->older_by);
        voter->older_until_ms = takes_back ? 0 : voter->older_until_ms;
        return;
    }
    if (!voter_goes_by_older(core, core->now_ms)) {
        REACHED(voter_goes_by_an_older_record);
        const uint32_t position = view_find(&core->view, by);
        if (position != VIEW_NONE) {
            (void)outbox_notice_of(core, NOTICE_OLD_RECORD, &core->view.members[position]);
        }
    }
    voter->older_by = *by;
    voter->older_until_ms = core->now_ms + UINT64_C(2) * core->timing.stall_ms;
}

/* --- Binding (Z2) --- */

/* Has the life that this voter is bound to given up the epoch that it is bound to? A later reign of
 * the same life is not meant. */
static bool is_released(const struct core *core, const struct ballot *handed_over)
{
    const struct ballot *promise = &core->voter.record.promise;

    return id_equal(&promise->life, &handed_over->life) && promise->epoch <= handed_over->epoch;
}

/* --- Strangers (Z2k) --- */

static bool is_proved(const struct core *core, const struct node_id *life)
{
    for (uint32_t i = 0; i < PROVED_MAX; i++) {
        if (id_equal(&core->voter.proved[i], life)) {
            return true;
        }
    }
    return false;
}

bool voter_knows(const struct core *core, const struct node_id *life)
{
    return id_equal(life, &core->life.self.id) || view_has(&core->view, life) ||
           is_proved(core, life);
}

/* Counted from the first one after the T_stall before, as leaps are (V7a). */
static uint32_t granted_lately(const struct core *core)
{
    return ration_taken(&core->voter.promises, core->now_ms, core->timing.stall_ms);
}

static void count_promise(struct core *core, const struct node_id *life)
{
    if (!voter_knows(core, life)) {
        (void)ration_take(&core->voter.promises, core->now_ms, core->timing.stall_ms);
    }
}

static bool must_prove(const struct core *core, const struct ballot *ballot)
{
    bool doubted = granted_lately(core) >= AT_THEIR_WORD_MAX ||
                   promise_epoch_leaps_for_stranger(core, ballot->epoch);

    return doubted && !voter_knows(core, &ballot->life);
}

void voter_proved(struct core *core, const struct node_id *life)
{
    struct voter *voter = &core->voter;

    if (!is_proved(core, life)) {
        voter->proved[voter->proved_next] = *life;
        voter->proved_next = (voter->proved_next + 1) % PROVED_MAX;
    }
}

/* --- The promise --- */

/* Z15c: whom this voter was bound to may act, and grant, until its lease is over. On disk is the
 * longest that may matter yet, for a restart does not know since when. */
static void end_reign(struct core *core, uint64_t next_hold_ms)
{
    struct voter *voter = &core->voter;
    uint64_t longest_ms = core->now_ms < voter->held_until_ms ? voter->record.hold_ms : 0;

    if (voter->until_ms != 0) {
        const uint64_t over_ms = voter->until_ms + voter->hold_ms;
        voter->held_until_ms = larger(voter->held_until_ms, over_ms);
        longest_ms = larger(longest_ms, voter->hold_ms);
    }
    voter->hold_ms = next_hold_ms;
    voter->record.hold_ms = larger(longest_ms, next_hold_ms);
}

uint64_t voter_held_ms(const struct core *core)
{
    const uint64_t until_ms = core->voter.held_until_ms;

    return until_ms > core->now_ms ? until_ms - core->now_ms : 0;
}

/* Z15b: with the lengths that a known life names, so that giving it leases writes nothing. A
 * stranger who only asked for an epoch holds up nobody after a restart.
 */
static void promise_to(struct core *core, const struct vote_question *question, bool same_life)
{
    struct voter *voter = &core->voter;
    const struct ballot *ballot = &question->ballot;
    const bool known = voter_knows(core, &ballot->life);
    const uint64_t before_ms = same_life ? voter->record.lease_ms : 0;

    count_promise(core, &ballot->life);
    end_reign(core, known ? question->hold_ms : 0);
    voter->record.promise = *ballot;
    voter->record.lease_ms = larger(before_ms, known ? question->lease_ms : 0);
    voter->record.state = VOTE_RECORD_FOUNDED; /* The claim shows that founding is over (Z8). */
    voter->until_ms = same_life ? voter->until_ms : 0;
    record_changed(core);
    voter->promise_number = voter->number;
    promise_saw_epoch(core, ballot->epoch);
}

/* The guard of a voter: every grant goes through here, and nothing else changes the promise of a
 * record, which is made or loaded as a whole. */
static struct vote bind(struct core *core, const struct vote_question *question)
{
    const struct ballot *promise = &core->voter.record.promise;
    const struct ballot *ballot = &question->ballot;
    const bool same_life = id_equal(&ballot->life, &promise->life);

    if (voter_goes_by_older(core, core->now_ms)) {
        return (struct vote){.result = VOTE_MUTE};
    }
    if (ballot_equal(ballot, promise)) {
        return (struct vote){.result = VOTE_GRANTED};
    }
    if (ballot->epoch < promise->epoch || (ballot->epoch == promise->epoch && !same_life)) {
        return (struct vote){.result = VOTE_REFUSED_EPOCH, .promised = promise->epoch};
    }
    if (!same_life && core->now_ms < core->voter.until_ms &&
        !is_released(core, &question->handed_over)) {
        return (struct vote){.result = VOTE_REFUSED_LEASE,
                             .wait_ms = core->voter.until_ms - core->now_ms};
    }
    if (must_prove(core, ballot)) {
        return (struct vote){.result = VOTE_UNPROVED};
    }
    promise_to(core, question, same_life);
    return (struct vote){.result = VOTE_GRANTED};
}

/* Such an epoch is damage, and would be on disk for good (V7). */
static bool leaps(const struct core *core, uint64_t epoch)
{
    return promise_epoch_leaps(core, epoch);
}

/* --- Answers that wait for the disk --- */

static void forget_waiting(struct core *core, uint32_t index)
{
    struct voter *voter = &core->voter;

    voter->waiting_count--;
    for (uint32_t i = index; i < voter->waiting_count; i++) {
        voter->waiting[i] = voter->waiting[i + 1];
    }
}

/* A newer question of the same asker takes the place of the one before; where there is no room the
 * oldest goes. All are repeated anyway. */
static void keep_waiting(struct core *core, const struct vote_question *question, uint64_t number)
{
    struct voter *voter = &core->voter;
    uint32_t same = 0;

    while (same < voter->waiting_count &&
           (voter->waiting[same].question.kind != question->kind ||
            !id_equal(&voter->waiting[same].question.ballot.life, &question->ballot.life))) {
        same++;
    }
    uint64_t stamp = question->stamp;
    if (same < voter->waiting_count) {
        stamp = stamp != 0 ? stamp : voter->waiting[same].question.stamp;
        forget_waiting(core, same);
    } else if (voter->waiting_count == VOTE_ASKERS_MAX) {
        forget_waiting(core, 0);
    }
    voter->waiting[voter->waiting_count++] = (struct waiting_vote){.question = *question,
                                                                   .number = number};
    voter->waiting[voter->waiting_count - 1].question.stamp = stamp;
    voter->waiting[voter->waiting_count - 1].question.founders = NULL; /* Of the message alone. */
}

/* Answered when the disk has the change of that number: at once, or later. */
static struct vote grant(struct core *core, const struct vote_question *question, uint64_t number)
{
    if (core->voter.synced >= number) {
        return (struct vote){.result = VOTE_GRANTED};
    }
    keep_waiting(core, question, number);
    return (struct vote){.result = VOTE_WAITS};
}

/* Is the answer still what the question was granted? A grant of a claim speaks of the accepted view
 * too, and waits for one that was accepted since. */
static bool may_answer(const struct core *core, const struct waiting_vote *waiting)
{
    const bool speaks_of_view = waiting->question.kind == VOTE_CLAIM;

    return core->voter.synced >= waiting->number && (!speaks_of_view || voter_is_synced(core));
}

static bool is_overtaken(const struct core *core, const struct vote_question *question)
{
    return question->kind != VOTE_FOUNDING &&
           !ballot_equal(&question->ballot, &core->voter.record.promise);
}

bool voter_take_answer(struct core *core, struct vote_question *answered)
{
    struct voter *voter = &core->voter;

    for (uint32_t i = 0; i < voter->waiting_count;) {
        const struct waiting_vote waiting = voter->waiting[i];
        if (is_overtaken(core, &waiting.question)) {
            forget_waiting(core, i);
        } else if (may_answer(core, &waiting)) {
            *answered = waiting.question;
            forget_waiting(core, i);
            return true;
        } else {
            i++;
        }
    }
    return false;
}

/* --- Questions --- */

/* V7c: whoever is in earnest asks again in the next T_stall, and the others may have promised as
 * much. */
static struct vote come_near(struct core *core, const struct ballot *ballot)
{
    if (ballot->epoch <= COUNTER_MAX && !voter_knows(core, &ballot->life)) {
        return (struct vote){.result = VOTE_UNPROVED};
    }
    promise_near_epoch(core, ballot->epoch);
    return (struct vote){.result = VOTE_MUTE};
}

/* Z15a, Z15d: a fellow member has our terms, and so has who proposes a view with this life in it,
 * unless that view has others: it asks for no more than T_stall. Whoever else has other terms, of
 * any profile. Who asks for longer lies, and would hold up the one after it. `proposed` may be
 * NULL.
 */
static bool asks_for_too_long(const struct core *core, const struct vote_question *question,
                              const struct view *proposed)
{
    const bool has_our_terms = (core_is_member(core) &&
                                view_has(&core->view, &question->ballot.life)) ||
                               (proposed != NULL && view_has(proposed, &core->life.self.id));
    const struct timing theirs = has_our_terms ? core->timing : timing_of(PROFILE_WAN);
    const uint64_t lease_ms = larger(core->timing.stall_ms, theirs.lease_ms);
    const uint64_t hold_ms = larger(timing_hold_max_ms(&core->timing), timing_hold_ms(&theirs));

    if (core_is_witness(core)) { /* Z16b: it has no terms, but leases to nobody unproved. */
        return question->lease_ms > LEASE_MS_MAX || question->hold_ms > LEASE_MS_MAX;
    }
    return question->lease_ms > larger(lease_ms, question->lease_max_ms) ||
           question->hold_ms > larger(hold_ms, question->hold_max_ms);
}

/* Z14b: it says that this record is an older copy, which this node does not take from it. What is
 * said in a coordinator's name that coordinator takes back with its next question; others ask none.
 */
static bool has_to_prove_writes(const struct core *core, const struct vote_question *question)
{
    const struct node_id *by = &question->ballot.life;
    const bool may_say = core_is_member(core) ? view_find(&core->view, by) == 0
                                              : is_proved(core, by);

    return question->writes > voter_writes(core) && !may_say;
}

/* Z13a: whoever goes on after the founder is lost has to know the voters by their records. Until
 * the founding is over its founder may name others than before. */
static void learn_founders(struct core *core, const struct vote_question *question, bool is_over)
{
    struct view *accepted = &core->voter.accepted;
    const bool knows = !view_is_empty(accepted) || (is_over && view_is_of_founders(accepted));

    if (question->founders != NULL && !knows && question->founders->hash != accepted->hash &&
        question->founders->lineage == core->voter.record.lineage &&
        voter_lists_find(&question->founders->voters, &core->voter.record.id) != VOTER_NONE) {
        view_copy(accepted, question->founders);
        record_changed(core);
    }
}

struct vote voter_on_claim(struct core *core, const struct vote_question *question)
{
    if (!voter_votes(core, question->lineage) || asks_for_too_long(core, question, NULL)) {
        return (struct vote){.result = VOTE_MUTE};
    }
    if (leaps(core, question->ballot.epoch)) {
        return come_near(core, &question->ballot);
    }
    const bool is_over = core->voter.record.state == VOTE_RECORD_FOUNDED;
    struct vote vote = bind(core, question);
    if (vote.result != VOTE_GRANTED) {
        return vote;
    }
    learn_founders(core, question, is_over);
    return grant(core, question, core->voter.number);
}

/* Z15: a lease never takes back an earlier one; and one that is longer than all before is on disk
 * before anybody is told of it, for a restart takes the longest. */
static void lease(struct core *core, uint64_t length_ms, uint64_t hold_ms)
{
    struct voter *voter = &core->voter;

    if (length_ms > voter->record.lease_ms || hold_ms > voter->record.hold_ms) {
        voter->record.lease_ms = larger(voter->record.lease_ms, length_ms);
        voter->record.hold_ms = larger(voter->record.hold_ms, hold_ms);
        record_changed(core);
        voter->promise_number = voter->number;
    }
    voter->hold_ms = larger(voter->hold_ms, hold_ms);
    voter->until_ms = larger(voter->until_ms, core->now_ms + length_ms);
}

/* Z2e: what a grant speaks of is what the next one to be elected will find here. Returns whether
 * the view is the accepted one now. */
static bool accept_view(struct core *core, const struct view *view)
{
    struct voter *voter = &core->voter;
    const struct view_id theirs = view_id_of(view);
    const struct view_id ours = view_id_of(&voter->accepted);

    if (view_is_empty(&voter->accepted) || view_id_compare(&theirs, &ours) > 0) {
        view_copy(&voter->accepted, view);
        voter->accepted_ms = core->now_ms;
        record_changed(core);
    }
    return voter->accepted.hash == view->hash;
}

struct vote voter_on_prepare(struct core *core, const struct vote_question *asked,
                             const struct view *view)
{
    struct vote_question question = *asked;

    assert(!view_is_empty(view));
    question.kind = VOTE_PREPARE;
    question.lineage = view->lineage;
    question.ballot = (struct ballot){.epoch = view->epoch, .life = view->members[0].id};
    question.view = view_id_of(view);
    question.view_hash = view->hash;
    if (!voter_votes(core, question.lineage) || asks_for_too_long(core, &question, view)) {
        return (struct vote){.result = VOTE_MUTE};
    }
    if (leaps(core, question.ballot.epoch)) {
        return come_near(core, &question.ballot);
    }
    if (!voter_knows(core, &question.ballot.life)) { /* The next winner would build on it. */
        return (struct vote){.result = VOTE_UNPROVED};
    }
    struct vote vote = bind(core, &question);
    if (vote.result != VOTE_GRANTED) {
        return vote;
    }
    if (!accept_view(core, view)) {
        REACHED(another_view_was_accepted);
        return (struct vote){.result = VOTE_REFUSED_EPOCH, .promised = question.ballot.epoch};
    }
    lease(core, question.lease_ms, question.hold_ms);
    return grant(core, &question, core->voter.number);
}

struct vote voter_on_question(struct core *core, const struct vote_question *question)
{
    if (!voter_votes(core, question->lineage) || asks_for_too_long(core, question, NULL)) {
        return (struct vote){.result = VOTE_MUTE};
    }
    if (leaps(core, question->ballot.epoch)) {
        return come_near(core, &question->ballot);
    }
    /* Z2a: one who need not receive the answers would hold the lease for ever. */
    if (!voter_knows(core, &question->ballot.life) || has_to_prove_writes(core, question)) {
        return (struct vote){.result = VOTE_UNPROVED};
    }
    take_word_of_writes(core, question);
    struct vote vote = bind(core, question);
    if (vote.result != VOTE_GRANTED) {
        return vote;
    }
    lease(core, question->lease_ms, question->hold_ms);
    /* It is put again and again, so what has to wait for the disk is not kept. */
    const bool on_disk = core->voter.synced >= core->voter.promise_number;
    return (struct vote){.result = on_disk ? VOTE_GRANTED : VOTE_WAITS};
}

bool voter_disagrees(const struct core *core, const struct heartbeat *heartbeat)
{
    const struct voter *voter = &core->voter;
    const struct view_id accepted = view_id_of(&voter->accepted);

    return !voter->mute && accepted.epoch == heartbeat->view.epoch &&
           view_id_compare(&accepted, &heartbeat->view) >= 0 &&
           voter->accepted.hash != heartbeat->view_hash &&
           core->now_ms >= voter->accepted_ms + core->timing.lost_ms;
}

/* --- Founding (Z8) --- */

/* May this node get a record? One that was damaged may have voted: it is not forgotten so easily.
 */
static bool may_make_record(const struct core *core)
{
    return core->voter.named && !core->voter.damaged && !core->voter.mute && !has_record(core);
}

static void make_record(struct core *core, uint64_t lineage)
{
    core->voter.record = (struct vote_record){
        .id = id_draw(&core->random), .lineage = lineage, .state = VOTE_RECORD_FOUNDING};
    record_changed(core);
}

/* Of another one than it may have had: this one has said nothing yet. */
static void begin_record(struct core *core, uint64_t lineage, enum record_state state)
{
    struct voter *voter = &core->voter;

    make_record(core, lineage);
    voter->record.state = state;
    voter->damaged = false;
    voter->until_ms = 0;
    voter->hold_ms = 0;
    voter->held_until_ms = 0;
    voter->promise_number = voter->number;
    voter->waiting_count = 0;
    view_clear(&voter->accepted);
}

/* No view names it yet: a newcomer has promised before one does (Z11f). */
static bool has_said_nothing(const struct core *core)
{
    const struct voter *voter = &core->voter;

    return voter->record.promise.epoch == 0 && view_is_empty(&voter->accepted) &&
           !view_is_of_founders(&voter->accepted);
}

static bool is_new(const struct core *core)
{
    return !voter_is_synced(core) || core->now_ms < core->voter.synced_ms + core->timing.prepare_ms;
}

/* Z8a: nobody has founded by a record that was not asked for again. */
static bool makes_way(const struct core *core, uint64_t lineage)
{
    const struct voter *voter = &core->voter;

    return voter->record.state == VOTE_RECORD_FOUNDING && voter->record.lineage != lineage &&
           voter->named && !voter->damaged && !voter->mute && !is_new(core) &&
           has_said_nothing(core);
}

struct vote voter_on_founding(struct core *core, const struct vote_question *question)
{
    assert(question->kind == VOTE_FOUNDING);
    if (may_make_record(core)) {
        make_record(core, question->lineage);
    } else if (makes_way(core, question->lineage)) {
        REACHED(voter_made_way);
        begin_record(core, question->lineage, VOTE_RECORD_FOUNDING);
    }
    if (!voter_votes(core, question->lineage) || core->voter.record.state == VOTE_RECORD_FOUNDED) {
        return (struct vote){.result = VOTE_MUTE};
    }
    learn_founders(core, question, false);
    return grant(core, question, core->voter.number);
}

/* A sound one that has said anything, in whatever lineage, is never given up for another: a lineage
 * can be made up (H48). So may that be of an empty one, which is written anew, at times. */
static bool is_kept(const struct core *core, uint64_t lineage)
{
    const struct voter *voter = &core->voter;
    const bool may_vote = voter->record.state == VOTE_RECORD_FOUNDED && !voter->damaged;

    return may_vote &&
           (voter->record.lineage == lineage || is_new(core) || !has_said_nothing(core));
}

static bool wants_record(struct core *core, uint64_t lineage)
{
    if (!core->voter.has_disk || core->voter.mute) {
        return false;
    }
    if (!is_kept(core, lineage)) {
        REACHED(voter_got_another_record);
        begin_record(core, lineage, VOTE_RECORD_FOUNDED);
    }
    return voter_votes(core, lineage);
}

bool voter_has_new_record(struct core *core, uint64_t lineage)
{
    return wants_record(core, lineage) && voter_is_synced(core);
}

struct vote voter_on_wanted(struct core *core, const struct vote_question *question)
{
    return wants_record(core, question->lineage) ? grant(core, question, core->voter.number)
                                                 : (struct vote){.result = VOTE_MUTE};
}

/* Whoever asks it is to learn who votes now, and by which history. */
void voter_retire(struct core *core, const struct view *committed)
{
    struct voter *voter = &core->voter;

    REACHED(voter_retired);
    voter->record.state = VOTE_RECORD_RETIRED;
    view_copy(&voter->accepted, committed);
    voter->waiting_count = 0;
    record_changed(core);
}

/* The latest history that this voter was told of. */
static uint64_t latest_lineage(const struct core *core)
{
    const uint64_t accepted = core->voter.accepted.lineage;

    return accepted != 0 ? accepted : core->voter.record.lineage;
}

bool voter_is_succeeded(const struct core *core, uint64_t lineage)
{
    return has_record(core) && lineage_succeeds(lineage, latest_lineage(core));
}

void voter_on_successor(struct core *core, const struct view *view)
{
    if (voter_is_succeeded(core, view->lineage)) {
        voter_retire(core, view);
    }
}

bool voter_knows_successor(const struct core *core, uint64_t lineage)
{
    return has_record(core) && lineage_succeeds(latest_lineage(core), lineage);
}

bool voter_may_be_left_out(const struct core *core, const struct view_id *committed)
{
    const struct voter *voter = &core->voter;
    const struct view_id accepted = view_id_of(&voter->accepted);

    return voter_votes(core, committed->lineage) && view_id_compare(committed, &accepted) > 0 &&
           voter_lists_find(&voter->accepted.voters, &voter->record.id) != VOTER_NONE;
}

/* It was named, by what it has accepted, and is not by what is committed above that. */
bool voter_is_left_out(const struct core *core, const struct view *committed)
{
    const struct view_id above = view_id_of(committed);

    return voter_may_be_left_out(core, &above) &&
           voter_lists_find(&committed->voters, &core->voter.record.id) == VOTER_NONE;
}

/* Z8i: as a member it must not. A record for another founding has neither promised nor leased
 * anything, and that founding is never over, for there is a cluster. */
static bool may_found_another(const struct core *core, uint64_t lineage)
{
    const struct vote_record *record = &core->voter.record;

    return may_make_record(core) ||
           (record->state == VOTE_RECORD_FOUNDING && record->lineage != lineage);
}

void voter_on_view_installed(struct core *core)
{
    const struct view *view = &core->view;

    if (may_found_another(core, view->lineage)) {
        make_record(core, view->lineage);
        voter_retire(core, view);
    } else if (voter_is_left_out(core, view)) {
        voter_retire(core, view);
    } else {
        voter_on_successor(core, view);
    }
}

uint64_t voter_begin_founding(struct core *core)
{
    if (may_make_record(core)) {
        make_record(core, lineage_of_founding(random_u64(&core->random)));
    }
    return core->voter.record.state == VOTE_RECORD_FOUNDING && !core->voter.mute
               ? core->voter.record.lineage
               : 0;
}

/* Not written: whoever starts again without it asks all once more, and nobody counts on it before
 * *founded* is written, with it (Z8b). */
struct view *voter_name_founders(struct core *core, const struct voter_lists *founders)
{
    struct view *accepted = &core->voter.accepted;

    assert(core->voter.record.state == VOTE_RECORD_FOUNDING);
    view_clear(accepted);
    accepted->lineage = core->voter.record.lineage;
    voter_lists_copy(&accepted->voters, founders);
    view_seal(accepted);
    return accepted;
}

void voter_end_founding(struct core *core, const struct voter_lists *founders)
{
    (void)voter_name_founders(core, founders);
    core->voter.record.state = VOTE_RECORD_FOUNDED;
    record_changed(core);
}

/* --- The disk --- */

void voter_end_step(struct core *core)
{
    struct voter *voter = &core->voter;

    if (voter->number != voter->requested &&
        (!voter->mute || pause_is_over(&voter->rewrite, core->now_ms))) {
        voter->requested = voter->number;
        outbox_sync(core, voter->number);
    }
}

void voter_on_synced(struct core *core, const struct synced_event *synced)
{
    struct voter *voter = &core->voter;

    assert(synced->number <= voter->requested);
    if (!synced->ok) {
        /* What the disk holds now nobody knows, so whatever this voter said could be untrue; until
         * a new file has all of it. */
        voter->sync_failures++;
        voter->mute = true;
        voter->waiting_count = 0;
        pause_begin(&voter->rewrite, core->now_ms, core->timing.retry_ms_max);
        record_changed(core);
    } else if (synced->number > voter->synced) {
        voter->synced = synced->number;
        voter->synced_ms = core->now_ms;
        voter->syncs++;
        voter->mute = voter->mute && !voter_is_synced(core);
    }
}

uint64_t voter_deadline_ms(const struct core *core)
{
    const struct voter *voter = &core->voter;

    return voter->mute && voter->number != voter->requested ? voter->rewrite.over_ms : NEVER_MS;
}
