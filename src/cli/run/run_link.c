#include "cli/run/run_link.h"

#include <errno.h>
#include <string.h>

#include "cli/request/document.h"
#include "cli/run/campaign_print.h"

enum { ANSWER_MS = 500 }; /* a signal waits no longer than that */

enum exit_code run_link_open(struct run_link *link, struct cli *cli,
                             const struct doyen_campaign *campaign, struct failure *failure)
{
    *link = RUN_LINK_NONE;
    if (cli_connect(cli, failure) != EXIT_DONE) {
        return failure->code;
    }
    const int connection = campaign == NULL
                               ? doyen_lease_open(cli->client, ANSWER_MS, &link->page)
                               : doyen_campaign(cli->client, campaign, ANSWER_MS, &link->page);
    if (connection < 0) {
        return client_failure(cli->client, connection, failure);
    }
    link->connection = connection;
    link->is_role = campaign != NULL;
    link->lines.connection = connection;
    const int error = doyen_lease_map(&link->lease, link->page);
    if (error != 0) {
        run_link_close(link);
        return error == -EXDEV ? failure_of_clock(failure, doyen_where(cli->client))
                               : failure_set(failure, EXIT_REFUSED,
                                             "the answer of %s makes no sense: is it doyend?",
                                             doyen_where(cli->client));
    }
    return EXIT_DONE;
}

void run_link_close(struct run_link *link)
{
    if (link->connection >= 0) {
        close(link->connection);
    }
    if (link->page >= 0) {
        close(link->page);
    }
    doyen_lease_unmap(&link->lease);
    *link = RUN_LINK_NONE;
}

void run_link_say_stopped(const struct run_link *link)
{
    if (link->connection >= 0) {
        role_lines_say_stopped(&link->lines);
    }
}

/* Returns false when doyend has gone. */
static bool take_bytes(struct run_link *link)
{
    char words[64];

    for (;;) {
        const ssize_t count = recv(link->connection, words, sizeof words, MSG_DONTWAIT);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return count < 0 && errno == EAGAIN;
        }
        if (memchr(words, DOYEN_LEASE_STOP, (size_t)count) != NULL) {
            run_link_say_stopped(link);
        }
    }
}

static enum run_link_state take_event(struct run_link *link, const json_t *event,
                                      struct failure *failure)
{
    const char *word = document_text(event, "event", "");
    const char *reason = document_text(event, "reason", "");

    if (strcmp(word, "lost") == 0) {
        role_lines_say_stopped(&link->lines);
    }
    if (strcmp(word, "ended") != 0 || !campaign_is_over(reason)) {
        return RUN_LINK_UP;
    }
    if (strcmp(reason, "resigned") == 0) {
        return RUN_LINK_RESIGNED;
    }
    failure_set(failure, EXIT_REFUSED, "%s: %s; doyen roles shows them",
                document_text(event, "role", "?"), document_text(event, "text", "?"));
    return RUN_LINK_REFUSED;
}

static enum run_link_state take_lines(struct run_link *link, struct failure *failure)
{
    enum run_link_state state = RUN_LINK_UP;
    json_t *event = NULL;
    int taken = 1;

    while (state == RUN_LINK_UP && taken == 1) {
        taken = role_lines_next(&link->lines, &event);
        if (taken == 1) {
            state = take_event(link, event, failure);
            json_decref(event);
        }
    }
    return taken < 0 || (taken == 0 && !role_lines_are_alive(&link->lines)) ? RUN_LINK_GONE : state;
}

/* What ended it may have been said while the command ran, and not been read here. */
static bool has_resigned(const struct run_link *link)
{
    struct doyen_lease_content content;

    return link->is_role && doyen_lease_read(&link->lease, &content) == 0 &&
           (content.flags & DOYEN_LEASE_RESIGNED) != 0;
}

enum run_link_state run_link_take(struct run_link *link, struct failure *failure)
{
    enum run_link_state state = RUN_LINK_UP;

    if (link->is_role) {
        state = take_lines(link, failure);
    } else if (!take_bytes(link)) {
        state = RUN_LINK_GONE;
    }
    if (state == RUN_LINK_GONE && has_resigned(link)) {
        state = RUN_LINK_RESIGNED;
    }
    if (state != RUN_LINK_UP) {
        run_link_close(link);
    }
    return state;
}
