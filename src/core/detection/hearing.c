#include "core/detection/hearing.h"

#include "core/detection/watch.h"

bool hearing_is_heard(const struct core *core, uint32_t position)
{
    const struct peer *peer = &core->peers[position];

    if (!watch_is_on(core, position)) {
        return true; /* Nothing is known against it. */
    }
    return peer->charge.verdict == VERDICT_NONE &&
           core->now_ms < peer->signs.silent_from_ms + core->timing.silent_ms;
}

uint64_t hearing_fresh_for_ms(const struct core *core, uint32_t position)
{
    const struct peer *peer = &core->peers[position];
    uint64_t until = peer->signs.silent_from_ms + core->timing.fresh_ms;

    if (!watch_is_on(core, position)) {
        return core->timing.verify_ms; /* D9g: who does not know asks first. */
    }
    if (watch_is_asking(core, position) && until < peer->watch.begun_ms + core->timing.verify_ms) {
        until = peer->watch.begun_ms + core->timing.verify_ms;
    }
    if (peer->charge.verdict == VERDICT_DEAD || until <= core->now_ms) {
        return 0;
    }
    return until - core->now_ms;
}

bool hearing_is_fresh(const struct core *core, uint32_t position)
{
    return core_is_self(core, position) || hearing_fresh_for_ms(core, position) > 0;
}

bool hearing_coordinator_is_fresh(const struct core *core)
{
    return core_is_coordinator(core) || hearing_is_fresh(core, 0);
}

bool hearing_is_alone(const struct core *core, uint64_t ms)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        if (!core_is_self(core, i) && core->now_ms < core->peers[i].signs.silent_from_ms + ms) {
            return false;
        }
    }
    return core->view.member_count > 1;
}

bool hearing_was_late(const struct core *core, uint32_t position)
{
    const struct peer_signs *signs = &core->peers[position].signs;

    return signs->late_ms != 0 &&
           core->now_ms < signs->late_ms + (core->timing.stall_ms << signs->late_again);
}

static enum hearing own_hearing(const struct core *core, uint32_t subject, uint64_t now_ms)
{
    const struct peer *peer = &core->peers[subject];

    if (core_is_self(core, subject)) {
        return HEARING_YES;
    }
    if (!watch_is_on(core, subject)) {
        return HEARING_UNKNOWN;
    }
    if (peer->charge.verdict != VERDICT_NONE) {
        return HEARING_SUSPECT;
    }
    return now_ms < peer->signs.silent_from_ms + core->timing.silent_ms ? HEARING_YES
                                                                        : HEARING_SILENT;
}

/* Had its last heartbeat no room to name a neighbour of that age? Older ones come first (D1b), and
 * on rings neighbours before all others (D9i). */
static bool leaves_out(const struct core *core, uint32_t observer, uint64_t age)
{
    return core->peers[observer].signs.suspect_count == SUSPECTS_MAX &&
           core->doubts[observer].list[SUSPECTS_MAX - 1].age < age;
}

/* What the observer says of the subject in its last heartbeat, of whichever view that was. */
static enum hearing word_of(const struct core *core, uint32_t observer, uint32_t subject,
                            uint64_t now_ms)
{
    const struct peer_signs *signs = &core->peers[observer].signs;

    if (signs->suspects_ms == 0 || now_ms >= signs->suspects_ms + core->timing.lost_ms ||
        signs->view.lineage != core->view.lineage) {
        return HEARING_UNKNOWN;
    }
    for (uint8_t i = 0; i < signs->suspect_count; i++) {
        const struct suspicion *doubt = &core->doubts[observer].list[i];
        if (doubt->age == core->view.members[subject].age) {
            return doubt->verdict == VERDICT_NONE ? HEARING_SILENT : HEARING_SUSPECT;
        }
    }
    if (!watch_sees(core, observer, subject)) {
        return HEARING_UNKNOWN;
    }
    return leaves_out(core, observer, core->view.members[subject].age) ? HEARING_UNKNOWN
                                                                       : HEARING_YES;
}

enum hearing hearing_of(const struct core *core, uint32_t observer, uint32_t subject,
                        uint64_t now_ms)
{
    if (core_is_self(core, observer)) {
        return own_hearing(core, subject, now_ms);
    }
    if (observer == subject) {
        return HEARING_YES;
    }
    enum hearing word = word_of(core, observer, subject, now_ms);

    return word == HEARING_YES &&
                   !hearing_holds_our_view(core, observer) /* D9i: of others it says nothing. */
               ? HEARING_UNKNOWN
               : word;
}

bool hearing_is_accuser(const struct core *core, uint32_t position, uint64_t now_ms)
{
    const struct peer_signs *signs = &core->peers[position].signs;

    return signs->suspect_count > 0 && signs->suspects_ms != 0 &&
           now_ms < signs->suspects_ms + core->timing.fresh_ms &&
           signs->view.lineage == core->view.lineage;
}

bool hearing_accuses(const struct core *core, uint32_t accuser, uint64_t age, uint64_t now_ms)
{
    const struct peer_signs *signs = &core->peers[accuser].signs;

    if (!hearing_is_accuser(core, accuser, now_ms)) {
        return false;
    }
    for (uint8_t i = 0; i < signs->suspect_count; i++) {
        const struct suspicion *doubt = &core->doubts[accuser].list[i];
        if (doubt->age == age && doubt->verdict != VERDICT_NONE) {
            return true;
        }
    }
    return false;
}

bool hearing_holds_our_view(const struct core *core, uint32_t position)
{
    const struct peer_signs *signs = &core->peers[position].signs;
    const struct view_id ours = view_id_of(&core->view);

    return view_id_equal(&signs->view, &ours) && signs->view_hash == core->view.hash;
}

uint32_t hearing_view_holders(const struct core *core)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < core->view.member_count; i++) {
        count += core_is_self(core, i) ||
                 (hearing_holds_our_view(core, i) && core->peers[i].charge.verdict == VERDICT_NONE);
    }
    return count;
}

bool hearing_link_is_bad(const struct core *core, uint32_t position)
{
    const struct peer_signs *signs = &core->peers[position].signs;
    bool dead = core->peers[position].charge.verdict == VERDICT_DEAD;
    bool vouched = signs->vouched_ms != 0 && !dead &&
                   core->now_ms < signs->vouched_ms + 2 * core->timing.fresh_ms &&
                   signs->vouched_ms >= signs->heard_ms;
    bool unheard = signs->unheard_ms != 0 &&
                   core->now_ms < signs->unheard_ms + core->timing.fresh_ms;
    bool silent = !hearing_is_heard(core, position) && !dead;

    return vouched || unheard || silent;
}

/* Where neighbours take turns, one of several hears somebody in each half of an interval. Who does
 * not may be cut off, and be heard itself where it hears nobody. Two that are cut off together hear
 * each other: that is not noticed. */
static bool hears_nobody(const struct core *core)
{
    return watch_takes_turns(core) && core->looking.heard_ms != 0 &&
           core->now_ms >= core->looking.heard_ms + timing_deaf_ms(&core->timing);
}

/* Members that take the other turn are heard again half an interval later. */
static bool hears_somebody_again(const struct core *core)
{
    return watch_takes_turns(core) &&
           core->now_ms < core->looking.regained_ms + timing_other_half_ms(&core->timing);
}

/* Where neighbours take turns, those of one turn fall silent here together when this node is cut
 * off: then none of them says that it has lost another. */
static bool is_lost_to_all(const struct core *core, uint32_t suspect)
{
    struct observers observers;
    bool lost = !watch_takes_turns(core);

    watch_observers(core, suspect, &observers);
    for (uint32_t k = 0; k < observers.count; k++) {
        const uint32_t i = watch_observer(&observers, k);
        if (i == suspect || core_is_self(core, i) || core->peers[i].signs.late ||
            core->peers[i].charge.verdict != VERDICT_NONE || !watch_sees(core, i, suspect) ||
            !hearing_is_fresh(core, i)) {
            continue;
        }
        if (hearing_of(core, i, suspect, core->now_ms) != HEARING_SUSPECT) {
            return false;
        }
        lost = true;
    }
    return lost;
}

uint64_t hearing_not_lost_until_ms(const struct core *core, uint32_t suspect)
{
    const bool deaf = hears_nobody(core);
    const uint64_t silent_from_ms = deaf ? core->looking.heard_ms
                                         : core->peers[suspect].signs.silent_from_ms;
    const uint64_t until_ms = silent_from_ms + core->timing.lost_ms +
                              timing_other_half_ms(&core->timing);

    if (core->now_ms >= until_ms) {
        return 0;
    }
    return deaf || hears_somebody_again(core) || !is_lost_to_all(core, suspect) ? until_ms : 0;
}

/* The oldest member that hears both this node and the one at `position`, by what it said in this
 * view, or in any. */
static uint32_t who_hears(const struct core *core, uint32_t position, bool in_this_view)
{
    struct observers observers;

    watch_observers(core, position, &observers); /* Of others it is not known. */
    for (uint32_t k = 0; k < observers.count; k++) {
        const uint32_t i = watch_observer(&observers, k);
        const struct peer_signs *signs = &core->peers[i].signs;
        if (i != position && !core_is_self(core, i) && hearing_is_heard(core, i) &&
            signs->unheard_ms == 0 && !signs->late &&
            (in_this_view ? hearing_of(core, i, position, core->now_ms)
                          : word_of(core, i, position, core->now_ms)) == HEARING_YES) {
            return i;
        }
    }
    return VIEW_NONE;
}

uint32_t hearing_relay_to(const struct core *core, uint32_t position)
{
    return who_hears(core, position, true);
}

bool hearing_is_heard_by_others(const struct core *core, uint32_t position)
{
    return who_hears(core, position, false) != VIEW_NONE;
}
