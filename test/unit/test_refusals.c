/* What is kept and told of what a node did not act on: for `why`, the status and the log. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <string.h>

#include "control/documents/report_refusals.h"
#include "runtime/node/refusals.h"
#include "seal/seal.h"
#include "view_builder.h"
#include "words/refused_text.h"

static struct refused_message refused_of(char from, enum message_type type, enum refusal reason)
{
    return (struct refused_message){.type = type,
                                    .reason = reason,
                                    .number = 12,
                                    .from = member_of(from).id,
                                    .source = member_of(from).address};
}

static void note(struct refusals *refusals, char from, enum refusal reason, uint64_t now_ms)
{
    const struct refused_message refused = refused_of(from, MESSAGE_CLAIM, reason);

    refusals_note(refusals, &refused, from != 'X', now_ms);
}

/* --- What is kept --- */

Test(refusals, of_one_peer_keep_what_is_unlike_and_count_what_is_alike)
{
    struct refusals refusals = {.logged = 0};
    const struct node_id id = member_of('B').id;

    cr_assert_null(refusals_of(&refusals, &id));
    note(&refusals, 'B', REFUSED_EPOCH_TAKEN, 10);
    for (uint64_t i = 0; i < 1000; i++) {
        note(&refusals, 'B', REFUSED_EPOCH_PROMISED, 20 + i);
    }
    const struct peer_refusals *peer = refusals_of(&refusals, &id);
    cr_assert_not_null(peer);
    cr_expect_eq(peer->items[0].refused.reason, REFUSED_EPOCH_TAKEN);
    cr_expect_eq(peer->items[0].count, 1);
    cr_expect_eq(peer->items[1].refused.reason, REFUSED_EPOCH_PROMISED);
    cr_expect_eq(peer->items[1].count, 1000);
    cr_expect_eq(peer->items[1].last_ms, 1019);
}

Test(refusals, beyond_the_room_of_a_peer_lose_the_oldest)
{
    struct refusals refusals = {.logged = 0};
    const struct node_id id = member_of('B').id;

    for (unsigned i = 0; i <= REFUSALS_PER_PEER; i++) {
        note(&refusals, 'B', (enum refusal)i, 10 + i);
    }
    const struct peer_refusals *peer = refusals_of(&refusals, &id);
    cr_expect_eq(peer->items[0].refused.reason, REFUSALS_PER_PEER);
    cr_expect_eq(peer->items[1].refused.reason, 1);
}

Test(refusals, of_strangers_take_the_place_of_no_member)
{
    struct refusals refusals = {.logged = 0};
    const struct node_id id = member_of('B').id;

    note(&refusals, 'B', REFUSED_EPOCH_TAKEN, 10);
    for (unsigned i = 0; i < 2 * REFUSING_PEERS_MAX; i++) {
        struct refused_message refused = refused_of('X', MESSAGE_PULL, REFUSED_STRANGERS_ANSWERED);
        refused.from.bytes[7] = (uint8_t)i;
        refusals_note(&refusals, &refused, false, 20 + i);
    }
    cr_expect_not_null(refusals_of(&refusals, &id));
    cr_expect_eq(refusals.strangers.items[0].count, 2 * REFUSING_PEERS_MAX);
}

/* --- What is logged --- */

Test(refusals, a_flood_gets_a_few_lines_a_second_and_a_count_of_the_rest)
{
    struct refusals refusals = {.logged = 0};
    uint64_t left_out = 7;
    unsigned lines = 0;

    for (unsigned i = 0; i < 1000; i++) {
        lines += refusals_may_log(&refusals, 5000, &left_out);
    }
    cr_expect_eq(lines, REFUSALS_LOGGED_PER_S);
    cr_expect_eq(left_out, 0);
    cr_expect_not(refusals_may_log(&refusals, 5999, &left_out));
    cr_expect(refusals_may_log(&refusals, 6000, &left_out));
    cr_expect_eq(left_out, 1000 - REFUSALS_LOGGED_PER_S + 1);
    cr_expect(refusals_may_log(&refusals, 6000, &left_out));
    cr_expect_eq(left_out, 0);
}

Test(refusals, a_line_names_rule_reason_type_sender_and_number)
{
    struct built_view built = view_of("A B C");
    struct refused_message refused = refused_of('B', MESSAGE_CLAIM, REFUSED_EPOCH_PROMISED);
    char sender[SENDER_TEXT_MAX];
    char text[REFUSED_TEXT_MAX];

    cr_expect_str_eq(
        refused_text(&refused, sender_text(&built.view, &refused.from, &refused.source, sender),
                     text),
        "rule=C2b reason=epoch_promised type=claim from=B number=12: the epoch is promised to "
        "another");
    refused = refused_of('X', MESSAGE_READY, REFUSED_JOINER_FORGOTTEN);
    refused.number = 0;
    refused.source = (struct address){.port = 0};
    sender_text(&built.view, &refused.from, &refused.source, sender);
    cr_expect_eq(strncmp(sender, "id:", 3), 0, "%s", sender);
    cr_expect_null(strstr(refused_text(&refused, sender, text), "number="));
    view_built_free(&built);
}

/* --- What a client is told --- */

static const json_t *at(const json_t *array, size_t index, const char *key)
{
    return json_object_get(json_array_get(array, index), key);
}

Test(refusals, a_client_gets_the_latest_first_of_one_or_of_all)
{
    struct built_view built = view_of("A B C");
    struct refusals refusals = {.logged = 0};
    const struct facts facts = {.view = &built.view, .refusals = &refusals, .now_ms = 100};

    note(&refusals, 'B', REFUSED_EPOCH_TAKEN, 10);
    note(&refusals, 'B', REFUSED_EPOCH_PROMISED, 20);
    note(&refusals, 'C', REFUSED_CLAIMANT_YOUNGER, 15);
    note(&refusals, 'X', REFUSED_OF_STRANGER, 30);

    json_t *named = report_last_refusals(&facts, "B");
    cr_assert_eq(json_array_size(named), 2);
    cr_expect_str_eq(json_string_value(at(named, 0, "reason")), "epoch_promised");
    cr_expect_str_eq(json_string_value(at(named, 0, "rule")), "C2b");
    cr_expect_str_eq(json_string_value(at(named, 0, "from")), "B");
    cr_expect_eq(json_integer_value(at(named, 0, "since_ms")), 80);
    cr_expect_str_eq(json_string_value(at(named, 1, "reason")), "epoch_taken");

    json_t *all = report_last_refusals(&facts, NULL);
    cr_assert_eq(json_array_size(all), 4);
    cr_expect_str_eq(json_string_value(at(all, 0, "reason")), "of_stranger");
    cr_expect_str_eq(json_string_value(at(all, 1, "reason")), "epoch_promised");
    cr_expect_str_eq(json_string_value(at(all, 2, "reason")), "claimant_younger");

    json_decref(named);
    json_decref(all);
    view_built_free(&built);
}

/* Frames that are no message, and those not opened, stand in the same list, without a rule; changes
 * that could not be made here as well, with theirs. */
Test(refusals, a_client_gets_what_was_met_and_no_zeros)
{
    const struct core_counters counters = {.refused = {[REFUSED_EPOCH_TAKEN] = 3}};
    const struct node_traffic traffic = {.malformed = {[WIRE_OK + 1] = 5},
                                         .sealed_refused = {[SEAL_OTHER_KEY] = 4},
                                         .plain_refused = 1,
                                         .without_base = 2};
    const struct facts facts = {.counters = &counters, .traffic = &traffic};
    json_t *counts = report_refusal_counts(&facts);

    cr_assert_eq(json_array_size(counts), 5);
    cr_expect_str_eq(json_string_value(at(counts, 0, "reason")), "epoch_taken");
    cr_expect_eq(json_integer_value(at(counts, 0, "count")), 3);
    cr_expect(json_is_null(at(counts, 1, "rule")));
    cr_expect_eq(json_integer_value(at(counts, 1, "count")), 5);
    cr_expect_str_eq(json_string_value(at(counts, 2, "reason")),
                     "sealed with a key that this node has not");
    cr_expect_eq(json_integer_value(at(counts, 2, "count")), 4);
    cr_expect_str_eq(json_string_value(at(counts, 3, "reason")), "without_key");
    cr_expect_eq(json_integer_value(at(counts, 3, "count")), 1);
    cr_expect_str_eq(json_string_value(at(counts, 4, "rule")), "U3b");
    cr_expect_eq(json_integer_value(at(counts, 4, "count")), 2);
    json_decref(counts);
}
