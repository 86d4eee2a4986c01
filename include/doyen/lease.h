/* May this host's doyend still act as coordinator, and under which epoch? Answered from memory.
 *
 * doyend keeps one page of memory up to date and lends it to clients, who may only read it. It says
 * until when the node acts for certain. That end comes by itself: a reader finds that the right is
 * over also when doyend is dead or stopped, or was never told.
 *
 *     struct doyen_lease lease;
 *     int page;
 *     int connection = doyen_lease_connect("/run/doyen/athens.sock", 1000, &page);
 *     if (connection < 0 || doyen_lease_map(&lease, page) < 0) { ... }
 *     uint64_t epoch, left_ns;
 *     if (doyen_lease_acting(&lease, &epoch, &left_ns)) {
 *         append(log, epoch, entry);   // and the log refuses an epoch below the highest it has
 * seen
 *     }
 *
 * What doyen_lease_acting promises: at a moment between its call and its return this node had the
 * right to act under `epoch`, and from that moment on it has it for `left_ns` more, unless doyend
 * gives it up before (see below). Under a guard that is only advisory (DOYEN_LEASE_ADVISORY)
 * the right itself is worth less: another node may believe that it has it, too.
 *
 * What it cannot promise: that the caller still has the right when it acts. Between the look and
 * the act the caller may be stopped for any time: by the scheduler, by a signal, with its host. The
 * clock is read after the page, so a pause before that is seen, and one after it is not. So look
 * as late as possible, act for less than `left_ns`, look again, and let what is acted on refuse a
 * lower epoch: that alone holds also after a pause.
 *
 * A planned hand-over (doyend leaves, or hands its place to another) gives the right up early. Then
 * the page says no at once, and doyend waits with the hand-over until each client whose connection
 * is open has said that it has stopped, or has closed it, or the right would have ended anyway.
 *
 * On the connection doyend sends DOYEN_LEASE_CHANGED when the page says something else than a later
 * end of the same right, and DOYEN_LEASE_STOP when it gives the right up; the client answers this
 * with DOYEN_LEASE_STOPPED when it acts no more. It may close the connection at any time and go on
 * reading the page: then no hand-over waits for it, and it has to look before each act.
 *
 * C11 or C++11 with gcc or clang, on Linux, and POSIX.1-2008 (gnu11, or _POSIX_C_SOURCE=200809L).
 * Nothing is to be linked. A page is of one doyend process: of the next one it says no for ever. It
 * names the clock of that doyend, by boot and time namespace, and is mapped only by who has the
 * same clock: by another one its deadline means nothing. The clocks are compared when it is mapped,
 * and not again: to ask the kernel each time would cost fifty to a hundred times what the answer
 * does. So whoever enters another time namespace while it has a page (setns, or as a child that is
 * forked after unshare), or is restored from a snapshot of its memory, maps the page anew before it
 * asks; until then what it is told counts for nothing. */
#ifndef DOYEN_LEASE_H
#define DOYEN_LEASE_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* --- The page --- */

#define DOYEN_LEASE_MAGIC UINT64_C(0x61654c6e65796f44) /* "DoyenLea"; never another */

enum {
    DOYEN_LEASE_LAYOUT = 2, /* another number: another layout behind it */
    DOYEN_LEASE_BYTES = 4096,
    DOYEN_LEASE_NAME_BYTES = 64,
    DOYEN_LEASE_WORDS = 18, /* of the content */
    DOYEN_LEASE_TRIES = 1000,
    DOYEN_LEASE_CLOCK_WORDS = 3,
};

/* No lease is longer, as no silence that removes a member may be. A page that promises more is of
 * another clock. */
#define DOYEN_LEASE_LONGEST_NS UINT64_C(7200000000000)

enum {
    DOYEN_LEASE_ADVISORY = 1,  /* the guard cannot rule out that another node acts as well */
    DOYEN_LEASE_WITHDRAWN = 2, /* given up for a hand-over */
    DOYEN_LEASE_RESIGNED = 4,  /* of a role's page: the campaign is over, for it resigned */
};

/* What the page says. Times are nanoseconds of CLOCK_BOOTTIME. */
struct doyen_lease_content {
    uint64_t epoch;       /* to act under: what is acted on refuses a lower one; in the page of a
                             role (POST /v1/campaign) its token */
    uint64_t deadline_ns; /* the right to act ends before this moment; 0: there is none */
    uint64_t span_ns;     /* for how long one renewal lasts at most */
    uint64_t renewal_ns;  /* how often it is renewed */
    uint64_t flags;
    uint64_t lineage;                  /* of the cluster's founding */
    unsigned char id[16];              /* this life of the node */
    char name[DOYEN_LEASE_NAME_BYTES]; /* ends with a zero */
    uint64_t reserved[2];
};

/* The page as it lies in memory. The content is read and written word by word, and is there twice:
 * while `sequence` is odd, `content` is being written and `copy` is whole; while it is even, it is
 * the other way round. So a doyend that is stopped in the middle of a write takes no right away. (A
 * sequence latch: see raw_write_seqcount_latch() of Linux.) */
struct doyen_lease_page {
    uint64_t magic;
    uint64_t layout;
    uint64_t sequence;
    uint64_t content[DOYEN_LEASE_WORDS];
    uint64_t copy[DOYEN_LEASE_WORDS];
    uint64_t clock[DOYEN_LEASE_CLOCK_WORDS]; /* of doyen_lease_clock_of; 0: it could not be told */
};

/* A page that is mapped for reading. */
struct doyen_lease {
    const struct doyen_lease_page *page;
};

#ifdef __cplusplus
static_assert(sizeof(struct doyen_lease_content) == DOYEN_LEASE_WORDS * 8, "it is made of words");
#else
_Static_assert(sizeof(struct doyen_lease_content) == DOYEN_LEASE_WORDS * 8, "it is made of words");
#endif

/* --- Reading --- */

/* Linux has these under _GNU_SOURCE. */
#ifdef CLOCK_BOOTTIME
#define DOYEN_LEASE_CLOCK CLOCK_BOOTTIME
#else
#define DOYEN_LEASE_CLOCK 7
#endif
#ifdef F_GET_SEALS
#define DOYEN_LEASE_GET_SEALS F_GET_SEALS
#define DOYEN_LEASE_SEAL_SHRINK F_SEAL_SHRINK
#else
#define DOYEN_LEASE_GET_SEALS 1034
#define DOYEN_LEASE_SEAL_SHRINK 2
#endif

/* The clock of the page. No system call where the kernel has it in its vDSO. */
static inline uint64_t doyen_lease_now_ns(void)
{
    struct timespec now;

    if (clock_gettime(DOYEN_LEASE_CLOCK, &now) != 0) {
        return UINT64_MAX; /* Every right is over. */
    }
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Reads all of a short file; returns its length, or a negative errno. */
static inline int doyen_lease_file(const char *path, char *text, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    int length;

    if (fd < 0) {
        return -errno;
    }
    length = (int)read(fd, text, size);
    length = length < 0 ? -errno : length;
    (void)close(fd);
    return length;
}

/* Which clock is CLOCK_BOOTTIME here? The boot (two words) and the time namespace, which shifts it,
 * 0 where the kernel has none. Returns 0, or a negative errno where /proc does not tell. */
static inline int doyen_lease_clock_of(uint64_t clock[DOYEN_LEASE_CLOCK_WORDS])
{
    char text[64] = "";
    struct stat status;
    const int length = doyen_lease_file("/proc/sys/kernel/random/boot_id", text, sizeof text);
    int digits = 0;

    memset(clock, 0, DOYEN_LEASE_CLOCK_WORDS * sizeof *clock);
    for (int i = 0; i < length && digits < 32; i++) {
        const char c = text[i];
        if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')) {
            const unsigned digit = (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
            clock[digits / 16] = clock[digits / 16] << 4 | digit;
            digits++;
        }
    }
    if (digits < 32) {
        return length < 0 ? length : -EPROTO;
    }
    if (stat("/proc/self/ns/time", &status) == 0) {
        clock[2] = (uint64_t)status.st_ino;
        return 0;
    }
    return errno == ENOENT ? 0 : -errno;
}

/* Maps the page of this descriptor, which may be closed then. Returns 0, or
 *   -EPROTO  it is no lease page that this header can read;
 *   -EXDEV   its doyend goes by another clock (a time namespace, another host), or /proc does not
 *            tell by which one;
 *   another negative errno of fstat and mmap. */
static inline int doyen_lease_map(struct doyen_lease *lease, int fd)
{
    struct stat status;
    const struct doyen_lease_page *page;
    uint64_t clock[DOYEN_LEASE_CLOCK_WORDS];
    int seals;
    void *at;

    lease->page = NULL;
    if (fstat(fd, &status) != 0) {
        return -errno;
    }
    /* A page that could shrink could take its reader with it (SIGBUS). */
    seals = fcntl(fd, DOYEN_LEASE_GET_SEALS);
    if (status.st_size < DOYEN_LEASE_BYTES || seals < 0 || (seals & DOYEN_LEASE_SEAL_SHRINK) == 0) {
        return -EPROTO;
    }
    at = mmap(NULL, DOYEN_LEASE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) {
        return -errno;
    }
    page = (const struct doyen_lease_page *)at;
    if (page->magic != DOYEN_LEASE_MAGIC || page->layout != DOYEN_LEASE_LAYOUT) {
        (void)munmap(at, DOYEN_LEASE_BYTES);
        return -EPROTO;
    }
    if (doyen_lease_clock_of(clock) != 0 || memcmp(clock, page->clock, sizeof clock) != 0) {
        (void)munmap(at, DOYEN_LEASE_BYTES);
        return -EXDEV;
    }
    lease->page = page;
    return 0;
}

static inline void doyen_lease_unmap(struct doyen_lease *lease)
{
    if (lease->page != NULL) {
        void *at;
        memcpy(&at, &lease->page, sizeof at); /* munmap is not declared for what is const. */
        (void)munmap(at, DOYEN_LEASE_BYTES);
        lease->page = NULL;
    }
}

/* Copies what the page says, whole. Returns 0, or -EAGAIN when it was written anew during each of
 * many tries: that takes a reader that is stopped again and again. What was read before still holds
 * then. */
static inline int doyen_lease_read(const struct doyen_lease *lease,
                                   struct doyen_lease_content *content)
{
    const struct doyen_lease_page *page = lease->page;
    uint64_t words[DOYEN_LEASE_WORDS];

    for (int i = 0; i < DOYEN_LEASE_TRIES; i++) {
        const uint64_t before = __atomic_load_n(&page->sequence, __ATOMIC_ACQUIRE);
        const uint64_t *whole = before % 2 == 0 ? page->content : page->copy;
        for (int j = 0; j < DOYEN_LEASE_WORDS; j++) {
            words[j] = __atomic_load_n(&whole[j], __ATOMIC_RELAXED);
        }
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (before == __atomic_load_n(&page->sequence, __ATOMIC_RELAXED)) {
            memcpy(content, words, sizeof *content);
            return 0;
        }
    }
    return -EAGAIN;
}

/* For how long the right still holds at this moment; 0: it is over, or the page is of another
 * clock, as one may be whose reader or doyend has changed its time namespace since. */
static inline uint64_t doyen_lease_left_ns(const struct doyen_lease_content *content,
                                           uint64_t now_ns)
{
    const uint64_t left_ns = content->deadline_ns > now_ns ? content->deadline_ns - now_ns : 0;

    return left_ns > DOYEN_LEASE_LONGEST_NS ? 0 : left_ns;
}

/* May this node act now? `epoch` and `left_ns` are set if so, and 0 if not. See above for what that
 * means. When the page cannot be read, the answer is no. */
static inline bool doyen_lease_acting(const struct doyen_lease *lease, uint64_t *epoch,
                                      uint64_t *left_ns)
{
    struct doyen_lease_content content;
    uint64_t left;

    *epoch = 0;
    *left_ns = 0;
    if (doyen_lease_read(lease, &content) != 0) {
        return false;
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* The clock is read after the page. */
    left = doyen_lease_left_ns(&content, doyen_lease_now_ns());
    if (left == 0) {
        return false;
    }
    *epoch = content.epoch;
    *left_ns = left;
    return true;
}

/* --- Getting the page from doyend --- */

enum {
    DOYEN_LEASE_CHANGED = 'c', /* from doyend */
    DOYEN_LEASE_STOP = 'w',
    DOYEN_LEASE_STOPPED = 's', /* to doyend */
};

/* Asks the doyend with this control socket for its page, without waiting for the answer. Returns
 * the connection, for doyen_lease_receive and then for the bytes above; it does not block. Or a
 * negative errno of socket and connect: -ENOENT, -ECONNREFUSED, -EACCES, -EAGAIN (its queue is
 * full), -ENAMETOOLONG. */
static inline int doyen_lease_request(const char *control_socket)
{
    static const char request[] = "GET /v1/lease HTTP/1.1\r\nHost: doyen\r\n"
                                  "Connection: Upgrade\r\nUpgrade: doyen-lease\r\n\r\n";
    struct sockaddr_un address;
    ssize_t sent;
    int error;
    int fd;

    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    if (strlen(control_socket) >= sizeof address.sun_path) {
        return -ENAMETOOLONG;
    }
    memcpy(address.sun_path, control_socket, strlen(control_socket));
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return -errno;
    }
    sent = -1;
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0) {
        sent = send(fd, request, sizeof request - 1, MSG_NOSIGNAL);
    }
    if (sent == (ssize_t)(sizeof request - 1)) {
        return fd;
    }
    error = sent < 0 ? errno : EAGAIN; /* A send that is short says nothing of why. */
    (void)close(fd);
    return -error;
}

/* What an answer other than 101 means; 0 for 101 and for what is no beginning of an answer. */
static inline int doyen_lease_refusal(const char *text, size_t length)
{
    if (length < 12 || memcmp(text, "HTTP/1.1 ", 9) != 0 || memcmp(text + 9, "101", 3) == 0) {
        return 0;
    }
    if (memcmp(text + 9, "404", 3) == 0) {
        return -ENOSYS;
    }
    return memcmp(text + 9, "503", 3) == 0 ? -EBUSY : -EPROTO;
}

/* The descriptor that came with a message, or -1: none did. What came besides is closed. */
static inline int doyen_lease_descriptor(struct msghdr *message)
{
    const struct cmsghdr *header = CMSG_FIRSTHDR(message);
    size_t count = 0;
    int fds[2] = {-1, -1}; /* a buffer for one has room for two, as it is aligned */

    if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len > CMSG_LEN(0)) {
        count = (size_t)(header->cmsg_len - CMSG_LEN(0)) / sizeof *fds;
        count = count < 2 ? count : 2;
        memcpy(fds, CMSG_DATA(header), count * sizeof *fds);
    }
    if (fds[1] >= 0) {
        (void)close(fds[1]);
    }
    return fds[0];
}

/* Takes the page that was asked for, if it is there: call it when the connection is readable.
 * `page` is then a descriptor that can only be read, and is closed by exec. Returns 0, or -EAGAIN
 * it has not come yet; -ENOSYS      doyend is too old to know of it; -EBUSY       doyend has no
 * page to lend, or as many readers as it allows; -ECONNRESET  doyend went away; -EPROTO      the
 * answer is none of doyend's; or another negative errno. */
static inline int doyen_lease_receive(int connection, int *page)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    char text[1024];
    struct iovec piece;
    struct msghdr message;
    ssize_t length = recv(connection, text, sizeof text, MSG_PEEK | MSG_DONTWAIT);
    int refusal;

    if (length <= 0) {
        return length == 0 ? -ECONNRESET : -errno;
    }
    refusal = doyen_lease_refusal(text, (size_t)length);
    if (refusal != 0) {
        return refusal;
    }
    memset(&message, 0, sizeof message);
    piece.iov_base = text;
    piece.iov_len = sizeof text;
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    if (recvmsg(connection, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) < 0) {
        return -errno;
    }
    *page = doyen_lease_descriptor(&message);
    if (*page < 0) { /* The head of the answer, and the page comes behind it; or no room for one. */
        return (message.msg_flags & MSG_CTRUNC) != 0 ? -EMFILE : -EAGAIN;
    }
    return 0;
}

/* Asks for the page and waits for it, `timeout_ms` at the most; if that is negative, for ever.
 * Returns the connection and sets `page`, or a negative errno: those above, and -ETIMEDOUT. */
static inline int doyen_lease_connect(const char *control_socket, int timeout_ms, int *page)
{
    const uint64_t until_ns = timeout_ms < 0
                                  ? UINT64_MAX
                                  : doyen_lease_now_ns() + (uint64_t)timeout_ms * UINT64_C(1000000);
    const int connection = doyen_lease_request(control_socket);
    int error = connection < 0 ? connection : -EAGAIN;

    while (error == -EAGAIN && connection >= 0) {
        struct pollfd poll_fd;
        const uint64_t now_ns = doyen_lease_now_ns();
        const uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
        if (left_ns == 0) {
            error = -ETIMEDOUT;
            break;
        }
        poll_fd.fd = connection;
        poll_fd.events = POLLIN;
        if (poll(&poll_fd, 1, timeout_ms < 0 ? -1 : (int)(left_ns / UINT64_C(1000000)) + 1) > 0) {
            error = doyen_lease_receive(connection, page);
        }
    }
    if (error == 0 || connection < 0) {
        return connection;
    }
    (void)close(connection);
    return error;
}

#endif
