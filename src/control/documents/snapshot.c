#include "control/documents/snapshot.h"

#include <stddef.h>

enum { SNAPSHOT_MEMBERS_PER_MS = 256 };

static uint64_t age_ms_max(const struct node *node)
{
    return core_view(node_core(node))->member_count / SNAPSHOT_MEMBERS_PER_MS;
}

bool snapshot_is_fresh(const struct snapshot *snapshot)
{
    struct node *node = snapshot->facts->node;

    return snapshot->document != NULL && snapshot->cursor == journal_cursor(node_journal(node)) &&
           snapshot->right == node_lease(node)->change &&
           node_now_ms(node) - snapshot->made_ms <= age_ms_max(node);
}

static void make(struct snapshot *snapshot)
{
    document_release(snapshot->document);
    snapshot->document = NULL;
    if (facts_collect(snapshot->facts, age_ms_max(snapshot->facts->node))) {
        snapshot->document = members_render(&snapshot->members, snapshot->facts, &snapshot->pool);
        snapshot->cursor = snapshot->facts->cursor;
        snapshot->made_ms = snapshot->facts->now_ms;
        snapshot->right = node_lease(snapshot->facts->node)->change;
    }
}

struct document *snapshot_share(struct snapshot *snapshot)
{
    if (!snapshot_is_fresh(snapshot)) {
        make(snapshot);
    }
    return snapshot->document == NULL ? NULL : document_share(snapshot->document);
}

void snapshot_deinit(struct snapshot *snapshot)
{
    document_release(snapshot->document);
    snapshot->document = NULL;
    members_deinit(&snapshot->members);
}
