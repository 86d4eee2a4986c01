/* Measures how long parts of a cluster take to become one again, from the moment at which the
 * network between them works until all show one view. The daemons are real, each in a network
 * namespace of its own; what is cut is cut without a word, as by a broken switch.
 *
 *     bench_heal [--table] [RUNS]
 *
 * prints one JSON object, or the table that docs/guide/sizing.md quotes; progress goes to stderr.
 * doyend is taken from DOYEND_PATH, else from beside this program. Where the machine permits no
 * namespaces, neither to root nor to users, it says so and has no figures. */
#include <ftw.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/figures.h"
#include "e2e/http.h"
#include "e2e/netns.h"
#include "e2e/process.h"

enum {
    NODES_MAX = 7,
    RUNS_DEFAULT = 10,
    RUNS_MAX = 1000,
    LIMIT_MS = 30000,    /* a cluster that takes longer has failed */
    LONG_CUT_MS = 30000, /* sockets and caches of the kernel have given up by then */
    LONG_CUT_RUNS_MAX = 3,
    STEP_MS = 37, /* between the lengths of two cuts, so that they meet each phase of the probes */
    VIEW_MAX = 128,
    DIR_MAX = 32,
    PATH_MAX_HERE = 64,
};

/* A way to cut a cluster: the part that each node, in the order of joining, belongs to. */
struct cut {
    const char *what;
    const char *profile;
    const char *parts; /* "AABBB": the first two, the other three */
    bool is_long;
};

struct node {
    char name[16];
    char address[32];
    char control[PATH_MAX_HERE];
    char log[PATH_MAX_HERE];
    struct process process;
    int fd; /* of the control socket, -1: not connected */
};

struct cluster {
    const char *program;
    const struct cut *cut;
    char dir[DIR_MAX];
    size_t count;
    struct node nodes[NODES_MAX];
    struct netns netns;
};

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "bench_heal: %s\n", what);
    exit(EXIT_FAILURE); /* The daemons end with their parent. */
}

/* --- The cluster ----------------------------------------------------------------------------- */

static void node_start(struct cluster *cluster, size_t index)
{
    struct node *node = &cluster->nodes[index];
    const struct place place = netns_place(&cluster->netns, index);
    const char *const argv[] = {cluster->program,
                                "--name",
                                node->name,
                                "--listen",
                                node->address,
                                "--seed",
                                cluster->nodes[0].address,
                                "--control",
                                node->control,
                                "--profile",
                                cluster->cut->profile,
                                NULL};

    if (!process_start_at(&node->process, &place, argv, node->log, node->log)) {
        fail("cannot start doyend");
    }
}

static void set_path(char path[PATH_MAX_HERE], const char *dir, const char *name,
                     const char *ending)
{
    snprintf(path, PATH_MAX_HERE, "%s/%s.%s", dir, name, ending);
}

static void begin_cluster(struct cluster *cluster, const char *program, const struct cut *cut)
{
    char why[NETNS_WHY_MAX];

    *cluster = (struct cluster){.program = program,
                                .cut = cut,
                                .dir = "/tmp/doyen-bench-XXXXXX",
                                .count = strlen(cut->parts)};
    if (mkdtemp(cluster->dir) == NULL) {
        fail("cannot make a directory in /tmp");
    }
    if (!netns_open(&cluster->netns, cluster->count, 1, why)) {
        fail(why);
    }
    for (size_t i = 0; i < cluster->count; i++) {
        struct node *node = &cluster->nodes[i];
        char host[NETNS_ADDRESS_MAX];
        netns_address(i, host);
        node->fd = -1;
        snprintf(node->name, sizeof node->name, "node%u", (unsigned)(i + 1) % 1000);
        snprintf(node->address, sizeof node->address, "%s:%d", host, NETNS_PORT);
        set_path(node->control, cluster->dir, node->name, "sock");
        set_path(node->log, cluster->dir, node->name, "log");
    }
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

static void end_cluster(struct cluster *cluster)
{
    for (size_t i = 0; i < cluster->count; i++) {
        struct node *node = &cluster->nodes[i];
        process_kill(&node->process);
        if (node->fd >= 0) {
            close(node->fd);
        }
    }
    netns_close(&cluster->netns);
    (void)nftw(cluster->dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static bool are_parted(const struct cluster *cluster, size_t i, size_t j)
{
    return cluster->cut->parts[i] != cluster->cut->parts[j];
}

/* Cuts the network into its parts, or heals it. */
static void set_network(struct cluster *cluster, unsigned drop_percent)
{
    for (size_t i = 0; i < cluster->count; i++) {
        for (size_t j = 0; j < cluster->count; j++) {
            if (are_parted(cluster, i, j)) {
                cluster->netns.links.faults[i][j].drop_percent = drop_percent;
            }
        }
    }
    forwarder_set(cluster->netns.forwarder, &cluster->netns.links);
}

/* --- Asking ---------------------------------------------------------------------------------- */

/* "epoch.version coordinator members", "" when there is no answer. */
static void node_view(struct node *node, char view[VIEW_MAX])
{
    struct http_answer answer;

    view[0] = '\0';
    if (node->fd < 0) {
        node->fd = dial_unix(node->control);
    }
    if (node->fd < 0 || !http_ask(node->fd, "GET", "/v1/members", NULL, LIMIT_MS, &answer)) {
        if (node->fd >= 0) {
            close(node->fd);
        }
        node->fd = -1;
        return;
    }
    json_t *document = json_loads(answer.body, 0, NULL);
    const json_t *number = json_object_get(document, "view");
    const char *coordinator = json_string_value(json_object_get(document, "coordinator"));
    const char *epoch = json_string_value(json_object_get(number, "epoch"));
    const char *version = json_string_value(json_object_get(number, "version"));
    if (coordinator != NULL && epoch != NULL && version != NULL) {
        snprintf(view, VIEW_MAX, "%s.%s %s %zu", epoch, version, coordinator,
                 json_array_size(json_object_get(document, "members")));
    }
    json_decref(document);
    http_answer_deinit(&answer);
}

/* Do all nodes of the part hold one view, of just as many members? '*': all parts together. */
static bool part_agrees(struct cluster *cluster, char part)
{
    char first[VIEW_MAX] = "";
    char view[VIEW_MAX];
    size_t count = 0;

    for (size_t i = 0; i < cluster->count; i++) {
        if (part != '*' && cluster->cut->parts[i] != part) {
            continue;
        }
        node_view(&cluster->nodes[i], view);
        if (count++ == 0) {
            memcpy(first, view, sizeof first);
        }
        if (view[0] == '\0' || strcmp(view, first) != 0) {
            return false;
        }
    }
    return count > 0 && strtoul(strrchr(first, ' ') + 1, NULL, 10) == count;
}

static bool parts_agree(struct cluster *cluster)
{
    for (size_t i = 0; i < cluster->count; i++) {
        if (!part_agrees(cluster, cluster->cut->parts[i])) {
            return false;
        }
    }
    return true;
}

static bool all_agree(struct cluster *cluster)
{
    return part_agrees(cluster, '*');
}

/* Returns how long it took. */
static double await(struct cluster *cluster, bool (*holds)(struct cluster *cluster),
                    const char *what)
{
    const double began_ms = figures_now_ms();

    while (!holds(cluster)) {
        if (figures_now_ms() - began_ms > LIMIT_MS) {
            fail(what);
        }
        clock_nap_ms(2);
    }
    return figures_now_ms() - began_ms;
}

/* --- What is measured ------------------------------------------------------------------------ */

static double heal(const char *program, const struct cut *cut, size_t run)
{
    struct cluster cluster;

    begin_cluster(&cluster, program, cut);
    for (size_t i = 0; i < cluster.count; i++) {
        node_start(&cluster, i);
    }
    (void)await(&cluster, all_agree, "the cluster does not form within 30 s");
    set_network(&cluster, 100);
    (void)await(&cluster, parts_agree, "the parts do not agree within 30 s");
    clock_nap_ms((cut->is_long ? LONG_CUT_MS : 0) + run * STEP_MS);
    set_network(&cluster, 0);
    const double took_ms = await(&cluster, all_agree, "the parts do not meet within 30 s");
    end_cluster(&cluster);
    return took_ms;
}

static void measure(struct figures *figures, const char *program, size_t runs)
{
    static const struct cut cuts[] = {
        {"3 and 2, the oldest among the three", "lan", "ABBAA", false},
        {"3 and 2, the oldest among the two", "lan", "AABBB", false},
        {"2 and 2", "lan", "AABB", false},
        {"4 and 1", "lan", "AAAAB", false},
        {"the coordinator alone and 4", "lan", "ABBBB", false},
        {"2, 2 and 3", "lan", "AABBCCC", false},
        {"five single nodes", "lan", "ABCDE", false},
        {"3 and 2, after 30 s", "lan", "ABBAA", true},
        {"3 and 2, profile local", "local", "ABBAA", false},
        {"2, 2 and 3, profile local", "local", "AABBCCC", false},
    };
    double samples[RUNS_MAX];

    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        const size_t wanted = cuts[i].is_long && runs > LONG_CUT_RUNS_MAX ? LONG_CUT_RUNS_MAX
                                                                          : runs;
        for (size_t run = 0; run < wanted; run++) {
            samples[run] = heal(program, &cuts[i], run);
        }
        figures_add(figures, cuts[i].what, "ms", samples, wanted);
    }
}

static bool has_namespaces(void)
{
    struct netns netns;
    char why[NETNS_WHY_MAX];

    if (!netns_open(&netns, 1, 1, why)) {
        fprintf(stderr, "bench_heal: left out: %s\n", why);
        return false;
    }
    netns_close(&netns);
    return true;
}

int main(int argc, char **argv)
{
    const bool table = argc > 1 && strcmp(argv[1], "--table") == 0;
    const char *count = argc > (table ? 2 : 1) ? argv[table ? 2 : 1] : NULL;
    const long runs = count == NULL ? RUNS_DEFAULT : strtol(count, NULL, 10);
    struct figures figures = {.count = 0};
    char path[4096];

    if (argc > (table ? 3 : 2) || runs < 1 || runs > RUNS_MAX) {
        fprintf(stderr, "usage: bench_heal [--table] [RUNS], with 1 to %d runs\n", RUNS_MAX);
        return 64;
    }
    (void)signal(SIGPIPE, SIG_IGN);
    const char *program = figures_doyend("bench_heal", path);
    if (has_namespaces()) {
        measure(&figures, program, (size_t)runs);
    }
    figures_print(&figures, table, "heal", "a cut heals, until all agree");
    return EXIT_SUCCESS;
}
