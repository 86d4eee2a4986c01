/* doyen top on a pseudo terminal, as a person sees it, beside real daemons. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "pty.h"

enum { ROWS = 24, COLUMNS = 80 };

static struct cluster *formed(const char *names)
{
    static const char *const arguments[] = {"--faults", NULL};
    struct cluster *cluster = cluster_new(arguments);

    cluster_form(cluster, names);
    return cluster;
}

/* doyen top on a terminal, asking the daemon `name`. */
static struct pty *top_at(struct cluster *cluster, const char *name, const char *setting)
{
    const char *const argv[] = {DOYEN_PATH, "--control", cluster_daemon(cluster, name)->control,
                                "top", NULL};
    struct pty *pty = malloc(sizeof *pty);

    cr_assert_not_null(pty);
    cr_assert(pty_start(pty, argv, setting, ROWS, COLUMNS));
    return pty;
}

static void end(struct pty *pty)
{
    pty_close(pty);
    free(pty);
}

/* Who joins appears, and who was killed is said to have failed. */
Story(top, members_come_and_go_on_the_screen)
{
    struct cluster *cluster = formed("athens byzantium cyrene");
    struct pty *pty = top_at(cluster, "athens", NULL);

    assert_soon(pty_shows(pty, "cyrene"));
    assert_soon(pty_shows(pty, "this node: acts, "));
    cluster_start(cluster, "delphi", "athens", ARGS("--tag", "spare=yes"));
    assert_soon(pty_shows(pty, "delphi"));
    pty_resize(pty, ROWS, 2 * COLUMNS); /* Tags come last, where there is room. */
    assert_soon(pty_shows(pty, "spare=yes"));
    cluster_kill(cluster, "cyrene");
    assert_soon(pty_shows(pty, "failed: dead"));
    end(pty);
}

Story(top, a_filter_chooses_and_enter_says_why)
{
    struct cluster *cluster = formed("athens byzantium");
    struct pty *pty = top_at(cluster, "athens", NULL);

    assert_soon(pty_shows(pty, "coordinator, this node"));
    pty_type(pty, "/byz\r");
    assert_soon(pty_shows(pty, "/byz") && !pty_shows(pty, "coordinator, this node"));
    pty_type(pty, "\r");
    assert_soon(pty_shows(pty, "WHY byzantium"));
    assert_soon(pty_shows(pty, "byzantium is a member") || pty_shows(pty, "byzantium joined"));
    pty_type(pty, "?");
    assert_soon(pty_shows(pty, "Ctrl-L"));
    pty_type(pty, "q");
    assert_soon(pty_has_ended(pty));
    cr_expect_eq(WEXITSTATUS(pty->status), 0);
    end(pty);
}

/* A way that is cut is drawn, and a split and the merge after it are marked. */
Story(top, cuts_and_splits_are_drawn)
{
    struct cluster *cluster = formed("athens byzantium cyrene delphi");
    struct pty *pty = top_at(cluster, "athens", NULL);

    pty_type(pty, "2");
    assert_soon(pty_shows(pty, "all that is known of the links is good"));
    (void)doyen(cluster, "byzantium", ARGS("fault", "drop", "cyrene"));
    assert_soon(pty_shows(pty, "x->"));
    (void)doyen(cluster, "byzantium", ARGS("fault", "clear"));
    (void)doyen(cluster, "athens", ARGS("fault", "drop", "cyrene", "delphi"));
    (void)doyen(cluster, "byzantium", ARGS("fault", "drop", "cyrene", "delphi"));
    pty_type(pty, "3");
    assert_soon(pty_shows(pty, "may have split"));
    assert_soon(strcmp(text_of(cluster_members(cluster, "cyrene"), "coordinator"), "cyrene") == 0);
    (void)doyen(cluster, "athens", ARGS("fault", "clear"));
    (void)doyen(cluster, "byzantium", ARGS("fault", "clear"));
    assert_soon(pty_shows(pty, "this node's part"));
    end(pty);
}

Story(top, a_daemon_goes_away_and_comes_back)
{
    struct cluster *cluster = formed("athens byzantium");
    struct pty *pty = top_at(cluster, "byzantium", NULL);

    assert_soon(pty_shows(pty, "athens"));
    cluster_kill(cluster, "byzantium");
    assert_soon(pty_shows(pty, "AWAY"));
    assert_soon(pty_shows(pty, "athens")); /* as it was last */
    cluster_restart(cluster, "byzantium");
    assert_soon(!pty_shows(pty, "AWAY"));
    assert_soon(pty_shows(pty, "byzantium: member"));
    end(pty);
}

Story(top, a_new_size_is_drawn_and_a_small_one_is_borne)
{
    struct cluster *cluster = formed("athens byzantium");
    struct pty *pty = top_at(cluster, "athens", NULL);

    assert_soon(pty_shows(pty, "q end"));
    assert_soon(pty_shows(pty, "EVENTS"));
    pty_resize(pty, 6, 30);
    assert_soon(!pty_shows(pty, "q end") && pty_shows(pty, "athens"));
    pty_resize(pty, 1, 5);
    assert_soon(!pty_shows(pty, "athens"));
    pty_resize(pty, 40, 120);
    assert_soon(pty_shows(pty, "q end"));
    end(pty);
}

/* However it ends, the terminal is as it was: lines edited, keys echoed, the former screen shown.
 */
static void assert_gives_back(struct cluster *cluster, int signal, const char *keys)
{
    struct pty *pty = top_at(cluster, "athens", NULL);

    assert_soon(pty_shows(pty, "byzantium"));
    cr_assert(!pty_is_restored(pty));
    if (signal != 0) {
        cr_assert_eq(kill(pty->pid, signal), 0);
    }
    pty_type(pty, keys);
    assert_soon(pty_has_ended(pty));
    cr_expect(pty_is_restored(pty), "after signal %d, keys %s", signal, keys);
    cr_expect_not_null(strstr(pty->output, "\033[?1049l"), "signal %d", signal);
    if (signal != 0) {
        cr_expect(WIFSIGNALED(pty->status) && WTERMSIG(pty->status) == signal, "signal %d: %x",
                  signal, (unsigned)pty->status);
    }
    end(pty);
}

Story(top, the_terminal_is_given_back)
{
    struct cluster *cluster = formed("athens byzantium");

    assert_gives_back(cluster, 0, "q");
    assert_gives_back(cluster, 0, "\003");
    assert_gives_back(cluster, SIGTERM, "");
    assert_gives_back(cluster, SIGINT, "");
    assert_gives_back(cluster, SIGHUP, "");
    assert_gives_back(cluster, SIGQUIT, "");
}

/* Ctrl-Z gives the terminal to the shell, and fg takes it again. */
Story(top, it_can_be_stopped_and_goes_on)
{
    struct cluster *cluster = formed("athens byzantium");
    const char *const argv[] = {"bash", "--norc", "--noediting", "-i", NULL};
    struct pty *pty = malloc(sizeof *pty);

    cr_assert(pty != NULL && pty_start(pty, argv, "PS1=ready>", ROWS, COLUMNS));
    pty_type(pty, text_kept("%s --control %s top\n", DOYEN_PATH,
                            cluster_daemon(cluster, "athens")->control));
    assert_soon(pty_shows(pty, "q end"));
    pty_type(pty, "\032");
    assert_soon(pty_is_restored(pty));
    assert_soon((pty_read(pty), strstr(pty->output, "Stopped") != NULL));
    pty->length = 0;
    pty_type(pty, "fg\n");
    assert_soon(!pty_is_restored(pty));
    assert_soon(pty_shows(pty, "q end"));
    end(pty);
}

Story(top, it_says_that_its_daemon_is_stopped)
{
    struct cluster *cluster = formed("athens byzantium");
    struct pty *pty = top_at(cluster, "athens", NULL);

    assert_soon(pty_shows(pty, "byzantium"));
    cluster_pause(cluster, "athens");
    assert_soon(pty_shows(pty, "AWAY: the daemon does not answer"));
    cluster_resume(cluster, "athens");
    end(pty);
}

Story(top, without_colours_it_says_the_same)
{
    struct cluster *cluster = formed("athens byzantium");
    struct pty *coloured = top_at(cluster, "athens", NULL);
    struct pty *plain = top_at(cluster, "athens", "NO_COLOR=1");

    assert_soon(pty_shows(coloured, "byzantium") && pty_shows(plain, "byzantium"));
    cr_expect_not_null(strstr(coloured->output, "\033[32m"), "what is alive is green");
    cr_expect_null(strstr(plain->output, "\033[32m"));
    end(coloured);
    end(plain);
}

Story(top, a_terminal_that_cannot_show_it_gets_one_line)
{
    struct cluster *cluster = formed("athens byzantium");
    struct pty *pty = top_at(cluster, "athens", "TERM=dumb");

    assert_soon(pty_has_ended(pty));
    cr_expect_eq(WEXITSTATUS(pty->status), 1);
    assert_text_has(pty->output, "doyen: a terminal of type \"dumb\" (TERM) cannot show a screen");
    cr_expect_eq(line_count(pty->output), 1, "%s", pty->output);
    end(pty);

    const struct outcome piped = doyen(cluster, "athens", ARGS("top"));
    cr_expect_eq(piped.code, 1);
    cr_expect_eq(line_count(piped.err), 1, "%s", piped.err);
    assert_text_has(piped.err, "--once");
}

/* One screen as plain text: all panes, and nothing that steers a terminal. */
Story(top, once_prints_all_panes)
{
    struct cluster *cluster = formed("athens byzantium");

    const struct outcome once = doyen(cluster, "athens", ARGS("top", "--once"));
    cr_expect_eq(once.code, 0, "%s", once.err);
    cr_expect_str_empty(once.err);
    assert_text_has(once.out, "athens: member");
    assert_text_has(once.out, "byzantium");
    assert_text_has(once.out, "WATCHES");
    assert_text_has(once.out, "EVENTS");
    assert_text_has(once.out, "datagrams in");
    cr_expect_null(strchr(once.out, '\033'));
    cr_expect_eq(doyen(cluster, "athens", ARGS("--json", "top")).code, 64);
}

/* By the daemon's --http, which is how one looks from another host. */
Story(top, an_url_is_as_good_as_a_socket)
{
    struct cluster *cluster = cluster_new(NO_ARGS);
    const char *http = text_kept("%s:%u", cluster->host, cluster_port(cluster));
    const char *url = text_kept("http://%s", http);
    const char *const argv[] = {DOYEN_PATH, "--url", url, "top", NULL};
    struct pty *pty = malloc(sizeof *pty);

    cluster_start(cluster, "athens", NULL, ARGS("--http", http));
    assert_agreement(cluster, "athens");
    const struct outcome once = doyen(cluster, NULL, ARGS("--url", url, "top", "--once"));
    cr_expect_eq(once.code, 0, "%s", once.err);
    assert_text_has(once.out, "athens: member");
    cr_assert(pty != NULL && pty_start(pty, argv, NULL, ROWS, COLUMNS));
    assert_soon(pty_shows(pty, "athens: member"));
    cluster_start(cluster, "byzantium", "athens", NO_ARGS);
    assert_soon(pty_shows(pty, "byzantium"));
    end(pty);
}

Story(top, the_voters_of_guard_strict_are_named)
{
    static const char *const names[] = {"athens", "byzantium", "cyrene"};
    static const char *const strict[] = {"--guard", "strict", "--voters", "athens,byzantium,cyrene",
                                         NULL};
    struct cluster *cluster = cluster_new(strict);

    for (size_t i = 0; i < 3; i++) {
        const char *state = cluster_path(cluster, text_kept("%s.state", names[i]));
        cluster_start(cluster, names[i], "athens", ARGS("--state-dir", state));
    }
    assert_soon(cluster_members(cluster, "athens") != NULL);
    struct pty *pty = top_at(cluster, "athens", NULL);
    assert_soon(pty_shows(pty, "voters (2 needed): athens votes, byzantium votes, cyrene votes"));
    cluster_kill(cluster, "cyrene");
    assert_soon(pty_shows(pty, "cyrene is not in"));
    end(pty);
}
