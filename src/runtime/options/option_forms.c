#include "runtime/options/option_forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "runtime/options/option_kinds.h"
#include "runtime/options/tag_list.h"
#include "words/address_text.h"
#include "words/terms_text.h"

/* --- This node --- */

static bool parse_advertise(const struct setting *option, struct partial_config *partial,
                            const char *text, struct complaint *complaint)
{
    (void)option;
    struct address *advertise = &partial->config.advertise;

    /* Without a port it stays 0 until the port of --listen is known. */
    if (!value_address(text, 0, advertise, complaint)) {
        return false;
    }
    if (!address_is_of_one_host(advertise)) {
        return complaint_set(complaint, VALUE_NO_SINGLE_ADDRESS, text);
    }
    return true;
}

const struct option_kind option_advertise = {.parse = parse_advertise,
                                             .print = option_print_address};

static bool parse_tag(const struct setting *option, struct partial_config *partial,
                      const char *text, struct complaint *complaint)
{
    (void)option;
    struct tags *tags = &partial->config.tags;
    const char *equals = strchr(text, '=');

    if (equals != NULL && tag_list_has(tags, text, (size_t)(equals - text))) {
        return complaint_set(complaint, "the tag '%.*s' is given twice: keep one",
                             (int)(equals - text < 60 ? equals - text : 60), text);
    }
    return tag_list_set(tags, text, complaint);
}

static void clear_tags(struct partial_config *partial)
{
    partial->config.tags = (struct tags){.length = 0};
}

static bool print_tag(const struct setting *option, const struct config *config, uint32_t index,
                      char *out)
{
    (void)option;
    const struct tags *tags = &config->tags;
    size_t at = 0;

    while (index > 0 && at < tags->length) {
        at += strlen(tags->text + at) + 1;
        index--;
    }
    return at < tags->length && option_print_text(tags->text + at, 0, out);
}

const struct option_kind option_tag = {.parse = parse_tag, .clear = clear_tags, .print = print_tag};

/* --- The cluster --- */

static bool parse_seed(const struct setting *option, struct partial_config *partial,
                       const char *text, struct complaint *complaint)
{
    (void)option;
    struct config *config = &partial->config;

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

static void clear_seeds(struct partial_config *partial)
{
    partial->config.seed_count = 0;
}

static bool print_seed(const struct setting *option, const struct config *config, uint32_t index,
                       char *out)
{
    (void)option;
    if (index >= config->seed_count) {
        return false;
    }
    char text[VALUE_ENDPOINT_MAX];

    value_endpoint_print(&config->seeds[index], text);
    return option_print_text(text, 0, out);
}

const struct option_kind option_seed = {
    .parse = parse_seed, .clear = clear_seeds, .print = print_seed};

static bool parse_guard(const struct setting *option, struct partial_config *partial,
                        const char *text, struct complaint *complaint)
{
    (void)option;
    struct guard *guard = &partial->config.guard;

    if (text_equal(text, "none")) {
        *guard = (struct guard){.policy = GUARD_NONE};
        return true;
    }
    if (text_equal(text, "majority")) {
        *guard = (struct guard){.policy = GUARD_MAJORITY}; /* Of what is settled with --size. */
        return true;
    }
    if (text_equal(text, "strict")) {
        *guard = (struct guard){.policy = GUARD_STRICT}; /* Of the --voters. */
        return true;
    }
    if (text[0] < '0' || text[0] > '9') {
        return complaint_set(
            complaint, "unknown guard '%.60s': use none, a number of members, majority, or strict",
            text);
    }
    guard->policy = GUARD_COUNT;
    return value_number(text, 1, MEMBER_MAX, &guard->count, complaint);
}

static bool print_guard(const struct setting *option, const struct config *config, uint32_t index,
                        char *out)
{
    (void)option;
    char text[GUARD_TEXT_MAX];

    guard_text(&config->guard, text);
    return option_print_text(text, index, out);
}

const struct option_kind option_guard = {.parse = parse_guard, .print = print_guard};

static bool parse_size(const struct setting *option, struct partial_config *partial,
                       const char *text, struct complaint *complaint)
{
    return value_number(text, (uint32_t)option->min, (uint32_t)option->max, &partial->size,
                        complaint);
}

static bool print_size(const struct setting *option, const struct config *config, uint32_t index,
                       char *out)
{
    (void)option;
    char text[16];

    if (config->guard.policy != GUARD_MAJORITY) {
        return false;
    }
    snprintf(text, sizeof text, "%u", config->guard.count);
    return option_print_text(text, index, out);
}

const struct option_kind option_size = {.parse = parse_size, .print = print_size};

static bool parse_join_timeout(const struct setting *option, struct partial_config *partial,
                               const char *text, struct complaint *complaint)
{
    if (text_equal(text, "none")) {
        partial->config.join_timeout_ms = 0;
        return true;
    }
    return value_duration(text, option->min, option->max, &partial->config.join_timeout_ms,
                          complaint);
}

static bool print_join_timeout(const struct setting *option, const struct config *config,
                               uint32_t index, char *out)
{
    (void)option;
    char text[VALUE_DURATION_MAX] = "none";

    if (config->join_timeout_ms != 0) {
        value_duration_print(config->join_timeout_ms, text);
    }
    return option_print_text(text, index, out);
}

const struct option_kind option_join_timeout = {.parse = parse_join_timeout,
                                                .print = print_join_timeout};

static bool parse_detect(const struct setting *option, struct partial_config *partial,
                         const char *text, struct complaint *complaint)
{
    return value_duration(text, option->min, option->max, &partial->detect_ms, complaint);
}

static bool print_detect(const struct setting *option, const struct config *config, uint32_t index,
                         char *out)
{
    (void)option;
    char text[VALUE_DURATION_MAX];

    value_duration_print(config->detect_ms, text);
    return config->detect_ms != 0 && option_print_text(text, index, out);
}

const struct option_kind option_detect = {.parse = parse_detect, .print = print_detect};

enum { READY_MS_MAX = 60 * 60 * 1000 };

/* What the next owner needs is said with the partitions, for without them it says nothing. */
static bool parse_partitions(const struct setting *option, struct partial_config *partial,
                             const char *text, struct complaint *complaint)
{
    const size_t length = strcspn(text, ",");
    char number[16];

    partial->config.partitions_ready_ms = 0;
    if (text[length] != '\0' && !value_duration(text + length + 1, 0, READY_MS_MAX,
                                                &partial->config.partitions_ready_ms, complaint)) {
        return false;
    }
    if (length >= sizeof number) {
        return complaint_set(complaint, "'%.80s' is no number: write N, or N,DUR as in 64,2s",
                             text);
    }
    (void)text_set(number, sizeof number, text, length);
    return value_number(number, (uint32_t)option->min, (uint32_t)option->max,
                        &partial->config.partitions, complaint);
}

static bool print_partitions(const struct setting *option, const struct config *config,
                             uint32_t index, char *out)
{
    char ready[VALUE_DURATION_MAX];
    char text[16 + VALUE_DURATION_MAX];

    (void)option;
    value_duration_print(config->partitions_ready_ms, ready);
    snprintf(text, sizeof text, "%u%s%s", config->partitions,
             config->partitions_ready_ms > 0 ? "," : "",
             config->partitions_ready_ms > 0 ? ready : "");
    return config->partitions != 0 && option_print_text(text, index, out);
}

const struct option_kind option_partitions = {.parse = parse_partitions, .print = print_partitions};

static bool add_voter(struct voters *voters, const char *name, struct complaint *complaint)
{
    if (!option_name_is_valid(name)) {
        return complaint_set(complaint,
                             "'%.80s' is not a name: write names of members, with commas between "
                             "them",
                             name);
    }
    if (voters_find(voters, name) != VOTER_NONE) {
        return complaint_set(complaint, "'%.80s' is named twice: each voter counts once", name);
    }
    if (voters->count == VOTERS_MAX) {
        return complaint_set(complaint,
                             "more than %d voters: name fewer; other nodes may coordinate "
                             "all the same",
                             VOTERS_MAX);
    }
    return text_set(voters->names[voters->count++], NAME_BYTES_MAX + 1, name, strlen(name));
}

/* One text, for the list is one fact: all nodes have the same, in the same order. */
static bool parse_voters(const struct setting *option, struct partial_config *partial,
                         const char *text, struct complaint *complaint)
{
    (void)option;
    struct voters *voters = &partial->config.voters;
    char name[NAME_BYTES_MAX + 2]; /* One byte more than a name: what is longer is none. */

    *voters = (struct voters){.count = 0};
    for (;;) {
        const size_t length = strcspn(text, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name),
                 text);
        if (!add_voter(voters, name, complaint)) {
            return false;
        }
        if (text[length] == '\0') {
            return true;
        }
        text += length + 1;
    }
}

static bool print_voters(const struct setting *option, const struct config *config, uint32_t index,
                         char *out)
{
    (void)option;
    char text[VOTERS_TEXT_MAX];

    voters_text(&config->voters, text);
    return option_print_text(text, index, out);
}

const struct option_kind option_voters = {.parse = parse_voters, .print = print_voters};

/* --- Clients --- */

static bool parse_group(const struct setting *option, struct partial_config *partial,
                        const char *text, struct complaint *complaint)
{
    if (!text_set((char *)partial + option->into, CONFIG_GROUP_MAX + 1, text, strlen(text))) {
        return complaint_set(complaint, "a group's name of %zu bytes: use at most %d", strlen(text),
                             CONFIG_GROUP_MAX);
    }
    return true;
}

const struct option_kind option_group = {.parse = parse_group, .print = option_print_field};

/* Reading it takes nothing, and connecting takes the right to write: the digits are those of a
 * file all the same, because that is what ls shows. */
static bool parse_control_mode(const struct setting *option, struct partial_config *partial,
                               const char *text, struct complaint *complaint)
{
    (void)option;
    const size_t length = strlen(text);

    if (length < 3 || length > 4 || strspn(text, "01234567") != length) {
        return complaint_set(complaint, "'%.60s' is not a mode: write it in octal, as in 0660",
                             text);
    }
    const unsigned long mode = strtoul(text, NULL, 8);
    if ((mode & ~0666UL) != 0 || (mode & 0600) != 0600) {
        return complaint_set(complaint,
                             "'%s' does not suit a socket: 6 for the owner, and 0 to 6 for the "
                             "group and for all, as in 0660",
                             text);
    }
    partial->config.control_mode = (mode_t)mode;
    return true;
}

static bool print_control_mode(const struct setting *option, const struct config *config,
                               uint32_t index, char *out)
{
    (void)option;
    char text[8];

    snprintf(text, sizeof text, "%04o", (unsigned)config->control_mode);
    return option_print_text(text, index, out);
}

const struct option_kind option_mode = {.parse = parse_control_mode, .print = print_control_mode};

static bool parse_http(const struct setting *option, struct partial_config *partial,
                       const char *text, struct complaint *complaint)
{
    (void)option;
    struct config *config = &partial->config;

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

static bool print_http(const struct setting *option, const struct config *config, uint32_t index,
                       char *out)
{
    (void)option;
    char text[ADDRESS_TEXT_MAX];

    return option_print_text(config->http_on ? address_text(&config->http, text) : "off", index,
                             out);
}

const struct option_kind option_http = {.parse = parse_http, .print = print_http};

static bool parse_http_host(const struct setting *option, struct partial_config *partial,
                            const char *text, struct complaint *complaint)
{
    (void)option;
    struct config *config = &partial->config;
    struct endpoint endpoint;

    if (config->http_host_count == CONFIG_HTTP_HOSTS_MAX) {
        return complaint_set(complaint, "more than %d names: name fewer", CONFIG_HTTP_HOSTS_MAX);
    }
    const char *scheme_end = strstr(text, "://");
    if (scheme_end != NULL) {
        const char *host = scheme_end + strlen("://");
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(host, "/:"), host);
        return complaint_set(complaint, "'%.60s' is a URL: give its host name alone, %s", text,
                             name[0] == '\0' ? "as in www.example.com" : name);
    }
    if (strchr(text, ':') != NULL || strchr(text, '[') != NULL) {
        return complaint_set(complaint,
                             "'%.60s' is more than a host name: write it without a port; addresses "
                             "need not be named",
                             text);
    }
    if (!value_endpoint(text, CONFIG_PORT_DEFAULT, &endpoint, complaint)) {
        return complaint_set(complaint,
                             "'%.60s' is no host name: use at most %d letters, digits, dots and "
                             "dashes, and no number last",
                             text, CONFIG_HOST_MAX);
    }
    /* Requests are compared without the dot that may end a full name, too. */
    const size_t length = strlen(text);
    const bool ends_in_dot = length > 1 && text[length - 1] == '.';

    return text_set(config->http_hosts[config->http_host_count++], CONFIG_HOST_MAX + 1, text,
                    length - ends_in_dot);
}

static void clear_http_hosts(struct partial_config *partial)
{
    partial->config.http_host_count = 0;
}

static bool print_http_host(const struct setting *option, const struct config *config,
                            uint32_t index, char *out)
{
    (void)option;
    return index < config->http_host_count && option_print_text(config->http_hosts[index], 0, out);
}

const struct option_kind option_http_host = {
    .parse = parse_http_host, .clear = clear_http_hosts, .print = print_http_host};
