/* doyen init, invite and join: from one host to three, and what strangers can do to that: nothing
 * but end an invitation. The files of each host are below a folder of its own (--root). */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"

enum {
    DONE = 0,
    REFUSED = 1,
    UNREACHABLE = 4,
    USAGE = 64,
    HOSTS = 3,
    WRONG_MAX = 32,
    MODE = 07777
};

/* A host: its folder, where its doyend is, and that process. */
struct host {
    const char *name;
    const char *root;
    const char *listen;
    struct process daemon;
};

/* The first host, its invitations, and the others. */
struct setting {
    struct cluster *cluster;
    struct host hosts[HOSTS];
    struct process invite;
    const char *invite_out;
    const char *sponsor; /* "127.1.2.3:4711" */
    uint16_t port;
};

static const char *file(const struct host *host, const char *name)
{
    return text_kept("%s/%s", host->root, name);
}

static const char *content(const char *path)
{
    char *read = file_read(path, NULL);
    const char *kept = text_kept("%s", read == NULL ? "" : read);

    free(read);
    return kept;
}

static const char *conf_of(const struct host *host)
{
    return content(file(host, "etc/doyen/doyend.conf"));
}

static struct setting *begin(void)
{
    static struct setting setting;
    static const char *const names[HOSTS] = {"host1", "host2", "host3"};

    memset(&setting, 0, sizeof setting);
    setting.cluster = cluster_new(NO_ARGS);
    for (size_t i = 0; i < HOSTS; i++) {
        setting.hosts[i].name = names[i];
        setting.hosts[i].root = cluster_path(setting.cluster, names[i]);
        setting.hosts[i].listen = cluster_daemon(setting.cluster, names[i])->address;
    }
    setting.port = cluster_port(setting.cluster);
    setting.sponsor = text_kept("%s:%u", setting.cluster->host, setting.port);
    setting.invite_out = cluster_path(setting.cluster, "invite.out");
    return &setting;
}

static void end(struct setting *setting)
{
    process_kill(&setting->invite);
    for (size_t i = 0; i < HOSTS; i++) {
        process_kill(&setting->hosts[i].daemon);
    }
}

static struct outcome init(struct setting *setting, const char *option)
{
    const struct host *host = &setting->hosts[0];

    return doyen(
        setting->cluster, NULL,
        ARGS("init", "--root", host->root, "--name", host->name, "--listen", host->listen, option));
}

static void start(struct setting *setting, size_t which)
{
    struct host *host = &setting->hosts[which];

    cr_assert(process_start(&host->daemon,
                            ARGS(DOYEND_PATH, "--config", file(host, "etc/doyen/doyend.conf")),
                            file(host, "out"), file(host, "log")));
}

static const char *socket_of(const struct host *host)
{
    return text_kept("%s/run/%s.sock", host->root, host->name);
}

static bool waits(struct setting *setting, size_t which, const char *members)
{
    return doyen(setting->cluster, NULL,
                 ARGS("--control", socket_of(&setting->hosts[which]), "wait", "--members", members,
                      "--timeout", "20s"))
               .code == DONE;
}

/* Starts doyen invite, and returns when it has printed its words. */
static void invite(struct setting *setting, const char *count)
{
    cr_assert(process_start(&setting->invite,
                            ARGS(DOYEN_PATH, "invite", "--root", setting->hosts[0].root, "--count",
                                 count, "--port", text_kept("%u", setting->port)),
                            setting->invite_out, text_kept("%s.err", setting->invite_out)));
    assert_soon(strstr(content(setting->invite_out), "This waits") != NULL);
}

/* The word of the line of that number, from 0 on. */
static const char *word(struct setting *setting, size_t number)
{
    const char *line = content(setting->invite_out);

    for (size_t i = 0; i <= number; i++) {
        line = strstr(line, "doyen join ");
        cr_assert_not_null(line);
        line += strlen("doyen join ");
    }
    const char *at = strchr(line, ' ') + 1;
    return text_kept("%.*s", (int)strcspn(at, "\n"), at);
}

static struct outcome join_as(struct setting *setting, size_t which, const char *name,
                              const char *by)
{
    const struct host *host = &setting->hosts[which];

    return doyen(setting->cluster, NULL,
                 ARGS("join", setting->sponsor, "--root", host->root, "--name", name, "--listen",
                      host->listen, by));
}

static struct outcome join(struct setting *setting, size_t which, const char *by)
{
    return join_as(setting, which, setting->hosts[which].name, by);
}

/* The first host runs. `more` is added to its configuration before. */
static struct setting *found(const char *option, const char *more)
{
    struct setting *setting = begin();
    struct outcome outcome = init(setting, option);

    cr_assert_eq(outcome.code, DONE, "%s", outcome.err);
    FILE *conf = fopen(file(&setting->hosts[0], "etc/doyen/doyend.conf"), "ae");
    cr_assert_not_null(conf);
    fputs(more, conf);
    fclose(conf);
    start(setting, 0);
    cr_assert(waits(setting, 0, "1"), "%s", content(file(&setting->hosts[0], "log")));
    return setting;
}

static void bring_in(struct setting *setting, size_t which, size_t number)
{
    const struct outcome outcome = join(setting, which, word(setting, number));

    cr_assert_eq(outcome.code, DONE, "%s", outcome.err);
    start(setting, which);
}

/* --- From one host to three ------------------------------------------------------------------- */

Story(invite, three_hosts_become_a_cluster)
{
    struct setting *setting = found(NULL, "");
    struct stat status;

    invite(setting, "2");
    bring_in(setting, 1, 0);
    bring_in(setting, 2, 1);
    cr_assert(waits(setting, 0, "3") && waits(setting, 2, "3"));
    cr_assert(process_wait(&setting->invite, LIMIT_MS));
    cr_assert_eq(process_exit_code(&setting->invite), DONE);

    const char *key = content(file(&setting->hosts[0], "var/lib/doyen/key"));
    for (size_t i = 0; i < HOSTS; i++) {
        const struct host *host = &setting->hosts[i];
        cr_assert_str_eq(content(file(host, "var/lib/doyen/key")), key);
        cr_assert_eq(stat(file(host, "var/lib/doyen/key"), &status), 0);
        cr_assert_eq(status.st_mode & MODE, 0600);
        cr_assert_eq(doyend(setting->cluster,
                            ARGS("--config", file(host, "etc/doyen/doyend.conf"), "--print-config"))
                         .code,
                     DONE);
        for (size_t other = 0; other < HOSTS; other++) { /* The second one's was written before the
                                                            third one came. */
            cr_assert(
                other > i || strstr(conf_of(host),
                                    text_kept("seed = %s\n", setting->hosts[other].listen)) != NULL,
                "%s has no seed %s:\n%s", host->name, setting->hosts[other].listen, conf_of(host));
        }
    }
    assert_text_has(conf_of(&setting->hosts[0]), setting->hosts[2].listen);
    cr_assert_null(strstr(content(setting->invite_out), key));
    end(setting);
}

static bool three_vote(struct setting *setting)
{
    const struct outcome outcome = doyen(
        setting->cluster, NULL,
        ARGS("--json", "--control", socket_of(&setting->hosts[2]), "voters"));

    return outcome.code == DONE &&
           json_array_size(json_object_get(document_kept(outcome.out), "voters")) == HOSTS;
}

/* With --strict the founder votes alone until there are three, and then all three do: in no view
 * are there two, of which neither could be lost. Then the founder may go, and has its place in no
 * file. */
Story(invite, with_strict_the_first_three_become_voters_in_one_change)
{
    struct setting *setting = found("--strict", "profile = local\n");

    assert_text_has(conf_of(&setting->hosts[0]), "voters = host1\nvoters-target = 3\n");
    invite(setting, "2");
    bring_in(setting, 1, 0);
    cr_assert(waits(setting, 1, "2"));
    assert_text_has(conf_of(&setting->hosts[1]), "voters = host1\n");
    bring_in(setting, 2, 1);
    cr_assert(waits(setting, 2, "3"));
    assert_text_has(conf_of(&setting->hosts[2]), "profile = local\n");
    assert_text_has(conf_of(&setting->hosts[2]), "voters = host1,host2,host3\n");
    assert_text_has(conf_of(&setting->hosts[0]), "voters = host1,host2,host3\n");

    assert_soon(three_vote(setting));
    const char *log = content(file(&setting->hosts[2], "log"));
    const char *change = strstr(log, "becomes_voter)");
    cr_assert_not_null(change);
    cr_assert_not_null(strstr(change + 1, "becomes_voter)"));
    cr_assert_lt(strstr(change + 1, "becomes_voter)") - change,
                 (ptrdiff_t)strlen("becomes_voter) ~host2(becomes_voter)"));

    process_kill(&setting->hosts[0].daemon);
    cr_assert_eq(doyen(setting->cluster, NULL,
                       ARGS("--control", socket_of(&setting->hosts[2]), "wait", "--gone", "host1",
                            "--guard-met", "--timeout", "20s"))
                     .code,
                 DONE);
    end(setting);
}

/* How the node stands as a voter, as its status has it. */
static const char *voter_of(struct setting *setting, size_t which)
{
    const struct outcome outcome = doyen(
        setting->cluster, NULL,
        ARGS("--json", "--control", socket_of(&setting->hosts[which]), "status"));

    const json_t *status = document_kept(outcome.out); /* Exit 6 while it is not in. */

    return status == NULL ? "" : text_of(status, "voter");
}

/* A founder that has lost its disk asks those who vote, and founds nothing beside them. */
Story(invite, a_founder_without_its_disk_founds_nothing)
{
    struct setting *setting = found("--strict", "profile = local\n");

    invite(setting, "2");
    bring_in(setting, 1, 0);
    bring_in(setting, 2, 1);
    cr_assert(waits(setting, 2, "3"));
    assert_soon(three_vote(setting));
    for (size_t i = 0; i < HOSTS; i++) {
        process_kill(&setting->hosts[i].daemon);
    }
    cr_assert_eq(system(text_kept("cd %s && mv key ../k && rm -r * && mv ../k key", // NOLINT
                                  file(&setting->hosts[0], "var/lib/doyen"))),
                 0);
    start(setting, 0);
    assert_soon(strcmp(voter_of(setting, 0), "founding") == 0);
    start(setting, 1);
    start(setting, 2);
    cr_assert(waits(setting, 0, "3"));
    cr_assert_str_neq(voter_of(setting, 0), "votes");
    const char *log = content(file(&setting->hosts[0], "log")); /* Of both lives. */
    const char *once = strstr(log, "reason=founded");
    cr_assert(once != NULL && strstr(once + 1, "reason=founded") == NULL);
    end(setting);
}

/* --- The word ----------------------------------------------------------------------------------
 */

Story(invite, a_word_lets_one_host_in)
{
    struct setting *setting = found(NULL, "");

    invite(setting, "2");
    const char *first = word(setting, 0);
    cr_assert_eq(join(setting, 1, first).code, DONE);
    struct outcome again = join(setting, 2, first);
    cr_assert_eq(again.code, REFUSED);
    assert_text_has(again.err, "was used");
    cr_assert_eq(access(file(&setting->hosts[2], "var/lib/doyen/key"), F_OK), -1);
    cr_assert_eq(join(setting, 2, word(setting, 1)).code, DONE);
    end(setting);
}

Story(invite, a_name_that_is_taken_costs_no_word)
{
    struct setting *setting = found(NULL, "");

    invite(setting, "1");
    const char *first = word(setting, 0);
    struct outcome outcome = join_as(setting, 1, "host1", first);
    cr_assert_eq(outcome.code, REFUSED);
    assert_text_has(outcome.err, "--name");
    cr_assert_eq(join(setting, 1, first).code, DONE);
    end(setting);
}

/* Its word is used and its name written down, and it has nothing. It may ask again, and nobody else
 * under its name. */
Story(invite, a_host_that_lost_the_answer_asks_again_by_another_word)
{
    struct setting *setting = found(NULL, "");
    const struct host *host = &setting->hosts[1];

    invite(setting, "2");
    cr_assert_eq(mkdir(host->root, 0700), 0);
    FILE *in_the_way = fopen(file(host, "var"), "we");
    cr_assert_not_null(in_the_way);
    fclose(in_the_way);
    cr_assert_eq(join(setting, 1, word(setting, 0)).code, REFUSED);
    cr_assert_eq(remove(file(host, "var")), 0);

    const struct outcome other = join_as(setting, 2, host->name, word(setting, 1));
    cr_assert_eq(other.code, REFUSED);
    assert_text_has(other.err, "--name");
    const struct outcome again = join(setting, 1, word(setting, 1));
    cr_assert_eq(again.code, DONE, "%s", again.err);
    const char *conf = conf_of(&setting->hosts[0]);
    const char *seed = strstr(conf, text_kept("seed = %s\n", host->listen));
    cr_assert(seed != NULL && strstr(seed + strlen("seed = x"), host->listen) == NULL, "%s", conf);
    end(setting);
}

/* What it calls its address is written down at the sponsor, whose doyend has to start again. */
Story(invite, a_joiner_of_another_family_is_no_seed)
{
    struct setting *setting = found(NULL, "");
    const char *conf = file(&setting->hosts[0], "etc/doyen/doyend.conf");
    struct stat status;

    cr_assert_eq(chmod(conf, 0640), 0);
    invite(setting, "1");
    setting->hosts[1].listen = text_kept("[::1]:%u", cluster_port(setting->cluster));
    const struct outcome outcome = join(setting, 1, word(setting, 0));
    if (strstr(outcome.err, "does not have that address") != NULL) {
        end(setting); /* There is no IPv6 here. */
        return;
    }
    cr_assert_eq(outcome.code, DONE, "%s", outcome.err);
    cr_assert_null(strstr(content(conf), "::1"));
    cr_assert_eq(doyend(setting->cluster, ARGS("--config", conf, "--print-config")).code, DONE);
    cr_assert_eq(stat(conf, &status), 0);
    cr_assert_eq(status.st_mode & MODE, 0640);
    end(setting);
}

/* Where doyend could not listen no word is used up. */
Story(invite, an_address_in_use_costs_no_word)
{
    struct setting *setting = found(NULL, "");

    invite(setting, "1");
    const struct outcome outcome = doyen(setting->cluster, NULL,
                                         ARGS("join", setting->sponsor, "--root",
                                              setting->hosts[1].root, "--listen",
                                              setting->hosts[0].listen, word(setting, 0)));
    cr_assert_eq(outcome.code, REFUSED);
    assert_text_has(outcome.err, "is in use there already");
    cr_assert_eq(join(setting, 1, word(setting, 0)).code, DONE);
    end(setting);
}

/* A key that doyend does not go by is not handed on. */
Story(invite, a_key_of_another_cluster_is_not_handed_on)
{
    struct setting *setting = found(NULL, "");
    const char *key = file(&setting->hosts[0], "var/lib/doyen/key");

    cr_assert_eq(unlink(key), 0);
    cr_assert_eq(doyend(setting->cluster, ARGS("--make-key", key)).code, DONE);
    const struct outcome outcome = doyen(setting->cluster, NULL,
                                         ARGS("invite", "--root", setting->hosts[0].root));
    cr_assert_eq(outcome.code, REFUSED);
    assert_text_has(outcome.err, "without the key that doyend here goes by");
    end(setting);
}

/* The file has to say who founds before one more has the key. */
Story(invite, nobody_gets_the_key_while_the_configuration_cannot_be_written)
{
    struct setting *setting = found("--strict", "profile = local\n");
    const char *in_the_way = file(&setting->hosts[0], "etc/doyen/doyend.conf.new");

    invite(setting, "1");
    cr_assert_eq(mkdir(in_the_way, 0700), 0);
    const struct outcome outcome = join(setting, 1, word(setting, 0));
    cr_assert_eq(outcome.code, REFUSED);
    assert_text_has(outcome.err, "cannot write its configuration");
    cr_assert_eq(access(file(&setting->hosts[1], "var/lib/doyen/key"), F_OK), -1);
    cr_assert_eq(rmdir(in_the_way), 0);
    cr_assert_eq(join(setting, 1, word(setting, 0)).code, DONE);
    end(setting);
}

/* It would be looked up as the name of a host, and so shown to the network. */
Story(invite, a_word_in_the_place_of_the_host_is_refused)
{
    struct setting *setting = found(NULL, "");

    invite(setting, "1");
    const struct outcome outcome = doyen(setting->cluster, NULL, ARGS("join", word(setting, 0)));
    cr_assert_eq(outcome.code, USAGE);
    assert_text_has(outcome.err, "that is the word");
    cr_assert_null(strstr(outcome.err, word(setting, 0)));

    const struct host *host = &setting->hosts[1];
    const struct outcome peers = doyen(setting->cluster, NULL,
                                       ARGS("join", setting->hosts[0].listen, "--root", host->root,
                                            "--listen", host->listen, word(setting, 0)));
    cr_assert_eq(peers.code, REFUSED);
    assert_text_has(peers.err, "that is not the port which doyen invite printed");
    end(setting);
}

Story(invite, a_word_is_read_from_standard_input)
{
    struct setting *setting = found(NULL, "");
    const struct host *host = &setting->hosts[1];
    struct process process = {.pid = 0};

    invite(setting, "1");
    cr_assert(process_start(
        &process,
        ARGS("/bin/sh", "-c",
             "echo \"$1\" | \"$2\" join \"$3\" --root \"$4\" --name host2 --listen \"$5\"", "sh",
             word(setting, 0), DOYEN_PATH, setting->sponsor, host->root, host->listen),
        cluster_path(setting->cluster, "join.out"), cluster_path(setting->cluster, "join.err")));
    cr_assert(process_wait(&process, LIMIT_MS));
    cr_assert_eq(process_exit_code(&process), DONE, "%s",
                 content(cluster_path(setting->cluster, "join.err")));
    end(setting);
}

/* --- Strangers ---------------------------------------------------------------------------------
 */

static int connect_to(struct setting *setting)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(setting->port)};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    cr_assert_eq(inet_pton(AF_INET, setting->cluster->host, &at.sin_addr), 1);
    cr_assert_eq(connect(fd, (const struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

static void send_to(int fd, const char *bytes, size_t length)
{
    (void)send(fd, bytes, length, MSG_NOSIGNAL);
}

static bool hangs_up(int fd)
{
    char byte;

    return recv(fd, &byte, 1, MSG_DONTWAIT) == 0;
}

/* An ask of the right form that no word opens. */
static void send_guess(int fd, unsigned number)
{
    char frame[100] = "doyen1a?";

    memset(frame + 10, (int)number + 1, sizeof frame - 10);
    frame[9] = (char)sizeof frame;
    send_to(fd, frame, sizeof frame);
}

/* Those that send nothing, or half of something, or rubbish, keep nobody out. */
Story(invite, strangers_that_are_slow_or_send_garbage_keep_nobody_out)
{
    struct setting *setting = found(NULL, "");
    int slow[40];
    int fd;

    invite(setting, "1");
    for (size_t i = 0; i < 40; i++) {
        slow[i] = connect_to(setting);
        send_to(slow[i], "doyen1a?\1\377half", i % 16);
    }
    for (unsigned i = 0; i < 40; i++) {
        fd = connect_to(setting);
        send_to(fd, "GET / HTTP/1.1\r\n\r\n", 18);
        assert_soon(hangs_up(fd));
        close(fd);
    }
    for (unsigned i = 0; i < 5; i++) {
        fd = connect_to(setting);
        send_guess(fd, i);
        assert_soon(hangs_up(fd));
        close(fd);
    }
    const struct outcome outcome = join(setting, 1, word(setting, 0));
    cr_assert_eq(outcome.code, DONE, "%s", outcome.err);
    for (size_t i = 0; i < 40; i++) {
        close(slow[i]);
    }
    end(setting);
}

Story(invite, who_guesses_too_often_ends_the_invitation)
{
    struct setting *setting = found(NULL, "");

    invite(setting, "1");
    const char *right = word(setting, 0);
    for (unsigned i = 0; i < WRONG_MAX; i++) {
        const int fd = connect_to(setting);
        send_guess(fd, i);
        assert_soon(hangs_up(fd));
        close(fd);
    }
    cr_assert(process_wait(&setting->invite, LIMIT_MS));
    cr_assert_eq(process_exit_code(&setting->invite), REFUSED);
    cr_assert_eq(join(setting, 1, right).code, UNREACHABLE);
    end(setting);
}

/* What answers without the word gives no key that anybody takes. */
Story(invite, a_joiner_takes_nothing_of_who_has_no_word)
{
    struct setting *setting = begin();
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(setting->port)};
    char frame[200] = "doyen1a!";
    char asked[512];
    const int on = 1;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct process process = {.pid = 0};
    const char *err = cluster_path(setting->cluster, "join.err");

    cr_assert_eq(inet_pton(AF_INET, setting->cluster->host, &at.sin_addr), 1);
    cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), 0);
    cr_assert_eq(bind(fd, (const struct sockaddr *)&at, sizeof at), 0);
    cr_assert_eq(listen(fd, 4), 0);
    cr_assert(
        process_start(&process,
                      ARGS(DOYEN_PATH, "join", setting->sponsor, "04107y-g50r3g-g28a1c-60t3gf-zw",
                           "--root", setting->hosts[1].root),
                      err, err));
    const int joiner = accept(fd, NULL, NULL);
    cr_assert_gt(recv(joiner, asked, sizeof asked, 0), 0);
    memset(frame + 10, 5, sizeof frame - 10);
    frame[9] = (char)sizeof frame;
    send_to(joiner, frame, sizeof frame);
    cr_assert(process_wait(&process, LIMIT_MS));
    cr_assert_eq(process_exit_code(&process), REFUSED);
    assert_text_has(content(err), "nothing of it is taken");
    cr_assert_eq(access(file(&setting->hosts[1], "var/lib/doyen/key"), F_OK), -1);
    close(joiner);
    close(fd);
}

/* What lies in the place of the key, such as another file of root's, goes to nobody. */
Story(invite, nothing_but_keys_is_handed_on)
{
    struct setting *setting = found(NULL, "");
    const char *key = file(&setting->hosts[0], "var/lib/doyen/key");
    FILE *other = fopen(key, "we");

    cr_assert_not_null(other);
    fputs("root:x:0:0:root:/root:/bin/bash\n", other);
    fclose(other);
    struct outcome outcome = doyen(setting->cluster, NULL,
                                   ARGS("invite", "--root", setting->hosts[0].root));
    cr_assert_eq(outcome.code, REFUSED);
    assert_text_has(outcome.err, "is no key file");

    cr_assert_eq(unlink(key), 0);
    cr_assert_eq(symlink("/etc/passwd", key), 0);
    outcome = doyen(setting->cluster, NULL, ARGS("invite", "--root", setting->hosts[0].root));
    cr_assert_eq(outcome.code, REFUSED);
    end(setting);
}

/* --- Wrong inputs -------------------------------------------------------------------------------
 */

Story(invite, what_is_there_is_left_alone)
{
    struct setting *setting = begin();

    cr_assert_eq(init(setting, NULL).code, DONE);
    const char *conf = conf_of(&setting->hosts[0]);
    struct outcome outcome = init(setting, "--strict");
    cr_assert_eq(outcome.code, REFUSED);
    assert_text_has(outcome.err, "has been set up");
    cr_assert_str_eq(conf_of(&setting->hosts[0]), conf);

    /* Not even where only the key is left. */
    cr_assert_eq(unlink(file(&setting->hosts[0], "etc/doyen/doyend.conf")), 0);
    outcome = init(setting, NULL);
    cr_assert_eq(outcome.code, REFUSED);
    assert_text_has(outcome.err, "never overwritten");
}

Story(invite, a_dry_run_writes_nothing)
{
    struct setting *setting = begin();
    struct outcome outcome = init(setting, "--dry-run");

    cr_assert_eq(outcome.code, DONE);
    assert_text_has(outcome.out, "name = host1\n");
    assert_text_has(outcome.out, "doyend --config ");
    cr_assert_eq(access(setting->hosts[0].root, F_OK), -1);
    outcome = join(setting, 1, "--dry-run");
    cr_assert_eq(outcome.code, DONE, "%s", outcome.err);
    assert_text_has(outcome.out, "name = host2\n");
    cr_assert_eq(access(setting->hosts[1].root, F_OK), -1);
}

Story(invite, wrong_lines_are_told_the_remedy)
{
    static const struct {
        const char *arguments[6];
        int code;
        const char *said;
    } lines[] = {
        {{"init", "now"}, USAGE, "takes no argument"},
        {{"init", "--name", "a b"}, USAGE, "1 to 63"},
        {{"init", "--name", ""}, USAGE, "1 to 63"},
        {{"init", "--listen", "athens"}, USAGE, "an address of this host"},
        {{"init", "--listen", "10.0.0.1:0"}, USAGE, "is not a port"},
        {{"init", "--listen", "192.0.2.77", "--dry-run"}, REFUSED, "does not have that address"},
        {{"init", "--count", "17"}, USAGE, "0 to 16"},
        {{"init", "--count", "-1"}, USAGE, "0 to 16"},
        {{"init", "--port", "70000"}, USAGE, "0 to 65535"},
        {{"init", "--root", ""}, USAGE, "name a folder"},
        {{"init", "--root", "/nowhere/at/all"}, REFUSED, "cannot make --root"},
        {{"init", "--strickt"}, USAGE, "--strict"},
        {{"join"}, USAGE, "doyen join 10.0.0.1"},
        {{"join", "10.0.0.1", "short"}, USAGE, "26 letters"},
        {{"join", "10.0.0.1", "04107y-g50r3g-g28a1c-60t3gf-zw", "more"}, USAGE, "too much"},
        {{"join", "http://athens"}, USAGE, "is no host"},
        {{"join", "a:b:c"}, USAGE, "is no host"},
        {{"invite", "athens"}, USAGE, "takes no argument"},
        {{"invite", "--count", "0"}, USAGE, "1 to 16"},
        {{"invite", "--count", "two"}, USAGE, "1 to 16"},
        {{"invite", "--root", "/nowhere/at/all"}, REFUSED, "doyen init makes it"},
    };
    struct cluster *cluster = cluster_new(NO_ARGS);

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const struct outcome outcome = doyen(cluster, NULL, lines[i].arguments);
        cr_assert_eq(outcome.code, lines[i].code, "%zu: %d %s", i, outcome.code, outcome.err);
        assert_text_has(outcome.err, lines[i].said);
        cr_assert_eq(line_count(outcome.err), 1, "%s", outcome.err);
    }
    const struct outcome nobody = doyen(
        cluster, NULL,
        ARGS("join", text_kept("%s:%u", cluster->host, cluster_port(cluster)),
             "04107y-g50r3g-g28a1c-60t3gf-zw", "--root", cluster_path(cluster, "h")));
    cr_assert_eq(nobody.code, UNREACHABLE);
    assert_text_has(nobody.err, "doyen invite");
}
