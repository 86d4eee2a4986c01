#include "runtime/partitioner.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/clock.h"

enum { FIRST_RETRY = 16 }; /* questions are repeated after that part of a heartbeat's interval */

static void on_timer(uv_timer_t *timer);

static void settle(struct partitioner *partitioner, uint64_t now_ms)
{
    const uint64_t due_ms = keeper_deadline_ms(partitioner->keeper);

    if (due_ms == PARTITION_NEVER_MS) {
        (void)uv_timer_stop(&partitioner->timer);
    } else {
        clock_start_timer(&partitioner->timer, on_timer, due_ms > now_ms ? due_ms : now_ms + 1);
    }
}

static void on_timer(uv_timer_t *timer)
{
    struct partitioner *partitioner = timer->data;
    const uint64_t now_ms = clock_ms();

    keeper_tick(partitioner->keeper, now_ms);
    settle(partitioner, now_ms);
}

static void on_send(void *context, const struct partition_message *message)
{
    const struct partitioner *partitioner = context;
    const struct view *view = core_view(partitioner->options.core);
    const uint32_t position = view_find(view, &message->to);
    uint8_t bytes[PARTITION_FRAME_BYTES_MAX];

    if (position == VIEW_NONE) {
        return;
    }
    const struct member *to = &view->members[position];
    const struct outgoing outgoing = {
        .peer = &to->id,
        .to = &to->address,
        .hop = &to->id,
        .bytes = bytes,
        .length = partition_frame_encode(partitioner->options.wire, message, bytes)};
    partitioner->options.send(partitioner->options.context, &outgoing);
}

static void on_table(void *context, const struct keeper_news *news)
{
    const struct partitioner *partitioner = context;

    partitioner->options.on_table(partitioner->options.context, news);
}

/* P1: the oldest says by which terms. */
static void say_other_terms(struct partitioner *partitioner)
{
    const struct partition_terms *terms = &partitioner->keeper->crew.terms;
    const struct config *config = partitioner->options.config;

    if (partitioner->said_other) {
        return;
    }
    partitioner->said_other = true;
    log_line(partitioner->options.log, LOG_WARN, "partitions",
             "the cluster keeps %u partitions with %u backups of each, and this node was started "
             "with --partitions %u --backups %u: it keeps none; give all members the same",
             terms->partitions, terms->copies - 1, config->partitions, config->backups);
}

void partitioner_on_step(struct partitioner *partitioner, uint64_t now_ms)
{
    const struct core *core = partitioner->options.core;
    const struct view *view = core_view(core);
    const struct member *self = core_self(core);
    const enum phase phase = core_phase(core);

    if (partitioner->keeper == NULL) {
        return;
    }
    if ((phase != PHASE_MEMBER && phase != PHASE_LEAVING) || view_is_empty(view) ||
        !view_has(view, &self->id)) {
        keeper_leave(partitioner->keeper);
        settle(partitioner, now_ms);
        return;
    }
    const struct view_id id = view_id_of(view);
    if (view_id_equal(&id, &partitioner->view) && id_equal(&partitioner->keeper->self, &self->id)) {
        return;
    }
    partitioner->view = id;
    memset(partitioner->taken, 0, view->member_count * sizeof *partitioner->taken);
    keeper_install(partitioner->keeper, view, &self->id, now_ms);
    if (!keeper_takes_part(partitioner->keeper)) {
        say_other_terms(partitioner);
    }
    settle(partitioner, now_ms);
}

void partitioner_take(struct partitioner *partitioner, const struct partition_message *message,
                      uint64_t now_ms)
{
    const struct view *view = core_view(partitioner->options.core);
    const uint32_t position = view_is_empty(view) ? VIEW_NONE : view_find(view, &message->from);

    if (partitioner->keeper == NULL || position == VIEW_NONE ||
        !per_second_take(&partitioner->taken[position], PARTITION_TAKEN_PER_S, now_ms)) {
        return;
    }
    keeper_take(partitioner->keeper, message, now_ms);
    settle(partitioner, now_ms);
}

const struct keeper *partitioner_keeper(const struct partitioner *partitioner)
{
    return partitioner->keeper;
}

/* --- For its owner --------------------------------------------------------------------------- */

bool partitioner_open(struct partitioner *partitioner, uv_loop_t *loop, struct latch *latch,
                      const struct partitioner_options *options)
{
    const struct keeper_options keeper_options = {
        .retry_first_ms = options->config->timing.heartbeat_ms / FIRST_RETRY + 1,
        .retry_most_ms = options->config->timing.heartbeat_ms,
        .send = on_send,
        .on_table = on_table,
        .context = partitioner};

    partitioner->options = *options;
    partitioner->latch = latch;
    (void)uv_timer_init(loop, &partitioner->timer); /* cannot fail */
    partitioner->timer.data = partitioner;
    latch_acquire(latch);
    partitioner->open = true;
    if (options->config->partitions == 0) {
        return true;
    }
    partitioner->work = malloc(partition_work_bytes());
    partitioner->taken = calloc(PARTITION_MEMBERS_MAX, sizeof *partitioner->taken);
    partitioner->keeper = malloc(sizeof *partitioner->keeper);
    if (partitioner->keeper == NULL || partitioner->work == NULL || partitioner->taken == NULL) {
        return false;
    }
    keeper_init(partitioner->keeper, &keeper_options, partitioner->work);
    return true;
}

static void on_closed(uv_handle_t *handle)
{
    struct partitioner *partitioner = handle->data;

    latch_release(partitioner->latch);
}

void partitioner_close(struct partitioner *partitioner)
{
    if (partitioner->open) {
        partitioner->open = false;
        uv_close((uv_handle_t *)&partitioner->timer, on_closed);
    }
}

void partitioner_free(struct partitioner *partitioner)
{
    free(partitioner->keeper);
    free(partitioner->work);
    free(partitioner->taken);
}
