/* Stories about networks that fail: a cluster whose daemons live in network namespaces, verbs that
 * cut and heal what is between them, and waiting that looks at all their views meanwhile. */
#ifndef E2E_NETNS_STORY_H
#define E2E_NETNS_STORY_H

#include "fixture.h"

static const struct link_faults link_cut = {.drop_percent = 100};

/* Nothing runs yet. A namespace for each of the names, in that order; no other daemons may be
 * started. Skips the test, with the reason, where the machine does not permit namespaces. */
struct cluster *cluster_apart(const char *names, const char *const *arguments);

/* The same, formed in that order. */
struct cluster *cluster_formed_apart(const char *names, const char *const *arguments);

/* What goes from one to the other; NULL: from each, to each. */
void network_set(struct cluster *cluster, const char *from, const char *to,
                 struct link_faults faults);

/* "athens delphi | byzantium": only those of one part hear each other, without any fault. Who is
 * not named hears nobody. */
void network_part(struct cluster *cluster, const char *parts);
void network_heal(struct cluster *cluster);

/* Do all of these ("athens byzantium", oldest first) come to hold one and the same view, with just
 * them in it, all alive, within the limit? */
bool network_agrees(struct cluster *cluster, const char *names, uint64_t limit_ms);

/* Do all that run come to hold one and the same view with that many members in it? */
bool network_agrees_on_count(struct cluster *cluster, size_t count, uint64_t limit_ms);

/* Looks at the views of all that run for that long; returns how many different views, told by
 * epoch, version and coordinator, they have shown that nobody had shown before. */
size_t network_watch(struct cluster *cluster, uint64_t milliseconds);

/* Each part of "athens delphi | byzantium" agrees. */
#define assert_parts(cluster, parts)                                                               \
    cr_assert(network_parts_agree((cluster), (parts), LIMIT_MS), "expected \"%s\", but %s",        \
              (parts), cluster_text(cluster))
bool network_parts_agree(struct cluster *cluster, const char *parts, uint64_t limit_ms);

/* Heals the network and waits until all agree on these members, then sees to it that nothing moves
 * any more (Y5). The time it took is told, not judged. */
#define assert_heals(cluster, names)                                                               \
    cr_assert(network_heals((cluster), (names)), "expected \"%s\" everywhere, but %s", (names),    \
              cluster_text(cluster))
bool network_heals(struct cluster *cluster, const char *names);

/* For that long everybody who runs holds one and the same view, the one they hold now. */
#define assert_steady(cluster, milliseconds)                                                       \
    do {                                                                                           \
        const size_t views__ = network_watch((cluster), (milliseconds));                           \
        cr_assert_eq(views__, 0, "%zu new views: %s", views__, cluster_text(cluster));             \
    } while (0)

#endif
