/* Counts the connections, receives the requests that arrive on them, and has each answered when it
 * is complete. */
#ifndef CONTROL_REQUEST_H
#define CONTROL_REQUEST_H

#include <microhttpd.h>
#include <stddef.h>

/* The callbacks of libmicrohttpd; `context` is the struct server. request_on_input is called for
 * the head of a request, for each piece of its body, and at the end. */
void request_on_connection(void *context, struct MHD_Connection *connection, void **socket_context,
                           enum MHD_ConnectionNotificationCode code);
enum MHD_Result request_on_input(void *context, struct MHD_Connection *connection, const char *path,
                                 const char *method, const char *version, const char *bytes,
                                 size_t *length, void **request_context);

/* Called when an answer has been sent, or the request has failed. */
void request_on_completed(void *context, struct MHD_Connection *connection, void **request_context,
                          enum MHD_RequestTerminationCode code);

#endif
