#include "core/detection/follow.h"

#include "core/detection/verdict.h"

void follow_note(struct core *core, uint32_t position)
{
    struct peer_course *course = &core->peers[position].course;

    core->following.noted += !spell_is_on(&course->other);
    spell_note(&course->other, core->now_ms, 2 * core->timing.fresh_ms);
    verdict_evidence_changed(core);
}

void follow_note_named(struct core *core, uint32_t position, const struct view_id *named)
{
    const struct view_id ours = view_id_of(&core->view);

    if (!id_equal(&named->coordinator, &core->life.self.id) || view_id_compare(named, &ours) < 0) {
        follow_note(core, position);
    }
}

void follow_forget(struct core *core, uint32_t position)
{
    struct peer_course *course = &core->peers[position].course;

    core->following.noted -= spell_is_on(&course->other);
    course->other.since_ms = 0;
    verdict_reconsider(core, position);
}

bool follow_has_moved(const struct core *core, uint32_t position)
{
    return spell_lasted(&core->peers[position].course.other, core->timing.fresh_ms);
}

void follow_note_lower(struct core *core, uint32_t position, const struct view_id *lower)
{
    struct peer_course *course = &core->peers[position].course;

    if (lower->version > course->lower_version) {
        course->lower.since_ms = 0; /* It has got a higher one meanwhile. */
    }
    course->lower_version = lower->version;
    spell_note(&course->lower, core->now_ms, 2 * core->timing.fresh_ms);
    if (follow_is_behind(core, position)) {
        verdict_evidence_changed(core);
    }
}

void follow_note_ours(struct core *core, uint32_t position)
{
    struct peer_course *course = &core->peers[position].course;

    if (spell_is_on(&course->lower)) {
        course->lower.since_ms = 0;
        verdict_reconsider(core, position);
        verdict_evidence_changed(core);
    }
}

bool follow_is_behind(const struct core *core, uint32_t position)
{
    return spell_lasted(&core->peers[position].course.lower, core->timing.fresh_ms);
}

bool follow_was_left_behind(const struct core *core, uint32_t position)
{
    return spell_lasted(&core->peers[position].course.lower, core->timing.stall_ms);
}

static bool is_undecided(const struct core *core, uint32_t position)
{
    const struct spell *other = &core->peers[position].course.other;

    return spell_is_on(other) && !follow_has_moved(core, position) &&
           core->now_ms < other->said_ms + core->timing.fresh_ms;
}

bool follow_has_undecided(const struct core *core)
{
    for (uint32_t i = 0; core->following.noted > 0 && i < core->view.member_count; i++) {
        if (is_undecided(core, i)) {
            return true;
        }
    }
    return false;
}

void follow_on_view_installed(struct core *core, const struct installed *before)
{
    bool other = !view_is_empty(before->view) &&
                 !id_equal(&core->view.members[0].id, &before->view->members[0].id);

    core->following.noted = 0;
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        struct peer_course *course = &core->peers[i].course;
        course->other.since_ms =
            other ? 0 : course->other.since_ms; /* The coordinator is another one, so what was noted
                                                   says nothing any more. */
        core->following.noted += spell_is_on(&course->other);
    }
}
