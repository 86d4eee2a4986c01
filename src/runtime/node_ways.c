/* What is wrong with the ways to others, as far as this node looked. */
#include "runtime/clock.h"
#include "runtime/node.h"
#include "runtime/node_state.h"
#include "words/address_text.h"
#include "words/way_text.h"

enum { DOWN_MS = 3000 }; /* longer than one attempt to connect takes */

/* As the view has it, or its list of those that are gone; NULL: neither. */
static const char *name_of(const struct view *view, const struct node_id *life)
{
    const uint32_t position = view_find(view, life);
    const struct gone *gone = view_find_gone(view, life);

    return position != VIEW_NONE ? view->members[position].name : gone != NULL ? gone->name : NULL;
}

void node_look_at_way(struct node *node, const struct notice *notice)
{
    const struct subject *subject = &notice->subject;

    if (notice->type == NOTICE_SUSPECT && notice->verdict == VERDICT_STALLED &&
        !node_is_cut(node, &subject->id, &subject->address)) {
        ways_ask(&node->ways, &subject->id, &subject->address);
    }
}

void node_on_way_found(void *context, const struct node_id *life, const struct address *address)
{
    struct node *node = context;
    const char *name = name_of(core_view(node->core), life);
    char text[WAY_TEXT_MAX];
    char where[ADDRESS_TEXT_MAX];

    log_line(node->log, LOG_WARN, "way", "%s",
             way_text(WAY_UDP_DROPPED, name == NULL ? address_text(address, where) : name, address,
                      text));
}

/* Is it a member that is heard, while no connection to it has come about for a while? */
static bool lacks_tcp(const struct node *node, const struct node_id *life)
{
    const uint64_t now_ms = clock_ms();
    const uint32_t position = view_find(core_view(node->core), life);
    uint64_t since_ms = now_ms;
    const int error = position == VIEW_NONE ? 0 : links_error(&node->links, life, &since_ms);

    if (error == 0 || now_ms < since_ms + DOWN_MS) {
        return false;
    }
    const struct watch_state watch = core_watch(node->core, position, now_ms);
    return watch.on && watch.silent_ms < core_timing(node->core)->silent_ms;
}

enum way_fault node_way(const struct node *node, const struct node_id *life)
{
    return ways_lack_udp(&node->ways, life) ? WAY_UDP_DROPPED
           : lacks_tcp(node, life)          ? WAY_TCP_DROPPED
                                            : WAY_SOUND;
}
