/* Who heard whom, and what follows from it: nobody is removed who is heard (S8, R1), nor by one
 * that has just slept (D4); nobody acts whose guard is not met (S11), who is being absorbed (M3),
 * or beside another. */
#include "oracle_parts.h"

#include <inttypes.h>

#include "core/model/quorum.h"
#include "strain.h"

/* --- Removals --- */

/* Has `host` heard the other for `ms` or longer, without a silence longer than T_silent? */
static bool hears_steadily(const struct sim *sim, const struct host *host, uint32_t other,
                           uint64_t ms)
{
    const struct heard *heard = host_heard(host, other);
    uint64_t now_ms = host_now_ms(sim, host);

    return &sim->hosts[other] == host ||
           (host->running && !host->paused && heard->ms != 0 &&
            now_ms - heard->ms <= sim->silent_ms && now_ms - heard->since_ms >= ms);
}

/* D4: whoever has slept accuses nobody for a while. One that had been late already counts as slow
 * as long as it does not find itself late by T_lost; its clock may be slow by a ninth, and its
 * timer was not due for up to a heartbeat. */
static void check_awake(struct sim *sim, const struct host *host, const struct gone *gone)
{
    const uint64_t late_ms = host->slept_ms * 8 / 9;
    const uint64_t agreed_ms = core_timing(host->core)->fresh_ms; /* Terms may have changed. */
    const uint64_t fresh_ms = agreed_ms < host->timing.fresh_ms ? agreed_ms : host->timing.fresh_ms;

    if (host->woke_us != 0 && host->slept_ms > 2 * host->timing.silent_ms &&
        late_ms > host->timing.lost_ms + host->timing.heartbeat_ms * 21 / 20 &&
        sim->now_us < host->woke_us + fresh_ms * US_PER_MS / 2 && gone->verdict != VERDICT_DEAD) {
        oracle_fail(sim, host, "D4: removes %s right after it slept", gone->name);
    }
}

static bool is_sound_for(const struct sim *sim, const struct host *host, uint64_t us)
{
    return host->turn_us == 0 && host->late_us == 0 && !strain_is_short(host) &&
           (host->touched_us == 0 || sim->now_us >= host->touched_us + us);
}

static bool is_open_for(const struct sim *sim, uint32_t from, uint32_t to, uint64_t us)
{
    const struct link *link = network_link(&sim->network, from, to);
    return link->cuts == 0 && link->datagram_cuts == 0 &&
           !network_is_strained(&sim->network, from, to) &&
           (link->changed_us == 0 || sim->now_us >= link->changed_us + us);
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

/* Who hears a member says so to R1's questions, or with its next round. */
static bool may_lose_answers(const struct sim *sim)
{
    for (uint32_t i = 0; i < sim->loss_count; i++) {
        const struct loss *loss = &sim->losses[i];
        if (loss->left > 0 && (loss->type == MESSAGE_PING || loss->type == MESSAGE_PONG)) {
            return true;
        }
    }
    return false;
}

/* Z4: under guard strict the voters decide who coordinates, and nobody else is asked. */
static bool has_a_say(const struct sim *sim, const struct view *view, uint32_t other)
{
    return !sim->options.exclusive || view->cause != CAUSE_CLAIM || sim_is_voter(sim, other);
}

/* D2b: a firewall said that it is dead, so that what others hear of it does not count (R2a). */
static bool was_taken_for_dead(const struct sim *sim, const struct gone *gone,
                               const struct host *victim, uint64_t ms)
{
    return gone->verdict == VERDICT_DEAD && strain_refused_of_late(sim, victim, ms);
}

/* R1, C2: a member that somebody hears all the while who can say so is not removed, even if the
 * maker of the view does not hear it. */
static void check_vouched(struct sim *sim, const struct host *host, const struct view *view,
                          const struct memory *memory)
{
    uint32_t maker = host_index(sim, host);
    uint32_t subject = oracle_host_of(&sim->oracle, &memory->id);
    const struct host *victim = &sim->hosts[subject];
    uint64_t steady_ms = host->timing.stall_ms + 2 * host->timing.lost_ms;
    /* Who has just come over is still judged by what it said while it followed another (L2). */
    uint64_t known_us = (host->timing.fresh_ms + host->timing.prepare_ms) * US_PER_MS;

    if (view->member_count > HELPERS_MAX + 2 || may_lose_answers(sim) || !victim->running ||
        victim->paused || !id_equal(&victim->witness.life, &memory->id) ||
        sim->now_us < victim->witness.follows_us + known_us) {
        return;
    }
    for (uint32_t i = 1; i < view->member_count; i++) {
        uint32_t other = oracle_host_of(&sim->oracle, &view->members[i].id);
        const struct witness *witness = &sim->hosts[other].witness;
        if (other != subject && has_a_say(sim, view, other) &&
            id_equal(&witness->life, &view->members[i].id) &&
            id_equal(&witness->view.coordinator, &victim->witness.view.coordinator) &&
            id_equal(&witness->view.coordinator, &host->witness.view.coordinator) &&
            in_touch(sim, maker, other, steady_ms) && in_touch(sim, other, subject, steady_ms)) {
            oracle_fail(sim, host, "R1: %s was removed though %s heard it", victim->name,
                        sim->hosts[other].name);
        }
    }
}

/* S8: the member's process is the one that was removed, it followed the view before, its maker
 * and a majority of it heard it all the while, and yet it was removed as failed. */
void oracle_check_removal(struct sim *sim, const struct host *host, const struct view *view,
                          const struct memory *memory)
{
    const struct gone *gone = view_find_gone(view, &memory->id);
    uint32_t subject = oracle_host_of(&sim->oracle, &memory->id);
    uint32_t maker = oracle_host_of(&sim->oracle, &view->members[0].id);
    const struct host *victim = &sim->hosts[subject];
    const struct view_id *victims = &victim->witness.view;
    uint64_t steady_ms = host->timing.stall_ms + 2 * host->timing.lost_ms;

    if (gone == NULL || gone->reason != GONE_FAILED || &sim->hosts[maker] != host ||
        oracle_find_recorded(oracle_record_of(&sim->oracle, &view->parent), &memory->id) == NULL) {
        return;
    }
    check_awake(sim, host, gone);
    oracle_check_asked(sim, host, view, gone);
    if (was_taken_for_dead(sim, gone, victim, steady_ms)) {
        return;
    }
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
        oracle_fail(sim, host, "S8: %s was heard all the while and was removed, verdict %d",
                    gone->name, (int)gone->verdict);
    }
}

/* --- Acting --- */

/* By its last heartbeat, or because it acknowledged a view of this node since (G1). */
static bool follows(const struct host *host, const struct node_id *member,
                    const struct heard *heard)
{
    return id_equal(&heard->follows, &core_self(host->core)->id) ||
           id_equal(&heard->holder, member);
}

/* D8: what it echoed was sent before it was heard, both ways: for a lease that holds now the member
 * has received something of this life within T_lost, as this life's clock counts it. What a process
 * that is gone had received is forgotten. */
static bool has_received(const struct sim *sim, const struct host *host, uint32_t other,
                         const struct node_id *member)
{
    const struct host *holder = &sim->hosts[other];
    const struct heard *heard = host_heard(holder, host_index(sim, host));

    if (!holder->running || !id_equal(&core_self(holder->core)->id, member)) {
        return true;
    }
    const struct node_id *self = &core_self(host->core)->id;
    const uint64_t now_ms = host_now_ms(sim, host);
    return (id_equal(&heard->life, self) && heard->ms != 0 &&
            now_ms <= heard->other_ms + host->timing.lost_ms) ||
           (id_equal(&heard->answerer, self) &&
            now_ms <= heard->answered_other_ms + host->timing.lost_ms);
}

/* D8: whoever answered a proposal had heard it, joiners too, of whom nothing else counts yet. */
static bool has_answered(const struct sim *sim, const struct host *host,
                         const struct node_id *member, const struct heard *heard)
{
    return id_equal(&heard->answerer, member) &&
           host_now_ms(sim, host) <= heard->answered_ms + host->timing.lost_ms;
}

/* How many others may hold a lease: who was heard, follows, and has heard this life lately. Does
 * not look for more than are `asked` for. */
static uint32_t may_hold_leases(const struct sim *sim, const struct host *host, uint32_t asked)
{
    const struct record *view = host->witness.record;
    uint64_t now_ms = host_now_ms(sim, host);
    uint32_t count = 0;

    for (uint32_t i = 0; i < view->member_count && count < asked; i++) {
        const struct node_id *member = &view->members[i].id;
        uint32_t other = view->members[i].host;
        if (other == SIM_NOBODY) {
            continue; /* It never lived, and another rule says so. */
        }
        const struct heard *heard = host_heard(host, other);
        bool hears = heard->ms != 0 && now_ms - heard->ms <= host->timing.lost_ms + 1 &&
                     has_received(sim, host, other, member);
        count += &sim->hosts[other] != host && follows(host, member, heard) &&
                 (hears || has_answered(sim, host, member, heard));
    }
    return count;
}

/* That there are leases to act by, and that it counts nobody whose lease cannot hold: of several
 * members one other at least, and all whom it counts but itself. */
static void check_leases(struct sim *sim, const struct host *host, uint32_t fresh)
{
    bool is_alone = core_view(host->core)->member_count == 1;
    uint32_t asked = fresh > 1 ? fresh - 1 : !is_alone;
    uint32_t others = may_hold_leases(sim, host, asked);

    if (others == 0 && !is_alone) {
        oracle_fail(sim, host, "G2: acting, and nobody is known to hear it");
    } else if (others < asked) {
        oracle_fail(sim, host, "S11: counts %u fresh members, of %u a lease may hold", fresh,
                    1 + others);
    }
}

/* A number that was made up may have outrun what a member said since, as the oracle counts it, but
 * not for the node that asked it (D6c). */
static bool knows_who_was_heard(const struct sim *sim)
{
    return sim->oracle.trusted_us == 0 ||
           sim->now_us > sim->oracle.trusted_us + 2 * sim->timing.lost_ms * US_PER_MS;
}

/* S11, and M3. */
void oracle_check_acting(struct sim *sim, const struct host *host)
{
    if (core_phase(host->core) != PHASE_MEMBER && core_phase(host->core) != PHASE_LEAVING) {
        oracle_fail(sim, host, "S11: acting without being a member");
    }
    if (core_is_merging(host->core)) {
        oracle_fail(sim, host, "M3: acting while its part is being absorbed");
    }
    struct guard_state guard = {.met = true};
    if (host->guard.policy != GUARD_NONE || core_agreed(host->core)->number != 0) {
        guard = core_guard(host->core, host_now_ms(sim, host));
    }
    if (!guard.met || guard.fresh < guard.needed) {
        oracle_fail(sim, host, "S11: acting, with %u of %u needed", guard.fresh, guard.needed);
    }
    if (host->guard.policy != GUARD_STRICT && /* Voters need be no members. */
        !sim->oracle.suspended && knows_who_was_heard(sim)) {
        check_leases(sim, host, guard.fresh);
    }
}

/* Never two acting in one lineage, as long as nothing was done that could split it. */
void oracle_check_one_acts(struct sim *sim, const struct host *host)
{
    bool strict = host_is_exclusive(sim, host);

    for (uint32_t i = 0; i < sim->host_count && !strict; i++) {
        const struct host *other = &sim->hosts[i];
        if (other->running && other->disturbed) {
            return;
        }
    }
    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct host *other = &sim->hosts[i];
        if (other != host && other->running &&
            ((strict && host_is_exclusive(sim, other) && !sim->oracle.apart) ||
             core_view(other->core)->lineage == core_view(host->core)->lineage) &&
            core_is_acting(other->core, host_now_ms(sim, other))) {
            oracle_fail(sim, host, "two act at once, the other is %s", other->name);
        }
    }
}
