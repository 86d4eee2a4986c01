/* A change of the view by way of the others (U4): ten members, A to J, are the places 0 to 9. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/agreement/spread.h"
#include "rig.h"

#define TEN "A B C D E F G H I J"

static const struct guard none = {.policy = GUARD_NONE};

/* To whom that type went to be handed on, in the order in which it did: "BCDE". */
static const char *handed_to(const struct rig *rig, enum message_type type, char text[16])
{
    size_t length = 0;

    for (uint32_t i = 0; i < rig->sent_count && length < 15; i++) {
        const struct rig_sent *sent = &rig->sent[i];
        if (sent->message.type == type && sent->relay && !sent->handed_on) {
            text[length++] = sent->to;
        }
    }
    text[length] = '\0';
    return text;
}

/* To whom it went for themselves alone. */
static const char *sent_to(const struct rig *rig, enum message_type type, char text[16])
{
    size_t length = 0;

    for (uint32_t i = 0; i < rig->sent_count && length < 15; i++) {
        const struct rig_sent *sent = &rig->sent[i];
        if (sent->message.type == type && !sent->relay) {
            text[length++] = sent->to;
        }
    }
    text[length] = '\0';
    return text;
}

static void check_handed(const struct rig *rig, enum message_type type, const char *letters)
{
    char text[16];

    cr_assert_str_eq(handed_to(rig, type, text), letters);
}

static void check_sent(const struct rig *rig, enum message_type type, const char *letters)
{
    char text[16];

    cr_assert_str_eq(sent_to(rig, type, text), letters);
}

/* K asks A, the coordinator, to be let in. */
static struct rig *letting_in_k(const char *letters, struct guard guard)
{
    struct rig *rig = rig_with_fanout(letters, 'A', guard, FANOUT_LEAST);

    rig_joins(rig, 'K');
    rig_pass(rig, rig->timing.batch_ms, "");
    return rig;
}

/* --- The coordinator (U4a) --- */

Test(core_spread, the_first_sending_goes_to_a_few)
{
    struct rig *rig = letting_in_k(TEN, none);

    check_handed(rig, MESSAGE_PREPARE, "BCDE");
    check_sent(rig, MESSAGE_PREPARE, "K"); /* It holds no view that a change could be read by. */
    cr_assert(rig_told_briefly(rig, MESSAGE_PREPARE, 'E'));
    rig_free(rig);
}

/* U1a goes on as ever. */
Test(core_spread, who_has_not_answered_is_sent_it)
{
    struct rig *rig = letting_in_k(TEN, none);
    struct message ack = rig_ack(rig, 'K');

    for (const char *at = "BCDFGH"; *at != '\0'; at++) {
        rig_gets(rig, *at, &ack);
    }
    rig_pass(rig, rig->timing.prepare_ms / 25, "");
    check_handed(rig, MESSAGE_PREPARE, "");
    check_sent(rig, MESSAGE_PREPARE, "EIJK");
    rig_free(rig);
}

Test(core_spread, who_holds_another_view_is_sent_it)
{
    struct rig *rig = rig_with_fanout(TEN, 'A', none, FANOUT_LEAST);
    struct view *older = rig_view(rig, TEN);

    older->version--;
    view_seal(older);
    rig_gets(rig, 'H',
             &(struct message){.type = MESSAGE_HEARTBEAT,
                               .heartbeat = {.view = view_id_of(older), .view_hash = older->hash}});
    rig_joins(rig, 'K');
    rig_pass(rig, rig->timing.batch_ms, "");
    check_sent(rig, MESSAGE_PREPARE, "HK");
    rig_free(rig);
}

/* By the view that it makes, in which K has a place. */
Test(core_spread, the_commit_goes_the_same_way)
{
    struct rig *rig = letting_in_k(TEN, none);
    struct message ack = rig_ack(rig, 'K');

    for (const char *at = "BCDEFGHIJK"; *at != '\0'; at++) {
        rig_gets(rig, *at, &ack);
    }
    check_handed(rig, MESSAGE_COMMIT, "BCDE");
    check_sent(rig, MESSAGE_COMMIT, "");
    check_sent(rig, MESSAGE_VIEW, "");
    rig_free(rig);
}

/* U1c: who has not acknowledged is shown the view. */
Test(core_spread, who_missed_the_proposal_is_shown_the_view)
{
    struct rig *rig = letting_in_k(TEN, none);
    struct message ack = rig_ack(rig, 'K');

    for (const char *at = "BCDEFGHIK"; *at != '\0'; at++) {
        rig_gets(rig, *at, &ack);
    }
    rig_pass(rig, rig->timing.prepare_ms + rig->timing.batch_ms, "B C D E F G H I J");
    check_sent(rig, MESSAGE_VIEW, "J");
    rig_free(rig);
}

/* U2f: so nobody waits for a heartbeat. */
Test(core_spread, who_missed_the_commit_asks_for_it)
{
    struct rig *rig = letting_in_k(TEN, none);
    struct message ack = rig_ack(rig, 'K');

    for (const char *at = "BCDEFGHIJK"; *at != '\0'; at++) {
        rig_gets(rig, *at, &ack);
    }
    rig_gets(rig, 'J', &ack);
    check_sent(rig, MESSAGE_COMMIT, "J");
    rig_free(rig);
}

/* --- What goes to each itself (U4a) --- */

Test(core_spread, a_few_members_are_all_sent_it)
{
    struct rig *rig = letting_in_k("A B C D E", none);

    check_handed(rig, MESSAGE_PREPARE, "");
    check_sent(rig, MESSAGE_PREPARE, "BCDEK");
    rig_free(rig);
}

/* Nine others: one more than it sends it to itself, or none more. */
Test(core_spread, its_fanout_says_to_how_many_it_goes_itself)
{
    static const struct {
        uint32_t fanout;
        const char *handed;
        const char *sent;
    } cases[] = {{8, "BCDEFGHI", "K"}, {9, "", "BCDEFGHIJK"}, {FANOUT_DEFAULT, "", "BCDEFGHIJK"}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rig *rig = rig_with_fanout(TEN, 'A', none, cases[i].fanout);
        rig_joins(rig, 'K');
        rig_pass(rig, rig->timing.batch_ms, "");
        check_handed(rig, MESSAGE_PREPARE, cases[i].handed);
        check_sent(rig, MESSAGE_PREPARE, cases[i].sent);
        rig_free(rig);
    }
}

/* A whole view would go SPREAD_WIDTH times to each. */
Test(core_spread, what_travels_whole_goes_to_each)
{
    struct rig *rig = rig_with_fanout(TEN, 'A', none, FANOUT_LEAST);
    struct message join = {.type = MESSAGE_JOIN,
                           .joiner = {.member = member_of('K'), .terms = rig->core->terms}};
    struct tags *tags = &join.joiner.tags;

    tags->length = TAGS_BYTES_MAX; /* One of them would fit, two do not. */
    memset(tags->text, 'v', TAGS_BYTES_MAX);
    memcpy(tags->text, "k=", 2);
    tags->text[TAGS_BYTES_MAX - 1] = '\0';
    for (char joiner = 'K'; joiner <= 'L'; joiner++) {
        const struct member member = member_of(joiner);
        memcpy(join.joiner.member.name, member.name, sizeof member.name);
        join.joiner.member.id = member.id;
        join.joiner.member.address = member.address;
        join.type = MESSAGE_JOIN;
        rig_gets(rig, joiner, &join);
        join.joiner.nonce = rig_told(rig, MESSAGE_OFFER, joiner)->offer.nonce;
        join.type = MESSAGE_READY;
        rig_gets(rig, joiner, &join);
    }
    rig_pass(rig, rig->timing.batch_ms, "");
    check_handed(rig, MESSAGE_PREPARE, "");
    check_sent(rig, MESSAGE_PREPARE, "BCDEFGHIJKL");
    rig_free(rig);
}

/* M4: the other part's members hold another view. */
Test(core_spread, a_merge_goes_to_each)
{
    struct rig *rig = rig_with_fanout(TEN, 'A', none, FANOUT_LEAST);
    struct view *other = rig_view(rig, "K L");
    struct message merge = {.type = MESSAGE_MERGE,
                            .carrier = {.view = other, .merge = 7, .part = rig_part(other, 2)}};

    merge.carrier.part.terms = rig->core->terms;
    rig_gets(rig, 'K', &merge);
    check_handed(rig, MESSAGE_PREPARE, "");
    check_sent(rig, MESSAGE_PREPARE, "BCDEFGHIJKL");
    rig_free(rig);
}

/* --- Whoever gets it (U4b) --- */

/* From A by way of somebody else. */
static struct message spread_of(const struct rig *rig, const struct message *content)
{
    struct message message = rig_message(rig, 'A', content);

    message.relay = true;
    message.number++;
    message.echo = 7; /* of the one who was handed it first */
    return message;
}

static struct message proposal_of(struct view *view)
{
    return (struct message){.type = MESSAGE_PREPARE, .carrier = {.view = view}};
}

static struct message commit_of(const struct view *view)
{
    return (struct message){.type = MESSAGE_COMMIT,
                            .reference = {.view = view_id_of(view), .view_hash = view->hash}};
}

Test(core_spread, what_is_accepted_is_handed_on_as_it_is)
{
    struct rig *rig = rig_with_fanout(TEN, 'B', none, FANOUT_LEAST);
    struct message proposal = proposal_of(rig_next(rig, "+K"));
    struct message spread = spread_of(rig, &proposal);

    rig_gets_raw(rig, &spread);
    check_sent(rig, MESSAGE_ACK, "A");
    check_handed(rig, MESSAGE_PREPARE, "FGHI");
    for (uint32_t i = 0; i < rig->sent_count; i++) {
        const struct rig_sent *sent = &rig->sent[i];
        if (sent->message.type == MESSAGE_PREPARE) {
            cr_assert(id_equal(&sent->message.from, &spread.from), "it is its maker's");
            cr_assert_eq(sent->message.number, spread.number);
            cr_assert(sent->brief && sent->fellow);
            cr_assert_eq(sent->echo, 0, "the echo was for another");
        }
    }
    rig_free(rig);
}

/* Around the end, and never to the maker, to oneself, or to a joiner. */
Test(core_spread, who_is_last_hands_it_to_the_first)
{
    struct rig *rig = rig_with_fanout(TEN, 'C', none, FANOUT_LEAST);
    struct message proposal = proposal_of(rig_next(rig, "+K"));
    struct message spread = spread_of(rig, &proposal);

    rig_gets_raw(rig, &spread);
    check_handed(rig, MESSAGE_PREPARE, "BJ");
    rig_free(rig);
}

/* U4b: they could not read it; D has place 3 of 10. */
Test(core_spread, who_comes_has_no_place)
{
    struct rig *rig = rig_with_fanout(TEN, 'D', none, FANOUT_LEAST);
    struct message proposal = proposal_of(rig_next(rig, "+K"));
    struct message spread = spread_of(rig, &proposal);

    rig_gets_raw(rig, &spread);
    check_handed(rig, MESSAGE_PREPARE, "EFG");
    rig_free(rig);
}

/* U4b: those whom the change leaves out have no place. */
Test(core_spread, who_goes_has_no_place)
{
    struct rig *rig = rig_with_fanout(TEN, 'C', none, FANOUT_LEAST);
    struct message proposal = proposal_of(rig_next(rig, "-B"));
    struct message spread = spread_of(rig, &proposal);

    rig_gets_raw(rig, &spread); /* C has place 1 of 9. */
    check_handed(rig, MESSAGE_PREPARE, "GHIJ");
    rig_free(rig);
}

Test(core_spread, a_second_copy_changes_nothing)
{
    struct rig *rig = rig_with_fanout(TEN, 'B', none, FANOUT_LEAST);
    struct message proposal = proposal_of(rig_next(rig, "+K"));
    struct message spread = spread_of(rig, &proposal);

    rig_gets_raw(rig, &spread);
    rig_gets_raw(rig, &spread);
    cr_assert_eq(rig->sent_count, 0);
    cr_assert_eq(rig->refused_count, 0);
    rig_free(rig);
}

Test(core_spread, what_comes_from_the_maker_is_not_handed_on)
{
    struct rig *rig = rig_with_fanout(TEN, 'B', none, FANOUT_LEAST);
    struct message proposal = proposal_of(rig_next(rig, "+K"));

    rig_gets(rig, 'A', &proposal);
    check_sent(rig, MESSAGE_ACK, "A");
    check_handed(rig, MESSAGE_PREPARE, "");
    rig_free(rig);
}

/* R2: over a bad link, through a relay. */
Test(core_spread, what_was_relayed_is_not_handed_on)
{
    struct rig *rig = rig_with_fanout(TEN, 'B', none, FANOUT_LEAST);
    struct message proposal = proposal_of(rig_next(rig, "+K"));
    struct message relayed = spread_of(rig, &proposal);

    relayed.handed_on = true;
    rig_gets_raw(rig, &relayed);
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'));
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'F'));
    rig_free(rig);
}

Test(core_spread, the_commit_is_handed_on_too)
{
    struct rig *rig = rig_with_fanout(TEN, 'B', none, FANOUT_LEAST);
    struct view *next = rig_next(rig, "+K");
    struct message proposal = proposal_of(next);
    struct message commit = commit_of(next);
    char text[64];

    rig_gets(rig, 'A', &proposal);
    struct message spread = spread_of(rig, &commit);
    rig_gets_raw(rig, &spread);
    cr_assert_str_eq(rig_sees(rig, text), TEN " K");
    check_handed(rig, MESSAGE_COMMIT, "FGHI");
    rig_gets_raw(rig, &spread);
    cr_assert_eq(rig->sent_count, 0);
    cr_assert_eq(rig->refused_count, 0);
    rig_free(rig);
}

/* --- What it is not (U4c) --- */

/* U2: through whom it came changes nothing of whose it has to be. */
Test(core_spread, what_is_not_accepted_is_not_handed_on)
{
    struct rig *rig = rig_with_fanout(TEN, 'B', none, FANOUT_LEAST);
    struct view *next = rig_next(rig, "+K");
    struct message proposal = proposal_of(next);
    struct message spread = spread_of(rig, &proposal);

    spread.from = rig_id(rig, 'C'); /* Nobody but its first member proposes a view (V2a). */
    spread.number = 0;
    rig_ignores_raw(rig, &spread, REFUSED_PROPOSAL_OF_ANOTHER);

    struct view *others = rig_next(rig, "-A");
    struct message theirs = proposal_of(others);
    struct message not_followed = rig_message(rig, 'C', &theirs);
    view_take_out(others, 0);
    view_seal(others);
    not_followed.relay = true;
    rig_gets_raw(rig, &not_followed);
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    cr_assert_eq(rig_count(rig, MESSAGE_ACK), 0);
    rig_free(rig);
}

/* U4b: the message says that it is to be handed on, and the places to whom, whatever this node's
 * own number is. */
Test(core_spread, whoever_would_send_to_all_itself_hands_it_on_too)
{
    struct rig *rig = rig_with_fanout(TEN, 'B', none, FANOUT_MOST);
    struct message proposal = proposal_of(rig_next(rig, "+K"));
    struct message spread = spread_of(rig, &proposal);

    rig_gets_raw(rig, &spread);
    check_handed(rig, MESSAGE_PREPARE, "FGHI");
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'));
    rig_free(rig);
}

/* V4j: a commit of what was not proposed. */
Test(core_spread, a_commit_of_something_else_is_not_handed_on)
{
    struct rig *rig = rig_with_fanout(TEN, 'B', none, FANOUT_LEAST);
    struct view *next = rig_next(rig, "+K");
    struct message commit = commit_of(next);
    struct message spread = spread_of(rig, &commit);

    rig_gets_raw(rig, &spread);
    check_handed(rig, MESSAGE_COMMIT, "");
    check_sent(rig, MESSAGE_PULL, "A");
    rig_free(rig);
}

/* D2a, R2: the maker may be gone since; nor is its link bad because others were handed it first. */
Test(core_spread, it_tells_nothing_of_the_makers_link)
{
    struct rig *rig = rig_with_fanout(TEN, 'B', none, FANOUT_LEAST);
    struct message proposal = proposal_of(rig_next(rig, "-J"));
    const struct node_id a = rig_id(rig, 'A');
    const uint32_t position = view_find(core_view(rig->core), &a);

    rig_pass(rig, rig->timing.heartbeat_ms, "C D E F G H I J");
    const uint64_t heard_ms = rig->core->peers[position].signs.heard_ms;
    struct message spread = spread_of(rig, &proposal);
    rig_gets_raw(rig, &spread);
    cr_assert_eq(rig->core->peers[position].signs.heard_ms, heard_ms);
    cr_assert_eq(rig_count(rig, MESSAGE_ACK), 1, "not around a bad link, too");
    rig_free(rig);
}

/* H49: one who holds the key makes proposals in A's name without end. */
Test(core_spread, nobody_hands_on_without_end)
{
    struct rig *rig = rig_with_fanout(TEN, 'B', none, FANOUT_LEAST);
    struct view *next = rig_next(rig, "+K");
    struct message proposal = proposal_of(next);
    uint32_t count = 0;

    for (uint32_t i = 0; i <= SPREAD_TURNS_MAX; i++) {
        next->version++;
        view_seal(next);
        struct message spread = spread_of(rig, &proposal);
        rig_gets_raw(rig, &spread);
        check_sent(rig, MESSAGE_ACK, "A");
        count += rig_count(rig, MESSAGE_PREPARE) > 0;
    }
    cr_assert_eq(count, SPREAD_TURNS_MAX);
    rig_pass(rig, rig->timing.heartbeat_ms, "A C D E F G H I J");
    next->version++;
    view_seal(next);
    struct message spread = spread_of(rig, &proposal);
    rig_gets_raw(rig, &spread);
    check_handed(rig, MESSAGE_PREPARE, "FGHI");
    rig_free(rig);
}

/* --- Joiners (U4d) --- */

/* A has proposed to let in D, and nothing comes of it for so long. */
static void lets_in_d(struct rig *rig, uint64_t ms)
{
    const struct message proposal = proposal_of(rig_next(rig, "+D"));

    rig_gets(rig, 'A', &proposal);
    cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'));
    rig_pass(rig, ms, "");
}

/* What A sends to D may be lost for its length. */
Test(core_spread, who_comes_is_shown_it_by_the_next_oldest)
{
    struct rig *rig = rig_in("A B C", 'B');
    const struct node_id maker = rig_id(rig, 'A');

    lets_in_d(rig, rig->timing.prepare_ms / 8);
    cr_assert_null(rig_told(rig, MESSAGE_PREPARE, 'D'), "it may be on its way yet");
    rig_pass(rig, rig->timing.prepare_ms / 8, "");
    const struct message *shown = rig_told(rig, MESSAGE_PREPARE, 'D');
    cr_assert_not_null(shown);
    cr_assert(id_equal(&shown->from, &maker));
    cr_assert_not(rig_told_briefly(rig, MESSAGE_PREPARE, 'D'), "it holds no base");
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 1);
    rig_free(rig);
}

Test(core_spread, who_comes_is_shown_it_under_strict_too)
{
    struct rig *rig = rig_strict("A B C", 'B');

    lets_in_d(rig, rig->timing.prepare_ms / 4);
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'D'));
    rig_free(rig);
}

/* H99: who shows it does not know for how long the maker asks. */
Test(core_spread, what_another_shows_asks_no_voter)
{
    struct rig *rig = rig_strict("A B C", 'B');
    struct message shown = proposal_of(rig_next(rig, "+D"));

    rig_votes(rig);
    const uint64_t number = rig->core->voter.number;
    shown = rig_message(rig, 'A', &shown);
    shown.relay = true;
    rig_gets_raw(rig, &shown);
    cr_assert_eq(rig->core->voter.number, number);
    shown.relay = false;
    shown.number++;
    rig_gets_raw(rig, &shown);
    cr_assert_gt(rig->core->voter.number, number);
    rig_free(rig);
}

Test(core_spread, who_comes_is_shown_it_by_one_alone)
{
    struct rig *rig = rig_in("A B C", 'C');

    lets_in_d(rig, rig->timing.prepare_ms / 4);
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_free(rig);

    rig = rig_in("A B C", 'C');
    rig_kill(rig, 'B');
    lets_in_d(rig, rig->timing.prepare_ms / 4);
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'D'));
    rig_free(rig);
}

/* The next oldest may not get it through, either. */
Test(core_spread, who_comes_is_shown_it_by_one_more_each_time)
{
    struct rig *rig = rig_in("A B C E", 'C');

    lets_in_d(rig, rig->timing.prepare_ms / 2);
    cr_assert_not_null(rig_told(rig, MESSAGE_PREPARE, 'D'));
    rig_free(rig);

    rig = rig_in("A B C E", 'E');
    lets_in_d(rig, rig->timing.prepare_ms / 2);
    cr_assert_eq(rig_count(rig, MESSAGE_PREPARE), 0);
    rig_free(rig);
}

/* It takes it for the maker's word, and answers the maker. */
Test(core_spread, who_comes_takes_what_another_shows)
{
    struct rig *rig = rig_joining('D');

    rig_resolves(rig, "B");
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_OFFER, .offer = {.nonce = 7}});
    struct message proposal = proposal_of(rig_view(rig, "A B D"));
    struct message shown = rig_message(rig, 'A', &proposal);
    shown.relay = true;
    shown.number = 0;
    for (int copy = 0; copy < 2; copy++) { /* The maker may not have got its first answer (U4c). */
        rig_gets_raw(rig, &shown);
        cr_assert_not_null(rig_told(rig, MESSAGE_ACK, 'A'));
    }
    rig_free(rig);
}
