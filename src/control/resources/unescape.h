/* What stands for %XX in a path or an argument of a request. */
#ifndef CONTROL_UNESCAPE_H
#define CONTROL_UNESCAPE_H

#include <stddef.h>

/* In place; returns the new length. A zero byte would end the text for this program and not for a
 * proxy in front of it, whose rules then see another path: %00 stays as it is written, and names
 * nothing. So does what is no pair of hexadecimal digits. */
size_t unescape_text(char *text);

#endif
