/* Collects the effects of one step. */
#ifndef CORE_OUTBOX_H
#define CORE_OUTBOX_H

#include "core/state/state.h"

/* Effects that one step may have, for views of so many members. */
uint32_t outbox_capacity(uint32_t members);
uint32_t outbox_capacity_of_witness(void);

/* How many of them may be notices. */
uint32_t outbox_notices(uint32_t members);

/* So many of those whom a view lists no more are told in one step (E9): people have one at a time
 * forgotten, and a view that drops the whole list was made up. */
enum { FORGOTTEN_NEWS_MAX = 16 };

/* At the beginning of each step. */
void outbox_reset(struct core *core);

/* A message of this life to fill in and send, valid for this step; NULL when one step makes too
 * many, which the protocol survives like a loss on the way. */
struct message *outbox_message(struct core *core, enum message_type type);

/* May this step make so many more? Who has many to ask goes on in the next one where not. */
bool outbox_has_room(const struct core *core, uint32_t messages);

/* A new life counts its messages anew (I1). */
void outbox_start_life(struct core *core);

#ifdef DOYEN_TESTED
/* As core_skip_numbers. */
void outbox_skip_numbers(struct core *core, uint64_t count);
#endif

/* Sends it (NULL: does nothing) to that life at the address; `peer` NULL: to whoever lives there.
 */
void outbox_send_to(struct core *core, const struct message *message, const struct node_id *peer,
                    const struct address *address);

/* The same, with a nonce as the echo: the receiver's own, so that this is an answer to it, or this
 * node's, so that the answer can be told (J3c, M4f, Z1e, Z9d). */
void outbox_answer(struct core *core, const struct message *message, const struct node_id *peer,
                   const struct address *address, uint32_t echo);

/* The same, with its view as a change where there is such a form (U3b). */
void outbox_answer_brief(struct core *core, const struct message *message,
                         const struct node_id *peer, const struct address *address, uint32_t echo);

/* Those copies of the message that were just sent without an echo, since nothing was heard of the
 * receiver, echo the receiver's nonce. */
void outbox_echo(struct core *core, const struct message *message, uint32_t nonce);

/* Hands a message on to the member it is meant for, as it is (R2). */
void outbox_hand_on(struct core *core, const struct message *message);

/* Sends it to the member at this position of the installed view, and nowhere else. */
void outbox_send(struct core *core, const struct message *message, uint32_t position);

/* The same of a heartbeat that is an answer: it echoes the last sign of life (D8a). */
void outbox_send_echo(struct core *core, const struct message *message, uint32_t position);

/* The same, with the view that it brings as a change of the installed one (U3b). */
void outbox_send_brief(struct core *core, const struct message *message, uint32_t position);

/* Sends it to the member at `relay`, to be handed on to the one at `position` (R2). */
void outbox_send_around(struct core *core, const struct message *message, uint32_t position,
                        uint32_t relay);

/* U4: sends it to that member, which is to hand it on, with the view that it brings as a change of
 * the installed one, or to that joiner. The message is this node's, or an outbox_copy. */
void outbox_spread(struct core *core, const struct message *message, const struct member *member);

/* A copy of a message that came, as its maker's, to be handed on in this step; NULL as with
 * outbox_message. The view that it brings is the same. */
const struct message *outbox_copy(struct core *core, const struct message *message);

/* Takes back what this step would have sent. */
void outbox_forget_sends(struct core *core);

void outbox_link(struct core *core, enum effect_type type, const struct member *member);
void outbox_kernel_ask(struct core *core, uint32_t position);
void outbox_resolve(struct core *core);
void outbox_store(struct core *core);
void outbox_sync(struct core *core, uint64_t number);
void outbox_withdraw(struct core *core);

void outbox_role(struct core *core, const struct role_news *news);

/* Tells of a refusal, unless this step has told of REFUSALS_PER_STEP_MAX already. */
void outbox_refused(struct core *core, const struct refused_message *refused);

/* A notice to fill in; never NULL. */
struct notice *outbox_notice(struct core *core, enum notice_type type);
struct notice *outbox_notice_of(struct core *core, enum notice_type type,
                                const struct member *member);

#endif
