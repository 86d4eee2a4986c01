/* An intrusive circular list: the links live inside the listed items, so that an item can remove
 * itself without knowing which list it is on. The head is a link like the others. */
#ifndef RUNTIME_CHAIN_H
#define RUNTIME_CHAIN_H

#include <stdbool.h>
#include <stddef.h>

struct chain {
    struct chain *next;
    struct chain *previous;
};

/* The item of `type` whose member `link` is at `at`. */
#define CHAIN_ITEM(at, type, link) ((type *)(void *)((char *)(at)-offsetof(type, link)))

/* Initialises a head, or a link that is on no list. */
static inline void chain_init(struct chain *link)
{
    link->next = link;
    link->previous = link;
}

static inline bool chain_is_empty(const struct chain *head)
{
    return head->next == head;
}

/* Inserts `link`, which is on no list, just before `at`; before the head is the list's end. */
static inline void chain_insert(struct chain *at, struct chain *link)
{
    link->next = at;
    link->previous = at->previous;
    at->previous->next = link;
    at->previous = link;
}

/* Removes and returns the first link of a list that is not empty. */
static inline struct chain *chain_pop_first(struct chain *head)
{
    struct chain *first = head->next;

    head->next = first->next;
    first->next->previous = head;
    chain_init(first);
    return first;
}

/* Removes the link from its list; does nothing to a link that is on no list. */
static inline void chain_remove(struct chain *link)
{
    link->previous->next = link->next;
    link->next->previous = link->previous;
    chain_init(link);
}

#endif
