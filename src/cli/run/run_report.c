#include "cli/run/run_report.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/run/run_times.h"

enum { LINE_MAX = 1024, WORDS_MAX = 256 };

/* --- Lines ------------------------------------------------------------------------------------ */

/* In one piece, so that lines of several processes do not mix. Where nobody reads them, they are
 * lost, and the command is looked after all the same. */
static void put_line(const char *text)
{
    const size_t length = strlen(text);

    if (write(STDERR_FILENO, text, length) != (ssize_t)length) {
        return;
    }
}

/* Who speaks. */
static const char *run_voice_name(const struct run_voice *voice)
{
    return voice->role == NULL ? "doyen run" : "doyen campaign";
}

static void say_json(const struct run_voice *voice, const char *event, json_t *facts,
                     const char *text)
{
    json_t *line = json_pack(
        "{s:i s:s s:s? s:o s:s}", "schema", 1, "event", event, "node", voice->node,
        voice->role == NULL ? "epoch" : "token",
        voice->epoch == 0 ? json_null() : json_sprintf("%" PRIu64, voice->epoch), "text", text);

    if (voice->role != NULL) {
        json_object_set_new(line, "role", json_string(voice->role));
    }

    if (facts != NULL) {
        json_object_update(line, facts);
    }
    char *bytes = json_dumps(line, JSON_COMPACT);
    char *whole = NULL;
    if (bytes != NULL && asprintf(&whole, "%s\n", bytes) > 0) {
        put_line(whole);
        free(whole);
    }
    free(bytes);
    json_decref(line);
}

void run_say(const struct run_voice *voice, const char *event, json_t *facts, const char *format,
             ...)
{
    char text[LINE_MAX];
    char line[LINE_MAX + 32];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (char *at = text; *at != '\0'; at++) {
        if ((unsigned char)*at < ' ' || *at == 0x7f) {
            *at = '?';
        }
    }
    if (voice->json) {
        say_json(voice, event, facts, text);
    } else {
        snprintf(line, sizeof line, "%s: %s\n", run_voice_name(voice), text);
        put_line(line);
    }
    json_decref(facts);
}

/* --- News ------------------------------------------------------------------------------------- */

static int64_t ms_between(uint64_t from_ns, uint64_t to_ns)
{
    return ((int64_t)to_ns - (int64_t)from_ns) / RUN_NS_PER_MS;
}

static const char *signal_word(int number)
{
    const char *word = sigabbrev_np(number);
    return word == NULL ? "?" : word;
}

static const char *reason_word(enum run_reason reason)
{
    switch (reason) {
    case REASON_NONE:
        return "by_itself";
    case REASON_LAPSED:
        return "not_renewed";
    case REASON_WITHDRAWN:
        return "withdrawn";
    case REASON_STEPPED_DOWN:
        return "not_acting";
    case REASON_EPOCH:
        return "another_epoch";
    case REASON_DAEMON:
        return "daemon_gone";
    case REASON_ASKED:
        return "asked";
    case REASON_ORPHANED:
        return "run_gone";
    case REASON_LEFTOVERS:
        return "leftovers";
    case REASON_WATCHDOG:
        return "watchdog_gone";
    }
    return "by_itself";
}

/* Why a role has to be let go, where that is another thing than with the right to act. Returns
 * false where it is not. */
static bool role_reason_text(char text[WORDS_MAX], const struct run_voice *voice,
                             const struct run_news *news)
{
    if (news->reason == REASON_WITHDRAWN) {
        snprintf(text, WORDS_MAX, "%s is to let go of %s", voice->node, voice->role);
    } else if (news->reason == REASON_STEPPED_DOWN) {
        snprintf(text, WORDS_MAX, "%s does not hold %s any more", voice->node, voice->role);
    } else if (news->reason == REASON_EPOCH) {
        snprintf(text, WORDS_MAX, "%s does not hold %s under token %" PRIu64 " any more",
                 voice->node, voice->role, voice->epoch);
    } else {
        return false;
    }
    return true;
}

static void reason_text(char text[WORDS_MAX], const struct run_voice *voice,
                        const struct run_news *news)
{
    if (voice->role != NULL && role_reason_text(text, voice, news)) {
        return;
    }
    switch (news->reason) {
    case REASON_NONE:
        snprintf(text, WORDS_MAX, "it ended");
        return;
    case REASON_LAPSED:
        snprintf(text, WORDS_MAX, "the lease was not renewed for %" PRId64 " ms",
                 ms_between(news->renewed_ns, news->at_ns));
        return;
    case REASON_WITHDRAWN:
        snprintf(text, WORDS_MAX, "%s gives its right to act up, to hand over", voice->node);
        return;
    case REASON_STEPPED_DOWN:
        snprintf(text, WORDS_MAX, "%s does not act any more", voice->node);
        return;
    case REASON_EPOCH:
        snprintf(text, WORDS_MAX, "%s does not act under epoch %" PRIu64 " any more", voice->node,
                 voice->epoch);
        return;
    case REASON_DAEMON:
        snprintf(text, WORDS_MAX, "doyend is gone, and renews the lease no more");
        return;
    case REASON_ASKED:
        snprintf(text, WORDS_MAX, "%s got %s", run_voice_name(voice), signal_word(news->signal));
        return;
    case REASON_ORPHANED:
        snprintf(text, WORDS_MAX, "%s itself is gone", run_voice_name(voice));
        return;
    case REASON_LEFTOVERS:
        snprintf(text, WORDS_MAX, "it ended and left processes behind");
        return;
    case REASON_WATCHDOG:
        snprintf(text, WORDS_MAX, "its watchdog is stopped or gone");
        return;
    }
}

/* When all was over, against the end of the right. It matters where the right ended. */
static void lead_text(char text[WORDS_MAX], const struct run_news *news)
{
    const int64_t lead_ms = ms_between(news->at_ns, news->deadline_ns);

    text[0] = '\0';
    if (news->reason == REASON_NONE || news->reason == REASON_ASKED ||
        news->reason == REASON_LEFTOVERS || news->deadline_ns == 0) {
        return;
    }
    if (lead_ms >= 0) {
        snprintf(text, WORDS_MAX, ", %" PRId64 " ms before the right to act ends", lead_ms);
    } else {
        snprintf(text, WORDS_MAX, ", %" PRId64 " ms AFTER the right to act had ended", -lead_ms);
    }
}

static void report_end(const struct run_voice *voice, const struct run_news *news)
{
    const int64_t lead_ms = ms_between(news->at_ns, news->deadline_ns);
    const bool killed = WIFSIGNALED(news->status);
    char lead[WORDS_MAX];
    char how[WORDS_MAX];

    lead_text(lead, news);
    if (killed) {
        snprintf(how, sizeof how, "was ended by %s", signal_word(WTERMSIG(news->status)));
    } else {
        snprintf(how, sizeof how, "exited with %d", WEXITSTATUS(news->status));
    }
    run_say(voice, "ended",
            json_pack("{s:i s:o s:o s:s s:o}", "pid", (int)news->pid, "status",
                      killed ? json_null() : json_integer(WEXITSTATUS(news->status)), "signal",
                      killed ? json_string(signal_word(WTERMSIG(news->status))) : json_null(),
                      "reason", reason_word(news->reason), "lead_ms",
                      news->deadline_ns == 0 ? json_null() : json_integer(lead_ms)),
            "pid %d %s%s", (int)news->pid, how, lead);
}

static void report_start(const struct run_voice *voice, const struct run_news *news)
{
    json_t *facts = json_pack("{s:i}", "pid", (int)news->pid);

    if (voice->role != NULL) {
        run_say(voice, "started", facts, "%s holds %s with token %" PRIu64 ": started pid %d",
                voice->node, voice->role, voice->epoch, (int)news->pid);
    } else if (voice->epoch == 0) {
        run_say(voice, "started", facts, "started pid %d, which stands by", (int)news->pid);
    } else {
        run_say(voice, "started", facts, "%s acts under epoch %" PRIu64 ": started pid %d",
                voice->node, voice->epoch, (int)news->pid);
    }
}

static void report_kill(const struct run_voice *voice, const struct run_news *news, json_t *facts)
{
    const int64_t left_ms = ms_between(news->at_ns, news->deadline_ns);
    char reason[WORDS_MAX] = "";

    reason_text(reason, voice, news);
    if (news->deadline_ns == 0) {
        run_say(voice, "kill", facts, "pid %d: %s: KILL", (int)news->pid, reason);
    } else {
        run_say(voice, "kill", facts, "pid %d: %s: KILL, %" PRId64 " ms %s", (int)news->pid, reason,
                left_ms < 0 ? -left_ms : left_ms,
                left_ms < 0 ? "AFTER the right to act had ended" : "before the right to act ends");
    }
}

void run_report_news(const struct run_voice *voice, const struct run_news *news)
{
    json_t *facts = json_pack("{s:i s:s}", "pid", (int)news->pid, "reason",
                              reason_word(news->reason));
    char reason[WORDS_MAX] = "";

    reason_text(reason, voice, news);
    switch (news->event) {
    case RUN_STARTED:
        report_start(voice, news);
        break;
    case RUN_ACTING:
        run_say(voice, "acting", json_incref(facts), "pid %d: %s acts under epoch %" PRIu64,
                (int)news->pid, voice->node, voice->epoch);
        break;
    case RUN_TERMINATING:
        run_say(voice, "term", json_incref(facts), "pid %d: %s: TERM, and KILL in %" PRId64 " ms",
                (int)news->pid, reason, ms_between(news->at_ns, news->kill_ns));
        break;
    case RUN_KILLING:
        report_kill(voice, news, json_incref(facts));
        break;
    case RUN_FAILED:
        run_say(voice, "failed", json_incref(facts), "the command cannot be run: %s",
                news->status == ENOENT ? "the interpreter that its first line names is not there"
                                       : strerror(news->status));
        break;
    case RUN_ENDED:
        report_end(voice, news);
        break;
    }
    json_decref(facts);
}
