/* What a story writes into the configuration of a host: its name, its seeds, and the terms. */
#include "actions_parts.h"
#include "base/text.h"
#include "trace.h"

/* A record under the name of before is not found any more (Z3b). */
static void give_name(struct sim *sim, uint32_t index, const char *name)
{
    struct host *host = host_of(sim, index);
    const struct record_write *kept = host->record.kept;
    const bool votes = kept != NULL && strcmp(kept->voter, host->right_name) != 0 &&
                       sim_lists(sim) != NULL &&
                       voter_lists_find(sim_lists(sim), &kept->record.id) != VOTER_NONE;

    sim->misnamed |= votes && strcmp(host->name, name) != 0 && !sim_may_spoil_record(sim, index);
    text_set(host->name, sizeof host->name, name, strlen(name));
}

void sim_rename(struct sim *sim, uint32_t index, const char *name)
{
    give_name(sim, index, name);
}

void sim_tag(struct sim *sim, uint32_t index, const char *tag)
{
    host_of(sim, index)->tag = tag;
}

void sim_set_seeds(struct sim *sim, uint32_t index, const uint32_t *seeds, uint32_t count)
{
    struct host *host = host_of(sim, index);
    assert(count <= SIM_SEEDS_MAX);
    host->seed_count = count;
    for (uint32_t i = 0; i < count; i++) {
        host->seeds[i] = seeds[i];
    }
}

void sim_set_guard(struct sim *sim, uint32_t index, struct guard guard)
{
    host_of(sim, index)->guard = guard;
}

struct sim_terms sim_usual_terms(const struct sim *sim)
{
    return (struct sim_terms){.guard = sim->options.guard,
                              .profile = sim->options.profile,
                              .heartbeat_ms = sim->options.heartbeat_ms,
                              .lost_ms = sim->options.lost_ms,
                              .capacity = sim->options.capacity,
                              .voters = sim->voters};
}

static struct timing timing_stated(const struct sim_terms *terms)
{
    struct timing timing = timing_of(terms->profile);

    timing_override(&timing, terms->heartbeat_ms, terms->lost_ms);
    return timing;
}

void sim_set_terms(struct sim *sim, uint32_t index, const struct sim_terms *terms)
{
    struct host *host = host_of(sim, index);

    assert(terms->capacity > 0 && terms->capacity <= sim->options.capacity);
    host->guard = terms->guard;
    host->profile = terms->profile;
    host->told = timing_stated(terms);
    host->timing = host->told;
    host->capacity = terms->capacity;
    host->voters = terms->voters;
}

/* What was written is what others have changed to, and the oracle goes by what all have
 * (host.timing).
 */
void actions_tell_right_terms(struct sim *sim, uint32_t index)
{
    struct host *host = host_of(sim, index);
    const struct sim_terms usual = sim_usual_terms(sim);

    sim_set_terms(sim, index, &host->right);
    host->timing = timing_stated(&usual);
}

void sim_write_down(struct sim *sim, uint32_t index, const struct sim_terms *terms, uint64_t number)
{
    struct host *host = host_of(sim, index);

    trace_note(sim, "changed terms are written down for %s", host->name);
    host->right = *terms;
    host->ahead = true;
    host->written = number;
    sim->written = true;
    actions_tell_right_terms(sim, index);
}

bool actions_forgets(const struct host *host)
{
    const struct agreed *noted = &host->noted;
    const struct agreed *kept = &host->writes[host->latest].agreed;
    const bool keeps = host->stored && kept->number != 0;
    const bool lost = noted->number != 0 && (!keeps || !rules_equal(&kept->now, &noted->now));
    const bool said_otherwise = host->ahead && keeps && kept->number > host->written;

    return host->forgot || lost || said_otherwise;
}

bool sim_forgets_terms(const struct sim *sim, uint32_t index)
{
    return actions_forgets(&sim->hosts[index]);
}

bool sim_is_ahead(const struct sim *sim)
{
    bool ahead = false;

    for (uint32_t i = 0; i < sim->host_count; i++) {
        ahead |= sim->hosts[i].ahead;
    }
    return ahead;
}

bool sim_may_be_wished(const struct sim *sim, uint64_t number)
{
    return sim->wished >= number &&
           sim->now_us < sim->wished_us + 4 * sim->timing.leave_ms * US_PER_MS;
}

const struct sim_terms *sim_right_terms(const struct sim *sim, uint32_t index)
{
    return &sim->hosts[index].right;
}

struct agreed sim_kept_terms(const struct sim *sim, uint32_t index, bool before)
{
    const struct host *host = &sim->hosts[index];

    return host->stored ? host->writes[before ? 1 - host->latest : host->latest].agreed
                        : (struct agreed){.number = 0};
}

/* With which voters to found it says in vain once there is a view (Z13a). */
static bool has_right_terms(const struct sim *sim, const struct host *host)
{
    const struct sim_terms *right = &host->right;
    const struct timing timing = timing_stated(right);
    const bool strict = host->guard.policy == GUARD_STRICT && right->guard.policy == GUARD_STRICT;

    return (strict || guard_equal(&host->guard, &right->guard)) &&
           host->profile == right->profile && host->told.heartbeat_ms == timing.heartbeat_ms &&
           host->told.lost_ms == timing.lost_ms && host->capacity == right->capacity &&
           (sim->oracle.history_count > 0 || voters_equal(&host->voters, &right->voters));
}

void sim_set_versions(struct sim *sim, uint32_t index, uint8_t low, uint8_t high)
{
    host_of(sim, index)->versions = (struct versions){.low = low, .high = high};
}

bool sim_is_configured(const struct sim *sim, uint32_t index)
{
    const struct host *host = &sim->hosts[index];
    bool same = host->seed_count == sim->options.seed_count && host->versions.low == 0 &&
                strcmp(host->name, host->right_name) == 0 && has_right_terms(sim, host);

    for (uint32_t i = 0; same && i < host->seed_count; i++) {
        same = host->seeds[i] == i;
    }
    return same;
}

bool sim_has_lost_quorum(const struct sim *sim)
{
    return sim->misnamed && !sim_have_quorum(sim);
}

void sim_configure(struct sim *sim, uint32_t index)
{
    struct host *host = host_of(sim, index);

    give_name(sim, index, host->right_name);
    actions_tell_right_terms(sim, index);
    host->versions.low = 0;
    host->seed_count = sim->options.seed_count;
    for (uint32_t i = 0; i < host->seed_count; i++) {
        host->seeds[i] = i;
    }
}

const char *sim_name(const struct sim *sim, uint32_t index)
{
    return sim->hosts[index].name;
}
