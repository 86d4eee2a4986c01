#include "cli/request/voters_ask.h"

#include "cli/request/clock.h"
#include "cli/request/document.h"

enum { PATIENCE_MS = 500, AGAIN_MS = 20 };

/* In /v1/voters the count stands at the top, in /v1/status with the voters. */
static uint64_t waiting(const json_t *document)
{
    const json_t *voters = json_object_get(document, "voters");

    return document_number(json_is_object(voters) ? voters : document, "waiting");
}

enum exit_code voters_ask(struct cli *cli, const char *path, struct answer *answer)
{
    const uint64_t deadline_ms = clock_now_ms() + PATIENCE_MS;
    enum exit_code code = cli_get(cli, path, answer);

    while (code == EXIT_DONE && waiting(answer->json) > 0 && clock_left_ms(deadline_ms) > 0) {
        answer_deinit(answer);
        clock_sleep_ms(AGAIN_MS);
        code = cli_get(cli, path, answer);
    }
    return code;
}
