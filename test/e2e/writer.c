/* A program for doyen run to start: it appends a line "NANOSECONDS EPOCH NODE PID" to a file each
 * millisecond, so that who wrote when, and under which epoch, can be read from the file.
 *
 *     doyen_writer FILE [stubborn] [escaping]
 *
 * stubborn: it ignores TERM. escaping: it has a grandchild that writes too, in a session of its own
 * and with a parent that has died. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static _Noreturn void write_lines(const char *path)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const char *epoch = getenv("DOYEN_EPOCH");
    const char *node = getenv("DOYEN_NODE");
    const struct timespec pause = {.tv_nsec = 1000000};

    if (file < 0 || epoch == NULL || node == NULL) {
        exit(1);
    }
    for (;;) {
        struct timespec now;
        (void)clock_gettime(CLOCK_BOOTTIME, &now);
        const long long now_ns = (long long)now.tv_sec * 1000000000 + now.tv_nsec;
        if (dprintf(file, "%lld %s %s %ld\n", now_ns, epoch, node, (long)getpid()) < 0) {
            exit(1);
        }
        (void)nanosleep(&pause, NULL);
    }
}

static void escape(const char *path)
{
    const pid_t parent = fork();

    if (parent != 0) {
        return;
    }
    if (setsid() > 0 && fork() == 0) {
        write_lines(path);
    }
    _exit(0);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        return 64;
    }
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "stubborn") == 0) {
            (void)signal(SIGTERM, SIG_IGN);
        } else if (strcmp(argv[i], "escaping") == 0) {
            escape(argv[1]);
        }
    }
    write_lines(argv[1]);
}
