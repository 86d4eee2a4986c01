#include "cli/top/top_terminal.h"

#include <curses.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/top/top_ui.h"

enum {
    ESCAPE_MS = 50, /* after Esc, for the rest of a key that begins with it */
    PAIR_GOOD = 1,
    PAIR_DOUBTFUL,
    PAIR_BAD,
    CONTROL_L = 'L' & 0x1f,
};

/* --- Taking it, and giving it back --- */

/* Takes it as a screen; false, and it is as it was, where text cannot be placed on it. */
static bool begin_screen(void)
{
    static char place[] = "cup"; /* the capability that does so */
    const char *terminal = getenv("TERM");

    if (terminal == NULL || terminal[0] == '\0' || strcmp(terminal, "dumb") == 0 ||
        newterm(NULL, stdout, stdin) == NULL) {
        return false;
    }
    const char *sequence = tigetstr(place);
    if (sequence == NULL || sequence[0] == '\0') {
        (void)endwin();
        return false;
    }
    return true;
}

static void begin_colours(void)
{
    const char *no_color = getenv("NO_COLOR");

    if ((no_color != NULL && no_color[0] != '\0') || !has_colors() || start_color() != OK) {
        return;
    }
    const short background = use_default_colors() == OK ? -1 : COLOR_BLACK;
    (void)init_pair(PAIR_GOOD, COLOR_GREEN, background);
    (void)init_pair(PAIR_DOUBTFUL, COLOR_YELLOW, background);
    (void)init_pair(PAIR_BAD, COLOR_RED, background);
}

enum exit_code top_terminal_open(struct failure *failure)
{
    const char *terminal = getenv("TERM");

    if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1) {
        return failure_set(failure, EXIT_REFUSED,
                           "top takes a terminal, and input or output is none: doyen top --once "
                           "prints one screen");
    }
    if (!begin_screen()) {
        return failure_set(failure, EXIT_REFUSED,
                           "a terminal of type \"%s\" (TERM) cannot show a screen: doyen top "
                           "--once prints one",
                           terminal == NULL ? "" : terminal);
    }
    (void)cbreak();
    (void)noecho();
    (void)nonl();
    (void)curs_set(0);
    (void)keypad(stdscr, TRUE);
    (void)nodelay(stdscr, TRUE);
    (void)set_escdelay(ESCAPE_MS);
    begin_colours();
    return EXIT_DONE;
}

void top_terminal_close(void)
{
    if (stdscr != NULL && !isendwin()) {
        (void)endwin();
    }
}

bool top_terminal_has_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

void top_terminal_size(size_t *rows, size_t *columns)
{
    struct winsize size = {.ws_row = 0};

    /* A signal tells of a new size, but not who was stopped then. */
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0 &&
        (size.ws_row != LINES || size.ws_col != COLS)) {
        (void)resizeterm(size.ws_row, size.ws_col);
    }
    *rows = LINES > 0 ? (size_t)LINES : 1;
    *columns = COLS > 0 ? (size_t)COLS : 1;
}

/* --- Keys --- */

int top_terminal_key(void)
{
    static const struct {
        int curses;
        int key;
    } keys[] = {
        {KEY_UP, TOP_KEY_UP},         {KEY_DOWN, TOP_KEY_DOWN},
        {KEY_LEFT, TOP_KEY_LEFT},     {KEY_RIGHT, TOP_KEY_RIGHT},
        {KEY_PPAGE, TOP_KEY_PAGE_UP}, {KEY_NPAGE, TOP_KEY_PAGE_DOWN},
        {KEY_HOME, TOP_KEY_HOME},     {KEY_END, TOP_KEY_END},
        {KEY_ENTER, TOP_KEY_ENTER},   {'\r', TOP_KEY_ENTER},
        {'\n', TOP_KEY_ENTER},        {'\t', TOP_KEY_TAB},
        {KEY_BTAB, TOP_KEY_BACK_TAB}, {KEY_BACKSPACE, TOP_KEY_ERASE},
        {0x7f, TOP_KEY_ERASE},        {'\b', TOP_KEY_ERASE},
        {0x1b, TOP_KEY_ESCAPE},       {KEY_RESIZE, TOP_KEY_REDRAW},
        {CONTROL_L, TOP_KEY_REDRAW},  {ERR, TOP_KEY_NONE},
    };
    const int key = getch();

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (keys[i].curses == key) {
            return keys[i].key;
        }
    }
    return key < KEY_MIN ? key : 0; /* 0 means nothing to anybody. */
}

/* --- Cells --- */

/* Without colours what is bad is bold and what is faint is dim; the words say it too. */
static attr_t attributes_of(const struct top_look *look, short *pair)
{
    static const struct {
        short pair;
        attr_t without;
    } tones[] = {
        [TONE_PLAIN] = {0, A_NORMAL},
        [TONE_GOOD] = {PAIR_GOOD, A_NORMAL},
        [TONE_DOUBTFUL] = {PAIR_DOUBTFUL, A_BOLD},
        [TONE_BAD] = {PAIR_BAD, A_BOLD},
        [TONE_FAINT] = {0, A_DIM},
    };
    const bool coloured = COLOR_PAIRS > PAIR_BAD && tones[look->tone].pair != 0;

    if (coloured) {
        *pair = tones[look->tone].pair;
    }
    return (coloured ? A_NORMAL : tones[look->tone].without) | (look->bold ? A_BOLD : A_NORMAL) |
           (look->reverse ? A_REVERSE : A_NORMAL);
}

void top_terminal_show(const struct top_canvas *canvas)
{
    (void)erase();
    for (size_t row = 0; row < canvas->rows; row++) {
        (void)move((int)row, 0);
        for (size_t column = 0; column < canvas->columns; column++) {
            const struct top_cell *cell = top_canvas_cell(canvas, row, column);
            short pair = 0;
            const attr_t attributes = attributes_of(&cell->look, &pair);
            (void)attr_set(attributes, pair, NULL);
            (void)addstr(cell->text);
        }
    }
    (void)attr_set(A_NORMAL, 0, NULL);
    (void)refresh();
}

void top_terminal_redraw(void)
{
    (void)clearok(stdscr, TRUE);
}
