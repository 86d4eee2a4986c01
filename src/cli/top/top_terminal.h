/* The terminal of doyen top: cells on a screen, keys, and the terminal as it was afterwards. The
 * only file that knows ncurses. One at a time. */
#ifndef CLI_TOP_TERMINAL_H
#define CLI_TOP_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/request/failure.h"
#include "cli/top/top_canvas.h"

/* Takes the terminal. EXIT_REFUSED: there is none, or it cannot place text. Ctrl-Z works by itself:
 * the terminal is given back while the process is stopped. */
enum exit_code top_terminal_open(struct failure *failure);

/* Gives the terminal back as it was. Harmless when it was not taken. */
void top_terminal_close(void);

/* The size that the terminal has now. */
void top_terminal_size(size_t *rows, size_t *columns);

/* Does the terminal take characters beyond ASCII? */
bool top_terminal_has_utf8(void);

/* The next key, a character or one of enum top_key; TOP_KEY_NONE: there is none now. */
int top_terminal_key(void);

void top_terminal_show(const struct top_canvas *canvas);

/* Draws all of the screen anew when it is shown next. */
void top_terminal_redraw(void);

#endif
