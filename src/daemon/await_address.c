#include "daemon/await_address.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/supervisor.h"
#include "runtime/host/host_address.h"
#include "runtime/process/log.h"
#include "words/address_text.h"

enum { LOOK_AGAIN_S = 1, WORDS_MAX = CONFIG_MESSAGE_MAX + 32 };

static bool lacks_address(const struct config *config, const struct config_outcome *outcome)
{
    return outcome->lacks_address ||
           (outcome->action == CONFIG_RUN && !host_address_is_here(&config->listen));
}

static void describe(const struct config *config, const struct config_outcome *outcome,
                     char words[WORDS_MAX])
{
    char text[ADDRESS_TEXT_MAX];

    if (outcome->lacks_address) {
        snprintf(words, WORDS_MAX, "waits for an address: %s", outcome->message);
    } else {
        snprintf(words, WORDS_MAX,
                 "waits until %s is an address of this host: give it to the host, or choose "
                 "another --listen",
                 address_host_text(&config->listen, text));
    }
}

static void say(const struct config *config, enum log_level level, const char *words)
{
    struct log log;

    log_init(&log, STDERR_FILENO, config->log_level, config->log_format, config->name);
    log_line(&log, level, "address", "%s", words);
    supervisor_say_status(words);
}

/* Those that a daemon acts on. Until it runs, any but the first two means: look again. */
static void choose_signals(sigset_t *set)
{
    (void)sigemptyset(set);
    (void)sigaddset(set, SIGTERM);
    (void)sigaddset(set, SIGINT);
    (void)sigaddset(set, SIGHUP);
    (void)sigaddset(set, SIGUSR1);
    (void)sigaddset(set, SIGUSR2);
}

bool await_address(struct config *config, struct config_outcome *outcome, int argc, char **argv,
                   const struct config_host *host)
{
    const struct timespec pause = {.tv_sec = LOOK_AGAIN_S};
    char words[WORDS_MAX];
    char said[WORDS_MAX] = "";
    bool is_told = false;
    sigset_t set;
    sigset_t before;

    if (!lacks_address(config, outcome)) {
        return true;
    }
    choose_signals(&set);
    (void)sigprocmask(SIG_BLOCK, &set, &before);
    while (!is_told && lacks_address(config, outcome)) {
        describe(config, outcome, words);
        if (strcmp(words, said) != 0) {
            memcpy(said, words, sizeof said);
            say(config, LOG_WARN, words);
        }
        const int number = sigtimedwait(&set, NULL, &pause);
        is_told = number == SIGTERM || number == SIGINT;
        config_parse(config, outcome, argc, argv, host);
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return !is_told;
}
