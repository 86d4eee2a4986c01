/* The faults that somebody injects into a node on purpose (--faults). */
#include <assert.h>

#include "base/text.h"
#include "runtime/node/node.h"
#include "runtime/node/node_state.h"

/* Finds the node of that name: a member, or one that is gone, perhaps because of a cut. */
static bool find_target(const struct view *view, const char *name, struct node_id *id,
                        struct address *address)
{
    uint32_t position = view_find_name(view, name);

    if (position != VIEW_NONE) {
        *id = view->members[position].id;
        *address = view->members[position].address;
        return true;
    }
    for (uint32_t i = view->gone_count; i-- > 0;) {
        if (text_equal(view->gone[i].name, name)) {
            *id = view->gone[i].id;
            *address = view->gone[i].address;
            return true;
        }
    }
    return false;
}

static struct fault *fault_of(struct node *node, const char *name)
{
    struct node_id id;
    struct address address;

    return find_target(core_view(node->core), name, &id, &address)
               ? faults_of(&node->faults, &id, &address, name)
               : NULL;
}

bool node_fault_knows(const struct node *node, const char *name)
{
    struct node_id id;
    struct address address;

    return find_target(core_view(node->core), name, &id, &address);
}

bool node_fault_drop(struct node *node, const char *const *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!node_fault_knows(node, names[i])) {
            return false; /* Nothing is changed when one name is wrong. */
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        struct fault *fault = fault_of(node, names[i]);
        if (fault == NULL) {
            return false;
        }
        fault->drop = true;
    }
    return true;
}

uint32_t node_fault_count(const struct node *node)
{
    return node->faults.count;
}

struct node_fault node_fault_at(const struct node *node, uint32_t index)
{
    assert(index < node->faults.count);
    const struct fault *fault = &node->faults.items[index];

    return (struct node_fault){
        .name = fault->name, .drop = fault->drop, .delay_ms = fault->delay_ms};
}

bool node_fault_delay(struct node *node, const char *name, uint64_t delay_ms)
{
    struct fault *fault = fault_of(node, name);

    if (fault != NULL) {
        fault->delay_ms = delay_ms;
    }
    return fault != NULL;
}

void node_fault_clear(struct node *node)
{
    faults_clear(&node->faults);
}
