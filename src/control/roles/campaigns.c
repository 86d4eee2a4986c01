#include "control/roles/campaigns.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "control/roles/hung_up.h"
#include "control/text/json.h"
#include "runtime/host/clock.h"

enum {
    LINE_BYTES_MAX = 2048,
    WORD_RESIGN = 'r', /* from a client, besides DOYEN_LEASE_STOPPED */
    WORD_HOLDING = 'h',
    LAST_READ_MS = 5000, /* within which a client that was told of the end has closed */
};

enum campaign_phase {
    CAMPAIGN_OPEN,
    CAMPAIGN_ENDED,   /* its client was told so; campaigns_sweep goes on */
    CAMPAIGN_BROKEN,  /* its client reads nothing; campaigns_sweep closes the connection */
    CAMPAIGN_CLOSING, /* its client may still read, and is heard no more */
};

struct campaign {
    struct campaigns *campaigns;
    struct campaign *next;
    struct campaign *previous;
    struct role_client client;
    struct MHD_UpgradeResponseHandle *connection;
    int fd; /* the connection's, which is the library's to close */
    uv_poll_t poll;
    uv_timer_t last_read;
    enum campaign_phase phase;
};

/* --- What the client is told ----------------------------------------------------------------- */

/* A line, of which `companion` is a companion; -1: none. */
static bool send_line(const struct campaign *campaign, json_t *line, int companion)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    char text[LINE_BYTES_MAX];
    const size_t length = line == NULL ? 0 : json_dumpb(line, text, sizeof text - 1, JSON_COMPACT);
    struct iovec piece = {.iov_base = text, .iov_len = length + 1};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};

    json_decref(line);
    if (length == 0 || length > sizeof text - 1) {
        return false;
    }
    text[length] = '\n';
    if (companion >= 0) {
        control.header = (struct cmsghdr){
            .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), &companion, sizeof companion);
    }
    return sendmsg(campaign->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)piece.iov_len;
}

static const char *event_word(enum role_news_kind kind)
{
    switch (kind) {
    case ROLE_WAITS:
        return "candidate";
    case ROLE_LEADS:
        return "granted";
    case ROLE_TOKEN:
        return "token";
    case ROLE_LOST:
        return "lost";
    case ROLE_ENDED:
        return "ended";
    }
    return "?";
}

static uint64_t left_ms(uint64_t until_ms)
{
    const uint64_t now_ms = clock_ms();

    return until_ms > now_ms ? until_ms - now_ms : 0;
}

static json_t *event_json(const struct role_client *client, const struct role_event *event)
{
    const bool holds = event->kind == ROLE_LEADS || event->kind == ROLE_TOKEN;
    const bool is_end = event->kind == ROLE_LOST || event->kind == ROLE_ENDED;
    json_t *line = json_object();
    bool complete = json_put(line, "event", json_of_word(event_word(event->kind))) &&
                    json_put(line, "role", json_of_word(client->campaign.role)) &&
                    json_put(line, "number",
                             event->number == 0 ? json_null() : json_of_u64(event->number));

    if (holds) {
        complete = complete && json_put(line, "token", json_of_u64(event->token)) &&
                   json_put(line, "holding_ms", json_of_number(left_ms(event->until_ms))) &&
                   json_put(line, "value", json_of_text(client->value, strlen(client->value)));
    }
    if (event->kind == ROLE_LOST) {
        complete = complete && json_put(line, "token", json_of_u64(event->token)) &&
                   json_put(line, "stop_ms",
                            event->until_ms == NEVER_MS ? json_null()
                                                        : json_of_number(left_ms(event->until_ms)));
    }
    if (is_end) {
        complete = complete && json_put(line, "reason", json_of_word(role_end_word(event->end))) &&
                   json_put(line, "text", json_of_word(role_end_text(event->end)));
    }
    return json_finished(line, complete);
}

static void log_event(const struct campaign *campaign, const struct role_event *event)
{
    struct log *log = campaign->campaigns->log;
    const char *role = campaign->client.campaign.role;

    if (event->kind == ROLE_LEADS || event->kind == ROLE_TOKEN) {
        log_line(log, LOG_INFO, "role", "%s: %s token=%" PRIu64, role, event_word(event->kind),
                 event->token);
    } else if (event->kind == ROLE_LOST) {
        log_line(log, LOG_INFO, "role", "%s: lost token=%" PRIu64 " reason=%s", role, event->token,
                 role_end_word(event->end));
    }
}

/* Inside of a step, mostly: what ends the campaign is left to campaigns_sweep. A client that does
 * not read while hundreds of events happen is given up. */
static void on_event(struct role_client *client, const struct role_event *event)
{
    struct campaign *campaign = client->owner;

    log_event(campaign, event);
    if (campaign->phase != CAMPAIGN_OPEN) {
        return;
    }
    if (!send_line(campaign, event_json(client, event), -1)) {
        campaign->phase = CAMPAIGN_BROKEN;
    } else if (event->kind == ROLE_ENDED) {
        campaign->phase = CAMPAIGN_ENDED;
    }
}

/* The first line. The page, which says nothing yet, comes with it. */
static bool send_head(const struct campaign *campaign)
{
    const struct role_client *client = &campaign->client;
    const struct config *config = node_config(campaign->campaigns->node);
    json_t *line = json_object();
    const bool complete =
        json_put(line, "event", json_of_word("campaign")) &&
        json_put(line, "role", json_of_word(client->campaign.role)) &&
        json_put(line, "member", json_of_word(config->name)) &&
        json_put(line, "request", json_of_id(&client->campaign.request)) &&
        json_put(line, "advisory", json_boolean(guard_asks(&config->guard).advisory)) &&
        json_put(line, "span_ms",
                 json_of_number(role_clients_span_ms(node_roles(campaign->campaigns->node)))) &&
        json_put(line, "renewal_ms",
                 json_of_number(core_timing(node_core(campaign->campaigns->node))->heartbeat_ms));

    return send_line(campaign, json_finished(line, complete), client->memory.fd);
}

/* For who cannot read the page: what it says now. */
static bool send_holding(const struct campaign *campaign)
{
    const struct role_client *client = &campaign->client;
    const bool holds = client->state == ROLE_CLIENT_HOLDS;
    json_t *line = json_object();
    const bool complete = json_put(line, "event", json_of_word("holding")) &&
                          json_put(line, "role", json_of_word(client->campaign.role)) &&
                          json_put(line, "token", json_of_u64(client->token)) &&
                          json_put(line, "holding_ms",
                                   json_of_number(holds ? left_ms(client->until_ms) : 0));

    return send_line(campaign, json_finished(line, complete), -1);
}

/* --- Its connection -------------------------------------------------------------------------- */

static void on_timer_closed(uv_handle_t *handle)
{
    free(handle->data);
}

static void on_poll_closed(uv_handle_t *handle)
{
    struct campaign *campaign = handle->data;

    uv_close((uv_handle_t *)&campaign->last_read, on_timer_closed);
}

/* The library closes the socket in its next run, so the loop must have let go of it before. */
static void campaign_close(struct campaign *campaign)
{
    struct campaigns *campaigns = campaign->campaigns;

    (void)uv_timer_stop(&campaign->last_read);
    (void)uv_poll_stop(&campaign->poll);
    uv_close((uv_handle_t *)&campaign->poll, on_poll_closed);
    if (campaign->previous != NULL) {
        campaign->previous->next = campaign->next;
    } else {
        campaigns->first = campaign->next;
    }
    if (campaign->next != NULL) {
        campaign->next->previous = campaign->previous;
    }
    campaigns->count--;
    campaigns->woken = true;
    (void)MHD_upgrade_action(campaign->connection, MHD_UPGRADE_ACTION_CLOSE);
}

/* It is no candidate any more. */
static void campaign_withdraw(struct campaign *campaign)
{
    if (campaign->phase != CAMPAIGN_CLOSING) {
        campaign->phase = CAMPAIGN_CLOSING;
        node_role_remove(campaign->campaigns->node, &campaign->client);
    }
}

static void campaign_end(struct campaign *campaign)
{
    campaign_withdraw(campaign);
    campaign_close(campaign);
}

static void on_last_read(uv_timer_t *timer)
{
    campaign_end(timer->data);
}

/* The client is left the time to read why its campaign has ended: if it asked something of a
 * connection that is closed, it would meet that error first, and might read no further. */
static void campaign_let_read(struct campaign *campaign)
{
    campaign_withdraw(campaign);
    (void)shutdown(campaign->fd, SHUT_WR);
    (void)uv_timer_start(&campaign->last_read, on_last_read, LAST_READ_MS, 0);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    struct campaign *campaign = poll->data;
    struct node *node = campaign->campaigns->node;
    char words[64];
    const ssize_t count = status < 0 ? 0 : recv(campaign->fd, words, sizeof words, MSG_DONTWAIT);

    (void)events;
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (count <= 0) {
        campaign_end(campaign);
        return;
    }
    if (campaign->phase == CAMPAIGN_CLOSING) {
        return;
    }
    if (memchr(words, DOYEN_LEASE_STOPPED, (size_t)count) != NULL) {
        node_role_stopped(node, &campaign->client);
    }
    if (memchr(words, WORD_RESIGN, (size_t)count) != NULL) {
        node_role_resign(node, &campaign->client);
    }
    if (memchr(words, WORD_HOLDING, (size_t)count) != NULL && campaign->phase == CAMPAIGN_OPEN &&
        !send_holding(campaign)) {
        campaign_end(campaign);
    }
}

static void campaign_link(struct campaign *campaign)
{
    struct campaigns *campaigns = campaign->campaigns;

    campaign->next = campaigns->first;
    if (campaigns->first != NULL) {
        campaigns->first->previous = campaign;
    }
    campaigns->first = campaign;
    campaigns->count++;
}

/* A role's terms, and places, are not those of clients that have gone. */
static void campaigns_reap(struct campaigns *campaigns)
{
    for (struct campaign *campaign = campaigns->first, *next; campaign != NULL; campaign = next) {
        next = campaign->next;
        if (has_hung_up(campaign->fd)) {
            campaign_end(campaign);
        }
    }
}

bool campaigns_have_room(struct campaigns *campaigns)
{
    if (campaigns->count >= CAMPAIGNS_MAX) {
        campaigns_reap(campaigns);
    }
    return campaigns->count < CAMPAIGNS_MAX;
}

bool campaigns_start(struct campaigns *campaigns, const struct campaign_request *request,
                     MHD_socket fd, struct MHD_UpgradeResponseHandle *connection)
{
    struct campaign *campaign = calloc(1, sizeof *campaign);

    campaigns_reap(campaigns);
    if (campaign == NULL || campaigns->count >= CAMPAIGNS_MAX ||
        uv_poll_init(campaigns->loop, &campaign->poll, fd) != 0) {
        free(campaign);
        return false;
    }
    campaign->campaigns = campaigns;
    campaign->connection = connection;
    campaign->fd = fd;
    campaign->poll.data = campaign;
    campaign->last_read.data = campaign;
    (void)uv_timer_init(campaigns->loop, &campaign->last_read);
    campaign_link(campaign);
    campaign->client.owner = campaign;
    campaign->client.on_event = on_event;
    campaign_request_fill(request, role_clients_span_ms(node_roles(campaigns->node)),
                          &campaign->client);
    node_role_add(campaigns->node, &campaign->client);
    (void)uv_poll_start(&campaign->poll, UV_READABLE | UV_DISCONNECT, on_readable);
    if (send_head(campaign)) {
        node_role_campaign(campaigns->node, &campaign->client);
    } else {
        campaign->phase = CAMPAIGN_BROKEN;
    }
    return true;
}

/* --- All of them ----------------------------------------------------------------------------- */

uint32_t campaigns_resign(struct campaigns *campaigns, const char *role)
{
    uint32_t count = 0;

    for (struct campaign *campaign = campaigns->first; campaign != NULL;
         campaign = campaign->next) {
        if (campaign->phase == CAMPAIGN_OPEN && text_equal(campaign->client.campaign.role, role)) {
            node_role_resign(campaigns->node, &campaign->client);
            count++;
        }
    }
    return count;
}

uint32_t campaigns_set_value(struct campaigns *campaigns, const struct campaign_value *value)
{
    uint32_t count = 0;

    for (struct campaign *campaign = campaigns->first; campaign != NULL;
         campaign = campaign->next) {
        struct role_client *client = &campaign->client;
        char request[ID_TEXT_MAX];
        if (campaign->phase == CAMPAIGN_OPEN && text_equal(client->campaign.role, value->role) &&
            (value->request[0] == '\0' ||
             text_equal(value->request, id_text(&client->campaign.request, request)))) {
            memcpy(client->value, value->value, sizeof client->value);
            count++;
        }
    }
    return count;
}

void campaigns_sweep(struct campaigns *campaigns)
{
    for (struct campaign *campaign = campaigns->first, *next; campaign != NULL; campaign = next) {
        next = campaign->next;
        if (campaign->phase == CAMPAIGN_ENDED) {
            campaign_let_read(campaign);
        } else if (campaign->phase == CAMPAIGN_BROKEN) {
            campaign_end(campaign);
        }
    }
}

void campaigns_close(struct campaigns *campaigns)
{
    while (campaigns->first != NULL) {
        campaign_end(campaigns->first);
    }
}
