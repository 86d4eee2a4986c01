#include "client/local.h"

#include <errno.h>

#include "client/unreachable.h"

int local_find(struct doyen *d, struct problem *problem)
{
    const int code = client_find(d, problem);

    if (code == 0 && d->target.socket[0] == '\0') {
        return problem_set(problem, DOYEN_E_USAGE,
                           "neither a lease page nor a role is lent over a network by %s: give the "
                           "control socket of a doyend on this host with %s",
                           target_text(&d->target), d->target.names.control);
    }
    return code;
}

int local_explain(const struct target *target, int error, struct problem *problem)
{
    const char *where = target_text(target);

    switch (error) {
    case ENOSYS:
        return problem_set(problem, DOYEN_E_REFUSED,
                           "the doyend at %s is too old: it lends no lease page", where);
    case EBUSY:
        return problem_set(problem, DOYEN_E_REFUSED,
                           "the doyend at %s lends no lease page: it has as many readers as it "
                           "allows, or its system has no sealed memory (Linux 5.1)",
                           where);
    case EPROTO:
        return problem_set(problem, DOYEN_E_PROTOCOL,
                           "the answer of %s makes no sense: is it doyend?", where);
    case EXDEV:
        return problem_set(problem, DOYEN_E_REFUSED,
                           "the doyend at %s goes by another clock, so that its lease means "
                           "nothing here: run both in one time namespace of one host, with /proc",
                           where);
    case ECONNRESET:
        return problem_set(problem, DOYEN_E_UNREACHABLE, "the daemon at %s went away", where);
    default:
        return unreachable(target, error, problem);
    }
}
