#include "pty.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { QUIET_MS = 60 }; /* so long nothing came: it has drawn what it draws */

static _Noreturn void become(const char *const *argv, const char *setting)
{
    const union {
        const char *const *in;
        char *const *out;
    } arguments = {.in = argv};
    char text[128] = "";

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)setenv("TERM", "xterm", 1);
    (void)unsetenv("NO_COLOR");
    (void)unsetenv("LINES");
    (void)unsetenv("COLUMNS");
    if (setting != NULL) {
        snprintf(text, sizeof text, "%s", setting);
        (void)putenv(text);
    }
    (void)execvp(arguments.out[0], arguments.out);
    _exit(127);
}

bool pty_start(struct pty *pty, const char *const *argv, const char *setting, int rows, int columns)
{
    const struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};

    *pty = (struct pty){.terminal = -1};
    pty->pid = forkpty(&pty->terminal, NULL, NULL, &size);
    if (pty->pid == 0) {
        become(argv, setting);
    }
    return pty->pid > 0 && fcntl(pty->terminal, F_SETFD, FD_CLOEXEC) == 0 &&
           tcgetattr(pty->terminal, &pty->before) == 0;
}

void pty_type(struct pty *pty, const char *keys)
{
    (void)!write(pty->terminal, keys, strlen(keys));
}

void pty_resize(struct pty *pty, int rows, int columns)
{
    const struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};

    (void)ioctl(pty->terminal, TIOCSWINSZ, &size);
}

void pty_read(struct pty *pty)
{
    struct pollfd end = {.fd = pty->terminal, .events = POLLIN};

    while (poll(&end, 1, QUIET_MS) > 0) {
        if (pty->length > sizeof pty->output / 2) { /* The later half is enough for any screen. */
            const size_t kept = sizeof pty->output / 4;
            memmove(pty->output, pty->output + pty->length - kept, kept);
            pty->length = kept;
        }
        const ssize_t count = read(pty->terminal, pty->output + pty->length,
                                   sizeof pty->output - 1 - pty->length);
        if (count <= 0) {
            break; /* The program has ended. */
        }
        pty->length += (size_t)count;
    }
    pty->output[pty->length] = '\0';
}

/* Behind the control sequence that `text` begins with. */
static const char *sequence_end(const char *text)
{
    text++;
    if (*text != '[') {
        return *text == '(' && text[1] != '\0' ? text + 2 : text + (*text != '\0');
    }
    text++;
    while (*text != '\0' && (*text < '@' || *text > '~')) {
        text++;
    }
    return text + (*text != '\0');
}

/* Does the sequence only say how text looks? Others move the cursor, which is as good as a blank.
 */
static bool is_look(const char *sequence, const char *end)
{
    return end[-1] == 'm' || sequence[1] == '(';
}

/* Has the screen drawn anew (Ctrl-L) and returns it as text: where the cursor was moved there is a
 * blank. Valid until the next call. */
static const char *screen_of(struct pty *pty)
{
    static char text[PTY_BYTES_MAX];
    size_t length = 0;

    pty_type(pty, "\014");
    pty_read(pty);
    const char *from = pty->output;
    for (const char *at = from; (at = strstr(at, "\033[2J")) != NULL; at++) {
        from = at;
    }
    while (*from != '\0') {
        if (*from != '\033') {
            text[length++] = *from++;
            continue;
        }
        const char *end = sequence_end(from);
        if (!is_look(from, end)) {
            text[length++] = ' ';
        }
        from = end;
    }
    text[length] = '\0';
    return text;
}

bool pty_shows(struct pty *pty, const char *text)
{
    return strstr(screen_of(pty), text) != NULL;
}

bool pty_is_restored(struct pty *pty)
{
    const tcflag_t flags = ICANON | ECHO | ISIG;
    struct termios now;

    pty_read(pty);
    return tcgetattr(pty->terminal, &now) == 0 &&
           (now.c_lflag & flags) == (pty->before.c_lflag & flags) &&
           now.c_iflag == pty->before.c_iflag && now.c_oflag == pty->before.c_oflag;
}

bool pty_has_ended(struct pty *pty)
{
    pty_read(pty);
    if (!pty->ended) {
        pty->ended = waitpid(pty->pid, &pty->status, WNOHANG) == pty->pid;
    }
    return pty->ended;
}

void pty_close(struct pty *pty)
{
    if (!pty->ended) {
        (void)kill(pty->pid, SIGKILL);
        (void)waitpid(pty->pid, &pty->status, 0);
        pty->ended = true;
    }
    (void)close(pty->terminal);
}
