#include "control/documents/report_owning.h"

#include <string.h>

#include "control/text/json.h"
#include "partition/tenure.h"
#include "runtime/host/clock.h"

static json_t *set_json(const struct partition_set *set)
{
    json_t *array = json_array();
    bool complete = array != NULL;

    for (uint32_t p = 0; p < PARTITIONS_MAX && complete; p++) {
        complete = !set_has(set, p) || json_array_append_new(array, json_of_number(p)) == 0;
    }
    return json_finished(array, complete);
}

static json_t *batch_json(uint64_t token, const struct partition_set *set)
{
    json_t *object = json_object();

    return json_finished(object, json_put(object, "token", json_of_u64(token)) &&
                                     json_put(object, "partitions", set_json(set)));
}

/* What goes on: a batch for each token, by its first partition. */
static json_t *held_json(const struct owner *owner, uint64_t now_ms)
{
    struct partition_set left = owner->owned;
    json_t *array = json_array();
    bool complete = array != NULL;

    for (uint32_t first = 0; first < owner->options.partitions && complete; first++) {
        struct partition_set set = {.words = {0}};
        const uint64_t token = owner_token(owner, first, now_ms);
        if (token == 0 || !set_has(&left, first) || set_has(&owner->stopping, first)) {
            continue;
        }
        for (uint32_t p = first; p < owner->options.partitions; p++) {
            if (owner->tokens[p] == token && !set_has(&owner->stopping, p)) {
                set_add(&set, p);
                set_remove(&left, p);
            }
        }
        complete = json_array_append_new(array, batch_json(token, &set)) == 0;
    }
    return json_finished(array, complete);
}

/* What it is to own, and waits to be ready for. */
static json_t *incoming_json(const struct owner *owner)
{
    struct partition_set set;

    for (uint32_t i = 0; i < PARTITION_SET_WORDS; i++) {
        set.words[i] = owner->target.words[i] & ~owner->ready.words[i];
    }
    return set_json(&set);
}

static const char *word_of_guard(const struct facts *facts)
{
    return facts->config->guard.policy == GUARD_STRICT ? "exclusive" : "advisory";
}

static uint64_t left_ms(const struct owner *owner, uint64_t now_ms)
{
    return owner->lease != 0 && owner->until_ms > now_ms ? owner->until_ms - now_ms : 0;
}

json_t *report_owned_by(const struct facts *facts, const struct node_id *life)
{
    const struct tenure *tenure = node_tenure(facts->node);
    const struct ledger *ledger = &tenure->ledger;
    uint32_t count = 0;

    if (id_equal(life, &facts->self->id)) {
        return json_of_number(left_ms(&tenure->owner, clock_ms()) > 0 ? tenure->owner.count : 0);
    }
    if (id_is_none(&ledger->self)) {
        return json_null();
    }
    for (uint32_t p = 0; p < ledger->options.partitions; p++) {
        uint64_t token = 0;
        const struct node_id *owner = ledger_owner(ledger, p, &token);
        count += owner != NULL && id_equal(owner, life);
    }
    return json_of_number(count);
}

bool report_owning_put(json_t *object, const struct facts *facts)
{
    const struct owner *owner = &node_tenure(facts->node)->owner;
    const uint64_t now_ms = clock_ms();

    return json_put(object, "owning_is", json_string(word_of_guard(facts))) &&
           json_put(object, "holding_ms", json_of_number(left_ms(owner, now_ms))) &&
           json_put(object, "held", held_json(owner, now_ms)) &&
           json_put(object, "incoming", incoming_json(owner)) &&
           json_put(object, "stopping", set_json(&owner->stopping));
}

bool report_owning_put_token(json_t *object, const struct facts *facts, uint32_t partition)
{
    const struct owner *owner = &node_tenure(facts->node)->owner;
    const uint64_t now_ms = clock_ms();
    const uint64_t token = owner_token(owner, partition, now_ms);

    return json_put(object, "owning_is", json_string(word_of_guard(facts))) &&
           json_put(object, "token", token == 0 ? json_null() : json_of_u64(token));
}

/* --- What programs say ----------------------------------------------------------------------- */

static struct answer no_partitions(void)
{
    return answer_problem(MHD_HTTP_CONFLICT, "no partitions",
                          "start doyend on all members with --partitions N",
                          "this node keeps no partitions");
}

struct answer owning_request_hold(const struct facts *facts)
{
    const struct tenure *tenure = node_tenure(facts->node);
    json_t *object = json_object();

    if (tenure == NULL) {
        json_decref(object);
        return no_partitions();
    }
    const uint64_t until_ms = node_partitions_promise(facts->node);
    const uint64_t now_ms = clock_ms();
    const bool complete =
        json_put(object, "schema", json_integer(1)) &&
        json_put(object, "self", json_of_word(facts->self->name)) &&
        json_put(object, "owning_is", json_string(word_of_guard(facts))) &&
        json_put(object, "holding_ms", json_of_number(until_ms > now_ms ? until_ms - now_ms : 0)) &&
        json_put(object, "deadline_ns",
                 until_ms > now_ms ? json_of_u64(until_ms * CLOCK_NS_PER_MS) : json_null()) &&
        json_put(object, "clock", json_string("CLOCK_BOOTTIME")) &&
        json_put(object, "held",
                 until_ms > now_ms ? held_json(&tenure->owner, now_ms) : json_array());

    return answer_json(MHD_HTTP_OK, json_finished(object, complete));
}

/* Reads a number below `below`, and goes behind it. */
static bool parse_number(const char **at, uint32_t below, uint32_t *number)
{
    const char *begin = *at;

    *number = 0;
    while (**at >= '0' && **at <= '9' && *number < below) {
        *number = *number * 10 + (uint32_t)(**at - '0');
        (*at)++;
    }
    return *at != begin && *number < below;
}

/* Reads "0-3,7", all below `partitions`. */
static bool parse_list(const char *list, uint32_t partitions, struct partition_set *set)
{
    const char *at = list;

    memset(set, 0, sizeof *set);
    while (true) {
        uint32_t first = 0;
        if (!parse_number(&at, partitions, &first)) {
            return false;
        }
        uint32_t last = first;
        if (*at == '-') {
            at++;
            if (!parse_number(&at, partitions, &last) || last < first) {
                return false;
            }
        }
        for (uint32_t p = first; p <= last; p++) {
            set_add(set, p);
        }
        if (*at != ',') {
            return *at == '\0';
        }
        at++;
    }
}

static struct answer say(const struct facts *facts, const char *list,
                         void (*tell)(struct node *node, const struct partition_set *set))
{
    const struct tenure *tenure = node_tenure(facts->node);
    struct partition_set set;

    if (tenure == NULL) {
        return no_partitions();
    }
    if (list == NULL) {
        memset(&set, 0xff, sizeof set);
    } else if (!parse_list(list, tenure->owner.options.partitions, &set)) {
        return answer_problem(MHD_HTTP_BAD_REQUEST, "no list of partitions",
                              "give numbers and ranges, as in 0-3,7, or nothing for all",
                              "%.40s: this node keeps the partitions 0 to %u", list,
                              tenure->owner.options.partitions - 1);
    }
    tell(facts->node, &set);
    json_t *object = json_object();
    return answer_json(
        MHD_HTTP_OK,
        json_finished(object, json_put(object, "schema", json_integer(1)) &&
                                  json_put(object, "self", json_of_word(facts->self->name)) &&
                                  report_owning_put(object, facts)));
}

struct answer owning_request_ready(const struct facts *facts, const char *list)
{
    return say(facts, list, node_partitions_ready);
}

struct answer owning_request_done(const struct facts *facts, const char *list)
{
    return say(facts, list, node_partitions_done);
}
