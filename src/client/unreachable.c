#include "client/unreachable.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "client/url.h"

/* Is there something else than a socket, such as a folder or a log? */
static bool is_another_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISSOCK(status.st_mode);
}

static int say(const struct target *target, const char *fault, struct problem *problem)
{
    return problem_set(problem, DOYEN_E_UNREACHABLE, "cannot reach the daemon at %s: %s",
                       target_text(target), fault);
}

/* Somebody listens there, and says nothing. */
static int say_mute(const struct target *target, const char *fault, struct problem *problem)
{
    return problem_set(problem, DOYEN_E_TIMEOUT, "the daemon at %s %s", target_text(target), fault);
}

static int say_where(const struct target *target, const char *fault, struct problem *problem)
{
    return problem_set(problem, DOYEN_E_UNREACHABLE,
                       "cannot reach the daemon at %s: %s socket with %s or DOYEN_CONTROL",
                       target_text(target), fault, target->names.control);
}

static int explain(const struct target *target, int error, struct problem *problem)
{
    if (error == EMFILE || error == ENFILE) {
        return say(target,
                   "this process has no file descriptor left: close some, or raise its limit "
                   "(ulimit -n)",
                   problem);
    }
    if (target->socket[0] == '\0') {
        return say(
            target,
            url_has_port(target)
                ? "is doyend running there, with --http?"
                : "it names no port, so that 80 was tried; give that of doyend's --http, as in "
                  "http://10.0.0.1:8080",
            problem);
    }
    switch (error) {
    case ENOENT:
        return say_where(target, "no such socket; is doyend running? give its", problem);
    case EACCES:
    case EPERM:
        return say(target,
                   "permission denied; use the account that doyend runs as (or sudo), or have "
                   "doyend started with --control-group and a group that this account is in",
                   problem);
    case EAGAIN:
        return say_mute(target, "lets its queue fill up: it may be stopped", problem);
    case ETIMEDOUT:
        return say_mute(target, "does not answer: it may be stopped or overloaded", problem);
    default:
        if (is_another_file(target->socket)) {
            return say_where(target, "it is no socket; give the daemon's", problem);
        }
        return say_where(target, "nobody listens there; is doyend running? give its", problem);
    }
}

int unreachable(const struct target *target, int error, struct problem *problem)
{
    const int code = explain(target, error, problem);

    problem->nobody = error == ENOENT || error == ECONNREFUSED;
    return code;
}
