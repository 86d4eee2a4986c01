#include "core/detection/follow.h"

#include "core/detection/verdict.h"

void follow_note(struct core *core, uint32_t position)
{
    struct peer_course *course = &core->peers[position].course;

    core->following.noted += course->other_since_ms == 0;
    if (course->other_since_ms == 0 ||
        core->now_ms > course->other_seen_ms + 2 * core->timing.fresh_ms) {
        course->other_since_ms = core->now_ms;
    }
    course->other_seen_ms = core->now_ms;
    verdict_evidence_changed(core);
}

void follow_forget(struct core *core, uint32_t position)
{
    struct peer_course *course = &core->peers[position].course;

    core->following.noted -= course->other_since_ms != 0;
    course->other_since_ms = 0;
    verdict_reconsider(core, position);
}

bool follow_has_moved(const struct core *core, uint32_t position)
{
    const struct peer_course *course = &core->peers[position].course;

    return course->other_since_ms != 0 &&
           course->other_seen_ms >= course->other_since_ms + core->timing.fresh_ms;
}

void follow_note_lower(struct core *core, uint32_t position, const struct view_id *lower)
{
    struct peer_course *course = &core->peers[position].course;

    if (course->lower_since_ms == 0 || lower->version > course->lower_version ||
        core->now_ms > course->lower_seen_ms + 2 * core->timing.fresh_ms) {
        course->lower_since_ms = core->now_ms; /* It gets on, or is so anew. */
    }
    course->lower_version = lower->version;
    course->lower_seen_ms = core->now_ms;
    if (follow_is_behind(core, position)) {
        verdict_evidence_changed(core);
    }
}

void follow_note_ours(struct core *core, uint32_t position)
{
    struct peer_course *course = &core->peers[position].course;

    if (course->lower_since_ms != 0) {
        course->lower_since_ms = 0;
        verdict_reconsider(core, position);
        verdict_evidence_changed(core);
    }
}

static bool is_lower_for(const struct core *core, uint32_t position, uint64_t ms)
{
    const struct peer_course *course = &core->peers[position].course;

    return course->lower_since_ms != 0 && course->lower_seen_ms >= course->lower_since_ms + ms;
}

bool follow_is_behind(const struct core *core, uint32_t position)
{
    return is_lower_for(core, position, core->timing.fresh_ms);
}

bool follow_was_left_behind(const struct core *core, uint32_t position)
{
    return is_lower_for(core, position, core->timing.stall_ms);
}

static bool is_undecided(const struct core *core, uint32_t position)
{
    const struct peer_course *course = &core->peers[position].course;

    return course->other_since_ms != 0 && !follow_has_moved(core, position) &&
           core->now_ms < course->other_seen_ms + core->timing.fresh_ms;
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
        course->other_since_ms = other ? 0 : course->other_since_ms; /* Another than which one? */
        core->following.noted += course->other_since_ms != 0;
    }
}
