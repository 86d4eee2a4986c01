#include "netns_story.h"

#include <stdio.h>
#include <string.h>

enum {
    ASK_MS = 5000,
    LOOK_MS = 10,
    QUIET_MS = 400, /* that nothing must move in after a merge */
    NAMES_MAX = 400,
};

/* Takes the next word off `*names`; false when there is none. */
static bool next_word(const char **names, char word[64])
{
    *names += strspn(*names, " ");
    const size_t length = strcspn(*names, " ");

    snprintf(word, 64, "%.*s", (int)length, *names);
    *names += length;
    return length > 0;
}

/* Takes the next part off "a b | c d"; false when there is none. */
static bool next_part(const char **parts, char part[NAMES_MAX])
{
    *parts += strspn(*parts, " |");
    size_t length = strcspn(*parts, "|");
    const char *begin = *parts;

    *parts += length;
    while (length > 0 && begin[length - 1] == ' ') {
        length--;
    }
    snprintf(part, NAMES_MAX, "%.*s", (int)length, begin);
    return length > 0;
}

/* --- The network ----------------------------------------------------------------------------- */

struct cluster *cluster_apart(const char *names, const char *const *arguments)
{
    struct cluster *cluster = cluster_new(arguments);
    char why[NETNS_WHY_MAX];
    const char *rest = names;
    char name[64];
    size_t count = 0;

    while (next_word(&rest, name)) {
        count++;
    }
    if (!netns_open(&cluster->netns, count, 1, why)) {
        cr_skip_test("%s", why);
    }
    for (rest = names; next_word(&rest, name);) {
        cluster_daemon(cluster, name);
    }
    cluster_make_key(cluster, "key"); /* Their addresses are in reach of others. */
    return cluster;
}

struct cluster *cluster_formed_apart(const char *names, const char *const *arguments)
{
    struct cluster *cluster = cluster_apart(names, arguments);

    cluster_form(cluster, names);
    return cluster;
}

static bool is_named(const struct cluster *cluster, size_t index, const char *name)
{
    return name == NULL || strcmp(cluster->daemons[index].name, name) == 0;
}

static void note_faults(struct cluster *cluster, const char *from, const char *to,
                        struct link_faults faults)
{
    for (size_t i = 0; i < cluster->netns.count; i++) {
        for (size_t j = 0; j < cluster->netns.count; j++) {
            if (is_named(cluster, i, from) && is_named(cluster, j, to)) {
                cluster->netns.links.faults[i][j] = faults;
            }
        }
    }
}

static void tell_forwarder(struct cluster *cluster)
{
    forwarder_set(cluster->netns.forwarder, &cluster->netns.links);
}

void network_set(struct cluster *cluster, const char *from, const char *to,
                 struct link_faults faults)
{
    note_faults(cluster, from, to, faults);
    tell_forwarder(cluster);
}

void network_part(struct cluster *cluster, const char *parts)
{
    char part[NAMES_MAX];

    note_faults(cluster, NULL, NULL, link_cut);
    while (next_part(&parts, part)) {
        const char *from_rest = part;
        char from[64];
        while (next_word(&from_rest, from)) {
            const char *to_rest = part;
            char to[64];
            while (next_word(&to_rest, to)) {
                note_faults(cluster, from, to, (struct link_faults){.drop_percent = 0});
            }
        }
    }
    tell_forwarder(cluster);
}

void network_heal(struct cluster *cluster)
{
    network_set(cluster, NULL, NULL, (struct link_faults){.drop_percent = 0});
}

/* --- Looking --------------------------------------------------------------------------------- */

/* What one look at all that run has shown. */
struct look {
    bool same; /* all hold one view, and nobody in it is suspected */
    size_t member_count;
    size_t asked;
    char names[NAMES_MAX]; /* of the first one's members, oldest first */
    char view[NAMES_MAX];  /* epoch, version, ids and ages */
};

static bool is_wanted(const struct daemon *daemon, const char *names)
{
    const char *rest = names;
    char name[64];

    if (names == NULL) {
        return daemon->process.pid != 0 && !daemon->stopped;
    }
    while (next_word(&rest, name)) {
        if (strcmp(daemon->name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Its members document, the caller's to decref; the oracle has seen it. */
static json_t *ask(struct cluster *cluster, struct daemon *daemon)
{
    struct http_answer answer;
    json_t *document = NULL;

    if (daemon->process.pid != 0 && !daemon->stopped &&
        http_get(daemon->control, "/v1/members", ASK_MS, &answer)) {
        document = json_loads(answer.body, 0, NULL);
        http_answer_deinit(&answer);
        oracle_look(&cluster->oracle, daemon->process.pid, document);
    }
    return document;
}

static void describe(struct look *look, const json_t *document)
{
    const json_t *members = json_object_get(document, "members");
    const json_t *view = json_object_get(document, "view");
    size_t names = 0;

    *look = (struct look){.same = strcmp(text_of(document, "phase"), "member") == 0,
                          .member_count = json_array_size(members)};
    size_t used = (size_t)snprintf(look->view, sizeof look->view, "%s.%s", text_of(view, "epoch"),
                                   text_of(view, "version"));
    for (size_t i = 0; i < look->member_count; i++) {
        const json_t *member = json_array_get(members, i);
        names += (size_t)snprintf(look->names + names, sizeof look->names - names, "%s%s",
                                  i == 0 ? "" : " ", text_of(member, "name"));
        used += (size_t)snprintf(look->view + used, sizeof look->view - used, " %.8s/%llu",
                                 text_of(member, "id"),
                                 (unsigned long long)number_of(member, "age"));
        look->same &= strcmp(text_of(member, "state"), "alive") == 0;
    }
    look->same &= look->member_count > 0 && text_of(document, "coordinator")[0] != '\0';
}

/* Looks at `names`, NULL: at all that run. */
static struct look look_at(struct cluster *cluster, const char *names)
{
    struct look all = {.same = true};

    for (size_t i = 0; i < cluster->daemon_count; i++) {
        struct daemon *daemon = &cluster->daemons[i];
        if (!is_wanted(daemon, names)) {
            continue;
        }
        struct look one;
        json_t *document = ask(cluster, daemon);
        describe(&one, document);
        json_decref(document);
        if (all.asked == 0) {
            all = one;
        }
        all.same &= one.same && strcmp(one.view, all.view) == 0;
        all.asked++;
    }
    return all;
}

bool network_agrees(struct cluster *cluster, const char *names, uint64_t limit_ms)
{
    const uint64_t until_ms = clock_now_ms() + limit_ms;

    for (;;) {
        const struct look look = look_at(cluster, names);
        if (look.same && strcmp(look.names, names) == 0) {
            return true;
        }
        if (clock_now_ms() >= until_ms) {
            return false;
        }
        clock_nap_ms(LOOK_MS);
    }
}

bool network_agrees_on_count(struct cluster *cluster, size_t count, uint64_t limit_ms)
{
    const uint64_t until_ms = clock_now_ms() + limit_ms;

    for (;;) {
        const struct look look = look_at(cluster, NULL);
        if (look.same && look.member_count == count && look.asked == count) {
            return true;
        }
        if (clock_now_ms() >= until_ms) {
            return false;
        }
        clock_nap_ms(LOOK_MS);
    }
}

bool network_parts_agree(struct cluster *cluster, const char *parts, uint64_t limit_ms)
{
    char part[NAMES_MAX];

    while (next_part(&parts, part)) {
        if (!network_agrees(cluster, part, limit_ms)) {
            return false;
        }
    }
    return true;
}

size_t network_watch(struct cluster *cluster, uint64_t milliseconds)
{
    const uint64_t until_ms = clock_now_ms() + milliseconds;

    (void)look_at(cluster, NULL);
    const size_t known = cluster->oracle.count;
    while (clock_now_ms() < until_ms) {
        (void)look_at(cluster, NULL);
        clock_nap_ms(LOOK_MS);
    }
    return cluster->oracle.count - known;
}

bool network_heals(struct cluster *cluster, const char *names)
{
    const uint64_t healed_ms = clock_now_ms();

    network_heal(cluster);
    if (!network_agrees(cluster, names, LIMIT_MS)) {
        return false;
    }
    cr_log_info("healed in %llu ms: %s", (unsigned long long)(clock_now_ms() - healed_ms), names);
    return network_watch(cluster, QUIET_MS) == 0;
}
