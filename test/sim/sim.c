#include "sim.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cluster.h"
#include "liar.h"
#include "post.h"
#include "roles.h"
#include "strain.h"

/* --- Hosts --- */

/* Host n is at 10.0.(n + 1 over 256).(n + 1 mod 256). */
static struct address address_of(uint32_t index)
{
    struct address address = {.port = 7420, .family = 4};
    address.bytes[0] = 10;
    address.bytes[2] = (uint8_t)((index + 1) >> 8);
    address.bytes[3] = (uint8_t)(index + 1);
    return address;
}

struct host *host_at(struct sim *sim, const struct address *address)
{
    uint32_t index = ((uint32_t)address->bytes[2] << 8 | address->bytes[3]) - 1;
    if (index >= sim->host_count || !address_equal(&sim->hosts[index].address, address)) {
        return NULL;
    }
    return &sim->hosts[index];
}

const char *host_letter(uint32_t index, char *text)
{
    if (index < LETTERS) {
        text[0] = (char)('A' + index);
        text[1] = '\0';
    } else {
        snprintf(text, LETTER_BYTES, "N%u", index + 1);
    }
    return text;
}

static void name_host(struct host *host, uint32_t index)
{
    static const char *const names[] = {"athens", "byzantium", "cyrene", "delphi", "ephesus"};

    if (host->only_votes) {
        snprintf(host->name, sizeof host->name, "witness%u", index + 1);
    } else if (index < sizeof names / sizeof names[0]) {
        snprintf(host->name, sizeof host->name, "%s", names[index]);
    } else {
        snprintf(host->name, sizeof host->name, "node%u", index + 1);
    }
}

struct quality sim_default_quality(void)
{
    return (struct quality){.latency_us_min = 80, .latency_us_max = 400};
}

static void apply_defaults(struct sim_options *options)
{
    if (options->capacity == 0) {
        options->capacity = 2 * options->host_count;
    }
    if (options->watchers == 0) {
        options->watchers = WATCHERS_DEFAULT;
    }
    if (options->fanout == 0) {
        options->fanout = FANOUT_DEFAULT;
    }
    if (options->seed_count == 0) {
        options->seed_count = 1;
    }
    if (options->profile == 0) {
        options->profile = PROFILE_LAN;
    }
    if (options->guard.policy == 0) {
        options->guard.policy = GUARD_NONE;
    }
    if (options->trace == NULL && getenv("DOYEN_SIM_TRACE") != NULL) {
        options->trace = stderr;
    }
}

static void init_host(struct sim *sim, uint32_t index)
{
    struct host *host = &sim->hosts[index];

    host->index = index;
    host->only_votes = index >= sim->node_count;
    name_host(host, index);
    memcpy(host->right_name, host->name, sizeof host->right_name);
    host->date_s = DATE_S;
    host->address = address_of(index);
    host->record.number = index;
    host->has_disk = sim->options.disks;
    host->clock.shown_us = US_PER_MS * (host->only_votes ? 1000 + UINT64_C(100000) * index
                                                         : random_between(&sim->random, 1000,
                                                                          100 * 1000 * 1000));
    host->now_us = UINT64_MAX;
    host->tick_at_us = UINT64_MAX;
    host->seed_count = sim->options.seed_count;
    for (uint32_t i = 0; i < host->seed_count; i++) {
        host->seeds[i] = i;
    }
    host->heard = calloc(sim->host_count, sizeof host->heard[0]);
    assert(host->heard != NULL);
}

struct heard *host_heard_anew(struct host *host, uint32_t other)
{
    struct heard *heard = aligned_alloc(CACHE_LINE, sizeof *heard);

    assert(heard != NULL);
    memset(heard, 0, sizeof *heard);
    host->heard[other] = heard;
    return heard;
}

static void free_heard(struct sim *sim, struct host *host)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        free(host->heard[i]);
    }
    free(host->heard);
}

#define HUGE_BYTES (UINT64_C(1) << 30)

/* One place for each host, whose processes follow each other in it. Where a page begins differs
 * from one to the next: what all of them use would have to share few lines of a cache otherwise. */
static void add_cores(struct sim *sim)
{
    enum { PAGE = 4096, APART = 13 * CACHE_LINE };
    const size_t pages = (core_bytes(sim->options.capacity) + PAGE - 1) / PAGE;

    sim->core_stride = pages * PAGE + APART;
    const size_t bytes = sim->host_count * sim->core_stride;
    if (bytes < HUGE_BYTES) {
        sim->cores = aligned_alloc(CACHE_LINE, bytes);
    } else { /* Most of it is never touched: no promise that there is memory for all. */
        sim->cores = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    assert(sim->cores != NULL && sim->cores != MAP_FAILED);
}

static void free_cores(struct sim *sim)
{
    const size_t bytes = sim->host_count * sim->core_stride;

    if (bytes < HUGE_BYTES) {
        free(sim->cores);
    } else {
        (void)munmap(sim->cores, bytes);
    }
}

struct sim *sim_new(const struct sim_options *options)
{
    const uint32_t hosts = options->host_count + options->witness_count;
    struct sim *sim = calloc(1, sizeof *sim + hosts * sizeof sim->hosts[0]);
    assert(sim != NULL);
    sim->options = *options;
    apply_defaults(&sim->options);
    assert(sim->options.host_count > 0 && sim->options.seed_count <= SIM_SEEDS_MAX);

    sim->node_count = options->host_count;
    sim->host_count = hosts;
    sim->timing = timing_of(sim->options.profile);
    timing_override(&sim->timing, sim->options.heartbeat_ms, sim->options.lost_ms);
    sim->silent_ms = sim->options.silent_ms != 0 ? sim->options.silent_ms : sim->timing.silent_ms;
    sim->mixed = sim->options.mixed;
    sim->resolve_ms = RESOLVE_MS_MAX;
    sim->segment_bytes = SEGMENT_BYTES;
    random_seed(&sim->random, sim->options.seed);
    queue_init(&sim->queue);
    struct quality quality = sim_default_quality();
    network_init(&sim->network, sim->host_count, sim->options.capacity, &quality);
    sim->wire = wire_new(SIM_CLUSTER_NAME, sim->options.capacity);
    sim->foreign_wire = wire_new("not-" SIM_CLUSTER_NAME, sim->options.capacity);
    assert(sim->wire != NULL && sim->foreign_wire != NULL);
    oracle_init(&sim->oracle, sim->host_count);
    add_cores(sim);

    sim->text_size = (size_t)sim->options.capacity * LETTER_BYTES + 1;
    for (uint32_t i = 0; i < TEXTS; i++) {
        sim->texts[i] = malloc(sim->text_size);
        assert(sim->texts[i] != NULL);
    }
    for (uint32_t i = 0; i < sim->host_count; i++) {
        init_host(sim, i);
    }
    for (uint32_t i = 0; i < sim->options.voter_count; i++) {
        memcpy(sim->voters.names[i], sim->hosts[i].name, sizeof sim->voters.names[i]);
        sim->voters.count++;
        sim->hosts[i].record.wished = true;
    }
    const struct sim_terms terms = sim_usual_terms(sim);
    for (uint32_t i = 0; i < sim->host_count; i++) {
        sim->hosts[i].right = terms;
        sim_set_terms(sim, i, &terms);
    }
    roles_init(sim);
    return sim;
}

void sim_free(struct sim *sim)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        struct host *host = &sim->hosts[i];
        process_drop_waiting(sim, host);
        lifelines_deinit(&host->lifelines);
        witness_deinit(&host->witness);
        free_heard(sim, host);
        record_disk_wipe(&host->record);
        record_disk_exchange(&host->record);
        record_disk_wipe(&host->record);
    }
    while (!queue_is_empty(&sim->queue)) {
        process_release(sim, queue_pop(&sim->queue));
    }
    queue_deinit(&sim->queue);
    post_forget(sim);
    strain_deinit(sim);
    network_deinit(&sim->network);
    oracle_deinit(&sim->oracle);
    liar_free(sim);
    roles_free(sim);
    free_cores(sim);
    wire_free(sim->wire);
    wire_free(sim->foreign_wire);
    for (uint32_t i = 0; i < TEXTS; i++) {
        free(sim->texts[i]);
    }
    free(sim);
}

/* --- Time --- */

static void advance(struct sim *sim)
{
    sim->now_us = queue_next_us(&sim->queue);
    process_dispatch(sim, queue_pop(&sim->queue));
}

static bool has_failed(const struct sim *sim)
{
    return sim->oracle.failure[0] != '\0';
}

void sim_run(struct sim *sim, uint64_t ms)
{
    uint64_t end_us = sim->now_us + ms * US_PER_MS;
    while (queue_next_us(&sim->queue) <= end_us && !has_failed(sim)) {
        advance(sim);
    }
    if (!has_failed(sim)) {
        sim->now_us = end_us;
    }
}

uint64_t sim_now_ms(const struct sim *sim)
{
    return sim->now_us / US_PER_MS;
}

void sim_after(struct sim *sim, uint64_t ms, sim_call *call, uint32_t a, uint32_t b)
{
    struct pending *pending = queue_take(&sim->queue);
    pending->type = PENDING_CALL;
    pending->call = call;
    pending->a = a;
    pending->b = b;
    queue_push(&sim->queue, sim->now_us + ms * US_PER_MS, pending);
}

struct timing sim_timing(const struct sim *sim)
{
    return sim->timing;
}

/* Runs until `holds`, asked whenever something changed and at least every so often, because the
 * right to act can come and go with time alone. */
static bool run_until(struct sim *sim, uint64_t ms,
                      bool (*holds)(struct sim *, uint32_t, const char *), uint32_t host,
                      const char *text)
{
    enum { ASK_US = 10000 };
    uint64_t end_us = sim->now_us + ms * US_PER_MS;
    uint64_t ask_us = sim->now_us;

    while (!has_failed(sim)) {
        if (sim->changed || sim->now_us >= ask_us) {
            sim->changed = false;
            ask_us = sim->now_us + ASK_US;
            if (holds(sim, host, text)) {
                return true;
            }
        }
        if (queue_next_us(&sim->queue) > end_us) {
            sim->now_us = end_us;
            return holds(sim, host, text);
        }
        advance(sim);
    }
    return false;
}

static bool agrees(struct sim *sim, uint32_t host, const char *text)
{
    (void)host;
    (void)text;
    return sim_agrees(sim);
}

static bool has_ended(struct sim *sim, uint32_t host, const char *text)
{
    (void)text;
    return !sim->hosts[host].running;
}

static bool sees(struct sim *sim, uint32_t host, const char *text)
{
    return strcmp(sim_view_text(sim, host), text) == 0;
}

bool sim_converges(struct sim *sim, uint64_t ms)
{
    uint64_t start_us = sim->now_us;
    bool converged = run_until(sim, ms, agrees, SIM_NOBODY, NULL);
    sim->converged_ms = (sim->now_us - start_us) / US_PER_MS;
    return converged;
}

bool sim_ends(struct sim *sim, uint32_t host, uint64_t ms)
{
    return run_until(sim, ms, has_ended, host, NULL);
}

bool sim_sees(struct sim *sim, uint32_t host, const char *text, uint64_t ms)
{
    return run_until(sim, ms, sees, host, text);
}
