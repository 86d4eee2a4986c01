#include "daemon/seed_ways.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "runtime/host/clock.h"
#include "runtime/host/host_address.h"
#include "words/address_text.h"

enum {
    FIRST_WAIT_MS = 1000, /* as most names take less */
    ADDRESSES_MAX = 16,   /* of one name; less than a pipe takes at once */
};

/* --- In the process that looks up ------------------------------------------------------------- */

_Noreturn static void look_up(const char *host, pid_t parent, int answer)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_ADDRCONFIG};
    struct address addresses[ADDRESSES_MAX];
    struct addrinfo *list = NULL;
    size_t count = 0;

    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent ||
        getaddrinfo(host, NULL, &hints, &list) != 0) {
        _exit(EXIT_FAILURE);
    }
    memset(addresses, 0, sizeof addresses);
    for (const struct addrinfo *at = list; at != NULL && count < ADDRESSES_MAX; at = at->ai_next) {
        count += address_from_sockaddr(at->ai_addr, &addresses[count]);
    }
    const size_t bytes = count * sizeof addresses[0];
    _exit(write(answer, addresses, bytes) == (ssize_t)bytes ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* --- In the one that starts ------------------------------------------------------------------- */

static struct seed_question *find(struct seed_ways *ways, const char *host)
{
    for (size_t i = 0; i < CONFIG_SEEDS_MAX; i++) {
        if (text_equal(ways->questions[i].host, host)) {
            return &ways->questions[i];
        }
    }
    return NULL;
}

static void begin(struct seed_question *question, const char *host)
{
    const pid_t self = getpid();
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0) {
        return;
    }
    const pid_t pid = fork();
    if (pid == 0) {
        look_up(host, self, ends[1]);
    }
    (void)close(ends[1]);
    if (pid < 0) {
        (void)close(ends[0]);
        return;
    }
    question->pid = pid;
    question->answer = ends[0];
    (void)text_set(question->host, sizeof question->host, host, strlen(host));
}

static void end(struct seed_question *question)
{
    (void)kill(question->pid, SIGKILL);
    while (waitpid(question->pid, NULL, 0) < 0 && errno == EINTR) {
        /* Again. */
    }
    (void)close(question->answer);
    question->host[0] = '\0';
}

static int patience_ms(struct seed_ways *ways)
{
    const uint64_t now_ms = clock_ms();

    if (ways->until_ms == 0) {
        ways->until_ms = now_ms + FIRST_WAIT_MS;
    }
    return ways->until_ms > now_ms ? (int)(ways->until_ms - now_ms) : 0;
}

/* Returns how many addresses the name has, as far as that is known by now. */
static size_t ask(struct seed_ways *ways, const char *host, struct address out[ADDRESSES_MAX])
{
    assert(ways != NULL); /* It comes as a context. */
    struct seed_question *question = find(ways, host);

    if (question == NULL) {
        question = find(ways, "");
        if (question == NULL) {
            return 0; /* Names that the configuration had before take all places. */
        }
        begin(question, host);
    }
    if (question->host[0] == '\0') {
        return 0; /* There is no process for it now. */
    }
    struct pollfd answer = {.fd = question->answer, .events = POLLIN};
    if (poll(&answer, 1, patience_ms(ways)) <= 0) {
        return 0;
    }
    const ssize_t length = read(question->answer, out, ADDRESSES_MAX * sizeof out[0]);
    end(question); /* The next look asks anew. */
    return length <= 0 ? 0 : (size_t)length / sizeof out[0];
}

static bool toward(void *context, const struct endpoint *seed, struct address *out)
{
    struct address addresses[ADDRESSES_MAX];
    size_t count = 1;

    if (!address_parse_host(seed->host, seed->port, &addresses[0])) {
        count = ask(context, seed->host, addresses);
    }
    for (size_t i = 0; i < count; i++) {
        addresses[i].port = seed->port;
        if (host_address_toward(&addresses[i], out)) {
            return true;
        }
    }
    return false;
}

void seed_ways_begin(struct seed_ways *ways, struct config_host *host)
{
    *ways = (struct seed_ways){.until_ms = 0};
    host->address_toward = toward;
    host->context = ways;
}

void seed_ways_end(struct seed_ways *ways)
{
    for (size_t i = 0; i < CONFIG_SEEDS_MAX; i++) {
        if (ways->questions[i].host[0] != '\0') {
            end(&ways->questions[i]);
        }
    }
}
