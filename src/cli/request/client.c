#include "cli/request/client.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void answer_deinit(struct answer *answer)
{
    if (answer->client != NULL) {
        doyen_free(answer->client, answer->text);
    }
    json_decref(answer->json);
    *answer = (struct answer){.json = NULL};
}

enum exit_code client_failure(const struct doyen *client, int error, struct failure *failure)
{
    enum exit_code code = EXIT_REFUSED;

    switch (error) {
    case DOYEN_E_GUARD:
        code = EXIT_GUARD;
        break;
    case DOYEN_E_UNREACHABLE:
        code = EXIT_UNREACHABLE;
        break;
    case DOYEN_E_TIMEOUT:
        code = EXIT_TIMED_OUT;
        break;
    case DOYEN_E_USAGE:
        code = EXIT_USAGE;
        break;
    default:
        break;
    }
    return failure_set(failure, code, "%s", doyen_error(client));
}

static enum exit_code ask(struct doyen *client, const char *method, const char *path,
                          const char *body, uint64_t timeout_ms, struct answer *answer,
                          struct failure *failure)
{
    const int limit_ms = timeout_ms < INT_MAX ? (int)timeout_ms : INT_MAX;

    *answer = (struct answer){.client = client};
    const int error = doyen_request(client, method, path, body, limit_ms, &answer->text);
    if (error != 0) {
        *answer = (struct answer){.json = NULL};
        return client_failure(client, error, failure);
    }
    answer->json = json_loads(answer->text, 0, NULL);
    return EXIT_DONE;
}

static enum exit_code not_understood(const struct doyen *client, struct answer *answer,
                                     struct failure *failure)
{
    answer_deinit(answer);
    return failure_set(failure, EXIT_REFUSED,
                       "the answer of %s is not the JSON expected: is it doyend?",
                       doyen_where(client));
}

enum exit_code client_get(struct doyen *client, const char *path, uint64_t timeout_ms,
                          struct answer *answer, struct failure *failure)
{
    const enum exit_code code = ask(client, "GET", path, NULL, timeout_ms, answer, failure);

    if (code == EXIT_DONE && !json_is_object(answer->json)) {
        return not_understood(client, answer, failure);
    }
    return code;
}

enum exit_code client_post(struct doyen *client, const char *path, const json_t *body,
                           uint64_t timeout_ms, struct answer *answer, struct failure *failure)
{
    char *text = body == NULL ? NULL : json_dumps(body, JSON_COMPACT);

    *answer = (struct answer){.json = NULL};
    if (body != NULL && text == NULL) {
        return failure_set(failure, EXIT_REFUSED, "out of memory");
    }
    const enum exit_code code = ask(client, "POST", path, text, timeout_ms, answer, failure);
    free(text);
    if (code == EXIT_DONE && answer->json == NULL && answer->text[0] != '\0') {
        return not_understood(client, answer, failure);
    }
    return code;
}

char *client_escape(const char *text)
{
    static const char digits[] = "0123456789ABCDEF";
    char *escaped = malloc(3 * strlen(text) + 1);
    char *at = escaped;

    if (escaped == NULL) {
        return NULL;
    }
    for (; *text != '\0'; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (byte < 0x80 && (isalnum(byte) || strchr("-._~", byte) != NULL)) {
            *at++ = *text;
        } else {
            *at++ = '%';
            *at++ = digits[byte >> 4];
            *at++ = digits[byte & 15];
        }
    }
    *at = '\0';
    return escaped;
}
