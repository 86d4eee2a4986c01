#include "client/target.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "client/account.h"

enum { LIST_TEXT_MAX = 640 };

static bool is_given(const char *text)
{
    return text != NULL && text[0] != '\0';
}

static int set_control(const char *path, const char *name, struct target *target,
                       struct problem *problem)
{
    if (strstr(path, "://") != NULL) {
        return problem_set(problem, DOYEN_E_USAGE,
                           "%s %.256s: give the path of a Unix socket; over TCP there is %s "
                           "http://HOST:PORT",
                           name, path, target->names.url);
    }
    if (!text_set(target->socket, sizeof target->socket, path, strlen(path))) {
        return problem_set(problem, DOYEN_E_USAGE,
                           "%s %.80s...: that path has %zu bytes, and a Unix socket allows %d: use "
                           "a shorter path, or one relative to its directory",
                           name, path, strlen(path), TARGET_SOCKET_MAX);
    }
    return 0;
}

/* Is it HOST or HOST:PORT, with brackets around an IPv6 address? */
static bool is_place(const char *text, size_t length)
{
    const char *const bracket = memchr(text, ']', length);

    if (length == 0 || strcspn(text, "/@?# ") < length || text[0] == ':') {
        return false;
    }
    if (text[0] != '[') {
        return bracket == NULL;
    }
    return bracket > text + 1 && (bracket + 1 == text + length || bracket[1] == ':');
}

/* Is there more than one port behind the host? An IPv6 address without brackets looks like that. */
static bool has_two_ports(const char *place, size_t length)
{
    const char *const bracket = memchr(place, ']', length);
    const char *const from = bracket == NULL ? place : bracket;
    const char *const end = place + length;
    const char *const colon = memchr(from, ':', (size_t)(end - from));

    return colon != NULL && memchr(colon + 1, ':', (size_t)(end - colon - 1)) != NULL;
}

static int set_url(const char *url, const char *name, struct target *target,
                   struct problem *problem)
{
    const size_t scheme = strlen("http://");
    size_t length = strlen(url);

    target->names.url = name;
    while (length > scheme && url[length - 1] == '/') {
        length--;
    }
    if (strncasecmp(url, "http://", scheme) != 0 || !is_place(url + scheme, length - scheme)) {
        return problem_set(problem, DOYEN_E_USAGE,
                           "%s %.256s: give it as http://HOST:PORT, the address of doyend --http",
                           name, url);
    }
    if (has_two_ports(url + scheme, length - scheme)) {
        return problem_set(problem, DOYEN_E_USAGE,
                           "%s %.256s: give it as http://HOST:PORT, with one port, and an IPv6 "
                           "address in brackets",
                           name, url);
    }
    if (!text_set(target->url, sizeof target->url, url, length)) {
        return problem_set(problem, DOYEN_E_USAGE, "%s %.80s...: give one of up to %d bytes", name,
                           url, TARGET_URL_MAX);
    }
    return 0;
}

static int set_either(const char *control, const char *url, const char *control_name,
                      const char *url_name, struct target *target, struct problem *problem)
{
    if (is_given(control) && is_given(url)) {
        return problem_set(problem, DOYEN_E_USAGE,
                           "%s and %s are both given: which daemon is meant? leave one out",
                           control_name, url_name);
    }
    return is_given(control) ? set_control(control, control_name, target, problem)
                             : set_url(url, url_name, target, problem);
}

static int is_socket_name(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    const size_t suffix = strlen(".sock");
    return length > suffix && strcmp(entry->d_name + length - suffix, ".sock") == 0;
}

/* Sockets seen so far: how many, the first one, and all of them as text for a message. */
struct found {
    size_t count;
    char first[TARGET_URL_MAX];
    char list[LIST_TEXT_MAX];
    const char *closed; /* a directory that may not be read, or NULL */
};

static void add_found(struct found *found, const char *directory, const char *name)
{
    const size_t used = strlen(found->list);

    if (found->count == 0) {
        const int length = snprintf(found->first, sizeof found->first, "%s/%s", directory, name);
        if (length < 0 || (size_t)length >= sizeof found->first) {
            return; /* No socket can have so long a path. */
        }
    }
    snprintf(found->list + used, sizeof found->list - used, "%s%s/%s", used == 0 ? "" : ", ",
             directory, name);
    found->count++;
}

static void look_into(const char *directory, struct found *found)
{
    struct dirent **entries = NULL;
    const int count = scandir(directory, &entries, is_socket_name, alphasort);

    if (count < 0 && errno == EACCES) {
        found->closed = directory;
    }
    for (int i = 0; i < count; i++) {
        add_found(found, directory, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

static int search(const char *const *directories, struct target *target, struct problem *problem)
{
    struct found found = {.count = 0};
    char searched[LIST_TEXT_MAX] = "";

    for (size_t i = 0; i < TARGET_DIRECTORIES_MAX && is_given(directories[i]); i++) {
        const size_t used = strlen(searched);
        snprintf(searched + used, sizeof searched - used, "%s%s", used == 0 ? "" : " or ",
                 directories[i]);
        look_into(directories[i], &found);
    }

    if (found.count == 0 && found.closed != NULL) {
        return problem_set(problem, DOYEN_E_UNREACHABLE,
                           "%s may not be read by this account: use the account that doyend runs "
                           "as (or sudo), or have doyend started with --control-group and a group "
                           "that this account is in",
                           found.closed);
    }
    if (found.count == 0) {
        return problem_set(problem, DOYEN_E_UNREACHABLE,
                           "no control socket in %s: is doyend running? give its socket with "
                           "%s or DOYEN_CONTROL",
                           searched, target->names.control);
    }
    if (found.count > 1) {
        return problem_set(problem, DOYEN_E_USAGE,
                           "several daemons run here: choose one with %s or DOYEN_CONTROL among %s",
                           target->names.control, found.list);
    }
    return set_control(found.first, "the daemon at", target, problem);
}

/* Its script has lost what the variable was to be: chance must not choose the daemon. */
static int refuse_empty(const char *variable, const char *which, struct problem *problem)
{
    return problem_set(problem, DOYEN_E_USAGE, "%s is empty: say %s, or unset it", variable, which);
}

static int set_user(const struct target_wish *wish, struct target *target, struct problem *problem)
{
    const bool by_caller = wish->expect_user != NULL;
    const char *user = by_caller ? wish->expect_user : wish->user_environment;

    if (!by_caller && user != NULL && user[0] == '\0') {
        return refuse_empty("DOYEN_EXPECT_USER", "which account the daemon runs as", problem);
    }
    target->expects = is_given(user);
    if (target->expects && !account_find(user, &target->expected)) {
        return problem_set(problem, DOYEN_E_USAGE,
                           "%s %.80s: there is no such account; give the one that doyend runs as, "
                           "by its name or number",
                           by_caller ? wish->names.user : "DOYEN_EXPECT_USER", user);
    }
    return 0;
}

static int set_by_environment(const struct target_wish *wish, struct target *target,
                              struct problem *problem)
{
    const char *control = wish->control_environment;
    const char *url = wish->url_environment;

    if (control != NULL && control[0] == '\0') {
        return refuse_empty("DOYEN_CONTROL", "which daemon is meant", problem);
    }
    if (url != NULL && url[0] == '\0') {
        return refuse_empty("DOYEN_URL", "which daemon is meant", problem);
    }
    return set_either(control, url, "DOYEN_CONTROL", "DOYEN_URL", target, problem);
}

int target_find(const struct target_wish *wish, struct target *target, struct problem *problem)
{
    *target = (struct target){.socket = "", .names = wish->names};

    const int error = set_user(wish, target, problem);
    if (error != 0) {
        return error;
    }
    if (is_given(wish->control) || is_given(wish->url)) {
        return set_either(wish->control, wish->url, wish->names.control, wish->names.url, target,
                          problem);
    }
    if (wish->control_environment != NULL || wish->url_environment != NULL) {
        return set_by_environment(wish, target, problem);
    }
    return search(wish->directories, target, problem);
}

const char *target_text(const struct target *target)
{
    return target->socket[0] != '\0' ? target->socket : target->url;
}
