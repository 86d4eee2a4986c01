#include "runtime/services/partitioner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/host/clock.h"

enum { FIRST_RETRY = 16 }; /* questions are repeated after that part of a heartbeat's interval */

static void on_timer(uv_timer_t *timer);

static void settle(struct partitioner *partitioner, uint64_t now_ms)
{
    const uint64_t keeper_ms = keeper_deadline_ms(partitioner->keeper);
    const uint64_t tenure_ms = tenure_deadline_ms(partitioner->tenure);
    const uint64_t due_ms = keeper_ms < tenure_ms ? keeper_ms : tenure_ms;

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
    tenure_tick(partitioner->tenure, now_ms);
    tenure_on_step(partitioner->tenure, now_ms); /* The maker may have made a table. */
    settle(partitioner, now_ms);
}

static void send_frame(const struct partitioner *partitioner, const struct node_id *life,
                       const uint8_t *bytes, size_t length)
{
    const struct view *view = core_view(partitioner->options.core);
    const uint32_t position = view_find(view, life);

    if (position == VIEW_NONE) {
        return;
    }
    const struct member *to = &view->members[position];
    const struct outgoing outgoing = {
        .peer = &to->id, .to = &to->address, .hop = &to->id, .bytes = bytes, .length = length};
    partitioner->options.send(partitioner->options.context, &outgoing);
}

static void on_send(void *context, const struct partition_message *message)
{
    const struct partitioner *partitioner = context;
    uint8_t bytes[PARTITION_FRAME_BYTES_MAX];

    send_frame(partitioner, &message->to, bytes,
               partition_frame_encode(partitioner->options.wire, message, bytes));
}

static void on_send_own(void *context, const struct own_message *message)
{
    const struct partitioner *partitioner = context;
    uint8_t bytes[OWN_FRAME_BYTES_MAX];

    send_frame(partitioner, &message->to, bytes,
               own_frame_encode(partitioner->options.wire, message, bytes));
}

static void on_command(void *context, const struct role_command *command)
{
    const struct partitioner *partitioner = context;

    partitioner->options.command(partitioner->options.context, command);
}

static void on_owner_news(void *context, enum owner_news news, const struct partition_set *set)
{
    const struct partitioner *partitioner = context;

    partitioner->options.on_owners(partitioner->options.context, news, set_count(set),
                                   partitioner->tenure->owner.count);
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

/* The keeper goes by the view that is installed. */
static void follow_view(struct partitioner *partitioner, uint64_t now_ms)
{
    const struct core *core = partitioner->options.core;
    const struct view *view = core_view(core);
    const struct member *self = core_self(core);
    const enum phase phase = core_phase(core);

    if ((phase != PHASE_MEMBER && phase != PHASE_LEAVING) || view_is_empty(view) ||
        !view_has(view, &self->id)) {
        keeper_leave(partitioner->keeper);
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
}

void partitioner_on_step(struct partitioner *partitioner, uint64_t now_ms)
{
    if (partitioner->keeper == NULL) {
        return;
    }
    follow_view(partitioner, now_ms);
    tenure_on_step(partitioner->tenure, now_ms);
    settle(partitioner, now_ms);
}

/* May one more message of that member be looked at? */
static bool is_taken(struct partitioner *partitioner, const struct node_id *from, uint64_t now_ms)
{
    const struct view *view = core_view(partitioner->options.core);
    const uint32_t position = view_is_empty(view) ? VIEW_NONE : view_find(view, from);

    return partitioner->keeper != NULL && position != VIEW_NONE &&
           per_second_take(&partitioner->taken[position], PARTITION_TAKEN_PER_S, now_ms);
}

void partitioner_take(struct partitioner *partitioner, const struct partition_message *message,
                      uint64_t now_ms)
{
    if (is_taken(partitioner, &message->from, now_ms)) {
        keeper_take(partitioner->keeper, message, now_ms);
        tenure_on_step(partitioner->tenure, now_ms);
        settle(partitioner, now_ms);
    }
}

void partitioner_take_own(struct partitioner *partitioner, const struct own_message *message,
                          uint64_t now_ms)
{
    if (is_taken(partitioner, &message->from, now_ms)) {
        tenure_take(partitioner->tenure, message, now_ms);
        settle(partitioner, now_ms);
    }
}

const struct tenure *partitioner_tenure(const struct partitioner *partitioner)
{
    return partitioner->tenure;
}

/* --- For this node's programs ---------------------------------------------------------------- */

uint64_t partitioner_promise_one(struct partitioner *partitioner, uint32_t partition,
                                 uint64_t *token, uint64_t now_ms)
{
    *token = 0;
    if (partitioner->tenure == NULL || partitioner->leaves ||
        partition >= partitioner->options.config->partitions) {
        return 0;
    }
    *token = owner_token(&partitioner->tenure->owner, partition, now_ms);
    return owner_promise(&partitioner->tenure->owner, partition, now_ms);
}

uint64_t partitioner_promise(struct partitioner *partitioner, uint64_t now_ms)
{
    uint64_t until_ms = 0;

    for (uint32_t p = 0; p < partitioner->options.config->partitions; p++) {
        uint64_t token = 0;
        const uint64_t each_ms = partitioner_promise_one(partitioner, p, &token, now_ms);
        until_ms = each_ms != 0 ? each_ms : until_ms; /* One lease, one end. */
    }
    return until_ms;
}

void partitioner_ready(struct partitioner *partitioner, const struct partition_set *set,
                       uint64_t now_ms)
{
    if (partitioner->tenure != NULL) {
        tenure_ready(partitioner->tenure, set, now_ms);
        settle(partitioner, now_ms);
    }
}

void partitioner_done(struct partitioner *partitioner, const struct partition_set *set,
                      uint64_t now_ms)
{
    if (partitioner->tenure != NULL) {
        tenure_done(partitioner->tenure, set, now_ms);
        settle(partitioner, now_ms);
    }
}

uint64_t partitioner_free_ms(struct partitioner *partitioner)
{
    partitioner->leaves = true;
    return partitioner->tenure == NULL ? 0 : owner_promised_ms(&partitioner->tenure->owner);
}

const struct keeper *partitioner_keeper(const struct partitioner *partitioner)
{
    return partitioner->keeper;
}

/* --- For its owner --------------------------------------------------------------------------- */

static void open_tenure(struct partitioner *partitioner)
{
    const struct config *config = partitioner->options.config;

    tenure_init(partitioner->tenure,
                &(struct tenure_options){.core = partitioner->options.core,
                                         .keeper = partitioner->keeper,
                                         .partitions = config->partitions,
                                         .ready_ms = config->partitions_ready_ms,
                                         .heartbeat_ms = config->timing.heartbeat_ms,
                                         .held_ms = timing_held_ms(
                                             &config->timing, config->guard.policy == GUARD_STRICT),
                                         .send = on_send_own,
                                         .command = on_command,
                                         .on_news = on_owner_news,
                                         .context = partitioner},
                partitioner->slots);
}

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
    partitioner->tenure = malloc(sizeof *partitioner->tenure);
    partitioner->slots = calloc(LEDGER_SLOTS_MAX, sizeof *partitioner->slots);
    partitioner->keeper = malloc(sizeof *partitioner->keeper);
    if (partitioner->keeper == NULL || partitioner->work == NULL || partitioner->taken == NULL ||
        partitioner->tenure == NULL || partitioner->slots == NULL) {
        return false;
    }
    open_tenure(partitioner);
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
    free(partitioner->tenure);
    free(partitioner->slots);
}
