/* What stories ask a simulation. Nothing here changes the run. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "cluster.h"
#include "core/model/lineage.h"

static const struct host *host_of(const struct sim *sim, uint32_t index)
{
    assert(index < sim->host_count);
    return &sim->hosts[index];
}

/* The life's position in the observer's view, or VIEW_NONE. */
static uint32_t position_of(const struct host *observer, const struct host *subject)
{
    return observer->running ? view_find(core_view(observer->core), &subject->witness.life)
                             : VIEW_NONE;
}

static uint32_t broken_in(const struct sim *sim, const struct view *view)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < view->member_count; i++) {
        uint32_t host = oracle_host_of(&sim->oracle, &view->members[i].id);
        count += host != SIM_NOBODY && sim->hosts[host].broken;
    }
    return count;
}

/* One whose record is lost, damaged, or cannot be written does not vote; the first would found
 * anew. */
static bool votes(const struct sim *sim, const struct host *host)
{
    if (!host->running || host->paused || host->isolated || host->broken) {
        return false;
    }
    enum voter_status status = core_voter(host->core, host_now_ms(sim, host)).status;
    return status == VOTER_FOUNDED || (status == VOTER_FOUNDING && !host->record.spoilt);
}

uint64_t sim_epochs_apart(const struct sim *sim)
{
    uint64_t highest = 0;
    uint64_t lowest = UINT64_MAX;

    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct host *host = &sim->hosts[i];
        if (!host->running) {
            continue;
        }
        const struct view *view = core_view(host->core);
        if (!view_is_empty(view)) {
            highest = view->epoch > highest ? view->epoch : highest;
            lowest = view->epoch < lowest ? view->epoch : lowest;
        }
        if (votes(sim, host)) {
            const uint64_t promised = core_voter(host->core, host_now_ms(sim, host)).promise.epoch;
            highest = promised > highest ? promised : highest;
            lowest = promised < lowest ? promised : lowest;
        }
    }
    return highest > lowest ? highest - lowest : 0;
}

/* One without voters is of a cluster with another guard. */
static const struct view *higher_view(const struct view *a, const struct view *b)
{
    if (b != NULL && b->voters.count == 0) {
        return a;
    }
    const struct view_id of_a = a == NULL ? (struct view_id){.epoch = 0} : view_id_of(a);
    const struct view_id of_b = b == NULL ? (struct view_id){.epoch = 0} : view_id_of(b);
    const bool later = lineage_succeeds(of_b.lineage, of_a.lineage);
    const bool former = lineage_succeeds(of_a.lineage, of_b.lineage);

    return a == NULL || later || (!former && view_id_compare(&of_b, &of_a) > 0) ? b : a;
}

const struct voter_lists *sim_lists(const struct sim *sim)
{
    const struct view *highest = NULL;

    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct host *host = &sim->hosts[i];
        const struct vote_record *record = record_disk_find(&host->record);
        highest = higher_view(highest, record == NULL ? NULL : record->accepted);
        highest = higher_view(highest, host->running ? core_view(host->core) : NULL);
    }
    return highest == NULL ? NULL : &highest->voters;
}

const struct voter_lists *sim_lists_installed(const struct sim *sim)
{
    const struct view *highest = NULL;

    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct host *host = &sim->hosts[i];
        highest = higher_view(highest, host->running ? core_view(host->core) : NULL);
    }
    return highest == NULL ? NULL : &highest->voters;
}

bool sim_witness_votes(const struct sim *sim)
{
    const struct voter_lists *lists = sim_lists(sim);

    for (uint8_t i = 0; lists != NULL && i < lists->count; i++) {
        if (lists->voters[i].witness) {
            return true;
        }
    }
    return false;
}

bool sim_knows_witness(const struct sim *sim, uint32_t index, uint32_t witness)
{
    const struct host *host = host_of(sim, index);
    const struct voter_lists *lists = &core_view(host->core)->voters;
    const uint8_t place = voter_lists_find_name(lists, host_of(sim, witness)->name);
    const struct voter_contact contact = core_voter_contact(host->core, place,
                                                            host_now_ms(sim, host));

    return contact.answers && !contact.is_member && contact.round_trip_ms > 0 &&
           contact.answered_ms_ago < timing_replace_ms(&host->timing);
}

bool sim_has_settled(const struct sim *sim)
{
    const struct voter_lists *lists = sim_lists(sim);

    if (lists == NULL || voter_lists_are_joint(lists)) {
        return false;
    }
    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct host *host = &sim->hosts[i];
        const struct vote_record *record = record_disk_find(&host->record);
        /* A witness is shown nothing again that others have agreed on without it. */
        const bool votes = record != NULL && record->state == VOTE_RECORD_FOUNDED &&
                           !host->only_votes && voter_lists_find(lists, &record->id) != VOTER_NONE;
        if (votes &&
            (record->accepted == NULL || record->accepted->voters.number != lists->number)) {
            return false;
        }
    }
    return true;
}

/* The place of the host in the lists, if it votes by them, whether it runs or not. A witness may
 * have been shown nothing yet. */
static uint8_t place_left(const struct sim *sim, uint32_t index)
{
    const struct voter_lists *lists = sim_lists(sim);
    const struct host *host = host_of(sim, index);
    const struct record_disk *disk = &host->record;
    const struct vote_record *record = record_disk_find(disk);
    const bool votes = record != NULL && !disk->damaged && !disk->spoilt && lists != NULL &&
                       record->state == VOTE_RECORD_FOUNDED &&
                       (record->accepted != NULL || host->only_votes) &&
                       strcmp(host->name, host->right_name) == 0 &&
                       strcmp(disk->kept->voter, host->right_name) == 0;

    return votes ? voter_lists_find(lists, &record->id) : VOTER_NONE;
}

bool sim_is_left(const struct sim *sim, uint32_t host)
{
    return place_left(sim, host) != VOTER_NONE;
}

bool sim_has_seen_more(const struct sim *sim, uint32_t host, uint32_t other)
{
    const struct view_id more = view_id_of(sim->hosts[host].record.kept->record.accepted);
    const struct view_id less = view_id_of(sim->hosts[other].record.kept->record.accepted);

    return view_id_compare(&more, &less) > 0;
}

bool sim_founds(const struct sim *sim, uint32_t host)
{
    return voters_find(&sim->voters, host_of(sim, host)->right_name) != VOTER_NONE;
}

enum founding_stage sim_founding_stage(const struct sim *sim, uint32_t index)
{
    const struct host *host = host_of(sim, index);
    const struct vote_record *kept = record_disk_find(&host->record);
    struct vote_record record = {.state = VOTE_RECORD_NONE};

    if (host->running) {
        core_record(host->core, &record);
    } else if (kept != NULL) {
        record = *kept;
    }
    if (record.state == VOTE_RECORD_NONE) {
        return STAGE_NOTHING;
    }
    if (record.accepted != NULL && !view_is_of_founders(record.accepted)) {
        return STAGE_VIEW;
    }
    if (record.promise.epoch != 0) {
        return STAGE_PROMISED;
    }
    if (record.state != VOTE_RECORD_FOUNDING) {
        return STAGE_OVER;
    }
    return record.accepted != NULL ? STAGE_AGAIN : STAGE_RECORD;
}

/* By a record that is read under the name that its host has. */
static const struct vote_record *record_to_vote(const struct host *host)
{
    const struct record_disk *disk = &host->record;
    const bool is_read = disk->kept != NULL && !disk->damaged && !disk->spoilt &&
                         strcmp(disk->kept->voter, host->name) == 0;

    return is_read ? &disk->kept->record : NULL;
}

/* Of the records that a list names, do more than half vote? */
static bool has_its_quorum(const struct sim *sim, const struct voter_lists *lists)
{
    voter_set set = 0;

    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct vote_record *record = record_to_vote(&sim->hosts[i]);
        const uint8_t place = record == NULL ? VOTER_NONE : voter_lists_find(lists, &record->id);
        set |= place == VOTER_NONE ? 0 : voter_set_of(place);
    }
    return voter_lists_agree(lists, set);
}

static bool is_left(const struct sim *sim, const struct node_id *id)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct vote_record *record = record_to_vote(&sim->hosts[i]);
        if (record != NULL && id_equal(&record->id, id)) {
            return true;
        }
    }
    return false;
}

bool sim_founding_is_stuck(const struct sim *sim)
{
    bool stuck = false;

    if (sim->oracle.history_count > 0) {
        return false;
    }
    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct record_disk *disk = &sim->hosts[i].record;
        const struct vote_record *record = record_disk_find(disk);
        const struct voter_lists *lists = record == NULL || record->accepted == NULL ||
                                                  disk->damaged
                                              ? NULL
                                              : &record->accepted->voters;
        if (lists == NULL) {
            continue;
        }
        if (record->state == VOTE_RECORD_FOUNDED && has_its_quorum(sim, lists)) {
            return false; /* It begins (Z8d). */
        }
        stuck = stuck || record->state == VOTE_RECORD_FOUNDED ||
                !is_left(sim, &lists->voters[0].record);
    }
    return stuck;
}

bool sim_is_written(const struct sim *sim, uint32_t index)
{
    const struct host *host = host_of(sim, index);

    return host->running && core_voter(host->core, host_now_ms(sim, host)).synced;
}

/* Nor does one count that was made for a founding that never was, or makes way for another (Z8a).
 */
bool sim_knows_of_founding(const struct sim *sim, uint32_t index)
{
    const struct record_disk *disk = &host_of(sim, index)->record;

    return disk->kept != NULL && !disk->damaged &&
           (disk->kept->record.state != VOTE_RECORD_FOUNDING ||
            disk->kept->record.accepted != NULL) &&
           oracle_knows_history(&sim->oracle, disk->kept->record.lineage);
}

bool sim_keeps_from_founding(const struct sim *sim, uint32_t index)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        if (i != index && sim_founds(sim, i) && sim_knows_of_founding(sim, i)) {
            return false;
        }
    }
    return true;
}

bool sim_have_quorum(const struct sim *sim)
{
    voter_set set = 0;

    for (uint32_t i = 0; i < sim->host_count; i++) {
        const uint8_t place = place_left(sim, i);
        set |= place == VOTER_NONE ? 0 : voter_set_of(place);
    }
    return sim_lists(sim) != NULL && voter_lists_agree(sim_lists(sim), set);
}

/* The places of those who vote, but for two hosts. */
static voter_set voting_set(const struct sim *sim, const struct voter_lists *lists, uint32_t one,
                            uint32_t other)
{
    voter_set set = 0;

    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct host *host = &sim->hosts[i];
        const struct vote_record *record = record_disk_find(&host->record);
        const uint8_t place = i == one || i == other || record == NULL || !votes(sim, host)
                                  ? VOTER_NONE
                                  : voter_lists_find(lists, &record->id);
        set |= place != VOTER_NONE ? voter_set_of(place) : 0;
    }
    return set;
}

bool sim_all_vote(const struct sim *sim)
{
    const struct voter_lists *lists = sim_lists(sim);

    return sim_has_settled(sim) &&
           voting_set(sim, lists, SIM_NOBODY, SIM_NOBODY) == voter_lists_all(lists);
}

bool sim_can_do_without(const struct sim *sim, uint32_t one, uint32_t other)
{
    const struct voter_lists *lists = sim_lists(sim);
    uint32_t count = 0;

    if (lists != NULL) {
        return voter_lists_agree(lists, voting_set(sim, lists, one, other));
    }
    for (uint32_t i = 0; i < sim->host_count; i++) {
        count += i != one && i != other && votes(sim, &sim->hosts[i]);
    }
    return sim->voters.count == 0 || quorum_is_majority(count, sim->voters.count);
}

bool sim_agrees(const struct sim *sim)
{
    const struct view *agreed = NULL;
    const struct host *first = NULL;
    uint32_t expected = 0;

    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct host *host = &sim->hosts[i];
        if (!host->running || host->paused || host->isolated || host->broken || host->only_votes) {
            continue;
        }
        const struct view *view = core_view(host->core);
        if (core_phase(host->core) != PHASE_MEMBER || view_is_empty(view) || host->leaves) {
            return false;
        }
        if (agreed == NULL) {
            agreed = view;
            first = host;
        }
        if (view->hash != agreed->hash || view->lineage != agreed->lineage ||
            view->epoch != agreed->epoch || view->version != agreed->version) {
            return false;
        }
        expected++;
    }
    if (first == NULL) {
        return true;
    }
    /* Each of the expected holds a view, and so this one view, with itself in it (S3). Besides
     * them it may hold the broken, of whom nothing is said. */
    uint32_t others = broken_in(sim, agreed);
    const bool enough = first->guard.policy == GUARD_STRICT
                            ? sim_can_do_without(sim, SIM_NOBODY, SIM_NOBODY)
                            : expected >= core_guard(first->core, host_now_ms(sim, first)).needed;
    return agreed->member_count == expected + others &&
           (others > 0 || sim_acting_count(sim) == (enough ? 1 : 0));
}

bool sim_is_behind(const struct sim *sim, uint32_t index)
{
    const struct host *behind = &sim->hosts[index];

    for (uint32_t i = 0; behind->running && i < sim->host_count; i++) {
        const struct host *host = &sim->hosts[i];
        if (i != index && host->running && !host->broken &&
            view_has(core_view(host->core), &core_self(behind->core)->id) &&
            core_view(host->core)->hash != core_view(behind->core)->hash) {
            return true;
        }
    }
    return false;
}

uint64_t sim_converged_ms(const struct sim *sim)
{
    return sim->converged_ms;
}

bool sim_is_running(const struct sim *sim, uint32_t host)
{
    return host_of(sim, host)->running;
}

bool sim_is_leaving(const struct sim *sim, uint32_t host)
{
    return host_of(sim, host)->running && host_of(sim, host)->leaves;
}

uint32_t sim_host_count(const struct sim *sim)
{
    return sim->node_count;
}

uint32_t sim_witness_count(const struct sim *sim)
{
    return sim->host_count - sim->node_count;
}

uint32_t sim_witness(const struct sim *sim, uint32_t n)
{
    assert(n < sim_witness_count(sim));
    return sim->node_count + n;
}

bool sim_is_seed(const struct sim *sim, uint32_t host)
{
    return host < sim->options.seed_count;
}

struct waiting_state sim_waiting(const struct sim *sim, uint32_t host)
{
    const struct host *at = &sim->hosts[host];

    return core_waiting(at->core, host_now_ms(sim, at));
}

uint32_t sim_voter_count(const struct sim *sim)
{
    return sim->voters.count;
}

bool sim_is_voter(const struct sim *sim, uint32_t host)
{
    const struct voter_lists *lists = sim_lists(sim);
    const char *name = sim->hosts[host].right_name;

    return lists == NULL ? voters_find(&sim->voters, name) != VOTER_NONE
                         : voter_lists_find_name(lists, name) != VOTER_NONE;
}

bool sim_may_have_a_vote(const struct sim *sim, uint32_t host)
{
    const char *name = host_of(sim, host)->name;

    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct host *other = host_of(sim, i);
        const bool is_it = i == host || strcmp(other->right_name, name) == 0;
        if (is_it && (other->record.wished || other->record.kept != NULL)) {
            return true;
        }
    }
    return false;
}

enum phase sim_phase(const struct sim *sim, uint32_t host)
{
    return host_of(sim, host)->running ? core_phase(host_of(sim, host)->core) : PHASE_STOPPED;
}

const char *sim_view_text(struct sim *sim, uint32_t index)
{
    const struct host *host = host_of(sim, index);
    char *text = sim->texts[sim->text_next++ % TEXTS];
    char letter[LETTER_BYTES];
    size_t length = 0;

    if (!host->running || view_is_empty(core_view(host->core))) {
        return "-";
    }
    const struct view *view = core_view(host->core);
    for (uint32_t i = 0; i < view->member_count; i++) {
        uint32_t member = oracle_host_of(&sim->oracle, &view->members[i].id);
        length += (size_t)snprintf(text + length, sim->text_size - length, "%s%s",
                                   i == 0 ? "" : " ", host_letter(member, letter));
    }
    return text;
}

uint32_t sim_coordinator(const struct sim *sim, uint32_t index)
{
    const struct host *host = host_of(sim, index);
    const struct member *coordinator = host->running ? core_coordinator(host->core) : NULL;
    return coordinator == NULL ? SIM_NOBODY : oracle_host_of(&sim->oracle, &coordinator->id);
}

bool sim_is_acting(const struct sim *sim, uint32_t index)
{
    const struct host *host = host_of(sim, index);
    return host->running && core_is_acting(host->core, host_now_ms(sim, host));
}

uint32_t sim_acting_count(const struct sim *sim)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct host *host = &sim->hosts[i];
        if (host->running && !host->paused && !host->isolated && !host->broken) {
            count += sim_is_acting(sim, i);
        }
    }
    return count;
}

uint64_t sim_age(const struct sim *sim, uint32_t observer, uint32_t subject)
{
    uint32_t position = position_of(host_of(sim, observer), host_of(sim, subject));
    return position == VIEW_NONE ? 0
                                 : core_view(host_of(sim, observer)->core)->members[position].age;
}

bool sim_has_tag(const struct sim *sim, uint32_t observer, uint32_t subject, const char *tag)
{
    const struct tags tags = sim_tags_of(tag);
    uint32_t position = position_of(host_of(sim, observer), host_of(sim, subject));

    return position != VIEW_NONE &&
           tags_equal(member_tags(&core_view(host_of(sim, observer)->core)->members[position]),
                      &tags);
}

bool sim_shows_wanted_tags(const struct sim *sim)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct host *host = &sim->hosts[i];
        const char *tag = host->wanted_tag == NULL ? "" : host->wanted_tag;
        if (host->running && !host->paused && !host->broken && !host->only_votes &&
            core_phase(host->core) == PHASE_MEMBER && !sim_has_tag(sim, i, i, tag)) {
            return false;
        }
    }
    return true;
}

uint64_t sim_epoch(const struct sim *sim, uint32_t host)
{
    return host_of(sim, host)->running ? core_view(host_of(sim, host)->core)->epoch : 0;
}

uint64_t sim_version(const struct sim *sim, uint32_t host)
{
    return host_of(sim, host)->running ? core_view(host_of(sim, host)->core)->version : 0;
}

uint8_t sim_protocol(const struct sim *sim, uint32_t host)
{
    return core_version(host_of(sim, host)->core);
}

const struct gone *sim_gone(const struct sim *sim, uint32_t observer, uint32_t subject)
{
    const struct host *host = host_of(sim, observer);
    if (!host->running) {
        return NULL;
    }
    const struct view *view = core_view(host->core);
    for (uint32_t i = view->gone_count; i-- > 0;) {
        if (oracle_host_of(&sim->oracle, &view->gone[i].id) == subject) {
            return &view->gone[i];
        }
    }
    return NULL;
}

const struct core *sim_core(const struct sim *sim, uint32_t host)
{
    return host_of(sim, host)->core;
}

uint64_t sim_notices(const struct sim *sim, uint32_t host, enum notice_type type)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < sim->host_count; i++) {
        count += host == SIM_ANY || host == i ? sim->hosts[i].notices[type] : 0;
    }
    return count;
}

uint64_t sim_claims(const struct sim *sim, uint32_t host, enum claim_step step)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < sim->host_count; i++) {
        count += host == SIM_ANY || host == i ? sim->hosts[i].claims[step] : 0;
    }
    return count;
}

uint64_t sim_foundings(const struct sim *sim, uint32_t host)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < sim->host_count; i++) {
        count += host == SIM_ANY || host == i ? sim->hosts[i].foundings : 0;
    }
    return count;
}

uint64_t sim_sent(const struct sim *sim, uint32_t host, enum message_type type)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < sim->host_count; i++) {
        count += host == SIM_ANY || host == i ? sim->hosts[i].sent[type] : 0;
    }
    return count;
}

struct sim_traffic sim_traffic(const struct sim *sim, uint32_t host)
{
    struct sim_traffic sum = {0};

    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct sim_traffic *of_one = &sim->hosts[i].traffic;
        if (host == SIM_ANY || host == i) {
            sum.messages += of_one->messages;
            sum.bytes += of_one->bytes;
        }
    }
    return sum;
}

uint64_t sim_wire_bytes(const struct sim *sim, uint32_t host)
{
    return host_of(sim, host)->wire_bytes;
}

struct join_refused sim_refusal(const struct sim *sim, uint32_t host)
{
    return host_of(sim, host)->refusal;
}

uint64_t sim_sound_removals(const struct sim *sim)
{
    return sim->sound_removals;
}

static bool suspects_any(const struct sim *sim, const struct host *host)
{
    uint64_t now_ms = host_now_ms(sim, host);
    const struct view *view = core_view(host->core);

    for (uint32_t i = 0; i < view->member_count; i++) {
        if (core_peer(host->core, i, now_ms).verdict != VERDICT_NONE) {
            return true;
        }
    }
    return false;
}

bool sim_suspects_any(const struct sim *sim)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        if (sim->hosts[i].running && suspects_any(sim, &sim->hosts[i])) {
            return true;
        }
    }
    return false;
}

bool sim_hears(const struct sim *sim, uint32_t host, uint32_t observer, uint32_t subject)
{
    const struct host *asked = host_of(sim, host);

    return core_hearing(asked->core, position_of(asked, host_of(sim, observer)),
                        position_of(asked, host_of(sim, subject)),
                        host_now_ms(sim, asked)) == HEARING_YES;
}

uint64_t sim_two_acted_ms(struct sim *sim)
{
    oracle_count_acting(sim);
    return sim->oracle.two_acted.us / US_PER_MS;
}

uint64_t sim_two_acted_longest_ms(struct sim *sim)
{
    oracle_count_acting(sim);
    return sim->oracle.two_acted.longest_us / US_PER_MS;
}

bool sim_may_two_act(const struct sim *sim)
{
    return sim->oracle.apart || sim->oracle.released_us > 0;
}

uint64_t sim_steps(const struct sim *sim)
{
    return sim->steps;
}

uint64_t sim_trace_hash(const struct sim *sim)
{
    return sim->trace_hash;
}

const char *sim_failure(const struct sim *sim)
{
    return sim->oracle.failure[0] == '\0' ? NULL : sim->oracle.failure;
}

struct random *sim_random(struct sim *sim)
{
    return &sim->random;
}
