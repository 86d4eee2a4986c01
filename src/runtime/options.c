#include "runtime/options.h"

#include <assert.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"
#include "base/utf8.h"
#include "words/address_text.h"
#include "words/terms_text.h"

enum {
    HEARTBEAT_MS_MIN = 5,
    HEARTBEAT_MS_MAX = 60000,
    FAIL_AFTER_MS_MIN = 15,
    FAIL_AFTER_MS_MAX = 3600000,
    JOIN_TIMEOUT_MS_MIN = 1,
    JOIN_TIMEOUT_MS_MAX = 86400000,
};

/* Index 0 stands for the enumerator 1: those values are on the wire, where 0 means nothing. */
static const char *const profile_words[] = {"local", "lan", "wan"};

/* In the order of their enumerators. */
static const char *const level_words[] = {"error", "warn", "info", "debug"};
static const char *const format_words[] = {"auto", "text", "json"};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static bool print_text(const char *text, uint32_t index, char *out)
{
    if (index > 0 || text[0] == '\0') {
        return false;
    }
    snprintf(out, OPTION_TEXT_MAX, "%s", text);
    return true;
}

static bool print_duration(uint64_t ms, uint32_t index, char *out)
{
    char text[VALUE_DURATION_MAX];

    value_duration_print(ms, text);
    return print_text(text, index, out);
}

static bool print_address(const struct address *address, uint32_t index, char *out)
{
    char text[ADDRESS_TEXT_MAX];

    return print_text(address_text(address, text), index, out);
}

/* --- This node ------------------------------------------------------------------------------- */

bool option_name_is_valid(const char *text)
{
    const size_t length = strlen(text);

    return length >= 1 && length <= NAME_BYTES_MAX &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
               length;
}

static bool parse_any_name(const char *text, char out[NAME_BYTES_MAX + 1],
                           struct complaint *complaint)
{
    if (!option_name_is_valid(text)) {
        return complaint_set(complaint, "'%.80s' is not a name: use 1 to %d of A-Z a-z 0-9 . _ -",
                             text, NAME_BYTES_MAX);
    }
    return text_set(out, NAME_BYTES_MAX + 1, text, strlen(text));
}

static bool parse_name(struct draft *draft, const char *text, struct complaint *complaint)
{
    return parse_any_name(text, draft->config.name, complaint);
}

static bool print_name(const struct config *config, uint32_t index, char *out)
{
    return print_text(config->name, index, out);
}

static bool parse_listen(struct draft *draft, const char *text, struct complaint *complaint)
{
    return value_address(text, CONFIG_PORT_DEFAULT, &draft->config.listen, complaint);
}

static bool print_listen(const struct config *config, uint32_t index, char *out)
{
    return print_address(&config->listen, index, out);
}

static bool parse_advertise(struct draft *draft, const char *text, struct complaint *complaint)
{
    struct address *advertise = &draft->config.advertise;

    /* Without a port it stays 0 until the port of --listen is known. */
    if (!value_address(text, 0, advertise, complaint)) {
        return false;
    }
    if (address_is_wildcard(advertise)) {
        return complaint_set(
            complaint, "'%.60s' is no address that others could reach: name a single one", text);
    }
    return true;
}

static bool print_advertise(const struct config *config, uint32_t index, char *out)
{
    return print_address(&config->advertise, index, out);
}

static bool parse_state_dir(struct draft *draft, const char *text, struct complaint *complaint)
{
    return value_path(text, draft->config.state_dir, sizeof draft->config.state_dir, complaint);
}

static bool print_state_dir(const struct config *config, uint32_t index, char *out)
{
    return print_text(config->state_dir, index, out);
}

/* Is there a tag with the key that `tag` begins with, `key_bytes` long? */
static bool tags_have_key(const struct tags *tags, const char *tag, size_t key_bytes)
{
    for (size_t at = 0; at < tags->length; at += strlen(tags->text + at) + 1) {
        if (strncmp(tags->text + at, tag, key_bytes + 1) == 0) {
            return true; /* Compared with its '=', so that a longer key is another one. */
        }
    }
    return false;
}

static bool parse_tag(struct draft *draft, const char *text, struct complaint *complaint)
{
    struct tags *tags = &draft->config.tags;
    const char *equals = strchr(text, '=');
    const size_t bytes = strlen(text) + 1;

    if (equals == NULL || equals == text) {
        return complaint_set(complaint, "'%.60s' is not a tag: write KEY=VALUE", text);
    }
    if (!utf8_is_printable(text, strlen(text))) {
        return complaint_set(complaint,
                             "a tag has to be UTF-8 without control characters: change it");
    }
    if (tags_have_key(tags, text, (size_t)(equals - text))) {
        return complaint_set(complaint, "the tag '%.*s' is given twice: keep one",
                             (int)(equals - text < 60 ? equals - text : 60), text);
    }
    if (tags->length + bytes > TAGS_BYTES_MAX) {
        return complaint_set(complaint, "the tags take more than %d bytes: shorten them",
                             TAGS_BYTES_MAX);
    }
    memcpy(tags->text + tags->length, text, bytes);
    tags->length = (uint16_t)(tags->length + bytes);
    return true;
}

static void clear_tags(struct draft *draft)
{
    draft->config.tags = (struct tags){.length = 0};
}

static bool print_tag(const struct config *config, uint32_t index, char *out)
{
    const struct tags *tags = &config->tags;
    size_t at = 0;

    while (index > 0 && at < tags->length) {
        at += strlen(tags->text + at) + 1;
        index--;
    }
    return at < tags->length && print_text(tags->text + at, 0, out);
}

/* --- The cluster ----------------------------------------------------------------------------- */

static bool parse_cluster(struct draft *draft, const char *text, struct complaint *complaint)
{
    return parse_any_name(text, draft->config.cluster, complaint);
}

static bool print_cluster(const struct config *config, uint32_t index, char *out)
{
    return print_text(config->cluster, index, out);
}

static bool parse_seed(struct draft *draft, const char *text, struct complaint *complaint)
{
    struct config *config = &draft->config;

    if (config->seed_count == CONFIG_SEEDS_MAX) {
        return complaint_set(complaint, "more than %d seeds: one live member is enough, name fewer",
                             CONFIG_SEEDS_MAX);
    }
    if (!value_endpoint(text, CONFIG_PORT_DEFAULT, &config->seeds[config->seed_count], complaint)) {
        return false;
    }
    config->seed_count++;
    return true;
}

static void clear_seeds(struct draft *draft)
{
    draft->config.seed_count = 0;
}

static bool print_seed(const struct config *config, uint32_t index, char *out)
{
    if (index >= config->seed_count) {
        return false;
    }
    char text[VALUE_ENDPOINT_MAX];

    value_endpoint_print(&config->seeds[index], text);
    return print_text(text, 0, out);
}

static bool parse_guard(struct draft *draft, const char *text, struct complaint *complaint)
{
    struct guard *guard = &draft->config.guard;

    if (text_equal(text, "none")) {
        *guard = (struct guard){.policy = GUARD_NONE};
        return true;
    }
    if (text_equal(text, "majority")) {
        *guard = (struct guard){.policy = GUARD_MAJORITY}; /* Of what is settled with --size. */
        return true;
    }
    if (text_equal(text, "strict")) {
        complaint->exit_code = EXIT_CONFIGURATION;
        return complaint_set(complaint,
                             "guard strict is not available in this version: use none, a number "
                             "of members, or majority");
    }
    if (text[0] < '0' || text[0] > '9') {
        return complaint_set(
            complaint, "unknown guard '%.60s': use none, a number of members, or majority", text);
    }
    guard->policy = GUARD_COUNT;
    return value_number(text, 1, MEMBER_MAX, &guard->count, complaint);
}

static bool print_guard(const struct config *config, uint32_t index, char *out)
{
    char text[GUARD_TEXT_MAX];

    guard_text(&config->guard, text);
    return print_text(text, index, out);
}

static bool parse_size(struct draft *draft, const char *text, struct complaint *complaint)
{
    return value_number(text, 1, MEMBER_MAX, &draft->size, complaint);
}

static bool print_size(const struct config *config, uint32_t index, char *out)
{
    char text[16];

    if (config->guard.policy != GUARD_MAJORITY) {
        return false;
    }
    snprintf(text, sizeof text, "%u", config->guard.count);
    return print_text(text, index, out);
}

static bool parse_capacity(struct draft *draft, const char *text, struct complaint *complaint)
{
    return value_number(text, 1, MEMBER_MAX, &draft->config.capacity, complaint);
}

static bool print_capacity(const struct config *config, uint32_t index, char *out)
{
    char text[16];

    snprintf(text, sizeof text, "%u", config->capacity);
    return print_text(text, index, out);
}

static bool parse_join_timeout(struct draft *draft, const char *text, struct complaint *complaint)
{
    if (text_equal(text, "none")) {
        draft->config.join_timeout_ms = 0;
        return true;
    }
    return value_duration(text, JOIN_TIMEOUT_MS_MIN, JOIN_TIMEOUT_MS_MAX,
                          &draft->config.join_timeout_ms, complaint);
}

static bool print_join_timeout(const struct config *config, uint32_t index, char *out)
{
    return config->join_timeout_ms == 0 ? print_text("none", index, out)
                                        : print_duration(config->join_timeout_ms, index, out);
}

/* What belongs to the protocol and this version does not have. Said at once and plainly, rather
 * than taken and not done. */
static bool parse_unavailable(struct draft *draft, const char *text, struct complaint *complaint)
{
    (void)draft;
    (void)text;
    complaint->exit_code = EXIT_CONFIGURATION;
    return complaint_set(complaint,
                         "belongs to guard strict, which is not available in this version: leave "
                         "it out");
}

/* --- Timing ---------------------------------------------------------------------------------- */

static bool parse_profile(struct draft *draft, const char *text, struct complaint *complaint)
{
    size_t index = 0;

    if (!value_word(text, profile_words, COUNT_OF(profile_words), &index, complaint)) {
        return false;
    }
    draft->config.profile = (enum profile)(index + 1);
    return true;
}

static bool print_profile(const struct config *config, uint32_t index, char *out)
{
    return print_text(profile_text(config->profile), index, out);
}

static bool parse_heartbeat(struct draft *draft, const char *text, struct complaint *complaint)
{
    return value_duration(text, HEARTBEAT_MS_MIN, HEARTBEAT_MS_MAX, &draft->heartbeat_ms,
                          complaint);
}

static bool print_heartbeat(const struct config *config, uint32_t index, char *out)
{
    return print_duration(config->timing.heartbeat_ms, index, out);
}

static bool parse_fail_after(struct draft *draft, const char *text, struct complaint *complaint)
{
    return value_duration(text, FAIL_AFTER_MS_MIN, FAIL_AFTER_MS_MAX, &draft->lost_ms, complaint);
}

static bool print_fail_after(const struct config *config, uint32_t index, char *out)
{
    return print_duration(config->timing.lost_ms, index, out);
}

/* --- Clients --------------------------------------------------------------------------------- */

static bool parse_control(struct draft *draft, const char *text, struct complaint *complaint)
{
    return value_path(text, draft->config.control, sizeof draft->config.control, complaint);
}

static bool print_control(const struct config *config, uint32_t index, char *out)
{
    return print_text(config->control, index, out);
}

static bool parse_http(struct draft *draft, const char *text, struct complaint *complaint)
{
    struct config *config = &draft->config;

    if (text_equal(text, "off")) {
        config->http_on = false;
        return true;
    }
    if (!value_address(text, 0, &config->http, complaint)) {
        return false;
    }
    if (config->http.port == 0) {
        return complaint_set(complaint, "'%.60s' has no port: write ADDR:PORT", text);
    }
    config->http_on = true;
    return true;
}

static bool print_http(const struct config *config, uint32_t index, char *out)
{
    return config->http_on ? print_address(&config->http, index, out)
                           : print_text("off", index, out);
}

static bool parse_faults(struct draft *draft, const char *text, struct complaint *complaint)
{
    return value_switch(text, &draft->config.faults, complaint);
}

static bool print_faults(const struct config *config, uint32_t index, char *out)
{
    return print_text(config->faults ? "yes" : "no", index, out);
}

/* --- The log --------------------------------------------------------------------------------- */

static bool parse_log_level(struct draft *draft, const char *text, struct complaint *complaint)
{
    size_t index = 0;

    if (!value_word(text, level_words, COUNT_OF(level_words), &index, complaint)) {
        return false;
    }
    draft->config.log_level = (enum log_level)index;
    return true;
}

static bool print_log_level(const struct config *config, uint32_t index, char *out)
{
    assert(config->log_level < COUNT_OF(level_words));
    return print_text(level_words[config->log_level], index, out);
}

static bool parse_log_format(struct draft *draft, const char *text, struct complaint *complaint)
{
    size_t index = 0;

    if (!value_word(text, format_words, COUNT_OF(format_words), &index, complaint)) {
        return false;
    }
    draft->config.log_format = (enum log_format)index;
    return true;
}

static bool print_log_format(const struct config *config, uint32_t index, char *out)
{
    assert(config->log_format < COUNT_OF(format_words));
    return print_text(format_words[config->log_format], index, out);
}

static bool parse_record(struct draft *draft, const char *text, struct complaint *complaint)
{
    return value_path(text, draft->config.record, sizeof draft->config.record, complaint);
}

static bool print_record(const struct config *config, uint32_t index, char *out)
{
    return print_text(config->record, index, out);
}

/* --- The table ------------------------------------------------------------------------------- */

/* A new option is a row here, a field in struct config, and the functions between the two. */
static const struct setting options[] = {
    {.name = "name",
     .argument = "NAME",
     .help = "This member's name, unique in the cluster: 1 to 63 of A-Z a-z 0-9 . _ -",
     .fallback_note = "the host name",
     .group = GROUP_NODE,
     .parse = parse_name,
     .print = print_name},
    {.name = "listen",
     .argument = "ADDR:PORT",
     .help = "Where peers reach this node, by UDP and TCP",
     .fallback = "0.0.0.0:7420",
     .group = GROUP_NODE,
     .parse = parse_listen,
     .print = print_listen},
    {.name = "advertise",
     .argument = "ADDR:PORT",
     .help = "The address that other members are told",
     .fallback_note = "what --listen says, or this host's only address",
     .group = GROUP_NODE,
     .parse = parse_advertise,
     .print = print_advertise},
    {.name = "state-dir",
     .argument = "DIR",
     .help = "Keeps what must survive a restart: known peers, epoch, count of lives",
     .fallback_note = "none, volatile",
     .group = GROUP_NODE,
     .parse = parse_state_dir,
     .print = print_state_dir},
    {.name = "tag",
     .argument = "KEY=VALUE",
     .help = "Tells the other members something about this one; may be repeated",
     .fallback_note = "none",
     .group = GROUP_NODE,
     .repeatable = true,
     .parse = parse_tag,
     .clear = clear_tags,
     .print = print_tag},

    {.name = "cluster",
     .argument = "NAME",
     .help = "The cluster to belong to; those of different names never mix",
     .fallback = "doyen",
     .group = GROUP_CLUSTER,
     .parse = parse_cluster,
     .print = print_cluster},
    {.name = "seed",
     .argument = "HOST:PORT",
     .help = "A member to ask to be let in; may be repeated. A node whose own address is among "
             "its seeds, or that has none, may found the cluster",
     .fallback_note = "none: founds a cluster alone",
     .group = GROUP_CLUSTER,
     .repeatable = true,
     .parse = parse_seed,
     .clear = clear_seeds,
     .print = print_seed},
    {.name = "guard",
     .argument = "none|N|majority",
     .help = "The coordinator acts only while N members, itself included, or more than half of "
             "--size, were heard lately and follow it. Advisory: two sides of a split may overlap "
             "for a moment",
     .fallback = "none",
     .group = GROUP_CLUSTER,
     .parse = parse_guard,
     .print = print_guard},
    {.name = "size",
     .argument = "N",
     .help = "Members of the whole cluster, 1 to 4096: what --guard majority is the majority of. "
             "It never has more",
     .fallback_note = "none: needed with --guard majority alone",
     .group = GROUP_CLUSTER,
     .parse = parse_size,
     .print = print_size},
    {.name = "voters",
     .argument = "A,B,C",
     .help = "",
     .group = GROUP_CLUSTER,
     .hidden = true,
     .parse = parse_unavailable},
    {.name = "capacity",
     .argument = "N",
     .help = "Members that a node can hold, 1 to 4096; the same on all members",
     .fallback = "256",
     .group = GROUP_CLUSTER,
     .parse = parse_capacity,
     .print = print_capacity},
    {.name = "join-timeout",
     .argument = "DUR",
     .help = "Gives up, with exit status 1, when not let in after DUR",
     .fallback = "none",
     .group = GROUP_CLUSTER,
     .parse = parse_join_timeout,
     .print = print_join_timeout},

    {.name = "profile",
     .argument = "local|lan|wan",
     .help = "The set of timings; all members have the same",
     .fallback = "lan",
     .group = GROUP_TIMING,
     .parse = parse_profile,
     .print = print_profile},
    {.name = "heartbeat",
     .argument = "DUR",
     .help = "Between two heartbeats, 5ms to 60s",
     .fallback_note = "from the profile",
     .group = GROUP_TIMING,
     .parse = parse_heartbeat,
     .print = print_heartbeat},
    {.name = "fail-after",
     .argument = "DUR",
     .help = "Silence of a host after which it counts as lost",
     .fallback_note = "from the profile",
     .group = GROUP_TIMING,
     .parse = parse_fail_after,
     .print = print_fail_after},

    {.name = "control",
     .argument = "PATH",
     .help = "The control socket, a Unix socket; PATH has at most 107 bytes",
     .fallback_note = "$XDG_RUNTIME_DIR/doyen/NAME.sock, else /run/doyen/NAME.sock",
     .group = GROUP_CLIENTS,
     .parse = parse_control,
     .print = print_control},
    {.name = "http",
     .argument = "ADDR:PORT",
     .help = "Answers the same questions over TCP, GET only",
     .fallback = "off",
     .group = GROUP_CLIENTS,
     .parse = parse_http,
     .print = print_http},
    {.name = "faults",
     .help = "Lets the control socket drop and delay messages, for trying things out",
     .fallback = "no",
     .group = GROUP_CLIENTS,
     .parse = parse_faults,
     .print = print_faults},

    {.name = "log-level",
     .argument = "LEVEL",
     .help = "error, warn, info or debug",
     .fallback = "info",
     .group = GROUP_LOG,
     .parse = parse_log_level,
     .print = print_log_level},
    {.name = "log-format",
     .argument = "auto|text|json",
     .help = "Of the lines on stderr; auto is text on a terminal, JSON else",
     .fallback = "auto",
     .group = GROUP_LOG,
     .parse = parse_log_format,
     .print = print_log_format},
    {.name = "record",
     .argument = "FILE",
     .help = "Keeps every input of this node, up to 64 MiB, for doyen-replay; the recording of the "
             "life before becomes FILE.1",
     .fallback_note = "none",
     .group = GROUP_LOG,
     .parse = parse_record,
     .print = print_record},

    {.name = "config",
     .argument = "FILE",
     .help = "Reads KEY = VALUE lines, the keys being these options without their dashes",
     .fallback_note = "none",
     .group = GROUP_CONFIGURATION,
     .role = ROLE_CONFIG},
    {.name = "check",
     .help = "Checks the configuration and exits",
     .group = GROUP_CONFIGURATION,
     .role = ROLE_CHECK},
    {.name = "print-config",
     .help = "Prints each value and where it comes from, as a file for --config, and exits",
     .group = GROUP_CONFIGURATION,
     .role = ROLE_PRINT},
    {.name = "help",
     .help = "Prints this and exits",
     .group = GROUP_CONFIGURATION,
     .role = ROLE_HELP},
    {.name = "usage",
     .help = "Prints the options in short and exits",
     .group = GROUP_CONFIGURATION,
     .role = ROLE_USAGE},
    {.name = "version",
     .help = "Prints the version and exits",
     .group = GROUP_CONFIGURATION,
     .role = ROLE_VERSION},
};
_Static_assert(COUNT_OF(options) <= CONFIG_OPTIONS_MAX, "raise CONFIG_OPTIONS_MAX");

size_t option_count(void)
{
    return COUNT_OF(options);
}

const struct setting *option_at(size_t index)
{
    assert(index < COUNT_OF(options));
    return &options[index];
}

const char *option_group_title(enum option_group group)
{
    static const char *const titles[GROUP_COUNT] = {
        [GROUP_NODE] = "This node:",
        [GROUP_CLUSTER] = "The cluster:",
        [GROUP_TIMING] = "Timing (DUR is a number with its unit: 250ms, 2s, 1m):",
        [GROUP_CLIENTS] = "Clients:",
        [GROUP_LOG] = "The log:",
        [GROUP_CONFIGURATION] = "Configuration:",
    };
    return titles[group];
}

size_t option_find(const char *name)
{
    size_t index = 0;

    while (index < COUNT_OF(options) && !text_equal(options[index].name, name)) {
        index++;
    }
    return index;
}

const char *option_suggest(const char *name, bool settings_only)
{
    const char *names[COUNT_OF(options)];
    size_t count = 0;

    for (size_t i = 0; i < COUNT_OF(options); i++) {
        if (!options[i].hidden && (options[i].role == ROLE_SETTING || !settings_only)) {
            names[count++] = options[i].name;
        }
    }
    return suggest_nearest(name, names, count);
}

void option_variable(const struct setting *option, char out[OPTION_VARIABLE_MAX])
{
    const int length = snprintf(out, OPTION_VARIABLE_MAX, "DOYEN_%s", option->name);

    assert(length > 0 && length < OPTION_VARIABLE_MAX);
    for (char *c = out; *c != '\0'; c++) {
        if (*c == '-') {
            *c = '_';
        } else if (*c >= 'a' && *c <= 'z') {
            *c = (char)(*c - 'a' + 'A');
        }
    }
}
