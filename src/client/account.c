#include "client/account.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>

enum { ENTRY_BYTES = 4096 }; /* of one line of the accounts; sysconf has no better advice */

bool account_find(const char *user, uid_t *account)
{
    struct passwd *entry = NULL;
    struct passwd space;
    char text[ENTRY_BYTES];
    char *end = NULL;

    if (getpwnam_r(user, &space, text, sizeof text, &entry) == 0 && entry != NULL) {
        *account = entry->pw_uid;
        return true;
    }
    errno = 0;
    const unsigned long number = strtoul(user, &end, 10);
    *account = (uid_t)number;
    return user[0] >= '0' && user[0] <= '9' && *end == '\0' && errno == 0 && number < (uid_t)-1;
}
