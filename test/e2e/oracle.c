#include "oracle.h"

#include <stdio.h>
#include <string.h>

#include "fixture.h"

enum { NOWHERE = ORACLE_MEMBERS_MAX };

static size_t place_of(const struct sight *sight, const char *id)
{
    for (size_t i = 0; i < sight->count; i++) {
        if (strcmp(sight->ids[i], id) == 0) {
            return i;
        }
    }
    return NOWHERE;
}

/* False when there is no view to look at. */
static bool read_sight(struct sight *sight, pid_t process, const json_t *document)
{
    const json_t *members = json_object_get(document, "members");
    const json_t *view = json_object_get(document, "view");

    if (json_array_size(members) == 0 || strcmp(text_of(document, "phase"), "member") != 0) {
        return false;
    }
    cr_assert(json_array_size(members) <= ORACLE_MEMBERS_MAX);
    *sight = (struct sight){.process = process,
                            .epoch = number_of(view, "epoch"),
                            .version = number_of(view, "version"),
                            .count = json_array_size(members),
                            .self = NOWHERE};
    snprintf(sight->name, sizeof sight->name, "%s", text_of(document, "self"));
    for (size_t i = 0; i < sight->count; i++) {
        const json_t *member = json_array_get(members, i);
        snprintf(sight->ids[i], ORACLE_ID_MAX, "%s", text_of(member, "id"));
        sight->ages[i] = number_of(member, "age");
        if (strcmp(text_of(member, "name"), sight->name) == 0) {
            sight->self = i;
        }
    }
    return true;
}

/* --- One document ---------------------------------------------------------------------------- */

/* S3: a view contains its holder; ids and names are unique, ages rise; who is in is not gone. */
static void check_content(const struct sight *sight, const json_t *document)
{
    const json_t *members = json_object_get(document, "members");
    const json_t *gone = json_object_get(document, "gone");

    cr_assert(sight->self != NOWHERE, "S3: %s is not in its own view", sight->name);
    for (size_t i = 0; i < sight->count; i++) {
        const char *name = text_of(json_array_get(members, i), "name");
        cr_assert(i == 0 || sight->ages[i] > sight->ages[i - 1], "S3: ages do not rise for %s",
                  sight->name);
        cr_assert(place_of(sight, sight->ids[i]) == i, "S3: %s has %s twice", sight->name,
                  sight->ids[i]);
        cr_assert(entry_of(document, "members", name) == json_array_get(members, i),
                  "S3: %s has the name %s twice", sight->name, name);
    }
    for (size_t i = 0; i < json_array_size(gone); i++) {
        const char *id = text_of(json_array_get(gone, i), "id");
        cr_assert(place_of(sight, id) == NOWHERE, "M4: %s has %s as member and as gone",
                  sight->name, id);
    }
}

/* S4: the coordinator is the oldest. S11: who acts has its guard met, and coordinates. */
static void check_coordinator(const struct sight *sight, const json_t *document)
{
    const json_t *oldest = json_array_get(json_object_get(document, "members"), 0);
    const char *coordinator = text_of(document, "coordinator");
    const json_t *guard = json_object_get(document, "guard");

    cr_assert(coordinator[0] == '\0' || strcmp(coordinator, text_of(oldest, "name")) == 0,
              "S4: %s names %s, and %s is the oldest", sight->name, coordinator,
              text_of(oldest, "name"));
    if (json_is_true(json_object_get(document, "acting"))) {
        cr_assert(json_is_true(json_object_get(guard, "met")), "S11: %s acts without its guard",
                  sight->name);
        cr_assert(sight->self == 0, "S4: %s acts and is not the oldest", sight->name);
    }
}

/* --- Against what was shown before ----------------------------------------------------------- */

static void check_age(const struct sight *now, size_t place, bool holds, const char *rule)
{
    cr_assert(holds, "%s: %s shows age %llu in view %llu.%llu", rule, now->name,
              (unsigned long long)now->ages[place], (unsigned long long)now->epoch,
              (unsigned long long)now->version);
}

/* Has any node shown it with that age? */
static bool was_shown(const struct oracle *oracle, const char *id, uint64_t age)
{
    for (size_t i = 0; i < oracle->count; i++) {
        const size_t place = place_of(&oracle->views[i], id);
        if (place != NOWHERE && oracle->views[i].ages[place] == age) {
            return true;
        }
    }
    return false;
}

/* S7: an age does not change, or, for those that a merge takes up, rises. When this part is taken
 * up itself, the ages are those of the other part, which may not have known of the change. S6: whom
 * a coordinator lets in or takes up is younger than everybody it ever had. Views may have been
 * missed between the two, so that somebody who was taken up is not seen to have been away. */
static void check_ages(const struct oracle *oracle, const struct sight *before,
                       const struct sight *now, uint64_t age_max)
{
    const bool same_reign = strcmp(before->ids[0], now->ids[0]) == 0;

    for (size_t i = 0; i < now->count; i++) {
        const size_t place = place_of(before, now->ids[i]);
        const bool is_new = !same_reign || now->ages[i] > age_max;
        if (place == NOWHERE) {
            check_age(now, i, is_new, "S6");
        } else if (now->ages[i] != before->ages[place]) {
            const bool is_theirs = !same_reign && was_shown(oracle, now->ids[i], now->ages[i]);
            check_age(now, i, is_theirs || now->ages[i] > before->ages[place], "S7");
            check_age(now, i, is_theirs || (is_new && now->epoch > before->epoch), "S7");
        }
    }
}

/* S2: each life's view only rises. */
static void check_order(const struct sight *before, const struct sight *now)
{
    cr_assert(now->epoch > before->epoch ||
                  (now->epoch == before->epoch && now->version >= before->version),
              "S2: %s went from %llu.%llu to %llu.%llu", now->name,
              (unsigned long long)before->epoch, (unsigned long long)before->version,
              (unsigned long long)now->epoch, (unsigned long long)now->version);
}

static void compare_with_earlier(struct oracle *oracle, const struct sight *sight)
{
    size_t place = 0;

    while (place < oracle->process_count && oracle->newest[place].process != sight->process) {
        place++;
    }
    cr_assert(place < ORACLE_PROCESSES_MAX, "raise ORACLE_PROCESSES_MAX");
    const struct sight *before = &oracle->newest[place];
    uint64_t *age_max = &oracle->age_max[place];
    if (place == oracle->process_count) {
        oracle->process_count++;
        *age_max = 0;
    } else if (strcmp(before->ids[before->self], sight->ids[sight->self]) == 0) {
        check_order(before, sight);
        check_ages(oracle, before, sight, *age_max);
    }
    if (strcmp(before->ids[0], sight->ids[0]) != 0) {
        *age_max = 0;
    }
    if (sight->ages[sight->count - 1] > *age_max) {
        *age_max = sight->ages[sight->count - 1];
    }
    oracle->newest[place] = *sight;
}

/* S1: one epoch, version and coordinator have one content. */
static void compare_with_others(struct oracle *oracle, const struct sight *sight)
{
    for (size_t i = 0; i < oracle->count; i++) {
        const struct sight *known = &oracle->views[i];
        if (known->epoch == sight->epoch && known->version == sight->version &&
            strcmp(known->ids[0], sight->ids[0]) == 0) {
            cr_assert(known->count == sight->count &&
                          memcmp(known->ids, sight->ids, sizeof sight->ids) == 0 &&
                          memcmp(known->ages, sight->ages, sizeof sight->ages) == 0,
                      "S1: %s and %s show different views %llu.%llu", known->name, sight->name,
                      (unsigned long long)sight->epoch, (unsigned long long)sight->version);
            return;
        }
    }
    cr_assert(oracle->count < ORACLE_VIEWS_MAX, "raise ORACLE_VIEWS_MAX");
    oracle->views[oracle->count++] = *sight;
}

void oracle_look(struct oracle *oracle, pid_t process, const json_t *document)
{
    struct sight sight;

    if (read_sight(&sight, process, document)) {
        check_content(&sight, document);
        check_coordinator(&sight, document);
        compare_with_earlier(oracle, &sight);
        compare_with_others(oracle, &sight);
    }
}
