#include "runtime/host_address.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "words/address_text.h"

bool host_address_is_here(const struct address *address)
{
    struct address any_port = *address;
    struct sockaddr_storage name;
    const int family = address_family(address);
    const int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    any_port.port = 0;
    if (fd < 0) {
        return true;
    }
    const socklen_t length = address_to_sockaddr(&any_port, family, &name);
    const bool is_gone = bind(fd, (const struct sockaddr *)&name, length) != 0 &&
                         errno == EADDRNOTAVAIL;
    (void)close(fd);
    return !is_gone;
}
