/* doyen/node.h: a member on the loop of another program. It is told what happens from a handle of
 * its own, before the loop sleeps: never from within a step of the core. */
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/campaign_body.h"
#include "client/event.h"
#include "client/stamped.h"
#include "client/view.h"
#include "control/documents/snapshot.h"
#include "control/events/entry.h"
#include "control/facts/facts.h"
#include "control/text/cursor.h"
#include "doyen/lease.h"
#include "node/candidates.h"
#include "node/inbox.h"
#include "node/inside.h"
#include "node/member.h"
#include "node/settings.h"
#include "runtime/options/tag_list.h"
#include "runtime/sealing/key_file.h"
#include "words/id_text.h"
#include "words/notice_text.h"

struct doyen_node {
    struct member_process member;
    struct node_inside inside; /* what it runs with: doyend's, or its own */
    struct log own_log;
    void (*on_event)(void *user, const struct doyen_event *event);
    void (*on_stopped)(void *user, int why);
    void (*on_log)(void *user, const char *line);
    void (*on_message)(void *user, const struct doyen_message *message);
    void *user;

    uv_loop_t *loop;
    uv_prepare_t prepare;
    uv_idle_t ending; /* gives the end a turn of its own, and lets no loop sleep before it */
    struct facts facts;
    struct snapshot snapshot;
    struct inbox inbox;
    struct candidates candidates;
    struct allocator memory;
    struct lease_holder holder; /* a hand-over waits for the callback */
    uint64_t told;              /* number of the newest event that was handed on */
    bool snapshot_due;
    const struct doyen_view *view; /* of what was handed on last; NULL: none yet */

    bool starting; /* doyen_node_start has not returned: what the log says is why it fails */
    bool opened;
    bool closing;
    enum node_end end;
    int ended; /* what on_stopped gets */
    uint32_t handles_open;
    struct problem problem;
    bool is_doyend;
    struct config own_config[]; /* one; doyend has its own */
};

/* --- Telling --- */

static const struct doyen_view *make_view(struct doyen_node *node)
{
    struct document *document = snapshot_share(&node->snapshot);
    struct problem problem;
    char *text = document == NULL ? NULL : strndup(document->text, document->length);
    const struct doyen_view *view = text == NULL ? NULL : view_read(text, &node->memory, &problem);

    document_release(document);
    free(text);
    return view;
}

static void hand_on(struct doyen_node *node, const char *name, const char *json, uint64_t number,
                    const struct doyen_view *view)
{
    const struct cursor cursor = {.life = node->facts.life, .number = number};
    char resume[CURSOR_TEXT_MAX];
    struct read_event read;

    event_read(&read, name, json, view, node->view, &node->memory);
    read.event.resume = cursor_text(cursor, resume);
    node->on_event(node->user, &read.event);
    event_deinit(&read);
}

static void tell_entry(struct doyen_node *node, const struct journal_entry *entry,
                       const struct doyen_view *view)
{
    json_t *object = entry_json(entry, node->facts.life);
    char *text = object == NULL ? NULL : json_dumps(object, JSON_COMPACT);

    json_decref(object);
    if (text != NULL) {
        hand_on(node, notice_event(entry->notice.type), text, entry->cursor, view);
    }
    free(text);
}

/* Tells the events up to the newest, all with the view that holds now; whatever the callbacks bring
 * about comes in the next turn. */
static void tell_new(struct doyen_node *node)
{
    struct journal *journal = node_journal(node->member.node);
    const uint64_t newest = journal_cursor(journal);
    const struct doyen_view *view = node->told == newest && !node->snapshot_due ? NULL
                                                                                : make_view(node);

    if (view == NULL) {
        return; /* Nothing new; or no memory, and another turn may have it. */
    }
    if (node->snapshot_due) {
        node->snapshot_due = false;
        node->told = newest;
        hand_on(node, "snapshot", view->json, newest, view);
    }
    while (node->told < newest && !node->closing) {
        const struct journal_entry *entry = journal_get(journal, ++node->told);
        if (entry != NULL) {
            tell_entry(node, entry, view);
        }
    }
    doyen_view_release(node->view);
    node->view = view;
}

static bool keep_message(void *context, const struct member *from, const uint8_t *data,
                         size_t length)
{
    struct doyen_node *node = context;

    return inbox_put(&node->inbox, from, data, length);
}

static void tell_messages(struct doyen_node *node)
{
    const struct inbox_message *message;

    while (!node->closing && (message = inbox_take(&node->inbox)) != NULL) {
        node->on_message(node->user, &(struct doyen_message){.from = message->from,
                                                             .from_id = message->from_id,
                                                             .data = message->data,
                                                             .length = message->length});
    }
}

static void on_prepare(uv_prepare_t *prepare)
{
    struct doyen_node *node = prepare->data;

    if (node->closing) {
        return;
    }
    if (node->on_event != NULL) {
        tell_new(node);
    }
    if (node->on_message != NULL) {
        tell_messages(node);
    }
    if (node->holder.must_stop && !node->closing) {
        node_lease_stopped(node->member.node, &node->holder); /* It was told, and has returned. */
    }
    candidates_tell(&node->candidates, node->member.node, &node->closing);
    candidates_sweep(&node->candidates, &node->memory);
}

static void on_log(void *context, const char *line)
{
    struct doyen_node *node = context;

    if (node->starting) {
        /* The line of a failure is "TIME LEVEL EVENT: MESSAGE". */
        const char *message = strstr(line, ": ");
        (void)problem_set(&node->problem, DOYEN_E_REFUSED, "%s",
                          message == NULL ? line : message + 2);
    }
    if (node->on_log != NULL) {
        node->on_log(node->user, line);
    }
}

/* --- Closing --- */

static void free_node(struct doyen_node *node)
{
    const struct allocator memory = node->memory;

    candidates_sweep(&node->candidates, &memory);
    inbox_close(&node->inbox, &memory);
    allocator_release(&memory, node);
}

static void handle_closed(struct doyen_node *node)
{
    node->handles_open--;
    if (node->handles_open > 0) {
        return;
    }
    doyen_view_release(node->view);
    snapshot_deinit(&node->snapshot);
    facts_deinit(&node->facts);
    if (!node->starting && node->on_stopped != NULL) {
        node->on_stopped(node->user, node->ended);
    }
    free_node(node);
}

static void on_handle_closed(uv_handle_t *handle)
{
    handle_closed(handle->data);
}

static void on_member_closed(void *context)
{
    handle_closed(context);
}

static void close_node(struct doyen_node *node, int why)
{
    if (node->closing) {
        return;
    }
    node->closing = true;
    node->ended = why;
    if (node->opened) {
        candidates_remove_all(&node->candidates, node->member.node);
        if (!node->is_doyend) {
            node_lease_remove(node->member.node, &node->holder);
        }
    }
    uv_close((uv_handle_t *)&node->prepare, on_handle_closed);
    uv_close((uv_handle_t *)&node->ending, on_handle_closed);
    member_close(&node->member, on_member_closed, node);
}

static void on_ending(uv_idle_t *idle)
{
    struct doyen_node *node = idle->data;

    if (node->on_event != NULL) {
        tell_new(node); /* Its last words. */
    }
    if (node->inside.on_ending != NULL && !node->closing) {
        node->inside.on_ending(node->user, node->end);
    }
    close_node(node, node->ended);
}

static void on_end(void *context, enum node_end end)
{
    struct doyen_node *node = context;

    node->end = end;
    node->ended = end == NODE_LEFT ? 0 : DOYEN_E_TIMEOUT;
    (void)uv_idle_start(&node->ending, on_ending);
}

/* --- Starting --- */

/* A peer that hangs up must be an error of its own call. */
static bool ignores_sigpipe(void)
{
    struct sigaction action;

    return sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler != SIG_DFL;
}

static int check(const struct doyen_node_options *options, struct doyen_node_options *own,
                 struct problem *problem)
{
    if (!stamped_copy(own, sizeof *own, options)) {
        return stamped_refuse(problem, "doyen_node_options");
    }
    if ((own->allocate == NULL) != (own->release == NULL)) {
        return problem_set(
            problem, DOYEN_E_USAGE,
            "of doyen_node_options.allocate and release one is missing: give both or "
            "neither");
    }
    if (!ignores_sigpipe()) {
        return problem_set(problem, DOYEN_E_USAGE,
                           "SIGPIPE would end this process when another node hangs up: call "
                           "signal(SIGPIPE, SIG_IGN) before, or handle it");
    }
    return 0;
}

static struct doyen_node *make_node(uv_loop_t *loop, const struct doyen_node_options *options,
                                    bool is_doyend)
{
    const struct allocator memory = {
        .allocate = options->allocate, .release = options->release, .user = options->user};
    const size_t own_bytes = is_doyend ? 0 : sizeof(struct config);
    struct doyen_node *node = allocator_get(&memory, sizeof *node + own_bytes);

    if (node == NULL) {
        return NULL;
    }
    node->is_doyend = is_doyend;
    node->memory = memory;
    node->loop = loop;
    node->on_event = options->on_event;
    node->on_stopped = options->on_stopped;
    node->on_log = options->log;
    node->on_message = options->on_message;
    node->user = options->user;
    node->snapshot_due = true;
    node->starting = true;
    return node;
}

/* Opens everything. False when that failed, and the problem or doyend's log says why; what is open
 * is closed then, and the node gone, when the loop has run. */
static bool open_node(struct doyen_node *node, bool with_control)
{
    const struct node_inside *inside = &node->inside;

    (void)uv_prepare_init(node->loop, &node->prepare); /* cannot fail */
    (void)uv_idle_init(node->loop, &node->ending);     /* nor this */
    node->prepare.data = node;
    node->ending.data = node;
    node->handles_open = 3; /* these and the member */
    if (!member_open(&node->member, node->loop, inside->config, inside->ring, inside->log,
                     with_control, on_end, node)) {
        return false;
    }
    if (node->on_message != NULL &&
        !(inbox_open(&node->inbox, &node->memory) &&
          node_take_user_messages(node->member.node, keep_message, node))) {
        (void)problem_memory(&node->problem);
        return false;
    }
    facts_init(&node->facts, node->member.node);
    node->snapshot.facts = &node->facts;
    node->opened = true;
    if (!node->is_doyend) { /* Which asks for no news, and so for no time to act on them. */
        node_lease_add(node->member.node, &node->holder);
        (void)uv_prepare_start(&node->prepare, on_prepare);
        uv_unref((uv_handle_t *)&node->prepare); /* The member keeps the loop going. */
    }
    return true;
}

/* The configuration, the keys and the log of a node that is not doyend's. */
static int configure(struct doyen_node *node, const struct doyen_node_options *options,
                     struct keyring *ring, struct problem *problem)
{
    struct complaint complaint;
    const int code = settings_read(options, node->own_config, problem);
    if (code == 0 && !key_file_of(node->own_config, ring, &complaint)) {
        return problem_set(problem, DOYEN_E_USAGE, "%s", complaint.text);
    }
    log_init(&node->own_log, -1, LOG_INFO, LOG_TEXT, node->own_config->name);
    node->own_log.sink = on_log;
    node->own_log.sink_context = node;
    node->inside = (struct node_inside){
        .config = node->own_config, .ring = ring, .log = &node->own_log};
    return code;
}

/* Opens what is configured; the node is `*out`'s, or gone when the loop has run. */
static int start(struct doyen_node **out, struct doyen_node *node, bool with_control,
                 struct problem *problem)
{
    const bool opened = open_node(node, with_control);

    node->inside.ring = NULL; /* The node has them. */
    if (!opened) {
        *problem = node->problem;
        close_node(node, 0);
        return problem->code == 0 ? DOYEN_E_REFUSED : problem->code;
    }
    node->starting = false;
    *out = node;
    return 0;
}

static int start_own(struct doyen_node **out, uv_loop_t *loop,
                     const struct doyen_node_options *options, struct problem *problem)
{
    struct doyen_node *node = make_node(loop, options, false);
    struct keyring ring = {.count = 0};

    if (node == NULL) {
        return problem_memory(problem);
    }
    int code = configure(node, options, &ring, problem);
    if (code != 0) {
        free_node(node);
    } else {
        code = start(out, node, options->control != NULL, problem);
    }
    keyring_wipe(&ring);
    return code;
}

int node_start_inside(struct doyen_node **out, uv_loop_t *loop,
                      const struct doyen_node_options *options, const struct node_inside *inside)
{
    struct doyen_node *node = make_node(loop, options, true);
    struct problem problem = {.code = 0};

    *out = NULL;
    if (node == NULL) {
        log_line(inside->log, LOG_ERROR, "start", "there is not enough memory");
        return DOYEN_E_MEMORY;
    }
    node->inside = *inside;
    return start(out, node, options->control != NULL, &problem);
}

int doyen_node_start(struct doyen_node **out, uv_loop_t *loop,
                     const struct doyen_node_options *options, char why[DOYEN_NODE_WHY])
{
    struct problem problem = {.code = 0};
    struct doyen_node_options own;
    int code = check(options, &own, &problem);

    *out = NULL;
    if (code == 0) {
        code = start_own(out, loop, &own, &problem);
    }
    snprintf(why, DOYEN_NODE_WHY, "%.*s", DOYEN_NODE_WHY - 1, problem.text);
    return code;
}

/* --- Asking --- */

const struct doyen_view *doyen_node_view(struct doyen_node *node)
{
    return node->closing ? NULL : make_view(node);
}

bool doyen_node_acting(const struct doyen_node *node, struct doyen_right *right)
{
    const struct doyen_lease_content *now = node->closing ? NULL
                                                          : &node_lease(node->member.node)->now;
    const uint64_t now_ns = doyen_lease_now_ns();
    const bool acts = now != NULL && now_ns < now->deadline_ns;

    if (right != NULL) {
        *right = (struct doyen_right){.epoch = 0};
    }
    if (acts && right != NULL) {
        *right = (struct doyen_right){.epoch = now->epoch,
                                      .left_ns = now->deadline_ns - now_ns,
                                      .deadline_ns = now->deadline_ns,
                                      .advisory = (now->flags & DOYEN_LEASE_ADVISORY) != 0};
    }
    return acts;
}

/* --- Planned moves --- */

/* The position of the member that a move is about, or VIEW_NONE with `why` filled in. */
static uint32_t find_member(const struct doyen_node *node, const char *name,
                            char why[DOYEN_NODE_WHY])
{
    const struct core *core = node->closing ? NULL : node_core(node->member.node);
    const bool is_member = core != NULL && core_phase(core) == PHASE_MEMBER;
    const uint32_t position = is_member ? view_find_name(core_view(core), name) : VIEW_NONE;

    if (!is_member) {
        snprintf(why, DOYEN_NODE_WHY,
                 "this node is no member: wait for DOYEN_SNAPSHOT or "
                 "DOYEN_VIEW with itself in the view");
    } else if (position == VIEW_NONE) {
        snprintf(why, DOYEN_NODE_WHY, "there is no member %.80s: the view names them", name);
    }
    return position;
}

static void move(struct doyen_node *node, enum move_kind kind, const struct member *member)
{
    node_move(node->member.node, &(struct move){.kind = kind, .subject = member->id});
}

int doyen_node_transfer(struct doyen_node *node, const char *to, char why[DOYEN_NODE_WHY])
{
    uint32_t position = find_member(node, to == NULL ? node->inside.config->name : to, why);

    if (position == VIEW_NONE) {
        return DOYEN_E_REFUSED;
    }
    const struct core *core = node_core(node->member.node);
    position = to == NULL ? core_successor(core) : position;
    if (position == VIEW_NONE) {
        snprintf(why, DOYEN_NODE_WHY,
                 "no other member can coordinate: there is none, or each is "
                 "drained, suspected, silent or about to leave");
        return DOYEN_E_REFUSED;
    }
    const struct member *member = &core_view(core)->members[position];
    if (position != 0 && core_unfit(core, position) != UNFIT_NOT) {
        snprintf(why, DOYEN_NODE_WHY,
                 "%s cannot coordinate now: it is drained, suspected, silent, "
                 "deaf or about to leave; choose another member",
                 member->name);
        return DOYEN_E_REFUSED;
    }
    if (position != 0) {
        move(node, MOVE_TRANSFER, member);
    }
    return 0;
}

int doyen_node_drain(struct doyen_node *node, const char *name, bool drained,
                     char why[DOYEN_NODE_WHY])
{
    const uint32_t position = find_member(node, name == NULL ? node->inside.config->name : name,
                                          why);

    if (position == VIEW_NONE) {
        return DOYEN_E_REFUSED;
    }
    const struct member *member = &core_view(node_core(node->member.node))->members[position];
    if (member->drained != drained) {
        move(node, drained ? MOVE_DRAIN : MOVE_UNDRAIN, member);
    }
    return 0;
}

/* --- Tags --- */

int doyen_node_set_tags(struct doyen_node *node, const struct doyen_tag *changes, size_t count,
                        char why[DOYEN_NODE_WHY])
{
    struct complaint complaint;

    if (node->closing) {
        return 0; /* Nobody asks any more. */
    }
    struct tags tags = *node_tags(node->member.node);
    for (size_t i = 0; i < count; i++) {
        if (!(changes[i].value == NULL
                  ? tag_list_unset(&tags, changes[i].key, &complaint)
                  : tag_list_put(&tags, changes[i].key, changes[i].value, &complaint))) {
            snprintf(why, DOYEN_NODE_WHY, "%.*s", DOYEN_NODE_WHY - 1, complaint.text);
            return DOYEN_E_USAGE;
        }
    }
    node_set_tags(node->member.node, &tags);
    return 0;
}

/* --- Messages --- */

/* The member of that id, or else of that name. */
static uint32_t find_receiver(const struct doyen_node *node, const char *to,
                              char why[DOYEN_NODE_WHY])
{
    const struct view *view = node->closing ? NULL : core_view(node_core(node->member.node));
    char id[ID_TEXT_MAX];

    for (uint32_t i = 0; view != NULL && i < view->member_count; i++) {
        if (strcmp(id_text(&view->members[i].id, id), to) == 0) {
            return find_member(node, view->members[i].name, why);
        }
    }
    return find_member(node, to, why);
}

static int say_sent(enum user_sent sent, char why[DOYEN_NODE_WHY])
{
    switch (sent) {
    case USER_SENT:
        why[0] = '\0';
        return 0;
    case USER_SENT_TOO_MANY:
        snprintf(why, DOYEN_NODE_WHY,
                 "%d messages have left in this second: send fewer, or the rest later",
                 USER_SENT_PER_S);
        return DOYEN_E_BUSY;
    case USER_SENT_NOT:
        break;
    }
    snprintf(why, DOYEN_NODE_WHY, "the socket takes no more now: send it again later");
    return DOYEN_E_BUSY;
}

int doyen_node_send(struct doyen_node *node, const char *to, const void *data, size_t length,
                    char why[DOYEN_NODE_WHY])
{
    if (length > DOYEN_MESSAGE_MAX) {
        snprintf(why, DOYEN_NODE_WHY, "%zu bytes are too many for a message: send %d at most",
                 length, DOYEN_MESSAGE_MAX);
        return DOYEN_E_USAGE;
    }
    const uint32_t position = find_receiver(node, to, why);
    if (position == VIEW_NONE) {
        return DOYEN_E_REFUSED;
    }
    const struct core *core = node_core(node->member.node);
    if (id_equal(&core_view(core)->members[position].id, &core_self(core)->id)) {
        snprintf(why, DOYEN_NODE_WHY,
                 "%.80s is this node itself: call what handles its messages instead", to);
        return DOYEN_E_USAGE;
    }
    return say_sent(node_send_user_message(node->member.node, position, data, length), why);
}

/* --- Roles --- */

int doyen_node_campaign(struct doyen_node *node, const struct doyen_campaign *campaign,
                        void (*on_role)(void *user, const struct doyen_role_event *event),
                        void *user, struct doyen_candidate **out, char why[DOYEN_NODE_WHY])
{
    int code = DOYEN_E_REFUSED;

    *out = NULL;
    if (find_member(node, node->inside.config->name, why) == VIEW_NONE) {
        return code;
    }
    char *body = campaign->role == NULL ? NULL : campaign_body(campaign);
    if (body == NULL) {
        snprintf(why, DOYEN_NODE_WHY, "a campaign needs the name of a role, and texts in UTF-8");
        return DOYEN_E_USAGE;
    }
    *out = candidates_add(&node->candidates, node->member.node, &node->memory, body, &code, why);
    free(body);
    if (*out == NULL) {
        return code;
    }
    (*out)->on_role = on_role;
    (*out)->user = user;
    node_role_campaign(node->member.node, &(*out)->client);
    why[0] = '\0';
    return 0;
}

void doyen_node_resign(struct doyen_node *node, struct doyen_candidate *candidate)
{
    candidate_remove(candidate, node->member.node);
}

/* --- Looking inside: owned.c and doyend --- */

struct node *node_inside(const struct doyen_node *node)
{
    return node == NULL || node->closing ? NULL : node->member.node;
}

bool node_inside_whole(const struct doyen_node *node, struct whole *whole)
{
    return node_inside(node) != NULL && node->member.control != NULL &&
           control_whole(node->member.control, whole);
}

/* --- Leaving --- */

void doyen_node_leave(struct doyen_node *node)
{
    if (!node->closing) {
        node_leave(node->member.node);
    }
}

void doyen_node_close(struct doyen_node *node)
{
    close_node(node, 0);
}
