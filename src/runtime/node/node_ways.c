/* What is wrong with the ways to others, as far as this node looked. */
#include "runtime/host/clock.h"
#include "runtime/node/node.h"
#include "runtime/node/node_state.h"
#include "words/address_text.h"
#include "words/way_text.h"

enum { DOWN_MS = 3000 }; /* longer than one attempt to connect takes */

/* As the view has it, or its list of those that are gone. False: neither; NULL and none. */
static bool find_subject(const struct view *view, const struct node_id *life, const char **name,
                         struct address *address)
{
    const uint32_t position = view_find(view, life);
    const struct gone *gone = position != VIEW_NONE ? NULL : view_find_gone(view, life);

    *name = position != VIEW_NONE ? view->members[position].name : gone != NULL ? gone->name : NULL;
    *address = position != VIEW_NONE ? view->members[position].address
               : gone != NULL        ? gone->address
                                     : (struct address){.family = 0};
    return *name != NULL;
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
    const char *name = NULL;
    struct address known;
    char text[WAY_TEXT_MAX];
    char where[ADDRESS_TEXT_MAX];

    if (!find_subject(core_view(node->core), life, &name, &known)) {
        name = address_text(address, where);
    }
    log_line(node->log, LOG_WARN, "way", "%s", way_text(WAY_UDP_DROPPED, name, address, text));
}

/* Of members, and while this node joins of its seeds: whom else it answers a stranger may choose.
 */
static void note_forbidden(struct node *node, const struct address *to)
{
    const struct view *view = core_view(node->core);
    const uint32_t position = view_find_address(view, to);
    char text[WAY_TEXT_MAX];
    char remedy[WAY_TEXT_MAX];
    char where[ADDRESS_TEXT_MAX];

    if ((position == VIEW_NONE && core_phase(node->core) != PHASE_JOINING) ||
        !ways_forbidden(&node->ways, to, clock_ms())) {
        return;
    }
    const char *name = position == VIEW_NONE ? address_text(to, where)
                                             : view->members[position].name;
    log_line(node->log, LOG_WARN, "way", "%s: %s", way_text(WAY_UDP_FORBIDDEN, name, to, text),
             way_remedy(WAY_UDP_FORBIDDEN, name, to, remedy));
}

/* Logged once for each seed, and once for the rest: an obstacle between this node and them does not
 * go away by itself, and must not fill the log. */
static void log_unsent(struct node *node, const struct address *to, int error)
{
    const struct address *listen = &node->config->listen;
    char text[ADDRESS_TEXT_MAX];

    if (error == UV_EAGAIN || error == UV_ECANCELED ||
        resolver_note_unsent(&node->resolver, to, error) || node->said_families ||
        address_families_meet(listen, to)) {
        return;
    }
    node->said_families = true;
    log_line(node->log, LOG_WARN, "unsent",
             "cannot send to %s: it is %s and --listen is %s: each member must be able to send to "
             "what the others advertise; listen on [::]:%u, which is both",
             address_text(to, text), address_family_text(to), address_family_text(listen),
             (unsigned)listen->port);
}

void node_note_sent(struct node *node, const struct address *to, int error)
{
    if (error == 0) {
        ways_permitted(&node->ways, to);
    } else if (error == UV_EPERM) {
        note_forbidden(node, to);
    } else {
        log_unsent(node, to, error);
    }
}

bool node_is_forbidden(const struct node *node, struct address *to)
{
    const struct ban *ban = ways_ban(&node->ways, NULL);

    if (ban != NULL) {
        *to = ban->to;
    }
    return ban != NULL;
}

/* Of the lifeline to a member, which has not come about for a while. */
static enum way_fault fault_of_tcp(const struct node *node, const struct node_id *life)
{
    const uint64_t now_ms = clock_ms();
    const uint32_t position = view_find(core_view(node->core), life);
    uint64_t since_ms = now_ms;
    const int error = position == VIEW_NONE ? 0 : links_error(&node->links, life, &since_ms);

    if (error == UV_EPERM) {
        return WAY_TCP_FORBIDDEN;
    }
    if (error == 0 || now_ms < since_ms + DOWN_MS) {
        return WAY_SOUND;
    }
    const struct watch_state watch = core_watch(node->core, position, now_ms);
    const bool is_heard = watch.on && watch.silent_ms < core_timing(node->core)->silent_ms;
    return is_heard ? WAY_TCP_DROPPED : WAY_SOUND;
}

enum way_fault node_way(const struct node *node, const struct node_id *life)
{
    const char *name = NULL;
    struct address address;

    if (find_subject(core_view(node->core), life, &name, &address) &&
        ways_ban(&node->ways, &address) != NULL) {
        return WAY_UDP_FORBIDDEN;
    }
    return ways_lack_udp(&node->ways, life) ? WAY_UDP_DROPPED : fault_of_tcp(node, life);
}
