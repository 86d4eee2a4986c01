#include "lab/trial.h"

#include <assert.h>
#include <stdlib.h>

#include "base/random.h"
#include "election/registry.h"
#include "lab/queue.h"

enum {
    DETECTED_AFTER_MS = 10, /* a crash, by the view that leaves out who crashed */
    SILENT_HEARTBEATS = 3,
};

struct node {
    struct participant participant;
    bool is_down;
    uint64_t tick_ms; /* the soonest tick that is in the queue */
};

struct run {
    const struct trial *trial;
    struct trial_result *result;
    struct random random;
    struct queue queue;
    struct registry registry;
    struct roster view; /* the last; not all have installed it yet */
    struct node *nodes; /* by age, from 1 */
    struct election_out out;
    uint64_t now_ms;
    uint64_t best; /* of those that are up */
    size_t up_count;
    size_t agreeing;  /* of those, how many follow the best */
    size_t leading;   /* how many follow themselves */
    size_t under_way; /* messages but heartbeats, views and starts in the queue */
    bool has_crashed;
    bool has_led;
    bool failed; /* memory ran out */
};

/* --- What happens next --- */

static void tell(const struct run *run, enum trial_event_kind what, uint64_t member,
                 uint64_t leader, const struct election_message *message)
{
    if (run->trial->tell != NULL) {
        run->trial->tell(run->trial->context, &(struct trial_event){.at_ms = run->now_ms,
                                                                    .what = what,
                                                                    .member = member,
                                                                    .leader = leader,
                                                                    .message = message});
    }
}

static bool counts(const struct happening *happening)
{
    return happening->kind == HAPPENING_VIEW || happening->kind == HAPPENING_START ||
           (happening->kind == HAPPENING_MESSAGE && happening->message.type != ELECTION_HEARTBEAT);
}

static void put(struct run *run, const struct happening *happening)
{
    if (!queue_put(&run->queue, happening)) {
        run->failed = true;
        return;
    }
    run->under_way += counts(happening);
}

static uint64_t delay_ms(struct run *run)
{
    return random_between(&run->random, run->trial->delay_ms_min, run->trial->delay_ms_max);
}

static void send(struct run *run)
{
    for (size_t i = 0; i < run->out.count; i++) {
        const struct election_message *message = &run->out.messages[i];
        const bool is_lost = random_below(&run->random, 1000) < run->trial->loss_permille;
        if (message->type != ELECTION_HEARTBEAT) {
            run->result->messages++;
            run->result->bytes += election_message_bytes(message);
            tell(run, TRIAL_SENT, message->from, NOBODY, message);
            if (is_lost) {
                tell(run, TRIAL_LOST, message->from, NOBODY, message);
            }
        }
        if (!is_lost) {
            put(run, &(struct happening){.at_ms = run->now_ms + delay_ms(run),
                                         .kind = HAPPENING_MESSAGE,
                                         .node = (size_t)message->to,
                                         .message = *message});
        }
    }
    run->out.count = 0;
}

/* --- Views --- */

static struct node *node_of(struct run *run, uint64_t age)
{
    return &run->nodes[age - 1];
}

/* Counts anew who follows whom. */
static void take_stock(struct run *run)
{
    run->agreeing = run->leading = run->up_count = 0;
    for (size_t i = 0; i < run->trial->nodes; i++) {
        const uint64_t leader = participant_leader(&run->nodes[i].participant);
        if (!run->nodes[i].is_down) {
            run->up_count++;
            run->agreeing += leader == run->best;
            run->leading += leader == i + 1;
        }
    }
}

/* The view without those that are down, installed by each in a while. */
static void announce_view(struct run *run, uint64_t after_ms)
{
    const uint64_t spread_ms = run->trial->delay_ms_max - run->trial->delay_ms_min;
    struct roster view = run->view;

    view.version++;
    view.count = 0;
    for (size_t i = 0; i < run->view.count; i++) {
        if (!node_of(run, run->view.members[i].age)->is_down) {
            view.members[view.count++] = run->view.members[i];
        }
    }
    run->view = view;
    run->best = roster_best(&view);
    for (size_t i = 0; i <= view.count; i++) {
        put(run, &(struct happening){
                     .at_ms = run->now_ms + after_ms + random_below(&run->random, spread_ms + 1),
                     .kind = HAPPENING_VIEW,
                     .node = i < view.count ? (size_t)view.members[i].age : NOBODY});
    }
}

static void crash(struct run *run, uint64_t age)
{
    run->has_crashed = true;
    node_of(run, age)->is_down = true;
    tell(run, TRIAL_FELL, age, NOBODY, NULL);
    announce_view(run, DETECTED_AFTER_MS);
    take_stock(run);
}

/* --- Steps --- */

/* The best one crashes as soon as it leads, by chance before or after it could say so. Another that
 * was drawn crashes at that moment. */
static void maybe_crash(struct run *run, uint64_t age)
{
    if (run->has_crashed || run->trial->crash == TRIAL_CRASH_NONE || run->view.count < 3 ||
        age != run->best || participant_leader(&node_of(run, age)->participant) != age) {
        return;
    }
    if (run->trial->crash == TRIAL_CRASH_ANY) {
        age = run->view.members[random_below(&run->random, run->view.count)].age;
    } else if (random_below(&run->random, 2) == 0) {
        run->out.count = 0;
    }
    crash(run, age);
}

/* What follows from a step of a node, which followed `former` before it. */
static void after_step(struct run *run, uint64_t age, uint64_t former)
{
    struct node *node = node_of(run, age);
    const uint64_t leader = participant_leader(&node->participant);

    if (leader != former) {
        run->agreeing += (leader == run->best) - (size_t)(former == run->best);
        run->leading += (leader == age) - (size_t)(former == age);
        tell(run, TRIAL_FOLLOWS, age, leader, NULL);
    }
    maybe_crash(run, age);
    send(run);
    const uint64_t deadline_ms = participant_deadline_ms(&node->participant);
    if (deadline_ms < node->tick_ms) {
        node->tick_ms = deadline_ms;
        put(run,
            &(struct happening){.at_ms = deadline_ms, .kind = HAPPENING_TICK, .node = (size_t)age});
    }
}

static void step_registry(struct run *run, const struct happening *happening)
{
    if (happening->kind == HAPPENING_MESSAGE) {
        registry_take(&run->registry, &happening->message, &run->out);
    } else if (run->trial->algorithm->asks_registry) {
        registry_install(&run->registry, &run->view, &run->out);
    }
    send(run);
}

static void step_node(struct run *run, const struct happening *happening)
{
    const uint64_t age = happening->node;
    struct node *node = node_of(run, age);
    struct participant *participant = &node->participant;
    const uint64_t former = participant_leader(participant);

    if (node->is_down) {
        return;
    }
    switch (happening->kind) {
    case HAPPENING_VIEW:
        tell(run, TRIAL_INSTALLED, age, NOBODY, NULL);
        participant_install(participant, &run->view, run->now_ms, &run->out);
        break;
    case HAPPENING_START:
        tell(run, TRIAL_STARTED, age, NOBODY, NULL);
        participant_start(participant, run->now_ms, &run->out);
        break;
    case HAPPENING_MESSAGE:
        participant_take(participant, &happening->message, run->now_ms, &run->out);
        break;
    case HAPPENING_TICK:
        node->tick_ms = ELECTION_NEVER_MS;
        participant_tick(participant, run->now_ms, &run->out);
        break;
    case HAPPENING_HEARTBEAT:
        participant_heartbeat(participant, &run->out);
        put(run, &(struct happening){.at_ms = run->now_ms + run->trial->heartbeat_ms,
                                     .kind = HAPPENING_HEARTBEAT,
                                     .node = happening->node});
        break;
    }
    after_step(run, age, former);
}

/* --- The figures --- */

/* From the last event to the one that comes now. */
static void account(struct run *run, uint64_t at_ms)
{
    struct trial_result *result = run->result;

    result->without_ms += run->leading == 0 ? at_ms - run->now_ms : 0;
    result->double_ms += run->leading > 1 ? at_ms - run->now_ms : 0;
    run->now_ms = at_ms;
}

/* Do all that can know follow the best? Without heartbeats a registry tells nobody else. */
static bool agrees(struct run *run)
{
    if (run->trial->heartbeat_ms == 0 && run->trial->algorithm->asks_registry) {
        return participant_leader(&node_of(run, run->best)->participant) == run->best;
    }
    return run->agreeing == run->up_count;
}

static void simulate(struct run *run)
{
    struct trial_result *result = run->result;
    struct happening next;
    bool agreed = false;

    while (!run->failed && queue_take(&run->queue, &next) && next.at_ms <= TRIAL_MS_MAX) {
        const size_t leading = run->leading;
        run->under_way -= counts(&next);
        account(run, next.at_ms);
        if (next.node == NOBODY) {
            step_registry(run, &next);
        } else {
            step_node(run, &next);
        }
        if (!run->has_led && run->leading > 0) {
            run->has_led = true;
            result->first_ms = run->now_ms;
        }
        result->doubles += leading <= 1 && run->leading > 1;
        if (agrees(run) && !agreed) {
            result->all_ms = run->now_ms;
        }
        agreed = agrees(run);
        if (agreed && run->under_way == 0) {
            result->has_settled = true;
            return;
        }
    }
}

/* --- Setting up --- */

/* Numbers 1 to `count` in an order that is drawn. */
static void draw_order(struct random *random, uint64_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t at = (size_t)random_below(random, i + 1);
        order[i] = order[at];
        order[at] = i + 1;
    }
}

static void set_up_members(struct run *run)
{
    const struct trial *trial = run->trial;
    uint64_t order[ROSTER_MAX];

    run->view = (struct roster){
        .epoch = 1, .version = 1, .newest_is_best = trial->newest_is_best, .count = trial->nodes};
    draw_order(&run->random, order, trial->nodes);
    for (size_t i = 0; i < trial->nodes; i++) {
        run->view.members[i] = (struct candidate){.age = i + 1,
                                                  .priority = trial->ids_by_age ? 0 : order[i]};
    }
    const struct participant_settings settings = {
        .algorithm = trial->algorithm,
        .answer_ms = 2 * trial->delay_ms_max + 1,
        .round_ms = 100 + 4 * trial->nodes * trial->delay_ms_max,
        .silent_ms = SILENT_HEARTBEATS * trial->heartbeat_ms,
        .waits_for_start = true};
    const struct election_message leads = {.type = ELECTION_HEARTBEAT,
                                           .round = {.epoch = 1, .version = 1, .attempt = 1},
                                           .subject = roster_best(&run->view)};
    for (uint64_t age = 1; age <= trial->nodes; age++) {
        struct participant *participant = &node_of(run, age)->participant;
        struct election_message heard = leads;
        heard.to = age;
        heard.from = age == 1 ? 2 : 1;
        participant_init(participant, &settings, age, random_u64(&run->random));
        participant_install(participant, &run->view, 0, &run->out);
        participant_take(participant, &heard, 0, &run->out);
        node_of(run, age)->tick_ms = ELECTION_NEVER_MS;
    }
    run->registry.herd = trial->algorithm == &algorithm_sequential_herd;
    registry_install(&run->registry, &run->view, &run->out);
    run->out.count = 0;
}

/* The leader falls, all know it, and the starters start. */
static void set_up_fall(struct run *run)
{
    const struct trial *trial = run->trial;
    const uint64_t spread_ms = trial->delay_ms_max - trial->delay_ms_min;
    const uint64_t fallen = roster_best(&run->view);
    uint64_t order[ROSTER_MAX] = {0};

    node_of(run, fallen)->is_down = true;
    tell(run, TRIAL_FELL, fallen, NOBODY, NULL);
    announce_view(run, 0);
    take_stock(run);
    run->result->roster = run->view;
    draw_order(&run->random, order, run->view.count);
    for (size_t i = 0; trial->has_first_starter && i < run->view.count; i++) {
        if (order[i] == trial->first_starter + 1) {
            order[i] = order[0];
            order[0] = trial->first_starter + 1;
        }
    }
    run->result->first_starter = (size_t)order[0] - 1;
    const bool starts = !trial->algorithm->asks_registry && !trial->algorithm->decides_alone;
    for (size_t i = 0; starts && i < trial->starters && i < run->view.count; i++) {
        put(run, &(struct happening){.at_ms = spread_ms,
                                     .kind = HAPPENING_START,
                                     .node = (size_t)run->view.members[order[i] - 1].age});
    }
    for (size_t i = 0; trial->heartbeat_ms != 0 && i < run->view.count; i++) {
        put(run, &(struct happening){.at_ms = random_below(&run->random, trial->heartbeat_ms),
                                     .kind = HAPPENING_HEARTBEAT,
                                     .node = (size_t)run->view.members[i].age});
    }
}

bool trial_run(const struct trial *trial, struct trial_result *result)
{
    struct run *run = calloc(1, sizeof *run);

    assert(trial->nodes >= 3 && trial->nodes <= ROSTER_MAX && trial->starters >= 1);
    assert(trial->delay_ms_min >= 1 && trial->delay_ms_min <= trial->delay_ms_max);
    *result = (struct trial_result){0};
    if (run == NULL) {
        return false;
    }
    run->nodes = calloc(trial->nodes, sizeof run->nodes[0]);
    run->failed = run->nodes == NULL;
    run->trial = trial;
    run->result = result;
    random_seed(&run->random, trial->seed);
    if (!run->failed) {
        set_up_members(run);
        set_up_fall(run);
        simulate(run);
    }
    const bool succeeded = !run->failed;
    queue_deinit(&run->queue);
    free(run->nodes);
    free(run);
    return succeeded;
}
