#include "runtime/leases/lease_page.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "runtime/host/clock.h"

enum { MEMBERS_PER_MS = 256 }; /* so many members are walked through, at most */

_Static_assert((int)DOYEN_LEASE_NAME_BYTES > (int)NAME_BYTES_MAX, "each name fits, with its zero");
_Static_assert(sizeof(struct node_id) == sizeof((struct doyen_lease_content){0}.id), "an id fits");

void lease_page_open(struct lease_page *lease, const struct config *config, struct log *log)
{
    *lease = (struct lease_page){.due_ms = NEVER_MS};
    memcpy(lease->now.name, config->name, strlen(config->name));
    lease->now.flags = guard_asks(&config->guard).advisory ? DOYEN_LEASE_ADVISORY : 0U;
    lease->now.renewal_ns = timing_round_ms(&config->timing) * CLOCK_NS_PER_MS;
    if (!page_memory_open(&lease->memory)) {
        log_line(log, LOG_WARN, "lease",
                 "the system has no sealed memory to lend (%s): GET /v1/lease answers, but there "
                 "is no lease page, and doyen run will not work; it takes Linux 5.1",
                 strerror(errno));
    } else if (lease->memory.page->clock[0] == 0 && lease->memory.page->clock[1] == 0) {
        log_line(log, LOG_WARN, "lease",
                 "/proc does not tell by which clock this process goes (boot_id, ns/time), so "
                 "doyen run and other readers of the lease page refuse it: mount /proc whole, "
                 "without ProcSubset=pid");
    }
}

/* Does `after` say no more than that the right of `before`, which is not over, ends later? */
static bool is_renewal(const struct doyen_lease_content *before,
                       const struct doyen_lease_content *after, uint64_t now_ns)
{
    const bool same_end = before->deadline_ns == after->deadline_ns;
    const bool later_end = before->deadline_ns > now_ns && after->deadline_ns > before->deadline_ns;

    return before->epoch == after->epoch && before->flags == after->flags &&
           before->lineage == after->lineage &&
           memcmp(before->id, after->id, sizeof before->id) == 0 && (same_end || later_end);
}

/* A right that others let go on, or let lapse; one that was given up is neither. */
static void note_margin(struct lease_page *lease, const struct doyen_lease_content *after,
                        uint64_t now_ns)
{
    const struct doyen_lease_content *before = &lease->now;
    const bool lapsed = before->deadline_ns <= now_ns;
    const bool same = before->epoch == after->epoch && before->lineage == after->lineage;

    if (before->deadline_ns == 0 || (after->flags & DOYEN_LEASE_WITHDRAWN) != 0 ||
        (!lapsed && (!same || after->deadline_ns <= before->deadline_ns))) {
        return;
    }
    lease_margin_note(&lease->margin, before->deadline_ns, now_ns, before->span_ns);
}

static void put(struct lease_page *lease, const struct doyen_lease_content *content,
                uint64_t now_ns)
{
    if (memcmp(&lease->now, content, sizeof *content) == 0) {
        return;
    }
    lease->change += !is_renewal(&lease->now, content, now_ns);
    note_margin(lease, content, now_ns);
    lease->now = *content;
    if (lease->memory.page != NULL) {
        page_memory_write(lease->memory.page, content);
    }
}

uint64_t lease_page_until_ms(const struct lease_page *lease, const struct core *core,
                             uint64_t now_ms)
{
    return lease->withdrawn ? 0 : core_acting_until_ms(core, now_ms);
}

static struct lease_reign reign_of(const struct core *core)
{
    const struct view *view = core_view(core);

    return (struct lease_reign){
        .epoch = view->epoch,
        .version = view->version,
        .phase = core_phase(core),
        .coordinates = !view_is_empty(view) &&
                       id_equal(&view_coordinator(view)->id, &core_self(core)->id),
        .merging = core_is_merging(core),
        .handed_over = core_has_handed_over(core)};
}

static bool is_same_reign(const struct lease_reign *a, const struct lease_reign *b)
{
    return a->epoch == b->epoch && a->version == b->version && a->phase == b->phase &&
           a->coordinates == b->coordinates && a->merging == b->merging &&
           a->handed_over == b->handed_over;
}

void lease_page_on_step(struct lease_page *lease, const struct core *core, uint64_t now_ms)
{
    const struct lease_reign reign = reign_of(core);
    const uint64_t pause_ms = 1 + core_view(core)->member_count / MEMBERS_PER_MS;

    /* Who does not coordinate does not act; to find that out costs nothing. */
    if (!reign.coordinates || !is_same_reign(&reign, &lease->reign) ||
        now_ms >= lease->looked_ms + pause_ms) {
        lease_page_update(lease, core, now_ms);
        return;
    }
    lease->due_ms = lease->looked_ms + pause_ms;
}

uint64_t lease_page_due_ms(const struct lease_page *lease)
{
    return lease->due_ms;
}

void lease_page_update(struct lease_page *lease, const struct core *core, uint64_t now_ms)
{
    const struct view *view = core_view(core);
    struct doyen_lease_content content = lease->now;

    lease->reign = reign_of(core);
    lease->looked_ms = now_ms;
    content.epoch = view->epoch;
    content.lineage = view->lineage;
    content.deadline_ns = lease_page_until_ms(lease, core, now_ms) * CLOCK_NS_PER_MS;
    content.renewal_ns = timing_round_ms(core_timing(core)) * CLOCK_NS_PER_MS;
    content.span_ns = core_acting_span_ms(core) * CLOCK_NS_PER_MS;
    content.flags = (content.flags & DOYEN_LEASE_ADVISORY) |
                    (lease->withdrawn ? DOYEN_LEASE_WITHDRAWN : 0U);
    memcpy(content.id, core_self(core)->id.bytes, sizeof content.id);
    put(lease, &content, now_ms * CLOCK_NS_PER_MS);
    lease->due_ms = content.deadline_ns == 0 ? NEVER_MS
                                             : now_ms + content.renewal_ns / CLOCK_NS_PER_MS;
}

void lease_page_close(struct lease_page *lease)
{
    struct doyen_lease_content content = lease->now;

    content.deadline_ns = 0;
    content.flags |= DOYEN_LEASE_WITHDRAWN;
    put(lease, &content, UINT64_MAX);
    page_memory_close(&lease->memory);
}

/* --- Giving it up ---------------------------------------------------------------------------- */

void lease_page_withdraw(struct lease_page *lease, const struct core *core, uint64_t now_ms)
{
    if (lease->withdrawn) {
        return;
    }
    /* What a reader may have been told last, which is no later than what the core says now. */
    lease->withdrawn_until_ms = lease->now.deadline_ns / CLOCK_NS_PER_MS;
    lease->withdrawn = true;
    for (struct lease_holder *holder = lease->first; holder != NULL; holder = holder->next) {
        lease->must_stop_count += !holder->must_stop;
        holder->must_stop = true;
    }
    lease_page_update(lease, core, now_ms);
}

bool lease_page_has_holders(const struct lease_page *lease)
{
    return lease->first != NULL;
}

void lease_page_restore(struct lease_page *lease)
{
    lease->withdrawn = false;
}

uint64_t lease_page_free_ms(const struct lease_page *lease)
{
    return lease->must_stop_count == 0 ? 0 : lease->withdrawn_until_ms;
}

void lease_page_add(struct lease_page *lease, struct lease_holder *holder)
{
    *holder = (struct lease_holder){.next = lease->first};
    if (lease->first != NULL) {
        lease->first->previous = holder;
    }
    lease->first = holder;
}

void lease_page_stopped(struct lease_page *lease, struct lease_holder *holder)
{
    if (holder->must_stop) {
        assert(lease->must_stop_count > 0);
        holder->must_stop = false;
        lease->must_stop_count--;
    }
}

void lease_page_remove(struct lease_page *lease, struct lease_holder *holder)
{
    lease_page_stopped(lease, holder);
    if (holder->previous != NULL) {
        holder->previous->next = holder->next;
    } else {
        lease->first = holder->next;
    }
    if (holder->next != NULL) {
        holder->next->previous = holder->previous;
    }
}
