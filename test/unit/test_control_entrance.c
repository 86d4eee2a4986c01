/* The control socket as a file: whose it is, when it is removed, when it is not. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/entrance.h"

/* A directory of the test's own, and a log whose lines can be read back. */
struct place {
    char directory[32];
    char path[64];
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
    struct entrance entrance;
    struct stat status;
    place_open(&place);
    umask(0);

    cr_assert(entrance_open_unix(&entrance, place.path, &place.log));
    cr_assert_eq(stat(place.path, &status), 0);
    cr_assert(S_ISSOCK(status.st_mode));
    cr_assert_eq(status.st_mode & 0777, 0600);
    *strrchr(place.path, '/') = '\0';
    cr_assert_eq(stat(place.path, &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0700, "the directory that was missing");
    place.path[strlen(place.path)] = '/';

    entrance_unlink(&entrance);
    cr_assert_neq(stat(place.path, &status), 0);
    close(entrance.fd);
    place_close(&place);
}

/* A daemon that was killed leaves its socket behind. */
Test(control_entrance, a_stale_socket_is_replaced)
{
    struct place place;
    struct entrance first;
    struct entrance second;
    place_open(&place);

    cr_assert(entrance_open_unix(&first, place.path, &place.log));
    close(first.fd);
    cr_assert(entrance_open_unix(&second, place.path, &place.log));
    close(second.fd);
    place_close(&place);
}

Test(control_entrance, a_socket_that_somebody_answers_at_is_left_alone)
{
    struct place place;
    struct entrance first;
    struct entrance second;
    place_open(&place);

    cr_assert(entrance_open_unix(&first, place.path, &place.log));
    cr_assert_not(entrance_open_unix(&second, place.path, &place.log));
    assert_logged(&place, "another process answers");
    assert_logged(&place, "--control");
    cr_assert_eq(access(place.path, F_OK), 0);
    close(first.fd);
    place_close(&place);
}

Test(control_entrance, a_file_that_is_no_socket_is_left_alone)
{
    struct place place;
    struct entrance entrance;
    place_open(&place);
    snprintf(place.path, sizeof place.path, "%s/file", place.directory);
    close(open(place.path, O_WRONLY | O_CREAT, 0600));

    cr_assert_not(entrance_open_unix(&entrance, place.path, &place.log));
    assert_logged(&place, "is no socket");
    cr_assert_eq(access(place.path, F_OK), 0);
    place_close(&place);
}

/* The one who took the path over meanwhile keeps it. */
Test(control_entrance, the_file_of_another_is_not_removed)
{
    struct place place;
    struct entrance first;
    struct entrance second;
    place_open(&place);

    cr_assert(entrance_open_unix(&first, place.path, &place.log));
    close(first.fd);
    cr_assert(entrance_open_unix(&second, place.path, &place.log));
    first.inode = second.inode + 1; /* The file system may have given the number out again. */
    entrance_unlink(&first);
    cr_assert_eq(access(place.path, F_OK), 0);
    close(second.fd);
    place_close(&place);
}

Test(control_entrance, a_path_that_does_not_fit_or_cannot_be_made_is_refused)
{
    struct place place;
    struct entrance entrance;
    char path[CONFIG_PATH_MAX + 2];
    place_open(&place);

    memset(path, 'x', sizeof path);
    path[sizeof path - 1] = '\0';
    cr_assert_eq(strlen(path), CONFIG_PATH_MAX + 1);
    cr_assert_not(entrance_open_unix(&entrance, path, &place.log));
    assert_logged(&place, "107");
    cr_assert_not(entrance_open_unix(&entrance, "", &place.log));

    snprintf(path, sizeof path, "%s/no/such/a.sock", place.directory);
    cr_assert_not(entrance_open_unix(&entrance, path, &place.log));
    assert_logged(&place, "cannot make");
    place_close(&place);
}
