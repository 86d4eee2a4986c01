/* Where members are watched by neighbours on two rings (D9): nobody is removed as lost who was not
 * asked since it was heard (R1a, D9d); nobody grants a claim over one who is older, whom it neither
 * hears nor watches, without having asked that one (D9g); and in quiet, who is watched follows from
 * the view alone (D9a, D9b). That nobody is removed whom somebody else hears is with R1 in
 * oracle_guard.c. */
#include "core/model/ring.h"

#include <inttypes.h>
#include <stdlib.h>

#include "oracle_parts.h"

enum { NEXT_WATCHED = 3 };

/* How many of the oldest the coordinator watches: with a guard whom it asks for leases; all under
 * strict, and while terms change. */
static uint32_t next_watched(const struct sim *sim, const struct host *host)
{
    const uint32_t needed = core_guard(host->core, host_now_ms(sim, host)).needed;
    const uint32_t others = needed > 2 ? needed - 1 : 1;
    const uint32_t asked = others + others / 5 + (others % 5 != 0);

    if (core_agreed(host->core)->joint || core_terms(host->core)->guard.policy == GUARD_STRICT) {
        return UINT32_MAX;
    }
    return asked > NEXT_WATCHED ? asked : NEXT_WATCHED;
}

/* --- Asked before it is concluded --- */

void oracle_on_asked(struct sim *sim, struct host *host, const struct node_id *whom)
{
    const uint32_t other = oracle_host_of(&sim->oracle, whom);

    if (other != SIM_NOBODY) {
        struct heard *heard = host_heard_at(host, other);
        heard->asked_it = *whom;
        heard->asked_it_ms = host_now_ms(sim, host);
    }
}

/* Was that life asked by this host since something new of it was heard? */
static bool was_asked(const struct host *host, const struct node_id *life, uint32_t other)
{
    const struct heard *heard = host_heard(host, other);

    return id_equal(&heard->asked_it, life) &&
           (!id_equal(&heard->life, life) || heard->asked_it_ms >= heard->highest_ms);
}

void oracle_check_asked(struct sim *sim, const struct host *host, const struct view *view,
                        const struct gone *gone)
{
    const uint32_t other = oracle_host_of(&sim->oracle, &gone->id);
    const bool proven = gone->verdict != VERDICT_LOST && gone->verdict != VERDICT_STALLED;

    /* It may have been heard once more while the view was under way, and then have ended. */
    if (other != SIM_NOBODY &&
        (!sim->hosts[other].running || !id_equal(&sim->hosts[other].witness.life, &gone->id))) {
        return;
    }
    if (view->cause == CAUSE_CHANGE && !proven && !was_asked(host, &gone->id, other)) {
        oracle_fail(sim, host, "R1a: %s was removed as lost, and not asked", gone->name);
    }
}

/* Is it nobody whom this host has to have asked? Its neighbours are heard without. */
static bool is_excused(const struct sim *sim, const struct host *host, const struct rings *rings,
                       uint32_t own, uint32_t elder)
{
    const struct view *view = core_view(host->core);
    const struct peer_state peer = core_peer(host->core, elder, host_now_ms(sim, host));

    return elder == own || peer.verdict == VERDICT_DEAD ||
           rings_are_neighbours(rings, own, elder) ||
           (elder == 0 && own <= next_watched(sim, host)) ||
           was_asked(host, &view->members[elder].id,
                     oracle_host_of(&sim->oracle, &view->members[elder].id));
}

static void rings_new(struct rings *rings, uint32_t watchers, const struct view *view)
{
    rings_init(rings, view->member_count, malloc(rings_bytes(view->member_count)));
    rings_of(rings, watchers, view);
}

static void rings_free(struct rings *rings)
{
    free(rings->order[0]);
}

void oracle_check_grant(struct sim *sim, const struct host *host, const struct node_id *claimant)
{
    const struct view *view = core_view(host->core);
    const uint32_t own = view_find(view, &core_self(host->core)->id);
    const uint32_t place = view_find(view, claimant);
    struct rings rings;

    if (core_agreed(host->core)->joint || place == VIEW_NONE || own == VIEW_NONE ||
        sim->oracle.suspended) {
        return;
    }
    rings_new(&rings, core_terms(host->core)->watchers, view);
    for (uint32_t i = 0; i < place; i++) {
        const uint32_t other = oracle_host_of(&sim->oracle, &view->members[i].id);
        const struct node_id *follows = &host_heard(host, other)->follows;
        bool moved = i > 0 && !id_equal(follows, &view->members[0].id);
        if (!moved && !is_excused(sim, host, &rings, own, i)) {
            oracle_fail(sim, host, "D9g: a claim is granted over %s, which was not asked",
                        view->members[i].name);
        }
    }
    rings_free(&rings);
}

/* --- In quiet --- */

static bool is_watched(const struct sim *sim, const struct host *host, const struct rings *rings,
                       uint32_t a, uint32_t b)
{
    return rings_are_neighbours(rings, a, b) ||
           ((a == 0 || b == 0) && a + b <= next_watched(sim, host));
}

static bool holds_lifeline(const struct host *host, const struct node_id *peer)
{
    for (uint32_t i = 0; i < host->lifelines.count; i++) {
        const struct lifeline *lifeline = &host->lifelines.slots[i];
        if (lifeline->state != LIFELINE_FREE && id_equal(&lifeline->peer, peer)) {
            return true;
        }
    }
    return false;
}

/* Somebody may just have asked for what this host does not know: an operator, of a transfer (E4).
 */
static bool asked_lately(const struct sim *sim, const struct host *host, const struct node_id *life)
{
    const uint32_t other = oracle_host_of(&sim->oracle, life);

    return other != SIM_NOBODY && id_equal(&host_heard(host, other)->asked_it, life) &&
           host_now_ms(sim, host) <
               host_heard(host, other)->asked_it_ms + host->timing.lost_ms + host->timing.silent_ms;
}

static bool rests(const struct sim *sim, const struct host *host)
{
    const struct view *view = core_view(host->core);
    const uint32_t own = view_find(view, &core_self(host->core)->id);
    bool right = true;
    struct rings rings;

    rings_new(&rings, core_terms(host->core)->watchers, view);
    for (uint32_t i = 0; i < view->member_count && own != VIEW_NONE; i++) {
        const struct node_id *life = &view->members[i].id;
        right = right &&
                (i == own || holds_lifeline(host, life) == is_watched(sim, host, &rings, own, i) ||
                 (holds_lifeline(host, life) && asked_lately(sim, host, life)));
    }
    rings_free(&rings);
    return right;
}

bool sim_watches_its_neighbours(const struct sim *sim)
{
    for (uint32_t i = 0; i < sim->host_count; i++) {
        const struct host *host = &sim->hosts[i];
        if (host->running && !host->paused && !host->broken && !host->isolated &&
            !view_is_empty(core_view(host->core)) && !rests(sim, host)) {
            return false;
        }
    }
    return true;
}
