/* Are two messages the same, field by field? For the tests of the codec. */
#ifndef TEST_UNIT_WIRE_SAME_H
#define TEST_UNIT_WIRE_SAME_H

#include <stdbool.h>

#include "core/model/message.h"

bool wire_same_view(const struct view *a, const struct view *b); /* NULL: none */

/* Of one type; who sent them, and to whom, aside. */
bool wire_same_body(const struct message *a, const struct message *b);

#endif
