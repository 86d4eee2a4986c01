/* A pseudo terminal with a program on it, as a person has one: keys go in, and what is on the
 * screen is read as text. */
#ifndef E2E_PTY_H
#define E2E_PTY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

enum { PTY_BYTES_MAX = 1 << 18 };

struct pty {
    int terminal; /* our end */
    pid_t pid;
    int status; /* when it has ended */
    bool ended;
    struct termios before; /* how the terminal was when the program got it */
    size_t length;
    char output[PTY_BYTES_MAX]; /* what came lately */
};

/* Starts argv[0] on a terminal of that size with TERM=xterm, and with the variable `setting`
 * ("NAME=VALUE"; NULL: none). False: there is no terminal to be had. */
bool pty_start(struct pty *pty, const char *const *argv, const char *setting, int rows,
               int columns);

/* Types the keys. */
void pty_type(struct pty *pty, const char *keys);

void pty_resize(struct pty *pty, int rows, int columns);

/* Reads what is there, and waits a little where nothing is. */
void pty_read(struct pty *pty);

/* Is that on the screen? */
bool pty_shows(struct pty *pty, const char *text);

/* Are lines edited and keys echoed again as they were? */
bool pty_is_restored(struct pty *pty);

/* Has it ended? Then `status` is set. */
bool pty_has_ended(struct pty *pty);

/* SIGKILL where it still runs; closes the terminal. */
void pty_close(struct pty *pty);

#endif
