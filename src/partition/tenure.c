#include "partition/tenure.h"

#include <string.h>

static void on_send(void *context, const struct own_message *message)
{
    struct tenure *tenure = context;

    if (!id_equal(&message->to, &message->from)) {
        tenure->options.send(tenure->options.context, message);
    } else if (tenure->queued < TENURE_QUEUE_MAX) {
        tenure->queue[tenure->queued++] = *message;
    } /* else as good as lost: it is asked for again */
}

static void on_news(void *context, enum owner_news news, const struct partition_set *set)
{
    const struct tenure *tenure = context;

    tenure->options.on_news(tenure->options.context, news, set);
}

static void take_one(struct tenure *tenure, const struct own_message *message, uint64_t now_ms)
{
    if (message->kind <= OWN_LET_GO) {
        ledger_take(&tenure->ledger, message);
    } else {
        owner_take(&tenure->owner, message, now_ms);
    }
}

/* What this node says to itself. */
static void take_queued(struct tenure *tenure, uint64_t now_ms)
{
    for (uint32_t i = 0; i < tenure->queued; i++) {
        const struct own_message message = tenure->queue[i];
        take_one(tenure, &message, now_ms);
    }
    tenure->queued = 0;
}

/* --- The lease ------------------------------------------------------------------------------- */

static bool is_member(const struct core *core)
{
    const enum phase phase = core_phase(core);

    return (phase == PHASE_MEMBER || phase == PHASE_LEAVING) && !view_is_empty(core_view(core)) &&
           view_has(core_view(core), &core_self(core)->id);
}

/* Its candidacy is known by its life, which no client can draw. */
static bool find_own(const struct core *core, struct own_role *own)
{
    struct own_role all[ROLE_OWN_MAX];
    const uint32_t count = core_own_roles(core, all);

    for (uint32_t i = 0; i < count; i++) {
        if (id_equal(&all[i].request, &core_self(core)->id)) {
            *own = all[i];
            return true;
        }
    }
    return false;
}

static void command(const struct tenure *tenure, enum role_wish wish)
{
    struct role_command wanted = {.wish = wish,
                                  .request = core_self(tenure->options.core)->id,
                                  .role = PARTITION_ROLE,
                                  .terms = {.policy = ROLE_EACH, .holders = 1},
                                  .grace_ms = tenure->options.held_ms};

    tenure->options.command(tenure->options.context, &wanted);
}

/* P8: stands for it; and lets go of what was lost, once nobody goes by it. */
static void tend_lease(struct tenure *tenure, uint64_t now_ms)
{
    const struct core *core = tenure->options.core;
    struct own_role own = {.token = 0};
    const bool stands = find_own(core, &own);

    owner_on_lease(&tenure->owner, own.until_ms > 0 && !own.lost ? own.token : 0, own.until_ms,
                   now_ms);
    tenure->done_ms = OWNER_NEVER_MS;
    if (own.lost) {
        const uint64_t promised_ms = owner_promised_ms(&tenure->owner);
        if (now_ms >= promised_ms) {
            command(tenure, ROLE_DONE);
        } else {
            tenure->done_ms = promised_ms;
        }
    } else if (!stands && core_phase(core) == PHASE_MEMBER &&
               keeper_takes_part(tenure->options.keeper) && now_ms >= tenure->stand_ms) {
        tenure->stand_ms = now_ms + tenure->options.heartbeat_ms;
        command(tenure, ROLE_CAMPAIGN);
    }
}

/* P15: the core begins another epoch. */
static void outgrow(struct tenure *tenure)
{
    if (ledger_take_outgrown(&tenure->ledger)) {
        command(tenure, ROLE_OUTGROW);
    }
}

/* --- What the core says ---------------------------------------------------------------------- */

static void follow_table(struct tenure *tenure, uint64_t now_ms)
{
    const struct keeper *keeper = tenure->options.keeper;
    struct partition_set target = {.words = {0}};

    if (!keeper_has_table(keeper) || !view_id_equal(&keeper->of, &keeper->view) ||
        (view_id_equal(&keeper->of, &tenure->table) && keeper->digest == tenure->digest &&
         keeper->of.version == tenure->owner.version)) {
        return;
    }
    tenure->table = keeper->of;
    tenure->digest = keeper->digest;
    for (uint32_t p = 0; p < keeper->table.partitions; p++) {
        if (keeper->table.rows[p].copies[0] == keeper->place) {
            set_add(&target, p);
        }
    }
    owner_on_target(&tenure->owner, keeper->of.version, &target, now_ms);
}

static void follow_leases(struct tenure *tenure, uint64_t now_ms)
{
    const struct core *core = tenure->options.core;
    const struct view *view = core_view(core);

    if (!id_equal(&view->members[0].id, &core_self(core)->id)) {
        ledger_on_view(&tenure->ledger, NULL, 0, 0, 0);
        return;
    }
    ledger_on_view(&tenure->ledger, &core_self(core)->id, view->epoch, view->version,
                   core_merged_epoch(core));
    ledger_begin_leases(&tenure->ledger);
    for (uint32_t i = 0; i < core_role_places(core); i++) {
        struct listed_role listed;
        if (core_listed_role(core, i, &listed) && listed.token != 0 &&
            id_equal(&listed.request, &listed.life)) {
            ledger_lease(&tenure->ledger, &listed.life, listed.token);
        }
    }
    ledger_end_leases(&tenure->ledger, core_may_grant(core) && core_is_acting(core, now_ms));
}

static void follow(struct tenure *tenure, uint64_t now_ms)
{
    const struct core *core = tenure->options.core;

    if (!is_member(core)) {
        owner_leave(&tenure->owner);
        ledger_on_view(&tenure->ledger, NULL, 0, 0, 0);
        return;
    }
    owner_on_view(&tenure->owner, &core_self(core)->id, &core_view(core)->members[0].id,
                  core_view(core)->epoch, now_ms);
    follow_leases(tenure, now_ms);
    tend_lease(tenure, now_ms);
    follow_table(tenure, now_ms);
    take_queued(tenure, now_ms);
    outgrow(tenure);
}

/* --- For its driver -------------------------------------------------------------------------- */

void tenure_init(struct tenure *tenure, const struct tenure_options *options,
                 struct ledger_slot *slots)
{
    memset(tenure, 0, sizeof *tenure);
    tenure->options = *options;
    tenure->done_ms = OWNER_NEVER_MS;
    owner_init(&tenure->owner,
               &(struct owner_options){.partitions = options->partitions,
                                       .retry_first_ms = options->heartbeat_ms / 16 + 1,
                                       .retry_most_ms = options->heartbeat_ms,
                                       .ready_ms = options->ready_ms,
                                       .send = on_send,
                                       .on_news = on_news,
                                       .context = tenure});
    ledger_init(&tenure->ledger,
                &(struct ledger_options){
                    .partitions = options->partitions, .send = on_send, .context = tenure},
                slots);
}

/* A command steps the core, and that leads back in here. */
void tenure_on_step(struct tenure *tenure, uint64_t now_ms)
{
    tenure->again = true;
    if (tenure->busy) {
        return;
    }
    tenure->busy = true;
    while (tenure->again) {
        tenure->again = false;
        follow(tenure, now_ms);
    }
    tenure->busy = false;
}

void tenure_take(struct tenure *tenure, const struct own_message *message, uint64_t now_ms)
{
    take_one(tenure, message, now_ms);
    take_queued(tenure, now_ms);
    outgrow(tenure);
}

uint64_t tenure_deadline_ms(const struct tenure *tenure)
{
    const uint64_t owner_ms = owner_deadline_ms(&tenure->owner);

    return owner_ms < tenure->done_ms ? owner_ms : tenure->done_ms;
}

void tenure_tick(struct tenure *tenure, uint64_t now_ms)
{
    owner_tick(&tenure->owner, now_ms);
    take_queued(tenure, now_ms);
    if (now_ms >= tenure->done_ms) {
        tenure_on_step(tenure, now_ms);
    }
}

void tenure_ready(struct tenure *tenure, const struct partition_set *set, uint64_t now_ms)
{
    owner_ready(&tenure->owner, set, now_ms);
    take_queued(tenure, now_ms);
}

void tenure_done(struct tenure *tenure, const struct partition_set *set, uint64_t now_ms)
{
    owner_done(&tenure->owner, set, now_ms);
    take_queued(tenure, now_ms);
    tenure_on_step(tenure, now_ms);
}
