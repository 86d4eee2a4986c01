#include "cli/invite/sponsor.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/invite/letter.h"
#include "cli/invite/place.h"
#include "cli/invite/secrets.h"
#include "cli/request/clock.h"
#include "cli/request/document.h"
#include "seal/invitation.h"
#include "seal/keyring.h"

enum {
    WORDS_MS = 600000, /* how long the words are good */
    ASK_MS = 5000,     /* within which a joiner has asked */
    ASKING_MAX = 16,   /* connections at one time; a further one takes the place of the oldest */
    WRONG_MAX = 32,    /* asks that no word opens, before all words are void */
    SEEDS_MAX = 5,     /* lines `seed` that the file gets: any of them lets a node in */
};

/* One that has connected, and has not asked yet. */
struct asking {
    int fd; /* -1: none */
    uint64_t until_ms;
    size_t length;
    char from[PLACE_TEXT_MAX];
    uint8_t frame[INVITATION_FRAME_MAX];
};

struct invited {
    uint8_t word[WORD_BYTES];
    bool used;
    char name[LETTER_NAME_MAX]; /* who has used it, and where that is */
    char address[LETTER_ADDRESS_MAX];
};

struct sponsor {
    struct cli *cli;
    const struct host *host;
    int fd;
    char self[LETTER_NAME_MAX];
    char place[PLACE_TEXT_MAX];
    uint64_t until_ms;
    unsigned wrong;
    unsigned count;
    struct invited invited[SPONSOR_WORDS_MAX];
    struct asking asking[ASKING_MAX];
};

static unsigned open_count(const struct sponsor *sponsor)
{
    unsigned count = 0;

    for (unsigned i = 0; i < sponsor->count; i++) {
        count += !sponsor->invited[i].used;
    }
    return count;
}

/* --- What a joiner is told ------------------------------------------------------------------ */

/* Who was let in under that name; NULL: nobody. */
static struct invited *find_invited(struct sponsor *sponsor, const char *name)
{
    for (unsigned i = 0; i < sponsor->count; i++) {
        if (strcmp(sponsor->invited[i].name, name) == 0) {
            return &sponsor->invited[i];
        }
    }
    return NULL;
}

/* Adds a name to a list with commas, of which there are `count`. */
static void add_name(char *list, size_t size, const char *name, unsigned *count)
{
    const size_t used = strlen(list);

    snprintf(list + used, size - used, "%s%s", *count == 0 ? "" : ",", name);
    ++*count;
}

/* Under guard strict this host founds alone, and the cluster has more vote when they are there
 * (--voters-target). The files have to say so from then on: a founder that lost its disk would
 * found once more otherwise, beside those who vote. The names that it is given then are those of
 * this host, of the members and of who is let in, as many as are to vote; until there are so many
 * they stay. */
static void name_voters(struct sponsor *sponsor, const json_t *members, const char *joiner,
                        char conf[CONF_TEXT_MAX])
{
    char value[CONF_VALUE_MAX];
    char list[CONF_VALUE_MAX + 2 * LETTER_NAME_MAX] = "";
    unsigned count = 0;
    size_t index;
    const json_t *member;

    if (!conf_value(conf, "voters", value) || strcmp(value, sponsor->self) != 0 ||
        !conf_value(conf, "voters-target", value)) {
        return;
    }
    const unsigned long target = strtoul(value, NULL, 10);
    add_name(list, sizeof list, sponsor->self, &count);
    json_array_foreach(json_object_get(members, "members"), index, member)
    {
        const char *name = document_text(member, "name", "");
        if (count < target && strcmp(name, sponsor->self) != 0 && strcmp(name, joiner) != 0 &&
            find_invited(sponsor, name) == NULL && letter_name_is_good(name)) {
            add_name(list, sizeof list, name, &count);
        }
    }
    for (unsigned i = 0; i < sponsor->count && count < target; i++) {
        const char *name = sponsor->invited[i].name;
        if (name[0] != '\0' && strcmp(name, joiner) != 0) {
            add_name(list, sizeof list, name, &count);
        }
    }
    if (count < target) {
        add_name(list, sizeof list, joiner, &count);
    }
    if (count == target && strlen(list) < CONF_VALUE_MAX) {
        (void)conf_change(conf, "voters", list);
    }
}

/* Adds the joiner's address as a seed, if this host's doyend takes it for one: it has to start
 * again with that line. */
static void name_seed(const struct sponsor *sponsor, const char *address, char conf[CONF_TEXT_MAX])
{
    char host[PLACE_HOST_MAX];
    char own[PLACE_HOST_MAX];
    char seed[PLACE_TEXT_MAX];
    uint16_t port;
    uint16_t own_port;

    if (!place_split(sponsor->place, INVITATION_PORT, own, &own_port) ||
        !place_split(address, DOYEND_PORT, host, &port) || !place_suits(host, own)) {
        return;
    }
    (void)place_seed(host, port, seed);
    if (!conf_has(conf, "seed", seed) && !conf_has(conf, "seed", host) &&
        !conf_has(conf, "seed", address) && conf_count(conf, "seed") < SEEDS_MAX) {
        (void)conf_add_beside(conf, "seed", seed);
    }
}

static bool is_member(const json_t *members, const char *name)
{
    size_t index;
    const json_t *member;

    json_array_foreach(json_object_get(members, "members"), index, member)
    {
        if (strcmp(document_text(member, "name", ""), name) == 0) {
            return true;
        }
    }
    return false;
}

/* Is the key that the daemon seals with among those of the file? Another one lets nobody in, and
 * may be another cluster's. */
static enum exit_code check_key(const struct sponsor *sponsor, const char *keys,
                                struct failure *failure)
{
    const char *sealing = "none";
    bool same = false;
    struct keyring ring;
    struct answer held;
    uint32_t line;
    size_t index;
    const json_t *key;

    if (client_get(sponsor->cli->client, "/v1/keys", REQUEST_TIMEOUT_MS, &held, failure) !=
        EXIT_DONE) {
        return failure->code;
    }
    (void)keyring_parse(&ring, keys, strlen(keys), &line); /* host_read_key has found it sound. */
    json_array_foreach(json_object_get(held.json, "keys"), index, key)
    {
        uint16_t fingerprint;
        if (json_is_true(json_object_get(key, "seals"))) {
            sealing = document_text(key, "key", sealing);
            same = fingerprint_parse(sealing, &fingerprint) &&
                   keyring_find(&ring, fingerprint) < KEYRING_MAX;
        }
    }
    keyring_wipe(&ring);
    if (!same) {
        failure_set(failure, EXIT_REFUSED,
                    "%s names a key file without the key that doyend here goes by (%s): name that "
                    "one's file there, or start doyend again with that configuration",
                    sponsor->host->conf, sealing);
    }
    answer_deinit(&held);
    return same ? EXIT_DONE : failure->code;
}

/* Fills in the answer, and the configuration of this host as it is to be from then on. */
static void decide(struct sponsor *sponsor, const struct letter_ask *ask,
                   struct letter_answer *answer)
{
    const struct invited *former = find_invited(sponsor, ask->name);
    char key[CONF_VALUE_MAX] = "";
    struct answer members = {.json = NULL};
    struct failure failure;

    memset(answer, 0, sizeof *answer);
    if (host_read_conf(sponsor->host, answer->conf, &failure) != EXIT_DONE ||
        !conf_value(answer->conf, "key", key) ||
        host_read_key(key, answer->keys, sizeof answer->keys, &failure) != EXIT_DONE ||
        check_key(sponsor, answer->keys, &failure) != EXIT_DONE) {
        snprintf(answer->refusal, sizeof answer->refusal,
                 "%s has no key any more: doyen invite there says why", sponsor->self);
    } else if (client_get(sponsor->cli->client, "/v1/members", REQUEST_TIMEOUT_MS, &members,
                          &failure) != EXIT_DONE) {
        snprintf(answer->refusal, sizeof answer->refusal,
                 "the doyend of %s does not answer: start it, and try again", sponsor->self);
    } else if (is_member(members.json, ask->name) ||
               (former != NULL && strcmp(former->address, ask->address) != 0)) {
        /* The same host may ask again, with another word: the answer to it may have been lost. */
        snprintf(answer->refusal, sizeof answer->refusal,
                 "there is a host %s: give this one another name, as in doyen join --name %.50s2",
                 ask->name, ask->name);
    } else {
        name_seed(sponsor, ask->address, answer->conf);
        name_voters(sponsor, members.json, ask->name, answer->conf);
    }
    if (members.json != NULL) {
        answer_deinit(&members);
    }
}

/* --- Asks ----------------------------------------------------------------------------------- */

static void hang_up(struct asking *asking)
{
    (void)close(asking->fd);
    asking->fd = -1;
}

/* The whole answer fits the buffer of a connection that nothing was sent on. */
static bool reply(const struct sponsor *sponsor, struct asking *asking,
                  const uint8_t word[WORD_BYTES], const struct letter_answer *answer)
{
    uint8_t secret[INVITATION_SECRET_BYTES];
    uint8_t frame[INVITATION_FRAME_MAX];
    char text[LETTER_TEXT_MAX];

    const size_t text_length = letter_write_answer(answer, text);
    const size_t length = text_length > 0 && secrets_draw(secret, sizeof secret)
                              ? invitation_answer(word, sponsor->place, secret, asking->frame,
                                                  asking->length, text, text_length, frame)
                              : 0;
    const bool sent = length > 0 && send(asking->fd, frame, length, MSG_NOSIGNAL | MSG_DONTWAIT) ==
                                        (ssize_t)length;
    secret_wipe(secret, sizeof secret);
    secret_wipe(text, sizeof text);
    return sent;
}

static void let_in(struct sponsor *sponsor, struct asking *asking, struct invited *invited,
                   const struct letter_ask *ask)
{
    struct letter_answer answer;
    struct failure failure;

    decide(sponsor, ask, &answer);
    /* Its file has to say who votes before there is one more (name_voters). */
    if (answer.refusal[0] == '\0' &&
        host_write_conf(sponsor->host, answer.conf, false, &failure) != EXIT_DONE) {
        (void)failure_report(&failure);
        snprintf(answer.refusal, sizeof answer.refusal, "%s cannot write its configuration",
                 sponsor->self);
    }
    const bool refused = answer.refusal[0] != '\0';
    if (refused) {
        printf("%s at %s was refused: %s\n", ask->name, asking->from, answer.refusal);
    } else {
        /* Used from here on, whatever becomes of the answer: nobody gets a second one. */
        struct invited *const former = find_invited(sponsor, ask->name);
        if (former != NULL) {
            former->name[0] = '\0';
        }
        invited->used = true;
        snprintf(invited->name, sizeof invited->name, "%s", ask->name);
        snprintf(invited->address, sizeof invited->address, "%s", ask->address);
    }
    const bool sent = reply(sponsor, asking, invited->word, &answer);
    if (!refused) {
        printf(sent ? "%s at %s has the key; words left: %u\n"
                    : "%s at %s hung up before it had the key, and its word is void; words left: "
                      "%u\n",
               ask->name, asking->from, open_count(sponsor));
        secret_wipe(invited->word, sizeof invited->word);
    }
    fflush(stdout);
    secret_wipe(&answer, sizeof answer);
}

/* The word that opens the ask; NULL: none of those that are left. */
static struct invited *find_word(struct sponsor *sponsor, const struct asking *asking,
                                 struct letter_ask *ask)
{
    uint8_t content[INVITATION_CONTENT_MAX];
    size_t length;

    for (unsigned i = 0; i < sponsor->count; i++) {
        if (!sponsor->invited[i].used &&
            invitation_open_ask(sponsor->invited[i].word, sponsor->place, asking->frame,
                                asking->length, content, &length)) {
            return letter_read_ask(ask, content, length) ? &sponsor->invited[i] : NULL;
        }
    }
    return NULL;
}

static void on_ask(struct sponsor *sponsor, struct asking *asking)
{
    struct letter_ask ask;
    struct invited *invited = find_word(sponsor, asking, &ask);

    if (invited != NULL) {
        let_in(sponsor, asking, invited, &ask);
    } else {
        sponsor->wrong++;
        fprintf(stderr, "doyen: %s asked without a word that is good (%u of %d such asks)\n",
                asking->from, sponsor->wrong, WRONG_MAX);
    }
    hang_up(asking);
}

/* Reads what has come. A connection whose first bytes are not those of an ask is closed at once. */
static void on_readable(struct sponsor *sponsor, struct asking *asking)
{
    const size_t wanted = asking->length < INVITATION_HEADER_BYTES
                              ? (size_t)INVITATION_HEADER_BYTES
                              : invitation_length(INVITATION_ASK, asking->frame);
    const ssize_t got = recv(asking->fd, asking->frame + asking->length, wanted - asking->length,
                             MSG_DONTWAIT);

    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (got <= 0) {
        hang_up(asking);
        return;
    }
    asking->length += (size_t)got;
    if (asking->length < INVITATION_HEADER_BYTES) {
        return;
    }
    const size_t whole = invitation_length(INVITATION_ASK, asking->frame);
    if (whole == 0) {
        hang_up(asking);
    } else if (asking->length == whole) {
        on_ask(sponsor, asking);
    }
}

/* --- Connections ---------------------------------------------------------------------------- */

static void accept_one(struct sponsor *sponsor)
{
    struct sockaddr_storage from;
    socklen_t length = sizeof from;
    struct asking *place = &sponsor->asking[0];

    const int fd = accept4(sponsor->fd, (struct sockaddr *)&from, &length,
                           SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
        return;
    }
    for (unsigned i = 0; i < ASKING_MAX && place->fd >= 0; i++) {
        struct asking *other = &sponsor->asking[i];
        if (other->fd < 0 || other->until_ms < place->until_ms) {
            place = other;
        }
    }
    if (place->fd >= 0) {
        hang_up(place);
    }
    place->fd = fd;
    place->length = 0;
    place->until_ms = clock_now_ms() + ASK_MS;
    (void)place_text((const struct sockaddr *)&from, place->from);
}

/* Closes the connections that are overdue. Returns when to look again. */
static uint64_t end_overdue(struct sponsor *sponsor)
{
    const uint64_t now_ms = clock_now_ms();
    uint64_t next_ms = sponsor->until_ms;

    for (unsigned i = 0; i < ASKING_MAX; i++) {
        struct asking *asking = &sponsor->asking[i];
        if (asking->fd >= 0 && asking->until_ms <= now_ms) {
            hang_up(asking);
        } else if (asking->fd >= 0 && asking->until_ms < next_ms) {
            next_ms = asking->until_ms;
        }
    }
    return next_ms;
}

static void look(struct sponsor *sponsor)
{
    const uint64_t next_ms = end_overdue(sponsor);
    struct pollfd fds[ASKING_MAX + 1];

    for (unsigned i = 0; i < ASKING_MAX; i++) {
        fds[i] = (struct pollfd){.fd = sponsor->asking[i].fd, .events = POLLIN};
    }
    fds[ASKING_MAX] = (struct pollfd){.fd = sponsor->fd, .events = POLLIN};
    if (poll(fds, ASKING_MAX + 1, (int)clock_left_ms(next_ms)) <= 0) {
        return;
    }
    for (unsigned i = 0; i < ASKING_MAX; i++) {
        if (fds[i].fd >= 0 && fds[i].revents != 0) {
            on_readable(sponsor, &sponsor->asking[i]);
        }
    }
    if (fds[ASKING_MAX].revents != 0) {
        accept_one(sponsor);
    }
}

static enum exit_code serve(struct sponsor *sponsor, struct failure *failure)
{
    while (open_count(sponsor) > 0) {
        if (sponsor->wrong >= WRONG_MAX) {
            return failure_set(failure, EXIT_REFUSED,
                               "%d asked without a word that is good, so all words are void: find "
                               "out who that was, then doyen invite makes others",
                               WRONG_MAX);
        }
        if (clock_now_ms() >= sponsor->until_ms) {
            return failure_set(failure, EXIT_TIMED_OUT,
                               "ten minutes are over, and so are the words that are left: doyen "
                               "invite makes others");
        }
        look(sponsor);
    }
    return EXIT_DONE;
}

/* --- The beginning -------------------------------------------------------------------------- */

/* Listens at the address that this host's doyend tells others. */
static enum exit_code listen_at(struct sponsor *sponsor, const char *host, uint16_t port,
                                struct failure *failure)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE};
    struct addrinfo *at = NULL;
    struct sockaddr_storage own;
    socklen_t length = sizeof own;
    const int on = 1;
    char service[8];

    snprintf(service, sizeof service, "%u", (unsigned)port);
    if (getaddrinfo(host, service, &hints, &at) != 0) {
        return failure_set(failure, EXIT_REFUSED, "%s is no address to listen at", host);
    }
    sponsor->fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool listens = sponsor->fd >= 0 &&
                         setsockopt(sponsor->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                         bind(sponsor->fd, at->ai_addr, at->ai_addrlen) == 0 &&
                         listen(sponsor->fd, ASKING_MAX) == 0 &&
                         getsockname(sponsor->fd, (struct sockaddr *)&own, &length) == 0;
    const int error = errno;
    freeaddrinfo(at);
    if (!listens) {
        return failure_set(failure, EXIT_REFUSED, "cannot listen at port %u of %s: %s%s",
                           (unsigned)port, host, strerror(error),
                           error == EADDRINUSE
                               ? ": another doyen invite may wait there; end it, or "
                                 "add --port N"
                               : "");
    }
    (void)place_text((const struct sockaddr *)&own, sponsor->place);
    return EXIT_DONE;
}

/* Asks the daemon who it is, and where. */
static enum exit_code find_self(struct sponsor *sponsor, char host[PLACE_HOST_MAX],
                                struct failure *failure)
{
    struct answer status;
    uint16_t port;

    if (cli_connect(sponsor->cli, failure) != EXIT_DONE ||
        client_get(sponsor->cli->client, "/v1/status", REQUEST_TIMEOUT_MS, &status, failure) !=
            EXIT_DONE) {
        return failure->code;
    }
    snprintf(sponsor->self, sizeof sponsor->self, "%.63s", document_text(status.json, "self", ""));
    const bool is_in = strcmp(document_text(status.json, "phase", ""), "member") == 0;
    const bool known = place_split(document_text(status.json, "address", ""), 0, host, &port);
    answer_deinit(&status);
    if (!is_in) {
        return failure_set(failure, EXIT_REFUSED,
                           "doyend is no member yet, so nobody could join by it: doyen status says "
                           "what it waits for");
    }
    return known ? EXIT_DONE
                 : failure_set(failure, EXIT_REFUSED, "doyend does not say where it is");
}

/* Reads what joiners are to get: this host has to have a configuration and a key. */
static enum exit_code read_files(const struct host *host, char keys[LETTER_KEY_MAX],
                                 struct failure *failure)
{
    char text[CONF_TEXT_MAX];
    char key[CONF_VALUE_MAX];

    if (host_read_conf(host, text, failure) != EXIT_DONE) {
        return failure->code;
    }
    if (!conf_value(text, "key", key)) {
        return failure_set(failure, EXIT_REFUSED,
                           "%s names no key, which another host would need: doyen init sets up the "
                           "first host of a cluster",
                           host->conf);
    }
    return host_read_key(key, keys, LETTER_KEY_MAX, failure);
}

static enum exit_code make_words(struct sponsor *sponsor, struct failure *failure)
{
    for (unsigned i = 0; i < sponsor->count; i++) {
        if (!secrets_draw(sponsor->invited[i].word, WORD_BYTES)) {
            return failure_set(failure, EXIT_REFUSED, "the system gives no random bytes");
        }
    }
    sponsor->until_ms = clock_now_ms() + WORDS_MS;
    return EXIT_DONE;
}

static void print_lines(const struct sponsor *sponsor)
{
    char host[PLACE_HOST_MAX];
    char word[WORD_TEXT_MAX];
    uint16_t port;

    (void)place_split(sponsor->place, INVITATION_PORT, host, &port);
    printf("Within ten minutes, %s:\n\n",
           sponsor->count == 1 ? "on the other host" : "one of these on each of the other hosts");
    for (unsigned i = 0; i < sponsor->count; i++) {
        printf("  doyen join %s %s\n", port == INVITATION_PORT ? host : sponsor->place,
               word_text(sponsor->invited[i].word, word));
    }
    puts("\nThis waits for them; interrupted, it makes the words void.");
    secret_wipe(word, sizeof word);
    fflush(stdout);
}

static enum exit_code run(struct sponsor *sponsor, const struct sponsor_options *options)
{
    char host[PLACE_HOST_MAX];
    char keys[LETTER_KEY_MAX] = "";
    struct failure failure;

    if (!invitation_start()) {
        (void)failure_set(&failure, EXIT_REFUSED, "libsodium is not usable");
    } else if (read_files(sponsor->host, keys, &failure) == EXIT_DONE &&
               find_self(sponsor, host, &failure) == EXIT_DONE &&
               check_key(sponsor, keys, &failure) == EXIT_DONE &&
               listen_at(sponsor, host, options->port, &failure) == EXIT_DONE &&
               make_words(sponsor, &failure) == EXIT_DONE) {
        secret_wipe(keys, sizeof keys);
        print_lines(sponsor);
        if (serve(sponsor, &failure) == EXIT_DONE) {
            return EXIT_DONE;
        }
    }
    secret_wipe(keys, sizeof keys);
    return failure_report(&failure);
}

/* The daemon below --root has its socket there. */
static void choose_control(struct cli *cli, const struct host *host, char control[CONF_VALUE_MAX])
{
    char text[CONF_TEXT_MAX];
    struct failure failure;

    if (cli->control == NULL && cli->url == NULL && host->root[0] != '\0' &&
        host_read_conf(host, text, &failure) == EXIT_DONE && conf_value(text, "control", control)) {
        cli->control = control;
    }
}

enum exit_code sponsor_run(struct cli *cli, const struct host *host,
                           const struct sponsor_options *options)
{
    struct sponsor *sponsor = calloc(1, sizeof *sponsor);
    char control[CONF_VALUE_MAX];

    if (sponsor == NULL) {
        struct failure failure;
        (void)failure_set(&failure, EXIT_REFUSED, "out of memory");
        return failure_report(&failure);
    }
    *sponsor = (struct sponsor){.cli = cli, .host = host, .fd = -1, .count = options->count};
    for (unsigned i = 0; i < ASKING_MAX; i++) {
        sponsor->asking[i].fd = -1;
    }
    const char *const given = cli->control;
    choose_control(cli, host, control);
    const enum exit_code code = run(sponsor, options);
    cli->control = given;
    for (unsigned i = 0; i < ASKING_MAX; i++) {
        if (sponsor->asking[i].fd >= 0) {
            hang_up(&sponsor->asking[i]);
        }
    }
    if (sponsor->fd >= 0) {
        (void)close(sponsor->fd);
    }
    secret_wipe(sponsor, sizeof *sponsor);
    free(sponsor);
    return code;
}
