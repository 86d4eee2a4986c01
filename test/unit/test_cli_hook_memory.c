/* What doyen hook keeps of what was told: it is written whole, or the reason is said. */
#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/hook/hook_memory.h"

Test(cli_hook_memory, a_disk_that_is_full_is_named)
{
    const struct rlimit few = {.rlim_cur = 5, .rlim_max = RLIM_INFINITY};
    const struct hook_memory memory = {.resume = "5f0c2a91-15"};
    struct failure failure = {.code = EXIT_DONE};
    char folder[] = "/tmp/doyen-hook-XXXXXX";
    char path[64];
    char next[80];

    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/.resume", folder);
    snprintf(next, sizeof next, "%s.next", path);
    cr_assert_eq(hook_memory_write(path, &memory, &failure), HOOK_KEPT, "%s", failure.text);
    cr_assert_neq(signal(SIGXFSZ, SIG_IGN), SIG_ERR);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &few), 0);
    const enum hook_kept kept_as = hook_memory_write(path, &memory, &failure);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}), 0);
    cr_assert_eq(kept_as, HOOK_NO_ROOM);
    cr_assert_not_null(strstr(failure.text, "No space left"), "%s", failure.text);
    struct hook_memory kept;
    cr_assert(hook_memory_read(path, &kept, &failure), "what was there before stays");
    cr_assert_str_eq(kept.resume, memory.resume);
    (void)unlink(next);
    cr_expect_eq(unlink(path), 0);
    cr_expect_eq(rmdir(folder), 0);
}
