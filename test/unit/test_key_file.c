/* The file of --key: which files are taken, and how one is made. */
#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/sealing/key_file.h"

static char directory[64];
static char path[128];
static struct keyring ring;
static struct complaint complaint;

static void setup(void)
{
    strcpy(directory, "/tmp/doyen-test-XXXXXX");
    cr_assert_not_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/key", directory);
}

static void teardown(void)
{
    (void)unlink(path);
    (void)rmdir(directory);
}

TestSuite(key_file, .init = setup, .fini = teardown);

static void write_file(const char *text, mode_t mode)
{
    FILE *file = fopen(path, "w");

    cr_assert_not_null(file);
    fputs(text, file);
    cr_assert_eq(fclose(file), 0);
    cr_assert_eq(chmod(path, mode), 0);
}

static void assert_refused(const char *part)
{
    cr_assert_not(key_file_read(path, &ring, &complaint));
    cr_assert_eq(complaint.exit_code, EXIT_CONFIGURATION);
    cr_assert_not_null(strstr(complaint.text, part), "%s", complaint.text);
    cr_assert_not_null(strstr(complaint.text, path), "%s", complaint.text);
    cr_assert_eq(ring.count, 0);
}

Test(key_file, what_is_made_is_read_and_never_overwritten)
{
    uint16_t fingerprint;
    uint16_t other;
    struct stat status;

    cr_assert(key_file_make(path, &fingerprint, &complaint), "%s", complaint.text);
    cr_assert_eq(stat(path, &status), 0);
    cr_assert_eq(status.st_mode & 07777, 0600);
    cr_assert(key_file_read(path, &ring, &complaint), "%s", complaint.text);
    cr_assert_eq(ring.count, 1);
    cr_assert_eq(ring.keys[0].fingerprint, fingerprint);

    cr_assert_not(key_file_make(path, &other, &complaint));
    cr_assert_not_null(strstr(complaint.text, "never overwritten"));
    cr_assert(key_file_read(path, &ring, &complaint));
    cr_assert_eq(ring.keys[0].fingerprint, fingerprint);
}

/* What a full disk leaves room for is no key, and the reason is not that of an earlier fault. */
Test(key_file, what_is_cut_short_is_no_key)
{
    const struct rlimit few = {.rlim_cur = 5, .rlim_max = RLIM_INFINITY};
    uint16_t fingerprint;

    cr_assert_neq(signal(SIGXFSZ, SIG_IGN), SIG_ERR);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &few), 0);
    errno = ENOTTY;
    const bool made = key_file_make(path, &fingerprint, &complaint);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}), 0);
    cr_assert_not(made);
    cr_assert_not_null(strstr(complaint.text, "No space left"), "%s", complaint.text);
    cr_assert_neq(access(path, F_OK), 0);
}

Test(key_file, two_keys_that_are_made_differ)
{
    struct key first;
    uint16_t fingerprint;

    cr_assert(key_file_make(path, &fingerprint, &complaint));
    cr_assert(key_file_read(path, &ring, &complaint));
    first = ring.keys[0];
    cr_assert_eq(unlink(path), 0);
    cr_assert(key_file_make(path, &fingerprint, &complaint));
    cr_assert(key_file_read(path, &ring, &complaint));
    cr_assert_neq(memcmp(first.bytes, ring.keys[0].bytes, KEY_BYTES), 0);
}

Test(key_file, a_file_that_is_none_is_refused_in_words)
{
    assert_refused("is not there");
    write_file("", 0600);
    assert_refused("holds no key");
    write_file("# key\nhunter2\n", 0600);
    assert_refused("line 2 is no key");
    write_file("q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=\n"
               "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n",
               0600);
    assert_refused("has a key of zeros, which everybody can guess");
}

Test(key_file, a_file_that_others_can_read_is_no_secret)
{
    uint16_t fingerprint;

    cr_assert(key_file_make(path, &fingerprint, &complaint));
    static const mode_t modes[] = {0640, 0604, 0620, 0602, 0610};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        cr_assert_eq(chmod(path, modes[i]), 0);
        assert_refused("chmod 600");
    }
    cr_assert_eq(chmod(path, 0400), 0);
    cr_assert(key_file_read(path, &ring, &complaint), "%s", complaint.text);
}

Test(key_file, links_and_what_is_no_file_are_not_followed)
{
    cr_assert_eq(symlink("/etc/passwd", path), 0);
    assert_refused("symbolic link");
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(mkfifo(path, 0600), 0); /* It must not hang, either. */
    assert_refused("no regular file");
}

/* Under its other name it could stand in a directory that others may write to. */
Test(key_file, a_file_of_two_names_is_refused)
{
    char second[160];
    uint16_t fingerprint;

    snprintf(second, sizeof second, "%s2", path);
    cr_assert(key_file_make(path, &fingerprint, &complaint));
    cr_assert_eq(link(path, second), 0);
    assert_refused("more than one name");
    cr_assert_eq(unlink(second), 0);
    cr_assert(key_file_read(path, &ring, &complaint), "%s", complaint.text);
}

Test(key_file, a_file_of_another_account_is_refused)
{
    uint16_t fingerprint;

    if (geteuid() != 0) {
        cr_skip_test("only root can give a file away");
    }
    cr_assert(key_file_make(path, &fingerprint, &complaint));
    cr_assert_eq(chown(path, 65534, (gid_t)-1), 0);
    assert_refused("another account");
    cr_assert_eq(chown(path, 0, (gid_t)-1), 0);
    cr_assert_eq(chmod(directory, 0755), 0);
    cr_assert_eq(seteuid(65534), 0);
    assert_refused("permission denied (chown it, or its directory,");
    cr_assert_eq(seteuid(0), 0);
    cr_assert_eq(chmod(directory, 0700), 0);
    cr_assert_eq(seteuid(65534), 0);
    assert_refused("permission denied (chown it, or its directory,");
    cr_assert_eq(seteuid(0), 0);
}

/* Whoever owns the directory, or may write to it, may put another file of root's in its place. */
Test(key_file, a_file_in_a_directory_of_others_is_refused)
{
    uint16_t fingerprint;

    cr_assert(key_file_make(path, &fingerprint, &complaint));
    cr_assert_eq(chmod(directory, 0770), 0);
    assert_refused("its directory is not safe: other accounts may write to it");
    cr_assert_eq(chmod(directory, 01777), 0);
    cr_assert(key_file_read(path, &ring, &complaint), "as in /tmp: %s", complaint.text);
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(chmod(directory, 0770), 0);
    cr_assert_not(key_file_make(path, &fingerprint, &complaint));
    cr_assert_not_null(strstr(complaint.text, "its directory is not safe"), "%s", complaint.text);
    if (geteuid() == 0) {
        cr_assert_eq(chmod(directory, 0700), 0);
        cr_assert(key_file_make(path, &fingerprint, &complaint));
        cr_assert_eq(chown(directory, 65534, (gid_t)-1), 0);
        assert_refused("its directory is not safe: it belongs to the account 65534");
    }
}

Test(key_file, without_a_key_a_node_is_for_this_host_alone_or_insecure)
{
    struct config config = {
        .listen = {.family = 4, .bytes = {127, 3, 2, 1}, .port = 7420},
    };

    cr_assert(key_file_of(&config, &ring, &complaint));
    cr_assert_eq(ring.count, 0);
    cr_assert_not(config_is_insecure(&config));
    config.listen.bytes[0] = 10;
    cr_assert_not(key_file_of(&config, &ring, &complaint));
    cr_assert_eq(complaint.exit_code, EXIT_CONFIGURATION);
    cr_assert_not_null(strstr(complaint.text, "10.3.2.1:7420"));
    cr_assert_not_null(strstr(complaint.text, "--make-key"));
    cr_assert_not_null(strstr(complaint.text, "--insecure"));
    config.insecure = true;
    cr_assert(key_file_of(&config, &ring, &complaint));
    cr_assert(config_is_insecure(&config));
    config.listen = (struct address){.family = 4, .port = 7420}; /* the wildcard */
    config.insecure = false;
    cr_assert_not(key_file_of(&config, &ring, &complaint));
}
