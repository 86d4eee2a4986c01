/* Which daemon doyen talks to: flags, environment, the usual places. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/target.h"
#include "folder.h"

/* Two folders of sockets, and what is looked for. */
struct fixture {
    char root[64];
    char first[96];
    char second[96];
    struct target_wish wish;
    struct target target;
    struct problem problem;
};

static void make_folder(char *path, size_t size, const char *root, const char *name)
{
    snprintf(path, size, "%s/%s", root, name);
    cr_assert_eq(mkdir(path, 0700), 0);
}

static void fixture_init(struct fixture *fixture)
{
    *fixture = (struct fixture){.root = "/tmp/doyen-target-XXXXXX"};
    cr_assert_not_null(mkdtemp(fixture->root));
    make_folder(fixture->first, sizeof fixture->first, fixture->root, "a");
    make_folder(fixture->second, sizeof fixture->second, fixture->root, "b");
    fixture->wish.names = (struct target_names){"--control", "--url", "--expect-user"};
    fixture->wish.directories[0] = fixture->first;
    fixture->wish.directories[1] = fixture->second;
}

static void fixture_deinit(struct fixture *fixture)
{
    folder_remove(fixture->first);
    folder_remove(fixture->second);
    folder_remove(fixture->root);
}

static void add_file(const char *folder, const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fclose(file);
}

static int find(struct fixture *fixture)
{
    return target_find(&fixture->wish, &fixture->target, &fixture->problem);
}

static void expect_words(const struct fixture *fixture, const char *words)
{
    cr_expect_not_null(strstr(fixture->problem.text, words), "\"%s\" is not in \"%s\"", words,
                       fixture->problem.text);
}

Test(client_target, a_flag_wins_over_the_environment)
{
    struct fixture fixture;
    fixture_init(&fixture);

    fixture.wish.control_environment = "environment.sock";
    cr_expect_eq(find(&fixture), 0);
    cr_expect_str_eq(target_text(&fixture.target), "environment.sock");

    fixture.wish.url = "http://127.0.0.1:8080//";
    cr_expect_eq(find(&fixture), 0);
    cr_expect_str_eq(target_text(&fixture.target), "http://127.0.0.1:8080");
    cr_expect_str_eq(fixture.target.socket, "");
    fixture_deinit(&fixture);
}

Test(client_target, two_wishes_of_one_rank_contradict)
{
    struct fixture fixture;
    fixture_init(&fixture);

    fixture.wish.control_environment = "a.sock";
    fixture.wish.url_environment = "http://b";
    cr_expect_eq(find(&fixture), DOYEN_E_USAGE);
    expect_words(&fixture, "DOYEN_CONTROL and DOYEN_URL");

    fixture.wish.control = "a.sock";
    fixture.wish.url = "http://b";
    cr_expect_eq(find(&fixture), DOYEN_E_USAGE);
    expect_words(&fixture, "--control and --url");
    fixture_deinit(&fixture);
}

Test(client_target, the_only_socket_is_taken)
{
    struct fixture fixture;
    char expected[160];
    fixture_init(&fixture);

    add_file(fixture.first, "notes.txt");
    add_file(fixture.first, ".sock");
    add_file(fixture.second, "athens.sock");
    snprintf(expected, sizeof expected, "%s/athens.sock", fixture.second);
    cr_expect_eq(find(&fixture), 0);
    cr_expect_str_eq(target_text(&fixture.target), expected);
    fixture_deinit(&fixture);
}

Test(client_target, several_sockets_are_named_and_none_is_chosen)
{
    struct fixture fixture;
    fixture_init(&fixture);

    add_file(fixture.first, "athens.sock");
    add_file(fixture.second, "cyrene.sock");
    cr_expect_eq(find(&fixture), DOYEN_E_USAGE);
    expect_words(&fixture, "a/athens.sock, ");
    expect_words(&fixture, "b/cyrene.sock");
    expect_words(&fixture, "--control");
    fixture_deinit(&fixture);
}

Test(client_target, more_sockets_than_a_message_holds_are_still_refused)
{
    struct fixture fixture;
    char name[32];
    fixture_init(&fixture);

    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "node%d.sock", i);
        add_file(fixture.first, name);
    }
    cr_expect_eq(find(&fixture), DOYEN_E_USAGE);
    fixture_deinit(&fixture);
}

Test(client_target, no_socket_means_no_daemon)
{
    struct fixture fixture;
    fixture_init(&fixture);

    cr_expect_eq(find(&fixture), DOYEN_E_UNREACHABLE);
    expect_words(&fixture, "is doyend running?");
    fixture.wish.directories[0] = "/nonexistent";
    fixture.wish.directories[1] = NULL;
    cr_expect_eq(find(&fixture), DOYEN_E_UNREACHABLE);
    expect_words(&fixture, "/nonexistent");
    fixture_deinit(&fixture);
}

/* Whether a daemon runs there cannot be known: the account is at fault. */
Test(client_target, a_folder_that_may_not_be_read_is_not_an_empty_one)
{
    const uid_t account = geteuid();
    const bool is_root = account == 0; /* who may read everything, and so becomes nobody */
    struct fixture fixture;
    fixture_init(&fixture);

    add_file(fixture.first, "athens.sock");
    cr_assert_eq(chmod(fixture.root, 0755), 0);
    cr_assert_eq(chmod(fixture.first, 0), 0);
    cr_assert_eq(chmod(fixture.second, 0755), 0);
    cr_assert(!is_root || seteuid(65534) == 0);
    cr_expect_eq(find(&fixture), DOYEN_E_UNREACHABLE);
    expect_words(&fixture, "a may not be read by this account");
    expect_words(&fixture, "--control-group");

    cr_assert(!is_root || seteuid(account) == 0);
    cr_assert_eq(chmod(fixture.first, 0700), 0);
    add_file(fixture.second, "cyrene.sock");
    cr_assert_eq(chmod(fixture.first, 0), 0);
    cr_assert(!is_root || seteuid(65534) == 0);
    cr_expect_eq(find(&fixture), 0, "the only one that this account may use");
    cr_assert(!is_root || seteuid(account) == 0);
    cr_assert_eq(chmod(fixture.first, 0700), 0);
    fixture_deinit(&fixture);
}

Test(client_target, what_cannot_be_a_target_is_refused)
{
    static const char *const urls[] = {"127.0.0.1:8080",   "https://host", "http://",
                                       "ftp://host",       "http://:80",   "http://host/v1",
                                       "http://a@host",    "http://[::1",  "http://[]:80",
                                       "http://[::1]x:80", "http://h:1:2", "http://[::1]:1:2",
                                       "http://fd00::1:80"};
    char path[TARGET_SOCKET_MAX + 2];
    struct fixture fixture;
    fixture_init(&fixture);

    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        fixture.wish.url = urls[i];
        cr_expect_eq(find(&fixture), DOYEN_E_USAGE, "%s", urls[i]);
    }
    expect_words(&fixture, "with one port");
    fixture.wish.url = NULL;
    fixture.wish.control = "tcp://127.0.0.1:7421";
    cr_expect_eq(find(&fixture), DOYEN_E_USAGE);
    expect_words(&fixture, "give the path of a Unix socket; over TCP there is --url");
    fixture.wish.control = NULL;
    fixture.wish.expect_user = "no such account";
    cr_expect_eq(find(&fixture), DOYEN_E_USAGE);
    expect_words(&fixture, "--expect-user no such account");
    fixture.wish.expect_user = NULL;

    memset(path, 'x', sizeof path);
    path[TARGET_SOCKET_MAX + 1] = '\0';
    fixture.wish.control = path;
    cr_expect_eq(find(&fixture), DOYEN_E_USAGE);
    path[TARGET_SOCKET_MAX] = '\0';
    cr_expect_eq(find(&fixture), 0);
    fixture_deinit(&fixture);
}

/* The variable is named, for it is what has to be changed; an option overrides it. */
Test(client_target, a_variable_that_cannot_be_meant_is_named)
{
    char path[TARGET_SOCKET_MAX + 2];
    memset(path, 'x', sizeof path);
    path[TARGET_SOCKET_MAX + 1] = '\0';
    const struct {
        const char *control;
        const char *url;
        const char *user;
        const char *words;
    } cases[] = {
        {"", NULL, NULL, "DOYEN_CONTROL is empty"},
        {NULL, "", NULL, "DOYEN_URL is empty"},
        {"a.sock", "", NULL, "DOYEN_URL is empty"},
        {"a.sock", NULL, "", "DOYEN_EXPECT_USER is empty"},
        {NULL, NULL, "no such account", "DOYEN_EXPECT_USER no such account"},
        {NULL, "ftp://host", NULL, "DOYEN_URL ftp://host"},
        {path, NULL, NULL, "DOYEN_CONTROL xxx"},
    };
    struct fixture fixture;
    fixture_init(&fixture);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fixture.wish.control = NULL;
        fixture.wish.expect_user = NULL;
        fixture.wish.control_environment = cases[i].control;
        fixture.wish.url_environment = cases[i].url;
        fixture.wish.user_environment = cases[i].user;
        cr_expect_eq(find(&fixture), DOYEN_E_USAGE, "%s", cases[i].words);
        expect_words(&fixture, cases[i].words);
        fixture.wish.control = "b.sock";
        fixture.wish.expect_user = "0";
        cr_expect_eq(find(&fixture), 0, "%s", cases[i].words);
        cr_expect_str_eq(target_text(&fixture.target), "b.sock");
    }
    fixture_deinit(&fixture);
}
