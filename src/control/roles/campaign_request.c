#include "control/roles/campaign_request.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "control/text/json.h"
#include "partition/tenure.h"
#include "runtime/options/option_kinds.h"

enum {
    GRACE_MS_MAX = 600000,
    MARGIN_PARTS = 8, /* of the span: what dying takes beyond the grace */
};

static const struct {
    enum role_policy policy;
    const char *word;
} policies[] = {{ROLE_FIRST, "first"}, {ROLE_OLDEST, "oldest"}, {ROLE_PRIORITY, "priority"}};

enum { POLICIES = sizeof policies / sizeof policies[0] };

const char *role_policy_word(enum role_policy policy)
{
    for (size_t i = 0; i < POLICIES; i++) {
        if (policies[i].policy == policy) {
            return policies[i].word;
        }
    }
    return "?";
}

bool role_value_is_sound(const char *text, size_t length)
{
    return length <= ROLE_VALUE_BYTES_MAX && utf8_is_printable(text, length);
}

/* --- The fields ------------------------------------------------------------------------------ */

/* Is it a text? */
static bool is_text(const json_t *value, const char *name, char *why)
{
    if (!json_is_string(value)) {
        snprintf(why, CAMPAIGN_WHY_MAX, "%s is no text", name);
    }
    return json_is_string(value);
}

static bool take_role(struct campaign_request *campaign, const json_t *value, char *why)
{
    const char *name = json_string_value(value);

    if (!is_text(value, "role", why)) {
        return false;
    }
    if (json_string_length(value) != strlen(name) || !option_name_is_valid(name)) {
        snprintf(why, CAMPAIGN_WHY_MAX,
                 "'%.80s' is not the name of a role: use 1 to %d of A-Z a-z 0-9 . _ -, no dash "
                 "first",
                 name, NAME_BYTES_MAX);
        return false;
    }
    if (text_equal(name, PARTITION_ROLE)) {
        snprintf(why, CAMPAIGN_WHY_MAX,
                 "'%s' is the role that doyend itself stands for with --partitions: give another "
                 "name",
                 name);
        return false;
    }
    return text_set(campaign->role, sizeof campaign->role, name, strlen(name));
}

static bool take_policy(struct campaign_request *campaign, const json_t *value, char *why)
{
    const char *word = json_string_value(value);

    if (!is_text(value, "policy", why)) {
        return false;
    }
    for (size_t i = 0; i < POLICIES; i++) {
        if (text_equal(word, policies[i].word)) {
            campaign->terms.policy = policies[i].policy;
            return true;
        }
    }
    snprintf(why, CAMPAIGN_WHY_MAX, "'%.80s' is no policy; there are first, oldest and priority",
             word);
    return false;
}

static bool take_number(const json_t *value, const char *name, const char *unit, json_int_t from,
                        json_int_t to, uint64_t *number, char *why)
{
    if (!json_is_integer(value) || json_integer_value(value) < from ||
        json_integer_value(value) > to) {
        snprintf(why, CAMPAIGN_WHY_MAX,
                 "%s is a whole number from %" JSON_INTEGER_FORMAT " to %" JSON_INTEGER_FORMAT
                 "%s%s",
                 name, from, to, unit, json_is_quoted_number(value) ? ", without quotes" : "");
        return false;
    }
    *number = (uint64_t)json_integer_value(value);
    return true;
}

static bool take_holders(struct campaign_request *campaign, const json_t *value, char *why)
{
    uint64_t number = 0;
    const bool taken = take_number(value, "holders", "", 1, ROLE_HOLDERS_MAX, &number, why);

    campaign->terms.holders = (uint32_t)number;
    return taken;
}

static bool take_priority(struct campaign_request *campaign, const json_t *value, char *why)
{
    uint64_t number = 0;
    const bool taken = take_number(value, "priority", "", 0, UINT32_MAX, &number, why);

    campaign->priority = (uint32_t)number;
    return taken;
}

static bool take_grace(struct campaign_request *campaign, const json_t *value, char *why)
{
    campaign->has_grace = true;
    return take_number(value, "the grace", " ms", 0, GRACE_MS_MAX, &campaign->grace_ms, why);
}

static bool take_preempt(struct campaign_request *campaign, const json_t *value, char *why)
{
    campaign->terms.preempt = json_is_true(value);
    if (!json_is_boolean(value)) {
        snprintf(why, CAMPAIGN_WHY_MAX, "preempt wants true or false");
    }
    return json_is_boolean(value);
}

static bool take_preempt_after(struct campaign_request *campaign, const json_t *value, char *why)
{
    uint64_t number = 0;
    const bool taken = take_number(value, "preempt-after", " ms", 0, ROLE_PREEMPT_AFTER_MS_MAX,
                                   &number, why);

    campaign->terms.preempt_after_ms = (uint32_t)number;
    return taken;
}

static bool take_value(struct campaign_request *campaign, const json_t *value, char *why)
{
    const char *text = json_string_value(value);
    const size_t length = json_string_length(value);

    if (text == NULL || !role_value_is_sound(text, length)) {
        snprintf(why, CAMPAIGN_WHY_MAX,
                 "a value is a text of up to %d bytes without control characters",
                 ROLE_VALUE_BYTES_MAX);
        return false;
    }
    return text_set(campaign->value, sizeof campaign->value, text, length);
}

static bool take_need(struct campaign_request *campaign, const json_t *value, char *why)
{
    const char *text = json_string_value(value);
    const size_t length = json_string_length(value);

    if (text == NULL || !role_need_is_sound(text, length)) {
        snprintf(why, CAMPAIGN_WHY_MAX,
                 "the tag that is needed is KEY or KEY=VALUE, of 1 to %d bytes without control "
                 "characters",
                 ROLE_NEED_BYTES_MAX);
        return false;
    }
    return text_set(campaign->terms.need, sizeof campaign->terms.need, text, length);
}

static const struct {
    const char *name;
    bool (*take)(struct campaign_request *campaign, const json_t *value, char *why);
} fields[] = {{"role", take_role},
              {"policy", take_policy},
              {"holders", take_holders},
              {"priority", take_priority},
              {"preempt", take_preempt},
              {"value", take_value},
              {"grace_ms", take_grace},
              {"need", take_need},
              {"preempt_after_ms", take_preempt_after}};

static bool take_field(struct campaign_request *campaign, const char *name, const json_t *value,
                       char *why)
{
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (text_equal(name, fields[i].name)) {
            return fields[i].take(campaign, value, why);
        }
    }
    snprintf(why, CAMPAIGN_WHY_MAX,
             "'%.80s' is no part of a campaign; there are role, policy, holders, priority, "
             "preempt, preempt_after_ms, need, value and grace_ms",
             name);
    return false;
}

/* --- The whole ------------------------------------------------------------------------------- */

static bool take_all(struct campaign_request *campaign, json_t *body, char *why)
{
    const char *name;
    json_t *value;

    if (json_object_get(body, "role") == NULL) {
        snprintf(why, CAMPAIGN_WHY_MAX, "the body names no role, as {\"role\": \"NAME\"} does");
        return false;
    }
    json_object_foreach(body, name, value)
    {
        if (!take_field(campaign, name, value, why)) {
            return false;
        }
    }
    if (json_object_get(body, "priority") != NULL && campaign->terms.policy != ROLE_PRIORITY) {
        snprintf(why, CAMPAIGN_WHY_MAX,
                 "a priority counts under the policy priority alone: give that policy, too");
        return false;
    }
    if (json_object_get(body, "preempt") == NULL) {
        campaign->terms.preempt = campaign->terms.policy == ROLE_PRIORITY ||
                                  campaign->terms.preempt_after_ms > 0;
    }
    if (!campaign->terms.preempt && campaign->terms.preempt_after_ms > 0) {
        snprintf(
            why, CAMPAIGN_WHY_MAX,
            "one part says when a better one takes over, another that none does: leave one out");
        return false;
    }
    return true;
}

/* Of what is not there, `why` says why already. */
static bool is_object(const json_t *body, char *why)
{
    if (body != NULL && !json_is_object(body)) {
        snprintf(why, CAMPAIGN_WHY_MAX, "the body is no JSON object");
    }
    return json_is_object(body);
}

bool campaign_request_parse(struct campaign_request *campaign, const char *body, size_t length,
                            char why[CAMPAIGN_WHY_MAX])
{
    json_t *document = json_of_body(body, length, why, CAMPAIGN_WHY_MAX);

    *campaign = (struct campaign_request){.terms = {.policy = ROLE_FIRST, .holders = 1}};
    const bool taken = is_object(document, why) && take_all(campaign, document, why);
    json_decref(document);
    return taken;
}

/* --- The value alone ------------------------------------------------------------------------- */

static bool take_request(struct campaign_value *value, const json_t *request, char *why)
{
    const char *text = json_string_value(request);

    if (!is_text(request, "request", why)) {
        return false;
    }
    if (json_string_length(request) != ID_TEXT_MAX - 1 ||
        strspn(text, "0123456789abcdefABCDEF") != ID_TEXT_MAX - 1) {
        snprintf(why, CAMPAIGN_WHY_MAX, "'%.80s' is no request, which has %d hexadecimal digits",
                 text, ID_TEXT_MAX - 1);
        return false;
    }
    return text_set(value->request, sizeof value->request, text, ID_TEXT_MAX - 1);
}

/* Is all there that has to be, and nothing else? */
static bool has_parts(json_t *body, char *why)
{
    const char *name;
    json_t *part;

    if (!is_object(body, why)) {
        return false;
    }
    json_object_foreach(body, name, part)
    {
        if (!text_equal(name, "role") && !text_equal(name, "value") &&
            !text_equal(name, "request")) {
            snprintf(why, CAMPAIGN_WHY_MAX,
                     "'%.80s' is too much: the body has role, value and request, and nothing else",
                     name);
            return false;
        }
    }
    const char *missing = json_object_get(body, "role") == NULL    ? "role"
                          : json_object_get(body, "value") == NULL ? "value"
                                                                   : NULL;
    if (missing != NULL) {
        snprintf(why, CAMPAIGN_WHY_MAX, "%s is missing", missing);
    }
    return missing == NULL;
}

bool campaign_value_parse(struct campaign_value *value, const char *body, size_t length,
                          char why[CAMPAIGN_WHY_MAX])
{
    json_t *document = json_of_body(body, length, why, CAMPAIGN_WHY_MAX);
    const json_t *request = json_object_get(document, "request");
    struct campaign_request parts = {.role = ""};

    *value = (struct campaign_value){.role = ""};
    const bool taken = has_parts(document, why) &&
                       take_role(&parts, json_object_get(document, "role"), why) &&
                       take_value(&parts, json_object_get(document, "value"), why) &&
                       (request == NULL || take_request(value, request, why));
    memcpy(value->role, parts.role, sizeof value->role);
    memcpy(value->value, parts.value, sizeof value->value);
    json_decref(document);
    return taken;
}

void campaign_request_fill(const struct campaign_request *campaign, uint64_t span_ms,
                           struct role_client *client)
{
    const uint64_t grace_ms = campaign->has_grace ? campaign->grace_ms : span_ms / 2;

    client->campaign.terms = campaign->terms;
    client->campaign.priority = campaign->priority;
    client->campaign.grace_ms = grace_ms + span_ms / MARGIN_PARTS;
    memcpy(client->campaign.role, campaign->role, sizeof client->campaign.role);
    memcpy(client->value, campaign->value, sizeof client->value);
}
