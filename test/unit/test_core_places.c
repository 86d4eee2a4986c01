/* Who has a place under guard majority (G1c to G1e). */
#include <criterion/criterion.h>

#include "core/agreement/next_view.h"
#include "core/detection/numbers.h"
#include "core/detection/watch.h"
#include "rig.h"

/* Five are stated, A to C are in, and the gone are listed. */
static struct rig *rig_without(const char *gone)
{
    struct rig *rig = rig_guarded("A B C", 'A',
                                  (struct guard){.policy = GUARD_MAJORITY, .count = 5});

    for (; *gone != '\0'; gone++) {
        const struct member member = member_of(*gone);
        struct gone entry = {.id = member.id,
                             .address = member.address,
                             .reason = GONE_FAILED,
                             .accusers = {1},
                             .accuser_count = 1};
        memcpy(entry.name, member.name, sizeof entry.name);
        view_add_gone(&rig->core->view, &entry);
    }
    return rig;
}

static bool has_room(const struct rig *rig, char letter)
{
    const struct member joiner = member_of(letter);

    return next_view_has_room(rig->core, core_view(rig->core), &joiner);
}

Test(core_places, whoever_failed_keeps_its_place)
{
    struct rig *rig = rig_without("D");

    cr_assert(has_room(rig, 'D'));
    cr_assert(has_room(rig, 'E'));
    rig_free(rig);
    rig = rig_without("DE");
    cr_assert(has_room(rig, 'D'));
    cr_assert_not(has_room(rig, 'F'));
    rig_free(rig);
}

/* Somebody may have made up the others. */
Test(core_places, whoever_has_one_comes_in_whatever_places_there_are)
{
    struct rig *rig = rig_without("DEFGH");

    cr_assert(has_room(rig, 'D'));
    cr_assert_not(has_room(rig, 'I'));
    rig->core->view.gone[0].reason = GONE_LEFT;
    cr_assert_not(has_room(rig, 'D'));
    rig_free(rig);
}

/* G1d: B has come to its address; but if it never showed that it was there, somebody only said so,
 * and B was there before. */
Test(core_places, whoever_never_was_where_another_is_has_one)
{
    struct rig *rig = rig_without("DEFGH");

    rig->core->view.gone[0].address = member_of('B').address;
    cr_assert_not(has_room(rig, 'D'));
    rig->core->numbers.proofs[0] = PROOF_LACKING;
    cr_assert(has_room(rig, 'D'));
    cr_assert_not(has_room(rig, 'I'));
    rig->core->view.gone[0].reason = GONE_LEFT;
    cr_assert_not(has_room(rig, 'D'));
    rig_free(rig);
}

/* J4 ends the former life before the next one is let in. */
Test(core_places, whoever_replaces_its_former_life_has_a_place)
{
    struct rig *rig = rig_without("DEFGH");

    rig->core->view.gone[0].reason = GONE_REPLACED;
    cr_assert(has_room(rig, 'D'));
    cr_assert_not(has_room(rig, 'I'));
    rig_free(rig);
    rig = rig_without("DE");
    rig->core->view.gone[0].reason = GONE_REPLACED;
    cr_assert(has_room(rig, 'I'), "nobody else waits for who was replaced");
    rig_free(rig);
}

/* Whoever removed them had no proof of them, and this node came in later. */
Test(core_places, a_failure_without_an_accuser_keeps_none)
{
    struct rig *rig = rig_without("DE");

    rig->core->view.gone[0].accuser_count = 0;
    cr_assert(has_room(rig, 'F'));
    rig_free(rig);
    rig = rig_without("DEFG");
    rig->core->view.gone[0].accuser_count = 0;
    cr_assert(has_room(rig, 'D'), "but it may come back");
    cr_assert_not(has_room(rig, 'H'));
    rig_free(rig);
    rig = rig_without("DE");
    rig->core->view.gone[0].accuser_count = 0;
    rig->core->view.gone[0].reason = GONE_MOVED;
    cr_assert_not(has_room(rig, 'F'), "it said itself where it went");
    rig_free(rig);
}

Test(core_places, no_place_is_beyond_the_stated_size)
{
    struct rig *rig = rig_guarded("A B C D E", 'A',
                                  (struct guard){.policy = GUARD_MAJORITY, .count = 5});
    const struct member failed = member_of('F');
    struct gone entry = {.id = failed.id, .address = failed.address, .reason = GONE_FAILED};

    memcpy(entry.name, failed.name, sizeof entry.name);
    view_add_gone(&rig->core->view, &entry);
    cr_assert_not(has_room(rig, 'F'));
    rig_free(rig);
}

/* Whoever is gone failed, and A accuses it. */
static void shows(struct rig *rig, const char *changes)
{
    struct view *view = rig_next(rig, changes);
    struct message shown = {.type = MESSAGE_VIEW, .carrier = {.view = view}};

    for (uint32_t i = 0; i < view->gone_count; i++) {
        view->gone[i].accusers[0] = 1;
        view->gone[i].accuser_count = 1;
    }
    view_seal(view);
    rig_gets(rig, 'A', &shown);
}

/* C's lifeline was opened, D's was not. */
Test(core_places, who_never_showed_that_it_receives_has_none)
{
    struct rig *rig = rig_guarded("A B C", 'B',
                                  (struct guard){.policy = GUARD_MAJORITY, .count = 4});
    const struct node_id proved = rig_id(rig, 'C');
    const struct node_id unproved = rig_id(rig, 'D');

    shows(rig, "+D");
    cr_assert_not(numbers_lack_proof(rig->core, &proved));
    cr_assert(numbers_lack_proof(rig->core, &unproved));
    cr_assert_not(numbers_lack_proof(rig->core, &core_self(rig->core)->id));
    shows(rig, "-C -D");
    cr_assert_not(numbers_lack_proof(rig->core, &proved));
    cr_assert(numbers_lack_proof(rig->core, &unproved));
    cr_assert(has_room(rig, 'E'));
    shows(rig, "+E");
    cr_assert_not(numbers_lack_proof(rig->core, &proved));
    cr_assert(numbers_lack_proof(rig->core, &unproved));
    cr_assert_not(has_room(rig, 'F'));
    rig_free(rig);
}

/* --- What shows that a member receives at its address (G1e) --- */

/* B, and D has come in, of which it has not heard yet. */
static struct rig *rig_beside_d(void)
{
    struct rig *rig = rig_guarded("A B C", 'B',
                                  (struct guard){.policy = GUARD_MAJORITY, .count = 4});

    shows(rig, "+D");
    return rig;
}

static bool lacks_proof(const struct rig *rig)
{
    const struct node_id id = rig_id(rig, 'D');

    return numbers_lack_proof(rig->core, &id);
}

/* B's question to D, which D's second word brings. */
static struct message question(struct rig *rig)
{
    rig_hears(rig, 'D');
    rig_pass(rig, timing_question_ms(&rig->timing), "");
    rig_hears(rig, 'D');
    const struct message *ping = rig_told(rig, MESSAGE_PING, 'D');
    cr_assert_not_null(ping);
    return *ping;
}

/* Anybody can send in its name, and as if from its address. */
Test(core_places, who_only_spoke_has_none)
{
    struct rig *rig = rig_beside_d();

    rig_hears(rig, 'D');
    cr_assert(lacks_proof(rig));
    shows(rig, "-D");
    cr_assert(lacks_proof(rig));
    cr_assert(has_room(rig, 'E'));
    rig_free(rig);
}

Test(core_places, whose_lifeline_was_opened_has_one)
{
    struct rig *rig = rig_beside_d();

    rig_links(rig, 'D', LINK_OPENED);
    cr_assert_not(lacks_proof(rig));
    shows(rig, "-D");
    shows(rig, "+E");
    cr_assert_not(has_room(rig, 'F'));
    rig_free(rig);
}

/* Its lifeline may be on its way when it is first heard. */
Test(core_places, who_is_heard_and_showed_nothing_is_asked)
{
    struct rig *rig = rig_beside_d();

    rig_hears(rig, 'D');
    cr_assert_null(rig_told(rig, MESSAGE_PING, 'D'));
    rig_pass(rig, timing_question_ms(&rig->timing) - 1, "");
    rig_hears(rig, 'D');
    cr_assert_null(rig_told(rig, MESSAGE_PING, 'D'));
    rig_pass(rig, 1, "");
    rig_hears(rig, 'D');
    cr_assert_not_null(rig_told(rig, MESSAGE_PING, 'D'));
    rig_links(rig, 'D', LINK_OPENED);
    rig_pass(rig, timing_question_ms(&rig->timing), "");
    rig_hears(rig, 'D');
    cr_assert_null(rig_told(rig, MESSAGE_PING, 'D'), "it has shown it");
    rig_free(rig);
}

/* A host in between may let no streams pass. */
Test(core_places, who_answers_has_one)
{
    struct rig *rig = rig_beside_d();
    struct message pong = question(rig);

    pong.type = MESSAGE_PONG;
    pong.ping.nonce++;
    rig_gets(rig, 'D', &pong);
    cr_assert(lacks_proof(rig), "another question's");
    pong.ping.nonce--;
    rig_pass(rig, 2 * rig->timing.heartbeat_ms, "D");
    rig_gets(rig, 'D', &pong);
    cr_assert_not(lacks_proof(rig), "however long that takes");
    rig_free(rig);
}

/* Those who are asked for help know what the question was (R1). */
Test(core_places, who_answers_a_verification_may_be_a_helper)
{
    struct rig *rig = rig_beside_d();
    struct peer_charge *charge = &rig->core->peers[3].charge;

    charge->verify.until_ms = rig->now_ms + rig->timing.verify_ms;
    charge->nonce = 77;
    rig_gets(rig, 'D',
             &(struct message){.type = MESSAGE_PONG,
                               .ping = {.nonce = 77,
                                        .subject = rig_id(rig, 'D'),
                                        .origin = core_self(rig->core)->id}});
    cr_assert(lacks_proof(rig));
    rig_free(rig);
}

/* Its READY brought the nonce that was sent there (J3a). That says nothing of C, who is drained and
 * comes behind it. */
Test(core_places, who_was_let_in_by_this_node_has_one)
{
    struct rig *rig = rig_guarded("A B C", 'A',
                                  (struct guard){.policy = GUARD_MAJORITY, .count = 4});
    const struct node_id id = rig_id(rig, 'D');
    const struct node_id drained = rig_id(rig, 'C');

    rig->core->view.members[2].drained = true;
    rig->core->peers[2].number.proof = PROOF_LACKING;
    rig_joins(rig, 'D');
    rig_pass(rig, rig->timing.batch_ms, "B C");
    struct message ack = rig_ack(rig, 'D');
    rig_gets(rig, 'B', &ack);
    rig_gets(rig, 'C', &ack);
    rig_gets(rig, 'D', &ack);
    cr_assert_eq(view_find(core_view(rig->core), &drained), 3);
    cr_assert_not(numbers_lack_proof(rig->core, &id));
    cr_assert(numbers_lack_proof(rig->core, &drained));
    rig_free(rig);
}

/* No life has two addresses: one of the views was made up. */
Test(core_places, who_is_listed_at_another_address_has_to_show_it_there)
{
    struct rig *rig = rig_beside_d();

    rig_links(rig, 'D', LINK_OPENED);
    struct view *view = rig_next(rig, "");
    const struct node_id id = rig_id(rig, 'D');
    view->members[view_find(view, &id)].address.port++;
    view_seal(view);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}});
    cr_assert_eq(core_view(rig->core)->version, view->version);
    cr_assert(lacks_proof(rig));
    struct message pong = question(rig);
    pong.type = MESSAGE_PONG;
    rig_gets(rig, 'D', &pong);
    cr_assert_not(lacks_proof(rig));
    rig_free(rig);
}

/* A merge brings it back, and it is cut off again before anything comes of it. */
Test(core_places, who_comes_back_has_shown_what_it_showed)
{
    for (enum proof proof = PROOF_UNKNOWN; proof <= PROOF_GIVEN; proof++) {
        struct rig *rig = rig_beside_d();

        rig->core->peers[3].number.proof = proof;
        shows(rig, "-D");
        shows(rig, "+D");
        cr_assert_eq(core_view(rig->core)->member_count, 4);
        cr_assert_eq(rig->core->peers[3].number.proof, proof);
        rig_free(rig);
    }
}

/* Who comes in and is watched by others alone may have shown it to them, also when the rings have
 * turned and this node watches it. */
Test(core_places, on_rings_who_is_watched_by_others_has_one)
{
    struct rig *rig = rig_on_rings("A B C D E F G H I J", 'B');
    uint32_t watched_later = 0;

    shows(rig, "+K +L +M +N +O +P");
    rig_hears(rig, 'A');
    for (char letter = 'K'; letter <= 'P'; letter++) {
        const struct node_id id = rig_id(rig, letter);
        const uint32_t at = view_find(core_view(rig->core), &id);
        cr_assert_eq(numbers_lack_proof(rig->core, &id), watch_is_edge(rig->core, at));
    }
    static const char *const changes[] = {"-C -D", "-E -F -G", "-H -I -J"};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        bool lacked[UINT8_MAX] = {false};
        for (char letter = 'K'; letter <= 'P'; letter++) {
            const struct node_id id = rig_id(rig, letter);
            lacked[(uint8_t)letter] = numbers_lack_proof(rig->core, &id);
        }
        shows(rig, changes[i]);
        for (char letter = 'K'; letter <= 'P'; letter++) {
            const struct node_id id = rig_id(rig, letter);
            const uint32_t at = view_find(core_view(rig->core), &id);
            cr_assert_eq(numbers_lack_proof(rig->core, &id), lacked[(uint8_t)letter]);
            watched_later += watch_is_edge(rig->core, at) && !lacked[(uint8_t)letter];
        }
    }
    cr_assert_gt(watched_later, 0);
    rig_free(rig);
}

/* G1g, H48: all who are shown what one frame made up install it, and for all of them others may
 * know whom it invented. Its coordinator has to name it. */
Test(core_places, on_rings_who_came_with_a_view_that_nobody_named_has_none)
{
    struct rig *rig = rig_on_rings("A B C D E F G H I J", 'B');
    uint32_t others = 0;

    shows(rig, "+K +L +M +N +O +P");
    rig_hears(rig, 'C');
    for (char letter = 'K'; letter <= 'P'; letter++) {
        const struct node_id id = rig_id(rig, letter);
        cr_assert(numbers_lack_proof(rig->core, &id));
    }
    rig_hears(rig, 'A');
    for (char letter = 'K'; letter <= 'P'; letter++) {
        const struct node_id id = rig_id(rig, letter);
        others += !numbers_lack_proof(rig->core, &id);
    }
    cr_assert_gt(others, 0, "whom others watch");
    rig_free(rig);
}

/* G1g: nor does who never was a member here, and is listed as failed. */
Test(core_places, who_failed_in_a_view_that_nobody_named_has_none)
{
    struct rig *rig = rig_guarded("A B C", 'B',
                                  (struct guard){.policy = GUARD_MAJORITY, .count = 4});
    struct view *view = rig_next(rig, "");
    const struct gone failed = {.id = member_of('D').id,
                                .address = member_of('D').address,
                                .reason = GONE_FAILED,
                                .name = "D",
                                .accusers = {1},
                                .accuser_count = 1};

    view_add_gone(view, &failed);
    view_seal(view);
    rig_gets(rig, 'A', &(struct message){.type = MESSAGE_VIEW, .carrier = {.view = view}});
    cr_assert_eq(core_view(rig->core)->gone_count, 1);
    cr_assert(has_room(rig, 'E'));
    rig_hears(rig, 'A');
    cr_assert_not(has_room(rig, 'E'), "A knew it");
    rig_free(rig);
}
