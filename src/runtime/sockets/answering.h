/* Where the sender of a message that came by stream can be answered: nobody listens on the port of
 * its end of the stream. */
#ifndef RUNTIME_ANSWERING_H
#define RUNTIME_ANSWERING_H

#include "core/model/message.h"

/* Its address in `view`, or in the view that the message shows; else what a joiner says, if it
 * connected from there (V6d), or `from`. */
const struct address *answering_address(const struct view *view, const struct message *message,
                                        const struct address *from);

#endif
