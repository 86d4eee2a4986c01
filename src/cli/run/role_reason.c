#include "cli/run/role_reason.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/member_filter.h"
#include "cli/request/document.h"
#include "cli/request/roles_ask.h"

static const json_t *member_called(const json_t *members, const char *name)
{
    const json_t *list = json_object_get(members, "members");

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *member = json_array_get(list, i);
        if (strcmp(document_text(member, "name", ""), name) == 0) {
            return member;
        }
    }
    return NULL;
}

static bool has_tag(const json_t *member, const char *tag)
{
    struct member_filter filter = {.states = 0};

    (void)member_filter_add_tag(&filter, tag);
    return member_filter_passes(&filter, member);
}

bool role_reason_unfit(struct cli *cli, const struct doyen_campaign *campaign,
                       char text[ROLE_REASON_MAX])
{
    struct failure failure;
    struct answer answer;
    bool unfit = false;

    if (client_get(cli->client, "/v1/members", REQUEST_TIMEOUT_MS, &answer, &failure) !=
        EXIT_DONE) {
        return false;
    }
    const char *self = document_text(answer.json, "self", "this node");
    const json_t *member = member_called(answer.json, self);
    const char *need = campaign->need;
    if (member != NULL && document_is_true(member, "drained")) {
        snprintf(text, ROLE_REASON_MAX, "%s is drained, and holds no role: doyen undrain %s", self,
                 self);
        unfit = true;
    } else if (member != NULL && need != NULL && !has_tag(member, need)) {
        snprintf(text, ROLE_REASON_MAX,
                 "%s has no tag %s, which the role %s needs: doyen tag set %s%s", self, need,
                 campaign->role, need, strchr(need, '=') == NULL ? "=VALUE" : "");
        unfit = true;
    }
    answer_deinit(&answer);
    return unfit;
}

void role_reason_late(struct cli *cli, const struct doyen_campaign *campaign,
                      char text[ROLE_REASON_MAX])
{
    struct failure failure;
    struct answer answer;

    if (role_reason_unfit(cli, campaign, text)) {
        return;
    }
    snprintf(text, ROLE_REASON_MAX, "nobody gave %s: doyen status says whether anybody can",
             campaign->role);
    if (roles_ask(cli, &answer, &failure) != EXIT_DONE) {
        return;
    }
    const json_t *role = roles_find(answer.json, campaign->role);
    const json_t *holder = json_array_get(json_object_get(role, "holders"), 0);
    if (holder != NULL) {
        snprintf(text, ROLE_REASON_MAX, "%s holds the role", document_text(holder, "member", "?"));
    }
    answer_deinit(&answer);
}
