#include "client/stamped.h"

#include <string.h>

enum { SIZE_MAX_EVER = 65536 }; /* a size that nobody set is likely to be beyond it */

bool stamped_copy(void *to, size_t size, const void *from)
{
    const unsigned char *bytes = from;
    size_t given = 0;

    memcpy(&given, from, sizeof given);
    if (given < sizeof given || given > SIZE_MAX_EVER) {
        return false;
    }
    for (size_t i = size; i < given; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    memset(to, 0, size);
    memcpy(to, from, given < size ? given : size);
    memcpy(to, &size, sizeof size);
    return true;
}

int stamped_refuse(struct problem *problem, const char *name)
{
    return problem_set(problem, DOYEN_E_USAGE,
                       "%s.size is none that libdoyen %s knows: set it to the size of the "
                       "structure, or use a newer libdoyen",
                       name, DOYEN_VERSION);
}
