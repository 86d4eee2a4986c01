#include "cli/invite/secrets.h"

#include <errno.h>
#include <sys/random.h>

bool secrets_draw(void *bytes, size_t size)
{
    ssize_t drawn;

    do {
        drawn = getrandom(bytes, size, 0);
    } while (drawn < 0 && errno == EINTR);
    return drawn == (ssize_t)size; /* At most 256 bytes come whole. */
}
