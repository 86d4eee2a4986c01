/* Text of bounded length, kept with its terminating zero. Uses nothing but mem*, so that the
 * core may use it too. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Copies `length` bytes and a zero into `to`, which holds `size` bytes. Returns false, with `to`
 * made empty, when it does not fit. */
bool text_set(char *to, size_t size, const char *from, size_t length);

/* Length of a zero-terminated text, at most `size`. */
size_t text_length(const char *text, size_t size);

bool text_equal(const char *a, const char *b);

/* Is it digits alone, and one at least? NULL is none. */
bool text_is_number(const char *text);

#endif
