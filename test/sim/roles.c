#include "roles.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "liar.h"
#include "oracle_parts.h"
#include "trace.h"

enum {
    ROLES = 4,
    CLIENTS = 5,        /* of each host; the last one stands for the first role, too */
    STOP_MS_MAX = 400,  /* until a client that has lost has stopped, */
    HANG_MS = 4000,     /* or one that hangs */
    REST_MS_MAX = 4000, /* between what a client does by itself */
    SETTLE_ROUNDS = 3,
};

/* What the clients of one role agree on. */
static const struct role_terms ROLE_TERMS_OF[ROLES] = {
    {.policy = ROLE_FIRST, .holders = 1},
    {.policy = ROLE_PRIORITY, .holders = 1, .preempt = true},
    {.policy = ROLE_OLDEST, .holders = 2},
    {.policy = ROLE_PRIORITY, .holders = 1, .preempt = true, .preempt_after_ms = 1500},
};
static const char *const ROLE_NAMES[ROLES] = {"first", "priority", "oldest", "late"};

enum client_state {
    CLIENT_IDLE,
    CLIENT_STANDS,
    CLIENT_LEADS,
    CLIENT_STOPS, /* it was told that it lost */
};

struct client {
    enum client_state state;
    struct node_id request;
    uint64_t token;
    uint64_t number;
};

/* Of one role. */
struct role_memory {
    uint64_t token;     /* the highest that was ever granted */
    uint64_t excess_us; /* since when too many hold it in one part; 0: they do not */
};

struct roles {
    struct random random;
    bool calm;
    struct role_memory memories[ROLES];
    struct client clients[]; /* CLIENTS of each host */
};

static uint32_t role_of(uint64_t client)
{
    return (uint32_t)(client % ROLES);
}

static struct client *client_at(struct sim *sim, const struct host *host, uint64_t client)
{
    return &sim->roles->clients[host_index(sim, host) * CLIENTS + client];
}

void roles_init(struct sim *sim)
{
    if (!sim->options.roles) {
        return;
    }
    sim->roles = calloc(1, sizeof *sim->roles +
                               sim->node_count * CLIENTS * sizeof sim->roles->clients[0]);
    assert(sim->roles != NULL);
    random_seed(&sim->roles->random, sim->options.seed ^ UINT64_C(0x524f4c4553));
}

void roles_free(struct sim *sim)
{
    free(sim->roles);
}

/* --- What clients do --- */

static void do_later(struct sim *sim, struct host *host, uint64_t client, uint64_t ms)
{
    struct pending *pending = process_pending(sim, host, PENDING_ROLE);

    pending->ticket = client;
    queue_push(&sim->queue, sim->now_us + ms * US_PER_MS, pending);
}

static void rest(struct sim *sim, struct host *host, uint64_t client)
{
    do_later(sim, host, client, 50 + random_below(&sim->roles->random, REST_MS_MAX));
}

void roles_on_start(struct sim *sim, struct host *host)
{
    for (uint64_t i = 0; sim->roles != NULL && i < CLIENTS; i++) {
        *client_at(sim, host, i) = (struct client){.state = CLIENT_IDLE};
        rest(sim, host, i);
    }
}

static void command(struct sim *sim, struct host *host, uint64_t index, enum role_wish wish)
{
    const struct client *client = client_at(sim, host, index);
    struct role_command role = {.wish = wish,
                                .request = client->request,
                                .terms = ROLE_TERMS_OF[role_of(index)],
                                .priority = host_index(sim, host),
                                .grace_ms = STOP_MS_MAX / 2};

    memcpy(role.role, ROLE_NAMES[role_of(index)], strlen(ROLE_NAMES[role_of(index)]));
    host_step(sim, host, &(struct event){.type = EVENT_ROLE, .role = &role});
}

static void stand(struct sim *sim, struct host *host, uint64_t index)
{
    struct client *client = client_at(sim, host, index);
    bool again = random_below(&sim->roles->random, 4) == 0 && !id_is_none(&client->request);

    if (!again) { /* Otherwise under the request of before, which has ended. */
        client->request = id_draw(&sim->roles->random);
    }
    client->state = CLIENT_STANDS;
    client->number = 0;
    command(sim, host, index, ROLE_CAMPAIGN);
}

void roles_on_due(struct sim *sim, struct host *host, uint64_t index)
{
    struct client *client = client_at(sim, host, index);
    uint64_t chance = random_below(&sim->roles->random, 8);

    if (client->state == CLIENT_STOPS) {
        client->state = CLIENT_STANDS;
        rest(sim, host, index);
        command(sim, host, index, ROLE_DONE);
        return;
    }
    rest(sim, host, index);
    if (client->state == CLIENT_IDLE) {
        if (sim->roles->calm || chance != 0) {
            stand(sim, host, index);
        }
    } else if (!sim->roles->calm && chance < 2) {
        client->state = CLIENT_IDLE; /* Killed, and its connection closed. */
        client->token = 0;
        command(sim, host, index, ROLE_RESIGN);
    } else if (chance == 2) { /* Its connection is new, and it asks again. */
        command(sim, host, index, ROLE_CAMPAIGN);
    }
}

/* --- What they hear --- */

/* Where one alone may hold, whoever has other voters, or none, holds beside them. */
static bool is_of_another_cluster(const struct sim *sim, const struct host *host)
{
    return sim->options.exclusive && !host_is_exclusive(sim, host);
}

/* As S10: its epochs may be those of a history of which nothing was left (Z18b). */
static bool goes_on_below(struct sim *sim, const struct host *host)
{
    const struct history *history = oracle_history(&sim->oracle, host->witness.view.lineage);

    return history != NULL && history->below;
}

static void check_token(struct sim *sim, struct host *host, uint32_t role, struct client *client,
                        uint64_t token)
{
    struct role_memory *memory = &sim->roles->memories[role];
    const uint64_t former = client->token;

    if (token < former) {
        oracle_fail(sim, host, "S19: the token of %s falls from %" PRIu64 " to %" PRIu64,
                    ROLE_NAMES[role], former, token);
    }
    client->token = token;
    /* A liar's is no token. Where a false word made voters skip a lease, two coordinators may have
     * drawn theirs at once. */
    if (liar_named(sim, token) || sim->now_us < sim->oracle.released_us || sim->oracle.apart ||
        is_of_another_cluster(sim, host) || goes_on_below(sim, host)) {
        return;
    }
    /* Of several holders the later grant may be heard of first. */
    if (sim->options.exclusive && ROLE_TERMS_OF[role].holders == 1 && token != former &&
        token <= memory->token) {
        oracle_fail(sim, host,
                    "S19: %s is held with token %" PRIu64 " after token %" PRIu64 " was given",
                    ROLE_NAMES[role], token, memory->token);
    }
    memory->token = token > memory->token ? token : memory->token;
}

static void on_lost(struct sim *sim, struct host *host, uint64_t index)
{
    uint64_t chance = random_below(&sim->roles->random, 16);

    client_at(sim, host, index)->state = CLIENT_STOPS;
    do_later(sim, host, index,
             chance == 0 ? HANG_MS : random_below(&sim->roles->random, STOP_MS_MAX));
}

void roles_on_news(struct sim *sim, struct host *host, const struct role_news *news)
{
    struct client *client = NULL;
    uint64_t index = 0;

    if (sim->roles == NULL) {
        return; /* of a story that stands by itself */
    }
    for (uint64_t i = 0; i < CLIENTS; i++) {
        if (id_equal(&client_at(sim, host, i)->request, &news->request)) {
            client = client_at(sim, host, i);
            index = i;
        }
    }
    if (client == NULL || client->state == CLIENT_IDLE) {
        oracle_fail(sim, host, "K7d: nobody is told that he leads, or has lost");
        return;
    }
    switch (news->kind) {
    case ROLE_WAITS:
        client->number = news->number;
        break;
    case ROLE_LEADS:
    case ROLE_TOKEN:
        check_token(sim, host, role_of(index), client, news->token);
        client->state = CLIENT_LEADS;
        break;
    case ROLE_LOST:
        if (client->state != CLIENT_LEADS) {
            oracle_fail(sim, host, "K7d: loses %s without holding it", ROLE_NAMES[role_of(index)]);
        }
        on_lost(sim, host, index);
        break;
    case ROLE_ENDED:
        client->state = CLIENT_IDLE;
        client->token = 0;
        break;
    }
}

/* --- What must hold at every instant --- */

/* Does that host's client of that index hold its role now, by its own clock? */
static bool holds(const struct sim *sim, const struct host *host, uint32_t role, uint32_t *count)
{
    struct own_role own[ROLE_OWN_MAX];
    uint32_t many = host->running ? core_own_roles(host->core, own) : 0;

    for (uint32_t i = 0; i < many; i++) {
        *count += strcmp(own[i].role, ROLE_NAMES[role]) == 0 &&
                  host_now_ms(sim, host) < own[i].until_ms;
    }
    return many > 0;
}

/* S18: of all hosts, by the true time. */
static void check_exclusion(struct sim *sim, struct host *host, uint32_t role)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < sim->node_count; i++) {
        if (!is_of_another_cluster(sim, &sim->hosts[i])) {
            (void)holds(sim, &sim->hosts[i], role, &count);
        }
    }
    if (count > ROLE_TERMS_OF[role].holders && !sim->oracle.apart) {
        oracle_fail(sim, host, "S18: %u hold %s at one instant", count, ROLE_NAMES[role]);
    }
}

/* Too many, among those who follow this acting coordinator in its own view of them? */
static bool has_excess(const struct sim *sim, const struct host *host, uint32_t role)
{
    const struct view *view = core_view(host->core);
    uint32_t count = 0;

    for (uint32_t i = 0; i < sim->node_count; i++) {
        const struct host *other = &sim->hosts[i];
        bool runs = other->running && !other->paused;
        if (runs && view_has(view, &core_self(other->core)->id) &&
            core_view(other->core)->epoch == view->epoch &&
            id_equal(&core_view(other->core)->members[0].id, &view->members[0].id)) {
            (void)holds(sim, other, role, &count);
        }
    }
    return count > ROLE_TERMS_OF[role].holders;
}

/* S18, advisory: two who told that they hold it are not left so. */
static void check_part(struct sim *sim, struct host *host, uint32_t role)
{
    struct role_memory *memory = &sim->roles->memories[role];
    uint64_t most_ms = 2 * (host->timing.stall_ms + host->timing.verify_ms);

    if (!has_excess(sim, host, role)) {
        memory->excess_us = 0;
    } else if (memory->excess_us == 0) {
        memory->excess_us = sim->now_us;
    } else if (sim->now_us > memory->excess_us + most_ms * US_PER_MS) {
        oracle_fail(sim, host, "S18: too many have held %s in one part for %" PRIu64 " ms",
                    ROLE_NAMES[role], most_ms);
    }
}

void roles_after_step(struct sim *sim, struct host *host)
{
    if (sim->roles == NULL || sim->oracle.suspended) {
        return;
    }
    bool coordinates = core_is_acting(host->core, host_now_ms(sim, host));

    for (uint32_t role = 0; role < ROLES; role++) {
        if (sim->options.exclusive) {
            check_exclusion(sim, host, role);
        } else if (coordinates) {
            check_part(sim, host, role);
        }
    }
}

/* --- What must come about --- */

static struct host *acting_host(struct sim *sim)
{
    for (uint32_t i = 0; i < sim->node_count; i++) {
        if (sim->hosts[i].running && sim_is_acting(sim, i)) {
            return &sim->hosts[i];
        }
    }
    return NULL;
}

/* Does a client with that request stand on the host with that life? */
static const struct client *find_client(struct sim *sim, const struct listed_role *listed,
                                        uint32_t *role)
{
    for (uint32_t i = 0; i < sim->node_count; i++) {
        struct host *host = &sim->hosts[i];
        for (uint64_t k = 0; host->running && k < CLIENTS; k++) {
            struct client *client = client_at(sim, host, k);
            if (id_equal(&core_self(host->core)->id, &listed->life) &&
                id_equal(&client->request, &listed->request)) {
                *role = role_of(k);
                return client->state == CLIENT_IDLE ? NULL : client;
            }
        }
    }
    return NULL;
}

struct tally_of_role {
    uint32_t stand;
    uint32_t fit; /* of those, on members that are not drained */
    uint32_t lead;
};

static bool is_drained(const struct view *view, const struct host *host)
{
    uint32_t position = view_find(view, &core_self(host->core)->id);

    return position != VIEW_NONE && view->members[position].drained;
}

static void count_clients(struct sim *sim, const struct view *view,
                          struct tally_of_role tallies[ROLES])
{
    memset(tallies, 0, ROLES * sizeof tallies[0]);
    for (uint32_t i = 0; i < sim->node_count; i++) {
        for (uint64_t k = 0; sim->hosts[i].running && k < CLIENTS; k++) {
            const struct client *client = client_at(sim, &sim->hosts[i], k);
            tallies[role_of(k)].stand += client->state != CLIENT_IDLE;
            tallies[role_of(k)].fit += client->state != CLIENT_IDLE &&
                                       !is_drained(view, &sim->hosts[i]);
            tallies[role_of(k)].lead += client->state == CLIENT_LEADS;
        }
    }
}

/* Y7: what the coordinator lists is what the clients know, and nothing is free that anybody waits
 * for. */
static const char *what_is_wrong(struct sim *sim)
{
    const struct host *host = acting_host(sim);
    struct tally_of_role clients[ROLES];
    struct tally_of_role listed[ROLES] = {{0}};

    if (host == NULL) {
        return NULL; /* Nobody may act, and rightly so: the rest of Y says when. */
    }
    for (uint32_t at = 0; at < core_role_places(host->core); at++) {
        struct listed_role entry;
        uint32_t role = 0;
        if (!core_listed_role(host->core, at, &entry)) {
            continue;
        }
        const struct client *client = find_client(sim, &entry, &role);
        if (client == NULL) {
            return "Y7: somebody waits behind a candidate that is no more";
        }
        if (entry.token != (client->state == CLIENT_LEADS ? client->token : 0)) {
            return "Y7: a grant did not reach its client, or a loss its coordinator";
        }
        if (entry.number != client->number) {
            return "Y7: a candidate does not know its number";
        }
        listed[role].stand++;
        listed[role].lead += entry.token != 0;
    }
    count_clients(sim, core_view(host->core), clients);
    for (uint32_t i = 0; i < ROLES; i++) {
        uint32_t most = ROLE_TERMS_OF[i].holders;
        if (listed[i].stand != clients[i].stand || listed[i].lead != clients[i].lead) {
            return "Y7: a candidate is lost";
        }
        if (clients[i].lead != (clients[i].fit < most ? clients[i].fit : most)) {
            return "Y7: a role is free, and somebody waits for it";
        }
    }
    return NULL;
}

/* Z15c: somebody may have said in a voter's name that grants are held for two minutes. That is one
 * of the things in docs/security.md that are believed. */
static bool may_wait_for_a_lie(const struct sim *sim, uint64_t begun_us)
{
    return liar_has_lied(sim) && sim->options.guard.policy == GUARD_STRICT &&
           sim->now_us < begun_us + 2 * LEASE_MS_MAX * US_PER_MS;
}

const char *roles_settle(struct sim *sim)
{
    uint64_t settle_ms = 2 * sim->timing.stall_ms + HANG_MS + REST_MS_MAX;
    const uint64_t begun_us = sim->now_us;
    const char *wrong = NULL;

    if (sim->roles == NULL) {
        return NULL;
    }
    sim->roles->calm = true;
    for (int round = 0; round < SETTLE_ROUNDS || may_wait_for_a_lie(sim, begun_us); round++) {
        sim_run(sim, settle_ms);
        wrong = what_is_wrong(sim);
        if (wrong == NULL) {
            return NULL;
        }
    }
    return wrong;
}
