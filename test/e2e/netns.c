#include "netns.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint32_t network = 0x0a4d0000; /* 10.77.0.0 */
static const uint32_t network_mask = 0xffffff00;

/* What the maker of namespaces says of each step, with the descriptors that came of it. */
struct report {
    int error;     /* 0: done */
    bool has_user; /* it made a user namespace first */
    char step[64];
};

void netns_address(size_t index, char address[NETNS_ADDRESS_MAX])
{
    const struct in_addr in = {.s_addr = htonl(network + 1 + (uint32_t)index)};

    (void)inet_ntop(AF_INET, &in, address, NETNS_ADDRESS_MAX);
}

struct place netns_place(const struct netns *netns, size_t index)
{
    return (struct place){.user = netns->has_user ? netns->user : -1, .net = netns->places[index]};
}

/* --- In the process that makes them ---------------------------------------------------------- */

/* A process of its own makes them, because it enters each one, and a user namespace can be entered
 * only by a process that has no other threads. */

static bool send_report(int channel, const struct report *report, const int *fds, size_t count)
{
    union {
        struct cmsghdr header; /* for its alignment */
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control = {.bytes = {0}};
    struct report copy = *report;
    struct iovec text = {.iov_base = &copy, .iov_len = sizeof copy};
    struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1};

    if (count > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(head), fds, count * sizeof(int));
    }
    return sendmsg(channel, &message, 0) == sizeof copy;
}

static bool write_text(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    const bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    if (fd >= 0) {
        close(fd);
    }
    return written;
}

/* Who is not root becomes root in a user namespace. */
static bool gain_rights(bool *has_user, const char **step)
{
    const unsigned user = geteuid();
    const unsigned group = getegid();
    char map[64];

    *step = "a network namespace";
    if (unshare(CLONE_NEWNET) == 0) {
        return true;
    }
    *step = "a user namespace";
    if (errno != EPERM || unshare(CLONE_NEWUSER) != 0) {
        return false;
    }
    *has_user = true;
    *step = "the user's number in it";
    snprintf(map, sizeof map, "0 %u 1", user);
    if (!write_text("/proc/self/uid_map", map)) {
        return false;
    }
    *step = "the group's number in it";
    snprintf(map, sizeof map, "0 %u 1", group);
    return write_text("/proc/self/setgroups", "deny") && write_text("/proc/self/gid_map", map);
}

enum { FLOATING = 200 };

static void set_address(struct ifreq *request, uint32_t address)
{
    const struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};

    memcpy(&request->ifr_addr, &in, sizeof in);
}

static bool set_up(int control, const char *name)
{
    struct ifreq request = {.ifr_flags = IFF_UP};

    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    return ioctl(control, SIOCSIFFLAGS, &request) == 0;
}

static bool configure(size_t index)
{
    const int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq request = {.ifr_name = "net0"};
    bool done = control >= 0;

    set_address(&request, network + 1 + (uint32_t)index);
    done = done && ioctl(control, SIOCSIFADDR, &request) == 0;
    set_address(&request, network_mask);
    done = done && ioctl(control, SIOCSIFNETMASK, &request) == 0;
    done = done && set_up(control, "net0") && set_up(control, "lo");
    if (control >= 0) {
        close(control);
    }
    return done;
}

static bool unconfigure(void)
{
    const int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq request = {.ifr_name = "net0"};

    set_address(&request, 0);
    const bool done = control >= 0 && ioctl(control, SIOCSIFADDR, &request) == 0;
    if (control >= 0) {
        close(control);
    }
    return done;
}

static bool add_floating(void)
{
    const int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq request = {.ifr_name = "net0:1"};

    set_address(&request, network + FLOATING);
    bool done = control >= 0 && ioctl(control, SIOCSIFADDR, &request) == 0;
    set_address(&request, UINT32_MAX);
    done = done && ioctl(control, SIOCSIFNETMASK, &request) == 0;
    if (control >= 0) {
        close(control);
    }
    return done;
}

/* fds: the namespace, and its device. */
static bool make_place(size_t index, int fds[2], const char **step)
{
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI, .ifr_name = "net0"};

    *step = "a network namespace";
    if (unshare(CLONE_NEWNET) != 0) {
        return false;
    }
    *step = "a handle of it";
    fds[0] = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (fds[0] < 0) {
        return false;
    }
    *step = "/dev/net/tun";
    fds[1] = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (fds[1] < 0) {
        return false;
    }
    *step = "a device";
    if (ioctl(fds[1], TUNSETIFF, &request) != 0) {
        return false;
    }
    *step = "an address";
    return configure(index);
}

static bool make_all(int channel, size_t count, const char **step)
{
    struct report report = {.error = 0};
    int fds[2] = {-1, -1};

    if (!gain_rights(&report.has_user, step)) {
        return false;
    }
    fds[0] = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
    if (!send_report(channel, &report, fds, 1)) {
        return false;
    }
    close(fds[0]);
    for (size_t i = 0; i < count; i++) {
        if (!make_place(i, fds, step) || !send_report(channel, &report, fds, 2)) {
            return false;
        }
        close(fds[0]);
        close(fds[1]);
    }
    return true;
}

static _Noreturn void make(int channel, size_t count)
{
    const char *step = "";

    if (!make_all(channel, count, &step)) {
        struct report report = {.error = errno == 0 ? EIO : errno};
        snprintf(report.step, sizeof report.step, "%s", step);
        (void)send_report(channel, &report, NULL, 0);
    }
    _exit(0);
}

/* --- In the process that uses them ----------------------------------------------------------- */

enum change { GIVE, TAKE, FLOAT, RENEW };

static bool set_namespace_address(const struct netns *netns, size_t index, enum change change)
{
    int status = 0;
    const pid_t child = fork();

    if (child == 0) {
        const bool inside = (!netns->has_user || setns(netns->user, CLONE_NEWUSER) == 0) &&
                            setns(netns->places[index], CLONE_NEWNET) == 0;
        const bool done = inside && (change == GIVE    ? configure(index)
                                     : change == TAKE  ? unconfigure()
                                     : change == FLOAT ? add_floating()
                                                       : unconfigure() && configure(FLOATING - 1));
        _exit(done ? 0 : 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

bool netns_give_address(const struct netns *netns, size_t index)
{
    return set_namespace_address(netns, index, GIVE);
}

bool netns_take_address(const struct netns *netns, size_t index)
{
    return set_namespace_address(netns, index, TAKE);
}

bool netns_renew_address(const struct netns *netns, size_t index)
{
    return set_namespace_address(netns, index, RENEW);
}

bool netns_float_address(const struct netns *netns, size_t index)
{
    return set_namespace_address(netns, index, FLOAT);
}

/* Takes one report with as many descriptors; says why if it is a failure. */
static bool receive(int channel, int *fds, size_t count, bool *has_user, char why[NETNS_WHY_MAX])
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control = {.bytes = {0}};
    struct report report = {.error = EPIPE, .step = "the process that makes them"};
    struct iovec text = {.iov_base = &report, .iov_len = sizeof report};
    struct msghdr message = {.msg_iov = &text,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    const ssize_t length = recvmsg(channel, &message, MSG_CMSG_CLOEXEC);
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);

    if (length == sizeof report && report.error == 0 && head != NULL &&
        head->cmsg_len == CMSG_LEN(count * sizeof(int))) {
        memcpy(fds, CMSG_DATA(head), count * sizeof(int));
        *has_user = report.has_user;
        return true;
    }
    snprintf(why, NETNS_WHY_MAX, "no network namespaces here: %s: %s", report.step,
             strerror(report.error == 0 ? EPROTO : report.error));
    return false;
}

static bool receive_all(struct netns *netns, int channel, size_t count, char why[NETNS_WHY_MAX])
{
    int fds[2];

    if (!receive(channel, fds, 1, &netns->has_user, why)) {
        return false;
    }
    netns->user = netns->has_user ? fds[0] : -1;
    if (!netns->has_user) {
        close(fds[0]); /* Ours: who is in it cannot enter it. */
    }
    for (size_t i = 0; i < count; i++) {
        if (!receive(channel, fds, 2, &netns->has_user, why)) {
            return false;
        }
        netns->places[i] = fds[0];
        netns->devices[i] = fds[1];
        netns->count++;
    }
    return true;
}

bool netns_open(struct netns *netns, size_t count, uint64_t seed, char why[NETNS_WHY_MAX])
{
    int channel[2];

    *netns = (struct netns){.count = 0};
    if (count > NETNS_MAX || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) != 0) {
        snprintf(why, NETNS_WHY_MAX, "cannot make %zu network namespaces", count);
        return false;
    }
    const pid_t maker = fork();
    if (maker == 0) {
        make(channel[1], count);
    }
    close(channel[1]);
    bool made = receive_all(netns, channel[0], count, why);
    close(channel[0]);
    while (maker > 0 && waitpid(maker, NULL, 0) < 0 && errno == EINTR) {
    }
    if (made) {
        netns->forwarder = forwarder_start(netns->devices, count, network, seed);
        made = netns->forwarder != NULL;
        snprintf(why, NETNS_WHY_MAX, "no thread for the forwarder");
    }
    if (!made) {
        netns_close(netns);
    }
    return made;
}

void netns_close(struct netns *netns)
{
    forwarder_stop(netns->forwarder);
    netns->forwarder = NULL;
    for (size_t i = 0; i < netns->count; i++) {
        close(netns->places[i]);
        close(netns->devices[i]);
    }
    if (netns->has_user) {
        close(netns->user);
    }
    netns->has_user = false;
    netns->count = 0;
}
