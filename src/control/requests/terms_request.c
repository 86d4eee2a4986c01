#include "control/requests/terms_request.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "control/documents/report_terms.h"
#include "control/requests/move_request.h"
#include "control/text/json.h"
#include "runtime/options/value.h"
#include "words/terms_text.h"

struct wanted {
    struct rules rules;
    bool has_size;
    uint32_t size;
    bool has_profile;
    bool has_target;
    uint32_t target;
    uint64_t heartbeat_ms; /* 0: as it follows from the rest */
    uint64_t lost_ms;
    bool forget_failed;
    bool has_guard;
};

static bool take_number(const char *key, const json_t *value, uint64_t low, uint64_t high,
                        uint64_t *out, struct complaint *complaint)
{
    if (!json_is_integer(value) || json_integer_value(value) < (json_int_t)low ||
        json_integer_value(value) > (json_int_t)high) {
        return complaint_set(complaint, "%s: give a number from %llu to %llu%s", key,
                             (unsigned long long)low, (unsigned long long)high,
                             json_is_quoted_number(value) ? ", without quotes" : "");
    }
    *out = (uint64_t)json_integer_value(value);
    return true;
}

/* Told as it is typed: whoever asks in a number of milliseconds can read it, too. The command sends
 * a number always. */
static bool take_span(const char *key, const char *name, const json_t *value, uint64_t low_ms,
                      uint64_t high_ms, uint64_t *out_ms, struct complaint *complaint)
{
    struct complaint number;
    char low[VALUE_DURATION_MAX];
    char high[VALUE_DURATION_MAX];

    if (!json_is_integer(value)) {
        return complaint_set(complaint, "%s is a whole number of milliseconds, %llu to %llu", key,
                             (unsigned long long)low_ms, (unsigned long long)high_ms);
    }
    value_duration_print(low_ms, low);
    value_duration_print(high_ms, high);
    return take_number(key, value, low_ms, high_ms, out_ms, &number) ||
           complaint_set(complaint, "%s: give %s to %s", name, low, high);
}

static bool take_guard(const json_t *value, struct wanted *wanted, struct complaint *complaint)
{
    const char *text = json_string_value(value);
    struct guard *guard = &wanted->rules.guard;
    uint64_t count = 0;

    if (json_is_integer(value) || json_is_quoted_number(value)) {
        guard->policy = GUARD_COUNT;
        bool fits = take_number("a guard that is a number", value, 1, MEMBER_MAX, &count,
                                complaint);
        guard->count = (uint32_t)count;
        return fits;
    }
    if (text != NULL && strcmp(text, "none") == 0) {
        *guard = (struct guard){.policy = GUARD_NONE};
        return true;
    }
    if (text != NULL && strcmp(text, "majority") == 0) {
        guard->policy = GUARD_MAJORITY; /* Its count is the size that there is, or is told. */
        return true;
    }
    if (text != NULL && strcmp(text, "strict") == 0) {
        guard->policy = GUARD_STRICT;
        return true;
    }
    return complaint_set(complaint, "the guard is none, a number, or majority");
}

static bool take_profile(const json_t *value, struct wanted *wanted, struct complaint *complaint)
{
    const char *text = json_string_value(value);

    for (enum profile profile = PROFILE_LOCAL; text != NULL && profile <= PROFILE_WAN; profile++) {
        if (strcmp(text, profile_text(profile)) == 0) {
            wanted->rules.profile = profile;
            wanted->has_profile = true;
            return true;
        }
    }
    return complaint_set(complaint, "the profile is local, lan or wan");
}

static bool take_one(const char *key, const json_t *value, struct wanted *wanted,
                     struct complaint *complaint)
{
    uint64_t number = 0;

    if (strcmp(key, "guard") == 0) {
        wanted->has_guard = true;
        return take_guard(value, wanted, complaint);
    }
    if (strcmp(key, "profile") == 0) {
        return take_profile(value, wanted, complaint);
    }
    if (strcmp(key, "voters_target") == 0) {
        wanted->has_target = take_number("the target of voters", value, 0, VOTERS_MAX, &number,
                                         complaint);
        wanted->target = (uint32_t)number;
        return wanted->has_target;
    }
    if (strcmp(key, "size") == 0) {
        wanted->has_size = take_number(key, value, 1, MEMBER_MAX, &number, complaint);
        wanted->size = (uint32_t)number;
        return wanted->has_size;
    }
    if (strcmp(key, "capacity") == 0) {
        bool fits = take_number(key, value, 1, MEMBER_MAX, &number, complaint);
        wanted->rules.capacity = (uint32_t)number;
        return fits;
    }
    if (strcmp(key, "heartbeat_ms") == 0) {
        return take_span(key, "the heartbeat", value, RULES_HEARTBEAT_MS_MIN,
                         RULES_HEARTBEAT_MS_MAX, &wanted->heartbeat_ms, complaint);
    }
    if (strcmp(key, "fail_after_ms") == 0) {
        return take_span(key, "fail-after", value, 1, RULES_LOST_MS_MAX, &wanted->lost_ms,
                         complaint);
    }
    if (strcmp(key, "forget_failed") == 0) {
        wanted->forget_failed = json_is_true(value);
        return json_is_boolean(value) || complaint_set(complaint, "forget_failed is true or false");
    }
    return complaint_set(complaint,
                         "\"%.40s\" is none of guard, size, profile, heartbeat_ms, fail_after_ms, "
                         "capacity, voters_target and forget_failed",
                         key);
}

static bool settle_guard(struct wanted *wanted, const struct rules *now,
                         struct complaint *complaint)
{
    struct guard *guard = &wanted->rules.guard;

    if (wanted->has_target && !guard_is_strict(guard)) {
        return complaint_set(complaint, "a target of voters goes with guard strict alone");
    }
    if (guard_is_strict(guard)) {
        const uint32_t target = guard_is_strict(&now->guard) ? now->guard.count : 0;
        guard->count = wanted->has_target ? wanted->target : target;
    }
    if (guard_is_strict(guard) != guard_is_strict(&now->guard)) {
        return true; /* No other value mends that, and it is refused. */
    }
    if (guard_is_strict(guard) && wanted->has_size) {
        return complaint_set(complaint, "guard strict has no size: doyen voters shows and changes "
                                        "who votes");
    }
    if (guard->policy != GUARD_MAJORITY) {
        return !wanted->has_size ||
               complaint_set(complaint,
                             wanted->has_guard
                                 ? "a size goes with guard majority alone: leave it out, or give "
                                   "guard=majority"
                                 : "a size goes with guard majority: give guard=majority, too");
    }
    if (!wanted->has_size && now->guard.policy != GUARD_MAJORITY) {
        return complaint_set(
            complaint, "guard majority wants a size, the number of all nodes: give size=N, too");
    }
    guard->count = wanted->has_size ? wanted->size : now->guard.count;
    return true;
}

/* No place is kept but under a majority (A4c). */
static bool may_forget(const struct wanted *wanted, const struct rules *now,
                       struct complaint *complaint)
{
    const struct guard *guard = &wanted->rules.guard;
    char policy[GUARD_TEXT_MAX];

    if (!wanted->forget_failed || guard->policy == GUARD_MAJORITY ||
        now->guard.policy == GUARD_MAJORITY) {
        return true;
    }
    if (guard_is_strict(guard)) {
        return complaint_set(complaint, "--forget-failed is for guard majority: under guard strict "
                                        "doyen voters replace has another member vote");
    }
    guard_text(guard, policy);
    return complaint_set(complaint,
                         "--forget-failed is for guard majority: leave it out, under guard %s "
                         "nobody who failed keeps a place",
                         policy);
}

/* As --profile, --heartbeat and --fail-after do: what is not told follows from what is. */
static bool settle_timing(struct wanted *wanted, struct complaint *complaint)
{
    struct rules *rules = &wanted->rules;

    if (!wanted->has_profile && wanted->heartbeat_ms == 0 && wanted->lost_ms == 0) {
        return true;
    }
    if (!wanted->has_profile && wanted->heartbeat_ms == 0) {
        wanted->heartbeat_ms = rules->heartbeat_ms;
    }
    struct timing timing = timing_of(wanted->rules.profile);
    timing_override(&timing, wanted->heartbeat_ms, wanted->lost_ms);
    rules->heartbeat_ms = timing.heartbeat_ms;
    rules->lost_ms = timing.lost_ms;
    return wanted->lost_ms == 0 || timing.lost_ms == wanted->lost_ms ||
           complaint_set(complaint,
                         "fail-after is too short for heartbeats every %llu ms: use %llums or "
                         "more, or a shorter heartbeat",
                         (unsigned long long)timing.heartbeat_ms,
                         (unsigned long long)timing.lost_ms);
}

static bool read_wanted(json_t *body, const struct facts *facts, struct wanted *wanted,
                        struct complaint *complaint)
{
    const char *key;
    json_t *value;

    const struct rules now = terms_rules(facts->terms);
    *wanted = (struct wanted){.rules = now};
    if (!json_is_object(body) || json_object_size(body) == 0) {
        return complaint_set(complaint,
                             "the body must be an object with what is to be changed, as in "
                             "{\"guard\": \"majority\", \"size\": 5}");
    }
    json_object_foreach(body, key, value)
    {
        if (!take_one(key, value, wanted, complaint)) {
            return false;
        }
    }
    return settle_guard(wanted, &now, complaint) && may_forget(wanted, &now, complaint) &&
           settle_timing(wanted, complaint);
}

/* --- What stands against it ------------------------------------------------------------------ */

/* The terms as they are, and whether they are what is wanted. */
static struct answer answer_asked(const struct facts *facts, bool done)
{
    json_t *object = report_terms(facts);

    return answer_json(done ? MHD_HTTP_OK : MHD_HTTP_ACCEPTED,
                       json_finished(object, json_put(object, "done", json_boolean(done))));
}

/* A4: one line each, with its remedy. */
static struct answer answer_unagreed(const struct facts *facts, enum unagreed against,
                                     const struct rules_wish *wish)
{
    const uint32_t members = facts->view->member_count;

    switch (against) {
    case UNAGREED_NOT:
    case UNAGREED_SAME:
        break;
    case UNAGREED_NO_MEMBER:
        return move_request_not_a_member(facts);
    case UNAGREED_STRICT:
        return answer_problem(MHD_HTTP_CONFLICT, "guard strict",
                              "stop all members, change --guard and --voters in the configuration "
                              "of each, and start them again",
                              "no cluster that runs is changed from or to guard strict");
    case UNAGREED_UNDER_WAY:
        return answer_problem(MHD_HTTP_CONFLICT, "a change is under way",
                              "wait until doyen change says that the terms are settled",
                              "the terms are just being changed");
    case UNAGREED_ROOM:
        return answer_problem(MHD_HTTP_CONFLICT, "no room",
                              "stop all members, raise --capacity in the configuration of each, "
                              "and start them again",
                              "the members were started with a capacity of %u, and cannot hold %u",
                              facts->agreed->number == 0 ? facts->started->capacity
                                                         : facts->agreed->room,
                              wish->rules.capacity);
    case UNAGREED_MEMBERS:
        return answer_problem(MHD_HTTP_CONFLICT, "too many members",
                              "have members leave first, or choose a larger size and capacity",
                              "there are %u members", members);
    case UNAGREED_FAILED:
        return answer_problem(MHD_HTTP_CONFLICT, "places are kept",
                              "start them again, choose a larger size, or, if none of them runs "
                              "anywhere, add --forget-failed",
                              "beside %u members, those who failed keep their places: they may be "
                              "at work across a cut",
                              members);
    case UNAGREED_VOTERS:
        return answer_problem(MHD_HTTP_CONFLICT, "no such voters",
                              "name each once, and who is to become a voter while it is a member",
                              "a voter is named twice, or is to become one and is no member");
    case UNAGREED_GUARD:
        return answer_problem(MHD_HTTP_CONFLICT, "guard not met",
                              "start members until both are met",
                              "the guard that there is, or the one that there is to be, asks for "
                              "more members than are heard");
    }
    return answer_asked(facts, true);
}

/* What becomes of guard strict, or of another, is refused for that. */
static bool wanted_is_sound(const struct facts *facts, const struct rules *rules,
                            struct complaint *complaint)
{
    const bool strict = guard_is_strict(&rules->guard);
    const uint64_t heartbeat_ms = guard_asks(&rules->guard).heartbeat_ms_max;

    if (strict != guard_is_strict(&facts->terms->guard) || rules_are_sound(rules)) {
        return true;
    }
    return rules->heartbeat_ms > heartbeat_ms
               ? complaint_set(complaint, "under guard strict the heartbeat is %llu ms at most",
                               (unsigned long long)heartbeat_ms)
               : complaint_set(complaint, "a guard of %u does not fit a capacity of %u",
                               rules->guard.count, rules->capacity);
}

struct answer terms_request(const struct facts *facts, const char *body, size_t length)
{
    struct complaint complaint;
    struct wanted wanted;
    json_t *document = json_of_body(body, length, complaint.text, sizeof complaint.text);
    bool good = document != NULL && read_wanted(document, facts, &wanted, &complaint);

    json_decref(document);
    good = good && wanted_is_sound(facts, &wanted.rules, &complaint);
    if (!good) {
        return answer_problem(MHD_HTTP_BAD_REQUEST, "no terms",
                              "doyen change shows the terms that hold", "%s", complaint.text);
    }
    const struct rules_wish wish = {.number = facts->agreed->number,
                                    .rules = wanted.rules,
                                    .forget_failed = wanted.forget_failed};
    const enum unagreed against = core_unagreed(node_core(facts->node), &wish);
    if (against != UNAGREED_NOT) {
        return answer_unagreed(facts, against, &wish);
    }
    node_change_terms(facts->node, &wish);
    return answer_asked(facts, false);
}
