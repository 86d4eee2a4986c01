/* The counters of the last five minutes. */
#include <criterion/criterion.h>

#include "control/documents/counter_past.h"

static json_int_t number_of(const json_t *sample, const char *key)
{
    return json_integer_value(json_object_get(sample, key));
}

Test(control_counter_past, keeps_the_last_five_minutes_oldest_first)
{
    static struct counter_past past;
    static struct core_counters counters;
    static struct node_traffic traffic;
    const struct member self = {.name = "athens"};
    struct facts facts = {.counters = &counters, .traffic = &traffic, .self = &self};

    for (uint64_t i = 1; i <= COUNTER_PAST_MAX + 9; i++) {
        facts.now_ms = i * COUNTER_PAST_EVERY_MS;
        traffic.bytes_in = i;
        counters.refused[0] = 2 * i;
        counters.refused[REFUSED_COUNT - 1] = i;
        traffic.plain_refused = i;
        counter_past_note(&past, &facts);
    }
    facts.now_ms += 7;
    json_t *document = counter_past_json(&past, &facts);
    const json_t *samples = json_object_get(document, "samples");
    const json_t *first = json_array_get(samples, 0);
    const json_t *last = json_array_get(samples, COUNTER_PAST_MAX - 1);
    cr_assert_eq(json_array_size(samples), COUNTER_PAST_MAX);
    cr_assert_eq(number_of(first, "bytes_in"), 10);
    cr_assert_eq(number_of(first, "ago_ms"), 300007);
    cr_assert_eq(number_of(last, "ago_ms"), 7);
    cr_assert_eq(number_of(last, "messages_refused"), 3 * (COUNTER_PAST_MAX + 9));
    cr_assert_eq(number_of(last, "frames_refused"), COUNTER_PAST_MAX + 9);
    json_decref(document);
}
