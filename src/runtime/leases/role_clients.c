#include "runtime/leases/role_clients.h"

#include <assert.h>
#include <string.h>
#include <sys/random.h>

#include "runtime/host/clock.h"

/* --- Words ----------------------------------------------------------------------------------- */

static const struct {
    const char *word;
    const char *text;
} ends[] = {
    [ROLE_END_NONE] = {"", ""},
    [ROLE_END_LAPSED] = {"lapsed", "no answer of a coordinator came in time"},
    [ROLE_END_REVOKED] = {"revoked", "another candidate is to hold it"},
    [ROLE_END_MERGED] = {"merged", "this part of the cluster was taken up by another"},
    [ROLE_END_LEAVING] = {"leaving", "this node leaves"},
    [ROLE_END_LIFE_OVER] = {"life_over", "this node is no member any more"},
    [ROLE_END_NO_MEMBER] = {"no_member", "this node is no member, or about to leave"},
    [ROLE_END_MANY] = {"many", "there are as many candidates or roles as may be"},
    [ROLE_END_TERMS] = {"terms", "the role's first candidate has set other terms"},
    [ROLE_END_RESIGNED] = {"resigned", "it resigned"},
};

const char *role_end_word(enum role_end end)
{
    return ends[end].word;
}

const char *role_end_text(enum role_end end)
{
    return ends[end].text;
}

static enum role_end end_of(enum role_reason reason)
{
    switch (reason) {
    case ROLE_NOT_LOST:
        return ROLE_END_NONE;
    case ROLE_LAPSED:
        return ROLE_END_LAPSED;
    case ROLE_REVOKED:
        return ROLE_END_REVOKED;
    case ROLE_MERGED:
        return ROLE_END_MERGED;
    case ROLE_LEAVING:
        return ROLE_END_LEAVING;
    case ROLE_LIFE_OVER:
        return ROLE_END_LIFE_OVER;
    case ROLE_NO_MEMBER:
        return ROLE_END_NO_MEMBER;
    case ROLE_MANY:
        return ROLE_END_MANY;
    case ROLE_TERMS:
        return ROLE_END_TERMS;
    }
    return ROLE_END_NONE;
}

/* --- The page -------------------------------------------------------------------------------- */

static bool is_strict(const struct role_clients *clients)
{
    return clients->config->guard.policy == GUARD_STRICT;
}

uint64_t role_clients_span_ms(const struct role_clients *clients)
{
    return timing_held_ms(core_timing(clients->core), is_strict(clients));
}

/* A reader compares the token by which it acts, so that the page of a role has it where the page of
 * a coordinator has the epoch. The span is that of now: terms may have changed since it was opened,
 * and who holds waits for no longer lease than it can get. */
static void write_page(const struct role_clients *clients, struct role_client *client)
{
    const bool holds = client->state == ROLE_CLIENT_HOLDS;
    struct doyen_lease_content content = client->now;

    content.span_ns = role_clients_span_ms(clients) * CLOCK_NS_PER_MS;
    content.renewal_ns = core_timing(clients->core)->heartbeat_ms * CLOCK_NS_PER_MS;
    content.epoch = client->token;
    content.deadline_ns = holds ? client->until_ms * CLOCK_NS_PER_MS : 0;
    content.lineage = core_view(clients->core)->lineage;
    content.flags = (content.flags & DOYEN_LEASE_ADVISORY) |
                    (client->state == ROLE_CLIENT_STOPS ? DOYEN_LEASE_WITHDRAWN : 0U) |
                    (client->resigns_for == ROLE_END_RESIGNED ? DOYEN_LEASE_RESIGNED : 0U);
    memcpy(content.id, core_self(clients->core)->id.bytes, sizeof content.id);
    if (memcmp(&content, &client->now, sizeof content) == 0) {
        return;
    }
    client->now = content;
    if (client->memory.page != NULL) {
        page_memory_write(client->memory.page, &content);
    }
}

static void open_page(const struct role_clients *clients, struct role_client *client)
{
    const struct config *config = clients->config;

    (void)page_memory_open(&client->memory);
    client->now = (struct doyen_lease_content){
        .flags = guard_asks(&config->guard).advisory ? DOYEN_LEASE_ADVISORY : 0U};
    memcpy(client->now.name, config->name, strlen(config->name));
    write_page(clients, client);
}

/* --- What a client hears --------------------------------------------------------------------- */

/* The page says so first. */
static void tell(const struct role_clients *clients, struct role_client *client,
                 enum role_news_kind kind, enum role_end end)
{
    const struct role_event event = {.kind = kind,
                                     .end = end,
                                     .number = client->number,
                                     .token = client->token,
                                     .until_ms = kind == ROLE_LOST ? client->stop_ms
                                                                   : client->until_ms};

    write_page(clients, client);
    client->on_event(client, &event);
}

static void lose(struct role_clients *clients, struct role_client *client, enum role_end end,
                 uint64_t now_ms)
{
    client->state = ROLE_CLIENT_STOPS;
    client->stop_ms = is_strict(clients) ? NEVER_MS : now_ms + client->campaign.grace_ms;
    clients->lost++;
    tell(clients, client, ROLE_LOST, end);
}

static void end(struct role_clients *clients, struct role_client *client, enum role_end why,
                uint64_t now_ms)
{
    if (client->state == ROLE_CLIENT_HOLDS) {
        lose(clients, client, why, now_ms);
    }
    client->state = ROLE_CLIENT_ENDED;
    tell(clients, client, ROLE_ENDED, why);
}

static struct role_client *find(const struct role_clients *clients, const struct node_id *request)
{
    for (struct role_client *client = clients->first; client != NULL; client = client->next) {
        if (id_equal(&client->campaign.request, request)) {
            return client;
        }
    }
    return NULL;
}

static uint64_t held_until_ms(const struct role_clients *clients, const struct role_client *client)
{
    struct own_role own[ROLE_OWN_MAX];
    const uint32_t count = core_own_roles(clients->core, own);

    for (uint32_t i = 0; i < count; i++) {
        if (id_equal(&own[i].request, &client->campaign.request)) {
            return own[i].until_ms;
        }
    }
    return 0;
}

void role_clients_on_news(struct role_clients *clients, const struct role_news *news,
                          uint64_t now_ms)
{
    struct role_client *client = find(clients, &news->request);

    if (client == NULL || client->state == ROLE_CLIENT_ENDED) {
        return;
    }
    client->number = news->number != 0 ? news->number : client->number;
    switch (news->kind) {
    case ROLE_WAITS:
        if (client->state == ROLE_CLIENT_NEW || client->state == ROLE_CLIENT_WAITS) {
            client->state = ROLE_CLIENT_WAITS;
            tell(clients, client, ROLE_WAITS, ROLE_END_NONE);
        }
        return;
    case ROLE_LEADS:
    case ROLE_TOKEN:
        client->token = news->token;
        if (!client->resigns) {
            clients->granted += news->kind == ROLE_LEADS;
            client->state = ROLE_CLIENT_HOLDS;
            client->until_ms = held_until_ms(clients, client);
            tell(clients, client, news->kind, ROLE_END_NONE);
        }
        return;
    case ROLE_LOST:
        if (client->state == ROLE_CLIENT_HOLDS) {
            lose(clients, client, end_of(news->reason), now_ms);
        }
        return;
    case ROLE_ENDED:
        end(clients, client, end_of(news->reason), now_ms);
        return;
    }
}

static void write_pages(const struct role_clients *clients)
{
    struct own_role own[ROLE_OWN_MAX];
    const uint32_t count = core_own_roles(clients->core, own);

    for (uint32_t i = 0; i < count; i++) {
        struct role_client *client = own[i].until_ms == 0 ? NULL : find(clients, &own[i].request);
        if (client != NULL && client->state == ROLE_CLIENT_HOLDS) {
            client->until_ms = own[i].until_ms;
            write_page(clients, client);
        }
    }
}

void role_clients_on_step(struct role_clients *clients)
{
    if (clients->first != NULL) {
        write_pages(clients);
    }
}

/* --- What a client does ---------------------------------------------------------------------- */

static void command(const struct role_clients *clients, const struct role_client *client,
                    enum role_wish wish)
{
    struct role_command wanted = client->campaign;

    wanted.wish = wish;
    clients->command(clients->context, &wanted);
}

void role_clients_add(struct role_clients *clients, struct role_client *client)
{
    struct node_id *request = &client->campaign.request;

    /* Where the system has no randomness yet, an address in memory and the clock tell two apart. */
    if (getrandom(request, sizeof *request, GRND_NONBLOCK) != (ssize_t)sizeof *request) {
        const uint64_t now_ns = clock_ns();
        memcpy(request->bytes, &client, sizeof client);
        memcpy(request->bytes + sizeof client, &now_ns, sizeof now_ns);
    }
    client->state = ROLE_CLIENT_NEW;
    client->next = clients->first;
    client->previous = NULL;
    if (clients->first != NULL) {
        clients->first->previous = client;
    }
    clients->first = client;
    clients->count++;
    open_page(clients, client);
}

void role_clients_campaign(struct role_clients *clients, struct role_client *client)
{
    command(clients, client, ROLE_CAMPAIGN);
}

void role_clients_remove(struct role_clients *clients, struct role_client *client)
{
    const bool stands = client->state != ROLE_CLIENT_ENDED;

    assert(clients->count > 0);
    client->state = ROLE_CLIENT_ENDED;
    if (client->previous != NULL) {
        client->previous->next = client->next;
    } else {
        clients->first = client->next;
    }
    if (client->next != NULL) {
        client->next->previous = client->previous;
    }
    clients->count--;
    write_page(clients, client);
    page_memory_close(&client->memory);
    if (stands) {
        command(clients, client, ROLE_RESIGN);
    }
}

/* It has stopped, or is taken to have. */
static void let_go(struct role_clients *clients, struct role_client *client)
{
    if (!client->resigns) {
        client->state = ROLE_CLIENT_WAITS;
        write_page(clients, client);
        command(clients, client, ROLE_DONE);
        return;
    }
    client->state = ROLE_CLIENT_ENDED;
    command(clients, client, ROLE_RESIGN);
    tell(clients, client, ROLE_ENDED, client->resigns_for);
}

void role_clients_stopped(struct role_clients *clients, struct role_client *client)
{
    if (client->state == ROLE_CLIENT_STOPS) {
        let_go(clients, client);
    }
}

void role_clients_resign(struct role_clients *clients, struct role_client *client,
                         enum role_end why)
{
    if (client->resigns || client->state == ROLE_CLIENT_ENDED) {
        return;
    }
    client->resigns = true;
    client->resigns_for = why;
    if (client->state == ROLE_CLIENT_HOLDS) {
        lose(clients, client, why, clock_ms());
    } else if (client->state != ROLE_CLIENT_STOPS) {
        let_go(clients, client);
    }
}

void role_clients_resign_all(struct role_clients *clients, enum role_end why)
{
    for (struct role_client *client = clients->first, *next; client != NULL; client = next) {
        next = client->next;
        role_clients_resign(clients, client, why);
    }
}

/* It was told to stop, for good. */
static bool is_going(const struct role_client *client)
{
    return client->state == ROLE_CLIENT_STOPS && client->resigns;
}

/* Whoever goes by the page stops when its lease would have ended, at the latest. */
uint64_t role_clients_free_ms(const struct role_clients *clients)
{
    uint64_t free_ms = 0;

    for (const struct role_client *client = clients->first; client != NULL; client = client->next) {
        if (is_going(client)) {
            const uint64_t stop_ms = client->stop_ms != NEVER_MS ? client->stop_ms
                                                                 : client->until_ms;
            free_ms = stop_ms > free_ms ? stop_ms : free_ms;
        }
    }
    return free_ms;
}

uint64_t role_clients_due_ms(const struct role_clients *clients)
{
    uint64_t due_ms = NEVER_MS;

    for (const struct role_client *client = clients->first; client != NULL; client = client->next) {
        if (is_going(client) && client->stop_ms < due_ms) {
            due_ms = client->stop_ms;
        }
    }
    return due_ms;
}

void role_clients_tick(struct role_clients *clients, uint64_t now_ms)
{
    for (struct role_client *client = clients->first, *next; client != NULL; client = next) {
        next = client->next;
        if (is_going(client) && now_ms >= client->stop_ms) {
            let_go(clients, client);
        }
    }
}
