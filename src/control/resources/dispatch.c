#include "control/resources/dispatch.h"

#include "base/text.h"
#include "control/resources/argument.h"
#include "control/resources/change_log.h"
#include "control/resources/overdue.h"
#include "control/resources/request_refusal.h"
#include "control/resources/resources.h"
#include "control/resources/server.h"

static enum MHD_Result send_answer(struct request *request, struct answer answer)
{
    if (answer.response == NULL) {
        return MHD_NO;
    }
    const enum MHD_Result result = MHD_queue_response(request->connection, answer.status,
                                                      answer.response);
    MHD_destroy_response(answer.response);
    return result;
}

/* Can the answer to this request be given to others too? */
static bool is_shared(const struct request *request, const struct resource *resource)
{
    return resource->cache != CACHE_NOTHING &&
           (resource->argument == NULL || !argument_is_given(request, resource->argument));
}

/* A right that was given up must not be told of any more, not even within the same millisecond. */
static void drop_former_right(struct control *control)
{
    const uint64_t change = node_lease(control->node)->change;

    for (size_t i = 0; control->cached_right != change && i < RESOURCES_MAX; i++) {
        cached_answer_drop(&control->cached_answers[i]);
    }
    control->cached_right = change;
}

/* Returns a cached answer that is the same as a new one would be, or NULL. */
static const struct answer *find_cached(const struct request *request,
                                        const struct resource *resource)
{
    const struct control *control = request->server->control;
    const struct cached_answer *cached = &control->cached_answers[resource - resource_table];
    const struct snapshot *snapshot = &control->snapshot;
    const uint64_t cursor = journal_cursor(node_journal(control->node));

    if (!is_shared(request, resource)) {
        return NULL;
    }
    switch (resource->cache) {
    case CACHE_NOTHING:
        break;
    case CACHE_MOMENT:
        return cached_answer_find(cached, cursor, node_now_ms(control->node));
    case CACHE_UNTIL_CHANGE:
        return cached_answer_find(cached, cursor, 0);
    case CACHE_SNAPSHOT: /* The answer must hold the snapshot that is fresh. */
        return snapshot_is_fresh(snapshot)
                   ? cached_answer_find(cached, snapshot->cursor, snapshot->made_ms)
                   : NULL;
    }
    return NULL;
}

static enum MHD_Result queue_answer(struct request *request, const struct answer *answer)
{
    return MHD_queue_response(request->connection, answer->status, answer->response);
}

/* Makes the answer from facts that are collected once for all of it; the snapshot collects its own.
 */
static enum MHD_Result resource_render(struct request *request, const struct resource *resource)
{
    struct control *control = request->server->control;
    const struct snapshot *snapshot = &control->snapshot;
    const bool is_snapshot = resource->cache == CACHE_SNAPSHOT;

    if (!is_snapshot && !facts_collect(&control->facts, 0)) {
        return send_answer(request, answer_busy("this node has no memory to spare for the answer"));
    }
    const struct answer answer = resource->answer(request);
    if (resource_is_change(resource)) {
        change_log(request, resource, answer.status);
    }
    if (answer.response == NULL || !is_shared(request, resource)) {
        return send_answer(request, answer);
    }
    cached_answer_set(&control->cached_answers[resource - resource_table], &answer,
                      is_snapshot ? snapshot->cursor : control->facts.cursor,
                      is_snapshot ? snapshot->made_ms : control->facts.now_ms);
    return queue_answer(request, &answer);
}

/* Gives a cached answer if there is one. Otherwise the answer has to be made, which counts against
 * the turn's share, and may have to wait. */
static enum MHD_Result resource_answer(struct request *request, const struct resource *resource)
{
    struct control *control = request->server->control;

    drop_former_right(control);
    const struct answer *cached = find_cached(request, resource);

    if (cached != NULL) {
        queue_forget(&request->waiter);
        return queue_answer(request, cached);
    }
    if (!queue_admits(&control->queue, &request->waiter)) {
        queue_wait(&control->queue, &request->waiter);
        return MHD_YES;
    }
    return resource_render(request, resource);
}

enum MHD_Result dispatch(struct request *request, const char *path, const char *method)
{
    const struct resource *resource = NULL;
    struct answer refusal;

    request->path = path;
    if (request_refuse(request, path, method, &resource, &refusal)) {
        return send_answer(request, refusal);
    }
    request->is_head = text_equal(method, MHD_HTTP_METHOD_HEAD);
    if (resource_is_lasting(request, resource)) {
        overdue_set_never(request);
    }
    return resource_answer(request, resource);
}
