/* Voters that are no members, above all witnesses (Z16): a core that only votes, and a coordinator
 * that asks one for its lease. */
#include <assert.h>
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "core/agreement/absent.h"
#include "core/agreement/install.h"
#include "core/agreement/voter.h"
#include "core/agreement/voters_change.h"
#include "core/detection/lease.h"
#include "core/state/state.h"
#include "rig.h"

/* --- A core that only votes --- */

enum {
    WITNESS_CAPACITY = 64,
    LINEAGE = 7, /* of the views that view_of builds */
    NONCE = 0x1234,
    PAGE = 4096,
    PAGES_MAX = 6, /* that a witness writes to, where nobody in its view has tags, or is gone */
};

struct witness {
    struct core *core;
    uint8_t *block;
    uint64_t now_ms;
    struct effects effects;
};

static struct witness *witness_new(void)
{
    struct witness *witness = calloc(1, sizeof *witness);
    const struct core_options options = {.name = "W",
                                         .address = member_of('W').address,
                                         .guard = {.policy = GUARD_STRICT},
                                         .timing = timing_of(PROFILE_LAN),
                                         .capacity = WITNESS_CAPACITY,
                                         .has_disk = true,
                                         .random_seed = {1, 2, 3, 4},
                                         .witness = true};

    witness->block = aligned_alloc(PAGE, (core_witness_bytes(WITNESS_CAPACITY) / PAGE + 1) * PAGE);
    memset(witness->block, 0, core_witness_bytes(WITNESS_CAPACITY));
    witness->now_ms = 100000;
    witness->core = core_init(witness->block, &options, witness->now_ms);
    return witness;
}

static void witness_free(struct witness *witness)
{
    free(witness->block);
    free(witness);
}

static void steps(struct witness *witness, struct event event)
{
    event.now_ms = witness->now_ms;
    witness->effects = core_step(witness->core, &event);
}

/* From that stranger, with a nonce. */
static void gets(struct witness *witness, char from, const struct message *content)
{
    struct message message = *content;

    message.from = member_of(from).id;
    message.source = member_of(from).address;
    message.number = 1;
    message.echo = NONCE;
    steps(witness, (struct event){.type = EVENT_MESSAGE, .message = &message});
}

static void syncs(struct witness *witness)
{
    steps(witness, (struct event){.type = EVENT_SYNCED,
                                  .synced = {witness->core->voter.requested, .ok = true}});
}

static const struct effect *effect_of(const struct witness *witness, enum effect_type type)
{
    for (uint32_t i = 0; i < witness->effects.count; i++) {
        if (witness->effects.items[i].type == type) {
            return &witness->effects.items[i];
        }
    }
    return NULL;
}

/* What it sends, to the address of that letter, with its nonce. */
static const struct message *answer_to(const struct witness *witness, char to)
{
    const struct effect *sent = effect_of(witness, EFFECT_SEND);

    if (sent == NULL) {
        return NULL;
    }
    const struct member receiver = member_of(to);
    cr_assert(address_equal(&sent->address, &receiver.address));
    return sent->message;
}

/* What it has sent; there is something. */
static const struct effect *what_it_sent(const struct witness *witness)
{
    const struct effect *sent = effect_of(witness, EFFECT_SEND);

    assert(sent != NULL);
    return sent;
}

static enum refusal refused(const struct witness *witness)
{
    const struct effect *effect = effect_of(witness, EFFECT_REFUSED);

    return effect == NULL ? REFUSED_NOT : effect->refused.reason;
}

static const struct message wants_record = {.type = MESSAGE_CLAIM, .carrier = {.lineage = LINEAGE}};

/* With a record, on disk. */
static struct witness *with_record(void)
{
    struct witness *witness = witness_new();

    gets(witness, 'A', &wants_record);
    cr_assert_null(answer_to(witness, 'A'), "the disk does not have it");
    cr_assert_not_null(effect_of(witness, EFFECT_SYNC));
    syncs(witness);
    const struct message *vote = answer_to(witness, 'A');
    cr_assert_not_null(vote);
    cr_assert_eq(vote->type, MESSAGE_VOTE);
    cr_assert(id_equal(&vote->carrier.vote.record, &witness->core->voter.record.id));
    cr_assert_eq(what_it_sent(witness)->echo, (uint32_t)NONCE);
    return witness;
}

static struct message asks_for_lease(const struct witness *witness, uint64_t epoch,
                                     uint64_t lease_ms)
{
    return (struct message){
        .type = MESSAGE_PING,
        .ping = {.nonce = 99,
                 .subject = witness->core->voter.record.id,
                 .origin = member_of('A').id,
                 .asked = {.lineage = LINEAGE, .epoch = epoch, .lease_ms = lease_ms}}};
}

/* A proposal of the first of them, which names A, B and it; or without it. */
static struct built_view proposal_of(const struct witness *witness, const char *members,
                                     bool with_it, uint64_t version)
{
    struct built_view built = view_of(members);

    view_name_voters(&built.view, with_it ? "A B W" : "A B");
    if (with_it) {
        built.view.voters.voters[2].record = witness->core->voter.record.id;
        built.view.voters.voters[2].witness = true;
    }
    built.view.version = version;
    view_seal(&built.view);
    return built;
}

static struct built_view proposal(const struct witness *witness, bool with_it, uint64_t version)
{
    return proposal_of(witness, "A B", with_it, version);
}

static void accepts(struct witness *witness, struct built_view *built)
{
    const struct message prepare = {.type = MESSAGE_PREPARE,
                                    .carrier = {.view = &built->view, .lease_ms = 760}};
    const struct node_id maker = member_of('A').id;

    voter_proved(witness->core, &maker);
    gets(witness, 'A', &prepare);
    syncs(witness);
    cr_assert_eq(answer_to(witness, 'A')->carrier.vote.result, VOTE_GRANTED);
    cr_assert_eq(witness->core->voter.accepted.hash, built->view.hash);
}

/* Z11e: there is something to echo, or anybody asks in anybody's name. */
Test(core_witness, a_record_is_drawn_for_who_asks_with_a_nonce)
{
    struct witness *witness = witness_new();
    struct message ballot = wants_record;

    ballot.from = member_of('A').id;
    ballot.source = member_of('A').address;
    steps(witness, (struct event){.type = EVENT_MESSAGE, .message = &ballot});
    cr_assert_eq(refused(witness), REFUSED_RECORD_UNASKED);
    ballot.echo = NONCE;
    ballot.fellow = true;
    steps(witness, (struct event){.type = EVENT_MESSAGE, .message = &ballot});
    cr_assert_eq(refused(witness), REFUSED_RECORD_UNASKED);
    witness_free(witness);
    witness_free(with_record());
}

/* Z11e: it may vote already, in whatever lineage. */
Test(core_witness, a_record_that_may_vote_is_kept)
{
    struct witness *witness = with_record();
    const struct node_id id = witness->core->voter.record.id;
    struct message other = wants_record;

    other.carrier.lineage++;
    gets(witness, 'B', &other);
    cr_assert_null(answer_to(witness, 'B'));
    cr_assert(id_equal(&witness->core->voter.record.id, &id));
    witness_free(witness);
}

/* Z11e: whoever makes up a lineage must not keep out the one who has it, nor wear out the disk. */
Test(core_witness, an_empty_record_of_another_lineage_gives_way_after_a_while)
{
    struct witness *witness = with_record();
    const uint64_t pause_ms = witness->core->timing.prepare_ms;
    struct message other = wants_record;

    other.carrier.lineage++;
    witness->now_ms += pause_ms - 1;
    gets(witness, 'B', &other);
    cr_assert_null(effect_of(witness, EFFECT_SYNC));
    witness->now_ms++;
    gets(witness, 'B', &other);
    cr_assert_not_null(effect_of(witness, EFFECT_SYNC));
    gets(witness, 'A', &wants_record);
    cr_assert_null(effect_of(witness, EFFECT_SYNC), "the other one is not on disk yet");
    syncs(witness);
    cr_assert_eq(answer_to(witness, 'B')->carrier.lineage, LINEAGE + 1);
    witness_free(witness);
}

Test(core_witness, a_record_that_has_promised_gives_way_to_no_other_lineage)
{
    struct witness *witness = with_record();
    const struct node_id id = witness->core->voter.record.id;
    const struct message ping = asks_for_lease(witness, 3, 760);
    struct message other = wants_record;

    gets(witness, 'A', &ping);
    syncs(witness);
    witness->now_ms += 10 * witness->core->timing.prepare_ms;
    other.carrier.lineage++;
    gets(witness, 'B', &other);
    cr_assert(id_equal(&witness->core->voter.record.id, &id));
    witness_free(witness);
}

/* Z16b */
Test(core_witness, it_leases_when_the_disk_knows_for_how_long)
{
    struct witness *witness = with_record();
    const struct message ping = asks_for_lease(witness, 3, 760);

    gets(witness, 'A', &ping);
    const struct message *pong = answer_to(witness, 'A');
    cr_assert_eq(pong->type, MESSAGE_PONG);
    cr_assert(!pong->ping.said.leased);
    syncs(witness);
    gets(witness, 'A', &ping);
    pong = answer_to(witness, 'A');
    cr_assert(pong->ping.said.leased);
    cr_assert_eq(pong->ping.said.promised, 3);
    cr_assert_eq(pong->ping.nonce, 99);
    cr_assert(id_equal(&pong->ping.said.record, &witness->core->voter.record.id));
    struct message ballot = {.type = MESSAGE_CLAIM,
                             .carrier = {.lineage = LINEAGE, .epoch = 4, .lease_ms = 760}};
    gets(witness, 'B', &ballot);
    cr_assert_eq(answer_to(witness, 'B')->carrier.vote.result, VOTE_REFUSED_LEASE);
    witness_free(witness);
}

/* Z14b, H48: nor does it believe a stranger's one frame that its record is an older copy. */
Test(core_witness, who_says_that_its_record_is_older_has_to_prove_itself)
{
    struct witness *witness = with_record();
    struct message ping = asks_for_lease(witness, 3, 760);

    ping.ping.asked.record = witness->core->voter.record.id;
    ping.ping.asked.writes = UINT64_MAX;
    gets(witness, 'A', &ping);
    cr_assert_eq(answer_to(witness, 'A')->type, MESSAGE_PING);
    cr_assert_not(voter_goes_by_older(witness->core, witness->now_ms));
    const struct message pong = {.type = MESSAGE_PONG, .ping = answer_to(witness, 'A')->ping};
    gets(witness, 'A', &pong);
    gets(witness, 'A', &ping);
    cr_assert(voter_goes_by_older(witness->core, witness->now_ms));
    witness_free(witness);
}

/* Z16b: who asks means another one, which was here before. */
Test(core_witness, it_answers_for_its_own_record_alone)
{
    struct witness *witness = with_record();
    struct message ping = asks_for_lease(witness, 3, 760);

    ping.ping.subject = record_of('X');
    gets(witness, 'A', &ping);
    cr_assert_null(answer_to(witness, 'A'));
    cr_assert_eq(refused(witness), REFUSED_ONLY_VOTES);
    cr_assert_eq(witness->core->voter.record.promise.epoch, 0);
    witness_free(witness);
}

/* Z15d, H95: over a bad line a lease is long, and one frame gives none of those. */
Test(core_witness, who_asks_for_long_has_to_prove_itself)
{
    struct witness *witness = with_record();
    const struct message ping = asks_for_lease(witness, 3, 40000);

    gets(witness, 'A', &ping);
    const struct message *asked = answer_to(witness, 'A');
    cr_assert_eq(asked->type, MESSAGE_PING);
    const struct message pong = {.type = MESSAGE_PONG, .ping = asked->ping};
    gets(witness, 'A', &pong);
    gets(witness, 'A', &ping);
    syncs(witness);
    gets(witness, 'A', &ping);
    cr_assert(answer_to(witness, 'A')->ping.said.leased);
    cr_assert_eq(witness->core->voter.until_ms, witness->now_ms + 40000);
    witness_free(witness);
}

/* Z16a: it is no member of anything, and nothing is due. */
Test(core_witness, it_does_nothing_else)
{
    static const enum message_type others[] = {MESSAGE_HEARTBEAT, MESSAGE_JOIN, MESSAGE_OFFER,
                                               MESSAGE_COMMIT,    MESSAGE_PULL, MESSAGE_PROBE,
                                               MESSAGE_PONG};
    struct witness *witness = with_record();

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        gets(witness, 'A', &(struct message){.type = others[i]});
        cr_assert_eq(refused(witness), REFUSED_ONLY_VOTES, "%s", message_text(others[i]));
        cr_assert_null(effect_of(witness, EFFECT_SEND));
    }
    steps(witness, (struct event){.type = EVENT_TICK});
    steps(witness, (struct event){.type = EVENT_LEAVE});
    cr_assert_eq(core_phase(witness->core), PHASE_WITNESS);
    cr_assert_eq(core_deadline_ms(witness->core), NEVER_MS);
    cr_assert_eq(core_voter(witness->core, witness->now_ms).status, VOTER_FOUNDED);
    witness_free(witness);
}

/* Z11e: it would name a record that the view which it does not know of retires (Z11h). */
Test(core_witness, who_knows_a_higher_view_than_it_accepted_is_asked_before_it_names_its_record)
{
    struct witness *witness = with_record();
    struct built_view named = proposal(witness, true, 5);
    struct built_view without = proposal(witness, false, 6);
    struct message question = wants_record;

    accepts(witness, &named);
    question.carrier.named = view_reference_of(&named.view);
    gets(witness, 'A', &question);
    cr_assert_eq(answer_to(witness, 'A')->type, MESSAGE_VOTE);
    question.carrier.named = view_reference_of(&without.view);
    gets(witness, 'A', &question);
    cr_assert_eq(refused(witness), REFUSED_CLAIM_VIEW_HIGHER);
    cr_assert_eq(answer_to(witness, 'A')->type, MESSAGE_PULL);
    cr_assert_eq(witness->core->voter.record.state, VOTE_RECORD_FOUNDED);
    view_built_free(&named);
    view_built_free(&without);
    witness_free(witness);
}

/* Z16a, H48: one frame does not take its vote away. */
Test(core_witness, who_shows_a_view_without_it_is_asked)
{
    struct witness *witness = with_record();
    struct built_view named = proposal(witness, true, 5);
    struct built_view without = proposal(witness, false, 6);
    for (uint8_t i = 0; i < 3;
         i++) { /* It is being left out, so a view without it is due (Z11i). */
        named.view.voters.voters[i].before = true;
        named.view.voters.voters[i].now = i < 2;
    }
    named.view.voters.number = 2;
    without.view.voters.number = 2;
    view_seal(&named.view);
    view_seal(&without.view);
    struct message shown = {.type = MESSAGE_VIEW, .carrier = {.view = &without.view}};

    accepts(witness, &named);
    gets(witness, 'A', &shown);
    const struct effect *asked = what_it_sent(witness);
    cr_assert_eq(asked->message->type, MESSAGE_PULL);
    cr_assert_eq(witness->core->voter.record.state, VOTE_RECORD_FOUNDED);
    shown.from = member_of('A').id;
    shown.source = member_of('A').address;
    shown.echo = asked->echo;
    steps(witness, (struct event){.type = EVENT_MESSAGE, .message = &shown});
    cr_assert_eq(witness->core->voter.record.state, VOTE_RECORD_RETIRED);
    cr_assert_not_null(effect_of(witness, EFFECT_SYNC));
    syncs(witness);
    gets(witness, 'A', &wants_record);
    cr_assert_eq(witness->core->voter.record.state, VOTE_RECORD_FOUNDED, "it gets another one");
    view_built_free(&named);
    view_built_free(&without);
    witness_free(witness);
}

/* What it accepted comes back with a grant, however it was lost to those who made it. */
Test(core_witness, a_grant_shows_what_it_accepted)
{
    struct witness *witness = with_record();
    struct built_view named = proposal(witness, true, 5);
    const struct message ballot = {.type = MESSAGE_CLAIM,
                                   .carrier = {.lineage = LINEAGE, .epoch = 4, .lease_ms = 760}};

    accepts(witness, &named);
    witness->now_ms += 761;
    gets(witness, 'B', &ballot);
    syncs(witness);
    const struct message *vote = answer_to(witness, 'B');
    cr_assert_eq(vote->carrier.vote.result, VOTE_GRANTED);
    cr_assert_eq(vote->carrier.view->hash, named.view.hash);
    view_built_free(&named);
    witness_free(witness);
}

/* Z2k: whom it grants a claim it asks at once, so that the proposal need not wait for the proof,
 * without which no stranger's is accepted (Z2a). */
Test(core_witness, who_is_granted_an_epoch_proves_itself_meanwhile)
{
    struct witness *witness = with_record();
    struct built_view former = proposal(witness, true, 5);
    struct built_view next = proposal_of(witness, "B A", true, 6);
    const struct message claim = {.type = MESSAGE_CLAIM,
                                  .carrier = {.lineage = LINEAGE, .epoch = 4, .lease_ms = 760}};
    const struct message prepare = {.type = MESSAGE_PREPARE,
                                    .carrier = {.view = &next.view, .lease_ms = 760}};
    struct message pong = {.type = MESSAGE_PONG};

    accepts(witness, &former);
    witness->now_ms += 761;
    next.view.epoch = 4;
    view_seal(&next.view);
    gets(witness, 'B', &claim);
    pong.ping = answer_to(witness, 'B')->ping; /* While the disk takes the promise. */
    syncs(witness);
    cr_assert_eq(answer_to(witness, 'B')->carrier.vote.result, VOTE_GRANTED);
    gets(witness, 'B', &prepare);
    cr_assert_eq(answer_to(witness, 'B')->type, MESSAGE_PING);
    cr_assert_eq(witness->core->voter.accepted.hash, former.view.hash);
    gets(witness, 'B', &pong);
    gets(witness, 'B', &prepare);
    cr_assert_eq(witness->core->voter.accepted.hash, next.view.hash);
    view_built_free(&former);
    view_built_free(&next);
    witness_free(witness);
}

static uint32_t pages_written(const struct witness *witness)
{
    const size_t bytes = core_witness_bytes(WITNESS_CAPACITY);
    uint32_t pages = 0;

    for (size_t page = 0; page < bytes; page += PAGE) {
        bool written = false;
        for (size_t at = page; at < page + PAGE && at < bytes && !written; at++) {
            written = witness->block[at] != 0;
        }
        pages += written;
    }
    return pages;
}

/* A process has many of them. */
Test(core_witness, little_of_its_block_is_written)
{
    struct witness *witness = with_record();
    struct built_view named = proposal(witness, true, 5);

    accepts(witness, &named);
    cr_log_info("%u pages of %zu", pages_written(witness),
                core_witness_bytes(WITNESS_CAPACITY) / PAGE);
    cr_assert_leq(pages_written(witness), PAGES_MAX);
    view_built_free(&named);
    witness_free(witness);
}

/* --- A coordinator that has one --- */

/* A coordinates A and B, and W is a witness. A and B lease. */
static struct rig *with_witness(void)
{
    struct rig *rig = rig_strict_among("A B C", 'A', "A B W");
    struct view *next = rig_next(rig, "");

    next->voters.voters[2].witness = true;
    view_seal(next);
    install_view(rig->core, next);
    struct vote_record *record = rig_votes(rig);
    record->promise = (struct ballot){.epoch = 1, .life = rig_id(rig, 'A')};
    record->lease_ms = rig->timing.lease_ms;
    record->hold_ms = timing_hold_ms(&rig->timing);
    return rig;
}

/* That question was just put to it, whole and as a change. */
static void gets_both_forms(struct rig *rig, enum message_type type)
{
    bool whole = false;
    bool brief = false;

    for (int ms = 0; ms < 100 && rig_told(rig, type, 'W') == NULL; ms++) {
        rig_pass(rig, 1, "B");
    }
    for (uint32_t i = 0; i < rig->sent_count; i++) {
        const struct rig_sent *sent = &rig->sent[i];
        const bool is_it = sent->message.type == type && sent->to == 'W';
        whole |= is_it && !sent->brief;
        brief |= is_it && sent->brief;
    }
    cr_assert(whole && brief);
}

/* H90: it may hold the base, and nothing long may reach it; or it lacks the base. */
Test(core_witness, it_gets_what_is_long_as_a_change_too)
{
    struct rig *rig = rig_strict_among("A C", 'C', "A C W");

    rig_votes(rig);
    rig_kill(rig, 'A');
    gets_both_forms(rig, MESSAGE_CLAIM);
    rig_free(rig);
    rig = with_witness();
    rig_gets(rig, 'C', &(struct message){.type = MESSAGE_WISH, .wish = {.kind = WISH_LEAVE}});
    gets_both_forms(rig, MESSAGE_PREPARE);
    rig_free(rig);
}

/* W answers the question that was put to it in the last step. */
static void witness_answers(struct rig *rig, uint64_t after_ms, const struct lease_said *said)
{
    const struct message *asked = rig_told(rig, MESSAGE_PING, 'W');

    cr_assert_not_null(asked);
    struct message pong = {.type = MESSAGE_PONG,
                           .from = member_of('W').id,
                           .to = core_self(rig->core)->id,
                           .source = member_of('W').address,
                           .number = 1,
                           .ping = {.nonce = asked->ping.nonce,
                                    .subject = member_of('W').id,
                                    .origin = asked->ping.origin,
                                    .said = *said}};
    rig->now_ms += after_ms;
    rig_gets_raw(rig, &pong);
}

static struct lease_said leased(const struct rig *rig)
{
    return (struct lease_said){
        .promised = core_view(rig->core)->epoch, .leased = true, .record = record_of('W')};
}

/* The next question to W, within so long, while B answers or not; NULL: none came. */
static const struct message *next_question(struct rig *rig, uint64_t ms, bool b_answers)
{
    for (; ms > 0; ms--) {
        rig_pass(rig, 1, "B C");
        const struct message *asked = rig_told(rig, MESSAGE_PING, 'W');
        if (asked != NULL) {
            return asked;
        }
        if (b_answers) {
            rig_leases(rig, 'B');
        }
    }
    return NULL;
}

/* B and W lease to A all the while, and W never answers what brings M in, which is too long. Is A a
 * member after so long that it may have given way? */
static bool goes_on_though_b(bool acknowledges)
{
    struct rig *rig = with_witness();
    const char *answering = acknowledges ? "BC" : "C";

    for (uint64_t ms = 0; ms < 2 * rig->timing.stall_ms && core_phase(rig->core) == PHASE_MEMBER;
         ms += 20) {
        if (ms % 1000 == 0) {
            rig_joins(rig, 'M');
        }
        rig_pass(rig, 20, "B C");
        const bool told = rig_told(rig, MESSAGE_PREPARE, 'C') != NULL;
        const struct message ack = told ? rig_ack(rig, 'C') : (struct message){.number = 0};
        if (rig_told(rig, MESSAGE_PING, 'W') != NULL) {
            const struct lease_said said = leased(rig);
            witness_answers(rig, 1, &said);
        }
        for (const char *letter = answering; told && *letter != '\0'; letter++) {
            rig_gets(rig, *letter, &ack);
        }
        rig_leases(rig, 'B');
    }
    const bool goes_on = core_phase(rig->core) == PHASE_MEMBER;
    rig_free(rig);
    return goes_on;
}

/* L3b: two of three voters get nothing long. */
Test(core_witness, a_coordinator_whom_it_and_a_member_do_not_answer_is_out)
{
    cr_assert_not(goes_on_though_b(false));
    cr_assert(goes_on_though_b(true));
}

/* Z16c: once, to know it; and from then on not while the members lease. */
Test(core_witness, it_is_asked_when_the_leases_of_members_grow_old)
{
    struct rig *rig = with_witness();
    const struct lease_said said = leased(rig);

    cr_assert_not_null(next_question(rig, 2000, true), "to see whether it lives");
    witness_answers(rig, 1, &said);
    cr_assert_null(next_question(rig, 20000, true));
    const struct message *asked = next_question(rig, timing_act_ms(rig->timing.lease_ms), false);
    cr_assert_not_null(asked, "B answers no more");
    cr_assert(core_is_acting(rig->core, rig->now_ms), "while there is time");
    cr_assert(id_equal(&asked->ping.subject, &said.record));
    cr_assert_eq(asked->ping.asked.epoch, said.promised);
    witness_answers(rig, 1, &said);
    rig_pass(rig, timing_act_ms(rig->timing.lease_ms) / 2, "C");
    cr_assert(core_is_acting(rig->core, rig->now_ms));
    rig_free(rig);
}

/* Z16b: over a bad line several questions may be lost. */
Test(core_witness, a_lease_lasts_for_ten_round_trips)
{
    struct rig *rig = with_witness();
    const struct lease_said said = leased(rig);

    cr_assert_not_null(next_question(rig, 2000, true));
    witness_answers(rig, 200, &said);
    cr_assert_eq(core_voter_contact(rig->core, 2, rig->now_ms).round_trip_ms, 200);
    cr_assert(core_voter_contact(rig->core, 2, rig->now_ms).answers);
    const struct message *asked = next_question(rig, timing_act_ms(rig->timing.lease_ms), false);
    cr_assert_not_null(asked);
    cr_assert_geq(asked->ping.asked.lease_ms, 2000);
    cr_assert_eq(asked->ping.asked.lease_ms % rig->timing.lease_ms, 0);
    const uint64_t sent_ms = rig->now_ms;
    const uint64_t length_ms = asked->ping.asked.lease_ms;
    witness_answers(rig, 150, &said);
    cr_assert_eq(lease_voter_until(rig->core, &said.record), sent_ms + length_ms * 4 / 5 - 2,
                 "counted from the question");
    cr_assert_leq(core_acting_until_ms(rig->core, rig->now_ms),
                  rig->now_ms + timing_act_ms(rig->timing.lease_ms));
    rig_free(rig);
}

/* H52: who was not asked, or asked something else, gives no lease. */
Test(core_witness, only_the_answer_to_its_question_counts)
{
    struct rig *rig = with_witness();
    struct lease_said said = leased(rig);

    cr_assert_not_null(next_question(rig, 2000, true));
    struct message pong = {.type = MESSAGE_PONG,
                           .from = member_of('W').id,
                           .to = core_self(rig->core)->id,
                           .source = member_of('W').address,
                           .number = 1,
                           .ping = {.nonce = rig_told(rig, MESSAGE_PING, 'W')->ping.nonce ^ 1,
                                    .subject = member_of('W').id,
                                    .origin = rig_id(rig, 'A'),
                                    .said = said}};
    rig_gets_raw(rig, &pong);
    cr_assert_eq(lease_voter_until(rig->core, &said.record), 0);
    pong.ping.nonce ^= 1;
    pong.ping.said.record = record_of('B');
    const uint64_t before_ms = lease_voter_until(rig->core, &pong.ping.said.record);
    rig_gets_raw(rig, &pong);
    cr_assert_eq(lease_voter_until(rig->core, &pong.ping.said.record), before_ms);
    pong.ping.said = (struct lease_said){.promised = said.promised, .record = said.record};
    rig_gets_raw(rig, &pong);
    cr_assert_eq(lease_voter_until(rig->core, &said.record), 0, "bound, and not leased");
    pong.ping.said = said;
    rig_gets_raw(rig, &pong);
    cr_assert_gt(lease_voter_until(rig->core, &said.record), rig->now_ms);
    rig_free(rig);
}

/* H80: else a change would count on it for minutes. */
Test(core_witness, that_one_answered_before_it_was_a_member_says_nothing_of_when_it_has_gone)
{
    struct rig *rig = rig_strict_among("A B C", 'A', "A B W");
    const struct lease_said said = leased(rig);

    cr_assert_not_null(next_question(rig, 2000, true));
    witness_answers(rig, 1, &said);
    cr_assert(absent_is_fresh(rig->core, &said.record));
    install_view(rig->core, rig_next(rig, "+W"));
    cr_assert_not(absent_is_fresh(rig->core, &said.record));
    install_view(rig->core, rig_next(rig, "-W"));
    cr_assert_not(absent_is_fresh(rig->core, &said.record));
    cr_assert_not_null(next_question(rig, 10, true), "it is asked at once");
    rig_free(rig);
}

/* Z16d, H89 */
Test(core_witness, nobody_is_let_in_under_its_name_or_address)
{
    struct rig *rig = with_witness();
    struct joiner content = {.member = member_of('W'), .terms = rig->core->terms};

    rig_refuses(rig, 'W', &(struct message){.type = MESSAGE_JOIN, .joiner = content},
                REFUSED_NAME_IN_USE);
    content.member = member_of('D');
    content.member.address = member_of('W').address;
    rig_refuses(rig, 'W', &(struct message){.type = MESSAGE_JOIN, .joiner = content},
                REFUSED_NAME_IN_USE);
    rig_free(rig);
}

static struct voters_wish wish_with(const struct rig *rig, const char *name, char at, bool anew)
{
    struct voters_wish wish = {.number = core_view(rig->core)->voters.number,
                               .count = 3,
                               .voters = {{.name = "A"}, {.name = "B"}}};

    wish.voters[2].anew = anew;
    wish.voters[2].witness = member_of(at).address;
    strcpy(wish.voters[2].name, name);
    return wish;
}

/* Z16d, H89 */
Test(core_witness, it_has_neither_name_nor_address_of_another)
{
    static const struct {
        const char *name;
        char at;
        bool anew;
        enum unagreed against;
    } cases[] = {
        {"V", 'V', false, UNAGREED_NOT},    {"C", 'V', false, UNAGREED_VOTERS},
        {"V", 'C', false, UNAGREED_VOTERS}, {"V", 'W', false, UNAGREED_VOTERS},
        {"W", 'W', false, UNAGREED_SAME},   {"W", 'W', true, UNAGREED_NOT},
        {"W", 'V', false, UNAGREED_VOTERS}, {"W", 'V', true, UNAGREED_NOT},
        {"B", 'V', false, UNAGREED_VOTERS},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig *rig = with_witness();
        const struct voters_wish wish = wish_with(rig, cases[i].name, cases[i].at, cases[i].anew);

        rig_pass(rig, rig->timing.heartbeat_ms, "B C");
        rig_leases(rig, 'B');
        cr_expect_eq(voters_change_against(rig->core, &wish), cases[i].against, "%s at %c",
                     cases[i].name, cases[i].at);
        rig_free(rig);
    }
}

/* Z16d, H83: where the others are lost, nobody would know of it after a restart of all. */
Test(core_witness, it_is_no_more_than_half_of_the_voters)
{
    struct rig *rig = with_witness();
    struct voters_wish wish = {
        .number = core_view(rig->core)->voters.number, .count = 1, .voters = {{.name = "W"}}};

    rig_pass(rig, rig->timing.heartbeat_ms, "B C");
    rig_leases(rig, 'B');
    cr_assert_eq(voters_change_against(rig->core, &wish), UNAGREED_VOTERS);
    wish.voters[wish.count++] = (struct wished_voter){.name = "A"};
    cr_assert_eq(voters_change_against(rig->core, &wish), UNAGREED_GUARD, "it is not heard");
    const struct voters_wish second = wish_with(rig, "V", 'V', false);
    wish.voters[wish.count++] = second.voters[second.count - 1];
    cr_assert_eq(voters_change_against(rig->core, &wish), UNAGREED_VOTERS, "two of three");
    rig_free(rig);
}

/* Z11e, Z16d: what draws a record for it is the question that it was asked. */
Test(core_witness, a_new_one_answers_from_its_address_with_the_nonce)
{
    struct rig *rig = with_witness();
    const struct voters_wish wish = wish_with(rig, "V", 'V', false);
    const struct message terms = {.type = MESSAGE_WISH,
                                  .wish = {.kind = WISH_TERMS, .terms.voters = wish}};
    const struct voter_lists *lists = &rig->core->voters_change.lists;

    rig_pass(rig, rig->timing.heartbeat_ms, "B C");
    rig_leases(rig, 'B');
    rig_gets(rig, 'C', &terms);
    uint32_t echo = 0;
    for (uint32_t i = 0; i < rig->sent_count; i++) {
        echo = rig->sent[i].to == 'V' && rig->sent[i].message.type == MESSAGE_CLAIM
                   ? rig->sent[i].echo
                   : echo;
    }
    cr_assert_neq(echo, 0);
    struct message vote = {
        .type = MESSAGE_VOTE,
        .from = member_of('V').id,
        .to = core_self(rig->core)->id,
        .source = member_of('X').address,
        .echo = echo,
        .carrier = {
            .lineage = core_view(rig->core)->lineage,
            .vote = {.record = record_of('V'), .kind = VOTE_FOUNDING, .result = VOTE_GRANTED}}};
    const uint8_t place = voter_lists_find_name(lists, "V");
    rig_gets_raw(rig, &vote);
    cr_assert(id_is_none(&lists->voters[place].record), "another address");
    vote.source = member_of('V').address;
    vote.echo++;
    rig_gets_raw(rig, &vote);
    cr_assert(id_is_none(&lists->voters[place].record), "another nonce");
    vote.echo--;
    rig_gets_raw(rig, &vote);
    cr_assert(id_equal(&lists->voters[place].record, &vote.carrier.vote.record));
    cr_assert_not_null(rig_told(rig, MESSAGE_PING, 'V'), "for its lease");
    rig_free(rig);
}
