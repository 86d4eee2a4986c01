#include "folder.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <string.h>
#include <unistd.h>

void folder_remove(const char *path)
{
    DIR *folder = opendir(path);

    cr_assert_not_null(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            cr_expect_eq(unlinkat(dirfd(folder), entry->d_name, 0), 0);
        }
    }
    closedir(folder);
    cr_expect_eq(rmdir(path), 0);
}
