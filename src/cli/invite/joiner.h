/* The joiner's side of an invitation: asks the sponsor for the key and for what all nodes share. */
#ifndef CLI_JOINER_H
#define CLI_JOINER_H

#include <stdint.h>

#include "cli/invite/letter.h"
#include "cli/request/failure.h"
#include "seal/invitation.h"

/* A connection to the sponsor, and the address that each side of it has. */
struct joiner {
    int fd;
    char place[INVITATION_PLACE_MAX]; /* the sponsor's */
    char own[LETTER_ADDRESS_MAX];     /* this host's, without a port */
};

/* Connects to HOST, a name or an address; joiner_close closes the connection. */
enum exit_code joiner_connect(struct joiner *joiner, const char *host, uint16_t port,
                              struct failure *failure);
void joiner_close(struct joiner *joiner);

/* Asks with the word, which is good for one answer. EXIT_DONE: the answer has keys and settings;
 * EXIT_REFUSED: the sponsor refused; EXIT_TIMED_OUT: no answer came in time. */
enum exit_code joiner_ask(struct joiner *joiner, const uint8_t word[WORD_BYTES],
                          const struct letter_ask *ask, struct letter_answer *answer,
                          struct failure *failure);

#endif
