/* A core that only votes, for it is a witness and no member (Z16). */
#include <assert.h>
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "core/agreement/voter.h"
#include "core/state/state.h"
#include "rig.h"

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

static void proves_itself(struct witness *witness, char life)
{
    const struct node_id id = member_of(life).id;

    voter_proved(witness->core, &id);
}

static void accepts(struct witness *witness, struct built_view *built)
{
    const struct message prepare = {.type = MESSAGE_PREPARE,
                                    .carrier = {.view = &built->view, .lease_ms = 760}};

    proves_itself(witness, 'A');
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

    proves_itself(witness, 'A');
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

    proves_itself(witness, 'A');
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

/* Z16b, Z2a: over a bad line a lease is long, and who need not receive the answers gets none. */
Test(core_witness, who_asks_for_its_lease_has_to_prove_itself)
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
