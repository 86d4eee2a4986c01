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
    bool close_when_told;    /* from within the callback */
    bool close_when_written; /* from within the callback for messages */
    size_t message_count;
    char message_from[64];
    char message_from_id[64];
    char message[DOYEN_MESSAGE_MAX + 1]; /* the last one */
    size_t message_length;
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

static void on_message(void *user, const struct doyen_message *message)
{
    struct inside *inside = user;

    cr_assert_not(inside->busy, "a callback within a callback");
    cr_assert_leq(message->length, DOYEN_MESSAGE_MAX);
    inside->message_count++;
    inside->message_length = message->length;
    snprintf(inside->message_from, sizeof inside->message_from, "%s", message->from);
    snprintf(inside->message_from_id, sizeof inside->message_from_id, "%s", message->from_id);
    memcpy(inside->message, message->data, message->length);
    inside->message[message->length] = '\0';
    if (inside->close_when_written) {
        doyen_node_close(inside->node);
    }
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
static void start_inside_with(struct cluster *cluster, uv_loop_t *loop, struct inside *inside,
                              const char *name, const char *seed, const char *const *settings)
{
    const char *const seeds[] = {cluster_daemon(cluster, seed)->address, NULL};
    const struct doyen_node_options options = {.size = sizeof options,
                                               .name = name,
                                               .listen = cluster_daemon(cluster, name)->address,
                                               .seeds = seeds,
                                               .settings = settings,
                                               .key = cluster->key,
                                               .on_event = on_event,
                                               .on_stopped = on_stopped,
                                               .log = on_line,
                                               .user = inside,
                                               .on_message = on_message};
    char why[DOYEN_NODE_WHY];

    *inside = (struct inside){.name = name};
    (void)signal(SIGPIPE, SIG_IGN);
    cr_assert_eq(doyen_node_start(&inside->node, loop, &options, why), 0, "%s", why);
}

static void start_inside(struct cluster *cluster, uv_loop_t *loop, struct inside *inside,
                         const char *name, const char *seed)
{
    const char *const settings[] = {"profile=local", "tag=kind=inside", NULL};

    start_inside_with(cluster, loop, inside, name, seed, settings);
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

/* The value of a tag of the member, as this one sees it; "" without. */
static const char *tag_of(const struct inside *inside, const char *name, const char *key)
{
    const struct doyen_view *view = doyen_node_view(inside->node);
    const struct doyen_member *member = view == NULL ? NULL : doyen_view_member(view, name);
    const char *value = "";

    for (size_t i = 0; member != NULL && i < member->tag_count; i++) {
        value = strcmp(member->tags[i].key, key) == 0 ? text_kept("%s", member->tags[i].value)
                                                      : value;
    }
    doyen_view_release(view);
    return value;
}

Story(node, a_program_changes_its_tags)
{
    struct cluster *cluster = cluster_new(ARGS("--profile", "local"));
    const struct doyen_tag changes[] = {{"kind", NULL}, {"role", "db"}, {"none", NULL}};
    const struct doyen_tag no_tag = {"a=b", "c"};
    struct inside athens;
    struct inside byzantium;
    uv_loop_t loop;
    char why[DOYEN_NODE_WHY];

    uv_loop_init(&loop);
    start_inside(cluster, &loop, &athens, "athens", "athens");
    run_until(&loop, athens.acts);
    start_inside(cluster, &loop, &byzantium, "byzantium", "athens");
    run_until(&loop, athens.members == 2 && byzantium.members == 2);
    cr_assert_str_eq(tag_of(&athens, "byzantium", "kind"), "inside");
    cr_assert_eq(doyen_node_set_tags(byzantium.node, changes, 3, why), 0, "%s", why);
    run_until(&loop, tells(&athens, DOYEN_TAGS) && tells(&byzantium, DOYEN_TAGS));
    cr_assert_str_eq(tag_of(&athens, "byzantium", "role"), "db");
    cr_assert_str_eq(tag_of(&athens, "byzantium", "kind"), "");
    cr_assert_str_eq(tag_of(&athens, "athens", "kind"), "inside");
    cr_assert_eq(doyen_node_set_tags(byzantium.node, &no_tag, 1, why), DOYEN_E_USAGE);
    assert_text_has(why, "'a=b' is no key");
    doyen_node_close(athens.node);
    doyen_node_close(byzantium.node);
    end_loop(&loop);
}

static uint32_t owned_count(struct doyen_node *node)
{
    uint32_t count = 0;

    for (uint32_t p = 0; p < 12; p++) {
        count += doyen_node_owns(node, p, NULL);
    }
    return count;
}

/* Says that it is ready for whatever it is to own by now. */
static uint32_t owned_when_ready(struct doyen_node *node)
{
    doyen_node_partitions_ready(node, NULL, 0);
    return owned_count(node);
}

/* P8, P14 of docs/partitions.md. */
Story(node, a_program_owns_partitions)
{
    const char *const settings[] = {"profile=local", "partitions=12,1h", NULL};
    const uint32_t beyond[] = {12, UINT32_MAX};
    struct cluster *cluster = cluster_new(ARGS("--profile", "local"));
    struct inside athens;
    struct inside byzantium;
    struct doyen_owned owned;
    uv_loop_t loop;

    uv_loop_init(&loop);
    start_inside_with(cluster, &loop, &athens, "athens", "athens", settings);
    run_until(&loop, athens.acts && athens.members == 1);
    cr_assert_eq(owned_count(athens.node), 0, "it is not ready");
    doyen_node_partitions_ready(athens.node, beyond, 2);
    cr_assert_not(doyen_node_owns(athens.node, 12, &owned));
    cr_assert_eq(owned.token, 0);
    run_until(&loop, owned_when_ready(athens.node) == 12);
    cr_assert(doyen_node_owns(athens.node, 3, &owned));
    cr_assert(owned.token > 0 && owned.left_ns > 0 && owned.advisory);

    start_inside_with(cluster, &loop, &byzantium, "byzantium", "athens", settings);
    run_until(&loop, athens.members == 2 && byzantium.members == 2);
    run_until(&loop, owned_when_ready(byzantium.node) <= 6 && owned_count(athens.node) == 6);
    doyen_node_partitions_done(athens.node, NULL, 0);
    run_until(&loop, owned_count(byzantium.node) == 6 && owned_count(athens.node) == 6);
    doyen_node_close(byzantium.node);
    doyen_node_close(athens.node);
    end_loop(&loop);
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
    cr_assert_eq(doyen_lease_get(d, 1), DOYEN_E_TIMEOUT, "nobody runs the loop yet");
    struct process process = {.pid = 0};
    doyen_start(cluster, &process, "athens", ARGS("wait", "--acting", "--timeout", "20s"),
                cluster_path(cluster, "out"));
    run_until(&loop, !process_is_running(&process));
    cr_assert_eq(process_exit_code(&process), 0);
    doyen_close(d);
    doyen_node_close(node);
    end_loop(&loop);
}

/* --- Roles --- */

/* What a candidate was told, and what it does about it. */
struct stand {
    struct inside *inside;
    struct doyen_candidate *candidate;
    size_t count[DOYEN_ROLE_ENDED + 1]; /* by kind */
    uint64_t token;
    char reason[32];
    bool resigns; /* from within the callback, when it holds */
    bool closes;  /* the node, likewise */
};

static void on_role(void *user, const struct doyen_role_event *event)
{
    struct stand *stand = user;

    cr_assert_not(stand->inside->busy, "a callback within a callback");
    cr_assert_str_eq(event->role, "job");
    stand->inside->busy = true;
    stand->count[event->kind]++;
    stand->token = event->token != 0 ? event->token : stand->token;
    snprintf(stand->reason, sizeof stand->reason, "%s", event->reason == NULL ? "" : event->reason);
    if (event->kind == DOYEN_ROLE_GRANTED) {
        struct doyen_right right;
        cr_assert(doyen_candidate_holds(stand->candidate, &right));
        cr_assert_eq(right.epoch, event->token);
        cr_assert(right.left_ns > 0 && right.advisory);
    }
    if (event->kind == DOYEN_ROLE_LOST) {
        cr_assert_not(doyen_candidate_holds(stand->candidate, NULL));
    }
    if (event->kind == DOYEN_ROLE_GRANTED && stand->resigns) {
        doyen_node_resign(stand->inside->node, stand->candidate);
    }
    if (event->kind == DOYEN_ROLE_GRANTED && stand->closes) {
        doyen_node_close(stand->inside->node);
    }
    stand->inside->busy = false;
}

static void campaign(struct stand *stand, struct inside *inside, const char *policy,
                     uint32_t priority)
{
    const struct doyen_campaign wanted = {
        .role = "job", .policy = policy, .priority = priority, .value = inside->name};
    char why[DOYEN_NODE_WHY];

    *stand = (struct stand){.inside = inside};
    cr_assert_eq(doyen_node_campaign(inside->node, &wanted, on_role, stand, &stand->candidate, why),
                 0, "%s", why);
}

static bool has_said(const char *path, const char *part)
{
    char *text = file_read(path, NULL);
    const bool said = text != NULL && strstr(text, part) != NULL;

    free(text);
    return said;
}

/* The better candidate of another process takes the role, and it comes back with a higher token. */
Story(node, a_program_stands_for_a_role)
{
    struct cluster *cluster = cluster_new(ARGS("--profile", "local"));
    struct process other = {.pid = 0};
    struct inside athens;
    struct stand stand;
    char why[DOYEN_NODE_WHY];
    uv_loop_t loop;

    uv_loop_init(&loop);
    start_inside(cluster, &loop, &athens, "athens", "athens");
    cr_assert_eq(doyen_node_campaign(athens.node, &(struct doyen_campaign){.role = "job"}, on_role,
                                     &stand, &stand.candidate, why),
                 DOYEN_E_REFUSED);
    run_until(&loop, athens.acts);
    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    run_until(&loop, athens.members == 2);
    cr_assert_eq(doyen_node_campaign(athens.node, &(struct doyen_campaign){.role = "a b"}, on_role,
                                     &stand, &stand.candidate, why),
                 DOYEN_E_USAGE);
    assert_text_has(why, "is not the name of a role");
    campaign(&stand, &athens, "priority", 0);
    run_until(&loop, stand.count[DOYEN_ROLE_GRANTED] == 1);
    cr_assert_eq(stand.count[DOYEN_ROLE_CANDIDATE], 1);
    const uint64_t token = stand.token;

    doyen_start(cluster, &other, "byzantium", ARGS("observe", "job"),
                cluster_path(cluster, "observed"));
    run_until(&loop, has_said(cluster_path(cluster, "observed"), "athens"));
    cr_assert_eq(doyen_candidate_set_value(stand.candidate, "10.0.0.4:5432", why), 0);
    run_until(&loop, has_said(cluster_path(cluster, "observed"), "10.0.0.4:5432"));
    process_kill(&other);
    cr_assert_eq(doyen_candidate_set_value(stand.candidate, "a\nb", why), DOYEN_E_USAGE);
    assert_text_has(why, "without control characters");

    doyen_start(cluster, &other, "byzantium",
                ARGS("campaign", "job", "--policy", "priority", "--priority", "1"),
                cluster_path(cluster, "other"));
    run_until(&loop, stand.count[DOYEN_ROLE_LOST] == 1);
    cr_assert_str_eq(stand.reason, "revoked");
    run_until(&loop, has_said(cluster_path(cluster, "other"), "granted job"));
    process_kill(&other);
    run_until(&loop, stand.count[DOYEN_ROLE_GRANTED] == 2);
    cr_assert_gt(stand.token, token);
    cr_assert(doyen_candidate_holds(stand.candidate, NULL));
    doyen_node_leave(athens.node);
    run_until(&loop, athens.stopped);
    cr_assert_eq(stand.count[DOYEN_ROLE_LOST], 2);
    cr_assert_eq(stand.count[DOYEN_ROLE_ENDED], 1);
    cr_assert_str_eq(stand.reason, "leaving");
    end_loop(&loop);
}

Story(node, a_candidate_may_resign_or_close_from_within_its_callback)
{
    struct cluster *cluster = cluster_new(ARGS("--profile", "local"));
    struct inside athens;
    struct stand first;
    struct stand second;
    uv_loop_t loop;

    uv_loop_init(&loop);
    start_inside(cluster, &loop, &athens, "athens", "athens");
    run_until(&loop, athens.acts);
    campaign(&first, &athens, "first", 0);
    campaign(&second, &athens, "first", 0);
    first.resigns = true;
    second.closes = true;
    run_until(&loop, athens.stopped);
    cr_assert_eq(first.count[DOYEN_ROLE_GRANTED], 1);
    cr_assert_eq(second.count[DOYEN_ROLE_GRANTED], 1);
    cr_assert_gt(second.token, first.token);
    cr_assert_eq(first.count[DOYEN_ROLE_LOST] + first.count[DOYEN_ROLE_ENDED], 0);
    end_loop(&loop);
}

/* --- Memory --- */

/* Of the caller: how many pieces are lent, and how many more may be. */
struct account {
    size_t left;
    size_t held;
    struct doyen_node *node;
    size_t told_count;
    bool stopped;
};

static void *lend(void *user, size_t bytes)
{
    struct account *account = user;

    if (account->left == 0) {
        return NULL;
    }
    account->left--;
    account->held++;
    return malloc(bytes);
}

static void take_back(void *user, void *at)
{
    struct account *account = user;

    account->held--;
    free(at);
}

static void on_lent_event(void *user, const struct doyen_event *event)
{
    struct account *account = user;

    account->told_count += event->view != NULL;
}

static void on_lent_message(void *user, const struct doyen_message *message)
{
    (void)user;
    (void)message;
}

static void on_lent_stopped(void *user, int why)
{
    struct account *account = user;

    cr_assert_eq(why, 0);
    account->stopped = true;
}

/* Runs a member until it was told something, with so many pieces of memory. Those that the events
 * want may come later. Returns whether they sufficed to start. */
static bool starts_with(struct cluster *cluster, size_t pieces)
{
    struct account account = {.left = pieces};
    const struct doyen_node_options options = {.size = sizeof options,
                                               .listen = cluster_daemon(cluster, "athens")->address,
                                               .on_event = on_lent_event,
                                               .on_stopped = on_lent_stopped,
                                               .on_message = on_lent_message,
                                               .user = &account,
                                               .allocate = lend,
                                               .release = take_back};
    char why[DOYEN_NODE_WHY];
    uv_loop_t loop;

    uv_loop_init(&loop);
    (void)signal(SIGPIPE, SIG_IGN);
    const int code = doyen_node_start(&account.node, &loop, &options, why);
    cr_assert(code == 0 || code == DOYEN_E_MEMORY, "%d: %s", code, why);
    if (code == 0) {
        uv_run(&loop, UV_RUN_NOWAIT); /* Events that there is no memory for wait. */
        account.left = SIZE_MAX;
        run_until(&loop, account.told_count > 0);
        const struct doyen_view *view = doyen_node_view(account.node);
        doyen_node_close(account.node);
        run_until(&loop, account.stopped);
        cr_assert_gt(account.held, 0);
        doyen_view_release(view); /* It may outlive the node. */
    }
    end_loop(&loop);
    cr_assert_eq(account.held, 0, "%zu of %zu pieces were kept", account.held, pieces);
    return code == 0;
}

Story(node, memory_of_the_caller_is_used_and_given_back)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cr_assert_not(starts_with(cluster, 0), "the node");
    cr_assert_not(starts_with(cluster, 1), "its messages");
    for (size_t pieces = 2; pieces < 8; pieces++) {
        cr_assert(starts_with(cluster, pieces), "views and events come later");
    }
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
    cr_assert_eq(refusal_of(&loop, (struct doyen_node_options){.allocate = lend}, why),
                 DOYEN_E_USAGE);
    assert_text_has(why, "give both or neither");
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

/* --- Messages --- */

static bool is_told(const struct inside *inside, const char *text)
{
    return inside->message_count > 0 && strcmp(inside->message, text) == 0;
}

/* A datagram may be lost: it is sent in each turn until it is there. */
static bool sent_is_told(const struct inside *from, const char *to, const struct inside *inside,
                         const char *text)
{
    char why[DOYEN_NODE_WHY] = "";

    if (is_told(inside, text)) {
        return true;
    }
    cr_assert_eq(doyen_node_send(from->node, to, text, strlen(text), why), 0, "%s", why);
    return false;
}

static uint64_t unwanted(struct cluster *cluster, const char *name)
{
    const json_t *counters = json_object_get(cluster_document(cluster, name, "/v1/status"),
                                             "counters");
    const json_t *refused = json_object_get(counters, "user_refused");

    return json_object_size(refused) == 0 ? 0 : number_of(refused, "not wanted");
}

static bool is_unwanted(struct cluster *cluster, const struct inside *from, const char *to)
{
    char why[DOYEN_NODE_WHY] = "";

    cr_assert_eq(doyen_node_send(from->node, to, "x", 1, why), 0, "%s", why);
    return unwanted(cluster, to) > 0;
}

/* Three members: two programs, and a daemon that takes no messages. */
static void exchange_messages(struct cluster *cluster)
{
    static char longest[DOYEN_MESSAGE_MAX + 1];
    struct inside athens;
    struct inside byzantium;
    uv_loop_t loop;

    uv_loop_init(&loop);
    start_inside(cluster, &loop, &athens, "athens", "athens");
    run_until(&loop, athens.members == 1);
    start_inside(cluster, &loop, &byzantium, "byzantium", "athens");
    cluster_start(cluster, "cyrene", "athens",
                  ARGS("--record", text_kept("%s", cluster_path(cluster, "recording"))));
    run_until(&loop, athens.members == 3 && byzantium.members == 3);

    run_until(&loop, sent_is_told(&athens, "byzantium", &byzantium, "by name"));
    cr_assert_str_eq(byzantium.message_from, "athens");
    const struct doyen_view *view = doyen_node_view(byzantium.node);
    cr_assert_str_eq(byzantium.message_from_id, doyen_view_member(view, "athens")->id);
    run_until(&loop,
              sent_is_told(&byzantium, doyen_view_member(view, "athens")->id, &athens, "by id"));
    doyen_view_release(view);
    cr_assert_str_eq(athens.message_from, "byzantium");
    memset(longest, 'x', DOYEN_MESSAGE_MAX);
    run_until(&loop, sent_is_told(&athens, "byzantium", &byzantium, longest));
    cr_assert_eq(byzantium.message_length, DOYEN_MESSAGE_MAX);
    run_until(&loop, sent_is_told(&athens, "byzantium", &byzantium, ""));
    cr_assert_eq(byzantium.message_length, 0);

    run_until(&loop, is_unwanted(cluster, &athens, "cyrene"));

    byzantium.close_when_written = true;
    run_until(&loop, sent_is_told(&athens, "byzantium", &byzantium, "close"));
    run_until(&loop, byzantium.stopped && athens.members == 2);
    char why[DOYEN_NODE_WHY];
    cr_assert_eq(doyen_node_send(athens.node, "byzantium", "x", 1, why), DOYEN_E_REFUSED);
    assert_text_has(why, "there is no member byzantium");
    cr_assert_eq(cluster_terminate(cluster, "cyrene"), 0);
    const struct outcome replayed = doyen_replay(cluster, ARGS(cluster_path(cluster, "recording")));
    cr_assert_eq(replayed.code, 0, "%s", replayed.err);
    doyen_node_close(athens.node);
    end_loop(&loop);
}

Story(node, members_send_each_other_messages)
{
    exchange_messages(cluster_new(ARGS("--profile", "local")));
}

Story(node, members_send_each_other_sealed_messages)
{
    struct cluster *cluster = cluster_new(ARGS("--profile", "local"));

    cluster_make_key(cluster, "key");
    exchange_messages(cluster);
}

/* More than may leave in a second, with no turn of the loop in between, which may be slow. */
static int send_too_many(struct doyen_node *node, const char *to, char why[DOYEN_NODE_WHY])
{
    enum { TOO_MANY = 4000 };
    int code = 0;

    for (int i = 0; i < TOO_MANY && code == 0; i++) {
        code = doyen_node_send(node, to, "x", 1, why);
    }
    return code;
}

Story(node, what_cannot_be_sent_is_refused_in_one_line)
{
    static const char long_one[DOYEN_MESSAGE_MAX + 1] = "";
    struct cluster *cluster = cluster_new(ARGS("--profile", "local"));
    struct inside athens;
    struct inside byzantium;
    char why[DOYEN_NODE_WHY];
    uv_loop_t loop;
    int code = 0;

    uv_loop_init(&loop);
    start_inside(cluster, &loop, &athens, "athens", "athens");
    cr_assert_eq(doyen_node_send(athens.node, "byzantium", "x", 1, why), DOYEN_E_REFUSED);
    assert_text_has(why, "this node is no member");
    run_until(&loop, athens.members == 1);
    cr_assert_eq(doyen_node_send(athens.node, "byzantium", "x", 1, why), DOYEN_E_REFUSED);
    assert_text_has(why, "there is no member byzantium");
    cr_assert_eq(doyen_node_send(athens.node, "athens", "x", 1, why), DOYEN_E_USAGE);
    assert_text_has(why, "this node itself");
    cr_assert_eq(doyen_node_send(athens.node, "athens", long_one, sizeof long_one, why),
                 DOYEN_E_USAGE);
    assert_text_has(why, "1024");
    start_inside(cluster, &loop, &byzantium, "byzantium", "athens");
    run_until(&loop, athens.members == 2 && byzantium.members == 2);
    run_until(&loop, (code = send_too_many(athens.node, "byzantium", why)) != 0);
    cr_assert_eq(code, DOYEN_E_BUSY);
    assert_text_has(why, "later");
    run_until(&loop, byzantium.message_count > 0 && athens.members == 2);
    doyen_node_close(athens.node);
    doyen_node_close(byzantium.node);
    run_until(&loop, athens.stopped && byzantium.stopped);
    end_loop(&loop);
}
