#include "cli/run/campaign_print.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/print/duration.h"
#include "cli/request/clock.h"
#include "cli/request/document.h"
#include "cli/run/role_lines.h"
#include "cli/run/role_reason.h"
#include "doyen/lease.h"

enum {
    ANSWER_MS = 5000,
    PAUSE_MS = 100,      /* between two tries to reach the daemon */
    PAGE_LOOK_MS = 1000, /* the page is looked at as often, at least */
};

struct standing {
    struct cli *cli;
    const struct campaign_wish *wish;
    struct role_lines lines;
    struct doyen_lease page; /* NULL: none */
    uint64_t token;          /* 0: it holds nothing */
    uint64_t give_up_ms;     /* UINT64_MAX: never */
    bool said_unreachable;
    bool over;
    enum exit_code code;
};

bool campaign_is_over(const char *reason)
{
    return strcmp(reason, "resigned") == 0 || strcmp(reason, "terms") == 0 ||
           strcmp(reason, "many") == 0;
}

static void finish(struct standing *standing, enum exit_code code)
{
    standing->over = true;
    standing->code = code;
}

/* --- Lines ----------------------------------------------------------------------------------- */

/* The campaign ends, and with it the hold on the role, where nobody can be told of it. */
static void print_event(struct standing *standing, const json_t *event)
{
    const char *word = document_text(event, "event", "?");
    const char *role = document_text(event, "role", "?");

    if (standing->cli->json) {
        char *text = json_dumps(event, JSON_COMPACT);
        printf("%s\n", text == NULL ? "" : text);
        free(text);
    } else if (strcmp(word, "candidate") == 0) {
        printf("candidate %s number %s\n", role, document_text(event, "number", "?"));
    } else if (strcmp(word, "ended") == 0) {
        printf("ended %s: %s\n", role, document_text(event, "text", "?"));
    } else if (strcmp(word, "lost") == 0) {
        printf("lost %s token %s: %s\n", role, document_text(event, "token", "?"),
               document_text(event, "text", "?"));
    } else {
        printf("%s %s token %s\n", word, role, document_text(event, "token", "?"));
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        finish(standing, EXIT_REFUSED); /* main says why. */
    }
}

/* What no line of the daemon has said. */
static void print_lost(struct standing *standing, const char *reason, const char *text)
{
    char token[32];

    snprintf(token, sizeof token, "%" PRIu64, standing->token);
    json_t *event = json_pack("{s:s s:s s:s s:s s:s}", "event", "lost", "role",
                              standing->wish->campaign.role, "token", token, "reason", reason,
                              "text", text);
    print_event(standing, event);
    json_decref(event);
    standing->token = 0;
    if (standing->wish->once && !standing->over) {
        finish(standing, EXIT_DONE);
    }
}

static void on_ended(struct standing *standing, const json_t *event)
{
    const char *reason = document_text(event, "reason", "");

    if (strcmp(reason, "resigned") == 0) {
        finish(standing, EXIT_DONE);
    } else if (campaign_is_over(reason)) {
        struct failure failure;
        failure_set(&failure, EXIT_REFUSED, "%s: %s; doyen roles shows them",
                    standing->wish->campaign.role, document_text(event, "text", "?"));
        finish(standing, failure_report(&failure));
    }
}

static void say_unfit(struct standing *standing)
{
    struct failure failure;
    char reason[ROLE_REASON_MAX];

    if (role_reason_unfit(standing->cli, &standing->wish->campaign, reason)) {
        (void)failure_set(&failure, EXIT_DONE, "%s", reason);
        (void)failure_report(&failure);
    }
}

static void on_event(struct standing *standing, const json_t *event)
{
    const char *word = document_text(event, "event", "?");

    if (strcmp(word, "holding") == 0) {
        return; /* It was asked for as a sign of life. */
    }
    print_event(standing, event);
    if (standing->over) {
        return;
    }
    if (strcmp(word, "candidate") == 0) {
        say_unfit(standing);
    }
    if (strcmp(word, "granted") == 0 || strcmp(word, "token") == 0) {
        standing->token = document_number(event, "token");
        standing->give_up_ms = UINT64_MAX;
    } else if (strcmp(word, "lost") == 0) {
        standing->token = 0;
        role_lines_say_stopped(&standing->lines);
        if (standing->wish->once) {
            finish(standing, EXIT_DONE);
        }
    } else if (strcmp(word, "ended") == 0) {
        on_ended(standing, event);
    }
}

/* --- The connection -------------------------------------------------------------------------- */

static void disconnect(struct standing *standing)
{
    if (standing->lines.connection >= 0) {
        close(standing->lines.connection);
    }
    doyen_lease_unmap(&standing->page);
    standing->lines = (struct role_lines){.connection = -1};
}

/* `why` is NULL: the role was not granted. */
static bool gives_up(struct standing *standing, enum exit_code code, const char *why)
{
    struct failure failure;
    char text[DURATION_TEXT_MAX];
    char reason[ROLE_REASON_MAX];

    if (clock_left_ms(standing->give_up_ms) > 0) {
        return false;
    }
    if (why == NULL) {
        role_reason_late(standing->cli, &standing->wish->campaign, reason);
        why = reason;
    }
    duration_text(text, standing->wish->timeout_ms);
    failure_set(&failure, code, "timed out after %s: %.*s", text, FAILURE_TEXT_MAX / 2, why);
    finish(standing, failure_report(&failure));
    return true;
}

/* Maps the page, which is closed. Without it the end of the role would not be seen. */
static void map_page(struct standing *standing, int page)
{
    const char *where = doyen_where(standing->cli->client);
    const int error = doyen_lease_map(&standing->page, page);
    struct failure failure;

    close(page);
    if (error == 0) {
        return;
    }
    if (error == -EXDEV) {
        (void)failure_of_clock(&failure, where);
    } else {
        (void)failure_set(&failure, EXIT_REFUSED, "the answer of %s makes no sense: is it doyend?",
                          where);
    }
    finish(standing, failure_report(&failure));
}

/* Once, until it is reached again. */
static void say_unreachable(struct standing *standing, const char *why)
{
    if (!standing->said_unreachable) {
        fprintf(stderr, "doyen: %s; waiting for it\n", why);
        standing->said_unreachable = true;
    }
}

/* Tries once. */
static void reach(struct standing *standing)
{
    struct failure failure;
    int page = -1;

    if (cli_connect(standing->cli, &failure) != EXIT_DONE) {
        finish(standing, failure_report(&failure));
        return;
    }
    const int connection = doyen_campaign(standing->cli->client, &standing->wish->campaign,
                                          ANSWER_MS, &page);
    if (connection >= 0) {
        standing->lines.connection = connection;
        standing->said_unreachable = false;
        if (page >= 0) {
            map_page(standing, page);
        }
        return;
    }
    const enum exit_code code = client_failure(standing->cli->client, connection, &failure);
    if (!failure_passes(code)) {
        finish(standing, failure_report(&failure));
    } else if (!gives_up(standing, code, failure.text)) {
        say_unreachable(standing, failure.text);
        clock_sleep_ms(PAUSE_MS);
    }
}

/* For how long the page says that the role is held; UINT64_MAX where there is nothing to say. */
static uint64_t held_ms(const struct standing *standing)
{
    struct doyen_lease_content content;

    if (standing->token == 0 || standing->page.page == NULL ||
        doyen_lease_read(&standing->page, &content) != 0) {
        return UINT64_MAX;
    }
    const uint64_t left_ns = doyen_lease_left_ns(&content, doyen_lease_now_ns());
    if (content.deadline_ns == 0) {
        return UINT64_MAX; /* The line that says why is on its way. */
    }
    return left_ns > 0 ? left_ns / UINT64_C(1000000) + 1 : 0;
}

/* Waits for a line, for the end of the lease, or for the time to be over. */
static void wait_for_something(struct standing *standing)
{
    struct pollfd ready = {.fd = standing->lines.connection, .events = POLLIN};
    uint64_t wait_ms = held_ms(standing);

    if (wait_ms == 0) {
        print_lost(standing, "lapsed", "the lease was not renewed: is doyend stopped?");
        return;
    }
    const uint64_t left_ms = clock_left_ms(standing->give_up_ms);
    wait_ms = wait_ms < left_ms ? wait_ms : left_ms;
    (void)poll(&ready, 1, wait_ms < PAGE_LOOK_MS ? (int)wait_ms : PAGE_LOOK_MS);
    if (!gives_up(standing, EXIT_TIMED_OUT, NULL) && ready.revents == 0 &&
        !role_lines_are_alive(&standing->lines)) {
        say_unreachable(standing, "doyend says nothing: it may be stopped");
        disconnect(standing);
    }
}

static void attend(struct standing *standing)
{
    json_t *event = NULL;
    int taken = 1;

    while (!standing->over && taken == 1) {
        taken = role_lines_next(&standing->lines, &event);
        if (taken == 1) {
            on_event(standing, event);
            json_decref(event);
        }
    }
    if (taken < 0 && !standing->over) {
        if (standing->token != 0) {
            print_lost(standing, "daemon_gone", "doyend is gone, and renews the lease no more");
        }
        disconnect(standing);
    } else if (!standing->over) {
        wait_for_something(standing);
    }
}

enum exit_code campaign_print(struct cli *cli, const struct campaign_wish *wish)
{
    struct standing standing = {.cli = cli,
                                .wish = wish,
                                .lines = {.connection = -1},
                                .give_up_ms = wish->has_timeout ? clock_now_ms() + wish->timeout_ms
                                                                : UINT64_MAX};

    while (!standing.over) {
        if (standing.lines.connection < 0) {
            reach(&standing);
        } else {
            attend(&standing);
        }
    }
    disconnect(&standing);
    return standing.code;
}
