/* What this node tells other members of its own clients that stand for roles: a page of a list, as
 * long as fits into one answer (runtime/services/inquiry.h). */
#ifndef CONTROL_ROLE_PAGE_H
#define CONTROL_ROLE_PAGE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/node/node.h"
#include "runtime/services/inquiry.h"

/* Those who are listed, or about to be, from `from` on: an array, the caller's; NULL: no memory. */
json_t *role_page_clients(struct node *node, uint64_t from);

/* The same as an answer to a member's question (struct inquiry_pages); `context` is the node. */
size_t role_page_answer(void *context, uint64_t from, char text[INQUIRY_TEXT_MAX]);

#endif
