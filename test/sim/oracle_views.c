/* A view for itself and against what was seen before: one content under one name (S1), one life's
 * views only rise (S2), contents and order (S3, S4), ages of all nodes together (S6), and members
 * against the memory of the life that holds the view (S5, S6, S7). */
#include "oracle_parts.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "liar.h"

enum { FEW = 32 }; /* members, up to which looking at all costs less than knowing where one is */

/* One multiplication for each word: a view is installed by each of its members. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    return ((hash << 5 | hash >> 59) ^ word) * UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t mix_16(uint64_t hash, const uint8_t bytes[16])
{
    uint64_t words[2];

    memcpy(words, bytes, sizeof words);
    return mix(mix(hash, words[0]), words[1]);
}

/* The oracle's own idea of a view's content, so that a hash that forgets a field is found. */
static uint64_t content_of(const struct view *view)
{
    uint64_t hash = mix(mix(HASH_START, view->next_age), (uint64_t)view->cause);
    for (uint32_t i = 0; i < view->member_count; i++) {
        const struct member *member = &view->members[i];
        hash = mix_16(hash, member->id.bytes);
        hash = mix_16(hash, member->address.bytes);
        hash = mix(mix(hash, member->address.port), member->age);
        hash = hash_bytes(hash, member->name, strlen(member->name));
        hash = hash_bytes(hash, member_tags(member)->text, member_tags(member)->length);
    }
    for (uint32_t i = 0; i < view->gone_count; i++) {
        hash = mix_16(hash, view->gone[i].id.bytes);
        hash = mix(mix(hash, view->gone[i].age), (uint64_t)view->gone[i].reason);
    }
    hash = hash_finish(hash);
    return hash == 0 ? 1 : hash;
}

static void note_members(struct oracle *oracle, const struct view *view)
{
    for (uint32_t i = 0; i < view->member_count; i++) {
        struct life *life = oracle_life(oracle, &view->members[i].id);
        life->was_member = true;
    }
}

void oracle_check_content(struct sim *sim, const struct host *host, const struct view *view,
                          bool installed)
{
    struct view_id id = view_id_of(view);
    struct named_view *entry = oracle_view_entry(&sim->oracle, &id);
    uint64_t hash = view->hash == 0 ? 1 : view->hash; /* 0 marks a free place */
    uint64_t content = installed ? content_of(view) : 0;

    if (entry->hash == 0) {
        oracle_check_chain(sim, host, view);
        note_members(&sim->oracle, view);
        *entry = (struct named_view){.id = id,
                                     .hash = hash,
                                     .content = content,
                                     .record = oracle_record_new(&sim->oracle, view)};
        sim->oracle.view_count++;
        return;
    }
    if (entry->hash != hash) {
        oracle_fail(sim, host, "S1: two hashes under one name, epoch %" PRIu64 " version %" PRIu64,
                    id.epoch, id.version);
    }
    if (entry->content != 0 && content != 0 && entry->content != content) {
        oracle_fail(sim, host,
                    "S1: two contents under one name, epoch %" PRIu64 " version %" PRIu64, id.epoch,
                    id.version);
    }
    if (entry->content == 0) {
        entry->content = content;
    }
}

/* V7: what time allows since then, by the fastest clock. An honest run stays far below the first
 * leap. */
static uint64_t leaps_since(const struct sim *sim, uint64_t since_us)
{
    uint64_t passed_ms = (sim->now_us - since_us) * 10 / 9 / US_PER_MS;

    return LEAP_MAX * (passed_ms / sim->timing.stall_ms + 2);
}

/* Whoever has no view yet believes what it is told, where members lie; from then on time counts for
 * that life (V7b). */
static uint64_t numbers_max(const struct sim *sim, const struct host *host, bool first, int number)
{
    const struct witness *witness = &host->witness;

    if (!liar_has_betrayed(sim)) {
        return leaps_since(sim, 0);
    }
    return first ? COUNTER_MAX / 4 : witness->first[number] + leaps_since(sim, witness->first_us);
}

static void check_leaps(struct sim *sim, struct host *host, const struct view *view)
{
    const bool first = !host->witness.has_view;
    const uint64_t numbers[] = {view->epoch, view->version, view->next_age};
    static const char *const names[] = {"epoch", "version", "next_age"};

    for (int i = 0; i < 3; i++) {
        if (numbers[i] > numbers_max(sim, host, first, i)) {
            oracle_fail(sim, host, "V7: %s %" PRIu64 " is installed", names[i], numbers[i]);
        }
    }
    if (liar_has_betrayed(sim) &&
        view->agreed.number >
            host->witness.terms_number + (first ? COUNTER_MAX / 4 : AGREED_LEAP_MAX)) {
        oracle_fail(sim, host, "V7g: terms %" PRIu64 " are installed", view->agreed.number);
    }
    host->witness.terms_number = view->agreed.number;
    if (first) {
        struct stored stored;
        core_stored(host->core, &stored);
        memcpy(host->witness.first, numbers, sizeof numbers);
        if (sim->options.exclusive && host->witness.first[0] < stored.epoch_seen) {
            host->witness.first[0] = stored.epoch_seen; /* V7a */
        }
        host->witness.first_us = sim->now_us;
    }
}

static bool are_wished(const struct oracle *oracle, const struct rules *rules)
{
    const uint64_t hash = rules_hash(rules);

    for (size_t i = 0; i < oracle->rules_count; i++) {
        if (oracle->rules[i] == hash) {
            return true;
        }
    }
    return false;
}

void oracle_on_rules(struct oracle *oracle, const struct rules *rules)
{
    if (are_wished(oracle, rules)) {
        return;
    }
    const size_t bytes = (oracle->rules_count + 1) * sizeof *oracle->rules;
    uint64_t *hashes = realloc(oracle->rules, bytes);
    if (hashes == NULL) {
        abort();
    }
    hashes[oracle->rules_count++] = rules_hash(rules);
    oracle->rules = hashes;
}

void oracle_check_rules(struct sim *sim, const struct host *host, const struct view *view)
{
    if (view->agreed.number != 0 && !are_wished(&sim->oracle, &view->agreed.now)) {
        oracle_fail(sim, host, "A1: installs terms %" PRIu64 ", for which no operator wished",
                    view->agreed.number);
    }
}

void oracle_check_lies(struct sim *sim, struct host *host, const struct view *view)
{
    bool stranger = false;
    bool made_up = liar_made(sim, view, &stranger);

    if (made_up && id_equal(&view->members[0].id, &core_self(host->core)->id)) {
        oracle_fail(sim, host, "V2a: installs a view in its own name that it never made");
    }
    if (made_up && stranger) {
        oracle_fail(sim, host, "S15: installs a view that a stranger made up");
        sim->oracle.suspended = true;
    }
    check_leaps(sim, host, view);
}

void oracle_on_stored(struct sim *sim, struct host *host, uint64_t epoch)
{
    const bool first = !host->witness.has_view || core_phase(host->core) == PHASE_JOINING;

    if (epoch > numbers_max(sim, host, first, 0)) {
        oracle_fail(sim, host, "V7: epoch %" PRIu64 " is stored", epoch);
    }
}

/* S3. Nobody holds a view for unsound because of its addresses. */
static void check_pair(struct sim *sim, const struct host *host, const struct member *member,
                       const struct member *older)
{
    bool one_address = !sim->oracle.suspended && address_equal(&member->address, &older->address);

    if (id_equal(&member->id, &older->id) || strcmp(member->name, older->name) == 0 ||
        one_address) {
        oracle_fail(sim, host, "S3: %s and %s share id, name or address", older->name,
                    member->name);
    }
}

/* A large view is looked through once, and known again by its content. */
static void check_distinct(struct sim *sim, const struct host *host, const struct view *view)
{
    const struct view_id id = view_id_of(view);
    const bool known_again = view->member_count > FEW && !sim->oracle.suspended;
    const uint64_t content = known_again ? content_of(view) : 0;
    struct named_view *entry = oracle_view_entry(&sim->oracle, &id);

    if (known_again && entry->distinct == content) {
        return;
    }
    for (uint32_t i = 1; i < view->member_count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            check_pair(sim, host, &view->members[i], &view->members[k]);
        }
    }
    if (entry->hash != 0) {
        entry->distinct = content; /* A free place is for the first who names the view. */
    }
}

/* S3, S4. */
void oracle_check_shape(struct sim *sim, const struct host *host, const struct view *view)
{
    const struct node_id *self = &core_self(host->core)->id;
    bool holds_self = false;

    for (uint32_t i = 0; i < view->member_count; i++) {
        const struct member *member = &view->members[i];
        holds_self |= id_equal(&member->id, self);
        if (i > 0 && member->age <= view->members[i - 1].age) {
            oracle_fail(sim, host, "S3: ages do not rise");
        }
        if (!sim->oracle.suspended && oracle_host_of(&sim->oracle, &member->id) == SIM_NOBODY) {
            oracle_fail(sim, host, "S3: a member that never lived, called %s", member->name);
        }
    }
    check_distinct(sim, host, view);
    if (view->next_age <= view->members[view->member_count - 1].age) {
        oracle_fail(sim, host, "S3: next_age %" PRIu64 " is not above all", view->next_age);
    }
    if (!holds_self) {
        oracle_fail(sim, host, "S3: the view does not contain its holder");
    }
    const struct versions common = view_versions(view, VIEW_NONE);
    if (common.low > common.high) {
        oracle_fail(sim, host, "S3: there is no version that all members could read the view in");
    }
    const struct member *coordinator = core_coordinator(host->core);
    if (coordinator != NULL && !id_equal(&coordinator->id, &view->members[0].id)) {
        oracle_fail(sim, host, "S4: the coordinator is not the oldest");
    }
}

/* S2. Only the order of one life's views counts. */
void oracle_check_rise(struct sim *sim, const struct host *host, const struct view *view)
{
    const struct witness *witness = &host->witness;
    struct view_id id = view_id_of(view);

    if (witness->has_view && view_id_compare(&id, &witness->view) <= 0) {
        oracle_fail(sim, host,
                    "S2: from epoch %" PRIu64 " version %" PRIu64 " back to %" PRIu64 " %" PRIu64,
                    witness->view.epoch, witness->view.version, id.epoch, id.version);
    }
    if (!sim->oracle.suspended && witness->has_view && witness->view.lineage != id.lineage &&
        !oracle_absorbed(&sim->oracle, &id, witness->view.lineage)) {
        oracle_fail(sim, host, "S2: another lineage without a merge");
    }
}

/* S6 for all nodes together, where no split can have happened. */
void oracle_check_ages_given(struct sim *sim, const struct host *host, const struct view *view)
{
    for (uint32_t i = 0; i < view->member_count; i++) {
        const struct member *member = &view->members[i];
        struct given_age *entry = oracle_age_entry(&sim->oracle, view->lineage, member->age);
        if (entry->age == 0) {
            *entry = (struct given_age){
                .lineage = view->lineage, .age = member->age, .id = member->id};
            sim->oracle.age_count++;
        } else if (!id_equal(&entry->id, &member->id)) {
            oracle_fail(sim, host, "S6: age %" PRIu64 " was given twice", member->age);
        }
    }
}

/* --- What one life remembers of members --- */

void witness_deinit(struct witness *witness)
{
    free(witness->memories);
    memset(witness, 0, sizeof *witness);
}

/* The slot of that member: taken by it, or free. */
static uint32_t *slot_of(const struct recollection *all, const struct node_id *id)
{
    uint32_t at = id_hash(id) & all->mask;

    while (all->slots[at] != 0 && !id_equal(&all->of->memories[all->slots[at] - 1].id, id)) {
        at = (at + 1) & all->mask;
    }
    return &all->slots[at];
}

/* All that recall finds until the next one is recollected; `more` of them are still to come. */
static const struct recollection *recollect(struct oracle *oracle, const struct witness *witness,
                                            uint32_t more)
{
    struct recollection *all = &oracle->recollection;
    const uint32_t most = witness->count + more;

    all->of = most > FEW ? witness : NULL;
    if (all->of == NULL) {
        return all;
    }
    if (all->slots == NULL || all->mask + 1 < 2 * most) {
        all->mask = 2 * FEW;
        while (all->mask < 2 * most) {
            all->mask *= 2;
        }
        all->mask -= 1;
        free(all->slots);
        all->slots = malloc(((size_t)all->mask + 1) * sizeof all->slots[0]);
        assert(all->slots != NULL);
    }
    memset(all->slots, 0, ((size_t)all->mask + 1) * sizeof all->slots[0]);
    for (uint32_t i = 0; i < witness->count; i++) {
        *slot_of(all, &witness->memories[i].id) = i + 1;
    }
    return all;
}

static struct memory *recall(const struct recollection *all, const struct witness *witness,
                             const struct node_id *id)
{
    if (all->of != NULL) {
        const uint32_t found = *slot_of(all, id);
        return found == 0 ? NULL : &witness->memories[found - 1];
    }
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

void oracle_memorize_anew(struct witness *witness, const struct view *view)
{
    witness->count = 0;
    for (uint32_t i = 0; i < view->member_count; i++) {
        memorize(witness, &view->members[i]);
    }
}

/* Was it in the view that this one was made from, with that age? A joiner that did not answer was
 * left out where the coordinator committed; a claim by a member that had accepted the proposal, and
 * saw no COMMIT, has it still. */
static bool had_its_age(const struct record *parent, const struct member *member)
{
    const struct recorded_member *before = oracle_find_recorded(parent, &member->id);

    return before != NULL && before->age == member->age;
}

/* S5, S6, S7 along the views of one life. */
void oracle_check_memory(struct sim *sim, const struct host *host, const struct view *view)
{
    const struct witness *witness = &host->witness;
    const struct record *parent = oracle_record_of(&sim->oracle, &view->parent);
    const struct recollection *all = recollect(&sim->oracle, witness, 0);

    for (uint32_t i = 0; i < view->member_count; i++) {
        const struct member *member = &view->members[i];
        const struct memory *memory = recall(all, witness, &member->id);
        if (memory == NULL) {
            if (member->age < witness->next_age && !had_its_age(parent, member)) {
                oracle_fail(sim, host,
                            "S6: %s is new with age %" PRIu64 ", below next_age %" PRIu64,
                            member->name, member->age, witness->next_age);
            }
        } else if (!memory->present) {
            if (oracle_had_accepted(&sim->oracle, &member->id, &view->parent)) {
                oracle_fail(sim, host, "S5: %s was removed and is back with the same id",
                            member->name);
            }
        } else if (memory->age != member->age && member->age < witness->next_age &&
                   !had_its_age(parent, member)) {
            oracle_fail(sim, host, "S7: %s of age %" PRIu64 " became %" PRIu64, member->name,
                        memory->age, member->age);
        }
    }
    if (view->next_age < witness->next_age) {
        oracle_fail(sim, host, "S6: next_age fell from %" PRIu64 " to %" PRIu64, witness->next_age,
                    view->next_age);
    }
}

/* Who acknowledged the view that was just installed, is known to hold it (G1). */
static void note_holders(const struct sim *sim, struct host *host)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        struct heard *heard = host->heard[i];
        for (uint32_t k = 0; heard != NULL && k < ACKS_KEPT; k++) {
            if (view_id_equal(&heard->acks[k].view, &host->witness.view) &&
                view_has(core_view(host->core), &heard->acks[k].life)) {
                heard->holder = heard->acks[k].life;
                heard->answerer = heard->holder;
                heard->answered_ms = heard->acks[k].ms;
                heard->doubted = false;
            }
        }
    }
}

/* Takes the view into the witness's memory. Adds to
 * `joined` and `gone` how many are new and how many went. */
void oracle_remember_view(struct sim *sim, struct host *host, const struct view *view,
                          uint32_t *joined, uint32_t *gone)
{
    struct witness *witness = &host->witness;

    for (uint32_t i = 0; i < witness->count; i++) {
        struct memory *memory = &witness->memories[i];
        if (memory->present && !view_has(view, &memory->id)) {
            uint32_t subject = oracle_host_of(&sim->oracle, &memory->id);
            if (!sim->oracle.suspended) {
                oracle_check_removal(sim, host, view, memory);
            }
            memory->present = false;
            if (subject != SIM_NOBODY && host->heard[subject] != NULL) {
                /* If it comes back by a merge, its messages are counted anew. */
                host->heard[subject]->number = 0;
            }
            *gone += 1;
        }
    }
    const struct recollection *all = recollect(&sim->oracle, witness, view->member_count);
    for (uint32_t i = 0; i < view->member_count; i++) {
        struct memory *memory = recall(all, witness, &view->members[i].id);
        if (memory == NULL) {
            memorize(witness, &view->members[i]);
            if (all->of != NULL) {
                *slot_of(all, &view->members[i].id) = witness->count;
            }
            *joined += 1;
        } else {
            *joined += !memory->present;
            memory->present = true;
            memory->age = view->members[i].age;
        }
    }
    if (!witness->has_view || !id_equal(&view->members[0].id, &witness->view.coordinator)) {
        witness->follows_us = sim->now_us;
    }
    const struct vote_record *record = record_disk_find(&host->record);
    if (record != NULL && voter_lists_find(&view->voters, &record->id) != VOTER_NONE) {
        witness->voted = record->id;
    }
    witness->view = view_id_of(view);
    oracle_note_accepted(&sim->oracle, &witness->life, &witness->view);
    witness->record = oracle_record_of(&sim->oracle, &witness->view);
    note_holders(sim, host);
    witness->installed = core_counters(host->core)->views_installed;
    witness->hash = view->hash;
    witness->next_age = view->next_age;
    witness->has_view = true;
}
