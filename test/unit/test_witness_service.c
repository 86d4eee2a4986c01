/* Clusters of a witness that come and go with their keys, while nobody asks it anything. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "core/model/timing.h"
#include "runtime/sealing/key_file.h"
#include "witness/service.h"

enum { LOG_MAX = 8192 };

static char directory[] = "/tmp/doyen-witness-XXXXXX";
static struct config config;
static struct log log_of_it;
static FILE *lines;
static uv_loop_t loop;
static struct witness *witness;

static const char *path_of(const char *name)
{
    static char path[sizeof config.key + 32];

    snprintf(path, sizeof path, "%s/%s", config.key, name);
    return path;
}

/* The key of blue is there, or put aside for a while. */
static void hide_blue(bool hide)
{
    char aside[sizeof config.key + 32];

    snprintf(aside, sizeof aside, "%s/.blue", config.key);
    cr_assert_eq(hide ? rename(path_of("blue.key"), aside) : rename(aside, path_of("blue.key")), 0);
}

static void make_key(const char *name)
{
    struct complaint complaint;
    uint16_t fingerprint;

    cr_assert(key_file_make(path_of(name), &fingerprint, &complaint), "%s", complaint.text);
}

/* Lets pass what waits for the loop, such as the end of what was closed. */
static void run_loop(void)
{
    while (uv_run(&loop, UV_RUN_NOWAIT) != 0 && uv_backend_timeout(&loop) == 0) {
    }
}

static bool said(const char *text)
{
    static char all[LOG_MAX];

    rewind(lines);
    all[fread(all, 1, sizeof all - 1, lines)] = '\0';
    return strstr(all, text) != NULL;
}

/* What was said before is not looked at again. */
static void reload(void)
{
    cr_assert_eq(ftruncate(fileno(lines), 0), 0);
    witness_reload(witness);
}

static void setup(void)
{
    int exit_code;

    cr_assert_not_null(mkdtemp(directory));
    snprintf(config.key, sizeof config.key, "%s/keys", directory);
    snprintf(config.state_dir, sizeof config.state_dir, "%s/state", directory);
    cr_assert_eq(mkdir(config.key, 0700), 0);
    config.listen = (struct address){.family = 4, .bytes = {127, 0, 0, 1}};
    config.profile = PROFILE_LAN;
    config.timing = timing_of(PROFILE_LAN);
    config.capacity = 16;
    make_key("red.key");
    make_key("blue.key");
    lines = tmpfile();
    cr_assert(lines != NULL && fcntl(fileno(lines), F_SETFL, O_APPEND) == 0);
    log_init(&log_of_it, fileno(lines), LOG_INFO, LOG_TEXT, "witness");
    cr_assert_eq(uv_loop_init(&loop), 0);
    witness = witness_open(&loop, &config, &log_of_it, &exit_code);
    cr_assert(witness != NULL && said("count=2"));
}

static void teardown(void)
{
    witness_close(witness);
    cr_assert_eq(uv_run(&loop, UV_RUN_DEFAULT), 0);
    cr_assert_eq(uv_loop_close(&loop), 0, "it has left nothing behind");
}

TestSuite(witness_service, .init = setup, .fini = teardown);

Test(witness_service, takes_nobody_back_before_the_former_record_is_closed)
{
    hide_blue(true);
    reload();
    cr_assert(said("cluster=blue: its key is gone") && said("count=1"));
    hide_blue(false);
    reload();
    cr_assert(said("reload once more") && said("count=1"));
    while (!said("count=2")) {
        run_loop();
        reload();
    }
}

Test(witness_service, goes_on_where_a_key_file_is_damaged)
{
    cr_assert_eq(truncate(path_of("blue.key"), 3), 0);
    make_key("green.key");
    reload();
    cr_assert(said("blue.key") && said("count=3"));
}

Test(witness_service, goes_on_where_the_directory_cannot_be_read)
{
    cr_assert_eq(chmod(config.key, 0777), 0);
    reload();
    cr_assert(said("other accounts may write") && !said("is gone"));
    cr_assert_eq(chmod(config.key, 0700), 0);
    reload();
    cr_assert(said("count=2"));
}

/* A key more, or another one, is used from then on; the same ones change nothing. */
Test(witness_service, takes_other_keys)
{
    reload();
    cr_assert(!said("cluster=red seals="));
    cr_assert_eq(unlink(path_of("red.key")), 0);
    make_key("red.key");
    reload();
    cr_assert(said("cluster=red seals=") && !said("cluster=blue seals=") && said("count=2"));
}
