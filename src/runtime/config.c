#include "runtime/config.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"
#include "runtime/config_file.h"
#include "runtime/config_slips.h"
#include "runtime/flags.h"
#include "runtime/options.h"
#include "words/address_text.h"

enum {
    LOCATION_MAX = 400, /* bytes of "PATH:LINE: KEY", cut where the path is long */
    CANDIDATES_MAX = 4, /* addresses of this host that a refusal lists */
};

/* The configuration as far as it is read. */
struct reading {
    struct draft draft;
    struct config_outcome *outcome;
    const struct config_host *host;
    bool refused;
};

static bool refuse(struct reading *reading, int exit_code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes the one line that refuses the configuration; returns false. What somebody typed may be
 * quoted in it, so control characters are taken out. */
static bool refuse(struct reading *reading, int exit_code, const char *format, ...)
{
    struct config_outcome *outcome = reading->outcome;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(outcome->message, sizeof outcome->message, format, arguments);
    va_end(arguments);
    for (char *c = outcome->message; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f) {
            *c = '?';
        }
    }
    reading->refused = true;
    outcome->action = CONFIG_REFUSED;
    outcome->exit_code = exit_code;
    return false;
}

/* Says where the value of an option came from, as a refusal begins: "--seed",
 * "DOYEN_SEED", "doyen.ini:3: seed". */
static void locate(const struct reading *reading, const struct setting *option,
                   struct config_origin origin, char out[LOCATION_MAX])
{
    char variable[OPTION_VARIABLE_MAX];

    switch (origin.source) {
    case SOURCE_DEFAULT:
    case SOURCE_FLAG:
        snprintf(out, LOCATION_MAX, "--%s", option->name);
        break;
    case SOURCE_ENVIRONMENT:
        option_variable(option, variable);
        snprintf(out, LOCATION_MAX, "%s", variable);
        break;
    case SOURCE_FILE:
        snprintf(out, LOCATION_MAX, "%.300s:%u: %s", reading->outcome->file, origin.line,
                 option->name);
        break;
    }
}

/* Takes one text for the option in row `index`. */
static bool take(struct reading *reading, size_t index, const char *text,
                 struct config_origin origin)
{
    const struct setting *option = option_at(index);
    struct config_origin *known = &reading->outcome->origins[index];
    struct complaint complaint = {.exit_code = 0};
    char where[LOCATION_MAX];

    assert(option->parse != NULL);
    locate(reading, option, origin, where);
    if (origin.source == SOURCE_FILE && known->source == SOURCE_FILE && !option->repeatable) {
        return refuse(reading, EXIT_CONFIGURATION, "%s: said before, in line %u: keep one", where,
                      known->line);
    }
    if (origin.source > known->source) {
        *known = origin;
        if (option->clear != NULL) {
            option->clear(&reading->draft);
        }
    }
    if (text[0] == '\0') {
        (void)complaint_set(&complaint, "is empty: give a value or leave it out");
    } else if (option->parse(&reading->draft, text, &complaint)) {
        return true;
    }

    const int by_source = origin.source == SOURCE_FLAG ? EXIT_USAGE : EXIT_CONFIGURATION;
    return refuse(reading, complaint.exit_code != 0 ? complaint.exit_code : by_source, "%s: %s",
                  where, complaint.text);
}

/* --- The sources, weakest first -------------------------------------------------------------- */

static void take_defaults(struct reading *reading)
{
    for (size_t i = 0; i < option_count(); i++) {
        const struct setting *option = option_at(i);
        if (option->parse != NULL && option->fallback != NULL) {
            bool taken = take(reading, i, option->fallback,
                              (struct config_origin){.source = SOURCE_DEFAULT});
            assert(taken);
            (void)taken;
        }
    }
}

static bool take_from_file(void *context, const char *key, const char *value, uint32_t line)
{
    struct reading *reading = context;
    const size_t index = option_find(key);
    const char *file = reading->outcome->file;

    if (index == option_count()) {
        const char *near = option_suggest(key, true);
        if (near != NULL) {
            return refuse(reading, EXIT_CONFIGURATION,
                          "%.300s:%u: unknown key '%.60s' (did you mean '%s'?)", file, line, key,
                          near);
        }
        return refuse(reading, EXIT_CONFIGURATION,
                      "%.300s:%u: unknown key '%.60s': see doyend --help for the options", file,
                      line, key);
    }
    if (option_at(index)->role != ROLE_SETTING) {
        return refuse(reading, EXIT_CONFIGURATION,
                      "%.300s:%u: '%s' cannot be said in a file: give it as --%s", file, line, key,
                      key);
    }
    return take(reading, index, value, (struct config_origin){.source = SOURCE_FILE, .line = line});
}

/* An empty variable counts as unset. */
static const char *variable_of(const struct reading *reading, const struct setting *option)
{
    char variable[OPTION_VARIABLE_MAX];

    option_variable(option, variable);
    const char *text = reading->host->variable(reading->host->context, variable);
    return text != NULL && text[0] != '\0' ? text : NULL;
}

/* Takes the items of a list, which commas separate. */
static bool take_list(struct reading *reading, size_t index, const char *list,
                      struct config_origin origin)
{
    char item[OPTION_TEXT_MAX];

    for (;;) {
        const size_t length = strcspn(list, ",");
        if (!text_set(item, sizeof item, list, length)) {
            char where[LOCATION_MAX];
            locate(reading, option_at(index), origin, where);
            return refuse(reading, EXIT_CONFIGURATION, "%s: an item of %zu bytes: shorten it",
                          where, length);
        }
        if (!take(reading, index, item, origin)) {
            return false;
        }
        if (list[length] == '\0') {
            return true;
        }
        list += length + 1;
    }
}

static bool take_environment(struct reading *reading)
{
    const struct config_origin origin = {.source = SOURCE_ENVIRONMENT};

    for (size_t i = 0; i < option_count(); i++) {
        const struct setting *option = option_at(i);
        if (option->parse == NULL) {
            continue;
        }
        const char *text = variable_of(reading, option);
        if (text == NULL) {
            continue;
        }
        if (!(option->repeatable ? take_list(reading, i, text, origin)
                                 : take(reading, i, text, origin))) {
            return false;
        }
    }
    return true;
}

static bool take_flag(void *context, size_t index, const char *text)
{
    if (option_at(index)->parse == NULL) {
        return true; /* Seen by the survey. */
    }
    return take(context, index, text != NULL ? text : "yes",
                (struct config_origin){.source = SOURCE_FLAG});
}

/* --- What is settled when all sources are read ----------------------------------------------- */

/* Refuses what fits in itself but not with the rest, at the place of the option called `name`. */
static bool refuse_option(struct reading *reading, const char *name, const char *why)
{
    const size_t index = option_find(name);
    char where[LOCATION_MAX];

    assert(index < option_count());
    locate(reading, option_at(index), reading->outcome->origins[index], where);
    return refuse(reading, EXIT_CONFIGURATION, "%s: %s", where, why);
}

/* The host name as it is where it may be a name, else up to its first dot. */
static bool settle_name(struct reading *reading)
{
    struct config *config = &reading->draft.config;
    char host[CONFIG_HOST_MAX + 1];

    if (config->name[0] != '\0') {
        return true;
    }
    if (!reading->host->name(reading->host->context, host, sizeof host)) {
        return refuse_option(reading, "name", "this host has no name to go by: give one");
    }
    if (!option_name_is_valid(host)) {
        host[strcspn(host, ".")] = '\0';
    }
    if (!option_name_is_valid(host)) {
        return refuse_option(reading, "name",
                             "the host name does not serve as a member's name: give one of 1 to 63 "
                             "A-Z a-z 0-9 . _ -");
    }
    return text_set(config->name, sizeof config->name, host, strlen(host));
}

static bool settle_control(struct reading *reading)
{
    struct config *config = &reading->draft.config;

    if (config->control[0] != '\0') {
        return true;
    }
    const char *runtime_dir = reading->host->variable(reading->host->context, "XDG_RUNTIME_DIR");
    const bool has_dir = runtime_dir != NULL && runtime_dir[0] == '/';
    const int length = snprintf(config->control, sizeof config->control, "%s/doyen/%s.sock",
                                has_dir ? runtime_dir : "/run", config->name);
    if (length < 0 || (size_t)length >= sizeof config->control) {
        return refuse_option(reading, "control",
                             "the default path is longer than 107 bytes: give a shorter one");
    }
    return true;
}

static bool settle_timing(struct reading *reading)
{
    struct draft *draft = &reading->draft;
    struct timing *timing = &draft->config.timing;

    *timing = timing_of(draft->config.profile);
    timing_override(timing, draft->heartbeat_ms, draft->lost_ms);
    if (draft->lost_ms != 0 && timing->lost_ms != draft->lost_ms) {
        /* Too few heartbeats tell it apart from loss: timing_override has raised it. */
        char why[160];
        char heartbeat[VALUE_DURATION_MAX];
        char least[VALUE_DURATION_MAX];
        value_duration_print(timing->heartbeat_ms, heartbeat);
        value_duration_print(timing->lost_ms, least);
        snprintf(why, sizeof why,
                 "too short for heartbeats every %s: use %s or more, or a shorter --heartbeat",
                 heartbeat, least);
        return refuse_option(reading, "fail-after", why);
    }
    return true;
}

/* Refuses to guess: which of this host's addresses can the others reach? */
static bool refuse_ambiguous(struct reading *reading, const struct address *addresses, size_t count)
{
    char why[CONFIG_MESSAGE_MAX];
    char text[ADDRESS_TEXT_MAX];
    size_t used = 0;

    if (count == 0) {
        return refuse_option(reading, "advertise",
                             "this host has no address but loopback, and listens on all: listen on "
                             "127.0.0.1:7420, or say what others are told");
    }
    used = (size_t)snprintf(why, sizeof why, "this host listens on all of its addresses (");
    for (size_t i = 0; i < count && i < CANDIDATES_MAX; i++) {
        used += (size_t)snprintf(why + used, sizeof why - used, "%s%s", i == 0 ? "" : ", ",
                                 address_host_text(&addresses[i], text));
    }
    snprintf(why + used, sizeof why - used, "%s): say which one others are told, as in %s",
             count > CANDIDATES_MAX ? ", ..." : "", address_text(&addresses[0], text));
    return refuse_option(reading, "advertise", why);
}

static bool settle_advertise(struct reading *reading)
{
    struct config *config = &reading->draft.config;
    struct address found[CANDIDATES_MAX];

    if (!address_is_none(&config->advertise)) {
        if (config->advertise.port == 0) {
            config->advertise.port = config->listen.port;
        }
        if (config->listen.family == 4 && config->advertise.family == 6) {
            return refuse_option(reading, "advertise",
                                 "an IPv6 address, but --listen is IPv4: make them alike");
        }
        return true;
    }
    if (!address_is_wildcard(&config->listen)) {
        config->advertise = config->listen;
        return true;
    }

    const struct config_host *host = reading->host;
    const size_t count = host->addresses(host->context, config->listen.family, found,
                                         CANDIDATES_MAX);
    for (size_t i = 0; i < count && i < CANDIDATES_MAX; i++) {
        found[i].port = config->listen.port;
    }
    if (count != 1) {
        return refuse_ambiguous(reading, found, count);
    }
    config->advertise = found[0];
    return true;
}

static bool settle_guard(struct reading *reading)
{
    struct config *config = &reading->draft.config;

    if (config->guard.policy == GUARD_MAJORITY) {
        if (reading->draft.size == 0) {
            return refuse_option(reading, "guard",
                                 "a majority of how many? Say how many members the whole cluster "
                                 "has: add --size N");
        }
        config->guard.count = reading->draft.size;
    } else if (reading->draft.size > 0) {
        return refuse_option(reading, "size",
                             "belongs to --guard majority: add that, or leave it out");
    }
    if (guard_needed(&config->guard) > config->capacity) {
        char why[120];
        snprintf(why, sizeof why,
                 "%u members never come together with a capacity of %u: raise --capacity",
                 guard_needed(&config->guard), config->capacity);
        return refuse_option(reading, "guard", why);
    }
    return true;
}

static bool settle_http(struct reading *reading)
{
    const struct config *config = &reading->draft.config;

    if (config->http_on && address_equal(&config->http, &config->listen)) {
        return refuse_option(reading, "http",
                             "peers are served at this address already: choose another port");
    }
    return true;
}

/* --- All of it ------------------------------------------------------------------------------- */

/* First look at the flags: what is to be done, and which file is to be read? */
static bool survey(void *context, size_t index, const char *text)
{
    struct reading *reading = context;
    struct config_outcome *outcome = reading->outcome;
    struct complaint complaint = {.exit_code = 0};

    switch (option_at(index)->role) {
    case ROLE_SETTING:
        return true;
    case ROLE_CONFIG:
        outcome->origins[index] = (struct config_origin){.source = SOURCE_FLAG};
        if (!value_path(text, outcome->file, sizeof outcome->file, &complaint)) {
            return refuse(reading, EXIT_USAGE, "--config: %s", complaint.text);
        }
        return true;
    case ROLE_CHECK:
        outcome->action = outcome->action == CONFIG_RUN ? CONFIG_CHECK : outcome->action;
        return true;
    case ROLE_PRINT:
        outcome->action = CONFIG_PRINT; /* Checks as well. */
        return true;
    case ROLE_HELP:
        outcome->action = CONFIG_HELP;
        return false;
    case ROLE_USAGE:
        outcome->action = CONFIG_USAGE;
        return false;
    case ROLE_VERSION:
        outcome->action = CONFIG_VERSION;
        return false;
    }
    return false;
}

static bool read_file(struct reading *reading)
{
    struct config_outcome *outcome = reading->outcome;
    const size_t index = option_find("config");
    struct complaint complaint = {.exit_code = 0};

    if (outcome->file[0] == '\0') {
        const char *path = variable_of(reading, option_at(index));
        if (path == NULL) {
            return true;
        }
        outcome->origins[index] = (struct config_origin){.source = SOURCE_ENVIRONMENT};
        if (!value_path(path, outcome->file, sizeof outcome->file, &complaint)) {
            return refuse(reading, EXIT_CONFIGURATION, "DOYEN_CONFIG: %s", complaint.text);
        }
    }
    if (!config_file_read(outcome->file, take_from_file, reading, &complaint)) {
        return refuse(reading, EXIT_CONFIGURATION, "%s", complaint.text);
    }
    return !reading->refused;
}

void config_parse(struct config *config, struct config_outcome *outcome, int argc, char **argv,
                  const struct config_host *host)
{
    struct reading reading = {.outcome = outcome, .host = host};
    struct complaint complaint = {.exit_code = 0};

    *outcome = (struct config_outcome){.action = CONFIG_RUN};
    take_defaults(&reading);
    if (!flags_walk(argc, argv, survey, &reading, &complaint)) {
        (void)refuse(&reading, EXIT_USAGE, "%s", complaint.text);
    }
    switch (outcome->action) {
    case CONFIG_HELP:
    case CONFIG_USAGE:
    case CONFIG_VERSION:
    case CONFIG_REFUSED:
        return;
    case CONFIG_RUN:
    case CONFIG_CHECK:
    case CONFIG_PRINT:
        break;
    }

    if (read_file(&reading) && take_environment(&reading) &&
        flags_walk(argc, argv, take_flag, &reading, &complaint) && !reading.refused &&
        settle_name(&reading) && settle_control(&reading) && settle_timing(&reading) &&
        settle_advertise(&reading) && settle_guard(&reading) && settle_http(&reading)) {
        *config = reading.draft.config;
        config_slips(host, outcome->warning);
    }
}
