/* doyen/node.h, partitions: for node.c, which knows the node of the program's handle. */
#ifndef NODE_OWNED_H
#define NODE_OWNED_H

#include "doyen/node.h"
#include "runtime/node.h"

/* The member behind the program's handle; NULL: it is closing. Of node.c. */
struct node *member_of_handle(struct doyen_node *node);

#endif
