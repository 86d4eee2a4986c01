#include "witness/service.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/version.h"
#include "runtime/disk/store.h"
#include "runtime/host/clock.h"
#include "runtime/process/descriptors.h"
#include "runtime/process/preflight.h"
#include "runtime/sockets/listener.h"
#include "witness/cluster.h"
#include "witness/key_directory.h"
#include "witness/metrics_socket.h"
#include "words/voter_text.h"

enum {
    BUCKETS = 256,          /* a power of two: of clusters, by the number in their frames */
    INBOUND_MAX = 512,      /* streams at once */
    UNKNOWN_SAY_MS = 60000, /* of frames of clusters that are none of ours, a line in that time */
    MS_PER_S = 1000,
    US_PER_S = 1000000,
};

struct witness {
    struct commons commons;
    int lock; /* of the state directory; -1: none */
    struct latch latch;
    struct udp udp;
    struct streams lobby; /* accepted, and nothing said yet */
    struct listener listener;
    struct metrics_socket metrics;
    struct chain clusters; /* in the order in which they came */
    struct chain leaving; /* those dropped, while their last record may be on its way to the disk */
    uint32_t cluster_count;
    struct cluster *buckets[BUCKETS];
    uint64_t unknown; /* frames of clusters that are none of ours */
    uint64_t unknown_said_ms;
    bool running;
};

/* --- Clusters --- */

static struct cluster **bucket_of(struct witness *witness, uint64_t number)
{
    return &witness->buckets[number % BUCKETS]; /* It is a hash already. */
}

static struct cluster *find(struct witness *witness, uint64_t number)
{
    struct cluster *cluster = *bucket_of(witness, number);

    while (cluster != NULL && cluster->number != number) {
        cluster = cluster->next;
    }
    return cluster;
}

static struct cluster *first_cluster(const struct witness *witness)
{
    return chain_is_empty(&witness->clusters)
               ? NULL
               : CHAIN_ITEM(witness->clusters.next, struct cluster, link);
}

static struct cluster *next_cluster(const struct witness *witness, const struct cluster *cluster)
{
    return cluster->link.next == &witness->clusters
               ? NULL
               : CHAIN_ITEM(cluster->link.next, struct cluster, link);
}

static struct cluster *find_name(const struct witness *witness, const char *name)
{
    struct cluster *cluster = first_cluster(witness);

    while (cluster != NULL && !text_equal(cluster->name, name)) {
        cluster = next_cluster(witness, cluster);
    }
    return cluster;
}

/* Two that write one record would undo each other's promises. */
static bool is_leaving(const struct witness *witness, const char *name)
{
    for (struct chain *at = witness->leaving.next; at != &witness->leaving; at = at->next) {
        if (text_equal(CHAIN_ITEM(at, struct cluster, link)->name, name)) {
            return true;
        }
    }
    return false;
}

static void add(struct witness *witness, struct cluster *cluster)
{
    struct cluster **bucket = bucket_of(witness, cluster->number);

    chain_insert(&witness->clusters, &cluster->link);
    cluster->next = *bucket;
    *bucket = cluster;
    witness->cluster_count++;
}

static void drop(struct witness *witness, struct cluster *cluster)
{
    struct cluster **at = bucket_of(witness, cluster->number);

    while (*at != cluster) {
        at = &(*at)->next;
    }
    *at = cluster->next;
    chain_remove(&cluster->link);
    chain_insert(&witness->leaving, &cluster->link);
    witness->cluster_count--;
    listener_close_inbound(&witness->listener, &cluster->streams);
    cluster_close(cluster);
}

/* --- What comes --- */

/* The cluster that the frame, plain or sealed, names; NULL, which is counted: none of ours. */
static struct cluster *cluster_of(struct witness *witness, struct bytes frame)
{
    struct cluster *cluster = frame.length < WIRE_HEADER_BYTES
                                  ? NULL
                                  : find(witness, wire_cluster(frame.at));
    const uint64_t now_ms = clock_ms();

    if (cluster != NULL) {
        return cluster;
    }
    witness->unknown++;
    if (witness->unknown_said_ms == 0 || now_ms - witness->unknown_said_ms >= UNKNOWN_SAY_MS) {
        witness->unknown_said_ms = now_ms;
        log_line(
            witness->commons.log, LOG_WARN, "unknown",
            "somebody asks for a cluster that has no NAME.key in %s: put it there, and reload; "
            "%llu frames so far",
            witness->commons.config->key, (unsigned long long)witness->unknown);
    }
    return NULL;
}

static void on_datagram(void *context, const uint8_t *bytes, size_t length,
                        const struct address *source, uint64_t arrived_ms)
{
    const struct bytes datagram = {.at = bytes, .length = length};
    struct cluster *cluster = cluster_of(context, datagram);

    (void)arrived_ms;
    if (cluster != NULL) {
        cluster_on_datagram(cluster, datagram, source);
    }
}

static void on_turn(void *context)
{
    (void)context; /* There are no beats to be read first. */
}

static struct streams *find_streams(void *context, struct bytes frame)
{
    struct cluster *cluster = cluster_of(context, frame);

    return cluster == NULL ? NULL : cluster_streams(cluster);
}

/* --- The directory of keys --- */

/* Names with one number would be one cluster to whoever reads a frame. */
static bool refuse_alike(const char *name, const char *other, struct complaint *complaint)
{
    complaint->exit_code = EXIT_CONFIGURATION;
    return complaint_set(complaint,
                         "the clusters %s and %s have one number in their frames: give one of them "
                         "another name",
                         other, name);
}

static bool same_keys(const struct keyring *a, const struct keyring *b)
{
    bool same = a->count == b->count;

    for (uint32_t i = 0; same && i < a->count; i++) {
        same = memcmp(a->keys[i].bytes, b->keys[i].bytes, KEY_BYTES) == 0;
    }
    return same;
}

static bool open_cluster(struct witness *witness, const char *name, const struct keyring *ring,
                         struct complaint *complaint)
{
    complaint->exit_code = EXIT_FAILURE;
    if (is_leaving(witness, name)) {
        return complaint_set(complaint,
                             "cluster %s: what this witness promised there before its key was gone "
                             "is still being written: reload once more",
                             name);
    }
    struct cluster *cluster = cluster_open(&witness->commons, name, ring);
    if (cluster == NULL) {
        return complaint_set(complaint, "cluster %s: this witness does not vote there", name);
    }
    const struct cluster *other = find(witness, cluster->number);
    if (other != NULL) {
        cluster_close(cluster);
        return refuse_alike(name, other->name, complaint);
    }
    cluster->listed = true;
    add(witness, cluster);
    return true;
}

/* At the start a fault ends the walk; later it is told, and changes nothing of who is there. */
static bool on_fault(void *context, const char *name, const struct complaint *complaint)
{
    struct witness *witness = context;
    struct cluster *cluster = find_name(witness, name);

    if (cluster != NULL) {
        cluster->listed = true;
    }
    if (witness->running) {
        log_line(witness->commons.log, LOG_ERROR, "keys", "%s", complaint->text);
    }
    return witness->running;
}

static bool on_cluster(void *context, const char *name, const struct keyring *ring,
                       struct complaint *complaint)
{
    struct witness *witness = context;
    struct cluster *cluster = find_name(witness, name);

    if (cluster == NULL) {
        return open_cluster(witness, name, ring, complaint) || on_fault(context, name, complaint);
    }
    cluster->listed = true;
    if (!same_keys(cluster_keys(cluster), ring)) {
        cluster_set_keys(cluster, ring);
    }
    return true;
}

static bool read_keys(struct witness *witness, struct complaint *complaint)
{
    const struct key_directory_walk walk = {
        .on_cluster = on_cluster, .on_fault = on_fault, .context = witness};

    return key_directory_walk(witness->commons.config->key, &walk, complaint);
}

static void say_clusters(const struct witness *witness)
{
    log_line(witness->commons.log, witness->cluster_count > 0 ? LOG_INFO : LOG_WARN, "clusters",
             "count=%u%s", witness->cluster_count,
             witness->cluster_count > 0 ? ""
                                        : ": put the key file of a cluster into the directory "
                                          "of --key, as NAME.key, and reload");
}

/* Whose key file is gone. Its record stays, so that it may come back. */
static void drop_unlisted(struct witness *witness)
{
    struct cluster *next;

    for (struct cluster *cluster = first_cluster(witness); cluster != NULL; cluster = next) {
        next = next_cluster(witness, cluster);
        if (!cluster->listed) {
            log_line(witness->commons.log, LOG_INFO, "clusters",
                     "cluster=%s: its key is gone: this witness does not vote there any more",
                     cluster->name);
            drop(witness, cluster);
        }
    }
}

void witness_reload(struct witness *witness)
{
    struct complaint complaint = {.exit_code = 0};

    for (struct cluster *cluster = first_cluster(witness); cluster != NULL;
         cluster = next_cluster(witness, cluster)) {
        cluster->listed = false;
    }
    if (!read_keys(witness, &complaint)) {
        log_line(witness->commons.log, LOG_ERROR, "keys", "%s", complaint.text);
        return;
    }
    drop_unlisted(witness);
    say_clusters(witness);
}

/* --- What people are told --- */

static uint64_t unopened(const struct node_traffic *traffic)
{
    uint64_t sum = traffic->plain_refused;

    for (size_t i = 0; i < SEAL_RESULTS; i++) {
        sum += traffic->sealed_refused[i];
    }
    return sum;
}

static const char *state_of(const struct cluster *cluster)
{
    const char *words = voter_status_text(cluster->known.status);

    return words == NULL ? "no record" : words;
}

void witness_report(struct witness *witness)
{
    const uint64_t now_ms = clock_ms();
    char last[40];

    for (struct cluster *cluster = first_cluster(witness); cluster != NULL;
         cluster = next_cluster(witness, cluster)) {
        const struct cluster_counts *counts = &cluster->counts;
        if (counts->asked_ms == 0) {
            snprintf(last, sizeof last, "never");
        } else {
            const uint64_t ago_ms = now_ms - counts->asked_ms;
            snprintf(last, sizeof last, "%llu.%03llus", (unsigned long long)(ago_ms / MS_PER_S),
                     (unsigned long long)(ago_ms % MS_PER_S));
        }
        log_line(witness->commons.log, LOG_INFO, "status",
                 "cluster=%s record=\"%s\" epoch=%llu asked=%llu granted=%llu refused=%llu "
                 "last_asked=%s",
                 cluster->name, state_of(cluster), (unsigned long long)cluster->known.promise.epoch,
                 (unsigned long long)counts->asked, (unsigned long long)counts->granted,
                 (unsigned long long)counts->refused, last);
    }
    log_line(witness->commons.log, LOG_INFO, "status", "clusters=%u frames_of_others=%llu",
             witness->cluster_count, (unsigned long long)witness->unknown);
}

/* The families of metrics with a sample for each cluster. */
enum family { ASKED, GRANTED, REFUSED, LAST_ASKED, EPOCH, VOTES, SYNCS, SYNC_FAILURES, SYNC_TIME };
static const struct {
    const char *name;
    const char *type;
    const char *help;
    uint64_t per_second; /* 0: it is no time */
} families[] = {
    [ASKED] = {"doyen_witness_asked_total", "counter", "Questions for an epoch, a view or a lease.",
               0},
    [GRANTED] = {"doyen_witness_granted_total", "counter", "Answers that grant what was asked for.",
                 0},
    [REFUSED] = {"doyen_witness_refused_total", "counter", "Answers that refuse it.", 0},
    [LAST_ASKED] = {"doyen_witness_last_asked_seconds", "gauge",
                    "For how long it was not asked; since it began, where it never was.", MS_PER_S},
    [EPOCH] = {"doyen_witness_epoch", "gauge", "The epoch that it is bound to, or 0.", 0},
    [VOTES] = {"doyen_witness_votes", "gauge",
               "Whether it votes: 1, or 0 where it has no sound record yet.", 0},
    [SYNCS] = {"doyen_witness_syncs_total", "counter", "Writes of its record to the disk.", 0},
    [SYNC_FAILURES] = {"doyen_witness_sync_failures_total", "counter",
                       "Writes of its record that failed.", 0},
    [SYNC_TIME] = {"doyen_witness_sync_seconds", "gauge", "How long the last such write took.",
                   US_PER_S},
};

static uint64_t value_of(const struct cluster *cluster, enum family family)
{
    const struct cluster_counts *counts = &cluster->counts;
    const struct voter_state *known = &cluster->known;

    switch (family) {
    case ASKED:
        return counts->asked;
    case GRANTED:
        return counts->granted;
    case REFUSED:
        return counts->refused;
    case LAST_ASKED:
        return clock_ms() - (counts->asked_ms == 0 ? cluster->began_ms : counts->asked_ms);
    case EPOCH:
        return known->promise.epoch;
    case VOTES:
        return known->status == VOTER_FOUNDING || known->status == VOTER_FOUNDED ? 1 : 0;
    case SYNCS:
        return known->syncs;
    case SYNC_FAILURES:
        return known->sync_failures;
    case SYNC_TIME:
        return voter_store_times(cluster->store).last_us;
    }
    return 0;
}

/* Begins a family: its samples follow. */
static void begin(FILE *to, const char *name, const char *type, const char *help)
{
    fprintf(to, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void write_family(const struct witness *witness, enum family family, FILE *to)
{
    begin(to, families[family].name, families[family].type, families[family].help);
    for (const struct cluster *cluster = first_cluster(witness); cluster != NULL;
         cluster = next_cluster(witness, cluster)) {
        const uint64_t value = value_of(cluster, family);
        const uint64_t unit = families[family].per_second;
        fprintf(to, "%s{cluster=\"%s\"} ", families[family].name, cluster->name);
        if (unit == 0) {
            fprintf(to, "%llu\n", (unsigned long long)value);
        } else {
            fprintf(to, "%.6f\n", (double)value / (double)unit);
        }
    }
}

/* In the text format of Prometheus, version 0.0.4. */
static void write_metrics(const void *context, FILE *to)
{
    const struct witness *witness = context;

    begin(to, "doyen_witness_build_info", "gauge", "The version of this doyen-witness.");
    fprintf(to, "doyen_witness_build_info{version=\"%s\"} 1\n", DOYEN_VERSION);
    begin(to, "doyen_witness_clusters", "gauge", "The clusters that it may vote in.");
    fprintf(to, "doyen_witness_clusters %u\n", witness->cluster_count);
    begin(to, "doyen_witness_unknown_frames_total", "counter",
          "Frames of clusters whose key it does not have.");
    fprintf(to, "doyen_witness_unknown_frames_total %llu\n", (unsigned long long)witness->unknown);
    begin(to, "doyen_witness_unopened_frames_total", "counter",
          "Frames of its clusters under another key, without one, or played back.");
    fprintf(to, "doyen_witness_unopened_frames_total %llu\n",
            (unsigned long long)unopened(&witness->commons.traffic));
    for (enum family family = ASKED; family <= SYNC_TIME; family++) {
        write_family(witness, family, to);
    }
}

/* --- Opening --- */

static bool open_sockets(struct witness *witness, struct complaint *complaint)
{
    struct commons *commons = &witness->commons;
    const struct config *config = commons->config;

    commons->udp = &witness->udp;
    commons->descriptors_max = descriptors_for_streams(descriptors_limit());
    witness->lobby = (struct streams){.loop = commons->loop,
                                      .latch = &witness->latch,
                                      .find = find_streams,
                                      .context = witness,
                                      .log = commons->log,
                                      .traffic = &commons->traffic,
                                      .descriptors_max = commons->descriptors_max,
                                      .inbox = commons->inbox};
    int error = udp_open(&witness->udp, commons->loop, &witness->latch, &commons->traffic,
                         &config->listen);
    if (error == 0) {
        error = listener_open(&witness->listener, &witness->lobby, &config->listen, INBOUND_MAX);
    }
    if (error == 0) {
        error = listener_start(&witness->listener, cluster_on_stream_frame);
    }
    if (error == 0) {
        error = udp_start(&witness->udp, on_datagram, on_turn, witness);
    }
    if (error != 0) {
        return preflight_cannot_listen(&config->listen, "--listen", error, complaint);
    }
    error = config->http_on ? metrics_socket_open(&witness->metrics, commons->loop, &witness->latch,
                                                  &config->http, write_metrics, witness)
                            : 0;
    return error == 0 || preflight_cannot_listen(&config->http, "--http", error, complaint);
}

static bool open_memory(struct witness *witness, struct complaint *complaint)
{
    struct commons *commons = &witness->commons;

    commons->wire = wire_new("", commons->config->capacity);
    commons->buffers = commons->wire == NULL
                           ? NULL
                           : seal_buffers_new(wire_frame_bytes_max(commons->wire));
    return commons->buffers != NULL ||
           complaint_set(complaint, "not enough memory for %u members: choose a smaller --capacity",
                         commons->config->capacity);
}

static void free_memory(void *context)
{
    struct witness *witness = context;

    wire_free(witness->commons.wire);
    seal_buffers_free(witness->commons.buffers);
    if (witness->lock >= 0) {
        (void)close(witness->lock);
    }
    free(witness);
}

struct witness *witness_open(uv_loop_t *loop, const struct config *config, struct log *log,
                             int *exit_code)
{
    struct witness *witness = calloc(1, sizeof *witness);
    struct complaint complaint = {.exit_code = EXIT_FAILURE};

    *exit_code = EXIT_FAILURE;
    if (witness == NULL) {
        log_line(log, LOG_ERROR, "memory", "not enough memory to start");
        return NULL;
    }
    witness->commons.loop = loop;
    witness->commons.config = config;
    witness->commons.log = log;
    witness->lock = -1;
    witness->latch = (struct latch){.held = 1, .on_free = free_memory, .context = witness};
    witness->commons.latch = &witness->latch;
    chain_init(&witness->clusters);
    chain_init(&witness->leaving);
    bool opened = key_directory_is_apart(config->key, config->state_dir, &complaint) &&
                  open_memory(witness, &complaint) && open_sockets(witness, &complaint);
    if (opened) {
        witness->lock = store_lock(config->state_dir, &complaint);
        opened = witness->lock >= 0 && read_keys(witness, &complaint);
    }
    if (!opened) {
        log_line(log, LOG_ERROR, "start", "%s", complaint.text);
        *exit_code = complaint.exit_code;
        witness_close(witness);
        return NULL;
    }
    witness->running = true;
    *exit_code = EXIT_SUCCESS;
    say_clusters(witness);
    return witness;
}

/* --- Closing --- */

void witness_close(struct witness *witness)
{
    for (struct cluster *cluster = first_cluster(witness); cluster != NULL;
         cluster = first_cluster(witness)) {
        drop(witness, cluster);
    }
    metrics_socket_close(&witness->metrics);
    listener_close(&witness->listener);
    udp_close(&witness->udp);
    latch_release(&witness->latch);
}
