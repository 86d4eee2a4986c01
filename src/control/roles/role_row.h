/* One client that stands for a role, as its member tells it. */
#ifndef CONTROL_ROLE_ROW_H
#define CONTROL_ROLE_ROW_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Texts are borrowed. */
struct role_row {
    uint32_t position; /* of its member */
    const char *role;
    const char *request;
    const char *state;
    const char *value;
    const char *policy;
    const char *need; /* empty: none */
    uint64_t number;
    uint64_t token;
    json_int_t left_ms;
    json_int_t priority;
    json_int_t most; /* who may hold it at once */
    int preempt;
    json_int_t preempt_after_ms;
};

/* Reads what a member says of one client. False: it makes no sense. */
bool role_row_read(struct role_row *row, json_t *client);

bool role_row_holds(const struct role_row *row);

/* By role; who holds comes first, then who is next (K6a) under the policy that the oldest member
 * with a client of that role states. Rows of one role that state another policy get that one: each
 * member may state what it likes, and there is no order that follows several at once. */
void role_rows_sort(struct role_row *rows, size_t count);

#endif
