/* Clusters of real processes on the loopback interface, for stories told from outside: the built
 * doyend and doyen, their sockets, signals, logs and exit codes, and nothing of the source.
 *
 * Each test has an address of 127.0.0.0/8 and a directory to itself, so that tests may run side by
 * side. What a test is given (texts, documents) stays valid until it ends. Nothing sleeps for a
 * time it guessed: conditions are looked at every few milliseconds, up to a generous limit. */
#ifndef E2E_FIXTURE_H
#define E2E_FIXTURE_H

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http.h"
#include "loopback.h"
#include "netns.h"
#include "oracle.h"
#include "process.h"

enum {
    LIMIT_MS = 20000, /* for what takes a second at the most on a quiet machine */
    LOOK_AGAIN_MS = 5,
    DAEMONS_MAX = 10,
    ARGUMENTS_MAX = 32,
};

/* The arguments of a program. */
#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NO_ARGS NULL

/* Waits until the condition holds. */
#define assert_soon(condition)                                                                     \
    do {                                                                                           \
        const uint64_t until_ms__ = clock_now_ms() + LIMIT_MS;                                     \
        bool holds__ = (condition);                                                                \
        while (!holds__ && clock_now_ms() < until_ms__) {                                          \
            clock_nap_ms(LOOK_AGAIN_MS);                                                           \
            holds__ = (condition);                                                                 \
        }                                                                                          \
        cr_assert(holds__, "not within %d ms: %s%s", LIMIT_MS, #condition, daemons_text());        \
    } while (0)

/* Waits until each of `names` ("athens byzantium") holds one and the same view, whose members are
 * just these, oldest first. */
#define assert_agreement(cluster, names)                                                           \
    cr_assert(cluster_agrees((cluster), (names), LIMIT_MS), "expected \"%s\" everywhere, but %s",  \
              (names), cluster_text(cluster))

#define assert_text_has(text, part)                                                                \
    do {                                                                                           \
        const char *const said = (text);                                                           \
        const char *const wanted = (part);                                                         \
        cr_assert(strstr(said, wanted) != NULL, "\"%s\" does not say \"%s\"", said, wanted);       \
    } while (0)

/* A test. When its body is through, it fails all the same if a daemon has ended unasked, or if a
 * sanitizer or an assertion has spoken in a log. With DOYEN_E2E_KEEP in the environment the
 * directory of the test stays. */
#define Story(suite, name)                                                                         \
    static void suite##_##name##_story(void);                                                      \
    Test(suite, name, .init = story_begin, .fini = story_end)                                      \
    {                                                                                              \
        suite##_##name##_story();                                                                  \
        story_check();                                                                             \
    }                                                                                              \
    static void suite##_##name##_story(void)

void story_begin(void);
void story_check(void); /* in the test: Criterion does not count what fails in .fini */
void story_end(void);

/* --- Daemons --- */

/* A line for each daemon of the story, with how it does and what it has logged last, for the
 * message of an assertion. Kept until the end of the test. */
const char *daemons_text(void);

struct daemon {
    char name[64];
    const char *program; /* what is run; NULL: doyend */
    const char *address; /* "127.1.2.3:45678", for peers */
    uint16_t port;
    const char *control;
    const char *log;
    struct process process;
    bool stopped; /* SIGSTOP */
    const char *arguments[ARGUMENTS_MAX];
};

struct cluster {
    char dir[64];
    char host[HOST_TEXT_MAX];
    const char *const *arguments; /* given to each daemon */
    const char *key;              /* the key file that daemons get; NULL: none */
    size_t daemon_count;
    struct daemon daemons[DAEMONS_MAX];
    struct netns netns; /* while it is open, the daemons live there, in order */
    struct oracle oracle;
};

/* Nothing runs yet. `arguments`, which may be NO_ARGS, are given to each daemon and must outlive
 * the cluster. */
struct cluster *cluster_new(const char *const *arguments);

/* Makes a key file of that name. Daemons that are started from now on get it, until there is
 * another. */
void cluster_make_key(struct cluster *cluster, const char *name);

/* The daemon of that name, with its address, whether it was ever started or not. */
struct daemon *cluster_daemon(struct cluster *cluster, const char *name);

/* A port of the test's own address that nobody has. */
uint16_t cluster_port(const struct cluster *cluster);

/* A path in the test's directory. */
const char *cluster_path(const struct cluster *cluster, const char *name);

/* From its next start on the daemon runs this program instead of doyend. */
void cluster_replace(struct cluster *cluster, const char *name, const char *program);

/* Starts a daemon that has the daemons `seeds` ("athens byzantium"; NULL: none) as its seeds, and
 * further arguments of its own. Does not wait for anything. */
struct daemon *cluster_start(struct cluster *cluster, const char *name, const char *seeds,
                             const char *const *arguments);

/* Starts a doyen-witness under that name, with the directory of keys, and further arguments. It has
 * an address and a log as daemons have; its state directory is cluster_path(NAME.state). */
struct daemon *cluster_start_witness(struct cluster *cluster, const char *name, const char *keys,
                                     const char *const *arguments);

/* Starts the daemons one after the other, each when the one before is in, all with the first one
 * as their seed; returns when all agree. */
void cluster_form(struct cluster *cluster, const char *names);

/* The same arguments again. */
void cluster_restart(struct cluster *cluster, const char *name);

void cluster_kill(struct cluster *cluster, const char *name);
void cluster_signal(struct cluster *cluster, const char *name, int number);
void cluster_pause(struct cluster *cluster, const char *name);
void cluster_resume(struct cluster *cluster, const char *name);

/* SIGTERM; returns the exit code. */
int cluster_terminate(struct cluster *cluster, const char *name);

/* Waits until the daemon ends by itself and returns its exit code. */
int cluster_await_end(struct cluster *cluster, const char *name);

/* --- What they say --- */

/* The document at `path` of the daemon's control socket; NULL when it does not answer. */
json_t *cluster_document(struct cluster *cluster, const char *name, const char *path);
json_t *cluster_members(struct cluster *cluster, const char *name);

/* Its view as text: "1.3 athens/1 byzantium/2 cyrene/3", epoch, version and ages; "silent" when
 * it does not answer, "joining" before it has a view. */
const char *cluster_view(struct cluster *cluster, const char *name);

/* The same of all running daemons, for messages. */
const char *cluster_text(struct cluster *cluster);

bool cluster_agrees(struct cluster *cluster, const char *names, uint64_t limit_ms);

uint64_t cluster_epoch(struct cluster *cluster, const char *name);

/* The entry of that name in a list of the members document, "members" or "gone"; NULL: none. */
const json_t *entry_of(const json_t *members, const char *list, const char *name);

/* The field as text, "" when there is none; a number written as text, or a number, as number. */
const char *text_of(const json_t *object, const char *key);
uint64_t number_of(const json_t *object, const char *key);

/* Lines of the daemon's log with that event. */
size_t cluster_log_count(struct cluster *cluster, const char *name, const char *event);
bool cluster_log_has(struct cluster *cluster, const char *name, const char *part);

/* --- Programs that run to their end --- */

struct outcome {
    int code;
    const char *out;
    const char *err;
};

/* doyen, asking the daemon `name` (NULL: no --control at all). */
struct outcome doyen(struct cluster *cluster, const char *name, const char *const *arguments);

/* Puts options behind those of a command line, in the place of the same ones before. */
void add_arguments(const char *list[ARGUMENTS_MAX], size_t *count, const char *const *arguments);

/* doyend as it is called, with nothing added. */
struct outcome doyend(struct cluster *cluster, const char *const *arguments);

/* doyen-witness as it is called. */
struct outcome doyen_witness(struct cluster *cluster, const char *const *arguments);

/* doyen-replay as it is called. */
struct outcome doyen_replay(struct cluster *cluster, const char *const *arguments);

/* doyen in the background, its output in the file at `out_path`. */
void doyen_start(struct cluster *cluster, struct process *process, const char *name,
                 const char *const *arguments, const char *out_path);

size_t line_count(const char *text);

/* Formatted text. */
const char *text_kept(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What the text says as JSON; NULL where it is none. */
json_t *document_kept(const char *text);

#endif
