#include "runtime/host/chance.h"

#include <assert.h>
#include <errno.h>
#include <sys/random.h>
#include <sys/types.h>

enum { WHOLE_MAX = 256 }; /* a signal does not cut so few short */

bool chance_draw(void *out, size_t size)
{
    ssize_t drawn;

    assert(size <= WHOLE_MAX);
    do {
        drawn = getrandom(out, size, 0);
    } while (drawn < 0 && errno == EINTR);
    return drawn == (ssize_t)size;
}
