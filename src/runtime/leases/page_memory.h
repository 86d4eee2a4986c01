/* The memory of a lease page (include/doyen/lease.h): one mapping that this process writes to, and
 * a descriptor for clients, who can only read. */
#ifndef RUNTIME_PAGE_MEMORY_H
#define RUNTIME_PAGE_MEMORY_H

#include <stdbool.h>

#include "doyen/lease.h"

struct page_memory {
    int fd;                        /* read only; -1: there is none */
    struct doyen_lease_page *page; /* NULL then */
};

/* Makes a page whose content is all zero, which says no. False, with errno set, where the system
 * has none to lend: it takes Linux 5.1. */
bool page_memory_open(struct page_memory *memory);

/* Gives it back; clients keep what they have mapped. Harmless when repeated. */
void page_memory_close(struct page_memory *memory);

/* Writes the content into the page: a reader gets the former one or this one, whole. For one writer
 * at a time. */
void page_memory_write(struct doyen_lease_page *page, const struct doyen_lease_content *content);

#endif
