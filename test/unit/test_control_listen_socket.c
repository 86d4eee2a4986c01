/* The control socket as a file: whose it is, when it is removed, when it is not. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "control/http/listen_socket.h"

/* A directory of the test's own, and a log whose lines can be read back. */
struct place {
    char directory[32];
    char path[64];
    struct config config;
    struct log log;
    int log_fd;
};

static void place_open(struct place *place)
{
    *place = (struct place){.directory = "/tmp/doyen-test-XXXXXX"};
    cr_assert_not_null(mkdtemp(place->directory));
    snprintf(place->path, sizeof place->path, "%s/run/a.sock", place->directory);

    char name[64];
    snprintf(name, sizeof name, "%s/log", place->directory);
    place->log_fd = open(name, O_RDWR | O_CREAT, 0600);
    unlink(name);
    log_init(&place->log, place->log_fd, LOG_INFO, LOG_TEXT, "a");
}

/* The configuration with the path as it is now. */
static const struct config *place_config(struct place *place)
{
    snprintf(place->config.control, sizeof place->config.control, "%s", place->path);
    if (place->config.control_mode == 0) {
        place->config.control_mode = 0600;
    }
    return &place->config;
}

static void place_close(struct place *place)
{
    char directory[64];

    unlink(place->path);
    snprintf(directory, sizeof directory, "%s/run", place->directory);
    rmdir(directory);
    close(place->log_fd);
    cr_assert_eq(rmdir(place->directory), 0, "nothing is left behind");
}

static void assert_logged(const struct place *place, const char *word)
{
    char text[1024] = "";

    cr_assert_gt(pread(place->log_fd, text, sizeof text - 1, 0), 0);
    cr_assert_not_null(strstr(text, word), "%s", text);
}

Test(control_entrance, the_socket_is_for_its_owner_alone)
{
    struct place place;
    struct listen_socket listen_socket;
    struct stat status;
    place_open(&place);
    umask(0);

    cr_assert(listen_socket_open_unix(&listen_socket, place_config(&place), &place.log));
    cr_assert_eq(stat(place.path, &status), 0);
    cr_assert(S_ISSOCK(status.st_mode));
    cr_assert_eq(status.st_mode & 0777, 0600);
    *strrchr(place.path, '/') = '\0';
    cr_assert_eq(stat(place.path, &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0700, "the directory that was missing");
    place.path[strlen(place.path)] = '/';

    listen_socket_close(&listen_socket);
    cr_assert_neq(stat(place.path, &status), 0);
    place_close(&place);
}

/* A daemon that was killed leaves its socket behind. */
Test(control_entrance, a_stale_socket_is_replaced)
{
    struct place place;
    struct listen_socket first;
    struct listen_socket second;
    place_open(&place);

    cr_assert(listen_socket_open_unix(&first, place_config(&place), &place.log));
    close(first.fd);
    place.config.control_from_environment = true;
    cr_assert(listen_socket_open_unix(&second, place_config(&place), &place.log));
    assert_logged(&place, "replacing the control socket");
    assert_logged(&place, "DOYEN_CONTROL in the environment");
    close(second.fd);
    place_close(&place);
}

Test(control_entrance, a_socket_that_somebody_answers_at_is_left_alone)
{
    struct place place;
    struct listen_socket first;
    struct listen_socket second;
    place_open(&place);

    cr_assert(listen_socket_open_unix(&first, place_config(&place), &place.log));
    cr_assert_not(listen_socket_open_unix(&second, place_config(&place), &place.log));
    assert_logged(&place, "another process answers");
    assert_logged(&place, "--control");
    cr_assert_eq(access(place.path, F_OK), 0);
    close(first.fd);
    place_close(&place);
}

Test(control_entrance, a_file_that_is_no_socket_is_left_alone)
{
    struct place place;
    struct listen_socket listen_socket;
    place_open(&place);
    snprintf(place.path, sizeof place.path, "%s/file", place.directory);
    close(open(place.path, O_WRONLY | O_CREAT, 0600));

    cr_assert_not(listen_socket_open_unix(&listen_socket, place_config(&place), &place.log));
    assert_logged(&place, "is no socket");
    cr_assert_eq(access(place.path, F_OK), 0);
    place_close(&place);
}

/* The one who took the path over meanwhile keeps it. */
Test(control_entrance, the_file_of_another_is_not_removed)
{
    struct place place;
    struct listen_socket first;
    struct listen_socket second;
    place_open(&place);

    cr_assert(listen_socket_open_unix(&first, place_config(&place), &place.log));
    cr_assert_eq(unlink(place.path), 0);
    cr_assert(listen_socket_open_unix(&second, place_config(&place), &place.log));
    first.inode = second.inode + 1; /* The file system may have given the number out again. */
    cr_assert(listen_socket_is_lost(&first));
    listen_socket_renew(&first, &place.config, &place.log);
    assert_logged(&place, "another process answers");
    cr_assert(listen_socket_is_lost(&first));
    listen_socket_close(&first);
    cr_assert_eq(access(place.path, F_OK), 0);
    close(second.fd);
    place_close(&place);
}

Test(control_entrance, a_directory_that_cannot_be_made_is_told)
{
    struct place place;
    struct listen_socket listen_socket;
    place_open(&place);

    snprintf(place.path, sizeof place.path, "%s/no/such/a.sock", place.directory);
    place.config.control_from_environment = true;
    cr_assert_not(listen_socket_open_unix(&listen_socket, place_config(&place), &place.log));
    assert_logged(&place, "cannot make");
    assert_logged(&place, "DOYEN_CONTROL in the environment");
    place_close(&place);
}

/* The group gets through the directory to the socket, whatever the umask; nobody else does. */
Test(control_entrance, a_group_may_use_the_socket)
{
    struct place place;
    struct listen_socket listen_socket;
    struct stat status;
    gid_t groups[2] = {getegid(), 0};
    char directory[64];
    place_open(&place);
    umask(077);

    if (geteuid() == 0) {
        groups[0] = 4242; /* It may give files to any. */
    }
    strcpy(place.config.control_group, "ops");
    place.config.control_gid = groups[0];
    place.config.control_mode = 0660;
    cr_assert(listen_socket_open_unix(&listen_socket, place_config(&place), &place.log));
    cr_assert_eq(stat(place.path, &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0660);
    cr_assert_eq(status.st_gid, groups[0]);
    snprintf(directory, sizeof directory, "%s/run", place.directory);
    cr_assert_eq(stat(directory, &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0750);
    cr_assert_eq(status.st_gid, groups[0]);

    const int fd = listen_socket.fd;
    cr_assert_eq(unlink(place.path), 0);
    cr_assert(listen_socket_is_lost(&listen_socket));
    listen_socket_renew(&listen_socket, &place.config, &place.log);
    cr_assert_not(listen_socket_is_lost(&listen_socket));
    assert_logged(&place, "made it again");
    cr_assert_eq(listen_socket.fd, fd, "it is polled as before");
    cr_assert_eq(stat(place.path, &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0660);
    cr_assert_eq(status.st_gid, groups[0]);

    cr_assert_eq(unlink(place.path), 0);
    cr_assert_eq(rmdir(directory), 0);
    listen_socket_renew(&listen_socket, &place.config, &place.log);
    assert_logged(&place, "is gone, too: restart this daemon");
    close(listen_socket.fd);
    place_close(&place);
}

/* As a unit with RestrictSUIDSGID has it. */
static void forbid_group_bit(void)
{
#ifdef SYS_chmod
    enum { CALL = SYS_chmod, MODE = 1 };
#else
    enum { CALL = SYS_fchmodat, MODE = 2 };
#endif
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CALL, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[MODE])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, S_ISGID, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {.len = sizeof steps / sizeof steps[0], .filter = steps};

    cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    cr_assert_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

Test(control_entrance, a_directory_is_made_without_the_group_bit_where_that_is_forbidden)
{
    struct place place;
    struct listen_socket listen_socket;
    struct stat status;
    char directory[64];
    place_open(&place);

    forbid_group_bit();
    strcpy(place.config.control_group, "ops");
    place.config.control_gid = getegid();
    place.config.control_mode = 0660;
    cr_assert(listen_socket_open_unix(&listen_socket, place_config(&place), &place.log));
    snprintf(directory, sizeof directory, "%s/run", place.directory);
    cr_assert_eq(stat(directory, &status), 0);
    cr_assert_eq(status.st_mode & 07777, 0750);
    close(listen_socket.fd);
    place_close(&place);
}

/* A directory that was there is not this daemon's to open. */
Test(control_entrance, a_directory_that_keeps_the_group_out_is_told)
{
    struct place place;
    struct listen_socket listen_socket;
    char directory[64];
    struct stat status;
    place_open(&place);

    snprintf(directory, sizeof directory, "%s/run", place.directory);
    cr_assert_eq(mkdir(directory, 0700), 0);
    strcpy(place.config.control_group, "ops");
    place.config.control_gid = getegid();
    place.config.control_mode = 0660;
    cr_assert(listen_socket_open_unix(&listen_socket, place_config(&place), &place.log));
    assert_logged(&place, "does not let the group ops through");
    cr_assert_eq(stat(directory, &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0700);
    close(listen_socket.fd);
    place_close(&place);
}

/* Whoever may rename the socket away can put one of its own there. */
Test(control_entrance, a_directory_that_others_may_change_is_refused)
{
    struct place place;
    struct listen_socket listen_socket;
    struct complaint complaint;
    char directory[64];
    place_open(&place);
    umask(0);

    snprintf(directory, sizeof directory, "%s/run", place.directory);
    cr_assert_eq(mkdir(directory, 0775), 0);
    cr_assert_not(listen_socket_open_unix(&listen_socket, place_config(&place), &place.log));
    assert_logged(&place, "other accounts may write to it (chmod go-w keeps them out)");
    assert_logged(&place, "choose another place with --control PATH");
    cr_assert_not(listen_socket_check_unix(&place.config, &complaint));
    cr_assert_not_null(strstr(complaint.text, "other accounts may write to it"));
    if (geteuid() == 0) {
        cr_assert_eq(chmod(directory, 0755), 0);
        cr_assert_eq(chown(directory, 65534, 65534), 0);
        cr_assert_not(listen_socket_open_unix(&listen_socket, &place.config, &place.log));
        assert_logged(&place, "it belongs to the account 65534");
        cr_assert_eq(chown(directory, 0, 0), 0);
    }
    cr_assert_eq(chmod(directory, 01777), 0);
    cr_assert(listen_socket_open_unix(&listen_socket, &place.config, &place.log),
              "in /tmp nobody can remove it");
    close(listen_socket.fd);
    place_close(&place);
}
