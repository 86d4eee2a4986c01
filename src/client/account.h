/* Accounts of this host. */
#ifndef CLIENT_ACCOUNT_H
#define CLIENT_ACCOUNT_H

#include <stdbool.h>
#include <sys/types.h>

/* Finds the account of that name or number. Returns false if there is none. */
bool account_find(const char *user, uid_t *account);

#endif
