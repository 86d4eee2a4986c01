#include "runtime/options/config_complete.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/text.h"
#include "election/roster.h"
#include "partition/crew.h"
#include "runtime/options/address_choice.h"
#include "runtime/options/budget.h"
#include "runtime/options/env_typos.h"
#include "runtime/options/option_kinds.h"
#include "runtime/options/options.h"
#include "runtime/options/tag_list.h"
#include "words/address_text.h"
#include "words/terms_text.h"

/* Refuses a value that is valid by itself but not with the rest; names the option called `name`. */
static bool refuse_option(struct reading *reading, const char *name, const char *why)
{
    const size_t index = option_find(name);
    char where[LOCATION_MAX];

    assert(index < option_count());
    reading_describe_origin(reading, option_at(index), reading->outcome->origins[index], where);
    return reading_refuse(reading, EXIT_CONFIGURATION, "%s: %s", where, why);
}

/* Uses the whole host name where it is a valid member name, else the part up to its first dot. */
static bool complete_name(struct reading *reading)
{
    struct config *config = &reading->partial.config;
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

/* DOYEN_CONTROL is a variable of the command doyen too: whoever set it for that may not have meant
 * the daemon. */
static void warn_of_other_socket(struct reading *reading)
{
    const struct config *config = &reading->partial.config;
    const char *slash = strrchr(config->control, '/');
    const char *file = slash == NULL ? config->control : slash + 1;
    const size_t length = strlen(config->name);

    if (strncmp(file, config->name, length) != 0 || !text_equal(file + length, ".sock")) {
        reading_warn(
            reading, "control",
            "the control socket is %s, which DOYEN_CONTROL in the environment says: if that is "
            "for the command doyen, give --control",
            config->control);
    }
}

static bool complete_control(struct reading *reading)
{
    struct config *config = &reading->partial.config;

    if (config->control[0] != '\0') {
        const struct config_origin *origin = &reading->outcome->origins[option_find("control")];
        config->control_from_environment = origin->source == SOURCE_ENVIRONMENT;
        if (config->control_from_environment) {
            warn_of_other_socket(reading);
        }
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

/* Finds the id of a group that an option names. Where `to_own`, doyend must be able to give the
 * group to its socket. */
static bool find_group(struct reading *reading, const char *option, const char *name, bool to_own,
                       gid_t *gid)
{
    char why[CONFIG_GROUP_MAX + 80];

    switch (reading->host->group(reading->host->context, name, gid)) {
    case HOST_GROUP_UNKNOWN:
        snprintf(why, sizeof why,
                 "there is no group '%s' on this host: make it with groupadd, or give another",
                 name);
        return refuse_option(reading, option, why);
    case HOST_GROUP_FOREIGN:
        return !to_own || refuse_option(reading, option,
                                        "doyend's account is not in this group: add it with "
                                        "usermod -aG, or give another");
    case HOST_GROUP_USABLE:
        break;
    }
    return true;
}

/* The socket has one group, that of those who may ask, if there is one. */
static bool complete_control_group(struct reading *reading)
{
    struct config *config = &reading->partial.config;
    const bool has_group = config->control_group[0] != '\0';
    const bool has_admin = config->control_admin[0] != '\0';

    if (config->control_mode == 0) {
        config->control_mode = has_group || has_admin ? 0660 : 0600;
    }
    if ((has_group || has_admin) && (config->control_mode & S_IWGRP) == 0) {
        return refuse_option(reading, "control-mode",
                             has_group
                                 ? "lets the members of --control-group not connect: give 0660"
                                 : "lets the members of --control-admin not connect: give 0660");
    }
    if (has_group &&
        !find_group(reading, "control-group", config->control_group, true, &config->control_gid)) {
        return false;
    }
    if (has_admin && !find_group(reading, "control-admin", config->control_admin, !has_group,
                                 &config->control_admin_gid)) {
        return false;
    }
    if (!has_group) {
        config->control_gid = config->control_admin_gid;
    } else if (!has_admin) {
        config->control_admin_gid = config->control_gid;
    }
    return true;
}

/* Heartbeat and T_lost follow from one duration. They come out in order: nothing is raised. */
static bool complete_detect(struct reading *reading)
{
    struct partial_config *partial = &reading->partial;
    struct timing *timing = &partial->config.timing;
    char why[160];
    char least[VALUE_DURATION_MAX];

    if (partial->heartbeat_ms != 0 || partial->lost_ms != 0) {
        snprintf(why, sizeof why, "does not go with --%s, which follows from it: give one of them",
                 partial->heartbeat_ms != 0 ? "heartbeat" : "fail-after");
        return refuse_option(reading, "detect", why);
    }
    if (!budget_split(timing, partial->detect_ms, &partial->heartbeat_ms, &partial->lost_ms)) {
        value_duration_print(budget_least_ms(timing), least);
        snprintf(why, sizeof why, "too short for profile %s: use %s or more, or another profile",
                 profile_text(partial->config.profile), least);
        return refuse_option(reading, "detect", why);
    }
    partial->config.detect_ms = partial->detect_ms;
    timing_override(timing, partial->heartbeat_ms, partial->lost_ms);
    return true;
}

/* With so few heartbeats, loss would look like a failure. */
static bool refuse_short_silence(struct reading *reading, uint64_t heartbeat_ms, uint64_t least_ms)
{
    char why[160];
    char heartbeat[VALUE_DURATION_MAX];
    char least[VALUE_DURATION_MAX];

    value_duration_print(heartbeat_ms, heartbeat);
    value_duration_print(least_ms, least);
    snprintf(why, sizeof why,
             "too short for heartbeats every %s: use %s or more, or a shorter --heartbeat",
             heartbeat, least);
    return refuse_option(reading, "fail-after", why);
}

static bool complete_timing(struct reading *reading)
{
    struct partial_config *partial = &reading->partial;
    struct timing *timing = &partial->config.timing;

    *timing = timing_of(partial->config.profile);
    if (partial->detect_ms != 0) {
        return complete_detect(reading);
    }
    timing_override(timing, partial->heartbeat_ms, partial->lost_ms);
    if (partial->lost_ms != 0 && timing->lost_ms != partial->lost_ms) {
        return refuse_short_silence(reading, timing->heartbeat_ms, timing->lost_ms);
    }
    return true;
}

/* Nothing tells which of this host's addresses the others can reach. */
static bool refuse_ambiguous(struct reading *reading, const struct address_candidates *candidates,
                             const char *because)
{
    char why[CONFIG_MESSAGE_MAX];
    char text[ADDRESS_TEXT_MAX];
    size_t used = (size_t)snprintf(why, sizeof why, "this host listens on all of its addresses (");

    for (size_t i = 0; i < candidates->count && i < CANDIDATES_MAX; i++) {
        used += (size_t)snprintf(why + used, sizeof why - used, "%s%s", i == 0 ? "" : ", ",
                                 address_host_text(&candidates->kept[i], text));
    }
    snprintf(why + used, sizeof why - used,
             "%s), and %s: say which one others are to use, as in %s",
             candidates->count > CANDIDATES_MAX ? ", ..." : "", because,
             address_text(&candidates->kept[0], text));
    return refuse_option(reading, "advertise", why);
}

static bool choose_advertise(struct reading *reading)
{
    struct config *config = &reading->partial.config;
    struct address_candidates candidates;
    char why[160];
    const enum address_choice choice = address_choose(reading->host, config, &candidates,
                                                      &config->advertise);

    reading->outcome->lacks_address = reading->outcome->action == CONFIG_RUN &&
                                      (choice == CHOICE_NO_ADDRESS || choice == CHOICE_NO_WAY);
    switch (choice) {
    case CHOICE_MADE:
        return true;
    case CHOICE_NO_ADDRESS:
        snprintf(why, sizeof why,
                 "this host has no address but loopback, and listens on all: listen on "
                 "127.0.0.1:%u, or say what others are told",
                 (unsigned)config->listen.port);
        return refuse_option(reading, "advertise", why);
    case CHOICE_NO_WAY:
        return refuse_ambiguous(reading, &candidates, "none of them is known to lead to a seed");
    case CHOICE_UNCLEAR:
        break;
    }
    return refuse_ambiguous(reading, &candidates, "there is no seed to tell by");
}

/* Nobody but this host sends to its loopback, and there nothing forwards. */
static bool is_reached(struct reading *reading)
{
    const struct config *config = &reading->partial.config;
    char why[160];
    char listen[ADDRESS_TEXT_MAX];
    char advertise[ADDRESS_TEXT_MAX];

    if (!address_is_loopback(&config->listen) || config->listen.port == 0 ||
        address_equal(&config->listen, &config->advertise)) {
        return true;
    }
    snprintf(why, sizeof why,
             "nobody who sends to %s reaches a node that listens on %s: listen there, or on all",
             address_text(&config->advertise, advertise), address_text(&config->listen, listen));
    return refuse_option(reading, "advertise", why);
}

static bool complete_advertise(struct reading *reading)
{
    struct config *config = &reading->partial.config;

    if (!address_is_none(&config->advertise)) {
        if (config->advertise.port == 0) {
            config->advertise.port = config->listen.port;
        }
        if (!address_families_meet(&config->listen, &config->advertise)) {
            char why[120];
            snprintf(why, sizeof why,
                     "an %s address, but --listen is %s: make them alike, or listen on [::]",
                     address_family_text(&config->advertise), address_family_text(&config->listen));
            return refuse_option(reading, "advertise", why);
        }
        return is_reached(reading);
    }
    if (!address_is_wildcard(&config->listen)) {
        config->advertise = config->listen;
        return true;
    }
    return choose_advertise(reading);
}

/* Can this node and the seeds that are addresses send to one another at all? Names are looked up
 * later, and by --check. */
static bool complete_seeds(struct reading *reading)
{
    const struct config *config = &reading->partial.config;
    char seed[ADDRESS_TEXT_MAX];
    char own[ADDRESS_TEXT_MAX];
    char why[300];

    for (uint32_t i = 0; i < config->seed_count; i++) {
        const struct endpoint *endpoint = &config->seeds[i];
        struct address address;

        if (!address_parse_host(endpoint->host, endpoint->port, &address)) {
            continue;
        }
        if (!address_is_of_one_host(&address)) {
            snprintf(why, sizeof why, "%s is no address of one node: name one that runs doyend",
                     address_text(&address, seed));
            return refuse_option(reading, "seed", why);
        }
        if (!address_families_meet(&config->listen, &address)) {
            snprintf(why, sizeof why,
                     "%s is %s and --listen is %s: listen on [::]:%u, which is both, or name seeds "
                     "that are %s",
                     address_text(&address, seed), address_family_text(&address),
                     address_family_text(&config->listen), config->listen.port,
                     address_family_text(&config->listen));
            return refuse_option(reading, "seed", why);
        }
        if (address_is_loopback(&config->advertise) && !address_is_here(reading->host, &address)) {
            const bool listens_there = address_is_loopback(&config->listen);
            snprintf(why, sizeof why,
                     "%s is an address for this host alone, and the seed %s is another host: name "
                     "an address of this host that the others reach",
                     address_text(&config->advertise, own), address_text(&address, seed));
            return refuse_option(reading, listens_there ? "listen" : "advertise", why);
        }
    }
    return true;
}

/* Few voters, or an even number of them, are allowed and rarely what was meant. */
static void warn_of_voters(struct reading *reading)
{
    const uint32_t count = reading->partial.config.voters.count;
    const uint64_t target = reading->partial.config.voters_target;

    if (target != 0 && target < count) {
        reading_warn(reading, "voters-target", "%u voters stay %u: none is removed for a target",
                     count, count);
    } else if (target != 0 && target % 2 == 0) {
        reading_warn(reading, "voters-target",
                     "a target of %u bears the loss of no more than %u does", (unsigned)target,
                     (unsigned)target - 1);
    }

    if (count == 2) {
        reading_warn(
            reading, "voters",
            "2 voters: nobody acts while one of them is away; 3 bear the loss of one, and a "
            "doyen-witness can be the third: doyen voters add NAME --witness HOST:PORT");
    } else if (count > 0 && count % 2 == 0) {
        reading_warn(reading, "voters", "%u voters bear the loss of %u, no more than %u do", count,
                     (count - 1) / 2, count - 1);
    }
}

static bool complete_voters(struct reading *reading)
{
    struct config *config = &reading->partial.config;
    const struct voters *voters = &config->voters;
    char why[120];

    if (config->guard.policy != GUARD_STRICT && config->voters_target != 0) {
        return refuse_option(reading, "voters-target",
                             "belongs to --guard strict: add that, or leave it out");
    }
    if (config->guard.policy != GUARD_STRICT) {
        return voters->count == 0 ||
               refuse_option(reading, "voters",
                             "belongs to --guard strict: add that, or leave it out");
    }
    if (voters->count == 0) {
        return refuse_option(reading, "guard",
                             "whose leases count? Name the voters: add --voters A,B,C");
    }
    /* How many was meant, and not who. */
    if (voters->count == 1 && text_is_number(voters->names[0]) &&
        !text_equal(voters->names[0], config->name)) {
        snprintf(why, sizeof why, "'%.40s' is a number: write the names of the voters, as in a,b,c",
                 voters->names[0]);
        return refuse_option(reading, "voters", why);
    }
    if (voters->count > config->capacity) {
        snprintf(why, sizeof why, "%u voters do not fit a capacity of %u: raise --capacity",
                 (unsigned)voters->count, config->capacity);
        return refuse_option(reading, "voters", why);
    }
    if (voters_find(voters, config->name) != VOTER_NONE && config->state_dir[0] == '\0') {
        return refuse_option(reading, "voters",
                             "this node is a voter, and must find again what it has promised: add "
                             "--state-dir");
    }
    if (config->timing.heartbeat_ms > guard_asks(&config->guard).heartbeat_ms_max) {
        return refuse_option(
            reading, "heartbeat",
            "under --guard strict no voter binds itself for longer than 60s, which "
            "is to be three heartbeats: choose 20s or less");
    }
    config->guard.count = voters->count;
    warn_of_voters(reading);
    return true;
}

static bool complete_guard(struct reading *reading)
{
    struct config *config = &reading->partial.config;

    if (config->guard.policy == GUARD_MAJORITY) {
        if (reading->partial.size == 0) {
            return refuse_option(reading, "guard",
                                 "a majority of how many? Say how many members the whole cluster "
                                 "has: add --size N");
        }
        config->guard.count = reading->partial.size;
    } else if (reading->partial.size > 0) {
        return refuse_option(reading, "size",
                             "belongs to --guard majority: add that, or leave it out");
    }
    if (guard_asks(&config->guard).size_max != UINT32_MAX &&
        guard_asks(&config->guard).size_max > config->capacity) {
        char why[120];
        snprintf(why, sizeof why, "%u members do not fit a capacity of %u: raise --capacity",
                 config->guard.count, config->capacity);
        return refuse_option(reading, "size", why);
    }
    if (guard_asks(&config->guard).needed > config->capacity) {
        char why[120];
        snprintf(why, sizeof why,
                 "%u members never come together with a capacity of %u: raise --capacity",
                 guard_asks(&config->guard).needed, config->capacity);
        return refuse_option(reading, "guard", why);
    }
    return true;
}

/* An elected leader, unlike a coordinator under strict, may be one of two. */
static bool complete_election(struct reading *reading)
{
    const struct config *config = &reading->partial.config;
    char why[160];

    if (config_election(config) == ELECT_OLDEST) {
        return true;
    }
    if (config->guard.policy == GUARD_STRICT) {
        return refuse_option(reading, "election",
                             "an elected leader is advisory, which --guard strict is not: leave it "
                             "out, or choose another --guard");
    }
    if (config->capacity > ROSTER_MAX) {
        snprintf(why, sizeof why, "no more than %d members can elect: lower --capacity, %u now",
                 ROSTER_MAX, config->capacity);
        return refuse_option(reading, "election", why);
    }
    struct complaint complaint;
    return tag_list_may_elect(&config->tags, &complaint) ||
           refuse_option(reading, "tag", complaint.text);
}

/* What an option says is a tag, too, for the others to see: "key=value", the key of `key_bytes`
 * with its sign. */
static bool add_own_tag(struct reading *reading, const char *option, const char *tag,
                        size_t key_bytes)
{
    struct tags *tags = &reading->partial.config.tags;
    const size_t bytes = strlen(tag) + 1;

    for (size_t at = 0; at < tags->length; at += strlen(tags->text + at) + 1) {
        if (text_equal(tags->text + at, tag)) {
            return true;
        }
        if (strncmp(tags->text + at, tag, key_bytes) == 0) {
            return refuse_option(reading, option, "a --tag says otherwise: leave out that one");
        }
    }
    if (tags->length + bytes > TAGS_BYTES_MAX) {
        return refuse_option(reading, option, "there is no room for its tag: shorten the tags");
    }
    memcpy(tags->text + tags->length, tag, bytes);
    tags->length = (uint16_t)(tags->length + bytes);
    return true;
}

static bool complete_priority(struct reading *reading)
{
    const uint32_t priority = reading->partial.config.priority;
    char tag[32];

    snprintf(tag, sizeof tag, "priority=%u", priority);
    return priority == 0 || add_own_tag(reading, "priority", tag, sizeof "priority=" - 1);
}

static bool complete_partitions(struct reading *reading)
{
    const struct config *config = &reading->partial.config;
    char tag[32];

    if (config->partitions == 0) {
        const size_t length = sizeof PARTITION_TAG_KEY - 1;
        if (tag_list_has(&config->tags, PARTITION_TAG_KEY, length)) {
            return refuse_option(reading, "tag",
                                 "'partitions' is the tag of --partitions: give that, or another "
                                 "key");
        }
        return (config->backups == 0 ||
                refuse_option(reading, "backups",
                              "there is nothing to back up: add --partitions N, or leave it "
                              "out"));
    }
    snprintf(tag, sizeof tag, PARTITION_TAG_KEY "=%u+%u", config->partitions, config->backups);
    return add_own_tag(reading, "partitions", tag, sizeof PARTITION_TAG_KEY);
}

static bool complete_expect(struct reading *reading)
{
    const struct config *config = &reading->partial.config;
    char why[120];

    if (config->expect > config->capacity || config->expect > guard_asks(&config->guard).size_max) {
        snprintf(why, sizeof why, "%u nodes never come together here: lower it, or raise %s",
                 config->expect, config->expect > config->capacity ? "--capacity" : "--size");
        return refuse_option(reading, "bootstrap-expect", why);
    }
    if (config->expect > 0 && config->seed_count == 0 && config->state_dir[0] == '\0') {
        return refuse_option(reading, "bootstrap-expect",
                             "there is nobody to meet: name the others with --seed");
    }
    return true;
}

/* Is the second address among those of the first, a wildcard perhaps? */
static bool addresses_overlap(const struct address *wide, const struct address *address)
{
    return wide->port == address->port &&
           (address_equal(wide, address) ||
            (address_is_wildcard(wide) && address_families_meet(wide, address)));
}

static bool complete_http(struct reading *reading)
{
    const struct config *config = &reading->partial.config;

    if (config->http_on && (addresses_overlap(&config->http, &config->listen) ||
                            addresses_overlap(&config->listen, &config->http))) {
        return refuse_option(reading, "http",
                             "peers are served at this address already: choose another port");
    }
    if (!config->http_on && config->http_host_count > 0) {
        return refuse_option(reading, "http-host", "belongs to --http: add that, or leave it out");
    }
    return true;
}

static bool complete_key(struct reading *reading)
{
    const struct config *config = &reading->partial.config;

    if (config->auth == AUTH_ACCEPT && config->key[0] == '\0') {
        return refuse_option(reading, "auth", "accept belongs to --key: add that, or leave it out");
    }
    return config->key[0] == '\0' || !config->insecure ||
           refuse_option(reading, "insecure", "contradicts --key: leave one of them out");
}

/* What a node of one cluster has a default for. */
static bool complete_node(struct reading *reading)
{
    return complete_name(reading) && complete_control(reading) && complete_control_group(reading) &&
           complete_timing(reading) && complete_advertise(reading) && complete_seeds(reading) &&
           complete_voters(reading) && complete_guard(reading) && complete_election(reading) &&
           complete_priority(reading) && complete_partitions(reading) && complete_expect(reading) &&
           complete_http(reading) && complete_key(reading);
}

static bool complete_witness(struct reading *reading)
{
    struct config *config = &reading->partial.config;

    if (config->key[0] == '\0') {
        return refuse_option(reading, "key",
                             "for which clusters? Give a directory with their key files, each as "
                             "NAME.key");
    }
    if (config->state_dir[0] == '\0') {
        return refuse_option(reading, "state-dir",
                             "a witness must find again what it has promised: give a directory of "
                             "its own");
    }
    (void)text_set(config->name, sizeof config->name, "witness", strlen("witness"));
    return complete_timing(reading) && complete_http(reading);
}

/* A repeated seed is harmless, but the second was probably meant to be another host. */
static void warn_of_repeated_seeds(struct reading *reading)
{
    const struct config *config = &reading->partial.config;
    char text[VALUE_ENDPOINT_MAX];

    for (uint32_t i = 1; i < config->seed_count; i++) {
        uint32_t twin = 0;
        while (twin < i && (config->seeds[twin].port != config->seeds[i].port ||
                            strcasecmp(config->seeds[twin].host, config->seeds[i].host) != 0)) {
            twin++;
        }
        if (twin < i) {
            value_endpoint_print(&config->seeds[i], text);
            reading_warn(reading, "seed", "--seed %s is given twice: once is enough", text);
        }
    }
}

/* It counts as unset, but a start script may have put in a variable of its own that was empty by
 * mistake. */
static void warn_of_empty_variables(struct reading *reading)
{
    char variable[OPTION_VARIABLE_MAX];

    for (size_t i = 0; i < option_count(); i++) {
        const struct setting *option = option_at(i);
        if (option->kind == NULL || !option_is_of(option, reading->host->program) ||
            reading->outcome->origins[i].source >= SOURCE_ENVIRONMENT) {
            continue;
        }
        option_variable(option, variable);
        const char *text = reading->host->variable(reading->host->context, variable);
        if (text != NULL && text[0] == '\0') {
            reading_warn(reading, "environment",
                         "%s is empty, which counts as unset: give it a value, or unset it",
                         variable);
        }
    }
}

static void warn_of_env_typos(struct reading *reading)
{
    char text[CONFIG_MESSAGE_MAX];

    env_typos_describe(reading->host, text);
    if (text[0] != '\0') {
        reading_warn(reading, "environment", "%s", text);
    }
}

bool reading_complete(struct reading *reading)
{
    if (!(reading->host->program == PROGRAM_WITNESS ? complete_witness(reading)
                                                    : complete_node(reading))) {
        return false;
    }
    warn_of_repeated_seeds(reading);
    warn_of_empty_variables(reading);
    warn_of_env_typos(reading);
    return true;
}
