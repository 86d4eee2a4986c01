/* What the oracle remembers of all nodes together: every view that was named, every age that was
 * given, every life. No rule is held here. */
#include "oracle_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { PLACES_MIN = 64 };

static void *places_new(size_t places, size_t size)
{
    void *table = calloc(places, size);
    assert(table != NULL);
    return table;
}

void oracle_init(struct oracle *oracle, uint32_t host_count)
{
    memset(oracle, 0, sizeof *oracle);
    oracle->acting_count = host_count + 1;
    oracle->acting = places_new(oracle->acting_count, sizeof *oracle->acting);
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
    free(oracle->acting);
    free(oracle->rules);
    free(oracle->recollection.slots);
}

void oracle_forget_views(struct oracle *oracle)
{
    for (size_t i = 0; i < oracle->view_places; i++) {
        free(oracle->views[i].record);
    }
    memset(oracle->views, 0, oracle->view_places * sizeof *oracle->views);
    memset(oracle->ages, 0, oracle->age_places * sizeof *oracle->ages);
    oracle->view_count = 0;
    oracle->age_count = 0;
    for (uint32_t i = 0; i < oracle->history_count; i++) {
        oracle->histories[i].lineage = 0; /* Whichever is met next. */
        memset(&oracle->histories[i].highest, 0, sizeof oracle->histories[i].highest);
    }
}

/* --- Open hashing, never more than half full --- */

static size_t hash_of_view_id(const struct view_id *id)
{
    /* Lineages and ids were drawn at random; the numbers rise one by one. */
    return (size_t)(id->lineage ^ id_hash(&id->coordinator)) + 31 * id->epoch + id->version;
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

struct named_view *oracle_view_entry(struct oracle *oracle, const struct view_id *id)
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

struct given_age *oracle_age_entry(struct oracle *oracle, uint64_t lineage, uint64_t age)
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
    size_t at = id_hash(id) & (places - 1);
    while (table[at].host_plus_1 != 0 && !id_equal(&table[at].id, id)) {
        at = (at + 1) & (places - 1);
    }
    return &table[at];
}

void oracle_add_life(struct oracle *oracle, const struct node_id *id, uint32_t host)
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

struct life *oracle_life(const struct oracle *oracle, const struct node_id *id)
{
    return life_place(oracle->lives, oracle->life_places, id);
}

uint32_t oracle_host_of(const struct oracle *oracle, const struct node_id *id)
{
    return oracle_life(oracle, id)->host_plus_1 - 1;
}

/* --- Views as they are remembered --- */

struct record *oracle_record_of(const struct oracle *oracle, const struct view_id *id)
{
    return view_place(oracle->views, oracle->view_places, id)->record;
}

const struct recorded_member *oracle_find_recorded(const struct record *record,
                                                   const struct node_id *id)
{
    for (uint32_t i = 0; record != NULL && i < record->member_count; i++) {
        if (id_equal(&record->members[i].id, id)) {
            return &record->members[i];
        }
    }
    return NULL;
}

struct record *oracle_record_new(const struct oracle *oracle, const struct view *view)
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
