#include "runtime/sockets/seed_check.h"

#include <stdio.h>
#include <string.h>

/* The limit for connecting, and again for the answer. */
enum { SEED_CHECK_MS_MAX = 2000 };

static void seed_check_end(struct seed_check *check, enum seed_answer answer)
{
    if (check->stream != NULL) {
        stream_close(check->stream);
        check->stream = NULL;
    }
    check->answer = answer;
}

static void on_connected(void *owner)
{
    const struct node_id nobody = {.bytes = {0}};
    struct seed_check *check = owner;

    check->answer = SEED_MUTE;
    stream_send_hello(check->stream, &nobody);
    stream_expect(check->stream, SEED_CHECK_MS_MAX);
}

static void on_frame(void *owner, const uint8_t *bytes, size_t length)
{
    struct seed_check *check = owner;
    struct message message;

    const bool ours = wire_decode(check->checker->streams->wire, bytes, length, &message) ==
                      WIRE_OK;
    seed_check_end(check, ours ? SEED_OURS : SEED_FOREIGN);
}

static void on_end(void *owner, int error)
{
    struct seed_check *check = owner;

    check->stream = NULL; /* The stream has closed itself. */
    if (error == UV_ECONNREFUSED) {
        check->answer = SEED_REFUSED;
    } else if (check->answer == SEED_MUTE && error != UV_ETIMEDOUT) {
        check->answer = SEED_FOREIGN;
    }
}

static const struct stream_handler seed_check_handler = {
    .on_connected = on_connected,
    .on_frame = on_frame,
    .on_end = on_end,
};

void seed_checker_open(struct seed_checker *checker, struct streams *streams, uint64_t first_ms)
{
    checker->streams = streams;
    checker->again_ms = first_ms;
}

void seed_checker_stop(struct seed_checker *checker)
{
    for (uint32_t i = 0; i < checker->count; i++) {
        seed_check_end(&checker->checks[i], checker->checks[i].answer);
    }
}

/* The former answer stays until there is a new one: it is the best that is known. */
static void seed_check_begin(struct seed_check *check, struct seed_checker *checker,
                             const struct address *to)
{
    int error = 0;

    if (!address_equal(&check->to, to)) {
        *check = (struct seed_check){.to = *to, .answer = SEED_UNREACHABLE};
    }
    check->checker = checker;
    check->stream = stream_connect(checker->streams, to, &seed_check_handler, check, &error);
    if (check->stream == NULL) {
        check->answer = error == UV_ECONNREFUSED ? SEED_REFUSED : SEED_UNREACHABLE;
    } else {
        stream_expect(check->stream, SEED_CHECK_MS_MAX);
    }
}

void seed_checker_run(struct seed_checker *checker, const struct address *addresses, uint32_t count,
                      const struct address *own, uint64_t now_ms)
{
    checker->only_own = count == 1 && address_equal(&addresses[0], own);
    if (now_ms < checker->again_ms) {
        return;
    }
    checker->again_ms = now_ms + SEED_CHECK_AGAIN_MS;
    seed_checker_stop(checker);
    checker->count = 0;
    for (uint32_t i = 0; i < count && checker->count < SEED_CHECKS_MAX; i++) {
        if (!address_equal(&addresses[i], own)) {
            seed_check_begin(&checker->checks[checker->count++], checker, &addresses[i]);
        }
    }
}

static const char *answer_words(enum seed_answer answer)
{
    switch (answer) {
    case SEED_UNREACHABLE:
        return "cannot be reached: check host, route and firewall";
    case SEED_REFUSED:
        return "refused the connection: start doyend there, or check the port";
    case SEED_MUTE:
        return "connected and said nothing: that process is stopped or overloaded, or that "
               "is no doyend's --listen port";
    case SEED_FOREIGN:
        return "hung up: it is of another --cluster, or no doyend";
    case SEED_OURS:
        return "answered as one of this cluster that waits too or cannot send here: check UDP "
               "both ways, and --advertise";
    case SEED_ANSWERS:
        break;
    }
    return "";
}

/* Appends how many seeds gave that answer, if any did. */
static void add_answer(const struct seed_checker *checker, enum seed_answer answer,
                       char out[SEED_WORDS_MAX])
{
    const size_t used = strlen(out);
    uint32_t count = 0;

    for (uint32_t i = 0; i < checker->count; i++) {
        count += checker->checks[i].answer == answer;
    }
    if (count > 0) {
        snprintf(out + used, SEED_WORDS_MAX - used, "%s%u of %u seeds %s", used == 0 ? "" : "; ",
                 count, checker->count, answer_words(answer));
    }
}

bool seed_checker_words(const struct seed_checker *checker, char out[SEED_WORDS_MAX])
{
    out[0] = '\0';
    for (uint32_t answer = 0; answer < SEED_ANSWERS; answer++) {
        add_answer(checker, (enum seed_answer)answer, out);
    }
    return checker->count > 0;
}

bool seed_checker_foreign(const struct seed_checker *checker, char out[SEED_WORDS_MAX])
{
    out[0] = '\0';
    add_answer(checker, SEED_FOREIGN, out);
    return out[0] != '\0';
}
