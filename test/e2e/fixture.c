#include "fixture.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ASK_MS = 5000,      /* until a daemon counts as silent */
    COMMAND_MS = 30000, /* until a command counts as hanging */
    LINES_SHOWN = 6     /* of a log, where a test fails */
};

/* Something to be freed when the test ends. */
struct kept {
    void *pointer;
    json_t *document;
    struct kept *next;
};

/* The one thing at file scope: Criterion's .fini is called without an argument, also after a
 * failed assertion has cut the test short. */
static struct {
    struct cluster *cluster;
    struct kept *kept;
    unsigned runs; /* numbers the output files of commands */
} test;

/* --- What is kept until the end of the test -------------------------------------------------- */

static void *keep(void *pointer, json_t *document)
{
    struct kept *kept = malloc(sizeof *kept);

    cr_assert(kept != NULL, "out of memory");
    *kept = (struct kept){.pointer = pointer, .document = document, .next = test.kept};
    test.kept = kept;
    return pointer;
}

const char *text_kept(const char *format, ...)
{
    va_list arguments;
    char *text = NULL;

    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    cr_assert(length >= 0, "out of memory");
    return keep(text, NULL);
}

json_t *document_kept(const char *text)
{
    json_t *document = json_loads(text, 0, NULL);

    (void)keep(NULL, document);
    return document;
}

static void free_kept(void)
{
    while (test.kept != NULL) {
        struct kept *kept = test.kept;
        test.kept = kept->next;
        free(kept->pointer);
        json_decref(kept->document);
        free(kept);
    }
}

/* --- Begin and end --------------------------------------------------------------------------- */

void story_begin(void)
{
    (void)signal(SIGPIPE, SIG_IGN);
}

struct cluster *cluster_new(const char *const *arguments)
{
    struct cluster *cluster = calloc(1, sizeof *cluster);

    cr_assert(cluster != NULL && test.cluster == NULL, "one cluster at a time");
    test.cluster = keep(cluster, NULL);
    cluster->arguments = arguments;
    loopback_host(cluster->host);
    snprintf(cluster->dir, sizeof cluster->dir, "/tmp/doyen-e2e-XXXXXX");
    cr_assert(mkdtemp(cluster->dir) != NULL, "cannot make %s: %s", cluster->dir, strerror(errno));
    return cluster;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

/* The line of the log that no daemon may ever write, or NULL. */
static const char *bad_line(const char *log)
{
    static const char *const signs[] = {
        "ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "runtime error:", "Assertion",
        "stack smashing",          "API violation",        "Fatal error"};

    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        const char *at = strstr(log, signs[i]);
        if (at != NULL) {
            return text_kept("%.*s", (int)strcspn(at, "\n"), at);
        }
    }
    return NULL;
}

static void check_daemon(struct daemon *daemon)
{
    const bool started = daemon->process.pid != 0;

    cr_assert(process_is_running(&daemon->process) || !started, "%s ended unasked with %d",
              daemon->name, process_exit_code(&daemon->process));
    char *log = file_read(daemon->log, NULL);
    if (log != NULL) {
        keep(log, NULL);
        cr_assert(bad_line(log) == NULL, "%s: %s", daemon->name, bad_line(log));
    }
}

/* Where the last lines of the text begin. */
static const char *last_lines(const char *text, size_t count)
{
    const char *at = text + strlen(text);

    for (; at > text; at--) {
        if (at[-1] == '\n' && at[0] != '\0' && count-- == 1) {
            break;
        }
    }
    return at;
}

const char *daemons_text(void)
{
    const char *all = "";

    for (size_t i = 0; test.cluster != NULL && i < test.cluster->daemon_count; i++) {
        struct daemon *daemon = &test.cluster->daemons[i];
        char *log = file_read(daemon->log, NULL);
        const char *how = process_is_running(&daemon->process) ? "runs" : "does not run";
        all = text_kept("%s\n%s %s:\n%s", all, daemon->name, how,
                        log == NULL ? "" : last_lines(log, LINES_SHOWN));
        free(log);
    }
    return all;
}

void story_check(void)
{
    for (size_t i = 0; test.cluster != NULL && i < test.cluster->daemon_count; i++) {
        check_daemon(&test.cluster->daemons[i]);
    }
}

void story_end(void)
{
    struct cluster *cluster = test.cluster;

    for (size_t i = 0; cluster != NULL && i < cluster->daemon_count; i++) {
        process_kill(&cluster->daemons[i].process);
    }
    if (cluster != NULL) {
        netns_close(&cluster->netns);
    }
    if (cluster != NULL && getenv("DOYEN_E2E_KEEP") == NULL) {
        (void)nftw(cluster->dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    }
    free_kept();
    test.cluster = NULL;
}

/* --- Names, ports, paths --------------------------------------------------------------------- */

/* Takes the next word off `*names`; false when there is none. */
static bool next_word(const char **names, char word[64])
{
    *names += strspn(*names, " ");
    const size_t length = strcspn(*names, " ");

    snprintf(word, 64, "%.*s", (int)length, *names);
    *names += length;
    return length > 0;
}

uint16_t cluster_port(const struct cluster *cluster)
{
    const uint16_t port = loopback_port(cluster->host);

    cr_assert(port != 0, "no free port at %s", cluster->host);
    return port;
}

const char *cluster_path(const struct cluster *cluster, const char *name)
{
    return text_kept("%s/%s", cluster->dir, name);
}

static struct daemon *find_daemon(struct cluster *cluster, const char *name)
{
    for (size_t i = 0; i < cluster->daemon_count; i++) {
        if (strcmp(cluster->daemons[i].name, name) == 0) {
            return &cluster->daemons[i];
        }
    }
    return NULL;
}

struct daemon *cluster_daemon(struct cluster *cluster, const char *name)
{
    struct daemon *daemon = find_daemon(cluster, name);

    if (daemon != NULL) {
        return daemon;
    }
    cr_assert(cluster->daemon_count < DAEMONS_MAX, "too many daemons");
    if (cluster->netns.count > 0) {
        cr_assert(cluster->daemon_count < cluster->netns.count, "%s has no namespace", name);
        netns_address(cluster->daemon_count, cluster->host);
    }
    daemon = &cluster->daemons[cluster->daemon_count++];
    snprintf(daemon->name, sizeof daemon->name, "%s", name);
    daemon->port = cluster->netns.count > 0 ? NETNS_PORT : cluster_port(cluster);
    daemon->address = text_kept("%s:%u", cluster->host, daemon->port);
    daemon->control = text_kept("%s/%s.sock", cluster->dir, name);
    daemon->log = text_kept("%s/%s.log", cluster->dir, name);
    return daemon;
}

/* --- Running daemons ------------------------------------------------------------------------- */

static void add_argument(const char *list[ARGUMENTS_MAX], size_t *count, const char *argument)
{
    cr_assert(*count < ARGUMENTS_MAX - 1, "too many arguments");
    list[(*count)++] = argument;
}

/* Takes the option out where it was said before: a test has its own way with what all have, and
 * doyend refuses two. */
static void drop_former(const char *list[ARGUMENTS_MAX], size_t *count, const char *option)
{
    static const char *const lists[] = {"--seed", "--tag", "--http-host"};

    if (strncmp(option, "--", 2) != 0) {
        return;
    }
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (strcmp(option, lists[i]) == 0) {
            return;
        }
    }
    for (size_t i = 1; i < *count; i++) {
        if (strcmp(list[i], option) != 0) {
            continue;
        }
        const bool alone = i + 1 == *count || strncmp(list[i + 1], "--", 2) == 0;
        const size_t words = alone ? 1 : 2;
        memmove(&list[i], &list[i + words], (*count - i - words) * sizeof list[0]);
        *count -= words;
        return;
    }
}

void add_arguments(const char *list[ARGUMENTS_MAX], size_t *count, const char *const *arguments)
{
    for (; arguments != NULL && *arguments != NULL; arguments++) {
        drop_former(list, count, *arguments);
        add_argument(list, count, text_kept("%s", *arguments));
    }
}

static void daemon_run(struct cluster *cluster, struct daemon *daemon)
{
    const size_t index = (size_t)(daemon - cluster->daemons);
    const struct place place = cluster->netns.count > 0 ? netns_place(&cluster->netns, index)
                                                        : (struct place){.user = -1, .net = -1};

    cr_assert(!process_is_running(&daemon->process), "%s runs already", daemon->name);
    cr_assert(
        process_start_at(&daemon->process, &place, daemon->arguments, daemon->log, daemon->log),
        "cannot start %s: %s", daemon->name, strerror(errno));
    daemon->stopped = false;
}

struct daemon *cluster_start(struct cluster *cluster, const char *name, const char *seeds,
                             const char *const *arguments)
{
    struct daemon *daemon = cluster_daemon(cluster, name);
    char seed[64];
    size_t count = 0;

    add_argument(daemon->arguments, &count,
                 daemon->program != NULL ? daemon->program : DOYEND_PATH);
    add_arguments(daemon->arguments, &count,
                  ARGS("--name", daemon->name, "--listen", daemon->address));
    add_arguments(daemon->arguments, &count, ARGS("--control", daemon->control));
    while (seeds != NULL && next_word(&seeds, seed)) {
        add_arguments(daemon->arguments, &count,
                      ARGS("--seed", cluster_daemon(cluster, seed)->address));
    }
    if (cluster->key != NULL) {
        add_arguments(daemon->arguments, &count, ARGS("--key", cluster->key));
    }
    add_arguments(daemon->arguments, &count, cluster->arguments);
    add_arguments(daemon->arguments, &count, arguments);
    daemon->arguments[count] = NULL;
    daemon_run(cluster, daemon);
    return daemon;
}

struct daemon *cluster_start_witness(struct cluster *cluster, const char *name, const char *keys,
                                     const char *const *arguments)
{
    struct daemon *daemon = cluster_daemon(cluster, name);
    const char *state = cluster_path(cluster, text_kept("%s.state", name));
    size_t count = 0;

    add_argument(daemon->arguments, &count, DOYEN_WITNESS_PATH);
    add_arguments(daemon->arguments, &count, ARGS("--listen", daemon->address, "--key", keys));
    add_arguments(daemon->arguments, &count, ARGS("--state-dir", state));
    add_arguments(daemon->arguments, &count, arguments);
    daemon->arguments[count] = NULL;
    daemon_run(cluster, daemon);
    return daemon;
}

void cluster_replace(struct cluster *cluster, const char *name, const char *program)
{
    struct daemon *daemon = cluster_daemon(cluster, name);

    cr_assert(!process_is_running(&daemon->process));
    daemon->program = text_kept("%s", program);
    daemon->arguments[0] = daemon->program;
}

void cluster_form(struct cluster *cluster, const char *names)
{
    const char *rest = names;
    char first[64] = "";
    char name[64];

    while (next_word(&rest, name)) {
        if (first[0] == '\0') {
            snprintf(first, sizeof first, "%s", name);
        }
        cluster_start(cluster, name, first, NO_ARGS);
        assert_agreement(cluster, text_kept("%.*s", (int)(rest - names), names));
    }
}

void cluster_restart(struct cluster *cluster, const char *name)
{
    daemon_run(cluster, cluster_daemon(cluster, name));
}

void cluster_kill(struct cluster *cluster, const char *name)
{
    struct daemon *daemon = cluster_daemon(cluster, name);

    cr_assert(process_is_running(&daemon->process), "%s does not run", name);
    process_kill(&daemon->process);
}

static void daemon_signal(struct daemon *daemon, int number)
{
    cr_assert(process_is_running(&daemon->process), "%s does not run", daemon->name);
    cr_assert(kill(daemon->process.pid, number) == 0);
}

void cluster_signal(struct cluster *cluster, const char *name, int number)
{
    daemon_signal(cluster_daemon(cluster, name), number);
}

void cluster_pause(struct cluster *cluster, const char *name)
{
    daemon_signal(cluster_daemon(cluster, name), SIGSTOP);
    cluster_daemon(cluster, name)->stopped = true;
}

void cluster_resume(struct cluster *cluster, const char *name)
{
    daemon_signal(cluster_daemon(cluster, name), SIGCONT);
    cluster_daemon(cluster, name)->stopped = false;
}

int cluster_await_end(struct cluster *cluster, const char *name)
{
    struct daemon *daemon = cluster_daemon(cluster, name);

    cr_assert(process_wait(&daemon->process, LIMIT_MS), "%s does not end", name);
    return process_exit_code(&daemon->process);
}

int cluster_terminate(struct cluster *cluster, const char *name)
{
    daemon_signal(cluster_daemon(cluster, name), SIGTERM);
    return cluster_await_end(cluster, name);
}

/* --- Documents ------------------------------------------------------------------------------- */

/* The caller's to decref, or NULL. */
static json_t *fetch(const struct daemon *daemon, const char *path)
{
    struct http_answer answer;

    if (daemon->process.pid == 0 || daemon->stopped ||
        !http_get(daemon->control, path, ASK_MS, &answer)) {
        return NULL;
    }
    json_t *document = json_loads(answer.body, 0, NULL);
    http_answer_deinit(&answer);
    return document;
}

json_t *cluster_document(struct cluster *cluster, const char *name, const char *path)
{
    json_t *document = fetch(cluster_daemon(cluster, name), path);

    keep(NULL, document);
    return document;
}

json_t *cluster_members(struct cluster *cluster, const char *name)
{
    return cluster_document(cluster, name, "/v1/members");
}

const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text == NULL ? "" : text;
}

uint64_t number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_string(value) ? strtoull(json_string_value(value), NULL, 10)
                                 : (uint64_t)json_integer_value(value);
}

const json_t *entry_of(const json_t *members, const char *list, const char *name)
{
    const json_t *entries = json_object_get(members, list);

    for (size_t i = 0; i < json_array_size(entries); i++) {
        if (strcmp(text_of(json_array_get(entries, i), "name"), name) == 0) {
            return json_array_get(entries, i);
        }
    }
    return NULL;
}

/* --- Views ----------------------------------------------------------------------------------- */

/* What a daemon's members document comes down to. */
struct summary {
    char view[400];  /* as cluster_view says it */
    char names[320]; /* of the members, oldest first */
    bool settled;    /* a member that names the oldest as coordinator, and everyone alive */
};

static void summarize_member(struct summary *summary, const json_t *member)
{
    const size_t names = strlen(summary->names);
    const size_t view = strlen(summary->view);
    const char *name = text_of(member, "name");

    snprintf(summary->names + names, sizeof summary->names - names, "%s%s", names == 0 ? "" : " ",
             name);
    snprintf(summary->view + view, sizeof summary->view - view, " %s/%llu", name,
             (unsigned long long)number_of(member, "age"));
    summary->settled &= strcmp(text_of(member, "state"), "alive") == 0;
}

static struct summary summarize(const json_t *document)
{
    const json_t *members = json_object_get(document, "members");
    const json_t *view = json_object_get(document, "view");
    struct summary summary = {.settled = strcmp(text_of(document, "phase"), "member") == 0};

    if (json_array_size(members) == 0) {
        snprintf(summary.view, sizeof summary.view, "%s",
                 document == NULL ? "silent" : text_of(document, "phase"));
        summary.settled = false;
        return summary;
    }
    snprintf(summary.view, sizeof summary.view, "%s.%s", text_of(view, "epoch"),
             text_of(view, "version"));
    for (size_t i = 0; i < json_array_size(members); i++) {
        summarize_member(&summary, json_array_get(members, i));
    }
    const json_t *oldest = json_array_get(members, 0);
    summary.settled &= strcmp(text_of(document, "coordinator"), text_of(oldest, "name")) == 0 &&
                       json_is_true(json_object_get(oldest, "coordinator"));
    return summary;
}

static struct summary look(const struct daemon *daemon)
{
    json_t *document = fetch(daemon, "/v1/members");
    const struct summary summary = summarize(document);

    json_decref(document);
    return summary;
}

const char *cluster_view(struct cluster *cluster, const char *name)
{
    const struct summary summary = look(cluster_daemon(cluster, name));

    return text_kept("%s", summary.view);
}

const char *cluster_text(struct cluster *cluster)
{
    const char *text = "";

    for (size_t i = 0; i < cluster->daemon_count; i++) {
        const struct daemon *daemon = &cluster->daemons[i];
        if (daemon->process.pid != 0) {
            text = text_kept("%s%s%s says: %s", text, text[0] == '\0' ? "" : "; ", daemon->name,
                             daemon->stopped ? "nothing, it is stopped" : look(daemon).view);
        }
    }
    return text;
}

/* Do all of them say the same, now? */
static bool agree_now(struct cluster *cluster, const char *names)
{
    struct summary first = {.settled = false};
    const char *rest = names;
    char name[64];

    while (next_word(&rest, name)) {
        const struct summary summary = look(cluster_daemon(cluster, name));
        if (first.view[0] == '\0') {
            first = summary;
        }
        if (!summary.settled || strcmp(summary.names, names) != 0 ||
            strcmp(summary.view, first.view) != 0) {
            return false;
        }
    }
    return true;
}

bool cluster_agrees(struct cluster *cluster, const char *names, uint64_t limit_ms)
{
    const uint64_t deadline_ms = clock_now_ms() + limit_ms;

    while (!agree_now(cluster, names)) {
        if (clock_now_ms() >= deadline_ms) {
            return false;
        }
        clock_nap_ms(LOOK_AGAIN_MS);
    }
    return true;
}

uint64_t cluster_epoch(struct cluster *cluster, const char *name)
{
    return number_of(json_object_get(cluster_members(cluster, name), "view"), "epoch");
}

/* --- Logs ------------------------------------------------------------------------------------ */

static bool line_is_event(const char *line, size_t length, const char *event)
{
    json_t *entry = json_loadb(line, length, 0, NULL);
    const bool is_event = strcmp(text_of(entry, "event"), event) == 0;

    json_decref(entry);
    return is_event;
}

size_t cluster_log_count(struct cluster *cluster, const char *name, const char *event)
{
    char *log = file_read(cluster_daemon(cluster, name)->log, NULL);
    size_t count = 0;

    cr_assert(log != NULL, "%s has no log", name);
    for (const char *line = log; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        count += line_is_event(line, length, event);
        line += length + (line[length] == '\n');
    }
    free(log);
    return count;
}

bool cluster_log_has(struct cluster *cluster, const char *name, const char *part)
{
    char *log = file_read(cluster_daemon(cluster, name)->log, NULL);
    const bool found = log != NULL && strstr(log, part) != NULL;

    free(log);
    return found;
}

/* --- Commands -------------------------------------------------------------------------------- */

static const char *output_of(const char *path)
{
    char *text = file_read(path, NULL);

    cr_assert(text != NULL, "cannot read %s", path);
    return keep(text, NULL);
}

static struct outcome run(struct cluster *cluster, const char *const *argv)
{
    const char *out = text_kept("%s/%u.out", cluster->dir, test.runs);
    const char *err = text_kept("%s/%u.err", cluster->dir, test.runs);
    struct process process;

    test.runs++;
    cr_assert(process_start(&process, argv, out, err), "cannot start %s", argv[0]);
    const bool ended = process_wait(&process, COMMAND_MS);
    process_kill(&process);
    cr_assert(ended, "%s %s hangs", argv[0], argv[1] == NULL ? "" : argv[1]);

    const struct outcome outcome = {
        .code = process_exit_code(&process), .out = output_of(out), .err = output_of(err)};
    cr_assert(bad_line(outcome.err) == NULL, "%s", bad_line(outcome.err));
    return outcome;
}

/* PROGRAM [--control PATH] ARGUMENTS. */
struct command {
    const char *argv[ARGUMENTS_MAX + 4];
};

static struct command command_of(const char *program, const char *control,
                                 const char *const *arguments)
{
    struct command command = {{program}};
    size_t count = 1;

    if (control != NULL) {
        command.argv[count++] = "--control";
        command.argv[count++] = control;
    }
    for (size_t i = 0; arguments != NULL && arguments[i] != NULL; i++) {
        cr_assert(i < ARGUMENTS_MAX, "too many arguments");
        command.argv[count++] = arguments[i];
    }
    return command;
}

struct outcome doyen(struct cluster *cluster, const char *name, const char *const *arguments)
{
    const char *control = name == NULL ? NULL : cluster_daemon(cluster, name)->control;
    const struct command command = command_of(DOYEN_PATH, control, arguments);

    return run(cluster, command.argv);
}

struct outcome doyend(struct cluster *cluster, const char *const *arguments)
{
    const struct command command = command_of(DOYEND_PATH, NULL, arguments);

    return run(cluster, command.argv);
}

void cluster_make_key(struct cluster *cluster, const char *name)
{
    cluster->key = cluster_path(cluster, name);
    cr_assert_eq(doyend(cluster, ARGS("--make-key", cluster->key)).code, 0);
}

struct outcome doyen_witness(struct cluster *cluster, const char *const *arguments)
{
    const struct command command = command_of(DOYEN_WITNESS_PATH, NULL, arguments);

    return run(cluster, command.argv);
}

struct outcome doyen_replay(struct cluster *cluster, const char *const *arguments)
{
    const struct command command = command_of(DOYEN_REPLAY_PATH, NULL, arguments);

    return run(cluster, command.argv);
}

void doyen_start(struct cluster *cluster, struct process *process, const char *name,
                 const char *const *arguments, const char *out_path)
{
    const struct command command = command_of(DOYEN_PATH, cluster_daemon(cluster, name)->control,
                                              arguments);

    cr_assert(process_start(process, command.argv, out_path, text_kept("%s.err", out_path)),
              "cannot start %s", DOYEN_PATH);
}

size_t line_count(const char *text)
{
    size_t count = 0;

    for (; *text != '\0'; text++) {
        count += *text == '\n';
    }
    return count;
}
