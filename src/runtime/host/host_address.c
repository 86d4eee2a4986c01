#include "runtime/host/host_address.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/host/own_file.h"
#include "runtime/host/replace_file.h"
#include "words/address_text.h"

#define ADDRESS_FILE "address"
#define NEW_FILE "address.new"

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

bool host_address_toward(const struct address *to, struct address *own)
{
    const int family = address_family(to);
    struct sockaddr_storage name;
    const socklen_t length = address_to_sockaddr(to, family, &name);
    socklen_t own_length = sizeof name;
    const int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    *own = (struct address){.family = 0};
    if (fd < 0) {
        return false;
    }
    const bool found = connect(fd, (const struct sockaddr *)&name, length) == 0 &&
                       getsockname(fd, (struct sockaddr *)&name, &own_length) == 0 &&
                       address_from_sockaddr((const struct sockaddr *)&name, own);
    (void)close(fd);
    own->port = 0;
    return found && !address_is_wildcard(own) && !address_is_loopback(own);
}

bool host_address_recall(const char *state_dir, struct address *address)
{
    char why[OWN_FILE_WHY_MAX];
    char text[ADDRESS_TEXT_MAX];
    const int dir = own_directory_open(state_dir, why);
    const int fd = dir < 0 ? -1 : own_file_open(dir, ADDRESS_FILE, O_RDONLY, why);
    const ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

    if (fd >= 0) {
        (void)close(fd);
    }
    if (dir >= 0) {
        (void)close(dir);
    }
    if (length <= 0) {
        return false;
    }
    text[length] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return address_parse_host(text, 0, address);
}

bool host_address_remember(const char *state_dir, const struct address *address)
{
    char why[OWN_FILE_WHY_MAX];
    char text[ADDRESS_TEXT_MAX];
    char line[ADDRESS_TEXT_MAX + 1];
    struct address known;

    if (host_address_recall(state_dir, &known) && address_same_host(&known, address)) {
        return true;
    }
    const int dir = own_directory_open(state_dir, why);
    if (dir < 0) {
        return false;
    }
    const int length = snprintf(line, sizeof line, "%s\n", address_host_text(address, text));
    const int error = replace_file(dir, ADDRESS_FILE, NEW_FILE, line, (size_t)length);
    (void)close(dir);
    errno = error;
    return error == 0;
}
