/* What a story does to the voters' records: lost, damaged, put back, made anew; and what it may do
 * without taking more than the others can bear. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "actions_parts.h"
#include "core/model/recovery.h"
#include "trace.h"

void sim_lose_record(struct sim *sim, uint32_t index)
{
    struct host *host = host_of(sim, index);
    trace_note(sim, "the record of %s is lost", host->name);
    record_disk_wipe(&host->record);
    host->record.spoilt = true;
    if (!host->running) {
        host->written_off = host->process; /* Nor does what was under way come back. */
    }
}

static bool has_promised(const struct host *host)
{
    const struct vote_record *record = record_disk_find(&host->record);

    return (record != NULL && record->promise.epoch != 0) ||
           (host->running && core_voter(host->core, 0).promise.epoch != 0);
}

bool sim_has_promised(const struct sim *sim)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        if (has_promised(&sim->hosts[i])) {
            return true;
        }
    }
    return sim->forgot || sim->oracle.history_count > 0;
}

void sim_reinstall(struct sim *sim, uint32_t index)
{
    struct host *host = host_of(sim, index);

    assert(!host->running);
    trace_note(sim, "%s has a new disk", host->name);
    sim->forgot = sim->forgot || has_promised(host);
    host->record.spoilt = host->record.spoilt || has_promised(host);
    host->record.damaged = false;
    record_disk_wipe(&host->record);
    host->written_off = host->process;
    host->stored = false;
}

void sim_back_up(struct sim *sim, uint32_t index)
{
    struct host *host = host_of(sim, index);

    record_disk_back_up(&host->record);
    host->backup = host->writes[host->latest];
}

void sim_restore(struct sim *sim, uint32_t index)
{
    struct host *host = host_of(sim, index);

    trace_note(sim, "the disk of %s is as it was", host->name);
    host->record.spoilt = host->record.spoilt || has_promised(host);
    record_disk_restore(&host->record);
    host->written_off = host->process;
    host->writes[host->latest] = host->backup;
}

void sim_exchange_disk(struct sim *sim, uint32_t index)
{
    struct host *host = host_of(sim, index);
    const struct stored kept = host->writes[host->latest];
    const bool stored = host->stored;

    assert(!host->running);
    record_disk_exchange(&host->record);
    trace_note(sim, "%s has its other disk, %s", host->name,
               host->record.kept == NULL ? "an empty one" : "with a record");
    host->written_off = host->process;
    host->writes[host->latest] = host->other;
    host->stored = host->other_stored;
    host->other = kept;
    host->other_stored = stored;
}

void sim_damage_record(struct sim *sim, uint32_t index)
{
    trace_note(sim, "the record of %s is damaged", host_of(sim, index)->name);
    host_of(sim, index)->record.damaged = true;
    host_of(sim, index)->record.spoilt = true;
}

void sim_fail_record(struct sim *sim, uint32_t index, bool fails)
{
    struct record_disk *disk = &host_of(sim, index)->record;

    if (fails == disk->fails) {
        return;
    }
    trace_note(sim, "the record of %s %s", host_of(sim, index)->name,
               fails ? "cannot be written" : "can be written again");
    disk->fails = fails;
    disk->spoilt = disk->spoilt || fails;
}

void sim_slow_record(struct sim *sim, uint32_t index, uint64_t sync_ms)
{
    trace_note(sim, "writes of %s take up to %" PRIu64 " ms", host_of(sim, index)->name, sync_ms);
    host_of(sim, index)->record.sync_us_max = sync_ms * US_PER_MS;
}

void sim_stick_record(struct sim *sim, uint32_t index, uint64_t ms)
{
    trace_note(sim, "the disk of %s is stuck for %" PRIu64 " ms", host_of(sim, index)->name, ms);
    host_of(sim, index)->record.stuck_until_us = sim->now_us + ms * US_PER_MS;
}

bool sim_has_record(const struct sim *sim, uint32_t index)
{
    const struct record_disk *disk = &sim->hosts[index].record;

    return disk->kept != NULL && !disk->damaged;
}

static struct view_id accepted_by(const struct sim *sim, uint32_t index)
{
    const struct vote_record *record = record_disk_find(&sim->hosts[index].record);

    return record == NULL || record->accepted == NULL ? (struct view_id){.epoch = 0}
                                                      : view_id_of(record->accepted);
}

bool sim_has_higher_record(const struct sim *sim, uint32_t index, uint32_t other)
{
    const struct view_id its = accepted_by(sim, index);
    const struct view_id others = accepted_by(sim, other);

    return view_id_compare(&its, &others) > 0;
}

bool sim_may_recover(const struct sim *sim, uint32_t index)
{
    const struct host *host = &sim->hosts[index];
    const struct vote_record *record = record_disk_find(&host->record);

    return !host->running && record != NULL && is_own_record(host) && recovery_may_begin(record) &&
           sim->oracle.history_count < HISTORIES_MAX;
}

/* Of two lists the new one alone may be on its way, and on no disk yet (Z11b). */
static struct voter_lists list_of_now(const struct voter_lists *lists)
{
    struct voter_lists alone = *lists;

    alone.count = 0;
    for (uint8_t i = 0; i < lists->count; i++) {
        if (lists->voters[i].now) {
            alone.voters[alone.count] = lists->voters[i];
            alone.voters[alone.count++].before = false;
        }
    }
    return alone;
}

/* Would the records of the others suffice by those lists, or by what they may have come to? */
static bool others_suffice(const struct sim *sim, uint32_t index, const struct view *view)
{
    const struct voter_lists lists = list_of_now(&view->voters);
    voter_set set = 0;

    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct record_disk *disk = &sim->hosts[i].record;
        const bool votes = i != index && disk->kept != NULL && !disk->damaged &&
                           disk->kept->record.state == VOTE_RECORD_FOUNDED;
        const uint8_t place = votes ? voter_lists_find(&lists, &disk->kept->record.id) : VOTER_NONE;
        set |= place == VOTER_NONE ? 0 : voter_set_of(place);
    }
    return lists.count > 0 && voter_lists_agree(&lists, set);
}

/* In whatever history anybody knows of. */
static bool others_may_act(const struct sim *sim, uint32_t index)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct host *host = &sim->hosts[i];
        const struct vote_record *record = record_disk_find(&host->record);
        if ((record != NULL && record->accepted != NULL &&
             others_suffice(sim, index, record->accepted)) ||
            (host->running && others_suffice(sim, index, core_view(host->core)))) {
            return true;
        }
    }
    return false;
}

void sim_set_date(struct sim *sim, uint32_t index, uint64_t date_s)
{
    struct host *host = host_of(sim, index);

    trace_note(sim, "the wall clock of %s goes on from %" PRIu64, host->name, date_s);
    host->date_s = date_s;
}

void sim_recover(struct sim *sim, uint32_t index)
{
    struct host *host = host_of(sim, index);
    struct record_disk *disk = &host->record;
    struct record_write *write = record_write_of(host->right_name, sim->options.capacity);
    const struct recovery recovery = {
        .name = host->right_name,
        .address = host->address,
        .id = id_draw(&sim->random),
        .epoch_seen = host->has_disk && host->stored ? host->writes[host->latest].epoch_seen : 0,
        .timing = &host->timing,
        .now_s = host->date_s + sim->now_us / (1000 * US_PER_MS),
        .drawn = random_u64(&sim->random),
    };

    assert(sim_may_recover(sim, index));
    const bool erred = others_may_act(sim, index);
    trace_note(sim, "%s gives up the other voters%s", host->name, erred ? ", who live" : "");
    bool made = recovery_make(record_disk_find(disk), &recovery, &write->view, &write->record);
    assert(made);
    (void)made;
    oracle_on_recovered(sim, disk->kept->record.accepted->lineage, &write->record, erred);
    record_disk_abandon(disk);
    record_disk_keep(disk, write);
    host->written_off = host->process;
}

/* One that is asked for another founding has lost what it had. */
static bool has_voted(const struct sim *sim, uint32_t index)
{
    const struct record_disk *disk = &sim->hosts[index].record;
    const struct vote_record *record = record_disk_find(disk);

    return disk->spoilt ||
           (record != NULL &&
            (record->state == VOTE_RECORD_FOUNDED || record->state == VOTE_RECORD_RETIRED ||
             (sim->oracle.history_count > 0 && !sim_knows_of_founding(sim, index))));
}

bool sim_has_founded(const struct sim *sim)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        if (sim_is_voter(sim, i) && !has_voted(sim, i)) {
            return false;
        }
    }
    return true;
}

/* H80: a newcomer's is asked for, and a change may rest on it already. */
static bool is_about_to_vote(const struct sim *sim, uint32_t index)
{
    const struct vote_record *record = record_disk_find(&sim->hosts[index].record);

    return record != NULL && record->state != VOTE_RECORD_RETIRED &&
           voter_lists_find(sim_lists(sim), &record->id) == VOTER_NONE;
}

/* Are those whose records are sound, but for that host, a quorum of them? */
static bool suffice_without(const struct sim *sim, const struct voter_lists *lists, uint32_t index)
{
    voter_set sound = 0;

    for (uint32_t i = 0; lists != NULL && i < sim->host_count; i++) {
        const struct vote_record *record = record_disk_find(&sim->hosts[i].record);
        const uint8_t place = record == NULL ? VOTER_NONE : voter_lists_find(lists, &record->id);
        if (i != index && is_found_again(&sim->hosts[i]) && place != VOTER_NONE) {
            sound |= voter_set_of(place);
        }
    }
    return lists == NULL || voter_lists_agree(lists, sound);
}

/* What one voter has accepted may never be shown to anybody, and then the view that is installed
 * says who votes. */
bool sim_may_spoil_record(const struct sim *sim, uint32_t index)
{
    if (!sim_has_founded(sim) || !sim_has_settled(sim) || is_about_to_vote(sim, index)) {
        return false; /* One could not tell yet that the lost one has to be done without. */
    }
    return !sim->hosts[index].record.spoilt && suffice_without(sim, sim_lists(sim), index) &&
           suffice_without(sim, sim_lists_installed(sim), index);
}

static bool is_listed(const struct voter_lists *lists, const struct vote_record *record)
{
    return lists != NULL && record != NULL && voter_lists_find(lists, &record->id) != VOTER_NONE;
}

bool sim_may_exchange_disk(const struct sim *sim, uint32_t index)
{
    const struct record_disk *disk = &sim->hosts[index].record;
    const struct vote_record *record = record_disk_find(disk);

    if (!sim_has_settled(sim) || (disk->other == NULL && sim_keeps_from_founding(sim, index))) {
        return false;
    }
    const bool is_needed = is_listed(sim_lists(sim), record) ||
                           is_listed(sim_lists_installed(sim), record) ||
                           is_about_to_vote(sim, index);
    return !is_needed || sim_may_spoil_record(sim, index);
}

/* Has one of those to found with a disk that knows of a founding: it founds no other (Z8a)? */
static bool another_knows(const struct sim *sim, uint32_t index)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct record_disk *disk = &sim->hosts[i].record;
        const struct vote_record *record = record_disk_find(disk);
        if (i != index && record != NULL && !disk->damaged && sim_founds(sim, i) &&
            (record->state != VOTE_RECORD_FOUNDING || record->accepted != NULL)) {
            return true;
        }
    }
    return false;
}

/* By the lists of all who may begin. */
static bool founders_suffice(const struct sim *sim, uint32_t index)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct vote_record *record = record_disk_find(&sim->hosts[i].record);
        if (record != NULL && record->state == VOTE_RECORD_FOUNDED && record->accepted != NULL &&
            !suffice_without(sim, &record->accepted->voters, index)) {
            return false;
        }
    }
    return true;
}

bool sim_may_reinstall(const struct sim *sim, uint32_t index)
{
    if (!sim_has_promised(sim)) {
        return true;
    }
    if (sim->oracle.history_count > 0) {
        return sim_may_spoil_record(sim, index) && !sim_keeps_from_founding(sim, index);
    }
    return another_knows(sim, index) && founders_suffice(sim, index);
}

/* Would the voter of that record grant or show all that this one would? */
static bool knows_as_much(const struct vote_record *record, const struct vote_record *other)
{
    if (record->promise.epoch < other->promise.epoch || record->accepted == NULL) {
        return false;
    }
    const struct view_id ours = view_id_of(record->accepted);
    const struct view_id theirs = view_id_of(other->accepted);
    return view_id_compare(&ours, &theirs) >= 0;
}

static bool is_backup_of(const struct record_disk *disk, const struct voter_lists *lists)
{
    const struct vote_record *backup = disk->backup == NULL ? NULL : &disk->backup->record;

    return backup != NULL && disk->kept != NULL && id_equal(&backup->id, &disk->kept->record.id) &&
           backup->accepted != NULL && disk->kept->record.accepted != NULL &&
           backup->accepted->voters.number == lists->number &&
           voter_lists_find(lists, &backup->id) != VOTER_NONE;
}

bool sim_has_backup(const struct sim *sim, uint32_t index)
{
    return is_backup_of(&sim->hosts[index].record, sim_lists(sim));
}

bool sim_may_restore(const struct sim *sim, uint32_t index)
{
    const struct voter_lists *lists = sim_lists(sim);
    const struct record_disk *disk = &sim->hosts[index].record;

    if (sim->hosts[index].running || !sim_may_spoil_record(sim, index) ||
        !is_backup_of(disk, lists)) {
        return false;
    }
    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct vote_record *record = record_disk_find(&sim->hosts[i].record);
        if (i != index && record != NULL && voter_lists_find(lists, &record->id) != VOTER_NONE &&
            !knows_as_much(record, &disk->kept->record)) {
            return false;
        }
    }
    return true;
}
