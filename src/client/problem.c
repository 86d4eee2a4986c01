#include "client/problem.h"

#include <stdarg.h>
#include <stdio.h>

int problem_set(struct problem *problem, int code, const char *format, ...)
{
    va_list arguments;

    problem->code = code;
    problem->nobody = false;
    va_start(arguments, format);
    vsnprintf(problem->text, sizeof problem->text, format, arguments);
    va_end(arguments);
    return code;
}

int problem_memory(struct problem *problem)
{
    return problem_set(problem, DOYEN_E_MEMORY, "out of memory");
}

bool problem_passes(const struct problem *problem)
{
    return problem->code == DOYEN_E_UNREACHABLE || problem->code == DOYEN_E_TIMEOUT;
}
