/* The clients of this node that stand for roles (K): what each asked for, what it was told last,
 * and the page of memory that says until when it holds its role (include/doyen/lease.h). The core
 * decides; here its news become what a client hears, and a client's end becomes a command. */
#ifndef RUNTIME_ROLE_CLIENTS_H
#define RUNTIME_ROLE_CLIENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"
#include "runtime/leases/page_memory.h"
#include "runtime/options/config.h"

enum { ROLE_VALUE_BYTES_MAX = 256 };

enum role_client_state {
    ROLE_CLIENT_NEW,
    ROLE_CLIENT_WAITS,
    ROLE_CLIENT_HOLDS,
    ROLE_CLIENT_STOPS, /* it was told that it lost, and has not said that it stopped */
    ROLE_CLIENT_ENDED, /* it stands for nothing any more */
};

/* Why a client has lost, or ended; for role_end_word and role_end_text. */
enum role_end {
    ROLE_END_NONE,
    ROLE_END_LAPSED,
    ROLE_END_REVOKED,
    ROLE_END_MERGED,
    ROLE_END_LEAVING,
    ROLE_END_LIFE_OVER,
    ROLE_END_NO_MEMBER,
    ROLE_END_MANY,
    ROLE_END_TERMS,
    ROLE_END_RESIGNED,
};

/* One word of it, as in control.md, and a clause for people: "LOST: ...". */
const char *role_end_word(enum role_end end);
const char *role_end_text(enum role_end end);

struct role_event {
    enum role_news_kind kind;
    enum role_end end; /* LOST, ENDED */
    uint64_t number;   /* WAITS and after it */
    uint64_t token;    /* LEADS, TOKEN; LOST: of what was lost */
    uint64_t until_ms; /* LEADS, TOKEN: held until then, unless it is renewed; LOST: the client is
                          taken to have stopped then; NEVER_MS: only when it says so, or goes */
};

/* One client. The memory is its owner's, and stays where it is until role_clients_remove. */
struct role_client {
    /* The owner's, set before role_clients_add. */
    struct role_command campaign; /* but for wish and request */
    char value[ROLE_VALUE_BYTES_MAX + 1];
    void (*on_event)(struct role_client *client, const struct role_event *event);
    void *owner;

    /* Of role_clients.c. */
    struct role_client *next;
    struct role_client *previous;
    struct page_memory memory; /* none where the system has none to lend */
    struct doyen_lease_content now;
    enum role_client_state state;
    bool resigns; /* it is to stand no more once it has stopped */
    enum role_end resigns_for;
    uint64_t number;
    uint64_t token;
    uint64_t until_ms; /* it holds, or held, until then */
    uint64_t stop_ms;  /* STOPS: as in struct role_event */
};

struct role_clients {
    const struct core *core;
    const struct config *config;
    /* Steps the core; called outside of its steps only. */
    void (*command)(void *context, const struct role_command *command);
    void *context;
    struct role_client *first;
    uint32_t count;
    uint64_t granted; /* so often one of them got a role, and lost one */
    uint64_t lost;
};

/* For how long one answer of the coordinator lets a client hold. */
uint64_t role_clients_span_ms(const struct role_clients *clients);

/* Takes it in, with a request and a page, so that it can be told of both; then it stands. */
void role_clients_add(struct role_clients *clients, struct role_client *client);
void role_clients_campaign(struct role_clients *clients, struct role_client *client);

/* The client has gone, and all that it did: the role is let go at once. Its page is given back. */
void role_clients_remove(struct role_clients *clients, struct role_client *client);

/* The client has heard that it lost, and has stopped. */
void role_clients_stopped(struct role_clients *clients, struct role_client *client);

/* Has the client stand no more: told first that it lost, if it holds, and let go when it has
 * stopped. Harmless when repeated. */
void role_clients_resign(struct role_clients *clients, struct role_client *client,
                         enum role_end why);
void role_clients_resign_all(struct role_clients *clients, enum role_end why);

/* When nobody whom role_clients_resign has told to stop can still hold anything; 0: nobody can. */
uint64_t role_clients_free_ms(const struct role_clients *clients);

/* When role_clients_tick is due; NEVER_MS: not at all. */
uint64_t role_clients_due_ms(const struct role_clients *clients);

/* Lets go for those who resign and whose time to stop is over, which under guard strict it never
 * is. */
void role_clients_tick(struct role_clients *clients, uint64_t now_ms);

/* EFFECT_ROLE: inside a step. */
void role_clients_on_news(struct role_clients *clients, const struct role_news *news,
                          uint64_t now_ms);

/* After each step: pages say what was renewed. */
void role_clients_on_step(struct role_clients *clients);

#endif
