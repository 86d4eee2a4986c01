#include "control/roles/role_row.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "control/roles/campaign_request.h"
#include "runtime/options/option_kinds.h"
#include "words/id_text.h"

enum { HOLDERS_STATED_MAX = 1 << 20 };

/* Another member may say what it likes, and people look at it on their terminals. */
static bool are_texts_sound(const struct role_row *row)
{
    return strlen(row->request) == ID_TEXT_MAX - 1 &&
           strspn(row->request, "0123456789abcdef") == ID_TEXT_MAX - 1 &&
           utf8_is_printable(row->policy, strlen(row->policy)) &&
           role_value_is_sound(row->value, strlen(row->value)) &&
           (row->need[0] == '\0' || role_need_is_sound(row->need, strlen(row->need)));
}

bool role_row_read(struct role_row *row, json_t *client)
{
    const char *number = NULL;
    const char *token = NULL;

    row->need = "";
    row->preempt_after_ms = 0;
    if (json_unpack(client, "{s:s s:s s:s s:s s:s s:I s:s s:I s:b s:I s:s s?s s?I}", "r",
                    &row->role, "q", &row->request, "s", &row->state, "n", &number, "t", &token,
                    "u", &row->left_ms, "p", &row->policy, "k", &row->most, "e", &row->preempt, "y",
                    &row->priority, "v", &row->value, "d", &row->need, "a",
                    &row->preempt_after_ms) != 0) {
        return false;
    }
    row->number = strtoull(number, NULL, 10);
    row->token = strtoull(token, NULL, 10);
    return option_name_is_valid(row->role) && are_texts_sound(row) && row->left_ms >= 0 &&
           row->preempt_after_ms >= 0 && row->priority >= 0 && row->most > 0 &&
           row->most < HOLDERS_STATED_MAX;
}

bool role_row_holds(const struct role_row *row)
{
    return !text_equal(row->state, "waits");
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* By role, and then by what tells any two clients of one role apart. */
static int compare_clients(const void *one, const void *other)
{
    const struct role_row *a = one;
    const struct role_row *b = other;
    int order = strcmp(a->role, b->role);

    if (order == 0) {
        order = compare_numbers(a->position, b->position);
    }
    return order != 0 ? order : strcmp(a->request, b->request);
}

/* Of rows of one policy for each role. */
static int compare_rows(const void *one, const void *other)
{
    const struct role_row *a = one;
    const struct role_row *b = other;
    int order = strcmp(a->role, b->role);

    if (order == 0) {
        order = (int)role_row_holds(b) - (int)role_row_holds(a);
    }
    if (order == 0 && text_equal(a->policy, "priority")) {
        order = compare_numbers((uint64_t)b->priority, (uint64_t)a->priority);
    }
    if (order == 0 && text_equal(a->policy, "oldest")) {
        order = compare_numbers(a->position, b->position);
    }
    return order != 0 ? order : compare_numbers(a->number, b->number);
}

void role_rows_sort(struct role_row *rows, size_t count)
{
    qsort(rows, count, sizeof *rows, compare_clients);
    for (size_t i = 1; i < count; i++) {
        if (text_equal(rows[i].role, rows[i - 1].role)) {
            rows[i].policy = rows[i - 1].policy;
        }
    }
    qsort(rows, count, sizeof *rows, compare_rows);
}
