#include "core/holding/holder.h"

#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "core/holding/words.h"
#include "core/model/marks.h"
#include "core/state/outbox.h"

static uint64_t hash_of(const struct own_candidate *own)
{
    return words_hash(&own->is.request, own->is.number, own->is.token);
}

static void set_number(struct core *core, struct own_candidate *own, uint64_t number)
{
    core->holder.hash -= hash_of(own);
    own->is.number = number;
    core->holder.hash += hash_of(own);
}

static void set_token(struct core *core, struct own_candidate *own, uint64_t token)
{
    core->holder.hash -= hash_of(own);
    own->is.token = token;
    core->holder.hash += hash_of(own);
}

static void tell(struct core *core, const struct own_candidate *own, enum role_news_kind kind,
                 enum role_reason reason)
{
    outbox_role(core, &(struct role_news){.request = own->is.request,
                                          .kind = kind,
                                          .reason = reason,
                                          .number = own->is.number,
                                          .token = own->is.token});
}

static struct own_candidate *find(struct core *core, const struct node_id *request)
{
    for (uint32_t i = 0; i < core->holder.top; i++) {
        struct own_candidate *own = &core->holder.own[i];
        if (own->state != HOLDER_FREE && id_equal(&own->is.request, request)) {
            return own;
        }
    }
    return NULL;
}

static void note_due(struct core *core, uint64_t due_ms)
{
    core->holder.due_ms = earlier(core->holder.due_ms, due_ms);
}

static void ask_soon(struct core *core)
{
    core->holder.ask_ms = core->now_ms;
    note_due(core, core->now_ms);
}

/* The place is empty then. What it let go of stays void for whoever comes next (K4b). */
static void remove_own(struct core *core, struct own_candidate *own)
{
    struct holder *holder = &core->holder;

    holder->hash -= hash_of(own);
    holder->floor = own->let_go > holder->floor ? own->let_go : holder->floor;
    own->state = HOLDER_FREE;
    holder->count--;
}

/* --- To the coordinator --- */

static void send_let_go(struct core *core, const struct node_id *request, uint64_t token,
                        bool resigned)
{
    struct role_word word = {.flag = resigned};

    word.entry.request = *request;
    word.entry.token = token;
    words_to_coordinator(core, MESSAGE_ROLES_LET_GO, &word);
}

static void enter(struct core *core, const struct own_candidate *own)
{
    struct role_word word = {.stamp = core->now_ms, .entry = own->is};

    words_to_coordinator(core, MESSAGE_ROLES_ENTER, &word);
}

/* K2a: one question for all that this member holds. */
static void ask(struct core *core)
{
    struct role_word word = {
        .stamp = core->now_ms, .count = core->holder.count, .hash = core->holder.hash};

    words_to_coordinator(core, MESSAGE_ROLES_ASK, &word);
    core->holder.asked_ms = core->now_ms;
}

static void tell_all(struct core *core)
{
    core->holder.tells = false;
    core->holder.told_ms = core->now_ms;
    for (uint32_t i = 0; i < core->holder.top; i++) {
        if (core->holder.own[i].state != HOLDER_FREE) {
            enter(core, &core->holder.own[i]);
        }
    }
}

/* --- Holding --- */

/* K7d: its client is told before anybody else may hold. A grace of NEVER_MS has no end. */
static void lose(struct core *core, struct own_candidate *own, enum role_reason reason)
{
    own->state = HOLDER_LOST;
    own->until_ms = core->now_ms + earlier(own->grace_ms, NEVER_MS - core->now_ms);
    note_due(core, own->until_ms);
    tell(core, own, ROLE_LOST, reason);
}

/* K4: this very grant is over. */
static void let_go(struct core *core, struct own_candidate *own)
{
    uint64_t token = own->is.token;

    own->state = HOLDER_WAITS;
    if (token != 0) {
        own->let_go = token > own->let_go ? token : own->let_go;
        set_token(core, own, 0);
        send_let_go(core, &own->is.request, token, false);
    }
}

/* K5b: it is no candidate any more. One word says so and ends its grant: between two, it would be
 * the first of the candidates, and get the role again. */
static void resign(struct core *core, struct own_candidate *own)
{
    uint64_t token = own->is.token;

    own->let_go = token > own->let_go ? token : own->let_go;
    send_let_go(core, &own->is.request, token, true);
    remove_own(core, own);
}

/* The client has stopped, or is taken to have. */
static void on_stopped(struct core *core, struct own_candidate *own)
{
    if (core->life.phase == PHASE_LEAVING) {
        tell(core, own, ROLE_ENDED, ROLE_LEAVING);
        resign(core, own);
    } else {
        let_go(core, own);
        ask_soon(core);
    }
}

/* K3a: not by the arrival of an answer, but by this node's clock when it asked; and no longer than
 * either of both ends has it. */
static uint64_t lease_end_ms(const struct core *core, const struct role_word *word)
{
    return word->stamp + earlier(word->held_ms, core->spans.held_ms);
}

static void renew(const struct core *core, struct own_candidate *own, const struct role_word *word)
{
    uint64_t until_ms = lease_end_ms(core, word);

    own->until_ms = until_ms > own->until_ms ? until_ms : own->until_ms;
}

static void lapse(struct core *core)
{
    for (uint32_t i = 0; i < core->holder.top; i++) {
        struct own_candidate *own = &core->holder.own[i];
        if (own->state == HOLDER_LEADS && core->now_ms >= own->until_ms) {
            REACHED(role_lapsed);
            lose(core, own, ROLE_LAPSED);
        } else if (own->state == HOLDER_LOST && core->now_ms >= own->until_ms) {
            on_stopped(core, own);
        }
    }
}

/* --- From the coordinator --- */

/* K3b: each question brings all grants anew. Where they come late, more of them would wait to be
 * read each time. */
static void ask_again(struct core *core)
{
    struct holder *holder = &core->holder;
    const uint64_t next_ms = holder->asked_ms + core_repair_ms(core);

    holder->ask_ms = earlier(holder->ask_ms, next_ms > core->now_ms ? next_ms : core->now_ms);
    note_due(core, holder->ask_ms);
}

/* K4b: a token at or below one that was let go of is void, and the coordinator hears again which
 * one that is. */
static void on_token(struct core *core, struct own_candidate *own, const struct role_word *word)
{
    uint64_t token = word->entry.token;

    if (token <= own->let_go) {
        REACHED(role_token_void);
        send_let_go(core, &own->is.request, own->let_go, false);
        return;
    }
    if (token < own->is.token) {
        return;
    }
    const bool is_drawn_now = role_token_epoch(token) >= core->view.epoch;
    if (own->state == HOLDER_WAITS && (word->order == ROLE_LET_GO || !is_drawn_now)) {
        own->let_go = token; /* It never knew that it held, and does not begin now (K4d). */
        send_let_go(core, &own->is.request, token, false);
        return;
    }
    if (own->state == HOLDER_WAITS && core->now_ms >= lease_end_ms(core, word)) {
        REACHED(role_grant_too_late);
        ask_again(core); /* K3b: what is over is not held, nor told to another coordinator. */
        return;
    }
    bool newer = token > own->is.token;
    if (newer) {
        set_token(core, own, token);
        ask_soon(core);
    }
    if (own->state == HOLDER_WAITS) {
        own->state = HOLDER_LEADS;
        own->until_ms = lease_end_ms(core, word);
        tell(core, own, ROLE_LEADS, ROLE_NOT_LOST);
        return;
    }
    if (own->state == HOLDER_LEADS) {
        renew(core, own, word);
    }
    if (own->state == HOLDER_LEADS && newer) {
        tell(core, own, ROLE_TOKEN, ROLE_NOT_LOST);
    }
    if (own->state == HOLDER_LEADS && word->order == ROLE_LET_GO) {
        lose(core, own, ROLE_REVOKED);
    }
}

static void on_refused(struct core *core, struct own_candidate *own, enum role_order order)
{
    if (own->is.number == 0 && own->state == HOLDER_WAITS) {
        tell(core, own, ROLE_ENDED, order == ROLE_OTHER_TERMS ? ROLE_TERMS : ROLE_MANY);
        remove_own(core, own);
    }
}

static void on_place(struct core *core, const struct role_word *word)
{
    const struct role_entry *placed = &word->entry;
    struct own_candidate *own = find(core, &placed->request);

    if (own == NULL) { /* K5b: what the coordinator lists here is nobody's. */
        uint64_t token = placed->token;
        core->holder.floor = token > core->holder.floor ? token : core->holder.floor;
        send_let_go(core, &placed->request, token, true);
        return;
    }
    if (word->order == ROLE_OTHER_TERMS || word->order == ROLE_FULL) {
        on_refused(core, own, word->order);
        return;
    }
    if (placed->number != 0 && (own->is.number == 0 || placed->number < own->is.number)) {
        set_number(core, own, placed->number);
        tell(core, own, ROLE_WAITS, ROLE_NOT_LOST);
        ask_soon(core);
    }
    if (placed->token != 0) {
        on_token(core, own, word);
    }
}

/* K2b: the coordinator has all that this member has, or wants to be told. */
static void on_answer(struct core *core, const struct role_word *word)
{
    struct holder *holder = &core->holder;

    if (!word->flag) {
        bool lately = holder->told_ms != 0 &&
                      core->now_ms < holder->told_ms + timing_repair_ms(&core->timing);
        holder->tells = true;
        holder->ask_ms = lately ? holder->told_ms + timing_repair_ms(&core->timing) : core->now_ms;
        note_due(core, holder->ask_ms);
        return;
    }
    for (uint32_t i = 0; i < holder->top; i++) {
        if (holder->own[i].state == HOLDER_LEADS) {
            renew(core, &holder->own[i], word);
        }
    }
}

void holder_on_word(struct core *core, enum message_type type, const struct role_word *word)
{
    if (word->stamp > core->now_ms) {
        return; /* This life has not asked that yet. */
    }
    lapse(core); /* What is over when the answer is read is over. */
    if (type == MESSAGE_ROLES_PLACE) {
        on_place(core, word);
    } else {
        on_answer(core, word);
    }
}

/* --- From this node's clients --- */

static void refuse_campaign(struct core *core, const struct role_command *command,
                            enum role_reason reason)
{
    outbox_role(core, &(struct role_news){
                          .request = command->request, .kind = ROLE_ENDED, .reason = reason});
}

static struct own_candidate *free_place(struct core *core)
{
    struct holder *holder = &core->holder;

    for (uint32_t i = 0; i < holder->top; i++) {
        if (holder->own[i].state == HOLDER_FREE) {
            return &holder->own[i];
        }
    }
    return holder->top < ROLE_OWN_MAX ? &holder->own[holder->top++] : NULL;
}

static void on_campaign(struct core *core, const struct role_command *command)
{
    struct holder *holder = &core->holder;
    struct own_candidate *own = find(core, &command->request);

    if (core->life.phase != PHASE_MEMBER) {
        refuse_campaign(core, command, ROLE_NO_MEMBER);
        return;
    }
    if (own != NULL) { /* K5a: found again, and told how far it is. */
        tell(core, own, own->state == HOLDER_LEADS ? ROLE_LEADS : ROLE_WAITS, ROLE_NOT_LOST);
        return;
    }
    own = free_place(core);
    if (own == NULL) {
        refuse_campaign(core, command, ROLE_MANY);
        return;
    }
    *own = (struct own_candidate){.state = HOLDER_WAITS,
                                  .let_go = holder->floor,
                                  .grace_ms = larger(command->grace_ms, core->plan.grace_ms_min)};
    own->is.request = command->request;
    own->is.terms = command->terms;
    own->is.priority = command->priority;
    text_set(own->is.role, sizeof own->is.role, command->role,
             text_length(command->role, NAME_BYTES_MAX));
    holder->count++;
    holder->hash += hash_of(own);
    enter(core, own);
    ask_soon(core);
}

void holder_on_command(struct core *core, const struct role_command *command)
{
    struct own_candidate *own = command->wish == ROLE_CAMPAIGN ? NULL
                                                               : find(core, &command->request);

    if (own != NULL && !core_is_member(core)) {
        return;
    }
    switch (command->wish) {
    case ROLE_CAMPAIGN:
        on_campaign(core, command);
        return;
    case ROLE_RESIGN:
        if (own != NULL) {
            resign(core, own);
            ask_soon(core);
        }
        return;
    case ROLE_DONE:
        if (own != NULL && own->state == HOLDER_LOST) {
            on_stopped(core, own);
        }
        return;
    case ROLE_OUTGROW:
        return; /* The roster's. */
    }
}

/* --- The rest --- */

/* Whoever leaves holds nothing longer than its clients need to stop. */
static void leave_all(struct core *core)
{
    for (uint32_t i = 0; i < core->holder.top; i++) {
        struct own_candidate *own = &core->holder.own[i];
        if (own->state == HOLDER_LEADS) {
            lose(core, own, ROLE_LEAVING);
        } else if (own->state == HOLDER_WAITS) {
            on_stopped(core, own);
        }
    }
}

static uint64_t soonest_own_ms(const struct core *core)
{
    uint64_t due_ms = core->holder.ask_ms;

    for (uint32_t i = 0; i < core->holder.top; i++) {
        const struct own_candidate *own = &core->holder.own[i];
        if (own->state == HOLDER_LEADS || own->state == HOLDER_LOST) {
            due_ms = earlier(due_ms, own->until_ms);
        }
    }
    return due_ms;
}

void holder_tick(struct core *core)
{
    struct holder *holder = &core->holder;

    if (holder->count > 0 && core->life.phase == PHASE_LEAVING) {
        leave_all(core);
    }
    if (core->now_ms < holder->due_ms) {
        return;
    }
    lapse(core);
    if (core->now_ms >= holder->ask_ms) {
        holder->ask_ms = NEVER_MS;
        if (holder->tells) {
            tell_all(core);
        }
        ask(core);
        if (holder->count > 0) {
            holder->ask_ms = earlier(holder->ask_ms, core->now_ms + core->timing.heartbeat_ms);
        }
    }
    holder->due_ms = soonest_own_ms(core);
}

uint64_t holder_deadline_ms(const struct core *core)
{
    return core->holder.due_ms;
}

/* K8: who comes in anew with a merge was of the part that lost. */
static void lose_part(struct core *core)
{
    for (uint32_t i = 0; i < core->holder.top; i++) {
        struct own_candidate *own = &core->holder.own[i];
        if (own->state == HOLDER_FREE) {
            continue;
        }
        if (own->state == HOLDER_LEADS) {
            lose(core, own, ROLE_MERGED);
        }
        own->let_go = own->is.token > own->let_go ? own->is.token : own->let_go;
        set_token(core, own, 0);
        set_number(core, own, 0);
    }
}

void holder_on_view_installed(struct core *core, const struct installed *before)
{
    const struct view *former = before->view;

    if (core->holder.count == 0 || view_is_empty(former)) {
        return;
    }
    uint32_t was = view_find(former, &core->life.self.id);
    if (core->view.cause == CAUSE_MERGE &&
        former->members[was].age != core->view.members[core->position].age) {
        REACHED(role_lost_by_merge);
        lose_part(core);
    }
    if (former->epoch != core->view.epoch ||
        !id_equal(&former->members[0].id, &core->view.members[0].id)) {
        core->holder.tells = true; /* K7a: nothing is granted before all have told. */
        ask_soon(core);
    }
}

void holder_start(struct core *core)
{
    memset(&core->holder, 0, offsetof(struct holder, own)); /* No place was used yet. */
    core->holder.due_ms = NEVER_MS;
    core->holder.ask_ms = NEVER_MS;
}

void holder_reset(struct core *core)
{
    for (uint32_t i = 0; i < core->holder.top; i++) {
        if (core->holder.own[i].state != HOLDER_FREE) {
            tell(core, &core->holder.own[i], ROLE_ENDED, ROLE_LIFE_OVER);
            remove_own(core, &core->holder.own[i]);
        }
    }
    holder_start(core);
}
