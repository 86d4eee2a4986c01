#include "control/roles/role_survey.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "control/roles/campaign_request.h"
#include "control/roles/role_page.h"
#include "control/roles/role_row.h"
#include "control/text/json.h"
#include "runtime/host/chance.h"
#include "runtime/host/clock.h"
#include "runtime/options/option_kinds.h"
#include "words/id_text.h"

/* --- This node's own clients ----------------------------------------------------------------- */

static size_t answer_page(void *context, uint64_t from, char text[INQUIRY_TEXT_MAX])
{
    const struct role_survey *survey = context;

    return role_page_answer(survey->node, from, text);
}

/* --- What others say ------------------------------------------------------------------------- */

static struct survey_slot *find_slot(const struct role_survey *survey, uint32_t position)
{
    const struct node_id *life = &core_view(node_core(survey->node))->members[position].id;

    for (uint32_t i = 0; i < survey->slot_count; i++) {
        if (id_equal(&survey->slots[i].life, life)) {
            return &survey->slots[i];
        }
    }
    return NULL;
}

/* A page in its turn; returns how many there are behind it, 0 also where it makes no sense. */
static uint64_t take_clients(struct survey_slot *slot, json_t *page)
{
    const size_t known = json_array_size(slot->roles);
    json_t *clients = NULL;
    json_int_t from = -1;
    json_int_t left = -1;

    if (json_unpack(page, "{s:I s:I s:o}", "from", &from, "left", &left, "c", &clients) != 0 ||
        from != (json_int_t)known || left < 0 || known + json_array_size(clients) > ROLE_OWN_MAX ||
        json_array_extend(slot->roles, clients) != 0) {
        return 0;
    }
    const json_int_t told = (json_int_t)json_array_size(clients);
    return told > 0 && left > told ? (uint64_t)(left - told) : 0;
}

static void take_page(void *context, uint32_t position, uint64_t nonce, const char *text,
                      size_t length)
{
    struct role_survey *survey = context;
    struct survey_slot *slot = find_slot(survey, position);

    if (slot == NULL || !slot->asked || slot->answered || nonce != survey->nonce) {
        return; /* Nobody asked, or not in this round. */
    }
    json_t *page = json_loadb(text, length, 0, NULL);
    if (slot->roles == NULL) {
        slot->roles = json_array();
    }
    const uint64_t left = page == NULL || slot->roles == NULL ? 0 : take_clients(slot, page);
    slot->answered_ms = clock_ms();
    slot->answered = left == 0;
    if (left > 0) {
        inquiry_ask_page(node_inquiry(survey->node), position, nonce, json_array_size(slot->roles));
    }
    json_decref(page);
}

/* --- A round --------------------------------------------------------------------------------- */

static void forget_round(struct role_survey *survey)
{
    for (uint32_t i = 0; i < survey->slot_count; i++) {
        json_decref(survey->slots[i].roles);
    }
    free(survey->slots);
    survey->slots = NULL;
    survey->slot_count = 0;
    survey->asked_count = 0;
}

void role_survey_open(struct role_survey *survey)
{
    inquiry_set_pages(
        node_inquiry(survey->node),
        &(struct inquiry_pages){.answer = answer_page, .take = take_page, .context = survey});
}

void role_survey_close(struct role_survey *survey)
{
    inquiry_set_pages(node_inquiry(survey->node), &(struct inquiry_pages){.answer = NULL});
    forget_round(survey);
}

bool role_survey_begin(struct role_survey *survey, uint64_t pause_ms)
{
    const struct view *view = core_view(node_core(survey->node));
    const uint64_t now_ms = clock_ms();

    if (survey->slots != NULL && now_ms - survey->began_ms < pause_ms) {
        return true;
    }
    struct survey_slot *slots = calloc((size_t)view->member_count + 1, sizeof *slots);
    if (slots == NULL || !chance_draw(&survey->nonce, sizeof survey->nonce)) {
        free(slots);
        return false;
    }
    forget_round(survey);
    survey->slots = slots;
    survey->slot_count = view->member_count;
    survey->began_ms = now_ms;
    for (uint32_t i = 0; i < view->member_count; i++) {
        slots[i].life = view->members[i].id;
    }
    return true;
}

static bool is_self(const struct role_survey *survey, const struct node_id *life)
{
    return id_equal(life, &core_self(node_core(survey->node))->id);
}

void role_survey_ask(struct role_survey *survey)
{
    const struct view *view = core_view(node_core(survey->node));

    for (uint32_t i = 0; i < INQUIRY_TURN && survey->asked_count < survey->slot_count; i++) {
        struct survey_slot *slot = &survey->slots[survey->asked_count++];
        const uint32_t position = view_find(view, &slot->life);
        if (position != VIEW_NONE && !is_self(survey, &slot->life)) {
            slot->asked = true;
            inquiry_ask_page(node_inquiry(survey->node), position, survey->nonce, 0);
        }
    }
}

/* --- The document ---------------------------------------------------------------------------- */

static json_t *need_json(const char *need)
{
    return need[0] == '\0' ? json_null() : json_of_text(need, strlen(need));
}

static bool lacks_tag(const struct role_row *row, const struct facts *facts)
{
    const struct member *member = &facts->view->members[row->position];

    return row->need[0] != '\0' && !tags_have(member_tags(member), row->need);
}

/* K6b: may it hold the role, as this node's view has its member? */
static bool is_eligible(const struct role_row *row, const struct facts *facts)
{
    return !facts->view->members[row->position].drained && !lacks_tag(row, facts);
}

static json_t *row_json(const struct role_row *row, const struct facts *facts)
{
    json_t *object = json_object();
    bool complete =
        json_put(object, "member", json_of_word(facts->view->members[row->position].name)) &&
        json_put(object, "request", json_of_text(row->request, strlen(row->request))) &&
        json_put(object, "number", row->number == 0 ? json_null() : json_of_u64(row->number)) &&
        json_put(object, "priority", json_integer(row->priority)) &&
        json_put(object, "eligible", json_boolean(is_eligible(row, facts))) &&
        json_put(object, "lacks", lacks_tag(row, facts) ? need_json(row->need) : json_null()) &&
        json_put(object, "value", json_of_text(row->value, strlen(row->value)));

    if (role_row_holds(row)) {
        complete = complete && json_put(object, "token", json_of_u64(row->token)) &&
                   json_put(object, "holding_ms", json_integer(row->left_ms)) &&
                   json_put(object, "stopping", json_boolean(text_equal(row->state, "stops")));
    }
    return json_finished(object, complete);
}

/* The role of the rows from `*at` on, which is moved behind them. */
static json_t *role_json(const struct role_row *rows, size_t count, size_t *at,
                         const struct facts *facts)
{
    const struct role_row *first = &rows[*at];
    json_t *object = json_object();
    json_t *holders = json_array();
    json_t *candidates = json_array();
    bool complete = true;

    for (; *at < count && text_equal(rows[*at].role, first->role); (*at)++) {
        const struct role_row *row = &rows[*at];
        complete = complete && json_array_append_new(role_row_holds(row) ? holders : candidates,
                                                     row_json(row, facts)) == 0;
    }
    complete = json_put(object, "holders", holders) && complete;
    complete = json_put(object, "candidates", candidates) && complete;
    return json_finished(
        object,
        complete && json_put(object, "role", json_of_word(first->role)) &&
            json_put(object, "policy", json_of_text(first->policy, strlen(first->policy))) &&
            json_put(object, "max_holders", json_integer(first->most)) &&
            json_put(object, "preempt", json_boolean(first->preempt)) &&
            json_put(object, "preempt_after_ms", json_integer(first->preempt_after_ms)) &&
            json_put(object, "need", need_json(first->need)));
}

/* `said` by the member at that position, `ago_ms` ago. Returns the number of rows by then. */
static size_t add_rows(struct role_row *rows, size_t count, uint32_t position, json_t *said,
                       uint64_t ago_ms)
{
    json_t *client = NULL;
    size_t i = 0;

    json_array_foreach(said, i, client)
    {
        struct role_row *row = &rows[count];
        row->position = position;
        if (role_row_read(row, client)) {
            row->left_ms = row->left_ms > (json_int_t)ago_ms ? row->left_ms - (json_int_t)ago_ms
                                                             : 0;
            count++;
        }
    }
    return count;
}

static json_t *roles_json(const struct role_survey *survey, const struct facts *facts, json_t *own)
{
    const uint64_t now_ms = clock_ms();
    json_t *array = json_array();
    size_t most = json_array_size(own) + 1;
    size_t count = 0;
    bool complete = true;

    for (uint32_t i = 0; i < survey->slot_count; i++) {
        most += json_array_size(survey->slots[i].roles);
    }
    struct role_row *rows = calloc(most, sizeof *rows);
    for (uint32_t i = 0; rows != NULL && i < facts->view->member_count; i++) {
        const struct survey_slot *slot = find_slot(survey, i);
        if (is_self(survey, &facts->view->members[i].id)) {
            count = add_rows(rows, count, i, own, 0);
        } else if (slot != NULL) {
            count = add_rows(rows, count, i, slot->roles, now_ms - slot->answered_ms);
        }
    }
    assert(count < most);
    if (rows != NULL) {
        role_rows_sort(rows, count);
    }
    for (size_t at = 0; at < count;) {
        complete = json_array_append_new(array, role_json(rows, count, &at, facts)) == 0 &&
                   complete;
    }
    free(rows);
    return json_finished(array, complete && rows != NULL);
}

/* Who is a member now and has not answered. */
static json_t *silent_json(const struct role_survey *survey, const struct facts *facts)
{
    json_t *array = json_array();
    bool complete = true;

    for (uint32_t i = 0; i < facts->view->member_count; i++) {
        const struct member *member = &facts->view->members[i];
        const struct survey_slot *slot = find_slot(survey, i);
        if (!is_self(survey, &member->id) && (slot == NULL || !slot->answered)) {
            complete = complete && json_array_append_new(array, json_of_word(member->name)) == 0;
        }
    }
    return json_finished(array, complete);
}

json_t *role_survey_report(const struct role_survey *survey, const struct facts *facts)
{
    json_t *own = role_page_clients(survey->node, 0);
    json_t *silent = silent_json(survey, facts);
    json_t *object = json_object();
    const bool complete =
        own != NULL && json_put(object, "schema", json_integer(1)) &&
        json_put(object, "self", json_of_word(facts->self->name)) &&
        json_put(object, "advisory", json_boolean(guard_asks(&facts->config->guard).advisory)) &&
        json_put(object, "stale", json_boolean(json_array_size(silent) > 0)) &&
        json_put(object, "unasked", json_of_number(survey->slot_count - survey->asked_count)) &&
        json_put(object, "unanswered", json_incref(silent)) &&
        json_put(object, "roles", roles_json(survey, facts, own));

    json_decref(silent);
    json_decref(own);
    return json_finished(object, complete);
}
