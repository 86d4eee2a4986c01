/* The directory of a witness with a key file for each cluster. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/sealing/key_file.h"
#include "witness/key_directory.h"

static char directory[] = "/tmp/doyen-keys-XXXXXX";
static char seen[400];   /* "red blue": the clusters, in the order of the walk */
static char faults[800]; /* what was wrong, a line each */

static bool on_cluster(void *context, const char *name, const struct keyring *ring,
                       struct complaint *complaint)
{
    (void)context;
    (void)complaint;
    cr_assert_eq(ring->count, 1);
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s ", name);
    return true;
}

static bool on_fault(void *context, const char *name, const struct complaint *complaint)
{
    (void)context;
    snprintf(faults + strlen(faults), sizeof faults - strlen(faults), "[%s] %s\n", name,
             complaint->text);
    return true;
}

static void setup(void)
{
    cr_assert_not_null(mkdtemp(directory));
}

static const char *path_of(const char *name)
{
    static char path[200];

    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static void make_key(const char *name)
{
    struct complaint complaint;
    uint16_t fingerprint;

    cr_assert(key_file_make(path_of(name), &fingerprint, &complaint), "%s", complaint.text);
}

static bool walk(struct complaint *complaint)
{
    return key_directory_walk(
        directory, &(struct key_directory_walk){.on_cluster = on_cluster, .on_fault = on_fault},
        complaint);
}

static void teardown(void)
{
    static const char *const names[] = {"red.key",  "blue.key",  ".hidden", "red.pem",
                                        "open.key", "-dash.key", ".key"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)unlink(path_of(names[i]));
    }
    (void)rmdir(directory);
}

TestSuite(key_directory, .init = setup, .fini = teardown);

Test(key_directory, names_its_clusters_in_order)
{
    struct complaint complaint;

    make_key("red.key");
    make_key("blue.key");
    make_key(".hidden");
    cr_assert(walk(&complaint));
    cr_assert_str_eq(seen, "blue red ");
    cr_assert_str_eq(faults, "");
}

Test(key_directory, tells_what_is_no_key_file_and_goes_on)
{
    struct complaint complaint;

    make_key("red.key");
    make_key("red.pem");
    make_key("open.key");
    make_key("-dash.key");
    cr_assert_eq(chmod(path_of("open.key"), 0644), 0);
    cr_assert(walk(&complaint));
    cr_assert_str_eq(seen, "red ");
    cr_assert_not_null(strstr(faults, "name it CLUSTER.key"), "%s", faults);
    cr_assert_not_null(strstr(faults, "[open] "), "the cluster is known: %s", faults);
    cr_assert_not_null(strstr(faults, "no cluster has such a name"), "%s", faults);
}

Test(key_directory, is_not_the_directory_of_the_records)
{
    struct complaint complaint;

    cr_assert(key_directory_is_apart(directory, path_of("none"), &complaint));
    cr_assert(key_directory_is_apart(directory, "/tmp", &complaint));
    cr_assert_not(key_directory_is_apart(directory, path_of("."), &complaint));
    cr_assert_not_null(strstr(complaint.text, "give the records a directory of their own"), "%s",
                       complaint.text);
    cr_assert_eq(complaint.exit_code, EXIT_CONFIGURATION);
}

Test(key_directory, is_a_directory_that_nobody_else_may_write_to)
{
    struct complaint complaint;

    cr_assert_eq(chmod(directory, 0777), 0);
    cr_assert_not(walk(&complaint));
    cr_assert_not_null(strstr(complaint.text, "other accounts may write"), "%s", complaint.text);
    cr_assert_eq(complaint.exit_code, EXIT_CONFIGURATION);
}
