#include "control/roles/role_page.h"

#include <string.h>

#include "control/roles/campaign_request.h"
#include "control/text/json.h"
#include "runtime/host/clock.h"

static const char *state_word(enum role_client_state state)
{
    switch (state) {
    case ROLE_CLIENT_HOLDS:
        return "holds";
    case ROLE_CLIENT_STOPS:
        return "stops";
    case ROLE_CLIENT_NEW:
    case ROLE_CLIENT_WAITS:
    case ROLE_CLIENT_ENDED:
        return "waits";
    }
    return "waits";
}

static bool put_preempt_after(json_t *object, const struct role_terms *terms)
{
    return terms->preempt_after_ms == 0 ||
           json_put(object, "a", json_of_number(terms->preempt_after_ms));
}

static bool put_need(json_t *object, const char *need)
{
    return need[0] == '\0' || json_put(object, "d", json_of_text(need, strlen(need)));
}

static json_t *client_json(const struct role_client *client)
{
    const struct role_command *campaign = &client->campaign;
    const bool holds = client->state == ROLE_CLIENT_HOLDS;
    const uint64_t now_ms = clock_ms();
    const uint64_t left_ms = holds && client->until_ms > now_ms ? client->until_ms - now_ms : 0;
    json_t *object = json_object();

    return json_finished(
        object, json_put(object, "r", json_of_word(campaign->role)) &&
                    json_put(object, "q", json_of_id(&campaign->request)) &&
                    json_put(object, "s", json_of_word(state_word(client->state))) &&
                    json_put(object, "n", json_of_u64(client->number)) &&
                    json_put(object, "t", json_of_u64(client->token)) &&
                    json_put(object, "u", json_of_number(left_ms)) &&
                    json_put(object, "p", json_of_word(role_policy_word(campaign->terms.policy))) &&
                    json_put(object, "k", json_of_number(campaign->terms.holders)) &&
                    json_put(object, "e", json_boolean(campaign->terms.preempt)) &&
                    put_preempt_after(object, &campaign->terms) &&
                    put_need(object, campaign->terms.need) &&
                    json_put(object, "y", json_of_number(campaign->priority)) &&
                    json_put(object, "v", json_of_text(client->value, strlen(client->value))));
}

json_t *role_page_clients(struct node *node, uint64_t from)
{
    json_t *array = json_array();
    bool complete = true;
    uint64_t at = 0;

    for (const struct role_client *client = node_roles(node)->first; client != NULL;
         client = client->next) {
        if (client->state != ROLE_CLIENT_ENDED && at++ >= from) {
            complete = complete && json_array_append_new(array, client_json(client)) == 0;
        }
    }
    return json_finished(array, complete);
}

/* As many as fit. One that does not fit by itself, for its value has to be escaped, is told without
 * the value. */
static size_t write_page(json_t *page, json_t *clients, char text[INQUIRY_TEXT_MAX])
{
    json_t *told = json_object_get(page, "c");
    json_t *client = NULL;
    size_t i = 0;

    json_array_foreach(clients, i, client)
    {
        if (json_array_append(told, client) != 0) {
            break;
        }
        if (json_dumpb(page, NULL, 0, JSON_COMPACT) > INQUIRY_TEXT_MAX) {
            if (i > 0) {
                (void)json_array_remove(told, i);
                break;
            }
            (void)json_object_set_new(client, "v", json_string(""));
        }
    }
    const size_t length = json_dumpb(page, text, INQUIRY_TEXT_MAX, JSON_COMPACT);
    return length <= INQUIRY_TEXT_MAX ? length : 0;
}

size_t role_page_answer(void *context, uint64_t from, char text[INQUIRY_TEXT_MAX])
{
    struct node *node = context;
    json_t *clients = role_page_clients(node, from);
    json_t *page = clients == NULL ? NULL
                                   : json_pack("{s:I s:I s:[]}", "from", (json_int_t)from, "left",
                                               (json_int_t)json_array_size(clients), "c");
    const size_t length = page == NULL ? 0 : write_page(page, clients, text);

    json_decref(page);
    json_decref(clients);
    return length;
}
