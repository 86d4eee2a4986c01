/* The body of POST /v1/campaign: which role, and under which terms. */
#ifndef CONTROL_CAMPAIGN_REQUEST_H
#define CONTROL_CAMPAIGN_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/core.h"
#include "runtime/leases/role_clients.h"
#include "words/id_text.h"

enum { CAMPAIGN_WHY_MAX = 256 };

struct campaign_request {
    char role[NAME_BYTES_MAX + 1];
    struct role_terms terms;
    uint32_t priority;
    bool has_grace;
    uint64_t grace_ms; /* between the loss and the moment at which the client has stopped */
    char value[ROLE_VALUE_BYTES_MAX + 1];
};

/* Parses the body. Returns false, with the fault of it in `why`, for anything that is no campaign
 * as control.md has it. */
bool campaign_request_parse(struct campaign_request *campaign, const char *body, size_t length,
                            char why[CAMPAIGN_WHY_MAX]);

/* The body of POST /v1/value: what others are to read of this node's candidates of a role. */
struct campaign_value {
    char role[NAME_BYTES_MAX + 1];
    char request[ID_TEXT_MAX]; /* the one candidate that is meant; empty: all of this node */
    char value[ROLE_VALUE_BYTES_MAX + 1];
};

bool campaign_value_parse(struct campaign_value *value, const char *body, size_t length,
                          char why[CAMPAIGN_WHY_MAX]);

/* Sets in `client` what it asks for. `span_ms` is that of one answer of the coordinator. */
void campaign_request_fill(const struct campaign_request *campaign, uint64_t span_ms,
                           struct role_client *client);

/* May a candidate have that value? People look at it on their terminals. */
bool role_value_is_sound(const char *text, size_t length);

/* A role's policy as word. */
const char *role_policy_word(enum role_policy policy);

#endif
