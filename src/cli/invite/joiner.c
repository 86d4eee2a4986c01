#include "cli/invite/joiner.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/invite/place.h"
#include "cli/invite/secrets.h"
#include "cli/request/clock.h"
#include "seal/keyring.h"

enum { PATIENCE_MS = 10000 }; /* to connect, and for the answer */

/* --- The connection ------------------------------------------------------------------------- */

/* Waits until the descriptor is ready. Returns 0 or an errno. */
static int await(int fd, short events, uint64_t until_ms)
{
    struct pollfd waiting = {.fd = fd, .events = events};

    for (;;) {
        const int ready = poll(&waiting, 1, (int)clock_left_ms(until_ms));
        if (ready > 0) {
            return 0;
        }
        if (ready == 0) {
            return ETIMEDOUT;
        }
        if (errno != EINTR) {
            return errno;
        }
    }
}

/* Returns 0 or an errno. */
static int connect_to(struct joiner *joiner, const struct addrinfo *at)
{
    int error = 0;
    socklen_t length = sizeof error;

    joiner->fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (joiner->fd < 0) {
        return errno;
    }
    if (connect(joiner->fd, at->ai_addr, at->ai_addrlen) != 0) {
        error = errno;
        if (error == EINPROGRESS) {
            error = await(joiner->fd, POLLOUT, clock_now_ms() + PATIENCE_MS);
        }
        if (error == 0 && getsockopt(joiner->fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0) {
            error = errno;
        }
    }
    if (error != 0) {
        (void)close(joiner->fd);
        joiner->fd = -1;
    }
    return error;
}

/* Notes the addresses of both ends of the connection. */
static bool name_ends(struct joiner *joiner)
{
    struct sockaddr_storage theirs;
    struct sockaddr_storage own;
    socklen_t their_length = sizeof theirs;
    socklen_t own_length = sizeof own;
    char text[PLACE_TEXT_MAX];
    char host[PLACE_HOST_MAX];
    uint16_t port;

    if (getpeername(joiner->fd, (struct sockaddr *)&theirs, &their_length) != 0 ||
        getsockname(joiner->fd, (struct sockaddr *)&own, &own_length) != 0) {
        return false;
    }
    (void)place_text((const struct sockaddr *)&theirs, joiner->place);
    (void)place_text((const struct sockaddr *)&own, text);
    if (!place_split(text, DOYEND_PORT, host, &port)) {
        return false;
    }
    snprintf(joiner->own, sizeof joiner->own, "%.63s", host);
    return true;
}

enum exit_code joiner_connect(struct joiner *joiner, const char *host, uint16_t port,
                              struct failure *failure)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *list = NULL;
    char service[8];
    int error = 0;

    snprintf(service, sizeof service, "%u", (unsigned)port);
    joiner->fd = -1;
    const int unknown = getaddrinfo(host, service, &hints, &list);
    if (unknown != 0) {
        return failure_set(failure, EXIT_UNREACHABLE,
                           "%s: %s: give the address that doyen invite printed", host,
                           gai_strerror(unknown));
    }
    for (const struct addrinfo *at = list; at != NULL && joiner->fd < 0; at = at->ai_next) {
        error = connect_to(joiner, at);
    }
    freeaddrinfo(list);
    if (joiner->fd < 0) {
        return failure_set(failure, EXIT_UNREACHABLE,
                           "nobody answers at port %u of %s (%s): does doyen init or doyen invite "
                           "still wait there, and is TCP to that port allowed?",
                           (unsigned)port, host, strerror(error));
    }
    return name_ends(joiner)
               ? EXIT_DONE
               : failure_set(failure, EXIT_UNREACHABLE, "%s: %s", host, strerror(errno));
}

void joiner_close(struct joiner *joiner)
{
    if (joiner->fd >= 0) {
        (void)close(joiner->fd);
        joiner->fd = -1;
    }
}

/* --- The question --------------------------------------------------------------------------- */

/* Returns 0 or an errno. */
static int send_all(int fd, const uint8_t *bytes, size_t length, uint64_t until_ms)
{
    while (length > 0) {
        const ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL);
        if (sent >= 0) {
            bytes += sent;
            length -= (size_t)sent;
        } else if (errno == EAGAIN) {
            const int error = await(fd, POLLOUT, until_ms);
            if (error != 0) {
                return error;
            }
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

/* Reads just so much. Returns 0 or an errno; ECONNRESET also where the other one has hung up. */
static int receive(int fd, uint8_t *bytes, size_t length, uint64_t until_ms)
{
    while (length > 0) {
        const ssize_t got = recv(fd, bytes, length, 0);
        if (got == 0) {
            return ECONNRESET;
        }
        if (got > 0) {
            bytes += got;
            length -= (size_t)got;
        } else if (errno == EAGAIN) {
            const int error = await(fd, POLLIN, until_ms);
            if (error != 0) {
                return error;
            }
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

/* Returns 0 or an errno; EPROTO for what is no answer. */
static int receive_answer(int fd, uint8_t *frame, size_t *length)
{
    const uint64_t until_ms = clock_now_ms() + PATIENCE_MS;
    const int error = receive(fd, frame, INVITATION_HEADER_BYTES, until_ms);

    if (error != 0) {
        return error;
    }
    *length = invitation_length(INVITATION_ANSWER, frame);
    return *length == 0 ? EPROTO
                        : receive(fd, frame + INVITATION_HEADER_BYTES,
                                  *length - INVITATION_HEADER_BYTES, until_ms);
}

/* The room that the messages of both directions need. */
struct exchange {
    uint8_t secret[INVITATION_SECRET_BYTES];
    uint8_t asked[INVITATION_FRAME_MAX];
    uint8_t answered[INVITATION_FRAME_MAX];
    uint8_t content[INVITATION_CONTENT_MAX];
    char text[LETTER_TEXT_MAX];
};

static enum exit_code no_answer(const struct joiner *joiner, int error, struct failure *failure)
{
    if (error == ECONNRESET || error == EPIPE) {
        return failure_set(
            failure, EXIT_REFUSED,
            "%s hung up: the word is mistyped, was used, or has expired, and doyen invite there "
            "makes another; or that is not the port which doyen invite printed",
            joiner->place);
    }
    if (error == EPROTO) {
        return failure_set(failure, EXIT_REFUSED,
                           "what answers at %s is no doyen invite: is the port right?",
                           joiner->place);
    }
    return failure_set(failure, EXIT_TIMED_OUT, "%s does not answer: %s", joiner->place,
                       strerror(error));
}

/* Has the answer keys that doyend can read, or a refusal? */
static bool is_usable(const struct letter_answer *answer)
{
    struct keyring ring;
    uint32_t line;

    const bool has_keys = keyring_parse(&ring, answer->keys, strlen(answer->keys), &line) ==
                          KEYRING_OK;
    keyring_wipe(&ring);
    return has_keys || answer->refusal[0] != '\0';
}

static enum exit_code exchange(struct joiner *joiner, struct exchange *exchange,
                               const uint8_t word[WORD_BYTES], const struct letter_ask *ask,
                               struct letter_answer *answer, struct failure *failure)
{
    const size_t text = letter_write_ask(ask, exchange->text);
    size_t answered = 0;
    size_t length = 0;

    if (!secrets_draw(exchange->secret, sizeof exchange->secret)) {
        return failure_set(failure, EXIT_REFUSED, "the system gives no random bytes");
    }
    const size_t asked = invitation_ask(word, joiner->place, exchange->secret, exchange->text, text,
                                        exchange->asked);
    int error = send_all(joiner->fd, exchange->asked, asked, clock_now_ms() + PATIENCE_MS);
    error = error == 0 ? receive_answer(joiner->fd, exchange->answered, &answered) : error;
    if (error != 0) {
        return no_answer(joiner, error, failure);
    }
    if (!invitation_open_answer(word, joiner->place, exchange->secret, exchange->asked, asked,
                                exchange->answered, answered, exchange->content, &length) ||
        !letter_read_answer(answer, exchange->content, length) || !is_usable(answer)) {
        return failure_set(failure, EXIT_REFUSED,
                           "the answer of %s is not made with this word: nothing of it is taken; "
                           "see that the address is right",
                           joiner->place);
    }
    return answer->refusal[0] == '\0' ? EXIT_DONE
                                      : failure_set(failure, EXIT_REFUSED, "%s", answer->refusal);
}

enum exit_code joiner_ask(struct joiner *joiner, const uint8_t word[WORD_BYTES],
                          const struct letter_ask *ask, struct letter_answer *answer,
                          struct failure *failure)
{
    struct exchange room;
    const enum exit_code code = exchange(joiner, &room, word, ask, answer, failure);

    secret_wipe(&room, sizeof room);
    return code;
}
