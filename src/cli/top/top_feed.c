#include "cli/top/top_feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/request/clock.h"
#include "cli/request/document.h"

enum {
    PATIENCE_MS = 800,   /* for one answer: keys wait as long */
    LOOK_AWAY_MS = 2000, /* while the daemon is away; that it is back the watch says */
    SELDOM = 5,          /* looks, after which is asked for what seldom changes */
    PATH_MAX_BYTES = 1024,
    ROLES_TRIES = 20,
    ROLES_NAP_MS = 25,
};

/* --- One document --- */

/* NULL: there is none, and the failure says why. */
static json_t *ask(struct top_feed *feed, const char *path, struct failure *failure)
{
    struct answer answer;

    if (client_get(feed->client, path, PATIENCE_MS, &answer, failure) != EXIT_DONE) {
        return NULL;
    }
    json_t *document = json_incref(answer.json);
    answer_deinit(&answer);
    return document;
}

/* Asks for a document and hands it to the model. One that the daemon does not have leaves what was
 * there. False: it is away, or the answer makes no sense. */
static bool take(struct top_feed *feed, enum top_document which, const char *path,
                 struct failure *failure)
{
    const uint64_t asked_ms = clock_now_ms();
    json_t *document = ask(feed, path, failure);

    if (document == NULL) {
        return false;
    }
    top_model_take(feed->model, which, document, asked_ms);
    return true;
}

/* --- What is asked for besides members and status --- */

static void ask_for_the_past(struct top_feed *feed)
{
    struct failure failure;
    json_t *journal = ask(feed, "/v1/journal", &failure);

    if (journal == NULL) {
        return;
    }
    top_model_add_journal(feed->model, journal);
    json_decref(journal);
    feed->is_stale = !take(feed, TOP_HISTORY, "/v1/history", &failure);
}

static void ask_for_voters(struct top_feed *feed)
{
    const json_t *guard = json_object_get(feed->model->documents[TOP_MEMBERS], "guard");
    struct failure failure;

    if (strcmp(document_text(guard, "policy", ""), "strict") == 0) {
        (void)take(feed, TOP_VOTERS, "/v1/voters", &failure);
    } else {
        top_model_take(feed->model, TOP_VOTERS, NULL, 0);
    }
}

static void ask_for_roles(struct top_feed *feed)
{
    struct failure failure;

    if (!feed->no_roles && !take(feed, TOP_ROLES, "/v1/roles?begin", &failure)) {
        feed->no_roles = !failure_passes(failure.code);
    }
}

static void ask_for_reasons(struct top_feed *feed)
{
    char *escaped = client_escape(feed->why);
    char path[PATH_MAX_BYTES];
    struct failure failure;

    if (escaped != NULL && feed->why[0] != '\0') {
        snprintf(path, sizeof path, "/v1/why?node=%s", escaped);
        (void)take(feed, TOP_WHY, path, &failure);
    }
    free(escaped);
}

/* False: the daemon is away. */
static bool look(struct top_feed *feed, struct failure *failure)
{
    const bool is_seldom = feed->looks % SELDOM == 0;

    if (!take(feed, TOP_MEMBERS, "/v1/members", failure) ||
        !take(feed, TOP_STATUS, "/v1/status", failure)) {
        return false;
    }
    feed->looks++;
    struct failure ignored;
    (void)take(feed, TOP_LINKS, "/v1/links", &ignored);
    if (is_seldom) {
        ask_for_voters(feed);
        ask_for_roles(feed);
    }
    if (feed->is_stale) {
        ask_for_the_past(feed);
    }
    ask_for_reasons(feed);
    return true;
}

enum exit_code top_feed_once(struct top_feed *feed, struct failure *failure)
{
    feed->is_stale = true;
    if (!look(feed, failure)) {
        return failure->code;
    }
    for (size_t i = 0; i < ROLES_TRIES && !feed->no_roles; i++) {
        const json_t *roles = feed->model->documents[TOP_ROLES];
        struct failure ignored;
        if (json_array_size(json_object_get(roles, "unanswered")) == 0 &&
            document_number(roles, "unasked") == 0) {
            break;
        }
        clock_sleep_ms(ROLES_NAP_MS);
        (void)take(feed, TOP_ROLES, "/v1/roles", &ignored);
    }
    return EXIT_DONE;
}

/* --- Watching --- */

static int on_event(void *user, const struct doyen_event *event)
{
    struct top_feed *feed = user;

    if (event->kind == DOYEN_AWAY) {
        top_model_set_away(feed->model, event->text);
        return 0;
    }
    json_t *data = event->json == NULL ? NULL : json_loads(event->json, 0, NULL);
    top_model_add_event(feed->model, data);
    json_decref(data);
    /* A snapshot comes first and after a gap: what was before is asked for. A view adds to it. */
    feed->is_stale = feed->is_stale || event->kind == DOYEN_SNAPSHOT || event->kind == DOYEN_VIEW ||
                     event->kind == DOYEN_BACK;
    feed->look_ms = 0; /* Something has happened: look now. */
    return 0;
}

enum exit_code top_feed_begin(struct top_feed *feed, struct failure *failure)
{
    const int error = doyen_watch_start(feed->client, NULL, DOYEN_WATCH_PLAIN, on_event, feed);

    return error == 0 ? EXIT_DONE : client_failure(feed->client, error, failure);
}

enum exit_code top_feed_step(struct top_feed *feed, struct failure *failure)
{
    const int error = doyen_step(feed->client);

    if (error != 0) {
        return client_failure(feed->client, error, failure);
    }
    if (clock_now_ms() < feed->look_ms) {
        return EXIT_DONE;
    }
    const bool there = look(feed, failure);
    if (!there) {
        top_model_set_away(feed->model, failure->text);
        feed->is_stale = true;
    }
    feed->look_ms = clock_now_ms() + (there ? TOP_LOOK_MS : LOOK_AWAY_MS);
    return EXIT_DONE;
}

void top_feed_ask_why(struct top_feed *feed, const char *name)
{
    if (strcmp(feed->why, name) == 0) {
        return;
    }
    snprintf(feed->why, sizeof feed->why, "%s", name);
    ask_for_reasons(feed);
}

int top_feed_timeout_ms(const struct top_feed *feed)
{
    const uint64_t look_ms = clock_left_ms(feed->look_ms);
    const int client_ms = doyen_timeout_ms(feed->client);

    return client_ms >= 0 && (uint64_t)client_ms < look_ms ? client_ms : (int)look_ms;
}
