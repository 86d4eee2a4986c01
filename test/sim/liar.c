#include "liar.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "liar_parts.h"
#include "oracle_parts.h"
#include "post.h"
#include "trace.h"

enum { FORGED_START = 256 }; /* places, a power of two */

static struct liar *liar_of(struct sim *sim)
{
    if (sim->liar != NULL) {
        return sim->liar;
    }
    struct liar *liar = calloc(1, sizeof *liar);
    assert(liar != NULL);
    liar->wire = wire_new(SIM_CLUSTER_NAME, sim->options.capacity);
    liar->storage = calloc(1, view_bytes(sim->options.capacity));
    liar->forged = calloc(FORGED_START, sizeof *liar->forged);
    liar->forged_places = FORGED_START;
    assert(liar->wire != NULL && liar->storage != NULL && liar->forged != NULL);
    view_init(&liar->view, sim->options.capacity, liar->storage);
    for (int i = 0; i < STRANGERS; i++) {
        memset(liar->strangers[i].bytes, 0xf0 + i, sizeof liar->strangers[i].bytes);
    }
    sim->liar = liar;
    return liar;
}

void liar_free(struct sim *sim)
{
    if (sim->liar == NULL) {
        return;
    }
    wire_free(sim->liar->wire);
    free(sim->liar->storage);
    free(sim->liar->forged);
    free(sim->liar->tokens);
    free(sim->liar->goings_on);
    free(sim->liar);
}

bool liar_has_lied(const struct sim *sim)
{
    return sim->liar != NULL && sim->liar->told > 0;
}

bool liar_has_betrayed(const struct sim *sim)
{
    return sim->liar != NULL && sim->liar->betrayed;
}

/* --- Views that were made up, by their hashes --- */

static struct forged *forged_place(struct forged *table, size_t places, uint64_t hash)
{
    size_t at = (size_t)hash & (places - 1);

    while (table[at].hash != 0 && table[at].hash != hash) {
        at = (at + 1) & (places - 1);
    }
    return &table[at];
}

void liar_remember(struct liar *liar, uint64_t hash, bool stranger)
{
    if (2 * liar->forged_count >= liar->forged_places) {
        size_t places = 2 * liar->forged_places;
        struct forged *table = calloc(places, sizeof *table);
        assert(table != NULL);
        for (size_t i = 0; i < liar->forged_places; i++) {
            if (liar->forged[i].hash != 0) {
                *forged_place(table, places, liar->forged[i].hash) = liar->forged[i];
            }
        }
        free(liar->forged);
        liar->forged = table;
        liar->forged_places = places;
    }
    struct forged *place = forged_place(liar->forged, liar->forged_places, hash);
    liar->forged_count += place->hash == 0;
    *place = (struct forged){.hash = hash, .stranger = stranger};
}

bool liar_made(const struct sim *sim, const struct view *view, bool *stranger)
{
    if (sim->liar == NULL || view->hash == 0) {
        return false;
    }
    const struct forged *place = forged_place(sim->liar->forged, sim->liar->forged_places,
                                              view->hash);
    *stranger = place->stranger;
    return place->hash != 0;
}

bool liar_named(const struct sim *sim, uint64_t token)
{
    for (size_t i = 0; sim->liar != NULL && i < sim->liar->token_count; i++) {
        if (sim->liar->tokens[i] == token) {
            return true;
        }
    }
    return false;
}

static void remember_token(struct liar *liar, const struct message *message)
{
    const uint64_t token = message->type == MESSAGE_ROLES_PLACE ? message->role.entry.token : 0;

    if (token == 0) {
        return;
    }
    liar->tokens = realloc(liar->tokens, (liar->token_count + 1) * sizeof *liar->tokens);
    assert(liar->tokens != NULL);
    liar->tokens[liar->token_count++] = token;
}

uint64_t liar_told_of(const struct sim *sim, enum message_type type)
{
    return sim->liar == NULL ? 0 : sim->liar->told_of[type];
}

/* --- Envelope --- */

static void fill_envelope(struct teller *teller)
{
    struct message *message = teller->message;

    memset(message, 0, sizeof *message);
    if (teller->from != NULL) {
        message->from = teller->from->witness.life;
        message->source = chance(teller, 8) ? lie_nowhere(teller) : teller->from->address;
        message->number = 1 + near(teller, teller->from->number);
    } else {
        message->from = chance(teller, 2) ? lie_fresh_id(teller)
                                          : teller->liar->strangers[draw(teller, 0, STRANGERS - 1)];
        message->source = lie_nowhere(teller);
        message->number = lie_leap(teller, 0);
    }
}

/* Those that a core writes into each copy. */
static struct wire_copy copy_of(struct teller *teller, struct node_id *to)
{
    struct wire_copy copy = {.to = to};

    *to = chance(teller, 16) ? lie_any_id(teller) : teller->to->witness.life;
    if (chance(teller, 8)) {
        copy.to = NULL;
    }
    copy.flags |= chance(teller, 4) || teller->asks_record ? 0U : WIRE_FELLOW;
    copy.flags |= chance(teller, 16) ? WIRE_RELAY : 0U;
    copy.echo = (uint32_t)(teller->to->number + draw(teller, 0, 2)) - 1;
    if (chance(teller, 4)) {
        copy.echo = (uint32_t)random_u64(teller->random);
    }
    return copy;
}

static void post(struct teller *teller, const struct wire_copy *copy, uint64_t delay_us)
{
    size_t length;
    const uint8_t *bytes = wire_encode(teller->liar->wire, teller->message, copy, &length);
    struct packet *packet = network_packet(&teller->sim->network, length);

    memcpy(packet->bytes, bytes, length);
    packet->to = host_index(teller->sim, teller->to);
    packet->from = packet->to;
    packet->source = teller->message->source;
    packet->forged = true;
    post_push(teller->sim, packet, teller->sim->now_us + delay_us);
}

static void send(struct teller *teller)
{
    struct node_id to;
    const struct wire_copy copy = copy_of(teller, &to);

    post(teller, &copy, draw(teller, 80, 400));
}

/* In whose name: of a process that runs, and not of the receiver itself. NULL: there is none. */
static const struct host *pick_liar(struct teller *teller, uint32_t host)
{
    if (host != SIM_ANY) {
        const struct host *liar = &teller->sim->hosts[host];
        return liar->running && liar != teller->to ? liar : NULL;
    }
    for (int tries = 0; tries < 8; tries++) {
        const struct host *liar = lie_any_running(teller);
        if (liar != teller->to) {
            return liar;
        }
    }
    return NULL;
}

static const struct host *host_of_life(const struct sim *sim, const struct node_id *life)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct host *host = &sim->hosts[i];
        if (host->running && id_equal(&host->witness.life, life)) {
            return host;
        }
    }
    return NULL;
}

static const struct host *any_voter(struct teller *teller, bool witness)
{
    const struct voter_lists *lists = &teller->known->voters;
    const uint32_t first = (uint32_t)draw(teller, 0, lists->count - 1);

    for (uint32_t i = 0; i < lists->count; i++) {
        const struct listed_voter *voter = &lists->voters[(first + i) % lists->count];
        for (uint32_t k = 0; k < teller->sim->host_count; k++) {
            const struct host *host = &teller->sim->hosts[k];
            if (host->running && host != teller->to && strcmp(host->name, voter->name) == 0 &&
                (voter->witness || !witness)) {
                return host;
            }
        }
    }
    return witness ? any_voter(teller, false) : NULL;
}

/* NULL: none of them runs, or it is the receiver. */
static const struct host *pick_forged(struct teller *teller, enum forged_name name)
{
    const struct view *known = teller->known;
    const uint32_t place = name == FORGED_COORDINATOR ? 0 : 1;
    const struct host *host;

    if (known->member_count <= place) {
        return NULL;
    }
    if ((name == FORGED_VOTER || name == FORGED_WITNESS) && known->voters.count > 0) {
        return any_voter(teller, name == FORGED_WITNESS);
    }
    if (name == FORGED_VOTER || name == FORGED_WITNESS) {
        host = lie_any_running(teller);
    } else {
        host = host_of_life(teller->sim, &known->members[place].id);
    }
    return host == teller->to ? NULL : host;
}

static const struct view *pick_known(struct teller *teller)
{
    const struct view *view = core_view(teller->to->core);

    for (int tries = 0; tries < 8 && view_is_empty(view); tries++) {
        view = core_view(lie_any_running(teller)->core);
    }
    return view;
}

/* Under guard strict, one that coordinates: it need not lie to act when it should not. */
static bool must_not_lie(const struct sim *sim, const struct host *host)
{
    const struct view *view = core_view(host->core);

    return sim->options.exclusive && !view_is_empty(view) &&
           id_equal(&view->members[0].id, &host->witness.life);
}

/* Where voters skip a lease on that word: of whoever says that somebody has handed over to it
 * (Z2c); or of whom the receiver takes for its coordinator, so that it says as much (Z7). A slow
 * one reads it later, and who coordinates then nobody knows yet. */
static bool tells_hand_over(const struct teller *teller)
{
    const struct message *message = teller->message;
    const struct view *view = core_view(teller->to->core);
    bool hands_over = message->type == MESSAGE_HANDOVER ||
                      (message->type == MESSAGE_HEARTBEAT && message->heartbeat.handed_over);

    if (message->type == MESSAGE_CLAIM) {
        return message->carrier.handover_epoch != 0;
    }
    if (hands_over && (teller->to->paused || teller->to->turn_us != 0)) {
        return true;
    }
    return hands_over && !view_is_empty(view) && id_equal(&view->members[0].id, &message->from);
}

uint64_t liar_bound_ms(const struct sim *sim)
{
    const uint64_t stalls_ms = 2 * sim->timing.stall_ms;

    return stalls_ms > 5000 ? stalls_ms : 5000;
}

bool liar_may_have_ended_history(const struct sim *sim)
{
    return sim->liar != NULL && sim->liar->succeeds;
}

/* What only the voter itself may say. */
static bool tells_vote(const struct message *message)
{
    return message->type == MESSAGE_VOTE || message->type == MESSAGE_ACK ||
           message->type == MESSAGE_PONG;
}

static void excuse(const struct teller *teller)
{
    if (tells_hand_over(teller)) {
        oracle_on_false_release(teller->sim, 2 * teller->sim->timing.lease_ms);
    }
    if (teller->forges && teller->sim->options.exclusive && tells_vote(teller->message)) {
        oracle_on_false_release(teller->sim, liar_bound_ms(teller->sim));
    }
}

void liar_says(struct sim *sim, uint32_t to, struct message *message)
{
    struct teller teller = {
        .sim = sim, .liar = liar_of(sim), .to = &sim->hosts[to], .message = message};
    const struct wire_copy copy = {
        .to = &teller.to->witness.life, .flags = WIRE_FELLOW, .echo = (uint32_t)teller.to->number};

    if (message_view(message) != NULL) {
        liar_remember(teller.liar, message_view(message)->hash, false);
    }
    remember_token(teller.liar, message);
    trace_note(sim, "somebody says to %s: %s", teller.to->name, message_text(message->type));
    sim->liar->told++;
    sim->liar->betrayed = true;
    sim->oracle.suspended = true;
    post(&teller, &copy, 100);
}

void liar_hands_on(struct sim *sim, struct random *random, uint32_t by, uint32_t to)
{
    const uint64_t lease_ms = random_below(random, 2) == 0 ? 0 : sim->timing.lease_ms;
    struct message message = {.type = MESSAGE_PREPARE};
    struct teller teller = {
        .sim = sim, .liar = liar_of(sim), .random = random, .to = &sim->hosts[to]};
    const struct view *accepted = sim->hosts[by].running ? core_accepted(sim->hosts[by].core)
                                                         : NULL;

    if (accepted == NULL || view_is_empty(accepted) || !teller.to->running) {
        return;
    }
    teller.message = &message;
    message.from = accepted->members[0].id;
    message.source = random_below(random, 2) == 0 ? accepted->members[0].address
                                                  : lie_any_running(&teller)->address;
    view_copy(&teller.liar->view, accepted);
    message.carrier = (struct view_carrier){
        .view = &teller.liar->view,
        .lease_ms = lease_ms,
        .hold_ms = lease_ms == 0 ? 0 : timing_hold_ms(&sim->timing)};
    const struct wire_copy copy = {.to = &teller.to->witness.life,
                                   .flags = WIRE_FELLOW | WIRE_RELAY};
    trace_note(sim, "somebody hands on to %s what %s accepted", teller.to->name,
               sim->hosts[by].name);
    post(&teller, &copy, 100);
}

static void says_that_it_moved(struct sim *sim, const struct host *host, uint32_t to)
{
    struct message beat = {.type = MESSAGE_HEARTBEAT,
                           .from = host->witness.life,
                           .source = host->address,
                           .number = host->number + 1000,
                           .heartbeat = {.view = view_id_of(core_view(sim->hosts[to].core))}};

    beat.heartbeat.view.epoch++;
    beat.heartbeat.view.coordinator = host->witness.life;
    liar_says(sim, to, &beat);
}

void liar_draws_away(struct sim *sim, uint32_t host)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct host *fellow = &sim->hosts[i];
        if (i != host && fellow->running &&
            view_has(core_view(sim->hosts[host].core), &fellow->witness.life)) {
            says_that_it_moved(sim, fellow, host);
        }
    }
}

bool liar_tell(struct sim *sim, struct random *random, const struct lie *lie)
{
    struct message message;
    struct teller teller = {.sim = sim,
                            .liar = liar_of(sim),
                            .random = random,
                            .stranger = lie->stranger,
                            .forges = lie->name != FORGED_NONE,
                            .to_limits = lie->to_limits,
                            .to = &sim->hosts[lie->to],
                            .message = &message};

    if (!teller.to->running) {
        return false;
    }
    if (!lie->stranger && !teller.forges) {
        teller.from = pick_liar(&teller, lie->host);
        if (teller.from == NULL || must_not_lie(sim, teller.from)) {
            return false;
        }
    }
    teller.known = pick_known(&teller);
    if (teller.forges) {
        teller.from = pick_forged(&teller, lie->name);
        if (teller.from == NULL) {
            return false;
        }
    }
    fill_envelope(&teller);
    lie_tell_kind(&teller, lie->kind);
    if (sim->options.exclusive) {
        lie_under_strict(&teller);
    }
    remember_token(teller.liar, &message);
    trace_note(sim, "%s %s to %s: %s", lie->stranger ? "a stranger" : teller.from->name,
               teller.forges ? "is forged" : "lies", teller.to->name, message_text(message.type));
    sim->liar->told++;
    sim->liar->told_of[message.type]++;
    sim->liar->succeeds |= !teller.forges && sim->options.successors;
    if (!lie->stranger) {
        sim->liar->betrayed = true;
        sim->oracle.suspended = true;
        excuse(&teller);
    }
    send(&teller);
    return true;
}

/* --- Lies that go on --- */

static void go_on(struct sim *sim, uint32_t index, uint32_t unused)
{
    struct going_on *going_on = &sim->liar->goings_on[index];
    struct random random = going_on->random;
    struct lies told = going_on->lies;

    (void)unused;
    for (uint32_t host = 0; host < sim->host_count && !sim->liar->pauses; host++) {
        told.lie.to = host;
        if (told.spares_voters && !told.lie.stranger && sim_may_have_a_vote(sim, told.lie.host)) {
            break;
        }
        for (uint32_t i = 0; i < told.each_time && (told.to >> (host % 64) & 1) != 0; i++) {
            liar_tell(sim, &random, &told.lie);
        }
    }
    going_on->random = random;
    if (sim->now_us < going_on->end_us) {
        sim_after(sim, told.gap_ms, go_on, index, 0);
    }
}

void liar_goes_on(struct sim *sim, const struct lies *told)
{
    struct liar *liar = liar_of(sim);
    uint32_t index = liar->going_on_count++;

    liar->goings_on = realloc(liar->goings_on, liar->going_on_count * sizeof *liar->goings_on);
    assert(liar->goings_on != NULL);
    struct going_on *going_on = &liar->goings_on[index];
    going_on->lies = *told;
    going_on->end_us = told->ms == UINT64_MAX ? UINT64_MAX : sim->now_us + told->ms * US_PER_MS;
    random_seed(&going_on->random, told->seed);
    trace_note(sim, "lies begin: %s", liar_text(told->lie.kind));
    go_on(sim, index, 0);
}

void liar_pauses(struct sim *sim, bool pauses)
{
    if (sim->liar != NULL) {
        sim->liar->pauses = pauses;
    }
}

void liar_leaves_history(struct sim *sim)
{
    sim->options.successors = false;
}

void sim_trust(struct sim *sim)
{
    trace_note(sim, "what is said counts again");
    oracle_begin_anew(sim);
}
