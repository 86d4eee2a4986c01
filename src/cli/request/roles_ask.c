#include "cli/request/roles_ask.h"

#include <string.h>

#include "cli/request/clock.h"
#include "cli/request/document.h"

enum {
    PATIENCE_MS = 1000, /* after the last member was asked */
    ASK_AGAIN_MS = 10,
    ASK_MANY_AGAIN_MS = 100, /* where the answer is long */
    MANY = 64,
};

enum exit_code roles_ask(struct cli *cli, struct answer *answer, struct failure *failure)
{
    uint64_t deadline_ms = clock_now_ms() + PATIENCE_MS;

    if (cli_connect(cli, failure) != EXIT_DONE) {
        return failure->code;
    }
    enum exit_code code = client_get(cli->client, "/v1/roles?begin", REQUEST_TIMEOUT_MS, answer,
                                     failure);
    while (code == EXIT_DONE && document_is_true(answer->json, "stale") &&
           clock_left_ms(deadline_ms) > 0) {
        const bool unasked = document_number(answer->json, "unasked") > 0;
        const size_t silent = json_array_size(json_object_get(answer->json, "unanswered"));
        answer_deinit(answer);
        clock_sleep_ms(silent > MANY ? ASK_MANY_AGAIN_MS : ASK_AGAIN_MS);
        deadline_ms = unasked ? clock_now_ms() + PATIENCE_MS : deadline_ms;
        code = client_get(cli->client, "/v1/roles", REQUEST_TIMEOUT_MS, answer, failure);
    }
    return code;
}

const json_t *roles_find(const json_t *document, const char *role)
{
    const json_t *roles = json_object_get(document, "roles");

    for (size_t i = 0; i < json_array_size(roles); i++) {
        const json_t *entry = json_array_get(roles, i);
        if (strcmp(document_text(entry, "role", ""), role) == 0) {
            return entry;
        }
    }
    return NULL;
}
