/* The way of a request to its answer: refused, from the cache, made now, or made in a later turn.
 */
#ifndef CONTROL_DISPATCH_H
#define CONTROL_DISPATCH_H

#include <microhttpd.h>

struct request;

/* Answers a request that has arrived whole, or lets it wait for a later turn; then it is called
 * again. Returns MHD_NO when the connection is to be closed without an answer. */
enum MHD_Result dispatch(struct request *request, const char *path, const char *method);

#endif
