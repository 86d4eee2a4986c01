/* What messages to the core of a rig carry: rig_gets fills in the rest. */
#ifndef TEST_MESSAGE_CONTENT_H
#define TEST_MESSAGE_CONTENT_H

#include "rig.h"

/* A view as a whole. */
static inline struct message carries(enum message_type type, struct view *view)
{
    return (struct message){.type = type, .carrier = {.view = view}};
}

/* Its name and hash. */
static inline struct message refers(enum message_type type, const struct view *view)
{
    return (struct message){.type = type,
                            .reference = {.view = view_id_of(view), .view_hash = view->hash}};
}

/* JOIN or READY of the one of that letter, who was started with the terms of the rig. */
static inline struct message joins(enum message_type type, char letter, uint64_t nonce)
{
    return (struct message){
        .type = type,
        .joiner = {.member = member_of(letter), .terms = rig_terms(), .nonce = nonce}};
}

#endif
