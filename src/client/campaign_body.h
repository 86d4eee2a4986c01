/* A campaign as proto/control.md has it: the body of POST /v1/campaign. */
#ifndef CLIENT_CAMPAIGN_BODY_H
#define CLIENT_CAMPAIGN_BODY_H

#include "doyen/client.h"

/* As text, to be freed; NULL: no memory, or a text is not UTF-8. */
char *campaign_body(const struct doyen_campaign *campaign);

#endif
