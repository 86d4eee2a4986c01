#include "runtime/services/elector.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "runtime/host/clock.h"
#include "runtime/options/tag_list.h"

static void on_timer(uv_timer_t *timer);

/* --- Whom it elects among -------------------------------------------------------------------- */

/* Whom all read off the view, without a message: the best of its members. */
static const struct member *best_of_view(const struct config *config, const struct view *view)
{
    const struct member *best = NULL;
    uint64_t best_priority = 0;

    for (uint32_t i = 0; i < view->member_count; i++) {
        const struct member *member = &view->members[i]; /* by rising age */
        const uint64_t priority = elector_priority(member);
        if (best == NULL || priority > best_priority ||
            (priority == best_priority && config_prefers_newest(config))) {
            best = member;
            best_priority = priority;
        }
    }
    return best;
}

static const struct election_algorithm *algorithm_of(enum election_kind algorithm)
{
    switch (algorithm) {
    case ELECT_OLDEST:
        return &algorithm_oldest;
    case ELECT_BULLY:
        return &algorithm_bully;
    case ELECT_RING:
        return &algorithm_ring;
    case ELECT_TOKEN_RING:
        return &algorithm_token_ring;
    case ELECT_SEQUENTIAL:
        return &algorithm_sequential;
    }
    return &algorithm_oldest;
}

const char *elector_algorithm_text(enum election_kind algorithm)
{
    return algorithm_of(algorithm)->name;
}

static unsigned rule_of(const struct config *config)
{
    static const unsigned rules[] = {[ELECT_OLDEST] = 0,
                                     [ELECT_BULLY] = RULE_BULLY,
                                     [ELECT_RING] = RULE_RING,
                                     [ELECT_TOKEN_RING] = RULE_TOKEN_RING,
                                     [ELECT_SEQUENTIAL] = RULE_SEQUENTIAL};

    return rules[config_election(config)] + (config_prefers_newest(config) ? RULE_NEWEST : 0U);
}

uint64_t elector_priority(const struct member *member)
{
    return tag_list_priority(member_tags(member));
}

static void roster_of(const struct config *config, const struct view *view, struct roster *roster)
{
    roster->epoch = view->epoch;
    roster->version = view->version;
    roster->newest_is_best = config_prefers_newest(config);
    roster->count = view->member_count;
    for (uint32_t i = 0; i < view->member_count; i++) {
        roster->members[i] = (struct candidate){.age = view->members[i].age,
                                                .priority = elector_priority(&view->members[i])};
    }
}

static const struct view *view_now(const struct elector *elector)
{
    return core_view(elector->options.core);
}

static bool is_coordinator(const struct elector *elector)
{
    return id_equal(&view_now(elector)->members[0].id, &elector->life);
}

static const struct member *member_of_age(const struct elector *elector, uint64_t age)
{
    const struct view *view = view_now(elector);
    const uint32_t position = view_find_age(view, age);

    return position == VIEW_NONE ? NULL : &view->members[position];
}

/* An age that no member has stands for somebody who is none. */
static uint64_t age_of(const struct elector *elector, const struct node_id *life)
{
    const struct view *view = view_now(elector);
    const uint32_t position = view_find(view, life);

    if (id_is_none(life)) {
        return NOBODY;
    }
    return position == VIEW_NONE ? UINT64_MAX : view->members[position].age;
}

/* Does this node exchange messages to elect? */
static bool elects(const struct elector *elector)
{
    return elector->participant != NULL;
}

/* Does it do so at present, as a member of a view? */
static bool takes_part(const struct elector *elector)
{
    return !id_is_none(&elector->life);
}

/* --- Its messages ---------------------------------------------------------------------------- */

static void send_to(struct elector *elector, const struct election_message *message,
                    const struct member *to)
{
    const struct node_id nobody = {.bytes = {0}};
    const struct member *subject = member_of_age(elector, message->subject);
    const struct member *home = member_of_age(elector, message->home);
    uint8_t bytes[ELECTION_FRAME_BYTES_MAX];
    const struct election_frame frame = {.from = elector->life,
                                         .to = to->id,
                                         .rule = rule_of(elector->options.config),
                                         .kind = message->type,
                                         .round = message->round,
                                         .subject = subject == NULL ? nobody : subject->id,
                                         .home = home == NULL ? nobody : home->id,
                                         .hops = message->hops,
                                         .ids = message->ids};
    const struct outgoing outgoing = {
        .peer = &to->id,
        .to = &to->address,
        .hop = &to->id,
        .bytes = bytes,
        .length = election_frame_encode(elector->options.wire, &frame, bytes)};

    elector->options.send(elector->options.context, &outgoing);
}

/* The registry is the coordinator's, who knows first who has gone. */
static void deliver_one(struct elector *elector, const struct election_message *message,
                        uint64_t now_ms)
{
    const bool asks = message->to == NOBODY;
    const struct member *to = asks ? &view_now(elector)->members[0]
                                   : member_of_age(elector, message->to);

    if (message->from == NOBODY && !is_coordinator(elector)) {
        return; /* What it would say as the coordinator. */
    }
    if (to == NULL) {
        return;
    }
    if (!id_equal(&to->id, &elector->life)) {
        send_to(elector, message, to);
    } else if (asks) {
        registry_take(elector->registry, message, elector->out);
    } else {
        participant_take(elector->participant, message, now_ms, elector->out);
    }
}

/* What is delivered to this node itself may add more. */
static void deliver(struct elector *elector, uint64_t now_ms)
{
    for (size_t i = 0; i < elector->out->count; i++) {
        const struct election_message message = elector->out->messages[i];
        deliver_one(elector, &message, now_ms);
    }
    elector->out->count = 0;
}

/* --- What is told of it ---------------------------------------------------------------------- */

static void tell_now(struct elector *elector, uint64_t now_ms)
{
    const struct node_id nobody = {.bytes = {0}};
    const struct member *leader = elector_leader(elector);

    if (!per_second_take(&elector->telling, LEADERS_TOLD_PER_S, now_ms)) {
        elector->tell_ms = (now_ms / 1000 + 1) * 1000;
        return;
    }
    elector->tell_ms = ELECTION_NEVER_MS;
    elector->told = leader == NULL ? nobody : leader->id;
    elector->options.on_leader(elector->options.context, leader);
}

/* A leader is told at once; that there is none when an election takes longer than they mostly do.
 */
static void tell(struct elector *elector, uint64_t now_ms)
{
    const struct member *leader = elector_leader(elector);
    const bool is_told = leader == NULL ? id_is_none(&elector->told)
                                        : id_equal(&elector->told, &leader->id);

    if (is_told) {
        elector->tell_ms = ELECTION_NEVER_MS;
    } else if (leader != NULL || now_ms >= elector->tell_ms) {
        tell_now(elector, now_ms);
    } else if (elector->tell_ms == ELECTION_NEVER_MS) {
        elector->tell_ms = now_ms + core_timing(elector->options.core)->heartbeat_ms;
    }
}

static uint64_t sooner_ms(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* To be done last, whatever happened. */
static void settle(struct elector *elector, uint64_t now_ms)
{
    uint64_t due_ms = ELECTION_NEVER_MS;

    if (takes_part(elector)) {
        deliver(elector, now_ms);
        due_ms = participant_deadline_ms(elector->participant);
    }
    tell(elector, now_ms);
    due_ms = sooner_ms(sooner_ms(due_ms, elector->beat_ms), elector->tell_ms);
    if (due_ms == ELECTION_NEVER_MS) {
        (void)uv_timer_stop(&elector->timer);
    } else {
        clock_start_timer(&elector->timer, on_timer, due_ms > now_ms ? due_ms : now_ms + 1);
    }
}

static void on_timer(uv_timer_t *timer)
{
    struct elector *elector = timer->data;
    const uint64_t now_ms = clock_ms();

    if (takes_part(elector)) {
        if (now_ms >= participant_deadline_ms(elector->participant)) {
            participant_tick(elector->participant, now_ms, elector->out);
        }
        if (now_ms >= elector->beat_ms) {
            participant_heartbeat(elector->participant, elector->out);
            elector->beat_ms = now_ms + core_timing(elector->options.core)->heartbeat_ms;
        }
    }
    settle(elector, now_ms);
}

/* --- Views ----------------------------------------------------------------------------------- */

/* What members said goes with them to their new positions. */
static void carry_states(struct elector *elector, const struct view *view)
{
    struct elector_state *states = calloc(ROSTER_MAX, sizeof *states);

    if (states == NULL) {
        memset(elector->states, 0, ROSTER_MAX * sizeof *states);
        return;
    }
    for (uint32_t i = 0; i < ROSTER_MAX; i++) {
        const uint32_t position = view_find(view, &elector->states[i].life);
        if (position != VIEW_NONE && !id_is_none(&elector->states[i].life)) {
            states[position] = elector->states[i];
        }
    }
    for (uint32_t i = 0; i < view->member_count; i++) {
        states[i].life = view->members[i].id;
    }
    free(elector->states);
    elector->states = states;
}

/* T_batch is several hops in any network that the profile is for, and no election makes more than
 * three for each member. */
static uint64_t round_ms(const struct timing *timing, size_t members)
{
    return timing->fresh_ms + members * timing->batch_ms;
}

static void begin_life(struct elector *elector, const struct member *self, uint64_t now_ms)
{
    const struct timing *timing = core_timing(elector->options.core);
    const struct participant_settings settings = {
        .algorithm = algorithm_of(config_election(elector->options.config)),
        .answer_ms = 3 * timing->batch_ms,
        .round_ms = round_ms(timing, 1),
        .silent_ms = timing->silent_ms,
        .resigned = elector->resigned,
    };

    participant_init(elector->participant, &settings, self->age, id_half(&self->id, 0) ^ now_ms);
    memset(elector->registry, 0, sizeof *elector->registry);
    memset(elector->states, 0, ROSTER_MAX * sizeof *elector->states);
    elector->life = self->id;
    elector->age = self->age;
    elector->beat_ms = now_ms + timing->heartbeat_ms;
}

static void end_life(struct elector *elector)
{
    elector->life = (struct node_id){.bytes = {0}};
    elector->beat_ms = ELECTION_NEVER_MS;
    elector->out->count = 0;
}

static void install(struct elector *elector, const struct view *view, uint64_t now_ms)
{
    struct roster roster;

    roster_of(elector->options.config, view, &roster);
    carry_states(elector, view);
    elector->view = view_id_of(view);
    participant_set_round_ms(elector->participant,
                             round_ms(core_timing(elector->options.core), roster.count));
    /* The registry goes last: what it tells this node is of the view that is installed. */
    participant_install(elector->participant, &roster, now_ms, elector->out);
    if (config_election(elector->options.config) == ELECT_SEQUENTIAL) {
        registry_install(elector->registry, &roster, elector->out);
    }
}

static bool fits(struct elector *elector, const struct view *view)
{
    if (view->member_count > ROSTER_MAX && !elector->said_large) {
        elector->said_large = true;
        log_line(elector->options.log, LOG_WARN, "election",
                 "%u members are more than the %d that can elect: there is no leader until they "
                 "are fewer",
                 view->member_count, ROSTER_MAX);
    }
    return view->member_count <= ROSTER_MAX;
}

static void follow(struct elector *elector, uint64_t now_ms)
{
    const struct core *core = elector->options.core;
    const struct view *view = core_view(core);
    const struct member *self = core_self(core);
    const enum phase phase = core_phase(core);
    const uint32_t position = view_is_empty(view) ? VIEW_NONE : view_find(view, &self->id);

    if (position == VIEW_NONE || (phase != PHASE_MEMBER && phase != PHASE_LEAVING) ||
        !fits(elector, view)) {
        if (takes_part(elector)) {
            end_life(elector);
            settle(elector, now_ms);
        }
        return;
    }
    const struct view_id id = view_id_of(view);
    if (takes_part(elector) && view_id_equal(&id, &elector->view)) {
        return;
    }
    /* Its age is what the others know it by: with another one it is new to their elections. */
    if (!id_equal(&elector->life, &self->id) || elector->age != view->members[position].age ||
        id.lineage != elector->view.lineage) {
        begin_life(elector, &view->members[position], now_ms);
    }
    install(elector, view, now_ms);
    settle(elector, now_ms);
}

void elector_on_step(struct elector *elector, uint64_t now_ms)
{
    if (elects(elector)) {
        follow(elector, now_ms);
    }
}

/* --- What others say ------------------------------------------------------------------------- */

static bool is_of_registry(enum election_message_type type)
{
    return type == ELECTION_NEXT || type == ELECTION_GONE || type == ELECTION_ANSWER;
}

static void say_other_rule(struct elector *elector, const struct member *from, unsigned rule)
{
    static const char *const names[] = {"bully", "ring", "token-ring", "sequential"};
    const struct config *config = elector->options.config;

    if (elector->said_other) {
        return;
    }
    elector->said_other = true;
    log_line(elector->options.log, LOG_WARN, "election",
             "%s elects by %s%s, and this node by %s%s: the messages of its elections are ignored; "
             "give all members the same --election",
             from->name, names[(rule - RULE_BULLY) % RULE_NEWEST],
             rule > RULE_SEQUENTIAL ? "-newest" : "",
             elector_algorithm_text(config_election(config)),
             config_prefers_newest(config) ? "-newest" : "");
}

static void note_state(struct elector_state *state, const struct election_frame *frame,
                       uint64_t now_ms)
{
    if (frame->kind == ELECTION_HEARTBEAT) {
        state->known = true;
        state->round = frame->round;
        state->leader = frame->subject;
        state->heard_ms = now_ms;
    }
}

void elector_take(struct elector *elector, const struct election_frame *frame, uint64_t now_ms)
{
    const struct view *view = view_now(elector);
    const struct node_id *self = &core_self(elector->options.core)->id;
    const uint32_t position = view_is_empty(view) ? VIEW_NONE : view_find(view, &frame->from);

    if (position == VIEW_NONE || !id_equal(&frame->to, self) || id_equal(&frame->from, self)) {
        return;
    }
    if (frame->rule != rule_of(elector->options.config)) {
        say_other_rule(elector, &view->members[position], frame->rule);
        return;
    }
    if (!takes_part(elector) || !id_equal(self, &elector->life)) {
        return;
    }
    const bool of_registry = is_of_registry(frame->kind);
    if (!per_second_take(&elector->states[position].taken, ELECTION_TAKEN_PER_S, now_ms) ||
        (of_registry && position != 0)) {
        return;
    }
    const struct election_message message = {
        .type = frame->kind,
        .from = of_registry ? NOBODY : view->members[position].age,
        .to = frame->kind == ELECTION_ASK ? NOBODY : elector->age,
        .round = frame->round,
        .subject = age_of(elector, &frame->subject),
        .home = age_of(elector, &frame->home),
        .hops = frame->hops,
        .ids = frame->ids};
    note_state(&elector->states[position], frame, now_ms);
    if (frame->kind == ELECTION_ASK) {
        registry_take(elector->registry, &message, elector->out);
    } else {
        participant_take(elector->participant, &message, now_ms, elector->out);
    }
    settle(elector, now_ms);
}

/* --- For its owner --------------------------------------------------------------------------- */

bool elector_open(struct elector *elector, uv_loop_t *loop, struct latch *latch,
                  const struct elector_options *options)
{
    elector->options = *options;
    elector->beat_ms = ELECTION_NEVER_MS;
    elector->tell_ms = ELECTION_NEVER_MS;
    elector->latch = latch;
    (void)uv_timer_init(loop, &elector->timer); /* cannot fail */
    elector->timer.data = elector;
    latch_acquire(latch);
    elector->open = true;
    if (config_election(options->config) == ELECT_OLDEST) {
        return true;
    }
    elector->participant = calloc(1, sizeof *elector->participant);
    elector->registry = calloc(1, sizeof *elector->registry);
    elector->out = calloc(1, sizeof *elector->out);
    elector->states = calloc(ROSTER_MAX, sizeof *elector->states);
    return elector->participant != NULL && elector->registry != NULL && elector->out != NULL &&
           elector->states != NULL;
}

static void on_closed(uv_handle_t *handle)
{
    struct elector *elector = handle->data;

    latch_release(elector->latch);
}

void elector_close(struct elector *elector)
{
    if (elector->open) {
        elector->open = false;
        uv_close((uv_handle_t *)&elector->timer, on_closed);
    }
}

void elector_free(struct elector *elector)
{
    free(elector->participant);
    free(elector->registry);
    free(elector->out);
    free(elector->states);
}

void elector_elect(struct elector *elector, uint64_t now_ms)
{
    if (takes_part(elector)) {
        participant_elect(elector->participant, now_ms, elector->out);
        settle(elector, now_ms);
    }
}

bool elector_stand(struct elector *elector, bool stands, uint64_t now_ms)
{
    if (!algorithm_of(config_election(elector->options.config))->lets_resign) {
        return false;
    }
    elector->resigned = !stands;
    if (takes_part(elector)) {
        (void)participant_stand(elector->participant, stands, now_ms, elector->out);
        settle(elector, now_ms);
    }
    return true;
}

bool elector_stands(const struct elector *elector)
{
    return !elector->resigned;
}

const struct member *elector_leader(const struct elector *elector)
{
    if (!elects(elector)) {
        return best_of_view(elector->options.config, view_now(elector));
    }
    const uint64_t leader = takes_part(elector) ? participant_leader(elector->participant) : NOBODY;
    return leader == NOBODY ? NULL : member_of_age(elector, leader);
}

struct election_round elector_round(const struct elector *elector)
{
    const struct view *view = view_now(elector);

    return elects(elector)
               ? elector->participant->machine.round
               : (struct election_round){.epoch = view->epoch, .version = view->version};
}

const struct elector_state *elector_state_of(const struct elector *elector, uint32_t position)
{
    return takes_part(elector) && position < ROSTER_MAX && elector->states[position].known
               ? &elector->states[position]
               : NULL;
}
