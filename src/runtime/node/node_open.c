#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/host/chance.h"
#include "runtime/host/clock.h"
#include "runtime/node/node.h"
#include "runtime/node/node_state.h"
#include "runtime/process/descriptors.h"
#include "runtime/process/preflight.h"

/* The streams that each member may hold at once: a lifeline, one of the stream pool, and one of
 * them twice while it is being replaced; and some room for strangers. */
enum { INBOUND_PER_MEMBER = 3, INBOUND_SPARE = 64 };

enum { PATIENCE_MS = 500 };

/* --- Opening --- */

static void log_cannot_listen(const struct node *node, int error)
{
    struct complaint complaint;

    (void)preflight_cannot_listen(&node->config->listen, "--listen", error, &complaint);
    log_line(node->log, LOG_ERROR, "listen", "%s", complaint.text);
}

/* The sockets are opened first, so that a second daemon with the same settings changes nothing on
 * disk. */
static bool open_sockets(struct node *node)
{
    const struct config *config = node->config;
    uint32_t inbound_max = INBOUND_PER_MEMBER * config->capacity + INBOUND_SPARE;

    node->streams.loop = node->loop;
    node->streams.latch = &node->latch;
    node->streams.log = node->log;
    node->streams.traffic = &node->traffic;
    node->streams.on_turn = node_on_turn;
    node->streams.context = node;
    node->streams.inbox = node->inbox;
    node->streams.descriptors_max = descriptors_for_streams(descriptors_limit());
    int error = udp_open(&node->udp, node->loop, &node->latch, &node->traffic, &config->listen);
    if (error == 0) {
        error = listener_open(&node->listener, &node->streams, &config->listen, inbound_max);
    }
    if (error == 0) {
        error = listener_start(&node->listener, node_on_stream_frame);
    }
    if (error == 0) {
        error = udp_start(&node->udp, node_on_datagram, node_on_turn, node);
    }
    if (error != 0) {
        log_cannot_listen(node, error);
    }
    return error == 0;
}

static bool open_store(struct node *node)
{
    if (node->config->state_dir[0] == '\0') {
        log_line(node->log, LOG_WARN, "volatile",
                 "no --state-dir: after a restart this node will not know that it was a member");
        return true;
    }
    return store_open(node->loop, node->config->state_dir, STORE_RETRY_MS, node->log,
                      &node->remembered, &node->store);
}

/* Whoever has a state directory may become a voter (Z11e); those to found with need one. */
static bool open_voter_store(struct node *node)
{
    const struct config *config = node->config;
    struct complaint complaint;

    if (!voter_store_allows(config, &complaint)) {
        log_line(node->log, LOG_ERROR, "voter", "%s", complaint.text);
        return false;
    }
    const bool founds = voters_find(&config->voters, config->name) != VOTER_NONE;
    if (config->guard.policy != GUARD_STRICT || (node->store == NULL && !founds)) {
        return true;
    }
    if (node->store == NULL) { /* It holds the lock on the directory. */
        log_line(node->log, LOG_ERROR, "voter",
                 "a voter needs its state directory: make room in %s, or choose another "
                 "--state-dir",
                 config->state_dir);
        return false;
    }
    const struct voter_place place = voter_place_of(config);
    node->voter_store = voter_store_open(node->loop, &place, node->log, node_on_synced, node);
    return node->voter_store != NULL;
}

static bool draw_seed(const struct node *node, uint64_t seed[4])
{
    if (!chance_draw(seed, 4 * sizeof seed[0])) {
        log_line(node->log, LOG_ERROR, "random", "the system gives no random bytes: %s",
                 strerror(errno));
        return false;
    }
    return true;
}

static bool open_recorder(struct node *node, const struct core_options *options, uint64_t now_ms)
{
    const struct config *config = node->config;

    if (config->record[0] == '\0') {
        return true;
    }
    node->recorder = recorder_open(config->record, config->cluster, options, now_ms,
                                   RECORDER_BYTES_MAX, node->log);
    return node->recorder != NULL;
}

/* Fails without random numbers. */
static bool choose_core_options(const struct node *node, struct core_options *options)
{
    const struct config *config = node->config;

    *options = (struct core_options){
        .name = config->name,
        .address = config->advertise,
        .tags = &config->tags,
        .guard = config->guard,
        .voters = &config->voters,
        .voters_target = (uint8_t)config->voters_target,
        .profile = config->profile,
        .watchers = (uint8_t)config->watchers,
        .fanout = (uint32_t)config->fanout,
        .timing = config->timing,
        .capacity = config->capacity,
        .versions = wire_versions(),
        .has_seeds = config->seed_count > 0,
        .expect = config->expect,
        .incarnation = node->remembered.incarnation,
        .epoch_seen = node->remembered.epoch_seen,
        .agreed = node->remembered.agreed,
        .started = node->remembered.started,
    };
    options->has_disk = node->voter_store != NULL;
    if (node->voter_store != NULL) {
        options->record = voter_store_found(node->voter_store);
        options->record_damaged = voter_store_is_damaged(node->voter_store);
    }
    return draw_seed(node, options->random_seed);
}

/* What a core needs around it. Returns its block, to be freed; NULL: no memory, which was logged.
 */
static void *open_block(struct node *node)
{
    const struct config *config = node->config;
    void *block = calloc(1, core_bytes(config->capacity));

    node->wire = wire_new(config->cluster, config->capacity);
    node->journal = journal_new();
    if (block == NULL || node->wire == NULL || node->journal == NULL ||
        !links_open(&node->links, &node->streams, config->capacity, node_on_link_news, node_is_cut,
                    node)) {
        free(block);
        log_line(node->log, LOG_ERROR, "memory",
                 "not enough memory for %u members: choose a smaller capacity", config->capacity);
        return NULL;
    }
    return block;
}

static bool open_gate(struct node *node, const struct keyring *ring)
{
    const struct gate_options options = {.ring = ring,
                                         .wire = node->wire,
                                         .core = node->core,
                                         .capacity = node->config->capacity,
                                         .heartbeat_ms = node->config->timing.heartbeat_ms,
                                         .lost_ms = node->config->timing.lost_ms,
                                         .accepts_plain = node->config->auth == AUTH_ACCEPT,
                                         .log = node->log,
                                         .traffic = &node->traffic,
                                         .send = node_send_note,
                                         .context = node};

    if (!gate_open(&node->gate, &options)) {
        log_line(node->log, LOG_ERROR, "key", "cannot seal frames: no memory, or no random bytes");
        return false;
    }
    return true;
}

static bool open_elector(struct node *node)
{
    const struct elector_options options = {.config = node->config,
                                            .core = node->core,
                                            .wire = node->wire,
                                            .log = node->log,
                                            .send = node_send_election,
                                            .on_leader = node_on_leader,
                                            .context = node};

    if (!elector_open(&node->elector, node->loop, &node->latch, &options)) {
        log_line(node->log, LOG_ERROR, "memory", "not enough memory for elections");
        return false;
    }
    return true;
}

static bool open_partitioner(struct node *node)
{
    const struct partitioner_options options = {.config = node->config,
                                                .core = node->core,
                                                .wire = node->wire,
                                                .log = node->log,
                                                .send = node_send_partitions,
                                                .on_table = node_on_partitions,
                                                .on_owners = node_on_owners,
                                                .command = node_on_role_command,
                                                .context = node};

    if (!partitioner_open(&node->partitioner, node->loop, &node->latch, &options)) {
        log_line(node->log, LOG_ERROR, "memory", "not enough memory for partitions");
        return false;
    }
    return true;
}

static bool open_core(struct node *node, const struct keyring *ring)
{
    const struct config *config = node->config;
    struct core_options options;
    void *block = choose_core_options(node, &options) ? open_block(node) : NULL;

    if (block == NULL) {
        return false;
    }
    const uint64_t now_ms = clock_ms();
    node->ring = recording_ring_new(config->cluster, &options, now_ms);
    node->core = core_init(block, &options, now_ms);
    wire_set_bases(node->wire, core_view(node->core), core_accepted(node->core));
    node->roles = (struct role_clients){
        .core = node->core, .config = config, .command = node_on_role_command, .context = node};
    if (!open_gate(node, ring)) {
        return false;
    }
    inquiry_open(&node->inquiry, &(struct inquiry_options){.core = node->core,
                                                           .header = wire_header(node->wire),
                                                           .transmit = node_transmit,
                                                           .is_cut = node_is_cut,
                                                           .context = node});
    if (!open_elector(node) || !open_partitioner(node)) {
        return false;
    }
    user_post_open(&node->user_post, node->core, config->capacity);
    node->streams.wire = node->wire;
    node->streams.gate = &node->gate;
    node->streams.core = node->core;
    return open_recorder(node, &options, now_ms);
}

static void init_timer(struct node *node, uv_timer_t *timer)
{
    (void)uv_timer_init(node->loop, timer); /* cannot fail */
    timer->data = node;
    latch_acquire(&node->latch);
}

static void free_memory(void *context)
{
    struct node *node = context;
    void (*on_closed)(void *) = node->on_closed;
    void *on_closed_context = node->on_closed_context;

    recorder_close(node->recorder, node->core);
    recording_ring_free(node->ring);
    links_free(&node->links);
    inquiry_close(&node->inquiry);
    gate_close(&node->gate);
    user_post_close(&node->user_post);
    elector_free(&node->elector);
    partitioner_free(&node->partitioner);
    wire_free(node->wire);
    journal_free(node->journal);
    free(node->core);
    free(node);
    if (on_closed != NULL) {
        on_closed(on_closed_context);
    }
}

/* How long a node waits before it checks why its seeds do not answer. */
static uint64_t patience_ms(const struct config *config)
{
    const bool hurries = config->join_timeout_ms > 0 &&
                         config->join_timeout_ms < (uint64_t)2 * PATIENCE_MS;

    return hurries ? config->join_timeout_ms / 2 : PATIENCE_MS;
}

struct node *node_open(uv_loop_t *loop, const struct config *config, const struct keyring *ring,
                       struct log *log, node_on_end *on_end, void *context)
{
    struct node *node = calloc(1, sizeof *node);

    if (node == NULL) {
        log_line(log, LOG_ERROR, "memory", "not enough memory to start");
        return NULL;
    }
    node->loop = loop;
    node->config = config;
    node->log = log;
    node->was_joining = true;
    node->said_version = VERSION_NOT_SAID;
    node->on_end = on_end;
    node->context = context;
    node->latch = (struct latch){.held = 1, .on_free = free_memory, .context = node};
    lease_page_open(&node->lease, config, log);
    init_timer(node, &node->timer);
    init_timer(node, &node->join_timer);
    init_timer(node, &node->closer);
    stream_pool_open(&node->stream_pool, &node->streams);
    seed_checker_open(&node->seed_checker, &node->streams, clock_ms() + patience_ms(config));
    ways_open(&node->ways, &node->streams, node_on_way_found, node);
    resolver_open(&node->resolver, loop, &node->latch, config, log, node_on_resolved, node);
    faults_open(&node->faults, loop, &node->latch, node_transmit, node);
    node->own_address.find_other = node_find_other;
    node->own_address.on_change = node_on_own_address;
    node->own_address.context = node;
    own_address_watch(&node->own_address, loop, &node->latch, log, &config->advertise);

    if (!open_sockets(node) || !open_store(node) || !open_voter_store(node) ||
        !open_core(node, ring)) {
        node_close(node, NULL, NULL);
        return NULL;
    }
    clock_start_timer(&node->timer, node_on_timer, 0);
    if (config->join_timeout_ms > 0) {
        clock_start_timer(&node->join_timer, node_on_join_timer,
                          clock_ms() + config->join_timeout_ms);
    }
    return node;
}

/* --- Closing --- */

static void on_timer_closed(uv_handle_t *handle)
{
    struct node *node = handle->data;

    latch_release(&node->latch);
}

static void on_store_closed(void *context)
{
    struct node *node = context;

    latch_release(&node->latch);
}

/* The listener is closed first, so that a node that finds its lifeline closed is refused when it
 * tries again. */
static void on_close_turn(uv_timer_t *timer)
{
    struct node *node = timer->data;

    listener_close(&node->listener);
    udp_close(&node->udp);
    links_close(&node->links);
    stream_pool_close(&node->stream_pool);
    seed_checker_stop(&node->seed_checker);
    ways_close(&node->ways);
    resolver_close(&node->resolver);
    faults_close(&node->faults);
    own_address_close(&node->own_address);
    elector_close(&node->elector);
    partitioner_close(&node->partitioner);
    if (node->store != NULL) {
        latch_acquire(&node->latch);
        store_close(node->store, on_store_closed, node);
    }
    if (node->voter_store != NULL) {
        latch_acquire(&node->latch);
        voter_store_close(node->voter_store, on_store_closed, node);
    }
    uv_close((uv_handle_t *)&node->timer, on_timer_closed);
    uv_close((uv_handle_t *)&node->join_timer, on_timer_closed);
    uv_close((uv_handle_t *)&node->closer, on_timer_closed);
    latch_release(&node->latch);
}

void node_close(struct node *node, void (*on_closed)(void *context), void *context)
{
    if (node->closing) {
        return;
    }
    node->closing = true;
    node->on_closed = on_closed;
    node->on_closed_context = context;
    lease_page_close(&node->lease); /* Before others can notice that this node is gone. */
    /* Closing happens in a turn of its own: a socket must not be closed by its own receive
     * callback. */
    clock_start_timer(&node->closer, on_close_turn, 0);
}
