/* Members inside another program: this one. Their cluster has daemons of its own besides. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "doyen/node.h"
#include "fixture.h"

enum { TOLD_MAX = 256 };

/* A member in this process, and what it told. */
struct inside {
    const char *name;
    struct doyen_node *node;
    bool busy; /* in a callback */
    size_t told_count;
    enum doyen_kind told[TOLD_MAX];
    size_t members; /* of the view that was told last */
    char coordinator[64];
    bool acts;
    bool stopped;
    int why;
    size_t log_lines;
    bool close_when_told; /* from within the callback */
};

static void on_event(void *user, const struct doyen_event *event)
{
    struct inside *inside = user;
    const struct doyen_member *coordinator = event->view->coordinator;

    cr_assert_not(inside->busy, "a callback within a callback");
    inside->busy = true;
    cr_assert_lt(inside->told_count, TOLD_MAX);
    inside->told[inside->told_count++] = event->kind;
    inside->members = event->view->member_count;
    snprintf(inside->coordinator, sizeof inside->coordinator, "%s",
             coordinator == NULL ? "" : coordinator->name);
    inside->acts = doyen_node_acting(inside->node, NULL);
    const struct doyen_view *view = doyen_node_view(inside->node);
    cr_assert_not_null(view);
    cr_assert_str_eq(view->node, inside->name);
    doyen_view_release(view);
    if (inside->close_when_told) {
        doyen_node_close(inside->node);
    }
    inside->busy = false;
}

static void on_stopped(void *user, int why)
{
    struct inside *inside = user;

    cr_assert_not(inside->busy || inside->stopped);
    cr_assert_null(doyen_node_view(inside->node), "there is nothing to see any more");
    cr_assert_not(doyen_node_acting(inside->node, NULL));
    doyen_node_leave(inside->node); /* As a program that does not know yet may. */
    doyen_node_close(inside->node);
    inside->stopped = true;
    inside->why = why;
    inside->node = NULL;
}

static void on_line(void *user, const char *line)
{
    struct inside *inside = user;

    cr_assert_null(strchr(line, '\n'));
    inside->log_lines++;
}

static bool tells(const struct inside *inside, enum doyen_kind kind)
{
    for (size_t i = 0; i < inside->told_count; i++) {
        if (inside->told[i] == kind) {
            return true;
        }
    }
    return false;
}

static bool is_drained(const struct inside *inside, const char *name)
{
    const struct doyen_view *view = doyen_node_view(inside->node);
    const struct doyen_member *member = view == NULL ? NULL : doyen_view_member(view, name);
    const bool drained = member != NULL && member->drained;

    doyen_view_release(view);
    return drained;
}

/* Starts a member with the address that a daemon of that name would have. */
static void start_inside(struct cluster *cluster, uv_loop_t *loop, struct inside *inside,
                         const char *name, const char *seed)
{
    const char *const seeds[] = {cluster_daemon(cluster, seed)->address, NULL};
    const char *const settings[] = {"profile=local", "tag=kind=inside", NULL};
    const struct doyen_node_options options = {.size = sizeof options,
                                               .name = name,
                                               .listen = cluster_daemon(cluster, name)->address,
                                               .seeds = seeds,
                                               .settings = settings,
                                               .on_event = on_event,
                                               .on_stopped = on_stopped,
                                               .log = on_line,
                                               .user = inside};
    char why[DOYEN_NODE_WHY];

    *inside = (struct inside){.name = name};
    (void)signal(SIGPIPE, SIG_IGN);
    cr_assert_eq(doyen_node_start(&inside->node, loop, &options, why), 0, "%s", why);
}

static void on_tick(uv_timer_t *timer)
{
    (void)timer; /* The loop has to wake, so that the condition is looked at. */
}

/* Runs the loop until the condition holds. */
#define run_until(loop, condition)                                                                 \
    do {                                                                                           \
        const uint64_t until_ms__ = clock_now_ms() + LIMIT_MS;                                     \
        uv_timer_t tick__;                                                                         \
        uv_timer_init((loop), &tick__);                                                            \
        uv_timer_start(&tick__, on_tick, LOOK_AGAIN_MS, LOOK_AGAIN_MS);                            \
        while (!(condition) && clock_now_ms() < until_ms__) {                                      \
            uv_run((loop), UV_RUN_ONCE);                                                           \
        }                                                                                          \
        uv_close((uv_handle_t *)&tick__, NULL);                                                    \
        uv_run((loop), UV_RUN_NOWAIT);                                                             \
        cr_assert(condition, "not within %d ms", LIMIT_MS);                                        \
    } while (0)

static void end_loop(uv_loop_t *loop)
{
    uv_run(loop, UV_RUN_DEFAULT);
    cr_assert_eq(uv_loop_close(loop), 0, "something is left on the loop");
}

Story(node, two_members_in_one_process_and_a_daemon_form_one_cluster)
{
    struct cluster *cluster = cluster_new(ARGS("--profile", "local"));
    struct inside athens;
    struct inside byzantium;
    uv_loop_t loop;

    uv_loop_init(&loop);
    start_inside(cluster, &loop, &athens, "athens", "athens");
    run_until(&loop, athens.acts && athens.members == 1);
    cr_assert_eq(athens.told[0], DOYEN_SNAPSHOT);
    start_inside(cluster, &loop, &byzantium, "byzantium", "athens");
    run_until(&loop, athens.members == 2 && byzantium.members == 2);
    cr_assert_str_eq(byzantium.coordinator, "athens");
    cr_assert_not(doyen_node_acting(byzantium.node, NULL));
    cr_assert_gt(athens.log_lines, 0);

    cluster_start(cluster, "cyrene", "athens", NO_ARGS);
    run_until(&loop, athens.members == 3 && byzantium.members == 3);
    struct doyen_right right;
    cr_assert(doyen_node_acting(athens.node, &right));
    cr_assert(right.epoch > 0 && right.left_ns > 0 && right.advisory);

    char why[DOYEN_NODE_WHY];
    cr_assert_eq(doyen_node_transfer(byzantium.node, "delphi", why), DOYEN_E_REFUSED);
    assert_text_has(why, "delphi");
    cr_assert_eq(doyen_node_drain(byzantium.node, "cyrene", true, why), 0, "%s", why);
    run_until(&loop, is_drained(&athens, "cyrene"));
    cr_assert_eq(doyen_node_transfer(athens.node, "cyrene", why), DOYEN_E_REFUSED);
    cr_assert_eq(doyen_node_transfer(byzantium.node, NULL, why), 0, "%s", why);
    run_until(&loop, byzantium.acts && strcmp(athens.coordinator, "byzantium") == 0);
    cr_assert_eq(doyen_node_transfer(byzantium.node, "athens", why), 0, "%s", why);
    run_until(&loop, athens.acts && strcmp(byzantium.coordinator, "athens") == 0);

    doyen_node_leave(athens.node);
    run_until(&loop, athens.stopped && byzantium.acts && byzantium.members == 2);
    cr_assert_eq(athens.why, 0);
    cr_assert(tells(&athens, DOYEN_NOT_ACTING), "it is told before the end");
    cr_assert_str_eq(byzantium.coordinator, "byzantium");
    cr_assert(tells(&byzantium, DOYEN_ACTING) && tells(&byzantium, DOYEN_COORDINATOR));

    cluster_kill(cluster, "cyrene");
    run_until(&loop, byzantium.members == 1 && tells(&byzantium, DOYEN_GONE));
    doyen_node_close(byzantium.node);
    end_loop(&loop);
    cr_assert(byzantium.stopped);
}

Story(node, a_callback_may_close_its_own_node)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct inside athens;
    uv_loop_t loop;

    uv_loop_init(&loop);
    start_inside(cluster, &loop, &athens, "athens", "athens");
    athens.close_when_told = true;
    end_loop(&loop);
    cr_assert(athens.stopped);
    cr_assert_eq(athens.told_count, 1);
    cr_assert_eq(athens.why, 0);
}

Story(node, a_control_socket_is_served_where_one_is_wanted)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const struct doyen_node_options options = {
        .size = sizeof options,
        .name = "athens",
        .listen = cluster_daemon(cluster, "athens")->address,
        .control = cluster_daemon(cluster, "athens")->control};
    const struct doyen_options asking = {.size = sizeof asking, .control = options.control};
    char why[DOYEN_NODE_WHY];
    struct doyen_node *node = NULL;
    struct doyen *d = NULL;
    uv_loop_t loop;

    uv_loop_init(&loop);
    (void)signal(SIGPIPE, SIG_IGN);
    cr_assert_eq(doyen_node_start(&node, &loop, &options, why), 0, "%s", why);
    cr_assert_eq(doyen_open(&d, &asking), 0);
    cr_assert_eq(doyen_lease_get(d, 1), DOYEN_E_UNREACHABLE, "nobody runs the loop yet");
    struct process process = {.pid = 0};
    doyen_start(cluster, &process, "athens", ARGS("wait", "--acting", "--timeout", "20s"),
                cluster_path(cluster, "out"));
    run_until(&loop, !process_is_running(&process));
    cr_assert_eq(process_exit_code(&process), 0);
    doyen_close(d);
    doyen_node_close(node);
    end_loop(&loop);
}

static int refusal_of(uv_loop_t *loop, struct doyen_node_options options, char *why)
{
    struct doyen_node *node = NULL;

    options.size = options.size == 0 ? sizeof options : options.size;
    const int code = doyen_node_start(&node, loop, &options, why);
    cr_assert_null(node);
    return code;
}

Story(node, what_cannot_be_started_is_refused_in_one_line)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *const unknown[] = {"profiel=lan", NULL};
    const char *const process[] = {"log-level=debug", NULL};
    const char *const hooks[] = {"hooks=/etc", NULL};
    const char *listen = cluster_daemon(cluster, "athens")->address;
    char why[DOYEN_NODE_WHY];
    uv_loop_t loop;

    uv_loop_init(&loop);
    (void)signal(SIGPIPE, SIG_DFL);
    cr_assert_eq(refusal_of(&loop, (struct doyen_node_options){.listen = listen}, why),
                 DOYEN_E_USAGE);
    assert_text_has(why, "SIGPIPE");
    (void)signal(SIGPIPE, SIG_IGN);
    cr_assert_eq(refusal_of(&loop, (struct doyen_node_options){.size = 5}, why), DOYEN_E_USAGE);
    assert_text_has(why, "doyen_node_options.size");
    cr_assert_eq(refusal_of(&loop, (struct doyen_node_options){.listen = "nowhere"}, why),
                 DOYEN_E_USAGE);
    assert_text_has(why, "--listen");
    cr_assert_eq(
        refusal_of(&loop, (struct doyen_node_options){.listen = listen, .settings = unknown}, why),
        DOYEN_E_USAGE);
    assert_text_has(why, "--profile");
    cr_assert_eq(
        refusal_of(&loop, (struct doyen_node_options){.listen = listen, .settings = process}, why),
        DOYEN_E_USAGE);
    assert_text_has(why, "doyend's process");
    cr_assert_eq(
        refusal_of(&loop, (struct doyen_node_options){.listen = listen, .settings = hooks}, why),
        DOYEN_E_USAGE);
    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_agreement(cluster, "athens");
    cr_assert_eq(
        refusal_of(&loop, (struct doyen_node_options){.name = "other", .listen = listen}, why),
        DOYEN_E_REFUSED);
    assert_text_has(why, "in use");
    end_loop(&loop);
}
