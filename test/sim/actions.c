/* What a story does to the hosts of a cluster and what runs on them: starting, breaking, mending;
 * to their configuration: actions_configuration.c, to their records: actions_records.c, to the
 * network between them: actions_network.c. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "actions_parts.h"
#include "post.h"
#include "roles.h"
#include "strain.h"
#include "trace.h"

enum { FILLED_CAPACITY = 64 }; /* of cores whose memory is few pages */

bool sim_may_start(const struct sim *sim, uint32_t index)
{
    const struct host *host = &sim->hosts[index];
    const struct record_write *kept = host->record.kept;

    if (kept == NULL) {
        return true;
    }
    return host->guard.policy == GUARD_STRICT &&
           (!is_own_record(host) || kept->record.accepted == NULL ||
            kept->view.member_count <= host->capacity);
}

/* A witness wants its memory all zero. A core may be begun in any, and what a run comes to must not
 * depend on what was there before: in runs that write and read every frame, too, it is noise. */
static void fill_memory(struct sim *sim, const struct host *host, uint32_t capacity)
{
    uint8_t *memory = sim->cores + host->index * sim->core_stride;

    if (host->only_votes) {
        memset(memory, 0, core_witness_bytes(capacity));
    } else if (sim->options.scribbles ||
               (!sim->options.spares_codec && capacity <= FILLED_CAPACITY)) {
        memset(memory, 0xa5, core_bytes(capacity));
    }
}

/* A process of its own, which knows nothing of the one before. */
static void begin_process(struct sim *sim, struct host *host)
{
    host->up = true;
    host->running = true;
    host->paused = false;
    host->leaves = false;
    host->number = 0;
    host->trip_left = 0;
    host->woke_us = 0;
    host->granted = (struct granted){0};
    host->shown = (struct view_id){0};
    host->process++;
    host->wanted_tag = host->tag;
    host->forgot = actions_forgets(host);
    host->ahead = false;
    host->disturbed = host->turn_us > 0;
    for (uint32_t i = 0; i < sim->host_count; i++) {
        host->disturbed |= !network_open_both_ways(&sim->network, host->index, i);
        if (host->heard[i] != NULL) {
            *host->heard[i] = (struct heard){0};
        }
    }
}

void sim_start(struct sim *sim, uint32_t index)
{
    struct host *host = host_of(sim, index);
    assert(!host->running && sim_may_start(sim, index));

    trace_note(sim, "%s starts", host->name);
    begin_process(sim, host);
    bool own_record = is_own_record(host);
    struct core_options options = {
        .name = host->name,
        .address = host->address,
        .guard = host->guard,
        .versions = host->versions,
        .profile = host->profile,
        .watchers = sim->options.watchers,
        .fanout = sim->options.fanout,
        .timing = host->told,
        .capacity = host->capacity,
        .has_seeds = host->seed_count > 0,
        .expect = sim->options.expect,
        .voters = host->voters.count > 0 ? &host->voters : NULL,
        .voters_target = (uint8_t)sim->options.voters_target,
        .record = own_record ? record_disk_find(&host->record) : NULL,
        .record_damaged = !own_record,
        .has_disk = host->guard.policy == GUARD_STRICT,
        .witness = host->only_votes,
    };
    const struct tags tags = sim_tags_of(host->tag == NULL ? "" : host->tag);
    options.tags = &tags;
    struct random own; /* The others' chance is what it would be without witnesses. */
    random_seed(&own, sim->options.seed ^ (UINT64_C(0x5749544e) << 16) ^ index ^
                          (uint64_t)host->process << 32);
    for (int i = 0; i < 4; i++) {
        options.random_seed[i] = random_u64(host->only_votes ? &own : &sim->random);
    }
    bool remembers = host->has_disk && host->stored;
    if (remembers) {
        options.incarnation = host->writes[host->latest].incarnation;
        options.epoch_seen = host->writes[host->latest].epoch_seen;
        options.agreed = host->writes[host->latest].agreed;
        options.started = host->writes[host->latest].started;
    }
    fill_memory(sim, host, options.capacity);
    host->core = core_init(sim->cores + index * sim->core_stride, &options, host_now_ms(sim, host));

    oracle_on_start(sim, host);
    process_schedule_tick(sim, host, sim->now_us);
    if (!host->only_votes) {
        roles_on_start(sim, host);
    }
    sim->changed = true;
    if (remembers) {
        const struct stored *stored = &host->writes[host->latest];
        host_step(sim, host,
                  &(struct event){.type = EVENT_ADDRESSES,
                                  .addresses = {.source = ADDRESSES_REMEMBERED,
                                                .addresses = stored->peers,
                                                .count = stored->peer_count}});
    }
}

void sim_start_in_order(struct sim *sim, uint64_t gap_ms)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        sim_start(sim, i);
        sim_run(sim, gap_ms);
    }
}

void sim_start_together(struct sim *sim)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        sim_start(sim, i);
    }
}

void sim_crash(struct sim *sim, uint32_t index)
{
    struct host *host = host_of(sim, index);
    if (!host->running) {
        return;
    }
    trace_note(sim, "%s is killed", host->name);
    process_end(sim, host);
    lifeline_on_end(sim, host);
}

void sim_trip(struct sim *sim, uint32_t index, enum message_type type, uint32_t count)
{
    struct host *host = host_of(sim, index);
    host->trip_type = type;
    host->trip_left = count;
}

void sim_wipe(struct sim *sim, uint32_t index)
{
    host_of(sim, index)->stored = false;
}

uint32_t sim_process(const struct sim *sim, uint32_t index)
{
    return sim->hosts[index].process;
}

void sim_roll_back(struct sim *sim, uint32_t index)
{
    struct host *host = host_of(sim, index);
    host->writes[host->latest] = host->writes[1 - host->latest];
}

void sim_fail_disk(struct sim *sim, uint32_t index, bool fails)
{
    host_of(sim, index)->disk_fails = fails;
}

void sim_skew(struct sim *sim, uint32_t index, int64_t rate_ppm)
{
    struct host *host = host_of(sim, index);

    if (rate_ppm == host->clock.rate_ppm) {
        return;
    }
    trace_note(sim, "clock of %s is wrong by %" PRId64 " ppm", host->name, rate_ppm);
    clock_set_rate(&host->clock, sim->now_us, rate_ppm);
    if (host->running) {
        process_rearm(sim, host);
    }
}

void sim_delay_timers(struct sim *sim, uint32_t index, uint64_t late_ms)
{
    struct host *host = host_of(sim, index);
    trace_note(sim, "timers of %s are late by up to %" PRIu64 " ms", host->name, late_ms);
    host->late_us = late_ms * US_PER_MS;
    host->touched_us = sim->now_us;
    host->disturbed = true;
}

void sim_break(struct sim *sim, uint32_t index)
{
    struct host *host = host_of(sim, index);
    trace_note(sim, "%s is broken for good", host->name);
    host->broken = true;
    sim->changed = true;
}

void sim_send_to_nobody(struct sim *sim, uint32_t index, uint64_t count)
{
    struct host *host = host_of(sim, index);

    if (sim_is_running(sim, index)) {
        trace_note(sim, "%s has sent %" PRIu64 " messages more", host->name, count);
        core_skip_numbers(host->core, count);
    }
}

void sim_vanish(struct sim *sim, uint32_t index)
{
    struct host *host = host_of(sim, index);
    trace_note(sim, "%s vanishes, kernel and all", host->name);
    host->up = false;
    network_end_streams(&sim->network, index);
    strain_end_streams(sim, index);
    if (host->running) {
        process_end(sim, host);
    }
}

void sim_pause(struct sim *sim, uint32_t index)
{
    struct host *host = host_of(sim, index);
    if (!host->running || host->paused) {
        return;
    }
    trace_note(sim, "%s is stopped", host->name);
    host->paused = true;
    host->stopped_us = sim->now_us;
    host->showed_us = clock_us(&host->clock, sim->now_us);
    host->touched_us = sim->now_us;
    host->disturbed = true;
    sim->changed = true;
}

void sim_resume_unaware(struct sim *sim, uint32_t index)
{
    struct host *host = host_of(sim, index);

    if (!host->running || !host->paused) {
        return;
    }
    trace_note(sim, "the clock of %s has stood still", host->name);
    host->clock.shown_us = host->showed_us;
    host->clock.since_us = sim->now_us;
    host->now_us = UINT64_MAX;
    sim_resume(sim, index);
    host->slept_ms = 0;
    process_rearm(sim, host);
}

/* What came meanwhile comes in one burst. Whether the timer or the sockets are looked at first
 * depends on where the loop was stopped. */
void sim_resume(struct sim *sim, uint32_t index)
{
    struct host *host = host_of(sim, index);
    if (!host->running || !host->paused) {
        return;
    }
    trace_note(sim, "%s is continued", host->name);
    host->paused = false;
    host->slept_ms = (sim->now_us - host->stopped_us) / US_PER_MS;
    host->woke_us = sim->now_us;
    host->touched_us = sim->now_us;
    sim->changed = true;

    struct pending *waiting = host->waiting;
    bool timer_first = random_below(&sim->random, 2) == 0;
    if (host->waiting_tick && timer_first) {
        process_schedule_tick(sim, host, sim->now_us);
    }
    while (waiting != NULL) {
        struct pending *next = waiting->next;
        queue_push(&sim->queue, sim->now_us, waiting);
        waiting = next;
    }
    if (host->waiting_tick && !timer_first) {
        process_schedule_tick(sim, host, sim->now_us);
    }
    host->waiting = NULL;
    host->waiting_last = NULL;
    host->waiting_packets = 0;
    host->waiting_tick = false;
    lifeline_on_resume(sim, host);
}

void sim_slow(struct sim *sim, uint32_t index, uint64_t turn_ms)
{
    struct host *host = host_of(sim, index);
    trace_note(sim, "%s turns every %" PRIu64 " ms", host->name, turn_ms);
    host->turn_us = turn_ms * US_PER_MS;
    host->touched_us = sim->now_us;
    host->disturbed = true;
}

void sim_set_work(struct sim *sim, uint64_t datagram_us)
{
    sim->datagram_us = datagram_us;
}

void sim_leave(struct sim *sim, uint32_t index)
{
    struct host *host = host_of(sim, index);
    assert(host->running);
    trace_note(sim, "%s is asked to leave", host->name);
    host->leaves = true;
    host->disturbed = true;
    queue_push(&sim->queue, sim->now_us, process_pending(sim, host, PENDING_LEAVE));
}

static void move(struct sim *sim, uint32_t host, enum move_kind kind, uint32_t subject)
{
    if (!sim_is_running(sim, host) || !sim_is_running(sim, subject)) {
        return;
    }
    struct pending *pending = process_pending(sim, &sim->hosts[host], PENDING_MOVE);
    pending->move = (struct move){.kind = kind, .subject = core_self(sim->hosts[subject].core)->id};
    queue_push(&sim->queue, sim->now_us, pending);
}

void sim_transfer(struct sim *sim, uint32_t host, uint32_t to)
{
    move(sim, host, MOVE_TRANSFER, to);
}

void sim_drain(struct sim *sim, uint32_t host, uint32_t subject)
{
    move(sim, host, MOVE_DRAIN, subject);
}

void sim_undrain(struct sim *sim, uint32_t host, uint32_t subject)
{
    move(sim, host, MOVE_UNDRAIN, subject);
}

struct tags sim_tags_of(const char *tag)
{
    struct tags tags = {.length = tag[0] == '\0' ? 0 : (uint16_t)(strlen(tag) + 1)};

    assert(tags.length <= sizeof tags.text);
    memcpy(tags.text, tag, tags.length);
    return tags;
}

void sim_set_tags(struct sim *sim, uint32_t index, const char *tag)
{
    if (sim_is_running(sim, index)) {
        struct pending *pending = process_pending(sim, &sim->hosts[index], PENDING_TAGS);
        pending->tags = tag;
        queue_push(&sim->queue, sim->now_us, pending);
    }
}

struct rules sim_rules(const struct sim *sim, uint32_t index)
{
    return terms_rules(core_terms(sim_core(sim, index)));
}

bool sim_keeps_majority(const struct sim *sim)
{
    return sim->options.guard.policy == GUARD_MAJORITY;
}

void sim_change_terms(struct sim *sim, uint32_t index, const struct rules *rules)
{
    if (sim_is_running(sim, index) && !sim_is_ahead(sim)) {
        struct pending *pending = process_pending(sim, &sim->hosts[index], PENDING_TERMS);
        pending->wish = (struct rules_wish){
            .number = core_agreed(sim_core(sim, index))->number,
            .rules = *rules,
        };
        sim->wished = sim->wished > pending->wish.number ? sim->wished : pending->wish.number;
        sim->wished_us = sim->now_us;
        oracle_on_rules(&sim->oracle, rules);
        queue_push(&sim->queue, sim->now_us, pending);
    }
}

/* Has it another's name, or goes another by its name? Then the other one may be made the voter of
 * that name, with a record that nobody finds again under it (Z3b), and that puts aside its own. */
static bool has_a_double(const struct sim *sim, const struct host *host)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct host *other = &sim->hosts[i];
        if (other != host && (strcmp(other->name, host->right_name) == 0 ||
                              strcmp(host->name, other->right_name) == 0)) {
            return true;
        }
    }
    return false;
}

/* Do those suffice whose records are found again under the right names? */
static bool suffice_without_doubles(const struct sim *sim, uint32_t set)
{
    const struct voter_lists *lists = sim_lists(sim);
    uint32_t wished = 0;
    uint32_t found = 0;
    uint32_t doubles = 0;
    voter_set sound = 0;

    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct host *host = &sim->hosts[i];
        const bool single = !has_a_double(sim, host);
        const uint8_t place = lists == NULL || !single || !is_found_again(host)
                                  ? VOTER_NONE
                                  : voter_lists_find(lists, &host->record.kept->record.id);
        doubles += !single;
        wished += set >> i & 1;
        found += (set >> i & 1) != 0 && single;
        sound |= place == VOTER_NONE ? 0 : voter_set_of(place);
    }
    return doubles == 0 ||
           (lists != NULL && quorum_is_majority(found, wished) && voter_lists_agree(lists, sound));
}

void sim_change_voters(struct sim *sim, uint32_t index, uint32_t set, uint32_t anew)
{
    if (!sim_is_running(sim, index) || !suffice_without_doubles(sim, set)) {
        return;
    }
    struct pending *pending = process_pending(sim, &sim->hosts[index], PENDING_TERMS);
    struct voters_wish wish = {.number = core_view(sim_core(sim, index))->voters.number};
    for (uint32_t i = 0; i < sim->host_count && wish.count < VOTERS_MAX; i++) {
        if ((set >> i & 1) != 0) {
            struct wished_voter *voter = &wish.voters[wish.count++];
            memcpy(voter->name, sim->hosts[i].right_name, sizeof voter->name);
            voter->anew = (anew >> i & 1) != 0;
            sim->hosts[i].record.wished = true;
            voter->witness = sim->hosts[i].only_votes ? sim->hosts[i].address
                                                      : (struct address){.family = 0};
        }
    }
    pending->wish = (struct rules_wish){.voters = wish};
    queue_push(&sim->queue, sim->now_us, pending);
}

void sim_forget(struct sim *sim, uint32_t index, const struct node_id *gone)
{
    if (sim_is_running(sim, index)) {
        struct pending *pending = process_pending(sim, &sim->hosts[index], PENDING_MOVE);
        pending->move = (struct move){.kind = MOVE_FORGET, .subject = *gone};
        queue_push(&sim->queue, sim->now_us, pending);
    }
}

void sim_forget_failed(struct sim *sim, uint32_t index)
{
    if (sim_is_running(sim, index)) {
        struct pending *pending = process_pending(sim, &sim->hosts[index], PENDING_TERMS);
        pending->wish = (struct rules_wish){
            .number = core_agreed(sim_core(sim, index))->number,
            .rules = sim_rules(sim, index),
            .forget_failed = true,
        };
        queue_push(&sim->queue, sim->now_us, pending);
    }
}

static bool coordinates(const struct host *host)
{
    return host->running && !view_is_empty(core_view(host->core)) &&
           id_equal(&core_view(host->core)->members[0].id, &host->witness.life);
}

/* The first who failed and never was, and how many there are. */
static const struct gone *invented_in(struct sim *sim, const struct view *view, uint32_t *count)
{
    const struct gone *first = NULL;

    *count = 0;
    for (uint32_t i = 0; i < view->gone_count; i++) {
        const struct gone *gone = &view->gone[i];
        if (gone->reason == GONE_FAILED && gone->accuser_count > 0 &&
            oracle_host_of(&sim->oracle, &gone->id) == SIM_NOBODY) {
            first = first == NULL ? gone : first;
            (*count)++;
        }
    }
    return first;
}

bool sim_forgets_invented(struct sim *sim)
{
    bool waits = false;

    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct host *host = &sim->hosts[i];
        waits |= host->running && core_phase(host->core) == PHASE_JOINING;
    }
    for (uint32_t i = 0; waits && i < sim->host_count; i++) {
        const struct host *host = &sim->hosts[i];
        uint32_t count = 0;
        if (coordinates(host) && sim_is_acting(sim, i) &&
            sim_rules(sim, i).guard.policy == GUARD_MAJORITY &&
            invented_in(sim, core_view(host->core), &count) != NULL) {
            const struct gone *first = invented_in(sim, core_view(host->core), &count);
            trace_note(sim, "%s is to forget %u who failed", host->name, count);
            if (count == 1) {
                sim_forget(sim, i, &first->id); /* E9 */
            } else {
                sim_forget_failed(sim, i);
            }
            return true;
        }
    }
    return false;
}

bool sim_may_change_terms(const struct sim *sim, const struct rules *rules)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct host *host = &sim->hosts[i];
        if (!coordinates(host) || !sim_is_acting(sim, i)) {
            continue; /* Without the guard no change is over (A2b). */
        }
        const struct rules_wish wish = {.number = core_agreed(host->core)->number, .rules = *rules};
        const enum unagreed against = core_unagreed(host->core, &wish);
        return against == UNAGREED_NOT || against == UNAGREED_UNDER_WAY;
    }
    return false;
}

bool sim_has_terms(const struct sim *sim, const struct rules *rules)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct host *host = &sim->hosts[i];
        if (host->running && !host->paused && !host->broken && !host->isolated &&
            !host->only_votes &&
            (core_agreed(host->core)->joint ||
             !rules_equal(&core_agreed(host->core)->now, rules))) {
            return false;
        }
    }
    return true;
}

static void swap_bytes(void *a, void *b, size_t size)
{
    uint8_t *left = a;
    uint8_t *right = b;
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = left[i];
        left[i] = right[i];
        right[i] = byte;
    }
}

void sim_swap(struct sim *sim, uint32_t first, uint32_t second)
{
    struct host *a = host_of(sim, first);
    struct host *b = host_of(sim, second);
    bool stored = a->stored;

    assert(!a->running && !b->running);
    trace_note(sim, "%s and %s change places", a->name, b->name);
    swap_bytes(a->name, b->name, sizeof a->name);
    swap_bytes(a->right_name, b->right_name, sizeof a->right_name);
    swap_bytes(&a->record, &b->record, sizeof a->record);
    swap_bytes(a->writes, b->writes, sizeof a->writes);
    swap_bytes(&a->latest, &b->latest, sizeof a->latest);
    a->stored = b->stored;
    b->stored = stored;
    swap_bytes(&a->right, &b->right, sizeof a->right);
    swap_bytes(&a->ahead, &b->ahead, sizeof a->ahead);
    swap_bytes(&a->written, &b->written, sizeof a->written);
    swap_bytes(&a->noted, &b->noted, sizeof a->noted);
    swap_bytes(&a->forgot, &b->forgot, sizeof a->forgot);
    if (sim->written) {
        actions_tell_right_terms(sim, first);
        actions_tell_right_terms(sim, second);
    }
}

void sim_set_resolver(struct sim *sim, uint64_t delay_ms, bool fails)
{
    sim->resolve_ms = delay_ms;
    sim->resolve_fails = fails;
}

void sim_unsettle_resolver(struct sim *sim, uint32_t ppm)
{
    trace_note(sim, "the resolver answers something else, %u ppm", ppm);
    sim->resolve_ppm = ppm;
}

void sim_note(struct sim *sim, const char *text)
{
    trace_note(sim, "%s", text);
}

void sim_heal(struct sim *sim)
{
    struct quality quality = sim_default_quality();

    trace_note(sim, "everything heals");
    queue_forget_calls(&sim->queue);
    network_set_quality(&sim->network, &quality);
    sim->quality_us = sim->now_us;
    sim->rough = false;
    sim->resolve_ms = RESOLVE_MS_MAX;
    sim->resolve_fails = false;
    sim->resolve_ppm = 0;
    sim->loss_count = 0;
    for (uint32_t i = 0; i < sim->host_count; i++) {
        for (uint32_t k = 0; k < sim->host_count; k++) {
            network_link(&sim->network, i, k)->cuts = 0;
            network_link(&sim->network, i, k)->held_us = 0;
            network_link(&sim->network, i, k)->changed_us = sim->now_us;
            network_link(&sim->network, i, k)->stream_cuts = 0;
            network_link(&sim->network, i, k)->datagram_cuts = 0;
            network_narrow(&sim->network, i, k, 0);
        }
        sim->hosts[i].isolated = false;
        if (sim->hosts[i].turn_us != 0 || sim->hosts[i].late_us != 0) {
            sim->hosts[i].touched_us = sim->now_us;
        }
        sim->hosts[i].turn_us = 0;
        sim->hosts[i].late_us = 0;
        sim->hosts[i].trip_left = 0;
        sim->hosts[i].disk_fails = false;
        sim->hosts[i].record.fails = false;
        sim->hosts[i].record.sync_us_max = 0;
        sim->hosts[i].record.stuck_until_us = 0;
        sim_resume(sim, i);
    }
    for (uint32_t i = 0; i < sim->host_count && sim->network.stuck > 0; i++) {
        for (uint32_t k = 0; k < sim->host_count; k++) {
            post_unstick(sim, i, k);
        }
    }
    strain_heal(sim);
    sim->changed = true;
}
