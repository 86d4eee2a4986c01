/* The numbers of a member's messages, which rise (D6): what is newer than all that was heard of it,
 * and what is no fact but a question.
 *
 *               highest seen                    highest + 2^20
 *      ---------------|------------------------------|----------------->  number of a message
 *       old: no sign  |  newer: a sign of life, and  |  too high: no sign of life,
 *       of life       |  the highest from now on     |  its sender is asked by PING
 *
 * The answer to that PING counts whatever its number is, and brings the highest back to it: one
 * number that is damaged or made up must not outrun all that come later (H16).
 */
#ifndef CORE_NUMBERS_H
#define CORE_NUMBERS_H

#include "core/state/state.h"

enum number {
    NUMBER_NEWER,     /* taken: all that comes from now on is measured against it */
    NUMBER_OVERTAKEN, /* a heartbeat's: overtaken lately, but by no heartbeat (D6e) */
    NUMBER_OLD,       /* repeated, or overtaken */
    NUMBER_LEAPS,     /* too far ahead: the member is asked whether it is at it */
    NUMBER_ANSWERS,   /* that answer, or the one to a verification (R1): taken whatever it is */
};

/* What a coordinator that reigns asks voters for, with each of its questions (Z6b); epoch 0: it
 * does not reign, and asks for nothing. */
struct lease_asked numbers_lease_wanted(const struct core *core);

/* And where it asks for any, by which record that member votes, if it does, and how often that is
 * known to be written (Z14). */
void numbers_name_record(const struct core *core, uint32_t position, struct lease_asked *asked);

/* Asks the member at `position` whether it is there, once in T_heartbeat/4 at most (D6c). Returns
 * whether it did. */
bool numbers_ask(struct core *core, uint32_t position);

/* Whoever was asked a moment ago may be asked again; and no question of before is answered any
 * more: what was sent since may have overtaken it, and is what its answer would echo (Z6b). */
void numbers_ask_anew(struct core *core);

/* Is there a question to that member that it has not answered yet? */
bool numbers_is_unanswered(const struct core *core, uint32_t position);

/* Judges the number of a message of the member at `position`. O(1). */
enum number numbers_take(struct core *core, const struct message *message, uint32_t position);

/* Is this PING of it later than all others that came before, and its number not in question? Notes
 * it. A heartbeat may have overtaken it (Z6b). */
bool numbers_takes_question(struct core *core, const struct message *ping, uint32_t position);

/* Is that what the member at `position` answers to a question that this node put to its listed
 * address? Helpers know the nonce of a verification, and at another address may be anybody (D6d).
 */
bool numbers_is_of_own_question(const struct core *core, const struct message *answer,
                                uint32_t position);

/* The member at `position` has shown that it receives at the address that the view lists: its
 * lifeline was opened, or this node let it in (G1e). */
void numbers_proved(struct core *core, uint32_t position);

/* Is that life, or was it, a member that this node watched from its beginning on, and that never
 * showed that it receives at its listed address? Or is it known from a view alone that its
 * coordinator was not heard to name (G1g)? */
bool numbers_lack_proof(const struct core *core, const struct node_id *id);

/* G1g: a heartbeat of that member has named the view that is installed here, with its hash. */
void numbers_on_named(struct core *core, uint32_t position);

void numbers_start(struct core *core);

void numbers_on_view_installed(struct core *core, const struct installed *before);

#endif
