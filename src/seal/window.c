#include "seal/window.h"

#include <assert.h>
#include <string.h>

/* How many numbers of the window are below this one. */
static uint32_t rank(const struct window *window, uint64_t number)
{
    uint32_t count = window->count;

    while (count > 0 && window->numbers[count - 1] >= number) {
        count--;
    }
    return count;
}

bool window_is_new(const struct window *window, uint64_t number)
{
    if (number <= window->below) {
        return false;
    }
    const uint32_t at = rank(window, number);
    return at == window->count || window->numbers[at] != number;
}

void window_take(struct window *window, uint64_t number)
{
    assert(window_is_new(window, number));
    if (!window->begun) {
        window_begin(window, number - 1);
    }
    uint32_t at = rank(window, number);
    if (window->count == WINDOW_NUMBERS) {
        /* The lowest falls out; if this one is lower still, it is the one that does. */
        window->below = at == 0 ? number : window->numbers[0];
        if (at == 0) {
            return;
        }
        at--;
        memmove(window->numbers, window->numbers + 1, at * sizeof window->numbers[0]);
        window->numbers[at] = number;
        return;
    }
    memmove(window->numbers + at + 1, window->numbers + at,
            (window->count - at) * sizeof window->numbers[0]);
    window->numbers[at] = number;
    window->count++;
}

void window_begin(struct window *window, uint64_t below)
{
    *window = (struct window){.below = below, .begun = true};
}

void window_renew(struct window *window, const struct window *since, uint64_t count)
{
    window_begin(window, since->below > count ? since->below : count);
    for (uint32_t i = 0; i < since->count; i++) {
        if (since->numbers[i] > window->below) {
            window->numbers[window->count++] = since->numbers[i];
        }
    }
}
