#include "stub_daemon.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { DESCRIPTORS_MAX = 4, REQUEST_MAX = 4096 };

/* One byte, with descriptors of an empty file each. */
static void send_byte(int fd, const char *byte, int descriptors)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(DESCRIPTORS_MAX * sizeof(int))];
    } control = {.bytes = {0}};
    int fds[DESCRIPTORS_MAX];
    struct iovec piece = {.iov_base = (void *)(uintptr_t)byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};

    for (int i = 0; i < descriptors; i++) {
        fds[i] = memfd_create("stub", 0);
    }
    if (descriptors > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE((size_t)descriptors * sizeof(int));
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN((size_t)descriptors * sizeof(int));
        memcpy(CMSG_DATA(&control.header), fds, (size_t)descriptors * sizeof(int));
    }
    (void)sendmsg(fd, &message, MSG_NOSIGNAL);
    for (int i = 0; i < descriptors; i++) {
        close(fds[i]);
    }
}

/* The requests of these tests come whole with their head, or with a body that nobody reads. */
static void serve(int fd, const struct stub_answer *answer)
{
    char request[REQUEST_MAX + 1];
    size_t length = 0;
    ssize_t more = 1;

    request[0] = '\0';
    while (more > 0 && length < REQUEST_MAX && strstr(request, "\r\n\r\n") == NULL) {
        more = recv(fd, request + length, REQUEST_MAX - length, 0);
        length += more > 0 ? (size_t)more : 0;
        request[length] = '\0';
    }
    if (answer->before != NULL) {
        answer->before();
    }
    (void)poll(NULL, 0, answer->pause_ms);
    (void)send(fd, answer->text, strlen(answer->text), MSG_NOSIGNAL);
    for (const char *at = answer->behind; at != NULL && *at != '\0'; at++) {
        send_byte(fd, at, answer->descriptors);
    }
    (void)shutdown(fd, SHUT_WR);
    while (recv(fd, request, REQUEST_MAX, 0) > 0) { /* until the client has gone, or knows */
    }
    close(fd);
}

static void *run(void *context)
{
    const struct stub *stub = context;

    for (size_t i = 0; i < stub->count; i++) {
        const int fd = accept(stub->listener, NULL, NULL);
        if (fd >= 0) {
            serve(fd, &stub->answers[i]);
        }
    }
    return NULL;
}

void stub_open(struct stub *stub, const struct stub_answer *answers, size_t count)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    cr_assert_leq(count, STUB_ANSWERS_MAX);
    memset(stub, 0, sizeof *stub);
    memcpy(stub->answers, answers, count * sizeof *answers);
    stub->count = count;
    strcpy(stub->folder, "/tmp/doyen-stub-XXXXXX");
    cr_assert_not_null(mkdtemp(stub->folder));
    snprintf(stub->path, sizeof stub->path, "%s/socket", stub->folder);
    strcpy(address.sun_path, stub->path);
    stub->listener = socket(AF_UNIX, SOCK_STREAM, 0);
    cr_assert_geq(stub->listener, 0);
    cr_assert_eq(bind(stub->listener, (const struct sockaddr *)&address, sizeof address), 0);
    cr_assert_eq(listen(stub->listener, (int)STUB_ANSWERS_MAX), 0);
    cr_assert_eq(pthread_create(&stub->thread, NULL, run, stub), 0);
}

void stub_close(struct stub *stub)
{
    cr_assert_eq(pthread_join(stub->thread, NULL), 0);
    close(stub->listener);
    cr_expect_eq(unlink(stub->path), 0);
    cr_expect_eq(rmdir(stub->folder), 0);
}
