#include "client/campaign_body.h"

#include <jansson.h>

static bool put(json_t *body, const char *key, json_t *value)
{
    return json_object_set_new(body, key, value) == 0;
}

char *campaign_body(const struct doyen_campaign *campaign)
{
    json_t *body = json_object();
    bool whole = put(body, "role", json_string(campaign->role));

    if (campaign->policy != NULL) {
        whole = whole && put(body, "policy", json_string(campaign->policy));
    }
    if (campaign->value != NULL) {
        whole = whole && put(body, "value", json_string(campaign->value));
    }
    if (campaign->need != NULL) {
        whole = whole && put(body, "need", json_string(campaign->need));
    }
    if (campaign->holders != 0) {
        whole = whole && put(body, "holders", json_integer(campaign->holders));
    }
    if (campaign->priority != 0) {
        whole = whole && put(body, "priority", json_integer(campaign->priority));
    }
    if (campaign->preempt != DOYEN_PREEMPT_DEFAULT) {
        whole = whole && put(body, "preempt", json_boolean(campaign->preempt == DOYEN_PREEMPT_YES));
    }
    if (campaign->preempt_after_ms != 0) {
        whole = whole &&
                put(body, "preempt_after_ms", json_integer((json_int_t)campaign->preempt_after_ms));
    }
    if (campaign->has_grace) {
        whole = whole && put(body, "grace_ms", json_integer((json_int_t)campaign->grace_ms));
    }
    char *text = whole ? json_dumps(body, JSON_COMPACT) : NULL;
    json_decref(body);
    return text;
}
