#include "runtime/node/node.h"

#include <assert.h>
#include <string.h>

#include "runtime/host/clock.h"
#include "runtime/node/node_state.h"
#include "runtime/sockets/answering.h"
#include "runtime/sockets/arrival.h"
#include "words/refused_text.h"
#include "words/terms_text.h"

/* --- Sending --- */

void node_send_note(void *context, const struct address *to, const uint8_t *bytes, size_t length)
{
    struct node *node = context;

    (void)udp_send(&node->udp, to, bytes, length);
}

void node_transmit(void *context, const struct outgoing *outgoing)
{
    struct node *node = context;

    if (outgoing->length <= DATAGRAM_FRAME_BYTES_MAX || outgoing->as_datagram) { /* U3a */
        const struct bytes datagram = gate_seal_datagram(&node->gate, outgoing);
        const int error = udp_send(&node->udp, outgoing->to, datagram.at, datagram.length);
        node_note_sent(node, outgoing->to, error);
    } else if (!links_send(&node->links, outgoing)) {
        stream_pool_send(&node->stream_pool, outgoing);
    }
}

/* The state of one step. */
struct step {
    uint64_t now_ms;
    const struct message *encoded; /* the message sent last, perhaps to several */
};

/* Who lives at the address that the message goes to: a relay, or its receiver. */
static const struct node_id *hop_of(const struct node *node, const struct effect *effect)
{
    const struct view *view = core_view(node->core);
    const uint32_t position = effect->relay ? view_find_address(view, &effect->address) : VIEW_NONE;

    return position == VIEW_NONE ? &effect->peer : &view->members[position].id;
}

/* A message to many receivers is encoded once; for each further receiver only what differs is
 * written. */
static struct outgoing encode(struct node *node, const struct effect *effect, struct step *step)
{
    struct outgoing outgoing = outgoing_encode(node->wire, effect,
                                               effect->message == step->encoded);

    outgoing.hop = hop_of(node, effect);
    step->encoded = effect->message;
    return outgoing;
}

/* Goes out as a beat what can. */
static bool send_beat(struct node *node, const struct effect *effect, uint64_t now_ms)
{
    const struct bytes beat = gate_beat(&node->gate, effect, now_ms);

    if (beat.length == 0) {
        return false;
    }
    const int error = udp_send(&node->udp, &effect->address, beat.at, beat.length);
    node_note_sent(node, &effect->address, error);
    return true;
}

static void send_message(struct node *node, const struct effect *effect, struct step *step)
{
    const struct node_id nobody = {.bytes = {0}};
    /* A relayed message uses the links to and from the relay, whoever its receiver is (R2). */
    const struct fault *fault = faults_find(&node->faults, effect->relay ? &nobody : &effect->peer,
                                            &effect->address);

    if (fault != NULL && fault->drop) {
        return;
    }
    if (fault == NULL && send_beat(node, effect, step->now_ms)) {
        return;
    }
    const struct outgoing outgoing = encode(node, effect, step);
    if (fault == NULL || fault->delay_ms == 0) {
        node_transmit(node, &outgoing);
    } else if (!faults_delay(&node->faults, &outgoing, fault->delay_ms)) {
        node->traffic.send_failed++;
    }
}

/* --- Effects --- */

bool node_is_cut(void *context, const struct node_id *peer, const struct address *address)
{
    const struct node *node = context;
    const struct fault *fault = faults_find(&node->faults, peer, address);

    return fault != NULL && fault->drop;
}

static void say_version(struct node *node)
{
    const uint8_t version = core_version(node->core);

    if (version != node->said_version && node->said_version != VERSION_NOT_SAID) {
        log_line(node->log, LOG_INFO, "version",
                 "members write to each other in version %u of the protocol now, and not in %u",
                 version + 1U, node->said_version + 1U);
    }
    node->said_version = version;
}

/* Those who vote, as the view has them: the terms name those that a cluster is founded with (Z13).
 */
static void name_voters(const struct view *view, struct voters *voters)
{
    if (!view_names_voters(view)) {
        return;
    }
    voters->count = 0;
    for (uint8_t i = 0; i < view->voters.count && voters->count < VOTERS_MAX; i++) {
        if (view->voters.voters[i].now) {
            memcpy(voters->names[voters->count++], view->voters.voters[i].name,
                   sizeof voters->names[0]);
        }
    }
}

static void say_other_voters(struct node *node, const struct voters *voters)
{
    const struct voters *own = &core_terms_configured(node->core)->voters;
    char named[VOTERS_TEXT_MAX];
    char text[VOTERS_TEXT_MAX];

    if (voters->count > 0 && own->count > 0 && !voters_equal(voters, own)) {
        voters_text(voters, text);
        voters_text(own, named);
        log_line(node->log, LOG_WARN, "voters",
                 "%s vote, and --voters here says %s, which counts for founding a cluster only: "
                 "make it alike, or have doyen voters set it",
                 text, named);
    }
}

/* A2: both of the views of a change are told of. */
static void say_terms(struct node *node)
{
    const struct agreed *agreed = core_agreed(node->core);
    struct terms terms = *core_terms(node->core);
    char words[TERMS_WORDS_MAX];

    if (agreed->number == node->said_terms) {
        return;
    }
    node->said_terms = agreed->number;
    name_voters(core_view(node->core), &terms.voters);
    say_other_voters(node, &terms.voters);
    terms_words(&terms, words);
    log_line(node->log, LOG_INFO, "terms", "the terms are %s; %s", words,
             agreed->joint         ? "those of before hold besides, until all members go by these"
             : agreed->number == 0 ? "as this node was started"
                                   : "all members go by them");
}

void node_tell(struct node *node, const struct notice *notice, uint64_t now_ms)
{
    const struct journal_entry *entry = journal_append(node->journal, notice, node->core, now_ms,
                                                       clock_wall_ms());

    if (entry != NULL) {
        log_notice(node->log, entry);
    }
}

static void handle_notice(struct node *node, const struct notice *notice, uint64_t now_ms)
{
    if (notice->type == NOTICE_VIEW) {
        say_version(node);
        say_terms(node);
    }
    node_tell(node, notice, now_ms);
    node_look_at_way(node, notice);
}

static void note_refused(struct node *node, const struct refused_message *refused, uint64_t now_ms)
{
    const struct view *view = core_view(node->core);
    const bool is_member = view_has(view, &refused->from) ||
                           view_find_gone(view, &refused->from) != NULL;
    char sender[SENDER_TEXT_MAX];
    uint64_t left_out;

    refusals_note(&node->refusals, refused, is_member, now_ms);
    if (log_on(node->log, LOG_DEBUG) && refusals_may_log(&node->refusals, now_ms, &left_out)) {
        log_refused(node->log, refused, sender_text(view, &refused->from, &refused->source, sender),
                    left_out);
    }
}

static void store_what_must_survive(struct node *node)
{
    struct stored stored;

    if (node->store != NULL) {
        core_stored(node->core, &stored);
        store_write(node->store, &stored);
    }
}

static void write_record(struct node *node, uint64_t number)
{
    struct vote_record record;

    assert(node->voter_store != NULL);
    core_record(node->core, &record);
    voter_store_write(node->voter_store, number, &record);
}

/* The core hands over, and waits until nobody goes by its right to act any more. Without holders
 * nobody does, for the page says when it is over. */
static void withdraw(struct node *node, uint64_t now_ms)
{
    if (lease_page_has_holders(&node->lease)) {
        lease_page_withdraw(&node->lease, node->core, now_ms);
    }
    node->withdraw_asked = true;
}

static void apply(struct node *node, const struct effect *effect, struct step *step)
{
    switch (effect->type) {
    case EFFECT_SEND:
        send_message(node, effect, step);
        return;
    case EFFECT_LINK_OPEN:
        links_hold(&node->links, &effect->peer, &effect->address);
        return;
    case EFFECT_LINK_CLOSE:
        links_release(&node->links, &effect->peer);
        return;
    case EFFECT_KERNEL_ASK:
        if (!node_is_cut(node, &effect->peer, &effect->address)) {
            links_ask_kernel(&node->links, &effect->peer, &effect->address);
        }
        return;
    case EFFECT_RESOLVE:
        resolver_ask(&node->resolver);
        return;
    case EFFECT_STORE:
        store_what_must_survive(node);
        return;
    case EFFECT_SYNC:
        write_record(node, effect->number);
        return;
    case EFFECT_WITHDRAW:
        withdraw(node, step->now_ms);
        return;
    case EFFECT_NOTICE:
        handle_notice(node, effect->notice, step->now_ms);
        return;
    case EFFECT_REFUSED:
        note_refused(node, &effect->refused, step->now_ms);
        return;
    case EFFECT_ROLE:
        role_clients_on_news(&node->roles, &effect->role, step->now_ms);
        return;
    }
}

/* --- Turning the crank --- */

static void report_end(struct node *node, enum node_end how)
{
    if (!node->ended) {
        node->ended = true;
        node->on_end(node->context, how);
    }
}

/* Whoever asked it to leave takes it for gone as soon as its owner closes the control socket, and
 * may start another one at its address. In a turn of its own: a socket must not be closed by its
 * own receive callback. */
static void on_left_turn(uv_timer_t *timer)
{
    struct node *node = timer->data;

    listener_close(&node->listener);
    udp_close(&node->udp);
    links_close(&node->links);
    report_end(node, NODE_LEFT);
}

static uint64_t sooner_ms(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* When a node that is to leave can: nobody acts by a right that it has, or holds a role, or goes by
 * the partitions that it owns. */
static uint64_t leave_ms(struct node *node)
{
    const uint64_t partitions_ms = partitioner_free_ms(&node->partitioner);
    const uint64_t lease_ms = lease_page_free_ms(&node->lease);
    const uint64_t roles_ms = role_clients_free_ms(&node->roles);
    const uint64_t held_ms = lease_ms > roles_ms ? lease_ms : roles_ms;

    return held_ms > partitions_ms ? held_ms : partitions_ms;
}

/* `earliest_ms` keeps a deadline that a tick left in the past from starving the sockets. */
static void arm_timer(struct node *node, uint64_t earliest_ms)
{
    uint64_t due_ms = sooner_ms(core_deadline_ms(node->core), lease_page_due_ms(&node->lease));

    due_ms = sooner_ms(due_ms, role_clients_due_ms(&node->roles));
    if (node->withdraw_asked) {
        due_ms = sooner_ms(due_ms, lease_page_free_ms(&node->lease));
    }
    if (node->leave_asked) {
        due_ms = sooner_ms(due_ms, leave_ms(node));
    }
    if (node->asked_count > 0) {
        due_ms = 0;
    }
    if (due_ms == NEVER_MS) {
        (void)uv_timer_stop(&node->timer);
    } else {
        clock_start_timer(&node->timer, node_on_timer, due_ms > earliest_ms ? due_ms : earliest_ms);
    }
}

/* A member's beats wait for a turn that comes anyway. */
static void choose_reading(struct node *node, enum phase phase)
{
    udp_set_lazy(&node->udp, phase == PHASE_MEMBER);
}

/* Serves datagrams, streams, timers and commands alike; a message comes with its `frame`, for the
 * recorder. An event without a time is one of now. Only the core is given an earlier one: what goes
 * out goes out now. No effect leads back in here before the step is over: sockets report in a turn
 * of their own. */
static void one_step(struct node *node, struct event event, struct bytes frame)
{
    const struct node_id life = core_self(node->core)->id;
    const uint64_t now_ms = clock_ms();
    struct step step = {.now_ms = now_ms};

    assert(!node->stepping);
    if (node->closing) {
        return;
    }
    node->stepping = true;
    event.now_ms = event.now_ms == 0 ? now_ms : event.now_ms;
    node->stepped_ms = event.now_ms;
    recorder_input(node->recorder, &event, frame.at, frame.length, node->core);
    recording_ring_input(node->ring, &event, frame.at, frame.length);
    struct effects effects = core_step(node->core, &event);
    recorder_output(node->recorder, node->core);
    lease_page_on_step(&node->lease, node->core, now_ms);
    for (uint32_t i = 0; i < effects.count; i++) {
        apply(node, &effects.items[i], &step);
    }
    role_clients_on_step(&node->roles);
    if (!id_equal(&life, &core_self(node->core)->id)) {
        listener_close_inbound(&node->listener, &node->streams);
    }
    node->stepping = false;
    elector_on_step(&node->elector, now_ms);
    partitioner_on_step(&node->partitioner, now_ms);

    if (!node->catching_up) {
        arm_timer(node, event.type == EVENT_TICK ? now_ms + 1 : 0);
    }
    const enum phase phase = core_phase(node->core);
    if (node->was_joining && phase != PHASE_JOINING) {
        seed_checker_stop(&node->seed_checker);
        (void)uv_timer_stop(&node->join_timer);
    }
    node->was_joining = phase == PHASE_JOINING;
    choose_reading(node, phase);
    if (phase == PHASE_STOPPED && !node->ended && !node->closing) {
        clock_start_timer(&node->closer, on_left_turn, 0);
    }
}

/* Tells a core that waits for it that nobody goes by its right to act any more; gives the right
 * back to readers when the hand-over is over, whatever came of it. */
static void end_withdrawal(struct node *node)
{
    const uint64_t now_ms = clock_ms();

    if (node->withdraw_asked && now_ms >= lease_page_free_ms(&node->lease)) {
        node->withdraw_asked = false;
        one_step(node, (struct event){.type = EVENT_WITHDRAWN}, (struct bytes){.at = NULL});
    }
    if (node->lease.withdrawn && !node->leave_asked && !node->withdraw_asked &&
        core_phase(node->core) == PHASE_MEMBER && !core_is_handing_over(node->core)) {
        lease_page_restore(&node->lease);
        lease_page_update(&node->lease, node->core, now_ms);
    }
}

static void node_step(struct node *node, struct event event)
{
    one_step(node, event, (struct bytes){.at = NULL});
    end_withdrawal(node);
}

static void step_with_frame(struct node *node, struct event event, struct bytes frame)
{
    one_step(node, event, frame);
    end_withdrawal(node);
}

/* --- What came while the loop slept --- */

enum { MISSED_MAX = 16 }; /* ticks that are made up for, so that nothing goes on for ever */

/* Runs each deadline that fell between two queued beats, or before the loop was to wake, at its own
 * time, so that the core does not take this node for late. */
static void do_what_was_due(struct node *node, uint64_t until_ms)
{
    for (uint32_t i = 0; i < MISSED_MAX && core_deadline_ms(node->core) < until_ms; i++) {
        const uint64_t due_ms = core_deadline_ms(node->core);
        node_step(node,
                  (struct event){.type = EVENT_TICK,
                                 .now_ms = due_ms > node->stepped_ms ? due_ms : node->stepped_ms});
    }
}

/* The time that the core is to be given for what came at `arrived_ms`; 0: now. */
static uint64_t event_ms(struct node *node, uint64_t arrived_ms)
{
    if (arrived_ms == UDP_JUST_NOW || !node->catching_up) {
        return 0;
    }
    const uint64_t now_ms = clock_ms();
    const struct arrival_bounds bounds = {
        .last_ms = node->stepped_ms, .due_ms = node->slept_for_ms, .now_ms = now_ms};
    const uint64_t given_ms = arrival_given_ms(&bounds, arrived_ms);
    do_what_was_due(node, sooner_ms(given_ms, node->slept_for_ms));
    return given_ms > node->stepped_ms ? given_ms : node->stepped_ms;
}

/* Steps the core with the beats that have come while nobody read them, as if somebody had. Returns
 * whether there were any; the timer is for the caller to arm. */
static bool catch_up(struct node *node)
{
    const uint64_t beats_in = node->traffic.beats_in;

    if (!node->started || node->stepping || node->catching_up || node->closing) {
        return false;
    }
    node->catching_up = true;
    node->slept_for_ms = core_deadline_ms(node->core);
    udp_read_beats(&node->udp);
    if (node->traffic.beats_in != beats_in) {
        do_what_was_due(node, sooner_ms(clock_ms(), node->slept_for_ms));
    }
    node->catching_up = false;
    return node->traffic.beats_in != beats_in;
}

void node_catch_up(struct node *node)
{
    if (catch_up(node) && !node->closing) {
        arm_timer(node, 0);
    }
}

void node_on_turn(void *context)
{
    node_catch_up(context);
}

void node_on_role_command(void *context, const struct role_command *command)
{
    node_catch_up(context);
    node_step(context, (struct event){.type = EVENT_ROLE, .role = command});
}

/* The first turn, which comes after the owner of the node has had time to look at its journal. */
static void start(struct node *node)
{
    node->started = true;
    if (node->remembered.peer_count > 0) {
        node_step(node, (struct event){.type = EVENT_ADDRESSES,
                                       .addresses = {.source = ADDRESSES_REMEMBERED,
                                                     .addresses = node->remembered.peers,
                                                     .count = node->remembered.peer_count}});
    }
    node_step(node, (struct event){.type = EVENT_TICK});
}

/* Whoever holds a role on this node stops before it leaves. */
static bool may_leave(struct node *node)
{
    if (!node->leave_asked) {
        return false;
    }
    role_clients_resign_all(&node->roles, ROLE_END_LEAVING);
    return clock_ms() >= leave_ms(node);
}

/* All of it: none waits for the others, nor for what the core is to do next. */
static void do_what_was_asked(struct node *node)
{
    struct event asked[ASKED_MAX];
    const uint32_t count = node->asked_count;

    memcpy(asked, node->asked, sizeof asked);
    node->asked_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        node_step(node, asked[i]);
    }
}

void node_on_timer(uv_timer_t *timer)
{
    struct node *node = timer->data;

    if (!node->started) {
        start(node);
        return;
    }
    (void)catch_up(node); /* One of the branches below arms the timer. */
    role_clients_tick(&node->roles, clock_ms());
    do_what_was_asked(node);
    if (may_leave(node)) {
        node->leave_asked = false;
        node_step(node, (struct event){.type = EVENT_LEAVE});
    } else if (clock_ms() < core_deadline_ms(node->core)) {
        end_withdrawal(node);
        lease_page_on_step(&node->lease, node->core, clock_ms());
        arm_timer(node, 0);
    } else {
        node_step(node, (struct event){.type = EVENT_TICK});
    }
}

void node_on_join_timer(uv_timer_t *timer)
{
    struct node *node = timer->data;

    if (core_phase(node->core) == PHASE_JOINING && !node->closing) {
        report_end(node, NODE_JOIN_TIMED_OUT);
    }
}

/* --- What the sockets say --- */

/* Did the message come by a link that is cut by an injected fault? A relayed message came by the
 * link of the relay, whoever sent it (R2). */
static bool came_by_cut_link(struct node *node, const struct message *message,
                             const struct address *hop)
{
    const struct node_id nobody = {.bytes = {0}};

    return node_is_cut(node, message->relay ? &nobody : &message->from, hop);
}

/* Strangers say so much and no more to a node that hears who has no key. */
static bool is_one_too_many(struct node *node, const struct message *message,
                            const struct address *hop)
{
    const bool admitted = (gate_is_keyed(&node->gate) && !node->gate.accepts_plain) ||
                          admission_take(&node->admission, core_view(node->core), &message->from,
                                         hop, clock_ms());

    node->traffic.strangers_cut += admitted ? 0 : 1;
    return !admitted;
}

static void step_with_message(struct node *node, struct message *message, struct bytes frame,
                              const struct address *source, uint64_t at_ms)
{
    message->source = *source;
    node->traffic.skipped = wire_skipped(node->wire);
    step_with_frame(
        node, (struct event){.type = EVENT_MESSAGE, .now_ms = at_ms, .message = message}, frame);
}

static void take_message(struct node *node, struct message *message, struct bytes frame,
                         const struct address *source, uint64_t at_ms)
{
    if (!came_by_cut_link(node, message, source) && !is_one_too_many(node, message, source)) {
        step_with_message(node, message, frame, source, at_ms);
    }
}

/* Takes a frame that is none of the core's (wire.md, sections 8 to 12). Returns false for one of
 * the core's; `*sound` is false for what is malformed. */
static bool take_beside(struct node *node, struct bytes frame, const struct address *source,
                        bool *sound)
{
    *sound = true;
    if (inquiry_is_frame(frame)) {
        inquiry_on_frame(&node->inquiry, frame);
    } else if (user_message_is(frame.at, frame.length)) {
        *sound = node_on_user_frame(node, frame, source);
    } else if (election_frame_is(frame.at, frame.length)) {
        *sound = node_on_election_frame(node, frame, source);
    } else if (own_frame_is(frame.at, frame.length)) {
        *sound = node_on_own_frame(node, frame, source);
    } else if (partition_frame_is(frame.at, frame.length)) {
        *sound = node_on_partition_frame(node, frame, source);
    } else {
        return false;
    }
    return true;
}

static bool decode(struct node *node, struct bytes frame, struct message *message)
{
    const enum wire_error error = wire_decode(node->wire, frame.at, frame.length, message);

    if (error != WIRE_OK) {
        traffic_count_refused(&node->traffic, error);
    }
    return error == WIRE_OK;
}

void node_on_datagram(void *context, const uint8_t *bytes, size_t length,
                      const struct address *source, uint64_t arrived_ms)
{
    struct node *node = context;
    const struct bytes datagram = {.at = bytes, .length = length};
    struct message message;
    struct bytes frame;
    bool sound;

    if (beat_is(bytes, length)) {
        const uint64_t at_ms = event_ms(node, arrived_ms);
        if (gate_open_beat(&node->gate, datagram, &message, &frame)) {
            ways_heard(&node->ways, &message.from);
            take_message(node, &message, frame, source, at_ms);
        }
        return;
    }
    if (gate_open_datagram(&node->gate, datagram, source, &frame) &&
        !take_beside(node, frame, source, &sound) && decode(node, frame, &message)) {
        if (!message.relay) {
            ways_heard(&node->ways, &message.from);
        }
        take_message(node, &message, frame, source, 0);
    }
}

bool node_on_stream_frame(void *context, struct bytes frame, const struct address *from)
{
    struct node *node = context;
    struct message message;
    bool sound;

    if (take_beside(node, frame, from, &sound)) {
        return sound;
    }
    if (!decode(node, frame, &message) || message.type == MESSAGE_HELLO) {
        return false;
    }
    const struct address *source = answering_address(core_view(node->core), &message, from);
    if (!came_by_cut_link(node, &message, message.relay ? from : source) &&
        !is_one_too_many(node, &message, from)) {
        step_with_message(node, &message, frame, source, 0);
    }
    return true;
}

void node_on_link_news(void *context, const struct node_id *peer, enum link_news news)
{
    struct node *node = context;

    node_catch_up(node);
    node_step(node, (struct event){.type = EVENT_LINK, .link = {.peer = *peer, .news = news}});
}

void node_on_synced(void *context, uint64_t number, bool ok)
{
    struct node *node = context;

    node_catch_up(node);
    node_step(node, (struct event){.type = EVENT_SYNCED, .synced = {.number = number, .ok = ok}});
}

void node_on_resolved(void *context, const struct address *addresses, uint32_t count)
{
    struct node *node = context;

    if ((core_phase(node->core) == PHASE_JOINING || node_is_alone(node)) && !node->closing) {
        seed_checker_run(&node->seed_checker, addresses, count, &node->config->advertise,
                         clock_ms());
    }
    node_catch_up(node);
    node_step(node, (struct event){.type = EVENT_ADDRESSES,
                                   .addresses = {.source = ADDRESSES_SEEDS,
                                                 .addresses = addresses,
                                                 .count = count}});
}
