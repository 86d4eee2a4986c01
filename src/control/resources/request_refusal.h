/* Requests that no resource answers: there is no room for them, they are meant for another host,
 * nothing is there, or they may not ask for what is. */
#ifndef CONTROL_REQUEST_REFUSAL_H
#define CONTROL_REQUEST_REFUSAL_H

#include <stdbool.h>

#include "control/http/answer.h"
#include "control/resources/resources.h"

/* Returns true, and sets `*refusal` to an answer that is the caller's, when the request is refused;
 * otherwise `*resource` is what it asks for. Changes that the account may not make are logged. */
bool request_refuse(const struct request *request, const char *path, const char *method,
                    const struct resource **resource, struct answer *refusal);

#endif
