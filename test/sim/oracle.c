#include "oracle.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cluster.h"

enum { PLACES_MIN = 64 };

static void *places_new(size_t places, size_t size)
{
    void *table = calloc(places, size);
    assert(table != NULL);
    return table;
}

void oracle_init(struct oracle *oracle)
{
    memset(oracle, 0, sizeof *oracle);
    oracle->view_places = oracle->age_places = oracle->life_places = PLACES_MIN;
    oracle->views = places_new(PLACES_MIN, sizeof *oracle->views);
    oracle->ages = places_new(PLACES_MIN, sizeof *oracle->ages);
    oracle->lives = places_new(PLACES_MIN, sizeof *oracle->lives);
}

void oracle_deinit(struct oracle *oracle)
{
    for (size_t i = 0; i < oracle->view_places; i++) {
        free(oracle->views[i].record);
    }
    free(oracle->views);
    free(oracle->ages);
    free(oracle->lives);
}

void witness_deinit(struct witness *witness)
{
    free(witness->memories);
    memset(witness, 0, sizeof *witness);
}

/* --- The tables: open hashing, never more than half full --- */

static size_t hash_of_view_id(const struct view_id *id)
{
    uint64_t hash = hash_u64(hash_u64(hash_u64(HASH_START, id->lineage), id->epoch), id->version);
    return (size_t)hash_finish(hash_bytes(hash, id->coordinator.bytes, sizeof id->coordinator));
}

/* The view's place: taken by it, or free. */
static struct named_view *view_place(struct named_view *table, size_t places,
                                     const struct view_id *id)
{
    size_t at = hash_of_view_id(id) & (places - 1);
    while (table[at].hash != 0 &&
           (table[at].id.lineage != id->lineage || !view_id_equal(&table[at].id, id))) {
        at = (at + 1) & (places - 1);
    }
    return &table[at];
}

static struct named_view *view_entry(struct oracle *oracle, const struct view_id *id)
{
    if (2 * oracle->view_count >= oracle->view_places) {
        size_t places = 2 * oracle->view_places;
        struct named_view *table = places_new(places, sizeof *table);
        for (size_t i = 0; i < oracle->view_places; i++) {
            if (oracle->views[i].hash != 0) {
                *view_place(table, places, &oracle->views[i].id) = oracle->views[i];
            }
        }
        free(oracle->views);
        oracle->views = table;
        oracle->view_places = places;
    }
    return view_place(oracle->views, oracle->view_places, id);
}

static struct given_age *age_place(struct given_age *table, size_t places, uint64_t lineage,
                                   uint64_t age)
{
    uint64_t hash = hash_finish(hash_u64(hash_u64(HASH_START, lineage), age));
    size_t at = (size_t)hash & (places - 1);
    while (table[at].age != 0 && (table[at].lineage != lineage || table[at].age != age)) {
        at = (at + 1) & (places - 1);
    }
    return &table[at];
}

static struct given_age *age_entry(struct oracle *oracle, uint64_t lineage, uint64_t age)
{
    if (2 * oracle->age_count >= oracle->age_places) {
        size_t places = 2 * oracle->age_places;
        struct given_age *table = places_new(places, sizeof *table);
        for (size_t i = 0; i < oracle->age_places; i++) {
            if (oracle->ages[i].age != 0) {
                *age_place(table, places, oracle->ages[i].lineage,
                           oracle->ages[i].age) = oracle->ages[i];
            }
        }
        free(oracle->ages);
        oracle->ages = table;
        oracle->age_places = places;
    }
    return age_place(oracle->ages, oracle->age_places, lineage, age);
}

static struct life *life_place(struct life *table, size_t places, const struct node_id *id)
{
    size_t at = (size_t)id_hash(id) & (places - 1);
    while (table[at].host_plus_1 != 0 && !id_equal(&table[at].id, id)) {
        at = (at + 1) & (places - 1);
    }
    return &table[at];
}

static void add_life(struct oracle *oracle, const struct node_id *id, uint32_t host)
{
    if (2 * oracle->life_count >= oracle->life_places) {
        size_t places = 2 * oracle->life_places;
        struct life *table = places_new(places, sizeof *table);
        for (size_t i = 0; i < oracle->life_places; i++) {
            if (oracle->lives[i].host_plus_1 != 0) {
                *life_place(table, places, &oracle->lives[i].id) = oracle->lives[i];
            }
        }
        free(oracle->lives);
        oracle->lives = table;
        oracle->life_places = places;
    }
    *life_place(oracle->lives, oracle->life_places, id) = (struct life){.id = *id,
                                                                        .host_plus_1 = host + 1};
    oracle->life_count++;
}

uint32_t oracle_host_of(const struct oracle *oracle, const struct node_id *id)
{
    return life_place(oracle->lives, oracle->life_places, id)->host_plus_1 - 1;
}

/* --- Verdicts --- */

static void fail(struct sim *sim, const struct host *host, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void fail(struct sim *sim, const struct host *host, const char *format, ...)
{
    struct oracle *oracle = &sim->oracle;
    if (oracle->failure[0] != '\0') {
        return; /* What comes after the first is mostly its consequence. */
    }

    char letter[LETTER_BYTES];
    int length = snprintf(oracle->failure, sizeof oracle->failure,
                          "at %" PRIu64 ".%03" PRIu64 " ms, node %s: ", sim->now_us / 1000,
                          sim->now_us % 1000, host_letter(host_index(sim, host), letter));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(oracle->failure + length, sizeof oracle->failure - (size_t)length, format, arguments);
    va_end(arguments);

    if (!sim->options.lenient) {
        fprintf(stderr, "seed %" PRIu64 " broke a rule %s\n", sim->options.seed, oracle->failure);
        abort();
    }
}

/* The oracle's own idea of a view's content, so that a hash that forgets a field is found. */
static uint64_t content_of(const struct view *view)
{
    uint64_t hash = hash_u64(hash_u64(HASH_START, view->next_age), (uint64_t)view->cause);
    for (uint32_t i = 0; i < view->member_count; i++) {
        const struct member *member = &view->members[i];
        hash = hash_bytes(hash, member->id.bytes, sizeof member->id.bytes);
        hash = hash_bytes(hash, member->address.bytes, sizeof member->address.bytes);
        hash = hash_u64(hash_u64(hash, member->address.port), member->age);
        hash = hash_bytes(hash, member->name, strlen(member->name));
        hash = hash_bytes(hash, member->tags.text, member->tags.length);
    }
    for (uint32_t i = 0; i < view->gone_count; i++) {
        hash = hash_bytes(hash, view->gone[i].id.bytes, sizeof view->gone[i].id.bytes);
        hash = hash_u64(hash_u64(hash, view->gone[i].age), (uint64_t)view->gone[i].reason);
    }
    hash = hash_finish(hash);
    return hash == 0 ? 1 : hash;
}

/* --- Chains of views --- */

static struct record *record_of(const struct oracle *oracle, const struct view_id *id)
{
    return view_place(oracle->views, oracle->view_places, id)->record;
}

static const struct recorded_member *find_recorded(const struct record *record,
                                                   const struct node_id *id)
{
    for (uint32_t i = 0; record != NULL && i < record->member_count; i++) {
        if (id_equal(&record->members[i].id, id)) {
            return &record->members[i];
        }
    }
    return NULL;
}

static struct record *record_new(const struct oracle *oracle, const struct view *view)
{
    struct record *record = malloc(sizeof *record + view->member_count * sizeof record->members[0]);
    assert(record != NULL);
    *record = (struct record){.parent = view->parent,
                              .merged = view->merged,
                              .cause = view->cause,
                              .next_age = view->next_age,
                              .member_count = view->member_count};
    for (uint32_t i = 0; i < view->member_count; i++) {
        const struct member *member = &view->members[i];
        record->members[i] = (struct recorded_member){
            .id = member->id,
            .age = member->age,
            .name = hash_bytes(HASH_START, member->name, strlen(member->name)),
            .host = oracle_host_of(oracle, &member->id)};
    }
    return record;
}

struct walk {
    const struct node_id *member; /* looked for in each ancestor, if not NULL */
    uint64_t lineage;             /* looked for among them, if not 0 */
};

/* Does any view from which `id` was made, itself included, hold what is looked for? The recursion
 * is as deep as there are merges. */
static bool walk_finds(struct oracle *oracle, const struct view_id *id, const struct walk *walk)
{
    struct view_id at = *id;

    for (struct record *record = record_of(oracle, &at);
         record != NULL && record->visit != oracle->visits; record = record_of(oracle, &at)) {
        record->visit = oracle->visits;
        if (walk->member != NULL && find_recorded(record, walk->member) != NULL) {
            return true;
        }
        if (walk->lineage != 0 && at.lineage == walk->lineage) {
            return true;
        }
        /* Whom a merge did not take up, because another life has its name, was not removed. */
        bool left_out = walk->member != NULL && record->cause == CAUSE_MERGE &&
                        find_recorded(record_of(oracle, &record->merged), walk->member) != NULL;
        if (record->cause == CAUSE_MERGE && !left_out &&
            walk_finds(oracle, &record->merged, walk)) {
            return true;
        }
        at = record->parent;
    }
    return false;
}

static bool was_member_before(struct oracle *oracle, const struct view_id *parent,
                              const struct node_id *id)
{
    if (!life_place(oracle->lives, oracle->life_places, id)->was_member) {
        return false; /* Mostly: a new life. */
    }
    oracle->visits++;
    return walk_finds(oracle, parent, &(struct walk){.member = id});
}

/* S5, S6, S7 and M4 for one member of a view, against the views from which it was made. */
static void check_origin(struct sim *sim, const struct host *host, const struct view *view,
                         const struct member *member, const struct record *parent,
                         const struct record *merged)
{
    const struct recorded_member *before = find_recorded(parent, &member->id);
    const struct recorded_member *theirs = find_recorded(merged, &member->id);
    uint64_t least = parent->next_age;

    if (merged != NULL && merged->next_age > least) {
        least = merged->next_age;
    }
    if (before != NULL && before->age == member->age) {
        return;
    }
    if (before != NULL && theirs == NULL) {
        fail(sim, host, "S7: %s of age %" PRIu64 " became %" PRIu64, member->name, before->age,
             member->age);
    }
    if (member->age < least) {
        fail(sim, host, "S6: %s is new with age %" PRIu64 ", below next_age %" PRIu64, member->name,
             member->age, least);
    }
    if (theirs != NULL) {
        return;
    }
    if (view->cause != CAUSE_CHANGE) {
        fail(sim, host, "S7: %s came from nowhere", member->name);
    }
    if (was_member_before(&sim->oracle, &view->parent, &member->id)) {
        fail(sim, host, "S5: %s was removed and is back with the same id", member->name);
    }
}

/* M4: the winner's members are unchanged, the loser's come behind in their order; of two lives
 * under one name or at one address, one. */
static void check_merge(struct sim *sim, const struct host *host, const struct view *view,
                        const struct record *winner, const struct record *loser)
{
    uint64_t age = 0;

    if (view->epoch <= view->parent.epoch || view->epoch <= view->merged.epoch ||
        view->version <= view->parent.version || view->version <= view->merged.version) {
        fail(sim, host, "M4: the merged view is not above both its parents");
    }
    for (uint32_t i = 0; i < winner->member_count; i++) {
        const struct recorded_member *member = &winner->members[i];
        uint32_t position = view_find(view, &member->id);
        bool theirs = find_recorded(loser, &member->id) != NULL;
        if (position == VIEW_NONE || (!theirs && view->members[position].age != member->age)) {
            fail(sim, host, "M4: a member of the winner was lost or re-aged");
        }
    }
    for (uint32_t i = 0; i < loser->member_count; i++) {
        const struct recorded_member *member = &loser->members[i];
        uint32_t position = view_find(view, &member->id);
        if (position == VIEW_NONE) {
            bool other_life = false;
            for (uint32_t k = 0; k < view->member_count; k++) {
                const struct member *other = &view->members[k];
                other_life |= oracle_host_of(&sim->oracle, &other->id) == member->host ||
                              hash_bytes(HASH_START, other->name, strlen(other->name)) ==
                                  member->name;
            }
            if (!other_life) {
                fail(sim, host, "M4: a member of the loser was lost");
            }
        } else if (find_recorded(winner, &member->id) == NULL) {
            if (view->members[position].age < age) {
                fail(sim, host, "M4: the loser's members changed their order");
            }
            age = view->members[position].age;
        }
    }
}

/* A view that nobody has seen before, against the views from which it was made. */
static void check_chain(struct sim *sim, const struct host *host, const struct view *view)
{
    struct oracle *oracle = &sim->oracle;
    bool merges = view->cause == CAUSE_MERGE;
    const struct record *parent = record_of(oracle, &view->parent);
    const struct record *merged = merges ? record_of(oracle, &view->merged) : NULL;

    if (view->cause == CAUSE_FOUND) {
        return;
    }
    if (parent == NULL || (merges && merged == NULL)) {
        oracle->orphans++;
        return;
    }
    if (view->lineage != view->parent.lineage || view->epoch < view->parent.epoch ||
        view->version <= view->parent.version) {
        fail(sim, host, "V2: a view is not above the one from which it was made");
    }
    if (view->epoch == view->parent.epoch &&
        !id_equal(&view->members[0].id, &view->parent.coordinator)) {
        fail(sim, host, "V2: another coordinator in the same epoch");
    }
    if (view->next_age < parent->next_age || (merges && view->next_age < merged->next_age)) {
        fail(sim, host, "S6: next_age fell to %" PRIu64, view->next_age);
    }
    if (merges) {
        check_merge(sim, host, view, parent, merged);
    }
    for (uint32_t i = 0; i < view->member_count; i++) {
        check_origin(sim, host, view, &view->members[i], parent, merged);
    }
}

static void note_members(struct oracle *oracle, const struct view *view)
{
    for (uint32_t i = 0; i < view->member_count; i++) {
        struct life *life = life_place(oracle->lives, oracle->life_places, &view->members[i].id);
        life->was_member = true;
    }
}

static void check_one_content(struct sim *sim, const struct host *host, const struct view *view,
                              uint64_t content)
{
    struct view_id id = view_id_of(view);
    struct named_view *entry = view_entry(&sim->oracle, &id);
    uint64_t hash = view->hash == 0 ? 1 : view->hash; /* 0 marks a free place */

    if (entry->hash == 0) {
        check_chain(sim, host, view);
        note_members(&sim->oracle, view);
        *entry = (struct named_view){
            .id = id, .hash = hash, .content = content, .record = record_new(&sim->oracle, view)};
        sim->oracle.view_count++;
        return;
    }
    if (entry->hash != hash) {
        fail(sim, host, "S1: two hashes under one name, epoch %" PRIu64 " version %" PRIu64,
             id.epoch, id.version);
    }
    if (entry->content != 0 && content != 0 && entry->content != content) {
        fail(sim, host, "S1: two contents under one name, epoch %" PRIu64 " version %" PRIu64,
             id.epoch, id.version);
    }
    if (entry->content == 0) {
        entry->content = content;
    }
}

void oracle_on_sent_view(struct sim *sim, struct host *host, const struct view *view)
{
    check_one_content(sim, host, view, 0);
}

void oracle_on_ack(struct sim *sim, struct host *host, const struct view_id *id)
{
    struct oracle *oracle = &sim->oracle;
    const struct node_id *self = &core_self(host->core)->id;
    struct record *record = record_of(oracle, id);

    life_place(oracle->lives, oracle->life_places, self)->accepted = true;
    if (record != NULL && id_equal(&record->merged.coordinator, self)) {
        record->loser_agreed = true;
    }
}

/* J3, J6, M4: who comes in by this view has said that it does. */
static void check_agreed(struct sim *sim, const struct host *host, const struct view *view)
{
    struct oracle *oracle = &sim->oracle;
    const struct record *parent = record_of(oracle, &view->parent);

    if (view->cause == CAUSE_MERGE &&
        !record_of(oracle, &(struct view_id){.lineage = view->lineage,
                                             .epoch = view->epoch,
                                             .version = view->version,
                                             .coordinator = view->members[0].id})
             ->loser_agreed) {
        fail(sim, host, "M4: merged without the other part's coordinator");
    }
    for (uint32_t i = 0; view->cause == CAUSE_CHANGE && i < view->member_count; i++) {
        const struct node_id *id = &view->members[i].id;
        if (find_recorded(parent, id) == NULL &&
            !life_place(oracle->lives, oracle->life_places, id)->accepted) {
            fail(sim, host, "J3: %s is in without having accepted it", view->members[i].name);
        }
    }
}

/* C4, and that nobody builds on less than it holds. */
static void check_base(struct sim *sim, const struct host *host, const struct view *view)
{
    const struct witness *witness = &host->witness;
    const struct granted *granted = &host->granted;

    if (view->cause == CAUSE_FOUND || !witness->has_view) {
        return;
    }
    if (witness->view.lineage == view->parent.lineage &&
        view_id_compare(&view->parent, &witness->view) < 0) {
        fail(sim, host, "S6: made from an older view than the one that its maker held");
    }
    if (view->cause == CAUSE_CLAIM && granted->epoch == view->epoch &&
        granted->accepted.lineage == view->lineage &&
        id_equal(&granted->accepted.coordinator, &view->parent.coordinator) &&
        view_id_compare(&view->parent, &granted->accepted) < 0) {
        fail(sim, host, "C4: a voter had accepted a newer view");
    }
}

static void check_shape(struct sim *sim, const struct host *host, const struct view *view)
{
    const struct node_id *self = &core_self(host->core)->id;
    bool holds_self = false;

    for (uint32_t i = 0; i < view->member_count; i++) {
        const struct member *member = &view->members[i];
        holds_self |= id_equal(&member->id, self);
        if (i > 0 && member->age <= view->members[i - 1].age) {
            fail(sim, host, "S3: ages do not rise");
        }
        for (uint32_t k = 0; k < i; k++) {
            const struct member *older = &view->members[k];
            if (id_equal(&member->id, &older->id) || strcmp(member->name, older->name) == 0 ||
                address_equal(&member->address, &older->address)) {
                fail(sim, host, "S3: %s and %s share id, name or address", older->name,
                     member->name);
            }
        }
        if (oracle_host_of(&sim->oracle, &member->id) == SIM_NOBODY) {
            fail(sim, host, "S3: a member that never lived, called %s", member->name);
        }
    }
    if (view->next_age <= view->members[view->member_count - 1].age) {
        fail(sim, host, "S3: next_age %" PRIu64 " is not above all", view->next_age);
    }
    if (!holds_self) {
        fail(sim, host, "S3: the view does not contain its holder");
    }
    const struct member *coordinator = core_coordinator(host->core);
    if (coordinator != NULL && !id_equal(&coordinator->id, &view->members[0].id)) {
        fail(sim, host, "S4: the coordinator is not the oldest");
    }
}

/* S2. Only the order of one life's views counts. */
static void check_rise(struct sim *sim, const struct host *host, const struct view *view)
{
    const struct witness *witness = &host->witness;
    struct view_id id = view_id_of(view);

    if (witness->has_view && view_id_compare(&id, &witness->view) <= 0) {
        fail(sim, host,
             "S2: from epoch %" PRIu64 " version %" PRIu64 " back to %" PRIu64 " %" PRIu64,
             witness->view.epoch, witness->view.version, id.epoch, id.version);
    }
    if (witness->has_view && witness->view.lineage != id.lineage) {
        sim->oracle.visits++;
        /* Some part of its founding was taken up; which, a member whose coordinator is gone cannot
         * know (V4). */
        if (!walk_finds(&sim->oracle, &id, &(struct walk){.lineage = witness->view.lineage})) {
            fail(sim, host, "S2: another lineage without a merge");
        }
    }
}

/* S6 for all nodes together, where no split can have happened. */
static void check_ages_given(struct sim *sim, const struct host *host, const struct view *view)
{
    for (uint32_t i = 0; i < view->member_count; i++) {
        const struct member *member = &view->members[i];
        struct given_age *entry = age_entry(&sim->oracle, view->lineage, member->age);
        if (entry->age == 0) {
            *entry = (struct given_age){
                .lineage = view->lineage, .age = member->age, .id = member->id};
            sim->oracle.age_count++;
        } else if (!id_equal(&entry->id, &member->id)) {
            fail(sim, host, "S6: age %" PRIu64 " was given twice", member->age);
        }
    }
}

static struct memory *recall(const struct witness *witness, const struct node_id *id)
{
    for (uint32_t i = 0; i < witness->count; i++) {
        if (id_equal(&witness->memories[i].id, id)) {
            return &witness->memories[i];
        }
    }
    return NULL;
}

static void memorize(struct witness *witness, const struct member *member)
{
    if (witness->count == witness->capacity) {
        witness->capacity = witness->capacity == 0 ? 16 : 2 * witness->capacity;
        witness->memories = realloc(witness->memories,
                                    witness->capacity * sizeof *witness->memories);
        assert(witness->memories != NULL);
    }
    witness->memories[witness->count++] = (struct memory){
        .id = member->id, .age = member->age, .present = true};
}

/* S5, S6, S7 along the views of one life. */
static void check_members_against_memory(struct sim *sim, const struct host *host,
                                         const struct view *view)
{
    const struct witness *witness = &host->witness;

    for (uint32_t i = 0; i < view->member_count; i++) {
        const struct member *member = &view->members[i];
        const struct memory *memory = recall(witness, &member->id);
        if (memory == NULL) {
            if (member->age < witness->next_age) {
                fail(sim, host, "S6: %s is new with age %" PRIu64 ", below next_age %" PRIu64,
                     member->name, member->age, witness->next_age);
            }
        } else if (!memory->present) {
            fail(sim, host, "S5: %s was removed and is back with the same id", member->name);
        } else if (memory->age != member->age) {
            fail(sim, host, "S7: %s of age %" PRIu64 " became %" PRIu64, member->name, memory->age,
                 member->age);
        }
    }
    if (view->next_age < witness->next_age) {
        fail(sim, host, "S6: next_age fell from %" PRIu64 " to %" PRIu64, witness->next_age,
             view->next_age);
    }
}

/* For how long has `host` heard the other without a silence longer than T_silent? */
static bool hears_steadily(const struct sim *sim, const struct host *host, uint32_t other,
                           uint64_t ms)
{
    uint64_t now_ms = host_now_ms(sim, host);

    return &sim->hosts[other] == host ||
           (host->running && !host->paused && host->heard[other].ms != 0 &&
            now_ms - host->heard[other].ms <= sim->timing.silent_ms &&
            now_ms - host->heard[other].since_ms >= ms);
}

/* D4: whoever has slept accuses nobody for a while. */
static void check_awake(struct sim *sim, const struct host *host, const struct gone *gone)
{
    if (host->woke_us != 0 && host->slept_ms > 2 * sim->timing.silent_ms &&
        sim->now_us < host->woke_us + sim->timing.fresh_ms * US_PER_MS / 2 &&
        gone->verdict != VERDICT_DEAD) {
        fail(sim, host, "D4: removes %s right after it slept", gone->name);
    }
}

static bool is_sound_for(const struct sim *sim, const struct host *host, uint64_t us)
{
    return host->turn_us == 0 && host->late_us == 0 &&
           (host->touched_us == 0 || sim->now_us >= host->touched_us + us);
}

static bool is_open_for(const struct sim *sim, uint32_t from, uint32_t to, uint64_t us)
{
    const struct link *link = network_link(&sim->network, from, to);
    return link->cuts == 0 && (link->changed_us == 0 || sim->now_us >= link->changed_us + us);
}

/* Do both hear each other, with nothing between them, for that long and longer? */
static bool in_touch(const struct sim *sim, uint32_t a, uint32_t b, uint64_t ms)
{
    uint64_t us = ms * US_PER_MS;

    return is_sound_for(sim, &sim->hosts[a], us) && is_sound_for(sim, &sim->hosts[b], us) &&
           is_open_for(sim, a, b, us) && is_open_for(sim, b, a, us) && !sim->rough &&
           (sim->quality_us == 0 || sim->now_us >= sim->quality_us + us) &&
           hears_steadily(sim, &sim->hosts[a], b, ms) && hears_steadily(sim, &sim->hosts[b], a, ms);
}

/* R1, C2: a member that somebody hears all the while who can say so is not removed, even if the
 * maker of the view does not hear it. */
static void check_vouched(struct sim *sim, const struct host *host, const struct view *view,
                          const struct memory *memory)
{
    uint32_t maker = host_index(sim, host);
    uint32_t subject = oracle_host_of(&sim->oracle, &memory->id);
    const struct host *victim = &sim->hosts[subject];
    uint64_t steady_ms = sim->timing.stall_ms + 2 * sim->timing.lost_ms;

    if (view->member_count > 5 || !victim->running || victim->paused ||
        !id_equal(&victim->witness.life, &memory->id)) {
        return;
    }
    for (uint32_t i = 1; i < view->member_count; i++) {
        uint32_t other = oracle_host_of(&sim->oracle, &view->members[i].id);
        const struct witness *witness = &sim->hosts[other].witness;
        if (other != subject && id_equal(&witness->life, &view->members[i].id) &&
            id_equal(&witness->view.coordinator, &victim->witness.view.coordinator) &&
            id_equal(&witness->view.coordinator, &host->witness.view.coordinator) &&
            in_touch(sim, maker, other, steady_ms) && in_touch(sim, other, subject, steady_ms)) {
            fail(sim, host, "R1: %s was removed though %s heard it", victim->name,
                 sim->hosts[other].name);
        }
    }
}

/* S8: the member's process is the one that was removed, it followed the view before, its maker
 * and a majority of it heard it all the while, and yet it was removed as failed. */
static void check_removal(struct sim *sim, const struct host *host, const struct view *view,
                          const struct memory *memory)
{
    const struct gone *gone = view_find_gone(view, &memory->id);
    uint32_t subject = oracle_host_of(&sim->oracle, &memory->id);
    uint32_t maker = oracle_host_of(&sim->oracle, &view->members[0].id);
    const struct host *victim = &sim->hosts[subject];
    const struct view_id *victims = &victim->witness.view;
    uint64_t steady_ms = sim->timing.stall_ms + 2 * sim->timing.lost_ms;

    if (gone == NULL || gone->reason != GONE_FAILED || &sim->hosts[maker] != host ||
        find_recorded(record_of(&sim->oracle, &view->parent), &memory->id) == NULL) {
        return;
    }
    check_awake(sim, host, gone);
    check_vouched(sim, host, view, memory);
    if (!victim->running || victim->paused || !id_equal(&victim->witness.life, &memory->id) ||
        !victim->witness.has_view || victims->lineage != host->witness.view.lineage ||
        !id_equal(&victims->coordinator, &host->witness.view.coordinator) ||
        !view_has(core_view(victim->core), &host->witness.life) || /* It had left us out first. */
        !hears_steadily(sim, host, subject, steady_ms)) {
        return;
    }
    uint32_t hearing = 0;
    for (uint32_t i = 0; i < view->member_count; i++) {
        uint32_t other = oracle_host_of(&sim->oracle, &view->members[i].id);
        hearing += hears_steadily(sim, &sim->hosts[other], subject, steady_ms);
    }
    if (quorum_is_majority(hearing + 1, view->member_count + 1)) {
        fail(sim, host, "S8: %s was heard all the while and was removed, verdict %d", gone->name,
             (int)gone->verdict);
    }
}

/* S16: what was told is what changed. */
static void check_notices(struct sim *sim, const struct host *host, const struct effects *effects,
                          uint32_t joined, uint32_t gone)
{
    uint32_t views = 0;
    for (uint32_t i = 0; i < effects->count; i++) {
        const struct effect *effect = &effects->items[i];
        if (effect->type != EFFECT_NOTICE) {
            continue;
        }
        views += effect->notice.type == NOTICE_VIEW;
        joined -= effect->notice.type == NOTICE_JOINED;
        gone -= effect->notice.type == NOTICE_GONE;
    }
    if (views == 0) {
        fail(sim, host, "S16: a view was installed and nobody was told");
    }
    if (views == 1 && (joined != 0 || gone != 0)) {
        fail(sim, host, "S16: the notices do not add up to the change of the view");
    }
}

/* Who acknowledged the view that was just installed, is known to hold it (G1). */
static void note_holders(const struct sim *sim, struct host *host)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        struct heard *heard = &host->heard[i];
        for (uint32_t k = 0; k < ACKS_KEPT; k++) {
            if (view_id_equal(&heard->acks[k].view, &host->witness.view) &&
                view_has(core_view(host->core), &heard->acks[k].life)) {
                heard->holder = heard->acks[k].life;
            }
        }
    }
}

/* Takes the view into the witness's memory. Returns how many are new and how many went. */
static void remember_view(struct sim *sim, struct host *host, const struct view *view,
                          uint32_t *joined, uint32_t *gone)
{
    struct witness *witness = &host->witness;

    for (uint32_t i = 0; i < witness->count; i++) {
        struct memory *memory = &witness->memories[i];
        if (memory->present && !view_has(view, &memory->id)) {
            check_removal(sim, host, view, memory);
            memory->present = false;
            /* If it comes back by a merge, its messages are counted anew. */
            host->heard[oracle_host_of(&sim->oracle, &memory->id)].number = 0;
            *gone += 1;
        }
    }
    for (uint32_t i = 0; i < view->member_count; i++) {
        struct memory *memory = recall(witness, &view->members[i].id);
        if (memory == NULL) {
            memorize(witness, &view->members[i]);
            *joined += 1;
        } else {
            *joined += !memory->present;
            memory->present = true;
            memory->age = view->members[i].age;
        }
    }
    witness->view = view_id_of(view);
    note_holders(sim, host);
    witness->hash = view->hash;
    witness->next_age = view->next_age;
    witness->has_view = true;
}

/* F2, where nothing was done that could hide a cluster: nobody founds while a seed has been a
 * member for so long that it must have answered. */
static void check_founding(struct sim *sim, const struct host *host)
{
    uint64_t long_us = 4 * sim->timing.discover_ms * US_PER_MS;

    for (uint32_t i = 0; !sim->options.disorder && i < sim->options.seed_count; i++) {
        const struct host *seed = &sim->hosts[i];
        if (seed != host && seed->running && !seed->leaves && seed->witness.phase == PHASE_MEMBER &&
            sim->now_us > seed->witness.phase_us + long_us) {
            fail(sim, host, "F2: founds beside the cluster of %s", seed->name);
        }
    }
}

static void on_install(struct sim *sim, struct host *host, const struct view *view,
                       const struct effects *effects)
{
    bool first = !host->witness.has_view;
    uint32_t joined = 0;
    uint32_t gone = 0;

    check_one_content(sim, host, view, content_of(view));
    check_rise(sim, host, view);
    check_shape(sim, host, view);
    if (id_equal(&view->members[0].id, &core_self(host->core)->id)) {
        check_agreed(sim, host, view);
        check_base(sim, host, view);
    }
    if (first && view->cause == CAUSE_FOUND) {
        check_founding(sim, host);
    }
    if (view->cause != CAUSE_MERGE && !sim->options.disorder) {
        check_ages_given(sim, host, view);
        if (!first) {
            check_members_against_memory(sim, host, view);
        }
    }
    remember_view(sim, host, view, &joined, &gone);
    if (!first) {
        check_notices(sim, host, effects, joined, gone);
    }
    sim->changed = true;
}

/* By its last heartbeat, or because it acknowledged a view of this node since (G1). */
static bool follows(const struct host *host, const struct node_id *member,
                    const struct heard *heard)
{
    return id_equal(&heard->follows, &core_self(host->core)->id) ||
           id_equal(&heard->holder, member);
}

/* S11, and that it counts nobody who was not heard, or who follows another. */
static void check_acting(struct sim *sim, const struct host *host)
{
    uint64_t now_ms = host_now_ms(sim, host);
    struct guard_state guard = core_guard(host->core, now_ms);
    const struct view *view = core_view(host->core);

    if (!guard.met || guard.fresh < guard.needed) {
        fail(sim, host, "S11: acting, with %u of %u needed", guard.fresh, guard.needed);
    }
    if (core_phase(host->core) != PHASE_MEMBER && core_phase(host->core) != PHASE_LEAVING) {
        fail(sim, host, "S11: acting without being a member");
    }
    if (core_is_merging(host->core)) {
        fail(sim, host, "M3: acting while its part is being taken up");
    }
    if (guard.needed <= 1) {
        return;
    }
    uint32_t heard = 1;
    for (uint32_t i = 0; i < view->member_count; i++) {
        uint32_t index = oracle_host_of(&sim->oracle, &view->members[i].id);
        if (&sim->hosts[index] != host && host->heard[index].ms != 0 &&
            follows(host, &view->members[i].id, &host->heard[index]) &&
            now_ms - host->heard[index].ms <= sim->timing.fresh_ms + 1) {
            heard++;
        }
    }
    if (guard.fresh > heard) {
        fail(sim, host, "S11: counts %u fresh members, %u were heard and follow", guard.fresh,
             heard);
    }
}

/* Never two acting in one lineage, as long as nothing was done that could split it. */
static void check_one_acts(struct sim *sim, const struct host *host)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct host *other = &sim->hosts[i];
        if (other->running && other->disturbed) {
            return;
        }
    }
    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct host *other = &sim->hosts[i];
        if (other != host && other->running &&
            core_view(other->core)->lineage == core_view(host->core)->lineage &&
            core_is_acting(other->core, host_now_ms(sim, other))) {
            fail(sim, host, "two act at once, the other is %s", other->name);
        }
    }
}

static void forget(struct sim *sim, struct host *host)
{
    struct witness *witness = &host->witness;

    witness->life = core_self(host->core)->id;
    witness->has_view = false;
    witness->next_age = 0;
    witness->hash = 0;
    witness->count = 0;
    if (oracle_host_of(&sim->oracle, &witness->life) == SIM_NOBODY) {
        add_life(&sim->oracle, &witness->life, host_index(sim, host));
    } else {
        fail(sim, host, "I1: a life under an id that was used before");
    }
}

void oracle_on_start(struct sim *sim, struct host *host)
{
    host->witness.phase = PHASE_JOINING;
    host->witness.acting = false;
    forget(sim, host);
}

static void on_phase(struct sim *sim, struct host *host, enum phase phase)
{
    if (host->witness.phase == PHASE_STOPPED) {
        fail(sim, host, "S13: left, and is in phase %d again", (int)phase);
    }
    host->witness.phase = phase;
    host->witness.phase_us = sim->now_us;
    sim->changed = true;
}

void oracle_after_step(struct sim *sim, struct host *host, const struct effects *effects)
{
    struct witness *witness = &host->witness;
    const struct core *core = host->core;
    const struct view *view = core_view(core);
    enum phase phase = core_phase(core);

    if (!id_equal(&core_self(core)->id, &witness->life)) {
        forget(sim, host);
        sim->changed = true;
    }
    if (phase != witness->phase) {
        on_phase(sim, host, phase);
    }
    if (!view_is_empty(view)) {
        struct view_id id = view_id_of(view);
        if (!witness->has_view || witness->view.lineage != id.lineage ||
            !view_id_equal(&witness->view, &id) || witness->hash != view->hash) {
            on_install(sim, host, view, effects);
        }
    } else if (phase == PHASE_MEMBER || phase == PHASE_LEAVING) {
        fail(sim, host, "S12: a member without a view");
    }

    const struct member *coordinator = core_coordinator(core);
    bool acting = coordinator != NULL && id_equal(&coordinator->id, &witness->life) &&
                  core_is_acting(core, host_now_ms(sim, host));
    if (acting) {
        check_acting(sim, host);
    }
    if (acting != witness->acting) {
        witness->acting = acting;
        sim->changed = true;
        if (acting && !sim->options.disorder) {
            check_one_acts(sim, host);
        }
    }
}
