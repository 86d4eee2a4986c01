#include "core/agreement/news.h"

#include <string.h>

#include "core/state/outbox.h"

static void tell_joined(struct core *core, const struct view *former)
{
    for (uint32_t i = 0; i < core->view.member_count; i++) {
        const struct member *member = &core->view.members[i];
        if (!view_has(former, &member->id)) {
            outbox_notice_of(core, NOTICE_JOINED, member);
        }
    }
}

static void tell_gone(struct core *core, const struct member *member)
{
    struct notice *notice = outbox_notice_of(core, NOTICE_GONE, member);
    const struct gone *gone = view_find_gone(&core->view, &member->id);

    if (gone != NULL) {
        notice->gone = *gone;
        return;
    }
    /* Only a name that is back at once leaves no entry among the gone (J4). */
    notice->gone.reason = GONE_REPLACED;
    notice->gone.id = member->id;
    notice->gone.address = member->address;
    notice->gone.age = member->age;
    memcpy(notice->gone.name, member->name, sizeof notice->gone.name);
}

/* E8: the record of a member changes while it is one. */
static void tell_tags(struct core *core, const struct member *before, const struct member *now)
{
    if (!tags_equal(member_tags(before), member_tags(now))) {
        struct notice *notice = outbox_notice_of(core, NOTICE_TAGS, now);
        notice->tags_before = member_tags(before);
        notice->tags_now = member_tags(now);
    }
}

/* E7: whether it may coordinate. */
static void tell_drained(struct core *core, const struct member *before, const struct member *now)
{
    if (before->drained != now->drained) {
        outbox_notice_of(core, NOTICE_DRAINED, now)->on = now->drained;
    }
}

static bool is_back(const struct core *core, const struct gone *gone)
{
    return view_has(&core->view, &gone->id) || view_find_name(&core->view, gone->name) != VIEW_NONE;
}

/* E9: who was gone is listed no more, and is not back. A full list drops its oldest by itself. */
static void tell_forgotten(struct core *core, const struct view *before)
{
    const struct view *now = &core->view;
    uint32_t at = 0;
    uint32_t told = 0;

    for (uint32_t i = 0; i < before->gone_count && now->gone_count < GONE_MAX; i++) {
        const struct gone *gone = &before->gone[i];
        if (told == FORGOTTEN_NEWS_MAX) {
            return;
        }
        if (at < now->gone_count && id_equal(&now->gone[at].id, &gone->id)) {
            at++; /* Both lists are in one order. */
        } else if (view_find_gone(now, &gone->id) == NULL && !is_back(core, gone)) {
            struct notice *notice = outbox_notice(core, NOTICE_FORGOTTEN);
            notice->subject.id = gone->id;
            notice->subject.address = gone->address;
            notice->subject.age = gone->age;
            memcpy(notice->subject.name, gone->name, sizeof notice->subject.name);
            told++;
        }
    }
}

void news_tell_members(struct core *core, const struct installed *before)
{
    for (uint32_t i = 0; i < before->view->member_count; i++) {
        const struct member *member = &before->view->members[i];
        uint32_t position = view_find(&core->view, &member->id);
        if (position == VIEW_NONE) {
            outbox_link(core, EFFECT_LINK_CLOSE, member);
            tell_gone(core, member);
        } else {
            tell_tags(core, member, &core->view.members[position]);
            tell_drained(core, member, &core->view.members[position]);
        }
    }
    tell_forgotten(core, before->view);
    tell_joined(core, before->view);
}

static void tell_merge(struct core *core, const struct installed *before)
{
    struct view_id former = view_id_of(before->view);
    struct notice *notice = outbox_notice_of(core, NOTICE_MERGE, view_coordinator(&core->view));

    notice->parents[0] = core->view.parent;
    notice->parents[1] = core->view.merged;
    notice->apart_ms = before->apart_ms;
    notice->lost = former.lineage == core->view.merged.lineage &&
                   former.epoch == core->view.merged.epoch &&
                   id_equal(&former.coordinator, &core->view.merged.coordinator);
}

/* M8: half of the members or more, lost within T_fresh of the one before, are more than failures.
 */
static void tell_split(struct core *core, const struct view *former)
{
    uint32_t lost = 0;

    for (uint32_t i = 0; i < former->member_count; i++) {
        const struct gone *gone = view_find_gone(&core->view, &former->members[i].id);
        lost += gone != NULL && (gone->reason == GONE_FAILED || gone->reason == GONE_MOVED);
    }
    if (lost == 0) {
        return;
    }
    if (core->news.losses == 0 || core->now_ms >= core->news.last_loss_ms + core->timing.fresh_ms) {
        core->news.losses = 0;
        core->news.losses_of = former->member_count;
    }
    core->news.last_loss_ms = core->now_ms; /* Each within T_fresh of the one before. */
    bool told = 2 * core->news.losses >= core->news.losses_of && core->news.losses > 0;
    core->news.losses += lost;
    if (!told && core->news.losses_of > 2 && 2 * core->news.losses >= core->news.losses_of) {
        struct notice *notice = outbox_notice_of(core, NOTICE_SPLIT, view_coordinator(&core->view));
        notice->count = core->news.losses;
        notice->needed = core->news.losses_of;
    }
}

void news_tell_view(struct core *core, const struct installed *before)
{
    bool joined = view_is_empty(before->view);
    struct notice *notice = outbox_notice_of(core, NOTICE_VIEW, view_coordinator(&core->view));

    notice->cause = core->view.cause;
    if (core->view.cause == CAUSE_MERGE && !joined) {
        tell_merge(core, before);
    } else {
        tell_split(core, before->view);
    }
}
