#include "control/documents/counter_past.h"

#include "control/text/json.h"

static uint64_t sum(const uint64_t *counts, size_t count)
{
    uint64_t total = 0;

    for (size_t i = 0; i < count; i++) {
        total += counts[i];
    }
    return total;
}

void counter_past_note(struct counter_past *past, const struct facts *facts)
{
    const struct node_traffic *traffic = facts->traffic;

    past->samples[past->count++ % COUNTER_PAST_MAX] = (struct counter_sample){
        .at_ms = facts->now_ms,
        .datagrams_in = traffic->datagrams_in,
        .datagrams_out = traffic->datagrams_out,
        .bytes_in = traffic->bytes_in,
        .bytes_out = traffic->bytes_out,
        .messages_refused = sum(facts->counters->refused, REFUSED_COUNT),
        .frames_refused = sum(traffic->malformed, WIRE_ERROR_COUNT) +
                          sum(traffic->sealed_refused, SEAL_RESULTS) + traffic->plain_refused};
}

static json_t *sample_json(const struct counter_sample *sample, uint64_t now_ms)
{
    json_t *object = json_object();

    return json_finished(
        object,
        json_put(object, "ago_ms", json_of_number(now_ms - sample->at_ms)) &&
            json_put(object, "datagrams_in", json_of_number(sample->datagrams_in)) &&
            json_put(object, "datagrams_out", json_of_number(sample->datagrams_out)) &&
            json_put(object, "bytes_in", json_of_number(sample->bytes_in)) &&
            json_put(object, "bytes_out", json_of_number(sample->bytes_out)) &&
            json_put(object, "messages_refused", json_of_number(sample->messages_refused)) &&
            json_put(object, "frames_refused", json_of_number(sample->frames_refused)));
}

json_t *counter_past_json(const struct counter_past *past, const struct facts *facts)
{
    const uint32_t first = past->count < COUNTER_PAST_MAX ? 0 : past->count - COUNTER_PAST_MAX;
    json_t *object = json_object();
    json_t *array = json_array();
    bool complete = true;

    for (uint32_t i = first; i < past->count; i++) {
        complete &= json_array_append_new(array, sample_json(&past->samples[i % COUNTER_PAST_MAX],
                                                             facts->now_ms)) == 0;
    }
    complete = json_put(object, "samples", array) && complete;
    return json_finished(object,
                         complete && json_put(object, "schema", json_integer(1)) &&
                             json_put(object, "self", json_of_word(facts->self->name)) &&
                             json_put(object, "every_ms", json_integer(COUNTER_PAST_EVERY_MS)));
}
