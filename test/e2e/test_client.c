/* libdoyen as a program uses it: views, waiting, watching over restarts, and the right to act. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "doyen/client.h"
#include "fixture.h"

enum { EVENTS_MAX = 512, ENOUGH = 7 };

static struct doyen *open_client(struct cluster *cluster, const char *name)
{
    const struct doyen_options options = {.size = sizeof options,
                                          .control = cluster_daemon(cluster, name)->control};
    struct doyen *d = NULL;

    cr_assert_eq(doyen_open(&d, &options), 0);
    return d;
}

static const struct doyen_view *view_of(struct doyen *d)
{
    const struct doyen_view *view = NULL;

    cr_assert_eq(doyen_get(d, LIMIT_MS, &view), 0, "%s", doyen_error(d));
    return view;
}

/* Waits until the two that are left are one cluster, whichever of them coordinates. */
static void await_two(struct cluster *cluster, const char *name)
{
    const struct doyen_condition two = {.size = sizeof two, .members = 2};
    struct doyen *d = open_client(cluster, name);

    cr_assert_eq(doyen_wait(d, &two, LIMIT_MS, NULL), 0, "%s", doyen_error(d));
    doyen_close(d);
}

/* --- Views --- */

Story(client, a_view_says_who_is_in_oldest_first)
{
    struct cluster *cluster = cluster_new(ARGS("--tag", "zone=eu"));

    cluster_form(cluster, "athens byzantium cyrene");
    struct doyen *d = open_client(cluster, "byzantium");
    const struct doyen_view *view = view_of(d);

    cr_assert_eq(view->member_count, 3);
    cr_assert_str_eq(view->members[0]->name, "athens");
    cr_assert_str_eq(view->members[2]->name, "cyrene");
    cr_assert_eq(view->coordinator, view->members[0]);
    cr_assert_eq(view->self, view->members[1]);
    cr_assert_str_eq(view->self->address, cluster_daemon(cluster, "byzantium")->address);
    cr_assert_eq(view->self->tag_count, 1);
    cr_assert_str_eq(view->self->tags[0].key, "zone");
    cr_assert_str_eq(view->self->tags[0].value, "eu");
    cr_assert_str_eq(view->phase, "member");
    cr_assert_not(view->acting);
    doyen_close(d);
    cr_assert_str_eq(view->node, "byzantium", "it stays when the client is closed");
    doyen_view_release(view);
}

static int no_event(void *user, const struct doyen_event *event)
{
    (void)user;
    (void)event;
    return 1;
}

Story(client, what_goes_wrong_is_a_code_and_one_line)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct doyen *d = open_client(cluster, "athens");
    const struct doyen_view *view = NULL;
    char *answer = NULL;

    cr_assert_eq(doyen_get(d, LIMIT_MS, &view), DOYEN_E_UNREACHABLE);
    assert_text_has(doyen_error(d), "athens.sock");
    assert_text_has(doyen_error(d), "doyen_options.control or DOYEN_CONTROL");
    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_agreement(cluster, "athens");
    cr_assert_eq(doyen_request(d, "GET", "/v1/memebrs", NULL, LIMIT_MS, &answer), DOYEN_E_REFUSED);
    assert_text_has(doyen_error(d), "did you mean /v1/members?");
    cr_assert_eq(doyen_request(d, "GET", "/v1/why?node=a b", NULL, LIMIT_MS, &answer),
                 DOYEN_E_USAGE);
    cr_assert_eq(doyen_request(d, "PUT", "/v1/members", NULL, LIMIT_MS, &answer), DOYEN_E_USAGE);
    cr_assert_eq(doyen_watch_start(d, "not a token", 0, no_event, NULL), DOYEN_E_USAGE);
    cr_assert_eq(doyen_watch_start(d, NULL, 4, no_event, NULL), DOYEN_E_USAGE);
    cr_assert_eq(doyen_watch_start(d, NULL, 0, NULL, NULL), DOYEN_E_USAGE);
    assert_text_has(doyen_error(d), "on_event is NULL");
    struct doyen *far = NULL;
    const struct doyen_options no_port = {.size = sizeof no_port, .url = "http://127.0.0.1:99999"};
    cr_assert_eq(doyen_open(&far, &no_port), 0);
    cr_assert_eq(doyen_get(far, LIMIT_MS, &view), DOYEN_E_USAGE);
    doyen_close(far);
    cluster_pause(cluster, "athens");
    cr_assert_eq(doyen_get(d, 50, &view), DOYEN_E_TIMEOUT);
    assert_text_has(doyen_error(d), "stopped or overloaded");
    cr_assert_null(view);
    cluster_resume(cluster, "athens");
    doyen_close(d);
}

Story(client, any_resource_can_be_asked_for_also_over_tcp)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *http = text_kept("%s:%u", cluster->host, cluster_port(cluster));
    const char *url = text_kept("http://%s/", http);
    const struct doyen_options options = {.size = sizeof options, .url = url};
    struct doyen *d = NULL;
    char *answer = NULL;

    cluster_start(cluster, "athens", NULL, ARGS("--http", http));
    assert_agreement(cluster, "athens");
    cr_assert_eq(doyen_open(&d, &options), 0);
    cr_assert_eq(doyen_request(d, "GET", "/v1/version", NULL, LIMIT_MS, &answer), 0, "%s",
                 doyen_error(d));
    assert_text_has(answer, "\"doyend\"");
    doyen_free(d, answer);
    const struct doyen_view *view = view_of(d);
    cr_assert_eq(view->member_count, 1);
    doyen_view_release(view);
    cr_assert_eq(doyen_lease_get(d, LIMIT_MS), DOYEN_E_USAGE);
    cr_assert_not(doyen_acting(d, NULL));
    cr_assert_eq(doyen_leave(d, LIMIT_MS), DOYEN_E_REFUSED, "changing is not for TCP");
    doyen_close(d);
}

/* --- Waiting --- */

Story(client, a_daemon_and_its_members_are_waited_for)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct doyen *d = open_client(cluster, "byzantium");
    const struct doyen_condition two = {
        .size = sizeof two, .members = 2, .at_least = true, .name = "athens"};
    const struct doyen_condition acting = {.size = sizeof acting, .acting = true};
    const struct doyen_view *view = NULL;

    cr_assert_eq(doyen_wait(d, &two, 50, &view), DOYEN_E_UNREACHABLE);
    cr_assert_null(view);
    cluster_start(cluster, "athens", NULL, NO_ARGS);
    assert_agreement(cluster, "athens");
    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    cr_assert_eq(doyen_wait(d, &two, LIMIT_MS, &view), 0, "%s", doyen_error(d));
    cr_assert_eq(view->member_count, 2);
    doyen_view_release(view);
    cr_assert_eq(doyen_wait(d, &acting, 50, NULL), DOYEN_E_TIMEOUT);
    assert_text_has(doyen_error(d), "timed out after 50 ms: byzantium is not acting");
    cluster_kill(cluster, "athens");
    cr_assert_eq(doyen_wait(d, &acting, LIMIT_MS, NULL), 0, "%s", doyen_error(d));
    doyen_close(d);
}

/* --- Watching --- */

struct seen {
    struct doyen *d;
    size_t count;
    struct {
        enum doyen_kind kind;
        const char *name;
        const char *member;
        bool derived;
        bool lost;
        size_t members; /* of the view; 0: it has none */
        const char *resume;
    } events[EVENTS_MAX];
    enum doyen_kind until; /* the watch ends when this was seen */
    const char *until_member;
};

/* A watch that ends with ENOUGH when the event came that is looked for. */
static int see(void *user, const struct doyen_event *event)
{
    struct seen *seen = user;
    const char *member = event->member == NULL ? "" : event->member->name;

    cr_assert_lt(seen->count, EVENTS_MAX);
    seen->events[seen->count].kind = event->kind;
    seen->events[seen->count].name = text_kept("%s", event->name);
    seen->events[seen->count].member = text_kept("%s", member);
    seen->events[seen->count].derived = event->derived;
    seen->events[seen->count].lost = event->lost;
    seen->events[seen->count].members = event->view == NULL ? 0 : event->view->member_count;
    seen->events[seen->count].resume = event->resume == NULL ? NULL
                                                             : text_kept("%s", event->resume);
    seen->count++;
    const bool is_it = event->kind == seen->until &&
                       (seen->until_member == NULL || strcmp(seen->until_member, member) == 0);
    return is_it ? ENOUGH : 0;
}

/* Which event of that kind, about that member (NULL: any), came first; EVENTS_MAX: none. */
static size_t index_of(const struct seen *seen, enum doyen_kind kind, const char *member)
{
    for (size_t i = 0; i < seen->count; i++) {
        if (seen->events[i].kind == kind &&
            (member == NULL || strcmp(seen->events[i].member, member) == 0)) {
            return i;
        }
    }
    return EVENTS_MAX;
}

static int step_once(struct doyen *d)
{
    struct pollfd fd = {.fd = doyen_fd(d), .events = POLLIN};
    const int timeout_ms = doyen_timeout_ms(d);

    poll(&fd, 1, timeout_ms < 0 || timeout_ms > LIMIT_MS ? LIMIT_MS : timeout_ms);
    return doyen_step(d);
}

/* Steps until the event came that is looked for. */
static void step_until(struct doyen *d, struct seen *seen, enum doyen_kind kind, const char *member)
{
    const uint64_t until_ms = clock_now_ms() + LIMIT_MS;
    int result = 0;

    seen->until = kind;
    seen->until_member = member;
    const size_t before = seen->count;
    while (result == 0 && clock_now_ms() < until_ms) {
        result = step_once(d);
    }
    cr_assert_eq(result, ENOUGH, "%zu events since, no kind %d: %s", seen->count - before,
                 (int)kind, doyen_error(d));
}

Story(client, a_watch_tells_each_change_with_the_view_after_it)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct seen seen = {.until = DOYEN_SNAPSHOT};

    cluster_form(cluster, "athens byzantium cyrene");
    struct doyen *d = open_client(cluster, "cyrene");
    cr_assert_eq(doyen_watch(d, NULL, 0, see, &seen), ENOUGH, "%s", doyen_error(d));
    cr_assert_eq(seen.count, 1);
    cr_assert_eq(seen.events[0].members, 3);

    cluster_kill(cluster, "athens");
    seen.until = DOYEN_COORDINATOR;
    cr_assert_eq(doyen_watch(d, seen.events[0].resume, 0, see, &seen), ENOUGH, "%s",
                 doyen_error(d));
    const size_t gone = index_of(&seen, DOYEN_GONE, "athens");
    const size_t view = index_of(&seen, DOYEN_VIEW, NULL);
    cr_assert(gone < view && view < seen.count, "gone %zu, view %zu", gone, view);
    cr_assert_eq(seen.events[gone].members, 2);
    cr_assert_not(seen.events[gone].derived);
    cr_assert_str_eq(seen.events[seen.count - 1].member, "byzantium");
    cr_assert_eq(index_of(&seen, DOYEN_GAP, NULL), EVENTS_MAX);
    doyen_close(d);
}

Story(client, a_token_goes_on_after_its_event)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct seen seen = {.count = 0};

    cluster_form(cluster, "athens byzantium cyrene");
    struct doyen *d = open_client(cluster, "athens");
    cr_assert_eq(doyen_watch_start(d, NULL, 0, see, &seen), 0);
    cr_assert_eq(doyen_watch_start(d, NULL, 0, see, &seen), DOYEN_E_BUSY);
    step_until(d, &seen, DOYEN_SNAPSHOT, NULL);

    cr_assert_eq(doyen_watch_start(d, seen.events[0].resume, 0, see, &seen), 0);
    cluster_start(cluster, "delphi", "athens", NO_ARGS);
    step_until(d, &seen, DOYEN_JOINED, "delphi");
    const char *resume = seen.events[seen.count - 1].resume;

    seen.count = 0;
    cr_assert_eq(doyen_watch_start(d, resume, 0, see, &seen), 0);
    cluster_kill(cluster, "cyrene");
    step_until(d, &seen, DOYEN_GONE, "cyrene");
    cr_assert_eq(index_of(&seen, DOYEN_SNAPSHOT, NULL), EVENTS_MAX);
    cr_assert_eq(index_of(&seen, DOYEN_JOINED, NULL), EVENTS_MAX, "that was told");
    doyen_close(d);
}

/* Keeps watching through the restart of its daemon. */
static int see_all(void *user, const struct doyen_event *event)
{
    const int result = see(user, event);
    const struct seen *seen = user;

    return result != 0 && seen->until == DOYEN_SNAPSHOT &&
                   index_of(seen, DOYEN_GAP, NULL) == EVENTS_MAX
               ? 0
               : result;
}

Story(client, after_a_restart_the_difference_is_told_before_the_snapshot)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct seen seen = {.until = DOYEN_AWAY};

    cluster_form(cluster, "athens byzantium cyrene");
    struct doyen *d = open_client(cluster, "athens");
    cr_assert_eq(doyen_watch_start(d, NULL, 0, see_all, &seen), 0);
    while (seen.count == 0) {
        cr_assert_eq(doyen_step(d), 0, "%s", doyen_error(d));
    }
    cluster_kill(cluster, "athens");
    assert_agreement(cluster, "byzantium cyrene");
    cluster_kill(cluster, "cyrene");
    assert_agreement(cluster, "byzantium");
    seen.until = DOYEN_OTHER; /* Go on after AWAY. */
    while (index_of(&seen, DOYEN_AWAY, NULL) == EVENTS_MAX) {
        cr_assert_eq(doyen_step(d), 0, "%s", doyen_error(d));
    }
    cluster_restart(cluster, "athens");
    await_two(cluster, "athens");
    step_until(d, &seen, DOYEN_SNAPSHOT, NULL);

    const size_t away = index_of(&seen, DOYEN_AWAY, NULL);
    const size_t back = index_of(&seen, DOYEN_BACK, NULL);
    const size_t gap = index_of(&seen, DOYEN_GAP, NULL);
    const size_t cyrene = index_of(&seen, DOYEN_GONE, "cyrene");
    const size_t athens = index_of(&seen, DOYEN_GONE, "athens");
    const size_t again = index_of(&seen, DOYEN_JOINED, "athens");
    cr_assert(away < back && back < gap, "away %zu, back %zu, gap %zu", away, back, gap);
    cr_assert(gap < cyrene && gap < athens && athens < again && again < seen.count - 1);
    cr_assert(seen.events[cyrene].derived && seen.events[again].derived);
    cr_assert_not(seen.events[gap].lost);
    cr_assert_str_eq(seen.events[gap].resume, seen.events[0].resume,
                     "who dies within a gap meets it again");
    doyen_close(d);
}

static int call_everything(void *user, const struct doyen_event *event)
{
    struct seen *seen = user;
    const struct doyen_view *view = view_of(seen->d);

    cr_assert_eq(view->member_count, event->view->member_count);
    doyen_view_release(view);
    cr_assert_eq(doyen_watch_start(seen->d, NULL, 0, call_everything, user), DOYEN_E_BUSY);
    cr_assert_eq(doyen_step(seen->d), DOYEN_E_BUSY);
    seen->count++;
    doyen_close(seen->d);
    return ENOUGH;
}

Story(client, a_callback_may_ask_and_even_close_and_is_never_called_within_itself)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct seen seen = {.count = 0};

    cluster_form(cluster, "athens byzantium");
    seen.d = open_client(cluster, "athens");
    cr_assert_eq(doyen_watch(seen.d, NULL, 0, call_everything, &seen), ENOUGH);
    cr_assert_eq(seen.count, 1);
}

static int stop_at_once(void *user, const struct doyen_event *event)
{
    struct seen *seen = user;

    (void)event;
    seen->count++;
    doyen_watch_stop(seen->d);
    return 0;
}

Story(client, a_watch_that_was_stopped_calls_nobody)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct seen seen = {.count = 0};

    cluster_form(cluster, "athens byzantium");
    seen.d = open_client(cluster, "athens");
    cr_assert_eq(doyen_watch(seen.d, NULL, 0, stop_at_once, &seen), 0);
    cluster_kill(cluster, "byzantium");
    assert_agreement(cluster, "athens");
    cr_assert_eq(doyen_step(seen.d), 0);
    cr_assert_eq(doyen_timeout_ms(seen.d), -1);
    cr_assert_eq(seen.count, 1);
    doyen_close(seen.d);
}

/* A daemon that is stopped holds its connections open: that it says nothing has to be enough. */
Story(client, a_watch_of_one_stream_ends_when_its_daemon_is_stopped)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct seen seen = {.until = DOYEN_AWAY};
    int result = 0;

    cluster_form(cluster, "athens");
    struct doyen *d = open_client(cluster, "athens");
    cr_assert_eq(doyen_watch_start(d, NULL, DOYEN_WATCH_ONCE | DOYEN_WATCH_PLAIN, see, &seen), 0);
    uint64_t until_ms = clock_now_ms() + LIMIT_MS;
    while (result == 0 && seen.count == 0 && clock_now_ms() < until_ms) {
        result = step_once(d);
    }
    cr_assert_eq(index_of(&seen, DOYEN_SNAPSHOT, NULL), 0, "the watch has begun");
    cluster_pause(cluster, "athens");
    until_ms = clock_now_ms() + 3 * (uint64_t)LIMIT_MS;
    while (result == 0 && clock_now_ms() < until_ms) {
        result = step_once(d);
    }
    cluster_resume(cluster, "athens");
    cr_assert_eq(result, DOYEN_E_TIMEOUT);
    doyen_close(d);
}

Story(client, a_watch_of_one_stream_ends_with_its_daemon)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct seen seen = {.until = DOYEN_OTHER};

    cluster_form(cluster, "athens");
    struct doyen *d = open_client(cluster, "athens");
    cr_assert_eq(doyen_watch_start(d, NULL, DOYEN_WATCH_ONCE | DOYEN_WATCH_PLAIN, see, &seen), 0);
    step_until(d, &seen, DOYEN_SNAPSHOT, NULL);
    cr_assert_eq(seen.events[seen.count - 1].members, 0, "it is as the daemon tells it");

    seen.until = DOYEN_AWAY;
    cr_assert_eq(doyen_watch_start(d, NULL, DOYEN_WATCH_ONCE, see, &seen), 0);
    cluster_kill(cluster, "athens");
    int result = 0;
    const uint64_t until_ms = clock_now_ms() + LIMIT_MS;
    while (result == 0 && clock_now_ms() < until_ms) {
        result = doyen_step(d);
    }
    cr_assert_eq(result, DOYEN_E_UNREACHABLE);
    cr_assert_eq(index_of(&seen, DOYEN_AWAY, NULL), EVENTS_MAX);
    doyen_close(d);
}

Story(client, a_watch_over_tcp_tells_the_same)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *http = text_kept("%s:%u", cluster->host, cluster_port(cluster));
    const struct doyen_options options = {.size = sizeof options,
                                          .url = text_kept("http://%s", http)};
    struct seen seen = {.count = 0};
    struct doyen *d = NULL;

    cluster_start(cluster, "athens", NULL, ARGS("--http", http));
    assert_agreement(cluster, "athens");
    cr_assert_eq(doyen_open(&d, &options), 0);
    cr_assert_eq(doyen_watch_start(d, NULL, 0, see, &seen), 0);
    step_until(d, &seen, DOYEN_SNAPSHOT, NULL);
    cr_assert_eq(doyen_watch_start(d, seen.events[0].resume, 0, see, &seen), 0);
    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    step_until(d, &seen, DOYEN_JOINED, "byzantium");
    cr_assert_eq(seen.events[seen.count - 1].members, 2);
    doyen_close(d);
}

/* Nothing else of the process is at fault than the process itself. */
Story(client, a_process_without_descriptors_is_told_so)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    int taken[256];
    size_t count = 0;
    const struct doyen_view *view = NULL;
    struct rlimit usual;

    cluster_form(cluster, "athens");
    struct doyen *d = open_client(cluster, "athens");
    getrlimit(RLIMIT_NOFILE, &usual);
    const struct rlimit few = {.rlim_cur = 128, .rlim_max = usual.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    while (count < 256 && (taken[count] = dup(STDERR_FILENO)) >= 0) {
        count++;
    }
    const int error = doyen_get(d, LIMIT_MS, &view);
    while (count > 0) {
        close(taken[--count]);
    }
    setrlimit(RLIMIT_NOFILE, &usual);
    cr_assert_eq(error, DOYEN_E_UNREACHABLE);
    assert_text_has(doyen_error(d), "ulimit -n");
    doyen_view_release(view_of(d));
    doyen_close(d);
}

/* --- The right to act --- */

Story(client, the_right_to_act_ends_by_itself_when_the_daemon_is_dead)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct doyen_right right;

    cluster_form(cluster, "athens byzantium");
    struct doyen *d = open_client(cluster, "athens");
    assert_soon(doyen_acting(d, &right)); /* The first call only asks for the page. */
    cr_assert_eq(right.epoch, cluster_epoch(cluster, "athens"));
    cr_assert_gt(right.left_ns, 0);
    cr_assert(right.advisory);

    struct doyen *other = open_client(cluster, "byzantium");
    cr_assert_eq(doyen_lease_get(other, LIMIT_MS), 0, "%s", doyen_error(other));
    cr_assert_not(doyen_acting(other, &right));
    cr_assert_eq(right.epoch, 0);

    cluster_kill(cluster, "athens");
    assert_soon(!doyen_acting(d, NULL));
    assert_soon(doyen_acting(other, NULL));
    cluster_restart(cluster, "athens");
    await_two(cluster, "athens");
    cluster_kill(cluster, "byzantium");
    assert_soon(doyen_acting(d, &right)); /* By the page of the new daemon. */
    doyen_close(other);
    doyen_close(d);
}

/* Steps until such an event came, and has the watch go on. */
static void step_past(struct doyen *d, const struct seen *seen, enum doyen_kind kind)
{
    while (index_of(seen, kind, NULL) == EVENTS_MAX) {
        struct pollfd fd = {.fd = doyen_fd(d), .events = POLLIN};
        const int timeout_ms = doyen_timeout_ms(d);
        const int wait_ms = timeout_ms < 0 || timeout_ms > LIMIT_MS ? LIMIT_MS : timeout_ms;
        cr_assert(poll(&fd, 1, wait_ms) > 0 || wait_ms < LIMIT_MS, "no kind %d", (int)kind);
        cr_assert_eq(doyen_step(d), 0, "%s", doyen_error(d));
    }
}

/* A gap hides the tags of who was a member before and is one now. */
Story(client, tags_are_set_and_what_a_gap_hid_is_told)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const struct doyen_tag role = {"role", "db"};
    const struct doyen_tag without = {"role", NULL};
    const struct doyen_tag no_tag = {"", "c"};
    struct seen seen = {.until = DOYEN_OTHER};

    cluster_form(cluster, "athens byzantium");
    struct doyen *athens = open_client(cluster, "athens");
    struct doyen *byzantium = open_client(cluster, "byzantium");
    cr_assert_eq(doyen_watch_start(athens, NULL, 0, see, &seen), 0);
    step_past(athens, &seen, DOYEN_SNAPSHOT);
    cr_assert_eq(doyen_set_tags(byzantium, &role, 1, LIMIT_MS), 0, "%s", doyen_error(byzantium));
    step_past(athens, &seen, DOYEN_TAGS);
    cr_assert_not(seen.events[index_of(&seen, DOYEN_TAGS, "byzantium")].derived);

    cluster_kill(cluster, "athens");
    step_past(athens, &seen, DOYEN_AWAY);
    assert_agreement(cluster, "byzantium");
    cr_assert_eq(doyen_set_tags(byzantium, &without, 1, LIMIT_MS), 0, "%s", doyen_error(byzantium));
    cluster_restart(cluster, "athens");
    await_two(cluster, "athens");
    step_until(athens, &seen, DOYEN_TAGS, "byzantium");
    cr_assert(seen.events[seen.count - 1].derived);
    cr_assert_eq(doyen_set_tags(byzantium, &no_tag, 1, LIMIT_MS), DOYEN_E_USAGE);
    assert_text_has(doyen_error(byzantium), "is no key");
    doyen_close(byzantium);
    doyen_close(athens);
}

static bool says_that_it_lost_its_record(struct doyen *d, const char *name)
{
    const struct doyen_voters *voters = NULL;

    if (doyen_get_voters(d, LIMIT_MS, &voters) != 0) {
        return false;
    }
    const struct doyen_voter *voter = doyen_voters_find(voters, name);
    const bool lost = voter != NULL && voter->state != NULL &&
                      strcmp(voter->state, "no record") == 0;
    doyen_voters_release(voters);
    return lost;
}

Story(client, a_voter_that_lost_its_disk_gets_another_record)
{
    struct cluster *cluster = cluster_new(
        ARGS("--guard", "strict", "--voters", "athens,byzantium,cyrene"));
    static const char *const names[] = {"athens", "byzantium", "cyrene"};
    const struct doyen_condition three = {.size = sizeof three, .members = 3, .guard_met = true};
    const struct doyen_voters *before = NULL;
    const struct doyen_voters *after = NULL;

    for (size_t i = 0; i < 3; i++) {
        cluster_start(cluster, names[i], "athens byzantium cyrene",
                      ARGS("--state-dir", cluster_path(cluster, names[i])));
    }
    struct doyen *d = open_client(cluster, "athens");
    cr_assert_eq(doyen_wait(d, &three, LIMIT_MS, NULL), 0, "%s", doyen_error(d));
    cr_assert_eq(doyen_get_voters(d, LIMIT_MS, &before), 0, "%s", doyen_error(d));
    cr_assert(before->count == 3 && before->needed == 2 && !before->changing);
    cluster_kill(cluster, "byzantium");
    cr_assert_eq(remove(cluster_path(cluster, "byzantium/voter")), 0);
    cluster_restart(cluster, "byzantium");
    assert_soon(says_that_it_lost_its_record(d, "byzantium"));
    cr_assert_eq(doyen_replace_voter(d, "byzantium", NULL, LIMIT_MS), 0, "%s", doyen_error(d));
    cr_assert_eq(doyen_get_voters(d, LIMIT_MS, &after), 0, "%s", doyen_error(d));
    cr_assert_str_neq(doyen_voters_find(after, "byzantium")->record_id,
                      doyen_voters_find(before, "byzantium")->record_id);
    cr_assert_eq(doyen_replace_voter(d, "nobody", NULL, LIMIT_MS), DOYEN_E_REFUSED);
    assert_text_has(doyen_error(d), "nobody is no voter");
    doyen_voters_release(before);
    doyen_voters_release(after);
    doyen_close(d);
}

Story(client, who_leaves_is_gone_when_that_is_said)
{
    struct cluster *cluster = cluster_new(NO_ARGS);

    cluster_form(cluster, "athens byzantium");
    struct doyen *d = open_client(cluster, "athens");
    cr_assert_eq(doyen_leave(d, LIMIT_MS), 0, "%s", doyen_error(d));
    cr_assert_eq(cluster_await_end(cluster, "athens"), 0);
    assert_agreement(cluster, "byzantium");
    doyen_close(d);
}

/* --- Memory --- */

struct account {
    size_t left; /* so many requests are still granted */
    size_t held;
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

/* A view and a watch up to its snapshot, with so many pieces of memory. Returns whether they
 * sufficed. */
static bool manages_with(struct cluster *cluster, size_t pieces)
{
    struct account account = {.left = pieces};
    const struct doyen_options options = {.size = sizeof options,
                                          .control = cluster_daemon(cluster, "athens")->control,
                                          .allocate = lend,
                                          .release = take_back,
                                          .user = &account};
    const struct doyen_view *view = NULL;
    struct seen seen = {.until = DOYEN_SNAPSHOT};
    struct doyen *d = NULL;
    int result = doyen_open(&d, &options);

    if (result == 0) {
        result = doyen_get(d, LIMIT_MS, &view);
    }
    if (result == 0) {
        result = doyen_watch(d, NULL, 0, see, &seen);
    }
    cr_assert(result == ENOUGH || result == DOYEN_E_MEMORY, "%d: %s", result, doyen_error(d));
    doyen_view_release(view);
    doyen_close(d);
    cr_assert_eq(account.held, 0, "%zu of %zu pieces were kept", account.held, pieces);
    return result == ENOUGH;
}

Story(client, memory_that_runs_out_is_an_error_and_nothing_is_lost)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    size_t pieces = 0;

    cluster_form(cluster, "athens");
    while (!manages_with(cluster, pieces)) {
        pieces++;
        cr_assert_lt(pieces, 1000);
    }
    cr_assert_gt(pieces, 10);
}

Story(client, options_of_another_version_are_refused_or_understood)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    struct doyen_options options = {.size = 3};
    struct doyen *d = NULL;

    cluster_form(cluster, "athens");
    cr_assert_eq(doyen_open(&d, &options), DOYEN_E_USAGE);
    assert_text_has(doyen_error(d), "doyen_options.size");
    doyen_close(d);
    options = (struct doyen_options){.size = sizeof options, .allocate = lend};
    cr_assert_eq(doyen_open(&d, &options), DOYEN_E_USAGE);
    doyen_close(d);
    options = (struct doyen_options){.size = offsetof(struct doyen_options, expect_user),
                                     .control = cluster_daemon(cluster, "athens")->control};
    cr_assert_eq(doyen_open(&d, &options), 0);
    doyen_view_release(view_of(d));
    doyen_close(d);
    doyen_close(NULL);
}
