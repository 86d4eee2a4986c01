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
    size_t at = (size_t)hash_finish(hash_bytes(HASH_START, id->bytes, sizeof id->bytes)) &
                (places - 1);
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

static void check_one_content(struct sim *sim, const struct host *host, const struct view *view,
                              uint64_t content)
{
    struct view_id id = view_id_of(view);
    struct named_view *entry = view_entry(&sim->oracle, &id);

    if (entry->hash == 0) {
        /* 0 marks a free place; the one hash in 2^64 that is 0 passes for 1. */
        *entry = (struct named_view){
            .id = id, .hash = view->hash == 0 ? 1 : view->hash, .content = content};
        sim->oracle.view_count++;
        return;
    }
    if (entry->hash != (view->hash == 0 ? 1 : view->hash)) {
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
    if (view->cause != CAUSE_MERGE && witness->has_view && witness->view.lineage != id.lineage) {
        fail(sim, host, "S2: another lineage without a merge");
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

/* S8, a part of it that can be seen from outside: nothing was ever done to the member, to the
 * maker of the view, or to most of the others, the member followed the same coordinator as the
 * one who now sees it go, and yet it was removed as failed. */
static void check_removal(struct sim *sim, const struct host *host, const struct view *view,
                          const struct memory *memory)
{
    uint32_t subject = oracle_host_of(&sim->oracle, &memory->id);
    uint32_t maker = oracle_host_of(&sim->oracle, &view->members[0].id);
    const struct host *victim = &sim->hosts[subject];

    if (!victim->running || victim->disturbed || !id_equal(&victim->witness.life, &memory->id) ||
        sim->hosts[maker].disturbed || !victim->witness.has_view ||
        victim->witness.view.lineage != view->lineage ||
        !id_equal(&victim->witness.view.coordinator, &host->witness.view.coordinator)) {
        return;
    }
    uint32_t undisturbed = 1;
    for (uint32_t i = 0; i < view->member_count; i++) {
        undisturbed += !sim->hosts[oracle_host_of(&sim->oracle, &view->members[i].id)].disturbed;
    }
    for (uint32_t i = 0; i < view->gone_count; i++) {
        const struct gone *gone = &view->gone[i];
        if (id_equal(&gone->id, &memory->id) && gone->reason == GONE_FAILED &&
            quorum_is_majority(undisturbed, view->member_count + 1)) {
            fail(sim, host, "S8: %s was healthy and was removed, reason %d verdict %d", gone->name,
                 (int)gone->reason, (int)gone->verdict);
        }
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
    witness->hash = view->hash;
    witness->next_age = view->next_age;
    witness->has_view = true;
}

static void on_install(struct sim *sim, struct host *host, const struct view *view,
                       const struct effects *effects)
{
    bool first = !host->witness.has_view;
    bool maker = id_equal(&view->members[0].id, &host->witness.life);
    uint32_t joined = 0;
    uint32_t gone = 0;

    check_rise(sim, host, view);
    check_one_content(sim, host, view, content_of(view));
    check_shape(sim, host, view);
    if (view->cause != CAUSE_MERGE) {
        if (!sim->options.disorder) {
            check_ages_given(sim, host, view);
        }
        if (!first && (maker || !sim->options.disorder)) {
            check_members_against_memory(sim, host, view);
        }
    }
    remember_view(sim, host, view, &joined, &gone);
    if (!first) {
        check_notices(sim, host, effects, joined, gone);
    }
    sim->changed = true;
}

/* S11, and that it counts nobody as heard who was not. */
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
    if (guard.needed <= 1) {
        return;
    }
    uint32_t heard = 1;
    for (uint32_t i = 0; i < view->member_count; i++) {
        uint32_t index = oracle_host_of(&sim->oracle, &view->members[i].id);
        if (&sim->hosts[index] != host && host->heard_ms[index] != 0 &&
            now_ms - host->heard_ms[index] <= sim->timing.fresh_ms + 1) {
            heard++;
        }
    }
    if (guard.fresh > heard) {
        fail(sim, host, "S11: counts %u fresh members, %u were heard", guard.fresh, heard);
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
