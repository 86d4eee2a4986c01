#include "cli/run/run_command.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_TEXT_MAX = 4096 };

/* 0, RUN_NOT_EXECUTABLE or RUN_NOT_FOUND. What is in a folder that this account may not look into
 * is not there. */
static int judge(const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0) {
        return RUN_NOT_FOUND;
    }
    return S_ISREG(status.st_mode) && access(path, X_OK) == 0 ? 0 : RUN_NOT_EXECUTABLE;
}

/* What a shell would say: the best of all folders of PATH. */
static int search(const char *name)
{
    const char *folders = getenv("PATH");
    int best = RUN_NOT_FOUND;
    char path[PATH_TEXT_MAX];

    for (const char *at = folders == NULL ? "/bin:/usr/bin" : folders; best != 0;) {
        const size_t length = strcspn(at, ":");
        snprintf(path, sizeof path, "%.*s/%s", length == 0 ? 1 : (int)length,
                 length == 0 ? "." : at, name);
        const int judged = judge(path);
        best = judged < best ? judged : best;
        if (at[length] == '\0') {
            break;
        }
        at += length + 1;
    }
    return best;
}

int run_command_find(const char *name, struct failure *failure)
{
    if (name[0] == '\0') {
        failure_set(failure, EXIT_USAGE, "the command is empty: name a program behind --");
        return EXIT_USAGE;
    }
    const int found = strchr(name, '/') != NULL ? judge(name) : search(name);

    if (found == RUN_NOT_FOUND) {
        failure_set(failure, EXIT_USAGE, "there is no command %s%s", name,
                    strchr(name, '/') == NULL ? " in any folder of PATH" : "");
    } else if (found == RUN_NOT_EXECUTABLE) {
        failure_set(failure, EXIT_USAGE,
                    "%s cannot be executed: it is a folder, or its mode does "
                    "not permit it",
                    name);
    }
    return found;
}

int run_command_words(int argc, char *const *argv)
{
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            return argc - i - 1;
        }
    }
    return -1;
}

void run_command_misplaced(const char *word, int quoted_count, struct failure *failure)
{
    failure_set(failure, EXIT_USAGE,
                quoted_count < 0 ? "%s: write -- before the command"
                                 : "%s: that is one word too many before --",
                word);
}
