/* The order in which doyen roles shows who stands for what. */
#include <criterion/criterion.h>
#include <string.h>

#include "control/roles/role_row.h"

enum { ROWS = 5 };

/* Each member states the policy that it likes. By these rows' own ones athens is before cyrene, as
 * it has the lower number, cyrene before byzantium by its priority, and byzantium before athens. */
static const struct role_row rows[ROWS] = {
    {.position = 1,
     .role = "b",
     .request = "1",
     .state = "waits",
     .policy = "priority",
     .number = 1},
    {.position = 1,
     .role = "b",
     .request = "2",
     .state = "waits",
     .policy = "oldest",
     .number = 3,
     .priority = 9},
    {.position = 0,
     .role = "b",
     .request = "3",
     .state = "waits",
     .policy = "first",
     .number = 9,
     .priority = 5},
    {.position = 3, .role = "b", .request = "4", .state = "holds", .policy = "oldest", .number = 5},
    {.position = 4, .role = "a", .request = "5", .state = "waits", .policy = "oldest", .number = 2},
};

/* The requests in that order, as text. */
static void order_of(struct role_row *sorted, char out[ROWS + 1])
{
    role_rows_sort(sorted, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        out[i] = sorted[i].request[0];
    }
    out[ROWS] = '\0';
}

Test(control_role_row, whoever_answers_first_the_order_is_one)
{
    struct role_row sorted[ROWS];
    char order[ROWS + 1];

    /* All orders in which they may come: numbers to the base 5 whose digits are all different. */
    for (int code = 0; code < 5 * 5 * 5 * 5 * 5; code++) {
        unsigned seen = 0;
        int rest = code;
        for (size_t i = 0; i < ROWS; i++, rest /= ROWS) {
            sorted[i] = rows[rest % ROWS];
            seen |= 1U << (rest % ROWS);
        }
        if (seen == (1U << ROWS) - 1) {
            order_of(sorted, order);
            cr_assert_str_eq(order, "54123", "%s", order);
        }
    }
}

Test(control_role_row, the_oldest_member_with_a_client_states_the_policy)
{
    struct role_row sorted[ROWS];
    char order[ROWS + 1];

    memcpy(sorted, rows, sizeof rows);
    sorted[2].policy = "priority"; /* the oldest one's */
    order_of(sorted, order);
    cr_assert_str_eq(order, "54231", "%s", order);
    cr_assert_str_eq(sorted[1].policy, "priority", "and that is shown");
}
