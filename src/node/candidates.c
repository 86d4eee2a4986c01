#include "node/candidates.h"

#include <stdio.h>
#include <string.h>

#include "control/roles/campaign_request.h"
#include "doyen/lease.h"

/* Inside of a step, mostly. */
static void on_event(struct role_client *client, const struct role_event *event)
{
    struct doyen_candidate *candidate = client->owner;

    switch (event->kind) {
    case ROLE_WAITS:
    case ROLE_LEADS:
    case ROLE_TOKEN:
        return; /* candidates_tell reads it off the client. */
    case ROLE_LOST:
        candidate->lost = true;
        candidate->why = event->end;
        return;
    case ROLE_ENDED:
        candidate->ended = true;
        candidate->why = event->end;
        return;
    }
}

struct doyen_candidate *candidates_add(struct candidates *candidates, struct node *node,
                                       const struct allocator *memory, const char *body, int *code,
                                       char why[DOYEN_NODE_WHY])
{
    struct campaign_request request;
    char fault[CAMPAIGN_WHY_MAX];

    if (!campaign_request_parse(&request, body, strlen(body), fault)) {
        snprintf(why, DOYEN_NODE_WHY, "%s", fault);
        *code = DOYEN_E_USAGE;
        return NULL;
    }
    struct doyen_candidate *candidate = allocator_get(memory, sizeof *candidate);
    if (candidate == NULL) {
        snprintf(why, DOYEN_NODE_WHY, "there is no memory for a candidate");
        *code = DOYEN_E_MEMORY;
        return NULL;
    }
    candidate->client.owner = candidate;
    candidate->client.on_event = on_event;
    campaign_request_fill(&request, role_clients_span_ms(node_roles(node)), &candidate->client);
    candidate->next = candidates->first;
    candidates->first = candidate;
    node_role_add(node, &candidate->client);
    return candidate;
}

void candidate_remove(struct doyen_candidate *candidate, struct node *node)
{
    if (!candidate->gone) {
        candidate->gone = true;
        node_role_remove(node, &candidate->client);
    }
}

void candidates_remove_all(struct candidates *candidates, struct node *node)
{
    for (struct doyen_candidate *candidate = candidates->first; candidate != NULL;
         candidate = candidate->next) {
        candidate_remove(candidate, node);
    }
}

bool doyen_candidate_holds(const struct doyen_candidate *candidate, struct doyen_right *right)
{
    const struct doyen_lease_content *now = &candidate->client.now;
    const uint64_t now_ns = doyen_lease_now_ns();
    const bool holds = !candidate->gone && !candidate->lost && now_ns < now->deadline_ns;

    if (right != NULL) {
        *right = (struct doyen_right){.epoch = 0};
    }
    if (holds && right != NULL) {
        *right = (struct doyen_right){.epoch = now->epoch,
                                      .left_ns = now->deadline_ns - now_ns,
                                      .deadline_ns = now->deadline_ns,
                                      .advisory = (now->flags & DOYEN_LEASE_ADVISORY) != 0};
    }
    return holds;
}

int doyen_candidate_set_value(struct doyen_candidate *candidate, const char *value,
                              char why[DOYEN_NODE_WHY])
{
    const size_t length = value == NULL ? 0 : strlen(value);

    if (!role_value_is_sound(value, length)) {
        snprintf(why, DOYEN_NODE_WHY,
                 "a value is a text of up to %d bytes without control characters",
                 ROLE_VALUE_BYTES_MAX);
        return DOYEN_E_USAGE;
    }
    snprintf(candidate->client.value, sizeof candidate->client.value, "%s",
             value == NULL ? "" : value);
    why[0] = '\0';
    return 0;
}

/* --- Telling --------------------------------------------------------------------------------- */

static void tell(const struct doyen_candidate *candidate, enum doyen_role_kind kind, uint64_t token)
{
    const bool is_end = kind == DOYEN_ROLE_LOST || kind == DOYEN_ROLE_ENDED;

    candidate->on_role(candidate->user, &(struct doyen_role_event){
                                            .kind = kind,
                                            .role = candidate->client.campaign.role,
                                            .number = candidate->client.number,
                                            .token = token,
                                            .reason = is_end ? role_end_word(candidate->why) : NULL,
                                            .text = is_end ? role_end_text(candidate->why) : NULL});
}

static void tell_loss(struct doyen_candidate *candidate, struct node *node)
{
    const uint64_t token = candidate->told_token;

    candidate->lost = false;
    candidate->told_token = 0;
    if (token != 0) {
        tell(candidate, DOYEN_ROLE_LOST, token);
    }
    if (!candidate->gone) {
        node_role_stopped(node, &candidate->client); /* It was told, and has returned. */
    }
}

/* What it holds now, if it was not told of that yet. */
static void tell_grant(struct doyen_candidate *candidate)
{
    const uint64_t former = candidate->told_token;
    const uint64_t token = candidate->client.token;

    if (candidate->client.state == ROLE_CLIENT_HOLDS && token != former) {
        candidate->told_token = token;
        tell(candidate, former == 0 ? DOYEN_ROLE_GRANTED : DOYEN_ROLE_TOKEN, token);
    }
}

static void tell_one(struct doyen_candidate *candidate, struct node *node)
{
    if (candidate->lost) {
        tell_loss(candidate, node);
    }
    if (!candidate->gone && candidate->client.number != candidate->told_number) {
        candidate->told_number = candidate->client.number;
        tell(candidate, DOYEN_ROLE_CANDIDATE, 0);
    }
    if (!candidate->gone && !candidate->lost) {
        tell_grant(candidate);
    }
    if (!candidate->gone && !candidate->lost && candidate->ended) {
        tell(candidate, DOYEN_ROLE_ENDED, 0);
        candidate_remove(candidate, node);
    }
}

void candidates_tell(struct candidates *candidates, struct node *node, const bool *closing)
{
    for (struct doyen_candidate *candidate = candidates->first; candidate != NULL && !*closing;
         candidate = candidate->next) {
        if (!candidate->gone) {
            tell_one(candidate, node);
        }
    }
}

void candidates_sweep(struct candidates *candidates, const struct allocator *memory)
{
    struct doyen_candidate **at = &candidates->first;

    while (*at != NULL) {
        struct doyen_candidate *candidate = *at;
        if (candidate->gone) {
            *at = candidate->next;
            allocator_release(memory, candidate);
        } else {
            at = &candidate->next;
        }
    }
}
