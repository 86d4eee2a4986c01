/* A circular list whose links live inside the things listed, so that any of them can take itself
 * out without knowing which list it is on. The head is a link like the others. */
#ifndef RUNTIME_CHAIN_H
#define RUNTIME_CHAIN_H

#include <stdbool.h>
#include <stddef.h>

struct chain {
    struct chain *next;
    struct chain *previous;
};

/* The thing of `type` whose member `link` is at `at`. */
#define CHAIN_ITEM(at, type, link) ((type *)(void *)((char *)(at)-offsetof(type, link)))

/* For a head, and for a link that is on no list. */
static inline void chain_init(struct chain *link)
{
    link->next = link;
    link->previous = link;
}

static inline bool chain_is_empty(const struct chain *head)
{
    return head->next == head;
}

/* Puts `link`, which is on no list, just before `at`; before the head is the list's end. */
static inline void chain_insert(struct chain *at, struct chain *link)
{
    link->next = at;
    link->previous = at->previous;
    at->previous->next = link;
    at->previous = link;
}

/* Harmless for a link that is on no list. */
static inline void chain_remove(struct chain *link)
{
    link->previous->next = link->next;
    link->next->previous = link->previous;
    chain_init(link);
}

#endif
